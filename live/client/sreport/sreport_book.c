/* live/client/sreport/sreport_book.c — what reports are made of: runs, accounts and when nodes were
 * down, as accounting has kept them; and how many CPUs there are, as the controller says. */
#include <sqlite3.h>
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/json/accounting.h"
#include "live/client/sreport/sreport.h"

#define MIB (1024.0 * 1024.0)

/* ---------------------------------------------------------------- runs */

static gint64
overlap_us (const LkSreport *report, gint64 from_us, gint64 to_us)
{
  return MAX (MIN (to_us, report->to_us) - MAX (from_us, report->from_us), 0);
}

/* A job without a list of what it holds has CPUs. */
static double
amount_of (const char *list, const char *tres, gint64 cpus)
{
  double amount =
      strcmp (tres, "cpu") == 0 ? (double)cpus : (double)lk_sacct_tres_amount (list, tres);
  return strcmp (tres, "mem") == 0 ? amount / MIB : amount;
}

double
lk_sreport_used_us (const LkSreport *report, const LkSacctJob *job, const char *tres)
{
  gint64 end_us = job->job.end_us != 0 ? job->job.end_us : report->client->now_us;
  if (job->job.start_us == 0)
    return 0;
  return (double)overlap_us (report, job->job.start_us, end_us)
         * amount_of (job->job.allocated_tres, tres, job->job.cpus);
}

double
lk_sreport_waited_us (const LkSreport *report, const LkSacctJob *job, const char *tres)
{
  gint64 end_us = job->job.start_us != 0 ? job->job.start_us
                  : job->job.end_us != 0 ? job->job.end_us
                                         : report->client->now_us;
  if (job->job.eligible_us <= 0)
    return 0;
  return (double)overlap_us (report, job->job.eligible_us, end_us)
         * amount_of (job->job.asked_tres, tres, job->job.asked_cpus);
}

/* ---------------------------------------------------------------- nodes */

typedef struct {
  double amounts[LK_SREPORT_TRES_MAX];
  gint64 down_since_us; /* 0: it is not */
} Node;

typedef struct {
  const LkSreport *report;
  LkSreportBook *book;
  GHashTable *nodes; /* of Node by name */
} Machine;

static void
add_use (const LkSreportBook *book, double *sums_us, const Node *node, gint64 time_us)
{
  for (guint i = 0; i < book->tres->len; i++)
    sums_us[i] += node->amounts[i] * (double)time_us;
}

static void
node_take (gpointer user, const LkRecord *record)
{
  Machine *self = user;
  Node *node = g_new0 (Node, 1);
  gint64 known_us = overlap_us (self->report, self->book->began_us, self->report->client->now_us);
  for (guint i = 0; i < self->book->tres->len; i++)
    node->amounts[i] =
        lk_sreport_node_amount (&record->node, g_ptr_array_index (self->book->tres, i));
  add_use (self->book, self->book->cluster_us, node, known_us);
  g_hash_table_insert (self->nodes,
                       g_strndup (record->node.name.bytes, record->node.name.length_bytes), node);
}

static void
node_changes (Machine *self, const char *name, gboolean is_down, gint64 at_us)
{
  Node *node = g_hash_table_lookup (self->nodes, name);
  if (node == NULL || is_down == (node->down_since_us != 0))
    return;
  if (!is_down)
    add_use (self->book, self->book->down_us, node,
             overlap_us (self->report, node->down_since_us, at_us));
  node->down_since_us = is_down ? at_us : 0;
}

static void
nodes_change (Machine *self, const char *list, gboolean is_down, gint64 at_us)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, strlen (list), names, NULL);
  for (guint i = 0; i < names->len; i++)
    node_changes (self, g_ptr_array_index (names, i), is_down, at_us);
}

static void
still_down (gpointer name, gpointer data, gpointer user)
{
  const Machine *self = user;
  const Node *node = data;
  (void)name;
  if (node->down_since_us != 0)
    add_use (self->book, self->book->down_us, node,
             overlap_us (self->report, node->down_since_us, self->report->client->now_us));
}

/* ---------------------------------------------------------------- reading */

static gboolean
fail (const LkSreport *report, sqlite3 *db)
{
  lk_client_error (report->client, "accounting: %s", sqlite3_errmsg (db));
  return FALSE;
}

static gboolean
read_events (Machine *machine, sqlite3 *db)
{
  static const char sql[] = "SELECT time_us, kind = 'node_down', subject FROM events"
                            " WHERE kind IN ('node_down', 'node_up', 'node_resume') ORDER BY seq";
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail (machine->report, db);
  while (sqlite3_step (statement) == SQLITE_ROW)
    nodes_change (machine, (const char *)sqlite3_column_text (statement, 2),
                  sqlite3_column_int (statement, 1) != 0, sqlite3_column_int64 (statement, 0));
  sqlite3_finalize (statement);
  /* The sums do not depend on the order. */
  g_hash_table_foreach (machine->nodes, still_down, machine);
  return TRUE;
}

