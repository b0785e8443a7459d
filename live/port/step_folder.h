/* live/port/step_folder.h — what is on the disk of the steps of a run, in the run's folder
 * (run_folder.h):
 *
 *     step_N       a line: its memory, as for lk_cgroup_set_memory, and the system's CPUs of each
 *                  core that it has; then the message that began it
 *     step_N.end   how it has ended; zero bytes before that, so that a full disk takes it
 *
 * It is there from before the step is begun until its end was told to the controller; only how it
 * has ended is durable, as no step outlives a boot. */
#ifndef LK_LIVE_PORT_STEP_FOLDER_H
#define LK_LIVE_PORT_STEP_FOLDER_H

#include "live/core/message.h"
#include "live/port/memory_limit.h"

/* What it has of the node. */
typedef struct {
  char *cores; /* the system's CPUs of each, as 0,4;1,5; "": unknown */
  LkMemoryLimits memory;
} LkStepRoom;

/* Descriptors are of the folder of the run. FALSE, NULL: see errno. */
gboolean lk_step_folder_make (int folder, guint32 step_id, const LkStepRoom *room, LkBytes launch);
/* The bytes of the message; cores are to be freed. Returns: (transfer full). */
GByteArray *lk_step_folder_launch (int folder, guint32 step_id, LkStepRoom *out_room);
/* FALSE: it has not ended, or is not there. */
gboolean lk_step_folder_end (int folder, guint32 step_id, LkStepReport *out_report);
/* Durable. */
gboolean lk_step_folder_set_end (int folder, const LkStepReport *report);
/* Of guint32, rising. Returns: (transfer full). */
GArray *lk_step_folder_list (int folder);
void lk_step_folder_remove (int folder, guint32 step_id);

/* Those that have not ended have, by SIGKILL; `ended` is told of each whose end is durable. */
void lk_step_folder_end_all (int folder, guint64 run_id,
                             void (*ended) (gpointer user, const LkStepReport *report),
                             gpointer user);

#endif
