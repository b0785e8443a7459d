/* engine/engine_reservation.c — advance reservations come, begin, end and go, and what that does to
 * jobs.
 *
 * A job that asks for a reservation is kept out of the queue until one that it names has begun, and
 * is killed when the last moment of the one it runs in has passed (ResvOverRun).  When a
 * reservation is over, jobs that still wait for it are held (ReservationDeleted; ReservationInvalid
 * as long as others still run in it), or wait on without it (NO_HOLD_JOBS_AFTER).  Whatever changes
 * which nodes are set aside is told to plans and to the backfill policy like a change of the
 * machine.  Source: Slurm, reservations.html; slurmctld's job_test_resv, job_resv_check,
 * delete_resv. */
#include "engine/engine_reservation.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/plan.h"
#include "engine/reservation_pick.h"

/* States of a reservation decision. */
enum { STATE_INACTIVE, STATE_ACTIVE, STATE_GONE };

/* ---------------------------------------------------------------- telling */

static void
tell (LkEngine *self, const LkAdvanceReservation *item, guint8 state)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint32 node = 0; item->nodes != NULL && node < nodes->node_count; node++)
    if (lk_bits_has (item->nodes, node))
      g_ptr_array_add (names, nodes->names[node]);
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  LkDecision decision = { .kind = LK_DECISION_RESERVATION, .job = LK_JOB_NONE };
  decision.reservation.name = lk_text (item->name);
  decision.reservation.nodes = (LkLongText){ list->str, (guint32)list->len };
  decision.reservation.core_count = item->core_count;
  decision.reservation.state = state;
  lk_reservation_span (item, self->view.now_us, &decision.reservation.start_us,
                       &decision.reservation.end_us);
  lk_engine_emit (self, &decision);
}

/* Something is set aside that was not, or is no more. */
static void
capacity_changed (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  lk_reservations_changed (self->reservations);
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_reservations_changed (g_ptr_array_index (self->plans, i));
  if (backfill->machine_changed != NULL)
    backfill->machine_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
  self->changed = TRUE;
}

/* ---------------------------------------------------------------- jobs that run in one */

static gint64
last_us (const LkEngine *self, const LkAdvanceReservation *item)
{
  if ((item->flags & LK_RESERVATION_FLEX) != 0)
    return LK_TIME_NEVER;
  return lk_time_add_us (item->end_us, self->config.cluster->reservation_over_run_us);
}

void
lk_engine_enter_reservation (LkEngine *self, LkJobIndex job)
{
  guint32 first_piece = self->jobs.first_piece[job];
  guint32 number = lk_piece (&self->machine->nodes, first_piece)->reservation;
  if (number == 0)
    return;
  const LkAdvanceReservation *item = lk_reservations_numbered (self->reservations, number);
  LkReservationStay stay = { job, number, last_us (self, item) };
  lk_reservation_jobs_enter (self->reservation_jobs, &stay);
  self->reservation_jobs->turn_due = TRUE;
}

void
lk_engine_exit_reservation (LkEngine *self, LkJobIndex job)
{
  if (self->reservation_jobs->stays->len > 0)
    lk_reservation_jobs_exit (self->reservation_jobs, job);
}

/* The jobs of a list, or those for which `is_meant`, by rising id. Returns: (transfer full). */
static gint
compare_ids (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  guint32 id_a = self->jobs.id[*(const LkJobIndex *)a];
  guint32 id_b = self->jobs.id[*(const LkJobIndex *)b];
  return (id_a > id_b) - (id_a < id_b);
}

static GArray *
askers_by_id (LkEngine *self)
{
  const GArray *askers = self->reservation_jobs->askers;
  GArray *jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  if (askers->len > 0)
    g_array_append_vals (jobs, askers->data, askers->len);
  g_array_sort_with_data (jobs, compare_ids, self);
  return jobs;
}

static void
kill_overdue (LkEngine *self)
{
  const GArray *stays = self->reservation_jobs->stays;
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (guint i = 0; i < stays->len; i++) {
    const LkReservationStay *stay = &g_array_index (stays, LkReservationStay, i);
    if (stay->until_us <= self->view.now_us && self->jobs.kill_why[stay->job] == 0)
      g_array_append_val (jobs, stay->job);
  }
  g_array_sort_with_data (jobs, compare_ids, self);
  for (guint i = 0; i < jobs->len; i++)
    lk_engine_kill (self, g_array_index (jobs, LkJobIndex, i), LK_KILL_RESERVATION_ENDED);
}

