/* engine/engine_text.c — where a job was placed, in words: the texts of a start decision.
 *
 * nodes  the hostlist, in node order
 * cores  for each run of nodes with the same cores: hostlist=cores, runs joined by ;
 * gres   the same with devices (gpu:0-1), shares on a device (shard*460@3) and counts (nic*2) */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_private.h"
#include "engine/hostlist.h"

enum { TEXT_NODES, TEXT_CORES, TEXT_GRES };

/* Appends the members of a set as ranges: "0-3,8". */
static void
append_ranges (GString *out, const guint64 *set, guint32 word_count)
{
  guint32 end = word_count * 64;
  gsize begin_length = out->len;
  for (guint32 from = lk_bits_next (set, word_count, 0); from < end;) {
    guint32 to = from;
    while (to + 1 < end && lk_bits_has (set, to + 1))
      to++;
    if (out->len > begin_length)
      g_string_append_c (out, ',');
    if (to > from)
      g_string_append_printf (out, "%u-%u", from, to);
    else
      g_string_append_printf (out, "%u", from);
    from = lk_bits_next (set, word_count, to + 1);
  }
}

static void
append_gres (const LkEngine *self, const LkPiece *piece, GString *out)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  gsize begin_length = out->len;
  if (piece->devices != 0) {
    g_string_append (out, "gpu:");
    append_ranges (out, &piece->devices, 1);
  }
  if (piece->shares > 0)
    g_string_append_printf (out, "%s%s*%u@%u", out->len > begin_length ? "|" : "",
                            nodes->gres[lk_node_kind (nodes, piece->node)->share_name].name,
                            piece->shares, piece->share_device);
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (piece->counts[name] > 0)
      g_string_append_printf (out, "%s%s*%u", out->len > begin_length ? "|" : "",
                              nodes->gres[name].name, piece->counts[name]);
}

/* A run of nodes of which the same is to be told. */
typedef struct {
  GString *out;
  GString *told; /* of the run */
  guint first;   /* index of its first node */
} Run;

static void
run_end (Run *self, char *const *names, guint end)
{
  if (self->told->len == 0 || end == self->first)
    return;
  if (self->out->len > 0)
    g_string_append_c (self->out, ';');
  lk_hostlist_compress ((const char *const *)names + self->first, end - self->first, self->out);
  g_string_append_c (self->out, '=');
  g_string_append_len (self->out, self->told->str, (gssize)self->told->len);
}

static void
run_add (Run *self, char *const *names, guint index, const GString *told)
{
  if (index > 0 && g_string_equal (told, self->told))
    return;
  run_end (self, names, index);
  self->first = index;
  g_string_assign (self->told, told->str);
}

static LkLongText
long_text (const GString *string)
{
  return (LkLongText){ string->str, (guint32)string->len };
}

void
lk_engine_pieces_text (LkEngine *self, guint32 first_piece, LkDecision_start *start)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GString) piece_text = g_string_new (NULL);
  Run cores = { self->place_texts[TEXT_CORES], g_string_new (NULL), 0 };
  Run gres = { self->place_texts[TEXT_GRES], g_string_new (NULL), 0 };
  for (guint i = 0; i < G_N_ELEMENTS (self->place_texts); i++)
    g_string_truncate (self->place_texts[i], 0);
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    g_ptr_array_add (names, nodes->names[lk_piece (nodes, i)->node]);
  char **texts = (char **)names->pdata;
  guint index = 0;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job, index++) {
    const LkPiece *piece = lk_piece (nodes, i);
    start->memory_bytes += piece->memory_bytes;
    g_string_truncate (piece_text, 0);
    append_ranges (piece_text, piece->cores, nodes->core_words);
    run_add (&cores, texts, index, piece_text);
    g_string_truncate (piece_text, 0);
    append_gres (self, piece, piece_text);
    run_add (&gres, texts, index, piece_text);
  }
  run_end (&cores, texts, index);
  run_end (&gres, texts, index);
  lk_hostlist_compress ((const char *const *)texts, names->len, self->place_texts[TEXT_NODES]);
  start->nodes = long_text (self->place_texts[TEXT_NODES]);
  start->cores = long_text (self->place_texts[TEXT_CORES]);
  start->gres = long_text (self->place_texts[TEXT_GRES]);
  g_string_free (cores.told, TRUE);
  g_string_free (gres.told, TRUE);
}

void
lk_engine_place_text (LkEngine *self, LkJobIndex job, LkDecision_start *start)
{
  lk_engine_pieces_text (self, self->jobs.first_piece[job], start);
}

/* ---------------------------------------------------------------- whose words */

gboolean
lk_engine_is_slurm_22_05 (const LkEngine *self)
{
  return lk_engine_is_old (self);
}
