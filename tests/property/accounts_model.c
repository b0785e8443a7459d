/* tests/property/accounts_model.c — see the header. Nothing here is fast. */
#include "tests/property/accounts_model.h"

#include <math.h>
#include <string.h>

#define MINUTE_US (60 * G_USEC_PER_SEC)
#define NONE LK_INDEX_NONE
#define TRES_MAX 16u
#define NO_KIND (-1)
#define BY_THRESHOLD 100

typedef enum { ABSENT, PENDING, RUNNING } State;
typedef enum { AT_SUBMIT, ALONE, AT_START, WHILE_RUNNING } When;

typedef struct {
  State state;
  guint32 id;
  guint32 association;
  guint32 qos;
  guint32 partition;
  guint32 partition_qos;
  guint64 asked[TRES_MAX];
  guint64 given[TRES_MAX];
  guint64 nodes; /* set */
  gint64 limit_us;
  gint64 start_us;
  gint64 charged_us;
  guint64 left_s; /* that it may still run, as booked */
  gboolean must_end;
  gboolean is_ending;
} Job;

typedef struct {
  double usage;
  double wall_s;
  double tres_s[TRES_MAX];
} Used;

struct _LkAccountsModel {
  const LkAccountsWorkload *workload;
  const LkAccounts *accounts;
  const LkEngine *engine;
  gboolean head_starts;
  gint64 now_us;
  gint64 cycle_us; /* G_MININT64: none yet */
  Used *of_association;
  Used *of_qos;
  guint job_count;
  Job jobs[LK_MACHINE_JOBS_MAX];
  guint blocked_count;
  guint killed_count;
  guint beyond_count;
};

static const LkAssociationSpec *
association_at (const LkAccountsModel *self, guint32 index)
{
  return g_ptr_array_index (self->accounts->associations, index);
}

static const LkQosSpec *
qos_at (const LkAccountsModel *self, guint32 index)
{
  return g_ptr_array_index (self->accounts->qos, index);
}

static const char *
tres_name (const LkAccountsModel *self, guint32 tres)
{
  return g_ptr_array_index (self->accounts->tres, tres);
}

static Job *
find_job (LkAccountsModel *self, guint32 id)
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
    const LkAssociationSpec *spec = association_at (self, i);
    if (strcmp (spec->account, account) == 0 && strcmp (spec->user, user) == 0
        && strcmp (spec->partition, partition) == 0)
      return i;
  }
  return NONE;
}

static guint32
parent_of (const LkAccountsModel *self, guint32 index)
{
  const LkAssociationSpec *spec = association_at (self, index);
  if (spec->user[0] != '\0')
    return find_association (self, spec->account, "", "");
  return index == 0 ? NONE : find_association (self, spec->parent, "", "");
}

static guint32
find_qos (const LkAccountsModel *self, const char *name)
{
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (strcmp (qos_at (self, i)->name, name) == 0)
      return i;
  return NONE;
}

static guint32
owner_of (const LkAccountsModel *self, const char *account, const char *user, const char *partition)
{
  for (guint32 i = 0; account[0] == '\0' && i < self->accounts->associations->len; i++) {
    const LkAssociationSpec *spec = association_at (self, i);
    if (spec->is_default && user[0] != '\0' && strcmp (spec->user, user) == 0)
      account = spec->account;
  }
  guint32 found = user[0] != '\0' ? find_association (self, account, user, partition) : NONE;
  return found != NONE || user[0] == '\0' ? found : find_association (self, account, user, "");
}

static gboolean
may_use (const LkAccountsModel *self, guint32 association, guint32 qos)
{
  g_auto (GStrv) names = g_strsplit (association_at (self, association)->qos, ",", -1);
  guint32 parent = parent_of (self, association);
  gboolean is_allowed = FALSE;
  if (names[0] == NULL || names[0][0] == '+' || names[0][0] == '-')
    is_allowed = parent == NONE || may_use (self, parent, qos);
  for (guint i = 0; names[i] != NULL; i++) {
    gboolean has_sign = names[i][0] == '+' || names[i][0] == '-';
    if (find_qos (self, names[i] + has_sign) == qos)
      is_allowed = names[i][0] != '-';
  }
  return is_allowed;
}

static guint32
default_qos (const LkAccountsModel *self, guint32 association)
{
  guint32 only = NONE;
  guint count = 0;
  for (guint32 at = association; at != NONE; at = parent_of (self, at))
    if (association_at (self, at)->default_qos[0] != '\0')
      return find_qos (self, association_at (self, at)->default_qos);
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (may_use (self, association, i)) {
      only = i;
      count++;
    }
  return count == 1 ? only : find_qos (self, "normal");
}

