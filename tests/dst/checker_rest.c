/* tests/dst/checker_rest.c — see the header. */
#include "tests/dst/checker_rest.h"

#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- views that agree */

static void
agree_on (const DstHost *host, const LkRun *run, const DstCheckerRuns *runs, DstFindings *findings)
{
  for (guint32 i = 0; i < run->node_count; i++) {
    const LkRunNode *on = &run->nodes[i];
    const DstNode *node = dst_node (host->cluster, on->node);
    if (on->stage == LK_ON_NODE_LIVES && host->core->nodes[on->node].is_ready
        && !dst_checker_runs_lives (runs, run->run_id, node->name)
        && !lk_process_sim_knows (node->process, run->run_id))
      dst_find (findings, "the controller has run %" G_GUINT64_FORMAT " of job %u on %s; it is not",
                run->run_id, run->job_id, node->name);
  }
}

void
dst_checker_rest_agree (const DstHost *host, const DstCheckerRuns *runs, DstFindings *findings)
{
  for (const LkRun *run = host->core->run_first; run != NULL; run = run->next)
    agree_on (host, run, runs, findings);
  for (guint i = 0; i < dst_checker_runs_live_count (runs); i++) {
    guint64 run_id = dst_checker_runs_live (runs, i);
    if (lk_run_find (host->core, run_id) == NULL)
      dst_find (findings, "run %" G_GUINT64_FORMAT " lives, and the controller does not have it",
                run_id);
  }
}

/* ---------------------------------------------------------------- nothing left */

static guint
process_count (const DstCluster *cluster)
{
  guint sum = 0;
  for (guint i = 0; i < cluster->nodes->len; i++)
    sum += lk_process_sim_count (dst_node (cluster, i)->process);
  return sum;
}

gboolean
dst_checker_rest_is_idle (const DstHost *host)
{
  LkEngineCounts engine;
  LkControllerCounts counts;
  if (host->core == NULL)
    return FALSE;
  lk_engine_counts (lk_controller_engine (host->core), &engine);
  lk_controller_counts (host->core, &counts);
  return engine.pending_count == 0 && engine.running_count == 0 && counts.run_count == 0
         && process_count (host->cluster) == 0 && dst_open_count (host->cluster) == 0
         && lk_controller_durable_seq (host->core) == engine.event_count;
}

static void
tell_pending (const LkEngine *engine, DstFindings *findings)
{
  g_autoptr (GArray) ids = lk_engine_queue_ids (engine);
  for (guint i = 0; i < ids->len; i++) {
    LkJobInfo info;
    if (lk_engine_job (engine, g_array_index (ids, guint32, i), &info))
      dst_find (findings, "at the end job %u waits: %s", info.id, lk_reason_name (info.reason));
  }
}

static void
tell_runs (const DstHost *host, DstFindings *findings)
{
  for (const LkRun *run = host->core->run_first; run != NULL; run = run->next)
    for (guint32 i = 0; i < run->node_count; i++)
      dst_find (findings,
                "at the end the controller has run %" G_GUINT64_FORMAT
                " of job %u on %s, stage %d, ended by event %" G_GUINT64_FORMAT,
                run->run_id, run->job_id, dst_node (host->cluster, run->nodes[i].node)->name,
                (int)run->nodes[i].stage, run->end_seq);
}

void
dst_checker_rest_look (const DstHost *host, const DstCheckerRuns *runs, DstFindings *findings)
{
  const DstCluster *cluster = host->cluster;
  tell_pending (lk_controller_engine (host->core), findings);
  tell_runs (host, findings);
  if (dst_checker_runs_live_count (runs) > 0)
    dst_find (findings, "at the end %u runs live", dst_checker_runs_live_count (runs));
  if (dst_open_count (cluster) > 0)
    dst_find (findings, "at the end %u requests have no answer", dst_open_count (cluster));
  for (guint i = 0; i < cluster->nodes->len; i++) {
    const DstNode *node = dst_node (cluster, i);
    if (lk_process_sim_count (node->process) > 0)
      dst_find (findings, "at the end %s has %u supervisors", node->name,
                lk_process_sim_count (node->process));
    if (lk_process_sim_double_count (node->process) > 0)
      dst_find (findings, "the agent of %s has asked for a supervisor that was there", node->name);
  }
}
