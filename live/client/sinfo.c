/* live/client/sinfo.c — `sinfo`: partitions and nodes, those together that agree in all that is
 * shown of them.
 *
 * Source: sinfo(1), what a real Slurm printed (oracle/text). */
#include <getopt.h>
#include <string.h>
#include <time.h>

#include "engine/hostlist.h"
#include "live/client/commands.h"
#include "live/client/names.h"
#include "live/client/node_row.h"
#include "live/client/words.h"
#include "traces/table.h"

#define MIB_BYTES (1024 * 1024)
#define DEFAULT_FORMAT "%#P %.5a %.10l %.6D %.6t %N"
#define LONG_FORMAT "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"
#define NODE_FORMAT "%#N %.6D %#P %6t"
#define NODE_LONG_FORMAT "%#N %.6D %#P %.11T %.4c %.8z %.6m %.8d %.6w %.8f %20E"
#define SUMMARY_FORMAT "%#P %.5a %.10l %.16F %N"
#define REASON_FORMAT "%20E %9u %19H %N"
#define REASON_LONG_FORMAT "%20E %12U %19H %6t %N"
#define WIDTH_LEAST 9u

typedef struct {
  char *format;     /* owned */
  char *partitions; /* borrowed, as all below */
  char *nodes;
  char *states;
  gboolean no_heading;
  gboolean by_node;
  gboolean is_long;
  gboolean is_summary;
  gboolean by_reason;
  gboolean is_json;
} Options;

/* A line: nodes of a partition that look alike. */
typedef struct {
  const LkPartitionRow *partition; /* NULL: whatever partition, of reasons */
  const LkNodeRow *first;          /* NULL: the partition has no node */
  GPtrArray *nodes;                /* of LkNodeRow */
  guint order;                     /* of the partition */
} Line;

typedef struct {
  const LkClient *client;
  const LkMachineView *view;
  LkNames *names;
} Report;

static const Line *
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
  static const char *const words[] = { "up", "down", "drain", "inact" };
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
PARTITION_CELL (factor_cell, g_string_append_printf (out, "%u", spec->priority_job_factor))
PARTITION_CELL (tier_cell, g_string_append_printf (out, "%u", spec->priority_tier))
PARTITION_CELL (cpus_most_cell, append_count (spec->cpus_per_node_max, out))
PARTITION_CELL (preempt_cell,
                g_string_append (out, spec->preempt_mode[0] != '\0' ? spec->preempt_mode : "OFF"))

/* ---------------------------------------------------------------- cells of nodes */

