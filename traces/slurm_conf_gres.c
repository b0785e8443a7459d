/* traces/slurm_conf_gres.c — Gres= of nodes, and gres.conf.
 *
 * gres.conf tells where devices are: which sockets they are near, and how well they are connected.
 * How many there are is what slurm.conf says, as in Slurm.  Which lines of gres.conf are about a
 * node is a set of lines; equal sets have equal ids, so that nodes can be grouped by them: id 0 is
 * the empty set, any other is a smaller set and one more line. */
#include <string.h>

#include "traces/slurm_conf_private.h"

#define LINK_MAX 65535u

/* ---------------------------------------------------------------- Gres= */

/* One entry of Gres= as its parts. */
typedef struct {
  const char *name;
  const char *type;
  guint64 count;
  gboolean no_consume;
} Entry;

/* Splits at commas outside parentheses. Returns: (transfer full). */
static char **
entries_split (const char *text)
{
  GPtrArray *entries = g_ptr_array_new ();
  const char *start = text;
  gboolean is_inside = FALSE;
  for (const char *at = text;; at++) {
    is_inside = *at == '(' || (is_inside && *at != ')');
    if (*at != '\0' && (*at != ',' || is_inside))
      continue;
    if (at > start)
      g_ptr_array_add (entries, g_strndup (start, (gsize)(at - start)));
    if (*at == '\0')
      break;
    start = at + 1;
  }
  g_ptr_array_add (entries, NULL);
  return (char **)g_ptr_array_free (entries, FALSE);
}

/* Cuts "(S:0-1)", which scontrol shows, off. */
static void
suffix_cut (const LkSlurmPair *pair, char *entry)
{
  char *suffix = strchr (entry, '(');
  if (!suffix)
    return;
  *suffix = '\0';
  lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED,
                      "sockets in parentheses are left out: they come "
                      "from gres.conf");
}

/* Fields of an entry, which are words of `fields`. */
static gboolean
entry_parse (const LkSlurmPair *pair, char **fields, Entry *out, GError **error)
{
  static const char expected[] = "name[:type][:no_consume][:count], with commas between";
  guint count = g_strv_length (fields);
  guint end = count;
  *out = (Entry){ .name = count > 0 ? fields[0] : "", .type = "", .count = 1 };
  if (count > 1 && g_ascii_isdigit (fields[count - 1][0])) {
    end--;
    if (!lk_slurm_number_parse (fields[end], strlen (fields[end]), &out->count))
      return lk_slurm_pair_fail (pair, error, "%s; '%s' is no count", expected, fields[end]);
  }
  for (guint i = 1; i < end; i++) {
    const char *sign = *fields[i] != '\0' && strchr ("+-", *fields[i]) ? fields[i] : NULL;
    if (sign != NULL && g_ascii_isdigit (sign[1]))
      return lk_slurm_pair_fail (pair, error, "%s; '%s' is no count", expected, sign);
    if (g_ascii_strcasecmp (fields[i], "no_consume") == 0)
      out->no_consume = TRUE;
    else if (*out->type == '\0' && *fields[i] != '\0')
      out->type = fields[i];
    else
      return lk_slurm_pair_fail (pair, error, "%s", expected);
  }
  return *out->name != '\0' || lk_slurm_pair_fail (pair, error, "%s", expected);
}

static gboolean
entry_add (const LkSlurmPair *pair, const Entry *entry, LkNodeSpec *spec, GError **error)
{
  guint64 count = MIN (entry->count, G_MAXUINT32);
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *other = g_ptr_array_index (spec->gres, i);
    if (strcmp (other->name, entry->name) == 0 && strcmp (other->type, entry->type) == 0)
      return lk_slurm_pair_fail (pair, error, "each name and type once; '%s%s%s' is there twice",
                                 entry->name, *entry->type ? ":" : "", entry->type);
  }
  if (count != entry->count)
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED, "%u of '%s': counts have 32 bits", G_MAXUINT32,
                        entry->name);
  if (count > 0) {
    LkGresSpec *gres = lk_node_spec_add_gres (spec, entry->name, entry->type, (guint32)count);
    gres->no_consume = entry->no_consume;
  }
  return TRUE;
}

