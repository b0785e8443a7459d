/* live/accounting/lost_tasks.h — tasks of an array that are cancelled before they have an id.
 *
 * While others of their array go on waiting the engine just takes them out, and tells nothing more
 * of them; each has a row all the same, as in Slurm, where it becomes a job of its own first. */
#ifndef LK_LIVE_ACCOUNTING_LOST_TASKS_H
#define LK_LIVE_ACCOUNTING_LOST_TASKS_H

#include "engine/array.h"
#include "engine/codec.h"
#include "live/accounting/store.h"

/* Of a CANCEL that is accepted for the array, as long as it still has its tasks.  `user_id` of who
 * asked; -1: nobody. */
void lk_accounting_take_lost_tasks (LkAccountingStore *store, const LkEvent *cancel,
                                    const LkArray *array, gint64 user_id);

#endif
