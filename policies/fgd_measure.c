/* policies/fgd_measure.c — see fgd_measure.h.
 *
 * Everything is counted in shares.  All numbers are whole, so doubles hold them and their sums
 * without rounding up to 2^53; only the last step divides.
 *
 * A placement changes one device, or turns whole free devices into used ones.  What becomes of the
 * classes then is known from a few sums, which are the same for all devices of a node: popularities
 * of the classes that the CPUs left still allow, in the order of what they want of a GPU, and the
 * growth by all others. */
#include "policies/fgd_measure.h"

#include "engine/assert.h"

/* ---------------------------------------------------------------- workload */

/* Puts a class in its place behind all that want no more. */
static void
insert_class (LkFgdClass *classes, uint32_t *count, const LkFgdClass *class)
{
  uint32_t at = (*count)++;
  for (; at > 0 && (classes[at - 1].shares > class->shares || classes[at - 1].gpus > class->gpus);
       at--)
    classes[at] = classes[at - 1];
  classes[at] = *class;
}

void
lk_fgd_workload_set (LkFgdWorkload *self, const LkFgdClass *classes, uint32_t class_count)
{
  LK_ASSERT (class_count <= LK_FGD_CLASS_MAX);
  self->shared_count = self->whole_count = 0;
  self->other_sum = self->sum = 0.0;
  for (uint32_t m = 0; m < class_count; m++) {
    self->sum += (double)classes[m].count;
    if (classes[m].shares > 0)
      insert_class (self->shared, &self->shared_count, &classes[m]);
    else if (classes[m].gpus > 0)
      insert_class (self->whole, &self->whole_count, &classes[m]);
    else
      self->other_sum += (double)classes[m].count;
  }
}

/* ---------------------------------------------------------------- a node */

/* A node in as few numbers as a class needs to see; shares. */
typedef struct {
  uint32_t per_device;
  uint32_t full;  /* devices that are free as a whole */
  uint64_t total; /* free */
} State;

static State
state_of (const LkFgdNode *node)
{
  LK_ASSERT (node->device_count <= LK_FGD_DEVICE_MAX);
  State state = { .per_device = MAX (node->shares_per_device, 1) };
  for (uint32_t g = 0; g < node->device_count; g++) {
    state.total += node->device_shares_free[g];
    state.full += node->device_shares_free[g] >= state.per_device;
  }
  return state;
}

/* On devices that are not free as a whole. */
static double
partly_free (const State *state)
{
  return (double)(state->total - (uint64_t)state->full * state->per_device);
}

static gboolean
may_run (const LkFgdClass *class, const LkFgdNode *node, uint32_t cpus)
{
  return class->cpus <= cpus && (class->gpu_type == 0 || class->gpu_type == node->gpu_type);
}

/* A sum over all classes, weighted by popularity, as a mean in GPUs. */
static double
in_gpus (double weighted, const LkFgdWorkload *workload, const State *state)
{
  return workload->sum == 0.0 ? 0.0 : weighted / (workload->sum * (double)state->per_device);
}

/* Free on devices that have less than this: all that is free, when no device has so much. */
static double
free_below (const LkFgdNode *node, uint32_t shares)
{
  uint64_t sum = 0;
  for (uint32_t g = 0; g < node->device_count; g++)
    sum += node->device_shares_free[g] < shares ? node->device_shares_free[g] : 0;
  return (double)sum;
}

double
lk_fgd_fragment (const LkFgdWorkload *workload, const LkFgdNode *node)
{
  State state = state_of (node);
  double total = (double)state.total;
  double sum = workload->other_sum * total;
  for (uint32_t m = 0; m < workload->shared_count; m++) {
    const LkFgdClass *class = &workload->shared[m];
    gboolean runs = may_run (class, node, node->cpus_free);
    sum += (double)class->count * (runs ? free_below (node, class->shares) : total);
  }
  for (uint32_t m = 0; m < workload->whole_count; m++) {
    const LkFgdClass *class = &workload->whole[m];
    gboolean runs = may_run (class, node, node->cpus_free) && class->gpus <= state.full;
    sum += (double)class->count * (runs ? partly_free (&state) : total);
  }
  return in_gpus (sum, workload, &state);
}

/* ---------------------------------------------------------------- before and after */

/* The classes of a kind that run before a placement and have the CPUs to run after it. */
typedef struct {
  uint32_t count;
  uint32_t wants[LK_FGD_CLASS_MAX];  /* shares or GPUs, rising */
  double sums[LK_FGD_CLASS_MAX + 1]; /* popularity of the first so many */
} Kept;

/* A node and a task, up to the choice of a device. */
typedef struct {
  State state;
  uint32_t cpus_after;
  double total_after;
  Kept shared; /* also those for which no device has enough: their fragment is all that is free */
  Kept whole;
  double rest; /* growth by all classes that are not kept */
} Before;

static void
keep (Kept *kept, uint32_t wanted, double popularity)
{
  uint32_t at = kept->count++;
  kept->wants[at] = wanted;
  kept->sums[at + 1] = kept->sums[at] + popularity;
}

/* Popularity of those that want at most this. */
static double
popularity_up_to (const Kept *kept, uint32_t most)
{
  uint32_t from = 0, to = kept->count;
  while (from < to) {
    uint32_t middle = (from + to) / 2;
    if (kept->wants[middle] <= most)
      from = middle + 1;
    else
      to = middle;
  }
  return kept->sums[from];
}

static double
popularity_above (const Kept *kept, uint32_t most)
{
  return kept->sums[kept->count] - popularity_up_to (kept, most);
}

