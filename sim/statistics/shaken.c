/* sim/statistics/shaken.c — see shaken.h. */
#include "sim/statistics/shaken.h"

#include <math.h>
#include <string.h>

#include "engine/assert.h"
#include "sim/error.h"

/* Columns in front of those of the summary. */
#define OWN_COLUMNS "shake,shake_seed,shake_by_us"
#define OWN_COUNT 3u

typedef struct {
  guint64 seed;
  gint64 by_us;
  double *values; /* by column */
} Row;

struct _LkShaken {
  GPtrArray *columns; /* of char *: of the summary, numbers only; borrowed from its table */
  GArray *rows;       /* of Row */
};

static void
row_clear (gpointer data)
{
  Row *row = data;
  g_free (row->values);
}

LkShaken *
lk_shaken_new (void)
{
  LkShaken *self = g_new (LkShaken, 1);
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  self->columns = g_ptr_array_new ();
  for (guint i = 0; i < count; i++)
    if (fields[i].type != LK_FIELD_TEXT && fields[i].type != LK_FIELD_CHARS)
      g_ptr_array_add (self->columns, (gpointer)fields[i].column);
  self->rows = g_array_new (FALSE, TRUE, sizeof (Row));
  g_array_set_clear_func (self->rows, row_clear);
  return self;
}

void
lk_shaken_free (LkShaken *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->columns);
  g_array_unref (self->rows);
  g_free (self);
}

static double
number_of (const LkSummary *summary, const LkSummaryField *field)
{
  const char *place = (const char *)summary + field->offset;
  if (field->type == LK_FIELD_COUNT)
    return (double)*(const guint64 *)(const void *)place;
  if (field->type == LK_FIELD_SECONDS)
    return (double)*(const gint64 *)(const void *)place / 1e6;
  return *(const double *)(const void *)place;
}

void
lk_shaken_add (LkShaken *self, guint64 seed, gint64 by_us, const LkSummary *summary)
{
  guint count;
  guint column = 0;
  const LkSummaryField *fields = lk_summary_fields (&count);
  Row row = { .seed = seed, .by_us = by_us, .values = g_new (double, self->columns->len) };
  for (guint i = 0; i < count; i++)
    if (fields[i].type != LK_FIELD_TEXT && fields[i].type != LK_FIELD_CHARS)
      row.values[column++] = number_of (summary, &fields[i]);
  g_array_append_val (self->rows, row);
}

guint
lk_shaken_count (const LkShaken *self)
{
  return self->rows->len;
}

/* ---------------------------------------------------------------- the file */

static void
append_row (const LkShaken *self, guint index, GString *text)
{
  const Row *row = &g_array_index (self->rows, Row, index);
  g_string_append_printf (text, "%u,%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT, index + 1, row->seed,
                          row->by_us);
  for (guint i = 0; i < self->columns->len; i++) {
    char number[LK_REAL_TEXT_BYTES] = "";
    if (isfinite (row->values[i]))
      lk_real_text (row->values[i], number);
    g_string_append_printf (text, ",%s", number);
  }
  g_string_append_c (text, '\n');
}

gboolean
lk_shaken_write (const LkShaken *self, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (directory, LK_SHAKEN_CSV, NULL);
  g_autoptr (GString) text = g_string_new (OWN_COLUMNS);
  g_autoptr (GError) cause = NULL;
  for (guint i = 0; i < self->columns->len; i++)
    g_string_append_printf (text, ",%s", (const char *)g_ptr_array_index (self->columns, i));
  g_string_append_c (text, '\n');
  for (guint i = 0; i < self->rows->len; i++)
    append_row (self, i, text);
  if (g_file_set_contents (path, text->str, (gssize)text->len, &cause))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot write '%s': %s", path,
               cause->message);
  return FALSE;
}

static gboolean
read_fail (const char *path, guint line, const char *what, const char *found, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
               "'%s' line %u: %s is '%s'; expected what lockstep sim --shake has written", path,
               line, what, found);
  return FALSE;
}

