/* tests/property/machine_ledger.c — see the header. Nodes of random machines have fewer than 64
 * cores. */
#include "tests/property/machine_ledger.h"

#include <string.h>

#include "engine/hostlist.h"
#include "tests/property/machine_text.h"

typedef struct {
  const LkNodeSpec *spec;
  char *name;
  guint32 flags;
} Node;

/* What a job holds on one node. */
typedef struct {
  guint job; /* place in the workload */
  guint node;
  guint64 cores;
  LkMachineGres gres;
  guint32 cpus;
  gint64 memory_bytes;
} Holding;

struct _LkMachineLedger {
  const LkMachineWorkload *workload;
  gboolean whole_nodes;
  GArray *nodes;    /* of Node */
  GArray *holdings; /* of Holding */
};

/* ---------------------------------------------------------------- the machine */

static const Node *
node_at (const LkMachineLedger *self, guint node)
{
  return &g_array_index (self->nodes, Node, node);
}

static guint
find_node (const LkMachineLedger *self, const char *name)
{
  for (guint i = 0; i < self->nodes->len; i++)
    if (strcmp (node_at (self, i)->name, name) == 0)
      return i;
  g_error ("there is no node '%s'", name);
}

/* As a string. Returns: (transfer full). */
static char *
copy_text (const char *bytes, gsize length_bytes)
{
  return length_bytes > 0 ? g_strndup (bytes, length_bytes) : g_strdup ("");
}

static GPtrArray *
expand (const char *text, gsize length_bytes)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_assert_true (lk_hostlist_expand (text, length_bytes, names, NULL));
  return names;
}

static gboolean
list_has (const char *list, gsize length_bytes, const char *name)
{
  if (length_bytes == 3 && memcmp (list, "ALL", 3) == 0)
    return TRUE;
  g_autoptr (GPtrArray) names = expand (list, length_bytes);
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), name) == 0)
      return TRUE;
  return FALSE;
}

static const LkPartitionSpec *
partition_of (const LkMachineLedger *self, guint job)
{
  const GPtrArray *partitions = self->workload->cluster->partitions;
  LkText name = self->workload->jobs[job].request.partition;
  for (guint i = 0; i < partitions->len; i++) {
    const LkPartitionSpec *partition = g_ptr_array_index (partitions, i);
    if (name.length_bytes == 0
            ? partition->is_default
            : strlen (partition->name) == name.length_bytes
                  && memcmp (partition->name, name.bytes, name.length_bytes) == 0)
      return partition;
  }
  g_error ("job %u runs in a partition that is not there", self->workload->jobs[job].id);
}

/* CPUs of a core. */
static guint32
core_cpus (const LkNodeSpec *spec)
{
  return spec->cpus / (spec->sockets * spec->cores_per_socket);
}

static guint64
all_cores (const LkNodeSpec *spec)
{
  guint32 count = spec->sockets * spec->cores_per_socket - spec->cores_reserved;
  g_assert_cmpuint (count, <, 64);
  return (G_GUINT64_CONSTANT (1) << count) - 1;
}

static guint32
gres_count (const LkNodeSpec *spec, const char *name, gboolean *out_no_consume)
{
  guint32 count = 0;
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, name) != 0)
      continue;
    count += gres->count;
    if (out_no_consume != NULL)
      *out_no_consume = gres->no_consume;
  }
  return count;
}

static const char *
device_type (const LkNodeSpec *spec, guint32 device)
{
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    if (strcmp (gres->name, "gpu") != 0)
      continue;
    if (device < gres->count)
      return gres->type;
    device -= gres->count;
  }
  g_error ("there is no device %u", device);
}

/* ---------------------------------------------------------------- how nodes are shared */

/* Most jobs on a core of the job; 1: its cores are its own. */
static guint32
sharing_jobs (const LkMachineLedger *self, guint job)
{
  const LkPartitionSpec *partition = partition_of (self, job);
  guint32 flags = self->workload->jobs[job].request.flags;
  gboolean shares = partition->oversubscribe == LK_OVERSUBSCRIBE_FORCE
                    || (partition->oversubscribe == LK_OVERSUBSCRIBE_YES
                        && (flags & LK_REQUEST_OVERSUBSCRIBE) != 0);
  return shares ? partition->oversubscribe_jobs : 1;
}

