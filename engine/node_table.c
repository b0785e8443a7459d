/* engine/node_table.c — see the header. */
#include "engine/node_table.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/hostlist.h"

/* ---------------------------------------------------------------- texts and their numbers */

static guint32
find_text (const GPtrArray *texts, const char *text, gsize length_bytes)
{
  for (guint i = 0; i < texts->len; i++) {
    const char *known = g_ptr_array_index (texts, i);
    if (strlen (known) == length_bytes && memcmp (known, text, length_bytes) == 0)
      return i;
  }
  return G_MAXUINT32;
}

static guint32
intern_text (GPtrArray *texts, char *text)
{
  guint32 found = find_text (texts, text, strlen (text));
  if (found != G_MAXUINT32)
    return found;
  g_ptr_array_add (texts, text);
  return texts->len - 1;
}

guint32
lk_node_table_feature (const LkNodeTable *self, const char *name, gsize name_bytes)
{
  return find_text (self->feature_names, name, name_bytes);
}

guint32
lk_node_table_type (const LkNodeTable *self, const char *name, gsize name_bytes)
{
  guint32 found = find_text (self->type_names, name, name_bytes);
  return found == G_MAXUINT32 ? 0 : found + 1;
}

guint32
lk_node_table_gres (const LkNodeTable *self, const char *name, gsize name_bytes)
{
  for (guint32 i = 0; i < self->gres_count; i++)
    if (strlen (self->gres[i].name) == name_bytes
        && memcmp (self->gres[i].name, name, name_bytes) == 0)
      return i;
  return LK_GRES_NONE;
}

/* ---------------------------------------------------------------- kinds */

static LkGresKind
gres_kind (const char *name)
{
  if (strcmp (name, "gpu") == 0)
    return LK_GRES_DEVICE;
  return strcmp (name, "shard") == 0 || strcmp (name, "mps") == 0 ? LK_GRES_SHARE : LK_GRES_COUNT;
}

static guint32
intern_gres (LkNodeTable *self, char *name)
{
  guint32 found = lk_node_table_gres (self, name, strlen (name));
  if (found != LK_GRES_NONE)
    return found;
  LK_ASSERT (self->gres_count < LK_LIMIT_GRES_NAMES);
  self->gres[self->gres_count] = (LkGresName){ .name = name, .kind = gres_kind (name) };
  return self->gres_count++;
}

static void
add_devices (LkNodeTable *self, LkNodeKind *kind, const LkGresSpec *gres)
{
  guint16 type =
      gres->type[0] == '\0' ? 0 : (guint16)(intern_text (self->type_names, gres->type) + 1);
  if (gres->links != NULL && kind->links == NULL) {
    kind->links = gres->links;
    kind->links_base = kind->device_count;
    kind->links_count = gres->count;
  }
  for (guint32 i = 0; i < gres->count; i++) {
    LK_ASSERT (kind->device_count < LK_LIMIT_NODE_DEVICES);
    kind->device_type[kind->device_count] = type;
    kind->device_sockets[kind->device_count] =
        gres->device_sockets != NULL ? gres->device_sockets[i] : 0;
    kind->device_count++;
  }
}

static void
add_gres (LkNodeTable *self, LkNodeKind *kind, const LkGresSpec *gres)
{
  guint32 name = intern_gres (self, gres->name);
  kind->counts[name] += gres->count;
  kind->no_consume[name] = kind->no_consume[name] || gres->no_consume;
  if (self->gres[name].kind == LK_GRES_DEVICE)
    add_devices (self, kind, gres);
  if (self->gres[name].kind == LK_GRES_SHARE)
    kind->share_name = name;
}

static void
fill_kind (LkNodeTable *self, LkNodeKind *kind, const LkNodeSpec *spec)
{
  kind->sockets = spec->sockets;
  kind->cores_per_socket = spec->cores_per_socket;
  kind->cores = spec->sockets * spec->cores_per_socket;
  kind->cpus = spec->cpus;
  kind->cpus_per_core = spec->cpus / kind->cores;
  kind->memory_bytes = spec->memory_bytes - spec->memory_reserved_bytes;
  kind->tmp_bytes = spec->tmp_bytes;
  kind->weight = spec->weight;
  kind->share_name = LK_GRES_NONE;
  for (guint32 core = 0; core < kind->cores; core++)
    lk_bits_add (kind->cores_usable, core);
  /* CoreSpecCount: the last core of each socket in turn, from the last socket on. */
  for (guint32 i = 0; i < spec->cores_reserved; i++) {
    guint32 socket = kind->sockets - 1 - i % kind->sockets;
    lk_bits_remove (kind->cores_usable,
                    (socket + 1) * kind->cores_per_socket - 1 - i / kind->sockets);
  }
  kind->cpus_usable = (kind->cores - spec->cores_reserved) * kind->cpus_per_core;
  for (guint i = 0; i < spec->features->len; i++)
    intern_text (self->feature_names, g_ptr_array_index (spec->features, i));
  for (guint i = 0; i < spec->gres->len; i++)
    add_gres (self, kind, g_ptr_array_index (spec->gres, i));
  if (kind->share_name != LK_GRES_NONE && kind->device_count > 0)
    kind->shares_per_device = kind->counts[kind->share_name] / kind->device_count;
}

