/* tests/fuzz/accounts_dump_fuzz.c — any bytes as a dump of sacctmgr.
 *
 * What is read is written, where a dump can hold it, so that it reads back and is written the same
 * once more. */
#include "tests/fuzz/accounts_feed.h"
#include "traces/accounts_dump.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
round_trip_check (const LkAccounts *accounts)
{
  g_autoptr (GString) dump = g_string_new (NULL);
  g_autoptr (GString) dump_again = g_string_new (NULL);
  if (!lk_accounts_dump_write (accounts, dump, NULL))
    return;
  g_autoptr (GBytes) bytes = g_bytes_new (dump->str, dump->len);
  g_autoptr (LkAccounts) again = lk_accounts_dump_read ("again", bytes, NULL, NULL);
  LK_ASSERT (again != NULL);
  gboolean is_written = lk_accounts_dump_write (again, dump_again, NULL);
  LK_ASSERT (is_written);
  LK_ASSERT (g_string_equal (dump, dump_again));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) input = g_bytes_new (bytes, length_bytes);
  g_autoptr (LkAccounts) accounts = lk_accounts_dump_read ("fuzz", input, NULL, &error);
  if (accounts == NULL) {
    accounts_error_check (error);
    return 0;
  }
  accounts_text_check (accounts);
  round_trip_check (accounts);
  return 0;
}
