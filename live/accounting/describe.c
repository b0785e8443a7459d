/* live/accounting/describe.c — see the header. */
#include "live/accounting/describe.h"

#include <string.h>

#include "engine/billing.h"
#include "engine/job_shown.h"
#include "engine/task_set.h"
#include "live/accounting/asked.h"

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

void
lk_tres_list_add (LkTresList *self, const char *name, guint64 count)
{
  const char *unit = strcmp (name, "mem") == 0 ? "M" : "";
  if (count > 0)
    g_ptr_array_add (self->parts,
                     g_strdup_printf ("%s=%" G_GUINT64_FORMAT "%s", name, count, unit));
}

/* What the books say that it has. */
static void
add_booked (LkTresList *self, const LkEngine *engine, const LkBook *book, LkJobIndex job)
{
  g_autofree guint64 *counts = g_new0 (guint64, book->tres_count);
  lk_host ()->job_tres (lk_engine_view (engine), job, counts);
  for (guint32 i = 0; i < book->tres_count; i++)
    lk_tres_list_add (self, book->tres_names[i], counts[i]);
}

/* Without accounts, of one that has started on nodes. */
static void
add_held (LkTresList *self, const LkEngine *engine, guint32 job_id)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  const LkRequest *request = lk_engine_job_request (engine, job_id);
  guint32 first = lk_engine_job_pieces (engine, job_id);
  static const char *const names[] = { "cpu", "mem", "node" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    lk_tres_list_add (self, names[i],
                      (guint64)lk_billing_count (machine, request, first, names[i]));
  for (guint32 i = 0; i < nodes->gres_count; i++) {
    g_autofree char *name = g_strconcat ("gres/", nodes->gres[i].name, NULL);
    lk_tres_list_add (self, name, (guint64)lk_billing_count (machine, request, first, name));
  }
  lk_tres_list_add (self, "billing", (guint64)lk_billing_of (machine, request, first));
}

/* By names; the list is empty behind it. */
static const char *
tres_text (LkTresList *tres, LkAccountingTexts *texts)
{
  g_ptr_array_sort (tres->parts, compare_names);
  g_ptr_array_add (tres->parts, NULL);
  g_autofree char *text = g_strjoinv (",", (char **)tres->parts->pdata);
  g_ptr_array_set_size (tres->parts, 0);
  return copy (texts, text, strlen (text));
}

static void
describe_tres (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
               LkAccountingTexts *texts, LkAccountingJob *out)
{
  const LkBook *book = lk_engine_book (engine);
  LkTresList tres = { g_ptr_array_new_with_free_func (g_free) };
  lk_accounting_asked (engine, job, shown, &tres, out);
  out->asked_tres = tres_text (&tres, texts);
  if (shown->has_started) {
    if (book != NULL)
      add_booked (&tres, engine, book, job);
    else if (lk_engine_nodes (engine) != NULL)
      add_held (&tres, engine, shown->info.id);
    else
      lk_accounting_asked (engine, job, shown, &tres, out);
    out->allocated_tres = tres_text (&tres, texts);
  }
  g_ptr_array_unref (tres.parts);
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

gint64
lk_accounting_eligible_us (guint8 reason, gint64 at_us, gint64 begin_us)
{
  switch (reason) {
  case LK_REASON_BEGIN_TIME:
    return -begin_us;
  case LK_REASON_HELD_USER:
  case LK_REASON_HELD_ADMIN:
  case LK_REASON_HOLD_MAX_REQUEUE:
  case LK_REASON_DEPENDENCY:
  case LK_REASON_DEPENDENCY_NEVER_SATISFIED:
  case LK_REASON_RESERVATION:
  case LK_REASON_ARRAY_TASK_LIMIT:
    return 0;
  default:
    return at_us;
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
  lk_accounting_job_init (out);
  out->job_id = info->id;
  describe_array (engine, info, texts, out);
  describe_names (engine, job, &shown, texts, out);
  out->het_leader = info->het_leader;
  out->het_offset = info->het_offset;
  out->user_id = info->user_id;
  out->group_id = info->group_id;
  out->submit_us = info->submit_us;
  out->eligible_us = lk_accounting_eligible_us ((guint8)info->reason, at_us, info->begin_us);
  out->limit_us = info->estimate_us;
  out->priority = shown.priority;
  out->restarts = info->restarts;
  out->state = info->state;
  out->suspended_us = info->suspended_us;
  describe_tres (engine, job, &shown, texts, out);
  if (!shown.has_started)
    return;
  describe_place (engine, &shown, node_list, texts, out);
}
