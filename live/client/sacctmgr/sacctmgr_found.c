/* live/client/sacctmgr/sacctmgr_found.c — `sacctmgr show problem`: what is amiss with accounts and
 * users; and `sacctmgr show wckey`: the keys that jobs have had, and whose, from the file of
 * accounting. Source: sacctmgr(1). */
#include <pwd.h>
#include <sqlite3.h>
#include <string.h>

#include "live/client/names.h"
#include "live/client/accounting/sacct.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "live/client/words.h"

#define PROBLEM_COLUMNS "Cluster,Account,User,Problem"
#define WCKEY_COLUMNS "WCKey,Cluster,User"

/* A line; what it has not is "". Borrowed texts. */
typedef struct {
  const char *account;
  const char *user;
  const char *wckey;
  const char *problem;
  guint number; /* its place among those that are told, from 1 */
} Found;

typedef struct {
  LkClient *client;
  char *cluster;
  char *format;
  char *accounts; /* lists; NULL: all */
  char *users;
  char *wckeys;
  GArray *rows; /* of Found */
  GStringChunk *texts;
} Search;

/* ---------------------------------------------------------------- cells */

#define CELL(NAME, TEXT)                                                                           \
  static void NAME##_cell (gconstpointer report, gconstpointer row, GString *out)                  \
  {                                                                                                \
    const Search *self = report;                                                                   \
    const Found *found = row;                                                                      \
    (void)self;                                                                                    \
    (void)found;                                                                                   \
    g_string_append (out, TEXT);                                                                   \
  }

CELL (cluster, self->cluster)
CELL (account, found->account)
CELL (user, found->user)
CELL (wckey, found->wckey)
CELL (problem, found->problem)

static const LkField fields[] = {
  { "Account", NULL, 10, account_cell },
  { "Cluster", NULL, 10, cluster_cell },
  { "Name", "WCKey", 10, wckey_cell },
  { "Problem", NULL, 40, problem_cell },
  { "User", NULL, 10, user_cell },
  { "WCKey", NULL, 10, wckey_cell },
  { NULL, NULL, 0, NULL },
};

/* ---------------------------------------------------------------- problems */

static gboolean
is_listed (const char *list, const char *word)
{
  return list == NULL || lk_word_is_listed (list, word);
}

static gboolean
is_used (const LkAccounts *accounts, const char *account)
{
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (strcmp (spec->user[0] != '\0' ? spec->account : spec->parent, account) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Each user once, whatever accounts he has. */
static void
problems_find (Search *self, const LkAccounts *accounts)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    Found found = { spec->account, spec->user, "", NULL, 0 };
    if (spec->user[0] == '\0' && !is_used (accounts, spec->account))
      found.problem = "Account has no users";
    else if (spec->user[0] != '\0' && g_hash_table_add (known, spec->user)
             && getpwnam (spec->user) == NULL)
      found.problem = "User does not have a uid";
    if (found.problem != NULL && is_listed (self->accounts, found.account)
        && is_listed (self->users, found.user))
      g_array_append_val (self->rows, found);
  }
}

/* ---------------------------------------------------------------- keys */

static const char *
text_at (const Search *self, sqlite3_stmt *row, int column)
{
  const char *text = (const char *)sqlite3_column_text (row, column);
  return g_string_chunk_insert (self->texts, text != NULL ? text : "");
}

static gboolean
wckeys_read (gpointer user, sqlite3 *db)
{
  Search *self = user;
  static const char sql[] = "SELECT DISTINCT wckey, user_name, user_id FROM jobs WHERE wckey <> ''"
                            " ORDER BY wckey, user_name, user_id";
  sqlite3_stmt *statement = NULL;
  LkNames names;
  int status;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return FALSE;
  lk_names_init (&names);
  while ((status = sqlite3_step (statement)) == SQLITE_ROW) {
    Found found = { "", text_at (self, statement, 1), text_at (self, statement, 0), "", 0 };
    if (found.user[0] == '\0')
      found.user = lk_names_user (&names, (guint32)sqlite3_column_int64 (statement, 2));
    if (is_listed (self->wckeys, found.wckey) && is_listed (self->users, found.user))
      g_array_append_val (self->rows, found);
  }
  sqlite3_finalize (statement);
  lk_names_clear (&names);
  self->cluster = lk_sacct_book_cluster (db);
  return status == SQLITE_DONE;
}

