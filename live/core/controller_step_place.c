/* live/core/controller_step_place.c — what of its job a step gets: which CPUs, cores and devices.
 *
 * What the job has is what the engine says; what other steps have of it, the table of steps.  A
 * step that overlaps takes what it likes, and nothing from the others.  GPUs are for one step
 * alone, those that it has asked for or all of the job's; memory is where it has asked for it. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/limits.h"
#include "live/core/controller_private.h"
#include "live/core/step_layout.h"

/* A node of the job, and what no step has there for itself. */
typedef struct {
  const LkPiece *piece; /* NULL: of a counted pool */
  guint32 node;
  guint32 cpus_per_core;
  guint64 *cores_free; /* set; NULL: cores are not counted */
  guint64 devices_free;
} Part;

static void
part_clear (gpointer part)
{
  g_free (((Part *)part)->cores_free);
}

/* ---------------------------------------------------------------- texts */

static void
append_ranges (GString *out, const guint64 *set, guint32 word_count)
{
  gsize begin = out->len;
  guint32 limit = word_count * 64;
  for (guint32 bit = lk_bits_next (set, word_count, 0); bit < limit;) {
    guint32 last = bit;
    while (last + 1 < limit && lk_bits_has (set, last + 1))
      last++;
    g_string_append_printf (out, "%s%u", out->len > begin ? "," : "", bit);
    if (last > bit)
      g_string_append_printf (out, "-%u", last);
    bit = lk_bits_next (set, word_count, last + 1);
  }
}

/* Of 0-3,8 what is below the limit; nothing behind what cannot be read. */
static void
read_ranges (const char *text, gsize length_bytes, guint64 *set, guint32 word_count)
{
  guint64 first = 0;
  guint64 number = 0;
  gboolean is_range = FALSE;
  for (gsize i = 0; i <= length_bytes; i++) {
    if (i < length_bytes && g_ascii_isdigit (text[i])) {
      number = MIN (number * 10 + (guint64)g_ascii_digit_value (text[i]), G_MAXUINT32);
      continue;
    }
    if (i < length_bytes && text[i] == '-') {
      first = number;
      is_range = TRUE;
    } else {
      for (guint64 bit = is_range ? first : number; bit <= number && bit < word_count * 64u; bit++)
        lk_bits_add (set, (guint32)bit);
      is_range = FALSE;
    }
    number = 0;
  }
}

static gboolean
asks_for_memory (const LkMessage_kept_step *kept)
{
  return kept->memory_per_node_bytes > 0 || kept->memory_per_cpu_bytes > 0
         || kept->memory_per_gpu_bytes > 0;
}

void
lk_step_read_place (const LkController *self, const LkMessage_kept_step *kept,
                    const LkStepPlace *place, LkJobStepOn *on)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  static const char gpu[] = "gpu:";
  on->cpus = place->cpus;
  on->memory_bytes = asks_for_memory (kept) ? place->memory_bytes : 0;
  if (table != NULL && place->cores.length_bytes > 0) {
    on->cores = g_new0 (guint64, table->core_words);
    read_ranges (place->cores.bytes, place->cores.length_bytes, on->cores, table->core_words);
  }
  if (place->gres.length_bytes > strlen (gpu) && memcmp (place->gres.bytes, gpu, strlen (gpu)) == 0)
    read_ranges (place->gres.bytes + strlen (gpu), place->gres.length_bytes - strlen (gpu),
                 &on->devices, 1);
}

/* ---------------------------------------------------------------- what there is */

/* What a step has there for itself is not free. */
static void
take_from (const LkController *self, const LkJobStepOn *on, Part *part, LkStepOffer *offer)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  for (guint32 word = 0; part->cores_free != NULL && on->cores != NULL && word < table->core_words;
       word++)
    part->cores_free[word] &= ~on->cores[word];
  part->devices_free &= ~on->devices;
  offer->memory_free_bytes -= MIN (on->memory_bytes, offer->memory_free_bytes);
  offer->cpus_free -= MIN (on->cpus, offer->cpus_free);
}

