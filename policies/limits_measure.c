/* policies/limits_measure.c — see limits_measure.h. */
#include "policies/limits_measure.h"

#include <string.h>

#define MINUTE_US INT64_C (60000000)
#define MINUTE_S 60u

/* ---------------------------------------------------------------- numbers */

static uint64_t
sum_of (uint64_t a, uint64_t b)
{
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
product_of (uint64_t a, uint64_t b)
{
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* The whole part; what is above every count is UINT64_MAX. */
static uint64_t
whole_of (double value)
{
  if (!(value > 0.0))
    return 0;
  return value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
}

static uint64_t
scaled (uint64_t value, double factor)
{
  return factor == 1.0 || value == UINT64_MAX ? value : whole_of ((double)value * factor);
}

static uint64_t
percent_of (uint64_t percent, uint64_t total)
{
  return sum_of (product_of (total / 100, percent), product_of (total % 100, percent) / 100);
}

/* ---------------------------------------------------------------- the job */

static double
time_factor (const LkLimitScope *scope)
{
  const LkQosView *qos = scope->job_qos;
  return qos != NULL && (qos->flags & LK_QOS_USAGE_FACTOR_SAFE) != 0 ? qos->usage_factor : 1.0;
}

void
lk_limit_ask_init (LkLimitAsk *self, const LkLimitScope *scope, const LkLimitCheck *check,
                   uint32_t when)
{
  int64_t limit_us = check->time_limit_us;
  self->scope = scope;
  self->check = check;
  self->when = when;
  self->minutes = limit_us == LK_TIME_NEVER ? UINT64_MAX
                  : limit_us <= 0           ? 0
                                            : (uint64_t)((limit_us - 1) / MINUTE_US + 1);
}

static uint64_t
wall_minutes (const LkLimitAsk *self)
{
  return scaled (self->minutes, time_factor (self->scope));
}

/* How long a running job has run. */
static uint64_t
elapsed_minutes (const LkLimitAsk *self)
{
  const LkView *view = self->scope->view;
  int64_t elapsed_us = view->now_us - view->jobs->start_us[self->check->job];
  return elapsed_us > 0 ? (uint64_t)(elapsed_us / MINUTE_US) : 0;
}

static uint64_t
tres_minutes (const LkLimitAsk *self, uint32_t tres)
{
  return scaled (product_of (self->minutes, self->check->tres[tres]), time_factor (self->scope));
}

static uint64_t
per_node (const LkLimitAsk *self, uint32_t tres)
{
  uint64_t node_count = self->check->tres[LK_TRES_NODE];
  return self->check->tres[tres] / (node_count == 0 ? 1 : node_count);
}

/* ---------------------------------------------------------------- the limit */

static gboolean
is_of_tres (uint32_t kind)
{
  return kind == LK_LIMIT_GRP_TRES || kind == LK_LIMIT_MAX_TRES_PER_JOB
         || kind == LK_LIMIT_MAX_TRES_PER_NODE || kind == LK_LIMIT_MAX_TRES_PER_USER
         || kind == LK_LIMIT_MAX_TRES_PER_ACCOUNT || kind == LK_LIMIT_MIN_TRES_PER_JOB;
}

/* The LimitFactor of the first QOS that has one; 1: none. */
static double
limit_factor (const LkLimitScope *scope)
{
  for (uint32_t i = 0; i < scope->qos_count; i++) {
    double factor = scope->view->accounts->qos[scope->qos[i].index].limit_factor;
    if (factor >= 0.0)
      return factor;
  }
  return 1.0;
}

uint64_t
lk_limit_value (const LkLimitScope *scope, const LkLimitLevel *level, const LkLimitItem *item)
{
  if (level->holder == LK_HOLDER_ASSOCIATION) {
    gboolean has_factor =
        item->kind == LK_LIMIT_GRP_TRES || item->kind == LK_LIMIT_MAX_TRES_PER_JOB;
    return has_factor ? scaled (item->value, limit_factor (scope)) : item->value;
  }
  if (level->percent_of != NULL && is_of_tres (item->kind))
    return percent_of (item->value, level->percent_of[item->tres]);
  return item->value;
}

/* ---------------------------------------------------------------- what is in use */

/* Of those whom a limit counts; NULL: nothing. */
static const LkUse *
counted_use (const LkLimitAsk *self, const LkLimitLevel *level, uint32_t kind)
{
  const LkView *view = self->scope->view;
  const LkAssociationView *association = &view->accounts->associations[self->scope->association];
  switch (kind) {
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_JOBS_ACCRUE_PER_USER:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
    return view->host->qos_user_use (view, level->index, association->user);
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
  case LK_LIMIT_MAX_JOBS_ACCRUE_PER_ACCOUNT:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return view->host->qos_account_use (view, level->index, association->account);
  default:
    return level->use;
  }
}

static uint64_t
tres_used (const LkUse *use, uint32_t tres)
{
  /* Nobody holds energy: it is known only when a job has ended. */
  return use == NULL || tres == LK_TRES_ENERGY ? 0 : use->tres[tres];
}

static uint64_t
run_minutes_used (const LkUse *use, uint32_t tres)
{
  return use == NULL ? 0 : use->tres_run_s[tres] / MINUTE_S;
}

/* ---------------------------------------------------------------- kinds */

/* Is what is used and what is asked for, together, more than the limit? */
static gboolean
is_exceeded (LkLimitFinding *finding, uint64_t used, uint64_t asked)
{
  finding->used = used;
  finding->asked = asked;
  return sum_of (used, asked) > finding->limit;
}

/* Limits on what is used up: they hold when nothing is left.  With `safe` a job must also find
 * enough left for itself and for what runs until its end. */
static gboolean
is_used_up (const LkLimitAsk *self, LkLimitFinding *finding, uint64_t running)
{
  uint64_t used = finding->used;
  if (self->when == LK_CHECK_ALONE)
    return is_exceeded (finding, 0, finding->asked);
  if (used >= finding->limit || self->when == LK_CHECK_RUN)
    return used >= finding->limit;
  if ((self->scope->view->accounts->enforce & LK_ENFORCE_SAFE) == 0)
    return FALSE;
  return is_exceeded (finding, sum_of (used, running), finding->asked);
}

static gboolean
holds_count (const LkLimitAsk *self, const LkUse *use, LkLimitFinding *finding)
{
  if (self->when == 0)
    return is_exceeded (finding, use == NULL ? 0 : use->accruing, 1);
  if (self->when == LK_CHECK_SUBMIT)
    return is_exceeded (finding, use == NULL ? 0 : use->submitted, self->check->task_count);
  return is_exceeded (finding, use == NULL ? 0 : use->running, 1);
}

static gboolean
holds_group_wall (const LkLimitAsk *self, const LkUse *use, LkLimitFinding *finding)
{
  finding->used = whole_of (use->wall_s / MINUTE_S);
  finding->asked = wall_minutes (self);
  return is_used_up (self, finding, 0);
}

static gboolean
holds_group_minutes (const LkLimitAsk *self, const LkUse *use, LkLimitFinding *finding)
{
  uint32_t tres = finding->tres;
  finding->used = whole_of (use->tres_s[tres] / MINUTE_S);
  finding->asked = tres_minutes (self, tres);
  return is_used_up (self, finding, run_minutes_used (use, tres));
}

/* A running job has used one more than it was seen to use, for a started minute counts.  One that
 * has none of a TRES cannot use it up. */
static gboolean
holds_job_minutes (const LkLimitAsk *self, LkLimitFinding *finding)
{
  uint32_t tres = finding->tres;
  if (self->when != LK_CHECK_RUN)
    return is_exceeded (finding, 0, tres_minutes (self, tres));
  uint64_t count = self->check->tres[tres];
  uint64_t minutes = product_of (elapsed_minutes (self), count);
  return count != 0 && is_exceeded (finding, 0, sum_of (minutes, 1));
}

static gboolean
is_below (LkLimitFinding *finding, uint64_t asked)
{
  finding->asked = asked;
  return asked < finding->limit;
}

/* Before Slurm 23 these were stored, but nobody looked at them. */
static gboolean
has_user_run_minutes (const LkLimitAsk *self)
{
  return self->scope->view->accounts->compat != LK_COMPAT_SLURM_22_05;
}

static gboolean
holds_tres (const LkLimitAsk *self, const LkUse *use, LkLimitFinding *finding)
{
  uint32_t tres = finding->tres;
  gboolean is_alone = self->when == LK_CHECK_ALONE;
  switch (finding->kind) {
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
    return is_exceeded (finding, is_alone ? 0 : tres_used (use, tres), self->check->tres[tres]);
  case LK_LIMIT_GRP_TRES_RUN_MINS:
    return is_exceeded (finding, is_alone ? 0 : run_minutes_used (use, tres),
                        tres_minutes (self, tres));
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return has_user_run_minutes (self)
           && is_exceeded (finding, is_alone ? 0 : run_minutes_used (use, tres),
                           tres_minutes (self, tres));
  case LK_LIMIT_GRP_TRES_MINS:
    return holds_group_minutes (self, use, finding);
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
    return holds_job_minutes (self, finding);
  case LK_LIMIT_MAX_TRES_PER_JOB:
    return is_exceeded (finding, 0, self->check->tres[tres]);
  case LK_LIMIT_MAX_TRES_PER_NODE:
    return is_exceeded (finding, 0, per_node (self, tres));
  default: /* LK_LIMIT_MIN_TRES_PER_JOB */
    return is_below (finding, self->check->tres[tres]);
  }
}

gboolean
lk_limit_holds (const LkLimitAsk *self, const LkLimitLevel *level, const LkLimitItem *item,
                LkLimitFinding *out_finding)
{
  const LkUse *use = counted_use (self, level, item->kind);
  memset (out_finding, 0, sizeof *out_finding);
  out_finding->size = sizeof *out_finding;
  out_finding->kind = item->kind;
  out_finding->tres = item->tres;
  out_finding->holder = level->holder;
  out_finding->index = level->index;
  out_finding->limit = lk_limit_value (self->scope, level, item);
  switch (item->kind) {
  case LK_LIMIT_GRP_WALL:
    return holds_group_wall (self, use, out_finding);
  case LK_LIMIT_MAX_WALL_PER_JOB:
    return is_exceeded (out_finding, 0, wall_minutes (self));
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_TRES_RUN_MINS:
  case LK_LIMIT_MAX_TRES_PER_JOB:
  case LK_LIMIT_MAX_TRES_PER_NODE:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
  case LK_LIMIT_MIN_TRES_PER_JOB:
    return holds_tres (self, use, out_finding);
  default:
    return holds_count (self, use, out_finding);
  }
}
