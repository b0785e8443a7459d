/* live/top/live_detail.c — see the header. */
#include "live/top/live_detail.h"

#include <string.h>

#include "engine/job_shown.h"
#include "live/client/job_row.h"
#include "live/client/node_row.h"
#include "live/client/refusal.h"
#include "live/step/pattern.h"

#define BEFORE_NAMED_MAX 3u
#define TAIL_LINES 40u

/* What is told of one job. */
typedef struct {
  const LkClient *client;
  const LkJobRow *row;
  LkTopFacts *facts; /* for the texts of moments */
  GString *out;
} Detail;

static void
put (Detail *self, const char *label, const char *text)
{
  if (text[0] != '\0')
    g_string_append_printf (self->out, "  %-11s%s\n", label, text);
}

static void
put_bytes (Detail *self, const char *label, const char *bytes, gsize length_bytes)
{
  g_autofree char *text = g_strndup (bytes != NULL ? bytes : "", length_bytes);
  put (self, label, text);
}
#define PUT(self, label, text) put_bytes (self, label, (text).bytes, (text).length_bytes)

static void
put_moment (Detail *self, const char *label, gint64 time_us)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (time_us == LK_TOP_NEVER || time_us == 0)
    return;
  lk_top_facts_moment (self->facts, time_us, text);
  put (self, label, text->str);
}

static void
put_duration (Detail *self, const char *label, gint64 duration_us)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_top_duration (duration_us, text);
  put (self, label, text->str);
}

static void
put_limit (Detail *self, gint64 limit_us)
{
  if (limit_us == LK_TOP_NEVER)
    put (self, "time limit", "none");
  else
    put_duration (self, "time limit", limit_us);
}

/* ---------------------------------------------------------------- what it is */

static void
put_job (Detail *self, gint64 now_us)
{
  const LkRecord_job *job = &self->row->job;
  g_autofree char *size = g_strdup_printf ("%u CPUs on %u nodes", job->cpus, job->nodes);
  lk_job_row_label (self->row, g_string_append (self->out, "Job "));
  g_string_append_printf (self->out, ": %s\n", lk_job_row_state (self->row));
  PUT (self, "name", job->name);
  put (self, "user", self->row->user);
  PUT (self, "account", job->account_name);
  PUT (self, "QOS", job->qos_name);
  PUT (self, "partition", job->partitions);
  put (self, "size", size);
  put_moment (self, "submitted", job->submit_us);
  if (lk_job_row_has_started (self->row)) {
    PUT (self, "nodes", job->node_names);
    put_moment (self, "started", job->start_us);
    put_duration (self, "has run", lk_job_row_used_us (self->row, now_us));
    put_limit (self, job->limit_us);
    put_moment (self, lk_job_state_is_end (job->state) ? "ended" : "ends by", job->end_us);
  } else {
    put_limit (self, job->limit_us);
    put_duration (self, "waiting", now_us - job->submit_us);
  }
  if (lk_job_state_is_end (job->state)) {
    g_autofree char *code = g_strdup_printf ("%u:%u", job->exit_code, job->signal);
    put (self, "exit code", code);
  }
}

/* ---------------------------------------------------------------- why it waits */

/* Jobs that wait with a higher priority, where a partition is common to both. */
typedef struct {
  const LkRecord_job *job;
  guint32 count;
  guint32 ids[BEFORE_NAMED_MAX];
} Before;

static gboolean
is_in_list (const char *list, const char *word)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  return g_strv_contains ((const char *const *)words, word);
}

