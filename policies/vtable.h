/* policies/vtable.h — the rules of a policy's vtable, and a copy that this host can read safely.
 *
 * A vtable may come from a plugin that was compiled against an older or newer engine/policy.h,
 * so `size` may be smaller or larger than this host's struct. The copy has this host's size:
 * slots that the plugin does not know are NULL. */
#ifndef LK_POLICIES_VTABLE_H
#define LK_POLICIES_VTABLE_H

#include <glib.h>

#include "engine/policy.h"

/* Room for the vtable of any seam, as this host knows it. */
typedef union {
  LkPolicy base;
  LkOrderPolicy order;
  LkBackfillPolicy backfill;
  LkSelectPolicy select;
  LkLimitsPolicy limits;
  LkPreemptPolicy preempt;
} LkVtable;

/* Copies as much of `policy` as both sides know. Fails (LK_REGISTRY_ERROR_PLUGIN, the broken
 * rule as a sentence) when the ABI, the size or the seam is wrong, a required slot is NULL, only
 * one of save and load is there, a name breaks the rules, or a parameter's row makes no sense. */
gboolean lk_vtable_copy (const LkPolicy *policy, LkVtable *out_copy, GError **error);

#endif
