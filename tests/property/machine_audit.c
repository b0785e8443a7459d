/* tests/property/machine_audit.c — see the header. */
#include "tests/property/machine_audit.h"

#include "engine/journal.h"
#include "sim/audit.h"

static void
take_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

GByteArray *
lk_machine_journal (const LkMachineWorkload *workload, const LkMachineOptions *options,
                    const LkMachineRun *run)
{
  LkPolicyError error;
  LkJournalHeader header;
  LkEngineCounts counts;
  LkMachineOptions told = *options;
  told.tells_standing = TRUE;
  GByteArray *journal = g_byte_array_new ();
  g_autoptr (LkSetup) setup = lk_machine_setup (workload->cluster, &told);
  g_autoptr (LkEngine) engine = lk_engine_new (lk_setup_config (setup), &error);
  lk_setup_header (setup, "property", &header);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, take_bytes, journal);
  for (guint i = 0; i < run->events->len; i++) {
    const LkEvent *event = &g_array_index (run->events, LkEvent, i);
    g_assert_cmpint (lk_engine_apply (engine, event, NULL), ==, LK_STATUS_OK);
    LkDecided decided = lk_engine_decided (engine);
    lk_journal_writer_event (writer, event, &decided);
  }
  lk_engine_counts (engine, &counts);
  /* Whatever is left of a run that was cut is no fault. */
  if (options->end_us == 0 && counts.pending_count + counts.running_count == 0)
    lk_journal_writer_end (writer, counts.decision_count, lk_engine_digest (engine));
  return journal;
}

void
lk_machine_run_assert_audited (const LkMachineWorkload *workload, const LkMachineOptions *options,
                               const LkMachineRun *run)
{
  LkAudit audit;
  g_autofree char *error = NULL;
  g_autoptr (GByteArray) journal = lk_machine_journal (workload, options, run);
  const char *keep = g_getenv ("LK_PROPERTY_JOURNAL");
  lk_audit_run (&audit, journal->data, journal->len, 5, &error);
  for (guint i = 0; i < audit.findings->len; i++) {
    const LkAuditFinding *finding = &g_array_index (audit.findings, LkAuditFinding, i);
    g_printerr ("event %" G_GUINT64_FORMAT ", job %u: %s [%s]\n", finding->seq, finding->job_id,
                finding->text, lk_audit_rule_name (finding->rule));
  }
  if (audit.findings->len > 0 && keep != NULL)
    g_file_set_contents (keep, (const char *)journal->data, journal->len, NULL);
  g_assert_cmpuint (audit.findings->len, ==, 0);
  lk_audit_clear (&audit);
}
