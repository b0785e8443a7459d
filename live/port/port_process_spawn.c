/* live/port/port_process_spawn.c — see the header. */
#include "live/port/port_process_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/cgroup_node.h"
#include "live/port/folder_tree.h"
#include "live/port/job_keys.h"
#include "live/port/run_folder.h"
#include "live/port/run_share.h"

/* The stream's number in the supervisor. */
#define STREAM 3

/* ---------------------------------------------------------------- the plan */

static void
add (GPtrArray *arguments, const char *name, const char *value)
{
  g_ptr_array_add (arguments, g_strdup (name));
  if (value != NULL)
    g_ptr_array_add (arguments, g_strdup (value));
}

static void
add_all (GPtrArray *arguments, const char *name, const char *const *values)
{
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    add (arguments, name, values[i]);
}

static void
add_time (GPtrArray *arguments, const char *name, gint64 time_us)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, time_us);
  if (time_us > 0)
    add (arguments, name, text);
}

static void
add_path (GPtrArray *arguments, const char *name, const char *path)
{
  if (path != NULL && path[0] != '\0')
    add (arguments, name, path);
}

static void
add_programs (GPtrArray *fixed, const LkProcessOsConfig *config)
{
  add_all (fixed, "--prolog", config->prologs);
  add_all (fixed, "--epilog", config->epilogs);
  add_time (fixed, "--prolog-us", config->prolog_timeout_us);
  add_time (fixed, "--epilog-us", config->epilog_timeout_us);
  add_path (fixed, "--task-prolog", config->task_prolog);
  add_path (fixed, "--task-epilog", config->task_epilog);
  add_path (fixed, "--plugstack", config->plugstack);
  add_time (fixed, "--unkillable-us", config->unkillable_us);
  add_path (fixed, "--unkillable", config->unkillable_program);
  add_time (fixed, "--login-us", config->login_timeout_us);
}

static void
add_fixed (GPtrArray *fixed, const LkProcessOsConfig *config)
{
  g_autofree char *agent = g_strdup_printf ("%d", STREAM);
  add (fixed, "--node", config->node);
  add (fixed, "--agent", agent);
  add_path (fixed, "--configuration", config->configuration);
  add_programs (fixed, config);
  add_path (fixed, "--cgroup-mount", config->cgroups.mount);
  if (config->cgroups.version > 0)
    add (fixed, "--cgroup-version", config->cgroups.version == 1 ? "1" : "2");
  if (config->appends_output)
    add (fixed, "--append", NULL);
  if (config->is_emulated)
    add (fixed, "--confine-nothing", NULL);
  if (!config->is_emulated && geteuid () == 0)
    add_path (fixed, "--private-base", config->private_base);
  add_all (fixed, "--private", config->privates);
  if (!config->is_emulated)
    add_path (fixed, "--gpu-library", config->gpu_library);
  if (!config->is_emulated && config->tasks_max > 0) {
    g_autofree char *tasks = g_strdup_printf ("%u", config->tasks_max);
    add (fixed, "--tasks-max", tasks);
  }
  if (!config->is_emulated && config->constrains_cores)
    add (fixed, "--confine-cores", NULL);
  if (config->near != NULL)
    add (fixed, "--near", config->near);
  if (config->is_emulated || !config->constrains_devices)
    return;
  add (fixed, "--confine-devices", NULL);
  for (guint i = 0; i < config->device_count; i++)
    add (fixed, "--device", config->devices[i].path);
}

void
lk_spawn_plan_init (LkSpawnPlan *self, const LkProcessOsConfig *config)
{
  gboolean binds = !config->is_emulated && (config->binds_cores || config->constrains_cores);
  *self = (LkSpawnPlan){
    .directory = g_canonicalize_filename (config->directory, NULL),
    .program = g_strdup (config->step_program),
    .node = g_strdup (config->node),
    .fixed = g_ptr_array_new_with_free_func (g_free),
    .group = config->uses_no_cgroups || geteuid () != 0
                 ? NULL
                 : lk_cgroup_node_path (config->directory, config->node),
    .cores = binds ? lk_core_map_new () : NULL,
    .confines_nothing = config->is_emulated,
    .confines_tasks = !config->is_emulated && config->tasks_max > 0,
    .cgroup_mount = g_strdup (config->cgroups.mount),
    .private_base = g_strdup (config->private_base),
    .cgroups = config->cgroups,
  };
  self->cgroups.mount = self->cgroup_mount;
  if (!config->is_emulated)
    self->memory = config->memory;
  self->spool = g_build_filename (self->directory, "spool", NULL);
  add_fixed (self->fixed, config);
}

