/* traces/sacct_rows.c — see sacct_rows.h.
 *
 * Putting a row right is a shortest path: over the columns, with the number of surplus cells used
 * up so far.  A column takes one cell; one of free text may take the next one too, at a price. */
#include "traces/sacct_rows.h"

#include <string.h>

#include "engine/assert.h"

/* Prices. A cell that does not fit its column; the same where it matters less, since the column is
 * not used or may well hold a blank; blank cells at the seam of two that are joined, which is
 * rather the end of a column. */
#define COST_MISFIT 100000u
#define COST_MISFIT_SMALL 1000u
#define COST_BLANK 3u
#define COST_BLANK_FEATURE 20u /* no feature is called "" */
#define COST_NONE G_MAXUINT32
/* A row whose best way costs this much is not put right. */
#define COST_LIMIT COST_MISFIT

/* So many cells that fit make the beginning of a row. */
#define BEGINNING_COLUMNS 8u

typedef struct {
  guint64 number;
  GString *text;
} Line;

struct _LkSacctRows {
  LkReaderBase *base;
  const LkSacctColumns *columns;
  GQueue *ahead; /* of Line: read, but not used up */
  GQueue *used;  /* of Line: joined into `row` */
  GString *row;
  GArray *pieces; /* of LkSpan: between separators */
  GArray *costs;  /* of guint32: columns x surplus */
  GArray *joins;  /* of guint8: does the way come from the same column? */
  GArray *cells;  /* of LkSpan: one a column */
};

static void
line_free (gpointer data)
{
  Line *line = data;
  g_string_free (line->text, TRUE);
  g_free (line);
}

LkSacctRows *
lk_sacct_rows_new (LkReaderBase *base, const LkSacctColumns *columns)
{
  LkSacctRows *self = g_new0 (LkSacctRows, 1);
  LK_ASSERT (columns->count >= 1);
  self->base = base;
  self->columns = columns;
  self->ahead = g_queue_new ();
  self->used = g_queue_new ();
  self->row = g_string_new (NULL);
  self->pieces = g_array_new (FALSE, FALSE, sizeof (LkSpan));
  self->costs = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->joins = g_array_new (FALSE, FALSE, sizeof (guint8));
  self->cells = g_array_sized_new (FALSE, TRUE, sizeof (LkSpan), columns->count);
  g_array_set_size (self->cells, columns->count);
  return self;
}

void
lk_sacct_rows_free (LkSacctRows *self)
{
  if (!self)
    return;
  g_queue_free_full (self->ahead, line_free);
  g_queue_free_full (self->used, line_free);
  g_string_free (self->row, TRUE);
  g_array_unref (self->pieces);
  g_array_unref (self->costs);
  g_array_unref (self->joins);
  g_array_unref (self->cells);
  g_free (self);
}

/* ---------------------------------------------------------------- lines */

/* Reads one more line into `ahead`. 1, 0 or -1. */
static int
line_read (LkSacctRows *self, GError **error)
{
  const char *bytes;
  gsize length_bytes;
  int got = lk_input_line (self->base->input, &bytes, &length_bytes, error);
  if (got <= 0)
    return got;
  LkSpan span = lk_sacct_line ((LkSpan){ bytes, length_bytes },
                               lk_input_line_number (self->base->input) == 1);
  Line *line = g_new (Line, 1);
  line->number = lk_input_line_number (self->base->input);
  line->text = g_string_new_len (span.bytes, (gssize)span.length_bytes);
  g_queue_push_tail (self->ahead, line);
  return 1;
}

/* The line that comes next, or NULL at the end; -1 in `out_got` for an error. */
static Line *
line_peek (LkSacctRows *self, int *out_got, GError **error)
{
  *out_got = 1;
  if (g_queue_is_empty (self->ahead))
    *out_got = line_read (self, error);
  return *out_got == 1 ? g_queue_peek_head (self->ahead) : NULL;
}

static void
line_join (LkSacctRows *self)
{
  Line *line = g_queue_pop_head (self->ahead);
  if (!g_queue_is_empty (self->used))
    g_string_append_c (self->row, '\n');
  g_string_append_len (self->row, line->text->str, (gssize)line->text->len);
  g_queue_push_tail (self->used, line);
}

static void
row_clear (LkSacctRows *self)
{
  g_queue_clear_full (self->used, line_free);
  g_string_truncate (self->row, 0);
}

static gboolean
is_blank (const GString *text)
{
  return text->str[strspn (text->str, " \t")] == '\0' && strlen (text->str) == text->len;
}