static void
controller_take (gpointer user, const LkRecord *record)
{
  LkSreportBook *self = user;
  self->began_us = record->controller.began_us;
}

/* The first moment of which anything is known: of what is kept of it, or the controller's
 * beginning. Before that it was not there. */
static gboolean
read_beginning (LkSreportBook *self, const LkSreport *report, sqlite3 *db)
{
  static const char sql[] = "SELECT MIN(at) FROM (SELECT MIN(time_us) AS at FROM events UNION ALL"
                            " SELECT MIN(submit_us) FROM jobs WHERE submit_us > 0)";
  sqlite3_stmt *statement = NULL;
  g_autoptr (GError) error = NULL;
  if (!lk_client_query (report->client, &(LkClientQuery){ .kind = LK_RECORD_CONTROLLER },
                        controller_take, self, &error)) {
    lk_client_error (report->client, "%s", error->message);
    return FALSE;
  }
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail (report, db);
  if (sqlite3_step (statement) == SQLITE_ROW
      && sqlite3_column_type (statement, 0) == SQLITE_INTEGER)
    self->began_us = MIN (self->began_us, sqlite3_column_int64 (statement, 0));
  sqlite3_finalize (statement);
  return TRUE;
}

static gboolean
read_nodes (LkSreportBook *self, const LkSreport *report, sqlite3 *db)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Machine machine = { report, self, nodes };
  if (!read_beginning (self, report, db))
    return FALSE;
  if (!lk_client_query (report->client, &(LkClientQuery){ .kind = LK_RECORD_NODE }, node_take,
                        &machine, &error)) {
    lk_client_error (report->client, "%s", error->message);
    return FALSE;
  }
  return read_events (&machine, db);
}

/* Accounts, in the order in which they were kept: each behind the one above it. */
static gboolean
read_accounts (LkSreportBook *self, const LkSreport *report, sqlite3 *db)
{
  static const char sql[] = "SELECT account, parent FROM associations WHERE user = '' ORDER BY id";
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail (report, db);
  while (sqlite3_step (statement) == SQLITE_ROW) {
    char *account = g_strdup ((const char *)sqlite3_column_text (statement, 0));
    g_ptr_array_add (self->accounts, account);
    g_hash_table_insert (self->parents, account,
                         g_strdup ((const char *)sqlite3_column_text (statement, 1)));
  }
  sqlite3_finalize (statement);
  return TRUE;
}

/* Those that no association is of, as without accounts, stand by themselves. */
static void
add_unknown (LkSreportBook *self)
{
  for (guint i = 0; i < self->jobs.jobs->len; i++) {
    const char *account = ((const LkSacctJob *)g_ptr_array_index (self->jobs.jobs, i))->job.account;
    if (g_hash_table_contains (self->parents, account))
      continue;
    char *own = g_strdup (account);
    g_ptr_array_add (self->accounts, own);
    g_hash_table_insert (self->parents, own, g_strdup (""));
  }
}

gboolean
lk_sreport_book_read (LkSreportBook *self, const LkSreport *report, gboolean wants_nodes)
{
  const LkSacctRange range = { .from_us = report->from_us, .to_us = report->to_us, .user_id = -1 };
  g_autofree char *path = lk_sacct_book_path (report->client);
  g_autoptr (GError) error = NULL;
  *self = (LkSreportBook){ .parents = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free),
                           .accounts = g_ptr_array_new_with_free_func (g_free),
                           .tres = g_ptr_array_new_with_free_func (g_free) };
  if (!lk_sreport_tres_read (self, report))
    return FALSE;
  sqlite3 *db = lk_sacct_book_open (report->client);
  if (db == NULL)
    return FALSE;
  gboolean is_good = lk_sacct_book_read (&self->jobs, path, &range, &error);
  if (!is_good)
    lk_client_error (report->client, "%s", error->message);
  is_good = is_good && read_accounts (self, report, db)
            && (!wants_nodes || read_nodes (self, report, db));
  sqlite3_close (db);
  if (is_good)
    add_unknown (self);
  return is_good;
}

void
lk_sreport_book_clear (LkSreportBook *self)
{
  lk_sacct_book_clear (&self->jobs);
  g_clear_pointer (&self->parents, g_hash_table_unref);
  g_clear_pointer (&self->accounts, g_ptr_array_unref);
  g_clear_pointer (&self->tres, g_ptr_array_unref);
}
