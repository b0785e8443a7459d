/* sim/cluster_show.c — a machine as tables.  See cluster_show.h.
 *
 * A table is collected cell by cell and printed when all widths are known; the last column is as
 * wide as it is, lists of names in it are cut. */
#include "sim/cluster_show.h"

#include <string.h>

#include "engine/hostlist.h"
#include "traces/cluster_yaml_keys.h"
#include "traces/quantity.h"

/* Of a list of names in a table. */
#define NAMES_MAX_CHARACTERS 60

/* ---------------------------------------------------------------- tables */

typedef struct {
  GPtrArray *cells; /* of char*, row after row, the titles first */
  guint columns;
} Table;

/* The titles end with NULL. */
static void
table_init (Table *self, const char *const *titles)
{
  self->cells = g_ptr_array_new_with_free_func (g_free);
  self->columns = 0;
  for (; titles[self->columns] != NULL; self->columns++)
    g_ptr_array_add (self->cells, g_strdup (titles[self->columns]));
}

/* Takes the text. */
static void
table_add (Table *self, char *cell)
{
  g_ptr_array_add (self->cells, cell);
}

static void
table_add_text (Table *self, const char *text)
{
  table_add (self, g_strdup (text[0] == '\0' ? "-" : text));
}

static void
table_add_count (Table *self, guint64 count)
{
  table_add (self, g_strdup_printf ("%" G_GUINT64_FORMAT, count));
}

static void
table_add_bytes (Table *self, gint64 bytes)
{
  GString *text = g_string_new (NULL);
  lk_quantity_bytes_format (bytes, text);
  table_add (self, g_string_free (text, FALSE));
}

static void
table_add_time (Table *self, gint64 time_us)
{
  GString *text = g_string_new (NULL);
  lk_quantity_time_format (time_us, text);
  table_add (self, g_string_free (text, FALSE));
}

/* A list of names, cut where it is long. */
static void
table_add_names (Table *self, const char *names)
{
  if (g_utf8_strlen (names, -1) <= NAMES_MAX_CHARACTERS) {
    table_add_text (self, names);
    return;
  }
  g_autofree char *begin = g_utf8_substring (names, 0, NAMES_MAX_CHARACTERS - 3);
  table_add (self, g_strconcat (begin, "...", NULL));
}

/* Behind an empty line; frees the table. */
static void
table_finish (Table *self, GString *out)
{
  g_autofree glong *widths = g_new0 (glong, self->columns);
  for (guint i = 0; i < self->cells->len; i++) {
    glong width = g_utf8_strlen (g_ptr_array_index (self->cells, i), -1);
    widths[i % self->columns] = MAX (widths[i % self->columns], width);
  }
  g_string_append_c (out, '\n');
  for (guint i = 0; i < self->cells->len; i++) {
    const char *cell = g_ptr_array_index (self->cells, i);
    gboolean is_last = i % self->columns == self->columns - 1;
    g_string_append (out, cell);
    for (glong at = g_utf8_strlen (cell, -1); !is_last && at < widths[i % self->columns] + 2; at++)
      g_string_append_c (out, ' ');
    if (is_last)
      g_string_append_c (out, '\n');
  }
  g_ptr_array_unref (self->cells);
}

/* ---------------------------------------------------------------- the summary */

static guint
names_count (const char *names)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (names, strlen (names), list, NULL);
  return list->len;
}

static gint64
memory_sum (const LkCluster *cluster)
{
  gint64 sum_bytes = 0;
  for (guint i = 0; i < cluster->nodes->len; i++) {
    const LkNodeSpec *node = g_ptr_array_index (cluster->nodes, i);
    sum_bytes += node->memory_bytes * names_count (node->names);
  }
  return sum_bytes;
}

void
lk_cluster_counts (const LkCluster *cluster, GString *out)
{
  guint32 nodes = lk_cluster_node_count (cluster);
  guint64 cpus = lk_cluster_cpu_count (cluster);
  guint64 gpus = lk_cluster_gres_count (cluster, "gpu");
  guint partitions = cluster->partitions->len;
  g_string_append_printf (
      out, "%u node%s, %" G_GUINT64_FORMAT " CPU%s, %" G_GUINT64_FORMAT " GPU%s, %u partition%s",
      nodes, nodes == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s",
      partitions, partitions == 1 ? "" : "s");
}