#define NODE_CELL(NAME, ...)                                                                       \
  static void NAME (gconstpointer report, gconstpointer row, GString *out)                         \
  {                                                                                                \
    const LkNodeRow *first = line_of (row)->first;                                                 \
    (void)report;                                                                                  \
    if (first == NULL) {                                                                           \
      g_string_append (out, "n/a");                                                                \
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

NODE_CELL (state_cell, lk_node_row_state (first, FALSE, out))
NODE_CELL (short_state_cell, lk_node_row_state (first, TRUE, out))
NODE_CELL (node_cpus_cell, g_string_append_printf (out, "%u", node->cpus))
NODE_CELL (memory_cell,
           g_string_append_printf (out, "%" G_GINT64_FORMAT, node->memory_bytes / MIB_BYTES))
NODE_CELL (tmp_cell, g_string_append_printf (out, "%" G_GINT64_FORMAT, node->tmp_bytes / MIB_BYTES))
NODE_CELL (weight_cell, g_string_append_printf (out, "%u", node->weight))
NODE_CELL (feature_cell, lk_word_long_text (node->features, "(null)", out))
NODE_CELL (gres_cell, append_gres (node->gres, out))
NODE_CELL (gres_used_cell, append_gres (node->gres_used, out))
NODE_CELL (reason_cell, lk_word_text (node->reason, "none", out))
NODE_CELL (sockets_cell, g_string_append_printf (out, "%u", node->sockets))
NODE_CELL (cores_cell, g_string_append_printf (out, "%u", node->cores_per_socket))
NODE_CELL (threads_cell, g_string_append_printf (out, "%u", threads_of (node)))
NODE_CELL (shape_cell, g_string_append_printf (out, "%u:%u:%u", node->sockets,
                                               node->cores_per_socket, threads_of (node)))
NODE_CELL (allocated_memory_cell, g_string_append_printf (out, "%" G_GINT64_FORMAT,
                                                          node->memory_allocated_bytes / MIB_BYTES))
NODE_CELL (name_cell, lk_word_text (node->name, "", out))
/* Is there a reason, and is it known who has set it? */
static gboolean
has_setter (const LkRecord_node *node)
{
  return node->reason.length_bytes > 0 && node->reason_us != 0;
}

static LkNames *
names_of (gconstpointer report)
{
  return ((const Report *)report)->names;
}

NODE_CELL (reason_time_cell, if (!has_setter (node)) g_string_append (out, "Unknown");
           else lk_word_time (((const Report *)report)->client, node->reason_us, "Unknown", out))
NODE_CELL (reason_user_cell,
           g_string_append (out, has_setter (node)
                                     ? lk_names_user (names_of (report), node->reason_user_id)
                                     : "Unknown"))
NODE_CELL (reason_user_long_cell, if (!has_setter (node)) g_string_append (out, "Unknown");
           else g_string_append_printf (out, "%s(%u)",
                                        lk_names_user (names_of (report), node->reason_user_id),
                                        node->reason_user_id))
NODE_CELL (load_cell, lk_node_row_load (first, out))
NODE_CELL (free_memory_cell, lk_node_row_free_memory (first, out))

static void
reservation_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  (void)row;
  (void)out;
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
uses_of (const Line *line, guint64 nodes[3], guint64 cpus[3])
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
static const LkTableColumn columns[] = {
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
  { 't', "STATE", short_state_cell },
  { 'T', "STATE", state_cell },
  { 'u', "USER", reason_user_cell },
  { 'U', "USER", reason_user_long_cell },
  { 'w', "WEIGHT", weight_cell },
  { 'X', "SOCKETS", sockets_cell },
  { 'Y', "CORES", cores_cell },
  { 'z', "S:C:T", shape_cell },
  { 'Z', "THREADS", threads_cell },
  /* By name only. */
  { 1, "GRES_USED", gres_used_cell },
  { 2, "ALLOCMEM", allocated_memory_cell },
  { 0, NULL, NULL },
};
#define GROUP_LETTERS "ACDFN"

/* ---------------------------------------------------------------- names of -O */

static const struct {
  const char *name;
  char letter;
} names[] = {
  { "AllocMem", 2 },         { "AllocNodes", 'A' },       { "Available", 'a' },
  { "CPUs", 'c' },           { "CPUsLoad", 'O' },         { "CPUsState", 'C' },
  { "Cores", 'Y' },          { "DefaultTime", 'L' },      { "Disk", 'd' },
  { "Features", 'f' },       { "features_act", 'b' },     { "FreeMem", 'e' },
  { "Gres", 'G' },           { "GresUsed", 1 },           { "Groups", 'g' },
  { "MaxCPUsPerNode", 'B' }, { "Memory", 'm' },           { "NodeAddr", 'o' },
  { "NodeAIOT", 'F' },       { "NodeHost", 'n' },         { "NodeList", 'N' },
  { "Nodes", 'D' },          { "OverSubscribe", 'h' },    { "Partition", 'P' },
  { "PartitionName", 'R' },  { "PreemptMode", 'M' },      { "PriorityJobFactor", 'I' },
  { "PriorityTier", 'p' },   { "Reason", 'E' },           { "Root", 'r' },
  { "Size", 's' },           { "SocketCoreThread", 'z' }, { "Sockets", 'X' },
  { "StateCompact", 't' },   { "StateLong", 'T' },        { "Threads", 'Z' },
  { "Time", 'l' },           { "Timestamp", 'H' },        { "User", 'u' },
  { "UserLong", 'U' },       { "Weight", 'w' },
};

static char
letter_of (const char *name, gsize name_bytes)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i].name) == name_bytes
        && g_ascii_strncasecmp (names[i].name, name, name_bytes) == 0)
      return names[i].letter;
  return 0;
}

static char *
letters_only (const LkClient *client, const char *format, int *out_code)
{
  g_autofree char *fault = NULL;
  char *converted = lk_table_long_format (format, letter_of, &fault);
  if (converted == NULL) {
    lk_client_error (client, "Invalid node format specification: %s", fault);
    *out_code = 1;
  }
  return converted;
}

/* ---------------------------------------------------------------- lines */

static void
line_free (gpointer user)
{
  Line *self = user;
  g_ptr_array_unref (self->nodes);
  g_free (self);
}

static Line *
line_new (const LkPartitionRow *partition, const LkNodeRow *first, guint order)
{
  Line *self = g_new0 (Line, 1);
  self->partition = partition;
  self->first = first;
  self->nodes = g_ptr_array_new ();
  self->order = order;
  if (first != NULL)
    g_ptr_array_add (self->nodes, (gpointer)first);
  return self;
}

