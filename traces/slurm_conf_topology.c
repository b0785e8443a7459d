/* traces/slurm_conf_topology.c — TopologyPlugin, and topology.conf to switches or blocks.
 *
 * What Slurm warns of is dropped: nodes that slurm.conf does not have, and then the switches under
 * which no node is left. */
#include <string.h>

#include "engine/hostlist.h"
#include "traces/slurm_conf_private.h"

/* Levels of blocks when BlockSizes is not given, as in Slurm. */
#define BLOCK_LEVELS 5u
#define NO_PARENT G_MAXUINT

/* A line of topology.conf, or an entry of topology.yaml. */
typedef struct {
  LkSlurmRecord *record; /* owned by the import */
  GArray *nodes;         /* of guint, indices of those that are there */
  GPtrArray *children;   /* of char*, as the line names them */
  GArray *below;         /* of guint, indices of the children that are below no other */
  guint parent_index;    /* NO_PARENT for none */
  guint left_count;      /* of those below, that are not gone */
  gboolean is_gone;
} Switch;

typedef struct {
  LkSlurmImport *import;
  GPtrArray *switches; /* of Switch* */
  GHashTable *indices; /* name of a switch to its index + 1 */
  guint8 *is_on;       /* by node: on a switch already? */
  gboolean has_switches;
  gboolean has_blocks;
} Topology;

static void
switch_free (gpointer data)
{
  Switch *self = data;
  g_array_unref (self->nodes);
  g_ptr_array_unref (self->children);
  g_array_unref (self->below);
  g_free (self);
}

static void
topology_clear (Topology *self)
{
  g_ptr_array_unref (self->switches);
  g_hash_table_unref (self->indices);
  g_free (self->is_on);
}

/* ---------------------------------------------------------------- lines */

static void
unknown_note (const LkSlurmPair *pair, const GPtrArray *unknown)
{
  g_autoptr (GString) list = g_string_new (NULL);
  if (unknown->len == 0)
    return;
  lk_hostlist_compress ((const char *const *)unknown->pdata, unknown->len, list);
  lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "without %s, which slurm.conf does not have",
                      list->str);
}

static gint
index_compare (gconstpointer a, gconstpointer b)
{
  guint first = *(const guint *)a;
  guint second = *(const guint *)b;
  return first < second ? -1 : first > second;
}

/* Keeps of a list of nodes those that are there and on no other switch, in their order. */
static gboolean
nodes_keep (Topology *self, const LkSlurmPair *pair, GArray *out_nodes, GError **error)
{
  LkSlurmImport *import = self->import;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_slurm_names_expand (import, pair, pair->value, names, error))
    return FALSE;
  g_autoptr (GPtrArray) unknown = g_ptr_array_new ();
  guint repeated_count = 0;
  for (guint i = 0; i < names->len; i++) {
    char *name = g_ptr_array_index (names, i);
    guint index = GPOINTER_TO_UINT (g_hash_table_lookup (import->indices, name));
    if (index == 0) {
      g_ptr_array_add (unknown, name);
    } else if (self->is_on[--index]) {
      repeated_count++;
    } else {
      self->is_on[index] = 1;
      g_array_append_val (out_nodes, index);
    }
  }
  g_array_sort (out_nodes, index_compare);
  unknown_note (pair, unknown);
  if (repeated_count > 0)
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED,
                        "%u of %u nodes are listed above already and stay there", repeated_count,
                        names->len);
  return TRUE;
}

static LkSlurmRecord *
record_add (LkSlurmImport *self, const GPtrArray *pairs)
{
  const LkSlurmPair *head = g_ptr_array_index (pairs, 0);
  LkSlurmRecord *record = g_new0 (LkSlurmRecord, 1);
  record->scope = LK_SLURM_SCOPE_TOPOLOGY;
  record->pairs = g_ptr_array_ref ((GPtrArray *)pairs);
  record->name = head->value;
  record->title = g_strdup_printf ("%s=%s", head->key, head->value);
  g_ptr_array_add (self->records, record);
  return record;
}

