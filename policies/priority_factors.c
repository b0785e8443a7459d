/* policies/priority_factors.c — see priority_factors.h. */
#include "policies/priority_factors.h"

#define MINUTE_US 60000000.0
#define LIMIT_NONE_MIN 4294967295.0 /* Slurm's INFINITE, with which it calculates */

const LkPartitionView *
lk_priority_partition (const LkView *view, uint32_t partition)
{
  if (view->partitions == NULL || partition >= view->partition_count)
    return NULL;
  return &view->partitions[partition];
}

uint32_t
lk_priority_partition_of (const LkView *view, LkJobIndex job)
{
  return view->jobs->partition != NULL ? view->jobs->partition[job] : 0;
}

uint32_t
lk_priority_tier_of (const LkView *view, LkJobIndex job)
{
  const LkPartitionView *partition =
      lk_priority_partition (view, lk_priority_partition_of (view, job));
  return partition != NULL ? partition->priority_tier : 1;
}

double
lk_priority_age (int64_t now_us, int64_t accrue_us, int64_t max_age_us)
{
  int64_t age_us;
  if (accrue_us >= now_us)
    return 0.0;
  if (__builtin_sub_overflow (now_us, accrue_us, &age_us) || age_us >= max_age_us)
    return 1.0;
  return (double)age_us / (double)max_age_us;
}

double
lk_priority_relative (uint32_t value, uint32_t maximum)
{
  return maximum != 0 ? (double)value / (double)maximum : 0.0;
}

/* ---------------------------------------------------------------- size */

static double
limit_min (const LkView *view, LkJobIndex job, const LkPartitionView *partition)
{
  int64_t limit_us = view->jobs->estimate_us[job];
  if (limit_us == LK_TIME_NEVER && partition != NULL)
    limit_us = partition->time_max_us;
  return limit_us == LK_TIME_NEVER ? LIMIT_NONE_MIN : (double)limit_us / MINUTE_US;
}

/* Slurm 22.05 counts nodes that are not there now too. */
static double
nodes_all (const LkView *view)
{
  if (view->accounts == NULL || view->accounts->compat != LK_COMPAT_SLURM_22_05)
    return (double)view->active_node_count;
  return (double)(view->cluster != NULL ? view->cluster->node_count : view->units_total);
}

LkJobSize
lk_priority_job_size (const LkView *view, LkJobIndex job, const LkPartitionView *partition)
{
  double procs = (double)view->jobs->procs[job];
  LkJobSize size = { .nodes = procs,
                     .procs = procs,
                     .limit_min = limit_min (view, job, partition),
                     .nodes_all = nodes_all (view),
                     .procs_all = (double)view->units_total };
  LkDemand demand = { .size = sizeof demand };
  if (view->cluster != NULL && view->host->job_demand (view, job, &demand))
    size.nodes = (double)demand.nodes_min;
  return size;
}

static double
size_relative_to_time (const LkJobSize *size, uint32_t flags)
{
  double procs = size->nodes * size->procs_all / size->nodes_all;
  if (procs < size->procs)
    procs = size->procs;
  /* Slurm's time limits are at least a minute. */
  double factor = procs / (size->limit_min > 1.0 ? size->limit_min : 1.0) / size->procs_all;
  return (flags & LK_JOB_SIZE_FAVOR_SMALL) != 0 ? 1.0 - factor : factor;
}

static double
size_favored_small (const LkJobSize *size)
{
  double nodes =
      size->nodes < size->nodes_all ? (size->nodes_all - size->nodes) / size->nodes_all : 0.0;
  if (size->procs <= 0.0)
    return nodes;
  return (nodes + (size->procs_all - size->procs) / size->procs_all) / 2.0;
}

static double
size_favored_large (const LkJobSize *size)
{
  double nodes = size->nodes / size->nodes_all;
  return size->procs > 0.0 ? (nodes + size->procs / size->procs_all) / 2.0 : nodes;
}

double
lk_priority_size (const LkJobSize *size, uint32_t flags)
{
  double factor;
  if (size->nodes_all <= 0.0 || size->procs_all <= 0.0)
    return 0.0;
  if ((flags & LK_JOB_SIZE_RELATIVE_TO_TIME) != 0)
    factor = size_relative_to_time (size, flags);
  else if ((flags & LK_JOB_SIZE_FAVOR_SMALL) != 0)
    factor = size_favored_small (size);
  else
    factor = size_favored_large (size);
  if (factor < 0.0)
    return 0.0;
  return factor > 1.0 ? 1.0 : factor;
}