/* ---------------------------------------------------------------- end of one */

/* When was a reservation last needed? */
static void
note_use (LkEngine *self)
{
  const GPtrArray *items = self->reservations->items;
  for (guint i = 0; i < items->len; i++) {
    LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if ((item->flags & LK_RESERVATION_PURGE_COMP) == 0)
      continue;
    gboolean is_used = lk_reservation_jobs_uses (self->reservation_jobs, item->number);
    if (is_used || !item->is_active)
      item->idle_us = LK_TIME_NEVER;
    else if (item->idle_us == LK_TIME_NEVER)
      item->idle_us = self->view.now_us;
  }
}

static gboolean
is_pending (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_in_line (self, job) || self->jobs.phase[job] == LK_PHASE_HELD;
}

/* Pending jobs that may begin or must wait from here on. */
static void
settle_askers (LkEngine *self)
{
  g_autoptr (GArray) jobs = askers_by_id (self);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (is_pending (self, job))
      lk_engine_settle (self, job);
  }
}

/* The job has lost its last reservation: it is held, or waits on like any other. */
static void
lose_last (LkEngine *self, LkJobIndex job, LkReason reason, gboolean hold)
{
  gboolean in_line = lk_engine_is_in_line (self, job);
  /* Its place in the queue is another one. */
  if (in_line)
    lk_engine_dequeue (self, job);
  self->jobs.in_reservation[job] = 0;
  if (in_line)
    lk_engine_enqueue (self, job);
  /* What can never run stays what it is. */
  if (hold && is_pending (self, job) && self->jobs.stuck_reason[job] == LK_REASON_NONE)
    self->jobs.stuck_reason[job] = (guint8)reason;
  if (is_pending (self, job))
    lk_engine_settle (self, job);
}

static void
release_askers (LkEngine *self, const LkAdvanceReservation *item, LkReason reason)
{
  gboolean hold = (item->flags & LK_RESERVATION_NO_HOLD_JOBS_AFTER) == 0;
  g_autoptr (GArray) jobs = askers_by_id (self);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (!lk_reservation_jobs_unask (self->reservation_jobs, job, item->number))
      continue;
    if (lk_reservation_ask (self->reservation_jobs, job) == NULL)
      lose_last (self, job, reason, hold);
    else if (is_pending (self, job))
      lk_engine_settle (self, job);
  }
}

static void
remove_item (LkEngine *self, LkAdvanceReservation *item)
{
  release_askers (self, item, LK_REASON_RESERVATION_DELETED);
  tell (self, item, STATE_GONE);
  lk_reservations_remove (self->reservations, item);
  capacity_changed (self);
}

/* FALSE: it is no more. */
static gboolean
end_item (LkEngine *self, LkAdvanceReservation *item)
{
  if ((item->flags & LK_RESERVATION_RECURS) != 0) {
    lk_reservation_advance (item, self->view.now_us);
    item->is_active = FALSE;
    item->since_us = self->view.now_us;
    lk_reservation_replace (self->reservations, item, self->view.now_us);
    capacity_changed (self);
    tell (self, item, STATE_INACTIVE);
    settle_askers (self);
    return TRUE;
  }
  if (lk_reservation_jobs_running (self->reservation_jobs, item->number) == 0) {
    remove_item (self, item);
    return FALSE;
  }
  if (item->is_active)
    release_askers (self, item, LK_REASON_RESERVATION_INVALID);
  item->is_active = FALSE;
  self->changed = TRUE;
  return TRUE;
}

static void
begin_item (LkEngine *self, LkAdvanceReservation *item)
{
  item->is_active = TRUE;
  tell (self, item, STATE_ACTIVE);
  settle_askers (self);
  self->changed = TRUE;
}

static gint64
purge_at_us (const LkAdvanceReservation *item)
{
  if ((item->flags & LK_RESERVATION_PURGE_COMP) == 0 || item->idle_us == LK_TIME_NEVER)
    return LK_TIME_NEVER;
  gint64 wait_us = item->asked.purge_us > 0 ? item->asked.purge_us : LK_RESERVATION_PURGE_US;
  return lk_time_add_us (item->idle_us, wait_us);
}

