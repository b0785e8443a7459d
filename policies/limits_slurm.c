/* policies/limits_slurm.c — limits of associations and QOS as Slurm enforces them.
 *
 * Three moments: a job is submitted (too many jobs: refused; and what it breaks by itself), it
 * could start (what is known before nodes are chosen, then the rest), it runs.  Each has its order
 * of checking, and the first limit that fails is the reason that Slurm shows; here all are told.
 * Nothing is checked unless AccountingStorageEnforce says limits. Source: Slurm's
 * resource_limits.html, qos.html and recordings of Slurm 26.05 (docs/policy-limits.md). */
#include <string.h>

#include "policies/limits.h"
#include "policies/limits_measure.h"
#include "policies/limits_scope.h"

#define MINUTE_US INT64_C (60000000)

#define ORDER(NAME)                                                                                \
  {                                                                                                \
    NAME##_kinds, sizeof NAME##_kinds                                                              \
  }

static const uint8_t submit_kinds[] = {
  LK_LIMIT_GRP_SUBMIT_JOBS,
  LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT,
  LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER,
  LK_LIMIT_MAX_SUBMIT_JOBS,
};
static const uint8_t alone_kinds[] = {
  LK_LIMIT_GRP_TRES_MINS,
  LK_LIMIT_GRP_TRES,
  LK_LIMIT_GRP_TRES_RUN_MINS,
  LK_LIMIT_GRP_WALL,
  LK_LIMIT_MAX_TRES_MINS_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_USER, /* recorded: before what the job breaks by itself */
  LK_LIMIT_MAX_TRES_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_NODE,
  LK_LIMIT_MIN_TRES_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER,
  LK_LIMIT_MAX_WALL_PER_JOB,
};
/* Before nodes are chosen. */
static const uint8_t early_kinds[] = {
  LK_LIMIT_GRP_JOBS,          LK_LIMIT_GRP_WALL, LK_LIMIT_MAX_JOBS_PER_ACCOUNT,
  LK_LIMIT_MAX_JOBS_PER_USER, LK_LIMIT_MAX_JOBS, LK_LIMIT_MAX_WALL_PER_JOB,
};
/* Behind that. */
static const uint8_t late_kinds[] = {
  LK_LIMIT_GRP_TRES_MINS,
  LK_LIMIT_GRP_TRES,
  LK_LIMIT_GRP_TRES_RUN_MINS,
  LK_LIMIT_MAX_TRES_MINS_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_NODE,
  LK_LIMIT_MIN_TRES_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_PER_USER,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER,
};
static const uint8_t run_kinds[] = {
  LK_LIMIT_GRP_TRES_MINS,
  LK_LIMIT_GRP_WALL,
  LK_LIMIT_MAX_TRES_MINS_PER_JOB,
};
static const uint8_t accrue_kinds[] = {
  LK_LIMIT_GRP_JOBS_ACCRUE,
  LK_LIMIT_MAX_JOBS_ACCRUE_PER_ACCOUNT,
  LK_LIMIT_MAX_JOBS_ACCRUE_PER_USER,
  LK_LIMIT_MAX_JOBS_ACCRUE,
};
static const uint8_t wall_kinds[] = { LK_LIMIT_GRP_WALL, LK_LIMIT_MAX_WALL_PER_JOB };
static const uint8_t tres_minute_kinds[] = {
  LK_LIMIT_GRP_TRES_MINS,
  LK_LIMIT_GRP_TRES_RUN_MINS,
  LK_LIMIT_MAX_TRES_MINS_PER_JOB,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT,
  LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER,
};
static const uint8_t node_kinds[] = {
  LK_LIMIT_GRP_TRES,
  LK_LIMIT_MAX_TRES_PER_JOB,
  LK_LIMIT_MAX_TRES_PER_USER,
  LK_LIMIT_MAX_TRES_PER_ACCOUNT,
};

static const LkLimitOrder submit_order = ORDER (submit);
static const LkLimitOrder alone_order = ORDER (alone);
static const LkLimitOrder early_order = ORDER (early);
static const LkLimitOrder late_order = ORDER (late);
static const LkLimitOrder run_order = ORDER (run);
static const LkLimitOrder accrue_order = ORDER (accrue);
static const LkLimitOrder wall_order = ORDER (wall);
static const LkLimitOrder tres_minute_order = ORDER (tres_minute);
static const LkLimitOrder node_order = ORDER (node);

