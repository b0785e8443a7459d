/* live/port/cgroup.c — see the header. */
#include "live/port/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "live/port/cgroup_device.h"
#include "live/port/process_tree.h"

/* Controllers that we use, in the order in which they are looked at. */
enum { FREEZER, MEMORY, CPUSET, DEVICES, PIDS, CONTROLLERS };
static const char *const names[CONTROLLERS] = { "freezer", "memory", "cpuset", "devices", "pids" };

/* Parts of a group that are looked at: steps of a run at once, and its script. */
#define PARTS_MAX 2048u
/* How often the groups above one are made again, as others remove them. */
#define MAKE_ROUNDS 16u

struct _LkCgroup {
  guint version;
  char *path;
  char *mounts[CONTROLLERS]; /* NULL: not mounted; of version 2 all the same */
  gboolean is_in;            /* the process itself, by lk_cgroup_fork */
};

/* ---------------------------------------------------------------- files */

static gboolean
write_text (const char *path, const char *text)
{
  int file = open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return FALSE;
  gboolean is_good = write (file, text, strlen (text)) == (gssize)strlen (text);
  close (file);
  return is_good;
}

/* Returns: (transfer full), NULL: it cannot be read. */
static char *
read_text (const char *path)
{
  char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  return text;
}

static char *
file_of (const LkCgroup *self, guint controller, const char *name)
{
  return g_strdup_printf ("%s/%s/%s", self->mounts[controller], self->path, name);
}

static gboolean
group_write (const LkCgroup *self, guint controller, const char *name, const char *text)
{
  g_autofree char *path = file_of (self, controller, name);
  return self->mounts[controller] != NULL && write_text (path, text);
}

static char *
group_read (const LkCgroup *self, guint controller, const char *name)
{
  if (self->mounts[controller] == NULL)
    return NULL;
  g_autofree char *path = file_of (self, controller, name);
  return read_text (path);
}

/* The number behind a word at the beginning of a line; without a word the first one. */
static guint64
number_in (const char *text, const char *word)
{
  gsize length = strlen (word);
  for (const char *line = text; line != NULL && *line != '\0';) {
    if (length == 0 || (strncmp (line, word, length) == 0 && line[length] == ' '))
      return g_ascii_strtoull (line + length, NULL, 10);
    line = strchr (line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
  return 0;
}

/* ---------------------------------------------------------------- what is mounted */

static gboolean
has_word (const char *list, const char *word, const char *separators)
{
  g_auto (GStrv) words = g_strsplit_set (list, separators, -1);
  return g_strv_contains ((const char *const *)words, word);
}

/* Beside version 1 it has no controllers, and only finds and ends processes: who wants that says
 * so. */
static void
take_version_2 (LkCgroup *self, const char *mount, gboolean is_asked)
{
  g_autofree char *path = g_build_filename (mount, "cgroup.controllers", NULL);
  g_autofree char *controllers = read_text (path);
  if (self->version != 0 || controllers == NULL
      || (!is_asked && !has_word (controllers, "memory", " \n")))
    return;
  self->version = 2;
  for (guint i = 0; i < CONTROLLERS; i++)
    if (i == FREEZER || i == DEVICES || has_word (controllers, names[i], " \n"))
      self->mounts[i] = g_strdup (mount);
}

static void
take_version_1 (LkCgroup *self, const char *mount, const char *options)
{
  for (guint i = 0; i < CONTROLLERS; i++)
    if (self->version != 2 && self->mounts[i] == NULL && has_word (options, names[i], ",")) {
      self->version = 1;
      self->mounts[i] = g_strdup (mount);
    }
}

static gboolean
is_below (const char *mount, const char *above)
{
  gsize length = above != NULL ? strlen (above) : 0;
  while (length > 0 && above[length - 1] == '/')
    length--;
  return length == 0
         || (strncmp (mount, above, length) == 0
             && (mount[length] == '/' || mount[length] == '\0'));
}

/* A line of /proc/self/mounts: device, place, type, options. */
static void
take_mount (LkCgroup *self, const LkCgroupChoice *choice, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 5);
  if (g_strv_length (words) < 4 || !is_below (words[1], choice->mount))
    return;
  if (strcmp (words[2], "cgroup2") == 0 && choice->version != 1)
    take_version_2 (self, words[1], choice->version == 2);
  else if (strcmp (words[2], "cgroup") == 0 && choice->version != 2)
    take_version_1 (self, words[1], words[3]);
}

LkCgroup *
lk_cgroup_new (const LkCgroupChoice *choice, const char *path)
{
  LkCgroup *self = g_new0 (LkCgroup, 1);
  g_autofree char *mounts = read_text ("/proc/self/mounts");
  g_auto (GStrv) lines = g_strsplit (mounts != NULL ? mounts : "", "\n", -1);
  self->path = g_strdup (path);
  for (guint i = 0; lines[i] != NULL; i++)
    take_mount (self, choice, lines[i]);
  /* All of a group has to be found and to be ended. */
  if (self->mounts[FREEZER] == NULL && self->mounts[PIDS] == NULL && self->mounts[MEMORY] == NULL)
    g_clear_pointer (&self, lk_cgroup_free);
  return self;
}

void
lk_cgroup_free (LkCgroup *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < CONTROLLERS; i++)
    g_free (self->mounts[i]);
  g_free (self->path);
  g_free (self);
}