static void
fill_features (const LkNodeTable *self, LkNodeKind *kind, const LkNodeSpec *spec)
{
  kind->features = g_new0 (guint64, self->feature_words);
  for (guint i = 0; i < spec->features->len; i++) {
    const char *name = g_ptr_array_index (spec->features, i);
    lk_bits_add (kind->features, lk_node_table_feature (self, name, strlen (name)));
  }
}

static void
fill_kinds (LkNodeTable *self, const LkCluster *cluster)
{
  self->kind_count = cluster->nodes->len;
  self->kinds = g_new0 (LkNodeKind, self->kind_count);
  self->core_words = 1;
  for (guint32 i = 0; i < self->kind_count; i++) {
    fill_kind (self, &self->kinds[i], g_ptr_array_index (cluster->nodes, i));
    self->core_words = MAX (self->core_words, lk_bits_words (self->kinds[i].cores));
  }
  self->feature_words = MAX (1, lk_bits_words (self->feature_names->len));
  for (guint32 i = 0; i < self->kind_count; i++)
    fill_features (self, &self->kinds[i], g_ptr_array_index (cluster->nodes, i));
}

/* ---------------------------------------------------------------- nodes */

static int
compare_names (const char *a, gsize a_bytes, const char *b, gsize b_bytes)
{
  int order = memcmp (a, b, MIN (a_bytes, b_bytes));
  return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static gint
compare_nodes (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkNodeTable *self = user;
  const char *name_a = self->names[*(const guint32 *)a];
  const char *name_b = self->names[*(const guint32 *)b];
  return compare_names (name_a, strlen (name_a), name_b, strlen (name_b));
}

guint32
lk_node_table_find (const LkNodeTable *self, const char *name, gsize name_bytes)
{
  guint32 low = 0;
  guint32 high = self->node_count;
  while (low < high) {
    guint32 middle = low + (high - low) / 2;
    const char *other = self->names[self->by_name[middle]];
    int order = compare_names (name, name_bytes, other, strlen (other));
    if (order == 0)
      return self->by_name[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return LK_NODE_NONE;
}

static void
fill_nodes (LkNodeTable *self, const LkCluster *cluster)
{
  GPtrArray *names = g_ptr_array_new ();
  g_autoptr (GArray) kind_of = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < self->kind_count; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, i);
    gboolean known = lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
    LK_ASSERT (known);
    while (kind_of->len < names->len)
      g_array_append_val (kind_of, i);
  }
  self->node_count = names->len;
  self->node_words = lk_bits_words (self->node_count);
  self->names = (char **)g_ptr_array_free (names, FALSE);
  self->kind_of = (guint32 *)(gpointer)g_array_free (g_steal_pointer (&kind_of), FALSE);
}

static void
fill_columns (LkNodeTable *self, const LkCluster *cluster)
{
  guint32 count = self->node_count;
  self->flags = g_new0 (guint32, count);
  self->reasons = g_new0 (char *, count);
  self->piece_first = g_new (guint32, count);
  self->piece_count = g_new0 (guint32, count);
  self->stamp = g_new (guint32, count);
  self->by_name = g_new (guint32, count);
  self->node_cpus = g_new (guint32, count);
  self->node_memory_bytes = g_new (gint64, count);
  self->node_weight = g_new (guint32, count);
  self->usable = g_new0 (guint64, self->node_words);
  for (guint32 node = 0; node < count; node++) {
    const LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, self->kind_of[node]);
    const LkNodeKind *kind = lk_node_kind (self, node);
    self->piece_first[node] = LK_PIECE_NONE;
    self->by_name[node] = node;
    self->stamp[node] = 1;
    self->node_cpus[node] = kind->cpus_usable;
    self->node_memory_bytes[node] = kind->memory_bytes;
    self->node_weight[node] = kind->weight;
    lk_node_table_set_flags (self, node, spec->flags, spec->reason, strlen (spec->reason));
  }
  g_qsort_with_data (self->by_name, (gint)count, sizeof (guint32), compare_nodes, self);
}

