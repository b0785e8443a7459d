/* sim/audit_bytes.c — see the header. */
#include "sim/audit_bytes.h"

#include <string.h>

#define MAGIC "LKJOURN1"
#define MAGIC_BYTES 8u
#define RECORD_HEADER 1u
#define RECORD_BATCH 2u
#define RECORD_END 3u
#define RECORD_NOTE 4u

/* ---------------------------------------------------------------- values */

static guint64
take (LkAuditBytes *from, guint byte_count)
{
  guint64 value = 0;
  if (from->failed || from->left_bytes < byte_count) {
    from->failed = TRUE;
    return 0;
  }
  for (guint i = 0; i < byte_count; i++)
    value |= (guint64)from->at[i] << (8 * i);
  from->at += byte_count;
  from->left_bytes -= byte_count;
  return value;
}

static LkAuditText
take_string (LkAuditBytes *from, guint length_size)
{
  guint64 length_bytes = take (from, length_size);
  if (from->failed || from->left_bytes < length_bytes) {
    from->failed = TRUE;
    return (LkAuditText){ "", 0 };
  }
  LkAuditText text = { (const char *)from->at, (guint32)length_bytes };
  from->at += length_bytes;
  from->left_bytes -= length_bytes;
  return text;
}

#define TAKE_u8(from) ((guint8)take (from, 1))
#define TAKE_u16(from) ((guint16)take (from, 2))
#define TAKE_u32(from) ((guint32)take (from, 4))
#define TAKE_u64(from) take (from, 8)
#define TAKE_i64(from) ((gint64)take (from, 8))
#define TAKE_text(from) take_string (from, 2)
#define TAKE_long_text(from) take_string (from, 4)
#define TAKE_MEMBER(type, name, help) fields->name = TAKE_##type (from);
#define TAKE_GROUP_MEMBER(type, name, help) fields->name = TAKE_##type (from);

/* The field that stands for a group: a byte that says whether its members follow. */
#define GROUP(lower, group, head, FIELDS)                                                          \
  static guint32 take_##group##_of_##lower (LkAuditBytes *from, LkAudit_##lower *fields)           \
  {                                                                                                \
    if (take (from, 1) == 0)                                                                       \
      return 0;                                                                                    \
    FIELDS (TAKE_GROUP_MEMBER)                                                                     \
    return fields->head;                                                                           \
  }
