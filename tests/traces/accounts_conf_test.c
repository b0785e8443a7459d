/* tests/traces/accounts_conf_test.c — what slurm.conf says of accounts and of the order. */
#include <glib/gstdio.h>

#include "tests/traces/accounts_fixture.h"

#define MACHINES LK_SOURCE_DIR "/tests/fixtures/slurm-conf"

/* A file in a folder of its own, for as long as a test runs. */
typedef struct {
  char *folder;
  char *path;
  char *included;
} Files;

static void
files_write (Files *self, const char *text, const char *included)
{
  g_autoptr (GError) error = NULL;
  self->folder = g_dir_make_tmp ("accounts-conf-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "slurm.conf", NULL);
  self->included = g_build_filename (self->folder, "more.conf", NULL);
  g_assert_true (g_file_set_contents (self->path, text, -1, NULL));
  if (included)
    g_assert_true (g_file_set_contents (self->included, included, -1, NULL));
}

static void
files_clear (Files *self)
{
  g_remove (self->path);
  g_remove (self->included);
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->included);
}

/* The head of accounts with this slurm.conf, or the message, without the folder. */
static char *
head_with (const char *text, const char *included)
{
  Files files;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkAccounts) accounts = lk_accounts_new (NULL);
  files_write (&files, text, included);
  g_autofree char *before = accounts_text (accounts);
  gboolean is_good = lk_accounts_apply_slurm_conf (accounts, files.path, &error);
  g_autofree char *after = accounts_text (accounts);
  char *result = is_good ? g_strndup (after, strcspn (after, "\n"))
                         : g_strdup (error->message + strlen (files.folder) + 1);
  if (!is_good)
    g_assert_cmpstr (after, ==, before);
  files_clear (&files);
  return result;
}

static char *
order_with (const char *text)
{
  Files files;
  g_autoptr (GError) error = NULL;
  files_write (&files, text, NULL);
  char *order = lk_slurm_conf_order (files.path, &error);
  char *result = order ? order : g_strdup (error->message + strlen (files.folder) + 1);
  files_clear (&files);
  return result;
}

static void
test_nothing (void)
{
  g_autofree char *head = head_with ("", NULL);
  g_assert_cmpstr (head, ==,
                   "accounts cluster tres=cpu,mem,energy,node,billing,fs/disk,vmem,pages "
                   "enforce=\"\" compat=slurm-26.05 half_life_us=604800000000 "
                   "calc_period_us=300000000 reset=none utc_offset_s=0 billing=sum "
                   "accrue_always=0");
}

static void
test_all (void)
{
  g_autofree char *head = head_with ("ClusterName=Oracle\n"
                                     "AccountingStorageEnforce=none\n"
                                     "PriorityCalcPeriod=1\n"
                                     "Include more.conf\n"
                                     "NodeName=n1 CPUs=4\n"
                                     "PriorityUsageResetPeriod=yearly PriorityDecayHalfLife=0\n",
                                     "AccountingStorageEnforce=Limits,QOS,wckeys,NoJobs\n"
                                     "AccountingStorageTRES=gres/gpu,License/x,CPU\n"
                                     "PriorityFlags=MAX_TRES,accrue_always,NO_FAIR_TREE\n");
  g_assert_cmpstr (head, ==,
                   "accounts oracle tres=cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu,"
                   "license/x enforce=associations,limits,qos compat=slurm-26.05 half_life_us=0 "
                   "calc_period_us=60000000 reset=yearly utc_offset_s=0 billing=max "
                   "accrue_always=1");
  g_autofree char *enforce_all = head_with ("AccountingStorageEnforce=all\n"
                                            "PriorityFlags=MAX_TRES_GRES\n",
                                            NULL);
  g_assert_nonnull (strstr (enforce_all, " enforce=associations,limits,qos,safe "));
  g_assert_nonnull (strstr (enforce_all, " billing=max_gres "));
  g_autofree char *enforce_number = head_with ("AccountingStorageEnforce=2\n", NULL);
  g_assert_nonnull (strstr (enforce_number, " enforce=associations,limits "));
}

