/* tests/engine/accounts_test.c — descriptions of accounts: made, copied, found, checked, written
 * and read.
 *
 * Most errors are made in the canonical text of one sample, so that the reader and the check are
 * tested together; what no text can say is broken by hand. */
#include "engine/accounts.h"

#include <string.h>

#include "engine/line_text.h"
#include "tests/engine/seed.h"

/* ---------------------------------------------------------------- samples */

static void
text_set (char **member, const char *text)
{
  g_free (*member);
  *member = g_strdup (text);
}

static void
sample_qos (LkAccounts *accounts)
{
  LkQosSpec *high = lk_accounts_add_qos (accounts, "high");
  text_set (&high->description, "the \"fast\"\none");
  high->priority = 100;
  high->flags = LK_QOS_DENY_ON_LIMIT | LK_QOS_NO_DECAY;
  high->usage_factor = 2.5;
  high->usage_threshold = 0.1;
  text_set (&high->preempt, "normal");
  lk_limits_set (high->limits, LK_LIMIT_MAX_TRES_PER_USER, LK_TRES_CPU, TRUE, 4);
  lk_limits_set (high->limits, LK_LIMIT_GRP_TRES, lk_accounts_add_tres (accounts, "gres/gpu:a100"),
                 TRUE, 8);
  lk_limits_set (high->limits, LK_LIMIT_GRP_TRES, LK_TRES_CPU, TRUE, 100);
}

static LkAccounts *
sample_new (void)
{
  LkAccounts *accounts = lk_accounts_new ("oracle");
  accounts->enforce = LK_ENFORCE_SAFE;
  sample_qos (accounts);
  LkAssociationSpec *hep = lk_accounts_add_account (accounts, "hep", "phys");
  hep->shares = 3;
  LkAssociationSpec *phys = lk_accounts_add_account (accounts, "phys", NULL);
  phys->shares = 40;
  text_set (&phys->description, "physics");
  text_set (&phys->qos, "+high,-normal");
  lk_limits_set (phys->limits, LK_LIMIT_GRP_JOBS, 0, TRUE, 2);
  LkAssociationSpec *alice = lk_accounts_add_user (accounts, "alice", "hep", NULL);
  alice->usage = 1.0 / 3;
  LkTresValue used = { LK_TRES_CPU, 1e30 };
  g_array_append_val (alice->usage_tres, used);
  LkAssociationSpec *alice_long = lk_accounts_add_user (accounts, "alice", "hep", "Long");
  alice_long->shares = LK_SHARES_PARENT;
  lk_accounts_add_user (accounts, "alice", "phys", NULL);
  return accounts;
}

static const char sample_text[] =
    "accounts oracle tres=cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu:a100 "
    "enforce=associations,limits,safe compat=slurm-26.05 half_life_us=604800000000 "
    "calc_period_us=300000000 reset=none utc_offset_s=0 billing=sum accrue_always=0\n"
    "qos normal description=\"Normal QOS default\" priority=0 flags=\"\" usage_factor=1 "
    "usage_threshold=-1 limit_factor=-1 limits=\"\" preempt=\"\" preempt_mode=\"\" grace_us=0 "
    "preempt_exempt_us=-1\n"
    "qos high description=\"the \\\"fast\\\"\\none\" priority=100 flags=DenyOnLimit,NoDecay "
    "usage_factor=2.5 usage_threshold=0.1 limit_factor=-1 "
    "limits=\"GrpTRES:cpu=100,GrpTRES:gres/gpu:a100=8,MaxTRESPerUser:cpu=4\" preempt=normal "
    "preempt_mode=\"\" grace_us=0 preempt_exempt_us=-1\n"
    "association root user=\"\" partition=\"\" parent=\"\" shares=1 priority=0 qos=\"\" "
    "default_qos=\"\" is_default=0 limits=\"\" description=\"\" organization=\"\" "
    "admin_level=\"\" coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n"
    "association root user=root partition=\"\" parent=\"\" shares=1 priority=0 qos=\"\" "
    "default_qos=\"\" is_default=1 limits=\"\" description=\"\" organization=\"\" "
    "admin_level=Administrator coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n"
    "association phys user=\"\" partition=\"\" parent=root shares=40 priority=0 "
    "qos=+high,-normal default_qos=\"\" is_default=0 limits=\"GrpJobs=2\" description=physics "
    "organization=\"\" admin_level=\"\" coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n"
    "association hep user=\"\" partition=\"\" parent=phys shares=3 priority=0 qos=\"\" "
    "default_qos=\"\" is_default=0 limits=\"\" description=\"\" organization=\"\" "
    "admin_level=\"\" coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n"
    "association hep user=alice partition=\"\" parent=\"\" shares=1 priority=0 qos=\"\" "
    "default_qos=\"\" is_default=1 limits=\"\" description=\"\" organization=\"\" "
    "admin_level=\"\" coordinates=\"\" usage=0.3333333333333333 usage_wall_s=0 "
    "usage_tres=\"cpu=1e+30\"\n"
    "association hep user=alice partition=Long parent=\"\" shares=parent priority=0 qos=\"\" "
    "default_qos=\"\" is_default=1 limits=\"\" description=\"\" organization=\"\" "
    "admin_level=\"\" coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n"
    "association phys user=alice partition=\"\" parent=\"\" shares=1 priority=0 qos=\"\" "
    "default_qos=\"\" is_default=0 limits=\"\" description=\"\" organization=\"\" "
    "admin_level=\"\" coordinates=\"\" usage=0 usage_wall_s=0 usage_tres=\"\"\n";

