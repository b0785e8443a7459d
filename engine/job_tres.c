/* engine/job_tres.c — see the header. */
#include "engine/job_tres.h"

#include <string.h>

#include "engine/billing.h"
#include "engine/book.h"

void
lk_tres_told_init (LkTresTold *self)
{
  *self = (LkTresTold){ .counts = g_array_new (FALSE, FALSE, sizeof (LkTresCount)) };
}

void
lk_tres_told_clear (LkTresTold *self)
{
  g_array_unref (self->counts);
}

/* `prefix`, and so many bytes of a name. */
static void
add_named (LkTresTold *self, const char *prefix, const char *name, gsize name_bytes, guint64 count)
{
  LkTresCount one = { .count = count };
  gsize prefix_bytes = strlen (prefix);
  if (count == 0 || prefix_bytes + name_bytes > LK_TRES_TOLD_NAME_MAX)
    return;
  memcpy (one.name, prefix, prefix_bytes);
  memcpy (one.name + prefix_bytes, name, name_bytes);
  g_array_append_val (self->counts, one);
}

static void
add (LkTresTold *self, const char *name, guint64 count)
{
  add_named (self, "", name, strlen (name), count);
}

static gint
compare_counts (gconstpointer a, gconstpointer b)
{
  return strcmp (((const LkTresCount *)a)->name, ((const LkTresCount *)b)->name);
}

void
lk_tres_told_text (const LkTresTold *self, gboolean by_name, GString *out)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (LkTresCount));
  if (self->counts->len > 0)
    g_array_append_vals (counts, self->counts->data, self->counts->len);
  if (by_name)
    g_array_sort (counts, compare_counts);
  for (guint i = 0; i < counts->len; i++) {
    const LkTresCount *one = &g_array_index (counts, LkTresCount, i);
    g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT "%s", i > 0 ? "," : "", one->name,
                            one->count, strcmp (one->name, "mem") == 0 ? "M" : "");
  }
}

/* All that is counted beside CPUs, memory, nodes and what is billed. */
static void
add_booked (LkTresTold *self, const LkBook *book, const guint64 *counts)
{
  for (guint32 i = LK_TRES_FIXED; i < book->tres_count; i++)
    add (self, book->tres_names[i], counts[i]);
}

/* ---------------------------------------------------------------- what was asked for */

static guint32
cpus_asked (const LkRequest *request, const LkJobShown *shown)
{
  const LkDemand *demand = &request->demand;
  guint64 of_tasks = (guint64)demand->tasks * MAX (1, shown->asked.cpus_per_task);
  guint64 of_nodes = (guint64)demand->nodes_min * shown->asked.cpus_per_node_min;
  return request->cpus_per_gpu > 0 ? shown->cpus : (guint32)MAX (of_tasks, of_nodes);
}

static gint64
memory_asked_bytes (const LkMachine *machine, const LkRequest *request, const LkJobRequest *asked,
                    const LkTresTold *told)
{
  if (asked->memory_per_cpu_bytes > 0)
    return asked->memory_per_cpu_bytes * told->cpus;
  if (asked->memory_per_node_bytes > 0)
    return asked->memory_per_node_bytes * told->nodes;
  switch (request->memory) {
  case LK_MEMORY_PER_CPU:
    return request->memory_bytes * told->cpus;
  case LK_MEMORY_PER_NODE:
    return request->memory_bytes * told->nodes;
  case LK_MEMORY_PER_GPU:
    return request->memory_bytes * MAX (request->demand.gpus_total, 1);
  default:
    return lk_machine_first_memory_bytes (machine, request->partition) * told->nodes;
  }
}

/* The number behind the last colon; none: 1. */
static guint64
count_of (const char *text, gsize length)
{
  guint64 count = 0;
  gsize at = length;
  while (at > 0 && text[at - 1] != ':')
    at--;
  for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
    count = count * 10 + (guint64)(text[at] - '0');
  return at == length && length > 0 && count > 0 ? count : 1;
}

