/* policies/limits_scope.h — which limits hold for a job, and in which order they are looked at.
 *
 * Limits are set on levels: the QOS of the job and that of its partition, then its association and
 * all above it, up to the root.  The first QOS is that of the partition, or the job's when it has
 * the flag OverPartQOS.  A limit that a QOS sets (for a TRES) is the only one of its kind: the
 * other QOS and all associations are not asked, even when theirs is tighter.  Between associations
 * each one counts.
 *
 * Invariants: the cost of a walk grows with the limits that are set, not with those that could be.
 *
 * Not here: what a limit says of a job (limits_measure.h). Source: Slurm's resource_limits.html and
 * qos.html. */
#ifndef LK_POLICIES_LIMITS_SCOPE_H
#define LK_POLICIES_LIMITS_SCOPE_H

#include <glib.h>

#include "engine/policy.h"

/* One place where limits are set. */
typedef struct {
  uint32_t holder; /* LK_HOLDER_* */
  uint32_t index;
  uint32_t kinds; /* set of the kinds that count here: bit LkLimitKind */
  uint32_t item_count;
  const LkLimitItem *items;   /* all that are set, by kind, then TRES */
  const LkUse *use;           /* of the association or QOS */
  const uint64_t *percent_of; /* limits on TRES are percentages of this; NULL: they are not */
} LkLimitLevel;

typedef struct {
  const LkView *view;
  const LkQosView *job_qos; /* NULL: none */
  uint32_t association;     /* LK_INDEX_NONE: none */
  uint32_t qos_count;
  LkLimitLevel qos[2]; /* the first one owns what it sets */
} LkLimitScope;

void lk_limit_scope_init (LkLimitScope *self, const LkView *view, LkJobIndex job);

/* Kinds of limits in an order. */
typedef struct {
  const uint8_t *kinds; /* LkLimitKind */
  uint32_t count;
} LkLimitOrder;

/* Called for a limit; returns FALSE for enough. */
typedef gboolean (*LkLimitVisit) (void *user, const LkLimitLevel *level, const LkLimitItem *item);

/* Visits the limits of these kinds that hold here: level by level, within a level in the order
 * given, within a kind by TRES. Returns FALSE when a visit did. */
gboolean lk_limit_scope_walk (const LkLimitScope *self, LkLimitOrder order, LkLimitVisit visit,
                              void *user);

#endif
