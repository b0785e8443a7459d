/* tests/sim/audit_words.c — see the header. */
#include "tests/sim/audit_words.h"

#include <stdlib.h>
#include <string.h>

#include "engine/journal.h"
#include "sim/audit.h"

#define MIB (G_GINT64_CONSTANT (1) << 20)

static const char cluster[] =
    "cluster test memory=1 requeue_delay_us=0\n"
    "nodes n[1-4] sockets=1 cores_per_socket=4 threads_per_core=1 cpus=4 memory_bytes=4294967296 "
    "memory_reserved_bytes=0 flags=0\n"
    "gres gpu type=\"\" count=2\n"
    "partition batch nodes=n[1-4] priority_tier=1 is_default=1 state=up oversubscribe=no "
    "nodes_max=4294967295 "
    "qos=\"\" time_max_us=9223372036854775807\n"
    "partition small nodes=n1 priority_tier=2 is_default=0 state=up oversubscribe=no "
    "nodes_max=4294967295 "
    "qos=capped time_max_us=9223372036854775807\n"
    "partition rich nodes=ALL priority_tier=1 is_default=0 state=up oversubscribe=exclusive "
    "nodes_max=4294967295 memory_per_cpu_default_bytes=1073741825 "
    "time_max_us=9223372036854775807\n"
    "license matlab count=2\n";
static const char accounts[] =
    "accounts test tres=cpu,mem,node,gres/gpu enforce=associations,limits,qos\n"
    "qos normal limits=\"\" preempt_exempt_us=10000000\n"
    "qos high limits=\"\" preempt=normal,grace\n"
    "qos grace limits=\"\" grace_us=5000000 preempt_mode=requeue\n"
    "qos tight limits=\"GrpTRES:mem=4096\"\n"
    "qos capped limits=\"GrpTRES:cpu=2,MaxJobsPerUser=1\"\n"
    "association root user=\"\" parent=\"\" default_qos=\"\" is_default=0 limits=\"\"\n"
    "association phys user=\"\" parent=root default_qos=\"\" is_default=0 "
    "limits=\"GrpJobs=2,GrpTRES:cpu=10\"\n"
    "association phys user=ann parent=\"\" default_qos=\"\" is_default=1 limits=\"MaxJobs=1\"\n"
    "association phys user=bob parent=\"\" default_qos=\"\" is_default=1 limits=\"\"\n"
    "association phys user=cid parent=\"\" default_qos=\"\" is_default=1 limits=\"\"\n"
    "association math user=\"\" parent=root default_qos=\"\" qos=capped is_default=0 limits=\"\"\n"
    "association math user=eve parent=\"\" default_qos=\"\" qos=+high is_default=1 limits=\"\"\n"
    "association chem user=\"\" parent=root default_qos=capped is_default=0 limits=\"\"\n"
    "association chem user=dan parent=\"\" default_qos=\"\" is_default=1 limits=\"\"\n";

/* What stands behind "word=" in a line; "" when it is not there. Interned: lives for ever. */
static const char *
word (const char *line, const char *name)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  gsize length = strlen (name);
  for (guint i = 0; words[i] != NULL; i++)
    if (strncmp (words[i], name, length) == 0 && words[i][length] == '=')
      return g_intern_string (words[i] + length + 1);
  return "";
}

static LkText
text_word (const char *line, const char *name)
{
  return lk_text (word (line, name));
}

static LkLongText
long_word (const char *line, const char *name)
{
  const char *text = word (line, name);
  return (LkLongText){ text, (guint32)strlen (text) };
}

static gint64
number_word (const char *line, const char *name)
{
  return g_ascii_strtoll (word (line, name), NULL, 10);
}

static guint32
id_word (const char *line)
{
  return (guint32)number_word (line, "id");
}

static void
read_submit (const char *line, LkEvent_submit *submit)
{
  submit->job_id = id_word (line);
  submit->procs = (guint32)MAX (1, number_word (line, "procs"));
  submit->estimate_us = MAX (1, number_word (line, "limit")) * G_USEC_PER_SEC;
  submit->user_id = (guint32)number_word (line, "uid");
  submit->flags = (guint32)number_word (line, "flags");
  submit->nodes_min = (guint32)number_word (line, "nodes");
  submit->partition = text_word (line, "partition");
  submit->node_list = text_word (line, "list");
  submit->exclude = text_word (line, "exclude");
  submit->licenses = text_word (line, "licenses");
  submit->qos = text_word (line, "qos");
  submit->user = text_word (line, "user");
  submit->account = text_word (line, "account");
  submit->name = text_word (line, "name");
  submit->begin_us = number_word (line, "begin") * G_USEC_PER_SEC;
  submit->dependency = text_word (line, "dependency");
  submit->array = text_word (line, "array");
  submit->het_leader = (guint32)number_word (line, "het");
}

