/* sim/gate/starts.h — which job of a run started when, and where: what a gate keeps of the
 * decisions of a run, and how those of two runs differ.
 *
 * As text, a line a start, in order of time: "JOB START NODES", with the id that the log gives the
 * job, seconds of the log's clock, and "-" on a machine without nodes.  The runs of a plan stand in
 * one file, each under a line "run NAME". */
#ifndef LK_SIM_GATE_STARTS_H
#define LK_SIM_GATE_STARTS_H

#include <glib.h>

#include "sim/study/run.h"

typedef struct {
  const char *job; /* the texts live as long as the list */
  const char *nodes;
  gint64 start_us;
  /* Not known of a list that was read: */
  gint64 submit_us;
  gint64 user;
  guint32 procs;
  const char *account; /* "": none */
} LkGateStart;

typedef struct _LkGateStarts LkGateStarts;

LkGateStarts *lk_gate_starts_new (void);
void lk_gate_starts_free (LkGateStarts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkGateStarts, lk_gate_starts_free)

/* As LkStudyJobs.job_ended, with the list as `user`. */
void lk_gate_starts_take (gpointer user, const LkJobRecord *record, const LkSimResult *result);

/* Appends the text of a list under its run's name; sorts it. */
void lk_gate_starts_append (LkGateStarts *self, const char *run_name, GString *out);

/* Reads the text of all runs: name -> LkGateStarts. LK_SIM_ERROR_FORMAT with `path` and the line.
 * Returns: (transfer full). */
GHashTable *lk_gate_starts_read (const char *path, const char *text, gsize length_bytes,
                                 GError **error);

/* ---------------------------------------------------------------- differences */

/* A job that starts at another time or place, no longer, or newly. */
typedef struct {
  const LkGateStart *before; /* NULL: it did not start */
  const LkGateStart *after;  /* NULL: it does not */
} LkGateChange;

/* Jobs that have something in common, and how long those of them that start in both runs wait. */
typedef struct {
  char *name;
  guint64 job_count;
  guint64 moved_count;
  double before_mean_s;
  double after_mean_s;
} LkGateGroup;

typedef struct {
  GArray *changes;      /* of LkGateChange, by the time of the earlier start */
  guint64 moved_count;  /* start at another time, */
  guint64 placed_count; /* or at the same time on other nodes */
  guint64 gone_count;
  guint64 new_count;
  GPtrArray *users; /* of LkGateGroup with jobs that moved; those whose waits changed most first */
  GPtrArray *accounts;
  GPtrArray *sizes;
} LkGateDifference;

/* The lists must outlive it. Returns: (transfer full). */
LkGateDifference *lk_gate_difference_new (LkGateStarts *before, LkGateStarts *after);
void lk_gate_difference_free (LkGateDifference *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkGateDifference, lk_gate_difference_free)

#endif