/* "name[:type][:count],...", or of `name` "[type:]count,...": so many times. */
static void
add_gres (LkTresTold *told, LkText list, const char *name, guint64 times)
{
  for (gsize begin = 0; begin < list.length_bytes;) {
    const char *text = list.bytes + begin;
    gsize length = 0;
    gsize word = 0;
    while (begin + length < list.length_bytes && text[length] != ',')
      length++;
    while (word < length && text[word] != ':')
      word++;
    add_named (told, "gres/", name != NULL ? name : text, name != NULL ? strlen (name) : word,
               count_of (text, length) * times);
    begin += length + 1;
  }
}

/* By the weights of its partition; without them it is the CPUs. */
static guint64
billing_asked (const LkMachine *machine, const LkRequest *request, const guint64 *counts,
               const LkTresTold *told)
{
  gboolean has_weights =
      request != NULL
      && *machine->partitions[request->partition].spec->tres_billing_weights != '\0';
  return counts != NULL && has_weights ? counts[LK_TRES_BILLING] : told->cpus;
}

void
lk_job_tres_asked (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown, LkTresTold *out)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkBook *book = lk_engine_book (engine);
  const LkRequest *request = lk_engine_job_request (engine, shown->info.id);
  const LkJobRequest *asked = &shown->asked;
  g_autofree guint64 *counts = book != NULL ? g_new0 (guint64, book->tres_count) : NULL;
  if (book != NULL)
    lk_host ()->job_tres (lk_engine_view (engine), job, counts);
  out->nodes = request != NULL ? MAX (request->demand.nodes_min, 1) : shown->nodes;
  out->cpus = request != NULL ? cpus_asked (request, shown) : shown->cpus;
  out->memory_bytes =
      request != NULL ? MAX (memory_asked_bytes (machine, request, asked, out), 0) : 0;
  add (out, "cpu", out->cpus);
  add (out, "mem", (guint64)out->memory_bytes >> 20);
  add (out, "node", out->nodes);
  add (out, "billing", billing_asked (machine, request, counts, out));
  if (book != NULL) {
    add_booked (out, book, counts);
    return;
  }
  add_gres (out, asked->gres, NULL, out->nodes);
  add_gres (out, asked->gpus, "gpu", 1);
  add_gres (out, asked->gpus_per_task, "gpu", MAX (asked->tasks, 1));
}

/* ---------------------------------------------------------------- what it has */

/* Without accounts. */
static void
add_held (LkTresTold *self, const LkEngine *engine, guint32 job_id)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  const LkRequest *request = lk_engine_job_request (engine, job_id);
  guint32 first = lk_engine_job_pieces (engine, job_id);
  static const char *const names[] = { "cpu", "mem", "node" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    add (self, names[i], (guint64)lk_billing_count (machine, request, first, names[i]));
  add (self, "billing", (guint64)lk_billing_of (machine, request, first));
  for (guint32 i = 0; i < nodes->gres_count; i++) {
    g_autoptr (GString) name = g_string_new ("gres/");
    g_string_append (name, nodes->gres[i].name);
    add (self, name->str, (guint64)lk_billing_count (machine, request, first, name->str));
  }
  self->memory_bytes = (gint64)lk_billing_count (machine, request, first, "mem") << 20;
}

void
lk_job_tres_held (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown, LkTresTold *out)
{
  const LkBook *book = lk_engine_book (engine);
  if (book == NULL && lk_engine_nodes (engine) == NULL) {
    lk_job_tres_asked (engine, job, shown, out);
    return;
  }
  out->nodes = shown->nodes;
  out->cpus = shown->cpus;
  if (book == NULL) {
    add_held (out, engine, shown->info.id);
    return;
  }
  g_autofree guint64 *counts = g_new0 (guint64, book->tres_count);
  lk_host ()->job_tres (lk_engine_view (engine), job, counts);
  add (out, "cpu", counts[LK_TRES_CPU]);
  add (out, "mem", counts[LK_TRES_MEMORY]);
  add (out, "node", counts[LK_TRES_NODE]);
  add (out, "billing", counts[LK_TRES_BILLING]);
  add_booked (out, book, counts);
  out->memory_bytes = (gint64)(counts[LK_TRES_MEMORY] << 20);
}