static char *
text_of (const LkAccounts *accounts)
{
  GString *text = g_string_new (NULL);
  lk_accounts_text (accounts, text);
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- building */

static void
test_defaults (void)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
  g_assert_true (lk_accounts_check (accounts, NULL));
  g_assert_cmpuint (accounts->tres->len, ==, LK_TRES_FIXED);
  g_assert_cmpuint (lk_accounts_find_tres (accounts, "billing"), ==, LK_TRES_BILLING);
  g_assert_cmpuint (lk_accounts_find_tres (accounts, "gres/gpu"), ==, LK_INDEX_NONE);
  g_assert_cmpuint (accounts->enforce, ==, 0);
  g_assert_cmpint (accounts->half_life_us, ==, G_GINT64_CONSTANT (604800000000));
  g_assert_nonnull (lk_accounts_find_qos (accounts, "normal"));
  g_assert_true (lk_accounts_find (accounts, "root", "", "")
                 == g_ptr_array_index (accounts->associations, 0));
  LkAssociationSpec *root = lk_accounts_find (accounts, "root", "root", NULL);
  g_assert_true (root->is_default);
  g_assert_cmpstr (root->admin_level, ==, "Administrator");
}

static void
test_find (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  LkAssociationSpec *any = lk_accounts_find (accounts, "hep", "alice", "");
  LkAssociationSpec *one = lk_accounts_find (accounts, "hep", "alice", "Long");
  g_assert_cmpuint (any->shares, ==, 1);
  g_assert_cmpuint (one->shares, ==, LK_SHARES_PARENT);
  g_assert_null (lk_accounts_find (accounts, "hep", "alice", "short"));
  g_assert_null (lk_accounts_find (accounts, "alice", "hep", ""));
  g_assert_null (lk_accounts_find_qos (accounts, "low"));
  LkAssociationSpec *twin = lk_accounts_add_user (accounts, "alice", "hep", "Long");
  g_assert_true (twin != one);
  g_assert_true (lk_accounts_find (accounts, "hep", "alice", "Long") == one);
  g_ptr_array_remove (accounts->associations, one);
  lk_accounts_reindex (accounts);
  g_assert_true (lk_accounts_find (accounts, "hep", "alice", "Long") == twin);
}

static void
test_tres_full (void)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
  for (guint i = LK_TRES_FIXED; i < LK_TRES_MAX; i++) {
    g_autofree char *name = g_strdup_printf ("gres/g%u", i);
    g_assert_cmpuint (lk_accounts_add_tres (accounts, name), ==, i);
    g_assert_cmpuint (lk_accounts_add_tres (accounts, name), ==, i);
  }
  g_assert_cmpuint (lk_accounts_add_tres (accounts, "license/x"), ==, LK_INDEX_NONE);
  g_assert_true (lk_accounts_check (accounts, NULL));
}