LkCgroup *
lk_cgroup_part (const LkCgroup *self, const char *name)
{
  LkCgroup *part = g_new0 (LkCgroup, 1);
  part->version = self->version;
  part->path = g_build_filename (self->path, name, NULL);
  for (guint i = 0; i < CONTROLLERS; i++)
    part->mounts[i] = g_strdup (self->mounts[i]);
  return part;
}

guint
lk_cgroup_version (const LkCgroup *self)
{
  return self->version;
}

gboolean
lk_cgroup_has (const LkCgroup *self, const char *controller)
{
  for (guint i = 0; i < CONTROLLERS; i++)
    if (strcmp (names[i], controller) == 0)
      return self->mounts[i] != NULL;
  return FALSE;
}

/* ---------------------------------------------------------------- made and removed */

/* A new group of cpuset has no CPUs, and takes nobody, until it is told which. */
static void
inherit_cpuset (const char *above, const char *group)
{
  static const char *const files[] = { "cpuset.cpus", "cpuset.mems" };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *from = g_build_filename (above, files[i], NULL);
    g_autofree char *to = g_build_filename (group, files[i], NULL);
    g_autofree char *has = read_text (to);
    g_autofree char *text = read_text (from);
    if (text != NULL && (has == NULL || g_strstrip (has)[0] == '\0'))
      write_text (to, text);
  }
}

static void
enable_below (const LkCgroup *self, const char *group)
{
  g_autofree char *path = g_build_filename (group, "cgroup.subtree_control", NULL);
  if (self->mounts[MEMORY] != NULL)
    write_text (path, "+memory");
  if (self->mounts[PIDS] != NULL)
    write_text (path, "+pids");
  if (self->mounts[CPUSET] != NULL)
    write_text (path, "+cpuset");
}

void
lk_cgroup_keep_freezer (LkCgroup *self)
{
  for (guint i = 0; i < CONTROLLERS && self->mounts[FREEZER] != NULL; i++)
    if (i != FREEZER)
      g_clear_pointer (&self->mounts[i], g_free);
}

/* Kernels before 5.11 would else not count parts as of the whole. */
static void
count_parts (const LkCgroup *self, guint controller, const char *group)
{
  g_autofree char *path = g_build_filename (group, "memory.use_hierarchy", NULL);
  if (self->version == 1 && controller == MEMORY)
    write_text (path, "1");
}

