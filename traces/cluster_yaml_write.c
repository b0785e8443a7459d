/* traces/cluster_yaml_write.c — writes cluster.yaml.  See cluster_yaml.h.
 *
 * Values are put into words by the kind of their key. A member whose words are those of the default
 * is left out; what an entry is called by is always there.  Lists and the entries of generic
 * resources stand on one line, everything else on lines of its own. */
#include <string.h>

#include "traces/cluster_yaml.h"
#include "traces/cluster_yaml_keys.h"
#include "traces/quantity.h"
#include "traces/yaml_text.h"

/* Puts the value of a key into words. */
static void append_value (const LkKey *key, gconstpointer spec, GString *out);

/* ---------------------------------------------------------------- lists */

static void
append_separator (GString *out)
{
  if (out->len > 0 && out->str[out->len - 1] != '[' && out->str[out->len - 1] != '{')
    g_string_append (out, ", ");
}

/* Names with commas between: a list, unless one of them is empty or there is only one. */
static void
append_names (const char *text, GString *out)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);
  if (g_strv_length (names) < 2 || g_strv_contains ((const char *const *)names, "")) {
    lk_yaml_append_text (text, FALSE, out);
    return;
  }
  g_string_append_c (out, '[');
  for (char **name = names; *name != NULL; name++) {
    append_separator (out);
    lk_yaml_append_text (*name, TRUE, out);
  }
  g_string_append_c (out, ']');
}

static void
append_features (const GPtrArray *features, GString *out)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < features->len; i++) {
    append_separator (out);
    lk_yaml_append_text (g_ptr_array_index (features, i), TRUE, out);
  }
  g_string_append_c (out, ']');
}

static void
append_sizes (const GArray *sizes, GString *out)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < sizes->len; i++) {
    append_separator (out);
    g_string_append_printf (out, "%u", g_array_index (sizes, guint32, i));
  }
  g_string_append_c (out, ']');
}

static void
append_state (guint32 flags, GString *out)
{
  gboolean is_list = (flags & (flags - 1)) != 0;
  if (flags == 0)
    g_string_append (out, "idle");
  if (is_list)
    g_string_append_c (out, '[');
  for (guint i = 0; lk_node_state_words[i] != NULL; i++)
    if ((flags >> i & 1) != 0) {
      if (is_list)
        append_separator (out);
      g_string_append (out, lk_node_state_words[i]);
    }
  if (is_list)
    g_string_append_c (out, ']');
}

static void
append_oversubscribe (const LkPartitionSpec *partition, GString *out)
{
  /* What Slurm takes when it is not told how many. */
  const guint32 jobs_default = 4;
  g_string_append (out, lk_oversubscribe_words[partition->oversubscribe]);
  if (partition->oversubscribe_jobs != jobs_default)
    g_string_append_printf (out, ":%u", partition->oversubscribe_jobs);
}

/* The text is NAME=WEIGHT,...: a mapping, when it is as it should be. */
static gboolean
append_weights (const char *text, GString *out)
{
  g_auto (GStrv) pieces = g_strsplit (text, ",", -1);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_string_append_c (out, '{');
  for (char **piece = pieces; *piece != NULL; piece++) {
    const char *equals = strchr (*piece, '=');
    if (equals == NULL || equals == *piece || !lk_is_billing_weight (equals + 1))
      return FALSE;
    g_ptr_array_add (names, g_strndup (*piece, (gsize)(equals - *piece)));
    const char *name = g_ptr_array_index (names, names->len - 1);
    guint first;
    g_ptr_array_find_with_equal_func (names, name, g_str_equal, &first);
    if (first != names->len - 1)
      return FALSE;
    append_separator (out);
    lk_yaml_append_text (name, TRUE, out);
    g_string_append_printf (out, ": %s", equals + 1);
  }
  g_string_append_c (out, '}');
  return TRUE;
}

