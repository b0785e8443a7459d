/* tests/engine/accounts_change_test.c — associations and QOS are added, changed and deleted while
 * jobs run and wait: as lines of sacctmgr, which become events, and as events that are refused. */
#include "engine/accounts_change.h"

#include "tests/engine/limits_site.h"
#include "traces/accounts_changes.h"

/* ---------------------------------------------------------------- what is done */

static LkReject
tell (gpointer user, LkEvent *event)
{
  Site *site = user;
  LkFixture *fixture = &site->fixture;
  g_string_truncate (fixture->log, 0);
  g_assert_cmpint (fixture_apply (fixture, site->now_s, event), ==, LK_STATUS_OK);
  lk_engine_check (fixture->engine);
  return g_str_has_prefix (fixture->log->str, "reject 0 ")
             ? (LkReject)g_ascii_strtoull (fixture->log->str + strlen ("reject 0 "), NULL, 10)
             : 0;
}

/* A line of sacctmgr at this moment, and what follows. */
static LkReject
change (Site *site, gint64 time_s, const char *line)
{
  g_autoptr (GError) error = NULL;
  go_to (site, time_s);
  g_autoptr (LkAccounts) from = lk_accounts_copy (lk_engine_accounts (site->fixture.engine));
  g_autoptr (LkAccounts) to = lk_accounts_script_apply (from, line, &error);
  g_assert_no_error (error);
  LkReject reject = lk_accounts_tell_changes (from, to, tell, site);
  if (reject == 0) {
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (GString) wanted = g_string_new (NULL);
    lk_accounts_text (lk_engine_accounts (site->fixture.engine), text);
    lk_accounts_text (to, wanted);
    g_assert_cmpstr (text->str, ==, wanted->str);
  }
  pass_if_wanted (site);
  return reject;
}

static void
submit_refused (Site *site, guint32 id, const char *line, LkReject reject)
{
  g_autofree char *told = g_strdup_printf ("reject %u %u", id, reject);
  g_string_truncate (site->fixture.log, 0);
  submit (site, id, line);
  g_assert_cmpstr (site->fixture.log->str, ==, told);
}

/* What an account, or a user of it, has used. */
static double
usage_of (const Site *site, const char *account, const char *user)
{
  const LkBook *book = lk_engine_book (site->fixture.engine);
  LkAssociationSpec *spec = lk_accounts_find (book->spec, account, user, "");
  return book->associations[lk_book_find_spec (book, spec)].use.usage;
}

static guint32
running_of (const Site *site, const char *account)
{
  const LkBook *book = lk_engine_book (site->fixture.engine);
  LkAssociationSpec *spec = lk_accounts_find (book->spec, account, "", "");
  return book->associations[lk_book_find_spec (book, spec)].use.running;
}

/* The engine goes on from its snapshot, and its state is the same. */
static void
reload (Site *site)
{
  LkFixture *fixture = &site->fixture;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) again = g_byte_array_new ();
  LkStatus status;
  lk_engine_save (fixture->engine, bytes);
  LkEngine *loaded =
      lk_engine_load (lk_setup_config (fixture->setup), bytes->data, bytes->len, &status);
  g_assert_cmpint (status, ==, LK_STATUS_OK);
  lk_engine_save (loaded, again);
  g_assert_cmpuint (bytes->len, ==, again->len);
  g_assert_cmpint (memcmp (bytes->data, again->data, bytes->len), ==, 0);
  lk_engine_free (fixture->engine);
  fixture->engine = loaded;
  lk_engine_check (loaded);
}

/* ---------------------------------------------------------------- limits */

/* Who waits for a limit that rises, or is taken away, starts at once. */
static void
test_limit_rises (void)
{
  Site site;
  site_prepare (&site, "modify user alice set MaxJobs=1");
  site_start (&site, "none");
  for (guint32 id = 1; id <= 4; id++)
    submit (&site, id, "alice");
  pass (&site);
  assert_waits (&site, 2, "AssocMaxJobsLimit");
  g_assert_cmpint (change (&site, 5, "modify user alice set MaxJobs=2"), ==, 0);
  g_assert_true (runs (&site, 2));
  assert_waits (&site, 3, "AssocMaxJobsLimit");
  reload (&site);
  g_assert_cmpint (change (&site, 6, "modify user alice set MaxJobs=-1"), ==, 0);
  g_assert_true (runs (&site, 3) && runs (&site, 4));
  site_clear (&site);
}

