/* traces/slurm_conf_cluster.c — keys that stand for the whole machine. */
#include <stddef.h>
#include <string.h>

#include "traces/slurm_conf_private.h"
#include "traces/slurm_conf_scheduler.h"

/* ---------------------------------------------------------------- memory of jobs */

/* Drops a default that another one excludes. */
static void
memory_drop (const LkSlurmRecord *record, const char *key, gint64 *bytes, const char *winner)
{
  const LkSlurmPair *pair = lk_slurm_record_get (record, key);
  if (*bytes == 0)
    return;
  *bytes = 0;
  if (pair)
    lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "%s is given too, and they exclude each other",
                        winner);
}

void
lk_slurm_memory_settle (const LkSlurmRecord *record, gint64 *per_node_bytes, gint64 *per_cpu_bytes,
                        gint64 *per_gpu_bytes)
{
  const char *winner = *per_node_bytes > 0 ? "DefMemPerNode" : "DefMemPerCPU";
  if (*per_node_bytes > 0)
    memory_drop (record, "DefMemPerCPU", per_cpu_bytes, winner);
  if (*per_node_bytes > 0 || *per_cpu_bytes > 0)
    memory_drop (record, "DefMemPerGPU", per_gpu_bytes, winner);
}

gboolean
lk_slurm_job_defaults_set (const LkSlurmRecord *record, guint32 *cpus_per_gpu_count,
                           gint64 *memory_per_gpu_bytes, GError **error)
{
  static const char expected[] = "DefCpuPerGPU=count and DefMemPerGPU=MiB, with commas between";
  const LkSlurmPair *pair = lk_slurm_record_get (record, "JobDefaults");
  g_auto (GStrv) words = lk_slurm_list_split (pair ? pair->value : "");
  for (guint i = 0; words[i]; i++) {
    char *number = strchr (words[i], '=');
    guint64 value = 0;
    if (!number || !lk_slurm_number_parse (number + 1, strlen (number + 1), &value)
        || value > G_MAXUINT32)
      return lk_slurm_pair_fail (pair, error, "%s", expected);
    *number = '\0';
    if (g_ascii_strcasecmp (words[i], "DefCpuPerGPU") == 0)
      *cpus_per_gpu_count = (guint32)value;
    else if (g_ascii_strcasecmp (words[i], "DefMemPerGPU") == 0)
      *memory_per_gpu_bytes = (gint64)value * LK_SLURM_BYTES_PER_MIB;
    else
      return lk_slurm_pair_fail (pair, error, "%s", expected);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- select */

static gboolean
select_type_set (LkSlurmImport *self, GError **error)
{
  LkCluster *cluster = self->cluster;
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "SelectType");
  if (!pair) {
    lk_slurm_row_add_missing (self, "SelectType", LK_SLURM_APPROXIMATED,
                              "not given: select/cons_tres, the default since 23.11; before it was "
                              "select/linear (whole nodes)");
    return TRUE;
  }
  const char *name = g_str_has_prefix (pair->value, "select/") ? pair->value + 7 : pair->value;
  if (strcmp (name, "cons_tres") == 0)
    return TRUE;
  if (strcmp (name, "cons_res") == 0) {
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "as its successor select/cons_tres");
    return TRUE;
  }
  cluster->consume = LK_CONSUME_NODE;
  cluster->memory = FALSE;
  if (strcmp (name, "linear") == 0)
    return TRUE;
  if (strcmp (name, "cray_aries") != 0 && strcmp (name, "cray") != 0)
    return lk_slurm_pair_fail (pair, error, "select/cons_tres or select/linear");
  lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED,
                      "as select/linear, unless OTHER_CONS_RES or "
                      "OTHER_CONS_TRES is given");
  return TRUE;
}

typedef enum { WORD_CONSUME, WORD_MEMORY, WORD_OTHER, WORD_FLAG, WORD_NOTHING, WORD_LACKING } Word;