/* FALSE: see errno. */
static gboolean
make_each (const LkCgroup *self, guint controller)
{
  gboolean inherits = self->version == 1 && controller == CPUSET;
  g_auto (GStrv) parts = g_strsplit (self->path, "/", -1);
  g_autofree char *group = g_strdup (self->mounts[controller]);
  for (guint i = 0; parts[i] != NULL; i++) {
    g_autofree char *above = g_steal_pointer (&group);
    group = g_build_filename (above, parts[i], NULL);
    if (self->version == 2)
      enable_below (self, above);
    if (mkdir (group, 0755) != 0 && errno != EEXIST)
      return FALSE;
    if (inherits)
      inherit_cpuset (above, group);
    count_parts (self, controller, group);
  }
  return TRUE;
}

/* With all that is above it, which most often is there.  Another node may remove the group above
 * all nodes, which was empty, before this one is in it: then all are made again. */
static gboolean
make_below (const LkCgroup *self, guint controller)
{
  g_autofree char *whole = g_build_filename (self->mounts[controller], self->path, NULL);
  g_autofree char *parent = g_path_get_dirname (whole);
  if (self->version == 2)
    enable_below (self, parent);
  if (mkdir (whole, 0755) == 0) {
    if (self->version == 1 && controller == CPUSET)
      inherit_cpuset (parent, whole);
    count_parts (self, controller, whole);
    return TRUE;
  }
  for (guint round = 0; round < MAKE_ROUNDS; round++) {
    if (make_each (self, controller))
      return TRUE;
    if (errno != ENOENT)
      return FALSE;
  }
  return FALSE;
}

/* Controllers that are mounted together are one hierarchy. */
static gboolean
is_first_of_mount (const LkCgroup *self, guint controller)
{
  for (guint i = 0; i < controller; i++)
    if (g_strcmp0 (self->mounts[i], self->mounts[controller]) == 0)
      return FALSE;
  return self->mounts[controller] != NULL;
}

/* One that refuses is done without, as long as any is left. */
gboolean
lk_cgroup_make (LkCgroup *self)
{
  gboolean is_any = FALSE;
  if (self->version == 2)
    return make_below (self, FREEZER);
  for (guint i = 0; i < CONTROLLERS; i++) {
    if (self->mounts[i] == NULL)
      continue;
    if (make_below (self, i))
      is_any = TRUE;
    else
      g_clear_pointer (&self->mounts[i], g_free);
  }
  return is_any;
}

/* Names of the parts, as this hierarchy has them. Returns: (transfer full). */
static GPtrArray *
parts_of (const LkCgroup *self, guint controller)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *group = g_build_filename (self->mounts[controller], self->path, NULL);
  DIR *all = opendir (group);
  const struct dirent *entry;
  while (all != NULL && (entry = readdir (all)) != NULL && parts->len < PARTS_MAX)
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
      g_ptr_array_add (parts, g_strdup (entry->d_name));
  if (all != NULL)
    closedir (all);
  return parts;
}

static void
parts_remove (const LkCgroup *self, guint controller)
{
  g_autoptr (GPtrArray) parts = parts_of (self, controller);
  for (guint i = 0; i < parts->len; i++) {
    g_autofree char *path = file_of (self, controller, g_ptr_array_index (parts, i));
    rmdir (path);
  }
}

gboolean
lk_cgroup_remove (LkCgroup *self)
{
  gboolean is_gone = TRUE;
  for (guint i = 0; i < CONTROLLERS; i++) {
    if (!is_first_of_mount (self, i))
      continue;
    g_autofree char *group = g_build_filename (self->mounts[i], self->path, NULL);
    parts_remove (self, i);
    is_gone = (rmdir (group) == 0 || errno == ENOENT) && is_gone;
  }
  return is_gone;
}

void
lk_cgroup_remove_above (LkCgroup *self)
{
  g_autofree char *above = g_path_get_dirname (self->path);
  for (guint i = 0; i < CONTROLLERS; i++) {
    if (!is_first_of_mount (self, i))
      continue;
    g_autofree char *group = g_build_filename (self->mounts[i], above, NULL);
    rmdir (group);
  }
}

/* ---------------------------------------------------------------- what is confined */

static gboolean
memory_write (const LkCgroup *self, const char *name, guint64 bytes)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, bytes);
  return group_write (self, MEMORY, name, text);
}

