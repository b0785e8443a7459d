/* sim/whatif/measure.c — see the header.
 *
 * Each thread reads the whole journal and stops at moments of its own, so that what it knows at one
 * can only be what came before. */
#include "sim/whatif/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/checked.h"
#include "sim/error.h"
#include "sim/whatif/calibration.h"

#define EXACT_S 1.0
/* The first tenth of those who waited is only a past. */
#define LEAD_SHARE 10u

typedef struct {
  const LkMeasureOptions *options;
  const char *path;
  GArray *moments; /* of LkMeasured, by rising seq */
  guint thread_count;
  GMutex lock; /* of what follows */
  GError *error;
  guint done_count;
  gboolean is_shown;
} Work;

/* ---------------------------------------------------------------- who waited */

/* Nobody can foretell what its user decides: when it is released, or what it depends on. */
static gboolean
is_plain (const LkEvent_submit *asked)
{
  return (asked->flags & LK_REQUEST_HOLD) == 0 && asked->dependency.length_bytes == 0
         && asked->array.length_bytes == 0 && asked->begin_us == 0 && asked->het_count == 0;
}

/* What becomes of those that wait is read from the decisions, without an engine. */
static void
take_starts (GHashTable *waiting, LkJournalReader *reader, const LkEvent *event, GArray *out)
{
  LkDecision decision;
  while (lk_journal_reader_decision (reader, &decision)) {
    gboolean is_start = decision.kind == LK_DECISION_START;
    guint32 id = is_start ? decision.start.job_id : 0;
    if (decision.kind == LK_DECISION_ACCEPT && event->kind == LK_EVENT_SUBMIT
        && is_plain (&event->submit)) {
      LkMeasured *moment = g_new0 (LkMeasured, 1);
      *moment = (LkMeasured){ .job_id = event->submit.job_id,
                              .seq = event->seq,
                              .submit_us = event->time_us };
      g_hash_table_replace (waiting, GUINT_TO_POINTER (moment->job_id), moment);
    }
    LkMeasured *moment = is_start ? g_hash_table_lookup (waiting, GUINT_TO_POINTER (id)) : NULL;
    if (moment == NULL)
      continue;
    moment->wait_s = (double)(event->time_us - moment->submit_us) / 1e6;
    if (moment->wait_s >= EXACT_S)
      g_array_append_val (out, *moment);
    g_hash_table_remove (waiting, GUINT_TO_POINTER (id));
  }
}

/* A hold, an update or a requeue is not foretold either. */
static void
forget_changed (GHashTable *waiting, const LkEvent *event)
{
  if (event->kind == LK_EVENT_HOLD)
    g_hash_table_remove (waiting, GUINT_TO_POINTER (event->hold.job_id));
  else if (event->kind == LK_EVENT_UPDATE)
    g_hash_table_remove (waiting, GUINT_TO_POINTER (event->update.job_id));
}

static gint
by_seq (gconstpointer a, gconstpointer b)
{
  guint64 x = ((const LkMeasured *)a)->seq, y = ((const LkMeasured *)b)->seq;
  return (x > y) - (x < y);
}

static GArray *
find_waits (const char *path, GError **error)
{
  LkJournalInput input;
  LkEvent event;
  if (!lk_journal_input_open (&input, path, error))
    return NULL;
  GArray *waits = g_array_new (FALSE, FALSE, sizeof (LkMeasured));
  g_autoptr (GHashTable) waiting = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  while (lk_journal_reader_next (input.reader, &event) == LK_JOURNAL_EVENT) {
    forget_changed (waiting, &event);
    take_starts (waiting, input.reader, &event, waits);
  }
  g_array_sort (waits, by_seq);
  lk_journal_input_close (&input);
  return waits;
}

/* So many of them as are wanted, spread evenly, in blocks of the two parts. */
static GArray *
choose (const LkMeasureOptions *options, const GArray *waits)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (LkMeasured));
  guint first = waits->len / LEAD_SHARE;
  guint left = waits->len - first;
  guint count = MIN (left, options->moment_count);
  for (guint i = 0; i < count; i++) {
    guint at = first + (guint)((guint64)i * left / count);
    LkMeasured moment = g_array_index (waits, LkMeasured, at);
    moment.part = (guint)((guint64)i * options->block_count / count) % 2;
    g_array_append_val (chosen, moment);
  }
  return chosen;
}

/* ---------------------------------------------------------------- what is foretold */

static double
start_in (const LkWhatifState *state, const GByteArray *snapshot, const LkFutureBase *base,
          guint index, const LkMeasured *moment, gint64 horizon_us)
{
  guint64 key = lk_past_key_of (moment->job_id, LK_TASK_NONE);
  g_autoptr (LkFuture) future = lk_future_new (base, index);
  g_autoptr (LkBranch) branch = lk_branch_new (lk_whatif_copy (state, snapshot), state, future);
  gint64 end_us = lk_time_add_us (state->moment_us, horizon_us);
  lk_branch_run (branch, end_us, key);
  const LkOutcome *outcome = lk_branch_find (branch, key);
  gint64 start_us =
      outcome == NULL || outcome->start_us == LK_TIME_NEVER ? end_us : outcome->start_us;
  return (double)(start_us - state->moment_us) / 1e6;
}

