/* traces/slurm_conf.c — see the header.
 *
 * Here is the order of the work, the report, and the sorting of slurm.conf into global keys and
 * records. */
#include "traces/slurm_conf.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/suggest.h"
#include "traces/slurm_conf_private.h"

#define NOTES_MAX_BYTES 600u
/* Looking for the nearest key takes a while; a file with more unknown ones than this is no
 * slurm.conf with a mistake. */
#define SUGGESTIONS_MAX 100u

/* ---------------------------------------------------------------- the report */

const char *
lk_slurm_verdict_name (LkSlurmVerdict verdict)
{
  static const char *const names[] = { "understood", "approximated", "ignored" };
  LK_ASSERT (verdict < G_N_ELEMENTS (names));
  return names[verdict];
}

/* A row, and whether something was noted in it. */
typedef struct {
  LkSlurmRow row;
  gboolean is_noted;
} Row;

static void
row_free (gpointer data)
{
  Row *self = data;
  g_free (self->row.file);
  g_free (self->row.record);
  g_free (self->row.key);
  g_free (self->row.value);
  g_free (self->row.how);
  g_free (self);
}

LkSlurmRow *
lk_slurm_row_add (LkSlurmImport *self, const LkSlurmPlace *place, const char *record,
                  const LkSlurmPair *pair, const LkSlurmKey *key)
{
  Row *row = g_new0 (Row, 1);
  row->row.file = lk_slurm_shown (place->file);
  row->row.line_number = place->line_number;
  row->row.record = lk_slurm_shown (record);
  row->row.key = key ? g_strdup (key->name) : lk_slurm_shown (pair->key);
  row->row.value = lk_slurm_shown (pair->value);
  row->row.verdict = key ? key->verdict : LK_SLURM_IGNORED;
  row->row.how = g_strdup (key ? key->how : "unknown key, ignored");
  g_ptr_array_add (self->rows, row);
  return &row->row;
}

void
lk_slurm_row_add_missing (LkSlurmImport *self, const char *key, LkSlurmVerdict verdict,
                          const char *how)
{
  LkSlurmPlace place = { ((const LkSlurmRow *)g_ptr_array_index (self->rows, 0))->file, 0 };
  LkSlurmPair pair = { .key = (char *)key, .value = (char *)"" };
  LkSlurmRow *row = lk_slurm_row_add (self, &place, "", &pair, NULL);
  row->verdict = verdict;
  g_free (row->how);
  row->how = g_strdup (how);
}

void
lk_slurm_pair_note (const LkSlurmPair *pair, LkSlurmVerdict verdict, const char *format, ...)
{
  Row *row = pair->row;
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *note = lk_slurm_shown (text);
  /* Notes that do not agree say that it acts in part. */
  row->row.verdict = row->is_noted && row->row.verdict != verdict ? LK_SLURM_APPROXIMATED : verdict;
  if (row->is_noted && (strstr (row->row.how, note) || strlen (row->row.how) > NOTES_MAX_BYTES))
    return;
  char *how = row->is_noted ? g_strdup_printf ("%s; %s", row->row.how, note) : g_strdup (note);
  g_free (row->row.how);
  row->row.how = how;
  row->is_noted = TRUE;
}

/* The kind of line that a key may be meant to begin; NULL. */
static const char *
nearest_record (const char *key)
{
  const char *names[LK_SLURM_SCOPE_FRONT_END - LK_SLURM_SCOPE_NODE + 2] = { NULL };
  for (guint i = LK_SLURM_SCOPE_NODE; i <= LK_SLURM_SCOPE_FRONT_END; i++)
    names[i - LK_SLURM_SCOPE_NODE] = lk_slurm_scope_name (i);
  return lk_suggest (key, names);
}

