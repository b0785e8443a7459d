/* live/daemon/agent_daemon.c — see the header. */
#include "live/daemon/agent_daemon.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/core/agent.h"
#include "live/daemon/daemon.h"
#include "live/daemon/log.h"
#include "live/daemon/notify.h"
#include "live/port/error.h"
#include "live/port/port_clock_os.h"
#include "live/port/port_disk_os.h"

#define RETRY_US ((gint64)G_USEC_PER_SEC)

typedef struct Agent Agent;

typedef struct {
  Agent *agent;
  const LkAgentDaemonNode *self;
  LkClockOs clock;
  LkDiskOs *disk;
  LkNetLink *link;
  LkProcessOs *process;
  LkAgent *core;
  gboolean is_registered;
} Node;

struct Agent {
  const LkAgentDaemonOptions *options;
  LkDaemon daemon;
  guint64 boot_id;
  Node *nodes;
  LkHealth *health; /* NULL: none */
  gboolean is_over;
  gboolean begins_anew;
};

/* ---------------------------------------------------------------- another configuration */

/* All that an agent knows it finds again: it is replaced, and its runs are taken over. */
static void
begin_anew (Agent *self)
{
  const LkAgentDaemonOptions *options = self->options;
  if (self->is_over)
    return;
  if (options->may_begin_anew == NULL || !options->may_begin_anew (options->user)) {
    lk_log (LK_LOG_ERROR, "the configuration as it was read is refused: the old one stays");
    return;
  }
  lk_log (LK_LOG_INFO, "begins anew, with the configuration as it is now");
  self->is_over = self->begins_anew = TRUE;
  lk_daemon_end (&self->daemon, LK_DAEMON_EXIT_OK);
}

static void
on_reconfigure (gpointer user)
{
  begin_anew (user);
}

/* ---------------------------------------------------------------- after each call of a core */

static void
look (Node *self)
{
  Agent *agent = self->agent;
  const char *name = self->self->name;
  gboolean is_registered = lk_agent_is_registered (self->core);
  if (lk_agent_has_failed (self->core) && !agent->is_over) {
    const char *disk = lk_disk_os_failure (self->disk);
    agent->is_over = TRUE;
    lk_log (LK_LOG_FATAL, "the agent of %s stops: %s", name,
            disk != NULL ? disk : "its disk has failed");
    lk_daemon_end (&agent->daemon, LK_DAEMON_EXIT_FAILURE);
  }
  if (lk_agent_take_reload (self->core))
    begin_anew (agent);
  if (is_registered == self->is_registered)
    return;
  self->is_registered = is_registered;
  lk_log (LK_LOG_INFO,
          is_registered ? "%s is registered, term %" G_GUINT64_FORMAT
                        : "%s is not registered any more, term %" G_GUINT64_FORMAT,
          name, lk_agent_term (self->core));
  if (is_registered)
    lk_notify (LK_NOTIFY_REGISTERED "%s", name);
}

/* ---------------------------------------------------------------- what the ports call */

static void
on_message (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_message (self->core, peer, bytes, length_bytes);
  look (self);
}

static void
on_changed (gpointer user, gboolean is_connected, const char *why)
{
  Node *self = user;
  if (!is_connected) {
    lk_log (LK_LOG_INFO, "%s is not connected with the controller: %s", self->self->name, why);
    return;
  }
  lk_log (LK_LOG_INFO, "%s is connected with the controller", self->self->name);
  if (self->agent->is_over)
    return;
  lk_agent_connected (self->core);
  look (self);
}

static void
on_disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_disk_done (self->core, token, has_succeeded);
  look (self);
}

static void
on_stage_ended (gpointer user, guint64 run_id, LkStage stage, const LkExit *how)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_stage_ended (self->core, run_id, stage, how);
  look (self);
}

static void
on_stuck (gpointer user, guint64 run_id, LkStuck why)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_stuck (self->core, run_id, why);
  look (self);
}

static void
on_woken (gpointer user)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_woken (self->core);
  look (self);
}

static void
on_process_log (gpointer user, const char *line)
{
  const Node *self = user;
  lk_log (LK_LOG_INFO, "%s: %s", self->self->name, line);
}

/* ---------------------------------------------------------------- health */

static gboolean
is_busy (gpointer user)
{
  const Node *self = user;
  g_autoptr (GArray) runs = lk_agent_runs (self->core);
  return runs->len > 0;
}

