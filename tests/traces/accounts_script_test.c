/* tests/traces/accounts_script_test.c — scripts of sacctmgr: what each command does. */
#include "traces/accounts_script.h"

#include "tests/traces/accounts_fixture.h"

#define MACHINES LK_SOURCE_DIR "/tests/fixtures/slurm-conf"

/* The commands that were run, and the dump that Slurm 26.05 wrote after them. */
static const char *const recordings[] = { "prio",
                                          "03-qos-grptres",
                                          "04-qos-maxtrespu",
                                          "06-assoc-limits",
                                          "08-preempt-qos-requeue",
                                          "23-qos-maxjobs-only",
                                          NULL };

static void
test_recorded (void)
{
  for (guint i = 0; recordings[i]; i++) {
    g_autoptr (LkAccounts) script = accounts_file (recordings[i], "setup.sh");
    g_autoptr (LkAccounts) dump = accounts_file (recordings[i], "sacctmgr-dump.cfg");
    g_autofree char *of_script = accounts_sorted (script);
    g_autofree char *of_dump = accounts_sorted (dump);
    g_assert_cmpstr (of_script, ==, of_dump);
  }
}

static LkAccounts *
machine_accounts (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (MACHINES, name, "sacctmgr.script", NULL);
  LkAccounts *accounts = lk_accounts_open (path, &error);
  g_assert_no_error (error);
  return accounts;
}

static void
test_ubhpc (void)
{
  g_autoptr (LkAccounts) accounts = machine_accounts ("ubhpc-medium");
  g_assert_cmpstr (accounts->cluster, ==, "ubhpc");
  g_assert_cmpuint (accounts->qos->len, ==, 5);
  g_assert_null (lk_accounts_find_qos (accounts, "normal"));
  g_assert_cmpuint (lk_accounts_find_qos (accounts, "priority-supporters")->priority, ==, 400);
  g_assert_cmpstr (lk_accounts_find (accounts, "root", "", "")->qos, ==,
                   "debug,general-compute,priority,priority-supporters,supporters");
  g_assert_cmpuint (lk_accounts_find (accounts, "account061", "", "")->shares, ==, 100);
}

/* `modify user set` without a condition is about all users. */
static void
test_micro (void)
{
  g_autoptr (LkAccounts) accounts = machine_accounts ("micro");
  const LkAssociationSpec *user1 = lk_accounts_find (accounts, "account1", "user1", "");
  g_assert_cmpstr (user1->qos, ==, "normal,supporters");
  g_assert_cmpuint (limit_of (user1->limits, LK_LIMIT_MAX_SUBMIT_JOBS, 0), ==, 1000);
  g_assert_cmpstr (lk_accounts_find (accounts, "root", "root", "")->qos, ==, "normal,supporters");
  g_assert_cmpstr (lk_accounts_find (accounts, "account0", "admin", "")->admin_level, ==,
                   "Administrator");
  g_assert_cmpuint (accounts->associations->len, ==, 2 + 3 + 6);
}

/* ---------------------------------------------------------------- commands */

static void
test_words (void)
{
  g_autoptr (LkAccounts) accounts =
      accounts_good ("#!/bin/sh\n"
                     "sacctmgr -i --quiet create acc NAME='Phys',chem descr=\"two words\" \\\n"
                     "  fair=3 # both\n"
                     "sacctmgr\n"
                     "UPD account where names=phys set shares=parent gRpJoBs=4 grptresm=cpu=9\n"
                     "list associations format=Account,User tree withd\n"
                     "add wckey x\n"
                     "add user A,b acc=phys,chem\n"
                     "exit\n");
  const LkAssociationSpec *phys = lk_accounts_find (accounts, "phys", "", "");
  g_assert_cmpstr (phys->description, ==, "two words");
  g_assert_cmpuint (phys->shares, ==, LK_SHARES_PARENT);
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_GRP_JOBS, 0), ==, 4);
  g_assert_cmpuint (limit_of (phys->limits, LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU), ==, 9);
  g_assert_cmpuint (lk_accounts_find (accounts, "chem", "", "")->shares, ==, 3);
  g_assert_true (lk_accounts_find (accounts, "phys", "a", "")->is_default);
  g_assert_false (lk_accounts_find (accounts, "chem", "a", "")->is_default);
  g_assert_nonnull (lk_accounts_find (accounts, "chem", "b", ""));
}

