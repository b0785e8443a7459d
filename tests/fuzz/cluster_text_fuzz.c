/* tests/fuzz/cluster_text_fuzz.c — any bytes as the canonical text of a machine.
 *
 * A text that is read must be written again byte by byte; the machine must pass its check once
 * more without a change, and its parts survive being copied.  What is refused has a text of one
 * line and no place in memory that is gone. */
#include <string.h>

#include "engine/assert.h"
#include "engine/cluster.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
error_check (const LkClusterError *error)
{
  LK_ASSERT (error->spec == NULL);
  LK_ASSERT (error->member != NULL);
  LK_ASSERT (error->text[0] != '\0');
  LK_ASSERT (memchr (error->text, '\0', sizeof error->text) != NULL);
  LK_ASSERT (g_utf8_validate (error->text, -1, NULL));
  LK_ASSERT (strchr (error->text, '\n') == NULL);
}

static void
text_check (const LkCluster *cluster, const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (cluster, text);
  LK_ASSERT (text->len == length_bytes);
  LK_ASSERT (memcmp (text->str, bytes, length_bytes) == 0);
}

/* Puts copies in place of all groups and partitions. */
static void
copies_take (LkCluster *cluster)
{
  guint node_spec_count = cluster->nodes->len;
  guint partition_count = cluster->partitions->len;
  for (guint i = 0; i < node_spec_count; i++)
    g_ptr_array_add (cluster->nodes, lk_node_spec_copy (g_ptr_array_index (cluster->nodes, i)));
  for (guint i = 0; i < partition_count; i++)
    g_ptr_array_add (cluster->partitions,
                     lk_partition_spec_copy (g_ptr_array_index (cluster->partitions, i)));
  g_ptr_array_remove_range (cluster->nodes, 0, node_spec_count);
  g_ptr_array_remove_range (cluster->partitions, 0, partition_count);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  LkClusterError error = { NULL, NULL, "" };
  g_autoptr (LkCluster) cluster = lk_cluster_from_text ((const char *)bytes, length_bytes, &error);
  if (cluster == NULL) {
    error_check (&error);
    return 0;
  }
  text_check (cluster, bytes, length_bytes);
  LK_ASSERT (lk_cluster_node_count (cluster) <= LK_LIMIT_NODES);
  LK_ASSERT (lk_cluster_cpu_count (cluster) >= lk_cluster_node_count (cluster));
  LK_ASSERT (lk_cluster_check (cluster, NULL));
  copies_take (cluster);
  text_check (cluster, bytes, length_bytes);
  return 0;
}
