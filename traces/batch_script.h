/* traces/batch_script.h — the options in a batch script.
 *
 * They stand on lines that begin with #SBATCH, up to the first line that is neither empty nor a
 * comment.  A line `#SBATCH hetjob` begins the next component.  Source: sbatch(1);
 * src/sbatch/sbatch.c, src/common/slurm_opt.c. */
#ifndef LK_TRACES_BATCH_SCRIPT_H
#define LK_TRACES_BATCH_SCRIPT_H

#include <glib.h>

/* The arguments on #SBATCH lines, of each component. Returns: (transfer full), of GPtrArray* that
 * end with NULL; NULL with an LK_TRACE_ERROR that names the line. */
GPtrArray *lk_batch_script_arguments (const guint8 *bytes, gsize length_bytes, GError **error);

#endif
