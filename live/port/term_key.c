/* live/port/term_key.c — see the header. */
#include "live/port/term_key.h"

#include <string.h>
#include <unistd.h>

#include "engine/bytes.h"
#include "live/port/auth_key.h"
#include "live/port/error.h"

/* Two digits a byte, and the end of the line. */
#define TEXT_BYTES (2 * LK_KEY_BYTES + 1)

static gboolean
make (const char *path, GError **error)
{
  guint8 bytes[LK_KEY_BYTES];
  g_autoptr (GString) text = g_string_new (NULL);
  lk_random_fill (bytes, sizeof bytes);
  for (guint i = 0; i < sizeof bytes; i++)
    g_string_append_printf (text, "%02x", bytes[i]);
  g_string_append_c (text, '\n');
  gboolean is_made = lk_key_file_write (path, text->str, /* may_replace= */ FALSE, error);
  explicit_bzero (bytes, sizeof bytes);
  explicit_bzero (text->str, text->len);
  return is_made;
}

gboolean
lk_term_key_load (const char *directory, LkKey *out_key, GError **error)
{
  static const LkKey none = { .bytes = { 0 } };
  char text[TEXT_BYTES + 1];
  gsize length_bytes = 0;
  g_autofree char *path = g_build_filename (directory, LK_TERM_KEY_FILE, NULL);
  if (access (path, F_OK) != 0 && !make (path, error))
    return FALSE;
  if (!lk_key_file_read (path, text, sizeof text, &length_bytes, error))
    return FALSE;
  if (length_bytes != TEXT_BYTES) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED,
                 "key file '%s': %" G_GSIZE_FORMAT " bytes; expected %u hexadecimal digits", path,
                 length_bytes, 2 * LK_KEY_BYTES);
    return FALSE;
  }
  const LkBytes piece = { (const guint8 *)text, (guint32)length_bytes };
  *out_key = lk_mac_key (&none, "terms", &piece, 1);
  explicit_bzero (text, sizeof text);
  return TRUE;
}

static LkTermProof
prove (void *self, guint64 term)
{
  guint8 bytes[sizeof term];
  lk_put_u64 (bytes, term);
  const LkBytes piece = { bytes, sizeof bytes };
  LkMac mac = lk_mac (self, &piece, 1);
  LkBytesReader reader = { mac.bytes, sizeof mac.bytes, FALSE };
  LkTermProof proof;
  proof.low = lk_take_u64 (&reader);
  proof.high = lk_take_u64 (&reader);
  return proof;
}

LkPortTerm
lk_term_key_port (LkKey *key)
{
  static const LkPortTermOps ops = { .size = sizeof ops, .prove = prove };
  return (LkPortTerm){ &ops, key };
}
