/* live/client/sreport/sreport.h — between the parts of sreport, for its folder only.
 *
 * A report is about whole hours: from `from_us` up to `to_us`. */
#ifndef LK_LIVE_CLIENT_SREPORT_H
#define LK_LIVE_CLIENT_SREPORT_H

#include "live/client/accounting/sacct.h"

#define LK_SREPORT_SIZES_MAX 16u
#define LK_SREPORT_TRES_MAX 32u

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
  char **wckeys;
  char **names; /* of reservations */
  char *format;
  guint top_count;
  const char *tres_list; /* of --tres; NULL: CPUs alone */
  gboolean is_tree;
  gboolean is_flat;
  gboolean counts_jobs;
  guint64 sizes[LK_SREPORT_SIZES_MAX]; /* where classes of jobs begin, in CPUs */
  guint size_count;
} LkSreport;

/* What the reports are made of. Of a TRES "use" is what was held of it times how long, in us: of
 * CPUs it is CPU time; memory is counted in MiB.  It is a real, as memory of a large cluster in a
 * year is more than an integer of 63 bits. */
typedef struct {
  LkSacctBook jobs;
  GHashTable *parents; /* name of the account above, by account; "": of the root */
  GPtrArray *accounts; /* of char*, each behind the one above it */
  GPtrArray *tres;     /* of char*: names of those that are told of, at most LK_SREPORT_TRES_MAX */
  gint64 began_us;     /* when the cluster was first heard of */
  double cluster_us[LK_SREPORT_TRES_MAX]; /* of all nodes, in all that time, from then on */
  double down_us[LK_SREPORT_TRES_MAX];    /* of it, of nodes that were down */
} LkSreportBook;

/* FALSE: told. Nodes are asked of the controller, where `wants_nodes`. */
gboolean lk_sreport_book_read (LkSreportBook *self, const LkSreport *report, gboolean wants_nodes);
void lk_sreport_book_clear (LkSreportBook *self);
/* What a run has used of a TRES in the time of the report. */
double lk_sreport_used_us (const LkSreport *report, const LkSacctJob *job, const char *tres);
/* What it would have used in the time in which it could have run, and waited. */
double lk_sreport_waited_us (const LkSreport *report, const LkSacctJob *job, const char *tres);

/* Which TRES are told of: CPUs, or those of --tres; ALL are those that accounting knows. FALSE:
 * there is none of these; told. */
gboolean lk_sreport_tres_read (LkSreportBook *self, const LkSreport *report);
/* How much a node has of a TRES. */
double lk_sreport_node_amount (const LkRecord_node *node, const char *tres);

/* A line. */
typedef struct {
  const char *cluster;
  const char *account;
  const char *login;
  const char *proper_name;
  guint depth;
  double tres_us[LK_SREPORT_TRES_MAX];      /* what was used of each, of users and accounts */
  guint tres;                               /* which of them the line is of */
  double used_us[LK_SREPORT_SIZES_MAX + 2]; /* of it, by the columns of the report */
  guint64 job_count[LK_SREPORT_SIZES_MAX + 2];
} LkSreportRow;

/* So much of a whole in a unit: "12", "12.50%", "12(12.50%)". */
void lk_sreport_time (LkSreportUnit unit, double time_us, double whole_us, GString *out);
/* Between two lines: what it is about, from when to when, and in which unit it is `told`. */
void lk_sreport_title (const LkSreport *asked, const char *title, const char *told,
                       gboolean with_length, GString *out);
/* sreport_reservations.c */
int lk_sreport_reservations (const LkSreport *asked, const LkSreportBook *book);

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
