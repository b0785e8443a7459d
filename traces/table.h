/* traces/table.h — tables as Slurm's commands lay them out.
 *
 * A layout is made from a format such as "%.15i %9r|%Q": %[.][width]letter and any text between,
 * where a dot means right-justified.  What is wider than its column is cut; without a width a cell
 * takes what it needs.  Widths count characters; the text between may be any bytes.
 * Source: squeue(1), sprio(1), -o. */
#ifndef LK_TRACES_TABLE_H
#define LK_TRACES_TABLE_H

#include <glib.h>

#define LK_TABLE_ERROR (lk_table_error_quark ())
GQuark lk_table_error_quark (void);
typedef enum {
  LK_TABLE_ERROR_FORMAT, /* it names a column that there is not, or is no format */
} LkTableError;

/* What a letter stands for; a list of them ends with letter 0. */
typedef struct {
  char letter;
  const char *heading;
  /* Appends the cell of a row. */
  void (*cell) (gconstpointer report, gconstpointer row, GString *out);
} LkTableColumn;

typedef struct _LkTableLayout LkTableLayout;

/* `columns` must outlive self. NULL with an LK_TABLE_ERROR.  Returns: (transfer full). */
LkTableLayout *lk_table_layout_new (const LkTableColumn *columns, const char *format,
                                    GError **error);
void lk_table_layout_free (LkTableLayout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTableLayout, lk_table_layout_free)

/* How many bytes the first character of a text that is not empty has; one where it is not UTF-8. */
gsize lk_table_character_bytes (const char *text);

/* Append a line, with its newline. Control characters in a cell become "?". */
void lk_table_layout_heading (const LkTableLayout *self, GString *out);
void lk_table_layout_row (const LkTableLayout *self, gconstpointer report, gconstpointer row,
                          GString *out);

/* NULL: no column has this letter. */
const LkTableColumn *lk_table_column (const LkTableColumn *columns, char letter);

/* What to do with text that is too wide. */
typedef enum {
  LK_CELL_CUT,
  LK_CELL_CUT_PLUS, /* its last character becomes a + */
} LkCellCut;

/* `width` 0: as wide as the text; below 0: left-justified. */
void lk_table_cell (GString *out, const char *text, int width, LkCellCut cut);

/* Puts "?" for control characters: a name may have anything in it, and is on one line all the
 * same. */
void lk_table_keep_on_line (GString *cell);

/* A duration as squeue prints it: "0:09", "2:00:00", "1-00:00:00". */
void lk_table_duration (gint64 duration_us, GString *out);

/* A real with so many digits behind the point, the same in every locale. */
void lk_table_real (GString *out, double value, guint digits);

#endif
