/* engine/request.c — from what a user wrote to what a job needs of this machine.
 *
 * Defaults and their order are Slurm's: what the job says, else the partition, else the cluster;
 * without any memory default a job gets all memory of its nodes.  A memory per CPU above the limit
 * becomes more CPUs with less memory each.  Sources: sbatch(1); slurm.conf(5) DefMemPer*,
 * MaxMemPer*, DefCpuPerGPU. */
#include <string.h>

#include "engine/assert.h"
#include "engine/hostlist.h"
#include "engine/machine.h"
#include "engine/request_partition.h"
#include "engine/request_text.h"

/* A number with an optional k, m or g, each 1024 times the one before. FALSE: it is none. */
static gboolean
read_count (LkSpan span, guint32 *out_count)
{
  guint64 value = 0;
  gsize i = 0;
  for (; i < span.length_bytes && g_ascii_isdigit (span.at[i]) && value <= G_MAXUINT32; i++)
    value = value * 10 + (guint64)(span.at[i] - '0');
  if (i == 0 || value > G_MAXUINT32)
    return FALSE;
  if (i + 1 == span.length_bytes) {
    static const char suffixes[] = "kmg";
    const char *suffix = strchr (suffixes, g_ascii_tolower (span.at[i]));
    if (suffix == NULL || *suffix == '\0')
      return FALSE;
    value <<= 10 * (1 + (suffix - suffixes));
    i++;
  }
  if (i != span.length_bytes || value > G_MAXUINT32)
    return FALSE;
  *out_count = (guint32)value;
  return TRUE;
}

/* ---------------------------------------------------------------- generic resources */

/* The words behind the name: [type][:count]. */
static LkReject
read_type_and_count (const LkMachine *machine, LkSpan rest, LkGresDemand *out)
{
  LkSpan word;
  out->type = 0;
  out->count = 1;
  if (!lk_next_part (&rest, ':', &word))
    return 0;
  if (!read_count (word, &out->count)) {
    if (word.length_bytes == 0)
      return LK_REJECT_REQUEST_INVALID;
    out->type = lk_node_table_type (&machine->nodes, word.at, word.length_bytes);
    if (out->type == 0)
      return LK_REJECT_NODE_CONFIG;
    if (!lk_next_part (&rest, ':', &word))
      return 0;
    if (!read_count (word, &out->count))
      return LK_REJECT_REQUEST_INVALID;
  }
  return rest.at == NULL ? 0 : LK_REJECT_REQUEST_INVALID;
}

static gboolean
mixes_types (const LkRequest *self, const LkGresDemand *demand)
{
  for (guint32 i = 0; i < self->gres_count; i++)
    if (self->gres[i].name == demand->name
        && (self->gres[i].type == demand->type || self->gres[i].type == 0 || demand->type == 0))
      return TRUE;
  return FALSE;
}

static LkReject
add_gres (LkRequest *self, const LkGresDemand *demand)
{
  if (demand->count == 0)
    return 0;
  if (self->gres_count == LK_REQUEST_GRES_MAX || mixes_types (self, demand))
    return LK_REJECT_REQUEST_INVALID;
  self->gres[self->gres_count++] = *demand;
  return 0;
}

static LkReject
read_gres (LkRequest *self, const LkMachine *machine, LkText text)
{
  LkSpan rest = lk_span_of (text);
  LkSpan part;
  while (lk_next_part (&rest, ',', &part)) {
    LkSpan name;
    LkGresDemand demand;
    if (part.length_bytes > 5 && memcmp (part.at, "gres", 4) == 0
        && (part.at[4] == '/' || part.at[4] == ':'))
      part = (LkSpan){ part.at + 5, part.length_bytes - 5 };
    lk_next_part (&part, ':', &name);
    demand.name = lk_node_table_gres (&machine->nodes, name.at, name.length_bytes);
    if (name.length_bytes == 0)
      return LK_REJECT_REQUEST_INVALID;
    if (demand.name == LK_GRES_NONE)
      return LK_REJECT_GRES_UNKNOWN;
    LkReject reject = read_type_and_count (machine, part, &demand);
    if (reject == 0)
      reject = add_gres (self, &demand);
    if (reject != 0)
      return reject;
  }
  return 0;
}

