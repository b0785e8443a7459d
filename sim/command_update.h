/* sim/command_update.h — what of a scontrol update depends on the job, or the reservation, as it
 * stands. */
#ifndef LK_SIM_COMMAND_UPDATE_H
#define LK_SIM_COMMAND_UPDATE_H

#include "engine/codec.h"
#include "engine/engine.h"
#include "traces/command_script.h"

/* TimeLimit+= and TimeLimit-= count from the limit that the job has. FALSE: none is left. */
gboolean lk_command_settle_limit (const LkCommand *command, const LkEngine *engine, guint32 id,
                                  LkEvent_update *update);
/* A node that nobody set down or drained has nothing to resume from. */
gboolean lk_command_resumes_nothing (const LkCommand *command, const LkEngine *engine);
/* scontrol itself asks why a node goes out of service. */
gboolean lk_command_lacks_reason (const LkCommand *command);
/* lk_command_edit_reservation of the reservation that the update names, if there is one. */
gboolean lk_command_settle_reservation (const LkCommand *command, const LkEngine *engine,
                                        gint64 now_us, GStringChunk *texts,
                                        LkEvent_reservation_update *update, GError **error);

#endif
