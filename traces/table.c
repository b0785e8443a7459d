/* traces/table.c — see the header. */
#include "traces/table.h"

#include <math.h>
#include <string.h>

#define WIDTH_MAX 1000

G_DEFINE_QUARK (lk - table - error - quark, lk_table_error)

typedef struct {
  const LkTableColumn *column; /* NULL: only the text */
  int width;                   /* as lk_table_cell */
  char *text;                  /* that follows */
} Field;

struct _LkTableLayout {
  GArray *fields; /* of Field */
};

/* ---------------------------------------------------------------- cells */

static void
pad (GString *out, glong count)
{
  static const char blanks[] = "                                ";
  for (; count > 0; count -= (glong)sizeof blanks - 1)
    g_string_append_len (out, blanks, MIN (count, (glong)sizeof blanks - 1));
}

void
lk_table_cell (GString *out, const char *text, int width, LkCellCut cut)
{
  g_autofree char *made = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);
  const char *valid = made != NULL ? made : text;
  glong length = g_utf8_strlen (valid, -1);
  glong room = ABS (width);
  if (width == 0) {
    g_string_append (out, valid);
    return;
  }
  if (length > room) {
    glong kept = cut == LK_CELL_CUT_PLUS ? room - 1 : room;
    g_string_append_len (out, valid, g_utf8_offset_to_pointer (valid, kept) - valid);
    if (cut == LK_CELL_CUT_PLUS)
      g_string_append_c (out, '+');
    return;
  }
  pad (out, width > 0 ? room - length : 0);
  g_string_append (out, valid);
  pad (out, width < 0 ? room - length : 0);
}

void
lk_table_real (GString *out, double value, guint digits)
{
  char format[16];
  char text[G_ASCII_DTOSTR_BUF_SIZE + 320];
  if (!isfinite (value)) {
    g_string_append (out, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  g_snprintf (format, sizeof format, "%%.%uf", digits);
  g_string_append (out, g_ascii_formatd (text, sizeof text, format, value));
}

void
lk_table_duration (gint64 duration_us, GString *out)
{
  gint64 whole_s = MAX (duration_us, 0) / G_USEC_PER_SEC;
  gint64 days = whole_s / (24 * 3600);
  gint64 hours = whole_s % (24 * 3600) / 3600;
  if (days > 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "-%02d:", days, (int)hours);
  else if (hours > 0)
    g_string_append_printf (out, "%d:", (int)hours);
  g_string_append_printf (out, days > 0 || hours > 0 ? "%02d:%02d" : "%d:%02d",
                          (int)(whole_s % 3600 / 60), (int)(whole_s % 60));
}

/* ---------------------------------------------------------------- formats */

const LkTableColumn *
lk_table_column (const LkTableColumn *columns, char letter)
{
  for (const LkTableColumn *column = columns; column->letter != '\0'; column++)
    if (column->letter == letter)
      return column;
  return NULL;
}

static void
field_clear (gpointer user)
{
  Field *self = user;
  g_free (self->text);
}

gsize
lk_table_character_bytes (const char *text)
{
  gunichar character = g_utf8_get_char_validated (text, -1);
  gboolean is_one = character != (gunichar)-1 && character != (gunichar)-2;
  return is_one ? (gsize)(g_utf8_next_char (text) - text) : 1;
}

static gboolean
refuse_letter (const LkTableColumn *columns, const char *at, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (const LkTableColumn *column = columns; column->letter != '\0'; column++)
    if (g_ascii_isgraph (column->letter)) /* others have names only */
      g_string_append_printf (known, "%s%%%c", known->len > 0 ? " " : "", column->letter);
  if (*at == '\0')
    g_set_error (error, LK_TABLE_ERROR, LK_TABLE_ERROR_FORMAT,
                 "the format ends behind a %%; expected one of %s", known->str);
  else {
    g_autofree char *letter = g_utf8_make_valid (at, (gssize)lk_table_character_bytes (at));
    g_set_error (error, LK_TABLE_ERROR, LK_TABLE_ERROR_FORMAT,
                 "the format has %%%s; expected one of %s", letter, known->str);
  }
  return FALSE;
}

/* From behind a % on. */
static gboolean
parse_field (const LkTableColumn *columns, const char **at, Field *out, GError **error)
{
  gboolean is_right = **at == '.';
  int width = 0;
  *at += is_right ? 1 : 0;
  for (; g_ascii_isdigit (**at); (*at)++)
    width = MIN (width * 10 + (**at - '0'), WIDTH_MAX + 1);
  if (width > WIDTH_MAX) {
    g_set_error (error, LK_TABLE_ERROR, LK_TABLE_ERROR_FORMAT,
                 "the format has a column wider than %d characters", WIDTH_MAX);
    return FALSE;
  }
  out->column = **at == '\0' ? NULL : lk_table_column (columns, **at);
  if (out->column == NULL)
    return refuse_letter (columns, *at, error);
  (*at)++;
  out->width = is_right ? width : -width;
  return TRUE;
}

LkTableLayout *
lk_table_layout_new (const LkTableColumn *columns, const char *format, GError **error)
{
  g_autoptr (LkTableLayout) self = g_new0 (LkTableLayout, 1);
  const char *at = format;
  self->fields = g_array_new (FALSE, FALSE, sizeof (Field));
  g_array_set_clear_func (self->fields, field_clear);
  while (*at != '\0') {
    Field field = { 0 };
    if (*at == '%') {
      at++;
      if (!parse_field (columns, &at, &field, error))
        return NULL;
    }
    gsize text_bytes = strcspn (at, "%");
    g_array_append_val (self->fields, field);
    g_array_index (self->fields, Field, self->fields->len - 1).text = g_strndup (at, text_bytes);
    at += text_bytes;
  }
  return g_steal_pointer (&self);
}

void
lk_table_layout_free (LkTableLayout *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->fields);
  g_free (self);
}

/* ---------------------------------------------------------------- lines */

void
lk_table_layout_heading (const LkTableLayout *self, GString *out)
{
  for (guint i = 0; i < self->fields->len; i++) {
    const Field *field = &g_array_index (self->fields, Field, i);
    if (field->column != NULL)
      lk_table_cell (out, field->column->heading, field->width, LK_CELL_CUT);
    g_string_append (out, field->text);
  }
  g_string_append_c (out, '\n');
}

void
lk_table_keep_on_line (GString *cell)
{
  char *end = cell->str + cell->len;
  for (char *at = cell->str; at < end; at++)
    if ((guchar)*at < 0x20 || *at == 0x7f)
      *at = '?';
}

void
lk_table_layout_row (const LkTableLayout *self, gconstpointer report, gconstpointer row,
                     GString *out)
{
  g_autoptr (GString) cell = g_string_new (NULL);
  for (guint i = 0; i < self->fields->len; i++) {
    const Field *field = &g_array_index (self->fields, Field, i);
    g_string_truncate (cell, 0);
    if (field->column != NULL) {
      field->column->cell (report, row, cell);
      lk_table_keep_on_line (cell);
      lk_table_cell (out, cell->str, field->width, LK_CELL_CUT);
    }
    g_string_append (out, field->text);
  }
  g_string_append_c (out, '\n');
}
