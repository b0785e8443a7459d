/* tests/engine/usage_test.c — use of accounts: charges, decay, resets, billing, and jobs that wait
 * for use to fall.
 *
 * The numbers are those of Slurm's formulas, worked by hand: a half-life of H seconds decays by 1 -
 * 0.693 / H each second. */
#include <math.h>

#include "engine/billing.h"
#include "tests/engine/engine_fixture.h"

#define DAY_US (G_GINT64_CONSTANT (86400) * G_USEC_PER_SEC)
#define MINUTE_US (G_GINT64_CONSTANT (60) * G_USEC_PER_SEC)

#define assert_near(a, b)                                                                          \
  g_assert_cmpfloat_with_epsilon ((a), (b), 1e-9 * fabs ((double)(b)) + 1e-12)

/* Root, account phys with alice and bob, account chem with carol; use decays by a day's half. */
static LkAccounts *
small_tree (void)
{
  LkAccounts *accounts = lk_accounts_new ("test");
  lk_accounts_add_account (accounts, "phys", "root");
  lk_accounts_add_account (accounts, "chem", "root");
  lk_accounts_add_user (accounts, "alice", "phys", "");
  lk_accounts_add_user (accounts, "bob", "phys", "");
  lk_accounts_add_user (accounts, "carol", "chem", "");
  accounts->half_life_us = DAY_US;
  accounts->calc_period_us = 5 * MINUTE_US;
  accounts->enforce = LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS | LK_ENFORCE_QOS;
  return accounts;
}

/* A pool under these accounts, which are freed. */
static void
init_backfill (LkFixture *self, LkAccounts *accounts, guint32 units, const char *order,
               const char *backfill)
{
  LkAccountsError error;
  LkSetupOptions options = { .units_total = units,
                             .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = "pool",
                             .accounts = accounts };
  if (!lk_accounts_check (accounts, &error))
    g_error ("%s: %s", error.member, error.text);
  fixture_init_with (self, &options);
  self->tells_places = TRUE;
  lk_accounts_free (accounts);
}

static void
init (LkFixture *self, LkAccounts *accounts, guint32 units, const char *order)
{
  init_backfill (self, accounts, units, order, "easy");
}

typedef struct {
  guint32 procs;
  gint64 estimate_s;
  const char *qos; /* NULL: the default one */
} Ask;

static void
submit (LkFixture *self, gint64 time_s, guint32 id, const char *user, Ask ask)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.procs = ask.procs;
  event.submit.estimate_us = ask.estimate_s * G_USEC_PER_SEC;
  event.submit.user = lk_text (user);
  event.submit.qos = lk_text (ask.qos);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static void
pass (LkFixture *self, gint64 time_s)
{
  fixture_event (self, time_s, LK_EVENT_PASS, 0);
}

static void
timer (LkFixture *self, gint64 time_s)
{
  fixture_event (self, time_s, LK_EVENT_TIMER, 0);
}

/* "" for the account itself. */
static const LkUse *
use_of (const LkFixture *self, const char *account, const char *user)
{
  const LkBook *book = lk_engine_book (self->engine);
  const LkAssociationSpec *wanted = lk_accounts_find (book->spec, account, user, "");
  for (guint32 i = 0; i < book->view.association_count; i++)
    if (g_ptr_array_index (book->spec->associations, i) == wanted)
      return &book->view.associations[i].use;
  g_assert_not_reached ();
}

static LkAssociationSpec *
spec_of (LkAccounts *accounts, const char *account, const char *user)
{
  LkAssociationSpec *spec = lk_accounts_find (accounts, account, user, "");
  g_assert_nonnull (spec);
  return spec;
}

/* ---------------------------------------------------------------- decay and charges */

