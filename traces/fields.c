/* traces/fields.c — see the header. */
#include "traces/fields.h"

#include <stdlib.h>
#include <string.h>

#include "traces/table.h"

#define WIDTH_MAX 4096

const LkField *
lk_field_find (const LkField *known, const char *name, gsize name_bytes)
{
  for (const LkField *at = known; at->name != NULL && name_bytes > 0; at++)
    if (strlen (at->name) == name_bytes && g_ascii_strncasecmp (at->name, name, name_bytes) == 0)
      return at;
  for (const LkField *at = known; at->name != NULL && name_bytes > 0; at++)
    if (g_ascii_strncasecmp (at->name, name, name_bytes) == 0)
      return at;
  return NULL;
}

/* "User", "User%20", "User%-20". */
static gboolean
take (const LkField *known, const char *word, GArray *out_chosen)
{
  gsize name_bytes = strcspn (word, "%");
  const LkField *found = lk_field_find (known, word, name_bytes);
  char *end = NULL;
  if (found == NULL)
    return FALSE;
  LkField field = *found;
  if (word[name_bytes] == '%') {
    gint64 width = g_ascii_strtoll (word + name_bytes + 1, &end, 10);
    if (end == word + name_bytes + 1 || *end != '\0' || ABS (width) > WIDTH_MAX)
      return FALSE;
    if (width != 0)
      field.width = (int)width;
  }
  g_array_append_val (out_chosen, field);
  return TRUE;
}

gboolean
lk_fields_parse (const LkField *known, const char *format, GArray *out_chosen, char **out_wrong)
{
  g_auto (GStrv) words = g_strsplit (format, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0' && !take (known, words[i], out_chosen)) {
      *out_wrong = g_strdup (words[i]);
      return FALSE;
    }
  return TRUE;
}

/* ---------------------------------------------------------------- writing */

static void
append_field (const LkFieldStyle *style, const GArray *chosen, guint at, const char *text,
              LkCellCut cut, GString *out)
{
  if (!style->is_parsable && !style->is_parsable2) {
    lk_table_cell (out, text, g_array_index (chosen, LkField, at).width, cut);
    g_string_append_c (out, ' ');
    return;
  }
  g_string_append (out, text);
  if (style->is_parsable || at + 1 < chosen->len)
    g_string_append (out, style->delimiter != NULL ? style->delimiter : "|");
}

void
lk_fields_heading (const LkFieldStyle *style, const GArray *chosen, GString *out)
{
  if (style->no_heading)
    return;
  for (guint i = 0; i < chosen->len; i++) {
    const LkField *field = &g_array_index (chosen, LkField, i);
    append_field (style, chosen, i, field->heading != NULL ? field->heading : field->name,
                  LK_CELL_CUT, out);
  }
  g_string_append_c (out, '\n');
  if (style->is_parsable || style->is_parsable2)
    return;
  for (guint i = 0; i < chosen->len; i++) {
    g_autofree char *line = g_strnfill ((gsize)abs (g_array_index (chosen, LkField, i).width), '-');
    g_string_append_printf (out, "%s ", line);
  }
  g_string_append_c (out, '\n');
}

void
lk_fields_row (const LkFieldStyle *style, const GArray *chosen, gconstpointer report,
               gconstpointer row, GString *out)
{
  g_autoptr (GString) cell = g_string_new (NULL);
  for (guint i = 0; i < chosen->len; i++) {
    g_string_truncate (cell, 0);
    g_array_index (chosen, LkField, i).cell (report, row, cell);
    lk_table_keep_on_line (cell);
    append_field (style, chosen, i, cell->str, LK_CELL_CUT_PLUS, out);
  }
  g_string_append_c (out, '\n');
}