static void
test_lines (void)
{
  static const char text[] = "add account a\n\nlist users\nadd wckey x\nquit\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GPtrArray) lines = lk_accounts_lines_new ();
  g_autoptr (LkAccounts) accounts = lk_accounts_script_read ("x", bytes, lines, NULL);
  g_autoptr (GString) told = g_string_new (NULL);
  g_assert_nonnull (accounts);
  for (guint i = 0; i < lines->len; i++) {
    const LkAccountsLine *line = g_ptr_array_index (lines, i);
    g_string_append_printf (told, "%u%c%s|%s ", line->line_number, line->is_understood ? '+' : '-',
                            line->key, line->value);
  }
  g_assert_cmpstr (told->str, ==, "1+add account|a 3-list users| 4-add wckey|x 5-quit| ");
}

/* Old names of limits, those of a QOS, and -1. */
static void
test_limits (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good (
      "add qos q MaxJobs=1 MaxSubmit=2 MaxSubmitPA=3 MaxCPUsPerUser=4 MaxNodes=5 MinCPUs=6 "
      "GraceTime=90 MaxTRESPA=gres/gpu=2,cpu=3 MaxWall=1-00:00:30\n"
      "add account a GrpCPUs=1 GrpNodes=2 GrpMem=3G MaxCPUs=4 MaxCPUMins=5 GrpCPURunMins=6 "
      "MaxJobs=7\n"
      "modify account a set GrpTRES=cpu=-1,mem=1T MaxJobs=-1\n"
      "modify qos q set MaxTRESPA=-1 MaxWall=90\n");
  const GArray *q = lk_accounts_find_qos (accounts, "q")->limits;
  const GArray *a = lk_accounts_find (accounts, "a", "", "")->limits;
  guint64 value;
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MAX_JOBS_PER_USER, 0), ==, 1);
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER, 0), ==, 2);
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT, 0), ==, 3);
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MAX_TRES_PER_USER, LK_TRES_CPU), ==, 4);
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_NODE), ==, 5);
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MIN_TRES_PER_JOB, LK_TRES_CPU), ==, 6);
  g_assert_cmpuint (limit_of (q, LK_LIMIT_MAX_WALL_PER_JOB, 0), ==, 90);
  g_assert_cmpuint (q->len, ==, 7);
  g_assert_cmpint (lk_accounts_find_qos (accounts, "q")->grace_us, ==, 90000000);
  g_assert_false (lk_limits_get (a, LK_LIMIT_GRP_TRES, LK_TRES_CPU, &value));
  g_assert_cmpuint (limit_of (a, LK_LIMIT_GRP_TRES, LK_TRES_NODE), ==, 2);
  g_assert_cmpuint (limit_of (a, LK_LIMIT_GRP_TRES, LK_TRES_MEMORY), ==, 1048576);
  g_assert_cmpuint (limit_of (a, LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_CPU), ==, 4);
  g_assert_cmpuint (limit_of (a, LK_LIMIT_MAX_TRES_MINS_PER_JOB, LK_TRES_CPU), ==, 5);
  g_assert_cmpuint (limit_of (a, LK_LIMIT_GRP_TRES_RUN_MINS, LK_TRES_CPU), ==, 6);
  g_assert_false (lk_limits_get (a, LK_LIMIT_MAX_JOBS, 0, &value));
}

