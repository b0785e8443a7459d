/* live/client/scontrol/admin_comment.h — what staff say of a job, which may be over. */
#ifndef LK_LIVE_CLIENT_SCONTROL_ADMIN_COMMENT_H
#define LK_LIVE_CLIENT_SCONTROL_ADMIN_COMMENT_H

#include "live/client/client.h"

/* The most that one can be. */
#define LK_ADMIN_COMMENT_MAX_BYTES 65535u

/* `*out_refused` is a number of LkStepError, 0 for done. FALSE: the controller cannot be asked. */
gboolean lk_admin_comment_tell (const LkClient *client, guint32 job_id, const char *comment,
                                guint16 *out_refused, GError **error);

#endif
