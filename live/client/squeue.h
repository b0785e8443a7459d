/* live/client/squeue.h — what the parts of squeue share. */
#ifndef LK_LIVE_CLIENT_SQUEUE_H
#define LK_LIVE_CLIENT_SQUEUE_H

#include "live/client/job_row.h"
#include "traces/table.h"

/* The `report` of the cells; their rows are LkJobRow. */
typedef struct {
  const LkClient *client;
  gint64 now_us;
} LkSqueueReport;

/* Ends with letter 0. */
extern const LkTableColumn lk_squeue_columns[];

/* A format of -O, "JobID:12,Name:.20,StateCompact", as one of -o. Returns: (transfer full); NULL:
 * it names a field that there is not, which `out_field` then tells (transfer full). */
char *lk_squeue_long_format (const char *format, char **out_field);

/* What -S takes: letters of columns, with "-" before those that fall. */
gboolean lk_squeue_is_order (const char *keys);
/* By these, and then by job and task. */
void lk_squeue_sort (const LkSqueueReport *report, const char *keys, GPtrArray *rows);

/* Writes the jobs as one JSON object, a line for each. */
void lk_squeue_json (const LkClient *client, const GPtrArray *rows);

#endif