/* Seconds of a wall are rounded up to a minute, as in Slurm. */
static void
test_wall (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good ("add qos q MaxWall=1-00:00:30\n");
  g_assert_cmpuint (
      limit_of (lk_accounts_find_qos (accounts, "q")->limits, LK_LIMIT_MAX_WALL_PER_JOB, 0), ==,
      1441);
}

static void
test_qos_changes (void)
{
  g_autoptr (LkAccounts) accounts =
      accounts_good ("add qos a,b,c flags=NoDecay,denyonlimit\n"
                     "modify cluster set qos=a,b,c\n"
                     "add account p\n"
                     "add account s parent=p qos=a,b defaultqos=b\n"
                     "modify account p set qos+=b,a\n"
                     "modify account p set qos-=b\n"
                     "modify account s set qos+=c qos-=a\n"
                     "modify qos a set preempt=b,c flags-=NoDecay\n"
                     "modify qos b set preempt+=c flags+=PartitionTimeLimit\n"
                     "modify qos a,b set preempt-=c\n"
                     "modify cluster set qos-=c\n"
                     "modify account s set qos-=c\n"
                     "modify account s set coordinators+=x\n"
                     "modify user root set coordinators=s,p\n"
                     "add account t parent=p\n"
                     "modify user root set coordinators-=s coordinators+=t,s\n"
                     "delete account t\n"
                     "delete qos c\n"
                     "add qos d,e\n"
                     "modify qos e set preempt=d,e\n"
                     "delete qos d,e\n"
                     "add account u\n"
                     "modify account u set qos=+a\n"
                     "modify account u set qos=+b\n"
                     "modify account s set qos=+a,-b\n"
                     "modify account s set qos=+b,-a\n");
  const LkQosSpec *a = lk_accounts_find_qos (accounts, "a");
  g_assert_cmpuint (a->flags, ==, LK_QOS_DENY_ON_LIMIT);
  g_assert_cmpstr (a->preempt, ==, "b");
  const LkQosSpec *b = lk_accounts_find_qos (accounts, "b");
  g_assert_cmpuint (b->flags, ==,
                    LK_QOS_DENY_ON_LIMIT | LK_QOS_NO_DECAY | LK_QOS_PARTITION_TIME_LIMIT);
  g_assert_cmpstr (b->preempt, ==, "");
  g_assert_cmpstr (lk_accounts_find (accounts, "root", "", "")->qos, ==, "a,b");
  g_assert_cmpstr (lk_accounts_find (accounts, "p", "", "")->qos, ==, "+a,-b");
  g_assert_cmpstr (lk_accounts_find (accounts, "s", "", "")->qos, ==, "b");
  /* One after the other, as if by qos+=. */
  g_assert_cmpstr (lk_accounts_find (accounts, "u", "", "")->qos, ==, "+a,+b");
  g_assert_cmpstr (lk_accounts_find (accounts, "s", "", "")->organization, ==, "p");
  g_assert_cmpstr (lk_accounts_find (accounts, "root", "root", "")->coordinates, ==, "p,s");
}

static void
test_users (void)
{
  g_autoptr (LkAccounts) accounts =
      accounts_good ("add account a,b,c\n"
                     "add user u account=a,b defaultaccount=c partition=p1,P2 adminlevel=op\n"
                     "modify user u where account=a partition=P2 set fairshare=7\n"
                     "add user v defaultaccount=a\n"
                     "add user v account=b defaultaccount=b\n"
                     "add user w account=a,b\n"
                     "modify user w set defaultaccount=b\n"
                     "modify user where name=u account=b set rawusage=0 maxjobs=2\n");
  g_assert_cmpuint (lk_accounts_find (accounts, "a", "u", "P2")->shares, ==, 7);
  g_assert_cmpuint (lk_accounts_find (accounts, "a", "u", "p1")->shares, ==, 1);
  g_assert_true (lk_accounts_find (accounts, "c", "u", "p1")->is_default);
  g_assert_false (lk_accounts_find (accounts, "a", "u", "p1")->is_default);
  g_assert_cmpstr (lk_accounts_find (accounts, "c", "u", "p1")->admin_level, ==, "Operator");
  g_assert_true (lk_accounts_find (accounts, "b", "v", "")->is_default);
  g_assert_false (lk_accounts_find (accounts, "a", "v", "")->is_default);
  g_assert_true (lk_accounts_find (accounts, "b", "w", "")->is_default);
  g_assert_cmpuint (
      limit_of (lk_accounts_find (accounts, "b", "u", "p1")->limits, LK_LIMIT_MAX_JOBS, 0), ==, 2);
  g_assert_cmpuint (lk_accounts_find (accounts, "a", "u", "p1")->limits->len, ==, 0);
}

