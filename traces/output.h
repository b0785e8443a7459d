/* traces/output.h — a text file that appears whole or not at all; plain, gzip or zstd by the end
 * of its name.
 *
 * What is written goes to a temporary file beside the target, which a successful close flushes to
 * disk and renames. Freeing without closing removes it.  "-" is standard output, where nothing can
 * be taken back.
 *
 * A device or a pipe (/dev/null, /dev/full) as the target is written directly: renaming would
 * replace it. */
#ifndef LK_TRACES_OUTPUT_H
#define LK_TRACES_OUTPUT_H

#include <glib.h>

#include "traces/trace_error.h"

typedef struct _LkOutput LkOutput;

/* Fails when the temporary file cannot be made. Returns: (transfer full). */
LkOutput *lk_output_new (const char *path, GError **error);
/* The same with the temporary file always called PATH.partial, for who makes sure that nobody else
 * writes there: what a run that was killed left behind is written over by the next one. */
LkOutput *lk_output_new_partial (const char *path, GError **error);
/* Removes what was not closed. */
void lk_output_free (LkOutput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkOutput, lk_output_free)

gboolean lk_output_write (LkOutput *self, const char *bytes, gsize length_bytes, GError **error);
/* Ends the file and puts it in its place. Call once. */
gboolean lk_output_close (LkOutput *self, GError **error);

#endif