static const struct {
  const char *word;
  Word what;
  LkConsume consume;
  gboolean memory;
  gsize offset; /* of the flag */
  const char *lacking;
} select_words[] = {
  { "CR_CPU", WORD_CONSUME, LK_CONSUME_CPU, FALSE, 0, NULL },
  { "CR_CPU_Memory", WORD_CONSUME, LK_CONSUME_CPU, TRUE, 0, NULL },
  { "CR_Core", WORD_CONSUME, LK_CONSUME_CORE, FALSE, 0, NULL },
  { "CR_Core_Memory", WORD_CONSUME, LK_CONSUME_CORE, TRUE, 0, NULL },
  { "CR_Socket", WORD_CONSUME, LK_CONSUME_SOCKET, FALSE, 0, NULL },
  { "CR_Socket_Memory", WORD_CONSUME, LK_CONSUME_SOCKET, TRUE, 0, NULL },
  { "CR_Memory", WORD_MEMORY, LK_CONSUME_NODE, TRUE, 0, NULL },
  { "OTHER_CONS_RES", WORD_OTHER, LK_CONSUME_CORE, TRUE, 0, NULL },
  { "OTHER_CONS_TRES", WORD_OTHER, LK_CONSUME_CORE, TRUE, 0, NULL },
  { "CR_CORE_DEFAULT_DIST_BLOCK", WORD_FLAG, 0, 0, offsetof (LkCluster, cores_block), NULL },
  { "CR_LLN", WORD_FLAG, 0, 0, offsetof (LkCluster, least_loaded), NULL },
  { "CR_Pack_Nodes", WORD_FLAG, 0, 0, offsetof (LkCluster, pack_nodes), NULL },
  { "CR_ALLOCATE_FULL_SOCKET", WORD_NOTHING, 0, 0, 0, NULL },
  { "CR_ONE_TASK_PER_CORE", WORD_LACKING, 0, 0, 0, "a task takes a CPU, which may be a thread" },
  { "CR_NO_DIST_TOPO_BLOCK", WORD_LACKING, 0, 0, 0, "it is about tasks, which are not laid out" },
  { "LL_SHARED_GRES", WORD_LACKING, 0, 0, 0, "shares go to the first device with room" },
  { "MULTIPLE_SHARING_GRES_PJ", WORD_LACKING, 0, 0, 0,
    "a job's shares on a node are of one device" },
  { "ENFORCE_BINDING_GRES", WORD_LACKING, 0, 0, 0,
    "sockets near a device are preferred, not forced" },
  { "ONE_TASK_PER_SHARING_GRES", WORD_LACKING, 0, 0, 0,
    "it is about tasks, which are not laid out" },
};

/* Which entry of the table a word is. */
static gboolean
select_word_find (const LkSlurmPair *pair, const char *word, guint *out_index, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (select_words); i++)
    if (g_ascii_strcasecmp (word, select_words[i].word) == 0) {
      *out_index = i;
      return TRUE;
    }
  return lk_slurm_pair_fail (pair, error, "words such as CR_Core_Memory or CR_LLN; '%s' is none",
                             word);
}

/* Acts on one word. */
static gboolean
select_word_apply (LkSlurmImport *self, const LkSlurmPair *pair, guint index, gboolean *is_settled,
                   GError **error)
{
  LkCluster *cluster = self->cluster;
  switch (select_words[index].what) {
  case WORD_CONSUME:
    if (*is_settled)
      return lk_slurm_pair_fail (pair, error,
                                 "only one of CR_CPU, CR_Core, CR_Socket and CR_Memory");
    *is_settled = TRUE;
    if (cluster->consume != LK_CONSUME_NODE) {
      cluster->consume = select_words[index].consume;
      cluster->memory = select_words[index].memory;
    } else {
      lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "%s: SelectType hands out whole nodes",
                          select_words[index].word);
    }
    break;
  case WORD_MEMORY:
    cluster->memory = TRUE;
    break;
  case WORD_OTHER:
    cluster->consume = LK_CONSUME_CORE;
    cluster->memory = TRUE;
    break;
  case WORD_FLAG:
    *(gboolean *)((char *)cluster + select_words[index].offset) = TRUE;
    break;
  case WORD_NOTHING:
    break;
  case WORD_LACKING:
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "%s is left out: %s", select_words[index].word,
                        select_words[index].lacking);
    break;
  }
  return TRUE;
}

static gboolean
select_parameters_set (LkSlurmImport *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "SelectTypeParameters");
  g_auto (GStrv) words = lk_slurm_list_split (pair ? pair->value : "");
  gboolean is_settled = FALSE;
  for (guint i = 0; words[i]; i++) {
    guint index = 0;
    if (g_ascii_strcasecmp (words[i], "NONE") == 0)
      continue;
    if (!select_word_find (pair, words[i], &index, error)
        || !select_word_apply (self, pair, index, &is_settled, error))
      return FALSE;
  }
  if (!is_settled && self->cluster->consume != LK_CONSUME_NODE)
    lk_slurm_row_add_missing (self, "SelectTypeParameters", LK_SLURM_APPROXIMATED,
                              "says not what is handed out: CR_Core_Memory, the default since "
                              "24.05; before it had to be given");
  return TRUE;
}

