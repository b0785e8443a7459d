/* engine/book_tres.c — how much of each TRES there is, a job asks for, and a job was given; and the
 * books as bytes. */
#include <string.h>

#include "engine/assert.h"
#include "engine/billing.h"
#include "engine/book.h"

#define MIB ((gint64)1024 * 1024)

/* ---------------------------------------------------------------- gres by TRES */

/* Calls for every TRES of generic resources that so many of `name` and `type` (0: none) add to:
 * gres/NAME, and gres/NAME:TYPE. */
static void
add_gres (const LkBook *self, const LkNodeTable *nodes, guint32 name, guint32 type, guint64 count,
          guint64 *tres)
{
  const char *wanted = nodes->gres[name].name;
  gsize length = strlen (wanted);
  for (guint32 i = LK_TRES_FIXED; i < self->tres_count; i++) {
    const char *at = self->tres_names[i];
    if (!g_str_has_prefix (at, "gres/"))
      continue;
    at += strlen ("gres/");
    if (g_ascii_strncasecmp (at, wanted, length) != 0)
      continue;
    gboolean is_any = at[length] == '\0';
    gboolean is_type =
        at[length] == ':' && type != 0
        && g_ascii_strcasecmp (at + length + 1, g_ptr_array_index (nodes->type_names, type - 1))
               == 0;
    if (is_any || is_type)
      tres[i] += count;
  }
}

void
lk_book_add_node (const LkBook *self, const LkMachine *machine, guint32 node, guint64 *tres)
{
  const LkNodeTable *nodes = &machine->nodes;
  const LkNodeKind *kind = lk_node_kind (nodes, node);
  tres[LK_TRES_CPU] += kind->cpus_usable;
  tres[LK_TRES_MEMORY] += (guint64)(kind->memory_bytes / MIB);
  tres[LK_TRES_NODE] += 1;
  tres[LK_TRES_BILLING] += kind->cpus_usable;
  for (guint32 i = 0; i < nodes->gres_count; i++) {
    if (nodes->gres[i].kind != LK_GRES_DEVICE) {
      add_gres (self, nodes, i, 0, kind->counts[i], tres);
      continue;
    }
    for (guint32 device = 0; device < kind->device_count; device++)
      add_gres (self, nodes, i, kind->device_type[device], 1, tres);
  }
}

void
lk_book_add_license (const LkBook *self, const char *name, guint32 count, guint64 *tres)
{
  for (guint32 t = LK_TRES_FIXED; t < self->tres_count; t++)
    if (g_str_has_prefix (self->tres_names[t], "license/")
        && g_ascii_strcasecmp (self->tres_names[t] + strlen ("license/"), name) == 0)
      tres[t] += count;
}

/* ---------------------------------------------------------------- what a job asks for */

/* Least that a node which could serve the request has. */
static void
least_node (const LkMachine *machine, const LkRequest *request, guint32 *out_cpus,
            gint64 *out_memory_bytes)
{
  const LkNodeTable *nodes = &machine->nodes;
  *out_cpus = G_MAXUINT32;
  *out_memory_bytes = G_MAXINT64;
  for (guint32 node = lk_bits_next (request->eligible, nodes->node_words, 0);
       node != LK_INDEX_NONE && node < nodes->node_count;
       node = lk_bits_next (request->eligible, nodes->node_words, node + 1)) {
    const LkNodeKind *kind = lk_node_kind (nodes, node);
    *out_cpus = MIN (*out_cpus, kind->cpus_usable);
    *out_memory_bytes = MIN (*out_memory_bytes, kind->memory_bytes);
  }
}

/* How large a job is taken to be before it has a place. */
typedef struct {
  guint64 nodes;
  guint64 cpus;
  gint64 node_memory_bytes; /* of each node, for a job that gets all of it */
  gboolean counts_unheld;   /* also where memory is not handed out */
} Size;

static guint64
memory_asked (const LkRequest *request, const Size *size, guint64 gpus)
{
  guint64 mib = (guint64)((request->memory_bytes + MIB - 1) / MIB);
  switch (request->memory) {
  case LK_MEMORY_PER_NODE:
    return mib * size->nodes;
  case LK_MEMORY_PER_CPU:
    return mib * size->cpus;
  case LK_MEMORY_PER_GPU:
    return mib * gpus;
  case LK_MEMORY_NONE:
    if (!size->counts_unheld)
      return 0;
    /* fall through */
  case LK_MEMORY_ALL:
    return (guint64)(size->node_memory_bytes / MIB) * size->nodes;
  }
  return 0;
}

