/* sim/gate/report.h — what a gate found, as Markdown for people and as JUnit XML for a CI. */
#ifndef LK_SIM_GATE_REPORT_H
#define LK_SIM_GATE_REPORT_H

#include <glib.h>

#include "sim/gate/baseline.h"
#include "sim/gate/starts.h"

/* One run of the plan, or of the baseline alone. */
typedef struct {
  const char *name;
  const LkGateRun *before;            /* NULL: the baseline does not know it */
  const LkGateRun *now;               /* NULL: the plan no longer has it */
  const LkGateDifference *difference; /* NULL: none, or no list of decisions to tell it by */
  gboolean decisions_differ;
  gboolean metrics_differ;
  gboolean is_slow;
} LkGateCheck;

typedef struct {
  const GPtrArray *checks; /* of LkGateCheck */
  guint changes_max;       /* jobs, users ... listed of each run */
  double tolerance_percent;
  gboolean with_speed;
  const char *starts_problem; /* why there is no list of decisions of before; NULL: there is */
} LkGateReport;

gboolean lk_gate_check_is_good (const LkGateCheck *check);
guint lk_gate_report_bad_count (const LkGateReport *self);

void lk_gate_report_markdown (const LkGateReport *self, GString *out);
void lk_gate_report_junit (const LkGateReport *self, GString *out);

#endif
