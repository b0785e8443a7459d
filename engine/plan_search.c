/* engine/plan_search.c — the earliest start of a job on a machine of nodes.
 *
 * First a moment is found before which fewer nodes than the job needs can serve it, from the lower
 * bounds of engine/ready.h, which are corrected on the way.  There the placement is tried; mostly
 * it succeeds.  Where it does not (nodes free at different times, requests spread over nodes,
 * switches), the moments that follow are walked (engine/plan_walk.c).  Before all that the cores
 * that are free on all nodes together are counted: most searches that find nothing end there. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_reservation.h"
#include "engine/moments.h"
#include "engine/plan_search.h"

static LkPlanSearch
search_of (LkPlan *plan, const LkView *view, LkJobIndex job, const LkAdvanceReservation *inside,
           gint64 from_us)
{
  const LkEngine *engine = view->engine;
  return (LkPlanSearch){ plan,
                         view,
                         job,
                         lk_machine_request (plan->placer->machine, engine->jobs.request[job]),
                         view->jobs->estimate_us[job],
                         from_us,
                         inside,
                         FALSE };
}

static const LkReservationTable *
reservations_of (const LkPlanSearch *self)
{
  const LkEngine *engine = self->view->engine;
  return lk_engine_has_reservations (engine) && !self->is_beside_jobs ? engine->reservations : NULL;
}

/* What is known of one kind of search is not true of another. */
static guint32
number_of (const LkPlanSearch *self)
{
  const LkEngine *engine = self->view->engine;
  if (self->is_beside_jobs && lk_engine_has_reservations (engine))
    return G_MAXUINT32;
  return self->inside != NULL ? self->inside->number : 0;
}

static gboolean
has_reservation (const LkPlan *plan, LkJobIndex job)
{
  return job < plan->limit && plan->reservations[job].start_us != LK_TIME_NEVER;
}

LkWindow
lk_plan_window (const LkPlanSearch *self, gint64 from_us, gint64 duration_us)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  const guint64 *own = lk_plan_own_nodes (self->plan, self->job);
  return (LkWindow){ .nodes = nodes,
                     .reservations = reservations_of (self),
                     .inside = self->inside,
                     .planned_first = self->plan->planned_first,
                     .timelines = self->plan->timelines,
                     .now_us = self->view->now_us,
                     .from_us = from_us,
                     .to_us = lk_time_add_us (from_us, duration_us),
                     .except = own != NULL ? self->job : LK_JOB_NONE,
                     .except_nodes = own,
                     .user_id = self->view->jobs->user_id[self->job],
                     .sharing_jobs = self->request->sharing_jobs,
                     .tier = self->request->tier,
                     .partition = self->request->partition,
                     .own_rows = self->request->own_rows,
                     .shares = self->request->shares,
                     .whole_user = self->request->whole_user };
}

/* ---------------------------------------------------------------- one node */

gboolean
lk_plan_node_serves (const LkPlanSearch *self, guint32 node, gint64 at_us, gint64 duration_us,
                     LkOffer *out_offer)
{
  LkNodeFree free;
  LkWindow window = lk_plan_window (self, at_us, duration_us);
  window.any_user = TRUE;
  lk_window_node (&window, node, &free);
  return lk_offer_make (self->plan->placer->machine, self->request, node, &free, out_offer)
         && lk_request_has_floor (self->request, out_offer);
}

/* The next moment behind `after_us` at which something on the node ends. */
static gint64
next_end_us (const LkPlanSearch *self, guint32 node, gint64 after_us)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  gint64 next_us = LK_TIME_NEVER;
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    gint64 end_us = lk_held_until_us (self->view->now_us, lk_piece (nodes, i)->to_us);
    if (end_us > after_us)
      next_us = MIN (next_us, end_us);
  }
  for (guint32 i = self->plan->planned_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (piece->to_us > after_us && piece->job != self->job)
      next_us = MIN (next_us, piece->to_us);
  }
  LkWindow window = lk_plan_window (self, after_us, self->duration_us);
  if (window.reservations != NULL)
    next_us = MIN (next_us, lk_reservations_next_end_us (&window, node, after_us));
  return next_us;
}

