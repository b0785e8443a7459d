/* sim/verb_trace_generate.c — `lockstep trace generate MODEL`: the options of each model, then the
 * same for all: fit the load, put limits on, write. */
#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/error.h"
#include "sim/estimates.h"
#include "sim/trace_input.h"
#include "sim/verb.h"
#include "sim/verb_trace_verbs.h"
#include "traces/generate.h"
#include "traces/quantity.h"

#define JOBS_DEFAULT_COUNT 10000u
#define LOAD_MAX_RATIO 1000.0
#define GPU_MIX_DEFAULT "1:0.70,2:0.08,4:0.08,8:0.10,16:0.03,32:0.01"
#define GPU_LOAD_DEFAULT "0.7"

/* What all models have. Texts as given, NULL where not. */
typedef struct {
  char *output;
  char *format;
  char *seed_text;
  char *jobs_text;
  char *span_text;
  char *load_text;
  char *estimates_text;
  guint64 seed;
  double load_ratio; /* 0: as the model has it */
  LkGenerateLimits limits;
  LkEstimates *estimates;
  char *note; /* the command */
} Common;

static void
common_clear (Common *self)
{
  g_free (self->output);
  g_free (self->format);
  g_free (self->seed_text);
  g_free (self->jobs_text);
  g_free (self->span_text);
  g_free (self->load_text);
  g_free (self->estimates_text);
  g_free (self->note);
  lk_estimates_free (self->estimates);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Common, common_clear)

static GOptionContext *
context_new (Common *self, const char *parameters, const GOptionEntry *own_entries)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->output,
      "Write here, compressed when it ends in .gz or .zst (default: -, standard output)", "FILE" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &self->format,
      "swf, csv or jsonl (default: by the end of the output's name, else swf)", "FORMAT" },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &self->seed_text,
      "The same seed gives the same log (default 1)", "N" },
    { "jobs", 0, 0, G_OPTION_ARG_STRING, &self->jobs_text, "How many jobs", "N" },
    { "span", 0, 0, G_OPTION_ARG_STRING, &self->span_text,
      "End with the submits of this long, in seconds or with s, m, h, d, w", "TIME" },
    { "load", 0, 0, G_OPTION_ARG_STRING, &self->load_text,
      "Stretch the time between submits until the jobs' work is this share of the machine", "F" },
    { "estimates", 0, 0, G_OPTION_ARG_STRING, &self->estimates_text,
      "Time limits: those of the model or log, if any (trace, the default), the run times, run "
      "time times a random factor of 1 to F+1, or round values as users give them",
      "trace|exact|factor:F|tsafrir" },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context = g_option_context_new (parameters);
  g_option_context_add_main_entries (context, own_entries, NULL);
  g_option_context_add_main_entries (context, entries, NULL);
  return context;
}

