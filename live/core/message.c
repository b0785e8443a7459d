/* live/core/message.c — see the header; no field is named here by hand. */
#include "live/core/message.h"

#include "engine/assert.h"
#include "live/core/bytes_field.h"

/* ---------------------------------------------------------------- lists of runs */

void
lk_run_report_append (const LkRunReport *fields, GByteArray *runs)
{
  gsize size = 0;
  LK_RUN_REPORT_FIELDS (SIZE_FIELD)
  guint begin = runs->len;
  g_byte_array_set_size (runs, begin + (guint)size);
  guint8 *at = runs->data + begin;
  LK_RUN_REPORT_FIELDS (PUT_FIELD)
  LK_ASSERT (at == runs->data + runs->len);
}

static gboolean
take_run (LkBytesReader *from, LkRunReport *out_report)
{
  LkBytesReader reader = *from;
  LkRunReport report = { 0 };
  LkRunReport *fields = &report;
  LK_RUN_REPORT_FIELDS (TAKE_FIELD)
  if (reader.failed || report.state < LK_RUN_PROLOG || report.state > LK_RUN_LOST)
    return FALSE;
  *from = reader;
  *out_report = report;
  return TRUE;
}

gboolean
lk_run_report_next (LkRuns *runs, LkRunReport *out_report)
{
  LkBytesReader reader = { runs->bytes, runs->length_bytes, FALSE };
  if (reader.left_bytes == 0 || !take_run (&reader, out_report))
    return FALSE;
  *runs = (LkRuns){ reader.at, (guint32)reader.left_bytes };
  return TRUE;
}

#define size_runs size_bytes
#define lk_put_runs lk_put_bytes

/* Every report is looked at here, so that nobody meets a bad one later. */
static inline LkRuns
lk_take_runs (LkBytesReader *reader)
{
  LkRuns value = lk_take_bytes (reader);
  LkRuns left = value;
  LkRunReport report;
  while (lk_run_report_next (&left, &report))
    continue;
  reader->failed = reader->failed || left.length_bytes > 0;
  return value;
}

