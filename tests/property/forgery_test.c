/* tests/property/forgery_test.c — journals of real runs, each changed so that one promise is
 * broken: the checker tells.
 *
 * The journals are those of the first jobs of a log under two backfills, and of storms under
 * several configurations (storm.h), all with how pending jobs stand.  Of each sort of forgery a few
 * are made of every journal that has what is forged; the checker has to find the broken rule.  The
 * untouched journals are found good.
 *
 * LK_FORGERY_PRINT=1 prints how many of each sort there were. */
#include <string.h>

#include "policies/registry.h"
#include "sim/audit.h"
#include "sim/driver.h"
#include "tests/engine/seed.h"
#include "tests/property/storm.h"
#include "tests/property/tape.h"
#include "traces/source.h"

#define LOG_JOBS 400
#define STORM_EVENTS 250u
#define SEEDS_MAX 12u
/* Of one sort in one journal, and in all of them. */
#define FORGERIES_MAX 3u
#define FORGERIES_ALL_MAX 12u

/* What the checker has to say: a rule of the set, of this job, at this event if it is not 0. */
typedef struct {
  guint64 rules; /* bits of LkAuditRule */
  guint32 job_id;
  guint64 seq;
} Expected;

#define RULE(NAME) (G_GUINT64_CONSTANT (1) << LK_AUDIT_##NAME)

/* ---------------------------------------------------------------- real journals */

static void
take_bytes (gpointer user, const guint8 *bytes, gsize length_bytes)
{
  g_byte_array_append (user, bytes, (guint)length_bytes);
}

static int
next_job (gpointer user, LkSimJob *out_job, GError **error)
{
  LkTraceJob job;
  int got = lk_trace_source_next (user, &job, error);
  if (got == 1)
    *out_job = (LkSimJob){ .number = job.number,
                           .submit_us = job.submit_us,
                           .run_us = job.run_us,
                           .estimate_us = job.estimate_us,
                           .procs = job.procs,
                           .user_id = job.user_id };
  return got;
}

static gboolean
job_ended (gpointer user, const LkSimResult *result, GError **error)
{
  (void)user;
  (void)result;
  (void)error;
  return TRUE;
}

static LkTraceSource *
open_log (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path =
      g_build_filename (LK_SOURCE_DIR, "traces", "data", "KTH-SP2-1996-2.1-cln.swf.gz", NULL);
  LkTraceOptions options;
  lk_trace_options_init (&options);
  options.jobs_last = LOG_JOBS;
  options.load_scale_ratio = 3;
  LkTraceSource *source = lk_trace_source_new (path, &options, &error);
  g_assert_no_error (error);
  return source;
}

static GByteArray *
log_journal (const char *backfill)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTraceSource) source = open_log ();
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  LkSetupOptions options = { .units_total = lk_trace_source_procs (source),
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = backfill,
                             .select = "pool",
                             .tells_standing = TRUE };
  LkSimClient client = { .next_job = next_job, .job_ended = job_ended, .user = source };
  LkJournalHeader header;
  LkSimTotals totals;
  GByteArray *bytes = g_byte_array_new ();
  LkSetup *setup = lk_setup_new (registry, &options, &error);
  g_assert_no_error (error);
  lk_setup_header (setup, "a log", &header);
  g_autoptr (LkJournalWriter) writer = lk_journal_writer_new (&header, 1, take_bytes, bytes);
  LkSimOptions sim = { .config = lk_setup_config (setup), .journal = writer };
  g_assert_true (lk_sim_run (&sim, &client, &totals, &error));
  lk_setup_free (setup);
  return bytes;
}

static guint32
draw (gpointer user, guint32 limit, gboolean *out_is_over)
{
  (void)out_is_over;
  return seed_below (user, limit);
}

static GByteArray *
storm_journal (guint site, guint64 number)
{
  Seed seed = { number * 1000 + site };
  GByteArray *bytes = g_byte_array_new ();
  LkStormOptions options = {
    .draw = draw, .user = &seed, .event_max = STORM_EVENTS, .journal = bytes
  };
  g_free (lk_storm_run (site, &options));
  return bytes;
}