static gboolean
is_alone (const LkMachineLedger *self, guint job)
{
  guint32 flags = self->workload->jobs[job].request.flags;
  return self->whole_nodes || self->workload->cluster->consume == LK_CONSUME_NODE
         || partition_of (self, job)->oversubscribe == LK_OVERSUBSCRIBE_EXCLUSIVE
         || ((flags & LK_REQUEST_EXCLUSIVE) != 0 && sharing_jobs (self, job) == 1);
}

/* Are CPUs handed out to the job, not cores? */
static gboolean
counts_cpus (const LkMachineLedger *self, guint job)
{
  return self->workload->cluster->consume == LK_CONSUME_CPU && !is_alone (self, job);
}

/* Who has a node alone has all that is on it, but where all have. */
static gboolean
has_all_gres (const LkMachineLedger *self, guint job)
{
  return is_alone (self, job) && !self->whole_nodes;
}

/* A job with --exclusive that shares its nodes has all that others leave. */
static gboolean
has_free_gres (const LkMachineLedger *self, guint job)
{
  return !self->whole_nodes
         && (self->workload->jobs[job].request.flags & LK_REQUEST_EXCLUSIVE) != 0;
}

static gboolean
wants_one_user (const LkMachineLedger *self, guint job)
{
  return partition_of (self, job)->exclusive_user
         || (self->workload->jobs[job].request.flags & LK_REQUEST_EXCLUSIVE_USER) != 0;
}

static void
check_beside (const LkMachineLedger *self, const Holding *a, const Holding *b)
{
  const LkMachineJob *job_a = &self->workload->jobs[a->job];
  const LkMachineJob *job_b = &self->workload->jobs[b->job];
  gboolean share_a = sharing_jobs (self, a->job) > 1;
  g_assert_false (is_alone (self, a->job) || is_alone (self, b->job));
  g_assert_cmpint (share_a, ==, sharing_jobs (self, b->job) > 1);
  if (wants_one_user (self, a->job) || wants_one_user (self, b->job))
    g_assert_cmpuint (job_a->user_id, ==, job_b->user_id);
  if (!share_a)
    g_assert_cmpuint (a->cores & b->cores, ==, 0);
  g_assert_cmpuint (a->gres.devices & b->gres.devices, ==, 0);
  g_assert_true (b->gres.shares == 0 || ((a->gres.devices >> b->gres.share_device) & 1) == 0);
  g_assert_true (a->gres.shares == 0 || ((b->gres.devices >> a->gres.share_device) & 1) == 0);
}

/* ---------------------------------------------------------------- sums */

static guint32
shares_on (const LkMachineLedger *self, guint node, guint32 device)
{
  guint32 sum = 0;
  for (guint i = 0; i < self->holdings->len; i++) {
    const Holding *holding = &g_array_index (self->holdings, Holding, i);
    if (holding->node == node && holding->gres.shares > 0 && holding->gres.share_device == device)
      sum += holding->gres.shares;
  }
  return sum;
}

static void
check_node (const LkMachineLedger *self, guint node)
{
  const LkNodeSpec *spec = node_at (self, node)->spec;
  guint32 gpu_count = gres_count (spec, "gpu", NULL);
  gboolean no_consume = FALSE;
  guint32 count_limit = gres_count (spec, "nic", &no_consume);
  guint32 counts = 0;
  gint64 memory_bytes = 0;
  guint32 on_core[64] = { 0 };
  for (guint i = 0; i < self->holdings->len; i++) {
    const Holding *a = &g_array_index (self->holdings, Holding, i);
    if (a->node != node)
      continue;
    g_assert_cmpuint (a->cores & ~all_cores (spec), ==, 0);
    g_assert_cmpuint (a->gres.devices >> gpu_count, ==, 0);
    counts += a->gres.counts;
    memory_bytes += a->memory_bytes;
    for (guint core = 0; core < 64; core++)
      if (((a->cores >> core) & 1) != 0)
        g_assert_cmpuint (++on_core[core], <=, LK_LIMIT_OVERSUBSCRIBE_JOBS);
    for (guint j = 0; j < i; j++) {
      const Holding *b = &g_array_index (self->holdings, Holding, j);
      if (b->node == node)
        check_beside (self, a, b);
    }
  }
  g_assert_true (no_consume || counts <= count_limit);
  g_assert_cmpint (memory_bytes, <=, spec->memory_bytes - spec->memory_reserved_bytes);
  for (guint32 device = 0; device < gpu_count; device++)
    g_assert_cmpuint (shares_on (self, node, device) * gpu_count, <=,
                      gres_count (spec, "shard", NULL));
}

