/* tests/traces/accounts_dump_test.c — dumps of sacctmgr, read and written. */
#include "traces/accounts_dump.h"

#include "tests/traces/accounts_fixture.h"

/* What a Slurm 26.05 wrote of its database. */
static const char *const recordings[] = { "prio",
                                          "03-qos-grptres",
                                          "04-qos-maxtrespu",
                                          "06-assoc-limits",
                                          "08-preempt-qos-requeue",
                                          "23-qos-maxjobs-only",
                                          NULL };

static void
test_prio (void)
{
  g_autoptr (LkAccounts) accounts = accounts_file ("prio", "sacctmgr-dump.cfg");
  g_assert_cmpstr (accounts->cluster, ==, "oracle");
  g_assert_cmpuint (accounts->associations->len, ==, 17);
  LkQosSpec *hi = lk_accounts_find_qos (accounts, "hi");
  g_assert_cmpuint (hi->priority, ==, 100);
  g_assert_true (hi->usage_factor == 2);
  LkQosSpec *unpaid = lk_accounts_find_qos (accounts, "free");
  g_assert_cmpuint (unpaid->flags, ==, LK_QOS_NO_DECAY);
  g_assert_true (unpaid->usage_factor == 0);
  g_assert_cmpstr (lk_accounts_find (accounts, "root", "", "")->qos, ==, "normal");
  LkAssociationSpec *hep = lk_accounts_find (accounts, "hep", "", "");
  g_assert_cmpstr (hep->parent, ==, "phys");
  g_assert_cmpstr (hep->qos, ==, "+free,+hi,+mid");
  g_assert_cmpuint (hep->shares, ==, 3);
  g_assert_cmpuint (lk_accounts_find (accounts, "astro", "carol", "")->priority, ==, 7);
  LkAssociationSpec *alice = lk_accounts_find (accounts, "shared", "alice", "");
  g_assert_cmpuint (alice->shares, ==, LK_SHARES_PARENT);
  g_assert_false (alice->is_default);
  g_assert_true (lk_accounts_find (accounts, "hep", "alice", "")->is_default);
  /* Its first line is in phys, its default account is chem. */
  g_assert_true (lk_accounts_find (accounts, "chem", "dave", "")->is_default);
  g_assert_false (lk_accounts_find (accounts, "phys", "dave", "")->is_default);
}

static void
test_limits (void)
{
  g_autoptr (LkAccounts) accounts = accounts_file ("06-assoc-limits", "sacctmgr-dump.cfg");
  LkAssociationSpec *frank = lk_accounts_find (accounts, "lim", "frank", "");
  g_assert_cmpuint (frank->limits->len, ==, 2);
  g_assert_cmpuint (limit_of (frank->limits, LK_LIMIT_GRP_TRES_RUN_MINS, LK_TRES_CPU), ==, 4);
  g_assert_cmpuint (limit_of (frank->limits, LK_LIMIT_GRP_SUBMIT_JOBS, 0), ==, 2);
  LkAssociationSpec *carol = lk_accounts_find (accounts, "chem", "carol", "");
  g_assert_cmpuint (limit_of (carol->limits, LK_LIMIT_MAX_WALL_PER_JOB, 0), ==, 5);
  g_autoptr (LkAccounts) qos = accounts_file ("23-qos-maxjobs-only", "sacctmgr-dump.cfg");
  g_assert_cmpuint (
      limit_of (lk_accounts_find_qos (qos, "ju")->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0), ==, 1);
  g_assert_cmpuint (
      limit_of (lk_accounts_find_qos (qos, "ja")->limits, LK_LIMIT_MAX_JOBS_PER_ACCOUNT, 0), ==, 1);
}

/* The lines of a file that are no comments. Returns: (transfer full). */
static char *
without_comments (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *out = g_string_new (NULL);
  for (char **line = lines; *line; line++)
    if (**line != '#' && **line != '\0')
      g_string_append_printf (out, "%s\n", *line);
  return g_string_free (out, FALSE);
}

