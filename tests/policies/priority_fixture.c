/* tests/policies/priority_fixture.c — see priority_fixture.h. */
#include "tests/policies/priority_fixture.h"

#include "engine/real.h"
#include "policies/orders.h"

static const char *const tres_names[PRIORITY_TRES] = {
  "cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/gpu", "license/x",
};

/* ---------------------------------------------------------------- the host */

static int32_t
job_demand (const LkView *view, LkJobIndex job, LkDemand *out_demand)
{
  const PriorityFixture *self = view->engine;
  if (view->cluster == NULL)
    return 0;
  out_demand->nodes_min = MAX (self->jobs[job].nodes, 1);
  return 1;
}

static void
job_tres (const LkView *view, LkJobIndex job, uint64_t *out_tres)
{
  const PriorityFixture *self = view->engine;
  memcpy (out_tres, self->jobs[job].tres, sizeof self->jobs[job].tres);
}

static LkJobIndex
job_by_id (const LkView *view, uint32_t id)
{
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->id[job] == id)
      return job;
  return LK_JOB_NONE;
}

static const LkHost host = {
  .size = sizeof (LkHost),
  .abi = LK_POLICY_ABI,
  .log2 = lk_real_log2,
  .log10 = lk_real_log10,
  .exp2 = lk_real_exp2,
  .job_by_id = job_by_id,
  .job_demand = job_demand,
  .job_tres = job_tres,
};

/* ---------------------------------------------------------------- building */

static void
point_columns (PriorityFixture *self)
{
  self->columns = (LkJobColumns){ .id = self->id,
                                  .user_id = self->user_id,
                                  .procs = self->procs,
                                  .units = self->procs,
                                  .submit_us = self->submit_us,
                                  .estimate_us = self->estimate_us,
                                  .phase = self->phase,
                                  .association = self->association,
                                  .qos = self->job_qos,
                                  .partition = self->partition,
                                  .nice = self->nice,
                                  .site_factor = self->site,
                                  .direct_priority = self->direct,
                                  .accrue_us = self->accrue_us };
}

PriorityFixture *
priority_fixture_new (guint32 nodes, guint32 cpus)
{
  PriorityFixture *self = g_new0 (PriorityFixture, 1);
  point_columns (self);
  self->cluster = (LkClusterView){ .size = sizeof self->cluster, .node_count = nodes };
  self->accounts = (LkAccountsView){ .size = sizeof self->accounts,
                                     .tres_count = PRIORITY_TRES,
                                     .associations = self->associations,
                                     .qos = self->qos,
                                     .association_count = 1,
                                     .tres_names = tres_names };
  self->associations[0] = (LkAssociationView){ .parent = LK_INDEX_NONE,
                                               .first_child = LK_INDEX_NONE,
                                               .next_sibling = LK_INDEX_NONE,
                                               .user = LK_INDEX_NONE,
                                               .shares = 1 };
  self->view = (LkView){ .size = sizeof self->view,
                         .units_total = nodes * cpus,
                         .jobs = &self->columns,
                         .host = &host,
                         .engine = self,
                         .cluster = &self->cluster,
                         .accounts = &self->accounts,
                         .partitions = self->partitions,
                         .active_node_count = nodes };
  priority_fixture_qos (self, 0);
  priority_fixture_partition (self, 1, 1);
  return self;
}

void
priority_fixture_free (PriorityFixture *self)
{
  g_free (self);
}

static guint32
add_association (PriorityFixture *self, guint32 parent, guint32 shares)
{
  guint32 index = self->accounts.association_count++;
  g_assert_cmpuint (index, <, PRIORITY_ASSOCIATIONS_MAX);
  self->associations[index] = (LkAssociationView){ .parent = parent,
                                                   .first_child = LK_INDEX_NONE,
                                                   .next_sibling = LK_INDEX_NONE,
                                                   .user = LK_INDEX_NONE,
                                                   .shares = shares };
  guint32 *link = &self->associations[parent].first_child;
  while (*link != LK_INDEX_NONE)
    link = &self->associations[*link].next_sibling;
  *link = index;
  return index;
}

guint32
priority_fixture_account (PriorityFixture *self, guint32 parent, guint32 shares)
{
  return add_association (self, parent, shares);
}

guint32
priority_fixture_user (PriorityFixture *self, guint32 parent, guint32 shares, double usage)
{
  guint32 index = add_association (self, parent, shares);
  self->associations[index].is_user = 1;
  self->associations[index].user = index;
  priority_fixture_use (self, index, usage);
  return index;
}

void
priority_fixture_use (PriorityFixture *self, guint32 index, double usage)
{
  for (; index != LK_INDEX_NONE; index = self->associations[index].parent)
    self->associations[index].use.usage += usage;
}

guint32
priority_fixture_qos (PriorityFixture *self, guint32 priority)
{
  g_assert_cmpuint (self->accounts.qos_count, <, G_N_ELEMENTS (self->qos));
  self->qos[self->accounts.qos_count].priority = priority;
  return self->accounts.qos_count++;
}

