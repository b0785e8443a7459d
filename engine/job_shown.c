/* engine/job_shown.c — see the header. */
#include "engine/job_shown.h"

#include <string.h>

#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/in_partition.h"

/* ---------------------------------------------------------------- names */

static const LkAssociationSpec *
association_of (const LkEngine *engine, LkJobIndex job)
{
  const LkBook *book = lk_engine_book (engine);
  guint32 association = lk_engine_view (engine)->jobs->association[job];
  return book == NULL || association == LK_INDEX_NONE
             ? NULL
             : g_ptr_array_index (book->spec->associations, association);
}

const char *
lk_job_account (const LkEngine *engine, LkJobIndex job)
{
  const LkAssociationSpec *association = association_of (engine, job);
  return association != NULL ? association->account : "";
}

const char *
lk_job_user (const LkEngine *engine, LkJobIndex job)
{
  const LkAssociationSpec *association = association_of (engine, job);
  return association != NULL ? association->user : "";
}

const char *
lk_job_qos (const LkEngine *engine, LkJobIndex job)
{
  const LkBook *book = lk_engine_book (engine);
  guint32 qos = lk_engine_view (engine)->jobs->qos[job];
  if (book == NULL || qos == LK_INDEX_NONE)
    return "";
  const LkQosSpec *spec = g_ptr_array_index (book->spec->qos, qos);
  return spec->name;
}

const char *
lk_partition_name (const LkEngine *engine, guint32 partition)
{
  const LkMachine *machine = lk_engine_machine (engine);
  return machine != NULL ? machine->partitions[partition].spec->name : "pool";
}

void
lk_job_partitions (const LkEngine *engine, LkJobIndex job, GString *out)
{
  const LkJobColumns *jobs = lk_engine_view (engine)->jobs;
  const LkRequest *request = lk_engine_job_request (engine, jobs->id[job]);
  if (request == NULL || request->partitions == NULL || request->partitions->len == 0) {
    g_string_append (out, lk_partition_name (engine, jobs->partition[job]));
    return;
  }
  for (guint i = 0; i < request->partitions->len; i++) {
    guint32 partition = g_array_index (request->partitions, guint32, i);
    g_string_append (out, i > 0 ? "," : "");
    g_string_append (out, lk_partition_name (engine, partition));
  }
}

/* ---------------------------------------------------------------- places */

static void
append_hosts (const GPtrArray *names, GString *out)
{
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
}

void
lk_job_planned_list (const LkEngine *engine, LkJobIndex job, GString *out)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  if (nodes == NULL)
    return;
  g_autofree guint64 *planned = g_new0 (guint64, lk_bits_words (nodes->node_count));
  lk_engine_planned_nodes (engine, job, planned);
  for (guint32 node = 0; node < nodes->node_count; node++)
    if (lk_bits_has (planned, node))
      g_ptr_array_add (names, nodes->names[node]);
  append_hosts (names, out);
}

/* Where a running job runs: by nodes, of which it may hold several pieces. */
static void
note_place (const LkEngine *engine, LkJobShown *shown, GString *node_list)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  shown->cpus = 0;
  for (guint32 i = lk_engine_job_pieces (engine, shown->info.id); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    char *name = nodes->names[lk_piece (nodes, i)->node];
    shown->cpus += lk_piece (nodes, i)->cpus;
    if (names->len == 0 || g_ptr_array_index (names, names->len - 1) != name)
      g_ptr_array_add (names, name);
  }
  shown->nodes = names->len;
  append_hosts (names, node_list);
}

/* ---------------------------------------------------------------- amounts */

/* How many nodes so many CPUs are, if all are like the largest: what squeue itself works out. */
static guint32
nodes_of_cpus (const LkEngine *engine, guint32 cpus)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  guint32 most = 1;
  for (guint32 kind = 0; kind < nodes->kind_count; kind++)
    most = MAX (most, nodes->kinds[kind].cpus);
  return (cpus + most - 1) / most;
}

/* The most that it would take. */
static guint32
nodes_asked (const LkEngine *engine, const LkRequest *request)
{
  const LkDemand *demand = &request->demand;
  return MAX (demand->nodes_min, MIN (demand->nodes_wanted, lk_engine_nodes (engine)->node_count));
}

/* Up to 22.05 what memory adds, where a CPU may have only so much, comes with its start. */
static guint32
cpus_asked (const LkEngine *engine, const LkRequest *request, const LkJobRequest *asked)
{
  const LkDemand *demand = &request->demand;
  guint64 cpus = MAX ((guint64)demand->tasks * MAX (1, asked->cpus_per_task),
                      (guint64)demand->nodes_min * asked->cpus_per_node_min);
  return lk_engine_is_slurm_22_05 (engine) && request->cpus_per_gpu == 0
             ? (guint32)MIN (cpus, demand->cpus_min)
             : demand->cpus_min;
}

