/* live/client/rounds.h — -M and -i: for which clusters a report is made, and how often.
 *
 * There is one cluster.  Who names it, or all, gets its name above the report, as Slurm's commands
 * put it above the report of each. */
#ifndef LK_LIVE_CLIENT_ROUNDS_H
#define LK_LIVE_CLIENT_ROUNDS_H

#include "live/client/client.h"

/* What accounts or configuration call it; "linux" where neither does. Returns: (transfer full). */
char *lk_client_cluster_name (const LkClient *client);
/* The first value of a key that stands in a line of its own in the configuration; NULL: none does,
 * or it cannot be read here. Returns: (transfer full). */
char *lk_client_conf_value (const LkClient *client, const char *key);
/* Is the one cluster among those of -M (`names`), or of SLURM_CLUSTERS where that is NULL?  Who
 * names nobody means it, too.  `out_name` (transfer full): its name where it was named, else NULL.
 * FALSE: it is not; told. */
gboolean lk_client_clusters_check (const LkClient *client, const char *names, char **out_name);

typedef struct {
  const char *clusters; /* of -M; NULL: none were named */
  const char *iterate;  /* seconds, of -i; NULL: once */
  gboolean no_heading;
  gboolean tells_date; /* also where nothing is told again */
} LkRounds;

/* Makes the report, again and again with -i, and above it the date and the cluster's name as asked.
 * `report` returns the exit code.  Returns: 1 where one of them failed. */
int lk_rounds_run (LkClient *client, const LkRounds *rounds,
                   int (*report) (LkClient *client, gpointer user), gpointer user);

#endif
