/* sim/cluster_json.c — a machine as JSON.
 *
 * Made from the engine's table of members, so that none is forgotten. */
#include <string.h>

#include "engine/cluster_fields.h"
#include "sim/cluster_show.h"
#include "sim/json_out.h"

/* ---------------------------------------------------------------- members by type */

#define X(type, c_type, ...) static const char *const words_##type[] = { __VA_ARGS__ };
LK_CLUSTER_ENUMS (X)
#undef X

static void
add_u32 (LkJsonOut *out, const char *key, guint32 value)
{
  if (value == LK_COUNT_UNLIMITED)
    lk_json_out_text (out, key, NULL);
  else
    lk_json_out_count (out, key, value);
}

static void
add_i64 (LkJsonOut *out, const char *key, gint64 value)
{
  if (value == LK_TIME_NEVER)
    lk_json_out_text (out, key, NULL);
  else
    lk_json_out_integer (out, key, value);
}

static void
add_names (LkJsonOut *out, const char *key, const GPtrArray *names)
{
  lk_json_out_array_begin (out, key);
  for (guint i = 0; i < names->len; i++)
    lk_json_out_text (out, NULL, g_ptr_array_index (names, i));
  lk_json_out_array_end (out);
}

static void
add_sizes (LkJsonOut *out, const char *key, const GArray *sizes)
{
  lk_json_out_array_begin (out, key);
  for (guint i = 0; i < sizes->len; i++)
    lk_json_out_count (out, NULL, g_array_index (sizes, guint32, i));
  lk_json_out_array_end (out);
}

/* For each device the numbers of its sockets; NULL when nothing is known. */
static void
add_sockets (LkJsonOut *out, const char *key, const LkGresSpec *gres)
{
  if (gres->device_sockets == NULL) {
    lk_json_out_text (out, key, NULL);
    return;
  }
  lk_json_out_array_begin (out, key);
  for (guint32 i = 0; i < gres->count; i++) {
    lk_json_out_array_begin (out, NULL);
    for (guint s = 0; s < 32; s++)
      if ((gres->device_sockets[i] >> s & 1) != 0)
        lk_json_out_count (out, NULL, s);
    lk_json_out_array_end (out);
  }
  lk_json_out_array_end (out);
}

static void
add_links (LkJsonOut *out, const char *key, const LkGresSpec *gres)
{
  if (gres->links == NULL) {
    lk_json_out_text (out, key, NULL);
    return;
  }
  lk_json_out_array_begin (out, key);
  for (guint32 i = 0; i < gres->count; i++) {
    lk_json_out_array_begin (out, NULL);
    for (guint32 j = 0; j < gres->count; j++)
      lk_json_out_count (out, NULL, gres->links[i * gres->count + j]);
    lk_json_out_array_end (out);
  }
  lk_json_out_array_end (out);
}

#define ADD_text(member) lk_json_out_text (out, #member, spec->member);
#define ADD_u32(member) add_u32 (out, #member, spec->member);
#define ADD_i64(member) add_i64 (out, #member, spec->member);
#define ADD_flag(member) lk_json_out_count (out, #member, spec->member ? 1 : 0);
#define ADD_names(member) add_names (out, #member, spec->member);
#define ADD_sizes(member) add_sizes (out, #member, spec->member);
#define ADD_sockets(member) add_sockets (out, #member, spec);
#define ADD_links(member) add_links (out, #member, spec);
#define ADD_topology(member) lk_json_out_text (out, #member, words_topology[spec->member]);
#define ADD_consume(member) lk_json_out_text (out, #member, words_consume[spec->member]);
#define ADD_partition_state(member)                                                                \
  lk_json_out_text (out, #member, words_partition_state[spec->member]);
#define ADD_oversubscribe(member)                                                                  \
  lk_json_out_text (out, #member, words_oversubscribe[spec->member]);
#define ADD_inherit(member) lk_json_out_text (out, #member, words_inherit[spec->member]);
#define ADD_compat(member) lk_json_out_text (out, #member, words_compat[spec->member]);
#define ADD(type, member, help) ADD_##type (member)

/* ---------------------------------------------------------------- parts of a machine */

static void
add_gres (LkJsonOut *out, const LkGresSpec *spec)
{
  lk_json_out_object_begin (out, NULL);
  LK_GRES_SPEC_FIELDS (ADD)
  lk_json_out_object_end (out);
}

static void
add_node (LkJsonOut *out, const LkNodeSpec *spec)
{
  lk_json_out_object_begin (out, NULL);
  LK_NODE_SPEC_FIELDS (ADD)
  lk_json_out_array_begin (out, "gres");
  for (guint i = 0; i < spec->gres->len; i++)
    add_gres (out, g_ptr_array_index (spec->gres, i));
  lk_json_out_array_end (out);
  lk_json_out_object_end (out);
}

static void
add_partition (LkJsonOut *out, const LkPartitionSpec *spec)
{
  lk_json_out_object_begin (out, NULL);
  LK_PARTITION_SPEC_FIELDS (ADD)
  lk_json_out_object_end (out);
}

static void
add_license (LkJsonOut *out, const LkLicenseSpec *spec)
{
  lk_json_out_object_begin (out, NULL);
  LK_LICENSE_SPEC_FIELDS (ADD)
  lk_json_out_object_end (out);
}

static void
add_switch (LkJsonOut *out, const LkSwitchSpec *spec)
{
  lk_json_out_object_begin (out, NULL);
  LK_SWITCH_SPEC_FIELDS (ADD)
  lk_json_out_object_end (out);
}

void
lk_cluster_json (const LkCluster *cluster, GString *text)
{
  LkJsonOut json;
  LkJsonOut *out = &json;
  const LkCluster *spec = cluster;
  lk_json_out_init (out, text);
  lk_json_out_object_begin (out, NULL);
  lk_json_out_count (out, "node_count", lk_cluster_node_count (cluster));
  lk_json_out_count (out, "cpu_count", lk_cluster_cpu_count (cluster));
  lk_json_out_count (out, "gpu_count", lk_cluster_gres_count (cluster, "gpu"));
  LK_CLUSTER_FIELDS (ADD)
  lk_json_out_array_begin (out, "nodes");
  for (guint i = 0; i < cluster->nodes->len; i++)
    add_node (out, g_ptr_array_index (cluster->nodes, i));
  lk_json_out_array_end (out);
  lk_json_out_array_begin (out, "partitions");
  for (guint i = 0; i < cluster->partitions->len; i++)
    add_partition (out, g_ptr_array_index (cluster->partitions, i));
  lk_json_out_array_end (out);
  lk_json_out_array_begin (out, "licenses");
  for (guint i = 0; i < cluster->licenses->len; i++)
    add_license (out, g_ptr_array_index (cluster->licenses, i));
  lk_json_out_array_end (out);
  lk_json_out_array_begin (out, "switches");
  for (guint i = 0; i < cluster->switches->len; i++)
    add_switch (out, g_ptr_array_index (cluster->switches, i));
  lk_json_out_array_end (out);
  lk_json_out_object_end (out);
}
