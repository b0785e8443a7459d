/* tests/property/schedule_test.c — the engine against the naive scheduler, job by job.
 *
 * Every order with every backfill policy on many small random workloads: the same start, end,
 * state and backfilled flag for each job.  A workload that fails is cut down job by job while it
 * still fails, then printed with both schedules. LK_PROPERTY_SEED=N runs one seed only;
 * LK_PROPERTY_ROUNDS=N changes how many seeds each pair of policies gets. */
#include <glib.h>

#include "tests/property/engine_run.h"

#define ROUNDS_DEFAULT 400u
/* Of all workloads, how many per thousand may hinge on the last bits of a logarithm. */
#define AMBIGUOUS_PER_MILLE_MAX 20u

typedef struct {
  LkBruteOptions brute;
  char *order; /* (transfer full) */
  char *backfill;
} Case;

typedef enum { EQUAL, DIFFERENT, AMBIGUOUS } Verdict;

/* The kinds of backfill, as the tests name them. */
typedef enum { NONE, EASY, EASY_ORDER, EASY_MANY, EASY_MANY_ORDER, CONSERVATIVE, REPLAN } Kind;

static const LkJobState states[] = { LK_JOB_COMPLETED, LK_JOB_TIMEOUT, LK_JOB_CANCELLED };

static Case
make_case (Kind kind, LkBruteOrder order, guint64 seed_value)
{
  static const int reservations[] = { 2, 3, 5, 64 };
  LkSeed seed = { .state = seed_value ^ 0x5eed };
  Case self = { .brute = { .order = order, .backfill_order = order } };
  self.order = g_strdup (lk_brute_order_name (order));
  LkBruteOrder other = (LkBruteOrder)lk_seed_below (&seed, LK_BRUTE_ORDER_COUNT);
  self.brute.reservations = reservations[lk_seed_below (&seed, G_N_ELEMENTS (reservations))];
  if (kind == EASY_ORDER || kind == EASY_MANY_ORDER)
    self.brute.backfill_order = other;
  switch (kind) {
  case NONE:
    self.brute.backfill = LK_BRUTE_NONE;
    self.backfill = g_strdup ("none");
    break;
  case EASY:
    self.brute.backfill = LK_BRUTE_EASY;
    self.backfill = g_strdup ("easy");
    break;
  case EASY_ORDER:
    self.brute.backfill = LK_BRUTE_EASY;
    self.backfill = g_strdup_printf ("easy:order=%s", lk_brute_order_name (other));
    break;
  case EASY_MANY:
    self.brute.backfill = LK_BRUTE_RESERVATIONS;
    self.backfill = g_strdup_printf ("easy:reservations=%d", self.brute.reservations);
    break;
  case EASY_MANY_ORDER:
    self.brute.backfill = LK_BRUTE_RESERVATIONS;
    self.backfill = g_strdup_printf ("easy:order=%s,reservations=%d", lk_brute_order_name (other),
                                     self.brute.reservations);
    break;
  case CONSERVATIVE:
    self.brute.backfill = LK_BRUTE_CONSERVATIVE;
    self.backfill = g_strdup ("conservative");
    break;
  case REPLAN:
    self.brute.backfill = LK_BRUTE_REPLAN;
    self.backfill = g_strdup ("replan");
    break;
  }
  return self;
}

static void
case_clear (Case *self)
{
  g_free (self->order);
  g_free (self->backfill);
}

static gint64
whole_us (gint64 at_s)
{
  return at_s < 0 ? LK_TIME_NEVER : at_s * G_USEC_PER_SEC;
}

static Verdict
compare (const Case *self, const LkWorkload *workload, LkBruteResult *out_results, LkRun **out_run)
{
  LkBruteJob jobs[LK_BRUTE_JOBS_MAX];
  LkBruteOptions options = self->brute;
  LkRunOptions run_options = { .order = self->order, .backfill = self->backfill };
  options.procs = (int)workload->procs;
  int job_count = lk_workload_brute_jobs (workload, jobs);
  *out_run = NULL;
  if (!lk_brute_schedule (&options, jobs, job_count, out_results))
    return AMBIGUOUS;
  *out_run = lk_run_new (workload, &run_options);
  for (int i = 0; i < job_count; i++) {
    const LkBruteResult *wanted = &out_results[i];
    const LkRunJob *got = &(*out_run)->jobs[i];
    if (got->start_us != whole_us (wanted->start_s) || got->end_us != whole_us (wanted->end_s)
        || got->state != states[wanted->state]
        || (got->start_us != LK_TIME_NEVER && got->backfilled != (wanted->backfilled != 0)))
      return DIFFERENT;
  }
  return EQUAL;
}