/* One that falls lets go on what runs, and keeps what waits; of whom it is said follows. */
static void
test_limit_falls (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "easy");
  submit (&site, 1, "alice -n4");
  submit (&site, 2, "bob -n4");
  pass (&site);
  submit (&site, 3, "gil -n8 -N8 --exclusive");
  g_assert_cmpint (change (&site, 5, "modify account phys set GrpTRES=cpu=8"), ==, 0);
  g_assert_true (runs (&site, 1) && runs (&site, 2));
  submit (&site, 4, "gil -n1 -t 5");
  pass_if_wanted (&site);
  assert_waits (&site, 4, "AssocGrpCpuLimit");
  reload (&site);
  /* The account moves to another one, with what runs there. */
  submit (&site, 5, "gil -n2 -t 5");
  g_assert_cmpint (change (&site, 6, "modify account lab set parent=chem"), ==, 0);
  g_assert_true (runs (&site, 4) && runs (&site, 5));
  g_assert_cmpuint (running_of (&site, "chem"), ==, 2);
  g_assert_cmpuint (running_of (&site, "phys"), ==, 2);
  site_clear (&site);
}

/* What runs too long for a new limit on use ends; nobody ages while a limit on ageing jobs holds,
 * and all do when it goes. */
static void
test_use_and_age (void)
{
  Site site;
  site_prepare (&site, "modify user bob set MaxJobsAccrue=1 MaxJobs=1");
  site_start (&site, "none");
  submit (&site, 1, "alice -n1");
  submit (&site, 2, "bob -n1");
  pass (&site);
  submit (&site, 3, "bob -n1");
  submit (&site, 4, "bob -n1");
  const LkView *view = lk_engine_view (site.fixture.engine);
  LkJobIndex last = lk_engine_job_index (site.fixture.engine, 4);
  g_assert_cmpint (view->jobs->accrue_us[last], ==, LK_TIME_NEVER);
  g_assert_cmpint (change (&site, 60, "modify user bob set MaxJobsAccrue=-1"), ==, 0);
  g_assert_cmpint (view->jobs->accrue_us[last], !=, LK_TIME_NEVER);
  g_assert_cmpint (change (&site, 600, "modify user alice set GrpTRESMins=cpu=1"), ==, 0);
  go_to (&site, 600);
  LkJobInfo info;
  g_assert_true (lk_engine_job (site.fixture.engine, 1, &info));
  g_assert_cmpint (info.state, ==, LK_JOB_COMPLETING);
  site_clear (&site);
}

/* ---------------------------------------------------------------- QOS */

static void
test_qos (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "none");
  submit_refused (&site, 1, "alice -q fast", LK_REJECT_QOS_INVALID);
  g_assert_cmpint (change (&site, 1, "add qos fast MaxJobsPerUser=1 Priority=5"), ==, 0);
  submit_refused (&site, 1, "alice -q fast", LK_REJECT_QOS_INVALID);
  g_assert_cmpint (change (&site, 1, "modify account phys set qos+=fast"), ==, 0);
  submit (&site, 1, "alice -q fast");
  submit (&site, 2, "alice -q fast");
  submit (&site, 3, "alice -q q");
  pass (&site);
  assert_waits (&site, 2, "QOSMaxJobsPerUserLimit");
  reload (&site);
  g_assert_cmpint (change (&site, 2, "delete qos fast"), ==, LK_REJECT_ACCOUNTS_IN_USE);
  g_assert_cmpint (change (&site, 2, "delete qos few"), ==, LK_REJECT_ACCOUNTS_IN_USE);
  g_assert_cmpint (change (&site, 3, "modify qos fast set MaxJobsPerUser=-1"), ==, 0);
  g_assert_true (runs (&site, 2));
  end (&site, 5, 1);
  end (&site, 5, 2);
  /* The one before it in the list goes: q has another number from here on. */
  g_assert_cmpint (change (&site, 6, "modify qos q set preempt=fast"), ==, 0);
  g_assert_cmpint (change (&site, 6, "delete qos fast"), ==, 0);
  const LkAccounts *accounts = lk_engine_accounts (site.fixture.engine);
  g_assert_cmpstr (lk_accounts_find_qos (accounts, "q")->preempt, ==, "");
  g_assert_cmpstr (lk_accounts_find (accounts, "phys", "", "")->qos, ==, "+q");
  g_assert_cmpint (change (&site, 7, "modify qos q set MaxJobsPerUser=1"), ==, 0);
  submit (&site, 4, "alice -q q");
  pass_if_wanted (&site);
  assert_waits (&site, 4, "QOSMaxJobsPerUserLimit");
  reload (&site);
  end (&site, 8, 3);
  g_assert_true (runs (&site, 4));
  site_clear (&site);
}

