/* engine/engine_dependency.h — jobs that wait for others: what the engine tells when, and what it
 * asks. */
#ifndef LK_ENGINE_ENGINE_DEPENDENCY_H
#define LK_ENGINE_ENGINE_DEPENDENCY_H

#include "engine/array.h"
#include "engine/bytes.h"
#include "engine/ended.h"
#include "engine/engine.h"

typedef struct _LkDependencies LkDependencies;

/* `ended_age_us`: how long jobs that have ended are remembered; 0: for ever. */
LkDependencies *lk_dependencies_new (gint64 ended_age_us);
void lk_dependencies_free (LkDependencies *self);

/* What keeps a pending job: LK_REASON_NONE, _DEPENDENCY or _DEPENDENCY_NEVER_SATISFIED. */
LkReason lk_engine_dependency_reason (const LkEngine *self, LkJobIndex job);

/* The job is in the table, and nothing but its dependency can still refuse it: takes up what its
 * terms ask for. */
LkReject lk_engine_dependency_submit (LkEngine *self, LkJobIndex job);
/* A pending job waits for something else from here on; an empty text: for nothing.  Behind it the
 * caller settles the job; the text in its terms is the caller's, too. */
LkReject lk_engine_set_dependency (LkEngine *self, LkJobIndex job, LkText text);
/* A running job ends with SPECIAL_EXIT and goes back to the queue: that is not well. */
void lk_engine_dependency_special_exit (LkEngine *self, LkJobIndex job);
/* Behind a change of whether it stays when what it waits for cannot come any more. */
void lk_engine_dependency_asked (LkEngine *self, LkJobIndex job);
/* Around a change of the name or user of a job. */
void lk_engine_dependency_unname (LkEngine *self, LkJobIndex job);
void lk_engine_dependency_name (LkEngine *self, LkJobIndex job);

/* A job starts; runs no more; leaves the system, in the state that its last notice told. */
void lk_engine_dependency_started (LkEngine *self, LkJobIndex job);
void lk_engine_dependency_stopped (LkEngine *self, LkJobIndex job);
void lk_engine_dependency_left (LkEngine *self, LkJobIndex job);

/* What is remembered of a job that has left; NULL: nothing. Valid until the next job leaves. */
const LkEndedJob *lk_engine_dependency_ended (LkEngine *self, guint32 job_id);
/* As lk_ended_tasks_of, at this moment. */
void lk_engine_dependency_tasks (LkEngine *self, guint32 array_job_id, GPtrArray *out_asks);

/* Waiting tasks of an array were cancelled; an array has no task any more. */
void lk_engine_dependency_lost (LkEngine *self, guint32 array_job_id, const LkTaskSet *tasks);
void lk_engine_dependency_array_over (LkEngine *self, const LkArray *array);
/* A task is split off its array, and put back as if nothing had happened. */
void lk_engine_dependency_split (LkEngine *self, LkJobIndex record, LkJobIndex job);
void lk_engine_dependency_rejoin (LkEngine *self, LkJobIndex job);

/* When a dependency is satisfied by mere time. */
gint64 lk_engine_next_dependency_us (const LkEngine *self);
/* Moments that have come. */
void lk_engine_dependency_due (LkEngine *self);
/* At the end of an event: settles those whose dependencies time, or what happened, has changed. */
void lk_engine_settle_dependents (LkEngine *self);

/* A job without its dependency, and with it again, for copies in which something is tried: those
 * that wait for the job hear nothing in between. */
gpointer lk_engine_dependency_hide (LkEngine *self, LkJobIndex job);
void lk_engine_dependency_show (LkEngine *self, LkJobIndex job, gpointer hidden);

/* The slots of LkPassOps. */
int32_t lk_pass_wants_look (void *pass);
void lk_pass_begin_look (void *pass);

void lk_engine_save_dependencies (const LkEngine *self, GByteArray *out);
/* Behind the jobs. FALSE: the bytes are none that save writes. */
gboolean lk_engine_load_dependencies (LkEngine *self, LkBytesReader *reader);
void lk_engine_check_dependencies (const LkEngine *self);

#endif
