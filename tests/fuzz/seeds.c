/* tests/fuzz/seeds.c — the seeds of codec_fuzz, journal_fuzz and snapshot_fuzz, made from the code;
 * those of the live system are in seeds_live.c.
 *
 * fuzz_seeds --write FOLDER   writes them into FOLDER/codec, FOLDER/journal, FOLDER/snapshot ...
 * fuzz_seeds --check FOLDER   fails when they are not what it would write
 *
 * A seed of an older format is refused at its first bytes and teaches a fuzzer nothing; the check,
 * a ctest, tells when they must be written anew.  Other files in the folders are left alone. */
#include <stdio.h>
#include <string.h>

#include "engine/journal.h"
#include "tests/fuzz/engine_feed.h"
#include "tests/fuzz/seeds.h"

void
put_seed (Seeds *self, const char *kind, const char *name, const GByteArray *bytes)
{
  g_autofree char *path = g_build_filename (self->folder, kind, name, NULL);
  g_autofree char *contents = NULL;
  gsize length_bytes = 0;
  if (self->writes) {
    if (!g_file_set_contents (path, (const char *)bytes->data, (gssize)bytes->len, NULL))
      self->wrong_count++;
    return;
  }
  if (!g_file_get_contents (path, &contents, &length_bytes, NULL) || length_bytes != bytes->len
      || memcmp (contents, bytes->data, length_bytes) != 0) {
    fprintf (stderr, "%s is not what fuzz_seeds --write %s makes\n", path, self->folder);
    self->wrong_count++;
  }
}

/* ---------------------------------------------------------------- single values */

/* Every field gets the next number, or a text. */
static guint32
next_number (void)
{
  static guint32 number = 0;
  return ++number;
}

static LkText
some_text (void)
{
  static const char *const texts[] = { "n[1-2]", "", "gpu:a100:1", "Gr\xc3\xbc\xc3\x9f\x65 \"x\"" };
  return lk_text (texts[next_number () % G_N_ELEMENTS (texts)]);
}

static LkLongText
some_long_text (void)
{
  LkText text = some_text ();
  return (LkLongText){ text.bytes, text.length_bytes };
}

#define SOME_u8 (guint8) next_number ()
#define SOME_u16 (guint16) next_number ()
#define SOME_u32 next_number ()
#define SOME_u64 next_number ()
#define SOME_i64 (-(gint64)next_number ())
#define SOME_text some_text ()
#define SOME_long_text some_long_text ()
#define SOME_FIELD(type, name, help) fields->name = SOME_##type;

#define DEFINE_SOME_GROUP(group, head, lower, FIELDS)                                              \
  static guint32 some_##group##_of_##lower (LkEvent_##lower *fields)                               \
  {                                                                                                \
    FIELDS (SOME_FIELD)                                                                            \
    return fields->head;                                                                           \
  }
DEFINE_SOME_GROUP (request, present, submit, LK_JOB_REQUEST_FIELDS)
DEFINE_SOME_GROUP (request, present, update, LK_JOB_REQUEST_FIELDS)
DEFINE_SOME_GROUP (terms, term_flags, submit, LK_JOB_TERMS_FIELDS)
DEFINE_SOME_GROUP (terms, term_flags, update, LK_JOB_TERMS_FIELDS)
#define SOME_GROUP(group)                                                                          \
  _Generic((fields), LkEvent_submit *                                                              \
           : some_##group##_of_submit, LkEvent_update *                                            \
           : some_##group##_of_update)
#define SOME_request SOME_GROUP (request) (fields)
#define SOME_terms SOME_GROUP (terms) (fields)

static LkEvent
some_event (LkEventKind kind)
{
  LkEvent event = { .kind = kind, .time_us = SOME_i64 };
  switch (kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    LkEvent_##lower *fields = &event.lower;                                                        \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (SOME_FIELD) break;                                                   \
  }
    LK_EVENT_KINDS (X)
#undef X
  default:
    LK_UNREACHABLE ("all kinds are in the schema");
  }
  return event;
}

static LkDecision
some_decision (LkDecisionKind kind)
{
  LkDecision decision = { .kind = kind };
  switch (kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    LkDecision_##lower *fields = &decision.lower;                                                  \
    LK_DECISION_##NAME##_FIELDS (SOME_FIELD) break;                                                \
  }
    LK_DECISION_KINDS (X)
#undef X
  default:
    LK_UNREACHABLE ("all kinds are in the schema");
  }
  return decision;
}

