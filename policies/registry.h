/* policies/registry.h — finds policies by name and makes an engine's configuration from text.
 *
 * A policy specification is NAME, NAME:key=value,key=value ... or NAME(key=value,...); commas
 * inside parentheses and double quotes do not separate. The only parameter without a default may
 * be given by its value alone: "expr:wait/estimate". A value of an order parameter is itself a
 * specification. The canonical form names every parameter in the table's order, so that equal
 * configurations have equal text; it reads back to itself.
 *
 * Not pure: plugins come from files. */
#ifndef LK_POLICIES_REGISTRY_H
#define LK_POLICIES_REGISTRY_H

#include <glib.h>

#include "engine/engine.h"

#define LK_REGISTRY_ERROR (lk_registry_error_quark ())
GQuark lk_registry_error_quark (void);
typedef enum {
  LK_REGISTRY_ERROR_NAME,      /* no such policy */
  LK_REGISTRY_ERROR_PARAMETER, /* no such parameter, or its value is wrong */
  LK_REGISTRY_ERROR_PLUGIN,    /* the file is not a usable plugin */
  LK_REGISTRY_ERROR_BUILD,     /* a journal's policy is of another version or build */
} LkRegistryError;

typedef struct _LkRegistry LkRegistry;

/* With the built-in policies. Returns: (transfer full). */
LkRegistry *lk_registry_new (void);
void lk_registry_free (LkRegistry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkRegistry, lk_registry_free)

/* Adds a policy that is already in memory. Its vtable is checked and copied; what the vtable
 * points to must outlive self. `build_id` and `source` are copied. Returns: (transfer none) the
 * policy as self knows it. */
const LkPolicy *lk_registry_add (LkRegistry *self, const LkPolicy *policy, const char *build_id,
                                 const char *source, GError **error);

/* Adds the policy of a shared object, which stays loaded as long as the process lives. Fails
 * when the file cannot be loaded, exports no policy, has another ABI, breaks the vtable's rules,
 * or its name is taken. Returns: (transfer none) the policy. */
const LkPolicy *lk_registry_add_plugin (LkRegistry *self, const char *path, GError **error);

/* All policies: built-ins first in alphabetical order by seam, then plugins. Returns: (transfer
 * none). */
const LkPolicy *const *lk_registry_policies (const LkRegistry *self, guint *out_count);

/* NULL with an error that suggests the nearest name. */
const LkPolicy *lk_registry_find (const LkRegistry *self, guint32 seam, const char *name,
                                  GError **error);

/* "built-in 0.1.0", or for a plugin the GNU build id (else a checksum) of its file. Returns:
 * (transfer none). */
const char *lk_registry_build_id (const LkRegistry *self, const LkPolicy *policy);
/* "built-in", or the plugin's path as it was given. Returns: (transfer none). */
const char *lk_registry_source (const LkRegistry *self, const LkPolicy *policy);

/* "order", "backfill", "select", "limits", "preempt"; NULL for a number that is no seam. */
const char *lk_seam_name (guint32 seam);
/* 0 for a name that is no seam's. */
guint32 lk_seam_from_name (const char *name);

typedef struct {
  guint32 units_total; /* of a counted pool; not read where there is a cluster */
  gint64 origin_us;    /* LK_TIME_NEVER: the first submit */
  const char *order;   /* specifications */
  const char *backfill;
  const char *select;
  /* A machine of nodes, checked; copied. NULL: a counted pool. A select policy that counts makes a
   * pool of its CPUs. */
  const LkCluster *cluster;
  const LkAccounts *accounts; /* checked; copied. NULL: nobody is told from another */
  const char *limits;         /* of accounts; NULL: "slurm" */
  const char *preempt;        /* NULL: "none" */
  gboolean tells_standing;    /* LkEngineConfig.tells_standing */
  gboolean requeues_ended;    /* likewise */
  gboolean requeues_at_end;   /* likewise */
} LkSetupOptions;

/* Name of the select policy that places as Slurm does on this machine, by its SelectType and
 * TopologyPlugin. Returns: (transfer none), for ever. */
const char *lk_setup_select_of (const LkCluster *cluster);

/* A configuration with everything it needs. The registry must outlive it. */
typedef struct _LkSetup LkSetup;
LkSetup *lk_setup_new (const LkRegistry *registry, const LkSetupOptions *options, GError **error);
/* From the header of a journal: resolves the same policies and fails when a version or build id
 * differs. */
LkSetup *lk_setup_new_from_header (const LkRegistry *registry, const LkJournalHeader *header,
                                   GError **error);
void lk_setup_free (LkSetup *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSetup, lk_setup_free)

/* Returns: (transfer none), valid as long as self. */
const LkEngineConfig *lk_setup_config (const LkSetup *self);
/* Fills a header whose texts point into self and `source`, which is cut when it is longer than a
 * text can be. */
void lk_setup_header (const LkSetup *self, const char *source, LkJournalHeader *out_header);
/* Canonical specification; of the limits "" without accounts. Returns: (transfer none). */
const char *lk_setup_spec (const LkSetup *self, guint32 seam);
/* lk_engine_config_digest of the configuration. */
LkDigestValue lk_setup_digest (const LkSetup *self);

#endif
