/* sim/slurm_state/past.c — see past.h. */
#include "sim/slurm_state/past.h"

#include <string.h>

#include "engine/hostlist.h"
#include "sim/slurm_state/told.h"

#define FILE_NAME "sacct.txt"
/* Slurm begins again behind it (MaxJobId). */
#define NUMBER_MAX 0x7fffffff

typedef struct {
  LkStatePast *past;
  const LkStateFolder *folder;
  GHashTable *nodes; /* names */
  GHashTable *known; /* numbers of the jobs that run or wait */
  GStringChunk *texts;
} Reading;

/* sacct writes moments in the zone of who asked, and the reader takes them for UTC. */
static gint64
moment_of (const Reading *self, gint64 time_us)
{
  if (time_us < 0)
    return time_us;
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (time_us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) local =
      g_date_time_new (self->folder->zone, g_date_time_get_year (utc), g_date_time_get_month (utc),
                       g_date_time_get_day_of_month (utc), g_date_time_get_hour (utc),
                       g_date_time_get_minute (utc), g_date_time_get_seconds (utc));
  return local != NULL ? g_date_time_to_unix (local) * G_USEC_PER_SEC : -1;
}

static LkText
low (const Reading *self, const char *bytes, gsize length_bytes)
{
  g_autofree char *text = g_ascii_strdown (bytes != NULL ? bytes : "", (gssize)length_bytes);
  return lk_text (g_string_chunk_insert_const (self->texts, text));
}

/* ---------------------------------------------------------------- why one is left out */

/* How many names a list has, all of them nodes; 0: not so. */
static guint32
nodes_count (const Reading *self, const char *list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (list == NULL || !lk_hostlist_expand (list, strlen (list), names, NULL))
    return 0;
  for (guint i = 0; i < names->len; i++)
    if (!g_hash_table_contains (self->nodes, g_ptr_array_index (names, i)))
      return 0;
  return names->len;
}

static const char *
left_find (const Reading *self, const LkTraceRecord *record, const LkStatePastJob *past)
{
  const LkStateJob *job = &past->job;
  if (record->start_us < 0 || record->run_us < 0)
    return "left out: it has not run";
  if (record->end_us < 0)
    return "left out: its end is not known";
  if (past->end_us > self->folder->collected_us)
    return "left out: it ended after the collection";
  if (job->submit_us > job->start_us || record->end_us < record->start_us)
    return "left out: its submit, start and end are not in this order";
  if (job->node_count == 0)
    return "left out: it ran on nodes that are not known";
  if (record->user == NULL || record->procs <= 0 || record->procs > G_MAXUINT32)
    return "left out: its user or number of CPUs is not known";
  if (record->number <= 0 || record->number > NUMBER_MAX)
    return "left out: its number is none of Slurm's";
  return NULL;
}

/* ---------------------------------------------------------------- reading */

static void
job_take (const Reading *self, const LkTraceRecord *record, guint64 line_number)
{
  LkStatePastJob *past = g_new0 (LkStatePastJob, 1);
  LkStateJob *job = &past->job;
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, record->number);
  past->line_number = (guint32)MIN (line_number, G_MAXUINT32);
  past->name =
      record->name != NULL ? record->name : g_string_chunk_insert_const (self->texts, digits);
  past->number = (guint32)CLAMP (record->number, 0, NUMBER_MAX);
  job->phase = LK_STATE_JOB_OVER;
  job->id = past->number;
  job->user_id = record->user_id;
  job->group_id = record->group_id;
  job->procs = (guint32)CLAMP (record->procs, 0, G_MAXUINT32);
  job->limit_us = MAX (record->limit_us, 0);
  job->submit_us = moment_of (self, record->submit_us);
  job->start_us = moment_of (self, record->start_us);
  /* A run takes some time, so that its end stands behind its start. */
  past->end_us = MAX (moment_of (self, record->end_us), job->start_us + 1);
  job->request = record->request;
  job->request.user = low (self, record->user, record->user ? strlen (record->user) : 0);
  job->request.account =
      low (self, record->request.account.bytes, record->request.account.length_bytes);
  job->request.qos = low (self, record->request.qos.bytes, record->request.qos.length_bytes);
  job->terms.name = lk_text (record->job_name);
  job->nodes = record->node_list;
  job->node_count = nodes_count (self, record->node_list);
  past->ended = (LkEvent_job_ended){ .exit_code = record->exit_code,
                                     .signal = record->exit_signal,
                                     .cancelled = record->state == LK_RECORD_CANCELLED };
  past->left = left_find (self, record, past);
  g_ptr_array_add (self->past->jobs, past);
}

/* It runs or waits, as far as sacct or the queue knows. */
static gboolean
is_there (const Reading *self, const LkTraceRecord *record)
{
  return record->state == LK_RECORD_RUNNING || record->state == LK_RECORD_PENDING
         || (record->number > 0 && record->number <= NUMBER_MAX
             && g_hash_table_contains (self->known, GUINT_TO_POINTER (record->number)));
}

static gboolean
jobs_read (const Reading *self, GError **error)
{
  LkTraceRecord record;
  int got;
  const LkReaderOptions options = { .format = LK_FORMAT_SACCT };
  self->past->reader = lk_trace_reader_new (self->past->path, &options, error);
  if (self->past->reader == NULL)
    return FALSE;
  while ((got = lk_trace_reader_next (self->past->reader, &record, error)) == 1)
    if (!is_there (self, &record))
      job_take (self, &record, lk_trace_reader_line_number (self->past->reader));
  return got == 0;
}

gboolean
lk_state_past_read (LkStatePast *self, const LkStateFolder *folder, const GPtrArray *nodes,
                    const GArray *jobs, GStringChunk *texts, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  const Reading reading = { self, folder, names, known, texts };
  g_autofree char *path = g_build_filename (folder->path, FILE_NAME, NULL);
  *self = (LkStatePast){ .jobs = g_ptr_array_new_with_free_func (g_free) };
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_autofree char *shown = g_filename_display_name (path);
    const LkSlurmPlace place = { shown, 0 };
    const LkToldSubject subject = { &place, "", "sacct -P", "" };
    lk_told_add (folder->told, &subject, LK_SLURM_IGNORED,
                 "not collected: there is no past to draw from");
    return TRUE;
  }
  self->path = g_steal_pointer (&path);
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (names,
                      (gpointer)lk_state_record_text (g_ptr_array_index (nodes, i), "NodeName"));
  for (guint i = 0; i < jobs->len; i++)
    g_hash_table_add (known, GUINT_TO_POINTER (g_array_index (jobs, LkStateJob, i).id));
  return jobs_read (&reading, error);
}

void
lk_state_past_clear (LkStatePast *self)
{
  g_clear_pointer (&self->jobs, g_ptr_array_unref);
  g_clear_pointer (&self->reader, lk_trace_reader_free);
  g_clear_pointer (&self->path, g_free);
}

guint
lk_state_past_tell_left (const LkStatePast *self, GPtrArray *told)
{
  guint count = 0;
  for (guint i = 0; i < self->jobs->len; i++) {
    const LkStatePastJob *past = g_ptr_array_index (self->jobs, i);
    const LkSlurmPlace place = { self->path, past->line_number };
    const LkToldSubject subject = { &place, "", "JobID", past->name };
    if (past->left == NULL)
      continue;
    lk_told_add (told, &subject, LK_SLURM_IGNORED, "%s", past->left);
    count++;
  }
  return count;
}