static gboolean
shares_partition (LkLongText a, LkLongText b)
{
  g_autofree char *text_a = g_strndup (a.bytes != NULL ? a.bytes : "", a.length_bytes);
  g_autofree char *text_b = g_strndup (b.bytes != NULL ? b.bytes : "", b.length_bytes);
  g_auto (GStrv) words = g_strsplit (text_a, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (is_in_list (text_b, words[i]))
      return TRUE;
  return FALSE;
}

static void
take_before (gpointer user, const LkRecord *record)
{
  Before *self = user;
  const LkRecord_job *other = &record->job;
  if (other->state != LK_JOB_PENDING || other->job_id == self->job->job_id
      || other->has_priority == 0
      || !(other->priority_now > self->job->priority_now
           || (other->priority_now == self->job->priority_now && other->job_id < self->job->job_id))
      || !shares_partition (self->job->partitions, other->partitions))
    return;
  if (self->count < BEFORE_NAMED_MAX)
    self->ids[self->count] = other->job_id;
  self->count++;
}

static void
put_before (Detail *self)
{
  Before before = { .job = &self->row->job };
  const LkClientQuery query = { .kind = LK_RECORD_JOB };
  if (self->row->job.has_priority == 0
      || !lk_client_query (self->client, &query, take_before, &before, NULL) || before.count == 0)
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "%u jobs go before it: ", before.count);
  for (guint i = 0; i < MIN (before.count, BEFORE_NAMED_MAX); i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", before.ids[i]);
  if (before.count > BEFORE_NAMED_MAX)
    g_string_append_printf (text, " and %u more", before.count - BEFORE_NAMED_MAX);
  put (self, "priority", text->str);
}

/* What its partitions have free now. */
typedef struct {
  const LkRecord_job *job;
  guint32 nodes;
  guint32 unusable;
  guint32 idle;
  guint64 cpus;
  guint64 cpus_free;
} Room;

static void
take_room (gpointer user, const LkRecord *record)
{
  Room *self = user;
  const LkRecord_node *node = &record->node;
  if (!shares_partition (self->job->partitions, node->partitions))
    return;
  self->nodes++;
  self->cpus += node->cpus;
  if (node->flags != 0 || node->is_responding == 0) {
    self->unusable++;
    return;
  }
  self->idle += node->job_count == 0;
  self->cpus_free += node->cpus > node->cpus_allocated ? node->cpus - node->cpus_allocated : 0;
}

static void
put_room (Detail *self)
{
  Room room = { .job = &self->row->job };
  const LkClientQuery query = { .kind = LK_RECORD_NODE };
  if (!lk_client_query (self->client, &query, take_room, &room, NULL) || room.nodes == 0)
    return;
  g_autofree char *text = g_strdup_printf (
      "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " CPUs of its partition are free, %u of %u "
      "nodes idle, %u down or drained; it asks for %u CPUs on %u nodes",
      room.cpus_free, room.cpus, room.idle, room.nodes, room.unusable, self->row->job.cpus,
      self->row->job.nodes);
  put (self, "resources", text);
}

static void
append_term (GString *out, const char *word, double value)
{
  if (value > 0 || value < 0)
    g_string_append_printf (out, " %s %.0f", word, value);
}

static void
take_parts (gpointer user, const LkRecord *record)
{
  GString *out = user;
  const LkRecord_priority *parts = &record->priority;
  g_string_truncate (out, 0);
  g_string_append_printf (out, "%u", parts->priority);
  gsize begin = out->len;
  if (parts->is_direct != 0)
    g_string_append (out, " somebody has set it");
  append_term (out, "age", parts->age_term);
  append_term (out, "association", parts->association_term);
  append_term (out, "fairshare", parts->fairshare_term);
  append_term (out, "size", parts->job_size_term);
  append_term (out, "partition", parts->partition_term);
  append_term (out, "QOS", parts->qos_term);
  append_term (out, "TRES", parts->tres_term);
  append_term (out, "site", (double)parts->site_factor);
  append_term (out, "nice", -(double)parts->nice);
  if (out->len > begin)
    g_string_insert_c (out, (gssize)begin, ':');
}

static void
put_parts (Detail *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const LkClientQuery query = { .kind = LK_RECORD_PRIORITY, .job_id = self->row->job.job_id };
  if (self->row->job.has_priority != 0
      && lk_client_query (self->client, &query, take_parts, text, NULL))
    put (self, "points", text->str);
}

static void
put_why (Detail *self, guint64 seq, LkTopWhy *why)
{
  const LkRecord_job *job = &self->row->job;
  g_string_append (self->out, "Waits for\n");
  put (self, "reason", lk_reason_text (job->reason));
  PUT (self, "dependency", job->dependency_left);
  put_room (self);
  put_before (self);
  put_parts (self);
  put_moment (self, "planned", job->start_us);
  PUT (self, "there", job->planned_nodes);
  if (why == NULL)
    return;
  g_autofree char *command = g_strdup_printf ("lockstep why %u", job->job_id);
  put (self, "more by", command);
  g_string_append (self->out, lk_top_why_ask (why, job->job_id, seq));
}

/* ---------------------------------------------------------------- what it has printed */

/* Of what was not told as it is too long there are no bytes at all. */
static char *
string_of (gconstpointer bytes, gsize length_bytes)
{
  return g_strndup (bytes != NULL ? bytes : "", length_bytes);
}

static char *
output_path (const LkJobRow *row)
{
  const LkBatch *batch = row->batch;
  g_autoptr (GString) node = g_string_new (NULL);
  lk_job_row_batch_host (row, node);
  g_autofree char *name = string_of (row->job.name.bytes, row->job.name.length_bytes);
  g_autofree char *given = string_of (batch->std_out.bytes, batch->std_out.length_bytes);
  g_autofree char *work_dir = string_of (batch->work_dir.bytes, batch->work_dir.length_bytes);
  const LkPatternValues values = { .job_id = row->job.job_id,
                                   .array_job_id = row->job.array_job_id,
                                   .array_task = row->job.array_task,
                                   .job_name = name,
                                   .user = row->user,
                                   .node = node->str };
  if (work_dir[0] == '\0')
    return NULL;
  g_autofree char *expanded =
      lk_pattern_expand (given[0] != '\0' ? given : lk_pattern_default (&values), &values);
  return g_path_is_absolute (expanded) ? g_steal_pointer (&expanded)
                                       : g_build_filename (work_dir, expanded, NULL);
}

static void
put_tail (Detail *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = output_path (self->row);
  if (path == NULL || !lk_job_row_has_started (self->row))
    return;
  g_string_append_printf (self->out, "Output %s\n", path);
  g_autofree char *text = lk_top_tail_read (path, LK_TOP_TAIL_BYTES, &error);
  if (text == NULL) {
    g_string_append_printf (self->out, "  it cannot be read here: %s\n", error->message);
    return;
  }
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  guint count = g_strv_length (lines);
  for (guint i = count > TAIL_LINES ? count - TAIL_LINES : 0; i < count; i++)
    g_string_append_printf (self->out, "  | %s\n", lines[i]);
}

/* ---------------------------------------------------------------- all of it */

/* NULL: it is not known, or the controller cannot be asked. */
static GPtrArray *
rows_of (const LkClient *client, guint32 job_id, gboolean with_payload, GError **error)
{
  const LkClientQuery query = { .kind = LK_RECORD_JOB,
                                .job_id = job_id,
                                .with_ended = TRUE,
                                .with_payload = with_payload,
                                .is_brief = TRUE };
  return lk_job_rows (client, &query, error);
}

/* Of an array or a heterogeneous job, all parts are told; NULL: it is not among them. */
static const LkJobRow *
row_with (const GPtrArray *rows, guint32 job_id)
{
  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row->job.job_id == job_id)
      return row;
  }
  return NULL;
}