gboolean
lk_slurm_gres_parse (const LkSlurmPair *pair, LkNodeSpec *spec, GError **error)
{
  if (g_ascii_strcasecmp (pair->value, "(null)") == 0)
    return TRUE;
  g_auto (GStrv) entries = entries_split (pair->value);
  for (guint i = 0; entries[i]; i++) {
    Entry entry;
    suffix_cut (pair, entries[i]);
    const char *text = g_strstrip (entries[i]);
    if (g_str_has_prefix (text, "gres/"))
      text += 5;
    g_auto (GStrv) fields = g_strsplit (text, ":", -1);
    if (!entry_parse (pair, fields, &entry, error) || !entry_add (pair, &entry, spec, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- lines of gres.conf */

typedef struct {
  guint64 low;
  guint64 high;
} Range;

typedef struct {
  LkSlurmRecord record;
  const LkSlurmPair *name;
  const char *type; /* "" for none */
  guint64 count;
  const LkSlurmPair *cores_pair;
  gboolean has_cpus; /* `cores` are CPUs */
  GArray *cores;     /* of Range */
  GArray *links;     /* of guint16 */
  GPtrArray *files;  /* of char *, one a device; empty: none are given */
  gboolean is_used;
} Line;

static void
line_free (gpointer data)
{
  Line *self = data;
  g_ptr_array_unref ((GPtrArray *)self->record.pairs);
  g_free ((char *)self->record.title);
  g_array_unref (self->cores);
  g_array_unref (self->links);
  g_ptr_array_unref (self->files);
  g_free (self);
}

static gboolean
cores_read (Line *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->record, "Cores");
  if (!pair) {
    pair = lk_slurm_record_get (&self->record, "CPUs");
    self->has_cpus = pair != NULL;
  }
  self->cores_pair = pair;
  /* Slurm reads them as a bitmap's ranges, which may be in brackets: [0-3]. */
  g_autofree char *text = g_strdup (pair ? pair->value : "");
  gsize length = strlen (text);
  if (length > 2 && text[0] == '[' && strchr (text, ']') == text + length - 1)
    text[0] = text[length - 1] = ' ';
  g_auto (GStrv) words = lk_slurm_list_split (g_strstrip (text));
  for (guint i = 0; words[i]; i++) {
    Range range;
    char *dash = strchr (words[i], '-');
    gsize low_bytes = dash ? (gsize)(dash - words[i]) : strlen (words[i]);
    gboolean is_right = lk_slurm_number_parse (words[i], low_bytes, &range.low);
    range.high = range.low;
    if (dash)
      is_right = is_right && lk_slurm_number_parse (dash + 1, strlen (dash + 1), &range.high);
    if (!is_right || range.low > range.high)
      return lk_slurm_pair_fail (pair, error, "core numbers, such as 0-7,16-23");
    g_array_append_val (self->cores, range);
  }
  return TRUE;
}

static gboolean
links_read (Line *self, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&self->record, "Links");
  if (!pair)
    pair = lk_slurm_record_get (&self->record, "Link");
  g_auto (GStrv) words = g_strsplit (pair ? pair->value : "", ",", -1);
  for (guint i = 0; words[i] && pair; i++) {
    guint64 number = 0;
    const char *word = g_strstrip (words[i]);
    if (strcmp (word, "-1") != 0
        && (!lk_slurm_number_parse (word, strlen (word), &number) || number > LINK_MAX))
      return lk_slurm_pair_fail (pair, error, "counts of links from 0, -1 for the device itself");
    guint16 link = (guint16)number;
    g_array_append_val (self->links, link);
  }
  if (self->links->len > 0 && self->count != 1)
    return lk_slurm_pair_refuse (pair, error,
                                 "the line is about %" G_GUINT64_FORMAT
                                 " devices; expected one, whose links these are",
                                 self->count);
  return TRUE;
}

static gboolean
is_shared (const char *name)
{
  return strcmp (name, "shard") == 0 || strcmp (name, "mps") == 0;
}

/* How many devices the files are; 0 when none are given. */
static gboolean
files_count (LkSlurmImport *self, Line *line, guint64 *out_count, GError **error)
{
  const LkSlurmPair *file = lk_slurm_record_get (&line->record, "File");
  if (!file)
    file = lk_slurm_record_get (&line->record, "Files");
  *out_count = lk_slurm_record_get (&line->record, "MultipleFiles") ? 1 : 0;
  if (!file)
    return TRUE;
  if (!lk_slurm_names_expand (self, file, file->value, line->files, error))
    return FALSE;
  *out_count = line->files->len;
  return TRUE;
}

static gboolean
count_read (LkSlurmImport *self, Line *line, GError **error)
{
  const LkSlurmPair *pair = lk_slurm_record_get (&line->record, "Count");
  guint64 file_count = 0;
  if (!files_count (self, line, &file_count, error))
    return FALSE;
  line->count = file_count > 0 ? file_count : 1;
  if (!pair)
    return TRUE;
  guint64 count = 0;
  if (!lk_slurm_number_parse (pair->value, strlen (pair->value), &count))
    return lk_slurm_pair_fail (pair, error, "a whole number, perhaps with K, M or G");
  if (file_count > 0 && count != file_count && !is_shared (line->name->value))
    return lk_slurm_pair_fail (pair, error, "%" G_GUINT64_FORMAT ", the number of files",
                               file_count);
  line->count = count;
  return TRUE;
}

/* Notes that depend on the words of a value. */
static void
line_note (const Line *line)
{
  const LkSlurmPair *detect = lk_slurm_record_get (&line->record, "AutoDetect");
  const LkSlurmPair *flags = lk_slurm_record_get (&line->record, "Flags");
  if (detect && g_ascii_strcasecmp (detect->value, "off") == 0)
    lk_slurm_pair_note (detect, LK_SLURM_UNDERSTOOD, "nothing is detected: these lines say it all");
  g_autofree char *words = g_ascii_strdown (flags ? flags->value : "", -1);
  if (flags && !strstr (words, "sharing") && !strstr (words, "explicit"))
    lk_slurm_pair_note (flags, LK_SLURM_UNDERSTOOD, "for tasks: changes nothing here");
}

static gboolean
line_read (LkSlurmImport *self, const GPtrArray *pairs, GError **error)
{
  const LkSlurmPair *head = g_ptr_array_index (pairs, 0);
  Line *line = g_new0 (Line, 1);
  g_ptr_array_add (self->device_lines, line);
  line->record.scope = LK_SLURM_SCOPE_GRES;
  line->record.pairs = g_ptr_array_ref ((GPtrArray *)pairs);
  line->record.name = head->value;
  line->record.title = g_strdup_printf ("%s=%s", head->key, head->value);
  line->cores = g_array_new (FALSE, FALSE, sizeof (Range));
  line->links = g_array_new (FALSE, FALSE, sizeof (guint16));
  line->files = g_ptr_array_new_with_free_func (g_free);
  lk_slurm_line_rows (self, LK_SLURM_SCOPE_GRES, pairs, 0,
                      pairs->len > 1 ? line->record.title : "");
  line->name = lk_slurm_record_get (&line->record, "Name");
  const LkSlurmPair *type = lk_slurm_record_get (&line->record, "Type");
  line->type = type ? type->value : "";
  line_note (line);
  if (!line->name) {
    if (lk_slurm_record_get (&line->record, "AutoDetect")
        || g_ascii_strcasecmp (head->key, "Include") == 0)
      return TRUE;
    return lk_slurm_fail (&head->place, error, "a line without Name; expected Name=gpu or another");
  }
  return count_read (self, line, error) && cores_read (line, error) && links_read (line, error);
}

/* ---------------------------------------------------------------- which lines are about a node */

typedef struct {
  guint parent_id;
  guint line_index;
} DeviceSet;

/* The set of one more line. */
static guint
set_extend (LkSlurmImport *self, GHashTable *ids, guint parent_id, guint line_index)
{
  gint64 key = (gint64)((guint64)parent_id << 32 | line_index);
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (ids, &key));
  if (id == 0) {
    DeviceSet set = { parent_id, line_index };
    g_array_append_val (self->devices, set);
    id = self->devices->len - 1;
    g_hash_table_insert (ids, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (id));
  }
  return id;
}

static gboolean
line_spread_all (LkSlurmImport *self, GHashTable *ids, guint line_index, GError **error)
{
  const Line *line = g_ptr_array_index (self->device_lines, line_index);
  if (self->nodes->len > self->names_left)
    return lk_slurm_pair_refuse (line->name, error,
                                 "the lists of names have more than %u names in "
                                 "all",
                                 LK_SLURM_NAMES_MAX);
  self->names_left -= self->nodes->len;
  for (guint i = 0; i < self->nodes->len; i++) {
    LkSlurmNode *node = g_ptr_array_index (self->nodes, i);
    node->devices_id = set_extend (self, ids, node->devices_id, line_index);
  }
  return TRUE;
}

/* Tells the nodes of a line that it is about them. */
static gboolean
line_spread (LkSlurmImport *self, GHashTable *ids, guint line_index, GError **error)
{
  const Line *line = g_ptr_array_index (self->device_lines, line_index);
  const LkSlurmPair *pair = lk_slurm_record_get (&line->record, "NodeName");
  if (!line->name)
    return TRUE;
  if (!pair)
    return line_spread_all (self, ids, line_index, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!lk_slurm_names_expand (self, pair, pair->value, names, error))
    return FALSE;
  guint unknown_count = 0;
  for (guint i = 0; i < names->len; i++) {
    LkSlurmNode *node = lk_slurm_node_find (self, g_ptr_array_index (names, i));
    if (node)
      node->devices_id = set_extend (self, ids, node->devices_id, line_index);
    else
      unknown_count++;
  }
  if (unknown_count > 0)
    lk_slurm_pair_note (pair, LK_SLURM_APPROXIMATED,
                        "%u of %u names are no node of slurm.conf and are left out", unknown_count,
                        names->len);
  return TRUE;
}

static gboolean
has_gpus (const LkSlurmImport *self)
{
  for (guint i = 0; i < self->specs->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (self->specs, i);
    for (guint j = 0; spec && j < spec->gres->len; j++)
      if (strcmp (((const LkGresSpec *)g_ptr_array_index (spec->gres, j))->name, "gpu") == 0)
        return TRUE;
  }
  return FALSE;
}

gboolean
lk_slurm_gres_conf_read (LkSlurmImport *self, GError **error)
{
  DeviceSet empty = { 0, 0 };
  self->devices = g_array_new (FALSE, FALSE, sizeof (DeviceSet));
  self->device_lines = g_ptr_array_new_with_free_func (line_free);
  g_array_append_val (self->devices, empty);
  if (!lk_slurm_source_is_given (&self->gres_source)) {
    if (has_gpus (self))
      lk_slurm_row_add_missing (self, "gres.conf", LK_SLURM_APPROXIMATED,
                                "there is none: GPUs are near to all sockets, and their links are "
                                "all the same");
    return TRUE;
  }
  self->gres = lk_slurm_source_lines (&self->gres_source, self->faults, error);
  if (!self->gres)
    return FALSE;
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < self->gres->lines->len; i++)
    if ((!line_read (self, g_ptr_array_index (self->gres->lines, i), error)
         || !line_spread (self, ids, i, error))
        && !lk_slurm_import_goes_on (self, error))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- devices of a group of nodes */

/* Where things are noted: the Gres= of the nodes, and a node for example. */
typedef struct {
  const LkSlurmPair *pair;
  const LkSlurmNode *node;
  const LkNodeSpec *spec;
} Target;

/* Sockets of the cores of a line, bits; 0: all. */
static guint32
line_sockets (const Line *line, const Target *target)
{
  const LkNodeSpec *spec = target->spec;
  guint64 core_count = (guint64)spec->sockets * spec->cores_per_socket;
  guint64 per_core = line->has_cpus ? MAX (1, spec->cpus / core_count) : 1;
  g_autofree guint8 *is_near = g_malloc0 (core_count);
  guint32 sockets = 0;
  for (guint i = 0; i < line->cores->len; i++) {
    const Range *range = &g_array_index (line->cores, Range, i);
    for (guint64 core = range->low / per_core; core <= range->high / per_core; core++) {
      if (core >= core_count) {
        lk_slurm_pair_note (line->cores_pair, LK_SLURM_APPROXIMATED,
                            "%s has %" G_GUINT64_FORMAT " cores: higher numbers are left out",
                            target->node->name, core_count);
        break;
      }
      is_near[core] = 1;
      sockets |= 1u << core / spec->cores_per_socket;
    }
  }
  for (guint64 core = 0; core < core_count; core++)
    if (!is_near[core] && (sockets >> core / spec->cores_per_socket & 1) != 0)
      lk_slurm_pair_note (line->cores_pair, LK_SLURM_APPROXIMATED,
                          "a device is near whole sockets, also where a part is given");
  guint32 all = spec->sockets >= 32 ? G_MAXUINT32 : (1u << spec->sockets) - 1;
  return sockets == all ? 0 : sockets;
}

/* The devices of one name that a node has by gres.conf. */
typedef struct {
  const Line *line;
  guint32 sockets;
} Device;

static GArray *
devices_collect (LkSlurmImport *self, const char *name, const Target *target)
{
  GArray *devices = g_array_new (FALSE, FALSE, sizeof (Device));
  g_autoptr (GPtrArray) lines = g_ptr_array_new ();
  for (guint id = target->node->devices_id; id > 0;) {
    const DeviceSet *set = &g_array_index (self->devices, DeviceSet, id);
    Line *line = g_ptr_array_index (self->device_lines, set->line_index);
    if (strcmp (line->name->value, name) == 0)
      g_ptr_array_add (lines, line);
    id = set->parent_id;
  }
  for (guint i = lines->len; i > 0; i--) {
    Line *line = g_ptr_array_index (lines, i - 1);
    Device device = { line, line_sockets (line, target) };
    line->is_used = TRUE;
    /* More than any node can have say nothing more. */
    for (guint64 j = 0; j < line->count && devices->len <= LK_LIMIT_NODE_DEVICES; j++)
      g_array_append_val (devices, device);
  }
  return devices;
}

/* Is an untyped "gpu:4" of slurm.conf told apart by the types of gres.conf? */
static gboolean
gres_is_typed_by (const LkGresSpec *gres, const GArray *devices)
{
  if (*gres->type != '\0' || gres->count != devices->len)
    return FALSE;
  for (guint i = 0; i < devices->len; i++)
    if (*g_array_index (devices, Device, i).line->type == '\0')
      return FALSE;
  return TRUE;
}

/* Replaces the entry by one for each type. */
static void
gres_split (LkNodeSpec *spec, guint index, const GArray *devices, const Target *target)
{
  g_autofree char *name = g_strdup (((LkGresSpec *)g_ptr_array_index (spec->gres, index))->name);
  g_ptr_array_remove_index (spec->gres, index);
  guint first = spec->gres->len;
  for (guint i = 0; i < devices->len; i++) {
    const Line *line = g_array_index (devices, Device, i).line;
    LkGresSpec *known = NULL;
    for (guint j = first; j < spec->gres->len; j++) {
      LkGresSpec *other = g_ptr_array_index (spec->gres, j);
      if (strcmp (other->type, line->type) == 0)
        known = other;
    }
    if (known)
      known->count++;
    else
      lk_node_spec_add_gres (spec, name, line->type, 1);
  }
  lk_slurm_pair_note (target->pair, LK_SLURM_UNDERSTOOD, "types are those of gres.conf");
}

/* Which entry of the node a device belongs to: the first of its type that has room. */
static LkGresSpec *
gres_for_device (const LkNodeSpec *spec, const char *name, const Line *line, const guint *taken)
{
  for (guint i = 0; i < spec->gres->len; i++) {
    LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    gboolean is_typed = *gres->type != '\0' && *line->type != '\0';
    if (strcmp (gres->name, name) == 0 && taken[i] < gres->count
        && (!is_typed || g_ascii_strcasecmp (gres->type, line->type) == 0))
      return gres;
  }
  return NULL;
}

static void
mismatch_note (const Target *target, const LkNodeSpec *spec, const char *name, guint64 found)
{
  guint64 expected = 0;
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, name) == 0)
      expected += gres->count;
  }
  lk_slurm_pair_note (target->pair, LK_SLURM_APPROXIMATED,
                      "gres.conf gives %s %" G_GUINT64_FORMAT " of '%s'%s; the %" G_GUINT64_FORMAT
                      " of slurm.conf count",
                      target->node->name, found, name, found == expected ? " of other types" : "",
                      expected);
}

