/* tests/engine/reservation_fixture.h — advance reservations written as for scontrol, and jobs that
 * ask for them. */
#ifndef LK_TESTS_RESERVATION_FIXTURE_H
#define LK_TESTS_RESERVATION_FIXTURE_H

#include "tests/engine/node_fixture.h"

/* A reservation in words; what is NULL or 0 is not given. */
typedef struct {
  const char *name;
  gint64 start_s;
  gint64 duration_s;
  const char *nodes;
  guint32 node_count;
  guint32 core_count;
  const char *tres;
  const char *licenses;
  const char *features;
  const char *partition;
  const char *users;
  const char *accounts;
  const char *groups;
  const char *qos;
  const char *partitions;
  const char *flags;
  gint64 purge_s;
} Reservation;

static inline LkText
reservation_text (const char *text)
{
  return lk_text (text != NULL ? text : "");
}

/* Fills the fields of a create or update event. */
#define RESERVATION_FILL(event, r)                                                                 \
  do {                                                                                             \
    (event)->name = reservation_text ((r)->name);                                                  \
    (event)->start_us = (r)->start_s * G_USEC_PER_SEC;                                             \
    (event)->duration_us = (r)->duration_s * G_USEC_PER_SEC;                                       \
    (event)->nodes = reservation_text ((r)->nodes);                                                \
    (event)->node_count = (r)->node_count;                                                         \
    (event)->core_count = (r)->core_count;                                                         \
    (event)->tres = reservation_text ((r)->tres);                                                  \
    (event)->licenses = reservation_text ((r)->licenses);                                          \
    (event)->features = reservation_text ((r)->features);                                          \
    (event)->partition = reservation_text ((r)->partition);                                        \
    (event)->users = reservation_text ((r)->users);                                                \
    (event)->accounts = reservation_text ((r)->accounts);                                          \
    (event)->groups = reservation_text ((r)->groups);                                              \
    (event)->qos = reservation_text ((r)->qos);                                                    \
    (event)->partitions = reservation_text ((r)->partitions);                                      \
    (event)->flags = reservation_text ((r)->flags);                                                \
    (event)->purge_us = (r)->purge_s * G_USEC_PER_SEC;                                             \
  } while (0)

static inline void
reservation_create (LkFixture *self, gint64 time_s, const Reservation *r)
{
  LkEvent event = { .kind = LK_EVENT_RESERVATION_CREATE };
  RESERVATION_FILL (&event.reservation_create, r);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
reservation_update (LkFixture *self, gint64 time_s, guint32 changes, const Reservation *r)
{
  LkEvent event = { .kind = LK_EVENT_RESERVATION_UPDATE };
  event.reservation_update.changes = changes;
  RESERVATION_FILL (&event.reservation_update, r);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
reservation_delete (LkFixture *self, gint64 time_s, const char *name)
{
  LkEvent event = { .kind = LK_EVENT_RESERVATION_DELETE };
  event.reservation_delete.name = lk_text (name);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* A job as for sbatch, behind the name of its user, with what else it asks for in `asked`. */
static inline void
reservation_submit_asked (LkFixture *self, gint64 time_s, const LkEvent *asked, const char *line)
{
  static const char *const users[] = { "root", "alan", "bob", "carol", "" };
  LkEvent event = *asked;
  g_auto (GStrv) words = g_strsplit (line, " ", 2);
  LkJobRequest request = node_fixture_request (words[1]);
  request.user = lk_text (words[0]);
  while (g_strcmp0 (users[event.submit.user_id], words[0]) != 0)
    event.submit.user_id++;
  event.submit.procs = lk_job_request_cpus (&request);
  lk_submit_set_request (&event.submit, &request);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

/* One that asks for reservations ("": none). */
static inline void
reservation_submit (LkFixture *self, gint64 time_s, guint32 id, const char *reservation,
                    gint64 limit_s, const char *line)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = id;
  event.submit.estimate_us = limit_s * G_USEC_PER_SEC;
  event.submit.reservation = lk_text (reservation);
  reservation_submit_asked (self, time_s, &event, line);
}

/* What happens at a moment: the timer, if it is due, and a pass. */
static inline void
reservation_tick (LkFixture *self, gint64 time_s)
{
  if (lk_engine_wake_us (self->engine) <= time_s * G_USEC_PER_SEC)
    fixture_event (self, time_s, LK_EVENT_TIMER, 0);
  node_fixture_pass (self, time_s);
}

static inline LkReason
reservation_reason (LkFixture *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  return info.reason;
}

static inline gint64
reservation_start_s (LkFixture *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  return info.start_us == LK_TIME_NEVER ? -1 : info.start_us / G_USEC_PER_SEC;
}

#endif
