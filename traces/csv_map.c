/* traces/csv_map.c — see csv_map.h.
 *
 * The depth is bounded by the grammar: page, columns, column, states or unknown words. */
#include "traces/csv_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/assert.h"
#include "engine/codec.h"
#include "engine/suggest.h"
#include "traces/csv_map_data.h"
#include "traces/job_values.h"
#include "traces/yaml_cursor.h"

#define SHARES_PER_GPU 1000u

typedef struct {
  LkCsvMap *map;
  LkYamlCursor *cursor;
  LkYamlPlace names_place; /* of the list of names, where there is one */
  GError **error;
} Page;

/* Reads the value of a key; the cursor stands on it, and must be left on its last event. */
typedef gboolean (*ReadKey) (Page *self, const char *key, gpointer data);

/* ---------------------------------------------------------------- fields */

typedef struct {
  const char *name;
  LkCsvKind kind;
  LkCsvPer per; /* if not given; NONE: it has none */
} Field;

#define X(NAME, name, kind, per, help) { name, kind, LK_CSV_PER_##per },
static const Field fields[] = { LK_CSV_FIELDS (X) };
#undef X

#define F(type, name, help) { #name, LK_CSV_REQUEST_##type, G_STRUCT_OFFSET (LkJobRequest, name) },
static const LkCsvRequestField request_fields[] = { LK_JOB_REQUEST_FIELDS (F) };
#undef F

static const char *const per_names[] = { "", "job", "node", "task", "cpu", "gpu", NULL };

static const struct {
  const char *name;
  LkRecordState state;
} states[] = {
  { "unknown", LK_RECORD_UNKNOWN },     { "completed", LK_RECORD_COMPLETED },
  { "failed", LK_RECORD_FAILED },       { "cancelled", LK_RECORD_CANCELLED },
  { "timeout", LK_RECORD_TIMEOUT },     { "node_fail", LK_RECORD_NODE_FAIL },
  { "preempted", LK_RECORD_PREEMPTED }, { "requeued", LK_RECORD_REQUEUED },
  { "running", LK_RECORD_RUNNING },     { "pending", LK_RECORD_PENDING },
};

const LkCsvRequestField *
lk_csv_request_field (const char *name, gsize length_bytes)
{
  /* The first is `present`, which follows from the others. */
  for (gsize i = 1; i < G_N_ELEMENTS (request_fields); i++)
    if (strlen (request_fields[i].name) == length_bytes
        && memcmp (request_fields[i].name, name, length_bytes) == 0)
      return &request_fields[i];
  return NULL;
}

const char *
lk_csv_column_name (const LkCsvColumn *column)
{
  return column->request != NULL ? column->request->name : fields[column->field].name;
}

LkCsvKind
lk_csv_field_kind (LkCsvField field)
{
  LK_ASSERT (field < LK_CSV_FIELD_COUNT);
  return fields[field].kind;
}

static gboolean
field_find (const char *name, LkCsvColumn *column)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (strcmp (fields[i].name, name) == 0) {
      column->field = (LkCsvField)i;
      return TRUE;
    }
  column->request = lk_csv_request_field (name, strlen (name));
  return column->request != NULL;
}

static LkCsvKind
column_kind (const LkCsvColumn *column)
{
  return column->request != NULL ? LK_CSV_TEXT : fields[column->field].kind;
}

static void
column_free (gpointer data)
{
  LkCsvColumn *column = data;
  for (guint i = 0; column->states != NULL && i < column->states->len; i++)
    g_free (g_array_index (column->states, LkCsvState, i).text);
  if (column->states != NULL)
    g_array_unref (column->states);
  if (column->unknown != NULL)
    g_ptr_array_unref (column->unknown);
  g_free (column->column);
  g_free (column->form);
  g_free (column->tres);
  g_free (column);
}

void
lk_csv_map_free (LkCsvMap *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->about);
  g_free (self->request_prefix);
  if (self->names != NULL)
    g_ptr_array_unref (self->names);
  g_ptr_array_unref (self->columns);
  g_free (self);
}

/* ---------------------------------------------------------------- pieces of the page */

