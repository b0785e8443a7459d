/* sim/whatif/verb_calibrate.c — see the header. */
#include "sim/whatif/verb_calibrate.h"

#include <stdio.h>

#include "sim/arguments.h"
#include "sim/duration.h"
#include "sim/error.h"
#include "sim/verb.h"
#include "sim/whatif/calibration.h"
#include "sim/whatif/effect_show.h"
#include "sim/whatif/measure.h"

#define MOMENTS 400
#define FUTURES 40
#define BLOCKS 40
#define HORIZON "14d"
#define COUNT_MAX 1000000

typedef struct {
  char *moments;
  char *futures;
  char *blocks;
  char *horizon;
  char *arrivals;
  char *runtimes;
  char *seed;
  char *jobs;
  char *progress;
  char *write;
  gboolean json;
  char **plugins;
  char **arguments;
} Options;

/* How often intervals held. */
typedef struct {
  guint held;
  guint count;
  double width_s; /* median */
} Held;

typedef struct {
  GArray *moments; /* of LkMeasured */
  Held raw;
  Held scaled;          /* each part by the scale of the other */
  double part_scale[2]; /* fitted on it */
  double scale;         /* on all */
} Outcome;

static const char description[] =
    "Asks of jobs that waited, at the moment of their submit and with what was known then, when\n"
    "they would start, and counts how often the 90 % interval held. Then it fits by how much the\n"
    "intervals must be wider on one part of the moments, and measures that on the other part,\n"
    "both ways; the parts are alternating blocks of the journal. --write keeps the scale for the\n"
    "option --calibration of lockstep whatif and plan. A log is first made a journal: lockstep "
    "sim\n"
    "LOG --journal FILE.\n"
    "\n"
    "Exit status: 0 measured; 1 a journal cannot be read, or too few jobs waited; 2 wrong command\n"
    "line.\n"
    "\n"
    "Example: lockstep calibrate run.journal --write calibration.json";

static void
options_clear (Options *self)
{
  g_free (self->moments);
  g_free (self->futures);
  g_free (self->blocks);
  g_free (self->horizon);
  g_free (self->arrivals);
  g_free (self->runtimes);
  g_free (self->seed);
  g_free (self->jobs);
  g_free (self->progress);
  g_free (self->write);
  g_strfreev (self->plugins);
  g_strfreev (self->arguments);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "moments", 'm', 0, G_OPTION_ARG_STRING, &out->moments,
      "At how many submits to ask, of each journal (default: 400)", "N" },
    { "futures", 'n', 0, G_OPTION_ARG_STRING, &out->futures,
      "How many futures each time (default: 40)", "N" },
    { "blocks", 0, 0, G_OPTION_ARG_STRING, &out->blocks,
      "Into how many blocks to cut a journal (default: 40)", "N" },
    { "horizon", 0, 0, G_OPTION_ARG_STRING, &out->horizon,
      "How far to look ahead (default: " HORIZON ")", "TIME" },
    { "arrivals", 0, 0, G_OPTION_ARG_STRING, &out->arrivals,
      "Who comes in these futures: 'resample' (the default) or 'none'", "WHO" },
    { "runtimes", 0, 0, G_OPTION_ARG_STRING, &out->runtimes,
      "How long jobs run in them: 'history' (the default) or 'limits'", "HOW" },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &out->seed, "Which futures (default: 1)", "N" },
    { "jobs", 'j', 0, G_OPTION_ARG_STRING, &out->jobs,
      "Moments at once (default: as many as there are processors)", "N" },
    { "write", 'w', 0, G_OPTION_ARG_FILENAME, &out->write,
      "Write the scale for --calibration of whatif and plan", "FILE" },
    { "progress", 0, 0, G_OPTION_ARG_STRING, &out->progress,
      "Show how far it is: auto (on a terminal), always, never", "WHEN" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print the measure, and each moment, as JSON",
      NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Load a policy plugin that a journal needs (may be repeated)", "FILE.so" },
    LK_DURATION_ENTRY,
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("JOURNAL... - measure how far foretold start times are to be trusted");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  out->arguments = lk_verb_parse (context, argc, argv, 1, G_MAXUINT, error);
  return out->arguments != NULL && lk_duration_check (out->json, error);
}

static gboolean
count_of (const char *option, const char *text, gint64 minimum, guint *out_count, GError **error)
{
  gint64 number;
  if (text == NULL)
    return TRUE;
  if (!lk_argument_number (option, text, minimum, COUNT_MAX, &number, error))
    return FALSE;
  *out_count = (guint)number;
  return TRUE;
}