static void
test_limits (void)
{
  g_autoptr (GArray) limits = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  guint64 value = 7;
  g_assert_false (lk_limits_get (limits, LK_LIMIT_GRP_JOBS, 0, &value));
  g_assert_cmpuint (value, ==, 7);
  lk_limits_set (limits, LK_LIMIT_GRP_TRES, 3, TRUE, 1);
  lk_limits_set (limits, LK_LIMIT_GRP_TRES, 0, TRUE, 2);
  lk_limits_set (limits, LK_LIMIT_GRP_JOBS, 0, TRUE, 0);
  lk_limits_set (limits, LK_LIMIT_GRP_TRES, 3, TRUE, 5);
  lk_limits_set (limits, LK_LIMIT_MAX_JOBS, 0, FALSE, 0);
  g_assert_cmpuint (limits->len, ==, 3);
  g_assert_true (lk_limits_get (limits, LK_LIMIT_GRP_JOBS, 0, &value));
  g_assert_cmpuint (value, ==, 0);
  g_assert_true (lk_limits_get (limits, LK_LIMIT_GRP_TRES, 3, &value));
  g_assert_cmpuint (value, ==, 5);
  g_assert_cmpuint (g_array_index (limits, LkLimitItem, 1).tres, ==, 0);
  lk_limits_set (limits, LK_LIMIT_GRP_TRES, 0, FALSE, 0);
  g_assert_false (lk_limits_get (limits, LK_LIMIT_GRP_TRES, 0, &value));
  g_assert_cmpuint (limits->len, ==, 2);
}

static void
test_tables (void)
{
  g_assert_cmpstr (lk_limit_kind_name (LK_LIMIT_GRP_TRES), ==, "GrpTRES");
  g_assert_cmpint (lk_limit_kind_value (LK_LIMIT_GRP_TRES), ==, LK_LIMIT_TRES);
  g_assert_cmpint (lk_limit_kind_value (LK_LIMIT_GRP_WALL), ==, LK_LIMIT_MINUTES);
  g_assert_true (lk_limit_kind_on_qos (LK_LIMIT_GRP_JOBS));
  g_assert_true (lk_limit_kind_on_association (LK_LIMIT_GRP_JOBS));
  g_assert_false (lk_limit_kind_on_qos (LK_LIMIT_MAX_JOBS));
  g_assert_false (lk_limit_kind_on_association (LK_LIMIT_MAX_JOBS_PER_USER));
  g_assert_cmpstr (lk_qos_flag_name (6), ==, "DenyOnLimit");
  g_assert_null (lk_qos_flag_name (11));
  g_assert_null (lk_qos_flag_name (99));
  g_assert_cmpstr (lk_enforce_name (3), ==, "safe");
  g_assert_null (lk_enforce_name (4));
  g_assert_cmpstr (lk_reset_words ()[LK_RESET_WEEKLY], ==, "weekly");
  g_assert_cmpstr (lk_billing_words ()[LK_BILLING_MAX_GRES], ==, "max_gres");
  g_assert_cmpstr (lk_compat_words ()[LK_COMPAT_SLURM_22_05], ==, "slurm-22.05");
}

/* ---------------------------------------------------------------- what a check adds */

static void
test_check_orders (void)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
  lk_accounts_add_user (accounts, "u", "c", NULL);
  lk_accounts_add_account (accounts, "c", "b");
  lk_accounts_add_user (accounts, "u", "b", NULL);
  lk_accounts_add_account (accounts, "d", NULL);
  lk_accounts_add_account (accounts, "b", "a");
  lk_accounts_add_user (accounts, "u", "a", NULL)->is_default = TRUE;
  lk_accounts_add_account (accounts, "a", "root");
  g_assert_true (lk_accounts_check (accounts, NULL));
  g_autoptr (GString) order = g_string_new (NULL);
  for (guint i = 2; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    g_string_append_printf (order, "%s%s%s ", spec->account, spec->user,
                            spec->is_default ? "*" : "");
  }
  /* All that waited for `a` comes with it, those of the lower places first. */
  g_assert_cmpstr (order->str, ==, "d a b c cu bu au* ");
}

static void
test_check_implies (void)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
  accounts->enforce = LK_ENFORCE_QOS;
  g_assert_true (lk_accounts_check (accounts, NULL));
  g_assert_cmpuint (accounts->enforce, ==, LK_ENFORCE_QOS | LK_ENFORCE_ASSOCIATIONS);
  accounts->enforce = LK_ENFORCE_SAFE;
  g_assert_true (lk_accounts_check (accounts, NULL));
  g_assert_cmpuint (accounts->enforce, ==,
                    LK_ENFORCE_SAFE | LK_ENFORCE_LIMITS | LK_ENFORCE_ASSOCIATIONS);
}

/* ---------------------------------------------------------------- texts */

