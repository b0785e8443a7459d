/* live/step/tasks_report.c — what the keeper of the run hears of a step: how it stands, and what it
 * uses. */
#include <sys/socket.h>
#include <sys/wait.h>

#include "live/step/child.h"
#include "live/step/tasks_private.h"

void
lk_tasks_tell_keeper (LkTasks *self, const char *word, const LkStepReport *report)
{
  g_autoptr (GByteArray) packet = g_byte_array_new ();
  g_byte_array_append (packet, (const guint8 *)word, (guint)strlen (word));
  lk_step_report_append (report, packet);
  if (self->keeper >= 0)
    send (self->keeper, packet->data, packet->len, MSG_NOSIGNAL);
}

LkStepReport
lk_tasks_report (const LkTasks *self, LkStepState state)
{
  LkStepReport report = { .run_id = self->launch->run_id,
                          .step_id = self->launch->step_id,
                          .state = (guint8)state,
                          .trouble = self->trouble,
                          .signal = self->signal };
  for (guint i = 0; i < self->count; i++) {
    const LkTask *task = &self->tasks[i];
    if (task->was_begun)
      lk_task_use_add (&report, &task->use, task->number);
    if (!task->is_over)
      continue;
    if (WIFEXITED (task->status))
      report.exit_code = MAX (report.exit_code, (guint8)WEXITSTATUS (task->status));
    else if (WIFSIGNALED (task->status))
      report.signal = (guint8)WTERMSIG (task->status);
  }
  if (report.trouble == LK_TROUBLE_OUT_OF_MEMORY) {
    report.exit_code = 0;
    report.signal = LK_SIGNAL_OUT_OF_MEMORY;
  }
  return report;
}
