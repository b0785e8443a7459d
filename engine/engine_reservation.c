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
#include "engine/request_text.h"
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

/* ---------------------------------------------------------------- visitors */

typedef struct {
  LkReservationVisitor visitor;
  char *account; /* owned, so is the next one */
  char *group;
  char *qos;
  GPtrArray *above; /* of borrowed names */
} Visitor;

static void
visitor_clear (Visitor *self)
{
  g_free (self->account);
  g_free (self->group);
  g_free (self->qos);
  if (self->above != NULL)
    g_ptr_array_unref (self->above);
}

/* What accounts know of the job goes before what it said itself. */
static void
fill_from_book (const LkEngine *self, LkJobIndex job, Visitor *out)
{
  const LkAccounts *accounts = self->config.accounts;
  guint32 association = self->jobs.association[job];
  guint32 qos = self->jobs.qos[job];
  if (qos != LK_INDEX_NONE) {
    const LkQosSpec *spec = g_ptr_array_index (accounts->qos, qos);
    out->visitor.qos = spec->name;
  }
  if (association == LK_INDEX_NONE)
    return;
  const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, association);
  out->visitor.user = spec->user;
  out->visitor.account = spec->account;
  out->above = g_ptr_array_new ();
  for (guint32 i = self->book->view.associations[association].parent; i != LK_INDEX_NONE;
       i = self->book->view.associations[i].parent) {
    spec = g_ptr_array_index (accounts->associations, i);
    g_ptr_array_add (out->above, spec->account);
  }
  g_ptr_array_add (out->above, NULL);
  out->visitor.accounts_above = (const char *const *)out->above->pdata;
}

static void
visitor_of (const LkEngine *self, LkJobIndex job, Visitor *out)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  LkJobRequest asked;
  guint32 procs;
  lk_request_asked (request, &asked, &procs);
  *out = (Visitor){ .account = g_strndup (asked.account.bytes, asked.account.length_bytes),
                    .group = g_strndup (asked.group.bytes, asked.group.length_bytes),
                    .qos = g_strndup (asked.qos.bytes, asked.qos.length_bytes) };
  guint32 user_id = self->jobs.user_id[job];
  out->visitor = (LkReservationVisitor){
    .user_id = user_id,
    .user = lk_reservation_jobs_name_of (self->reservation_jobs, user_id),
    .account = out->account,
    .group = out->group,
    .qos = out->qos,
    .partition = self->machine->partitions[request->partition].spec->name,
  };
  if (self->book != NULL)
    fill_from_book (self, job, out);
}

static gboolean
allows (const LkEngine *self, const LkAdvanceReservation *item, LkJobIndex job)
{
  Visitor visitor;
  visitor_of (self, job, &visitor);
  gboolean is_allowed = lk_reservation_allows (item, &visitor.visitor);
  visitor_clear (&visitor);
  return is_allowed;
}

static gboolean
admits (const LkEngine *self, const LkAdvanceReservation *item, LkJobIndex job)
{
  Visitor visitor;
  if (item->qos.names == NULL && item->partitions.names == NULL)
    return TRUE;
  visitor_of (self, job, &visitor);
  gboolean is_admitted = lk_reservation_admits (item, &visitor.visitor);
  visitor_clear (&visitor);
  return is_admitted;
}

/* ---------------------------------------------------------------- ways to run */

static void
add_choice (GArray *choices, const LkAdvanceReservation *inside, gint64 from_us, gint64 to_us)
{
  LkReservationChoice choice = { inside, from_us, to_us };
  if (from_us < to_us)
    g_array_append_val (choices, choice);
}

static gboolean
begins_before (const LkAdvanceReservation *a, const LkAdvanceReservation *b)
{
  return a->start_us != b->start_us ? a->start_us < b->start_us : a->number < b->number;
}

