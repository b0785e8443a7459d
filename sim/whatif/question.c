/* sim/whatif/question.c — see the header. */
#include "sim/whatif/question.h"

#include <stdio.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"

typedef struct {
  const LkQuestion *question;
  const LkFutureBase *base;
  GByteArray *snapshot;
  GPtrArray *pairs;
  GMutex lock; /* of what follows */
  GError *error;
  guint done_count;
  gboolean is_shown;
} Work;

static void
pair_free (gpointer data)
{
  LkWhatifPair *self = data;
  for (guint side = 0; self != NULL && side < LK_SIDES; side++)
    g_clear_pointer (&self->outcomes[side], g_array_unref);
  g_free (self);
}

LkEngine *
lk_whatif_copy (const LkWhatifState *state, const GByteArray *snapshot)
{
  LkStatus status;
  LkEngine *copy =
      lk_engine_load (lk_setup_config (state->setup), snapshot->data, snapshot->len, &status);
  LK_ASSERT (copy != NULL); /* what an engine saves, it loads */
  return copy;
}

static void
take_side (LkWhatifPair *pair, guint side, const LkBranch *branch)
{
  LkEngineCounts counts;
  const GArray *outcomes = lk_branch_outcomes (branch);
  lk_engine_counts (lk_branch_engine (branch), &counts);
  pair->outcomes[side] = g_array_sized_new (FALSE, FALSE, sizeof (LkOutcome), outcomes->len);
  g_array_append_vals (pair->outcomes[side], outcomes->data, outcomes->len);
  pair->use_ratio[side] = lk_branch_use_ratio (branch);
  pair->digest[side] = lk_engine_digest (lk_branch_engine (branch));
  pair->event_count[side] = counts.event_count;
}

static gboolean
run_side (const Work *work, const LkFuture *future, LkWhatifPair *pair, guint side, GError **error)
{
  const LkQuestion *question = work->question;
  const LkWhatifState *state = question->state;
  g_autoptr (LkBranch) branch =
      lk_branch_new (lk_whatif_copy (state, work->snapshot), state, future);
  if (side == LK_AFTER && !lk_change_set_apply (question->change, branch, error))
    return FALSE;
  lk_branch_run (branch, lk_time_add_us (state->moment_us, question->future.horizon_us), 0);
  take_side (pair, side, branch);
  return TRUE;
}

static void
show_progress (Work *work)
{
  work->done_count++;
  if (work->is_shown)
    fprintf (stderr, "\rfuture %u of %u%s", work->done_count, work->question->repeat,
             work->done_count == work->question->repeat ? "\r\033[K" : "");
}

/* `place` counts from 1. */
static void
run_one (gpointer place, gpointer user)
{
  Work *work = user;
  guint index = GPOINTER_TO_UINT (place) - 1;
  GError *error = NULL;
  LkWhatifPair *pair = g_new0 (LkWhatifPair, 1);
  g_autoptr (LkFuture) future = lk_future_new (work->base, index);
  gboolean is_good = run_side (work, future, pair, LK_BEFORE, &error)
                     && run_side (work, future, pair, LK_AFTER, &error);
  g_mutex_lock (&work->lock);
  work->pairs->pdata[index] = pair;
  if (!is_good && work->error == NULL)
    work->error = g_steal_pointer (&error);
  show_progress (work);
  g_mutex_unlock (&work->lock);
  g_clear_error (&error);
}

GPtrArray *
lk_question_run (const LkQuestion *question, GError **error)
{
  g_autoptr (LkFutureBase) base = lk_future_base_new (question->state, &question->future);
  Work work = { .question = question,
                .base = base,
                .snapshot = g_byte_array_new (),
                .pairs = g_ptr_array_new_with_free_func (pair_free),
                .is_shown = question->repeat > 1
                            && (question->progress == LK_PROGRESS_ALWAYS
                                || (question->progress == LK_PROGRESS_AUTO && isatty (2))) };
  g_mutex_init (&work.lock);
  g_ptr_array_set_size (work.pairs, (gint)question->repeat);
  lk_engine_save (question->state->engine, work.snapshot);
  GThreadPool *pool = g_thread_pool_new (run_one, &work, (gint)question->thread_count, TRUE, NULL);
  for (guint i = 0; i < question->repeat; i++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (i + 1), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  g_byte_array_unref (work.snapshot);
  g_mutex_clear (&work.lock);
  if (work.error == NULL)
    return work.pairs;
  g_propagate_error (error, work.error);
  g_ptr_array_unref (work.pairs);
  return NULL;
}