/* The writer writes what Slurm had written. */
static void
test_write (void)
{
  for (guint i = 0; recordings[i]; i++) {
    g_autoptr (LkAccounts) accounts = accounts_file (recordings[i], "sacctmgr-dump.cfg");
    g_autofree char *path =
        g_build_filename (ACCOUNTS_FIXTURES, recordings[i], "sacctmgr-dump.cfg", NULL);
    g_autofree char *recorded = NULL;
    g_autoptr (GString) out = g_string_new (NULL);
    g_autoptr (GError) error = NULL;
    g_file_get_contents (path, &recorded, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (lk_accounts_dump_write (accounts, out, &error));
    g_autofree char *expected = without_comments (recorded);
    g_autofree char *written = without_comments (out->str);
    g_assert_cmpstr (written, ==, expected);
  }
}

static const char everything[] =
    "QOS - 'normal'\n"
    "QOS - 'high':Description=\"it's\":Flags='DenyOnLimit,NoDecay':GraceTime=60"
    ":GrpTRES='mem=1024,gres/gpu:a100=8':GrpJobs=3:MaxTRESPerUser=cpu=4:MaxJobsPU=4"
    ":Preempt='normal':PreemptMode='requeue':PreemptExemptTime='0-00:10:00':Priority=5"
    ":UsageFactor=0.100000:UsageThreshold=0.3333333333333333:LimitFactor=2.500000\n"
    "Cluster - 'c':DefaultQOS='normal':Fairshare=1:QOS='high,normal'\n"
    "Parent - 'root'\n"
    "Account - 'a':Description='50\\# of \\\\':Fairshare=2147483647:Priority=2:QOS='-high'\n"
    "Parent - 'a'\n"
    "User - 'u':Partition='Long':DefaultAccount='a':AdminLevel='Operator':Coordinator='a,root'"
    ":Fairshare=0\n"
    "User - 'u':DefaultAccount='a':Fairshare=1\n";

static void
test_everything (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good (everything);
  g_autoptr (GString) out = g_string_new ("before\n");
  g_assert_true (lk_accounts_dump_write (accounts, out, NULL));
  g_autofree char *written = without_comments (out->str);
  g_assert_true (g_str_has_prefix (written, "before\n"));
  g_assert_cmpstr (written + strlen ("before\n"), ==, everything);
  const LkAssociationSpec *a = lk_accounts_find (accounts, "a", "", "");
  g_assert_cmpstr (a->description, ==, "50# of \\");
  g_assert_cmpuint (a->shares, ==, LK_SHARES_PARENT);
  const LkQosSpec *high = lk_accounts_find_qos (accounts, "high");
  g_assert_cmpint (high->grace_us, ==, 60000000);
  g_assert_cmpint (high->preempt_exempt_us, ==, 600000000);
  g_assert_nonnull (lk_accounts_find (accounts, "a", "u", "Long"));
}

static void
test_forms (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good (
      "# nothing\n"
      "\n"
      "QOS - Normal\n"
      "  cluster-c1:QOS=',normal'\n"
      "Parent - root\n"
      "Account - Phys:Description='a: b':GrpTRES=gres/gpu:a100=4,cpu=8:MaxWall=1-0:Org=o\n"
      "Parent - 'PHYS'\n"
      "User - \"Ann\":DefaultAccount=Phys:GrpMem=2G:Coordinator='phys':WCKeys='x'::\n");
  const LkAssociationSpec *phys = lk_accounts_find (accounts, "phys", "", "");
  guint32 gpu = lk_accounts_find_tres (accounts, "gres/gpu:a100");
  g_assert_cmpstr (accounts->cluster, ==, "c1");
  g_assert_cmpstr (phys->description, ==, "a: b");
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_GRP_TRES, gpu), ==, 4);
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_MAX_WALL_PER_JOB, 0), ==, 1440);
  const LkAssociationSpec *ann = lk_accounts_find (accounts, "phys", "ann", "");
  g_assert_true (ann->is_default);
  g_assert_cmpstr (ann->coordinates, ==, "phys");
  g_assert_true (lk_accounts_coordinates (accounts, "ann", "phys"));
  g_assert_cmpuint (limit_of (ann->limits, LK_LIMIT_GRP_TRES, LK_TRES_MEMORY), ==, 2048);
  g_assert_null (lk_accounts_find (accounts, "root", "root", ""));
}

