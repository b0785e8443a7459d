/* engine/codec.c — the encoder, decoder, JSON view and documentation that engine/schema.h declares.
 *
 * Each X-macro of the schema is expanded once per purpose; no field is named here by hand. */
#include "engine/codec.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/codec_fields.h"

/* ---------------------------------------------------------------- requests */

#define SIZE_MEMBER(type, name, help) size += size_##type (fields->name);
#define PUT_MEMBER(type, name, help) at = lk_put_##type (at, fields->name);
#define TAKE_MEMBER(type, name, help) fields->name = lk_take_##type (reader);
#define JSON_MEMBER(type, name, help) json_##type (out, #name, fields->name);
#define ZERO_u32(value) ((value) == 0)
#define ZERO_i64(value) ((value) == 0)
#define ZERO_text(value) ((value).length_bytes == 0)
#define ZERO_MEMBER(type, name, help) &&ZERO_##type (fields->name)

/* The members of a request, or of terms, as they stand in the fields of an event of this kind. */
#define DEFINE_GROUP(group, head, lower, FIELDS)                                                   \
  static gboolean group##_is_empty_in_##lower (const LkEvent_##lower *fields)                      \
  {                                                                                                \
    return TRUE FIELDS (ZERO_MEMBER);                                                              \
  }                                                                                                \
  static gsize group##_size_in_##lower (const LkEvent_##lower *fields)                             \
  {                                                                                                \
    gsize size = 1;                                                                                \
    if (group##_is_empty_in_##lower (fields))                                                      \
      return size;                                                                                 \
    FIELDS (SIZE_MEMBER)                                                                           \
    return size;                                                                                   \
  }                                                                                                \
  static guint8 *group##_put_in_##lower (const LkEvent_##lower *fields, guint8 *at)                \
  {                                                                                                \
    gboolean is_empty = group##_is_empty_in_##lower (fields);                                      \
    at = lk_put_u8 (at, is_empty ? 0 : 1);                                                         \
    if (is_empty)                                                                                  \
      return at;                                                                                   \
    FIELDS (PUT_MEMBER)                                                                            \
    return at;                                                                                     \
  }                                                                                                \
  /* Returns the first member, which the caller puts in its place. */                              \
  static guint32 group##_take_in_##lower (LkBytesReader *reader, LkEvent_##lower *fields)          \
  {                                                                                                \
    guint8 has = lk_take_u8 (reader);                                                              \
    if (has == 0)                                                                                  \
      return 0;                                                                                    \
    FIELDS (TAKE_MEMBER)                                                                           \
    if (has != 1 || group##_is_empty_in_##lower (fields))                                          \
      reader->failed = TRUE;                                                                       \
    return fields->head;                                                                           \
  }                                                                                                \
  static void group##_json_in_##lower (GString *out, const LkEvent_##lower *fields)                \
  {                                                                                                \
    if (group##_is_empty_in_##lower (fields)) {                                                    \
      json_u32 (out, #head, 0);                                                                    \
      return;                                                                                      \
    }                                                                                              \
    FIELDS (JSON_MEMBER)                                                                           \
  }

DEFINE_GROUP (request, present, submit, LK_JOB_REQUEST_FIELDS)
DEFINE_GROUP (request, present, update, LK_JOB_REQUEST_FIELDS)
DEFINE_GROUP (terms, term_flags, submit, LK_JOB_TERMS_FIELDS)
DEFINE_GROUP (terms, term_flags, update, LK_JOB_TERMS_FIELDS)

/* The field of this type stands for all members of the group. */
#define IN_KIND(group, what, fields)                                                               \
  _Generic((fields), const LkEvent_submit *                                                        \
           : group##_##what##_in_submit, LkEvent_submit *                                          \
           : group##_##what##_in_submit, const LkEvent_update *                                    \
           : group##_##what##_in_update, LkEvent_update *                                          \
           : group##_##what##_in_update)
#define size_request(present) IN_KIND (request, size, fields) (fields)
#define lk_put_request(at, present) IN_KIND (request, put, fields) (fields, at)
#define lk_take_request(reader) IN_KIND (request, take, fields) (reader, fields)
#define json_request(out, name, present) IN_KIND (request, json, fields) (out, fields)
#define size_terms(flags) IN_KIND (terms, size, fields) (fields)
#define lk_put_terms(at, flags) IN_KIND (terms, put, fields) (fields, at)
#define lk_take_terms(reader) IN_KIND (terms, take, fields) (reader, fields)
#define json_terms(out, name, flags) IN_KIND (terms, json, fields) (out, fields)

/* ---------------------------------------------------------------- events */

gsize
lk_event_size_bytes (const LkEvent *event)
{
  gsize size = 1 + 8;
  switch (event->kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    const LkEvent_##lower *fields = &event->lower;                                                 \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (SIZE_FIELD) return size;                                             \
  }
    LK_EVENT_KINDS (X)
#undef X
  case LK_EVENT_KIND_LIMIT:
    break;
  }
  LK_UNREACHABLE ("an event kind of the schema");
  return 0;
}

guint8 *
lk_event_put (const LkEvent *event, guint8 *at)
{
  at = lk_put_u8 (at, (guint8)event->kind);
  at = lk_put_i64 (at, event->time_us);
  switch (event->kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    const LkEvent_##lower *fields = &event->lower;                                                 \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (PUT_FIELD) return at;                                                \
  }
    LK_EVENT_KINDS (X)
#undef X
  case LK_EVENT_KIND_LIMIT:
    break;
  }
  LK_UNREACHABLE ("an event kind of the schema");
  return at;
}

gsize
lk_event_decode (const guint8 *bytes, gsize length_bytes, LkEvent *out_event)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkEvent event = { 0 };
  guint8 kind = lk_take_u8 (&reader);
  event.time_us = lk_take_i64 (&reader);
  switch (kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case number: {                                                                                   \
    LkEvent_##lower *fields = &event.lower;                                                        \
    (void)fields;                                                                                  \
    event.kind = LK_EVENT_##NAME;                                                                  \
    LK_EVENT_##NAME##_FIELDS (TAKE_FIELD) break;                                                   \
  }
    LK_EVENT_KINDS (X)
#undef X
  default:
    return 0;
  }
  if (reader.failed)
    return 0;
  *out_event = event;
  return length_bytes - reader.left_bytes;
}

void
lk_event_json (const LkEvent *event, GString *out)
{
  g_string_append_c (out, '{');
  json_u64 (out, "seq", event->seq);
  json_i64 (out, "time_us", event->time_us);
  json_key (out, "event");
  json_quote (out, lk_event_kind_name (event->kind), strlen (lk_event_kind_name (event->kind)));
  switch (event->kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case LK_EVENT_##NAME: {                                                                          \
    const LkEvent_##lower *fields = &event->lower;                                                 \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (JSON_FIELD) break;                                                   \
  }
    LK_EVENT_KINDS (X)
#undef X
  case LK_EVENT_KIND_LIMIT:
    break;
  }
  g_string_append_c (out, '}');
}

