/* engine/cluster_text.c — the canonical text of a description, both ways.
 *
 * The tables of engine/cluster_fields.h become arrays of members at compile time; the writer and
 * the reader walk the same arrays.  A line is a kind and then the values of its members, all but
 * the first as member=value, with one blank between.  A value stands in quotes when it is empty or
 * holds a blank, a quote, a backslash, an equals sign or a control character; there a quote and a
 * backslash have a backslash before them, and a newline is \n.
 *
 * The reader takes what the writer writes and nothing else: no other order, no other blanks, no
 * leading zeros, no quotes without need. */
#include <string.h>

#include "engine/assert.h"
#include "engine/cluster.h"
#include "engine/cluster_fields.h"

/* ---------------------------------------------------------------- tables */

typedef enum {
  TYPE_text,
  TYPE_u32,
  TYPE_i64,
  TYPE_flag,
  TYPE_names,
  TYPE_sizes,
  TYPE_sockets,
  TYPE_links,
#define X(type, c_type, ...) TYPE_##type,
  LK_CLUSTER_ENUMS (X)
#undef X
} MemberType;

typedef struct {
  MemberType type;
  gsize offset_bytes;
  const char *name;
  const char *help;
} Member;

typedef struct {
  const char *kind;
  const Member *members;
  guint count;
  const char *help;
} Line;

#define X(type, c_type, ...) static const char *const words_##type[] = { __VA_ARGS__, NULL };
LK_CLUSTER_ENUMS (X)
#undef X

/* The words of an enumeration; NULL for other types. */
static const char *const *
words_of (MemberType type)
{
  switch (type) {
#define X(type, c_type, ...)                                                                       \
  case TYPE_##type:                                                                                \
    return words_##type;
    LK_CLUSTER_ENUMS (X)
#undef X
  default:
    return NULL;
  }
}

/* The C type of a member of each type. */
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

#define ENTRY(type, member, help) { TYPE_##type, offsetof (STRUCT, member), #member, help },
#define SAME(type, member, help)                                                                   \
  G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (((STRUCT *)0)->member), C_##type));