/* ---------------------------------------------------------------- other keys */

static gboolean
enforce_set (LkSlurmImport *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "EnforcePartLimits");
  if (!pair)
    return TRUE;
  gboolean is_all = g_ascii_strcasecmp (pair->value, "ALL") == 0;
  gboolean is_any = g_ascii_strcasecmp (pair->value, "ANY") == 0;
  if (is_any)
    lk_slurm_pair_note (pair, LK_SLURM_UNDERSTOOD,
                        "refuse at submit what can never run; the same "
                        "as ALL for a job of one partition");
  if (is_all || is_any)
    self->cluster->enforce_limits = TRUE;
  else if (!lk_slurm_value_switch (pair, &self->cluster->enforce_limits, NULL))
    return lk_slurm_pair_fail (pair, error, "ALL, ANY, YES or NO");
  return TRUE;
}

/* A licence of the name, which may have been given before. */
static void
license_add (LkCluster *cluster, const char *name, guint32 count)
{
  for (guint i = 0; i < cluster->licenses->len; i++) {
    LkLicenseSpec *spec = g_ptr_array_index (cluster->licenses, i);
    if (strcmp (spec->name, name) == 0) {
      spec->count = spec->count > G_MAXUINT32 - count ? G_MAXUINT32 : spec->count + count;
      return;
    }
  }
  lk_cluster_add_license (cluster, name, count);
}

static gboolean
licenses_set (LkSlurmImport *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "Licenses");
  if (!pair)
    return TRUE;
  g_autofree char *list = g_strdelimit (g_strdup (pair->value), ";", ',');
  g_auto (GStrv) words = lk_slurm_list_split (list);
  for (guint i = 0; words[i]; i++) {
    char *mark = strpbrk (words[i], ":=*");
    guint64 count = 1;
    gboolean is_right =
        !mark
        || (lk_slurm_number_parse (mark + 1, strlen (mark + 1), &count) && count < G_MAXINT32);
    if (!is_right || mark == words[i] || self->cluster->licenses->len > G_MAXUINT16)
      return lk_slurm_pair_fail (pair, error, "name:count, with commas between; '%s' is not",
                                 words[i]);
    if (mark)
      *mark = '\0';
    if (count > 0)
      license_add (self->cluster, words[i], (guint32)count);
  }
  return TRUE;
}

/* One option of SchedulerParameters that is about the machine. */
static gboolean
scheduler_option_set (const LkSlurmPair *pair, const char *option, const char *name,
                      gint64 *member_us, GError **error)
{
  gsize length_bytes = strlen (name);
  guint64 seconds = 0;
  if (g_ascii_strncasecmp (option, name, length_bytes) != 0 || option[length_bytes] != '=')
    return TRUE;
  const char *number = option + length_bytes + 1;
  if (!lk_slurm_number_parse (number, strlen (number), &seconds) || seconds > G_MAXUINT32)
    return lk_slurm_pair_refuse (pair, error, "%s is '%s'; expected seconds", name, number);
  *member_us = (gint64)seconds * LK_SLURM_US_PER_S;
  return TRUE;
}

static gboolean
scheduler_parameters_set (LkSlurmImport *self, GError **error)
{
  LkCluster *cluster = self->cluster;
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "SchedulerParameters");
  g_auto (GStrv) words = lk_slurm_list_split (pair ? pair->value : "");
  if (pair)
    lk_slurm_scheduler_words_note (pair);
  for (guint i = 0; words[i]; i++) {
    if (g_ascii_strcasecmp (words[i], "nohold_on_prolog_fail") == 0)
      cluster->hold_prolog_failure = FALSE;
    if (!scheduler_option_set (pair, words[i], "max_switch_wait", &cluster->switches_wait_max_us,
                               error)
        || !scheduler_option_set (pair, words[i], "requeue_delay", &cluster->requeue_delay_us,
                                  error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
reservations_set (LkSlurmImport *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "ResvOverRun");
  return !pair || lk_slurm_value_over_time (pair, &self->cluster->reservation_over_run_us, error);
}

static void
dependency_parameters_set (LkSlurmImport *self)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "DependencyParameters");
  g_auto (GStrv) words = lk_slurm_list_split (pair ? pair->value : "");
  for (guint i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (words[i], "kill_invalid_depend") == 0)
      self->cluster->kill_invalid_depend = TRUE;
}

