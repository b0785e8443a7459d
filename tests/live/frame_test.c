/* tests/live/frame_test.c — frames there and back, in pieces, and each way to have one refused. */
#include "live/port/frame.h"

#include <string.h>

#include "engine/bytes.h"
#include "tests/live/assert_bytes.h"

static const LkKey key_up = { { 1 } };
static const LkKey key_down = { { 2 } };

static LkSeal
sealed (const LkKey *key)
{
  return (LkSeal){ .key = *key, .is_on = TRUE };
}

static void
append_text (GByteArray *out, LkSeal *seal, const char *text)
{
  lk_frame_append (out, seal, (const guint8 *)text, strlen (text));
}

static void
assert_next (LkFrameReader *reader, const char *text)
{
  LkBytes message;
  g_assert_cmpint (lk_frame_reader_next (reader, &message), ==, LK_FRAME_WHOLE);
  assert_bytes (message, text, strlen (text));
}

static void
assert_status (LkFrameReader *reader, LkFrameStatus status)
{
  LkBytes message;
  g_assert_cmpint (lk_frame_reader_next (reader, &message), ==, status);
}

/* ---------------------------------------------------------------- there and back */

static void
test_pieces (gconstpointer data)
{
  gboolean is_sealed = GPOINTER_TO_INT (data);
  LkSeal seal = is_sealed ? sealed (&key_up) : (LkSeal){ 0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_text (bytes, &seal, "a");
  append_text (bytes, &seal, "second");
  append_text (bytes, &seal, "third one");
  for (gsize piece = 1; piece <= bytes->len; piece++) {
    static const char *const texts[] = { "a", "second", "third one" };
    LkFrameReader reader;
    LkBytes message;
    guint count = 0;
    lk_frame_reader_init (&reader, 100);
    if (is_sealed)
      lk_frame_reader_seal (&reader, &key_up);
    for (gsize at = 0; at < bytes->len; at += piece) {
      lk_frame_reader_push (&reader, bytes->data + at, MIN (piece, bytes->len - at));
      while (lk_frame_reader_next (&reader, &message) == LK_FRAME_WHOLE) {
        assert_bytes (message, texts[count], strlen (texts[count]));
        count++;
      }
      g_assert_cmpint (reader.failure, ==, LK_FRAME_NONE);
    }
    g_assert_cmpuint (count, ==, 3);
    g_assert_cmpuint (lk_frame_reader_held_bytes (&reader), ==, 0);
    lk_frame_reader_clear (&reader);
  }
}

/* The seal begins with the next frame, as behind a handshake. */
static void
test_seal_begins (void)
{
  LkSeal seal = { 0 };
  LkFrameReader reader;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_text (bytes, &seal, "open");
  seal = sealed (&key_up);
  append_text (bytes, &seal, "shut");
  lk_frame_reader_init (&reader, 100);
  lk_frame_reader_push (&reader, bytes->data, bytes->len);
  assert_next (&reader, "open");
  lk_frame_reader_seal (&reader, &key_up);
  assert_next (&reader, "shut");
  lk_frame_reader_clear (&reader);
}

/* ---------------------------------------------------------------- refusals */

static void
test_length (void)
{
  static const struct {
    guint32 length_bytes;
    LkFrameStatus status;
  } rows[] = {
    { 0, LK_FRAME_EMPTY },
    { 8, LK_FRAME_NONE },
    { 9, LK_FRAME_OVERSIZE },
    { G_MAXUINT32, LK_FRAME_OVERSIZE },
    { G_MAXUINT32 - 31, LK_FRAME_OVERSIZE },
  };
  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    guint8 length[4];
    LkFrameReader reader;
    lk_frame_reader_init (&reader, 8);
    if (i >= G_N_ELEMENTS (rows))
      lk_frame_reader_seal (&reader, &key_up);
    lk_put_u32 (length, rows[i % G_N_ELEMENTS (rows)].length_bytes);
    lk_frame_reader_push (&reader, length, sizeof length);
    assert_status (&reader, rows[i % G_N_ELEMENTS (rows)].status);
    lk_frame_reader_clear (&reader);
  }
}

/* Behind a failure nothing more is taken, and nothing is held. */
static void
test_failure_stays (void)
{
  LkSeal open = { 0 };
  LkFrameReader reader;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_frame_reader_init (&reader, 8);
  append_text (bytes, &open, "too long for that");
  lk_frame_reader_push (&reader, bytes->data, bytes->len);
  assert_status (&reader, LK_FRAME_OVERSIZE);
  g_byte_array_set_size (bytes, 0);
  append_text (bytes, &open, "good");
  lk_frame_reader_push (&reader, bytes->data, bytes->len);
  assert_status (&reader, LK_FRAME_OVERSIZE);
  g_assert_cmpuint (lk_frame_reader_held_bytes (&reader), ==, 0);
  lk_frame_reader_clear (&reader);
}