void
lk_spawn_plan_clear (LkSpawnPlan *self)
{
  /* As long as runs have groups in it, it stays. */
  if (self->group != NULL)
    lk_cgroup_node_remove (&self->cgroups, self->group);
  g_free (self->directory);
  g_free (self->spool);
  g_free (self->program);
  g_free (self->node);
  g_free (self->group);
  g_free (self->cgroup_mount);
  g_free (self->private_base);
  g_ptr_array_unref (self->fixed);
  lk_core_map_free (self->cores);
}

const char *
lk_spawn_probe (LkSpawnPlan *self)
{
  if (self->group == NULL)
    return NULL;
  g_autoptr (LkCgroup) group = lk_cgroup_new (&self->cgroups, self->group);
  if (group != NULL && self->confines_nothing)
    lk_cgroup_keep_freezer (group);
  if (group == NULL || !lk_cgroup_make (group)) {
    g_clear_pointer (&self->group, g_free);
    return "control groups cannot be used here: processes of a run are found by their descent, and "
           "memory, cores and devices are not confined";
  }
  if (!lk_cgroup_has (group, "freezer"))
    return "no freezer here: runs are suspended by SIGSTOP";
  if (!self->confines_nothing && !lk_cgroup_has (group, "memory"))
    return "no memory controller here: memory is not confined";
  if (self->confines_tasks && !lk_cgroup_has (group, "pids"))
    return "no pids controller here: the number of processes is not confined";
  return NULL;
}

char *
lk_spawn_folder (const LkSpawnPlan *self, guint64 run_id)
{
  return g_strdup_printf ("%s/runs/%" G_GUINT64_FORMAT, self->directory, run_id);
}

char *
lk_spawn_group (const LkSpawnPlan *self, guint64 run_id)
{
  if (self->group == NULL)
    return NULL;
  return g_strdup_printf ("%s/run_%" G_GUINT64_FORMAT, self->group, run_id);
}

LkCgroup *
lk_spawn_open_group (const LkSpawnPlan *self, guint64 run_id)
{
  g_autofree char *path = lk_spawn_group (self, run_id);
  return path != NULL ? lk_cgroup_new (&self->cgroups, path) : NULL;
}

