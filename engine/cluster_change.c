/* engine/cluster_change.c — see the header. */
#include "engine/cluster_change.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/cluster_check.h"
#include "engine/hostlist.h"

G_STATIC_ASSERT (LK_PARTITION_CHANGE_COUNT <= 64);

#define BIT(number) (G_GUINT64_CONSTANT (1) << (number))
#define NODE_CHANGES (BIT (LK_NODE_CHANGE_weight) | BIT (LK_NODE_CHANGE_features))

static LkReject wrong (LkClusterError *out_error, const char *member, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static LkReject
wrong (LkClusterError *out_error, const char *member, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  *out_error = (LkClusterError){ .member = member };
  g_vsnprintf (out_error->text, sizeof out_error->text, format, arguments);
  va_end (arguments);
  return LK_REJECT_REQUEST_INVALID;
}

/* ---------------------------------------------------------------- partitions */

/* Returns: its place; the number of partitions: there is none. */
static guint
partition_find (const LkCluster *self, LkText name)
{
  guint at = 0;
  for (; at < self->partitions->len; at++) {
    const LkPartitionSpec *spec = g_ptr_array_index (self->partitions, at);
    if (strlen (spec->name) == name.length_bytes
        && memcmp (spec->name, name.bytes, name.length_bytes) == 0)
      break;
  }
  return at;
}

/* ---------------------------------------------------------------- nodes of a partition */

/* Names of all nodes of the list, ALL among them, are appended. */
static void
names_of (const LkCluster *self, const char *list, GPtrArray *names)
{
  if (g_ascii_strcasecmp (list, "ALL") != 0) {
    lk_hostlist_expand (list, strlen (list), names, NULL);
    return;
  }
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->nodes, i);
    lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
  }
}

/* The names of `list` that `others` has, or has not, are appended; borrowed. */
static void
names_pick (const GPtrArray *list, const GPtrArray *others, gboolean has, GPtrArray *out)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (LkNameEntry));
  for (guint i = 0; i < others->len; i++)
    lk_names_add (sorted, g_ptr_array_index (others, i));
  lk_names_sort (sorted);
  for (guint i = 0; i < list->len; i++) {
    gpointer name = g_ptr_array_index (list, i);
    if ((lk_names_find (sorted, name) != LK_NAME_NONE) == has)
      g_ptr_array_add (out, name);
  }
}

/* Nodes+= and Nodes-=, a list behind + or -: becomes all that the partition has then. FALSE: it is
 * no list, or a node to be taken away is not there. */
static gboolean
nodes_settle (const LkCluster *self, const LkPartitionSpec *to, LkPartitionSpec *from)
{
  g_autoptr (GPtrArray) had = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) has = g_ptr_array_new ();
  g_autoptr (GString) list = g_string_new (NULL);
  char sign = from->nodes[0];
  if (sign != '+' && sign != '-')
    return TRUE;
  if (!lk_hostlist_expand (from->nodes + 1, strlen (from->nodes + 1), said, NULL))
    return FALSE;
  names_of (self, to->nodes, had);
  names_pick (said, had, /* has= */ TRUE, has);
  if (sign == '-' && has->len < said->len)
    return FALSE;
  g_ptr_array_set_size (has, 0);
  if (sign == '-') {
    names_pick (had, said, /* has= */ FALSE, has);
  } else {
    names_pick (had, had, /* has= */ TRUE, has);
    names_pick (said, had, /* has= */ FALSE, has);
  }
  lk_hostlist_compress ((const char *const *)has->pdata, has->len, list);
  g_free (from->nodes);
  from->nodes = g_strdup (list->str);
  return TRUE;
}