GROUP (submit, request, present, LK_JOB_REQUEST_FIELDS)
GROUP (update, request, present, LK_JOB_REQUEST_FIELDS)
GROUP (submit, terms, term_flags, LK_JOB_TERMS_FIELDS)
GROUP (update, terms, term_flags, LK_JOB_TERMS_FIELDS)
#define TAKE_GROUP(group)                                                                          \
  _Generic((fields), LkAudit_submit *                                                              \
           : take_##group##_of_submit, LkAudit_update *                                            \
           : take_##group##_of_update)
#define TAKE_request(from) TAKE_GROUP (request) (from, fields)
#define TAKE_terms(from) TAKE_GROUP (terms) (from, fields)

static void
take_event (LkAuditBytes *from, LkAuditEvent *out)
{
  memset (out, 0, sizeof *out);
  out->kind = (guint)take (from, 1);
  out->time_us = (gint64)take (from, 8);
  switch (out->kind) {
#define X(NAME, number, rank, acted, lower, help)                                                  \
  case number: {                                                                                   \
    LkAudit_##lower *fields = &out->lower;                                                         \
    (void)fields;                                                                                  \
    LK_EVENT_##NAME##_FIELDS (TAKE_MEMBER) break;                                                  \
  }
    LK_EVENT_KINDS (X)
#undef X
  default:
    from->failed = TRUE;
  }
}

static void
take_decision (LkAuditBytes *from, LkAuditDecision *out)
{
  memset (out, 0, sizeof *out);
  out->kind = (guint)take (from, 1);
  switch (out->kind) {
#define X(NAME, number, lower, help)                                                               \
  case number: {                                                                                   \
    LkAuditDecided_##lower *fields = &out->lower;                                                  \
    (void)fields;                                                                                  \
    LK_DECISION_##NAME##_FIELDS (TAKE_MEMBER) break;                                               \
  }
    LK_DECISION_KINDS (X)
#undef X
  default:
    from->failed = TRUE;
  }
}

/* ---------------------------------------------------------------- records */

/* CRC-32C (RFC 3720, B.4), bit by bit: journals that are checked are small. */
static guint32
crc_of (const guint8 *bytes, gsize length_bytes)
{
  guint32 crc = ~0u;
  for (gsize i = 0; i < length_bytes; i++) {
    crc ^= bytes[i];
    for (guint bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

static gboolean
fail (LkAuditJournal *self, const char *what)
{
  g_snprintf (self->error, sizeof self->error, "%s, at event %" G_GUINT64_FORMAT, what, self->seq);
  return FALSE;
}

/* The next record's body. FALSE: there is none; not an error when the file ends there. */
static gboolean
next_record (LkAuditJournal *self, LkAuditBytes *out_body)
{
  LkAuditBytes *file = &self->file;
  if (file->left_bytes == 0)
    return FALSE;
  guint32 length_bytes = (guint32)take (file, 4);
  guint32 crc = (guint32)take (file, 4);
  if (file->failed || file->left_bytes < length_bytes || length_bytes == 0)
    return fail (self, "the last record is not whole");
  *out_body = (LkAuditBytes){ file->at, length_bytes, FALSE };
  if (crc_of (file->at, length_bytes) != crc)
    return fail (self, "a record's CRC does not match");
  file->at += length_bytes;
  file->left_bytes -= length_bytes;
  return TRUE;
}

gboolean
lk_audit_journal_open (LkAuditJournal *self, const guint8 *bytes, gsize length_bytes,
                       LkAuditHeader *fields)
{
  LkAuditBytes body;
  LkAuditBytes *from = &body;
  *self = (LkAuditJournal){ .file = { bytes, length_bytes, FALSE } };
  if (length_bytes < MAGIC_BYTES || memcmp (bytes, MAGIC, MAGIC_BYTES) != 0)
    return fail (self, "it is no journal");
  self->file.at += MAGIC_BYTES;
  self->file.left_bytes -= MAGIC_BYTES;
  if (!next_record (self, &body))
    return self->error[0] == '\0' ? fail (self, "there is no header") : FALSE;
  if (take (from, 1) != RECORD_HEADER)
    return fail (self, "the first record is no header");
  LK_JOURNAL_HEADER_FIELDS (TAKE_MEMBER)
  if (body.failed || body.left_bytes != 0)
    return fail (self, "the header is of another format");
  return TRUE;
}

static gboolean
next_batch (LkAuditJournal *self)
{
  LkAuditBytes body;
  guint type;
  do {
    if (self->is_complete || !next_record (self, &body))
      return FALSE;
    type = (guint)take (&body, 1);
  } while (type == RECORD_NOTE);
  if (type == RECORD_END) {
    self->is_complete = TRUE;
    return FALSE;
  }
  guint64 seq = take (&body, 8);
  self->batch_events_left = (guint32)take (&body, 4);
  if (type != RECORD_BATCH || body.failed || self->batch_events_left == 0
      || (self->seq != 0 && seq != self->seq))
    return fail (self, "a batch is not what it should be");
  self->seq = seq;
  self->batch = body;
  return TRUE;
}

gboolean
lk_audit_journal_event (LkAuditJournal *self, LkAuditEvent *out_event)
{
  if (self->batch_events_left == 0 && !next_batch (self))
    return FALSE;
  take_event (&self->batch, out_event);
  out_event->seq = self->seq;
  self->decisions_left = (guint32)take (&self->batch, 4);
  if (self->batch.failed)
    return fail (self, "an event cannot be read");
  self->seq++;
  self->batch_events_left--;
  return TRUE;
}

gboolean
lk_audit_journal_decision (LkAuditJournal *self, LkAuditDecision *out_decision)
{
  if (self->decisions_left == 0)
    return FALSE;
  take_decision (&self->batch, out_decision);
  if (self->batch.failed) {
    self->decisions_left = 0;
    self->batch_events_left = 0;
    self->is_complete = TRUE;
    return fail (self, "a decision cannot be read");
  }
  self->decisions_left--;
  return TRUE;
}

/* ---------------------------------------------------------------- words */

char *
lk_audit_text_copy (LkAuditText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

#define NAME_CASE(NAME, number, text)                                                              \
  case number:                                                                                     \
    return text;

const char *
lk_audit_reason_text (guint reason)
{
  switch (reason) {
    LK_REASONS (NAME_CASE)
  default:
    return "?";
  }
}

const char *
lk_audit_state_text (guint state)
{
  switch (state) {
    LK_JOB_STATES (NAME_CASE)
  default:
    return "?";
  }
}
