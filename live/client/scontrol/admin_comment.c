/* live/client/scontrol/admin_comment.c — see the header. */
#include "live/client/scontrol/admin_comment.h"

#include <string.h>

static void
take_answer (gpointer user, const LkMessage *message)
{
  *(guint16 *)user = message->step_reply.error;
}

gboolean
lk_admin_comment_tell (const LkClient *client, guint32 job_id, const char *comment,
                       guint16 *out_refused, GError **error)
{
  LkMessage message = { .kind = LK_MESSAGE_ADMIN_COMMENT };
  message.admin_comment.job_id = job_id;
  message.admin_comment.comment = (LkLongText){ comment, (guint32)strlen (comment) };
  return client->wire->exchange (client->wire_self, &message, take_answer, out_refused, error);
}
