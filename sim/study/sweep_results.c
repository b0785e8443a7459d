/* sim/study/sweep_results.c — see sweep_results.h. */
#include "sim/study/sweep_results.h"

#include <math.h>
#include <string.h>

#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/study/store_private.h"

#define AXES_MAX 64u
#define SEPARATOR "\x1f"

const LkSweepMetricInfo lk_sweep_metrics[LK_SWEEP_METRIC_COUNT] = {
#define X(NAME, column, text, is_time, factor, is_more_better)                                     \
  { column, text, is_time, factor, is_more_better },
  LK_SWEEP_METRICS (X)
#undef X
};

/* One result of a point. */
typedef struct {
  guint point;
  guint repetition;
  double values[LK_SWEEP_METRIC_COUNT];
} Sample;

/* Texts, numbered from 0 in the order in which they came. */
typedef struct {
  GPtrArray *texts;
  GHashTable *index; /* text to number + 1; only looked up */
} Names;

/* While a file is read. */
typedef struct {
  LkSweepResults *results;
  Names axes[AXES_MAX]; /* values of each column that may be an axis */
  int columns[AXES_MAX];
  guint axis_count;
  int metrics[LK_SWEEP_METRIC_COUNT];
  int window;
  int seed;
  Names points;
  Names repetitions;
  GArray *samples; /* of Sample */
  GArray *places;  /* of guint: axis_count for each point */
} Loading;

/* ---------------------------------------------------------------- names */

static void
names_init (Names *self)
{
  self->texts = g_ptr_array_new_with_free_func (g_free);
  self->index = g_hash_table_new (g_str_hash, g_str_equal);
}

static void
names_clear (Names *self)
{
  g_clear_pointer (&self->index, g_hash_table_unref);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
}

static guint
names_add (Names *self, const char *text)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (self->index, text));
  if (found != 0)
    return found - 1;
  char *own = g_strdup (text);
  g_ptr_array_add (self->texts, own);
  g_hash_table_insert (self->index, own, GUINT_TO_POINTER (self->texts->len));
  return self->texts->len - 1;
}

/* ---------------------------------------------------------------- freeing */

static void
axis_free (gpointer data)
{
  LkSweepAxis *self = data;
  g_free (self->name);
  g_ptr_array_unref (self->values);
  g_free (self);
}

static void
point_free (gpointer data)
{
  LkSweepPoint *self = data;
  g_free (self->places);
  g_free (self);
}

void
lk_sweep_results_free (LkSweepResults *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_ptr_array_unref (self->axes);
  g_ptr_array_unref (self->points);
  g_free (self);
}

/* ---------------------------------------------------------------- reading */

/* A column that may be an axis; the name of a parameter holds a dot. */
static gboolean
may_be_axis (const char *name)
{
  return strcmp (name, "log") == 0 || strcmp (name, "policy") == 0 || strcmp (name, "load") == 0
         || strchr (name, '.') != NULL;
}

static gboolean
find_columns (Loading *self, sqlite3_stmt *rows, GError **error)
{
  for (int i = 0; i < sqlite3_column_count (rows); i++) {
    const char *name = sqlite3_column_name (rows, i);
    if (may_be_axis (name) && self->axis_count == AXES_MAX) {
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                   "'%s' varies more than %u settings; expected at most so many",
                   self->results->path, AXES_MAX);
      return FALSE;
    }
    if (may_be_axis (name)) {
      names_init (&self->axes[self->axis_count]);
      self->columns[self->axis_count++] = i;
    }
    if (strcmp (name, "log_window") == 0)
      self->window = i;
    if (strcmp (name, "seed") == 0)
      self->seed = i;
    for (guint k = 0; k < LK_SWEEP_METRIC_COUNT; k++)
      if (strcmp (name, lk_sweep_metrics[k].column) == 0)
        self->metrics[k] = i;
  }
  return TRUE;
}

/* "" for NULL; a real with as few digits as read back. */
static void
append_value (GString *out, sqlite3_stmt *row, int column)
{
  char real[LK_REAL_TEXT_BYTES];
  if (sqlite3_column_type (row, column) == SQLITE_FLOAT) {
    lk_real_text (sqlite3_column_double (row, column), real);
    if (g_str_has_suffix (real, ".0"))
      real[strlen (real) - 2] = '\0';
    g_string_append (out, real);
  } else if (sqlite3_column_type (row, column) != SQLITE_NULL) {
    g_string_append (out, (const char *)sqlite3_column_text (row, column));
  }
}

