/* traces/slurm_conf_assoc.c — accounts beside slurm.conf: a sacctmgr dump or script, read as the
 * runs will read it.
 *
 * Each line becomes a row of the report.  What they describe is no part of a machine.
 *
 * Source: sacctmgr(1). */
#include "traces/accounts_edit.h"
#include "traces/accounts_open.h"
#include "traces/slurm_conf_private.h"

static const LkSlurmKey understood = { LK_SLURM_SCOPE_CONF, NULL, LK_SLURM_UNDERSTOOD,
                                       "a line of accounts: give this file to a run", NULL };
static const LkSlurmKey passed_over = { LK_SLURM_SCOPE_CONF, NULL, LK_SLURM_IGNORED,
                                        "changes nothing in accounts, users and QOS", NULL };

static void
row_add (LkSlurmImport *self, const char *file, const LkAccountsLine *line)
{
  LkSlurmKey key = line->is_understood ? understood : passed_over;
  g_autofree char *shown = lk_slurm_shown (line->key);
  const LkSlurmPlace place = { file, line->line_number };
  const LkSlurmPair pair = { .key = line->key, .value = line->value };
  key.name = shown;
  lk_slurm_row_add (self, &place, "", &pair, &key);
}

gboolean
lk_slurm_assoc_read (LkSlurmImport *self, GError **error)
{
  if (!lk_slurm_source_is_given (&self->assoc_source))
    return TRUE;
  g_autofree char *name = NULL;
  g_autoptr (GBytes) bytes = lk_slurm_source_bytes (&self->assoc_source, &name, error);
  if (!bytes)
    return FALSE;
  g_autoptr (GPtrArray) lines = lk_accounts_lines_new ();
  g_autoptr (LkAccounts) accounts = lk_accounts_read (name, bytes, lines, error);
  if (!accounts)
    return FALSE;
  for (guint i = 0; i < lines->len; i++)
    row_add (self, name, g_ptr_array_index (lines, i));
  return TRUE;
}
