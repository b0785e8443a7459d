/* live/client/sacctmgr/sacctmgr_active.c — jobs that keep an account or a user from being deleted.
 *
 * Texts are those of sacctmgr of Slurm 22.05. */
#include "live/client/job_filter.h"
#include "live/client/sacctmgr/sacctmgr.h"

/* The association of the job, if it goes; NULL: it stays, or the job has none. */
static const LkAssociationSpec *
leaving (const LkJobRow *row, const LkAccounts *from, const LkAccounts *to)
{
  guint32 id = row->job.association_id;
  if (id == 0 || id > from->associations->len)
    return NULL;
  const LkAssociationSpec *spec = g_ptr_array_index (from->associations, id - 1);
  return lk_accounts_find (to, spec->account, spec->user, spec->partition) == NULL ? spec : NULL;
}

gboolean
lk_sacctmgr_active_tell (const LkClient *client, const LkAccounts *from, const LkAccounts *to)
{
  const LkClientFilter all = { .has_user = FALSE };
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (GPtrArray) jobs = lk_filtered_jobs (client, &all, 0, NULL);
  for (guint i = 0; jobs != NULL && i < jobs->len; i++) {
    const LkJobRow *row = g_ptr_array_index (jobs, i);
    const LkAssociationSpec *spec = leaving (row, from, to);
    if (spec == NULL)
      continue;
    g_string_append_printf (lines, "  JobID = %-10u C = %-10s A = %-10s U = %-9s", row->job.job_id,
                            from->cluster, spec->account, spec->user);
    if (*spec->partition != '\0')
      g_string_append_printf (lines, " P = %s", spec->partition);
    g_string_append_c (lines, '\n');
  }
  if (lines->len > 0)
    fprintf (client->err, " Error with request: Job(s) active, cancel job(s) before remove\n%s",
             lines->str);
  return lines->len > 0;
}