/* ---------------------------------------------------------------- users and accounts */

/* Without it her list would be that of her account, which is of all. */
static void
test_sole_qos (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "none");
  g_assert_cmpint (change (&site, 1, "add qos fast"), ==, 0);
  g_assert_cmpint (change (&site, 1, "add qos slow"), ==, 0);
  g_assert_cmpint (change (&site, 1, "modify user alice set qos=fast,slow defaultqos=fast"), ==, 0);
  LkEvent event = { .kind = LK_EVENT_QOS };
  event.qos = (LkEvent_qos){ .operation = LK_ACCOUNTS_DELETE, .name = lk_text ("slow") };
  g_assert_cmpint (tell (&site, &event), ==, 0);
  event.qos.name = lk_text ("fast");
  g_assert_cmpint (tell (&site, &event), ==, LK_REJECT_ACCOUNTS_IN_USE);
  const LkAccounts *accounts = lk_engine_accounts (site.fixture.engine);
  g_assert_cmpstr (lk_accounts_qos_sole_user (accounts, "fast")->user, ==, "alice");
  submit_refused (&site, 1, "alice -q q", LK_REJECT_QOS_INVALID);
  g_assert_cmpint (change (&site, 2, "modify user alice set qos=q defaultqos=q"), ==, 0);
  g_assert_cmpint (tell (&site, &event), ==, 0);
  site_clear (&site);
}

static void
test_users (void)
{
  Site site;
  site_prepare (&site, "modify account phys set GrpJobs=2");
  site_start (&site, "none");
  submit_refused (&site, 1, "dan", LK_REJECT_ACCOUNT_INVALID);
  g_assert_cmpint (change (&site, 1, "add user dan account=phys"), ==, 0);
  submit (&site, 1, "dan");
  submit (&site, 2, "alice");
  submit (&site, 3, "gil");
  pass (&site);
  assert_waits (&site, 3, "AssocGrpJobsLimit");
  g_assert_cmpint (change (&site, 2, "delete user alice"), ==, LK_REJECT_ACCOUNTS_IN_USE);
  g_assert_cmpint (change (&site, 2, "delete account lab"), ==, LK_REJECT_ACCOUNTS_IN_USE);
  /* Those who have no jobs go, and all others have other numbers. */
  g_assert_cmpint (change (&site, 3, "delete user bob"), ==, 0);
  g_assert_cmpint (change (&site, 3, "delete account chem"), ==, 0);
  assert_waits (&site, 3, "AssocGrpJobsLimit");
  submit_refused (&site, 4, "carol", LK_REJECT_ACCOUNT_INVALID);
  reload (&site);
  end (&site, 10, 1);
  g_assert_true (runs (&site, 3));
  g_assert_cmpuint (running_of (&site, "phys"), ==, 2);
  end (&site, 11, 2);
  end (&site, 11, 3);
  g_assert_cmpint (change (&site, 12, "delete account phys"), ==, 0);
  g_assert_cmpuint (lk_engine_accounts (site.fixture.engine)->associations->len, ==, 2);
  reload (&site);
  site_clear (&site);
}

/* Jobs that name no account are of the default one of then. */
static void
test_default_account (void)
{
  Site site;
  site_prepare (&site, "modify account chem set MaxJobs=0");
  site_start (&site, "none");
  g_assert_cmpint (change (&site, 1, "add user alice account=chem"), ==, 0);
  submit (&site, 1, "alice");
  pass (&site);
  g_assert_true (runs (&site, 1));
  g_assert_cmpint (change (&site, 2, "modify user alice set DefaultAccount=chem"), ==, 0);
  submit (&site, 2, "alice");
  pass_if_wanted (&site);
  assert_waits (&site, 2, "AssocMaxJobsLimit");
  reload (&site);
  site_clear (&site);
}

/* ---------------------------------------------------------------- what was used */

