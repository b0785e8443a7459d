/* tests/property/machine_workload.c — see the header. Nothing here depends on anything but the
 * seed. */
#include "tests/property/machine_workload.h"

#include <string.h>

#include "tests/property/workload.h"

#define GIB (G_GINT64_CONSTANT (1) << 30)

typedef struct {
  guint without;
  gboolean has_gpus;
  gboolean has_shards;
  gboolean has_counts;
  gboolean has_features;
  gboolean has_licenses;
  guint32 plain_percent; /* of jobs that ask for nothing but tasks */
  guint32 gap_max_s;
  guint32 tie_percent;
  guint32 estimate_max_s;
  guint32 early_percent;
  guint32 overrun_percent;
  guint32 unlimited_percent;
  guint32 user_count;
  guint32 change_count;
  guint32 failing_percent; /* of changes that are of nodes */
} Style;

typedef struct {
  LkSeed seed;
  Style style;
  LkMachineWorkload *workload;
  guint32 node_count;
  guint32 cpus_max; /* of one node */
  guint32 cpus_total;
  guint32 gpus_max;
} Draw;

static guint32
below (Draw *self, guint32 limit)
{
  return lk_seed_below (&self->seed, limit);
}

static gboolean
chance (Draw *self, guint32 percent)
{
  return lk_seed_chance (&self->seed, percent);
}

