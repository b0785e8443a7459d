/* traces/command_keys.c — see the header. */
#include "traces/command_keys.h"

#include <string.h>

/* Of several that could be meant the first is. */
typedef struct {
  const char *key;
  gsize least_bytes;
} Key;

static const Key job_keys[] = {
  { "jobid", 3 },          { "jobname", 4 },        { "account", 1 },     { "comment", 3 },
  { "contiguous", 3 },     { "cpuspertask", 9 },    { "dependency", 1 },  { "deadline", 3 },
  { "eligibletime", 2 },   { "endtime", 2 },        { "excnodelist", 3 }, { "features", 1 },
  { "gres", 2 },           { "licenses", 1 },       { "mincpusnode", 4 }, { "minmemorycpu", 10 },
  { "minmemorynode", 10 }, { "mintmpdisknode", 5 }, { "name", 2 },        { "nice", 2 },
  { "nodelist", 5 },       { "numcpus", 6 },        { "numnodes", 4 },    { "numtasks", 4 },
  { "oversubscribe", 2 },  { "partition", 2 },      { "priority", 2 },    { "qos", 2 },
  { "reqcores", 4 },       { "reqnodelist", 8 },    { "reqnodes", 4 },    { "reqprocs", 4 },
  { "reqsockets", 4 },     { "reqthreads", 4 },     { "requeue", 4 },     { "reservationname", 3 },
  { "shared", 2 },         { "sitefactor", 2 },     { "starttime", 2 },   { "switches", 5 },
  { "taskspernode", 2 },   { "timelimit", 5 },      { "timemin", 5 },     { NULL, 0 },
};
static const Key node_keys[] = {
  { "nodename", 1 },
  { "activefeatures", 4 },
  { "availablefeatures", 3 },
  { "features", 1 },
  { "reason", 1 },
  { "state", 1 },
  { "weight", 1 },
  { NULL, 0 },
};
static const Key partition_keys[] = {
  { "partitionname", 1 },
  { "maxtime", 4 },
  { "maxcpuspernode", 4 },
  { "maxcpuspersocket", 11 },
  { "defaulttime", 8 },
  { "default", 7 },
  { "disablerootjobs", 1 },
  { "exclusiveuser", 1 },
  { "exclusivetopo", 10 },
  { "hidden", 1 },
  { "lln", 1 },
  { "rootonly", 1 },
  { "reqresv", 1 },
  { "shared", 2 },
  { "oversubscribe", 5 },
  { "preemptmode", 3 },
  { "priority", 3 },
  { "priorityjobfactor", 9 },
  { "prioritytier", 9 },
  { "state", 2 },
  { "nodes", 1 },
  { "allowgroups", 6 },
  { "allowaccounts", 6 },
  { "allowqos", 6 },
  { "denyaccounts", 5 },
  { "denyqos", 5 },
  { "allocnodes", 3 },
  { "gracetime", 5 },
  { "defmempercpu", 10 },
  { "defmempergpu", 10 },
  { "defmempernode", 10 },
  { "maxmempercpu", 10 },
  { "maxmempernode", 10 },
  { "maxnodes", 4 },
  { "minnodes", 2 },
  { "overtimelimit", 5 },
  { "qos", 3 },
  { "jobdefaults", 1 },
  { "tresbillingweights", 1 },
  { "powerdownonidle", 5 },
  { NULL, 0 },
};
static const Key reservation_keys[] = {
  { "reservationname", 1 },
  { "accounts", 1 },
  { "duration", 1 },
  { "endtime", 1 },
  { "starttime", 1 },
  { "users", 1 },
  { "groups", 1 },
  { "partitionname", 1 },
  { "tres", 1 },
  { "flags", 2 },
  { "features", 2 },
  { "licenses", 2 },
  { "maxstartdelay", 4 },
  { "nodes", 5 },
  { "nodecnt", 5 },
  { "corecnt", 5 },
  { "allowedpartitions", 10 },
  { "allowedqos", 8 },
  { NULL, 0 },
};

static const Key *const tables[] = { job_keys, node_keys, partition_keys, reservation_keys };
static const guint counts[] = { G_N_ELEMENTS (job_keys), G_N_ELEMENTS (node_keys),
                                G_N_ELEMENTS (partition_keys), G_N_ELEMENTS (reservation_keys) };

const char *
lk_command_key_whole (LkCommandKeys of, const char *key)
{
  gsize bytes = strlen (key);
  for (const Key *at = tables[of]; at->key != NULL; at++)
    if (bytes >= at->least_bytes && bytes < strlen (at->key) && strncmp (at->key, key, bytes) == 0)
      return at->key;
  return key;
}

const char *
lk_command_key_at (LkCommandKeys of, guint index)
{
  return index < counts[of] ? tables[of][index].key : NULL;
}
