/* tests/dst/checker_journal.c — see the header. */
#include "tests/dst/checker_journal.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "live/core/controller_private.h"
#include "live/core/standby.h"
#include "sim/audit.h"

#define AUDIT_FINDINGS 20u
/* Magic and CRC, before the first record. */
#define SNAPSHOT_HEAD_BYTES 12u

static const GByteArray *
journal_of (const DstHost *host)
{
  return lk_disk_sim_peek (host->disk, LK_CONTROLLER_JOURNAL);
}

/* ---------------------------------------------------------------- a fresh engine */

static void
replay (const DstHost *host, const DstHistory *history, DstFindings *findings)
{
  LkJournalHeader header;
  LkPolicyError policy_error;
  LkEvent event;
  const char *fault;
  const GByteArray *bytes = journal_of (host);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  g_autoptr (LkEngine) fresh = lk_engine_new (host->cluster->controller.engine, &policy_error);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    LkStatus status = lk_engine_apply (fresh, &event, NULL);
    if (status != LK_STATUS_OK) {
      dst_find (findings, "replay: event %" G_GUINT64_FORMAT ": %s", event.seq,
                lk_status_text (status));
      return;
    }
  }
  if (!lk_digest_value_equal (lk_engine_digest (fresh), history->digest)
      || !lk_digest_value_equal (lk_engine_digest (fresh),
                                 lk_engine_digest (lk_controller_engine (host->core))))
    dst_find (findings, "replay: a fresh engine decides otherwise");
}

/* ---------------------------------------------------------------- a fresh controller */

static void
nothing_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  (void)user;
  (void)token;
  (void)has_succeeded;
}

static void
nothing_woken (gpointer user)
{
  (void)user;
}

static void
copy_file (const DstHost *host, const LkPortDisk *disk, const char *name)
{
  const GByteArray *bytes = lk_disk_sim_peek (host->disk, name);
  if (bytes != NULL)
    disk->ops->replace (disk->self, name, bytes->data, bytes->len, 0);
}

/* The state of a controller that starts from copies of a host's files; NULL: it does not start. */
static GByteArray *
state_after_start (const DstHost *host, gboolean has_snapshots, DstFindings *findings)
{
  const LkPeer who = { .kind = LK_PEER_CONTROLLER, .name = "again" };
  LkControllerFailure failure = LK_CONTROLLER_OK;
  GByteArray *state = NULL;
  LkWorld *world = lk_world_new (1, dst_now_us (host->cluster));
  LkNetSim *net = lk_net_sim_new (world);
  LkDiskSim *disk = lk_disk_sim_new (world, "again", nothing_done, NULL);
  LkClockSim *clock = lk_clock_sim_new (world, nothing_woken, NULL);
  LkControllerPorts ports = { .clock = lk_clock_sim_port (clock),
                              .net = lk_net_sim_port (net, lk_net_sim_add (net, &who, NULL, NULL)),
                              .disk = lk_disk_sim_port (disk) };
  copy_file (host, &ports.disk, LK_CONTROLLER_JOURNAL);
  copy_file (host, &ports.disk, LK_CONTROLLER_START);
  copy_file (host, &ports.disk, LK_STANDBY_FILE);
  for (guint i = 0; i < LK_CONTROLLER_SNAPSHOTS && has_snapshots; i++)
    copy_file (host, &ports.disk, lk_controller_snapshot_names[i]);
  while (lk_world_next_us (world) != LK_TIME_NEVER)
    lk_world_step (world);
  LkController *core = lk_controller_new (&host->cluster->controller, &ports, 0, &failure);
  if (core != NULL) {
    lk_controller_check (core);
    state = g_byte_array_new ();
    lk_controller_save (core, state);
  } else {
    dst_find (findings, "a controller does not start from the journal%s: %s",
              has_snapshots ? " and snapshots" : "", lk_controller_failure_text (failure));
  }
  lk_controller_free (core);
  lk_world_free (world);
  lk_clock_sim_free (clock);
  lk_disk_sim_free (disk);
  lk_net_sim_free (net);
  return state;
}

/* Of a run that is over it is not the journal that tells what still lives where, but what agents
 * say: that part of a snapshot is left out.  That a part was begun comes with a later event. */
