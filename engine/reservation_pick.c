/* engine/reservation_pick.c — see the header. */
#include "engine/reservation_pick.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/request_text.h"

/* How much is wanted; 0: not said. */
typedef struct {
  guint32 nodes;
  guint32 cores;
  guint32 cpus;
  guint32 gpus;
  guint32 gpu_type; /* 0: any */
} Wanted;

typedef struct {
  const LkReservationTable *table;
  LkAdvanceReservation *item;
  const LkAdvanceReservation *before; /* in whose place it comes; NULL: it is new */
  gint64 now_us;
  Wanted wanted;
  guint64 *candidates;
  gboolean is_named; /* the nodes are named: all of them, or none */
} Picker;

/* ---------------------------------------------------------------- what is wanted */

static gboolean
read_number (LkSpan span, guint32 *out_value)
{
  guint64 value = 0;
  if (span.length_bytes == 0 || span.length_bytes > 9)
    return FALSE;
  for (gsize i = 0; i < span.length_bytes; i++) {
    if (span.at[i] < '0' || span.at[i] > '9')
      return FALSE;
    value = value * 10 + (guint64)(span.at[i] - '0');
  }
  *out_value = (guint32)value;
  return value > 0;
}

static gboolean
span_is (LkSpan span, const char *text)
{
  return strlen (text) == span.length_bytes && memcmp (span.at, text, span.length_bytes) == 0;
}

static gboolean
starts_with (LkSpan span, const char *text)
{
  return span.length_bytes > strlen (text) && memcmp (span.at, text, strlen (text)) == 0;
}

static gboolean
read_gpus (const Picker *self, LkSpan name, Wanted *wanted)
{
  gsize skip_bytes = strlen ("gres/gpu");
  if (!span_is (name, "gres/gpu")) {
    if (name.at[skip_bytes] != ':')
      return FALSE;
    wanted->gpu_type = lk_node_table_type (&self->table->machine->nodes, name.at + skip_bytes + 1,
                                           name.length_bytes - skip_bytes - 1);
    if (wanted->gpu_type == 0)
      return FALSE;
  }
  return TRUE;
}

/* One of "cpu=8", "node=2", "gres/gpu:a100=4"; licences are gathered in `licenses`. */
static gboolean
read_tres_one (Picker *self, LkSpan part, GString *licenses)
{
  Wanted *wanted = &self->wanted;
  LkSpan name;
  guint32 count;
  if (!lk_next_part (&part, '=', &name) || !read_number (part, &count))
    return FALSE;
  if (span_is (name, "cpu"))
    wanted->cpus = count;
  else if (span_is (name, "node"))
    wanted->nodes = count;
  else if (starts_with (name, "license/"))
    g_string_append_printf (licenses, "%s%.*s:%u", licenses->len > 0 ? "," : "",
                            (int)(name.length_bytes - 8), name.at + 8, count);
  else if (span_is (name, "gres/gpu") || starts_with (name, "gres/gpu"))
    wanted->gpus = read_gpus (self, name, wanted) ? count : 0;
  else
    return FALSE;
  return wanted->gpus > 0 || !starts_with (name, "gres/");
}

static gboolean
read_wanted (Picker *self, GString *licenses)
{
  const LkReservationAsked *asked = &self->item->asked;
  LkSpan rest = lk_span_of (asked->tres);
  LkSpan part;
  self->wanted = (Wanted){ .nodes = asked->node_count, .cores = asked->core_count };
  g_string_append_len (licenses, asked->licenses.bytes, asked->licenses.length_bytes);
  while (lk_next_part (&rest, ',', &part))
    if (!read_tres_one (self, part, licenses))
      return FALSE;
  /* Each list is a text, and both together are to be one. */
  return licenses->len <= G_MAXUINT16;
}

/* ---------------------------------------------------------------- candidates */

static LkReject
name_nodes (Picker *self, const guint64 *partition)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  LkText list = self->item->asked.nodes;
  self->is_named = TRUE;
  if (list.length_bytes == 3 && g_ascii_strncasecmp (list.bytes, "ALL", 3) == 0) {
    self->item->flags |=
        (self->item->flags & LK_RESERVATION_PART_NODES) != 0 ? 0 : LK_RESERVATION_ALL_NODES;
    for (guint32 node = 0; node < nodes->node_count; node++)
      if (partition == NULL || lk_bits_has (partition, node))
        lk_bits_add (self->candidates, node);
    return 0;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return LK_REJECT_NODE_UNKNOWN;
  self->item->flags |= LK_RESERVATION_SPEC_NODES;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint32 node = lk_node_table_find (nodes, name, strlen (name));
    if (node == LK_NODE_NONE || (partition != NULL && !lk_bits_has (partition, node)))
      return LK_REJECT_NODE_UNKNOWN;
    lk_bits_add (self->candidates, node);
  }
  return names->len > 0 ? 0 : LK_REJECT_NODE_UNKNOWN;
}