/* A million decays for five minutes beside a running job of 64 CPUs. */
static void
test_cycle (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  spec_of (accounts, "phys", "alice")->usage = 1000000;
  init (&fixture, accounts, 64, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 64, 3600, NULL });
  pass (&fixture, 0);
  assert_near (use_of (&fixture, "phys", "alice")->usage, 1000000);
  timer (&fixture, 299);
  assert_near (use_of (&fixture, "phys", "alice")->usage, 1000000);
  timer (&fixture, 300);
  assert_near (use_of (&fixture, "phys", "alice")->usage, 1016750.4884269517);
  assert_near (use_of (&fixture, "phys", "")->usage, 1016750.4884269517);
  assert_near (use_of (&fixture, "root", "")->usage, 1016750.4884269517);
  g_assert_cmpfloat (use_of (&fixture, "chem", "")->usage, ==, 0);
  fixture_clear (&fixture);
}

static void
test_twelve_cycles (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  accounts->half_life_us = 7 * DAY_US;
  init (&fixture, accounts, 100, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 100, 7200, NULL });
  pass (&fixture, 0);
  timer (&fixture, 3600); /* the cycles between are caught up with */
  g_assert_cmpfloat_with_epsilon (use_of (&fixture, "phys", "alice")->usage, 359196.77540552, 1e-7);
  fixture_clear (&fixture);
}

/* What is left since the last cycle is charged at the end, decayed by its own length. */
static void
test_end (void)
{
  LkFixture fixture;
  double factor = 1.0 - 0.693 / 86400;
  init (&fixture, small_tree (), 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 10, 3600, NULL });
  pass (&fixture, 0);
  fixture_ended (&fixture, 100, 1);
  assert_near (use_of (&fixture, "phys", "alice")->usage, 1000 * pow (factor, 100));
  assert_near (use_of (&fixture, "phys", "alice")->wall_s, 100 * pow (factor, 100));
  assert_near (use_of (&fixture, "phys", "")->tres_s[LK_TRES_CPU], 1000 * pow (factor, 100));
  fixture_clear (&fixture);
}

static void
test_no_decay_at_all (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  accounts->half_life_us = 0;
  accounts->reset = LK_RESET_YEARLY;
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 10, 3600, NULL });
  pass (&fixture, 0);
  timer (&fixture, 1800);
  fixture_ended (&fixture, 2000, 1);
  g_assert_cmpfloat (use_of (&fixture, "phys", "alice")->usage, ==, 20000);
  fixture_clear (&fixture);
}

/* UsageFactor multiplies what everybody is charged; a QOS with NoDecay keeps its own. */
static void
test_qos_factors (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  LkQosSpec *half = lk_accounts_add_qos (accounts, "half");
  half->usage_factor = 0.5;
  half->flags = LK_QOS_NO_DECAY;
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 10, 3600, "half" });
  pass (&fixture, 0);
  timer (&fixture, 600);
  double factor = 1.0 - 0.693 / 86400;
  double cycle = 300 * pow (factor, 300) * 10 * 0.5;
  assert_near (use_of (&fixture, "phys", "alice")->usage, cycle * pow (factor, 300) + cycle);
  const LkBook *book = lk_engine_book (fixture.engine);
  g_assert_cmpfloat (book->view.qos[1].use.usage, ==, 600 * 10 * 0.5);
  g_assert_cmpfloat (book->view.qos[0].use.usage, ==, 0);
  fixture_clear (&fixture);
}

/* A requeued job pays for what it ran. */
static void
test_requeue (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  accounts->half_life_us = 0;
  accounts->reset = LK_RESET_YEARLY;
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 10, 3600, NULL });
  pass (&fixture, 0);
  fixture_event (&fixture, 50, LK_EVENT_REQUEUE, 1);
  g_assert_cmpfloat (use_of (&fixture, "phys", "alice")->usage, ==, 500);
  g_assert_cmpuint (use_of (&fixture, "phys", "alice")->running, ==, 0);
  g_assert_cmpuint (use_of (&fixture, "phys", "alice")->submitted, ==, 1);
  pass (&fixture, 60);
  fixture_ended (&fixture, 100, 1);
  g_assert_cmpfloat (use_of (&fixture, "phys", "alice")->usage, ==, 900);
  g_assert_cmpuint (use_of (&fixture, "phys", "alice")->submitted, ==, 0);
  fixture_clear (&fixture);
}

/* ---------------------------------------------------------------- resets */

