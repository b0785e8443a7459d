/* live/client/commands.h — the commands: one program that answers to the name it is called by. */
#ifndef LK_LIVE_CLIENT_COMMANDS_H
#define LK_LIVE_CLIENT_COMMANDS_H

#include "live/client/client.h"

/* argv[0] is the name. Returns: the exit code. */
typedef int (*LkClientRun) (LkClient *client, int argc, char **argv);

int lk_salloc (LkClient *client, int argc, char **argv);
int lk_sattach (LkClient *client, int argc, char **argv);
int lk_srun (LkClient *client, int argc, char **argv);
int lk_sbatch (LkClient *client, int argc, char **argv);
int lk_scancel (LkClient *client, int argc, char **argv);
int lk_scontrol (LkClient *client, int argc, char **argv);
int lk_sdiag (LkClient *client, int argc, char **argv);
int lk_sacct (LkClient *client, int argc, char **argv);
int lk_sacctmgr (LkClient *client, int argc, char **argv);
int lk_seff (LkClient *client, int argc, char **argv);
int lk_sinfo (LkClient *client, int argc, char **argv);
int lk_sprio (LkClient *client, int argc, char **argv);
int lk_squeue (LkClient *client, int argc, char **argv);
int lk_sreport (LkClient *client, int argc, char **argv);
int lk_sshare (LkClient *client, int argc, char **argv);
int lk_sbcast (LkClient *client, int argc, char **argv);
int lk_sstat (LkClient *client, int argc, char **argv);

typedef struct {
  const char *name;
  LkClientRun run;
  const char *help;
} LkClientCommand;

/* Ends with one without a name. */
extern const LkClientCommand lk_client_commands[];
/* NULL: there is none. */
const LkClientCommand *lk_client_command_find (const char *name);

/* Tables of options for docs/commands.md. */
void lk_salloc_markdown (GString *out);
void lk_sattach_markdown (GString *out);
void lk_srun_markdown (GString *out);
void lk_sreport_markdown (GString *out);
void lk_sdiag_markdown (GString *out);
void lk_seff_markdown (GString *out);
void lk_sinfo_markdown (GString *out);
void lk_sprio_markdown (GString *out);
void lk_squeue_markdown (GString *out);
void lk_sshare_markdown (GString *out);
void lk_sbcast_markdown (GString *out);
void lk_sstat_markdown (GString *out);
/* Tables of variables for docs/variables.md. */
void lk_salloc_variables_markdown (GString *out);
void lk_sbatch_variables_markdown (GString *out);
void lk_srun_variables_markdown (GString *out);

/* "slurm 26.05.3": whose commands these are like, for scripts that look at --version. */
#define LK_CLIENT_SLURM_VERSION "26.05.3"

#endif
