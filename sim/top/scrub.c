/* sim/top/scrub.c — see the header.
 *
 * Marks are snapshots behind whole batches, where a reader can go on.  Those of the first way are
 * `far` and even; when there are too many of them every second one is dropped.  A way back leaves
 * `near` ones behind it, of which there are few, made anew each time. */
#include "sim/top/scrub.h"

#include <sys/stat.h>

#include "engine/assert.h"
#include "sim/error.h"
#include "sim/verb.h"

#define FAR_MAX 64u
#define FAR_BYTES_MAX (G_GUINT64_CONSTANT (512) << 20)
#define FAR_EVENTS_FIRST 1000u
#define NEAR_COUNT 8u
#define NEAR_EVENTS_MIN 64u
#define TICK_EVENTS 8u

typedef struct {
  guint64 seq;
  gint64 time_us;
  gsize offset_bytes;
  LkJournalCheckpoint checkpoint;
  GBytes *engine;
} Mark;

/* The end of a batch: a reader can go on behind it. */
typedef struct {
  guint64 seq; /* 0: the beginning */
  gsize offset_bytes;
  LkJournalCheckpoint checkpoint;
} Place;

/* From this moment on so much was in use. */
typedef struct {
  gint64 time_us;
  double ratio;
} Use;

struct _LkScrub {
  char *path;
  LkJournalInput input; /* as it was opened: its header is used on */
  GMappedFile *mapping; /* as it is now */
  gsize length_bytes;
  guint64 inode;
  Place end;   /* of all that is there */
  Place stand; /* of what was gone through last */
  LkRegistry *registry;
  LkSetup *setup;
  LkEngine *engine;
  LkJournalReader *reader;
  LkEvent next;
  gboolean has_next;
  guint64 seq;
  gint64 time_us;
  guint64 seq_first;
  guint64 seq_last;
  gint64 first_us;
  gint64 last_us;
  GArray *far;  /* of Mark, rising */
  GArray *near; /* likewise */
  guint64 far_bytes;
  guint64 far_events;
  guint64 near_events; /* 0: none are made */
  GArray *uses;        /* of Use, of all that was ever gone through */
  guint64 known_seq;   /* up to here */
};

static void
mark_clear (gpointer data)
{
  g_bytes_unref (((Mark *)data)->engine);
}

/* ---------------------------------------------------------------- opening */

static char *
journal_of (const char *path)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  g_autofree char *below = g_build_filename (path, "controller", NULL);
  return g_build_filename (g_file_test (below, G_FILE_TEST_IS_DIR) ? below : path, "journal", NULL);
}

static LkJournalReader *
reader_new (const LkScrub *self)
{
  const char *fault = NULL;
  LkJournalHeader header;
  const char *bytes = g_mapped_file_get_contents (self->mapping);
  LkJournalReader *reader =
      lk_journal_reader_new ((const guint8 *)bytes, self->length_bytes, &header, &fault);
  LK_ASSERT (reader != NULL); /* it has been read before */
  return reader;
}

/* TRUE: the event last read closes its batch; a reader can go on there. */
static gboolean
place_note (Place *self, const LkJournalReader *reader, guint64 seq)
{
  LkJournalCheckpoint checkpoint;
  if (!lk_journal_reader_checkpoint (reader, &checkpoint))
    return FALSE;
  *self = (Place){ seq, lk_journal_reader_good_bytes (reader), checkpoint };
  return TRUE;
}

/* To the end, without deciding anything. A tail that is not whole is not looked at. */
static LkJournalState
read_on (LkScrub *self, LkJournalReader *reader)
{
  LkEvent event;
  LkJournalState state;
  while ((state = lk_journal_reader_next (reader, &event)) == LK_JOURNAL_EVENT) {
    if (self->seq_last == 0) {
      self->seq_first = event.seq;
      self->first_us = event.time_us;
    }
    self->seq_last = event.seq;
    self->last_us = event.time_us;
    lk_journal_reader_decided (reader);
    place_note (&self->end, reader, event.seq);
  }
  return state;
}

