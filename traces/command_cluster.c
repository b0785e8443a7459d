/* traces/command_cluster.c — see the header. */
#include "traces/command_cluster.h"

#include <string.h>

#include "traces/command_events.h"
#include "traces/command_fail.h"
#include "traces/slurm_conf.h"

#define BIT(member) (G_GUINT64_CONSTANT (1) << LK_PARTITION_CHANGE_##member)
#define NODE_BIT(member) (G_GUINT64_CONSTANT (1) << LK_NODE_CHANGE_##member)
#define MEMORY_DEFAULTS                                                                            \
  (BIT (memory_per_cpu_default_bytes) | BIT (memory_per_node_default_bytes)                        \
   | BIT (memory_per_gpu_default_bytes))

/* What each key sets. Of those that set nothing, `only` is the value that may be said, as it holds
 * anyhow. */
static const struct {
  const char *key;
  guint64 changes;
  const char *only;
} keys[] = {
  { "allocnodes", BIT (alloc_nodes), NULL },
  { "allowaccounts", BIT (allow_accounts), NULL },
  { "allowgroups", BIT (allow_groups), NULL },
  { "allowqos", BIT (allow_qos), NULL },
  { "defmempercpu", MEMORY_DEFAULTS, NULL },
  { "defmempergpu", MEMORY_DEFAULTS, NULL },
  { "defmempernode", MEMORY_DEFAULTS, NULL },
  { "default", BIT (is_default), NULL },
  { "defaulttime", BIT (time_default_us), NULL },
  { "denyaccounts", BIT (deny_accounts), NULL },
  { "denyqos", BIT (deny_qos), NULL },
  { "exclusivetopo", BIT (exclusive_topo), NULL },
  { "exclusiveuser", BIT (exclusive_user), NULL },
  { "gracetime", BIT (grace_us), NULL },
  { "hidden", BIT (hidden), NULL },
  { "jobdefaults", BIT (cpus_per_gpu_default) | MEMORY_DEFAULTS, NULL },
  { "lln", BIT (least_loaded), NULL },
  { "maxcpuspernode", BIT (cpus_per_node_max), NULL },
  { "maxcpuspersocket", BIT (cpus_per_socket_max), NULL },
  { "maxmempercpu", BIT (memory_per_cpu_max_bytes) | BIT (memory_per_node_max_bytes), NULL },
  { "maxmempernode", BIT (memory_per_cpu_max_bytes) | BIT (memory_per_node_max_bytes), NULL },
  { "maxnodes", BIT (nodes_max), NULL },
  { "maxtime", BIT (time_max_us), NULL },
  { "minnodes", BIT (nodes_min), NULL },
  { "nodes", BIT (nodes), NULL },
  { "oversubscribe", BIT (oversubscribe) | BIT (oversubscribe_jobs), NULL },
  { "overtimelimit", BIT (over_time_limit_us), NULL },
  { "preemptmode", BIT (preempt_mode), NULL },
  { "priority", BIT (priority_tier) | BIT (priority_job_factor), NULL },
  { "priorityjobfactor", BIT (priority_job_factor), NULL },
  { "prioritytier", BIT (priority_tier), NULL },
  { "qos", BIT (qos), NULL },
  { "reqresv", BIT (reservation_required), NULL },
  { "rootonly", BIT (root_only), NULL },
  { "shared", BIT (oversubscribe) | BIT (oversubscribe_jobs), NULL },
  { "state", BIT (state), NULL },
  { "tresbillingweights", BIT (tres_billing_weights), NULL },
  { "disablerootjobs", 0, "NO" },
  { "powerdownonidle", 0, "NO" },
};

gboolean
lk_command_changes_cluster (const LkCommand *command)
{
  static const char *const nodes[] = { "nodename", "state", "reason", NULL };
  static const char *const partitions[] = { "partitionname", "state", NULL };
  if (command->kind == LK_COMMAND_CREATE_PARTITION || command->kind == LK_COMMAND_DELETE_PARTITION)
    return TRUE;
  const char *const *others = command->kind == LK_COMMAND_UPDATE_NODE ? nodes : partitions;
  if (command->kind != LK_COMMAND_UPDATE_NODE && command->kind != LK_COMMAND_UPDATE_PARTITION)
    return FALSE;
  for (guint i = 0; i < command->pairs->len; i++)
    if (!g_strv_contains (others, g_array_index (command->pairs, LkCommandPair, i).key))
      return TRUE;
  return FALSE;
}

gboolean
lk_command_sets_node_state (const LkCommand *command)
{
  return command->kind == LK_COMMAND_UPDATE_NODE && lk_command_value (command, "state") != NULL;
}

