/* bench/priority.c — what accounts, priorities and limits cost while very many jobs wait.
 *
 * A counted machine is full; jobs of many users wait.  Then jobs end one at a time, each followed
 * by a submit and a pass, and now and then a calculation period is over.  What a period costs is
 * told apart from what the events between cost: ageing alone must not make these dearer.  With
 * `parked` above 0 so many of a hundred users may run one job only, and the rest of their jobs wait
 * for it.  Numbers go out as one JSON object, times as medians in microseconds.
 *
 * Usage: priority ORDER [WAITING [PARKED_USERS [ROUNDS]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "policies/registry.h"

#define UNITS 20000u
#define USERS 600u
#define ACCOUNTS 60u
#define PERIOD_US (G_GINT64_CONSTANT (300) * 1000000)

typedef struct {
  LkEngine *engine;
  guint64 random;
  guint32 job_id_last;
  GArray *running; /* of guint32, ids */
  gint64 now_us;
} Bench;

/* Processor time, in nanoseconds: one thread computes, and others may use the machine. */
static gint64
cpu_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (gint64)now.tv_sec * 1000000000 + now.tv_nsec;
}

static guint32
draw (Bench *self, guint32 limit)
{
  self->random += 0x9e3779b97f4a7c15u;
  guint64 z = self->random;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (guint32)((z ^ (z >> 31)) % limit);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Bench *self = user;
  (void)cause;
  if (decision->kind == LK_DECISION_START)
    g_array_append_val (self->running, decision->start.job_id);
}

static gint64
apply (Bench *self, LkEvent *event)
{
  LkEngineCounts counts;
  LkSink sink = { on_decision, self };
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = self->now_us;
  gint64 begin_ns = cpu_ns ();
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  gint64 cost_ns = cpu_ns () - begin_ns;
  if (status != LK_STATUS_OK)
    g_error ("refused: %s", lk_status_text (status));
  return cost_ns;
}

static gint64
submit (Bench *self)
{
  char user[16];
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  g_snprintf (user, sizeof user, "u%u", draw (self, USERS));
  event.submit.job_id = ++self->job_id_last;
  event.submit.procs = 1 + draw (self, 64);
  event.submit.estimate_us = (gint64)(1 + draw (self, 48)) * 3600 * 1000000;
  event.submit.user = lk_text (user);
  return apply (self, &event);
}

static gint64
pass (Bench *self)
{
  LkEvent event = { .kind = LK_EVENT_PASS };
  return apply (self, &event);
}

static gint64
end_one (Bench *self)
{
  guint32 at = draw (self, self->running->len);
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = g_array_index (self->running, guint32, at);
  g_array_remove_index_fast (self->running, at);
  return apply (self, &event);
}

/* Sixty accounts of ten users; the first `parked` of a hundred users may run one job at a time. */
static LkAccounts *
make_accounts (guint32 parked)
{
  LkAccountsError error;
  LkAccounts *accounts = lk_accounts_new ("bench");
  accounts->enforce = LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS;
  accounts->calc_period_us = PERIOD_US;
  for (guint32 i = 0; i < ACCOUNTS; i++) {
    g_autofree char *name = g_strdup_printf ("a%u", i);
    lk_accounts_add_account (accounts, name, "root")->shares = 1 + i % 7;
  }
  for (guint32 i = 0; i < USERS; i++) {
    g_autofree char *name = g_strdup_printf ("u%u", i);
    g_autofree char *account = g_strdup_printf ("a%u", i % ACCOUNTS);
    LkAssociationSpec *user = lk_accounts_add_user (accounts, name, account, "");
    if (i % 100 < parked)
      lk_limits_set (user->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 1);
  }
  if (!lk_accounts_check (accounts, &error))
    g_error ("%s", error.text);
  return accounts;
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static double
median_us (GArray *costs_ns)
{
  qsort (costs_ns->data, costs_ns->len, sizeof (gint64), compare);
  guint middle = costs_ns->len / 2;
  return (double)g_array_index (costs_ns, gint64, middle) / 1e3;
}

/* One period: ten ends with a submit and a pass each, then the period is over. */
static void
run_period (Bench *self, GArray *between, GArray *period)
{
  for (guint i = 0; i < 10; i++) {
    self->now_us += PERIOD_US / 20;
    gint64 cost_ns = end_one (self) + submit (self) + pass (self);
    g_array_append_val (between, cost_ns);
  }
  LkEvent timer = { .kind = LK_EVENT_TIMER };
  self->now_us = (self->now_us / PERIOD_US + 1) * PERIOD_US;
  gint64 cost_ns = apply (self, &timer);
  g_array_append_val (period, cost_ns);
}

int
main (int argc, char **argv)
{
  const char *order = argc > 1 ? argv[1] : "multifactor";
  guint32 waiting = argc > 2 ? (guint32)strtoul (argv[2], NULL, 10) : 100000;
  guint32 parked = argc > 3 ? (guint32)strtoul (argv[3], NULL, 10) : 0;
  guint rounds = argc > 4 ? (guint)strtoul (argv[4], NULL, 10) : 21;
  g_autoptr (GError) error = NULL;
  LkPolicyError refusal;
  g_autoptr (LkAccounts) accounts = make_accounts (parked);
  LkSetupOptions options = { .units_total = UNITS,
                             .origin_us = 0,
                             .order = order,
                             .backfill = "easy",
                             .select = "pool",
                             .accounts = accounts };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  if (setup == NULL) {
    fprintf (stderr, "priority: %s\n", error->message);
    return 1;
  }
  Bench bench = { .engine = lk_engine_new (lk_setup_config (setup), &refusal),
                  .running = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  gint64 fill_ns = 0;
  for (guint32 i = 0; i < waiting; i++) {
    fill_ns += submit (&bench); /* periods are counted from the first event, at 0 */
    if (i % 100 == 0)
      pass (&bench);
    bench.now_us += 1000000;
  }
  g_autoptr (GArray) between = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) period = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < rounds; i++)
    run_period (&bench, between, period);
  LkEngineCounts counts;
  lk_engine_counts (bench.engine, &counts);
  printf ("{\"order\":\"%s\",\"waiting\":%u,\"running\":%u,\"submit_us\":%.2f,\"event_us\":%.2f,"
          "\"period_us\":%.1f}\n",
          order, counts.pending_count, counts.running_count,
          (double)fill_ns / 1e3 / (double)waiting, median_us (between), median_us (period));
  lk_engine_free (bench.engine);
  g_array_unref (bench.running);
  return 0;
}
