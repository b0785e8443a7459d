/* live/core/controller_top.c — scontrol top: one request, which becomes as many updates as it takes
 * (engine/job_top.h).
 *
 * It is asked for by an update that changes nothing.  What has been applied before one is refused
 * stays. */
#include "engine/job_top.h"
#include "live/core/controller_private.h"

gboolean
lk_controller_is_top (const LkEvent *event)
{
  return event->kind == LK_EVENT_UPDATE && event->update.changes == 0
         && event->update.by_admin == LK_UPDATE_TOP;
}

typedef struct {
  LkController *controller;
  guint32 count;
} Applied;

static LkReject
apply (void *user, LkEvent *event)
{
  Applied *self = user;
  LkController *controller = self->controller;
  LkMessage_reply own = { 0 };
  event->time_us = controller->engine_us;
  controller->answering = &own;
  lk_controller_apply (controller, event);
  controller->answering = NULL;
  self->count++;
  return (LkReject)own.error;
}

guint32
lk_controller_apply_top (LkController *self, guint32 job_id, LkMessage_reply *reply)
{
  Applied applied = { .controller = self };
  LkReject reject = LK_REJECT_JOB_UNKNOWN;
  if (lk_engine_job_index (self->engine, job_id) != LK_JOB_NONE)
    reject = lk_job_top (self->engine, job_id, apply, &applied);
  reply->error = (guint16)reject;
  reply->job_id = reject == 0 ? job_id : 0;
  return applied.count;
}
