/* engine/engine_reconfigure_check.c — what keeps another configuration from coming into force.
 *
 * All of it is told, and named: nodes on which jobs run, or which are set aside, stay and keep what
 * is in use; partitions that jobs are in stay; what jobs ask for must still be something that the
 * machine knows.  Whether all fits together is seen when it is tried (engine_reconfigure.c). */
#include <string.h>

#include "engine/engine_life.h"
#include "engine/engine_reconfigure.h"
#include "engine/in_partition.h"

void
lk_config_problem (GPtrArray *problems, const char *format, ...)
{
  va_list arguments;
  if (problems->len > LK_CONFIG_PROBLEMS_MAX)
    return;
  if (problems->len == LK_CONFIG_PROBLEMS_MAX) {
    g_ptr_array_add (problems, g_strdup ("and more"));
    return;
  }
  va_start (arguments, format);
  g_ptr_array_add (problems, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* ---------------------------------------------------------------- what cannot change */

static void
compare_tres (const LkAccounts *now, const LkAccounts *next, GPtrArray *problems)
{
  for (guint i = 0; i < now->tres->len; i++) {
    const char *name = g_ptr_array_index (now->tres, i);
    if (i >= next->tres->len || strcmp (name, g_ptr_array_index (next->tres, i)) != 0)
      lk_config_problem (problems,
                         "accounts: TRES '%s' is counted, and stays so at its place; others may be "
                         "added behind",
                         name);
  }
}

static gboolean
places (const LkEngineConfig *config)
{
  return config->select->choose != NULL;
}

gboolean
lk_config_is_alike (const LkEngine *self, const LkEngineConfig *next, GPtrArray *problems)
{
  const LkEngineConfig *now = &self->config;
  guint before = problems->len;
  if (places (now) != places (next))
    lk_config_problem (problems, "a counted pool and a machine of nodes cannot become each other");
  if ((now->accounts != NULL) != (next->accounts != NULL))
    lk_config_problem (problems, "accounts: %s while there are jobs and use",
                       next->accounts != NULL ? "they cannot begin" : "they cannot be left out");
  else if (next->accounts != NULL)
    compare_tres (self->book->spec, next->accounts, problems);
  if (now->tells_standing != next->tells_standing)
    lk_config_problem (problems, "passes go on to tell how jobs stand, or not to");
  if (now->origin_us != next->origin_us)
    lk_config_problem (problems, "the time origin of the policies stays");
  return problems->len == before;
}

/* ---------------------------------------------------------------- nodes */

/* The job of the lowest id with a part of it on the node; 0: none. */
static guint32
job_on (const LkEngine *self, guint32 node)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 least = 0;
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    guint32 id = self->jobs.id[lk_piece (nodes, i)->job];
    least = least == 0 ? id : MIN (least, id);
  }
  return least;
}

/* The first reservation that has the node; NULL: none. */
static const char *
reservation_of (const LkEngine *self, guint32 node)
{
  const GPtrArray *items = self->reservations->items;
  for (guint i = 0; i < items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (items, i);
    if (item->nodes != NULL && lk_bits_has (item->nodes, node))
      return item->name;
  }
  return NULL;
}

static void
compare_gone (const LkEngine *self, guint32 node, GPtrArray *problems)
{
  const char *name = self->machine->nodes.names[node];
  guint32 job_id = job_on (self, node);
  const char *reservation = reservation_of (self, node);
  if (job_id != 0)
    lk_config_problem (problems, "node '%s' cannot go: job %u runs there", name, job_id);
  if (reservation != NULL)
    lk_config_problem (problems, "node '%s' cannot go: reservation '%s' has it", name, reservation);
}

static gboolean
has_same_layout (const LkNodeKind *a, const LkNodeKind *b)
{
  return a->sockets == b->sockets && a->cores_per_socket == b->cores_per_socket
         && a->cpus_per_core == b->cpus_per_core;
}

