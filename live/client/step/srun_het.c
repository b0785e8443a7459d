/* live/client/step/srun_het.c — steps of several components of a heterogeneous job at once.
 *
 * `srun A : B` and `--het-group=0,1` are a step in each component, which an srun of its own starts
 * and stays with; the first has the input, and the exit code is the highest.  Tasks are numbered in
 * each step from 0.  Outside of a job `srun A : B` has a heterogeneous job allocated first, as
 * salloc does, which ends with them.  Source: srun(1), HETEROGENEOUS JOBS. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/client/step/srun.h"
#include "live/port/run_share.h"

/* In the environment of an srun that is of one component: it has been chosen. */
#define CHOSEN "LOCKSTEP_HET_GROUP"
#define GROUP_MARK "_HET_GROUP_"
#define GROUPS_MAX 128

typedef struct {
  LkClient *client;
  GArray *pids;  /* of pid_t */
  guint32 count; /* components of the job; 0: it is none */
} Het;

/* "2(x3),1": seven. */
static guint64
tasks_of (const char *text)
{
  guint64 sum = 0;
  char *end = (char *)text;
  while (g_ascii_isdigit (*end)) {
    guint64 tasks = g_ascii_strtoull (end, &end, 10);
    guint64 nodes = g_str_has_prefix (end, "(x") ? g_ascii_strtoull (end + 2, &end, 10) : 1;
    sum += tasks * nodes;
    end += strspn (end, "),");
  }
  return sum;
}

/* What the job says of all, and for the component of itself. Returns: (transfer full), to be freed
 * by g_strfreev. */
static char **
environment_of (const LkClient *client, guint32 group)
{
  /* Of the first component, where there is nothing of the group. */
  static const char *const own[] = { "SLURM_NTASKS",       "SLURM_NPROCS",
                                     "SLURM_NNODES",       "SLURM_JOB_NUM_NODES",
                                     "SLURM_MEM_PER_CPU",  "SLURM_MEM_PER_GPU",
                                     "SLURM_MEM_PER_NODE", "SLURM_CPUS_PER_TASK",
                                     "SLURM_GPUS",         "SLURM_NTASKS_PER_NODE" };
  g_autofree char *mark = g_strdup_printf (GROUP_MARK "%u=", group);
  char **environment = g_strdupv (client->environment);
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    environment = g_environ_unsetenv (environment, own[i]);
  for (char **at = client->environment; *at != NULL; at++) {
    const char *found = strstr (*at, mark);
    if (found == NULL || found > strchr (*at, '='))
      continue;
    g_autofree char *name = g_strndup (*at, (gsize)(found - *at));
    environment = g_environ_setenv (environment, name, strchr (found, '=') + 1, TRUE);
    if (strcmp (name, "SLURM_TASKS_PER_NODE") == 0) {
      g_autofree char *tasks =
          g_strdup_printf ("%" G_GUINT64_FORMAT, tasks_of (strchr (found, '=') + 1));
      environment = g_environ_setenv (environment, "SLURM_NTASKS", tasks, TRUE);
    }
  }
  return g_environ_setenv (environment, CHOSEN, "1", TRUE);
}