/* What is used stays with users; accounts have what their users have. */
static void
test_usage (void)
{
  Site site;
  site_prepare (&site, "");
  site_start (&site, "none");
  submit (&site, 1, "alice -n2");
  submit (&site, 2, "gil -n1");
  pass (&site);
  end (&site, 100, 1);
  end (&site, 100, 2);
  double of_alice = usage_of (&site, "phys", "alice");
  double of_gil = usage_of (&site, "lab", "gil");
  g_assert_cmpfloat (of_alice, >, 0);
  g_assert_cmpfloat (of_gil, >, 0);
  g_assert_cmpint (change (&site, 100, "modify account phys set fairshare=9"), ==, 0);
  g_assert_cmpfloat (usage_of (&site, "phys", ""), ==, of_alice + of_gil);
  g_assert_cmpint (change (&site, 100, "modify account lab set parent=chem"), ==, 0);
  g_assert_cmpfloat (usage_of (&site, "phys", ""), ==, of_alice);
  g_assert_cmpfloat (usage_of (&site, "chem", ""), ==, of_gil);
  g_assert_cmpfloat (usage_of (&site, "root", ""), ==, of_alice + of_gil);
  reload (&site);
  g_assert_cmpint (change (&site, 100, "delete user gil"), ==, 0);
  g_assert_cmpfloat (usage_of (&site, "root", ""), ==, of_alice);
  /* What RawUsage=0 says. */
  g_autoptr (GString) record = g_string_new (NULL);
  const LkAccounts *accounts = lk_engine_accounts (site.fixture.engine);
  lk_accounts_association_text (accounts, lk_accounts_find (accounts, "phys", "", ""), record);
  LkEvent event = { .kind = LK_EVENT_ASSOCIATION };
  event.association = (LkEvent_association){ .operation = LK_ACCOUNTS_CHANGE,
                                             .account = lk_text ("phys"),
                                             .changes = 1u << LK_ASSOCIATION_CHANGE_usage,
                                             .record = { record->str, (guint32)record->len } };
  g_assert_cmpint (tell (&site, &event), ==, 0);
  g_assert_cmpfloat (usage_of (&site, "phys", "alice"), ==, 0);
  g_assert_cmpfloat (usage_of (&site, "root", ""), ==, 0);
  reload (&site);
  site_clear (&site);
}

/* Shares and QOS priorities count from the next calculation on; somebody new has a factor of 0. */
static void
test_priorities (void)
{
  Site site;
  LkShareParts parts = { .size = sizeof parts };
  site_prepare (&site, "");
  site.order = "multifactor:weight_fairshare=1000,weight_qos=1000";
  site_start (&site, "none");
  submit (&site, 1, "alice -N8 --exclusive");
  pass (&site);
  submit (&site, 2, "carol");
  submit (&site, 3, "bob");
  g_assert_cmpint (change (&site, 10, "add user dan account=phys fairshare=3"), ==, 0);
  const LkBook *book = lk_engine_book (site.fixture.engine);
  guint32 dan = lk_book_find_spec (book, lk_accounts_find (book->spec, "phys", "dan", ""));
  g_assert_cmpfloat (book->associations[dan].fairshare, ==, 0);
  reload (&site);
  go_to (&site, 1000);
  fixture_event (&site.fixture, 1000, LK_EVENT_TIMER, 0);
  g_assert_true (lk_engine_share_parts (site.fixture.engine, dan, &parts));
  g_assert_cmpfloat (parts.fairshare, >, 0);
  g_assert_cmpfloat_with_epsilon (parts.shares_norm, 0.5, 1e-9);
  site_clear (&site);
}

/* ---------------------------------------------------------------- refused */

static const char alice_line[] =
    "association phys user=alice partition=\"\" parent=\"\" shares=1 priority=0 qos=\"\" "
    "default_qos=\"\" is_default=1 limits=\"MaxJobs=7\" description=\"\" organization=\"\" "
    "admin_level=\"\" coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n";

typedef struct {
  LkEvent_association event;
  LkReject reject;
} AssociationCase;

#define ALICE .account = { "phys", 4 }, .user = { "alice", 5 }
#define LINE .record = { alice_line, sizeof alice_line - 1 }