/* No core of a job that has just started has more jobs than it may. */
static void
check_sharing (const LkMachineLedger *self, const Holding *holding)
{
  for (guint core = 0; core < 64; core++) {
    guint32 jobs = 0;
    for (guint i = 0; i < self->holdings->len; i++) {
      const Holding *other = &g_array_index (self->holdings, Holding, i);
      jobs += other->node == holding->node && ((other->cores >> core) & 1) != 0;
    }
    if (((holding->cores >> core) & 1) != 0)
      g_assert_cmpuint (jobs, <=, sharing_jobs (self, holding->job));
  }
}

/* "l0:2" of a job. */
static guint32
licenses_of (const LkMachineJob *job, const char *name)
{
  g_autofree char *text =
      copy_text (job->request.licenses.bytes, job->request.licenses.length_bytes);
  if (!g_str_has_prefix (text, name))
    return 0;
  return (guint32)g_ascii_strtoull (text + strlen (name) + 1, NULL, 10);
}

static void
check_licenses (const LkMachineLedger *self)
{
  const GPtrArray *licenses = self->workload->cluster->licenses;
  for (guint l = 0; l < licenses->len; l++) {
    const LkLicenseSpec *license = g_ptr_array_index (licenses, l);
    guint32 held = 0;
    for (guint j = 0; j < self->workload->job_count; j++)
      for (guint i = 0; i < self->holdings->len; i++)
        if (g_array_index (self->holdings, Holding, i).job == j) {
          held += licenses_of (&self->workload->jobs[j], license->name);
          break;
        }
    g_assert_cmpuint (held, <=, license->count);
  }
}

/* ---------------------------------------------------------------- is it what was asked for? */

/* N of the entry of a gres text that names `name`; entries of several types add up. */
static guint32
gres_asked (LkText text, const char *name)
{
  g_autofree char *copy = copy_text (text.bytes, text.length_bytes);
  g_auto (GStrv) entries = g_strsplit (copy, ",", -1);
  guint32 sum = 0;
  for (guint i = 0; entries[i] != NULL; i++)
    if (g_str_has_prefix (entries[i], name) && entries[i][strlen (name)] == ':')
      sum += (guint32)g_ascii_strtoull (strrchr (entries[i], ':') + 1, NULL, 10);
  return sum;
}

/* Number behind the last colon. */
static guint32
count_asked (LkText text)
{
  g_autofree char *copy = copy_text (text.bytes, text.length_bytes);
  const char *colon = strrchr (copy, ':');
  return (guint32)g_ascii_strtoull (colon != NULL ? colon + 1 : copy, NULL, 10);
}

static void
check_types (const LkNodeSpec *spec, LkText text, guint64 devices)
{
  g_autofree char *copy = copy_text (text.bytes, text.length_bytes);
  const char *wanted = strstr (copy, "a100") != NULL ? "a100" : "v100";
  gboolean is_typed = (strstr (copy, "a100") != NULL) != (strstr (copy, "v100") != NULL);
  for (guint32 device = 0; is_typed && device < 64; device++)
    if (((devices >> device) & 1) != 0)
      g_assert_cmpstr (device_type (spec, device), ==, wanted);
}

/* CPUs of the job's cores on the node that its tasks may use. */
static guint32
usable_cpus (const LkMachineLedger *self, const Holding *holding)
{
  const LkJobRequest *request = &self->workload->jobs[holding->job].request;
  guint32 per_core = core_cpus (node_at (self, holding->node)->spec);
  if (request->threads_per_core > 0)
    per_core = MIN (per_core, request->threads_per_core);
  return (guint32)__builtin_popcountll (holding->cores) * per_core;
}

