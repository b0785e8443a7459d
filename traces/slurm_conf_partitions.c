/* traces/slurm_conf_partitions.c — PartitionName and NodeSet lines. */
#include <stddef.h>
#include <string.h>

#include "engine/hostlist.h"
#include "traces/slurm_conf_private.h"

/* ---------------------------------------------------------------- nodes of a partition */

/* Which nodes, by index. */
typedef struct {
  guint8 *is_in;
  guint count;
} NodeSet;

static void
node_set_add (NodeSet *self, guint index)
{
  self->count += !self->is_in[index];
  self->is_in[index] = 1;
}

static void
node_set_add_feature (const LkSlurmImport *self, const char *feature, NodeSet *out)
{
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkSlurmNode *node = g_ptr_array_index (self->nodes, i);
    const LkNodeSpec *spec = g_ptr_array_index (self->specs, node->record_index);
    for (guint j = 0; j < spec->features->len; j++)
      if (strcmp (g_ptr_array_index (spec->features, j), feature) == 0)
        node_set_add (out, i);
  }
}

/* Slurm refuses a partition with a name that is no node's. */
static gboolean
node_set_add_names (LkSlurmImport *self, const LkSlurmPair *pair, const char *list, NodeSet *out,
                    GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_slurm_names_expand (self, pair, list, names, error))
    return FALSE;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->indices, name));
    if (index > 0)
      node_set_add (out, index - 1);
    else if (!g_hash_table_contains (self->futures, name) && !self->is_partial) {
      lk_slurm_pair_refuse (pair, error, "there is no NodeName for '%s'", name);
      if (!lk_slurm_import_goes_on (self, error))
        return FALSE;
    }
  }
  return TRUE;
}

/* Each walk over all nodes counts as that many names, so that a file cannot ask for any number. */
static gboolean
walk_pay (LkSlurmImport *self, const LkSlurmPair *pair, GError **error)
{
  if (self->nodes->len > self->names_left)
    return lk_slurm_pair_refuse (pair, error, "the lists of names have more than %u names in all",
                                 LK_SLURM_NAMES_MAX);
  self->names_left -= self->nodes->len;
  return TRUE;
}

/* Nodes= and Feature= of a NodeSet: both together are all of both. */
static gboolean
node_set_resolve (LkSlurmImport *self, const LkSlurmRecord *record, NodeSet *out, GError **error)
{
  const LkSlurmPair *nodes = lk_slurm_record_get (record, "Nodes");
  const LkSlurmPair *feature = lk_slurm_record_get (record, "Feature");
  const LkSlurmPair *head = lk_slurm_record_head (record);
  if (!nodes && !feature)
    return lk_slurm_pair_refuse (head, error, "expected Nodes= or Feature=");
  if (!walk_pay (self, head, error))
    return FALSE;
  if (feature)
    node_set_add_feature (self, feature->value, out);
  if (nodes && g_ascii_strcasecmp (nodes->value, "ALL") == 0)
    for (guint i = 0; i < self->nodes->len; i++)
      node_set_add (out, i);
  else if (nodes)
    return node_set_add_names (self, nodes, nodes->value, out, error);
  return TRUE;
}

/* One word of Nodes= of a partition. */
static gboolean
word_resolve (LkSlurmImport *self, const LkSlurmPair *pair, const char *word, NodeSet *out,
              GError **error)
{
  const LkSlurmRecord *node_set = g_hash_table_lookup (self->node_sets, word);
  gsize length_bytes = strlen (word);
  if (node_set)
    return node_set_resolve (self, node_set, out, error);
  if (g_str_has_prefix (word, "feature{") && word[length_bytes - 1] == '}') {
    g_autofree char *feature = g_strndup (word + 8, length_bytes - 9);
    if (!walk_pay (self, pair, error))
      return FALSE;
    node_set_add_feature (self, feature, out);
    return TRUE;
  }
  return node_set_add_names (self, pair, word, out, error);
}

static void
node_set_text (const LkSlurmImport *self, const NodeSet *set, GString *out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < self->nodes->len; i++)
    if (set->is_in[i])
      g_ptr_array_add (names, ((LkSlurmNode *)g_ptr_array_index (self->nodes, i))->name);
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
}