static gboolean
is_enforced (const LkView *view, LkJobIndex job)
{
  return (view->accounts->enforce & LK_ENFORCE_LIMITS) != 0
         && view->jobs->association[job] != LK_INDEX_NONE;
}

/* ---------------------------------------------------------------- check */

typedef struct {
  LkLimitAsk ask;
  LkLimitFound found;
  void *sink;
  int32_t is_clear; /* nothing was found */
} Search;

/* Returns FALSE for enough. */
static gboolean
tell (Search *search, const LkLimitFinding *finding)
{
  search->is_clear = 0;
  return search->found (search->sink, finding) != 0;
}

static gboolean
visit_check (void *user, const LkLimitLevel *level, const LkLimitItem *item)
{
  Search *search = user;
  LkLimitFinding finding;
  return !lk_limit_holds (&search->ask, level, item, &finding) || tell (search, &finding);
}

/* The first QOS that has a UsageThreshold and enforces it: a job waits while the fairshare factor
 * of its association is below. */
static gboolean
check_usage_threshold (Search *search)
{
  const LkLimitScope *scope = search->ask.scope;
  const LkAccountsView *accounts = scope->view->accounts;
  for (uint32_t i = 0; i < scope->qos_count; i++) {
    const LkLimitLevel *level = &scope->qos[i];
    const LkQosView *qos = &accounts->qos[level->index];
    if ((qos->flags & LK_QOS_ENFORCE_USAGE_THRESHOLD) == 0 || qos->usage_threshold < 0.0)
      continue;
    if (accounts->associations[scope->association].fairshare >= qos->usage_threshold)
      return TRUE;
    LkLimitFinding finding;
    memset (&finding, 0, sizeof finding);
    finding.size = sizeof finding;
    finding.holder = level->holder;
    finding.index = level->index;
    finding.by_usage_threshold = 1;
    return tell (search, &finding);
  }
  return TRUE;
}

static gboolean
search_order (Search *search, uint32_t when, LkLimitOrder order)
{
  search->ask.when = when;
  return lk_limit_scope_walk (search->ask.scope, order, visit_check, search);
}

/* One step after the other, until one has had enough. */
static void
search_all (Search *search, uint32_t when)
{
  gboolean is_safe = (search->ask.scope->view->accounts->enforce & LK_ENFORCE_SAFE) != 0;
  if ((when & LK_CHECK_SUBMIT) != 0 && !search_order (search, LK_CHECK_SUBMIT, submit_order))
    return;
  if ((when & LK_CHECK_ALONE) != 0 && !search_order (search, LK_CHECK_ALONE, alone_order))
    return;
  if ((when & LK_CHECK_START) != 0
      && !(check_usage_threshold (search) && search_order (search, LK_CHECK_START, early_order)
           && search_order (search, LK_CHECK_START, late_order)))
    return;
  if ((when & LK_CHECK_RUN) != 0 && !is_safe)
    search_order (search, LK_CHECK_RUN, run_order);
}

static int32_t
slurm_check (void *self, const LkView *view, const LkLimitCheck *check, LkLimitFound found,
             void *sink)
{
  (void)self;
  if (!is_enforced (view, check->job))
    return 1;
  LkLimitScope scope;
  lk_limit_scope_init (&scope, view, check->job);
  Search search = { .found = found, .sink = sink, .is_clear = 1 };
  lk_limit_ask_init (&search.ask, &scope, check, 0);
  search_all (&search, check->when);
  return search.is_clear;
}

/* ---------------------------------------------------------------- the other questions */

/* Without any QOS limits are strict; with one, only when it says so. */
static gboolean
is_strict (const LkLimitScope *scope)
{
  gboolean strict = scope->qos_count == 0;
  for (uint32_t i = 0; i < scope->qos_count; i++) {
    const LkQosView *qos = &scope->view->accounts->qos[scope->qos[i].index];
    strict = strict || (qos->flags & LK_QOS_DENY_ON_LIMIT) != 0;
  }
  return strict;
}

static int32_t
slurm_denies (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  if (!is_enforced (view, job))
    return 0;
  LkLimitScope scope;
  lk_limit_scope_init (&scope, view, job);
  return is_strict (&scope);
}

typedef struct {
  const LkLimitScope *scope;
  const uint64_t *tres;
  uint64_t minutes; /* the least so far */
} TimeSearch;

