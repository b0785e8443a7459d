/* engine/cluster.c — descriptions of machines: making, copying, freeing, counting.
 *
 * What to do with each member comes from the table of members. See the header. */
#include "engine/cluster.h"

#include <string.h>

#include "engine/cluster_fields.h"
#include "engine/hostlist.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)

/* ---------------------------------------------------------------- freeing */

/* What to do with a member of each type when its struct goes. */
#define FREE_text(member) g_free (self->member);
#define FREE_u32(member)
#define FREE_i64(member)
#define FREE_flag(member)
#define FREE_names(member) g_ptr_array_unref (self->member);
#define FREE_sizes(member) g_array_unref (self->member);
#define FREE_sockets(member) g_free (self->member);
#define FREE_links(member) g_free (self->member);
#define FREE_topology(member)
#define FREE_consume(member)
#define FREE_partition_state(member)
#define FREE_oversubscribe(member)
#define FREE_inherit(member)
#define FREE_compat(member)
#define FREE_MEMBER(type, member, help) FREE_##type (member)

void
lk_gres_spec_free (LkGresSpec *self)
{
  if (self == NULL)
    return;
  LK_GRES_SPEC_FIELDS (FREE_MEMBER)
  g_free (self);
}

void
lk_node_spec_free (LkNodeSpec *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->gres);
  LK_NODE_SPEC_FIELDS (FREE_MEMBER)
  g_free (self);
}

void
lk_partition_spec_free (LkPartitionSpec *self)
{
  if (self == NULL)
    return;
  LK_PARTITION_SPEC_FIELDS (FREE_MEMBER)
  g_free (self);
}

static void
license_spec_free (LkLicenseSpec *self)
{
  LK_LICENSE_SPEC_FIELDS (FREE_MEMBER)
  g_free (self);
}

static void
switch_spec_free (LkSwitchSpec *self)
{
  LK_SWITCH_SPEC_FIELDS (FREE_MEMBER)
  g_free (self);
}

void
lk_cluster_free (LkCluster *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->partitions);
  g_ptr_array_unref (self->licenses);
  g_ptr_array_unref (self->switches);
  LK_CLUSTER_FIELDS (FREE_MEMBER)
  g_free (self);
}

/* ---------------------------------------------------------------- making */

/* Defaults that are not zero: slurm.conf(5). */
LkCluster *
lk_cluster_new (const char *name)
{
  LkCluster *self = g_new0 (LkCluster, 1);
  self->name = g_strdup (name);
  self->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_node_spec_free);
  self->partitions = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_partition_spec_free);
  self->licenses = g_ptr_array_new_with_free_func ((GDestroyNotify)license_spec_free);
  self->switches = g_ptr_array_new_with_free_func ((GDestroyNotify)switch_spec_free);
  self->block_sizes = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->consume = LK_CONSUME_CORE;
  self->memory = TRUE;
  self->switches_wait_max_us = 300 * SECOND_US;
  self->requeue_delay_us = 121 * SECOND_US;
  self->requeue = TRUE;
  self->requeue_exit = g_strdup ("");
  self->requeue_exit_hold = g_strdup ("");
  self->max_batch_requeue = 5;
  self->hold_prolog_failure = TRUE;
  self->kill_wait_us = 30 * SECOND_US;
  self->array_size_max = 1001;
  self->job_age_min_us = LK_JOB_AGE_MIN_US;
  return self;
}

LkNodeSpec *
lk_cluster_add_nodes (LkCluster *self, const char *names)
{
  LkNodeSpec *spec = g_new0 (LkNodeSpec, 1);
  spec->names = g_strdup (names);
  spec->sockets = 1;
  spec->cores_per_socket = 1;
  spec->threads_per_core = 1;
  spec->cpus = 1;
  spec->memory_bytes = 1024 * 1024;
  spec->weight = 1;
  spec->reason = g_strdup ("");
  spec->features = g_ptr_array_new_with_free_func (g_free);
  spec->gres = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_gres_spec_free);
  g_ptr_array_add (self->nodes, spec);
  return spec;
}

LkPartitionSpec *
lk_cluster_add_partition (LkCluster *self, const char *name)
{
  LkPartitionSpec *spec = g_new0 (LkPartitionSpec, 1);
  spec->name = g_strdup (name);
  spec->nodes = g_strdup ("ALL");
  spec->state = LK_PARTITION_UP;
  spec->time_default_us = LK_TIME_NEVER;
  spec->time_max_us = LK_TIME_NEVER;
  spec->nodes_max = LK_COUNT_UNLIMITED;
  spec->cpus_per_node_max = LK_COUNT_UNLIMITED;
  spec->cpus_per_socket_max = LK_COUNT_UNLIMITED;
  spec->priority_tier = 1;
  spec->priority_job_factor = 1;
  spec->oversubscribe = LK_OVERSUBSCRIBE_NO;
  spec->oversubscribe_jobs = 4;
  spec->least_loaded = LK_SWITCH_INHERIT;
  spec->qos = g_strdup ("");
  spec->preempt_mode = g_strdup ("");
  spec->allow_accounts = g_strdup ("");
  spec->deny_accounts = g_strdup ("");
  spec->allow_groups = g_strdup ("");
  spec->allow_qos = g_strdup ("");
  spec->deny_qos = g_strdup ("");
  spec->tres_billing_weights = g_strdup ("");
  spec->alloc_nodes = g_strdup ("");
  g_ptr_array_add (self->partitions, spec);
  return spec;
}

