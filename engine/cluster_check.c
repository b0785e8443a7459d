/* engine/cluster_check.c — does the description of a machine hang together?
 *
 * Everything behind lk_cluster_check: what holds here is relied upon, without looking again, by
 * whatever is built on a description.  One small function for each thing to check, in the order of
 * the description, so that the first error is the first that a reader of the page would find.
 * Topology: cluster_topology.c.
 *
 * Names are compared by sorting them: no hash, so no input is slow. */
#include "engine/cluster_check.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/billing.h"
#include "engine/cluster_fields.h"
#include "engine/exit_codes.h"
#include "engine/hostlist.h"
#include "engine/limits.h"
#include "engine/task_set.h"

/* More than any machine has; they bound the work of whoever compares texts one by one. */
#define THREADS_PER_CORE_MAX 256
#define NODE_GRES_MAX 64u
#define FEATURES_MAX 4096u
#define GRES_TYPES_MAX 1024u
#define NAME_BYTES_MAX 255u
#define REASON_BYTES_MAX 1024u
/* Names in all lists of partitions together. */
#define LISTED_NODES_MAX (4u * LK_LIMIT_NODES)

/* What separates names in lists, requests and placements. */
#define NOT_IN_NODE_NAMES ",:;|*=()&[]\"\\'{}"
#define NOT_IN_GRES_NAMES ",:;|*=()&[]"
#define NOT_IN_FEATURES ",&|()[]*"
#define NOT_IN_PARTITION_NAMES ",;"
#define NOT_IN_LICENSE_NAMES ",;:|"

/* ---------------------------------------------------------------- errors and names */

gboolean
lk_check_wrong (LkCheck *self, const void *spec, const char *member, const char *format, ...)
{
  va_list arguments;
  self->error.spec = spec;
  self->error.member = member;
  va_start (arguments, format);
  g_vsnprintf (self->error.text, sizeof self->error.text, format, arguments);
  va_end (arguments);
  return FALSE;
}

static gint
entry_compare (gconstpointer a, gconstpointer b)
{
  const LkNameEntry *x = a;
  const LkNameEntry *y = b;
  int order = strcmp (x->name, y->name);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

void
lk_names_add (GArray *names, const char *name)
{
  LkNameEntry entry = { name, names->len };
  g_array_append_val (names, entry);
}

guint32
lk_names_sort (GArray *names)
{
  guint32 repeated = LK_NAME_NONE;
  g_array_sort (names, entry_compare);
  for (guint i = 1; i < names->len; i++) {
    const LkNameEntry *entry = &g_array_index (names, LkNameEntry, i);
    if (strcmp (entry[-1].name, entry->name) == 0)
      repeated = MIN (repeated, entry->index);
  }
  return repeated;
}

guint32
lk_names_find (const GArray *names, const char *name)
{
  guint low = 0;
  guint high = names->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    const LkNameEntry *entry = &g_array_index (names, LkNameEntry, middle);
    int order = strcmp (name, entry->name);
    if (order == 0)
      return entry->index;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return LK_NAME_NONE;
}

/* ---------------------------------------------------------------- members of any kind */

/* The place of a member, for the checks of its value. */
typedef struct {
  LkCheck *check;
  const void *spec;
  const char *member;
} Place;

static gboolean
range_check (Place place, gint64 value, gint64 low, gint64 high)
{
  if (value >= low && value <= high)
    return TRUE;
  if (high == G_MAXINT64)
    return lk_check_wrong (place.check, place.spec, place.member,
                           "is %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT " or more", value,
                           low);
  return lk_check_wrong (place.check, place.spec, place.member,
                         "is %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT
                         " to %" G_GINT64_FORMAT,
                         value, low, high);
}

/* Any text: UTF-8 that fits on a page. */
static gboolean
text_check (Place place, const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return lk_check_wrong (place.check, place.spec, place.member, "is not UTF-8");
  for (const char *at = text; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at) && *at != '\n' && *at != '\t')
      return lk_check_wrong (place.check, place.spec, place.member,
                             "holds the control character %d; expected text", *at);
  return TRUE;
}