static const char *
nearest_name (LkSlurmImport *self, LkSlurmScope scope, const char *key)
{
  if (self->suggestions_left == 0)
    return NULL;
  self->suggestions_left--;
  const LkSlurmKey *nearest = lk_slurm_key_nearest (scope, key);
  return nearest ? nearest->name : scope == LK_SLURM_SCOPE_CONF ? nearest_record (key) : NULL;
}

/* A key that no Slurm has. */
static void
unknown_note (LkSlurmImport *self, LkSlurmScope scope, const LkSlurmPair *pair, const char *record)
{
  GError *error = NULL;
  const char *nearest = nearest_name (self, scope, pair->key);
  g_autofree char *meant =
      nearest ? g_strdup_printf ("; did you mean '%s'?", nearest) : g_strdup ("");
  if (nearest)
    lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "unknown key, ignored%s", meant);
  if (!self->faults)
    return;
  lk_slurm_fail (&pair->place, &error, "%s%s%s: no version of Slurm has this key%s", record,
                 *record ? ": " : "", pair->key, meant);
  lk_faults_add (self->faults, LK_FAULT_ERROR, error->message);
  g_error_free (error);
}

void
lk_slurm_line_rows (LkSlurmImport *self, LkSlurmScope scope, const GPtrArray *pairs, guint first,
                    const char *record)
{
  for (guint i = first; i < pairs->len; i++) {
    LkSlurmPair *pair = g_ptr_array_index (pairs, i);
    const LkSlurmKey *key = lk_slurm_key_find (scope, pair->key);
    if (!key && g_ascii_strcasecmp (pair->key, "Include") == 0)
      key = lk_slurm_key_find (LK_SLURM_SCOPE_CONF, "Include");
    pair->row = lk_slurm_row_add (self, &pair->place, record, pair, key);
    if (!key)
      unknown_note (self, scope, pair, record);
  }
  for (guint i = first; i < pairs->len; i++)
    for (guint j = i + 1; j < pairs->len; j++) {
      const LkSlurmPair *pair = g_ptr_array_index (pairs, i);
      const LkSlurmPair *later = g_ptr_array_index (pairs, j);
      if (g_ascii_strcasecmp (pair->key, later->key) == 0)
        lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "stands twice on the line; the last counts");
    }
}

/* ---------------------------------------------------------------- records */

static const LkSlurmPair *
pairs_find (const GPtrArray *pairs, const char *key)
{
  for (guint i = pairs->len; i > 0; i--) {
    const LkSlurmPair *pair = g_ptr_array_index (pairs, i - 1);
    if (g_ascii_strcasecmp (pair->key, key) == 0)
      return pair;
  }
  return NULL;
}

const LkSlurmPair *
lk_slurm_record_get_own (const LkSlurmRecord *self, const char *key)
{
  return pairs_find (self->pairs, key);
}

const LkSlurmPair *
lk_slurm_record_get (const LkSlurmRecord *self, const char *key)
{
  const LkSlurmPair *pair = lk_slurm_record_get_own (self, key);
  return pair || !self->defaults ? pair : pairs_find (self->defaults, key);
}

const LkSlurmPair *
lk_slurm_record_head (const LkSlurmRecord *self)
{
  return g_ptr_array_index (self->pairs, 0);
}

static void
record_free (gpointer data)
{
  LkSlurmRecord *self = data;
  g_free ((char *)self->title);
  g_ptr_array_unref ((GPtrArray *)self->pairs);
  g_clear_pointer (&self->defaults, g_ptr_array_unref);
  g_free (self);
}

/* Which kind of record a key begins; LK_SLURM_SCOPE_CONF for none. */
static LkSlurmScope
record_scope (const char *key)
{
  for (guint i = LK_SLURM_SCOPE_NODE; i <= LK_SLURM_SCOPE_FRONT_END; i++)
    if (g_ascii_strcasecmp (key, lk_slurm_scope_name (i)) == 0)
      return i;
  return LK_SLURM_SCOPE_CONF;
}

