/* sim/compare.h — several runs' results side by side.
 *
 * Every run is held against the first one.  How jobs are paired: sim/statistics/join.h.
 *
 * Not here: the command line (sim/verb_compare.h). */
#ifndef LK_SIM_COMPARE_H
#define LK_SIM_COMPARE_H

#include <glib.h>

#include "sim/results_sqlite.h"
#include "sim/statistics/paired.h"

/* One job that starts at different times. */
typedef struct {
  gint64 job_id;
  char name[LK_JOB_NAME_MAX_BYTES + 1]; /* "": its id is the number */
  gint64 submit_us;
  gint64 first_start_us; /* in the first run */
  gint64 start_us;       /* in this one */
} LkStartDifference;

typedef struct {
  char *directory;
  char *label; /* its directory: for programs */
  char *name;  /* what tells it apart from the other runs: for people */
  LkResultsReader *reader;
  const LkSummary *summary; /* borrowed from the reader */
  guint64 paired_count;     /* jobs that both this and the first run have */
  guint64 moved_count;      /* of them, those that start at another time */
  guint64 missing_count;    /* jobs of the first run that are not in this one */
  guint64 added_count;      /* the other way round */
  LkPaired *paired;         /* NULL: not asked for (lk_comparison_pair), and in the first run */
  GArray *differences;      /* of LkStartDifference: the first of the moved ones by job number */
} LkComparedRun;

typedef struct {
  GPtrArray *runs; /* of LkComparedRun */
} LkComparison;

/* Opens the directories and pairs the jobs; keeps at most `difference_limit` differences a run.
 * Fails when a directory holds no complete results. Returns: (transfer full). */
LkComparison *lk_comparison_new (char **directories, guint difference_limit, GError **error);
void lk_comparison_free (LkComparison *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkComparison, lk_comparison_free)

/* Adds to each run but the first how sure its differences from that are: what the table and the
 * JSON tell then, too. Once. */
gboolean lk_comparison_pair (LkComparison *self, const LkPairedOptions *options, GError **error);

/* Of the jobs measured, none waits in any run: no policy can be better. */
gboolean lk_comparison_nobody_waits (const LkComparison *self);

/* For people; `with_jobs` adds the jobs that start differently. */
void lk_comparison_table (const LkComparison *self, gboolean with_jobs, GString *out);
/* All fields of all summaries: a line a field, a column a run. */
void lk_comparison_csv (const LkComparison *self, GString *out);
void lk_comparison_json (const LkComparison *self, gboolean with_jobs, GString *out);

/* Copies all runs and their jobs into one database. */
gboolean lk_comparison_merge (const LkComparison *self, const char *path, GError **error);

#endif
