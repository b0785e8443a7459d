/* traces/cluster_yaml_read.c — reads cluster.yaml: the page, its mappings, groups of nodes,
 * partitions, licences and topology.  See cluster_yaml.h.
 *
 * The depth is bounded by the grammar: page, list of nodes, group, generic resources, resource,
 * devices, device.  Each value is noted with its place, so that what lk_cluster_check finds wrong
 * later can be said there. */
#include "traces/cluster_yaml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/suggest.h"
#include "traces/cluster_yaml_reader.h"
#include "traces/node_topology.h"

/* Nodes of real machines make some hundred KiB. */
#define XML_MAX_BYTES (16u * 1024 * 1024)

/* ---------------------------------------------------------------- places */

static void
add_note (LkYamlReader *self, const void *spec, const char *member, const LkKey *keys)
{
  LkYamlNote note = { spec, member, keys, lk_yaml_cursor_place (self->cursor) };
  g_array_append_val (self->notes, note);
}

void
lk_yaml_note_member (LkYamlReader *self, const void *spec, const char *member)
{
  add_note (self, spec, member, NULL);
}

void
lk_yaml_note_spec (LkYamlReader *self, const void *spec, const LkKey *keys)
{
  add_note (self, spec, "", keys);
}

/* From the end, where the spec that is being read stands; a spec is noted before its members. */
static const LkYamlNote *
find_note (const LkYamlReader *self, const void *spec, const char *member)
{
  for (guint i = self->notes->len; i-- > 0;) {
    const LkYamlNote *note = &g_array_index (self->notes, LkYamlNote, i);
    if (note->spec != spec)
      continue;
    if (strcmp (note->member, member) == 0)
      return note;
    if (note->member[0] == '\0')
      return NULL;
  }
  return NULL;
}

const LkYamlNote *
lk_yaml_noted (const LkYamlReader *self, const void *spec, const char *member)
{
  const LkYamlNote *note = find_note (self, spec, member);
  return note != NULL ? note : find_note (self, spec, "");
}

/* ---------------------------------------------------------------- mappings and lists */

gboolean
lk_yaml_expect (const LkYamlReader *self, LkYamlKind kind, const char *what)
{
  LkYamlKind found = lk_yaml_cursor_kind (self->cursor);
  if (found == kind)
    return TRUE;
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is %s; expected %s", what,
                              found == LK_YAML_SCALAR ? "one value"
                              : found == LK_YAML_LIST ? "a list"
                                                      : "a mapping",
                              kind == LK_YAML_LIST ? "a list" : "'key: value' pairs");
}

gboolean
lk_yaml_has_key (const GPtrArray *seen, const char *key)
{
  return g_ptr_array_find_with_equal_func ((GPtrArray *)seen, key, g_str_equal, NULL);
}

