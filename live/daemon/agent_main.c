/* live/daemon/agent_main.c — lockstep-agent, also called as `lockstep agent`: finds out which node
 * this machine is, or emulates, and runs its agent. */
#include <errno.h>
#include <glob.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/hostlist.h"
#include "live/agent/gpu_library.h"
#include "live/agent/hardware.h"
#include "live/daemon/agent_daemon.h"
#include "live/daemon/agent_node.h"
#include "live/daemon/agent_reach.h"
#include "live/daemon/daemon.h"
#include "live/daemon/daemon_site.h"
#include "live/daemon/lock_file.h"
#include "live/daemon/log.h"
#include "live/port/auth_munge.h"
#include "live/port/error.h"
#include "live/spank/stack.h"
#include "traces/option_context.h"

#define RELOAD_VARIABLE "LOCKSTEP_RELOAD"
#define STEP_PROGRAM "lockstep-step"
/* Between two attempts to begin anew. */
#define AGAIN_S 2

typedef struct {
  char *conf;
  char *nodes;
  char *directory;
  char **controllers;
  char *socket;
  char *log;
  char *pid_file;
  char *step;
  gboolean is_emulated;
  gboolean is_discover;
  gboolean is_version;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->conf);
  g_free (self->nodes);
  g_free (self->directory);
  g_strfreev (self->controllers);
  g_free (self->socket);
  g_free (self->log);
  g_free (self->pid_file);
  g_free (self->step);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
options_parse (Options *self, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "conf", 'f', 0, G_OPTION_ARG_FILENAME, &self->conf,
      "the slurm.conf; else $SLURM_CONF, else " LK_DAEMON_CONF_DEFAULT, "FILE" },
    { "node", 'N', 0, G_OPTION_ARG_STRING, &self->nodes,
      "the node that this machine is; else its host name. With --emulated a list: n[1-8]", "NAME" },
    { "dir", 'd', 0, G_OPTION_ARG_FILENAME, &self->directory,
      "the node's state, %n is its name; else SlurmdSpoolDir", "DIR" },
    { "controller", 'c', 0, G_OPTION_ARG_FILENAME_ARRAY, &self->controllers,
      "where the controller is, may be repeated; else SlurmctldHost and SlurmctldPort",
      "/PATH or HOST:PORT" },
    { "socket", 's', 0, G_OPTION_ARG_FILENAME, &self->socket,
      "the local socket of a controller on this machine; else " LK_DAEMON_SOCKET, "PATH" },
    { "log", 'L', 0, G_OPTION_ARG_FILENAME, &self->log,
      "the log; else SlurmdLogFile, else standard error", "FILE" },
    { "pid-file", 0, 0, G_OPTION_ARG_FILENAME, &self->pid_file,
      "a file with the number of the process; else SlurmdPidFile, else none", "FILE" },
    { "step", 0, 0, G_OPTION_ARG_FILENAME, &self->step,
      "the supervisor of runs; else " STEP_PROGRAM " beside this program", "PROGRAM" },
    { "emulated", 0, 0, G_OPTION_ARG_NONE, &self->is_emulated,
      "this machine plays nodes that it is not: as many CPUs, as much memory and as many GPUs as "
      "the configuration says, without prolog, epilog and limits",
      NULL },
    { "discover", 'C', 0, G_OPTION_ARG_NONE, &self->is_discover,
      "only print the line of a slurm.conf that describes this machine", NULL },
    { "version", 'V', 0, G_OPTION_ARG_NONE, &self->is_version, "print the version", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (context, "The agent of a node: begins and ends runs as the "
                                         "controller says. See docs/operator.md.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!lk_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc == 1)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "unexpected argument '%s'",
               argv[1]);
  return FALSE;
}

/* ---------------------------------------------------------------- what runs around jobs */

/* Patterns become the programs that fit them, in alphabetical order; a program that is not there
 * stays, so that its absence is told when it should run. Returns: (transfer full). */