/* The command without where its result goes, for the log's header. Returns: (transfer full). */
static char *
command_note (int argc, char **argv)
{
  GString *note = g_string_new (NULL);
  g_string_append_printf (note, "lockstep %s trace generate", LK_ENGINE_VERSION);
  for (int i = 0; i < argc; i++) {
    gboolean is_output = strcmp (argv[i], "-o") == 0 || strcmp (argv[i], "--output") == 0;
    if (is_output)
      i++;
    if (is_output || g_str_has_prefix (argv[i], "--output=") || g_str_has_prefix (argv[i], "-o"))
      continue;
    g_autofree char *name =
        g_str_has_prefix (argv[i], "-") ? g_strdup (argv[i]) : g_path_get_basename (argv[i]);
    g_string_append_printf (note, " %s", name);
  }
  /* One line of a header, whatever was typed. */
  for (char *at = note->str; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      *at = ' ';
  return g_string_free (note, FALSE);
}

static gboolean
load_parse (const char *text, double *out_load_ratio, GError **error)
{
  if (!lk_argument_ratio ("--load", text, out_load_ratio, error))
    return FALSE;
  if (*out_load_ratio <= LOAD_MAX_RATIO)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--load is '%s'; expected a share of the machine such as 0.8, at most 1000", text);
  return FALSE;
}

/* Texts to values. `load_default` may be NULL. */
static gboolean
common_parse (Common *self, const char *load_default, GError **error)
{
  const char *load = self->load_text != NULL ? self->load_text : load_default;
  const char *estimates = self->estimates_text != NULL ? self->estimates_text : "trace";
  gint64 jobs = JOBS_DEFAULT_COUNT;
  self->seed = 1;
  self->limits = (LkGenerateLimits){ G_MAXUINT64, G_MAXINT64 };
  if (self->output == NULL)
    self->output = g_strdup ("-");
  if (self->seed_text != NULL
      && !g_ascii_string_to_unsigned (self->seed_text, 10, 0, G_MAXUINT64, &self->seed, NULL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--seed is '%s'; expected a whole number >= 0", self->seed_text);
    return FALSE;
  }
  if ((self->jobs_text != NULL
       && !lk_argument_number ("--jobs", self->jobs_text, 1, G_MAXINT64, &jobs, error))
      || (self->span_text != NULL
          && !lk_argument_duration_us ("--span", self->span_text, &self->limits.submit_end_us,
                                       error))
      || (load != NULL && !load_parse (load, &self->load_ratio, error)))
    return FALSE;
  if (self->jobs_text != NULL || self->span_text == NULL)
    self->limits.job_max_count = (guint64)jobs;
  return lk_estimates_parse (estimates, self->seed, &self->estimates, error);
}

/* ---------------------------------------------------------------- writing */

static gboolean
jobs_write (const Common *self, LkGenerator *generator, LkTraceWriter *writer, GError **error)
{
  LkTraceRecord record;
  guint64 job_count = 0;
  while (job_count < self->limits.job_max_count && lk_generator_next (generator, &record)
         && record.submit_us < self->limits.submit_end_us) {
    job_count++;
    if (record.run_us > 0)
      record.limit_us = lk_estimates_apply (self->estimates, record.run_us, record.limit_us);
    if (!lk_trace_writer_add (writer, &record, error))
      return FALSE;
  }
  if (job_count > 0)
    return TRUE;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
               "no job is submitted within --span %s; nothing was written", self->span_text);
  return FALSE;
}

/* Takes the generator. */
static gboolean
generate (const Common *self, LkGenerator *taken, GError **error)
{
  g_autoptr (LkGenerator) generator = taken;
  double gap_scale_ratio = 1;
  if (generator == NULL)
    return FALSE;
  LkTraceWriterOptions options = { .unix_start_s = lk_generator_unix_start_s (generator),
                                   .max_procs = (gint64)lk_generator_procs (generator),
                                   .computer = "synthetic",
                                   .note = self->note };
  if (options.unix_start_s < 0)
    options.unix_start_s = 0;
  if (!lk_trace_write_format (self->format, self->output, LK_WRITE_SWF, &options.format, error)
      || (self->load_ratio > 0
          && !lk_generator_fit (generator, self->load_ratio, &self->limits, &gap_scale_ratio,
                                error)))
    return FALSE;
  lk_generator_restart (generator, gap_scale_ratio);
  g_autoptr (LkTraceWriter) writer = lk_trace_writer_new (self->output, &options, error);
  return writer != NULL && jobs_write (self, generator, writer, error)
         && lk_trace_writer_close (writer, error);
}

/* ---------------------------------------------------------------- lublin */

static gboolean
lublin_run (int argc, char **argv, GError **error)
{
  g_auto (Common) common = { .note = command_note (argc, argv) };
  g_autofree char *procs_text = NULL;
  gint64 procs = 128;
  gboolean is_typed = FALSE;
  const GOptionEntry entries[] = {
    { "procs", 0, 0, G_OPTION_ARG_STRING, &procs_text,
      "Processors of the machine (default 128, which the model was fitted to)", "N" },
    { "typed", 0, 0, G_OPTION_ARG_NONE, &is_typed,
      "Batch and interactive jobs, with constants of their own", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      context_new (&common, "- jobs of the model of Lublin and Feitelson", entries);
  g_option_context_set_description (
      context, "Sizes, run times and arrivals; limits only with --estimates. 10,000 jobs when "
               "neither --jobs\nnor --span says otherwise.\n\n"
               "Example: lockstep trace generate lublin --typed --procs 256 --load 0.8 -o a.swf\n");
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 0, 0, error);
  if (arguments == NULL || !common_parse (&common, NULL, error)
      || (procs_text != NULL
          && !lk_argument_number ("--procs", procs_text, 2, G_MAXINT32, &procs, error)))
    return FALSE;
  return generate (&common, lk_generate_lublin_new ((guint32)procs, is_typed, common.seed), error);
}

/* ---------------------------------------------------------------- gpu-mix */

typedef struct {
  char *mix;
  char *gpus;
  char *gpus_per_node;
  char *cpus_per_gpu;
  char *memory_per_gpu;
  char *gpu_type;
  char *run_median;
  char *run_sigma;
  char *run_max;
} GpuMixTexts;

static void
gpu_mix_texts_clear (GpuMixTexts *self)
{
  g_free (self->mix);
  g_free (self->gpus);
  g_free (self->gpus_per_node);
  g_free (self->cpus_per_gpu);
  g_free (self->memory_per_gpu);
  g_free (self->gpu_type);
  g_free (self->run_median);
  g_free (self->run_sigma);
  g_free (self->run_max);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GpuMixTexts, gpu_mix_texts_clear)

static gboolean
mix_parse (const char *text, GArray *shares, GError **error)
{
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (guint i = 0; items[i] != NULL; i++) {
    LkGpuShare share;
    guint64 gpus;
    char *end = NULL;
    char *colon = strchr (items[i], ':');
    if (colon != NULL)
      *colon = '\0';
    gboolean is_good =
        colon != NULL && g_ascii_string_to_unsigned (items[i], 10, 1, G_MAXUINT32, &gpus, NULL);
    share.share_ratio = is_good ? g_ascii_strtod (colon + 1, &end) : 0;
    if (!is_good || end == colon + 1 || *end != '\0' || !isfinite (share.share_ratio)
        || share.share_ratio <= 0) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                   "--mix has '%s%s%s'; expected GPUS:SHARE,... such as 1:0.7,2:0.1,8:0.2",
                   items[i], colon != NULL ? ":" : "", colon != NULL ? colon + 1 : "");
      return FALSE;
    }
    share.gpus = (guint32)gpus;
    g_array_append_val (shares, share);
  }
  if (shares->len > 0)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--mix is empty; expected GPUS:SHARE,... such as 1:0.7,2:0.1,8:0.2");
  return FALSE;
}

