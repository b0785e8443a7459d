/* tests/dst/step_asker.c — see the header. */
#include "tests/dst/step_asker.h"

#include "live/core/step_task.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
#define SESSION 3u

static void
ask_step (DstStepAsker *self, guint32 job_id)
{
  DstClient *client = dst_client (self->cluster, 0);
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  LkStepTask task = { .work_dir = lk_bytes ("/tmp") };
  LkMessage message = { .kind = LK_MESSAGE_STEP_CREATE };
  lk_step_task_encode (&task, payload);
  message.step_create =
      (LkMessage_step_create){ .session = SESSION,
                               .request = ++self->request_last,
                               .job_id = job_id,
                               .tasks = seed_below (&self->seed, 4),
                               .distribution = (guint8)seed_below (&self->seed, 3),
                               .payload = { payload->data, payload->len } };
  if (seed_below (&self->seed, 2) == 0)
    message.step_create.flags = LK_STEP_FLAG_EXACT;
  if (seed_below (&self->seed, 10) == 0)
    message.step_create.flags |= LK_STEP_FLAG_OVERLAP;
  if (seed_below (&self->seed, 4) == 0)
    message.step_create.limit_us = seed_between (&self->seed, SECOND_US, 20 * SECOND_US);
  dst_client_say (client, &message);
  if (seed_below (&self->seed, 4) == 0)
    dst_client_say (client, &message);
}

static void
signal_step (DstStepAsker *self, guint32 job_id)
{
  LkMessage message = { .kind = LK_MESSAGE_STEP_SIGNAL };
  message.step_signal =
      (LkMessage_step_signal){ .session = SESSION,
                               .request = ++self->request_last,
                               .job_id = job_id,
                               .step_id = seed_below (&self->seed, 8),
                               .signal = seed_below (&self->seed, 2) != 0 ? 10 : 0 };
  dst_client_say (dst_client (self->cluster, 0), &message);
}

static void
end_job (DstStepAsker *self, guint32 job_id)
{
  LkMessage message = { .kind = LK_MESSAGE_JOB_COMPLETE };
  message.job_complete = (LkMessage_job_complete){ .session = SESSION,
                                                   .request = ++self->request_last,
                                                   .job_id = job_id };
  dst_client_say (dst_client (self->cluster, 0), &message);
}

void
dst_step_asker_ask (DstStepAsker *self)
{
  guint32 job_id = 1 + seed_below (&self->seed, self->job_max);
  guint what = seed_below (&self->seed, 12);
  if (what > 1)
    ask_step (self, job_id);
  else if (what == 1 || !self->ends_jobs || seed_below (&self->seed, 3) > 0)
    signal_step (self, job_id);
  else
    end_job (self, job_id);
}

static void
come (gpointer user, gpointer data)
{
  (void)data;
  dst_step_asker_ask (user);
}

void
dst_step_asker_plan (DstStepAsker *self, guint count, gint64 end_us)
{
  LkWorld *world = self->cluster->world;
  for (guint i = 0; i < count; i++)
    lk_world_at (world, seed_between (&self->seed, lk_world_now_us (world), end_us), come, self,
                 NULL, NULL);
}