static void
check_memory (const LkMachineLedger *self, const Holding *holding)
{
  const LkJobRequest *request = &self->workload->jobs[holding->job].request;
  const LkNodeSpec *spec = node_at (self, holding->node)->spec;
  gint64 all_bytes = spec->memory_bytes - spec->memory_reserved_bytes;
  gint64 cpus = counts_cpus (self, holding->job) ? holding->cpus : usable_cpus (self, holding);
  if (!self->workload->cluster->memory) {
    g_assert_cmpint (holding->memory_bytes, ==, 0);
  } else if ((request->present & LK_REQUEST_HAS_MEMORY_PER_NODE) != 0) {
    gint64 bytes = request->memory_per_node_bytes;
    g_assert_cmpint (holding->memory_bytes, ==, bytes > 0 ? bytes : all_bytes);
  } else if ((request->present & LK_REQUEST_HAS_MEMORY_PER_CPU) != 0) {
    /* Above the limit of a CPU, more CPUs with less each. */
    if (self->workload->cluster->memory_per_cpu_max_bytes == 0)
      g_assert_cmpint (holding->memory_bytes, ==, request->memory_per_cpu_bytes * cpus);
  } else if ((request->present & LK_REQUEST_HAS_MEMORY_PER_GPU) != 0) {
    g_assert_cmpint (holding->memory_bytes, ==,
                     request->memory_per_gpu_bytes * __builtin_popcountll (holding->gres.devices));
  } else {
    g_assert_cmpint (holding->memory_bytes, >, 0);
  }
}

static gboolean
has_feature (const LkNodeSpec *spec, const char *name)
{
  for (guint i = 0; i < spec->features->len; i++)
    if (strcmp (g_ptr_array_index (spec->features, i), name) == 0)
      return TRUE;
  return FALSE;
}

static void
check_constraint (const LkMachineLedger *self, guint job, guint first)
{
  LkText text = self->workload->jobs[job].request.constraint;
  g_autofree char *constraint = copy_text (text.bytes, text.length_bytes);
  guint count = self->holdings->len - first;
  guint with_a = 0, with_b = 0, with_c = 0, with_both = 0, with_either = 0, last = 0;
  for (guint i = first; i < self->holdings->len; i++) {
    const LkNodeSpec *spec = node_at (self, g_array_index (self->holdings, Holding, i).node)->spec;
    gboolean a = has_feature (spec, "a"), b = has_feature (spec, "b"), c = has_feature (spec, "c");
    with_a += a != FALSE;
    with_b += b != FALSE;
    with_c += c != FALSE;
    with_both += a && b;
    with_either += a || b;
    last += (a || b) && c;
  }
  const struct {
    const char *text;
    gboolean holds;
  } table[] = {
    { "", TRUE },
    { "a", with_a == count },
    { "a&b", with_both == count },
    { "a|b", with_either == count },
    { "[a|b]", with_a == count || with_b == count },
    { "a*2", with_a >= 2 },
    { "(a|b)&c", last == count },
    { "[a*1&b*1]", with_a >= 1 && with_b >= 1 && with_either >= 2 },
    { "[a|b|c]", with_a == count || with_b == count || with_c == count },
  };
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (strcmp (table[i].text, constraint) == 0) {
      g_assert_true (table[i].holds);
      return;
    }
  g_error ("job %u runs under the constraint '%s'", self->workload->jobs[job].id, constraint);
}

/* Tasks of a job whose number of tasks is plain to see; else 0. */
static guint32
tasks_asked (const LkMachineJob *job)
{
  const LkJobRequest *request = &job->request;
  if (request->tasks > 0)
    return request->tasks;
  if (request->gpus.length_bytes > 0 || request->gpus_per_task.length_bytes > 0
      || request->tasks_per_gpu > 0 || request->tasks_per_node > 0)
    return 0;
  guint32 cpus_per_task = MAX (1, request->cpus_per_task);
  return request->nodes_min > 0 ? request->nodes_min
                                : (job->procs + cpus_per_task - 1) / cpus_per_task;
}