static char **
expand_programs (char *const *patterns)
{
  GPtrArray *programs = g_ptr_array_new ();
  for (guint i = 0; patterns != NULL && patterns[i] != NULL; i++) {
    glob_t found = { 0 };
    if (glob (patterns[i], GLOB_NOCHECK, NULL, &found) == 0)
      for (size_t k = 0; k < found.gl_pathc; k++)
        g_ptr_array_add (programs, g_strdup (found.gl_pathv[k]));
    globfree (&found);
  }
  g_ptr_array_add (programs, NULL);
  return (char **)g_ptr_array_free (programs, FALSE);
}

static gboolean
has_word (char *const *list, const char *word)
{
  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    if (strstr (list[i], word) != NULL)
      return TRUE;
  return FALSE;
}

/* HealthCheckProgram is killed after a minute, as in Slurm. */
static void
look_after (const LkSiteSettings *settings, const char *conf_path, LkHealthOptions *out_health)
{
  static const LkHealthWhen whens[] = {
    [LK_SITE_HEALTH_ANY] = LK_HEALTH_ALWAYS,           [LK_SITE_HEALTH_IDLE] = LK_HEALTH_IDLE,
    [LK_SITE_HEALTH_ALLOC] = LK_HEALTH_BUSY,           [LK_SITE_HEALTH_MIXED] = LK_HEALTH_BUSY,
    [LK_SITE_HEALTH_NONDRAINED_IDLE] = LK_HEALTH_IDLE, [LK_SITE_HEALTH_START_ONLY] = LK_HEALTH_ONCE,
  };
  if (settings->health_program[0] == '\0' || settings->health_interval_us == 0)
    return;
  *out_health = (LkHealthOptions){ .program = settings->health_program,
                                   .interval_us = settings->health_interval_us,
                                   .time_max_us = 60 * (gint64)G_USEC_PER_SEC,
                                   .when = whens[settings->health_state],
                                   .configuration = conf_path };
}

static void
take_programs (const LkSiteSettings *settings, LkProcessOsConfig *out_process)
{
  out_process->prolog_timeout_us = settings->prolog_timeout_us;
  out_process->epilog_timeout_us = settings->epilog_timeout_us;
  out_process->unkillable_us = settings->unkillable_us;
  out_process->unkillable_program = settings->unkillable_program;
  out_process->task_prolog = settings->task_prolog;
  out_process->task_epilog = settings->task_epilog;
}

static guint64
kernel_number (const char *path)
{
  g_autofree char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) ? g_ascii_strtoull (text, NULL, 10) : 0;
}

/* Processes and threads that there may be on this machine; 0: the kernel does not tell. */
static guint64
node_tasks_max (void)
{
  guint64 ids = kernel_number ("/proc/sys/kernel/pid_max");
  guint64 threads = kernel_number ("/proc/sys/kernel/threads-max");
  return threads > 0 ? MIN (ids, threads) : ids;
}

static void
constrain (const LkSiteSettings *settings, LkProcessOsConfig *out_process)
{
  gboolean is_confined = has_word (settings->task_plugins, "task/cgroup");
  out_process->binds_cores = is_confined || has_word (settings->task_plugins, "task/affinity");
  out_process->memory = (LkMemoryRules){ is_confined && settings->constrain_memory,
                                         is_confined && settings->constrain_swap,
                                         settings->allowed_memory_percent,
                                         settings->allowed_swap_percent,
                                         (guint64)settings->memory_min_mib << 20,
                                         settings->memory_max_percent,
                                         settings->swap_max_percent };
  out_process->cgroups.mount = settings->cgroup_mount;
  out_process->cgroups.version = settings->cgroup_plugin == LK_SITE_CGROUP_V1   ? 1
                                 : settings->cgroup_plugin == LK_SITE_CGROUP_V2 ? 2
                                                                                : 0;
  if (is_confined && settings->tasks_max_percent < 100)
    out_process->tasks_max =
        (guint)MIN (node_tasks_max () * settings->tasks_max_percent / 100, G_MAXINT);
  out_process->constrains_cores = is_confined && settings->constrain_cores;
  out_process->constrains_devices = is_confined && settings->constrain_devices;
  out_process->uses_no_cgroups = settings->cgroup_plugin == LK_SITE_CGROUP_DISABLED
                                 || settings->process_tracking == LK_SITE_PROCTRACK_LINUXPROC
                                 || settings->process_tracking == LK_SITE_PROCTRACK_PGID;
}

