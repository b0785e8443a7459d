/* traces/slurm_conf_topology_yaml.c — topology.yaml to lines as topology.conf has them.
 *
 * A list of topologies, of which the default one counts: the first with `cluster_default: true`,
 * else the first.  Source: topology.yaml(5). */
#include <string.h>

#include "traces/slurm_conf_private.h"
#include "traces/yaml_cursor.h"

/* One topology. */
typedef struct {
  GPtrArray *head;  /* of LkSlurmPair*: its name and what it is */
  GPtrArray *lines; /* of its switches or blocks, each an array of LkSlurmPair* */
  gboolean is_default;
} Entry;

typedef struct {
  LkYamlCursor *cursor;
  const char *file;
  GPtrArray *entries; /* of Entry* */
  Entry *entry;       /* the one that is read */
} Reader;

/* A key of an entry of `switches` or `blocks`, and what topology.conf calls it. */
typedef struct {
  const char *yaml;
  const char *conf;
} Field;

static void
entry_free (gpointer data)
{
  Entry *self = data;
  g_ptr_array_unref (self->head);
  g_ptr_array_unref (self->lines);
  g_free (self);
}

static LkSlurmPair *
pair_new (const Reader *self, const char *key, const char *value)
{
  LkSlurmPlace place = { self->file, lk_yaml_cursor_place (self->cursor).line };
  return lk_slurm_pair_new (place, key, value);
}

static gboolean
kind_expect (const Reader *self, LkYamlKind kind, const char *what, GError **error)
{
  return lk_yaml_cursor_kind (self->cursor) == kind
         || lk_yaml_cursor_fail (self->cursor, error, "expected %s", what);
}

/* Moves to the last event of the value that begins here. */
static gboolean
value_skip (const Reader *self, GError **error)
{
  guint depth = 0;
  for (;;) {
    LkYamlKind kind = lk_yaml_cursor_kind (self->cursor);
    depth += kind == LK_YAML_LIST || kind == LK_YAML_MAPPING;
    depth -= kind == LK_YAML_LIST_END || kind == LK_YAML_MAPPING_END;
    if (depth == 0)
      return TRUE;
    if (!lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  }
}

/* ---------------------------------------------------------------- switches and blocks */

static gboolean
field_read (const Reader *self, const Field *fields, GPtrArray *seen, GPtrArray *line,
            GError **error)
{
  if (!lk_yaml_cursor_take_key (self->cursor, seen, error))
    return FALSE;
  const char *name = g_ptr_array_index (seen, seen->len - 1);
  guint i = 0;
  while (fields[i].yaml && strcmp (fields[i].yaml, name) != 0)
    i++;
  if (!fields[i].yaml)
    return lk_yaml_cursor_fail (self->cursor, error, "unknown key '%s'; expected '%s' or '%s'",
                                name, fields[0].yaml, fields[1].yaml);
  if (!lk_yaml_cursor_next (self->cursor, error)
      || !lk_yaml_cursor_expect_value (self->cursor, name, error))
    return FALSE;
  LkSlurmPair *pair = pair_new (self, fields[i].conf, lk_yaml_cursor_text (self->cursor));
  g_ptr_array_insert (line, i == 0 ? 0 : -1, pair);
  return TRUE;
}

/* A mapping with the keys of `fields`, of which the first must be there. */
static gboolean
item_read (const Reader *self, const Field *fields, GError **error)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) line = lk_slurm_line_new ();
  if (!kind_expect (self, LK_YAML_MAPPING, "a mapping", error))
    return FALSE;
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  if (!lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END)
    if (!field_read (self, fields, seen, line, error) || !lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  if (!g_ptr_array_find_with_equal_func (seen, fields[0].yaml, g_str_equal, NULL))
    return lk_yaml_cursor_fail_at (self->cursor, place, error, "no '%s' in this entry",
                                   fields[0].yaml);
  g_ptr_array_add (self->entry->lines, g_ptr_array_ref (line));
  return TRUE;
}

static gboolean
items_read (const Reader *self, const Field *fields, GError **error)
{
  if (!kind_expect (self, LK_YAML_LIST, "a list", error)
      || !lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST_END)
    if (!item_read (self, fields, error) || !lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  return TRUE;
}

/* A list of numbers becomes BlockSizes=4,16. */
static gboolean
sizes_read (const Reader *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) line = lk_slurm_line_new ();
  if (!kind_expect (self, LK_YAML_LIST, "a list", error))
    return FALSE;
  LkSlurmPair *pair = pair_new (self, "BlockSizes", "");
  g_ptr_array_add (line, pair);
  if (!lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST_END) {
    if (!lk_yaml_cursor_expect_value (self->cursor, "block_sizes", error))
      return FALSE;
    g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "",
                            lk_yaml_cursor_text (self->cursor));
    if (!lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  }
  g_free (pair->value);
  pair->value = g_strdup (text->str);
  g_ptr_array_add (self->entry->lines, g_ptr_array_ref (line));
  return TRUE;
}