static gboolean
read_bounds (LkScrub *self, GError **error)
{
  LkJournalState state = read_on (self, self->input.reader);
  if (state == LK_JOURNAL_CORRUPT) {
    g_autofree char *text = lk_journal_state_text (state, self->input.reader);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "journal '%s': %s", self->path, text);
    return FALSE;
  }
  if (self->seq_last == 0)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "journal '%s': it has no events",
                 self->path);
  return self->seq_last != 0;
}

static void
read_next (LkScrub *self)
{
  self->has_next = lk_journal_reader_next (self->reader, &self->next) == LK_JOURNAL_EVENT;
}

static void
begin (LkScrub *self)
{
  LkPolicyError refusal = { "" };
  g_clear_pointer (&self->engine, lk_engine_free);
  g_clear_pointer (&self->reader, lk_journal_reader_free);
  self->engine = lk_engine_new (lk_setup_config (self->setup), &refusal);
  LK_ASSERT (self->engine != NULL); /* the setup has tried the same configuration */
  self->reader = reader_new (self);
  self->stand = (Place){ 0 };
  self->seq = 0;
  self->time_us = self->first_us;
  read_next (self);
}

static gboolean
input_open (LkScrub *self, GError **error)
{
  struct stat status;
  if (!lk_journal_input_open (&self->input, self->path, error))
    return FALSE;
  self->mapping = g_mapped_file_ref (self->input.mapping);
  self->length_bytes = self->input.length_bytes;
  self->inode = stat (self->path, &status) == 0 ? (guint64)status.st_ino : 0;
  return read_bounds (self, error);
}

LkScrub *
lk_scrub_new (const char *path, char **plugins, GError **error)
{
  g_autoptr (LkScrub) self = g_new0 (LkScrub, 1);
  self->path = journal_of (path);
  self->far = g_array_new (FALSE, FALSE, sizeof (Mark));
  self->near = g_array_new (FALSE, FALSE, sizeof (Mark));
  self->uses = g_array_new (FALSE, FALSE, sizeof (Use));
  g_array_set_clear_func (self->far, mark_clear);
  g_array_set_clear_func (self->near, mark_clear);
  self->far_events = FAR_EVENTS_FIRST;
  if (!input_open (self, error))
    return NULL;
  self->registry = lk_verb_registry (plugins, error);
  if (self->registry == NULL)
    return NULL;
  self->setup = lk_setup_new_from_header (self->registry, &self->input.header, error);
  if (self->setup == NULL)
    return NULL;
  begin (self);
  return g_steal_pointer (&self);
}

void
lk_scrub_free (LkScrub *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->engine, lk_engine_free);
  g_clear_pointer (&self->reader, lk_journal_reader_free);
  g_clear_pointer (&self->setup, lk_setup_free);
  g_clear_pointer (&self->registry, lk_registry_free);
  g_array_unref (self->far);
  g_array_unref (self->near);
  g_array_unref (self->uses);
  g_clear_pointer (&self->mapping, g_mapped_file_unref);
  lk_journal_input_close (&self->input);
  g_free (self->path);
  g_free (self);
}

/* ---------------------------------------------------------------- marks */

static guint64
mark_add (LkScrub *self, GArray *marks, const LkJournalCheckpoint *checkpoint)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_engine_save (self->engine, bytes);
  guint64 length_bytes = bytes->len;
  Mark mark = { .seq = self->seq,
                .time_us = self->time_us,
                .offset_bytes = lk_journal_reader_good_bytes (self->reader),
                .checkpoint = *checkpoint,
                .engine = g_byte_array_free_to_bytes (g_steal_pointer (&bytes)) };
  g_array_append_val (marks, mark);
  return length_bytes;
}