static void
test_text (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  LkAccountsError error;
  g_assert_true (lk_accounts_check (accounts, &error));
  g_autofree char *text = text_of (accounts);
  g_assert_cmpstr (text, ==, sample_text);
  g_autoptr (LkAccounts) again = lk_accounts_from_text (text, strlen (text), &error);
  g_assert_nonnull (again);
  g_autofree char *text_again = text_of (again);
  g_assert_cmpstr (text_again, ==, text);
  g_assert_cmpuint (lk_accounts_find (again, "hep", "alice", "Long")->shares, ==, LK_SHARES_PARENT);
  g_autoptr (LkAccounts) copy = lk_accounts_copy (again);
  g_autofree char *copy_text = text_of (copy);
  g_assert_cmpstr (copy_text, ==, text);
  lk_limits_set (lk_accounts_find (copy, "phys", "", "")->limits, LK_LIMIT_MAX_JOBS, 0, TRUE, 1);
  g_assert_cmpuint (lk_accounts_find (again, "phys", "", "")->limits->len, ==, 1);
}

typedef struct {
  const char *from;
  const char *to;
  const char *member;
  const char *text;
} Break;

/* What stands in the sample is replaced once. */
static const Break breaks[] = {
  { "accounts oracle", "account oracle", "cluster", "line 1: expected the line of the accounts" },
  { "compat=slurm-26.05", "compat=slurm-20", "compat", "line 1: expected one of its words" },
  { "enforce=associations,limits", "enforce=limits,associations", "enforce",
    "line 1: expected words with commas between" },
  { "enforce=associations,limits,safe", "enforce=safe", "associations",
    "line 10: expected parents before their children, a default account of each user, and all "
    "that is enforced before it" },
  { "cpu,mem,energy", "mem,cpu,energy", "tres", "line 1: number 0 is 'mem'; expected 'cpu'" },
  { ",gres/gpu:a100 ", ",cpu ", "limits",
    "line 3: expected KIND=number or KIND:TRES=number with commas between" },
  { "utc_offset_s=0", "utc_offset_s=-86401", "utc_offset_s",
    "line 1: is -86401; expected -86400 to 86400" },
  { "utc_offset_s=0", "utc_offset_s=-0", "utc_offset_s",
    "line 1: expected a number from -2^63 to 2^63" },
  { "calc_period_us=300000000", "calc_period_us=0", "calc_period_us",
    "line 1: is 0; expected a time above 0" },
  { "qos high", "qos normal", "name",
    "line 3: is 'normal', which is there twice; expected each QOS once" },
  { "qos high", "qos +high", "name", "line 3: begins with +; expected a letter" },
  { "qos high", "qos High", "name", "line 3: is 'High'; expected a name in lower case" },
  { "usage_factor=2.5", "usage_factor=2.50", "usage_factor",
    "line 3: expected a number in its shortest form" },
  { "usage_factor=2.5", "usage_factor=-2.5", "usage_factor",
    "line 3: is no number from 0 to 1e30; expected 0 or more" },
  { "usage_threshold=0.1", "usage_threshold=-0.1", "usage_threshold",
    "line 3: is below 0 or no finite number; expected 0 or more, or -1 for none" },
  { "preempt=normal", "preempt=low", "preempt", "line 3: names the QOS 'low', which is not there" },
  { "preempt=normal", "preempt=+normal", "preempt", "line 3: is '+normal'; expected names of QOS" },
  { "MaxTRESPerUser:cpu=4", "MaxTRESPerUser=4", "limits",
    "line 3: expected KIND=number or KIND:TRES=number with commas between" },
  { "MaxTRESPerUser:cpu=4", "MaxTRESPerUser:cpu=04", "limits",
    "line 3: expected KIND=number or KIND:TRES=number with commas between" },
  { "MaxTRESPerUser:cpu=4", "GrpTRES:cpu=4", "limits",
    "line 3: has GrpTRES twice or out of order; expected each once, by kind, then TRES" },
  { "MaxTRESPerUser:cpu=4", "MaxTRESPerUser:cpu=4,MaxTRESPerUser:cpu=5", "limits",
    "line 3: has MaxTRESPerUser twice or out of order; expected each once, by kind, then TRES" },
  { "MaxTRESPerUser:cpu=4", "MaxJobs=4", "limits",
    "line 3: has MaxJobs; expected limits of a QOS" },
  { "GrpJobs=2", "MaxJobsPerUser=2", "limits",
    "line 6: has MaxJobsPerUser; expected limits of an association" },
  { "GrpJobs=2", "GrpJobs=4294967294", "limits",
    "line 6: has GrpJobs=4294967294; expected at most 4294967293" },
  { "parent=phys", "parent=physics", "parent",
    "line 7: is 'physics', an account that is not there" },
  { "parent=phys", "parent=hep", "parent",
    "line 7: is 'hep', which is not below the root; expected no account above itself" },
  { "parent=phys", "parent=\"\"", "parent", "line 7: is empty; expected the account above" },
  { "association root user=\"\"", "association toor user=\"\"", "account",
    "line 4: is 'toor'; expected the account root first" },
  { "association phys user=alice", "association chem user=alice", "account",
    "line 10: is 'chem', an account that is not there" },
  { "association phys user=alice", "association hep user=alice", "user",
    "line 10: is 'alice', who is there twice in account 'hep'; expected each user once" },
  { "association phys user=alice", "association phys user=Alice", "user",
    "line 10: is 'Alice'; expected a name in lower case" },
  { "association phys user=alice", "association phys user=\"al ice\"", "user",
    "line 10: holds a letter that names may not have; expected ASCII without blanks and "
    "\"'\\,=:|" },
  { "shares=3 ", "shares=2147483647 ", "shares",
    "line 7: is 2147483647; expected 0 to 2147483646, or parent" },
  { "shares=3 ", "shares=4294967295 ", "shares",
    "line 7: expected a number below 2^32 or `parent`" },
  { "shares=3 ", "shares=-3 ", "shares", "line 7: expected a number below 2^32 or `parent`" },
  { "qos=+high,-normal", "qos=+high,normal", "qos",
    "line 6: is '+high,normal'; expected names of QOS, all with a + or - before them or none" },
  { "qos=+high,-normal", "qos=+high,-low", "qos",
    "line 6: names the QOS 'low', which is not there" },
  { "qos=+high,-normal", "qos=+high,", "qos",
    "line 6: is '+high,'; expected names of QOS, all with a + or - before them or none" },
  { "admin_level=Administrator", "admin_level=King", "admin_level",
    "line 5: is none that there is; expected Operator, Administrator or nothing" },
  { "usage=0.3333333333333333", "usage=1/3", "usage",
    "line 8: expected a number in its shortest form" },
  { "\"cpu=1e+30\"", "\"cpu=1e30\"", "usage_tres",
    "line 8: expected TRES=number with commas between" },
  { "\"cpu=1e+30\"", "\"cpu=1,cpu=1\"", "usage_tres",
    "line 8: has a TRES that is not there, twice or out of order" },
  { "qos=+high,-normal", "qos=high default_qos=x", "is_default",
    "line 6: expected is_default, with one blank before" },
};