void
lk_job_shown (const LkEngine *engine, LkJobIndex job, gint64 at_us, LkJobShown *out_shown,
              GString *node_list)
{
  const LkJobColumns *jobs = lk_engine_view (engine)->jobs;
  const LkRequest *request = lk_engine_job_request (engine, jobs->id[job]);
  LkPriorityParts parts = { .size = sizeof parts };
  LkJobShown *shown = out_shown;
  guint32 procs;
  *shown = (LkJobShown){ 0 };
  lk_engine_job (engine, jobs->id[job], &shown->info);
  shown->has_started =
      jobs->phase[job] == LK_PHASE_RUNNING || jobs->phase[job] == LK_PHASE_SUSPENDED;
  guint32 partition = shown->has_started ? LK_INDEX_NONE : lk_engine_partition_shown (engine, job);
  shown->has_priority = lk_engine_priority_parts (engine, job, partition, &parts);
  shown->priority = parts.priority;
  /* As in Slurm a job that has its begin time before it is expected then. */
  if (!shown->has_started && shown->info.start_us == LK_TIME_NEVER && shown->info.begin_us > at_us)
    shown->info.start_us = shown->info.begin_us;
  shown->nodes = 1;
  shown->cpus = shown->info.procs;
  if (request == NULL)
    return;
  lk_request_asked (request, &shown->asked, &procs);
  shown->nodes = nodes_asked (engine, request);
  shown->cpus = cpus_asked (engine, request, &shown->asked);
  shown->nodes = MAX (shown->nodes, nodes_of_cpus (engine, shown->cpus));
  if (shown->has_started)
    note_place (engine, shown, node_list);
}

/* ---------------------------------------------------------------- states */

LkJobState
lk_job_state_shown (guint state, gboolean is_sigstopped)
{
  return state == LK_JOB_RUNNING && is_sigstopped ? LK_JOB_STOPPED : (LkJobState)state;
}

const char *
lk_job_state_short (guint state)
{
  static const char *const names[LK_JOB_STATE_LIMIT] = {
    [LK_JOB_PENDING] = "PD",        [LK_JOB_RUNNING] = "R",    [LK_JOB_SUSPENDED] = "S",
    [LK_JOB_COMPLETING] = "CG",     [LK_JOB_COMPLETED] = "CD", [LK_JOB_CANCELLED] = "CA",
    [LK_JOB_FAILED] = "F",          [LK_JOB_TIMEOUT] = "TO",   [LK_JOB_NODE_FAIL] = "NF",
    [LK_JOB_PREEMPTED] = "PR",      [LK_JOB_BOOT_FAIL] = "BF", [LK_JOB_DEADLINE] = "DL",
    [LK_JOB_OUT_OF_MEMORY] = "OOM", [LK_JOB_REQUEUED] = "RQ",  [LK_JOB_SPECIAL_EXIT] = "SE",
    [LK_JOB_REQUEUE_HOLD] = "RH",   [LK_JOB_STOPPED] = "ST",
  };
  return state < LK_JOB_STATE_LIMIT ? names[state] : "?";
}

/* ---------------------------------------------------------------- times */

gint64
lk_job_ran_before_suspend_us (const LkJobInfo *info)
{
  if (info->suspend_us == LK_TIME_NEVER)
    return 0;
  return MAX (info->suspend_us - info->start_us - info->suspended_us, 0);
}

gint64
lk_job_ran_us (const LkJobInfo *info, gint64 at_us)
{
  if (info->is_suspended)
    return lk_job_ran_before_suspend_us (info);
  return MAX (at_us - info->start_us - info->suspended_us, 0);
}

gint64
lk_job_suspended_us (const LkJobInfo *info, gint64 at_us)
{
  gint64 now_us = info->is_suspended ? MAX (at_us - info->suspend_us, 0) : 0;
  return lk_time_add_us (info->suspended_us, now_us);
}

gint64
lk_job_end_us (const LkJobInfo *info)
{
  if (!info->is_suspended)
    return info->expected_end_us;
  return lk_time_add_us (lk_time_add_us (info->start_us, info->suspended_us), info->estimate_us);
}

/* ---------------------------------------------------------------- reasons */

const char *
lk_reason_text (guint reason)
{
  switch (reason) {
  case LK_REASON_REQ_NODE_NOT_AVAIL:
    return "ReqNodeNotAvail, May be reserved for other job";
  case LK_REASON_NODES_IN_MAINTENANCE:
    return "ReqNodeNotAvail, Reserved for maintenance";
  case LK_REASON_NODES_NOT_LEFT:
    return "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
           "partitions";
  default:
    return lk_reason_name (reason);
  }
}

const char *
lk_reason_word (guint reason)
{
  if (reason == LK_REASON_NODES_IN_MAINTENANCE)
    return lk_reason_name (LK_REASON_REQ_NODE_NOT_AVAIL);
  return lk_reason_name (reason == LK_REASON_NODES_NOT_LEFT ? LK_REASON_RESOURCES : reason);
}

/* ---------------------------------------------------------------- all of them */

static gint
compare_ids (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkJobColumns *jobs = user;
  guint32 id_a = jobs->id[*(const LkJobIndex *)a];
  guint32 id_b = jobs->id[*(const LkJobIndex *)b];
  return (id_a > id_b) - (id_a < id_b);
}

GArray *
lk_jobs_by_id (const LkEngine *engine)
{
  const LkView *view = lk_engine_view (engine);
  GArray *jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE)
      g_array_append_val (jobs, job);
  g_array_sort_with_data (jobs, compare_ids, (gpointer)view->jobs);
  return jobs;
}
