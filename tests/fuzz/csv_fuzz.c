/* tests/fuzz/csv_fuzz.c — any bytes as a table of jobs, under every built-in column map and under
 * the one that its first row tells, strict and lenient.
 *
 * Beyond memory errors it checks that an error always has a text of one line, that times and
 * numbers of a job are such that sums of them fit, and that what it asks for survives being written
 * into a journal. */
#include <string.h>

#include "engine/assert.h"
#include "traces/csv_job.h"
#include "traces/reader.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define JOB_MAX_COUNT 200u

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

static void
record_check (const LkTraceRecord *record)
{
  const gint64 times_us[] = { record->submit_us, record->eligible_us, record->start_us,
                              record->end_us,    record->run_us,      record->suspended_us };
  for (guint i = 0; i < G_N_ELEMENTS (times_us); i++)
    LK_ASSERT (times_us[i] >= -1 && times_us[i] <= 2 * LK_CSV_TIME_MAX_US);
  LK_ASSERT (record->procs >= 0);
  LK_ASSERT (record->number >= 0);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkEvent again;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_submit_set_request (&event.submit, &record->request);
  lk_event_encode (&event, bytes);
  LK_ASSERT (lk_event_decode (bytes->data, bytes->len, &again) == bytes->len);
}

static void
table_read (const guint8 *bytes, gsize length_bytes, const LkReaderOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes ("fuzz", bytes, length_bytes, options, &error);
  LkTraceRecord record;
  guint count = 0;
  int got = -1;
  while (reader != NULL && count < JOB_MAX_COUNT
         && (got = lk_trace_reader_next (reader, &record, &error)) == 1) {
    record_check (&record);
    count++;
  }
  if (got < 0)
    error_check (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autofree const char **maps = lk_csv_map_names ();
  LkReaderOptions options = { .format = LK_FORMAT_CSV };
  table_read (bytes, length_bytes, &options);
  for (guint i = 0; maps[i] != NULL; i++) {
    options.csv_map = maps[i];
    options.lenient = i % 2 == 0;
    table_read (bytes, length_bytes, &options);
  }
  return 0;
}
