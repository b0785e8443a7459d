/* engine/cluster_text.c — the canonical text of a description, both ways.
 *
 * The tables of engine/cluster_fields.h become arrays of members at compile time; what a line looks
 * like is said in engine/line_text.h. */
#include <string.h>

#include "engine/cluster.h"
#include "engine/cluster_fields.h"
#include "engine/line_text.h"

/* ---------------------------------------------------------------- the types of a device */

/* Numbers with commas between; nothing when there are none. */
static void
numbers_append (GString *out, guint32 at, guint32 number)
{
  g_string_append_printf (out, at == 0 ? "%u" : ",%u", number);
}

/* All zero is the same as none. */
static void
sockets_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)member;
  (void)context;
  const LkGresSpec *gres = spec;
  guint32 any = 0;
  for (guint32 i = 0; gres->device_sockets != NULL && i < gres->count; i++)
    any |= gres->device_sockets[i];
  if (any == 0)
    lk_line_append_text (out, "");
  for (guint32 i = 0; any != 0 && i < gres->count; i++)
    numbers_append (out, i, gres->device_sockets[i]);
}

static void
links_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)member;
  (void)context;
  const LkGresSpec *gres = spec;
  if (gres->links == NULL)
    lk_line_append_text (out, "");
  for (guint32 i = 0; gres->links != NULL && i < gres->count * gres->count; i++)
    numbers_append (out, i, gres->links[i]);
}

static gboolean
sockets_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  (void)member;
  LkGresSpec *gres = spec;
  if (lk_line_skip (reader, "\"\""))
    return TRUE;
  if (gres->count > LK_LIMIT_NODE_DEVICES)
    return FALSE;
  gres->device_sockets = g_new0 (guint32, gres->count);
  guint32 any = 0;
  for (guint32 i = 0; i < gres->count; i++) {
    guint64 value;
    if ((i > 0 && !lk_line_skip (reader, ","))
        || !lk_line_number_read (reader, G_MAXUINT32, &value))
      return FALSE;
    gres->device_sockets[i] = (guint32)value;
    any |= gres->device_sockets[i];
  }
  return any != 0;
}

static gboolean
links_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  (void)member;
  LkGresSpec *gres = spec;
  if (lk_line_skip (reader, "\"\""))
    return TRUE;
  if (gres->count > LK_LIMIT_NODE_DEVICES)
    return FALSE;
  guint32 link_count = gres->count * gres->count;
  gres->links = g_new0 (guint16, link_count);
  for (guint32 i = 0; i < link_count; i++) {
    guint64 value;
    if ((i > 0 && !lk_line_skip (reader, ","))
        || !lk_line_number_read (reader, G_MAXUINT16, &value))
      return FALSE;
    gres->links[i] = (guint16)value;
  }
  return link_count > 0;
}

/* ---------------------------------------------------------------- tables */

static const LkLineType type_sockets = { sockets_append, sockets_read,
                                         "one set of sockets for each device", NULL };
static const LkLineType type_links = { links_append, links_read,
                                       "one number for each pair of devices", NULL };

#define X(type, c_type, ...)                                                                       \
  static const char *const words_##type[] = { __VA_ARGS__, NULL };                                 \
  static const LkLineType type_##type = { lk_line_word_append, lk_line_word_read,                  \
                                          "one of its words", words_##type };
LK_CLUSTER_ENUMS (X)
#undef X

/* The C type of a member of each type, and how it is written and read. */
#define C_text char *
#define C_u32 guint32
#define C_i64 gint64
#define C_flag gboolean
#define C_names GPtrArray *
#define C_sizes GArray *
#define C_sockets guint32 *
#define C_links guint16 *
#define C_topology LkTopologyKind
#define C_consume LkConsume
#define C_partition_state LkPartitionState
#define C_oversubscribe LkOversubscribe
#define C_inherit LkSwitch
#define C_compat guint32

#define TYPE_text &lk_line_text
#define TYPE_u32 &lk_line_u32
#define TYPE_i64 &lk_line_i64
#define TYPE_flag &lk_line_flag
#define TYPE_names &lk_line_names
#define TYPE_sizes &lk_line_sizes
#define TYPE_sockets &type_sockets
#define TYPE_links &type_links
#define TYPE_topology &type_topology
#define TYPE_consume &type_consume
#define TYPE_partition_state &type_partition_state
#define TYPE_compat &type_compat
#define TYPE_oversubscribe &type_oversubscribe
#define TYPE_inherit &type_inherit

#define ENTRY(type, member, help) { TYPE_##type, offsetof (STRUCT, member), #member, help },
#define SAME(type, member, help)                                                                   \
  G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (((STRUCT *)0)->member), C_##type));
