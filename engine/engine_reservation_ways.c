/* engine/engine_reservation_ways.c — which jobs may run in which advance reservations, and beside
 * which.
 *
 * A job that asks for reservations runs in one of them, the first that admits it and has room; one
 * that asks for none runs in a MAGNETIC one that allows it, or in none.  Who it is, accounts know
 * before the job itself.  Source: Slurm, reservations.html; job_test_resv of slurmctld. */
#include "engine/engine_reservation.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/in_partition.h"
#include "engine/request_text.h"

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
  const LkAccounts *accounts = self->book->spec;
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
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
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
    if (request->whole_nodes && !request->shares)
      lk_reservations_mask_partial (&window, set);
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
    for (guint at = 0; at < item->licenses->len; at++) {
      const LkLicenseDemand *demand = &g_array_index (item->licenses, LkLicenseDemand, at);
      if (demand->license == license)
        count += demand->count;
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

/* Up to 22.05 a job is refused at submit that wants more nodes than its reservation has for it, if
 * that is on; behind that it waits for them to be more. */
static gboolean
lacks_nodes (const LkEngine *self, LkJobIndex job, const LkReservationAsk *ask)
{
  if (!lk_engine_is_old (self) || self->machine == NULL || ask->count != 1
      || lk_engine_partition_count (self, job) > 1)
    return FALSE;
  const LkAdvanceReservation *item = lk_reservations_numbered (self->reservations, ask->numbers[0]);
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  guint32 words = self->machine->nodes.node_words;
  guint32 count = 0;
  if (!lk_reservation_binds (item) || item->start_us > self->view.now_us)
    return FALSE;
  for (guint32 word = 0; word < words; word++)
    count += lk_bits_count_word (item->nodes[word] & request->eligible[word]);
  return count < request->demand.nodes_min;
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
  if (reject == 0 && lacks_nodes (self, job, &ask))
    reject = LK_REJECT_NODE_CONFIG;
  if (reject != 0)
    return reject;
  lk_reservation_jobs_set (self->reservation_jobs, job, &ask);
  self->jobs.in_reservation[job] = 1;
  return 0;
}

LkReject
lk_engine_check_reservation (LkEngine *self, LkJobIndex job, LkText text)
{
  LkReservationAsk ask = { 0 };
  if (text.length_bytes > 0)
    return read_ask (self, job, text, &ask);
  return needs_reservation (self, job) ? LK_REJECT_QOS_INVALID : 0;
}

void
lk_engine_change_reservation (LkEngine *self, LkJobIndex job)
{
  LkText text = lk_terms_asked (self->jobs.terms[job])->reservation;
  LkReservationAsk ask = { 0 };
  lk_engine_leave_reservations (self, job);
  if (text.length_bytes == 0 || read_ask (self, job, text, &ask) != 0)
    return;
  lk_reservation_jobs_set (self->reservation_jobs, job, &ask);
  self->jobs.in_reservation[job] = 1;
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

/* In this way, are licences free that others may not have? */
static gboolean
has_licenses_in (const LkEngine *self, LkJobIndex job, const LkAdvanceReservation *inside)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  LkWindow window = window_of (self, job, inside);
  for (guint i = 0; i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    guint64 aside = lk_engine_licenses_set_aside (self, inside, demand->license, &window);
    if (demand->count + aside > self->machine->licenses_free[demand->license])
      return FALSE;
  }
  return TRUE;
}

/* Are they free, but set aside in whatever way it could run? */
static gboolean
is_kept_from_licenses (const LkEngine *self, LkJobIndex job, const GArray *choices)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  if (request->licenses == NULL)
    return FALSE;
  for (guint i = 0; i < choices->len; i++)
    if (has_licenses_in (self, job, g_array_index (choices, LkReservationChoice, i).inside))
      return FALSE;
  return TRUE;
}

gboolean
lk_engine_licenses_kept (const LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_reservations (self)
      || lk_machine_request (self->machine, self->jobs.request[job])->licenses == NULL)
    return FALSE;
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  lk_engine_reservation_choices (self, job, choices);
  return choices->len > 0 && is_kept_from_licenses (self, job, choices);
}

static gboolean
has_all (const guint64 *set, const guint64 *some, guint32 words)
{
  for (guint32 word = 0; word < words; word++)
    if ((some[word] & ~set[word]) != 0)
      return FALSE;
  return TRUE;
}

gboolean
lk_engine_in_maintenance (const LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_reservations (self) || self->jobs.in_reservation[job] != 0)
    return FALSE;
  const LkPartition *partition = &self->machine->partitions[self->jobs.partition[job]];
  const LkWindow window = window_of (self, job, NULL);
  const GPtrArray *items = self->reservations->items;
  for (guint i = 0; i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if ((item->flags & LK_RESERVATION_MAINT) != 0 && item->nodes != NULL
        && item->start_us < window.to_us && item->end_us > window.from_us
        && has_all (item->nodes, partition->nodes, window.nodes->node_words))
      return TRUE;
  }
  return FALSE;
}

LkReason
lk_engine_reservation_reason (const LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_reservations (self))
    return LK_REASON_NONE;
  if (self->jobs.in_reservation[job] == 0 && is_kept_from_nodes (self, job))
    return LK_REASON_REQ_NODE_NOT_AVAIL;
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  lk_engine_reservation_choices (self, job, choices);
  if (choices->len == 0)
    return LK_REASON_RESERVATION;
  return is_kept_from_licenses (self, job, choices) ? LK_REASON_LICENSES : LK_REASON_NONE;
}