static void
append_billing (const char *text, GString *out)
{
  gsize before = out->len;
  if (text[0] != '\0' && append_weights (text, out))
    return;
  g_string_truncate (out, before);
  lk_yaml_append_text (text, FALSE, out);
}

/* ---------------------------------------------------------------- generic resources */

static void
append_device_sockets (const LkGresSpec *gres, GString *out)
{
  g_string_append_c (out, '[');
  for (guint32 i = 0; gres->device_sockets != NULL && i < gres->count; i++) {
    guint32 sockets = gres->device_sockets[i];
    gboolean is_list = (sockets & (sockets - 1)) != 0;
    append_separator (out);
    g_string_append (out, sockets == 0 ? "any" : is_list ? "[" : "");
    for (guint s = 0; s < 32; s++)
      if ((sockets >> s & 1) != 0) {
        if (is_list)
          append_separator (out);
        g_string_append_printf (out, "%u", s);
      }
    g_string_append (out, is_list ? "]" : "");
  }
  g_string_append_c (out, ']');
}

static guint16
link_at (const LkGresSpec *gres, guint32 i, guint32 j)
{
  return gres->links[i * gres->count + j];
}

/* The first device with the same links as this one: itself, or one of its group. */
static guint32
group_of (const LkGresSpec *gres, guint32 device)
{
  for (guint32 i = 0; i < device; i++)
    if (link_at (gres, device, i) != 0)
      return i;
  return device;
}

/* Are the links those of groups in which each device is linked to each other one by 1? */
static gboolean
has_groups (const LkGresSpec *gres)
{
  for (guint32 i = 0; i < gres->count; i++)
    for (guint32 j = 0; j < gres->count; j++)
      if (link_at (gres, i, j) != (i != j && group_of (gres, i) == group_of (gres, j)))
        return FALSE;
  return TRUE;
}

/* The devices of a group, "0-3" for neighbours. */
static void
append_group (const LkGresSpec *gres, guint32 first, GString *out)
{
  append_separator (out);
  g_string_append_c (out, '[');
  for (guint32 i = first; i < gres->count; i++) {
    if (group_of (gres, i) != first)
      continue;
    guint32 last = i;
    while (last + 1 < gres->count && group_of (gres, last + 1) == first)
      last++;
    append_separator (out);
    g_string_append_printf (out, last == i ? "%u" : "%u-%u", i, last);
    i = last;
  }
  g_string_append_c (out, ']');
}

static void
append_nvlink (const LkGresSpec *gres, GString *out)
{
  g_string_append_c (out, '[');
  for (guint32 i = 0; i < gres->count; i++) {
    gboolean is_linked = FALSE;
    for (guint32 j = 0; j < gres->count; j++)
      is_linked = is_linked || link_at (gres, i, j) != 0;
    if (is_linked && group_of (gres, i) == i)
      append_group (gres, i, out);
  }
  g_string_append_c (out, ']');
}

static void
append_links (const LkGresSpec *gres, GString *out)
{
  g_string_append_c (out, '[');
  for (guint32 i = 0; i < gres->count; i++) {
    append_separator (out);
    g_string_append_c (out, '[');
    for (guint32 j = 0; j < gres->count; j++) {
      append_separator (out);
      g_string_append_printf (out, "%u", link_at (gres, i, j));
    }
    g_string_append_c (out, ']');
  }
  g_string_append_c (out, ']');
}

/* Has it what this key says? */
static gboolean
gres_has (const LkGresSpec *gres, const LkKey *key, gboolean with_name)
{
  switch (key->kind) {
  case LK_KEY_SOCKETS:
    return gres->device_sockets != NULL;
  case LK_KEY_NVLINK:
    return gres->links != NULL && has_groups (gres);
  case LK_KEY_LINKS:
    return gres->links != NULL && !has_groups (gres);
  case LK_KEY_BYTES:
    return gres->memory_bytes != 0;
  case LK_KEY_FLAG:
    return gres->no_consume;
  case LK_KEY_COUNT:
    return TRUE;
  default:
    return strcmp (key->member, "name") == 0 ? with_name : gres->type[0] != '\0';
  }
}

