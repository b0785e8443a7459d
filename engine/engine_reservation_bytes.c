/* engine/engine_reservation_bytes.c — who asks for which advance reservation and who runs in one:
 * as bytes, and what must hold of it.
 *
 * Bytes: names of users; then, by rising job id, the job and the numbers that it asks for; then the
 * job and the moment by which it must have ended, of those that run in one. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_life.h"
#include "engine/engine_reservation.h"

/* ---------------------------------------------------------------- save */

static gint
compare_ids (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  guint32 id_a = self->jobs.id[*(const LkJobIndex *)a];
  guint32 id_b = self->jobs.id[*(const LkJobIndex *)b];
  return (id_a > id_b) - (id_a < id_b);
}

static void
save_names (const LkReservationJobs *jobs, GByteArray *out)
{
  lk_append_u32 (out, jobs->user_names->len);
  for (guint i = 0; i < jobs->user_names->len; i++) {
    const char *name = g_ptr_array_index (jobs->user_names, i);
    lk_append_u32 (out, g_array_index (jobs->user_ids, guint32, i));
    lk_append_u32 (out, (guint32)strlen (name));
    g_byte_array_append (out, (const guint8 *)name, (guint)strlen (name));
  }
}

static void
save_asks (const LkEngine *self, GByteArray *out)
{
  const LkReservationJobs *jobs = self->reservation_jobs;
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  if (jobs->askers->len > 0)
    g_array_append_vals (sorted, jobs->askers->data, jobs->askers->len);
  g_array_sort_with_data (sorted, compare_ids, (gpointer)self);
  lk_append_u32 (out, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    LkJobIndex job = g_array_index (sorted, LkJobIndex, i);
    const LkReservationAsk *ask = lk_reservation_ask (jobs, job);
    lk_append_u32 (out, self->jobs.id[job]);
    lk_append_u32 (out, ask->count);
    for (guint32 at = 0; at < ask->count; at++)
      lk_append_u32 (out, ask->numbers[at]);
  }
}

static void
save_stays (const LkEngine *self, GByteArray *out)
{
  const GArray *stays = self->reservation_jobs->stays;
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (guint i = 0; i < stays->len; i++)
    g_array_append_val (sorted, g_array_index (stays, LkReservationStay, i).job);
  g_array_sort_with_data (sorted, compare_ids, (gpointer)self);
  lk_append_u32 (out, sorted->len);
  for (guint i = 0; i < sorted->len; i++) {
    LkJobIndex job = g_array_index (sorted, LkJobIndex, i);
    guint at = 0;
    while (g_array_index (stays, LkReservationStay, at).job != job)
      at++;
    lk_append_u32 (out, self->jobs.id[job]);
    lk_append_i64 (out, g_array_index (stays, LkReservationStay, at).until_us);
  }
}

void
lk_engine_save_reservations (const LkEngine *self, GByteArray *out)
{
  save_names (self->reservation_jobs, out);
  save_asks (self, out);
  save_stays (self, out);
}

/* ---------------------------------------------------------------- load */

static gboolean
load_names (LkReservationJobs *jobs, LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    guint32 user_id = lk_take_u32 (reader);
    guint32 length_bytes = lk_take_u32 (reader);
    const guint8 *at = length_bytes <= G_MAXUINT16 ? lk_take (reader, length_bytes) : NULL;
    if (at == NULL || memchr (at, '\0', length_bytes) != NULL)
      return FALSE;
    LkText name = { (const char *)at, (guint16)length_bytes };
    lk_reservation_jobs_name (jobs, user_id, name);
    if (jobs->user_names->len != i + 1)
      return FALSE;
  }
  return !reader->failed;
}

static gboolean
load_ask (LkEngine *self, LkBytesReader *reader)
{
  LkReservationAsk ask = { 0 };
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, lk_take_u32 (reader));
  ask.count = lk_take_u32 (reader);
  if (reader->failed || job == LK_JOB_NONE || ask.count == 0
      || ask.count > LK_LIMIT_JOB_RESERVATIONS
      || lk_reservation_ask (self->reservation_jobs, job) != NULL)
    return FALSE;
  for (guint32 i = 0; i < ask.count; i++) {
    ask.numbers[i] = lk_take_u32 (reader);
    if (lk_reservations_numbered (self->reservations, ask.numbers[i]) == NULL)
      return FALSE;
  }
  lk_reservation_jobs_set (self->reservation_jobs, job, &ask);
  self->jobs.in_reservation[job] = 1;
  return !reader->failed;
}

