/* tests/oracle/situation_told.c — see situation_told.h. */
#include "tests/oracle/situation_told.h"

#include <string.h>

/* Both ends of a duration are cut to whole seconds. */
#define TOLERANCE_S 1

enum {
  PLANNED_JOB,
  PLANNED_PARTITION,
  PLANNED_NAME,
  PLANNED_USER,
  PLANNED_STATE,
  PLANNED_START,
  PLANNED_COUNT,
  PLANNED_NODES,
  PLANNED_COLUMN_COUNT,
};

/* Of sacct, as the first line names them. */
enum {
  SACCT_RAW_JOB,
  SACCT_JOB,
  SACCT_STATE,
  SACCT_EXIT_CODE,
  SACCT_START,
  SACCT_ELAPSED,
  SACCT_RESTARTS,
  SACCT_COLUMN_COUNT,
};
static const char *const sacct_columns[SACCT_COLUMN_COUNT] = {
  "JobIDRaw", "JobID", "State", "ExitCode", "Start", "ElapsedRaw", "Restarts",
};

/* "2026-11-21T02:05:02" as if it were UTC; -1: it is no moment. */
static gint64
moment_s (const char *text)
{
  g_autofree char *utc = g_strconcat (text, "Z", NULL);
  g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (utc, NULL);
  return date != NULL ? g_date_time_to_unix (date) : -1;
}

/* ---------------------------------------------------------------- squeue --start */

/* Rows of cells; the last column, with spaces, is left out. */
static GPtrArray *
planned_rows (const char *text)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit_set (g_strstrip (lines[i]), " ", -1);
    GPtrArray *cells = g_ptr_array_new ();
    for (guint j = 0; words[j] != NULL && cells->len < PLANNED_COLUMN_COUNT; j++)
      if (*words[j] != '\0')
        g_ptr_array_add (cells, g_strdup (words[j]));
    gboolean is_row = cells->len == PLANNED_COLUMN_COUNT && lines[i][0] != '#'
                      && !g_str_has_prefix (lines[i], "JOBID");
    g_ptr_array_add (cells, NULL);
    char **row = (char **)g_ptr_array_free (cells, FALSE);
    if (is_row)
      g_ptr_array_add (rows, row);
    else
      g_strfreev (row);
  }
  return rows;
}

static char **
find_row (const GPtrArray *rows, const char *job)
{
  for (guint i = 0; i < rows->len; i++) {
    char **row = g_ptr_array_index (rows, i);
    if (strcmp (row[PLANNED_JOB], job) == 0)
      return row;
  }
  return NULL;
}

/* "+300 s", or "N/A". Returns: (transfer full). */
static char *
since_text (const char *moment, gint64 first_s)
{
  gint64 at_s = moment_s (moment);
  return at_s < 0 ? g_strdup (moment) : g_strdup_printf ("%+" G_GINT64_FORMAT " s", at_s - first_s);
}

void
lk_told_planned (const LkToldPlanned *told, LkFact fact, gpointer user)
{
  g_autoptr (GPtrArray) rows = planned_rows (told->recorded);
  g_autoptr (GPtrArray) own_rows = planned_rows (told->here);
  for (guint i = 0; i < rows->len; i++) {
    char **row = g_ptr_array_index (rows, i);
    char **own = find_row (own_rows, row[PLANNED_JOB]);
    g_autofree char *start =
        g_strdup_printf ("squeue --start %s, job %s, start", told->label, row[PLANNED_JOB]);
    g_autofree char *nodes =
        g_strdup_printf ("squeue --start %s, job %s, nodes", told->label, row[PLANNED_JOB]);
    if (own == NULL) {
      fact (user, start, row[PLANNED_START], "gone");
      continue;
    }
    g_autofree char *was = since_text (row[PLANNED_START], told->recorded_first_s);
    g_autofree char *is = since_text (own[PLANNED_START], told->here_first_s);
    gint64 apart_s = g_ascii_strtoll (is, NULL, 10) - g_ascii_strtoll (was, NULL, 10);
    gboolean is_near = *was == '+' && *is == '+' && ABS (apart_s) <= TOLERANCE_S;
    fact (user, start, was, is_near ? was : is);
    fact (user, nodes, row[PLANNED_NODES], own[PLANNED_NODES]);
  }
  for (guint i = 0; i < own_rows->len; i++) {
    char **own = g_ptr_array_index (own_rows, i);
    g_autofree char *start =
        g_strdup_printf ("squeue --start %s, job %s, start", told->label, own[PLANNED_JOB]);
    if (find_row (rows, own[PLANNED_JOB]) == NULL)
      fact (user, start, "gone", own[PLANNED_START]);
  }
}

