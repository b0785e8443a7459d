/* sim/verb_sim.h — `lockstep sim [OPTIONS] TRACE`, and the same simulation inside other verbs. */
#ifndef LK_SIM_VERB_SIM_H
#define LK_SIM_VERB_SIM_H

#include <glib.h>

#include "sim/driver.h"
#include "sim/results.h"
#include "sim/settings.h"

/* argv[0] is the verb. Returns the exit code: 0, 1 failure, 2 wrong command line. */
int lk_verb_sim (int argc, char **argv);

/* What a verb that runs simulations itself gives to each and gets of it. Two of them may run in two
 * threads. */
typedef struct {
  /* The log as text, not compressed, borrowed for the call; NULL: read from `trace_path`. */
  const guint8 *log_bytes;
  gsize log_length_bytes;
  /* Each run of a job, as it ends; NULL: not told. Both borrowed for the call. */
  void (*job_ended) (gpointer user, const LkJobRecord *record, const LkSimResult *result);
  /* Asked every 65,536 events: is the run to be given up? It then fails. NULL: never. */
  gboolean (*is_stopped) (gpointer user);
  /* Required: the summary, borrowed for the call. */
  void (*done) (gpointer user, const LkSummary *summary);
  gpointer user;
} LkSimHooks;

/* Runs what the settings say; nothing is printed but by `hooks` NULL, which is the verb. `settings`
 * must name a log, no script of commands. */
gboolean lk_sim_settings_run (const LkSettings *settings, const LkSimHooks *hooks, GError **error);

/* Can the machine, accounts and policies of these settings be had? The log is not looked at. */
gboolean lk_sim_settings_check (const LkSettings *settings, GError **error);

/* Hands out the jobs that the settings select, as a run would have them, until `take` says FALSE.
 * Of the hooks (may be NULL) only the log counts. */
gboolean lk_sim_settings_each (const LkSettings *settings, const LkSimHooks *hooks,
                               gboolean (*take) (gpointer user, const LkTraceJob *job),
                               gpointer user, GError **error);

#endif
