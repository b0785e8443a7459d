/* traces/swf_parse.h — one data line of the Standard Workload Format to numbers.
 *
 * Two ways to the same result.  The fast one takes lines of exactly 18 whole numbers of up to 16
 * digits, which is nearly every line of every log; it finds the fields of a line 64 bytes at a time
 * and turns the digits of a number into its value eight at a time, without a branch per digit.
 * Whatever it does not take goes to the exact one, which knows fractions, further fields and every
 * error.
 *
 * Not here: where lines come from, header comments. */
#ifndef LK_TRACES_SWF_PARSE_H
#define LK_TRACES_SWF_PARSE_H

#include "traces/swf.h"

#define LK_SWF_FIELD_COUNT 18u
#define LK_SWF_FIELD_LENIENT_MAX_COUNT 64u

/* Where a line stands, for messages. */
typedef struct {
  const char *trace;
  guint64 line_number;
  LkSwfFlags flags;
} LkSwfPlace;

typedef enum {
  LK_SWF_ODD_EXTRA_FIELDS = 1, /* more than 18 fields */
  LK_SWF_ODD_NEGATIVE = 2,     /* a time or a number of processors below -1 */
} LkSwfOdd;

/* Parses the line, which is followed by a newline and has LK_INPUT_PAD_BYTES behind its end.
 * `*out_odd` is a set of LkSwfOdd, empty unless the place's flags are lenient. On failure `out_job`
 * is undefined. */
gboolean lk_swf_line_parse (const LkSwfPlace *place, const char *line, gsize length_bytes,
                            LkSwfJob *out_job, guint *out_odd, GError **error);

#endif
