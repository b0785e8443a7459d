/* traces/slurm_conf_nodes.c — NodeName and DownNodes lines to groups of equal nodes.
 *
 * Each line gives one description and many names.  The names are sorted as slurmctld sorts its node
 * table; neighbours that are alike in all (line, state, gres.conf) become a group again. */
#include <stddef.h>
#include <string.h>

#include "engine/hostlist.h"
#include "traces/slurm_conf_private.h"

/* What Slurm itself writes as the reason of DownNodes. */
static const char down_reason[] = "Set in slurm.conf";

/* ---------------------------------------------------------------- CPUs */

typedef struct {
  guint32 boards;
  guint32 sockets;           /* 0: not given */
  guint32 sockets_per_board; /* 0: not given */
  guint32 cores;
  guint32 threads;
  guint32 cpus; /* 0: not given */
} Layout;

static gboolean
layout_read (const LkSlurmRecord *record, Layout *out, GError **error)
{
  static const LkSlurmMember members[] = {
    { "Boards", LK_SLURM_KIND_COUNT, offsetof (Layout, boards) },
    { "Sockets", LK_SLURM_KIND_COUNT, offsetof (Layout, sockets) },
    { "SocketsPerBoard", LK_SLURM_KIND_COUNT, offsetof (Layout, sockets_per_board) },
    { "CoresPerSocket", LK_SLURM_KIND_COUNT, offsetof (Layout, cores) },
    { "ThreadsPerCore", LK_SLURM_KIND_COUNT, offsetof (Layout, threads) },
    /* CPUs of a DEFAULT line goes before Procs of the line itself, as in Slurm. */
    { "Procs", LK_SLURM_KIND_COUNT, offsetof (Layout, cpus) },
    { "CPUs", LK_SLURM_KIND_COUNT, offsetof (Layout, cpus) },
  };
  *out = (Layout){ .boards = 1, .cores = 1, .threads = 1 };
  return lk_slurm_members_set (record, members, G_N_ELEMENTS (members), out, error);
}

/* How many sockets, when they are given in one of the three ways or have to be found. */
static guint64
layout_sockets (const LkSlurmRecord *record, const Layout *layout)
{
  if (layout->sockets_per_board > 0) {
    if (layout->sockets > 0)
      lk_slurm_pair_note (lk_slurm_record_get (record, "Sockets"), LK_SLURM_IGNORED,
                          "SocketsPerBoard is given too and goes first, as in Slurm");
    return (guint64)layout->boards * layout->sockets_per_board;
  }
  if (layout->sockets > 0)
    return layout->sockets;
  guint64 per_socket = (guint64)layout->cores * layout->threads;
  if (layout->cpus >= per_socket && layout->cpus % per_socket == 0)
    return layout->cpus / per_socket;
  return layout->boards;
}

/* The pair that says how many CPUs there are; NULL when none does. */
static const LkSlurmPair *
cpus_pair (const LkSlurmRecord *record)
{
  const LkSlurmPair *pair = lk_slurm_record_get (record, "CPUs");
  return pair ? pair : lk_slurm_record_get (record, "Procs");
}

static gboolean
cpus_fail (const LkSlurmRecord *record, const Layout *layout, guint64 sockets, GError **error)
{
  guint64 cores = sockets * layout->cores;
  return lk_slurm_pair_fail (cpus_pair (record), error,
                             "%" G_GUINT64_FORMAT " (cores of %" G_GUINT64_FORMAT " sockets) or "
                             "%" G_GUINT64_FORMAT " (threads)",
                             cores, sockets, cores * layout->threads);
}

