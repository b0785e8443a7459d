/* tests/engine/het_fixture.h — components of heterogeneous jobs for tests. */
#ifndef LK_TESTS_HET_FIXTURE_H
#define LK_TESTS_HET_FIXTURE_H

#include "tests/engine/array_fixture.h"
#include "tests/engine/limits_site.h"

#define PASS(self, time_s) fixture_event (self, time_s, LK_EVENT_PASS, 0)

/* A component of a job whose first one has the id `leader`; it may run for 100 s, the next one for
 * 110 s, and so on. */
static inline void
component (LkFixture *self, gint64 time_s, guint32 leader, guint32 offset, guint32 count,
           guint32 procs)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = leader + offset;
  event.submit.user_id = 1;
  event.submit.procs = procs;
  event.submit.estimate_us = (100 + 10 * offset) * G_USEC_PER_SEC;
  event.submit.het_leader = leader;
  event.submit.het_offset = offset;
  event.submit.het_count = count;
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* Of 3 and of 4 processors. */
static inline void
submit_two (LkFixture *self, gint64 time_s, guint32 leader)
{
  component (self, time_s, leader, 0, 2, 3);
  component (self, time_s, leader, 1, 2, 4);
}

/* One of two components of a job of alice's, on the nodes of a site. */
static inline void
submit_as (Site *site, gint64 time_s, guint32 leader, guint32 offset, const char *line)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request (line);
  event.submit.job_id = leader + offset;
  event.submit.user_id = 1;
  event.submit.procs = lk_job_request_cpus (&request);
  event.submit.estimate_us = 100 * G_USEC_PER_SEC;
  event.submit.het_leader = leader;
  event.submit.het_offset = offset;
  event.submit.het_count = 2;
  request.user = lk_text ("alice");
  lk_submit_set_request (&event.submit, &request);
  g_assert_cmpint (fixture_apply (&site->fixture, time_s, &event), ==, LK_STATUS_OK);
}

/* When it is planned to start, or has started; -1: neither. */
static inline gint64
planned_s (const LkFixture *self, guint32 job_id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, job_id, &info));
  return info.start_us == LK_TIME_NEVER ? -1 : info.start_us / G_USEC_PER_SEC;
}

static inline void
forget (LkFixture *self)
{
  g_string_truncate (self->log, 0);
}

#endif