/* FALSE: it is no more. */
static gboolean
turn_item (LkEngine *self, LkAdvanceReservation *item)
{
  gint64 now_us = self->view.now_us;
  if ((item->flags & LK_RESERVATION_TIME_FLOAT) != 0)
    return TRUE;
  if (item->end_us <= now_us && !end_item (self, item))
    return FALSE;
  if (!item->is_active && item->start_us <= now_us && item->end_us > now_us)
    begin_item (self, item);
  return TRUE;
}

static void
replace_nodes (LkEngine *self, LkAdvanceReservation *item)
{
  if (item->end_us <= self->view.now_us
      || !lk_reservation_replace (self->reservations, item, self->view.now_us))
    return;
  item->since_us = self->view.now_us;
  capacity_changed (self);
  tell (self, item, item->is_active ? STATE_ACTIVE : STATE_INACTIVE);
}

void
lk_engine_turn_reservations (LkEngine *self)
{
  if (self->reservations == NULL)
    return;
  const GPtrArray *items = self->reservations->items;
  self->reservation_jobs->turn_due = FALSE;
  for (guint i = 0; i < items->len;) {
    LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if (turn_item (self, item)) {
      replace_nodes (self, item);
      i++;
    }
  }
  note_use (self);
  for (guint i = 0; i < items->len;) {
    LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if (purge_at_us (item) <= self->view.now_us)
      remove_item (self, item);
    else
      i++;
  }
  kill_overdue (self);
  self->reservation_jobs->turn_due = FALSE;
}

gboolean
lk_engine_reservations_due (const LkEngine *self)
{
  return lk_engine_has_reservations (self) && self->reservation_jobs->turn_due;
}

gint64
lk_engine_next_reservation_us (const LkEngine *self)
{
  gint64 now_us = self->view.now_us;
  gint64 next_us = LK_TIME_NEVER;
  if (!lk_engine_has_reservations (self))
    return LK_TIME_NEVER;
  const GPtrArray *items = self->reservations->items;
  for (guint i = 0; i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if ((item->flags & LK_RESERVATION_TIME_FLOAT) != 0)
      continue;
    next_us = MIN (next_us, purge_at_us (item));
    if (item->start_us > now_us)
      next_us = MIN (next_us, item->start_us);
    else if (item->end_us > now_us)
      next_us = MIN (next_us, item->end_us);
  }
  /* Those that are past it have been told to end. */
  gint64 until_us = self->reservation_jobs->until_us;
  return until_us > now_us ? MIN (next_us, until_us) : next_us;
}

/* ---------------------------------------------------------------- events */

static gboolean
name_is_good (LkText name)
{
  return name.length_bytes <= LK_RESERVATION_NAME_BYTES_MAX
         && (name.length_bytes == 0
             || (memchr (name.bytes, ',', name.length_bytes) == NULL
                 && memchr (name.bytes, '\0', name.length_bytes) == NULL));
}

/* <first account or user>_<number>, as Slurm does. */
static char *
make_name (const LkAdvanceReservation *item)
{
  const LkNameList *lists[] = { &item->accounts, &item->users, &item->groups, &item->qos,
                                &item->partitions };
  const char *base = "resv";
  for (guint i = G_N_ELEMENTS (lists); i-- > 0;)
    if (lists[i]->names != NULL)
      base = lists[i]->names[0];
  return g_strdup_printf ("%s_%u", base, item->number);
}

/* Bits of an update's changes: their places among LK_RESERVATION_FIELDS. */
#define NAMES_NODES (1u << 2)
#define COUNTS_NODES (1u << 3)

/* So long ago a start may be: Slurm's MAX_RESV_DELAY. */
#define START_PAST_MAX_US (G_GINT64_CONSTANT (600) * 1000000)

/* An old start may stay as it is. */
static gboolean
begins_too_early (const LkEngine *self, const LkReservationAsked *asked,
                  const LkAdvanceReservation *before)
{
  gboolean is_old =
      before != NULL
      && (asked->start_us == before->asked.start_us || asked->start_us == before->start_us);
  return !is_old && lk_time_add_us (asked->start_us, START_PAST_MAX_US) < self->view.now_us;
}

static gboolean
is_same_text (LkText a, LkText b)
{
  return a.length_bytes == b.length_bytes
         && (a.length_bytes == 0 || memcmp (a.bytes, b.bytes, a.length_bytes) == 0);
}

