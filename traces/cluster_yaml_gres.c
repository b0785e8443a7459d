/* traces/cluster_yaml_gres.c — the generic resources of a group of nodes in cluster.yaml.
 *
 *   gres: {gpu: {type: a100, count: 8}, shard: 64}      by name: a count, an entry, a list of them
 *   gres: [{name: gpu, type: a100, count: 8}, ...]      or as a list of entries with names
 *
 * What an entry says of its devices is kept aside until its end, when their number is known. */
#include <string.h>

#include "traces/cluster_yaml_reader.h"
#include "traces/quantity.h"

/* Near to all sockets. */
#define ANY_SOCKET "any"

static gboolean
fail_value (const LkYamlReader *self, const char *key, const char *expected)
{
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected %s", key,
                              lk_yaml_cursor_text (self->cursor), expected);
}

/* ---------------------------------------------------------------- sockets of devices */

static gboolean
add_socket (LkYamlReader *self, gpointer data)
{
  guint32 *mask = data;
  guint32 socket;
  if (!lk_yaml_read_count (self, "sockets", LK_LIMIT_NODE_SOCKETS - 1, &socket))
    return FALSE;
  *mask |= 1u << socket;
  return TRUE;
}

/* A device: the number of its socket, a list of them, or any. */
static gboolean
add_device (LkYamlReader *self, gpointer data)
{
  GArray *devices = data;
  guint32 mask = 0;
  if (devices->len >= LK_LIMIT_NODE_DEVICES)
    return lk_yaml_cursor_fail (self->cursor, self->error, "more than %u devices",
                                LK_LIMIT_NODE_DEVICES);
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_LIST) {
    if (!lk_yaml_read_list (self, "sockets", add_socket, &mask))
      return FALSE;
  } else if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_SCALAR
             || strcmp (lk_yaml_cursor_text (self->cursor), ANY_SOCKET) != 0) {
    if (!add_socket (self, &mask))
      return FALSE;
  }
  g_array_append_val (devices, mask);
  return TRUE;
}

gboolean
lk_yaml_read_device_sockets (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  self->device_sockets = g_array_new (FALSE, FALSE, sizeof (guint32));
  return lk_yaml_read_list (self, key->key, add_device, self->device_sockets);
}

/* ---------------------------------------------------------------- links between devices */

static gboolean
expect_no_links (const LkYamlReader *self)
{
  if (self->link_groups == NULL && self->link_rows == NULL)
    return TRUE;
  return lk_yaml_cursor_fail (self->cursor, self->error,
                              "'links' beside 'nvlink'; expected one of them");
}

/* "3" or "0-3". */
static gboolean
parse_range (const char *text, guint32 *out_first, guint32 *out_last)
{
  g_auto (GStrv) ends = g_strsplit (text, "-", 2);
  if (ends[0] == NULL || !lk_quantity_count_parse (ends[0], FALSE, out_first))
    return FALSE;
  *out_last = *out_first;
  if (ends[1] != NULL && !lk_quantity_count_parse (ends[1], FALSE, out_last))
    return FALSE;
  return *out_first <= *out_last && *out_last < LK_LIMIT_NODE_DEVICES;
}

static gboolean
add_linked (LkYamlReader *self, gpointer data)
{
  guint64 *group = data;
  guint32 first;
  guint32 last;
  if (!lk_yaml_cursor_expect_value (self->cursor, "nvlink", self->error))
    return FALSE;
  if (!parse_range (lk_yaml_cursor_text (self->cursor), &first, &last))
    return fail_value (self, "nvlink", "a device or a range of them such as 0-3");
  for (guint32 i = first; i <= last; i++)
    *group |= G_GUINT64_CONSTANT (1) << i;
  return TRUE;
}

static gboolean
add_group (LkYamlReader *self, gpointer data)
{
  guint64 group = 0;
  if (!lk_yaml_read_list (self, "nvlink", add_linked, &group))
    return FALSE;
  g_array_append_val ((GArray *)data, group);
  return TRUE;
}

gboolean
lk_yaml_read_nvlink (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  if (!expect_no_links (self))
    return FALSE;
  self->link_groups = g_array_new (FALSE, FALSE, sizeof (guint64));
  return lk_yaml_read_list (self, key->key, add_group, self->link_groups);
}

/* A number; -1, which is how Slurm marks a device itself, is none. */
static gboolean
add_link (LkYamlReader *self, gpointer data)
{
  guint32 strength = 0;
  GArray *rows = data;
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_SCALAR
      || strcmp (lk_yaml_cursor_text (self->cursor), "-1") != 0)
    if (!lk_yaml_read_count (self, "links", G_MAXUINT16, &strength))
      return FALSE;
  guint16 narrow = (guint16)strength;
  if (rows->len >= LK_LIMIT_NODE_DEVICES * LK_LIMIT_NODE_DEVICES)
    return lk_yaml_cursor_fail (self->cursor, self->error, "more than %u devices",
                                LK_LIMIT_NODE_DEVICES);
  g_array_append_val (rows, narrow);
  return TRUE;
}

static gboolean
add_row (LkYamlReader *self, gpointer data)
{
  GArray *rows = data;
  guint before = rows->len;
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  if (!lk_yaml_read_list (self, "links", add_link, rows))
    return FALSE;
  guint length = rows->len - before;
  guint first_length = self->link_count == 0 ? length : before / self->link_count;
  if (length != first_length)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                   "a row of %u links; expected %u as above", length, first_length);
  self->link_count++;
  return TRUE;
}

gboolean
lk_yaml_read_links (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  if (!expect_no_links (self))
    return FALSE;
  self->link_rows = g_array_new (FALSE, FALSE, sizeof (guint16));
  self->link_count = 0;
  return lk_yaml_read_list (self, key->key, add_row, self->link_rows);
}

