/* sim/report_table.c — see report_table.h. */
#include "sim/report_table.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"

#define WIDTH_MAX 1000

typedef struct {
  const LkReportColumn *column; /* NULL: only the text */
  int width;                    /* as lk_report_cell */
  char *text;                   /* that follows */
} Field;

struct _LkReportLayout {
  GArray *fields; /* of Field */
};

/* ---------------------------------------------------------------- cells */

void
lk_report_cell (GString *out, const char *text, int width, LkCellCut cut)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
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
  g_string_append_printf (out, "%*s", width > 0 ? (int)(room - length) : 0, "");
  g_string_append (out, valid);
  g_string_append_printf (out, "%*s", width < 0 ? (int)(room - length) : 0, "");
}

void
lk_report_real (GString *out, double value, guint digits)
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

/* ---------------------------------------------------------------- formats */

const LkReportColumn *
lk_report_column (const LkReportColumn *columns, char letter)
{
  for (const LkReportColumn *column = columns; column->letter != '\0'; column++)
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

static gboolean
refuse_letter (const LkReportColumn *columns, const char *at, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (const LkReportColumn *column = columns; column->letter != '\0'; column++)
    g_string_append_printf (known, "%s%%%c", known->len > 0 ? " " : "", column->letter);
  if (*at == '\0')
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "the format ends behind a %%; expected one of %s", known->str);
  else
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "the format has %%%.*s; expected one of %s", (int)(g_utf8_next_char (at) - at), at,
                 known->str);
  return FALSE;
}

/* From behind a % on. */
static gboolean
parse_field (const LkReportColumn *columns, const char **at, Field *out, GError **error)
{
  gboolean is_right = **at == '.';
  int width = 0;
  *at += is_right ? 1 : 0;
  for (; g_ascii_isdigit (**at); (*at)++)
    width = MIN (width * 10 + (**at - '0'), WIDTH_MAX + 1);
  if (width > WIDTH_MAX) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "the format has a column wider than %d characters", WIDTH_MAX);
    return FALSE;
  }
  out->column = **at == '\0' ? NULL : lk_report_column (columns, **at);
  if (out->column == NULL)
    return refuse_letter (columns, *at, error);
  (*at)++;
  out->width = is_right ? width : -width;
  return TRUE;
}

LkReportLayout *
lk_report_layout_new (const LkReportColumn *columns, const char *format, GError **error)
{
  g_autoptr (LkReportLayout) self = g_new0 (LkReportLayout, 1);
  const char *at = format;
  self->fields = g_array_new (FALSE, FALSE, sizeof (Field));
  g_array_set_clear_func (self->fields, field_clear);
  if (!g_utf8_validate (format, -1, NULL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "the format is not UTF-8");
    return NULL;
  }
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
lk_report_layout_free (LkReportLayout *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->fields);
  g_free (self);
}

/* ---------------------------------------------------------------- lines */

void
lk_report_layout_heading (const LkReportLayout *self, GString *out)
{
  for (guint i = 0; i < self->fields->len; i++) {
    const Field *field = &g_array_index (self->fields, Field, i);
    if (field->column != NULL)
      lk_report_cell (out, field->column->heading, field->width, LK_CELL_CUT);
    g_string_append (out, field->text);
  }
  g_string_append_c (out, '\n');
}

void
lk_report_layout_row (const LkReportLayout *self, gconstpointer report, gconstpointer row,
                      GString *out)
{
  g_autoptr (GString) cell = g_string_new (NULL);
  for (guint i = 0; i < self->fields->len; i++) {
    const Field *field = &g_array_index (self->fields, Field, i);
    g_string_truncate (cell, 0);
    if (field->column != NULL) {
      field->column->cell (report, row, cell);
      lk_report_cell (out, cell->str, field->width, LK_CELL_CUT);
    }
    g_string_append (out, field->text);
  }
  g_string_append_c (out, '\n');
}