/* The pairs of a line from `first` on, borrowed. Returns: (transfer full). */
static GPtrArray *
pairs_from (const GPtrArray *pairs, guint first)
{
  GPtrArray *rest = g_ptr_array_new ();
  for (guint i = first; i < pairs->len; i++)
    g_ptr_array_add (rest, g_ptr_array_index (pairs, i));
  return rest;
}

/* A DEFAULT line changes the keys that it gives and leaves the others. Returns: (transfer full). */
static GPtrArray *
defaults_merge (const GPtrArray *line, const GPtrArray *before)
{
  GPtrArray *merged = pairs_from (line, 1);
  for (guint i = 0; before && i < before->len; i++) {
    LkSlurmPair *pair = g_ptr_array_index (before, i);
    if (!pairs_find (line, pair->key))
      g_ptr_array_add (merged, pair);
  }
  return merged;
}

/* What DEFAULT lines have set so far, by scope. */
typedef GPtrArray *Defaults[LK_SLURM_SCOPE_COUNT];

static gboolean
record_take (LkSlurmImport *self, Defaults defaults, const GPtrArray *line, guint first,
             GError **error)
{
  const LkSlurmPair *head = g_ptr_array_index (line, first);
  LkSlurmRecord *record = g_new0 (LkSlurmRecord, 1);
  record->scope = record_scope (head->key);
  record->pairs = pairs_from (line, first);
  record->name = head->value;
  record->title = g_strdup_printf ("%s=%s", lk_slurm_scope_name (record->scope), head->value);
  g_ptr_array_add (self->records, record);
  lk_slurm_line_rows (self, record->scope, line, first, record->title);
  for (guint i = first + 1; i < line->len; i++) {
    const LkSlurmPair *pair = g_ptr_array_index (line, i);
    if (record_scope (pair->key) != LK_SLURM_SCOPE_CONF)
      return lk_slurm_pair_refuse (pair, error, "expected on a line of its own");
  }
  GPtrArray **own_defaults = &defaults[record->scope];
  record->is_default = g_ascii_strcasecmp (record->name, "DEFAULT") == 0;
  if (record->is_default) {
    GPtrArray *merged = defaults_merge (record->pairs, *own_defaults);
    g_clear_pointer (own_defaults, g_ptr_array_unref);
    *own_defaults = merged;
  }
  record->defaults = *own_defaults ? g_ptr_array_ref (*own_defaults) : NULL;
  if (record->scope == LK_SLURM_SCOPE_NODE_SET
      && !g_hash_table_insert (self->node_sets, (gpointer)record->name, record))
    return lk_slurm_pair_refuse (head, error, "the set is described twice");
  return TRUE;
}

/* Is it a line whose kind nobody knows, such as "NodeNme=n1 CPUs=4"?  Then no more is said of it.
 */
static gboolean
is_misspelt_record (const LkSlurmImport *self, const GPtrArray *line)
{
  const LkSlurmPair *first = g_ptr_array_index (line, 0);
  return self->faults && line->len > 1 && !lk_slurm_key_find (LK_SLURM_SCOPE_CONF, first->key)
         && nearest_record (first->key);
}

static gboolean
line_sort (LkSlurmImport *self, Defaults defaults, const GPtrArray *line, GError **error)
{
  gboolean is_misspelt = is_misspelt_record (self, line);
  for (guint i = 0; i < line->len; i++) {
    LkSlurmPair *pair = g_ptr_array_index (line, i);
    if (record_scope (pair->key) != LK_SLURM_SCOPE_CONF)
      return record_take (self, defaults, line, i, error);
    g_autoptr (GPtrArray) one = g_ptr_array_new ();
    g_ptr_array_add (one, pair);
    lk_slurm_line_rows (self, LK_SLURM_SCOPE_CONF, one, 0, "");
    if (is_misspelt) {
      self->is_partial = TRUE;
      return TRUE;
    }
    g_ptr_array_add ((GPtrArray *)self->global.pairs, pair);
  }
  return TRUE;
}

