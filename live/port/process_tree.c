/* live/port/process_tree.c — see the header. */
#include "live/port/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pidfds that are open at a time. */
#define AT_ONCE 512u
/* Longest environment that is looked at for the mark. */
#define ENVIRONMENT_BYTES_MAX (4u << 20)

typedef struct {
  pid_t pid;
  pid_t parent;
} Process;

typedef struct {
  LkProcessLister list;
  gconstpointer user;
} Lister;

/* Bytes read of a file of a process; 0: it is gone, or not for us. */
static gsize
process_read (int proc, const char *pid, const char *what, char *out_bytes, gsize size_bytes)
{
  char path[64];
  g_snprintf (path, sizeof path, "%s/%s", pid, what);
  int file = openat (proc, path, O_RDONLY | O_CLOEXEC);
  gsize have = 0;
  if (file < 0)
    return 0;
  while (have < size_bytes) {
    gssize count = read (file, out_bytes + have, size_bytes - have);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    have += (gsize)count;
  }
  close (file);
  return have;
}

/* The name of a process may hold anything: what follows is behind its last bracket. */
static pid_t
parent_of (int proc, const char *pid)
{
  char bytes[512];
  gsize have = process_read (proc, pid, "stat", bytes, sizeof bytes - 1);
  bytes[have] = '\0';
  const char *at = strrchr (bytes, ')');
  if (at == NULL || strlen (at) < 4)
    return 0;
  return (pid_t)strtol (at + 4, NULL, 10);
}

static void
each_process (void (*found) (int proc, const char *pid, gpointer user), gpointer user)
{
  DIR *all = opendir ("/proc");
  const struct dirent *entry;
  if (all == NULL)
    return;
  while ((entry = readdir (all)) != NULL)
    if (g_ascii_isdigit (entry->d_name[0]))
      found (dirfd (all), entry->d_name, user);
  closedir (all);
}

static void
note_process (int proc, const char *pid, gpointer user)
{
  Process process = { .pid = (pid_t)strtol (pid, NULL, 10), .parent = parent_of (proc, pid) };
  if (process.parent > 0)
    g_array_append_val ((GArray *)user, process);
}

static gint
compare_parents (gconstpointer a, gconstpointer b)
{
  const Process *x = a;
  const Process *y = b;
  if (x->parent != y->parent)
    return x->parent < y->parent ? -1 : 1;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Index of the first child, or of what is behind it. */
static guint
children_of (const GArray *processes, pid_t parent)
{
  guint low = 0;
  guint high = processes->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (processes, Process, middle).parent < parent)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

GArray *
lk_process_all (void)
{
  GArray *processes = g_array_new (FALSE, FALSE, sizeof (Process));
  each_process (note_process, processes);
  g_array_sort (processes, compare_parents);
  return processes;
}

GArray *
lk_process_below (const GArray *processes, pid_t root)
{
  GArray *below = g_array_new (FALSE, FALSE, sizeof (pid_t));
  pid_t parent = root;
  /* A process has one parent in what was read, so that this ends: each comes in once. */
  for (guint next = 0;; next++) {
    for (guint i = children_of (processes, parent);
         i < processes->len && g_array_index (processes, Process, i).parent == parent; i++)
      if (below->len < processes->len)
        g_array_append_val (below, g_array_index (processes, Process, i).pid);
    if (next >= below->len)
      return below;
    parent = g_array_index (below, pid_t, next);
  }
}

GArray *
lk_process_tree (pid_t root)
{
  g_autoptr (GArray) processes = lk_process_all ();
  return lk_process_below (processes, root);
}

/* ---------------------------------------------------------------- marks */

typedef struct {
  const char *text; /* NAME=VALUE */
  guint32 user_id;
  char *bytes;
  GArray *pids;
} Marked;

/* "Uid:", then the real one, the effective one and others. FALSE: it is gone. */
static gboolean
read_real_user (int proc, const char *pid, guint32 *out_user_id)
{
  char bytes[1024];
  gsize have = process_read (proc, pid, "status", bytes, sizeof bytes - 1);
  bytes[have] = '\0';
  const char *at = strstr (bytes, "\nUid:");
  if (at == NULL)
    return FALSE;
  *out_user_id = (guint32)strtoul (at + strlen ("\nUid:"), NULL, 10);
  return TRUE;
}

static gboolean
may_carry (const Marked *self, int proc, const char *pid)
{
  guint32 user_id;
  return read_real_user (proc, pid, &user_id)
         && (user_id == self->user_id || user_id == (guint32)getuid ());
}

static void
note_marked (int proc, const char *pid, gpointer user)
{
  Marked *self = user;
  pid_t number = (pid_t)strtol (pid, NULL, 10);
  if (number == getpid () || !may_carry (self, proc, pid))
    return;
  gsize have = process_read (proc, pid, "environ", self->bytes, ENVIRONMENT_BYTES_MAX - 1);
  self->bytes[have] = '\0';
  for (gsize at = 0; at < have; at += strlen (self->bytes + at) + 1)
    if (strcmp (self->bytes + at, self->text) == 0) {
      g_array_append_val (self->pids, number);
      return;
    }
}

GArray *
lk_process_marked (const LkProcessMark *mark)
{
  g_autofree char *text = g_strconcat (mark->name, "=", mark->value, NULL);
  g_autofree char *bytes = g_malloc (ENVIRONMENT_BYTES_MAX);
  Marked all = { text, mark->user_id, bytes, g_array_new (FALSE, FALSE, sizeof (pid_t)) };
  each_process (note_marked, &all);
  return all.pids;
}

/* ---------------------------------------------------------------- signals */

static gint
compare_pids (gconstpointer a, gconstpointer b)
{
  pid_t x = *(const pid_t *)a;
  pid_t y = *(const pid_t *)b;
  return x < y ? -1 : x > y;
}

/* Linux before 5.3 has no pidfds, and a process may have no descriptor left: then by number. */
static void
send_signal (int pidfd, pid_t pid, int signal)
{
  if (pidfd >= 0)
    syscall (SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
  else
    kill (pid, signal);
}

/* A pid of the second list that a pidfd has held since before is the process of the first one. */
static void
signal_some (const pid_t *pids, guint count, const Lister *lister, int signal)
{
  int pidfds[AT_ONCE];
  for (guint i = 0; i < count; i++)
    pidfds[i] = (int)syscall (SYS_pidfd_open, pids[i], 0);
  g_autoptr (GArray) again = lister->list (lister->user);
  g_array_sort (again, compare_pids);
  for (guint i = 0; i < count; i++) {
    if (pids[i] > 1 && g_array_binary_search (again, &pids[i], compare_pids, NULL))
      send_signal (pidfds[i], pids[i], signal);
    if (pidfds[i] >= 0)
      close (pidfds[i]);
  }
}

guint
lk_process_signal (LkProcessLister list, gconstpointer user, int signal)
{
  const Lister lister = { list, user };
  g_autoptr (GArray) pids = list (user);
  for (guint i = 0; i < pids->len; i += AT_ONCE)
    signal_some (&g_array_index (pids, pid_t, i), MIN (pids->len - i, AT_ONCE), &lister, signal);
  return pids->len;
}

static GArray *
list_below (gconstpointer root)
{
  return lk_process_tree (*(const pid_t *)root);
}

guint
lk_process_signal_tree (pid_t root, int signal)
{
  return lk_process_signal (list_below, &root, signal);
}

static GArray *
list_marked (gconstpointer mark)
{
  return lk_process_marked (mark);
}

guint
lk_process_signal_marked (const LkProcessMark *mark, int signal)
{
  return lk_process_signal (list_marked, mark, signal);
}
