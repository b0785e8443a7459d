/* sim/page/page_beside.c — see the header. */
#include "sim/page/page_beside.h"

#include <string.h>

#include "sim/error.h"
#include "sim/page/page_place.h"
#include "traces/csv_lines.h"

/* As sim/cluster_series.h calls them, which cannot be included beside the reader of tables. */
#define PLACEMENT_CSV "placement.csv"
#define CLUSTER_CSV "cluster.csv"
#define COLUMNS_MAX 4u

/* A table that is read by the names of its columns. */
typedef struct {
  const char *path;
  const char *const *wanted;
  guint wanted_count;
  guint at[COLUMNS_MAX];
  LkCsvLines *lines;
} Table;

static gboolean
wrong_row (const Table *self, const char *what, GError **error)
{
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "'%s' line %" G_GUINT64_FORMAT ": %s",
               self->path, lk_csv_lines_line_number (self->lines), what);
  return FALSE;
}

static gboolean
find_columns (Table *self, GError **error)
{
  int state = lk_csv_lines_next (self->lines, error);
  if (state < 0)
    return FALSE;
  guint count = state > 0 ? lk_csv_lines_cell_count (self->lines) : 0;
  for (guint i = 0; i < self->wanted_count; i++) {
    self->at[i] = 0;
    while (self->at[i] < count
           && !lk_span_is (lk_csv_lines_cell (self->lines, self->at[i]), self->wanted[i]))
      self->at[i]++;
    if (self->at[i] < count)
      continue;
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' line 1: there is no column '%s'; expected what lockstep sim writes",
                 self->path, self->wanted[i]);
    return FALSE;
  }
  return TRUE;
}

/* Returns: (transfer full), or NULL where the row is too short. */
static char *
cell (const Table *self, guint wanted)
{
  if (self->at[wanted] >= lk_csv_lines_cell_count (self->lines))
    return NULL;
  LkSpan span = lk_csv_lines_cell (self->lines, self->at[wanted]);
  return g_strndup (span.bytes, span.length_bytes);
}

static gboolean
number (const Table *self, guint wanted, double *out_number, GError **error)
{
  g_autofree char *text = cell (self, wanted);
  char *end = NULL;
  double value = text != NULL ? g_ascii_strtod (text, &end) : 0;
  if (text == NULL || end == text || *end != '\0') {
    g_autofree char *what = g_strdup_printf ("column '%s' is not a number", self->wanted[wanted]);
    return wrong_row (self, what, error);
  }
  *out_number = value;
  return TRUE;
}

/* Calls `row` for each one. */
static gboolean
read_table (Table *self, gboolean (*row) (const Table *self, gpointer user, GError **error),
            gpointer user, GError **error)
{
  int state = 0;
  g_autoptr (LkInput) input = lk_input_new (self->path, error);
  if (input == NULL)
    return FALSE;
  g_autoptr (LkCsvLines) lines = lk_csv_lines_new (input, ',');
  self->lines = lines;
  if (!find_columns (self, error))
    return FALSE;
  while ((state = lk_csv_lines_next (lines, error)) > 0)
    if (!row (self, user, error))
      return FALSE;
  return state == 0;
}

/* ---------------------------------------------------------------- placement.csv */

typedef struct {
  LkPageRun *run;
  LkPagePlacer placer;
  guint next;
} Placement;

static gboolean
placement_row (const Table *table, gpointer user, GError **error)
{
  Placement *self = user;
  const char *wrong = NULL;
  double gpus = 0;
  if (self->next >= self->run->jobs->len)
    return wrong_row (table, "there is no such line in jobs.csv", error);
  LkPageJob *job = &g_array_index (self->run->jobs, LkPageJob, self->next++);
  g_autofree char *given = cell (table, 0);
  g_autofree char *id = lk_page_job_id (self->run, job);
  if (given == NULL || strcmp (given, id) != 0)
    return wrong_row (table, "it is not of the job that stands there in jobs.csv", error);
  g_autofree char *nodes = cell (table, 2);
  if (!number (table, 1, &gpus, error))
    return FALSE;
  job->gpus_milli = (guint32)(CLAMP (gpus, 0, 4e6) * 1000 + 0.5);
  return lk_page_placer_add (&self->placer, job, nodes, &wrong) || wrong_row (table, wrong, error);
}

static gboolean
load_placement (LkPageRun *run, const char *path, GError **error)
{
  static const char *const wanted[] = { "job_id", "gpus", "nodes" };
  Table table = { .path = path, .wanted = wanted, .wanted_count = G_N_ELEMENTS (wanted) };
  Placement placement = { .run = run };
  lk_page_placer_init (&placement.placer);
  gboolean fine = read_table (&table, placement_row, &placement, error);
  if (fine && placement.next < run->jobs->len) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "'%s' has %u lines for %u jobs", path,
                 placement.next, run->jobs->len);
    fine = FALSE;
  }
  if (fine)
    lk_page_placer_finish (&placement.placer, run);
  lk_page_placer_clear (&placement.placer);
  return fine;
}

/* ---------------------------------------------------------------- cluster.csv */

static gboolean
sample_row (const Table *table, gpointer user, GError **error)
{
  LkPageRun *run = user;
  LkPageSample sample = { 0 };
  double time_s = 0;
  if (!number (table, 0, &time_s, error) || !number (table, 1, &sample.gpus, error)
      || !number (table, 2, &sample.gpus_total, error)
      || !number (table, 3, &sample.fragmentation_ratio, error))
    return FALSE;
  sample.time_us = (gint64)(time_s * 1e6);
  g_array_append_val (run->samples, sample);
  return TRUE;
}

gboolean
lk_page_beside_load (LkPageRun *run, const char *directory, GError **error)
{
  static const char *const wanted[] = { "time_s", "gpus", "gpus_total", "fragmentation" };
  g_autofree char *placement = g_build_filename (directory, PLACEMENT_CSV, NULL);
  g_autofree char *series = g_build_filename (directory, CLUSTER_CSV, NULL);
  /* A run on a counted pool has neither; an older one on nodes may have left them there. */
  if (run->machine[0] == '\0')
    return TRUE;
  if (g_file_test (placement, G_FILE_TEST_EXISTS) && !load_placement (run, placement, error))
    return FALSE;
  Table table = { .path = series, .wanted = wanted, .wanted_count = G_N_ELEMENTS (wanted) };
  return !g_file_test (series, G_FILE_TEST_EXISTS) || read_table (&table, sample_row, run, error);
}