static void
test_errors (void)
{
  static const WrongText cases[] = {
    { "User - 'x\n", "1: a quote is not closed" },
    { "User - 'x':Fair='1\n", "1: a quote is not closed" },
    { "User - ''\n", "1: User without a name" },
    { "Account - 'a'\nAccount - 'b':Fairshre=1\n",
      "2: unknown key 'fairshre'; did you mean 'fairshare'?" },
    { "Account - 'a':Fairshare\n", "1: 'Fairshare' is not KEY=VALUE" },
    { "Account - 'a':Fairshare=-2\n",
      "1: Fairshare is '-2'; expected a whole number of 0 or more, or parent" },
    { "Parent - 'phys'\n",
      "1: Parent 'phys' has no Account line above; expected parents before their children" },
    { "Cluster - 'c'\nQOS - 'q'\n", "2: QOS 'q' below the Cluster line; expected above" },
    { "Cluster - 'c'\nCluster - 'd'\n", "2: a second Cluster 'd'; expected one" },
    { "QOS - 'q'\nQOS - 'q'\n", "2: QOS 'q' is there twice; expected it once" },
    { "Account - 'a'\nAccount - 'a'\n", "2: account 'a' is there twice; expected it once" },
    { "User - 'u'\nUser - 'u'\n",
      "2: user 'u' is there twice in account 'root'; expected each association once" },
    { "Account - 'a':QOS='+hgh'\n", "1: QosLevel: there is no QOS 'hgh'; there are: normal" },
    { "QOS - 'high'\nQOS - 'low'\nAccount - 'a':QOS='+hgh'\n",
      "3: QosLevel: there is no QOS 'hgh'; did you mean 'high'?" },
    { "QOS - 'normal'\nQOS - 'high'\nCluster - 'c':QOS=',normal'\n"
      "Account - 'a':DefaultQOS='high':QOS=',normal'\n",
      "4: account 'a': default_qos is 'high', which it may not use; expected one of its QOS" },
    { "QOS - 'high':Preempt='low'\n",
      "1: QOS 'high': preempt names the QOS 'low', which is not there" },
    { "QOS - 'high':Flags='DenyLimit'\n",
      "1: Flags: there is no flag 'DenyLimit'; did you mean 'denyonlimit'?" },
    { "QOS - 'high':MaxJobs=-3\n",
      "1: MaxJobsPerUser is '-3'; expected a whole number, or -1 for none" },
    { "Account - 'a':GrpTRES=cpus=3\n", "1: GrpTRES: 'cpus' is no TRES; did you mean 'cpu'?" },
    { "Account - 'a':GrpTRES=cpu\n", "1: GrpTRES is 'cpu'; expected TRES=NUMBER with commas "
                                     "between, such as cpu=100,mem=64G" },
    { "Account - 'a':GrpTRES=cpu=x\n", "1: GrpTRES of cpu is 'x'; expected a whole number (memory "
                                       "also with K, M, G or T), or -1 for none" },
    { "Account - 'a':GrpWall=soon\n",
      "1: GrpWall is 'soon'; expected minutes or [days-]hours:minutes:seconds, or -1 for none" },
    { "Account - 'a:b'\n", "1: account 'a:b': account holds a letter that names may not have; "
                           "expected ASCII without blanks and \"'\\,=:|" },
    { "User - 'u':AdminLevel=King\n",
      "1: AdminLevel is 'King'; expected None, Operator or Administrator" },
    { "Account - 'a'\nParent - 'a'\nUser - 'u':DefaultAccount='b'\n",
      "3: DefaultAccount: user 'u' is not in account 'b'" },
    { "User - 'u':Coordinator='a'\n",
      "1: user 'u' of account 'root': coordinates names the account 'a', which is not there" },
    { "QOS - 'q'\nsomething\n",
      "2: 'something' begins no line of a dump; expected QOS, Cluster, Parent, Account or User, as "
      "in Account - 'name':..." },
  };
  texts_wrong (cases, G_N_ELEMENTS (cases));
}

static void
test_write_refused (void)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
  LkAssociationSpec *spec = lk_accounts_add_account (accounts, "a", NULL);
  g_free (spec->description);
  spec->description = g_strdup ("\"it's\"");
  g_autoptr (GString) out = g_string_new ("x");
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_accounts_dump_write (accounts, out, &error));
  g_assert_cmpstr (error->message, ==,
                   "account 'a': a text with line ends or both kinds of quotes cannot stand in a "
                   "dump");
  g_assert_cmpstr (out->str, ==, "x");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts-dump/reads a recorded tree", test_prio);
  g_test_add_func ("/accounts-dump/reads recorded limits", test_limits);
  g_test_add_func ("/accounts-dump/writes what was recorded", test_write);
  g_test_add_func ("/accounts-dump/writes all that there is", test_everything);
  g_test_add_func ("/accounts-dump/takes other forms of the same", test_forms);
  g_test_add_func ("/accounts-dump/says what is wrong and where", test_errors);
  g_test_add_func ("/accounts-dump/writes nothing that cannot be read", test_write_refused);
  return g_test_run ();
}
