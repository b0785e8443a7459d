/* sim/audit_limits.c — does a start break a limit of an association or a QOS?
 *
 * Looked at: GrpJobs, GrpTRES, MaxJobs, MaxJobsPerUser, MaxJobsPerAccount, MaxTRESPerJob,
 * MaxTRESPerUser and MaxTRESPerAccount, of cpu, gres/gpu and mem.  A limit that the partition's QOS
 * or the job's sets stands in for the same one of associations.  Source: Slurm's
 * resource_limits.html.  What decays with time is not looked at. */
#include <string.h>

#include "sim/audit.h"

/* The name of no account and no QOS. */
#define NOWHERE "\n"

/* Whom a limit counts. */
typedef enum {
  BY_JOB, /* the job alone */
  BY_QOS,
  BY_QOS_USER,
  BY_QOS_ACCOUNT,
  BY_ACCOUNT, /* an account and all below it */
  BY_ASSOCIATION,
} Scope;

typedef struct {
  const LkAuditHolder *association;
  const LkAuditHolder *qos;           /* NULL: none */
  const LkAuditHolder *partition_qos; /* NULL: none */
} Place;

/* The account of a user, or above an account; NULL: above the root there is none. */
static const LkAuditHolder *
above (const LkAudit *self, const LkAuditHolder *association)
{
  const char *name = association->user[0] != '\0' ? association->account : association->parent;
  return name[0] != '\0' ? lk_audit_site_account (&self->site, name) : NULL;
}

gboolean
lk_audit_may_use (const LkAudit *self, const LkAuditHolder *association, const char *qos)
{
  for (const LkAuditHolder *at = association; at != NULL; at = above (self, at)) {
    g_auto (GStrv) names = g_strsplit (at->may_use, ",", -1);
    for (guint i = 0; names[i] != NULL; i++) {
      gboolean has_sign = names[i][0] == '+' || names[i][0] == '-';
      if (strcmp (names[i] + has_sign, qos) == 0)
        return names[i][0] != '-';
      if (!has_sign && names[i + 1] == NULL)
        return FALSE;
    }
  }
  return TRUE;
}

/* Of jobs that name none: its own, or that of the nearest above it; the only one it may use;
 * normal. */
static const char *
default_qos_of (const LkAudit *self, const LkAuditHolder *association)
{
  const char *only = NULL;
  for (const LkAuditHolder *at = association; at != NULL; at = above (self, at))
    if (at->default_qos[0] != '\0')
      return at->default_qos;
  for (guint i = 0; i < self->site.qos->len; i++) {
    const LkAuditHolder *qos = g_ptr_array_index (self->site.qos, i);
    if (!lk_audit_may_use (self, association, qos->account))
      continue;
    if (only != NULL)
      return "normal";
    only = qos->account;
  }
  return only != NULL ? only : "normal";
}

const LkAuditHolder *
lk_audit_qos_of (const LkAudit *self, const LkAuditJob *job)
{
  const LkAuditHolder *association =
      self->site.associations != NULL
          ? lk_audit_site_association (&self->site, job->account, job->user)
          : NULL;
  /* Which of his associations it is, is not looked at where some are for one partition. */
  if (association == NULL
      || (job->qos[0] == '\0'
          && lk_audit_site_has_partition (&self->site, job->account, job->user)))
    return NULL;
  return lk_audit_site_qos (&self->site,
                            job->qos[0] != '\0' ? job->qos : default_qos_of (self, association));
}

static void
text_set (char **member, const char *text)
{
  char *copy = g_strdup (text);
  g_free (*member);
  *member = copy;
}

static void
fix_account (const LkAudit *self, LkAuditJob *job)
{
  /* Which of his associations it is was not known, nor its QOS, and will not be. */
  gboolean is_open = lk_audit_site_has_partition (&self->site, job->account, job->user);
  const LkAuditHolder *association =
      is_open ? NULL : lk_audit_site_association (&self->site, job->account, job->user);
  const LkAuditHolder *qos = lk_audit_qos_of (self, job);
  text_set (&job->account, association != NULL ? association->account : NOWHERE);
  text_set (&job->qos, qos != NULL ? qos->account : NOWHERE);
}

/* What a job has was settled when it came, whatever is said later of who names none; what was not
 * there then is not its own later.  One that has ended may come back. */
