/* live/daemon/laptop_down.c — stops the daemons of a laptop cluster, and then what is left of its
 * jobs.
 *
 * Daemons are found by the locks that they hold, and signalled by pidfd: whoever has got the number
 * of one that died in between is left alone.  Supervisors are found by the folder of their run in
 * their arguments, and what belongs to a job by its control group (cgroup_node.h) and by that
 * folder in its environment (process_tree.h).  They are killed at once: so jobs do not end, but are
 * lost, as when the power of a node fails. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/daemon/laptop.h"
#include "live/daemon/lock_file.h"
#include "live/port/cgroup_node.h"
#include "live/port/error.h"
#include "live/port/process_tree.h"
#include "live/port/run_folder.h"

#define STEP_PROGRAM "lockstep-step"
/* The controller waits for its accounting, which has 5 s (accounting_child.c). */
#define END_WAIT_MS 10000
#define KILL_WAIT_MS 10000
/* What is being killed may make another one, which is then found too. */
#define KILL_ROUNDS 100u
#define KILL_ROUND_US 20000

static int
send_signal (int pidfd, int signal)
{
  return (int)syscall (SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

/* ---------------------------------------------------------------- daemons */

/* Folders in a folder, by name. Returns: (transfer full), of char *, paths. */
static GPtrArray *
folders_in (const char *path)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (folders, g_build_filename (path, name, NULL));
  return folders;
}

static void
fd_clear (gpointer data)
{
  close (*(int *)data);
}

/* Of all agents, each once, though it may be there for many nodes. Returns: (transfer full), of
 * int, pidfds. */
static GArray *
open_agents (const LkLaptop *self)
{
  GArray *pidfds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) folders = folders_in (self->agents);
  g_array_set_clear_func (pidfds, fd_clear);
  for (guint i = 0; i < folders->len; i++) {
    const char *folder = g_ptr_array_index (folders, i);
    pid_t holder = lk_lock_file_holder (folder);
    if (holder == 0 || !g_hash_table_add (known, GINT_TO_POINTER (holder)))
      continue;
    int pidfd = lk_lock_file_open_holder (folder);
    if (pidfd >= 0)
      g_array_append_val (pidfds, pidfd);
  }
  return pidfds;
}

static GArray *
open_controller (const LkLaptop *self)
{
  GArray *pidfds = g_array_new (FALSE, FALSE, sizeof (int));
  int pidfd = lk_lock_file_open_holder (self->controller);
  g_array_set_clear_func (pidfds, fd_clear);
  if (pidfd >= 0)
    g_array_append_val (pidfds, pidfd);
  return pidfds;
}

static gboolean
has_ended (int pidfd, int wait_ms)
{
  struct pollfd end = { .fd = pidfd, .events = POLLIN };
  return poll (&end, 1, wait_ms) == 1;
}

static int
left_ms (gint64 until_us)
{
  return (int)MAX (0, (until_us - g_get_monotonic_time ()) / 1000);
}

/* Ends them all at once, by force those that do not. FALSE: one does not end at all. */
static gboolean
end_all (const GArray *pidfds, LkLaptopDown *out_down)
{
  gint64 until_us = g_get_monotonic_time () + (gint64)END_WAIT_MS * 1000;
  gboolean is_ended = TRUE;
  for (guint i = 0; i < pidfds->len; i++)
    send_signal (g_array_index (pidfds, int, i), SIGTERM);
  out_down->daemon_count += pidfds->len;
  for (guint i = 0; i < pidfds->len; i++) {
    int pidfd = g_array_index (pidfds, int, i);
    if (has_ended (pidfd, left_ms (until_us)))
      continue;
    send_signal (pidfd, SIGKILL);
    out_down->killed_count++;
    is_ended = has_ended (pidfd, KILL_WAIT_MS) && is_ended;
  }
  return is_ended;
}

/* ---------------------------------------------------------------- jobs */

/* Is it the supervisor of a run in this folder? They are told that by `--folder PATH`. */
static gboolean
is_supervisor (const char *pid, const char *agents)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "cmdline", NULL);
  g_autofree char *words = NULL;
  gsize length_bytes = 0;
  if (!g_file_get_contents (path, &words, &length_bytes, NULL)
      || !g_str_has_suffix (words, "/" STEP_PROGRAM))
    return FALSE;
  for (gsize at = 0; at < length_bytes; at += strlen (words + at) + 1) {
    gsize next = at + strlen (words + at) + 1;
    if (strcmp (words + at, "--folder") == 0 && next < length_bytes)
      return g_str_has_prefix (words + next, agents)
             && words[next + strlen (agents)] == G_DIR_SEPARATOR;
  }
  return FALSE;
}

