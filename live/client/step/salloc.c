/* live/client/step/salloc.c — an allocation, and a program that runs here while it is held.
 *
 * The program runs on the machine where salloc was called; what is to run on the nodes it starts
 * with srun.  The allocation ends with it.  Texts, exit codes and what each signal does are those
 * of Slurm's src/salloc/salloc.c. */
#include <errno.h>
#include <paths.h>
#include <pwd.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "live/client/commands.h"
#include "live/client/step/launch.h"
#include "live/client/spank_command.h"
#include "traces/job_values.h"

/* The bell, unless something else is asked for, rings after such a wait. Slurm's. */
#define BELL_AFTER_US (10 * G_USEC_PER_SEC)
#define LOOK_FIRST_US 100000
#define LOOK_MAX_US (2 * G_USEC_PER_SEC)

static const LkClientOption own[] = {
  { "bell", 0, FALSE, LK_OPTION_ACTED_ON,
    "rings the terminal's bell when the job has been allocated" },
  { "chdir", 'D', TRUE, LK_OPTION_ACTED_ON, "directory in which the program begins" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "the cluster by name, or all: there is one" },
  { "get-user-env", 0, LK_OPTION_VALUE_MAY, LK_OPTION_HARMLESS, "the program has our environment" },
  { "gid", 0, TRUE, LK_OPTION_ACTED_ON, "group of job and program; for root only" },
  { "gpu-bind", 0, TRUE, LK_OPTION_ACTED_ON, "for srun: which GPUs tasks see" },
  { "immediate", 'I', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON,
    "gives up when it has not started after so many seconds (1)" },
  { "kill-command", 'K', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON,
    "signal for the program when the allocation ends before it (HUP; TERM without a value)" },
  { "mail-type", 0, TRUE, LK_OPTION_ACTED_ON, "of what mail is sent" },
  { "mail-user", 0, TRUE, LK_OPTION_ACTED_ON, "to whom" },
  { "mem-bind", 0, TRUE, LK_OPTION_ACTED_ON,
    "for srun: which NUMA nodes tasks have their memory of; help" },
  { "no-bell", 0, FALSE, LK_OPTION_ACTED_ON, "never rings it; else after 10 s of waiting" },
  { "no-shell", 0, FALSE, LK_OPTION_ACTED_ON, "runs nothing: the allocation stays until scancel" },
  { "overcommit", 'O', FALSE, LK_OPTION_ACTED_ON, "CPUs as for one task on each node" },
  { "quiet", 'Q', FALSE, LK_OPTION_ACTED_ON, "tells errors only" },
  { "uid", 0, TRUE, LK_OPTION_ACTED_ON, "user of job and program; for root only" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "tells which options were given" },
  { "wckey", 0, TRUE, LK_OPTION_ACTED_ON, "workload characterization key" },
  { "x11", 0, LK_OPTION_VALUE_MAY, LK_OPTION_REFUSED, "no display is forwarded" },
};

static const char *const without[] = {
  "array",      "batch",   "help",      "ignore-pbs", "kill-on-invalid-dep",
  "no-requeue", "requeue", "test-only", "usage",      "version",
  "wait",       "wrap",    "parsable",  NULL
};