/* ---------------------------------------------------------------- who counts where */

/* A holder of limits: an association, a QOS, or the user or account of a job within a QOS. */
typedef struct {
  guint32 association;
  guint32 qos;
  const char *user;
  const char *account;
} Group;

static gboolean
is_in (const LkAccountsModel *self, const Job *job, const Group *group)
{
  if (job->association == NONE)
    return FALSE;
  const LkAssociationSpec *own = association_at (self, job->association);
  if (group->association != NONE) {
    for (guint32 at = job->association; at != NONE; at = parent_of (self, at))
      if (at == group->association)
        return TRUE;
    return FALSE;
  }
  if (job->qos != group->qos && job->partition_qos != group->qos)
    return FALSE;
  return (group->user == NULL || strcmp (group->user, own->user) == 0)
         && (group->account == NULL || strcmp (group->account, own->account) == 0);
}

static guint
count_jobs (const LkAccountsModel *self, const Group *group, gboolean running_only)
{
  guint count = 0;
  for (guint i = 0; i < self->job_count; i++) {
    const Job *job = &self->jobs[i];
    if (job->state != ABSENT && (!running_only || job->state == RUNNING))
      count += is_in (self, job, group) ? 1 : 0;
  }
  return count;
}

static guint64
count_tres (const LkAccountsModel *self, const Group *group, guint32 tres, gboolean distinct)
{
  guint64 count = 0;
  guint64 nodes = 0;
  for (guint i = 0; i < self->job_count; i++) {
    const Job *job = &self->jobs[i];
    if (job->state != RUNNING || !is_in (self, job, group))
      continue;
    count += job->given[tres];
    nodes |= job->nodes;
  }
  gboolean is_node = tres == LK_TRES_NODE && self->workload->units_total == 0 && distinct;
  return is_node ? (guint64)__builtin_popcountll (nodes) : count;
}

static guint64
count_run_s (const LkAccountsModel *self, const Group *group, guint32 tres)
{
  guint64 count = 0;
  for (guint i = 0; i < self->job_count; i++) {
    const Job *job = &self->jobs[i];
    if (job->state == RUNNING && is_in (self, job, group))
      count += job->given[tres] * job->left_s;
  }
  return count;
}

static const Used *
used_by (const LkAccountsModel *self, const Group *group)
{
  return group->association != NONE ? &self->of_association[group->association]
                                    : &self->of_qos[group->qos];
}

/* ---------------------------------------------------------------- limits */