/* [type:]count of GPUs, one entry. */
static LkReject
read_gpus (const LkMachine *machine, LkText text, LkGresDemand *out)
{
  LkSpan span = lk_span_of (text);
  if (span.at == NULL)
    return 0;
  out->name = lk_node_table_gres (&machine->nodes, "gpu", 3);
  if (out->name == LK_GRES_NONE)
    return LK_REJECT_GRES_UNKNOWN;
  return read_type_and_count (machine, span, out);
}

static guint32
gpus_per_node (const LkRequest *self, const LkMachine *machine)
{
  guint32 count = 0;
  for (guint32 i = 0; i < self->gres_count; i++)
    if (machine->nodes.gres[self->gres[i].name].kind == LK_GRES_DEVICE)
      count += self->gres[i].count;
  return count;
}

/* A type said of GPUs elsewhere holds for those of each node. FALSE: they are of another. */
static gboolean
take_type (LkRequest *self, const LkMachine *machine, const LkGresDemand *said)
{
  for (guint32 i = 0; i < self->gres_count && said->count > 0 && said->type > 0; i++) {
    LkGresDemand *demand = &self->gres[i];
    if (machine->nodes.gres[demand->name].kind != LK_GRES_DEVICE)
      continue;
    if (demand->type > 0 && demand->type != said->type)
      return FALSE;
    demand->type = said->type;
  }
  return TRUE;
}

/* GPUs given for each node are all there are: what else is said of GPUs must agree with them, and
 * is told by the numbers of nodes and tasks. */
static LkReject
settle_gpus (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked)
{
  guint32 per_node = gpus_per_node (self, machine);
  guint32 total = self->gpus_total.count;
  guint32 per_task = self->gpus_per_task.count;
  if (per_node == 0)
    return 0;
  if (!take_type (self, machine, &self->gpus_total)
      || !take_type (self, machine, &self->gpus_per_task))
    return LK_REJECT_REQUEST_INVALID;
  if (total % per_node != 0 || (per_task > 0 && per_node % per_task != 0))
    return LK_REJECT_REQUEST_INVALID;
  if (total > 0
      && (total / per_node < asked->nodes_min
          || (asked->nodes_max > 0 && total / per_node > asked->nodes_max)))
    return LK_REJECT_REQUEST_INVALID;
  self->nodes_by_gpus = total / per_node;
  self->tasks_per_node_max = per_task > 0 ? per_node / per_task : 0;
  self->gpus_total.count = 0;
  self->gpus_per_task.count = 0;
  return 0;
}

/* --gpus-per-socket needs --sockets-per-node: then they are GPUs of each node. */
static LkReject
add_gpus_per_socket (LkRequest *self, LkGresDemand *per_socket, guint32 sockets)
{
  if (per_socket->count == 0)
    return 0;
  if (sockets == 0 || per_socket->count > G_MAXUINT32 / sockets)
    return LK_REJECT_REQUEST_INVALID;
  self->gpus_per_socket = per_socket->count;
  per_socket->count *= sockets;
  return add_gres (self, per_socket);
}

/* Shares are of one GPU, and a job that has some has no GPU as a whole: gres.html, of mps. */
static gboolean
shares_are_alone (const LkRequest *self, const LkMachine *machine)
{
  guint32 share_count = 0;
  for (guint32 i = 0; i < self->gres_count; i++)
    share_count += machine->nodes.gres[self->gres[i].name].kind == LK_GRES_SHARE;
  return share_count == 0
         || (share_count == 1 && self->gpus_total.count == 0 && self->gpus_per_task.count == 0
             && gpus_per_node (self, machine) == 0);
}

static LkReject
read_all_gres (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked)
{
  LkGresDemand per_socket = { 0 };
  LkReject reject = read_gres (self, machine, asked->gres);
  if (reject == 0)
    reject = read_gpus (machine, asked->gpus, &self->gpus_total);
  if (reject == 0)
    reject = read_gpus (machine, asked->gpus_per_task, &self->gpus_per_task);
  if (reject == 0)
    reject = read_gpus (machine, asked->gpus_per_socket, &per_socket);
  if (reject == 0)
    reject = add_gpus_per_socket (self, &per_socket, asked->sockets_per_node_min);
  if (reject == 0 && !shares_are_alone (self, machine))
    reject = LK_REJECT_REQUEST_INVALID;
  return reject != 0 ? reject : settle_gpus (self, machine, asked);
}

/* ---------------------------------------------------------------- licences */

