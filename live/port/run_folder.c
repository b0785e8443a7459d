/* live/port/run_folder.c — see the header. */
#include "live/port/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/port/step_folder.h"

#define OLD "old-"
#define NEW "new-"
#define NAME_BYTES 64u
/* In `stage`, behind its first line, the length of which is always the same. */
#define SCRIPT_END_AT ((guint)sizeof "stage 1 0")
/* A line, and a launch with all that surrounds its payload. */
#define FILE_BYTES_MAX (2 * (gsize)LK_MESSAGE_MAX_BYTES)

/* ---------------------------------------------------------------- files */

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

/* Under another name first, so that it is there whole or not at all; and durable. */
static gboolean
file_replace (int folder, const char *name, const void *bytes, gsize length_bytes)
{
  char temporary[NAME_BYTES];
  g_snprintf (temporary, sizeof temporary, "%s.new", name);
  int file =
      openat (folder, temporary, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return FALSE;
  gboolean is_good = write_all (file, bytes, length_bytes) && fdatasync (file) == 0;
  is_good = close (file) == 0 && is_good && renameat (folder, temporary, folder, name) == 0;
  return is_good && fsync (folder) == 0;
}

/* In a folder that nobody looks into yet. */
static gboolean
file_create (int folder, const char *name, const void *bytes, gsize length_bytes)
{
  int file = openat (folder, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  gboolean is_good = file >= 0 && write_all (file, bytes, length_bytes);
  return file >= 0 && close (file) == 0 && is_good;
}

/* At most so much of it. */
static GByteArray *
file_read (int folder, const char *name, gsize most_bytes)
{
  struct stat about;
  int file = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return NULL;
  gboolean is_good = fstat (file, &about) == 0 && S_ISREG (about.st_mode)
                     && (guint64)about.st_size <= FILE_BYTES_MAX;
  GByteArray *bytes = g_byte_array_new ();
  g_byte_array_set_size (bytes, is_good ? (guint)MIN ((gsize)about.st_size, most_bytes) : 0);
  guint have = 0;
  while (is_good && have < bytes->len) {
    gssize count = read (file, bytes->data + have, bytes->len - have);
    if (count < 0 && errno == EINTR)
      continue;
    is_good = count > 0;
    have += is_good ? (guint)count : 0;
  }
  close (file);
  if (!is_good)
    g_clear_pointer (&bytes, g_byte_array_unref);
  return bytes;
}

/* The line of a file that begins there, without its end; NULL: there is none. Returns: (transfer
 * full). */
static char *
line_read (int folder, const char *name, guint at_bytes)
{
  g_autoptr (GByteArray) bytes = file_read (folder, name, at_bytes + LK_STEP_LINE_BYTES);
  if (bytes == NULL || bytes->len <= at_bytes)
    return NULL;
  const char *begin = (const char *)bytes->data + at_bytes;
  const char *end = memchr (begin, '\n', bytes->len - at_bytes);
  return end != NULL ? g_strndup (begin, (gsize)(end - begin)) : NULL;
}

static gboolean
line_write (int folder, const char *name, const char *line)
{
  g_autofree char *text = g_strconcat (line, "\n", NULL);
  return file_replace (folder, name, text, strlen (text));
}

gboolean
lk_boot_id_read (char out_boot_id[LK_BOOT_ID_BYTES])
{
  int file = open ("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return FALSE;
  gssize count = read (file, out_boot_id, LK_BOOT_ID_BYTES - 1);
  close (file);
  out_boot_id[LK_BOOT_ID_BYTES - 1] = '\0';
  return count == (gssize)LK_BOOT_ID_BYTES - 1;
}

/* ---------------------------------------------------------------- lines */

/* Numbers behind a word and a version; those that are missing are 0. FALSE: it is another line. */
static gboolean
numbers_of (const char *line, const char *word, gint64 *out_numbers, guint count)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  if (words[0] == NULL || strcmp (words[0], word) != 0)
    return FALSE;
  for (guint i = 0; i < count; i++)
    out_numbers[i] = 0;
  for (guint i = 0; i < count && words[i + 1] != NULL; i++) {
    char *end;
    out_numbers[i] = g_ascii_strtoll (words[i + 1], &end, 10);
    if (end == words[i + 1] || *end != '\0' || out_numbers[i] < 0)
      return FALSE;
  }
  return TRUE;
}

/* Where the end of a stage is on record; that of the script behind the line of the stage. */
static const char *
stage_name (LkStage stage)
{
  switch (stage) {
  case LK_STAGE_PROLOG:
    return "prolog";
  case LK_STAGE_SCRIPT:
    return "stage";
  case LK_STAGE_EPILOG:
    return "epilog";
  }
  return "";
}

void
lk_run_end_print (LkStage stage, const LkExit *how, char out_line[LK_STEP_LINE_BYTES])
{
  g_snprintf (out_line, LK_STEP_LINE_BYTES,
              "end 1 %d %u %u %u %u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT
              " %" G_GUINT64_FORMAT " %u",
              (int)stage, how->exit_code, how->signal, how->cancelled, how->trouble,
              how->user_cpu_us, how->system_cpu_us, how->max_rss_bytes, how->max_gpu_memory_bytes,
              how->max_gpu_percent);
}

gboolean
lk_run_end_scan (const char *line, LkStage *out_stage, LkExit *out_how)
{
  gint64 numbers[11];
  if (!numbers_of (line, "end", numbers, G_N_ELEMENTS (numbers)) || numbers[1] < LK_STAGE_PROLOG
      || numbers[1] > LK_STAGE_EPILOG)
    return FALSE;
  for (guint i = 2; i < 6; i++)
    if (numbers[i] > G_MAXUINT8)
      return FALSE;
  *out_stage = (LkStage)numbers[1];
  *out_how = (LkExit){ .exit_code = (guint8)numbers[2],
                       .signal = (guint8)numbers[3],
                       .cancelled = (guint8)numbers[4],
                       .trouble = (guint8)numbers[5],
                       .user_cpu_us = numbers[6],
                       .system_cpu_us = numbers[7],
                       .max_rss_bytes = (guint64)numbers[8],
                       .max_gpu_memory_bytes = (guint64)numbers[9],
                       .max_gpu_percent = (guint32)MIN (numbers[10], G_MAXUINT32) };
  return TRUE;
}

/* ---------------------------------------------------------------- the folder */

static void
name_of (const char *prefix, guint64 run_id, char out_name[NAME_BYTES])
{
  g_snprintf (out_name, NAME_BYTES, "%s%" G_GUINT64_FORMAT, prefix, run_id);
}

gboolean
lk_run_folder_name (const char *name, guint64 *out_run_id)
{
  char *end;
  if (!g_ascii_isdigit (name[0]) || name[0] == '0')
    return FALSE;
  guint64 run_id = g_ascii_strtoull (name, &end, 10);
  if (*end != '\0')
    return FALSE;
  *out_run_id = run_id;
  return TRUE;
}

gboolean
lk_run_folder_is_old (const char *name)
{
  return g_str_has_prefix (name, OLD) || g_str_has_prefix (name, NEW);
}

gboolean
lk_run_folder_make (int runs, guint64 run_id, const LkRunAbout *about, const guint8 *launch,
                    gsize length_bytes)
{
  char fresh[NAME_BYTES];
  char name[NAME_BYTES];
  char line[LK_STEP_LINE_BYTES];
  name_of (NEW, run_id, fresh);
  name_of ("", run_id, name);
  g_autoptr (GByteArray) content = g_byte_array_new ();
  g_snprintf (line, sizeof line, "run 1 %u %d %s\n", about->job_id, about->runs_script ? 1 : 0,
              about->boot_id);
  g_byte_array_append (content, (const guint8 *)line, (guint)strlen (line));
  g_byte_array_append (content, launch, (guint)length_bytes);
  lk_run_folder_remove (runs, fresh);
  if (mkdirat (runs, fresh, 0700) != 0)
    return FALSE;
  int folder = openat (runs, fresh, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  gboolean is_good = folder >= 0 && file_create (folder, "launch", content->data, content->len)
                     && renameat (runs, fresh, runs, name) == 0;
  int error_number = errno;
  if (folder >= 0)
    close (folder);
  if (!is_good)
    lk_run_folder_remove (runs, fresh);
  errno = error_number;
  return is_good;
}

int
lk_run_folder_open (int runs, guint64 run_id)
{
  char name[NAME_BYTES];
  name_of ("", run_id, name);
  return openat (runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

gboolean
lk_run_folder_about (int folder, LkRunAbout *out_about)
{
  g_autofree char *line = line_read (folder, "launch", 0);
  gint64 numbers[3];
  const char *boot = line != NULL ? strrchr (line, ' ') : NULL;
  if (boot == NULL || strlen (boot + 1) != LK_BOOT_ID_BYTES - 1)
    return FALSE;
  g_autofree char *head = g_strndup (line, (gsize)(boot - line));
  if (!numbers_of (head, "run", numbers, G_N_ELEMENTS (numbers)) || numbers[1] > G_MAXUINT32)
    return FALSE;
  *out_about = (LkRunAbout){ .job_id = (guint32)numbers[1], .runs_script = numbers[2] != 0 };
  g_strlcpy (out_about->boot_id, boot + 1, LK_BOOT_ID_BYTES);
  return TRUE;
}

GByteArray *
lk_run_folder_launch (int folder)
{
  GByteArray *bytes = file_read (folder, "launch", FILE_BYTES_MAX);
  const guint8 *end =
      bytes != NULL && bytes->len > 0 ? memchr (bytes->data, '\n', bytes->len) : NULL;
  if (end != NULL)
    g_byte_array_remove_range (bytes, 0, (guint)(end - bytes->data) + 1);
  return bytes;
}

guint32
lk_run_folder_user (const char *path)
{
  LkMessage message;
  guint32 user_id = (guint32)getuid ();
  int folder = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return user_id;
  g_autoptr (GByteArray) bytes = lk_run_folder_launch (folder);
  close (folder);
  if (bytes != NULL && lk_message_decode (bytes->data, bytes->len, &message)
      && message.kind == LK_MESSAGE_LAUNCH)
    user_id = message.launch.user_id;
  return user_id;
}

static gboolean
file_sync (int folder, const char *name)
{
  int file = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return FALSE;
  gboolean is_good = fsync (file) == 0;
  close (file);
  return is_good;
}

gboolean
lk_run_folder_sync (int folder)
{
  return file_sync (folder, "launch") && fsync (folder) == 0 && file_sync (folder, "..");
}

/* Both lines of the file are in one sector, which a disk writes as a whole. */
static gboolean
stage_line_write (int folder, const char *line, guint at_bytes, gboolean is_durable)
{
  int file = openat (folder, "stage", O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return FALSE;
  gboolean is_good = pwrite (file, line, strlen (line), at_bytes) == (gssize)strlen (line)
                     && (!is_durable || fdatasync (file) == 0);
  int error_number = errno;
  close (file);
  errno = error_number;
  return is_good;
}

/* The one digit that changes says both, so that whoever reads beside sees the one or the other. */
static gboolean
stage_write (int folder, LkStage stage, gboolean has_ended)
{
  char line[] = "stage 1 0\n";
  line[SCRIPT_END_AT - 2] = (char)('0' + 2 * (int)stage + (has_ended ? 1 : 0));
  return stage_line_write (folder, line, 0, /* is_durable= */ FALSE);
}

/* 0: none was begun. */
static guint
stage_read (int folder, gboolean *out_has_ended)
{
  g_autofree char *line = line_read (folder, "stage", 0);
  gint64 numbers[2];
  if (line == NULL || !numbers_of (line, "stage", numbers, G_N_ELEMENTS (numbers))
      || numbers[1] < 2 * LK_STAGE_PROLOG || numbers[1] > 2 * LK_STAGE_EPILOG + 1)
    return 0;
  *out_has_ended = numbers[1] % 2 == 1;
  return (guint)numbers[1] / 2;
}

static gboolean
is_recorded (int folder, LkStage stage)
{
  if (stage != LK_STAGE_SCRIPT)
    return faccessat (folder, stage_name (stage), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  g_autofree char *line = line_read (folder, "stage", SCRIPT_END_AT);
  return line != NULL;
}

/* What has its end on record was begun, or cannot be any more: the mark may be missing. */
guint
lk_run_folder_stage (int folder)
{
  gboolean has_ended;
  guint begun = stage_read (folder, &has_ended);
  for (guint stage = LK_STAGE_EPILOG; stage > begun; stage--)
    if (is_recorded (folder, (LkStage)stage))
      return stage;
  return begun;
}

gboolean
lk_run_folder_set_stage (int folder, LkStage stage)
{
  return stage_write (folder, stage, /* has_ended= */ FALSE);
}

/* Whoever has come beyond a stage, and left nothing of it, has seen it end well. */
gboolean
lk_run_folder_end (int folder, LkStage stage, LkExit *out_how)
{
  g_autofree char *line =
      line_read (folder, stage_name (stage), stage == LK_STAGE_SCRIPT ? SCRIPT_END_AT : 0);
  gboolean has_ended = FALSE;
  LkStage found;
  LkExit how = { 0 };
  guint begun = line == NULL ? stage_read (folder, &has_ended) : 0;
  gboolean is_well = line == NULL && stage != LK_STAGE_SCRIPT
                     && (begun > (guint)stage || (begun == (guint)stage && has_ended));
  if (!is_well && (line == NULL || !lk_run_end_scan (line, &found, &how) || found != stage))
    return FALSE;
  *out_how = how;
  return TRUE;
}

gboolean
lk_run_folder_set_end (int folder, LkStage stage, const LkExit *how)
{
  char line[LK_STEP_LINE_BYTES];
  if (stage != LK_STAGE_SCRIPT && how->exit_code == 0 && how->signal == 0
      && how->trouble == LK_TROUBLE_NONE)
    return stage_write (folder, stage, /* has_ended= */ TRUE);
  lk_run_end_print (stage, how, line);
  if (stage != LK_STAGE_SCRIPT)
    return line_write (folder, stage_name (stage), line);
  g_autofree char *ended = g_strconcat (line, "\n", NULL);
  return stage_line_write (folder, ended, SCRIPT_END_AT, /* is_durable= */ TRUE);
}

/* ---------------------------------------------------------------- lock and socket */

int
lk_run_folder_lock (int folder)
{
  int lock = openat (folder, "stage", O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0)
    return -1;
  if (flock (lock, LOCK_EX | LOCK_NB) == 0)
    return lock;
  int error_number = errno;
  close (lock);
  errno = error_number;
  return -1;
}

/* A path that is short enough for a socket, however long the true one is. */
static void
address_of (int folder, struct sockaddr_un *out_address)
{
  *out_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
  g_snprintf (out_address->sun_path, sizeof out_address->sun_path, "/proc/self/fd/%d/socket",
              folder);
}

static int
socket_new (void)
{
  return socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int
lk_run_folder_listen (int folder)
{
  struct sockaddr_un address;
  int listener = socket_new ();
  address_of (folder, &address);
  unlinkat (folder, "socket", 0);
  if (listener >= 0 && bind (listener, (struct sockaddr *)&address, sizeof address) == 0
      && listen (listener, 4) == 0)
    return listener;
  if (listener >= 0)
    close (listener);
  return -1;
}

int
lk_run_folder_connect (int folder)
{
  struct sockaddr_un address;
  int stream = socket_new ();
  address_of (folder, &address);
  if (stream >= 0 && connect (stream, (struct sockaddr *)&address, sizeof address) == 0)
    return stream;
  if (stream >= 0)
    close (stream);
  return -1;
}

/* A reset is told once, before what is there to be read. */
gssize
lk_step_receive (int stream, void *out_bytes, gsize size_bytes, gboolean waits)
{
  for (guint resets = 0;;) {
    gssize count = recv (stream, out_bytes, size_bytes, waits ? 0 : MSG_DONTWAIT);
    if (count >= 0 || (errno != EINTR && errno != ECONNRESET))
      return count;
    if (errno == ECONNRESET && resets++ > 0)
      return 0;
  }
}

char *
lk_run_stuck_line (LkStuck why)
{
  return g_strdup_printf (LK_STEP_STUCK "%u", (guint)why);
}

gboolean
lk_run_stuck_scan (const char *line, LkStuck *out_why)
{
  if (!g_str_has_prefix (line, LK_STEP_STUCK))
    return FALSE;
  guint64 number = g_ascii_strtoull (line + strlen (LK_STEP_STUCK), NULL, 10);
  /* One that only a later version knows of keeps the node from new jobs, too. */
  *out_why =
      number > LK_STUCK_NOT && number < LK_STUCK_COUNT ? (LkStuck)number : LK_STUCK_UNKILLABLE;
  return TRUE;
}

/* ---------------------------------------------------------------- removal */

int
lk_run_folder_retire (int runs, guint64 run_id)
{
  char name[NAME_BYTES];
  char old[NAME_BYTES];
  name_of ("", run_id, name);
  name_of (OLD, run_id, old);
  int folder = openat (runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && renameat (runs, name, runs, old) == 0)
    return folder;
  if (folder >= 0)
    close (folder);
  return -1;
}

void
lk_run_folder_remove (int runs, const char *name)
{
  static const char *const files[] = { "launch", "stage",      "prolog", "prolog.new",
                                       "epilog", "epilog.new", "socket" };
  int folder = openat (runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    unlinkat (folder, files[i], 0);
  g_autoptr (GArray) steps = lk_step_folder_list (folder);
  for (guint i = 0; i < steps->len; i++)
    lk_step_folder_remove (folder, g_array_index (steps, guint32, i));
  close (folder);
  unlinkat (runs, name, AT_REMOVEDIR);
}