/* Sockets, cores and CPUs of a line. */
static gboolean
layout_set (const LkSlurmRecord *record, LkNodeSpec *spec, GError **error)
{
  Layout layout;
  if (!layout_read (record, &layout, error))
    return FALSE;
  guint64 sockets = layout_sockets (record, &layout);
  guint64 cores = sockets * layout.cores;
  guint64 threads = cores * layout.threads;
  guint64 cpus = layout.cpus > 0 ? layout.cpus : threads;
  if (sockets < layout.boards)
    return lk_slurm_pair_refuse (lk_slurm_record_get (record, "Boards"), error,
                                 "more boards than the %" G_GUINT64_FORMAT " sockets", sockets);
  if (cpus != cores && cpus != threads && cpus != sockets)
    return cpus_fail (record, &layout, sockets, error);
  if (cores > LK_LIMIT_NODE_CORES)
    return lk_slurm_pair_refuse (lk_slurm_record_head (record), error,
                                 "%" G_GUINT64_FORMAT " cores on a node; expected at most %u",
                                 cores, LK_LIMIT_NODE_CORES);
  if (cpus != cores && cpus != threads) {
    lk_slurm_pair_note (cpus_pair (record), LK_SLURM_APPROXIMATED,
                        "one CPU for each socket: a socket is taken as one core");
    layout.cores = 1;
    layout.threads = 1;
  } else if (sockets > LK_LIMIT_NODE_SOCKETS) {
    const LkSlurmPair *pair = cpus_pair (record);
    lk_slurm_pair_note (pair ? pair : lk_slurm_record_head (record), LK_SLURM_APPROXIMATED,
                        "%" G_GUINT64_FORMAT " sockets are taken as one", sockets);
    layout.cores = (guint32)cores;
    sockets = 1;
  }
  spec->sockets = (guint32)sockets;
  spec->cores_per_socket = layout.cores;
  spec->threads_per_core = layout.threads;
  spec->cpus = (guint32)cpus;
  return TRUE;
}

/* ---------------------------------------------------------------- reserved cores */

/* Cores of a list of CPUs ("0,2-3"). */
static gboolean
cpu_list_cores (const LkSlurmPair *pair, const LkNodeSpec *spec, guint32 *out_count, GError **error)
{
  guint32 core_count = spec->sockets * spec->cores_per_socket;
  guint32 cpus_per_core = MAX (1, spec->cpus / core_count);
  g_autofree guint8 *is_reserved = g_malloc0 (core_count);
  g_auto (GStrv) ranges = g_strsplit (pair->value, ",", -1);
  for (guint i = 0; ranges[i]; i++) {
    char *dash = strchr (ranges[i], '-');
    guint64 low = 0;
    guint64 high = 0;
    gsize low_bytes = dash ? (gsize)(dash - ranges[i]) : strlen (ranges[i]);
    gboolean is_right = lk_slurm_number_parse (ranges[i], low_bytes, &low);
    high = low;
    if (dash)
      is_right = is_right && lk_slurm_number_parse (dash + 1, strlen (dash + 1), &high);
    if (!is_right || low > high || high >= spec->cpus)
      return lk_slurm_pair_fail (pair, error, "CPUs from 0 to %u, such as 0,2-3", spec->cpus - 1);
    for (guint64 cpu = low; cpu <= high; cpu++)
      is_reserved[cpu / cpus_per_core] = 1;
  }
  *out_count = 0;
  for (guint32 i = 0; i < core_count; i++)
    *out_count += is_reserved[i];
  return TRUE;
}

static gboolean
reserved_set (const LkSlurmRecord *record, LkNodeSpec *spec, GError **error)
{
  const LkSlurmPair *list = lk_slurm_record_get (record, "CpuSpecList");
  const LkSlurmPair *count = lk_slurm_record_get (record, "CoreSpecCount");
  guint32 core_count = spec->sockets * spec->cores_per_socket;
  if (list && count)
    lk_slurm_pair_note (count, LK_SLURM_IGNORED, "CpuSpecList is given too and goes first");
  if (list ? !cpu_list_cores (list, spec, &spec->cores_reserved, error)
           : count && !lk_slurm_value_count (count, 0, G_MAXUINT16, &spec->cores_reserved, error))
    return FALSE;
  if (spec->cores_reserved >= core_count)
    return lk_slurm_pair_fail (list ? list : count, error, "fewer than the node's %u cores",
                               core_count);
  return TRUE;
}

/* ---------------------------------------------------------------- memory, features, state */

