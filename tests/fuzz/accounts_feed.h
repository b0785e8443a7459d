/* tests/fuzz/accounts_feed.h — what holds of accounts and errors, whatever file they come from. */
#ifndef LK_TESTS_FUZZ_ACCOUNTS_FEED_H
#define LK_TESTS_FUZZ_ACCOUNTS_FEED_H

#include <string.h>

#include "engine/accounts.h"
#include "engine/assert.h"
#include "traces/trace_error.h"

/* One line of UTF-8 that begins with the name. */
static inline void
accounts_error_check (const GError *error)
{
  LK_ASSERT (error != NULL);
  LK_ASSERT (error->domain == LK_TRACE_ERROR);
  LK_ASSERT (g_str_has_prefix (error->message, "fuzz:"));
  LK_ASSERT (g_utf8_validate (error->message, -1, NULL));
  LK_ASSERT (strchr (error->message, '\n') == NULL);
}

/* Accounts that were read are checked: their canonical text reads back. */
static inline void
accounts_text_check (const LkAccounts *accounts)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) again_text = g_string_new (NULL);
  lk_accounts_text (accounts, text);
  g_autoptr (LkAccounts) again = lk_accounts_from_text (text->str, text->len, NULL);
  LK_ASSERT (again != NULL);
  lk_accounts_text (again, again_text);
  LK_ASSERT (g_string_equal (text, again_text));
}

#endif
