/* live/client/json/machine.c — nodes and partitions with the members of Slurm's data_parser. */
#include "live/client/json/machine.h"

#include "live/client/json/own_machine.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/words.h"
#include "live/client/names.h"
#include "live/client/queue/sinfo.h"

#define MIB(bytes) ((bytes) >> 20)
#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define TEXT(text) lk_put_bytes (out, (text).bytes, (text).length_bytes)
#define LIST(text) lk_put_list (out, (text).bytes, (text).length_bytes, ',')
#define STRING(text) lk_put_string (out, text)
#define COUNT(value) lk_put_count (out, value)
#define NUMBER(is_set, value) lk_put_number (out, is_set, value)

/* ---------------------------------------------------------------- nodes */

void
lk_json_node_states (GString *out, const LkNodeRow *row)
{
  g_autoptr (GString) states = g_string_new (NULL);
  lk_node_row_state_flags (row, states);
  lk_put_list (out, states->str, states->len, '+');
}

static void
put_tres (GString *out, const LkNodeRow *row, gboolean is_used)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_node_row_tres (row, is_used, text);
  lk_put_bytes (out, text->str, text->len);
}

void
lk_json_node_setter (GString *out, const LkNodeRow *row)
{
  LkNames names;
  lk_names_init (&names);
  STRING (row->node.reason_us != 0 ? lk_names_user (&names, row->node.reason_user_id) : "");
  lk_names_clear (&names);
}

static guint32
threads_of (const LkRecord_node *node)
{
  return MAX (1, node->cpus / MAX (1, node->sockets * node->cores_per_socket));
}

#define NODE_MEMBERS(X)                                                                            \
  X (architecture, "architecture", TEXT (node->architecture))                                      \
  X (boards, "boards", COUNT (1))                                                                  \
  X (boot, "boot_time", NUMBER (TRUE, node->boot_us / G_USEC_PER_SEC))                             \
  X (tls, "tls_cert_last_renewal", NUMBER (TRUE, 0))                                               \
  X (cores, "cores", COUNT (node->cores_per_socket))                                               \
  X (special, "specialized_cores", COUNT (node->cpus - node->cpus_usable))                         \
  X (load, "cpu_load", COUNT (node->load_hundredths))                                              \
  X (free, "free_mem",                                                                             \
     NUMBER (node->free_memory_bytes != 0, (gint64)MIB (node->free_memory_bytes)))                 \
  X (cpus, "cpus", COUNT (node->cpus))                                                             \
  X (usable, "effective_cpus", COUNT (node->cpus_usable))                                          \
  X (features, "features", LIST (node->features))                                                  \
  X (active, "active_features", LIST (node->features))                                             \
  X (gres, "gres", TEXT (node->gres))                                                              \
  X (gres_drained, "gres_drained", STRING ("N/A"))                                                 \
  X (gres_used, "gres_used", TEXT (node->gres_used))                                               \
  X (busy, "last_busy", NUMBER (TRUE, 0))                                                          \
  X (name, "name", TEXT (node->name))                                                              \
  X (address, "address", TEXT (node->name))                                                        \
  X (host, "hostname", TEXT (node->host.length_bytes > 0 ? node->host : node->name))               \
  X (system, "operating_system", TEXT (node->system))                                              \
  X (version, "version", TEXT (node->version))                                                     \
  X (state, "state", lk_json_node_states (out, row))                                               \
  X (partitions, "partitions", LIST (node->partitions))                                            \
  X (memory, "real_memory", COUNT (MIB (node->memory_bytes)))                                      \
  X (reason, "reason", TEXT (node->reason))                                                        \
  X (reason_at, "reason_changed_at", lk_put_moment (out, node->reason_us))                         \
  X (reason_by, "reason_set_by_user", lk_json_node_setter (out, row))                              \
  X (resume, "resume_after", NUMBER (TRUE, 0))                                                     \
  X (held_memory, "alloc_memory", COUNT (MIB (node->memory_allocated_bytes)))                      \
  X (held_cpus, "alloc_cpus", COUNT (node->cpus_allocated))                                        \
  X (idle_cpus, "alloc_idle_cpus",                                                                 \
     COUNT ((gint64)MAX (node->cpus_usable, node->cpus_allocated) - node->cpus_allocated))         \
  X (tres_used, "tres_used", put_tres (out, row, TRUE))                                            \
  X (started, "slurmd_start_time", NUMBER (TRUE, node->agent_start_us / G_USEC_PER_SEC))           \
  X (sockets, "sockets", COUNT (node->sockets))                                                    \
  X (threads, "threads", COUNT (threads_of (node)))                                                \
  X (tmp, "temporary_disk", COUNT (MIB (node->tmp_bytes)))                                         \
  X (weight, "weight", COUNT (node->weight))                                                       \
  X (tres, "tres", put_tres (out, row, FALSE))