char *
lk_top_live_detail (const LkClient *client, guint32 job_id, gint64 now_us, guint64 seq,
                    LkTopWhy *why)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = rows_of (client, job_id, /* with_payload= */ TRUE, &error);
  const LkJobRow *row = row_with (rows, job_id);
  if (error != NULL)
    return g_strdup (error->message);
  if (row == NULL)
    return g_strdup_printf ("Job %u is no longer known to the controller (MinJobAge); see sacct.",
                            job_id);
  g_autoptr (LkTopFacts) facts = lk_top_facts_new (0);
  facts->has_dates = TRUE;
  facts->is_local = TRUE;
  GString *out = g_string_new (NULL);
  Detail self = { .client = client, .row = row, .facts = facts, .out = out };
  put_job (&self, now_us);
  if (row->job.state == LK_JOB_PENDING)
    put_why (&self, seq, why);
  put_tail (&self);
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- its end */

/* Tasks that wait together, without the limit behind them; one that is a job of its own: itself. */
static char *
tasks_of (const LkRecord_job *job)
{
  if (job->array_job_id == 0)
    return NULL;
  if (job->array_task != G_MAXUINT32)
    return g_strdup_printf ("%u", job->array_task);
  char *tasks = string_of (job->array_tasks.bytes, job->array_tasks.length_bytes);
  tasks[strcspn (tasks, "%")] = '\0';
  return tasks;
}

char *
lk_top_live_cancel (const LkClient *client, guint32 job_id, GError **error)
{
  LkMessage_reply reply;
  g_autoptr (GPtrArray) rows = rows_of (client, job_id, /* with_payload= */ FALSE, error);
  const LkJobRow *row = row_with (rows, job_id);
  if (rows == NULL)
    return NULL;
  if (row == NULL)
    return g_strdup_printf ("job %u is gone already", job_id);
  g_autofree char *tasks = tasks_of (&row->job);
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = tasks != NULL ? row->job.array_job_id : job_id;
  event.cancel.task_list = lk_text (tasks);
  if (!lk_client_event (client, &event, &reply, error))
    return NULL;
  g_autoptr (GString) label = g_string_new (NULL);
  lk_job_row_label (row, label);
  return reply.error != 0
             ? g_strdup_printf ("job %s: %s", label->str, lk_refusal_text (reply.error))
             : g_strdup_printf ("job %s is cancelled", label->str);
}
