/* live/core/step_layout.c — see the header. */
#include "live/core/step_layout.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/hostlist.h"

/* What is known of a request while it is laid out. */
typedef struct {
  const LkStepWant *want;
  const LkStepOffer *offers;
  guint32 offer_count;
  GHashTable *by_name; /* place of an offer, plus 1, by name */
  gboolean is_exact;
  gboolean counts_free; /* what other steps have is not there */
  guint32 *capacity;    /* by offer: so many tasks fit; 0: it is not to be used */
  guint8 *is_listed;    /* by offer: it must be used */
  guint32 listed_count;
  GArray *arbitrary; /* of guint32: of ARBITRARY the offers, one for each task; NULL */
  guint32 node_min;
  guint32 node_max;
  guint32 tasks;
} Request;

void
lk_step_layout_init (LkStepLayout *self)
{
  *self = (LkStepLayout){ .shares = g_array_new (FALSE, TRUE, sizeof (LkStepShare)),
                          .share_of = g_array_new (FALSE, FALSE, sizeof (guint32)) };
}

void
lk_step_layout_clear (LkStepLayout *self)
{
  g_array_unref (self->shares);
  g_array_unref (self->share_of);
}

gboolean
lk_step_want_is_exact (const LkStepWant *want)
{
  return (want->flags & LK_STEP_FLAG_EXACT) != 0 || want->cpus_per_task > 0;
}

gboolean
lk_step_want_asks_gpus (const LkStepWant *want)
{
  return want->gpus > 0 || want->gpus_per_node > 0 || want->gpus_per_task > 0;
}

static gboolean
has_flag (const Request *self, LkStepFlag flag)
{
  return (self->want->flags & flag) != 0;
}

static guint32
cpus_per_task (const Request *self)
{
  return MAX (self->want->cpus_per_task, 1);
}

/* ---------------------------------------------------------------- which nodes may be used */

static guint32
offer_find (const Request *self, const char *name)
{
  guint32 place = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, name));
  return place > 0 ? place - 1 : G_MAXUINT32;
}

static GHashTable *
offers_by_name (const LkStepOffer *offers, guint32 offer_count)
{
  GHashTable *by_name = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint32 i = offer_count; i-- > 0;)
    g_hash_table_replace (by_name, (gpointer)offers[i].name, GUINT_TO_POINTER (i + 1));
  return by_name;
}

/* NULL: it is no list. */
static GPtrArray *
names_of (LkLongText list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (list.length_bytes > 0 && !lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return NULL;
  return g_steal_pointer (&names);
}

static LkStepError
take_exclude (Request *self)
{
  g_autoptr (GPtrArray) names = names_of (self->want->exclude);
  if (names == NULL)
    return LK_STEP_ERROR_NODE_NAME;
  for (guint i = 0; i < names->len; i++) {
    guint32 offer = offer_find (self, g_ptr_array_index (names, i));
    if (offer != G_MAXUINT32)
      self->capacity[offer] = 0;
  }
  for (guint32 i = 0; i + 1 < self->want->relative && i < self->offer_count; i++)
    self->capacity[i] = 0;
  return self->want->relative <= self->offer_count ? LK_STEP_ERROR_NONE : LK_STEP_ERROR_NODE_CONFIG;
}

/* A node that is named twice is one node; of ARBITRARY it has two tasks. */
static LkStepError
take_nodelist (Request *self)
{
  g_autoptr (GPtrArray) names = names_of (self->want->nodelist);
  if (names == NULL)
    return LK_STEP_ERROR_NODE_NAME;
  if (self->want->distribution == LK_STEP_DISTRIBUTION_ARBITRARY)
    self->arbitrary = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < names->len; i++) {
    guint32 offer = offer_find (self, g_ptr_array_index (names, i));
    if (offer == G_MAXUINT32 || self->capacity[offer] == 0)
      return LK_STEP_ERROR_NODE_CONFIG;
    self->listed_count += self->is_listed[offer] == 0 ? 1 : 0;
    self->is_listed[offer] = 1;
    if (self->arbitrary != NULL)
      g_array_append_val (self->arbitrary, offer);
  }
  if (self->arbitrary != NULL && names->len == 0)
    return LK_STEP_ERROR_BAD_DISTRIBUTION;
  return LK_STEP_ERROR_NONE;
}

/* ---------------------------------------------------------------- how much */