/* Returns: (transfer full) hostlist, "ALL", or "" for no node; NULL and an error. */
static char *
nodes_resolve (LkSlurmImport *self, const LkSlurmPair *pair, GError **error)
{
  g_auto (GStrv) words = lk_slurm_list_split (pair ? pair->value : "");
  for (guint i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (words[i], "ALL") == 0)
      return g_strdup ("ALL");
  if (!words[0])
    return g_strdup ("");
  if (!walk_pay (self, pair, error))
    return NULL;
  g_autofree guint8 *is_in = g_malloc0 (self->nodes->len);
  NodeSet set = { is_in, 0 };
  for (guint i = 0; words[i]; i++)
    if (!word_resolve (self, pair, words[i], &set, error) && !lk_slurm_import_goes_on (self, error))
      return NULL;
  GString *text = g_string_new (NULL);
  node_set_text (self, &set, text);
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- words */

static gboolean
state_set (const LkSlurmRecord *record, LkPartitionSpec *spec, GError **error)
{
  static const char *const names[] = { "UP", "DOWN", "DRAIN", "INACTIVE" };
  const LkSlurmPair *pair = lk_slurm_record_get (record, "State");
  if (!pair)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_ascii_strcasecmp (pair->value, names[i]) == 0) {
      spec->state = (LkPartitionState)i;
      return TRUE;
    }
  return lk_slurm_pair_fail (pair, error, "UP, DOWN, DRAIN or INACTIVE");
}

/* "YES", "FORCE:2". */
static gboolean
oversubscribe_set (const LkSlurmRecord *record, LkPartitionSpec *spec, GError **error)
{
  static const struct {
    const char *word;
    LkOversubscribe oversubscribe;
    guint32 jobs_min; /* behind a colon; 0: none may be there */
  } words[] = {
    { "NO", LK_OVERSUBSCRIBE_NO, 0 },
    { "EXCLUSIVE", LK_OVERSUBSCRIBE_EXCLUSIVE, 0 },
    { "YES", LK_OVERSUBSCRIBE_YES, 2 },
    { "FORCE", LK_OVERSUBSCRIBE_FORCE, 1 },
  };
  const LkSlurmPair *pair = lk_slurm_record_get (record, "OverSubscribe");
  if (!pair)
    pair = lk_slurm_record_get (record, "Shared");
  if (!pair)
    return TRUE;
  gsize word_bytes = strcspn (pair->value, ":");
  const char *number = pair->value[word_bytes] ? pair->value + word_bytes + 1 : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    guint64 jobs = 4;
    if (strlen (words[i].word) != word_bytes
        || g_ascii_strncasecmp (pair->value, words[i].word, word_bytes) != 0)
      continue;
    if (number
        && (words[i].jobs_min == 0 || !lk_slurm_number_parse (number, strlen (number), &jobs)
            || jobs < words[i].jobs_min || jobs > G_MAXINT16))
      break;
    if (jobs > LK_LIMIT_OVERSUBSCRIBE_JOBS)
      lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "at most %u jobs on a core",
                          LK_LIMIT_OVERSUBSCRIBE_JOBS);
    spec->oversubscribe = words[i].oversubscribe;
    spec->oversubscribe_jobs = (guint32)MIN (jobs, LK_LIMIT_OVERSUBSCRIBE_JOBS);
    return TRUE;
  }
  return lk_slurm_pair_fail (pair, error,
                             "NO, EXCLUSIVE, YES, FORCE, or YES:jobs (from 2) or FORCE:jobs");
}

/* Exclusive= of 26.05, which replaces three other keys. */
static gboolean
exclusive_set (const LkSlurmRecord *record, LkPartitionSpec *spec, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (record, "Exclusive");
  if (!pair || g_ascii_strcasecmp (pair->value, "NO") == 0)
    return TRUE;
  if (g_ascii_strcasecmp (pair->value, "NODE") == 0)
    spec->oversubscribe = LK_OVERSUBSCRIBE_EXCLUSIVE;
  else if (g_ascii_strcasecmp (pair->value, "USER") == 0)
    spec->exclusive_user = TRUE;
  else if (g_ascii_strcasecmp (pair->value, "TOPO") == 0)
    spec->exclusive_topo = TRUE;
  else
    return lk_slurm_pair_fail (pair, error, "NO, NODE, USER or TOPO");
  return TRUE;
}

static gboolean
least_loaded_set (const LkSlurmRecord *record, LkPartitionSpec *spec, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (record, "LLN");
  gboolean is_on = FALSE;
  if (!pair)
    return TRUE;
  if (!lk_slurm_value_switch (pair, &is_on, error))
    return FALSE;
  /* NO does not take CR_LLN back: Slurm looks at both. */
  spec->least_loaded = is_on ? LK_SWITCH_YES : LK_SWITCH_INHERIT;
  return TRUE;
}