static gboolean
next (Page *self)
{
  return lk_yaml_cursor_next (self->cursor, self->error);
}

/* The current event begins a mapping called `what`. */
static gboolean
mapping_read (Page *self, const char *what, ReadKey read_key, gpointer data)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' is no mapping; expected 'key: value' pairs", what);
  if (!next (self))
    return FALSE;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_MAPPING_END) {
    if (seen->len == LK_CSV_MAP_ENTRIES_MAX)
      return lk_yaml_cursor_fail (self->cursor, self->error,
                                  "'%s' has more than 4096 keys; expected fewer", what);
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error) || !next (self)
        || !read_key (self, g_ptr_array_index (seen, seen->len - 1), data) || !next (self))
      return FALSE;
  }
  return TRUE;
}

/* Sets the error for a key that is none of `names`, at the key's value. */
static gboolean
key_fail (Page *self, const char *what, const char *key, const char *const *names)
{
  g_autofree char *phrase = lk_suggest_phrase (key, names);
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is no key of %s%s", key, what,
                              phrase);
}

static gboolean
value_fail (Page *self, const char *key, const char *expected)
{
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected %s", key,
                              lk_yaml_cursor_text (self->cursor), expected);
}

static gboolean
text_read (Page *self, const char *key, char **out_text)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  g_free (*out_text);
  *out_text = g_strdup (lk_yaml_cursor_text (self->cursor));
  return TRUE;
}

/* Which of `names` the value is. */
static gboolean
word_read (Page *self, const char *key, const char *const *names, guint *out_index)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  const char *word = lk_yaml_cursor_text (self->cursor);
  for (guint i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], word) == 0) {
      *out_index = i;
      return TRUE;
    }
  g_autofree char *phrase = lk_suggest_phrase (word, names);
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'%s", key, word, phrase);
}

static gboolean
boolean_read (Page *self, const char *key, gboolean *out_value)
{
  static const char *const names[] = { "false", "true", NULL };
  guint index = 0;
  if (!word_read (self, key, names, &index))
    return FALSE;
  *out_value = index == 1;
  return TRUE;
}

static gboolean
count_read (Page *self, const char *key, guint32 *out_count)
{
  return lk_yaml_cursor_expect_value (self->cursor, key, self->error)
         && (lk_job_count_parse (lk_yaml_cursor_text (self->cursor), out_count)
             || value_fail (self, key, LK_JOB_COUNT_EXPECTED));
}

/* A list of texts. Returns: (transfer full), or NULL. */
static GPtrArray *
list_read (Page *self, const char *key)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);
  if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST) {
    lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is no list; expected one", key);
    return NULL;
  }
  if (!next (self))
    return NULL;
  while (lk_yaml_cursor_kind (self->cursor) != LK_YAML_LIST_END) {
    if (lk_yaml_cursor_kind (self->cursor) != LK_YAML_SCALAR
        || list->len == LK_CSV_MAP_ENTRIES_MAX) {
      lk_yaml_cursor_fail (self->cursor, self->error,
                           "'%s' has something else than at most 4096 texts; expected these", key);
      return NULL;
    }
    g_ptr_array_add (list, g_strdup (lk_yaml_cursor_text (self->cursor)));
    if (!next (self))
      return NULL;
  }
  return g_steal_pointer (&list);
}

/* ---------------------------------------------------------------- one column */

static gboolean
unit_read (Page *self, LkCsvColumn *column)
{
  LkCsvKind kind = column_kind (column);
  if (kind == LK_CSV_TEXT)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' has a unit; expected none, it is taken as it is",
                                lk_csv_column_name (column));
  g_autofree const char **names = lk_csv_unit_names (kind);
  guint index = 0;
  if (!word_read (self, "unit", names, &index))
    return FALSE;
  column->unit = lk_csv_unit (kind, names[index]);
  return TRUE;
}