static Verdict
verdict (const Case *self, const LkWorkload *workload)
{
  LkBruteResult results[LK_BRUTE_JOBS_MAX];
  LkRun *run;
  Verdict result = compare (self, workload, results, &run);
  g_clear_pointer (&run, lk_run_free);
  return result;
}

static void
shrink (const Case *self, LkWorkload *workload)
{
  for (guint i = 0; i < workload->job_count && workload->job_count > 1;) {
    LkWorkload smaller = *workload;
    lk_workload_drop_job (&smaller, i);
    if (verdict (self, &smaller) == DIFFERENT) {
      *workload = smaller;
      i = 0;
    } else {
      i++;
    }
  }
}

static double
seconds (gint64 at_us)
{
  return at_us == LK_TIME_NEVER ? -1.0 : (double)at_us / G_USEC_PER_SEC;
}

static void
report (const Case *self, guint64 seed, LkWorkload *workload)
{
  g_autoptr (GString) out = g_string_new (NULL);
  LkBruteResult results[LK_BRUTE_JOBS_MAX];
  LkRun *run;
  shrink (self, workload);
  g_string_append_printf (out, "seed=%" G_GUINT64_FORMAT " order=%s backfill=%s\n", seed,
                          self->order, self->backfill);
  lk_workload_print (workload, out);
  compare (self, workload, results, &run);
  g_string_append (out, "             expected                  engine\n"
                        "    id    start      end state  bf     start      end state  bf\n");
  for (guint i = 0; i < workload->job_count; i++)
    g_string_append_printf (out, "  %4u %8ld %8ld %5s %3d  %8g %8g %5.5s %3d\n",
                            workload->jobs[i].id, (long)results[i].start_s, (long)results[i].end_s,
                            lk_job_state_name (states[results[i].state]), results[i].backfilled,
                            seconds (run->jobs[i].start_us), seconds (run->jobs[i].end_us),
                            lk_job_state_name (run->jobs[i].state), run->jobs[i].backfilled);
  lk_run_free (run);
  g_printerr ("%s", out->str);
}

static guint64
from_environment (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);
  return text == NULL ? otherwise : g_ascii_strtoull (text, NULL, 10);
}

static void
agrees (gconstpointer data)
{
  Kind kind = (Kind)GPOINTER_TO_INT (data);
  guint64 only_seed = from_environment ("LK_PROPERTY_SEED", 0);
  guint64 rounds = from_environment ("LK_PROPERTY_ROUNDS", ROUNDS_DEFAULT);
  guint64 ambiguous_count = 0, total = 0;
  for (int order = 0; order < LK_BRUTE_ORDER_COUNT; order++) {
    for (guint64 round = 0; round < (only_seed ? 1 : rounds); round++) {
      guint64 seed =
          only_seed ? only_seed : 1 + ((guint64)kind * 100 + (guint64)order) * 1000000 + round;
      Case one = make_case (kind, (LkBruteOrder)order, seed);
      LkWorkload workload;
      lk_workload_generate (seed, &workload);
      Verdict result = verdict (&one, &workload);
      total++;
      ambiguous_count += result == AMBIGUOUS;
      if (result == DIFFERENT) {
        report (&one, seed, &workload);
        g_test_fail ();
      }
      case_clear (&one);
      if (result == DIFFERENT)
        break;
    }
  }
  g_test_message ("%" G_GUINT64_FORMAT " workloads, %" G_GUINT64_FORMAT " ambiguous", total,
                  ambiguous_count);
  g_assert_cmpuint (ambiguous_count * 1000, <=, total * AMBIGUOUS_PER_MILLE_MAX);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    Kind kind;
  } table[] = {
    { "no backfill", NONE },
    { "easy", EASY },
    { "easy with its own order", EASY_ORDER },
    { "easy with several reservations", EASY_MANY },
    { "easy with several reservations and its own order", EASY_MANY_ORDER },
    { "conservative", CONSERVATIVE },
    { "replan", REPLAN },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    g_autofree char *path =
        g_strdup_printf ("/property/%s agrees with brute force under every order", table[i].name);
    g_test_add_data_func (path, GINT_TO_POINTER (table[i].kind), agrees);
  }
  return g_test_run ();
}