static void
clean_privates (const LkSpawnPlan *self, guint64 run_id)
{
  if (self->private_base == NULL)
    return;
  g_autofree char *name = g_strdup_printf ("%" G_GUINT64_FORMAT, run_id);
  int base = open (self->private_base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (base < 0)
    return;
  lk_folder_tree_remove (base, name);
  close (base);
}

void
lk_spawn_clean (const LkSpawnPlan *self, guint64 run_id)
{
  g_autofree char *name = g_strdup_printf ("%" G_GUINT64_FORMAT, run_id);
  int spool = open (self->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_autoptr (LkCgroup) group = lk_spawn_open_group (self, run_id);
  if (spool >= 0) {
    lk_folder_tree_remove (spool, name);
    close (spool);
  }
  clean_privates (self, run_id);
  if (group != NULL)
    lk_cgroup_remove (group);
}

/* ---------------------------------------------------------------- the command line */

static guint64
node_memory_bytes (void)
{
  long pages = sysconf (_SC_PHYS_PAGES);
  long page_bytes = sysconf (_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? (guint64)pages * (guint64)page_bytes : G_MAXUINT64 / 128;
}

static void
add_bytes (GPtrArray *arguments, const char *name, guint64 bytes)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
  if (bytes > 0)
    add (arguments, name, text);
}

LkMemoryLimits
lk_spawn_memory (const LkSpawnPlan *self, guint64 given_bytes)
{
  return lk_memory_limits (&self->memory, node_memory_bytes (), given_bytes);
}

static gboolean
confines_memory (const LkSpawnPlan *self)
{
  return self->memory.confines_ram || self->memory.confines_swap;
}

/* What of the node it is given. */
static void
add_share (const LkSpawnPlan *self, int runs, guint64 run_id, GPtrArray *arguments)
{
  int folder = lk_run_folder_open (runs, run_id);
  g_autoptr (GByteArray) bytes = folder >= 0 ? lk_run_folder_launch (folder) : NULL;
  LkMessage message;
  LkRunShare share;
  if (folder >= 0)
    close (folder);
  if (bytes == NULL || !lk_message_decode (bytes->data, bytes->len, &message)
      || message.kind != LK_MESSAGE_LAUNCH)
    return;
  lk_run_share_init (&share, &message.launch, self->node);
  LkMemoryLimits limits = lk_spawn_memory (self, share.memory_bytes);
  g_autofree char *cpus = self->cores != NULL ? lk_core_map_cpus (self->cores, share.cores) : NULL;
  add_bytes (arguments, "--memory-bytes", limits.ram_bytes);
  add_bytes (arguments, "--memory-swap-bytes", limits.total_bytes);
  if (cpus != NULL)
    add (arguments, "--cpus", cpus);
  lk_run_share_clear (&share);
}

static GPtrArray *
command_line (const LkSpawnPlan *self, int runs, guint64 run_id)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = lk_spawn_folder (self, run_id);
  g_autofree char *group = lk_spawn_group (self, run_id);
  g_autofree char *key = lk_job_keys_path (self->directory, run_id);
  g_ptr_array_add (arguments, g_strdup (self->program));
  add (arguments, "--folder", folder);
  add (arguments, "--spool", self->spool);
  add (arguments, "--job-key", key);
  if (group != NULL)
    add (arguments, "--cgroup", group);
  for (guint i = 0; i < self->fixed->len; i++)
    g_ptr_array_add (arguments, g_strdup (g_ptr_array_index (self->fixed, i)));
  if (self->cores != NULL || confines_memory (self))
    add_share (self, runs, run_id, arguments);
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

/* ---------------------------------------------------------------- the process */

/* The environment of whoever started the agent is none of a run's. */
static char *const environment[] = { (char *)"PATH=/usr/local/bin:/usr/bin:/bin", NULL };

/* Two children, one below the other, have the memory of the agent, which waits until the second is
 * another program: to copy it would cost more than all else here.  So nothing of them may change
 * any of it but their stacks, which are the agent's to give. */
#define STACK_BYTES 16384u

typedef struct {
  const LkLoop *loop;
  int stream;
  char **arguments;
  guint8 stacks[2][STACK_BYTES] __attribute__ ((aligned (16)));
} Birth;

static pid_t
clone_child (int (*child) (void *user), Birth *birth, guint which)
{
  return clone (child, birth->stacks[which] + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, birth);
}

static int
run_program (void *user)
{
  const Birth *birth = user;
  execve (birth->arguments[0], birth->arguments, environment);
  return 127;
}

static int
become_supervisor (void *user)
{
  Birth *birth = user;
  int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
  lk_loop_unblock_signals (birth->loop);
  if (nothing >= 0) {
    dup2 (nothing, 0);
    dup2 (nothing, 1);
    dup2 (nothing, 2);
  }
  /* A stream that has the number already would keep its mark. */
  if (birth->stream == STREAM)
    fcntl (birth->stream, F_SETFD, 0);
  else
    dup2 (birth->stream, STREAM);
  syscall (SYS_close_range, STREAM + 1, ~0U, 0);
  setsid ();
  clone_child (run_program, birth, 1);
  return 0;
}

int
lk_supervisor_spawn (const LkSpawnPlan *self, const LkLoop *loop, int runs, guint64 run_id)
{
  int streams[2];
  g_autoptr (GPtrArray) arguments = command_line (self, runs, run_id);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, streams) != 0)
    return -1;
  Birth birth = { .loop = loop, .stream = streams[1], .arguments = (char **)arguments->pdata };
  pid_t pid = clone_child (become_supervisor, &birth, 0);
  int error_number = errno;
  close (streams[1]);
  if (pid < 0) {
    close (streams[0]);
    errno = error_number;
    return -1;
  }
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  return streams[0];
}