static LkEvent
read_event (const char *line)
{
  char kind[32] = "";
  char *rest = NULL;
  LkEvent event = { .time_us = g_ascii_strtoll (line, &rest, 10) * G_USEC_PER_SEC };
  g_strlcpy (kind, rest + 1, MIN (sizeof kind, strcspn (rest + 1, " ") + 1));
  if (strcmp (kind, "submit") == 0) {
    event.kind = LK_EVENT_SUBMIT;
    read_submit (line, &event.submit);
  } else if (strcmp (kind, "hold") == 0) {
    event.kind = LK_EVENT_HOLD;
    event.hold.job_id = id_word (line);
    event.hold.task_list = text_word (line, "tasks");
  } else if (strcmp (kind, "cancel") == 0) {
    event.kind = LK_EVENT_CANCEL;
    event.cancel.job_id = id_word (line);
  } else if (strcmp (kind, "ended") == 0) {
    event.kind = LK_EVENT_JOB_ENDED;
    event.job_ended.job_id = id_word (line);
  } else if (strcmp (kind, "down") == 0) {
    event.kind = LK_EVENT_NODE_DOWN;
    event.node_down.node = text_word (line, "node");
  } else if (strcmp (kind, "drain") == 0) {
    event.kind = LK_EVENT_NODE_DRAIN;
    event.node_drain.node = text_word (line, "node");
  } else if (strcmp (kind, "close") == 0) {
    event.kind = LK_EVENT_PARTITION;
    event.partition.name = text_word (line, "name");
    event.partition.state = 1;
  } else if (strcmp (kind, "qos-gone") == 0) {
    event.kind = LK_EVENT_QOS;
    event.qos.name = text_word (line, "name");
    event.qos.operation = 2; /* LK_ACCOUNTS_DELETE */
  } else {
    g_assert_true (strcmp (kind, "pass") == 0 || strcmp (kind, "timer") == 0);
    event.kind = kind[0] == 'p' ? LK_EVENT_PASS : LK_EVENT_TIMER;
  }
  return event;
}

static guint8
state_word (const char *line)
{
  const char *state = word (line, "state");
  for (guint8 i = 0; i < LK_JOB_STATE_LIMIT; i++)
    if (strcmp (lk_audit_state_text (i), state) == 0)
      return i;
  return LK_JOB_COMPLETED;
}

static guint8
reason_word (const char *line)
{
  const char *reason = word (line, "reason");
  for (guint i = 0; i < LK_REASON_LIMIT; i++)
    if (strcmp (lk_audit_reason_text (i), reason) == 0)
      return (guint8)i;
  return 0;
}

static gboolean
read_suspension (const char *line, LkDecision *out)
{
  if (g_str_has_prefix (line, "suspend")) {
    out->kind = LK_DECISION_SUSPEND_JOB;
    out->suspend_job.job_id = id_word (line);
    return TRUE;
  }
  if (!g_str_has_prefix (line, "resume"))
    return FALSE;
  out->kind = LK_DECISION_RESUME_JOB;
  out->resume_job.job_id = id_word (line);
  return TRUE;
}

static void
read_standing (const char *line, LkDecision *out)
{
  const char *planned = word (line, "planned");
  out->kind = LK_DECISION_STANDING;
  out->standing =
      (LkDecision_standing){ .job_id = id_word (line),
                             .key = number_word (line, "key"),
                             .planned_us = planned[0] == '\0'
                                               ? LK_TIME_NEVER
                                               : number_word (line, "planned") * G_USEC_PER_SEC,
                             .level = (guint32)number_word (line, "level"),
                             .reason = reason_word (line) };
}

static LkDecision
read_decision (const char *line)
{
  LkDecision decision = { .job = LK_JOB_NONE };
  if (g_str_has_prefix (line, "accept")) {
    decision.kind = LK_DECISION_ACCEPT;
    decision.accept.job_id = id_word (line);
  } else if (g_str_has_prefix (line, "start")) {
    decision.kind = LK_DECISION_START;
    decision.start = (LkDecision_start){ .job_id = id_word (line),
                                         .units = (guint32)number_word (line, "units"),
                                         .memory_bytes = number_word (line, "mib") * MIB,
                                         .nodes = long_word (line, "on"),
                                         .cores = long_word (line, "cores"),
                                         .gres = long_word (line, "gres") };
  } else if (g_str_has_prefix (line, "kill")) {
    decision.kind = LK_DECISION_KILL;
    decision.kill.job_id = id_word (line);
    decision.kill.why =
        *word (line, "why") == '\0' ? LK_KILL_TIME_LIMIT : (guint8)number_word (line, "why");
  } else if (g_str_has_prefix (line, "preempt")) {
    decision.kind = LK_DECISION_PREEMPT;
    decision.preempt = (LkDecision_preempt){ .job_id = id_word (line),
                                             .mode = (guint8)number_word (line, "mode"),
                                             .for_job_id = (guint32)number_word (line, "for") };
  } else if (g_str_has_prefix (line, "room")) {
    decision.kind = LK_DECISION_ROOM;
    decision.room = (LkDecision_room){ .job_id = id_word (line),
                                       .units = (guint32)number_word (line, "units"),
                                       .memory_bytes = number_word (line, "mib") * MIB,
                                       .nodes = long_word (line, "on"),
                                       .cores = long_word (line, "cores"),
                                       .gres = long_word (line, "gres") };
  } else if (read_suspension (line, &decision)) {
    return decision;
  } else if (g_str_has_prefix (line, "requeue")) {
    decision.kind = LK_DECISION_REQUEUE_JOB;
    decision.requeue_job.job_id = id_word (line);
  } else if (g_str_has_prefix (line, "reserved")) {
    decision.kind = LK_DECISION_RESERVATION;
    decision.reservation =
        (LkDecision_reservation){ .name = text_word (line, "name"),
                                  .nodes = long_word (line, "on"),
                                  .core_count = (guint32)number_word (line, "count"),
                                  .start_us = number_word (line, "from") * G_USEC_PER_SEC,
                                  .end_us = number_word (line, "to") * G_USEC_PER_SEC };
  } else if (g_str_has_prefix (line, "task")) {
    decision.kind = LK_DECISION_TASK;
    decision.task = (LkDecision_task){ .job_id = id_word (line),
                                       .array_job_id = (guint32)number_word (line, "array"),
                                       .task = (guint32)number_word (line, "task") };
  } else if (g_str_has_prefix (line, "standing")) {
    read_standing (line, &decision);
  } else if (g_str_has_prefix (line, "wake")) {
    decision.kind = LK_DECISION_WAKE;
    decision.wake.at_us = number_word (line, "at") * G_USEC_PER_SEC;
  } else {
    g_assert_true (g_str_has_prefix (line, "notice"));
    decision.kind = LK_DECISION_NOTICE;
    decision.notice.job_id = id_word (line);
    decision.notice.state = state_word (line);
    decision.notice.reason = reason_word (line);
  }
  return decision;
}

