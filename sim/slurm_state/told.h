/* sim/slurm_state/told.h — what has become of what a Slurm cluster said of itself: rows as those of
 * an imported slurm.conf, of any of the files that were collected. */
#ifndef LK_SIM_SLURM_STATE_TOLD_H
#define LK_SIM_SLURM_STATE_TOLD_H

#include <glib.h>

#include "sim/slurm_state/record.h"
#include "traces/slurm_conf.h"

/* Of LkSlurmRow*, which it frees. Returns: (transfer full). */
GPtrArray *lk_told_new (void);
/* Where something stands, and what. */
typedef struct {
  const LkSlurmPlace *place;
  const char *record; /* the first key of its line; "" */
  const char *key;
  const char *value;
} LkToldSubject;
void lk_told_add (GPtrArray *self, const LkToldSubject *subject, LkSlurmVerdict verdict,
                  const char *format, ...) G_GNUC_PRINTF (4, 5);
/* Of a pair of a record. */
void lk_told_pair (GPtrArray *self, const LkStateRecord *record, const char *key,
                   LkSlurmVerdict verdict, const char *how);
guint lk_told_count (const GPtrArray *self, LkSlurmVerdict verdict);

#endif