static void
test_breaks (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (breaks); i++) {
    g_autoptr (GString) text = g_string_new (sample_text);
    g_assert_cmpuint (g_string_replace (text, breaks[i].from, breaks[i].to, 1), ==, 1);
    LkAccountsError error = { sample_text, "", "" };
    g_assert_null (lk_accounts_from_text (text->str, text->len, &error));
    g_assert_cmpstr (error.text, ==, breaks[i].text);
    g_assert_cmpstr (error.member, ==, breaks[i].member);
    g_assert_null (error.spec);
  }
}

/* Every prefix of a text, and every text with a byte too many or another in its place, is refused
 * or reads back to itself. */
static void
test_bytes (void)
{
  for (gsize i = 0; i < sizeof sample_text - 1; i++) {
    g_autoptr (LkAccounts) cut = lk_accounts_from_text (sample_text, i, NULL);
    gboolean is_whole_line = i > 0 && sample_text[i - 1] == '\n';
    g_assert_true (cut == NULL || is_whole_line);
    g_autofree char *other = g_strdup (sample_text);
    other[i] = (char)(other[i] ^ 1);
    g_autoptr (LkAccounts) changed = lk_accounts_from_text (other, sizeof sample_text - 1, NULL);
    g_autofree char *text = changed ? text_of (changed) : NULL;
    g_assert_true (text == NULL || strcmp (text, other) == 0);
  }
}

/* ---------------------------------------------------------------- what no text can say */

static void
assert_wrong (LkAccounts *accounts, const void *spec, const char *member, const char *text)
{
  LkAccountsError error;
  g_assert_false (lk_accounts_check (accounts, &error));
  g_assert_cmpstr (error.text, ==, text);
  g_assert_cmpstr (error.member, ==, member);
  g_assert_true (error.spec == spec);
}

