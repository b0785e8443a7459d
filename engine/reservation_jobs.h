/* engine/reservation_jobs.h — which jobs ask for which advance reservations, and which run in one.
 *
 * A job that asks for none has no entry and costs nothing. */
#ifndef LK_ENGINE_RESERVATION_JOBS_H
#define LK_ENGINE_RESERVATION_JOBS_H

#include <glib.h>

#include "engine/id_map.h"
#include "engine/reservation.h"

/* What a job asks for: numbers of reservations, in its order. */
typedef struct {
  guint32 place; /* in the list of those who ask */
  guint32 count;
  guint32 numbers[LK_LIMIT_JOB_RESERVATIONS];
} LkReservationAsk;

/* A job that runs in one. */
typedef struct {
  LkJobIndex job;
  guint32 number;
  gint64 until_us; /* when it must have ended; LK_TIME_NEVER: it may go on */
} LkReservationStay;

typedef struct {
  LkReservationAsk **asks; /* by job; NULL: none */
  guint32 limit;
  GArray *askers;  /* LkJobIndex of jobs with an ask; no order */
  GArray *stays;   /* of LkReservationStay; no order */
  gint64 until_us; /* least of the stays; LK_TIME_NEVER: none */
  /* Names of users, as their jobs have told. */
  GPtrArray *user_names;
  LkIdMap name_by_user; /* from user id + 1 */
  GArray *user_ids;     /* of guint32, beside the names */
  gboolean turn_due;    /* something that a reservation waited for has happened */
} LkReservationJobs;

LkReservationJobs *lk_reservation_jobs_new (void);
void lk_reservation_jobs_free (LkReservationJobs *self);

/* NULL: it asks for none. */
static inline LkReservationAsk *
lk_reservation_ask (const LkReservationJobs *self, LkJobIndex job)
{
  return job < self->limit ? self->asks[job] : NULL;
}

/* Takes over a copy; one that is empty takes the job off. */
void lk_reservation_jobs_set (LkReservationJobs *self, LkJobIndex job, const LkReservationAsk *ask);
/* The job asks for this one no more. FALSE: it did not. */
gboolean lk_reservation_jobs_unask (LkReservationJobs *self, LkJobIndex job, guint32 number);

void lk_reservation_jobs_enter (LkReservationJobs *self, const LkReservationStay *stay);
void lk_reservation_jobs_exit (LkReservationJobs *self, LkJobIndex job);
/* Stays of a reservation end at another moment. */
void lk_reservation_jobs_extend (LkReservationJobs *self, guint32 number, gint64 until_us);
/* Jobs that run in it, and jobs that run in it or ask for it. */
guint32 lk_reservation_jobs_running (const LkReservationJobs *self, guint32 number);
gboolean lk_reservation_jobs_uses (const LkReservationJobs *self, guint32 number);

/* The first name that was told counts. */
void lk_reservation_jobs_name (LkReservationJobs *self, guint32 user_id, LkText name);
/* "": unknown. */
const char *lk_reservation_jobs_name_of (const LkReservationJobs *self, guint32 user_id);

#endif
