/* tests/property/accounts_rules.h — which limits hold for a job, and whether it breaks one, by the
 * pages on resource_limits and qos: for accounts_model.c only.
 *
 * The state of the model is a list of jobs; whatever is in use is added up from it each time. */
#ifndef LK_TESTS_PROPERTY_ACCOUNTS_RULES_H
#define LK_TESTS_PROPERTY_ACCOUNTS_RULES_H

#include "tests/property/accounts_model.h"

#define LK_MODEL_TRES_MAX 16u
#define LK_MODEL_NO_KIND (-1)
#define LK_MODEL_BY_THRESHOLD 100

typedef enum { LK_MODEL_ABSENT, LK_MODEL_PENDING, LK_MODEL_RUNNING } LkModelState;
typedef enum {
  LK_MODEL_AT_SUBMIT,
  LK_MODEL_ALONE,
  LK_MODEL_AT_START,
  LK_MODEL_WHILE_RUNNING
} LkModelWhen;

typedef struct {
  LkModelState state;
  guint32 id;
  guint32 association;
  guint32 qos;
  guint32 partition;
  guint32 partition_qos;
  guint64 asked[LK_MODEL_TRES_MAX];
  guint64 given[LK_MODEL_TRES_MAX];
  guint64 nodes; /* set */
  gint64 limit_us;
  gint64 start_us;
  gint64 charged_us;
  guint64 left_s; /* that it may still run, as booked */
  gboolean must_end;
  gboolean is_ending;
} LkModelJob;

typedef struct {
  double usage;
  double wall_s;
  double tres_s[LK_MODEL_TRES_MAX];
} LkModelUsed;

struct _LkAccountsModel {
  const LkAccountsWorkload *workload;
  const LkAccounts *accounts;
  const LkEngine *engine;
  gboolean head_starts;
  gint64 now_us;
  gint64 cycle_us; /* G_MININT64: none yet */
  LkModelUsed *of_association;
  LkModelUsed *of_qos;
  guint job_count;
  LkModelJob jobs[LK_MACHINE_JOBS_MAX];
  guint blocked_count;
  guint killed_count;
};

/* A holder of limits: an association, a QOS, or the user or account of a job within a QOS. */
typedef struct {
  guint32 association;
  guint32 qos;
  const char *user;
  const char *account;
} LkModelGroup;

const LkAssociationSpec *lk_model_association_at (const LkAccountsModel *self, guint32 index);
const LkQosSpec *lk_model_qos_at (const LkAccountsModel *self, guint32 index);
/* NULL: never was in the system. */
LkModelJob *lk_model_find_job (LkAccountsModel *self, guint32 id);
/* LK_INDEX_NONE: the root's. */
guint32 lk_model_parent_of (const LkAccountsModel *self, guint32 index);
/* The association of a job; LK_INDEX_NONE: none. */
guint32 lk_model_owner_of (const LkAccountsModel *self, const char *account, const char *user,
                           const char *partition);
guint32 lk_model_find_qos (const LkAccountsModel *self, const char *name);
gboolean lk_model_may_use (const LkAccountsModel *self, guint32 association, guint32 qos);
guint32 lk_model_default_qos (const LkAccountsModel *self, guint32 association);
/* What the jobs of a group have. */
guint lk_model_count_jobs (const LkAccountsModel *self, const LkModelGroup *group,
                           gboolean running_only);
guint64 lk_model_count_tres (const LkAccountsModel *self, const LkModelGroup *group, guint32 tres,
                             gboolean distinct);
guint64 lk_model_count_run_s (const LkAccountsModel *self, const LkModelGroup *group, guint32 tres);
const LkModelUsed *lk_model_used_by (const LkAccountsModel *self, const LkModelGroup *group);
/* FALSE: it is not set. */
gboolean lk_model_find_limit (const GArray *limits, guint32 kind, guint32 tres, guint64 *out_value);
/* The kind of a limit that forbids the job at this moment what it wants, with so much of each TRES;
 * LK_MODEL_BY_THRESHOLD, or LK_MODEL_NO_KIND. */
gint lk_model_find_broken (const LkAccountsModel *self, const LkModelJob *job, const guint64 *tres,
                           LkModelWhen when);
/* Is it refused for what it breaks by itself? */
gboolean lk_model_is_strict (const LkAccountsModel *self, const LkModelJob *job);

#endif
