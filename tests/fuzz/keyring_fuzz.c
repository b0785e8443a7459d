/* tests/fuzz/keyring_fuzz.c — any text as a key file.
 *
 * What is read can be written, and is the same when it is read again; a key that speaks for one
 * speaks for nobody else. */
#include "engine/assert.h"
#include "live/port/auth_key.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
check_subjects (const LkKeyring *keyring, guint index)
{
  const LkKeySubject subjects[] = {
    { .kind = LK_PEER_AGENT, .node = "n1" },
    { .kind = LK_PEER_USER, .user_id = 1001 },
    { .kind = LK_PEER_STANDBY },
  };
  guint count = 0;
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++) {
    LkKey key;
    count += lk_keyring_key (keyring, index, &subjects[i], &key) ? 1 : 0;
  }
  LK_ASSERT (count <= 1 || count == G_N_ELEMENTS (subjects));
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) keyring = lk_keyring_parse ((const char *)bytes, length_bytes, &error);
  LK_ASSERT ((keyring == NULL) == (error != NULL));
  if (keyring == NULL)
    return 0;
  g_autoptr (GString) text = g_string_new (NULL);
  LK_ASSERT (lk_keyring_count (keyring) >= 1);
  LK_ASSERT (lk_keyring_count (keyring) <= LK_KEYRING_MAX);
  for (guint i = 0; i < lk_keyring_count (keyring); i++) {
    g_autofree char *line = lk_keyring_line (keyring, i);
    g_string_append (text, line);
    check_subjects (keyring, i);
  }
  g_autoptr (LkKeyring) again = lk_keyring_parse (text->str, text->len, NULL);
  LK_ASSERT (again != NULL);
  LK_ASSERT (lk_keyring_count (again) == lk_keyring_count (keyring));
  for (guint i = 0; i < lk_keyring_count (keyring); i++) {
    g_autofree char *line = lk_keyring_line (keyring, i);
    g_autofree char *same = lk_keyring_line (again, i);
    LK_ASSERT (strcmp (line, same) == 0);
  }
  return 0;
}
