/* live/client/accounting/sacct_filter.h — which jobs sacct shows. */
#ifndef LK_LIVE_CLIENT_ACCOUNTING_SACCT_FILTER_H
#define LK_LIVE_CLIENT_ACCOUNTING_SACCT_FILTER_H

#include "live/client/accounting/sacct.h"

/* As they were written; NULL: not given. */
typedef struct {
  GPtrArray *jobs; /* of char *: "7", "7_4", "7_[1-3]", "7+1", each with ".batch" or without */
  const char *users;
  const char *groups;
  const char *accounts;
  const char *partitions;
  const char *names;
  const char *qos;
  const char *wckeys;
  const char *states;
  const char *nodes;
  const char *start;
  const char *end;
  const char *associations;
  const char *node_counts; /* "2", "2-4" */
  const char *cpu_counts;
  const char *limit_min; /* time limits */
  const char *limit_max;
  gboolean is_everybody;
  gboolean shows_duplicates;
  gboolean shows_jobs_only;
} LkSacctAsked;

typedef struct {
  const LkSacctAsked *asked;
  gint64 from_us;
  gint64 to_us;
  gint64 user_id;    /* -1: anybody's */
  gint64 state_set;  /* bits of LkJobState; 0: all */
  GHashTable *nodes; /* names; NULL: any */
  gint64 nodes_min;
  gint64 nodes_max;
  gint64 cpus_min;
  gint64 cpus_max;
  gint64 limit_min_us;
  gint64 limit_max_us;
} LkSacctFilter;

/* FALSE: something is wrong with what was asked for; told. */
gboolean lk_sacct_filter_init (LkSacctFilter *self, const LkClient *client,
                               const LkSacctAsked *asked);
void lk_sacct_filter_clear (LkSacctFilter *self);
/* Is each user and group one that the machine knows, or the file at `path`? FALSE: told. */
gboolean lk_sacct_filter_check_who (const LkSacctFilter *self, const LkClient *client,
                                    const char *path);
/* What has to be read for it. The ids are owned by who asks. */
void lk_sacct_filter_range (const LkSacctFilter *self, LkSacctRange *out_range);

gboolean lk_sacct_filter_wants (const LkSacctFilter *self, const LkSacctJob *job);
/* Of a job that is wanted: its own line, and that of its script. */
gboolean lk_sacct_filter_wants_job (const LkSacctFilter *self, const LkSacctJob *job);
gboolean lk_sacct_filter_wants_batch (const LkSacctFilter *self, const LkSacctJob *job);
gboolean lk_sacct_filter_wants_step (const LkSacctFilter *self, const LkSacctJob *job,
                                     gint64 step_id);

#endif