#define X(name, path, what)                                                                        \
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

#define X(name, path, what) { path, node_##name },
static const LkShapeMember node_members[] = { NODE_MEMBERS (X){ NULL, NULL } };
#undef X

void
lk_json_nodes (const LkClient *client, const LkJsonChoice *choice, const LkMachineView *view,
               const GPtrArray *rows)
{
  static const LkJsonKind kind = { "nodes", lk_shape_node, node_members };
  LkJson json;
  lk_json_begin (&json, client, choice, view->cluster->name);
  lk_json_open (&json, choice->is_own ? &lk_json_own_nodes : &kind);
  for (guint i = 0; i < rows->len; i++)
    lk_json_row (&json, view, g_ptr_array_index (rows, i));
  lk_json_close (&json);
  if (!choice->is_own)
    lk_json_moment (&json, "last_update", client->now_us);
  lk_json_end (&json);
}

/* ---------------------------------------------------------------- partitions */

static void
put_unless_all (GString *out, const char *list)
{
  STRING (g_ascii_strcasecmp (list, "ALL") == 0 ? "" : list);
}

static void
put_minutes (GString *out, gint64 limit_us, gboolean is_endless)
{
  if (limit_us == G_MAXINT64 && is_endless)
    lk_put_endless (out);
  else
    NUMBER (limit_us != G_MAXINT64, limit_us / MINUTE_US);
}

static void
put_most (GString *out, guint32 count)
{
  if (count == LK_COUNT_UNLIMITED)
    lk_put_endless (out);
  else
    NUMBER (TRUE, count);
}

static void
put_sharing (GString *out, const LkPartitionSpec *spec)
{
  static const char *const words[] = { "NO", "EXCLUSIVE", "YES", "FORCE" };
  gboolean has_count =
      spec->oversubscribe == LK_OVERSUBSCRIBE_YES || spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE;
  g_string_append_printf (out, has_count ? "\"%s:%u\"" : "\"%s\"", words[spec->oversubscribe],
                          spec->oversubscribe_jobs);
}

static void
put_preempt (GString *out, const LkPartitionSpec *spec)
{
  g_autofree char *word = g_ascii_strup (spec->preempt_mode, -1);
  lk_put_word (out, word[0] == '\0'              ? "CLUSTER_GLOBAL"
                    : strcmp (word, "OFF") == 0  ? "DISABLED"
                    : strcmp (word, "GANG") == 0 ? "SUSPEND"
                                                 : word);
}

static void
put_partition_flags (GString *out, const LkPartitionSpec *spec)
{
  g_autoptr (GString) words = g_string_new (NULL);
  if (spec->is_default)
    g_string_append (words, "DEFAULT,");
  if (spec->hidden)
    g_string_append (words, "HIDDEN,");
  if (spec->root_only)
    g_string_append (words, "ROOT_ONLY,");
  if (spec->reservation_required)
    g_string_append (words, "REQ_RESV,");
  if (spec->least_loaded == LK_SWITCH_YES)
    g_string_append (words, "LLN,");
  lk_put_list (out, words->str, words->len, ',');
}

