/* tests/live/client/sacct_await_test.c — sacct waits for accounting until it is as far as the
 * controller was when it was called. */
#include "tests/live/books.h"

#define BEHIND_US (20 * G_USEC_PER_SEC / 1000)
#define AWAIT_US G_USEC_PER_SEC /* what it waits at most */

/* What the controller has said, and what follows its journal. */
static struct {
  Books *books;
  guint64 seq;
  gboolean is_reached;
  GThread *follower; /* NULL: nobody follows */
  gboolean follows;
} controller;

static gpointer
follow_late (gpointer data)
{
  g_usleep (BEHIND_US);
  books_follow_once (data);
  return NULL;
}

static gboolean
tell_seq (gpointer self, gint64 max_us, guint64 *out_seq)
{
  (void)self;
  g_assert_cmpint (max_us, ==, AWAIT_US);
  if (!controller.is_reached)
    return FALSE;
  if (controller.follows)
    controller.follower = g_thread_new ("accounting", follow_late, controller.books);
  *out_seq = controller.seq;
  return TRUE;
}

/* Job 1 is in the file, job 2 in the journal alone. */
static void
begin (Books *books, LkClientWire *wire)
{
  books_init (books);
  client_site_run (books->site, "sbatch -n1 -t5 --wrap true");
  books_write_journal (books, G_MAXSIZE);
  books_follow_once (books);
  client_site_run (books->site, "sbatch -n1 -t5 --wrap true");
  books_write_journal (books, G_MAXSIZE);
  *wire = *books->site->client.wire;
  wire->seq = tell_seq;
  books->site->client.wire = wire;
}

static void
take_seq (gpointer user, const LkMessage *page)
{
  (void)user;
  controller.seq = page->state_page.seq;
}

/* A machine that needs a second for it proves nothing. */
static gboolean
is_told (void)
{
  g_auto (Books) books = { NULL };
  LkMessage query = { .kind = LK_MESSAGE_STATE_QUERY,
                      .state_query = { .record = LK_RECORD_CONTROLLER } };
  LkClientWire wire;
  begin (&books, &wire);
  controller.books = &books;
  controller.seq = 0;
  g_assert_true (wire.page (books.site->client.wire_self, &query, take_seq, NULL, NULL));
  gint64 begin_us = g_get_monotonic_time ();
  g_assert_cmpint (client_site_run (books.site, "sacct -XnP -j 1,2 -o jobid"), ==, 0);
  gboolean was_slow = g_get_monotonic_time () - begin_us >= AWAIT_US;
  g_thread_join (controller.follower);
  if (was_slow)
    return FALSE;
  g_assert_cmpstr (books.site->out, ==, "1\n2\n");
  return TRUE;
}

static void
test_awaits (void)
{
  controller.is_reached = controller.follows = TRUE;
  for (guint trial = 0; trial < 20; trial++)
    if (is_told ())
      return;
  g_test_skip ("the machine is too busy");
}

/* Then the file is told as it is. */
static void
test_gives_up (void)
{
  g_auto (Books) books = { NULL };
  LkClientWire wire;
  begin (&books, &wire);
  controller.follows = FALSE;
  controller.is_reached = TRUE;
  controller.seq = G_MAXUINT64;
  client_site_expect (books.site, "sacct -XnP -j 1,2 -o jobid", 0, "1\n", "");
  controller.is_reached = FALSE;
  client_site_expect (books.site, "sacct -XnP -j 1,2 -o jobid", 0, "1\n", "");
}

/* A cluster that has just begun: there is no file as yet. */
static void
test_no_file (void)
{
  g_auto (Books) books = { NULL };
  LkClientWire wire;
  books_init (&books);
  client_site_run (books.site, "sbatch -n1 -t5 --wrap true");
  books_write_journal (&books, G_MAXSIZE);
  wire = *books.site->client.wire;
  wire.seq = tell_seq;
  books.site->client.wire = &wire;
  controller.books = &books;
  controller.follows = controller.is_reached = TRUE;
  controller.seq = 1;
  client_site_expect (books.site, "sacct -XnP -j 1 -o jobid", 0, "1\n", "");
  g_thread_join (controller.follower);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sacct/tells of what the controller has had before it was called", test_awaits);
  g_test_add_func ("/sacct/waits for the file of a cluster that has just begun", test_no_file);
  g_test_add_func ("/sacct/waits for nobody for ever", test_gives_up);
  return g_test_run ();
}