static gboolean
per_read (Page *self, LkCsvColumn *column)
{
  guint index = 0;
  gboolean is_memory = column->request == NULL && column->field == LK_CSV_FIELD_MEMORY;
  if (column->request != NULL || fields[column->field].per == LK_CSV_PER_NONE)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' has 'per'; expected that of cpus, gpus or memory",
                                lk_csv_column_name (column));
  if (!word_read (self, "per", per_names, &index))
    return FALSE;
  if (index == LK_CSV_PER_NONE || (index > LK_CSV_PER_TASK && !is_memory))
    return value_fail (self, "per",
                       is_memory ? "job, node, task, cpu or gpu" : "job, node or task");
  column->per = (LkCsvPer)index;
  return TRUE;
}

static gboolean
state_read (Page *self, const char *key, gpointer data)
{
  LkCsvColumn *column = data;
  const char *names[G_N_ELEMENTS (states) + 1] = { NULL };
  guint index = 0;
  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    names[i] = states[i].name;
  if (!word_read (self, key, names, &index))
    return FALSE;
  LkCsvState state = { g_strdup (key), states[index].state };
  g_array_append_val (column->states, state);
  return TRUE;
}

static gboolean
states_read (Page *self, LkCsvColumn *column)
{
  if (column->request != NULL || column->field != LK_CSV_FIELD_STATE)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' has 'values'; expected that of state",
                                lk_csv_column_name (column));
  column->states = g_array_new (FALSE, FALSE, sizeof (LkCsvState));
  return mapping_read (self, "values", state_read, column);
}

static gboolean
form_read (Page *self, LkCsvColumn *column)
{
  return text_read (self, "format", &column->form)
         && (lk_csv_date_form_check (column->form)
             || value_fail (self, "format",
                            "%d or %F and, of %Y %m %H %M %S %f %T %z, what else there is"));
}

static gboolean
tres_read (Page *self, LkCsvColumn *column)
{
  LkCsvKind kind = column_kind (column);
  if (column->request != NULL || (kind != LK_CSV_COUNT && kind != LK_CSV_SIZE))
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "'%s' has 'tres'; expected that of a count or of memory",
                                lk_csv_column_name (column));
  return text_read (self, "tres", &column->tres);
}

static gboolean
column_key_read (Page *self, const char *key, gpointer data)
{
  static const char *const names[] = { "column", "unit",    "format",   "per", "tres",
                                       "values", "unknown", "optional", NULL };
  LkCsvColumn *column = data;
  if (strcmp (key, "column") == 0)
    return text_read (self, key, &column->column);
  if (strcmp (key, "unit") == 0)
    return unit_read (self, column);
  if (strcmp (key, "format") == 0)
    return form_read (self, column);
  if (strcmp (key, "per") == 0)
    return per_read (self, column);
  if (strcmp (key, "tres") == 0)
    return tres_read (self, column);
  if (strcmp (key, "values") == 0)
    return states_read (self, column);
  if (strcmp (key, "optional") == 0)
    return boolean_read (self, key, &column->is_optional);
  if (strcmp (key, "unknown") != 0)
    return key_fail (self, "a column", key, names);
  column->unknown = list_read (self, key);
  return column->unknown != NULL;
}

/* What a column needs beside its keys, each of which is good. */
static gboolean
column_settle (Page *self, LkYamlPlace place, LkCsvColumn *column)
{
  LkCsvKind kind = column_kind (column);
  const char *name = lk_csv_column_name (column);
  if (column->column == NULL)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                   "'%s' has no 'column'; expected the name of one", name);
  if (kind == LK_CSV_SIZE && column->unit == NULL)
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                   "'%s' has no 'unit'; expected one, such as MiB", name);
  if (kind != LK_CSV_TEXT && column->unit == NULL) {
    g_autofree const char **names = lk_csv_unit_names (kind);
    column->unit = lk_csv_unit (kind, names[0]);
  }
  if (column->form != NULL && (column->unit == NULL || !lk_csv_unit_is_date (column->unit)))
    return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                   "'%s' has a 'format' and another unit than date; expected "
                                   "unit: date",
                                   name);
  return TRUE;
}

