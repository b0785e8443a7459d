/* live/port/token_claims.h — what is in a JSON Web Token: its head, and whose it is for how long.
 *
 * Read only when the signature is right (auth_token.h), so this is the site's own text; it is
 * checked all the same.  Claims are Slurm's: sun (the user's name; username counts, too), exp, iat,
 * nbf.  The head must say HS256: what says none, or names another algorithm, is refused. */
#ifndef LK_LIVE_PORT_TOKEN_CLAIMS_H
#define LK_LIVE_PORT_TOKEN_CLAIMS_H

#include <glib.h>

#include "live/port/auth_token.h"

/* So much may clocks of two machines differ. */
#define LK_TOKEN_SKEW_S 60

/* A LkTokenReader. */
gboolean lk_token_claims_read (LkBytes content, gint64 now_s, LkTokenClaims *out_claims,
                               GError **error);
/* A token that is signed with the key. Returns: (transfer full). */
char *lk_token_make (GBytes *key, const char *user, gint64 now_s, gint64 end_s);

#endif
