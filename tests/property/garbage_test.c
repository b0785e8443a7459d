/* tests/property/garbage_test.c — random events, most of them wrong, to two engines at once.
 *
 * Unknown jobs, kinds that are not acted upon or do not exist, times that go back or are far out,
 * numbers out of turn, values at the ends of their types.  The engine never crashes, its
 * invariants hold after each event, an event that is not applied changes nothing, and the two
 * engines stay equal. */
#include <glib.h>

#include "tests/property/engine_run.h"

#define ROUNDS 150u
#define EVENTS_EACH 400u
#define UNITS_TOTAL 8u

static const char *const orders[] = {
  "fifo",     "lifo",
  "sjf",      "ljf",
  "smallest", "largest",
  "saf",      "sexp",
  "wfp3",     "xfactor",
  "unicef",   "f1",
  "basic",    "multifactor:weight_age=1000,weight_job_size=5000"
};
static const char *const backfills[] = {
  "none",   "easy",  "easy:order=sjf", "easy:reservations=3",     "conservative",
  "replan", "slurm", "full",           "full:window=5,reorder=1", "full:offers=1,credit=0"
};

typedef struct {
  LkSeed seed;
  guint64 seq;
  gint64 now_us;
  guint32 id_max;
} Source;

static guint32
any_u32 (LkSeed *seed)
{
  static const guint32 corners[] = { 0, 1, 2, G_MAXINT32, (guint32)G_MAXINT32 + 1, G_MAXUINT32 };
  if (lk_seed_chance (seed, 10))
    return corners[lk_seed_below (seed, G_N_ELEMENTS (corners))];
  return lk_seed_below (seed, UNITS_TOTAL + 2);
}

static gint64
any_duration_us (LkSeed *seed)
{
  static const gint64 corners_us[] = {
    0, 1, -1, G_MAXINT64, G_MAXINT64 - 1, G_MININT64, G_MAXINT64 / 2
  };
  if (lk_seed_chance (seed, 10))
    return corners_us[lk_seed_below (seed, G_N_ELEMENTS (corners_us))];
  return (gint64)lk_seed_below (seed, 50) * (lk_seed_chance (seed, 50) ? G_USEC_PER_SEC : 1);
}

static guint32
any_job_id (Source *self)
{
  return lk_seed_chance (&self->seed, 90) ? lk_seed_below (&self->seed, self->id_max + 2)
                                          : any_u32 (&self->seed);
}

static LkText
any_text (LkSeed *seed)
{
  static const char text[] = "node[1-4],\"\\\n\xff\xc3";
  return (LkText){ .bytes = text, .length_bytes = (guint16)lk_seed_below (seed, sizeof text) };
}

static void
fill_submit (Source *self, LkEvent *event)
{
  event->submit.job_id = lk_seed_chance (&self->seed, 85) ? self->id_max + 1 : any_job_id (self);
  /* An id far up would leave no room for later ones. */
  if (event->submit.job_id < 100000 && event->submit.job_id > self->id_max)
    self->id_max = event->submit.job_id;
  event->submit.user_id = any_u32 (&self->seed);
  event->submit.group_id = any_u32 (&self->seed);
  event->submit.partition_id = any_u32 (&self->seed);
  event->submit.procs = any_u32 (&self->seed);
  event->submit.estimate_us = any_duration_us (&self->seed);
}

/* Every field of the kinds that carry more than a job's id. */
static void
fill_payload (Source *self, LkEvent *event)
{
  LkSeed *seed = &self->seed;
  switch (event->kind) {
  case LK_EVENT_SUBMIT:
    fill_submit (self, event);
    break;
  case LK_EVENT_JOB_ENDED:
    event->job_ended.job_id = any_job_id (self);
    event->job_ended.exit_code = (guint8)lk_seed_below (seed, 3);
    event->job_ended.signal = (guint8)lk_seed_below (seed, 2);
    event->job_ended.cancelled = (guint8)lk_seed_below (seed, 3);
    break;
  case LK_EVENT_UPDATE:
    event->update.job_id = any_job_id (self);
    event->update.changes = lk_seed_below (seed, 6);
    event->update.procs = any_u32 (seed);
    event->update.estimate_us = any_duration_us (seed);
    break;
  case LK_EVENT_HOLD:
    event->hold.job_id = any_job_id (self);
    event->hold.by_admin = (guint8)lk_seed_below (seed, 3);
    break;
  case LK_EVENT_NODE_DOWN:
    event->node_down.node = any_text (seed);
    event->node_down.reason = any_text (seed);
    break;
  case LK_EVENT_ASSOCIATION:
    event->association.operation = (guint8)lk_seed_below (seed, 4);
    event->association.account = any_text (seed);
    event->association.changes = any_u32 (seed);
    event->association.unset = any_text (seed);
    break;
  default:
    break;
  }
}

static LkEventKind
any_kind (LkSeed *seed)
{
  static const LkEventKind common[] = { LK_EVENT_SUBMIT, LK_EVENT_SUBMIT,     LK_EVENT_PASS,
                                        LK_EVENT_PASS,   LK_EVENT_JOB_ENDED,  LK_EVENT_CANCEL,
                                        LK_EVENT_HOLD,   LK_EVENT_RELEASE,    LK_EVENT_UPDATE,
                                        LK_EVENT_TIMER,  LK_EVENT_JOB_STARTED };
  if (lk_seed_chance (seed, 90))
    return common[lk_seed_below (seed, G_N_ELEMENTS (common))];
  return (LkEventKind)lk_seed_below (seed, LK_EVENT_KIND_LIMIT + 3);
}

