/* traces/reader_csv.c — tables of jobs by a column map: philly, openb, alibaba-2020, helios, muri,
 * Lockstep's own, or a page of YAML (traces/csv_map.h).
 *
 * Without a map given, the names in the first row tell: they must hold all columns of one built-in
 * map and of no other.
 *
 * - Columns that the map does not name are passed over, and may be anything.
 * - A row has as many cells as the first one; with `lenient` it may have fewer, which are then not
 *   known, or more.
 * - The number of a job without one is its place in the table; so it is where `number` is not
 * whole.
 * - A state that the map does not know is an error; with `lenient` it is not known.
 * - A job whose submission is not known is handed out all the same: cleaning counts and drops it.
 * */
#include <string.h>

#include "engine/suggest.h"
#include "traces/csv_job.h"
#include "traces/csv_lines.h"
#include "traces/decimal.h"
#include "traces/reader_map.h"

#define SHOWN_MAX_BYTES 60
/* Room for a count. */
#define TRES_ROOM_BYTES 24u
#define NOWHERE G_MAXUINT

typedef struct {
  LkReaderBase *base;
  LkCsvMap *map;
  LkCsvLines *lines;
  GPtrArray *names;     /* of the columns of the table */
  GArray *places;       /* guint for each column of the map: where it is, or NOWHERE */
  GArray *requested;    /* of Requested */
  gboolean has_pending; /* the first row is a job and has not been handed out */
  gint64 place;         /* of the job in the table, from 1 */
} Csv;

/* A column that goes into the request as it is. */
typedef struct {
  guint place;
  const LkCsvRequestField *field;
  const LkCsvColumn *column; /* of the map; NULL: told by the prefix of its name */
} Requested;

static const char *const own_keys[] = { "gpus_per_node_max", "shares_per_gpu", "run_from_submit",
                                        "run_to_limit", NULL };

/* ---------------------------------------------------------------- the first row */

static GPtrArray *
row_names (const LkCsvLines *lines)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < lk_csv_lines_cell_count (lines); i++) {
    LkSpan cell = lk_span_strip (lk_csv_lines_cell (lines, i));
    g_ptr_array_add (names, g_utf8_make_valid (cell.bytes, (gssize)cell.length_bytes));
  }
  return names;
}

/* The one built-in map whose columns are all among the names. */
static LkCsvMap *
map_detect (const GPtrArray *names, guint *out_count)
{
  g_autofree const char **all = lk_csv_map_names ();
  LkCsvMap *found = NULL;
  *out_count = 0;
  for (guint i = 0; all[i] != NULL; i++) {
    g_autoptr (LkCsvMap) map = lk_csv_map_load (all[i], NULL);
    if (map == NULL || map->separator != ',' || !lk_csv_map_fits (map, names, NULL))
      continue;
    (*out_count)++;
    lk_csv_map_free (found);
    found = g_steal_pointer (&map);
  }
  return found;
}

/* Looks like a row of names: several words, none of which is a number. */
static gboolean
is_header (const char *line, gsize line_bytes, char separator)
{
  g_autoptr (LkInput) input =
      lk_input_new_from_bytes ("head", (const guint8 *)line, line_bytes, NULL);
  if (input == NULL)
    return FALSE;
  g_autoptr (LkCsvLines) lines = lk_csv_lines_new (input, separator);
  if (lk_csv_lines_next (lines, NULL) != 1)
    return FALSE;
  g_autoptr (GPtrArray) names = row_names (lines);
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    if (!g_ascii_isalpha (*name) && *name != '_' && *name != '\0')
      return FALSE;
  }
  return names->len >= 3;
}

static gboolean
csv_is_mine (const char *head, gsize length_bytes)
{
  static const char separators[] = { ',', ';', '\t' };
  const char *newline = memchr (head, '\n', length_bytes);
  gsize line_bytes = newline != NULL ? (gsize)(newline - head) : length_bytes;
  /* A semicolon begins a comment of SWF. */
  if (line_bytes == 0 || *head == ';' || memchr (head, '\0', line_bytes) != NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (separators); i++)
    if (is_header (head, line_bytes, separators[i]))
      return TRUE;
  return FALSE;
}

static gboolean
open_fail (LkReaderBase *base, GError **error, const char *what)
{
  g_autofree const char **names = lk_csv_map_names ();
  g_autofree char *list = g_strjoinv (", ", (char **)names);
  base->line_number = lk_input_line_number (base->input);
  lk_reader_fail (base, error,
                  "%s; expected the columns of one of %s, or a page that says what they are "
                  "(--csv-map FILE)",
                  what, list);
  return FALSE;
}