/* {count: 8, ...}, or the count alone when there is no more to say. */
static void
append_entry (const LkGresSpec *gres, gboolean with_name, GString *out)
{
  guint count = 0;
  for (const LkKey *key = lk_gres_keys; key->key != NULL; key++)
    count += gres_has (gres, key, with_name) ? 1 : 0;
  if (count == 1) {
    g_string_append_printf (out, "%u", gres->count);
    return;
  }
  g_string_append_c (out, '{');
  for (const LkKey *key = lk_gres_keys; key->key != NULL; key++)
    if (gres_has (gres, key, with_name)) {
      append_separator (out);
      g_string_append_printf (out, "%s: ", key->key);
      /* A name has no letter that would need quotes only inside brackets. */
      append_value (key, gres, out);
    }
  g_string_append_c (out, '}');
}

static const LkGresSpec *
gres_at (const LkNodeSpec *node, guint index)
{
  return g_ptr_array_index (node->gres, index);
}

/* How many entries from `first` on have its name. */
static guint
run_length (const LkNodeSpec *node, guint first)
{
  guint end = first + 1;
  while (end < node->gres->len
         && strcmp (gres_at (node, end)->name, gres_at (node, first)->name) == 0)
    end++;
  return end - first;
}

/* Do entries of one name follow each other, so that names can be keys? */
static gboolean
names_can_be_keys (const LkNodeSpec *node)
{
  for (guint i = 0; i < node->gres->len; i += run_length (node, i))
    for (guint j = 0; j < i; j++)
      if (strcmp (gres_at (node, i)->name, gres_at (node, j)->name) == 0)
        return FALSE;
  return TRUE;
}

static void
append_gres (const LkKey *key, const LkNodeSpec *node, const char *indent, GString *out)
{
  gboolean is_list = !names_can_be_keys (node);
  guint length;
  if (node->gres->len > 0)
    g_string_append_printf (out, "%s%s:\n", indent, key->key);
  for (guint i = 0; i < node->gres->len; i += length) {
    length = is_list ? 1 : run_length (node, i);
    g_string_append_printf (out, "%s  ", indent);
    if (is_list)
      g_string_append (out, "- ");
    else {
      lk_yaml_append_text (gres_at (node, i)->name, TRUE, out);
      g_string_append (out, ": ");
    }
    g_string_append (out, length == 1 ? "" : "[");
    for (guint j = 0; j < length; j++) {
      g_string_append (out, j == 0 ? "" : ", ");
      append_entry (gres_at (node, i + j), is_list, out);
    }
    g_string_append (out, length == 1 ? "\n" : "]\n");
  }
}

/* ---------------------------------------------------------------- values */

static void
append_number (const LkKey *key, gconstpointer spec, GString *out)
{
  const guint32 *count = lk_key_member_const (key, spec);
  const gint64 *amount = lk_key_member_const (key, spec);
  switch (key->kind) {
  case LK_KEY_BYTES:
    lk_quantity_bytes_format (*amount, out);
    return;
  case LK_KEY_TIME:
  case LK_KEY_SPAN:
    lk_quantity_time_format (*amount, out);
    return;
  default:
    lk_quantity_count_format (*count, out);
  }
}

static void
append_word (const LkKey *key, gconstpointer spec, GString *out)
{
  int index;
  memcpy (&index, lk_key_member_const (key, spec), sizeof index);
  g_string_append (out, key->words[index]);
}