static GByteArray *
told_by_journal (const GByteArray *state)
{
  GByteArray *out = g_byte_array_new ();
  gboolean is_over = FALSE;
  LkBytesReader reader = { .at = state->data + SNAPSHOT_HEAD_BYTES,
                           .left_bytes = state->len - SNAPSHOT_HEAD_BYTES };
  while (reader.left_bytes > 0) {
    LkMessage record;
    guint32 length_bytes = lk_take_u32 (&reader);
    gboolean is_good = lk_message_decode (reader.at, length_bytes, &record);
    LK_ASSERT (is_good);
    reader.at += length_bytes;
    reader.left_bytes -= length_bytes;
    if (record.kind == LK_MESSAGE_KEPT_RUN)
      is_over = record.kept_run.end_seq != 0;
    else if (record.kind == LK_MESSAGE_KEPT_RUN_NODE)
      record.kept_run_node.is_gone = record.kept_run_node.is_begun = 0;
    else if (record.kind != LK_MESSAGE_KEPT_ORDER)
      is_over = FALSE;
    if (!is_over)
      lk_message_encode (&record, out);
  }
  return out;
}

static void
compare (const GByteArray *state, const GByteArray *other, const char *what, DstFindings *findings)
{
  guint same = 0;
  if (state == NULL || other == NULL)
    return;
  g_autoptr (GByteArray) one = told_by_journal (state);
  g_autoptr (GByteArray) two = told_by_journal (other);
  while (same < one->len && same < two->len && one->data[same] == two->data[same])
    same++;
  if (same < one->len || same < two->len)
    dst_find (findings, "%s is another (%u and %u bytes, from byte %u)", what, one->len, two->len,
              same);
}

static void
bytes_free (GByteArray *bytes)
{
  if (bytes != NULL)
    g_byte_array_unref (bytes);
}

static void
restart (const DstHost *host, DstFindings *findings)
{
  g_autoptr (GByteArray) present = g_byte_array_new ();
  GByteArray *plain = state_after_start (host, /* has_snapshots= */ FALSE, findings);
  GByteArray *whole = state_after_start (host, /* has_snapshots= */ TRUE, findings);
  lk_controller_save (host->core, present);
  compare (plain, whole, "the state from snapshot and journal", findings);
  compare (present, plain, "the state from the journal", findings);
  bytes_free (plain);
  bytes_free (whole);
}

/* ---------------------------------------------------------------- the rules */

/* How well plans are kept is for schedules in which a pass follows whatever happens at once; here
 * passes have a least time between them, and wait for agents. */
static gboolean
is_about_plans (LkAuditRule rule)
{
  return rule == LK_AUDIT_PROMISE || rule == LK_AUDIT_ORDER || rule == LK_AUDIT_ROOM;
}

static void
audit (const DstHost *host, DstFindings *findings)
{
  LkAudit audit;
  g_autofree char *error = NULL;
  const GByteArray *bytes = journal_of (host);
  lk_audit_run (&audit, bytes->data, bytes->len, AUDIT_FINDINGS, &error);
  if (error != NULL)
    dst_find (findings, "verify: %s", error);
  for (guint i = 0; i < audit.findings->len; i++) {
    const LkAuditFinding *found = &g_array_index (audit.findings, LkAuditFinding, i);
    if (is_about_plans (found->rule))
      continue;
    dst_find (findings, "verify: event %" G_GUINT64_FORMAT ", job %u: %s [%s]", found->seq,
              found->job_id, found->text, lk_audit_rule_name (found->rule));
  }
  lk_audit_clear (&audit);
}

void
dst_checker_journal_look (const DstHost *host, const DstHistory *history, DstFindings *findings)
{
  LkEngineCounts counts;
  lk_engine_counts (lk_controller_engine (host->core), &counts);
  if (history->seq_last != counts.event_count)
    dst_find (findings,
              "the journal has %" G_GUINT64_FORMAT " events, the engine %" G_GUINT64_FORMAT,
              history->seq_last, counts.event_count);
  replay (host, history, findings);
  restart (host, findings);
  audit (host, findings);
}
