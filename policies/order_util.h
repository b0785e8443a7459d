/* policies/order_util.h — what the order policies have in common.
 *
 * Most orders have the same two parameters.  `threshold_s` is the remedy against starvation of
 * semantics "thr": a job that has waited longer comes before every job that has not, and such jobs
 * run first come, first served.  `origin_s` says from where submit times are counted.  Every key
 * passes through lk_order_key, so that no policy repeats the rule.
 *
 * Invariants: seconds are microseconds divided by 1e6 and nothing else, so that two policies that
 * mean the same quotient compute the same bits; no time arithmetic wraps. */
#ifndef LK_POLICIES_ORDER_UTIL_H
#define LK_POLICIES_ORDER_UTIL_H

#include "engine/policy.h"

#define LK_ORDER_SECONDS_MAX 1e12

/* Above every key that lk_order_key gives to a job that does not starve. */
#define LK_ORDER_KEY_STARVING INT64_MAX

/* An instance of any order policy whose parameters are none, LK_ORDER_PARAM_THRESHOLD, or that and
 * LK_ORDER_PARAM_ORIGIN. */
typedef struct {
  int64_t threshold_us; /* LK_TIME_NEVER: off */
  int64_t origin_us;    /* LK_TIME_NEVER: the view's */
} LkOrder;

#define LK_ORDER_PARAM_THRESHOLD                                                                   \
  {                                                                                                \
    "threshold_s", LK_PARAM_REAL, "s", "0", 0.0, LK_ORDER_SECONDS_MAX,                             \
        "Jobs that have waited longer come first, in order of submission; 0 is off."               \
  }
#define LK_ORDER_PARAM_ORIGIN                                                                      \
  {                                                                                                \
    "origin_s", LK_PARAM_REAL, "s", "-1", -1.0, LK_ORDER_SECONDS_MAX,                              \
        "Submit times are counted from here; -1 is the first submit."                              \
  }
#define LK_ORDER_PARAM_END                                                                         \
  {                                                                                                \
    NULL, 0, NULL, NULL, 0.0, 0.0, NULL                                                            \
  }

/* The common head of an order policy that keeps no state. */
#define LK_ORDER_BASE(order_name, order_params, order_summary)                                     \
  {                                                                                                \
    .abi = LK_POLICY_ABI, .size = sizeof (LkOrderPolicy), .seam = LK_SEAM_ORDER, .version = 1,     \
    .name = (order_name), .summary = (order_summary), .params = (order_params),                    \
    .create = lk_order_create, .destroy = lk_order_destroy, .save = NULL, .load = NULL             \
  }

/* Slots for LK_ORDER_BASE. Returns: (transfer full) an LkOrder. */
void *lk_order_create (const LkParamValues *values, LkPolicyError *error);
void lk_order_destroy (void *self);
/* Likewise for an instance whose first member is an LkOrder: fills that member. Returns 0 with
 * `error` filled when a value is refused. */
int32_t lk_order_init (LkOrder *self, const LkParamValues *values, LkPolicyError *error);

/* Writes why `create` refuses its values, cut at the room there is. */
void lk_order_refuse (LkPolicyError *error, const char *text);

/* Slots `is_dynamic`: of an order that changes only through the threshold; of one that always
 * does. */
int32_t lk_order_has_threshold (void *self);
int32_t lk_order_always_dynamic (void *self);

static inline double
lk_order_seconds (int64_t time_us)
{
  return (double)time_us / 1e6;
}

/* Time from `from_us` to `to_us`, stopping at the ends of int64. */
static inline int64_t
lk_order_span_us (int64_t from_us, int64_t to_us)
{
  int64_t span_us;
  if (__builtin_sub_overflow (to_us, from_us, &span_us))
    return to_us > from_us ? INT64_MAX : INT64_MIN;
  return span_us;
}

/* w, p and q of the literature. */
static inline double
lk_order_wait_s (const LkView *view, LkJobIndex job)
{
  return lk_order_seconds (lk_order_span_us (view->jobs->submit_us[job], view->now_us));
}

static inline double
lk_order_estimate_s (const LkView *view, LkJobIndex job)
{
  return lk_order_seconds (view->jobs->estimate_us[job]);
}

static inline double
lk_order_procs (const LkView *view, LkJobIndex job)
{
  return (double)view->jobs->procs[job];
}

/* s of F1 to F4: seconds from the origin to the submit, at least 1. */
static inline double
lk_order_submit_s (const LkOrder *self, const LkView *view, LkJobIndex job)
{
  int64_t origin_us = self->origin_us == LK_TIME_NEVER ? view->origin_us : self->origin_us;
  double submit_s = lk_order_seconds (lk_order_span_us (origin_us, view->jobs->submit_us[job]));
  return submit_s > 1.0 ? submit_s : 1.0;
}

/* The key of a job: `key`, unless the job has waited longer than the threshold. */
static inline int64_t
lk_order_key (const LkOrder *self, const LkView *view, LkJobIndex job, int64_t key)
{
  if (self->threshold_us == LK_TIME_NEVER)
    return key;
  if (lk_order_span_us (view->jobs->submit_us[job], view->now_us) > self->threshold_us)
    return LK_ORDER_KEY_STARVING;
  return key < LK_ORDER_KEY_STARVING ? key : LK_ORDER_KEY_STARVING - 1;
}

/* The same for the scores of the literature: the highest or the lowest goes first. */
static inline int64_t
lk_order_key_highest (const LkOrder *self, const LkView *view, LkJobIndex job, double score)
{
  return lk_order_key (self, view, job, lk_key_from_real (score));
}

static inline int64_t
lk_order_key_lowest (const LkOrder *self, const LkView *view, LkJobIndex job, double score)
{
  return lk_order_key (self, view, job, lk_key_from_real (-score));
}

#endif
