/* engine/offer_take.c — which cores and devices of a node a job gets.
 *
 * Cores come from the sockets near to the job's GPUs, if it has some, then from the others; the
 * lowest free ones of a socket first.  In turn, they come one by one from the sockets, lowest
 * first; tasks of several CPUs lie on one socket each, as many as it holds, and what fits on none
 * is dealt out one by one.  In blocks, they come from the tightest socket that holds all, else from
 * the sockets by falling number of free cores.  Where CPUs are handed out, not cores, it is always
 * blocks.
 *
 * GPUs of a node: as many from a socket as its part of the job's cores is (as its tasks are, where
 * tasks have GPUs), then those near to all sockets, then the rest of those sockets, then of others;
 * among equals the best connected to those already picked, then the lowest.  Source: behaviour of
 * Slurm 22.05 (docs/fidelity.md); gres.html. */
#include "engine/assert.h"
#include "engine/offer.h"
#include "engine/offer_near.h"

/* Whether a device is wanted: lower first. */
enum { TIER_QUOTA, TIER_ANYWHERE, TIER_CORES, TIER_FAR, TIER_NEVER };

typedef struct {
  const LkMachine *machine;
  const LkRequest *request;
  const LkNodeKind *kind;
  const LkNodeFree *free;
  LkPiece *piece;
  LkNear near;
  guint32 socket_cores[LK_LIMIT_NODE_SOCKETS]; /* picked, by socket */
} Taker;