/* Is there a reservation of the job in what is known of this node? */
static gboolean
owns_on (const LkPlanSearch *self, guint32 node)
{
  const guint64 *own = lk_plan_own_nodes (self->plan, self->job);
  return own != NULL && lk_bits_has (own, node)
         && !lk_timelines_hides (self->plan->timelines, self->job, node);
}

/* Its own reservation does not hold a job up: it is hidden during a search. */
static void
hide_own (const LkPlanSearch *self)
{
  if (has_reservation (self->plan, self->job) && !self->request->shares
      && self->plan->reservations[self->job].is_listed)
    lk_timelines_hide (self->plan->timelines, self->plan->reservations[self->job].first_piece,
                       self->view->now_us);
}

static void
show_own (const LkPlanSearch *self)
{
  if (has_reservation (self->plan, self->job) && !self->request->shares
      && self->plan->reservations[self->job].is_listed)
    lk_timelines_show (self->plan->timelines, self->plan->reservations[self->job].first_piece);
}

/* The same where nothing, or whole nodes only, are set aside: looks for a moment beside jobs, then
 * for one beside reservations behind it, in turn. */
static gint64
ready_beside_us (const LkPlanSearch *self, guint32 node, gint64 from_us, gint64 before_us,
                 gint64 duration_us)
{
  LkWindow window = lk_plan_window (self, from_us, duration_us);
  gint64 at_us = from_us;
  for (;;) {
    LkTimelineSearch search = { self->request, self->view->now_us, at_us, before_us, duration_us };
    at_us = lk_timelines_ready_us (self->plan->timelines, &search, node);
    if (window.reservations == NULL || at_us >= before_us)
      return at_us;
    window.from_us = at_us;
    window.to_us = lk_time_add_us (at_us, duration_us);
    gint64 clear_us = lk_reservations_clear_us (&window, node);
    if (clear_us == at_us || clear_us >= before_us)
      return clear_us;
    at_us = clear_us;
  }
}

/* Are parts of this node set aside? */
static gboolean
is_partial (const LkPlanSearch *self, guint32 node)
{
  const LkReservationTable *reservations = reservations_of (self);
  return reservations != NULL && lk_bits_has (reservations->partial, node);
}

/* When the node can serve the job, not before `from_us`; gives up at `before_us` and then returns a
 * moment that is not later than the truth and not before `before_us`. */
static gint64
node_ready_us (const LkPlanSearch *self, guint32 node, gint64 from_us, gint64 before_us,
               gint64 duration_us)
{
  LkOffer offer;
  gint64 at_us = from_us;
  if (!self->request->shares && !owns_on (self, node) && !is_partial (self, node))
    return ready_beside_us (self, node, from_us, before_us, duration_us);
  while (at_us < before_us && !lk_plan_node_serves (self, node, at_us, duration_us, &offer))
    at_us = next_end_us (self, node, at_us);
  return at_us;
}

/* ---------------------------------------------------------------- lower bound over nodes */

/* A node whose true moment is known, and the bound to put back. */
typedef struct {
  guint32 node;
  gint64 bound_us;
  gint64 at_us;
} Visited;

/* Sets what is known of the nodes on which the job itself has a reservation back: its own does not
 * hold it up. */
static void
forget_own (const LkPlanSearch *self, LkReadyClass *class)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  if (!has_reservation (self->plan, self->job))
    return;
  for (guint32 i = self->plan->reservations[self->job].first_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    if (lk_bits_has (self->request->eligible, lk_piece (nodes, i)->node))
      lk_ready_set (self->plan->ready, class, lk_piece (nodes, i)->node, G_MININT64);
}

/* The nodes that could serve the job at `at_us`: those seen to, and those not looked at. */
static void
collect_serving (const LkPlanSearch *self, const LkReadyClass *class, const GArray *visited,
                 gint64 at_us, guint64 *set)
{
  lk_ready_collect (self->plan->ready, class, at_us, set);
  for (guint i = 0; i < visited->len; i++) {
    const Visited *seen = &g_array_index (visited, Visited, i);
    if (seen->at_us > at_us)
      lk_bits_remove (set, seen->node);
  }
}

/* A moment in [from, before) before which fewer than nodes_min nodes can serve the job, or never.
 * `set` (may be NULL), empty, gets the nodes that could serve it then. */