static void
test_delete (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good ("add account a,b\n"
                                                   "add account a1 parent=a\n"
                                                   "add account a2 parent=b\n"
                                                   "modify account a2 set parent=a1\n"
                                                   "add user u,v account=a,b,a2\n"
                                                   "remove user u where account=b\n"
                                                   "delete account where name=a\n"
                                                   "add account a\n"
                                                   "add user u account=a\n");
  g_assert_null (lk_accounts_find (accounts, "a1", "", ""));
  g_assert_null (lk_accounts_find (accounts, "a2", "v", ""));
  g_assert_null (lk_accounts_find (accounts, "b", "u", ""));
  g_assert_nonnull (lk_accounts_find (accounts, "a", "u", ""));
  g_assert_true (lk_accounts_find (accounts, "b", "v", "")->is_default);
  g_assert_cmpuint (accounts->associations->len, ==, 2 + 2 + 2);
}

static const WrongText wrong_lines[] = {
  { "hello - 'x'\n", "1: 'hello' begins neither a line of a dump (Account - 'name':...) nor a "
                     "sacctmgr command" },
  { "modfy user x\n", "1: 'modfy' begins neither a line of a dump (Account - 'name':...) nor a "
                      "sacctmgr command; did you mean 'modify'?" },
  { "sacctmgr -i add\n", "1: 'add '; expected account, user, qos or cluster" },
  { "add people x\n", "1: 'add people'; expected account, user, qos or cluster" },
  { "add user name=\"x\n", "1: a quote is not closed" },
  { "add account\n", "1: no name; expected that of the account" },
  { "add qos\n", "1: no name; expected that of the QOS" },
  { "add user account=root\n", "1: no name; expected that of the user" },
  { "add cluster\n", "1: no name; expected that of the cluster" },
  { "add cluster a,b\n", "1: a second cluster 'b'; expected one" },
  { "add user x\n", "1: user 'x' under no account; expected account=NAME or DefaultAccount=NAME" },
  { "add user x account=y\n", "1: there is no account 'y'; expected one that was added above" },
  { "add account x parent=y\n", "1: there is no account 'y'; expected one that was added above" },
  { "add account x\nadd account x\n", "2: account 'x' is there already" },
  { "add qos normal\n", "1: QOS 'normal' is there already" },
  { "add user x account=root\nadd user x account=root\n",
    "2: user 'x' is in account 'root' already" },
  { "add account x colour=1\n", "1: unknown key 'colour'; expected one of sacctmgr's" },
  { "add account x fairshere=1\n", "1: unknown key 'fairshere'; did you mean 'fairshare'?" },
  { "add account x =1\n", "1: '=1' is not KEY=VALUE" },
  { "add account x qos=none\n", "1: QosLevel: there is no QOS 'none'; there are: normal" },
  { "add account x qos=+normal,x\n", "1: QosLevel: there is no QOS 'x'; there are: normal" },
  { "add qos y\nadd account x qos=+normal,y\n", "2: QosLevel is '+normal,y'; expected names of "
                                                "QOS, all with a + or - before them or none" },
  { "modify user x set fairshare=1\n", "1: there is no user 'x'" },
  { "modify account x set fairshare=1\n", "1: there is no account 'x'" },
  { "modify qos x set priority=1\n", "1: there is no QOS 'x'" },
  { "modify user root\n", "1: nothing to set; expected set KEY=VALUE" },
  { "add account a\nmodify user root where account=a set fairshare=1\n",
    "2: nothing is meant by this; expected what is there" },
  { "add cluster x\nmodify user root where cluster=foo set fairshare=1\n",
    "2: there is no cluster 'foo'; expected 'x'" },
  { "add cluster x\nmodify cluster foo set fairshare=1\n",
    "2: there is no cluster 'foo'; expected 'x'" },
  { "add cluster x\nadd account a cluster=y,z\n", "2: there is no cluster 'y'; expected 'x'" },
  { "add cluster x\nadd account a\ndelete account a cluster=y\n",
    "3: there is no cluster 'y'; expected 'x'" },
  { "modify user where fairshare=1 set maxjobs=1\n",
    "1: a condition on Fairshare; expected names, accounts, users or partitions" },
  { "modify user where name+=a set maxjobs=1\n",
    "1: Names+= changes no list; expected Names=VALUE" },
  { "add account a\nmodify account a set GrpJobs+=3\n",
    "2: GrpJobs+= changes no list; expected GrpJobs=VALUE" },
  { "add account a fair+=1\n", "1: Fairshare+= changes no list; expected Fairshare=VALUE" },
  { "modify qos normal set MaxTRESPU-=cpu=3\n",
    "1: MaxTRESPU-= changes no list; expected MaxTRESPU=VALUE" },
  { "modify qos normal set flags+=DenyOnLimitt,Nodecay\n",
    "1: Flags: there is no flag 'DenyOnLimitt'; did you mean 'denyonlimit'?" },
  { "modify user where qos+=a set maxjobs=1\n", "1: 'qos+=a' in a condition; expected KEY=VALUE" },
  { "add account a\nmodify user root set defaultaccount=a\n",
    "2: DefaultAccount: user 'root' is not in account 'a'" },
  { "delete user\n", "1: no name; expected that of the user" },
  { "delete cluster x\n", "1: the cluster is deleted; expected accounts that are to be used" },
  { "delete qos normal\nadd account a\n",
    "1: the last QOS is deleted; expected one that stays or is added below" },
  { "delete account root\n", "1: the account 'root' is deleted; expected accounts below it" },
  { "add account a\ndelete account where name=a,root\n",
    "2: the account 'root' is deleted; expected accounts below it" },
  { "add qos q\nmodify cluster set qos=normal,q\ndelete qos q\n",
    "3: QOS 'q' is deleted, which account 'root' has as qos; expected one that nothing names" },
  { "add qos q\nmodify cluster set qos=normal\ndelete qos normal\n",
    "3: QOS 'normal' is deleted, which account 'root' has as qos; expected one that nothing "
    "names" },
  { "add qos q\nadd account a qos=-q\ndelete qos q\n",
    "3: QOS 'q' is deleted, which account 'a' has as qos; expected one that nothing names" },
  { "add qos q\nadd account a\nadd user u account=a defaultqos=q\ndelete qos q\n",
    "4: QOS 'q' is deleted, which user 'u' of account 'a' has as default_qos; expected one that "
    "nothing names" },
  { "add qos q,r\nmodify qos q set preempt=q\nmodify qos r set preempt=q\ndelete qos q\n",
    "4: QOS 'q' is deleted, which QOS 'r' has as preempt; expected one that nothing names" },
  { "add account a\nadd account b parent=a\nmodify account a set parent=b\n",
    "3: account 'a': parent is 'b', which is not below the root; expected no account above "
    "itself" },
  { "add qos q\nadd account a defaultqos=q\n",
    "2: account 'a': default_qos is 'q', which it may not use; expected one of its QOS" },
  { "add qos q\nadd account a qos+=q\nadd account b parent=a qos=-q\nadd user u account=b\n"
    "modify user u set defaultqos=q\n",
    "5: user 'u' of account 'b': default_qos is 'q', which it may not use; expected one of its "
    "QOS" },
  { "add qos q\nadd account a qos=q defaultqos=q\nmodify account a set qos=normal\n",
    "3: account 'a': default_qos is 'q', which it may not use; expected one of its QOS" },
  { "add account a rawusage=1\n", "1: RawUsage is '1'; expected 0" },
  { "add qos q preemptmode=maybe\n", "1: PreemptMode is 'maybe'; there are: cluster, off, "
                                     "cancel, gang, requeue, suspend, within" },
  { "add qos q usagefactor=x\n",
    "1: UsageFactor is 'x'; expected a number of 0 or more, or -1 for none" },
  { "add qos q gracetime=x\n", "1: GraceTime is 'x'; expected seconds or hours:minutes:seconds" },
  { "add qos q preemptexempt=x\n", "1: PreemptExemptTime is 'x'; expected minutes or "
                                   "[days-]hours:minutes:seconds, or -1 for none" },
  { "add qos q priority=x\n", "1: Priority is 'x'; expected a whole number, or -1 for none" },
  { "add qos +q\n", "1: QOS '+q': name begins with +; expected a letter" },
};

