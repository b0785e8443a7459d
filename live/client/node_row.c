/* live/client/node_row.c — see the header. */
#include "live/client/node_row.h"

#include <string.h>

/* ---------------------------------------------------------------- gathering */

typedef struct {
  LkMachineView *view;
  GString *text; /* of the machine */
} Gather;

static void
take_node (gpointer user, const LkRecord *record)
{
  Gather *self = user;
  LkRecord copy;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_record_append (record, bytes);
  LkNodeRow *row = g_malloc (sizeof (LkNodeRow) + bytes->len);
  memcpy (row->bytes, bytes->data, bytes->len);
  LkBytes left = { row->bytes, bytes->len };
  if (!lk_record_next (&left, LK_RECORD_NODE, &copy)) {
    g_free (row);
    return;
  }
  row->node = copy.node;
  g_autofree char *names =
      g_strndup (copy.node.partitions.bytes, copy.node.partitions.length_bytes);
  row->partitions = g_strsplit (names, ",", -1);
  g_ptr_array_add (self->view->nodes, row);
}

static void
take_partition (gpointer user, const LkRecord *record)
{
  Gather *self = user;
  LkRecord copy;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_record_append (record, bytes);
  LkPartitionRow *row = g_malloc (sizeof (LkPartitionRow) + bytes->len);
  memcpy (row->bytes, bytes->data, bytes->len);
  LkBytes left = { row->bytes, bytes->len };
  if (!lk_record_next (&left, LK_RECORD_PARTITION, &copy)) {
    g_free (row);
    return;
  }
  row->partition = copy.partition;
  row->spec = NULL;
  g_ptr_array_add (self->view->partitions, row);
}

static void
take_cluster (gpointer user, const LkRecord *record)
{
  Gather *self = user;
  g_string_append_len (self->text, (const char *)record->cluster.canonical.bytes,
                       record->cluster.canonical.length_bytes);
}

static void
node_row_free (gpointer user)
{
  LkNodeRow *row = user;
  g_strfreev (row->partitions);
  g_free (row);
}

/* Partitions stand in both in the order of the configuration. */
static gboolean
match_partitions (LkMachineView *self)
{
  if (self->cluster == NULL || self->cluster->partitions->len != self->partitions->len)
    return FALSE;
  for (guint i = 0; i < self->partitions->len; i++) {
    LkPartitionRow *row = g_ptr_array_index (self->partitions, i);
    row->spec = g_ptr_array_index (self->cluster->partitions, i);
  }
  return TRUE;
}

LkMachineView *
lk_machine_view_new (const LkClient *client, GError **error)
{
  g_autoptr (LkMachineView) self = g_new0 (LkMachineView, 1);
  g_autoptr (GString) text = g_string_new (NULL);
  LkClusterError fault;
  Gather gather = { self, text };
  self->nodes = g_ptr_array_new_with_free_func (node_row_free);
  self->partitions = g_ptr_array_new_with_free_func (g_free);
  if (!lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_CLUSTER }, take_cluster,
                        &gather, error)
      || !lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_PARTITION }, take_partition,
                           &gather, error)
      || !lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_NODE }, take_node, &gather,
                           error))
    return NULL;
  self->cluster = lk_cluster_from_text (text->str, text->len, &fault);
  if (!match_partitions (self)) {
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                         "the controller's machine has changed meanwhile; try again");
    return NULL;
  }
  return g_steal_pointer (&self);
}

void
lk_machine_view_free (LkMachineView *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->partitions);
  lk_cluster_free (self->cluster);
  g_free (self);
}

/* ---------------------------------------------------------------- finding */

static gboolean
is_text (LkText text, const char *name)
{
  return text.length_bytes == strlen (name) && memcmp (text.bytes, name, text.length_bytes) == 0;
}

const LkNodeRow *
lk_machine_view_node (const LkMachineView *self, const char *name)
{
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (self->nodes, i);
    if (is_text (row->node.name, name))
      return row;
  }
  return NULL;
}

