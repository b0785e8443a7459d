/* engine/plan_slots.c — the moments at which enough nodes are idle, for jobs that take nodes whole.
 *
 * The slots of a plan (engine/slots.h) are made when such a job is looked for first, from the
 * pieces of what runs and of what is reserved, and follow these from then on.  They are a cache: no
 * decision depends on them.  A running job that is past its expected end holds its nodes a little
 * longer at every moment anew; while there is one the slots are not asked, nor while there are
 * advance reservations, which they do not know. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_reservation.h"
#include "engine/offer.h"
#include "engine/plan.h"

#define CLASS_MAX 64u
#define UNUSED_MAX 32u

/* ---------------------------------------------------------------- following the pieces */

static void
add_word (GArray *words, guint32 node)
{
  guint64 mask = G_GUINT64_CONSTANT (1) << (node % 64);
  LkSlotWord *last = words->len > 0 ? &g_array_index (words, LkSlotWord, words->len - 1) : NULL;
  if (last != NULL && last->word == node / 64) {
    last->mask |= mask;
    return;
  }
  LkSlotWord word = { node / 64, mask };
  g_array_append_val (words, word);
}

static LkSlotsWords
borrow (const GArray *words)
{
  return (LkSlotsWords){ (const LkSlotWord *)(gconstpointer)words->data, words->len };
}

LkSlotsWords
lk_plan_slots_words_of (const LkPlan *self, const guint64 *set)
{
  guint32 words = self->placer->machine->nodes.node_words;
  guint count = 0;
  for (guint32 word = 0; word < words; word++)
    count += set[word] != 0;
  LkSlotWord *owned = g_new (LkSlotWord, count);
  LkSlotWord *next = owned;
  for (guint32 word = 0; word < words; word++)
    if (set[word] != 0)
      *next++ = (LkSlotWord){ word, set[word] };
  return (LkSlotsWords){ owned, count };
}

/* Pieces lie in the order of nodes.  Those of a reservation stay the same, and are kept. */
LkSlotsWords
lk_plan_slots_words (LkPlan *self, guint32 first_piece)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  LkJobIndex job = lk_piece (nodes, first_piece)->job;
  LkReservation *own = job < self->limit ? &self->reservations[job] : NULL;
  gboolean is_reserved = own != NULL && own->first_piece == first_piece;
  if (is_reserved && own->nodes.words != NULL)
    return own->nodes;
  g_array_set_size (self->slots_words, 0);
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    add_word (self->slots_words, lk_piece (nodes, i)->node);
  LkSlotsWords words = borrow (self->slots_words);
  if (is_reserved)
    own->nodes =
        (LkSlotsWords){ g_memdup2 (words.words, words.count * sizeof (LkSlotWord)), words.count };
  return words;
}

/* Keeping the slots up where nobody asks for them costs more than to make them anew. */
static gboolean
is_kept (LkPlan *self)
{
  guint changes_max = UNUSED_MAX + self->reserved->len + self->aside_count;
  if (self->slots != NULL && ++self->slots_unused > changes_max)
    lk_plan_slots_forget (self);
  return self->slots != NULL;
}

static void
take (LkPlan *self, guint32 first_piece)
{
  if (first_piece == LK_PIECE_NONE)
    return;
  const LkPiece *piece = lk_piece (&self->placer->machine->nodes, first_piece);
  LkSlotsWords words = lk_plan_slots_words (self, first_piece);
  if (!lk_slots_take (self->slots, &words, piece->from_us, piece->to_us))
    self->slots_overlap = TRUE;
}

void
lk_plan_taken (LkPlan *self, guint32 first_piece)
{
  if (is_kept (self))
    take (self, first_piece);
}

/* ---------------------------------------------------------------- given back beside others */

/* What is held of a node, and when. */
typedef struct {
  guint32 node;
  gint64 from_us;
  gint64 to_us;
} Held;

static gint
compare_held (gconstpointer a, gconstpointer b)
{
  const Held *x = a;
  const Held *y = b;
  if (x->node != y->node)
    return x->node > y->node ? 1 : -1;
  return (x->from_us > y->from_us) - (x->from_us < y->from_us);
}

/* Pieces that are given back, as long as this one. */
typedef struct {
  const LkPiece *first;
  gboolean is_bundle; /* it stands for all of them */
  LkSlotsWords words;
} Gone;

static gboolean
meets (const Gone *gone, const LkPiece *piece)
{
  return piece->from_us < gone->first->to_us && piece->to_us > gone->first->from_us;
}

