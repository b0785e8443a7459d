/* engine/cluster_topology.c — are the switches of a description a tree, or its blocks apart?
 *
 * A tree: each switch has nodes or switches below it and is below at most one other; a node is on
 * at most one leaf; going up never leads back.  Blocks: a node is in at most one.  Source:
 * topology.conf(5). */
#include <string.h>

#include "engine/cluster_check.h"

typedef struct {
  LkCheck *check;
  const GPtrArray *switches;
  GArray *names;        /* of the switches, sorted */
  guint32 *node_switch; /* by node; LK_NAME_NONE: none yet */
  guint32 *parent;      /* by switch; LK_NAME_NONE: none yet */
  guint32 block_size_min;
} Topology;

static const LkSwitchSpec *
switch_at (const Topology *self, guint32 index)
{
  return g_ptr_array_index (self->switches, index);
}

/* Puts what `list` names under switch `at`.  `names` are those that may be named, `above` says
 * where each is already. */
static gboolean
list_claim (Topology *self, guint32 at, const char *member, const GArray *names, guint32 *above)
{
  const LkSwitchSpec *spec = switch_at (self, at);
  gboolean is_nodes = above == self->node_switch;
  g_autoptr (GPtrArray) list =
      lk_check_expand (self->check, spec, member, is_nodes ? spec->nodes : spec->switches);
  if (list == NULL)
    return FALSE;
  if (is_nodes)
    self->block_size_min = MIN (self->block_size_min, list->len);
  for (guint i = 0; i < list->len; i++) {
    const char *name = g_ptr_array_index (list, i);
    guint32 index = lk_names_find (names, name);
    if (index == LK_NAME_NONE)
      return lk_check_wrong (self->check, spec, member, "holds '%.80s'; expected names of %s", name,
                             is_nodes ? "nodes" : "switches");
    if (above[index] != LK_NAME_NONE)
      return lk_check_wrong (self->check, spec, member,
                             "holds '%.80s', which '%.80s' has already; expected it once", name,
                             switch_at (self, above[index])->name);
    above[index] = at;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- trees */

static gboolean
tree_switch_check (Topology *self, guint32 at)
{
  const LkSwitchSpec *spec = switch_at (self, at);
  gboolean has_nodes = spec->nodes[0] != '\0';
  gboolean has_switches = spec->switches[0] != '\0';
  if (has_nodes && has_switches)
    return lk_check_wrong (self->check, spec, "switches",
                           "is there beside nodes; expected one of them");
  if (!has_nodes && !has_switches)
    return lk_check_wrong (self->check, spec, "nodes",
                           "is empty, and so is switches; expected one of them");
  if (has_nodes)
    return list_claim (self, at, "nodes", self->check->nodes, self->node_switch);
  return list_claim (self, at, "switches", self->names, self->parent);
}

/* Takes switches off from below, each when nothing is left under it; those that lead back to
 * themselves stay. */
static gboolean
tree_loop_check (Topology *self)
{
  guint32 count = self->switches->len;
  guint32 taken_count = 0;
  guint32 read = 0;
  g_autofree guint32 *child_count = g_new0 (guint32, count);
  g_autofree guint32 *taken = g_new (guint32, count);
  for (guint32 i = 0; i < count; i++)
    if (self->parent[i] != LK_NAME_NONE)
      child_count[self->parent[i]]++;
  for (guint32 i = 0; i < count; i++)
    if (child_count[i] == 0)
      taken[taken_count++] = i;
  for (; read < taken_count; read++) {
    guint32 parent = self->parent[taken[read]];
    if (parent != LK_NAME_NONE && --child_count[parent] == 0)
      taken[taken_count++] = parent;
  }
  if (taken_count == count)
    return TRUE;
  guint32 first = 0;
  while (child_count[first] == 0)
    first++;
  return lk_check_wrong (self->check, switch_at (self, first), "switches",
                         "leads back to the switch itself; expected a tree");
}

static gboolean
tree_check (Topology *self)
{
  if (self->check->cluster->block_sizes->len > 0)
    return lk_check_wrong (self->check, NULL, "block_sizes",
                           "is given for a tree; expected it for blocks only");
  for (guint32 i = 0; i < self->switches->len; i++)
    if (!tree_switch_check (self, i))
      return FALSE;
  return tree_loop_check (self);
}

/* ---------------------------------------------------------------- blocks */

/* Each size is the base times a power of two, and above the one before. */
static gboolean
block_sizes_check (LkCheck *check)
{
  const GArray *sizes = check->cluster->block_sizes;
  guint32 last = 0;
  for (guint i = 0; i < sizes->len; i++) {
    guint32 base = g_array_index (sizes, guint32, 0);
    guint32 size = g_array_index (sizes, guint32, i);
    guint32 factor = base > 0 ? size / base : 0;
    if (size <= last || size > LK_LIMIT_NODES)
      return lk_check_wrong (check, NULL, "block_sizes",
                             "has %u behind %u; expected sizes that rise, from 1 to %u", size, last,
                             LK_LIMIT_NODES);
    if (size % base != 0 || (factor & (factor - 1)) != 0)
      return lk_check_wrong (check, NULL, "block_sizes", "has %u; expected %u times a power of two",
                             size, base);
    last = size;
  }
  return TRUE;
}

static gboolean
blocks_check (Topology *self)
{
  for (guint32 i = 0; i < self->switches->len; i++) {
    const LkSwitchSpec *spec = switch_at (self, i);
    if (spec->switches[0] != '\0')
      return lk_check_wrong (self->check, spec, "switches",
                             "is given for a block; expected nodes only");
    if (spec->nodes[0] == '\0')
      return lk_check_wrong (self->check, spec, "nodes", "is empty; expected the block's nodes");
    if (!list_claim (self, i, "nodes", self->check->nodes, self->node_switch))
      return FALSE;
  }
  return block_sizes_check (self->check);
}

/* ---------------------------------------------------------------- both */

static gboolean
names_check (Topology *self)
{
  for (guint32 i = 0; i < self->switches->len; i++) {
    const LkSwitchSpec *spec = switch_at (self, i);
    if (!lk_check_name (self->check, spec, spec->name))
      return FALSE;
    lk_names_add (self->names, spec->name);
  }
  guint32 repeated = lk_names_sort (self->names);
  if (repeated == LK_NAME_NONE)
    return TRUE;
  return lk_check_wrong (self->check, switch_at (self, repeated), "name",
                         "is there twice; expected each switch once");
}

static gboolean
flat_check (LkCheck *check)
{
  if (check->cluster->switches->len > 0)
    return lk_check_wrong (check, g_ptr_array_index (check->cluster->switches, 0), "name",
                           "is a switch of a flat topology; expected a tree or blocks");
  if (check->cluster->block_sizes->len > 0)
    return lk_check_wrong (check, NULL, "block_sizes",
                           "is given for a flat topology; expected it for blocks only");
  return TRUE;
}

gboolean
lk_topology_check (LkCheck *check, guint32 *out_block_size_min)
{
  const LkCluster *cluster = check->cluster;
  if (cluster->topology == LK_TOPOLOGY_FLAT)
    return flat_check (check);
  if (cluster->switches->len == 0 || cluster->switches->len > LK_LIMIT_NODES)
    return lk_check_wrong (check, NULL, "switches", "are %u; expected 1 to %u",
                           cluster->switches->len, LK_LIMIT_NODES);
  Topology self = {
    .check = check,
    .switches = cluster->switches,
    .names = g_array_new (FALSE, FALSE, sizeof (LkNameEntry)),
    .node_switch = g_new (guint32, check->nodes->len),
    .parent = g_new (guint32, cluster->switches->len),
    .block_size_min = LK_LIMIT_NODES,
  };
  memset (self.node_switch, 0xff, check->nodes->len * sizeof *self.node_switch);
  memset (self.parent, 0xff, cluster->switches->len * sizeof *self.parent);
  gboolean is_good =
      names_check (&self)
      && (cluster->topology == LK_TOPOLOGY_TREE ? tree_check (&self) : blocks_check (&self));
  if (is_good)
    *out_block_size_min = self.block_size_min;
  g_array_unref (self.names);
  g_free (self.node_switch);
  g_free (self.parent);
  return is_good;
}