/* FALSE: told. */
static gboolean
begin (Het *self, char **argv, guint32 group)
{
  sigset_t none;
  g_auto (GStrv) environment = environment_of (self->client, group);
  gboolean is_first = self->pids->len == 0;
  sigemptyset (&none);
  pid_t pid = fork ();
  if (pid == 0) {
    int nothing = is_first ? -1 : open ("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0)
      dup2 (nothing, STDIN_FILENO);
    sigprocmask (SIG_SETMASK, &none, NULL);
    execve ("/proc/self/exe", argv, environment);
    _exit (127);
  }
  if (pid < 0) {
    lk_client_error (self->client, "fork: %s", g_strerror (errno));
    return FALSE;
  }
  g_array_append_val (self->pids, pid);
  return TRUE;
}

/* One part of the line, `a` of "a : b"; without --het-group it is of the component that has its
 * place. 0, or the exit code: told. */
static int
part_begin (Het *self, char **argv, guint32 place)
{
  LkLaunch launch;
  g_auto (GStrv) scratch = g_strdupv (argv);
  g_autofree char **permuted = g_memdup2 (scratch, (g_strv_length (argv) + 1) * sizeof *argv);
  int code = 0;
  lk_launch_init (&launch, &lk_srun_command, self->client);
  int parsed = lk_launch_parse (&launch, (int)g_strv_length (argv), permuted);
  const char *value = parsed == 0 ? lk_launch_value (&launch, "het-group") : NULL;
  g_autoptr (GArray) groups = value != NULL ? lk_number_ranges (value) : NULL;
  if (groups == NULL) {
    groups = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_val (groups, place);
  }
  if (parsed != 0)
    code = parsed == -2 ? 0 : LK_SBATCH_USAGE;
  else if (groups->len == 0) {
    lk_client_error (self->client, "Invalid --het-group value: %s", value);
    code = lk_launch_exit_code (self->client, "SLURM_EXIT_ERROR");
  }
  for (guint i = 0; parsed == 0 && code == 0 && i < groups->len; i++) {
    guint32 group = g_array_index (groups, guint32, i);
    if (group >= self->count)
      lk_client_error (self->client,
                       "--het-group=%u: expected a component of the heterogeneous job that we are "
                       "in, of which there are %u",
                       group, self->count);
    if (group >= self->count || !begin (self, argv, group))
      code = lk_launch_exit_code (self->client, "SLURM_EXIT_ERROR");
  }
  lk_launch_clear (&launch);
  return code;
}

/* What others send goes on to all; keys reach them by themselves. Returns: the highest code. */
static int
wait_for (Het *self, const sigset_t *set)
{
  int code = 0;
  for (guint left = self->pids->len; left > 0;) {
    int status;
    siginfo_t info;
    pid_t pid = waitpid (-1, &status, WNOHANG);
    if (pid > 0) {
      left--;
      code = MAX (code, WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status));
      continue;
    }
    if (pid < 0 && errno == ECHILD)
      break;
    if (sigwaitinfo (set, &info) > 0 && info.si_signo != SIGCHLD && info.si_code <= 0)
      for (guint i = 0; i < self->pids->len; i++)
        kill (g_array_index (self->pids, pid_t, i), info.si_signo);
  }
  return code;
}

static int
run (Het *self, char **argv)
{
  sigset_t set;
  sigset_t before;
  int code = 0;
  guint32 place = 0;
  lk_launch_signals (&set);
  sigaddset (&set, SIGCHLD);
  sigprocmask (SIG_BLOCK, &set, &before);
  for (char **at = argv; code == 0 && *at != NULL; place++) {
    g_autoptr (GPtrArray) part = g_ptr_array_new ();
    g_ptr_array_add (part, argv[0]);
    for (at++; *at != NULL && strcmp (*at, ":") != 0; at++)
      g_ptr_array_add (part, *at);
    g_ptr_array_add (part, NULL);
    code = part_begin (self, (char **)part->pdata, place);
  }
  /* What has begun of it is no good alone. */
  for (guint i = 0; code != 0 && i < self->pids->len; i++)
    kill (g_array_index (self->pids, pid_t, i), SIGTERM);
  int worst = wait_for (self, &set);
  sigprocmask (SIG_SETMASK, &before, NULL);
  return MAX (code, worst);
}

/* ---------------------------------------------------------------- outside of a job */

/* What is asked for by each part of the line, "a" and "b" of "a : b", becomes a component of one
 * launch. `scratch` keeps what the launch points into. 0, or the exit code: told. */