/* "cpu=16,mem=32000M,node=4,billing=16,gres/gpu=8" of all its nodes. */
static void
put_partition_tres (GString *out, const LkMachineView *view, const LkPartitionRow *row)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 memory_bytes = 0;
  guint64 gpu_count = 0;
  for (guint i = 0; i < view->nodes->len; i++) {
    const LkNodeRow *node = g_ptr_array_index (view->nodes, i);
    if (!lk_node_row_is_in (node, row->spec->name))
      continue;
    memory_bytes += node->node.memory_bytes;
    gpu_count += lk_node_row_gpus (node);
  }
  g_string_printf (text, "cpu=%" G_GUINT64_FORMAT ",mem=", row->partition.cpu_count);
  lk_word_memory (memory_bytes, text);
  g_string_append_printf (text, ",node=%u,billing=%" G_GUINT64_FORMAT, row->partition.node_count,
                          row->partition.cpu_count);
  if (gpu_count > 0)
    g_string_append_printf (text, ",gres/gpu=%" G_GUINT64_FORMAT, gpu_count);
  lk_put_bytes (out, text->str, text->len);
}

const char *
lk_json_partition_state (const LkPartitionRow *row)
{
  static const char *const states[] = { "UP", "DOWN", "DRAIN", "INACTIVE" };
  return states[MIN (row->partition.state, G_N_ELEMENTS (states) - 1)];
}

#define PARTITION_MEMBERS(X)                                                                       \
  X (nodes, "nodes.configured", TEXT (told->node_names))                                           \
  X (node_count, "nodes.total", COUNT (told->node_count))                                          \
  X (accounts, "accounts.allowed", put_unless_all (out, spec->allow_accounts))                     \
  X (denied, "accounts.deny", STRING (spec->deny_accounts))                                        \
  X (groups, "groups.allowed", put_unless_all (out, spec->allow_groups))                           \
  X (qos, "qos.allowed", put_unless_all (out, spec->allow_qos))                                    \
  X (qos_denied, "qos.deny", STRING (spec->deny_qos))                                              \
  X (qos_own, "qos.assigned", STRING (spec->qos))                                                  \
  X (weights, "tres.billing_weights", STRING (spec->tres_billing_weights))                         \
  X (tres, "tres.configured", put_partition_tres (out, view, row))                                 \
  X (cpus, "cpus.total", COUNT ((gint64)told->cpu_count))                                          \
  X (per_cpu, "defaults.memory_per_cpu", COUNT (MIB (spec->memory_per_cpu_default_bytes)))         \
  X (part_per_cpu, "defaults.partition_memory_per_cpu",                                            \
     NUMBER (spec->memory_per_cpu_default_bytes != 0, MIB (spec->memory_per_cpu_default_bytes)))   \
  X (part_per_node, "defaults.partition_memory_per_node",                                          \
     NUMBER (spec->memory_per_cpu_default_bytes == 0, MIB (spec->memory_per_node_default_bytes)))  \
  X (time, "defaults.time", put_minutes (out, spec->time_default_us, FALSE))                       \
  X (select, "select_type", lk_put_word (out, "NONE"))                                             \
  X (flags, "flags", put_partition_flags (out, spec))                                              \
  X (grace, "grace_time", COUNT (spec->grace_us / G_USEC_PER_SEC))                                 \
  X (most_cpus, "maximums.cpus_per_node", put_most (out, spec->cpus_per_node_max))                 \
  X (most_socket, "maximums.cpus_per_socket", put_most (out, spec->cpus_per_socket_max))           \
  X (most_per_cpu, "maximums.memory_per_cpu", COUNT (MIB (spec->memory_per_cpu_max_bytes)))        \
  X (most_part_cpu, "maximums.partition_memory_per_cpu",                                           \
     NUMBER (spec->memory_per_cpu_max_bytes != 0, MIB (spec->memory_per_cpu_max_bytes)))           \
  X (most_part_node, "maximums.partition_memory_per_node",                                         \
     NUMBER (spec->memory_per_cpu_max_bytes == 0, MIB (spec->memory_per_node_max_bytes)))          \
  X (most_nodes, "maximums.nodes", put_most (out, spec->nodes_max))                                \
  X (shares, "maximums.shares", COUNT (shared_count (spec)))                                       \
  X (jobs, "maximums.oversubscribe.jobs", COUNT (shared_count (spec)))                             \
  X (forced, "maximums.oversubscribe.flags",                                                       \
     lk_put_word (out, spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE ? "force" : ""))              \
  X (most_time, "maximums.time", put_minutes (out, spec->time_max_us, TRUE))                       \
  X (over_time, "maximums.over_time_limit",                                                        \
     NUMBER (spec->over_time_limit_us != 0, spec->over_time_limit_us / MINUTE_US))                 \
  X (least_nodes, "minimums.nodes", COUNT (spec->nodes_min))                                       \
  X (name, "name", STRING (spec->name))                                                            \
  X (preempt, "preempt_mode", put_preempt (out, spec))                                             \
  X (factor, "priority.job_factor", COUNT (spec->priority_job_factor))                             \
  X (tier, "priority.tier", COUNT (spec->priority_tier))                                           \
  X (exclusive, "partition.exclusive",                                                             \
     STRING (spec->exclusive_user                                ? "USER"                          \
             : spec->exclusive_topo                              ? "TOPO"                          \
             : spec->oversubscribe == LK_OVERSUBSCRIBE_EXCLUSIVE ? "NODE"                          \
                                                                 : "NO"))                          \
  X (sharing, "partition.oversubscribe", put_sharing (out, spec))                                  \
  X (state, "partition.state", lk_put_word (out, lk_json_partition_state (row)))