/* Partition, features and licences are those of a job that asks for one task there. */
static LkReject
resolve (Picker *self, const GString *licenses)
{
  LkMachine *machine = self->table->machine;
  const LkReservationAsked *asked = &self->item->asked;
  LkJobRequest wants = { .partition = asked->partition,
                         .constraint = asked->features,
                         .licenses = lk_text (licenses->str) };
  guint32 index;
  LkReject reject = lk_machine_resolve (machine, &wants, 1, &index);
  if (reject != 0)
    return reject;
  const LkRequest *request = lk_machine_request (machine, index);
  const guint64 *partition =
      asked->partition.length_bytes > 0 ? machine->partitions[request->partition].nodes : NULL;
  if (request->constraint.alternatives != NULL || request->constraint.counts != NULL)
    reject = LK_REJECT_RESERVATION_FEATURES;
  if (request->licenses != NULL) {
    self->item->licenses = g_array_new (FALSE, FALSE, sizeof (LkLicenseDemand));
    g_array_append_vals (self->item->licenses, request->licenses->data, request->licenses->len);
  }
  if (reject == 0 && asked->nodes.length_bytes > 0)
    reject = name_nodes (self, partition);
  else if (reject == 0)
    memcpy (self->candidates, request->eligible, machine->nodes.node_words * sizeof (guint64));
  lk_machine_release (machine, index);
  return reject;
}

/* Must the two keep apart? */
static gboolean
excludes (const Picker *self, const LkAdvanceReservation *other)
{
  guint32 lenient = LK_RESERVATION_MAINT | LK_RESERVATION_OVERLAP;
  return other != self->item && other->nodes != NULL
         && ((self->item->flags | other->flags) & lenient) == 0
         && lk_reservations_meet (self->item, other, self->now_us);
}

/* ---------------------------------------------------------------- what is free of a node */

typedef struct {
  guint64 cores[LK_NODE_CORE_WORDS_MAX];
  guint64 devices;
  gboolean is_idle; /* nothing runs on it now */
  gboolean is_whole;
} Left;

static void
lose_others (const Picker *self, guint32 node, Left *left)
{
  guint32 word_count = self->table->machine->nodes.core_words;
  for (guint i = 0; i < self->table->items->len; i++) {
    const LkAdvanceReservation *other = g_ptr_array_index (self->table->items, i);
    if (other->nodes == NULL || !lk_bits_has (other->nodes, node) || !excludes (self, other))
      continue;
    left->is_whole = FALSE;
    left->devices &= other->cores != NULL ? ~other->devices[node] : 0;
    for (guint32 word = 0; word < word_count; word++)
      left->cores[word] &=
          other->cores != NULL ? ~other->cores[(gsize)node * word_count + word] : 0;
  }
}

static void
lose_running (const Picker *self, guint32 node, Left *left)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  gint64 from_us;
  gint64 to_us;
  left->is_idle = nodes->piece_first[node] == LK_PIECE_NONE;
  if ((self->item->flags & LK_RESERVATION_IGNORE_JOBS) != 0)
    return;
  lk_reservation_span (self->item, self->now_us, &from_us, &to_us);
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    gboolean is_alone = (piece->flags & LK_PIECE_WHOLE) != 0;
    if (lk_held_until_us (self->now_us, piece->to_us) <= from_us
        || (self->before != NULL && piece->reservation == self->before->number))
      continue;
    left->is_whole = FALSE;
    left->devices &= is_alone ? 0 : ~piece->devices;
    if (piece->shares > 0)
      left->devices &= ~(G_GUINT64_CONSTANT (1) << piece->share_device);
    for (guint32 word = 0; word < nodes->core_words; word++)
      left->cores[word] &= is_alone ? 0 : ~piece->cores[word];
  }
}

static Left
left_of (const Picker *self, guint32 node)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  const LkNodeKind *kind = lk_node_kind (nodes, node);
  Left left = { .devices = 0, .is_whole = TRUE };
  memcpy (left.cores, kind->cores_usable, nodes->core_words * sizeof (guint64));
  for (guint32 device = 0; device < kind->device_count; device++)
    if (self->wanted.gpu_type == 0 || kind->device_type[device] == self->wanted.gpu_type)
      left.devices |= G_GUINT64_CONSTANT (1) << device;
  lose_others (self, node, &left);
  lose_running (self, node, &left);
  return left;
}

/* ---------------------------------------------------------------- picking */

/* May a node that takes no jobs be had? */
static gboolean
takes_node (const Picker *self, guint32 node)
{
  return self->is_named || (self->item->flags & LK_RESERVATION_MAINT) != 0
         || lk_bits_has (self->table->machine->nodes.usable, node);
}