static gboolean
count_parse (const char *option, const char *text, guint32 *count, GError **error)
{
  gint64 number;
  if (text == NULL)
    return TRUE;
  if (!lk_argument_number (option, text, 1, 1000000, &number, error))
    return FALSE;
  *count = (guint32)number;
  return TRUE;
}

static gboolean
run_times_parse (const GpuMixTexts *texts, LkGpuMixOptions *options, GError **error)
{
  gint64 median_us = 20 * 60 * G_USEC_PER_SEC;
  gint64 max_us = G_GINT64_CONSTANT (14) * 86400 * G_USEC_PER_SEC;
  options->run_sigma = 2;
  if ((texts->run_median != NULL
       && !lk_argument_duration_us ("--run-median", texts->run_median, &median_us, error))
      || (texts->run_max != NULL
          && !lk_argument_duration_us ("--run-max", texts->run_max, &max_us, error))
      || (texts->run_sigma != NULL
          && !lk_argument_ratio ("--run-sigma", texts->run_sigma, &options->run_sigma, error)))
    return FALSE;
  options->run_median_s = (double)median_us / G_USEC_PER_SEC;
  options->run_max_s = max_us / G_USEC_PER_SEC;
  if (median_us >= G_USEC_PER_SEC && max_us >= median_us)
    return TRUE;
  g_set_error (
      error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
      "--run-median is '%s' and --run-max '%s'; expected at least a second, and the median "
      "not above the longest",
      texts->run_median != NULL ? texts->run_median : "20m",
      texts->run_max != NULL ? texts->run_max : "14d");
  return FALSE;
}

static gboolean
gpu_mix_parse (const GpuMixTexts *texts, LkGpuMixOptions *options, GArray *shares, GError **error)
{
  options->gpus = 1024;
  options->gpus_per_node = 8;
  options->cpus_per_gpu = 1;
  options->gpu_type = texts->gpu_type != NULL ? texts->gpu_type : "";
  if (!mix_parse (texts->mix != NULL ? texts->mix : GPU_MIX_DEFAULT, shares, error)
      || !count_parse ("--gpus", texts->gpus, &options->gpus, error)
      || !count_parse ("--gpus-per-node", texts->gpus_per_node, &options->gpus_per_node, error)
      || !count_parse ("--cpus-per-gpu", texts->cpus_per_gpu, &options->cpus_per_gpu, error)
      || !run_times_parse (texts, options, error))
    return FALSE;
  options->shares = (const LkGpuShare *)(gpointer)shares->data;
  options->share_count = shares->len;
  if (texts->memory_per_gpu != NULL
      && !lk_quantity_bytes_parse (texts->memory_per_gpu, &options->memory_per_gpu_bytes)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--memory-per-gpu is '%s'; expected " LK_QUANTITY_BYTES_EXPECTED,
                 texts->memory_per_gpu);
    return FALSE;
  }
  if (options->gpu_type[strcspn (options->gpu_type, ",:|& ")] == '\0')
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "--gpu-type is '%s'; expected a name such as a100", options->gpu_type);
  return FALSE;
}

