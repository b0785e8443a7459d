/* live/agent/gpu_near.c — see the header. */
#include "live/agent/gpu_near.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "live/port/run_share.h"

/* ---------------------------------------------------------------- as configured */

/* Returns: (transfer full); "": all, or the machine has not all of them. */
static char *
near_sockets (const LkNodeSpec *spec, guint32 sockets, const LkCoreMap *map)
{
  g_autoptr (GArray) cores = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 socket = 0; socket < MIN (spec->sockets, 32); socket++)
    for (guint32 i = 0; (sockets >> socket & 1) != 0 && i < spec->cores_per_socket; i++) {
      guint32 core = socket * spec->cores_per_socket + i;
      g_array_append_val (cores, core);
    }
  char *list = map != NULL ? lk_core_map_cpus (map, cores) : lk_number_list (cores);
  return list != NULL ? list : g_strdup ("");
}

char *
lk_gpu_near_spec (const LkNodeSpec *spec, const LkCoreMap *map)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_said = FALSE;
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    for (guint32 j = 0; g_str_equal (gres->name, "gpu") && j < gres->count; j++) {
      guint32 sockets = gres->device_sockets != NULL ? gres->device_sockets[j] : 0;
      g_autofree char *list = near_sockets (spec, sockets, map);
      g_string_append_printf (text, "%s;", list);
      is_said = is_said || list[0] != '\0';
    }
  }
  return is_said ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* ---------------------------------------------------------------- as the kernel says */

/* NULL: there is none. */
static char *
read_text (const char *root, const char *path)
{
  char *text = NULL;
  g_autofree char *whole = g_strconcat (root, path, NULL);
  if (!g_file_get_contents (whole, &text, NULL, NULL))
    return NULL;
  return g_strstrip (text);
}

/* Does a line of the driver's say "Device Minor: 3"? */
static gboolean
has_minor (const char *text, guint64 minor)
{
  static const char name[] = "Device Minor:";
  const char *line = strstr (text, name);
  return line != NULL && g_ascii_isdigit (*(line += strcspn (line, "0123456789\n")))
         && g_ascii_strtoull (line, NULL, 10) == minor;
}

/* "0000:3b:00.0"; NULL: no such GPU. */
static char *
nvidia_bus (const char *root, guint64 minor)
{
  g_autofree char *folder = g_strconcat (root, "/proc/driver/nvidia/gpus", NULL);
  g_autoptr (GDir) gpus = g_dir_open (folder, 0, NULL);
  const char *name;
  while (gpus != NULL && (name = g_dir_read_name (gpus)) != NULL) {
    g_autofree char *path = g_strdup_printf ("/proc/driver/nvidia/gpus/%s/information", name);
    g_autofree char *text = read_text (root, path);
    if (text != NULL && has_minor (text, minor))
      return g_ascii_strdown (name, -1);
  }
  return NULL;
}

/* What sysfs has of a device by its file: those of AMD and Intel, /dev/dri/renderD128. */
static char *
character_path (const char *path)
{
  struct stat found;
  if (stat (path, &found) != 0 || !S_ISCHR (found.st_mode))
    return NULL;
  return g_strdup_printf ("/sys/dev/char/%u:%u/device/local_cpulist", major (found.st_rdev),
                          minor (found.st_rdev));
}

char *
lk_gpu_near_device (const char *root, const char *path)
{
  static const char nvidia[] = "/dev/nvidia";
  guint64 number;
  g_autofree char *where = NULL;
  if (g_str_has_prefix (path, nvidia)
      && g_ascii_string_to_unsigned (path + strlen (nvidia), 10, 0, G_MAXUINT16, &number, NULL)) {
    g_autofree char *bus = nvidia_bus (root, number);
    where = bus != NULL ? g_strdup_printf ("/sys/bus/pci/devices/%s/local_cpulist", bus) : NULL;
  } else {
    where = character_path (path);
  }
  char *text = where != NULL ? read_text (root, where) : NULL;
  return text != NULL ? text : g_strdup ("");
}
