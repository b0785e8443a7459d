/* tests/property/accounts_rules.c — see the header. Nothing here is fast. */
#include "tests/property/accounts_rules.h"

#include <math.h>
#include <string.h>

#define MINUTE_US (60 * G_USEC_PER_SEC)
#define NONE LK_INDEX_NONE

const LkAssociationSpec *
lk_model_association_at (const LkAccountsModel *self, guint32 index)
{
  return g_ptr_array_index (self->accounts->associations, index);
}

const LkQosSpec *
lk_model_qos_at (const LkAccountsModel *self, guint32 index)
{
  return g_ptr_array_index (self->accounts->qos, index);
}

LkModelJob *
lk_model_find_job (LkAccountsModel *self, guint32 id)
{
  for (guint i = 0; i < self->job_count; i++)
    if (self->jobs[i].id == id)
      return &self->jobs[i];
  return NULL;
}

/* ---------------------------------------------------------------- names */

static guint32
find_association (const LkAccountsModel *self, const char *account, const char *user,
                  const char *partition)
{
  for (guint32 i = 0; i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *spec = lk_model_association_at (self, i);
    if (strcmp (spec->account, account) == 0 && strcmp (spec->user, user) == 0
        && strcmp (spec->partition, partition) == 0)
      return i;
  }
  return NONE;
}

guint32
lk_model_parent_of (const LkAccountsModel *self, guint32 index)
{
  const LkAssociationSpec *spec = lk_model_association_at (self, index);
  if (spec->user[0] != '\0')
    return find_association (self, spec->account, "", "");
  return index == 0 ? NONE : find_association (self, spec->parent, "", "");
}

guint32
lk_model_find_qos (const LkAccountsModel *self, const char *name)
{
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (strcmp (lk_model_qos_at (self, i)->name, name) == 0)
      return i;
  return NONE;
}

guint32
lk_model_owner_of (const LkAccountsModel *self, const char *account, const char *user,
                   const char *partition)
{
  for (guint32 i = 0; account[0] == '\0' && i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *spec = lk_model_association_at (self, i);
    if (spec->is_default && user[0] != '\0' && strcmp (spec->user, user) == 0)
      account = spec->account;
  }
  guint32 found = user[0] != '\0' ? find_association (self, account, user, partition) : NONE;
  return found != NONE || user[0] == '\0' ? found : find_association (self, account, user, "");
}

gboolean
lk_model_may_use (const LkAccountsModel *self, guint32 association, guint32 qos)
{
  g_auto (GStrv) names = g_strsplit (lk_model_association_at (self, association)->qos, ",", -1);
  guint32 parent = lk_model_parent_of (self, association);
  gboolean is_allowed = FALSE;
  if (names[0] == NULL || names[0][0] == '+' || names[0][0] == '-')
    is_allowed = parent == NONE || lk_model_may_use (self, parent, qos);
  for (guint i = 0; names[i] != NULL; i++) {
    gboolean has_sign = names[i][0] == '+' || names[i][0] == '-';
    if (lk_model_find_qos (self, names[i] + has_sign) == qos)
      is_allowed = names[i][0] != '-';
  }
  return is_allowed;
}

guint32
lk_model_default_qos (const LkAccountsModel *self, guint32 association)
{
  guint32 only = NONE;
  guint count = 0;
  for (guint32 at = association; at != NONE; at = lk_model_parent_of (self, at))
    if (lk_model_association_at (self, at)->default_qos[0] != '\0')
      return lk_model_find_qos (self, lk_model_association_at (self, at)->default_qos);
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (lk_model_may_use (self, association, i)) {
      only = i;
      count++;
    }
  return count == 1 ? only : lk_model_find_qos (self, "normal");
}

/* ---------------------------------------------------------------- who counts where */

static gboolean
is_in (const LkAccountsModel *self, const LkModelJob *job, const LkModelGroup *group)
{
  if (job->association == NONE)
    return FALSE;
  const LkAssociationSpec *own = lk_model_association_at (self, job->association);
  if (group->association != NONE) {
    for (guint32 at = job->association; at != NONE; at = lk_model_parent_of (self, at))
      if (at == group->association)
        return TRUE;
    return FALSE;
  }
  if (job->qos != group->qos && job->partition_qos != group->qos)
    return FALSE;
  return (group->user == NULL || strcmp (group->user, own->user) == 0)
         && (group->account == NULL || strcmp (group->account, own->account) == 0);
}

