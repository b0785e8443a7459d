/* tests/sim/audit_test.c — the checker of journals finds every violation that is planted, and finds
 * nothing where nothing is wrong.
 *
 * A case is a journal in words: a line is an event with its time in seconds, and lines that begin
 * with > are its decisions. With "tier" in front jobs are preempted by the tier of their partition,
 * else by their QOS; with "turns" by tier, and they are suspended. */
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
    "license matlab count=2\n";
static const char accounts[] =
    "accounts test tres=cpu,mem,node,gres/gpu enforce=associations,limits,qos\n"
    "qos normal limits=\"\" preempt_exempt_us=10000000\n"
    "qos high limits=\"\" preempt=normal,grace\n"
    "qos grace limits=\"\" grace_us=5000000 preempt_mode=requeue\n"
    "qos capped limits=\"GrpTRES:cpu=2,MaxJobsPerUser=1\"\n"
    "association root user=\"\" parent=\"\" default_qos=\"\" is_default=0 limits=\"\"\n"
    "association phys user=\"\" parent=root default_qos=\"\" is_default=0 "
    "limits=\"GrpJobs=2,GrpTRES:cpu=10\"\n"
    "association phys user=ann parent=\"\" default_qos=\"\" is_default=1 limits=\"MaxJobs=1\"\n"
    "association phys user=bob parent=\"\" default_qos=\"\" is_default=1 limits=\"\"\n"
    "association phys user=cid parent=\"\" default_qos=\"\" is_default=1 limits=\"\"\n"
    "association chem user=\"\" parent=root default_qos=capped is_default=0 limits=\"\"\n"
    "association chem user=dan parent=\"\" default_qos=\"\" is_default=1 limits=\"\"\n";

/* ---------------------------------------------------------------- from words to a journal */

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
    const char *planned = word (line, "planned");
    decision.kind = LK_DECISION_STANDING;
    decision.standing =
        (LkDecision_standing){ .job_id = id_word (line),
                               .key = number_word (line, "key"),
                               .planned_us = planned[0] == '\0'
                                                 ? LK_TIME_NEVER
                                                 : number_word (line, "planned") * G_USEC_PER_SEC,
                               .reason = reason_word (line) };
  } else {
    g_assert_true (g_str_has_prefix (line, "notice"));
    decision.kind = LK_DECISION_NOTICE;
    decision.notice.job_id = id_word (line);
    decision.notice.state = state_word (line);
    decision.notice.reason = reason_word (line);
  }
  return decision;
}

typedef struct {
  const char *rule; /* NULL: nothing is wrong */
  const char *backfill;
  gboolean is_pool;
  const char *lines;
} Case;

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
is_tier (const Case *test)
{
  return g_str_has_prefix (test->lines, "tier\n");
}

static gboolean
is_turns (const Case *test)
{
  return g_str_has_prefix (test->lines, "turns\n");
}

static const char *
preempt_of (const Case *test)
{
  if (is_turns (test))
    return "partition_prio:mode=suspend,gang=1";
  return is_tier (test) ? "partition_prio:mode=cancel" : "qos:mode=cancel,within=0";
}

static GByteArray *
journal_of (const Case *test)
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

/* ---------------------------------------------------------------- cases */

#define SUBMIT_1 "0 submit id=1 limit=100\n> accept id=1\n"
#define SUBMIT_2 "0 submit id=2 limit=100\n> accept id=2\n"
#define END_1 "50 ended id=1\n> notice id=1 state=COMPLETED\n"
#define END_2 "60 ended id=2\n> notice id=2 state=COMPLETED\n"
/* Job 1 has all of node n1, and job 2 comes, which may displace it. */
#define FULL_1                                                                                     \
  "0 submit id=1 limit=100 user=bob\n> accept id=1\n0 pass\n"                                      \
  "> start id=1 units=4 on=n1 cores=n1=0-3\n"