static gboolean
conf_sort (LkSlurmImport *self, GError **error)
{
  Defaults defaults = { NULL };
  gboolean is_sorted = TRUE;
  for (guint i = 0; i < self->conf->lines->len && is_sorted; i++)
    is_sorted = line_sort (self, defaults, g_ptr_array_index (self->conf->lines, i), error)
                || lk_slurm_import_goes_on (self, error);
  for (guint i = 0; i < LK_SLURM_SCOPE_COUNT; i++)
    g_clear_pointer (&defaults[i], g_ptr_array_unref);
  return is_sorted;
}

/* ---------------------------------------------------------------- sources */

gboolean
lk_slurm_source_is_given (const LkSlurmSource *self)
{
  return self->path || self->bytes;
}

LkSlurmLines *
lk_slurm_source_lines (const LkSlurmSource *self, LkFaults *faults, GError **error)
{
  return self->bytes ? lk_slurm_lines_read_bytes (self->name, self->bytes, faults, error)
                     : lk_slurm_lines_read (self->path, faults, error);
}

GBytes *
lk_slurm_source_bytes (const LkSlurmSource *self, char **out_name, GError **error)
{
  *out_name = self->bytes ? g_strdup (self->name) : g_filename_display_name (self->path);
  return self->bytes ? g_bytes_ref (self->bytes) : lk_slurm_file_read (self->path, error);
}

/* ---------------------------------------------------------------- the check of the whole */

/* The pair that set a member of a record, or NULL. */
static const LkSlurmPair *
member_pair (const LkSlurmRecord *record, const char *member)
{
  guint count;
  const LkSlurmKey *keys = lk_slurm_keys (&count);
  for (guint i = 0; i < count; i++) {
    if (keys[i].scope != record->scope || g_strcmp0 (keys[i].member, member) != 0)
      continue;
    const LkSlurmPair *pair = lk_slurm_record_get (record, keys[i].name);
    if (pair)
      return pair;
  }
  return NULL;
}

static gboolean
check_fail (const LkSlurmImport *self, const LkClusterError *wrong, GError **error)
{
  for (guint i = 0; i < self->origins->len; i++) {
    const LkSlurmOrigin *origin = &g_array_index (self->origins, LkSlurmOrigin, i);
    if (!wrong->spec || origin->spec != wrong->spec)
      continue;
    const LkSlurmPair *pair = origin->key ? lk_slurm_record_get (origin->record, origin->key)
                                          : member_pair (origin->record, wrong->member);
    const LkSlurmPair *head = lk_slurm_record_head (origin->record);
    return pair ? lk_slurm_pair_refuse (pair, error, "%s", wrong->text)
                : lk_slurm_fail (&head->place, error, "%s: %s", origin->record->title, wrong->text);
  }
  LkSlurmPlace place = { g_ptr_array_index (self->conf->files, 0), 0 };
  return lk_slurm_fail (&place, error, "%s%s%s", wrong->member ? wrong->member : "",
                        wrong->member ? ": " : "", wrong->text);
}

/* Takes a part that was found wrong out of the cluster, so that others can be looked at. FALSE: it
 * is none that the rest can do without. */
static gboolean
part_drop (LkSlurmImport *self, gconstpointer spec)
{
  LkCluster *cluster = self->cluster;
  for (guint i = 0; i < cluster->nodes->len; i++) {
    LkNodeSpec *node = g_ptr_array_index (cluster->nodes, i);
    if (g_ptr_array_remove (node->gres, (gpointer)spec))
      return TRUE;
  }
  return spec
         && (g_ptr_array_remove (cluster->partitions, (gpointer)spec)
             || g_ptr_array_remove (cluster->licenses, (gpointer)spec));
}