static void
check_where (const LkMachineLedger *self, const Holding *holding)
{
  const LkMachineJob *job = &self->workload->jobs[holding->job];
  const Node *node = node_at (self, holding->node);
  const LkPartitionSpec *partition = partition_of (self, holding->job);
  g_assert_cmpuint (node->flags, ==, 0);
  g_assert_true (list_has (partition->nodes, strlen (partition->nodes), node->name));
  g_assert_true (
      job->request.exclude.length_bytes == 0
      || !list_has (job->request.exclude.bytes, job->request.exclude.length_bytes, node->name));
  if (is_alone (self, holding->job))
    g_assert_cmpuint (holding->cores, ==, all_cores (node->spec));
  g_assert_cmpuint (holding->cores, !=, 0);
}

static void
check_devices (const LkMachineLedger *self, const Holding *holding)
{
  const LkJobRequest *request = &self->workload->jobs[holding->job].request;
  const LkNodeSpec *spec = node_at (self, holding->node)->spec;
  guint32 devices = (guint32)__builtin_popcountll (holding->gres.devices);
  gboolean no_consume = FALSE;
  guint32 count_limit = gres_count (spec, "nic", &no_consume);
  g_assert_cmpuint (holding->gres.shares, ==, gres_asked (request->gres, "shard"));
  if (has_all_gres (self, holding->job)) {
    g_assert_true (holding->gres.shares > 0 || devices == gres_count (spec, "gpu", NULL));
    g_assert_cmpuint (holding->gres.counts, ==, no_consume ? 0 : count_limit);
    return;
  }
  if (has_free_gres (self, holding->job)) {
    g_assert_cmpuint (devices, >=, gres_asked (request->gres, "gpu"));
    g_assert_cmpuint (holding->gres.counts, >=, no_consume ? 0 : gres_asked (request->gres, "nic"));
    return;
  }
  g_assert_cmpuint (holding->gres.counts, ==, no_consume ? 0 : gres_asked (request->gres, "nic"));
  if (request->gpus.length_bytes > 0 || request->gpus_per_task.length_bytes > 0) {
    check_types (spec, request->gpus.length_bytes > 0 ? request->gpus : request->gpus_per_task,
                 holding->gres.devices);
  } else {
    g_assert_cmpuint (devices, ==, gres_asked (request->gres, "gpu"));
    check_types (spec, request->gres, holding->gres.devices);
  }
}

static void
check_on_node (const LkMachineLedger *self, const Holding *holding)
{
  const LkJobRequest *request = &self->workload->jobs[holding->job].request;
  const LkNodeSpec *spec = node_at (self, holding->node)->spec;
  guint32 core_count = (guint32)__builtin_popcountll (holding->cores);
  guint32 gpus = gres_asked (request->gres, "gpu");
  check_where (self, holding);
  check_memory (self, holding);
  check_devices (self, holding);
  if (!counts_cpus (self, holding->job))
    g_assert_cmpuint (holding->cpus, ==, core_count * core_cpus (spec));
  g_assert_cmpuint (holding->cpus, <=, core_count * core_cpus (spec));
  /* No core too many. */
  g_assert_cmpuint (holding->cpus * core_count, >, usable_cpus (self, holding) * (core_count - 1));
  g_assert_cmpuint (holding->cpus, >=, request->cpus_per_gpu * gpus);
  g_assert_cmpuint (holding->cpus, >=, request->cpus_per_node_min);
  g_assert_cmpuint (spec->sockets, >=, request->sockets_per_node_min);
}