static gint64
enough_nodes_us (const LkPlanSearch *self, LkReadyClass *class, gint64 from_us, gint64 before_us,
                 guint64 *set)
{
  const LkReadyIndex *ready = self->plan->ready;
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  guint32 count = self->request->demand.nodes_min;
  LK_ASSERT (count <= nodes->node_count); /* else it can never run, and is not looked for */
  g_autoptr (GArray) least = g_array_sized_new (FALSE, FALSE, sizeof (gint64), count);
  g_autoptr (GArray) visited = g_array_new (FALSE, FALSE, sizeof (Visited));
  gint64 limit_us = before_us;
  for (guint32 node = lk_ready_first (ready, class); node != LK_NODE_NONE;
       node = lk_ready_first (ready, class)) {
    gint64 bound_us = class->node_us[node];
    gint64 start_us = MAX (bound_us, self->view->now_us);
    gint64 floor_us = from_us;
    if (MAX (bound_us, from_us) >= limit_us)
      break;
    /* What is found when the search begins later says nothing of the time before. */
    if (from_us <= start_us) {
      floor_us = node_ready_us (self, node, start_us, limit_us, class->duration_us);
      if (floor_us > start_us) {
        lk_ready_set (ready, class, node, floor_us);
        continue;
      }
      bound_us = floor_us;
    }
    Visited seen = { node, bound_us, LK_TIME_NEVER };
    lk_ready_set (ready, class, node, LK_TIME_NEVER);
    if (from_us <= start_us && class->duration_us == self->duration_us
        && lk_bits_has (nodes->usable, node))
      seen.at_us = floor_us;
    else if (lk_bits_has (nodes->usable, node))
      seen.at_us = node_ready_us (self, node, floor_us, limit_us, self->duration_us);
    g_array_append_val (visited, seen);
    if (seen.at_us == LK_TIME_NEVER)
      continue;
    gint64 at_us = seen.at_us;
    lk_moments_add (least, count, at_us);
    if (least->len == count)
      limit_us = MIN (limit_us, g_array_index (least, gint64, 0));
  }
  for (guint i = 0; i < visited->len; i++) {
    const Visited *seen = &g_array_index (visited, Visited, i);
    lk_ready_set (ready, class, seen->node, seen->bound_us);
  }
  if (least->len < count || limit_us >= before_us)
    return LK_TIME_NEVER;
  if (set != NULL)
    collect_serving (self, class, visited, limit_us, set);
  return limit_us;
}

const guint64 *
lk_plan_offered (const LkRequest *request, const guint64 *serving)
{
  gboolean is_raised =
      request->cpus_node_floor > request->demand.cpus_per_node_min || request->gpus_node_floor > 1;
  return is_raised ? NULL : serving;
}

