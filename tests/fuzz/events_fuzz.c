/* tests/fuzz/events_fuzz.c — any bytes as a list of events of the simulator of Buffalo, strict and
 * lenient, and as the options of one sbatch.
 *
 * Beyond memory errors it checks that an error always has a text of one line, that lenient takes
 * the jobs that strict takes, and that what a job asks for survives being written into a journal.
 * */
#include <string.h>

#include "engine/assert.h"
#include "traces/job_options.h"
#include "traces/reader.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define JOB_MAX_COUNT 500u

static void
error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

/* The texts must be valid UTF-8, or no decoder would take the event. */
static void
request_check (const LkJobRequest *request)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkEvent again;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  event.submit.procs = lk_job_request_cpus (request);
  LK_ASSERT (event.submit.procs >= 1);
  lk_submit_set_request (&event.submit, request);
  lk_event_encode (&event, bytes);
  LK_ASSERT (lk_event_decode (bytes->data, bytes->len, &again) == bytes->len);
}

static guint
list_read (const guint8 *bytes, gsize length_bytes, gboolean is_lenient)
{
  g_autoptr (GError) error = NULL;
  LkReaderOptions options = { .format = LK_FORMAT_EVENTS, .lenient = is_lenient };
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes ("fuzz", bytes, length_bytes, &options, &error);
  LkTraceRecord record;
  guint count = 0;
  int got = -1;
  while (reader != NULL && count < JOB_MAX_COUNT
         && (got = lk_trace_reader_next (reader, &record, &error)) == 1) {
    LK_ASSERT (record.submit_us >= 0);
    LK_ASSERT (record.run_us >= 0);
    LK_ASSERT (record.number >= 1);
    LK_ASSERT (record.procs >= 1);
    request_check (&record.request);
    count++;
  }
  if (got < 0)
    error_check (error);
  return count;
}

static void
options_read (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *line = g_strndup ((const char *)bytes, length_bytes);
  g_auto (GStrv) words = lk_job_options_split (line, &error);
  g_autoptr (GStringChunk) texts = g_string_chunk_new (256);
  LkJobOptions options;
  if (words != NULL && lk_job_options_parse ((const char *const *)words, texts, &options, &error))
    request_check (&options.request);
  else
    error_check (error);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  guint strict_count = list_read (bytes, length_bytes, FALSE);
  guint lenient_count = list_read (bytes, length_bytes, TRUE);
  LK_ASSERT (strict_count <= lenient_count);
  options_read (bytes, length_bytes);
  return 0;
}