static gboolean
field_read (Page *self, const char *key, gpointer data G_GNUC_UNUSED)
{
  LkCsvColumn *column = g_new0 (LkCsvColumn, 1);
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  g_ptr_array_add (self->map->columns, column);
  if (!field_find (key, column)) {
    const char *names[G_N_ELEMENTS (fields) + G_N_ELEMENTS (request_fields)] = { NULL };
    guint count = 0;
    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      names[count++] = fields[i].name;
    for (guint i = 1; i < G_N_ELEMENTS (request_fields); i++)
      names[count++] = request_fields[i].name;
    return key_fail (self, "'columns'", key, names);
  }
  if (column->request == NULL)
    column->per = fields[column->field].per;
  gboolean is_read = lk_yaml_cursor_kind (self->cursor) == LK_YAML_MAPPING
                         ? mapping_read (self, key, column_key_read, column)
                         : text_read (self, key, &column->column);
  return is_read && column_settle (self, place, column);
}

/* ---------------------------------------------------------------- the page */

static gboolean
rule_read (Page *self, const char *key, gpointer data G_GNUC_UNUSED)
{
  static const char *const names[] = { "gpus_per_node_max", "nodes", "cpus_per_gpu",
                                       "shares_per_gpu",    "procs", "run_from_submit",
                                       "run_to_limit",      NULL };
  static const char *const procs_names[] = { "cpus", "gpus", "nodes", NULL };
  LkCsvRules *rules = &self->map->rules;
  guint32 *const counts[] = { &rules->gpus_per_node_max, &rules->nodes, &rules->cpus_per_gpu,
                              &rules->shares_per_gpu };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (strcmp (key, names[i]) == 0)
      return count_read (self, key, counts[i]);
  if (strcmp (key, "run_from_submit") == 0)
    return boolean_read (self, key, &rules->run_from_submit);
  if (strcmp (key, "run_to_limit") == 0)
    return boolean_read (self, key, &rules->run_to_limit);
  if (strcmp (key, "procs") != 0)
    return key_fail (self, "'rules'", key, names);
  guint index = 0;
  if (!word_read (self, key, procs_names, &index))
    return FALSE;
  rules->procs = (LkCsvProcs)index;
  return TRUE;
}

static gboolean
separator_read (Page *self, const char *key)
{
  if (!lk_yaml_cursor_expect_value (self->cursor, key, self->error))
    return FALSE;
  const char *text = lk_yaml_cursor_text (self->cursor);
  if (strlen (text) != 1 || *text == '"' || *text == '\n' || *text == '\r')
    return value_fail (self, key, "one character, such as \",\", \";\" or \"\\t\"");
  self->map->separator = *text;
  return TRUE;
}

static gboolean
has_moment (const LkCsvMap *map)
{
  for (guint i = 0; i < map->columns->len; i++) {
    const LkCsvColumn *column = g_ptr_array_index (map->columns, i);
    if (column->request == NULL
        && (column->field == LK_CSV_FIELD_SUBMIT || column->field == LK_CSV_FIELD_START))
      return TRUE;
  }
  return FALSE;
}

static gboolean
columns_read (Page *self)
{
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  if (!mapping_read (self, "columns", field_read, NULL))
    return FALSE;
  return has_moment (self->map)
         || lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                    "'columns' has neither submit nor start; expected one");
}

static gboolean
page_key_read (Page *self, const char *key, gpointer data G_GNUC_UNUSED)
{
  static const char *const names[] = { "about",   "separator", "names", "request_prefix",
                                       "columns", "rules",     NULL };
  LkCsvMap *map = self->map;
  if (strcmp (key, "about") == 0)
    return text_read (self, key, &map->about);
  if (strcmp (key, "separator") == 0)
    return separator_read (self, key);
  if (strcmp (key, "request_prefix") == 0)
    return text_read (self, key, &map->request_prefix);
  if (strcmp (key, "columns") == 0)
    return columns_read (self);
  if (strcmp (key, "rules") == 0)
    return mapping_read (self, key, rule_read, NULL);
  if (strcmp (key, "names") != 0)
    return key_fail (self, "a column map", key, names);
  self->names_place = lk_yaml_cursor_place (self->cursor);
  map->names = list_read (self, key);
  return map->names != NULL;
}

