/* sim/gate/baseline.h — what a gate holds the runs of a plan against, as a text that is committed.
 *
 *   # Baseline of lockstep gate
 *   format = 1
 *
 *   [LOG/WINDOW/POLICY]
 *   command = sim --backfill=easy -- kth.swf.gz
 *   decisions = 9542f141b0c1bb79549f66834712f1a4
 *   jobs = 28453
 *   mean_wait_s = 6241.9
 *   ...
 *   speed = 5.3
 *
 * One line a value, in a fixed order, runs in the order of the plan: equal baselines are equal
 * bytes, and a diff shows what changed. */
#ifndef LK_SIM_GATE_BASELINE_H
#define LK_SIM_GATE_BASELINE_H

#include <glib.h>

#define LK_GATE_METRIC_COUNT 13u
#define LK_GATE_MEAN_WAIT 2u /* index of mean_wait_s */

typedef struct {
  char *name;
  char *command;
  char *decisions;                     /* digest */
  char *metrics[LK_GATE_METRIC_COUNT]; /* as text; "-" where a run has none */
  double speed_ratio; /* the time of the run, over that of the floor; NaN: not measured */
} LkGateRun;

LkGateRun *lk_gate_run_new (void);
void lk_gate_run_free (LkGateRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkGateRun, lk_gate_run_free)

/* Of the summary, by index. */
const char *lk_gate_metric_name (guint index);

typedef struct {
  GPtrArray *runs; /* of LkGateRun */
} LkGateBaseline;

LkGateBaseline *lk_gate_baseline_new (void);
void lk_gate_baseline_free (LkGateBaseline *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkGateBaseline, lk_gate_baseline_free)

/* NULL: there is none of this name. (transfer none). */
LkGateRun *lk_gate_baseline_find (const LkGateBaseline *self, const char *name);

void lk_gate_baseline_append (const LkGateBaseline *self, GString *out);
/* LK_SIM_ERROR_FORMAT with path and line. Returns: (transfer full). */
LkGateBaseline *lk_gate_baseline_read (const char *path, const char *text, gsize length_bytes,
                                       GError **error);

#endif
