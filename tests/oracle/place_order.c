/* tests/oracle/place_order.c — see place_order.h. */
#include "tests/oracle/place_order.h"

#include <string.h>

/* ---------------------------------------------------------------- sched/builtin */

static void *
fifo_create (const LkParamValues *values, LkPolicyError *error)
{
  (void)values;
  (void)error;
  return g_array_new (FALSE, FALSE, sizeof (guint32));
}

static void
fifo_destroy (void *user)
{
  if (user != NULL)
    g_array_unref (user);
}

static gboolean
is_held_back (const GArray *partitions, guint32 partition)
{
  for (guint i = 0; i < partitions->len; i++)
    if (g_array_index (partitions, guint32, i) == partition)
      return TRUE;
  return FALSE;
}

static void
fifo_pass (void *user, const LkView *view, const LkPassOps *ops, void *pass)
{
  GArray *held_back = user;
  g_array_set_size (held_back, 0);
  LkJobIndex job = ops->queue_first (pass, LK_QUEUE_PRIORITY);
  while (job != LK_JOB_NONE) {
    LkJobIndex next = ops->queue_next (pass, LK_QUEUE_PRIORITY, job, NULL);
    guint32 partition = view->jobs->partition_id[job];
    if (!is_held_back (held_back, partition)) {
      if (ops->can_start (pass, job))
        ops->start (pass, job);
      else
        g_array_append_val (held_back, partition);
    }
    job = next;
  }
}

static const LkParam fifo_params[] = { { 0 } };

static const LkBackfillPolicy fifo_by_partition = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
            .name = LK_PLACE_FIFO,
            .summary = "a job that waits holds back its partition",
            .params = fifo_params,
            .create = fifo_create,
            .destroy = fifo_destroy },
  .pass = fifo_pass,
};

void
lk_place_order_add (LkRegistry *registry)
{
  g_autoptr (GError) error = NULL;
  lk_registry_add (registry, &fifo_by_partition.base, "test", "test", &error);
  g_assert_no_error (error);
}

/* ---------------------------------------------------------------- partitions */

static gboolean
goes_before (const LkPartitionSpec *a, const LkPartitionSpec *b)
{
  if (a->priority_tier != b->priority_tier)
    return a->priority_tier > b->priority_tier;
  return a->priority_job_factor > b->priority_job_factor;
}

void
lk_place_order_partition (const LkCluster *cluster, LkText name, guint32 *out_partition,
                          guint32 *out_rank)
{
  const LkPartitionSpec *found = g_ptr_array_index (cluster->partitions, 0);
  gsize length = 0;
  while (length < name.length_bytes && name.bytes[length] != ',')
    length++;
  *out_partition = 0;
  *out_rank = 0;
  for (guint i = 0; i < cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (cluster->partitions, i);
    gboolean is_named =
        strlen (spec->name) == length && strncmp (spec->name, name.bytes, length) == 0;
    if (length > 0 ? !is_named : !spec->is_default)
      continue;
    found = spec;
    *out_partition = i;
  }
  for (guint i = 0; i < cluster->partitions->len; i++)
    *out_rank += goes_before (g_ptr_array_index (cluster->partitions, i), found) ? 1 : 0;
}