/* Devices are handed out by their numbers. */
static gboolean
has_same_devices (const LkEngine *self, const LkEngine *next, const LkNodeKind *a,
                  const LkNodeKind *b)
{
  if (a->device_count != b->device_count || a->shares_per_device != b->shares_per_device)
    return FALSE;
  for (guint32 i = 0; i < a->device_count; i++) {
    guint16 type_a = a->device_type[i];
    guint16 type_b = b->device_type[i];
    if ((type_a == 0) != (type_b == 0)
        || (type_a != 0
            && strcmp (g_ptr_array_index (self->machine->nodes.type_names, type_a - 1u),
                       g_ptr_array_index (next->machine->nodes.type_names, type_b - 1u))
                   != 0))
      return FALSE;
  }
  return TRUE;
}

/* Of a node that stays, and is in use. */
static void
compare_kind (const LkEngine *self, const LkEngine *next, guint32 node, guint32 node_next,
              GPtrArray *problems)
{
  const LkNodeKind *a = lk_node_kind (&self->machine->nodes, node);
  const LkNodeKind *b = lk_node_kind (&next->machine->nodes, node_next);
  const char *name = self->machine->nodes.names[node];
  guint32 job_id = job_on (self, node);
  const char *reservation = job_id == 0 ? reservation_of (self, node) : NULL;
  g_autofree char *user = job_id != 0 ? g_strdup_printf ("job %u runs there", job_id)
                          : reservation != NULL
                              ? g_strdup_printf ("reservation '%s' has it", reservation)
                              : NULL;
  if (user == NULL)
    return;
  if (!has_same_layout (a, b))
    lk_config_problem (problems, "node '%s' cannot have other sockets, cores or threads: %s", name,
                       user);
  if (!has_same_devices (self, next, a, b))
    lk_config_problem (problems, "node '%s' cannot have other GPUs: %s", name, user);
}

static void
compare_nodes (const LkEngine *self, const LkEngine *next, const LkCarry *carry,
               GPtrArray *problems)
{
  guint32 last = 0;
  for (guint32 i = 0; i < carry->node_count; i++) {
    guint32 to = carry->nodes[i];
    if (to == LK_NODE_NONE) {
      compare_gone (self, i, problems);
      continue;
    }
    if (to < last)
      lk_config_problem (problems, "node '%s' stands before '%s' now: their order stays",
                         next->machine->nodes.names[to], next->machine->nodes.names[last]);
    last = MAX (last, to);
    compare_kind (self, next, i, to, problems);
  }
}

/* What all jobs on a node hold together must be there. */
static void
compare_held (const LkEngine *self, const LkEngine *next, const LkCarry *carry, GPtrArray *problems)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = 0; i < carry->node_count; i++) {
    gint64 memory_bytes = 0;
    if (carry->nodes[i] == LK_NODE_NONE)
      continue;
    for (guint32 at = nodes->piece_first[i]; at != LK_PIECE_NONE;
         at = lk_piece (nodes, at)->next_on_node)
      memory_bytes += lk_piece (nodes, at)->memory_bytes;
    if (memory_bytes > lk_node_kind (&next->machine->nodes, carry->nodes[i])->memory_bytes)
      lk_config_problem (problems, "node '%s' cannot have so little memory: job %u runs there",
                         nodes->names[i], job_on (self, i));
  }
}

/* ---------------------------------------------------------------- partitions, licences */

static void
compare_partitions (const LkEngine *self, const LkCarry *carry, const GArray *jobs,
                    GPtrArray *problems)
{
  for (guint32 i = 0; i < carry->partition_count; i++) {
    guint32 count = 0;
    guint32 first = 0;
    if (carry->partitions[i] != LK_INDEX_NONE)
      continue;
    for (guint at = 0; at < jobs->len; at++) {
      LkJobIndex job = g_array_index (jobs, LkJobIndex, at);
      if (!lk_engine_names_partition (self, job, i))
        continue;
      first = count == 0 ? self->jobs.id[job] : first;
      count++;
    }
    const char *name = self->machine->partitions[i].spec->name;
    if (count == 1)
      lk_config_problem (problems, "partition '%s' cannot go: job %u is in it", name, first);
    else if (count > 1)
      lk_config_problem (problems, "partition '%s' cannot go: job %u and %u more are in it", name,
                         first, count - 1);
  }
}