/* The job's holdings are the last ones, from `first` on. */
static void
check_asked (const LkMachineLedger *self, guint place, guint first, guint32 units)
{
  const LkMachineJob *job = &self->workload->jobs[place];
  const LkJobRequest *request = &job->request;
  const LkPartitionSpec *partition = partition_of (self, place);
  guint node_count = self->holdings->len - first;
  guint32 cpus = 0, usable = 0, devices = 0;
  for (guint i = first; i < self->holdings->len; i++) {
    const Holding *holding = &g_array_index (self->holdings, Holding, i);
    check_on_node (self, holding);
    cpus += holding->cpus;
    usable += usable_cpus (self, holding);
    devices += (guint32)__builtin_popcountll (holding->gres.devices);
    if (i > first && (request->flags & LK_REQUEST_CONTIGUOUS) != 0)
      g_assert_cmpuint (holding->node, ==, holding[-1].node + 1);
  }
  g_assert_cmpuint (cpus, ==, units);
  g_assert_cmpuint (usable, >=, tasks_asked (job) * MAX (1, request->cpus_per_task));
  g_assert_cmpuint (node_count, >=, request->nodes_min);
  g_assert_cmpuint (node_count, >=, partition->nodes_min);
  g_assert_cmpuint (node_count, <=, partition->nodes_max);
  if (request->nodes_max > 0)
    g_assert_cmpuint (node_count, <=, request->nodes_max);
  if (request->tasks_per_node > 0)
    g_assert_cmpuint (node_count * request->tasks_per_node, >=, tasks_asked (job));
  if (request->gpus.length_bytes > 0 && !has_all_gres (self, place) && !has_free_gres (self, place))
    g_assert_cmpuint (devices, ==, count_asked (request->gpus));
  else if (request->gpus.length_bytes > 0)
    g_assert_cmpuint (devices, >=, count_asked (request->gpus));
  else if (request->gpus_per_task.length_bytes > 0)
    g_assert_cmpuint (devices, >=, count_asked (request->gpus_per_task) * tasks_asked (job));
  check_constraint (self, place, first);
}

/* ---------------------------------------------------------------- reading start decisions */

/* Holdings of the last job, by node. */
static Holding *
holding_on (const LkMachineLedger *self, guint first, const char *name)
{
  guint node = find_node (self, name);
  for (guint i = first; i < self->holdings->len; i++)
    if (g_array_index (self->holdings, Holding, i).node == node)
      return &g_array_index (self->holdings, Holding, i);
  g_error ("'%s' is not among the nodes of the job", name);
}

/* "n[1-2]=WHAT;n3=WHAT" */
static void
read_runs (const LkMachineLedger *self, guint first, LkLongText text, gboolean is_gres)
{
  g_autofree char *copy = copy_text (text.bytes, text.length_bytes);
  g_auto (GStrv) runs = g_strsplit (copy, ";", -1);
  for (guint i = 0; runs[i] != NULL; i++) {
    char *equals = strchr (runs[i], '=');
    g_assert_nonnull (equals);
    g_autoptr (GPtrArray) names = expand (runs[i], (gsize)(equals - runs[i]));
    for (guint n = 0; n < names->len; n++) {
      Holding *holding = holding_on (self, first, g_ptr_array_index (names, n));
      if (is_gres)
        lk_machine_read_gres (equals + 1, &holding->gres);
      else
        holding->cores = lk_machine_read_ranges (equals + 1);
    }
  }
}

static guint
job_place (const LkMachineLedger *self, guint32 job_id)
{
  for (guint i = 0; i < self->workload->job_count; i++)
    if (self->workload->jobs[i].id == job_id)
      return i;
  g_error ("there is no job %u", job_id);
}

static gboolean
has_started (const LkMachineLedger *self, guint job)
{
  for (guint i = 0; i < self->holdings->len; i++)
    if (g_array_index (self->holdings, Holding, i).job == job)
      return TRUE;
  return FALSE;
}

/* What the texts do not say. */
static void
fill_amounts (const LkMachineLedger *self, guint first, const LkEngine *engine,
              const LkDecision_start *start)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  guint32 piece = lk_engine_job_pieces (engine, start->job_id);
  gint64 sum_bytes = 0;
  for (; piece != LK_PIECE_NONE; piece = lk_piece (nodes, piece)->next_of_job) {
    const LkPiece *what = lk_piece (nodes, piece);
    Holding *holding = holding_on (self, first, nodes->names[what->node]);
    holding->memory_bytes = what->memory_bytes;
    holding->cpus = what->cpus;
    sum_bytes += what->memory_bytes;
  }
  g_assert_cmpint (sum_bytes, ==, start->memory_bytes);
}

