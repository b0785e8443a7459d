/* live/client/queue/squeue.h — what the parts of squeue share. */
#ifndef LK_LIVE_CLIENT_QUEUE_SQUEUE_H
#define LK_LIVE_CLIENT_QUEUE_SQUEUE_H

#include "live/client/queue/formats.h"
#include "live/client/job_row.h"
#include "live/client/queue/squeue_more.h"
#include "traces/table.h"

/* The `report` of the cells; their rows are LkJobRow. */
typedef struct {
  const LkClient *client;
  gint64 now_us;
  gboolean no_convert; /* memory stays in MiB */
  gboolean expands;    /* % letters in names of files */
  const char *cluster; /* its name, where a column tells it */
} LkSqueueReport;

/* Columns that have names only. */
#define LK_SQUEUE_TRES 5
#define LK_SQUEUE_STDIN 6
#define LK_SQUEUE_STDOUT 7
#define LK_SQUEUE_STDERR 8
/* Those of what was submitted, which has to be asked for. */
#define LK_SQUEUE_SUBMITTED "hmowZ\005\006\007\010" LK_SQUEUE_MORE_SUBMITTED
/* Ends with letter 0. */
extern const LkTableColumn lk_squeue_columns[];

/* The same with their names. */
extern const LkFormatSet lk_squeue_formats;

/* What -S takes: letters of columns, with "-" before those that fall. */
gboolean lk_squeue_is_order (const LkClient *client, const char *keys); /* FALSE: told */
/* By these, and jobs that agree in them as Slurm has them. */
void lk_squeue_sort (const LkSqueueReport *report, const char *keys, GPtrArray *rows);

#endif
