/* sim/verify_run.h — one generated workload through the engine, to compare two runs of a policy.
 *
 * The workload comes from a fixed formula, so that everybody's verification is the same: a
 * machine that is asked for more than it has for most of the time, with cancels, holds, releases
 * and updates in between. Not a simulation result: no trace, no statistics (see driver.h). */
#ifndef LK_SIM_VERIFY_RUN_H
#define LK_SIM_VERIFY_RUN_H

#include <glib.h>

#include "engine/engine.h"

/* Capacity of the machine that the workload is made for. */
#define LK_VERIFY_UNITS 128u

/* A machine of nodes with as many CPUs, for policies that place. Returns: (transfer full). */
LkCluster *lk_verify_cluster (void);

/* Accounts of the workload's users, with limits that are often reached, for policies that follow
 * them. Returns: (transfer full). */
LkAccounts *lk_verify_accounts (void);

typedef struct {
  LkDigestValue digest;
  guint64 event_count;
  guint64 start_count;
  guint restart_count; /* times the engine was saved, thrown away and loaded */
} LkVerifyRun;

/* Runs the workload. With `restarts` the engine is replaced by its own snapshot after some
 * events. Fails when the policy refuses its parameters, when a snapshot cannot be loaded or
 * differs from the one it was loaded from, or when the events do not come to an end. */
gboolean lk_verify_run (const LkEngineConfig *config, gboolean restarts, LkVerifyRun *out_run,
                        GError **error);

#endif
