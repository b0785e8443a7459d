/* live/daemon/laptop_conf.c — the configuration of a laptop cluster: made from a few counts, or
 * copied from a site with all that its slurm.conf includes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "live/core/controller.h"
#include "live/daemon/laptop.h"
#include "live/port/error.h"

#define NODES_DEFAULT 4u
/* What lies beside a slurm.conf, and is read with it. */
static const char *const siblings[] = { "gres.conf", "topology.conf", "topology.yaml",
                                        "cgroup.conf", "accounts" };
#define INCLUDE_DEPTH_MAX 8u
#define CONF_MAX_BYTES (32u << 20)

void
lk_laptop_init (LkLaptop *self, const char *directory)
{
  const char *named = directory != NULL ? directory : g_getenv ("LOCKSTEP_DIR");
  const char *state = g_getenv ("XDG_STATE_HOME");
  g_autofree char *usual =
      state != NULL && g_path_is_absolute (state)
          ? g_build_filename (state, "lockstep", NULL)
          : g_build_filename (g_get_home_dir (), ".local", "state", "lockstep", NULL);
  self->directory = g_canonicalize_filename (named != NULL && *named != '\0' ? named : usual, NULL);
  self->conf = g_build_filename (self->directory, "lockstep.conf", NULL);
  self->options = g_build_filename (self->directory, "options", NULL);
  self->socket = g_build_filename (self->directory, "controller.sock", NULL);
  self->controller = g_build_filename (self->directory, "controller", NULL);
  self->agents = g_build_filename (self->directory, "agents", NULL);
  self->log = g_build_filename (self->directory, "log", NULL);
}

void
lk_laptop_clear (LkLaptop *self)
{
  char **texts[] = { &self->directory,  &self->conf,   &self->options, &self->socket,
                     &self->controller, &self->agents, &self->log };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_clear_pointer (texts[i], g_free);
}

gboolean
lk_laptop_shape_is_asked (const LkLaptopShape *shape)
{
  return shape->node_count > 0 || shape->gpu_count > 0 || shape->cpu_count > 0
         || shape->memory_mib > 0 || shape->conf != NULL || shape->order != NULL
         || shape->backfill != NULL || shape->select != NULL || shape->preempt != NULL;
}

/* ---------------------------------------------------------------- texts */

static guint
machine_memory_mib (void)
{
  struct sysinfo info;
  return sysinfo (&info) == 0 ? (guint)(((guint64)info.totalram * info.mem_unit) >> 20) : 1024;
}

/* A slurm.conf of so many nodes. Returns: (transfer full). */
static char *
made_conf (const LkLaptopShape *shape)
{
  GString *text = g_string_new ("# A cluster on one machine, made by lockstep up.\n"
                                "ClusterName=laptop\n"
                                "SlurmctldHost=localhost\n"
                                "SelectType=select/cons_tres\n"
                                "SelectTypeParameters=CR_CPU_Memory\n"
                                "SchedulerType=sched/backfill\n"
                                "KillWait=5\n"
                                "ReturnToService=2\n");
  guint nodes = shape->node_count > 0 ? shape->node_count : NODES_DEFAULT;
  guint cpus = shape->cpu_count > 0 ? shape->cpu_count : g_get_num_processors ();
  guint memory_mib = shape->memory_mib > 0 ? shape->memory_mib : machine_memory_mib ();
  /* A job that does not say how much memory it wants has its share, and not all of a node. */
  g_string_append_printf (text, "DefMemPerCPU=%u\n", MAX (1u, memory_mib / cpus));
  if (shape->gpu_count > 0)
    g_string_append (text, "GresTypes=gpu\n");
  g_string_append_printf (text, nodes == 1 ? "NodeName=node%u" : "NodeName=node[1-%u]", nodes);
  g_string_append_printf (text, " CPUs=%u RealMemory=%u", cpus, memory_mib);
  if (shape->gpu_count > 0)
    g_string_append_printf (text, " Gres=gpu:%u", shape->gpu_count);
  g_string_append (text, "\nPartitionName=main Nodes=ALL Default=YES State=UP\n");
  return g_string_free (text, FALSE);
}