guint
lk_model_count_jobs (const LkAccountsModel *self, const LkModelGroup *group, gboolean running_only)
{
  guint count = 0;
  for (guint i = 0; i < self->job_count; i++) {
    const LkModelJob *job = &self->jobs[i];
    if (job->state != LK_MODEL_ABSENT && (!running_only || job->state == LK_MODEL_RUNNING))
      count += is_in (self, job, group) ? 1 : 0;
  }
  return count;
}

guint64
lk_model_count_tres (const LkAccountsModel *self, const LkModelGroup *group, guint32 tres,
                     gboolean distinct)
{
  guint64 count = 0;
  guint64 nodes = 0;
  for (guint i = 0; i < self->job_count; i++) {
    const LkModelJob *job = &self->jobs[i];
    if (job->state != LK_MODEL_RUNNING || !is_in (self, job, group))
      continue;
    count += job->given[tres];
    nodes |= job->nodes;
  }
  gboolean is_node = tres == LK_TRES_NODE && self->workload->units_total == 0 && distinct;
  return is_node ? (guint64)__builtin_popcountll (nodes) : count;
}

guint64
lk_model_count_run_s (const LkAccountsModel *self, const LkModelGroup *group, guint32 tres)
{
  guint64 count = 0;
  for (guint i = 0; i < self->job_count; i++) {
    const LkModelJob *job = &self->jobs[i];
    if (job->state == LK_MODEL_RUNNING && is_in (self, job, group))
      count += job->given[tres] * job->left_s;
  }
  return count;
}

const LkModelUsed *
lk_model_used_by (const LkAccountsModel *self, const LkModelGroup *group)
{
  return group->association != NONE ? &self->of_association[group->association]
                                    : &self->of_qos[group->qos];
}

/* ---------------------------------------------------------------- limits */

gboolean
lk_model_find_limit (const GArray *limits, guint32 kind, guint32 tres, guint64 *out_value)
{
  for (guint i = 0; i < limits->len; i++) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
    if (item->kind == kind && item->tres == tres) {
      *out_value = item->value;
      return TRUE;
    }
  }
  return FALSE;
}

/* The QOS of a job, the one whose limits win first. Returns how many. */
static guint
qos_in_order (const LkAccountsModel *self, const LkModelJob *job, guint32 out_qos[2])
{
  guint count = 0;
  gboolean is_over =
      job->qos != NONE && (lk_model_qos_at (self, job->qos)->flags & LK_QOS_OVER_PART_QOS);
  if (job->partition_qos != NONE && !is_over)
    out_qos[count++] = job->partition_qos;
  if (job->qos != NONE && job->qos != job->partition_qos)
    out_qos[count++] = job->qos;
  else if (job->qos != NONE && count == 0)
    out_qos[count++] = job->qos;
  if (job->partition_qos != NONE && is_over && job->partition_qos != job->qos)
    out_qos[count++] = job->partition_qos;
  return count;
}

static guint64
minutes_of (const LkAccountsModel *self, const LkModelJob *job, guint64 count)
{
  guint64 minutes = (guint64)((job->limit_us - 1) / MINUTE_US + 1) * count;
  const LkQosSpec *qos = job->qos != NONE ? lk_model_qos_at (self, job->qos) : NULL;
  if (qos != NULL && (qos->flags & LK_QOS_USAGE_FACTOR_SAFE) != 0)
    minutes = (guint64)floor ((double)minutes * qos->usage_factor);
  return minutes;
}

static gboolean
is_safe (const LkAccountsModel *self)
{
  return (self->accounts->enforce & LK_ENFORCE_SAFE) != 0;
}

static gboolean
breaks_minutes (const LkAccountsModel *self, double used_s, guint64 running_s, guint64 asked,
                LkModelWhen when, guint64 limit)
{
  guint64 used = (guint64)floor (used_s / 60.0);
  if (when == LK_MODEL_ALONE)
    return asked > limit;
  if (used >= limit)
    return TRUE;
  return when == LK_MODEL_AT_START && is_safe (self) && used + running_s / 60 + asked > limit;
}

/* Nodes that the group has count once; before it is known where the job would run, only what it
 * asks for does. */
static gboolean
breaks_nodes (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres,
              const LkModelGroup *group, guint64 limit)
{
  guint64 nodes = job->nodes;
  if (tres == job->asked)
    return tres[LK_TRES_NODE] > limit;
  for (guint i = 0; i < self->job_count; i++)
    if (self->jobs[i].state == LK_MODEL_RUNNING && is_in (self, &self->jobs[i], group))
      nodes |= self->jobs[i].nodes;
  return (guint64)__builtin_popcountll (nodes) > limit;
}