static void
put_codec (Seeds *self)
{
  LkJournalHeader header;
  LkJournalHeader *fields = &header;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  for (guint kind = 1; kind < LK_EVENT_KIND_LIMIT; kind++) {
    g_autofree char *name = g_strdup_printf ("event_%s", lk_event_kind_name (kind));
    LkEvent event = some_event ((LkEventKind)kind);
    g_byte_array_set_size (bytes, 0);
    lk_event_encode (&event, bytes);
    put_seed (self, "codec", name, bytes);
  }
  for (guint kind = 1; kind < LK_DECISION_KIND_LIMIT; kind++) {
    g_autofree char *name = g_strdup_printf ("decision_%s", lk_decision_kind_name (kind));
    LkDecision decision = some_decision ((LkDecisionKind)kind);
    g_byte_array_set_size (bytes, 0);
    lk_decision_encode (&decision, bytes);
    put_seed (self, "codec", name, bytes);
  }
  LK_JOURNAL_HEADER_FIELDS (SOME_FIELD)
  g_byte_array_set_size (bytes, 0);
  lk_journal_header_encode (&header, bytes);
  put_seed (self, "codec", "header", bytes);
}

/* ---------------------------------------------------------------- a scene */

/* What jobs ask for, by number. */
static LkJobRequest
request_of (guint number)
{
  switch (number) {
  case 1:
    return (LkJobRequest){ .tasks = 2, .gres = lk_text ("gpu:1") };
  case 2:
    return (LkJobRequest){ .tasks = 1, .gres = lk_text ("shard:2,nic:1") };
  case 3:
    return (LkJobRequest){ .tasks = 2, .partition = lk_text ("shared") };
  case 4:
    return (LkJobRequest){ .nodes_min = 2, .partition = lk_text ("alone") };
  case 5:
    return (
        LkJobRequest){ .nodes_min = 2, .flags = LK_REQUEST_NO_KILL, .licenses = lk_text ("lic:2") };
  case 6:
    return (LkJobRequest){ .tasks = 1,
                           .partition = lk_text ("own"),
                           .present = LK_REQUEST_HAS_MEMORY_PER_NODE,
                           .memory_per_node_bytes = 100 };
  case 7:
    return (LkJobRequest){ .nodes_min = 2, .constraint = lk_text ("[a|b]"), .switches = 1 };
  case 8:
    return (LkJobRequest){ .tasks = 1, .gpus = lk_text ("3"), .licenses = lk_text ("lic:2") };
  default:
    return (LkJobRequest){ 0 };
  }
}

typedef struct {
  gint64 time_s;
  LkEventKind kind;
  guint32 job_id;
  guint32 procs;
  gint64 estimate_s;
  guint request;
} Step;

static const Step scene[] = {
  { 0, LK_EVENT_SUBMIT, 1, 4, 10, 0 },    { 0, LK_EVENT_SUBMIT, 2, 4, 20, 1 },
  { 0, LK_EVENT_SUBMIT, 3, 2, 30, 2 },    { 0, LK_EVENT_PASS, 0, 0, 0, 0 },
  { 1, LK_EVENT_SUBMIT, 4, 4, 10, 3 },    { 1, LK_EVENT_SUBMIT, 5, 12, 5, 4 },
  { 1, LK_EVENT_SUBMIT, 6, 2, 40, 5 },    { 1, LK_EVENT_SUBMIT, 7, 1, 3, 6 },
  { 1, LK_EVENT_PASS, 0, 0, 0, 0 },       { 2, LK_EVENT_NODE_DRAIN, 0, 0, 0, 0 },
  { 2, LK_EVENT_SUBMIT, 8, 3, 9, 7 },     { 2, LK_EVENT_SUBMIT, 9, 2, 8, 8 },
  { 2, LK_EVENT_SUBMIT, 10, 12, 50, 0 },  { 2, LK_EVENT_PASS, 0, 0, 0, 0 },
  { 3, LK_EVENT_JOB_ENDED, 3, 0, 0, 0 },  { 3, LK_EVENT_REQUEUE, 1, 0, 0, 0 },
  { 3, LK_EVENT_HOLD, 8, 0, 0, 0 },       { 3, LK_EVENT_PASS, 0, 0, 0, 0 },
  { 4, LK_EVENT_NODE_DOWN, 0, 0, 0, 0 },  { 4, LK_EVENT_SUBMIT, 11, 2, 6, 1 },
  { 4, LK_EVENT_SUBMIT, 12, 2, 7, 3 },    { 4, LK_EVENT_PASS, 0, 0, 0, 0 },
  { 6, LK_EVENT_TIMER, 0, 0, 0, 0 },      { 6, LK_EVENT_UPDATE, 10, 0, 30, 0 },
  { 6, LK_EVENT_CANCEL, 7, 0, 0, 0 },     { 6, LK_EVENT_PASS, 0, 0, 0, 0 },
  { 7, LK_EVENT_NODE_UP, 0, 0, 0, 0 },    { 7, LK_EVENT_SUBMIT, 13, 1, 9, 8 },
  { 7, LK_EVENT_SUBMIT, 14, 9, 9, 4 },    { 7, LK_EVENT_PASS, 0, 0, 0, 0 },
  { 9, LK_EVENT_RELEASE, 8, 0, 0, 0 },    { 9, LK_EVENT_NODE_RESUME, 0, 0, 0, 0 },
  { 10, LK_EVENT_TIMER, 0, 0, 0, 0 },     { 10, LK_EVENT_JOB_ENDED, 1, 0, 0, 0 },
  { 10, LK_EVENT_PASS, 0, 0, 0, 0 },      { 20, LK_EVENT_TIMER, 0, 0, 0, 0 },
  { 20, LK_EVENT_JOB_ENDED, 2, 0, 0, 0 }, { 20, LK_EVENT_PASS, 0, 0, 0, 0 },
};

