/* live/core/controller_query_gres.c — generic resources of nodes and jobs in Slurm's notation.
 *
 * A node has "gpu:a100:4(S:0-1)": its GPUs of one type with the sockets near to them, of which
 * "gpu:a100:2(IDX:0,3)" are in use.  Indexes are printed where Slurm keeps a topology, that is
 * where GPUs have types, cores near to them or shares; elsewhere only counts are printed.  A job
 * holds "gpu:a100:1(IDX:0)", "shard:3(3/8,0/8)" or "nic(CNT:2)" on a node.
 * Source: gres_get_node_used, _build_node_gres_str and gres_stepmgr_job_build_details of Slurm. */
#include "engine/hostlist.h"
#include "live/core/controller_query.h"

static const char gpu_name[] = "gpu";

static void
item_begin (GString *out)
{
  if (out->len > 0)
    g_string_append_c (out, ',');
}

static void
ranges_append (GString *out, guint64 set)
{
  const char *separator = "";
  for (guint32 from = 0; from < 64; from++) {
    guint32 to = from;
    if (!lk_bits_has (&set, from))
      continue;
    while (to + 1 < 64 && lk_bits_has (&set, to + 1))
      to++;
    g_string_append_printf (out, to > from ? "%s%u-%u" : "%s%u", separator, from, to);
    separator = ",";
    from = to;
  }
}

/* "gpu:a100", or "gpu" for type 0. */
static void
name_append (GString *out, const char *name, const LkNodeTable *table, guint16 type)
{
  item_begin (out);
  g_string_append (out, name);
  if (type != 0)
    g_string_append_printf (out, ":%s", (char *)g_ptr_array_index (table->type_names, type - 1u));
}

static guint64
devices_of_type (const LkNodeKind *kind, guint16 type)
{
  guint64 devices = 0;
  for (guint32 i = 0; i < kind->device_count; i++)
    if (kind->device_type[i] == type)
      devices |= G_GUINT64_CONSTANT (1) << i;
  return devices;
}

/* The first device of its type? */
static gboolean
is_first_of_type (const LkNodeKind *kind, guint32 device)
{
  guint64 alike = devices_of_type (kind, kind->device_type[device]);
  return lk_bits_next (&alike, 1, 0) == device;
}

static gboolean
has_topology (const LkNodeKind *kind)
{
  for (guint32 i = 0; i < kind->device_count; i++)
    if (kind->device_type[i] != 0 || kind->device_sockets[i] != 0)
      return TRUE;
  return kind->device_count > 0 && kind->share_name != LK_GRES_NONE;
}

/* ---------------------------------------------------------------- what a node has */

/* "(S:0-1)": the sockets near to any of the devices. */
static void
sockets_append (const LkNodeKind *kind, guint64 devices, GString *out)
{
  guint64 sockets = 0;
  for (guint32 i = 0; i < kind->device_count; i++)
    if (lk_bits_has (&devices, i))
      sockets |= kind->device_sockets[i];
  if (sockets == 0)
    return;
  g_string_append (out, "(S:");
  ranges_append (out, sockets);
  g_string_append_c (out, ')');
}

/* Devices, or `per_device` shares of each, type by type. */
static void
devices_append (const LkNodeTable *table, const LkNodeKind *kind, const char *name,
                guint32 per_device, GString *out)
{
  for (guint32 i = 0; i < kind->device_count; i++) {
    guint64 devices = devices_of_type (kind, kind->device_type[i]);
    if (!is_first_of_type (kind, i))
      continue;
    name_append (out, name, table, kind->device_type[i]);
    g_string_append_printf (out, ":%u", lk_bits_count_word (devices) * per_device);
    sockets_append (kind, devices, out);
  }
}

/* Names of which each is to be printed once, in the order of the configuration. */
static gboolean
is_first_of_name (const LkNodeSpec *spec, guint index)
{
  const LkGresSpec *gres = g_ptr_array_index (spec->gres, index);
  for (guint i = 0; i < index; i++)
    if (strcmp (((const LkGresSpec *)g_ptr_array_index (spec->gres, i))->name, gres->name) == 0)
      return FALSE;
  return TRUE;
}

void
lk_query_gres_of_node (const LkNodeTable *table, guint32 node, const LkNodeSpec *spec, GString *out)
{
  const LkNodeKind *kind = lk_node_kind (table, node);
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    guint32 name = lk_node_table_gres (table, gres->name, strlen (gres->name));
    gboolean is_share = kind->device_count > 0 && name == kind->share_name;
    if (strcmp (gres->name, gpu_name) == 0 || is_share) {
      if (is_first_of_name (spec, i))
        devices_append (table, kind, gres->name, is_share ? kind->shares_per_device : 1, out);
      continue;
    }
    item_begin (out);
    g_string_append (out, gres->name);
    if (gres->type[0] != '\0')
      g_string_append_printf (out, ":%s", gres->type);
    g_string_append_printf (out, "%s:%u", gres->no_consume ? ":no_consume" : "", gres->count);
  }
}

/* ---------------------------------------------------------------- what is in use there */

