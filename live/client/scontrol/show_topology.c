/* live/client/scontrol/show_topology.c — `scontrol show topology`: switches of a tree, or blocks.
 *
 * A flat topology has nothing to show.  Source: scontrol(1). */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/node_row.h"
#include "live/client/scontrol/show.h"

static gboolean
list_has (const char *list, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, strlen (list), names, NULL);
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), name) == 0)
      return TRUE;
  return FALSE;
}

static const LkSwitchSpec *
switch_find (const LkCluster *cluster, const char *name)
{
  for (guint i = 0; i < cluster->switches->len; i++) {
    const LkSwitchSpec *spec = g_ptr_array_index (cluster->switches, i);
    if (strcmp (spec->name, name) == 0)
      return spec;
  }
  return NULL;
}

/* All nodes below. The tree has no circle (lk_cluster_check), and no more levels than switches. */
static guint
nodes_below (const LkCluster *cluster, const LkSwitchSpec *top, GPtrArray *out_names)
{
  g_autoptr (GPtrArray) level = g_ptr_array_new ();
  guint depth = 0;
  g_ptr_array_add (level, (gpointer)top);
  for (guint rounds = 0; level->len > 0 && rounds <= cluster->switches->len; rounds++) {
    g_autoptr (GPtrArray) next = g_ptr_array_new ();
    for (guint i = 0; i < level->len; i++) {
      const LkSwitchSpec *spec = g_ptr_array_index (level, i);
      g_autoptr (GPtrArray) below = g_ptr_array_new_with_free_func (g_free);
      lk_hostlist_expand (spec->nodes, strlen (spec->nodes), out_names, NULL);
      lk_hostlist_expand (spec->switches, strlen (spec->switches), below, NULL);
      for (guint j = 0; j < below->len; j++) {
        const LkSwitchSpec *found = switch_find (cluster, g_ptr_array_index (below, j));
        if (found != NULL)
          g_ptr_array_add (next, (gpointer)found);
      }
    }
    depth += next->len > 0 ? 1 : 0;
    g_ptr_array_set_size (level, 0);
    for (guint i = 0; i < next->len; i++)
      g_ptr_array_add (level, g_ptr_array_index (next, i));
  }
  return depth;
}

static void
add_one (LkShow *show, const LkCluster *cluster, guint index, const char *node)
{
  const LkSwitchSpec *spec = g_ptr_array_index (cluster->switches, index);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) list = g_string_new (NULL);
  guint depth = nodes_below (cluster, spec, names);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, list);
  if (node != NULL && strcmp (node, spec->name) != 0 && !list_has (list->str, node))
    return;
  if (cluster->topology == LK_TOPOLOGY_BLOCK) {
    lk_show_value (show, "BlockName", "%s", spec->name);
    lk_show_value (show, "BlockIndex", "%u", index);
    lk_show_value (show, "Nodes", "%s", list->str);
  } else {
    lk_show_value (show, "SwitchName", "%s", spec->name);
    lk_show_value (show, "Level", "%u", depth);
    lk_show_value (show, "LinkSpeed", "1");
    lk_show_value (show, "Nodes", "%s", list->str);
    if (spec->switches[0] != '\0')
      lk_show_value (show, "Switches", "%s", spec->switches);
  }
  g_string_append_c (show->text, '\n');
}

int
lk_show_topology (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, &error);
  LkShow show = { text, options->one_line };
  if (view == NULL) {
    fprintf (client->err, "slurm_load_topo error: %s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (view->cluster->topology == LK_TOPOLOGY_FLAT)
    return 0;
  for (guint i = 0; i < view->cluster->switches->len; i++)
    add_one (&show, view->cluster, i, words[0]);
  if (text->len == 0 && words[0] != NULL) {
    fprintf (client->err, "Topology information contains no switch, block or node named %s\n",
             words[0]);
    return LK_SCONTROL_FAILURE;
  }
  fputs (text->str, client->out);
  return 0;
}