static void
test_broken_settings (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  accounts->enforce = 16;
  assert_wrong (accounts, NULL, "enforce", "is 16; expected 0 to 15");
  accounts->enforce = 0;
  accounts->half_life_us = -1;
  assert_wrong (accounts, NULL, "half_life_us", "is -1; expected 0 or more");
  accounts->half_life_us = 0;
  g_ptr_array_add (accounts->tres, g_strdup ("Gres/x"));
  assert_wrong (accounts, NULL, "tres", "is 'Gres/x'; expected a name in lower case");
  g_ptr_array_set_size (accounts->tres, 7);
  assert_wrong (accounts, NULL, "tres", "is 7; expected 8 to 64");
}

static void
test_broken_specs (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  LkQosSpec *high = lk_accounts_find_qos (accounts, "high");
  high->flags |= 1u << 11;
  assert_wrong (accounts, high, "flags", "has bits that are no flag");
  high->flags = 0;
  g_array_index (high->limits, LkLimitItem, 1).tres = 9;
  assert_wrong (accounts, high, "limits", "has GrpTRES of TRES number 9; expected 0 to 8");
  g_array_index (high->limits, LkLimitItem, 1).kind = LK_LIMIT_KIND_COUNT;
  assert_wrong (accounts, high, "limits", "has a limit of kind 26; expected 0 to 25");
  g_array_set_size (high->limits, 0);
  text_set (&high->description, "\x01");
  assert_wrong (accounts, high, "description", "holds the control character 1; expected text");
  text_set (&high->description, "\xff");
  assert_wrong (accounts, high, "description", "is not UTF-8");
  text_set (&high->description, "");
  high->grace_us = -1;
  assert_wrong (accounts, high, "grace_us", "is -1; expected 0 or more");
  high->grace_us = 0;
  g_ptr_array_set_size (accounts->qos, 0);
  assert_wrong (accounts, NULL, "qos", "is 0; expected 1 to 65536");
}

static void
test_broken_kinds (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  LkAssociationSpec *phys = lk_accounts_find (accounts, "phys", "", "");
  phys->is_default = TRUE;
  assert_wrong (accounts, phys, "is_default", "is set of an account; expected it of users");
  phys->is_default = FALSE;
  phys->usage = 1;
  assert_wrong (accounts, phys, "usage",
                "is set of an account; expected use of users, which counts for all above them");
  phys->usage = -1;
  assert_wrong (accounts, phys, "usage", "is no number from 0 to 1e30; expected 0 or more");
  phys->usage = 0;
  text_set (&phys->admin_level, "Operator");
  assert_wrong (accounts, phys, "admin_level", "is set of an account; expected it of users");
  text_set (&phys->admin_level, "");
  LkAssociationSpec *alice = lk_accounts_find (accounts, "hep", "alice", "");
  text_set (&alice->parent, "root");
  assert_wrong (accounts, alice, "parent", "is set of a user, whose parent is its account");
  text_set (&alice->parent, "");
  text_set (&alice->description, "x");
  assert_wrong (accounts, alice, "description",
                "or organization is set of a user; expected it of accounts");
  text_set (&alice->description, "");
  LkAssociationSpec *part = lk_accounts_add_account (accounts, "x", NULL);
  text_set (&part->partition, "p");
  assert_wrong (accounts, part, "partition", "is set of an account; expected partitions of users");
}

/* Of an account and of all below it, whichever association of the user says so. */
static void
test_coordinators (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  LkAssociationSpec *alice = lk_accounts_find (accounts, "phys", "alice", "");
  lk_accounts_add_account (accounts, "chem", NULL);
  text_set (&alice->coordinates, "phys");
  g_assert_true (lk_accounts_check (accounts, NULL));
  g_assert_true (lk_accounts_coordinates (accounts, "alice", "phys"));
  g_assert_true (lk_accounts_coordinates (accounts, "alice", "hep"));
  g_assert_false (lk_accounts_coordinates (accounts, "alice", "root"));
  g_assert_false (lk_accounts_coordinates (accounts, "alice", "chem"));
  g_assert_false (lk_accounts_coordinates (accounts, "alice", "nowhere"));
  g_assert_false (lk_accounts_coordinates (accounts, "root", "phys"));
  g_autoptr (LkAccounts) copy = lk_accounts_copy (accounts);
  g_assert_true (lk_accounts_coordinates (copy, "alice", "hep"));
  text_set (&lk_accounts_find (accounts, "hep", "alice", "Long")->coordinates, "chem,hep");
  lk_accounts_reindex (accounts);
  g_assert_true (lk_accounts_coordinates (accounts, "alice", "chem"));
  g_assert_true (lk_accounts_coordinates (accounts, "alice", "phys"));
  text_set (&alice->coordinates, "phys,nowhere");
  assert_wrong (accounts, alice, "coordinates", "names the account 'nowhere', which is not there");
  text_set (&alice->coordinates, "");
  LkAssociationSpec *phys = lk_accounts_find (accounts, "phys", "", "");
  text_set (&phys->coordinates, "hep");
  assert_wrong (accounts, phys, "coordinates", "is set of an account; expected it of users");
}