typedef struct {
  LkResetPeriod reset;
  gint64 utc_offset_s;
  gint64 from_s; /* the run begins */
  gint64 kept_s; /* use is still there */
  gint64 zero_s; /* and is not */
} Reset;

#define DAY_S(n) (G_GINT64_CONSTANT (n) * 86400)

static const Reset resets[] = {
  { LK_RESET_DAILY, 0, DAY_S (20000) + 80000, DAY_S (20001) - 1, DAY_S (20001) + 300 },
  { LK_RESET_DAILY, 3600, DAY_S (20000) + 80000, DAY_S (20001) - 3601, DAY_S (20001) - 3300 },
  /* Day 20000 is Friday, 2024-10-04; the next Sunday is day 20002. */
  { LK_RESET_WEEKLY, 0, DAY_S (20000), DAY_S (20002) - 1, DAY_S (20002) + 300 },
  /* The next month begins on day 20028, the next quarter on 20089 (2025-01-01). */
  { LK_RESET_MONTHLY, 0, DAY_S (20000), DAY_S (20028) - 1, DAY_S (20028) + 300 },
  { LK_RESET_QUARTERLY, 0, DAY_S (20000), DAY_S (20089) - 1, DAY_S (20089) + 300 },
  { LK_RESET_YEARLY, 0, DAY_S (20000), DAY_S (20089) - 1, DAY_S (20089) + 300 },
  { LK_RESET_YEARLY, 0, DAY_S (20089), DAY_S (20453), DAY_S (20454) + 300 },
};

static void
test_resets (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (resets); i++) {
    const Reset *reset = &resets[i];
    LkFixture fixture;
    LkAccounts *accounts = small_tree ();
    accounts->half_life_us = 0;
    accounts->reset = reset->reset;
    accounts->utc_offset_s = reset->utc_offset_s;
    spec_of (accounts, "phys", "alice")->usage = 7;
    init (&fixture, accounts, 10, "fifo");
    timer (&fixture, reset->from_s);
    timer (&fixture, reset->kept_s);
    g_assert_cmpfloat (use_of (&fixture, "phys", "")->usage, ==, 7);
    timer (&fixture, reset->zero_s);
    g_assert_cmpfloat (use_of (&fixture, "phys", "")->usage, ==, 0);
    fixture_clear (&fixture);
  }
}

static void
test_reset_now (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  accounts->reset = LK_RESET_NOW;
  spec_of (accounts, "phys", "alice")->usage = 7;
  init (&fixture, accounts, 10, "fifo");
  timer (&fixture, 0);
  g_assert_cmpfloat (use_of (&fixture, "phys", "alice")->usage, ==, 0);
  fixture_clear (&fixture);
}

/* ---------------------------------------------------------------- billing */