static gboolean
is_header (const LkSacctRows *self, const GString *text)
{
  return self->columns->header && strcmp (text->str, self->columns->header) == 0;
}

/* ---------------------------------------------------------------- cells */

/* Cuts at every separator. FALSE: too many pieces. */
static gboolean
pieces_cut (LkSacctRows *self, const GString *text)
{
  LkSpan rest = { text->str, text->len };
  LkSpan piece;
  g_array_set_size (self->pieces, 0);
  while (lk_span_part (&rest, self->columns->separator, &piece)) {
    if (self->pieces->len == LK_SACCT_CELLS_MAX)
      return FALSE;
    g_array_append_val (self->pieces, piece);
  }
  return TRUE;
}

static LkSpan
piece_at (const LkSacctRows *self, guint index)
{
  return g_array_index (self->pieces, LkSpan, index);
}

static guint32
misfit_cost (const LkSacctRows *self, guint column, guint piece)
{
  const LkSacctField *field = self->columns->fields[column];
  if (lk_sacct_field_fits (field, piece_at (self, piece)))
    return 0;
  gboolean is_small = field->use == LK_SACCT_NOTHING || field->kind == LK_SACCT_WORD;
  return is_small ? COST_MISFIT_SMALL : COST_MISFIT;
}

/* What it costs a column to take `piece` as well as the one before it. */
static guint32
join_cost (const LkSacctRows *self, guint column, guint piece)
{
  const LkSacctField *field = self->columns->fields[column];
  guint32 blank = field->use == LK_SACCT_CONSTRAINTS ? COST_BLANK_FEATURE : COST_BLANK;
  guint32 cost = field->cost;
  cost += piece_at (self, piece).length_bytes == 0 ? blank : 0;
  cost += piece_at (self, piece - 1).length_bytes == 0 ? blank : 0;
  return cost;
}

static guint32
add_cost (guint32 a, guint32 b)
{
  return a == COST_NONE || a > COST_NONE - b - 1 ? COST_NONE : a + b;
}

/* Fills the prices of one column from those of the one before it. */
static void
column_cost (LkSacctRows *self, guint column, guint surplus)
{
  gsize width = (gsize)surplus + 1;
  guint32 *costs = &g_array_index (self->costs, guint32, column * width);
  const guint32 *above = column > 0 ? costs - width : NULL;
  guint8 *joins = &g_array_index (self->joins, guint8, column * width);
  gboolean is_free = self->columns->fields[column]->kind == LK_SACCT_FREE;
  for (guint e = 0; e <= surplus; e++) {
    guint32 before = above ? above[e] : (e == 0 ? 0 : COST_NONE);
    guint32 alone =
        before == COST_NONE ? COST_NONE : add_cost (before, misfit_cost (self, column, column + e));
    guint32 joined = is_free && e > 0 && costs[e - 1] != COST_NONE
                         ? add_cost (costs[e - 1], join_cost (self, column, column + e))
                         : COST_NONE;
    joins[e] = joined < alone;
    costs[e] = MIN (joined, alone);
  }
}

/* From the last column back: which pieces each one took. */
static void
cells_take (LkSacctRows *self, guint surplus)
{
  gsize width = (gsize)surplus + 1;
  guint e = surplus;
  for (guint column = self->columns->count; column-- > 0;) {
    LkSpan last = piece_at (self, column + e);
    while (g_array_index (self->joins, guint8, column * width + e))
      e--;
    LkSpan cell = piece_at (self, column + e);
    cell.length_bytes = (gsize)(last.bytes + last.length_bytes - cell.bytes);
    g_array_index (self->cells, LkSpan, column) = cell;
  }
}

/* Puts the pieces into columns, at the lowest price, which it returns; COST_NONE when there are
 * fewer pieces than columns or no way. */
static guint32
cells_align (LkSacctRows *self, const GString *text)
{
  guint count = self->columns->count;
  if (!pieces_cut (self, text) || self->pieces->len < count)
    return COST_NONE;
  guint surplus = self->pieces->len - count;
  guint size = count * (surplus + 1);
  g_array_set_size (self->costs, size);
  g_array_set_size (self->joins, size);
  for (guint column = 0; column < count; column++)
    column_cost (self, column, surplus);
  guint32 cost = g_array_index (self->costs, guint32, size - 1);
  if (cost != COST_NONE)
    cells_take (self, surplus);
  return cost;
}

/* ---------------------------------------------------------------- rows */