gboolean
lk_yaml_read_list (LkYamlReader *self, const char *key, LkYamlItemFunc read_item, gpointer data)
{
  if (!lk_yaml_expect (self, LK_YAML_LIST, key) || !lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST_END)
    if (!read_item (self, data) || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  return TRUE;
}

static LkYamlValueFunc value_reader (LkKeyKind kind);

/* The current event is a key; reads it and its value. */
static gboolean
read_pair (LkYamlReader *self, const LkKey *keys, gpointer spec, GPtrArray *seen)
{
  if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
    return FALSE;
  const char *name = g_ptr_array_index (seen, seen->len - 1);
  const LkKey *key = lk_key_find (keys, name);
  if (key == NULL) {
    g_autofree const char **names = lk_key_names (keys);
    g_autofree char *phrase = lk_suggest_phrase (name, names);
    return lk_yaml_cursor_fail (self->cursor, self->error, "unknown key '%s'%s", name, phrase);
  }
  if (!lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  if (key->member[0] != '\0')
    lk_yaml_note_member (self, spec, key->member);
  return value_reader (key->kind) (self, key, spec);
}

gboolean
lk_yaml_read_mapping (LkYamlReader *self, const LkKey *keys, gpointer spec, GPtrArray *seen)
{
  if (!lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END)
    if (!read_pair (self, keys, spec, seen) || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  return TRUE;
}

/* A mapping whose place is that of `spec` and that has to have the key `needed`. */
static gboolean
read_spec (LkYamlReader *self, const char *what, const LkKey *keys, gpointer spec, GPtrArray *seen)
{
  const char *needed = keys[0].key;
  if (!lk_yaml_expect (self, LK_YAML_MAPPING, what))
    return FALSE;
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  lk_yaml_note_spec (self, spec, keys);
  if (!lk_yaml_read_mapping (self, keys, spec, seen))
    return FALSE;
  if (lk_yaml_has_key (seen, needed))
    return TRUE;
  return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                 "no '%s' in this entry of '%s'; expected one", needed, what);
}

/* ---------------------------------------------------------------- what nodes are made of */

static gboolean
fail_problem (const LkYamlReader *self, const char *what, const char *problem)
{
  return lk_yaml_cursor_fail_at (self->cursor, self->topology_place, self->error, "'%s': %s", what,
                                 problem);
}

/* Takes the place of `out`, or fails when it was given and is something else. */
static gboolean
take_told (LkYamlReader *self, const LkNodeSpec *node, const char *member, guint32 told,
           guint32 *out)
{
  const LkYamlNote *note = find_note (self, node, member);
  if (note != NULL && *out != told)
    return lk_yaml_cursor_fail_at (self->cursor, note->place, self->error,
                                   "%u here, and %u in what hwloc says of the node at line %u; "
                                   "expected the same, or only one of them",
                                   *out, told, self->topology_place.line);
  *out = told;
  return TRUE;
}

static guint32
gpu_count (const LkNodeSpec *node)
{
  guint32 count = 0;
  for (guint i = 0; i < node->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (node->gres, i);
    if (strcmp (gres->name, "gpu") == 0)
      count += MIN (gres->count, LK_LIMIT_NODE_DEVICES + 1);
  }
  return count;
}

/* The sockets of devices that do not say where they are. */
static void
spread_devices (LkNodeSpec *node, const LkNodeTopology *topology)
{
  guint32 first = 0;
  for (guint i = 0; i < node->gres->len; i++) {
    LkGresSpec *gres = g_ptr_array_index (node->gres, i);
    if (strcmp (gres->name, "gpu") != 0)
      continue;
    if (gres->device_sockets == NULL && gres->count > 0) {
      gres->device_sockets = g_new (guint32, gres->count);
      memcpy (gres->device_sockets, topology->device_sockets + first,
              gres->count * sizeof *gres->device_sockets);
    }
    first += gres->count;
  }
}

static gboolean
take_devices (LkYamlReader *self, LkNodeSpec *node, const LkNodeTopology *topology)
{
  if (topology->device_count == 0)
    return TRUE;
  if (gpu_count (node) == 0)
    lk_node_spec_add_gres (node, "gpu", NULL, topology->device_count);
  if (gpu_count (node) != topology->device_count)
    return lk_yaml_cursor_fail_at (
        self->cursor, lk_yaml_noted (self, node, "gres")->place, self->error,
        "%u GPUs here, and %u in what hwloc says of the node at line "
        "%u; expected the same, or only one of them",
        gpu_count (node), topology->device_count, self->topology_place.line);
  spread_devices (node, topology);
  return TRUE;
}

static gboolean
take_memory (LkYamlReader *self, LkNodeSpec *node, const LkNodeTopology *topology)
{
  const LkYamlNote *note = find_note (self, node, "memory_bytes");
  if (topology->memory_bytes == 0)
    return TRUE;
  self->memory_is_told = TRUE;
  if (note == NULL)
    node->memory_bytes = topology->memory_bytes;
  else if (node->memory_bytes > topology->memory_bytes)
    return lk_yaml_cursor_fail_at (self->cursor, note->place, self->error,
                                   "more memory than the node has by what hwloc says of it at "
                                   "line %u, which is %" G_GINT64_FORMAT " bytes",
                                   self->topology_place.line, topology->memory_bytes);
  return TRUE;
}

static gboolean
apply_topology (LkYamlReader *self, LkNodeSpec *node, const LkNodeTopology *topology)
{
  return take_told (self, node, "sockets", topology->sockets, &node->sockets)
         && take_told (self, node, "cores_per_socket", topology->cores_per_socket,
                       &node->cores_per_socket)
         && take_told (self, node, "threads_per_core", topology->threads_per_core,
                       &node->threads_per_core)
         && take_memory (self, node, topology) && take_devices (self, node, topology);
}

/* All of a regular file: a pipe or a device would hang or never end. */
static gboolean
read_file (const char *path, gsize maximum_bytes, GByteArray *out, char **out_problem)
{
  FILE *file = fopen (path, "rbe");
  if (file == NULL) {
    *out_problem = g_strdup_printf ("cannot be opened: %s", g_strerror (errno));
    return FALSE;
  }
  guint8 chunk[65536];
  gsize taken;
  while (out->len <= maximum_bytes && (taken = fread (chunk, 1, sizeof chunk, file)) > 0)
    g_byte_array_append (out, chunk, (guint)taken);
  if (ferror (file) != 0)
    *out_problem = g_strdup_printf ("cannot be read: %s", g_strerror (errno));
  else if (out->len > maximum_bytes)
    *out_problem = g_strdup_printf ("larger than %" G_GSIZE_FORMAT " bytes", maximum_bytes);
  fclose (file);
  return *out_problem == NULL;
}

static gboolean
load_xml (const LkYamlReader *self, LkNodeTopology *out, char **out_problem)
{
  g_autofree char *folder = g_path_get_dirname (self->name);
  g_autofree char *path = g_path_is_absolute (self->topology)
                              ? g_strdup (self->topology)
                              : g_build_filename (folder, self->topology, NULL);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  struct stat status;
  if (stat (path, &status) == 0 && !S_ISREG (status.st_mode)) {
    *out_problem = g_strdup ("is no regular file");
    return FALSE;
  }
  return read_file (path, XML_MAX_BYTES, bytes, out_problem)
         && lk_node_topology_from_xml (bytes->data, bytes->len, out, out_problem);
}

static gboolean
take_topology (LkYamlReader *self, LkNodeSpec *node)
{
  LkNodeTopology topology;
  g_autofree char *problem = NULL;
  gboolean good = self->topology_is_file
                      ? load_xml (self, &topology, &problem)
                      : lk_node_topology_from_synthetic (self->topology, &topology, &problem);
  if (!good)
    return fail_problem (self, self->topology, problem);
  return apply_topology (self, node, &topology);
}

static gboolean
read_node_topology (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  if (!lk_yaml_cursor_expect_value (self->cursor, key->key, self->error))
    return FALSE;
  if (self->topology != NULL)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' beside the other one of 'topology' and 'hwloc_xml'; "
                                "expected one of them",
                                key->key);
  self->topology = g_strdup (lk_yaml_cursor_text (self->cursor));
  self->topology_is_file = key->kind == LK_KEY_XML;
  self->topology_place = lk_yaml_cursor_place (self->cursor);
  return TRUE;
}

/* ---------------------------------------------------------------- nodes */

static gboolean
read_node (LkYamlReader *self, gpointer data)
{
  (void)data;
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkNodeSpec *node = lk_cluster_add_nodes (self->cluster, "");
  g_clear_pointer (&self->topology, g_free);
  if (!read_spec (self, "nodes", lk_node_keys, node, seen))
    return FALSE;
  if (self->topology != NULL && !take_topology (self, node))
    return FALSE;
  self->memory_is_told = self->memory_is_told || lk_yaml_has_key (seen, "memory");
  if (!lk_yaml_has_key (seen, "cpus"))
    node->cpus = lk_node_cpus_default (node);
  return TRUE;
}

static gboolean
read_nodes (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  return lk_yaml_read_list (self, key->key, read_node, NULL);
}

/* ---------------------------------------------------------------- partitions and licences */

static gboolean
read_partition (LkYamlReader *self, gpointer data)
{
  (void)data;
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkPartitionSpec *partition = lk_cluster_add_partition (self->cluster, "");
  return read_spec (self, "partitions", lk_partition_keys, partition, seen);
}

static gboolean
read_partitions (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  return lk_yaml_read_list (self, key->key, read_partition, NULL);
}

/* A mapping from names to counts. */
static gboolean
read_licenses (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!lk_yaml_expect (self, LK_YAML_MAPPING, key->key)
      || !lk_yaml_cursor_next (self->cursor, self->error))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END) {
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
      return FALSE;
    const char *name = g_ptr_array_index (seen, seen->len - 1);
    LkLicenseSpec *license = lk_cluster_add_license (self->cluster, name, 0);
    lk_yaml_note_spec (self, license, NULL);
    if (!lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
    lk_yaml_note_member (self, license, "count");
    if (!lk_yaml_read_count (self, name, G_MAXUINT32, &license->count)
        || !lk_yaml_cursor_next (self->cursor, self->error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- topology */

static gboolean
read_switch (LkYamlReader *self, gpointer data)
{
  const LkKey *key = data;
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkSwitchSpec *entry = lk_cluster_add_switch (self->cluster, "", NULL, NULL);
  return read_spec (self, key->key, key->kind == LK_KEY_BLOCKS ? lk_block_keys : lk_switch_keys,
                    entry, seen);
}

static gboolean
read_switches (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  (void)spec;
  return lk_yaml_read_list (self, key->key, read_switch, (gpointer)key);
}

/* The kind, which may be left out, must be the one that the other keys are about. */
static gboolean
settle_topology_kind (LkYamlReader *self, const GPtrArray *seen, LkYamlPlace place)
{
  LkCluster *cluster = self->cluster;
  gboolean has_switches = lk_yaml_has_key (seen, "switches");
  gboolean has_blocks = lk_yaml_has_key (seen, "blocks");
  if (has_switches && has_blocks)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                   "'switches' beside 'blocks'; expected one of them");
  LkTopologyKind kind = has_switches ? LK_TOPOLOGY_TREE
                        : has_blocks ? LK_TOPOLOGY_BLOCK
                                     : LK_TOPOLOGY_FLAT;
  if (!lk_yaml_has_key (seen, "kind"))
    cluster->topology = kind;
  if (cluster->topology == kind)
    return TRUE;
  return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                 "the kind does not go with the other keys; expected 'switches' "
                                 "of a tree, 'blocks' of a block topology, neither of a flat one");
}

static gboolean
read_topology (LkYamlReader *self, const LkKey *key, gpointer spec)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (lk_yaml_cursor_kind (self->cursor) == LK_YAML_SCALAR
      && strcmp (lk_yaml_cursor_text (self->cursor), "flat") == 0)
    return TRUE;
  if (!lk_yaml_expect (self, LK_YAML_MAPPING, key->key))
    return FALSE;
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  return lk_yaml_read_mapping (self, lk_topology_keys, spec, seen)
         && settle_topology_kind (self, seen, place);
}

static LkYamlValueFunc
value_reader (LkKeyKind kind)
{
  switch (kind) {
  case LK_KEY_NODES:
    return read_nodes;
  case LK_KEY_PARTITIONS:
    return read_partitions;
  case LK_KEY_LICENSES:
    return read_licenses;
  case LK_KEY_TOPOLOGY:
    return read_topology;
  case LK_KEY_SWITCHES:
  case LK_KEY_BLOCKS:
    return read_switches;
  case LK_KEY_SYNTHETIC:
  case LK_KEY_XML:
    return read_node_topology;
  case LK_KEY_GRES:
    return lk_yaml_read_gres;
  case LK_KEY_SOCKETS:
    return lk_yaml_read_device_sockets;
  case LK_KEY_NVLINK:
    return lk_yaml_read_nvlink;
  case LK_KEY_LINKS:
    return lk_yaml_read_links;
  default:
    return lk_yaml_value_readers[kind];
  }
}

/* ---------------------------------------------------------------- the page */

/* How the member is called in the page; its own name when it has no key. */
static const char *
key_of (const LkKey *keys, const char *member)
{
  for (const LkKey *key = keys; key != NULL && key->key != NULL; key++) {
    if (strcmp (key->member, member) == 0)
      return key->key;
    for (const LkKey *part = key->parts; part != NULL && part->key != NULL; part++)
      if (strcmp (part->member, member) == 0)
        return part->key;
  }
  return strcmp (member, "oversubscribe_jobs") == 0 ? "oversubscribe" : member;
}

/* What the check found, said where it stands. */
static gboolean
fail_check (const LkYamlReader *self, const LkClusterError *found)
{
  const void *spec = found->spec == NULL ? self->cluster : found->spec;
  const LkYamlNote *of_spec = find_note (self, spec, "");
  const LkYamlNote *note = lk_yaml_noted (self, spec, found->member);
  LkYamlPlace start = { 1, 1 };
  return lk_yaml_cursor_fail_at (
      self->cursor, note == NULL ? start : note->place, self->error, "'%s' %s",
      key_of (of_spec == NULL ? NULL : of_spec->keys, found->member), found->text);
}

static gboolean
read_page (LkYamlReader *self)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!lk_yaml_cursor_open (self->cursor, self->error))
    return FALSE;
  lk_yaml_note_spec (self, self->cluster, lk_cluster_keys);
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "no description of a machine; expected 'nodes:' and what follows");
  if (!lk_yaml_read_mapping (self, lk_cluster_keys, self->cluster, seen)
      || !lk_yaml_cursor_close (self->cursor, self->error))
    return FALSE;
  /* What nobody knows cannot be handed out. */
  if (!lk_yaml_has_key (seen, "memory") && !self->memory_is_told)
    self->cluster->memory = FALSE;
  LkClusterError found;
  return lk_cluster_check (self->cluster, &found) || fail_check (self, &found);
}

LkCluster *
lk_cluster_yaml_read_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                            GError **error)
{
  g_autoptr (LkCluster) cluster = lk_cluster_new ("cluster");
  g_autoptr (LkYamlCursor) cursor =
      lk_yaml_cursor_new (name, bytes, length_bytes, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  g_autoptr (GArray) notes = g_array_new (FALSE, FALSE, sizeof (LkYamlNote));
  LkYamlReader reader = {
    .name = name, .cursor = cursor, .cluster = cluster, .notes = notes, .error = error
  };
  gboolean good = read_page (&reader);
  g_free (reader.topology);
  return good ? g_steal_pointer (&cluster) : NULL;
}

LkCluster *
lk_cluster_yaml_read (const char *path, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *problem = NULL;
  if (!read_file (path, LK_CLUSTER_YAML_MAX_BYTES, bytes, &problem)) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "cluster '%s': %s", path, problem);
    return NULL;
  }
  return lk_cluster_yaml_read_bytes (path, bytes->data, bytes->len, error);
}