static void
read_row (Loading *self, sqlite3_stmt *row)
{
  Sample sample = { .point = 0 };
  guint places[AXES_MAX];
  g_autoptr (GString) key = g_string_new (NULL);
  g_autoptr (GString) value = g_string_new (NULL);
  for (guint i = 0; i < self->axis_count; i++) {
    g_string_truncate (value, 0);
    append_value (value, row, self->columns[i]);
    places[i] = value->len == 0 ? LK_SWEEP_NONE : names_add (&self->axes[i], value->str);
    g_string_append_printf (key, "%s" SEPARATOR, value->str);
  }
  guint point_count = self->points.texts->len;
  sample.point = names_add (&self->points, key->str);
  if (sample.point == point_count)
    g_array_append_vals (self->places, places, self->axis_count);
  g_string_truncate (value, 0);
  append_value (value, row, self->window);
  g_string_append (value, SEPARATOR);
  append_value (value, row, self->seed);
  sample.repetition = names_add (&self->repetitions, value->str);
  for (guint k = 0; k < LK_SWEEP_METRIC_COUNT; k++)
    sample.values[k] =
        sqlite3_column_type (row, self->metrics[k]) == SQLITE_NULL
            ? NAN
            : sqlite3_column_double (row, self->metrics[k]) * lk_sweep_metrics[k].factor;
  g_array_append_val (self->samples, sample);
}

static gboolean
read_rows (Loading *self, LkStudyStore *store, GError **error)
{
  static const char sql[] = "SELECT * FROM run ORDER BY position";
  sqlite3_stmt *rows = lk_study_store_prepare (store, sql, error);
  if (rows == NULL)
    return FALSE;
  gboolean good = find_columns (self, rows, error);
  int state = SQLITE_DONE;
  while (good && (state = sqlite3_step (rows)) == SQLITE_ROW)
    read_row (self, rows);
  if (good && state != SQLITE_DONE) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "'%s': %s", self->results->path,
                 sqlite3_errmsg (store->db));
    good = FALSE;
  }
  sqlite3_finalize (rows);
  if (good && self->samples->len == 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' has no result yet; expected lockstep sweep to have ended a run",
                 self->results->path);
    good = FALSE;
  }
  return good;
}

static gboolean
read_plan_count (Loading *self, LkStudyStore *store, GError **error)
{
  sqlite3_stmt *row = lk_study_store_prepare (store, "SELECT count(*) FROM plan", error);
  if (row == NULL)
    return FALSE;
  if (sqlite3_step (row) == SQLITE_ROW)
    self->results->plan_count = (guint)sqlite3_column_int64 (row, 0);
  sqlite3_finalize (row);
  return TRUE;
}

/* ---------------------------------------------------------------- axes */

static gboolean
read_number (const char *text, double *out_number)
{
  char *end;
  *out_number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*out_number);
}

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  const char *const *x = a;
  const char *const *y = b;
  double p = g_ascii_strtod (*x, NULL);
  double q = g_ascii_strtod (*y, NULL);
  if (p < q || p > q)
    return p < q ? -1 : 1;
  return strcmp (*x, *y);
}

static LkSweepAxis *
axis_new (const char *name, const Names *values)
{
  LkSweepAxis *self = g_new0 (LkSweepAxis, 1);
  self->name = g_strdup (name);
  self->values = g_ptr_array_new_with_free_func (g_free);
  self->is_number = TRUE;
  self->is_condition = strcmp (name, "log") == 0 || strcmp (name, "load") == 0;
  for (guint i = 0; i < values->texts->len; i++) {
    double number;
    const char *text = g_ptr_array_index (values->texts, i);
    self->is_number = self->is_number && read_number (text, &number);
    g_ptr_array_add (self->values, g_strdup (text));
  }
  if (self->is_number)
    g_ptr_array_sort (self->values, compare_values);
  return self;
}

