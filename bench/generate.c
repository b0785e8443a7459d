/* bench/generate.c — writes a synthetic log of any length: the Lublin-Feitelson model with users'
 * round estimates.
 *
 * The same options give the same bytes.  A log of ten million jobs takes seconds; memory does not
 * depend on its length. With --load the arrival times are stretched or squeezed so that the jobs'
 * work is that share of what the machine could do between the first and the last submit; the model
 * runs twice for that, once to measure. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "traces/lublin.h"
#include "traces/output.h"
#include "traces/swf.h"
#include "traces/user_estimate.h"

#define PIECE_BYTES 65536u

typedef struct {
  gint64 job_count;
  int procs;
  gint64 seed;
  double load; /* 0: arrivals as the model has them */
  const char *path;
} Options;

/* Time stretch that gives the load asked for. */
static double
measure_stretch (const Options *options)
{
  if (options->load <= 0)
    return 1;
  g_autoptr (LkLublin) model = lk_lublin_new ((guint32)options->procs, (guint64)options->seed);
  double work_s = 0;
  gint64 first_s = -1;
  LkLublinJob job = { 0 };
  for (gint64 i = 0; i < options->job_count; i++) {
    lk_lublin_next (model, &job);
    work_s += (double)job.run_s * job.procs;
    first_s = first_s < 0 ? job.submit_s : first_s;
  }
  double span_s = (double)MAX (job.submit_s - first_s, 1);
  return work_s / ((double)options->procs * options->load) / span_s;
}

static void
append_header (const Options *options, GString *out)
{
  char load[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (load, sizeof load, "%g", options->load);
  g_string_append_printf (
      out,
      "; Version: 2.2\n"
      "; Computer: synthetic\n"
      "; Note: lockstep %s bench/generate, Lublin-Feitelson model, modal estimates\n"
      "; Note: --jobs %" G_GINT64_FORMAT " --procs %d --seed %" G_GINT64_FORMAT " --load %s\n"
      "; MaxJobs: %" G_GINT64_FORMAT "\n"
      "; MaxNodes: %d\n"
      "; MaxProcs: %d\n"
      "; UnixStartTime: 0\n",
      LK_ENGINE_VERSION, options->job_count, options->procs, options->seed, load,
      options->job_count, options->procs, options->procs);
}

static gboolean
write_jobs (const Options *options, LkOutput *output, GError **error)
{
  double stretch = measure_stretch (options);
  g_autoptr (LkLublin) model = lk_lublin_new ((guint32)options->procs, (guint64)options->seed);
  g_autoptr (GString) text = g_string_sized_new (2 * PIECE_BYTES);
  append_header (options, text);
  gint64 first_s = -1;
  for (gint64 i = 0; i < options->job_count; i++) {
    LkLublinJob job;
    lk_lublin_next (model, &job);
    first_s = first_s < 0 ? job.submit_s : first_s;
    gint64 run_us = job.run_s * G_USEC_PER_SEC;
    LkSwfJob row = { .number = i + 1,
                     .submit_us =
                         (gint64)((double)(job.submit_s - first_s) * stretch) * G_USEC_PER_SEC,
                     .wait_us = -G_USEC_PER_SEC,
                     .run_us = run_us,
                     .procs_used = job.procs,
                     .cpu_us = -G_USEC_PER_SEC,
                     .memory_kib = -1,
                     .procs = job.procs,
                     .estimate_us = lk_user_estimate_us (lk_lublin_uniform (model), run_us),
                     .memory_requested_kib = -1,
                     .status = 1,
                     .user_id = -1,
                     .group_id = -1,
                     .application_id = -1,
                     .queue_id = -1,
                     .partition_id = -1,
                     .preceding_number = -1,
                     .think_us = -G_USEC_PER_SEC };
    lk_swf_job_format (&row, text);
    if (text->len < PIECE_BYTES)
      continue;
    if (!lk_output_write (output, text->str, text->len, error))
      return FALSE;
    g_string_truncate (text, 0);
  }
  return lk_output_write (output, text->str, text->len, error);
}

static gboolean
parse (int argc, char **argv, Options *options, GError **error)
{
  const GOptionEntry entries[] = {
    { "jobs", 0, 0, G_OPTION_ARG_INT64, &options->job_count, "Jobs (default 1000000)", "N" },
    { "procs", 0, 0, G_OPTION_ARG_INT, &options->procs, "Processors (default 256)", "P" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options->seed, "Seed (default 1)", "S" },
    { "load", 0, 0, G_OPTION_ARG_DOUBLE, &options->load,
      "Share of the machine that the jobs need; 0 leaves the model's arrivals (default 0.7)", "F" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("[FILE] - write a synthetic log in the Standard Workload Format");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 2 || options->job_count < 1 || options->procs < 2 || options->seed < 0
      || !(options->load >= 0)) {
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                         "expected at most one FILE, --jobs >= 1, --procs >= 2, --seed >= 0, "
                         "--load >= 0");
    return FALSE;
  }
  options->path = argc == 2 ? argv[1] : "-";
  return TRUE;
}

int
main (int argc, char **argv)
{
  Options options = { .job_count = 1000000, .procs = 256, .seed = 1, .load = 0.7 };
  g_autoptr (GError) error = NULL;
  if (!parse (argc, argv, &options, &error)) {
    g_printerr ("generate: %s\n", error->message);
    return 2;
  }
  g_autoptr (LkOutput) output = lk_output_new (options.path, &error);
  if (output != NULL && write_jobs (&options, output, &error) && lk_output_close (output, &error))
    return EXIT_SUCCESS;
  g_printerr ("generate: %s\n", error->message);
  return EXIT_FAILURE;
}