/* ---------------------------------------------------------------- decisions */

gsize
lk_decision_size_bytes (const LkDecision *decision)
{
  gsize size = 1;
  switch (decision->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    const LkDecision_##lower *fields = &decision->lower;                                           \
    LK_DECISION_##NAME##_FIELDS (SIZE_FIELD) return size;                                          \
  }
    LK_DECISION_KINDS (X)
#undef X
  case LK_DECISION_KIND_LIMIT:
    break;
  }
  LK_UNREACHABLE ("a decision kind of the schema");
  return 0;
}

guint8 *
lk_decision_put (const LkDecision *decision, guint8 *at)
{
  at = lk_put_u8 (at, (guint8)decision->kind);
  switch (decision->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    const LkDecision_##lower *fields = &decision->lower;                                           \
    LK_DECISION_##NAME##_FIELDS (PUT_FIELD) return at;                                             \
  }
    LK_DECISION_KINDS (X)
#undef X
  case LK_DECISION_KIND_LIMIT:
    break;
  }
  LK_UNREACHABLE ("a decision kind of the schema");
  return at;
}

gsize
lk_decision_decode (const guint8 *bytes, gsize length_bytes, LkDecision *out_decision)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkDecision decision = { 0 };
  decision.job = LK_JOB_NONE;
  guint8 kind = lk_take_u8 (&reader);
  switch (kind) {
#define X(NAME, number, lower, help)                                                               \
  case number: {                                                                                   \
    LkDecision_##lower *fields = &decision.lower;                                                  \
    decision.kind = LK_DECISION_##NAME;                                                            \
    LK_DECISION_##NAME##_FIELDS (TAKE_FIELD) break;                                                \
  }
    LK_DECISION_KINDS (X)
#undef X
  default:
    return 0;
  }
  if (reader.failed)
    return 0;
  *out_decision = decision;
  return length_bytes - reader.left_bytes;
}