static guint
place_of (const LkSweepAxis *axis, const char *text)
{
  for (guint i = 0; i < axis->values->len; i++)
    if (strcmp (g_ptr_array_index (axis->values, i), text) == 0)
      return i;
  return LK_SWEEP_NONE;
}

/* The new place of each value of a column. Returns: (transfer full). */
static guint *
places_of (const LkSweepAxis *axis, const Names *values)
{
  guint *places = g_new (guint, MAX (1, values->texts->len));
  for (guint i = 0; i < values->texts->len; i++)
    places[i] = place_of (axis, g_ptr_array_index (values->texts, i));
  return places;
}

/* Columns with at least two values, or with one that some points lack, become axes. */
static gboolean
is_varied (const Loading *self, guint column)
{
  guint first = g_array_index (self->places, guint, column);
  for (guint i = 0; i < self->points.texts->len; i++)
    if (g_array_index (self->places, guint, i * self->axis_count + column) != first)
      return TRUE;
  return FALSE;
}

static void
make_axes (Loading *self, sqlite3_stmt *rows)
{
  LkSweepResults *results = self->results;
  guint point_count = self->points.texts->len;
  for (guint i = 0; i < point_count; i++) {
    LkSweepPoint *point = g_new0 (LkSweepPoint, 1);
    point->places = g_new (guint, self->axis_count);
    g_ptr_array_add (results->points, point);
  }
  for (guint column = 0; column < self->axis_count; column++) {
    if (!is_varied (self, column))
      continue;
    LkSweepAxis *axis =
        axis_new (sqlite3_column_name (rows, self->columns[column]), &self->axes[column]);
    g_autofree guint *places = places_of (axis, &self->axes[column]);
    for (guint i = 0; i < point_count; i++) {
      LkSweepPoint *point = g_ptr_array_index (results->points, i);
      guint place = g_array_index (self->places, guint, i * self->axis_count + column);
      point->places[results->axes->len] = place == LK_SWEEP_NONE ? place : places[place];
    }
    g_ptr_array_add (results->axes, axis);
  }
}

/* ---------------------------------------------------------------- points */

static void
make_conditions (LkSweepResults *self)
{
  Names conditions;
  names_init (&conditions);
  for (guint i = 0; i < self->points->len; i++) {
    LkSweepPoint *point = g_ptr_array_index (self->points, i);
    g_autofree char *text = lk_sweep_point_text (self, point, TRUE);
    point->condition = names_add (&conditions, text);
  }
  self->condition_count = conditions.texts->len;
  names_clear (&conditions);
}

/* values[point * repetitions + repetition], NaN where there is none. Returns: (transfer full). */
static double *
values_of (const Loading *self, LkSweepMetric metric)
{
  gsize repetition_count = self->repetitions.texts->len;
  gsize count = repetition_count * self->points.texts->len;
  double *values = g_new (double, count);
  for (gsize i = 0; i < count; i++)
    values[i] = NAN;
  for (guint i = 0; i < self->samples->len; i++) {
    const Sample *sample = &g_array_index (self->samples, Sample, i);
    values[sample->point * repetition_count + sample->repetition] = sample->values[metric];
  }
  return values;
}

static gboolean
is_better (LkSweepMetric metric, double value, double than)
{
  if (isnan (value) || isnan (than))
    return !isnan (value);
  return lk_sweep_metrics[metric].is_more_better ? value > than : value < than;
}

/* The first best point of each condition. Returns: (transfer full). */
static guint *
find_best (const LkSweepResults *self, LkSweepMetric metric)
{
  guint *best = g_new (guint, self->condition_count);
  for (guint i = 0; i < self->condition_count; i++)
    best[i] = LK_SWEEP_NONE;
  for (guint i = 0; i < self->points->len; i++) {
    const LkSweepPoint *point = g_ptr_array_index (self->points, i);
    guint *held = &best[point->condition];
    double than = *held == LK_SWEEP_NONE
                      ? NAN
                      : ((LkSweepPoint *)g_ptr_array_index (self->points, *held))->means[metric];
    if (is_better (metric, point->means[metric], than))
      *held = i;
  }
  return best;
}