static void
refuse_association (Site *site, const LkEvent_association *event, LkReject reject)
{
  g_autoptr (GString) before = g_string_new (NULL);
  g_autoptr (GString) after = g_string_new (NULL);
  LkEvent whole = { .kind = LK_EVENT_ASSOCIATION, .association = *event };
  lk_accounts_text (lk_engine_accounts (site->fixture.engine), before);
  g_assert_cmpint (tell (site, &whole), ==, reject);
  lk_accounts_text (lk_engine_accounts (site->fixture.engine), after);
  g_assert_cmpstr (before->str, ==, after->str);
}

static void
test_association_refused (void)
{
  const guint32 limits = 1u << LK_ASSOCIATION_CHANGE_limits;
  const AssociationCase cases[] = {
    { { .operation = 3, ALICE, LINE, .changes = limits }, LK_REJECT_REQUEST_INVALID },
    { { .operation = LK_ACCOUNTS_ADD, ALICE, LINE }, LK_REJECT_ACCOUNTS_EXISTS },
    { { .operation = LK_ACCOUNTS_CHANGE, .account = { "no", 2 }, LINE, .changes = limits },
      LK_REJECT_ACCOUNTS_UNKNOWN },
    { { .operation = LK_ACCOUNTS_DELETE, .account = { "no", 2 } }, LK_REJECT_ACCOUNTS_UNKNOWN },
    { { .operation = LK_ACCOUNTS_DELETE, .account = { "root", 4 } }, LK_REJECT_ACCOUNTS_BAD },
    { { .operation = LK_ACCOUNTS_CHANGE, ALICE, LINE }, LK_REJECT_PRESENT_INVALID },
    { { .operation = LK_ACCOUNTS_CHANGE, ALICE, LINE, .changes = 1u << 31 },
      LK_REJECT_PRESENT_INVALID },
    { { .operation = LK_ACCOUNTS_CHANGE,
        ALICE,
        LINE,
        .changes = 1u << LK_ASSOCIATION_CHANGE_account },
      LK_REJECT_PRESENT_INVALID },
    { { .operation = LK_ACCOUNTS_CHANGE,
        .account = { "phys", 4 },
        .user = { "bob", 3 },
        LINE,
        .changes = limits },
      LK_REJECT_ACCOUNTS_BAD },
    { { .operation = LK_ACCOUNTS_CHANGE, ALICE, .record = { alice_line, 40 }, .changes = limits },
      LK_REJECT_ACCOUNTS_BAD },
    { { .operation = LK_ACCOUNTS_CHANGE, ALICE, LINE, .unset = { "Nonsense", 8 } },
      LK_REJECT_ACCOUNTS_BAD },
    { { .operation = LK_ACCOUNTS_CHANGE, ALICE, LINE, .unset = { "GrpTRES:gres/x", 14 } },
      LK_REJECT_ACCOUNTS_BAD },
  };
  Site site;
  site_prepare (&site, "");
  site_start (&site, "none");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse_association (&site, &cases[i].event, cases[i].reject);
  LkEvent event = { .kind = LK_EVENT_ASSOCIATION };
  event.association =
      (LkEvent_association){ .operation = LK_ACCOUNTS_CHANGE, ALICE, LINE, .changes = limits };
  g_assert_cmpint (tell (&site, &event), ==, 0);
  g_assert_cmpstr (site.fixture.log->str, ==, "accept 0");
  site_clear (&site);
}

/* An account below itself, a default QOS that it may not use, a limit that is none of its kind. */
static void
test_does_not_fit (void)
{
  static const struct {
    const char *from;
    const char *to;
    guint32 changes;
  } cases[] = {
    { "parent=root", "parent=lab", 1u << LK_ASSOCIATION_CHANGE_parent },
    { "default_qos=\"\"", "default_qos=few", 1u << LK_ASSOCIATION_CHANGE_default_qos },
    { "limits=\"\"", "limits=\"MaxJobsPerUser=3\"", 1u << LK_ASSOCIATION_CHANGE_limits },
    { "usage=0", "usage=5", 1u << LK_ASSOCIATION_CHANGE_usage },
    { "coordinates=\"\"", "coordinates=lab", 1u << LK_ASSOCIATION_CHANGE_coordinates },
  };
  Site site;
  site_prepare (&site, "");
  site_start (&site, "none");
  const LkAccounts *accounts = lk_engine_accounts (site.fixture.engine);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) line = g_string_new (NULL);
    lk_accounts_association_text (accounts, lk_accounts_find (accounts, "phys", "", ""), line);
    g_assert_cmpuint (g_string_replace (line, cases[i].from, cases[i].to, 1), ==, 1);
    LkEvent_association event = { .operation = LK_ACCOUNTS_CHANGE,
                                  .account = lk_text ("phys"),
                                  .changes = cases[i].changes,
                                  .record = { line->str, (guint32)line->len } };
    refuse_association (&site, &event, LK_REJECT_ACCOUNTS_BAD);
  }
  site_clear (&site);
}

