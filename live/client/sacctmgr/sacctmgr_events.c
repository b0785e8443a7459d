/* live/client/sacctmgr/sacctmgr_events.c — `sacctmgr show event`: when which nodes were down or
 * drained, why, and who has said so; from the file of accounting.  Source: sacctmgr(1), events. */
#include <sqlite3.h>
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/moment.h"
#include "live/client/names.h"
#include "live/client/accounting/sacct.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "live/client/words.h"

#define DAY_US (24 * 3600 * (gint64)G_USEC_PER_SEC)
#define COLUMNS "Cluster,NodeName,TimeStart,TimeEnd,State,Reason,User"

/* A time in which a node took no jobs. */
typedef struct {
  char *node;
  gint64 from_us;
  gint64 to_us; /* 0: it goes on */
  const char *state;
  char *reason;
  gint64 user_id; /* -1: the controller itself */
} Period;

typedef struct {
  LkClient *client;
  char *cluster;
  GHashTable *nodes; /* names that are asked for; NULL: all */
  char *format;
  gint64 from_us;
  gint64 to_us;
  GPtrArray *periods; /* of Period*, as they began */
  GHashTable *open;   /* of Period by node; borrowed */
  LkNames names;
} Events;

/* ---------------------------------------------------------------- cells */

#define CELL(NAME, ...)                                                                            \
  static void NAME##_cell (gconstpointer report, gconstpointer row, GString *out)                  \
  {                                                                                                \
    Events *self = (Events *)report;                                                               \
    const Period *period = row;                                                                    \
    (void)self;                                                                                    \
    (void)period;                                                                                  \
    __VA_ARGS__;                                                                                   \
  }

CELL (cluster, g_string_append (out, self->cluster))
CELL (node, g_string_append (out, period->node))
CELL (start, lk_word_time (self->client, period->from_us, "Unknown", out))
CELL (end, lk_word_time (self->client, period->to_us, "Unknown", out))
CELL (state, g_string_append (out, period->state))
CELL (reason, g_string_append (out, period->reason))
CELL (duration, lk_word_long_duration ((period->to_us != 0 ? period->to_us : self->client->now_us)
                                           - period->from_us,
                                       out))
CELL (user, if (period->user_id >= 0)
                g_string_append_printf (out, "%s(%u)",
                                        lk_names_user (&self->names, (guint32)period->user_id),
                                        (guint32)period->user_id))

static const LkField fields[] = {
  { "Cluster", NULL, 10, cluster_cell },
  { "Duration", NULL, 13, duration_cell },
  { "End", "TimeEnd", 19, end_cell },
  { "NodeName", NULL, -15, node_cell },
  { "Reason", NULL, 30, reason_cell },
  { "Start", "TimeStart", 19, start_cell },
  { "State", NULL, 6, state_cell },
  { "TimeEnd", NULL, 19, end_cell },
  { "TimeStart", NULL, 19, start_cell },
  { "User", NULL, 10, user_cell },
  { NULL, NULL, 0, NULL },
};

/* ---------------------------------------------------------------- periods */

static void
period_free (gpointer data)
{
  Period *self = data;
  g_free (self->node);
  g_free (self->reason);
  g_free (self);
}

static void
node_changes (Events *self, const char *node, sqlite3_stmt *row)
{
  gint64 at_us = sqlite3_column_int64 (row, 0);
  const char *kind = (const char *)sqlite3_column_text (row, 1);
  const char *reason = (const char *)sqlite3_column_text (row, 3);
  gboolean is_down = strcmp (kind, "node_down") == 0;
  Period *before = g_hash_table_lookup (self->open, node);
  if (before != NULL)
    before->to_us = at_us;
  g_hash_table_remove (self->open, node);
  if (!is_down && strcmp (kind, "node_drain") != 0)
    return;
  Period *period = g_new (Period, 1);
  *period = (Period){ .node = g_strdup (node),
                      .from_us = at_us,
                      .state = is_down ? "DOWN" : "DRAIN",
                      .reason = g_strdup (reason != NULL ? reason : ""),
                      .user_id = sqlite3_column_int64 (row, 4) };
  g_ptr_array_add (self->periods, period);
  g_hash_table_insert (self->open, period->node, period);
}

