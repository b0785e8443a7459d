/* live/core/node_address.c — see the header. */
#include "live/core/node_address.h"

#include <string.h>

#include "engine/hostlist.h"

struct _LkNodeAddresses {
  GPtrArray *names;        /* of the switches; owned */
  GHashTable *leaf_of;     /* name of a node: index of its leaf or block, plus 1 */
  GHashTable *switch_of;   /* name of a switch: its index plus 1 */
  GArray *above;           /* guint, by switch: index of the one above plus 1; 0: none is */
  const char *switch_word; /* what the pattern calls them */
};

static guint
found (GHashTable *table, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (table, name));
}

/* Puts each name of `list` into the table, with `value`. */
static void
list_put (GHashTable *table, const char *list, guint value)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, strlen (list), names, NULL);
  for (guint i = 0; i < names->len; i++)
    g_hash_table_insert (table, g_strdup (g_ptr_array_index (names, i)), GUINT_TO_POINTER (value));
}

static void
list_set_above (LkNodeAddresses *self, const char *list, guint value)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, strlen (list), names, NULL);
  for (guint i = 0; i < names->len; i++) {
    guint below = found (self->switch_of, g_ptr_array_index (names, i));
    if (below != 0)
      g_array_index (self->above, guint, below - 1) = value;
  }
}

LkNodeAddresses *
lk_node_addresses_new (const LkCluster *cluster)
{
  if (cluster == NULL)
    return NULL;
  LkNodeAddresses *self = g_new0 (LkNodeAddresses, 1);
  guint count = cluster->topology != LK_TOPOLOGY_FLAT ? cluster->switches->len : 0;
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->leaf_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->switch_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->above = g_array_new (FALSE, TRUE, sizeof (guint));
  self->switch_word = cluster->topology == LK_TOPOLOGY_BLOCK ? "block." : "switch.";
  g_array_set_size (self->above, count);
  for (guint i = 0; i < count; i++) {
    const LkSwitchSpec *spec = g_ptr_array_index (cluster->switches, i);
    g_ptr_array_add (self->names, g_strdup (spec->name));
    g_hash_table_insert (self->switch_of, g_strdup (spec->name), GUINT_TO_POINTER (i + 1));
    list_put (self->leaf_of, spec->nodes, i + 1);
  }
  for (guint i = 0; i < count; i++) {
    const LkSwitchSpec *spec = g_ptr_array_index (cluster->switches, i);
    list_set_above (self, spec->switches, i + 1);
  }
  return self;
}

void
lk_node_addresses_free (LkNodeAddresses *self)
{
  g_ptr_array_unref (self->names);
  g_hash_table_destroy (self->leaf_of);
  g_hash_table_destroy (self->switch_of);
  g_array_unref (self->above);
  g_free (self);
}

void
lk_node_address (const LkNodeAddresses *self, const char *node, GString *out_address,
                 GString *out_pattern)
{
  gssize begin = (gssize)out_address->len;
  /* A checked tree leads up, and never back. */
  for (guint at = found (self->leaf_of, node); at != 0;
       at = g_array_index (self->above, guint, at - 1)) {
    g_string_insert_c (out_address, begin, '.');
    g_string_insert (out_address, begin, g_ptr_array_index (self->names, at - 1));
    g_string_append (out_pattern, self->switch_word);
  }
  g_string_append (out_address, node);
  g_string_append (out_pattern, "node");
}
