/* engine/plan.c — see the header: reservations, and what of them is the same for both machines. */
#include "engine/plan.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/engine_reservation.h"

/* ---------------------------------------------------------------- reservations by job */

static const LkReservation no_reservation = { .start_us = LK_TIME_NEVER,
                                              .first_piece = LK_PIECE_NONE };

static void
ready_for (LkPlan *self, const LkView *view)
{
  if (self->limit >= view->job_index_limit)
    return;
  guint32 limit = MAX (view->job_index_limit, self->limit + self->limit / 4);
  self->reservations = g_renew (LkReservation, self->reservations, limit);
  for (guint32 job = self->limit; job < limit; job++)
    self->reservations[job] = no_reservation;
  self->limit = limit;
}

static gint64
end_us (const LkView *view, LkJobIndex job, gint64 start_us)
{
  return lk_time_add_us (start_us, view->jobs->estimate_us[job]);
}

void
lk_plan_forget_found (LkPlan *self)
{
  if (self->found_job != LK_JOB_NONE && self->placer != NULL)
    lk_placer_discard (self->placer, self->found_piece);
  self->found_job = LK_JOB_NONE;
  self->found_piece = LK_PIECE_NONE;
  self->found_bundle = FALSE;
}

static void
unlist (LkPlan *self, LkJobIndex job)
{
  LkJobIndex *jobs = (LkJobIndex *)(gpointer)self->reserved->data;
  guint32 place = self->reservations[job].place;
  LkJobIndex last = jobs[self->reserved->len - 1];
  LK_ASSERT (jobs[place] == job);
  jobs[place] = last;
  self->reservations[last].place = place;
  g_array_set_size (self->reserved, self->reserved->len - 1);
}

static void
forget (LkPlan *self, LkJobIndex job)
{
  g_free ((gpointer)self->reservations[job].nodes.words);
  self->reservations[job] = no_reservation;
}

static void
remove_reserved (LkPlan *self, LkJobIndex job)
{
  unlist (self, job);
  forget (self, job);
}

/* ---------------------------------------------------------------- what changes */

static void
note_node_given (LkPlan *self, guint32 node)
{
  lk_ready_note (self->ready, node);
  lk_bits_add (self->given, node);
}

void
lk_plan_node_changed (LkPlan *self, guint32 node, gboolean given_back)
{
  lk_timelines_change (self->timelines, node);
  if (given_back)
    note_node_given (self, node);
}

void
lk_plan_piece_started (LkPlan *self, const LkPiece *piece, gint64 now_us)
{
  lk_timelines_start (self->timelines, piece, now_us);
}

void
lk_plan_piece_ended (LkPlan *self, const LkPiece *piece, gint64 now_us)
{
  lk_timelines_end (self->timelines, piece, now_us);
  note_node_given (self, piece->node);
}

void
lk_plan_node_back (LkPlan *self, guint32 node)
{
  lk_plan_node_changed (self, node, /* given_back= */ TRUE);
  lk_plan_gain_note_node (self, node);
}

void
lk_plan_reservations_changed (LkPlan *self)
{
  lk_plan_forget_found (self);
  lk_ready_forget (self->ready);
}

/* ---------------------------------------------------------------- licences */

static guint32
license_count (const LkRequest *request, guint32 license)
{
  guint32 count = 0;
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    if (demand->license == license)
      count += demand->count;
  }
  return count;
}

/* Licences held at a moment, but for the job's own reservation. */
static guint64
licenses_held (const LkPlan *self, const LkView *view, LkJobIndex except, guint32 license,
               gint64 at_us)
{
  const LkEngine *engine = view->engine;
  const LkMachine *machine = self->placer->machine;
  guint64 held = 0;
  for (guint i = 0; i < engine->license_jobs->len; i++) {
    LkJobIndex job = g_array_index (engine->license_jobs, LkJobIndex, i);
    if (lk_held_until_us (view->now_us, view->jobs->expected_end_us[job]) > at_us)
      held += license_count (lk_machine_request (machine, engine->jobs.request[job]), license);
  }
  for (guint i = 0; i < self->reserved->len; i++) {
    LkJobIndex job = g_array_index (self->reserved, LkJobIndex, i);
    gint64 start_us = self->reservations[job].start_us;
    if (job != except && start_us <= at_us && end_us (view, job, start_us) > at_us)
      held += license_count (lk_machine_request (machine, engine->jobs.request[job]), license);
  }
  return held;
}