/* 0: it had the node before, 1: nothing runs there, 2: something does. */
static guint
round_of (const Picker *self, guint32 node, const Left *left)
{
  if (self->before != NULL && self->before->nodes != NULL
      && lk_bits_has (self->before->nodes, node))
    return 0;
  return left->is_idle ? 1 : 2;
}

/* Goes over the candidates, idle ones before others; `take` returns FALSE when it has enough. */
static void
for_each_candidate (Picker *self, gboolean (*take) (Picker *self, guint32 node, const Left *left))
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  for (guint round = self->before != NULL ? 0 : 1; round < 3; round++)
    for (guint32 node = lk_bits_next (self->candidates, nodes->node_words, 0);
         node < nodes->node_count;
         node = lk_bits_next (self->candidates, nodes->node_words, node + 1)) {
      Left left = left_of (self, node);
      if (round_of (self, node, &left) == round && takes_node (self, node)
          && !take (self, node, &left))
        return;
    }
}

static gboolean
take_whole (Picker *self, guint32 node, const Left *left)
{
  if (!left->is_whole)
    return TRUE;
  lk_bits_add (self->item->nodes, node);
  self->wanted.nodes -= self->wanted.nodes != G_MAXUINT32;
  return self->wanted.nodes > 0;
}

/* What each of the nodes left gives at least, so that all give enough. */
static guint32
share_of (guint32 wanted, guint32 nodes)
{
  return nodes == 0 ? wanted : (wanted + nodes - 1) / nodes;
}

static guint32
take_cores (const Picker *self, guint32 node, const Left *left, guint32 most)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  guint64 *cores = self->item->cores + (gsize)node * nodes->core_words;
  guint32 taken = 0;
  for (guint32 core = lk_bits_next (left->cores, nodes->core_words, 0);
       core < nodes->core_words * 64 && taken < most;
       core = lk_bits_next (left->cores, nodes->core_words, core + 1)) {
    lk_bits_add (cores, core);
    taken++;
  }
  return taken;
}

static guint32
take_devices (const Picker *self, guint32 node, const Left *left, guint32 most)
{
  guint32 taken = 0;
  for (guint64 rest = left->devices; rest != 0 && taken < most; rest &= rest - 1, taken++)
    self->item->devices[node] |= rest & (~rest + 1);
  return taken;
}

/* With a number of nodes each must give its share. */
static gboolean
take_part (Picker *self, guint32 node, const Left *left)
{
  Wanted *wanted = &self->wanted;
  const LkNodeTable *nodes = &self->table->machine->nodes;
  guint32 per_core = lk_node_kind (nodes, node)->cpus_per_core;
  guint32 cores_wanted = MAX (wanted->cores, (wanted->cpus + per_core - 1) / per_core);
  guint32 cores = share_of (cores_wanted, wanted->nodes);
  guint32 gpus = share_of (wanted->gpus, wanted->nodes);
  guint32 cores_left = lk_bits_count (left->cores, nodes->core_words);
  guint32 gpus_left = lk_bits_count_word (left->devices);
  if ((wanted->nodes > 0 && (cores_left < cores || gpus_left < gpus))
      || (MIN (cores_left, cores) == 0 && MIN (gpus_left, gpus) == 0))
    return TRUE;
  cores = take_cores (self, node, left, cores);
  gpus = take_devices (self, node, left, gpus);
  lk_bits_add (self->item->nodes, node);
  self->item->core_count += cores;
  self->item->has_devices = self->item->has_devices || gpus > 0;
  wanted->cores -= MIN (wanted->cores, cores);
  wanted->cpus -= MIN (wanted->cpus, cores * per_core);
  wanted->gpus -= gpus;
  wanted->nodes -= wanted->nodes > 0;
  return wanted->cores > 0 || wanted->cpus > 0 || wanted->gpus > 0;
}

static LkReject
pick_named (Picker *self)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  guint32 count = lk_bits_count (self->candidates, nodes->node_words);
  self->wanted.nodes = G_MAXUINT32;
  for_each_candidate (self, take_whole);
  lk_reservation_count_cores (self->table, self->item);
  return lk_bits_count (self->item->nodes, nodes->node_words) == count && count > 0
             ? 0
             : LK_REJECT_RESERVATION_BUSY;
}