static void
append_value (const LkKey *key, gconstpointer spec, GString *out)
{
  const char *const *text = lk_key_member_const (key, spec);
  const gboolean *flag = lk_key_member_const (key, spec);
  switch (key->kind) {
  case LK_KEY_TEXT:
    lk_yaml_append_text (*text, FALSE, out);
    return;
  case LK_KEY_NAMES:
    append_names (*text, out);
    return;
  case LK_KEY_BILLING:
    append_billing (*text, out);
    return;
  case LK_KEY_FLAG:
    g_string_append (out, *flag ? "true" : "false");
    return;
  case LK_KEY_WORD:
    append_word (key, spec, out);
    return;
  case LK_KEY_OVERSUBSCRIBE:
    append_oversubscribe (spec, out);
    return;
  case LK_KEY_STATE:
    append_state (((const LkNodeSpec *)spec)->flags, out);
    return;
  case LK_KEY_FEATURES:
    append_features (((const LkNodeSpec *)spec)->features, out);
    return;
  case LK_KEY_SIZES:
    append_sizes (((const LkCluster *)spec)->block_sizes, out);
    return;
  case LK_KEY_SOCKETS:
    append_device_sockets (spec, out);
    return;
  case LK_KEY_NVLINK:
    append_nvlink (spec, out);
    return;
  case LK_KEY_LINKS:
    append_links (spec, out);
    return;
  default:
    append_number (key, spec, out);
  }
}

/* ---------------------------------------------------------------- lines */

/* Specs with their defaults, to compare with. */
typedef struct {
  LkCluster *cluster;
  LkNodeSpec *node;
  LkPartitionSpec *partition;
  LkSwitchSpec *entry;
} Defaults;

/* Appends "INDENT KEY: VALUE" when it differs from the default. */
static void
append_line (const LkKey *key, gconstpointer spec, gconstpointer defaults, const char *indent,
             GString *out)
{
  g_autoptr (GString) value = g_string_new (NULL);
  g_autoptr (GString) value_default = g_string_new (NULL);
  append_value (key, spec, value);
  append_value (key, defaults, value_default);
  if (!g_string_equal (value, value_default))
    g_string_append_printf (out, "%s%s: %s\n", indent, key->key, value->str);
}

/* The members of a part, in braces behind its key. */
static void
append_part (const LkKey *key, gconstpointer spec, gconstpointer defaults, const char *indent,
             GString *out)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autofree char *deeper = g_strconcat (indent, "  ", NULL);
  for (const LkKey *part = key->parts; part->key != NULL; part++)
    append_line (part, spec, defaults, deeper, lines);
  if (lines->len > 0)
    g_string_append_printf (out, "%s%s:\n%s", indent, key->key, lines->str);
}

/* The lines of one key of an item. */
static void
append_key (const LkKey *key, gconstpointer spec, gconstpointer defaults, const char *indent,
            GString *out)
{
  switch (key->kind) {
  case LK_KEY_SYNTHETIC:
  case LK_KEY_XML:
    return;
  case LK_KEY_PART:
    append_part (key, spec, defaults, indent, out);
    return;
  case LK_KEY_GRES:
    append_gres (key, spec, indent, out);
    return;
  default:
    append_line (key, spec, defaults, indent, out);
  }
}

/* An item of a list: "- " and what it is called by, then the other keys under it. */
static void
append_item (const LkKey *keys, gconstpointer spec, gconstpointer defaults, const char *indent,
             GString *out)
{
  g_autofree char *deeper = g_strconcat (indent, "  ", NULL);
  g_string_append_printf (out, "%s- %s: ", indent, keys[0].key);
  append_value (&keys[0], spec, out);
  g_string_append_c (out, '\n');
  for (const LkKey *key = keys + 1; key->key != NULL; key++)
    append_key (key, spec, defaults, deeper, out);
}

static void
append_nodes (const LkCluster *cluster, const Defaults *defaults, GString *out)
{
  g_string_append (out, "\nnodes:\n");
  for (guint i = 0; i < cluster->nodes->len; i++) {
    const LkNodeSpec *node = g_ptr_array_index (cluster->nodes, i);
    defaults->node->cpus = lk_node_cpus_default (node);
    append_item (lk_node_keys, node, defaults->node, "  ", out);
  }
}