/* Files about swap space are not there where the kernel does not count it, and need not be where
 * there is none. */
gboolean
lk_cgroup_set_memory (LkCgroup *self, const LkMemoryLimits *limits)
{
  gboolean has_ram = limits->ram_bytes > 0;
  gboolean has_total = limits->total_bytes > 0;
  if (self->version == 2) {
    if (has_total)
      memory_write (self, "memory.swap.max",
                    has_ram ? limits->total_bytes - limits->ram_bytes : limits->total_bytes);
    return !has_ram || memory_write (self, "memory.max", limits->ram_bytes);
  }
  /* The kernel takes no limit of both that is below that of memory alone. */
  guint64 ram_bytes = has_ram ? limits->ram_bytes : limits->total_bytes;
  if (!memory_write (self, "memory.limit_in_bytes", ram_bytes))
    return FALSE;
  if (has_total)
    memory_write (self, "memory.memsw.limit_in_bytes", limits->total_bytes);
  return TRUE;
}

gboolean
lk_cgroup_set_cpus (LkCgroup *self, const char *cpus)
{
  return group_write (self, CPUSET, "cpuset.cpus", cpus);
}

gboolean
lk_cgroup_set_tasks (LkCgroup *self, guint count)
{
  g_autofree char *text = g_strdup_printf ("%u", count);
  return group_write (self, PIDS, "pids.max", text);
}

static gboolean
deny_by_line (LkCgroup *self, const struct stat *about)
{
  g_autofree char *line = g_strdup_printf ("%c %u:%u rwm", S_ISBLK (about->st_mode) ? 'b' : 'c',
                                           major (about->st_rdev), minor (about->st_rdev));
  return group_write (self, DEVICES, "devices.deny", line);
}

gboolean
lk_cgroup_deny_devices (LkCgroup *self, const char *const *paths, guint count)
{
  g_autoptr (GArray) denied = g_array_new (FALSE, FALSE, sizeof (struct stat));
  gboolean is_good = TRUE;
  for (guint i = 0; i < count; i++) {
    struct stat about;
    if (stat (paths[i], &about) == 0 && (S_ISCHR (about.st_mode) || S_ISBLK (about.st_mode)))
      g_array_append_val (denied, about);
    else
      is_good = FALSE;
  }
  if (self->version == 2 && denied->len > 0) {
    g_autofree char *group = g_build_filename (self->mounts[DEVICES], self->path, NULL);
    return lk_cgroup_device_program (group, denied) && is_good;
  }
  for (guint i = 0; i < denied->len; i++)
    is_good = deny_by_line (self, &g_array_index (denied, struct stat, i)) && is_good;
  return is_good;
}

/* ---------------------------------------------------------------- processes */

/* A directory has a link of each one in it, and two of its own. */
static gboolean
has_one_thread (void)
{
  struct stat threads;
  return stat ("/proc/self/task", &threads) == 0 && threads.st_nlink == 3;
}

/* Below 0: it cannot be so. The C library is not told, which does not matter to one thread. */
static pid_t
clone_into (const LkCgroup *self)
{
  g_autofree char *path = g_build_filename (self->mounts[FREEZER], self->path, NULL);
  int group = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct clone_args how = { .flags = CLONE_INTO_CGROUP,
                            .exit_signal = SIGCHLD,
                            .cgroup = (guint64)(guint)group };
  if (group < 0)
    return -1;
  pid_t pid = (pid_t)syscall (SYS_clone3, &how, sizeof how);
  close (group);
  return pid;
}

pid_t
lk_cgroup_fork (LkCgroup *self)
{
  pid_t pid = self != NULL && self->version == 2 && has_one_thread () ? clone_into (self) : -1;
  if (pid < 0)
    return fork ();
  self->is_in = pid == 0;
  return pid;
}

/* For a process the kernel keeps all others from forking, and waits some 10 ms until they know. A
 * thread that moves itself need not wait (cgroup_procs_write_start of the kernel), and is all of
 * most processes; version 2 moves threads only within a group of threads. */
