/* sim/whatif/future.h — one future of a cluster: which jobs will come, and how long each will run.
 *
 * All branches of a question see the same future.  How long a job runs depends on its key, the seed
 * and the number of the future alone, not on when it starts or on who goes before it.
 *
 * Run times of `history`: the share of its time limit that a run will use is drawn from those of
 * the past runs of its user, or of all where he has too few; of a job that runs, from those that
 * went on longer than it has by now.  Arrivals of `resample`: whole days of the past, of the same
 * weekday where there are two weeks; jobs of such days depend on no other job. */
#ifndef LK_SIM_WHATIF_FUTURE_H
#define LK_SIM_WHATIF_FUTURE_H

#include <glib.h>

#include "sim/whatif/state.h"

/* X (NAME, word) */
#define LK_WHATIF_ARRIVALS(X)                                                                      \
  X (NONE, "none")                                                                                 \
  X (RESAMPLE, "resample")                                                                         \
  X (REPLAY, "replay")
#define LK_WHATIF_RUNTIMES(X)                                                                      \
  X (HISTORY, "history")                                                                           \
  X (LIMITS, "limits")                                                                             \
  X (REPLAY, "replay")

#define X(NAME, word) LK_ARRIVALS_##NAME,
typedef enum { LK_WHATIF_ARRIVALS (X) } LkArrivals;
#undef X
#define X(NAME, word) LK_RUNTIMES_##NAME,
typedef enum { LK_WHATIF_RUNTIMES (X) } LkRuntimes;
#undef X
const char *lk_arrivals_word (LkArrivals arrivals);
const char *lk_runtimes_word (LkRuntimes runtimes);
gboolean lk_arrivals_parse (const char *text, LkArrivals *out_arrivals, GError **error);
gboolean lk_runtimes_parse (const char *text, LkRuntimes *out_runtimes, GError **error);

/* What futures are made of, for one moment.  Shared by all of them, also between threads. */
typedef struct _LkFutureBase LkFutureBase;
typedef struct {
  LkArrivals arrivals;
  LkRuntimes runtimes;
  guint64 seed;
  gint64 horizon_us;
} LkFutureOptions;

/* `state` stands at its moment; for replays what came later has been read. It must outlive self.
 * Returns: (transfer full). */
LkFutureBase *lk_future_base_new (const LkWhatifState *state, const LkFutureOptions *options);
void lk_future_base_free (LkFutureBase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkFutureBase, lk_future_base_free)
/* Past runs from which run times are drawn. */
guint lk_future_base_run_count (const LkFutureBase *self);

/* Is there a whole day of the past, so that one can be drawn? */
gboolean lk_future_has_days (const LkWhatifState *state);

/* Something that will come from outside. */
typedef struct {
  gint64 time_us;
  gint64 shift_us; /* it is so much later than the event says, */
  guint64 key;     /* of a submit; else 0 */
  gint64 run_us;   /* of a submit: how long the job runs; -1: see lk_future_run_us */
  const guint8 *bytes;
  gsize length_bytes;
  gboolean is_drawn; /* it is of a day that was drawn */
  gboolean is_new;   /* its id is chosen when it comes, as that of the event says nothing */
} LkArrival;

typedef struct _LkFuture LkFuture;
/* Number `index`. Returns: (transfer full). */
LkFuture *lk_future_new (const LkFutureBase *base, guint index);
void lk_future_free (LkFuture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkFuture, lk_future_free)

/* Of LkArrival, by rising time. Returns: (transfer none). */
const GArray *lk_future_arrivals (const LkFuture *self);

/* A run of which the future is asked. */
typedef struct {
  guint64 key;
  guint32 user_id;
  gint64 limit_us;   /* LK_TIME_NEVER: none */
  gint64 elapsed_us; /* it has run so long already */
} LkFutureRun;
/* How it really ran; NULL: that is not told in this future. */
const LkPastRun *lk_future_told (const LkFuture *self, guint64 key);
/* How long it runs in all; LK_TIME_NEVER: till it is told to end. */
gint64 lk_future_run_us (const LkFuture *self, const LkFutureRun *run);

#endif
