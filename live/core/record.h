/* live/core/record.h — what a controller tells of its state, as structs and as canonical bytes;
 * made from record_schema.h.
 *
 * What is read is borrowed from the input. */
#ifndef LK_LIVE_CORE_RECORD_H
#define LK_LIVE_CORE_RECORD_H

#include <glib.h>

#include "engine/codec.h"
#include "live/core/bytes.h"
#include "live/core/record_schema.h"

#define LK_TYPE_real double

#define X(NAME, number, lower, help) LK_RECORD_##NAME = number,
typedef enum { LK_RECORD_KINDS (X) } LkRecordKind;
#undef X
#define X(NAME, number, meaning) LK_USE_##NAME = number,
typedef enum { LK_USE_SCOPES (X) } LkUseScope;
#undef X

#define X(NAME, number, lower, help)                                                               \
  typedef struct {                                                                                 \
    LK_RECORD_##NAME##_FIELDS (LK_MEMBER)                                                          \
  } LkRecord_##lower;
LK_RECORD_KINDS (X)
#undef X

typedef struct {
  LkRecordKind kind;
#define X(NAME, number, lower, help) LkRecord_##lower lower;
  union {
    LK_RECORD_KINDS (X)
  };
#undef X
} LkRecord;

/* Appends its bytes, behind which may come others of its kind. */
void lk_record_append (const LkRecord *record, GByteArray *out);
/* Takes the next record of a kind off the front. FALSE: none is left, or, with bytes left, what
 * follows is none. */
gboolean lk_record_next (LkBytes *left, LkRecordKind kind, LkRecord *out_record);
/* A JSON object on one line. */
void lk_record_json (const LkRecord *record, GString *out);
/* Name as in the schema; "?" for a number that is none. */
const char *lk_record_kind_name (guint kind);
/* The documentation of all records, as Markdown. */
void lk_record_markdown (GString *out);

#endif
