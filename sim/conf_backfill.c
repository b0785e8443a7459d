/* sim/conf_backfill.c — see the header. */
#include "sim/conf_backfill.h"

#include <string.h>

#include "policies/registry.h"
#include "policies/spec.h"
#include "traces/cluster_open.h"
#include "traces/slurm_conf_backfill.h"
#include "traces/slurm_conf_scheduler.h"

#define POLICY "slurm"

char *
lk_conf_backfill (const char *conf_path, GError **error)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  const LkPolicy *policy = lk_registry_find (registry, LK_SEAM_BACKFILL, POLICY, error);
  LkSlurmOptionCheck check = { .expectation = lk_spec_expectation, .user = (gpointer)policy };
  return policy != NULL ? lk_slurm_conf_backfill (conf_path, &check, error) : NULL;
}

void
lk_conf_backfill_warn (const char *cluster_name, const char *backfill, FILE *stream)
{
  gsize name_bytes = strcspn (backfill, ":(");
  gboolean is_slurm = name_bytes == strlen (POLICY) && strncmp (backfill, POLICY, name_bytes) == 0;
  if (cluster_name == NULL || !lk_cluster_is_slurm_conf (cluster_name))
    return;
  g_autofree char *text = lk_slurm_scheduler_unheeded (cluster_name, is_slurm);
  if (text != NULL)
    fprintf (stream, "lockstep sim: warning: %s\n", text);
}