/* Tables without names in their first row have all their columns in `names`. */
static gboolean
names_check (Page *self)
{
  const LkCsvColumn *missing;
  const LkCsvMap *map = self->map;
  if (map->names == NULL || lk_csv_map_fits (map, map->names, &missing))
    return TRUE;
  return lk_yaml_cursor_fail_at (self->cursor, self->names_place, self->error,
                                 "'%s' is column '%s', which is not in 'names'; expected it there",
                                 lk_csv_column_name (missing), missing->column);
}

static gboolean
page_read (Page *self)
{
  if (!lk_yaml_cursor_open (self->cursor, self->error)
      || !mapping_read (self, "column map", page_key_read, NULL)
      || !lk_yaml_cursor_close (self->cursor, self->error))
    return FALSE;
  if (self->map->columns->len == 0) {
    g_set_error (self->error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "%s: no 'columns'; expected them", self->map->name);
    return FALSE;
  }
  return names_check (self);
}

LkCsvMap *
lk_csv_map_new (const char *name, const guint8 *bytes, gsize length_bytes, GError **error)
{
  g_autoptr (LkCsvMap) map = g_new0 (LkCsvMap, 1);
  map->name = g_strdup (name);
  map->separator = ',';
  map->columns = g_ptr_array_new_with_free_func (column_free);
  map->rules.shares_per_gpu = SHARES_PER_GPU;
  if (length_bytes > LK_CSV_MAP_MAX_BYTES) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "%s: %" G_GSIZE_FORMAT " bytes; expected a column map of at most 1048576", name,
                 length_bytes);
    return NULL;
  }
  g_autoptr (LkYamlCursor) cursor =
      lk_yaml_cursor_new (map->name, bytes, length_bytes, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  Page page = { .map = map, .cursor = cursor, .error = error };
  return page_read (&page) ? g_steal_pointer (&map) : NULL;
}

/* ---------------------------------------------------------------- finding one */

const char **
lk_csv_map_names (void)
{
  const char **names = g_new0 (const char *, lk_csv_page_count + 1);
  for (guint i = 0; i < lk_csv_page_count; i++)
    names[i] = lk_csv_pages[i].name;
  return names;
}

static LkCsvMap *
open_fail (const char *path, const char *why, GError **error)
{
  g_autofree const char **names = lk_csv_map_names ();
  g_autofree char *phrase = lk_suggest_phrase (path, names);
  gboolean is_path = strchr (path, '/') != NULL || strchr (path, '.') != NULL;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "column map '%s': %s%s", path, why,
               is_path ? "" : phrase);
  return NULL;
}

static LkCsvMap *
file_load (const char *path, GError **error)
{
  struct stat about;
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return open_fail (path, g_strerror (errno), error);
  if (fstat (fileno (file), &about) == 0 && S_ISDIR (about.st_mode)) {
    fclose (file);
    return open_fail (path, "is a directory; expected a page of YAML", error);
  }
  g_autofree guint8 *bytes = g_malloc (LK_CSV_MAP_MAX_BYTES + 1);
  gsize length_bytes = fread (bytes, 1, LK_CSV_MAP_MAX_BYTES + 1, file);
  gboolean is_bad = ferror (file) != 0;
  fclose (file);
  if (is_bad)
    return open_fail (path, "cannot be read", error);
  return lk_csv_map_new (path, bytes, length_bytes, error);
}

LkCsvMap *
lk_csv_map_load (const char *name_or_path, GError **error)
{
  for (guint i = 0; i < lk_csv_page_count; i++)
    if (strcmp (lk_csv_pages[i].name, name_or_path) == 0)
      return lk_csv_map_new (name_or_path, (const guint8 *)lk_csv_pages[i].page,
                             lk_csv_pages[i].length_bytes, error);
  return file_load (name_or_path, error);
}

gboolean
lk_csv_map_fits (const LkCsvMap *self, const GPtrArray *names, const LkCsvColumn **out_missing)
{
  for (guint i = 0; i < self->columns->len; i++) {
    const LkCsvColumn *column = g_ptr_array_index (self->columns, i);
    if (column->is_optional
        || g_ptr_array_find_with_equal_func ((GPtrArray *)names, column->column, g_str_equal, NULL))
      continue;
    if (out_missing != NULL)
      *out_missing = column;
    return FALSE;
  }
  return TRUE;
}