void
lk_decision_json (const LkDecision *decision, GString *out)
{
  g_string_append_c (out, '{');
  json_key (out, "decision");
  json_quote (out, lk_decision_kind_name (decision->kind),
              strlen (lk_decision_kind_name (decision->kind)));
  switch (decision->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_DECISION_##NAME: {                                                                       \
    const LkDecision_##lower *fields = &decision->lower;                                           \
    LK_DECISION_##NAME##_FIELDS (JSON_FIELD) break;                                                \
  }
    LK_DECISION_KINDS (X)
#undef X
  case LK_DECISION_KIND_LIMIT:
    break;
  }
  if (decision->kind == LK_DECISION_NOTICE) {
    const char *state = lk_job_state_name (decision->notice.state);
    json_key (out, "state_name");
    json_quote (out, state, strlen (state));
  }
  if (decision->kind == LK_DECISION_REJECT) {
    const char *text = lk_reject_text (decision->reject.error);
    json_key (out, "error_text");
    json_quote (out, text, strlen (text));
  }
  g_string_append_c (out, '}');
}

/* ---------------------------------------------------------------- journal header */

gsize
lk_journal_header_decode (const guint8 *bytes, gsize length_bytes, LkJournalHeader *out_header)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkJournalHeader header = { 0 };
  LkJournalHeader *fields = &header;
  LK_JOURNAL_HEADER_FIELDS (TAKE_FIELD)
  if (reader.failed)
    return 0;
  *out_header = header;
  return length_bytes - reader.left_bytes;
}

void
lk_journal_header_encode (const LkJournalHeader *header, GByteArray *out)
{
  const LkJournalHeader *fields = header;
  gsize size = 0;
  LK_JOURNAL_HEADER_FIELDS (SIZE_FIELD)
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size);
  guint8 *at = out->data + begin;
  LK_JOURNAL_HEADER_FIELDS (PUT_FIELD)
  LK_ASSERT (at == out->data + out->len);
}

void
lk_journal_header_json (const LkJournalHeader *header, GString *out)
{
  const LkJournalHeader *fields = header;
  g_string_append_c (out, '{');
  LK_JOURNAL_HEADER_FIELDS (JSON_FIELD)
  g_string_append_c (out, '}');
}

void
lk_event_encode (const LkEvent *event, GByteArray *out)
{
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)lk_event_size_bytes (event));
  LK_ASSERT (lk_event_put (event, out->data + begin) == out->data + out->len);
}

void
lk_decision_encode (const LkDecision *decision, GByteArray *out)
{
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)lk_decision_size_bytes (decision));
  LK_ASSERT (lk_decision_put (decision, out->data + begin) == out->data + out->len);
}

/* ---------------------------------------------------------------- names */

const char *
lk_event_kind_name (guint kind)
{
  switch (kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case number:                                                                                     \
    return #lower;
    LK_EVENT_KINDS (X)
#undef X
  default:
    return "?";
  }
}

gboolean
lk_event_kind_acted (guint kind)
{
  switch (kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case number:                                                                                     \
    return acted;
    LK_EVENT_KINDS (X)
#undef X
  default:
    return FALSE;
  }
}

guint
lk_event_rank (guint kind)
{
  switch (kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case number:                                                                                     \
    return rank;
    LK_EVENT_KINDS (X)
#undef X
  default:
    return G_MAXUINT;
  }
}

const char *
lk_decision_kind_name (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, help)                                                               \
  case number:                                                                                     \
    return #lower;
    LK_DECISION_KINDS (X)
