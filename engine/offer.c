/* engine/offer.c — see the header. Cores and devices are picked in engine/offer_take.c. */
#include "engine/offer.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/offer_near.h"

typedef struct {
  const LkMachine *machine;
  const LkRequest *request;
  const LkNodeKind *kind;
  const LkNodeFree *free;
  gboolean is_bound; /* only cores near to the GPUs */
  LkNear near;
} Maker;

/* ---------------------------------------------------------------- devices */

static guint32
count_devices (const LkNodeKind *kind, guint64 free_devices, guint32 type)
{
  return (guint32)__builtin_popcountll (lk_matching_devices (kind, free_devices, type));
}

/* Is there a device with so many shares free? */
static gboolean
has_shares (const LkNodeKind *kind, const LkNodeFree *free, const LkGresDemand *demand)
{
  if (kind->share_name != demand->name)
    return FALSE;
  for (guint32 device = 0; device < kind->device_count; device++)
    if (free->shares[device] >= demand->count)
      return TRUE;
  return FALSE;
}

static gboolean
has_gres (const LkMachine *machine, const LkRequest *request, const LkNodeKind *kind,
          const LkNodeFree *free)
{
  for (guint32 i = 0; i < request->gres_count; i++) {
    const LkGresDemand *demand = &request->gres[i];
    gboolean has;
    switch (machine->nodes.gres[demand->name].kind) {
    case LK_GRES_DEVICE:
      has = count_devices (kind, free->devices, demand->type) >= demand->count;
      break;
    case LK_GRES_SHARE:
      has = has_shares (kind, free, demand);
      break;
    default:
      has = free->counts[demand->name] >= demand->count
            || (kind->no_consume[demand->name] && kind->counts[demand->name] > 0);
    }
    if (!has)
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- cores and CPUs */

/* CPUs that tasks may use of the free cores, socket by socket. */
static guint32
usable_cpus (const Maker *self)
{
  const LkRequest *request = self->request;
  const LkNodeKind *kind = self->kind;
  const LkPartitionSpec *partition = self->machine->partitions[request->partition].spec;
  guint32 used = lk_cpus_used_per_core (request, kind);
  guint32 socket_max = MIN (partition->cpus_per_socket_max, kind->cores_per_socket * used);
  guint32 sum = 0;
  if (request->tasks_per_socket_max > 0)
    socket_max = MIN (socket_max, request->tasks_per_socket_max * request->demand.cpus_per_task);
  for (guint32 socket = 0; socket < kind->sockets; socket++) {
    guint32 first = socket * kind->cores_per_socket;
    guint32 cores = self->near.cores[socket];
    if (self->is_bound && self->near.sockets != 0 && ((self->near.sockets >> socket) & 1) == 0)
      continue;
    if (self->machine->cluster->consume == LK_CONSUME_SOCKET
        && cores < lk_bits_count_range (kind->cores_usable, first, first + kind->cores_per_socket))
      cores = 0;
    sum += MIN (cores * used, socket_max);
  }
  return MIN (sum, partition->cpus_per_node_max);
}

/* ---------------------------------------------------------------- limits on both */

static guint32
ratio (gint64 bytes, gint64 each_bytes)
{
  gint64 count = bytes / each_bytes;
  return count > G_MAXINT32 ? G_MAXINT32 : (guint32)count;
}

/* Cores that can be asked for when the sockets that they lie on are taken whole, and have no more
 * than `cores_max` together: whichever sockets those are. */
static guint32
cores_in_sockets (const Maker *self, guint32 cores_max)
{
  guint32 taken = 0;
  guint32 count = 0;
  guint32 seen = 0;
  guint32 socket_count = self->kind->sockets;
  for (; count < socket_count; count++) {
    guint32 largest = LK_LIMIT_NODE_SOCKETS;
    for (guint32 socket = 0; socket < socket_count; socket++)
      if (((seen >> socket) & 1) == 0
          && (largest == LK_LIMIT_NODE_SOCKETS
              || self->near.cores[socket] > self->near.cores[largest]))
        largest = socket;
    LK_ASSERT (largest < LK_LIMIT_NODE_SOCKETS);
    if (taken + self->near.cores[largest] > cores_max)
      break;
    seen |= 1u << largest;
    taken += self->near.cores[largest];
  }
  /* Cores that are picked in turn lie on as many sockets as there are cores. */
  return count == socket_count || self->request->cores_block ? taken : count;
}

/* Memory is for all CPUs of the cores taken, used or not, but for those that tasks may not use. */
static gboolean
limit_by_cpu_memory (const Maker *self, gint64 free_bytes, LkOffer *offer)
{
  guint32 used = lk_cpus_used_per_core (self->request, self->kind);
  guint32 cpus = ratio (free_bytes, self->request->memory_bytes);
  if (self->request->whole_cores)
    return cpus >= lk_bits_count (self->kind->cores_usable, self->machine->nodes.core_words) * used;
  if (self->machine->cluster->consume != LK_CONSUME_CPU)
    cpus -= cpus % used;
  if (self->machine->cluster->consume == LK_CONSUME_SOCKET)
    cpus = cores_in_sockets (self, cpus / used) * used;
  offer->cpus = MIN (offer->cpus, cpus);
  return offer->cpus > 0;
}

/* A job that has all GPUs of its nodes needs memory for each of them. */
static gboolean
limit_by_gpu_memory (const Maker *self, gint64 free_bytes, LkOffer *offer)
{
  const LkRequest *request = self->request;
  guint32 gpus = ratio (free_bytes, request->memory_bytes);
  guint32 least = lk_request_has_all_gres (request, self->machine)
                      ? (guint32)__builtin_popcountll (self->free->devices)
                      : request->demand.gpus_per_node;
  offer->gpus = MIN (offer->gpus, gpus);
  return gpus >= least;
}

/* Lowers CPUs and GPUs to what memory allows. FALSE: there is too little for anything. */
static gboolean
limit_by_memory (const Maker *self, LkOffer *offer)
{
  const LkRequest *request = self->request;
  const LkCluster *cluster = self->machine->cluster;
  gint64 free_bytes = cluster->memory ? self->free->memory_bytes : self->kind->memory_bytes;
  switch (request->memory) {
  case LK_MEMORY_PER_NODE:
    return request->memory_bytes <= free_bytes;
  case LK_MEMORY_PER_CPU:
    return limit_by_cpu_memory (self, free_bytes, offer);
  case LK_MEMORY_PER_GPU:
    return limit_by_gpu_memory (self, free_bytes, offer);
  case LK_MEMORY_ALL:
    return !cluster->memory || free_bytes == self->kind->memory_bytes;
  default:
    return TRUE;
  }
}

static void
limit_tasks (const LkRequest *request, LkOffer *offer)
{
  const LkDemand *demand = &request->demand;
  guint32 tasks = offer->cpus / demand->cpus_per_task;
  if (request->tasks_per_node_max > 0)
    tasks = MIN (tasks, request->tasks_per_node_max);
  if (request->gpus_per_task.count > 0)
    tasks = MIN (tasks, offer->gpus / request->gpus_per_task.count);
  if (request->tasks_per_gpu > 0)
    tasks = MIN (tasks, request->tasks_per_gpu * MAX (offer->gpus, demand->gpus_per_node));
  offer->tasks = MIN (tasks, demand->tasks);
}

/* GPUs of all nodes together: no more than CPUs for them, no CPUs beyond those of them and of the
 * tasks. */
static void
limit_by_gpu_cpus (const LkRequest *request, LkOffer *offer)
{
  const LkDemand *demand = &request->demand;
  if (demand->gpus_total == 0 || request->cpus_per_gpu == 0)
    return;
  offer->gpus = MIN (offer->gpus, offer->cpus / request->cpus_per_gpu);
  guint64 gpu_cpus = (guint64)offer->gpus * request->cpus_per_gpu;
  guint64 task_cpus = (guint64)demand->tasks * demand->cpus_per_task;
  offer->cpus = (guint32)MIN (offer->cpus, MAX (gpu_cpus, task_cpus));
}

/* CPUs beyond its tasks are of use to a job only when it asks for more CPUs than its tasks need. */
static void
round_cpus (const LkRequest *request, LkOffer *offer)
{
  const LkDemand *demand = &request->demand;
  if (request->whole_cores)
    return;
  guint64 by_tasks = MAX ((guint64)offer->tasks * demand->cpus_per_task,
                          (guint64)offer->gpus * request->cpus_per_gpu);
  gboolean limited = request->tasks_per_node_max > 0 || request->gpus_per_task.count > 0
                     || request->tasks_per_gpu > 0;
  guint32 cpus = offer->cpus - offer->cpus % demand->cpus_per_task;
  if (limited)
    cpus = (guint32)MIN (cpus, MAX (by_tasks, demand->cpus_per_node_min));
  offer->cpus = cpus;
}

/* ---------------------------------------------------------------- the offer */

static void
describe (const Maker *self, guint32 node, LkOffer *offer)
{
  const LkNodeKind *kind = self->kind;
  const LkRequest *request = self->request;
  offer->node = node;
  offer->weight = kind->weight;
  offer->gpus_near = self->near.gpus;
  offer->cpus_free =
      lk_bits_count (self->free->cores, self->machine->nodes.core_words) * kind->cpus_per_core;
  offer->cpus_total = kind->cpus_usable;
  offer->memory_free_bytes = self->free->memory_bytes;
  offer->memory_total_bytes = kind->memory_bytes;
  offer->is_required = request->required != NULL && lk_bits_has (request->required, node);
  offer->is_idle = self->free->is_idle != FALSE;
  offer->gpu_type = kind->device_count > 0 ? kind->device_type[0] : 0;
  offer->device_count = kind->device_count;
  offer->shares_per_device = MAX (1, kind->shares_per_device);
}

/* GPUs of those for all nodes together that the node could give. */
static guint32
gpus_of_total (const Maker *self)
{
  const LkDemand *demand = &self->request->demand;
  guint32 per_task = self->request->gpus_per_task.count;
  guint32 gpus = self->request->enforce_binding
                     ? self->near.gpus
                     : count_devices (self->kind, self->free->devices, demand->gpu_type);
  gpus = MIN (demand->gpus_total, gpus);
  return per_task > 0 ? gpus - gpus % per_task : gpus;
}

/* Who shares all cores of a node needs room on each of them. */
static gboolean
lacks_core (const Maker *self)
{
  guint32 missing = 0;
  for (guint32 word = 0; word < self->machine->nodes.core_words; word++)
    missing |= (self->kind->cores_usable[word] & ~self->free->cores[word]) != 0;
  return missing != 0;
}

static gboolean
make (Maker *self, guint32 node, LkOffer *out_offer)
{
  const LkRequest *request = self->request;
  const LkDemand *demand = &request->demand;
  if (!self->free->open || (request->whole_nodes && !self->free->is_idle)
      || (request->whole_cores && !request->whole_nodes && lacks_core (self))
      || !has_gres (self->machine, request, self->kind, self->free))
    return FALSE;
  lk_near_cores (&self->near, request, self->kind, self->free);
  if (demand->gpus_per_node + demand->gpus_total > 0)
    lk_near_find (&self->near, self->machine, request, self->kind, self->free);
  if (request->enforce_binding && !self->near.is_enough)
    return FALSE;
  LkOffer offer = { .cpus = usable_cpus (self) };
  if (demand->gpus_total > 0)
    offer.gpus = gpus_of_total (self);
  if (!limit_by_memory (self, &offer))
    return FALSE;
  limit_by_gpu_cpus (request, &offer);
  limit_tasks (request, &offer);
  round_cpus (request, &offer);
  if (offer.cpus < demand->cpus_per_node_min || offer.cpus == 0 || offer.tasks == 0
      || (demand->gpus_total > 0 && offer.gpus == 0))
    return FALSE;
  describe (self, node, &offer);
  *out_offer = offer;
  return TRUE;
}

/* What is near is filled in when it is looked at, and is much. */
static void
init_maker (Maker *self, const LkMachine *machine, const LkRequest *request, guint32 node,
            const LkNodeFree *free)
{
  self->machine = machine;
  self->request = request;
  self->kind = lk_node_kind (&machine->nodes, node);
  self->free = free;
  self->near.sockets = 0;
}

gboolean
lk_offer_make (const LkMachine *machine, const LkRequest *request, guint32 node,
               const LkNodeFree *free, LkOffer *out_offer)
{
  Maker self;
  init_maker (&self, machine, request, node, free);
  self.is_bound = request->enforce_binding && lk_wants_near (request);
  return make (&self, node, out_offer);
}

/* Would the node give more if the job were not bound? */
static gboolean
is_narrow (const Maker *self)
{
  guint32 sockets = self->near.sockets;
  for (guint32 socket = 0; sockets != 0 && socket < self->kind->sockets; socket++)
    if (((sockets >> socket) & 1) == 0 && self->near.cores[socket] > 0)
      return TRUE;
  return FALSE;
}

gboolean
lk_offer_make_bound (const LkMachine *machine, const LkRequest *request, guint32 node,
                     const LkNodeFree *free, LkOffer *out_offer, gboolean *out_is_narrow)
{
  Maker self;
  init_maker (&self, machine, request, node, free);
  self.is_bound = TRUE;
  gboolean is_made = make (&self, node, out_offer);
  *out_is_narrow = is_narrow (&self);
  return is_made;
}
