/* tests/traces/accounts_yaml_test.c — accounts as pages of YAML, read and written. */
#include "traces/accounts_yaml.h"

#include "tests/traces/accounts_fixture.h"

static const char page[] = "# Two lines\n"
                           "#\n"
                           "# of a head.\n"
                           "cluster: oracle\n"
                           "enforce: [associations, limits, safe]\n"
                           "compat: slurm-22.05\n"
                           "half_life: 14-00:00:00\n"
                           "calc_period: 1m\n"
                           "usage_reset: monthly\n"
                           "utc_offset_s: -3600\n"
                           "billing: max_gres\n"
                           "accrue_always: true\n"
                           "tres: [gres/gpu, \"gres/gpu:a100\", license/x]\n"
                           "\n"
                           "qos:\n"
                           "  - name: normal\n"
                           "  - name: high\n"
                           "    description: \"a \\\"fast\\\" one\"\n"
                           "    priority: 100\n"
                           "    flags: [DenyOnLimit, NoDecay]\n"
                           "    usage_factor: 2.5\n"
                           "    usage_threshold: 0.1\n"
                           "    limit_factor: 2\n"
                           "    limits: {GrpTRES: {cpu: 100, \"gres/gpu:a100\": 8}, "
                           "MaxJobsPerUser: 3, MaxTRESPerUser: {mem: 2048}}\n"
                           "    preempt: normal\n"
                           "    preempt_mode: requeue\n"
                           "    grace: 30s\n"
                           "    preempt_exempt: 10m\n"
                           "\n"
                           "root:\n"
                           "  qos: [high, normal]\n"
                           "  default_qos: normal\n"
                           "  users:\n"
                           "    - user: boss\n"
                           "      default: true\n"
                           "\n"
                           "accounts:\n"
                           "  - account: phys\n"
                           "    shares: 40\n"
                           "    qos: [+high, \"-normal\"]\n"
                           "    limits: {GrpJobs: 2, MaxWallDurationPerJob: 90}\n"
                           "    description: physics\n"
                           "    users:\n"
                           "      - user: alice\n"
                           "        partition: Long\n"
                           "        shares: parent\n"
                           "        priority: 7\n"
                           "        default: true\n"
                           "        admin_level: Operator\n"
                           "        coordinates: [chem, hep]\n"
                           "        usage: 0.3333333333333333\n"
                           "        usage_wall_s: 60\n"
                           "        usage_tres: {cpu: 1e+30}\n"
                           "    accounts:\n"
                           "      - account: hep\n"
                           "        accounts:\n"
                           "          - account: deep\n"
                           "  - account: chem\n";

static void
test_page (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good (page);
  g_autoptr (GString) out = g_string_new (NULL);
  lk_accounts_yaml_write (accounts, "Two lines\n\nof a head.\n", out);
  g_assert_cmpstr (out->str, ==, page);
  g_assert_cmpuint (accounts->compat, ==, LK_COMPAT_SLURM_22_05);
  g_assert_cmpint (accounts->half_life_us, ==, G_GINT64_CONSTANT (1209600000000));
  g_assert_cmpint (accounts->reset, ==, LK_RESET_MONTHLY);
  g_assert_cmpint (accounts->utc_offset_s, ==, -3600);
  g_assert_cmpint (accounts->billing, ==, LK_BILLING_MAX_GRES);
  const LkAssociationSpec *alice = lk_accounts_find (accounts, "phys", "alice", "Long");
  g_assert_cmpuint (alice->shares, ==, LK_SHARES_PARENT);
  g_assert_true (alice->usage == 1.0 / 3);
  g_assert_cmpstr (lk_accounts_find (accounts, "deep", "", "")->parent, ==, "hep");
  g_assert_cmpstr (lk_accounts_find (accounts, "chem", "", "")->parent, ==, "root");
  g_assert_null (lk_accounts_find (accounts, "root", "root", ""));
}

/* Other forms of the same: names behind what is below, aliases, plain users. */
static void
test_forms (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good (
      "accounts:\n"
      "  - accounts:\n"
      "      - users: [Ann, {user: bob, default: no}]\n"
      "        account: HEP\n"
      "    users: [ann]\n"
      "    account: Phys\n"
      "    qos: +High\n"
      "    limits: {maxwall: 1-0, GrpNodes: 3, grptresmins: {Mem: 2G}, grpjobs: -1}\n"
      "qos: [{name: normal, usage_threshold: none}, {name: High}]\n"
      "enforce: []\n");
  const LkAssociationSpec *phys = lk_accounts_find (accounts, "phys", "", "");
  g_assert_cmpstr (phys->qos, ==, "+high");
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_MAX_WALL_PER_JOB, 0), ==, 1440);
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_GRP_TRES, LK_TRES_NODE), ==, 3);
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_MEMORY), ==, 2048);
  g_assert_cmpuint (phys->limits->len, ==, 3);
  g_assert_cmpstr (lk_accounts_find (accounts, "hep", "", "")->parent, ==, "phys");
  g_assert_nonnull (lk_accounts_find (accounts, "hep", "bob", ""));
  g_assert_nonnull (lk_accounts_find (accounts, "phys", "ann", ""));
  g_assert_nonnull (lk_accounts_find (accounts, "root", "root", ""));
}