static gboolean
has_license (const LkPlan *self, const LkView *view, LkJobIndex job, const LkLicenseDemand *demand,
             const LkWindow *window)
{
  gint64 from_us = window->from_us;
  guint64 total = self->placer->machine->licenses_total[demand->license];
  const LkEngine *engine = view->engine;
  guint64 count = license_count (
      lk_machine_request (self->placer->machine, engine->jobs.request[job]), demand->license);
  if (window->reservations != NULL)
    count += lk_engine_licenses_set_aside (engine, window->inside, demand->license, window);
  gint64 to_us = end_us (view, job, from_us);
  if (licenses_held (self, view, job, demand->license, from_us) + count > total)
    return FALSE;
  for (guint i = 0; i < self->reserved->len; i++) {
    LkJobIndex other = g_array_index (self->reserved, LkJobIndex, i);
    gint64 start_us = self->reservations[other].start_us;
    if (start_us != LK_TIME_NEVER && start_us > from_us && start_us < to_us
        && licenses_held (self, view, job, demand->license, start_us) + count > total)
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_plan_has_licenses (const LkPlan *self, const LkView *view, LkJobIndex job,
                      const LkWindow *window)
{
  const LkEngine *engine = view->engine;
  const LkRequest *request = lk_machine_request (self->placer->machine, engine->jobs.request[job]);
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++)
    if (!has_license (self, view, job, &g_array_index (request->licenses, LkLicenseDemand, i),
                      window))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- life */

static void *
plan_create (const LkView *view)
{
  LkPlan *self = g_new0 (LkPlan, 1);
  LkEngine *engine = (LkEngine *)(gpointer)view->engine;
  self->engine = engine;
  self->reserved = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->found_job = LK_JOB_NONE;
  self->found_piece = LK_PIECE_NONE;
  g_ptr_array_add (engine->plans, self);
  if (view->cluster == NULL) {
    self->profile = lk_profile_new (view->units_total);
    lk_profile_reset (self->profile, view->now_us);
    return self;
  }
  self->placer = &engine->placer;
  self->ready = lk_ready_new (engine->machine);
  self->failures = g_array_new (FALSE, TRUE, sizeof (LkPlanFailure));
  self->given = g_new0 (guint64, engine->machine->nodes.node_words);
  self->found_nodes = g_new0 (guint64, engine->machine->nodes.node_words);
  self->own_nodes = g_new0 (guint64, engine->machine->nodes.node_words);
  self->own_job = LK_JOB_NONE;
  self->strays = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->gain = lk_plan_gain_new ();
  lk_plan_gain_reset (self->gain);
  self->planned_first = g_new (guint32, view->cluster->node_count);
  for (guint32 node = 0; node < view->cluster->node_count; node++)
    self->planned_first[node] = LK_PIECE_NONE;
  self->timelines = lk_timelines_new (engine->machine, self->planned_first);
  return self;
}

static void
plan_destroy (void *plan)
{
  LkPlan *self = plan;
  if (self == NULL)
    return;
  lk_plan_forget_found (self);
  g_ptr_array_remove (self->engine->plans, self);
  lk_plan_slots_clear (self);
  lk_plan_gain_free (self->gain);
  for (guint32 job = 0; job < self->limit; job++)
    forget (self, job);
  if (self->strays != NULL)
    g_array_unref (self->strays);
  lk_ready_free (self->ready);
  lk_timelines_free (self->timelines);
  if (self->failures != NULL)
    g_array_unref (self->failures);
  lk_profile_free (self->profile);
  g_free (self->planned_first);
  g_free (self->given);
  g_free (self->found_nodes);
  g_free (self->own_nodes);
  g_free (self->reservations);
  g_array_unref (self->reserved);
  g_free (self);
}

static void
fill_running (LkPlan *self, const LkView *view, gboolean overdue)
{
  const LkEngine *engine = view->engine;
  for (LkJobIndex job = lk_rank_first (engine->running); job != LK_JOB_NONE;
       job = lk_rank_next (engine->running, job, NULL)) {
    gint64 end_us = view->jobs->expected_end_us[job];
    if (overdue || end_us > view->now_us)
      lk_profile_reserve (self->profile, view->now_us, lk_held_until_us (view->now_us, end_us),
                          view->jobs->units[job]);
  }
}

static void
drop (LkPlan *self, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  if (self->placer != NULL) {
    lk_plan_pieces_drop (self, job);
    lk_placer_discard (self->placer, reservation->first_piece);
  }
  remove_reserved (self, job);
}

void
lk_plan_forget_job (LkPlan *self, LkJobIndex job)
{
  if (job >= self->limit || self->reservations[job].start_us == LK_TIME_NEVER)
    return;
  LK_ASSERT (self->reservations[job].place != LK_PLAN_ASIDE);
  drop (self, job);
}

static void
reset (LkPlan *self, const LkView *view, gboolean overdue)
{
  lk_plan_forget_found (self);
  lk_plan_slots_forget (self);
  if (self->gain != NULL)
    lk_plan_gain_reset (self->gain);
  ready_for (self, view);
  while (self->reserved->len > 0)
    drop (self, g_array_index (self->reserved, LkJobIndex, self->reserved->len - 1));
  LK_ASSERT (self->aside_count == 0);
  if (self->profile == NULL)
    return;
  lk_profile_reset (self->profile, view->now_us);
  fill_running (self, view, overdue);
}

static void
plan_reset (void *plan, const LkView *view)
{
  reset (plan, view, /* overdue= */ TRUE);
}

static void
plan_resume (void *plan, const LkView *view)
{
  reset (plan, view, /* overdue= */ FALSE);
}

static void
plan_advance (void *plan, const LkView *view)
{
  LkPlan *self = plan;
  if (self->profile != NULL)
    lk_profile_advance (self->profile, view->now_us);
}

/* ---------------------------------------------------------------- search, reserve, release */

static int64_t
plan_earliest (void *plan, const LkView *view, LkJobIndex job, int64_t from_us, int64_t before_us)
{
  LkPlan *self = plan;
  ready_for (self, view);
  if (self->profile == NULL)
    return lk_plan_search (self, view, job, from_us, before_us);
  /* Where its own reservation begins there is room for it anyway. */
  gint64 own_us = self->reservations[job].start_us;
  return lk_profile_earliest_us (self->profile, view->jobs->units[job],
                                 view->jobs->estimate_us[job], from_us, MIN (before_us, own_us),
                                 own_us);
}

static int32_t
plan_may_start (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  ready_for (self, view);
  if (self->profile != NULL)
    return view->jobs->units[job] <= view->units_free;
  return lk_plan_may_start (self, view, job);
}

static void
plan_release (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  gint64 start_us = self->reservations[job].start_us;
  LK_ASSERT (start_us != LK_TIME_NEVER);
  if (self->profile != NULL && !self->reservations[job].is_hollow)
    lk_profile_release (self->profile, MAX (start_us, view->now_us), end_us (view, job, start_us),
                        view->jobs->units[job]);
  drop (self, job);
}

/* `bundle`: the nodes, when one piece stands for those of all of them. */
static void
add_reserved (LkPlan *self, LkJobIndex job, gint64 start_us, guint32 first_piece,
              const LkSlotsWords *bundle)
{
  self->reservations[job] = (LkReservation){ .start_us = start_us,
                                             .first_piece = first_piece,
                                             .is_bundle = bundle->count > 0,
                                             .nodes = *bundle,
                                             .place = self->reserved->len,
                                             .made = ++self->made_count };
  g_array_append_val (self->reserved, job);
  if (self->placer != NULL)
    lk_plan_pieces_count (self, job);
}

void
lk_plan_hide (LkPlan *self, const LkView *view, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  gint64 start_us = reservation->start_us;
  if (self->profile != NULL)
    lk_profile_release (self->profile, MAX (start_us, view->now_us), end_us (view, job, start_us),
                        view->jobs->units[job]);
  unlist (self, job);
  reservation->place = LK_PLAN_ASIDE;
  self->aside_count++;
  if (self->placer != NULL)
    lk_plan_pieces_ignore (self, job);
}

void
lk_plan_show (LkPlan *self, const LkView *view, LkJobIndex job)
{
  LkReservation *reservation = &self->reservations[job];
  gint64 start_us = reservation->start_us;
  if (self->profile != NULL)
    lk_profile_reserve (self->profile, MAX (start_us, view->now_us), end_us (view, job, start_us),
                        view->jobs->units[job]);
  reservation->place = self->reserved->len;
  g_array_append_val (self->reserved, job);
  self->aside_count--;
  if (self->placer != NULL)
    lk_plan_pieces_count (self, job);
}

void
lk_plan_drop_aside (LkPlan *self, LkJobIndex job)
{
  if (self->placer != NULL) {
    lk_plan_pieces_drop (self, job);
    lk_placer_discard (self->placer, self->reservations[job].first_piece);
  }
  forget (self, job);
  self->aside_count--;
}

static void
plan_reserve (void *plan, const LkView *view, LkJobIndex job, int64_t start_us)
{
  LkPlan *self = plan;
  guint32 first_piece = LK_PIECE_NONE;
  LkSlotsWords bundle = { 0 };
  ready_for (self, view);
  if (self->placer != NULL) {
    LK_ASSERT (self->found_job == job);
    LK_ASSERT (self->found_us == start_us);
    first_piece = self->found_piece;
    if (self->found_bundle)
      bundle = lk_plan_slots_words_of (self, self->found_nodes);
    self->found_bundle = FALSE;
    self->found_job = LK_JOB_NONE;
    self->found_piece = LK_PIECE_NONE;
  }
  if (self->reservations[job].start_us != LK_TIME_NEVER)
    plan_release (plan, view, job);
  if (self->profile != NULL)
    lk_profile_reserve (self->profile, start_us, end_us (view, job, start_us),
                        view->jobs->units[job]);
  add_reserved (self, job, start_us, first_piece, &bundle);
}

void
lk_plan_add_nodes (const LkPlan *self, LkJobIndex job, guint64 *nodes)
{
  const LkSlotsWords *known = &self->reservations[job].nodes;
  for (guint i = 0; i < known->count; i++)
    nodes[known->words[i].word] |= known->words[i].mask;
  if (known->count > 0)
    return;
  for (guint32 i = self->reservations[job].first_piece; i != LK_PIECE_NONE;
       i = lk_piece (&self->placer->machine->nodes, i)->next_of_job)
    lk_bits_add (nodes, lk_piece (&self->placer->machine->nodes, i)->node);
}

static void
plan_nodes_reserved (void *plan, const LkView *view, LkJobIndex job, uint64_t *nodes)
{
  const LkPlan *self = plan;
  (void)view;
  if (self->placer != NULL && job < self->limit
      && self->reservations[job].start_us != LK_TIME_NEVER)
    lk_plan_add_nodes (self, job, nodes);
}

/* ---------------------------------------------------------------- start and end */

static int32_t
plan_is_free (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  if (self->profile != NULL)
    return view->jobs->units[job] <= view->units_free;
  lk_plan_unbundle (self, job);
  const LkMachine *machine = self->placer->machine;
  const LkEngine *engine = view->engine;
  const LkRequest *request = lk_machine_request (machine, engine->jobs.request[job]);
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    if (license_count (request, demand->license) > machine->licenses_free[demand->license])
      return FALSE;
  }
  for (guint32 i = self->reservations[job].first_piece; i != LK_PIECE_NONE;
       i = lk_piece (&machine->nodes, i)->next_of_job)
    if (!lk_bits_has (machine->nodes.usable, lk_piece (&machine->nodes, i)->node)
        || !lk_piece_is_free (self->placer, request, lk_piece (&machine->nodes, i), view->now_us))
      return FALSE;
  return lk_engine_may_stay (engine, job, self->reservations[job].first_piece);
}

guint32
lk_plan_take (LkPlan *self, const LkView *view, LkJobIndex job)
{
  ready_for (self, view);
  if (self->placer != NULL) {
    lk_plan_unbundle (self, job);
    lk_plan_unbundle_found (self);
  }
  const LkReservation *reservation = &self->reservations[job];
  gboolean reserved = reservation->start_us != LK_TIME_NEVER;
  guint32 first_piece = reservation->first_piece;
  if (self->profile != NULL) {
    /* The units are the running job's from here. */
    if (!reserved)
      lk_profile_reserve (self->profile, view->now_us, end_us (view, job, view->now_us),
                          view->jobs->units[job]);
  } else if (reserved) {
    lk_plan_pieces_drop (self, job);
  } else {
    LK_ASSERT (self->found_job == job);
    LK_ASSERT (self->found_us == view->now_us);
    first_piece = self->found_piece;
    self->found_job = LK_JOB_NONE;
    self->found_piece = LK_PIECE_NONE;
  }
  if (reserved)
    remove_reserved (self, job);
  return first_piece;
}

static void
plan_job_ended (void *plan, const LkView *view, LkJobIndex job)
{
  LkPlan *self = plan;
  gint64 expected_us = view->jobs->expected_end_us[job];
  if (self->profile != NULL && expected_us > view->now_us)
    lk_profile_release (self->profile, view->now_us, expected_us, view->jobs->units[job]);
}

static uint32_t
plan_units_max (void *plan, const LkView *view, int64_t from_us, int64_t to_us)
{
  const LkPlan *self = plan;
  (void)view;
  return self->profile != NULL ? lk_profile_units_max (self->profile, from_us, to_us) : G_MAXUINT32;
}

static gboolean
may_share_cores (const LkMachine *machine)
{
  const GPtrArray *partitions = machine->cluster->partitions;
  for (guint i = 0; i < partitions->len; i++) {
    const LkPartitionSpec *partition = g_ptr_array_index (partitions, i);
    if (partition->oversubscribe == LK_OVERSUBSCRIBE_YES
        || partition->oversubscribe == LK_OVERSUBSCRIBE_FORCE)
      return TRUE;
  }
  return FALSE;
}

static int64_t
plan_free_for_us (void *plan, const LkView *view)
{
  LkPlan *self = plan;
  gint64 full_us = LK_TIME_NEVER;
  if (self->profile != NULL)
    full_us = lk_profile_full_us (self->profile, view->now_us);
  else if (self->strays->len == 0 && !may_share_cores (self->placer->machine))
    full_us = lk_timelines_full_us (self->timelines, view->now_us);
  return full_us == LK_TIME_NEVER ? LK_TIME_NEVER : full_us - view->now_us;
}

/* ---------------------------------------------------------------- bytes */

static void
plan_save (void *plan, const LkView *view, LkJobIndex job, LkPut put, void *sink)
{
  LkPlan *self = plan;
  const LkEngine *engine = view->engine;
  if (self->placer == NULL)
    return;
  lk_plan_unbundle (self, job);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save_pieces (engine, self->reservations[job].first_piece, bytes);
  put (sink, bytes->data, bytes->len);
}

static int64_t
plan_load (void *plan, const LkView *view, LkJobIndex job, int64_t start_us, const uint8_t *bytes,
           uint32_t byte_count)
{
  LkPlan *self = plan;
  LkEngine *engine = (LkEngine *)(gpointer)view->engine;
  const LkSlotsWords no_bundle = { 0 };
  ready_for (self, view);
  if (self->reservations[job].start_us != LK_TIME_NEVER || start_us == LK_TIME_NEVER)
    return -1;
  if (self->profile != NULL) {
    /* What is left of it, if its moment has gone by. */
    gint64 from_us = MAX (start_us, view->now_us);
    gint64 to_us = end_us (view, job, start_us);
    if (from_us < to_us
        && lk_profile_units_min (self->profile, from_us, to_us) < view->jobs->units[job])
      return -1;
    if (from_us < to_us)
      lk_profile_reserve (self->profile, from_us, to_us, view->jobs->units[job]);
    add_reserved (self, job, start_us, LK_PIECE_NONE, &no_bundle);
    return 0;
  }
  LkBytesReader reader = { bytes, byte_count, FALSE };
  guint32 first_piece = LK_PIECE_NONE;
  if (!lk_engine_load_pieces (engine, job, &reader, &first_piece) || first_piece == LK_PIECE_NONE)
    return -1;
  for (guint32 i = first_piece; i != LK_PIECE_NONE;
       i = lk_piece (&engine->machine->nodes, i)->next_of_job) {
    lk_piece (&engine->machine->nodes, i)->from_us = start_us;
    lk_piece (&engine->machine->nodes, i)->to_us = end_us (view, job, start_us);
  }
  add_reserved (self, job, start_us, first_piece, &no_bundle);
  return byte_count - (int64_t)reader.left_bytes;
}

void
lk_plan_load_hollow (LkPlan *self, const LkView *view, LkJobIndex job, gint64 start_us)
{
  const LkSlotsWords no_bundle = { 0 };
  ready_for (self, view);
  LK_ASSERT (self->profile != NULL);
  if (self->reservations[job].start_us != LK_TIME_NEVER)
    return;
  add_reserved (self, job, start_us, LK_PIECE_NONE, &no_bundle);
  self->reservations[job].is_hollow = TRUE;
}

const LkPlanOps lk_plan_ops = {
  .size = sizeof (LkPlanOps),
  .abi = LK_POLICY_ABI,
  .create = plan_create,
  .destroy = plan_destroy,
  .reset = plan_reset,
  .resume = plan_resume,
  .advance = plan_advance,
  .earliest = plan_earliest,
  .may_start = plan_may_start,
  .reserve = plan_reserve,
  .release = plan_release,
  .is_free = plan_is_free,
  .job_ended = plan_job_ended,
  .units_max = plan_units_max,
  .save = plan_save,
  .load = plan_load,
  .likeness = lk_plan_likeness,
  .size_max = lk_plan_size_max,
  .set_aside = lk_plan_set_aside,
  .put_back = lk_plan_put_back,
  .given = lk_plan_nodes_given,
  .note_given = lk_plan_note_given,
  .may_gain = lk_plan_may_gain,
  .nodes_reserved = plan_nodes_reserved,
  .offer_begin = lk_plan_gain_begin,
  .may_gain_like = lk_plan_may_gain_like,
  .is_lost = lk_plan_is_lost,
  .free_for_us = plan_free_for_us,
};
