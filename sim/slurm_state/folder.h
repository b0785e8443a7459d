/* sim/slurm_state/folder.h — a folder of what scripts/collect-slurm-state has collected. */
#ifndef LK_SIM_SLURM_STATE_FOLDER_H
#define LK_SIM_SLURM_STATE_FOLDER_H

#include "sim/slurm_state/record.h"

/* Files of the folder: X (NAME, file, what it is, what its absence means; NULL: it must be there).
 */
#define LK_STATE_FILES(X)                                                                          \
  X (CONFIG, "config.txt", "scontrol show config", NULL)                                           \
  X (NODES, "nodes.txt", "scontrol -o show node", NULL)                                            \
  X (PARTITIONS, "partitions.txt", "scontrol -o show partition", NULL)                             \
  X (JOBS, "jobs.txt", "scontrol -o show job", NULL)                                               \
  X (RESERVATIONS, "reservations.txt", "scontrol -o show reservation",                             \
     "no advance reservation is known")                                                            \
  X (ACCOUNTS, "accounts.txt", "sacctmgr dump",                                                    \
     "nobody is told from another: no fairshare, no QOS, no limits of associations")               \
  X (SHARES, "shares.txt", "sshare -l -P -a", "nobody has used anything before")                   \
  X (GRES, "gres.conf", "gres.conf", "sockets and links of devices are not known")                 \
  X (TOPOLOGY, "topology.conf", "topology.conf", "the network is taken as flat")

typedef enum {
#define X(name, file, what, absence) LK_STATE_FILE_##name,
  LK_STATE_FILES (X)
#undef X
      LK_STATE_FILE_COUNT
} LkStateFile;

typedef struct {
  char *path;
  char *paths[LK_STATE_FILE_COUNT];   /* as shown in messages */
  GBytes *bytes[LK_STATE_FILE_COUNT]; /* NULL: it is not there */
  GTimeZone *zone;                    /* in which its moments are told */
  gint64 collected_us;                /* when */
  GPtrArray *told;                    /* of LkSlurmRow*, see told.h */
} LkStateFolder;

/* Reads all files; those that are missing and need not be there are told.  Moments are those of
 * `zone`, NULL: UTC. FALSE with an error that names the file. */
gboolean lk_state_folder_open (LkStateFolder *self, const char *path, GTimeZone *zone,
                               GError **error);
void lk_state_folder_close (LkStateFolder *self);

/* "config.txt" ...; ends with NULL. */
const char *const *lk_state_file_names (void);

/* "scontrol show config" ... */
const char *lk_state_file_command (LkStateFile file);

#endif