static void
test_errors (void)
{
  texts_wrong (wrong_lines, G_N_ELEMENTS (wrong_lines));
}

/* One that an account above allows, and one where the root allows all. */
static void
test_default_qos (void)
{
  g_autoptr (LkAccounts) accounts = accounts_good ("add qos q,qq\n"
                                                   "add account a qos+=q\n"
                                                   "add account b parent=a qos=-qq\n"
                                                   "add user u account=b defaultqos=q\n");
  g_assert_cmpstr (lk_accounts_find (accounts, "b", "u", "")->default_qos, ==, "q");
  g_autoptr (LkAccounts) all = accounts_good ("qos: [{name: q}, {name: r}]\n"
                                              "accounts:\n"
                                              "  - {account: a, default_qos: q, qos: [-r]}\n");
  g_assert_cmpstr (lk_accounts_find (all, "a", "", "")->default_qos, ==, "q");
}

/* The cluster may be named, also among others; before one is added any name is its. */
static void
test_cluster (void)
{
  g_autoptr (LkAccounts) accounts =
      accounts_good ("add account a cluster=any\n"
                     "add cluster x\n"
                     "modify account a where cluster=y,X set fairshare=2\n"
                     "modify cluster x set fairshare=3\n"
                     "modify cluster set maxjobs=4\n"
                     "add user u account=a cluster=x\n");
  const LkAssociationSpec *root = lk_accounts_find (accounts, "root", "", "");
  g_assert_cmpuint (root->shares, ==, 3);
  g_assert_cmpuint (limit_of (root->limits, LK_LIMIT_MAX_JOBS, 0), ==, 4);
  g_assert_cmpuint (lk_accounts_find (accounts, "a", "", "")->shares, ==, 2);
  g_assert_nonnull (lk_accounts_find (accounts, "a", "u", ""));
}