void
lk_node_table_init (LkNodeTable *self, const LkCluster *cluster)
{
  *self = (LkNodeTable){ .piece_free = LK_PIECE_NONE };
  self->feature_names = g_ptr_array_new ();
  self->type_names = g_ptr_array_new ();
  fill_kinds (self, cluster);
  fill_nodes (self, cluster);
  fill_columns (self, cluster);
  self->piece_bytes = sizeof (LkPiece) + self->core_words * sizeof (guint64);
}

void
lk_node_table_clear (LkNodeTable *self)
{
  for (guint32 i = 0; i < self->kind_count; i++)
    g_free (self->kinds[i].features);
  for (guint32 node = 0; node < self->node_count; node++) {
    g_free (self->names[node]);
    g_free (self->reasons[node]);
  }
  g_free (self->kinds);
  g_free (self->kind_of);
  g_free (self->names);
  g_free (self->flags);
  g_free (self->reasons);
  g_free (self->piece_first);
  g_free (self->piece_count);
  g_free (self->stamp);
  g_free (self->by_name);
  g_free (self->node_cpus);
  g_free (self->node_memory_bytes);
  g_free (self->node_weight);
  g_free (self->usable);
  g_free (self->pieces);
  g_ptr_array_unref (self->feature_names);
  g_ptr_array_unref (self->type_names);
  *self = (LkNodeTable){ 0 };
}

void
lk_node_table_set_flags (LkNodeTable *self, guint32 node, guint32 flags, const char *reason,
                         gsize reason_bytes)
{
  LK_ASSERT (node < self->node_count);
  char *text = g_strndup (reason, reason_bytes);
  g_free (self->reasons[node]);
  self->reasons[node] = text;
  self->flags[node] = flags;
  if (flags == 0)
    lk_bits_add (self->usable, node);
  else
    lk_bits_remove (self->usable, node);
}

static gboolean
is_full (const LkNodeTable *self, guint32 node)
{
  const LkNodeKind *kind = lk_node_kind (self, node);
  guint64 free[LK_NODE_CORE_WORDS_MAX];
  memcpy (free, kind->cores_usable, sizeof free);
  for (guint32 i = self->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (self, i)->next_on_node)
    for (guint32 word = 0; word < self->core_words; word++)
      free[word] &= ~lk_piece (self, i)->cores[word];
  return lk_bits_count (free, self->core_words) == 0;
}

const char *
lk_node_state_text (const LkNodeTable *self, guint32 node, gboolean is_planned)
{
  gboolean is_used = self->piece_count[node] > 0;
  guint32 flags = self->flags[node];
  if ((flags & LK_NODE_DOWN) != 0)
    return "DOWN";
  if ((flags & LK_NODE_DRAIN) != 0)
    return is_used ? "DRAINING" : "DRAINED";
  if ((flags & LK_NODE_FAIL) != 0)
    return is_used ? "FAILING" : "FAIL";
  if ((flags & LK_NODE_MAINT) != 0)
    return "MAINT";
  if (!is_used)
    return is_planned ? "PLANNED" : "IDLE";
  return is_full (self, node) ? "ALLOCATED" : "MIXED";
}

/* ---------------------------------------------------------------- pieces */

guint32
lk_piece_new (LkNodeTable *self)
{
  guint32 piece = self->piece_free;
  if (piece != LK_PIECE_NONE) {
    guint32 behind = lk_piece (self, piece)->next_of_job;
    self->piece_free = behind != LK_PIECE_NONE ? behind : lk_piece (self, piece)->next_on_node;
    if (behind != LK_PIECE_NONE)
      lk_piece (self, behind)->next_on_node = lk_piece (self, piece)->next_on_node;
  } else {
    if (self->piece_limit == self->piece_capacity) {
      self->piece_capacity = MAX (256, 2 * self->piece_capacity);
      self->pieces = g_realloc (self->pieces, self->piece_capacity * self->piece_bytes);
    }
    piece = self->piece_limit++;
  }
  memset (lk_piece (self, piece), 0, self->piece_bytes);
  lk_piece (self, piece)->next_on_node = LK_PIECE_NONE;
  lk_piece (self, piece)->previous_on_node = LK_PIECE_NONE;
  lk_piece (self, piece)->next_of_job = LK_PIECE_NONE;
  return piece;
}

void
lk_piece_free (LkNodeTable *self, guint32 piece)
{
  LK_ASSERT (piece < self->piece_limit);
  lk_piece (self, piece)->next_of_job = LK_PIECE_NONE;
  lk_piece_free_chain (self, piece);
}

void
lk_piece_free_chain (LkNodeTable *self, guint32 first_piece)
{
  if (first_piece == LK_PIECE_NONE)
    return;
  LK_ASSERT (first_piece < self->piece_limit);
  lk_piece (self, first_piece)->next_on_node = self->piece_free;
  self->piece_free = first_piece;
}