static gboolean
find_limit (const GArray *limits, guint32 kind, guint32 tres, guint64 *out_value)
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
qos_in_order (const LkAccountsModel *self, const Job *job, guint32 out_qos[2])
{
  guint count = 0;
  gboolean is_over = job->qos != NONE && (qos_at (self, job->qos)->flags & LK_QOS_OVER_PART_QOS);
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
minutes_of (const LkAccountsModel *self, const Job *job, guint64 count)
{
  guint64 minutes = (guint64)((job->limit_us + MINUTE_US - 1) / MINUTE_US) * count;
  const LkQosSpec *qos = job->qos != NONE ? qos_at (self, job->qos) : NULL;
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
                When when, guint64 limit)
{
  guint64 used = (guint64)floor (used_s / 60.0);
  if (when == ALONE)
    return asked > limit;
  if (used >= limit)
    return TRUE;
  return when == AT_START && is_safe (self) && used + running_s / 60 + asked > limit;
}

/* Would the job break this limit of the group? */
static gboolean
breaks (const LkAccountsModel *self, const Job *job, const guint64 *tres, When when,
        const LkLimitItem *limit, const Group *group)
{
  guint32 t = limit->tres;
  guint64 v = limit->value;
  gboolean counts_others = when != ALONE;
  switch (limit->kind) {
  case LK_LIMIT_GRP_JOBS:
  case LK_LIMIT_MAX_JOBS:
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
    return count_jobs (self, group, TRUE) >= v;
  case LK_LIMIT_GRP_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT:
    return count_jobs (self, group, FALSE) >= v;
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
    return tres[t] + (counts_others ? count_tres (self, group, t, TRUE) : 0) > v;
  case LK_LIMIT_GRP_TRES_RUN_MINS:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return minutes_of (self, job, tres[t]) + (counts_others ? count_run_s (self, group, t) / 60 : 0)
           > v;
  case LK_LIMIT_GRP_TRES_MINS:
    return breaks_minutes (self, used_by (self, group)->tres_s[t], count_run_s (self, group, t),
                           minutes_of (self, job, tres[t]), when, v);
  case LK_LIMIT_GRP_WALL:
    return breaks_minutes (self, used_by (self, group)->wall_s, 0, minutes_of (self, job, 1), when,
                           v);
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
    if (when != WHILE_RUNNING)
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
concerns (guint32 kind, When when)
{
  switch (kind) {
  case LK_LIMIT_GRP_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT:
    return when == AT_SUBMIT;
  case LK_LIMIT_GRP_JOBS:
  case LK_LIMIT_MAX_JOBS:
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
    return when == AT_START;
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_WALL:
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
    return when != AT_SUBMIT;
  default:
    return when == AT_START || when == ALONE;
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
    return find_limit (qos->limits, LK_LIMIT_MAX_JOBS_PER_USER, 0, &value)
           || find_limit (qos->limits, LK_LIMIT_MAX_JOBS_PER_ACCOUNT, 0, &value);
  if (kind == LK_LIMIT_MAX_SUBMIT_JOBS)
    return find_limit (qos->limits, LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER, 0, &value)
           || find_limit (qos->limits, LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT, 0, &value);
  return FALSE;
}

static gboolean
breaks_in_qos (const LkAccountsModel *self, const Job *job, const guint64 *tres, When when,
               LkLimitItem limit, guint32 qos)
{
  const LkView *view = lk_engine_view (self->engine);
  const LkAssociationSpec *own = association_at (self, job->association);
  const char *name = lk_limit_kind_name (limit.kind);
  Group group = { .association = NONE, .qos = qos };
  gboolean is_old = self->accounts->compat == LK_COMPAT_SLURM_22_05;
  if (g_str_has_suffix (name, "PerUser"))
    group.user = own->user;
  if (g_str_has_suffix (name, "PerAccount"))
    group.account = own->account;
  if (is_old
      && (limit.kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER
          || limit.kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT))
    return FALSE;
  if (!is_old && (qos_at (self, qos)->flags & LK_QOS_RELATIVE) != 0
      && lk_limit_kind_value (limit.kind) == LK_LIMIT_TRES) {
    const guint64 *totals = qos == job->partition_qos ? view->partitions[job->partition].tres_total
                                                      : view->accounts->tres_total;
    limit.value = limit.value * totals[limit.tres] / 100;
  }
  return breaks (self, job, tres, when, &limit, &group);
}

static gboolean
breaks_in_associations (const LkAccountsModel *self, const Job *job, const guint64 *tres, When when,
                        LkLimitItem limit, double factor)
{
  guint64 value;
  for (guint32 at = job->association; at != NONE; at = parent_of (self, at)) {
    if (!find_limit (association_at (self, at)->limits, limit.kind, limit.tres, &value))
      continue;
    gboolean is_group = is_group_kind (limit.kind);
    Group group = { .association = is_group ? at : job->association, .qos = NONE };
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
breaks_kind (const LkAccountsModel *self, const Job *job, const guint64 *tres, When when,
             LkLimitItem limit)
{
  guint32 qos[2];
  double factor = 1.0;
  guint qos_count = qos_in_order (self, job, qos);
  for (guint i = qos_count; i-- > 0;)
    if (qos_at (self, qos[i])->limit_factor >= 0)
      factor = qos_at (self, qos[i])->limit_factor;
  for (guint i = 0; i < qos_count; i++) {
    if (find_limit (qos_at (self, qos[i])->limits, limit.kind, limit.tres, &limit.value))
      return breaks_in_qos (self, job, tres, when, limit, qos[i]);
    if (is_put_out (qos_at (self, qos[i]), limit.kind))
      return FALSE;
  }
  return breaks_in_associations (self, job, tres, when, limit, factor);
}

static gboolean
is_below_threshold (const LkAccountsModel *self, const Job *job)
{
  guint32 qos[2];
  guint qos_count = qos_in_order (self, job, qos);
  const LkView *view = lk_engine_view (self->engine);
  for (guint i = 0; i < qos_count; i++) {
    const LkQosSpec *spec = qos_at (self, qos[i]);
    if ((spec->flags & LK_QOS_ENFORCE_USAGE_THRESHOLD) != 0 && spec->usage_threshold >= 0)
      return view->accounts->associations[job->association].fairshare < spec->usage_threshold;
  }
  return FALSE;
}

/* The kind of a limit that forbids it, or NO_KIND. */
static gint
find_broken (const LkAccountsModel *self, const Job *job, const guint64 *tres, When when)
{
  if (job->association == NONE || (self->accounts->enforce & LK_ENFORCE_LIMITS) == 0)
    return NO_KIND;
  if (when == WHILE_RUNNING && is_safe (self))
    return NO_KIND;
  if (when == AT_START && is_below_threshold (self, job))
    return BY_THRESHOLD;
  for (guint32 kind = 0; kind < LK_LIMIT_KIND_COUNT; kind++) {
    LkLimitValue value = lk_limit_kind_value (kind);
    gboolean has_tres = value == LK_LIMIT_TRES || value == LK_LIMIT_TRES_MINUTES;
    if (!concerns (kind, when))
      continue;
    for (guint32 t = 0; t < (has_tres ? self->accounts->tres->len : 1); t++)
      if (breaks_kind (self, job, tres, when, (LkLimitItem){ kind, t, 0 }))
        return (gint)kind;
  }
  return NO_KIND;
}

static gboolean
is_strict (const LkAccountsModel *self, const Job *job)
{
  guint32 qos[2];
  guint qos_count = qos_in_order (self, job, qos);
  gboolean is_strict = qos_count == 0;
  for (guint i = 0; i < qos_count; i++)
    is_strict |= (qos_at (self, qos[i])->flags & LK_QOS_DENY_ON_LIMIT) != 0;
  return is_strict;
}

/* ---------------------------------------------------------------- use */

static double
decay_of (const LkAccountsModel *self, gint64 duration_us)
{
  if (self->accounts->half_life_us == 0)
    return 1.0;
  double half_life_s = (double)self->accounts->half_life_us / 1e6;
  return pow (1.0 - 0.693 / half_life_s, (double)duration_us / 1e6);
}

static void
charge_holder (const LkAccountsModel *self, Used *used, const Job *job, double seconds)
{
  used->usage += seconds * (double)job->given[LK_TRES_CPU];
  used->wall_s += seconds;
  for (guint32 t = 0;
       (self->accounts->enforce & LK_ENFORCE_LIMITS) != 0 && t < self->accounts->tres->len; t++)
    used->tres_s[t] += seconds * (double)job->given[t];
}

static void
charge_qos (LkAccountsModel *self, const Job *job, guint32 qos, double seconds, double decay)
{
  gboolean no_decay = (qos_at (self, qos)->flags & LK_QOS_NO_DECAY) != 0;
  charge_holder (self, &self->of_qos[qos], job, no_decay ? seconds : seconds * decay);
}

static void
charge (LkAccountsModel *self, Job *job)
{
  gint64 delta_us = self->now_us - job->charged_us;
  double factor = job->qos != NONE ? qos_at (self, job->qos)->usage_factor : 1.0;
  double seconds = (double)delta_us / 1e6 * factor;
  double decay = decay_of (self, delta_us);
  job->charged_us = self->now_us;
  if (job->association == NONE)
    return;
  job->left_s -= MIN (job->left_s, (guint64)floor (seconds));
  for (guint32 at = job->association; at != NONE; at = parent_of (self, at))
    charge_holder (self, &self->of_association[at], job, seconds * decay);
  if (job->qos != NONE)
    charge_qos (self, job, job->qos, seconds, decay);
  if (job->partition_qos != NONE && job->partition_qos != job->qos)
    charge_qos (self, job, job->partition_qos, seconds, decay);
}

static void
decay_holder (const LkAccountsModel *self, Used *used, double factor)
{
  used->usage *= factor;
  used->wall_s *= factor;
  for (guint32 t = 0; t < self->accounts->tres->len; t++)
    used->tres_s[t] *= factor;
}

static void
decay_all (LkAccountsModel *self, double factor, gboolean resets)
{
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    decay_holder (self, &self->of_association[i], factor);
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (resets || (qos_at (self, i)->flags & LK_QOS_NO_DECAY) == 0)
      decay_holder (self, &self->of_qos[i], factor);
}

/* A text that is another one in another period. */
static char *
period_text (const LkAccountsModel *self, gint64 time_us)
{
  g_autoptr (GDateTime) epoch = g_date_time_new_utc (1970, 1, 1, 0, 0, 0);
  g_autoptr (GDateTime) utc = g_date_time_add (epoch, time_us);
  g_autoptr (GDateTime) local = g_date_time_add_seconds (utc, (double)self->accounts->utc_offset_s);
  g_autoptr (GDateTime) sunday =
      g_date_time_add_days (local, -(g_date_time_get_day_of_week (local) % 7));
  switch (self->accounts->reset) {
  case LK_RESET_DAILY:
    return g_date_time_format (local, "%Y-%m-%d");
  case LK_RESET_WEEKLY:
    return g_date_time_format (sunday, "%Y-%m-%d");
  case LK_RESET_MONTHLY:
    return g_date_time_format (local, "%Y-%m");
  case LK_RESET_QUARTERLY:
    return g_strdup_printf ("%d/%d", g_date_time_get_year (local),
                            (g_date_time_get_month (local) - 1) / 3);
  case LK_RESET_YEARLY:
    return g_date_time_format (local, "%Y");
  default:
    return g_strdup ("");
  }
}

static void
step_cycle (LkAccountsModel *self, gint64 at_us)
{
  g_autofree char *before = period_text (self, MAX (self->cycle_us, at_us - MINUTE_US * 10));
  g_autofree char *after = period_text (self, at_us);
  gboolean is_first = self->cycle_us == G_MININT64;
  self->now_us = at_us;
  if (is_first ? self->accounts->reset == LK_RESET_NOW : strcmp (before, after) != 0)
    decay_all (self, 0.0, TRUE);
  if (!is_first)
    decay_all (self, decay_of (self, at_us - self->cycle_us), FALSE);
  for (guint i = 0; i < self->job_count; i++)
    if (self->jobs[i].state == RUNNING)
      charge (self, &self->jobs[i]);
  self->cycle_us = at_us;
}

/* ---------------------------------------------------------------- what must be true */

static guint8
phase_of (const LkAccountsModel *self, const Job *job)
{
  LkJobIndex index = lk_engine_job_index (self->engine, job->id);
  g_assert_cmpuint (index, !=, LK_JOB_NONE);
  return lk_engine_view (self->engine)->jobs->phase[index];
}

static LkReason
reason_of (const LkAccountsModel *self, const Job *job)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, job->id, &info));
  return info.reason;
}

/* Whoever is kept from starting has a limit that does so. */
static void
check_blocked (const LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    const Job *job = &self->jobs[i];
    if (job->state == PENDING && phase_of (self, job) == LK_PHASE_BLOCKED
        && find_broken (self, job, job->asked, AT_START) == NO_KIND)
      g_error ("job %u is kept from starting at %ld us although no limit forbids it (%s)", job->id,
               (long)self->now_us, lk_reason_name (reason_of (self, job)));
  }
}

/* The first in the queue does not wait for what is free. */
static void
check_head (const LkAccountsModel *self)
{
  LkEngineCounts counts;
  if (!self->head_starts || self->workload->units_total == 0
      || lk_engine_pass_wanted (self->engine))
    return;
  lk_engine_counts (self->engine, &counts);
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  for (guint i = 0; i < ids->len; i++) {
    Job *job = find_job ((LkAccountsModel *)self, g_array_index (ids, guint32, i));
    LkJobInfo info;
    if (phase_of (self, job) != LK_PHASE_QUEUED)
      return;
    g_assert_true (lk_engine_job (self->engine, job->id, &info));
    if (info.units <= counts.units_free)
      g_error ("job %u is first in the queue and waits for %u of %u free", job->id, info.units,
               counts.units_free);
    return;
  }
}

/* Whoever must end has been told to. */
static void
check_ends (const LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    const Job *job = &self->jobs[i];
    if (job->state == RUNNING && job->must_end && !job->is_ending)
      g_error ("job %u goes on at %ld us although a limit forbids it", job->id, (long)self->now_us);
  }
}

/* Who must end now? */
static void
note_ends (LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    Job *job = &self->jobs[i];
    if (job->state == RUNNING)
      job->must_end = find_broken (self, job, job->given, WHILE_RUNNING) != NO_KIND;
  }
}

