/* live/step/step_plugins.h — the SPANK plugins of the site in what runs a step, or the batch
 * script, on a node: remote context.
 *
 * They are loaded and begin with the rights of the supervisor.  Behind that the process is the
 * user's for now (lk_enter_user_for_now), so that the functions which Slurm calls as root are:
 * these go through lk_step_plugins_call_as_root.  Without plugins none of this is so, and the
 * process gives up its rights for good.
 *
 * A line of theirs is kept until there is somebody to listen. */
#ifndef LK_LIVE_STEP_STEP_PLUGINS_H
#define LK_LIVE_STEP_STEP_PLUGINS_H

#include "live/core/batch.h"
#include "live/spank/stack.h"
#include "live/step/step.h"

/* Slurm's number of the batch script as a step. */
#define LK_STEP_PLUGINS_BATCH 0xfffffffbu

typedef struct _LkStepPlugins LkStepPlugins;

/* `environment` is that of the tasks. Loads them; slurm_spank_init, options of the job,
 * slurm_spank_init_post_opt. `out_is_good` FALSE: that has failed, and lines say why. Returns:
 * (transfer full), lives as long as the process; NULL: the site has none. */
LkStepPlugins *lk_step_plugins_new (const LkStep *step, guint32 step_id, LkStrings environment,
                                    gboolean *out_is_good);
/* To be filled in before functions are called that may ask. */
LkSpankScene *lk_step_plugins_scene (LkStepPlugins *self);
/* Makes room in the scene for so many tasks. Returns: (transfer none). */
LkSpankTask *lk_step_plugins_set_tasks (LkStepPlugins *self, guint count);
LkSpankTask *lk_step_plugins_scene_task (LkStepPlugins *self, guint index);
gboolean lk_step_plugins_has (const LkStepPlugins *self, LkSpankHook hook);
/* FALSE: a required one has failed, told. */
gboolean lk_step_plugins_call (LkStepPlugins *self, LkSpankHook hook);
gboolean lk_step_plugins_call_as_root (LkStepPlugins *self, LkSpankHook hook);
/* In a process that is to become a task: task_init_privileged, and then it is the user's for good.
 * FALSE: told. */
gboolean lk_step_plugins_enter_task (LkStepPlugins *self);
/* What they have made of the environment of the tasks, until it is of one task. Returns: (transfer
 * full), of strings each ended by a NUL. */
GByteArray *lk_step_plugins_environment (LkStepPlugins *self);
/* Where lines go from now on, those that were kept first. */
void lk_step_plugins_listen (LkStepPlugins *self, LkSpankLog say, gpointer user);
/* On standard error, as slurmstepd writes. An LkSpankLog. */
void lk_step_plugins_write (gpointer user, LkSpankLevel level, const char *line);

/* Before and behind a job, in a process of its own: job script context. FALSE: told. */
gboolean lk_step_plugins_job (const LkStep *step, gboolean is_prolog);

#endif