/* How well a device of gres.conf is connected with another one of the node. */
static guint16
device_link (const GArray *devices, guint from, guint to)
{
  const GArray *links = g_array_index (devices, Device, from).line->links;
  return from != to && to < links->len ? g_array_index (links, guint16, to) : 0;
}

/* Sockets and links of one entry. `places`: which device of the node each of its devices is. */
static void
gres_place (LkGresSpec *gres, const GArray *devices, const guint *places, guint place_count)
{
  gboolean has_sockets = FALSE;
  gboolean has_links = FALSE;
  for (guint i = 0; i < place_count; i++) {
    const Device *device = &g_array_index (devices, Device, places[i]);
    has_sockets = has_sockets || device->sockets != 0;
    has_links = has_links || device->line->links->len > 0;
  }
  if (gres->count > LK_LIMIT_NODE_DEVICES)
    return;
  if (has_sockets)
    gres->device_sockets = g_new0 (guint32, gres->count);
  if (has_links)
    gres->links = g_new0 (guint16, (gsize)gres->count * gres->count);
  for (guint i = 0; i < place_count; i++) {
    if (has_sockets)
      gres->device_sockets[i] = g_array_index (devices, Device, places[i]).sockets;
    for (guint j = 0; has_links && j < place_count; j++)
      gres->links[i * gres->count + j] = device_link (devices, places[i], places[j]);
  }
}

