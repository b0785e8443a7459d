/* tests/property/engine_run.h — a minimal driver: one workload through the real engine.
 *
 * Delivers events in the documented order of one instant, carries out what the engine decides, and
 * asks for a pass at the end of an instant when the engine wants one.  After every event the
 * engine's invariants are walked.  It knows nothing of trace files, statistics or journals. */
#ifndef LK_TESTS_PROPERTY_ENGINE_RUN_H
#define LK_TESTS_PROPERTY_ENGINE_RUN_H

#include <glib.h>

#include "engine/engine.h"
#include "policies/registry.h"
#include "tests/property/workload.h"

typedef struct {
  const char *order; /* specifications of policies */
  const char *backfill;
  const char *select;       /* NULL: pool */
  const LkCluster *cluster; /* of a select policy that places; size_factor must be 1 */
  gint64 shift_us;          /* added to every moment */
  guint32 size_factor;      /* multiplies the machine and every job; 0 is 1 */
  guint32 label_factor;     /* odd; multiplies user, group and partition ids; 0 is 1 */
  gboolean confirms_starts; /* tells the engine that each start was carried out */
  guint64 snapshot_seed;    /* 0: never saves; else restarts from a snapshot before some events */
} LkRunOptions;

typedef struct {
  gint64 start_us; /* LK_TIME_NEVER: never */
  gint64 end_us;   /* LK_TIME_NEVER: never */
  gboolean backfilled;
  LkJobState state;
} LkRunJob;

typedef struct {
  LkSetup *setup;
  GArray *events;    /* LkEvent, all that were applied */
  GByteArray *log;   /* every decision with its event's number, encoded */
  GByteArray *bytes; /* the engine's snapshot at the end */
  LkDigestValue digest;
  guint snapshot_count;
  guint reject_count;
  LkRunJob jobs[LK_WORKLOAD_JOBS_MAX];
} LkRun;

/* The registry that all runs of this process share. Returns: (transfer none). */
LkRegistry *lk_run_registry (void);
/* Aborts when the engine breaks its word. Returns: (transfer full). */
LkRun *lk_run_new (const LkWorkload *workload, const LkRunOptions *options);
/* The recorded events of `run` into a fresh engine; log, digest and final snapshot must be the
 * same. */
void lk_run_assert_replays (const LkRun *run);
/* The two made the same decisions at the same events. */
void lk_run_assert_same (const LkRun *a, const LkRun *b);
void lk_run_free (LkRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkRun, lk_run_free)

/* Aborts when they differ. */
void lk_run_assert_bytes (const GByteArray *a, const GByteArray *b);

/* A setup for a counted pool; `order` and `backfill` must be right. Returns: (transfer full). */
LkSetup *lk_run_setup (guint32 units_total, const char *order, const char *backfill);
/* Appends a decision to a log. */
void lk_run_log (GByteArray *log, const LkEvent *cause, const LkDecision *decision);

#endif
