/* live/client/commands.c — see the header. */
#include "live/client/commands.h"

#include <string.h>

const LkClientCommand lk_client_commands[] = {
  { "salloc", lk_salloc, "holds nodes while a program runs here" },
  { "sattach", lk_sattach, "looks on at a step, and writes to it" },
  { "sbatch", lk_sbatch, "submits a batch script" },
  { "sbcast", lk_sbcast, "copies a file to the nodes of a job" },
  { "scancel", lk_scancel, "ends jobs, or signals them" },
  { "scontrol", lk_scontrol, "looks at the cluster, and changes it" },
  { "sdiag", lk_sdiag, "tells what the controller has done" },
  { "sacct", lk_sacct, "tells of jobs that have been run" },
  { "sacctmgr", lk_sacctmgr, "accounts, users and QOS" },
  { "sinfo", lk_sinfo, "tells of partitions and nodes" },
  { "seff", lk_seff, "tells how much of what it held a job has used" },
  { "sprio", lk_sprio, "tells what priorities are made of" },
  { "squeue", lk_squeue, "tells of the jobs in the system" },
  { "sreport", lk_sreport, "tells what was used, and by whom" },
  { "srun", lk_srun, "runs tasks on nodes of a job" },
  { "sshare", lk_sshare, "tells of shares and use of accounts" },
  { "sstat", lk_sstat, "tells what living steps have used" },
  { NULL, NULL, NULL },
};

const LkClientCommand *
lk_client_command_find (const char *name)
{
  for (const LkClientCommand *at = lk_client_commands; at->name != NULL; at++)
    if (strcmp (at->name, name) == 0)
      return at;
  return NULL;
}