static void
show_summary (const LkCluster *cluster, GString *out)
{
  static const char *const units[] = { "CPUs", "cores", "sockets", "whole nodes" };
  g_string_append_printf (out, "%s: ", cluster->name);
  lk_cluster_counts (cluster, out);
  g_string_append (out, ", ");
  lk_quantity_bytes_format (memory_sum (cluster), out);
  g_string_append_printf (out, " of memory\nHanded out: %s%s.\n", units[cluster->consume],
                          cluster->memory ? " and memory" : "; memory is not");
}

/* ---------------------------------------------------------------- nodes */

static char *
gres_words (const LkNodeSpec *node)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < node->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (node->gres, i);
    g_string_append_printf (text, "%s%s%s%s:%u", i == 0 ? "" : ",", gres->name,
                            gres->type[0] == '\0' ? "" : ":", gres->type, gres->count);
  }
  return g_string_free (text, FALSE);
}

static char *
feature_words (const LkNodeSpec *node)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < node->features->len; i++)
    g_string_append_printf (text, "%s%s", i == 0 ? "" : ",",
                            (const char *)g_ptr_array_index (node->features, i));
  return g_string_free (text, FALSE);
}

static char *
state_words (const LkNodeSpec *node)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; lk_node_state_words[i] != NULL; i++)
    if ((node->flags >> i & 1) != 0)
      g_string_append_printf (text, "%s%s", text->len == 0 ? "" : ",", lk_node_state_words[i]);
  return g_string_free (text, FALSE);
}

/* The cells of a group but for its names: the same for groups that are shown as one. */
static void
add_node_cells (Table *table, const LkNodeSpec *node)
{
  g_autofree char *gres = gres_words (node);
  g_autofree char *features = feature_words (node);
  g_autofree char *state = state_words (node);
  table_add_count (table, node->cpus);
  table_add (table, g_strdup_printf ("%u:%u:%u", node->sockets, node->cores_per_socket,
                                     node->threads_per_core));
  table_add_bytes (table, node->memory_bytes);
  table_add_text (table, gres);
  table_add_text (table, features);
  table_add_count (table, node->weight);
  table_add_text (table, state[0] == '\0' ? "idle" : state);
}

/* What the cells show, as one text. */
static char *
node_look (const LkNodeSpec *node)
{
  Table table = { g_ptr_array_new_with_free_func (g_free), 0 };
  add_node_cells (&table, node);
  g_ptr_array_add (table.cells, NULL);
  char *look = g_strjoinv ("\n", (char **)table.cells->pdata);
  g_ptr_array_unref (table.cells);
  return look;
}

/* Groups that look the same. */
typedef struct {
  const LkNodeSpec *first;
  GPtrArray *names; /* of char* */
} Kind;

static void
kind_free (gpointer data)
{
  Kind *kind = data;
  g_ptr_array_unref (kind->names);
  g_free (kind);
}

/* In the order of the first group of each. Returns: (transfer full), of Kind*. */
static GPtrArray *
node_kinds (const LkCluster *cluster)
{
  GPtrArray *kinds = g_ptr_array_new_with_free_func (kind_free);
  g_autoptr (GHashTable) by_look = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < cluster->nodes->len; i++) {
    const LkNodeSpec *node = g_ptr_array_index (cluster->nodes, i);
    g_autofree char *look = node_look (node);
    Kind *kind = g_hash_table_lookup (by_look, look);
    if (kind == NULL) {
      kind = g_new0 (Kind, 1);
      kind->first = node;
      kind->names = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (kinds, kind);
      g_hash_table_insert (by_look, g_steal_pointer (&look), kind);
    }
    lk_hostlist_expand (node->names, strlen (node->names), kind->names, NULL);
  }
  return kinds;
}

static void
show_nodes (const LkCluster *cluster, GString *out)
{
  static const char *const titles[] = { "NODES",    "CPUS",   "S:C:T", "MEMORY", "GRES",
                                        "FEATURES", "WEIGHT", "STATE", "NAMES",  NULL };
  Table table;
  table_init (&table, titles);
  g_autoptr (GPtrArray) kinds = node_kinds (cluster);
  for (guint i = 0; i < kinds->len; i++) {
    const Kind *kind = g_ptr_array_index (kinds, i);
    g_autoptr (GString) names = g_string_new (NULL);
    lk_hostlist_compress ((const char *const *)kind->names->pdata, kind->names->len, names);
    table_add_count (&table, kind->names->len);
    add_node_cells (&table, kind->first);
    table_add_names (&table, names->str);
  }
  table_finish (&table, out);
}

