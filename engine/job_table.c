/* engine/job_table.c — see the header. */
#include "engine/job_table.h"

#include "engine/assert.h"

#define CAPACITY_MIN 64u

static void
clear_account (LkJobTable *self, LkJobIndex job)
{
#define C(type, name, wire) self->name[job] = 0;
  LK_JOB_ACCOUNT_COLUMNS (C)
#undef C
  self->association[job] = LK_INDEX_NONE;
  self->qos[job] = LK_INDEX_NONE;
  self->accrue_us[job] = LK_TIME_NEVER;
}

static void
resize (LkJobTable *self, guint32 capacity)
{
#define C(type, name, wire) self->name = g_renew (type, self->name, capacity);
  LK_JOB_COLUMNS (C)
#undef C
#define C(type, name) self->name = g_renew (type, self->name, capacity);
  LK_JOB_PLACE_COLUMNS (C)
#undef C
  self->terms = g_renew (LkTerms *, self->terms, capacity);
  self->lives = g_renew (LkLife *, self->lives, capacity);
  for (LkJobIndex job = self->capacity; job < capacity; job++) {
    clear_account (self, job);
    self->terms[job] = NULL;
    self->lives[job] = NULL;
  }
  self->capacity = capacity;
  self->columns = (LkJobColumns){
    .id = self->id,
    .user_id = self->user_id,
    .group_id = self->group_id,
    .partition_id = self->partition_id,
    .procs = self->procs,
    .units = self->units,
    .submit_us = self->submit_us,
    .estimate_us = self->estimate_us,
    .start_us = self->start_us,
    .expected_end_us = self->expected_end_us,
    .phase = self->phase,
    .association = self->association,
    .qos = self->qos,
    .partition = self->partition,
    .nice = self->nice,
    .site_factor = self->site_factor,
    .direct_priority = self->direct_priority,
    .accrue_us = self->accrue_us,
    .array_job_id = self->array_job_id,
    .array_task = self->array_task,
    .in_reservation = self->in_reservation,
  };
}

void
lk_job_table_init (LkJobTable *self)
{
  *self = (LkJobTable){ 0 };
  lk_id_map_init (&self->index_by_id);
  self->free_indices = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  resize (self, CAPACITY_MIN);
}

void
lk_job_table_clear (LkJobTable *self)
{
  for (LkJobIndex job = 0; job < self->limit; job++) {
    lk_terms_free (self->terms[job]);
    g_free (self->lives[job]);
  }
  g_free (self->terms);
  g_free (self->lives);
#define C(type, name, wire) g_free (self->name);
  LK_JOB_COLUMNS (C)
#undef C
#define C(type, name) g_free (self->name);
  LK_JOB_PLACE_COLUMNS (C)
#undef C
  lk_id_map_clear (&self->index_by_id);
  g_array_unref (self->free_indices);
  *self = (LkJobTable){ 0 };
}

static void
zero_row (LkJobTable *self, LkJobIndex job)
{
#define C(type, name, wire) self->name[job] = 0;
  LK_JOB_OWN_COLUMNS (C)
#undef C
  if (!self->is_plain)
    clear_account (self, job);
  self->request[job] = LK_JOB_NONE;
  self->first_piece[job] = LK_JOB_NONE;
  self->in_reservation[job] = 0;
}

LkJobIndex
lk_job_table_add (LkJobTable *self, guint32 id)
{
  LkJobIndex job;
  if (self->free_indices->len > 0) {
    job = g_array_index (self->free_indices, LkJobIndex, self->free_indices->len - 1);
    g_array_set_size (self->free_indices, self->free_indices->len - 1);
  } else {
    if (self->limit == self->capacity)
      resize (self, self->capacity * 2);
    job = self->limit++;
  }
  zero_row (self, job);
  self->id[job] = id;
  lk_id_map_insert (&self->index_by_id, id, job);
  self->count++;
  return job;
}

void
lk_job_table_remove (LkJobTable *self, LkJobIndex job)
{
  LK_ASSERT (job < self->limit);
  LK_ASSERT (self->phase[job] != LK_PHASE_FREE);
  lk_id_map_remove (&self->index_by_id, self->id[job]);
  self->phase[job] = LK_PHASE_FREE;
  g_clear_pointer (&self->terms[job], lk_terms_free);
  g_clear_pointer (&self->lives[job], g_free);
  g_array_append_val (self->free_indices, job);
  self->count--;
}

static gint
compare_by_id (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkJobTable *self = user;
  guint32 id_a = self->id[*(const LkJobIndex *)a];
  guint32 id_b = self->id[*(const LkJobIndex *)b];
  return (id_a > id_b) - (id_a < id_b);
}

GArray *
lk_job_table_sorted (const LkJobTable *self)
{
  GArray *jobs = g_array_sized_new (FALSE, FALSE, sizeof (LkJobIndex), self->count);
  for (LkJobIndex job = 0; job < self->limit; job++)
    if (self->phase[job] != LK_PHASE_FREE)
      g_array_append_val (jobs, job);
  g_array_sort_with_data (jobs, compare_by_id, (gpointer)self);
  return jobs;
}
