/* live/accounting/step_note.c — see the header. */
#include "live/accounting/step_note.h"

#include "engine/checked.h"
#include "engine/hostlist.h"

static char *
text_of (const void *bytes, gsize length_bytes)
{
  return length_bytes > 0 ? g_strndup (bytes, length_bytes) : g_strdup ("");
}

/* Nodes, CPUs and what else its places have together. */
static void
sum_places (const LkMessage_kept_step *kept, LkAccountingStep *out, GString *nodes, GString *tres)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  LkPlaces places = kept->places;
  LkStepPlace place;
  gint64 memory_bytes = 0;
  guint32 gpus = 0;
  while (lk_step_place_next (&places, &place)) {
    g_ptr_array_add (names, g_strndup (place.node.bytes, place.node.length_bytes));
    out->nodes++;
    out->cpus += place.cpus;
    gpus += lk_step_place_gpus (&place);
    memory_bytes = lk_time_add_us (memory_bytes, place.memory_bytes);
  }
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, nodes);
  /* By their names, as sacct tells them. */
  g_string_printf (tres, "cpu=%" G_GINT64_FORMAT, out->cpus);
  if (gpus > 0)
    g_string_append_printf (tres, ",gres/gpu=%u", gpus);
  if (memory_bytes > 0)
    g_string_append_printf (tres, ",mem=%" G_GINT64_FORMAT "M", memory_bytes >> 20);
  g_string_append_printf (tres, ",node=%" G_GINT64_FORMAT, out->nodes);
}

static void
take_step (LkAccountingStore *store, const LkMessage_kept_step *kept)
{
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (GString) tres = g_string_new (NULL);
  g_autofree char *name = text_of (kept->name.bytes, kept->name.length_bytes);
  g_autofree char *line = text_of (kept->submit_line.bytes, kept->submit_line.length_bytes);
  LkAccountingStep step = { .run_id = (gint64)kept->run_id,
                            .step_id = kept->step_id,
                            .job_id = kept->job_id,
                            .user_id = kept->user_id,
                            .name = name,
                            .start_us = kept->start_us,
                            .limit_us = kept->limit_us,
                            .tasks = kept->task_count,
                            .distribution = kept->distribution,
                            .submit_line = line };
  sum_places (kept, &step, nodes, tres);
  step.node_list = nodes->str;
  step.allocated_tres = tres->str;
  lk_accounting_store_step (store, &step);
}

/* What is too large for SQLite is as large as can be. */
#define FIELD_OF_KEPT(type, name, help) .name = (gint64)MIN ((guint64)kept->name, G_MAXINT64),

static void
take_step_ended (LkAccountingStore *store, const LkMessage_kept_step_ended *kept)
{
  LkAccountingStep step = { .run_id = (gint64)kept->run_id,
                            .step_id = kept->step_id,
                            .end_us = kept->end_us,
                            .state = kept->state,
                            .exit_code = kept->exit_code,
                            .signal = kept->signal,
                            LK_STEP_USAGE_FIELDS (FIELD_OF_KEPT)
                                LK_STEP_USAGE_NODE_FIELDS (FIELD_OF_KEPT) };
  lk_accounting_store_step_ended (store, &step);
}

static void
take_admin_comment (LkAccountingStore *store, const LkMessage_kept_admin_comment *kept)
{
  g_autofree char *comment = text_of (kept->comment.bytes, kept->comment.length_bytes);
  LkAccountingJob job = { .admin_comment = comment };
  lk_accounting_store_set (store, kept->job_id, LK_ACCOUNTING_COMMENTED, &job);
}

void
lk_accounting_take_step_note (LkAccountingStore *store, const LkMessage *note)
{
  if (note->kind == LK_MESSAGE_KEPT_STEP)
    take_step (store, &note->kept_step);
  else if (note->kind == LK_MESSAGE_KEPT_STEP_ENDED)
    take_step_ended (store, &note->kept_step_ended);
  else if (note->kind == LK_MESSAGE_KEPT_ADMIN_COMMENT)
    take_admin_comment (store, &note->kept_admin_comment);
}
