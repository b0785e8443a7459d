/* tests/engine/crc32c_test.c — the examples of RFC 3720 and a bit-by-bit reference. */
#include "engine/crc32c.h"

#include <string.h>

#include "tests/engine/seed.h"

static guint32
reference (const guint8 *bytes, gsize length_bytes)
{
  guint32 crc = ~0u;
  for (gsize i = 0; i < length_bytes; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

/* Either way of computing it; the processor may know only the tables. */
static void
crc_init (LkCrc32c *crc, gboolean by_tables)
{
  lk_crc32c_init (crc);
  if (by_tables)
    crc->has_instruction = FALSE;
}

static void
test_examples (gconstpointer by_tables)
{
  LkCrc32c crc;
  guint8 bytes[32];
  crc_init (&crc, by_tables != NULL);
  g_assert_cmphex (lk_crc32c (&crc, (const guint8 *)"123456789", 9), ==, 0xe3069283u);
  g_assert_cmphex (lk_crc32c (&crc, NULL, 0), ==, 0);
  /* RFC 3720, B.4. */
  memset (bytes, 0, sizeof bytes);
  g_assert_cmphex (lk_crc32c (&crc, bytes, sizeof bytes), ==, 0x8a9136aau);
  memset (bytes, 0xff, sizeof bytes);
  g_assert_cmphex (lk_crc32c (&crc, bytes, sizeof bytes), ==, 0x62a8ab43u);
  for (guint8 i = 0; i < sizeof bytes; i++)
    bytes[i] = i;
  g_assert_cmphex (lk_crc32c (&crc, bytes, sizeof bytes), ==, 0x46dd794eu);
  for (guint8 i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8)(31 - i);
  g_assert_cmphex (lk_crc32c (&crc, bytes, sizeof bytes), ==, 0x113fdb5cu);
}

static void
test_reference (gconstpointer by_tables)
{
  LkCrc32c crc;
  Seed seed = { 1 };
  guint8 bytes[64 + 16];
  crc_init (&crc, by_tables != NULL);
  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8)seed_next (&seed);
  for (guint begin = 0; begin < 16; begin++)
    for (guint length_bytes = 0; length_bytes <= 64; length_bytes++)
      g_assert_cmphex (lk_crc32c (&crc, bytes + begin, length_bytes), ==,
                       reference (bytes + begin, length_bytes));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/crc32c/gives the examples of RFC 3720", NULL, test_examples);
  g_test_add_data_func ("/crc32c/gives the examples of RFC 3720 by tables", "", test_examples);
  g_test_add_data_func ("/crc32c/agrees bit by bit at every length and alignment", NULL,
                        test_reference);
  g_test_add_data_func ("/crc32c/agrees bit by bit at every length and alignment by tables", "",
                        test_reference);
  return g_test_run ();
}
