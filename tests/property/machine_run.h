/* tests/property/machine_run.h — a minimal driver for machines of nodes: one workload through the
 * real engine, with others looking on.
 *
 * As engine_run.h, for workloads of machine_workload.h: it also carries out requeues, node failures
 * and late ends.  After every event the engine's invariants are walked, then the watchers are
 * asked. */
#ifndef LK_TESTS_PROPERTY_MACHINE_RUN_H
#define LK_TESTS_PROPERTY_MACHINE_RUN_H

#include <glib.h>

#include "engine/engine.h"
#include "policies/registry.h"
#include "tests/property/machine_workload.h"

/* Somebody who looks on; each may be NULL. */
typedef struct {
  void *user;
  void (*before) (void *user, const LkEngine *engine, const LkEvent *event);
  void (*decided) (void *user, const LkEngine *engine, const LkEvent *cause,
                   const LkDecision *decision);
  void (*after) (void *user, const LkEngine *engine, const LkEvent *event);
  void (*ended) (void *user, const LkEngine *engine); /* no event comes any more */
} LkMachineWatch;

typedef struct {
  const char *order; /* specifications of policies */
  const char *backfill;
  const char *select;
  const LkAccounts *accounts; /* checked; NULL: nobody is told from another */
  const char *limits;         /* of accounts; NULL: the usual ones */
  const char *preempt;        /* NULL: nobody is displaced */
  guint32 units_total;        /* of a counted pool instead of the workload's machine; 0: of nodes */
  gint64 unit_us;             /* what a second of the workload is; 0: a second */
  gint64 origin_us;           /* when the workload begins */
  gint64 end_us;         /* no event comes behind this moment; 0: until nothing is left to do */
  guint64 snapshot_seed; /* 0: never saves; else restarts from a snapshot before some events */
  const GArray *more; /* of LkEvent: what else happens, time in seconds of the workload; or NULL */
  const LkMachineWatch *watches;
  guint watch_count;
  gboolean tells_standing; /* passes tell how jobs stand; the log has that, too */
} LkMachineOptions;

typedef struct {
  LkSetup *setup;
  GArray *events;    /* LkEvent, all that were applied; texts are the workload's */
  GByteArray *log;   /* every decision with its event's number, encoded */
  GByteArray *bytes; /* the engine's snapshot at the end */
  LkDigestValue digest;
  guint snapshot_count;
  guint start_count;
  guint reject_count;
  guint requeue_count;
  gint64 start_us[LK_MACHINE_JOBS_MAX]; /* the last start; LK_TIME_NEVER: none */
} LkMachineRun;

/* A setup for a cluster. Returns: (transfer full). */
LkSetup *lk_machine_setup (const LkCluster *cluster, const LkMachineOptions *options);
/* Aborts when the engine breaks its word. Returns: (transfer full). */
LkMachineRun *lk_machine_run_new (const LkMachineWorkload *workload,
                                  const LkMachineOptions *options);
/* The recorded events of `run` into a fresh engine; log, digest and final snapshot must be the
 * same. */
void lk_machine_run_assert_replays (const LkMachineRun *run);
/* The two made the same decisions at the same events, and stand the same. */
void lk_machine_run_assert_same (const LkMachineRun *a, const LkMachineRun *b);
void lk_machine_run_free (LkMachineRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkMachineRun, lk_machine_run_free)

#endif