static inline void
json_runs (GString *out, const char *name, LkRuns value)
{
  LkRunReport report;
  const LkRunReport *fields = &report;
  json_key (out, name);
  g_string_append_c (out, '[');
  while (lk_run_report_next (&value, &report)) {
    g_string_append (out, out->str[out->len - 1] == '[' ? "{" : ",{");
    LK_RUN_REPORT_FIELDS (JSON_FIELD)
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

/* ---------------------------------------------------------------- lists of components */

void
lk_run_component_append (const LkRunComponent *fields, GByteArray *components)
{
  gsize size = 0;
  LK_RUN_COMPONENT_FIELDS (SIZE_FIELD)
  guint begin = components->len;
  g_byte_array_set_size (components, begin + (guint)size);
  guint8 *at = components->data + begin;
  LK_RUN_COMPONENT_FIELDS (PUT_FIELD)
  LK_ASSERT (at == components->data + components->len);
}

gboolean
lk_run_component_next (LkComponents *components, LkRunComponent *out_component)
{
  LkBytesReader reader = { components->bytes, components->length_bytes, FALSE };
  LkRunComponent component = { 0 };
  LkRunComponent *fields = &component;
  if (reader.left_bytes == 0)
    return FALSE;
  LK_RUN_COMPONENT_FIELDS (TAKE_FIELD)
  if (reader.failed)
    return FALSE;
  *out_component = component;
  *components = (LkComponents){ reader.at, (guint32)reader.left_bytes };
  return TRUE;
}

#define size_components size_bytes
#define lk_put_components lk_put_bytes

/* Every component is looked at here, so that nobody meets a bad one later. */
static inline LkComponents
lk_take_components (LkBytesReader *reader)
{
  LkComponents value = lk_take_bytes (reader);
  LkComponents left = value;
  LkRunComponent component;
  while (lk_run_component_next (&left, &component))
    continue;
  reader->failed = reader->failed || left.length_bytes > 0;
  return value;
}

static inline void
json_components (GString *out, const char *name, LkComponents value)
{
  LkRunComponent component;
  const LkRunComponent *fields = &component;
  json_key (out, name);
  g_string_append_c (out, '[');
  while (lk_run_component_next (&value, &component)) {
    g_string_append (out, out->str[out->len - 1] == '[' ? "{" : ",{");
    LK_RUN_COMPONENT_FIELDS (JSON_FIELD)
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

/* ---------------------------------------------------------------- lists about steps */

/* What a list of such values needs beside its fields: append, next, and the field type. Every value
 * is looked at when the list is read, so that nobody meets a bad one later. */
#define DEFINE_LIST(Type, lower, list, FIELDS, is_good)                                            \
  void lk_##lower##_append (const Type *fields, GByteArray *out)                                   \
  {                                                                                                \
    gsize size = 0;                                                                                \
    FIELDS (SIZE_FIELD)                                                                            \
    guint begin = out->len;                                                                        \
    g_byte_array_set_size (out, begin + (guint)size);                                              \
    guint8 *at = out->data + begin;                                                                \
    FIELDS (PUT_FIELD)                                                                             \
    LK_ASSERT (at == out->data + out->len);                                                        \
  }                                                                                                \
  gboolean lk_##lower##_next (LkBytes *left, Type *out_value)                                      \
  {                                                                                                \
    LkBytesReader reader = { left->bytes, left->length_bytes, FALSE };                             \
    Type value = { 0 };                                                                            \
    Type *fields = &value;                                                                         \
    if (reader.left_bytes == 0)                                                                    \
      return FALSE;                                                                                \
    FIELDS (TAKE_FIELD)                                                                            \
    if (reader.failed || !(is_good))                                                               \
      return FALSE;                                                                                \
    *out_value = value;                                                                            \
    *left = (LkBytes){ reader.at, (guint32)reader.left_bytes };                                    \
    return TRUE;                                                                                   \
  }                                                                                                \
  static inline LkBytes lk_take_##list (LkBytesReader *reader)                                     \
  {                                                                                                \
    LkBytes value = lk_take_bytes (reader);                                                        \
    LkBytes left = value;                                                                          \
    Type one;                                                                                      \
    while (lk_##lower##_next (&left, &one))                                                        \
      continue;                                                                                    \
    reader->failed = reader->failed || left.length_bytes > 0;                                      \
    return value;                                                                                  \
  }                                                                                                \
  static inline void json_##list (GString *out, const char *name, LkBytes value)                   \
  {                                                                                                \
    Type one;                                                                                      \
    const Type *fields = &one;                                                                     \
    json_key (out, name);                                                                          \
    g_string_append_c (out, '[');                                                                  \
    while (lk_##lower##_next (&value, &one)) {                                                     \
      g_string_append (out, out->str[out->len - 1] == '[' ? "{" : ",{");                           \
      FIELDS (JSON_FIELD)                                                                          \
      g_string_append_c (out, '}');                                                                \
    }                                                                                              \
    g_string_append_c (out, ']');                                                                  \
  }

#define size_places size_bytes
#define lk_put_places lk_put_bytes
#define size_step_reports size_bytes
#define lk_put_step_reports lk_put_bytes

DEFINE_LIST (LkStepPlace, step_place, places, LK_STEP_PLACE_FIELDS, TRUE)
DEFINE_LIST (LkStepReport, step_report, step_reports, LK_STEP_REPORT_FIELDS,
             value.state == LK_STEP_RUNNING || value.state == LK_STEP_ENDED)

guint32
lk_step_place_gpus (const LkStepPlace *place)
{
  LkText gres = place->gres;
  guint32 count = 0;
  const char *at = gres.bytes;
  const char *end = at + gres.length_bytes;
  if (gres.length_bytes < 4 || memcmp (at, "gpu:", 4) != 0)
    return 0;
  for (at += 4; at < end && g_ascii_isdigit (*at);) {
    guint32 first = 0;
    for (; at < end && g_ascii_isdigit (*at); at++)
      first = first * 10 + (guint32)g_ascii_digit_value (*at);
    guint32 last = first;
    if (at < end && *at == '-')
      for (last = 0, at++; at < end && g_ascii_isdigit (*at); at++)
        last = last * 10 + (guint32)g_ascii_digit_value (*at);
    count += last >= first ? last - first + 1 : 0;
    at += at < end && *at == ',' ? 1 : 0;
  }
  return count;
}

const char *
lk_step_error_text (guint error)
{
  switch (error) {
#define X(NAME, number, text)                                                                      \
  case number:                                                                                     \
    return text;
    LK_STEP_ERRORS (X)
#undef X
  default:
    return "Unspecified error";
  }
}

#define USAGE_OF_REPORT(type, name, help) .name = report->name,

LkStepUsage
lk_step_usage_of_report (const LkStepReport *report)
{
  return (LkStepUsage){ LK_STEP_USAGE_FIELDS (USAGE_OF_REPORT) };
}

/* ---------------------------------------------------------------- facts of runs */

guint8 *
lk_run_facts_own (LkRunFacts *fields)
{
  gsize size = 0;
  LK_RUN_FACTS_FIELDS (SIZE_FIELD)
  guint8 *bytes = g_malloc (size);
  guint8 *at = bytes;
  LK_RUN_FACTS_FIELDS (PUT_FIELD)
  LK_ASSERT (at == bytes + size);
  LkBytesReader reader = { bytes, size, FALSE };
  LK_RUN_FACTS_FIELDS (TAKE_FIELD)
  LK_ASSERT (!reader.failed);
  return bytes;
}

/* ---------------------------------------------------------------- messages */

static gsize
size_of_message (const LkMessage *message)
{
  gsize size = 1;
  switch (message->kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case LK_MESSAGE_##NAME: {                                                                        \
    const LkMessage_##lower *fields = &message->lower;                                             \
    LK_MESSAGE_##NAME##_FIELDS (SIZE_FIELD) return size;                                           \
  }
    LK_MESSAGE_KINDS (X)
#undef X
  }
  LK_UNREACHABLE ("a message kind of the schema");
  return 0;
}

void
lk_message_encode (const LkMessage *message, GByteArray *out)
{
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size_of_message (message));
  guint8 *at = lk_put_u8 (out->data + begin, (guint8)message->kind);
  switch (message->kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case LK_MESSAGE_##NAME: {                                                                        \
    const LkMessage_##lower *fields = &message->lower;                                             \
    LK_MESSAGE_##NAME##_FIELDS (PUT_FIELD) break;                                                  \
  }
    LK_MESSAGE_KINDS (X)
#undef X
  }
  LK_ASSERT (at == out->data + out->len);
}

static gsize
size_of_kind (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case number:                                                                                     \
    return limit;
    LK_MESSAGE_KINDS (X)
#undef X
  default:
    return LK_SIZE_SHORT;
  }
}

gboolean
lk_message_decode (const guint8 *bytes, gsize length_bytes, LkMessage *out_message)
{
  gsize max_bytes = length_bytes > 0 ? size_of_kind (bytes[0]) : 0;
  return length_bytes <= (max_bytes != LK_SIZE_KEPT ? max_bytes : LK_MESSAGE_MAX_BYTES)
         && lk_message_decode_kept (bytes, length_bytes, out_message);
}

gboolean
lk_message_decode_kept (const guint8 *bytes, gsize length_bytes, LkMessage *out_message)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkMessage message = { 0 };
  guint8 kind = lk_take_u8 (&reader);
  switch (kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case number: {                                                                                   \
    LkMessage_##lower *fields = &message.lower;                                                    \
    message.kind = LK_MESSAGE_##NAME;                                                              \
    LK_MESSAGE_##NAME##_FIELDS (TAKE_FIELD) break;                                                 \
  }
    LK_MESSAGE_KINDS (X)
#undef X
  default:
    return FALSE;
  }
  if (reader.failed || reader.left_bytes > 0)
    return FALSE;
  *out_message = message;
  return TRUE;
}