/* How many jobs may be on a core; 0: one alone. */
static guint32
shared_count (const LkPartitionSpec *spec)
{
  return spec->oversubscribe >= LK_OVERSUBSCRIBE_YES ? spec->oversubscribe_jobs : 0;
}

#define X(name, path, what)                                                                        \
  static void partition_##name (GString *out, gconstpointer report, gconstpointer given)           \
  {                                                                                                \
    const LkMachineView *view = report;                                                            \
    const LkPartitionRow *row = given;                                                             \
    const LkPartitionSpec *spec = row->spec;                                                       \
    const LkRecord_partition *told = &row->partition;                                              \
    (void)view;                                                                                    \
    (void)spec;                                                                                    \
    (void)told;                                                                                    \
    what;                                                                                          \
  }
PARTITION_MEMBERS (X)
#undef X

#define X(name, path, what) { path, partition_##name },
static const LkShapeMember partition_members[] = { PARTITION_MEMBERS (X){ NULL, NULL } };
#undef X

void
lk_json_partitions (const LkClient *client, const LkJsonChoice *choice, const LkMachineView *view,
                    const GPtrArray *rows)
{
  static const LkJsonKind kind = { "partitions", lk_shape_partition, partition_members };
  LkJson json;
  lk_json_begin (&json, client, choice, view->cluster->name);
  lk_json_open (&json, choice->is_own ? &lk_json_own_partitions : &kind);
  for (guint i = 0; i < rows->len; i++)
    lk_json_row (&json, view, g_ptr_array_index (rows, i));
  lk_json_close (&json);
  if (!choice->is_own)
    lk_json_moment (&json, "last_update", client->now_us);
  lk_json_end (&json);
}

/* ---------------------------------------------------------------- sinfo */

typedef struct {
  const LkMachineView *view;
  LkShape *partition;
} Sinfo;

/* Least and most of a number of the nodes of a line, and all together. */
typedef gint64 (*NodeNumber) (const LkRecord_node *node);