static gboolean
cluster_check (LkSlurmImport *self, GError **error)
{
  guint before = lk_slurm_import_fault_count (self);
  if (self->cluster->partitions->len == 0)
    lk_slurm_row_add_missing (self, "PartitionName", LK_SLURM_APPROXIMATED,
                              "not given: one partition 'main' of all nodes is made");
  for (;;) {
    LkClusterError wrong = { 0 };
    if (lk_cluster_check (self->cluster, &wrong))
      break;
    check_fail (self, &wrong, error);
    if (!lk_slurm_import_goes_on (self, error))
      return FALSE;
    if (!part_drop (self, wrong.spec))
      break;
  }
  return lk_slurm_import_fault_count (self) == before;
}

/* ---------------------------------------------------------------- the work */

static LkSlurmImport *
import_alloc (void)
{
  LkSlurmImport *self = g_new0 (LkSlurmImport, 1);
  self->cluster = lk_cluster_new ("cluster");
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->global = (LkSlurmRecord){ .title = "", .name = "", .pairs = g_ptr_array_new () };
  self->records = g_ptr_array_new_with_free_func (record_free);
  self->origins = g_array_new (FALSE, FALSE, sizeof (LkSlurmOrigin));
  self->futures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->node_sets = g_hash_table_new (g_str_hash, g_str_equal);
  self->names_left = LK_SLURM_NAMES_MAX;
  self->suggestions_left = SUGGESTIONS_MAX;
  return self;
}

gboolean
lk_slurm_import_goes_on (LkSlurmImport *self, GError **error)
{
  return lk_faults_goes_on (self->faults, error);
}

guint
lk_slurm_import_fault_count (const LkSlurmImport *self)
{
  return self->faults ? lk_faults_count (self->faults, LK_FAULT_ERROR) : 0;
}

/* What is wrong in one of these parts does not make another one wrong. */
static gboolean
parts_read (LkSlurmImport *self, GError **error)
{
  static gboolean (*const parts[]) (LkSlurmImport *, GError **) = { lk_slurm_partitions_read,
                                                                    lk_slurm_topology_read,
                                                                    lk_slurm_assoc_read };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!parts[i](self, error) && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  return TRUE;
}

/* The nodes, of which all else speaks. */
static gboolean
nodes_read (LkSlurmImport *self, GError **error)
{
  return lk_slurm_nodes_read (self, error)
         && (lk_slurm_gres_conf_read (self, error) || lk_slurm_import_goes_on (self, error))
         && (lk_slurm_nodes_finish (self, error) || lk_slurm_import_goes_on (self, error));
}

/* The keys of the whole file, which say nothing of what there is, and then that. */
static gboolean
machine_read (LkSlurmImport *self, GError **error)
{
  return (lk_slurm_globals_apply (self, error) || lk_slurm_import_goes_on (self, error))
         && nodes_read (self, error) && parts_read (self, error);
}

static gboolean
import_run (LkSlurmImport *self, GError **error)
{
  if (!self->conf)
    self->conf = lk_slurm_source_lines (&self->conf_source, self->faults, error);
  if (!self->conf)
    return FALSE;
  LkSlurmPlace place = { g_ptr_array_index (self->conf->files, 0), 0 };
  self->is_partial = self->conf->is_partial;
  if (self->conf->lines->len == 0)
    return lk_slurm_fail (&place, error, "holds no key; expected a slurm.conf");
  if (!conf_sort (self, error) || !machine_read (self, error))
    return FALSE;
  return !self->is_partial && cluster_check (self, error);
}

/* Frees `self` when the work fails. What the sources borrow is not kept. */
static LkSlurmImport *
import_run_or_free (LkSlurmImport *self, GError **error)
{
  g_autoptr (GError) failure = NULL;
  self->faults_before = lk_slurm_import_fault_count (self);
  gboolean is_good = import_run (self, &failure);
  if (failure && self->faults)
    lk_faults_add (self->faults, LK_FAULT_ERROR, failure->message);
  if (!is_good || lk_slurm_import_fault_count (self) > self->faults_before) {
    if (!failure)
      g_set_error_literal (&failure, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                           "the configuration is wrong");
    g_propagate_error (error, g_steal_pointer (&failure));
    lk_slurm_import_free (self);
    return NULL;
  }
  const LkSlurmSource none = { NULL, NULL, NULL };
  self->conf_source = self->gres_source = self->topology_source = self->assoc_source = none;
  self->faults = NULL;
  return self;
}