static void
add_beside (LkPlan *self, guint32 node, const LkPiece *piece)
{
  Held held = { node, piece->from_us, piece->to_us };
  g_array_append_val (self->slots_beside, held);
}

/* What others on the node's lists hold at that time; `own` may still be on one of them. */
static void
add_listed (LkPlan *self, const Gone *gone, guint32 node, guint32 own)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node)
    if (i != own && meets (gone, lk_piece (nodes, i)))
      add_beside (self, node, lk_piece (nodes, i));
  for (guint32 i = self->planned_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (i != own && meets (gone, piece) && self->reservations[piece->job].place != LK_PLAN_ASIDE)
      add_beside (self, node, piece);
  }
}

static void
add_all_listed (LkPlan *self, const Gone *gone)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  if (!gone->is_bundle) {
    for (const LkPiece *piece = gone->first;; piece = lk_piece (nodes, piece->next_of_job)) {
      gsize own = (gsize)((const guint8 *)piece - nodes->pieces) / nodes->piece_bytes;
      add_listed (self, gone, piece->node, (guint32)own);
      if (piece->next_of_job == LK_PIECE_NONE)
        return;
    }
  }
  for (guint i = 0; i < gone->words.count; i++)
    for (guint64 rest = gone->words.words[i].mask; rest != 0; rest &= rest - 1)
      add_listed (self, gone, gone->words.words[i].word * 64 + (guint32)__builtin_ctzll (rest),
                  LK_PIECE_NONE);
}

/* What a reservation that is not listed yet holds of it. */
static void
add_stray_beside (LkPlan *self, const Gone *gone, const LkPiece *piece, const LkSlotsWords *its)
{
  for (guint i = 0, at = 0; i < gone->words.count; i++) {
    const LkSlotWord *word = &gone->words.words[i];
    while (at < its->count && its->words[at].word < word->word)
      at++;
    if (at == its->count)
      return;
    if (its->words[at].word == word->word)
      for (guint64 rest = word->mask & its->words[at].mask; rest != 0; rest &= rest - 1)
        add_beside (self, word->word * 64 + (guint32)__builtin_ctzll (rest), piece);
  }
}

static void
add_strays_beside (LkPlan *self, const Gone *gone)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  for (guint i = 0; i < self->strays->len; i++) {
    const LkReservation *other = &self->reservations[g_array_index (self->strays, LkJobIndex, i)];
    const LkPiece *piece = lk_piece (nodes, other->first_piece);
    if (other->is_listed || piece == gone->first || !meets (gone, piece))
      continue;
    LkSlotsWords its = lk_plan_slots_words (self, other->first_piece);
    add_stray_beside (self, gone, piece, &its);
  }
}

/* Gives one node back where nobody of those from place `at` of LkPlan.slots_beside on holds it.
 * Returns the place of the next node. */
static guint
give_gaps (LkPlan *self, const Gone *gone, guint at)
{
  guint32 node = g_array_index (self->slots_beside, Held, at).node;
  LkSlotWord word = { node / 64, G_GUINT64_CONSTANT (1) << (node % 64) };
  LkSlotsWords words = { &word, 1 };
  gint64 free_us = gone->first->from_us;
  for (; at < self->slots_beside->len && g_array_index (self->slots_beside, Held, at).node == node;
       at++) {
    const Held *held = &g_array_index (self->slots_beside, Held, at);
    if (held->from_us > free_us)
      lk_slots_give (self->slots, &words, free_us, held->from_us);
    free_us = MAX (free_us, held->to_us);
  }
  if (free_us < gone->first->to_us)
    lk_slots_give (self->slots, &words, free_us, gone->first->to_us);
  return at;
}

/* Others may hold what is given back. */
static void
give_beside (LkPlan *self, Gone *gone)
{
  /* Asking for the words of others may make these ones move. */
  g_autofree LkSlotWord *own =
      g_memdup2 (gone->words.words, gone->words.count * sizeof (LkSlotWord));
  gone->words.words = own;
  g_array_set_size (self->slots_beside, 0);
  add_strays_beside (self, gone);
  add_all_listed (self, gone);
  g_array_sort (self->slots_beside, compare_held);
  for (guint i = 0, word = 0; i < self->slots_beside->len;) {
    guint32 node = g_array_index (self->slots_beside, Held, i).node;
    while (own[word].word < node / 64)
      word++;
    own[word].mask &= ~(G_GUINT64_CONSTANT (1) << (node % 64));
    i = give_gaps (self, gone, i);
  }
  /* The nodes that are left are nobody else's. */
  guint kept = 0;
  for (guint i = 0; i < gone->words.count; i++)
    if (own[i].mask != 0)
      own[kept++] = own[i];
  gone->words.count = kept;
  if (kept > 0)
    lk_slots_give (self->slots, &gone->words, gone->first->from_us, gone->first->to_us);
}