static guint32
sum_of (const guint32 *values, guint32 count)
{
  guint32 sum = 0;
  for (guint32 i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

/* ---------------------------------------------------------------- cores */

/* Takes the `count` lowest free cores of a socket, or all of them; returns how many. */
static guint32
take_cores (Taker *self, guint32 socket, guint32 count)
{
  guint32 words = self->machine->nodes.core_words;
  guint32 first = socket * self->kind->cores_per_socket;
  guint32 end = first + self->kind->cores_per_socket;
  guint32 taken = 0;
  for (guint32 core = lk_bits_next (self->free->cores, words, first); core < end && taken < count;
       core = lk_bits_next (self->free->cores, words, core + 1)) {
    if (lk_bits_has (self->piece->cores, core))
      continue;
    lk_bits_add (self->piece->cores, core);
    taken++;
  }
  self->socket_cores[socket] += taken;
  return taken;
}

/* The socket with the most room; of equal ones the first. */
static guint32
roomiest (const guint32 *room, guint32 socket_count)
{
  guint32 best = 0;
  for (guint32 socket = 1; socket < socket_count; socket++)
    if (room[socket] > room[best])
      best = socket;
  return best;
}

static void
take_room (Taker *self, guint32 *room, guint32 socket, guint32 *count, guint32 most)
{
  guint32 wanted = MIN (MIN (room[socket], most), *count);
  guint32 taken = take_cores (self, socket, wanted);
  LK_ASSERT (taken == wanted);
  room[socket] -= taken;
  *count -= taken;
}

static void
deal_in_turn (Taker *self, guint32 *room, guint32 count)
{
  while (count > 0)
    for (guint32 socket = 0; socket < self->kind->sockets; socket++)
      take_room (self, room, socket, &count, 1);
}

static void
deal_in_blocks (Taker *self, guint32 *room, guint32 count)
{
  guint32 tightest = LK_LIMIT_NODE_SOCKETS;
  for (guint32 socket = 0; socket < self->kind->sockets; socket++)
    if (room[socket] >= count
        && (tightest == LK_LIMIT_NODE_SOCKETS || room[socket] < room[tightest]))
      tightest = socket;
  if (tightest != LK_LIMIT_NODE_SOCKETS)
    take_room (self, room, tightest, &count, count);
  while (count > 0)
    take_room (self, room, roomiest (room, self->kind->sockets), &count, count);
}

/* Each task on one socket, as many as it holds. */
static void
deal_tasks (Taker *self, guint32 *room, guint32 count)
{
  guint64 task_cpus = self->request->demand.cpus_per_task;
  guint32 used = lk_cpus_used_per_core (self->request, self->kind);
  for (guint32 socket = 0; socket < self->kind->sockets && count > 0; socket++) {
    guint64 cpus = (guint64)room[socket] * used / task_cpus * task_cpus;
    take_room (self, room, socket, &count, (guint32)((cpus + used - 1) / used));
  }
  deal_in_turn (self, room, count);
}

/* Where the node's GPUs bound its tasks, cores beyond those of all tasks it could run are out of
 * play: of the roomiest sockets, one by one. */
static void
leave_for_tasks (const Taker *self, guint32 *room, guint32 count)
{
  const LkRequest *request = self->request;
  const LkDemand *demand = &request->demand;
  guint64 tasks;
  if (request->gpus_per_task.count > 0)
    tasks = (guint32)__builtin_popcountll (
                lk_matching_devices (self->kind, self->free->devices, demand->gpu_type))
            / request->gpus_per_task.count;
  else if (demand->gpus_total > 0 && request->is_one_task)
    tasks = 1;
  else
    return;
  guint32 used = lk_cpus_used_per_core (request, self->kind);
  guint64 cores = (tasks * demand->cpus_per_task + used - 1) / used;
  guint32 sockets = self->kind->sockets;
  for (guint32 sum = sum_of (room, sockets); sum > MAX (cores, count); sum--)
    room[roomiest (room, sockets)]--;
}

/* Takes up to `count` cores of the sockets of a set; returns how many. */
static guint32
deal (Taker *self, guint32 sockets, guint32 count)
{
  guint32 room[LK_LIMIT_NODE_SOCKETS];
  for (guint32 socket = 0; socket < self->kind->sockets; socket++)
    room[socket] = ((sockets >> socket) & 1) != 0 ? self->near.cores[socket] : 0;
  count = MIN (count, sum_of (room, self->kind->sockets));
  leave_for_tasks (self, room, count);
  if (self->request->cores_block || self->machine->cluster->consume == LK_CONSUME_CPU)
    deal_in_blocks (self, room, count);
  else if (self->request->demand.cpus_per_task > 1 && self->request->tasks_per_socket_max == 0)
    deal_tasks (self, room, count);
  else
    deal_in_turn (self, room, count);
  return count;
}

static void
find_near (Taker *self)
{
  lk_near_cores (&self->near, self->request, self->kind, self->free);
  if (lk_wants_near (self->request))
    lk_near_find (&self->near, self->machine, self->request, self->kind, self->free);
}

static gboolean
pick_cores (Taker *self, guint32 count)
{
  guint32 near = self->near.sockets != 0 ? self->near.sockets : G_MAXUINT32;
  count -= deal (self, near, count);
  if (count > 0 && near != G_MAXUINT32)
    count -= deal (self, ~near, count);
  return count == 0;
}

/* All usable cores of the sockets of which any was picked. */
static void
widen_to_sockets (Taker *self)
{
  for (guint32 socket = 0; socket < self->kind->sockets; socket++)
    if (self->socket_cores[socket] > 0)
      take_cores (self, socket, self->kind->cores_per_socket);
}

static void
count_socket_cores (Taker *self)
{
  guint32 per_socket = self->kind->cores_per_socket;
  for (guint32 socket = 0; socket < self->kind->sockets; socket++)
    self->socket_cores[socket] =
        lk_bits_count_range (self->piece->cores, socket * per_socket, (socket + 1) * per_socket);
}

/* ---------------------------------------------------------------- devices */

static guint
device_tier (const Taker *self, guint32 device, const guint32 *quota)
{
  guint32 sockets = self->kind->device_sockets[device];
  gboolean has_cores = FALSE;
  if (sockets == 0 || self->request->disable_binding)
    return TIER_ANYWHERE;
  for (guint32 rest = sockets; rest != 0; rest &= rest - 1) {
    guint32 socket = (guint32)__builtin_ctz (rest);
    if (quota[socket] > 0)
      return TIER_QUOTA;
    has_cores = has_cores || self->socket_cores[socket] > 0;
  }
  if (has_cores)
    return TIER_CORES;
  gboolean is_bound = self->request->enforce_binding && (sockets & self->near.sockets) == 0;
  return is_bound ? TIER_NEVER : TIER_FAR;
}

static guint
links_to (const Taker *self, guint32 device, guint64 picked)
{
  const LkNodeKind *kind = self->kind;
  guint sum = 0;
  if (kind->links == NULL || device < kind->links_base
      || device >= kind->links_base + kind->links_count)
    return 0;
  for (guint64 rest = picked; rest != 0; rest &= rest - 1) {
    guint32 other = (guint32)__builtin_ctzll (rest);
    if (other >= kind->links_base && other < kind->links_base + kind->links_count)
      sum +=
          kind->links[(device - kind->links_base) * kind->links_count + other - kind->links_base];
  }
  return sum;
}

/* How many of `gpus` devices should come from each socket. */
static void
fill_quota (const Taker *self, guint32 gpus, guint32 *out_quota)
{
  const LkRequest *request = self->request;
  guint32 used = lk_cpus_used_per_core (request, self->kind);
  guint32 cores = sum_of (self->socket_cores, self->kind->sockets);
  for (guint32 socket = 0; socket < self->kind->sockets; socket++) {
    guint32 here = self->socket_cores[socket];
    if (here == 0)
      out_quota[socket] = 0;
    else if (request->gpus_per_task.count > 0)
      out_quota[socket] =
          here * used / request->demand.cpus_per_task * request->gpus_per_task.count;
    else if (request->gpus_per_socket > 0)
      out_quota[socket] = request->gpus_per_socket;
    else if (request->demand.gpus_total > 0)
      out_quota[socket] = gpus;
    else
      out_quota[socket] = MAX (1, here * gpus / cores);
  }
}

/* The device that is wanted most, among those of a set; LK_LIMIT_NODE_DEVICES: none up to that
 * tier. */
static guint32
best_device (const Taker *self, guint64 devices, const guint32 *quota, guint64 picked,
             guint *inout_tier)
{
  guint32 best = LK_LIMIT_NODE_DEVICES;
  guint best_tier = *inout_tier + 1;
  guint best_links = 0;
  for (guint64 rest = devices; rest != 0; rest &= rest - 1) {
    guint32 device = (guint32)__builtin_ctzll (rest);
    guint tier = device_tier (self, device, quota);
    guint links = self->request->gpus_per_task.count > 0 ? 0 : links_to (self, device, picked);
    if (tier < best_tier
        || (tier == best_tier && best != LK_LIMIT_NODE_DEVICES && links > best_links)) {
      best = device;
      best_tier = tier;
      best_links = links;
    }
  }
  *inout_tier = best_tier;
  return best;
}

/* Takes up to `count` devices, up to a tier; returns how many. */
static guint32
take_devices (Taker *self, guint32 type, guint32 count, guint tier_max)
{
  guint32 quota[LK_LIMIT_NODE_SOCKETS] = { 0 };
  guint64 devices = lk_matching_devices (self->kind, self->free->devices, type);
  guint64 before = self->piece->devices;
  guint32 taken = 0;
  fill_quota (self, count, quota);
  for (; taken < count; taken++) {
    guint tier = tier_max;
    guint64 picked = self->piece->devices & ~before;
    guint32 best = best_device (self, devices & ~self->piece->devices, quota, picked, &tier);
    if (best == LK_LIMIT_NODE_DEVICES)
      return taken;
    guint32 sockets = tier == TIER_QUOTA ? self->kind->device_sockets[best] : 0;
    while (sockets != 0 && quota[__builtin_ctz (sockets)] == 0)
      sockets &= sockets - 1;
    if (sockets != 0)
      quota[__builtin_ctz (sockets)]--;
    self->piece->devices |= G_GUINT64_CONSTANT (1) << best;
  }
  return taken;
}

/* The lowest device with room: on sockets of the job's cores, near to all, elsewhere. */
static gboolean
take_shares (Taker *self, const LkGresDemand *demand, guint64 wanted)
{
  static const guint32 no_quota[LK_LIMIT_NODE_SOCKETS] = { 0 };
  guint32 best = LK_LIMIT_NODE_DEVICES;
  guint best_tier = TIER_NEVER;
  for (guint32 device = 0; device < self->kind->device_count; device++) {
    if (self->free->shares[device] < demand->count
        || (wanted != 0 && !lk_bits_has (&wanted, device)))
      continue;
    /* Near to the cores comes first here. */
    guint tier = device_tier (self, device, no_quota);
    tier = tier == TIER_CORES ? TIER_QUOTA : tier;
    if (tier < best_tier) {
      best = device;
      best_tier = tier;
    }
  }
  if (best == LK_LIMIT_NODE_DEVICES)
    return FALSE;
  self->piece->share_device = best;
  self->piece->shares = demand->count;
  return TRUE;
}

static gboolean
take_gres (Taker *self, const LkPick *pick)
{
  const LkRequest *request = self->request;
  gboolean whole_picked = pick->devices != 0 && request->demand.shares_per_node == 0;
  if (whole_picked)
    self->piece->devices = pick->devices & self->free->devices;
  for (guint32 i = 0; i < request->gres_count; i++) {
    const LkGresDemand *demand = &request->gres[i];
    switch (self->machine->nodes.gres[demand->name].kind) {
    case LK_GRES_DEVICE:
      if (!whole_picked
          && take_devices (self, demand->type, demand->count, TIER_FAR) < demand->count)
        return FALSE;
      break;
    case LK_GRES_SHARE:
      if (!take_shares (self, demand, pick->devices))
        return FALSE;
      break;
    default:
      if (!self->kind->no_consume[demand->name])
        self->piece->counts[demand->name] = demand->count;
    }
  }
  guint32 picked = (guint32)__builtin_popcountll (self->piece->devices);
  return !whole_picked || picked == request->demand.gpus_per_node + pick->gpus;
}

static void
take_all_gres (Taker *self)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  self->piece->devices = self->piece->shares == 0 ? self->free->devices : self->piece->devices;
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (nodes->gres[name].kind == LK_GRES_COUNT && !self->kind->no_consume[name])
      self->piece->counts[name] = self->free->counts[name];
}

/* ---------------------------------------------------------------- all of it */

static gint64
taken_memory (const Taker *self)
{
  const LkRequest *request = self->request;
  const LkPiece *piece = self->piece;
  gboolean counts_cpus = self->machine->cluster->consume == LK_CONSUME_CPU && !request->whole_cores;
  guint32 cores = lk_bits_count (piece->cores, self->machine->nodes.core_words);
  if (!self->machine->cluster->memory)
    return 0;
  switch (request->memory) {
  case LK_MEMORY_PER_NODE:
    return request->memory_bytes;
  case LK_MEMORY_PER_CPU:
    return request->memory_bytes
           * (counts_cpus ? piece->cpus : cores * lk_cpus_used_per_core (request, self->kind));
  case LK_MEMORY_PER_GPU:
    return request->memory_bytes * __builtin_popcountll (piece->devices);
  case LK_MEMORY_ALL:
    return self->kind->memory_bytes;
  default:
    return 0;
  }
}

static gboolean
take_all_cores (Taker *self, const LkPick *pick)
{
  LkPiece *piece = self->piece;
  guint32 words = self->machine->nodes.core_words;
  guint32 used = lk_cpus_used_per_core (self->request, self->kind);
  if (self->request->whole_cores) {
    for (guint32 word = 0; word < words; word++)
      piece->cores[word] = self->free->cores[word];
    count_socket_cores (self);
  } else if (!pick_cores (self, (pick->cpus + used - 1) / used)) {
    return FALSE;
  } else if (self->machine->cluster->consume == LK_CONSUME_SOCKET) {
    widen_to_sockets (self);
  }
  piece->cpus = lk_bits_count (piece->cores, words) * self->kind->cpus_per_core;
  if (self->machine->cluster->consume == LK_CONSUME_CPU && !self->request->whole_cores)
    piece->cpus = pick->cpus;
  return TRUE;
}

gboolean
lk_offer_take (const LkMachine *machine, const LkRequest *request, guint32 node,
               const LkNodeFree *free, const LkPick *pick, LkPiece *out_piece)
{
  Taker self = { .machine = machine,
                 .request = request,
                 .kind = lk_node_kind (&machine->nodes, node),
                 .free = free,
                 .piece = out_piece };
  out_piece->node = node;
  out_piece->partition = request->partition;
  out_piece->flags = lk_request_piece_flags (request);
  find_near (&self);
  if (!take_all_cores (&self, pick) || !take_gres (&self, pick))
    return FALSE;
  if (lk_request_has_all_gres (request, machine))
    take_all_gres (&self);
  out_piece->memory_bytes = taken_memory (&self);
  return out_piece->memory_bytes <= (machine->cluster->memory ? free->memory_bytes : G_MAXINT64);
}

guint32
lk_offer_take_gpus (const LkMachine *machine, const LkRequest *request, const LkNodeFree *free,
                    guint32 most, gboolean near, LkPiece *piece)
{
  Taker self = { .machine = machine,
                 .request = request,
                 .kind = lk_node_kind (&machine->nodes, piece->node),
                 .free = free,
                 .piece = piece };
  find_near (&self);
  count_socket_cores (&self);
  guint32 taken =
      take_devices (&self, request->demand.gpu_type, most, near ? TIER_ANYWHERE : TIER_FAR);
  if (machine->cluster->memory && request->memory == LK_MEMORY_PER_GPU)
    piece->memory_bytes += request->memory_bytes * taken;
  return taken;
}