static void
test_broken_tree (void)
{
  g_autoptr (LkAccounts) accounts = sample_new ();
  lk_accounts_find (accounts, "hep", "alice", "")->is_default = TRUE;
  LkAssociationSpec *other = lk_accounts_find (accounts, "phys", "alice", "");
  other->is_default = TRUE;
  assert_wrong (accounts, other, "is_default",
                "is set, and of account 'hep' too; expected one default account for 'alice'");
  other->is_default = FALSE;
  LkAssociationSpec *root = lk_accounts_find (accounts, "root", "", "");
  text_set (&root->parent, "phys");
  assert_wrong (accounts, root, "parent", "is 'phys'; expected none above the root");
  text_set (&root->parent, "");
  text_set (&root->qos, "+high");
  assert_wrong (accounts, root, "qos", "is '+high'; expected names of QOS");
  text_set (&root->qos, "high");
  text_set (&lk_accounts_find (accounts, "phys", "", "")->parent, "hep");
  assert_wrong (accounts, lk_accounts_find (accounts, "hep", "", ""), "parent",
                "is 'phys', which is not below the root; expected no account above itself");
}

static void
test_depth (void)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
  for (guint i = 1; i < LK_LIMIT_ACCOUNT_DEPTH; i++) {
    g_autofree char *name = g_strdup_printf ("a%u", i);
    g_autofree char *parent = g_strdup_printf ("a%u", i - 1);
    lk_accounts_add_account (accounts, name, i == 1 ? NULL : parent);
  }
  g_assert_true (lk_accounts_check (accounts, NULL));
  LkAssociationSpec *user = lk_accounts_add_user (accounts, "u", "a63", NULL);
  assert_wrong (accounts, user, "parent", "is 64 accounts deep; expected at most 63");
}

static void
test_bounds (void)
{
  LkAccountsError error;
  g_assert_null (lk_accounts_from_text ("", 0, &error));
  g_assert_cmpstr (error.text, ==, "has 0 bytes; expected a description of 1 to 268435456");
  g_assert_null (
      lk_accounts_from_text (sample_text, (gsize)LK_LIMIT_ACCOUNTS_TEXT_BYTES + 1, NULL));
}

/* ---------------------------------------------------------------- reals */

static void
test_reals (void)
{
  static const struct {
    double value;
    const char *text;
  } samples[] = { { 0, "0" },
                  { -0.0, "0" },
                  { 0.1, "0.1" },
                  { 1e30, "1e+30" },
                  { -1, "-1" },
                  { 1.0 / 3, "0.3333333333333333" },
                  { 5e-324, "4.94065645841247e-324" } };
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    g_autoptr (GString) text = g_string_new (NULL);
    lk_line_append_real (text, samples[i].value);
    g_assert_cmpstr (text->str, ==, samples[i].text);
    double again = 7;
    g_assert_true (lk_line_real_parse (text->str, &again));
    g_assert_true (again == samples[i].value);
  }
  static const char *const refused[] = { "",    "inf", "nan",  "1e999",
                                         "0x1", " 1",  "1 ",   "1.0",
                                         "+1",  "-0",  "1e30", "00000000000000000000000001",
                                         NULL };
  double untouched = 7;
  for (guint i = 0; refused[i] != NULL; i++)
    g_assert_false (lk_line_real_parse (refused[i], &untouched));
  g_assert_true (untouched == 7);
}

/* ---------------------------------------------------------------- at random */

