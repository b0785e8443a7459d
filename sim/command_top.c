/* sim/command_top.c — see command_top.h. */
#include "sim/command_top.h"

#include "engine/job_top.h"

static LkReject
apply (void *user, LkEvent *event)
{
  const LkSimControl *control = user;
  return control->apply (control->driver, event);
}

LkReject
lk_command_top (const LkSimControl *control, guint32 job_id)
{
  return lk_job_top (control->engine, job_id, apply, (gpointer)control);
}