/* ---------------------------------------------------------------- partitions */

/* Only what can stand on a line of slurm.conf as one value. */
static gboolean
value_check (const LkCommandPair *pair, GError **error)
{
  if (pair->sign != '=' && strcmp (pair->key, "nodes") != 0)
    return lk_command_fail (
        error, "'%.*s' adds to a list or takes from it; expected KEY=VALUE with all of it",
        LK_COMMAND_SHOWN_MAX_BYTES, pair->given);
  for (const char *at = pair->value; *at != '\0'; at++)
    if (!g_ascii_isgraph (*at) || strchr ("#\"\\", *at) != NULL)
      return lk_command_fail (error,
                              "'%.*s' has a sign that cannot stand in the value of a partition",
                              LK_COMMAND_SHOWN_MAX_BYTES, pair->given);
  return TRUE;
}

/* Files may name others, on which nothing acts. */
static gboolean
preempt_mode_check (const LkCommandPair *pair, GError **error)
{
  static const char *const modes[] = { "off", "cancel", "requeue", "suspend", "gang", NULL };
  g_autofree char *lower = g_ascii_strdown (pair->value, -1);
  g_auto (GStrv) words = g_strsplit (lower, ",", -1);
  for (char **word = words; *word != NULL; word++)
    if (!g_strv_contains (modes, *word))
      return lk_command_fail (
          error, "PreemptMode is '%.*s'; expected OFF, CANCEL, REQUEUE, SUSPEND or GANG",
          LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
  return TRUE;
}

/* FALSE: it is no key of partitions, or one that says what is not so. */
static gboolean
pair_take (const LkCommandPair *pair, GString *line, guint64 *changes, GError **error)
{
  const char *known[G_N_ELEMENTS (keys) + 1] = { NULL };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    known[i] = keys[i].key;
    if (strcmp (pair->key, keys[i].key) != 0)
      continue;
    if (keys[i].only != NULL && g_ascii_strcasecmp (keys[i].only, pair->value) != 0)
      return lk_command_fail (error, "'%.*s' is not supported; expected %s",
                              LK_COMMAND_SHOWN_MAX_BYTES, pair->given, keys[i].only);
    if (strcmp (pair->key, "preemptmode") == 0 && !preempt_mode_check (pair, error))
      return FALSE;
    *changes |= keys[i].changes;
    /* One that is taken away, and one that the machine alone can judge. */
    if (keys[i].only == NULL && *pair->value != '\0' && strcmp (pair->key, "nodes") != 0)
      g_string_append_printf (line, " %s=%s", pair->key, pair->value);
    return TRUE;
  }
  return lk_command_key_fail (pair, known, error);
}

/* What is wrong, without a place in a file that there is not. */
static gboolean
value_fail (const GError *why, GError **error)
{
  const char *at = strstr (why->message, "PartitionName=");
  return lk_command_fail (error, "%s", at != NULL ? at : why->message);
}

static const LkCommandPair *
pair_of (const LkCommand *command, const char *key)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (strcmp (pair->key, key) == 0)
      return pair;
  }
  return NULL;
}

/* The partition as slurm.conf would describe it with these pairs alone, on some machine.  There it
 * would be the only one, and so the default; here it is that only where it is said. */
static gboolean
spec_text (const LkCommand *command, const char *line, GString *out, GError **error)
{
  const LkCommandPair *nodes = pair_of (command, "nodes");
  const char *is_default = lk_command_value (command, "default");
  g_autoptr (GError) why = NULL;
  g_autofree char *conf =
      g_strdup_printf ("ClusterName=any\nSlurmctldHost=any\nNodeName=any\n%s\n", line);
  g_autoptr (GBytes) bytes = g_bytes_new (conf, strlen (conf));
  LkSlurmImportTexts texts = { .conf = bytes };
  g_autoptr (LkSlurmImport) import = lk_slurm_import_new_from_texts (&texts, &why);
  if (import == NULL)
    return value_fail (why, error);
  const GPtrArray *partitions = lk_slurm_import_cluster (import)->partitions;
  LkPartitionSpec *spec = lk_partition_spec_copy (g_ptr_array_index (partitions, 0));
  g_free (spec->nodes);
  const char *list = nodes == NULL                                   ? ""
                     : g_ascii_strcasecmp (nodes->value, "ALL") == 0 ? "ALL"
                                                                     : nodes->value;
  const char sign[] = { nodes != NULL && nodes->sign != '=' ? nodes->sign : '\0', '\0' };
  spec->nodes = g_strconcat (sign, list, NULL);
  spec->is_default = is_default != NULL && g_ascii_strcasecmp (is_default, "YES") == 0;
  lk_partition_spec_text (spec, out);
  lk_partition_spec_free (spec);
  return TRUE;
}