/* Options of lockstepd, one a line. A cluster that was made here starts jobs at once, where Slurm's
 * scheduler waits for its next tick. Returns: (transfer full). */
static char *
made_options (const LkLaptopShape *shape)
{
  const char *backfill = shape->conf == NULL ? "full" : NULL;
  const struct {
    const char *name;
    const char *value;
  } policies[] = { { "order", shape->order },
                   { "backfill", shape->backfill != NULL ? shape->backfill : backfill },
                   { "select", shape->select },
                   { "preempt", shape->preempt } };
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    if (policies[i].value != NULL)
      g_string_append_printf (text, "--%s=%s\n", policies[i].name, policies[i].value);
  return g_string_free (text, FALSE);
}

char **
lk_laptop_policies (const LkLaptop *self)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (self->options, &text, NULL, NULL))
    return g_new0 (char *, 1);
  g_strchomp (text);
  return g_strsplit (text, "\n", -1);
}

/* ---------------------------------------------------------------- a copy of a site */

/* What will be in the directory: texts by their names. */
typedef struct {
  char *folder; /* of the site's slurm.conf */
  GHashTable *texts;
} Copy;

static char *
read_conf (const char *path, GError **error)
{
  char *text = NULL;
  gsize length_bytes;
  struct stat status;
  if (stat (path, &status) == 0 && status.st_size > (off_t)CONF_MAX_BYTES) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "'%s' is longer than 32 MiB", path);
    return NULL;
  }
  g_file_get_contents (path, &text, &length_bytes, error);
  return text;
}

/* The file that a line includes, with or without quotes; NULL: it includes none. Returns: (transfer
 * full). */
static char *
included (const char *line)
{
  g_autofree char *text = g_strstrip (g_strdup (line));
  if (g_ascii_strncasecmp (text, "include", 7) != 0 || !g_ascii_isspace (text[7]))
    return NULL;
  char *name = g_strstrip (text + 7);
  name[strcspn (name, " \t#")] = '\0';
  return g_strdup (name);
}