static void
far_thin (LkScrub *self)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (Mark));
  self->far_bytes = 0;
  for (guint i = 1; i < self->far->len; i += 2) {
    Mark mark = g_array_index (self->far, Mark, i);
    g_bytes_ref (mark.engine);
    self->far_bytes += g_bytes_get_size (mark.engine);
    g_array_append_val (kept, mark);
  }
  g_array_set_clear_func (kept, mark_clear);
  g_array_unref (self->far);
  self->far = g_steal_pointer (&kept);
  self->far_events *= 2;
}

static guint64
last_seq (const GArray *marks)
{
  return marks->len > 0 ? g_array_index (marks, Mark, marks->len - 1).seq : 0;
}

/* Behind an event that closes its batch. */
static void
marks_note (LkScrub *self, const LkJournalCheckpoint *checkpoint)
{
  if (self->seq > self->known_seq && self->seq >= last_seq (self->far) + self->far_events) {
    self->far_bytes += mark_add (self, self->far, checkpoint);
    if (self->far->len >= FAR_MAX || (self->far_bytes > FAR_BYTES_MAX && self->far->len > 1))
      far_thin (self);
  }
  if (self->near_events > 0 && self->near->len < NEAR_COUNT
      && self->seq >= last_seq (self->near) + self->near_events)
    mark_add (self, self->near, checkpoint);
}

/* The last one that is wanted: by event or by time. NULL: there is none. */
static const Mark *
mark_before (const GArray *marks, guint64 seq, gint64 time_us)
{
  const Mark *found = NULL;
  for (guint i = 0; i < marks->len; i++) {
    const Mark *mark = &g_array_index (marks, Mark, i);
    if (mark->seq <= seq && mark->time_us <= time_us)
      found = mark;
  }
  return found;
}

static const Mark *
mark_nearest (const LkScrub *self, guint64 seq, gint64 time_us)
{
  const Mark *far = mark_before (self->far, seq, time_us);
  const Mark *near = mark_before (self->near, seq, time_us);
  return far == NULL || (near != NULL && near->seq > far->seq) ? near : far;
}

static void
load (LkScrub *self, const Mark *mark)
{
  LkStatus status;
  gsize length_bytes;
  const guint8 *bytes = g_bytes_get_data (mark->engine, &length_bytes);
  LkEngine *engine = lk_engine_load (lk_setup_config (self->setup), bytes, length_bytes, &status);
  LK_ASSERT (engine != NULL); /* we have saved it */
  lk_engine_free (self->engine);
  self->engine = engine;
  lk_journal_reader_free (self->reader);
  self->reader = reader_new (self);
  gboolean is_there = lk_journal_reader_go_on (self->reader, mark->offset_bytes, &mark->checkpoint);
  LK_ASSERT (is_there);
  self->stand = (Place){ mark->seq, mark->offset_bytes, mark->checkpoint };
  self->seq = mark->seq;
  self->time_us = mark->time_us;
  read_next (self);
}

/* ---------------------------------------------------------------- going */

static void
ignore_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  (void)user;
  (void)cause;
  (void)decision;
}

static void
note_use (LkScrub *self)
{
  LkEngineCounts counts;
  guint32 units = lk_engine_config (self->engine)->units_total;
  lk_engine_counts (self->engine, &counts);
  Use use = { self->time_us, units > 0 ? 1.0 - (double)counts.units_free / units : 0.0 };
  Use *last = self->uses->len > 0 ? &g_array_index (self->uses, Use, self->uses->len - 1) : NULL;
  if (last != NULL && last->time_us == use.time_us)
    last->ratio = use.ratio;
  else if (last == NULL || last->ratio > use.ratio || last->ratio < use.ratio)
    g_array_append_val (self->uses, use);
  self->known_seq = self->seq;
}

