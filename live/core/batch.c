/* live/core/batch.c — see the header; no field is named here by hand. */
#include "live/core/batch.h"

#include <string.h>

#include "engine/assert.h"
#include "live/core/bytes_field.h"

/* Without a kind. */
#define SCRIPT_VERSION 1u

/* ---------------------------------------------------------------- batch jobs */

static gboolean
is_numbered_well (const LkBatch *batch)
{
  return batch->open_mode < LK_BATCH_OPEN_COUNT && batch->export_mode < LK_BATCH_EXPORT_COUNT
         && batch->umask <= 0777 && batch->limits < 1u << LK_BATCH_LIMIT_COUNT
         && batch->mail_types < LK_BATCH_MAIL_ARRAY_TASKS << 1
         && batch->script.length_bytes <= LK_BATCH_SCRIPT_MAX_BYTES
         && batch->kind < LK_BATCH_KIND_COUNT;
}

static gsize
size_of_batch (const LkBatch *fields)
{
  gsize size = 1;
  LK_BATCH_SCRIPT_FIELDS (SIZE_FIELD)
  return fields->kind != LK_BATCH_KIND_SCRIPT ? size + size_u8 (fields->kind) : size;
}

void
lk_batch_encode (const LkBatch *fields, GByteArray *out)
{
  LK_ASSERT (lk_batch_fault (fields) == NULL);
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size_of_batch (fields));
  gboolean has_kind = fields->kind != LK_BATCH_KIND_SCRIPT;
  guint8 *at = lk_put_u8 (out->data + begin, has_kind ? LK_BATCH_VERSION : SCRIPT_VERSION);
  LK_BATCH_SCRIPT_FIELDS (PUT_FIELD)
  if (has_kind)
    at = lk_put_u8 (at, fields->kind);
  LK_ASSERT (at == out->data + out->len);
}

gboolean
lk_batch_decode (const guint8 *bytes, gsize length_bytes, LkBatch *out_batch)
{
  if (length_bytes > LK_BATCH_MAX_BYTES)
    return FALSE;
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  LkBatch batch = { 0 };
  LkBatch *fields = &batch;
  guint8 version = lk_take_u8 (&reader);
  if (version != SCRIPT_VERSION && version != LK_BATCH_VERSION)
    return FALSE;
  LK_BATCH_SCRIPT_FIELDS (TAKE_FIELD)
  if (version == LK_BATCH_VERSION)
    batch.kind = lk_take_u8 (&reader);
  gboolean has_kind = batch.kind != LK_BATCH_KIND_SCRIPT;
  if (reader.failed || reader.left_bytes > 0 || !is_numbered_well (&batch)
      || has_kind != (version == LK_BATCH_VERSION))
    return FALSE;
  *out_batch = batch;
  return TRUE;
}

#define IS_GOOD_u8(value) TRUE
#define IS_GOOD_u16(value) TRUE
#define IS_GOOD_u32(value) TRUE
#define IS_GOOD_u64(value) TRUE
#define IS_GOOD_bytes(value) TRUE
#define IS_GOOD_text(value) g_utf8_validate_len ((value).bytes, (value).length_bytes, NULL)
#define IS_GOOD_path is_path
#define IS_GOOD_strings is_strings
#define FAULT_OF_FIELD(type, name, help)                                                           \
  if (!(IS_GOOD_##type (batch->name)))                                                             \
    return "bad " #name;

const char *
lk_batch_fault (const LkBatch *batch)
{
  if (batch->script.length_bytes > LK_BATCH_SCRIPT_MAX_BYTES)
    return "the script is too long";
  LK_BATCH_FIELDS (FAULT_OF_FIELD)
  if (!is_numbered_well (batch))
    return "a number out of range";
  return size_of_batch (batch) <= LK_BATCH_MAX_BYTES ? NULL : "the environment is too long";
}

void
lk_batch_json (const LkBatch *fields, GString *out)
{
  g_string_append_c (out, '{');
  LK_BATCH_FIELDS (JSON_FIELD)
  g_string_append_c (out, '}');
}

/* ---------------------------------------------------------------- documentation */

#define ROW_FIELD(type, name, help)                                                                \
  g_string_append (out, "| `" #name "` | " #type " | " help " |\n");
#define ROW_NUMBER(NAME, number, help) g_string_append (out, "| " #number " | " help " |\n");

void
lk_batch_markdown (GString *out)
{
  g_string_append_printf (
      out,
      "## A batch job\n\nThe payload of SUBMIT and LAUNCH: u8 version (1; %u with a "
      "kind), then these fields.\n\n| field | type | meaning |\n|---|---|---|\n",
      LK_BATCH_VERSION);
  LK_BATCH_FIELDS (ROW_FIELD)
  g_string_append (out, "\n### open_mode\n\n| number | meaning |\n|---|---|\n");
  LK_BATCH_OPENS (ROW_NUMBER)
  g_string_append (out, "\n### kind\n\n| number | meaning |\n|---|---|\n");
  LK_BATCH_KINDS (ROW_NUMBER)
  g_string_append (out, "\n### export_mode\n\n| number | meaning |\n|---|---|\n");
  LK_BATCH_EXPORTS (ROW_NUMBER)
  g_string_append (out, "\n### mail_types\n\n| bit | meaning |\n|---|---|\n");
  LK_BATCH_MAILS (ROW_NUMBER)
  g_string_append (out, "\n### limits\n\n| bit | meaning |\n|---|---|\n");
#define X(NAME, lower, unused)                                                                     \
  g_string_append_printf (out, "| %d | RLIMIT_" #NAME " |\n", LK_BATCH_LIMIT_##NAME);
  LK_BATCH_LIMITS (X, )
#undef X
}

/* ---------------------------------------------------------------- lists of strings */

const char *
lk_strings_next (LkStrings *strings)
{
  if (strings->length_bytes == 0)
    return NULL;
  const char *first = (const char *)strings->bytes;
  guint32 size_bytes = (guint32)strlen (first) + 1;
  LK_ASSERT (size_bytes <= strings->length_bytes);
  *strings = (LkStrings){ strings->bytes + size_bytes, strings->length_bytes - size_bytes };
  return first;
}

void
lk_strings_append (GByteArray *strings, const char *string)
{
  g_byte_array_append (strings, (const guint8 *)string, (guint)strlen (string) + 1);
}

LkBytes
lk_bytes (const char *string)
{
  if (string == NULL)
    return (LkBytes){ NULL, 0 };
  return (LkBytes){ (const guint8 *)string, (guint32)strlen (string) };
}
