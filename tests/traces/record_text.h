/* tests/traces/record_text.h — a log as text that a test can compare: one line a record, what is
 * known of it and nothing else. */
#ifndef LK_TESTS_TRACES_RECORD_TEXT_H
#define LK_TESTS_TRACES_RECORD_TEXT_H

#include <string.h>

#include "engine/policy.h"
#include "traces/reader.h"

static const char *const record_states[] = { "unknown", "completed", "failed",    "cancelled",
                                             "timeout", "node_fail", "preempted", "requeued",
                                             "running", "pending" };

static inline void
text_put_s (GString *out, const char *name, gint64 time_us)
{
  if (time_us == LK_TIME_NEVER)
    g_string_append_printf (out, " %s=never", name);
  else if (time_us >= 0)
    g_string_append_printf (out, " %s=%g", name, (double)time_us / 1e6);
}

static inline void
text_put_number (GString *out, const char *name, gint64 number)
{
  if (number > 0)
    g_string_append_printf (out, " %s=%" G_GINT64_FORMAT, name, number);
}

static inline void
text_put_bytes (GString *out, const char *name, LkText text)
{
  if (text.length_bytes > 0)
    g_string_append_printf (out, " %s=%.*s", name, text.length_bytes, text.bytes);
}

#define TEXT_FIELD_u32(name, value) text_put_number (out, name, value);
#define TEXT_FIELD_i64(name, value) text_put_number (out, name, value);
#define TEXT_FIELD_text(name, value) text_put_bytes (out, name, value);
#define TEXT_FIELD(type, name, help) TEXT_FIELD_##type (#name, request->name)

static inline void
text_put_request (GString *out, const LkJobRequest *request)
{
  LK_JOB_REQUEST_FIELDS (TEXT_FIELD)
}

#define TERMS_FIELD(type, name, help) TEXT_FIELD_##type (#name, terms->name)

/* All but the name, which most jobs have. */
static inline void
text_put_terms (GString *out, const LkJobTerms *from)
{
  if (from == NULL)
    return;
  LkJobTerms unnamed = *from;
  const LkJobTerms *terms = &unnamed;
  unnamed.name = (LkText){ 0 };
  LK_JOB_TERMS_FIELDS (TERMS_FIELD)
}

/* "123_4 submit=1 start=2 end=3 run=1 limit=60 procs=8 completed". */
static inline void
text_put_record (GString *out, const LkTraceRecord *record)
{
  if (record->name)
    g_string_append (out, record->name);
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT, record->number);
  text_put_s (out, "submit", record->submit_us);
  text_put_s (out, "eligible", record->eligible_us);
  text_put_s (out, "start", record->start_us);
  text_put_s (out, "end", record->end_us);
  text_put_s (out, "run", record->run_us);
  text_put_s (out, "limit", record->limit_us);
  text_put_number (out, "procs", record->procs);
  if (record->attempts != 1)
    text_put_number (out, "attempts", record->attempts);
  g_string_append_printf (out, " %s", record_states[record->state]);
}

/* Lines of records, with their requests if asked; the last line may be "error: ...". `out_counts`
 * may be NULL. */
static inline char *
log_text (const char *name, const char *log, gsize length_bytes, const LkReaderOptions *options,
          gboolean with_requests, LkReaderCounts *out_counts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (LkTraceReader) reader =
      lk_trace_reader_new_from_bytes (name, (const guint8 *)log, length_bytes, options, &error);
  LkTraceRecord record;
  int got = reader ? 1 : -1;
  while (reader && (got = lk_trace_reader_next (reader, &record, &error)) == 1) {
    text_put_record (out, &record);
    if (with_requests) {
      text_put_request (out, &record.request);
      text_put_terms (out, record.terms);
    }
    g_string_append_c (out, '\n');
  }
  if (got < 0)
    g_string_append_printf (out, "error: %s\n", error->message);
  if (out_counts && reader)
    lk_trace_reader_counts (reader, out_counts);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

#endif