/* It has all nodes that it names; where it asks for fewer, it has only such nodes. */
static void
check_named (const LkJobRequest *request, const GPtrArray *nodes)
{
  LkText list = request->node_list;
  guint common = 0;
  g_autoptr (GPtrArray) names = expand (list.bytes, list.length_bytes);
  for (guint i = 0; i < nodes->len; i++)
    common += list_has (list.bytes, list.length_bytes, g_ptr_array_index (nodes, i)) ? 1 : 0;
  gboolean asks_for_fewer = request->nodes_min > 0 && request->nodes_min < names->len;
  g_assert_cmpuint (common, ==, asks_for_fewer ? nodes->len : names->len);
}

static void
write_start (LkMachineLedger *self, const LkEngine *engine, const LkDecision_start *start)
{
  guint job = job_place (self, start->job_id);
  guint first = self->holdings->len;
  g_autoptr (GPtrArray) names = expand (start->nodes.bytes, start->nodes.length_bytes);
  g_assert_false (has_started (self, job));
  for (guint i = 0; i < names->len; i++) {
    Holding holding = { .job = job, .node = find_node (self, g_ptr_array_index (names, i)) };
    g_assert_true (i == 0
                   || holding.node > g_array_index (self->holdings, Holding, first + i - 1).node);
    g_array_append_val (self->holdings, holding);
  }
  read_runs (self, first, start->cores, /* is_gres= */ FALSE);
  read_runs (self, first, start->gres, /* is_gres= */ TRUE);
  fill_amounts (self, first, engine, start);
  if (self->workload->jobs[job].request.node_list.length_bytes > 0)
    check_named (&self->workload->jobs[job].request, names);
  check_asked (self, job, first, start->units);
  for (guint i = first; i < self->holdings->len; i++) {
    check_node (self, g_array_index (self->holdings, Holding, i).node);
    check_sharing (self, &g_array_index (self->holdings, Holding, i));
  }
  check_licenses (self);
}

/* ---------------------------------------------------------------- what ends */

static void
strike_out (LkMachineLedger *self, guint32 job_id)
{
  guint job = job_place (self, job_id);
  for (guint i = self->holdings->len; i-- > 0;)
    if (g_array_index (self->holdings, Holding, i).job == job)
      g_array_remove_index (self->holdings, i);
}

static guint
count_of_job (const LkMachineLedger *self, guint job)
{
  guint count = 0;
  for (guint i = 0; i < self->holdings->len; i++)
    count += g_array_index (self->holdings, Holding, i).job == job;
  return count;
}

/* Who is still on a node that went down asked to go on without it. */
static void
lose_node (LkMachineLedger *self, guint node)
{
  for (guint i = self->holdings->len; i-- > 0;) {
    const Holding *holding = &g_array_index (self->holdings, Holding, i);
    if (holding->node != node)
      continue;
    g_assert_cmpuint (count_of_job (self, holding->job), >, 1);
    g_assert_cmpuint (self->workload->jobs[holding->job].request.flags & LK_REQUEST_NO_KILL, !=, 0);
    g_array_remove_index (self->holdings, i);
  }
}

static void
decided (void *user, const LkEngine *engine, const LkEvent *cause, const LkDecision *decision)
{
  LkMachineLedger *self = user;
  (void)cause;
  if (decision->kind == LK_DECISION_START)
    write_start (self, engine, &decision->start);
  else if (decision->kind == LK_DECISION_REQUEUE_JOB)
    strike_out (self, decision->requeue_job.job_id);
  else if (decision->kind == LK_DECISION_NOTICE && decision->notice.state == LK_JOB_NODE_FAIL)
    strike_out (self, decision->notice.job_id);
}

