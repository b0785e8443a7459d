/* live/port/mac.h — keys, random bytes and HMAC-SHA256: what authentication is made of.
 *
 * Pieces of what is authenticated are told apart by their lengths, so that no two lists of pieces
 * have the same bytes. */
#ifndef LK_LIVE_PORT_MAC_H
#define LK_LIVE_PORT_MAC_H

#include <glib.h>

#include "live/core/message.h"

#define LK_KEY_BYTES 32u
#define LK_MAC_BYTES 32u
#define LK_NONCE_BYTES 32u

typedef struct {
  guint8 bytes[LK_KEY_BYTES];
} LkKey;

typedef struct {
  guint8 bytes[LK_MAC_BYTES];
} LkMac;

/* From the system's generator; never fails. */
void lk_random_fill (guint8 *out_bytes, gsize length_bytes);

LkMac lk_mac (const LkKey *key, const LkBytes *pieces, guint piece_count);
/* The same as a key; `use` tells what for. */
LkKey lk_mac_key (const LkKey *key, const char *use, const LkBytes *pieces, guint piece_count);
/* Takes as long whatever the difference. FALSE, too, when the length is another one. */
gboolean lk_mac_is (const LkMac *mac, LkBytes bytes);

/* Forgets a key. */
void lk_key_clear (LkKey *key);

/* The bytes of a text. */
LkBytes lk_bytes_of_text (const char *text);

#endif
