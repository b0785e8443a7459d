/* traces/input.h — text lines out of a file, standard input or memory; plain, gzip or zstd.
 *
 * The format is told by the first bytes, never by the name.  Concatenated gzip members and zstd
 * frames are one input. A compressed stream that ends early or has something behind its end is an
 * error, so a truncated download cannot pass for a short log.
 *
 * Lines are handed out inside the read buffer, without a copy.  Memory is bounded by
 * LK_INPUT_LINE_MAX_BYTES whatever the input holds; a longer line is an error.
 *
 * Not here: what a line means. */
#ifndef LK_TRACES_INPUT_H
#define LK_TRACES_INPUT_H

#include <glib.h>

#include "traces/trace_error.h"

#define LK_INPUT_LINE_MAX_BYTES (1024u * 1024)
/* A line is followed by its newline (the last one of an input too, in the file or not) and, with
 * it, by at least this many bytes that may be read, whatever they hold: room for a parser that
 * loads whole words. */
#define LK_INPUT_PAD_BYTES 64u

typedef struct _LkInput LkInput;

/* Opens a file; "-" is standard input. Fails when it cannot be opened, is a directory or holds no
 * byte. Returns: (transfer full). */
LkInput *lk_input_new (const char *path, GError **error);
/* The same of a file that is no trace: `what` is a static name of its kind, for messages. */
LkInput *lk_input_new_of (const char *what, const char *path, GError **error);
/* Bytes in memory, borrowed for the life of self; `name` is used in messages. Returns: (transfer
 * full). */
LkInput *lk_input_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                                  GError **error);
void lk_input_free (LkInput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkInput, lk_input_free)

/* Next line. 1: `*out_line` points at `*out_length_bytes` bytes without the newline (a carriage
 * return before it is part of the line), valid until the next call; 0: the end; -1: error, self is
 * then spent. */
int lk_input_line (LkInput *self, const char **out_line, gsize *out_length_bytes, GError **error);

/* Looks at the text that comes next without taking it: at least `wanted_bytes`, at most
 * LK_INPUT_LINE_MAX_BYTES, or all there is. The same pointer rules as for a line. */
gboolean lk_input_peek (LkInput *self, gsize wanted_bytes, const char **out_text,
                        gsize *out_length_bytes, GError **error);
/* Appends all that has not been handed out, with its newlines; more than `limit_bytes` of it is an
 * error. Lines are no longer counted then. */
gboolean lk_input_rest (LkInput *self, gsize limit_bytes, GString *out, GError **error);

/* Number of the line handed out last, from 1. */
guint64 lk_input_line_number (const LkInput *self);
/* For messages. Returns: (transfer none). */
const char *lk_input_name (const LkInput *self);
/* Bytes as stored, taken in so far; and in all, 0 when that is unknown (a pipe). */
guint64 lk_input_bytes_read (const LkInput *self);
guint64 lk_input_bytes_total (const LkInput *self);

#endif
