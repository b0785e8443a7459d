/* live/accounting/asked.c — how much a job asked for, as accounting keeps it: in words of its
 * submission, and not what memory limits or whole nodes make of them.
 *
 * A job that asks for no memory, where there is no default, is kept with that of its nodes, whether
 * memory is handed out or not.  Source: recordings of Slurm 26.05, ReqTRES (tests/oracle/live). */
#include "live/accounting/asked.h"

#include <string.h>

#include "engine/bits.h"
#include "engine/book.h"

/* ---------------------------------------------------------------- amounts */

static guint32
cpus_asked (const LkRequest *request, const LkJobShown *shown)
{
  const LkDemand *demand = &request->demand;
  guint64 of_tasks = (guint64)demand->tasks * MAX (1, shown->asked.cpus_per_task);
  guint64 of_nodes = (guint64)demand->nodes_min * shown->asked.cpus_per_node_min;
  return request->cpus_per_gpu > 0 ? shown->cpus : (guint32)MAX (of_tasks, of_nodes);
}

/* Of one node of its partition. */
static gint64
node_memory_bytes (const LkMachine *machine, const LkRequest *request)
{
  const guint64 *nodes = machine->partitions[request->partition].nodes;
  for (guint32 node = 0; node < machine->nodes.node_count; node++)
    if (lk_bits_has (nodes, node))
      return lk_node_kind (&machine->nodes, node)->memory_bytes;
  return 0;
}

static gint64
memory_asked_bytes (const LkMachine *machine, const LkRequest *request, const LkJobRequest *asked,
                    const LkAccountingJob *job)
{
  if (asked->memory_per_cpu_bytes > 0)
    return asked->memory_per_cpu_bytes * job->asked_cpus;
  if (asked->memory_per_node_bytes > 0)
    return asked->memory_per_node_bytes * job->asked_nodes;
  switch (request->memory) {
  case LK_MEMORY_PER_CPU:
    return request->memory_bytes * job->asked_cpus;
  case LK_MEMORY_PER_NODE:
    return request->memory_bytes * job->asked_nodes;
  case LK_MEMORY_PER_GPU:
    return request->memory_bytes * MAX (request->demand.gpus_total, 1);
  default:
    return node_memory_bytes (machine, request) * job->asked_nodes;
  }
}

/* ---------------------------------------------------------------- TRES */

/* "name[:type][:count],...", or of `name` "[type:]count,...": so many times. */
static void
add_gres (LkTresList *tres, LkText list, const char *name, guint64 times)
{
  g_autofree char *text = g_strndup (list.bytes != NULL ? list.bytes : "", list.length_bytes);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  for (guint i = 0; parts[i] != NULL && parts[i][0] != '\0'; i++) {
    g_auto (GStrv) words = g_strsplit (parts[i], ":", -1);
    guint64 count = 1;
    g_autofree char *one = g_strconcat ("gres/", name != NULL ? name : words[0], NULL);
    g_ascii_string_to_unsigned (words[g_strv_length (words) - 1], 10, 0, G_MAXUINT32, &count, NULL);
    lk_tres_list_add (tres, one, count * times);
  }
}

/* All that is counted beside CPUs, memory and nodes. */
static void
add_booked (LkTresList *tres, const LkEngine *engine, const LkBook *book, LkJobIndex job)
{
  g_autofree guint64 *counts = g_new0 (guint64, book->tres_count);
  lk_host ()->job_tres (lk_engine_view (engine), job, counts);
  for (guint32 i = LK_TRES_FIXED; i < book->tres_count; i++)
    lk_tres_list_add (tres, book->tres_names[i], counts[i]);
}

/* By the weights of its partition; without them it is the CPUs. */
static guint64
billing_of (const LkEngine *engine, const LkBook *book, const LkRequest *request, LkJobIndex job,
            const LkAccountingJob *out)
{
  const LkMachine *machine = lk_engine_machine (engine);
  g_autofree guint64 *counts = NULL;
  if (book == NULL || *machine->partitions[request->partition].spec->tres_billing_weights == '\0')
    return (guint64)out->asked_cpus;
  counts = g_new0 (guint64, book->tres_count);
  lk_host ()->job_tres (lk_engine_view (engine), job, counts);
  return counts[LK_TRES_BILLING];
}

void
lk_accounting_asked (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
                     LkTresList *tres, LkAccountingJob *out)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkBook *book = lk_engine_book (engine);
  const LkRequest *request = lk_engine_job_request (engine, shown->info.id);
  const LkJobRequest *asked = &shown->asked;
  gint64 memory_bytes = 0;
  out->asked_nodes = request != NULL ? MAX (request->demand.nodes_min, 1) : shown->nodes;
  out->asked_cpus = request != NULL ? cpus_asked (request, shown) : shown->cpus;
  if (request != NULL)
    memory_bytes = memory_asked_bytes (machine, request, asked, out);
  lk_tres_list_add (tres, "cpu", (guint64)out->asked_cpus);
  lk_tres_list_add (tres, "node", (guint64)out->asked_nodes);
  lk_tres_list_add (tres, "mem", (guint64)memory_bytes >> 20);
  lk_tres_list_add (tres, "billing",
                    request != NULL ? billing_of (engine, book, request, job, out)
                                    : (guint64)out->asked_cpus);
  if (book != NULL) {
    add_booked (tres, engine, book, job);
    return;
  }
  add_gres (tres, asked->gres, NULL, (guint64)out->asked_nodes);
  add_gres (tres, asked->gpus, "gpu", 1);
  add_gres (tres, asked->gpus_per_task, "gpu", MAX (asked->tasks, 1));
}