static gboolean
name_check (Place place, const char *name, const char *forbidden)
{
  gsize length_bytes = strlen (name);
  if (length_bytes == 0 || length_bytes > NAME_BYTES_MAX)
    return lk_check_wrong (place.check, place.spec, place.member,
                           "has %" G_GSIZE_FORMAT " letters; expected 1 to %u", length_bytes,
                           NAME_BYTES_MAX);
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isgraph (*at) || strchr (forbidden, *at) != NULL)
      return lk_check_wrong (place.check, place.spec, place.member,
                             "holds a letter that names may not have; expected ASCII without "
                             "blanks and %s",
                             forbidden);
  return TRUE;
}

gboolean
lk_check_name (LkCheck *self, const void *spec, const char *name)
{
  return name_check ((Place){ self, spec, "name" }, name, NOT_IN_NODE_NAMES);
}

/* One check for each type of the tables: sizes and times are not negative, enumerations are in
 * their range. */
#define CHECK_text(member) text_check (PLACE (#member), spec->member)
#define CHECK_u32(member) TRUE
#define CHECK_i64(member) range_check (PLACE (#member), spec->member, 0, G_MAXINT64)
#define CHECK_flag(member) TRUE
#define CHECK_names(member) TRUE
#define CHECK_sizes(member) TRUE
#define CHECK_sockets(member) TRUE
#define CHECK_links(member) TRUE
#define WORD_COUNT(type, c_type, ...)                                                              \
  static const guint32 type##_count = sizeof ((const char *[]){ __VA_ARGS__ }) / sizeof (char *);