static const LkOptionVariable variables[] = {
  { "SALLOC_ACCOUNT", "account", LK_GIVES_VALUE },
  { "SALLOC_ACCTG_FREQ", "acctg-freq", LK_GIVES_VALUE },
  { "SALLOC_BELL", "bell", LK_GIVES_FLAG },
  { "SALLOC_BURST_BUFFER", "bb", LK_GIVES_VALUE },
  { "SALLOC_CLUSTERS", "clusters", LK_GIVES_VALUE },
  { "SALLOC_CONSTRAINT", "constraint", LK_GIVES_VALUE },
  { "SALLOC_CONTAINER", "container", LK_GIVES_VALUE },
  { "SALLOC_CORE_SPEC", "core-spec", LK_GIVES_VALUE },
  { "SALLOC_CPUS_PER_GPU", "cpus-per-gpu", LK_GIVES_VALUE },
  { "SALLOC_DEBUG", "verbose", LK_GIVES_COUNT },
  { "SALLOC_DELAY_BOOT", "delay-boot", LK_GIVES_VALUE },
  { "SALLOC_DISTRIBUTION", "distribution", LK_GIVES_VALUE },
  { "SALLOC_EXCLUSIVE", "exclusive", LK_GIVES_EITHER },
  { "SALLOC_GPUS", "gpus", LK_GIVES_VALUE },
  { "SALLOC_GPUS_PER_NODE", "gpus-per-node", LK_GIVES_VALUE },
  { "SALLOC_GPUS_PER_TASK", "gpus-per-task", LK_GIVES_VALUE },
  { "SALLOC_GPU_BIND", "gpu-bind", LK_GIVES_VALUE },
  { "SALLOC_GPU_FREQ", "gpu-freq", LK_GIVES_VALUE },
  { "SALLOC_GRES", "gres", LK_GIVES_VALUE },
  { "SALLOC_GRES_FLAGS", "gres-flags", LK_GIVES_VALUE },
  { "SALLOC_HINT", "hint", LK_GIVES_VALUE },
  { "SLURM_HINT", "hint", LK_GIVES_VALUE },
  { "SALLOC_IMMEDIATE", "immediate", LK_GIVES_EITHER },
  { "SALLOC_JOB_NAME", "job-name", LK_GIVES_VALUE },
  { "SALLOC_KILL_CMD", "kill-command", LK_GIVES_EITHER },
  { "SALLOC_MEM_BIND", "mem-bind", LK_GIVES_VALUE },
  { "SALLOC_MEM_PER_CPU", "mem-per-cpu", LK_GIVES_VALUE },
  { "SALLOC_MEM_PER_GPU", "mem-per-gpu", LK_GIVES_VALUE },
  { "SALLOC_MEM_PER_NODE", "mem", LK_GIVES_VALUE },
  { "SALLOC_NETWORK", "network", LK_GIVES_VALUE },
  { "SALLOC_NO_BELL", "no-bell", LK_GIVES_FLAG },
  { "SALLOC_NO_KILL", "no-kill", LK_GIVES_EITHER },
  { "SALLOC_OVERCOMMIT", "overcommit", LK_GIVES_FLAG },
  { "SALLOC_PARTITION", "partition", LK_GIVES_VALUE },
  { "SALLOC_POWER", "power", LK_GIVES_VALUE },
  { "SALLOC_PROFILE", "profile", LK_GIVES_VALUE },
  { "SALLOC_QOS", "qos", LK_GIVES_VALUE },
  { "SALLOC_REQ_SWITCH", "switches", LK_GIVES_PART },
  { "SALLOC_RESERVATION", "reservation", LK_GIVES_VALUE },
  { "SALLOC_SIGNAL", "signal", LK_GIVES_VALUE },
  { "SALLOC_SPREAD_JOB", "spread-job", LK_GIVES_FLAG },
  { "SALLOC_THREADS_PER_CORE", "threads-per-core", LK_GIVES_VALUE },
  { "SALLOC_THREAD_SPEC", "thread-spec", LK_GIVES_VALUE },
  { "SALLOC_TIMELIMIT", "time", LK_GIVES_VALUE },
  { "SALLOC_TRES_PER_TASK", "tres-per-task", LK_GIVES_VALUE },
  { "SALLOC_USE_MIN_NODES", "use-min-nodes", LK_GIVES_FLAG },
  { "SALLOC_WAIT4SWITCH", "switches", LK_GIVES_PART },
  { "SALLOC_WAIT_ALL_NODES", "wait-all-nodes", LK_GIVES_VALUE },
  { "SALLOC_WCKEY", "wckey", LK_GIVES_VALUE },
};

static const LkLaunchCommand command = { .usage = "[OPTIONS(0)...] [ : [OPTIONS(N)...]] "
                                                  "[command(0) [args(0)...]]",
                                         .operands = "[command [args...]]",
                                         .own = own,
                                         .own_count = G_N_ELEMENTS (own),
                                         .without = without,
                                         .variables = variables,
                                         .variable_count = G_N_ELEMENTS (variables),
                                         .job_name = "interactive" };

void
lk_salloc_markdown (GString *out)
{
  lk_launch_markdown (&command, out);
}

void
lk_salloc_variables_markdown (GString *out)
{
  lk_option_variables_markdown (variables, G_N_ELEMENTS (variables), out);
}

/* ---------------------------------------------------------------- the terminal */

typedef struct {
  gboolean is_there; /* standard input is one */
  int fd;
  struct termios attributes;
} Terminal;

/* Waits until we are in the foreground, and makes us a group of our own, so that the program can
 * have the terminal. */
static void
terminal_begin (Terminal *self, FILE *in)
{
  self->fd = fileno (in);
  self->is_there = isatty (self->fd) != 0;
  if (!self->is_there)
    return;
  while (tcgetpgrp (self->fd) > 0 && tcgetpgrp (self->fd) != getpgrp ())
    if (killpg (getpgrp (), SIGTTIN) != 0)
      break;
  tcgetattr (self->fd, &self->attributes);
  signal (SIGTTOU, SIG_IGN);
  signal (SIGTTIN, SIG_IGN);
  signal (SIGTSTP, SIG_IGN);
  if (getpid () != getsid (0) && setpgid (0, 0) == 0)
    tcsetpgrp (self->fd, getpgrp ());
}

