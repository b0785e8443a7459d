/* live/client/queue/sinfo_columns.c — what sinfo can print of partitions and nodes, by letter and
 * name.
 *
 * Source: sinfo(1), --format and --Format; headings as recorded in oracle/text. */
#include <string.h>

#include "engine/hostlist.h"
#include "live/client/queue/sinfo.h"
#include "live/client/words.h"

#define MIB_BYTES (1024 * 1024)

static const LkSinfoLine *
line_of (gconstpointer user)
{
  return user;
}

/* ---------------------------------------------------------------- cells of partitions */

#define PARTITION_CELL(NAME, ...)                                                                  \
  static void NAME (gconstpointer report, gconstpointer row, GString *out)                         \
  {                                                                                                \
    const LkPartitionSpec *spec =                                                                  \
        line_of (row)->partition != NULL ? line_of (row)->partition->spec : NULL;                  \
    (void)report;                                                                                  \
    if (spec == NULL)                                                                              \
      return;                                                                                      \
    __VA_ARGS__;                                                                                   \
  }

static void
append_limit (gint64 limit_us, GString *out)
{
  if (limit_us == G_MAXINT64)
    g_string_append (out, "infinite");
  else
    lk_table_duration (limit_us, out);
}

static void
append_count (guint32 value, GString *out)
{
  if (value == LK_COUNT_UNLIMITED)
    g_string_append (out, "UNLIMITED");
  else
    g_string_append_printf (out, "%u", value);
}

static void
append_sizes (const LkPartitionSpec *spec, GString *out)
{
  guint32 least = MAX (spec->nodes_min, 1);
  g_string_append_printf (out, "%u", least);
  if (spec->nodes_max == LK_COUNT_UNLIMITED)
    g_string_append (out, "-infinite");
  else if (spec->nodes_max != least)
    g_string_append_printf (out, "-%u", spec->nodes_max);
}

static void
append_share (const LkPartitionSpec *spec, GString *out)
{
  static const char *const words[] = { "NO", "EXCLUSIVE", "YES", "FORCE" };
  g_string_append (out, words[spec->oversubscribe]);
  if (spec->oversubscribe == LK_OVERSUBSCRIBE_YES || spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE)
    g_string_append_printf (out, ":%u", spec->oversubscribe_jobs);
}

static void
append_state (const LkPartitionRow *partition, GString *out)
{
  static const char *const words[] = { "up", "down", "drain", "inactive" };
  g_string_append (out, words[MIN (partition->partition.state, G_N_ELEMENTS (words) - 1)]);
}

PARTITION_CELL (partition_cell, g_string_append (out, spec->name);
                g_string_append (out, spec->is_default ? "*" : ""))
PARTITION_CELL (plain_partition_cell, g_string_append (out, spec->name))
PARTITION_CELL (available_cell, append_state (line_of (row)->partition, out))
PARTITION_CELL (limit_cell, append_limit (spec->time_max_us, out))
PARTITION_CELL (default_limit_cell,
                if (spec->time_default_us == G_MAXINT64) g_string_append (out, "n/a");
                else lk_table_duration (spec->time_default_us, out))
PARTITION_CELL (sizes_cell, append_sizes (spec, out))
PARTITION_CELL (root_cell, g_string_append (out, spec->root_only ? "yes" : "no"))
PARTITION_CELL (share_cell, append_share (spec, out))
PARTITION_CELL (groups_cell,
                g_string_append (out, spec->allow_groups[0] == '\0'
                                              || g_ascii_strcasecmp (spec->allow_groups, "ALL") == 0
                                          ? "all"
                                          : spec->allow_groups))
PARTITION_CELL (submit_nodes_cell,
                g_string_append (out, spec->alloc_nodes[0] != '\0' ? spec->alloc_nodes : "all"))
PARTITION_CELL (factor_cell, g_string_append_printf (out, "%u", spec->priority_job_factor))
PARTITION_CELL (tier_cell, g_string_append_printf (out, "%u", spec->priority_tier))
PARTITION_CELL (cpus_most_cell, append_count (spec->cpus_per_node_max, out))
PARTITION_CELL (preempt_cell,
                g_string_append (out, spec->preempt_mode[0] != '\0' ? spec->preempt_mode : "OFF"))

/* ---------------------------------------------------------------- cells of nodes */

/* NONE is what stands where a partition has no node. */
#define NODE_CELL(NAME, NONE, ...)                                                                 \
  static void NAME (gconstpointer report, gconstpointer row, GString *out)                         \
  {                                                                                                \
    const LkNodeRow *first = line_of (row)->first;                                                 \
    (void)report;                                                                                  \
    if (first == NULL) {                                                                           \
      g_string_append (out, NONE);                                                                 \
      return;                                                                                      \
    }                                                                                              \
    const LkRecord_node *node = &first->node;                                                      \
    (void)node;                                                                                    \
    __VA_ARGS__;                                                                                   \
  }