/* Four CPUs, 32 GiB, one GPU and one licence. */
static void
test_billing (void)
{
  static const char weights[] = "CPU=1,Mem=0.25G,gres/gpu=8,license/x=1.5";
  LkAccounts *accounts = lk_accounts_new ("test");
  guint32 gpu = lk_accounts_add_tres (accounts, "gres/gpu");
  guint32 license = lk_accounts_add_tres (accounts, "license/x");
  guint64 tres[LK_TRES_MAX] = { [LK_TRES_CPU] = 4, [LK_TRES_MEMORY] = 32768, [LK_TRES_NODE] = 1 };
  char *const *names = (char *const *)accounts->tres->pdata;
  tres[gpu] = tres[license] = 1;
  const struct {
    LkBillingRule rule;
    double billing;
  } rows[] = { { LK_BILLING_SUM, 21.5 }, { LK_BILLING_MAX, 9.5 }, { LK_BILLING_MAX_GRES, 17.5 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpfloat (lk_billing_of_tres (weights, rows[i].rule, names, tres, accounts->tres->len),
                       ==, rows[i].billing);
  g_assert_cmpfloat (lk_billing_of_tres ("", LK_BILLING_SUM, names, tres, accounts->tres->len), ==,
                     4);
  /* What is not tracked cannot be billed. */
  g_assert_cmpfloat (lk_billing_of_tres (weights, LK_BILLING_SUM, names, tres, LK_TRES_FIXED), ==,
                     12);
  tres[LK_TRES_MEMORY] = 8192;
  g_assert_cmpfloat (
      lk_billing_of_tres ("Mem=0.25G", LK_BILLING_SUM, names, tres, accounts->tres->len), ==, 2);
  lk_accounts_free (accounts);
}

/* ---------------------------------------------------------------- limits */

/* GrpTRESMins=cpu=1000: a job of any size starts at 999 minutes used, and is ended beyond. */
static void
test_minutes_used_up (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  LkAssociationSpec *phys = spec_of (accounts, "phys", "");
  LkTresValue used = { LK_TRES_CPU, 59940 };
  accounts->half_life_us = 0;
  accounts->reset = LK_RESET_YEARLY;
  lk_limits_set (phys->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE, 1000);
  g_array_append_val (spec_of (accounts, "phys", "alice")->usage_tres, used);
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 10, 3600, NULL });
  pass (&fixture, 0);
  fixture_assert_log (&fixture, "accept 1; start 1; wake 300");
  submit (&fixture, 100, 2, "bob", (Ask){ 1, 60, NULL });
  timer (&fixture, 300);
  fixture_assert_log (&fixture, "accept 2; kill 1 3; wake 600");
  fixture_ended (&fixture, 300, 1);
  pass (&fixture, 300);
  fixture_assert_log (&fixture, "TIMEOUT 1 TimeLimit; PENDING 2 AssocGrpCPUMinutesLimit");
  LkJobInfo info;
  g_assert_true (lk_engine_job (fixture.engine, 2, &info));
  g_assert_cmpint (info.reason, ==, LK_REASON_ASSOC_GRP_MINUTES_CPU);
  fixture_clear (&fixture);
}

/* The same in safe mode: 300 CPU-minutes do not fit into one. */
static void
test_safe (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  LkTresValue used = { LK_TRES_CPU, 59940 };
  accounts->enforce |= LK_ENFORCE_SAFE;
  accounts->half_life_us = 0;
  accounts->reset = LK_RESET_YEARLY;
  lk_limits_set (spec_of (accounts, "phys", "")->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE,
                 1000);
  g_array_append_val (spec_of (accounts, "phys", "alice")->usage_tres, used);
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 10, 1800, NULL });
  submit (&fixture, 0, 2, "alice", (Ask){ 1, 60, NULL });
  pass (&fixture, 0);
  fixture_assert_log (&fixture, "PENDING 1 AssocGrpCPUMinutesLimit; accept 1; wake 300; accept 2; "
                                "start 2; wake 60");
  fixture_clear (&fixture);
}

/* A job that waits for use to decay is woken when it has. */
static void
test_decay_frees (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  LkTresValue used = { LK_TRES_CPU, 60060 };
  lk_limits_set (spec_of (accounts, "phys", "")->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE,
                 1000);
  g_array_append_val (spec_of (accounts, "phys", "alice")->usage_tres, used);
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "bob", (Ask){ 1, 60, NULL });
  g_assert_true (lk_engine_pass_wanted (fixture.engine) == FALSE);
  pass (&fixture, 0);
  fixture_assert_log (&fixture, "PENDING 1 AssocGrpCPUMinutesLimit; accept 1; wake 300");
  timer (&fixture, 300);
  g_assert_true (lk_engine_pass_wanted (fixture.engine));
  pass (&fixture, 300);
  fixture_assert_log (&fixture, "start 1; wake 360");
  fixture_clear (&fixture);
}

/* The same without a pass: a limit keeps the job from the queue, so that none is wanted. */
static void
test_woken_without_pass (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  LkTresValue used = { LK_TRES_CPU, 60060 };
  lk_limits_set (spec_of (accounts, "phys", "")->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE,
                 1000);
  g_array_append_val (spec_of (accounts, "phys", "alice")->usage_tres, used);
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "bob", (Ask){ 1, 60, NULL });
  fixture_assert_log (&fixture, "PENDING 1 AssocGrpCPUMinutesLimit; accept 1; wake 300");
  fixture_clear (&fixture);
}

