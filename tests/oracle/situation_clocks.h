/* tests/oracle/situation_clocks.h — where Slurm's clocks may have stood in a recorded situation.
 *
 * No recording tells where in a second the main loop and the backfill came, nor how long starts
 * and ends took and how far apart jobs ended that had begun together, nor when time limits were
 * looked at, which slurmctld does each 30 s, nor when turns changed, where jobs take turns.  A
 * situation is played at several standings of all of
 * these. */
#ifndef LK_TESTS_ORACLE_SITUATION_CLOCKS_H
#define LK_TESTS_ORACLE_SITUATION_CLOCKS_H

#include <glib.h>

#define LK_SCAN_S 30
#define LK_SCAN_NONE (-1)

typedef struct {
  guint tick_phase_us;  /* of the background, which runs the main loop */
  guint cycle_phase_us; /* of backfill */
  const char *run_tenths;
  guint spread_us; /* how far apart jobs end that began together: times the number of the job */
  guint turn_us;   /* how long before the first command turns changed */
  gint scan_s;     /* behind the first command; LK_SCAN_NONE: limits are kept to the moment */
} LkClocks;

/* Of LkClocks. `runs` is start-order.txt: where it has jobs that reached their limit or were
 * preempted, scans were when these ended; `has_grace`: preempted jobs have notice, so that it
 * matters when these scans were. `slice_s`: how long a turn is; 0: jobs take none.
 * Returns: (transfer full). */
GArray *lk_clocks_new (const char *runs, gboolean has_grace, guint slice_s);

#endif