#undef X
  default:
    return "?";
  }
}

#define NAME_CASE(NAME, number, text)                                                              \
  case number:                                                                                     \
    return text;

const char *
lk_job_state_name (guint state)
{
  switch (state) {
    LK_JOB_STATES (NAME_CASE)
  default:
    return "?";
  }
}

gboolean
lk_job_state_is_end (guint state)
{
  switch (state) {
  case LK_JOB_PENDING:
  case LK_JOB_RUNNING:
  case LK_JOB_SUSPENDED:
  case LK_JOB_COMPLETING:
  case LK_JOB_SPECIAL_EXIT:
  case LK_JOB_REQUEUE_HOLD:
  case LK_JOB_STOPPED:
    return FALSE;
  default:
    return state < LK_JOB_STATE_LIMIT;
  }
}

const char *
lk_reason_name (guint reason)
{
  switch (reason) {
    LK_REASONS (NAME_CASE)
  default:
    return "?";
  }
}

const char *
lk_reject_text (guint reject)
{
  switch (reject) {
    LK_REJECTS (NAME_CASE)
  default:
    return "?";
  }
}

const char *
lk_kill_text (guint why)
{
  switch (why) {
    LK_KILL_WHYS (NAME_CASE)
  default:
    return "?";
  }
}

#define COPY_REQUEST(type, name, help) to->name = from->name;

void
lk_reconfigure_header (const LkEvent_reconfigure *from, LkJournalHeader *to)
{
  LK_JOURNAL_HEADER_FIELDS (COPY_REQUEST)
}

void
lk_reconfigure_set_header (LkEvent_reconfigure *to, const LkJournalHeader *from)
{
  LK_JOURNAL_HEADER_FIELDS (COPY_REQUEST)
}

void
lk_submit_request (const LkEvent_submit *from, LkJobRequest *to)
{
  LK_JOB_REQUEST_FIELDS (COPY_REQUEST)
}

void
lk_submit_set_request (LkEvent_submit *to, const LkJobRequest *from)
{
  LK_JOB_REQUEST_FIELDS (COPY_REQUEST)
}

void
lk_submit_terms (const LkEvent_submit *from, LkJobTerms *to)
{
  LK_JOB_TERMS_FIELDS (COPY_REQUEST)
}

void
lk_submit_set_terms (LkEvent_submit *to, const LkJobTerms *from)
{
  LK_JOB_TERMS_FIELDS (COPY_REQUEST)
}