void
lk_audit_fix_accounts (LkAudit *self)
{
  GHashTableIter each;
  gpointer job;
  g_hash_table_iter_init (&each, self->jobs);
  while (self->site.associations != NULL && g_hash_table_iter_next (&each, NULL, &job))
    if (((LkAuditJob *)job)->phase != LK_AUDIT_ENDED
        || (self->header.requeues & LK_REQUEUES_ENDED) != 0)
      fix_account (self, job);
}

static gboolean
has_partition_qos (const LkAudit *self)
{
  for (guint i = 0; i < self->site.partitions->len; i++)
    if (g_array_index (self->site.partitions, LkAuditPartition, i).qos[0] != '\0')
      return TRUE;
  return FALSE;
}

/* FALSE: it is not known, as in which of several partitions with QOS of their own the job is. */
static gboolean
find_place (const LkAudit *self, const LkAuditJob *job, Place *out)
{
  const LkAuditPartition *partition = lk_audit_site_partition (&self->site, job->partition);
  *out = (Place){ .association = lk_audit_site_association (&self->site, job->account, job->user) };
  if (out->association == NULL || lk_audit_site_has_partition (&self->site, job->account, job->user)
      || (strchr (job->partition, ',') != NULL && has_partition_qos (self)))
    return FALSE;
  out->qos = lk_audit_qos_of (self, job);
  if (partition != NULL && partition->qos[0] != '\0')
    out->partition_qos = lk_audit_site_qos (&self->site, partition->qos);
  return TRUE;
}

static guint64
tres_of (const LkAuditJob *job, const char *tres)
{
  if (tres[0] == '\0')
    return 1;
  if (strcmp (tres, "cpu") == 0)
    return job->units;
  if (strcmp (tres, "gres/gpu") == 0)
    return lk_audit_job_gpu_count (job);
  if (strcmp (tres, "mem") == 0)
    return (guint64)job->memory_bytes >> 20;
  return 0;
}

/* Is the account the other's, or above it? */
static gboolean
is_below (const LkAudit *self, const LkAuditHolder *account, const char *name)
{
  for (const LkAuditHolder *at = lk_audit_site_account (&self->site, name); at != NULL;
       at = lk_audit_site_account (&self->site, at->parent)) {
    if (at == account)
      return TRUE;
    if (at->parent[0] == '\0')
      return FALSE;
  }
  return FALSE;
}

typedef struct {
  const LkAudit *self;
  const LkAuditJob *job;
  Place place;
  const LkAuditHolder *holder; /* in which the limit is set */
  Scope scope;
  gboolean is_asked; /* the job need not start: what it would have at least, beside those that ran
                        before this event */
  gboolean is_over;  /* a limit is broken */
} Count;

static gboolean
counts_in (const Count *count, const Place *other)
{
  const LkAuditHolder *own = count->place.association;
  gboolean same_qos = other->qos == count->holder || other->partition_qos == count->holder;
  switch (count->scope) {
  case BY_JOB:
    return FALSE;
  case BY_QOS:
    return same_qos;
  case BY_QOS_USER:
    return same_qos && strcmp (other->association->user, own->user) == 0;
  case BY_QOS_ACCOUNT:
    return same_qos && strcmp (other->association->account, own->account) == 0;
  case BY_ACCOUNT:
    return is_below (count->self, count->holder, other->association->account);
  case BY_ASSOCIATION:
    return other->association == own;
  }
  return FALSE;
}

static guint64
in_use (const Count *count, const char *tres)
{
  guint64 sum = 0;
  for (guint i = 0; i < count->self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (count->self->in_system, i);
    Place place;
    if (other != count->job && lk_audit_is_running (other)
        && !(count->is_asked && other->start_seq == count->self->event->seq)
        && find_place (count->self, other, &place) && counts_in (count, &place))
      sum += tres_of (other, tres);
  }
  return sum;
}

typedef struct {
  const char *kind;
  Scope scope;
  const char *same_as; /* of associations, what it stands in for; "" */
} QosKind;

static const QosKind qos_kinds[] = {
  { "GrpJobs", BY_QOS, "GrpJobs" },
  { "GrpTRES", BY_QOS, "GrpTRES" },
  { "MaxJobsPerUser", BY_QOS_USER, "MaxJobs" },
  { "MaxJobsPerAccount", BY_QOS_ACCOUNT, "MaxJobs" },
  { "MaxTRESPerJob", BY_JOB, "MaxTRESPerJob" },
  { "MaxTRESPerUser", BY_QOS_USER, "" },
  { "MaxTRESPerAccount", BY_QOS_ACCOUNT, "" },
};