LK_CLUSTER_ENUMS (WORD_COUNT)
#define CHECK_enum(member, count)                                                                  \
  range_check (PLACE (#member), (gint64)spec->member, 0, (gint64)(count)-1)
#define CHECK_topology(member) CHECK_enum (member, topology_count)
#define CHECK_consume(member) CHECK_enum (member, consume_count)
#define CHECK_partition_state(member) CHECK_enum (member, partition_state_count)
#define CHECK_oversubscribe(member) CHECK_enum (member, oversubscribe_count)
#define CHECK_inherit(member) CHECK_enum (member, inherit_count)
#define CHECK_compat(member) CHECK_enum (member, compat_count)
#define CHECK_MEMBER(type, member, help) &&CHECK_##type (member)
#define PLACE(name) ((Place){ check, spec, name })

/* At most one default for the memory of jobs that ask for none. */
static gboolean
memory_defaults_check (Place place, gint64 per_cpu_bytes, gint64 per_node_bytes,
                       gint64 per_gpu_bytes)
{
  int count = (per_cpu_bytes > 0) + (per_node_bytes > 0) + (per_gpu_bytes > 0);
  if (count <= 1)
    return TRUE;
  return lk_check_wrong (place.check, place.spec, place.member,
                         "is one of %d defaults for memory; expected at most one of those per "
                         "CPU, node and GPU",
                         count);
}

/* The place to complain about: the last one set. */
#define MEMORY_DEFAULTS_CHECK(spec)                                                                \
  memory_defaults_check (                                                                          \
      PLACE ((spec)->memory_per_gpu_default_bytes > 0 ? "memory_per_gpu_default_bytes"             \
                                                      : "memory_per_node_default_bytes"),          \
      (spec)->memory_per_cpu_default_bytes, (spec)->memory_per_node_default_bytes,                 \
      (spec)->memory_per_gpu_default_bytes)

/* ---------------------------------------------------------------- generic resources */

/* Counts a text that had not been seen. */
static gboolean
text_is_new (GPtrArray *texts, char *text)
{
  for (guint i = 0; i < texts->len; i++)
    if (strcmp (g_ptr_array_index (texts, i), text) == 0)
      return FALSE;
  g_ptr_array_add (texts, text);
  return TRUE;
}

static gboolean
sockets_check (LkCheck *check, const LkNodeSpec *node, const LkGresSpec *spec)
{
  for (guint32 i = 0; i < spec->count; i++)
    if (node->sockets < 32 && spec->device_sockets[i] >> node->sockets != 0)
      return lk_check_wrong (check, spec, "device_sockets",
                             "names a socket that is not there, for device %u; the node has %u", i,
                             node->sockets);
  return TRUE;
}

static gboolean
gres_check (LkCheck *check, const LkNodeSpec *node, LkGresSpec *spec)
{
  if (!(TRUE LK_GRES_SPEC_FIELDS (CHECK_MEMBER)))
    return FALSE;
  if (!name_check (PLACE ("name"), spec->name, NOT_IN_GRES_NAMES)
      || (spec->type[0] != '\0' && !name_check (PLACE ("type"), spec->type, NOT_IN_GRES_NAMES)))
    return FALSE;
  if (text_is_new (check->gres_names, spec->name) && check->gres_names->len > LK_LIMIT_GRES_NAMES)
    return lk_check_wrong (check, spec, "name", "is name %u of a generic resource; expected %u",
                           check->gres_names->len, LK_LIMIT_GRES_NAMES);
  if (text_is_new (check->gres_types, spec->type) && check->gres_types->len > GRES_TYPES_MAX)
    return lk_check_wrong (check, spec, "type", "is one of more than %u types", GRES_TYPES_MAX);
  if (!range_check (PLACE ("count"), spec->count, 1, LK_LIMIT_UNITS))
    return FALSE;
  if ((spec->device_sockets != NULL || spec->links != NULL) && spec->count > LK_LIMIT_NODE_DEVICES)
    return lk_check_wrong (check, spec, "count", "is %u, of single devices; expected at most %u",
                           spec->count, LK_LIMIT_NODE_DEVICES);
  return spec->device_sockets == NULL || sockets_check (check, node, spec);
}

static guint64
gres_sum (const LkNodeSpec *node, const char *name)
{
  guint64 sum = 0;
  for (guint i = 0; i < node->gres->len; i++) {
    const LkGresSpec *spec = g_ptr_array_index (node->gres, i);
    if (strcmp (spec->name, name) == 0)
      sum += spec->count;
  }
  return sum;
}

static gboolean
is_share (const LkGresSpec *spec)
{
  return strcmp (spec->name, "shard") == 0 || strcmp (spec->name, "mps") == 0;
}

/* Shares spread evenly over the GPUs of the node (gres.html, Sharding). */
static gboolean
share_check (LkCheck *check, const LkNodeSpec *node, const LkGresSpec *spec)
{
  guint64 gpu_count = gres_sum (node, "gpu");
  guint64 share_count = gres_sum (node, spec->name);
  const char *other = strcmp (spec->name, "mps") == 0 ? "shard" : "mps";
  if (gres_sum (node, other) > 0)
    return lk_check_wrong (check, spec, "name", "is %s beside %s; expected one of them", spec->name,
                           other);
  if (gpu_count == 0)
    return lk_check_wrong (check, spec, "name", "is %s without GPUs; expected gpu too", spec->name);
  if (share_count % gpu_count == 0)
    return TRUE;
  return lk_check_wrong (check, spec, "count",
                         "adds up to %" G_GUINT64_FORMAT " for %" G_GUINT64_FORMAT
                         " GPUs; expected as many for each",
                         share_count, gpu_count);
}

/* What the resources of a node are together. */
static gboolean
gres_fit_check (LkCheck *check, const LkNodeSpec *node, guint at)
{
  const LkGresSpec *spec = g_ptr_array_index (node->gres, at);
  gboolean is_gpu = strcmp (spec->name, "gpu") == 0;
  guint64 sum = gres_sum (node, spec->name);
  if (!range_check (PLACE ("count"), (gint64)sum, 1,
                    is_gpu ? LK_LIMIT_NODE_DEVICES : LK_LIMIT_UNITS))
    return FALSE;
  for (guint i = 0; i < at; i++) {
    const LkGresSpec *other = g_ptr_array_index (node->gres, i);
    if (strcmp (spec->name, other->name) == 0 && strcmp (spec->type, other->type) == 0)
      return lk_check_wrong (check, spec, "type",
                             "is there twice; expected one entry for each name and type");
  }
  return !is_share (spec) || share_check (check, node, spec);
}

static gboolean
node_gres_check (LkCheck *check, const LkNodeSpec *node)
{
  if (node->gres->len > NODE_GRES_MAX)
    return lk_check_wrong (check, node, "gres", "has %u entries; expected at most %u",
                           node->gres->len, NODE_GRES_MAX);
  for (guint i = 0; i < node->gres->len; i++)
    if (!gres_check (check, node, g_ptr_array_index (node->gres, i)))
      return FALSE;
  for (guint i = 0; i < node->gres->len; i++)
    if (!gres_fit_check (check, node, i))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- nodes */

/* The features of one group. */
static gboolean
node_features_check (LkCheck *check, const LkNodeSpec *spec)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (LkNameEntry));
  for (guint i = 0; i < spec->features->len; i++) {
    char *feature = g_ptr_array_index (spec->features, i);
    if (!name_check (PLACE ("features"), feature, NOT_IN_FEATURES))
      return FALSE;
    lk_names_add (names, feature);
    lk_names_add (check->features, feature);
  }
  guint32 repeated = lk_names_sort (names);
  if (repeated == LK_NAME_NONE)
    return TRUE;
  return lk_check_wrong (check, spec, "features", "holds '%.80s' twice; expected each once",
                         (const char *)g_ptr_array_index (spec->features, repeated));
}

static gboolean
features_check (LkCheck *check)
{
  guint count = 0;
  lk_names_sort (check->features);
  for (guint i = 0; i < check->features->len; i++) {
    const LkNameEntry *entry = &g_array_index (check->features, LkNameEntry, i);
    if (i == 0 || strcmp (entry[-1].name, entry->name) != 0)
      count++;
  }
  if (count <= FEATURES_MAX)
    return TRUE;
  return lk_check_wrong (check, NULL, "features", "are %u in all; expected at most %u", count,
                         FEATURES_MAX);
}

static gboolean
node_names_check (LkCheck *check, const LkNodeSpec *spec, guint first)
{
  if (check->node_names->len == first)
    return lk_check_wrong (check, spec, "names", "is empty; expected names of nodes");
  if (check->node_names->len > LK_LIMIT_NODES)
    return lk_check_wrong (check, spec, "names", "leads to more than %u nodes", LK_LIMIT_NODES);
  for (guint i = first; i < check->node_names->len; i++) {
    const char *name = g_ptr_array_index (check->node_names, i);
    if (!name_check (PLACE ("names"), name, NOT_IN_NODE_NAMES))
      return FALSE;
    if (strcmp (name, "ALL") == 0)
      return lk_check_wrong (check, spec, "names", "holds ALL, which stands for all nodes");
  }
  return TRUE;
}

static gboolean
cores_check (LkCheck *check, const LkNodeSpec *spec)
{
  if (!range_check (PLACE ("sockets"), spec->sockets, 1, LK_LIMIT_NODE_SOCKETS)
      || !range_check (PLACE ("cores_per_socket"), spec->cores_per_socket, 1,
                       LK_LIMIT_NODE_CORES / spec->sockets)
      || !range_check (PLACE ("threads_per_core"), spec->threads_per_core, 1, THREADS_PER_CORE_MAX))
    return FALSE;
  guint32 cores = spec->sockets * spec->cores_per_socket;
  guint32 threads = cores * spec->threads_per_core;
  if (spec->cpus != cores && spec->cpus != threads)
    return lk_check_wrong (check, spec, "cpus",
                           "is %u; expected %u, one for each core, or %u, one for each thread",
                           spec->cpus, cores, threads);
  return range_check (PLACE ("cores_reserved"), spec->cores_reserved, 0, (gint64)cores - 1);
}

/* Sums over the machine, which stay in their types from here on. */
static gboolean
sums_check (LkCheck *check, const LkNodeSpec *spec, guint32 node_count)
{
  gint64 group_bytes;
  check->cpu_count += (guint64)spec->cpus * node_count;
  if (check->cpu_count > LK_LIMIT_UNITS)
    return lk_check_wrong (check, spec, "cpus", "leads to more than %u CPUs in all",
                           LK_LIMIT_UNITS);
  if (__builtin_mul_overflow (spec->memory_bytes, (gint64)node_count, &group_bytes)
      || __builtin_add_overflow (check->memory_bytes, group_bytes, &check->memory_bytes))
    return lk_check_wrong (check, spec, "memory_bytes", "leads to more than 8 EiB in all");
  return TRUE;
}

static gboolean
node_spec_check (LkCheck *check, LkNodeSpec *spec)
{
  const char *error;
  guint first = check->node_names->len;
  if (!(TRUE LK_NODE_SPEC_FIELDS (CHECK_MEMBER)))
    return FALSE;
  if (!lk_hostlist_expand (spec->names, strlen (spec->names), check->node_names, &error))
    return lk_check_wrong (check, spec, "names", "is no list of nodes: %s", error);
  if (!node_names_check (check, spec, first) || !cores_check (check, spec))
    return FALSE;
  gint64 reserved_max_bytes = MAX (0, spec->memory_bytes - 1);
  return range_check (PLACE ("memory_reserved_bytes"), spec->memory_reserved_bytes, 0,
                      reserved_max_bytes)
         && range_check (PLACE ("flags"), spec->flags, 0,
                         LK_NODE_DOWN | LK_NODE_DRAIN | LK_NODE_FAIL | LK_NODE_MAINT)
         && range_check (PLACE ("reason"), (gint64)strlen (spec->reason), 0, REASON_BYTES_MAX)
         && node_features_check (check, spec) && node_gres_check (check, spec)
         && sums_check (check, spec, check->node_names->len - first);
}

/* Complains about the group that brings a name for the second time. */
static gboolean
node_repeated (LkCheck *check, const guint *ends, guint32 node)
{
  const GPtrArray *groups = check->cluster->nodes;
  guint group = 0;
  while (group + 1 < groups->len && ends[group] <= node)
    group++;
  return lk_check_wrong (check, g_ptr_array_index (groups, group), "names",
                         "holds '%.80s', which is there already; expected each node once",
                         (const char *)g_ptr_array_index (check->node_names, node));
}

static gboolean
nodes_check (LkCheck *check)
{
  GPtrArray *nodes = check->cluster->nodes;
  if (nodes->len == 0)
    return lk_check_wrong (check, NULL, "nodes", "is empty; expected at least one node");
  g_autofree guint *ends = g_new0 (guint, nodes->len);
  for (guint i = 0; i < nodes->len; i++) {
    if (!node_spec_check (check, g_ptr_array_index (nodes, i)))
      return FALSE;
    ends[i] = check->node_names->len;
  }
  for (guint i = 0; i < check->node_names->len; i++)
    lk_names_add (check->nodes, g_ptr_array_index (check->node_names, i));
  guint32 repeated = lk_names_sort (check->nodes);
  return repeated == LK_NAME_NONE ? features_check (check) : node_repeated (check, ends, repeated);
}

/* ---------------------------------------------------------------- partitions and licences */

GPtrArray *
lk_check_expand (LkCheck *self, const void *spec, const char *member, const char *list)
{
  const char *error;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (lk_hostlist_expand (list, strlen (list), names, &error))
    return g_steal_pointer (&names);
  lk_check_wrong (self, spec, member, "is no list of names: %s", error);
  return NULL;
}

static gboolean
partition_nodes_check (LkCheck *check, const LkPartitionSpec *spec)
{
  if (strcmp (spec->nodes, "ALL") == 0)
    return TRUE;
  g_autoptr (GPtrArray) names = lk_check_expand (check, spec, "nodes", spec->nodes);
  if (names == NULL)
    return FALSE;
  check->listed_count += names->len;
  if (check->listed_count > LISTED_NODES_MAX)
    return lk_check_wrong (check, spec, "nodes",
                           "leads to more than %u names in the lists of partitions",
                           LISTED_NODES_MAX);
  for (guint i = 0; i < names->len; i++)
    if (lk_names_find (check->nodes, g_ptr_array_index (names, i)) == LK_NAME_NONE)
      return lk_check_wrong (check, spec, "nodes", "holds '%.80s'; expected names of nodes, or ALL",
                             (const char *)g_ptr_array_index (names, i));
  return TRUE;
}

static gboolean
billing_check (LkCheck *check, const LkPartitionSpec *spec)
{
  const char *wrong = lk_billing_check (spec->tres_billing_weights);
  if (wrong == NULL)
    return TRUE;
  return lk_check_wrong (check, spec, "tres_billing_weights", "is '%.80s': %s",
                         spec->tres_billing_weights, wrong);
}

/* They need not be nodes of the cluster. */
static gboolean
alloc_nodes_check (LkCheck *check, const LkPartitionSpec *spec)
{
  const char *list = spec->alloc_nodes;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (*list == '\0' || lk_hostlist_expand (list, strlen (list), names, NULL))
    return TRUE;
  return lk_check_wrong (check, spec, "alloc_nodes", "is '%.80s'; expected names of hosts, or ALL",
                         list);
}

static gboolean
partition_check (LkCheck *check, const LkPartitionSpec *spec)
{
  if (!(TRUE LK_PARTITION_SPEC_FIELDS (CHECK_MEMBER)))
    return FALSE;
  return name_check (PLACE ("name"), spec->name, NOT_IN_PARTITION_NAMES)
         && partition_nodes_check (check, spec)
         && range_check (PLACE ("time_max_us"), spec->time_max_us, 1, LK_TIME_NEVER)
         && (spec->time_default_us == LK_TIME_NEVER
             || range_check (PLACE ("time_default_us"), spec->time_default_us, 1,
                             spec->time_max_us))
         && range_check (PLACE ("nodes_max"), spec->nodes_max, MAX (1, spec->nodes_min),
                         LK_COUNT_UNLIMITED)
         && range_check (PLACE ("cpus_per_node_max"), spec->cpus_per_node_max, 1,
                         LK_COUNT_UNLIMITED)
         && range_check (PLACE ("cpus_per_socket_max"), spec->cpus_per_socket_max, 1,
                         LK_COUNT_UNLIMITED)
         && range_check (PLACE ("oversubscribe_jobs"), spec->oversubscribe_jobs, 1,
                         LK_LIMIT_OVERSUBSCRIBE_JOBS)
         && MEMORY_DEFAULTS_CHECK (spec) && billing_check (check, spec)
         && alloc_nodes_check (check, spec);
}

/* At most one is the default one. */
static gboolean
default_check (LkCheck *check)
{
  const LkPartitionSpec *found = NULL;
  for (guint i = 0; i < check->cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (check->cluster->partitions, i);
    if (!spec->is_default)
      continue;
    if (found != NULL)
      return lk_check_wrong (check, spec, "is_default",
                             "is set for '%.80s' and '%.80s'; expected one default partition",
                             found->name, spec->name);
    found = spec;
  }
  return TRUE;
}

static gboolean
partitions_check (LkCheck *check)
{
  const GPtrArray *partitions = check->cluster->partitions;
  if (partitions->len > LK_LIMIT_PARTITIONS)
    return lk_check_wrong (check, NULL, "partitions", "are %u; expected at most %u",
                           partitions->len, LK_LIMIT_PARTITIONS);
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (LkNameEntry));
  for (guint i = 0; i < partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (partitions, i);
    if (!partition_check (check, spec))
      return FALSE;
    lk_names_add (names, spec->name);
  }
  guint32 repeated = lk_names_sort (names);
  if (repeated == LK_NAME_NONE)
    return default_check (check);
  return lk_check_wrong (check, g_ptr_array_index (partitions, repeated), "name",
                         "is there twice; expected each partition once");
}