static char *text_of (Draw *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static char *
text_of (Draw *self, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return g_string_chunk_insert (self->workload->texts, text);
}

static Style
draw_style (Draw *self, guint without)
{
  static const guint32 gaps_s[] = { 0, 1, 4, 20 };
  static const guint32 percents[] = { 0, 20, 60, 90 };
  static const guint32 estimates_s[] = { 3, 10, 40, 200 };
  gboolean cpus_only = (without & LK_MACHINE_CPUS_ONLY) != 0;
  Style style = { .without = without };
  style.has_gpus = !cpus_only && chance (self, 60);
  style.has_shards = style.has_gpus && chance (self, 50);
  style.has_counts = !cpus_only && chance (self, 25);
  style.has_features = !cpus_only && chance (self, 40);
  style.has_licenses = !cpus_only && chance (self, 25);
  style.plain_percent = cpus_only ? 100 : percents[below (self, 3)];
  style.gap_max_s = gaps_s[below (self, G_N_ELEMENTS (gaps_s))];
  style.tie_percent = percents[below (self, G_N_ELEMENTS (percents))];
  style.estimate_max_s = estimates_s[below (self, G_N_ELEMENTS (estimates_s))];
  style.early_percent = percents[below (self, G_N_ELEMENTS (percents))];
  style.overrun_percent = chance (self, 30) ? 20 : 0;
  style.unlimited_percent = chance (self, 25) ? 30 : 0;
  style.user_count = 1 + below (self, 3);
  style.change_count = chance (self, 30) ? 0 : below (self, LK_MACHINE_CHANGES_MAX);
  style.failing_percent = chance (self, 40) ? 0 : 60;
  return style;
}

/* ---------------------------------------------------------------- nodes */

static void
draw_gpus (Draw *self, LkNodeSpec *node)
{
  static const char *const types[] = { "", "a100", "v100" };
  guint32 group_count = chance (self, 25) ? 2 : 1;
  guint32 gpu_count = 0;
  for (guint32 group = 0; group < group_count; group++) {
    guint32 count = 1 + below (self, 4);
    const char *type = types[group_count == 2 ? 1 + group : below (self, G_N_ELEMENTS (types))];
    LkGresSpec *gpus = lk_node_spec_add_gres (node, "gpu", type, count);
    if (chance (self, 50)) {
      gpus->device_sockets = g_new0 (guint32, count);
      for (guint32 i = 0; i < count; i++)
        gpus->device_sockets[i] = chance (self, 85) ? 1u << below (self, node->sockets) : 0;
    }
    if (chance (self, 30)) {
      gpus->links = g_new0 (guint16, count * count);
      for (guint32 i = 0; i < count * count; i++)
        gpus->links[i] = (guint16)below (self, 3);
    }
    gpu_count += count;
  }
  if (self->style.has_shards && chance (self, 70))
    lk_node_spec_add_gres (node, "shard", "", gpu_count * (2 + below (self, 3)));
  self->gpus_max = MAX (self->gpus_max, gpu_count);
}

static void
draw_node (Draw *self, guint32 count)
{
  LkCluster *cluster = self->workload->cluster;
  LkNodeSpec *node = lk_cluster_add_nodes (
      cluster, text_of (self, "n[%u-%u]", self->node_count, self->node_count + count - 1));
  node->sockets = 1 + below (self, 2);
  node->cores_per_socket = 1 + below (self, 4);
  node->threads_per_core = 1 + below (self, 2);
  node->cpus = node->sockets * node->cores_per_socket;
  if (chance (self, 60))
    node->cpus *= node->threads_per_core;
  if (chance (self, 10) && node->sockets * node->cores_per_socket > 1)
    node->cores_reserved = 1;
  node->memory_bytes = (1 + below (self, 16)) * GIB;
  if (chance (self, 10))
    node->memory_reserved_bytes = GIB / 2;
  node->weight = 1 + (chance (self, 30) ? below (self, 3) : 0);
  for (const char *feature = "a"; self->style.has_features && *feature <= 'c' && *feature != '\0';
       feature = *feature == 'a'   ? "b"
                 : *feature == 'b' ? "c"
                                   : "")
    if (chance (self, 50))
      lk_node_spec_add_feature (node, feature);
  if (self->style.has_gpus && chance (self, 75))
    draw_gpus (self, node);
  if (self->style.has_counts && chance (self, 75)) {
    LkGresSpec *counts = lk_node_spec_add_gres (node, "nic", "", 1 + below (self, 4));
    counts->no_consume = chance (self, 20);
  }
  if (chance (self, 5))
    node->flags = LK_NODE_DRAIN;
  self->node_count += count;
  self->cpus_max = MAX (self->cpus_max, node->cpus);
  self->cpus_total += count * node->cpus;
}

static void
draw_nodes (Draw *self)
{
  guint32 wanted = 1 + below (self, LK_MACHINE_NODES_MAX);
  if ((self->style.without & LK_MACHINE_CPUS_ONLY) != 0) {
    LkNodeSpec *node = lk_cluster_add_nodes (self->workload->cluster, "n0");
    node->cores_per_socket = node->cpus = self->cpus_max = self->cpus_total = 1 + below (self, 20);
    node->memory_bytes = GIB;
    self->node_count = 1;
    return;
  }
  while (self->node_count < wanted)
    draw_node (self, 1 + below (self, wanted - self->node_count));
}

/* ---------------------------------------------------------------- the rest of the machine */

static char *
draw_range (Draw *self)
{
  guint32 first = below (self, self->node_count);
  return text_of (self, "n[%u-%u]", first, first + below (self, self->node_count - first));
}

static void
draw_sharing (Draw *self, LkPartitionSpec *partition)
{
  guint32 kind = below (self, 10);
  if (kind < 6)
    return;
  partition->oversubscribe = kind == 6   ? LK_OVERSUBSCRIBE_EXCLUSIVE
                             : kind == 7 ? LK_OVERSUBSCRIBE_YES
                             : kind == 8 ? LK_OVERSUBSCRIBE_FORCE
                                         : LK_OVERSUBSCRIBE_NO;
  partition->oversubscribe_jobs = 1 + below (self, 3);
  partition->exclusive_user = kind == 9;
}

static void
draw_partitions (Draw *self)
{
  guint32 count = 1 + below (self, 3);
  for (guint32 i = 0; i < count; i++) {
    LkPartitionSpec *partition =
        lk_cluster_add_partition (self->workload->cluster, text_of (self, "p%u", i));
    partition->is_default = i == 0;
    g_free (partition->nodes);
    partition->nodes = g_strdup (i == 0 ? "ALL" : draw_range (self));
    draw_sharing (self, partition);
    if (chance (self, 10))
      partition->nodes_max = 1 + below (self, self->node_count);
    if (chance (self, 10))
      partition->cpus_per_node_max = 1 + below (self, self->cpus_max);
    if (chance (self, 10))
      partition->cpus_per_socket_max = 1 + below (self, self->cpus_max);
    if (chance (self, 10))
      partition->time_max_us = (1 + below (self, self->style.estimate_max_s)) * G_USEC_PER_SEC;
    if (chance (self, 10))
      partition->memory_per_cpu_default_bytes = (1 + below (self, 3)) * GIB / 2;
    if (chance (self, 10))
      partition->least_loaded = LK_SWITCH_YES;
    if (chance (self, 5))
      partition->state = (LkPartitionState)below (self, 4);
  }
}

static void
draw_topology (Draw *self)
{
  LkCluster *cluster = self->workload->cluster;
  guint32 kind = below (self, 4);
  guint32 leaf_nodes = 1 + below (self, 4);
  guint32 leaf_count = 0;
  if ((self->style.without & LK_MACHINE_NO_TOPOLOGY) != 0 || kind > 1)
    return;
  cluster->topology = kind == 0 ? LK_TOPOLOGY_TREE : LK_TOPOLOGY_BLOCK;
  for (guint32 node = 0; node < self->node_count; node += leaf_nodes, leaf_count++) {
    guint32 last = MIN (node + leaf_nodes, self->node_count) - 1;
    lk_cluster_add_switch (cluster, text_of (self, "s%u", leaf_count),
                           text_of (self, "n[%u-%u]", node, last), "");
  }
  if (kind == 0 && leaf_count > 1 && chance (self, 80))
    lk_cluster_add_switch (cluster, "top", "", text_of (self, "s[0-%u]", leaf_count - 1));
  for (guint32 size = leaf_nodes; kind == 1 && size < leaf_nodes * leaf_count * 2; size *= 2)
    g_array_append_val (cluster->block_sizes, size);
}

static void
draw_habits (Draw *self)
{
  LkCluster *cluster = self->workload->cluster;
  static const LkConsume consumes[] = { LK_CONSUME_CORE, LK_CONSUME_CORE,   LK_CONSUME_CORE,
                                        LK_CONSUME_CPU,  LK_CONSUME_SOCKET, LK_CONSUME_NODE };
  cluster->consume = consumes[below (self, G_N_ELEMENTS (consumes))];
  cluster->memory = chance (self, 70);
  cluster->cores_block = chance (self, 30);
  cluster->pack_nodes = chance (self, 20);
  cluster->least_loaded = chance (self, 20);
  cluster->enforce_limits = chance (self, 50);
  cluster->requeue = chance (self, 80);
  cluster->requeue_delay_us = below (self, 3) * 5 * G_USEC_PER_SEC;
  cluster->switches_wait_max_us = below (self, 30) * G_USEC_PER_SEC;
  if (chance (self, 30))
    cluster->memory_per_cpu_default_bytes = GIB / 4;
  else if (chance (self, 30))
    cluster->memory_per_node_default_bytes = GIB;
  if (chance (self, 15))
    cluster->memory_per_cpu_max_bytes = 2 * GIB;
  if (chance (self, 20))
    cluster->cpus_per_gpu_default = 1 + below (self, 3);
  for (guint32 i = 0; self->style.has_licenses && i < 2; i++)
    lk_cluster_add_license (cluster, text_of (self, "l%u", i), 1 + below (self, 4));
}

static void
draw_cluster (Draw *self)
{
  LkClusterError error;
  self->workload->cluster = lk_cluster_new ("random");
  draw_nodes (self);
  if ((self->style.without & LK_MACHINE_CPUS_ONLY) != 0) {
    self->workload->cluster->memory = FALSE;
  } else {
    draw_partitions (self);
    draw_topology (self);
    draw_habits (self);
  }
  if (!lk_cluster_check (self->workload->cluster, &error))
    g_error ("a random cluster is wrong: %s %s", error.member, error.text);
}

/* ---------------------------------------------------------------- what jobs ask for */

static void
draw_tasks (Draw *self, LkJobRequest *request)
{
  guint32 nodes = 1 + below (self, self->node_count);
  if (chance (self, 50))
    request->tasks = 1 + below (self, chance (self, 70) ? self->cpus_max : self->cpus_total);
  if (chance (self, 25))
    request->cpus_per_task = 1 + below (self, 3);
  if (chance (self, 30)) {
    request->nodes_min = nodes;
    if (chance (self, 60))
      request->nodes_max = nodes + below (self, 2);
  }
  if (chance (self, 15))
    request->tasks_per_node = 1 + below (self, 3);
  if (chance (self, 5))
    request->tasks_per_socket = 1 + below (self, 2);
  if (chance (self, 5))
    request->threads_per_core = 1 + below (self, 2);
  if (chance (self, 5))
    request->cpus_per_node_min = 1 + below (self, self->cpus_max);
  if (chance (self, 5))
    request->sockets_per_node_min = 1 + below (self, 2);
}

static void
draw_memory (Draw *self, LkJobRequest *request)
{
  guint32 kind = below (self, 6);
  if (kind == 0) {
    request->present = LK_REQUEST_HAS_MEMORY_PER_NODE;
    request->memory_per_node_bytes = below (self, 8) * GIB;
  } else if (kind == 1) {
    request->present = LK_REQUEST_HAS_MEMORY_PER_CPU;
    request->memory_per_cpu_bytes = (1 + below (self, 6)) * GIB / 2;
  } else if (kind == 2 && self->gpus_max > 0) {
    request->present = LK_REQUEST_HAS_MEMORY_PER_GPU;
    request->memory_per_gpu_bytes = (1 + below (self, 4)) * GIB;
  } else if (kind == 3) {
    request->present = LK_REQUEST_HAS_MEMORY_PER_NODE;
    request->memory_per_node_bytes = GIB / 2;
  }
}

static void
draw_gres (Draw *self, LkJobRequest *request)
{
  static const char *const types[] = { "", "", "a100:", "v100:" };
  const char *type = types[below (self, G_N_ELEMENTS (types))];
  if (self->gpus_max > 0 && chance (self, 60)) {
    guint32 count = 1 + below (self, self->gpus_max);
    switch (below (self, 6)) {
    case 0:
      request->gpus = lk_text (text_of (self, "%s%u", type, count + below (self, 4)));
      break;
    case 1:
      request->gpus_per_task = lk_text (text_of (self, "%s%u", type, 1 + below (self, 2)));
      break;
    case 2:
      request->gres = lk_text (text_of (self, "gpu:%s%u", type, count));
      request->cpus_per_gpu = below (self, 3);
      break;
    case 3:
      request->gres = lk_text (text_of (self, "gpu:a100:1,gpu:v100:%u", 1 + below (self, 2)));
      break;
    case 4:
      request->gres = lk_text (text_of (self, "shard:%u", 1 + below (self, 4)));
      break;
    default:
      request->gres = lk_text (text_of (self, "gpu:%s%u", type, count));
      request->tasks_per_gpu = below (self, 3);
    }
  } else if (self->style.has_counts && chance (self, 50)) {
    request->gres = lk_text (text_of (self, "nic:%u", 1 + below (self, 3)));
  }
}

static void
draw_where (Draw *self, LkJobRequest *request)
{
  static const char *const constraints[] = { "a",       "a&b",       "a|b",     "[a|b]", "a*2",
                                             "(a|b)&c", "[a*1&b*1]", "[a|b|c]", "a&",    "d" };
  if (self->style.has_features && chance (self, 50))
    request->constraint = lk_text (constraints[below (self, G_N_ELEMENTS (constraints))]);
  if (chance (self, 10))
    request->node_list =
        lk_text (chance (self, 50) ? draw_range (self)
                                   : text_of (self, "n%u", below (self, self->node_count + 1)));
  if (chance (self, 10))
    request->exclude = lk_text (draw_range (self));
  if (chance (self, 40))
    request->partition = lk_text (text_of (self, "p%u", below (self, 3)));
  if (self->style.has_licenses && chance (self, 40))
    request->licenses = lk_text (text_of (self, "l%u:%u", below (self, 2), 1 + below (self, 3)));
  if (self->workload->cluster->topology != LK_TOPOLOGY_FLAT && chance (self, 20)) {
    request->switches = 1 + below (self, 2);
    request->switches_wait_us = below (self, 20) * G_USEC_PER_SEC;
  }
}

static void
draw_request (Draw *self, LkJobRequest *request)
{
  static const guint percents[] = { 8, 5, 15, 5, 4, 8, 8, 20, 20, 5, 8, 5, 5, 3 };
  draw_tasks (self, request);
  draw_memory (self, request);
  draw_gres (self, request);
  draw_where (self, request);
  for (guint bit = 0; bit < G_N_ELEMENTS (percents); bit++)
    if (chance (self, percents[bit]))
      request->flags |= 1u << bit;
  if ((self->style.without & LK_MACHINE_NO_PUZZLES) == 0)
    return;
  request->flags &= ~(guint32)(LK_REQUEST_CONTIGUOUS | LK_REQUEST_ENFORCE_BINDING);
  if (request->constraint.length_bytes > 0
      && memchr (request->constraint.bytes, '*', request->constraint.length_bytes) != NULL)
    request->constraint = lk_text ("");
}

/* ---------------------------------------------------------------- jobs and changes */

static void
draw_job (Draw *self, LkMachineJob *job)
{
  const Style *style = &self->style;
  job->user_id = 1 + below (self, style->user_count);
  job->procs = 1 + below (self, chance (self, 60) ? self->cpus_max : self->cpus_total);
  job->estimate_s = 1 + below (self, style->estimate_max_s);
  job->run_s = job->estimate_s;
  if (chance (self, style->overrun_percent))
    job->run_s += 1 + below (self, 5);
  else if (chance (self, style->early_percent))
    job->run_s = 1 + below (self, (guint32)job->estimate_s);
  if (chance (self, style->unlimited_percent))
    job->estimate_s = 0;
  if ((style->without & LK_MACHINE_NO_LATE_ENDS) == 0 && chance (self, 25))
    job->late_s = below (self, 4);
  if (!chance (self, style->plain_percent))
    draw_request (self, &job->request);
}

static void
draw_jobs (Draw *self)
{
  LkMachineWorkload *workload = self->workload;
  const Style *style = &self->style;
  guint32 limit = chance (self, 30) ? LK_MACHINE_JOBS_MAX : 14;
  gint64 now_s = 0;
  guint32 id = 0;
  workload->job_count = 1 + below (self, limit);
  for (guint i = 0; i < workload->job_count; i++) {
    LkMachineJob *job = &workload->jobs[i];
    if (i > 0 && !chance (self, style->tie_percent))
      now_s += below (self, style->gap_max_s + 1);
    /* Users submit the same again and again. */
    gboolean is_same = i > 0 && chance (self, 25);
    if (is_same)
      *job = workload->jobs[below (self, i)];
    else
      draw_job (self, job);
    id += 1 + (chance (self, 10) ? below (self, 5) : 0);
    job->id = id;
    job->submit_s = now_s;
    if (is_same && chance (self, 50))
      job->user_id = 1 + below (self, style->user_count);
  }
}

static void
draw_changes (Draw *self)
{
  LkMachineWorkload *workload = self->workload;
  const LkMachineJob *last = &workload->jobs[workload->job_count - 1];
  guint32 span_s = (guint32)last->submit_s + 3 * self->style.estimate_max_s + 1;
  if ((self->style.without & LK_MACHINE_NO_CHANGES) != 0)
    return;
  workload->change_count = self->style.change_count;
  for (guint i = 0; i < workload->change_count; i++) {
    LkMachineChange *change = &workload->changes[i];
    gboolean is_of_nodes = chance (self, self->style.failing_percent);
    change->kind = (LkMachineChangeKind)(is_of_nodes ? LK_MACHINE_NODE_UP + below (self, 4)
                                                     : LK_MACHINE_CANCEL + below (self, 5));
    change->at_s = below (self, span_s);
    change->job_id = workload->jobs[below (self, workload->job_count)].id;
    change->flag = chance (self, 30);
    change->estimate_s = 1 + below (self, 2 * self->style.estimate_max_s);
    change->nodes = chance (self, 70) ? text_of (self, "n%u", below (self, self->node_count))
                                      : draw_range (self);
  }
}

LkMachineWorkload *
lk_machine_workload_new (guint64 seed, guint without)
{
  LkMachineWorkload *workload = g_new0 (LkMachineWorkload, 1);
  Draw self = { .seed = { .state = seed }, .workload = workload };
  workload->texts = g_string_chunk_new (1024);
  self.style = draw_style (&self, without);
  draw_cluster (&self);
  draw_jobs (&self);
  draw_changes (&self);
  return workload;
}

void
lk_machine_workload_free (LkMachineWorkload *self)
{
  lk_cluster_free (self->cluster);
  g_string_chunk_free (self->texts);
  g_free (self);
}

/* ---------------------------------------------------------------- what nobody should ask for */

static guint32
garbled_u32 (LkSeed *seed)
{
  static const guint32 corners[] = { 0, 1, 2, 64, 65536, G_MAXINT32, 1u << 31, G_MAXUINT32 };
  return corners[lk_seed_below (seed, G_N_ELEMENTS (corners))];
}

static gint64
garbled_i64 (LkSeed *seed)
{
  static const gint64 corners[] = { 0, 1, -1, GIB, G_MAXINT64, G_MAXINT64 - 1, G_MININT64 };
  return corners[lk_seed_below (seed, G_N_ELEMENTS (corners))];
}

static LkText
garbled_text (LkSeed *seed)
{
  static const char *const texts[] = {
    "",
    ":",
    ",",
    "gpu:4294967295",
    "gpu:a100:1,gpu:v100:4294967295",
    "shard:1g",
    "nic:1,nic:1",
    "l0:4294967295",
    "l0,l0,l1",
    "n[0-7]",
    "n[0-99999]",
    "a|",
    "[a|b]&c",
    "a*1000000",
    "4294967295",
    "v100:3g",
    "p1",
    "Gr\xc3\xbcn",
    "gpu:1,shard:1",
    "[a*1&b*1&c*1]",
  };
  return lk_text (texts[lk_seed_below (seed, G_N_ELEMENTS (texts))]);
}

#define GARBLE_FIELD(type, name, help)                                                             \
  if (at++ == chosen)                                                                              \
    request->name = garbled_##type (seed);

static guint
garble_field (LkSeed *seed, LkJobRequest *request, guint chosen)
{
  guint at = 0;
  LK_JOB_REQUEST_FIELDS (GARBLE_FIELD)
  return at;
}

void
lk_machine_workload_garble (guint64 seed_value, LkMachineWorkload *self)
{
  LkSeed seed = { .state = ~seed_value };
  for (guint i = 0; i < self->job_count; i++) {
    LkMachineJob *job = &self->jobs[i];
    guint field_count = garble_field (&seed, &job->request, G_MAXUINT);
    for (guint32 left = lk_seed_below (&seed, 4); left > 0; left--)
      garble_field (&seed, &job->request, lk_seed_below (&seed, field_count));
    if (lk_seed_chance (&seed, 10))
      job->procs = garbled_u32 (&seed);
  }
}

/* ---------------------------------------------------------------- smaller ones */

void
lk_machine_workload_drop_job (LkMachineWorkload *self, guint index)
{
  self->job_count--;
  for (guint i = index; i < self->job_count; i++)
    self->jobs[i] = self->jobs[i + 1];
}

void
lk_machine_workload_drop_change (LkMachineWorkload *self, guint index)
{
  self->change_count--;
  for (guint i = index; i < self->change_count; i++)
    self->changes[i] = self->changes[i + 1];
}

/* ---------------------------------------------------------------- for people */

#define PRINT_u32(value)                                                                           \
  if ((value) != 0)                                                                                \
  g_string_append_printf (out, " %u", (value))
#define PRINT_i64(value)                                                                           \
  if ((value) != 0)                                                                                \
  g_string_append_printf (out, " %" G_GINT64_FORMAT, (value))
#define PRINT_text(value)                                                                          \
  if ((value).length_bytes > 0)                                                                    \
  g_string_append_printf (out, " '%.*s'", (int)(value).length_bytes, (value).bytes)
#define IS_GIVEN_u32(value) ((value) != 0)
#define IS_GIVEN_i64(value) ((value) != 0)
#define IS_GIVEN_text(value) ((value).length_bytes > 0)
#define PRINT_FIELD(type, name, help)                                                              \
  if (IS_GIVEN_##type (request->name)) {                                                           \
    g_string_append (out, " " #name);                                                              \
    PRINT_##type (request->name);                                                                  \
  }

static void
print_request (const LkJobRequest *request, GString *out)
{
  LK_JOB_REQUEST_FIELDS (PRINT_FIELD)
  g_string_append_c (out, '\n');
}

void
lk_machine_workload_print (const LkMachineWorkload *self, GString *out)
{
  static const char *const kinds[] = { "cancel",  "hold",      "release",    "requeue",    "update",
                                       "node_up", "node_down", "node_drain", "node_resume" };
  lk_cluster_text (self->cluster, out);
  g_string_append (out, "   id user procs  submit     run estimate late  request\n");
  for (guint i = 0; i < self->job_count; i++) {
    const LkMachineJob *job = &self->jobs[i];
    g_string_append_printf (out, " %4u %4u %5u %7ld %7ld %8ld %4ld ", job->id, job->user_id,
                            job->procs, (long)job->submit_s, (long)job->run_s,
                            (long)job->estimate_s, (long)job->late_s);
    print_request (&job->request, out);
  }
  for (guint i = 0; i < self->change_count; i++) {
    const LkMachineChange *change = &self->changes[i];
    g_string_append_printf (out, "  at %ld: %s", (long)change->at_s, kinds[change->kind]);
    if (change->kind >= LK_MACHINE_NODE_UP)
      g_string_append_printf (out, " %s\n", change->nodes);
    else
      g_string_append_printf (out, " %u (flag %d, estimate %ld)\n", change->job_id, change->flag,
                              (long)change->estimate_s);
  }
}