static void
compare_licenses (const LkEngine *self, const LkEngine *next, const LkCarry *carry,
                  GPtrArray *problems)
{
  const LkMachine *machine = self->machine;
  for (guint32 i = 0; i < carry->license_count; i++) {
    const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, i);
    guint32 held = machine->licenses_total[i] - machine->licenses_free[i];
    guint32 left =
        carry->licenses[i] != LK_INDEX_NONE ? next->machine->licenses_total[carry->licenses[i]] : 0;
    if (held > left)
      lk_config_problem (problems, "licence '%s': %u are in use, and there would be %u", spec->name,
                         held, left);
  }
}

static void
compare_qos (const LkEngine *next, const LkCarry *carry, GPtrArray *problems)
{
  for (guint32 i = 0; carry->accounts != NULL && i < next->machine->partition_count; i++) {
    const LkPartitionSpec *spec = next->machine->partitions[i].spec;
    if (spec->qos[0] != '\0' && lk_accounts_find_qos (carry->accounts, spec->qos) == NULL)
      lk_config_problem (problems, "partition '%s': there is no QOS '%s'", spec->name, spec->qos);
  }
}

/* ---------------------------------------------------------------- jobs */

static gboolean
names_gone_partition (const LkEngine *self, const LkCarry *carry, LkJobIndex job)
{
  for (guint32 i = 0; i < carry->partition_count; i++)
    if (carry->partitions[i] == LK_INDEX_NONE && lk_engine_names_partition (self, job, i))
      return TRUE;
  return FALSE;
}

/* Is what the job asked for known to the other machine? */
static void
compare_request (const LkEngine *self, const LkEngine *next, const LkCarry *carry, LkJobIndex job,
                 GPtrArray *problems)
{
  LkJobRequest asked;
  guint32 procs;
  guint32 found;
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  lk_request_asked (request, &asked, &procs);
  lk_carry_pin (carry, self->jobs.partition[job], &asked);
  LkReject reject = lk_machine_resolve_in (next->machine, &asked, procs, request->place, &found);
  if (reject != 0)
    lk_config_problem (problems, "job %u: %s", self->jobs.id[job], lk_reject_text (reject));
}

/* What the scheduler has begun with jobs it must be able to end. */
static void
compare_preempted (const LkEngine *self, const LkEngine *next, LkJobIndex job, GPtrArray *problems)
{
  guint32 id = self->jobs.id[job];
  if (next->preemption == NULL && lk_engine_is_preempted (self, job))
    lk_config_problem (problems, "preemption cannot end while job %u is being displaced", id);
  if (next->gang == NULL && lk_engine_is_stopped (self, job))
    lk_config_problem (problems, "jobs cannot stop to take turns while job %u waits for its turn",
                       id);
}

void
lk_config_compare (const LkEngine *self, const LkEngine *next, const LkCarry *carry,
                   GPtrArray *problems)
{
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  for (guint i = 0; i < jobs->len; i++)
    compare_preempted (self, next, g_array_index (jobs, LkJobIndex, i), problems);
  if (self->machine == NULL)
    return;
  compare_nodes (self, next, carry, problems);
  compare_held (self, next, carry, problems);
  compare_partitions (self, carry, jobs, problems);
  compare_licenses (self, next, carry, problems);
  compare_qos (next, carry, problems);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (!names_gone_partition (self, carry, job))
      compare_request (self, next, carry, job, problems);
  }
}