/* What a shell would not give to sacctmgr is no name. */
static void
test_shell (void)
{
#define OF_SHELL(word, letter)                                                                     \
  "1: '" word "' has a " letter ", which is of the shell; expected one sacctmgr command a line, "  \
  "or single quotes around it"
  static const WrongText cases[] = {
    { "sacctmgr -i add account a > /dev/null 2>&1\n", OF_SHELL (">", ">") },
    { "sacctmgr -i add account a 2>/dev/null\n", OF_SHELL ("2>/dev/null", ">") },
    { "sacctmgr -i add account a && sacctmgr -i add account b\n", OF_SHELL ("&&", "&") },
    { "add account a; sacctmgr add account b\n", OF_SHELL ("a;", ";") },
    { "add account $A\n", OF_SHELL ("$A", "$") },
    { "add account \"$A\"\n", OF_SHELL ("\"$A\"", "$") },
    { "add account `cat a`\n", OF_SHELL ("`cat", "`") },
    { "add user u account=a < names\n", OF_SHELL ("<", "<") },
    { "list users | grep x\n", OF_SHELL ("|", "|") },
  };
#undef OF_SHELL
  texts_wrong (cases, G_N_ELEMENTS (cases));
  g_autoptr (LkAccounts) accounts =
      accounts_good ("add account a descr='5 $; `a` <b>' # > $x\n"
                     "add account b descr=\"this & that's; it > 5 | 'x'\"\n");
  g_assert_cmpstr (lk_accounts_find (accounts, "a", "", "")->description, ==, "5 $; `a` <b>");
  g_assert_cmpstr (lk_accounts_find (accounts, "b", "", "")->description, ==,
                   "this & that's; it > 5 | 'x'");
  g_assert_cmpuint (accounts->associations->len, ==, 2 + 2);
}

