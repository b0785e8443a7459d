/* sim/whatif/effect_show.c — see the header. */
#include "sim/whatif/effect_show.h"

#include <math.h>
#include <string.h>

#include "engine/job_shown.h"
#include "sim/duration.h"
#include "sim/whatif/calibration.h"
#include "sim/why_private.h"

#define JOBS_SHOWN 10u
#define RULE "\n"

/* ---------------------------------------------------------------- words */

void
lk_key_text (const LkJournalNames *names, guint64 key, GString *out)
{
  guint32 id = (guint32)(key >> 32);
  g_string_append_printf (out, "%u", id);
  if ((guint32)key != 0)
    g_string_append_printf (out, "_%u", (guint32)key - 1);
  lk_journal_names_append_log_id (names, id, out);
}

void
lk_key_json (const LkJournalNames *names, guint64 key, LkJsonOut *json)
{
  g_autoptr (GString) label = g_string_new (NULL);
  const char *log_id = lk_journal_names_log_id (names, (guint32)(key >> 32));
  lk_key_text (NULL, key, label);
  lk_json_out_text (json, "job", label->str);
  if (log_id != NULL)
    lk_json_out_text (json, "log_id", log_id);
}

char *
lk_whatif_user (const LkWhatifState *state, guint32 user_id)
{
  const LkView *view = lk_engine_view (state->engine);
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE && view->jobs->user_id[job] == user_id) {
      const char *name = lk_job_user (state->engine, job);
      if (name[0] != '\0')
        return g_strdup (name);
    }
  return g_strdup_printf ("%u", user_id);
}

char *
lk_whatif_time (double seconds)
{
  return lk_duration_cell (round (seconds), 0);
}

/* With a sign, as what is added. */
static char *
change_time (double seconds)
{
  return fabs (seconds) < 0.5 ? lk_whatif_time (0) : lk_duration_change (round (seconds), 0);
}

/* ---------------------------------------------------------------- the question */

void
lk_question_text (const LkQuestion *question, GString *out)
{
  const LkWhatifState *state = question->state;
  LkEngineCounts counts;
  lk_engine_counts (state->engine, &counts);
  g_autofree char *moment = lk_why_moment_text (state->moment_us);
  g_autofree char *horizon = lk_whatif_time ((double)question->future.horizon_us / 1e6);
  g_string_append_printf (
      out, "State: %s at %s, behind event %" G_GUINT64_FORMAT ": %u jobs run, %u wait\n",
      state->path, moment, counts.event_count, counts.running_count, counts.pending_count);
  g_string_append_printf (out, "Future: %s ahead, arrivals %s, run times %s, %u of them\n", horizon,
                          lk_arrivals_word (question->future.arrivals),
                          lk_runtimes_word (question->future.runtimes), question->repeat);
}

void
lk_question_json (const LkQuestion *question, LkJsonOut *json)
{
  const LkWhatifState *state = question->state;
  LkEngineCounts counts;
  lk_engine_counts (state->engine, &counts);
  lk_json_out_text (json, "journal", state->path);
  lk_json_out_integer (json, "moment_us", state->moment_us);
  lk_json_out_count (json, "event", counts.event_count);
  lk_json_out_count (json, "running", counts.running_count);
  lk_json_out_count (json, "pending", counts.pending_count);
  lk_json_out_text (json, "arrivals", lk_arrivals_word (question->future.arrivals));
  lk_json_out_text (json, "runtimes", lk_runtimes_word (question->future.runtimes));
  lk_json_out_seconds (json, "horizon_s", question->future.horizon_us);
  lk_json_out_count (json, "seed", question->future.seed);
  lk_json_out_count (json, "futures", question->repeat);
}

/* ---------------------------------------------------------------- for people */

static void
append_time_row (GString *out, const char *what, const LkEffectNumber *number)
{
  g_autofree char *before = lk_whatif_time (number->side[LK_BEFORE].middle);
  g_autofree char *after = lk_whatif_time (number->side[LK_AFTER].middle);
  g_autofree char *low = change_time (number->change.low);
  g_autofree char *middle = change_time (number->change.middle);
  g_autofree char *high = change_time (number->change.high);
  g_string_append_printf (out, "%-22s %13s %13s %13s  [%s, %s]\n", what, before, after, middle, low,
                          high);
}

