/* live/port/step_folder.c — see the header. */
#include "live/port/step_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "step_"
#define HEAD "step 2 "
#define END ".end"
#define NEW ".new"
#define NAME_BYTES 64u
/* Steps of a run that are kept at once. */
#define STEPS_MAX 65536u
#define FILE_BYTES_MAX (2 * (gsize)LK_MESSAGE_MAX_BYTES)
#define SIGNAL_KILL 9u
/* More than a report has. */
#define END_BYTES_MAX 4096u

static void
name_of (guint32 step_id, const char *suffix, char out_name[NAME_BYTES])
{
  g_snprintf (out_name, NAME_BYTES, PREFIX "%u%s", step_id, suffix);
}

static gboolean
write_all (int file, const guint8 *bytes, gsize length_bytes)
{
  while (length_bytes > 0) {
    gssize count = write (file, bytes, length_bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return FALSE;
    bytes += count;
    length_bytes -= (gsize)count;
  }
  return TRUE;
}

static gboolean
file_make (int folder, const char *name, const GByteArray *bytes)
{
  int file = openat (folder, name, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return FALSE;
  gboolean is_good = write_all (file, bytes->data, bytes->len);
  int error_number = errno;
  close (file);
  errno = error_number;
  return is_good;
}

/* NULL: it cannot be read, or is too long. */
static GByteArray *
file_read (int folder, const char *name, gsize max_bytes)
{
  struct stat about;
  int file = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (file < 0)
    return NULL;
  gboolean is_good =
      fstat (file, &about) == 0 && S_ISREG (about.st_mode) && (guint64)about.st_size <= max_bytes;
  g_byte_array_set_size (bytes, is_good ? (guint)about.st_size : 0);
  for (guint have = 0; is_good && have < bytes->len;) {
    gssize count = read (file, bytes->data + have, bytes->len - have);
    if (count < 0 && errno == EINTR)
      continue;
    is_good = count > 0;
    have += is_good ? (guint)count : 0;
  }
  close (file);
  return is_good ? g_steal_pointer (&bytes) : NULL;
}

/* A byte that says that it is there, and the report. Returns: (transfer full). */
static GByteArray *
end_bytes (const LkStepReport *report)
{
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)"\x01", 1);
  lk_step_report_append (report, bytes);
  return bytes;
}

gboolean
lk_step_folder_make (int folder, guint32 step_id, const LkStepRoom *room, LkBytes launch)
{
  char name[NAME_BYTES];
  char fresh[NAME_BYTES];
  char end[NAME_BYTES];
  const LkStepReport none = { .state = LK_STEP_RUNNING };
  g_autofree char *line =
      g_strdup_printf (HEAD "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s\n",
                       room->memory.ram_bytes, room->memory.total_bytes, room->cores);
  g_autoptr (GByteArray) content = g_byte_array_new ();
  g_autoptr (GByteArray) empty = end_bytes (&none);
  name_of (step_id, "", name);
  name_of (step_id, NEW, fresh);
  name_of (step_id, END, end);
  g_byte_array_append (content, (const guint8 *)line, (guint)strlen (line));
  g_byte_array_append (content, launch.bytes, launch.length_bytes);
  memset (empty->data, 0, empty->len);
  if (file_make (folder, end, empty) && file_make (folder, fresh, content)
      && renameat (folder, fresh, folder, name) == 0)
    return TRUE;
  int error_number = errno;
  unlinkat (folder, fresh, 0);
  unlinkat (folder, end, 0);
  errno = error_number;
  return FALSE;
}

static gboolean
room_read (const char *line, const char *end, LkStepRoom *out_room)
{
  g_autofree char *text = g_strndup (line, (gsize)(end - line));
  LkStepRoom room = { 0 };
  char *at;
  if (!g_str_has_prefix (text, HEAD))
    return FALSE;
  room.memory.ram_bytes = g_ascii_strtoull (text + strlen (HEAD), &at, 10);
  if (*at != ' ')
    return FALSE;
  room.memory.total_bytes = g_ascii_strtoull (at + 1, &at, 10);
  if (*at != ' ')
    return FALSE;
  room.cores = g_strdup (at + 1);
  *out_room = room;
  return TRUE;
}