/* Until all of a step has ended it keeps what it has: on which nodes it has, a crash of ours
 * forgets, until their agents tell it again. */
static void
take_steps (const LkController *self, const LkRun *run, Part *part, LkStepOffer *offer)
{
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    const LkJobStepOn *on = step->end_seq == 0 ? lk_step_on (step, part->node) : NULL;
    if (on != NULL && (step->kept.flags & LK_STEP_FLAG_OVERLAP) == 0)
      take_from (self, on, part, offer);
  }
  if (part->cores_free != NULL) {
    guint32 words = lk_engine_nodes (self->engine)->core_words;
    offer->cpus_free =
        MIN (offer->cpus, lk_bits_count (part->cores_free, words) * part->cpus_per_core);
  }
  offer->gpus_free = lk_bits_count_word (part->devices_free);
}

static void
add_piece (const LkController *self, const LkRun *run, const LkPiece *piece, GArray *parts,
           GArray *offers)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  const LkRunNode *on = lk_run_node (run, piece->node);
  guint32 cores = lk_bits_count (piece->cores, table->core_words);
  if (on == NULL || on->is_dropped || on->stage == LK_ON_NODE_GONE)
    return;
  Part part = { .piece = piece,
                .node = piece->node,
                .cpus_per_core = cores > 0 ? MAX ((piece->cpus + cores - 1) / cores, 1) : 1,
                .devices_free = piece->devices };
  if (cores > 0)
    part.cores_free = g_memdup2 (piece->cores, table->core_words * sizeof (guint64));
  LkStepOffer offer = { .name = table->names[piece->node],
                        .cpus = piece->cpus,
                        .cpus_free = piece->cpus,
                        .cpus_per_core = part.cpus_per_core,
                        .memory_bytes = piece->memory_bytes,
                        .memory_free_bytes = piece->memory_bytes,
                        .gpus = lk_bits_count_word (piece->devices) };
  take_steps (self, run, &part, &offer);
  g_array_append_val (parts, part);
  g_array_append_val (offers, offer);
}

/* In the order of the job's nodes. */
static void
look_at_job (const LkController *self, const LkRun *run, GArray *parts, GArray *offers)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  if (table == NULL) {
    LkJobIndex job = lk_engine_job_index (self->engine, run->job_id);
    guint32 units = lk_engine_view (self->engine)->jobs->units[job];
    Part part = { .cpus_per_core = 1 };
    LkStepOffer offer = {
      .name = self->nodes[0].name, .cpus = units, .cpus_free = units, .cpus_per_core = 1
    };
    take_steps (self, run, &part, &offer);
    g_array_append_val (parts, part);
    g_array_append_val (offers, offer);
    return;
  }
  for (guint32 piece = lk_engine_job_pieces (self->engine, run->job_id); piece != LK_PIECE_NONE;
       piece = lk_piece (table, piece)->next_of_job)
    add_piece (self, run, lk_piece (table, piece), parts, offers);
}

/* ---------------------------------------------------------------- cores and devices */

/* The lowest ones that are free, and behind them, for one that overlaps, others of the job. */
static void
append_cores (const LkController *self, const Part *part, guint32 cpus, GString *out)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  if (part->cores_free == NULL)
    return;
  guint32 words = table->core_words;
  guint32 wanted = (cpus + part->cpus_per_core - 1) / part->cpus_per_core;
  g_autofree guint64 *chosen = g_new0 (guint64, words);
  const guint64 *sets[] = { part->cores_free, part->piece->cores };
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    for (guint32 core = lk_bits_next (sets[i], words, 0); wanted > 0 && core < words * 64;
         core = lk_bits_next (sets[i], words, core + 1)) {
      wanted -= lk_bits_has (chosen, core) ? 0 : 1;
      lk_bits_add (chosen, core);
    }
  append_ranges (out, chosen, words);
}

