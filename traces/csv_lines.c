/* traces/csv_lines.c — see csv_lines.h.
 *
 * A row without a quote, which is nearly every one, is taken apart where the input holds it.  One
 * with quotes is copied into `text` cell by cell; cells are then places in it, because it moves
 * when it grows. */
#include "traces/csv_lines.h"

#include <string.h>

#include "engine/assert.h"

/* Where a cell begins, and its length. */
typedef struct {
  gsize start;
  gsize length_bytes;
} Cell;

struct _LkCsvLines {
  LkInput *input;
  char separator;
  const char *bytes; /* that cells are places in */
  GString *text;     /* of a row with quotes */
  GArray *cells;     /* of Cell */
  guint64 line_number;
};

/* The line that is being taken apart. */
typedef struct {
  const char *at;
  const char *end; /* behind the last byte: no carriage return, no newline */
} Line;

LkCsvLines *
lk_csv_lines_new (LkInput *input, char separator)
{
  LK_ASSERT (separator != '"');
  LK_ASSERT (separator != '\n');
  LkCsvLines *self = g_new0 (LkCsvLines, 1);
  self->input = input;
  self->separator = separator;
  self->text = g_string_new (NULL);
  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  return self;
}

void
lk_csv_lines_free (LkCsvLines *self)
{
  if (self == NULL)
    return;
  g_string_free (self->text, TRUE);
  g_array_unref (self->cells);
  g_free (self);
}

guint
lk_csv_lines_cell_count (const LkCsvLines *self)
{
  return self->cells->len;
}

LkSpan
lk_csv_lines_cell (const LkCsvLines *self, guint index)
{
  LK_ASSERT (index < self->cells->len);
  const Cell *cell = &g_array_index (self->cells, Cell, index);
  return (LkSpan){ self->bytes + cell->start, cell->length_bytes };
}

guint64
lk_csv_lines_line_number (const LkCsvLines *self)
{
  return self->line_number;
}

static gboolean
row_fail (const LkCsvLines *self, GError **error, const char *what)
{
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "trace '%s' line %" G_GUINT64_FORMAT ": %s", lk_input_name (self->input),
               self->line_number, what);
  return FALSE;
}

static gboolean
cell_add (LkCsvLines *self, gsize start, gsize length_bytes, GError **error)
{
  Cell cell = { start, length_bytes };
  if (self->cells->len == LK_CSV_CELLS_MAX)
    return row_fail (self, error, "more than 4096 cells; expected at most that many");
  g_array_append_val (self->cells, cell);
  return TRUE;
}

/* ---------------------------------------------------------------- rows without quotes */

static gboolean
plain_row (LkCsvLines *self, Line line, GError **error)
{
  self->bytes = line.at;
  const char *start = line.at;
  for (;;) {
    const char *end = memchr (start, self->separator, (gsize)(line.end - start));
    gboolean is_last = end == NULL;
    if (is_last)
      end = line.end;
    if (!cell_add (self, (gsize)(start - line.at), (gsize)(end - start), error))
      return FALSE;
    if (is_last)
      return TRUE;
    start = end + 1;
  }
}

/* ---------------------------------------------------------------- rows with quotes */

static Line
line_of (const char *line, gsize length_bytes)
{
  if (length_bytes > 0 && line[length_bytes - 1] == '\r')
    length_bytes--;
  return (Line){ line, line + length_bytes };
}

/* The next line of a cell that goes on behind a line end. */
static gboolean
line_continue (LkCsvLines *self, Line *line, GError **error)
{
  const char *bytes;
  gsize length_bytes;
  int got = lk_input_line (self->input, &bytes, &length_bytes, error);
  if (got < 0)
    return FALSE;
  if (got == 0)
    return row_fail (self, error, "a quote is opened and never closed; expected another one");
  if (self->text->len + length_bytes > LK_INPUT_LINE_MAX_BYTES)
    return row_fail (self, error,
                     "a row of more than 1048576 bytes; expected the quote before it to be closed");
  g_string_append_c (self->text, '\n');
  *line = line_of (bytes, length_bytes);
  return TRUE;
}

/* `line` stands behind the quote that opens; it is left at the separator or the end. */
static gboolean
quoted_cell (LkCsvLines *self, Line *line, GError **error)
{
  for (;;) {
    const char *quote = memchr (line->at, '"', (gsize)(line->end - line->at));
    const char *end = quote != NULL ? quote : line->end;
    g_string_append_len (self->text, line->at, (gssize)(end - line->at));
    if (quote == NULL) {
      if (!line_continue (self, line, error))
        return FALSE;
      continue;
    }
    line->at = quote + 1;
    if (line->at == line->end || *line->at == self->separator)
      return TRUE;
    if (*line->at != '"')
      return row_fail (self, error, "text behind a quote that closes a cell; expected a separator");
    g_string_append_c (self->text, '"');
    line->at++;
  }
}

static gboolean
quoted_row (LkCsvLines *self, Line line, GError **error)
{
  g_string_truncate (self->text, 0);
  for (;;) {
    gsize start = self->text->len;
    if (line.at < line.end && *line.at == '"') {
      line.at++;
      if (!quoted_cell (self, &line, error))
        return FALSE;
    } else {
      const char *end = memchr (line.at, self->separator, (gsize)(line.end - line.at));
      end = end != NULL ? end : line.end;
      g_string_append_len (self->text, line.at, (gssize)(end - line.at));
      line.at = end;
    }
    if (!cell_add (self, start, self->text->len - start, error))
      return FALSE;
    if (line.at == line.end)
      break;
    line.at++;
  }
  self->bytes = self->text->str;
  return TRUE;
}

int
lk_csv_lines_next (LkCsvLines *self, GError **error)
{
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  const char *bytes;
  gsize length_bytes;
  Line line;
  do {
    int got = lk_input_line (self->input, &bytes, &length_bytes, error);
    if (got <= 0)
      return got;
    self->line_number = lk_input_line_number (self->input);
    if (self->line_number == 1 && length_bytes >= 3 && memcmp (bytes, byte_order_mark, 3) == 0) {
      bytes += 3;
      length_bytes -= 3;
    }
    line = line_of (bytes, length_bytes);
  } while (line.at == line.end);
  g_array_set_size (self->cells, 0);
  gboolean is_plain = memchr (line.at, '"', (gsize)(line.end - line.at)) == NULL;
  return (is_plain ? plain_row (self, line, error) : quoted_row (self, line, error)) ? 1 : -1;
}