/* Whose jobs they are, where there are accounts. */
static const char *const users[] = { "alice", "bob", "carol", "alice" };
static const char *const qos[] = { "", "", "high", "normal", "" };

static LkEvent
event_of (const Step *step)
{
  LkEvent event = { .kind = step->kind, .time_us = step->time_s * G_USEC_PER_SEC };
  LkJobRequest request = request_of (step->request);
  switch (step->kind) {
  case LK_EVENT_SUBMIT:
    event.submit.job_id = step->job_id;
    event.submit.user_id = step->job_id % 3;
    event.submit.procs = step->procs;
    event.submit.estimate_us = step->estimate_s * G_USEC_PER_SEC;
    request.user = lk_text (users[step->job_id % G_N_ELEMENTS (users)]);
    request.qos = lk_text (qos[step->job_id % G_N_ELEMENTS (qos)]);
    lk_submit_set_request (&event.submit, &request);
    break;
  case LK_EVENT_UPDATE:
    event.update.job_id = step->job_id;
    event.update.changes = 2;
    event.update.estimate_us = step->estimate_s * G_USEC_PER_SEC;
    break;
  case LK_EVENT_JOB_ENDED:
    event.job_ended.job_id = step->job_id;
    break;
  case LK_EVENT_REQUEUE:
    event.requeue.job_id = step->job_id;
    break;
  case LK_EVENT_HOLD:
    event.hold.job_id = step->job_id;
    break;
  case LK_EVENT_RELEASE:
    event.release.job_id = step->job_id;
    break;
  case LK_EVENT_CANCEL:
    event.cancel.job_id = step->job_id;
    break;
  case LK_EVENT_NODE_DRAIN:
    event.node_drain.node = lk_text ("m2");
    event.node_drain.reason = lk_text ("disk");
    break;
  case LK_EVENT_NODE_DOWN:
    event.node_down.node = lk_text ("n1");
    event.node_down.reason = lk_text ("power");
    break;
  case LK_EVENT_NODE_UP:
    event.node_up.node = lk_text ("n[1-2]");
    break;
  case LK_EVENT_NODE_RESUME:
    event.node_resume.node = lk_text ("m2");
    break;
  default:
    break;
  }
  return event;
}

/* ---------------------------------------------------------------- snapshots and journals */

static void
append_journal (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

static LkJournalHeader
header_of (const LkEngineConfig *config, const char *name, GString *cluster_text,
           GString *accounts_text)
{
  LkDigestValue digest = lk_engine_config_digest (config);
  if (config->select->choose != NULL)
    lk_cluster_text (config->cluster, cluster_text);
  if (config->accounts != NULL)
    lk_accounts_text (config->accounts, accounts_text);
  return (LkJournalHeader){ .format = LK_JOURNAL_FORMAT,
                            .engine_version = lk_text (LK_ENGINE_VERSION),
                            .units_total = config->units_total,
                            .cluster = { cluster_text->str, (guint32)cluster_text->len },
                            .order = lk_text (config->order->base.name),
                            .backfill = lk_text (config->backfill->base.name),
                            .select = lk_text (config->select->base.name),
                            .origin_us = config->origin_us,
                            .config_digest_low = digest.low,
                            .config_digest_high = digest.high,
                            .source = lk_text (name),
                            .accounts = { accounts_text->str, (guint32)accounts_text->len },
                            .limits =
                                lk_text (config->limits != NULL ? config->limits->base.name : "") };
}

/* The first byte says under which configuration. */
static void
put_snapshot (Seeds *self, const LkEngine *engine, guint choice, const char *name, guint count)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *file = g_strdup_printf ("%s_%u", name, count);
  guint8 first = (guint8)choice;
  LkStatus status;
  g_byte_array_append (bytes, &first, 1);
  lk_engine_save (engine, bytes);
  g_autoptr (LkEngine) loaded =
      lk_engine_load (feed_config (choice), bytes->data + 1, bytes->len - 1, &status);
  LK_ASSERT (loaded != NULL);
  put_seed (self, "snapshot", file, bytes);
}