static void
change_nodes (LkMachineLedger *self, LkEventKind kind, LkText list)
{
  g_autoptr (GPtrArray) names = expand (list.bytes, list.length_bytes);
  for (guint i = 0; i < names->len; i++) {
    guint at = find_node (self, g_ptr_array_index (names, i));
    Node *node = &g_array_index (self->nodes, Node, at);
    if (kind == LK_EVENT_NODE_UP)
      node->flags &= ~(guint32)LK_NODE_DOWN;
    else if (kind == LK_EVENT_NODE_DOWN)
      node->flags |= LK_NODE_DOWN;
    else if (kind == LK_EVENT_NODE_DRAIN)
      node->flags |= LK_NODE_DRAIN;
    else
      node->flags = 0;
    if (kind == LK_EVENT_NODE_DOWN)
      lose_node (self, at);
  }
}

/* ---------------------------------------------------------------- against the engine's nodes */

static void
check_pieces (const LkMachineLedger *self, const LkEngine *engine)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  guint piece_count = 0;
  for (guint32 node = 0; node < nodes->node_count; node++)
    piece_count += nodes->piece_count[node];
  g_assert_cmpuint (piece_count, ==, self->holdings->len);
  for (guint i = 0; i < self->holdings->len; i++) {
    const Holding *holding = &g_array_index (self->holdings, Holding, i);
    guint32 piece = lk_engine_job_pieces (engine, self->workload->jobs[holding->job].id);
    while (piece != LK_PIECE_NONE && lk_piece (nodes, piece)->node != holding->node)
      piece = lk_piece (nodes, piece)->next_of_job;
    g_assert_cmpuint (piece, !=, LK_PIECE_NONE);
    const LkPiece *what = lk_piece (nodes, piece);
    g_assert_cmpuint (what->cores[0], ==, holding->cores);
    g_assert_cmpuint (what->devices, ==, holding->gres.devices);
    g_assert_cmpuint (what->shares, ==, holding->gres.shares);
    g_assert_cmpuint (what->share_device, ==, holding->gres.share_device);
    g_assert_cmpint (what->memory_bytes, ==, holding->memory_bytes);
  }
  for (guint i = 0; i < self->nodes->len; i++)
    g_assert_cmpuint (nodes->flags[i], ==, node_at (self, i)->flags);
}

static void
after (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkMachineLedger *self = user;
  switch (event->kind) {
  case LK_EVENT_JOB_ENDED:
    strike_out (self, event->job_ended.job_id);
    break;
  case LK_EVENT_NODE_UP:
    change_nodes (self, event->kind, event->node_up.node);
    break;
  case LK_EVENT_NODE_DOWN:
    change_nodes (self, event->kind, event->node_down.node);
    break;
  case LK_EVENT_NODE_DRAIN:
    change_nodes (self, event->kind, event->node_drain.node);
    break;
  case LK_EVENT_NODE_RESUME:
    change_nodes (self, event->kind, event->node_resume.node);
    break;
  default:
    break;
  }
  check_pieces (self, engine);
}

/* ---------------------------------------------------------------- life */

LkMachineLedger *
lk_machine_ledger_new (const LkMachineWorkload *workload, gboolean whole_nodes)
{
  LkMachineLedger *self = g_new0 (LkMachineLedger, 1);
  self->workload = workload;
  self->whole_nodes = whole_nodes;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  self->holdings = g_array_new (FALSE, FALSE, sizeof (Holding));
  for (guint i = 0; i < workload->cluster->nodes->len; i++) {
    const LkNodeSpec *spec = g_ptr_array_index (workload->cluster->nodes, i);
    g_autoptr (GPtrArray) names = expand (spec->names, strlen (spec->names));
    for (guint n = 0; n < names->len; n++) {
      Node node = { spec, g_strdup (g_ptr_array_index (names, n)), spec->flags };
      g_array_append_val (self->nodes, node);
    }
  }
  return self;
}

void
lk_machine_ledger_free (LkMachineLedger *self)
{
  for (guint i = 0; i < self->nodes->len; i++)
    g_free (g_array_index (self->nodes, Node, i).name);
  g_array_unref (self->nodes);
  g_array_unref (self->holdings);
  g_free (self);
}

guint
lk_machine_ledger_count (const LkMachineLedger *self)
{
  return self->holdings->len;
}

LkMachineWatch
lk_machine_ledger_watch (LkMachineLedger *self)
{
  return (LkMachineWatch){ .user = self, .decided = decided, .after = after };
}