/* Who runs in one is known from its pieces. */
static gboolean
load_stay (LkEngine *self, LkBytesReader *reader)
{
  GArray *stays = self->reservation_jobs->stays;
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, lk_take_u32 (reader));
  gint64 until_us = lk_take_i64 (reader);
  for (guint i = 0; i < stays->len && !reader->failed; i++) {
    LkReservationStay stay = g_array_index (stays, LkReservationStay, i);
    if (stay.job != job)
      continue;
    stay.until_us = until_us;
    lk_reservation_jobs_exit (self->reservation_jobs, job);
    lk_reservation_jobs_enter (self->reservation_jobs, &stay);
    return TRUE;
  }
  return FALSE;
}

gboolean
lk_engine_load_reservations (LkEngine *self, LkBytesReader *reader)
{
  if (!load_names (self->reservation_jobs, reader))
    return FALSE;
  guint32 ask_count = lk_take_u32 (reader);
  for (guint32 i = 0; i < ask_count; i++)
    if (!load_ask (self, reader))
      return FALSE;
  guint32 stay_count = lk_take_u32 (reader);
  if (reader->failed || stay_count != self->reservation_jobs->stays->len)
    return FALSE;
  for (guint32 i = 0; i < stay_count; i++)
    if (!load_stay (self, reader))
      return FALSE;
  self->reservation_jobs->turn_due = FALSE;
  return !reader->failed;
}

/* ---------------------------------------------------------------- invariants */

/* What was set aside when the job started was not for it to use.  One that has got more time since
 * may run into it. */
static void
check_place (const LkEngine *self, LkJobIndex job)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const GPtrArray *items = self->reservations->items;
  gint64 start_us = self->jobs.start_us[job];
  guint32 first_piece = self->jobs.first_piece[job];
  guint32 number = lk_piece (nodes, first_piece)->reservation;
  LkWindow window = { .nodes = nodes,
                      .now_us = start_us,
                      .from_us = start_us,
                      .to_us = lk_time_add_us (start_us, self->jobs.estimate_us[job]),
                      .reservations = self->reservations };
  if (number != 0)
    window.inside = lk_reservations_numbered (self->reservations, number);
  if (lk_engine_life (self, job)->is_extended != 0)
    return;
  for (guint at = 0; at < items->len; at++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, at);
    if (item->since_us >= start_us || item->nodes == NULL
        || !lk_reservation_blocks (item, window.inside, &window))
      continue;
    for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
      LK_ASSERT (!lk_reservation_holds (item, &window, lk_piece (nodes, i)));
  }
}

/* A job in a reservation is on its nodes, unless they have changed since. */
static void
check_stay (const LkEngine *self, const LkReservationStay *stay)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkAdvanceReservation *item = lk_reservations_numbered (self->reservations, stay->number);
  LK_ASSERT (item != NULL);
  LK_ASSERT (lk_engine_has_started (self, stay->job));
  for (guint32 i = self->jobs.first_piece[stay->job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    LK_ASSERT (lk_piece (nodes, i)->reservation == stay->number);
    LK_ASSERT (!lk_reservation_binds (item) || item->since_us >= self->jobs.start_us[stay->job]
               || lk_bits_has (item->nodes, lk_piece (nodes, i)->node));
  }
}

void
lk_engine_check_reservations (const LkEngine *self)
{
  const LkReservationJobs *jobs = self->reservation_jobs;
  guint stay_count = 0;
  lk_reservations_check (self->reservations);
  for (guint i = 0; i < jobs->askers->len; i++) {
    LkJobIndex job = g_array_index (jobs->askers, LkJobIndex, i);
    const LkReservationAsk *ask = lk_reservation_ask (jobs, job);
    LK_ASSERT (ask->place == i);
    LK_ASSERT (self->jobs.in_reservation[job] == 1);
    for (guint32 at = 0; at < ask->count; at++)
      LK_ASSERT (lk_reservations_numbered (self->reservations, ask->numbers[at]) != NULL);
  }
  for (LkJobIndex job = lk_rank_first (self->running); job != LK_JOB_NONE;
       job = lk_rank_next (self->running, job, NULL)) {
    const LkNodeTable *nodes = &self->machine->nodes;
    stay_count += lk_piece (nodes, self->jobs.first_piece[job])->reservation != 0;
    check_place (self, job);
  }
  for (guint i = 0; i < self->suspended->len; i++) {
    LkJobIndex job = g_array_index (self->suspended, LkJobIndex, i);
    stay_count +=
        lk_piece (&self->machine->nodes, self->jobs.first_piece[job])->reservation != 0 ? 1 : 0;
  }
  LK_ASSERT (stay_count == jobs->stays->len);
  for (guint i = 0; i < jobs->stays->len; i++)
    check_stay (self, &g_array_index (jobs->stays, LkReservationStay, i));
  LK_ASSERT (!jobs->turn_due);
}
