/* engine/job_shown.h — a job as Slurm's commands show it: how much it asks for before it runs, and
 * where it is when it does.
 *
 * For reports and queries; nothing is decided by it.  Sources: squeue(1), the recordings in
 * tests/fixtures/slurm-prio. */
#ifndef LK_ENGINE_JOB_SHOWN_H
#define LK_ENGINE_JOB_SHOWN_H

#include <glib.h>

#include "engine/engine.h"

typedef struct {
  LkJobInfo info; /* `start_us` of one that waits for its begin time: that */
  gboolean has_started;
  gboolean has_priority;
  guint32 priority;
  guint32 nodes;
  guint32 cpus;
  LkJobRequest asked; /* all empty on a counted pool; texts as long as the job does not change */
} LkJobShown;

/* A job in the system, at a moment. Appends the hostlist of a running one to `node_list`. */
void lk_job_shown (const LkEngine *engine, LkJobIndex job, gint64 at_us, LkJobShown *out_shown,
                   GString *node_list);
/* Appends the hostlist of where a job that waits is planned to start; nothing where that is not
 * known. */
void lk_job_planned_list (const LkEngine *engine, LkJobIndex job, GString *out);

/* The state that Slurm shows: STOPPED of a running job that SIGSTOP was sent to. */
LkJobState lk_job_state_shown (guint state, gboolean is_sigstopped);
/* Slurm's short name of a state; "?": it is not one. */
const char *lk_job_state_short (guint state);

/* Times of a job that has started, as Slurm counts them: run time and time limit stop while it is
 * suspended.  How long it has run before it was last suspended or resumed; 0: it never was. */
gint64 lk_job_ran_before_suspend_us (const LkJobInfo *info);
/* How long it has run at a moment. */
gint64 lk_job_ran_us (const LkJobInfo *info, gint64 at_us);
/* How long it has been suspended at a moment, in all. */
gint64 lk_job_suspended_us (const LkJobInfo *info, gint64 at_us);
/* When it is expected to end.  Of a suspended one: when it would have ended without this
 * suspension; it moves at the resume. */
gint64 lk_job_end_us (const LkJobInfo *info);

/* Names; "" for none. */
const char *lk_job_account (const LkEngine *engine, LkJobIndex job);
const char *lk_job_user (const LkEngine *engine, LkJobIndex job); /* as the accounts have it */
const char *lk_job_qos (const LkEngine *engine, LkJobIndex job);
/* All partitions that the job named, joined by commas. */
void lk_job_partitions (const LkEngine *engine, LkJobIndex job, GString *out);
const char *lk_partition_name (const LkEngine *engine, guint32 partition); /* of a pool: "pool" */

/* What Slurm shows of a reason: its word, or more at length what it has found. `lk_reason_word`:
 * always the word, as accounting and JSON have it. */
const char *lk_reason_text (guint reason);
const char *lk_reason_word (guint reason);

/* Jobs in the system by id. Returns: (transfer full) of LkJobIndex. */
GArray *lk_jobs_by_id (const LkEngine *engine);

#endif
