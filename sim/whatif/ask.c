/* sim/whatif/ask.c — see the header. */
#include "sim/whatif/ask.h"

#include "sim/arguments.h"
#include "sim/duration.h"
#include "sim/error.h"

#define HORIZON "7d"
#define REPEAT_MAX 100000
#define THREADS_MAX 1024
#define HORIZON_MAX_US (G_GINT64_CONSTANT (3660) * 86400 * G_USEC_PER_SEC)

void
lk_ask_options_clear (LkAskOptions *self)
{
  g_free (self->state);
  g_free (self->at);
  g_free (self->horizon);
  g_free (self->arrivals);
  g_free (self->runtimes);
  g_free (self->repeat);
  g_free (self->seed);
  g_free (self->jobs);
  g_free (self->calibration);
  g_free (self->progress);
  g_strfreev (self->plugins);
}

void
lk_ask_add_options (LkAskOptions *self, GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "state", 's', 0, G_OPTION_ARG_FILENAME, &self->state,
      "A journal, a snapshot beside one, or the directory of a controller, also while it runs "
      "(default: the live cluster of whoever asks)",
      "JOURNAL|DIR" },
    { "at", 'a', 0, G_OPTION_ARG_STRING, &self->at,
      "The moment: behind event number N, a TIME with a unit (90m, 7d) of the journal's clock, a "
      "date, or 'last' (default: of a directory now, of a journal its last event, of a "
      "snapshot its own)",
      "N|TIME" },
    { "horizon", 0, 0, G_OPTION_ARG_STRING, &self->horizon,
      "How far to look ahead (default: with arrivals 'replay' to the end of the journal, "
      "else " HORIZON ")",
      "TIME" },
    { "arrivals", 0, 0, G_OPTION_ARG_STRING, &self->arrivals,
      "Who will come: 'none', 'resample' (days like those of the past), or 'replay' (who came "
      "behind --at). Default: 'replay' with --at where something came, else 'resample', or 'none' "
      "in "
      "the first day of a journal",
      "WHO" },
    { "runtimes", 0, 0, G_OPTION_ARG_STRING, &self->runtimes,
      "How long jobs run: 'history' (shares of their limits as in their user's past), 'limits', or "
      "'replay' (as they ran). Default: 'replay' with arrivals 'replay', else 'history', or "
      "'limits' "
      "where no job has ended yet",
      "HOW" },
    { "repeat", 'n', 0, G_OPTION_ARG_STRING, &self->repeat,
      "How many futures (default: 1 where they are all the same, else 20)", "N" },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &self->seed, "Which futures (default: 1)", "N" },
    { "jobs", 'j', 0, G_OPTION_ARG_STRING, &self->jobs,
      "Futures at once (default: as many as there are processors)", "N" },
    { "calibration", 0, 0, G_OPTION_ARG_FILENAME, &self->calibration,
      "Widen intervals of start times as 'lockstep calibrate --write' says", "FILE" },
    { "progress", 0, 0, G_OPTION_ARG_STRING, &self->progress,
      "Show how far it is: auto (on a terminal), always, never", "WHEN" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, "Print the answer as JSON", NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugins,
      "Load a policy plugin that the journal needs (may be repeated)", "FILE.so" },
    LK_DURATION_ENTRY,
    G_OPTION_ENTRY_NULL,
  };
  g_option_context_add_main_entries (context, entries, NULL);
}

static gboolean
open_state (const LkAskOptions *self, LkWhatifState *state, GError **error)
{
  return lk_whatif_state_open (state, self->state, self->plugins, error)
         && lk_whatif_state_go (state, self->at, error);
}

static gboolean
number_of (const char *option, const char *text, gint64 maximum, guint *out_number, GError **error)
{
  gint64 number;
  if (text == NULL)
    return TRUE;
  if (!lk_argument_number (option, text, 1, maximum, &number, error))
    return FALSE;
  *out_number = (guint)number;
  return TRUE;
}

static gboolean
read_words (const LkAskOptions *self, const LkWhatifState *state, LkFutureOptions *out,
            GError **error)
{
  gboolean was = self->at != NULL && state->has_next;
  gboolean has_days = lk_future_has_days (state);
  out->arrivals = was ? LK_ARRIVALS_REPLAY : has_days ? LK_ARRIVALS_RESAMPLE : LK_ARRIVALS_NONE;
  if (self->arrivals != NULL && !lk_arrivals_parse (self->arrivals, &out->arrivals, error))
    return FALSE;
  gboolean has_runs = state->past.runs->len > 0;
  out->runtimes = out->arrivals == LK_ARRIVALS_REPLAY ? LK_RUNTIMES_REPLAY
                  : has_runs                          ? LK_RUNTIMES_HISTORY
                                                      : LK_RUNTIMES_LIMITS;
  if (self->runtimes != NULL && !lk_runtimes_parse (self->runtimes, &out->runtimes, error))
    return FALSE;
  if (out->arrivals == LK_ARRIVALS_RESAMPLE && !has_days) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--arrivals is 'resample', but the journal has no whole day before the moment");
    return FALSE;
  }
  if (out->runtimes == LK_RUNTIMES_HISTORY && !has_runs) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--runtimes is 'history', but in the journal no job has ended before the moment");
    return FALSE;
  }
  if (state->has_next
      || (out->arrivals != LK_ARRIVALS_REPLAY && out->runtimes != LK_RUNTIMES_REPLAY))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "there is nothing to replay behind the moment: the journal ends there (see --at)");
  return FALSE;
}

static gboolean
read_times (const LkAskOptions *self, LkQuestion *out, GError **error)
{
  gint64 seed = 1;
  LkFutureOptions *future = &out->future;
  if (!lk_argument_duration_us ("--horizon", self->horizon != NULL ? self->horizon : HORIZON,
                                &future->horizon_us, error)
      || (self->seed != NULL
          && !lk_argument_number ("--seed", self->seed, 0, G_MAXINT64, &seed, error)))
    return FALSE;
  future->seed = (guint64)seed;
  out->progress = LK_PROGRESS_AUTO;
  if (self->progress != NULL && !lk_progress_mode_parse (self->progress, &out->progress, error))
    return FALSE;
  if (future->horizon_us >= 1 && future->horizon_us <= HORIZON_MAX_US)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--horizon is '%s'; expected more than 0, and at most ten years", self->horizon);
  return FALSE;
}

/* Nothing is drawn: all futures are the same. */
static gboolean
is_certain (const LkFutureOptions *future)
{
  return future->arrivals != LK_ARRIVALS_RESAMPLE && future->runtimes != LK_RUNTIMES_HISTORY;
}

gboolean
lk_ask_open (const LkAskOptions *self, guint repeat, LkWhatifState *state, LkQuestion *out_question,
             GError **error)
{
  *out_question = (LkQuestion){ .state = state, .thread_count = g_get_num_processors () };
  if (!lk_duration_check (self->json, error) || !read_times (self, out_question, error)
      || !number_of ("--jobs", self->jobs, THREADS_MAX, &out_question->thread_count, error)
      || !open_state (self, state, error)
      || !read_words (self, state, &out_question->future, error))
    return FALSE;
  out_question->repeat = is_certain (&out_question->future) ? 1 : repeat;
  if (!number_of ("--repeat", self->repeat, REPEAT_MAX, &out_question->repeat, error))
    return FALSE;
  if (!lk_whatif_state_read_later (state, error))
    return FALSE;
  if (self->horizon == NULL && out_question->future.arrivals == LK_ARRIVALS_REPLAY)
    out_question->future.horizon_us = MAX (state->later_end_us - state->moment_us, 1);
  return TRUE;
}