/* ---------------------------------------------------------------- the rest */

static char *
sharing_words (const LkPartitionSpec *partition)
{
  gboolean is_shared = partition->oversubscribe == LK_OVERSUBSCRIBE_YES
                       || partition->oversubscribe == LK_OVERSUBSCRIBE_FORCE;
  const char *word = lk_oversubscribe_words[partition->oversubscribe];
  return is_shared ? g_strdup_printf ("%s:%u", word, partition->oversubscribe_jobs)
                   : g_strdup (word);
}

static void
show_partitions (const LkCluster *cluster, GString *out)
{
  static const char *const titles[] = { "PARTITION", "NODES", "STATE", "MAX_TIME", "DEFAULT_TIME",
                                        "TIER",      "SHARE", "NAMES", NULL };
  static const char *const states[] = { "up", "down", "drain", "inactive" };
  Table table;
  table_init (&table, titles);
  for (guint i = 0; i < cluster->partitions->len; i++) {
    const LkPartitionSpec *partition = g_ptr_array_index (cluster->partitions, i);
    gboolean is_all = strcmp (partition->nodes, "ALL") == 0;
    table_add (&table, g_strconcat (partition->name, partition->is_default ? "*" : "", NULL));
    table_add_count (&table,
                     is_all ? lk_cluster_node_count (cluster) : names_count (partition->nodes));
    table_add_text (&table, states[partition->state]);
    table_add_time (&table, partition->time_max_us);
    table_add_time (&table, MIN (partition->time_default_us, partition->time_max_us));
    table_add_count (&table, partition->priority_tier);
    table_add (&table, sharing_words (partition));
    table_add_names (&table, partition->nodes);
  }
  table_finish (&table, out);
}

static void
show_licenses (const LkCluster *cluster, GString *out)
{
  static const char *const titles[] = { "LICENCE", "COUNT", NULL };
  if (cluster->licenses->len == 0)
    return;
  Table table;
  table_init (&table, titles);
  for (guint i = 0; i < cluster->licenses->len; i++) {
    const LkLicenseSpec *license = g_ptr_array_index (cluster->licenses, i);
    table_add_text (&table, license->name);
    table_add_count (&table, license->count);
  }
  table_finish (&table, out);
}

static void
show_topology (const LkCluster *cluster, GString *out)
{
  static const char *const tree_titles[] = { "SWITCH", "BELOW", "NAMES", NULL };
  static const char *const block_titles[] = { "BLOCK", "BELOW", "NAMES", NULL };
  gboolean is_tree = cluster->topology == LK_TOPOLOGY_TREE;
  if (cluster->topology == LK_TOPOLOGY_FLAT)
    return;
  Table table;
  table_init (&table, is_tree ? tree_titles : block_titles);
  for (guint i = 0; i < cluster->switches->len; i++) {
    const LkSwitchSpec *entry = g_ptr_array_index (cluster->switches, i);
    const char *below = entry->nodes[0] != '\0' ? entry->nodes : entry->switches;
    table_add_text (&table, entry->name);
    guint count = names_count (below);
    const char *what = below == entry->nodes ? "node" : "switch";
    const char *plural = count == 1 ? "" : below == entry->nodes ? "s" : "es";
    table_add (&table, g_strdup_printf ("%u %s%s", count, what, plural));
    table_add_names (&table, below);
  }
  table_finish (&table, out);
  for (guint i = 0; i < cluster->block_sizes->len; i++)
    g_string_append_printf (out, "%s%u", i == 0 ? "Jobs are planned in blocks of " : ", ",
                            g_array_index (cluster->block_sizes, guint32, i));
  g_string_append (out, cluster->block_sizes->len == 0 ? "" : " nodes.\n");
}

void
lk_cluster_show (const LkCluster *cluster, GString *out)
{
  show_summary (cluster, out);
  show_nodes (cluster, out);
  show_partitions (cluster, out);
  show_licenses (cluster, out);
  show_topology (cluster, out);
}