void
lk_message_json (const LkMessage *message, GString *out)
{
  g_string_append_c (out, '{');
  json_key (out, "message");
  json_quote (out, lk_message_kind_name (message->kind),
              strlen (lk_message_kind_name (message->kind)));
  switch (message->kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case LK_MESSAGE_##NAME: {                                                                        \
    const LkMessage_##lower *fields = &message->lower;                                             \
    LK_MESSAGE_##NAME##_FIELDS (JSON_FIELD) break;                                                 \
  }
    LK_MESSAGE_KINDS (X)
#undef X
  }
  g_string_append_c (out, '}');
}

const char *
lk_message_kind_name (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case number:                                                                                     \
    return #lower;
    LK_MESSAGE_KINDS (X)
#undef X
  default:
    return "?";
  }
}

gsize
lk_message_max_bytes (guint kind)
{
  gsize max_bytes = size_of_kind (kind);
  return max_bytes != LK_SIZE_KEPT ? max_bytes : LK_SIZE_SHORT;
}

guint32
lk_message_senders (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case number:                                                                                     \
    return senders;
    LK_MESSAGE_KINDS (X)
#undef X
  default:
    return 0;
  }
}

guint
lk_message_event_kind (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  case number:                                                                                     \
    return event;
    LK_MESSAGE_KINDS (X)
#undef X
  default:
    return 0;
  }
}

