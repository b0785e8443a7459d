/* engine/engine_time_min.c — see the header. */
#include "engine/engine_time_min.h"

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_life.h"
#include "engine/engine_reservation.h"
#include "engine/pass_nodes.h"
#include "engine/plan.h"

#define MINUTE_US G_GINT64_CONSTANT (60000000)

/* ---------------------------------------------------------------- a pending job */

/* What was found for the other limit is good no more. */
static void
set_limit (LkEngine *self, LkJobIndex job, gint64 limit_us)
{
  self->jobs.estimate_us[job] = limit_us;
  if (self->machine != NULL)
    lk_plan_forget_found (self->bare);
}

void
lk_engine_end_short (LkEngine *self)
{
  if (self->short_job != LK_JOB_NONE)
    set_limit (self, self->short_job, self->short_asked_us);
  self->short_job = LK_JOB_NONE;
  self->short_started = LK_JOB_NONE;
}

int32_t
lk_pass_visit_least_limit (void *pass, LkJobIndex job)
{
  LkEngine *self = pass;
  LK_ASSERT (self->in_pass);
  lk_engine_end_short (self);
  if (job == LK_JOB_NONE || self->jobs.terms[job] == NULL)
    return 0;
  gint64 least_us = lk_terms_asked (self->jobs.terms[job])->time_min_us;
  if (least_us == 0 || least_us >= self->jobs.estimate_us[job])
    return 0;
  LK_ASSERT (lk_engine_is_pending (self, job));
  self->short_job = job;
  self->short_asked_us = self->jobs.estimate_us[job];
  set_limit (self, job, least_us);
  return 1;
}

void
lk_engine_started_short (LkEngine *self, LkJobIndex record, LkJobIndex job)
{
  if (self->short_job != record)
    return;
  lk_engine_own_life (self, job)->limit_asked_us = self->short_asked_us;
  self->short_started = job;
  if (job == record)
    self->short_job = LK_JOB_NONE;
}

/* ---------------------------------------------------------------- a job that was started so */

void
lk_pass_nodes_of_short (void *pass, uint64_t *nodes)
{
  const LkEngine *self = pass;
  LK_ASSERT (self->short_started != LK_JOB_NONE);
  lk_pass_nodes_of_job (pass, self->short_started, nodes);
}

static gboolean
have_license_in_common (const GArray *a, const GArray *b)
{
  for (guint i = 0; a != NULL && i < a->len; i++)
    for (guint j = 0; b != NULL && j < b->len; j++)
      if (g_array_index (a, LkLicenseDemand, i).license
          == g_array_index (b, LkLicenseDemand, j).license)
        return TRUE;
  return FALSE;
}

/* Has the advance reservation something that the running job holds? */
static gboolean
is_in_way (const LkEngine *self, LkJobIndex job, const LkAdvanceReservation *item,
           const LkWindow *window)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    if (lk_reservation_holds (item, window, lk_piece (nodes, i)))
      return TRUE;
  return have_license_in_common (request->licenses, item->licenses);
}

/* In whole minutes up to the first advance reservation that would be in its way. */
static gint64
before_reservations_us (const LkEngine *self, LkJobIndex job, gint64 limit_us)
{
  gint64 now_us = self->view.now_us;
  if (!lk_engine_has_reservations (self))
    return limit_us;
  guint32 number = lk_piece (&self->machine->nodes, self->jobs.first_piece[job])->reservation;
  const LkAdvanceReservation *inside =
      number != 0 ? lk_reservations_numbered (self->reservations, number) : NULL;
  for (guint at = 0; at < self->reservations->items->len; at++) {
    const LkAdvanceReservation *item = g_ptr_array_index (self->reservations->items, at);
    LkWindow window = { .nodes = &self->machine->nodes,
                        .now_us = now_us,
                        .from_us = now_us,
                        .to_us = lk_time_add_us (now_us, limit_us),
                        .reservations = self->reservations,
                        .inside = inside };
    gint64 from_us;
    gint64 to_us;
    if (!lk_reservation_blocks (item, inside, &window) || !is_in_way (self, job, item, &window))
      continue;
    lk_reservation_span (item, now_us, &from_us, &to_us);
    gint64 until_us = MAX (0, lk_time_since_us (from_us, now_us));
    limit_us = MIN (limit_us, until_us - until_us % MINUTE_US);
  }
  return limit_us;
}

int64_t
lk_pass_lengthen_short (void *pass, int64_t limit_us)
{
  LkEngine *self = pass;
  LkJobIndex job = self->short_started;
  LK_ASSERT (job != LK_JOB_NONE);
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_RUNNING);
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  gint64 least_us = self->jobs.estimate_us[job];
  limit_us = MIN (limit_us, lk_engine_life (self, job)->limit_asked_us);
  if (self->machine != NULL)
    limit_us = before_reservations_us (self, job, limit_us);
  if (terms->deadline_us > 0)
    limit_us = MIN (limit_us, lk_time_since_us (terms->deadline_us, self->view.now_us));
  limit_us = MAX (limit_us, least_us);
  lk_engine_extend_limit (self, job, limit_us);
  self->short_started = LK_JOB_NONE;
  return limit_us;
}