static guint32
usable_count (const Request *self)
{
  guint32 count = 0;
  for (guint32 i = 0; i < self->offer_count; i++)
    count += self->capacity[i] != 0 ? 1 : 0;
  return count;
}

static LkStepError
size_arbitrary (Request *self)
{
  guint32 count = self->arbitrary->len;
  if (self->want->tasks > count || count > LK_STEP_TASKS_MAX)
    return LK_STEP_ERROR_BAD_TASK_COUNT;
  self->tasks = self->want->tasks > 0 ? self->want->tasks : count;
  g_array_set_size (self->arbitrary, self->tasks);
  return LK_STEP_ERROR_NONE;
}

/* How many nodes and tasks. Without tasks given each node has as many as may be on one, or one; a
 * step has no more nodes than tasks. */
static LkStepError
size (Request *self)
{
  const LkStepWant *want = self->want;
  guint32 usable = usable_count (self);
  if (self->arbitrary != NULL)
    return size_arbitrary (self);
  self->node_min = MAX (want->node_min, self->listed_count);
  self->node_max = want->node_max > 0 ? want->node_max : usable;
  if (usable == 0 || self->node_min > usable)
    return LK_STEP_ERROR_NODE_CONFIG;
  if (self->node_max < self->node_min)
    return LK_STEP_ERROR_NODE_COUNT;
  self->node_max = MIN (self->node_max, usable);
  if (want->tasks == 0 && (want->node_max > 0 || self->node_min == 0))
    self->node_min = self->node_max;
  guint32 each = MAX (want->tasks_per_node, 1);
  if (want->tasks > LK_STEP_TASKS_MAX || each > LK_STEP_TASKS_MAX / MAX (self->node_min, 1))
    return LK_STEP_ERROR_BAD_TASK_COUNT;
  self->tasks = want->tasks > 0 ? want->tasks : each * self->node_min;
  if (self->tasks > (guint64)LK_STEP_NODE_TASKS_MAX * self->node_max)
    return LK_STEP_ERROR_BAD_TASK_COUNT;
  self->node_min = CLAMP (self->node_min, 1, self->tasks);
  return LK_STEP_ERROR_NONE;
}

static guint32
least (guint32 tasks, gint64 has, gint64 for_each)
{
  return for_each > 0 ? (guint32)MIN ((gint64)tasks, MAX (has, 0) / for_each) : tasks;
}

static guint32
cpus_of (const Request *self, const LkStepOffer *offer)
{
  if (!self->counts_free)
    return offer->cpus;
  /* All of its CPUs, or none. */
  if (!self->is_exact && offer->cpus_free < offer->cpus)
    return 0;
  return offer->cpus_free;
}

/* Tasks that the CPUs are enough for. */
static guint32
cpu_capacity (const Request *self, const LkStepOffer *offer)
{
  guint32 cpus = cpus_of (self, offer);
  guint32 tasks = cpus / cpus_per_task (self);
  if (has_flag (self, LK_STEP_FLAG_OVERCOMMIT) && cpus > 0)
    tasks = LK_STEP_NODE_TASKS_MAX;
  tasks = MIN (tasks, LK_STEP_NODE_TASKS_MAX);
  return self->want->tasks_per_node > 0 ? MIN (tasks, self->want->tasks_per_node) : tasks;
}

static guint32
memory_capacity (const Request *self, const LkStepOffer *offer, guint32 tasks)
{
  const LkStepWant *want = self->want;
  gint64 memory_bytes = self->counts_free ? offer->memory_free_bytes : offer->memory_bytes;
  if (offer->memory_bytes == 0)
    return tasks;
  if (want->memory_per_node_bytes > memory_bytes)
    return 0;
  gint64 each = (gint64)cpus_per_task (self);
  if (want->memory_per_cpu_bytes > G_MAXINT64 / each)
    return 0;
  /* Tasks that share CPUs need the memory of these alone. */
  gint64 of_all = (gint64)cpus_of (self, offer);
  gboolean fits_all = of_all > 0 && want->memory_per_cpu_bytes <= memory_bytes / of_all;
  if (!fits_all || !has_flag (self, LK_STEP_FLAG_OVERCOMMIT))
    tasks = least (tasks, memory_bytes, want->memory_per_cpu_bytes * each);
  guint32 gpus = MAX (want->gpus_per_node, 1);
  return want->memory_per_gpu_bytes > memory_bytes / gpus ? 0 : tasks;
}

