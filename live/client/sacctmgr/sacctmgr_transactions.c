/* live/client/sacctmgr/sacctmgr_transactions.c — `sacctmgr show transactions`: who has added,
 * changed and deleted what of the accounts; from the file of accounting.  Columns as recorded with
 * Slurm 26.05 (oracle sacctmgr-txn); what was changed is told in our words. */
#include <sqlite3.h>
#include <string.h>

#include "live/client/moment.h"
#include "live/client/names.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "live/client/words.h"
#include "traces/fields.h"

#define COLUMNS "Time,Action,Actor,Where,Info"

typedef struct {
  gint64 time_us;
  char *action;
  char *where;
  char *info;
  gint64 user_id; /* -1: the controller itself */
} Transaction;

typedef struct {
  LkClient *client;
  char *format;
  char *actors; /* lists; NULL: all */
  char *actions;
  gint64 from_us;
  gint64 to_us;
  GPtrArray *rows; /* of Transaction*, as they came */
  LkNames names;
} Transactions;

/* ---------------------------------------------------------------- cells */

static const char *
actor_of (Transactions *self, const Transaction *row)
{
  return row->user_id >= 0 ? lk_names_user (&self->names, (guint32)row->user_id) : "lockstep";
}

#define CELL(NAME, ...)                                                                            \
  static void NAME##_cell (gconstpointer report, gconstpointer row, GString *out)                  \
  {                                                                                                \
    Transactions *self = (Transactions *)report;                                                   \
    const Transaction *told = row;                                                                 \
    (void)self;                                                                                    \
    __VA_ARGS__;                                                                                   \
  }

CELL (time, lk_word_time (self->client, told->time_us, "Unknown", out))
CELL (action, g_string_append (out, told->action))
CELL (actor, g_string_append (out, actor_of (self, told)))
CELL (where, g_string_append (out, told->where))
CELL (info, g_string_append (out, told->info))

static const LkField fields[] = {
  { "Action", NULL, 20, action_cell },
  { "Actor", NULL, 10, actor_cell },
  { "Info", NULL, 20, info_cell },
  { "Time", NULL, 19, time_cell },
  { "TimeStamp", NULL, 19, time_cell },
  { "Where", NULL, 20, where_cell },
  { NULL, NULL, 0, NULL },
};

/* ---------------------------------------------------------------- reading */

static void
transaction_free (gpointer data)
{
  Transaction *self = data;
  g_free (self->action);
  g_free (self->where);
  g_free (self->info);
  g_free (self);
}

/* "phys/ada/" of an association, "fast" of a QOS. */
static char *
where_of (const char *kind, const char *subject)
{
  if (!g_str_has_suffix (kind, "association"))
    return g_strdup_printf ("name=%s", subject);
  g_auto (GStrv) parts = g_strsplit (subject, "/", 3);
  GString *out = g_string_new (NULL);
  static const char *const keys[] = { "account", "user", "partition" };
  for (guint i = 0; i < G_N_ELEMENTS (keys) && parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_string_append_printf (out, "%s%s=%s", out->len > 0 ? "," : "", keys[i], parts[i]);
  return g_string_free (out, FALSE);
}

/* "add qos" is "Add QOS" in Slurm's words. */
static char *
action_of (const char *kind)
{
  const char *verb = g_str_has_prefix (kind, "add ")      ? "Add"
                     : g_str_has_prefix (kind, "delete ") ? "Remove"
                                                          : "Modify";
  return g_strdup_printf ("%s %s", verb, g_str_has_suffix (kind, "qos") ? "QOS" : "Associations");
}

static gboolean
read_rows (gpointer user, sqlite3 *db)
{
  Transactions *self = user;
  static const char sql[] = "SELECT time_us, kind, subject, detail, user_id FROM events"
                            " WHERE kind GLOB '* qos' OR kind GLOB '* association' ORDER BY seq";
  sqlite3_stmt *statement = NULL;
  int status;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return FALSE;
  while ((status = sqlite3_step (statement)) == SQLITE_ROW) {
    const char *kind = (const char *)sqlite3_column_text (statement, 1);
    const char *detail = (const char *)sqlite3_column_text (statement, 3);
    Transaction *row = g_new (Transaction, 1);
    *row =
        (Transaction){ .time_us = sqlite3_column_int64 (statement, 0),
                       .action = action_of (kind),
                       .where = where_of (kind, (const char *)sqlite3_column_text (statement, 2)),
                       .info = g_strchomp (g_strdup (detail != NULL ? detail : "")),
                       .user_id = sqlite3_column_int64 (statement, 4) };
    g_ptr_array_add (self->rows, row);
  }
  sqlite3_finalize (statement);
  return status == SQLITE_DONE;
}

/* ---------------------------------------------------------------- the command */

static gboolean
is_listed (const char *list, const char *word)
{
  return list == NULL || lk_word_is_listed (list, word);
}

static gboolean
wants (Transactions *self, const Transaction *row)
{
  return is_listed (self->actors, actor_of (self, row)) && is_listed (self->actions, row->action)
         && row->time_us >= self->from_us && row->time_us <= self->to_us;
}

static void
text_set (char **member, const char *value)
{
  g_free (*member);
  *member = g_strdup (value);
}

static gboolean
word_take (gpointer user, const char *word)
{
  Transactions *self = user;
  const char *value = strchr (word, '=');
  gint64 now_us = self->client->now_us;
  gsize length = strcspn (word, "=");
  if (value == NULL)
    return g_ascii_strcasecmp (word, "where") == 0 || g_ascii_strcasecmp (word, "withassoc") == 0;
  value++;
  if (length >= 1 && g_ascii_strncasecmp ("start", word, length) == 0)
    return lk_client_moment_parse (value, now_us, FALSE, &self->from_us);
  if (length >= 1 && g_ascii_strncasecmp ("end", word, length) == 0)
    return lk_client_moment_parse (value, now_us, FALSE, &self->to_us);
  if (length >= 4 && g_ascii_strncasecmp ("actors", word, length) == 0)
    text_set (&self->actors, value);
  else if (length >= 4 && g_ascii_strncasecmp ("actions", word, length) == 0)
    text_set (&self->actions, value);
  else if (length >= 1 && g_ascii_strncasecmp ("format", word, length) == 0)
    text_set (&self->format, value);
  else
    return FALSE;
  return TRUE;
}

static int
print (Transactions *self, const LkSacctmgrOptions *options)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  for (guint i = 0; i < self->rows->len; i++)
    if (wants (self, g_ptr_array_index (self->rows, i)))
      g_ptr_array_add (wanted, g_ptr_array_index (self->rows, i));
  return lk_sacctmgr_table_print (
      self->client, options,
      &(LkSacctmgrTable){ fields, self->format != NULL ? self->format : COLUMNS, self, wanted });
}

int
lk_sacctmgr_transactions (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  Transactions self = { .client = client,
                        .to_us = client->now_us,
                        .rows = g_ptr_array_new_with_free_func (transaction_free) };
  int code = LK_SACCTMGR_FAILURE;
  lk_names_init (&self.names);
  if (lk_sacctmgr_conditions_take (client, words, word_take, &self)
      && lk_sacctmgr_book_read (client, read_rows, &self))
    code = print (&self, options);
  lk_names_clear (&self.names);
  g_ptr_array_unref (self.rows);
  g_free (self.format);
  g_free (self.actors);
  g_free (self.actions);
  return code;
}