static guint32
threads_of (const LkRecord_node *node)
{
  return MAX (1, node->cpus / MAX (1, node->sockets * node->cores_per_socket));
}

static void
append_gres (LkText gres, GString *out)
{
  lk_word_text (gres, "(null)", out);
}

NODE_CELL (state_cell, "n/a", lk_node_row_state (first, FALSE, out))
NODE_CELL (short_state_cell, "n/a", lk_node_row_state (first, TRUE, out))
NODE_CELL (feature_cell, "(null)", lk_word_long_text (node->features, "(null)", out))
NODE_CELL (gres_cell, "(null)", append_gres (node->gres, out))
NODE_CELL (gres_used_cell, "(null)", append_gres (node->gres_used, out))
NODE_CELL (reason_cell, "none", lk_word_text (node->reason, "none", out))
NODE_CELL (allocated_memory_cell, "0",
           g_string_append_printf (out, "%" G_GINT64_FORMAT,
                                   node->memory_allocated_bytes / MIB_BYTES))
NODE_CELL (name_cell, "", lk_word_text (node->name, "", out))
NODE_CELL (null_cell, "(null)", g_string_append (out, "(null)"))
NODE_CELL (version_cell, "N/A", lk_word_text (node->version, "N/A", out))

static void
complete_state_cell (gconstpointer report, gconstpointer row, GString *out)
{
  g_autoptr (GString) state = g_string_new (NULL);
  (void)report;
  if (line_of (row)->first != NULL)
    lk_node_row_state_flags (line_of (row)->first, state);
  else
    g_string_append (state, "n/a");
  g_string_append (out, g_string_ascii_down (state)->str);
}

/* ---------------------------------------------------------------- cells of sizes */

/* "1K" for 1024. */
static void
append_short (guint64 value, GString *out)
{
  static const char units[] = "KMG";
  guint unit = 0;
  for (; value != 0 && value % 1024 == 0 && units[unit] != '\0'; unit++)
    value /= 1024;
  g_string_append_printf (out, "%" G_GUINT64_FORMAT, value);
  if (unit > 0)
    g_string_append_c (out, units[unit - 1]);
}

typedef guint64 (*Size) (const LkRecord_node *node);

static void
range_of (const LkSinfoLine *line, Size size, guint64 *out_least, guint64 *out_most)
{
  *out_least = *out_most = 0;
  for (guint i = 0; i < line->nodes->len; i++) {
    guint64 value = size (&((const LkNodeRow *)g_ptr_array_index (line->nodes, i))->node);
    *out_least = i == 0 ? value : MIN (*out_least, value);
    *out_most = i == 0 ? value : MAX (*out_most, value);
  }
}

/* The least, with a + behind where others have more. */
static void
append_least (gconstpointer report, const LkSinfoLine *line, Size size, gboolean is_short,
              GString *out)
{
  guint64 least;
  guint64 most;
  range_of (line, size, &least, &most);
  if (is_short && !((const LkSinfoReport *)report)->no_convert)
    append_short (least, out);
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, least);
  if (most != least)
    g_string_append_c (out, '+');
}

#define SIZE(NAME, VALUE)                                                                          \
  static guint64 NAME (const LkRecord_node *node)                                                  \
  {                                                                                                \
    return VALUE;                                                                                  \
  }
SIZE (cpus_of, node->cpus)
SIZE (memory_of, (guint64)(node->memory_bytes / MIB_BYTES))
SIZE (tmp_of, (guint64)(node->tmp_bytes / MIB_BYTES))
SIZE (weight_of, node->weight)
SIZE (sockets_of, node->sockets)
SIZE (cores_of, node->cores_per_socket)
SIZE (load_of, node->load_hundredths)
SIZE (free_memory_of, node->free_memory_bytes)
SIZE (thread_count_of, threads_of (node))

#define SIZE_CELL(NAME, SIZE_OF, IS_SHORT)                                                         \
  static void NAME (gconstpointer report, gconstpointer row, GString *out)                         \
  {                                                                                                \
    append_least (report, line_of (row), SIZE_OF, IS_SHORT, out);                                  \
  }
SIZE_CELL (node_cpus_cell, cpus_of, TRUE)
SIZE_CELL (memory_cell, memory_of, FALSE)
SIZE_CELL (tmp_cell, tmp_of, FALSE)
SIZE_CELL (weight_cell, weight_of, FALSE)
SIZE_CELL (sockets_cell, sockets_of, TRUE)
SIZE_CELL (cores_cell, cores_of, TRUE)
SIZE_CELL (threads_cell, thread_count_of, TRUE)