static gboolean
step (LkScrub *self, GError **error)
{
  LkSink sink = { ignore_decision, NULL };
  guint64 seq = self->next.seq;
  LkStatus status = lk_engine_apply (self->engine, &self->next, &sink);
  lk_journal_reader_decided (self->reader);
  gboolean is_batch = place_note (&self->stand, self->reader, seq);
  if (status != LK_STATUS_OK
      || (is_batch
          && !lk_digest_value_equal (self->stand.checkpoint.digest,
                                     lk_engine_digest (self->engine)))) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "journal '%s': up to event %" G_GUINT64_FORMAT
                 " its decisions are not those that this program makes; see lockstep replay",
                 self->path, seq);
    return FALSE;
  }
  self->seq = seq;
  self->time_us = self->next.time_us;
  if (is_batch)
    marks_note (self, &self->stand.checkpoint);
  if (self->seq > self->known_seq)
    note_use (self);
  read_next (self);
  return TRUE;
}

static void
tick (const LkScrub *self, LkProgress *progress)
{
  const LkProgressPoint point = { .now_us = self->time_us,
                                  .event_count = self->seq,
                                  .bytes_read = lk_journal_reader_good_bytes (self->reader),
                                  .bytes_total = self->length_bytes };
  if (self->seq % TICK_EVENTS == 0)
    lk_progress_tick (progress, &point);
}

static gboolean
go (LkScrub *self, guint64 seq, gint64 time_us, LkProgress *progress, GError **error)
{
  gboolean is_back = self->seq > seq || (self->seq > 0 && self->time_us > time_us);
  const Mark *mark = mark_nearest (self, seq, time_us);
  guint64 from_seq = self->seq;
  self->near_events = 0;
  if (mark != NULL && (is_back || mark->seq > self->seq))
    load (self, mark);
  else if (is_back)
    begin (self);
  if (is_back && from_seq - self->seq > NEAR_EVENTS_MIN) {
    g_array_set_size (self->near, 0);
    self->near_events = MAX (NEAR_EVENTS_MIN, (from_seq - self->seq) / NEAR_COUNT);
  }
  while (self->has_next && self->next.seq <= seq && self->next.time_us <= time_us) {
    if (!step (self, error))
      return FALSE;
    tick (self, progress);
  }
  return TRUE;
}

gboolean
lk_scrub_go_event (LkScrub *self, guint64 seq, LkProgress *progress, GError **error)
{
  return go (self, CLAMP (seq, self->seq_first, self->seq_last), LK_TIME_NEVER, progress, error);
}

gboolean
lk_scrub_go_time (LkScrub *self, gint64 time_us, LkProgress *progress, GError **error)
{
  return go (self, G_MAXUINT64, MAX (time_us, self->first_us), progress, error);
}

/* ---------------------------------------------------------------- growing */

/* As it is now, where that is what was opened. NULL: there is nothing new. */
static GMappedFile *
map_anew (const LkScrub *self)
{
  struct stat status;
  if (stat (self->path, &status) != 0 || (guint64)status.st_ino != self->inode
      || (guint64)status.st_size < self->end.offset_bytes
      || (guint64)status.st_size == self->length_bytes)
    return NULL;
  GMappedFile *mapping = lk_journal_map (self->path, NULL);
  if (mapping != NULL && g_mapped_file_get_length (mapping) < self->end.offset_bytes)
    g_clear_pointer (&mapping, g_mapped_file_unref);
  return mapping;
}

/* The reader that goes through it reads what is mapped now. */
static gboolean
stand_again (LkScrub *self, GError **error)
{
  guint64 seq = self->seq;
  const Mark *mark = mark_nearest (self, seq, LK_TIME_NEVER);
  if (seq != 0 && self->stand.seq == seq) {
    lk_journal_reader_free (self->reader);
    self->reader = reader_new (self);
    gboolean is_there =
        lk_journal_reader_go_on (self->reader, self->stand.offset_bytes, &self->stand.checkpoint);
    LK_ASSERT (is_there);
    read_next (self);
    return TRUE;
  }
  if (mark != NULL)
    load (self, mark);
  else
    begin (self);
  return go (self, seq, LK_TIME_NEVER, NULL, error);
}