static void
check_number (double is, double should, const char *what)
{
  if (fabs (is - should) > 1e-9 * fabs (should) + 1e-6)
    g_error ("%s is %.17g; expected %.17g", what, is, should);
}

static gboolean
limits_nodes (const GArray *limits)
{
  guint64 value;
  return find_limit (limits, LK_LIMIT_GRP_TRES, LK_TRES_NODE, &value)
         || find_limit (limits, LK_LIMIT_MAX_TRES_PER_USER, LK_TRES_NODE, &value)
         || find_limit (limits, LK_LIMIT_MAX_TRES_PER_ACCOUNT, LK_TRES_NODE, &value);
}

/* Nodes in common are told from others only where somebody limits nodes. */
static gboolean
counts_distinct (const LkAccountsModel *self)
{
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    if (limits_nodes (association_at (self, i)->limits))
      return TRUE;
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (limits_nodes (qos_at (self, i)->limits))
      return TRUE;
  return FALSE;
}

static void
check_use (const LkAccountsModel *self, const LkUse *use, const Group *group)
{
  const Used *used = used_by (self, group);
  gboolean distinct = counts_distinct (self);
  check_number (use->usage, used->usage, "usage");
  check_number (use->wall_s, used->wall_s, "wall");
  g_assert_cmpuint (use->running, ==, count_jobs (self, group, TRUE));
  g_assert_cmpuint (use->submitted, ==, count_jobs (self, group, FALSE));
  for (guint32 t = 0; t < self->accounts->tres->len; t++) {
    check_number (use->tres_s[t], used->tres_s[t], tres_name (self, t));
    g_assert_cmpuint (use->tres[t], ==, count_tres (self, group, t, distinct));
    g_assert_cmpuint (use->tres_run_s[t], ==, count_run_s (self, group, t));
  }
}