/* The partition that the check adds where there is none goes without saying. */
static void
append_partitions (const LkCluster *cluster, const Defaults *defaults, GString *out)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  for (guint i = 0; i < cluster->partitions->len; i++)
    append_item (lk_partition_keys, g_ptr_array_index (cluster->partitions, i), defaults->partition,
                 "  ", lines);
  if (lines->len > 0 && strcmp (lines->str, "  - name: main\n    default: true\n") != 0)
    g_string_append_printf (out, "\npartitions:\n%s", lines->str);
}

static void
append_licenses (const LkCluster *cluster, GString *out)
{
  if (cluster->licenses->len > 0)
    g_string_append (out, "\nlicenses:\n");
  for (guint i = 0; i < cluster->licenses->len; i++) {
    const LkLicenseSpec *license = g_ptr_array_index (cluster->licenses, i);
    g_string_append (out, "  ");
    lk_yaml_append_text (license->name, TRUE, out);
    g_string_append_printf (out, ": %u\n", license->count);
  }
}

static void
append_topology (const LkCluster *cluster, const Defaults *defaults, GString *out)
{
  gboolean is_tree = cluster->topology == LK_TOPOLOGY_TREE;
  if (cluster->topology == LK_TOPOLOGY_FLAT)
    return;
  g_string_append_printf (out, "\ntopology:\n  kind: %s\n", is_tree ? "tree" : "block");
  if (!is_tree)
    append_line (lk_key_find (lk_topology_keys, "block_sizes"), cluster, defaults->cluster, "  ",
                 out);
  g_string_append (out, is_tree ? "  switches:\n" : "  blocks:\n");
  for (guint i = 0; i < cluster->switches->len; i++)
    append_item (is_tree ? lk_switch_keys : lk_block_keys, g_ptr_array_index (cluster->switches, i),
                 defaults->entry, "    ", out);
}

/* ---------------------------------------------------------------- the page */

/* Will the page tell the memory of any node? If not, the reader takes it that none is handed
 * out. */
static gboolean
memory_is_told (const LkCluster *cluster, const Defaults *defaults)
{
  for (guint i = 0; i < cluster->nodes->len; i++) {
    const LkNodeSpec *node = g_ptr_array_index (cluster->nodes, i);
    if (node->memory_bytes != defaults->node->memory_bytes)
      return TRUE;
  }
  return FALSE;
}

static void
append_page (const LkCluster *cluster, GString *out)
{
  g_autoptr (LkCluster) described = lk_cluster_new ("");
  Defaults defaults = {
    .cluster = described,
    .node = lk_cluster_add_nodes (described, ""),
    .partition = lk_cluster_add_partition (described, ""),
    .entry = lk_cluster_add_switch (described, "", NULL, NULL),
  };
  described->memory = memory_is_told (cluster, &defaults);
  for (const LkKey *key = lk_cluster_keys; key->kind != LK_KEY_NODES; key++)
    append_line (key, cluster, described, "", out);
  append_nodes (cluster, &defaults, out);
  append_partitions (cluster, &defaults, out);
  append_licenses (cluster, out);
  append_topology (cluster, &defaults, out);
}

/* Is every text of the cluster UTF-8? Its canonical text holds them all. */
static gboolean
is_utf8 (const LkCluster *cluster)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (cluster, text);
  return g_utf8_validate (text->str, (gssize)text->len, NULL);
}

gboolean
lk_cluster_yaml_write (const LkCluster *cluster, const char *header_comment, GString *out)
{
  if (!is_utf8 (cluster) || (header_comment != NULL && !g_utf8_validate (header_comment, -1, NULL)))
    return FALSE;
  if (header_comment != NULL)
    lk_yaml_append_comment (header_comment, out);
  append_page (cluster, out);
  return TRUE;
}
