/* live/accounting/describe.c — see the header. */
#include "live/accounting/describe.h"

#include <string.h>

#include "engine/billing.h"
#include "engine/job_shown.h"
#include "engine/task_set.h"

void
lk_accounting_texts_init (LkAccountingTexts *self)
{
  self->chunk = g_string_chunk_new (1024);
}

void
lk_accounting_texts_clear (LkAccountingTexts *self)
{
  g_string_chunk_free (self->chunk);
}

void
lk_accounting_job_init (LkAccountingJob *job)
{
#define INIT_integer 0
#define INIT_text ""
#define INIT(group, type, name, help) .name = INIT_##type,
  *job = (LkAccountingJob){ LK_ACCOUNTING_JOB_FIELDS (INIT) };
#undef INIT
#undef INIT_text
#undef INIT_integer
}

static const char *
copy (LkAccountingTexts *texts, const void *bytes, gsize length_bytes)
{
  return length_bytes > 0 ? g_string_chunk_insert_len (texts->chunk, bytes, (gssize)length_bytes)
                          : "";
}

/* ---------------------------------------------------------------- TRES */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

typedef struct {
  GPtrArray *parts; /* of char *: "cpu=2" */
} Tres;

static void
add_tres (Tres *self, const char *name, guint64 count)
{
  const char *unit = strcmp (name, "mem") == 0 ? "M" : "";
  if (count > 0)
    g_ptr_array_add (self->parts,
                     g_strdup_printf ("%s=%" G_GUINT64_FORMAT "%s", name, count, unit));
}

/* What the books say that it has, or asks for. */
static void
add_booked (Tres *self, const LkEngine *engine, const LkBook *book, LkJobIndex job)
{
  g_autofree guint64 *counts = g_new0 (guint64, book->tres_count);
  lk_host ()->job_tres (lk_engine_view (engine), job, counts);
  for (guint32 i = 0; i < book->tres_count; i++)
    add_tres (self, book->tres_names[i], counts[i]);
}

/* Without accounts, of one that has started on nodes. */
static void
add_held (Tres *self, const LkEngine *engine, guint32 job_id)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  const LkRequest *request = lk_engine_job_request (engine, job_id);
  guint32 first = lk_engine_job_pieces (engine, job_id);
  static const char *const names[] = { "cpu", "mem", "node" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    add_tres (self, names[i], (guint64)lk_billing_count (machine, request, first, names[i]));
  for (guint32 i = 0; i < nodes->gres_count; i++) {
    g_autofree char *name = g_strconcat ("gres/", nodes->gres[i].name, NULL);
    add_tres (self, name, (guint64)lk_billing_count (machine, request, first, name));
  }
  add_tres (self, "billing", (guint64)lk_billing_of (machine, request, first));
}

/* "name[:type][:count],...", or of `name` "[type:]count,...": so many times. */
static void
add_gres (Tres *self, LkText list, const char *name, guint64 times)
{
  g_autofree char *text = g_strndup (list.bytes != NULL ? list.bytes : "", list.length_bytes);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  for (guint i = 0; parts[i] != NULL && parts[i][0] != '\0'; i++) {
    g_auto (GStrv) words = g_strsplit (parts[i], ":", -1);
    guint64 count = 1;
    g_autofree char *tres = g_strconcat ("gres/", name != NULL ? name : words[0], NULL);
    g_ascii_string_to_unsigned (words[g_strv_length (words) - 1], 10, 0, G_MAXUINT32, &count, NULL);
    add_tres (self, tres, count * times);
  }
}

static void
add_asked (Tres *self, const LkJobShown *shown)
{
  const LkJobRequest *asked = &shown->asked;
  gint64 bytes = asked->memory_per_cpu_bytes > 0
                     ? asked->memory_per_cpu_bytes * (gint64)shown->cpus
                     : asked->memory_per_node_bytes * (gint64)shown->nodes;
  add_tres (self, "cpu", shown->cpus);
  add_tres (self, "node", shown->nodes);
  add_tres (self, "mem", (guint64)MAX (bytes, 0) >> 20);
  add_tres (self, "billing", shown->cpus);
  add_gres (self, asked->gres, NULL, shown->nodes);
  add_gres (self, asked->gpus, "gpu", 1);
  add_gres (self, asked->gpus_per_task, "gpu", MAX (asked->tasks, 1));
}

