/* tests/dst/checkers.c — see the header. */
#include "tests/dst/checkers.h"

void
dst_checkers_init (DstCheckers *self, DstFindings *findings)
{
  self->findings = findings;
  dst_checker_answers_init (&self->answers, findings);
  dst_checker_runs_init (&self->runs, findings);
  dst_checker_ends_init (&self->ends, findings);
}

void
dst_checkers_clear (DstCheckers *self)
{
  dst_checker_ends_clear (&self->ends);
  dst_checker_runs_clear (&self->runs);
  dst_checker_answers_clear (&self->answers);
}

void
dst_checkers_run_over (DstCheckers *self, const LkProcessSimRun *run)
{
  dst_checker_runs_over (&self->runs, run);
  dst_checker_ends_over (&self->ends, run);
}

static DstRunRules
rules_of (const LkEngineConfig *config)
{
  DstRunRules rules = { .pool_units = config->cluster == NULL ? config->units_total : 0 };
  for (guint i = 0; config->cluster != NULL && i < config->cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (config->cluster->partitions, i);
    rules.shares_cores = rules.shares_cores || spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE;
  }
  return rules;
}

void
dst_checkers_look (const DstCheckers *self, const DstHost *host, DstHistory *out_history)
{
  const GByteArray *journal = lk_disk_sim_peek (host->disk, LK_CONTROLLER_JOURNAL);
  DstRunRules rules = rules_of (host->cluster->controller.engine);
  dst_checker_rest_look (host, &self->runs, self->findings);
  if (!dst_history_read (out_history, journal->data, journal->len, self->findings))
    return;
  dst_checker_answers_look (&self->answers, out_history);
  dst_checker_runs_look (&self->runs, out_history, &rules);
  dst_checker_ends_look (&self->ends, out_history);
  dst_checker_records_look (out_history, self->findings);
  dst_checker_journal_look (host, out_history, self->findings);
}
