/* engine/ended.c — see the header. */
#include "engine/ended.h"

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/id_map.h"

/* Of a saved job. */
#define JOB_BYTES 23u
/* Room given back at once. */
#define STALE_MIN 1024u

/* Jobs have numbers, from 0; that of jobs[first] is `base`, and it may wrap. */
struct _LkEnded {
  gint64 age_us;
  GArray *jobs; /* of LkEndedJob; those before `first` are forgotten */
  guint first;
  guint32 base;
  LkIdMap number_by_id;  /* of jobs below `mapped` */
  LkIdMap last_by_array; /* number of the task of each array that ended last, of those below it */
  guint32 mapped;        /* count of jobs from `first` that are in the maps */
};

static void
tasks_free (LkEndedTasks *tasks)
{
  if (tasks == NULL)
    return;
  lk_task_set_clear (&tasks->ended);
  lk_task_set_clear (&tasks->completed);
  g_free (tasks);
}

void
lk_ended_ask_free (LkEndedAsk *self)
{
  if (self == NULL)
    return;
  g_free (self->submit);
  g_free (self);
}

static void
job_clear (const LkEndedJob *job)
{
  tasks_free (job->tasks);
  lk_ended_ask_free (job->ask);
}

LkEnded *
lk_ended_new (gint64 age_us)
{
  LkEnded *self = g_new0 (LkEnded, 1);
  LK_ASSERT (age_us >= 0);
  self->age_us = age_us;
  self->jobs = g_array_new (FALSE, FALSE, sizeof (LkEndedJob));
  lk_id_map_init (&self->number_by_id);
  lk_id_map_init (&self->last_by_array);
  return self;
}

void
lk_ended_free (LkEnded *self)
{
  if (self == NULL)
    return;
  for (guint i = self->first; i < self->jobs->len; i++)
    job_clear (&g_array_index (self->jobs, LkEndedJob, i));
  g_array_unref (self->jobs);
  lk_id_map_clear (&self->number_by_id);
  lk_id_map_clear (&self->last_by_array);
  g_free (self);
}

static gboolean
is_over (const LkEnded *self, const LkEndedJob *job, gint64 now_us)
{
  return self->age_us > 0 && lk_time_add_us (job->end_us, self->age_us) <= now_us;
}

static guint32
array_of (const LkEndedJob *job)
{
  return job->ask != NULL ? job->ask->array_job_id : 0;
}

static void
forget_first (LkEnded *self)
{
  const LkEndedJob *job = &g_array_index (self->jobs, LkEndedJob, self->first);
  if (self->mapped > 0) {
    guint32 array_job_id = array_of (job);
    if (lk_id_map_find (&self->number_by_id, job->id) == self->base)
      lk_id_map_remove (&self->number_by_id, job->id);
    if (array_job_id != 0 && lk_id_map_find (&self->last_by_array, array_job_id) == self->base)
      lk_id_map_remove (&self->last_by_array, array_job_id);
    self->mapped--;
  }
  job_clear (job);
  self->first++;
  self->base++;
}

void
lk_ended_add (LkEnded *self, const LkEndedJob *job)
{
  while (self->first < self->jobs->len
         && is_over (self, &g_array_index (self->jobs, LkEndedJob, self->first), job->end_us))
    forget_first (self);
  if (self->first >= STALE_MIN && self->first >= self->jobs->len / 2) {
    g_array_remove_range (self->jobs, 0, self->first);
    self->first = 0;
  }
  g_array_append_vals (self->jobs, job, 1);
}

/* Returns the number that was there. */
static guint32
map_set (LkIdMap *map, guint32 id, guint32 number)
{
  guint32 before = lk_id_map_find (map, id);
  if (before != LK_JOB_NONE)
    lk_id_map_remove (map, id);
  lk_id_map_insert (map, id, number);
  return before;
}

static void
map_all (LkEnded *self)
{
  for (; self->first + self->mapped < self->jobs->len; self->mapped++) {
    const LkEndedJob *job = &g_array_index (self->jobs, LkEndedJob, self->first + self->mapped);
    guint32 number = self->base + self->mapped;
    /* The last task of an array has the id of the array, which counts. */
    map_set (&self->number_by_id, job->id, number);
    if (array_of (job) != 0)
      job->ask->before = map_set (&self->last_by_array, array_of (job), number);
  }
}

const LkEndedJob *
lk_ended_find (LkEnded *self, guint32 id, gint64 now_us)
{
  map_all (self);
  guint32 number = lk_id_map_find (&self->number_by_id, id);
  if (number == LK_JOB_NONE)
    return NULL;
  const LkEndedJob *job =
      &g_array_index (self->jobs, LkEndedJob, self->first + (number - self->base));
  return is_over (self, job, now_us) ? NULL : job;
}