static guint64
choose_devices (const Part *part, guint32 count)
{
  guint64 chosen = 0;
  const guint64 sets[] = { part->devices_free, part->piece != NULL ? part->piece->devices : 0 };
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    for (guint32 device = lk_bits_next (&sets[i], 1, 0); count > 0 && device < 64;
         device = lk_bits_next (&sets[i], 1, device + 1)) {
      count -= lk_bits_has (&chosen, device) ? 0 : 1;
      lk_bits_add (&chosen, device);
    }
  return chosen;
}

static void
append_word (GString *out, gsize begin)
{
  if (out->len > begin)
    g_string_append_c (out, '|');
}

/* Shares of a device, and what is only counted: all that the job has. */
static void
append_rest (const LkController *self, const LkPiece *piece, gsize begin, GString *out)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  for (guint32 i = 0; i < table->gres_count; i++) {
    const LkGresName *name = &table->gres[i];
    if (name->kind == LK_GRES_SHARE && piece->shares > 0
        && lk_node_kind (table, piece->node)->share_name == i) {
      append_word (out, begin);
      g_string_append_printf (out, "%s*%u@%u", name->name, piece->shares, piece->share_device);
    } else if (name->kind == LK_GRES_COUNT && piece->counts[i] > 0) {
      append_word (out, begin);
      g_string_append_printf (out, "%s*%u", name->name, piece->counts[i]);
    }
  }
}

static void
append_devices (const LkController *self, const LkStepWant *want, const Part *part, guint32 gpus,
                GString *out)
{
  gsize begin = out->len;
  if (part->piece == NULL || (want->flags & LK_STEP_FLAG_NO_DEVICES) != 0)
    return;
  guint64 devices = choose_devices (part, gpus);
  if (devices != 0) {
    g_string_append (out, "gpu:");
    append_ranges (out, &devices, 1);
  }
  if (!lk_step_want_asks_gpus (want))
    append_rest (self, part->piece, begin, out);
}

/* ---------------------------------------------------------------- all of it */

static void
append_place (const LkController *self, const LkStepWant *want, const LkStepShare *share,
              const char *tasks, GArray *parts, GByteArray *places)
{
  const Part *part = &g_array_index (parts, Part, share->offer);
  g_autoptr (GString) cores = g_string_new (NULL);
  g_autoptr (GString) gres = g_string_new (NULL);
  append_cores (self, part, share->cpus, cores);
  append_devices (self, want, part, share->gpus, gres);
  gint64 of_job_bytes = part->piece != NULL ? part->piece->memory_bytes : 0;
  LkStepPlace place = { .node = lk_text (self->nodes[part->node].name),
                        .task_count = share->task_count,
                        .tasks = { tasks, (guint32)strlen (tasks) },
                        .cpus = share->cpus,
                        .cores = { cores->str, (guint32)cores->len },
                        .memory_bytes =
                            share->memory_bytes > 0 ? share->memory_bytes : of_job_bytes,
                        .gres = lk_text (gres->str) };
  if (place.node.length_bytes == 0)
    place.node = lk_text ("pool");
  lk_step_place_append (&place, places);
}

LkStepError
lk_run_step_place (const LkController *self, const LkRun *run, const LkStepWant *want,
                   LkMessage_kept_step *kept, GByteArray *places)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_autoptr (GArray) offers = g_array_new (FALSE, FALSE, sizeof (LkStepOffer));
  LkStepLayout layout;
  g_array_set_clear_func (parts, part_clear);
  lk_step_layout_init (&layout);
  look_at_job (self, run, parts, offers);
  LkStepError error =
      lk_step_layout_make (&layout, want, (const LkStepOffer *)(gpointer)offers->data, offers->len);
  g_autoptr (GPtrArray) tasks = lk_step_layout_tasks (&layout);
  for (guint32 i = 0; i < layout.shares->len; i++)
    append_place (self, want, &g_array_index (layout.shares, LkStepShare, i),
                  g_ptr_array_index (tasks, i), parts, places);
  kept->task_count = layout.tasks;
  kept->places = (LkPlaces){ places->data, places->len };
  lk_step_layout_clear (&layout);
  return error;
}