/* ---------------------------------------------------------------- running */

/* The name of this machine up to its first dot. Returns: (transfer full). */
static char *
host_name (void)
{
  const char *name = g_get_host_name ();
  return g_strndup (name, strcspn (name, "."));
}

/* FALSE: told. */
static gboolean
find_nodes (const Options *options, const LkSite *site, const char *host, LkAgentNodes *out_nodes)
{
  const LkSiteSettings *settings = lk_site_settings (site);
  g_autoptr (GError) error = NULL;
  LkAgentNodeOptions node_options = {
    .site = site,
    .names = options->nodes != NULL ? options->nodes : host,
    .directory = options->directory != NULL ? options->directory : settings->spool_dir,
    .host = host,
    .is_emulated = options->is_emulated,
  };
  if (lk_agent_nodes_init (out_nodes, &node_options, &error))
    return TRUE;
  lk_log (LK_LOG_FATAL, "%s", error->message);
  return FALSE;
}

/* What an agent has begun with. */
typedef struct {
  const Options *options;
  const LkAgentNodes *nodes;
} Begun;

/* Whose directory is another one now would not find its runs again. */
static gboolean
keeps_directories (const LkAgentNodes *before, const LkAgentNodes *now)
{
  for (guint i = 0; i < before->nodes->len; i++)
    for (guint j = 0; j < now->nodes->len; j++) {
      const LkAgentDaemonNode *old = &g_array_index (before->nodes, LkAgentDaemonNode, i);
      const LkAgentDaemonNode *new = &g_array_index (now->nodes, LkAgentDaemonNode, j);
      if (strcmp (old->name, new->name) != 0 || strcmp (old->directory, new->directory) == 0)
        continue;
      lk_log (LK_LOG_FATAL,
              "SlurmdSpoolDir of %s is '%s', and not '%s': its runs are there; drain the node, and "
              "start its agent again",
              old->name, old->directory, new->directory);
      return FALSE;
    }
  return TRUE;
}

/* An agent that begins anew leaves to the next one which RELOAD it has heeded. Nobody else is to
 * find that in his environment. */
static guint64
take_reload_number (void)
{
  const char *text = g_getenv (RELOAD_VARIABLE);
  guint64 number = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;
  g_unsetenv (RELOAD_VARIABLE);
  return number;
}

/* Was this one to begin anew, and has not begun? */
static gboolean
is_to_begin (void)
{
  return g_getenv (RELOAD_VARIABLE) != NULL;
}

static void
leave_reload_number (guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  g_setenv (RELOAD_VARIABLE, text, TRUE);
}

static int
fail (const GError *error, int exit_code)
{
  lk_log (LK_LOG_FATAL, "%s", error->message);
  return exit_code;
}

/* The user that runs the controller; LK_MUNGE_ANYONE: there is none of that name. */
static guint32
controller_user_id (const Options *options, const LkSiteSettings *settings)
{
  const struct passwd *user = getpwnam (settings->slurm_user);
  if (options->is_emulated)
    return (guint32)geteuid ();
  return user != NULL ? (guint32)user->pw_uid : LK_MUNGE_ANYONE;
}

/* Whoever else could write there could be in the way of what root makes there. FALSE: the agent
 * does not start. */
static gboolean
take_base (const char *base, gboolean makes_it, GError **error)
{
  struct stat found;
  if (makes_it && mkdir (base, 0755) != 0 && errno != EEXIST) {
    lk_port_error_set (error, errno, "BasePath '%s'", base);
    return FALSE;
  }
  if (lstat (base, &found) != 0) {
    lk_port_error_set (error, errno, "BasePath '%s'", base);
    return FALSE;
  }
  if (S_ISDIR (found.st_mode) && found.st_uid == geteuid ()
      && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
               "BasePath '%s' is no folder of root to which nobody else can write", base);
  return FALSE;
}

