/* live/client/job_option_help.c — see the header. Source: srun(1). */
#include "live/client/job_option_help.h"

#include <glib.h>
#include <string.h>

enum { PLAIN, CONSTRAINT, CONSUMABLE, AFFINITY, GPU };

const char *const lk_job_option_sections[] = {
  [PLAIN] = "Options of the job and its tasks",
  [CONSTRAINT] = "Constraint options",
  [CONSUMABLE] = "Consumable resources related options",
  [AFFINITY] = "Affinity and multi-core options",
  [GPU] = "GPU scheduling options",
  NULL,
};

static const struct {
  const char *name;
  guint section;
  const char *value; /* NULL: it has none */
} known[] = {
  { "account", PLAIN, "name" },
  { "array", PLAIN, "indexes" },
  { "begin", PLAIN, "time" },
  { "chdir", PLAIN, "path" },
  { "comment", PLAIN, "text" },
  { "constraint", CONSTRAINT, "list" },
  { "contiguous", CONSTRAINT, NULL },
  { "cores-per-socket", AFFINITY, "cores" },
  { "cpu-bind", AFFINITY, "type" },
  { "cpu-freq", PLAIN, "frequency" },
  { "cpus-per-gpu", GPU, "n" },
  { "cpus-per-task", PLAIN, "ncpus" },
  { "deadline", PLAIN, "time" },
  { "dependency", PLAIN, "type:jobid" },
  { "distribution", PLAIN, "type" },
  { "error", PLAIN, "err" },
  { "exclude", CONSTRAINT, "hosts" },
  { "exclusive", CONSUMABLE, "user" },
  { "export", PLAIN, "names" },
  { "extra-node-info", AFFINITY, "S:C:T" },
  { "gpu-bind", GPU, "type" },
  { "gpu-freq", GPU, "frequency" },
  { "gpus", GPU, "n" },
  { "gpus-per-node", GPU, "n" },
  { "gpus-per-socket", GPU, "n" },
  { "gpus-per-task", GPU, "n" },
  { "gres", CONSUMABLE, "list" },
  { "gres-flags", CONSUMABLE, "opts" },
  { "hint", AFFINITY, "hint" },
  { "input", PLAIN, "in" },
  { "job-name", PLAIN, "jobname" },
  { "licenses", PLAIN, "names" },
  { "mail-type", PLAIN, "type" },
  { "mail-user", PLAIN, "user" },
  { "mem", CONSUMABLE, "MB" },
  { "mem-bind", AFFINITY, "type" },
  { "mem-per-cpu", CONSUMABLE, "MB" },
  { "mem-per-gpu", GPU, "MB" },
  { "mincpus", CONSTRAINT, "n" },
  { "nice", PLAIN, "value" },
  { "nodelist", CONSTRAINT, "hosts" },
  { "nodes", PLAIN, "N" },
  { "ntasks", PLAIN, "ntasks" },
  { "ntasks-per-core", AFFINITY, "n" },
  { "ntasks-per-gpu", GPU, "n" },
  { "ntasks-per-node", PLAIN, "n" },
  { "ntasks-per-socket", AFFINITY, "n" },
  { "output", PLAIN, "out" },
  { "oversubscribe", CONSUMABLE, NULL },
  { "partition", PLAIN, "partition" },
  { "priority", PLAIN, "value" },
  { "qos", PLAIN, "qos" },
  { "reservation", PLAIN, "name" },
  { "signal", PLAIN, "num" },
  { "sockets-per-node", AFFINITY, "sockets" },
  { "switches", PLAIN, "switches" },
  { "threads-per-core", AFFINITY, "threads" },
  { "time", PLAIN, "minutes" },
  { "time-min", PLAIN, "minutes" },
  { "tmp", CONSTRAINT, "MB" },
  { "wckey", PLAIN, "wckey" },
};

static gsize
known_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].name, name) == 0)
      return i;
  return G_N_ELEMENTS (known);
}

const char *
lk_job_option_section (const char *name)
{
  gsize at = known_find (name);
  return lk_job_option_sections[at < G_N_ELEMENTS (known) ? known[at].section : PLAIN];
}

const char *
lk_job_option_value (const char *name)
{
  gsize at = known_find (name);
  return at < G_N_ELEMENTS (known) && known[at].value != NULL ? known[at].value : "VALUE";
}
