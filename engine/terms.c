/* engine/terms.c — see the header. */
#include "engine/terms.h"

const LkJobTerms lk_no_terms = { 0 };

/* ---------------------------------------------------------------- one operation per field type */

static gsize
room_text (LkText text)
{
  return (gsize)text.length_bytes + 1;
}

static LkText
move_text (char **at, LkText text)
{
  LkText moved = { *at, text.length_bytes };
  if (text.length_bytes > 0)
    memcpy (*at, text.bytes, text.length_bytes);
  (*at)[text.length_bytes] = '\0';
  *at += (gsize)text.length_bytes + 1;
  return moved;
}

static void
append_text (GByteArray *out, LkText text)
{
  lk_append_u32 (out, text.length_bytes);
  if (text.length_bytes > 0)
    g_byte_array_append (out, (const guint8 *)text.bytes, text.length_bytes);
}

static LkText
take_text (LkBytesReader *reader)
{
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *at = length_bytes <= G_MAXUINT16 ? lk_take (reader, length_bytes) : NULL;
  if (at == NULL || !g_utf8_validate_len ((const char *)at, length_bytes, NULL)) {
    reader->failed = TRUE;
    return (LkText){ NULL, 0 };
  }
  return (LkText){ (const char *)at, (guint16)length_bytes };
}

#define ROOM_u32(value) 0
#define ROOM_i64(value) 0
#define ROOM_text(value) room_text (value)
#define MOVE_u32(at, value) (value)
#define MOVE_i64(at, value) (value)
#define MOVE_text(at, value) move_text (at, value)
#define APPEND_u32(out, value) lk_append_u32 (out, value)
#define APPEND_i64(out, value) lk_append_i64 (out, value)
#define APPEND_text(out, value) append_text (out, value)
#define TAKE_u32(reader) lk_take_u32 (reader)
#define TAKE_i64(reader) lk_take_i64 (reader)
#define TAKE_text(reader) take_text (reader)

#define ROOM_FIELD(type, name, help) room_bytes += ROOM_##type (asked->name);
#define MOVE_FIELD(type, name, help) self->asked.name = MOVE_##type (&at, asked->name);
#define APPEND_FIELD(type, name, help) APPEND_##type (out, self->asked.name);
#define TAKE_FIELD(type, name, help) asked.name = TAKE_##type (reader);

/* ---------------------------------------------------------------- terms */

LkTerms *
lk_terms_new (const LkJobTerms *asked)
{
  gsize room_bytes = 0;
  if (lk_job_terms_are_empty (asked))
    return NULL;
  LK_JOB_TERMS_FIELDS (ROOM_FIELD)
  LkTerms *self = g_malloc0 (sizeof (LkTerms) + room_bytes);
  char *at = self->texts;
  LK_JOB_TERMS_FIELDS (MOVE_FIELD)
  return self;
}

void
lk_terms_free (LkTerms *self)
{
  g_free (self);
}

void
lk_terms_save (const LkTerms *self, GByteArray *out)
{
  lk_append_u8 (out, self != NULL);
  if (self == NULL)
    return;
  LK_JOB_TERMS_FIELDS (APPEND_FIELD)
}

gboolean
lk_terms_load (LkBytesReader *reader, LkTerms **out_terms)
{
  LkJobTerms asked = { 0 };
  guint8 has = lk_take_u8 (reader);
  *out_terms = NULL;
  if (reader->failed || has > 1)
    return FALSE;
  if (has == 0)
    return TRUE;
  LK_JOB_TERMS_FIELDS (TAKE_FIELD)
  if (reader->failed)
    return FALSE;
  *out_terms = lk_terms_new (&asked);
  return *out_terms != NULL;
}