static gboolean
missing_fail (const Csv *self, const LkCsvColumn *missing, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < self->names->len; i++)
    g_ptr_array_add (names, g_ptr_array_index (self->names, i));
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (missing->column, (const char *const *)names->pdata);
  lk_reader_fail (self->base, error, "no column '%s', which is '%s' in the column map %s%s",
                  missing->column, lk_csv_column_name (missing), self->map->name, phrase);
  return FALSE;
}

/* Reads the first row and settles what the columns are called. */
static gboolean
names_settle (Csv *self, GError **error)
{
  LkReaderBase *base = self->base;
  const LkCsvColumn *missing;
  int got = lk_csv_lines_next (self->lines, error);
  if (got < 0)
    return FALSE;
  if (got == 0)
    return open_fail (base, error, "no row");
  base->line_number = lk_csv_lines_line_number (self->lines);
  self->names = row_names (self->lines);
  if (self->map == NULL) {
    guint count;
    self->map = map_detect (self->names, &count);
    if (count != 1)
      return open_fail (base, error,
                        count == 0 ? "the columns fit no built-in map"
                                   : "the columns fit several built-in maps");
  }
  if (lk_csv_map_fits (self->map, self->names, &missing))
    return TRUE;
  if (self->map->names == NULL)
    return missing_fail (self, missing, error);
  g_ptr_array_unref (self->names);
  self->names = g_ptr_array_ref (self->map->names);
  self->has_pending = TRUE;
  return TRUE;
}

static void
places_settle (Csv *self)
{
  const char *prefix = self->map->request_prefix;
  for (guint i = 0; i < self->map->columns->len; i++) {
    const LkCsvColumn *column = g_ptr_array_index (self->map->columns, i);
    guint place = NOWHERE;
    if (!g_ptr_array_find_with_equal_func (self->names, column->column, g_str_equal, &place))
      place = NOWHERE;
    if (column->request != NULL && place != NOWHERE) {
      Requested requested = { place, column->request, column };
      g_array_append_val (self->requested, requested);
      place = NOWHERE;
    }
    g_array_append_val (self->places, place);
  }
  for (guint i = 0; prefix != NULL && i < self->names->len; i++) {
    const char *name = g_ptr_array_index (self->names, i);
    if (!g_str_has_prefix (name, prefix))
      continue;
    name += strlen (prefix);
    Requested requested = { i, lk_csv_request_field (name, strlen (name)), NULL };
    if (requested.field != NULL)
      g_array_append_val (self->requested, requested);
  }
}

/* ---------------------------------------------------------------- rules given as overrides */

static gboolean
rule_override (const LkReaderBase *base, const char *key, guint32 *rule, GError **error)
{
  const char *value = lk_reader_map_value (base, key);
  gint64 number;
  if (value == NULL)
    return TRUE;
  if (!g_ascii_string_to_signed (value, 10, 1, G_MAXINT32, &number, NULL)) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s': mapping '%s=%s': expected a whole number of at least 1",
                 lk_input_name (base->input), key, value);
    return FALSE;
  }
  *rule = (guint32)number;
  return TRUE;
}

static gboolean
switch_override (const LkReaderBase *base, const char *key, gboolean *rule, GError **error)
{
  static const char *const names[] = { "false", "true", NULL };
  guint choice;
  if (lk_reader_map_value (base, key) == NULL)
    return TRUE;
  if (!lk_reader_map_choice (base, key, names, &choice, error))
    return FALSE;
  *rule = choice == 1;
  return TRUE;
}

static gboolean
rules_override (Csv *self, GError **error)
{
  const LkReaderBase *base = self->base;
  LkCsvRules *rules = &self->map->rules;
  return rule_override (base, "gpus_per_node_max", &rules->gpus_per_node_max, error)
         && rule_override (base, "shares_per_gpu", &rules->shares_per_gpu, error)
         && switch_override (base, "run_from_submit", &rules->run_from_submit, error)
         && switch_override (base, "run_to_limit", &rules->run_to_limit, error);
}

/* ---------------------------------------------------------------- cells */

static gboolean
cell_fail (const Csv *self, const LkCsvColumn *column, LkSpan cell, const char *expected,
           GError **error)
{
  lk_reader_fail (self->base, error, "column '%s' (%s) is '%.*s'; expected %s", column->column,
                  lk_csv_column_name (column), (int)MIN (cell.length_bytes, SHOWN_MAX_BYTES),
                  cell.bytes, expected);
  return FALSE;
}