/* What is there a job would not see, its own script neither. */
static gboolean
check_dirs (char *const *dirs, const char *directory, GError **error)
{
  g_autofree char *whole = g_canonicalize_filename (directory, NULL);
  for (guint i = 0; dirs[i] != NULL; i++) {
    gsize length = strlen (dirs[i]);
    if (strncmp (whole, dirs[i], length) != 0 || (whole[length] != '/' && whole[length] != '\0'))
      continue;
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
                 "the agent's directory '%s' is in '%s', which each job has to itself", whole,
                 dirs[i]);
    return FALSE;
  }
  return TRUE;
}

/* What jobs have to themselves on a node. */
typedef struct {
  char *base;
  char **dirs;
  gboolean makes_base;
} Container;

static void
container_clear (Container *self)
{
  g_free (self->base);
  g_strfreev (self->dirs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Container, container_clear)

static void
container_init (Container *self, const LkSiteSettings *settings, const char *node)
{
  g_autofree char *host = host_name ();
  LkSiteFolders folders = lk_site_folders_of (settings, node);
  *self = (Container){ lk_site_path_expand (folders.base, host, node),
                       g_strsplit (folders.dirs, ",", -1), folders.makes_base };
}

/* Only root can give jobs folders of their own. */
static gboolean
is_contained (const Options *options, const LkSiteSettings *settings)
{
  return !options->is_emulated && settings->job_container == LK_SITE_CONTAINER_TMPFS
         && geteuid () == 0;
}

static gboolean
container_check (const Container *self, const LkAgentDaemonNode *node, GError **error)
{
  return check_dirs (self->dirs, node->directory, error)
         && take_base (self->base, self->makes_base, error);
}

static gboolean
contain (const Options *options, const LkSiteSettings *settings, const LkAgentDaemonNode *node,
         const Container *container, LkProcessOsConfig *out_process, GError **error)
{
  if (settings->job_container == LK_SITE_CONTAINER_TMPFS && geteuid () != 0)
    lk_log (LK_LOG_ERROR, "JobContainerType needs root: jobs have no folders of their own");
  if (!is_contained (options, settings))
    return TRUE;
  out_process->private_base = container->base;
  out_process->privates = (const char *const *)container->dirs;
  return container_check (container, node, error);
}

/* ---------------------------------------------------------------- beginning anew */

static void
find_controllers (LkAgentReach *out_reach, const Options *options, const LkSiteSettings *settings,
                  const char *conf_path)
{
  g_autofree char *host = host_name ();
  LkAgentReachOptions where = { settings, conf_path, host, options->controllers,
                                options->socket != NULL ? options->socket : LK_DAEMON_SOCKET };
  lk_agent_reach_init (out_reach, &where);
}

/* What an agent needs that other files hold. */
static gboolean
has_all (const Options *options, const LkSite *site, const LkAgentNodes *nodes,
         const char *conf_path, GError **error)
{
  const LkSiteSettings *settings = lk_site_settings (site);
  const LkAgentDaemonNode *node = &g_array_index (nodes->nodes, LkAgentDaemonNode, 0);
  g_autoptr (LkKeyring) keyring = NULL;
  g_auto (LkAgentReach) reach = { NULL };
  g_auto (Container) container = { NULL };
  find_controllers (&reach, options, settings, conf_path);
  container_init (&container, settings, node->name);
  return lk_daemon_load_keys (reach.key_path, &keyring, error)
         && (!is_contained (options, settings) || container_check (&container, node, error));
}

/* Is what the configuration says now something that an agent of this machine can begin with? */
static gboolean
may_begin_anew (gpointer user)
{
  const Begun *begun = user;
  const char *conf_path = lk_daemon_conf_path (begun->options->conf);
  LkSiteOptions site_options = { .conf_path = conf_path };
  g_auto (LkAgentNodes) nodes = { NULL };
  g_autofree char *host = host_name ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSite) site = lk_daemon_site_read (&site_options);
  if (site == NULL || !find_nodes (begun->options, site, host, &nodes)
      || !keeps_directories (begun->nodes, &nodes))
    return FALSE;
  if (has_all (begun->options, site, &nodes, conf_path, &error))
    return TRUE;
  lk_log (LK_LOG_FATAL, "%s", error->message);
  return FALSE;
}

