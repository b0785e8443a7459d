/* policies/plugin.h — the policy that a shared object exports.
 *
 * Not here: whether its vtable is sound (vtable.h) and whether the file is pure (`lockstep
 * policy verify`). */
#ifndef LK_POLICIES_PLUGIN_H
#define LK_POLICIES_PLUGIN_H

#include <glib.h>

#include "engine/policy.h"

/* Checks the file, loads it for the life of the process and asks it for its vtable. The error
 * (LK_REGISTRY_ERROR_PLUGIN) does not name the file. `out_build_id`: (transfer full). Returns:
 * (transfer none), or NULL. */
const LkPolicy *lk_plugin_load (const char *path, char **out_build_id, GError **error);

#endif
