/* engine/plan_walk.c — the earliest start on nodes by trial, and what rules most trials out.
 *
 * A start needs so many free cores on all nodes together, whichever they are.  The moments at which
 * something ends are tried one after the other where there are so many: the first few of them as
 * they come, then, from a list of all changes on all nodes, keeping count of what these could give.
 * A job that could not start before can start only where something ends. */
#include "engine/plan_search.h"

#include <string.h>

#include "engine/checked.h"
#include "engine/engine_reservation.h"

/* So many nodes are looked at in the first trials, and one moment is tried at least. */
#define FIRST_TRIALS_NODES 512u

/* ---------------------------------------------------------------- free cores of all nodes */

/* Cores that a placement takes at least. */
static guint64
cores_needed (const LkPlanSearch *self)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  const LkRequest *request = self->request;
  const LkDemand *demand = &request->demand;
  guint64 each_max = 1;
  for (guint32 kind = 0; kind < nodes->kind_count; kind++)
    each_max = MAX (each_max, nodes->kinds[kind].cpus_per_core);
  guint64 node_cpus = MAX (1, MAX (demand->cpus_per_node_min, request->cpus_node_floor));
  guint64 core_count = demand->nodes_min * ((node_cpus + each_max - 1) / each_max);
  if (lk_plan_is_even (request))
    return core_count;
  return MAX (core_count, (demand->cpus_min + each_max - 1) / each_max);
}

/* Until when others count: from its own reservation on a job has what it needs. */
static gint64
own_start_us (const LkPlanSearch *self)
{
  const LkPlan *plan = self->plan;
  gboolean is_listed = self->job < plan->limit && plan->reservations[self->job].is_listed;
  return is_listed ? plan->reservations[self->job].start_us : LK_TIME_NEVER;
}

gint64
lk_plan_enough_us (const LkPlanSearch *self, gint64 from_us, gint64 before_us)
{
  guint64 core_count = cores_needed (self);
  LkTimelineNeed need = { .core_count = (guint32)MIN (core_count, G_MAXINT32),
                          .now_us = self->view->now_us,
                          .from_us = from_us,
                          .before_us = before_us,
                          .duration_us = self->duration_us,
                          .stop_us = own_start_us (self) };
  if (self->request->shares || self->request->sharing_jobs > 1)
    return from_us < before_us ? from_us : LK_TIME_NEVER;
  return lk_timelines_enough_us (self->plan->timelines, &need);
}

/* ---------------------------------------------------------------- walking the moments */

/* Something changes on a node at a moment. A job that could not start before can start only where
 * something is given back. */
typedef struct {
  gint64 at_us;
  guint32 node;
  gboolean gives_back;
} Change;

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  const Change *x = a;
  const Change *y = b;
  if (x->at_us != y->at_us)
    return x->at_us < y->at_us ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static void
add_change (GArray *changes, const Change *change, gint64 from_us, gint64 before_us)
{
  if (change->at_us >= from_us && change->at_us < before_us)
    g_array_append_val (changes, *change);
}

/* The last moment from which a window of this length ends where something begins. */
static gint64
before_first_us (gint64 begin_us, gint64 duration_us)
{
  gint64 last_us;
  return __builtin_sub_overflow (begin_us, duration_us, &last_us) ? G_MININT64 : last_us;
}

/* The same of what is set aside on the node. */
static void
set_aside_changes (const LkPlanSearch *self, guint32 node, gint64 from_us, gint64 before_us,
                   GArray *changes)
{
  LkWindow window = lk_plan_window (self, from_us, self->duration_us);
  for (guint i = 0; window.reservations != NULL && i < window.reservations->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (window.reservations->items, i);
    gint64 start_us;
    gint64 end_us;
    if (item->nodes == NULL || !lk_bits_has (item->nodes, node))
      continue;
    lk_reservation_span (item, self->view->now_us, &start_us, &end_us);
    Change end = { end_us, node, TRUE };
    Change reach = { before_first_us (start_us, self->duration_us) + 1, node, FALSE };
    add_change (changes, &end, from_us, before_us);
    add_change (changes, &reach, from_us, before_us);
  }
}