/* Those that attract the job, by their start: it must have ended when they do. */
static void
add_magnetic (const LkEngine *self, LkJobIndex job, GArray *choices)
{
  const GPtrArray *items = self->reservations->items;
  gint64 length_us = self->jobs.estimate_us[job];
  for (guint i = 0; self->reservations->magnetic_count > 0 && i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    gboolean is_flex = (item->flags & LK_RESERVATION_FLEX) != 0;
    gint64 last_us;
    if ((item->flags & LK_RESERVATION_MAGNETIC) == 0 || item->end_us <= self->view.now_us
        || !allows (self, item, job) || !admits (self, item, job)
        || __builtin_sub_overflow (item->end_us, length_us, &last_us))
      continue;
    add_choice (choices, item, is_flex ? G_MININT64 : item->start_us,
                is_flex ? LK_TIME_NEVER : lk_time_add_us (last_us, 1));
    for (guint at = choices->len; at > 1; at--) {
      LkReservationChoice *pair = &g_array_index (choices, LkReservationChoice, at - 2);
      LkReservationChoice before = pair[0];
      if (!begins_before (pair[1].inside, before.inside))
        break;
      pair[0] = pair[1];
      pair[1] = before;
    }
  }
}

void
lk_engine_reservation_choices (const LkEngine *self, LkJobIndex job, GArray *out_choices)
{
  const LkReservationAsk *ask = lk_reservation_ask (self->reservation_jobs, job);
  g_array_set_size (out_choices, 0);
  if (ask == NULL) {
    add_magnetic (self, job, out_choices);
    add_choice (out_choices, NULL, G_MININT64, LK_TIME_NEVER);
    return;
  }
  for (guint32 i = 0; i < ask->count; i++) {
    const LkAdvanceReservation *item =
        lk_reservations_numbered (self->reservations, ask->numbers[i]);
    gboolean is_flex = (item->flags & LK_RESERVATION_FLEX) != 0;
    if (item->end_us > self->view.now_us && admits (self, item, job))
      add_choice (out_choices, item, is_flex ? G_MININT64 : item->start_us,
                  is_flex ? LK_TIME_NEVER : item->end_us);
  }
}

static LkWindow
window_of (const LkEngine *self, LkJobIndex job, const LkAdvanceReservation *inside)
{
  gint64 now_us = self->view.now_us;
  return (LkWindow){ .nodes = &self->machine->nodes,
                     .now_us = now_us,
                     .from_us = now_us,
                     .to_us = lk_time_add_us (now_us, self->jobs.estimate_us[job]),
                     .reservations = self->reservations,
                     .inside = inside };
}

gint64
lk_engine_leave_out_reserved (const LkEngine *self, LkJobIndex job, gint64 from_us, guint64 *nodes)
{
  guint32 words = self->machine->nodes.node_words;
  gint64 next_us = LK_TIME_NEVER;
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  g_autofree guint64 *left = g_new0 (guint64, words);
  g_autofree guint64 *set = g_new (guint64, words);
  lk_engine_reservation_choices (self, job, choices);
  for (guint i = 0; i < choices->len; i++) {
    const LkReservationChoice *choice = &g_array_index (choices, LkReservationChoice, i);
    LkWindow window = window_of (self, job, choice->inside);
    if (choice->from_us > from_us)
      next_us = MIN (next_us, choice->from_us);
    if (choice->from_us > from_us || choice->to_us <= from_us)
      continue;
    window.from_us = from_us;
    window.to_us = lk_time_add_us (from_us, self->jobs.estimate_us[job]);
    memcpy (set, nodes, words * sizeof *set);
    lk_reservations_mask (&window, set);
    for (guint32 word = 0; word < words; word++)
      left[word] |= set[word];
    next_us = MIN (next_us, lk_reservations_next_us (&window));
  }
  memcpy (nodes, left, words * sizeof *left);
  return next_us;
}