/* ---------------------------------------------------------------- what a job's life was */

/* Of a job, as the tape tells it up to where the reader is. */
typedef struct {
  gboolean stands; /* it waits, and it has been told how */
  LkDecision_standing standing;
  gint64 first_planned_us;
  guint reason_step; /* the first in which it had this reason */
  guint start_step;  /* G_MAXUINT: not yet */
  guint32 units;
  gboolean is_told;    /* some standing of it has been told */
  gboolean depends;    /* it was submitted with a dependency */
  gboolean is_special; /* a task of an array, requeued or updated: left alone */
} Life;

typedef struct {
  const LkTape *tape;
  GHashTable *lives;                   /* looked up only */
  const LkDecision_reservation *aside; /* the last one told, which is active; NULL: none */
} Reading;

static Life *
life_of (const Reading *self, guint32 job_id)
{
  Life *life = g_hash_table_lookup (self->lives, GUINT_TO_POINTER (job_id));
  if (life == NULL) {
    life = g_new0 (Life, 1);
    life->start_step = G_MAXUINT;
    life->first_planned_us = LK_TIME_NEVER;
    g_hash_table_insert (self->lives, GUINT_TO_POINTER (job_id), life);
  }
  return life;
}

static void
follow_standing (const Reading *self, guint step, const LkDecision_standing *standing)
{
  Life *life = life_of (self, standing->job_id);
  life->is_told = TRUE;
  if (standing->reason == LK_REASON_NONE) /* it starts */
    return;
  if (!life->stands || life->standing.reason != standing->reason)
    life->reason_step = step;
  if (life->first_planned_us == LK_TIME_NEVER)
    life->first_planned_us = standing->planned_us;
  life->stands = TRUE;
  life->standing = *standing;
}

static void
follow (Reading *self, guint step, const LkDecision *decision)
{
  if (decision->kind == LK_DECISION_RESERVATION)
    self->aside = decision->reservation.state == 1 ? &decision->reservation : NULL;
  else if (decision->kind == LK_DECISION_STANDING)
    follow_standing (self, step, &decision->standing);
  else if (decision->kind == LK_DECISION_TASK)
    life_of (self, decision->task.job_id)->is_special = TRUE;
  else if (decision->kind == LK_DECISION_REQUEUE_JOB)
    life_of (self, decision->requeue_job.job_id)->is_special = TRUE;
  else if (decision->kind == LK_DECISION_START) {
    Life *life = life_of (self, decision->start.job_id);
    life->start_step = step;
    life->units = decision->start.units;
  }
}

static void
reading_init (Reading *self, const LkTape *tape)
{
  *self = (Reading){ tape, g_hash_table_new_full (NULL, NULL, NULL, g_free), NULL };
}

static void
reading_clear (Reading *self)
{
  g_hash_table_unref (self->lives);
}

/* A forgery: tries to make one of the decision, whose job's life is known up to it. */
typedef gboolean (*Forge) (LkTape *tape, const Reading *before, guint step, guint index,
                           Expected *out_expected);

/* ---------------------------------------------------------------- forgeries */

/* Ties of the key go by submit time, and ids rise with that. */
static gboolean
goes_before (const Life *a, guint32 a_id, const Life *b, guint32 b_id)
{
  return a->standing.key != b->standing.key ? a->standing.key < b->standing.key : a_id < b_id;
}

/* A job that waits at this step behind the other, starts later than that was planned to, and is of
 * its size. */
static gboolean
find_start (const LkTape *tape, guint from_step, const LkDecision_start *like,
            const Reading *before, guint *out_step, guint32 *out_job_id)
{
  const Life *own = life_of (before, like->job_id);
  for (guint i = from_step + 1; i < tape->steps->len; i++)
    for (guint at = 0; at < lk_tape_step (tape, i)->decisions->len; at++) {
      const LkDecision *decision = lk_tape_decision (tape, i, at);
      if (decision->kind != LK_DECISION_START || decision->start.units != like->units)
        continue;
      const Life *life = life_of (before, decision->start.job_id);
      if (!life->stands || !goes_before (own, like->job_id, life, decision->start.job_id)
          || lk_tape_step (tape, i)->event.time_us <= own->first_planned_us)
        continue;
      *out_step = i;
      *out_job_id = decision->start.job_id;
      return TRUE;
    }
  return FALSE;
}