/* Is the line a row by itself?  As many cells as columns make it one, whatever is in them. */
static gboolean
is_row (LkSacctRows *self, const GString *text)
{
  guint32 cost = cells_align (self, text);
  return cost < COST_LIMIT || (cost != COST_NONE && self->pieces->len == self->columns->count);
}

/* Do the cells before the first column of free text, or the first few, look like the beginning of a
 * row? */
static gboolean
is_beginning (LkSacctRows *self, const GString *text)
{
  LkSpan rest = { text->str, text->len };
  LkSpan piece;
  guint fits = 0;
  for (guint column = 0; column < self->columns->count && fits < BEGINNING_COLUMNS; column++) {
    const LkSacctField *field = self->columns->fields[column];
    if (field->kind == LK_SACCT_FREE)
      return fits > 0;
    if (!lk_span_part (&rest, self->columns->separator, &piece)
        || !lk_sacct_field_fits (field, piece))
      return FALSE;
    fits++;
  }
  return TRUE;
}

static gboolean
ends_free (const LkSacctRows *self)
{
  return self->columns->fields[self->columns->count - 1]->kind == LK_SACCT_FREE;
}

/* Does the row go on in the line that follows it? */
static gboolean
goes_on (LkSacctRows *self, gboolean is_row_whole, const Line *next)
{
  if (!next || g_queue_get_length (self->used) >= LK_SACCT_LINES_MAX
      || self->row->len + next->text->len > LK_INPUT_LINE_MAX_BYTES || is_header (self, next->text))
    return FALSE;
  if (is_row_whole)
    return ends_free (self) && !is_blank (next->text) && !is_beginning (self, next->text);
  return !is_row (self, next->text);
}

/* All but the first line go back, to be looked at again. */
static void
lines_return (LkSacctRows *self)
{
  while (g_queue_get_length (self->used) > 1)
    g_queue_push_head (self->ahead, g_queue_pop_tail (self->used));
  row_clear (self);
}

/* For the cells of the first line, which is where somebody who looks for the fault will look. */
static int
row_fail (LkSacctRows *self, GError **error)
{
  const Line *first = g_queue_peek_head (self->used);
  pieces_cut (self, first->text);
  guint piece_count = self->pieces->len;
  guint count = self->columns->count;
  const char *why = piece_count > count ? ", and no way to join some fits their columns" : "";
  return lk_reader_fail (self->base, error,
                         "%u cell%s; expected %u, as %s%s (--lenient skips such rows)", piece_count,
                         piece_count == 1 ? "" : "s", count,
                         self->columns->header ? "the header has" : "there are columns", why);
}

/* To the first line of a row; 1, 0 or -1. */
static int
row_begin (LkSacctRows *self, GError **error)
{
  int got;
  row_clear (self);
  for (;;) {
    Line *line = line_peek (self, &got, error);
    if (!line)
      return got;
    if (!is_blank (line->text) && !is_header (self, line->text))
      break;
    line_free (g_queue_pop_head (self->ahead));
  }
  self->base->line_number = ((Line *)g_queue_peek_head (self->ahead))->number;
  line_join (self);
  return 1;
}

/* Takes in the lines that belong to the row. 1: its cells are cut; `*out_is_row`: and they are a
 * row's. -1: error. */
static int
row_complete (LkSacctRows *self, gboolean *out_is_row, GError **error)
{
  for (;;) {
    gboolean is_row_whole = cells_align (self, self->row) < COST_LIMIT;
    *out_is_row = is_row_whole;
    if (is_row_whole && !ends_free (self))
      return 1;
    int got;
    const Line *next = line_peek (self, &got, error);
    if (got < 0)
      return -1;
    if (!goes_on (self, is_row_whole, next)) {
      /* Asking whether the next line is a row has used the cells. What is wrong in a row of as many
       * cells as columns is a value, which its reader will name. */
      *out_is_row = is_row_whole || is_row (self, self->row);
      return 1;
    }
    line_join (self);
  }
}

int
lk_sacct_rows_next (LkSacctRows *self, const LkSpan **out_cells, GError **error)
{
  for (;;) {
    gboolean is_good;
    int got = row_begin (self, error);
    if (got <= 0)
      return got;
    if (row_complete (self, &is_good, error) < 0)
      return -1;
    if (is_good) {
      *out_cells = (const LkSpan *)(gpointer)self->cells->data;
      return 1;
    }
    if (!self->base->options.lenient)
      return row_fail (self, error);
    self->base->counts.skipped_count++;
    lines_return (self);
  }
}