/* A file cut off at its beginning is no description of a free machine. */
static void
test_empty (void)
{
#define NOTHING                                                                                    \
  " holds no accounts; expected a sacctmgr dump, a script of its commands or a page of YAML"
  static const WrongText cases[] = {
    { "", NOTHING },
    { "\n \t\r\n\n", NOTHING },
    { "#!/bin/sh\n# QOS - 'normal'\n", NOTHING },
    { "\xef\xbb\xbf\n", NOTHING },
  };
#undef NOTHING
  texts_wrong (cases, G_N_ELEMENTS (cases));
}

/* The mark that some editors put before UTF-8 is not of the first word. */
static void
test_mark (void)
{
  g_autoptr (LkAccounts) script = accounts_good ("\xef\xbb\xbf"
                                                 "add account a\n");
  g_autoptr (LkAccounts) dump = accounts_good ("\xef\xbb\xbf"
                                               "Cluster - 'c'\nAccount - 'a'\n");
  g_autoptr (LkAccounts) page = accounts_good ("\xef\xbb\xbf"
                                               "accounts: [{account: a}]\n");
  g_assert_nonnull (lk_accounts_find (script, "a", "", ""));
  g_assert_nonnull (lk_accounts_find (dump, "a", "", ""));
  g_assert_cmpstr (dump->cluster, ==, "c");
  g_assert_nonnull (lk_accounts_find (page, "a", "", ""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts-script/makes what Slurm made of the same commands", test_recorded);
  g_test_add_func ("/accounts-script/reads the script of a site", test_ubhpc);
  g_test_add_func ("/accounts-script/means all users where none is named", test_micro);
  g_test_add_func ("/accounts-script/takes beginnings of words in any case", test_words);
  g_test_add_func ("/accounts-script/tells which lines were of use", test_lines);
  g_test_add_func ("/accounts-script/knows limits by their old names", test_limits);
  g_test_add_func ("/accounts-script/rounds walls up to minutes", test_wall);
  g_test_add_func ("/accounts-script/adds to and takes from lists", test_qos_changes);
  g_test_add_func ("/accounts-script/has defaults among the QOS allowed", test_default_qos);
  g_test_add_func ("/accounts-script/is about one cluster", test_cluster);
  g_test_add_func ("/accounts-script/has users in accounts and partitions", test_users);
  g_test_add_func ("/accounts-script/takes out what is below", test_delete);
  g_test_add_func ("/accounts-script/leaves the syntax of shells alone", test_shell);
  g_test_add_func ("/accounts-script/wants more than nothing", test_empty);
  g_test_add_func ("/accounts-script/passes over a mark of UTF-8", test_mark);
  g_test_add_func ("/accounts-script/says what is wrong and where", test_errors);
  return g_test_run ();
}