/* The past cannot be foretold by what really came. */
static gboolean
check_words (const LkFutureOptions *future, GError **error)
{
  if (future->arrivals != LK_ARRIVALS_REPLAY && future->runtimes != LK_RUNTIMES_REPLAY)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--%s is 'replay'; expected futures that know only the past",
               future->arrivals == LK_ARRIVALS_REPLAY ? "arrivals" : "runtimes");
  return FALSE;
}

static gboolean
read_options (const Options *options, LkMeasureOptions *out, GError **error)
{
  gint64 seed = 1;
  *out = (LkMeasureOptions){ .future = { .arrivals = LK_ARRIVALS_RESAMPLE,
                                         .runtimes = LK_RUNTIMES_HISTORY },
                             .moment_count = MOMENTS,
                             .future_count = FUTURES,
                             .block_count = BLOCKS,
                             .thread_count = g_get_num_processors (),
                             .plugins = options->plugins };
  LkFutureOptions *future = &out->future;
  if (!count_of ("--moments", options->moments, 4, &out->moment_count, error)
      || !count_of ("--futures", options->futures, 2, &out->future_count, error)
      || !count_of ("--blocks", options->blocks, 2, &out->block_count, error)
      || !count_of ("--jobs", options->jobs, 1, &out->thread_count, error)
      || !lk_argument_duration_us ("--horizon",
                                   options->horizon != NULL ? options->horizon : HORIZON,
                                   &future->horizon_us, error))
    return FALSE;
  if ((options->arrivals != NULL
       && !lk_arrivals_parse (options->arrivals, &future->arrivals, error))
      || (options->runtimes != NULL
          && !lk_runtimes_parse (options->runtimes, &future->runtimes, error))
      || (options->seed != NULL
          && !lk_argument_number ("--seed", options->seed, 0, G_MAXINT64, &seed, error))
      || (options->progress != NULL
          && !lk_progress_mode_parse (options->progress, &out->progress, error)))
    return FALSE;
  future->seed = (guint64)seed;
  return check_words (future, error);
}

/* ---------------------------------------------------------------- the measure */

/* Of both parts; each moment with its scale. */
static Held
held_of (const GArray *moments, const double scale[2])
{
  Held held = { .count = moments->len };
  g_autoptr (GArray) widths = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < moments->len; i++) {
    const LkMeasured *moment = &g_array_index (moments, LkMeasured, i);
    LkInterval told_s = lk_calibration_widen (&moment->told_s, scale[moment->part]);
    double width_s = told_s.high - told_s.low;
    g_array_append_val (widths, width_s);
    held.held += lk_measured_holds (moment, scale[moment->part]) ? 1 : 0;
  }
  held.width_s = lk_interval_of (widths).middle;
  return held;
}

static void
measure (Outcome *self)
{
  const double none[2] = { 1.0, 1.0 };
  self->part_scale[0] = lk_measure_fit (self->moments, 0);
  self->part_scale[1] = lk_measure_fit (self->moments, 1);
  self->scale = lk_measure_fit (self->moments, 2);
  const double crossed[2] = { self->part_scale[1], self->part_scale[0] };
  self->raw = held_of (self->moments, none);
  self->scaled = held_of (self->moments, crossed);
}

static double
percent (const Held *held)
{
  return 100.0 * held->held / held->count;
}

static void
append_held (GString *out, const char *what, const Held *held)
{
  g_autofree char *width = lk_whatif_time (held->width_s);
  g_string_append_printf (out, "%-44s %6.1f %%  %6u of %u  %14s\n", what, percent (held),
                          held->held, held->count, width);
}

static void
show_text (const Outcome *self, const LkMeasureOptions *options, GString *out)
{
  g_autofree char *what = g_strdup_printf ("scaled by %.2f and %.2f, on the other part",
                                           self->part_scale[0], self->part_scale[1]);
  g_string_append_printf (out, "%u moments, %u futures each, arrivals %s, run times %s\n\n",
                          self->moments->len, options->future_count,
                          lk_arrivals_word (options->future.arrivals),
                          lk_runtimes_word (options->future.runtimes));
  g_string_append_printf (out, "%-44s %8s  %17s  %9s\n", "THE 90 % INTERVAL HELD", "", "",
                          "MEDIAN WIDTH");
  append_held (out, "raw", &self->raw);
  append_held (out, what, &self->scaled);
  g_string_append_printf (out, "\nscale, fitted on all: %.2f\n", self->scale);
}

