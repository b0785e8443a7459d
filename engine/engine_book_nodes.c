/* engine/engine_book_nodes.c — how many nodes the jobs of associations and QOS have.
 *
 * The books count a node once however many jobs share it only where somebody limits nodes: to do so
 * everywhere would cost each start and end.  Who asks gets it counted here, from the jobs. */
#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/engine_life.h"

/* Sets of nodes, one for each of a run of holders. */
typedef struct {
  guint32 first;
  guint32 count;
  guint32 words; /* of one set */
  guint64 *sets;
} Sets;

static void
add_job (LkEngine *self, LkJobIndex job, const Sets *sets)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 holders[LK_HOLDER_MAX];
  guint count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < count; i++) {
    if (holders[i] < sets->first || holders[i] - sets->first >= sets->count)
      continue;
    guint64 *set = sets->sets + (gsize)(holders[i] - sets->first) * sets->words;
    for (guint32 p = lk_engine_all_pieces (self, job); p != LK_PIECE_NONE;
         p = lk_piece (nodes, p)->next_of_job)
      lk_bits_add (set, lk_piece (nodes, p)->node);
  }
}

void
lk_engine_book_nodes (LkEngine *self, guint32 first, guint32 count, guint64 *out_nodes)
{
  LK_ASSERT (self->book != NULL && first + count <= self->book->holders->len);
  if (self->machine == NULL) {
    for (guint32 i = 0; i < count; i++)
      out_nodes[i] = lk_book_holder (self->book, first + i)->tres[LK_TRES_NODE];
    return;
  }
  Sets sets = { .first = first, .count = count };
  sets.words = lk_bits_words (self->machine->nodes.node_count);
  sets.sets = g_new0 (guint64, (gsize)count * sets.words);
  for (LkJobIndex job = 0; job < self->jobs.limit; job++)
    if (lk_engine_has_started (self, job))
      add_job (self, job, &sets);
  for (guint32 i = 0; i < count; i++)
    out_nodes[i] = lk_bits_count (sets.sets + (gsize)i * sets.words, sets.words);
  g_free (sets.sets);
}
