/* live/client/queue/sinfo_order.c — in which order sinfo shows its lines. */
#include <string.h>

#include "live/client/queue/sinfo.h"

typedef struct {
  const LkSinfoReport *report;
  const char *keys;
} Order;

/* Is this character a key, or may it stand before or between keys? */
static gboolean
is_part (const char *keys, const char *at)
{
  if (strchr (",+", *at) != NULL)
    return TRUE;
  if (strchr ("-#", *at) != NULL)
    return at[1] != '\0' && at[1] != ',';
  gboolean is_alone = at == keys || strchr (",+-#", at[-1]) != NULL;
  return is_alone && (guchar)*at > ' ' && lk_table_column (lk_sinfo_columns, *at) != NULL;
}

/* Source: src/sinfo/sort.c of Slurm, which sorts by the last key first, and tells that. */
gboolean
lk_sinfo_is_order (const LkClient *client, const char *keys)
{
  for (const char *at = keys + strlen (keys); at-- > keys;)
    if (!is_part (keys, at)) {
      lk_client_error (client, "Invalid sort specification: %c", *at);
      return FALSE;
    }
  return TRUE;
}

static gint
compare_numbers (guint64 a, guint64 b)
{
  return (a > b) - (a < b);
}

static guint64
state_of (const LkSinfoLine *line)
{
  return line->first != NULL ? lk_node_row_state_number (line->first) : 0;
}

/* Numbers by their value, names by the numbers in them. */
static gint
compare_texts (const char *a, const char *b)
{
  char *end_a;
  char *end_b;
  double number_a = g_ascii_strtod (a, &end_a);
  double number_b = g_ascii_strtod (b, &end_b);
  if (*a != '\0' && *b != '\0' && *end_a == '\0' && *end_b == '\0')
    return (number_a > number_b) - (number_a < number_b);
  g_autofree char *key_a = g_utf8_collate_key_for_filename (a, -1);
  g_autofree char *key_b = g_utf8_collate_key_for_filename (b, -1);
  return strcmp (key_a, key_b);
}

static gint
compare_by (const Order *order, char letter, gboolean as_configured, const LkSinfoLine *a,
            const LkSinfoLine *b)
{
  const LkTableColumn *column = lk_table_column (lk_sinfo_columns, letter);
  if (letter == 'P' && as_configured)
    return compare_numbers (a->order, b->order);
  if (letter == 't' || letter == 'T')
    return compare_numbers (state_of (a), state_of (b));
  g_autoptr (GString) text_a = g_string_new (NULL);
  g_autoptr (GString) text_b = g_string_new (NULL);
  column->cell (order->report, a, text_a);
  column->cell (order->report, b, text_b);
  return compare_texts (text_a->str, text_b->str);
}

static gint
compare_lines (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *order = user;
  const LkSinfoLine *line_a = *(LkSinfoLine *const *)a;
  const LkSinfoLine *line_b = *(LkSinfoLine *const *)b;
  gboolean falling = FALSE;
  gboolean as_configured = FALSE;
  for (const char *at = order->keys; *at != '\0'; at++) {
    if (strchr (",+", *at) != NULL)
      continue;
    if (strchr ("-#", *at) != NULL) {
      falling = falling || *at == '-';
      as_configured = as_configured || *at == '#';
      continue;
    }
    gint result = compare_by (order, *at, as_configured, line_a, line_b);
    if (result != 0)
      return falling ? -result : result;
    falling = as_configured = FALSE;
  }
  return compare_numbers (line_a->order, line_b->order);
}

void
lk_sinfo_sort (const LkSinfoReport *report, const char *keys, GPtrArray *lines)
{
  Order order = { report, keys };
  g_ptr_array_sort_with_data (lines, compare_lines, &order);
}
