/* tests/fuzz/csv_map_fuzz.c — any bytes as the page of a column map.
 *
 * Beyond memory errors it checks that an error always has a text of one line, and that a map that
 * was taken has all that the reader of tables relies on. */
#include <string.h>

#include "engine/assert.h"
#include "traces/csv_map.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
map_check (const LkCsvMap *map)
{
  LK_ASSERT (map->columns->len > 0);
  LK_ASSERT (map->separator != '"' && map->separator != '\n');
  LK_ASSERT (map->rules.shares_per_gpu > 0);
  for (guint i = 0; i < map->columns->len; i++) {
    const LkCsvColumn *column = g_ptr_array_index (map->columns, i);
    gboolean is_text = column->request != NULL || lk_csv_field_kind (column->field) == LK_CSV_TEXT;
    LK_ASSERT (column->column != NULL);
    LK_ASSERT ((column->unit == NULL) == is_text);
    LK_ASSERT (column->form == NULL || lk_csv_unit_is_date (column->unit));
  }
  if (map->names != NULL)
    LK_ASSERT (lk_csv_map_fits (map, map->names, NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCsvMap) map = lk_csv_map_new ("fuzz", bytes, length_bytes, &error);
  if (map != NULL) {
    map_check (map);
    return 0;
  }
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
  return 0;
}
