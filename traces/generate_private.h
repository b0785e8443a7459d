/* traces/generate_private.h — what a kind of generator brings. */
#ifndef LK_TRACES_GENERATE_PRIVATE_H
#define LK_TRACES_GENERATE_PRIVATE_H

#include "traces/generate.h"

/* Later submits are taken for this, so that no scale makes one overflow. */
#define LK_GENERATE_TIME_MAX_S G_GINT64_CONSTANT (4000000000000)

typedef struct {
  void (*restart) (LkGenerator *self, double gap_scale_ratio);
  /* The record is empty but for its number (lk_record_init). */
  gboolean (*next) (LkGenerator *self, LkTraceRecord *out_record);
  void (*free) (LkGenerator *self);
} LkGeneratorOps;

/* First member of every kind's struct. */
struct _LkGenerator {
  const LkGeneratorOps *ops;
  guint64 procs;
  gint64 unix_start_s;
  gint64 last_number; /* of the records handed out */
};

#endif
