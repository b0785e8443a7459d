/* sim/placement_csv.h — where each job ran on a machine of nodes: placement.csv beside the results.
 *
 * One line a job, in order of completion: its number, nodes, cores, generic resources, CPUs,
 * memory, GPUs and restarts.  The file appears whole when it is closed. */
#ifndef LK_SIM_PLACEMENT_CSV_H
#define LK_SIM_PLACEMENT_CSV_H

#include <glib.h>

#include "sim/driver.h"

typedef struct _LkPlacementCsv LkPlacementCsv;

LkPlacementCsv *lk_placement_csv_new (const char *path, GError **error);
void lk_placement_csv_free (LkPlacementCsv *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkPlacementCsv, lk_placement_csv_free)

gboolean lk_placement_csv_add (LkPlacementCsv *self, const LkSimResult *result, GError **error);
gboolean lk_placement_csv_close (LkPlacementCsv *self, GError **error);

#endif
