/* traces/accounts_open.c — tells files of accounts apart. See the header. */
#include "traces/accounts_open.h"

#include <string.h>

#include "traces/accounts_dump.h"
#include "traces/accounts_script.h"
#include "traces/accounts_yaml.h"
#include "traces/slurm_conf_lines.h"

/* Without the mark that some editors put before UTF-8. Returns: (transfer full). */
static GBytes *
without_mark (GBytes *bytes)
{
  static const guint8 mark[] = { 0xef, 0xbb, 0xbf };
  gsize length_bytes;
  const void *data = g_bytes_get_data (bytes, &length_bytes);
  gboolean has_mark = length_bytes >= sizeof mark && memcmp (data, mark, sizeof mark) == 0;
  gsize skip_bytes = has_mark ? sizeof mark : 0;
  return g_bytes_new_from_bytes (bytes, skip_bytes, length_bytes - skip_bytes);
}

/* The first line that is more than blanks and a comment. Returns: (transfer full). */
static char *
first_line (GBytes *bytes)
{
  gsize length_bytes;
  const char *at = g_bytes_get_data (bytes, &length_bytes);
  const char *end = at + length_bytes;
  while (at < end) {
    const char *line_end = memchr (at, '\n', (gsize)(end - at));
    line_end = line_end ? line_end : end;
    g_autofree char *line = g_strstrip (g_strndup (at, (gsize)(line_end - at)));
    if (*line != '\0' && *line != '#')
      return g_steal_pointer (&line);
    at = line_end < end ? line_end + 1 : end;
  }
  return g_strdup ("");
}

/* `key:`, or what only YAML begins with. */
static gboolean
is_yaml (const char *line)
{
  gsize word_bytes = strspn (line, "abcdefghijklmnopqrstuvwxyz_");
  gboolean is_key = word_bytes > 0 && line[word_bytes] == ':'
                    && (line[word_bytes + 1] == '\0' || g_ascii_isspace (line[word_bytes + 1]));
  return is_key || g_str_has_prefix (line, "---") || *line == '{' || *line == '%';
}

static LkAccounts *
accounts_read (const char *name, GBytes *bytes, GPtrArray *lines, LkFaults *faults, GError **error)
{
  const char *rest;
  gsize length_bytes;
  const LkSlurmPlace whole = { name, 0 };
  g_autoptr (GBytes) text = without_mark (bytes);
  const guint8 *data = g_bytes_get_data (text, &length_bytes);
  g_autofree char *line = first_line (text);
  if (*line == '\0') {
    lk_slurm_fail (
        &whole, error,
        "holds no accounts; expected a sacctmgr dump, a script of its commands or a page "
        "of YAML");
    return NULL;
  }
  if (lk_accounts_dump_title (line, &rest) != NULL)
    return lk_accounts_dump_read_all (name, text, lines, faults, error);
  if (is_yaml (line))
    return lk_accounts_yaml_read_bytes (name, data, length_bytes, error);
  return lk_accounts_script_read_all (name, text, lines, faults, error);
}

LkAccounts *
lk_accounts_read (const char *name, GBytes *bytes, GPtrArray *lines, GError **error)
{
  return accounts_read (name, bytes, lines, NULL, error);
}

LkAccounts *
lk_accounts_open_all (const char *path, LkFaults *faults, GError **error)
{
  g_autoptr (GBytes) bytes = lk_slurm_file_read (path, error);
  return bytes ? accounts_read (path, bytes, NULL, faults, error) : NULL;
}

LkAccounts *
lk_accounts_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = lk_slurm_file_read (path, error);
  return bytes ? lk_accounts_read (path, bytes, NULL, error) : NULL;
}

LkAccounts *
lk_accounts_under (const LkAccounts *now, const LkAccounts *read)
{
  LkAccounts *settled = lk_accounts_copy_with (now, read);
  g_ptr_array_set_size (settled->tres, 0);
  for (guint i = 0; i < now->tres->len; i++)
    g_ptr_array_add (settled->tres, g_strdup (g_ptr_array_index (now->tres, i)));
  for (guint i = 0; i < read->tres->len && settled->tres->len < LK_TRES_MAX; i++)
    if (lk_accounts_find_tres (now, g_ptr_array_index (read->tres, i)) == LK_INDEX_NONE)
      g_ptr_array_add (settled->tres, g_strdup (g_ptr_array_index (read->tres, i)));
  return settled;
}