static guint64
gres_asked (const LkBook *self, const LkMachine *machine, const LkRequest *request, guint64 nodes,
            guint64 *tres)
{
  const LkNodeTable *table = &machine->nodes;
  guint64 gpus = 0;
  for (guint32 i = 0; i < request->gres_count; i++) {
    const LkGresDemand *demand = &request->gres[i];
    guint64 count = (guint64)demand->count * nodes;
    gpus += table->gres[demand->name].kind == LK_GRES_DEVICE ? count : 0;
    add_gres (self, table, demand->name, demand->type, count, tres);
  }
  LkGresDemand whole = request->gpus_total;
  if (whole.count == 0 && request->gpus_per_task.count > 0) {
    whole = request->gpus_per_task;
    whole.count *= MAX (request->demand.tasks, 1);
  }
  if (whole.count > 0) {
    gpus += whole.count;
    add_gres (self, table, whole.name, whole.type, whole.count, tres);
  }
  return gpus;
}

static void
licenses_asked (const LkBook *self, const LkMachine *machine, const LkRequest *request,
                guint64 *tres)
{
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, demand->license);
    lk_book_add_license (self, spec->name, demand->count, tres);
  }
}

static void
bill (const LkBook *self, const LkMachine *machine, const LkRequest *request, guint64 *tres)
{
  const char *weights = machine->partitions[request->partition].spec->tres_billing_weights;
  tres[LK_TRES_BILLING] = (guint64)lk_billing_of_tres (weights, self->spec->billing,
                                                       self->tres_names, tres, self->tres_count);
}

static guint64 *
request_tres (const LkBook *self, const LkMachine *machine, const LkRequest *request,
              const Size *size)
{
  guint64 *tres = g_new0 (guint64, self->tres_count);
  tres[LK_TRES_CPU] = size->cpus;
  tres[LK_TRES_NODE] = size->nodes;
  guint64 gpus = gres_asked (self, machine, request, size->nodes, tres);
  tres[LK_TRES_MEMORY] = memory_asked (request, size, gpus);
  licenses_asked (self, machine, request, tres);
  bill (self, machine, request, tres);
  return tres;
}

/* What it can be expected to get, for limits. */
static Size
expected_size (const LkMachine *machine, const LkRequest *request)
{
  const LkDemand *demand = &request->demand;
  Size size = { .nodes = demand->nodes_min, .cpus = demand->cpus_min };
  guint32 node_cpus;
  least_node (machine, request, &node_cpus, &size.node_memory_bytes);
  if (node_cpus != G_MAXUINT32 && node_cpus > 0 && size.nodes * node_cpus < size.cpus)
    size.nodes = MIN ((size.cpus + node_cpus - 1) / node_cpus, demand->nodes_max);
  if (request->whole_cores && node_cpus != G_MAXUINT32)
    size.cpus = MAX (size.cpus, size.nodes * node_cpus);
  return size;
}

/* Slurm's job_set_req_tres and job_get_tres_mem: the least number of nodes, as large as the first
 * one of its first partition. */
static Size
requested_size (const LkMachine *machine, const LkRequest *request)
{
  guint32 partition = request->partitions != NULL && request->partitions->len > 0
                          ? g_array_index (request->partitions, guint32, 0)
                          : request->partition;
  return (Size){ .nodes = MAX (request->demand.nodes_min, 1),
                 .cpus = request->demand.cpus_min,
                 .node_memory_bytes = lk_machine_first_memory_bytes (machine, partition),
                 .counts_unheld = TRUE };
}

void
lk_book_tres_asked (const LkBook *self, const LkMachine *machine, LkRequest *request, guint32 procs,
                    guint64 *out_tres)
{
  memset (out_tres, 0, self->tres_count * sizeof *out_tres);
  if (request == NULL) {
    out_tres[LK_TRES_CPU] = out_tres[LK_TRES_NODE] = out_tres[LK_TRES_BILLING] = procs;
    return;
  }
  /* Jobs that ask for the same share a request, and looking at its nodes takes time. */
  if (request->tres == NULL) {
    Size size = expected_size (machine, request);
    request->tres = request_tres (self, machine, request, &size);
  }
  memcpy (out_tres, request->tres, self->tres_count * sizeof *out_tres);
}