static gboolean
is_unknown (const LkCsvColumn *column, LkSpan cell)
{
  static const char *const words[] = { "NA", "N/A", "NaN", "nan", "None", "null", "NULL", NULL };
  if (cell.length_bytes == 0)
    return TRUE;
  for (guint i = 0; words[i] != NULL; i++)
    if (lk_span_is (cell, words[i]))
      return TRUE;
  for (guint i = 0; column->unknown != NULL && i < column->unknown->len; i++)
    if (lk_span_is (cell, g_ptr_array_index (column->unknown, i)))
      return TRUE;
  return FALSE;
}

/* The cell at a place of the row, stripped; empty where the row is too short. */
static LkSpan
cell_at (const Csv *self, guint place)
{
  if (place >= lk_csv_lines_cell_count (self->lines))
    return (LkSpan){ "", 0 };
  return lk_span_strip (lk_csv_lines_cell (self->lines, place));
}

static gboolean
state_take (const Csv *self, const LkCsvColumn *column, LkSpan cell, LkTraceRecord *record,
            GError **error)
{
  gboolean is_resizing;
  const GArray *states = column->states;
  if (states == NULL && lk_sacct_state (cell, &record->state, &is_resizing)
      && (record->state != LK_RECORD_UNKNOWN || is_resizing))
    return TRUE;
  for (guint i = 0; states != NULL && i < states->len; i++)
    if (lk_span_is (cell, g_array_index (states, LkCsvState, i).text)) {
      record->state = g_array_index (states, LkCsvState, i).state;
      return TRUE;
    }
  record->state = LK_RECORD_UNKNOWN;
  return self->base->options.lenient
         || cell_fail (self, column, cell,
                       states == NULL ? "one of Slurm's states, such as COMPLETED"
                                      : "one of the values in the column map",
                       error);
}

static gboolean
text_take (Csv *self, const LkCsvColumn *column, LkSpan cell, LkCsvJob *job, LkTraceRecord *record,
           GError **error)
{
  const char **const texts[LK_CSV_FIELD_COUNT] = {
    [LK_CSV_FIELD_NAME] = &record->name,         [LK_CSV_FIELD_GPU_TYPE] = &job->gpu_type,
    [LK_CSV_FIELD_USER] = &record->user,         [LK_CSV_FIELD_GROUP] = &record->group,
    [LK_CSV_FIELD_JOB_NAME] = &record->job_name, [LK_CSV_FIELD_NODE_LIST] = &record->node_list,
  };
  if (column->field == LK_CSV_FIELD_STATE)
    return state_take (self, column, cell, record, error);
  const char *text = lk_reader_text (self->base, cell.bytes, cell.length_bytes);
  if (column->field == LK_CSV_FIELD_GPU_TYPE && text != NULL && strpbrk (text, ":,=()[]*&| "))
    return cell_fail (self, column, cell, "one type of GPU", error);
  *texts[column->field] = text;
  return TRUE;
}

/* NULL when the value is one that the field can have, else what was expected. */
static const char *
range_check (LkCsvField field, LkCsvKind kind, gint64 value)
{
  gboolean is_whole = value % 1000 == 0;
  switch (field) {
  case LK_CSV_FIELD_NUMBER:
    return NULL;
  case LK_CSV_FIELD_EXIT_CODE:
  case LK_CSV_FIELD_EXIT_SIGNAL:
    return is_whole && value >= 0 && value <= G_MAXUINT8 * G_GINT64_CONSTANT (1000)
               ? NULL
               : "a whole number from 0 to 255";
  case LK_CSV_FIELD_ATTEMPTS:
  case LK_CSV_FIELD_USER_ID:
  case LK_CSV_FIELD_GROUP_ID:
  case LK_CSV_FIELD_PARTITION_ID:
    return is_whole && value >= 0 && value <= G_MAXUINT32 * G_GINT64_CONSTANT (1000)
               ? NULL
               : "a whole number from 0 to 4294967295";
  case LK_CSV_FIELD_LIMIT:
    if (value == LK_TIME_NEVER)
      return NULL;
    break;
  default:
    break;
  }
  if (kind == LK_CSV_COUNT)
    return value >= 0 && value <= LK_CSV_COUNT_MAX ? NULL : "a number from 0 to 2147483647";
  if (kind == LK_CSV_SIZE)
    return value >= 0 ? NULL : "a size of at least 0";
  return value >= 0 && value <= LK_CSV_TIME_MAX_US ? NULL
                                                   : "a time from 0 to 1000000000000 seconds";
}