static gboolean
partition_change (const LkCommand *command, GStringChunk *texts, LkClusterChange *out,
                  GError **error)
{
  const char *name = lk_command_value (command, "partitionname");
  if (name == NULL || *name == '\0')
    return lk_command_fail (error, "PartitionName must be given.");
  if (g_ascii_strcasecmp (name, "DEFAULT") == 0)
    return lk_command_fail (error, "PartitionName cannot be \"DEFAULT\".");
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GString) record = g_string_new (NULL);
  g_string_append_printf (line, "PartitionName=%s", name);
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (!value_check (pair, error))
      return FALSE;
    if (strcmp (pair->key, "partitionname") != 0 && !pair_take (pair, line, &out->changes, error))
      return FALSE;
  }
  if (!spec_text (command, line->str, record, error))
    return FALSE;
  if (command->kind == LK_COMMAND_CREATE_PARTITION) /* one without nodes, and not all of them */
    out->changes |= BIT (nodes);
  out->name = lk_text (g_string_chunk_insert (texts, name));
  out->record = (LkLongText){ g_string_chunk_insert (texts, record->str), (guint32)record->len };
  return TRUE;
}

/* ---------------------------------------------------------------- nodes */

/* Features that are there and those that are active are the same: nobody changes them at boot. */
static gboolean
features_take (const LkCommand *command, LkNodeSpec *spec, GError **error)
{
  const char *all = lk_command_value (command, "availablefeatures");
  const char *active = lk_command_value (command, "activefeatures");
  if (all == NULL)
    all = lk_command_value (command, "features");
  if (active != NULL && g_strcmp0 (all, active) != 0)
    return lk_command_fail (
        error,
        "ActiveFeatures is '%.*s'; expected AvailableFeatures= with the same: no "
        "plugin makes them others",
        LK_COMMAND_SHOWN_MAX_BYTES, active);
  g_auto (GStrv) names = g_strsplit (all != NULL ? all : "", ",", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (*names[i] != '\0')
      lk_node_spec_add_feature (spec, names[i]);
  return TRUE;
}

static gboolean
weight_take (const char *text, LkNodeSpec *spec, GError **error)
{
  guint64 weight;
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32 - 1, &weight, NULL))
    return lk_command_fail (error, "Weight is '%.*s'; expected a whole number",
                            LK_COMMAND_SHOWN_MAX_BYTES, text);
  spec->weight = (guint32)weight;
  return TRUE;
}

static guint64
node_changes (const LkCommand *command)
{
  guint64 changes = 0;
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (strcmp (pair->key, "weight") == 0)
      changes |= NODE_BIT (weight);
    else if (strstr (pair->key, "features") != NULL)
      changes |= NODE_BIT (features);
  }
  return changes;
}

static gboolean
nodes_change (const LkCommand *command, GStringChunk *texts, LkClusterChange *out, GError **error)
{
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  LkNodeSpec *spec = lk_cluster_add_nodes (scratch, "any");
  g_autoptr (GString) record = g_string_new (NULL);
  if (!lk_command_node_check (command, error) || !features_take (command, spec, error)
      || !weight_take (lk_command_value (command, "weight"), spec, error))
    return FALSE;
  lk_node_spec_text (spec, record);
  out->changes = node_changes (command);
  out->name = lk_text (lk_command_value (command, "nodename"));
  out->record = (LkLongText){ g_string_chunk_insert (texts, record->str), (guint32)record->len };
  return TRUE;
}

gboolean
lk_command_cluster_change (const LkCommand *command, GStringChunk *texts,
                           LkClusterChange *out_change, GError **error)
{
  LkClusterChange change = { 0 };
  gboolean is_good = TRUE;
  switch (command->kind) {
  case LK_COMMAND_CREATE_PARTITION:
    change.operation = LK_CLUSTER_CHANGE_PARTITION_ADD;
    is_good = partition_change (command, texts, &change, error);
    break;
  case LK_COMMAND_UPDATE_PARTITION:
    change.operation = LK_CLUSTER_CHANGE_PARTITION;
    is_good = partition_change (command, texts, &change, error);
    break;
  case LK_COMMAND_DELETE_PARTITION:
    change.operation = LK_CLUSTER_CHANGE_PARTITION_DELETE;
    change.name = lk_text (lk_command_value (command, "partitionname"));
    break;
  default:
    change.operation = LK_CLUSTER_CHANGE_NODES;
    is_good = nodes_change (command, texts, &change, error);
    break;
  }
  if (is_good)
    *out_change = change;
  return is_good;
}
