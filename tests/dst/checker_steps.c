/* tests/dst/checker_steps.c — see the header. */
#include "tests/dst/checker_steps.h"

#include "engine/journal.h"
#include "live/core/message.h"
#include "live/core/step_task.h"

typedef struct {
  char *node;
  guint64 run_id;
  guint32 step_id;
  guint64 core_set;
  gboolean overlaps;
  gboolean is_over;
} Begun;

static void
begun_clear (gpointer data)
{
  g_free (((Begun *)data)->node);
}

void
dst_checker_steps_init (DstCheckerSteps *self, DstFindings *findings)
{
  self->findings = findings;
  self->begun = g_array_new (FALSE, TRUE, sizeof (Begun));
  g_array_set_clear_func (self->begun, begun_clear);
}

void
dst_checker_steps_clear (DstCheckerSteps *self)
{
  g_array_unref (self->begun);
}

/* ---------------------------------------------------------------- what really runs */

/* Of a list of single cores and ranges. */
static guint64
core_set (LkLongText list)
{
  g_autofree char *text = g_strndup (list.bytes, list.length_bytes);
  guint64 set = 0;
  for (const char *at = text; g_ascii_isdigit (*at);) {
    char *end;
    guint64 first = g_ascii_strtoull (at, &end, 10);
    guint64 last = *end == '-' ? g_ascii_strtoull (end + 1, &end, 10) : first;
    for (guint64 core = first; core <= last && core < 64; core++)
      set |= G_GUINT64_CONSTANT (1) << core;
    at = *end == ',' ? end + 1 : end;
  }
  return set;
}

static void
compare (DstCheckerSteps *self, const Begun *one, const Begun *other)
{
  if (g_strcmp0 (other->node, one->node) != 0 || other->run_id != one->run_id)
    return;
  if (other->step_id == one->step_id)
    dst_find (self->findings, "step %u of run %" G_GUINT64_FORMAT " begins twice on %s",
              one->step_id, one->run_id, one->node);
  else if (!other->is_over && !other->overlaps && !one->overlaps
           && (other->core_set & one->core_set) != 0)
    dst_find (self->findings,
              "steps %u and %u of run %" G_GUINT64_FORMAT " have cores of %s in common",
              other->step_id, one->step_id, one->run_id, one->node);
}

void
dst_checker_steps_begun (DstCheckerSteps *self, const LkProcessSimStep *step)
{
  Begun one = { .node = g_strdup (step->node),
                .run_id = step->run_id,
                .step_id = step->step_id,
                .core_set = core_set (step->place->cores),
                .overlaps = (step->flags & LK_STEP_FLAG_OVERLAP) != 0 };
  for (guint i = 0; i < self->begun->len; i++)
    compare (self, &one, &g_array_index (self->begun, Begun, i));
  g_array_append_val (self->begun, one);
}

void
dst_checker_steps_over (DstCheckerSteps *self, const LkProcessSimStep *step)
{
  for (guint i = 0; i < self->begun->len; i++) {
    Begun *one = &g_array_index (self->begun, Begun, i);
    if (one->run_id == step->run_id && one->step_id == step->step_id
        && g_strcmp0 (one->node, step->node) == 0)
      one->is_over = TRUE;
  }
}

/* ---------------------------------------------------------------- what it comes to */

/* Steps of a journal: those that have not ended, and how many there were. */
typedef struct {
  DstFindings *findings;
  GHashTable *living; /* of guint64 */
  guint count;
} Notes;

static guint64
key_of (guint64 run_id, guint32 step_id)
{
  return (run_id << 20) + step_id;
}

static void
take_note (Notes *self, const LkMessage *note)
{
  if (note->kind == LK_MESSAGE_KEPT_STEP) {
    guint64 key = key_of (note->kept_step.run_id, note->kept_step.step_id);
    if (!g_hash_table_add (self->living, g_memdup2 (&key, sizeof key)))
      dst_find (self->findings, "step %u of run %" G_GUINT64_FORMAT " is created twice",
                note->kept_step.step_id, note->kept_step.run_id);
    self->count++;
  } else if (note->kind == LK_MESSAGE_KEPT_STEP_ENDED) {
    guint64 key = key_of (note->kept_step_ended.run_id, note->kept_step_ended.step_id);
    if (!g_hash_table_remove (self->living, &key))
      dst_find (self->findings,
                "step %u of run %" G_GUINT64_FORMAT " has ended twice, or never was",
                note->kept_step_ended.step_id, note->kept_step_ended.run_id);
  }
}

guint
dst_checker_steps_look (const DstCheckerSteps *self, const guint8 *journal, gsize journal_bytes)
{
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  const guint8 *bytes;
  gsize length_bytes;
  g_autoptr (GHashTable) living = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Notes notes = { .findings = self->findings, .living = living };
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal, journal_bytes, &header, &fault);
  while (reader != NULL && lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    while (lk_journal_reader_note (reader, &bytes, &length_bytes)) {
      LkMessage note;
      if (lk_message_decode (bytes, length_bytes, &note))
        take_note (&notes, &note);
    }
  if (g_hash_table_size (living) > 0)
    dst_find (self->findings, "%u steps have not ended in the journal", g_hash_table_size (living));
  for (guint i = 0; i < self->begun->len; i++) {
    const Begun *one = &g_array_index (self->begun, Begun, i);
    if (!one->is_over)
      dst_find (self->findings, "step %u of run %" G_GUINT64_FORMAT " goes on on %s", one->step_id,
                one->run_id, one->node);
  }
  return notes.count;
}