static gboolean
licenses_check (LkCheck *check)
{
  const GPtrArray *licenses = check->cluster->licenses;
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (LkNameEntry));
  for (guint i = 0; i < licenses->len; i++) {
    const LkLicenseSpec *spec = g_ptr_array_index (licenses, i);
    if (!name_check (PLACE ("name"), spec->name, NOT_IN_LICENSE_NAMES))
      return FALSE;
    lk_names_add (names, spec->name);
  }
  guint32 repeated = lk_names_sort (names);
  if (repeated == LK_NAME_NONE)
    return TRUE;
  return lk_check_wrong (check, g_ptr_array_index (licenses, repeated), "name",
                         "is there twice; expected each licence once");
}

/* ---------------------------------------------------------------- the whole */

static gboolean
exit_codes_check (Place place, const char *text)
{
  guint64 set[LK_EXIT_CODE_WORDS];
  return lk_exit_codes_parse (text, set)
         || lk_check_wrong (place.check, place.spec, place.member,
                            "is '%.80s'; expected exit codes such as 1,5-10", text);
}

static gboolean
machine_check (LkCheck *check, const LkCluster *spec)
{
  return TRUE LK_CLUSTER_FIELDS (CHECK_MEMBER)
         && range_check (PLACE ("name"), (gint64)strlen (spec->name), 1, NAME_BYTES_MAX)
         && exit_codes_check (PLACE ("requeue_exit"), spec->requeue_exit)
         && exit_codes_check (PLACE ("requeue_exit_hold"), spec->requeue_exit_hold)
         && range_check (PLACE ("array_size_max"), spec->array_size_max, 0, LK_LIMIT_TASKS)
         && MEMORY_DEFAULTS_CHECK (spec);
}