static gboolean
visit_wall (void *user, const LkLimitLevel *level, const LkLimitItem *item)
{
  TimeSearch *search = user;
  search->minutes = MIN (search->minutes, lk_limit_value (search->scope, level, item));
  return TRUE;
}

static gboolean
visit_tres_minutes (void *user, const LkLimitLevel *level, const LkLimitItem *item)
{
  TimeSearch *search = user;
  (void)level;
  gboolean is_unknown = search->scope->view->accounts->compat == LK_COMPAT_SLURM_22_05
                        && (item->kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER
                            || item->kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT);
  uint64_t count = search->tres[item->tres];
  if (count != 0 && !is_unknown)
    search->minutes = MIN (search->minutes, item->value / count);
  return TRUE;
}

static int64_t
slurm_time_limit_us (void *self, const LkView *view, LkJobIndex job, const uint64_t *tres)
{
  (void)self;
  if (!is_enforced (view, job))
    return LK_TIME_NEVER;
  LkLimitScope scope;
  lk_limit_scope_init (&scope, view, job);
  TimeSearch search = { .scope = &scope, .tres = tres, .minutes = UINT64_MAX };
  lk_limit_scope_walk (&scope, wall_order, visit_wall, &search);
  if (is_strict (&scope))
    lk_limit_scope_walk (&scope, tres_minute_order, visit_tres_minutes, &search);
  if (search.minutes > (uint64_t)(LK_TIME_NEVER / MINUTE_US))
    return LK_TIME_NEVER;
  /* No job has a time limit of 0: one that is allowed nothing waits with a minute. */
  return MAX ((int64_t)search.minutes, 1) * MINUTE_US;
}

typedef struct {
  LkLimitAsk ask;
  gboolean is_limited;
} AccrueSearch;

static gboolean
visit_accrue (void *user, const LkLimitLevel *level, const LkLimitItem *item)
{
  AccrueSearch *search = user;
  LkLimitFinding finding;
  search->is_limited = TRUE;
  return !lk_limit_holds (&search->ask, level, item, &finding);
}

static int32_t
slurm_may_accrue (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  if (!is_enforced (view, job))
    return LK_ACCRUE_FREE;
  LkLimitScope scope;
  lk_limit_scope_init (&scope, view, job);
  const LkLimitCheck check = { .size = sizeof check, .job = job, .time_limit_us = 0 };
  AccrueSearch search = { .is_limited = FALSE };
  lk_limit_ask_init (&search.ask, &scope, &check, 0);
  if (!lk_limit_scope_walk (&scope, accrue_order, visit_accrue, &search))
    return LK_ACCRUE_NO;
  return search.is_limited ? LK_ACCRUE_NOW : LK_ACCRUE_FREE;
}

typedef struct {
  const LkLimitScope *scope;
  uint64_t count; /* the least so far */
} NodeSearch;

static gboolean
visit_nodes (void *user, const LkLimitLevel *level, const LkLimitItem *item)
{
  NodeSearch *search = user;
  if (item->tres == LK_TRES_NODE)
    search->count = MIN (search->count, lk_limit_value (search->scope, level, item));
  return TRUE;
}

static uint32_t
slurm_nodes_max (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  if (!is_enforced (view, job))
    return UINT32_MAX;
  LkLimitScope scope;
  lk_limit_scope_init (&scope, view, job);
  NodeSearch search = { .scope = &scope, .count = UINT32_MAX };
  lk_limit_scope_walk (&scope, node_order, visit_nodes, &search);
  return (uint32_t)search.count;
}

/* ---------------------------------------------------------------- the vtable */

static void *
slurm_create (const LkParamValues *values, LkPolicyError *error)
{
  static const char stateless;
  (void)values;
  (void)error;
  return (void *)&stateless;
}

static void
slurm_destroy (void *self)
{
  (void)self;
}

static const LkParam slurm_params[] = { { 0 } };

const LkLimitsPolicy lk_limits_slurm = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkLimitsPolicy),
            .seam = LK_SEAM_LIMITS,
            .version = 1,
            .name = "slurm",
            .summary = "limits of associations and QOS as Slurm enforces them, with its reasons",
            .params = slurm_params,
            .create = slurm_create,
            .destroy = slurm_destroy },
  .check = slurm_check,
  .time_limit_us = slurm_time_limit_us,
  .denies = slurm_denies,
  .may_accrue = slurm_may_accrue,
  .nodes_max = slurm_nodes_max,
};
