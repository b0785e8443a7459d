/* engine/reservation_jobs.c — see the header. */
#include "engine/reservation_jobs.h"

#include <string.h>

#include "engine/assert.h"

LkReservationJobs *
lk_reservation_jobs_new (void)
{
  LkReservationJobs *self = g_new0 (LkReservationJobs, 1);
  self->askers = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->stays = g_array_new (FALSE, FALSE, sizeof (LkReservationStay));
  self->until_us = LK_TIME_NEVER;
  self->user_names = g_ptr_array_new_with_free_func (g_free);
  self->user_ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  lk_id_map_init (&self->name_by_user);
  return self;
}

void
lk_reservation_jobs_free (LkReservationJobs *self)
{
  if (self == NULL)
    return;
  for (guint32 job = 0; job < self->limit; job++)
    g_free (self->asks[job]);
  g_free (self->asks);
  g_array_unref (self->askers);
  g_array_unref (self->stays);
  g_ptr_array_unref (self->user_names);
  g_array_unref (self->user_ids);
  lk_id_map_clear (&self->name_by_user);
  g_free (self);
}

/* ---------------------------------------------------------------- asking */

static void
reserve_rows (LkReservationJobs *self, LkJobIndex job)
{
  if (job < self->limit)
    return;
  guint32 limit = MAX (job + 1, 2 * self->limit);
  self->asks = g_renew (LkReservationAsk *, self->asks, limit);
  memset (self->asks + self->limit, 0, (limit - self->limit) * sizeof *self->asks);
  self->limit = limit;
}

static void
forget_asker (LkReservationJobs *self, LkJobIndex job)
{
  guint32 place = self->asks[job]->place;
  LK_ASSERT (g_array_index (self->askers, LkJobIndex, place) == job);
  g_array_remove_index_fast (self->askers, place);
  if (place < self->askers->len)
    self->asks[g_array_index (self->askers, LkJobIndex, place)]->place = place;
}

void
lk_reservation_jobs_set (LkReservationJobs *self, LkJobIndex job, const LkReservationAsk *ask)
{
  LkReservationAsk *before = lk_reservation_ask (self, job);
  if (ask->count == 0) {
    if (before == NULL)
      return;
    forget_asker (self, job);
    g_clear_pointer (&self->asks[job], g_free);
    return;
  }
  reserve_rows (self, job);
  guint32 place = before != NULL ? before->place : self->askers->len;
  if (before == NULL) {
    g_array_append_val (self->askers, job);
    self->asks[job] = g_new (LkReservationAsk, 1);
  }
  *self->asks[job] = *ask;
  self->asks[job]->place = place;
}

gboolean
lk_reservation_jobs_unask (LkReservationJobs *self, LkJobIndex job, guint32 number)
{
  const LkReservationAsk *ask = lk_reservation_ask (self, job);
  LkReservationAsk left = { 0 };
  if (ask == NULL)
    return FALSE;
  for (guint32 i = 0; i < ask->count; i++)
    if (ask->numbers[i] != number)
      left.numbers[left.count++] = ask->numbers[i];
  if (left.count == ask->count)
    return FALSE;
  lk_reservation_jobs_set (self, job, &left);
  return TRUE;
}

/* ---------------------------------------------------------------- staying */

static void
find_until (LkReservationJobs *self)
{
  self->until_us = LK_TIME_NEVER;
  for (guint i = 0; i < self->stays->len; i++)
    self->until_us =
        MIN (self->until_us, g_array_index (self->stays, LkReservationStay, i).until_us);
}

void
lk_reservation_jobs_enter (LkReservationJobs *self, const LkReservationStay *stay)
{
  g_array_append_vals (self->stays, stay, 1);
  self->until_us = MIN (self->until_us, stay->until_us);
}

void
lk_reservation_jobs_exit (LkReservationJobs *self, LkJobIndex job)
{
  for (guint i = 0; i < self->stays->len; i++) {
    gint64 until_us = g_array_index (self->stays, LkReservationStay, i).until_us;
    if (g_array_index (self->stays, LkReservationStay, i).job != job)
      continue;
    g_array_remove_index_fast (self->stays, i);
    if (until_us == self->until_us)
      find_until (self);
    self->turn_due = TRUE;
    return;
  }
}

void
lk_reservation_jobs_extend (LkReservationJobs *self, guint32 number, gint64 until_us)
{
  for (guint i = 0; i < self->stays->len; i++)
    if (g_array_index (self->stays, LkReservationStay, i).number == number)
      g_array_index (self->stays, LkReservationStay, i).until_us = until_us;
  find_until (self);
}

guint32
lk_reservation_jobs_running (const LkReservationJobs *self, guint32 number)
{
  guint32 count = 0;
  for (guint i = 0; i < self->stays->len; i++)
    count += g_array_index (self->stays, LkReservationStay, i).number == number;
  return count;
}

gboolean
lk_reservation_jobs_uses (const LkReservationJobs *self, guint32 number)
{
  if (lk_reservation_jobs_running (self, number) > 0)
    return TRUE;
  for (guint i = 0; i < self->askers->len; i++) {
    const LkReservationAsk *ask = self->asks[g_array_index (self->askers, LkJobIndex, i)];
    for (guint32 at = 0; at < ask->count; at++)
      if (ask->numbers[at] == number)
        return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- names of users */

static guint32
user_key (guint32 user_id)
{
  return MIN (user_id, G_MAXUINT32 - 1) + 1;
}

void
lk_reservation_jobs_name (LkReservationJobs *self, guint32 user_id, LkText name)
{
  guint32 key = user_key (user_id);
  if (name.length_bytes == 0 || lk_id_map_find (&self->name_by_user, key) != LK_JOB_NONE)
    return;
  lk_id_map_insert (&self->name_by_user, key, self->user_names->len);
  g_array_append_val (self->user_ids, user_id);
  g_ptr_array_add (self->user_names, g_strndup (name.bytes, name.length_bytes));
}

const char *
lk_reservation_jobs_name_of (const LkReservationJobs *self, guint32 user_id)
{
  guint32 index = lk_id_map_find (&self->name_by_user, user_key (user_id));
  return index != LK_JOB_NONE ? g_ptr_array_index (self->user_names, index) : "";
}