static GOptionContext *
gpu_mix_context (Common *common, GpuMixTexts *texts)
{
  const GOptionEntry entries[] = {
    { "mix", 0, 0, G_OPTION_ARG_STRING, &texts->mix,
      "Shares of jobs by their GPUs (default " GPU_MIX_DEFAULT ")", "GPUS:SHARE,..." },
    { "gpus", 0, 0, G_OPTION_ARG_STRING, &texts->gpus, "GPUs of the cluster (default 1024)", "N" },
    { "gpus-per-node", 0, 0, G_OPTION_ARG_STRING, &texts->gpus_per_node,
      "GPUs of a node; larger jobs take whole nodes (default 8)", "N" },
    { "cpus-per-gpu", 0, 0, G_OPTION_ARG_STRING, &texts->cpus_per_gpu,
      "CPUs for each GPU (default 1: processors are then GPUs)", "N" },
    { "memory-per-gpu", 0, 0, G_OPTION_ARG_STRING, &texts->memory_per_gpu,
      "Memory for each GPU (default: none is asked for)", "SIZE" },
    { "gpu-type", 0, 0, G_OPTION_ARG_STRING, &texts->gpu_type, "Type of GPU (default: any)",
      "NAME" },
    { "run-median", 0, 0, G_OPTION_ARG_STRING, &texts->run_median,
      "Median of the lognormal run times (default 20m)", "TIME" },
    { "run-sigma", 0, 0, G_OPTION_ARG_STRING, &texts->run_sigma,
      "Standard deviation of their logarithms (default 2)", "F" },
    { "run-max", 0, 0, G_OPTION_ARG_STRING, &texts->run_max,
      "Longest run time; longer ones are drawn again (default 14d)", "TIME" },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context = context_new (common, "- a mix of GPU jobs", entries);
  g_option_context_set_description (
      context, "Poisson arrivals over a daily cycle, --load 0.7 unless given. SWF holds processors "
               "only: write\ncsv or jsonl to keep what is asked for on nodes.\n\n"
               "Example: lockstep trace generate gpu-mix --gpus 512 --mix 1:0.6,8:0.4 --span 30d "
               "-o g.csv\n");
  return context;
}

static gboolean
gpu_mix_run (int argc, char **argv, GError **error)
{
  g_auto (Common) common = { .note = command_note (argc, argv) };
  g_auto (GpuMixTexts) texts = { 0 };
  g_autoptr (GArray) shares = g_array_new (FALSE, FALSE, sizeof (LkGpuShare));
  g_autoptr (GOptionContext) context = gpu_mix_context (&common, &texts);
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 0, 0, error);
  LkGpuMixOptions options = { 0 };
  if (arguments == NULL || !common_parse (&common, GPU_LOAD_DEFAULT, error)
      || !gpu_mix_parse (&texts, &options, shares, error))
    return FALSE;
  options.seed = common.seed;
  return generate (&common, lk_generate_gpu_mix_new (&options, error), error);
}

/* ---------------------------------------------------------------- resample */

typedef struct {
  LkTraceInput input;
  char *by;
  char *procs;
  char *session_gap;
} ResampleTexts;

static void
resample_texts_clear (ResampleTexts *self)
{
  lk_trace_input_clear (&self->input);
  g_free (self->by);
  g_free (self->procs);
  g_free (self->session_gap);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ResampleTexts, resample_texts_clear)