/* One that is named again adds up. FALSE: there are not so many. */
static gboolean
add_license (LkRequest *self, const LkLicenseDemand *demand, guint32 total)
{
  LkLicenseDemand *known = NULL;
  if (demand->count > total)
    return FALSE;
  if (demand->count == 0)
    return TRUE;
  if (self->licenses == NULL)
    self->licenses = g_array_new (FALSE, FALSE, sizeof (LkLicenseDemand));
  for (guint i = 0; i < self->licenses->len && known == NULL; i++)
    if (g_array_index (self->licenses, LkLicenseDemand, i).license == demand->license)
      known = &g_array_index (self->licenses, LkLicenseDemand, i);
  if (known == NULL) {
    g_array_append_val (self->licenses, *demand);
    return TRUE;
  }
  if (known->count > total - demand->count)
    return FALSE;
  known->count += demand->count;
  return TRUE;
}

static LkReject
read_licenses (LkRequest *self, const LkMachine *machine, LkText text)
{
  LkSpan rest = lk_span_of (text);
  LkSpan part;
  while (lk_next_part (&rest, ',', &part)) {
    LkSpan name;
    LkLicenseDemand demand = { .count = 1 };
    lk_next_part (&part, ':', &name);
    for (; demand.license < machine->license_count; demand.license++) {
      const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, demand.license);
      if (strlen (spec->name) == name.length_bytes
          && memcmp (spec->name, name.at, name.length_bytes) == 0)
        break;
    }
    if (demand.license == machine->license_count)
      return LK_REJECT_LICENSE_UNKNOWN;
    if (part.at != NULL && !read_count (part, &demand.count))
      return LK_REJECT_REQUEST_INVALID;
    if (!add_license (self, &demand, machine->licenses_total[demand.license]))
      return LK_REJECT_LICENSE_TOTAL;
  }
  return 0;
}

/* ---------------------------------------------------------------- memory */

static void
default_memory (LkRequest *self, const LkMachine *machine, const LkPartitionSpec *partition,
                guint32 gpus)
{
  const LkCluster *cluster = machine->cluster;
  const struct {
    LkMemoryDemand kind;
    gint64 bytes;
  } defaults[] = {
    { LK_MEMORY_PER_GPU, gpus > 0 ? partition->memory_per_gpu_default_bytes : 0 },
    { LK_MEMORY_PER_CPU, partition->memory_per_cpu_default_bytes },
    { LK_MEMORY_PER_NODE, partition->memory_per_node_default_bytes },
    { LK_MEMORY_PER_GPU, gpus > 0 ? cluster->memory_per_gpu_default_bytes : 0 },
    { LK_MEMORY_PER_CPU, cluster->memory_per_cpu_default_bytes },
    { LK_MEMORY_PER_NODE, cluster->memory_per_node_default_bytes },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (defaults); i++)
    if (defaults[i].bytes > 0) {
      self->memory = defaults[i].kind;
      self->memory_bytes = defaults[i].bytes;
      return;
    }
  self->memory = cluster->memory ? LK_MEMORY_ALL : LK_MEMORY_NONE;
}

static guint32
divide_up (gint64 value, gint64 by)
{
  gint64 quotient = value / by + (value % by != 0);
  return quotient > G_MAXUINT32 ? G_MAXUINT32 : (guint32)quotient;
}

/* Memory of the node that has least of it. */
static gint64
least_memory (const LkMachine *machine, const guint64 *set)
{
  const LkNodeTable *nodes = &machine->nodes;
  gint64 least = G_MAXINT64;
  for (guint32 node = lk_bits_next (set, nodes->node_words, 0); node < nodes->node_count;
       node = lk_bits_next (set, nodes->node_words, node + 1))
    least = MIN (least, lk_node_kind (nodes, node)->memory_bytes);
  return least == G_MAXINT64 ? 0 : least;
}

