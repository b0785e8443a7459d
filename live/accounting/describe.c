/* live/accounting/describe.c — see the header. */
#include "live/accounting/describe.h"

#include <string.h>

#include "engine/job_tres.h"
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

static void
describe_tres (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
               LkAccountingTexts *texts, LkAccountingJob *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkTresTold asked;
  lk_tres_told_init (&asked);
  lk_job_tres_asked (engine, job, shown, &asked);
  lk_tres_told_text (&asked, /* by_name= */ TRUE, text);
  out->asked_nodes = asked.nodes;
  out->asked_cpus = asked.cpus;
  out->asked_tres = copy (texts, text->str, text->len);
  lk_tres_told_clear (&asked);
  if (!shown->has_started)
    return;
  LkTresTold held;
  lk_tres_told_init (&held);
  lk_job_tres_held (engine, job, shown, &held);
  lk_tres_told_text (&held, /* by_name= */ TRUE, g_string_truncate (text, 0));
  out->allocated_tres = copy (texts, text->str, text->len);
  lk_tres_told_clear (&held);
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
  out->asked_qos = copy (texts, shown->asked.qos.bytes, shown->asked.qos.length_bytes);
  guint32 qos = lk_engine_view (engine)->jobs->qos[job];
  out->qos_id = qos != LK_INDEX_NONE ? (gint64)qos + 1 : 0;
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
  if (info->reason == LK_REASON_HELD_USER || info->reason == LK_REASON_HELD_ADMIN)
    out->priority = -1;
  if (info->reason_shown != LK_REASON_NONE && !shown.has_started)
    out->reason = info->reason;
  out->restarts = info->restarts;
  out->state = info->state;
  out->suspended_us = info->suspended_us;
  out->suspend_us = info->is_suspended ? info->suspend_us : 0;
  describe_tres (engine, job, &shown, texts, out);
  if (!shown.has_started)
    return;
  describe_place (engine, &shown, node_list, texts, out);
}

void
lk_accounting_end (LkAccountingJob *job, const LkEvent *cause, const LkDecision_notice *notice,
                   gboolean is_requeued)
{
  gboolean was_sent_back = is_requeued && job->state == LK_JOB_COMPLETING;
  if (job->suspend_us != 0)
    job->suspended_us += cause->time_us - job->suspend_us;
  job->suspend_us = 0;
  job->state = notice->state;
  job->end_us = cause->time_us;
  if (cause->kind != LK_EVENT_JOB_ENDED || cause->job_ended.job_id != notice->job_id
      || was_sent_back)
    return;
  job->exit_code = cause->job_ended.exit_code;
  job->signal = cause->job_ended.signal;
}
