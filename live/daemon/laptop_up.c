/* live/daemon/laptop_up.c — starts the daemons of a laptop cluster, and waits until they work.
 *
 * Each is the leader of a session of its own, and writes its log; what it tells systemd elsewhere
 * (notify.h) it tells us.  A node has an agent process of its own; where there are many nodes, some
 * share one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/hostlist.h"
#include "live/client/ask_nodes.h"
#include "live/client/ask_reconfigure.h"
#include "live/daemon/daemon.h"
#include "live/daemon/daemon_site.h"
#include "live/daemon/laptop.h"
#include "live/daemon/lock_file.h"
#include "live/daemon/notify.h"
#include "live/port/error.h"

#define WAIT_US (60 * (gint64)G_USEC_PER_SEC)
#define LOOK_MS 20
#define AGENT_PROCESSES_MAX 64u
/* Of a log, when its daemon has ended. */
#define TAIL_LINES 5u

typedef struct {
  pid_t pid;
  char *log;
} Child;

typedef struct {
  const LkLaptop *laptop;
  GArray *children;    /* of Child */
  GHashTable *waiting; /* names of nodes whose agents are not registered */
  gboolean has_controller;
  LkConnection *connection; /* to the controller */
  char *missing;            /* the first node that was not registered when it was last asked */
  int ear;                  /* a socket for what the daemons tell */
  char *ear_name;           /* its address, as NOTIFY_SOCKET has it */
  gint64 until_us;          /* monotonic */
} Up;

/* ---------------------------------------------------------------- what the daemons tell */

/* A socket without a file, which the system names. */
static gboolean
open_ear (Up *self, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  socklen_t length_bytes = sizeof address.sun_family;
  self->ear = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (self->ear < 0 || bind (self->ear, (struct sockaddr *)&address, length_bytes) != 0) {
    lk_port_error_set (error, errno, "cannot listen for the daemons");
    return FALSE;
  }
  length_bytes = sizeof address;
  if (getsockname (self->ear, (struct sockaddr *)&address, &length_bytes) != 0) {
    lk_port_error_set (error, errno, "cannot listen for the daemons");
    return FALSE;
  }
  gsize name_bytes = length_bytes - offsetof (struct sockaddr_un, sun_path) - 1;
  g_autofree char *name = g_strndup (address.sun_path + 1, name_bytes);
  self->ear_name = g_strconcat ("@", name, NULL);
  return TRUE;
}

static void
hear_line (Up *self, const char *line)
{
  if (g_str_has_prefix (line, LK_NOTIFY_LISTENS))
    self->has_controller = TRUE;
  else if (g_str_has_prefix (line, LK_NOTIFY_REGISTERED))
    g_hash_table_remove (self->waiting, line + strlen (LK_NOTIFY_REGISTERED));
}

static void
hear (Up *self)
{
  char text[4096];
  ssize_t got;
  while ((got = recv (self->ear, text, sizeof text - 1, 0)) >= 0) {
    text[got] = '\0';
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++)
      hear_line (self, lines[i]);
  }
}

/* ---------------------------------------------------------------- starting one */

