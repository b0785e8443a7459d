/* sim/import_rows.h — what has become of the keys and lines of a site's files, for people and as
 * JSON. */
#ifndef LK_SIM_IMPORT_ROWS_H
#define LK_SIM_IMPORT_ROWS_H

#include <glib.h>

#include "sim/json_out.h"
#include "traces/slurm_conf.h"

/* Appends the rows (of LkSlurmRow*) of a verdict, those that say the same under what they say; rows
 * of one key are shown as one unless all are wanted. */
void lk_import_rows_text (const GPtrArray *rows, LkSlurmVerdict verdict, gboolean is_full,
                          GString *out);
/* Adds a member "keys": one object for each row. */
void lk_import_rows_json (LkJsonOut *json, const GPtrArray *rows);

#endif