static void
shape_cell (gconstpointer report, gconstpointer row, GString *out)
{
  sockets_cell (report, row, out);
  g_string_append_c (out, ':');
  cores_cell (report, row, out);
  g_string_append_c (out, ':');
  threads_cell (report, row, out);
}

static const LkNodeRow *
row_with (const LkSinfoLine *line, Size size, guint64 value)
{
  for (guint i = 0; i < line->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (line->nodes, i);
    if (size (&row->node) == value)
      return row;
  }
  return NULL;
}

/* What changes all the time: "1.20-3.44". */
static void
append_range (const LkSinfoLine *line, Size size, void (*append) (const LkNodeRow *, GString *),
              const char *none, GString *out)
{
  guint64 least;
  guint64 most;
  if (line->nodes->len == 0) {
    g_string_append (out, none);
    return;
  }
  range_of (line, size, &least, &most);
  append (row_with (line, size, least), out);
  if (most == least)
    return;
  g_string_append_c (out, '-');
  append (row_with (line, size, most), out);
}

static void
load_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  append_range (line_of (row), load_of, lk_node_row_load, "0.00", out);
}

static void
free_memory_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  append_range (line_of (row), free_memory_of, lk_node_row_free_memory, "0", out);
}

/* ---------------------------------------------------------------- cells of reasons */

/* Is there a reason, and is it known who has set it? */
static gboolean
has_setter (const LkRecord_node *node)
{
  return node->reason.length_bytes > 0 && node->reason_us != 0;
}

static LkNames *
names_of (gconstpointer report)
{
  return ((const LkSinfoReport *)report)->names;
}

NODE_CELL (reason_time_cell, "Unknown", if (!has_setter (node)) g_string_append (out, "Unknown");
           else lk_word_time (((const LkSinfoReport *)report)->client, node->reason_us, "Unknown",
                              out))
NODE_CELL (reason_user_cell, "Unknown",
           g_string_append (out, has_setter (node)
                                     ? lk_names_user (names_of (report), node->reason_user_id)
                                     : "Unknown"))
NODE_CELL (reason_user_long_cell, "Unknown",
           if (!has_setter (node)) g_string_append (out, "Unknown");
           else g_string_append_printf (out, "%s(%u)",
                                        lk_names_user (names_of (report), node->reason_user_id),
                                        node->reason_user_id))

static void
reservation_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  (void)row;
  (void)out;
}

static void
cluster_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)row;
  g_string_append (out, ((const LkSinfoReport *)report)->cluster);
}

/* ---------------------------------------------------------------- cells of groups */

static void
node_count_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  g_string_append_printf (out, "%u", line_of (row)->nodes->len);
}

static void
hosts_cell (gconstpointer report, gconstpointer row, GString *out)
{
  const GPtrArray *nodes = line_of (row)->nodes;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  (void)report;
  for (guint i = 0; i < nodes->len; i++) {
    LkText name = ((const LkNodeRow *)g_ptr_array_index (nodes, i))->node.name;
    g_ptr_array_add (names, g_strndup (name.bytes, name.length_bytes));
  }
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
}

/* Nodes that are in use, that are free, that are neither. */
static void
uses_of (const LkSinfoLine *line, guint64 nodes[3], guint64 cpus[3])
{
  memset (nodes, 0, 3 * sizeof *nodes);
  memset (cpus, 0, 3 * sizeof *cpus);
  for (guint i = 0; i < line->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (line->nodes, i);
    nodes[lk_node_row_use (row)]++;
    cpus[0] += row->node.cpus_allocated;
    cpus[row->node.flags != 0 ? 2 : 1] += row->node.cpus - row->node.cpus_allocated;
  }
}