static void
name_set (LkSlurmImport *self)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->global, "ClusterName");
  if (!pair) {
    lk_slurm_row_add_missing (self, "ClusterName", LK_SLURM_APPROXIMATED,
                              "not given: the machine is called 'cluster'");
    return;
  }
  g_free (self->cluster->name);
  self->cluster->name = g_ascii_strdown (pair->value, -1);
}

/* Keys that act and stand twice. */
static void
repeats_note (const LkSlurmImport *self)
{
  const GPtrArray *pairs = self->global.pairs;
  g_autoptr (GHashTable) later = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = pairs->len; i > 0; i--) {
    const LkSlurmPair *pair = g_ptr_array_index (pairs, i - 1);
    char *name = g_ascii_strdown (pair->key, -1);
    const LkSlurmPair *last = g_hash_table_lookup (later, name);
    const LkSlurmRow *row = pair->row;
    if (last && row->verdict != LK_SLURM_IGNORED && strcmp (row->key, "Include") != 0)
      lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "given again in %s:%u; the last counts",
                          last->place.file, last->place.line_number);
    if (last)
      g_free (name);
    else
      g_hash_table_insert (later, name, (gpointer)pair);
  }
}

gboolean
lk_slurm_globals_apply (LkSlurmImport *self, GError **error)
{
  static const LkSlurmMember members[] = {
    { "DefCpuPerGPU", LK_SLURM_KIND_NUMBER, offsetof (LkCluster, cpus_per_gpu_default) },
    { "DefMemPerCPU", LK_SLURM_KIND_MEMORY_LIMIT,
      offsetof (LkCluster, memory_per_cpu_default_bytes) },
    { "DefMemPerNode", LK_SLURM_KIND_MEMORY_LIMIT,
      offsetof (LkCluster, memory_per_node_default_bytes) },
    { "DefMemPerGPU", LK_SLURM_KIND_MEMORY_LIMIT,
      offsetof (LkCluster, memory_per_gpu_default_bytes) },
    { "MaxMemPerCPU", LK_SLURM_KIND_MEMORY_LIMIT, offsetof (LkCluster, memory_per_cpu_max_bytes) },
    { "MaxMemPerNode", LK_SLURM_KIND_MEMORY_LIMIT,
      offsetof (LkCluster, memory_per_node_max_bytes) },
    { "JobRequeue", LK_SLURM_KIND_SWITCH, offsetof (LkCluster, requeue) },
    { "RequeueExit", LK_SLURM_KIND_TEXT, offsetof (LkCluster, requeue_exit) },
    { "RequeueExitHold", LK_SLURM_KIND_TEXT, offsetof (LkCluster, requeue_exit_hold) },
    { "MaxBatchRequeue", LK_SLURM_KIND_NUMBER, offsetof (LkCluster, max_batch_requeue) },
    { "KillWait", LK_SLURM_KIND_SECONDS, offsetof (LkCluster, kill_wait_us) },
    { "MaxArraySize", LK_SLURM_KIND_NUMBER, offsetof (LkCluster, array_size_max) },
    { "MinJobAge", LK_SLURM_KIND_SECONDS, offsetof (LkCluster, job_age_min_us) },
  };
  LkCluster *cluster = self->cluster;
  repeats_note (self);
  name_set (self);
  if (!lk_slurm_job_defaults_set (&self->global, &cluster->cpus_per_gpu_default,
                                  &cluster->memory_per_gpu_default_bytes, error)
      && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    if (!lk_slurm_members_set (&self->global, &members[i], 1, cluster, error)
        && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  lk_slurm_memory_settle (&self->global, &cluster->memory_per_node_default_bytes,
                          &cluster->memory_per_cpu_default_bytes,
                          &cluster->memory_per_gpu_default_bytes);
  dependency_parameters_set (self);
  static gboolean (*const parts[]) (LkSlurmImport *, GError **) = {
    select_type_set, select_parameters_set,    enforce_set,
    licenses_set,    scheduler_parameters_set, reservations_set,
  };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!parts[i](self, error) && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  return TRUE;
}