/* More memory than a CPU may have is paid with CPUs; more than a node may have is refused. */
static void
limit_memory (LkRequest *self, const LkMachine *machine, const LkPartitionSpec *partition,
              gboolean is_asked)
{
  const LkCluster *cluster = machine->cluster;
  gint64 per_cpu = partition->memory_per_cpu_max_bytes > 0 ? partition->memory_per_cpu_max_bytes
                                                           : cluster->memory_per_cpu_max_bytes;
  gint64 per_node = partition->memory_per_node_max_bytes > 0 ? partition->memory_per_node_max_bytes
                                                             : cluster->memory_per_node_max_bytes;
  LkDemand *demand = &self->demand;
  if (self->memory == LK_MEMORY_ALL && is_asked && per_cpu > 0)
    demand->cpus_per_node_min = MAX (
        demand->cpus_per_node_min,
        divide_up (least_memory (machine, machine->partitions[self->partition].nodes), per_cpu));
  if (self->memory == LK_MEMORY_PER_CPU && per_cpu > 0 && self->memory_bytes > per_cpu) {
    guint32 factor = divide_up (self->memory_bytes, per_cpu);
    self->memory_bytes /= factor;
    demand->cpus_per_task = MIN (demand->cpus_per_task, G_MAXUINT32 / factor) * factor;
  }
  if (self->memory == LK_MEMORY_PER_NODE && per_cpu > 0)
    demand->cpus_per_node_min =
        MAX (demand->cpus_per_node_min, divide_up (self->memory_bytes, per_cpu));
  if (self->memory == LK_MEMORY_PER_NODE && per_node > 0 && self->memory_bytes > per_node)
    lk_request_never (self, LK_REASON_MAX_MEM_PER_LIMIT, LK_REJECT_MEMORY_LIMIT);
}

static LkReject
read_memory (LkRequest *self, const LkMachine *machine, const LkPartitionSpec *partition,
             const LkJobRequest *asked)
{
  static const struct {
    guint32 bit;
    LkMemoryDemand kind;
  } given[] = { { LK_REQUEST_HAS_MEMORY_PER_NODE, LK_MEMORY_PER_NODE },
                { LK_REQUEST_HAS_MEMORY_PER_CPU, LK_MEMORY_PER_CPU },
                { LK_REQUEST_HAS_MEMORY_PER_GPU, LK_MEMORY_PER_GPU } };
  const gint64 bytes[] = { asked->memory_per_node_bytes, asked->memory_per_cpu_bytes,
                           asked->memory_per_gpu_bytes };
  guint found = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (given); i++)
    if ((asked->present & given[i].bit) != 0) {
      if (bytes[i] < 0)
        return LK_REJECT_REQUEST_INVALID;
      self->memory = bytes[i] == 0 ? LK_MEMORY_ALL : given[i].kind;
      self->memory_bytes = bytes[i];
      found++;
    }
  if (found > 1 || (asked->present & ~7u) != 0)
    return LK_REJECT_REQUEST_INVALID;
  if (found == 0)
    default_memory (self, machine, partition,
                    self->gpus_total.count + self->gpus_per_task.count
                        + gpus_per_node (self, machine));
  limit_memory (self, machine, partition, /* is_asked= */ found > 0);
  if (self->memory == LK_MEMORY_PER_NODE)
    self->demand.memory_per_node_bytes = self->memory_bytes;
  return 0;
}

/* ---------------------------------------------------------------- tasks, CPUs, nodes */

static LkReject
read_tasks (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked, guint32 procs)
{
  LkDemand *demand = &self->demand;
  guint64 tasks = asked->tasks;
  guint32 nodes_min = MAX (1, asked->nodes_min);
  guint32 gpus = self->gpus_total.count > 0 ? self->gpus_total.count
                                            : gpus_per_node (self, machine) * nodes_min;
  if (tasks == 0 && self->gpus_per_task.count > 0 && self->gpus_total.count > 0)
    tasks = self->gpus_total.count / self->gpus_per_task.count;
  if (tasks == 0 && asked->tasks_per_gpu > 0)
    tasks = (guint64)gpus * asked->tasks_per_gpu;
  if (tasks == 0 && asked->tasks_per_node > 0)
    tasks = (guint64)nodes_min * asked->tasks_per_node;
  /* -c alone is one task of so many CPUs (sbatch(1)). */
  if (tasks == 0)
    tasks =
        asked->nodes_min > 0 ? asked->nodes_min : divide_up (procs, MAX (1, asked->cpus_per_task));
  if (tasks == 0 || tasks > G_MAXINT32 || asked->cpus_per_task > G_MAXINT32)
    return LK_REJECT_REQUEST_INVALID;
  demand->tasks = (guint32)tasks;
  demand->cpus_per_task = MAX (1, asked->cpus_per_task);
  self->is_one_task = asked->tasks == 1;
  if (asked->tasks_per_node > 0)
    self->tasks_per_node_max = asked->tasks_per_node;
  self->tasks_per_socket_max = asked->tasks_per_socket;
  self->tasks_per_gpu = asked->tasks_per_gpu;
  self->cpus_used_per_core = asked->threads_per_core;
  self->sockets_per_node_min = asked->sockets_per_node_min;
  self->cores_per_socket_min = asked->cores_per_socket_min;
  return 0;
}