#define USES_CELL(NAME, WHICH, WITH_OTHER)                                                         \
  static void NAME (gconstpointer report, gconstpointer row, GString *out)                         \
  {                                                                                                \
    guint64 nodes[3];                                                                              \
    guint64 cpus[3];                                                                               \
    (void)report;                                                                                  \
    uses_of (line_of (row), nodes, cpus);                                                          \
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT, WHICH[0], WHICH[1]);  \
    if (WITH_OTHER)                                                                                \
      g_string_append_printf (out, "/%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT, WHICH[2],          \
                              WHICH[0] + WHICH[1] + WHICH[2]);                                     \
  }
USES_CELL (nodes_brief_cell, nodes, FALSE)
USES_CELL (nodes_cell, nodes, TRUE)
USES_CELL (cpus_cell, cpus, TRUE)

/* What a line has of its own, and what is of its group, which does not part nodes. */
const LkTableColumn lk_sinfo_columns[] = {
  { 'a', "AVAIL", available_cell },
  { 'A', "NODES(A/I)", nodes_brief_cell },
  { 'b', "ACTIVE_FEATURES", feature_cell },
  { 'B', "MAX_CPUS_PER_NODE", cpus_most_cell },
  { 'c', "CPUS", node_cpus_cell },
  { 'C', "CPUS(A/I/O/T)", cpus_cell },
  { 'd', "TMP_DISK", tmp_cell },
  { 'D', "NODES", node_count_cell },
  { 'e', "FREE_MEM", free_memory_cell },
  { 'E', "REASON", reason_cell },
  { 'f', "AVAIL_FEATURES", feature_cell },
  { 'F', "NODES(A/I/O/T)", nodes_cell },
  { 'g', "GROUPS", groups_cell },
  { 'G', "GRES", gres_cell },
  { 'h', "OVERSUBSCRIBE", share_cell },
  { 'H', "TIMESTAMP", reason_time_cell },
  { 'i', "RESERVATION", reservation_cell },
  { 'I', "PRIO_JOB_FACTOR", factor_cell },
  { 'l', "TIMELIMIT", limit_cell },
  { 'L', "DEFAULTTIME", default_limit_cell },
  { 'm', "MEMORY", memory_cell },
  { 'M', "PREEMPT_MODE", preempt_cell },
  { 'n', "HOSTNAMES", name_cell },
  { 'N', "NODELIST", hosts_cell },
  { 'o', "NODE_ADDR", name_cell },
  { 'O', "CPU_LOAD", load_cell },
  { 'p', "PRIO_TIER", tier_cell },
  { 'P', "PARTITION", partition_cell },
  { 'r', "ROOT", root_cell },
  { 'R', "PARTITION", plain_partition_cell },
  { 's', "JOB_SIZE", sizes_cell },
  { 'S', "ALLOCNODES", submit_nodes_cell },
  { 't', "STATE", short_state_cell },
  { 'T', "STATE", state_cell },
  { 'u', "USER", reason_user_cell },
  { 'U', "USER", reason_user_long_cell },
  { 'v', "VERSION", version_cell },
  { 'V', "CLUSTER", cluster_cell },
  { 'w', "WEIGHT", weight_cell },
  { 'X', "SOCKETS", sockets_cell },
  { 'Y', "CORES", cores_cell },
  { 'z', "S:C:T", shape_cell },
  { 'Z', "THREADS", threads_cell },
  /* By name only. */
  { 1, "GRES_USED", gres_used_cell },
  { 2, "ALLOCMEM", allocated_memory_cell },
  { 5, "COMMENT", null_cell },
  { 6, "EXTRA", null_cell },
  { 7, "STATECOMPLETE", complete_state_cell },
  { LK_FORMAT_PERCENT, "%", lk_format_percent_cell },
  { LK_FORMAT_NOTHING, "", lk_format_nothing_cell },
  { 0, NULL, NULL },
};

/* ---------------------------------------------------------------- names of -O */

static const LkFormatName names[] = {
  { "AllocMem", 2 },         { "AllocNodes", 'S' },    { "Available", 'a' },
  { "Cluster", 'V' },        { "Comment", 5 },         { "CPUs", 'c' },
  { "CPUsLoad", 'O' },       { "CPUsState", 'C' },     { "Cores", 'Y' },
  { "DefaultTime", 'L' },    { "Disk", 'd' },          { "Extra", 6 },
  { "Features", 'f' },       { "features_act", 'b' },  { "FreeMem", 'e' },
  { "Gres", 'G' },           { "GresUsed", 1 },        { "Groups", 'g' },
  { "MaxCPUsPerNode", 'B' }, { "Memory", 'm' },        { "NodeAddr", 'o' },
  { "NodeAIOT", 'F' },       { "NodeHost", 'n' },      { "NodeList", 'N' },
  { "Nodes", 'D' },          { "OverSubscribe", 'h' }, { "Partition", 'P' },
  { "PartitionName", 'R' },  { "PreemptMode", 'M' },   { "PriorityJobFactor", 'I' },
  { "PriorityTier", 'p' },   { "Reason", 'E' },        { "Root", 'r' },
  { "Share", 'h' },          { "Size", 's' },          { "SocketCoreThread", 'z' },
  { "Sockets", 'X' },        { "StateCompact", 't' },  { "StateComplete", 7 },
  { "StateLong", 'T' },      { "Threads", 'Z' },       { "Time", 'l' },
  { "Timestamp", 'H' },      { "User", 'u' },          { "UserLong", 'U' },
  { "Version", 'v' },        { "Weight", 'w' },        { "NodeAI", 'A' },
  { "Reservation", 'i' },    { NULL, '\0' },
};

const LkFormatSet lk_sinfo_formats = { lk_sinfo_columns, names, TRUE, "job" };
