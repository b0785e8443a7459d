/* live/client/accounting/sacct_await.c — accounting is behind the controller by some milliseconds.
 *
 * Clients take a job that sacct does not know for one that is over, or ask again after minutes.  So
 * the controller is asked how far it is, and the file is waited for until it is as far: an event
 * that somebody was told of before sacct was called is in its answer.  A cluster that has just
 * begun may have no file yet: it is waited for, too.  Nothing is waited for where no controller can
 * be reached, and never long: who follows the journal may be down. */
#include <sqlite3.h>

#include "live/client/accounting/sacct.h"

#define AWAIT_MAX_US (G_USEC_PER_SEC)
#define FILE_MAX_US (3 * G_USEC_PER_SEC)
#define LOOK_US (G_USEC_PER_SEC / 200)

/* Of the last event in the file. FALSE: it does not tell, as where it is still being made. */
static gboolean
stored_seq (const char *path, guint64 *out_seq)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  gboolean is_there = sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
  sqlite3_busy_timeout (db, AWAIT_MAX_US / 1000);
  is_there =
      is_there
      && sqlite3_prepare_v2 (db, "SELECT seq FROM position", -1, &statement, NULL) == SQLITE_OK
      && sqlite3_step (statement) == SQLITE_ROW;
  if (is_there)
    *out_seq = (guint64)sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return is_there;
}

void
lk_sacct_book_await (const LkClient *client, const char *path)
{
  guint64 wanted_seq = 0;
  guint64 seq = 0;
  gint64 begin_us = g_get_monotonic_time ();
  if (client->wire->seq == NULL
      || !client->wire->seq (client->wire_self, AWAIT_MAX_US, &wanted_seq))
    return;
  for (;;) {
    gboolean is_there = stored_seq (path, &seq);
    gint64 end_us = begin_us + (is_there ? AWAIT_MAX_US : FILE_MAX_US);
    if ((is_there && seq >= wanted_seq) || g_get_monotonic_time () >= end_us)
      return;
    g_usleep (LOOK_US);
  }
}
