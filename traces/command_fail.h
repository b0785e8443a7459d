/* traces/command_fail.h — how the readers of Slurm's commands tell what is wrong, for
 * traces/command_*.c only. */
#ifndef LK_TRACES_COMMAND_FAIL_H
#define LK_TRACES_COMMAND_FAIL_H

#include "traces/command_script.h"

/* Of a value of the command that is shown. */
#define LK_COMMAND_SHOWN_MAX_BYTES 60

/* An LK_TRACE_ERROR_SYNTAX that does not name the line. Returns: FALSE. */
gboolean lk_command_fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* The key is none of the known ones, which end with NULL. Returns: FALSE. */
gboolean lk_command_key_fail (const LkCommandPair *pair, const char *const *known, GError **error);

#endif