/* No more nodes than tasks, where these were given, and than GPUs: every node has one at least. */
static guint32
nodes_of_use (const LkRequest *self, const LkJobRequest *asked)
{
  guint32 tasks = self->demand.tasks;
  guint32 gpus = self->gpus_total.count;
  gboolean is_range = asked->nodes_max > asked->nodes_min;
  gboolean tasks_given = asked->tasks > 0 || (asked->nodes_min == 0 && tasks > 1);
  guint32 most = gpus > 0 ? gpus : LK_COUNT_UNLIMITED;
  return tasks_given || (gpus == 0 && !is_range) ? MIN (most, tasks) : most;
}

/* The most nodes that a job asks for; a partition that allows fewer never runs it (0: it does not
 * say).  One that is spread asks for a node for each task, but not for more than there are. */
static guint32
asked_nodes_max (const LkMachine *machine, const LkJobRequest *asked)
{
  gboolean is_spread = (asked->flags & LK_REQUEST_SPREAD_JOB) != 0;
  return is_spread ? MIN (asked->nodes_max, machine->nodes.node_count) : asked->nodes_max;
}

static LkReject
read_nodes (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked)
{
  const LkPartition *partition = &machine->partitions[self->partition];
  LkDemand *demand = &self->demand;
  const LkPartitionSpec *spec = partition->spec;
  demand->nodes_min = MAX (MAX (1, asked->nodes_min), self->nodes_by_gpus);
  demand->nodes_max = asked->nodes_max > 0 ? asked->nodes_max : LK_COUNT_UNLIMITED;
  if (self->nodes_by_gpus > 0)
    demand->nodes_max = self->nodes_by_gpus;
  if (demand->nodes_max < demand->nodes_min)
    return LK_REJECT_REQUEST_INVALID;
  demand->nodes_min = MAX (demand->nodes_min, self->required_count);
  if (demand->nodes_min > spec->nodes_max || demand->nodes_max < spec->nodes_min
      || asked_nodes_max (machine, asked) > spec->nodes_max
      || demand->nodes_min > partition->node_count)
    lk_request_never (self, LK_REASON_PARTITION_NODE_LIMIT, LK_REJECT_PARTITION_NODE_LIMIT);
  demand->nodes_min = MAX (demand->nodes_min, spec->nodes_min);
  guint32 nodes_max = MIN (demand->nodes_max, MAX (spec->nodes_max, demand->nodes_min));
  demand->nodes_max = MAX (demand->nodes_min, MIN (nodes_max, nodes_of_use (self, asked)));
  gboolean as_many =
      asked->nodes_max > asked->nodes_min && (asked->flags & LK_REQUEST_USE_MIN_NODES) == 0;
  demand->nodes_wanted = as_many ? demand->nodes_max : demand->nodes_min;
  if (self->demand.tasks < demand->nodes_min)
    demand->tasks = demand->nodes_min;
  return 0;
}

static guint32
multiply (guint32 a, guint32 b)
{
  guint64 product = (guint64)a * b;
  return product > G_MAXINT32 ? G_MAXINT32 : (guint32)product;
}

/* What is needed in all, and the least of one node, once tasks, nodes and memory are known. */
static void
sum_up (LkRequest *self, const LkMachine *machine, const LkPartitionSpec *partition,
        const LkJobRequest *asked)
{
  LkDemand *demand = &self->demand;
  guint32 per_gpu = asked->cpus_per_gpu > 0               ? asked->cpus_per_gpu
                    : partition->cpus_per_gpu_default > 0 ? partition->cpus_per_gpu_default
                                                          : machine->cluster->cpus_per_gpu_default;
  if (asked->cpus_per_gpu == 0 && asked->cpus_per_task > 0)
    per_gpu = 0; /* an explicit -c goes before a default */
  demand->gpus_per_node = gpus_per_node (self, machine);
  demand->gpus_total = self->gpus_total.count;
  if (self->gpus_per_task.count > 0 && demand->gpus_total == 0)
    demand->gpus_total = multiply (self->gpus_per_task.count, demand->tasks);
  for (guint32 i = 0; i < self->gres_count; i++) {
    LkGresKind kind = machine->nodes.gres[self->gres[i].name].kind;
    if (kind == LK_GRES_SHARE)
      demand->shares_per_node = self->gres[i].count;
    if (kind == LK_GRES_DEVICE)
      demand->gpu_type = self->gres[i].type;
  }
  if (self->gpus_total.count > 0)
    demand->gpu_type = self->gpus_total.type;
  if (self->gpus_per_task.count > 0)
    demand->gpu_type = self->gpus_per_task.type;
  self->cpus_per_gpu = demand->gpus_total + demand->gpus_per_node > 0 ? per_gpu : 0;

  guint32 least = MAX (demand->cpus_per_task, asked->cpus_per_node_min);
  least = MAX (least, demand->cpus_per_node_min);
  least = MAX (least, multiply (asked->tasks_per_node, demand->cpus_per_task));
  least = MAX (least,
               multiply (self->cpus_per_gpu, MAX (demand->gpus_per_node, demand->gpus_total > 0)));
  demand->cpus_per_node_min = least;
  demand->cpus_min =
      MAX (multiply (demand->tasks, demand->cpus_per_task), multiply (demand->nodes_min, least));
  demand->cpus_min = MAX (demand->cpus_min, multiply (self->cpus_per_gpu, demand->gpus_total));
}