static void
random_tree (Seed *seed, LkAccounts *accounts)
{
  guint count = 1 + seed_below (seed, 40);
  for (guint i = 0; i < count; i++) {
    g_autofree char *name = g_strdup_printf ("a%u", i);
    g_autofree char *parent = g_strdup_printf ("a%u", seed_below (seed, count));
    gboolean is_user = seed_below (seed, 3) == 0;
    LkAssociationSpec *spec =
        is_user ? lk_accounts_add_user (accounts, name, seed_below (seed, 2) ? parent : "root", "")
                : lk_accounts_add_account (accounts, name, seed_below (seed, 2) ? parent : NULL);
    spec->shares = seed_below (seed, 9) == 0 ? LK_SHARES_PARENT : seed_below (seed, 100);
    for (guint j = seed_below (seed, 4); j > 0; j--) {
      guint32 kind = seed_below (seed, LK_LIMIT_KIND_COUNT);
      gboolean has_tres = lk_limit_kind_value (kind) >= LK_LIMIT_TRES;
      if (lk_limit_kind_on_association (kind))
        lk_limits_set (spec->limits, kind, has_tres ? seed_below (seed, LK_TRES_FIXED) : 0, TRUE,
                       seed_below (seed, 1000));
    }
    if (is_user)
      spec->usage = (double)seed_next (seed) / 7;
  }
}

/* A checked description has every parent before its children, and a text that reads back. */
static void
test_random (void)
{
  Seed seed = { 4242 };
  guint right_count = 0;
  for (guint round = 0; round < 300; round++) {
    g_autoptr (LkAccounts) accounts = lk_accounts_new ("c");
    random_tree (&seed, accounts);
    if (!lk_accounts_check (accounts, NULL))
      continue;
    right_count++;
    for (guint i = 1; i < accounts->associations->len; i++) {
      const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
      const char *parent = *spec->user ? spec->account : spec->parent;
      guint at = 0;
      while (g_ptr_array_index (accounts->associations, at)
             != lk_accounts_find (accounts, parent, "", ""))
        at++;
      g_assert_cmpuint (at, <, i);
    }
    g_autofree char *text = text_of (accounts);
    g_autoptr (LkAccounts) again = lk_accounts_from_text (text, strlen (text), NULL);
    g_assert_nonnull (again);
  }
  g_assert_cmpuint (right_count, >, 20);
}

/* docs/formats.md has the members, one heading deeper. */
static void
test_markdown (void)
{
  g_autoptr (GString) page = g_string_new (NULL);
  g_autofree char *formats = NULL;
  lk_accounts_markdown (page);
  g_string_replace (page, "## ", "#### ", 0);
  g_assert_true (g_file_get_contents (LK_SOURCE_DIR "/docs/formats.md", &formats, NULL, NULL));
  if (!strstr (formats, page->str))
    g_error ("docs/formats.md should have:\n%s", page->str);
  g_assert_nonnull (strstr (page->str, "#### qos\n\nA quality of service.\n"));
  g_assert_nonnull (strstr (page->str, "| reset | `none`, `now`, `daily`,"));
  g_assert_nonnull (strstr (page->str, "| enforce | words with commas between: `associations`, "
                                       "`limits`, `qos`, `safe` | what is enforced |"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts/begins with what a new database has", test_defaults);
  g_test_add_func ("/accounts/finds associations and QOS by name", test_find);
  g_test_add_func ("/accounts/has room for so many TRES", test_tres_full);
  g_test_add_func ("/accounts/keeps limits in order", test_limits);
  g_test_add_func ("/accounts/names kinds, flags and words", test_tables);
  g_test_add_func ("/accounts/puts parents before their children", test_check_orders);
  g_test_add_func ("/accounts/sets what follows from what is enforced", test_check_implies);
  g_test_add_func ("/accounts/has a text that reads back", test_text);
  g_test_add_func ("/accounts/says what is wrong with a text", test_breaks);
  g_test_add_func ("/accounts/refuses cut and changed texts or reads them exactly", test_bytes);
  g_test_add_func ("/accounts/refuses settings out of range", test_broken_settings);
  g_test_add_func ("/accounts/refuses QOS and limits that cannot be", test_broken_specs);
  g_test_add_func ("/accounts/refuses of a user what is of accounts", test_broken_kinds);
  g_test_add_func ("/accounts/knows whom a user coordinates", test_coordinators);
  g_test_add_func ("/accounts/refuses what is no tree", test_broken_tree);
  g_test_add_func ("/accounts/refuses a tree that is too deep", test_depth);
  g_test_add_func ("/accounts/refuses texts of no length or too long", test_bounds);
  g_test_add_func ("/accounts/writes reals so that they read back", test_reals);
  g_test_add_func ("/accounts/orders and reads back any tree", test_random);
  g_test_add_func ("/accounts/lists its members", test_markdown);
  return g_test_run ();
}