#define STRUCT LkCluster
LK_CLUSTER_FIELDS (SAME)
static const LkLineMember members_CLUSTER[] = { LK_CLUSTER_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkNodeSpec
LK_NODE_SPEC_FIELDS (SAME)
static const LkLineMember members_NODE_SPEC[] = { LK_NODE_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkGresSpec
LK_GRES_SPEC_FIELDS (SAME)
static const LkLineMember members_GRES_SPEC[] = { LK_GRES_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkPartitionSpec
LK_PARTITION_SPEC_FIELDS (SAME)
static const LkLineMember members_PARTITION_SPEC[] = { LK_PARTITION_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkLicenseSpec
LK_LICENSE_SPEC_FIELDS (SAME)
static const LkLineMember members_LICENSE_SPEC[] = { LK_LICENSE_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkSwitchSpec
LK_SWITCH_SPEC_FIELDS (SAME)
static const LkLineMember members_SWITCH_SPEC[] = { LK_SWITCH_SPEC_FIELDS (ENTRY) };
#undef STRUCT

typedef enum {
#define X(KIND, kind, type, help) LINE_##KIND,
  LK_CLUSTER_LINES (X) LINE_COUNT
#undef X
} LineKind;

#define X(KIND, kind, type, help) { #kind, members_##KIND, G_N_ELEMENTS (members_##KIND), help },
static const LkLine lines[] = { LK_CLUSTER_LINES (X) };
#undef X

/* ---------------------------------------------------------------- the parts of a description */

/* The specs in the order of their lines. */
typedef struct {
  const LkCluster *cluster;
  LineKind kind;
  guint index;
  guint gres_index;
} Walk;

static const GPtrArray *
specs_of (const LkCluster *cluster, LineKind kind)
{
  switch (kind) {
  case LINE_NODE_SPEC:
    return cluster->nodes;
  case LINE_PARTITION_SPEC:
    return cluster->partitions;
  case LINE_LICENSE_SPEC:
    return cluster->licenses;
  default:
    return cluster->switches;
  }
}

/* The generic resource behind the group that was last. NULL: no more. */
static const void *
walk_gres (Walk *self)
{
  if (self->index == 0)
    return NULL;
  const LkNodeSpec *node = g_ptr_array_index (self->cluster->nodes, self->index - 1);
  if (self->gres_index == node->gres->len)
    return NULL;
  return g_ptr_array_index (node->gres, self->gres_index++);
}

/* The next spec and the kind of its line; NULL at the end. */
static const void *
walk_next (Walk *self, LineKind *out_kind)
{
  for (;;) {
    const void *spec = self->kind == LINE_NODE_SPEC ? walk_gres (self) : NULL;
    *out_kind = LINE_GRES_SPEC;
    if (spec != NULL)
      return spec;
    *out_kind = self->kind;
    if (self->kind == LINE_CLUSTER) {
      self->kind = LINE_NODE_SPEC;
      return self->cluster;
    }
    const GPtrArray *specs = specs_of (self->cluster, self->kind);
    if (self->index < specs->len) {
      self->gres_index = 0;
      return g_ptr_array_index (specs, self->index++);
    }
    if (self->kind == LINE_SWITCH_SPEC)
      return NULL;
    self->index = 0;
    self->kind = self->kind == LINE_NODE_SPEC ? LINE_PARTITION_SPEC : self->kind + 1;
  }
}

/* ---------------------------------------------------------------- writing */

void
lk_cluster_text (const LkCluster *self, GString *out)
{
  Walk walk = { .cluster = self, .kind = LINE_CLUSTER };
  const void *spec;
  LineKind kind;
  while ((spec = walk_next (&walk, &kind)))
    lk_line_append (out, &lines[kind], spec, NULL);
}

/* ---------------------------------------------------------------- reading lines */

/* A new spec of this kind. NULL: not here. */
static void *
spec_add (LkCluster *cluster, LineKind kind)
{
  switch (kind) {
  case LINE_NODE_SPEC:
    return lk_cluster_add_nodes (cluster, "");
  case LINE_GRES_SPEC:
    if (cluster->nodes->len == 0)
      return NULL;
    return lk_node_spec_add_gres (g_ptr_array_index (cluster->nodes, cluster->nodes->len - 1), "",
                                  "", 0);
  case LINE_PARTITION_SPEC:
    return lk_cluster_add_partition (cluster, "");
  case LINE_LICENSE_SPEC:
    return lk_cluster_add_license (cluster, "", 0);
  case LINE_SWITCH_SPEC:
    return lk_cluster_add_switch (cluster, "", "", "");
  default:
    /* UNREACHABLE: kind_may_follow lets no other kind through. */
    return NULL;
  }
}

/* Groups of nodes and their resources take turns; the other kinds stand together, in order. */
static gboolean
kind_may_follow (LineKind last, LineKind kind)
{
  if (kind == LINE_COUNT || kind == LINE_CLUSTER)
    return FALSE;
  return kind >= last || (last == LINE_GRES_SPEC && kind == LINE_NODE_SPEC);
}

static gboolean
lines_read (LkLineReader *reader, LkCluster *cluster)
{
  LineKind last = LINE_CLUSTER;
  if (lk_line_kind_read (reader, lines, LINE_COUNT) != LINE_CLUSTER)
    return lk_line_wrong (reader, "name", "the line of the cluster");
  if (!lk_line_read (reader, &lines[LINE_CLUSTER], cluster))
    return FALSE;
  while (reader->at < reader->end) {
    reader->line_number++;
    LineKind kind = lk_line_kind_read (reader, lines, LINE_COUNT);
    void *spec = kind_may_follow (last, kind) ? spec_add (cluster, kind) : NULL;
    if (spec == NULL)
      return lk_line_wrong (reader, "nodes",
                            "nodes, gres, partition, license or switch, in this order");
    if (!lk_line_read (reader, &lines[kind], spec))
      return FALSE;
    last = kind;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- reading the whole */

/* What the reader found wrong. Returns NULL. */
static LkCluster *
refuse (const LkLineReader *reader, LkClusterError *error)
{
  error->spec = NULL;
  error->member = reader->member;
  memcpy (error->text, reader->text, sizeof error->text);
  return NULL;
}

/* Puts the line in place of the spec, which will not live on. */
static void
error_place (const LkCluster *cluster, LkClusterError *error)
{
  Walk walk = { .cluster = cluster, .kind = LINE_CLUSTER };
  guint line_number = 1;
  LineKind kind;
  const void *spec = walk_next (&walk, &kind);
  if (error->spec != NULL)
    for (; spec != NULL && spec != error->spec; line_number++)
      spec = walk_next (&walk, &kind);
  char text[sizeof error->text];
  memcpy (text, error->text, sizeof text);
  g_snprintf (error->text, sizeof error->text, "line %u: %s", line_number, text);
  error->spec = NULL;
}

/* A text is one of a checked description: reading it adds nothing. */
static gboolean
same_text (const LkCluster *cluster, const char *text, gsize length_bytes)
{
  g_autoptr (GString) again = g_string_sized_new (length_bytes);
  lk_cluster_text (cluster, again);
  return again->len == length_bytes && memcmp (again->str, text, length_bytes) == 0;
}

static LkCluster *
cluster_read (const char *text, gsize length_bytes, LkClusterError *error)
{
  LkLineReader reader = { .at = text, .end = text + length_bytes, .line_number = 1 };
  g_autoptr (LkCluster) cluster = lk_cluster_new ("");
  if (!lines_read (&reader, cluster))
    return refuse (&reader, error);
  if (!lk_cluster_check (cluster, error)) {
    error_place (cluster, error);
    return NULL;
  }
  if (!same_text (cluster, text, length_bytes)) {
    lk_line_wrong (&reader, "partitions",
                   "a default partition before it, and block sizes if there are blocks");
    return refuse (&reader, error);
  }
  return g_steal_pointer (&cluster);
}

LkCluster *
lk_cluster_from_text (const char *text, gsize length_bytes, LkClusterError *out_error)
{
  LkClusterError error = { NULL, "nodes", "" };
  LkCluster *cluster = NULL;
  if (length_bytes > 0 && length_bytes <= LK_LIMIT_CLUSTER_TEXT_BYTES)
    cluster = cluster_read (text, length_bytes, &error);
  else
    g_snprintf (error.text, sizeof error.text,
                "has %" G_GSIZE_FORMAT " bytes; expected a description of 1 to %u", length_bytes,
                LK_LIMIT_CLUSTER_TEXT_BYTES);
  if (cluster == NULL && out_error)
    *out_error = error;
  return cluster;
}

/* ---------------------------------------------------------------- single lines */

void
lk_partition_spec_text (const LkPartitionSpec *self, GString *out)
{
  lk_line_append (out, &lines[LINE_PARTITION_SPEC], self, NULL);
}

void
lk_node_spec_text (const LkNodeSpec *self, GString *out)
{
  lk_line_append (out, &lines[LINE_NODE_SPEC], self, NULL);
}

/* All of the text is one line of this kind. */
static gboolean
line_read (const char *text, gsize length_bytes, LineKind kind, void *spec)
{
  LkLineReader reader = { .at = text, .end = text + length_bytes, .line_number = 1 };
  return length_bytes > 0 && length_bytes <= LK_LIMIT_CLUSTER_TEXT_BYTES
         && lk_line_kind_read (&reader, lines, LINE_COUNT) == kind
         && lk_line_read (&reader, &lines[kind], spec) && reader.at == reader.end;
}

LkPartitionSpec *
lk_partition_spec_from_text (const char *text, gsize length_bytes)
{
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  LkPartitionSpec *spec = lk_cluster_add_partition (scratch, "");
  return line_read (text, length_bytes, LINE_PARTITION_SPEC, spec) ? lk_partition_spec_copy (spec)
                                                                   : NULL;
}

LkNodeSpec *
lk_node_spec_from_text (const char *text, gsize length_bytes)
{
  g_autoptr (LkCluster) scratch = lk_cluster_new ("");
  LkNodeSpec *spec = lk_cluster_add_nodes (scratch, "");
  return line_read (text, length_bytes, LINE_NODE_SPEC, spec) ? lk_node_spec_copy (spec) : NULL;
}

/* ---------------------------------------------------------------- documentation */

void
lk_cluster_markdown (GString *out)
{
  lk_lines_markdown (out, lines, G_N_ELEMENTS (lines));
}