static void
json_held (LkJsonOut *json, const char *key, const Held *held)
{
  lk_json_out_object_begin (json, key);
  lk_json_out_count (json, "held", held->held);
  lk_json_out_count (json, "of", held->count);
  lk_json_out_real (json, "percent", percent (held));
  lk_json_out_real (json, "width_s", held->width_s);
  lk_json_out_object_end (json);
}

static void
json_summary (const Outcome *self, const Options *options, const LkMeasureOptions *measured,
              LkJsonOut *json)
{
  lk_json_out_real (json, "scale", self->scale);
  lk_json_out_array_begin (json, "journals");
  for (guint i = 0; options->arguments[i] != NULL; i++)
    lk_json_out_text (json, NULL, options->arguments[i]);
  lk_json_out_array_end (json);
  lk_json_out_text (json, "arrivals", lk_arrivals_word (measured->future.arrivals));
  lk_json_out_text (json, "runtimes", lk_runtimes_word (measured->future.runtimes));
  lk_json_out_count (json, "futures", measured->future_count);
  lk_json_out_count (json, "blocks", measured->block_count);
  json_held (json, "raw", &self->raw);
  json_held (json, "scaled", &self->scaled);
  lk_json_out_real (json, "scale_even", self->part_scale[0]);
  lk_json_out_real (json, "scale_odd", self->part_scale[1]);
}

static void
json_moments (const GArray *moments, LkJsonOut *json)
{
  lk_json_out_array_begin (json, "moments");
  for (guint i = 0; i < moments->len; i++) {
    const LkMeasured *moment = &g_array_index (moments, LkMeasured, i);
    lk_json_out_object_begin (json, NULL);
    lk_json_out_count (json, "job", moment->job_id);
    lk_json_out_count (json, "event", moment->seq);
    lk_json_out_integer (json, "submit_us", moment->submit_us);
    lk_json_out_count (json, "part", moment->part);
    lk_json_out_real (json, "wait_s", moment->wait_s);
    lk_interval_json (json, "told_s", &moment->told_s);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
}

static gboolean
write_file (const Outcome *self, const Options *options, const LkMeasureOptions *measured,
            GError **error)
{
  LkJsonOut json;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) own = NULL;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  json_summary (self, options, measured, &json);
  lk_json_out_object_end (&json);
  g_string_append_c (text, '\n');
  if (g_file_set_contents (options->write, text->str, (gssize)text->len, &own))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "--write: %s", own->message);
  return FALSE;
}

static void
print (const Outcome *self, const Options *options, const LkMeasureOptions *measured)
{
  LkJsonOut json;
  g_autoptr (GString) out = g_string_new (NULL);
  if (!options->json) {
    show_text (self, measured, out);
    fputs (out->str, stdout);
    return;
  }
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  json_summary (self, options, measured, &json);
  json_moments (self->moments, &json);
  lk_json_out_object_end (&json);
  puts (out->str);
}

static gboolean
run (const Options *options, Outcome *outcome, GError **error)
{
  LkMeasureOptions measured;
  if (!read_options (options, &measured, error))
    return FALSE;
  for (guint i = 0; options->arguments[i] != NULL; i++) {
    const LkVerbFile files[] = {
      { "a JOURNAL", options->arguments[i], NULL, FALSE },
      { "--write", options->write, NULL, TRUE },
    };
    if (!lk_verb_check_files (files, G_N_ELEMENTS (files), error))
      return FALSE;
  }
  for (guint i = 0; options->arguments[i] != NULL; i++)
    if (!lk_measure_journal (&measured, options->arguments[i], outcome->moments, error))
      return FALSE;
  measure (outcome);
  if (options->write != NULL && !write_file (outcome, options, &measured, error))
    return FALSE;
  print (outcome, options, &measured);
  return TRUE;
}

int
lk_verb_calibrate (int argc, char **argv)
{
  g_auto (Options) options = { .moments = NULL };
  g_autoptr (GError) error = NULL;
  Outcome outcome = { .moments = g_array_new (FALSE, FALSE, sizeof (LkMeasured)) };
  gboolean is_good =
      parse_options (argc, argv, &options, &error) && run (&options, &outcome, &error);
  g_array_unref (outcome.moments);
  return is_good ? 0 : lk_verb_fail ("calibrate", error);
}