/* The moments at which a window that begins there sees the node otherwise than one before. */
static void
node_changes (const LkPlanSearch *self, guint32 node, gint64 from_us, gint64 before_us,
              GArray *changes)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  Change first = { from_us, node, from_us == self->from_us };
  add_change (changes, &first, from_us, before_us);
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    Change end = { lk_held_until_us (self->view->now_us, lk_piece (nodes, i)->to_us), node, TRUE };
    add_change (changes, &end, from_us, before_us);
  }
  for (guint32 i = self->plan->planned_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (piece->job == self->job)
      continue;
    /* From the moment behind the duration before it on, a window reaches into the reservation. */
    Change end = { piece->to_us, node, TRUE };
    Change reach = { before_first_us (piece->from_us, self->duration_us) + 1, node, FALSE };
    add_change (changes, &end, from_us, before_us);
    add_change (changes, &reach, from_us, before_us);
  }
  set_aside_changes (self, node, from_us, before_us, changes);
}

/* What the nodes together could give at a moment. */
typedef struct {
  guint64 cpus;
  guint64 gpus;
  guint64 tasks;
  guint32 nodes;
  LkOffer *offers;  /* by node; cpus 0: none */
  guint64 *serving; /* set of nodes */
} Sum;

static void
add_offer (Sum *sum, const LkOffer *offer)
{
  sum->nodes += offer->cpus > 0;
  sum->cpus += offer->cpus;
  sum->gpus += offer->gpus;
  sum->tasks += offer->tasks;
}

static void
sum_node (const LkPlanSearch *self, Sum *sum, guint32 node, gint64 at_us)
{
  LkOffer *known = &sum->offers[node];
  sum->nodes -= known->cpus > 0;
  sum->cpus -= known->cpus;
  sum->gpus -= known->gpus;
  sum->tasks -= known->tasks;
  lk_bits_add (sum->serving, node);
  if (!lk_plan_node_serves (self, node, at_us, self->duration_us, known)) {
    memset (known, 0, sizeof *known);
    lk_bits_remove (sum->serving, node);
  }
  add_offer (sum, known);
}

static gboolean
sum_is_enough (const LkPlanSearch *self, const Sum *sum)
{
  const LkDemand *demand = &self->request->demand;
  return sum->nodes >= demand->nodes_min && sum->cpus >= demand->cpus_min
         && sum->gpus >= demand->gpus_total
         && (self->request->whole_nodes || sum->tasks >= demand->tasks);
}

/* Adds the moments at which licences come back, and that at which a limit of switches falls. */
static void
other_changes (const LkPlanSearch *self, gint64 from_us, gint64 before_us, GArray *changes)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  const LkJobColumns *jobs = self->view->jobs;
  Change change = { lk_time_add_us (jobs->submit_us[self->job], self->request->switches_wait_us),
                    LK_NODE_NONE, TRUE };
  if (self->request->demand.switches_max > 0)
    add_change (changes, &change, from_us, before_us);
  if (self->request->licenses == NULL)
    return;
  for (guint32 node = 0; node < nodes->node_count; node++)
    for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
         i = lk_piece (nodes, i)->next_on_node) {
      change.at_us = lk_held_until_us (self->view->now_us, lk_piece (nodes, i)->to_us);
      add_change (changes, &change, from_us, before_us);
    }
  for (guint i = 0; i < self->plan->reserved->len; i++) {
    LkJobIndex job = g_array_index (self->plan->reserved, LkJobIndex, i);
    change.at_us = lk_time_add_us (self->plan->reservations[job].start_us, jobs->estimate_us[job]);
    add_change (changes, &change, from_us, before_us);
  }
  LkWindow window = lk_plan_window (self, from_us, self->duration_us);
  for (guint i = 0; window.reservations != NULL && i < window.reservations->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (window.reservations->items, i);
    gint64 start_us;
    lk_reservation_span (item, self->view->now_us, &start_us, &change.at_us);
    if (item->licenses != NULL)
      add_change (changes, &change, from_us, before_us);
  }
}

/* The first moment not before `from_us` at which something ends on a node that the job may have. */
static gint64
next_end_us (const LkPlanSearch *self, gint64 from_us)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  gint64 next_us = LK_TIME_NEVER;
  for (guint32 word = 0; word < nodes->node_words; word++)
    for (guint64 rest = self->request->eligible[word] & nodes->usable[word]; rest != 0;
         rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      gint64 end_us =
          lk_timelines_end_us (self->plan->timelines, node, self->view->now_us, from_us);
      next_us = MIN (next_us, end_us);
    }
  return next_us;
}

