/* engine/engine_het.c — heterogeneous jobs: see the header; how they come in and go, all at once.
 *
 * An entry of LkEngine.hets lives as long as a component is in the system.  What happens to one
 * component by itself (a dependency that fails, a node that is lost) is noted there and carried out
 * for the others behind the event. */
#include "engine/engine_het.h"

#include "engine/assert.h"
#include "engine/engine_life.h"
#include "engine/limits.h"

static LkHet *
find (const LkEngine *self, guint32 leader_id)
{
  guint low = 0;
  guint high = self->hets->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    LkHet *het = &g_array_index (self->hets, LkHet, middle);
    if (het->leader_id == leader_id)
      return het;
    if (het->leader_id < leader_id)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static LkHet *
het_of (const LkEngine *self, LkJobIndex job)
{
  return find (self, lk_terms_asked (self->jobs.terms[job])->het_leader);
}

LkHet *
lk_engine_het_find (const LkEngine *self, LkJobIndex job)
{
  return het_of (self, job);
}

LkJobIndex
lk_engine_het_member (const LkEngine *self, const LkHet *het, guint32 offset)
{
  LkJobIndex job = offset < het->submitted
                       ? lk_id_map_find (&self->jobs.index_by_id, het->leader_id + offset)
                       : LK_JOB_NONE;
  return job;
}

/* ---------------------------------------------------------------- submission */

/* Is this of the user's job of which components are coming at this moment? */
static gboolean
belongs (const LkEngine *self, const LkHet *het, const LkEvent_submit *submit)
{
  if (het == NULL || het->submitted == het->count)
    return FALSE;
  LkJobIndex leader = lk_engine_het_member (self, het, 0);
  return leader != LK_JOB_NONE && self->jobs.phase[leader] == LK_PHASE_HELD
         && self->jobs.submit_us[leader] == self->view.now_us
         && self->jobs.user_id[leader] == submit->user_id;
}

static gboolean
follows (const LkEngine *self, const LkEvent_submit *submit)
{
  const LkHet *het = find (self, submit->het_leader);
  return belongs (self, het, submit) && het->count == submit->het_count
         && het->submitted == submit->het_offset;
}

LkReject
lk_engine_het_check_submit (const LkEngine *self, const LkEvent_submit *submit)
{
  gboolean is_het = submit->het_leader != 0;
  if (!is_het)
    return submit->het_count == 0 && submit->het_offset == 0 ? 0 : LK_REJECT_REQUEST_INVALID;
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (backfill->refuses_hets != NULL
      && backfill->refuses_hets (self->instances[LK_INSTANCE_BACKFILL].self))
    return LK_REJECT_DISABLED;
  if (submit->het_count < 2 || submit->het_count > LK_LIMIT_HET_COMPONENTS
      || submit->het_offset >= submit->het_count || submit->array.length_bytes > 0
      || submit->job_id < submit->het_leader
      || submit->job_id - submit->het_leader != submit->het_offset)
    return LK_REJECT_REQUEST_INVALID;
  return submit->het_offset == 0 || follows (self, submit) ? 0 : LK_REJECT_REQUEST_INVALID;
}

/* Only the last one can lack components, as their ids follow each other. */
gboolean
lk_engine_het_expire (LkEngine *self, const LkEvent *event)
{
  LkHet *last =
      self->hets->len > 0 ? &g_array_index (self->hets, LkHet, self->hets->len - 1) : NULL;
  if (last == NULL || last->submitted == last->count)
    return FALSE;
  LkJobIndex leader = lk_engine_het_member (self, last, 0);
  gboolean is_submit = event->kind == LK_EVENT_SUBMIT;
  if (leader != LK_JOB_NONE && self->jobs.submit_us[leader] == self->view.now_us
      && (!is_submit || event->submit.het_leader == last->leader_id))
    return FALSE;
  last->is_left = TRUE;
  self->het_unsettled = TRUE;
  return TRUE;
}

void
lk_engine_het_refused (LkEngine *self, const LkEvent_submit *submit)
{
  LkHet *het = find (self, submit->het_leader);
  if (!belongs (self, het, submit))
    return;
  het->is_left = TRUE;
  self->het_unsettled = TRUE;
}

void
lk_engine_het_submitted (LkEngine *self, LkJobIndex job)
{
  const LkJobTerms *asked = lk_terms_asked (self->jobs.terms[job]);
  if (asked->het_offset == 0) {
    LkHet het = { .leader_id = asked->het_leader,
                  .count = asked->het_count,
                  .start_us = LK_TIME_NEVER };
    g_array_append_val (self->hets, het);
  }
  LkHet *het = het_of (self, job);
  het->submitted++;
  self->changed = TRUE;
  if (self->jobs.stuck_reason[job] == LK_REASON_NONE)
    return;
  for (guint32 i = 0; i + 1 < het->submitted; i++)
    lk_engine_settle (self, lk_engine_het_member (self, het, i));
}

/* By rising leader: jobs that were submitted behind it may be there. */
void
lk_engine_het_open (LkEngine *self, guint32 leader_id, guint32 count)
{
  LkHet het = { .leader_id = leader_id, .count = count, .start_us = LK_TIME_NEVER };
  guint at = self->hets->len;
  LK_ASSERT (find (self, leader_id) == NULL);
  while (at > 0 && g_array_index (self->hets, LkHet, at - 1).leader_id > leader_id)
    at--;
  g_array_insert_val (self->hets, at, het);
}

void
lk_engine_het_count (LkEngine *self, guint32 leader_id)
{
  find (self, leader_id)->submitted++;
}

void
lk_engine_het_close (LkEngine *self, guint32 leader_id)
{
  const LkHet *het = find (self, leader_id);
  g_array_remove_index (self->hets, (guint)(het - (const LkHet *)(gconstpointer)self->hets->data));
}

LkReason
lk_engine_het_reason (const LkEngine *self, LkJobIndex job)
{
  const LkHet *het = het_of (self, job);
  for (guint32 i = 0; het != NULL && i < het->submitted; i++) {
    LkJobIndex other = lk_engine_het_member (self, het, i);
    if (other != LK_JOB_NONE && self->jobs.stuck_reason[other] != LK_REASON_NONE)
      return (LkReason)self->jobs.stuck_reason[other];
  }
  return LK_REASON_RESOURCES;
}

/* ---------------------------------------------------------------- what becomes of one */

void
lk_engine_het_left (LkEngine *self, LkJobIndex job)
{
  LkHet *het = het_of (self, job);
  lk_engine_het_give_up (self, het);
  het->is_left |= self->jobs.phase[job] == LK_PHASE_HELD;
  self->het_unsettled = TRUE;
}

void
lk_engine_het_requeued (LkEngine *self, LkJobIndex job)
{
  het_of (self, job)->is_requeued = TRUE;
  self->het_unsettled = TRUE;
}

void
lk_engine_het_changed (LkEngine *self, LkJobIndex job)
{
  LkHet *het = het_of (self, job);
  self->changed = TRUE;
  /* Not yet one of them while it comes in. */
  if (het == NULL)
    return;
  lk_engine_het_give_up (self, het);
  het->is_changed = TRUE;
  self->het_unsettled = TRUE;
}

void
lk_engine_het_leave_plan (LkEngine *self, LkJobIndex job)
{
  LkHet *het = het_of (self, job);
  if (het != NULL)
    lk_engine_het_give_up (self, het);
}

gint64
lk_engine_het_planned_us (const LkEngine *self, LkJobIndex job)
{
  const LkHet *het = het_of (self, job);
  return het != NULL ? het->start_us : LK_TIME_NEVER;
}

static void
cancel (LkEngine *self, LkJobIndex job)
{
  lk_engine_let_go (self, job);
  lk_engine_emit_notice (self, job, LK_JOB_CANCELLED, LK_REASON_NONE);
  lk_engine_remove_job (self, job);
}

static void
settle (LkEngine *self, LkHet *het)
{
  static const LkRequeueHow how = { .state = LK_JOB_REQUEUED };
  const LkHet what = *het;
  het->is_left = het->is_requeued = het->is_changed = FALSE;
  for (guint32 i = 0; i < what.submitted; i++) {
    LkJobIndex job = lk_engine_het_member (self, &what, i);
    if (job == LK_JOB_NONE)
      continue;
    gboolean is_held = self->jobs.phase[job] == LK_PHASE_HELD;
    if (what.is_left && is_held)
      cancel (self, job);
    else if (what.is_changed && is_held)
      lk_engine_settle (self, job);
    else if (what.is_requeued && !is_held && self->jobs.kill_why[job] == 0)
      /* One that has been told to end does so. */
      lk_engine_send_back (self, job, &how, LK_KILL_REQUEUED);
  }
}

static gboolean
has_member (const LkEngine *self, const LkHet *het)
{
  for (guint32 i = 0; i < het->submitted; i++)
    if (lk_engine_het_member (self, het, i) != LK_JOB_NONE)
      return TRUE;
  return FALSE;
}

gboolean
lk_engine_het_settle_all (LkEngine *self)
{
  guint kept = 0;
  if (!self->het_unsettled)
    return FALSE;
  self->het_unsettled = FALSE;
  for (guint i = 0; i < self->hets->len; i++)
    settle (self, &g_array_index (self->hets, LkHet, i));
  for (guint i = 0; i < self->hets->len; i++) {
    LkHet het = g_array_index (self->hets, LkHet, i);
    if (has_member (self, &het))
      g_array_index (self->hets, LkHet, kept++) = het;
  }
  g_array_set_size (self->hets, kept);
  return TRUE;
}

/* ---------------------------------------------------------------- events */

static guint32 *
target_of (LkEvent *event)
{
  switch (event->kind) {
  case LK_EVENT_CANCEL:
    return &event->cancel.job_id;
  case LK_EVENT_HOLD:
    return &event->hold.job_id;
  case LK_EVENT_RELEASE:
    return &event->release.job_id;
  case LK_EVENT_REQUEUE:
    return &event->requeue.job_id;
  default:
    return NULL;
  }
}

gboolean
lk_engine_het_is_meant (const LkEngine *self, const LkEvent *event)
{
  LkEvent copy = *event;
  const guint32 *job_id = self->hets->len > 0 ? target_of (&copy) : NULL;
  if (job_id == NULL)
    return FALSE;
  if (find (self, *job_id) != NULL)
    return TRUE;
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, *job_id);
  return job != LK_JOB_NONE && lk_engine_is_het (self, job);
}