typedef struct {
  guint64 devices;
  guint32 shares[LK_LIMIT_NODE_DEVICES]; /* by device */
  guint32 counts[LK_LIMIT_GRES_NAMES];
} Used;

/* A device that two pieces share is in use once. */
static void
used_add (const LkNodeTable *table, const LkPiece *piece, Used *used)
{
  used->devices |= piece->devices;
  if (piece->shares > 0)
    used->shares[piece->share_device] += piece->shares;
  for (guint32 name = 0; name < table->gres_count; name++)
    if (table->gres[name].kind == LK_GRES_COUNT)
      used->counts[name] += piece->counts[name];
}

static void
used_devices_append (const LkNodeTable *table, const LkNodeKind *kind, guint64 devices,
                     const char *name, GString *out)
{
  if (!has_topology (kind)) {
    item_begin (out);
    g_string_append_printf (out, "%s:%u", name, lk_bits_count_word (devices));
    return;
  }
  for (guint32 i = 0; i < kind->device_count; i++) {
    guint64 used = devices & devices_of_type (kind, kind->device_type[i]);
    if (!is_first_of_type (kind, i))
      continue;
    name_append (out, name, table, kind->device_type[i]);
    g_string_append_printf (out, ":%u(IDX:", lk_bits_count_word (used));
    if (used == 0)
      g_string_append (out, "N/A");
    else
      ranges_append (out, used);
    g_string_append_c (out, ')');
  }
}

/* "shard:a100:3(3/8,0/8)", "-/8" for a device that is in use as a whole. */
static void
used_shares_append (const LkNodeTable *table, const LkNodeKind *kind, const Used *used,
                    const char *name, GString *out)
{
  for (guint32 i = 0; i < kind->device_count; i++) {
    guint64 alike = devices_of_type (kind, kind->device_type[i]);
    g_autoptr (GString) each = g_string_new (NULL);
    guint32 sum = 0;
    if (!is_first_of_type (kind, i))
      continue;
    for (guint32 device = i; device < kind->device_count; device++) {
      if (!lk_bits_has (&alike, device))
        continue;
      item_begin (each);
      if (used->shares[device] == 0 && lk_bits_has (&used->devices, device))
        g_string_append_c (each, '-');
      else
        g_string_append_printf (each, "%u", used->shares[device]);
      g_string_append_printf (each, "/%u", kind->shares_per_device);
      sum += used->shares[device];
    }
    name_append (out, name, table, kind->device_type[i]);
    g_string_append_printf (out, ":%u(%s)", sum, each->str);
  }
}

void
lk_query_gres_used (const LkNodeTable *table, guint32 node, GString *out)
{
  const LkNodeKind *kind = lk_node_kind (table, node);
  Used used = { 0 };
  for (guint32 i = table->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (table, i)->next_on_node)
    used_add (table, lk_piece (table, i), &used);
  for (guint32 i = 0; i < table->gres_count; i++) {
    const char *name = table->gres[i].name;
    if (kind->counts[i] == 0)
      continue;
    if (table->gres[i].kind == LK_GRES_DEVICE)
      used_devices_append (table, kind, used.devices, name, out);
    else if (i == kind->share_name)
      used_shares_append (table, kind, &used, name, out);
    else {
      item_begin (out);
      g_string_append_printf (out, "%s:%u", name, kind->no_consume[i] ? 0 : used.counts[i]);
    }
  }
}

/* ---------------------------------------------------------------- what a job holds */

/* "0-3,8" as a set. Returns its end. */
static const char *
set_read (const char *at, guint64 *out_set)
{
  *out_set = 0;
  while (g_ascii_isdigit (*at)) {
    char *end;
    guint64 low = g_ascii_strtoull (at, &end, 10);
    guint64 high = *end == '-' ? g_ascii_strtoull (end + 1, &end, 10) : low;
    for (guint64 bit = low; bit <= high && bit < 64; bit++)
      *out_set |= G_GUINT64_CONSTANT (1) << bit;
    at = end + (*end == ',' ? 1 : 0);
  }
  return at;
}

/* How many of each name and type the job holds on all its nodes. */
typedef struct {
  GPtrArray *names; /* of char* */
  GArray *counts;   /* of guint64 */
} Totals;

static void
totals_add (Totals *totals, const char *name, guint64 count)
{
  for (guint i = 0; i < totals->names->len; i++)
    if (strcmp (g_ptr_array_index (totals->names, i), name) == 0) {
      g_array_index (totals->counts, guint64, i) += count;
      return;
    }
  g_ptr_array_add (totals->names, g_strdup (name));
  g_array_append_val (totals->counts, count);
}

/* What is being written: the job's resources on one node. */
typedef struct {
  const LkNodeTable *table;
  const LkNodeKind *kind;
  Totals *totals;
  GString *out;
} Held;

