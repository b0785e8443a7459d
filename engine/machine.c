/* engine/machine.c — see the header. */
#include "engine/machine.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/hostlist.h"
#include "engine/request_partition.h"

/* ---------------------------------------------------------------- sets of nodes by name */

/* Adds the nodes of a hostlist that exist. */
static void
add_nodes (const LkNodeTable *nodes, const char *list, guint64 *set)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (strcmp (list, "ALL") == 0) {
    for (guint32 node = 0; node < nodes->node_count; node++)
      lk_bits_add (set, node);
    return;
  }
  gboolean good = lk_hostlist_expand (list, strlen (list), names, NULL);
  LK_ASSERT (good);
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint32 node = lk_node_table_find (nodes, name, strlen (name));
    LK_ASSERT (node != LK_NODE_NONE);
    lk_bits_add (set, node);
  }
}

static void
fill_partitions (LkMachine *self)
{
  const LkCluster *cluster = self->cluster;
  self->partition_count = cluster->partitions->len;
  self->partitions = g_new0 (LkPartition, self->partition_count);
  for (guint32 i = 0; i < self->partition_count; i++) {
    LkPartition *partition = &self->partitions[i];
    partition->spec = g_ptr_array_index (cluster->partitions, i);
    partition->nodes = g_new0 (guint64, self->nodes.node_words);
    add_nodes (&self->nodes, partition->spec->nodes, partition->nodes);
    partition->node_count = lk_bits_count (partition->nodes, self->nodes.node_words);
    if (partition->spec->is_default)
      self->partition_default = i;
    if (partition->spec->oversubscribe == LK_OVERSUBSCRIBE_YES
        || partition->spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE)
      self->has_sharing = TRUE;
  }
}

static void
fill_licenses (LkMachine *self)
{
  const LkCluster *cluster = self->cluster;
  self->license_count = cluster->licenses->len;
  self->licenses_total = g_new0 (guint32, self->license_count + 1);
  self->licenses_free = g_new0 (guint32, self->license_count + 1);
  for (guint32 i = 0; i < self->license_count; i++) {
    const LkLicenseSpec *license = g_ptr_array_index (cluster->licenses, i);
    self->licenses_total[i] = self->licenses_free[i] = license->count;
  }
}

/* ---------------------------------------------------------------- topology */

static guint32
find_switch (const LkCluster *cluster, const char *name)
{
  for (guint32 i = 0; i < cluster->switches->len; i++) {
    const LkSwitchSpec *spec = g_ptr_array_index (cluster->switches, i);
    if (strcmp (spec->name, name) == 0)
      return i;
  }
  return LK_NODE_NONE;
}

static void
set_parents (LkMachine *self, guint32 parent, const char *children)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean good = lk_hostlist_expand (children, strlen (children), names, NULL);
  LK_ASSERT (good);
  for (guint i = 0; i < names->len; i++) {
    guint32 child = find_switch (self->cluster, g_ptr_array_index (names, i));
    LK_ASSERT (child != LK_NODE_NONE);
    self->switch_parent[child] = parent;
  }
}

/* A switch is one level above its highest child; there are no loops. */
static void
set_levels (LkMachine *self)
{
  for (guint32 round = 0; round < self->view.switch_count; round++) {
    gboolean changed = FALSE;
    for (guint32 i = 0; i < self->view.switch_count; i++) {
      guint32 parent = self->switch_parent[i];
      if (parent != LK_NODE_NONE && self->switch_level[parent] <= self->switch_level[i]) {
        self->switch_level[parent] = self->switch_level[i] + 1;
        changed = TRUE;
      }
    }
    if (!changed)
      return;
  }
}

static void
fill_topology (LkMachine *self)
{
  const LkCluster *cluster = self->cluster;
  guint32 count = cluster->switches->len;
  self->switch_parent = g_new (guint32, count + 1);
  self->switch_level = g_new0 (guint32, count + 1);
  self->node_switch = g_new (guint32, self->nodes.node_count);
  self->view.switch_count = count;
  for (guint32 i = 0; i < count; i++)
    self->switch_parent[i] = LK_NODE_NONE;
  for (guint32 node = 0; node < self->nodes.node_count; node++)
    self->node_switch[node] = LK_NODE_NONE;
  for (guint32 i = 0; i < count; i++) {
    const LkSwitchSpec *spec = g_ptr_array_index (cluster->switches, i);
    g_autofree guint64 *below = g_new0 (guint64, self->nodes.node_words);
    if (spec->switches[0] != '\0')
      set_parents (self, i, spec->switches);
    if (spec->nodes[0] == '\0')
      continue;
    add_nodes (&self->nodes, spec->nodes, below);
    for (guint32 node = 0; node < self->nodes.node_count; node++)
      if (lk_bits_has (below, node))
        self->node_switch[node] = i;
  }
  set_levels (self);
}

