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

#include "bench/driver.h"
#include "policies/registry.h"

#define UNITS 20000u
#define USERS 600u
#define ACCOUNTS 60u
#define PERIOD_US (G_GINT64_CONSTANT (300) * 1000000)

static gint64
submit (Driver *self)
{
  char user[16];
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  g_snprintf (user, sizeof user, "u%u", driver_draw (self, USERS));
  event.submit.procs = 1 + driver_draw (self, 64);
  event.submit.estimate_us = (gint64)(1 + driver_draw (self, 48)) * 3600 * 1000000;
  event.submit.user = lk_text (user);
  return driver_submit (self, &event);
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

/* One period: ten ends with a submit and a pass each, then the period is over. */
static void
run_period (Driver *self, GArray *between, GArray *period)
{
  for (guint i = 0; i < 10; i++) {
    self->now_us += PERIOD_US / 20;
    gint64 cost_ns = driver_end_one (self) + submit (self) + driver_pass (self);
    g_array_append_val (between, cost_ns);
  }
  LkEvent timer = { .kind = LK_EVENT_TIMER };
  self->now_us = (self->now_us / PERIOD_US + 1) * PERIOD_US;
  gint64 cost_ns = driver_apply (self, &timer);
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
  Driver bench;
  driver_init (&bench, lk_engine_new (lk_setup_config (setup), &refusal), 0);
  gint64 fill_ns = 0;
  for (guint32 i = 0; i < waiting; i++) {
    fill_ns += submit (&bench); /* periods are counted from the first event, at 0 */
    if (i % 100 == 0)
      driver_pass (&bench);
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
          (double)fill_ns / 1e3 / (double)waiting, (double)driver_median (between) / 1e3,
          (double)driver_median (period) / 1e3);
  driver_clear (&bench);
  return 0;
}
