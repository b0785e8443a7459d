/* sim/whatif/branch.h — runs a copy of an engine forward through one future.
 *
 * The order of an instant is the documented one: ends, what comes from outside, the timer, ends
 * that a kill brought, and a pass if the engine wants one; two passes are as far apart as those of
 * a live controller.  A job that was told to end does so at once.
 *
 * Jobs that come get the ids that they had; where a task that left its array has taken that id, the
 * next free one, and events that mean them follow. */
#ifndef LK_SIM_WHATIF_BRANCH_H
#define LK_SIM_WHATIF_BRANCH_H

#include <glib.h>

#include "sim/whatif/future.h"

/* What became of a job. */
typedef struct {
  guint64 key;
  guint32 job_id;
  guint32 user_id;
  guint32 units;
  gint64 submit_us;
  gint64 limit_us;
  gint64 start_us;    /* its first start in this branch; LK_TIME_NEVER: none */
  gint64 end_us;      /* of its last run; LK_TIME_NEVER: it has not ended */
  LkReject reject;    /* its submit was refused, and why; 0: it was not */
  LkReason reason;    /* it waits at the end: why */
  guint64 reasons[4]; /* why it ever waited when it was looked at: bits of LkReason */
  gboolean is_fork;   /* it was in the system at the fork */
  gboolean runs;      /* it ran at the fork */
  gboolean is_drawn;  /* it is of a day that was drawn */
  gboolean waits;     /* it waits at the end */
  gboolean never;     /* and nothing that is known will let it start */
} LkOutcome;

typedef struct _LkBranch LkBranch;

/* `engine` (transfer full) stands at or before the fork. `future` is borrowed. */
LkBranch *lk_branch_new (LkEngine *engine, const LkWhatifState *state, const LkFuture *future);
void lk_branch_free (LkBranch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkBranch, lk_branch_free)

/* Applies an event of the one who asks, at the fork. 0, or why it is refused. */
LkReject lk_branch_apply (LkBranch *self, LkEvent *event);
/* A submit, in which its number is 0, as that of its leader of the first component: they are filled
 * in; its key is `key`. */
LkReject lk_branch_submit (LkBranch *self, LkEvent *event, guint64 key);

/* Runs on until `end_us`, or until the job of `until_key` has started; 0: there is none. */
void lk_branch_run (LkBranch *self, gint64 end_us, guint64 until_key);

/* Of LkOutcome, in the order in which jobs were seen. Returns: (transfer none). */
const GArray *lk_branch_outcomes (const LkBranch *self);
/* NULL: there is no job of this key. */
const LkOutcome *lk_branch_find (const LkBranch *self, guint64 key);
const LkEngine *lk_branch_engine (const LkBranch *self);
/* Share of the machine's capacity that was in use from the fork to the end. */
double lk_branch_use_ratio (const LkBranch *self);

#endif
