/* tests/fuzz/record_feed.h — any bytes as a log of one format, strict and lenient, plain and with
 * overrides, as records and as jobs to replay.
 *
 * Beyond memory errors it checks that an error always has a text of one line, that texts of
 * records are valid, that lenient accepts what strict accepts with the same jobs, and that jobs to
 * replay come in order and can be replayed. */
#ifndef LK_TESTS_FUZZ_RECORD_FEED_H
#define LK_TESTS_FUZZ_RECORD_FEED_H

#include <string.h>

#include "engine/assert.h"
#include "engine/limits.h"
#include "traces/source.h"

/* A decompressed input may be long, and a row may stand for millions of tasks; that is not what is
 * looked for here. */
#define RECORD_MAX_COUNT 2000u

static inline void
feed_error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

#define FEED_CHECK_u32(value)
#define FEED_CHECK_i64(value) LK_ASSERT ((value) >= 0);
#define FEED_CHECK_text(value)                                                                     \
  LK_ASSERT ((value).length_bytes == 0                                                             \
             || g_utf8_validate_len ((value).bytes, (value).length_bytes, NULL));
#define FEED_CHECK(type, name, help) FEED_CHECK_##type (request->name)

static inline void
feed_request_check (const LkJobRequest *request)
{
  LK_JOB_REQUEST_FIELDS (FEED_CHECK)
}

static inline void
feed_record_check (const LkTraceRecord *record)
{
  const char *const texts[] = { record->name, record->user, record->group, record->job_name,
                                record->node_list };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    LK_ASSERT (texts[i] == NULL || g_utf8_validate (texts[i], -1, NULL));
  LK_ASSERT (record->attempts >= 1);
  LK_ASSERT (record->state <= LK_RECORD_PENDING);
  feed_request_check (&record->request);
}

/* Submit, run and processors of each record before the end or the first error. */
static inline GArray *
feed_records (const guint8 *bytes, gsize length_bytes, const LkReaderOptions *options)
{
  g_autoptr (GError) error = NULL;
  GArray *seen = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes ("fuzz", bytes, length_bytes, options, &error);
  LkTraceRecord record;
  int got = reader ? 1 : -1;
  while (reader && seen->len < RECORD_MAX_COUNT * 3
         && (got = lk_trace_reader_next (reader, &record, &error)) == 1) {
    feed_record_check (&record);
    g_array_append_val (seen, record.submit_us);
    g_array_append_val (seen, record.run_us);
    g_array_append_val (seen, record.procs);
  }
  if (got < 0)
    feed_error_check (error);
  return seen;
}

static inline void
feed_source (const guint8 *bytes, gsize length_bytes, const LkReaderOptions *reader)
{
  g_autoptr (GError) error = NULL;
  LkTraceOptions options;
  lk_trace_options_init (&options);
  options.reader = *reader;
  g_autoptr (LkTraceSource) source =
      lk_trace_source_new_from_bytes ("fuzz", bytes, length_bytes, &options, &error);
  LkTraceJob job;
  gint64 last_submit_us = 0;
  int got = source ? 1 : -1;
  for (guint i = 0; source && i < RECORD_MAX_COUNT; i++) {
    got = lk_trace_source_next (source, &job, &error);
    if (got != 1)
      break;
    LK_ASSERT (job.submit_us >= last_submit_us);
    LK_ASSERT (job.run_us > 0);
    LK_ASSERT (job.estimate_us > 0);
    LK_ASSERT (job.procs >= 1 && job.procs <= LK_LIMIT_UNITS);
    last_submit_us = job.submit_us;
  }
  if (got < 0)
    feed_error_check (error);
}

/* `with_source`: also as jobs to replay, for which the whole log is read. */
static inline void
feed_format (const guint8 *bytes, gsize length_bytes, LkTraceFormat format, gboolean with_source)
{
  char *map[] = {
    "procs=gpus", "nodes=none", "gpu_type=x", "limit=run", "memory_per_gpu=1GiB", NULL
  };
  LkReaderOptions strict_options = { .format = format };
  LkReaderOptions lenient_options = { .format = format, .lenient = TRUE };
  LkReaderOptions mapped_options = { .format = format, .lenient = TRUE, .map = map };
  g_autoptr (GArray) strict = feed_records (bytes, length_bytes, &strict_options);
  g_autoptr (GArray) lenient = feed_records (bytes, length_bytes, &lenient_options);
  LK_ASSERT (strict->len <= lenient->len);
  if (strict->len > 0)
    LK_ASSERT (memcmp (strict->data, lenient->data, strict->len * sizeof (gint64)) == 0);
  g_autoptr (GArray) mapped = feed_records (bytes, length_bytes, &mapped_options);
  LK_ASSERT (mapped->len == lenient->len);
  if (with_source && lenient->len < RECORD_MAX_COUNT * 3)
    feed_source (bytes, length_bytes, &lenient_options);
}

#endif