/* A job that has waited for its planned start starts when a lower one did, and that one in its
 * stead. */
static gboolean
forge_swap (LkTape *tape, const Reading *before, guint step, guint index, Expected *out_expected)
{
  const LkDecision *decision = lk_tape_decision (tape, step, index);
  guint other_step;
  guint32 other;
  if (decision->kind != LK_DECISION_START || tape->header.cluster.length_bytes > 0)
    return FALSE;
  guint32 job_id = decision->start.job_id;
  const Life *life = life_of (before, job_id);
  if (!life->stands || life->first_planned_us == LK_TIME_NEVER
      || !find_start (tape, step, &decision->start, before, &other_step, &other))
    return FALSE;
  lk_tape_swap (tape, job_id, other, step);
  *out_expected = (Expected){ RULE (PROMISE) | RULE (ORDER), job_id, 0 };
  return TRUE;
}

/* The first of the queue is not started, and waits for ever. */
static gboolean
forge_leave (LkTape *tape, const Reading *before, guint step, guint index, Expected *out_expected)
{
  const LkDecision *decision = lk_tape_decision (tape, step, index);
  if (decision->kind != LK_DECISION_START || decision->start.backfilled
      || tape->header.cluster.length_bytes > 0 || step + 50 > tape->steps->len)
    return FALSE;
  guint32 job_id = decision->start.job_id;
  if (!life_of (before, job_id)->stands || life_of (before, job_id)->is_special)
    return FALSE;
  lk_tape_forget (tape, job_id, step);
  *out_expected = (Expected){ RULE (ORDER), job_id, 0 };
  return TRUE;
}

/* A job starts already in the pass in which it was told what it waits for. */
static gboolean
start_early (LkTape *tape, const Reading *before, guint step, guint index, guint8 *out_reason,
             Expected *out_expected)
{
  const LkDecision *decision = lk_tape_decision (tape, step, index);
  if (decision->kind != LK_DECISION_START)
    return FALSE;
  LkDecision start = *decision;
  const Life *life = life_of (before, start.start.job_id);
  if (!life->stands || life->is_special || life->reason_step >= step)
    return FALSE;
  *out_reason = life->standing.reason;
  g_array_remove_index (lk_tape_step (tape, step)->decisions, index);
  g_array_prepend_val (lk_tape_step (tape, life->reason_step)->decisions, start);
  *out_expected = (Expected){ 0, start.start.job_id, life->reason_step + 1 };
  return TRUE;
}

static gboolean
waits_for (const Reading *before, const LkDecision *decision, guint8 first, guint8 last)
{
  if (decision->kind != LK_DECISION_START)
    return FALSE;
  const Life *life = life_of (before, decision->start.job_id);
  return life->stands && life->standing.reason >= first && life->standing.reason <= last;
}

#define EARLY(name, first, last, RULES)                                                            \
  static gboolean forge_##name (LkTape *tape, const Reading *before, guint step, guint index,      \
                                Expected *out_expected)                                            \
  {                                                                                                \
    guint8 reason;                                                                                 \
    if (!waits_for (before, lk_tape_decision (tape, step, index), first, last)                     \
        || !start_early (tape, before, step, index, &reason, out_expected))                        \
      return FALSE;                                                                                \
    out_expected->rules = (RULES);                                                                 \
    return TRUE;                                                                                   \
  }

