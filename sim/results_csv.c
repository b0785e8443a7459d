/* sim/results_csv.c — see results_csv.h.
 *
 * A million lines must not be what a simulation spends its time on, so the digits are made here
 * and go out in large pieces. */
#include "sim/results_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/assert.h"
#include "sim/decimal.h"
#include "sim/error.h"

#define BUFFER_BYTES 65536u
#define STATE_MAX_BYTES 31u
/* Of accounts and QOS; as the engine has them, with quotes doubled. */
#define NAME_MAX_BYTES (2u * 255u + 2u)
/* 13 numbers with their commas, an id, a state and two names. */
#define LINE_MAX_BYTES                                                                             \
  (14u * LK_DECIMAL_MAX_BYTES + LK_JOB_NAME_MAX_BYTES + STATE_MAX_BYTES                            \
   + 2u * (NAME_MAX_BYTES + 1u))

static const char header[] = "job_id,user,group,partition,procs,submit_s,start_s,end_s,wait_s,"
                             "run_s,estimate_s,bounded_slowdown,state,backfilled,account,"
                             "qos\n";

struct _LkResultsCsv {
  char *path;
  int fd;
  gsize used_bytes;
  char buffer[BUFFER_BYTES];
};

/* FALSE when someone else holds the file, or has renamed it while we were waiting to open it. */
static gboolean
lock_file (int fd, const char *path)
{
  struct stat opened;
  struct stat named;
  if (flock (fd, LOCK_EX | LOCK_NB) != 0)
    return FALSE;
  return fstat (fd, &opened) == 0 && stat (path, &named) == 0 && opened.st_ino == named.st_ino
         && opened.st_dev == named.st_dev;
}

LkResultsCsv *
lk_results_csv_new (const char *path, GError **error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot create '%s': %s", path,
                 g_strerror (errno));
    return NULL;
  }
  if (!lock_file (fd, path)) {
    close (fd);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE,
                 "cannot write '%s': another run is writing its results there", path);
    return NULL;
  }
  if (ftruncate (fd, 0) != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", path,
                 g_strerror (errno));
    close (fd);
    return NULL;
  }
  LkResultsCsv *self = g_new (LkResultsCsv, 1);
  self->path = g_strdup (path);
  self->fd = fd;
  memcpy (self->buffer, header, sizeof header - 1);
  self->used_bytes = sizeof header - 1;
  return self;
}

void
lk_results_csv_free (LkResultsCsv *self)
{
  if (self == NULL)
    return;
  close (self->fd);
  g_free (self->path);
  g_free (self);
}

gboolean
lk_results_csv_flush (LkResultsCsv *self, GError **error)
{
  for (gsize done_bytes = 0; done_bytes < self->used_bytes;) {
    gssize written = write (self->fd, self->buffer + done_bytes, self->used_bytes - done_bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", self->path,
                   g_strerror (errno));
      return FALSE;
    }
    done_bytes += (gsize)written;
  }
  self->used_bytes = 0;
  return TRUE;
}

static char *
put_integer (char *out, gint64 value)
{
  out = lk_decimal_i64 (out, value);
  *out++ = ',';
  return out;
}

static char *
put_id (char *out, const LkJobRecord *record)
{
  if (record->name == NULL)
    return put_integer (out, record->job_id);
  gsize length_bytes = strlen (record->name);
  LK_ASSERT (length_bytes <= LK_JOB_NAME_MAX_BYTES);
  memcpy (out, record->name, length_bytes);
  out[length_bytes] = ',';
  return out + length_bytes + 1;
}

static char *
put_seconds (char *out, gint64 time_us)
{
  out = lk_decimal_seconds (out, time_us);
  *out++ = ',';
  return out;
}

__extension__ typedef unsigned __int128 Wide;

/* Rounded half up from the exact quotient, so that no floating point is behind any digit. */
static char *
put_slowdown (char *out, gint64 wait_us, gint64 run_us)
{
  guint64 turnaround_us = (guint64)wait_us + (guint64)run_us;
  guint64 divisor_us = (guint64)MAX (run_us, LK_METRICS_TAU_US);
  guint64 whole = 1;
  guint64 micro = 0;
  if (turnaround_us > divisor_us) {
    whole = turnaround_us / divisor_us;
    guint64 rest_us = turnaround_us % divisor_us;
    if (rest_us < G_GUINT64_CONSTANT (10000000000000))
      micro = (rest_us * 1000000 + divisor_us / 2) / divisor_us;
    else
      micro = (guint64)(((Wide)rest_us * 1000000 + divisor_us / 2) / divisor_us);
  }
  if (micro == 1000000) {
    whole++;
    micro = 0;
  }
  out = lk_decimal_u64 (out, whole);
  *out++ = '.';
  out = lk_decimal_micro (out, (guint32)micro);
  *out++ = ',';
  return out;
}

/* A name with its comma before it; in quotes when it must be. */
static char *
put_name (char *out, const char *name)
{
  const char *text = name != NULL ? name : "";
  gboolean is_quoted = strpbrk (text, ",\"\r\n") != NULL;
  LK_ASSERT (strlen (text) <= 255);
  *out++ = ',';
  if (is_quoted)
    *out++ = '"';
  for (; *text != '\0'; text++) {
    if (*text == '"')
      *out++ = '"';
    *out++ = *text;
  }
  if (is_quoted)
    *out++ = '"';
  return out;
}

gboolean
lk_results_csv_add (LkResultsCsv *self, const LkJobRecord *record, GError **error)
{
  gsize state_bytes = strlen (record->state);
  LK_ASSERT (state_bytes <= STATE_MAX_BYTES);
  if (BUFFER_BYTES - self->used_bytes < LINE_MAX_BYTES && !lk_results_csv_flush (self, error))
    return FALSE;
  gint64 wait_us = record->start_us - record->submit_us;
  gint64 run_us = record->end_us - record->start_us;
  char *out = self->buffer + self->used_bytes;
  out = put_id (out, record);
  out = put_integer (out, record->user);
  out = put_integer (out, record->group);
  out = put_integer (out, record->partition);
  out = put_integer (out, record->procs);
  out = put_seconds (out, record->submit_us);
  out = put_seconds (out, record->start_us);
  out = put_seconds (out, record->end_us);
  out = put_seconds (out, wait_us);
  out = put_seconds (out, run_us);
  out = put_seconds (out, record->estimate_us);
  out = put_slowdown (out, wait_us, run_us);
  memcpy (out, record->state, state_bytes);
  out += state_bytes;
  *out++ = ',';
  *out++ = record->backfilled ? '1' : '0';
  out = put_name (out, record->account);
  out = put_name (out, record->qos);
  *out++ = '\n';
  self->used_bytes = (gsize)(out - self->buffer);
  return TRUE;
}
