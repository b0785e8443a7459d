/* live/client/sreport/sreport_reservations.c — `sreport reservation utilization`: how much of what
 * was set aside its jobs have held.
 *
 * It tells of reservations that were there in the time of the report, and of each of them all of
 * its time.  Jobs count while it lasts.  Source: sreport(1). */
#include <sqlite3.h>
#include <string.h>

#include "live/client/sreport/sreport.h"
#include "live/client/words.h"

#define COLUMNS "Cluster,Name,Start,End,TresName,Allocated,Idle"

typedef struct {
  gint64 number;
  gint64 start_us;
  gint64 end_us;
  gint64 cpus;
  gint64 node_count;
  char *name;
  char *nodes;
} Reservation;

/* A line: of one TRES. */
typedef struct {
  const Reservation *of;
  const char *tres;
  double count;
  double held_us; /* of it, by jobs */
} Line;

typedef struct {
  const LkSreport *asked;
  const LkSreportBook *book;
  GPtrArray *items; /* of Reservation */
  GArray *lines;    /* of Line */
} Report;

/* ---------------------------------------------------------------- cells */

#define CELL(NAME, ...)                                                                            \
  static void NAME##_cell (gconstpointer data, gconstpointer row, GString *out)                    \
  {                                                                                                \
    const Report *report = data;                                                                   \
    const Line *line = row;                                                                        \
    (void)report;                                                                                  \
    (void)line;                                                                                    \
    __VA_ARGS__;                                                                                   \
  }

static double
whole_us (const Line *line)
{
  return line->count * (double)(line->of->end_us - line->of->start_us);
}

static void
time_append (const Report *report, const Line *line, double time_us, GString *out)
{
  lk_sreport_time (report->asked->unit, time_us, whole_us (line), out);
}

CELL (cluster, g_string_append (out, report->book->jobs.cluster))
CELL (name, g_string_append (out, line->of->name))
CELL (number, lk_word_number (line->of->number, out))
CELL (nodes, g_string_append (out, line->of->nodes))
CELL (start, lk_word_time (report->asked->client, line->of->start_us, "Unknown", out))
CELL (end, lk_word_time (report->asked->client, line->of->end_us, "Unknown", out))
CELL (tres, g_string_append (out, line->tres))
CELL (count, lk_word_number ((gint64)line->count, out))
CELL (held, time_append (report, line, line->held_us, out))
CELL (idle, time_append (report, line, MAX (whole_us (line) - line->held_us, 0), out))
CELL (whole, time_append (report, line, whole_us (line), out))
CELL (total, lk_sreport_time (report->asked->unit, (double)(line->of->end_us - line->of->start_us),
                              (double)(line->of->end_us - line->of->start_us), out))

static const LkField fields[] = {
  { "Allocated", NULL, 9, held_cell },
  { "Cluster", NULL, 9, cluster_cell },
  { "End", NULL, 19, end_cell },
  { "Idle", NULL, 9, idle_cell },
  { "Name", NULL, 9, name_cell },
  { "Nodes", NULL, 15, nodes_cell },
  { "ReservationId", NULL, 15, number_cell },
  { "Start", NULL, 19, start_cell },
  { "TotalTime", NULL, 9, total_cell },
  { "TresCount", "TRES count", 10, count_cell },
  { "TresName", "TRES Name", 14, tres_cell },
  { "TresTime", "TRES Time", 9, whole_cell },
  { NULL, NULL, 0, NULL },
};

/* ---------------------------------------------------------------- reading */

static void
reservation_free (gpointer data)
{
  Reservation *self = data;
  g_free (self->name);
  g_free (self->nodes);
  g_free (self);
}

static gboolean
is_named (char **words, const char *word)
{
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0)
      return TRUE;
  return words == NULL;
}