/* A file of one of the names (ending with NULL) in the folder of slurm.conf, if there is one.
 * Returns: (transfer full), or NULL. */
static char *
beside (const char *conf_path, const char *const *names)
{
  g_autofree char *folder = g_path_get_dirname (conf_path);
  for (; *names; names++) {
    char *path = g_build_filename (folder, *names, NULL);
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return path;
    g_free (path);
  }
  return NULL;
}

LkSlurmImport *
lk_slurm_import_new (const LkSlurmImportOptions *options, GError **error)
{
  static const char *const gres_names[] = { "gres.conf", NULL };
  static const char *const topology_names[] = { "topology.yaml", "topology.conf", NULL };
  g_autofree char *gres_found = options->gres_path ? NULL : beside (options->conf_path, gres_names);
  g_autofree char *topology_found =
      options->topology_path ? NULL : beside (options->conf_path, topology_names);
  LkSlurmImport *self = import_alloc ();
  self->conf_source.path = options->conf_path;
  self->gres_source.path = options->gres_path ? options->gres_path : gres_found;
  self->topology_source.path = options->topology_path ? options->topology_path : topology_found;
  self->is_topology_explicit = options->topology_path != NULL;
  self->assoc_source.path = options->assoc_path;
  self->faults = options->faults;
  self->conf = options->lines;
  self->is_conf_borrowed = options->lines != NULL;
  return import_run_or_free (self, error);
}

LkSlurmImport *
lk_slurm_import_new_from_texts (const LkSlurmImportTexts *texts, GError **error)
{
  LkSlurmImport *self = import_alloc ();
  self->conf_source = (LkSlurmSource){ NULL, texts->conf, "slurm.conf" };
  self->gres_source = (LkSlurmSource){ NULL, texts->gres, "gres.conf" };
  self->topology_source = (LkSlurmSource){ NULL, texts->topology, "topology.conf" };
  self->assoc_source = (LkSlurmSource){ NULL, texts->assoc, "assoc" };
  self->faults = texts->faults;
  return import_run_or_free (self, error);
}

void
lk_slurm_import_free (LkSlurmImport *self)
{
  if (!self)
    return;
  lk_cluster_free (self->cluster);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref ((GPtrArray *)self->global.pairs);
  g_ptr_array_unref (self->records);
  g_array_unref (self->origins);
  g_hash_table_unref (self->futures);
  g_hash_table_unref (self->node_sets);
  g_clear_pointer (&self->specs, g_ptr_array_unref);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->indices, g_hash_table_unref);
  g_clear_pointer (&self->devices, g_array_unref);
  g_clear_pointer (&self->device_lines, g_ptr_array_unref);
  if (!self->is_conf_borrowed)
    g_clear_pointer (&self->conf, lk_slurm_lines_free);
  g_clear_pointer (&self->gres, lk_slurm_lines_free);
  g_clear_pointer (&self->topology, lk_slurm_lines_free);
  g_free (self);
}

const LkCluster *
lk_slurm_import_cluster (const LkSlurmImport *self)
{
  return self->cluster;
}

const GPtrArray *
lk_slurm_import_report (const LkSlurmImport *self)
{
  return self->rows;
}

guint
lk_slurm_import_count (const LkSlurmImport *self, LkSlurmVerdict verdict)
{
  guint count = 0;
  for (guint i = 0; i < self->rows->len; i++)
    count += ((const LkSlurmRow *)g_ptr_array_index (self->rows, i))->verdict == verdict;
  return count;
}