static void
test_errors (void)
{
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
    { "AccountingStorageEnforce=limit\n",
      "slurm.conf:1: AccountingStorageEnforce: there is no 'limit'; did you mean 'limits'?" },
    { "\nAccountingStorageTRES=gpu\n",
      "slurm.conf:2: AccountingStorageTRES: 'gpu' is no TRES; did you mean 'cpu'?" },
    { "PriorityDecayHalfLife=x\n", "slurm.conf:1: PriorityDecayHalfLife is 'x'; expected minutes "
                                   "or [days-]hours:minutes:seconds" },
    { "PriorityCalcPeriod=0\n", "slurm.conf:1: PriorityCalcPeriod is '0'; expected minutes or "
                                "[days-]hours:minutes:seconds" },
    { "PriorityDecayHalfLife=0\n",
      "slurm.conf:1: PriorityDecayHalfLife is 0 and PriorityUsageResetPeriod is NONE, so that use "
      "would grow for ever; expected one of them" },
    { "PriorityUsageResetPeriod=HOURLY\n",
      "slurm.conf:1: PriorityUsageResetPeriod: there is no 'HOURLY'; there are: none, now, daily, "
      "weekly, monthly, quarterly, yearly" },
    { "PriorityFlags=MAX_TRESS\n",
      "slurm.conf:1: PriorityFlags: there is no 'max_tress'; did you mean 'MAX_TRES'?" },
    { "ClusterName=\"a b\"\n",
      "slurm.conf: cluster holds a letter that names may not have; expected ASCII without blanks "
      "and \"'\\,=:|" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = head_with (cases[i].text, NULL);
    g_assert_cmpstr (message, ==, cases[i].message);
  }
}

