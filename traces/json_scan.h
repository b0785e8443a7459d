/* traces/json_scan.h — finds the parts of a large JSON text without reading what is in them.
 *
 * Brackets are balanced and strings are closed in what it hands out, and nothing is nested deeper
 * than LK_JSON_DEPTH_MAX, so that a parser that calls itself may be let loose on a part.  Otherwise
 * a part need not be valid.  Whoever parses part by part holds one part in memory as values, not
 * the text.
 *
 * Not here: values. */
#ifndef LK_TRACES_JSON_SCAN_H
#define LK_TRACES_JSON_SCAN_H

#include "traces/sacct_values.h"

#define LK_JSON_DEPTH_MAX 64u

typedef struct {
  const char *at;
  const char *end;
  guint64 line_number; /* of `at`, from 1 */
} LkJsonScan;

/* Returns NULL and sets the span to the next value, which starts at `self->line_number`'s old value
 * or later (`out_line_number`), moving behind it; else what is wrong. */
const char *lk_json_scan_value (LkJsonScan *self, LkSpan *out_value, guint64 *out_line_number);

/* Does the next character that is no blank equal `c`? Moves behind it then. */
gboolean lk_json_scan_take (LkJsonScan *self, char c);
/* Is nothing but blanks left? */
gboolean lk_json_scan_is_end (LkJsonScan *self);

/* Walks the members of an object or the elements of a list: call with `*state` 0 first. 1: a value
 * (with its key, quotes off, as it stands, in an object); 0: the end; -1: `*out_wrong` says what is
 * wrong. */
typedef struct {
  LkSpan key;
  LkSpan value;
  guint64 line_number; /* of the value */
} LkJsonPart;
int lk_json_scan_part (LkJsonScan *self, char close, gboolean *is_begun, LkJsonPart *out_part,
                       const char **out_wrong);

#endif