/* Deals the devices out to the entries of the node. */
static void
devices_place (LkNodeSpec *spec, const char *name, const GArray *devices, const Target *target)
{
  g_autofree guint *taken = g_new0 (guint, spec->gres->len + 1);
  g_autofree guint *places = g_new0 (guint, (gsize)spec->gres->len * (devices->len + 1) + 1);
  guint placed_count = 0;
  guint wanted_count = 0;
  for (guint i = 0; i < devices->len; i++) {
    const Line *line = g_array_index (devices, Device, i).line;
    LkGresSpec *gres = gres_for_device (spec, name, line, taken);
    guint index;
    if (!gres || !g_ptr_array_find (spec->gres, gres, &index))
      continue;
    places[(gsize)index * devices->len + taken[index]++] = i;
    placed_count++;
  }
  for (guint i = 0; i < spec->gres->len; i++) {
    LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, name) != 0)
      continue;
    wanted_count += gres->count;
    gres_place (gres, devices, &places[(gsize)i * devices->len], taken[i]);
  }
  if (placed_count != wanted_count || placed_count != devices->len)
    mismatch_note (target, spec, name, devices->len);
}

/* Counts of what has no devices. */
static void
shares_compare (LkSlurmImport *self, const LkGresSpec *gres, const Target *target)
{
  guint64 found = 0;
  for (guint id = target->node->devices_id; id > 0;) {
    const DeviceSet *set = &g_array_index (self->devices, DeviceSet, id);
    Line *line = g_ptr_array_index (self->device_lines, set->line_index);
    id = set->parent_id;
    if (strcmp (line->name->value, gres->name) != 0)
      continue;
    line->is_used = TRUE;
    found += MIN (line->count, G_MAXUINT32);
    if (line->cores_pair)
      lk_slurm_pair_note (line->cores_pair, LK_SLURM_IGNORED, "sockets are kept of GPUs only");
  }
  if (found > 0 && found != gres->count && !gres->no_consume)
    mismatch_note (target, target->spec, gres->name, found);
}

