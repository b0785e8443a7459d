/* tests/policies/priority_fixture.h — accounts, partitions and jobs, filled in by hand, for the
 * orders that follow Slurm. */
#ifndef LK_TESTS_PRIORITY_FIXTURE_H
#define LK_TESTS_PRIORITY_FIXTURE_H

#include <glib.h>

#include "engine/policy.h"

#define PRIORITY_JOBS_MAX 32
#define PRIORITY_ASSOCIATIONS_MAX 256
#define PRIORITY_TRES 10 /* the fixed ones, gres/gpu and license/x */

typedef struct {
  guint32 id; /* 0: one more than the last one's */
  guint32 association;
  guint32 qos;
  guint32 partition;
  guint32 nodes; /* 0: 1 */
  guint32 procs;
  gint64 limit_min; /* 0: none */
  gint64 nice;
  gint64 site;
  guint32 direct;
  gint64 submit_s; /* also what its age is counted from */
  guint64 tres[PRIORITY_TRES];
} PriorityJob;

typedef struct {
  LkView view;
  LkJobColumns columns;
  LkAccountsView accounts;
  LkClusterView cluster;
  LkAssociationView associations[PRIORITY_ASSOCIATIONS_MAX];
  LkQosView qos[8];
  LkPartitionView partitions[4];
  guint64 tres_total[PRIORITY_TRES];
  PriorityJob jobs[PRIORITY_JOBS_MAX];
  guint32 id[PRIORITY_JOBS_MAX];
  guint32 user_id[PRIORITY_JOBS_MAX];
  guint32 procs[PRIORITY_JOBS_MAX];
  gint64 submit_us[PRIORITY_JOBS_MAX];
  gint64 estimate_us[PRIORITY_JOBS_MAX];
  guint8 phase[PRIORITY_JOBS_MAX];
  guint32 association[PRIORITY_JOBS_MAX];
  guint32 job_qos[PRIORITY_JOBS_MAX];
  guint32 partition[PRIORITY_JOBS_MAX];
  gint64 nice[PRIORITY_JOBS_MAX];
  gint64 site[PRIORITY_JOBS_MAX];
  guint32 direct[PRIORITY_JOBS_MAX];
  gint64 accrue_us[PRIORITY_JOBS_MAX];
} PriorityFixture;

/* A machine of `nodes` nodes with `cpus` processors each, a root, one QOS and one partition of
 * Slurm's defaults, and no job, at second 0. */
PriorityFixture *priority_fixture_new (guint32 nodes, guint32 cpus);
void priority_fixture_free (PriorityFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PriorityFixture, priority_fixture_free)

/* Index of a new account or user, the last child of `parent`. */
guint32 priority_fixture_account (PriorityFixture *self, guint32 parent, guint32 shares);
guint32 priority_fixture_user (PriorityFixture *self, guint32 parent, guint32 shares, double usage);
/* Counts `usage` for an association and all above it. */
void priority_fixture_use (PriorityFixture *self, guint32 index, double usage);
guint32 priority_fixture_qos (PriorityFixture *self, guint32 priority);
guint32 priority_fixture_partition (PriorityFixture *self, guint32 tier, guint32 factor);
LkJobIndex priority_fixture_job (PriorityFixture *self, const PriorityJob *job);

/* An instance of multifactor with the defaults but for pairs of name and value, until NULL; aborts
 * when they are refused. */
void *priority_new (const char *name, ...);
/* The same; NULL with `error` filled when they are refused. */
void *priority_try_new (LkPolicyError *error, const char *name, const char *value);
/* A whole cycle: all three slots, and the keys of all jobs that are queued. */
void priority_fixture_cycle (const PriorityFixture *self, void *instance);

/* Of the last calculation. */
guint32 priority_fixture_priority (const PriorityFixture *self, void *instance, LkJobIndex job);
double priority_fixture_fairshare (const PriorityFixture *self, void *instance, guint32 index);
LkShareParts priority_fixture_share (const PriorityFixture *self, void *instance, guint32 index);

/* What `save` writes. Returns: (transfer full). */
GByteArray *priority_fixture_save (const PriorityFixture *self, const LkOrderPolicy *policy,
                                   void *instance);

#endif