static gboolean
switch_add (Topology *self, LkSlurmRecord *record, GError **error)
{
  const LkSlurmPair *nodes = lk_slurm_record_get (record, "Nodes");
  const LkSlurmPair *children = lk_slurm_record_get (record, "Switches");
  Switch *added = g_new0 (Switch, 1);
  added->record = record;
  added->nodes = g_array_new (FALSE, FALSE, sizeof (guint));
  added->children = g_ptr_array_new_with_free_func (g_free);
  added->below = g_array_new (FALSE, FALSE, sizeof (guint));
  added->parent_index = NO_PARENT;
  g_ptr_array_add (self->switches, added);
  if (!g_hash_table_insert (self->indices, (gpointer)record->name,
                            GUINT_TO_POINTER (self->switches->len)))
    return lk_slurm_pair_refuse (lk_slurm_record_head (record), error, "is described twice");
  if (nodes && children)
    return lk_slurm_pair_refuse (children, error, "stands beside Nodes; expected one of them");
  if (children
      && !lk_slurm_names_expand (self->import, children, children->value, added->children, error))
    return FALSE;
  return !nodes || nodes_keep (self, nodes, added->nodes, error);
}

static gboolean
block_sizes_read (Topology *self, const LkSlurmPair *pair, GError **error)
{
  g_auto (GStrv) words = lk_slurm_list_split (pair->value);
  GArray *sizes = self->import->cluster->block_sizes;
  g_array_set_size (sizes, 0);
  for (guint i = 0; words[i]; i++) {
    guint64 size = 0;
    if (!lk_slurm_number_parse (words[i], strlen (words[i]), &size) || size == 0
        || size > LK_LIMIT_NODES)
      return lk_slurm_pair_fail (pair, error, "numbers of nodes that rise, such as 4,16");
    guint32 narrow = (guint32)size;
    guint32 last = sizes->len > 0 ? g_array_index (sizes, guint32, sizes->len - 1) : 0;
    guint32 base = sizes->len > 0 ? g_array_index (sizes, guint32, 0) : narrow;
    guint32 factor = narrow / base;
    if (narrow <= last || narrow % base != 0 || (factor & (factor - 1)) != 0)
      return lk_slurm_pair_fail (pair, error, "sizes that rise, each %u times a power of two",
                                 base);
    g_array_append_val (sizes, narrow);
  }
  return TRUE;
}

static gboolean
line_read (Topology *self, const GPtrArray *pairs, GError **error)
{
  const LkSlurmPair *head = g_ptr_array_index (pairs, 0);
  LkSlurmRecord *record = record_add (self->import, pairs);
  lk_slurm_line_rows (self->import, LK_SLURM_SCOPE_TOPOLOGY, pairs, 0,
                      pairs->len > 1 ? record->title : "");
  gboolean is_switch = g_ascii_strcasecmp (head->key, "SwitchName") == 0;
  gboolean is_block = g_ascii_strcasecmp (head->key, "BlockName") == 0;
  self->has_switches = self->has_switches || is_switch;
  self->has_blocks = self->has_blocks || is_block;
  if (self->has_switches && self->has_blocks)
    return lk_slurm_pair_refuse (head, error, "switches and blocks in one file; expected one kind");
  if (is_switch || is_block)
    return switch_add (self, record, error);
  const LkSlurmPair *sizes = lk_slurm_record_get (record, "BlockSizes");
  return !sizes || block_sizes_read (self, sizes, error);
}

/* ---------------------------------------------------------------- switches without nodes */

static Switch *
switch_at (const Topology *self, guint index)
{
  return g_ptr_array_index (self->switches, index);
}

/* Puts each switch below the first that names it.  Slurm takes nets where leaves hang on several
 * spines; for the placement of jobs, one of them stands for all. */