static gint64
digits_value (LkSpan text)
{
  gint64 value = 0;
  for (gsize i = 0; i < text.length_bytes && g_ascii_isdigit (text.bytes[i]); i++)
    value = MIN (value * 10 + (text.bytes[i] - '0'), LK_CSV_COUNT_MAX);
  return value;
}

/* Adds the count of one item, "gres/gpu:a100=2", when it is of the resource `name`: all of it, or
 * of one of its types. FALSE: it is no item. */
static gboolean
tres_item_take (LkSpan item, const char *name, LkSpan *out_whole, gint64 *types_sum)
{
  gsize name_bytes = strlen (name);
  const char *sign = memchr (item.bytes, '=', item.length_bytes);
  if (sign == NULL)
    return FALSE;
  gsize key_bytes = (gsize)(sign - item.bytes);
  LkSpan value = { sign + 1, item.length_bytes - key_bytes - 1 };
  if (key_bytes < name_bytes || memcmp (item.bytes, name, name_bytes) != 0)
    return TRUE;
  if (key_bytes == name_bytes)
    *out_whole = value;
  else if (item.bytes[name_bytes] == ':')
    *types_sum = MIN (*types_sum + digits_value (value), LK_CSV_COUNT_MAX);
  return TRUE;
}

/* What a list of TRES has of one resource, as the cell of a column of it alone; of types without
 * their sum, that is written to `room`; `bytes` NULL where it is not listed. FALSE: it is no such
 * list. */
static gboolean
tres_cell (const char *name, LkSpan list, char room[TRES_ROOM_BYTES], LkSpan *out_cell)
{
  LkSpan whole = { NULL, 0 };
  gint64 types_sum = 0;
  LkSpan item;
  while (lk_span_part (&list, ',', &item))
    if (!tres_item_take (lk_span_strip (item), name, &whole, &types_sum))
      return FALSE;
  if (whole.bytes == NULL && types_sum > 0)
    whole =
        (LkSpan){ room, (gsize)g_snprintf (room, TRES_ROOM_BYTES, "%" G_GINT64_FORMAT, types_sum) };
  *out_cell = whole;
  return TRUE;
}

static gboolean
cell_take (Csv *self, const LkCsvColumn *column, LkSpan cell, LkCsvJob *job, LkTraceRecord *record,
           GError **error)
{
  gint64 value;
  char room[TRES_ROOM_BYTES];
  LkSpan number = cell;
  LkCsvField field = column->field;
  if (is_unknown (column, cell))
    return TRUE;
  if (column->unit == NULL)
    return text_take (self, column, cell, job, record, error);
  if (column->tres != NULL && !tres_cell (column->tres, cell, room, &number))
    return cell_fail (self, column, cell, "a list of TRES, such as 1=4,1001=2 or cpu=4,gres/gpu=2",
                      error);
  if (number.bytes == NULL)
    return TRUE;
  if (!lk_csv_value_parse (column->unit, column->form, number, &value)) {
    if (field == LK_CSV_FIELD_NUMBER)
      return TRUE;
    return cell_fail (self, column, cell,
                      lk_csv_unit_is_date (column->unit) ? "a date of the form in the column map"
                                                         : "a number",
                      error);
  }
  const char *expected = range_check (field, lk_csv_field_kind (field), value);
  if (expected != NULL)
    return cell_fail (self, column, cell, expected, error);
  job->values[field] = value;
  job->present |= 1u << field;
  return TRUE;
}

/* ---------------------------------------------------------------- fields of the request */

/* Words of LK_REQUEST_FLAGS joined by "+". */
static gboolean
flags_parse (LkSpan rest, guint32 *out_flags)
{
#define X(NAME, bit, text) text,
  static const char *const names[] = { LK_REQUEST_FLAGS (X) };
#undef X
  LkSpan word;
  *out_flags = 0;
  while (lk_span_part (&rest, '+', &word)) {
    guint bit = 0;
    while (bit < G_N_ELEMENTS (names) && !lk_span_is (word, names[bit]))
      bit++;
    if (bit == G_N_ELEMENTS (names))
      return FALSE;
    *out_flags |= 1u << bit;
  }
  return TRUE;
}

