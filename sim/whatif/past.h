/* sim/whatif/past.h — what a journal tells of runs and submits up to a moment.
 *
 * Fed with events and their decisions, one behind the other.  Runs are kept in the order in which
 * they ended, so that what is drawn from them never knows more than was known at the moment.
 *
 * A job is called by its key, which does not depend on when tasks leave an array: the id that it
 * was submitted with in the high half, and in the low one the task's index + 1, or 0. */
#ifndef LK_SIM_WHATIF_PAST_H
#define LK_SIM_WHATIF_PAST_H

#include <glib.h>

#include "engine/engine.h"
#include "engine/journal.h"

/* A run that has ended. */
typedef struct {
  guint64 key;
  guint32 user_id;
  gint64 run_us; /* without the time that it was suspended */
  gint64 end_us;
  gint64 limit_us; /* its time limit; LK_TIME_NEVER: none, or not known */
  gint64 lag_us;   /* it was told to end, and did so much later; -1: it ended by itself */
  LkEvent_job_ended ended;
} LkPastRun;

/* A job that came. */
typedef struct {
  guint64 key;
  gint64 time_us;
  gsize offset_bytes; /* of its event in LkWhatifPast.bytes */
  gsize length_bytes;
} LkPastSubmit;

typedef struct {
  GArray *runs;       /* of LkPastRun */
  GArray *submits;    /* of LkPastSubmit: those that were taken */
  GByteArray *bytes;  /* their events */
  GHashTable *active; /* job id -> what is known of its run */
  gint64 first_us;    /* of the first event */
  guint32 job_id_last;
  gint64 pass_last_us; /* of the last pass; G_MININT64: none yet */
  gboolean is_news;    /* the last event was no pass */
  gboolean has_notes;  /* of a live controller, which wrote it */
} LkWhatifPast;

void lk_past_init (LkWhatifPast *self);
void lk_past_clear (LkWhatifPast *self);

/* The event, then its decisions.  `engine` may be NULL where none is at hand: then time limits are
 * not known, and runs have no user. */
void lk_past_event (LkWhatifPast *self, const LkEvent *event);
void lk_past_decision (LkWhatifPast *self, const LkEvent *event, const LkDecision *decision,
                       const LkEngine *engine);
/* Takes over which jobs run, so that what follows is known of them as well. */
void lk_past_go_on (LkWhatifPast *self, const LkWhatifPast *from);

/* When a job that runs was told to end; LK_TIME_NEVER: it was not. */
gint64 lk_past_killed_us (const LkWhatifPast *self, guint32 job_id);

/* The key of a job of an engine. */
guint64 lk_past_key (const LkEngine *engine, LkJobIndex job);
guint64 lk_past_key_of (guint32 job_id, guint32 task);
/* For tables of keys, with g_int64_equal: g_int64_hash sees the low half only. */
guint lk_past_key_hash (gconstpointer key);

#endif