static void
feed_sealed (const GByteArray *bytes, LkFrameReader *reader)
{
  lk_frame_reader_init (reader, 100);
  lk_frame_reader_seal (reader, &key_up);
  lk_frame_reader_push (reader, bytes->data, bytes->len);
}

/* Each bit of a sealed frame. */
static void
test_changed (void)
{
  LkSeal seal = sealed (&key_up);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  append_text (bytes, &seal, "launch 1");
  for (gsize bit = 8 * LK_FRAME_LENGTH_BYTES; bit < 8 * (gsize)bytes->len; bit++) {
    LkFrameReader reader;
    bytes->data[bit / 8] ^= (guint8)(1u << bit % 8);
    feed_sealed (bytes, &reader);
    assert_status (&reader, LK_FRAME_FORGED);
    lk_frame_reader_clear (&reader);
    bytes->data[bit / 8] ^= (guint8)(1u << bit % 8);
  }
}

/* The length is part of what is sealed: a frame cannot be cut in two or made longer. */
static void
test_length_changed (void)
{
  for (guint length_bytes = 1; length_bytes < 40; length_bytes++) {
    LkSeal seal = sealed (&key_up);
    LkFrameReader reader;
    LkBytes message;
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    append_text (bytes, &seal, "launch 1");
    append_text (bytes, &seal, "launch 2");
    if (length_bytes == 8)
      continue;
    lk_put_u32 (bytes->data, length_bytes);
    feed_sealed (bytes, &reader);
    g_assert_cmpint (lk_frame_reader_next (&reader, &message), ==, LK_FRAME_FORGED);
    lk_frame_reader_clear (&reader);
  }
}

typedef enum { REPLAYED, LEFT_OUT, SWAPPED, REFLECTED, OTHER_SESSION, UNSEALED } Fraud;

/* Two frames, and what somebody in between makes of them. */
static void
test_fraud (gconstpointer data)
{
  Fraud fraud = (Fraud)GPOINTER_TO_INT (data);
  LkSeal seal = fraud == REFLECTED ? sealed (&key_down) : sealed (&key_up);
  LkFrameReader reader;
  g_autoptr (GByteArray) first = g_byte_array_new ();
  g_autoptr (GByteArray) second = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (fraud == OTHER_SESSION)
    seal.key.bytes[31] = 1;
  if (fraud == UNSEALED)
    seal.is_on = FALSE;
  append_text (first, &seal, "first");
  append_text (second, &seal, "other");
  const GByteArray *order[2] = { first, second };
  if (fraud == REPLAYED)
    order[1] = first;
  else if (fraud == LEFT_OUT)
    order[0] = second;
  else if (fraud == SWAPPED)
    order[0] = second, order[1] = first;
  for (guint i = 0; i < 2; i++)
    g_byte_array_append (bytes, order[i]->data, order[i]->len);
  /* So that an unsealed frame is not merely waited for. */
  static const guint8 zeros[64];
  g_byte_array_append (bytes, zeros, sizeof zeros);
  feed_sealed (bytes, &reader);
  if (fraud == REPLAYED)
    assert_next (&reader, "first");
  assert_status (&reader, LK_FRAME_FORGED);
  lk_frame_reader_clear (&reader);
}

/* A long message that was announced takes no room. */
static void
test_announced (void)
{
  guint8 length[4];
  LkFrameReader reader;
  lk_frame_reader_init (&reader, LK_MESSAGE_MAX_BYTES);
  lk_put_u32 (length, LK_MESSAGE_MAX_BYTES);
  lk_frame_reader_push (&reader, length, sizeof length);
  assert_status (&reader, LK_FRAME_NONE);
  g_assert_cmpuint (lk_frame_reader_held_bytes (&reader), ==, sizeof length);
  lk_frame_reader_clear (&reader);
}

static gsize
three_of_k (guint first)
{
  return first == 'k' ? 3 : 100;
}