gboolean
lk_cgroup_enter (LkCgroup *self)
{
  gboolean is_good = TRUE;
  if (self->is_in)
    return TRUE;
  const char *file = self->version == 1 && has_one_thread () ? "tasks" : "cgroup.procs";
  for (guint i = 0; i < CONTROLLERS; i++)
    if (is_first_of_mount (self, i))
      is_good = group_write (self, i, file, "0") && is_good;
  return is_good;
}

static void
pids_add (GArray *pids, const char *text)
{
  for (const char *at = text; at != NULL && *at != '\0';) {
    char *end;
    pid_t pid = (pid_t)strtol (at, &end, 10);
    if (end == at)
      break;
    if (pid > 0)
      g_array_append_val (pids, pid);
    at = *end != '\0' ? end + 1 : end;
  }
}

GArray *
lk_cgroup_pids (const LkCgroup *self)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
  for (guint i = 0; i < CONTROLLERS; i++) {
    g_autofree char *text = group_read (self, i, "cgroup.procs");
    if (text == NULL)
      continue;
    pids_add (pids, text);
    g_autoptr (GPtrArray) parts = parts_of (self, i);
    for (guint j = 0; j < parts->len; j++) {
      g_autofree char *name = g_build_filename (g_ptr_array_index (parts, j), "cgroup.procs", NULL);
      g_autofree char *there = group_read (self, i, name);
      pids_add (pids, there);
    }
    break;
  }
  return pids;
}

/* Of version 1 a part that is frozen for itself does not thaw with the whole. */
static void
thaw_parts (const LkCgroup *self)
{
  if (self->mounts[FREEZER] == NULL)
    return;
  g_autoptr (GPtrArray) parts = parts_of (self, FREEZER);
  for (guint i = 0; i < parts->len; i++) {
    g_autofree char *name = g_build_filename (g_ptr_array_index (parts, i), "freezer.state", NULL);
    group_write (self, FREEZER, name, "THAWED");
  }
}

gboolean
lk_cgroup_freeze (LkCgroup *self, gboolean is_frozen)
{
  if (self->version == 2)
    return group_write (self, FREEZER, "cgroup.freeze", is_frozen ? "1" : "0");
  if (!is_frozen)
    thaw_parts (self);
  return group_write (self, FREEZER, "freezer.state", is_frozen ? "FROZEN" : "THAWED");
}

static GArray *
list_pids (gconstpointer self)
{
  return lk_cgroup_pids (self);
}

/* Frozen, they start no others while they are being counted; the signal comes when they thaw. */
void
lk_cgroup_kill (LkCgroup *self)
{
  if (self->version == 2 && group_write (self, FREEZER, "cgroup.kill", "1"))
    return;
  lk_cgroup_freeze (self, TRUE);
  lk_process_signal (list_pids, self, SIGKILL);
  lk_cgroup_freeze (self, FALSE);
}

gboolean
lk_cgroup_clear (LkCgroup *self)
{
  for (guint i = 0; i < CONTROLLERS; i++) {
    if (!is_first_of_mount (self, i))
      continue;
    g_autoptr (GPtrArray) parts = parts_of (self, i);
    for (guint j = 0; j < parts->len; j++) {
      g_autoptr (LkCgroup) part = lk_cgroup_part (self, g_ptr_array_index (parts, j));
      lk_cgroup_kill (part);
      lk_cgroup_remove (part);
    }
  }
  return lk_cgroup_remove (self);
}

/* ---------------------------------------------------------------- what was used */

guint64
lk_cgroup_oom_kills (const LkCgroup *self)
{
  g_autofree char *text =
      group_read (self, MEMORY, self->version == 2 ? "memory.events" : "memory.oom_control");
  return text != NULL ? number_in (text, "oom_kill") : 0;
}

guint64
lk_cgroup_rss_bytes (const LkCgroup *self)
{
  g_autofree char *text = group_read (self, MEMORY, "memory.stat");
  return text != NULL ? number_in (text, self->version == 2 ? "anon" : "total_rss") : 0;
}
