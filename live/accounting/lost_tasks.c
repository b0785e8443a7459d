/* live/accounting/lost_tasks.c — see the header. */
#include "live/accounting/lost_tasks.h"

#include "engine/task_set.h"
#include "live/accounting/describe.h"

void
lk_accounting_take_lost_tasks (LkAccountingStore *store, const LkEvent *cancel,
                               const LkArray *array, gint64 user_id)
{
  LkText list = cancel->cancel.task_list;
  LkTaskSet named;
  LkAccountingJob job;
  if (cancel->cancel.filter != 0 || list.length_bytes == 0
      || !lk_task_set_parse (list, LK_LIMIT_TASKS, &named))
    return;
  lk_accounting_job_init (&job);
  job.state = LK_JOB_CANCELLED;
  job.end_us = cancel->time_us;
  job.is_user_ended = user_id >= 0 ? 1 : 0;
  job.ender_id = MAX (user_id, 0);
  /* All that wait end with their record, which is told. */
  gboolean are_all = lk_task_set_count_common (&named, &array->waiting) == array->waiting.count;
  for (guint32 task = are_all ? LK_TASK_NONE : lk_task_set_first (&named); task != LK_TASK_NONE;
       task = lk_task_set_next (&named, task))
    if (lk_task_set_has (&array->waiting, task)) {
      job.array_task = task;
      lk_accounting_store_lost_task (store, array->array_job_id, &job);
    }
  lk_task_set_clear (&named);
}
