/* sim/whatif/state.c — see the header. */
#include "sim/whatif/state.h"

#include <sys/stat.h>

#include "engine/assert.h"
#include "engine/course.h"
#include "sim/error.h"
#include "sim/journal_live.h"
#include "sim/show.h"
#include "sim/verb.h"
#include "sim/whatif/snapshot.h"

/* In place of the path of a journal that the controller has sent. */
#define LK_WHATIF_LIVE "the controller's journal"

/* What is read of the decisions of an event while it is applied. */
typedef struct {
  LkWhatifState *state;
  const LkEvent *event;
} Applied;

/* ---------------------------------------------------------------- opening */

/* DIR/journal, DIR/controller/journal of a laptop cluster, or the one beside a snapshot. Returns:
 * (transfer full). */
static char *
journal_of (LkWhatifState *self, const char *path)
{
  self->is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  self->snapshot_seq = self->is_folder ? 0 : lk_whatif_snapshot_seq (path);
  g_autofree char *beside = g_path_get_dirname (path);
  if (self->snapshot_seq > 0)
    return g_build_filename (beside, "journal", NULL);
  return lk_journal_in (path);
}

/* That of the live cluster, as it is now. A copy is removed once it is open. */
static gboolean
open_live (LkWhatifState *self, GError **error)
{
  g_auto (LkJournalLive) live = { NULL };
  if (!lk_journal_live_open (&live, error)
      || !lk_journal_input_open (&self->input, live.path, error))
    return FALSE;
  self->is_folder = TRUE;
  self->path = live.is_copy ? g_strdup (LK_WHATIF_LIVE) : g_strdup (live.path);
  return TRUE;
}

static gboolean
open_named (LkWhatifState *self, const char *path, GError **error)
{
  self->path = journal_of (self, path);
  return lk_journal_input_open (&self->input, self->path, error);
}

gboolean
lk_whatif_state_open (LkWhatifState *self, const char *path, char **plugins, GError **error)
{
  LkPolicyError refusal = { "" };
  *self = (LkWhatifState){ .bytes = g_byte_array_new (),
                           .events = g_array_new (FALSE, FALSE, sizeof (LkPastSubmit)) };
  lk_past_init (&self->past);
  lk_past_init (&self->later);
  self->names = lk_journal_names_new ();
  if (path != NULL ? !open_named (self, path, error) : !open_live (self, error))
    return FALSE;
  self->registry = lk_verb_registry (plugins, error);
  if (self->registry == NULL)
    return FALSE;
  self->setup = lk_setup_new_from_header (self->registry, &self->input.header, error);
  if (self->setup == NULL)
    return FALSE;
  self->engine = lk_engine_new (lk_setup_config (self->setup), &refusal);
  LK_ASSERT (self->engine != NULL); /* the setup has tried the same configuration */
  self->end = lk_journal_reader_next (self->input.reader, &self->next);
  self->has_next = self->end == LK_JOURNAL_EVENT;
  return TRUE;
}

void
lk_whatif_state_close (LkWhatifState *self)
{
  g_clear_pointer (&self->engine, lk_engine_free);
  g_clear_pointer (&self->setup, lk_setup_free);
  g_clear_pointer (&self->registry, lk_registry_free);
  lk_past_clear (&self->past);
  lk_past_clear (&self->later);
  g_clear_pointer (&self->names, lk_journal_names_free);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->path, g_free);
  lk_journal_input_close (&self->input);
}

/* ---------------------------------------------------------------- event by event */

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Applied *applied = user;
  lk_past_decision (&applied->state->past, cause, decision, applied->state->engine);
}

static gboolean
fail_different (const LkWhatifState *self, guint64 seq, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
               "journal '%s': up to event %" G_GUINT64_FORMAT
               " its decisions are not those that this program makes; see lockstep replay",
               self->path, seq);
  return FALSE;
}

static gboolean
is_as_recorded (const LkWhatifState *self)
{
  LkJournalCheckpoint checkpoint;
  return !lk_journal_reader_checkpoint (self->input.reader, &checkpoint)
         || lk_digest_value_equal (checkpoint.digest, lk_engine_digest (self->engine));
}

int
lk_whatif_state_step (LkWhatifState *self, GError **error)
{
  Applied applied = { .state = self, .event = &self->next };
  LkSink sink = { on_decision, &applied };
  if (!self->has_next)
    return 0;
  guint64 seq = self->next.seq;
  if (lk_journal_names_add (self->names, self->input.reader, &self->next))
    self->past.has_notes = TRUE;
  lk_past_event (&self->past, &self->next);
  LkStatus status = lk_engine_apply (self->engine, &self->next, &sink);
  lk_journal_reader_decided (self->input.reader);
  if (status != LK_STATUS_OK || !is_as_recorded (self)) {
    fail_different (self, seq, error);
    return -1;
  }
  self->moment_us = self->next.time_us;
  self->applied_seq = seq;
  self->end = lk_journal_reader_next (self->input.reader, &self->next);
  self->has_next = self->end == LK_JOURNAL_EVENT;
  return 1;
}

