/* traces/csv_values.h — cells of tables to times, counts and sizes, by the unit that a column has.
 *
 * Not here: which column has which unit (traces/csv_map.h). */
#ifndef LK_TRACES_CSV_VALUES_H
#define LK_TRACES_CSV_VALUES_H

#include <glib.h>

#include "traces/sacct_values.h"

typedef enum {
  LK_CSV_MOMENT, /* microseconds; of dates since 1970 */
  LK_CSV_SPAN,   /* microseconds; LK_TIME_NEVER for UNLIMITED and INFINITE */
  LK_CSV_COUNT,  /* thousandths, rounded up */
  LK_CSV_SIZE,   /* bytes, rounded up */
  LK_CSV_TEXT,   /* no unit, and not read here */
} LkCsvKind;

typedef struct _LkCsvUnit LkCsvUnit;

/* The unit of this name for values of this kind, or NULL. */
const LkCsvUnit *lk_csv_unit (LkCsvKind kind, const char *name);
/* The names of all units of a kind, the one that stands for none given first; for LK_CSV_SIZE one
 * has to be given. NULL-terminated. Returns: (transfer container). */
const char **lk_csv_unit_names (LkCsvKind kind);
gboolean lk_csv_unit_is_date (const LkCsvUnit *unit);

/* Is this text a form of dates for lk_csv_value_parse? */
gboolean lk_csv_date_form_check (const char *form);

/* `form` says how dates are written: %Y %m %d %H %M %S %f (decimals of a second) %F (%Y-%m-%d) %T
 * (%H:%M:%S) %z (Z or +hh:mm) and %%; a blank stands for any number of them.  NULL: ISO 8601.
 * Dates without a zone are taken for UTC.  FALSE, and the output untouched, for what is no such
 * value. */
gboolean lk_csv_value_parse (const LkCsvUnit *unit, const char *form, LkSpan cell,
                             gint64 *out_value);

#endif
