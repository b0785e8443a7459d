/* tests/oracle/situation_read.c — see situation_read.h. */
#include "tests/oracle/situation_read.h"

#include <string.h>

const char *const lk_squeue_columns[LK_SQUEUE_COLUMN_COUNT] = {
  "job",   "partition",  "name",  "user", "account",  "qos",
  "state", "time limit", "nodes", "cpus", "priority", "nodes or reason",
};

static gboolean
is_row (const char *line)
{
  return *line != '\0' && *line != '#' && strncmp (line, "JOBID", 5) != 0
         && strncmp (line, "start(s)", 8) != 0;
}

/* Cells with spaces around them; the last has the rest of the line. */
static char **
squeue_cells (const char *line)
{
  GPtrArray *cells = g_ptr_array_new ();
  while (cells->len + 1 < LK_SQUEUE_COLUMN_COUNT) {
    gsize length = strcspn (line, " ");
    g_ptr_array_add (cells, g_strndup (line, length));
    line += length;
    line += strspn (line, " ");
  }
  g_ptr_array_add (cells, g_strdup (line));
  g_ptr_array_add (cells, NULL);
  return (char **)g_ptr_array_free (cells, FALSE);
}

/* What Slurm says at length beside the reason has the reason put in its place. */
static void
shorten_reason (char **cell)
{
  static const struct {
    const char *begin;
    const char *reason;
  } known[] = {
    { "(ReqNodeNotAvail, ", "(ReqNodeNotAvail)" },
    { "(job requeued in held state)", "(JobHeldUser)" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (*cell, known[i].begin)) {
      g_free (*cell);
      *cell = g_strdup (known[i].reason);
    }
}

static GPtrArray *
rows_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)g_strfreev);
}

GPtrArray *
lk_squeue_rows (const char *text)
{
  GPtrArray *rows = rows_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (!is_row (g_strstrip (lines[i])))
      continue;
    char **cells = squeue_cells (lines[i]);
    shorten_reason (&cells[LK_SQUEUE_REASON]);
    g_ptr_array_add (rows, cells);
  }
  return rows;
}

/* What a job ran on before it lost nodes is a row of its own there: it is the same run. */
static void
join_resized (GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++) {
    char **resized = g_ptr_array_index (rows, i);
    char **rest = lk_row_find (rows, LK_RUN_JOB, resized[LK_RUN_JOB]);
    if (strcmp (resized[LK_RUN_STATE], "RESIZING") != 0 || rest == resized)
      continue;
    for (LkRunColumn column = LK_RUN_CPUS; column <= LK_RUN_NODES; column++) {
      g_free (rest[column]);
      rest[column] = g_strdup (resized[column]);
    }
    g_ptr_array_remove_index (rows, i--);
  }
}

GPtrArray *
lk_run_rows (const char *text)
{
  GPtrArray *rows = rows_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (!is_row (g_strstrip (lines[i])))
      continue;
    char **cells = g_strsplit (lines[i], "|", -1);
    g_assert_cmpuint (g_strv_length (cells), ==, LK_RUN_COLUMN_COUNT);
    /* 22.05 lists jobs that ended before they began, too. */
    if (strcmp (cells[LK_RUN_NODES], "(null)") == 0)
      g_strfreev (cells);
    else
      g_ptr_array_add (rows, cells);
  }
  join_resized (rows);
  return rows;
}

char **
lk_row_find (const GPtrArray *rows, guint column, const char *value)
{
  for (guint i = 0; i < rows->len; i++) {
    char **cells = g_ptr_array_index (rows, i);
    if (strcmp (cells[column], value) == 0)
      return cells;
  }
  return NULL;
}
