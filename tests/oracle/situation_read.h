/* tests/oracle/situation_read.h — what was recorded of a situation, as tables of text. */
#ifndef LK_TESTS_ORACLE_SITUATION_READ_H
#define LK_TESTS_ORACLE_SITUATION_READ_H

#include <glib.h>

/* Columns of squeue as the recordings have them; the last may have spaces. */
#define LK_SQUEUE_FORMAT "%.10i %.9P %.12j %.6u %.8a %.8q %.2t %.9l %.4D %.4C %.10Q %R"
typedef enum {
  LK_SQUEUE_JOB,
  LK_SQUEUE_PARTITION,
  LK_SQUEUE_NAME,
  LK_SQUEUE_USER,
  LK_SQUEUE_ACCOUNT,
  LK_SQUEUE_QOS,
  LK_SQUEUE_STATE,
  LK_SQUEUE_LIMIT,
  LK_SQUEUE_NODES,
  LK_SQUEUE_CPUS,
  LK_SQUEUE_PRIORITY,
  LK_SQUEUE_REASON,
  LK_SQUEUE_COLUMN_COUNT,
} LkSqueueColumn;
extern const char *const lk_squeue_columns[LK_SQUEUE_COLUMN_COUNT];

/* Columns of start-order.txt. */
typedef enum {
  LK_RUN_START,
  LK_RUN_RAW_JOB,
  LK_RUN_JOB,
  LK_RUN_NAME,
  LK_RUN_USER,
  LK_RUN_PARTITION,
  LK_RUN_STATE,
  LK_RUN_ELAPSED,
  LK_RUN_CPUS,
  LK_RUN_NODES,
  LK_RUN_COLUMN_COUNT,
} LkRunColumn;

/* Rows of cells, each a GStrv that ends with NULL. Returns: (transfer full). */
GPtrArray *lk_squeue_rows (const char *text);
GPtrArray *lk_run_rows (const char *text);

/* The row whose cell of `column` is `value`; NULL: none. */
char **lk_row_find (const GPtrArray *rows, guint column, const char *value);

#endif