static void
append_row (GString *out, const char *what, const LkEffectNumber *number, int digits)
{
  g_string_append_printf (out, "%-22s %13.*f %13.*f %+13.*f  [%+.*f, %+.*f]\n", what, digits,
                          number->side[LK_BEFORE].middle, digits, number->side[LK_AFTER].middle,
                          digits, number->change.middle, digits, number->change.low, digits,
                          number->change.high);
}

static void
append_numbers (const LkEffect *effect, GString *out)
{
  g_string_append_printf (out, RULE "%-22s %13s %13s %13s  [5 %%, 95 %%]\n", "", "BEFORE", "AFTER",
                          "CHANGE");
  append_row (out, "utilisation", &effect->use_ratio, 4);
  append_time_row (out, "mean wait", &effect->wait_mean_s);
  append_row (out, "jobs started", &effect->started, 0);
  append_row (out, "jobs waiting at end", &effect->waiting, 0);
  append_row (out, "jobs refused", &effect->refused, 0);
}

static gint
by_change (gconstpointer a, gconstpointer b)
{
  const LkEffectJob *x = *(LkEffectJob *const *)a, *y = *(LkEffectJob *const *)b;
  double p = fabs (x->change_s.middle), q = fabs (y->change_s.middle);
  if (p != q)
    return p > q ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static void
append_job (const LkEffectShow *show, const LkEffectJob *job, GString *out)
{
  g_autoptr (GString) label = g_string_new (NULL);
  g_autofree char *user = lk_whatif_user (show->question->state, job->user_id);
  g_autofree char *before = lk_whatif_time (job->start_s[LK_BEFORE].middle);
  g_autofree char *after = lk_whatif_time (job->start_s[LK_AFTER].middle);
  g_autofree char *low = change_time (job->change_s.low);
  g_autofree char *middle = change_time (job->change_s.middle);
  g_autofree char *high = change_time (job->change_s.high);
  lk_key_text (show->question->state->names, job->key, label);
  g_string_append_printf (out, "%-12s %-10s %13s %13s %13s  [%s, %s]\n", label->str, user, before,
                          after, middle, low, high);
}

/* Those that move, most first; `sign` -1: earlier, 1: later, 0: not at all, which all are shown. */
static void
append_jobs (const LkEffectShow *show, const char *title, int sign, GString *out)
{
  const LkEffect *effect = show->effect;
  g_autoptr (GPtrArray) jobs = g_ptr_array_new ();
  for (guint i = 0; i < effect->jobs->len; i++) {
    LkEffectJob *job = g_ptr_array_index (effect->jobs, i);
    double change_s = job->change_s.middle;
    int moves = isnan (change_s) || fabs (change_s) <= LK_EFFECT_SAME_S ? 0
                : change_s < 0.0                                        ? -1
                                                                        : 1;
    if (!isnan (change_s) && moves == sign)
      g_ptr_array_add (jobs, job);
  }
  if (jobs->len == 0)
    return;
  g_ptr_array_sort (jobs, by_change);
  guint count = show->is_all ? jobs->len : MIN (jobs->len, JOBS_SHOWN);
  g_string_append_printf (out, RULE "%s: %u job%s%s\n", title, jobs->len, jobs->len == 1 ? "" : "s",
                          count < jobs->len ? ", of which the first (all: --all)" : "");
  g_string_append_printf (out, "%-12s %-10s %13s %13s %13s  [5 %%, 95 %%]\n", "JOB", "USER",
                          "START BEFORE", "START AFTER", "CHANGE");
  for (guint i = 0; i < count; i++)
    append_job (show, g_ptr_array_index (jobs, i), out);
}

/* Waits at the end, or was refused, in some future of a side. */
static void
append_stuck (const LkEffectShow *show, guint side, GString *out)
{
  static const char *const titles[LK_SIDES] = { "Without", "With" };
  const LkEffect *effect = show->effect;
  guint shown = 0;
  for (guint i = 0; i < effect->jobs->len; i++) {
    const LkEffectJob *job = g_ptr_array_index (effect->jobs, i);
    g_autoptr (GString) label = g_string_new (NULL);
    if (job->waited[side] == 0 && job->reject[side] == 0)
      continue;
    if (++shown > JOBS_SHOWN && !show->is_all)
      continue;
    if (shown == 1)
      g_string_append_printf (out, RULE "%s the change do not start up to the horizon:\n",
                              titles[side]);
    lk_key_text (show->question->state->names, job->key, label);
    if (job->reject[side] != 0)
      g_string_append_printf (out, "%-12s refused: %s\n", label->str,
                              lk_reject_text (job->reject[side]));
    else
      g_string_append_printf (out, "%-12s in %u of %u futures%s: %s\n", label->str,
                              job->waited[side], effect->future_count,
                              job->never[side] > 0 ? ", and never will" : "",
                              lk_reason_name (job->reason[side]));
  }
  if (shown > JOBS_SHOWN && !show->is_all)
    g_string_append_printf (out, "... and %u more (all: --all)\n", shown - JOBS_SHOWN);
}

static void
append_reasons (const LkEffect *effect, GString *out)
{
  g_string_append_printf (out, RULE "%-28s %10s %10s\n", "JOBS THAT WAITED FOR", "BEFORE", "AFTER");
  for (guint i = 1; i < 256; i++)
    if (effect->reasons[LK_BEFORE][i] > 0.0 || effect->reasons[LK_AFTER][i] > 0.0)
      g_string_append_printf (out, "%-28s %10.1f %10.1f\n", lk_reason_name (i),
                              effect->reasons[LK_BEFORE][i], effect->reasons[LK_AFTER][i]);
}

static void
append_users (const LkEffectShow *show, GString *out)
{
  const LkEffect *effect = show->effect;
  g_string_append_printf (out, RULE "%-10s %8s %8s %8s %14s\n", "USER", "EARLIER", "LATER", "SAME",
                          "MEAN CHANGE");
  for (guint i = 0; i < effect->users->len; i++) {
    const LkEffectUser *user = g_ptr_array_index (effect->users, i);
    guint count = user->earlier_count + user->later_count + user->same_count;
    g_autofree char *name = lk_whatif_user (show->question->state, user->user_id);
    g_autofree char *mean = change_time (user->change_sum_s / count);
    g_string_append_printf (out, "%-10s %8u %8u %8u %14s\n", name, user->earlier_count,
                            user->later_count, user->same_count, mean);
  }
}

void
lk_effect_text (const LkEffectShow *show, GString *out)
{
  const LkEffect *effect = show->effect;
  const GPtrArray *lines = lk_change_set_lines (show->question->change);
  lk_question_text (show->question, out);
  g_string_append (out, lines->len > 0 ? "Change:\n" : "Change: none\n");
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (out, "  %s\n", (const char *)g_ptr_array_index (lines, i));
  append_numbers (effect, out);
  if (effect->is_same) {
    g_string_append (out, RULE "Both sides decide the same.\n");
    if (!show->is_all)
      return;
  }
  append_jobs (show, "Earlier", -1, out);
  append_jobs (show, "Later", 1, out);
  if (show->is_all)
    append_jobs (show, "At the same time", 0, out);
  append_stuck (show, LK_BEFORE, out);
  append_stuck (show, LK_AFTER, out);
  append_reasons (effect, out);
  if (effect->users->len > 0)
    append_users (show, out);
}

/* ---------------------------------------------------------------- as JSON */

void
lk_interval_json (LkJsonOut *json, const char *key, const LkInterval *interval)
{
  lk_json_out_object_begin (json, key);
  lk_json_out_real (json, "low", interval->low);
  lk_json_out_real (json, "median", interval->middle);
  lk_json_out_real (json, "high", interval->high);
  lk_json_out_object_end (json);
}

static void
json_number (LkJsonOut *json, const char *key, const LkEffectNumber *number)
{
  lk_json_out_object_begin (json, key);
  lk_interval_json (json, "before", &number->side[LK_BEFORE]);
  lk_interval_json (json, "after", &number->side[LK_AFTER]);
  lk_interval_json (json, "change", &number->change);
  lk_json_out_object_end (json);
}

static void
json_side (const LkEffectShow *show, const LkEffectJob *job, guint side, const char *key,
           LkJsonOut *json)
{
  LkInterval start_s = lk_calibration_widen (&job->start_s[side], show->calibration);
  lk_json_out_object_begin (json, key);
  lk_json_out_count (json, "started", job->started[side]);
  lk_interval_json (json, "start_s", &start_s);
  lk_json_out_count (json, "waits", job->waited[side]);
  lk_json_out_count (json, "never", job->never[side]);
  lk_json_out_text (json, "reason",
                    job->waited[side] > 0 ? lk_reason_name (job->reason[side]) : NULL);
  lk_json_out_text (json, "refused",
                    job->reject[side] != 0 ? lk_reject_text (job->reject[side]) : NULL);
  lk_json_out_object_end (json);
}

static void
json_jobs (const LkEffectShow *show, LkJsonOut *json)
{
  const LkEffect *effect = show->effect;
  lk_json_out_array_begin (json, "jobs");
  for (guint i = 0; i < effect->jobs->len; i++) {
    const LkEffectJob *job = g_ptr_array_index (effect->jobs, i);
    lk_json_out_object_begin (json, NULL);
    lk_key_json (show->question->state->names, job->key, json);
    lk_json_out_count (json, "user", job->user_id);
    lk_json_out_integer (json, "submit_us", job->submit_us);
    json_side (show, job, LK_BEFORE, "before", json);
    json_side (show, job, LK_AFTER, "after", json);
    lk_interval_json (json, "change_s", &job->change_s);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
}

static void
json_reasons (const LkEffect *effect, LkJsonOut *json)
{
  lk_json_out_array_begin (json, "waited_for");
  for (guint i = 1; i < 256; i++) {
    if (effect->reasons[LK_BEFORE][i] == 0.0 && effect->reasons[LK_AFTER][i] == 0.0)
      continue;
    lk_json_out_object_begin (json, NULL);
    lk_json_out_text (json, "reason", lk_reason_name (i));
    lk_json_out_real (json, "before", effect->reasons[LK_BEFORE][i]);
    lk_json_out_real (json, "after", effect->reasons[LK_AFTER][i]);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
}

static void
json_digests (const LkEffectShow *show, LkJsonOut *json)
{
  static const char *const keys[LK_SIDES] = { "digests_before", "digests_after" };
  for (guint side = 0; side < LK_SIDES; side++) {
    lk_json_out_array_begin (json, keys[side]);
    for (guint i = 0; i < show->pairs->len; i++) {
      const LkWhatifPair *pair = g_ptr_array_index (show->pairs, i);
      char text[LK_DIGEST_TEXT_BYTES];
      lk_digest_value_text (pair->digest[side], text);
      lk_json_out_text (json, NULL, text);
    }
    lk_json_out_array_end (json);
  }
}

void
lk_effect_json (const LkEffectShow *show, GString *out)
{
  LkJsonOut json;
  const LkEffect *effect = show->effect;
  const GPtrArray *lines = lk_change_set_lines (show->question->change);
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_question_json (show->question, &json);
  lk_json_out_array_begin (&json, "changes");
  for (guint i = 0; i < lines->len; i++)
    lk_json_out_text (&json, NULL, g_ptr_array_index (lines, i));
  lk_json_out_array_end (&json);
  lk_json_out_text (&json, "same", effect->is_same ? "yes" : "no");
  lk_json_out_real (&json, "calibration", show->calibration);
  json_number (&json, "utilisation", &effect->use_ratio);
  json_number (&json, "wait_mean_s", &effect->wait_mean_s);
  json_number (&json, "started", &effect->started);
  json_number (&json, "waiting", &effect->waiting);
  json_number (&json, "refused", &effect->refused);
  lk_json_out_count (&json, "earlier", effect->earlier_count);
  lk_json_out_count (&json, "later", effect->later_count);
  lk_json_out_count (&json, "unmoved", effect->same_count);
  json_reasons (effect, &json);
  json_jobs (show, &json);
  json_digests (show, &json);
  lk_json_out_object_end (&json);
}
