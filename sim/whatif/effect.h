/* sim/whatif/effect.h — what a change does to whom, over all futures.
 *
 * An interval is that of the 5 % and the 95 % quantile over the futures; of one future it is the
 * number itself.  Jobs of drawn days are others in each future, so they count in sums only. */
#ifndef LK_SIM_WHATIF_EFFECT_H
#define LK_SIM_WHATIF_EFFECT_H

#include <glib.h>

#include "sim/whatif/question.h"

/* Of values over futures; NAN: there are none. */
typedef struct {
  double low;
  double middle; /* median */
  double high;
} LkInterval;

/* Of any doubles, which are sorted by it. */
LkInterval lk_interval_of (GArray *values);

/* A job that is known by its id. */
typedef struct {
  guint64 key;
  guint32 user_id;
  guint32 units;
  gint64 submit_us;
  gboolean is_fork;
  guint started[LK_SIDES];            /* in so many futures */
  guint waited[LK_SIDES];             /* it waits at the end, */
  guint never[LK_SIDES];              /* and always would */
  LkReason reason[LK_SIDES];          /* of that, in the last such future */
  LkReject reject[LK_SIDES];          /* in the last future in which it was refused */
  LkInterval start_s[LK_SIDES];       /* behind the fork */
  LkInterval change_s;                /* of its start, of futures in which it starts in both */
  GArray *starts[LK_SIDES], *changes; /* of double, seconds */
} LkEffectJob;

/* Of those of a user. */
typedef struct {
  guint32 user_id;
  guint earlier_count;
  guint later_count;
  guint same_count;
  double change_sum_s; /* of medians */
} LkEffectUser;

/* A number of both sides, over futures. */
typedef struct {
  LkInterval side[LK_SIDES];
  LkInterval change;
} LkEffectNumber;

typedef struct {
  guint future_count;
  GPtrArray *jobs;  /* of LkEffectJob*, by rising key */
  GPtrArray *users; /* of LkEffectUser*, by number */
  LkEffectNumber use_ratio;
  LkEffectNumber wait_mean_s;    /* of jobs that start behind the fork */
  LkEffectNumber started;        /* jobs */
  LkEffectNumber waiting;        /* at the end */
  LkEffectNumber refused;        /* jobs */
  double reasons[LK_SIDES][256]; /* mean number of jobs that ever waited for this */
  guint earlier_count;
  guint later_count;
  guint same_count;
  gboolean is_same; /* both sides decided the same in all futures */
} LkEffect;

/* Smaller changes of a start are none: a table shows whole seconds. */
#define LK_EFFECT_SAME_S 1.0

LkEffect *lk_effect_new (const GPtrArray *pairs, gint64 fork_us);
void lk_effect_free (LkEffect *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkEffect, lk_effect_free)

#endif
