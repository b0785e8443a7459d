/* sim/compare.c — loading and pairing; the ways to show it are in compare_show.c. */
#include "sim/compare.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "sim/error.h"
#include "sim/statistics/join.h"
#include "sim/statistics/run_names.h"
#include "sim/verb.h"

static void
run_free (gpointer data)
{
  LkComparedRun *run = (LkComparedRun *)data;
  lk_results_reader_free (run->reader);
  lk_paired_free (run->paired);
  g_array_unref (run->differences);
  g_free (run->directory);
  g_free (run->label);
  g_free (run->name);
  g_free (run);
}

/* The summary is the last file of a run to appear, and has to be of the same run as the database.
   */
static gboolean
check_complete (const LkComparedRun *run, GError **error)
{
  g_autofree char *path = g_build_filename (run->directory, LK_RESULTS_SUMMARY, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) cause = NULL;
  if (!g_file_get_contents (path, &text, NULL, &cause)) {
    if (g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                   "'%s' holds no complete results: it has no %s", run->directory,
                   LK_RESULTS_SUMMARY);
    else
      g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "cannot read '%s': %s", path,
                   cause->message);
    return FALSE;
  }
  g_autofree char *digest = g_strdup_printf ("\"%s\"", run->summary->totals.decision_digest);
  if (strstr (text, digest) != NULL)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
               "'%s' holds no complete results: %s and %s are of different runs", run->directory,
               LK_RESULTS_SUMMARY, LK_RESULTS_SQLITE);
  return FALSE;
}

static gboolean
open_run (LkComparedRun *run, GError **error)
{
  if (!g_file_test (run->directory, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "'%s' is not a directory of results: %s",
                 run->directory,
                 g_file_test (run->directory, G_FILE_TEST_EXISTS)
                     ? "it is a file, and none of lockstep sweep"
                     : g_strerror (ENOENT));
    return FALSE;
  }
  g_autofree char *path = g_build_filename (run->directory, LK_RESULTS_SQLITE, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' holds no complete results: it has no %s", run->directory, LK_RESULTS_SQLITE);
    return FALSE;
  }
  run->reader = lk_results_reader_new (path, error);
  if (run->reader == NULL)
    return FALSE;
  run->summary = lk_results_reader_summary (run->reader);
  return check_complete (run, error);
}

/* The last part of the path, or the whole where two runs would share it. */
static void
set_labels (LkComparison *self)
{
  g_autoptr (GHashTable) uses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->runs->len; i++) {
    LkComparedRun *run = (LkComparedRun *)g_ptr_array_index (self->runs, i);
    run->label = g_path_get_basename (run->directory);
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (uses, run->label));
    g_hash_table_insert (uses, g_strdup (run->label), GUINT_TO_POINTER (count + 1));
  }
  for (guint i = 0; i < self->runs->len; i++) {
    LkComparedRun *run = (LkComparedRun *)g_ptr_array_index (self->runs, i);
    if (GPOINTER_TO_UINT (g_hash_table_lookup (uses, run->label)) < 2)
      continue;
    g_free (run->label);
    run->label = g_strdup (run->directory);
  }
}

/* Returns: (transfer full). */
static char *
aspect_text (const LkSummary *summary, LkRunAspect aspect)
{
  guint count;
  const LkSummaryField *fields = lk_summary_fields (&count);
  for (guint i = 0; i < count; i++) {
    const char *place = (const char *)summary + fields[i].offset;
    if (strcmp (fields[i].column, lk_run_aspect_column (aspect)) != 0)
      continue;
    return fields[i].type == LK_FIELD_TEXT
               ? g_strdup (*(const char *const *)(const void *)place)
               : g_strdup_printf ("%" G_GUINT64_FORMAT, *(const guint64 *)(const void *)place);
  }
  return NULL;
}

/* How people tell the runs apart. */
static void
set_names (LkComparison *self)
{
  g_autofree LkRunFacts *facts = g_new0 (LkRunFacts, self->runs->len);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = (const LkComparedRun *)g_ptr_array_index (self->runs, i);
    facts[i].path = run->directory;
    facts[i].id = run->summary->run_id;
    for (guint aspect = 0; aspect < LK_RUN_ASPECT_COUNT; aspect++) {
      char *text = aspect_text (run->summary, (LkRunAspect)aspect);
      g_ptr_array_add (texts, text);
      facts[i].values[aspect] = text;
    }
  }
  g_auto (GStrv) names = lk_run_names (facts, self->runs->len);
  for (guint i = 0; i < self->runs->len; i++)
    ((LkComparedRun *)g_ptr_array_index (self->runs, i))->name = g_strdup (names[i]);
}

gboolean
lk_comparison_nobody_waits (const LkComparison *self)
{
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = (const LkComparedRun *)g_ptr_array_index (self->runs, i);
    if (run->summary->metrics.jobs_measured == 0 || run->summary->metrics.max_wait_s > 0)
      return FALSE;
  }
  return TRUE;
}

