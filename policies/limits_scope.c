/* policies/limits_scope.c — see limits_scope.h. */
#include "policies/limits_scope.h"

#define BIT(KIND) (1u << LK_LIMIT_##KIND)

/* Kinds that hold a group: every association from the job's to the root counts.  All others are of
 * a single job or of the job's association alone, and what accounts above set was handed down
 * (LkAssociationView.job_limits). */
static const uint32_t group_kinds = BIT (GRP_JOBS) | BIT (GRP_JOBS_ACCRUE) | BIT (GRP_SUBMIT_JOBS)
                                    | BIT (GRP_TRES) | BIT (GRP_TRES_MINS) | BIT (GRP_TRES_RUN_MINS)
                                    | BIT (GRP_WALL);

/* ---------------------------------------------------------------- levels */

static void
level_set_run (LkLimitLevel *self, const LkAccountsView *accounts, LkLimitRun run, uint32_t kinds)
{
  self->items = accounts->limits + run.first;
  self->item_count = run.count;
  self->kinds = 0;
  for (uint32_t i = 0; i < run.count; i++)
    self->kinds |= 1u << self->items[i].kind;
  self->kinds &= kinds;
}

static void
add_qos (LkLimitScope *self, uint32_t qos, uint32_t holder, const uint64_t *tres_total)
{
  const LkAccountsView *accounts = self->view->accounts;
  if (qos == LK_INDEX_NONE || accounts->qos == NULL)
    return;
  const LkQosView *of = &accounts->qos[qos];
  LkLimitLevel *level = &self->qos[self->qos_count++];
  /* Relative came with Slurm 23.11. */
  gboolean is_relative =
      (of->flags & LK_QOS_RELATIVE) != 0 && accounts->compat != LK_COMPAT_SLURM_22_05;
  level->holder = holder;
  level->index = qos;
  level->use = &of->use;
  level->percent_of = is_relative ? tres_total : NULL;
  level_set_run (level, accounts, of->limits, UINT32_MAX);
}

void
lk_limit_scope_init (LkLimitScope *self, const LkView *view, LkJobIndex job)
{
  const LkAccountsView *accounts = view->accounts;
  const LkPartitionView *partition = &view->partitions[view->jobs->partition[job]];
  uint32_t qos = view->jobs->qos[job];
  self->view = view;
  self->association = view->jobs->association[job];
  self->job_qos = qos == LK_INDEX_NONE ? NULL : &accounts->qos[qos];
  self->qos_count = 0;
  gboolean is_over = self->job_qos != NULL && (self->job_qos->flags & LK_QOS_OVER_PART_QOS) != 0;
  if (qos == partition->qos) {
    add_qos (self, qos, LK_HOLDER_QOS, partition->tres_total);
    return;
  }
  if (!is_over)
    add_qos (self, partition->qos, LK_HOLDER_PARTITION_QOS, partition->tres_total);
  add_qos (self, qos, LK_HOLDER_QOS, accounts->tres_total);
  if (is_over)
    add_qos (self, partition->qos, LK_HOLDER_PARTITION_QOS, partition->tres_total);
}

/* ---------------------------------------------------------------- the walk */

/* Set of the kinds that, set in a QOS, put a limit of this kind out of force. */
static uint32_t
kinds_over (uint32_t kind)
{
  switch (kind) {
  case LK_LIMIT_MAX_JOBS:
    return BIT (MAX_JOBS_PER_USER) | BIT (MAX_JOBS_PER_ACCOUNT);
  case LK_LIMIT_MAX_JOBS_ACCRUE:
    return BIT (MAX_JOBS_ACCRUE_PER_USER) | BIT (MAX_JOBS_ACCRUE_PER_ACCOUNT);
  case LK_LIMIT_MAX_SUBMIT_JOBS:
    return BIT (MAX_SUBMIT_JOBS_PER_USER) | BIT (MAX_SUBMIT_JOBS_PER_ACCOUNT);
  default:
    return 1u << kind;
  }
}

/* Has one of the first `qos_count` QOS a limit that goes before this one? */
static gboolean
is_owned (const LkLimitScope *self, uint32_t qos_count, const LkLimitItem *item)
{
  uint32_t over = kinds_over (item->kind);
  for (uint32_t i = 0; i < qos_count; i++) {
    const LkLimitLevel *level = &self->qos[i];
    for (uint32_t j = 0; (level->kinds & over) != 0 && j < level->item_count; j++) {
      const LkLimitItem *other = &level->items[j];
      if ((over & (1u << other->kind)) != 0 && other->tres == item->tres)
        return TRUE;
    }
  }
  return FALSE;
}

/* What a walk looks for. */
typedef struct {
  LkLimitOrder order;
  uint32_t kinds; /* of the order, as a set */
  LkLimitVisit visit;
  void *user;
} Walk;

/* The limits of one kind on a level behind `qos_before` QOS. */
static gboolean
walk_kind (const LkLimitScope *self, const Walk *walk, const LkLimitLevel *level,
           uint32_t qos_before, uint32_t kind)
{
  uint32_t i = 0;
  while (i < level->item_count && level->items[i].kind < kind)
    i++;
  for (; i < level->item_count && level->items[i].kind == kind; i++) {
    if (!is_owned (self, qos_before, &level->items[i])
        && !walk->visit (walk->user, level, &level->items[i]))
      return FALSE;
  }
  return TRUE;
}

static gboolean
walk_level (const LkLimitScope *self, const Walk *walk, const LkLimitLevel *level,
            uint32_t qos_before)
{
  uint32_t kinds = level->kinds & walk->kinds;
  for (uint32_t i = 0; kinds != 0 && i < walk->order.count; i++) {
    uint32_t kind = walk->order.kinds[i];
    if ((kinds & (1u << kind)) == 0)
      continue;
    if (!walk_kind (self, walk, level, qos_before, kind))
      return FALSE;
    kinds &= ~(1u << kind);
  }
  return TRUE;
}

static gboolean
walk_associations (const LkLimitScope *self, const Walk *walk)
{
  const LkAccountsView *accounts = self->view->accounts;
  LkLimitLevel level = { .holder = LK_HOLDER_ASSOCIATION, .percent_of = NULL };
  for (uint32_t at = self->association; at != LK_INDEX_NONE;
       at = accounts->associations[at].parent) {
    const LkAssociationView *association = &accounts->associations[at];
    level.index = at;
    level.use = &association->use;
    level_set_run (&level, accounts, association->limits, group_kinds);
    if (!walk_level (self, walk, &level, self->qos_count))
      return FALSE;
    if (at != self->association)
      continue;
    level_set_run (&level, accounts, association->job_limits, ~group_kinds);
    if (!walk_level (self, walk, &level, self->qos_count))
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_limit_scope_walk (const LkLimitScope *self, LkLimitOrder order, LkLimitVisit visit, void *user)
{
  Walk walk = { .order = order, .kinds = 0, .visit = visit, .user = user };
  for (uint32_t i = 0; i < order.count; i++)
    walk.kinds |= 1u << order.kinds[i];
  for (uint32_t i = 0; i < self->qos_count; i++) {
    if (!walk_level (self, &walk, &self->qos[i], i))
      return FALSE;
  }
  return walk_associations (self, &walk);
}