static void
fill_view (LkMachine *self)
{
  static const guint32 kinds[] = {
    [LK_TOPOLOGY_FLAT] = LK_TOPOLOGY_NONE_VIEW,
    [LK_TOPOLOGY_TREE] = LK_TOPOLOGY_TREE_VIEW,
    [LK_TOPOLOGY_BLOCK] = LK_TOPOLOGY_BLOCK_VIEW,
  };
  self->view.size = sizeof (LkClusterView);
  self->view.node_count = self->nodes.node_count;
  self->view.node_cpus = self->nodes.node_cpus;
  self->view.node_memory_bytes = self->nodes.node_memory_bytes;
  self->view.node_weight = self->nodes.node_weight;
  self->view.topology = kinds[self->cluster->topology];
  self->view.switch_parent = self->switch_parent;
  self->view.switch_level = self->switch_level;
  self->view.node_switch = self->node_switch;
  self->view.block_size_count = self->cluster->block_sizes->len;
  self->view.block_sizes = (const guint32 *)(gpointer)self->cluster->block_sizes->data;
}

/* ---------------------------------------------------------------- life */

static guint
key_hash (gconstpointer key)
{
  const GByteArray *bytes = key;
  guint hash = 2166136261u;
  for (guint i = 0; i < bytes->len; i++)
    hash = (hash ^ bytes->data[i]) * 16777619u;
  return hash;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const GByteArray *x = a;
  const GByteArray *y = b;
  return x->len == y->len && memcmp (x->data, y->data, x->len) == 0;
}

LkMachine *
lk_machine_new (const LkCluster *cluster, gboolean whole_nodes)
{
  LkMachine *self = g_new0 (LkMachine, 1);
  self->cluster = cluster;
  self->whole_nodes = whole_nodes;
  lk_node_table_init (&self->nodes, cluster);
  fill_partitions (self);
  fill_licenses (self);
  fill_topology (self);
  fill_view (self);
  self->requests = g_ptr_array_new ();
  self->request_free = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->request_by_key = g_hash_table_new (key_hash, key_equal);
  return self;
}

void
lk_machine_free (LkMachine *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->request_by_key);
  for (guint i = 0; i < self->requests->len; i++)
    lk_request_free (g_ptr_array_index (self->requests, i));
  g_ptr_array_unref (self->requests);
  g_array_unref (self->request_free);
  for (guint32 i = 0; i < self->partition_count; i++)
    g_free (self->partitions[i].nodes);
  g_free (self->partitions);
  g_free (self->licenses_total);
  g_free (self->licenses_free);
  g_free (self->switch_parent);
  g_free (self->switch_level);
  g_free (self->node_switch);
  lk_node_table_clear (&self->nodes);
  g_free (self);
}

gint64
lk_machine_first_memory_bytes (const LkMachine *self, guint32 partition)
{
  const LkNodeTable *nodes = &self->nodes;
  guint32 node = lk_bits_next (self->partitions[partition].nodes, nodes->node_words, 0);
  return node < nodes->node_count ? lk_node_kind (nodes, node)->memory_bytes : 0;
}

/* ---------------------------------------------------------------- requests */

/* Of the fields of a submit that say nothing of nodes one holds the place. */
static GByteArray *
request_key (const LkJobRequest *asked, guint32 procs, guint32 place)
{
  GByteArray *key = g_byte_array_new ();
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.procs = procs;
  event.submit.partition_id = place;
  lk_submit_set_request (&event.submit, asked);
  lk_event_encode (&event, key);
  return key;
}

void
lk_request_asked (const LkRequest *self, LkJobRequest *out_asked, guint32 *out_procs)
{
  LkEvent event;
  gsize used = lk_event_decode (self->key->data, self->key->len, &event);
  LK_ASSERT (used == self->key->len);
  lk_submit_request (&event.submit, out_asked);
  *out_procs = event.submit.procs;
}

