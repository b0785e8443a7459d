/* traces/reader_private.h — what a format has to bring, and what all formats share.
 *
 * A format is one LkReaderOps, named in the table of traces/reader.c.  `open` looks at the head of
 * the log and makes a reader; `next` fills records; `close` frees.  What belongs to no format is in
 * LkReaderBase: the input, the options, the strings that records point to, numbers for names, the
 * counts, the place for messages.
 *
 * traces/reader.c hands `next` a record on which lk_record_init has been called, then applies the
 * overrides (traces/reader_map.h) and counts it.  So a format neither counts records nor reads
 * `map`, except for keys of its own.
 *
 * Not here: cleaning (traces/clean.h) and selection (traces/source.h). */
#ifndef LK_TRACES_READER_PRIVATE_H
#define LK_TRACES_READER_PRIVATE_H

#include "traces/reader.h"

/* A text of a record has at most this many bytes; more is cut off. */
#define LK_READER_TEXT_MAX_BYTES 65535u
/* Bytes of the head of the log that `is_mine` sees, or all of a shorter log. */
#define LK_READER_SNIFF_BYTES (64u * 1024)
/* A log that has to be held in memory as a whole (JSON) may have this many bytes. */
#define LK_READER_WHOLE_MAX_BYTES (1024u * 1024 * 1024)

/* Names that got numbers. One table for each kind of name. */
typedef enum {
  LK_NAMES_USER,
  LK_NAMES_GROUP,
  LK_NAMES_PARTITION,
  LK_NAMES_COUNT,
} LkNames;

typedef struct {
  LkInput *input;          /* stands before the first line when `open` is called */
  LkReaderOptions options; /* all that it points to lives as long as the reader */
  LkReaderCounts counts;   /* the format keeps step_count, duplicate_count and skipped_count */
  /* The format sets both with every record: line, or element of a list, from 1. `element` is the
   * word for it in messages, "line" if not set. */
  guint64 line_number;
  const char *element;
  gboolean has_dates; /* set by the format: times are microseconds since 1970 */

  GStringChunk *texts;
  GHashTable *numbers[LK_NAMES_COUNT]; /* name to number; looked up, never walked through */
  GPtrArray *terms;                    /* of LkJobTerms, owned; NULL: none yet */
} LkReaderBase;

typedef struct {
  LkTraceFormat format;
  /* Could these bytes be the head of such a log? Asked in the order of the table; what nobody wants
   * is taken for SWF. NULL: only when the format is given. */
  gboolean (*is_mine) (const char *head, gsize length_bytes);
  /* Keys of `map` that only this format knows, NULL-terminated; NULL: none. Read them with
   * lk_reader_map_value. */
  const char *const *map_keys;
  /* Returns the format's own state, or NULL and an error. Need not clean up `base`. */
  gpointer (*open) (LkReaderBase *base, GError **error);
  /* 1: filled; 0: the end; -1: error. Not called again after 0 or -1. */
  int (*next) (gpointer self, LkTraceRecord *out_record, GError **error);
  void (*close) (gpointer self);
} LkReaderOps;

extern const LkReaderOps lk_reader_swf;        /* reader_swf.c */
extern const LkReaderOps lk_reader_sacct;      /* reader_sacct.c */
extern const LkReaderOps lk_reader_sacct_json; /* reader_sacct_json.c */
extern const LkReaderOps lk_reader_events;     /* reader_events.c */
extern const LkReaderOps lk_reader_csv;        /* reader_csv.c */

/* The SWF reader under an SWF log, for a replay that needs nothing else; NULL for other formats. */
LkSwfReader *lk_trace_reader_swf (LkTraceReader *self);
/* Are there overrides? */
gboolean lk_trace_reader_has_map (const LkTraceReader *self);

/* ---------------------------------------------------------------- shared by the formats */

/* All unknown: numbers -1, texts NULL, one attempt, an empty request. */
void lk_record_init (LkTraceRecord *record);

/* The text as the record keeps it: interned (equal texts are one string), valid UTF-8, without NUL,
 * at most LK_READER_TEXT_MAX_BYTES. An empty text gives NULL. Returns: (transfer none), lives as
 * long as the reader. */
const char *lk_reader_text (LkReaderBase *base, const char *bytes, gsize length_bytes);
/* The same for a terminated string; NULL gives NULL. */
const char *lk_reader_string (LkReaderBase *base, const char *string);
/* The same, not interned: for texts that do not repeat. */
const char *lk_reader_text_once (LkReaderBase *base, const char *bytes, gsize length_bytes);

/* A copy that lives as long as the reader, or NULL when nothing is in them. Texts must live as long
 * too. Returns: (transfer none). */
const LkJobTerms *lk_reader_terms (LkReaderBase *base, const LkJobTerms *terms);

/* Number of a name, from 1 in the order of first appearance; 0 for NULL and "". `name` must come
 * from lk_reader_text or lk_reader_string. */
guint32 lk_reader_number (LkReaderBase *base, LkNames names, const char *name);

/* Value of the override `key`, or NULL. The last of several counts. */
const char *lk_reader_map_value (const LkReaderBase *base, const char *key);

/* The text as part of a message: valid UTF-8, one line. Returns: (transfer full). */
char *lk_reader_one_line (const char *text);
/* Sets an LK_TRACE_ERROR_SYNTAX "trace 'x' line 7: ..." with base->line_number. Returns -1. */
int lk_reader_fail (const LkReaderBase *base, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

#endif