/* Would the job break this limit of the group? */
static gboolean
breaks (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres, LkModelWhen when,
        const LkLimitItem *limit, const LkModelGroup *group)
{
  guint32 t = limit->tres;
  guint64 v = limit->value;
  gboolean counts_others = when != LK_MODEL_ALONE;
  switch (limit->kind) {
  case LK_LIMIT_GRP_JOBS:
  case LK_LIMIT_MAX_JOBS:
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
    return lk_model_count_jobs (self, group, TRUE) >= v;
  case LK_LIMIT_GRP_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT:
    return lk_model_count_jobs (self, group, FALSE) >= v;
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
    if (t == LK_TRES_NODE && self->workload->units_total == 0 && when == LK_MODEL_AT_START)
      return breaks_nodes (self, job, tres, group, v);
    return tres[t] + (counts_others ? lk_model_count_tres (self, group, t, TRUE) : 0) > v;
  case LK_LIMIT_GRP_TRES_RUN_MINS:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return minutes_of (self, job, tres[t])
               + (counts_others ? lk_model_count_run_s (self, group, t) / 60 : 0)
           > v;
  case LK_LIMIT_GRP_TRES_MINS:
    return breaks_minutes (self, lk_model_used_by (self, group)->tres_s[t],
                           lk_model_count_run_s (self, group, t), minutes_of (self, job, tres[t]),
                           when, v);
  case LK_LIMIT_GRP_WALL:
    return breaks_minutes (self, lk_model_used_by (self, group)->wall_s, 0,
                           minutes_of (self, job, 1), when, v);
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
    if (when != LK_MODEL_WHILE_RUNNING)
      return minutes_of (self, job, tres[t]) > v;
    return tres[t] > 0 && (guint64)((self->now_us - job->start_us) / MINUTE_US) * tres[t] + 1 > v;
  case LK_LIMIT_MAX_TRES_PER_JOB:
    return tres[t] > v;
  case LK_LIMIT_MAX_TRES_PER_NODE:
    return tres[t] / MAX (tres[LK_TRES_NODE], 1) > v;
  case LK_LIMIT_MIN_TRES_PER_JOB:
    return tres[t] < v;
  case LK_LIMIT_MAX_WALL_PER_JOB:
    return minutes_of (self, job, 1) > v;
  default:
    return FALSE;
  }
}

static gboolean
concerns (guint32 kind, LkModelWhen when)
{
  switch (kind) {
  case LK_LIMIT_GRP_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT:
    return when == LK_MODEL_AT_SUBMIT;
  case LK_LIMIT_GRP_JOBS:
  case LK_LIMIT_MAX_JOBS:
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
    return when == LK_MODEL_AT_START;
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_WALL:
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
    return when != LK_MODEL_AT_SUBMIT;
  default:
    return when == LK_MODEL_AT_START || when == LK_MODEL_ALONE;
  }
}

static gboolean
is_group_kind (guint32 kind)
{
  return g_str_has_prefix (lk_limit_kind_name (kind), "Grp");
}

/* Limits of associations that a QOS puts out of force with others of its own. */
static gboolean
is_put_out (const LkQosSpec *qos, guint32 kind)
{
  guint64 value;
  if (kind == LK_LIMIT_MAX_JOBS)
    return lk_model_find_limit (qos->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0, &value)
           || lk_model_find_limit (qos->limits, LK_LIMIT_MAX_JOBS_PER_ACCOUNT, 0, &value);
  if (kind == LK_LIMIT_MAX_SUBMIT_JOBS)
    return lk_model_find_limit (qos->limits, LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER, 0, &value)
           || lk_model_find_limit (qos->limits, LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT, 0, &value);
  return FALSE;
}

static gboolean
breaks_in_qos (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres,
               LkModelWhen when, LkLimitItem limit, guint32 qos)
{
  const LkView *view = lk_engine_view (self->engine);
  const LkAssociationSpec *own = lk_model_association_at (self, job->association);
  const char *name = lk_limit_kind_name (limit.kind);
  LkModelGroup group = { .association = NONE, .qos = qos };
  gboolean is_old = self->accounts->compat == LK_COMPAT_SLURM_22_05;
  if (g_str_has_suffix (name, "PerUser"))
    group.user = own->user;
  if (g_str_has_suffix (name, "PerAccount"))
    group.account = own->account;
  if (is_old
      && (limit.kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER
          || limit.kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT))
    return FALSE;
  if (!is_old && (lk_model_qos_at (self, qos)->flags & LK_QOS_RELATIVE) != 0
      && lk_limit_kind_value (limit.kind) == LK_LIMIT_TRES) {
    const guint64 *totals = qos == job->partition_qos ? view->partitions[job->partition].tres_total
                                                      : view->accounts->tres_total;
    limit.value = limit.value * totals[limit.tres] / 100;
  }
  return breaks (self, job, tres, when, &limit, &group);
}

