/* policies/easy.c — EASY (aggressive) backfilling.
 *
 * The first job that does not fit gets a reservation at the shadow time, the earliest moment at
 * which enough running jobs are expected to have ended.  A later job starts now if it fits and does
 * not delay that reservation: it is expected to end by the shadow time, or takes no more than the
 * units that will be left over then. With reservations=K the first K jobs that cannot start hold
 * reservations, planned one after the other in a profile of future capacity; the rest must delay
 * none of them.  With `order` the jobs behind the reservations are tried in an order of their own
 * (shortest first: SJBF, EASY++). Source: Lifka 1995; Mu'alem & Feitelson, IEEE TPDS 12(6), 2001;
 * Tsafrir et al., IEEE TPDS 18(6), 2007 (SJBF). */
#include "policies/backfills.h"

#include <glib.h>

enum { PARAM_ORDER, PARAM_RESERVATIONS };

typedef struct {
  int64_t reservation_count;
  void *plan; /* made at the first pass that needs it */
  const LkPlanOps *plan_ops;
} Easy;

static void *
easy_create (const LkParamValues *values, LkPolicyError *error)
{
  Easy *self = g_new0 (Easy, 1);
  (void)error;
  self->reservation_count = values->values[PARAM_RESERVATIONS].integer;
  self->plan_ops = values->host->plan;
  return self;
}

static void
easy_destroy (void *user)
{
  Easy *self = user;
  if (self != NULL && self->plan != NULL)
    self->plan_ops->destroy (self->plan);
  g_free (self);
}

static inline uint32_t
least (uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* One reservation: the head's, known by its shadow time and the units left over then. */
static void
backfill_around_head (const LkView *view, const LkPassOps *ops, void *pass, LkJobIndex head)
{
  uint32_t shadow_free = 0;
  int64_t shadow_us = ops->shadow (pass, view->jobs->units[head], &shadow_free);
  uint32_t extra = shadow_free - view->jobs->units[head];
  int64_t short_us = shadow_us - view->now_us;
  LkJobIndex job = LK_JOB_NONE;
  while (view->units_free > 0) {
    LkQueueFilter filter = { .units_max = view->units_free,
                             .units_long_max = least (view->units_free, extra),
                             .short_us = short_us };
    job = ops->queue_next (pass, LK_QUEUE_BACKFILL, job, &filter);
    if (job == LK_JOB_NONE)
      return;
    if (view->jobs->estimate_us[job] > short_us)
      extra -= view->jobs->units[job];
    ops->start (pass, job);
  }
}

/* Can the job run now, from its start to its end, beside everything in the plan? */
static int
fits_now (const Easy *self, const LkView *view, LkJobIndex job)
{
  return view->jobs->units[job] <= view->units_free
         && self->plan_ops->earliest (self->plan, view, job, view->now_us, view->now_us + 1)
                == view->now_us;
}

/* Walks from the blocked head and hands out the reservations. Returns the last job walked over that
 * still waits. */
static LkJobIndex
reserve_first (const Easy *self, const LkView *view, const LkPassOps *ops, void *pass,
               LkJobIndex head)
{
  int64_t left = self->reservation_count;
  LkJobIndex last = LK_JOB_NONE;
  LkJobIndex job = head;
  while (job != LK_JOB_NONE) {
    left -= ops->plan_hets (pass, self->plan, job, (uint32_t)left);
    if (left <= 0)
      return last;
    LkJobIndex next = ops->queue_next (pass, LK_QUEUE_PRIORITY, job, NULL);
    if (fits_now (self, view, job)) {
      ops->start_planned (pass, self->plan, job);
      /* An array: its next task. */
      if (view->jobs->phase[job] == LK_PHASE_QUEUED)
        next = ops->queue_next (pass, LK_QUEUE_PRIORITY, job, NULL);
    } else {
      int64_t start_us =
          self->plan_ops->earliest (self->plan, view, job, view->now_us, LK_TIME_NEVER);
      /* A job that cannot run as the machine stands, because nodes are down, holds up nobody. */
      if (start_us != LK_TIME_NEVER) {
        self->plan_ops->reserve (self->plan, view, job, start_us);
        /* What is planned inside an advance reservation is beside the others. */
        left -= view->jobs->in_reservation[job] ? 0 : 1;
      }
      last = job;
    }
    job = next;
    if (left <= 0)
      return last;
  }
  ops->plan_hets (pass, self->plan, LK_JOB_NONE, (uint32_t)left);
  return last;
}

static void
backfill_around_plan (Easy *self, const LkView *view, const LkPassOps *ops, void *pass,
                      LkJobIndex head)
{
  if (self->plan == NULL)
    self->plan = self->plan_ops->create (view);
  self->plan_ops->reset (self->plan, view);
  LkJobIndex last = reserve_first (self, view, ops, pass, head);
  /* The jobs that hold reservations have their place in the plan, so they cannot fit a second time
   * before it; but one that is overdue for its place must not be taken for a candidate. */
  LkJobIndex job = LK_JOB_NONE;
  while (view->units_free > 0) {
    LkQueueFilter filter = { .units_max = view->units_free,
                             .units_long_max = view->units_free,
                             .short_us = LK_TIME_NEVER };
    job = ops->queue_next (pass, LK_QUEUE_BACKFILL, job, &filter);
    if (job == LK_JOB_NONE)
      break;
    int behind = last == LK_JOB_NONE || ops->queue_before (pass, LK_QUEUE_PRIORITY, last, job);
    if (behind && fits_now (self, view, job))
      ops->start_planned (pass, self->plan, job);
  }
  ops->plan_hets (pass, self->plan, LK_JOB_NONE, 0);
}

static void
easy_pass (void *user, const LkView *view, const LkPassOps *ops, void *pass)
{
  Easy *self = user;
  LkJobIndex head = lk_backfill_start_heads (view, ops, pass);
  uint32_t het_count = ops->het_count (pass);
  if (head == LK_JOB_NONE && het_count == 0)
    return;
  if (view->units_free == 0 && het_count == 0)
    return;
  if (self->reservation_count == 1 && view->cluster == NULL && het_count == 0)
    backfill_around_head (view, ops, pass, head);
  else
    backfill_around_plan (self, view, ops, pass, head);
}

static const LkParam easy_params[] = {
  [PARAM_ORDER] = { .name = "order",
                    .type = LK_PARAM_ORDER,
                    .unit = "",
                    .default_value = "",
                    .help = "order in which jobs are tried for backfilling; empty: the queue's" },
  [PARAM_RESERVATIONS] = { .name = "reservations",
                           .type = LK_PARAM_INTEGER,
                           .unit = "jobs",
                           .default_value = "1",
                           .minimum = 1,
                           .maximum = 1000000,
                           .help = "how many of the first waiting jobs hold a reservation" },
  { 0 },
};

const LkBackfillPolicy lk_backfill_easy = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
            .name = "easy",
            .summary = "aggressive backfilling around the head's reservation (Lifka 1995; "
                       "Mu'alem & Feitelson 2001)",
            .params = easy_params,
            .create = easy_create,
            .destroy = easy_destroy },
  .pass = easy_pass,
  .plans_hets = 1,
};
