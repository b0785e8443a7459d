/* live/client/scontrol/scontrol_token.c — `scontrol token [username=NAME] [lifespan=SECONDS]`: a
 * JSON Web Token, which the controller signs: in SLURM_JWT it says to it who asks.
 *
 * Source: scontrol(1), Slurm's jwt.html. */
#include <string.h>

#include "live/client/refusal.h"
#include "live/client/scontrol/scontrol_more.h"

#define LIFE_DEFAULT_S 1800
#define NAME_MAX_BYTES 255

/* FALSE: told. */
static gboolean
life_read (const LkClient *client, const char *value, guint64 *out_life_s)
{
  if (g_ascii_strcasecmp (value, "infinite") == 0) {
    *out_life_s = 0;
    return TRUE;
  }
  if (g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT32, out_life_s, NULL))
    return TRUE;
  lk_client_error (client, "Invalid lifespan %s: expected seconds, or infinite", value);
  return FALSE;
}

/* FALSE: told. */
static gboolean
wish_read (const LkClient *client, char **words, LkClientTokenWish *out)
{
  for (char **word = words; *word != NULL; word++) {
    const char *value = strchr (*word, '=');
    gsize key_bytes = value != NULL ? (gsize)(value - *word) : 0;
    gboolean is_user =
        key_bytes == strlen ("username") && g_ascii_strncasecmp (*word, "username", key_bytes) == 0;
    gboolean is_life =
        key_bytes == strlen ("lifespan") && g_ascii_strncasecmp (*word, "lifespan", key_bytes) == 0;
    if (is_user && value[1] != '\0' && strlen (value + 1) <= NAME_MAX_BYTES) {
      out->user = value + 1;
    } else if (!is_life) {
      lk_client_error (client, "token: unexpected '%s'; expected username=NAME or lifespan=SECONDS",
                       *word);
      return FALSE;
    } else if (!life_read (client, value + 1, &out->life_s)) {
      return FALSE;
    }
  }
  return TRUE;
}

int
lk_scontrol_token (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  LkClientTokenWish wish = { "", LIFE_DEFAULT_S };
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) token = g_string_new ("SLURM_JWT=");
  (void)unused;
  if (!wish_read (client, words + 1, &wish))
    return LK_SCONTROL_FAILURE;
  if (!client->wire->token (client->wire_self, &wish, &refused, token, &error)) {
    lk_client_error (client, "Error fetching token: %s", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (refused != 0) {
    lk_client_error (client, "Error fetching token: %s",
                     *wish.user != '\0' ? lk_refusal_admin_text (refused)
                                        : lk_refusal_text (refused));
    return LK_SCONTROL_FAILURE;
  }
  fprintf (client->out, "%s\n", token->str);
  return 0;
}