static gboolean
breaks_in_associations (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres,
                        LkModelWhen when, LkLimitItem limit, double factor)
{
  guint64 value;
  for (guint32 at = job->association; at != NONE; at = lk_model_parent_of (self, at)) {
    if (!lk_model_find_limit (lk_model_association_at (self, at)->limits, limit.kind, limit.tres,
                              &value))
      continue;
    gboolean is_group = is_group_kind (limit.kind);
    LkModelGroup group = { .association = is_group ? at : job->association, .qos = NONE };
    gboolean is_scaled = limit.kind == LK_LIMIT_GRP_TRES || limit.kind == LK_LIMIT_MAX_TRES_PER_JOB;
    limit.value = is_scaled ? (guint64)floor ((double)value * factor) : value;
    if (breaks (self, job, tres, when, &limit, &group))
      return TRUE;
    if (!is_group)
      return FALSE;
  }
  return FALSE;
}

static gboolean
breaks_kind (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres,
             LkModelWhen when, LkLimitItem limit)
{
  guint32 qos[2];
  double factor = 1.0;
  guint qos_count = qos_in_order (self, job, qos);
  for (guint i = qos_count; i-- > 0;)
    if (lk_model_qos_at (self, qos[i])->limit_factor >= 0)
      factor = lk_model_qos_at (self, qos[i])->limit_factor;
  for (guint i = 0; i < qos_count; i++) {
    if (lk_model_find_limit (lk_model_qos_at (self, qos[i])->limits, limit.kind, limit.tres,
                             &limit.value))
      return breaks_in_qos (self, job, tres, when, limit, qos[i]);
    if (is_put_out (lk_model_qos_at (self, qos[i]), limit.kind))
      return FALSE;
  }
  return breaks_in_associations (self, job, tres, when, limit, factor);
}

static gboolean
is_below_threshold (const LkAccountsModel *self, const LkModelJob *job)
{
  guint32 qos[2];
  guint qos_count = qos_in_order (self, job, qos);
  const LkView *view = lk_engine_view (self->engine);
  for (guint i = 0; i < qos_count; i++) {
    const LkQosSpec *spec = lk_model_qos_at (self, qos[i]);
    if ((spec->flags & LK_QOS_ENFORCE_USAGE_THRESHOLD) != 0 && spec->usage_threshold >= 0)
      return view->accounts->associations[job->association].fairshare < spec->usage_threshold;
  }
  return FALSE;
}

/* The kind of a limit that forbids it, or LK_MODEL_NO_KIND. */
gint
lk_model_find_broken (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres,
                      LkModelWhen when)
{
  if (job->association == NONE || (self->accounts->enforce & LK_ENFORCE_LIMITS) == 0)
    return LK_MODEL_NO_KIND;
  if (when == LK_MODEL_WHILE_RUNNING && is_safe (self))
    return LK_MODEL_NO_KIND;
  if (when == LK_MODEL_AT_START && is_below_threshold (self, job))
    return LK_MODEL_BY_THRESHOLD;
  for (guint32 kind = 0; kind < LK_LIMIT_KIND_COUNT; kind++) {
    LkLimitValue value = lk_limit_kind_value (kind);
    gboolean has_tres = value == LK_LIMIT_TRES || value == LK_LIMIT_TRES_MINUTES;
    if (!concerns (kind, when))
      continue;
    for (guint32 t = 0; t < (has_tres ? self->accounts->tres->len : 1); t++)
      if (breaks_kind (self, job, tres, when, (LkLimitItem){ kind, t, 0 }))
        return (gint)kind;
  }
  return LK_MODEL_NO_KIND;
}

gboolean
lk_model_is_strict (const LkAccountsModel *self, const LkModelJob *job)
{
  guint32 qos[2];
  guint qos_count = qos_in_order (self, job, qos);
  gboolean lk_model_is_strict = qos_count == 0;
  for (guint i = 0; i < qos_count; i++)
    lk_model_is_strict |= (lk_model_qos_at (self, qos[i])->flags & LK_QOS_DENY_ON_LIMIT) != 0;
  return lk_model_is_strict;
}
