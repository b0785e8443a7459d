/* engine/engine_host.c — the services that policies get of the engine: sums, numbers of jobs and
 * of what they ask for, accounts, preemption. */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_array.h"
#include "engine/engine_private.h"
#include "engine/plan.h"
#include "engine/real.h"

static double
host_user_usage (const LkView *view, uint32_t user_id)
{
  return lk_engine_user_usage (view->engine, user_id);
}

static LkJobIndex
host_job_by_id (const LkView *view, uint32_t id)
{
  const LkEngine *engine = view->engine;
  return lk_id_map_find (&engine->jobs.index_by_id, id);
}

static int32_t
host_job_demand (const LkView *view, LkJobIndex job, LkDemand *out_demand)
{
  const LkEngine *engine = view->engine;
  if (engine->machine == NULL || engine->jobs.request[job] == LK_JOB_NONE)
    return 0;
  *out_demand = lk_machine_request (engine->machine, engine->jobs.request[job])->demand;
  return 1;
}

static void
host_job_tres (const LkView *view, LkJobIndex job, uint64_t *out_tres)
{
  const LkEngine *engine = view->engine;
  const LkBook *book = engine->book;
  guint32 request = engine->jobs.request[job];
  if (engine->machine != NULL && request != LK_JOB_NONE && lk_engine_is_pending (engine, job))
    lk_book_tres_requested (book, engine->machine, lk_machine_request (engine->machine, request),
                            out_tres);
  else
    memcpy (out_tres, lk_book_job_tres (book, job), book->tres_count * sizeof *out_tres);
}

static const LkUse *
use_in_qos (const LkView *view, guint32 which, uint32_t qos, uint32_t id)
{
  const LkEngine *engine = view->engine;
  guint32 holder = lk_book_find_in_qos (engine->book, which, qos, id);
  return holder != LK_INDEX_NONE ? lk_book_holder (engine->book, holder)->use : NULL;
}

static const LkUse *
host_qos_user_use (const LkView *view, uint32_t qos, uint32_t user)
{
  return use_in_qos (view, LK_IN_QOS_USER, qos, user);
}

static const LkUse *
host_qos_account_use (const LkView *view, uint32_t qos, uint32_t account)
{
  return use_in_qos (view, LK_IN_QOS_ACCOUNT, qos, account);
}

static void
host_qos_preempt (const LkView *view, uint32_t qos, LkPreemptTerms *out_terms)
{
  const LkEngine *engine = view->engine;
  LK_ASSERT (qos < engine->preemption->qos_count);
  *out_terms = engine->preemption->qos[qos];
}

static void
host_partition_preempt (const LkView *view, uint32_t partition, LkPreemptTerms *out_terms)
{
  const LkEngine *engine = view->engine;
  LK_ASSERT (partition < engine->preemption->partition_count);
  *out_terms = engine->preemption->partitions[partition];
}

static int32_t
host_qos_preempts (const LkView *view, uint32_t qos, uint32_t other)
{
  const LkEngine *engine = view->engine;
  const LkPreemption *preemption = engine->preemption;
  LK_ASSERT (qos < preemption->qos_count);
  LK_ASSERT (other < preemption->qos_count);
  return lk_bits_has (preemption->preempts + (gsize)qos * preemption->qos_words, other);
}

static int32_t
host_partitions_meet (const LkView *view, uint32_t partition, uint32_t other)
{
  const LkEngine *engine = view->engine;
  const LkPreemption *preemption = engine->preemption;
  LK_ASSERT (partition < preemption->partition_count);
  LK_ASSERT (other < preemption->partition_count);
  return lk_bits_has (preemption->meets + (gsize)partition * preemption->partition_words, other);
}

static int64_t
host_priority (const LkView *view, LkJobIndex job)
{
  const LkEngine *engine = view->engine;
  LkPriorityParts parts = { .size = sizeof parts };
  const LkOrderPolicy *order = engine->config.order;
  if (order->priority != NULL)
    return order->priority (engine->instances[LK_INSTANCE_ORDER].self, view, job);
  if (lk_engine_priority_parts (engine, job, LK_INDEX_NONE, &parts))
    return parts.priority;
  return ~engine->jobs.rank_key[job];
}

static const LkHost host = {
  .size = sizeof (LkHost),
  .abi = LK_POLICY_ABI,
  .log2 = lk_real_log2,
  .log10 = lk_real_log10,
  .exp2 = lk_real_exp2,
  .user_usage = host_user_usage,
  .job_by_id = host_job_by_id,
  .plan = &lk_plan_ops,
  .job_demand = host_job_demand,
  .job_tres = host_job_tres,
  .qos_user_use = host_qos_user_use,
  .qos_account_use = host_qos_account_use,
  .job_tasks = lk_host_job_tasks,
  .qos_preempt = host_qos_preempt,
  .partition_preempt = host_partition_preempt,
  .qos_preempts = host_qos_preempts,
  .partitions_meet = host_partitions_meet,
  .priority = host_priority,
  .job_tasks_allowed = lk_host_job_tasks_allowed,
};

const LkHost *
lk_host (void)
{
  return &host;
}