/* ---------------------------------------------------------------- flags */

static void
read_flags (LkRequest *self, const LkMachine *machine, const LkPartitionSpec *partition,
            guint32 flags)
{
  const LkCluster *cluster = machine->cluster;
  gboolean shares = partition->oversubscribe == LK_OVERSUBSCRIBE_FORCE
                    || (partition->oversubscribe == LK_OVERSUBSCRIBE_YES
                        && (flags & LK_REQUEST_OVERSUBSCRIBE) != 0);
  self->sharing_jobs =
      shares ? CLAMP (partition->oversubscribe_jobs, 1, LK_LIMIT_OVERSUBSCRIBE_JOBS) : 1;
  self->tier = partition->priority_tier;
  self->shares = self->sharing_jobs > 1 || (shares && machine->takes_turns);
  self->whole_nodes = machine->whole_nodes || partition->oversubscribe == LK_OVERSUBSCRIBE_EXCLUSIVE
                      || cluster->consume == LK_CONSUME_NODE
                      || ((flags & LK_REQUEST_EXCLUSIVE) != 0 && !self->shares);
  self->own_rows = self->shares && machine->takes_turns && !self->whole_nodes;
  self->whole_cores = self->whole_nodes || (flags & LK_REQUEST_EXCLUSIVE) != 0;
  self->whole_user = partition->exclusive_user || (flags & LK_REQUEST_EXCLUSIVE_USER) != 0;
  self->enforce_binding = (flags & LK_REQUEST_ENFORCE_BINDING) != 0;
  self->disable_binding = (flags & LK_REQUEST_DISABLE_BINDING) != 0;
  self->cores_block = (flags & LK_REQUEST_CORES_BLOCK) != 0
                      || (cluster->cores_block && (flags & LK_REQUEST_CORES_CYCLIC) == 0);
  self->no_requeue = !cluster->requeue || (flags & LK_REQUEST_NO_REQUEUE) != 0;
  self->no_kill = (flags & LK_REQUEST_NO_KILL) != 0;

  gboolean least_loaded =
      partition->least_loaded == LK_SWITCH_YES
      || (partition->least_loaded == LK_SWITCH_INHERIT && cluster->least_loaded);
  gboolean pack = cluster->pack_nodes || (flags & LK_REQUEST_PACK) != 0;
  self->demand.flags = ((flags & LK_REQUEST_CONTIGUOUS) != 0 ? LK_DEMAND_CONTIGUOUS : 0)
                       | ((flags & LK_REQUEST_SPREAD_JOB) != 0 ? LK_DEMAND_SPREAD : 0)
                       | (least_loaded ? LK_DEMAND_LEAST_LOADED : 0) | (pack ? LK_DEMAND_PACK : 0)
                       | (self->whole_nodes ? LK_DEMAND_WHOLE_NODES : 0);
}

/* ---------------------------------------------------------------- nodes that could serve it */

static LkReject
read_node_list (const LkMachine *machine, LkText text, guint64 *set, guint32 *out_count)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (text.length_bytes == 0)
    return 0;
  if (!lk_hostlist_expand (text.bytes, text.length_bytes, names, NULL))
    return LK_REJECT_REQUEST_INVALID;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint32 node = lk_node_table_find (&machine->nodes, name, strlen (name));
    if (node == LK_NODE_NONE)
      return LK_REJECT_NODE_UNKNOWN;
    lk_bits_add (set, node);
  }
  *out_count = lk_bits_count (set, machine->nodes.node_words);
  return 0;
}

