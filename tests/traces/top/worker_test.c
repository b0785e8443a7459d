/* tests/traces/top/worker_test.c — a source in a thread of its own: its answers, and its end. */
#include "traces/top/worker.h"

#include <poll.h>

typedef struct {
  guint look_count;
  gint moved;
  gboolean fails;
  GMutex stuck; /* held: a look does not come back */
} Fake;

static LkTopFacts *
look (gpointer data, guint wants, GError **error)
{
  Fake *self = data;
  g_mutex_lock (&self->stuck);
  g_mutex_unlock (&self->stuck);
  self->look_count++;
  if (!self->fails)
    return lk_top_facts_new (wants);
  g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "nobody answers");
  return NULL;
}

static gboolean
go (gpointer data, const LkTopAction *action, GError **error)
{
  (void)error;
  ((Fake *)data)->moved += action->amount;
  return TRUE;
}

static char *
detail (gpointer data, guint32 job_id)
{
  (void)data;
  return g_strdup_printf ("job %u", job_id);
}

static const LkTopSource source = { .look = look, .go = go, .detail = detail };

static LkTopResult *
wait_for (LkTopWorker *worker)
{
  struct pollfd polled = { .fd = lk_top_worker_descriptor (worker), .events = POLLIN };
  LkTopResult *result = NULL;
  while (result == NULL) {
    g_assert_cmpint (poll (&polled, 1, -1), ==, 1);
    result = lk_top_worker_take (worker);
  }
  return result;
}

static void
test_answers (void)
{
  Fake fake = { 0 };
  g_mutex_init (&fake.stuck);
  LkTopWorker *worker = lk_top_worker_new (&source, &fake);
  LkTopTask task = { .action = { .kind = LK_TOP_ACTION_STEPS, .amount = -3 },
                     .wants = LK_TOP_WANTS_NODES,
                     .detail_id = 4 };
  g_assert_null (lk_top_worker_take (worker));
  lk_top_worker_begin (worker, &task);
  g_assert_true (lk_top_worker_is_busy (worker));
  LkTopResult *result = wait_for (worker);
  g_assert_false (lk_top_worker_is_busy (worker));
  g_assert_cmpuint (result->facts->wants, ==, LK_TOP_WANTS_NODES);
  g_assert_cmpstr (result->detail, ==, "job 4");
  g_assert_null (result->error);
  g_assert_cmpint (fake.moved, ==, -3);
  lk_top_result_free (result);

  fake.fails = TRUE;
  lk_top_worker_begin (worker, &task);
  result = wait_for (worker);
  g_assert_null (result->facts);
  g_assert_null (result->detail);
  g_assert_cmpstr (result->error, ==, "nobody answers");
  lk_top_result_free (result);
  g_assert_true (lk_top_worker_end (worker, 0));
  g_mutex_clear (&fake.stuck);
}

static void
test_end (void)
{
  Fake fake = { 0 };
  const LkTopTask task = { .wants = 0 };
  g_mutex_init (&fake.stuck);
  g_mutex_lock (&fake.stuck);
  LkTopWorker *worker = lk_top_worker_new (&source, &fake);
  lk_top_worker_begin (worker, &task);
  g_assert_false (lk_top_worker_end (worker, 1000));
  g_mutex_unlock (&fake.stuck);
  g_assert_true (lk_top_worker_end (worker, 3600 * (gint64)G_USEC_PER_SEC));
  g_assert_cmpuint (fake.look_count, ==, 1);
  g_mutex_clear (&fake.stuck);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/worker/does what it is asked", test_answers);
  g_test_add_func ("/worker/is not waited for longer than is said", test_end);
  return g_test_run ();
}
