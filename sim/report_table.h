/* sim/report_table.h — tables as Slurm's commands lay them out.
 *
 * A layout is made from a format such as "%.15i %9r|%Q": %[.][width]letter and any text between,
 * where a dot means right-justified.  What is wider than its column is cut; without a width a cell
 * takes what it needs.  Widths count characters.  Source: squeue(1), sprio(1), -o. */
#ifndef LK_SIM_REPORT_TABLE_H
#define LK_SIM_REPORT_TABLE_H

#include <glib.h>

/* What a letter stands for; a list of them ends with letter 0. */
typedef struct {
  char letter;
  const char *heading;
  /* Appends the cell of a row. */
  void (*cell) (gconstpointer report, gconstpointer row, GString *out);
} LkReportColumn;

typedef struct _LkReportLayout LkReportLayout;

/* `columns` must outlive self. NULL with LK_SIM_ERROR_USAGE when the format names a letter that
 * there is not, or is no format. Returns: (transfer full). */
LkReportLayout *lk_report_layout_new (const LkReportColumn *columns, const char *format,
                                      GError **error);
void lk_report_layout_free (LkReportLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkReportLayout, lk_report_layout_free)

/* Append a line, with its newline. */
void lk_report_layout_heading (const LkReportLayout *self, GString *out);
void lk_report_layout_row (const LkReportLayout *self, gconstpointer report, gconstpointer row,
                           GString *out);

/* NULL: no column has this letter. */
const LkReportColumn *lk_report_column (const LkReportColumn *columns, char letter);

/* What to do with text that is too wide. */
typedef enum {
  LK_CELL_CUT,
  LK_CELL_CUT_PLUS, /* its last character becomes a + */
} LkCellCut;

/* `width` 0: as wide as the text; below 0: left-justified. */
void lk_report_cell (GString *out, const char *text, int width, LkCellCut cut);

/* A real with so many digits behind the point, the same in every locale. */
void lk_report_real (GString *out, double value, guint digits);

#endif