/* Of one point against another one, in pairs of the same window and seed. */
static void
compare_points (const double *best, const double *here, guint repetition_count, double level_ratio,
                LkInterval *out_interval)
{
  g_autoptr (GArray) pairs = g_array_new (FALSE, TRUE, sizeof (LkPair));
  for (guint i = 0; i < repetition_count; i++) {
    LkPair pair = { .block = i, .first = best[i], .here = here[i] };
    if (!isnan (best[i]) && !isnan (here[i]))
      g_array_append_val (pairs, pair);
  }
  lk_interval_student (level_ratio, (const LkPair *)(const void *)pairs->data, pairs->len,
                       out_interval);
}

static void
measure (const Loading *self, LkSweepMetric metric, double level_ratio)
{
  const LkSweepResults *results = self->results;
  guint repetition_count = self->repetitions.texts->len;
  g_autofree double *values = values_of (self, metric);
  for (guint i = 0; i < results->points->len; i++) {
    LkSweepPoint *point = g_ptr_array_index (results->points, i);
    double sum = 0;
    guint count = 0;
    for (guint k = 0; k < repetition_count; k++)
      if (!isnan (values[(gsize)i * repetition_count + k])) {
        sum += values[(gsize)i * repetition_count + k];
        count++;
      }
    point->means[metric] = count > 0 ? sum / count : NAN;
    point->run_count = MAX (point->run_count, count);
  }
  g_autofree guint *best = find_best (results, metric);
  for (guint i = 0; i < results->points->len; i++) {
    LkSweepPoint *point = g_ptr_array_index (results->points, i);
    guint held = best[point->condition];
    point->is_best[metric] = held == i;
    compare_points (values + (gsize)(held == LK_SWEEP_NONE ? i : held) * repetition_count,
                    values + (gsize)i * repetition_count, repetition_count, level_ratio,
                    &point->from_best[metric]);
  }
}

/* ---------------------------------------------------------------- all of it */

static gboolean
load (Loading *self, LkStudyStore *store, double level_ratio, GError **error)
{
  static const char sql[] = "SELECT * FROM run LIMIT 0";
  guint all_count = 0;
  double max_ratio = 0;
  if (!read_rows (self, store, error) || !read_plan_count (self, store, error)
      || !lk_study_store_high_load (store, &self->results->high_load_count, &all_count, &max_ratio,
                                    error))
    return FALSE;
  sqlite3_stmt *rows = lk_study_store_prepare (store, sql, error);
  if (rows == NULL)
    return FALSE;
  make_axes (self, rows);
  sqlite3_finalize (rows);
  make_conditions (self->results);
  self->results->repetition_count = self->repetitions.texts->len;
  self->results->result_count = self->samples->len;
  for (guint metric = 0; metric < LK_SWEEP_METRIC_COUNT; metric++)
    measure (self, metric, level_ratio);
  return TRUE;
}

LkSweepResults *
lk_sweep_results_open (const char *path, double level_ratio, GError **error)
{
  g_autoptr (LkStudyStore) store = lk_study_store_open_read (path, error);
  if (store == NULL)
    return NULL;
  g_autoptr (LkSweepResults) results = g_new0 (LkSweepResults, 1);
  results->path = g_strdup (path);
  results->axes = g_ptr_array_new_with_free_func (axis_free);
  results->points = g_ptr_array_new_with_free_func (point_free);
  Loading loading = { .results = results,
                      .samples = g_array_new (FALSE, FALSE, sizeof (Sample)),
                      .places = g_array_new (FALSE, FALSE, sizeof (guint)) };
  names_init (&loading.points);
  names_init (&loading.repetitions);
  gboolean good = load (&loading, store, level_ratio, error);
  for (guint i = 0; i < loading.axis_count; i++)
    names_clear (&loading.axes[i]);
  names_clear (&loading.points);
  names_clear (&loading.repetitions);
  g_array_unref (loading.samples);
  g_array_unref (loading.places);
  return good ? g_steal_pointer (&results) : NULL;
}

gboolean
lk_sweep_results_is_file (const char *path)
{
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkStudyStore) store = lk_study_store_open_read (path, &error);
  /* One that cannot be read, for other reasons than its content, fails when it is opened. */
  return store != NULL || !g_error_matches (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT);
}