/* Whatever the type: `from` is thrown away. */
#define SWAP(type, member, help)                                                                   \
  if ((changes & BIT (LK_PARTITION_CHANGE_##member)) != 0) {                                       \
    __typeof__ (to->member) kept = to->member;                                                     \
    to->member = from->member;                                                                     \
    from->member = kept;                                                                           \
  }

static void
partition_take (LkPartitionSpec *to, LkPartitionSpec *from, guint64 changes)
{
  LK_PARTITION_SPEC_FIELDS (SWAP)
}

/* `from` is, or was, what is asked to be the default, or not to be it. */
static void
default_settle (LkCluster *self, const LkPartitionSpec *from, gboolean is_default)
{
  LkPartitionSpec *next = NULL;
  for (guint i = 0; i < self->partitions->len; i++) {
    LkPartitionSpec *spec = g_ptr_array_index (self->partitions, i);
    if (spec == from)
      continue;
    if (is_default)
      spec->is_default = FALSE;
    if (next == NULL || spec->is_default)
      next = spec;
  }
  if (!is_default && next != NULL)
    next->is_default = TRUE;
}

/* The line of the change. Returns: (transfer full); NULL, with `out_error`. */
static LkPartitionSpec *
record_read (const LkClusterChange *change, LkClusterError *out_error)
{
  LkPartitionSpec *read = NULL;
  if ((change->changes >> LK_PARTITION_CHANGE_COUNT) == 0
      && (change->changes & BIT (LK_PARTITION_CHANGE_name)) == 0)
    read = lk_partition_spec_from_text (change->record.bytes, change->record.length_bytes);
  if (read == NULL)
    wrong (out_error, "name", "expected a partition as a line of the canonical text");
  return read;
}

static LkReject
partition_add (LkCluster *self, const LkClusterChange *change, LkClusterError *out_error)
{
  if (partition_find (self, change->name) < self->partitions->len) {
    wrong (out_error, "name", "'%.*s' is there already", (int)change->name.length_bytes,
           change->name.bytes);
    return LK_REJECT_PARTITION_UNKNOWN; /* as slurmctld: its name is not one for a new partition */
  }
  LkPartitionSpec *from = record_read (change, out_error);
  if (from == NULL)
    return LK_REJECT_REQUEST_INVALID;
  g_autofree char *name = g_strndup (change->name.bytes, change->name.length_bytes);
  LkPartitionSpec *to = lk_cluster_add_partition (self, name);
  partition_take (to, from, change->changes);
  lk_partition_spec_free (from);
  if (to->is_default)
    default_settle (self, to, TRUE);
  return 0;
}

static LkReject
partition_change (LkCluster *self, const LkClusterChange *change, LkClusterError *out_error)
{
  guint at = partition_find (self, change->name);
  if (at == self->partitions->len)
    return LK_REJECT_PARTITION_UNKNOWN;
  LkPartitionSpec *from = record_read (change, out_error);
  if (from == NULL)
    return LK_REJECT_REQUEST_INVALID;
  LkPartitionSpec *to = g_ptr_array_index (self->partitions, at);
  gboolean was_default = to->is_default;
  if (!nodes_settle (self, to, from)) {
    lk_partition_spec_free (from);
    return LK_REJECT_NODE_UNKNOWN;
  }
  partition_take (to, from, change->changes);
  lk_partition_spec_free (from);
  /* As where slurm.conf is read: above the longest limit it is as if not given. */
  if (to->time_default_us > to->time_max_us)
    to->time_default_us = LK_TIME_NEVER;
  if (was_default && !to->is_default && self->partitions->len == 1)
    return wrong (out_error, "is_default", "is 0; expected the only partition to be the default");
  if (to->is_default != was_default)
    default_settle (self, to, to->is_default);
  return 0;
}

static LkReject
partition_delete (LkCluster *self, const LkClusterChange *change, LkClusterError *out_error)
{
  guint at = partition_find (self, change->name);
  if (at == self->partitions->len)
    return LK_REJECT_PARTITION_UNKNOWN;
  if (self->partitions->len == 1)
    return wrong (out_error, "name", "is the only partition; expected one to be left");
  LkPartitionSpec *gone = g_ptr_array_index (self->partitions, at);
  if (gone->is_default)
    default_settle (self, gone, FALSE);
  g_ptr_array_remove_index (self->partitions, at);
  return 0;
}

/* ---------------------------------------------------------------- nodes */

typedef struct {
  gboolean is_all;
  GPtrArray *names; /* of char * */
  GArray *sorted;   /* the same, of LkNameEntry */
  guint found_count;
} Named;

static gboolean
named_init (Named *self, LkText list)
{
  *self = (Named){ .names = g_ptr_array_new_with_free_func (g_free),
                   .sorted = g_array_new (FALSE, FALSE, sizeof (LkNameEntry)) };
  self->is_all = list.length_bytes == 3 && g_ascii_strncasecmp (list.bytes, "ALL", 3) == 0;
  if (self->is_all)
    return TRUE;
  if (list.length_bytes == 0
      || !lk_hostlist_expand (list.bytes, list.length_bytes, self->names, NULL))
    return FALSE;
  for (guint i = 0; i < self->names->len; i++)
    lk_names_add (self->sorted, g_ptr_array_index (self->names, i));
  return lk_names_sort (self->sorted) == LK_NAME_NONE;
}

static void
named_clear (Named *self)
{
  g_ptr_array_unref (self->names);
  g_array_unref (self->sorted);
}

static gboolean
named_has (Named *self, const char *name)
{
  gboolean has = self->is_all || lk_names_find (self->sorted, name) != LK_NAME_NONE;
  self->found_count += has ? 1 : 0;
  return has;
}

/* A part of a group, from one of its names up to another, as a group of its own. */
static LkNodeSpec *
part_of (const LkNodeSpec *spec, const GPtrArray *names, guint from, guint to)
{
  LkNodeSpec *part = lk_node_spec_copy (spec);
  if (to - from == names->len)
    return part;
  g_autoptr (GString) list = g_string_new (NULL);
  lk_hostlist_compress ((const char *const *)names->pdata + from, to - from, list);
  g_free (part->names);
  part->names = g_strdup (list->str);
  return part;
}

static void
node_take (LkNodeSpec *to, const LkNodeSpec *from, guint64 changes)
{
  if ((changes & BIT (LK_NODE_CHANGE_weight)) != 0)
    to->weight = from->weight;
  if ((changes & BIT (LK_NODE_CHANGE_features)) == 0)
    return;
  g_ptr_array_set_size (to->features, 0);
  for (guint i = 0; i < from->features->len; i++)
    lk_node_spec_add_feature (to, g_ptr_array_index (from->features, i));
}

/* Nodes keep their order; one behind the other that are both named, or both not, stay together. */
static void
group_change (const LkNodeSpec *spec, Named *named, const LkNodeSpec *from, guint64 changes,
              GPtrArray *out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean is_list = lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
  LK_ASSERT (is_list);
  guint begin = 0;
  gboolean is_named = names->len > 0 && named_has (named, g_ptr_array_index (names, 0));
  for (guint i = 1; i <= names->len; i++) {
    gboolean is_next = i < names->len && named_has (named, g_ptr_array_index (names, i));
    if (i < names->len && is_next == is_named)
      continue;
    LkNodeSpec *part = part_of (spec, names, begin, i);
    if (is_named)
      node_take (part, from, changes);
    g_ptr_array_add (out, part);
    begin = i;
    is_named = is_next;
  }
}

static LkReject
nodes_take (LkCluster *self, Named *named, const LkNodeSpec *from, guint64 changes)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_node_spec_free);
  for (guint i = 0; i < self->nodes->len; i++)
    group_change (g_ptr_array_index (self->nodes, i), named, from, changes, groups);
  g_ptr_array_unref (self->nodes);
  self->nodes = groups;
  return named->is_all || named->found_count == named->names->len ? 0 : LK_REJECT_NODE_UNKNOWN;
}

