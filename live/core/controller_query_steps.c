/* live/core/controller_query_steps.c — steps as clients are told of them. */
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "live/core/batch.h"
#include "live/core/controller_query.h"

/* In place of the number of a step: the batch script. */
#define BATCH_STEP G_MAXUINT32

/* What its texts are borrowed from. */
typedef struct {
  GString *nodes;
  GString *tres;
} Texts;

/* What all steps of a run have in common; suspended_us as of one that began with the run. */
static LkRecord_step
job_of (const LkController *self, const LkRun *run)
{
  LkJobInfo info = { .suspend_us = LK_TIME_NEVER };
  lk_engine_job (self->engine, run->job_id, &info);
  LkJobIndex job = lk_engine_job_index (self->engine, run->job_id);
  return (LkRecord_step){ .job_id = run->job_id,
                          .array_job_id = run->array_job_id,
                          .array_task = run->array_task,
                          .het_leader = run->facts.het_leader,
                          .het_offset = run->facts.het_offset,
                          .run_id = run->run_id,
                          .user_id = run->user_id,
                          .user_name = lk_query_text (lk_job_user (self->engine, job)),
                          .partition = run->facts.partition,
                          .state = LK_JOB_RUNNING,
                          .end_us = LK_TIME_NEVER,
                          .suspended_us = info.suspended_us,
                          .suspend_us = info.is_suspended ? info.suspend_us : LK_TIME_NEVER };
}

/* As the records of jobs have it. */
static void
fill_tres (LkRecord_step *out, gint64 memory_bytes, guint32 gpus, Texts *texts)
{
  g_string_printf (texts->tres, "cpu=%u", out->cpus_given);
  if (memory_bytes > 0)
    g_string_append_printf (texts->tres, ",mem=%" G_GINT64_FORMAT "M", memory_bytes >> 20);
  g_string_append_printf (texts->tres, ",node=%u", out->node_count);
  if (gpus > 0)
    g_string_append_printf (texts->tres, ",gres/gpu=%u", gpus);
  out->tres = lk_query_text (texts->tres->str);
}

static gint64
memory_of_job (const LkController *self, guint32 job_id, LkText node)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  guint32 index = lk_controller_node_index (self, node);
  guint32 piece = table != NULL ? lk_engine_job_pieces (self->engine, job_id) : LK_PIECE_NONE;
  for (; piece != LK_PIECE_NONE; piece = lk_piece (table, piece)->next_of_job)
    if (lk_piece (table, piece)->node == index)
      return lk_piece (table, piece)->memory_bytes;
  return 0;
}

static void
fill_places (const LkController *self, const LkJobStep *step, LkRecord_step *out, Texts *texts)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  LkPlaces places = step->kept.places;
  LkStepPlace place;
  gint64 memory_bytes = 0;
  guint32 gpus = 0;
  while (lk_step_place_next (&places, &place)) {
    g_ptr_array_add (names, g_strndup (place.node.bytes, place.node.length_bytes));
    out->node_count++;
    out->cpus_given += place.cpus;
    memory_bytes +=
        place.memory_bytes > 0 ? place.memory_bytes : memory_of_job (self, out->job_id, place.node);
    gpus += lk_step_place_gpus (&place);
  }
  g_string_truncate (texts->nodes, 0);
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, texts->nodes);
  out->node_names = (LkLongText){ texts->nodes->str, (guint32)texts->nodes->len };
  out->places = (LkBytes){ step->kept.places.bytes, step->kept.places.length_bytes };
  fill_tres (out, memory_bytes, gpus, texts);
}

#define FIELD_OF_WANT(type, name, help) out.name = step->kept.name;
#define FIELD_OF_USAGE(type, name, help) out.name = used.name;

static void
append_step (const LkController *self, const LkRun *run, const LkJobStep *step, Texts *texts,
             GByteArray *bytes)
{
  LkRecord record = { .kind = LK_RECORD_STEP };
  LkRecord_step out = job_of (self, run);
  LkMessage_kept_step_ended used = { 0 };
  LK_STEP_WANT_FIELDS (FIELD_OF_WANT)
  out.step_id = step->step_id;
  out.start_us = step->kept.start_us;
  out.suspended_us = MAX (lk_time_since_us (out.suspended_us, step->kept.suspended_us), 0);
  out.task_count = step->kept.task_count;
  out.is_completing = step->is_ending ? 1 : 0;
  lk_step_sum (step, &used);
  if (step->end_seq != 0) {
    used = step->how;
    out.is_completing = 0;
    out.state = used.state;
    out.exit_code = used.exit_code;
    out.signal = used.signal;
    out.end_us = used.end_us;
    out.suspended_us = used.suspended_us;
    out.suspend_us = LK_TIME_NEVER;
  }
  LK_STEP_USAGE_FIELDS (FIELD_OF_USAGE)
  LK_STEP_USAGE_NODE_FIELDS (FIELD_OF_USAGE)
  fill_places (self, step, &out, texts);
  record.step = out;
  lk_record_append (&record, bytes);
}

/* The script has all CPUs of its job on the first node. */
static void
append_batch (const LkController *self, const LkRun *run, Texts *texts, GByteArray *bytes)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  LkRecord record = { .kind = LK_RECORD_STEP };
  LkRecord_step out = job_of (self, run);
  LkBytes payload = lk_payload_bytes (run->payload);
  LkBatch batch;
  gint64 memory_bytes = 0;
  gboolean is_batch = lk_batch_decode (payload.bytes, payload.length_bytes, &batch);
  if (!lk_run_has_script (run) || (is_batch && batch.kind != LK_BATCH_KIND_SCRIPT))
    return;
  out.step_id = BATCH_STEP;
  out.name = lk_text ("batch");
  out.start_us = run->facts.start_us;
  out.task_count = out.node_count = 1;
  guint32 piece = table != NULL ? lk_engine_job_pieces (self->engine, run->job_id) : LK_PIECE_NONE;
  for (; piece != LK_PIECE_NONE; piece = lk_piece (table, piece)->next_of_job)
    if (lk_piece (table, piece)->node == run->nodes[0].node) {
      out.cpus_given = lk_piece (table, piece)->cpus;
      memory_bytes = lk_piece (table, piece)->memory_bytes;
    }
  g_string_assign (texts->nodes, self->nodes[run->nodes[0].node].name);
  out.node_names = (LkLongText){ texts->nodes->str, (guint32)texts->nodes->len };
  fill_tres (&out, memory_bytes, 0, texts);
  record.step = out;
  lk_record_append (&record, bytes);
}

gboolean
lk_query_steps (const LkController *self, guint32 job_id, gboolean with_ended, guint32 *step_id,
                GByteArray *out)
{
  const LkRun *run = lk_run_of_job (self, job_id);
  if (run == NULL || run->end_seq != 0)
    return TRUE;
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (GString) tres = g_string_new (NULL);
  Texts texts = { nodes, tres };
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->step_id < *step_id || (step->end_seq != 0 && !with_ended))
      continue;
    guint before_bytes = out->len;
    append_step (self, run, step, &texts, out);
    if (before_bytes > 0 && out->len > LK_QUERY_PAGE_BYTES) {
      g_byte_array_set_size (out, before_bytes);
      *step_id = step->step_id;
      return FALSE;
    }
  }
  append_batch (self, run, &texts, out);
  return TRUE;
}