/* The letters of a format that part nodes, one behind the other. */
static char *
own_letters (const char *format)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (const char *at = strchr (format, '%'); at != NULL; at = strchr (at, '%')) {
    at += 1 + strspn (at + 1, ".#0123456789");
    if (*at != '\0' && strchr (GROUP_LETTERS, *at) == NULL)
      g_string_append_printf (out, "%%%c|", *at);
  }
  return g_strdup (out->str);
}

static gboolean
wants_node (const Options *options, GHashTable *nodes, const LkNodeRow *row)
{
  g_autoptr (GString) state = g_string_new (NULL);
  g_autoptr (GString) brief = g_string_new (NULL);
  g_autofree char *name = g_strndup (row->node.name.bytes, row->node.name.length_bytes);
  if (options->by_reason && row->node.reason.length_bytes == 0)
    return FALSE;
  if (nodes != NULL && !g_hash_table_contains (nodes, name))
    return FALSE;
  if (options->states == NULL || lk_word_is_listed (options->states, "all"))
    return TRUE;
  lk_node_row_state (row, FALSE, state);
  lk_node_row_state (row, TRUE, brief);
  state->str[strcspn (state->str, "*")] = '\0';
  brief->str[strcspn (brief->str, "*")] = '\0';
  /* Words for several: drain is drained and draining, as are fail and its like. */
  gboolean is_drain = (row->node.flags & LK_NODE_DRAIN) != 0;
  return lk_word_is_listed (options->states, state->str)
         || lk_word_is_listed (options->states, brief->str)
         || (is_drain && lk_word_is_listed (options->states, "drain"))
         || (row->node.is_responding == 0 && lk_word_is_listed (options->states, "no_respond"));
}

typedef struct {
  const Options *options;
  const Report *report;
  LkTableLayout *own; /* what parts nodes */
  GHashTable *nodes;  /* names that are asked for; NULL: all */
  GPtrArray *lines;
} Gather;

static void
add_node (Gather *self, const LkPartitionRow *partition, guint order, const LkNodeRow *row,
          GHashTable *by_look)
{
  g_autoptr (GString) look = g_string_new (NULL);
  Line *line = line_new (partition, row, order);
  if (!self->options->by_node)
    lk_table_layout_row (self->own, self->report, line, look);
  Line *known = by_look != NULL ? g_hash_table_lookup (by_look, look->str) : NULL;
  if (known != NULL) {
    g_ptr_array_add (known->nodes, (gpointer)row);
    line_free (line);
    return;
  }
  if (by_look != NULL)
    g_hash_table_insert (by_look, g_strdup (look->str), line);
  g_ptr_array_add (self->lines, line);
}

static void
add_partition (Gather *self, const LkPartitionRow *partition, guint order)
{
  const LkMachineView *view = self->report->view;
  g_autoptr (GHashTable) by_look =
      self->options->by_node ? NULL : g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint before = self->lines->len;
  for (guint i = 0; i < view->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (view->nodes, i);
    if ((partition == NULL || lk_node_row_is_in (row, partition->spec->name))
        && wants_node (self->options, self->nodes, row))
      add_node (self, partition, order, row, by_look);
  }
  if (self->lines->len == before && partition != NULL && !self->options->by_node
      && self->options->states == NULL && self->nodes == NULL)
    g_ptr_array_add (self->lines, line_new (partition, NULL, order));
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
  const Line *x = *(Line *const *)a;
  const Line *y = *(Line *const *)b;
  guint32 state_x = x->first != NULL ? lk_node_row_state_number (x->first) : 0;
  guint32 state_y = y->first != NULL ? lk_node_row_state_number (y->first) : 0;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  return (state_x < state_y) - (state_x > state_y);
}

static gint
compare_nodes (gconstpointer a, gconstpointer b)
{
  const Line *x = *(Line *const *)a;
  const Line *y = *(Line *const *)b;
  g_autofree char *name_x = g_strndup (x->first->node.name.bytes, x->first->node.name.length_bytes);
  g_autofree char *name_y = g_strndup (y->first->node.name.bytes, y->first->node.name.length_bytes);
  g_autofree char *key_x = g_utf8_collate_key_for_filename (name_x, -1);
  g_autofree char *key_y = g_utf8_collate_key_for_filename (name_y, -1);
  gint order = strcmp (key_x, key_y);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* ---------------------------------------------------------------- printing */

/* As wide as its widest cell, and never narrower than its heading. */
static guint
width_of (char letter, const Report *report, const GPtrArray *lines)
{
  const LkTableColumn *column = lk_table_column (columns, letter);
  guint width = WIDTH_LEAST;
  for (guint i = 0; column != NULL && i < lines->len; i++) {
    g_autoptr (GString) cell = g_string_new (NULL);
    column->cell (report, g_ptr_array_index (lines, i), cell);
    width = MAX (width, (guint)g_utf8_strlen (cell->str, -1));
  }
  return width;
}

/* Puts a width where a # asks for one. */
static char *
with_widths (const char *format, const Report *report, const GPtrArray *lines)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (const char *at = format; *at != '\0'; at++)
    if (*at == '#' && at > format && at[-1] == '%')
      g_string_append_printf (out, "%u", width_of (at[1], report, lines));
    else
      g_string_append_c (out, *at);
  return g_strdup (out->str);
}

