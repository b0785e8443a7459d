/* sim/results_csv.h — writes jobs.csv: one line a job, the same bytes under every locale. */
#ifndef LK_SIM_RESULTS_CSV_H
#define LK_SIM_RESULTS_CSV_H

#include <glib.h>

#include "sim/results.h"

typedef struct _LkResultsCsv LkResultsCsv;

/* Creates or replaces the file and locks it until it is freed. Fails when it cannot be created, or
 * when another process is writing it. Returns: (transfer full). */
LkResultsCsv *lk_results_csv_new (const char *path, GError **error);
/* Closes; does not remove. */
void lk_results_csv_free (LkResultsCsv *self);

gboolean lk_results_csv_add (LkResultsCsv *self, const LkJobRecord *record, GError **error);
/* Writes what is still in memory. */
gboolean lk_results_csv_flush (LkResultsCsv *self, GError **error);

#endif
