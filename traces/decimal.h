/* traces/decimal.h — decimal numbers as tables have them, times a fraction, to whole numbers.
 *
 * "12", "-3.5", "66.0".  What is behind the ninth decimal is dropped, so that the noise of binary
 * fractions ("2.0000000000000004") does not count.  No floating point takes part; nothing depends
 * on the locale. */
#ifndef LK_TRACES_DECIMAL_H
#define LK_TRACES_DECIMAL_H

#include <glib.h>

typedef enum { LK_ROUND_NEAREST, LK_ROUND_UP } LkRounding;

/* The value times `numerator` / `denominator` (both > 0), rounded. FALSE, and the output untouched,
 * for what is no number or does not fit. */
gboolean lk_decimal_parse (const char *bytes, gsize length_bytes, gint64 numerator,
                           gint64 denominator, LkRounding rounding, gint64 *out_value);

#endif