static void
append (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

static void
write_events (LkJournalWriter *writer, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint64 seq = 0;
  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0';) {
    LkEvent event = read_event (lines[i++]);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    guint32 count = 0;
    for (; lines[i] != NULL && lines[i][0] == '>'; i++, count++) {
      LkDecision decision = read_decision (lines[i] + 2);
      lk_decision_encode (&decision, bytes);
    }
    event.seq = ++seq;
    lk_journal_writer_event (writer, &event, &(LkDecided){ bytes->data, bytes->len, count });
  }
}

static gboolean
is_tier (const AuditCase *test)
{
  return g_str_has_prefix (test->lines, "tier\n");
}

static gboolean
is_turns (const AuditCase *test)
{
  return g_str_has_prefix (test->lines, "turns\n");
}

static const char *
preempt_of (const AuditCase *test)
{
  if (is_turns (test))
    return "partition_prio:mode=suspend,gang=1";
  return is_tier (test) ? "partition_prio:mode=cancel" : "qos:mode=cancel,within=0";
}

GByteArray *
audit_case_journal (const AuditCase *test)
{
  GByteArray *journal = g_byte_array_new ();
  LkJournalHeader header = { .format = LK_JOURNAL_FORMAT,
                             .units_total = test->is_pool ? 8 : 16,
                             .backfill = lk_text (test->backfill),
                             .preempt = lk_text (preempt_of (test)),
                             .tells_standing = strstr (test->lines, "standing") != NULL };
  if (!test->is_pool) {
    header.cluster = (LkLongText){ cluster, sizeof cluster - 1 };
    header.accounts = (LkLongText){ accounts, sizeof accounts - 1 };
  }
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, append, journal);
  const char *lines = test->lines;
  if (is_tier (test) || is_turns (test))
    lines = strchr (lines, '\n') + 1;
  write_events (writer, lines);
  lk_journal_writer_end (writer, 0, (LkDigestValue){ 0 });
  return journal;
}

static char *
findings_of (const LkAudit *audit)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < audit->findings->len; i++) {
    const LkAuditFinding *finding = &g_array_index (audit->findings, LkAuditFinding, i);
    g_string_append_printf (text, "[%s] job %u: %s; ", lk_audit_rule_name (finding->rule),
                            finding->job_id, finding->text);
  }
  return g_string_free (text, FALSE);
}

static gboolean
has_rule (const LkAudit *audit, const char *rule)
{
  for (guint i = 0; i < audit->findings->len; i++)
    if (strcmp (lk_audit_rule_name (g_array_index (audit->findings, LkAuditFinding, i).rule), rule)
        == 0)
      return TRUE;
  return FALSE;
}

/* A planted violation is found by its rule; where nothing is wrong nothing is found. */
void
audit_cases_check (const AuditCase *cases, guint count)
{
  for (guint i = 0; i < count; i++) {
    LkAudit audit;
    g_autofree char *error = NULL;
    g_autoptr (GByteArray) journal = audit_case_journal (&cases[i]);
    gboolean is_read = lk_audit_run (&audit, journal->data, journal->len, 100, &error);
    g_assert_cmpstr (error, ==, NULL);
    g_assert_true (is_read);
    g_autofree char *found = findings_of (&audit);
    g_test_message ("case %u (%s): %s", i, cases[i].rule != NULL ? cases[i].rule : "good", found);
    if (cases[i].rule == NULL)
      g_assert_cmpstr (found, ==, "");
    else
      g_assert_true (has_rule (&audit, cases[i].rule));
    lk_audit_clear (&audit);
  }
}
