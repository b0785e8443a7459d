/* tests/engine/life_fixture.h — jobs with terms, and changes of them, in short.
 *
 * Builds on node_fixture.h and limits_site.h; the engine is replaced by a copy from its snapshot
 * after each event. */
#ifndef LK_TESTS_LIFE_FIXTURE_H
#define LK_TESTS_LIFE_FIXTURE_H

#include "tests/engine/limits_site.h"

#define S(seconds) ((gint64)(seconds)*G_USEC_PER_SEC)
#define CHANGES(field) (G_GUINT64_CONSTANT (1) << LK_CHANGE_##field)

static inline LkJobInfo
life_info (const LkFixture *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  return info;
}

static inline gboolean
life_is_there (const LkFixture *self, guint32 id)
{
  return lk_engine_job_index (self->engine, id) != LK_JOB_NONE;
}

/* A pool of ten processors. */
static inline void
life_init (LkFixture *self, const char *backfill)
{
  fixture_init (self, 10, "fifo", backfill);
  self->reloads = self->tells_places = TRUE;
}

static inline void
life_submit (LkFixture *self, gint64 time_s, guint32 id, guint32 procs, gint64 estimate_s,
             const LkJobTerms *terms)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.user_id = 1;
  event.submit.procs = procs;
  event.submit.estimate_us = S (estimate_s);
  if (terms != NULL)
    lk_submit_set_terms (&event.submit, terms);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* How a job ends: the fields of `ended` but its id. */
static inline void
life_ended (LkFixture *self, gint64 time_s, guint32 id, LkEvent_job_ended ended)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended = ended;
  event.job_ended.job_id = id;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
life_requeue (LkFixture *self, gint64 time_s, guint32 id, guint8 hold)
{
  LkEvent event = { .kind = LK_EVENT_REQUEUE };
  event.requeue.job_id = id;
  event.requeue.hold = hold;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
life_hold (LkFixture *self, gint64 time_s, guint32 id, guint8 by_admin)
{
  LkEvent event = { .kind = LK_EVENT_HOLD };
  event.hold.job_id = id;
  event.hold.by_admin = by_admin;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
life_release (LkFixture *self, gint64 time_s, guint32 id, guint8 by_user)
{
  LkEvent event = { .kind = LK_EVENT_RELEASE };
  event.release.job_id = id;
  event.release.by_user = by_user;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
life_partition (LkFixture *self, gint64 time_s, const char *name, LkPartitionState state)
{
  LkEvent event = { .kind = LK_EVENT_PARTITION };
  event.partition.name = lk_text (name);
  event.partition.state = (guint8)state;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
life_pass (LkFixture *self, gint64 time_s)
{
  fixture_event (self, time_s, LK_EVENT_PASS, 0);
}

static inline void
life_timer (LkFixture *self, gint64 time_s)
{
  fixture_event (self, time_s, LK_EVENT_TIMER, 0);
}

#endif
