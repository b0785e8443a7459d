/* tests/fuzz/accounts_yaml_fuzz.c — any bytes as a page of accounts.
 *
 * What is read is written so that it reads back and is written the same once more. */
#include "tests/fuzz/accounts_feed.h"
#include "traces/accounts_yaml.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
round_trip_check (const LkAccounts *accounts)
{
  g_autoptr (GString) page = g_string_new (NULL);
  g_autoptr (GString) page_again = g_string_new (NULL);
  lk_accounts_yaml_write (accounts, "again", page);
  g_autoptr (LkAccounts) again =
      lk_accounts_yaml_read_bytes ("again", (const guint8 *)page->str, page->len, NULL);
  LK_ASSERT (again != NULL);
  lk_accounts_yaml_write (again, "again", page_again);
  LK_ASSERT (g_string_equal (page, page_again));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkAccounts) accounts =
      lk_accounts_yaml_read_bytes ("fuzz", bytes, length_bytes, &error);
  if (accounts == NULL) {
    accounts_error_check (error);
    return 0;
  }
  accounts_text_check (accounts);
  round_trip_check (accounts);
  return 0;
}
