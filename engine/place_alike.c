/* engine/place_alike.c — places on nodes that are idle and alike, chosen as sets.
 *
 * A plan of a large machine is mostly reservations of whole nodes of one kind.  Such a place is the
 * nodes and what one of them gives: one piece, that of the first node, stands for all of them until
 * somebody wants to see them one by one.  The select policy chooses by sets (choose_alike); where
 * it cannot, or where the request is more than numbers of nodes, nothing is found here. */
#include <string.h>

#include "engine/assert.h"
#include "engine/offer.h"
#include "engine/offer_near.h"
#include "engine/place.h"

/* Is any idle node of a kind as good as another? */
static gboolean
is_plain (const LkRequest *request)
{
  const LkDemand *demand = &request->demand;
  return request->whole_nodes && !request->shares && request->required == NULL
         && request->constraint.counts == NULL && request->constraint.alternatives == NULL
         && demand->gpus_total == 0 && demand->gpus_per_node == 0 && demand->shares_per_node == 0
         && demand->switches_max == 0 && !lk_wants_near (request);
}

/* The first of the candidates; LK_NODE_NONE: there are none, or they are of several kinds. Kinds
 * follow one another in the order of nodes. */
static guint32
first_of_kind (const LkPlacer *self)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 first = lk_bits_next (self->candidates, nodes->node_words, 0);
  guint32 word = nodes->node_words;
  if (first >= nodes->node_count)
    return LK_NODE_NONE;
  while (self->candidates[word - 1] == 0)
    word--;
  guint32 last = word * 64 - 1 - (guint32)__builtin_clzll (self->candidates[word - 1]);
  return nodes->kind_of[first] == nodes->kind_of[last] ? first : LK_NODE_NONE;
}

/* FALSE: the policy does not tell. */
static gboolean
choose (LkPlacer *self, const LkRequest *request, const LkWindow *window, const LkOffer *offer)
{
  LkDemand demand = request->demand;
  LkAlikeNodes nodes = { sizeof nodes, self->machine->nodes.node_words, offer, self->candidates,
                         self->chosen };
  if (window->from_us == window->now_us)
    demand.flags |= LK_DEMAND_NOW;
  memset (self->chosen, 0, nodes.word_count * sizeof *self->chosen);
  return self->select->choose_alike (self->select_self, self->view, &demand, &nodes) != 0;
}

guint32
lk_placer_place_alike (LkPlacer *self, const LkRequest *request, LkJobIndex job,
                       const LkWindow *window)
{
  LkNodeTable *nodes = &self->machine->nodes;
  LkNodeFree free;
  LkOffer offer;
  if (self->select->choose_alike == NULL || !window->idle || !is_plain (request))
    return LK_PIECE_NONE;
  guint32 node = first_of_kind (self);
  if (node == LK_NODE_NONE)
    return LK_PIECE_NONE;
  lk_window_node (window, node, &free);
  if (!lk_offer_make (self->machine, request, node, &free, &offer))
    return LK_PIECE_NONE;
  offer.device_shares_free = free.shares;
  if (!choose (self, request, window, &offer))
    return LK_PIECE_NONE;
  LkPick pick = { .cpus = offer.cpus };
  guint32 added = lk_piece_new (nodes);
  LkPiece *piece = lk_piece (nodes, added);
  guint32 first = lk_bits_next (self->chosen, nodes->node_words, 0);
  LK_ASSERT (first < nodes->node_count);
  if (!lk_offer_take (self->machine, request, first, &free, &pick, piece)) {
    lk_placer_discard (self, added);
    return LK_PIECE_NONE;
  }
  piece->job = job;
  piece->from_us = window->from_us;
  piece->to_us = window->to_us;
  piece->user_id = window->user_id;
  piece->reservation = window->inside != NULL ? window->inside->number : 0;
  self->is_bundle = TRUE;
  return added;
}

void
lk_placer_unbundle (LkPlacer *self, guint32 first_piece, const guint64 *nodes)
{
  LkNodeTable *table = &self->machine->nodes;
  guint32 last = first_piece;
  guint32 limit = table->node_count;
  LK_ASSERT (lk_piece (table, first_piece)->next_of_job == LK_PIECE_NONE);
  for (guint32 node =
           lk_bits_next (nodes, table->node_words, lk_piece (table, first_piece)->node + 1);
       node < limit; node = lk_bits_next (nodes, table->node_words, node + 1)) {
    guint32 added = lk_piece_new (table);
    lk_piece_copy (table, lk_piece (table, first_piece), lk_piece (table, added));
    lk_piece (table, added)->node = node;
    lk_piece (table, last)->next_of_job = added;
    last = added;
  }
}
