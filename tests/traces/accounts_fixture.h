/* tests/traces/accounts_fixture.h — accounts from texts, and their texts. */
#ifndef LK_TESTS_TRACES_ACCOUNTS_FIXTURE_H
#define LK_TESTS_TRACES_ACCOUNTS_FIXTURE_H

#include <string.h>

#include "traces/accounts_edit.h"
#include "traces/accounts_open.h"

#define ACCOUNTS_FIXTURES LK_SOURCE_DIR "/tests/fixtures/accounts"

typedef struct {
  const char *text;
  const char *message; /* behind the name */
} WrongText;

static inline LkAccounts *
accounts_from (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  return lk_accounts_read ("x", bytes, NULL, error);
}

static inline LkAccounts *
accounts_good (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkAccounts *accounts = accounts_from (text, &error);
  g_assert_no_error (error);
  return accounts;
}

static inline LkAccounts *
accounts_file (const char *folder, const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (ACCOUNTS_FIXTURES, folder, file, NULL);
  LkAccounts *accounts = lk_accounts_open (path, &error);
  g_assert_no_error (error);
  return accounts;
}

/* Each is refused with just this message. */
static inline void
texts_wrong (const WrongText *cases, guint count)
{
  for (guint i = 0; i < count; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *message = g_strconcat ("x:", cases[i].message, NULL);
    g_assert_null (accounts_from (cases[i].text, &error));
    g_assert_cmpstr (error->message, ==, message);
    g_assert_true (error->domain == LK_TRACE_ERROR);
  }
}

static inline char *
accounts_text (const LkAccounts *accounts)
{
  GString *text = g_string_new (NULL);
  lk_accounts_text (accounts, text);
  return g_string_free (text, FALSE);
}

static inline int
line_compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* The lines of QOS and associations, sorted: equal for equal trees in whatever order. */
static inline char *
accounts_sorted (const LkAccounts *accounts)
{
  g_autofree char *text = accounts_text (accounts);
  g_auto (GStrv) lines = g_strsplit (strchr (text, '\n') + 1, "\n", -1);
  qsort (lines, g_strv_length (lines), sizeof *lines, line_compare);
  return g_strjoinv ("\n", lines);
}

static inline guint64
limit_of (const GArray *limits, guint32 kind, guint32 tres)
{
  guint64 value = 0;
  g_assert_true (lk_limits_get (limits, kind, tres, &value));
  return value;
}

#endif
