/* live/client/queue/tables.c — see the header. */
#include "live/client/queue/tables.h"

#include <string.h>

typedef struct {
  const LkTableColumn *columns;
  const char *keys;
  gconstpointer report;
} Order;

static gint
compare_cells (const char *a, const char *b)
{
  char *end_a;
  char *end_b;
  double number_a = g_ascii_strtod (a, &end_a);
  double number_b = g_ascii_strtod (b, &end_b);
  if (*a != '\0' && *b != '\0' && *end_a == '\0' && *end_b == '\0')
    return (number_a > number_b) - (number_a < number_b);
  return strcmp (a, b);
}

static gint
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *order = user;
  g_autoptr (GString) text_a = g_string_new (NULL);
  g_autoptr (GString) text_b = g_string_new (NULL);
  for (const char *at = order->keys; *at != '\0'; at++) {
    gboolean falling = *at == '-';
    if (*at == ',' || *at == '+')
      continue;
    at += falling ? 1 : 0;
    const LkTableColumn *column = lk_table_column (order->columns, *at);
    g_string_truncate (text_a, 0);
    g_string_truncate (text_b, 0);
    column->cell (order->report, *(gconstpointer const *)a, text_a);
    column->cell (order->report, *(gconstpointer const *)b, text_b);
    gint result = compare_cells (text_a->str, text_b->str);
    if (result != 0)
      return falling ? -result : result;
  }
  return 0;
}

gboolean
lk_rows_sort (const LkClient *client, const LkTableColumn *columns, const char *keys,
              gconstpointer report, GPtrArray *rows)
{
  Order order = { columns, keys, report };
  for (const char *at = keys; *at != '\0'; at++)
    if (*at != ',' && *at != '+' && !(*at == '-' && at[1] != '\0')
        && lk_table_column (columns, *at) == NULL) {
      lk_client_error (client, "Invalid sort specification: %s", keys);
      return FALSE;
    }
  g_ptr_array_sort_with_data (rows, compare_rows, &order);
  return TRUE;
}