static const char *
format_of (const Options *self)
{
  if (self->format != NULL)
    return self->format;
  if (self->by_reason)
    return self->is_long ? REASON_LONG_FORMAT : REASON_FORMAT;
  if (self->is_summary)
    return SUMMARY_FORMAT;
  if (self->by_node)
    return self->is_long ? NODE_LONG_FORMAT : NODE_FORMAT;
  return self->is_long ? LONG_FORMAT : DEFAULT_FORMAT;
}

static void
print_moment (const LkClient *client, GString *out)
{
  char text[64];
  time_t now = (time_t)(client->now_us / G_USEC_PER_SEC);
  struct tm parts;
  if (localtime_r (&now, &parts) != NULL
      && strftime (text, sizeof text, "%a %b %d %H:%M:%S %Y", &parts) > 0)
    g_string_append_printf (out, "%s\n", text);
}

static void
json (const LkMachineView *view, GString *out)
{
  LkRecord record;
  g_string_append (out, "{\"nodes\":[");
  for (guint i = 0; i < view->nodes->len; i++) {
    record.kind = LK_RECORD_NODE;
    record.node = ((const LkNodeRow *)g_ptr_array_index (view->nodes, i))->node;
    g_string_append (out, i > 0 ? ",\n" : "\n");
    lk_record_json (&record, out);
  }
  g_string_append (out, "\n],\"partitions\":[");
  for (guint i = 0; i < view->partitions->len; i++) {
    record.kind = LK_RECORD_PARTITION;
    record.partition = ((const LkPartitionRow *)g_ptr_array_index (view->partitions, i))->partition;
    g_string_append (out, i > 0 ? ",\n" : "\n");
    lk_record_json (&record, out);
  }
  g_string_append (out, "\n],\"errors\":[],\"warnings\":[]}\n");
}

