/* live/client/scontrol_top.c — `scontrol top`: jobs go before all others of their user.
 *
 * What a job gains the others of the user lose, by nice; a priority that somebody has set, as a
 * number.  So no other user's jobs wait longer.  Each is an update of its own, which only staff may
 * ask for.  Source: scontrol(1), top; sim/command_top.c does the same at once. */
#include "engine/engine.h"
#include "live/client/job_row.h"
#include "live/client/refusal.h"
#include "live/client/scontrol.h"

#define HIGHEST ((gint64)G_MAXUINT32 - 2)

static gboolean
is_waiting (const LkJobRow *row)
{
  return row->job.state == LK_JOB_PENDING && row->job.priority_now > 0;
}

/* Lifts the priority, or lowers it. FALSE: told. */
static gboolean
move (LkClient *client, const LkJobRow *row, gint64 by)
{
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  guint reject;
  event.update.job_id = row->job.job_id;
  event.update.by_admin = 2; /* top */
  if (row->job.priority == 0) {
    event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_nice;
    event.update.nice = row->job.nice - by;
  } else {
    event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_priority;
    event.update.priority = (guint32)CLAMP ((gint64)row->job.priority + by, 1, HIGHEST);
  }
  if (!lk_scontrol_send (client, &event, &reject))
    return FALSE;
  if (reject != 0)
    fprintf (client->err, "%s for job %u\n", lk_refusal_text (reject), row->job.job_id);
  return reject == 0;
}

/* NULL: told. */
static const LkJobRow *
find (const LkClient *client, const GPtrArray *rows, guint32 id)
{
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row->job.job_id != id)
      continue;
    if (is_waiting (row))
      return row;
    fprintf (client->err, "%s for job %u\n",
             lk_refusal_text (row->job.state == LK_JOB_PENDING ? LK_REJECT_DISABLED
                                                               : LK_REJECT_NOT_PENDING),
             id);
    return NULL;
  }
  fprintf (client->err, "%s for job %u\n", lk_refusal_text (LK_REJECT_JOB_UNKNOWN), id);
  return NULL;
}

static gboolean
lift (LkClient *client, guint32 id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows =
      lk_job_rows (client, &(LkClientQuery){ .kind = LK_RECORD_JOB }, &error);
  if (rows == NULL) {
    fprintf (client->err, "%s\n", error->message);
    return FALSE;
  }
  const LkJobRow *own = find (client, rows, id);
  if (own == NULL)
    return FALSE;
  guint32 highest = own->job.priority_now;
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (is_waiting (row) && row->job.user_id == own->job.user_id)
      highest = MAX (highest, row->job.priority_now);
  }
  gint64 gain = (gint64)highest - own->job.priority_now;
  gboolean is_done = gain == 0 || move (client, own, gain);
  for (guint i = 0; i < rows->len && gain > 0 && is_done; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row != own && is_waiting (row) && row->job.user_id == own->job.user_id)
      is_done = move (client, row, -gain);
  }
  return is_done;
}

int
lk_scontrol_top (LkClient *client, LkCommand *command)
{
  /* The first in the list is lifted last, and so stands before all. */
  for (guint i = command->jobs->len; i-- > 0;) {
    const LkCommandJob *job = &g_array_index (command->jobs, LkCommandJob, i);
    if (job->name != NULL || job->task != NULL) {
      fprintf (client->err, "Invalid job id specified\n");
      return LK_SCONTROL_FAILURE;
    }
    if (!lift (client, job->id + (guint32)MAX (0, job->component)))
      return LK_SCONTROL_FAILURE;
  }
  return 0;
}