void
lk_piece_copy (const LkNodeTable *self, const LkPiece *from, LkPiece *to)
{
  guint32 next_on_node = to->next_on_node;
  guint32 previous_on_node = to->previous_on_node;
  guint32 next_of_job = to->next_of_job;
  memcpy (to, from, self->piece_bytes);
  to->next_on_node = next_on_node;
  to->previous_on_node = previous_on_node;
  to->next_of_job = next_of_job;
}

static void
next_stamp (LkNodeTable *self, guint32 node)
{
  self->stamp[node] = self->stamp[node] == G_MAXUINT32 ? 1 : self->stamp[node] + 1;
}

void
lk_node_table_touch (LkNodeTable *self, guint32 node)
{
  next_stamp (self, node);
}

void
lk_node_table_attach (LkNodeTable *self, guint32 piece)
{
  LkPiece *what = lk_piece (self, piece);
  what->next_on_node = self->piece_first[what->node];
  self->piece_first[what->node] = piece;
  self->piece_count[what->node]++;
  next_stamp (self, what->node);
  self->user_piece_count += (what->flags & LK_PIECE_USER) != 0;
}

void
lk_node_table_detach (LkNodeTable *self, guint32 piece)
{
  const LkPiece *what = lk_piece (self, piece);
  guint32 *link = &self->piece_first[what->node];
  while (*link != piece) {
    LK_ASSERT (*link != LK_PIECE_NONE);
    link = &lk_piece (self, *link)->next_on_node;
  }
  *link = what->next_on_node;
  self->piece_count[what->node]--;
  next_stamp (self, what->node);
  self->user_piece_count -= (what->flags & LK_PIECE_USER) != 0;
}

/* ---------------------------------------------------------------- invariants */

static void
check_node (const LkNodeTable *self, guint32 node)
{
  const LkNodeKind *kind = lk_node_kind (self, node);
  guint64 cores[LK_NODE_CORE_WORDS_MAX] = { 0 };
  guint64 devices = 0;
  guint64 shares[LK_LIMIT_NODE_DEVICES] = { 0 };
  guint64 counts[LK_LIMIT_GRES_NAMES] = { 0 };
  gint64 memory_bytes = 0;
  guint32 piece_count = 0;
  guint32 whole_count = 0;
  guint32 awake_count = 0; /* whose job has its cores for itself */
  for (guint32 at = self->piece_first[node]; at != LK_PIECE_NONE;
       at = lk_piece (self, at)->next_on_node) {
    const LkPiece *piece = lk_piece (self, at);
    piece_count++;
    LK_ASSERT (piece->node == node);
    for (guint32 word = 0; word < self->core_words; word++) {
      LK_ASSERT ((piece->cores[word] & ~kind->cores_usable[word]) == 0);
      if ((piece->flags & LK_PIECE_STOPPED) != 0)
        continue;
      LK_ASSERT ((piece->flags & LK_PIECE_SHARING) != 0 || (cores[word] & piece->cores[word]) == 0);
      cores[word] |= piece->cores[word];
    }
    LK_ASSERT ((devices & piece->devices) == 0);
    devices |= piece->devices;
    memory_bytes += piece->memory_bytes;
    if (piece->shares > 0)
      shares[piece->share_device] += piece->shares;
    for (guint32 name = 0; name < self->gres_count; name++)
      counts[name] += piece->counts[name];
    if ((piece->flags & LK_PIECE_STOPPED) == 0 && piece->cpus > 0) {
      awake_count++;
      whole_count += (piece->flags & LK_PIECE_WHOLE) != 0 ? 1 : 0;
    }
  }
  LK_ASSERT (piece_count == self->piece_count[node]);
  LK_ASSERT (whole_count == 0 || awake_count == 1);
  LK_ASSERT (memory_bytes <= kind->memory_bytes);
  LK_ASSERT ((devices & ~lk_bits_range (0, kind->device_count)) == 0);
  for (guint32 device = 0; device < kind->device_count; device++) {
    LK_ASSERT (shares[device] <= kind->shares_per_device);
    LK_ASSERT (shares[device] == 0 || !lk_bits_has (&devices, device));
  }
  for (guint32 name = 0; name < self->gres_count; name++)
    LK_ASSERT (kind->no_consume[name] || counts[name] <= kind->counts[name]);
}

void
lk_node_table_check (const LkNodeTable *self)
{
  for (guint32 node = 0; node < self->node_count; node++) {
    check_node (self, node);
    LK_ASSERT (lk_bits_has (self->usable, node) == (self->flags[node] == 0));
  }
}
