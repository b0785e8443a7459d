/* sim/account_waits.h — how long the jobs of each account and QOS waited.
 *
 * Over all jobs of a run, whatever its window; sums are integers, so that nothing depends on the
 * order of the jobs. */
#ifndef LK_SIM_ACCOUNT_WAITS_H
#define LK_SIM_ACCOUNT_WAITS_H

#include <glib.h>

typedef struct {
  const char *account;
  const char *qos; /* "": none */
  guint64 jobs;
  double mean_wait_s;
  double cpu_hours;
} LkAccountWait;

typedef struct _LkAccountWaits LkAccountWaits;

LkAccountWaits *lk_account_waits_new (void);
void lk_account_waits_free (LkAccountWaits *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAccountWaits, lk_account_waits_free)

/* Names are copied. Nothing is counted for a job without an account ("" or NULL). */
void lk_account_waits_add (LkAccountWaits *self, const char *account, const char *qos,
                           gint64 wait_us, gint64 run_us, guint32 procs);

/* Of LkAccountWait, by account, then QOS. Texts are valid as long as self. Returns: (transfer
 * full). */
GArray *lk_account_waits_rows (const LkAccountWaits *self);

#endif
