/* traces/sacct_rows.h — rows of sacct -P text, cut into the cells of their columns.
 *
 * sacct quotes nothing, so a job name or a command line may hold the separator and newlines.  Rows
 * are put right by these rules:
 *
 *   A row of as many cells as there are columns is taken as it is.
 *   One with more cells has separators in columns of free text (JobName, SubmitLine, Constraints,
 *   comments...).  Of all ways to join neighbouring cells there, the one counts in which each other
 *   cell looks most like what its column holds, and of equal ones that with the cells in the more
 *   likely column: SubmitLine, then Constraints, JobName, Licenses, comments.
 *   One with fewer cells, or whose cells do not fit, goes on in the next line, unless that line is
 *   a whole row by itself.  When the last column is free text, also every line behind a whole row
 *   that does not begin like a row belongs to it.
 *
 * A row that none of this puts right is an error; when lenient it is skipped and counted.  Lines
 * that repeat the header are passed over.
 *
 * Not here: what cells mean. */
#ifndef LK_TRACES_SACCT_ROWS_H
#define LK_TRACES_SACCT_ROWS_H

#include "traces/sacct_fields.h"

/* Columns that a header may have, cells that a row may have, lines that it may go over. */
#define LK_SACCT_COLUMNS_MAX 512u
#define LK_SACCT_CELLS_MAX 2048u
#define LK_SACCT_LINES_MAX 1000u

typedef struct {
  char separator;
  guint count;
  const LkSacctField *fields[LK_SACCT_COLUMNS_MAX];
  char *header; /* the line that named them, to know it again; NULL: none */
} LkSacctColumns;

void lk_sacct_columns_clear (LkSacctColumns *self);

/* Columns of a line of names. FALSE: it is not one, which has a JobID or JobIDRaw and, apart from
 * that, at least one name that sacct knows; or it has too many. The separator is found out when
 * `separator` is 0. */
gboolean lk_sacct_columns_parse (LkSacctColumns *self, LkSpan line, char separator);
/* The order of XDMoD's and similar extracts, which have no header, if the line fits it. */
gboolean lk_sacct_columns_guess (LkSacctColumns *self, LkSpan line);

/* The line without a carriage return at its end and, the first one, a byte order mark. */
LkSpan lk_sacct_line (LkSpan line, gboolean is_first);

typedef struct _LkSacctRows LkSacctRows;

/* Rows of base->input behind the header. `columns` is borrowed and must outlive self. Returns:
 * (transfer full). */
LkSacctRows *lk_sacct_rows_new (LkReaderBase *base, const LkSacctColumns *columns);
void lk_sacct_rows_free (LkSacctRows *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkSacctRows, lk_sacct_rows_free)

/* The next row: its cells, one a column, valid until the next call. Sets base->line_number to its
 * first line. 1, 0 at the end, -1 error. */
int lk_sacct_rows_next (LkSacctRows *self, const LkSpan **out_cells, GError **error);

#endif
