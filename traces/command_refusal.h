/* traces/command_refusal.h — why the engine refuses a command, with what in the command it is that
 * it refuses. */
#ifndef LK_TRACES_COMMAND_REFUSAL_H
#define LK_TRACES_COMMAND_REFUSAL_H

#include "engine/codec.h"
#include "traces/command_script.h"

/* "no such partition (--partition=gpu)", "the job is not pending (Partition=gpu)"; the reason alone
 * where nothing that was given has to do with it. Returns: kept in `texts`. */
const char *lk_command_refusal (const LkCommand *command, LkReject reject, GStringChunk *texts);

#endif