#define HIGH_2 "20 submit id=2 procs=4 limit=30 user=cid qos=high\n> accept id=2\n"
#define ROOM_2 "> room id=2 units=4 on=n1 cores=n1=0-3\n"
#define PREEMPT_1 "> preempt id=1 mode=1 for=2\n"
#define KILL_1 "> kill id=1 why=5\n"
#define OVER_2 "20 submit id=2 procs=2 limit=30 user=cid partition=small\n> accept id=2\n"
#define ON_2 "> start id=2 units=2 on=n1 cores=n1=2-3\n"
#define GOES_ON_1                                                                                  \
  "30 ended id=2\n> resume id=1\n> notice id=2 state=COMPLETED\n"                                  \
  "50 ended id=1\n> notice id=1 state=COMPLETED\n"
#define GONE_1 "21 ended id=1\n> notice id=1 state=PREEMPTED\n"
#define FULL_2 "> start id=2 units=4 on=n1 cores=n1=0-3\n"
#define START_1 "> start id=1 units=1 on=n1 cores=n1=0\n"
#define START_2 "> start id=2 units=1 on=n1 cores=n1=1\n"

static const Case cases[] = {
  { NULL, "easy", FALSE, SUBMIT_1 SUBMIT_2 "0 pass\n" START_1 START_2 END_1 END_2 },
  { "job", "easy", FALSE, SUBMIT_1 "0 pass\n" START_1 START_2 END_1 },
  { "job", "easy", FALSE, SUBMIT_1 "0 pass\n" START_1 "1 pass\n" START_1 END_1 },
  { "job", "easy", FALSE, SUBMIT_1 "0 pass\n> kill id=1\n" START_1 END_1 },
  { "pass", "easy", FALSE, SUBMIT_1 "1 timer\n" START_1 END_1 },
  { "held", "easy", FALSE, SUBMIT_1 "1 hold id=1\n> accept id=1\n2 pass\n" START_1 END_1 },
  { "held", "easy", FALSE,
    "0 submit id=1 limit=9 flags=8192\n> accept id=1\n1 pass\n" START_1 END_1 },
  { "begin", "easy", FALSE,
    "0 submit id=1 limit=9 begin=9\n> accept id=1\n8 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE, "0 submit id=1 limit=9 begin=9\n> accept id=1\n9 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 down node=n1\n> accept id=0\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 drain node=n1\n> accept id=0\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 close name=batch\n> accept id=0\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE,
    "0 submit id=1 limit=9 partition=small\n> accept id=1\n"
    "0 pass\n> start id=1 units=1 on=n2 cores=n2=0\n" END_1 },
  { "node", "easy", FALSE, "0 submit id=1 limit=9 list=n2\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE,
    "0 submit id=1 limit=9 exclude=n[1-2]\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, "0 submit id=1 limit=9 nodes=2\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 pass\n> start id=1 units=1 on=n9 cores=n9=0\n" END_1 },
  { "core", "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n" START_1 "> start id=2 units=1 on=n1 cores=n1=0\n" END_1 END_2 },
  { "core", "easy", FALSE, SUBMIT_1 "0 pass\n> start id=1 units=1 on=n1 cores=n1=4\n" END_1 },
  { "gpu", "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=1 on=n1 cores=n1=0 gres=n1=gpu:0-1\n"
                      "> start id=2 units=1 on=n1 cores=n1=1 gres=n1=gpu:1\n" END_1 END_2 },
  { "gpu", "easy", FALSE,
    SUBMIT_1 "0 pass\n> start id=1 units=1 on=n1 cores=n1=0 gres=n1=gpu:2\n" END_1 },
  { "memory", "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=1 mib=3000 on=n1 cores=n1=0\n"
                      "> start id=2 units=1 mib=1097 on=n1 cores=n1=1\n" END_1 END_2 },
  { NULL, "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=1 mib=3000 on=n1 cores=n1=0\n"
                      "> start id=2 units=1 mib=1096 on=n1 cores=n1=1\n" END_1 END_2 },
  { "units", "easy", FALSE,
    "0 submit id=1 procs=2 limit=9\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "units", "easy", TRUE,
    "0 submit id=1 procs=5 limit=9\n> accept id=1\n0 submit id=2 procs=4 limit=9\n> accept id=2\n"
    "0 pass\n> start id=1 units=5\n> start id=2 units=4\n" END_1 END_2 },
  { "license", "easy", FALSE,
    "0 submit id=1 limit=9 licenses=matlab:2\n> accept id=1\n"
    "0 submit id=2 limit=9 licenses=matlab\n> accept id=2\n0 pass\n" START_1 START_2 END_1 END_2 },
  { "exclusive", "easy", FALSE,
    "0 submit id=1 limit=9 flags=1\n> accept id=1\n" SUBMIT_2
    "0 pass\n" START_1 START_2 END_1 END_2 },
  { "time-limit", "easy", FALSE,
    SUBMIT_1 "0 pass\n" START_1 "99 timer\n> kill id=1\n99 ended id=1\n"
             "> notice id=1 state=TIMEOUT\n" },
  { NULL, "easy", FALSE,
    SUBMIT_1 "0 pass\n" START_1 "100 timer\n> kill id=1\n100 ended id=1\n"
             "> notice id=1 state=TIMEOUT\n" },
  /* MaxJobs of ann, GrpJobs and GrpTRES of phys, GrpTRES and MaxJobsPerUser of the QOS. */
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=ann account=phys\n> accept id=1\n"
    "0 submit id=2 limit=9 user=ann account=phys\n> accept id=2\n0 pass\n" START_1 START_2 END_1
        END_2 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=ann\n> accept id=1\n0 submit id=2 limit=9 user=bob\n> accept id=2\n"
    "0 submit id=3 limit=9 user=cid\n> accept id=3\n0 pass\n" START_1 START_2
    "> start id=3 units=1 on=n2 cores=n2=0\n5 ended id=3\n> notice id=3 state=FAILED\n" END_1
        END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 user=ann\n> accept id=1\n0 submit id=2 limit=9 user=bob\n> accept id=2\n"
    "0 submit id=3 limit=9 user=dan\n> accept id=3\n0 pass\n" START_1 START_2
    "> start id=3 units=1 on=n2 cores=n2=0\n5 ended id=3\n> notice id=3 state=FAILED\n" END_1
        END_2 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=ann\n> accept id=1\n"
    "0 pass\n> start id=1 units=11 on=n[1-3] cores=n[1-3]=0-3\n" END_1 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=dan\n> accept id=1\n"
    "0 pass\n> start id=1 units=3 on=n1 cores=n1=0-2\n" END_1 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=bob partition=small\n> accept id=1\n"
    "0 submit id=2 limit=9 user=bob partition=small\n> accept id=2\n0 pass\n" START_1 START_2 END_1
        END_2 },
  { "dependency", "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=afterok:1\n> accept id=2\n0 pass\n" START_1 START_2
        END_1 END_2 },
  { "dependency", "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=afterok:1\n> accept id=2\n0 pass\n" START_1
             "50 ended id=1\n> notice id=1 state=FAILED\n50 pass\n" START_2 END_2 },
  { NULL, "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=afternotok:1\n> accept id=2\n0 pass\n" START_1
             "50 ended id=1\n> notice id=1 state=FAILED\n50 pass\n" START_2 END_2 },
  { NULL, "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=after:1\n> accept id=2\n0 pass\n" START_1 START_2
        END_1 END_2 },
  { "dependency", "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=after:1+1\n> accept id=2\n0 pass\n" START_1
             "49 pass\n" START_2 END_1 END_2 },
  { "dependency", "easy", FALSE,
    "0 submit id=1 limit=9 name=x dependency=singleton\n> accept id=1\n"
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n0 pass\n" START_1 START_2
        END_1 END_2 },
  /* Whose turn has come under its name may be passed by a later job: it has come for good. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 name=x dependency=singleton\n> accept id=1\n"
    "0 submit id=2 limit=9 name=x\n> accept id=2\n0 pass\n" START_2
    "1 pass\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=99 name=x\n> accept id=1\n0 pass\n" START_1
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n" END_1
    "55 submit id=3 limit=9 name=x\n> accept id=3\n55 pass\n"
    "> start id=3 units=1 on=n1 cores=n1=2\n58 pass\n" START_2 END_2
    "90 ended id=3\n> notice id=3 state=COMPLETED\n" },
  { "dependency", "easy", FALSE,
    "0 submit id=1 limit=99 name=x\n> accept id=1\n0 pass\n" START_1
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n"
    "20 submit id=3 limit=99 name=x\n> accept id=3\n20 pass\n"
    "> start id=3 units=1 on=n1 cores=n1=2\n" END_1 "58 pass\n" START_2
    "90 ended id=3\n> notice id=3 state=COMPLETED\n" END_2 },
  /* An id that nobody had is waited for by nobody, whoever gets it: a job, or a task. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 dependency=afterany:2\n> accept id=1\n" SUBMIT_2 "0 pass\n" START_2
    "1 pass\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1 dependency=afterany:2\n> accept id=1\n0 pass\n"
    "> task id=2 array=1 task=0\n" START_2 "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1 dependency=afterany:2\n> accept id=1\n"
    "> task id=2 array=1 task=0\n0 pass\n" START_2
    "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { "array", "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1%1\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=0\n" START_2 "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1%2\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=0\n" START_2 "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { "array", "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=1\n" START_2 "> task id=1 array=1 task=0\n" START_1 END_1 END_2 },
  { "array", "easy", FALSE,
    "0 submit id=1 limit=100 array=1-3:2\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=1\n" START_2 "> task id=1 array=1 task=2\n" START_1 END_1 END_2 },
  { "held", "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1\n> accept id=1\n0 hold id=1 tasks=1\n> accept id=1\n"
    "> task id=2 array=1 task=1\n0 pass\n" START_2
    "> task id=1 array=1 task=0\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1\n> accept id=1\n0 hold id=1 tasks=0\n> accept id=1\n"
    "> task id=2 array=1 task=0\n0 pass\n> task id=1 array=1 task=1\n" START_1 END_1
    "90 ended id=2\n> notice id=2 state=CANCELLED\n" },
  { "het", "easy", FALSE,
    "0 submit id=1 limit=9 het=1\n> accept id=1\n0 submit id=2 limit=9 het=1\n> accept id=2\n"
    "0 pass\n" START_1 "1 pass\n" START_2 END_1 END_2 },
  { "reservation", "easy", FALSE,
    "0 timer\n> reserved name=r on=n[1-2] count=8 from=50 to=90\n" SUBMIT_1
    "0 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    "0 timer\n> reserved name=r on=n[2-3] count=8 from=50 to=90\n" SUBMIT_1
    "0 pass\n" START_1 END_1 },
  /* Of a node with no cores set aside only GPUs are. */
  { NULL, "easy", FALSE,
    "0 timer\n> reserved name=r on=n[1-2] from=50 to=90\n" SUBMIT_1 "0 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    "0 timer\n> reserved name=r on=n1 count=4 from=100 to=190\n" SUBMIT_1
    "0 pass\n" START_1 END_1 },
  { "preempt", "easy", FALSE, SUBMIT_1 "0 pass\n> preempt id=1\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  /* Its QOS names nobody; the victim has not run for its time; it is to be killed, not requeued; it
   * goes on; it goes twice. */
  { "preempt", "easy", FALSE,
    FULL_1 "20 submit id=2 procs=4 limit=30 user=cid\n> accept id=2\n"
           "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    "11 submit id=1 limit=100 user=bob\n> accept id=1\n11 pass\n"
    "> start id=1 units=4 on=n1 cores=n1=0-3\n" HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1
    "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 "> preempt id=1 mode=2 for=2\n" KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  /* With notice: not before, and not later. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 user=bob qos=grace\n> accept id=1\n0 pass\n"
    "> start id=1 units=4 on=n1 cores=n1=0-3\n" HIGH_2 "20 pass\n" ROOM_2
    "> preempt id=1 mode=2 for=2\n24 pass\n25 timer\n> requeue id=1\n"
    "> notice id=1 state=PREEMPTED\n25 pass\n" FULL_2 END_2
    "70 pass\n> start id=1 units=4 on=n1 cores=n1=0-3\n80 ended id=1\n"
    "> notice id=1 state=COMPLETED\n" },
  { "preempt", "easy", FALSE,
    "0 submit id=1 limit=100 user=bob qos=grace\n> accept id=1\n0 pass\n"
    "> start id=1 units=4 on=n1 cores=n1=0-3\n" HIGH_2 "20 pass\n" ROOM_2
    "> preempt id=1 mode=2 for=2\n25 pass\n26 timer\n> requeue id=1\n"
    "> notice id=1 state=PREEMPTED\n26 pass\n" FULL_2 END_2
    "70 pass\n> start id=1 units=4 on=n1 cores=n1=0-3\n80 ended id=1\n"
    "> notice id=1 state=COMPLETED\n" },
  { NULL, "easy", FALSE,
    "tier\n" FULL_1 "20 submit id=2 procs=4 limit=30 user=cid partition=small\n> accept id=2\n"
    "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 END_2 },
  { "preempt", "easy", FALSE,
    "tier\n" FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 END_2 },
  /* Job 2 of a higher tier suspends job 1, which is resumed when it has ended. */
  { NULL, "easy", FALSE, "turns\n" FULL_1 OVER_2 "20 pass\n> suspend id=1\n" ON_2 GOES_ON_1 },
  /* Both run; it stays suspended, is suspended for nobody, for one below; who has its cores is none
   * above. */
  { "turn", "easy", FALSE,
    "turns\n" FULL_1 OVER_2 "20 pass\n" ON_2
    "30 ended id=2\n> notice id=2 state=COMPLETED\n" END_1 },
  { "turn", "easy", FALSE,
    "turns\n" FULL_1 OVER_2 "20 pass\n> suspend id=1\n" ON_2
    "30 ended id=2\n> notice id=2 state=COMPLETED\n" END_1 },
  { "turn", "easy", FALSE, "turns\n" FULL_1 "20 pass\n> suspend id=1\n" END_1 },
  { "turn", "easy", FALSE, "turns\n" FULL_1 HIGH_2 "20 pass\n> suspend id=1\n" ON_2 GOES_ON_1 },
  { "turn", "easy", FALSE,
    "turns\n" FULL_1 OVER_2 "20 pass\n> suspend id=1\n" ON_2
    "21 submit id=3 limit=90 user=cid\n> accept id=3\n"
    "21 pass\n> start id=3 units=1 on=n1 cores=n1=3\n"
    "22 ended id=3\n> notice id=3 state=COMPLETED\n" GOES_ON_1 },
  /* No place is told; it is not free, of too few cores, not there, on a node that is down; the
   * victim has nothing of it; it is told twice. */
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 "0 submit id=3 limit=90 user=cid\n> accept id=3\n"
           "0 pass\n> start id=3 units=1 on=n2 cores=n2=3\n"
           "20 submit id=4 procs=8 limit=30 user=cid qos=high\n> accept id=4\n"
           "20 pass\n> room id=4 units=8 on=n[1-2] cores=n[1-2]=0-3\n"
           "> preempt id=1 mode=1 for=4\n" KILL_1 GONE_1
           "22 ended id=3\n> notice id=3 state=COMPLETED\n"
           "22 pass\n> start id=4 units=8 on=n[1-2] cores=n[1-2]=0-3\n"
           "30 ended id=4\n> notice id=4 state=COMPLETED\n" },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n> room id=2 units=3 on=n1 cores=n1=0-2\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n> room id=2 units=5 on=n1 cores=n1=0-4\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2
    "20 drain node=n2\n> accept id=0\n"
    "20 pass\n> room id=2 units=5 on=n[1-2] cores=n[1-2]=0-1\n" PREEMPT_1 KILL_1 GONE_1
    "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n> room id=2 units=4 on=n2 cores=n2=0-3\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 submit id=3 procs=4 limit=30 user=dan qos=high\n> accept id=3\n"
                  "20 pass\n" ROOM_2
                  "> room id=3 units=4 on=n1 cores=n1=0-3\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 "60 pass\n> start id=3 units=4 on=n1 cores=n1=0-3\n"
                  "70 ended id=3\n> notice id=3 state=COMPLETED\n" },
  /* Units of a pool: too few; more than it needs. */
  { NULL, "easy", TRUE,
    "0 submit id=1 procs=6 limit=90\n> accept id=1\n0 pass\n> start id=1 units=6\n"
    "20 submit id=2 procs=4 limit=30\n> accept id=2\n20 pass\n> room id=2 units=4\n" PREEMPT_1
        KILL_1 GONE_1 "21 pass\n> start id=2 units=4\n" END_2 },
  { "room", "easy", TRUE,
    "0 submit id=1 procs=2 limit=90\n> accept id=1\n0 submit id=3 procs=6 limit=90\n"
    "> accept id=3\n0 pass\n> start id=1 units=2\n> start id=3 units=6\n"
    "20 submit id=2 procs=4 limit=30\n> accept id=2\n20 pass\n> room id=2 units=4\n" PREEMPT_1
        KILL_1 GONE_1 "22 ended id=3\n> notice id=3 state=COMPLETED\n"
    "22 pass\n> start id=2 units=4\n" END_2 },
  { "room", "easy", TRUE,
    "0 submit id=1 procs=2 limit=90\n> accept id=1\n0 submit id=3 procs=6 limit=90\n"
    "> accept id=3\n0 pass\n> start id=1 units=2\n> start id=3 units=6\n"
    "20 submit id=2 procs=4 limit=30\n> accept id=2\n20 pass\n> room id=2 units=4\n" PREEMPT_1
        KILL_1 "> preempt id=3 mode=1 for=2\n> kill id=3 why=5\n" GONE_1
    "22 ended id=3\n> notice id=3 state=PREEMPTED\n"
    "22 pass\n> start id=2 units=4\n" END_2 },
  /* It is the first of the queue, has its room, and is left to wait; unless somebody is before it,
   * or the node has gone. */
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1
                  "> standing id=2 key=1 reason=Resources\n" GONE_1
                  "21 pass\n22 pass\n" FULL_2 END_2 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1
                  "> standing id=2 key=1 reason=Resources\n" GONE_1 "21 pass\n" FULL_2 END_2 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2
    "20 submit id=3 procs=16 nodes=4 limit=30 user=dan\n> accept id=3\n"
    "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 "> standing id=2 key=2 reason=Resources\n"
    "> standing id=3 key=1 reason=Resources\n" GONE_1
    "21 pass\n22 cancel id=3\n> notice id=3 state=CANCELLED\n22 pass\n" FULL_2 END_2 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1
                  "> standing id=2 key=1 reason=Resources\n" GONE_1
                  "21 drain node=n1\n> accept id=0\n21 pass\n"
                  "22 pass\n> start id=2 units=4 on=n2 cores=n2=0-3\n" END_2 },
  { "final", "easy", FALSE,
    SUBMIT_1 "0 pass\n" START_1 END_1 "51 ended id=1\n> notice id=1 state=FAILED\n" },
  { "final", "easy", FALSE, SUBMIT_1 "0 pass\n" START_1 },
  /* Job 2 was to start at 100, when job 1 ends; job 3 was started beside and holds it up. */
  { "promise", "conservative", TRUE,
    "0 submit id=1 procs=6 limit=100\n> accept id=1\n0 pass\n> start id=1 units=6\n"
    "0 submit id=2 procs=8 limit=9\n> accept id=2\n"
    "0 pass\n> standing id=2 key=1 planned=100 reason=Resources\n"
    "1 submit id=3 procs=2 limit=200\n> accept id=3\n"
    "1 pass\n> standing id=3 key=2 planned=109 reason=Priority\n"
    "2 pass\n> start id=3 units=2\n"
    "100 ended id=1\n> notice id=1 state=COMPLETED\n"
    "100 pass\n> standing id=2 key=1 planned=201 reason=Resources\n"
    "101 pass\n202 ended id=3\n> notice id=3 state=COMPLETED\n"
    "202 pass\n> start id=2 units=8\n"
    "203 ended id=2\n> notice id=2 state=COMPLETED\n" },
  /* The same, but job 3 goes before job 2. */
  { NULL, "conservative", TRUE,
    "0 submit id=1 procs=6 limit=100\n> accept id=1\n0 pass\n> start id=1 units=6\n"
    "0 submit id=2 procs=8 limit=9\n> accept id=2\n"
    "0 pass\n> standing id=2 key=1 planned=100 reason=Resources\n"
    "1 submit id=3 procs=2 limit=200\n> accept id=3\n"
    "1 pass\n> standing id=3 key=0 planned=1\n> start id=3 units=2\n"
    "100 ended id=1\n> notice id=1 state=COMPLETED\n"
    "100 pass\n> standing id=2 key=1 planned=201 reason=Resources\n"
    "101 pass\n202 ended id=3\n> notice id=3 state=COMPLETED\n"
    "202 pass\n> start id=2 units=8\n"
    "203 ended id=2\n> notice id=2 state=COMPLETED\n" },
  { "order", "easy", TRUE,
    "0 submit id=1 procs=6 limit=9\n> accept id=1\n0 submit id=2 procs=2 limit=9\n> accept id=2\n"
    "0 pass\n> standing id=2 key=2\n> start id=2 units=2\n> standing id=1 key=1 reason=Resources\n"
    "9 pass\n> start id=1 units=6\n" END_1 END_2 },
  { "order", "none", TRUE,
    "0 submit id=1 procs=8 limit=9\n> accept id=1\n0 pass\n> start id=1 units=8\n"
    "0 submit id=2 procs=8 limit=9\n> accept id=2\n0 submit id=3 procs=2 limit=9\n> accept id=3\n"
    "0 pass\n> standing id=2 key=1 reason=Resources\n> standing id=3 key=2 reason=Priority\n"
    "5 ended id=1\n> notice id=1 state=COMPLETED\n"
    "5 pass\n> standing id=3 key=2\n> start id=3 units=2\n"
    "6 ended id=3\n> notice id=3 state=COMPLETED\n6 pass\n> start id=2 units=8\n" END_2 },
  { "reason", "easy", TRUE,
    SUBMIT_1 "0 pass\n> standing id=1 key=1 reason=None\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=JobHeldUser\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=BeginTime\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=Dependency\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=Licenses\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    "0 submit id=1 procs=8 limit=9\n> accept id=1\n0 pass\n> start id=1 units=8\n"
    "1 submit id=2 limit=9\n> accept id=2\n1 pass\n> standing id=2 key=1 reason=Priority\n"
    "9 ended id=1\n> notice id=1 state=COMPLETED\n9 pass\n> start id=2 units=1\n" END_2 },
};

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