/* Tries one moment, whatever there was before it. */
static gboolean
try_first (const LkPlanSearch *self, gint64 at_us)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  g_autofree guint64 *serving = g_new0 (guint64, nodes->node_words);
  Sum sum = { .serving = serving };
  LkOffer offer;
  for (guint32 word = 0; word < nodes->node_words; word++)
    for (guint64 rest = self->request->eligible[word] & nodes->usable[word]; rest != 0;
         rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      if (!lk_plan_node_serves (self, node, at_us, self->duration_us, &offer))
        continue;
      lk_bits_add (serving, node);
      add_offer (&sum, &offer);
    }
  return sum_is_enough (self, &sum)
         && lk_plan_try_at (self, at_us, lk_plan_offered (self->request, serving),
                            /* is_idle= */ FALSE);
}

/* Are the moments at which a piece of others ends the only ones to try? */
static gboolean
is_simple (const LkPlanSearch *self, gint64 before_us)
{
  const LkEngine *engine = self->view->engine;
  const LkRequest *request = self->request;
  return !request->shares && request->sharing_jobs <= 1 && request->licenses == NULL
         && request->demand.switches_max == 0 && !lk_engine_has_reservations (engine)
         && before_us <= own_start_us (self);
}

/* Tries the first moments. LK_TIME_NEVER: there are no others; else, with `out_found` FALSE, the
 * moment up to which all were tried. */
static gint64
walk_first (const LkPlanSearch *self, gint64 from_us, gint64 before_us, gboolean *out_found)
{
  guint32 words = self->plan->placer->machine->nodes.node_words;
  guint32 tries = FIRST_TRIALS_NODES / MAX (1, lk_bits_count (self->request->eligible, words));
  gint64 at_us = from_us;
  *out_found = FALSE;
  for (guint32 i = 0; i <= tries;) {
    at_us = lk_plan_enough_us (self, at_us, before_us);
    gint64 end_us =
        at_us == LK_TIME_NEVER || at_us == self->from_us ? at_us : next_end_us (self, at_us);
    if (end_us >= before_us)
      return LK_TIME_NEVER;
    if (end_us == at_us) {
      *out_found = try_first (self, at_us);
      if (*out_found)
        return at_us;
      at_us++;
      i++;
    } else {
      at_us = end_us;
    }
  }
  return at_us;
}

gint64
lk_plan_walk (const LkPlanSearch *self, gint64 from_us, gint64 before_us)
{
  const LkNodeTable *nodes = &self->plan->placer->machine->nodes;
  lk_plan_pieces_settle (self->plan);
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  Sum sum = { 0 };
  gint64 found_us = LK_TIME_NEVER;
  gboolean is_found;
  if (is_simple (self, before_us)) {
    from_us = walk_first (self, from_us, before_us, &is_found);
    if (is_found || from_us >= before_us)
      return is_found ? from_us : LK_TIME_NEVER;
  }
  for (guint32 word = 0; word < nodes->node_words; word++)
    for (guint64 rest = self->request->eligible[word] & nodes->usable[word]; rest != 0;
         rest &= rest - 1)
      node_changes (self, word * 64 + (guint32)__builtin_ctzll (rest), from_us, before_us, changes);
  other_changes (self, from_us, before_us, changes);
  g_array_sort (changes, compare_changes);
  lk_timelines_add_work (self->plan->timelines, changes->len);
  sum.offers = g_new0 (LkOffer, nodes->node_count);
  sum.serving = g_new0 (guint64, nodes->node_words);
  for (guint i = 0; i < changes->len && found_us == LK_TIME_NEVER;) {
    gint64 at_us = g_array_index (changes, Change, i).at_us;
    gboolean gives_back = FALSE;
    for (; i < changes->len && g_array_index (changes, Change, i).at_us == at_us; i++) {
      guint32 node = g_array_index (changes, Change, i).node;
      gives_back = gives_back || g_array_index (changes, Change, i).gives_back;
      if (node != LK_NODE_NONE)
        sum_node (self, &sum, node, at_us);
    }
    if (gives_back && sum_is_enough (self, &sum)
        && lk_plan_try_at (self, at_us, lk_plan_offered (self->request, sum.serving),
                           /* is_idle= */ FALSE))
      found_us = at_us;
  }
  g_free (sum.offers);
  g_free (sum.serving);
  return found_us;
}