static gboolean
priority_set (const LkSlurmRecord *record, LkPartitionSpec *spec, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (record, "Priority");
  guint32 priority = 0;
  if (!pair)
    return TRUE;
  if (!lk_slurm_value_count (pair, 0, G_MAXUINT16, &priority, error))
    return FALSE;
  spec->priority_tier = priority;
  spec->priority_job_factor = priority;
  return TRUE;
}

/* ---------------------------------------------------------------- a partition */

#define MEMBER(key, kind, member)                                                                  \
  {                                                                                                \
    key, LK_SLURM_KIND_##kind, offsetof (LkPartitionSpec, member)                                  \
  }

static const LkSlurmMember members[] = {
  MEMBER ("AllocNodes", ALL_OR_NAMES, alloc_nodes),
  MEMBER ("AllowAccounts", LOWER_NAMES, allow_accounts),
  MEMBER ("AllowGroups", ALL_OR_NAMES, allow_groups),
  MEMBER ("AllowQos", LOWER_NAMES, allow_qos),
  MEMBER ("DefCpuPerGPU", NUMBER, cpus_per_gpu_default),
  MEMBER ("DefMemPerCPU", MEMORY_LIMIT, memory_per_cpu_default_bytes),
  MEMBER ("DefMemPerGPU", MEMORY_LIMIT, memory_per_gpu_default_bytes),
  MEMBER ("DefMemPerNode", MEMORY_LIMIT, memory_per_node_default_bytes),
  MEMBER ("Default", SWITCH, is_default),
  MEMBER ("DefaultTime", TIME, time_default_us),
  MEMBER ("DenyAccounts", LOWER_NAMES, deny_accounts),
  MEMBER ("DenyQos", LOWER_NAMES, deny_qos),
  MEMBER ("ExclusiveTopo", SWITCH, exclusive_topo),
  MEMBER ("ExclusiveUser", SWITCH, exclusive_user),
  MEMBER ("GraceTime", SECONDS, grace_us),
  MEMBER ("Hidden", SWITCH, hidden),
  MEMBER ("MaxCPUsPerNode", LIMIT, cpus_per_node_max),
  MEMBER ("MaxCPUsPerSocket", LIMIT, cpus_per_socket_max),
  MEMBER ("MaxMemPerCPU", MEMORY_LIMIT, memory_per_cpu_max_bytes),
  MEMBER ("MaxMemPerNode", MEMORY_LIMIT, memory_per_node_max_bytes),
  MEMBER ("MaxNodes", LIMIT, nodes_max),
  MEMBER ("MaxTime", TIME, time_max_us),
  MEMBER ("MinNodes", NUMBER, nodes_min),
  MEMBER ("ReqResv", SWITCH, reservation_required),
  MEMBER ("RootOnly", SWITCH, root_only),
  MEMBER ("OverTimeLimit", OVER_TIME, over_time_limit_us),
  MEMBER ("PreemptMode", TEXT, preempt_mode),
  MEMBER ("PriorityJobFactor", NUMBER, priority_job_factor),
  MEMBER ("PriorityTier", NUMBER, priority_tier),
  MEMBER ("QOS", TEXT, qos),
  MEMBER ("TRESBillingWeights", TEXT, tres_billing_weights),
};

/* A default above the longest limit is none to Slurm: jobs get the longest. */
static void
time_settle (const LkSlurmRecord *record, LkPartitionSpec *spec)
{
  if (spec->time_default_us <= spec->time_max_us || spec->time_default_us == LK_TIME_NEVER)
    return;
  spec->time_default_us = LK_TIME_NEVER;
  lk_slurm_pair_note (lk_slurm_record_get (record, "DefaultTime"), LK_SLURM_APPROXIMATED,
                      "above the MaxTime of %s, where it is as if not given, as in Slurm",
                      record->title);
}

/* Allow goes before Deny of the same. */
static void
deny_settle (const LkSlurmRecord *record, const char *key, const char *allowed, char **denied)
{
  if (*allowed == '\0' || **denied == '\0')
    return;
  lk_slurm_pair_note (lk_slurm_record_get (record, key), LK_SLURM_IGNORED,
                      "those allowed are listed too, which goes first");
  g_free (*denied);
  *denied = g_strdup ("");
}

