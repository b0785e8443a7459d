/* live/client/json/indent.h — JSON as Slurm lays it out: a member or an element on each line, two
 * blanks for each level, and "\/" for a slash in a text.
 *
 * What goes in comes in pieces, and may be cut anywhere. */
#ifndef LK_LIVE_CLIENT_JSON_INDENT_H
#define LK_LIVE_CLIENT_JSON_INDENT_H

#include <glib.h>

/* Begins as zeros. */
typedef struct {
  gboolean is_compact; /* all in one line, without blanks; set before the first piece */
  guint depth;
  gboolean is_open;    /* the last thing was the beginning of an object or an array */
  gboolean is_text;    /* we are within a text, */
  gboolean is_escaped; /* behind a backslash */
} LkJsonIndent;

/* Appends a piece to `out`. */
void lk_json_indent (LkJsonIndent *self, const char *bytes, gsize length_bytes, GString *out);

#endif