/* Takes a file, and those that it includes by a relative name; others are read where they are. */
static gboolean
copy_file (Copy *self, const char *name, const char *as, guint depth, GError **error)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  char *text = read_conf (path, error);
  if (text == NULL)
    return FALSE;
  g_hash_table_insert (self->texts, g_strdup (as), text);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *next = included (lines[i]);
    if (next == NULL || g_path_is_absolute (next) || strstr (next, "..") != NULL
        || strchr (next, '%') != NULL || g_hash_table_contains (self->texts, next))
      continue;
    if (depth == INCLUDE_DEPTH_MAX) {
      g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "'%s' includes too deeply", path);
      return FALSE;
    }
    if (!copy_file (self, next, next, depth + 1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
copy_site (Copy *self, const char *conf, GError **error)
{
  g_autofree char *name = g_path_get_basename (conf);
  self->folder = g_path_get_dirname (conf);
  if (!copy_file (self, name, "lockstep.conf", 0, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (siblings); i++) {
    g_autofree char *path = g_build_filename (self->folder, siblings[i], NULL);
    if (g_file_test (path, G_FILE_TEST_EXISTS)
        && !copy_file (self, siblings[i], siblings[i], 0, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- laying down */

/* Is all that was asked for there already? */
static gboolean
is_same (const LkLaptop *self, GHashTable *texts)
{
  GHashTableIter iter;
  gpointer name;
  gpointer text;
  g_hash_table_iter_init (&iter, texts);
  while (g_hash_table_iter_next (&iter, &name, &text)) {
    g_autofree char *path = g_build_filename (self->directory, name, NULL);
    g_autofree char *there = NULL;
    if (!g_file_get_contents (path, &there, NULL, NULL) || !g_str_equal (there, text))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_all (const LkLaptop *self, GHashTable *texts, GError **error)
{
  GHashTableIter iter;
  gpointer name;
  gpointer text;
  g_hash_table_iter_init (&iter, texts);
  while (g_hash_table_iter_next (&iter, &name, &text)) {
    g_autofree char *path = g_build_filename (self->directory, name, NULL);
    g_autofree char *folder = g_path_get_dirname (path);
    if (g_mkdir_with_parents (folder, 0755) != 0) {
      lk_port_error_set (error, errno, "cannot make the directory '%s'", folder);
      return FALSE;
    }
    if (!g_file_set_contents (path, text, -1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_journal (const LkLaptop *self)
{
  g_autofree char *journal = g_build_filename (self->controller, LK_CONTROLLER_JOURNAL, NULL);
  return g_file_test (journal, G_FILE_TEST_EXISTS);
}

gboolean
lk_laptop_configure (const LkLaptop *self, const LkLaptopShape *shape, GError **error)
{
  gboolean is_there = g_file_test (self->conf, G_FILE_TEST_EXISTS);
  if (is_there && !lk_laptop_shape_is_asked (shape))
    return TRUE;
  g_autoptr (GHashTable) texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Copy copy = { .texts = texts };
  gboolean is_read = shape->conf == NULL || copy_site (&copy, shape->conf, error);
  g_free (copy.folder);
  if (!is_read)
    return FALSE;
  if (shape->conf == NULL)
    g_hash_table_insert (texts, g_strdup ("lockstep.conf"), made_conf (shape));
  g_hash_table_insert (texts, g_strdup ("options"), made_options (shape));
  if (is_there && is_same (self, texts))
    return TRUE;
  if (!has_journal (self))
    return write_all (self, texts, error);
  if (!is_there && !lk_laptop_shape_is_asked (shape)) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
                 "'%s' is gone, the configuration of the cluster that has its journal here; "
                 "expected it where it was, or `lockstep up --fresh`",
                 self->conf);
    return FALSE;
  }
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
               "there is another cluster in '%s': `lockstep up` alone continues it, `lockstep up "
               "--fresh ...` puts it aside",
               self->directory);
  return FALSE;
}

/* ---------------------------------------------------------------- putting aside */

/* A folder that is not there yet, named by the time. Returns: (transfer full), or NULL. */
static char *
make_aside (const LkLaptop *self, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *stamp = g_date_time_format (now, "before-%Y%m%dT%H%M%S");
  for (guint i = 0; i < 100; i++) {
    g_autofree char *name = i == 0 ? g_strdup (stamp) : g_strdup_printf ("%s-%u", stamp, i);
    char *path = g_build_filename (self->directory, name, NULL);
    if (mkdir (path, 0700) == 0)
      return path;
    g_free (path);
    if (errno != EEXIST)
      break;
  }
  lk_port_error_set (error, errno, "cannot make a folder in '%s'", self->directory);
  return NULL;
}

gboolean
lk_laptop_set_aside (const LkLaptop *self, GError **error)
{
  const char *const moved[] = { self->controller, self->agents, self->log, self->conf,
                                self->options };
  if (!has_journal (self) && !g_file_test (self->conf, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autofree char *aside = make_aside (self, error);
  if (aside == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (moved) + G_N_ELEMENTS (siblings); i++) {
    const char *sibling = i >= G_N_ELEMENTS (moved) ? siblings[i - G_N_ELEMENTS (moved)] : NULL;
    g_autofree char *from =
        sibling != NULL ? g_build_filename (self->directory, sibling, NULL) : g_strdup (moved[i]);
    g_autofree char *name = g_path_get_basename (from);
    g_autofree char *to = g_build_filename (aside, name, NULL);
    if (rename (from, to) != 0 && errno != ENOENT) {
      lk_port_error_set (error, errno, "cannot move '%s' to '%s'", from, to);
      return FALSE;
    }
  }
  return TRUE;
}