static void
begin_health (Agent *self)
{
  LkHealthOptions health = self->options->health;
  if (health.program == NULL)
    return;
  health.node = self->options->nodes[0].name;
  health.is_busy = is_busy;
  health.user = &self->nodes[0];
  self->health = lk_health_new (self->daemon.loop, &health);
}

/* ---------------------------------------------------------------- keys */

/* Behind SIGHUP: a key that cannot be read leaves the old ones. */
static void
on_reload (gpointer user)
{
  const Agent *self = user;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) keyring = NULL;
  if (!lk_daemon_load_keys (self->options->key_path, &keyring, &error)) {
    lk_log (LK_LOG_ERROR, "the keys stay as they are: %s", error->message);
    return;
  }
  for (guint i = 0; keyring != NULL && i < self->options->node_count; i++) {
    lk_net_link_set_keyring (self->nodes[i].link, keyring);
    lk_process_os_set_keyring (self->nodes[i].process, keyring);
  }
}

/* ---------------------------------------------------------------- beginning and end */

static gboolean
open_link (Node *self, LkKeyring *keyring, GError **error)
{
  const LkAgentDaemonOptions *options = self->agent->options;
  LkNetLinkOptions link = { .loop = self->agent->daemon.loop,
                            .controllers = options->controllers,
                            .kind = LK_PEER_AGENT,
                            .node = self->self->name,
                            .method = options->method,
                            .keyring = keyring,
                            .munge_socket = options->munge_socket,
                            .controller_user_id = options->controller_user_id,
                            .message = on_message,
                            .changed = on_changed,
                            .user = self };
  self->link = lk_net_link_new (&link, error);
  return self->link != NULL;
}

static void
on_step_ended (gpointer user, const LkStepFound *step)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_step_ended (self->core, step);
  look (self);
}

static void
on_step_used (gpointer user, guint64 run_id, guint32 step_id, const LkStepUsage *usage)
{
  Node *self = user;
  if (self->agent->is_over)
    return;
  lk_agent_step_usage (self->core, run_id, step_id, usage);
  look (self);
}

static gboolean
open_process (Node *self, LkKeyring *keyring, GError **error)
{
  LkProcessOsConfig process = self->agent->options->process;
  process.directory = self->self->directory;
  process.node = self->self->name;
  process.near = self->self->near;
  process.stuck = on_stuck;
  process.step_ended = on_step_ended;
  process.step_used = on_step_used;
  process.log = on_process_log;
  process.log_user = self;
  self->process =
      lk_process_os_new (&process, self->agent->daemon.loop, on_stage_ended, self, error);
  if (self->process != NULL)
    lk_process_os_set_keyring (self->process, keyring);
  return self->process != NULL;
}

/* Another agent of the same node would be told that its connection is taken, again and again. */
static gboolean
begin_core (Node *self, GError **error)
{
  guint64 agent_id = 0;
  if (getrandom (&agent_id, sizeof agent_id, 0) != (ssize_t)sizeof agent_id) {
    lk_port_error_set (error, errno, "cannot draw a number");
    return FALSE;
  }
  LkAgentConfig config = { .node = self->self->name,
                           .boot_id = self->agent->boot_id,
                           .agent_id = agent_id,
                           .cpus = self->self->cpu_count,
                           .memory_bytes = self->self->memory_bytes,
                           .gres = self->self->gres,
                           .retry_us = RETRY_US,
                           .reload_number = self->agent->options->reload_number };
  LkAgentPorts ports = { .clock = lk_clock_os_port (&self->clock),
                         .net = lk_net_link_port (self->link),
                         .disk = lk_disk_os_port (self->disk),
                         .process = lk_process_os_port (self->process),
                         .log = lk_log_port () };
  self->core = lk_agent_new (&config, &ports);
  if (self->core != NULL)
    return TRUE;
  const char *disk = lk_disk_os_failure (self->disk);
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "%s",
               disk != NULL ? disk : "the file '" LK_AGENT_TERM_FILE "' holds no term");
  return FALSE;
}

