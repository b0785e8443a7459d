/* live/core/record.c — see the header; no field is named here by hand. */
#include "live/core/record.h"

#include "engine/assert.h"
#include "live/core/bytes_field.h"

/* ---------------------------------------------------------------- reals */

static inline gsize
size_real (double value)
{
  (void)value;
  return sizeof (guint64);
}

static inline guint8 *
lk_put_real (guint8 *at, double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  return lk_put_u64 (at, bits);
}

static inline double
lk_take_real (LkBytesReader *reader)
{
  guint64 bits = lk_take_u64 (reader);
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* JSON has no word for what is not finite. */
static inline void
json_real (GString *out, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  json_key (out, name);
  gboolean is_finite = value - value == 0;
  g_string_append (out, is_finite ? g_ascii_dtostr (text, sizeof text, value) : "null");
}

/* ---------------------------------------------------------------- records */

static gsize
size_of_record (const LkRecord *record)
{
  gsize size = 0;
  switch (record->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_RECORD_##NAME: {                                                                         \
    const LkRecord_##lower *fields = &record->lower;                                               \
    LK_RECORD_##NAME##_FIELDS (SIZE_FIELD) return size;                                            \
  }
    LK_RECORD_KINDS (X)
#undef X
  }
  LK_UNREACHABLE ("a record kind of the schema");
  return 0;
}

void
lk_record_append (const LkRecord *record, GByteArray *out)
{
  guint begin = out->len;
  g_byte_array_set_size (out, begin + (guint)size_of_record (record));
  guint8 *at = out->data + begin;
  switch (record->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_RECORD_##NAME: {                                                                         \
    const LkRecord_##lower *fields = &record->lower;                                               \
    LK_RECORD_##NAME##_FIELDS (PUT_FIELD) break;                                                   \
  }
    LK_RECORD_KINDS (X)
#undef X
  }
  LK_ASSERT (at == out->data + out->len);
}

gboolean
lk_record_next (LkBytes *left, LkRecordKind kind, LkRecord *out_record)
{
  LkBytesReader reader = { left->bytes, left->length_bytes, FALSE };
  LkRecord record = { .kind = kind };
  if (reader.left_bytes == 0)
    return FALSE;
  switch (kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_RECORD_##NAME: {                                                                         \
    LkRecord_##lower *fields = &record.lower;                                                      \
    LK_RECORD_##NAME##_FIELDS (TAKE_FIELD) break;                                                  \
  }
    LK_RECORD_KINDS (X)
#undef X
  default:
    return FALSE;
  }
  if (reader.failed)
    return FALSE;
  *left = (LkBytes){ reader.at, (guint32)reader.left_bytes };
  *out_record = record;
  return TRUE;
}

void
lk_record_json (const LkRecord *record, GString *out)
{
  g_string_append_c (out, '{');
  switch (record->kind) {
#define X(NAME, number, lower, help)                                                               \
  case LK_RECORD_##NAME: {                                                                         \
    const LkRecord_##lower *fields = &record->lower;                                               \
    LK_RECORD_##NAME##_FIELDS (JSON_FIELD) break;                                                  \
  }
    LK_RECORD_KINDS (X)
#undef X
  }
  g_string_append_c (out, '}');
}

const char *
lk_record_kind_name (guint kind)
{
  switch (kind) {
#define X(NAME, number, lower, help)                                                               \
  case number:                                                                                     \
    return #lower;
    LK_RECORD_KINDS (X)
#undef X
  default:
    return "?";
  }
}

/* ---------------------------------------------------------------- documentation */

#define ROW_FIELD(type, name, help)                                                                \
  g_string_append (out, "| `" #name "` | " #type " | " help " |\n");

void
lk_record_markdown (GString *out)
{
  g_string_append (out, "\n## Records\n");
#define X(NAME, number, lower, help)                                                               \
  g_string_append (out, "\n### Record " #number " " #lower "\n\n" help                             \
                        ".\n\n| field | type | meaning |\n|---|---|---|\n");                       \
  LK_RECORD_##NAME##_FIELDS (ROW_FIELD)
  LK_RECORD_KINDS (X)
#undef X
}