void
lk_plan_given (LkPlan *self, guint32 first_piece)
{
  if (first_piece == LK_PIECE_NONE || !is_kept (self))
    return;
  const LkPiece *first = lk_piece (&self->placer->machine->nodes, first_piece);
  const LkReservation *own = first->job < self->limit ? &self->reservations[first->job] : NULL;
  Gone gone = { first, own != NULL && own->first_piece == first_piece && own->is_bundle,
                lk_plan_slots_words (self, first_piece) };
  if (self->slots_overlap)
    give_beside (self, &gone);
  else
    lk_slots_give (self->slots, &gone.words, first->from_us, first->to_us);
}

gboolean
lk_plan_slots_idle (LkPlan *self, guint32 first_piece, gboolean *out_idle)
{
  if (self->slots == NULL || self->slots_overlap)
    return FALSE;
  const LkPiece *piece = lk_piece (&self->placer->machine->nodes, first_piece);
  LkSlotsWords words = lk_plan_slots_words (self, first_piece);
  *out_idle = lk_slots_are_idle (self->slots, &words, piece->from_us, piece->to_us);
  return TRUE;
}

void
lk_plan_gave_back (LkPlan *self, guint32 first_piece)
{
  lk_plan_gain_note (self, first_piece);
  lk_plan_given (self, first_piece);
}

void
lk_plan_slots_forget (LkPlan *self)
{
  lk_slots_free (self->slots);
  self->slots = NULL;
  self->slots_overlap = FALSE;
}

void
lk_plan_slots_clear (LkPlan *self)
{
  lk_plan_slots_forget (self);
  if (self->slots_words == NULL)
    return;
  g_array_unref (self->slots_words);
  g_array_unref (self->slots_beside);
  g_array_unref (self->slots_known);
  g_ptr_array_unref (self->slots_classes);
  g_free (self->slots_among);
  g_free (self->slots_set);
}

static void
make_room (LkPlan *self)
{
  guint32 words = self->placer->machine->nodes.node_words;
  if (self->slots_words != NULL)
    return;
  self->slots_words = g_array_new (FALSE, FALSE, sizeof (LkSlotWord));
  self->slots_beside = g_array_new (FALSE, FALSE, sizeof (Held));
  self->slots_known = g_array_new (FALSE, TRUE, sizeof (LkPlanEligible));
  self->slots_classes = g_ptr_array_new_with_free_func (g_free);
  self->slots_among = g_new0 (guint64, words);
  self->slots_set = g_new0 (guint64, words);
}

static void
take_all (LkPlan *self, const LkView *view)
{
  const LkEngine *engine = view->engine;
  self->slots = lk_slots_new (self->placer->machine->nodes.node_count, view->now_us);
  for (LkJobIndex job = lk_rank_first (engine->running); job != LK_JOB_NONE;
       job = lk_rank_next (engine->running, job, NULL))
    take (self, engine->jobs.first_piece[job]);
  for (guint i = 0; i < engine->suspended->len; i++)
    take (self, engine->jobs.first_piece[g_array_index (engine->suspended, LkJobIndex, i)]);
  for (guint i = 0; i < self->reserved->len; i++) {
    LkJobIndex job = g_array_index (self->reserved, LkJobIndex, i);
    take (self, self->reservations[job].first_piece);
  }
}

/* Does what is set aside lie beside others?  The slots would know if they had been there when it
 * was set aside, and whether they were must not matter to who gets his place back. */
static void
look_at_aside (LkPlan *self, const LkView *view)
{
  guint32 left = self->aside_count;
  if (left == 0 || self->slots_overlap)
    return;
  for (LkJobIndex job = 0; left > 0; job++)
    if (self->reservations[job].place == LK_PLAN_ASIDE) {
      take (self, self->reservations[job].first_piece);
      left--;
    }
  lk_slots_free (self->slots);
  take_all (self, view);
}

static void
make (LkPlan *self, const LkView *view)
{
  make_room (self);
  take_all (self, view);
  look_at_aside (self, view);
}

/* ---------------------------------------------------------------- the search */

/* Do as many nodes as the job needs at least, each with the least it needs of one, satisfy it? */
gboolean
lk_plan_is_even (const LkRequest *request)
{
  const LkDemand *demand = &request->demand;
  return request->constraint.counts == NULL && request->required == NULL
         && request->licenses == NULL && demand->switches_max == 0
         && demand->cpus_min <= (guint64)demand->nodes_min
                                    * MAX (demand->cpus_per_node_min, request->cpus_node_floor)
         && demand->gpus_total <= (guint64)demand->nodes_min * MAX (1, request->gpus_node_floor);
}