static gboolean
spawn (Up *self, char **arguments, const char *log, GError **error)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none;
  sigset_t all;
  pid_t pid;
  g_auto (GStrv) environment =
      g_environ_setenv (g_get_environ (), "NOTIFY_SOCKET", self->ear_name, TRUE);
  sigemptyset (&none);
  sigfillset (&all);
  posix_spawn_file_actions_init (&files);
  posix_spawn_file_actions_addchdir_np (&files, "/");
  posix_spawn_file_actions_addopen (&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen (&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND,
                                    0640);
  posix_spawn_file_actions_adddup2 (&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_init (&how);
  posix_spawnattr_setflags (&how,
                            POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask (&how, &none);
  posix_spawnattr_setsigdefault (&how, &all);
  int result = posix_spawn (&pid, arguments[0], &files, &how, arguments, environment);
  posix_spawn_file_actions_destroy (&files);
  posix_spawnattr_destroy (&how);
  if (result != 0) {
    lk_port_error_set (error, result, "cannot start '%s'", arguments[0]);
    return FALSE;
  }
  Child child = { .pid = pid, .log = g_strdup (log) };
  g_array_append_val (self->children, child);
  return TRUE;
}

static char *
log_path (const Up *self, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".log", NULL);
  return g_build_filename (self->laptop->log, file, NULL);
}

static gboolean
start_controller (Up *self, GError **error)
{
  const LkLaptop *laptop = self->laptop;
  g_autofree char *log = log_path (self, "controller");
  g_auto (GStrv) policies = lk_laptop_policies (laptop);
  g_autofree char *program = lk_daemon_program ("lockstepd");
  const char *const fixed[] = {
    program,        "--conf",  laptop->conf, "--dir", laptop->controller, "--socket",
    laptop->socket, "--local", "--log",      log,     "--pid-file=",      "--mail-program="
  };
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    g_ptr_array_add (arguments, (gpointer)fixed[i]);
  for (guint i = 0; policies[i] != NULL; i++)
    g_ptr_array_add (arguments, policies[i]);
  g_ptr_array_add (arguments, NULL);
  return spawn (self, (char **)arguments->pdata, log, error);
}

static gboolean
start_agent (Up *self, const char *nodes, const char *log_name, GError **error)
{
  const LkLaptop *laptop = self->laptop;
  g_autofree char *log = log_path (self, log_name);
  g_autofree char *program = lk_daemon_program ("lockstep-agent");
  g_autofree char *directory = g_build_filename (laptop->agents, "%n", NULL);
  const char *const arguments[] = {
    program,   "--emulated",   "--conf",       laptop->conf, "--node", nodes,         "--dir",
    directory, "--controller", laptop->socket, "--log",      log,      "--pid-file=", NULL
  };
  return spawn (self, (char **)arguments, log, error);
}

/* ---------------------------------------------------------------- waiting */

static char *
tail_of (const char *path)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("");
  g_strchomp (text);
  char *begin = text + strlen (text);
  for (guint lines = 0; begin > text; begin--)
    if (begin[-1] == '\n' && ++lines == TAIL_LINES)
      break;
  return g_strdup (begin);
}

/* FALSE: one of them has ended. */
static gboolean
look_at_children (const Up *self, GError **error)
{
  for (guint i = 0; i < self->children->len; i++) {
    const Child *child = &g_array_index (self->children, Child, i);
    if (waitpid (child->pid, NULL, WNOHANG) != child->pid)
      continue;
    g_autofree char *tail = tail_of (child->log);
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
                 "a daemon has ended; the end of '%s':\n%s", child->log, tail);
    return FALSE;
  }
  return TRUE;
}

/* Waits until that is so, or nothing more comes of it. */
static gboolean
wait_until (Up *self, gboolean (*is_so) (Up *self), const char *what, GError **error)
{
  struct pollfd ear = { .fd = self->ear, .events = POLLIN };
  while (!is_so (self)) {
    if (g_get_monotonic_time () > self->until_us) {
      g_autofree char *which =
          self->missing != NULL ? g_strdup_printf (" (%s)", self->missing) : g_strdup ("");
      g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
                   "%s%s for a minute; see the logs in '%s'", what, which, self->laptop->log);
      return FALSE;
    }
    poll (&ear, 1, LOOK_MS);
    hear (self);
    if (!is_so (self) && !look_at_children (self, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_controller (Up *self)
{
  return self->has_controller;
}

static gboolean
has_agents (Up *self)
{
  return g_hash_table_size (self->waiting) == 0;
}

/* Also those that somebody else has started, as the controller knows them. */
static gboolean
has_nodes (Up *self)
{
  guint count = 0;
  g_clear_pointer (&self->missing, g_free);
  return lk_ask_missing_nodes (self->connection, &count, &self->missing, NULL) && count == 0;
}

/* ---------------------------------------------------------------- what runs already */

static void
take_answer (gpointer user, const LkMessage_reconfigured *answer)
{
  char **out_problems = user;
  if (answer->error != 0)
    *out_problems = g_strndup (answer->problems.bytes, answer->problems.length_bytes);
}

static LkConnection *
connection_new (const LkLaptop *laptop)
{
  const char *const controllers[] = { laptop->socket, NULL };
  LkConnectionOptions options = { .controllers = controllers,
                                  .method = LK_AUTH_KEY,
                                  .controller_user_id = (guint32)geteuid () };
  return lk_connection_new (&options);
}

/* One that runs goes on with the configuration as it is now. FALSE: it refuses that. */
static gboolean
ask_controller (const Up *self, GError **error)
{
  g_autofree char *problems = NULL;
  const LkMessage_reconfigure question = { .request = 1 };
  if (!lk_ask_reconfigure (self->connection, &question, take_answer, &problems, error))
    return FALSE;
  if (problems == NULL)
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
               "the controller goes on with the configuration that it has:\n%s", problems);
  return FALSE;
}

/* ---------------------------------------------------------------- starting all */

/* The names of all nodes. Returns: (transfer full), of char *; NULL: the configuration is none. */
static GPtrArray *
node_names (const LkLaptop *laptop, GError **error)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  LkSiteOptions options = { .conf_path = laptop->conf };
  g_autoptr (LkSite) site = lk_site_new (&options, errors);
  if (site == NULL) {
    g_ptr_array_add (errors, NULL);
    g_autofree char *text = g_strjoinv ("\n", (char **)errors->pdata);
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "%s", text);
    return NULL;
  }
  const LkCluster *cluster = lk_site_engine (site)->cluster;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < cluster->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, i);
    lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
  }
  return names;
}