/* What goes without saying. */
static void
defaults_add (LkCluster *cluster, guint32 block_size_default)
{
  gboolean has_default = FALSE;
  if (cluster->partitions->len == 0)
    lk_cluster_add_partition (cluster, "main");
  for (guint i = 0; i < cluster->partitions->len; i++)
    has_default |= ((LkPartitionSpec *)g_ptr_array_index (cluster->partitions, i))->is_default;
  if (!has_default)
    ((LkPartitionSpec *)g_ptr_array_index (cluster->partitions, 0))->is_default = TRUE;
  if (cluster->topology == LK_TOPOLOGY_BLOCK && cluster->block_sizes->len == 0)
    g_array_append_val (cluster->block_sizes, block_size_default);
}

static gboolean
text_size_check (LkCheck *check)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (check->cluster, text);
  if (text->len <= LK_LIMIT_CLUSTER_TEXT_BYTES)
    return TRUE;
  return lk_check_wrong (check, NULL, "nodes",
                         "makes a description of %" G_GSIZE_FORMAT " bytes; expected at most %u",
                         text->len, LK_LIMIT_CLUSTER_TEXT_BYTES);
}

static gboolean
check_run (LkCheck *check)
{
  guint32 block_size_default = 0;
  if (!machine_check (check, check->cluster) || !nodes_check (check) || !partitions_check (check)
      || !licenses_check (check) || !lk_topology_check (check, &block_size_default))
    return FALSE;
  defaults_add (check->cluster, block_size_default);
  return text_size_check (check);
}

gboolean
lk_cluster_check (LkCluster *self, LkClusterError *out_error)
{
  LkCheck check = {
    .cluster = self,
    .node_names = g_ptr_array_new_with_free_func (g_free),
    .nodes = g_array_new (FALSE, FALSE, sizeof (LkNameEntry)),
    .features = g_array_new (FALSE, FALSE, sizeof (LkNameEntry)),
    .gres_names = g_ptr_array_new (),
    .gres_types = g_ptr_array_new (),
  };
  gboolean is_good = check_run (&check);
  /* The cluster itself is said to be NULL. */
  if (check.error.spec == self)
    check.error.spec = NULL;
  if (!is_good && out_error)
    *out_error = check.error;
  g_ptr_array_unref (check.node_names);
  g_array_unref (check.nodes);
  g_array_unref (check.features);
  g_ptr_array_unref (check.gres_names);
  g_ptr_array_unref (check.gres_types);
  return is_good;
}