gboolean
lk_plan_slots_serve (const LkPlan *self, const LkView *view, const LkRequest *request)
{
  const LkEngine *engine = view->engine;
  LkJobIndex first = lk_rank_first (engine->running);
  (void)self;
  return request->whole_nodes && !request->shares && !lk_engine_has_reservations (engine)
         && (first == LK_JOB_NONE || view->jobs->expected_end_us[first] > view->now_us);
}

/* Can nodes of this kind serve the request when they are idle? */
static gboolean
kind_serves (const LkPlan *self, const LkRequest *request, guint32 node)
{
  LkNodeFree free;
  LkOffer offer;
  LkWindow window = {
    .nodes = &self->placer->machine->nodes, .except = LK_JOB_NONE, .sharing_jobs = 1, .idle = TRUE
  };
  lk_window_node (&window, node, &free);
  return lk_offer_make (self->placer->machine, request, node, &free, &offer)
         && lk_request_has_floor (request, &offer);
}

/* Are so many idle nodes always enough, whichever they are? */
static gboolean
is_plain (const LkPlan *self, const LkRequest *request)
{
  return lk_plan_is_even (request) && !request->shares && request->gpus_node_floor <= 1
         && request->cpus_node_floor <= request->demand.cpus_per_node_min
         && (request->demand.flags & LK_DEMAND_CONTIGUOUS) == 0
         && request->constraint.alternatives == NULL
         && self->placer->machine->view.topology != LK_TOPOLOGY_BLOCK_VIEW;
}

/* Leaves only nodes of kinds that serve. Returns whether all do. */
static gboolean
keep_serving (const LkPlan *self, const LkRequest *request, guint64 *set)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  guint32 kind_last = LK_NODE_NONE;
  gboolean serves = FALSE;
  gboolean all_serve = TRUE;
  for (guint32 word = 0; word < nodes->node_words; word++)
    for (guint64 rest = set[word]; rest != 0; rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      if (nodes->kind_of[node] != kind_last)
        serves = kind_serves (self, request, node);
      kind_last = nodes->kind_of[node];
      all_serve = all_serve && serves;
      if (!serves)
        lk_bits_remove (set, node);
    }
  return all_serve;
}

/* The number of a set of nodes, from 1; 0: there are too many different ones. */
static guint32
number_of (const LkPlan *self, const guint64 *set)
{
  gsize set_bytes = self->placer->machine->nodes.node_words * sizeof (guint64);
  for (guint i = 0; i < self->slots_classes->len; i++)
    if (memcmp (g_ptr_array_index (self->slots_classes, i), set, set_bytes) == 0)
      return i + 1;
  if (self->slots_classes->len == CLASS_MAX)
    return 0;
  g_ptr_array_add (self->slots_classes, g_memdup2 (set, set_bytes));
  return self->slots_classes->len;
}

static const LkPlanEligible *
known_of (LkPlan *self, const LkRequest *request, guint32 index)
{
  make_room (self);
  if (index >= self->slots_known->len)
    g_array_set_size (self->slots_known, index + 64);
  LkPlanEligible *known = &g_array_index (self->slots_known, LkPlanEligible, index);
  if (known->serial == request->serial)
    return known;
  memcpy (self->slots_among, request->eligible,
          self->placer->machine->nodes.node_words * sizeof (guint64));
  known->serial = request->serial;
  known->all_serve = keep_serving (self, request, self->slots_among);
  known->class = is_plain (self, request) ? number_of (self, self->slots_among) : 0;
  return known;
}

guint32
lk_plan_slots_class (LkPlan *self, const LkRequest *request, guint32 index)
{
  return request->whole_nodes ? known_of (self, request, index)->class : 0;
}

/* The nodes that could serve the request when they are idle. */
static const guint64 *
nodes_for (LkPlan *self, const LkRequest *request, guint32 index)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  gboolean all_serve = known_of (self, request, index)->all_serve;
  for (guint32 word = 0; word < nodes->node_words; word++)
    self->slots_among[word] = request->eligible[word] & nodes->usable[word];
  if (!all_serve)
    keep_serving (self, request, self->slots_among);
  return self->slots_among;
}