static gboolean
kind_could_serve (const LkRequest *self, const LkMachine *machine, const LkNodeKind *kind,
                  const LkJobRequest *asked)
{
  if (kind->sockets < asked->sockets_per_node_min
      || kind->cores_per_socket < asked->cores_per_socket_min
      || kind->tmp_bytes < asked->tmp_per_node_bytes
      || kind->memory_bytes < self->demand.memory_per_node_bytes
      || kind->cpus_usable < self->demand.cpus_per_node_min
      || (asked->threads_per_core > 0 && kind->cpus_per_core < asked->threads_per_core
          && kind->cpus_per_core > 1))
    return FALSE;
  for (guint32 i = 0; i < self->gres_count; i++) {
    const LkGresDemand *demand = &self->gres[i];
    guint32 has = kind->counts[demand->name];
    if (machine->nodes.gres[demand->name].kind == LK_GRES_SHARE)
      has = kind->share_name == demand->name ? kind->shares_per_device : 0;
    if (has < demand->count && !(kind->no_consume[demand->name] && has > 0))
      return FALSE;
  }
  return self->demand.gpus_total == 0 || kind->device_count > 0;
}

/* CPUs of a set of nodes, reserved ones too. */
static guint64
cpus_of (const LkMachine *machine, const guint64 *set)
{
  guint64 cpus = 0;
  for (guint32 node = 0; node < machine->nodes.node_count; node++)
    if (lk_bits_has (set, node))
      cpus += lk_node_kind (&machine->nodes, node)->cpus;
  return cpus;
}

/* What is left for a node to give when all others give what the largest has. */
static guint32
floor_of (guint32 total, guint32 nodes_max, guint32 largest)
{
  guint64 others = (guint64)(nodes_max - 1) * largest;
  return others >= total ? 0 : total - (guint32)others;
}

static void
fill_floors (LkRequest *self, const LkMachine *machine)
{
  const LkNodeTable *nodes = &machine->nodes;
  guint32 cpus = 0;
  guint32 gpus = 0;
  for (guint32 node = lk_bits_next (self->eligible, nodes->node_words, 0); node < nodes->node_count;
       node = lk_bits_next (self->eligible, nodes->node_words, node + 1)) {
    cpus = MAX (cpus, lk_node_kind (nodes, node)->cpus_usable);
    gpus = MAX (gpus, lk_node_kind (nodes, node)->device_count);
  }
  self->cpus_node_floor = floor_of (self->demand.cpus_min, self->demand.nodes_max, cpus);
  self->gpus_node_floor = floor_of (self->demand.gpus_total, self->demand.nodes_max, gpus);
}

static LkReject
fill_eligible (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked)
{
  const LkNodeTable *nodes = &machine->nodes;
  g_autofree guint64 *excluded = g_new0 (guint64, nodes->node_words);
  g_autofree gboolean *serves = g_new0 (gboolean, nodes->kind_count);
  guint32 excluded_count = 0;
  LkReject reject = read_node_list (machine, asked->exclude, excluded, &excluded_count);
  if (reject != 0)
    return reject;
  const guint64 *partition = machine->partitions[self->partition].nodes;
  const guint64 *featured = self->constraint.nodes;
  for (guint32 kind = 0; kind < nodes->kind_count; kind++)
    serves[kind] = kind_could_serve (self, machine, &nodes->kinds[kind], asked);
  self->eligible = g_new0 (guint64, nodes->node_words);
  if (self->demand.cpus_min > cpus_of (machine, partition)) {
    /* Slurm counts the CPUs of a partition before the nodes that it allows. */
    if (self->never == LK_REASON_PARTITION_NODE_LIMIT)
      self->never = LK_REASON_NONE;
    lk_request_never (self, LK_REASON_PARTITION_CONFIG, LK_REJECT_TOO_LARGE);
  }
  for (guint32 node = 0; node < nodes->node_count; node++)
    if (serves[nodes->kind_of[node]] && lk_bits_has (partition, node)
        && !lk_bits_has (excluded, node) && (featured == NULL || lk_bits_has (featured, node))
        && (self->allowed == NULL || lk_bits_has (self->allowed, node)))
      lk_bits_add (self->eligible, node);
  for (guint32 i = 0; self->required != NULL && i < nodes->node_words; i++)
    if ((self->required[i] & excluded[i]) != 0)
      return LK_REJECT_NODE_UNKNOWN;
  for (guint32 i = 0; self->required != NULL && i < nodes->node_words; i++)
    if ((self->required[i] & ~self->eligible[i]) != 0)
      lk_request_never (self, LK_REASON_BAD_CONSTRAINTS, LK_REJECT_NODE_CONFIG);
  if (lk_bits_count (self->eligible, nodes->node_words) < self->demand.nodes_min)
    lk_request_never (self, LK_REASON_BAD_CONSTRAINTS, LK_REJECT_NODE_CONFIG);
  fill_floors (self, machine);
  return 0;
}

