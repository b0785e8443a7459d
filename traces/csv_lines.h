/* traces/csv_lines.h — rows of a table with separated values, as RFC 4180 has them.
 *
 * A cell may be put in double quotes, and then hold the separator, line ends and, doubled, quotes.
 * A quote inside a cell that does not begin with one stands for itself.  Lines may end with a
 * carriage return.  Empty lines between rows are passed over; a byte order mark before the first
 * row is too.
 *
 * Memory is bounded: a row has at most LK_INPUT_LINE_MAX_BYTES and LK_CSV_CELLS_MAX cells.
 *
 * Not here: what a cell means, how many there have to be. */
#ifndef LK_TRACES_CSV_LINES_H
#define LK_TRACES_CSV_LINES_H

#include <glib.h>

#include "traces/input.h"
#include "traces/sacct_values.h"

#define LK_CSV_CELLS_MAX 4096u

typedef struct _LkCsvLines LkCsvLines;

/* Over an input that stands before its first line, borrowed for the life of self. `separator` is a
 * byte that is no quote and no line end. Returns: (transfer full). */
LkCsvLines *lk_csv_lines_new (LkInput *input, char separator);
void lk_csv_lines_free (LkCsvLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCsvLines, lk_csv_lines_free)

/* Next row. 1: its cells can be had, until the next call; 0: the end; -1: error. */
int lk_csv_lines_next (LkCsvLines *self, GError **error);
guint lk_csv_lines_cell_count (const LkCsvLines *self);
/* `index` < the count. Without the quotes around it. */
LkSpan lk_csv_lines_cell (const LkCsvLines *self, guint index);
/* On which the row begins, from 1. */
guint64 lk_csv_lines_line_number (const LkCsvLines *self);

#endif