EARLY (job_limit, LK_REASON_ASSOC_GRP_JOBS, LK_REASON_QOS_USAGE_THRESHOLD, RULE (LIMIT))
EARLY (tres_limit, LK_REASON_ASSOC_GRP_CPU, G_MAXUINT8, RULE (LIMIT))
EARLY (dependency, LK_REASON_DEPENDENCY, LK_REASON_DEPENDENCY, RULE (DEPENDENCY))
EARLY (begin, LK_REASON_BEGIN_TIME, LK_REASON_BEGIN_TIME, RULE (BEGIN))
EARLY (license, LK_REASON_LICENSES, LK_REASON_LICENSES, RULE (LICENSE))
EARLY (held, LK_REASON_HELD_USER, LK_REASON_HELD_ADMIN, RULE (HELD))
EARLY (resources, LK_REASON_RESOURCES, LK_REASON_RESOURCES,
       RULE (UNITS) | RULE (CORE) | RULE (GPU) | RULE (MEMORY) | RULE (EXCLUSIVE) | RULE (NODE)
           | RULE (LICENSE) | RULE (RESERVATION))

static gboolean
forge_limit (LkTape *tape, const Reading *before, guint step, guint index, Expected *out_expected)
{
  return forge_job_limit (tape, before, step, index, out_expected)
         || forge_tres_limit (tape, before, step, index, out_expected);
}

/* What another reservation has set aside is where the job starts. Its user may be one of those for
 * whom that is, or the reservation may set itself aside behind what is there. */
static gboolean
forge_reservation (LkTape *tape, const Reading *before, guint step, guint index,
                   Expected *out_expected)
{
  const LkDecision *decision = lk_tape_decision (tape, step, index);
  if (decision->kind != LK_DECISION_START || before->aside == NULL
      || decision->start.nodes.length_bytes == 0)
    return FALSE;
  LkDecision aside = { .kind = LK_DECISION_RESERVATION, .reservation = *before->aside };
  aside.reservation.nodes = decision->start.nodes;
  aside.reservation.core_count = G_MAXUINT32;
  aside.reservation.start_us = lk_tape_step (tape, step)->event.time_us;
  aside.reservation.end_us = LK_TIME_NEVER;
  *out_expected = (Expected){ RULE (RESERVATION), decision->start.job_id, step + 1 };
  g_array_insert_val (lk_tape_step (tape, step)->decisions, index, aside);
  return TRUE;
}

/* One of those who are to make room is not asked to, and stays: there is no room then; or, where
 * jobs share cores by turns, it has a turn at the same time. */
static gboolean
forge_preempt (LkTape *tape, const Reading *before, guint step, guint index, Expected *out_expected)
{
  const LkDecision *decision = lk_tape_decision (tape, step, index);
  (void)before;
  if (decision->kind != LK_DECISION_PREEMPT)
    return FALSE;
  *out_expected =
      (Expected){ RULE (ROOM) | RULE (PREEMPT) | RULE (TURN), decision->preempt.for_job_id, 0 };
  lk_tape_forget (tape, decision->preempt.job_id, step);
  return TRUE;
}

/* Nobody is told how a job stands that waits. */
static gboolean
forge_silence (LkTape *tape, const Reading *before, guint step, guint index, Expected *out_expected)
{
  const LkDecision *decision = lk_tape_decision (tape, step, index);
  if (decision->kind != LK_DECISION_STANDING || decision->standing.reason == LK_REASON_NONE
      || life_of (before, decision->standing.job_id)->is_told
      || life_of (before, decision->standing.job_id)->is_special)
    return FALSE;
  *out_expected = (Expected){ RULE (REASON), decision->standing.job_id, step + 1 };
  g_array_remove_index (lk_tape_step (tape, step)->decisions, index);
  return TRUE;
}

/* A job is told a reason that it does not have. */
static gboolean
forge_reason (LkTape *tape, const Reading *before, guint step, guint index, Expected *out_expected)
{
  static const guint8 reasons[] = { LK_REASON_HELD_USER, LK_REASON_DEPENDENCY, LK_REASON_BEGIN_TIME,
                                    LK_REASON_ARRAY_TASK_LIMIT };
  LkDecision *decision = lk_tape_decision (tape, step, index);
  guint8 reason = reasons[step % G_N_ELEMENTS (reasons)];
  if (decision->kind != LK_DECISION_STANDING || decision->standing.reason > LK_REASON_RESOURCES
      || decision->standing.reason == LK_REASON_NONE
      || life_of (before, decision->standing.job_id)->is_special
      || life_of (before, decision->standing.job_id)->depends)
    return FALSE;
  *out_expected = (Expected){ RULE (REASON), decision->standing.job_id, step + 1 };
  decision->standing.reason = reason;
  return TRUE;
}