static gboolean
spec_fill (LkSlurmImport *self, const LkSlurmRecord *record, LkPartitionSpec *spec, GError **error)
{
  static gboolean (*const parts[]) (const LkSlurmRecord *, LkPartitionSpec *,
                                    GError **) = { priority_set, state_set, oversubscribe_set,
                                                   exclusive_set, least_loaded_set };
  const LkSlurmPair *over_time = lk_slurm_record_get (&self->global, "OverTimeLimit");
  if (over_time && !lk_slurm_value_over_time (over_time, &spec->over_time_limit_us, error)
      && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  if (!lk_slurm_job_defaults_set (record, &spec->cpus_per_gpu_default,
                                  &spec->memory_per_gpu_default_bytes, error)
      && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  if (!lk_slurm_members_set_all (self, record, members, G_N_ELEMENTS (members), spec, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!parts[i](record, spec, error) && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  lk_slurm_memory_settle (record, &spec->memory_per_node_default_bytes,
                          &spec->memory_per_cpu_default_bytes, &spec->memory_per_gpu_default_bytes);
  time_settle (record, spec);
  deny_settle (record, "DenyAccounts", spec->allow_accounts, &spec->deny_accounts);
  deny_settle (record, "DenyQos", spec->allow_qos, &spec->deny_qos);
  return TRUE;
}

/* Is there a partition of the name already? */
static gboolean
partition_is_new (const LkSlurmImport *self, const LkSlurmRecord *record, GError **error)
{
  for (guint i = 0; i < self->cluster->partitions->len; i++) {
    const LkPartitionSpec *other = g_ptr_array_index (self->cluster->partitions, i);
    if (strcmp (other->name, record->name) == 0)
      return lk_slurm_pair_refuse (lk_slurm_record_head (record), error,
                                   "the partition is described twice");
  }
  return TRUE;
}

static gboolean
partition_read (LkSlurmImport *self, const LkSlurmRecord *record, GError **error)
{
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  LkPartitionSpec *spec = lk_cluster_add_partition (scratch, record->name);
  const LkSlurmPair *head = lk_slurm_record_head (record);
  guint before = lk_slurm_import_fault_count (self);
  if (!spec_fill (self, record, spec, error))
    return FALSE;
  if (record->is_default)
    return TRUE;
  if (!partition_is_new (self, record, error))
    return FALSE;
  char *nodes = nodes_resolve (self, lk_slurm_record_get (record, "Nodes"), error);
  if (!nodes)
    return FALSE;
  g_free (spec->nodes);
  spec->nodes = nodes;
  if (lk_slurm_import_fault_count (self) > before)
    return TRUE;
  if (self->cluster->partitions->len == LK_LIMIT_PARTITIONS)
    return lk_slurm_pair_refuse (head, error, "more than %u partitions", LK_LIMIT_PARTITIONS);
  LkPartitionSpec *copy = lk_partition_spec_copy (spec);
  g_ptr_array_add (self->cluster->partitions, copy);
  LkSlurmOrigin origin = { copy, record, NULL };
  g_array_append_val (self->origins, origin);
  return TRUE;
}

/* ---------------------------------------------------------------- all of them */

/* The line that a partition comes from. */
static const LkSlurmRecord *
partition_record (const LkSlurmImport *self, const LkPartitionSpec *spec)
{
  for (guint i = 0; i < self->origins->len; i++) {
    const LkSlurmOrigin *origin = &g_array_index (self->origins, LkSlurmOrigin, i);
    if (origin->spec == spec)
      return origin->record;
  }
  return NULL;
}

/* One partition is the default one: the last that says so, as in Slurm, else the first. */
static void
default_settle (LkSlurmImport *self)
{
  GPtrArray *partitions = self->cluster->partitions;
  LkPartitionSpec *last = NULL;
  for (guint i = 0; i < partitions->len; i++) {
    LkPartitionSpec *spec = g_ptr_array_index (partitions, i);
    if (!spec->is_default)
      continue;
    if (last) {
      last->is_default = FALSE;
      lk_slurm_pair_note (lk_slurm_record_get (partition_record (self, last), "Default"),
                          LK_SLURM_APPROXIMATED, "'%s' is the default: the last one counts",
                          spec->name);
    }
    last = spec;
  }
  if (last || partitions->len == 0)
    return;
  last = g_ptr_array_index (partitions, 0);
  last->is_default = TRUE;
  lk_slurm_pair_note (lk_slurm_record_head (partition_record (self, last)), LK_SLURM_APPROXIMATED,
                      "made the default partition: none has Default=YES");
}

gboolean
lk_slurm_partitions_read (LkSlurmImport *self, GError **error)
{
  const LkSlurmPair *over_time = lk_slurm_record_get (&self->global, "OverTimeLimit");
  gint64 over_time_us = 0;
  if (over_time && !lk_slurm_value_over_time (over_time, &over_time_us, error)
      && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  for (guint i = 0; i < self->records->len; i++) {
    const LkSlurmRecord *record = g_ptr_array_index (self->records, i);
    if (record->scope == LK_SLURM_SCOPE_PARTITION && !partition_read (self, record, error)
        && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  }
  default_settle (self);
  return TRUE;
}
