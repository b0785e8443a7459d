/* engine/engine_check_book.c — do the books of accounts say what the jobs add up to? */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_life.h"

/* What one holder should have, summed anew. */
typedef struct {
  guint32 submitted;
  guint32 running;
  guint32 accruing;
  guint64 *tres;
  guint64 *run_s;
} Sum;

static void
add_job (LkEngine *self, LkJobIndex job, Sum *sum)
{
  const LkBook *book = self->book;
  const LkJobCount *count = &book->job_counts[job];
  const guint64 *tres = lk_book_job_tres (book, job);
  guint32 task_count = lk_engine_task_count (self, job);
  sum->submitted += task_count;
  sum->accruing += count->is_accruing ? task_count : 0;
  if (!lk_engine_has_started (self, job))
    return;
  sum->running++;
  for (guint32 t = 0; t < book->tres_count; t++) {
    sum->tres[t] += tres[t];
    sum->run_s[t] += tres[t] * count->booked_run_s;
  }
}

static void
check_parked (const LkEngine *self, const GArray *list, guint32 *parked_count)
{
  for (guint i = 0; list != NULL && i < list->len; i++) {
    LkJobIndex job = g_array_index (list, LkJobIndex, i);
    LK_ASSERT (self->jobs.phase[job] == LK_PHASE_BLOCKED);
    LK_ASSERT (self->book->job_counts[job].parked_place == i);
    (*parked_count)++;
  }
}

static void
check_holder (const LkEngine *self, const LkHolder *holder, const Sum *sum)
{
  LK_ASSERT (holder->use->submitted == sum->submitted);
  LK_ASSERT (holder->use->running == sum->running);
  LK_ASSERT (holder->use->accruing == sum->accruing);
  LK_ASSERT (holder->use->usage >= 0.0 && holder->use->wall_s >= 0.0);
  for (guint32 t = 0; t < self->book->tres_count; t++) {
    /* Of nodes in common the books say less than the sum. */
    gboolean is_distinct = t == LK_TRES_NODE && holder->node_jobs != NULL;
    LK_ASSERT (is_distinct ? holder->tres[t] <= sum->tres[t] : holder->tres[t] == sum->tres[t]);
    LK_ASSERT (holder->run_s[t] == sum->run_s[t]);
    LK_ASSERT (holder->tres_s[t] >= 0.0);
  }
}

void
lk_engine_check_book (LkEngine *self)
{
  LkBook *book = self->book;
  guint32 holder_count = book->holders->len;
  guint32 parked_count = 0;
  g_autofree Sum *sums = g_new0 (Sum, holder_count);
  g_autofree guint64 *numbers = g_new0 (guint64, 2 * (gsize)holder_count * book->tres_count);
  for (guint32 i = 0; i < holder_count; i++) {
    sums[i].tres = numbers + 2 * (gsize)i * book->tres_count;
    sums[i].run_s = sums[i].tres + book->tres_count;
  }
  for (LkJobIndex job = 0; job < self->jobs.limit; job++) {
    guint32 holders[LK_HOLDER_MAX];
    if (self->jobs.phase[job] == LK_PHASE_FREE)
      continue;
    guint count = lk_engine_holders_of (self, job, holders);
    for (guint i = 0; i < count; i++)
      add_job (self, job, &sums[holders[i]]);
  }
  LK_ASSERT (book->holders->len == holder_count);
  LK_ASSERT (self->view.accounts == &book->view);
  LK_ASSERT (book->spec
             == (self->own_accounts != NULL ? self->own_accounts : self->config.accounts));
  for (guint32 i = 0; i < holder_count; i++) {
    check_holder (self, lk_book_holder (book, i), &sums[i]);
    check_parked (self, lk_book_holder (book, i)->parked, &parked_count);
  }
  check_parked (self, self->parked_timed, &parked_count);
  check_parked (self, self->parked_forever, &parked_count);
  LK_ASSERT (parked_count == self->blocked_count);
}