static void
check_books (const LkAccountsModel *self)
{
  const LkAccountsView *view = lk_engine_view (self->engine)->accounts;
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    check_use (self, &view->associations[i].use, &(Group){ .association = i, .qos = NONE });
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    check_use (self, &view->qos[i].use, &(Group){ .association = NONE, .qos = i });
}

/* ---------------------------------------------------------------- what jobs ask for and have */

static void
note_asked (const LkAccountsModel *self, Job *job)
{
  LkJobInfo info;
  uint64_t tres[LK_TRES_MAX];
  const LkView *view = lk_engine_view (self->engine);
  g_assert_true (lk_engine_job (self->engine, job->id, &info));
  job->limit_us = info.estimate_us;
  memset (job->asked, 0, sizeof job->asked);
  if (self->workload->units_total > 0) {
    job->asked[LK_TRES_CPU] = job->asked[LK_TRES_NODE] = job->asked[LK_TRES_BILLING] = info.procs;
    return;
  }
  view->host->job_tres (view, lk_engine_job_index (self->engine, job->id), tres);
  memcpy (job->asked, tres, self->accounts->tres->len * sizeof (guint64));
}

static guint64
licenses_of (const LkAccountsModel *self, guint32 id)
{
  for (guint i = 0; i < self->workload->machine->job_count; i++) {
    const LkMachineJob *job = &self->workload->machine->jobs[i];
    if (job->id == id && job->request.licenses.length_bytes == 4
        && memcmp (job->request.licenses.bytes, "l0:", 3) == 0)
      return (guint64)(job->request.licenses.bytes[3] - '0');
  }
  return 0;
}