/* ---------------------------------------------------------------- what the checker says */

static gboolean
is_told (const LkTape *tape, const Expected *expected)
{
  g_autoptr (GByteArray) bytes = lk_tape_write (tape);
  g_autofree char *error = NULL;
  LkAudit audit;
  gboolean is_found = FALSE;
  lk_audit_run (&audit, bytes->data, bytes->len, 1000, &error);
  g_assert_cmpstr (error, ==, NULL);
  for (guint i = 0; i < audit.findings->len; i++) {
    const LkAuditFinding *finding = &g_array_index (audit.findings, LkAuditFinding, i);
    is_found = is_found
               || ((expected->rules >> finding->rule & 1) != 0
                   && (expected->seq == 0 || finding->seq == expected->seq));
  }
  lk_audit_clear (&audit);
  return is_found;
}

/* A sort of forgeries, how many of them there are to be at least, and what part of them the checker
 * has to tell: not all, where it cannot be sure, or where what was changed need not be wrong. */
typedef struct {
  const char *name;
  Forge forge;
  guint count_min;
  guint told_min_percent;
  guint made_count;
  guint told_count;
} Sort;

/* Makes one of the decision, if it can be: 1, else 0. */
static guint
try_decision (Sort *sort, const Reading *reading, guint step, guint at)
{
  Expected expected;
  g_autoptr (LkTape) forged = NULL;
  const LkDecision *decision = lk_tape_decision (reading->tape, step, at);
  if (decision->kind != LK_DECISION_START && decision->kind != LK_DECISION_PREEMPT
      && decision->kind != LK_DECISION_STANDING)
    return 0;
  forged = lk_tape_copy (reading->tape);
  if (!sort->forge (forged, reading, step, at, &expected))
    return 0;
  gboolean told = is_told (forged, &expected);
  sort->told_count += told ? 1 : 0;
  if (!told && g_getenv ("LK_FORGERY_PRINT") != NULL)
    g_printerr ("%s: job %u, event %u: not told\n", sort->name, expected.job_id, step + 1);
  return 1;
}

static void
follow_event (const Reading *self, const LkEvent *event)
{
  if (event->kind == LK_EVENT_UPDATE)
    life_of (self, event->update.job_id)->is_special = TRUE;
  else if (event->kind == LK_EVENT_SUBMIT && event->submit.dependency.length_bytes > 0)
    life_of (self, event->submit.job_id)->depends = TRUE;
}

static void
try_sort (Sort *sort, const LkTape *tape)
{
  Reading reading;
  guint made_count = 0;
  if (sort->made_count >= FORGERIES_ALL_MAX)
    return;
  reading_init (&reading, tape);
  for (guint step = 0; step < tape->steps->len && made_count < FORGERIES_MAX; step++) {
    follow_event (&reading, &lk_tape_step (tape, step)->event);
    for (guint at = 0; at < lk_tape_step (tape, step)->decisions->len; at++) {
      if (made_count < FORGERIES_MAX)
        made_count += try_decision (sort, &reading, step, at);
      follow (&reading, step, lk_tape_decision (tape, step, at));
    }
  }
  sort->made_count += made_count;
  reading_clear (&reading);
}

static void
check_good (const LkTape *tape)
{
  g_autoptr (GByteArray) bytes = lk_tape_write (tape);
  g_autofree char *error = NULL;
  LkAudit audit;
  lk_audit_run (&audit, bytes->data, bytes->len, 5, &error);
  g_assert_cmpstr (error, ==, NULL);
  g_assert_cmpuint (audit.findings->len, ==, 0);
  lk_audit_clear (&audit);
}

