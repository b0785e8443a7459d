/* live/port/auth_munge_none.c — in place of auth_munge.c where libmunge is not there to build with.
 * */
#include "live/port/auth_munge.h"
#include "live/port/error.h"

gboolean
lk_munge_is_there (GError **error)
{
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
               "MUNGE: this program was built without it; install libmunge-dev and build again, or "
               "use AuthType=auth/key");
  return FALSE;
}

char *
lk_munge_encode (const char *socket, LkBytes content, guint32 reader_user_id, GError **error)
{
  (void)socket;
  (void)content;
  (void)reader_user_id;
  lk_munge_is_there (error);
  return NULL;
}

GByteArray *
lk_munge_decode (const char *socket, const char *credential, guint32 *out_user_id,
                 guint32 *out_group_id, GError **error)
{
  (void)socket;
  (void)credential;
  (void)out_user_id;
  (void)out_group_id;
  lk_munge_is_there (error);
  return NULL;
}
