/* tests/traces/command_script_test.c — scripts of Slurm commands: what their lines mean, and what
 * is said of wrong ones. */
#include "traces/command_script.h"

#include <string.h>

static LkCommandScript *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  return lk_command_script_new_from_bytes ("day.cmds", bytes, error);
}

/* A script of one line. */
static LkCommandScript *
read_line (const char *line)
{
  g_autoptr (GError) error = NULL;
  LkCommandScript *script = read_text (line, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_command_script_count (script), ==, 1);
  return script;
}

static void
expect_error (const char *text, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (read_text (text, &error));
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==, message);
}

static void
submits (void)
{
  g_autoptr (LkCommandScript) script = read_line (
      "# comment\n\n 1.5 alice\tsbatch -J 'a b' -a 1-3%2 -b now+15 --signal=B:USR1@90 -t 1 "
      "#run=2.5 #exit=3 #run[2]=7 #on-signal=10:9\n");
  const LkCommand *command = lk_command_script_at (script, 0);
  g_assert_cmpint (command->kind, ==, LK_COMMAND_SUBMIT);
  g_assert_cmpuint (command->line_number, ==, 3);
  g_assert_cmpint (command->time_us, ==, 1500000);
  g_assert_cmpuint (command->components->len, ==, 1);
  const LkJobOptions *options = &g_array_index (command->components, LkJobOptions, 0);
  g_assert_cmpstr (command->user, ==, "alice");
  g_assert_cmpstr (command->text, ==, "sbatch -J 'a b' -a 1-3%2 -b now+15 --signal=B:USR1@90 -t 1");
  g_assert_cmpstr (options->job_name, ==, "a b");
  g_assert_cmpstr (options->begin, ==, "now+15");
  g_assert_cmpuint (options->terms.warn_signal, ==, 10);
  g_assert_cmpint (options->terms.warn_before_us, ==, 90000000);
  g_assert_cmpuint (options->terms.term_flags, ==, LK_TERM_WARN_BATCH);
  g_assert_cmpint (lk_command_run (command, G_MAXUINT32)->run_us, ==, 2500000);
  g_assert_cmpint (lk_command_run (command, 1)->run_us, ==, 2500000);
  g_assert_cmpint (lk_command_run (command, 2)->run_us, ==, 7000000);
  g_assert_cmpint (lk_command_run (command, 2)->exit_code, ==, 3);
  g_assert_cmpint (lk_command_run (command, 2)->on_signal_exit_code, ==, 0);
  g_assert_cmpint (lk_command_run (command, 1)->on_signal_exit_code, ==, 9);
}

/* A component has of the one before it what is not asked of nodes, and not the nodes that another
 * one names. */
static void
components (void)
{
  g_autoptr (LkCommandScript) script = read_line (
      "0 a sbatch -J x -t 2 -n4 -w n3 -p big : -N2 --exclusive -x n9 : -t 5 -p small -w n[1-2] "
      "--wrap 'sleep 4' #run[1]=7");
  const LkCommand *command = lk_command_script_at (script, 0);
  const LkJobOptions *each = &g_array_index (command->components, LkJobOptions, 0);
  g_assert_cmpuint (command->components->len, ==, 3);
  g_assert_cmpuint (each[0].request.tasks, ==, 4);
  g_assert_cmpuint (each[1].request.tasks, ==, 0);
  g_assert_cmpuint (each[1].request.nodes_min, ==, 2);
  g_assert_cmpuint (each[2].request.nodes_min, ==, 0);
  g_assert_cmpuint (each[1].request.partition.length_bytes, ==, 0);
  g_assert_cmpstr (each[2].request.partition.bytes, ==, "small");
  g_assert_cmpint (each[1].limit_us, ==, 120000000);
  g_assert_cmpint (each[2].limit_us, ==, 300000000);
  g_assert_cmpstr (each[2].job_name, ==, "x");
  g_assert_cmpstr (each[0].request.exclude.bytes, ==, "n[1-2]");
  g_assert_cmpstr (each[1].request.exclude.bytes, ==, "n9,n3,n[1-2]");
  g_assert_cmpstr (each[2].request.exclude.bytes, ==, "n9,n3");
  g_assert_cmpint (lk_command_run (command, 0)->run_us, ==, 4000000);
  g_assert_cmpint (lk_command_run (command, 1)->run_us, ==, 7000000);
}

