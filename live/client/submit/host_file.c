/* live/client/submit/host_file.c — see the header. */
#include "live/client/submit/host_file.h"

#include <string.h>

#include "engine/hostlist.h"

/* ---------------------------------------------------------------- a file */

/* FALSE: it names no nodes. */
static gboolean
word_take (const char *word, GPtrArray *hosts)
{
  const char *star = strchr (word, '*');
  gsize length = star != NULL ? (gsize)(star - word) : strlen (word);
  guint64 times = 1;
  if (star != NULL
      && !g_ascii_string_to_unsigned (star + 1, 10, 1, LK_HOST_FILE_NAMES_MAX, &times, NULL))
    return FALSE;
  for (guint64 i = 0; i < times && hosts->len <= LK_HOST_FILE_NAMES_MAX; i++)
    if (!lk_hostlist_expand (word, length, hosts, NULL))
      return FALSE;
  return TRUE;
}

guint
lk_host_file_lines (const char *text, GPtrArray *hosts)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    lines[i][strcspn (lines[i], "#")] = '\0';
    g_auto (GStrv) words = g_strsplit_set (g_strstrip (lines[i]), " \t", -1);
    for (guint j = 0; words[j] != NULL; j++)
      if (*words[j] != '\0' && !word_take (words[j], hosts))
        return i + 1;
  }
  return 0;
}

char *
lk_host_file_names (const GPtrArray *hosts, guint *out_count)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < hosts->len; i++)
    if (g_hash_table_add (known, g_ptr_array_index (hosts, i)))
      g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "",
                              (const char *)g_ptr_array_index (hosts, i));
  *out_count = g_hash_table_size (known);
  return g_string_free (names, FALSE);
}

/* ---------------------------------------------------------------- options */

/* NULL: told. */
static char *
file_read (const LkClient *client, const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) hosts = g_ptr_array_new_with_free_func (g_free);
  guint count;
  guint wrong = 0;
  if (!g_file_get_contents (path, &text, NULL, &error))
    lk_client_error (client, "%s", error->message);
  else if ((wrong = lk_host_file_lines (text, hosts)) != 0)
    lk_client_error (client, "'%s' line %u: expected names of nodes", path, wrong);
  else if (hosts->len == 0)
    lk_client_error (client, "'%s' names no nodes", path);
  else
    return lk_host_file_names (hosts, &count);
  return NULL;
}

/* The value of an option, of a word that begins with its long name; NULL: it is another. */
static const char *
value_of (const char *word, const char *option)
{
  gsize length = strlen (option);
  return strncmp (word, option, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* What a file that is named in place of a list says. FALSE: told. */
static gboolean
list_settle (const LkClient *client, char **word)
{
  static const char *const options[] = { "--nodelist", "--exclude" };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    const char *value = value_of (*word, options[i]);
    if (value == NULL || strchr (value, '/') == NULL)
      continue;
    g_autofree char *names = file_read (client, value);
    if (names == NULL)
      return FALSE;
    g_free (*word);
    *word = g_strdup_printf ("%s=%s", options[i], names);
    return TRUE;
  }
  return TRUE;
}

gboolean
lk_host_file_settle (const LkClient *client, GPtrArray *words)
{
  g_autofree char *path = NULL;
  for (guint i = words->len; i-- > 0;) {
    const char *file = value_of (g_ptr_array_index (words, i), "--nodefile");
    if (file == NULL)
      continue;
    if (path == NULL)
      path = g_strdup (file);
    g_ptr_array_remove_index (words, i);
  }
  for (guint i = 0; i < words->len; i++)
    if (!list_settle (client, (char **)&g_ptr_array_index (words, i)))
      return FALSE;
  if (path == NULL)
    return TRUE;
  g_autofree char *names = file_read (client, path);
  if (names == NULL)
    lk_client_error (client, "Invalid --nodefile node file");
  else
    g_ptr_array_add (words, g_strconcat ("--nodelist=", names, NULL));
  return names != NULL;
}