gboolean
lk_engine_may_stay (const LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  if (!lk_engine_has_reservations (self))
    return TRUE;
  guint32 number = lk_piece (nodes, first_piece)->reservation;
  LkWindow window = window_of (
      self, job, number != 0 ? lk_reservations_numbered (self->reservations, number) : NULL);
  if (number != 0
      && (window.inside == NULL
          || ((window.inside->flags & LK_RESERVATION_FLEX) == 0
              && (window.now_us < window.inside->start_us
                  || window.now_us >= window.inside->end_us))))
    return FALSE;
  for (guint at = 0; at < self->reservations->items->len; at++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->reservations->items, at);
    if (!lk_reservation_blocks (item, window.inside, &window))
      continue;
    for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
      if (lk_reservation_holds (item, &window, lk_piece (nodes, i)))
        return FALSE;
  }
  return TRUE;
}

/* Licences of this kind that jobs in the reservation hold already. */
static guint32
licenses_used_in (const LkEngine *self, guint32 number, guint32 license)
{
  const GArray *stays = self->reservation_jobs->stays;
  guint32 used = 0;
  for (guint i = 0; i < stays->len; i++) {
    const LkReservationStay *stay = &g_array_index (stays, LkReservationStay, i);
    const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[stay->job]);
    if (stay->number != number || request->licenses == NULL)
      continue;
    for (guint at = 0; at < request->licenses->len; at++) {
      const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, at);
      used += demand->license == license ? demand->count : 0;
    }
  }
  return used;
}

guint64
lk_engine_licenses_set_aside (const LkEngine *self, const LkAdvanceReservation *inside,
                              guint32 license, const LkWindow *window)
{
  const GPtrArray *items = self->reservations->items;
  guint64 count = 0;
  for (guint i = 0; i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if (item->licenses == NULL || !lk_reservation_blocks (item, inside, window))
      continue;
    guint32 used = licenses_used_in (self, item->number, license);
    for (guint at = 0; at < item->licenses->len; at++) {
      const LkLicenseDemand *demand = &g_array_index (item->licenses, LkLicenseDemand, at);
      if (demand->license == license)
        count += demand->count - MIN (demand->count, used);
    }
  }
  return count;
}

/* ---------------------------------------------------------------- jobs that ask for one */

static LkReject
read_ask (const LkEngine *self, LkJobIndex job, LkText text, LkReservationAsk *out_ask)
{
  LkSpan rest = lk_span_of (text);
  LkSpan name;
  while (lk_next_part (&rest, ',', &name)) {
    const LkAdvanceReservation *item =
        self->reservations != NULL
            ? lk_reservations_find (self->reservations, name.at, name.length_bytes)
            : NULL;
    if (item == NULL || out_ask->count == LK_LIMIT_JOB_RESERVATIONS)
      return LK_REJECT_RESERVATION_UNKNOWN;
    if (!allows (self, item, job))
      return LK_REJECT_RESERVATION_DENIED;
    out_ask->numbers[out_ask->count++] = item->number;
  }
  return 0;
}

static gboolean
needs_reservation (const LkEngine *self, LkJobIndex job)
{
  guint32 qos = self->book != NULL ? self->jobs.qos[job] : LK_INDEX_NONE;
  return qos != LK_INDEX_NONE && (self->book->spec->enforce & LK_ENFORCE_QOS) != 0
         && (self->book->view.qos[qos].flags & LK_QOS_REQUIRES_RESERVATION) != 0;
}

LkReject
lk_engine_ask_reservations (LkEngine *self, LkJobIndex job, LkText user)
{
  LkText text = lk_terms_asked (self->jobs.terms[job])->reservation;
  LkReservationAsk ask = { 0 };
  if (self->reservations != NULL)
    lk_reservation_jobs_name (self->reservation_jobs, self->jobs.user_id[job], user);
  if (text.length_bytes == 0)
    return needs_reservation (self, job) ? LK_REJECT_QOS_INVALID : 0;
  LkReject reject = read_ask (self, job, text, &ask);
  if (reject != 0)
    return reject;
  lk_reservation_jobs_set (self->reservation_jobs, job, &ask);
  self->jobs.in_reservation[job] = 1;
  return 0;
}