const LkPartitionRow *
lk_machine_view_partition (const LkMachineView *self, const char *name)
{
  for (guint i = 0; i < self->partitions->len; i++) {
    const LkPartitionRow *row = g_ptr_array_index (self->partitions, i);
    if (strcmp (row->spec->name, name) == 0)
      return row;
  }
  return NULL;
}

gboolean
lk_node_row_is_in (const LkNodeRow *row, const char *partition)
{
  return g_strv_contains ((const char *const *)row->partitions, partition);
}

/* ---------------------------------------------------------------- states */

/* Words of the engine, and Slurm's, long and short, and its number of them: the base state, and the
 * bits of flags (slurm.h, NODE_STATE_*). */
static const struct {
  const char *word;
  const char *long_word;
  const char *short_word;
  const char *with_flags;
  guint32 number;
} states[] = {
  { "IDLE", "idle", "idle", "IDLE", 2 },
  { "MIXED", "mixed", "mix", "MIXED", 5 },
  { "ALLOCATED", "allocated", "alloc", "ALLOCATED", 3 },
  { "DOWN", "down", "down", "DOWN", 1 },
  { "DRAINED", "drained", "drain", "IDLE+DRAIN", 2 | 1u << 9 },
  { "DRAINING", "draining", "drng", "MIXED+DRAIN", 5 | 1u << 9 },
  { "FAIL", "fail", "fail", "IDLE+FAIL", 2 | 1u << 13 },
  { "FAILING", "failing", "failg", "MIXED+FAIL", 5 | 1u << 13 },
  { "MAINT", "maint", "maint", "IDLE+MAINT", 2 | 1u << 8 },
  { "PLANNED", "planned", "plnd", "IDLE+PLANNED", 2 | 1u << 20 },
  { "RESERVED", "reserved", "resv", "IDLE+RESERVED", 2 | 1u << 5 },
};
#define COMPLETING_BIT (1u << 10)
#define PLANNED_BIT (1u << 20)
#define SILENT_BIT (1u << 11)

/* An idle node in a reservation that has begun is that, whatever is planned for it. */
static gboolean
is_state (const LkNodeRow *row, const char *word)
{
  gboolean is_idle = is_text (row->node.state, "IDLE") || is_text (row->node.state, "PLANNED");
  if (is_idle && row->node.is_in_maintenance != 0)
    return strcmp (word, "MAINT") == 0;
  if (is_idle && row->node.is_reserved != 0)
    return strcmp (word, "RESERVED") == 0;
  return is_text (row->node.state, word);
}

static guint
state_index (const LkNodeRow *row)
{
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    if (is_state (row, states[i].word))
      return i;
  return 0;
}

/* What is over there and not gone shows where nothing else does. */
static gboolean
shows_completing (const LkNodeRow *row)
{
  guint32 number = states[state_index (row)].number;
  return row->node.is_completing != 0 && (number == 2 || number == 5);
}

void
lk_node_row_state (const LkNodeRow *row, gboolean is_short, GString *out)
{
  guint i = state_index (row);
  if (shows_completing (row))
    g_string_append (out, is_short ? "comp" : "completing");
  else
    g_string_append (out, is_short ? states[i].short_word : states[i].long_word);
  if (row->node.is_responding == 0)
    g_string_append_c (out, '*');
  else if (row->node.is_planned != 0 && states[i].number == 5)
    g_string_append_c (out, '-');
}

guint32
lk_node_row_state_number (const LkNodeRow *row)
{
  guint32 number = states[state_index (row)].number;
  gboolean is_full = number == 3;
  return number | (row->node.is_planned != 0 && !is_full ? PLANNED_BIT : 0)
         | (row->node.is_completing != 0 ? COMPLETING_BIT : 0)
         | (row->node.is_responding == 0 ? SILENT_BIT : 0);
}