/* As Slurm copies the request of the job: without one of its own a step has all of the job's. */
static gboolean
inherits_gpus (const Request *self)
{
  return !lk_step_want_asks_gpus (self->want) && !has_flag (self, LK_STEP_FLAG_NO_DEVICES);
}

static guint32
gpu_capacity (const Request *self, const LkStepOffer *offer, guint32 tasks)
{
  const LkStepWant *want = self->want;
  guint32 gpus = self->counts_free ? offer->gpus_free : offer->gpus;
  if (inherits_gpus (self) && gpus < offer->gpus)
    return 0;
  if (want->gpus_per_node > gpus)
    return 0;
  if (want->gpus > 0 && gpus == 0)
    return 0;
  return least (tasks, gpus, want->gpus_per_task);
}

/* ---------------------------------------------------------------- choosing nodes */

static void
choose (LkStepLayout *layout, guint32 offer)
{
  LkStepShare share = { .offer = offer };
  g_array_append_val (layout->shares, share);
}

/* What the nodes that are chosen have together. */
typedef struct {
  guint32 node_count;
  guint64 capacity;
  guint64 gpus;
} Sum;

static gboolean
is_enough (const Request *self, const Sum *sum)
{
  return sum->node_count >= self->node_min && sum->capacity >= self->tasks
         && sum->gpus >= self->want->gpus;
}

static void
choose_counted (const Request *self, LkStepLayout *layout, guint32 index, Sum *sum)
{
  const LkStepOffer *offer = &self->offers[index];
  choose (layout, index);
  sum->node_count++;
  sum->capacity += self->capacity[index];
  sum->gpus += self->counts_free ? offer->gpus_free : offer->gpus;
}

static gint
capacity_compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Request *self = user;
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  if (self->capacity[x] != self->capacity[y])
    return self->capacity[x] > self->capacity[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* Nodes that may be used and are not listed, in the order of the job; `widest`: those on which most
 * tasks fit come first. */
static GArray *
nodes_to_try (const Request *self, gboolean widest)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < self->offer_count; i++)
    if (self->is_listed[i] == 0 && self->capacity[i] > 0)
      g_array_append_val (nodes, i);
  if (widest)
    g_array_sort_with_data (nodes, capacity_compare, (gpointer)self);
  return nodes;
}

static gint
share_compare (gconstpointer a, gconstpointer b)
{
  const LkStepShare *x = a;
  const LkStepShare *y = b;
  return x->offer < y->offer ? -1 : x->offer > y->offer;
}

static gboolean
choose_nodes (const Request *self, LkStepLayout *layout, gboolean widest)
{
  Sum sum = { 0 };
  g_array_set_size (layout->shares, 0);
  for (guint32 i = 0; i < self->offer_count; i++) {
    if (self->is_listed[i] != 0 && self->capacity[i] == 0)
      return FALSE;
    if (self->is_listed[i] != 0)
      choose_counted (self, layout, i, &sum);
  }
  g_autoptr (GArray) nodes = nodes_to_try (self, widest);
  for (guint i = 0;
       i < nodes->len && !is_enough (self, &sum) && layout->shares->len < self->node_max; i++)
    choose_counted (self, layout, g_array_index (nodes, guint32, i), &sum);
  g_array_sort (layout->shares, share_compare);
  return is_enough (self, &sum);
}

