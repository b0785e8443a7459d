/* live/core/batch.h — what a client sends with a batch job; made from batch_schema.h.
 *
 * One value has one encoding, and the decoder accepts nothing else.  What is decoded is borrowed
 * from the input. */
#ifndef LK_LIVE_CORE_BATCH_H
#define LK_LIVE_CORE_BATCH_H

#include "engine/codec.h"
#include "live/core/batch_schema.h"
#include "live/core/bytes.h"

/* Longest script, as Slurm's default of max_script_size. */
#define LK_BATCH_SCRIPT_MAX_BYTES (4u * 1024 * 1024)
/* Longest payload: it must fit into a message with the rest of it. */
#define LK_BATCH_MAX_BYTES (8u * 1024 * 1024)
#define LK_BATCH_PATH_MAX_BYTES LK_PATH_MAX_BYTES

#define X(NAME, number, help) LK_BATCH_KIND_##NAME = number,
typedef enum { LK_BATCH_KINDS (X) LK_BATCH_KIND_COUNT } LkBatchKind;
#undef X
#define X(NAME, number, help) LK_BATCH_OPEN_##NAME = number,
typedef enum { LK_BATCH_OPENS (X) LK_BATCH_OPEN_COUNT } LkBatchOpen;
#undef X
#define X(NAME, number, help) LK_BATCH_EXPORT_##NAME = number,
typedef enum { LK_BATCH_EXPORTS (X) LK_BATCH_EXPORT_COUNT } LkBatchExport;
#undef X
#define X(NAME, bit, text) LK_BATCH_MAIL_##NAME = 1u << bit,
typedef enum { LK_BATCH_MAILS (X) } LkBatchMail;
#undef X
#define X(NAME, lower, unused) LK_BATCH_LIMIT_##NAME,
typedef enum { LK_BATCH_LIMITS (X, ) LK_BATCH_LIMIT_COUNT } LkBatchLimit;
#undef X

typedef struct {
  LK_BATCH_FIELDS (LK_MEMBER)
} LkBatch;

/* Appends the canonical bytes. Paths and lists must be such, and what is numbered in range. */
void lk_batch_encode (const LkBatch *batch, GByteArray *out);
/* FALSE: the bytes are not one canonical batch job; then `out_batch` is untouched. */
gboolean lk_batch_decode (const guint8 *bytes, gsize length_bytes, LkBatch *out_batch);
/* May it be sent? NULL, or what is wrong with it: a text for its user. */
const char *lk_batch_fault (const LkBatch *batch);
/* A JSON object on one line; of script and environment only the length. */
void lk_batch_json (const LkBatch *batch, GString *out);
/* The documentation of the bytes, as Markdown. */
void lk_batch_markdown (GString *out);

/* Takes the next string off the front of a list; NULL: there is none left. Terminated, borrowed. */
const char *lk_strings_next (LkStrings *strings);
/* Appends a string, and the NUL at its end, to a list. */
void lk_strings_append (GByteArray *strings, const char *string);
/* Borrowed bytes of a terminated string; NULL gives none. */
LkBytes lk_bytes (const char *string);

#endif