static gboolean
read_periods (gpointer user, sqlite3 *db)
{
  Events *self = user;
  static const char sql[] =
      "SELECT time_us, kind, subject, detail, user_id FROM events WHERE kind IN"
      " ('node_down', 'node_drain', 'node_up', 'node_resume') ORDER BY seq";
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return FALSE;
  while (sqlite3_step (statement) == SQLITE_ROW) {
    const char *list = (const char *)sqlite3_column_text (statement, 2);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    lk_hostlist_expand (list, strlen (list), names, NULL);
    for (guint i = 0; i < names->len; i++)
      node_changes (self, g_ptr_array_index (names, i), statement);
  }
  sqlite3_finalize (statement);
  self->cluster = lk_sacct_book_cluster (db);
  return TRUE;
}

static gboolean
wants (const Events *self, const Period *period)
{
  return (self->nodes == NULL || g_hash_table_contains (self->nodes, period->node))
         && period->from_us <= self->to_us
         && (period->to_us == 0 || period->to_us >= self->from_us);
}

/* ---------------------------------------------------------------- the command */

static gboolean
nodes_take (Events *self, const char *list)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (!lk_hostlist_expand (list, strlen (list), names, NULL))
    return FALSE;
  self->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < names->len; i++)
    g_hash_table_add (self->nodes, g_ptr_array_index (names, i));
  return TRUE;
}

static gboolean
word_take (gpointer user, const char *word)
{
  Events *self = user;
  const char *value = strchr (word, '=');
  gint64 now_us = self->client->now_us;
  gsize length = strcspn (word, "=");
  if (value == NULL) {
    if (g_ascii_strcasecmp (word, "all_time") == 0)
      self->from_us = 0;
    return g_ascii_strcasecmp (word, "all_time") == 0 || g_ascii_strcasecmp (word, "where") == 0;
  }
  value++;
  if (length >= 1 && g_ascii_strncasecmp ("start", word, length) == 0)
    return lk_client_moment_parse (value, now_us, FALSE, &self->from_us);
  if (length >= 1 && g_ascii_strncasecmp ("end", word, length) == 0)
    return lk_client_moment_parse (value, now_us, FALSE, &self->to_us);
  if (length >= 1 && g_ascii_strncasecmp ("nodes", word, length) == 0 && self->nodes == NULL)
    return nodes_take (self, value);
  if (length >= 1 && g_ascii_strncasecmp ("format", word, length) == 0 && self->format == NULL)
    self->format = g_strdup (value);
  else
    return FALSE;
  return TRUE;
}

static int
print (const Events *self, const LkSacctmgrOptions *options)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  for (guint i = 0; i < self->periods->len; i++)
    if (wants (self, g_ptr_array_index (self->periods, i)))
      g_ptr_array_add (wanted, g_ptr_array_index (self->periods, i));
  return lk_sacctmgr_table_print (
      self->client, options,
      &(LkSacctmgrTable){ fields, self->format != NULL ? self->format : COLUMNS, self, wanted });
}

int
lk_sacctmgr_events (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  Events self = { .client = client,
                  .from_us = client->now_us - DAY_US,
                  .to_us = client->now_us,
                  .periods = g_ptr_array_new_with_free_func (period_free),
                  .open = g_hash_table_new (g_str_hash, g_str_equal) };
  int code = LK_SACCTMGR_FAILURE;
  lk_names_init (&self.names);
  if (lk_sacctmgr_conditions_take (client, words, word_take, &self)
      && lk_sacctmgr_book_read (client, read_periods, &self))
    code = print (&self, options);
  lk_names_clear (&self.names);
  g_hash_table_unref (self.open);
  g_ptr_array_unref (self.periods);
  g_clear_pointer (&self.nodes, g_hash_table_unref);
  g_free (self.cluster);
  g_free (self.format);
  return code;
}
