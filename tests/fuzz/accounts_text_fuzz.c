/* tests/fuzz/accounts_text_fuzz.c — any bytes as the canonical text of accounts.
 *
 * A text that is read must be written again byte by byte, also from a copy; the accounts must pass
 * their check once more without a change.  What is refused has a text of one line and no place in
 * memory that is gone. */
#include <string.h>

#include "engine/accounts.h"
#include "engine/assert.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
error_check (const LkAccountsError *error)
{
  LK_ASSERT (error->spec == NULL);
  LK_ASSERT (error->member != NULL);
  LK_ASSERT (error->text[0] != '\0');
  LK_ASSERT (memchr (error->text, '\0', sizeof error->text) != NULL);
  LK_ASSERT (g_utf8_validate (error->text, -1, NULL));
  LK_ASSERT (strchr (error->text, '\n') == NULL);
}

static void
text_check (const LkAccounts *accounts, const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_accounts_text (accounts, text);
  LK_ASSERT (text->len == length_bytes);
  LK_ASSERT (memcmp (text->str, bytes, length_bytes) == 0);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkAccountsError error = { NULL, NULL, "" };
  g_autoptr (LkAccounts) accounts =
      lk_accounts_from_text ((const char *)bytes, length_bytes, &error);
  if (accounts == NULL) {
    error_check (&error);
    return 0;
  }
  text_check (accounts, bytes, length_bytes);
  g_autoptr (LkAccounts) copy = lk_accounts_copy (accounts);
  LK_ASSERT (lk_accounts_check (copy, NULL));
  text_check (copy, bytes, length_bytes);
  for (guint i = 0; i < copy->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (copy->associations, i);
    LK_ASSERT (lk_accounts_find (copy, spec->account, spec->user, spec->partition) == spec);
  }
  return 0;
}