/* In the order in which the list names them first. */
static gboolean
choose_arbitrary (const Request *self, LkStepLayout *layout)
{
  g_autofree guint32 *counts = g_new0 (guint32, self->offer_count);
  for (guint i = 0; i < self->arbitrary->len; i++) {
    guint32 offer = g_array_index (self->arbitrary, guint32, i);
    if (counts[offer]++ == 0)
      choose (layout, offer);
    if (counts[offer] > self->capacity[offer])
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- tasks to nodes */

/* So many tasks a node takes, before others have had as many as their CPUs are enough for, and
 * behind that. */
static guint32
room_of (const Request *self, const LkStepShare *share, gboolean overcommits)
{
  guint32 tasks = self->capacity[share->offer];
  guint32 cpus = cpus_of (self, &self->offers[share->offer]);
  return overcommits ? tasks : MIN (tasks, MAX (cpus / cpus_per_task (self), 1));
}

static void
give_task (LkStepLayout *layout, guint32 share)
{
  g_array_index (layout->shares, LkStepShare, share).task_count++;
  g_array_append_val (layout->share_of, share);
  layout->tasks++;
}

/* Round and round, `block` tasks at a time to each node that has room. */
static void
deal (const Request *self, LkStepLayout *layout, guint32 block)
{
  gboolean overcommits = FALSE;
  while (layout->tasks < self->tasks) {
    guint32 before = layout->tasks;
    for (guint32 i = 0; i < layout->shares->len; i++)
      for (guint32 j = 0; j < block && layout->tasks < self->tasks; j++) {
        const LkStepShare *share = &g_array_index (layout->shares, LkStepShare, i);
        if (share->task_count >= room_of (self, share, overcommits))
          break;
        give_task (layout, i);
      }
    /* choose_nodes has found room for all tasks. */
    LK_ASSERT (layout->tasks > before || !overcommits);
    overcommits = layout->tasks == before;
  }
}

/* The same numbers, and consecutive tasks together. */
static void
make_consecutive (LkStepLayout *layout)
{
  guint32 task = 0;
  for (guint32 i = 0; i < layout->shares->len; i++) {
    guint32 count = g_array_index (layout->shares, LkStepShare, i).task_count;
    for (guint32 j = 0; j < count; j++)
      g_array_index (layout->share_of, guint32, task++) = i;
  }
}

/* Each node has one, and then the first ones are filled. */
static void
pack (const Request *self, LkStepLayout *layout)
{
  guint32 others = layout->shares->len;
  for (guint32 i = 0; i < layout->shares->len; i++) {
    LkStepShare *share = &g_array_index (layout->shares, LkStepShare, i);
    guint32 left = self->tasks - layout->tasks;
    others--;
    left -= MIN (others, left);
    guint32 count = MIN (left, room_of (self, share, /* overcommits= */ TRUE));
    for (guint32 j = 0; j < count; j++)
      give_task (layout, i);
  }
}

static void
lay_arbitrary (const Request *self, LkStepLayout *layout)
{
  LK_ASSERT (self->arbitrary != NULL); /* take_nodelist has made it */
  g_autofree guint32 *share_of = g_new0 (guint32, self->offer_count);
  for (guint32 i = 0; i < layout->shares->len; i++)
    share_of[g_array_index (layout->shares, LkStepShare, i).offer] = i;
  for (guint i = 0; i < self->arbitrary->len; i++)
    give_task (layout, share_of[g_array_index (self->arbitrary, guint32, i)]);
}

/* Nodes without a task, which PLANE may leave, are none of the step: they are the last ones. */
static void
drop_idle (LkStepLayout *layout)
{
  while (g_array_index (layout->shares, LkStepShare, layout->shares->len - 1).task_count == 0)
    g_array_set_size (layout->shares, layout->shares->len - 1);
}

static void
lay_tasks (const Request *self, LkStepLayout *layout)
{
  switch ((LkStepDistribution)self->want->distribution) {
  case LK_STEP_DISTRIBUTION_CYCLIC:
    deal (self, layout, 1);
    break;
  case LK_STEP_DISTRIBUTION_PLANE:
    deal (self, layout, self->want->plane_size);
    drop_idle (layout);
    break;
  case LK_STEP_DISTRIBUTION_ARBITRARY:
    lay_arbitrary (self, layout);
    break;
  case LK_STEP_DISTRIBUTION_PACK:
    pack (self, layout);
    break;
  default:
    deal (self, layout, 1);
    make_consecutive (layout);
    break;
  }
}

/* ---------------------------------------------------------------- what each node gives */

static guint32
up_to_cores (guint32 cpus, guint32 cpus_per_core)
{
  guint32 over = cpus_per_core > 1 ? cpus % cpus_per_core : 0;
  return over > 0 ? cpus + cpus_per_core - over : cpus;
}

/* Of GPUs that are asked for in all each node gives one at least, where there are so many. */
static void
share_gpus (const Request *self, LkStepLayout *layout)
{
  guint32 left = self->want->gpus;
  for (guint i = 0; i < layout->shares->len; i++) {
    LkStepShare *share = &g_array_index (layout->shares, LkStepShare, i);
    const LkStepOffer *offer = &self->offers[share->offer];
    guint32 later = (guint32)layout->shares->len - i - 1;
    guint32 wanted = left > later ? left - later : MIN (left, 1);
    share->gpus = MIN (wanted, self->counts_free ? offer->gpus_free : offer->gpus);
    left -= share->gpus;
  }
}

static void
share_out (const Request *self, LkStepLayout *layout)
{
  const LkStepWant *want = self->want;
  if (want->gpus > 0 && want->gpus_per_node == 0 && want->gpus_per_task == 0)
    share_gpus (self, layout);
  for (guint i = 0; i < layout->shares->len; i++) {
    LkStepShare *share = &g_array_index (layout->shares, LkStepShare, i);
    const LkStepOffer *offer = &self->offers[share->offer];
    guint64 asked = (guint64)share->task_count * cpus_per_task (self);
    guint32 most = cpus_of (self, offer);
    guint32 cpus = asked < most ? up_to_cores ((guint32)asked, offer->cpus_per_core) : most;
    share->cpus = self->is_exact ? MIN (cpus, most) : offer->cpus;
    if (want->gpus_per_node > 0)
      share->gpus = want->gpus_per_node;
    else if (want->gpus_per_task > 0)
      share->gpus = want->gpus_per_task * share->task_count;
    else if (inherits_gpus (self))
      share->gpus = offer->gpus;
    if (want->memory_per_node_bytes > 0)
      share->memory_bytes = want->memory_per_node_bytes;
    else if (want->memory_per_cpu_bytes > 0)
      share->memory_bytes = want->memory_per_cpu_bytes * (gint64)MIN (asked, most);
    else if (want->memory_per_gpu_bytes > 0)
      share->memory_bytes = want->memory_per_gpu_bytes * (gint64)share->gpus;
    if (offer->memory_bytes == 0)
      share->memory_bytes = 0;
  }
}

/* ---------------------------------------------------------------- all of it */

/* Why it cannot be had of all that the job has: what there is too little of, in Slurm's order. */
static LkStepError
refusal_of (const Request *self)
{
  guint64 by_cpus = 0;
  guint64 by_memory = 0;
  guint64 by_gpus = 0;
  guint64 gpus = 0;
  guint32 node_count = 0;
  for (guint32 i = 0; i < self->offer_count; i++) {
    const LkStepOffer *offer = &self->offers[i];
    guint32 tasks = MIN (cpu_capacity (self, offer), self->tasks);
    by_cpus += tasks;
    by_memory += memory_capacity (self, offer, tasks);
    by_gpus += gpu_capacity (self, offer, tasks);
    gpus += offer->gpus;
    node_count += self->capacity[i] > 0 ? 1 : 0;
  }
  if (by_cpus < self->tasks)
    return LK_STEP_ERROR_TOO_MANY_CPUS;
  if (by_memory < self->tasks)
    return LK_STEP_ERROR_TASK_MEMORY;
  if (by_gpus < self->tasks || gpus < self->want->gpus)
    return LK_STEP_ERROR_INVALID_GRES;
  return node_count < self->node_min ? LK_STEP_ERROR_NODE_CONFIG : LK_STEP_ERROR_TOO_MANY_CPUS;
}

/* `may_use`: by offer; 0 is not to be used. */
static gboolean
fits (Request *self, const guint32 *may_use, gboolean counts_free, LkStepLayout *layout)
{
  self->counts_free = counts_free;
  g_array_set_size (layout->shares, 0);
  for (guint32 i = 0; i < self->offer_count; i++) {
    const LkStepOffer *offer = &self->offers[i];
    guint32 tasks = may_use[i] != 0 ? cpu_capacity (self, offer) : 0;
    tasks = MIN (tasks, memory_capacity (self, offer, tasks));
    self->capacity[i] = MIN (tasks, gpu_capacity (self, offer, tasks));
  }
  if (self->arbitrary != NULL)
    return choose_arbitrary (self, layout);
  return choose_nodes (self, layout, /* widest= */ FALSE)
         || choose_nodes (self, layout, /* widest= */ TRUE);
}

static LkStepError
make (Request *self, LkStepLayout *layout)
{
  for (guint32 i = 0; i < self->offer_count; i++)
    self->capacity[i] = 1;
  LkStepError error = take_exclude (self);
  if (error == LK_STEP_ERROR_NONE)
    error = take_nodelist (self);
  if (error == LK_STEP_ERROR_NONE)
    error = size (self);
  if (error != LK_STEP_ERROR_NONE)
    return error;
  g_autofree guint32 *may_use = g_memdup2 (self->capacity, self->offer_count * sizeof (guint32));
  if (!fits (self, may_use, /* counts_free= */ FALSE, layout))
    return refusal_of (self);
  gboolean overlaps = has_flag (self, LK_STEP_FLAG_OVERLAP);
  if (!overlaps && !fits (self, may_use, /* counts_free= */ TRUE, layout))
    return LK_STEP_ERROR_NODES_BUSY;
  lay_tasks (self, layout);
  share_out (self, layout);
  return LK_STEP_ERROR_NONE;
}

LkStepError
lk_step_layout_make (LkStepLayout *self, const LkStepWant *want, const LkStepOffer *offers,
                     guint32 offer_count)
{
  LK_ASSERT (self->shares->len == 0);
  if (offer_count == 0)
    return LK_STEP_ERROR_NODE_CONFIG;
  if (want->distribution >= LK_STEP_DISTRIBUTION_COUNT
      || (want->distribution == LK_STEP_DISTRIBUTION_PLANE && want->plane_size == 0))
    return LK_STEP_ERROR_BAD_DISTRIBUTION;
  g_autofree guint32 *capacity = g_new0 (guint32, offer_count);
  g_autofree guint8 *is_listed = g_new0 (guint8, offer_count);
  g_autoptr (GHashTable) by_name = offers_by_name (offers, offer_count);
  Request request = { .want = want,
                      .offers = offers,
                      .offer_count = offer_count,
                      .by_name = by_name,
                      .is_exact = lk_step_want_is_exact (want),
                      .capacity = capacity,
                      .is_listed = is_listed };
  LkStepError error = make (&request, self);
  if (request.arbitrary != NULL)
    g_array_unref (request.arbitrary);
  if (error != LK_STEP_ERROR_NONE)
    g_array_set_size (self->shares, 0);
  return error;
}

/* ---------------------------------------------------------------- tasks as text */

/* Fewer equal distances are not written as such. */
#define REPEATS_MIN 5u

/* What is known of the tasks of a share that are not written yet: `count` ranges, each `length`
 * tasks long and `stride` after the one before, and the range that grows. */
typedef struct {
  GString *out;
  guint32 first;
  guint32 length;
  guint32 stride;
  guint32 count;
  guint32 open_first;
  guint32 open_length; /* 0: there is none */
} TaskText;

static void
append_range (GString *out, guint32 first, guint32 length)
{
  g_string_append_printf (out, "%s%u", out->len > 0 ? "," : "", first);
  if (length > 1)
    g_string_append_printf (out, "-%u", first + length - 1);
}

static void
write_ranges (TaskText *self)
{
  guint32 single_count = self->count >= REPEATS_MIN ? 1 : self->count;
  for (guint32 i = 0; i < single_count; i++)
    append_range (self->out, self->first + i * self->stride, self->length);
  if (self->count >= REPEATS_MIN)
    g_string_append_printf (self->out, "+%u*%u", self->stride, self->count);
  self->count = 0;
}

/* The range that has grown is whole. */
static void
close_range (TaskText *self)
{
  guint32 distance = self->open_first - self->first;
  if (self->count > 0
      && (self->open_length != self->length
          || (self->count > 1 && distance != self->stride * self->count)))
    write_ranges (self);
  if (self->count == 0) {
    self->first = self->open_first;
    self->length = self->open_length;
  } else if (self->count == 1) {
    self->stride = distance;
  }
  self->count++;
  self->open_length = 0;
}

static void
add_task (TaskText *self, guint32 task)
{
  if (self->open_length > 0 && task != self->open_first + self->open_length)
    close_range (self);
  if (self->open_length == 0)
    self->open_first = task;
  self->open_length++;
}

GPtrArray *
lk_step_layout_tasks (const LkStepLayout *self)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);
  g_autofree TaskText *of_shares = g_new0 (TaskText, self->shares->len);
  for (guint32 i = 0; i < self->shares->len; i++)
    of_shares[i].out = g_string_new (NULL);
  for (guint32 task = 0; task < self->tasks; task++)
    add_task (&of_shares[g_array_index (self->share_of, guint32, task)], task);
  for (guint32 i = 0; i < self->shares->len; i++) {
    if (of_shares[i].open_length > 0)
      close_range (&of_shares[i]);
    write_ranges (&of_shares[i]);
    g_ptr_array_add (texts, g_string_free (of_shares[i].out, FALSE));
  }
  return texts;
}
