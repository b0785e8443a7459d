/* live/client/sreport.h — between the parts of sreport, for live/client/sreport*.c only.
 *
 * A report is about whole hours: from `from_us` up to `to_us`. */
#ifndef LK_LIVE_CLIENT_SREPORT_H
#define LK_LIVE_CLIENT_SREPORT_H

#include "live/client/sacct.h"

#define LK_SREPORT_SIZES_MAX 16u

typedef enum {
  LK_SREPORT_SECONDS,
  LK_SREPORT_MINUTES,
  LK_SREPORT_HOURS,
  LK_SREPORT_PERCENT,
  LK_SREPORT_SECONDS_PERCENT,
  LK_SREPORT_MINUTES_PERCENT,
  LK_SREPORT_HOURS_PERCENT,
} LkSreportUnit;

/* What is asked for. Lists are NULL for all. */
typedef struct {
  LkClient *client;
  LkFieldStyle style;
  LkSreportUnit unit;
  gint64 from_us;
  gint64 to_us;
  char **accounts;
  char **users;
  char **clusters;
  char *format;
  guint top_count;
  gboolean is_tree;
  gboolean is_flat;
  gboolean counts_jobs;
  guint64 sizes[LK_SREPORT_SIZES_MAX]; /* where classes of jobs begin, in CPUs */
  guint size_count;
} LkSreport;

/* What the reports are made of; CPU time in us. */
typedef struct {
  LkSacctBook jobs;
  GHashTable *parents;   /* name of the account above, by account; "": of the root */
  GPtrArray *accounts;   /* of char*, each behind the one above it */
  gint64 began_us;       /* when the cluster was first heard of */
  gint64 cluster_cpu_us; /* of all nodes, in all that time, from its beginning on */
  gint64 down_cpu_us;    /* of it, of nodes that were down */
} LkSreportBook;

/* FALSE: told. Nodes are asked of the controller, where `wants_nodes`. */
gboolean lk_sreport_book_read (LkSreportBook *self, const LkSreport *report, gboolean wants_nodes);
void lk_sreport_book_clear (LkSreportBook *self);
/* CPU time of a run in the time of the report. */
gint64 lk_sreport_used_us (const LkSreport *report, const LkSacctJob *job);
/* CPU time for which it could have run, and waited. */
gint64 lk_sreport_waited_us (const LkSreport *report, const LkSacctJob *job);

/* A line. */
typedef struct {
  const char *cluster;
  const char *account;
  const char *login;
  const char *proper_name;
  guint depth;
  gint64 cpu_us[LK_SREPORT_SIZES_MAX + 2];
  guint64 job_count[LK_SREPORT_SIZES_MAX + 2];
} LkSreportRow;

/* Which report: "cluster utilization". Returns: the exit code. */
typedef struct {
  const char *kind;
  const char *name;
  gboolean wants_nodes;
  int (*run) (const LkSreport *report, const LkSreportBook *book);
  const char *help;
} LkSreportKind;
/* sreport_kinds.c; ends with one without a name. */
extern const LkSreportKind lk_sreport_kinds[];

#endif