static void
foretell (const Work *work, const LkWhatifState *state, LkMeasured *moment)
{
  const LkMeasureOptions *options = work->options;
  g_autoptr (GArray) starts = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GByteArray) snapshot = g_byte_array_new ();
  g_autoptr (LkFutureBase) base = lk_future_base_new (state, &options->future);
  lk_engine_save (state->engine, snapshot);
  for (guint i = 0; i < options->future_count; i++) {
    double start_s = start_in (state, snapshot, base, i, moment, options->future.horizon_us);
    g_array_append_val (starts, start_s);
  }
  moment->told_s = lk_interval_of (starts);
}

static void
show_progress (Work *work)
{
  g_mutex_lock (&work->lock);
  work->done_count++;
  if (work->is_shown)
    fprintf (stderr, "\rmoment %u of %u%s", work->done_count, work->moments->len,
             work->done_count == work->moments->len ? "\r\033[K" : "");
  g_mutex_unlock (&work->lock);
}

static gboolean
work_through (Work *work, LkWhatifState *state, guint thread, GError **error)
{
  for (guint i = thread; i < work->moments->len; i += work->thread_count) {
    LkMeasured *moment = &g_array_index (work->moments, LkMeasured, i);
    while (state->has_next && state->next.seq <= moment->seq)
      if (lk_whatif_state_step (state, error) < 0)
        return FALSE;
    foretell (work, state, moment);
    show_progress (work);
  }
  return TRUE;
}

static void
run_thread (gpointer place, gpointer user)
{
  Work *work = user;
  LkWhatifState state = { .path = NULL };
  GError *error = NULL;
  gboolean is_good = lk_whatif_state_open (&state, work->path, work->options->plugins, &error)
                     && work_through (work, &state, GPOINTER_TO_UINT (place) - 1, &error);
  lk_whatif_state_close (&state);
  g_mutex_lock (&work->lock);
  if (!is_good && work->error == NULL)
    work->error = g_steal_pointer (&error);
  g_mutex_unlock (&work->lock);
  g_clear_error (&error);
}

static gboolean
run_threads (Work *work, GError **error)
{
  g_mutex_init (&work->lock);
  GThreadPool *pool = g_thread_pool_new (run_thread, work, (gint)work->thread_count, TRUE, NULL);
  for (guint i = 0; i < work->thread_count; i++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (i + 1), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  g_mutex_clear (&work->lock);
  if (work->error == NULL)
    return TRUE;
  g_propagate_error (error, work->error);
  return FALSE;
}

gboolean
lk_measure_journal (const LkMeasureOptions *options, const char *path, GArray *out, GError **error)
{
  g_autoptr (GArray) waits = find_waits (path, error);
  if (waits == NULL)
    return FALSE;
  g_autoptr (GArray) chosen = choose (options, waits);
  if (chosen->len < 2 * options->block_count) {
    const char *what = chosen->len < options->moment_count ? "jobs waited that could be asked about"
                                                           : "moments are to be asked about";
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "journal '%s': only %u %s; expected at least %u, two for each of %u blocks", path,
                 chosen->len, what, 2 * options->block_count, options->block_count);
    return FALSE;
  }
  Work work = { .options = options,
                .path = path,
                .moments = chosen,
                .thread_count = MIN (options->thread_count, chosen->len),
                .is_shown = options->progress == LK_PROGRESS_ALWAYS
                            || (options->progress == LK_PROGRESS_AUTO && isatty (2)) };
  if (!run_threads (&work, error))
    return FALSE;
  g_array_append_vals (out, chosen->data, chosen->len);
  return TRUE;
}

/* ---------------------------------------------------------------- what came of it */

gboolean
lk_measured_holds (const LkMeasured *self, double scale)
{
  LkInterval told_s = lk_calibration_widen (&self->told_s, scale);
  return self->wait_s >= told_s.low - EXACT_S && self->wait_s <= told_s.high + EXACT_S;
}

static int
compare_reals (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double
lk_measure_fit (const GArray *moments, guint part)
{
  g_autoptr (GArray) needed = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < moments->len; i++) {
    const LkMeasured *moment = &g_array_index (moments, LkMeasured, i);
    double scale = lk_calibration_needed (&moment->told_s, moment->wait_s);
    if (part == 2 || moment->part == part)
      g_array_append_val (needed, scale);
  }
  qsort (needed->data, needed->len, sizeof (double), compare_reals);
  guint rank = ((needed->len + 1) * LK_MEASURE_PERCENT + 99) / 100;
  return needed->len > 0 ? g_array_index (needed, double, CLAMP (rank, 1, needed->len) - 1) : 1.0;
}
