/* tests/fuzz/swf_fuzz.c — any bytes as a workload log, plain or compressed, strict and lenient.
 *
 * Beyond memory errors it checks that an error always has a text of one line, that lenient accepts
 * what strict accepts with the same numbers, and that a job that was read survives being
 * written. */
#include <string.h>

#include "engine/assert.h"
#include "traces/source.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

/* A decompressed input may be long; that is not what is looked for here. */
#define JOB_MAX_COUNT 2000u

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

static void
round_trip_check (const LkSwfJob *job)
{
  g_autoptr (GString) line = g_string_new (NULL);
  lk_swf_job_format (job, line);
  g_autoptr (LkSwfReader) reader = lk_swf_reader_new_from_bytes ("again", (const guint8 *)line->str,
                                                                 line->len, LK_SWF_LENIENT, NULL);
  LK_ASSERT (reader != NULL);
  LkSwfJob again;
  LK_ASSERT (lk_swf_reader_next (reader, &again, NULL) == 1);
  LK_ASSERT (memcmp (job, &again, sizeof again) == 0);
}

/* Returns the jobs read before the end or the first error. */
static GArray *
jobs_read (const guint8 *bytes, gsize length_bytes, LkSwfFlags flags)
{
  g_autoptr (GError) error = NULL;
  GArray *jobs = g_array_new (FALSE, FALSE, sizeof (LkSwfJob));
  g_autoptr (LkSwfReader) reader =
      lk_swf_reader_new_from_bytes ("fuzz", bytes, length_bytes, flags, &error);
  int got = -1;
  LkSwfJob job;
  if (reader)
    while (jobs->len < JOB_MAX_COUNT && (got = lk_swf_reader_next (reader, &job, &error)) == 1) {
      g_array_append_val (jobs, job);
      round_trip_check (&job);
    }
  if (got < 0)
    error_check (error);
  return jobs;
}

static void
source_read (const guint8 *bytes, gsize length_bytes, gboolean is_sorting)
{
  g_autoptr (GError) error = NULL;
  LkTraceOptions options;
  lk_trace_options_init (&options);
  options.sort = is_sorting;
  options.lenient = is_sorting;
  options.load_scale_ratio = is_sorting ? 0.75 : 1;
  g_autoptr (LkTraceSource) source =
      lk_trace_source_new_from_bytes ("fuzz", bytes, length_bytes, &options, &error);
  int got = -1;
  gint64 last_submit_us = G_MININT64;
  LkTraceJob job;
  if (source)
    while ((got = lk_trace_source_next (source, &job, &error)) == 1) {
      LK_ASSERT (job.submit_us >= last_submit_us);
      LK_ASSERT (job.submit_us >= 0);
      LK_ASSERT (job.run_us > 0);
      LK_ASSERT (job.estimate_us > 0);
      LK_ASSERT (job.procs >= 1);
      LK_ASSERT (job.procs <= lk_trace_source_procs (source));
      last_submit_us = job.submit_us;
    }
  if (got < 0)
    error_check (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GArray) strict = jobs_read (bytes, length_bytes, LK_SWF_STRICT);
  g_autoptr (GArray) lenient = jobs_read (bytes, length_bytes, LK_SWF_LENIENT);
  LK_ASSERT (strict->len <= lenient->len);
  if (strict->len > 0)
    LK_ASSERT (memcmp (strict->data, lenient->data, strict->len * sizeof (LkSwfJob)) == 0);
  source_read (bytes, length_bytes, FALSE);
  source_read (bytes, length_bytes, TRUE);
  return 0;
}