/* Devices, and shares of devices in devices. */
static double
gpus_of (const LkNodeTable *nodes, const LkPiece *piece)
{
  const LkNodeKind *kind = lk_node_kind (nodes, piece->node);
  double count = __builtin_popcountll (piece->devices);
  return piece->shares > 0 ? count + (double)piece->shares / kind->shares_per_device : count;
}

static void
note_given (const LkAccountsModel *self, Job *job)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  memcpy (job->given, job->asked, sizeof job->given);
  if (self->workload->units_total > 0)
    return;
  double gpus = 0;
  gint64 memory_bytes = 0;
  memset (job->given, 0, sizeof job->given);
  job->nodes = 0;
  for (guint32 i = lk_engine_job_pieces (self->engine, job->id); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    job->given[LK_TRES_CPU] += piece->cpus;
    job->given[LK_TRES_NODE]++;
    job->nodes |= G_GUINT64_CONSTANT (1) << piece->node;
    memory_bytes += piece->memory_bytes;
    gpus += gpus_of (nodes, piece);
  }
  job->given[LK_TRES_BILLING] = job->given[LK_TRES_CPU];
  job->given[LK_TRES_MEMORY] = (guint64)(memory_bytes >> 20);
  job->given[LK_TRES_FIXED] = (guint64)gpus;
  job->given[LK_TRES_FIXED + 1] = licenses_of (self, job->id);
}

/* ---------------------------------------------------------------- following */

static char *
text_of (LkText text)
{
  return g_strndup (text.bytes != NULL ? text.bytes : "", text.length_bytes);
}

static void
find_partition (const LkAccountsModel *self, Job *job, const char **name)
{
  const GPtrArray *partitions = self->workload->machine->cluster->partitions;
  job->partition_qos = NONE;
  if (self->workload->units_total > 0) {
    *name = "";
    return;
  }
  if ((*name)[0] == '\0')
    *name = "p0";
  for (guint32 i = 0; i < partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (partitions, i);
    if (strcmp (spec->name, *name) == 0) {
      job->partition = i;
      job->partition_qos = spec->qos[0] != '\0' ? find_qos (self, spec->qos) : NONE;
    }
  }
}

