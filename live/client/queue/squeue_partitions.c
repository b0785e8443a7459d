/* live/client/queue/squeue_partitions.c — see the header. */
#include "live/client/queue/squeue_partitions.h"

#include <string.h>

#include "engine/cluster.h"
#include "live/client/job_row.h"
#include "live/client/words.h"

static void
take_cluster (gpointer user, const LkRecord *record)
{
  const LkRecord_cluster *cluster = &record->cluster;
  g_string_append_len (user, (const char *)cluster->canonical.bytes,
                       cluster->canonical.length_bytes);
}

/* Returns: (transfer full); NULL: told. */
static LkCluster *
cluster_read (const LkClient *client)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  LkClusterError fault;
  if (!lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_CLUSTER }, take_cluster, text,
                        &error)) {
    lk_client_error (client, "%s", error->message);
    return NULL;
  }
  LkCluster *cluster = lk_cluster_from_text (text->str, text->len, &fault);
  if (cluster == NULL)
    lk_client_error (client, "the controller's machine has changed meanwhile; try again");
  return cluster;
}

/* 0: it is gone meanwhile. */
static guint32
tier_of (const LkCluster *cluster, const char *name)
{
  for (guint i = 0; i < cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (cluster->partitions, i);
    if (strcmp (spec->name, name) == 0)
      return spec->priority_tier;
  }
  return 0;
}

static void
row_split (const LkJobRow *row, const LkCluster *cluster, const char *wanted, GPtrArray *out)
{
  const LkLongText all = row->job.partitions;
  for (guint32 begin = 0; begin < all.length_bytes;) {
    guint32 end = begin;
    while (end < all.length_bytes && all.bytes[end] != ',')
      end++;
    g_autofree char *name = g_strndup (all.bytes + begin, end - begin);
    if (wanted == NULL || lk_word_is_listed (wanted, name)) {
      LkJobRow *copy = lk_job_row_copy (row);
      copy->job.partitions.bytes += begin;
      copy->job.partitions.length_bytes = end - begin;
      copy->partition_tier = tier_of (cluster, name);
      g_ptr_array_add (out, copy);
    }
    begin = end + 1;
  }
}

gboolean
lk_squeue_by_partition (const LkClient *client, const char *wanted, GPtrArray **inout_rows)
{
  LkCluster *cluster = cluster_read (client);
  if (cluster == NULL)
    return FALSE;
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < (*inout_rows)->len; i++)
    row_split (g_ptr_array_index (*inout_rows, i), cluster, wanted, out);
  g_ptr_array_unref (*inout_rows);
  *inout_rows = out;
  lk_cluster_free (cluster);
  return TRUE;
}