static void
terminal_end (const Terminal *self)
{
  if (!self->is_there)
    return;
  tcsetpgrp (self->fd, getpgrp ());
  tcsetattr (self->fd, TCSANOW, &self->attributes);
}

/* ---------------------------------------------------------------- the program */

typedef struct {
  LkLaunch launch;
  Terminal terminal;
  sigset_t set;
  sigset_t before;
  LkAllocation allocation;
  int kill_signal;
  pid_t pid;
  gboolean is_revoked;
} Salloc;

static void G_GNUC_NORETURN
child_run (const Salloc *self, const char *path, char **argv, char **environment)
{
  static const int reset[] = { SIGPIPE, SIGTTOU, SIGTTIN, SIGTSTP };
  if (self->terminal.is_there) {
    setpgid (0, 0);
    tcsetpgrp (self->terminal.fd, getpid ());
  }
  for (guint i = 0; i < G_N_ELEMENTS (reset); i++)
    signal (reset[i], SIG_DFL);
  sigprocmask (SIG_SETMASK, &self->before, NULL);
  execve (path, argv, environment);
  fprintf (stderr, "salloc: error: _fork_command: Unable to exec command \"%s\": %s\n", argv[0],
           g_strerror (errno));
  _exit (1);
}

/* FALSE: told. */
static gboolean
program_start (Salloc *self, char **argv)
{
  const LkClient *client = self->launch.submission.client;
  const char *folder = lk_launch_value (&self->launch, "chdir");
  g_autofree char *path = g_find_program_in_path (argv[0]);
  if (folder != NULL && chdir (folder) != 0) {
    lk_client_error (client, "chdir(%s): %s", folder, g_strerror (errno));
    return FALSE;
  }
  if (path == NULL) {
    lk_client_error (client, "_fork_command: Unable to find command \"%s\"", argv[0]);
    return FALSE;
  }
  g_auto (GStrv) environment = lk_launch_environment (&self->launch, &self->allocation);
  fflush (NULL);
  self->pid = fork ();
  if (self->pid == 0)
    child_run (self, path, argv, environment);
  if (self->pid < 0)
    lk_client_error (client, "_fork_command: fork failed: %s", g_strerror (errno));
  else if (self->terminal.is_there)
    /* Both do it, whoever comes first. */
    setpgid (self->pid, self->pid);
  return self->pid > 0;
}

/* The allocation has ended before the program. */
static void
revoked (Salloc *self, gboolean by_limit)
{
  guint32 job_id = self->allocation.job_id;
  self->is_revoked = TRUE;
  if (by_limit)
    lk_launch_info (&self->launch,
                    "Job %u has exceeded its time limit and its allocation has been revoked.",
                    job_id);
  else
    lk_launch_info (&self->launch, "Job allocation %u has been revoked.", job_id);
  if (self->terminal.is_there) {
    pid_t foreground = tcgetpgrp (self->terminal.fd);
    if (foreground > 0 && foreground != self->pid && foreground != getpgrp ())
      killpg (foreground, SIGHUP);
    killpg (self->pid, self->kill_signal);
  } else {
    kill (self->pid, self->kill_signal);
  }
}

/* Until the program has ended, or a SIGHUP has come. FALSE: it was that. */
static gboolean
program_wait (Salloc *self, int *out_status)
{
  int flags = WNOHANG | (self->terminal.is_there ? WUNTRACED : 0);
  gint64 look_us = LOOK_FIRST_US;
  for (;;) {
    gboolean by_limit;
    struct timespec pause = { look_us / G_USEC_PER_SEC, look_us % G_USEC_PER_SEC * 1000 };
    if (waitpid (self->pid, out_status, flags) != 0)
      break;
    int number = sigtimedwait (&self->set, NULL, &pause);
    if (number == SIGHUP)
      return FALSE;
    if (number == SIGTERM)
      kill (self->pid, SIGTERM);
    if (number > 0 || self->is_revoked)
      continue;
    look_us = MIN (2 * look_us, LOOK_MAX_US);
    if (!lk_allocation_is_held (self->launch.submission.client, self->allocation.job_id, &by_limit))
      revoked (self, by_limit);
  }
  /* A shell that stops itself has nobody left to continue it. */
  if (WIFSTOPPED (*out_status)) {
    killpg (self->pid, SIGKILL);
    waitpid (self->pid, out_status, 0);
  }
  return TRUE;
}

/* What a person does to end a program is no failure. */
static int
code_of (int status)
{
  if (WIFEXITED (status))
    return WEXITSTATUS (status);
  switch (WTERMSIG (status)) {
  case SIGHUP:
  case SIGINT:
  case SIGQUIT:
  case SIGKILL:
    return 0;
  default:
    return 1;
  }
}