void
lk_slurm_gres_conf_apply (LkSlurmImport *self, const LkSlurmNode *node, LkNodeSpec *spec)
{
  const LkSlurmRecord *record = g_ptr_array_index (self->records, node->record_index);
  const Target target = { lk_slurm_record_get (record, "Gres"), node, spec };
  gboolean has_devices = FALSE;
  for (guint i = 0; i < spec->gres->len && node->devices_id > 0; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, "gpu") == 0)
      has_devices = TRUE;
    else
      shares_compare (self, gres, &target);
  }
  if (!has_devices)
    return;
  g_autoptr (GArray) devices = devices_collect (self, "gpu", &target);
  if (devices->len == 0)
    return;
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, "gpu") == 0 && gres_is_typed_by (gres, devices)) {
      gres_split (spec, i, devices, &target);
      break;
    }
  }
  devices_place (spec, "gpu", devices, &target);
}

/* The lines about a node, in the order of the file. Returns: (transfer container), of Line. */
static GPtrArray *
lines_of (const LkSlurmImport *self, const LkSlurmNode *node, const char *name)
{
  GPtrArray *lines = g_ptr_array_new ();
  for (guint id = node->devices_id; id > 0;) {
    const DeviceSet *set = &g_array_index (self->devices, DeviceSet, id);
    Line *line = g_ptr_array_index (self->device_lines, set->line_index);
    if (strcmp (line->name->value, name) == 0)
      g_ptr_array_insert (lines, 0, line);
    id = set->parent_id;
  }
  return lines;
}

