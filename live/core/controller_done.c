/* live/core/controller_done.c — jobs that have ended, as they are shown for MinJobAge more.
 *
 * The engine forgets a job when it ends; who asks for it shortly after still wants to hear how it
 * ended.  What is kept is its record, made at the moment of its end.  It is no state that anything
 * depends on: behind a restart only those are known whose ends the controller has read again. */
#include "engine/checked.h"
#include "live/core/controller_query.h"

/* Where jobs are remembered for ever (MinJobAge=0), or end very fast. */
#define DONE_COUNT_MAX 100000u

typedef struct {
  guint32 job_id;
  guint32 group; /* id of its array, or of its first component; else its own */
  gint64 end_us;
  guint length_bytes;
  guint8 bytes[];
} LkDoneJob;

static gint64
age_us (const LkController *self)
{
  const LkCluster *cluster = lk_engine_config (self->engine)->cluster;
  gint64 age_us = cluster != NULL ? cluster->job_age_min_us : LK_JOB_AGE_MIN_US;
  return age_us > 0 ? age_us : LK_TIME_NEVER;
}

void
lk_done_init (LkController *self)
{
  self->done = g_hash_table_new (NULL, NULL);
  g_queue_init (&self->done_by_age);
}

void
lk_done_clear (LkController *self)
{
  g_hash_table_unref (self->done);
  g_queue_clear_full (&self->done_by_age, g_free);
}

static void
drop_oldest (LkController *self)
{
  LkDoneJob *oldest = g_queue_pop_head (&self->done_by_age);
  gpointer key = GUINT_TO_POINTER (oldest->job_id);
  if (g_hash_table_lookup (self->done, key) == oldest)
    g_hash_table_remove (self->done, key);
  g_free (oldest);
}

void
lk_done_expire (LkController *self, gint64 now_us)
{
  const LkDoneJob *oldest;
  while ((oldest = g_queue_peek_head (&self->done_by_age)) != NULL
         && (self->done_by_age.length > DONE_COUNT_MAX
             || lk_time_add_us (oldest->end_us, age_us (self)) < now_us))
    drop_oldest (self);
}

void
lk_done_note (LkController *self, const LkRecord_job *job, gint64 end_us)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkRecord record = { .kind = LK_RECORD_JOB };
  record.job = *job;
  lk_record_append (&record, bytes);
  LkDoneJob *done = g_malloc (sizeof (LkDoneJob) + bytes->len);
  *done = (LkDoneJob){ .job_id = job->job_id,
                       .group = job->array_job_id != 0 ? job->array_job_id
                                : job->het_leader != 0 ? job->het_leader
                                                       : job->job_id,
                       .end_us = end_us,
                       .length_bytes = bytes->len };
  memcpy (done->bytes, bytes->data, bytes->len);
  g_hash_table_replace (self->done, GUINT_TO_POINTER (job->job_id), done);
  g_queue_push_tail (&self->done_by_age, done);
}

/* It has come back to the queue. Its record stays in the order of age until its time comes. */
void
lk_done_take_back (LkController *self, guint32 job_id)
{
  g_hash_table_remove (self->done, GUINT_TO_POINTER (job_id));
}

gboolean
lk_done_find (const LkController *self, guint32 job_id, LkRecord *out_record)
{
  const LkDoneJob *done = g_hash_table_lookup (self->done, GUINT_TO_POINTER (job_id));
  if (done == NULL)
    return FALSE;
  LkBytes left = { done->bytes, done->length_bytes };
  return lk_record_next (&left, LK_RECORD_JOB, out_record);
}

void
lk_done_ids (const LkController *self, guint32 group, GArray *ids)
{
  for (const GList *link = self->done_by_age.head; link != NULL; link = link->next) {
    const LkDoneJob *done = link->data;
    gboolean is_newest = g_hash_table_lookup (self->done, GUINT_TO_POINTER (done->job_id)) == done;
    if (is_newest && (group == 0 || done->group == group || done->job_id == group))
      g_array_append_val (ids, done->job_id);
  }
}