/* Free shares by device, rising. */
static void
sort_devices (const LkFgdNode *node, uint32_t *out_free)
{
  for (uint32_t g = 0; g < node->device_count; g++) {
    uint32_t free = node->device_shares_free[g];
    uint32_t at = g;
    for (; at > 0 && out_free[at - 1] > free; at--)
      out_free[at] = out_free[at - 1];
    out_free[at] = free;
  }
}

static void
look_at_shared (Before *self, const LkFgdWorkload *workload, const LkFgdNode *node)
{
  uint32_t free[LK_FGD_DEVICE_MAX];
  double total = (double)self->state.total, below = 0.0;
  uint32_t device = 0;
  sort_devices (node, free);
  for (uint32_t m = 0; m < workload->shared_count; m++) {
    const LkFgdClass *class = &workload->shared[m];
    double popularity = (double)class->count;
    for (; device < node->device_count && free[device] < class->shares; device++)
      below += free[device];
    if (may_run (class, node, self->cpus_after))
      keep (&self->shared, class->shares, popularity);
    else if (may_run (class, node, node->cpus_free))
      self->rest += popularity * (self->total_after - below);
    else
      self->rest += popularity * (self->total_after - total);
  }
}

static void
look_at_whole (Before *self, const LkFgdWorkload *workload, const LkFgdNode *node)
{
  double total = (double)self->state.total, partly = partly_free (&self->state);
  for (uint32_t m = 0; m < workload->whole_count; m++) {
    const LkFgdClass *class = &workload->whole[m];
    double popularity = (double)class->count;
    gboolean runs = may_run (class, node, node->cpus_free) && class->gpus <= self->state.full;
    if (runs && class->cpus <= self->cpus_after)
      keep (&self->whole, class->gpus, popularity);
    else
      self->rest += popularity * (self->total_after - (runs ? partly : total));
  }
}

/* `taken`: shares that the task will take. */
static void
look_before (Before *self, const LkFgdWorkload *workload, const LkFgdNode *node,
             const LkFgdClass *task, uint64_t taken)
{
  self->cpus_after = node->cpus_free - MIN (node->cpus_free, task->cpus);
  self->total_after = (double)(self->state.total - taken);
  self->shared.count = self->whole.count = 0;
  self->shared.sums[0] = self->whole.sums[0] = 0.0;
  self->rest = workload->other_sum * (self->total_after - (double)self->state.total);
  look_at_shared (self, workload, node);
  look_at_whole (self, workload, node);
}

/* A device is a fragment to those that want more than it has. */
static double
growth_of_shared (const Before *self, uint32_t old_free, uint32_t new_free)
{
  return (double)new_free * popularity_above (&self->shared, new_free)
         - (double)old_free * popularity_above (&self->shared, old_free);
}

/* Those that want more whole devices than there are cannot run any more. */
static double
growth_of_whole (const Before *self, uint32_t full_after)
{
  const Kept *kept = &self->whole;
  double run = popularity_up_to (kept, full_after);
  double partly_after = self->total_after - (double)((uint64_t)full_after * self->state.per_device);
  return partly_after * run + self->total_after * (kept->sums[kept->count] - run)
         - partly_free (&self->state) * kept->sums[kept->count];
}

/* With `task->shares` taken from a device that has `free`. */
static double
growth_by_shares (const Before *self, const LkFgdClass *task, uint32_t free)
{
  uint32_t full_after = self->state.full - (free >= self->state.per_device ? 1 : 0);
  return self->rest + growth_of_shared (self, free, free - task->shares)
         + growth_of_whole (self, full_after);
}

/* With whole devices taken, or none. */
static double
growth_by_whole (const Before *self, uint32_t taken)
{
  return self->rest + taken * growth_of_shared (self, self->state.per_device, 0)
         + growth_of_whole (self, self->state.full - taken);
}

static gboolean
holds_shares (const LkFgdNode *node, uint32_t shares)
{
  for (uint32_t g = 0; g < node->device_count; g++)
    if (node->device_shares_free[g] >= shares)
      return TRUE;
  return FALSE;
}

/* Devices with as much free as one before them give the same. */
static gboolean
is_repeated (const LkFgdNode *node, uint32_t device)
{
  for (uint32_t g = 0; g < device; g++)
    if (node->device_shares_free[g] == node->device_shares_free[device])
      return TRUE;
  return FALSE;
}

double
lk_fgd_change (const LkFgdWorkload *workload, const LkFgdNode *node, const LkFgdClass *task,
               uint32_t *out_device)
{
  Before before;
  double best = 0.0;
  uint32_t device = LK_NODE_NONE;
  before.state = state_of (node);
  gboolean is_shared = task->shares > 0 && holds_shares (node, task->shares);
  uint32_t devices_taken = is_shared ? 0 : MIN (task->gpus, before.state.full);
  look_before (&before, workload, node, task,
               is_shared ? task->shares : (uint64_t)devices_taken * before.state.per_device);
  if (!is_shared)
    best = growth_by_whole (&before, devices_taken);
  for (uint32_t g = 0; g < node->device_count && is_shared; g++) {
    if (node->device_shares_free[g] < task->shares || is_repeated (node, g))
      continue;
    double grown = growth_by_shares (&before, task, node->device_shares_free[g]);
    if (device == LK_NODE_NONE || grown < best) {
      best = grown;
      device = g;
    }
  }
  *out_device = device;
  return in_gpus (best, workload, &before.state);
}