static gboolean
read_header (const LkShaken *self, const char *path, const char *line, GError **error)
{
  g_autoptr (GString) expected = g_string_new (OWN_COLUMNS);
  for (guint i = 0; i < self->columns->len; i++)
    g_string_append_printf (expected, ",%s", (const char *)g_ptr_array_index (self->columns, i));
  if (strcmp (line, expected->str) == 0)
    return TRUE;
  return read_fail (path, 1, "the header", line, error);
}

static gboolean
read_real (const char *text, double *out_value)
{
  char *end;
  *out_value = NAN;
  if (text[0] == '\0')
    return TRUE;
  *out_value = g_ascii_strtod (text, &end);
  return *end == '\0' && isfinite (*out_value);
}

static gboolean
read_row (LkShaken *self, const char *path, guint line, char **cells, GError **error)
{
  guint count = self->columns->len + OWN_COUNT;
  if (g_strv_length (cells) != count) {
    g_autofree char *found = g_strdup_printf ("%u", g_strv_length (cells));
    return read_fail (path, line, "the number of fields", found, error);
  }
  g_array_set_size (self->rows, self->rows->len + 1);
  Row *row = &g_array_index (self->rows, Row, self->rows->len - 1);
  row->values = g_new (double, self->columns->len);
  if (!g_ascii_string_to_unsigned (cells[1], 10, 0, G_MAXUINT64, &row->seed, NULL))
    return read_fail (path, line, "shake_seed", cells[1], error);
  if (!g_ascii_string_to_signed (cells[2], 10, 0, G_MAXINT64, &row->by_us, NULL))
    return read_fail (path, line, "shake_by_us", cells[2], error);
  for (guint i = 0; i < self->columns->len; i++)
    if (!read_real (cells[OWN_COUNT + i], &row->values[i]))
      return read_fail (path, line, g_ptr_array_index (self->columns, i), cells[OWN_COUNT + i],
                        error);
  return TRUE;
}

LkShaken *
lk_shaken_read (const char *directory, GError **error)
{
  g_autoptr (LkShaken) self = lk_shaken_new ();
  g_autofree char *path = g_build_filename (directory, LK_SHAKEN_CSV, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) cause = NULL;
  if (!g_file_get_contents (path, &text, NULL, &cause)) {
    if (g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      return g_steal_pointer (&self);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "cannot read '%s': %s", path,
                 cause->message);
    return NULL;
  }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  if (!read_header (self, path, lines[0] != NULL ? lines[0] : "", error))
    return NULL;
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++) {
    g_auto (GStrv) cells = g_strsplit (lines[i], ",", -1);
    if (!read_row (self, path, i + 1, cells, error))
      return NULL;
  }
  return g_steal_pointer (&self);
}

/* ---------------------------------------------------------------- side by side */

gboolean
lk_shaken_is_alike (const LkShaken *self, const LkShaken *other)
{
  if (self->rows->len != other->rows->len)
    return FALSE;
  for (guint i = 0; i < self->rows->len; i++) {
    const Row *a = &g_array_index (self->rows, Row, i);
    const Row *b = &g_array_index (other->rows, Row, i);
    if (a->seed != b->seed || a->by_us != b->by_us)
      return FALSE;
  }
  return TRUE;
}

GArray *
lk_shaken_pairs (const LkShaken *first, const LkShaken *here, const char *column)
{
  GArray *pairs = g_array_new (FALSE, TRUE, sizeof (LkPair));
  guint at = 0;
  LK_ASSERT (lk_shaken_is_alike (first, here));
  while (at < first->columns->len && strcmp (g_ptr_array_index (first->columns, at), column) != 0)
    at++;
  LK_ASSERT (at < first->columns->len);
  for (guint i = 0; i < first->rows->len; i++) {
    LkPair pair = { .block = i,
                    .first = g_array_index (first->rows, Row, i).values[at],
                    .here = g_array_index (here->rows, Row, i).values[at] };
    g_array_append_val (pairs, pair);
  }
  return pairs;
}