LkLicenseSpec *
lk_cluster_add_license (LkCluster *self, const char *name, guint32 count)
{
  LkLicenseSpec *spec = g_new0 (LkLicenseSpec, 1);
  spec->name = g_strdup (name);
  spec->count = count;
  g_ptr_array_add (self->licenses, spec);
  return spec;
}

LkSwitchSpec *
lk_cluster_add_switch (LkCluster *self, const char *name, const char *nodes, const char *switches)
{
  LkSwitchSpec *spec = g_new0 (LkSwitchSpec, 1);
  spec->name = g_strdup (name);
  spec->nodes = g_strdup (nodes ? nodes : "");
  spec->switches = g_strdup (switches ? switches : "");
  g_ptr_array_add (self->switches, spec);
  return spec;
}

LkGresSpec *
lk_node_spec_add_gres (LkNodeSpec *self, const char *name, const char *type, guint32 count)
{
  LkGresSpec *spec = g_new0 (LkGresSpec, 1);
  spec->name = g_strdup (name);
  spec->type = g_strdup (type ? type : "");
  spec->count = count;
  g_ptr_array_add (self->gres, spec);
  return spec;
}

void
lk_node_spec_add_feature (LkNodeSpec *self, const char *feature)
{
  g_ptr_array_add (self->features, g_strdup (feature));
}

/* ---------------------------------------------------------------- copying */

static gpointer
bytes_copy (gconstpointer source, gsize bytes)
{
  if (source == NULL)
    return NULL;
  gpointer copy = g_malloc (bytes);
  if (bytes > 0)
    memcpy (copy, source, bytes);
  return copy;
}

static GPtrArray *
names_copy (const GPtrArray *source)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < source->len; i++)
    g_ptr_array_add (copy, g_strdup (g_ptr_array_index (source, i)));
  return copy;
}

/* Of a member, when its struct has been copied as bytes. */
#define COPY_text(member) copy->member = g_strdup (self->member);
#define COPY_u32(member)
#define COPY_i64(member)
#define COPY_flag(member)
#define COPY_names(member) copy->member = names_copy (self->member);
#define COPY_sockets(member)                                                                       \
  copy->member = bytes_copy (self->member, self->count * sizeof *self->member);
#define COPY_links(member)                                                                         \
  copy->member = bytes_copy (self->member, (gsize)self->count * self->count * sizeof *self->member);
#define COPY_partition_state(member)
#define COPY_oversubscribe(member)
#define COPY_inherit(member)
#define COPY_MEMBER(type, member, help) COPY_##type (member)

static LkGresSpec *
gres_spec_copy (const LkGresSpec *self)
{
  LkGresSpec *copy = g_new (LkGresSpec, 1);
  *copy = *self;
  LK_GRES_SPEC_FIELDS (COPY_MEMBER)
  return copy;
}

LkNodeSpec *
lk_node_spec_copy (const LkNodeSpec *self)
{
  LkNodeSpec *copy = g_new (LkNodeSpec, 1);
  *copy = *self;
  LK_NODE_SPEC_FIELDS (COPY_MEMBER)
  copy->gres = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_gres_spec_free);
  for (guint i = 0; i < self->gres->len; i++)
    g_ptr_array_add (copy->gres, gres_spec_copy (g_ptr_array_index (self->gres, i)));
  return copy;
}

LkPartitionSpec *
lk_partition_spec_copy (const LkPartitionSpec *self)
{
  LkPartitionSpec *copy = g_new (LkPartitionSpec, 1);
  *copy = *self;
  LK_PARTITION_SPEC_FIELDS (COPY_MEMBER)
  return copy;
}

/* ---------------------------------------------------------------- counting */

static guint32
names_count (const LkNodeSpec *spec)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
  return names->len;
}

guint32
lk_cluster_node_count (const LkCluster *self)
{
  guint32 count = 0;
  for (guint i = 0; i < self->nodes->len; i++)
    count += names_count (g_ptr_array_index (self->nodes, i));
  return count;
}

guint64
lk_cluster_cpu_count (const LkCluster *self)
{
  guint64 count = 0;
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->nodes, i);
    count += (guint64)names_count (spec) * spec->cpus;
  }
  return count;
}

static guint64
node_gres_count (const LkNodeSpec *spec, const char *gres_name)
{
  guint64 count = 0;
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, gres_name) == 0)
      count += gres->count;
  }
  return count;
}

guint64
lk_cluster_gres_count (const LkCluster *self, const char *gres_name)
{
  guint64 count = 0;
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->nodes, i);
    guint64 per_node_count = node_gres_count (spec, gres_name);
    if (per_node_count > 0)
      count += names_count (spec) * per_node_count;
  }
  return count;
}