static gboolean
children_find (Topology *self, guint parent_index, GError **error)
{
  Switch *parent = switch_at (self, parent_index);
  const LkSlurmPair *pair = lk_slurm_record_get (parent->record, "Switches");
  guint repeated_count = 0;
  for (guint i = 0; i < parent->children->len; i++) {
    const char *name = g_ptr_array_index (parent->children, i);
    guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->indices, name));
    if (index == 0) {
      lk_slurm_pair_refuse (pair, error, "there is no SwitchName for '%s'", name);
      if (!lk_slurm_import_goes_on (self->import, error))
        return FALSE;
      continue;
    }
    Switch *child = switch_at (self, --index);
    if (child->parent_index != NO_PARENT) {
      repeated_count++;
      continue;
    }
    child->parent_index = parent_index;
    g_array_append_val (parent->below, index);
  }
  if (repeated_count > 0)
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED,
                        "%u of %u switches are below another one already and stay there",
                        repeated_count, parent->children->len);
  parent->left_count = parent->below->len;
  return TRUE;
}

/* Takes switches without nodes off, and then those that have no other below them. */
static void
empty_drop (Topology *self)
{
  g_autoptr (GArray) gone = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->switches->len; i++) {
    Switch *leaf = switch_at (self, i);
    leaf->is_gone = leaf->nodes->len == 0 && leaf->below->len == 0;
    if (leaf->is_gone)
      g_array_append_val (gone, i);
  }
  for (guint i = 0; i < gone->len; i++) {
    const Switch *lost = switch_at (self, g_array_index (gone, guint, i));
    guint index = lost->parent_index;
    lk_slurm_pair_note (lk_slurm_record_head (lost->record), LK_SLURM_APPROXIMATED,
                        "left out: nothing is left below it");
    if (index == NO_PARENT || --switch_at (self, index)->left_count > 0)
      continue;
    switch_at (self, index)->is_gone = TRUE;
    g_array_append_val (gone, index);
  }
}

/* ---------------------------------------------------------------- into the cluster */

static char *
names_text (const GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, text);
  return g_string_free (text, FALSE);
}

static void
switch_put (const Topology *self, const Switch *from)
{
  g_autoptr (GPtrArray) children = g_ptr_array_new ();
  for (guint i = 0; i < from->below->len; i++) {
    const Switch *child = switch_at (self, g_array_index (from->below, guint, i));
    if (!child->is_gone)
      g_ptr_array_add (children, (gpointer)child->record->name);
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < from->nodes->len; i++) {
    const LkSlurmNode *node =
        g_ptr_array_index (self->import->nodes, g_array_index (from->nodes, guint, i));
    g_ptr_array_add (names, node->name);
  }
  g_autofree char *nodes = names_text (names);
  g_autofree char *switches = names_text (children);
  LkSlurmOrigin origin = { NULL, from->record, NULL };
  origin.spec = lk_cluster_add_switch (self->import->cluster, from->record->name, nodes, switches);
  g_array_append_val (self->import->origins, origin);
}

/* Slurm takes the first block as the base, and five levels. */
static void
block_sizes_assume (const Topology *self)
{
  LkCluster *cluster = self->import->cluster;
  guint32 size = 0;
  guint block_count = cluster->switches->len;
  for (guint i = 0; i < self->switches->len && size == 0; i++)
    size = switch_at (self, i)->nodes->len;
  if (cluster->block_sizes->len > 0 || size == 0)
    return;
  for (guint level = 0; level < BLOCK_LEVELS && size <= LK_LIMIT_NODES / 2; level++, size *= 2) {
    g_array_append_val (cluster->block_sizes, size);
    if (1u << level >= block_count)
      break;
  }
  lk_slurm_row_add_missing (self->import, "BlockSizes", LK_SLURM_APPROXIMATED,
                            "not given: the size of the first block and its doubles, as in Slurm");
}