/* A folder above that users cannot pass through is not ours to change: none of their jobs runs. */
static void
look_above (const char *path)
{
  g_autofree char *folder = g_canonicalize_filename (path, NULL);
  while (strcmp (folder, "/") != 0) {
    struct stat status;
    char *parent = g_path_get_dirname (folder);
    g_free (folder);
    folder = parent;
    if (stat (folder, &status) == 0 && (status.st_mode & S_IXOTH) == 0)
      lk_log (LK_LOG_ERROR,
              "users cannot pass through '%s', so that their jobs cannot start: "
              "chmod o+x it",
              folder);
  }
}

/* Users must be able to pass through to what a run keeps for them. */
static gboolean
take_directory (LkDaemon *daemon, const char *path, GError **error)
{
  if (!lk_daemon_take_directory (daemon, path, error))
    return FALSE;
  if (geteuid () == 0)
    look_above (path);
  if (chmod (path, S_IRWXU | S_IXGRP | S_IXOTH) == 0)
    return TRUE;
  lk_port_error_set (error, errno, "cannot let users pass through '%s'", path);
  return FALSE;
}

static gboolean
node_begin (Node *self, LkKeyring *keyring, GError **error)
{
  LkLoop *loop = self->agent->daemon.loop;
  const char *directory = self->self->directory;
  if (!take_directory (&self->agent->daemon, directory, error))
    return FALSE;
  lk_clock_os_init (&self->clock, loop, on_woken, self);
  self->disk = lk_disk_os_new (loop, directory, on_disk_done, self, error);
  return self->disk != NULL && open_process (self, keyring, error)
         && open_link (self, keyring, error) && begin_core (self, error);
}

static void
node_end (Node *self)
{
  lk_agent_free (self->core);
  lk_net_link_free (self->link);
  lk_process_os_free (self->process);
  lk_disk_os_free (self->disk);
  if (self->clock.loop != NULL)
    lk_clock_os_clear (&self->clock);
}

static gboolean
begin (Agent *self, GError **error)
{
  g_autoptr (LkKeyring) keyring = NULL;
  self->boot_id = lk_process_os_boot_id ();
  if (self->boot_id == 0) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM,
                 "the kernel does not tell when it has booted");
    return FALSE;
  }
  if (!lk_daemon_load_keys (self->options->key_path, &keyring, error))
    return FALSE;
  for (guint i = 0; i < self->options->node_count; i++) {
    self->nodes[i].agent = self;
    self->nodes[i].self = &self->options->nodes[i];
    if (node_begin (&self->nodes[i], keyring, error))
      continue;
    g_prefix_error (error, "%s: ", self->nodes[i].self->name);
    return FALSE;
  }
  begin_health (self);
  return TRUE;
}

/* All nodes have one configuration, and numbers rise: the newest is heeded by all. */
static guint64
reload_number (const Agent *self)
{
  guint64 number = self->options->reload_number;
  for (guint i = 0; i < self->options->node_count; i++)
    if (self->nodes[i].core != NULL)
      number = MAX (number, lk_agent_reload_number (self->nodes[i].core));
  return number;
}

int
lk_agent_daemon_run (const LkAgentDaemonOptions *options, LkAgentDaemonEnd *out_end)
{
  Agent self = { .options = options };
  g_autoptr (GError) error = NULL;
  int exit_code = LK_DAEMON_EXIT_FAILURE;
  *out_end = (LkAgentDaemonEnd){ .reload_number = options->reload_number };
  if (!lk_daemon_init (&self.daemon, on_reload, &self, &error)) {
    lk_log (LK_LOG_FATAL, "the agent does not start: %s", error->message);
    return exit_code;
  }
  self.nodes = g_new0 (Node, options->node_count);
  lk_daemon_hear_reconfigure (&self.daemon, on_reconfigure);
  out_end->has_begun = begin (&self, &error);
  if (out_end->has_begun) {
    lk_log_started ();
    exit_code = lk_daemon_run (&self.daemon);
  } else {
    lk_log (LK_LOG_FATAL, "the agent does not start: %s", error->message);
    exit_code = lk_daemon_exit_code (error);
  }
  lk_health_free (self.health);
  out_end->reload_number = reload_number (&self);
  for (guint i = 0; i < options->node_count; i++)
    node_end (&self.nodes[i]);
  g_free (self.nodes);
  lk_daemon_clear (&self.daemon);
  if (self.begins_anew)
    return LK_AGENT_DAEMON_ANEW;
  lk_log_end ();
  lk_log (LK_LOG_INFO, "has ended, exit status %d", exit_code);
  return exit_code;
}
