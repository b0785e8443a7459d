/* traces/reader_swf.c — the Standard Workload Format as one format among others.
 *
 * The reader itself is traces/swf.h; a replay of a log in this format without overrides goes past
 * this to it (traces/source.c).  The request of a record is empty: the format knows processors
 * only.
 *
 * Source: Parallel Workloads Archive, definition 2.2. */
#include "traces/reader_swf.h"

#include <string.h>

#include "traces/clean.h"

/* A comment, or a line of nothing but numbers. */
static gboolean
is_mine (const char *head, gsize length_bytes)
{
  gsize i = 0;
  while (i < length_bytes && g_ascii_isspace (head[i]))
    i++;
  if (i == length_bytes || head[i] == ';')
    return TRUE;
  for (; i < length_bytes && head[i] != '\n' && head[i] != '\r'; i++)
    if (head[i] == '\0' || !strchr ("0123456789+-. \t", head[i]))
      return FALSE;
  return TRUE;
}

static gpointer
swf_open (LkReaderBase *base, GError **error)
{
  LkSwfFlags flags = base->options.lenient ? LK_SWF_LENIENT : LK_SWF_STRICT;
  LkSwfReader *swf = lk_swf_reader_new_from_input (base->input, flags, error);
  if (!swf)
    return NULL;
  LkReaderSwf *self = g_new0 (LkReaderSwf, 1);
  self->base = base;
  self->swf = swf;
  return self;
}

static void
swf_close (gpointer data)
{
  LkReaderSwf *self = data;
  lk_swf_reader_free (self->swf);
  g_free (self);
}

static LkRecordState
state_of (gint64 status)
{
  switch (status) {
  case 0:
    return LK_RECORD_FAILED;
  case 1:
    return LK_RECORD_COMPLETED;
  case 5:
    return LK_RECORD_CANCELLED;
  default:
    return LK_RECORD_UNKNOWN;
  }
}

static guint32
id_narrow (gint64 id)
{
  return id > 0 && id <= G_MAXUINT32 ? (guint32)id : 0;
}

/* `at_us` plus what came after it; -1 when one of them is unknown or the sum does not fit. */
static gint64
later_us (gint64 at_us, gint64 length_us)
{
  gint64 sum_us;
  if (at_us < 0 || length_us < 0 || __builtin_add_overflow (at_us, length_us, &sum_us))
    return -1;
  return sum_us;
}

static int
swf_next (gpointer data, LkTraceRecord *record, GError **error)
{
  LkReaderSwf *self = data;
  LkSwfJob job;
  int got = lk_swf_reader_next (self->swf, &job, error);
  if (got <= 0)
    return got;
  self->base->line_number = lk_swf_reader_line_number (self->swf);
  record->number = job.number;
  record->submit_us = job.submit_us;
  record->start_us = later_us (job.submit_us, job.wait_us);
  record->end_us = later_us (record->start_us, job.run_us);
  record->run_us = job.run_us >= 0 ? job.run_us : -1;
  record->limit_us = job.estimate_us > 0 ? job.estimate_us : -1;
  record->procs = lk_swf_job_procs (&job);
  record->state = state_of (job.status);
  record->user_id = id_narrow (job.user_id);
  record->group_id = id_narrow (job.group_id);
  record->partition_id = id_narrow (job.partition_id);
  return 1;
}

const LkReaderOps lk_reader_swf = {
  .format = LK_FORMAT_SWF,
  .is_mine = is_mine,
  .map_keys = NULL,
  .open = swf_open,
  .next = swf_next,
  .close = swf_close,
};