static guint32
add_request (LkMachine *self, LkRequest *request)
{
  guint32 index = self->requests->len;
  if (self->request_free->len > 0) {
    index = g_array_index (self->request_free, guint32, self->request_free->len - 1);
    g_array_set_size (self->request_free, self->request_free->len - 1);
    g_ptr_array_index (self->requests, index) = request;
  } else {
    g_ptr_array_add (self->requests, request);
  }
  g_hash_table_insert (self->request_by_key, request->key, GUINT_TO_POINTER (index + 1));
  self->choice_count += request->partitions->len > 1;
  return index;
}

/* As asked in the partition that was named as the `place`-th. Returns: (transfer full), or NULL. */
static LkRequest *
request_in (const LkMachine *self, const LkJobRequest *asked, guint32 procs, guint32 place,
            LkReject *out_reject)
{
  LkRequest *request = g_new0 (LkRequest, 1);
  request->place = place;
  *out_reject = lk_request_fill (request, self, asked, procs);
  if (*out_reject == 0)
    return request;
  lk_request_free (request);
  return NULL;
}

static gboolean
lacks_nodes (const LkRequest *request)
{
  return request->never != LK_REASON_NONE && request->never_reject == LK_REJECT_NODE_CONFIG;
}

/* Slurm tries each partition, and refuses the job when none has nodes for it (22.05, whatever
 * EnforcePartLimits is).  So its home is a partition with such nodes, where one exists.
 * `request`: (transfer full). Returns: (transfer full). */
static LkRequest *
with_nodes (const LkMachine *self, const LkJobRequest *asked, guint32 procs, LkRequest *request)
{
  LkRequest *best = NULL;
  LkReject reject;
  if (request->place != 0 || !lacks_nodes (request))
    return request;
  for (guint32 place = 1; place <= request->partitions->len; place++) {
    LkRequest *other = request_in (self, asked, procs, place, &reject);
    if (other == NULL)
      continue;
    gboolean is_better =
        other->never == LK_REASON_NONE
        && (best == NULL || lk_request_partition_before (self, other->partition, best->partition));
    lk_request_free (is_better ? best : other);
    if (is_better)
      best = other;
  }
  if (best == NULL)
    return request;
  best->place = 0;
  lk_request_free (request);
  return best;
}

LkReject
lk_machine_resolve (LkMachine *self, const LkJobRequest *asked, guint32 procs, guint32 *out_request)
{
  return lk_machine_resolve_in (self, asked, procs, /* place= */ 0, out_request);
}

LkReject
lk_machine_resolve_in (LkMachine *self, const LkJobRequest *asked, guint32 procs, guint32 place,
                       guint32 *out_request)
{
  g_autoptr (GByteArray) key = request_key (asked, procs, place);
  guint32 found = GPOINTER_TO_UINT (g_hash_table_lookup (self->request_by_key, key));
  if (found > 0) {
    *out_request = found - 1;
    lk_machine_request (self, found - 1)->reference_count++;
    return 0;
  }
  LkReject reject;
  LkRequest *request = request_in (self, asked, procs, place, &reject);
  if (request == NULL)
    return reject;
  request = with_nodes (self, asked, procs, request);
  request->key = g_steal_pointer (&key);
  request->reference_count = 1;
  request->serial = ++self->serial_last;
  *out_request = add_request (self, request);
  return 0;
}

void
lk_machine_share (LkMachine *self, guint32 request)
{
  lk_machine_request (self, request)->reference_count++;
}

void
lk_machine_release (LkMachine *self, guint32 index)
{
  LkRequest *request = lk_machine_request (self, index);
  LK_ASSERT (request->reference_count > 0);
  if (--request->reference_count > 0)
    return;
  self->choice_count -= request->partitions->len > 1;
  for (guint i = 0; request->visits != NULL && i < request->partitions->len; i++)
    if (request->visits[i] != 0 && request->visits[i] != G_MAXUINT32)
      lk_machine_release (self, request->visits[i] - 1);
  g_hash_table_remove (self->request_by_key, request->key);
  lk_request_free (request);
  g_ptr_array_index (self->requests, index) = NULL;
  g_array_append_val (self->request_free, index);
}