static Job
job_of (const LkAccountsModel *self, const LkEvent_submit *submit)
{
  Job job = { .id = submit->job_id, .association = NONE, .qos = NONE };
  g_autofree char *account = text_of (submit->account);
  g_autofree char *user = text_of (submit->user);
  g_autofree char *qos = text_of (submit->qos);
  g_autofree char *asked_partition = text_of (submit->partition);
  const char *partition = asked_partition;
  find_partition (self, &job, &partition);
  job.association = owner_of (self, account, user, partition);
  if (job.association != NONE)
    job.qos = qos[0] != '\0' ? find_qos (self, qos) : default_qos (self, job.association);
  return job;
}

/* It was taken in: as it should have been. */
static void
accept_submit (LkAccountsModel *self, const LkEvent_submit *submit)
{
  Job job = job_of (self, submit);
  const LkView *view = lk_engine_view (self->engine);
  LkJobIndex index = lk_engine_job_index (self->engine, job.id);
  note_asked (self, &job);
  g_assert_cmpuint (view->jobs->association[index], ==, job.association);
  g_assert_cmpuint (view->jobs->qos[index], ==, job.qos);
  if ((self->accounts->enforce & LK_ENFORCE_ASSOCIATIONS) != 0)
    g_assert_cmpuint (job.association, !=, NONE);
  if ((self->accounts->enforce & LK_ENFORCE_QOS) != 0)
    g_assert_true (may_use (self, job.association, job.qos));
  g_assert_cmpint (find_broken (self, &job, job.asked, AT_SUBMIT), ==, NO_KIND);
  if (is_strict (self, &job))
    g_assert_cmpint (find_broken (self, &job, job.asked, ALONE), ==, NO_KIND);
  job.state = PENDING;
  g_assert_cmpuint (self->job_count, <, LK_MACHINE_JOBS_MAX);
  self->jobs[self->job_count++] = job;
}

static void
reject_submit (LkAccountsModel *self, const LkEvent_submit *submit, LkReject error)
{
  Job job = job_of (self, submit);
  if (error == LK_REJECT_ACCOUNT_INVALID)
    g_assert_cmpuint (job.association, ==, NONE);
  if (error == LK_REJECT_QOS_INVALID)
    g_assert_true (job.qos == NONE || !may_use (self, job.association, job.qos));
  if (error != LK_REJECT_POLICY_LIMIT || self->workload->units_total == 0)
    return;
  job.limit_us = submit->estimate_us;
  job.asked[LK_TRES_CPU] = job.asked[LK_TRES_NODE] = job.asked[LK_TRES_BILLING] = submit->procs;
  g_assert_true (
      find_broken (self, &job, job.asked, AT_SUBMIT) != NO_KIND
      || (is_strict (self, &job) && find_broken (self, &job, job.asked, ALONE) != NO_KIND));
}

static void
start_job (LkAccountsModel *self, Job *job)
{
  double factor = job->qos != NONE ? qos_at (self, job->qos)->usage_factor : 1.0;
  gint broken = find_broken (self, job, job->asked, AT_START);
  g_assert_cmpint (job->state, ==, PENDING);
  if (broken != NO_KIND)
    g_error ("job %u starts although %s forbids it", job->id,
             broken == BY_THRESHOLD ? "the threshold" : lk_limit_kind_name ((guint32)broken));
  note_given (self, job);
  self->beyond_count += find_broken (self, job, job->given, AT_START) != NO_KIND;
  job->state = RUNNING;
  job->start_us = job->charged_us = self->now_us;
  job->left_s = (guint64)floor ((double)(job->limit_us / G_USEC_PER_SEC) * factor);
  job->is_ending = job->must_end = FALSE;
}

static void
end_job (LkAccountsModel *self, Job *job, State state)
{
  if (job->state == RUNNING)
    charge (self, job);
  job->state = state;
}

static void
kill_job (LkAccountsModel *self, Job *job, LkKillWhy why)
{
  if (why == LK_KILL_USAGE_LIMIT) {
    g_assert_true (job->must_end);
    self->killed_count++;
  }
  job->is_ending = TRUE;
}

static void
note_notice (LkAccountsModel *self, const LkDecision_notice *notice)
{
  Job *job = find_job (self, notice->job_id);
  switch (notice->state) {
  case LK_JOB_PENDING: /* also of a job that is not yet accepted */
    self->blocked_count += notice->reason >= LK_REASON_INVALID_ACCOUNT;
    break;
  case LK_JOB_NODE_FAIL: /* or it goes back to the queue */
    if (job->state == RUNNING)
      end_job (self, job, ABSENT);
    break;
  case LK_JOB_CANCELLED:
  case LK_JOB_COMPLETED:
  case LK_JOB_FAILED:
  case LK_JOB_TIMEOUT:
    end_job (self, job, ABSENT);
    break;
  default:
    break;
  }
}