static void
try_sorts (Sort *sorts, guint count, GByteArray *bytes)
{
  g_autoptr (LkTape) tape = lk_tape_new (bytes);
  check_good (tape);
  for (guint i = 0; i < count; i++)
    try_sort (&sorts[i], tape);
}

static void
check_sorts (const Sort *sorts, guint count)
{
  for (guint i = 0; i < count; i++) {
    if (g_getenv ("LK_FORGERY_PRINT") != NULL)
      g_printerr ("%s: %u of %u\n", sorts[i].name, sorts[i].told_count, sorts[i].made_count);
  }
  for (guint i = 0; i < count; i++) {
    g_assert_cmpuint (sorts[i].made_count, >=, sorts[i].count_min);
    g_assert_cmpuint (100 * sorts[i].told_count, >=,
                      sorts[i].told_min_percent * sorts[i].made_count);
  }
}

static gboolean
lacks_any (const Sort *sorts, guint count)
{
  for (guint i = 0; i < count; i++)
    if (sorts[i].made_count < sorts[i].count_min)
      return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- tests */

static void
test_log (gconstpointer backfill)
{
  /* Under easy one job at a time has a promise. */
  guint swap_min = strcmp (backfill, "easy") == 0 ? 0 : 1;
  Sort sorts[] = {
    { "swap", forge_swap, swap_min, 100, 0, 0 },    { "leave", forge_leave, 1, 100, 0, 0 },
    { "resources", forge_resources, 1, 100, 0, 0 }, { "silence", forge_silence, 1, 100, 0, 0 },
    { "reason", forge_reason, 1, 100, 0, 0 },
  };
  g_autoptr (GByteArray) bytes = log_journal (backfill);
  try_sorts (sorts, G_N_ELEMENTS (sorts), bytes);
  check_sorts (sorts, G_N_ELEMENTS (sorts));
}

/* Together they have something for each sort, or others have. */
static void
test_storms (void)
{
  static const struct {
    guint site;
    guint64 number;
  } storms[] = { { 4, 1 },  { 7, 1 },  { 8, 1 },  { 21, 1 }, { 24, 1 }, { 25, 4 }, { 23, 5 },
                 { 19, 3 }, { 23, 3 }, { 20, 6 }, { 16, 2 }, { 1, 1 },  { 11, 2 }, { 12, 1 },
                 { 6, 1 },  { 0, 1 },  { 15, 1 }, { 10, 2 }, { 0, 2 },  { 11, 1 }, { 11, 3 } };
  Sort sorts[] = {
    { "limit", forge_limit, 1, 100, 0, 0 },     { "dependency", forge_dependency, 1, 75, 0, 0 },
    { "begin", forge_begin, 1, 100, 0, 0 },     { "license", forge_license, 1, 100, 0, 0 },
    { "held", forge_held, 1, 100, 0, 0 },       { "reservation", forge_reservation, 1, 40, 0, 0 },
    { "preempt", forge_preempt, 1, 100, 0, 0 }, { "silence", forge_silence, 1, 100, 0, 0 },
    { "reason", forge_reason, 1, 100, 0, 0 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (storms); i++) {
    g_autoptr (GByteArray) bytes = storm_journal (storms[i].site, storms[i].number);
    try_sorts (sorts, G_N_ELEMENTS (sorts), bytes);
  }
  guint count = lk_storm_site_count () * SEEDS_MAX;
  for (guint i = 0; i < count && lacks_any (sorts, G_N_ELEMENTS (sorts)); i++) {
    g_autoptr (GByteArray) bytes =
        storm_journal (i % lk_storm_site_count (), 1 + i / lk_storm_site_count ());
    try_sorts (sorts, G_N_ELEMENTS (sorts), bytes);
  }
  check_sorts (sorts, G_N_ELEMENTS (sorts));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/forgery/of a log under easy", "easy", test_log);
  g_test_add_data_func ("/forgery/of a log under conservative", "conservative", test_log);
  g_test_add_func ("/forgery/of storms", test_storms);
  return g_test_run ();
}