static const char *
tres_text (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
           LkAccountingTexts *texts)
{
  const LkBook *book = lk_engine_book (engine);
  Tres tres = { g_ptr_array_new_with_free_func (g_free) };
  if (book != NULL)
    add_booked (&tres, engine, book, job);
  else if (shown->has_started && lk_engine_nodes (engine) != NULL)
    add_held (&tres, engine, shown->info.id);
  else
    add_asked (&tres, shown);
  g_ptr_array_sort (tres.parts, compare_names);
  g_ptr_array_add (tres.parts, NULL);
  g_autofree char *text = g_strjoinv (",", (char **)tres.parts->pdata);
  g_ptr_array_unref (tres.parts);
  return copy (texts, text, strlen (text));
}

/* ---------------------------------------------------------------- groups */

static void
describe_array (const LkEngine *engine, const LkJobInfo *info, LkAccountingTexts *texts,
                LkAccountingJob *out)
{
  out->array_job_id = info->array_job_id;
  out->array_task = -1;
  out->family_id = info->array_job_id != 0 ? info->array_job_id
                   : info->het_leader != 0 ? info->het_leader
                                           : info->id;
  if (info->array_job_id == 0)
    return;
  if (info->array_task != LK_TASK_NONE) {
    out->array_task = info->array_task;
    return;
  }
  const LkArray *array = lk_engine_array (engine, info->array_job_id);
  g_autoptr (GString) tasks = g_string_new (NULL);
  if (array == NULL)
    return;
  lk_task_set_text (&array->waiting, tasks);
  if (array->throttle > 0)
    g_string_append_printf (tasks, "%%%u", array->throttle);
  out->array_tasks = copy (texts, tasks->str, tasks->len);
}

static void
describe_names (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
                LkAccountingTexts *texts, LkAccountingJob *out)
{
  const LkJobInfo *info = &shown->info;
  const LkJobTerms *terms = lk_engine_job_terms (engine, info->id);
  g_autoptr (GString) partitions = g_string_new (NULL);
  if (shown->has_started)
    g_string_append (partitions,
                     lk_partition_name (engine, lk_engine_view (engine)->jobs->partition[job]));
  else
    lk_job_partitions (engine, job, partitions);
  out->partition = copy (texts, partitions->str, partitions->len);
  out->user_name = lk_job_user (engine, job);
  out->account = lk_job_account (engine, job);
  out->qos = lk_job_qos (engine, job);
  out->name = info->name;
  out->comment = info->comment;
  out->constraints =
      copy (texts, shown->asked.constraint.bytes, shown->asked.constraint.length_bytes);
  out->licenses = copy (texts, shown->asked.licenses.bytes, shown->asked.licenses.length_bytes);
  if (terms != NULL)
    out->reservation = copy (texts, terms->reservation.bytes, terms->reservation.length_bytes);
}

static void
describe_place (const LkEngine *engine, const LkJobShown *shown, GString *node_list,
                LkAccountingTexts *texts, LkAccountingJob *out)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  guint32 first = G_MAXUINT32;
  out->start_us = shown->info.start_us;
  out->nodes = shown->nodes;
  out->cpus = shown->cpus;
  out->batch_cpus = shown->cpus;
  out->node_list = copy (texts, node_list->str, node_list->len);
  if (nodes == NULL)
    return;
  for (guint32 i = lk_engine_job_pieces (engine, shown->info.id); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (piece->node < first)
      out->batch_cpus = 0;
    first = MIN (first, piece->node);
    if (piece->node == first)
      out->batch_cpus += piece->cpus;
  }
}

void
lk_accounting_describe (const LkEngine *engine, LkJobIndex job, gint64 at_us,
                        LkAccountingTexts *texts, LkAccountingJob *out)
{
  g_autoptr (GString) node_list = g_string_new (NULL);
  LkJobShown shown;
  g_string_chunk_clear (texts->chunk);
  lk_job_shown (engine, job, at_us, &shown, node_list);
  const LkJobInfo *info = &shown.info;
  gint64 eligible_us = lk_engine_view (engine)->jobs->accrue_us[job];
  lk_accounting_job_init (out);
  out->job_id = info->id;
  describe_array (engine, info, texts, out);
  describe_names (engine, job, &shown, texts, out);
  out->het_leader = info->het_leader;
  out->het_offset = info->het_offset;
  out->user_id = info->user_id;
  out->group_id = info->group_id;
  out->submit_us = info->submit_us;
  out->eligible_us = eligible_us == LK_TIME_NEVER ? 0 : eligible_us;
  out->limit_us = info->estimate_us;
  out->priority = shown.priority;
  out->restarts = info->restarts;
  out->asked_nodes = shown.nodes;
  out->asked_cpus = shown.cpus;
  out->state = info->state;
  out->suspended_us = info->suspended_us;
  const char *tres = tres_text (engine, job, &shown, texts);
  out->asked_tres = tres;
  if (!shown.has_started)
    return;
  describe_place (engine, &shown, node_list, texts, out);
  out->allocated_tres = tres;
}
