/* traces/fields.h — tables as Slurm's accounting commands lay them out: sacct, sacctmgr, sreport
 * and sshare.
 *
 * Columns are named, "Account,User%20,Share%-8", in either case and cut short; the number is the
 * width, below 0 left-justified.  What is wider than its column ends with a +, but for headings,
 * which are just cut.  Behind each column stands a blank; or, to be read by programs, a delimiter,
 * and nothing is cut. */
#ifndef LK_TRACES_FIELDS_H
#define LK_TRACES_FIELDS_H

#include <glib.h>

/* A list of them ends with name NULL. */
typedef struct {
  const char *name;    /* by which it is asked for */
  const char *heading; /* NULL: the name */
  int width;           /* below 0: left-justified */
  /* Appends the cell of a row. */
  void (*cell) (gconstpointer report, gconstpointer row, GString *out);
} LkField;

typedef struct {
  gboolean no_heading;
  gboolean is_parsable;  /* a delimiter behind each field: -p */
  gboolean is_parsable2; /* a delimiter between fields: -P */
  const char *delimiter; /* NULL: a bar */
} LkFieldStyle;

/* The first in the list that is called so, or begins so. NULL: there is none. */
const LkField *lk_field_find (const LkField *known, const char *name, gsize name_bytes);
/* Appends the columns of a format to `out_chosen`, of LkField; empty words are passed over. FALSE:
 * a word is wrong, which `out_wrong` then has (transfer full). */
gboolean lk_fields_parse (const LkField *known, const char *format, GArray *out_chosen,
                          char **out_wrong);

/* Append a line, or with a heading two. */
void lk_fields_heading (const LkFieldStyle *style, const GArray *chosen, GString *out);
void lk_fields_row (const LkFieldStyle *style, const GArray *chosen, gconstpointer report,
                    gconstpointer row, GString *out);

#endif
