/* engine/plan_gain.c — whom what was given back could be of use, of the jobs that take nodes whole.
 *
 * A start that was not possible before something was given back needs one of the nodes that were
 * given, idle from the start to the end, and so many other idle nodes beside it.  What was given is
 * noted with its nodes and its time.  Around it lies a hole: from the first moment since when any
 * of its nodes has been idle to the last until which any of them stays so.  Within a hole the
 * numbers of idle nodes tell how long a job of so many nodes could be at most; all holes together
 * make a staircase of sizes and durations, and who stands above it need not be looked for.
 *
 * Holes are worked in when they are asked for, and not made smaller where somebody takes of them:
 * what is said is "no" or "perhaps", and no decision depends on it. */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_private.h"
#include "engine/plan.h"

#define GIVEN_MAX 4096u

/* Nodes that were given back for a time. */
typedef struct {
  gint64 from_us;
  gint64 to_us;
  guint first_word; /* in LkPlanGain.words */
  guint word_count;
} Given;

typedef struct {
  gint64 from_us;
  gint64 to_us;
} Hole;

struct _LkPlanGain {
  GArray *given;     /* of Given, since the round before this one began */
  GArray *words;     /* of LkSlotWord */
  guint round_first; /* of `given`: noted since this round began */
  guint seen;        /* of `given`: they are in the holes */
  gint64 before_us;  /* nobody is to start from then on */
  gboolean anything; /* something was given of which it is not known where */
  gboolean anything_next;
  GArray *holes;  /* of Hole, none within another */
  GArray *stairs; /* of LkSlotsRun, by rising size and falling duration */
  GArray *runs;   /* of LkSlotsRun, scratch */
};

LkPlanGain *
lk_plan_gain_new (void)
{
  LkPlanGain *self = g_new0 (LkPlanGain, 1);
  self->given = g_array_new (FALSE, FALSE, sizeof (Given));
  self->words = g_array_new (FALSE, FALSE, sizeof (LkSlotWord));
  self->holes = g_array_new (FALSE, FALSE, sizeof (Hole));
  self->stairs = g_array_new (FALSE, FALSE, sizeof (LkSlotsRun));
  self->runs = g_array_new (FALSE, FALSE, sizeof (LkSlotsRun));
  return self;
}

void
lk_plan_gain_free (LkPlanGain *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->given);
  g_array_unref (self->words);
  g_array_unref (self->holes);
  g_array_unref (self->stairs);
  g_array_unref (self->runs);
  g_free (self);
}

/* ---------------------------------------------------------------- what is noted */

/* Nothing is known of what has been given so far. */
void
lk_plan_gain_reset (LkPlanGain *self)
{
  g_array_set_size (self->given, 0);
  g_array_set_size (self->words, 0);
  g_array_set_size (self->holes, 0);
  g_array_set_size (self->stairs, 0);
  self->round_first = self->seen = 0;
  self->anything = self->anything_next = TRUE;
}

/* FALSE: more cannot be noted. */
static gboolean
may_note (LkPlan *plan)
{
  LkPlanGain *self = plan->gain;
  if (self->anything_next)
    return FALSE;
  if (plan->slots != NULL && self->given->len < GIVEN_MAX)
    return TRUE;
  lk_plan_gain_reset (self);
  return FALSE;
}

void
lk_plan_gain_note_node (LkPlan *plan, guint32 node)
{
  LkPlanGain *self = plan->gain;
  if (self == NULL || !may_note (plan))
    return;
  LkSlotWord word = { node / 64, G_GUINT64_CONSTANT (1) << (node % 64) };
  Given given = { G_MININT64, LK_TIME_NEVER, self->words->len, 1 };
  g_array_append_val (self->words, word);
  g_array_append_val (self->given, given);
}

void
lk_plan_gain_note (LkPlan *plan, guint32 first_piece)
{
  LkPlanGain *self = plan->gain;
  if (first_piece == LK_PIECE_NONE || !may_note (plan))
    return;
  const LkPiece *piece = lk_piece (&plan->placer->machine->nodes, first_piece);
  LkSlotsWords words = lk_plan_slots_words (plan, first_piece);
  Given given = { piece->from_us, piece->to_us, self->words->len, words.count };
  g_array_append_vals (self->words, words.words, words.count);
  g_array_append_val (self->given, given);
}

void
lk_plan_gain_begin (void *plan, const LkView *view, int64_t before_us)
{
  LkPlan *self = plan;
  LkPlanGain *gain = self->gain;
  (void)view;
  if (gain == NULL)
    return;
  g_array_set_size (gain->holes, 0);
  g_array_set_size (gain->stairs, 0);
  gain->before_us = before_us;
  gain->anything = gain->anything_next || self->slots == NULL;
  gain->anything_next = FALSE;
  if (gain->round_first > 0) {
    guint gone_words = gain->round_first < gain->given->len
                           ? g_array_index (gain->given, Given, gain->round_first).first_word
                           : gain->words->len;
    g_array_remove_range (gain->given, 0, gain->round_first);
    if (gone_words > 0)
      g_array_remove_range (gain->words, 0, gone_words);
    for (guint i = 0; i < gain->given->len; i++)
      g_array_index (gain->given, Given, i).first_word -= gone_words;
  }
  gain->round_first = gain->given->len;
  gain->seen = 0;
}

