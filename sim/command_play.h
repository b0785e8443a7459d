/* sim/command_play.h — plays a script of Slurm commands (traces/command_script.h) on a simulated
 * machine, and keeps what each command was answered.
 *
 * It stands where slurmctld's front stands: it gives jobs their numbers, says whose job is whose
 * and who may do what to it, and makes events of commands.  All else is the engine's.
 *
 * - A refused submit keeps its number where Slurm had made a record before it refused; components
 *   of a heterogeneous job that were taken before one was refused are gone, and keep theirs.
 * - root, and who has an AdminLevel of Operator or above in the accounts, may do everything; others
 *   what is theirs.
 * - scancel passes over jobs that are no more, and over tasks that are not there. */
#ifndef LK_SIM_COMMAND_PLAY_H
#define LK_SIM_COMMAND_PLAY_H

#include <glib.h>

#include "policies/registry.h"
#include "sim/driver.h"
#include "traces/command_script.h"

/* What a command was answered. */
typedef struct {
  const LkCommand *command;
  guint32 job_id;      /* of a submit that was taken; else 0 */
  const char *refused; /* why; NULL: it was not */
} LkCommandAnswer;

typedef struct _LkCommandPlay LkCommandPlay;

/* The script is borrowed. Returns: (transfer full); NULL, with an LK_TRACE_ERROR that names the
 * line, when a command sets what nothing acts on. */
LkCommandPlay *lk_command_play_new (const LkCommandScript *script, GError **error);
void lk_command_play_free (LkCommandPlay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCommandPlay, lk_command_play_free)

/* For LkSimClient: next_action_us, act and task. */
gint64 lk_command_play_next_us (LkCommandPlay *self);
void lk_command_play_act (LkCommandPlay *self, const LkSimControl *control);
void lk_command_play_task (LkCommandPlay *self, const LkDecision_task *task, LkSimJob *job);
/* And returned. */
void lk_command_play_returned (LkCommandPlay *self, guint32 job_id, LkSimJob *out_job);

/* Commands may name this job, too, which was in the system before the script began. `engine` must
 * outlive self. */
void lk_command_play_know (LkCommandPlay *self, const LkEngine *engine, LkJobIndex job);

/* Called at each squeue of the script, with the words behind it, before what else happens at that
 * instant. */
typedef void (*LkCommandLook) (gpointer user, const char *label, const LkSimControl *control);
void lk_command_play_on_look (LkCommandPlay *self, LkCommandLook look, gpointer user);

/* What the engine began with, so that commands may change the machine; must outlive self. */
void lk_command_play_describe (LkCommandPlay *self, const LkSetup *setup);

/* From here on each job runs longer than the script says by so much, times its number: those of one
 * moment do not end at one moment. 0 unless this is called. */
void lk_command_play_spread (LkCommandPlay *self, gint64 spread_us);

/* Of LkCommandAnswer, in the order of the script. Returns: (transfer none). */
const GArray *lk_command_play_answers (const LkCommandPlay *self);

/* Name of a job that was submitted; NULL: there is none of this number. */
const char *lk_command_play_job_name (const LkCommandPlay *self, guint32 job_id);
/* Who submitted it; NULL as above. */
const char *lk_command_play_job_user (const LkCommandPlay *self, guint32 job_id);
/* Number of its array and index of its task; FALSE: it is none. */
gboolean lk_command_play_job_task (const LkCommandPlay *self, guint32 job_id,
                                   guint32 *out_array_job_id, guint32 *out_task);

/* Number of the first component of its heterogeneous job, and which one it is; FALSE: it is
 * none. */
gboolean lk_command_play_job_component (const LkCommandPlay *self, guint32 job_id,
                                        guint32 *out_leader, guint32 *out_offset);

#endif