/* The number of an entry's first device, as devices of one name are counted on a node. */
static guint
first_device (const LkNodeSpec *spec, const LkGresSpec *gres)
{
  guint first = 0;
  for (guint i = 0; g_ptr_array_index (spec->gres, i) != gres; i++) {
    const LkGresSpec *other = g_ptr_array_index (spec->gres, i);
    first += strcmp (other->name, gres->name) == 0 ? other->count : 0;
  }
  return first;
}

/* Dealt out as devices_place does it. */
GPtrArray *
lk_slurm_import_device_files (LkSlurmImport *self, const char *node_name, const LkNodeSpec *spec,
                              const char *name)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  const LkSlurmNode *node = lk_slurm_node_find (self, node_name);
  g_autofree guint *taken = g_new0 (guint, spec->gres->len + 1);
  g_autoptr (GPtrArray) lines = node != NULL ? lines_of (self, node, name) : g_ptr_array_new ();
  for (guint i = 0; i < lines->len; i++) {
    const Line *line = g_ptr_array_index (lines, i);
    for (guint j = 0; j < line->files->len; j++) {
      LkGresSpec *gres = gres_for_device (spec, name, line, taken);
      guint index;
      if (gres == NULL || !g_ptr_array_find (spec->gres, gres, &index))
        continue;
      guint place = first_device (spec, gres) + taken[index]++;
      while (files->len <= place)
        g_ptr_array_add (files, g_strdup (""));
      g_free (files->pdata[place]);
      files->pdata[place] = g_strdup (g_ptr_array_index (line->files, j));
    }
  }
  return files;
}

void
lk_slurm_gres_conf_finish (LkSlurmImport *self)
{
  for (guint i = 0; i < self->device_lines->len; i++) {
    const Line *line = g_ptr_array_index (self->device_lines, i);
    if (line->name && !line->is_used)
      lk_slurm_pair_note (line->name, LK_SLURM_IGNORED,
                          "no node of the line has this in Gres= of slurm.conf");
  }
}