const LkRequestHead *
lk_message_request (const LkMessage *message)
{
  /* All members of the union that are requests begin with the same fields. */
  if (lk_message_event_kind (message->kind) == 0)
    return NULL;
  return (const LkRequestHead *)&message->update;
}

G_STATIC_ASSERT (G_STRUCT_OFFSET (LkMessage_submit, event)
                 == G_STRUCT_OFFSET (LkRequestHead, event));

/* ---------------------------------------------------------------- documentation */

static void
append_roles (GString *out, guint32 roles)
{
  const char *separator = "";
#define X(NAME, bit, help)                                                                         \
  if ((roles & LK_ROLE_##NAME) != 0) {                                                             \
    g_string_append (out, separator);                                                              \
    g_string_append (out, #NAME);                                                                  \
    separator = ", ";                                                                              \
  }
  LK_ROLES (X)
#undef X
}

static void
append_limit (GString *out, gsize max_bytes)
{
  if (max_bytes > 0)
    g_string_append_printf (out, ". At most %" G_GSIZE_FORMAT " KiB", max_bytes / 1024);
}

#define ROW_FIELD(type, name, help)                                                                \
  g_string_append (out, "| `" #name "` | " #type " | " help " |\n");

#define ROW_NUMBER(NAME, number, help)                                                             \
  g_string_append (out, "| " #number " | " #NAME " | " help " |\n");

void
lk_message_markdown (GString *out)
{
  g_string_append (out, "## Roles\n\n| role | who |\n|---|---|\n");
#define X(NAME, bit, help) g_string_append (out, "| " #NAME " | " help " |\n");
  LK_ROLES (X)
#undef X
  g_string_append (out, "\n## Run states\n\n| number | name | meaning |\n|---|---|---|\n");
#define X(NAME, number, help) g_string_append (out, "| " #number " | " #NAME " | " help " |\n");
  LK_RUN_STATES (X)
#undef X
  g_string_append (out, "\n## Why a run ends\n\n| number | name | meaning |\n|---|---|---|\n");
#define X(NAME, number, help, says)                                                                \
  g_string_append (out, "| " #number " | " #NAME " | " help " |\n");
  LK_END_WHYS (X)
#undef X
  g_string_append (out, "\n## A run report\n\n| field | type | meaning |\n|---|---|---|\n");
  LK_RUN_REPORT_FIELDS (ROW_FIELD)
  g_string_append (out, "\n## A component\n\n| field | type | meaning |\n|---|---|---|\n");
  LK_RUN_COMPONENT_FIELDS (ROW_FIELD)
  g_string_append (out, "\n## A place of a step\n\n| field | type | meaning |\n|---|---|---|\n");
  LK_STEP_PLACE_FIELDS (ROW_FIELD)
  g_string_append (out, "\n## A report of a step\n\n| field | type | meaning |\n|---|---|---|\n");
  LK_STEP_REPORT_FIELDS (ROW_FIELD)
  g_string_append (out, "\n### States of steps\n\n| number | name | meaning |\n|---|---|---|\n");
  LK_STEP_STATES (ROW_NUMBER)
  g_string_append (out, "\n### Distributions\n\n| number | name | meaning |\n|---|---|---|\n");
  LK_STEP_DISTRIBUTIONS (ROW_NUMBER)
  g_string_append (out, "\n### Flags of steps\n\n| bit | name | meaning |\n|---|---|---|\n");
  LK_STEP_FLAGS (ROW_NUMBER)
  g_string_append (out, "\n### Errors of steps\n\n| number | name | text |\n|---|---|---|\n");
  LK_STEP_ERRORS (ROW_NUMBER)
  g_string_append (out, "\n## Messages\n");
#define X(NAME, number, lower, senders, limit, event, help)                                        \
  g_string_append (out, "\n### " #number " " #lower "\n\n" help ".\n\nFrom: ");                    \
  append_roles (out, senders);                                                                     \
  append_limit (out, limit);                                                                       \
  g_string_append (out, ".\n\n| field | type | meaning |\n|---|---|---|\n");                       \
  LK_MESSAGE_##NAME##_FIELDS (ROW_FIELD)
  LK_MESSAGE_KINDS (X)
#undef X
}