static guint32
present_bit (const LkCsvRequestField *field)
{
  switch (field->offset) {
  case G_STRUCT_OFFSET (LkJobRequest, memory_per_node_bytes):
    return LK_REQUEST_HAS_MEMORY_PER_NODE;
  case G_STRUCT_OFFSET (LkJobRequest, memory_per_cpu_bytes):
    return LK_REQUEST_HAS_MEMORY_PER_CPU;
  case G_STRUCT_OFFSET (LkJobRequest, memory_per_gpu_bytes):
    return LK_REQUEST_HAS_MEMORY_PER_GPU;
  default:
    return 0;
  }
}

/* A whole number, maybe with decimals of 0. */
static gboolean
whole_parse (LkSpan cell, gint64 maximum, gint64 *out_number)
{
  gint64 thousandths;
  if (!lk_sacct_number (cell, out_number)) {
    if (!lk_decimal_parse (cell.bytes, cell.length_bytes, 1000, 1, LK_ROUND_UP, &thousandths)
        || thousandths % 1000 != 0)
      return FALSE;
    *out_number = thousandths / 1000;
  }
  return *out_number >= 0 && *out_number <= maximum;
}

/* Reads the cell into its member. */
static gboolean
member_take (Csv *self, const LkCsvRequestField *field, LkSpan cell, LkJobRequest *request)
{
  gpointer member = (char *)request + field->offset;
  gint64 number;
  if (field->type == LK_CSV_REQUEST_text) {
    *(LkText *)member = lk_text (lk_reader_text (self->base, cell.bytes, cell.length_bytes));
    return TRUE;
  }
  if (field->offset == G_STRUCT_OFFSET (LkJobRequest, flags))
    return flags_parse (cell, &request->flags);
  if (!whole_parse (cell, field->type == LK_CSV_REQUEST_u32 ? G_MAXINT32 : G_MAXINT64, &number))
    return FALSE;
  if (field->type == LK_CSV_REQUEST_u32)
    *(guint32 *)member = (guint32)number;
  else
    *(gint64 *)member = number;
  return TRUE;
}

static gboolean
request_take (Csv *self, const Requested *requested, LkJobRequest *request, GError **error)
{
  const LkCsvRequestField *field = requested->field;
  LkSpan cell = cell_at (self, requested->place);
  if (cell.length_bytes == 0 || (requested->column != NULL && is_unknown (requested->column, cell)))
    return TRUE;
  if (!member_take (self, field, cell, request)) {
    lk_reader_fail (self->base, error, "column '%s' (%s) is '%.*s'; expected %s",
                    (const char *)g_ptr_array_index (self->names, requested->place), field->name,
                    (int)MIN (cell.length_bytes, SHOWN_MAX_BYTES), cell.bytes,
                    field->offset == G_STRUCT_OFFSET (LkJobRequest, flags)
                        ? "options such as exclusive, joined by +"
                        : "a whole number of at least 0");
    return FALSE;
  }
  request->present |= present_bit (field);
  return TRUE;
}

/* ---------------------------------------------------------------- rows */

static void
names_fill (Csv *self, const LkCsvJob *job, LkTraceRecord *record)
{
  static const struct {
    LkCsvField field;
    gsize offset;
  } ids[] = {
    { LK_CSV_FIELD_USER_ID, G_STRUCT_OFFSET (LkTraceRecord, user_id) },
    { LK_CSV_FIELD_GROUP_ID, G_STRUCT_OFFSET (LkTraceRecord, group_id) },
    { LK_CSV_FIELD_PARTITION_ID, G_STRUCT_OFFSET (LkTraceRecord, partition_id) },
  };
  LkReaderBase *base = self->base;
  const LkText partition = record->request.partition;
  self->place++;
  record->number = self->place;
  if ((job->present & (1u << LK_CSV_FIELD_NUMBER)) != 0
      && job->values[LK_CSV_FIELD_NUMBER] % 1000 == 0 && job->values[LK_CSV_FIELD_NUMBER] >= 0)
    record->number = job->values[LK_CSV_FIELD_NUMBER] / 1000;
  record->user_id = lk_reader_number (base, LK_NAMES_USER, record->user);
  record->group_id = lk_reader_number (base, LK_NAMES_GROUP, record->group);
  record->partition_id = lk_reader_number (
      base, LK_NAMES_PARTITION, lk_reader_text (base, partition.bytes, partition.length_bytes));
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if ((job->present & (1u << ids[i].field)) != 0)
      *(guint32 *)(void *)((char *)record + ids[i].offset) =
          (guint32)(job->values[ids[i].field] / 1000);
  if (record->group != NULL && record->request.group.length_bytes == 0)
    record->request.group = lk_text (record->group);
}