/* The value of `tree` or `block`. */
static gboolean
shape_read (const Reader *self, gboolean is_tree, GError **error)
{
  static const Field switch_fields[] = {
    { "switch", "SwitchName" }, { "nodes", "Nodes" }, { "children", "Switches" }, { NULL, NULL }
  };
  static const Field block_fields[] = { { "block", "BlockName" },
                                        { "nodes", "Nodes" },
                                        { NULL, NULL } };
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!kind_expect (self, LK_YAML_MAPPING, "a mapping", error)
      || !lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END) {
    if (!lk_yaml_cursor_take_key (self->cursor, seen, error))
      return FALSE;
    const char *name = g_ptr_array_index (seen, seen->len - 1);
    gboolean is_items = strcmp (name, is_tree ? "switches" : "blocks") == 0;
    gboolean is_sizes = !is_tree && strcmp (name, "block_sizes") == 0;
    if (!is_items && !is_sizes)
      return lk_yaml_cursor_fail (self->cursor, error, "unknown key '%s'; expected %s", name,
                                  is_tree ? "'switches'" : "'blocks' or 'block_sizes'");
    if (!lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
    if (is_items ? !items_read (self, is_tree ? switch_fields : block_fields, error)
                 : !sizes_read (self, error))
      return FALSE;
    if (!lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- topologies */

static gboolean
default_read (Reader *self, GError **error)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, "cluster_default", error))
    return FALSE;
  LkSlurmPair *pair = pair_new (self, "cluster_default", lk_yaml_cursor_text (self->cursor));
  g_ptr_array_add (self->entry->head, pair);
  return lk_slurm_value_switch (pair, &self->entry->is_default, error);
}

/* A key of a topology, and its value. */
static gboolean
member_read (Reader *self, GPtrArray *seen, GError **error)
{
  static const char *const others[] = { "flat", "ring", "torus3d", NULL };
  if (!lk_yaml_cursor_take_key (self->cursor, seen, error))
    return FALSE;
  const char *name = g_ptr_array_index (seen, seen->len - 1);
  gboolean is_tree = strcmp (name, "tree") == 0;
  gboolean is_block = strcmp (name, "block") == 0;
  gboolean is_other = g_strv_contains (others, name);
  gboolean is_name = strcmp (name, "topology") == 0;
  if (!is_tree && !is_block && !is_other && !is_name && strcmp (name, "cluster_default") != 0)
    return lk_yaml_cursor_fail (self->cursor, error,
                                "unknown key '%s'; expected topology, cluster_default, tree, "
                                "block, flat, ring or torus3d",
                                name);
  if (!lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  if (is_tree || is_block)
    return shape_read (self, is_tree, error);
  if (is_other) {
    g_ptr_array_add (self->entry->head, pair_new (self, name, ""));
    return value_skip (self, error);
  }
  if (!is_name)
    return default_read (self, error);
  if (!lk_yaml_cursor_expect_value (self->cursor, name, error))
    return FALSE;
  g_ptr_array_insert (self->entry->head, 0,
                      pair_new (self, name, lk_yaml_cursor_text (self->cursor)));
  return TRUE;
}

static gboolean
entry_read (Reader *self, GError **error)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!kind_expect (self, LK_YAML_MAPPING, "a topology, which is a mapping", error))
    return FALSE;
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  self->entry = g_new0 (Entry, 1);
  self->entry->head = lk_slurm_line_new ();
  self->entry->lines = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  g_ptr_array_add (self->entries, self->entry);
  if (!lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END)
    if (!member_read (self, seen, error) || !lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  if (!g_ptr_array_find_with_equal_func (seen, "topology", g_str_equal, NULL))
    return lk_yaml_cursor_fail_at (self->cursor, place, error,
                                   "a topology without a name; "
                                   "expected the key 'topology'");
  return TRUE;
}

static gboolean
document_read (Reader *self, GError **error)
{
  if (!lk_yaml_cursor_open (self->cursor, error)
      || !kind_expect (self, LK_YAML_LIST, "a list of topologies", error)
      || !lk_yaml_cursor_next (self->cursor, error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST_END)
    if (!entry_read (self, error) || !lk_yaml_cursor_next (self->cursor, error))
      return FALSE;
  return lk_yaml_cursor_close (self->cursor, error);
}

/* The index of the topology that counts; 0 also when there is none. */
static guint
chosen_index (const GPtrArray *entries)
{
  for (guint i = 0; i < entries->len; i++)
    if (((const Entry *)g_ptr_array_index (entries, i))->is_default)
      return i;
  return 0;
}

/* The lines of the chosen topology; of the others the names are in the report. */
static void
entries_take (LkSlurmImport *self, const GPtrArray *entries)
{
  guint chosen = chosen_index (entries);
  for (guint i = 0; i < entries->len; i++) {
    const Entry *entry = g_ptr_array_index (entries, i);
    const LkSlurmPair *head = g_ptr_array_index (entry->head, 0);
    g_autofree char *title = g_strdup_printf ("topology=%s", head->value);
    lk_slurm_line_rows (self, LK_SLURM_SCOPE_TOPOLOGY, entry->head, 0, title);
    if (i != chosen)
      lk_slurm_pair_note (head, LK_SLURM_IGNORED, "not the default topology");
    for (guint j = 0; i == chosen && j < entry->lines->len; j++)
      g_ptr_array_add (self->topology->lines,
                       g_ptr_array_ref (g_ptr_array_index (entry->lines, j)));
  }
}

gboolean
lk_slurm_topology_yaml_read (LkSlurmImport *self, const char *name, GBytes *bytes, GError **error)
{
  gsize length_bytes;
  const guint8 *data = g_bytes_get_data (bytes, &length_bytes);
  g_autofree char *file = lk_slurm_shown (name);
  g_autoptr (LkYamlCursor) cursor =
      lk_yaml_cursor_new (file, data, length_bytes, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  self->topology = lk_slurm_lines_new_empty ();
  g_ptr_array_add (self->topology->files, g_strdup (file));
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  Reader reader = { cursor, g_ptr_array_index (self->topology->files, 0), entries, NULL };
  if (!document_read (&reader, error))
    return FALSE;
  entries_take (self, entries);
  return TRUE;
}
