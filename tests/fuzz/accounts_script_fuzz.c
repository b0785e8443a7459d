/* tests/fuzz/accounts_script_fuzz.c — any bytes as a script of sacctmgr. */
#include "tests/fuzz/accounts_feed.h"
#include "traces/accounts_edit.h"
#include "traces/accounts_script.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) lines = lk_accounts_lines_new ();
  g_autoptr (GBytes) input = g_bytes_new (bytes, length_bytes);
  g_autoptr (LkAccounts) accounts = lk_accounts_script_read ("fuzz", input, lines, &error);
  if (accounts == NULL)
    accounts_error_check (error);
  else
    accounts_text_check (accounts);
  return 0;
}