GByteArray *
lk_step_folder_launch (int folder, guint32 step_id, LkStepRoom *out_room)
{
  char name[NAME_BYTES];
  name_of (step_id, "", name);
  g_autoptr (GByteArray) bytes = file_read (folder, name, FILE_BYTES_MAX);
  const guint8 *end =
      bytes != NULL && bytes->len > 0 ? memchr (bytes->data, '\n', bytes->len) : NULL;
  if (end == NULL || !room_read ((const char *)bytes->data, (const char *)end, out_room)) {
    errno = EINVAL;
    return NULL;
  }
  g_byte_array_remove_range (bytes, 0, (guint)(end - bytes->data) + 1);
  return g_steal_pointer (&bytes);
}

gboolean
lk_step_folder_end (int folder, guint32 step_id, LkStepReport *out_report)
{
  char name[NAME_BYTES];
  name_of (step_id, END, name);
  g_autoptr (GByteArray) bytes = file_read (folder, name, END_BYTES_MAX);
  if (bytes == NULL || bytes->len == 0 || bytes->data[0] != 1)
    return FALSE;
  LkStepReports left = { bytes->data + 1, bytes->len - 1 };
  return lk_step_report_next (&left, out_report);
}

gboolean
lk_step_folder_set_end (int folder, const LkStepReport *report)
{
  char name[NAME_BYTES];
  g_autoptr (GByteArray) bytes = end_bytes (report);
  name_of (report->step_id, END, name);
  int file = openat (folder, name, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return FALSE;
  gboolean is_good =
      pwrite (file, bytes->data, bytes->len, 0) == (gssize)bytes->len && fdatasync (file) == 0;
  int error_number = errno;
  close (file);
  errno = error_number;
  return is_good;
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  return x < y ? -1 : x > y;
}

GArray *
lk_step_folder_list (int folder)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (guint32));
  int copy = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *all = copy >= 0 ? fdopendir (copy) : NULL;
  const struct dirent *entry;
  while (all != NULL && (entry = readdir (all)) != NULL && list->len < STEPS_MAX) {
    guint64 number;
    if (!g_str_has_prefix (entry->d_name, PREFIX)
        || !g_ascii_string_to_unsigned (entry->d_name + strlen (PREFIX), 10, 0, G_MAXUINT32,
                                        &number, NULL))
      continue;
    guint32 step_id = (guint32)number;
    g_array_append_val (list, step_id);
  }
  if (all != NULL)
    closedir (all);
  else if (copy >= 0)
    close (copy);
  g_array_sort (list, compare_numbers);
  return list;
}

/* What may hold a key goes first. */
void
lk_step_folder_remove (int folder, guint32 step_id)
{
  static const char *const suffixes[] = { "", NEW, END };
  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    char name[NAME_BYTES];
    name_of (step_id, suffixes[i], name);
    unlinkat (folder, name, 0);
  }
}

void
lk_step_folder_end_all (int folder, guint64 run_id,
                        void (*ended) (gpointer user, const LkStepReport *report), gpointer user)
{
  g_autoptr (GArray) list = lk_step_folder_list (folder);
  for (guint i = 0; i < list->len; i++) {
    LkStepReport report;
    guint32 step_id = g_array_index (list, guint32, i);
    if (lk_step_folder_end (folder, step_id, &report))
      continue;
    report = (LkStepReport){
      .run_id = run_id, .step_id = step_id, .state = LK_STEP_ENDED, .signal = SIGNAL_KILL
    };
    if (lk_step_folder_set_end (folder, &report))
      ended (user, &report);
  }
}