/* What is too long of its kind is refused before the rest has come. */
static void
test_limit (void)
{
  LkFrameReader reader;
  const guint8 frame[] = { 4, 0, 0, 0, 'k' };
  g_autoptr (GByteArray) good = g_byte_array_new ();
  LkSeal none = { .is_on = FALSE };
  lk_frame_reader_init (&reader, 100);
  lk_frame_reader_set_limit (&reader, three_of_k);
  lk_frame_append (good, &none, (const guint8 *)"kkk", 3);
  lk_frame_append (good, &none, (const guint8 *)"xxxx", 4);
  lk_frame_reader_push (&reader, good->data, good->len);
  assert_next (&reader, "kkk");
  assert_next (&reader, "xxxx");
  lk_frame_reader_push (&reader, frame, 4);
  assert_status (&reader, LK_FRAME_NONE);
  lk_frame_reader_push (&reader, frame + 4, 1);
  assert_status (&reader, LK_FRAME_OVERSIZE);
  lk_frame_reader_clear (&reader);
}

/* No sender aborts for what it cannot send. */
static void
test_overlong (void)
{
  LkSeal none = { .is_on = FALSE };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_autofree guint8 *bytes = g_malloc0 (LK_MESSAGE_MAX_BYTES + 1);
  g_assert_false (lk_frame_append (out, &none, bytes, LK_MESSAGE_MAX_BYTES + 1));
  g_assert_cmpuint (out->len, ==, 0);
  g_assert_true (lk_frame_append (out, &none, bytes, LK_MESSAGE_MAX_BYTES));
}

static void
test_mac_is (void)
{
  LkMac mac = { { 1, 2, 3 } };
  LkMac other = mac;
  g_assert_true (lk_mac_is (&mac, (LkBytes){ other.bytes, LK_MAC_BYTES }));
  g_assert_false (lk_mac_is (&mac, (LkBytes){ other.bytes, LK_MAC_BYTES - 1 }));
  g_assert_false (lk_mac_is (&mac, (LkBytes){ other.bytes, 0 }));
  for (guint i = 0; i < LK_MAC_BYTES; i++) {
    other.bytes[i] ^= 0x80;
    g_assert_false (lk_mac_is (&mac, (LkBytes){ other.bytes, LK_MAC_BYTES }));
    other.bytes[i] ^= 0x80;
  }
}

/* What is authenticated is the list of pieces, not their bytes one behind the other. */
static void
test_mac_pieces (void)
{
  const LkKey key = { { 7 } };
  const LkBytes ab_c[] = { lk_bytes_of_text ("ab"), lk_bytes_of_text ("c") };
  const LkBytes a_bc[] = { lk_bytes_of_text ("a"), lk_bytes_of_text ("bc") };
  LkMac one = lk_mac (&key, ab_c, 2);
  LkMac other = lk_mac (&key, a_bc, 2);
  g_assert_false (lk_mac_is (&one, (LkBytes){ other.bytes, LK_MAC_BYTES }));
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, key.bytes, sizeof key.bytes);
  g_hmac_update (hmac, (const guint8 *)"\2\0\0\0ab\1\0\0\0c", 11);
  guint8 digest[LK_MAC_BYTES];
  gsize length_bytes = sizeof digest;
  g_hmac_get_digest (hmac, digest, &length_bytes);
  g_hmac_unref (hmac);
  g_assert_true (lk_mac_is (&one, (LkBytes){ digest, LK_MAC_BYTES }));
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    Fraud fraud;
  } frauds[] = {
    { "/frame/one that comes twice is refused", REPLAYED },
    { "/frame/one behind a gap is refused", LEFT_OUT },
    { "/frame/those in another order are refused", SWAPPED },
    { "/frame/one of the other direction is refused", REFLECTED },
    { "/frame/one of another session is refused", OTHER_SESSION },
    { "/frame/one without a seal is refused", UNSEALED },
  };
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/frame/comes together from pieces", GINT_TO_POINTER (FALSE), test_pieces);
  g_test_add_data_func ("/frame/comes together from pieces, sealed", GINT_TO_POINTER (TRUE),
                        test_pieces);
  g_test_add_func ("/frame/a seal begins with the next one", test_seal_begins);
  g_test_add_func ("/frame/is refused by its length", test_length);
  g_test_add_func ("/frame/nothing is taken behind a failure", test_failure_stays);
  g_test_add_func ("/frame/one that was changed is refused", test_changed);
  g_test_add_func ("/frame/one whose length was changed is refused", test_length_changed);
  for (guint i = 0; i < G_N_ELEMENTS (frauds); i++)
    g_test_add_data_func (frauds[i].name, GINT_TO_POINTER (frauds[i].fraud), test_fraud);
  g_test_add_func ("/frame/what is announced takes no room", test_announced);
  g_test_add_func ("/frame/a kind of message has a limit of its own", test_limit);
  g_test_add_func ("/frame/a message that is too long is not sent", test_overlong);
  g_test_add_func ("/mac/is one only bit for bit", test_mac_is);
  g_test_add_func ("/mac/tells pieces apart", test_mac_pieces);
  return g_test_run ();
}
