/* traces/slurm_conf_keys.h — every key of Slurm's files, and what the import makes of it.
 *
 * One table, from which the report, the suggestions and the page docs/slurm-import.md come.  It
 * holds the keys of slurm.conf(5), gres.conf(5) and topology.conf(5) from 17.11 to 26.05, also
 * those that were renamed or dropped on the way: a site's file may be older than its Slurm.
 *
 * The verdict is what a key gets when nothing about its value says otherwise. */
#ifndef LK_TRACES_SLURM_CONF_KEYS_H
#define LK_TRACES_SLURM_CONF_KEYS_H

#include <glib.h>

#include "traces/slurm_conf.h"

/* The kinds of lines. */
typedef enum {
  LK_SLURM_SCOPE_CONF, /* a key on its own in slurm.conf */
  LK_SLURM_SCOPE_NODE,
  LK_SLURM_SCOPE_DOWN_NODES,
  LK_SLURM_SCOPE_NODE_SET,
  LK_SLURM_SCOPE_PARTITION,
  LK_SLURM_SCOPE_FRONT_END,
  LK_SLURM_SCOPE_GRES,
  LK_SLURM_SCOPE_TOPOLOGY,
} LkSlurmScope;
#define LK_SLURM_SCOPE_COUNT 8u

typedef struct {
  LkSlurmScope scope;
  const char *name; /* as Slurm spells it */
  LkSlurmVerdict verdict;
  const char *how;
  /* The member of the cluster's structs that it sets, as lk_cluster_check names it; or NULL. */
  const char *member;
} LkSlurmKey;

/* All, scope after scope. */
const LkSlurmKey *lk_slurm_keys (guint *out_count);
/* NULL when there is none of the name, in whatever case of letters. */
const LkSlurmKey *lk_slurm_key_find (LkSlurmScope scope, const char *name);
/* The nearest key of a scope to a name that is none, or NULL. */
const LkSlurmKey *lk_slurm_key_nearest (LkSlurmScope scope, const char *name);
/* As the page calls them: "NodeName" ... */
const char *lk_slurm_scope_name (LkSlurmScope scope);

#endif