/* ---------------------------------------------------------------- plugins */

static void
hear_plugins (gpointer user, LkSpankLevel level, const char *line)
{
  (void)user;
  if (level <= LK_SPANK_LOG_INFO)
    lk_log (level == LK_SPANK_LOG_ERROR ? LK_LOG_ERROR : LK_LOG_INFO, "%s", line);
}

/* What they have to do on a node before there is any job. FALSE: told. */
static gboolean
plugins_begin (const char *plugstack, LkSpank **out_spank)
{
  const LkSpankOptions options = { .context = S_CTX_SLURMD,
                                   .plugstack = plugstack,
                                   .log = hear_plugins };
  g_autoptr (GError) error = NULL;
  *out_spank = lk_spank_load (&options, &error);
  if (*out_spank == NULL)
    lk_log (LK_LOG_FATAL, "%s", error->message);
  return *out_spank != NULL && lk_spank_call (*out_spank, LK_SPANK_INIT);
}

static int
run_nodes (const Options *options, const LkSiteSettings *settings, const LkAgentNodes *nodes,
           const char *conf_path)
{
  g_auto (GStrv) prologs = expand_programs (settings->prolog);
  g_auto (GStrv) epilogs = expand_programs (settings->epilog);
  g_autofree char *munge_socket = lk_daemon_munge_socket (settings);
  g_autofree char *beside = lk_daemon_program (STEP_PROGRAM);
  g_autofree char *plugstack = lk_site_plugstack_path (settings, conf_path);
  g_autoptr (LkSpank) spank = NULL;
  g_auto (Container) container = { NULL };
  g_autoptr (GError) error = NULL;
  g_auto (LkAgentReach) reach = { NULL };
  find_controllers (&reach, options, settings, conf_path);
  Begun begun = { options, nodes };
  LkAgentDaemonEnd end;
  LkAgentDaemonOptions daemon = {
    .nodes = (const LkAgentDaemonNode *)(gpointer)nodes->nodes->data,
    .node_count = nodes->nodes->len,
    .controllers = (const char *const *)reach.controllers,
    .method = settings->auth == LK_SITE_AUTH_KEY ? LK_AUTH_KEY : LK_AUTH_MUNGE,
    .key_path = reach.key_path,
    .munge_socket = munge_socket,
    .controller_user_id = controller_user_id (options, settings),
    .process = { .step_program = options->step != NULL ? options->step : beside,
                 .configuration = conf_path,
                 .plugstack = plugstack,
                 .login_timeout_us = settings->login_timeout_us,
                 .appends_output = settings->job_file_append,
                 .is_emulated = options->is_emulated,
                 .devices = (const LkProcessOsDevice *)(gpointer)nodes->devices->data,
                 .device_count = nodes->devices->len },
    .may_begin_anew = may_begin_anew,
    .user = &begun,
  };
  if (!options->is_emulated) {
    daemon.process.prologs = (const char *const *)prologs;
    daemon.process.epilogs = (const char *const *)epilogs;
    take_programs (settings, &daemon.process);
    daemon.process.gpu_library = LK_NVML_LIBRARY;
    constrain (settings, &daemon.process);
    look_after (settings, conf_path, &daemon.health);
    container_init (&container, settings, daemon.nodes[0].name);
    if (!contain (options, settings, daemon.nodes, &container, &daemon.process, &error))
      return fail (error, LK_DAEMON_EXIT_REFUSED);
  }
  if (!plugins_begin (plugstack, &spank))
    return LK_DAEMON_EXIT_FAILURE;
  gboolean is_anew = is_to_begin ();
  daemon.reload_number = take_reload_number ();
  int exit_code = lk_agent_daemon_run (&daemon, &end);
  lk_spank_call (spank, LK_SPANK_SLURMD_EXIT);
  if (exit_code == LK_AGENT_DAEMON_ANEW || (is_anew && !end.has_begun))
    leave_reload_number (end.reload_number);
  return exit_code;
}

