/* live/port/auth_munge.c — see the header.  Built where libmunge is. */
#include "live/port/auth_munge.h"

#include <munge.h>
#include <stdlib.h>
#include <string.h>

#include "live/port/error.h"

gboolean
lk_munge_is_there (GError **error)
{
  (void)error;
  return TRUE;
}

static void
fail (GError **error, const char *what, munge_ctx_t context, munge_err_t fault)
{
  const char *more = context != NULL ? munge_ctx_strerror (context) : NULL;
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED, "MUNGE: %s: %s", what,
               more != NULL ? more : munge_strerror (fault));
}

static munge_ctx_t
context_new (const char *socket)
{
  munge_ctx_t context = munge_ctx_create ();
  if (context != NULL && socket != NULL
      && munge_ctx_set (context, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
    munge_ctx_destroy (context);
    return NULL;
  }
  return context;
}

char *
lk_munge_encode (const char *socket, LkBytes content, guint32 reader_user_id, GError **error)
{
  munge_ctx_t context = context_new (socket);
  char *credential = NULL;
  char *copy = NULL;
  munge_err_t fault = context != NULL ? EMUNGE_SUCCESS : EMUNGE_NO_MEMORY;
  if (fault == EMUNGE_SUCCESS)
    fault = munge_ctx_set (context, MUNGE_OPT_CIPHER_TYPE, (int)MUNGE_CIPHER_AES256);
  if (fault == EMUNGE_SUCCESS && reader_user_id != LK_MUNGE_ANYONE)
    fault = munge_ctx_set (context, MUNGE_OPT_UID_RESTRICTION, (uid_t)reader_user_id);
  if (fault == EMUNGE_SUCCESS)
    fault = munge_encode (&credential, context, content.bytes, (int)content.length_bytes);
  if (fault == EMUNGE_SUCCESS)
    copy = g_strdup (credential);
  else
    fail (error, "no credential", context, fault);
  free (credential);
  munge_ctx_destroy (context);
  return copy;
}

GByteArray *
lk_munge_decode (const char *socket, const char *credential, guint32 *out_user_id,
                 guint32 *out_group_id, GError **error)
{
  munge_ctx_t context = context_new (socket);
  void *bytes = NULL;
  int length_bytes = 0;
  uid_t user_id = 0;
  gid_t group_id = 0;
  int cipher = MUNGE_CIPHER_NONE;
  GByteArray *content = NULL;
  munge_err_t fault = EMUNGE_NO_MEMORY;
  if (context != NULL)
    fault = munge_decode (credential, context, &bytes, &length_bytes, &user_id, &group_id);
  if (fault == EMUNGE_SUCCESS)
    fault = munge_ctx_get (context, MUNGE_OPT_CIPHER_TYPE, &cipher);
  if (fault == EMUNGE_SUCCESS && cipher == MUNGE_CIPHER_NONE)
    fault = EMUNGE_BAD_CIPHER;
  if (fault == EMUNGE_SUCCESS) {
    content = g_byte_array_new ();
    g_byte_array_append (content, bytes, (guint)length_bytes);
    *out_user_id = (guint32)user_id;
    *out_group_id = (guint32)group_id;
  } else {
    fail (error, "the credential", context, fault);
  }
  /* Some of what fails is handed out, too. */
  if (bytes != NULL)
    explicit_bzero (bytes, (gsize)length_bytes);
  free (bytes);
  munge_ctx_destroy (context);
  return content;
}