static void
pair (LkComparedRun *run, const LkResultsStart *first, const LkResultsStart *here, guint limit)
{
  run->paired_count++;
  if (first->start_us == here->start_us)
    return;
  run->moved_count++;
  if (run->differences->len >= limit)
    return;
  LkStartDifference difference = { .job_id = here->job_id,
                                   .submit_us = here->submit_us,
                                   .first_start_us = first->start_us,
                                   .start_us = here->start_us };
  g_strlcpy (difference.name, here->name, sizeof difference.name);
  g_array_append_val (run->differences, difference);
}

typedef struct {
  LkComparedRun *run;
  guint difference_limit;
} Joined;

static void
joined (gpointer user, const LkResultsStart *first, const LkResultsStart *here)
{
  const Joined *self = user;
  if (first != NULL && here != NULL)
    pair (self->run, first, here, self->difference_limit);
  self->run->missing_count += here == NULL;
  self->run->added_count += first == NULL;
}

LkComparison *
lk_comparison_new (char **directories, guint difference_limit, GError **error)
{
  g_autoptr (LkComparison) self = g_new0 (LkComparison, 1);
  self->runs = g_ptr_array_new_with_free_func (run_free);
  for (guint i = 0; directories[i] != NULL; i++) {
    LkComparedRun *run = g_new0 (LkComparedRun, 1);
    run->directory = g_strdup (directories[i]);
    run->differences = g_array_new (FALSE, FALSE, sizeof (LkStartDifference));
    g_ptr_array_add (self->runs, run);
    if (!open_run (run, error))
      return NULL;
  }
  set_labels (self);
  set_names (self);
  for (guint i = 1; i < self->runs->len; i++) {
    const LkComparedRun *first = (const LkComparedRun *)g_ptr_array_index (self->runs, 0);
    LkComparedRun *run = (LkComparedRun *)g_ptr_array_index (self->runs, i);
    Joined user = { .run = run, .difference_limit = difference_limit };
    if (!lk_results_join (first->reader, run->reader, joined, &user, error))
      return NULL;
  }
  return g_steal_pointer (&self);
}

gboolean
lk_comparison_pair (LkComparison *self, const LkPairedOptions *options, GError **error)
{
  const LkComparedRun *first = (const LkComparedRun *)g_ptr_array_index (self->runs, 0);
  g_autoptr (LkShaken) first_shaken = lk_shaken_read (first->directory, error);
  if (first_shaken == NULL)
    return FALSE;
  for (guint i = 1; i < self->runs->len; i++) {
    LkComparedRun *run = (LkComparedRun *)g_ptr_array_index (self->runs, i);
    g_autoptr (LkShaken) shaken = lk_shaken_read (run->directory, error);
    if (shaken == NULL)
      return FALSE;
    run->paired = lk_paired_new (options, first->reader, run->reader, error);
    if (run->paired == NULL)
      return FALSE;
    lk_paired_add_shaken (run->paired, first_shaken, shaken);
  }
  return TRUE;
}

void
lk_comparison_free (LkComparison *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->runs);
  g_free (self);
}

/* ---------------------------------------------------------------- merging */

static gboolean
is_database (const char *path)
{
  static const char magic[] = "SQLite format 3";
  char begin[sizeof magic] = "";
  FILE *file = fopen (path, "rbe");
  if (file == NULL)
    return FALSE;
  gsize length_bytes = fread (begin, 1, sizeof begin, file);
  fclose (file);
  return length_bytes == sizeof begin && memcmp (begin, magic, sizeof magic) == 0;
}

/* Renaming onto one of the sources, or onto a file of another kind, would destroy it. */
static gboolean
check_target (const LkComparison *self, const char *path, GError **error)
{
  static const char *const names[] = { LK_RESULTS_SQLITE, NULL };
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !is_database (path)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--sqlite would overwrite '%s', which is no SQLite database", path);
    return FALSE;
  }
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = (const LkComparedRun *)g_ptr_array_index (self->runs, i);
    const LkVerbFile files[] = {
      { "one of the runs", run->directory, names, FALSE },
      { "--sqlite", path, NULL, TRUE },
    };
    if (!lk_verb_check_files (files, G_N_ELEMENTS (files), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
merge_into (const LkComparison *self, const char *path, GError **error)
{
  g_autoptr (LkResultsSqlite) merged = lk_results_sqlite_new (path, error);
  if (merged == NULL)
    return FALSE;
  for (guint i = 0; i < self->runs->len; i++) {
    const LkComparedRun *run = (const LkComparedRun *)g_ptr_array_index (self->runs, i);
    g_autofree char *source = g_build_filename (run->directory, LK_RESULTS_SQLITE, NULL);
    if (!lk_results_sqlite_merge (merged, source, error))
      return FALSE;
  }
  return lk_results_sqlite_merge_end (merged, error);
}

gboolean
lk_comparison_merge (const LkComparison *self, const char *path, GError **error)
{
  if (!check_target (self, path, error))
    return FALSE;
  g_autofree char *partial = g_strconcat (path, ".partial", NULL);
  gboolean fine = merge_into (self, partial, error);
  if (fine && g_rename (partial, path) != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot rename '%s' to '%s': %s", partial,
                 path, g_strerror (errno));
    fine = FALSE;
  }
  if (!fine)
    g_unlink (partial);
  return fine;
}