/* Nodes that no switch leads to. */
static void
outside_note (const Topology *self)
{
  const GPtrArray *nodes = self->import->nodes;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < nodes->len; i++)
    if (!self->is_on[i])
      g_ptr_array_add (names, ((LkSlurmNode *)g_ptr_array_index (nodes, i))->name);
  if (names->len == 0)
    return;
  g_autofree char *list = names_text (names);
  g_autofree char *shown = lk_slurm_shown (list);
  g_autofree char *how = g_strdup_printf ("there is none for %u nodes: %s", names->len, shown);
  lk_slurm_row_add_missing (self->import, self->has_blocks ? "BlockName" : "SwitchName",
                            LK_SLURM_APPROXIMATED, how);
}

static gboolean
topology_put (Topology *self, GError **error)
{
  LkCluster *cluster = self->import->cluster;
  for (guint i = 0; i < self->switches->len; i++)
    if (!children_find (self, i, error))
      return FALSE;
  empty_drop (self);
  for (guint i = 0; i < self->switches->len; i++)
    if (!switch_at (self, i)->is_gone)
      switch_put (self, switch_at (self, i));
  if (cluster->switches->len == 0) {
    lk_slurm_row_add_missing (self->import, "SwitchName", LK_SLURM_APPROXIMATED,
                              "no switch or block has a node of slurm.conf: taken as flat");
    g_array_set_size (cluster->block_sizes, 0);
    return TRUE;
  }
  cluster->topology = self->has_blocks ? LK_TOPOLOGY_BLOCK : LK_TOPOLOGY_TREE;
  if (self->has_blocks)
    block_sizes_assume (self);
  else
    g_array_set_size (cluster->block_sizes, 0);
  outside_note (self);
  return TRUE;
}

static gboolean
lines_read (LkSlurmImport *self, GError **error)
{
  Topology topology = {
    .import = self,
    .switches = g_ptr_array_new_with_free_func (switch_free),
    .indices = g_hash_table_new (g_str_hash, g_str_equal),
    .is_on = g_malloc0 (self->nodes->len),
  };
  gboolean is_read = TRUE;
  guint before = lk_slurm_import_fault_count (self);
  for (guint i = 0; i < self->topology->lines->len && is_read; i++)
    is_read = line_read (&topology, g_ptr_array_index (self->topology->lines, i), error)
              || lk_slurm_import_goes_on (self, error);
  /* A file of which nothing counts is flat by itself. */
  gboolean is_faulty = self->topology->is_partial || lk_slurm_import_fault_count (self) > before;
  if (is_read && !is_faulty && topology.switches->len > 0)
    is_read = topology_put (&topology, error);
  topology_clear (&topology);
  return is_read;
}

/* ---------------------------------------------------------------- TopologyPlugin */

typedef enum { PLUGIN_FLAT, PLUGIN_TREE, PLUGIN_BLOCK } Plugin;

static gboolean
plugin_read (const LkSlurmPair *pair, Plugin *out_plugin, GError **error)
{
  static const struct {
    const char *name;
    Plugin plugin;
    gboolean is_approximated;
  } plugins[] = {
    { "flat", PLUGIN_FLAT, FALSE },     { "none", PLUGIN_FLAT, FALSE },
    { "default", PLUGIN_FLAT, FALSE },  { "tree", PLUGIN_TREE, FALSE },
    { "block", PLUGIN_BLOCK, FALSE },   { "3d_torus", PLUGIN_FLAT, TRUE },
    { "hypercube", PLUGIN_FLAT, TRUE }, { "ring", PLUGIN_FLAT, TRUE },
    { "torus3d", PLUGIN_FLAT, TRUE },   { "node_rank", PLUGIN_FLAT, TRUE },
  };
  *out_plugin = PLUGIN_FLAT;
  if (!pair)
    return TRUE;
  const char *name = g_str_has_prefix (pair->value, "topology/") ? pair->value + 9 : pair->value;
  for (guint i = 0; i < G_N_ELEMENTS (plugins); i++) {
    if (g_ascii_strcasecmp (name, plugins[i].name) != 0)
      continue;
    *out_plugin = plugins[i].plugin;
    if (plugins[i].is_approximated)
      lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "taken as flat");
    return TRUE;
  }
  return lk_slurm_pair_fail (pair, error, "topology/flat, topology/tree or topology/block");
}