/* By pidfd: what it is, is looked at again when its number cannot be another's any more. */
static gboolean
kill_supervisor (const char *pid, const char *agents)
{
  if (!is_supervisor (pid, agents))
    return FALSE;
  int pidfd = (int)syscall (SYS_pidfd_open, (pid_t)g_ascii_strtoll (pid, NULL, 10), 0);
  if (pidfd < 0)
    return FALSE;
  gboolean is_one = is_supervisor (pid, agents) && send_signal (pidfd, SIGKILL) == 0;
  close (pidfd);
  return is_one;
}

/* They outlive the agents. Returns how many there were. */
static guint
kill_supervisors (const LkLaptop *self)
{
  guint count = 0;
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  const char *name;
  while (processes != NULL && (name = g_dir_read_name (processes)) != NULL)
    if (g_ascii_isdigit (name[0]) && kill_supervisor (name, self->agents))
      count++;
  return count;
}

/* Only root's agents have groups. FALSE: something in one has not ended yet. */
static gboolean
clear_groups (const char *node)
{
  g_autofree char *name = g_path_get_basename (node);
  g_autofree char *path = lk_cgroup_node_path (node, name);
  return geteuid () != 0 || lk_cgroup_node_clear (path);
}

/* What carries the mark of a run, until nothing does; a freezer may hold it. FALSE: something does
 * not die. */
static gboolean
kill_run (const char *node, const char *folder, LkLaptopDown *out_down)
{
  guint most = 0;
  const LkProcessMark mark = { LK_RUN_MARK, folder, lk_run_folder_user (folder) };
  for (guint round = 0; round < KILL_ROUNDS; round++) {
    guint count = lk_process_signal_marked (&mark, SIGKILL);
    if (count == 0) {
      out_down->process_count += most;
      return TRUE;
    }
    most = MAX (most, count);
    clear_groups (node);
    g_usleep (KILL_ROUND_US);
  }
  return FALSE;
}

static gboolean
kill_runs (const GPtrArray *nodes, LkLaptopDown *out_down)
{
  gboolean is_ended = TRUE;
  for (guint i = 0; i < nodes->len; i++) {
    const char *node = g_ptr_array_index (nodes, i);
    g_autofree char *runs = g_build_filename (node, "runs", NULL);
    g_autoptr (GPtrArray) folders = folders_in (runs);
    for (guint k = 0; k < folders->len; k++)
      is_ended = kill_run (node, g_ptr_array_index (folders, k), out_down) && is_ended;
  }
  return is_ended;
}

/* A process that a supervisor has forked has its command line, and no mark of the run, until it is
 * the user's program. If a freezer holds it, it ends when its group is cleared. FALSE: something
 * does not end. */
static gboolean
clear_nodes (const LkLaptop *self, const GPtrArray *nodes)
{
  for (guint round = 0; round < KILL_ROUNDS; round++) {
    gboolean is_gone = kill_supervisors (self) == 0;
    for (guint i = 0; i < nodes->len; i++)
      is_gone = clear_groups (g_ptr_array_index (nodes, i)) && is_gone;
    if (is_gone)
      return TRUE;
    g_usleep (KILL_ROUND_US);
  }
  return FALSE;
}

/* ---------------------------------------------------------------- all */

/* Whose locks cannot be looked at, they seem to be held by nobody. */
static gboolean
is_ours (const LkLaptop *self, GError **error)
{
  struct stat status;
  if (geteuid () == 0 || stat (self->directory, &status) != 0 || status.st_uid == geteuid ())
    return TRUE;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
               "the cluster in '%s' belongs to another user", self->directory);
  return FALSE;
}

/* The controller first, so that it does not hear of the nodes' end. */
gboolean
lk_laptop_down (const LkLaptop *self, LkLaptopDown *out_down, GError **error)
{
  *out_down = (LkLaptopDown){ 0 };
  if (!is_ours (self, error))
    return FALSE;
  g_autoptr (GArray) controller = open_controller (self);
  gboolean is_ended = end_all (controller, out_down);
  g_autoptr (GArray) agents = open_agents (self);
  is_ended = end_all (agents, out_down) && is_ended;
  g_autoptr (GPtrArray) nodes = folders_in (self->agents);
  out_down->process_count += kill_supervisors (self);
  is_ended = kill_runs (nodes, out_down) && is_ended;
  is_ended = clear_nodes (self, nodes) && is_ended;
  if (!is_ended)
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM,
                 "something of the cluster in '%s' does not end, not by SIGKILL either",
                 self->directory);
  return is_ended;
}

gboolean
lk_laptop_is_up (const LkLaptop *self)
{
  g_autoptr (GPtrArray) nodes = folders_in (self->agents);
  gboolean is_up = lk_lock_file_holder (self->controller) != 0;
  for (guint i = 0; i < nodes->len && !is_up; i++)
    is_up = lk_lock_file_holder (g_ptr_array_index (nodes, i)) != 0;
  return is_up;
}
