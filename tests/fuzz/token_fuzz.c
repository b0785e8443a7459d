/* tests/fuzz/token_fuzz.c — any text as HEAD.BODY of a token, and as a whole one.
 *
 * What is good has a user and an end that is to come. */
#include "engine/assert.h"
#include "live/port/token_claims.h"

#include <string.h>

#define NOW_S 1800000000

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  LkTokenClaims claims = { NULL };
  LkBytes content;
  LkKey signature;
  if (length_bytes > LK_TOKEN_MAX_BYTES)
    return 0;
  if (lk_token_claims_read ((LkBytes){ bytes, (guint32)length_bytes }, NOW_S, &claims, &error)) {
    LK_ASSERT (claims.user[0] != '\0');
    LK_ASSERT (claims.end_s > NOW_S);
    lk_token_claims_clear (&claims);
  } else {
    LK_ASSERT (error != NULL);
  }
  g_autofree char *text = g_strndup ((const char *)bytes, length_bytes);
  if (lk_token_split (text, &content, &signature, NULL))
    LK_ASSERT (content.length_bytes < strlen (text));
  return 0;
}
