/* live/core/controller_het.c — components of heterogeneous jobs, as far as they run.
 *
 * They start with one event.  The script runs once, on the first node of the first component, the
 * leader; its launch tells of all of them.  The others have no script: they wait for steps, and end
 * when the leader has, as its script has ended.  One that ends by itself before that (its time
 * limit, its node) leaves the others to run.
 *
 * Not here: what becomes of all of them is decided by the engine (engine/engine_het.h).
 * Source: Slurm's _set_het_job_env and job_complete; heterogeneous_jobs.html. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/controller_private.h"

gboolean
lk_run_has_script (const LkRun *run)
{
  return run->facts.het_offset == 0;
}

gboolean
lk_run_is_script_on (const LkRun *run, const LkRunNode *on)
{
  return on == &run->nodes[0] && lk_run_has_script (run);
}

gboolean
lk_run_is_wanted (const LkRun *run, const LkRunNode *on)
{
  return run->end_seq == 0 && run->kill_seq == 0 && run->leader_seq == 0 && !on->is_dropped;
}

/* A run that was started with this one; NULL: the engine has none any more. */
static LkRun *
run_of_component (const LkController *self, const LkRun *run, guint32 offset)
{
  LkRun *other = lk_run_of_job (self, run->facts.het_leader + offset);
  return other != NULL && other->end_seq == 0 && other->start_seq == run->start_seq ? other : NULL;
}

static void
tell (LkRun *leader, const LkRun *run)
{
  const LkRunFacts *facts = &run->facts;
  LkRunComponent component = { .offset = facts->het_offset,
                               .job_id = run->job_id,
                               .job_name = facts->job_name,
                               .partition = facts->partition,
                               .account = facts->account,
                               .qos = facts->qos,
                               .reservation = facts->reservation,
                               .tasks = facts->tasks,
                               .cpus_per_task = facts->cpus_per_task,
                               .tasks_per_node = facts->tasks_per_node,
                               .memory_per_node_bytes = facts->memory_per_node_bytes,
                               .memory_per_cpu_bytes = facts->memory_per_cpu_bytes,
                               .nodes = { run->node_list, (guint32)strlen (run->node_list) },
                               .cpus = facts->cpus };
  if (leader->components == NULL)
    leader->components = g_byte_array_new ();
  lk_run_component_append (&component, leader->components);
}

/* One that comes back to the queue when the leader has ended starts without it: its job is over,
 * and nobody knows how. */
void
lk_het_started (LkController *self, LkRun *run)
{
  if (run->facts.het_leader == 0)
    return;
  LkRun *leader = run_of_component (self, run, 0);
  if (leader != NULL) {
    tell (leader, run);
    return;
  }
  run->leader_seq = run->start_seq;
  run->how.signal = LK_SIGNAL_UNKNOWN;
}

/* How its script has ended, as the event says; one whose end is another's has ended as nobody
 * knows. */
static LkRunReport
end_of (const LkEvent *cause, guint32 job_id)
{
  if (cause->kind != LK_EVENT_JOB_ENDED || cause->job_ended.job_id != job_id)
    return (LkRunReport){ .signal = LK_SIGNAL_UNKNOWN };
  return (LkRunReport){ .exit_code = cause->job_ended.exit_code,
                        .signal = cause->job_ended.signal,
                        .cancelled = cause->job_ended.cancelled,
                        .trouble = cause->job_ended.trouble };
}

void
lk_het_ended (LkController *self, const LkRun *run, const LkEvent *cause)
{
  LK_ASSERT (run->end_seq == cause->seq);
  if (run->facts.het_leader == 0 || !lk_run_has_script (run))
    return;
  for (guint32 offset = 1; offset < run->facts.het_count; offset++) {
    LkRun *other = run_of_component (self, run, offset);
    if (other == NULL)
      continue;
    other->leader_seq = cause->seq;
    other->how = end_of (cause, run->job_id);
    lk_run_stir (self, other);
  }
}
