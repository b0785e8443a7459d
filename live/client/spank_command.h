/* live/client/spank_command.h — the SPANK plugins of the site in sbatch, salloc and srun: options
 * that they offer, and their functions, in the order in which Slurm's commands call them.
 *
 * A client that has none (nobody has told it of a plugstack.conf) has no such options, and all of
 * this does nothing. */
#ifndef LK_LIVE_CLIENT_SPANK_COMMAND_H
#define LK_LIVE_CLIENT_SPANK_COMMAND_H

#include "live/client/client.h"
#include "live/spank/stack.h"

/* Loads them, and slurm_spank_init. FALSE: told; the command ends. */
gboolean lk_spank_command_begin (LkClient *client, spank_context_t context);
/* slurm_spank_exit. */
void lk_spank_command_end (LkClient *client);
/* The number of an option; -1: no plugin offers it. */
gint lk_spank_command_find (const LkClient *client, const char *name);
/* An option was given. FALSE: told. */
gboolean lk_spank_command_take (LkClient *client, guint index, const char *value);
/* "--name=value", "--name". FALSE: told; `out_is_ours`: it is one of a plugin. */
gboolean lk_spank_command_word (LkClient *client, const char *word, gboolean *out_is_ours);
/* Behind all options: slurm_spank_init_post_opt. What plugins have put into our environment is in
 * the client's. FALSE: told. */
gboolean lk_spank_command_ready (LkClient *client);
/* Behind the allocation: slurm_spank_local_user_init. FALSE: told. */
gboolean lk_spank_command_user (const LkClient *client, guint32 job_id, char **arguments);
/* Of --help. */
void lk_spank_command_help (const LkClient *client);
/* Behind that an option is unknown: that it would be one of a plugin, if it is known as such. */
void lk_spank_command_tell_lack (const LkClient *client, const char *option);

#endif
