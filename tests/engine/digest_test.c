/* tests/engine/digest_test.c — that digests stay what they are, on every machine and in every
 * version, and that they see where one piece ends and the next begins.
 *
 * The expected values come from a second implementation written from docs/formats.md. */
#include "engine/digest.h"

#include <string.h>

typedef struct {
  const char *pieces[4]; /* ends with NULL */
  const char *digest;
} Example;

static const Example examples[] = {
  { { NULL }, "aa38f3529009c9553b74e97e6a0e033c" },
  { { "", NULL }, "fa979deb3efab82c54e1465607e0bb74" },
  { { "", "", NULL }, "40314233945a5a9da86feb17e86fd746" },
  { { "a", NULL }, "cf31aa0d5b031fff1dbd55f884e0f6d0" },
  { { "ab", NULL }, "9cd3819142c8124ffd1c108642c54c1b" },
  { { "a", "b", NULL }, "4cec71dc9516c90f6636d7199df089b2" },
  { { "12345678", NULL }, "43bd7aa841b40ad5de7aca992470ad40" },
  { { "123456789", NULL }, "fe0c645c1856c667496f5fbce22f7781" },
  { { "1234567", "89012345678901234", "x", NULL }, "c6ba307a03884dcf49ec0d4a38782f27" },
};

static void
add_text (LkDigest *digest, const char *text)
{
  lk_digest_add (digest, (const guint8 *)text, strlen (text));
}

static void
digest_text (const char *const *pieces, char out_text[LK_DIGEST_TEXT_BYTES])
{
  LkDigest digest;
  lk_digest_init (&digest);
  for (; *pieces != NULL; pieces++)
    add_text (&digest, *pieces);
  lk_digest_value_text (lk_digest_value (&digest), out_text);
}

static void
test_fixed (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++) {
    char text[LK_DIGEST_TEXT_BYTES];
    digest_text (examples[i].pieces, text);
    g_assert_cmpstr (text, ==, examples[i].digest);
  }
}

static void
test_pieces (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    for (guint j = 0; j < i; j++) {
      char a[LK_DIGEST_TEXT_BYTES], b[LK_DIGEST_TEXT_BYTES];
      digest_text (examples[i].pieces, a);
      digest_text (examples[j].pieces, b);
      g_assert_cmpstr (a, !=, b);
    }
}

/* What fills up the last word is not taken for content. */
static void
test_zeros (void)
{
  static const guint8 zeros[17] = { 0 };
  LkDigestValue values[18];
  for (guint length_bytes = 0; length_bytes <= sizeof zeros; length_bytes++) {
    LkDigest digest;
    lk_digest_init (&digest);
    lk_digest_add (&digest, zeros, length_bytes);
    values[length_bytes] = lk_digest_value (&digest);
    for (guint i = 0; i < length_bytes; i++)
      g_assert_false (lk_digest_value_equal (values[i], values[length_bytes]));
  }
}

static void
test_goes_on (void)
{
  LkDigest asked, silent;
  lk_digest_init (&asked);
  lk_digest_init (&silent);
  add_text (&asked, "start");
  add_text (&silent, "start");
  LkDigestValue early = lk_digest_value (&asked);
  g_assert_true (lk_digest_value_equal (early, lk_digest_value (&asked)));
  add_text (&asked, "end");
  add_text (&silent, "end");
  g_assert_true (lk_digest_value_equal (lk_digest_value (&asked), lk_digest_value (&silent)));
  g_assert_false (lk_digest_value_equal (lk_digest_value (&asked), early));
}

static void
test_text (void)
{
  char text[LK_DIGEST_TEXT_BYTES];
  LkDigestValue value = { .low = 0x0123456789abcdefu, .high = 0xf0u };
  lk_digest_value_text (value, text);
  g_assert_cmpstr (text, ==, "00000000000000f00123456789abcdef");
  LkDigestValue other = value;
  other.high++;
  g_assert_false (lk_digest_value_equal (value, other));
  other = value;
  other.low++;
  g_assert_false (lk_digest_value_equal (value, other));
  g_assert_true (lk_digest_value_equal (value, value));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/digest/gives the same values for ever", test_fixed);
  g_test_add_func ("/digest/sees where a piece ends", test_pieces);
  g_test_add_func ("/digest/sees how many zeros there are", test_zeros);
  g_test_add_func ("/digest/goes on after its value was taken", test_goes_on);
  g_test_add_func ("/digest/is written high half first", test_text);
  return g_test_run ();
}