LkReject
lk_engine_het_event (LkEngine *self, const LkEvent *event)
{
  LkEvent copy = *event;
  guint32 *job_id = target_of (&copy);
  const LkHet *found = find (self, *job_id);
  if (found == NULL)
    found = het_of (self, lk_id_map_find (&self->jobs.index_by_id, *job_id));
  LkHet het = *found;
  gboolean is_done = FALSE;
  LkReject first_reject = 0;
  for (guint32 i = 0; i < het.submitted; i++) {
    if (lk_engine_het_member (self, &het, i) == LK_JOB_NONE)
      continue;
    *job_id = het.leader_id + i;
    LkReject reject = lk_engine_dispatch (self, &copy);
    is_done |= reject == 0;
    if (first_reject == 0)
      first_reject = reject;
  }
  return is_done ? 0 : first_reject;
}

/* ---------------------------------------------------------------- bytes, and what must hold */

void
lk_engine_save_hets (const LkEngine *self, GByteArray *out)
{
  lk_append_u32 (out, self->hets->len);
  for (guint i = 0; i < self->hets->len; i++) {
    const LkHet *het = &g_array_index (self->hets, LkHet, i);
    lk_append_u32 (out, het->leader_id);
    lk_append_u32 (out, het->count);
    lk_append_u32 (out, het->submitted);
  }
}

