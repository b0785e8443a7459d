/* engine/dependents.h — who waits for which job, and for which moment.
 *
 * So that the end of a job costs what waits for it, not what is pending.  What is waited for is a
 * job, all of an array, or one task of it, by id; who waits is a job.  One that waits for another
 * twice is there twice. */
#ifndef LK_ENGINE_DEPENDENTS_H
#define LK_ENGINE_DEPENDENTS_H

#include <glib.h>

#include "engine/policy.h"

typedef struct _LkDependents LkDependents;

/* What is waited for: `task` LK_INDEX_NONE is the job, or the whole array. */
static inline guint64
lk_awaited (guint32 job_id, guint32 task)
{
  return (guint64)job_id << 32 | task;
}

LkDependents *lk_dependents_new (void);
void lk_dependents_free (LkDependents *self);

void lk_dependents_add (LkDependents *self, guint64 awaited, guint32 waiter_id);
/* It is there. Cost O(those that wait for the same). */
void lk_dependents_remove (LkDependents *self, guint64 awaited, guint32 waiter_id);
gboolean lk_dependents_has (const LkDependents *self, guint64 awaited);
/* Ids of those that wait for it, rising and each once. Returns: (transfer full), of
 * guint32. */
GArray *lk_dependents_of (const LkDependents *self, guint64 awaited);
/* Nobody waits for it any more. */
void lk_dependents_forget (LkDependents *self, guint64 awaited);
/* How many waits there are in all. */
guint32 lk_dependents_count (const LkDependents *self);

void lk_dependents_add_due (LkDependents *self, gint64 due_us, guint32 waiter_id);
/* It is there. */
void lk_dependents_remove_due (LkDependents *self, gint64 due_us, guint32 waiter_id);
/* LK_TIME_NEVER: nobody waits for a moment. */
gint64 lk_dependents_next_due_us (const LkDependents *self);
/* Takes out the first of those whose moment has come, by moment and id. FALSE: none. */
gboolean lk_dependents_take_due (LkDependents *self, gint64 now_us, gint64 *out_due_us,
                                 guint32 *out_waiter_id);
guint32 lk_dependents_due_count (const LkDependents *self);

#endif
