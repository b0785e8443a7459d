/* engine/job_top.c — see the header. */
#include "engine/job_top.h"

/* Who applies updates. */
typedef struct {
  const LkEngine *engine;
  LkApplyUpdate apply;
  void *user;
} Top;

static guint32
priority_of (const LkEngine *engine, LkJobIndex job)
{
  LkPriorityParts parts = { .size = sizeof parts };
  return lk_engine_priority_parts (engine, job, LK_INDEX_NONE, &parts) ? parts.priority : 0;
}

/* Pending jobs of the user of `job`, without it. Held ones have no priority. */
static GArray *
others_of (const LkEngine *engine, LkJobIndex job)
{
  const LkView *view = lk_engine_view (engine);
  GArray *others = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (LkJobIndex other = 0; other < view->job_index_limit; other++)
    if (other != job && view->jobs->phase[other] != LK_PHASE_FREE
        && view->jobs->phase[other] != LK_PHASE_RUNNING
        && view->jobs->user_id[other] == view->jobs->user_id[job]
        && priority_of (engine, other) > 0)
      g_array_append_val (others, other);
  return others;
}

/* Lifts the priority, or lowers it, by nice or as a number. */
static LkReject
move (const Top *self, LkJobIndex job, gint64 by)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  event.update.job_id = jobs->id[job];
  event.update.by_admin = LK_UPDATE_TOP;
  if (jobs->direct_priority[job] == 0) {
    event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_nice;
    event.update.nice = jobs->nice[job] - by;
  } else {
    event.update.changes = G_GUINT64_CONSTANT (1) << LK_CHANGE_priority;
    gint64 priority = (gint64)jobs->direct_priority[job] + by;
    event.update.priority = (guint32)CLAMP (priority, 1, (gint64)G_MAXUINT32 - 2);
  }
  return self->apply (self->user, &event);
}

LkReject
lk_job_top (const LkEngine *engine, guint32 job_id, LkApplyUpdate apply, void *user)
{
  const Top self = { engine, apply, user };
  LkJobIndex job = lk_engine_job_index (engine, job_id);
  if (lk_engine_view (engine)->jobs->phase[job] == LK_PHASE_RUNNING)
    return LK_REJECT_NOT_PENDING;
  guint32 own = priority_of (engine, job);
  guint32 highest = own;
  g_autoptr (GArray) others = others_of (engine, job);
  if (own == 0)
    return LK_REJECT_DISABLED;
  for (guint i = 0; i < others->len; i++)
    highest = MAX (highest, priority_of (engine, g_array_index (others, LkJobIndex, i)));
  gint64 gain = (gint64)highest - own;
  LkReject reject = gain > 0 ? move (&self, job, gain) : 0;
  /* A sum below 1 counts as 1, which hides what it lacks. */
  gint64 lack = (gint64)highest - priority_of (engine, job);
  if (reject == 0 && lack > 0)
    reject = move (&self, job, lack);
  for (guint i = 0; i < others->len && gain > 0 && reject == 0; i++)
    reject = move (&self, g_array_index (others, LkJobIndex, i), -gain);
  return reject;
}