/* A page of every recorded tree says the same. */
static void
test_recorded (void)
{
  static const char *const recordings[] = { "prio", "06-assoc-limits", "23-qos-maxjobs-only",
                                            NULL };
  for (guint i = 0; recordings[i]; i++) {
    g_autoptr (LkAccounts) accounts = accounts_file (recordings[i], "sacctmgr-dump.cfg");
    g_autoptr (GString) out = g_string_new (NULL);
    lk_accounts_yaml_write (accounts, NULL, out);
    g_autoptr (LkAccounts) again = accounts_good (out->str);
    g_autofree char *text = accounts_text (accounts);
    g_autofree char *text_again = accounts_text (again);
    /* The head too; the order is that of the page. */
    g_assert_true (strncmp (text, text_again, strcspn (text, "\n")) == 0);
    g_autofree char *sorted = accounts_sorted (accounts);
    g_autofree char *sorted_again = accounts_sorted (again);
    g_assert_cmpstr (sorted_again, ==, sorted);
    g_autoptr (GString) out_again = g_string_new (NULL);
    lk_accounts_yaml_write (again, NULL, out_again);
    g_assert_cmpstr (out_again->str, ==, out->str);
  }
}

/* The page that docs/accounts.md shows. */
static void
test_documented (void)
{
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (LK_SOURCE_DIR "/docs/accounts.md", &text, NULL, NULL));
  char *begin = strstr (text, "```yaml\n") + strlen ("```yaml\n");
  *strstr (begin, "```") = '\0';
  g_autoptr (LkAccounts) accounts = accounts_good (begin);
  g_assert_cmpuint (accounts->associations->len, ==, 2 + 6);
  g_assert_cmpstr (lk_accounts_find (accounts, "phys", "kim", "")->coordinates, ==, "phys");
  const LkAssociationSpec *dave = lk_accounts_find (accounts, "phys", "dave", "long");
  g_assert_true (dave->usage == 86400);
  const LkQosSpec *high = lk_accounts_find_qos (accounts, "high");
  g_assert_cmpuint (limit_of (high->limits, LK_LIMIT_MAX_WALL_PER_JOB, 0), ==, 2880);
}

static void
test_deep (void)
{
  g_autoptr (GString) text = g_string_new ("accounts: ");
  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "[{account: a%u, accounts: ", i);
  g_autoptr (GError) error = NULL;
  g_assert_null (accounts_from (text->str, &error));
  g_assert_true (g_str_has_suffix (error->message, ": more than 64 accounts below each other"));
}

