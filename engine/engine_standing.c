/* engine/engine_standing.c — tells how each pending job stands, for who checks a run afterwards.
 *
 * Behind each pass a decision says, of every pending job for which it is another than before: its
 * key in the queue, the reason it waits, and the start that is planned; and before each start, the
 * key with which the job goes.  Nothing depends on what is
 * told, and without LkEngineConfig.tells_standing nothing is.  Cost: O(pending) in each pass. */
#include "engine/assert.h"
#include "engine/engine_het.h"
#include "engine/engine_private.h"

static LkStanding *
standing_of (LkEngine *self, LkJobIndex job)
{
  if (self->standings->len <= job)
    g_array_set_size (self->standings, self->jobs.capacity);
  return &g_array_index (self->standings, LkStanding, job);
}

/* Of one that is in line, or was until now. */
static guint32
level_of (const LkEngine *self, LkJobIndex job)
{
  return self->preemption != NULL ? self->preemption->levels[job] : 0;
}

/* Components are held, and stand in line all the same: where the first one does. */
static guint32
level_in_line (LkEngine *self, LkJobIndex job)
{
  LkJobIndex as = lk_engine_is_in_line (self, job) ? job : lk_engine_het_stands_as (self, job);
  return as != LK_JOB_NONE ? level_of (self, as) : 0;
}

/* Of one that starts: others of its job may have started before it. */
static guint32
level_of_start (const LkEngine *self, LkJobIndex job)
{
  LkJobIndex first = lk_engine_is_het (self, job) ? LK_JOB_NONE : job;
  for (guint32 i = 0; first == LK_JOB_NONE; i++)
    first = lk_engine_het_member (self, lk_engine_het_find (self, job), i);
  return level_of (self, first);
}

static void
tell (LkEngine *self, LkJobIndex job)
{
  LkJobInfo info;
  gboolean found = lk_engine_job (self, self->jobs.id[job], &info);
  LK_ASSERT (found);
  LkStanding now = { .job_id = info.id,
                     .reason = (guint8)info.reason,
                     .key = self->jobs.rank_key[job],
                     .level = level_in_line (self, job),
                     .planned_us = info.start_us };
  LkStanding *told = standing_of (self, job);
  if (told->job_id == now.job_id && told->reason == now.reason && told->key == now.key
      && told->level == now.level && told->planned_us == now.planned_us)
    return;
  *told = now;
  LkDecision decision = { .kind = LK_DECISION_STANDING, .job = job };
  decision.standing = (LkDecision_standing){ .job_id = now.job_id,
                                             .key = now.key,
                                             .planned_us = now.planned_us,
                                             .reason = now.reason,
                                             .level = now.level };
  lk_engine_emit (self, &decision);
}

void
lk_engine_tell_start (LkEngine *self, LkJobIndex job)
{
  if (!self->config.tells_standing)
    return;
  /* If it waits once more, that is told anew. */
  standing_of (self, job)->job_id = 0;
  LkDecision decision = { .kind = LK_DECISION_STANDING, .job = job };
  decision.standing = (LkDecision_standing){ .job_id = self->jobs.id[job],
                                             .key = self->jobs.rank_key[job],
                                             .planned_us = self->view.now_us,
                                             .reason = LK_REASON_NONE,
                                             .level = level_of_start (self, job) };
  /* When it is requeued it stands anew, even if as before. */
  if (job < self->standings->len)
    g_array_index (self->standings, LkStanding, job) = (LkStanding){ 0 };
  lk_engine_emit (self, &decision);
}

void
lk_engine_forget_standing (LkEngine *self, LkJobIndex job)
{
  if (self->config.tells_standing)
    standing_of (self, job)->job_id = 0;
}

void
lk_engine_tell_standing (LkEngine *self)
{
  if (!self->config.tells_standing)
    return;
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_engine_is_in_line (self, job) || self->jobs.phase[job] == LK_PHASE_HELD)
      tell (self, job);
  }
}

void
lk_engine_save_standing (const LkEngine *self, LkJobIndex job, GByteArray *out)
{
  LkStanding told = { 0 };
  if (!self->config.tells_standing)
    return;
  if (job < self->standings->len)
    told = g_array_index (self->standings, LkStanding, job);
  gboolean is_told = told.job_id == self->jobs.id[job];
  lk_append_u8 (out, is_told ? 1 : 0);
  lk_append_u8 (out, is_told ? told.reason : 0);
  lk_append_i64 (out, is_told ? told.key : 0);
  lk_append_u32 (out, is_told ? told.level : 0);
  lk_append_i64 (out, is_told ? told.planned_us : 0);
}

gboolean
lk_engine_load_standing (LkEngine *self, LkJobIndex job, LkBytesReader *reader)
{
  if (!self->config.tells_standing)
    return TRUE;
  guint8 is_told = lk_take_u8 (reader);
  LkStanding *told = standing_of (self, job);
  told->reason = lk_take_u8 (reader);
  told->key = lk_take_i64 (reader);
  told->level = lk_take_u32 (reader);
  told->planned_us = lk_take_i64 (reader);
  told->job_id = is_told != 0 ? self->jobs.id[job] : 0;
  return !reader->failed && is_told <= 1;
}

void
lk_engine_planned_nodes (const LkEngine *self, LkJobIndex job, guint64 *nodes)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  gboolean is_planned = self->jobs.phase[job] == LK_PHASE_QUEUED
                        || (self->jobs.phase[job] == LK_PHASE_HELD && lk_engine_is_het (self, job)
                            && lk_engine_het_planned_us (self, job) != LK_TIME_NEVER);
  if (self->machine != NULL && is_planned && backfill->planned_nodes != NULL)
    backfill->planned_nodes (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job, nodes);
}
