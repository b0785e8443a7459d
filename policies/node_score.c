/* policies/node_score.c — see node_score.h. */
#include "policies/node_score.h"

#include <string.h>

static uint32_t
divide_up (uint32_t value, uint32_t by)
{
  return value / by + (value % by != 0);
}

LkNodePart
lk_node_part_of (const LkDemand *demand)
{
  LkNodePart part = { .gpus = demand->gpus_per_node, .shares = demand->shares_per_node };
  part.cpus = MAX (lk_node_cpus_least (demand), divide_up (demand->cpus_min, demand->nodes_min));
  if (demand->gpus_total > 0)
    part.gpus = divide_up (demand->gpus_total, demand->nodes_min);
  return part;
}

void
lk_node_scores_init (LkNodeScores *self)
{
  memset (self, 0, sizeof *self);
  lk_node_pick_init (&self->pick);
}

void
lk_node_scores_clear (LkNodeScores *self)
{
  lk_node_pick_clear (&self->pick);
  g_free (self->score);
  g_free (self->devices);
}

void
lk_node_scores_begin (LkNodeScores *self, const LkView *view, const LkDemand *demand,
                      const LkOffer *offers, uint32_t offer_count)
{
  lk_node_pick_begin (&self->pick, view, demand, offers, offer_count);
  self->part = lk_node_part_of (demand);
  if (self->pick.room > self->room) {
    self->room = self->pick.room;
    self->score = g_renew (double, self->score, self->room);
    self->devices = g_renew (uint64_t, self->devices, self->room);
  }
}

static gboolean
holds_part (const LkNodeScores *self, uint32_t offer)
{
  const LkOffer *held = &self->pick.offers[offer];
  return held->cpus >= self->part.cpus
         && (self->pick.demand->gpus_total == 0 || held->gpus >= self->part.gpus);
}

static gboolean
before_by_score (const LkNodePick *pick, uint32_t a, uint32_t b)
{
  const LkNodeScores *self = (const LkNodeScores *)(gconstpointer)pick;
  gboolean holds_a = holds_part (self, a), holds_b = holds_part (self, b);
  if (holds_a != holds_b)
    return holds_a;
  if (self->score[a] < self->score[b])
    return TRUE;
  return !(self->score[b] < self->score[a]) && a < b;
}

gboolean
lk_node_scores_run (LkNodeScores *self, LkPick *picks, uint32_t *out_pick_count)
{
  LkNodePick *pick = &self->pick;
  gboolean is_contiguous = (pick->demand->flags & LK_DEMAND_CONTIGUOUS) != 0;
  pick->before = before_by_score;
  if (!lk_node_pick_run (pick, is_contiguous ? lk_node_fit_contiguous : lk_node_fit_ordered, picks,
                         out_pick_count))
    return FALSE;
  for (uint32_t k = 0; k < *out_pick_count; k++)
    picks[k].devices = self->devices[picks[k].offer];
  return TRUE;
}
