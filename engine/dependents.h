/* engine/dependents.h — who waits for which job, and for which moment.
 *
 * So that the end of a job costs what waits for it, not what is pending.  Jobs are named by their
 * ids; a job that waits for another one twice is there twice. */
#ifndef LK_ENGINE_DEPENDENTS_H
#define LK_ENGINE_DEPENDENTS_H

#include <glib.h>

typedef struct _LkDependents LkDependents;

LkDependents *lk_dependents_new (void);
void lk_dependents_free (LkDependents *self);

void lk_dependents_add (LkDependents *self, guint32 awaited_id, guint32 waiter_id);
/* It is there. Cost O(those that wait for the same job). */
void lk_dependents_remove (LkDependents *self, guint32 awaited_id, guint32 waiter_id);
gboolean lk_dependents_has (const LkDependents *self, guint32 awaited_id);
/* Ids of those that wait for the job, rising and each once. Returns: (transfer full), of
 * guint32. */
GArray *lk_dependents_of (const LkDependents *self, guint32 awaited_id);
/* Nobody waits for the job any more. */
void lk_dependents_forget (LkDependents *self, guint32 awaited_id);
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