/* Accounts that there are not are refused where associations are enforced, as in Slurm
 * (_is_account_valid of slurmctld); those that an update leaves as they were may have gone. */
static LkReject
check_accounts (const LkEngine *self, const LkAdvanceReservation *item,
                const LkReservationAsked *asked, const LkAdvanceReservation *before)
{
  if (self->book == NULL || !lk_book_enforces_associations (self->book)
      || (before != NULL && is_same_text (asked->accounts, before->asked.accounts)))
    return 0;
  for (char **name = item->accounts.names; name != NULL && *name != NULL; name++)
    if (lk_accounts_find (self->book->spec, *name, "", "") == NULL)
      return LK_REJECT_ACCOUNT_INVALID;
  return 0;
}

/* What was asked becomes a reservation with nodes, in the place of `before` (NULL: a new one). */
static LkReject
make_item (LkEngine *self, const LkReservationAsked *asked, const LkAdvanceReservation *before,
           LkAdvanceReservation **out_item)
{
  LkAdvanceReservation *item = NULL;
  LkReject reject = lk_reservation_read (asked, &item);
  if (reject != 0)
    return reject;
  item->since_us = self->view.now_us;
  reject = check_accounts (self, item, asked, before);
  if (reject == 0 && (item->flags & LK_RESERVATION_TIME_FLOAT) == 0
      && (item->end_us <= self->view.now_us || begins_too_early (self, asked, before)))
    reject = LK_REJECT_TIME_INVALID;
  if (reject == 0)
    reject = lk_reservation_pick (self->reservations, item, before, self->view.now_us);
  if (reject != 0)
    lk_reservation_free (item);
  else
    *out_item = item;
  return reject;
}

static LkReject
handle_create (LkEngine *self, const LkEvent_reservation_create *create)
{
  LkAdvanceReservation *item = NULL;
  LkReservationAsked asked;
#define F(type, name, help) asked.name = create->name;
  LK_RESERVATION_FIELDS (F)
#undef F
  if (!name_is_good (create->name) || self->reservations->items->len >= LK_LIMIT_RESERVATIONS)
    return LK_REJECT_RESERVATION_BAD;
  if (create->name.length_bytes > 0
      && lk_reservations_find (self->reservations, create->name.bytes, create->name.length_bytes)
             != NULL)
    return LK_REJECT_RESERVATION_EXISTS;
  LkReject reject = make_item (self, &asked, /* before= */ NULL, &item);
  if (reject != 0)
    return reject;
  item->number = ++self->reservations->number_last;
  item->name = create->name.length_bytes > 0
                   ? g_strndup (create->name.bytes, create->name.length_bytes)
                   : make_name (item);
  if (lk_reservations_find (self->reservations, item->name, strlen (item->name)) != NULL) {
    lk_reservation_free (item);
    return LK_REJECT_RESERVATION_EXISTS;
  }
  lk_reservations_add (self->reservations, item);
  lk_engine_accept (self, LK_JOB_NONE);
  tell (self, item, STATE_INACTIVE);
  capacity_changed (self);
  return 0;
}

