/* live/client/submit/job_option_text.c — see the header. Source: sbatch(1). */
#include "live/client/submit/job_option_text.h"

#include <string.h>

static const struct {
  const char *name;
  const char *text;
} texts[] = {
  { "account", "account that is charged" },
  { "array", "indexes of the tasks of an array, %N behind them: so many at once" },
  { "begin", "does not start before this moment" },
  { "chdir", "folder that the script runs in" },
  { "clusters", "the cluster by name, or all: there is one" },
  { "comment", "a text for people" },
  { "constraint", "features that nodes must have" },
  { "contiguous", "nodes that follow each other" },
  { "cores-per-socket", "nodes with at least so many cores in a socket" },
  { "cpus-per-gpu", "CPUs for each GPU" },
  { "cpus-per-task", "CPUs for each task" },
  { "deadline", "is taken out where it cannot end before this moment" },
  { "dependency", "does not start before these jobs are so far: TYPE:JOB[:JOB...]" },
  { "distribution", "how tasks are laid out over nodes and sockets: block, cyclic, plane=N" },
  { "error", "file of standard error; %j, %A, %a, %x, %u, %N, %t and %n stand for parts" },
  { "exclude", "nodes that it must not have" },
  { "exclusive", "nodes that it shares with nobody; =user, =mcs: with none but those" },
  { "export", "variables that the job gets: ALL, NIL, NONE, NAME or NAME=VALUE, ..." },
  { "export-file", "file with variables, parted by NUL" },
  { "extra-node-info", "SOCKETS[:CORES[:THREADS]] that nodes must have" },
  { "get-user-env", "variables as behind a login of the user" },
  { "gid", "group that the job runs as" },
  { "gpus", "GPUs of the job, as [TYPE:]N" },
  { "gpus-per-node", "GPUs on each node, as [TYPE:]N" },
  { "gpus-per-socket", "GPUs on each socket, as [TYPE:]N" },
  { "gpus-per-task", "GPUs for each task, as [TYPE:]N" },
  { "gres", "generic resources on each node: NAME[:TYPE]:N, ..." },
  { "gres-flags", "how generic resources and cores go together" },
  { "help", "tells the options, and ends" },
  { "hint", "compute_bound, memory_bound, multithread or nomultithread" },
  { "hold", "waits until it is released" },
  { "input", "file of standard input" },
  { "job-name", "name of the job" },
  { "kill-on-invalid-dep", "yes: ends when its dependency can never be met" },
  { "licenses", "licences: NAME[:N], ..." },
  { "mail-type", "what mail is sent of: NONE, BEGIN, END, FAIL, REQUEUE, ALL, ..." },
  { "mail-user", "who gets it" },
  { "mem", "memory on each node; 0: all of it" },
  { "mem-per-cpu", "memory for each CPU" },
  { "mem-per-gpu", "memory for each GPU" },
  { "mincpus", "nodes with at least so many CPUs" },
  { "nice", "takes so much from its priority" },
  { "no-kill", "goes on when one of its nodes fails; =off: does not" },
  { "no-requeue", "never goes back to the queue" },
  { "nodelist", "nodes that it must have" },
  { "nodes", "how many nodes: N, MIN-MAX or a list of sizes" },
  { "ntasks", "how many tasks" },
  { "ntasks-per-gpu", "tasks for each GPU" },
  { "ntasks-per-node", "tasks on each node" },
  { "ntasks-per-socket", "tasks on each socket" },
  { "open-mode", "append to files of output, or truncate them" },
  { "output", "file of standard output; %j, %A, %a, %x, %u, %N, %t and %n stand for parts" },
  { "oversubscribe", "may share its nodes with others" },
  { "overcommit", "has CPUs as if it had one task on each node" },
  { "parsable", "tells the number of the job alone" },
  { "partition", "partition; of a list the first that can start it" },
  { "priority", "priority, instead of what is calculated" },
  { "propagate", "limits of this shell that the job gets: ALL, NONE or names" },
  { "qos", "quality of service" },
  { "quiet", "tells nothing but errors" },
  { "requeue", "goes back to the queue when its node fails" },
  { "reservation", "advance reservation that it runs in" },
  { "segment", "so many nodes of a block at a time" },
  { "signal", "is sent this signal so long before its end: [B:]SIGNAL[@SECONDS]" },
  { "sockets-per-node", "nodes with at least so many sockets" },
  { "spread-job", "over as many nodes as possible" },
  { "switches", "over at most so many switches, and how long that is waited for: N[@TIME]" },
  { "test-only", "tells when it would start; nothing is submitted" },
  { "threads-per-core", "nodes with so many threads in a core" },
  { "time", "time limit: MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS, ..." },
  { "time-min", "time limit that it may be cut down to" },
  { "tmp", "nodes with so much room for temporary files" },
  { "uid", "user that the job runs as" },
  { "usage", "tells in one line how it is called, and ends" },
  { "use-min-nodes", "of a range of nodes the fewest" },
  { "verbose", "tells which options were given" },
  { "version", "tells whose commands these are like, and ends" },
  { "wait", "comes back when the job has ended, with its exit code" },
  { "wckey", "key of the workload" },
  { "wrap", "commands of the job, instead of a script" },
};

const char *
lk_job_option_text (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (strcmp (texts[i].name, name) == 0)
      return texts[i].text;
  return NULL;
}