static gboolean
read_items (Report *self, sqlite3 *db)
{
  static const char sql[] = "SELECT number, start_us, end_us, cpus, node_count, name, nodes FROM"
                            " reservations WHERE start_us < ?1 AND end_us > ?2"
                            " ORDER BY name, start_us";
  sqlite3_stmt *statement = NULL;
  int status;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, self->asked->to_us);
  sqlite3_bind_int64 (statement, 2, self->asked->from_us);
  while ((status = sqlite3_step (statement)) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text (statement, 5);
    if (!is_named (self->asked->names, name))
      continue;
    Reservation *item = g_new (Reservation, 1);
    *item = (Reservation){ .number = sqlite3_column_int64 (statement, 0),
                           .start_us = sqlite3_column_int64 (statement, 1),
                           .end_us = sqlite3_column_int64 (statement, 2),
                           .cpus = sqlite3_column_int64 (statement, 3),
                           .node_count = sqlite3_column_int64 (statement, 4),
                           .name = g_strdup (name),
                           .nodes = g_strdup ((const char *)sqlite3_column_text (statement, 6)) };
    g_ptr_array_add (self->items, item);
  }
  sqlite3_finalize (statement);
  return status == SQLITE_DONE;
}

/* What runs goes on up to now. */
static gboolean
read_held (const Report *self, sqlite3 *db, Line *line)
{
  static const char sql[] = "SELECT start_us, end_us, cpus, nodes FROM jobs WHERE start_us > 0"
                            " AND start_us < ?1 AND (end_us = 0 OR end_us > ?2)"
                            " AND instr (',' || reservation || ',', ',' || ?3 || ',') > 0";
  const Reservation *of = line->of;
  sqlite3_stmt *statement = NULL;
  int column = strcmp (line->tres, "cpu") == 0 ? 2 : 3;
  int status;
  if (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) != SQLITE_OK)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, of->end_us);
  sqlite3_bind_int64 (statement, 2, of->start_us);
  sqlite3_bind_text (statement, 3, of->name, -1, SQLITE_STATIC);
  while ((status = sqlite3_step (statement)) == SQLITE_ROW) {
    gint64 end_us = sqlite3_column_int64 (statement, 1);
    gint64 to_us = MIN (end_us != 0 ? end_us : self->asked->client->now_us, of->end_us);
    gint64 from_us = MAX (sqlite3_column_int64 (statement, 0), of->start_us);
    line->held_us +=
        (double)MAX (to_us - from_us, 0) * (double)sqlite3_column_int64 (statement, column);
  }
  sqlite3_finalize (statement);
  return status == SQLITE_DONE;
}

/* Of what is set aside CPUs and nodes are known. */
static gboolean
read_lines (Report *self, sqlite3 *db)
{
  for (guint i = 0; i < self->items->len; i++)
    for (guint t = 0; t < self->book->tres->len; t++) {
      const Reservation *of = g_ptr_array_index (self->items, i);
      const char *tres = g_ptr_array_index (self->book->tres, t);
      gint64 count = strcmp (tres, "cpu") == 0    ? of->cpus
                     : strcmp (tres, "node") == 0 ? of->node_count
                                                  : 0;
      Line line = { of, tres, (double)count, 0 };
      if (count > 0 && !read_held (self, db, &line))
        return FALSE;
      if (count > 0)
        g_array_append_val (self->lines, line);
    }
  return TRUE;
}

/* ---------------------------------------------------------------- the report */

static int
print (const Report *self)
{
  const LkSreport *asked = self->asked;
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *wrong = NULL;
  if (!lk_fields_parse (fields, asked->format != NULL ? asked->format : COLUMNS, chosen, &wrong)) {
    fprintf (asked->client->err, " Unknown field '%s'\n", wrong);
    return 1;
  }
  LkSreport titled = *asked;
  titled.tres_list = "cpu"; /* it always says TRES */
  lk_sreport_title (&titled, "Reservation Utilization", "Usage reported in ", FALSE, out);
  lk_fields_heading (&asked->style, chosen, out);
  for (guint i = 0; i < self->lines->len; i++)
    lk_fields_row (&asked->style, chosen, self, &g_array_index (self->lines, Line, i), out);
  fwrite (out->str, 1, out->len, asked->client->out);
  return 0;
}

int
lk_sreport_reservations (const LkSreport *asked, const LkSreportBook *book)
{
  Report self = { asked, book, g_ptr_array_new_with_free_func (reservation_free),
                  g_array_new (FALSE, FALSE, sizeof (Line)) };
  sqlite3 *db = lk_sacct_book_open (asked->client);
  gboolean is_good = db != NULL && read_items (&self, db) && read_lines (&self, db);
  if (db != NULL && !is_good)
    lk_client_error (asked->client, "accounting: %s", sqlite3_errmsg (db));
  sqlite3_close (db);
  int code = is_good ? print (&self) : 1;
  g_ptr_array_unref (self.items);
  g_array_unref (self.lines);
  return code;
}