static void
put_config (Seeds *self, guint choice, const char *name)
{
  const LkEngineConfig *config = feed_config (choice);
  LkPolicyError error;
  LkEngineCounts counts;
  g_autoptr (GByteArray) journal = g_byte_array_new ();
  g_autoptr (GString) cluster_text = g_string_new (NULL);
  g_autoptr (LkEngine) engine = lk_engine_new (config, &error);
  g_autoptr (GString) accounts_text = g_string_new (NULL);
  LkJournalHeader header = header_of (config, name, cluster_text, accounts_text);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, append_journal, journal);
  for (guint i = 0; i < G_N_ELEMENTS (scene); i++) {
    LkEvent event = event_of (&scene[i]);
    feed_event (engine, &event);
    LkDecided decided = lk_engine_decided (engine);
    lk_journal_writer_event (writer, &event, &decided);
    lk_engine_counts (engine, &counts);
    if (i % 8 == 7)
      lk_journal_writer_commit (writer, counts.decision_count, lk_engine_digest (engine));
    if (i + 1 == 14 || i + 1 == 30)
      put_snapshot (self, engine, choice, name, i + 1);
  }
  lk_journal_writer_end (writer, counts.decision_count, lk_engine_digest (engine));
  /* The last byte says under which configuration. */
  guint8 last = (guint8)choice;
  g_byte_array_append (journal, &last, 1);
  put_seed (self, "journal", name, journal);
}

/* All kinds of events and decisions; the end agrees with what is before it, or does not. */
static void
put_every_kind (Seeds *self, const char *name, gboolean agrees)
{
  g_autoptr (GByteArray) journal = g_byte_array_new ();
  LkJournalHeader header = { .format = LK_JOURNAL_FORMAT,
                             .engine_version = lk_text ("0"),
                             .units_total = 1 };
  LkDigestValue digest = { 1, 2 };
  guint64 seq = 0;
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, append_journal, journal);
  for (guint kind = 1; kind < LK_EVENT_KIND_LIMIT; kind++) {
    g_autoptr (GByteArray) decisions = g_byte_array_new ();
    seq++;
    LkEvent event = { .kind = (LkEventKind)kind, .seq = seq, .time_us = (gint64)seq };
    LkDecision decision = { .kind = (LkDecisionKind)(1 + kind % (LK_DECISION_KIND_LIMIT - 1)) };
    lk_decision_encode (&decision, decisions);
    LkDecided decided = { decisions->data, decisions->len, 1 };
    lk_journal_writer_event (writer, &event, &decided);
  }
  lk_journal_writer_commit (writer, seq, digest);
  digest.low += agrees ? 0 : 1;
  lk_journal_writer_end (writer, seq, digest);
  g_byte_array_append (journal, (const guint8 *)"", 1);
  put_seed (self, "journal", name, journal);
}

int
main (int argc, char **argv)
{
  static const char *const names[FEED_CONFIG_COUNT] = {
    "easy",          "sjbf",       "conservative",
    "replan",        "expr",       "unicef",
    "reservations",  "nodes_easy", "nodes_conservative",
    "nodes_replan",  "nodes_fgd",  "nodes_linear",
    "nodes_bestfit", "fair_easy",  "fair_conservative",
    "basic_replan",  "fair_nodes", "fair_nodes_conservative",
  };
  if (argc != 3 || (strcmp (argv[1], "--write") != 0 && strcmp (argv[1], "--check") != 0)) {
    fprintf (stderr, "fuzz_seeds --write|--check FOLDER\n");
    return 2;
  }
  Seeds self = { .folder = argv[2], .writes = strcmp (argv[1], "--write") == 0 };
  put_codec (&self);
  for (guint i = 0; i < FEED_CONFIG_COUNT; i++)
    put_config (&self, i, names[i]);
  put_every_kind (&self, "every_kind", /* agrees= */ TRUE);
  put_every_kind (&self, "end_disagrees", /* agrees= */ FALSE);
  put_live_seeds (&self);
  return self.wrong_count > 0;
}