static gboolean
cells_take (Csv *self, LkCsvJob *job, LkTraceRecord *record, GError **error)
{
  for (guint i = 0; i < self->places->len; i++) {
    const LkCsvColumn *column = g_ptr_array_index (self->map->columns, i);
    guint place = g_array_index (self->places, guint, i);
    if (column->request == NULL)
      job->per[column->field] = column->per;
    if (place != NOWHERE && !cell_take (self, column, cell_at (self, place), job, record, error))
      return FALSE;
  }
  for (guint i = 0; i < self->requested->len; i++)
    if (!request_take (self, &g_array_index (self->requested, Requested, i), &record->request,
                       error))
      return FALSE;
  return TRUE;
}

static int
row_read (Csv *self, LkTraceRecord *record, GError **error)
{
  LkReaderBase *base = self->base;
  LkCsvJob job = { .present = 0 };
  guint cell_count = lk_csv_lines_cell_count (self->lines);
  if (cell_count != self->names->len && !base->options.lenient)
    return lk_reader_fail (base, error,
                           "%u cell%s; expected %u, one for each column (--lenient takes rows that "
                           "are shorter or longer)",
                           cell_count, cell_count == 1 ? "" : "s", self->names->len);
  if (!cells_take (self, &job, record, error))
    return -1;
  const char *wrong = lk_csv_job_fill (&job, &self->map->rules, base->texts, record);
  if (wrong != NULL)
    return lk_reader_fail (base, error, "%s", wrong);
  if ((job.present & (1u << LK_CSV_FIELD_ATTEMPTS)) != 0)
    record->attempts = (guint)(job.values[LK_CSV_FIELD_ATTEMPTS] / 1000);
  if ((job.present & (1u << LK_CSV_FIELD_EXIT_CODE)) != 0)
    record->exit_code = (guint8)(job.values[LK_CSV_FIELD_EXIT_CODE] / 1000);
  if ((job.present & (1u << LK_CSV_FIELD_EXIT_SIGNAL)) != 0)
    record->exit_signal = (guint8)(job.values[LK_CSV_FIELD_EXIT_SIGNAL] / 1000);
  names_fill (self, &job, record);
  return 1;
}

/* ---------------------------------------------------------------- the format */

static void
csv_close (gpointer data)
{
  Csv *self = data;
  lk_csv_map_free (self->map);
  lk_csv_lines_free (self->lines);
  if (self->names != NULL)
    g_ptr_array_unref (self->names);
  g_array_unref (self->places);
  g_array_unref (self->requested);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Csv, csv_close)

static gboolean
has_dates (const LkCsvMap *map)
{
  for (guint i = 0; i < map->columns->len; i++) {
    const LkCsvColumn *column = g_ptr_array_index (map->columns, i);
    if (column->unit != NULL && lk_csv_unit_is_date (column->unit))
      return TRUE;
  }
  return FALSE;
}

static gpointer
csv_open (LkReaderBase *base, GError **error)
{
  g_autoptr (Csv) self = g_new0 (Csv, 1);
  self->base = base;
  self->places = g_array_new (FALSE, FALSE, sizeof (guint));
  self->requested = g_array_new (FALSE, FALSE, sizeof (Requested));
  if (base->options.csv_map != NULL) {
    self->map = lk_csv_map_load (base->options.csv_map, error);
    if (self->map == NULL)
      return NULL;
  }
  self->lines = lk_csv_lines_new (base->input, self->map != NULL ? self->map->separator : ',');
  if (!names_settle (self, error) || !rules_override (self, error))
    return NULL;
  places_settle (self);
  base->has_dates = has_dates (self->map);
  return g_steal_pointer (&self);
}

static int
csv_next (gpointer data, LkTraceRecord *out_record, GError **error)
{
  Csv *self = data;
  if (!self->has_pending) {
    int got = lk_csv_lines_next (self->lines, error);
    if (got <= 0)
      return got;
  }
  self->has_pending = FALSE;
  self->base->line_number = lk_csv_lines_line_number (self->lines);
  return row_read (self, out_record, error);
}

const LkReaderOps lk_reader_csv = {
  .format = LK_FORMAT_CSV,
  .is_mine = csv_is_mine,
  .map_keys = own_keys,
  .open = csv_open,
  .next = csv_next,
  .close = csv_close,
};