static gint64
number_of (const LkSinfoLine *line, NodeNumber number, gboolean is_most)
{
  gint64 found = 0;
  for (guint i = 0; i < line->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (line->nodes, i);
    gint64 value = number (&row->node);
    if (i == 0 || (is_most ? value > found : value < found))
      found = value;
  }
  return found;
}

static gint64
sum_of (const LkSinfoLine *line, NodeNumber number, guint use)
{
  gint64 sum = 0;
  for (guint i = 0; i < line->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (line->nodes, i);
    if (use == G_MAXUINT || lk_node_row_use (row) == use)
      sum += number (&row->node);
  }
  return sum;
}

#define NODE_NUMBERS(X)                                                                            \
  X (one, 1)                                                                                       \
  X (cpus, node->cpus)                                                                             \
  X (held_cpus, node->cpus_allocated)                                                              \
  X (idle_cpus, node->flags != 0 ? 0 : (gint64)node->cpus - node->cpus_allocated)                  \
  X (other_cpus, node->flags == 0 ? 0 : (gint64)node->cpus - node->cpus_allocated)                 \
  X (load, node->load_hundredths)                                                                  \
  X (sockets, node->sockets)                                                                       \
  X (cores, node->cores_per_socket)                                                                \
  X (threads, threads_of (node))                                                                   \
  X (disk, MIB (node->tmp_bytes))                                                                  \
  X (memory, MIB (node->memory_bytes))                                                             \
  X (held_memory, MIB (node->memory_allocated_bytes))                                              \
  X (free_memory, (gint64)MIB (node->free_memory_bytes))                                           \
  X (weight, node->weight)
#define X(name, value)                                                                             \
  static gint64 number_##name (const LkRecord_node *node)                                          \
  {                                                                                                \
    (void)node;                                                                                    \
    return value;                                                                                  \
  }
NODE_NUMBERS (X)
#undef X

static void
put_line_names (GString *out, const LkSinfoLine *line)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < line->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (line->nodes, i);
    if (i > 0)
      g_string_append_c (out, ',');
    TEXT (row->node.name);
  }
  g_string_append_c (out, ']');
}

static void
put_reason (GString *out, const LkNodeRow *row, guint version)
{
  g_string_append (out, "{\"description\":");
  TEXT (row->node.reason);
  g_string_append (out, ",\"time\":");
  COUNT (row->node.reason_us / G_USEC_PER_SEC);
  if (version < 45) {
    g_string_append (out, ",\"user\":");
    lk_json_node_setter (out, row);
  }
  g_string_append_c (out, '}');
}

static void
put_line_partition (GString *out, const Sinfo *self, const LkSinfoLine *line)
{
  lk_shape_write (self->partition, self->view, line->partition, out);
}

