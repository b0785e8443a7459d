/* live/client/json/own_machine.c — see the header. */
#include "live/client/json/own_machine.h"

#include "live/client/json/put.h"
#include "live/client/json/shapes.h"

#define TEXT(text) lk_put_bytes (out, (text).bytes, (text).length_bytes)
#define TEXT_OR_NULL(text) lk_put_bytes_or_null (out, (text).bytes, (text).length_bytes)
#define LIST(text) lk_put_list (out, (text).bytes, (text).length_bytes, ',')
#define STRING_OR_NULL(text) lk_put_bytes_or_null (out, text, strlen (text))
#define COUNT(value) lk_put_count (out, value)
#define COUNT_IF(is_there, value) lk_put_count_or_null (out, is_there, value)

/* ---------------------------------------------------------------- nodes */

static void
put_state (GString *out, const LkNodeRow *row)
{
  g_autoptr (GString) word = g_string_new (NULL);
  lk_node_row_state (row, FALSE, word);
  lk_put_bytes (out, word->str, strcspn (word->str, "*-"));
}

static void
put_load (GString *out, const LkRecord_node *node)
{
  if (node->free_memory_bytes == 0)
    g_string_append (out, "null");
  else
    lk_put_real (out, node->load_hundredths / 100.0);
}

static void
put_setter (GString *out, const LkNodeRow *row)
{
  if (row->node.reason_us == 0)
    g_string_append (out, "null");
  else
    lk_json_node_setter (out, row);
}

#define NODE_MEMBERS(X)                                                                            \
  X (name, TEXT (node->name))                                                                      \
  X (state, put_state (out, row))                                                                  \
  X (states, lk_json_node_states (out, row))                                                       \
  X (is_responding, lk_put_flag (out, node->is_responding != 0))                                   \
  X (is_planned, lk_put_flag (out, node->is_planned != 0))                                         \
  X (is_reserved, lk_put_flag (out, node->is_reserved != 0))                                       \
  X (reason, TEXT_OR_NULL (node->reason))                                                          \
  X (reason_user, put_setter (out, row))                                                           \
  X (reason_us, COUNT_IF (node->reason_us != 0, node->reason_us))                                  \
  X (partitions, LIST (node->partitions))                                                          \
  X (features, LIST (node->features))                                                              \
  X (architecture, TEXT_OR_NULL (node->architecture))                                              \
  X (socket_count, COUNT (node->sockets))                                                          \
  X (core_count, COUNT ((gint64)node->sockets * node->cores_per_socket))                           \
  X (cpu_count, COUNT (node->cpus))                                                                \
  X (cpu_usable_count, COUNT (node->cpus_usable))                                                  \
  X (cpu_allocated_count, COUNT (node->cpus_allocated))                                            \
  X (load, put_load (out, node))                                                                   \
  X (memory_bytes, COUNT (node->memory_bytes))                                                     \
  X (memory_allocated_bytes, COUNT (node->memory_allocated_bytes))                                 \
  X (memory_free_bytes, COUNT_IF (node->free_memory_bytes != 0, (gint64)node->free_memory_bytes))  \
  X (tmp_bytes, COUNT (node->tmp_bytes))                                                           \
  X (gres, TEXT_OR_NULL (node->gres))                                                              \
  X (gres_used, TEXT_OR_NULL (node->gres_used))                                                    \
  X (weight, COUNT (node->weight))                                                                 \
  X (job_count, COUNT (node->job_count))

#define X(name, what)                                                                              \
  static void node_##name (GString *out, gconstpointer report, gconstpointer given)                \
  {                                                                                                \
    const LkNodeRow *row = given;                                                                  \
    const LkRecord_node *node = &row->node;                                                        \
    (void)report;                                                                                  \
    (void)node;                                                                                    \
    what;                                                                                          \
  }
NODE_MEMBERS (X)
#undef X

#define X(name, what) { #name, node_##name },
static const LkShapeMember node_members[] = { NODE_MEMBERS (X){ NULL, NULL } };
#undef X

const LkJsonKind lk_json_own_nodes = { "nodes", lk_shape_own_node, node_members };

/* ---------------------------------------------------------------- partitions */

static void
put_names (GString *out, const char *list)
{
  gboolean is_all = g_ascii_strcasecmp (list, "ALL") == 0;
  lk_put_list (out, list, is_all ? 0 : strlen (list), ',');
}

static void
put_sharing (GString *out, const LkPartitionSpec *spec)
{
  static const char *const words[] = { "no", "exclusive", "yes", "force" };
  lk_put_string (out, words[spec->oversubscribe]);
}

#define SECONDS_IF(limit_us) COUNT_IF ((limit_us) != G_MAXINT64, (limit_us) / G_USEC_PER_SEC)
#define MOST(count) COUNT_IF ((count) != LK_COUNT_UNLIMITED, count)

#define PARTITION_MEMBERS(X)                                                                       \
  X (name, lk_put_string (out, spec->name))                                                        \
  X (state, lk_put_string (out, lk_json_partition_state (row)))                                    \
  X (is_default, lk_put_flag (out, spec->is_default))                                              \
  X (node_list, TEXT (told->node_names))                                                           \
  X (node_count, COUNT (told->node_count))                                                         \
  X (cpu_count, COUNT ((gint64)told->cpu_count))                                                   \
  X (priority_tier, COUNT (spec->priority_tier))                                                   \
  X (priority_job_factor, COUNT (spec->priority_job_factor))                                       \
  X (time_default_s, SECONDS_IF (spec->time_default_us))                                           \
  X (time_max_s, SECONDS_IF (spec->time_max_us))                                                   \
  X (nodes_min, COUNT (spec->nodes_min))                                                           \
  X (nodes_max, MOST (spec->nodes_max))                                                            \
  X (cpus_per_node_max, MOST (spec->cpus_per_node_max))                                            \
  X (oversubscribe, put_sharing (out, spec))                                                       \
  X (oversubscribe_job_count, COUNT (spec->oversubscribe_jobs))                                    \
  X (preempt_mode, STRING_OR_NULL (spec->preempt_mode))                                            \
  X (grace_s, COUNT (spec->grace_us / G_USEC_PER_SEC))                                             \
  X (qos, STRING_OR_NULL (spec->qos))                                                              \
  X (allow_accounts, put_names (out, spec->allow_accounts))                                        \
  X (deny_accounts, put_names (out, spec->deny_accounts))                                          \
  X (allow_groups, put_names (out, spec->allow_groups))                                            \
  X (allow_qos, put_names (out, spec->allow_qos))                                                  \
  X (deny_qos, put_names (out, spec->deny_qos))

#define X(name, what)                                                                              \
  static void partition_##name (GString *out, gconstpointer report, gconstpointer given)           \
  {                                                                                                \
    const LkPartitionRow *row = given;                                                             \
    const LkPartitionSpec *spec = row->spec;                                                       \
    const LkRecord_partition *told = &row->partition;                                              \
    (void)report;                                                                                  \
    (void)spec;                                                                                    \
    (void)told;                                                                                    \
    what;                                                                                          \
  }
PARTITION_MEMBERS (X)
#undef X

#define X(name, what) { #name, partition_##name },
static const LkShapeMember partition_members[] = { PARTITION_MEMBERS (X){ NULL, NULL } };
#undef X

const LkJsonKind lk_json_own_partitions = { "partitions", lk_shape_own_partition,
                                            partition_members };
