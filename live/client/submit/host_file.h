/* live/client/submit/host_file.h — files that name nodes: --nodefile, a path in place of a list,
 * and SLURM_HOSTFILE.
 *
 * A line has names of nodes, or ranges of them, with commas between; "*3" behind a name stands for
 * it three times; from # on it is a comment.  Source: srun(1), --nodefile, --nodelist, --exclude
 * and SLURM_HOSTFILE. */
#ifndef LK_LIVE_CLIENT_SUBMIT_HOST_FILE_H
#define LK_LIVE_CLIENT_SUBMIT_HOST_FILE_H

#include "live/client/client.h"

#define LK_HOST_FILE_NAMES_MAX 65535u

/* Appends the names (of char*, owned by `hosts`), as often as they stand there. Returns: the number
 * of the line that is none; 0: all are. */
guint lk_host_file_lines (const char *text, GPtrArray *hosts);
/* Each once, with commas between. Returns: (transfer full). */
char *lk_host_file_names (const GPtrArray *hosts, guint *out_count);

/* Puts what the files say in their place into the words of options, of which --nodefile counts more
 * than --nodelist. FALSE: told. */
gboolean lk_host_file_settle (const LkClient *client, GPtrArray *words);

#endif