static int
program_run (Salloc *self)
{
  const struct passwd *user = getpwuid (getuid ());
  char *shell[] = {
    g_strdup (user != NULL && *user->pw_shell != '\0' ? user->pw_shell : _PATH_BSHELL), NULL
  };
  char **argv = self->launch.arguments[0] != NULL ? self->launch.arguments : shell;
  int status = 0;
  int code = LK_LAUNCH_FAILURE;
  if (program_start (self, argv) && program_wait (self, &status))
    code = code_of (status);
  terminal_end (&self->terminal);
  g_free (shell[0]);
  if (!self->is_revoked) {
    lk_launch_info (&self->launch, "Relinquishing job allocation %u", self->allocation.job_id);
    lk_allocation_end (self->launch.submission.client, self->allocation.job_id,
                       WIFEXITED (status) ? (guint8)WEXITSTATUS (status) : 0);
  }
  return code;
}

/* ---------------------------------------------------------------- the whole */

static void
bell (const Salloc *self, gint64 waited_us)
{
  FILE *out = self->launch.submission.client->out;
  if (lk_launch_has (&self->launch, "no-bell") || !isatty (fileno (out)))
    return;
  if (lk_launch_has (&self->launch, "bell") || waited_us > BELL_AFTER_US) {
    fputc ('\a', out);
    fflush (out);
  }
}

/* --kill-command[=SIGNAL]. FALSE: told. */
static gboolean
kill_signal_read (Salloc *self)
{
  guint8 number = SIGTERM;
  const char *value = lk_launch_value (&self->launch, "kill-command");
  self->kill_signal = value == NULL ? SIGHUP : SIGTERM;
  if (value == NULL || *value == '\0')
    return TRUE;
  if (!lk_job_signal_parse (value, &number)) {
    lk_option_error (self->launch.submission.client, "kill-command", value,
                     "Invalid --kill-command specification");
    return FALSE;
  }
  self->kill_signal = number;
  return TRUE;
}

static void
nodes_tell (const Salloc *self, const LkJobRow *row)
{
  const LkLongText nodes = row->job.node_names;
  lk_launch_info (&self->launch, "Nodes %.*s are ready for job", (int)nodes.length_bytes,
                  nodes.length_bytes > 0 ? nodes.bytes : "");
}

static void
granted_tell (const Salloc *self)
{
  const GPtrArray *components = self->allocation.components;
  lk_launch_info (&self->launch, "Granted job allocation %u", self->allocation.job_id);
  if (components == NULL)
    nodes_tell (self, self->allocation.row);
  for (guint i = 0; components != NULL && i < components->len; i++)
    nodes_tell (self, g_ptr_array_index (components, i));
}

static int
run (Salloc *self)
{
  gint64 begin_us = g_get_monotonic_time ();
  int code = LK_LAUNCH_FAILURE;
  lk_launch_options_tell (&self->launch);
  if (!kill_signal_read (self))
    return lk_launch_exit_code (self->launch.submission.client, "SLURM_EXIT_ERROR");
  terminal_begin (&self->terminal, self->launch.submission.client->in);
  if (!lk_allocate (&self->launch, &self->set, &self->allocation, &code))
    return code;
  /* What runs here, or a person, may go on with it. */
  lk_guardian_end (&self->allocation.guardian);
  granted_tell (self);
  if (!lk_launch_become (&self->launch, self->allocation.row)) {
    lk_allocation_end (self->launch.submission.client, self->allocation.job_id, LK_LAUNCH_FAILURE);
    return LK_LAUNCH_FAILURE;
  }
  bell (self, g_get_monotonic_time () - begin_us);
  if (lk_launch_has (&self->launch, "no-shell"))
    return 0;
  return program_run (self);
}

int
lk_salloc (LkClient *client, int argc, char **argv)
{
  Salloc self = { .pid = -1 };
  lk_launch_init (&self.launch, &command, client);
  int parsed = lk_spank_command_begin (client, S_CTX_ALLOCATOR)
                   ? lk_launch_parse (&self.launch, argc, argv)
                   : -1;
  int code = parsed == -2          ? 0
             : client->was_refused ? lk_launch_exit_code (client, "SLURM_EXIT_ERROR")
                                   : LK_SBATCH_USAGE;
  if (parsed == 0) {
    lk_launch_signals (&self.set);
    sigprocmask (SIG_BLOCK, &self.set, &self.before);
    code = run (&self);
    sigprocmask (SIG_SETMASK, &self.before, NULL);
  }
  lk_spank_command_end (client);
  lk_allocation_clear (&self.allocation);
  lk_launch_clear (&self.launch);
  return code;
}