void
lk_engine_split_reservations (LkEngine *self, LkJobIndex record, LkJobIndex job)
{
  if (self->jobs.in_reservation[record] == 0)
    return;
  LkReservationAsk ask = *lk_reservation_ask (self->reservation_jobs, record);
  lk_reservation_jobs_set (self->reservation_jobs, job, &ask);
  self->jobs.in_reservation[job] = 1;
}

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

void
lk_engine_leave_reservations (LkEngine *self, LkJobIndex job)
{
  LkReservationAsk none = { 0 };
  if (self->reservation_jobs == NULL || lk_reservation_ask (self->reservation_jobs, job) == NULL)
    return;
  lk_reservation_jobs_set (self->reservation_jobs, job, &none);
  self->jobs.in_reservation[job] = 0;
  self->reservation_jobs->turn_due = TRUE;
}

LkReason
lk_engine_reservation_keeps (const LkEngine *self, LkJobIndex job)
{
  const LkReservationAsk *ask = lk_reservation_ask (self->reservation_jobs, job);
  LK_ASSERT (ask != NULL);
  gboolean has_ended = TRUE;
  for (guint32 i = 0; i < ask->count; i++) {
    const LkAdvanceReservation *item =
        lk_reservations_numbered (self->reservations, ask->numbers[i]);
    gboolean is_flex = (item->flags & LK_RESERVATION_FLEX) != 0;
    has_ended = has_ended && item->end_us <= self->view.now_us;
    if ((is_flex || item->start_us <= self->view.now_us) && item->end_us > self->view.now_us)
      return LK_REASON_NONE;
  }
  return has_ended ? LK_REASON_RESERVATION_INVALID : LK_REASON_RESERVATION;
}

/* Is it for reservations of others that the job does not run? */
static gboolean
is_kept_from_nodes (const LkEngine *self, LkJobIndex job)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  const LkNodeTable *nodes = &self->machine->nodes;
  LkWindow window = window_of (self, job, NULL);
  g_autofree guint64 *set = g_memdup2 (request->eligible, nodes->node_words * sizeof (guint64));
  lk_reservations_mask (&window, set);
  for (guint32 word = 0; word < nodes->node_words; word++) {
    if (request->required != NULL && (request->required[word] & ~set[word]) != 0)
      return TRUE;
    set[word] &= nodes->usable[word];
  }
  return lk_bits_count (set, nodes->node_words) < request->demand.nodes_min;
}

LkReason
lk_engine_reservation_reason (const LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_reservations (self))
    return LK_REASON_NONE;
  if (self->jobs.in_reservation[job] == 0)
    return is_kept_from_nodes (self, job) ? LK_REASON_REQ_NODE_NOT_AVAIL : LK_REASON_NONE;
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  lk_engine_reservation_choices (self, job, choices);
  return choices->len == 0 ? LK_REASON_RESERVATION : LK_REASON_NONE;
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

/* What was asked becomes a reservation with nodes. */
static LkReject
make_item (LkEngine *self, const LkReservationAsked *asked, LkAdvanceReservation **out_item)
{
  LkAdvanceReservation *item = NULL;
  LkReject reject = lk_reservation_read (asked, &item);
  if (reject != 0)
    return reject;
  item->since_us = self->view.now_us;
  if ((item->flags & LK_RESERVATION_TIME_FLOAT) == 0 && item->end_us <= self->view.now_us)
    reject = LK_REJECT_TIME_INVALID;
  if (reject == 0)
    reject = lk_reservation_pick (self->reservations, item, self->view.now_us);
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
  LkReject reject = make_item (self, &asked, &item);
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
copy_item (LkAdvanceReservation *before, const LkReservationAsked *asked,
           LkAdvanceReservation **out_item)
{
  LkAdvanceReservation *item = NULL;
  LkReject reject = lk_reservation_read (asked, &item);
  if (reject != 0)
    return reject;
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
  while (g_ptr_array_index (self->reservations->items, at) != before)
    at++;
  g_ptr_array_remove_index (self->reservations->items, at);
  LkReject reject = keeps_capacity (update->changes) ? copy_item (before, &asked, &item)
                                                     : make_item (self, &asked, &item);
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
