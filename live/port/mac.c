/* live/port/mac.c — see the header. */
#include "live/port/mac.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "engine/assert.h"
#include "engine/bytes.h"

void
lk_random_fill (guint8 *out_bytes, gsize length_bytes)
{
  gsize done = 0;
  while (done < length_bytes) {
    gssize got = getrandom (out_bytes + done, length_bytes - done, 0);
    /* Only a signal may come in between; whoever cannot draw must not go on. */
    LK_ASSERT (got > 0 || errno == EINTR);
    if (got > 0)
      done += (gsize)got;
  }
}

LkMac
lk_mac (const LkKey *key, const LkBytes *pieces, guint piece_count)
{
  LkMac mac;
  gsize length_bytes = sizeof mac.bytes;
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, key->bytes, sizeof key->bytes);
  for (guint i = 0; i < piece_count; i++) {
    guint8 length[4];
    lk_put_u32 (length, pieces[i].length_bytes);
    g_hmac_update (hmac, length, sizeof length);
    if (pieces[i].length_bytes > 0)
      g_hmac_update (hmac, pieces[i].bytes, (gssize)pieces[i].length_bytes);
  }
  g_hmac_get_digest (hmac, mac.bytes, &length_bytes);
  g_hmac_unref (hmac);
  LK_ASSERT (length_bytes == sizeof mac.bytes);
  return mac;
}

LkKey
lk_mac_key (const LkKey *key, const char *use, const LkBytes *pieces, guint piece_count)
{
  LkBytes all[4] = { lk_bytes_of_text (use) };
  LkKey made;
  LK_ASSERT (piece_count < G_N_ELEMENTS (all));
  for (guint i = 0; i < piece_count; i++)
    all[i + 1] = pieces[i];
  LkMac mac = lk_mac (key, all, piece_count + 1);
  G_STATIC_ASSERT (sizeof made == sizeof mac);
  memcpy (made.bytes, mac.bytes, sizeof made.bytes);
  explicit_bzero (&mac, sizeof mac);
  return made;
}

gboolean
lk_mac_is (const LkMac *mac, LkBytes bytes)
{
  guint8 difference = 0;
  if (bytes.length_bytes != sizeof mac->bytes)
    return FALSE;
  for (gsize i = 0; i < sizeof mac->bytes; i++)
    difference |= (guint8)(mac->bytes[i] ^ bytes.bytes[i]);
  return difference == 0;
}

void
lk_key_clear (LkKey *key)
{
  explicit_bzero (key, sizeof *key);
}

LkBytes
lk_bytes_of_text (const char *text)
{
  return (LkBytes){ (const guint8 *)text, (guint32)strlen (text) };
}