static gboolean
memory_set (LkSlurmImport *self, const LkSlurmRecord *record, LkNodeSpec *spec, GError **error)
{
  static const LkSlurmMember members[] = {
    { "RealMemory", LK_SLURM_KIND_MEMORY, offsetof (LkNodeSpec, memory_bytes) },
    { "MemSpecLimit", LK_SLURM_KIND_MEMORY, offsetof (LkNodeSpec, memory_reserved_bytes) },
    { "TmpDisk", LK_SLURM_KIND_MEMORY, offsetof (LkNodeSpec, tmp_bytes) },
    { "Weight", LK_SLURM_KIND_LIMIT, offsetof (LkNodeSpec, weight) },
  };
  guint before = lk_slurm_import_fault_count (self);
  if (!lk_slurm_members_set_all (self, record, members, G_N_ELEMENTS (members), spec, error))
    return FALSE;
  if (lk_slurm_import_fault_count (self) > before)
    return TRUE;
  /* Slurm keeps the largest number for itself. */
  if (spec->weight == LK_COUNT_UNLIMITED)
    spec->weight--;
  if (spec->memory_reserved_bytes > 0 && spec->memory_reserved_bytes >= spec->memory_bytes)
    return lk_slurm_pair_fail (lk_slurm_record_get (record, "MemSpecLimit"), error,
                               "less than RealMemory, %" G_GINT64_FORMAT " MiB",
                               spec->memory_bytes / LK_SLURM_BYTES_PER_MIB);
  return TRUE;
}

static void
features_set (const LkSlurmRecord *record, LkNodeSpec *spec)
{
  const LkSlurmPair *pair = lk_slurm_record_get_own (record, "Feature");
  if (!pair)
    pair = lk_slurm_record_get_own (record, "Features");
  if (!pair)
    pair = lk_slurm_record_get (record, "Feature");
  if (!pair)
    pair = lk_slurm_record_get (record, "Features");
  g_auto (GStrv) words = lk_slurm_list_split (pair ? pair->value : "");
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; words[i]; i++)
    if (g_hash_table_add (seen, words[i]))
      lk_node_spec_add_feature (spec, words[i]);
}

static const struct {
  const char *name;
  guint32 flags;
  gboolean is_future;
} states[] = {
  { "UNKNOWN", 0, FALSE },
  { "IDLE", 0, FALSE },
  { "CLOUD", 0, FALSE },
  { "DOWN", LK_NODE_DOWN, FALSE },
  { "DRAIN", LK_NODE_DRAIN, FALSE },
  { "DRAINED", LK_NODE_DRAIN, FALSE },
  { "DRAINING", LK_NODE_DRAIN, FALSE },
  { "FAIL", LK_NODE_FAIL, FALSE },
  { "FAILING", LK_NODE_FAIL, FALSE },
  { "FUTURE", 0, TRUE },
  /* What nodes do, which the file should not say: up. */
  { "ALLOCATED", 0, FALSE },
  { "BUSY", 0, FALSE },
  { "MIXED", 0, FALSE },
};

static gboolean
state_set (const LkSlurmPair *pair, guint32 *flags, gboolean *is_future, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strcasecmp (pair->value, states[i].name) == 0) {
      *flags |= states[i].flags;
      *is_future = *is_future || states[i].is_future;
      if (strcmp (states[i].name, "CLOUD") == 0)
        lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "up and always on: no power saving");
      if (states[i].is_future)
        lk_slurm_pair_note (pair, LK_SLURM_UNDERSTOOD, "not there: left out, also of partitions");
      return TRUE;
    }
  return lk_slurm_pair_fail (pair, error, "UNKNOWN, DOWN, DRAIN, FAIL, FUTURE or CLOUD");
}

static void
reason_set (const LkSlurmRecord *record, LkNodeSpec *spec)
{
  const LkSlurmPair *pair = lk_slurm_record_get (record, "Reason");
  if (!pair)
    return;
  if (spec->flags == 0) {
    lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "the nodes are up");
    return;
  }
  g_free (spec->reason);
  spec->reason = g_strdup (pair->value);
}