static int
components_read (const Het *self, char **argv, LkLaunch *out, GPtrArray *scratch)
{
  int parsed = 0;
  for (char **at = argv; parsed == 0 && *at != NULL;) {
    LkLaunch more;
    gboolean is_first = at == argv;
    GPtrArray *part = g_ptr_array_new ();
    g_ptr_array_add (scratch, part);
    g_ptr_array_add (part, argv[0]);
    for (at++; *at != NULL && strcmp (*at, ":") != 0; at++)
      g_ptr_array_add (part, *at);
    g_ptr_array_add (part, NULL);
    if (!is_first)
      lk_launch_init (&more, &lk_srun_command, self->client);
    LkLaunch *launch = is_first ? out : &more;
    parsed = lk_launch_parse (launch, (int)part->len - 1, (char **)part->pdata);
    if (is_first)
      continue;
    g_ptr_array_add (out->submission.components, g_ptr_array_ref (lk_launch_words (&more)));
    lk_launch_clear (&more);
  }
  return parsed == 0 ? 0 : parsed == -2 ? -2 : LK_SBATCH_USAGE;
}

/* Ours, and in it what is said of the job. Returns: (transfer full). */
static char **
environment_within (const LkLaunch *launch, const LkAllocation *job)
{
  char **environment = g_strdupv (launch->submission.client->environment);
  g_auto (GStrv) told = lk_launch_environment (launch, job);
  for (char **at = told; *at != NULL; at++) {
    const char *value = strchr (*at, '=');
    g_autofree char *name = g_strndup (*at, (gsize)(value - *at));
    if (g_str_has_prefix (name, "SLURM_"))
      environment = g_environ_setenv (environment, name, value + 1, TRUE);
  }
  return environment;
}

static int
run_within (Het *self, char **argv, LkLaunch *launch, const sigset_t *set)
{
  LkAllocation job = { 0 };
  int code;
  if (lk_allocate (launch, set, &job, &code)) {
    char **before = self->client->environment;
    g_auto (GStrv) within = environment_within (launch, &job);
    self->count = launch->submission.components->len;
    self->client->environment = within;
    code = run (self, argv);
    self->client->environment = before;
    lk_allocation_end (self->client, job.job_id, (guint8)MIN (code, 255));
  }
  lk_allocation_clear (&job);
  return code;
}

static void
part_free (gpointer part)
{
  g_ptr_array_unref (part);
}

static int
allocate_and_run (Het *self, char **argv)
{
  LkLaunch launch;
  sigset_t set;
  sigset_t before;
  g_autoptr (GPtrArray) scratch = g_ptr_array_new_with_free_func (part_free);
  lk_launch_init (&launch, &lk_srun_command, self->client);
  int code = components_read (self, argv, &launch, scratch);
  if (code == 0) {
    lk_launch_signals (&set);
    sigprocmask (SIG_BLOCK, &set, &before);
    code = run_within (self, argv, &launch, &set);
    sigprocmask (SIG_SETMASK, &before, NULL);
  }
  lk_launch_clear (&launch);
  return MAX (code, 0);
}

gboolean
lk_srun_het (LkClient *client, char **argv, int *out_code)
{
  Het self = { .client = client };
  guint64 count = 0;
  gboolean is_het = FALSE;
  gboolean has_groups = FALSE;
  if (lk_client_variable (client, CHOSEN) != NULL) {
    /* In place: the caller frees the array that it has given, and what remains in it. */
    client->environment = g_environ_unsetenv (client->environment, CHOSEN);
    return FALSE;
  }
  for (char **at = argv + 1; *at != NULL; at++) {
    is_het = is_het || strcmp (*at, ":") == 0;
    has_groups = has_groups || g_str_has_prefix (*at, "--het-group");
  }
  if (!is_het && !has_groups)
    return FALSE;
  if (!has_groups && lk_client_variable (client, "SLURM_JOB_ID") == NULL) {
    self.pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
    *out_code = allocate_and_run (&self, argv);
    g_array_unref (self.pids);
    return TRUE;
  }
  const char *size = lk_client_variable (client, "SLURM_HET_SIZE");
  if (size == NULL || !g_ascii_string_to_unsigned (size, 10, 1, GROUPS_MAX, &count, NULL)) {
    lk_client_error (client, "steps of several components are within a heterogeneous job: submit "
                             "it by sbatch, and run srun in its script");
    *out_code = lk_launch_exit_code (client, "SLURM_EXIT_ERROR");
    return TRUE;
  }
  self.count = (guint32)count;
  self.pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
  *out_code = run (&self, argv);
  g_array_unref (self.pids);
  return TRUE;
}