/* Nothing wakes the engine for what cannot come: a limit of nothing; use that stays as it is. */
static void
test_not_woken (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  LkTresValue used = { LK_TRES_CPU, 60060 };
  accounts->half_life_us = 0;
  lk_limits_set (spec_of (accounts, "phys", "")->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE,
                 1000);
  g_array_append_val (spec_of (accounts, "phys", "alice")->usage_tres, used);
  init (&fixture, accounts, 10, "multifactor:weight_fairshare=1");
  submit (&fixture, 0, 1, "bob", (Ask){ 1, 60, NULL });
  fixture_assert_log (&fixture, "PENDING 1 AssocGrpCPUMinutesLimit; accept 1");
  fixture_clear (&fixture);

  accounts = small_tree ();
  lk_limits_set (spec_of (accounts, "phys", "")->limits, LK_LIMIT_GRP_WALL, 0, TRUE, 0);
  spec_of (accounts, "phys", "alice")->usage_wall_s = 1000;
  init (&fixture, accounts, 10, "multifactor:weight_fairshare=1");
  submit (&fixture, 0, 1, "bob", (Ask){ 1, 60, NULL });
  fixture_assert_log (&fixture, "PENDING 1 AssocGrpWallLimit; accept 1");
  fixture_clear (&fixture);
}

/* GrpTRESMins: who ends at the very moment of a cycle has not been ended by it. */
static void
test_ends_with_cycle (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  lk_limits_set (spec_of (accounts, "phys", "")->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, TRUE,
                 5);
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 2, 1000, NULL });
  submit (&fixture, 0, 2, "bob", (Ask){ 2, 1000, NULL });
  pass (&fixture, 0);
  fixture_assert_log (&fixture, "accept 1; accept 2; start 1; start 2; wake 300");
  fixture_ended (&fixture, 300, 1);
  timer (&fixture, 300);
  fixture_assert_log (&fixture, "COMPLETED 1; kill 2 3; wake 600");
  fixture_clear (&fixture);
}

/* A clock that jumps by ages costs no age: use is gone. */
static void
test_leap (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  spec_of (accounts, "phys", "alice")->usage = 1000000;
  init (&fixture, accounts, 10, "multifactor:weight_fairshare=1000");
  pass (&fixture, -9000000000000);
  submit (&fixture, -9000000000000, 1, "alice", (Ask){ 1, 60, NULL });
  timer (&fixture, 9000000000000);
  g_assert_cmpfloat (use_of (&fixture, "phys", "alice")->usage, <, 1e-9);
  fixture_clear (&fixture);
}

/* MaxJobs=1: the others wait outside the queue and hold nobody up. */
static void
test_parked (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  lk_limits_set (spec_of (accounts, "phys", "alice")->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 1);
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "alice", (Ask){ 2, 100, NULL });
  pass (&fixture, 0);
  submit (&fixture, 0, 2, "alice", (Ask){ 10, 100, NULL });
  submit (&fixture, 0, 3, "alice", (Ask){ 1, 100, NULL });
  submit (&fixture, 0, 4, "bob", (Ask){ 8, 1000, NULL });
  g_string_truncate (fixture.log, 0);
  pass (&fixture, 1);
  fixture_assert_log (&fixture, "start 4");
  fixture_ended (&fixture, 50, 1);
  pass (&fixture, 50);
  fixture_assert_log (&fixture, "COMPLETED 1; start 3 backfilled");
  LkJobInfo info;
  g_assert_true (lk_engine_job (fixture.engine, 2, &info));
  g_assert_cmpstr (lk_reason_name (info.reason), ==, "AssocMaxJobsLimit");
  fixture_event (&fixture, 60, LK_EVENT_HOLD, 2);
  fixture_event (&fixture, 61, LK_EVENT_RELEASE, 2);
  fixture_event (&fixture, 62, LK_EVENT_CANCEL, 2);
  fixture_clear (&fixture);
}