static void
decided (void *user, const LkEngine *engine, const LkEvent *cause, const LkDecision *decision)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    break;
  case LK_DECISION_REJECT:
    if (cause->kind == LK_EVENT_SUBMIT)
      reject_submit (self, &cause->submit, (LkReject)decision->reject.error);
    break;
  case LK_DECISION_START:
    start_job (self, find_job (self, decision->start.job_id));
    break;
  case LK_DECISION_KILL:
    kill_job (self, find_job (self, decision->kill.job_id), (LkKillWhy)decision->kill.why);
    break;
  case LK_DECISION_REQUEUE_JOB:
    end_job (self, find_job (self, decision->requeue_job.job_id), PENDING);
    break;
  case LK_DECISION_NOTICE:
    note_notice (self, &decision->notice);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- looking on */

/* Cycles up to `to_us`: before it nothing may have come that the engine should have woken for. */
static void
catch_up (LkAccountsModel *self, gint64 to_us)
{
  if (self->cycle_us == G_MININT64)
    step_cycle (self, to_us);
  while (self->cycle_us + self->accounts->calc_period_us <= to_us) {
    step_cycle (self, self->cycle_us + self->accounts->calc_period_us);
    note_ends (self);
    if (self->cycle_us == to_us)
      continue;
    check_ends (self);
    check_blocked (self);
  }
  self->now_us = to_us;
}

static void
before (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  if (event->time_us > self->now_us)
    check_ends (self);
  catch_up (self, event->time_us);
  if (self->cycle_us == self->now_us)
    note_ends (self);
}

static void
follow_jobs (LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    Job *job = &self->jobs[i];
    if (job->state == PENDING)
      note_asked (self, job);
    if (job->state != RUNNING)
      continue;
    guint64 nodes = job->nodes;
    Job now = *job;
    note_given (self, &now);
    if (now.nodes != nodes) {
      charge (self, job);
      note_given (self, job);
    }
  }
}

static void
after (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  if (event->kind == LK_EVENT_SUBMIT && find_job (self, event->submit.job_id) == NULL
      && lk_engine_job_index (engine, event->submit.job_id) != LK_JOB_NONE)
    accept_submit (self, &event->submit);
  follow_jobs (self);
  check_books (self);
  check_blocked (self);
  check_head (self);
}

static void
ended (void *user, const LkEngine *engine)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  if (self->cycle_us != G_MININT64)
    catch_up (self, self->workload->end_us);
}

/* ---------------------------------------------------------------- life */

static void
add_first_use (LkAccountsModel *self, guint32 association)
{
  const LkAssociationSpec *spec = association_at (self, association);
  for (guint32 at = association; at != NONE; at = parent_of (self, at)) {
    Used *used = &self->of_association[at];
    used->usage += spec->usage;
    used->wall_s += spec->usage_wall_s;
    for (guint i = 0; i < spec->usage_tres->len; i++) {
      const LkTresValue *value = &g_array_index (spec->usage_tres, LkTresValue, i);
      used->tres_s[value->tres] += value->value;
    }
  }
}

LkAccountsModel *
lk_accounts_model_new (const LkAccountsWorkload *workload, gboolean head_starts)
{
  LkAccountsModel *self = g_new0 (LkAccountsModel, 1);
  self->workload = workload;
  self->accounts = workload->accounts;
  self->head_starts = head_starts;
  self->cycle_us = G_MININT64;
  self->of_association = g_new0 (Used, self->accounts->associations->len);
  self->of_qos = g_new0 (Used, self->accounts->qos->len);
  g_assert_cmpuint (self->accounts->tres->len, <=, TRES_MAX);
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    add_first_use (self, i);
  return self;
}

void
lk_accounts_model_free (LkAccountsModel *self)
{
  g_free (self->of_association);
  g_free (self->of_qos);
  g_free (self);
}

LkMachineWatch
lk_accounts_model_watch (LkAccountsModel *self)
{
  return (LkMachineWatch){
    .user = self, .before = before, .decided = decided, .after = after, .ended = ended
  };
}

guint
lk_accounts_model_blocked_count (const LkAccountsModel *self)
{
  return self->blocked_count;
}

guint
lk_accounts_model_killed_count (const LkAccountsModel *self)
{
  return self->killed_count;
}

guint
lk_accounts_model_beyond_count (const LkAccountsModel *self)
{
  return self->beyond_count;
}