static int
run (const Options *options)
{
  const char *conf_path = lk_daemon_conf_path (options->conf);
  LkSiteOptions site_options = { .conf_path = conf_path };
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSite) site = lk_daemon_site_read (&site_options);
  if (site == NULL)
    return LK_DAEMON_EXIT_USAGE;
  const LkSiteSettings *settings = lk_site_settings (site);
  g_autofree char *host = host_name ();
  g_auto (LkAgentNodes) nodes = { NULL };
  if (!find_nodes (options, site, host, &nodes))
    return LK_DAEMON_EXIT_USAGE;
  const char *first = g_array_index (nodes.nodes, LkAgentDaemonNode, 0).name;
  const char *log = options->log != NULL ? options->log : settings->agent_log;
  g_autofree char *log_path = lk_site_path_expand (log, host, first);
  if (!lk_log_open (log_path, settings->agent_log_level, &error))
    return fail (error, LK_DAEMON_EXIT_FAILURE);
  g_autofree char *pid_file = lk_site_path_expand (
      options->pid_file != NULL ? options->pid_file : settings->agent_pid_file, host, first);
  lk_daemon_write_pid_file (pid_file);
  return run_nodes (options, settings, &nodes, conf_path);
}

static int
discover (void)
{
  LkHardware hardware;
  g_autoptr (GError) error = NULL;
  g_autofree char *host = host_name ();
  if (!lk_hardware_discover (&hardware, &error))
    return fail (error, LK_DAEMON_EXIT_FAILURE);
  g_autofree char *line = lk_hardware_node_line (&hardware, host);
  lk_hardware_clear (&hardware);
  puts (line);
  return LK_DAEMON_EXIT_OK;
}

/* Signals that ask for another beginning wait for whoever has begun: between two they would end the
 * process. */
static void
hold_signals (sigset_t *out_held)
{
  sigemptyset (out_held);
  sigaddset (out_held, SIGHUP);
  sigaddset (out_held, SIGUSR1);
  sigprocmask (SIG_SETMASK, out_held, NULL);
}

/* The program as it was called, in this process; as if it had been started now. */
static int
begin_anew (char **argv)
{
  sigset_t held;
  signal (SIGPIPE, SIG_DFL);
  lk_lock_files_leave ();
  hold_signals (&held);
  execv ("/proc/self/exe", argv);
  lk_log (LK_LOG_FATAL, "the agent cannot begin anew: %s", g_strerror (errno));
  return LK_DAEMON_EXIT_FAILURE;
}

/* The files have changed once more since they were found to be good.  An agent that was told to
 * read them does not end over that: its runs would be without one. */
static void
wait_for_files (void)
{
  const struct timespec pause = { .tv_sec = AGAIN_S };
  sigset_t held;
  hold_signals (&held);
  lk_log (LK_LOG_ERROR, "the agent cannot begin anew, and tries again in %d s", AGAIN_S);
  sigtimedwait (&held, NULL, &pause);
}

int
main (int argc, char **argv)
{
  sigset_t held;
  g_auto (GStrv) called = g_strdupv (argv); /* options are taken out of the other */
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;
  g_set_prgname ("lockstep-agent");
  if (!options_parse (&options, argc, argv, &error)) {
    fprintf (stderr, "lockstep-agent: %s\n", error->message);
    return LK_DAEMON_EXIT_USAGE;
  }
  if (options.is_version) {
    lk_daemon_print_version (argv[0], "lockstep-agent");
    return LK_DAEMON_EXIT_OK;
  }
  hold_signals (&held);
  int exit_code = options.is_discover ? discover () : run (&options);
  if (exit_code != LK_AGENT_DAEMON_ANEW && exit_code != LK_DAEMON_EXIT_OK && is_to_begin ()) {
    wait_for_files ();
    exit_code = LK_AGENT_DAEMON_ANEW;
  }
  return exit_code == LK_AGENT_DAEMON_ANEW ? begin_anew (called) : exit_code;
}
