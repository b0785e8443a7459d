/* sim/users/users.h — users who wait for their jobs: closed-loop submission of a log.
 *
 * In a log jobs come when they came, however long others waited: an open loop.  Real users look at
 * what has ended and go on from there.  Here each job hangs on one before it of the same user: on
 * its end, when it had ended by the time that the next one came in the log (then think time passes
 * between), or on its submission, when both were there at once (then the time between the two stays
 * as it was).  SWF fields 17 and 18 go before what is told by times.  A user's first job comes when
 * it came.
 *
 * Users may give up: a job that has waited for `abandon` is cancelled, and its user goes on.
 *
 * The whole log is held in memory.  Not here: what jobs of arrays or components of one job do; the
 * first that ends counts.  Sources: Shmueli and Feitelson, "On simulation and design of parallel-
 * systems schedulers: are we doing the right thing?" (TPDS 2009); Zakay and Feitelson, "Preserving
 * user behavior characteristics in trace-based simulation of parallel job scheduling" (MASCOTS
 * 2014). */
#ifndef LK_SIM_USERS_USERS_H
#define LK_SIM_USERS_USERS_H

#include <glib.h>

#include "traces/source.h"

/* What --users says. */
typedef struct {
  gboolean is_closed;
  gint64 think_us;   /* -1: as in the log */
  gint64 abandon_us; /* 0: never */
} LkUsersOptions;

/* "open", "closed" or "closed:think=log|TIME,abandon=none|TIME"; `place` is named in errors. */
gboolean lk_users_options_parse (LkUsersOptions *self, const char *place, const char *text,
                                 GError **error);
/* "open", or closed with all its keys. Returns: (transfer full). */
char *lk_users_options_text (const LkUsersOptions *self);

typedef struct _LkUsers LkUsers;

/* Takes all jobs of a source, which divides times between submits by `load_scale_ratio`: think
 * times of the log are divided by it, too. Returns: (transfer full); NULL when the source fails. */
LkUsers *lk_users_new (const LkUsersOptions *options, double load_scale_ratio,
                       LkTraceSource *source, GError **error);
void lk_users_free (LkUsers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkUsers, lk_users_free)

/* The next job that is known to come, with the time when it comes; it stays the next one until it
 * is submitted. FALSE: none, as long as nothing else ends. `out_place` names it in what follows. */
gboolean lk_users_next (LkUsers *self, LkTraceJob *out_job, guint32 *out_place);
/* TRUE, once: the next job is another than lk_users_next has last said. */
gboolean lk_users_have_moved (LkUsers *self);

/* The job was submitted under an id (0: it was refused); it is over, however it ended. */
void lk_users_submitted (LkUsers *self, guint32 place, guint32 job_id, gint64 now_us);
void lk_users_over (LkUsers *self, guint32 place, gint64 now_us);

/* When somebody may give up next; LK_TIME_NEVER: nobody will. */
gint64 lk_users_patience_us (const LkUsers *self);
/* Takes who may give up by now: the id of a job that may still wait; 0: none. */
guint32 lk_users_impatient (LkUsers *self, gint64 now_us, guint32 *out_place);
/* The job was cancelled for it. */
void lk_users_abandoned (LkUsers *self, guint32 place, gint64 now_us);

guint64 lk_users_abandoned_count (const LkUsers *self);
/* Jobs that never came, as the one before them did not end. */
guint64 lk_users_absent_count (const LkUsers *self);

#endif