static int
print_lines (const Report *given, const Options *self, GHashTable *nodes)
{
  Report report = *given;
  const LkClient *client = report.client;
  const LkMachineView *view = report.view;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *own = own_letters (format_of (self));
  Gather gather = { .options = self, .report = &report, .nodes = nodes };
  gather.own = lk_table_layout_new (columns, own, &error);
  if (gather.own == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  gather.lines = g_ptr_array_new_with_free_func (line_free);
  if (self->by_reason)
    add_partition (&gather, NULL, 0);
  for (guint i = 0; !self->by_reason && i < view->partitions->len; i++) {
    const LkPartitionRow *partition = g_ptr_array_index (view->partitions, i);
    if (self->partitions == NULL || lk_word_is_listed (self->partitions, partition->spec->name))
      add_partition (&gather, partition, i);
  }
  g_ptr_array_sort (gather.lines, self->by_node ? compare_nodes : compare_lines);
  g_autofree char *format = with_widths (format_of (self), &report, gather.lines);
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (columns, format, &error);
  if (self->is_long && self->format == NULL)
    print_moment (client, out);
  if (!self->no_heading)
    lk_table_layout_heading (layout, out);
  for (guint i = 0; i < gather.lines->len; i++)
    lk_table_layout_row (layout, &report, g_ptr_array_index (gather.lines, i), out);
  fwrite (out->str, 1, out->len, client->out);
  g_ptr_array_unref (gather.lines);
  lk_table_layout_free (gather.own);
  return 0;
}

static int
print (const LkClient *client, const Options *self, const LkMachineView *view, GHashTable *nodes)
{
  LkNames known;
  const Report report = { client, view, &known };
  lk_names_init (&known);
  int code = print_lines (&report, self, nodes);
  lk_names_clear (&known);
  return code;
}

/* ---------------------------------------------------------------- the command */

enum { JSON = 256, HELP, IGNORED };

static const struct option long_options[] = {
  { "all", no_argument, NULL, 'a' },
  { "exact", no_argument, NULL, 'e' },
  { "Format", required_argument, NULL, 'O' },
  { "format", required_argument, NULL, 'o' },
  { "help", no_argument, NULL, HELP },
  { "hide", no_argument, NULL, IGNORED },
  { "json", optional_argument, NULL, JSON },
  { "list-reasons", no_argument, NULL, 'R' },
  { "local", no_argument, NULL, IGNORED },
  { "long", no_argument, NULL, 'l' },
  { "noconvert", no_argument, NULL, IGNORED },
  { "Node", no_argument, NULL, 'N' },
  { "nodes", required_argument, NULL, 'n' },
  { "noheader", no_argument, NULL, 'h' },
  { "partition", required_argument, NULL, 'p' },
  { "states", required_argument, NULL, 't' },
  { "summarize", no_argument, NULL, 's' },
  { "usage", no_argument, NULL, HELP },
  { "verbose", no_argument, NULL, 'v' },
  { "version", no_argument, NULL, 'V' },
  { NULL, 0, NULL, 0 },
};

static const char help_text[] =
    "Usage: sinfo [OPTIONS]\n"
    "  -a, --all                  partitions that are hidden, too: there are none\n"
    "  -e, --exact                nodes are together only where they agree: they always are\n"
    "  -h, --noheader             no headers on output\n"
    "      --json                 nodes and partitions as JSON\n"
    "  -l, --long                 long output\n"
    "  -n, --nodes=NODES          these nodes\n"
    "  -N, --Node                 a line for each node and partition\n"
    "  -o, --format=format        columns: %[.][width]letter, see docs/commands.md\n"
    "  -O, --Format=format        columns: name[:[.]width][,...]\n"
    "  -p, --partition=PARTITION  these partitions\n"
    "  -R, --list-reasons         why nodes are down, drained or failing\n"
    "  -s, --summarize            a line for each partition\n"
    "  -t, --states=node_state    nodes in these states\n"
    "  -V, --version              version information\n";

static int
take_option (const LkClient *client, Options *self, int option)
{
  int code = -1;
  switch (option) {
  case 'h':
    self->no_heading = TRUE;
    break;
  case 'l':
    self->is_long = TRUE;
    break;
  case 'n':
    self->nodes = optarg;
    break;
  case 'N':
    self->by_node = TRUE;
    break;
  case 'o':
  case 'O':
    g_free (self->format);
    self->format = option == 'o' ? g_strdup (optarg) : letters_only (client, optarg, &code);
    break;
  case 'p':
    self->partitions = optarg;
    break;
  case 'R':
    self->by_reason = TRUE;
    break;
  case 's':
    self->is_summary = TRUE;
    break;
  case 't':
    self->states = optarg;
    break;
  case JSON:
    self->is_json = TRUE;
    break;
  case 'a':
  case 'e':
  case 'v':
  case IGNORED:
    break;
  case 'V':
    fprintf (client->out, "slurm " LK_CLIENT_SLURM_VERSION "\n");
    return 0;
  case HELP:
    fputs (help_text, client->out);
    return 0;
  default:
    fprintf (client->err, "Try \"sinfo --help\" for more information\n");
    return 1;
  }
  return code;
}

static int
run (const LkClient *client, const Options *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) nodes = NULL;
  g_autoptr (GPtrArray) asked = g_ptr_array_new ();
  if (self->nodes != NULL) {
    nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    lk_hostlist_expand (self->nodes, strlen (self->nodes), asked, NULL);
    for (guint i = 0; i < asked->len; i++)
      g_hash_table_add (nodes, g_ptr_array_index (asked, i));
  }
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, &error);
  if (view == NULL) {
    lk_client_error (client, "%s", error->message);
    return 1;
  }
  if (self->is_json) {
    g_autoptr (GString) out = g_string_new (NULL);
    json (view, out);
    fwrite (out->str, 1, out->len, client->out);
    return 0;
  }
  return print (client, self, view, nodes);
}

int
lk_sinfo (LkClient *client, int argc, char **argv)
{
  Options options = { 0 };
  int option;
  int code = -1;
  optind = 0;
  while (code < 0
         && (option = getopt_long (argc, argv, "aehln:No:O:p:Rst:vV", long_options, NULL)) != -1)
    code = take_option (client, &options, option);
  if (code < 0 && optind < argc) {
    lk_client_error (client, "Unrecognized option: %s", argv[optind]);
    code = 1;
  }
  if (code < 0 && options.format == NULL)
    options.format = g_strdup (lk_client_variable (client, "SINFO_FORMAT"));
  if (code < 0 && options.partitions == NULL)
    options.partitions = (char *)(gpointer)lk_client_variable (client, "SINFO_PARTITION");
  if (code < 0)
    code = run (client, &options);
  g_free (options.format);
  return code;
}