/* ---------------------------------------------------------------- the end of an entry */

static gboolean
fail_count (const LkYamlReader *self, const LkGresSpec *gres, const char *member, guint found)
{
  return lk_yaml_cursor_fail_at (self->cursor, lk_yaml_noted (self, gres, member)->place,
                                 self->error, "%u devices here; expected %u, which is their count",
                                 found, gres->count);
}

static gboolean
finish_sockets (const LkYamlReader *self, LkGresSpec *gres)
{
  if (self->device_sockets == NULL)
    return TRUE;
  if (self->device_sockets->len != gres->count)
    return fail_count (self, gres, "device_sockets", self->device_sockets->len);
  if (gres->count == 0)
    return TRUE;
  gres->device_sockets = g_new0 (guint32, gres->count);
  memcpy (gres->device_sockets, self->device_sockets->data,
          gres->count * sizeof *gres->device_sockets);
  return TRUE;
}

static gboolean
finish_groups (const LkYamlReader *self, LkGresSpec *gres)
{
  guint64 all = gres->count == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << gres->count) - 1;
  gres->links = g_new0 (guint16, (gsize)gres->count * gres->count);
  for (guint g = 0; g < self->link_groups->len; g++) {
    guint64 group = g_array_index (self->link_groups, guint64, g);
    if ((group & ~all) != 0)
      return lk_yaml_cursor_fail_at (self->cursor, lk_yaml_noted (self, gres, "links")->place,
                                     self->error, "device %u here; expected 0 to %u",
                                     (guint)(63 - __builtin_clzll (group)), gres->count - 1);
    for (guint32 i = 0; i < gres->count; i++)
      for (guint32 j = 0; j < gres->count; j++)
        if (i != j && (group >> i & 1) != 0 && (group >> j & 1) != 0)
          gres->links[i * gres->count + j] = 1;
  }
  return TRUE;
}

static gboolean
finish_links (const LkYamlReader *self, LkGresSpec *gres)
{
  if (self->link_groups == NULL && self->link_rows == NULL)
    return TRUE;
  /* The numbers of devices in groups, and the work, are bounded. */
  if (gres->count == 0 || gres->count > LK_LIMIT_NODE_DEVICES)
    return lk_yaml_cursor_fail_at (self->cursor, lk_yaml_noted (self, gres, "count")->place,
                                   self->error, "%u devices with links; expected 1 to %u",
                                   gres->count, LK_LIMIT_NODE_DEVICES);
  if (self->link_groups != NULL)
    return finish_groups (self, gres);
  if (self->link_count != gres->count)
    return fail_count (self, gres, "links", self->link_count);
  if (self->link_rows->len != gres->count * gres->count)
    return fail_count (self, gres, "links", self->link_rows->len / self->link_count);
  gres->links = g_new0 (guint16, self->link_rows->len);
  memcpy (gres->links, self->link_rows->data, self->link_rows->len * sizeof *gres->links);
  return TRUE;
}

static void
clear_devices (LkYamlReader *self)
{
  g_clear_pointer (&self->device_sockets, g_array_unref);
  g_clear_pointer (&self->link_groups, g_array_unref);
  g_clear_pointer (&self->link_rows, g_array_unref);
}

/* ---------------------------------------------------------------- entries */

/* Where entries go; `name` is NULL when they bring their own. */
typedef struct {
  LkNodeSpec *node;
  const char *name;
} Target;

static gboolean
read_entry_mapping (LkYamlReader *self, LkGresSpec *gres, const Target *target)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  gboolean good = lk_yaml_expect (self, LK_YAML_MAPPING, "gres")
                  && lk_yaml_read_mapping (self, lk_gres_keys, gres, seen);
  if (good && (target->name == NULL) != lk_yaml_has_key (seen, "name"))
    good = lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                   target->name == NULL
                                       ? "no 'name' in this entry of 'gres'; expected one"
                                       : "'name' in an entry that is named by its key already");
  if (good && self->device_sockets != NULL && !lk_yaml_has_key (seen, "count"))
    gres->count = self->device_sockets->len;
  good = good && finish_sockets (self, gres) && finish_links (self, gres);
  clear_devices (self);
  return good;
}

static gboolean
read_entry (LkYamlReader *self, gpointer data)
{
  const Target *target = data;
  if (target->node->gres->len >= LK_LIMIT_NODE_DEVICES)
    return lk_yaml_cursor_fail (self->cursor, self->error, "more than %u entries of 'gres'",
                                LK_LIMIT_NODE_DEVICES);
  LkGresSpec *gres =
      lk_node_spec_add_gres (target->node, target->name == NULL ? "" : target->name, NULL, 1);
  lk_yaml_note_spec (self, gres, lk_gres_keys);
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_SCALAR && target->name != NULL)
    return lk_yaml_read_count (self, target->name, G_MAXUINT32, &gres->count);
  return read_entry_mapping (self, gres, target);
}

static gboolean
read_named (LkYamlReader *self, LkNodeSpec *node, GPtrArray *seen)
{
  if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
    return FALSE;
  Target target = { node, g_ptr_array_index (seen, seen->len - 1) };
  if (!lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  return lk_yaml_cursor_kind (self->cursor) == LK_YAML_LIST
             ? lk_yaml_read_list (self, target.name, read_entry, &target)
             : read_entry (self, &target);
}

gboolean
lk_yaml_read_gres (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  Target target = { spec, NULL };
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_LIST)
    return lk_yaml_read_list (self, key->key, read_entry, &target);
  if (!lk_yaml_expect (self, LK_YAML_MAPPING, key->key)
      || !lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END)
    if (!read_named (self, spec, seen) || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  return TRUE;
}
