/* traces/command_job_keys.h — from `scontrol update JobId=` to the event that says the same. */
#ifndef LK_TRACES_COMMAND_JOB_KEYS_H
#define LK_TRACES_COMMAND_JOB_KEYS_H

#include "engine/codec.h"
#include "traces/command_script.h"

/* Fills `out_event`; moments like now+60 count from `now_us`, texts are put into `texts`.  Where
 * TimeLimit is set with += or -= the estimate is what is added or taken away.  FALSE with an
 * LK_TRACE_ERROR_SYNTAX that does not name the line. */
gboolean lk_command_update_event (const LkCommand *command, gint64 now_us, GStringChunk *texts,
                                  LkEvent *out_event, GError **error);
/* Which fields of a job a key of scontrol changes: bits of LkEvent_update.changes; 0: none. */
guint64 lk_command_job_key_changes (const char *key);

#endif