/* ---------------------------------------------------------------- to the moment */

/* What a live controller writes has Unix time. */
static gboolean
has_dates (const LkWhatifState *self)
{
  const gint64 year_2000_us = G_GINT64_CONSTANT (946684800) * G_USEC_PER_SEC;
  return self->has_next && self->next.time_us > year_2000_us;
}

static gboolean
moment_parse (const LkWhatifState *self, const char *at, guint64 *out_seq, gint64 *out_us,
              GError **error)
{
  *out_seq = at == NULL && self->snapshot_seq > 0 ? self->snapshot_seq : G_MAXUINT64;
  *out_us = LK_TIME_NEVER;
  if (at == NULL || g_str_equal (at, "last")
      || g_ascii_string_to_unsigned (at, 10, 0, G_MAXUINT64 - 1, out_seq, NULL))
    return TRUE;
  return lk_show_moment_parse ("--at", at, has_dates (self) ? 0 : -1, out_us, error);
}

/* A number may name an event that is not there. */
static gboolean
check_reached (const LkWhatifState *self, const char *at, guint64 until_seq, GError **error)
{
  if (at == NULL || until_seq == G_MAXUINT64 || self->applied_seq >= until_seq)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--at is event %s, but the last event of journal '%s' is %" G_GUINT64_FORMAT, at,
               self->path, self->applied_seq);
  return FALSE;
}

/* What is cut off in a file that is being written is nobody's fault; damage in it is. */
static gboolean
check_end (const LkWhatifState *self, GError **error)
{
  if (self->has_next || self->end != LK_JOURNAL_CORRUPT)
    return TRUE;
  g_autofree char *text = lk_journal_state_text (self->end, self->input.reader);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "journal '%s': %s", self->path, text);
  return FALSE;
}

gboolean
lk_whatif_state_go (LkWhatifState *self, const char *at, GError **error)
{
  guint64 until_seq;
  gint64 until_us;
  if (!check_end (self, error))
    return FALSE;
  if (!self->has_next) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN, "journal '%s': it has no events",
                 self->path);
    return FALSE;
  }
  if (!moment_parse (self, at, &until_seq, &until_us, error))
    return FALSE;
  while (self->has_next && self->next.seq <= until_seq && self->next.time_us <= until_us)
    if (lk_whatif_state_step (self, error) < 0)
      return FALSE;
  if (lk_engine_view (self->engine)->now_us == G_MININT64) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--at is '%s', before the first event of journal '%s'", at, self->path);
    return FALSE;
  }
  /* Of a cluster that lives, nothing has happened since its last event. */
  if (at == NULL && self->is_folder)
    self->moment_us = MAX (self->moment_us, g_get_real_time ());
  else if (until_us != LK_TIME_NEVER)
    self->moment_us = MAX (self->moment_us, until_us);
  return check_end (self, error) && check_reached (self, at, until_seq, error);
}

/* ---------------------------------------------------------------- behind the moment */

/* What the scheduler and its timers did not bring about themselves. */
static gboolean
is_from_outside (LkEventKind kind)
{
  return kind != LK_EVENT_JOB_ENDED && kind != LK_EVENT_JOB_STARTED && kind != LK_EVENT_TIMER
         && kind != LK_EVENT_PASS;
}

static void
take_later (LkWhatifState *self)
{
  LkDecision decision;
  lk_past_event (&self->later, &self->next);
  lk_journal_names_add (self->names, self->input.reader, &self->next);
  while (lk_journal_reader_decision (self->input.reader, &decision))
    lk_past_decision (&self->later, &self->next, &decision, NULL);
  self->later_end_us = self->next.time_us;
  if (!is_from_outside (self->next.kind))
    return;
  LkPastSubmit event = { .time_us = self->next.time_us, .offset_bytes = self->bytes->len };
  if (self->next.kind == LK_EVENT_SUBMIT)
    event.key = lk_past_key_of (self->next.submit.job_id, LK_TASK_NONE);
  lk_event_encode (&self->next, self->bytes);
  event.length_bytes = self->bytes->len - event.offset_bytes;
  g_array_append_val (self->events, event);
}

gboolean
lk_whatif_state_read_later (LkWhatifState *self, GError **error)
{
  lk_past_go_on (&self->later, &self->past);
  self->later_end_us = self->moment_us;
  while (self->has_next) {
    take_later (self);
    self->end = lk_journal_reader_next (self->input.reader, &self->next);
    self->has_next = self->end == LK_JOURNAL_EVENT;
  }
  return check_end (self, error);
}

gint64
lk_whatif_pass_delay_us (const LkWhatifState *self)
{
  return self->past.has_notes ? LK_PASS_DELAY_US : 0;
}