static LkReject
read_constraint (LkRequest *self, const LkMachine *machine, LkText text)
{
  switch (lk_constraint_init (&self->constraint, &machine->nodes, text.bytes, text.length_bytes)) {
  case LK_CONSTRAINT_SYNTAX:
    return LK_REJECT_REQUEST_INVALID;
  case LK_CONSTRAINT_FEATURE:
    return LK_REJECT_FEATURE_UNKNOWN;
  default:
    return 0;
  }
}

/* ---------------------------------------------------------------- all of it */

static LkReject
read_required (LkRequest *self, const LkMachine *machine, LkText text)
{
  if (text.length_bytes == 0)
    return 0;
  self->required = g_new0 (guint64, machine->nodes.node_words);
  return read_node_list (machine, text, self->required, &self->required_count);
}

/* Of a list of more nodes than the job asks for, Slurm 26.05 gives any, and no other nodes.  In
 * 22.05 srun drops the last nodes of such a list, and the others are all required. */
static void
shorten_required (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked)
{
  guint32 words = machine->nodes.node_words;
  if (asked->nodes_min == 0 || self->required_count <= asked->nodes_min)
    return;
  if (!machine->is_old) {
    self->allowed = g_steal_pointer (&self->required);
    self->required_count = 0;
    return;
  }
  guint32 node = 0;
  for (guint32 kept = 0; kept < MIN (asked->nodes_max, self->required_count); kept++)
    node = lk_bits_next (self->required, words, node) + 1;
  for (; asked->nodes_max > 0 && node < machine->nodes.node_count; node++)
    lk_bits_remove (self->required, node);
  self->required_count = lk_bits_count (self->required, words);
}

LkReject
lk_request_fill (LkRequest *self, const LkMachine *machine, const LkJobRequest *asked,
                 guint32 procs)
{
  LkReject reject = lk_request_find_partitions (self, machine, asked->partition);
  if (reject != 0)
    return reject;
  const LkPartition *partition = &machine->partitions[self->partition];
  self->demand.size = sizeof (LkDemand);
  self->demand.switches_max = asked->switches;
  self->demand.segment_nodes = asked->segment_nodes;
  self->switches_wait_us =
      asked->switches_wait_us > 0
          ? MIN (asked->switches_wait_us, machine->cluster->switches_wait_max_us)
          : machine->cluster->switches_wait_max_us;
  lk_request_check_access (self, partition->spec, asked);
  read_flags (self, machine, partition->spec, asked->flags);
  reject = read_all_gres (self, machine, asked);
  if (reject == 0)
    reject = read_tasks (self, machine, asked, procs);
  if (reject == 0)
    reject = read_memory (self, machine, partition->spec, asked);
  if (reject == 0)
    reject = read_required (self, machine, asked->node_list);
  shorten_required (self, machine, asked);
  if (reject == 0)
    reject = read_nodes (self, machine, asked);
  if (reject == 0)
    reject = read_licenses (self, machine, asked->licenses);
  if (reject == 0)
    reject = read_constraint (self, machine, asked->constraint);
  if (reject != 0)
    return reject;
  sum_up (self, machine, partition->spec, asked);
  return fill_eligible (self, machine, asked);
}

void
lk_request_free (LkRequest *self)
{
  if (self == NULL)
    return;
  if (self->key != NULL)
    g_byte_array_unref (self->key);
  if (self->licenses != NULL)
    g_array_unref (self->licenses);
  if (self->partitions != NULL)
    g_array_unref (self->partitions);
  g_free (self->visits);
  g_free (self->tres);
  g_free (self->tres_requested);
  g_free (self->eligible);
  g_free (self->required);
  g_free (self->allowed);
  lk_constraint_clear (&self->constraint);
  g_free (self);
}