#define LEAST(name) COUNT (number_of (line, number_##name, FALSE))
#define MOST(name) COUNT (number_of (line, number_##name, TRUE))
#define SUM(name) COUNT (sum_of (line, number_##name, G_MAXUINT))
#define RANGE(X, name, path)                                                                       \
  X (least_##name, path ".minimum", LEAST (name))                                                  \
  X (most_##name, path ".maximum", MOST (name))

#define SINFO_MEMBERS(X)                                                                           \
  X (state, "node.state", lk_json_node_states (out, first))                                        \
  X (allocated, "nodes.allocated", COUNT (sum_of (line, number_one, 0)))                           \
  X (idle, "nodes.idle", COUNT (sum_of (line, number_one, 1)))                                     \
  X (other, "nodes.other", COUNT (sum_of (line, number_one, 2)))                                   \
  X (total, "nodes.total", COUNT (line->nodes->len))                                               \
  X (names, "nodes.nodes", put_line_names (out, line))                                             \
  X (held_cpus, "cpus.allocated", SUM (held_cpus))                                                 \
  X (idle_cpus, "cpus.idle", SUM (idle_cpus))                                                      \
  X (other_cpus, "cpus.other", SUM (other_cpus))                                                   \
  X (all_cpus, "cpus.total", SUM (cpus))                                                           \
  RANGE (X, cpus, "cpus")                                                                          \
  RANGE (X, load, "cpus.load")                                                                     \
  X (per_node, "cpus.per_node.max", put_most (out, line->partition->spec->cpus_per_node_max))      \
  RANGE (X, sockets, "sockets")                                                                    \
  RANGE (X, cores, "cores")                                                                        \
  RANGE (X, threads, "threads")                                                                    \
  RANGE (X, disk, "disk")                                                                          \
  RANGE (X, memory, "memory")                                                                      \
  X (least_free, "memory.free.minimum",                                                            \
     NUMBER (TRUE, number_of (line, number_free_memory, FALSE)))                                   \
  X (most_free, "memory.free.maximum", NUMBER (TRUE, number_of (line, number_free_memory, TRUE)))  \
  X (held_memory, "memory.allocated", MOST (held_memory))                                          \
  RANGE (X, weight, "weight")                                                                      \
  X (features, "features.total", TEXT (first->node.features))                                      \
  X (active, "features.active", TEXT (first->node.features))                                       \
  X (gres, "gres.total", TEXT (first->node.gres))                                                  \
  X (gres_used, "gres.used", TEXT (first->node.gres_used))                                         \
  X (reason_user, "reason_set_by_user", lk_json_node_setter (out, first))                          \
  X (partition, "partition", put_line_partition (out, self, line))

#define X(name, path, what)                                                                        \
  static void sinfo_##name (GString *out, gconstpointer report, gconstpointer given)               \
  {                                                                                                \
    static const LkNodeRow nothing = { 0 };                                                        \
    const Sinfo *self = report;                                                                    \
    const LkSinfoLine *line = given;                                                               \
    const LkNodeRow *first = line->first != NULL ? line->first : &nothing;                         \
    (void)self;                                                                                    \
    (void)first;                                                                                   \
    what;                                                                                          \
  }
SINFO_MEMBERS (X)
X (reason, "reason", put_reason (out, first, 45))
X (reason_old, "reason", put_reason (out, first, 44))
#undef X

/* The reason has another shape until version 44: the first of two of a name is taken. */
#define X(name, path, what) { path, sinfo_##name },
static const LkShapeMember sinfo_members[] = { { "reason", sinfo_reason },
                                               SINFO_MEMBERS (X){ NULL, NULL } };
static const LkShapeMember sinfo_members_old[] = { { "reason", sinfo_reason_old },
                                                   SINFO_MEMBERS (X){ NULL, NULL } };
#undef X

void
lk_json_sinfo (const LkClient *client, const LkJsonChoice *choice, const LkMachineView *view,
               const GPtrArray *lines)
{
  const LkJsonKind kind = { "sinfo", lk_shape_sinfo,
                            choice->version < 45 ? sinfo_members_old : sinfo_members };
  LkJson json;
  lk_json_begin (&json, client, choice, view->cluster->name);
  if (choice->is_own) {
    lk_json_open (&json, &lk_json_own_nodes);
    for (guint i = 0; i < view->nodes->len; i++)
      lk_json_row (&json, view, g_ptr_array_index (view->nodes, i));
    lk_json_close (&json);
    lk_json_open (&json, &lk_json_own_partitions);
    for (guint i = 0; i < view->partitions->len; i++)
      lk_json_row (&json, view, g_ptr_array_index (view->partitions, i));
  } else {
    Sinfo sinfo = { view, lk_shape_new (lk_shape_partition, choice->version, partition_members) };
    lk_json_open (&json, &kind);
    for (guint i = 0; i < lines->len; i++)
      lk_json_row (&json, &sinfo, g_ptr_array_index (lines, i));
    lk_shape_free (sinfo.partition);
  }
  lk_json_close (&json);
  lk_json_end (&json);
}