/* Which fields do not touch times, nodes and licences. */
static gboolean
keeps_capacity (guint32 changes)
{
  guint32 soft = 0;
  guint at = 0;
#define F(type, name, help)                                                                        \
  soft |= strcmp (#name, "users") == 0 || strcmp (#name, "accounts") == 0                          \
                  || strcmp (#name, "groups") == 0 || strcmp (#name, "qos") == 0                   \
                  || strcmp (#name, "partitions") == 0                                             \
                  || strcmp (#name, "max_start_delay_us") == 0 || strcmp (#name, "purge_us") == 0  \
              ? 1u << at                                                                           \
              : 0;                                                                                 \
  at++;
  LK_RESERVATION_FIELDS (F)
#undef F
  return (changes & ~soft) == 0;
}

/* Other words about the same times and nodes. */
static LkReject
copy_item (const LkEngine *self, LkAdvanceReservation *before, const LkReservationAsked *asked,
           LkAdvanceReservation **out_item)
{
  LkAdvanceReservation *item = NULL;
  LkReject reject = lk_reservation_read (asked, &item);
  if (reject != 0)
    return reject;
  reject = check_accounts (self, item, asked, before);
  if (reject != 0) {
    lk_reservation_free (item);
    return reject;
  }
  item->flags |= before->flags & (LK_RESERVATION_SPEC_NODES | LK_RESERVATION_ALL_NODES);
  item->start_us = before->start_us;
  item->end_us = before->end_us;
  item->since_us = before->since_us;
  item->core_count = before->core_count;
  item->has_devices = before->has_devices;
  item->nodes = g_steal_pointer (&before->nodes);
  item->cores = g_steal_pointer (&before->cores);
  item->devices = g_steal_pointer (&before->devices);
  item->licenses = g_steal_pointer (&before->licenses);
  *out_item = item;
  return 0;
}

/* The new one takes the place, the name and the number of the old one. */
static void
take_place (LkEngine *self, LkAdvanceReservation *before, LkAdvanceReservation *item, guint at)
{
  item->number = before->number;
  item->name = g_strdup (before->name);
  item->is_active = before->is_active && item->start_us <= self->view.now_us;
  item->idle_us = before->idle_us;
  g_ptr_array_insert (self->reservations->items, (gint)at, item);
  lk_reservation_free (before);
  lk_reservation_jobs_extend (self->reservation_jobs, item->number, last_us (self, item));
}

static LkReject
handle_update (LkEngine *self, const LkEvent_reservation_update *update)
{
  guint at = 0;
  guint bit = 0;
  LkAdvanceReservation *item = NULL;
  LkAdvanceReservation *before =
      lk_reservations_find (self->reservations, update->name.bytes, update->name.length_bytes);
  if (before == NULL)
    return LK_REJECT_RESERVATION_UNKNOWN;
  LkReservationAsked asked = before->asked;
  /* One that recurs goes on from where it is. */
  asked.start_us = before->start_us;
#define F(type, name, help)                                                                        \
  if ((update->changes >> bit++ & 1) != 0)                                                         \
    asked.name = update->name;
  LK_RESERVATION_FIELDS (F)
#undef F
  if (update->changes == 0 || (update->changes >> bit) != 0)
    return LK_REJECT_PRESENT_INVALID;
  /* Who asks for a number of nodes has done with those that were named. */
  if ((update->changes & COUNTS_NODES) != 0 && (update->changes & NAMES_NODES) == 0)
    asked.nodes = lk_text ("");
  while (g_ptr_array_index (self->reservations->items, at) != before)
    at++;
  g_ptr_array_remove_index (self->reservations->items, at);
  LkReject reject = keeps_capacity (update->changes) ? copy_item (self, before, &asked, &item)
                                                     : make_item (self, &asked, before, &item);
  if (reject != 0) {
    g_ptr_array_insert (self->reservations->items, (gint)at, before);
    return reject;
  }
  take_place (self, before, item, at);
  lk_engine_accept (self, LK_JOB_NONE);
  tell (self, item, item->is_active ? STATE_ACTIVE : STATE_INACTIVE);
  capacity_changed (self);
  settle_askers (self);
  return 0;
}

static LkReject
handle_delete (LkEngine *self, const LkEvent_reservation_delete *event)
{
  LkAdvanceReservation *item =
      lk_reservations_find (self->reservations, event->name.bytes, event->name.length_bytes);
  if (item == NULL)
    return LK_REJECT_RESERVATION_UNKNOWN;
  /* Also for jobs that wait for it: recorded of Slurm 26.05. */
  if (lk_reservation_jobs_uses (self->reservation_jobs, item->number))
    return LK_REJECT_RESERVATION_IN_USE;
  lk_engine_accept (self, LK_JOB_NONE);
  remove_item (self, item);
  return 0;
}

LkReject
lk_engine_reservation_event (LkEngine *self, const LkEvent *event)
{
  LkReject reject;
  if (self->reservations == NULL)
    return LK_REJECT_UNSUPPORTED;
  switch (event->kind) {
  case LK_EVENT_RESERVATION_CREATE:
    reject = handle_create (self, &event->reservation_create);
    break;
  case LK_EVENT_RESERVATION_UPDATE:
    reject = handle_update (self, &event->reservation_update);
    break;
  default:
    reject = handle_delete (self, &event->reservation_delete);
  }
  if (reject != 0)
    return reject;
  lk_engine_turn_reservations (self);
  lk_engine_ask_wake (self);
  return 0;
}