static LkReject
pick_nodes (Picker *self)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  LkAdvanceReservation *item = self->item;
  item->nodes = g_new0 (guint64, nodes->node_words);
  if (self->wanted.cores > 0 || self->wanted.cpus > 0 || self->wanted.gpus > 0) {
    item->cores = g_new0 (guint64, (gsize)nodes->node_count * nodes->core_words);
    item->devices = g_new0 (guint64, nodes->node_count);
    for_each_candidate (self, take_part);
    return self->wanted.cores == 0 && self->wanted.cpus == 0 && self->wanted.gpus == 0
                   && self->wanted.nodes == 0
               ? 0
               : LK_REJECT_RESERVATION_BUSY;
  }
  if (self->is_named)
    return pick_named (self);
  for_each_candidate (self, take_whole);
  lk_reservation_count_cores (self->table, item);
  return self->wanted.nodes == 0 ? 0 : LK_REJECT_RESERVATION_BUSY;
}

/* Only licences are set aside. */
static gboolean
is_without_nodes (const Picker *self)
{
  return (self->item->flags & (LK_RESERVATION_ANY_NODES | LK_RESERVATION_LICENSE_ONLY)) != 0
         && self->item->asked.nodes.length_bytes == 0 && self->wanted.nodes == 0
         && self->wanted.cores == 0 && self->wanted.cpus == 0 && self->wanted.gpus == 0;
}

LkReject
lk_reservation_pick (const LkReservationTable *table, LkAdvanceReservation *item,
                     const LkAdvanceReservation *before, gint64 now_us)
{
  Picker self = { .table = table, .item = item, .before = before, .now_us = now_us };
  g_autoptr (GString) licenses = g_string_new (NULL);
  g_autofree guint64 *candidates = g_new0 (guint64, table->machine->nodes.node_words);
  self.candidates = candidates;
  if (!read_wanted (&self, licenses))
    return LK_REJECT_RESERVATION_TRES;
  LkReject reject = resolve (&self, licenses);
  if (reject != 0)
    return reject;
  if (is_without_nodes (&self))
    return item->licenses != NULL ? 0 : LK_REJECT_RESERVATION_EMPTY;
  if (!self.is_named && self.wanted.nodes == 0 && self.wanted.cores == 0 && self.wanted.cpus == 0
      && self.wanted.gpus == 0)
    return LK_REJECT_RESERVATION_EMPTY;
  return pick_nodes (&self);
}

/* ---------------------------------------------------------------- replacing */

static gboolean
is_to_go (const LkReservationTable *table, const LkAdvanceReservation *item, guint32 node)
{
  const LkNodeTable *nodes = &table->machine->nodes;
  return !lk_bits_has (nodes->usable, node)
         || ((item->flags & LK_RESERVATION_REPLACE) != 0
             && nodes->piece_first[node] != LK_PIECE_NONE);
}

/* An idle node, not yet of the reservation; LK_NODE_NONE: there is none. */
static guint32
find_spare (const Picker *self)
{
  const LkNodeTable *nodes = &self->table->machine->nodes;
  for (guint32 node = lk_bits_next (self->candidates, nodes->node_words, 0);
       node < nodes->node_count;
       node = lk_bits_next (self->candidates, nodes->node_words, node + 1)) {
    Left left = left_of (self, node);
    if (left.is_idle && left.is_whole && lk_bits_has (nodes->usable, node)
        && !lk_bits_has (self->item->nodes, node))
      return node;
  }
  return LK_NODE_NONE;
}

gboolean
lk_reservation_replace (const LkReservationTable *table, LkAdvanceReservation *item, gint64 now_us)
{
  const LkNodeTable *nodes = &table->machine->nodes;
  guint32 fixed = LK_RESERVATION_STATIC_ALLOC | LK_RESERVATION_SPEC_NODES | LK_RESERVATION_ALL_NODES
                  | LK_RESERVATION_PART_NODES | LK_RESERVATION_MAINT;
  Picker self = { .table = table, .item = item, .now_us = now_us };
  gboolean is_changed = FALSE;
  if (item->nodes == NULL || item->cores != NULL || (item->flags & fixed) != 0)
    return FALSE;
  g_autofree guint64 *candidates = g_new0 (guint64, nodes->node_words);
  g_autoptr (GArray) licenses = item->licenses;
  g_autoptr (GString) none = g_string_new (NULL);
  self.candidates = candidates;
  item->licenses = NULL;
  LkReject reject = resolve (&self, none);
  item->licenses = g_steal_pointer (&licenses);
  LK_ASSERT (reject == 0);
  for (guint32 node = lk_bits_next (item->nodes, nodes->node_words, 0); node < nodes->node_count;
       node = lk_bits_next (item->nodes, nodes->node_words, node + 1)) {
    guint32 spare = is_to_go (table, item, node) ? find_spare (&self) : LK_NODE_NONE;
    if (spare == LK_NODE_NONE)
      continue;
    lk_bits_remove (item->nodes, node);
    lk_bits_add (item->nodes, spare);
    is_changed = TRUE;
  }
  lk_reservation_count_cores (table, item);
  return is_changed;
}
