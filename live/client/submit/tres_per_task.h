/* live/client/submit/tres_per_task.h — --tres-per-task=cpu:2,gres/gpu:1, which says in one word
 * what --cpus-per-task and --gpus-per-task say in two.
 *
 * Source: sbatch(1) of Slurm 23.11. */
#ifndef LK_LIVE_CLIENT_SUBMIT_TRES_PER_TASK_H
#define LK_LIVE_CLIENT_SUBMIT_TRES_PER_TASK_H

#include "live/client/client.h"

/* Puts these two in its place. `words` are of one source: the command line, the script or the
 * variables; in one of another source they may say something else, in the same one it is an error.
 * FALSE: told. */
gboolean lk_tres_per_task_settle (const LkClient *client, GPtrArray *words);

#endif