/* Is every name of Gres= one of GresTypes? Slurm would not know the others. */
static gboolean
gres_names_check (LkSlurmImport *self, const LkSlurmPair *pair, const LkNodeSpec *spec,
                  GError **error)
{
  const LkSlurmPair *types = lk_slurm_record_get (&self->global, "GresTypes");
  g_auto (GStrv) names = lk_slurm_list_split (types ? types->value : "");
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (g_strv_contains ((const char *const *)names, gres->name))
      continue;
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "kept, although GresTypes does not have '%s'",
                        gres->name);
    if (!self->faults)
      continue;
    lk_slurm_pair_refuse (pair, error, "'%s' is not among GresTypes", gres->name);
    if (!lk_slurm_import_goes_on (self, error))
      return FALSE;
  }
  return TRUE;
}

/* What a line says of each of its nodes. */
static gboolean
spec_fill (LkSlurmImport *self, const LkSlurmRecord *record, LkNodeSpec *spec, gboolean *is_future,
           GError **error)
{
  const LkSlurmPair *state = lk_slurm_record_get (record, "State");
  const LkSlurmPair *gres = lk_slurm_record_get (record, "Gres");
  if (!(layout_set (record, spec, error) && reserved_set (record, spec, error))
      && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  if (!memory_set (self, record, spec, error) && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  if (state && !state_set (state, &spec->flags, is_future, error)
      && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  if (gres && !lk_slurm_gres_parse (gres, spec, error) && !lk_slurm_import_goes_on (self, error))
    return FALSE;
  features_set (record, spec);
  reason_set (record, spec);
  return !gres || gres_names_check (self, gres, spec, error);
}

/* ---------------------------------------------------------------- lines to nodes */

static void
node_free (gpointer data)
{
  LkSlurmNode *node = data;
  g_free (node->name);
  g_free (node);
}

static gboolean
node_add (LkSlurmImport *self, const LkSlurmRecord *record, const LkSlurmNode *node, GError **error)
{
  const LkSlurmPair *head = lk_slurm_record_head (record);
  const LkSlurmNode *before = lk_slurm_node_find (self, node->name);
  if (before) {
    const LkSlurmRecord *other = g_ptr_array_index (self->records, before->record_index);
    const LkSlurmPlace *place = &lk_slurm_record_head (other)->place;
    return lk_slurm_pair_refuse (head, error, "node '%s' is described in %s:%u already", node->name,
                                 place->file, place->line_number);
  }
  if (self->nodes->len == LK_LIMIT_NODES)
    return lk_slurm_pair_refuse (head, error, "more than %u nodes", LK_LIMIT_NODES);
  LkSlurmNode *copy = g_new (LkSlurmNode, 1);
  *copy = *node;
  copy->name = g_strdup (node->name);
  g_ptr_array_add (self->nodes, copy);
  g_hash_table_insert (self->indices, copy->name, GUINT_TO_POINTER (self->nodes->len));
  return TRUE;
}

/* What a line says of each of its nodes; where it is wrong, any node's, for what else speaks of
 * them. */
static gboolean
spec_read (LkSlurmImport *self, guint record_index, gboolean *is_future, GError **error)
{
  const LkSlurmRecord *record = g_ptr_array_index (self->records, record_index);
  guint before = lk_slurm_import_fault_count (self);
  /* The names come later: a cluster of its own keeps the description until then. */
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  if (!spec_fill (self, record, lk_cluster_add_nodes (scratch, ""), is_future, error))
    return FALSE;
  lk_cluster_add_nodes (scratch, "");
  guint index = lk_slurm_import_fault_count (self) > before ? 1 : 0;
  g_ptr_array_index (self->specs, record_index) =
      lk_node_spec_copy (g_ptr_array_index (scratch->nodes, index));
  return TRUE;
}

static gboolean
line_read (LkSlurmImport *self, guint record_index, GError **error)
{
  const LkSlurmRecord *record = g_ptr_array_index (self->records, record_index);
  const LkSlurmPair *head = lk_slurm_record_head (record);
  gboolean is_future = FALSE;
  if (!spec_read (self, record_index, &is_future, error))
    return FALSE;
  if (record->is_default)
    return TRUE;
  if (g_ascii_strcasecmp (record->name, "ALL") == 0)
    return lk_slurm_pair_fail (head, error, "names of nodes; ALL is reserved");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_slurm_names_expand (self, head, record->name, names, error)) {
    self->is_partial = TRUE;
    return FALSE;
  }
  for (guint i = 0; i < names->len; i++) {
    LkSlurmNode node = { .name = g_ptr_array_index (names, i),
                         .record_index = record_index,
                         .is_future = is_future };
    if (!node_add (self, record, &node, error) && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- DownNodes */

static gboolean
down_read (LkSlurmImport *self, const LkSlurmRecord *record, GError **error)
{
  const LkSlurmPair *head = lk_slurm_record_head (record);
  const LkSlurmPair *state = lk_slurm_record_get (record, "State");
  const LkSlurmPair *reason = lk_slurm_record_get (record, "Reason");
  guint32 flags = state ? 0 : LK_NODE_DOWN;
  gboolean is_future = FALSE;
  if (state && !state_set (state, &flags, &is_future, error))
    return FALSE;
  gboolean is_all = g_ascii_strcasecmp (record->name, "ALL") == 0;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!is_all && !lk_slurm_names_expand (self, head, record->name, names, error))
    return FALSE;
  guint count = is_all ? self->nodes->len : names->len;
  for (guint i = 0; i < count; i++) {
    LkSlurmNode *node = is_all ? g_ptr_array_index (self->nodes, i)
                               : lk_slurm_node_find (self, g_ptr_array_index (names, i));
    if (!node && self->is_partial)
      continue;
    if (!node) {
      lk_slurm_pair_refuse (head, error, "there is no NodeName for '%s'",
                            (const char *)g_ptr_array_index (names, i));
      if (!lk_slurm_import_goes_on (self, error))
        return FALSE;
      continue;
    }
    node->flags |= flags;
    node->is_future = node->is_future || is_future;
    node->reason = reason ? reason->value : down_reason;
  }
  return TRUE;
}

static void
spec_free (gpointer spec)
{
  lk_node_spec_free (spec);
}

gboolean
lk_slurm_nodes_read (LkSlurmImport *self, GError **error)
{
  self->specs = g_ptr_array_new_with_free_func (spec_free);
  g_ptr_array_set_size (self->specs, (gint)self->records->len);
  self->nodes = g_ptr_array_new_with_free_func (node_free);
  self->indices = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < self->records->len; i++) {
    const LkSlurmRecord *record = g_ptr_array_index (self->records, i);
    if (record->scope == LK_SLURM_SCOPE_NODE && !line_read (self, i, error)
        && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  }
  for (guint i = 0; i < self->records->len; i++) {
    const LkSlurmRecord *record = g_ptr_array_index (self->records, i);
    if (record->scope == LK_SLURM_SCOPE_DOWN_NODES && !down_read (self, record, error)
        && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the order of nodes */

static gsize
digits_length (const char *text)
{
  gsize length_bytes = 0;
  while (g_ascii_isdigit (text[length_bytes]))
    length_bytes++;
  return length_bytes;
}

/* Two runs of digits: as numbers, unless one has a leading zero; then letter by letter. */
static int
digits_compare (const char *a, const char *b)
{
  gsize a_bytes = digits_length (a);
  gsize b_bytes = digits_length (b);
  if (*a != '0' && *b != '0' && a_bytes != b_bytes)
    return a_bytes < b_bytes ? -1 : 1;
  int order = memcmp (a, b, MIN (a_bytes, b_bytes));
  if (order != 0)
    return order;
  return a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

/* The natural order that slurmctld sorts by: src/common/strnatcmp.c. */
static int
names_compare (const char *a, const char *b)
{
  for (; *a && *b; a++, b++) {
    if (g_ascii_isdigit (*a) && g_ascii_isdigit (*b)) {
      int order = digits_compare (a, b);
      if (order != 0)
        return order;
      gsize length_bytes = digits_length (a);
      a += length_bytes - 1;
      b += length_bytes - 1;
    } else if (*a != *b) {
      return (guchar)*a < (guchar)*b ? -1 : 1;
    }
  }
  return *a ? 1 : *b ? -1 : 0;
}

static gint
nodes_compare (gconstpointer a, gconstpointer b)
{
  const LkSlurmNode *first = *(const LkSlurmNode *const *)a;
  const LkSlurmNode *second = *(const LkSlurmNode *const *)b;
  return names_compare (first->name, second->name);
}

/* Drops the nodes that are not there; their names stay known, to be left out of lists without a
 * word. */
static void
nodes_sort (LkSlurmImport *self)
{
  g_autoptr (GPtrArray) all = self->nodes;
  self->nodes = g_ptr_array_new_with_free_func (node_free);
  for (guint i = 0; i < all->len; i++) {
    LkSlurmNode *node = g_ptr_array_index (all, i);
    if (node->is_future) {
      g_hash_table_replace (self->futures, g_strdup (node->name), NULL);
      node_free (node);
    } else {
      g_ptr_array_add (self->nodes, node);
    }
  }
  g_ptr_array_set_free_func (all, NULL);
  g_hash_table_remove_all (self->indices);
  g_ptr_array_sort (self->nodes, nodes_compare);
  for (guint i = 0; i < self->nodes->len; i++) {
    LkSlurmNode *node = g_ptr_array_index (self->nodes, i);
    g_hash_table_insert (self->indices, node->name, GUINT_TO_POINTER (i + 1));
  }
}

/* ---------------------------------------------------------------- groups */

static gboolean
nodes_are_alike (const LkSlurmNode *a, const LkSlurmNode *b)
{
  return a->record_index == b->record_index && a->flags == b->flags
         && a->devices_id == b->devices_id && g_strcmp0 (a->reason, b->reason) == 0;
}

static void
group_add (LkSlurmImport *self, guint first, guint count)
{
  const LkSlurmNode *node = g_ptr_array_index (self->nodes, first);
  LkNodeSpec *spec = lk_node_spec_copy (g_ptr_array_index (self->specs, node->record_index));
  g_autofree const char **names = g_new (const char *, count);
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < count; i++)
    names[i] = ((const LkSlurmNode *)g_ptr_array_index (self->nodes, first + i))->name;
  lk_hostlist_compress (names, count, list);
  g_free (spec->names);
  spec->names = g_strdup (list->str);
  spec->flags |= node->flags;
  if (node->reason) {
    g_free (spec->reason);
    spec->reason = g_strdup (node->reason);
  }
  lk_slurm_gres_conf_apply (self, node, spec);
  g_ptr_array_add (self->cluster->nodes, spec);
  LkSlurmOrigin origin = { spec, g_ptr_array_index (self->records, node->record_index), NULL };
  g_array_append_val (self->origins, origin);
  origin.key = "Gres";
  for (guint i = 0; i < spec->gres->len; i++) {
    origin.spec = g_ptr_array_index (spec->gres, i);
    g_array_append_val (self->origins, origin);
  }
}

gboolean
lk_slurm_nodes_finish (LkSlurmImport *self, GError **error)
{
  nodes_sort (self);
  if (self->nodes->len == 0) {
    LkSlurmPlace place = { g_ptr_array_index (self->conf->files, 0), 0 };
    gboolean is_known = !self->is_partial;
    self->is_partial = TRUE;
    return !is_known || lk_slurm_fail (&place, error, "describes no node; expected NodeName lines");
  }
  guint count;
  for (guint first = 0; first < self->nodes->len; first += count) {
    const LkSlurmNode *node = g_ptr_array_index (self->nodes, first);
    for (count = 1; first + count < self->nodes->len; count++)
      if (!nodes_are_alike (node, g_ptr_array_index (self->nodes, first + count)))
        break;
    group_add (self, first, count);
  }
  lk_slurm_gres_conf_finish (self);
  return TRUE;
}