#define COPY_CHANGED(type, name, help)                                                             \
  if ((from->changes >> LK_CHANGE_##name & 1) != 0)                                                \
    to->name = from->name;

void
lk_update_request (const LkEvent_update *from, LkJobRequest *to)
{
  LK_JOB_REQUEST_FIELDS (COPY_CHANGED)
}

void
lk_update_terms (const LkEvent_update *from, LkJobTerms *to){ LK_JOB_TERMS_FIELDS (COPY_CHANGED) }

gboolean lk_job_terms_are_empty (const LkJobTerms *fields)
{
  return TRUE LK_JOB_TERMS_FIELDS (ZERO_MEMBER);
}

LkText
lk_text (const char *string)
{
  gsize length_bytes = string == NULL ? 0 : strlen (string);
  LK_ASSERT (length_bytes <= G_MAXUINT16);
  return (LkText){ .bytes = string, .length_bytes = (guint16)length_bytes };
}

guint32
lk_event_job_id (const LkEvent *event)
{
  switch (event->kind) {
  case LK_EVENT_JOB_ENDED:
    return event->job_ended.job_id;
  case LK_EVENT_JOB_STARTED:
    return event->job_started.job_id;
  case LK_EVENT_SUBMIT:
    return event->submit.job_id;
  case LK_EVENT_UPDATE:
    return event->update.job_id;
  case LK_EVENT_CANCEL:
    return event->cancel.job_id;
  case LK_EVENT_HOLD:
    return event->hold.job_id;
  case LK_EVENT_RELEASE:
    return event->release.job_id;
  case LK_EVENT_REQUEUE:
    return event->requeue.job_id;
  case LK_EVENT_SIGNAL:
    return event->signal.job_id;
  case LK_EVENT_SUSPEND:
    return event->suspend.job_id;
  case LK_EVENT_RESUME:
    return event->resume.job_id;
  default:
    return 0;
  }
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

gint
lk_event_compare (const LkEvent *a, const LkEvent *b)
{
  if (a->time_us != b->time_us)
    return COMPARE (a->time_us, b->time_us);
  guint rank_a = lk_event_rank (a->kind);
  guint rank_b = lk_event_rank (b->kind);
  if (rank_a != rank_b)
    return COMPARE (rank_a, rank_b);
  guint32 id_a = lk_event_job_id (a);
  guint32 id_b = lk_event_job_id (b);
  if (id_a != id_b)
    return COMPARE (id_a, id_b);
  return COMPARE (a->kind, b->kind);
}

/* ---------------------------------------------------------------- documentation */

#define ROW_FIELD(type, name, help)                                                                \
  g_string_append (out, "| `" #name "` | " #type " | " help " |\n");
#define ROW_CHANGE(type, name, help)                                                               \
  g_string_append_printf (out, "| %d | `" #name "` |\n", (int)LK_CHANGE_##name);
#define ROW_NUMBER(NAME, number, text) g_string_append (out, "| " #number " | " text " |\n");

static void
table_begin (GString *out, const char *name, const char *number, const char *help)
{
  g_string_append_printf (out, "\n### `%s` (%s)\n\n%s.\n\n| field | type | what |\n|---|---|---|\n",
                          name, number, help);
}

static void
numbers_begin (GString *out, const char *title)
{
  g_string_append_printf (out, "\n### %s\n\n| number | meaning |\n|---|---|\n", title);
}

void
lk_schema_markdown (GString *out)
{
  g_string_append (out, "## Events\n\nAn event is `u8` kind, `i64` time in microseconds, then:\n");
#define X(NAME, number, rank, acted, lower, help)                                                  \
  table_begin (out, #lower, "kind " #number ", rank " #rank acted_text_##acted, help);             \
  LK_EVENT_##NAME##_FIELDS (ROW_FIELD)
#define acted_text_1 ""
#define acted_text_0 ", answered with reject"
  LK_EVENT_KINDS (X)
#undef X
  g_string_append (
      out, "\n### A request\n\n`u8` 0 when all of these are zero and empty, else `u8` 1 and "
           "then:\n\n| field | type | what |\n|---|---|---|\n");
  LK_JOB_REQUEST_FIELDS (ROW_FIELD)
  g_string_append (out,
                   "\n### Terms\n\nThe same of these:\n\n| field | type | what |\n|---|---|---|\n");
  LK_JOB_TERMS_FIELDS (ROW_FIELD)
  g_string_append (out, "\n### Changes of an update\n\n| bit | field |\n|---|---|\n");
  g_string_append (out, "| 0 | `procs` |\n| 1 | `estimate_us` |\n");
  LK_JOB_REQUEST_FIELDS (ROW_CHANGE)
  LK_JOB_TERMS_FIELDS (ROW_CHANGE)
  g_string_append (out, "\n## Decisions\n\nA decision is `u8` kind, then:\n");
#define X(NAME, number, lower, help)                                                               \
  table_begin (out, #lower, "kind " #number, help);                                                \
  LK_DECISION_##NAME##_FIELDS (ROW_FIELD)
  LK_DECISION_KINDS (X)
#undef X
  g_string_append (out, "\n## Journal header\n\n| field | type | what |\n|---|---|---|\n");
  LK_JOURNAL_HEADER_FIELDS (ROW_FIELD)
  g_string_append (out, "\n## Numbers\n");
  numbers_begin (out, "LkJobState");
  LK_JOB_STATES (ROW_NUMBER)
  numbers_begin (out, "LkReason");
  LK_REASONS (ROW_NUMBER)
  numbers_begin (out, "LkKillWhy");
  LK_KILL_WHYS (ROW_NUMBER)
  numbers_begin (out, "LkTrouble");
  LK_TROUBLES (ROW_NUMBER)
  numbers_begin (out, "LkReject");
  LK_REJECTS (ROW_NUMBER)
}