gboolean
lk_scrub_grow (LkScrub *self, gboolean *out_has_grown, GError **error)
{
  guint64 last_before = self->seq_last;
  GMappedFile *mapping = map_anew (self);
  *out_has_grown = FALSE;
  if (mapping == NULL)
    return TRUE;
  GMappedFile *before = self->mapping;
  self->mapping = mapping;
  self->length_bytes = g_mapped_file_get_length (mapping);
  g_autoptr (LkJournalReader) reader = reader_new (self);
  gboolean is_there =
      lk_journal_reader_go_on (reader, self->end.offset_bytes, &self->end.checkpoint);
  LK_ASSERT (is_there);
  read_on (self, reader); /* what looks damaged may be half written: it is read again later */
  gboolean stands = stand_again (self, error);
  g_mapped_file_unref (before);
  *out_has_grown = self->seq_last > last_before;
  return stands;
}

/* ---------------------------------------------------------------- reading */

const LkEngine *
lk_scrub_engine (const LkScrub *self)
{
  return self->engine;
}

const LkEngineConfig *
lk_scrub_config (const LkScrub *self)
{
  return lk_setup_config (self->setup);
}

const char *
lk_scrub_path (const LkScrub *self)
{
  return self->path;
}

guint64
lk_scrub_seq (const LkScrub *self)
{
  return self->seq;
}

gint64
lk_scrub_time_us (const LkScrub *self)
{
  return self->time_us;
}

guint64
lk_scrub_seq_first (const LkScrub *self)
{
  return self->seq_first;
}

guint64
lk_scrub_seq_last (const LkScrub *self)
{
  return self->seq_last;
}

gint64
lk_scrub_first_us (const LkScrub *self)
{
  return self->first_us;
}

gint64
lk_scrub_last_us (const LkScrub *self)
{
  return self->last_us;
}

gboolean
lk_scrub_has_accounts (const LkScrub *self)
{
  return self->input.header.accounts.length_bytes > 0;
}

guint
lk_scrub_mark_count (const LkScrub *self)
{
  return self->far->len + self->near->len;
}

/* The last change at or before a moment; G_MAXUINT: none. */
static guint
use_before (const LkScrub *self, gint64 time_us)
{
  guint low = 0;
  guint high = self->uses->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (self->uses, Use, middle).time_us <= time_us)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? low - 1 : G_MAXUINT;
}

static double
use_mean (const LkScrub *self, gint64 from_us, gint64 to_us)
{
  double sum = 0.0;
  guint i = use_before (self, MAX (from_us, self->first_us));
  if (i == G_MAXUINT || to_us <= self->first_us || to_us <= from_us)
    return -1.0;
  for (gint64 at_us = from_us; at_us < to_us; i++) {
    gint64 end_us = i + 1 < self->uses->len
                        ? MIN (g_array_index (self->uses, Use, i + 1).time_us, to_us)
                        : to_us;
    if (end_us > at_us) {
      sum += g_array_index (self->uses, Use, i).ratio * (double)(end_us - at_us);
      at_us = end_us;
    }
  }
  return sum / (double)(to_us - from_us);
}

void
lk_scrub_use (const LkScrub *self, gint64 from_us, gint64 to_us, guint count, double *out_ratios)
{
  gint64 step_us = (to_us - from_us) / MAX (1, count);
  for (guint i = 0; i < count; i++)
    out_ratios[i] = use_mean (self, from_us + i * step_us, from_us + (i + 1) * step_us);
}

LkJournalReader *
lk_scrub_reader (const LkScrub *self, guint64 event_count)
{
  LkJournalReader *reader = reader_new (self);
  guint64 seq = self->seq > event_count ? self->seq - event_count : 0;
  const Mark *mark = mark_nearest (self, seq, LK_TIME_NEVER);
  if (mark != NULL)
    lk_journal_reader_go_on (reader, mark->offset_bytes, &mark->checkpoint);
  return reader;
}