static void
param_note (const LkSlurmImport *self)
{
  static const struct {
    const char *word;
    const char *how;
  } words[] = {
    { "Dragonfly", "Dragonfly: taken as a plain tree" },
    { "TopoOptional", "TopoOptional: the topology is regarded for all jobs" },
    { "SwitchAsNodeRank", "SwitchAsNodeRank: nodes stand in the order of their names" },
    { "BlockAsNodeRank", "BlockAsNodeRank: nodes stand in the order of their names" },
  };
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "TopologyParam");
  if (!pair)
    return;
  gboolean is_noted = FALSE;
  g_auto (GStrv) given = lk_slurm_list_split (pair->value);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    for (guint j = 0; given[j]; j++)
      if (g_ascii_strcasecmp (given[j], words[i].word) == 0) {
        lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "%s", words[i].how);
        is_noted = TRUE;
      }
  if (!is_noted)
    lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "how messages travel; not about scheduling");
}

/* YAML begins with a mark; a line of topology.conf with a letter. */
static gboolean
bytes_are_yaml (GBytes *bytes)
{
  gsize length_bytes;
  const char *text = g_bytes_get_data (bytes, &length_bytes);
  gboolean is_comment = FALSE;
  for (gsize i = 0; i < length_bytes; i++) {
    if (is_comment || g_ascii_isspace (text[i]) || text[i] == '#')
      is_comment = text[i] != '\n' && (is_comment || text[i] == '#');
    else
      return !g_ascii_isalpha (text[i]);
  }
  return FALSE;
}

/* Notes where the file and TopologyPlugin do not agree. */
static void
plugin_note (const LkSlurmImport *self, const LkSlurmPair *pair, Plugin plugin)
{
  LkTopologyKind wanted = plugin == PLUGIN_TREE    ? LK_TOPOLOGY_TREE
                          : plugin == PLUGIN_BLOCK ? LK_TOPOLOGY_BLOCK
                                                   : LK_TOPOLOGY_FLAT;
  static const char *const names[] = { "flat", "a tree", "of blocks" };
  if (pair && self->cluster->topology != wanted)
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "the topology that is described is %s",
                        names[self->cluster->topology]);
}

static gboolean
source_read (LkSlurmImport *self, gboolean is_wanted, GError **error)
{
  g_autofree char *name = NULL;
  g_autoptr (GBytes) bytes = lk_slurm_source_bytes (&self->topology_source, &name, error);
  if (!bytes)
    return FALSE;
  gboolean is_yaml = bytes_are_yaml (bytes);
  if (!is_wanted && !is_yaml) {
    lk_slurm_row_add_missing (self, "topology.conf", LK_SLURM_IGNORED,
                              "there is one, but TopologyPlugin does not ask for it");
    return TRUE;
  }
  if (is_yaml) {
    if (!lk_slurm_topology_yaml_read (self, name, bytes, error))
      return FALSE;
  } else {
    self->topology = lk_slurm_source_lines (&self->topology_source, self->faults, error);
  }
  return self->topology && lines_read (self, error);
}

gboolean
lk_slurm_topology_read (LkSlurmImport *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "TopologyPlugin");
  Plugin plugin;
  param_note (self);
  if (!plugin_read (pair, &plugin, error))
    return FALSE;
  if (lk_slurm_source_is_given (&self->topology_source)) {
    if (!source_read (self, plugin != PLUGIN_FLAT || self->is_topology_explicit, error))
      return FALSE;
  } else if (plugin != PLUGIN_FLAT) {
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "there is no topology.conf: taken as flat");
    return TRUE;
  }
  plugin_note (self, pair, plugin);
  return TRUE;
}