static void
draw_event (Source *self, LkEvent *out_event)
{
  LkSeed *seed = &self->seed;
  LkEvent event = { .kind = any_kind (seed), .seq = self->seq + 1, .time_us = self->now_us };
  if (lk_seed_chance (seed, 50))
    event.time_us += (gint64)lk_seed_below (seed, 5) * G_USEC_PER_SEC;
  if (lk_seed_chance (seed, 3))
    event.time_us -= 1 + lk_seed_below (seed, 5);
  if (lk_seed_chance (seed, 3))
    event.seq = lk_seed_below (seed, 3) ? event.seq + 1 : 0;
  switch (event.kind) {
  case LK_EVENT_CANCEL:
    event.cancel.job_id = any_job_id (self);
    break;
  case LK_EVENT_RELEASE:
    event.release.job_id = any_job_id (self);
    break;
  case LK_EVENT_JOB_STARTED:
    event.job_started.job_id = any_job_id (self);
    break;
  default:
    fill_payload (self, &event);
    break;
  }
  *out_event = event;
}

typedef struct {
  LkEngine *engine;
  GByteArray *log;
} Side;

static void
decide (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Side *side = user;
  lk_run_log (side->log, cause, decision);
}

static LkStatus
apply (Side *side, const LkEvent *event)
{
  LkSink sink = { .decide = decide, .user = side };
  LkStatus status = lk_engine_apply (side->engine, event, &sink);
  lk_engine_check (side->engine);
  return status;
}

static void
assert_equal (const Side *a, const Side *b)
{
  g_autoptr (GByteArray) bytes_a = g_byte_array_new ();
  g_autoptr (GByteArray) bytes_b = g_byte_array_new ();
  lk_engine_save (a->engine, bytes_a);
  lk_engine_save (b->engine, bytes_b);
  lk_run_assert_bytes (bytes_a, bytes_b);
  lk_run_assert_bytes (a->log, b->log);
  g_assert_true (
      lk_digest_value_equal (lk_engine_digest (a->engine), lk_engine_digest (b->engine)));
}

/* Everything goes to `a`; `b` gets only what `a` took. */
static void
run_garbage (const LkSetup *setup, guint64 seed_value)
{
  LkPolicyError error;
  Source source = { .seed = { .state = seed_value } };
  Side a = { lk_engine_new (lk_setup_config (setup), &error), g_byte_array_new () };
  Side b = { lk_engine_new (lk_setup_config (setup), &error), g_byte_array_new () };
  for (guint i = 0; i < EVENTS_EACH; i++) {
    LkEvent event;
    draw_event (&source, &event);
    guint log_length = a.log->len;
    if (apply (&a, &event) != LK_STATUS_OK) {
      g_assert_cmpuint (a.log->len, ==, log_length);
      continue;
    }
    g_assert_cmpuint (event.seq, ==, source.seq + 1);
    g_assert_cmpint (event.time_us, >=, i == 0 ? event.time_us : source.now_us);
    source.seq = event.seq;
    source.now_us = event.time_us;
    g_assert_cmpint (apply (&b, &event), ==, LK_STATUS_OK);
  }
  assert_equal (&a, &b);
  lk_engine_free (a.engine);
  lk_engine_free (b.engine);
  g_byte_array_unref (a.log);
  g_byte_array_unref (b.log);
}

static void
garbage_does_no_harm (gconstpointer backfill)
{
  for (guint64 seed = 1; seed <= ROUNDS; seed++) {
    const char *order = orders[seed % G_N_ELEMENTS (orders)];
    g_autoptr (LkSetup) setup = lk_run_setup (UNITS_TOTAL, order, backfill);
    run_garbage (setup, seed);
  }
}

/* Moments and lengths near the ends of int64: sums must not wrap. */
static void
far_moments_do_no_harm (gconstpointer backfill)
{
  static const gint64 moments_us[] = { G_MININT64,     G_MININT64 + 1, -1,        0, G_MAXINT64 / 2,
                                       G_MAXINT64 - 2, G_MAXINT64 - 1, G_MAXINT64 };
  g_autoptr (LkSetup) setup = lk_run_setup (UNITS_TOTAL, "wfp3", backfill);
  LkPolicyError error;
  Side side = { lk_engine_new (lk_setup_config (setup), &error), g_byte_array_new () };
  LkSeed seed = { .state = 1 };
  guint64 seq = 0;
  guint32 id = 0;
  for (guint i = 0; i < G_N_ELEMENTS (moments_us); i++) {
    for (guint j = 0; j < 8; j++) {
      LkEvent event = { .seq = seq + 1, .time_us = moments_us[i], .kind = LK_EVENT_SUBMIT };
      event.submit = (LkEvent_submit){ .job_id = ++id, .procs = 1 + j % UNITS_TOTAL };
      event.submit.estimate_us = any_duration_us (&seed);
      seq += apply (&side, &event) == LK_STATUS_OK;
    }
    LkEvent pass = { .seq = seq + 1, .time_us = moments_us[i], .kind = LK_EVENT_PASS };
    seq += apply (&side, &pass) == LK_STATUS_OK;
  }
  lk_engine_free (side.engine);
  g_byte_array_unref (side.log);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    g_autofree char *garbage =
        g_strdup_printf ("/property/random events do no harm under %s", backfills[i]);
    g_autofree char *far =
        g_strdup_printf ("/property/moments at the ends of time do no harm under %s", backfills[i]);
    g_test_add_data_func (garbage, backfills[i], garbage_does_no_harm);
    g_test_add_data_func (far, backfills[i], far_moments_do_no_harm);
  }
  return g_test_run ();
}