gboolean
lk_plan_try_at (const LkPlanSearch *self, gint64 at_us, const guint64 *among, gboolean is_idle)
{
  LkPlan *plan = self->plan;
  LkPlacer *placer = plan->placer;
  LkWindow window = lk_plan_window (self, at_us, self->duration_us);
  gboolean switches = at_us < lk_time_add_us (self->view->jobs->submit_us[self->job],
                                              self->request->switches_wait_us);
  lk_plan_forget_found (plan);
  if (!self->is_beside_jobs && !lk_plan_has_licenses (plan, self->view, self->job, &window))
    return FALSE;
  placer->among = among;
  window.idle = is_idle && among != NULL;
  if (!window.idle)
    lk_plan_pieces_settle (plan);
  placer->may_bundle = window.idle;
  placer->is_bundle = FALSE;
  guint32 first = lk_placer_place (placer, self->request, self->job, &window, switches);
  placer->among = NULL;
  placer->may_bundle = FALSE;
  if (first == LK_PIECE_NONE)
    return FALSE;
  plan->found_job = self->job;
  plan->found_us = at_us;
  plan->found_piece = first;
  plan->found_bundle = placer->is_bundle;
  if (placer->is_bundle) {
    guint64 *nodes = plan->found_nodes;
    plan->found_nodes = placer->chosen;
    placer->chosen = nodes;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the search */

#define ROUND_MAX 1000

/* The moment from which on as many nodes as the job needs serve it together: each round goes to the
 * first moment at which that is possible, as far as the moment before tells. */
static gint64
together_us (const LkPlanSearch *self, LkReadyClass *class, gint64 from_us, gint64 before_us,
             guint64 *set)
{
  gint64 at_us = from_us;
  gsize set_bytes = self->plan->placer->machine->nodes.node_words * sizeof (guint64);
  for (guint round = 0; round < ROUND_MAX && at_us < before_us; round++) {
    memset (set, 0, set_bytes);
    gint64 next_us = enough_nodes_us (self, class, at_us, before_us, set);
    if (next_us == at_us)
      break;
    at_us = next_us;
  }
  return at_us;
}

/* ---------------------------------------------------------------- what is known to fail */

static LkPlanFailure *
failure_of (LkPlan *self, guint32 request)
{
  if (request >= self->failures->len)
    g_array_set_size (self->failures, request + 64);
  return &g_array_index (self->failures, LkPlanFailure, request);
}

static gboolean
is_known_to_fail (LkPlan *self, const LkPlanSearch *search, guint32 index)
{
  const LkPlanFailure *failure = failure_of (self, index);
  /* What is set aside gives room, though nothing is noted before it is looked for. */
  return self->hidden_count == 0 && failure->serial == search->request->serial
         && failure->inside == number_of (search) && failure->now_us == search->view->now_us
         && failure->version == lk_ready_version (self->ready)
         && search->duration_us >= failure->duration_us;
}

static void
remember_failure (LkPlan *self, const LkPlanSearch *search, guint32 index)
{
  *failure_of (self, index) = (LkPlanFailure){ .serial = search->request->serial,
                                               .inside = number_of (search),
                                               .version = lk_ready_version (self->ready),
                                               .now_us = search->view->now_us,
                                               .duration_us = search->duration_us };
}

/* Would another job with the same request and no shorter time fail as well? */
static gboolean
fails_for_all (const LkPlanSearch *search)
{
  const LkMachine *machine = search->plan->placer->machine;
  return search->request->demand.switches_max == 0 && !search->request->whole_user
         && machine->nodes.user_piece_count == 0 && search->plan->user_piece_count == 0;
}

static gint64
search_moment (LkPlanSearch *search, LkReadyClass *class, guint32 index)
{
  LkPlan *self = search->plan;
  gint64 now_us = search->view->now_us;
  g_autofree guint64 *among = g_new0 (guint64, self->placer->machine->nodes.node_words);
  if (enough_nodes_us (search, class, now_us, now_us + 1, among) == LK_TIME_NEVER) {
    remember_failure (self, search, index);
    return LK_TIME_NEVER;
  }
  if (lk_plan_try_at (search, now_us, lk_plan_offered (search->request, among),
                      /* is_idle= */ FALSE))
    return now_us;
  if (fails_for_all (search))
    remember_failure (self, search, index);
  return LK_TIME_NEVER;
}

static gboolean
may_start_in (LkPlanSearch search)
{
  LkPlan *self = search.plan;
  const LkView *view = search.view;
  const LkEngine *engine = view->engine;
  guint32 index = engine->jobs.request[search.job];
  if (is_known_to_fail (self, &search, index))
    return FALSE;
  lk_plan_pieces_settle (self);
  LkReadyClass *class =
      lk_ready_class (self->ready, index, search.duration_us, number_of (&search));
  if (enough_nodes_us (&search, class, view->now_us, view->now_us + 1, NULL) != LK_TIME_NEVER)
    return TRUE;
  remember_failure (self, &search, index);
  return FALSE;
}

/* For a job that takes nodes whole. */
static gint64
search_slots (const LkPlanSearch *search, gint64 before_us)
{
  LkPlan *self = search->plan;
  gint64 at_us = lk_plan_slots_us (self, search->view, search->job, search->from_us, before_us);
  if (at_us == LK_TIME_NEVER)
    return LK_TIME_NEVER;
  if (lk_plan_try_at (search, at_us, lk_plan_offered (search->request, self->slots_set),
                      /* is_idle= */ TRUE))
    return at_us;
  return lk_plan_walk (search, at_us, before_us);
}

/* By what is known of each node; there is no start before `from_us`. */
static gint64
search_nodes (const LkPlanSearch *search, LkReadyClass *class, gint64 from_us, gint64 before_us)
{
  const LkRequest *request = search->request;
  g_autofree guint64 *among = g_new0 (guint64, search->plan->placer->machine->nodes.node_words);
  gint64 at_us = enough_nodes_us (search, class, from_us, before_us, among);
  if (at_us == LK_TIME_NEVER)
    return LK_TIME_NEVER;
  if (lk_plan_is_even (request)) {
    if (request->demand.nodes_min > 1)
      at_us = together_us (search, class, at_us, before_us, among);
    if (at_us == LK_TIME_NEVER)
      return LK_TIME_NEVER;
    if (lk_plan_try_at (search, at_us, lk_plan_offered (request, among), /* is_idle= */ FALSE))
      return at_us;
  }
  return lk_plan_walk (search, at_us, before_us);
}

/* In one of the ways in which the job may run. */
static gint64
search_in (LkPlanSearch search, gint64 before_us)
{
  LkPlan *self = search.plan;
  const LkView *view = search.view;
  const LkEngine *engine = view->engine;
  guint32 index = engine->jobs.request[search.job];
  gint64 from_us = search.from_us;
  gboolean only_now = from_us == view->now_us && before_us == from_us + 1;
  lk_plan_forget_found (self);
  /* What made another one fail may be this job's own reservation. */
  if (only_now && !has_reservation (self, search.job) && is_known_to_fail (self, &search, index))
    return LK_TIME_NEVER;
  gboolean asks_slots = !only_now || self->strays->len > 0;
  if (asks_slots && lk_plan_is_even (search.request)
      && lk_plan_slots_serve (self, view, search.request))
    return search_slots (&search, before_us);
  lk_plan_pieces_settle (self);
  from_us = lk_plan_enough_us (&search, from_us, before_us);
  if (from_us == LK_TIME_NEVER) {
    if (only_now)
      remember_failure (self, &search, index);
    return LK_TIME_NEVER;
  }
  LkReadyClass *class =
      lk_ready_class (self->ready, index, search.duration_us, number_of (&search));
  hide_own (&search);
  forget_own (&search, class);
  gint64 at_us = only_now ? search_moment (&search, class, index)
                          : search_nodes (&search, class, from_us, before_us);
  show_own (&search);
  return at_us;
}

/* ---------------------------------------------------------------- ways to run */

/* What floats has moved since the last search, and moments kept are no bounds any more. */
static void
follow_floating (LkPlan *self, const LkView *view)
{
  const LkEngine *engine = view->engine;
  if (engine->reservations->float_count == 0 || self->floating_us == view->now_us)
    return;
  lk_ready_forget (self->ready);
  self->floating_us = view->now_us;
}

/* The earliest of all ways, the first of those that are equal. */
static gint64
search_choices (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us, gint64 before_us)
{
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  gint64 best_us = LK_TIME_NEVER;
  guint32 best_piece = LK_PIECE_NONE;
  lk_engine_reservation_choices (view->engine, job, choices);
  for (guint i = 0; i < choices->len; i++) {
    const LkReservationChoice *choice = &g_array_index (choices, LkReservationChoice, i);
    gint64 first_us = MAX (from_us, choice->from_us);
    gint64 last_us = MIN (MIN (before_us, choice->to_us), best_us);
    if (first_us >= last_us)
      continue;
    gint64 at_us = search_in (search_of (self, view, job, choice->inside, first_us), last_us);
    if (at_us == LK_TIME_NEVER)
      continue;
    lk_placer_discard (self->placer, best_piece);
    best_us = at_us;
    best_piece = self->found_piece;
    self->found_job = LK_JOB_NONE;
    self->found_piece = LK_PIECE_NONE;
  }
  lk_plan_forget_found (self);
  if (best_us == LK_TIME_NEVER)
    return LK_TIME_NEVER;
  self->found_job = job;
  self->found_us = best_us;
  self->found_piece = best_piece;
  return best_us;
}

gint64
lk_plan_search (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us, gint64 before_us)
{
  if (!lk_engine_has_reservations (view->engine))
    return search_in (search_of (self, view, job, NULL, from_us), before_us);
  follow_floating (self, view);
  return search_choices (self, view, job, from_us, before_us);
}

gboolean
lk_plan_may_start (LkPlan *self, const LkView *view, LkJobIndex job)
{
  if (!lk_engine_has_reservations (view->engine))
    return may_start_in (search_of (self, view, job, NULL, view->now_us));
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  follow_floating (self, view);
  lk_engine_reservation_choices (view->engine, job, choices);
  for (guint i = 0; i < choices->len; i++) {
    const LkReservationChoice *choice = &g_array_index (choices, LkReservationChoice, i);
    if (choice->from_us <= view->now_us && choice->to_us > view->now_us
        && may_start_in (search_of (self, view, job, choice->inside, view->now_us)))
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_plan_try (LkPlan *self, const LkView *view, LkJobIndex job, gint64 at_us, const guint64 *among)
{
  if (!lk_engine_has_reservations (view->engine)) {
    LkPlanSearch search = search_of (self, view, job, NULL, at_us);
    return lk_plan_try_at (&search, at_us, among, /* is_idle= */ FALSE);
  }
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  lk_engine_reservation_choices (view->engine, job, choices);
  for (guint i = 0; i < choices->len; i++) {
    const LkReservationChoice *choice = &g_array_index (choices, LkReservationChoice, i);
    LkPlanSearch search = search_of (self, view, job, choice->inside, at_us);
    if (choice->from_us <= at_us && choice->to_us > at_us
        && lk_plan_try_at (&search, at_us, among, /* is_idle= */ FALSE))
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_plan_may_start_beside_jobs (LkPlan *self, const LkView *view, LkJobIndex job)
{
  LkPlanSearch search = search_of (self, view, job, NULL, view->now_us);
  search.is_beside_jobs = TRUE;
  return may_start_in (search);
}

gboolean
lk_plan_try_beside_jobs (LkPlan *self, const LkView *view, LkJobIndex job, gint64 at_us,
                         const guint64 *among)
{
  LkPlanSearch search = search_of (self, view, job, NULL, at_us);
  search.is_beside_jobs = TRUE;
  return lk_plan_try_at (&search, at_us, among, /* is_idle= */ FALSE);
}

/* ---------------------------------------------------------------- what was given back */

/* Is a node that cannot serve the request, alone or as one of several, never of use to it?  Too
 * poor ones that only compete in Slurm's choice are none. */
static gboolean
is_bound_to_nodes (const LkRequest *request)
{
  return request->licenses == NULL && request->required == NULL
         && request->constraint.counts == NULL && request->demand.switches_max == 0
         && (request->demand.flags & LK_DEMAND_CONTIGUOUS) == 0
         && (lk_plan_is_even (request) || lk_plan_offered (request, request->eligible) != NULL);
}

/* Could any of these nodes, or of those given, serve the job, before a moment? */
static gboolean
gains_on_any (const LkPlanSearch *self, const guint64 *nodes, gint64 before_us)
{
  const LkNodeTable *table = &self->plan->placer->machine->nodes;
  const guint64 *given = self->plan->given;
  for (guint32 word = 0; word < table->node_words; word++)
    for (guint64 rest =
             (nodes[word] | given[word]) & self->request->eligible[word] & table->usable[word];
         rest != 0; rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      if (node_ready_us (self, node, self->from_us, before_us, self->duration_us) < before_us)
        return TRUE;
    }
  return FALSE;
}

int32_t
lk_plan_may_gain (void *plan, const LkView *view, LkJobIndex job, const uint64_t *nodes,
                  int64_t from_us, int64_t before_us)
{
  LkPlan *self = plan;
  if (self->placer == NULL)
    return 1;
  const LkEngine *engine = view->engine;
  const LkRequest *request = lk_machine_request (self->placer->machine, engine->jobs.request[job]);
  LkPlanSearch search = search_of (self, view, job, NULL, from_us);
  /* What is set aside comes and goes by itself. */
  if (lk_engine_has_reservations (engine) || !is_bound_to_nodes (request))
    return 1;
  if (lk_plan_is_even (request) && lk_plan_slots_serve (self, view, request))
    return lk_plan_gains (self, view, job, before_us);
  lk_plan_pieces_settle (self);
  search.from_us = lk_plan_enough_us (&search, from_us, before_us);
  if (search.from_us == LK_TIME_NEVER)
    return 0;
  hide_own (&search);
  gboolean gains = gains_on_any (&search, nodes, before_us);
  show_own (&search);
  return gains;
}