static gboolean
is_valid (const LkHet *het, guint32 leader_id_last)
{
  return het->leader_id > leader_id_last && het->count >= 2 && het->count <= LK_LIMIT_HET_COMPONENTS
         && het->submitted >= 1 && het->submitted <= het->count
         && het->leader_id <= G_MAXUINT32 - het->count;
}

/* Is the job a component of what its terms say, and kept as components are? */
static gboolean
agrees (const LkEngine *self, LkJobIndex job)
{
  const LkJobTerms *asked = lk_terms_asked (self->jobs.terms[job]);
  const LkHet *het = het_of (self, job);
  return het != NULL && asked->het_offset < het->submitted && asked->het_count == het->count
         && self->jobs.id[job] == het->leader_id + asked->het_offset
         && self->jobs.array_job_id[job] == 0
         && (self->jobs.phase[job] == LK_PHASE_HELD || lk_engine_has_started (self, job));
}

/* Every component has its entry, every entry a component, and nobody else's id is among theirs. */
static gboolean
agree (const LkEngine *self)
{
  guint32 listed_count = 0;
  guint32 member_count = 0;
  for (LkJobIndex job = 0; job < self->jobs.limit; job++) {
    if (self->jobs.phase[job] == LK_PHASE_FREE || !lk_engine_is_het (self, job))
      continue;
    if (!agrees (self, job))
      return FALSE;
    member_count++;
  }
  for (guint i = 0; i < self->hets->len; i++) {
    const LkHet *het = &g_array_index (self->hets, LkHet, i);
    guint32 listed_before = listed_count;
    for (guint32 offset = 0; offset < het->submitted; offset++)
      listed_count += lk_engine_het_member (self, het, offset) != LK_JOB_NONE;
    if (listed_count == listed_before)
      return FALSE;
  }
  return listed_count == member_count;
}

gboolean
lk_engine_load_hets (LkEngine *self, LkBytesReader *reader)
{
  guint32 leader_id_last = 0;
  guint32 count = lk_take_u32 (reader);
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    LkHet het = { .leader_id = lk_take_u32 (reader), .start_us = LK_TIME_NEVER };
    het.count = lk_take_u32 (reader);
    het.submitted = lk_take_u32 (reader);
    if (reader->failed || !is_valid (&het, leader_id_last))
      return FALSE;
    leader_id_last = het.leader_id;
    g_array_append_val (self->hets, het);
  }
  return !reader->failed && agree (self);
}

void
lk_engine_check_hets (const LkEngine *self)
{
  LK_ASSERT (agree (self));
  LK_ASSERT (!self->het_unsettled);
}