static gboolean
resample_parse (const ResampleTexts *texts, LkResampleOptions *options, GError **error)
{
  static const char *const names[] = { "user", "week", NULL };
  const char *by = texts->by != NULL ? texts->by : "user";
  gint64 procs = 0;
  options->session_gap_us = 3600 * (gint64)G_USEC_PER_SEC;
  options->by = strcmp (by, "week") == 0 ? LK_RESAMPLE_WEEKS : LK_RESAMPLE_USERS;
  if (!g_strv_contains (names, by)) {
    g_autofree char *phrase = lk_suggest_phrase (by, names);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--by is '%s'%s", by, phrase);
    return FALSE;
  }
  if ((texts->procs != NULL
       && !lk_argument_number ("--procs", texts->procs, 1, G_MAXUINT32, &procs, error))
      || (texts->session_gap != NULL
          && !lk_argument_duration_us ("--session-gap", texts->session_gap,
                                       &options->session_gap_us, error)))
    return FALSE;
  options->procs = (guint64)procs;
  return TRUE;
}

static GOptionContext *
resample_context (Common *common, ResampleTexts *texts)
{
  const GOptionEntry entries[] = {
    { "by", 0, 0, G_OPTION_ARG_STRING, &texts->by,
      "Draw users, and for each of their new weeks one of their old ones (user, the default), or "
      "whole weeks of the log (week)",
      "user|week" },
    { "procs", 0, 0, G_OPTION_ARG_STRING, &texts->procs,
      "Processors of the machine, for the load (default: what the log says)", "N" },
    { "session-gap", 0, 0, G_OPTION_ARG_STRING, &texts->session_gap,
      "A longer pause between a user's submits begins a new session (default 1h)", "TIME" },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context =
      context_new (common, "LOG - a new log of any length out of LOG", entries);
  lk_trace_input_add_options (&texts->input, context);
  g_option_context_set_description (
      context, "As many jobs as LOG has when neither --jobs nor --span says otherwise. With --load "
               "and --by user,\nusers are drawn until they bring that load, and what is left is "
               "stretched.\n\n"
               "Example: lockstep trace generate resample KTH.swf.gz --span 2000d --load 0.9 "
               "-o long.swf.gz\n");
  return context;
}

static gboolean
resample_run (int argc, char **argv, GError **error)
{
  g_auto (Common) common = { .note = command_note (argc, argv) };
  g_auto (ResampleTexts) texts = { 0 };
  g_autoptr (GOptionContext) context = resample_context (&common, &texts);
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  LkResampleOptions options = { 0 };
  if (arguments == NULL || !common_parse (&common, NULL, error)
      || !resample_parse (&texts, &options, error)
      || !lk_trace_input_check_output (&texts.input, arguments[0], common.output, error))
    return FALSE;
  options.seed = common.seed;
  options.load_ratio = common.load_ratio;
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&texts.input, arguments[0], error);
  if (reader == NULL)
    return FALSE;
  LkGenerator *generator = lk_generate_resample_new (reader, &options, error);
  if (generator != NULL && common.jobs_text == NULL && common.span_text == NULL)
    common.limits.job_max_count = lk_generate_resample_job_count (generator);
  return generate (&common, generator, error);
}

/* ---------------------------------------------------------------- which */

static const struct {
  const char *name;
  gboolean (*run) (int argc, char **argv, GError **error);
  const char *help;
} models[] = {
  { "lublin", lublin_run, "the Lublin-Feitelson model, with types or without" },
  { "gpu-mix", gpu_mix_run, "GPU jobs of given sizes with lognormal run times, to a load" },
  { "resample", resample_run, "a new log of any length out of a real one, by user or by week" },
};

static void
models_print (void)
{
  g_print ("Usage:\n  lockstep trace generate MODEL [OPTIONS]\n\n"
           "Makes workload logs. The same options and seed give the same log.\n\n");
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    g_print ("  %-9s %s\n", models[i].name, models[i].help);
  g_print ("\nlockstep trace generate MODEL --help describes one.\n");
}

gboolean
lk_trace_generate_verb (int argc, char **argv, GError **error)
{
  const char *names[G_N_ELEMENTS (models) + 1] = { NULL };
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    names[i] = models[i].name;
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp (name, "--help") == 0 || strcmp (name, "-h") == 0) {
    models_print ();
    return TRUE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    if (strcmp (name, models[i].name) == 0) {
      g_autofree char *program = g_strdup_printf ("lockstep trace generate %s", name);
      g_set_prgname (program);
      return models[i].run (argc - 1, argv + 1, error);
    }
  g_autofree char *phrase = lk_suggest_phrase (name, names);
  if (*name == '\0')
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "expected a MODEL%s", phrase);
  else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unknown model '%s'%s", name, phrase);
  return FALSE;
}
