/* live/client/scontrol/scontrol_notify.c — `scontrol notify JOB[.STEP] WORD...`: words for who
 * watches a job: into the errors of its script, or by the srun of a step.
 *
 * Source: scontrol(1). */
#include <string.h>

#include "live/client/refusal.h"
#include "live/client/scontrol/scontrol_more.h"

static void
take_answer (gpointer user, const LkMessage *message)
{
  *(guint16 *)user = message->step_reply.error;
}

/* "7", "7.0". FALSE: it is neither. */
static gboolean
target_read (const char *word, LkMessage_job_notify *out)
{
  g_auto (GStrv) parts = g_strsplit (word, ".", 2);
  guint64 job;
  guint64 step = G_MAXUINT32;
  if (parts[0] == NULL || !g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXUINT32 - 1, &job, NULL)
      || (parts[1] != NULL
          && !g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXUINT32 - 1, &step, NULL)))
    return FALSE;
  out->job_id = (guint32)job;
  out->step_id = (guint32)step;
  return TRUE;
}

int
lk_scontrol_notify (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  LkMessage message = { .kind = LK_MESSAGE_JOB_NOTIFY };
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  (void)unused;
  if (words[1] == NULL || words[2] == NULL) {
    fprintf (client->err, "too few arguments for keyword:%s\n", words[0]);
    return LK_SCONTROL_FAILURE;
  }
  if (!target_read (words[1], &message.job_notify)) {
    fprintf (client->err, "Invalid job_id %s: a number is expected, or JOB.STEP\n", words[1]);
    return LK_SCONTROL_FAILURE;
  }
  g_autofree char *text = g_strjoinv (" ", words + 2);
  if (strlen (text) > LK_NOTIFY_MAX_BYTES) {
    lk_client_error (client, "notify: the message is longer than %u bytes", LK_NOTIFY_MAX_BYTES);
    return LK_SCONTROL_FAILURE;
  }
  message.job_notify.words = lk_text (text);
  if (client->wire->exchange (client->wire_self, &message, take_answer, &refused, &error)
      && refused == 0)
    return 0;
  fprintf (client->err, "slurm_notify_job error: %s\n",
           error != NULL ? error->message : lk_step_error_text (refused));
  return LK_SCONTROL_FAILURE;
}