static const WrongText wrong_pages[] = {
  { "{}\n", "1:1: holds no accounts; expected 'accounts:' and what follows" },
  { "---\n", "2:1: no description of accounts; expected 'accounts:' and what follows" },
  { "acounts: []\n", "1:1: unknown key 'acounts'; did you mean 'accounts'?" },
  { "accounts: x\n", "1:11: 'accounts' is one value; expected a list" },
  { "accounts:\n  - x\n", "2:5: 'accounts' is one value; expected 'key: value' pairs" },
  { "accounts:\n  - shares: 3\n", "2:5: no 'account' in this entry of 'accounts'; expected one" },
  { "accounts:\n  - account: a\n    users: [{shares: 1}]\n",
    "3:13: no 'user' in this entry of 'users'; expected one" },
  { "qos:\n  - priority: 3\n", "2:5: no 'name' in this entry of 'qos'; expected one" },
  { "accounts:\n  - account: a\n    share: 1\n",
    "3:5: unknown key 'share'; did you mean 'shares'?" },
  { "accounts:\n  - account: a\n    account: b\n", "3:5: key 'account' is given twice" },
  { "accounts:\n  - account: a\n    shares: -1\n",
    "3:13: 'shares' is '-1'; expected a whole number of 0 or more, or parent" },
  { "accounts:\n  - account: a\n    accounts: 5\n",
    "3:15: 'accounts' is one value; expected a list" },
  { "accounts:\n  - account: a\n  - account: a\n",
    "3:14: 'account' is 'a', which is there twice; expected each account once (the first is at "
    "2:14)" },
  { "accounts:\n  - account: b\n    accounts:\n      - account: A\n        accounts:\n"
    "          - account: b\n",
    "6:22: 'account' is 'b', which is there twice; expected each account once (the first is at "
    "2:14)" },
  { "accounts: [{account: root}]\n",
    "1:22: 'account' is 'root', which is there twice; expected each account once, and what it "
    "has under the key root" },
  { "qos: [{name: q}, {name: q}]\n",
    "1:25: 'name' is 'q', which is there twice; expected each QOS once (the first is at 1:14)" },
  { "accounts:\n  - account: a\n    users: [u, u]\n",
    "3:16: 'user' is 'u', who is there twice in account 'a'; expected each user once (the first "
    "is at 3:13)" },
  { "accounts:\n  - account: a\n    users:\n      - {user: u, partition: p}\n      - u\n"
    "      - {partition: p, user: U}\n",
    "6:30: 'user' is 'u', who is there twice in account 'a'; expected each user once (the first "
    "is at 4:16)" },
  { "root: {users: [u, u]}\n",
    "1:19: 'user' is 'u', who is there twice in account 'root'; expected each user once (the "
    "first is at 1:16)" },
  { "accounts:\n  - account: a b\n",
    "2:14: 'account' holds a letter that names may not have; expected ASCII without blanks and "
    "\"'\\,=:|" },
  { "accounts:\n  - account: a\n    qos: low\n",
    "3:10: 'qos' names the QOS 'low', which is not there" },
  { "qos: [{name: q}, {name: r}]\naccounts:\n  - account: a\n    qos: [-q]\n    default_qos: q\n",
    "5:18: 'default_qos' is 'q', which it may not use; expected one of its QOS" },
  { "accounts:\n  - account: a\n    limits: {GrpTRES: 3}\n",
    "3:23: 'GrpTRES' is one value; expected 'key: value' pairs" },
  { "accounts:\n  - account: a\n    limits: {GrpTRES: {cpus: 3}}\n",
    "3:30: GrpTRES: 'cpus' is no TRES; did you mean 'cpu'?" },
  { "accounts:\n  - account: a\n    limits: {GrpTRS: {cpu: 3}}\n",
    "3:14: unknown key 'grptrs'; did you mean 'grptres'?" },
  { "accounts:\n  - account: a\n    limits: {MaxJobsPerUser: 3}\n",
    "3:14: MaxJobsPerUser is of a QOS; expected an option of accounts and users" },
  { "accounts:\n  - account: a\n    limits: {fairshare: 3}\n",
    "3:14: 'fairshare' is no limit; expected one such as GrpTRES or MaxWall" },
  { "qos:\n  - name: a\n    limits: {MaxJobsPerUser: many}\n",
    "3:30: MaxJobsPerUser is 'many'; expected a whole number, or -1 for none" },
  { "qos:\n  - name: a\n    usage_factor: -2\n",
    "3:19: 'usage_factor' is '-2'; expected a number of 0 or more" },
  { "qos:\n  - name: a\n    flags: [NoDelay]\n",
    "3:13: 'flags' is 'NoDelay'; did you mean 'NoDecay'?" },
  { "qos:\n  - name: a\n    preempt: [b]\n",
    "3:14: 'preempt' names the QOS 'b', which is not there" },
  { "qos: []\n", "1:6: 'qos' is 0; expected 1 to 65536" },
  { "enforce: [limit]\n", "1:11: 'enforce' is 'limit'; did you mean 'limits'?" },
  { "compat: 20\n", "1:9: 'compat' is '20'; there are: slurm-26.05, slurm-22.05" },
  { "half_life: 7\n",
    "1:12: 'half_life' is '7'; expected a time with its unit, such as 30s, 5m or 0:30" },
  { "tres: [gpu]\n", "1:8: 'gpu' is no TRES; did you mean 'cpu'?" },
  { "utc_offset_s: 90000\n",
    "1:15: 'utc_offset_s' is '90000'; expected seconds from -86400 to 86400" },
  { "accrue_always: maybe\n", "1:16: 'accrue_always' is 'maybe'; expected true or false" },
  { "root:\n  users:\n    - {user: u, usage: x}\n",
    "3:24: 'usage' is 'x'; expected a number of 0 or more" },
  { "root:\n  users:\n    - {user: u, usage_tres: {cpu: x}}\n",
    "3:35: 'cpu' is 'x'; expected a number of 0 or more" },
  { "calc_period: 0\n", "1:14: 'calc_period' is 0; expected a time above 0" },
};

static void
test_errors (void)
{
  texts_wrong (wrong_pages, G_N_ELEMENTS (wrong_pages));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts-yaml/reads and writes all that there is", test_page);
  g_test_add_func ("/accounts-yaml/takes other forms of the same", test_forms);
  g_test_add_func ("/accounts-yaml/says the same of recorded trees", test_recorded);
  g_test_add_func ("/accounts-yaml/reads the page of the documentation", test_documented);
  g_test_add_func ("/accounts-yaml/refuses a tree that is too deep", test_deep);
  g_test_add_func ("/accounts-yaml/says what is wrong and where", test_errors);
  return g_test_run ();
}
