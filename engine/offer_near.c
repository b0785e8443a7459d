/* engine/offer_near.c — see the header. */
#include "engine/offer_near.h"

#include <string.h>

#include "engine/assert.h"

typedef struct {
  LkNear *near;
  const LkNodeKind *kind;
  guint64 devices[LK_LIMIT_NODE_SOCKETS]; /* free and matching, by socket near to them */
  guint64 anywhere;                       /* near to all */
} Finder;

guint64
lk_matching_devices (const LkNodeKind *kind, guint64 devices, guint32 type)
{
  guint64 matching = 0;
  if (type == 0)
    return devices;
  for (guint64 rest = devices; rest != 0; rest &= rest - 1) {
    guint32 device = (guint32)__builtin_ctzll (rest);
    if (kind->device_type[device] == type)
      matching |= G_GUINT64_CONSTANT (1) << device;
  }
  return matching;
}

void
lk_near_cores (LkNear *self, const LkRequest *request, const LkNodeKind *kind,
               const LkNodeFree *free)
{
  guint32 sockets = 0;
  LK_ASSERT (kind->sockets <= LK_LIMIT_NODE_SOCKETS);
  for (guint32 socket = 0; socket < kind->sockets; socket++) {
    guint32 first = socket * kind->cores_per_socket;
    guint32 cores = lk_bits_count_range (free->cores, first, first + kind->cores_per_socket);
    self->cores[socket] = cores >= request->cores_per_socket_min ? cores : 0;
    sockets += self->cores[socket] > 0;
  }
  if (sockets < request->sockets_per_node_min)
    memset (self->cores, 0, kind->sockets * sizeof self->cores[0]);
  self->sockets = 0;
  self->gpus = 0;
  self->is_enough = TRUE;
}

/* ---------------------------------------------------------------- sockets */

static void
sort_devices (Finder *self, guint64 devices)
{
  self->anywhere = 0;
  for (guint32 socket = 0; socket < self->kind->sockets; socket++)
    self->devices[socket] = 0;
  for (guint64 rest = devices; rest != 0; rest &= rest - 1) {
    guint32 device = (guint32)__builtin_ctzll (rest);
    guint32 sockets = self->kind->device_sockets[device];
    if (sockets == 0)
      self->anywhere |= G_GUINT64_CONSTANT (1) << device;
    for (; sockets != 0; sockets &= sockets - 1)
      self->devices[__builtin_ctz (sockets)] |= G_GUINT64_CONSTANT (1) << device;
  }
}

/* Devices near to the sockets of a set that have free cores, or to all. */
static guint32
count_near (const Finder *self, guint32 sockets)
{
  guint64 near = self->anywhere;
  for (guint32 socket = 0; socket < self->kind->sockets; socket++)
    if (((sockets >> socket) & 1) != 0 && self->near->cores[socket] > 0)
      near |= self->devices[socket];
  return (guint32)__builtin_popcountll (near);
}

/* The socket outside the set with the most devices, or LK_LIMIT_NODE_SOCKETS. */
static guint32
best_socket (const Finder *self, guint32 sockets)
{
  guint32 best = LK_LIMIT_NODE_SOCKETS;
  gint best_count = -1;
  for (guint32 socket = 0; socket < self->kind->sockets; socket++) {
    gint count = __builtin_popcountll (self->devices[socket]);
    if (((sockets >> socket) & 1) == 0 && self->near->cores[socket] > 0 && count > best_count) {
      best = socket;
      best_count = count;
    }
  }
  return best;
}

/* Adds sockets until they have `count` of the devices. FALSE: there are not so many. */
static gboolean
reach_devices (Finder *self, guint32 count)
{
  LkNear *near = self->near;
  while (count_near (self, near->sockets) < count) {
    guint32 socket = best_socket (self, near->sockets);
    if (socket == LK_LIMIT_NODE_SOCKETS)
      return FALSE;
    near->sockets |= 1u << socket;
  }
  return TRUE;
}

/* Adds sockets until they have the CPUs that come with GPUs. */
static void
reach_cpus (Finder *self, const LkRequest *request, guint32 gpus)
{
  LkNear *near = self->near;
  guint32 tasks_cpus = request->tasks_per_gpu * request->demand.cpus_per_task;
  guint64 needed = (guint64)MAX (request->cpus_per_gpu, tasks_cpus) * gpus;
  while (near->sockets != 0 && needed > 0) {
    guint64 cores = 0;
    for (guint32 socket = 0; socket < self->kind->sockets; socket++)
      cores += ((near->sockets >> socket) & 1) != 0 ? near->cores[socket] : 0;
    guint32 socket = best_socket (self, near->sockets);
    if (cores * lk_cpus_used_per_core (request, self->kind) >= needed
        || socket == LK_LIMIT_NODE_SOCKETS)
      return;
    near->sockets |= 1u << socket;
  }
}

/* ---------------------------------------------------------------- all of it */

/* So many on each node; of several types each. */
static void
find_per_node (Finder *self, const LkMachine *machine, const LkRequest *request,
               const LkNodeFree *free)
{
  LkNear *near = self->near;
  for (guint32 i = 0; i < request->gres_count; i++) {
    const LkGresDemand *demand = &request->gres[i];
    if (machine->nodes.gres[demand->name].kind != LK_GRES_DEVICE)
      continue;
    sort_devices (self, lk_matching_devices (self->kind, free->devices, demand->type));
    near->gpus += MIN (demand->count, count_near (self, G_MAXUINT32));
    near->is_enough = reach_devices (self, demand->count) && near->is_enough;
  }
  reach_cpus (self, request, request->demand.gpus_per_node);
}

static void
find_total (Finder *self, const LkRequest *request, const LkNodeFree *free)
{
  const LkDemand *demand = &request->demand;
  sort_devices (self, lk_matching_devices (self->kind, free->devices, demand->gpu_type));
  guint32 gpus = MIN (demand->gpus_total, count_near (self, G_MAXUINT32));
  self->near->gpus += gpus;
  self->near->is_enough = gpus > 0 && self->near->is_enough;
  reach_devices (self, gpus);
  reach_cpus (self, request, gpus);
}

void
lk_near_find (LkNear *self, const LkMachine *machine, const LkRequest *request,
              const LkNodeKind *kind, const LkNodeFree *free)
{
  Finder finder = { .near = self, .kind = kind };
  if (request->demand.gpus_per_node > 0)
    find_per_node (&finder, machine, request, free);
  if (request->demand.gpus_total > 0)
    find_total (&finder, request, free);
  /* Where every socket has its own, any will do. */
  if (request->gpus_per_socket > 0)
    self->sockets = 0;
}
