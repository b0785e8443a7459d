/* engine/ended.h — jobs that have left, as long as others may still be made to depend on them.
 *
 * Each is kept for MinJobAge behind its end, oldest first.  That costs a few bytes for a job and no
 * search: the map from ids is made when somebody asks for the first time, and then kept.  Tasks of
 * one array are linked then, too, from the last to the first.
 *
 * Source: slurm.conf(5) MinJobAge. */
#ifndef LK_ENGINE_ENDED_H
#define LK_ENGINE_ENDED_H

#include <glib.h>

#include "engine/bytes.h"
#include "engine/codec.h"
#include "engine/task_set.h"

/* What has become of the tasks of an array. */
typedef struct {
  LkTaskSet ended;
  LkTaskSet completed; /* those of them that ended well */
  guint32 throttle;    /* most tasks that ran at once; 0: no limit */
} LkEndedTasks;

/* What it would take to submit a job again. */
typedef struct {
  guint32 restarts;
  guint32 launch_failures;
  guint32 array_job_id; /* 0: it is no task of an array; */
  guint32 task;         /* else which one */
  guint32 before;       /* number of the task of its array that ended before it, in ended.c */
  guint8 *submit;       /* an encoded submit event, */
  guint32 submit_bytes;
} LkEndedAsk;

void lk_ended_ask_free (LkEndedAsk *self);

typedef struct {
  guint32 id;
  guint8 state;    /* LkJobState that it ended in */
  gint64 start_us; /* its end, when it never ran */
  gint64 end_us;
  LkEndedTasks *tasks; /* of an array that is over as a whole; else NULL */
  LkEndedAsk *ask;     /* NULL: it cannot come back */
} LkEndedJob;

typedef struct _LkEnded LkEnded;

/* `age_us`: how long each is kept; 0: for ever. Returns: (transfer full). */
LkEnded *lk_ended_new (gint64 age_us);
void lk_ended_free (LkEnded *self);
/* Ends never go back in time. Forgets the jobs whose time is over. Takes the tasks and the
 * ask. Amortised O(1). */
void lk_ended_add (LkEnded *self, const LkEndedJob *job);
/* NULL: no such job is remembered at this moment. Valid until the next call. */
const LkEndedJob *lk_ended_find (LkEnded *self, guint32 id, gint64 now_us);

/* Adds LkEndedAsk of those tasks of an array that are remembered at this moment, the last that
 * ended first; one that came back and ended once more is there twice. They live until the next job
 * is added. Cost: O(those). */
void lk_ended_tasks_of (LkEnded *self, guint32 array_job_id, gint64 now_us, GPtrArray *out_asks);

void lk_ended_save (const LkEnded *self, GByteArray *out);
/* Into an empty one. FALSE: the bytes are none that save writes. */
gboolean lk_ended_load (LkEnded *self, LkBytesReader *reader, gint64 now_us);

#endif