void
lk_ended_tasks_of (LkEnded *self, guint32 array_job_id, gint64 now_us, GPtrArray *out_asks)
{
  map_all (self);
  guint32 number = lk_id_map_find (&self->last_by_array, array_job_id);
  /* The link of the oldest leads to one that is forgotten, or nowhere. */
  while (number != LK_JOB_NONE && number - self->base < self->mapped) {
    const LkEndedJob *job =
        &g_array_index (self->jobs, LkEndedJob, self->first + (number - self->base));
    if (is_over (self, job, now_us))
      return;
    g_ptr_array_add (out_asks, job->ask);
    number = job->ask->before;
  }
}

/* ---------------------------------------------------------------- bytes */

static void
save_ask (const LkEndedAsk *ask, GByteArray *out)
{
  lk_append_u32 (out, ask->restarts);
  lk_append_u32 (out, ask->launch_failures);
  lk_append_u32 (out, ask->array_job_id);
  lk_append_u32 (out, ask->task);
  lk_append_u32 (out, ask->submit_bytes);
  g_byte_array_append (out, ask->submit, ask->submit_bytes);
}

/* NULL: the bytes are none. */
static LkEndedAsk *
load_ask (LkBytesReader *reader, guint32 id)
{
  LkEvent event;
  LkEndedAsk ask = { .restarts = lk_take_u32 (reader), .launch_failures = lk_take_u32 (reader) };
  ask.array_job_id = lk_take_u32 (reader);
  ask.task = lk_take_u32 (reader);
  guint32 length_bytes = lk_take_u32 (reader);
  if (reader->failed || length_bytes > reader->left_bytes
      || lk_event_decode (reader->at, length_bytes, &event) != length_bytes
      || event.kind != LK_EVENT_SUBMIT || event.submit.job_id != id || ask.array_job_id > id
      || ask.task >= (ask.array_job_id != 0 ? LK_LIMIT_TASKS : 1))
    return NULL;
  ask.submit = g_memdup2 (reader->at, length_bytes);
  ask.submit_bytes = length_bytes;
  reader->at += length_bytes;
  reader->left_bytes -= length_bytes;
  return g_memdup2 (&ask, sizeof ask);
}

void
lk_ended_save (const LkEnded *self, GByteArray *out)
{
  lk_append_u32 (out, self->jobs->len - self->first);
  for (guint i = self->first; i < self->jobs->len; i++) {
    const LkEndedJob *job = &g_array_index (self->jobs, LkEndedJob, i);
    lk_append_u32 (out, job->id);
    lk_append_u8 (out, job->state);
    lk_append_i64 (out, job->start_us);
    lk_append_i64 (out, job->end_us);
    lk_append_u8 (out, job->tasks != NULL);
    if (job->tasks != NULL) {
      lk_task_set_save (&job->tasks->ended, out);
      lk_task_set_save (&job->tasks->completed, out);
      lk_append_u32 (out, job->tasks->throttle);
    }
    lk_append_u8 (out, job->ask != NULL);
    if (job->ask != NULL)
      save_ask (job->ask, out);
  }
}

static LkEndedTasks *
load_tasks (LkBytesReader *reader)
{
  LkEndedTasks *tasks = g_new0 (LkEndedTasks, 1);
  if (lk_task_set_load (reader, &tasks->ended) && lk_task_set_load (reader, &tasks->completed)
      && lk_task_set_count_common (&tasks->completed, &tasks->ended) == tasks->completed.count) {
    tasks->throttle = lk_take_u32 (reader);
    return tasks;
  }
  tasks_free (tasks);
  return NULL;
}

gboolean
lk_ended_load (LkEnded *self, LkBytesReader *reader, gint64 now_us)
{
  guint32 count = lk_take_u32 (reader);
  gint64 end_us = G_MININT64;
  if (reader->failed || count > reader->left_bytes / JOB_BYTES)
    return FALSE;
  for (guint32 i = 0; i < count; i++) {
    LkEndedJob job = { .id = lk_take_u32 (reader), .state = lk_take_u8 (reader) };
    job.start_us = lk_take_i64 (reader);
    job.end_us = lk_take_i64 (reader);
    guint8 has_tasks = lk_take_u8 (reader);
    if (has_tasks > 1 || reader->failed || job.id == 0 || job.state >= LK_JOB_STATE_LIMIT
        || job.end_us < end_us || job.end_us > now_us || job.start_us > job.end_us)
      return FALSE;
    end_us = job.end_us;
    if (has_tasks != 0 && (job.tasks = load_tasks (reader)) == NULL)
      return FALSE;
    guint8 has_ask = lk_take_u8 (reader);
    gboolean is_good =
        has_ask == 0 || (has_ask == 1 && (job.ask = load_ask (reader, job.id)) != NULL);
    g_array_append_val (self->jobs, job);
    if (!is_good)
      return FALSE;
  }
  return TRUE;
}