static void
held_devices_append (Held *held, guint64 devices)
{
  for (guint32 i = 0; i < held->kind->device_count; i++) {
    guint64 alike = devices & devices_of_type (held->kind, held->kind->device_type[i]);
    g_autoptr (GString) name = g_string_new (NULL);
    if (!is_first_of_type (held->kind, i) || alike == 0)
      continue;
    name_append (name, gpu_name, held->table, held->kind->device_type[i]);
    item_begin (held->out);
    g_string_append_printf (held->out, "%s:%u(IDX:", name->str, lk_bits_count_word (alike));
    ranges_append (held->out, alike);
    g_string_append_c (held->out, ')');
    totals_add (held->totals, name->str, lk_bits_count_word (alike));
  }
}

/* "shard:a100:3(3/8,0/8)": with all devices of the node, as Slurm does. */
static void
held_shares_append (Held *held, const char *share, guint32 count, guint32 device)
{
  const LkNodeKind *kind = held->kind;
  g_autoptr (GString) name = g_string_new (NULL);
  if (device >= kind->device_count)
    return;
  name_append (name, share, held->table, kind->device_type[device]);
  item_begin (held->out);
  g_string_append_printf (held->out, "%s:%u(", name->str, count);
  for (guint32 i = 0; i < kind->device_count; i++)
    g_string_append_printf (held->out, "%s%u/%u", i > 0 ? "," : "", i == device ? count : 0,
                            kind->shares_per_device);
  g_string_append_c (held->out, ')');
  totals_add (held->totals, name->str, count);
}

/* "gpu:0-1", "shard*3@0" or "nic*2". */
static void
held_append (Held *held, const char *part)
{
  const char *star = strchr (part, '*');
  if (g_str_has_prefix (part, "gpu:")) {
    guint64 devices;
    set_read (part + strlen ("gpu:"), &devices);
    held_devices_append (held, devices);
    return;
  }
  if (star == NULL)
    return;
  char *end;
  g_autofree char *name = g_strndup (part, (gsize)(star - part));
  guint32 count = (guint32)g_ascii_strtoull (star + 1, &end, 10);
  if (*end == '@') {
    held_shares_append (held, name, count, (guint32)g_ascii_strtoull (end + 1, NULL, 10));
    return;
  }
  item_begin (held->out);
  g_string_append_printf (held->out, "%s(CNT:%u)", name, count);
  totals_add (held->totals, name, count);
}

/* The text before the next `separator` or the end, after which *at is then; NULL at the end.
 * Returns: (transfer full). */
static char *
next_part (const char **at, char separator)
{
  const char *end = strchr (*at, separator);
  gsize length = end != NULL ? (gsize)(end - *at) : strlen (*at);
  if (**at == '\0')
    return NULL;
  char *part = g_strndup (*at, length);
  *at += length + (end != NULL ? 1 : 0);
  return part;
}

/* What "gpu:0-1|shard*3@0|nic*2" of a start decision is on the node. */
static void
held_append_all (Held *held, const char *parts)
{
  for (;;) {
    g_autofree char *part = next_part (&parts, '|');
    if (part == NULL)
      return;
    held_append (held, part);
  }
}

/* Nodes that hold the same are written together. */
typedef struct {
  GPtrArray *names; /* borrowed */
  GString *text;    /* what each of them holds */
  GString *out;
} Group;

static void
group_end (Group *group)
{
  if (group->names->len == 0)
    return;
  if (group->out->len > 0)
    g_string_append_c (group->out, ';');
  lk_hostlist_compress ((const char *const *)group->names->pdata, group->names->len, group->out);
  g_string_append_printf (group->out, "=%s", group->text->str);
  g_ptr_array_set_size (group->names, 0);
}

static void
piece_append (const LkNodeTable *table, const char *piece, Group *group, Totals *totals)
{
  const char *sign = strchr (piece, '=');
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  if (sign == NULL || !lk_hostlist_expand (piece, (gsize)(sign - piece), names, NULL))
    return;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint32 node = lk_node_table_find (table, name, strlen (name));
    if (node == LK_NODE_NONE)
      continue;
    g_string_truncate (text, 0);
    held_append_all (&(Held){ table, lk_node_kind (table, node), totals, text }, sign + 1);
    if (!g_string_equal (text, group->text))
      group_end (group);
    g_string_assign (group->text, text->str);
    g_ptr_array_add (group->names, table->names[node]);
  }
}

void
lk_query_gres_held (const LkNodeTable *table, const char *gres, GString *out_details,
                    GString *out_total)
{
  Totals totals = { g_ptr_array_new_with_free_func (g_free),
                    g_array_new (FALSE, FALSE, sizeof (guint64)) };
  Group group = { g_ptr_array_new (), g_string_new (NULL), out_details };
  while (table != NULL) {
    g_autofree char *piece = next_part (&gres, ';');
    if (piece == NULL)
      break;
    piece_append (table, piece, &group, &totals);
    group_end (&group);
  }
  for (guint i = 0; i < totals.names->len; i++) {
    item_begin (out_total);
    g_string_append_printf (out_total, "%s:%" G_GUINT64_FORMAT,
                            (char *)g_ptr_array_index (totals.names, i),
                            g_array_index (totals.counts, guint64, i));
  }
  g_ptr_array_unref (group.names);
  g_string_free (group.text, TRUE);
  g_ptr_array_unref (totals.names);
  g_array_unref (totals.counts);
}