void
lk_node_row_state_flags (const LkNodeRow *row, GString *out)
{
  const char *text = states[state_index (row)].with_flags;
  /* A node that drains with all of it in use. */
  if (strcmp (text, "MIXED+DRAIN") == 0 && row->node.cpus_allocated >= row->node.cpus_usable)
    text = "ALLOCATED+DRAIN";
  g_string_append (out, text);
  if (row->node.is_planned != 0 && states[state_index (row)].number == 5)
    g_string_append (out, "+PLANNED");
  if (row->node.is_completing != 0)
    g_string_append (out, "+COMPLETING");
  if (row->node.is_responding == 0)
    g_string_append (out, "+NOT_RESPONDING");
}

guint
lk_node_row_use (const LkNodeRow *row)
{
  if (row->node.flags != 0)
    return row->node.job_count > 0 && (row->node.flags & LK_NODE_DOWN) == 0 ? 0 : 2;
  return row->node.job_count > 0 ? 0 : 1;
}

void
lk_node_row_load (const LkNodeRow *row, GString *out)
{
  guint32 load = row->node.load_hundredths;
  if (row->node.free_memory_bytes == 0)
    g_string_append (out, "N/A");
  else
    g_string_append_printf (out, "%u.%02u", load / 100, load % 100);
}

void
lk_node_row_free_memory (const LkNodeRow *row, GString *out)
{
  if (row->node.free_memory_bytes == 0)
    g_string_append (out, "N/A");
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, row->node.free_memory_bytes >> 20);
}

/* ---------------------------------------------------------------- TRES */

/* The items of "gpu:a100:4(S:0-1),nic:2" without what is in parentheses. */
static char **
gres_items (LkText gres)
{
  g_autoptr (GString) list = g_string_new (NULL);
  gboolean is_inside = FALSE;
  for (guint i = 0; i < gres.length_bytes; i++) {
    is_inside = is_inside || gres.bytes[i] == '(';
    if (!is_inside)
      g_string_append_c (list, gres.bytes[i]);
    is_inside = is_inside && gres.bytes[i] != ')';
  }
  return g_strsplit (list->str, ",", -1);
}

void
lk_node_row_add_gres (LkText gres, GPtrArray *names, GArray *counts)
{
  g_auto (GStrv) items = gres_items (gres);
  for (guint i = 0; items[i] != NULL; i++) {
    const char *sign = strrchr (items[i], ':');
    guint64 count = sign != NULL ? g_ascii_strtoull (sign + 1, NULL, 10) : 0;
    g_autofree char *name = g_strndup (items[i], strcspn (items[i], ":"));
    guint at = 0;
    while (at < names->len && strcmp (g_ptr_array_index (names, at), name) != 0)
      at++;
    if (count == 0)
      continue;
    if (at == names->len) {
      g_ptr_array_add (names, g_steal_pointer (&name));
      g_array_append_val (counts, count);
    } else
      g_array_index (counts, guint64, at) += count;
  }
}

void
lk_node_row_tres (const LkNodeRow *row, gboolean is_used, GString *out)
{
  const LkRecord_node *node = &row->node;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint32 cpus = is_used ? node->cpus_allocated : node->cpus_usable;
  gint64 memory_bytes = is_used ? node->memory_allocated_bytes : node->memory_bytes;
  gsize before = out->len;
  if (cpus > 0)
    g_string_append_printf (out, ",cpu=%u", cpus);
  if (memory_bytes > 0)
    g_string_append_printf (out, ",mem=%" G_GINT64_FORMAT "M", memory_bytes >> 20);
  if (!is_used)
    g_string_append_printf (out, ",billing=%u", cpus);
  lk_node_row_add_gres (is_used ? node->gres_used : node->gres, names, counts);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (out, ",gres/%s=%" G_GUINT64_FORMAT,
                            (const char *)g_ptr_array_index (names, i),
                            g_array_index (counts, guint64, i));
  if (out->len > before)
    g_string_erase (out, (gssize)before, 1);
}

guint64
lk_node_row_gpus (const LkNodeRow *row)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (guint64));
  lk_node_row_add_gres (row->node.gres, names, counts);
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), "gpu") == 0)
      return g_array_index (counts, guint64, i);
  return 0;
}