static void
test_refused (void)
{
  LkFixture fixture;
  LkAccounts *accounts = small_tree ();
  lk_limits_set (spec_of (accounts, "phys", "alice")->limits, LK_LIMIT_MAX_SUBMIT_JOBS, 0, TRUE, 1);
  lk_accounts_add_qos (accounts, "hi");
  g_free (spec_of (accounts, "chem", "")->qos);
  spec_of (accounts, "chem", "")->qos = g_strdup ("normal");
  init (&fixture, accounts, 10, "fifo");
  submit (&fixture, 0, 1, "nobody", (Ask){ 1, 60, NULL });
  submit (&fixture, 0, 2, "alice", (Ask){ 1, 60, "nothing" });
  submit (&fixture, 0, 3, "carol", (Ask){ 1, 60, "hi" });
  submit (&fixture, 0, 4, "alice", (Ask){ 1, 60, "hi" });
  submit (&fixture, 0, 5, "alice", (Ask){ 1, 60, NULL });
  submit (&fixture, 0, 6, "carol", (Ask){ 1, 60, NULL });
  g_autofree char *expected =
      g_strdup_printf ("reject 1 %d; reject 2 %d; reject 3 %d; accept 4; reject 5 %d; accept 6",
                       LK_REJECT_ACCOUNT_INVALID, LK_REJECT_QOS_INVALID, LK_REJECT_QOS_INVALID,
                       LK_REJECT_POLICY_LIMIT);
  fixture_assert_log (&fixture, expected);
  fixture_clear (&fixture);
}

/* A job that is handed out next when another of its user starts has left the queue. */
static void
test_limit_within_a_pass (void)
{
  static const char *const backfills[] = { "none",         "easy", "easy:reservations=2",
                                           "conservative", "full", "full:window=5",
                                           "replan" };
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    LkFixture fixture;
    LkAccounts *accounts = small_tree ();
    lk_limits_set (spec_of (accounts, "phys", "alice")->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 1);
    init_backfill (&fixture, accounts, 10, "fifo", backfills[i]);
    submit (&fixture, 0, 1, "carol", (Ask){ 6, 100, NULL });
    submit (&fixture, 0, 2, "bob", (Ask){ 8, 100, NULL });
    submit (&fixture, 0, 3, "alice", (Ask){ 1, 50, NULL });
    submit (&fixture, 0, 4, "alice", (Ask){ 1, 50, NULL });
    submit (&fixture, 0, 5, "bob", (Ask){ 1, 50, NULL });
    g_string_truncate (fixture.log, 0);
    pass (&fixture, 0);
    fixture_assert_log (&fixture, i == 0 ? "start 1; wake 100"
                                         : "start 1; start 3 backfilled; PENDING 4 "
                                           "AssocMaxJobsLimit; start 5 backfilled; wake 50");
    fixture_clear (&fixture);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/usage/a cycle decays and charges", test_cycle);
  g_test_add_func ("/usage/twelve cycles", test_twelve_cycles);
  g_test_add_func ("/usage/the end of a job", test_end);
  g_test_add_func ("/usage/without decay", test_no_decay_at_all);
  g_test_add_func ("/usage/UsageFactor and NoDecay", test_qos_factors);
  g_test_add_func ("/usage/a requeued job", test_requeue);
  g_test_add_func ("/usage/resets", test_resets);
  g_test_add_func ("/usage/reset at once", test_reset_now);
  g_test_add_func ("/usage/billing", test_billing);
  g_test_add_func ("/usage/minutes that are used up", test_minutes_used_up);
  g_test_add_func ("/usage/safe", test_safe);
  g_test_add_func ("/usage/decay lets jobs start", test_decay_frees);
  g_test_add_func ("/usage/a parked job asks to be woken", test_woken_without_pass);
  g_test_add_func ("/usage/a parked job that nothing can help", test_not_woken);
  g_test_add_func ("/usage/the end of a job at a cycle", test_ends_with_cycle);
  g_test_add_func ("/usage/time leaps", test_leap);
  g_test_add_func ("/usage/parked jobs", test_parked);
  g_test_add_func ("/usage/refused jobs", test_refused);
  g_test_add_func ("/usage/a limit is reached within a pass", test_limit_within_a_pass);
  return g_test_run ();
}