/* ---------------------------------------------------------------- holes and stairs */

/* The first stair that is as large. */
static guint
stair_for (const LkPlanGain *self, guint32 size_count)
{
  guint low = 0;
  guint high = self->stairs->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (self->stairs, LkSlotsRun, middle).node_count < size_count)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gint64
longest_us (const LkPlanGain *self, guint32 size_count)
{
  guint at = stair_for (self, size_count);
  return at < self->stairs->len ? g_array_index (self->stairs, LkSlotsRun, at).duration_us
                                : G_MININT64;
}

static void
add_stair (LkPlanGain *self, const LkSlotsRun *run)
{
  guint at = stair_for (self, run->node_count);
  if (longest_us (self, run->node_count) >= run->duration_us)
    return;
  if (at < self->stairs->len
      && g_array_index (self->stairs, LkSlotsRun, at).node_count == run->node_count)
    g_array_remove_index (self->stairs, at);
  guint first = at;
  while (first > 0
         && g_array_index (self->stairs, LkSlotsRun, first - 1).duration_us <= run->duration_us)
    first--;
  if (first < at)
    g_array_remove_range (self->stairs, first, at - first);
  g_array_insert_val (self->stairs, first, *run);
}

static void
add_hole (LkPlanGain *self, const Hole *hole)
{
  for (guint i = self->holes->len; i-- > 0;) {
    const Hole *other = &g_array_index (self->holes, Hole, i);
    if (other->from_us <= hole->from_us && other->to_us >= hole->to_us)
      return;
    if (other->from_us >= hole->from_us && other->to_us <= hole->to_us)
      g_array_remove_index_fast (self->holes, i);
  }
  g_array_append_val (self->holes, *hole);
}

static void
work_in (LkPlan *plan, const Given *given, gint64 now_us)
{
  LkPlanGain *self = plan->gain;
  Hole hole;
  if (given->to_us <= now_us)
    return;
  LkSlotsWords words = { &g_array_index (self->words, LkSlotWord, given->first_word),
                         given->word_count };
  lk_slots_extent (plan->slots, &words, MAX (given->from_us, now_us), given->to_us, &hole.from_us,
                   &hole.to_us);
  if (hole.from_us >= self->before_us)
    return;
  add_hole (self, &hole);
  g_array_set_size (self->runs, 0);
  lk_slots_runs (plan->slots, hole.from_us, hole.to_us, self->runs);
  for (guint i = 0; i < self->runs->len; i++)
    if (g_array_index (self->runs, LkSlotsRun, i).from_us < self->before_us)
      add_stair (self, &g_array_index (self->runs, LkSlotsRun, i));
}

/* FALSE: it is not known where something was given. */
static gboolean
is_known (LkPlan *plan, gint64 now_us)
{
  LkPlanGain *self = plan->gain;
  if (self->anything || self->anything_next || plan->slots == NULL)
    return FALSE;
  for (; self->seen < self->given->len; self->seen++)
    work_in (plan, &g_array_index (self->given, Given, self->seen), now_us);
  return TRUE;
}

/* ---------------------------------------------------------------- the questions */

int32_t
lk_plan_may_gain_like (void *plan, const LkView *view, uint64_t likeness, uint32_t size_count,
                       int64_t duration_us)
{
  LkPlan *self = plan;
  if (!lk_plan_is_class (likeness) || self->gain == NULL || !is_known (self, view->now_us))
    return 1;
  return longest_us (self->gain, size_count) >= duration_us;
}

/* Could a job that has a reservation begin before it, and still run when it begins? */
static gboolean
may_slide (const LkPlan *self, const LkReservation *own, guint32 node_count)
{
  if (lk_slots_idle_count (self->slots, own->start_us - 1) < node_count)
    return FALSE;
  for (guint i = 0; i < self->gain->holes->len; i++) {
    const Hole *hole = &g_array_index (self->gain->holes, Hole, i);
    if (hole->from_us < own->start_us && hole->to_us >= own->start_us)
      return TRUE;
  }
  return FALSE;
}

/* A hole that is long enough, and begins before that moment. */
static gboolean
has_hole (const LkPlanGain *self, gint64 duration_us, gint64 before_us)
{
  for (guint i = 0; i < self->holes->len; i++) {
    const Hole *hole = &g_array_index (self->holes, Hole, i);
    if (hole->from_us < before_us && lk_time_since_us (hole->to_us, hole->from_us) >= duration_us)
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_plan_gains (LkPlan *self, const LkView *view, LkJobIndex job, gint64 before_us)
{
  const LkEngine *engine = view->engine;
  const LkReservation *own = &self->reservations[job];
  gint64 duration_us = view->jobs->estimate_us[job];
  guint32 node_count =
      lk_machine_request (self->placer->machine, engine->jobs.request[job])->demand.nodes_min;
  if (!is_known (self, view->now_us))
    return TRUE;
  if (own->start_us != LK_TIME_NEVER && own->start_us > view->now_us
      && may_slide (self, own, node_count))
    return TRUE;
  return longest_us (self->gain, node_count) >= duration_us
         && has_hole (self->gain, duration_us, before_us);
}
