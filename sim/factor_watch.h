/* sim/factor_watch.h — which weighted factors of Slurm's multifactor priority never differ between
 * two jobs of a run, so that their weights cannot change any order.
 *
 * Each job is evaluated once, right after its submit was accepted, until every weighted factor has
 * taken two values.  The age factor is not watched: it is 0 then for every job, and differs as soon
 * as jobs wait. */
#ifndef LK_SIM_FACTOR_WATCH_H
#define LK_SIM_FACTOR_WATCH_H

#include <stdio.h>

#include "engine/engine.h"

/* Bits 0 to LK_SPRIO_FACTOR_COUNT - 1 are those of LkSprioFactor; this is the sum of the TRES. */
#define LK_FACTOR_TRES 31u

/* Sets of weighted factors. */
typedef struct {
  guint32 constant; /* the same for all jobs of a run */
  guint32 varied;
} LkFactorSets;

typedef struct {
  guint32 weighted; /* bits of the factors with a weight other than 0 */
  guint32 varied;   /* bits of those that have taken two values */
  gboolean is_over; /* nothing is left to find out, or the order has no factors */
  guint64 job_count;
  double first[32]; /* the factors of the first job, by bit */
} LkFactorWatch;

/* Evaluates a job that waits. An order without factors (fifo, sjf ...) ends the watch. */
void lk_factor_watch_job (LkFactorWatch *self, const LkEngine *engine, guint32 job_id);
/* What was found out; nothing is constant in a run of less than two jobs. */
LkFactorSets lk_factor_watch_sets (const LkFactorWatch *self);

/* "weight_fairshare", or NULL: no such bit. */
const char *lk_factor_weight_name (guint bit);
/* One warning for each bit of `constant`, with what would make the weight count.  `verb` is the one
 * that warns; `has_accounts`: the run had accounts. */
void lk_factor_warn (guint32 constant, gboolean has_accounts, const char *verb, FILE *stream);

#endif