/* ---------------------------------------------------------------- sacct */

/* Rows of cells in the order of sacct_columns, without steps. */
static GPtrArray *
sacct_rows (const char *text)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_auto (GStrv) heads = g_strsplit (lines[0] != NULL ? lines[0] : "", "|", -1);
  guint width = g_strv_length (heads);
  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++) {
    g_auto (GStrv) cells = g_strsplit (lines[i], "|", -1);
    char **row = g_new0 (char *, SACCT_COLUMN_COUNT + 1);
    if (g_strv_length (cells) != width || strchr (cells[0], '.') != NULL) {
      g_free (row);
      continue;
    }
    for (guint column = 0; column < SACCT_COLUMN_COUNT; column++)
      for (guint j = 0; j < width; j++)
        if (strcmp (heads[j], sacct_columns[column]) == 0)
          row[column] = g_strdup (cells[j]);
    g_assert_nonnull (row[SACCT_RESTARTS]);
    g_ptr_array_add (rows, row);
  }
  return rows;
}

gint64
lk_told_first_start_s (const char *sacct)
{
  gint64 first_s = -1;
  g_autoptr (GPtrArray) rows = sacct_rows (sacct);
  for (guint i = 0; i < rows->len; i++) {
    gint64 at_s = moment_s (((char **)g_ptr_array_index (rows, i))[SACCT_START]);
    if (at_s >= 0 && (first_s < 0 || at_s < first_s))
      first_s = at_s;
  }
  return first_s;
}

static void
compare_elapsed (const char *base, char **row, const LkToldRun *run, LkFact fact, gpointer user)
{
  gint64 recorded_s = g_ascii_strtoll (row[SACCT_ELAPSED], NULL, 10);
  gint64 here_s = run->elapsed_us / G_TIME_SPAN_SECOND;
  g_autofree char *what = g_strdup_printf ("%s, seconds", base);
  g_autofree char *here = g_strdup_printf ("%" G_GINT64_FORMAT, here_s);
  gboolean is_near = ABS (recorded_s - here_s) <= TOLERANCE_S;
  fact (user, what, row[SACCT_ELAPSED], is_near ? row[SACCT_ELAPSED] : here);
}

static void
compare_run (const char *base, char **row, const LkToldRun *run, LkFact fact, gpointer user)
{
  g_autofree char *exit_what = g_strdup_printf ("%s, exit code", base);
  g_autofree char *restarts_what = g_strdup_printf ("%s, restarts", base);
  g_autofree char *exit = g_strdup_printf ("%u:%u", run->exit_code, run->exit_signal);
  g_autofree char *restarts = g_strdup_printf ("%u", run->restarts);
  fact (user, exit_what, row[SACCT_EXIT_CODE], exit);
  fact (user, restarts_what, row[SACCT_RESTARTS], restarts);
  if (run->was_ended)
    compare_elapsed (base, row, run, fact, user);
}

/* One that was cancelled before it began. */
static void
compare_never_ran (const char *base, char **row, LkToldFind find, LkFact fact, gpointer user)
{
  LkToldRun end = { 0 };
  g_autofree char *what = g_strdup_printf ("%s, end", base);
  g_autofree char *was = g_strndup (row[SACCT_STATE], strcspn (row[SACCT_STATE], " "));
  if (strcmp (was, "PENDING") == 0)
    return; /* its squeue tells */
  gboolean is_found = find (user, row[SACCT_JOB], LK_TOLD_NEVER_RAN, &end);
  fact (user, what, was, is_found ? end.state : "none");
}

void
lk_told_sacct (const char *text, LkToldFind find, LkFact fact, gpointer user)
{
  g_autoptr (GPtrArray) rows = sacct_rows (text);
  for (guint i = 0; i < rows->len; i++) {
    char **row = g_ptr_array_index (rows, i);
    LkToldRun run = { 0 };
    gint n = 0;
    for (guint j = 0; j < i; j++)
      n += strcmp (((char **)g_ptr_array_index (rows, j))[SACCT_JOB], row[SACCT_JOB]) == 0;
    g_autofree char *run_text = n > 0 ? g_strdup_printf (", run %d", n + 1) : g_strdup ("");
    g_autofree char *base = g_strdup_printf ("sacct, job %s%s", row[SACCT_JOB], run_text);
    if (moment_s (row[SACCT_START]) < 0)
      compare_never_ran (base, row, find, fact, user);
    else if (find (user, row[SACCT_JOB], n, &run))
      compare_run (base, row, &run, fact, user);
  }
}