static void
test_order (void)
{
  static const struct {
    const char *text;
    const char *order;
  } cases[] = {
    { "", "multifactor" },
    { "PriorityType=priority/basic\nPriorityWeightAge=5\n", "basic" },
    { "PriorityType=priority/multifactor\n", "multifactor" },
    { "PriorityWeightAge=1K\nPriorityWeightAge=1000\nPriorityWeightAssoc=2 "
      "PriorityWeightFairshare=3\nPriorityWeightJobSize=4\nPriorityWeightPartition=5\n"
      "PriorityWeightQOS=6K\nPriorityWeightTRES=CPU=0,Mem=.03,GRES/gpu=30000\n"
      "PriorityMaxAge=7-0\nPriorityFavorSmall=YES\nFairShareDampeningFactor=5\n"
      "PriorityFlags=NO_FAIR_TREE,MAX_TRES,INCR_ONLY\n",
      "multifactor:weight_age=1000,weight_assoc=2,weight_fairshare=3,weight_job_size=4,"
      "weight_partition=5,weight_qos=6144,weight_tres=\"CPU=0,Mem=.03,GRES/gpu=30000\","
      "max_age_s=604800,favor_small=1,fairshare_dampening=5,flags=INCR_ONLY+NO_FAIR_TREE" },
    { "PriorityFavorSmall=no\nPriorityFlags=FAIR_TREE\n", "multifactor:favor_small=0" },
    { "PriorityFavorSmall=1\n", "multifactor:favor_small=1" },
    { "PriorityType=priority/site\n", "slurm.conf:1: PriorityType: there is no 'priority/site'; "
                                      "did you mean 'priority/basic'?" },
    { "PriorityWeightAge=-1\n", "slurm.conf:1: PriorityWeightAge is '-1'; expected a whole number "
                                "of at most 4294967295" },
    { "PriorityWeightQOS=4194304K\n", "slurm.conf:1: PriorityWeightQOS is '4194304K'; expected a "
                                      "whole number of at most 4294967295" },
    { "PriorityWeightTRES=CPU\n", "slurm.conf:1: PriorityWeightTRES is 'CPU'; expected TRES=WEIGHT "
                                  "with commas between, such as CPU=1000,GRES/gpu=3000" },
    { "PriorityMaxAge=0\n", "slurm.conf:1: PriorityMaxAge is '0'; expected minutes or "
                            "[days-]hours:minutes:seconds" },
    { "PriorityFavorSmall=2\n", "slurm.conf:1: PriorityFavorSmall is '2'; expected YES or NO" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *order = order_with (cases[i].text);
    g_assert_cmpstr (order, ==, cases[i].order);
  }
}

static void
test_site (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *order = lk_slurm_conf_order (MACHINES "/ubhpc-medium/slurm.conf", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (order, ==,
                   "multifactor:weight_age=70000,weight_fairshare=120000,weight_job_size=200000,"
                   "weight_partition=1000000,weight_qos=50000,"
                   "weight_tres=\"CPU=0,Mem=.03,GRES/gpu=30000\",max_age_s=604800,favor_small=0,"
                   "fairshare_dampening=5,flags=NO_NORMAL_TRES");
  g_autoptr (LkAccounts) accounts =
      lk_accounts_open (MACHINES "/ubhpc-medium/sacctmgr.script", &error);
  g_assert_no_error (error);
  g_assert_true (
      lk_accounts_apply_slurm_conf (accounts, MACHINES "/ubhpc-medium/slurm.conf", &error));
  g_assert_nonnull (lk_accounts_find (accounts, "account001", "", ""));
  g_assert_true ((accounts->enforce & LK_ENFORCE_ASSOCIATIONS) != 0);
}

static void
test_bytes (void)
{
  static const char text[] = "ClusterName=Tiny\nAccountingStorageEnforce=limits\n";
  static const char wrong[] = "\nAccountingStorageEnforce=limit\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GBytes) wrong_bytes = g_bytes_new_static (wrong, strlen (wrong));
  g_autoptr (LkAccounts) accounts = lk_accounts_new (NULL);
  g_assert_true (lk_accounts_apply_slurm_conf_bytes (accounts, "x.conf", bytes, &error));
  g_assert_cmpstr (accounts->cluster, ==, "tiny");
  g_assert_cmpuint (accounts->enforce, ==, LK_ENFORCE_LIMITS | LK_ENFORCE_ASSOCIATIONS);
  g_assert_false (lk_accounts_apply_slurm_conf_bytes (accounts, "x.conf", wrong_bytes, &error));
  g_assert_true (g_str_has_prefix (error->message, "x.conf:2: "));
  g_assert_cmpstr (accounts->cluster, ==, "tiny");
}

static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkAccounts) accounts = lk_accounts_new (NULL);
  g_assert_null (lk_accounts_open ("nowhere/x", &error));
  g_assert_cmpstr (error->message, ==, "cannot read 'nowhere/x': No such file or directory");
  g_clear_error (&error);
  g_assert_null (lk_slurm_conf_order ("nowhere/x", NULL));
  g_assert_false (lk_accounts_apply_slurm_conf (accounts, "nowhere/x", NULL));
}

/* What kind a file is, is told by its first line. */
static void
test_kinds (void)
{
  g_autoptr (LkAccounts) dump = accounts_good ("#x\n\n  Account - 'a'\n");
  g_autoptr (LkAccounts) script = accounts_good ("# accounts:\nadd account a\n");
  g_autoptr (LkAccounts) yaml = accounts_good ("# add\naccounts: [{account: a}]\n");
  g_autoptr (LkAccounts) flow = accounts_good ("{accounts: [{account: a}]}\n");
  g_assert_nonnull (lk_accounts_find (dump, "a", "", ""));
  g_assert_nonnull (lk_accounts_find (script, "a", "", ""));
  g_assert_nonnull (lk_accounts_find (yaml, "a", "", ""));
  g_assert_nonnull (lk_accounts_find (flow, "a", "", ""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts-conf/an empty slurm.conf has Slurm's defaults", test_nothing);
  g_test_add_func ("/accounts-conf/all keys act, also of included files", test_all);
  g_test_add_func ("/accounts-conf/a wrong value changes nothing and has its line", test_errors);
  g_test_add_func ("/accounts-conf/slurm.conf has an order", test_order);
  g_test_add_func ("/accounts-conf/the files of a site", test_site);
  g_test_add_func ("/accounts-conf/a text that is in no file", test_bytes);
  g_test_add_func ("/accounts-conf/files that are not there", test_missing);
  g_test_add_func ("/accounts-conf/kinds of files are told apart", test_kinds);
  return g_test_run ();
}
