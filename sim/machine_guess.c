/* sim/machine_guess.c — see machine_guess.h. */
#include "sim/machine_guess.h"

#include "engine/checked.h"
#include "engine/limits.h"
#include "sim/trace_input.h"
#include "traces/clean.h"

/* Processors taken (> 0) or released at a moment. */
typedef struct {
  gint64 time_us;
  gint64 procs;
} Use;

/* What is released at a moment can be taken at the same moment. */
static gint
use_compare (gconstpointer a, gconstpointer b)
{
  const Use *x = a;
  const Use *y = b;
  if (x->time_us != y->time_us)
    return x->time_us < y->time_us ? -1 : 1;
  return (x->procs > y->procs) - (x->procs < y->procs);
}

/* Jobs that did not run used nothing, and are not replayed. */
static void
job_add (const LkSwfJob *job, GArray *uses, gint64 *largest_procs)
{
  gint64 procs = lk_swf_job_procs (job);
  if (job->run_us <= 0 || procs <= 0 || procs > LK_LIMIT_UNITS)
    return;
  *largest_procs = MAX (*largest_procs, procs);
  if (job->submit_us < 0 || job->wait_us < 0)
    return;
  gint64 start_us = lk_time_add_us (job->submit_us, job->wait_us);
  Use taken = { start_us, procs };
  Use released = { lk_time_add_us (start_us, job->run_us), -procs };
  g_array_append_val (uses, taken);
  g_array_append_val (uses, released);
}

/* Sorts `uses`. */
static gint64
use_most (GArray *uses)
{
  gint64 now = 0;
  gint64 most = 0;
  g_array_sort (uses, use_compare);
  for (guint i = 0; i < uses->len; i++) {
    now += g_array_index (uses, Use, i).procs;
    most = MAX (most, now);
  }
  return most;
}

gboolean
lk_machine_guess (LkTraceReader *reader, LkMachineGuess *out_guess, GError **error)
{
  g_autoptr (GArray) uses = g_array_new (FALSE, FALSE, sizeof (Use));
  gint64 largest_procs = 0;
  LkSwfJob job;
  int got;
  while ((got = lk_trace_input_next (reader, &job, error)) == 1)
    job_add (&job, uses, &largest_procs);
  if (got < 0)
    return FALSE;
  gint64 most_procs = use_most (uses);
  *out_guess = (LkMachineGuess){ .procs = MAX (most_procs, largest_procs),
                                 .is_use = most_procs > 0 && most_procs >= largest_procs };
  return TRUE;
}
