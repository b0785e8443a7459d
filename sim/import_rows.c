/* sim/import_rows.c — see import_rows.h. */
#include "sim/import_rows.h"

#include <string.h>

#define TITLE_LETTERS_MAX 64

static const LkSlurmRow *
row_at (const GPtrArray *rows, guint index)
{
  return g_ptr_array_index (rows, index);
}

/* "NodeName=n1: Gres=gpu:2", cut. Returns: (transfer full). */
static char *
row_title (const LkSlurmRow *row)
{
  gboolean has_record = *row->record != '\0' && !g_str_has_prefix (row->record, row->key);
  gboolean is_command = strchr (row->key, ' ') != NULL;
  const char *mark = *row->value == '\0' ? "" : is_command ? " " : "=";
  g_autofree char *title = g_strdup_printf ("%s%s%s%s%s", has_record ? row->record : "",
                                            has_record ? ": " : "", row->key, mark, row->value);
  if (g_utf8_strlen (title, -1) <= TITLE_LETTERS_MAX)
    return g_steal_pointer (&title);
  g_autofree char *begin = g_utf8_substring (title, 0, TITLE_LETTERS_MAX);
  return g_strconcat (begin, "...", NULL);
}

static void
row_text (const LkSlurmRow *row, guint more_count, GString *out)
{
  g_autofree char *name = g_path_get_basename (row->file);
  g_autofree char *title = row_title (row);
  g_string_append_printf (out, "      %s", name);
  /* What is missing is on no line. */
  if (row->line_number > 0)
    g_string_append_printf (out, ":%u", row->line_number);
  g_string_append_printf (out, "  %s", title);
  if (more_count > 0)
    g_string_append_printf (out, " (and %u more)", more_count);
  g_string_append_c (out, '\n');
}

/* Rows that say the same, under what they say; those with the same key as one, unless all are
 * wanted. */
static void
group_text (const GPtrArray *group, gboolean is_full, GString *out)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_string_append_printf (out, "  %s\n", row_at (group, 0)->how);
  for (guint i = 0; i < group->len; i++) {
    char *key = row_at (group, i)->key;
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
    g_hash_table_replace (counts, key, GUINT_TO_POINTER (count + 1));
  }
  for (guint i = 0; i < group->len; i++) {
    const LkSlurmRow *row = row_at (group, i);
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, row->key));
    if (count == 0)
      continue;
    row_text (row, is_full ? 0 : count - 1, out);
    if (!is_full)
      g_hash_table_replace (counts, row->key, NULL);
  }
}

void
lk_import_rows_text (const GPtrArray *rows, LkSlurmVerdict verdict, gboolean is_full, GString *out)
{
  g_autoptr (GHashTable) by_how = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < rows->len; i++) {
    LkSlurmRow *row = g_ptr_array_index (rows, i);
    if (row->verdict != verdict)
      continue;
    GPtrArray *group = g_hash_table_lookup (by_how, row->how);
    if (!group) {
      group = g_ptr_array_new ();
      g_ptr_array_add (groups, group);
      g_hash_table_insert (by_how, row->how, group);
    }
    g_ptr_array_add (group, row);
  }
  g_string_append_printf (out, "\n%s\n", lk_slurm_verdict_name (verdict));
  for (guint i = 0; i < groups->len; i++)
    group_text (g_ptr_array_index (groups, i), is_full, out);
}

void
lk_import_rows_json (LkJsonOut *json, const GPtrArray *rows)
{
  lk_json_out_array_begin (json, "keys");
  for (guint i = 0; i < rows->len; i++) {
    const LkSlurmRow *row = row_at (rows, i);
    lk_json_out_object_begin (json, NULL);
    lk_json_out_text (json, "file", row->file);
    if (row->line_number > 0)
      lk_json_out_count (json, "line", row->line_number);
    else
      lk_json_out_text (json, "line", NULL);
    lk_json_out_text (json, "record", row->record);
    lk_json_out_text (json, "key", row->key);
    lk_json_out_text (json, "value", row->value);
    lk_json_out_text (json, "verdict", lk_slurm_verdict_name (row->verdict));
    lk_json_out_text (json, "how", row->how);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
}
