/* engine/node_ends.c — see the header. */
#include "engine/node_ends.h"

#include "engine/assert.h"
#include "engine/window.h"

void
lk_node_ends_init (LkNodeEnds *self, guint32 node_count)
{
  *self = (LkNodeEnds){ .end_us = g_new (gint64, node_count),
                        .order = g_new (guint32, node_count),
                        .node_count = node_count };
}

void
lk_node_ends_clear (LkNodeEnds *self)
{
  g_free (self->end_us);
  g_free (self->order);
}

static gint
compare_nodes (gconstpointer x, gconstpointer y, gpointer user)
{
  const gint64 *end_us = user;
  guint32 a = *(const guint32 *)x;
  guint32 b = *(const guint32 *)y;
  if (end_us[a] != end_us[b])
    return end_us[a] < end_us[b] ? -1 : 1;
  return (a > b) - (a < b);
}

void
lk_node_ends_fill (LkNodeEnds *self, const LkNodeTable *nodes, gint64 now_us)
{
  if (self->is_valid)
    return;
  LK_ASSERT (nodes->node_count == self->node_count);
  for (guint32 node = 0; node < self->node_count; node++) {
    self->order[node] = node;
    self->end_us[node] = G_MININT64;
    for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
         i = lk_piece (nodes, i)->next_on_node)
      self->end_us[node] =
          MAX (self->end_us[node], lk_held_until_us (now_us, lk_piece (nodes, i)->to_us));
  }
  g_qsort_with_data (self->order, (gint)self->node_count, sizeof *self->order, compare_nodes,
                     self->end_us);
  self->is_valid = TRUE;
}

gint64
lk_node_ends_of (const LkNodeEnds *self, const guint64 *among, guint32 count, gint64 before_us)
{
  LK_ASSERT (self->is_valid);
  LK_ASSERT (count >= 1);
  for (guint32 i = 0; i < self->node_count; i++) {
    guint32 node = self->order[i];
    if (self->end_us[node] >= before_us)
      return LK_TIME_NEVER;
    if (lk_bits_has (among, node) && --count == 0)
      return self->end_us[node];
  }
  return LK_TIME_NEVER;
}
