/* live/core/controller_token.c — who gets a JSON Web Token, and for whom.
 *
 * Everybody gets one for himself, unless the site keeps that to root and SlurmUser
 * (disable_token_creation); these get one for whomever they name.  Nothing of it is an event: a
 * token changes nothing here. */
#include <string.h>

#include "live/core/controller_private.h"

static gboolean
is_trusted (const LkController *self, const LkPeer *peer)
{
  return peer->user_id == 0 || peer->user_id == self->config.administrator_user_id;
}

void
lk_controller_token_answer (LkController *self, const LkPeer *peer, guint64 request, LkReject error,
                            const char *token)
{
  LkMessage answer = { .kind = LK_MESSAGE_TOKEN_SIGNED };
  answer.token_signed = (LkMessage_token_signed){ .request = request, .error = (guint16)error };
  if (token != NULL)
    answer.token_signed.token = (LkText){ token, (guint16)strlen (token) };
  lk_controller_send (self, peer->id, &answer);
}

/* For whom, of whom asks. Returns: (transfer full), or NULL: he may not. */
static char *
user_of (const LkController *self, const LkPeer *peer, LkText wanted)
{
  g_autofree char *named = g_strndup (wanted.bytes, wanted.length_bytes);
  if (is_trusted (self, peer))
    return g_strdup (named[0] != '\0' ? named : peer->name);
  if (self->config.tokens_are_trusted || (named[0] != '\0' && g_strcmp0 (named, peer->name) != 0))
    return NULL;
  return g_strdup (peer->name);
}

void
lk_controller_token (LkController *self, const LkPeer *peer, const LkMessage_token_sign *message)
{
  const LkPortToken *port = &self->ports.token;
  guint64 life_max_s = self->config.token_life_max_s;
  g_autofree char *user = user_of (self, peer, message->user);
  gboolean is_long = message->life_s == 0 || message->life_s > life_max_s;
  /* Nobody may hand on what he has only for a while as if it were for ever. */
  if (user == NULL || (life_max_s > 0 && is_long && !is_trusted (self, peer))) {
    self->counts.refused_count++;
    lk_log_refused (self, peer, &(LkMessage){ .kind = LK_MESSAGE_TOKEN_SIGN });
    lk_controller_token_answer (self, peer, message->request, LK_REJECT_PERMISSION, NULL);
    return;
  }
  g_autofree char *token =
      port->ops != NULL ? port->ops->sign (port->self, user, message->life_s) : NULL;
  lk_controller_token_answer (self, peer, message->request,
                              token != NULL ? (LkReject)0 : LK_REJECT_DISABLED, token);
}
