/* policies/orders.h — the order policies that are built in; docs/policy-orders.md says what each
 * means.
 *
 * The scores are those of the literature, for tests: what goes first is the highest or the lowest
 * as the formula's source has it, while a policy's key is always highest first. */
#ifndef LK_POLICIES_ORDERS_H
#define LK_POLICIES_ORDERS_H

#include "engine/policy.h"

extern const LkOrderPolicy lk_order_basic;
extern const LkOrderPolicy lk_order_expr;
extern const LkOrderPolicy lk_order_f1;
extern const LkOrderPolicy lk_order_f2;
extern const LkOrderPolicy lk_order_f3;
extern const LkOrderPolicy lk_order_f4;
extern const LkOrderPolicy lk_order_fifo;
extern const LkOrderPolicy lk_order_largest;
extern const LkOrderPolicy lk_order_lifo;
extern const LkOrderPolicy lk_order_ljf;
extern const LkOrderPolicy lk_order_multifactor;
extern const LkOrderPolicy lk_order_saf;
extern const LkOrderPolicy lk_order_sexp;
extern const LkOrderPolicy lk_order_sjf;
extern const LkOrderPolicy lk_order_smallest;
extern const LkOrderPolicy lk_order_unicef;
extern const LkOrderPolicy lk_order_wfp3;
extern const LkOrderPolicy lk_order_xfactor;

/* Lowest first. */
double lk_order_saf_score (const LkView *view, LkJobIndex job);
double lk_order_sexp_score (const LkView *view, LkJobIndex job);
/* Highest first. */
double lk_order_xfactor_score (const LkView *view, LkJobIndex job);
double lk_order_wfp3_score (const LkView *view, LkJobIndex job);
/* Highest first. `self` is an instance of the policy, as for those below. */
double lk_order_unicef_score (const void *self, const LkView *view, LkJobIndex job);
/* Lowest first. */
double lk_order_f1_score (const void *self, const LkView *view, LkJobIndex job);
double lk_order_f2_score (const void *self, const LkView *view, LkJobIndex job);
double lk_order_f3_score (const void *self, const LkView *view, LkJobIndex job);
double lk_order_f4_score (const void *self, const LkView *view, LkJobIndex job);

#endif
