/* sim/study/pool.c — see pool.h. */
#include "sim/study/pool.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct {
  const LkStudyRun *run;
  LkStudyResult *result; /* NULL: failed */
  GError *failure;
} Ended;

typedef struct {
  LkStudyRunner *runner;
  const GPtrArray *runs;
  const LkStudyPoolOptions *options;
  GAsyncQueue *ended; /* of Ended */
  gint next;          /* atomic: index of the next run */
  gint is_stopped;    /* atomic */
} Pool;

static void
ended_free (gpointer data)
{
  Ended *self = data;
  lk_study_result_free (self->result);
  g_clear_error (&self->failure);
  g_free (self);
}

static gpointer
work (gpointer data)
{
  Pool *self = data;
  while (g_atomic_int_get (&self->is_stopped) == 0) {
    guint index = (guint)g_atomic_int_add (&self->next, 1);
    if (index >= self->runs->len)
      break;
    Ended *ended = g_new0 (Ended, 1);
    LkStudyJobs jobs = { 0 };
    ended->run = g_ptr_array_index (self->runs, index);
    if (self->options->prepare != NULL)
      self->options->prepare (self->options->user, ended->run, &jobs);
    ended->result =
        lk_study_runner_run (self->runner, ended->run->arguments, &jobs, &ended->failure);
    g_async_queue_push (self->ended, ended);
  }
  g_async_queue_push (self->ended, g_new0 (Ended, 1)); /* this thread has ended */
  return NULL;
}

/* Until each thread has said that it ended. */
static gboolean
gather (Pool *self, guint thread_count, GError **error)
{
  const LkStudyPoolOptions *options = self->options;
  gboolean good = TRUE;
  while (thread_count > 0) {
    Ended *ended = g_async_queue_pop (self->ended);
    if (ended->run == NULL)
      thread_count--;
    else if (good)
      good = options->ended (options->user, ended->run, ended->result, ended->failure, error);
    if (!good)
      g_atomic_int_set (&self->is_stopped, 1);
    ended_free (ended);
  }
  return good;
}

gboolean
lk_study_pool_run (LkStudyRunner *runner, const GPtrArray *runs, const LkStudyPoolOptions *options,
                   GError **error)
{
  Pool self = { .runner = runner, .runs = runs, .options = options };
  guint wanted = options->thread_count > 0 ? options->thread_count : g_get_num_processors ();
  guint count = MAX (MIN (wanted, runs->len), 1);
  g_autofree GThread **threads = g_new (GThread *, count);
  self.ended = g_async_queue_new_full (ended_free);
  for (guint i = 0; i < count; i++)
    threads[i] = g_thread_new ("run", work, &self);
  gboolean good = gather (&self, count, error);
  for (guint i = 0; i < count; i++)
    g_thread_join (threads[i]);
  g_async_queue_unref (self.ended);
  return good;
}

/* ---------------------------------------------------------------- order */

typedef struct {
  LkStudyRun *run;
  double cost;
} Costly;

static double
cost_of (const LkStudyRun *run)
{
  const LkStudyWindow *window = run->choice.window;
  guint count = g_strv_length (run->arguments);
  GStatBuf status;
  double cost = g_stat (run->arguments[count - 1], &status) == 0 ? (double)status.st_size : 0;
  /* A week of a log whose length is not known: less than all of it, and each as much. */
  if (window->week_first > 0)
    cost *= 0.01 * (window->week_last - window->week_first + 1);
  return cost;
}

static int
compare_costs (gconstpointer a, gconstpointer b)
{
  const Costly *x = a;
  const Costly *y = b;
  if (x->cost != y->cost)
    return x->cost > y->cost ? -1 : 1;
  return (x->run->index > y->run->index) - (x->run->index < y->run->index);
}

GPtrArray *
lk_study_pool_order (const GPtrArray *runs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) costly = g_array_new (FALSE, FALSE, sizeof (Costly));
  for (guint i = 0; i < runs->len; i++) {
    LkStudyRun *run = g_ptr_array_index (runs, i);
    if (!g_hash_table_add (seen, run->key))
      continue;
    Costly item = { .run = run, .cost = cost_of (run) };
    g_array_append_val (costly, item);
  }
  g_array_sort (costly, compare_costs);
  GPtrArray *order = g_ptr_array_new ();
  for (guint i = 0; i < costly->len; i++)
    g_ptr_array_add (order, g_array_index (costly, Costly, i).run);
  return order;
}