/* ---------------------------------------------------------------- the command */

static gboolean
word_take (gpointer user, const char *word)
{
  Search *self = user;
  const struct {
    const char *name;
    gsize least_bytes;
    char **place;
  } keys[] = { { "accounts", 1, &self->accounts },
               { "format", 1, &self->format },
               { "names", 1, &self->wckeys },
               { "users", 1, &self->users },
               { "wckeys", 1, &self->wckeys } };
  const char *value = strchr (word, '=');
  gsize length = strcspn (word, "=");
  if (value == NULL)
    return g_ascii_strcasecmp (word, "where") == 0;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (length >= keys[i].least_bytes && g_ascii_strncasecmp (keys[i].name, word, length) == 0) {
      g_free (*keys[i].place);
      *keys[i].place = g_strdup (value + 1);
      return TRUE;
    }
  return FALSE;
}

static int
print (const Search *self, const LkSacctmgrOptions *options, const char *standard)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  for (guint i = 0; i < self->rows->len; i++)
    g_ptr_array_add (rows, &g_array_index (self->rows, Found, i));
  return lk_sacctmgr_table_print (
      self->client, options,
      &(LkSacctmgrTable){ fields, self->format != NULL ? self->format : standard, self, rows });
}

#define WCKEY_MEMBERS(X)                                                                           \
  X (cluster, "cluster", lk_put_string (out, self->cluster))                                       \
  X (id, "id", lk_put_count (out, found->number))                                                  \
  X (name, "name", lk_put_string (out, found->wckey))                                              \
  X (user, "user", lk_put_string (out, found->user))

#define X(name, path, what)                                                                        \
  static void put_##name (GString *out, gconstpointer report, gconstpointer row)                   \
  {                                                                                                \
    const Search *self = report;                                                                   \
    const Found *found = row;                                                                      \
    (void)self;                                                                                    \
    (void)found;                                                                                   \
    what;                                                                                          \
  }
WCKEY_MEMBERS (X)
#undef X

static int
print_json (Search *self, const LkJsonChoice *choice)
{
#define X(name, path, what) { path, put_##name },
  static const LkShapeMember members[] = { WCKEY_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "wckeys", lk_shape_accounting_wckey, members };
  LkJson json;
  lk_json_begin (&json, self->client, choice, self->cluster);
  lk_json_open (&json, &kind);
  for (guint i = 0; i < self->rows->len; i++) {
    Found *found = &g_array_index (self->rows, Found, i);
    found->number = i + 1;
    lk_json_row (&json, self, found);
  }
  lk_json_close (&json);
  lk_json_end (&json);
  return 0;
}

static int
run_wckeys (Search *self, const LkSacctmgrOptions *options)
{
  if (!lk_sacctmgr_book_read (self->client, wckeys_read, self))
    return LK_SACCTMGR_FAILURE;
  return options->json.is_wanted ? print_json (self, &options->json)
                                 : print (self, options, WCKEY_COLUMNS);
}

static int
run (Search *self, const LkSacctmgrOptions *options, gboolean is_wckey)
{
  g_autoptr (LkAccounts) accounts = NULL;
  if (is_wckey)
    return run_wckeys (self, options);
  accounts = lk_client_accounts (self->client);
  if (accounts == NULL)
    return LK_SACCTMGR_FAILURE;
  self->cluster = g_strdup (accounts->cluster);
  problems_find (self, accounts);
  return print (self, options, PROBLEM_COLUMNS);
}

int
lk_sacctmgr_found (LkClient *client, const LkSacctmgrOptions *options, gboolean is_wckey,
                   char **words)
{
  Search self = { .client = client,
                  .rows = g_array_new (FALSE, FALSE, sizeof (Found)),
                  .texts = g_string_chunk_new (1024) };
  int code = LK_SACCTMGR_FAILURE;
  if (lk_sacctmgr_conditions_take (client, words, word_take, &self))
    code = run (&self, options, is_wckey);
  g_array_unref (self.rows);
  g_string_chunk_free (self.texts);
  g_free (self.cluster);
  g_free (self.format);
  g_free (self.accounts);
  g_free (self.users);
  g_free (self.wckeys);
  return code;
}
