/* traces/command_private.h — between the reader of a script's lines and the parser of commands. */
#ifndef LK_TRACES_COMMAND_PRIVATE_H
#define LK_TRACES_COMMAND_PRIVATE_H

#include "traces/command_script.h"

/* Fills what the words of a command say: its kind and what belongs to that. `words` begins with the
 * command's name; texts are put into `texts`. The error, of LK_TRACE_ERROR_SYNTAX, does not name
 * the line. */
gboolean lk_command_parse (char **words, GStringChunk *texts, LkCommand *command, GError **error);

/* What stands behind # must be of a job that the command submits, and of tasks or components that
 * it has; else there is a fault. */
void lk_command_check_runs (LkCommand *command, GStringChunk *texts);

#endif