/* A planted violation is found by its rule. */
static void
test_planted (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkAudit audit;
    g_autofree char *error = NULL;
    g_autoptr (GByteArray) journal = journal_of (&cases[i]);
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

/* Every rule has a case. */
static void
test_each_rule_has_a_case (void)
{
  for (guint rule = 0; rule < LK_AUDIT_RULE_COUNT; rule++) {
    gboolean has = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      has |= g_strcmp0 (cases[i].rule, lk_audit_rule_name (rule)) == 0;
    g_test_message ("%s", lk_audit_rule_name (rule));
    g_assert_true (has);
  }
}

/* Any cut or changed byte is an error or a finding, never a crash. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) journal = journal_of (&cases[0]);
  for (guint i = 0; i < journal->len; i++) {
    LkAudit audit;
    g_autofree char *error = NULL;
    g_autofree guint8 *copy = g_memdup2 (journal->data, journal->len);
    copy[i] ^= 0x15;
    g_assert_false (lk_audit_run (&audit, copy, journal->len, 10, &error));
    g_assert_nonnull (error);
    lk_audit_clear (&audit);
  }
  for (guint length = 0; length < journal->len; length++) {
    LkAudit audit;
    g_autofree char *error = NULL;
    lk_audit_run (&audit, journal->data, length, 10, &error);
    lk_audit_clear (&audit);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/audit/planted", test_planted);
  g_test_add_func ("/audit/each-rule-has-a-case", test_each_rule_has_a_case);
  g_test_add_func ("/audit/damaged", test_damaged);
  return g_test_run ();
}
