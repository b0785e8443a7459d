/* sim/slurm_state/folder.c — see folder.h. */
#include "sim/slurm_state/folder.h"

#include <string.h>

#include "sim/error.h"
#include "sim/slurm_state/told.h"

/* The first line of scontrol show config. */
static const char moment_line[] = "Configuration data as of ";

static const struct {
  const char *name;
  const char *command;
  const char *absence;
} files[] = {
#define X(name, file, what, absence) { file, what, absence },
  LK_STATE_FILES (X)
#undef X
};

const char *const *
lk_state_file_names (void)
{
  static const char *const names[] = {
#define X(name, file, what, absence) file,
    LK_STATE_FILES (X)
#undef X
        NULL
  };
  return names;
}

const char *
lk_state_file_command (LkStateFile file)
{
  return files[file].command;
}

static gboolean
file_open (LkStateFolder *self, LkStateFile file, GError **error)
{
  g_autofree char *path = g_build_filename (self->path, files[file].name, NULL);
  self->paths[file] = g_filename_display_name (path);
  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    self->bytes[file] = lk_slurm_file_read (path, error);
    return self->bytes[file] != NULL;
  }
  if (files[file].absence == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ,
                 "'%s' is not there; expected the output of '%s' (scripts/collect-slurm-state)",
                 self->paths[file], files[file].command);
    return FALSE;
  }
  const LkSlurmPlace place = { self->paths[file], 0 };
  const LkToldSubject subject = { &place, "", files[file].command, "" };
  lk_told_add (self->told, &subject, LK_SLURM_IGNORED, "not collected: %s", files[file].absence);
  return TRUE;
}

/* When was it collected?  The configuration tells. */
static gboolean
moment_find (LkStateFolder *self, GError **error)
{
  gsize length_bytes;
  const LkSlurmPlace place = { self->paths[LK_STATE_FILE_CONFIG], 1 };
  const char *text = g_bytes_get_data (self->bytes[LK_STATE_FILE_CONFIG], &length_bytes);
  const char *end = length_bytes > 0 ? memchr (text, '\n', length_bytes) : NULL;
  g_autofree char *line = length_bytes > 0
                              ? g_strndup (text, end != NULL ? (gsize)(end - text) : length_bytes)
                              : g_strdup ("");
  g_strchomp (line);
  if (g_str_has_prefix (line, moment_line)
      && lk_state_moment_parse (line + strlen (moment_line), self->zone, &self->collected_us))
    return TRUE;
  return lk_slurm_fail (&place, error,
                        "expected '%s2026-11-21T02:36:46', as scontrol show config "
                        "begins",
                        moment_line);
}

gboolean
lk_state_folder_open (LkStateFolder *self, const char *path, GTimeZone *zone, GError **error)
{
  *self = (LkStateFolder){ .path = g_strdup (path), .told = lk_told_new () };
  self->zone = zone != NULL ? g_time_zone_ref (zone) : g_time_zone_new_utc ();
  gboolean is_read = TRUE;
  for (guint i = 0; i < LK_STATE_FILE_COUNT && is_read; i++)
    is_read = file_open (self, (LkStateFile)i, error);
  return is_read && moment_find (self, error);
}

void
lk_state_folder_close (LkStateFolder *self)
{
  g_free (self->path);
  for (guint i = 0; i < LK_STATE_FILE_COUNT; i++) {
    g_free (self->paths[i]);
    g_clear_pointer (&self->bytes[i], g_bytes_unref);
  }
  g_clear_pointer (&self->zone, g_time_zone_unref);
  g_clear_pointer (&self->told, g_ptr_array_unref);
}