#define STRUCT LkCluster
LK_CLUSTER_FIELDS (SAME)
static const Member members_CLUSTER[] = { LK_CLUSTER_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkNodeSpec
LK_NODE_SPEC_FIELDS (SAME)
static const Member members_NODE_SPEC[] = { LK_NODE_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkGresSpec
LK_GRES_SPEC_FIELDS (SAME)
static const Member members_GRES_SPEC[] = { LK_GRES_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkPartitionSpec
LK_PARTITION_SPEC_FIELDS (SAME)
static const Member members_PARTITION_SPEC[] = { LK_PARTITION_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkLicenseSpec
LK_LICENSE_SPEC_FIELDS (SAME)
static const Member members_LICENSE_SPEC[] = { LK_LICENSE_SPEC_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkSwitchSpec
LK_SWITCH_SPEC_FIELDS (SAME)
static const Member members_SWITCH_SPEC[] = { LK_SWITCH_SPEC_FIELDS (ENTRY) };
#undef STRUCT

typedef enum {
#define X(KIND, kind, type, help) LINE_##KIND,
  LK_CLUSTER_LINES (X) LINE_LIMIT
#undef X
} LineKind;

#define X(KIND, kind, type, help) { #kind, members_##KIND, G_N_ELEMENTS (members_##KIND), help },
static const Line lines[] = { LK_CLUSTER_LINES (X) };
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

static gboolean
is_plain (char letter)
{
  return (guchar)letter > ' ' && letter != '"' && letter != '\\' && letter != '=' && letter != 0x7f;
}

static gboolean
needs_quotes (const char *text)
{
  const char *at = text;
  while (is_plain (*at))
    at++;
  return at == text || *at != '\0';
}

static void
append_text (GString *out, const char *text)
{
  if (!needs_quotes (text)) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\' || *at == '\n')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *at == '\n' ? 'n' : *at);
  }
  g_string_append_c (out, '"');
}

static void
append_names (GString *out, const GPtrArray *names)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    g_string_append (text, g_ptr_array_index (names, i));
  }
  append_text (out, text->str);
}

static void
append_number (GString *out, guint at, guint32 number)
{
  g_string_append_printf (out, at == 0 ? "%u" : ",%u", number);
}

static void
append_sizes (GString *out, const GArray *sizes)
{
  if (sizes->len == 0)
    append_text (out, "");
  for (guint i = 0; i < sizes->len; i++)
    append_number (out, i, g_array_index (sizes, guint32, i));
}

/* All zero is the same as none. */
static void
append_sockets (GString *out, const LkGresSpec *spec)
{
  guint32 any = 0;
  for (guint32 i = 0; spec->device_sockets != NULL && i < spec->count; i++)
    any |= spec->device_sockets[i];
  if (any == 0)
    append_text (out, "");
  for (guint32 i = 0; any != 0 && i < spec->count; i++)
    append_number (out, i, spec->device_sockets[i]);
}

static void
append_links (GString *out, const LkGresSpec *spec)
{
  if (spec->links == NULL)
    append_text (out, "");
  for (guint32 i = 0; spec->links != NULL && i < spec->count * spec->count; i++)
    append_number (out, i, spec->links[i]);
}

/* Enumerations have the size of guint32 and no negative numbers. */
static void
append_word (GString *out, const char *const *words, const void *at)
{
  guint32 number;
  memcpy (&number, at, sizeof number);
  while (number > 0 && *words != NULL) {
    words++;
    number--;
  }
  LK_ASSERT (*words != NULL);
  g_string_append (out, *words);
}

static void
append_value (GString *out, const Member *member, const void *spec)
{
  const void *at = (const char *)spec + member->offset_bytes;
  switch (member->type) {
  case TYPE_text:
    append_text (out, *(char *const *)at);
    break;
  case TYPE_u32:
    append_number (out, 0, *(const guint32 *)at);
    break;
  case TYPE_i64:
    g_string_append_printf (out, "%" G_GINT64_FORMAT, *(const gint64 *)at);
    break;
  case TYPE_flag:
    g_string_append_c (out, *(const gboolean *)at ? '1' : '0');
    break;
  case TYPE_names:
    append_names (out, *(GPtrArray *const *)at);
    break;
  case TYPE_sizes:
    append_sizes (out, *(GArray *const *)at);
    break;
  case TYPE_sockets:
    append_sockets (out, spec);
    break;
  case TYPE_links:
    append_links (out, spec);
    break;
  default:
    append_word (out, words_of (member->type), at);
  }
}

static void
append_line (GString *out, const Line *line, const void *spec)
{
  g_string_append (out, line->kind);
  for (guint i = 0; i < line->count; i++) {
    g_string_append_c (out, ' ');
    if (i > 0) {
      g_string_append (out, line->members[i].name);
      g_string_append_c (out, '=');
    }
    append_value (out, &line->members[i], spec);
  }
  g_string_append_c (out, '\n');
}

void
lk_cluster_text (const LkCluster *self, GString *out)
{
  Walk walk = { .cluster = self, .kind = LINE_CLUSTER };
  const void *spec;
  LineKind kind;
  while ((spec = walk_next (&walk, &kind)))
    append_line (out, &lines[kind], spec);
}

/* ---------------------------------------------------------------- reading values */

typedef struct {
  const char *at;
  const char *end;
  guint line_number;
  LkClusterError *error;
} Reader;

/* What was expected and not found. Returns FALSE. */
static gboolean
wrong (Reader *reader, const char *member, const char *expected)
{
  reader->error->spec = NULL;
  reader->error->member = member;
  g_snprintf (reader->error->text, sizeof reader->error->text, "line %u: expected %s",
              reader->line_number, expected);
  return FALSE;
}

static gboolean
skip (Reader *reader, const char *text)
{
  gsize length_bytes = strlen (text);
  if ((gsize)(reader->end - reader->at) < length_bytes
      || memcmp (reader->at, text, length_bytes) != 0)
    return FALSE;
  reader->at += length_bytes;
  return TRUE;
}

/* The inside of quotes, up to and with the closing one. */
static gboolean
quoted_read (Reader *reader, GString *out)
{
  while (reader->at < reader->end && *reader->at != '\n' && *reader->at != '\0') {
    char letter = *reader->at++;
    if (letter == '"')
      return TRUE;
    if (letter == '\\') {
      if (reader->at == reader->end || strchr ("\"\\n", *reader->at) == NULL || *reader->at == '\0')
        return FALSE;
      letter = *reader->at++;
      letter = letter == 'n' ? '\n' : letter;
    }
    g_string_append_c (out, letter);
  }
  return FALSE;
}

/* Returns: (transfer full); NULL when it is no value as the writer writes it. */
static char *
value_read (Reader *reader)
{
  g_autoptr (GString) value = g_string_new (NULL);
  gboolean is_quoted = skip (reader, "\"");
  if (is_quoted && !quoted_read (reader, value))
    return NULL;
  const char *start = reader->at;
  while (!is_quoted && reader->at < reader->end && is_plain (*reader->at))
    reader->at++;
  g_string_append_len (value, start, reader->at - start);
  if (needs_quotes (value->str) != is_quoted)
    return NULL;
  return g_string_free (g_steal_pointer (&value), FALSE);
}

/* A decimal number without leading zeros. */
static gboolean
number_read (Reader *reader, guint64 limit, guint64 *out_number)
{
  const char *start = reader->at;
  guint64 number = 0;
  while (reader->at < reader->end && g_ascii_isdigit (*reader->at)) {
    guint64 digit = (guint64)(*reader->at++ - '0');
    if (__builtin_mul_overflow (number, 10, &number)
        || __builtin_add_overflow (number, digit, &number) || number > limit)
      return FALSE;
  }
  *out_number = number;
  return reader->at > start && (*start != '0' || reader->at == start + 1);
}

/* ---------------------------------------------------------------- reading members */

static gboolean
read_text (Reader *reader, char **text)
{
  char *value = value_read (reader);
  if (value == NULL)
    return FALSE;
  g_free (*text);
  *text = value;
  return TRUE;
}

static gboolean
read_u32 (Reader *reader, guint32 *number)
{
  guint64 value;
  if (!number_read (reader, G_MAXUINT32, &value))
    return FALSE;
  *number = (guint32)value;
  return TRUE;
}

static gboolean
read_i64 (Reader *reader, gint64 *number)
{
  guint64 value;
  if (!number_read (reader, G_MAXINT64, &value))
    return FALSE;
  *number = (gint64)value;
  return TRUE;
}

static gboolean
read_flag (Reader *reader, gboolean *flag)
{
  guint64 value;
  if (!number_read (reader, 1, &value))
    return FALSE;
  *flag = value == 1;
  return TRUE;
}

/* Empty names are for the check to refuse. */
static gboolean
read_names (Reader *reader, GPtrArray *names)
{
  g_autofree char *value = value_read (reader);
  if (value == NULL)
    return FALSE;
  for (const char *at = value; *value != '\0';) {
    gsize length_bytes = strcspn (at, ",");
    g_ptr_array_add (names, g_strndup (at, length_bytes));
    if (at[length_bytes] == '\0')
      break;
    at += length_bytes + 1;
  }
  return TRUE;
}

static gboolean
read_sizes (Reader *reader, GArray *sizes)
{
  if (skip (reader, "\"\""))
    return TRUE;
  do {
    guint32 size;
    if (!read_u32 (reader, &size))
      return FALSE;
    g_array_append_val (sizes, size);
  } while (skip (reader, ","));
  return TRUE;
}

static gboolean
read_sockets (Reader *reader, LkGresSpec *spec)
{
  if (skip (reader, "\"\""))
    return TRUE;
  if (spec->count > LK_LIMIT_NODE_DEVICES)
    return FALSE;
  spec->device_sockets = g_new0 (guint32, spec->count);
  guint32 any = 0;
  for (guint32 i = 0; i < spec->count; i++) {
    if ((i > 0 && !skip (reader, ",")) || !read_u32 (reader, &spec->device_sockets[i]))
      return FALSE;
    any |= spec->device_sockets[i];
  }
  return any != 0;
}

static gboolean
read_links (Reader *reader, LkGresSpec *spec)
{
  if (skip (reader, "\"\""))
    return TRUE;
  if (spec->count > LK_LIMIT_NODE_DEVICES)
    return FALSE;
  guint32 link_count = spec->count * spec->count;
  spec->links = g_new0 (guint16, link_count);
  for (guint32 i = 0; i < link_count; i++) {
    guint64 value;
    if ((i > 0 && !skip (reader, ",")) || !number_read (reader, G_MAXUINT16, &value))
      return FALSE;
    spec->links[i] = (guint16)value;
  }
  return link_count > 0;
}

static gboolean
read_word (Reader *reader, const char *const *words, void *at)
{
  g_autofree char *value = value_read (reader);
  for (guint32 i = 0; value != NULL && words[i] != NULL; i++)
    if (strcmp (value, words[i]) == 0) {
      memcpy (at, &i, sizeof i);
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_value (Reader *reader, const Member *member, void *spec)
{
  void *at = (char *)spec + member->offset_bytes;
  switch (member->type) {
  case TYPE_text:
    return read_text (reader, at);
  case TYPE_u32:
    return read_u32 (reader, at);
  case TYPE_i64:
    return read_i64 (reader, at);
  case TYPE_flag:
    return read_flag (reader, at);
  case TYPE_names:
    return read_names (reader, *(GPtrArray **)at);
  case TYPE_sizes:
    return read_sizes (reader, *(GArray **)at);
  case TYPE_sockets:
    return read_sockets (reader, spec);
  case TYPE_links:
    return read_links (reader, spec);
  default:
    return read_word (reader, words_of (member->type), at);
  }
}

static const char *
type_phrase (MemberType type)
{
  switch (type) {
  case TYPE_text:
    return "text";
  case TYPE_u32:
    return "a number below 2^32";
  case TYPE_i64:
    return "a number below 2^63";
  case TYPE_flag:
    return "0 or 1";
  case TYPE_names:
    return "names with commas between";
  case TYPE_sizes:
    return "numbers with commas between";
  case TYPE_sockets:
    return "one set of sockets for each device";
  case TYPE_links:
    return "one number for each pair of devices";
  default:
    return "one of its words";
  }
}

/* ---------------------------------------------------------------- reading lines */

/* All of a line behind its kind, into `spec`. */
static gboolean
line_read (Reader *reader, const Line *line, void *spec)
{
  for (guint i = 0; i < line->count; i++) {
    const Member *member = &line->members[i];
    if (!skip (reader, " ") || (i > 0 && (!skip (reader, member->name) || !skip (reader, "=")))) {
      g_autofree char *expected = g_strdup_printf ("%s, with one blank before", member->name);
      return wrong (reader, member->name, expected);
    }
    if (!read_value (reader, member, spec))
      return wrong (reader, member->name, type_phrase (member->type));
  }
  if (!skip (reader, "\n"))
    return wrong (reader, line->kind, "the end of the line");
  return TRUE;
}

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

/* Reads the word in front of a line. Returns LINE_LIMIT when it is none. */
static LineKind
kind_read (Reader *reader)
{
  gsize left_bytes = (gsize)(reader->end - reader->at);
  for (LineKind kind = 0; kind < LINE_LIMIT; kind++) {
    gsize length_bytes = strlen (lines[kind].kind);
    if (left_bytes > length_bytes && reader->at[length_bytes] == ' '
        && skip (reader, lines[kind].kind))
      return kind;
  }
  return LINE_LIMIT;
}

/* Groups of nodes and their resources take turns; the other kinds stand together, in order. */
static gboolean
kind_may_follow (LineKind last, LineKind kind)
{
  if (kind == LINE_LIMIT || kind == LINE_CLUSTER)
    return FALSE;
  return kind >= last || (last == LINE_GRES_SPEC && kind == LINE_NODE_SPEC);
}

static gboolean
lines_read (Reader *reader, LkCluster *cluster)
{
  LineKind last = LINE_CLUSTER;
  if (kind_read (reader) != LINE_CLUSTER)
    return wrong (reader, "name", "the line of the cluster");
  if (!line_read (reader, &lines[LINE_CLUSTER], cluster))
    return FALSE;
  while (reader->at < reader->end) {
    reader->line_number++;
    LineKind kind = kind_read (reader);
    void *spec = kind_may_follow (last, kind) ? spec_add (cluster, kind) : NULL;
    if (spec == NULL)
      return wrong (reader, "nodes", "nodes, gres, partition, license or switch, in this order");
    if (!line_read (reader, &lines[kind], spec))
      return FALSE;
    last = kind;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- reading the whole */

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
  Reader reader = { text, text + length_bytes, 1, error };
  g_autoptr (LkCluster) cluster = lk_cluster_new ("");
  if (!lines_read (&reader, cluster))
    return NULL;
  if (!lk_cluster_check (cluster, error)) {
    error_place (cluster, error);
    return NULL;
  }
  if (!same_text (cluster, text, length_bytes)) {
    wrong (&reader, "partitions",
           "a default partition before it, and block sizes if there are "
           "blocks");
    return NULL;
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

/* ---------------------------------------------------------------- documentation */

static void
append_type (GString *out, MemberType type)
{
  const char *const *words = words_of (type);
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    g_string_append_printf (out, "%s`%s`", i > 0 ? ", " : "", words[i]);
  if (words == NULL)
    g_string_append (out, type_phrase (type));
}

void
lk_cluster_markdown (GString *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    const Line *line = &lines[i];
    g_string_append_printf (out,
                            "%s## %s\n\n%s.\n\n| member | value | what it is |\n|---|---|---|\n",
                            i > 0 ? "\n" : "", line->kind, line->help);
    for (guint j = 0; j < line->count; j++) {
      g_string_append_printf (out, "| %s | ", line->members[j].name);
      append_type (out, line->members[j].type);
      g_string_append_printf (out, " | %s |\n", line->members[j].help);
    }
  }
}
