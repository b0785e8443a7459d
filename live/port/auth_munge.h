/* live/port/auth_munge.h — credentials of MUNGE, which attests users across hosts.
 *
 * A credential can be taken apart once (munged keeps those it has seen), for some minutes, and,
 * when it was made so, by one user only.  Calls wait for munged, so a daemon makes them in a thread
 * (worker.h). */
#ifndef LK_LIVE_PORT_AUTH_MUNGE_H
#define LK_LIVE_PORT_AUTH_MUNGE_H

#include <glib.h>

#include "live/core/message.h"

/* Nobody in particular. */
#define LK_MUNGE_ANYONE G_MAXUINT32

/* FALSE: this was built without MUNGE; `error` says so. */
gboolean lk_munge_is_there (GError **error);
/* `socket` of munged: NULL, the usual one. Only `reader_user_id` may take it apart. Returns:
 * (transfer full), a text. */
char *lk_munge_encode (const char *socket, LkBytes content, guint32 reader_user_id, GError **error);
/* Who made the credential, and what is in it: (transfer full), freed with g_byte_array_unref. What
 * was not enciphered is refused. */
GByteArray *lk_munge_decode (const char *socket, const char *credential, guint32 *out_user_id,
                             guint32 *out_group_id, GError **error);

#endif