static void
test_qos_refused (void)
{
  static const char line[] =
      "qos q description=\"\" priority=3 flags=\"\" usage_factor=1 usage_threshold=-1 "
      "limit_factor=-1 limits=\"\" preempt=\"\" preempt_mode=\"\" grace_us=0 "
      "preempt_exempt_us=-1\n";
  const struct {
    LkEvent_qos event;
    LkReject reject;
  } cases[] = {
    { { .operation = 9, .name = { "q", 1 } }, LK_REJECT_REQUEST_INVALID },
    { { .operation = LK_ACCOUNTS_ADD, .name = { "q", 1 }, .record = { line, sizeof line - 1 } },
      LK_REJECT_ACCOUNTS_EXISTS },
    { { .operation = LK_ACCOUNTS_ADD, .name = { "r", 1 }, .record = { line, sizeof line - 1 } },
      LK_REJECT_ACCOUNTS_BAD },
    { { .operation = LK_ACCOUNTS_DELETE, .name = { "r", 1 } }, LK_REJECT_ACCOUNTS_UNKNOWN },
    { { .operation = LK_ACCOUNTS_CHANGE, .name = { "q", 1 }, .record = { line, sizeof line - 1 } },
      LK_REJECT_PRESENT_INVALID },
    { { .operation = LK_ACCOUNTS_CHANGE,
        .name = { "q", 1 },
        .changes = 1u << LK_QOS_CHANGE_name,
        .record = { line, sizeof line - 1 } },
      LK_REJECT_PRESENT_INVALID },
    { { .operation = LK_ACCOUNTS_CHANGE,
        .name = { "q", 1 },
        .changes = 1u << LK_QOS_CHANGE_priority,
        .record = { line, sizeof line - 1 } },
      0 },
  };
  Site site;
  site_prepare (&site, "");
  site_start (&site, "none");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkEvent event = { .kind = LK_EVENT_QOS, .qos = cases[i].event };
    g_assert_cmpint (tell (&site, &event), ==, cases[i].reject);
  }
  g_assert_cmpuint (lk_accounts_find_qos (lk_engine_accounts (site.fixture.engine), "q")->priority,
                    ==, 3);
  site_clear (&site);
}

/* Where there are no accounts, none can be changed. */
static void
test_no_accounts (void)
{
  LkFixture fixture;
  fixture_init (&fixture, 8, "fifo", "none");
  LkEvent event = { .kind = LK_EVENT_QOS };
  event.qos = (LkEvent_qos){ .operation = LK_ACCOUNTS_DELETE, .name = lk_text ("normal") };
  g_assert_cmpint (fixture_apply (&fixture, 0, &event), ==, LK_STATUS_OK);
  g_autofree char *told = g_strdup_printf ("reject 0 %u", LK_REJECT_DISABLED);
  g_assert_cmpstr (fixture.log->str, ==, told);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts change/a limit that rises lets go", test_limit_rises);
  g_test_add_func ("/accounts change/a limit that falls keeps what waits", test_limit_falls);
  g_test_add_func ("/accounts change/limits on use and on age", test_use_and_age);
  g_test_add_func ("/accounts change/QOS come and go", test_qos);
  g_test_add_func ("/accounts change/a QOS that is all one may use stays", test_sole_qos);
  g_test_add_func ("/accounts change/users and accounts come and go", test_users);
  g_test_add_func ("/accounts change/the default account moves", test_default_account);
  g_test_add_func ("/accounts change/what was used stays with users", test_usage);
  g_test_add_func ("/accounts change/priorities follow", test_priorities);
  g_test_add_func ("/accounts change/associations that are refused", test_association_refused);
  g_test_add_func ("/accounts change/what does not fit is refused", test_does_not_fit);
  g_test_add_func ("/accounts change/QOS that are refused", test_qos_refused);
  g_test_add_func ("/accounts change/there are no accounts", test_no_accounts);
  return g_test_run ();
}