/* Of a job that has not started. */
static guint64
least_of (const LkAudit *self, const LkAuditJob *job, const char *tres)
{
  if (tres[0] == '\0')
    return 1;
  if (strcmp (tres, "cpu") != 0)
    return 0;
  return self->site.nodes->len == 0 ? job->procs : job->cpus_min;
}

static void
check_limit (LkAudit *self, Count *count, const LkAuditLimit *limit)
{
  guint64 asked = count->is_asked ? least_of (self, count->job, limit->tres)
                                  : tres_of (count->job, limit->tres);
  guint64 used = in_use (count, limit->tres);
  if (asked == 0 || used + asked <= limit->value)
    return;
  count->is_over = TRUE;
  if (count->is_asked)
    return;
  lk_audit_find (self, LK_AUDIT_LIMIT, count->job,
                 "%s%s%s of %s is %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                 " are in use and it takes %" G_GUINT64_FORMAT,
                 limit->kind, limit->tres[0] != '\0' ? " " : "", limit->tres,
                 count->holder->account, limit->value, used, asked);
}

static gboolean
qos_sets (const LkAuditHolder *qos, const char *association_kind, const char *tres)
{
  for (guint i = 0; i < G_N_ELEMENTS (qos_kinds); i++)
    if (strcmp (qos_kinds[i].same_as, association_kind) == 0
        && lk_audit_holder_limit (qos, qos_kinds[i].kind, tres) != NULL)
      return TRUE;
  return FALSE;
}

static void
check_qos (LkAudit *self, Count *count, const LkAuditHolder *qos, const LkAuditHolder *before)
{
  for (guint i = 0; qos != NULL && i < qos->limits->len; i++) {
    const LkAuditLimit *limit = &g_array_index (qos->limits, LkAuditLimit, i);
    for (guint j = 0; j < G_N_ELEMENTS (qos_kinds); j++) {
      if (strcmp (limit->kind, qos_kinds[j].kind) != 0
          || lk_audit_holder_limit (before, limit->kind, limit->tres) != NULL)
        continue;
      count->holder = qos;
      count->scope = qos_kinds[j].scope;
      check_limit (self, count, limit);
    }
  }
}

static gboolean
scope_of (const LkAuditLimit *limit, gboolean is_own, Scope *out)
{
  if (strcmp (limit->kind, "GrpJobs") == 0 || strcmp (limit->kind, "GrpTRES") == 0)
    *out = is_own ? BY_ASSOCIATION : BY_ACCOUNT;
  else if (is_own && strcmp (limit->kind, "MaxJobs") == 0)
    *out = BY_ASSOCIATION;
  else if (is_own && strcmp (limit->kind, "MaxTRESPerJob") == 0)
    *out = BY_JOB;
  else
    return FALSE;
  return TRUE;
}

static void
check_holder (LkAudit *self, Count *count, const LkAuditHolder *holder)
{
  gboolean is_own = holder == count->place.association;
  for (guint i = 0; i < holder->limits->len; i++) {
    const LkAuditLimit *limit = &g_array_index (holder->limits, LkAuditLimit, i);
    if (!scope_of (limit, is_own, &count->scope)
        || qos_sets (count->place.qos, limit->kind, limit->tres)
        || qos_sets (count->place.partition_qos, limit->kind, limit->tres))
      continue;
    count->holder = holder;
    check_limit (self, count, limit);
  }
}

static void
check_all (LkAudit *self, Count *count)
{
  if (!self->site.enforces_limits || !find_place (self, count->job, &count->place))
    return;
  check_qos (self, count, count->place.partition_qos, NULL);
  check_qos (self, count, count->place.qos, count->place.partition_qos);
  const LkAuditHolder *own = count->place.association;
  check_holder (self, count, own);
  for (const LkAuditHolder *at = lk_audit_site_account (&self->site, own->account); at != NULL;
       at = at->parent[0] != '\0' ? lk_audit_site_account (&self->site, at->parent) : NULL)
    check_holder (self, count, at);
}

void
lk_audit_check_limits (LkAudit *self, LkAuditJob *job)
{
  Count count = { .self = self, .job = job };
  check_all (self, &count);
}

gboolean
lk_audit_was_limited (LkAudit *self, const LkAuditJob *job)
{
  Count count = { .self = self, .job = job, .is_asked = TRUE };
  check_all (self, &count);
  return count.is_over;
}
