/* policies/basic.c — Slurm's priority/basic: first come, first served, by falling numbers.
 *
 * The first job gets 4294901759 and each further one a number less than the one before, each minus
 * its own nice value where at least 1 is left.  A job keeps its number while its nice value stays.
 * A priority above 1 that an administrator set is the job's, and counts for no other.  Sources:
 * Slurm, slurm.conf(5), PriorityType; tests/oracle/sched/recorded/02-fifo-builtin. */
#include "policies/order_util.h"
#include "policies/orders.h"
#include "policies/priority_factors.h"
#include "policies/state_bytes.h"

#define PRIORITY_TOP 0xffff0000u

/* What a job was given; `id` of another job: nothing. */
typedef struct {
  int64_t nice;
  uint32_t id;
  uint32_t priority; /* 0: none */
} Number;

typedef struct {
  Number *numbers; /* by job index */
  uint32_t limit;  /* entries of it */
  uint32_t lowest;
} Basic;

static void
ready (Basic *self, const LkView *view)
{
  if (self->limit >= view->job_index_limit)
    return;
  uint32_t limit = MAX (view->job_index_limit, 2 * self->limit);
  self->numbers = g_renew (Number, self->numbers, limit);
  for (uint32_t job = self->limit; job < limit; job++)
    self->numbers[job] = (Number){ .priority = 0 };
  self->limit = limit;
}

static int64_t
nice_of (const LkView *view, LkJobIndex job)
{
  return view->jobs->nice != NULL ? view->jobs->nice[job] : 0;
}

static uint32_t
next_priority (uint32_t lowest, int64_t nice)
{
  int64_t priority = lowest >= 2 ? (int64_t)lowest - 1 : 1;
  if (nice >= priority)
    return (uint32_t)priority;
  int64_t room = (int64_t)UINT32_MAX - priority;
  return (uint32_t)(nice < -room ? (int64_t)UINT32_MAX : priority - nice);
}

static int64_t
key (void *user, const LkView *view, LkJobIndex job)
{
  Basic *self = user;
  ready (self, view);
  uint32_t tier = lk_priority_tier_of (view, job);
  uint32_t direct = view->jobs->direct_priority != NULL ? view->jobs->direct_priority[job] : 0;
  if (direct > 1)
    return lk_priority_key (tier, direct);
  Number *number = &self->numbers[job];
  int64_t nice = nice_of (view, job);
  if (number->priority == 0 || number->id != view->jobs->id[job] || number->nice != nice) {
    *number = (Number){ nice, view->jobs->id[job], next_priority (self->lowest, nice) };
    self->lowest = next_priority (self->lowest, 0);
  }
  return lk_priority_key (tier, number->priority);
}

static int32_t
explain (void *user, const LkView *view, LkJobIndex job, uint32_t partition,
         LkPriorityParts *out_parts)
{
  const Basic *self = user;
  (void)partition;
  LkPriorityParts parts = { .size = out_parts->size, .nice = nice_of (view, job) };
  uint32_t direct = view->jobs->direct_priority != NULL ? view->jobs->direct_priority[job] : 0;
  if (direct > 1)
    parts.priority = direct;
  else if (job < self->limit && self->numbers[job].id == view->jobs->id[job])
    parts.priority = self->numbers[job].priority;
  *out_parts = parts;
  return 1;
}

/* The key without the tier. */
static int64_t
priority (void *user, const LkView *view, LkJobIndex job)
{
  return key (user, view, job) & UINT32_MAX;
}

/* ---------------------------------------------------------------- life */

static void *
create (const LkParamValues *values, LkPolicyError *error)
{
  Basic *self = g_new0 (Basic, 1);
  (void)values;
  (void)error;
  self->lowest = PRIORITY_TOP;
  return self;
}

static void
destroy (void *user)
{
  Basic *self = user;
  if (self == NULL)
    return;
  g_free (self->numbers);
  g_free (self);
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  uint32_t id_a = ((const Number *)a)->id;
  uint32_t id_b = ((const Number *)b)->id;
  return (id_a > id_b) - (id_a < id_b);
}

/* The lowest number, and what each job has by rising id. */
static void
save (void *user, const LkView *view, LkPut put, void *sink)
{
  const Basic *self = user;
  LkStateSink out = { put, sink };
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (Number));
  for (LkJobIndex job = 0; job < MIN (self->limit, view->job_index_limit); job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE && self->numbers[job].priority != 0
        && self->numbers[job].id == view->jobs->id[job])
      g_array_append_val (numbers, self->numbers[job]);
  g_array_sort (numbers, compare_ids);
  lk_state_put_u32 (&out, self->lowest);
  lk_state_put_u32 (&out, numbers->len);
  for (guint i = 0; i < numbers->len; i++) {
    const Number *number = &g_array_index (numbers, Number, i);
    lk_state_put_u32 (&out, number->id);
    lk_state_put_u32 (&out, number->priority);
    lk_state_put_i64 (&out, number->nice);
  }
}

static int32_t
load (void *user, const LkView *view, const uint8_t *bytes, uint32_t byte_count)
{
  Basic *self = user;
  LkStateSource source = { bytes, byte_count, 0 };
  ready (self, view);
  self->lowest = lk_state_take_u32 (&source);
  uint32_t count = lk_state_take_u32 (&source);
  for (uint32_t i = 0; i < count && !source.is_broken; i++) {
    Number number = { .id = lk_state_take_u32 (&source) };
    number.priority = lk_state_take_u32 (&source);
    number.nice = (int64_t)lk_state_take (&source, 8);
    LkJobIndex job = view->host->job_by_id (view, number.id);
    if (source.is_broken || number.priority == 0 || job == LK_JOB_NONE
        || self->numbers[job].priority != 0)
      return 0;
    self->numbers[job] = number;
  }
  return !source.is_broken && source.left_bytes == 0 && self->lowest > 0
         && self->lowest <= PRIORITY_TOP;
}

static const LkParam params[] = { LK_ORDER_PARAM_END };

const LkOrderPolicy lk_order_basic = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkOrderPolicy),
            .seam = LK_SEAM_ORDER,
            .version = 2,
            .name = "basic",
            .summary = "First come, first served, by numbers that fall (Slurm's priority/basic)",
            .params = params,
            .create = create,
            .destroy = destroy,
            .save = save,
            .load = load },
  .key = key,
  .explain = explain,
  .priority = priority,
};