guint32
priority_fixture_partition (PriorityFixture *self, guint32 tier, guint32 factor)
{
  g_assert_cmpuint (self->view.partition_count, <, G_N_ELEMENTS (self->partitions));
  self->partitions[self->view.partition_count] =
      (LkPartitionView){ .priority_tier = tier,
                         .priority_job_factor = factor,
                         .qos = LK_INDEX_NONE,
                         .time_max_us = LK_TIME_NEVER,
                         .tres_total = self->tres_total };
  return self->view.partition_count++;
}

LkJobIndex
priority_fixture_job (PriorityFixture *self, const PriorityJob *job)
{
  LkJobIndex index = self->view.job_index_limit++;
  g_assert_cmpuint (index, <, PRIORITY_JOBS_MAX);
  self->jobs[index] = *job;
  self->id[index] = job->id != 0 ? job->id : index == 0 ? 1 : self->id[index - 1] + 1;
  self->procs[index] = job->procs;
  self->submit_us[index] = self->accrue_us[index] = job->submit_s * G_USEC_PER_SEC;
  self->estimate_us[index] =
      job->limit_min != 0 ? job->limit_min * 60 * G_USEC_PER_SEC : LK_TIME_NEVER;
  self->phase[index] = LK_PHASE_QUEUED;
  self->association[index] = job->association;
  self->job_qos[index] = job->qos;
  self->partition[index] = job->partition;
  self->nice[index] = job->nice;
  self->site[index] = job->site;
  self->direct[index] = job->direct;
  return index;
}

/* ---------------------------------------------------------------- instances */

static void
set_value (LkParamValue *value, const LkParam *param, const char *text)
{
  if (param->type == LK_PARAM_TEXT)
    value->text = text;
  else
    value->integer = g_ascii_strtoll (text, NULL, 10);
}

static void
set_named (LkParamValue *values, const char *name, const char *text)
{
  const LkParam *params = lk_order_multifactor.base.params;
  for (guint i = 0; params[i].name != NULL; i++)
    if (g_str_equal (params[i].name, name)) {
      set_value (&values[i], &params[i], text);
      return;
    }
  g_error ("no parameter '%s'", name);
}

static guint
set_defaults (LkParamValue *values)
{
  const LkParam *params = lk_order_multifactor.base.params;
  guint count = 0;
  for (; params[count].name != NULL; count++)
    set_value (&values[count], &params[count], params[count].default_value);
  return count;
}

static void *
create (const LkParamValue *values, guint count, LkPolicyError *error)
{
  LkParamValues all = { .size = sizeof all, .count = count, .values = values, .host = &host };
  return lk_order_multifactor.base.create (&all, error);
}

void *
priority_new (const char *name, ...)
{
  LkParamValue values[32];
  LkPolicyError error = { "" };
  guint count = set_defaults (values);
  va_list arguments;
  va_start (arguments, name);
  for (; name != NULL; name = va_arg (arguments, const char *))
    set_named (values, name, va_arg (arguments, const char *));
  va_end (arguments);
  void *instance = create (values, count, &error);
  if (instance == NULL)
    g_error ("%s", error.text);
  return instance;
}

void *
priority_try_new (LkPolicyError *error, const char *name, const char *value)
{
  LkParamValue values[32];
  guint count = set_defaults (values);
  set_named (values, name, value);
  return create (values, count, error);
}

void
priority_fixture_cycle (const PriorityFixture *self, void *instance)
{
  const LkOrderPolicy *policy = &lk_order_multifactor;
  policy->cycle_begin (instance, &self->view);
  for (LkJobIndex job = 0; job < self->view.job_index_limit; job++)
    if (self->phase[job] != LK_PHASE_FREE)
      policy->cycle_job (instance, &self->view, job);
  policy->cycle_end (instance, &self->view);
  for (LkJobIndex job = 0; job < self->view.job_index_limit; job++)
    if (self->phase[job] == LK_PHASE_QUEUED)
      policy->key (instance, &self->view, job);
}

guint32
priority_fixture_priority (const PriorityFixture *self, void *instance, LkJobIndex job)
{
  LkPriorityParts parts = { .size = sizeof parts };
  g_assert_cmpint (lk_order_multifactor.explain (instance, &self->view, job, LK_INDEX_NONE, &parts),
                   ==, 1);
  return parts.priority;
}

LkShareParts
priority_fixture_share (const PriorityFixture *self, void *instance, guint32 index)
{
  LkShareParts parts = { .size = sizeof parts };
  g_assert_cmpint (lk_order_multifactor.explain_share (instance, &self->view, index, &parts), ==,
                   1);
  return parts;
}

double
priority_fixture_fairshare (const PriorityFixture *self, void *instance, guint32 index)
{
  return priority_fixture_share (self, instance, index).fairshare;
}

static void
put (void *sink, const void *bytes, uint32_t byte_count)
{
  g_byte_array_append (sink, bytes, byte_count);
}

GByteArray *
priority_fixture_save (const PriorityFixture *self, const LkOrderPolicy *policy, void *instance)
{
  GByteArray *bytes = g_byte_array_new ();
  policy->base.save (instance, &self->view, put, bytes);
  return bytes;
}
