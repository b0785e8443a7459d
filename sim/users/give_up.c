/* sim/users/give_up.c — see give_up.h. */
#include "sim/users/give_up.h"

void
lk_users_give_up (LkUsers *self, const LkSimControl *control)
{
  LkJobInfo info;
  guint32 place = 0;
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = lk_users_impatient (self, control->now_us, &place);
  if (event.cancel.job_id != 0 && lk_engine_job (control->engine, event.cancel.job_id, &info)
      && info.state == LK_JOB_PENDING && control->apply (control->driver, &event) == 0)
    lk_users_abandoned (self, place, control->now_us);
}