/* Those whose agents do not run; they are waited for. (transfer full), borrowed names. */
static GPtrArray *
missing_nodes (Up *self, const GPtrArray *names)
{
  GPtrArray *missing = g_ptr_array_new ();
  for (guint i = 0; i < names->len; i++) {
    char *name = g_ptr_array_index (names, i);
    g_autofree char *directory = g_build_filename (self->laptop->agents, name, NULL);
    if (lk_lock_file_holder (directory) != 0)
      continue;
    g_ptr_array_add (missing, name);
    g_hash_table_add (self->waiting, name);
  }
  return missing;
}

static gboolean
start_agents (Up *self, const GPtrArray *missing, GError **error)
{
  guint processes = MIN (missing->len, AGENT_PROCESSES_MAX);
  for (guint i = 0; i < processes; i++) {
    guint begin = i * missing->len / processes;
    guint end = (i + 1) * missing->len / processes;
    const char *first = g_ptr_array_index (missing, begin);
    g_autoptr (GString) nodes = g_string_new (first);
    for (guint k = begin + 1; k < end; k++)
      g_string_append_printf (nodes, ",%s", (const char *)g_ptr_array_index (missing, k));
    if (!start_agent (self, nodes->str, first, error))
      return FALSE;
    hear (self); /* there is room for few notes */
  }
  return TRUE;
}

static gboolean
start_all (Up *self, GError **error)
{
  const LkLaptop *laptop = self->laptop;
  g_autoptr (GPtrArray) names = node_names (laptop, error);
  if (names == NULL || !lk_daemon_make_directory (laptop->log, error)
      || !lk_daemon_make_directory (laptop->agents, error) || !open_ear (self, error))
    return FALSE;
  /* As root, the users whose jobs run on these nodes pass through here. */
  if (chmod (laptop->agents, 0711) != 0) {
    lk_port_error_set (error, errno, "cannot let users pass through '%s'", laptop->agents);
    return FALSE;
  }
  self->until_us = g_get_monotonic_time () + WAIT_US;
  self->has_controller = lk_lock_file_holder (laptop->controller) != 0;
  if (self->has_controller ? !ask_controller (self, error) : !start_controller (self, error))
    return FALSE;
  if (!wait_until (self, has_controller, "the controller does not listen", error))
    return FALSE;
  g_autoptr (GPtrArray) missing = missing_nodes (self, names);
  return start_agents (self, missing, error)
         && wait_until (self, has_agents, "agents are not registered", error)
         && wait_until (self, has_nodes, "nodes are not registered", error);
}

static void
child_clear (gpointer data)
{
  g_free (((Child *)data)->log);
}

gboolean
lk_laptop_up (const LkLaptop *laptop, GError **error)
{
  Up self = { .laptop = laptop,
              .children = g_array_new (FALSE, FALSE, sizeof (Child)),
              .waiting = g_hash_table_new (g_str_hash, g_str_equal),
              .connection = connection_new (laptop),
              .ear = -1 };
  g_array_set_clear_func (self.children, child_clear);
  gboolean is_up = start_all (&self, error);
  if (self.ear >= 0)
    close (self.ear);
  g_free (self.ear_name);
  g_free (self.missing);
  lk_connection_free (self.connection);
  g_hash_table_unref (self.waiting);
  g_array_unref (self.children);
  return is_up;
}