/* Starts from which the job would still run when its own reservation begins, or later ones. */
static gint64
slide_us (LkPlan *self, const LkSlotsDemand *demand, const LkReservation *own, gint64 from_us,
          gint64 before_us)
{
  /* Just before it nothing is the job's own. */
  if (from_us < own->start_us && before_us <= own->start_us
      && lk_slots_idle_count (self->slots, own->start_us - 1) < demand->node_count)
    return LK_TIME_NEVER;
  lk_plan_given (self, own->first_piece);
  gint64 at_us = lk_slots_earliest_us (self->slots, demand, from_us, before_us, self->slots_set);
  lk_plan_taken (self, own->first_piece);
  return at_us;
}

gint64
lk_plan_slots_us (LkPlan *self, const LkView *view, LkJobIndex job, gint64 from_us,
                  gint64 before_us)
{
  const LkEngine *engine = view->engine;
  const LkReservation *own = &self->reservations[job];
  guint32 index = engine->jobs.request[job];
  const LkRequest *request = lk_machine_request (self->placer->machine, index);
  gint64 duration_us = view->jobs->estimate_us[job];
  if (self->slots == NULL)
    make (self, view);
  self->slots_unused = 0;
  lk_slots_advance (self->slots, view->now_us);
  LkSlotsDemand demand = { request->demand.nodes_min, duration_us,
                           nodes_for (self, request, index) };
  if (own->start_us == LK_TIME_NEVER)
    return lk_slots_earliest_us (self->slots, &demand, from_us, before_us, self->slots_set);
  /* A start after which it would end before its own reservation begins. */
  gint64 slide_from_us =
      own->start_us > G_MININT64 + duration_us ? own->start_us - duration_us + 1 : G_MININT64;
  slide_from_us = MAX (slide_from_us, from_us);
  gint64 at_us = LK_TIME_NEVER;
  if (from_us < slide_from_us)
    at_us = lk_slots_earliest_us (self->slots, &demand, from_us, MIN (before_us, slide_from_us),
                                  self->slots_set);
  if (at_us == LK_TIME_NEVER && slide_from_us < before_us)
    at_us = slide_us (self, &demand, own, slide_from_us, before_us);
  return at_us;
}

/* ---------------------------------------------------------------- checks */

static void
add_held (const LkPlan *self, GArray *all, const LkReservation *reservation)
{
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  const LkPiece *first = lk_piece (nodes, reservation->first_piece);
  for (guint i = 0; i < reservation->nodes.count && reservation->is_bundle; i++)
    for (guint64 rest = reservation->nodes.words[i].mask; rest != 0; rest &= rest - 1) {
      Held held = { reservation->nodes.words[i].word * 64 + (guint32)__builtin_ctzll (rest),
                    first->from_us, first->to_us };
      g_array_append_val (all, held);
    }
  for (guint32 i = reservation->is_bundle ? LK_PIECE_NONE : reservation->first_piece;
       i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    Held held = { piece->node, piece->from_us, piece->to_us };
    g_array_append_val (all, held);
  }
}

static void
check_moment (const LkPlan *self, const Held *held, guint count, gint64 at_us)
{
  gboolean is_held = FALSE;
  if (at_us == LK_TIME_NEVER)
    return; /* what is held for ever is held then, too */
  for (guint i = 0; i < count && !is_held; i++)
    is_held = held[i].from_us <= at_us && held[i].to_us > at_us;
  LK_ASSERT (lk_slots_is_idle (self->slots, held->node, at_us) == !is_held);
}

/* All that is held of one node. */
static void
check_node (const LkPlan *self, const Held *held, guint count, gint64 now_us)
{
  check_moment (self, held, count, now_us);
  for (guint i = 0; i < count; i++) {
    check_moment (self, held, count, MAX (now_us, held[i].from_us));
    check_moment (self, held, count, MAX (now_us, held[i].to_us));
  }
}

void
lk_plan_slots_check (const LkPlan *self, gint64 now_us)
{
  if (self->slots == NULL)
    return;
  const LkNodeTable *nodes = &self->placer->machine->nodes;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Held));
  lk_slots_check (self->slots);
  for (guint32 node = 0; node < nodes->node_count; node++) {
    for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
         i = lk_piece (nodes, i)->next_on_node) {
      Held held = { node, lk_piece (nodes, i)->from_us, lk_piece (nodes, i)->to_us };
      g_array_append_val (all, held);
    }
  }
  for (guint i = 0; i < self->reserved->len; i++)
    add_held (self, all, &self->reservations[g_array_index (self->reserved, LkJobIndex, i)]);
  g_array_sort (all, compare_held);
  for (guint i = 0, next = 0; i < all->len; i = next) {
    const Held *held = &g_array_index (all, Held, i);
    while (next < all->len && g_array_index (all, Held, next).node == held->node)
      next++;
    check_node (self, held, next - i, now_us);
  }
}