void
lk_book_tres_requested (const LkBook *self, const LkMachine *machine, LkRequest *request,
                        guint64 *out_tres)
{
  if (request->tres_requested == NULL) {
    Size size = requested_size (machine, request);
    request->tres_requested = request_tres (self, machine, request, &size);
  }
  memcpy (out_tres, request->tres_requested, self->tres_count * sizeof *out_tres);
}

void
lk_book_tres_given (const LkBook *self, const LkMachine *machine, const LkRequest *request,
                    guint32 first_piece, guint64 *out_tres)
{
  for (guint32 i = 0; i < self->tres_count; i++)
    out_tres[i] = (guint64)lk_billing_count (machine, request, first_piece, self->tres_names[i]);
  bill (self, machine, request, out_tres);
}

/* ---------------------------------------------------------------- jobs */

void
lk_book_reserve_jobs (LkBook *self, guint32 limit)
{
  if (limit <= self->job_limit)
    return;
  limit = MAX (limit, MAX (256, 2 * self->job_limit));
  self->job_tres = g_renew (guint64, self->job_tres, (gsize)limit * self->tres_count);
  self->job_counts = g_renew (LkJobCount, self->job_counts, limit);
  memset (lk_book_job_tres (self, self->job_limit), 0,
          (gsize)(limit - self->job_limit) * self->tres_count * sizeof (guint64));
  memset (self->job_counts + self->job_limit, 0, (limit - self->job_limit) * sizeof (LkJobCount));
  self->job_limit = limit;
}

/* ---------------------------------------------------------------- snapshot */

static void
append_real (GByteArray *out, double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  lk_append_u64 (out, bits);
}

/* A number of use: not below 0, finite. */
static gboolean
take_use (LkBytesReader *reader, double *out_value)
{
  guint64 bits = lk_take_u64 (reader);
  memcpy (out_value, &bits, sizeof bits);
  return *out_value >= 0.0 && *out_value < 1e300;
}

/* What does not follow from the jobs in the system: what was used, and who is known in a QOS. */
void
lk_book_save (const LkBook *self, GByteArray *out)
{
  lk_append_u32 (out, self->in_qos_keys->len);
  for (guint i = 0; i < self->in_qos_keys->len; i++) {
    const LkInQosKey *key = &g_array_index (self->in_qos_keys, LkInQosKey, i);
    lk_append_u32 (out, key->which);
    lk_append_u32 (out, key->qos);
    lk_append_u32 (out, key->id);
  }
  for (guint i = 0; i < self->holders->len; i++) {
    const LkHolder *holder = g_ptr_array_index (self->holders, i);
    append_real (out, holder->use->usage);
    append_real (out, holder->use->wall_s);
    for (guint32 t = 0; t < self->tres_count; t++)
      append_real (out, holder->tres_s[t]);
  }
}

gboolean
lk_book_load (LkBook *self, guint32 tres_count, LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    guint32 which = lk_take_u32 (reader);
    guint32 qos = lk_take_u32 (reader);
    guint32 id = lk_take_u32 (reader);
    GPtrArray *names = which == LK_IN_QOS_USER ? self->user_names : self->account_names;
    if (reader->failed || which > LK_IN_QOS_ACCOUNT || qos >= self->view.qos_count
        || id >= names->len || lk_book_find_in_qos (self, which, qos, id) != LK_INDEX_NONE)
      return FALSE;
    lk_book_in_qos_holder (self, which, qos, id);
  }
  for (guint i = 0; i < self->holders->len && !reader->failed; i++) {
    LkHolder *holder = g_ptr_array_index (self->holders, i);
    if (!take_use (reader, &holder->use->usage) || !take_use (reader, &holder->use->wall_s))
      return FALSE;
    for (guint32 t = 0; t < tres_count; t++)
      if (!take_use (reader, &holder->tres_s[t]))
        return FALSE;
  }
  return !reader->failed;
}