static LkReject
nodes_change (LkCluster *self, const LkClusterChange *change, LkClusterError *out_error)
{
  Named named;
  LkReject reject = LK_REJECT_NODE_UNKNOWN;
  if ((change->changes & ~NODE_CHANGES) != 0)
    return wrong (out_error, "names", "only weight and features of nodes change");
  LkNodeSpec *from = lk_node_spec_from_text (change->record.bytes, change->record.length_bytes);
  if (from == NULL)
    return wrong (out_error, "names", "expected nodes as a line of the canonical text");
  if (named_init (&named, change->name))
    reject = nodes_take (self, &named, from, change->changes);
  named_clear (&named);
  lk_node_spec_free (from);
  return reject;
}

/* ---------------------------------------------------------------- all */

static LkReject
apply (LkCluster *self, const LkClusterChange *change, LkClusterError *out_error)
{
  switch (change->operation) {
  case LK_CLUSTER_CHANGE_PARTITION_ADD:
    return partition_add (self, change, out_error);
  case LK_CLUSTER_CHANGE_PARTITION:
    return partition_change (self, change, out_error);
  case LK_CLUSTER_CHANGE_PARTITION_DELETE:
    return partition_delete (self, change, out_error);
  case LK_CLUSTER_CHANGE_NODES:
    return nodes_change (self, change, out_error);
  default:
    return wrong (out_error, "name", "there is no change of number %u", change->operation);
  }
}

LkReject
lk_cluster_change (LkCluster *self, const LkClusterChange *change, LkClusterError *out_error)
{
  *out_error = (LkClusterError){ .member = "name" };
  LkReject reject = apply (self, change, out_error);
  if (reject != 0)
    return reject;
  if (lk_cluster_check (self, out_error))
    return 0;
  return strcmp (out_error->member, "nodes") == 0 ? LK_REJECT_NODE_UNKNOWN
                                                  : LK_REJECT_REQUEST_INVALID;
}