static void
sleeps (void)
{
  g_autoptr (LkCommandScript) a = read_line ("0 a sbatch --wrap 'sleep 12'");
  g_autoptr (LkCommandScript) b = read_line ("0 a sbatch --wrap='sleep 12' #run=3");
  g_autoptr (LkCommandScript) c = read_line ("0 a sbatch --wrap='sleep 1; sleep 2'");
  g_assert_cmpint (lk_command_run (lk_command_script_at (a, 0), 0)->run_us, ==, 12000000);
  g_assert_cmpint (lk_command_run (lk_command_script_at (b, 0), 0)->run_us, ==, 3000000);
  g_assert_cmpint (lk_command_run (lk_command_script_at (c, 0), 0)->run_us, ==, -1);
}

/* A word that is no option, or a value that none can have, is a fault; what does not go together is
 * what Slurm would say when the command runs. */
static void
faults_of_sbatch (void)
{
  static const char *const rows[][2] = {
    { "-t soon", "option --time is 'soon'; expected minutes" },
    { "-n1 --mem=xyz", "option --mem is 'xyz'; expected " },
    { "--cpu=2", "option '--cpu' is " },
    { "--colour=2", "option '--colour' is unknown; " },
    { "-n1 -a ''", "option --array is ''; expected indices of tasks such as 0-15" },
    { "-n1 --begin=nowadays", "option --begin is 'nowadays'; expected now" },
    { "-n1 : : -n2", "component 1 of the job is empty; expected options before and behind ':'" },
    { ": -n2", "component 0 of the job is empty; " },
    { "-n1 :", "component 1 of the job is empty; " },
    { "-n1 #run[5]=3", "[5] behind # is of a job that is no array and has no components; " },
    { "-n1 -a 0-3 #exit[4]=3", "[4] behind # is no task of the job; expected one of --array=0-3" },
    { "-n1 : -n1 #run[2]=3", "[2] behind # is no component of the job; expected one from 0 to 1" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = g_strdup_printf ("0 alice sbatch %s\n", rows[i][0]);
    g_autofree char *message = g_strdup_printf ("day.cmds:1: %s", rows[i][1]);
    g_autoptr (GError) error = NULL;
    g_assert_null (read_text (text, &error));
    if (!g_str_has_prefix (error->message, message))
      g_assert_cmpstr (error->message, ==, message);
  }
  expect_error ("0 alice scancel 3 #run=5\n", "day.cmds:1: what stands behind # is said of a job; "
                                              "expected it behind sbatch only");
  g_autoptr (LkCommandScript) both = read_line ("0 alice sbatch --mem=1 --mem-per-cpu=1");
  g_assert_nonnull (strstr (lk_command_script_at (both, 0)->refused, "exclude each other"));
  g_autoptr (LkCommandScript) array = read_line ("0 alice sbatch -a 0-3 -n1 : -n1");
  g_assert_cmpstr (lk_command_script_at (array, 0)->refused, ==,
                   "a heterogeneous job is no array (--array=0-3)");
}

/* It would have everything. */
static void
refused_by_scancel (void)
{
  static const char *const rows[][2] = {
    { "0 alice scancel", "no job identification provided" },
    { "0 alice scancel -b -s USR1", "no job identification provided" },
    { "0 alice scancel -t PD,foo 7",
      "option --state is 'foo'; expected PENDING, RUNNING or SUSPENDED" },
    { "0 alice scancel -t pending", NULL },
    { "0 alice scancel --me", NULL },
    { "0 alice scancel -R night", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (LkCommandScript) script = read_line (rows[i][0]);
    g_assert_cmpstr (lk_command_script_at (script, 0)->refused, ==, rows[i][1]);
  }
  expect_error ("0 a scancel -w n1\n", "day.cmds:1: nothing acts on --nodelist of scancel; "
                                       "expected scancel without it");
}

static void
cancels (void)
{
  g_autoptr (LkCommandScript) script =
      read_line ("0 root scancel -tPD --name=x,y -s SIGUSR1 -b 7 8_[1,3-4] 9_2,10+1");
  const LkCommand *command = lk_command_script_at (script, 0);
  const LkCommandJob *jobs = &g_array_index (command->jobs, LkCommandJob, 0);
  g_assert_cmpint (command->kind, ==, LK_COMMAND_CANCEL);
  g_assert_cmpstr (command->filter.states, ==, "PD");
  g_assert_cmpstr (command->filter.names, ==, "x,y");
  g_assert_cmpuint (command->filter.signal, ==, 10);
  g_assert_true (command->filter.to_batch);
  g_assert_cmpuint (command->jobs->len, ==, 4);
  g_assert_cmpuint (jobs[0].id, ==, 7);
  g_assert_null (jobs[0].task);
  g_assert_cmpint (jobs[0].component, ==, -1);
  g_assert_cmpstr (jobs[1].task, ==, "1,3-4");
  g_assert_cmpstr (jobs[2].task, ==, "2");
  g_assert_cmpint (jobs[3].component, ==, 1);
}

static void
controls (void)
{
  static const struct {
    const char *line;
    LkCommandKind kind;
  } cases[] = {
    { "0 r scontrol hold 3", LK_COMMAND_HOLD },
    { "0 r scontrol uhold 3,4", LK_COMMAND_UHOLD },
    { "0 r scontrol release JobName=x", LK_COMMAND_RELEASE },
    { "0 r scontrol requeue 3", LK_COMMAND_REQUEUE },
    { "0 r scontrol requeuehold jobid=3", LK_COMMAND_REQUEUEHOLD },
    { "0 r scontrol requeue Incomplete 3", LK_COMMAND_REQUEUE },
    { "0 r scontrol requeuehold incomplete State=SpecialExit 3", LK_COMMAND_REQUEUEHOLD },
    { "0 r scontrol suspend 3", LK_COMMAND_SUSPEND },
    { "0 r scontrol resume 3", LK_COMMAND_RESUME },
    { "0 r scontrol top 3", LK_COMMAND_TOP },
    { "0 r scontrol update JobId=3 Partition=x", LK_COMMAND_UPDATE_JOB },
    { "0 r scontrol update reservation=x nodes=n1", LK_COMMAND_UPDATE_RESERVATION },
    { "0 r scontrol update partition=x state=up", LK_COMMAND_UPDATE_PARTITION },
    { "0 r scontrol update node=n1 state=down", LK_COMMAND_UPDATE_NODE },
    { "0 r scontrol update Job=3 Time=5", LK_COMMAND_UPDATE_JOB },
    { "0 r scontrol update Part=x state=up", LK_COMMAND_UPDATE_PARTITION },
    { "0 r scontrol update nodena=n1 s=down r=x", LK_COMMAND_UPDATE_NODE },
    { "0 r scontrol update res=x user=bob", LK_COMMAND_UPDATE_RESERVATION },
    { "0 r scontrol create reservation nodes=n1", LK_COMMAND_CREATE_RESERVATION },
    { "0 r scontrol create reservationname=x nodes=n1", LK_COMMAND_CREATE_RESERVATION },
    { "0 r scontrol delete reservation=x", LK_COMMAND_DELETE_RESERVATION },
    { "0 r squeue a b", LK_COMMAND_SQUEUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LkCommandScript) script = read_line (cases[i].line);
    g_assert_cmpint (lk_command_script_at (script, 0)->kind, ==, cases[i].kind);
  }
}

static void
pairs (void)
{
  g_autoptr (LkCommandScript) script =
      read_line ("0 root scontrol update ReservationName=x Users+=bob Flags='maint,flex'");
  const LkCommand *command = lk_command_script_at (script, 0);
  g_assert_cmpstr (lk_command_value (command, "reservationname"), ==, "x");
  g_assert_cmpstr (lk_command_value (command, "flags"), ==, "maint,flex");
  g_assert_cmpint (g_array_index (command->pairs, LkCommandPair, 1).sign, ==, '+');
  g_assert_null (lk_command_value (command, "nodes"));
}

/* As short as Slurm takes them, and no shorter. */
static void
cut_keys (void)
{
  g_autoptr (LkCommandScript) script =
      read_line ("0 root scontrol update res=x user=bob fl=maint start=now nod=n1");
  const LkCommand *command = lk_command_script_at (script, 0);
  g_assert_cmpstr (lk_command_value (command, "users"), ==, "bob");
  g_assert_cmpstr (lk_command_value (command, "flags"), ==, "maint");
  g_assert_cmpstr (lk_command_value (command, "starttime"), ==, "now");
  g_assert_cmpstr (lk_command_value (command, "nod"), ==, "n1");
  g_assert_null (lk_command_value (command, "nodes"));
  g_autoptr (LkCommandScript) job = read_line ("0 root scontrol update JobI=3 TimeL=+5 part=x");
  command = lk_command_script_at (job, 0);
  g_assert_cmpstr (lk_command_value (command, "timelimit"), ==, "5");
  g_assert_cmpint (g_array_index (command->pairs, LkCommandPair, 1).sign, ==, '+');
  g_assert_cmpstr (lk_command_value (command, "partition"), ==, "x");
}

static void
faults (void)
{
  expect_error ("# nothing\n", "day.cmds: there is no command in it");
  expect_error ("x alice squeue\n",
                "day.cmds:1: the first word is 'x'; expected seconds from 0 to 1000000000000");
  expect_error ("5 a squeue\n4 a squeue\n", "day.cmds:2: the time 4 is before that of line 1; "
                                            "expected times that do not fall");
  expect_error ("5 a\n", "day.cmds:1: there is no command; expected SECONDS USER COMMAND");
  expect_error ("0 a sbach -n1\n", "day.cmds:1: the command is 'sbach'; expected sbatch, scancel, "
                                   "scontrol, sacctmgr or squeue; did you mean 'sbatch'?");
  expect_error ("0 a sbatch --reboot\n",
                "day.cmds:1: nothing acts on --reboot; expected a job without it");
  expect_error ("0 a sbatch --begin=2026-11-21\n",
                "day.cmds:1: option --begin is '2026-11-21'; expected now, "
                "now+N[seconds|minutes|hours|days|weeks] or utsSECONDS");
  expect_error ("0 a sbatch #runs=1\n",
                "day.cmds:1: '#runs=1' stands behind the command; expected #run=SECONDS, "
                "#exit=CODE, #signal=NUMBER or #on-signal=NUMBER:CODE");
  expect_error ("0 a sbatch #run=-1\n",
                "day.cmds:1: #run is '-1'; expected seconds from 0 to 1000000000000");
  expect_error ("0 a sbatch #exit=256\n",
                "day.cmds:1: #exit is '256'; expected a number from 0 to 255");
  expect_error ("0 a sbatch 'x\n", "day.cmds:1: a quote or a backslash has nothing behind it; "
                                   "expected every quote to be closed");
  expect_error ("0 a scancel x\n", "day.cmds:1: 'x' is no job; expected a number such as 12, 12_3, "
                                   "12_[3,7-9] or 12+1");
  expect_error ("0 a scancel --sate=PD\n",
                "day.cmds:1: '--sate=PD' is no option of scancel that is "
                "acted on; did you mean --state?");
  expect_error ("0 a scontrol holds 3\n",
                "day.cmds:1: scontrol 'holds' is not acted on; did you mean 'hold'?");
  expect_error ("0 a scontrol hold\n",
                "day.cmds:1: no job is named; expected a number or JobName=");
  expect_error ("0 a scontrol update x=1\n",
                "day.cmds:1: No valid entity in update command; expected JobId=, NodeName=, "
                "PartitionName= or ReservationName=");
}

static void
tolerant (void)
{
  static const char text[] = "0 a scontrol reconfigure\n"
                             "1 a sbatch --reboot -n2 #run=3\n"
                             "2 a sbatch --begin=16:00 -n2\n"
                             "3 a sbatch --begin=nowadays -n2\n"
                             "4 a sbatch --test-only -n2\n";
  static const struct {
    LkCommandKind kind;
    const char *passed_over;
    gboolean is_refused, is_test;
  } expected[] = {
    { LK_COMMAND_UNREAD, "scontrol 'reconfigure' is not acted on", FALSE, FALSE },
    { LK_COMMAND_SUBMIT, "nothing acts on --reboot; expected a job without it", FALSE, FALSE },
    { LK_COMMAND_SUBMIT,
      "option --begin is '16:00'; expected now, now+N[seconds|minutes|hours|days|weeks] or "
      "utsSECONDS",
      FALSE, FALSE },
    { LK_COMMAND_SUBMIT, NULL, TRUE, FALSE },
    { LK_COMMAND_SUBMIT, NULL, FALSE, TRUE },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (LkCommandScript) script = lk_command_script_new_tolerant ("x", bytes, &error);
  g_assert_no_error (error);
  g_assert_true (lk_command_script_is_tolerant (script));
  g_assert_cmpuint (lk_command_script_count (script), ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const LkCommand *command = lk_command_script_at (script, i);
    g_assert_cmpint (command->kind, ==, expected[i].kind);
    g_assert_cmpint (command->is_test, ==, expected[i].is_test);
    g_assert_true ((command->refused != NULL) == expected[i].is_refused);
    if (expected[i].passed_over != NULL)
      g_assert_true (g_str_has_prefix (command->passed_over, expected[i].passed_over));
    else
      g_assert_null (command->passed_over);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/command_script/a submit, with what is said of its runs", submits);
  g_test_add_func ("/command_script/components of a heterogeneous job", components);
  g_test_add_func ("/command_script/a job that sleeps tells how long it runs", sleeps);
  g_test_add_func ("/command_script/options that sbatch has not are faults", faults_of_sbatch);
  g_test_add_func ("/command_script/a scancel that names nothing is refused", refused_by_scancel);
  g_test_add_func ("/command_script/scancel has jobs, tasks and filters", cancels);
  g_test_add_func ("/command_script/scontrol has verbs", controls);
  g_test_add_func ("/command_script/scontrol has pairs", pairs);
  g_test_add_func ("/command_script/scontrol has pairs, cut short", cut_keys);
  g_test_add_func ("/command_script/a tolerant reader goes on and tells what it passes over",
                   tolerant);
  g_test_add_func ("/command_script/faults name file, line and word", faults);
  return g_test_run ();
}
