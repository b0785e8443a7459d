/* live/top/live_facts.c — see the header. */
#include "live/top/live_facts.h"

#include <string.h>

#include "engine/job_shown.h"
#include "live/client/job_row.h"
#include "live/client/node_row.h"
#include "live/top/live_detail.h"

#define USE_COUNT 200u
#define LOG_LINES 1000u

struct _LkTopLive {
  const LkClient *client;
  char *title;
  char *log_path;
  gboolean calls_why;
  LkTopWhy why;     /* the last answer of `lockstep why` */
  guint64 seq;      /* last event that the controller has reported */
  GPtrArray *lines; /* of char*, the newest last */
  LkTopTail log_tail;
  GHashTable *states; /* job id -> short state (static), at the last look at jobs */
  gboolean has_states;
  GArray *uses;    /* of double */
  GArray *uses_us; /* of gint64: when */
};

LkTopLive *
lk_top_live_new (const LkClient *client, const char *title, const char *log_path,
                 gboolean calls_why)
{
  LkTopLive *self = g_new0 (LkTopLive, 1);
  self->client = client;
  self->title = g_strdup (title);
  self->log_path = g_strdup (log_path);
  self->calls_why = calls_why;
  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->states = g_hash_table_new (NULL, NULL);
  self->uses = g_array_new (FALSE, FALSE, sizeof (double));
  self->uses_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

void
lk_top_live_free (LkTopLive *self)
{
  if (self == NULL)
    return;
  g_free (self->title);
  g_free (self->log_path);
  lk_top_why_clear (&self->why);
  g_ptr_array_unref (self->lines);
  g_hash_table_unref (self->states);
  g_array_unref (self->uses);
  g_array_unref (self->uses_us);
  g_free (self);
}

static gint64
now_of (const LkTopLive *self)
{
  return self->client->now_us != 0 ? self->client->now_us : g_get_real_time ();
}

static const char *
text_in (LkTopFacts *facts, const char *bytes, gsize length_bytes)
{
  g_autofree char *text = g_strndup (bytes != NULL ? bytes : "", length_bytes);
  return lk_top_facts_text (facts, text);
}
#define TEXT(facts, text) text_in (facts, (text).bytes, (text).length_bytes)

/* ---------------------------------------------------------------- controller */

static void
take_controller (gpointer user, const LkRecord *record)
{
  LkTopFacts *facts = user;
  facts->pending_count = record->controller.pending_count;
  facts->running_count = record->controller.running_count;
  facts->seq = record->controller.seq;
}

/* ---------------------------------------------------------------- jobs */

static void
add_job (const LkTopLive *self, const LkJobRow *row, LkTopFacts *facts)
{
  const LkRecord_job *job = &row->job;
  gboolean has_started = lk_job_row_has_started (row);
  gboolean is_over = lk_job_state_is_end (job->state) && job->is_completing == 0;
  g_autoptr (GString) label = g_string_new (NULL);
  lk_job_row_label (row, label);
  LkTopJob out = { .id = job->job_id,
                   .label = lk_top_facts_text (facts, label->str),
                   .name = TEXT (facts, job->name),
                   .user = row->user,
                   .account = TEXT (facts, job->account_name),
                   .qos = TEXT (facts, job->qos_name),
                   .partition = TEXT (facts, job->partitions),
                   .state = lk_job_row_state (row),
                   .state_short = lk_job_row_state_short (row),
                   .reason = has_started ? "" : lk_reason_text (job->reason),
                   .where = has_started ? TEXT (facts, job->node_names)
                                        : TEXT (facts, job->planned_nodes),
                   .is_pending = !has_started && !is_over,
                   .is_over = is_over,
                   .has_priority = job->has_priority != 0,
                   .priority = job->priority_now,
                   .node_count = job->nodes,
                   .cpu_count = job->cpus,
                   .submit_us = job->submit_us,
                   .start_us = job->start_us,
                   .end_us = job->end_us,
                   .limit_us = job->limit_us,
                   .used_us = lk_job_row_used_us (row, now_of (self)) };
  g_array_append_val (facts->jobs, out);
}

/* Those that run, then those that wait by falling priority, then those that are over; by id. */
static gint
compare_jobs (gconstpointer a, gconstpointer b)
{
  const LkTopJob *x = a;
  const LkTopJob *y = b;
  guint class_x = x->is_over ? 2 : x->is_pending ? 1 : 0;
  guint class_y = y->is_over ? 2 : y->is_pending ? 1 : 0;
  if (class_x != class_y)
    return class_x < class_y ? -1 : 1;
  if (class_x == 1 && x->priority != y->priority)
    return x->priority > y->priority ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static void
add_line (LkTopLive *self, char *line)
{
  g_ptr_array_add (self->lines, line);
  if (self->lines->len > LOG_LINES)
    g_ptr_array_remove_range (self->lines, 0, self->lines->len - LOG_LINES);
}

static void
tell_change (LkTopLive *self, const LkTopFacts *facts, guint32 job_id, const char *text)
{
  GString *line = g_string_new (NULL);
  lk_top_facts_moment (facts, facts->now_us, line);
  g_string_append_printf (line, "  job %u %s", job_id, text);
  add_line (self, g_string_free (line, FALSE));
}

static void
note_job (LkTopLive *self, const LkTopFacts *facts, const LkTopJob *job, GHashTable *states)
{
  gpointer key = GUINT_TO_POINTER (job->id);
  const char *before = g_hash_table_lookup (self->states, key);
  g_hash_table_insert (states, key, (gpointer)job->state);
  if (!self->has_states || (before != NULL && strcmp (before, job->state) == 0))
    return;
  g_autofree char *text = g_strdup_printf (
      "(%s of %s) is %s%s%s%s%s", job->name, job->user, job->state,
      job->where[0] != '\0' && !job->is_pending ? " on " : "", job->is_pending ? "" : job->where,
      job->is_pending ? ": " : "", job->is_pending ? job->reason : "");
  tell_change (self, facts, job->id, text);
}

/* Of what has gone since the last look nobody tells any more how it ended. */
static void
note_jobs (LkTopLive *self, const LkTopFacts *facts)
{
  GHashTableIter iterator;
  gpointer key;
  GHashTable *states = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) gone = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < facts->jobs->len; i++)
    note_job (self, facts, &g_array_index (facts->jobs, LkTopJob, i), states);
  g_hash_table_iter_init (&iterator, self->states);
  while (g_hash_table_iter_next (&iterator, &key, NULL)) {
    guint32 id = GPOINTER_TO_UINT (key);
    if (!g_hash_table_contains (states, key))
      g_array_append_val (gone, id);
  }
  for (guint i = 0; i < gone->len; i++)
    tell_change (self, facts, g_array_index (gone, guint32, i), "is gone");
  g_hash_table_unref (self->states);
  self->states = states;
  self->has_states = TRUE;
}

/* For the log those that have ended are asked for as well, to tell how. */
static gboolean
add_jobs (LkTopLive *self, LkTopFacts *facts, GError **error)
{
  gboolean with_log = (facts->wants & LK_TOP_WANTS_LOG) != 0;
  LkClientQuery query = { .kind = LK_RECORD_JOB, .with_ended = with_log };
  g_autoptr (GPtrArray) rows = lk_job_rows (self->client, &query, error);
  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    add_job (self, g_ptr_array_index (rows, i), facts);
  g_array_sort (facts->jobs, compare_jobs);
  if (with_log)
    note_jobs (self, facts);
  return TRUE;
}

/* ---------------------------------------------------------------- nodes */

/* Of "gpu:a100:4(S:0-1),shard:8" the GPUs: 4. */
static guint32
gpus_in (LkText list)
{
  guint32 sum = 0;
  g_autofree char *text = g_strndup (list.bytes != NULL ? list.bytes : "", list.length_bytes);
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  for (guint i = 0; items[i] != NULL; i++) {
    guint64 count;
    if (!g_str_has_prefix (items[i], "gpu:"))
      continue;
    items[i][strcspn (items[i], "(")] = '\0';
    const char *last = strrchr (items[i], ':');
    if (last != NULL && g_ascii_string_to_unsigned (last + 1, 10, 0, G_MAXUINT32, &count, NULL))
      sum += (guint32)count;
  }
  return sum;
}

static void
take_node (gpointer user, const LkRecord *record)
{
  LkTopFacts *facts = user;
  const LkNodeRow row = { .node = record->node };
  const LkRecord_node *node = &record->node;
  g_autoptr (GString) state = g_string_new (NULL);
  lk_node_row_state (&row, /* is_short= */ FALSE, state);
  LkTopNode out = { .name = TEXT (facts, node->name),
                    .state = lk_top_facts_text (facts, state->str),
                    .reason = TEXT (facts, node->reason),
                    .partitions = TEXT (facts, node->partitions),
                    .is_unusable = node->flags != 0 || node->is_responding == 0,
                    .cpu_count = node->cpus,
                    .cpus_used_count = node->cpus_allocated,
                    .gpu_count = gpus_in (node->gres),
                    .gpus_used_count = gpus_in (node->gres_used),
                    .job_count = node->job_count,
                    .memory_bytes = node->memory_bytes,
                    .memory_used_bytes = node->memory_allocated_bytes };
  g_array_append_val (facts->nodes, out);
}

static void
note_use (LkTopLive *self, const LkTopFacts *facts)
{
  double ratio =
      facts->cpu_count > 0 ? (double)facts->cpus_used_count / (double)facts->cpu_count : 0.0;
  g_array_append_val (self->uses, ratio);
  g_array_append_val (self->uses_us, facts->now_us);
  if (self->uses->len > USE_COUNT) {
    g_array_remove_index (self->uses, 0);
    g_array_remove_index (self->uses_us, 0);
  }
}

static gboolean
add_nodes (LkTopLive *self, LkTopFacts *facts, GError **error)
{
  const LkClientQuery query = { .kind = LK_RECORD_NODE };
  if (!lk_client_query (self->client, &query, take_node, facts, error))
    return FALSE;
  lk_top_facts_sum_nodes (facts);
  note_use (self, facts);
  g_array_append_vals (facts->use_ratios, self->uses->data, self->uses->len);
  gint64 first_us = g_array_index (self->uses_us, gint64, 0);
  facts->use_step_us = self->uses->len > 1 ? (facts->now_us - first_us) / (self->uses->len - 1) : 0;
  return TRUE;
}

/* ---------------------------------------------------------------- log */

static void
read_log (LkTopLive *self)
{
  g_autofree char *text =
      self->log_path != NULL ? lk_top_tail_next (&self->log_tail, self->log_path) : NULL;
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0')
      add_line (self, g_strdup (lines[i]));
}

static void
add_log (LkTopLive *self, LkTopFacts *facts)
{
  for (guint i = 0; i < self->lines->len; i++)
    g_ptr_array_add (facts->log,
                     (gpointer)lk_top_facts_text (facts, g_ptr_array_index (self->lines, i)));
}

/* ---------------------------------------------------------------- looking */

static gboolean
gather (LkTopLive *self, LkTopFacts *facts, GError **error)
{
  const LkClientQuery query = { .kind = LK_RECORD_CONTROLLER };
  if (!lk_client_query (self->client, &query, take_controller, facts, error))
    return FALSE;
  self->seq = facts->seq;
  if ((facts->wants & (LK_TOP_WANTS_JOBS | LK_TOP_WANTS_LOG)) != 0
      && !add_jobs (self, facts, error))
    return FALSE;
  if ((facts->wants & LK_TOP_WANTS_NODES) != 0 && !add_nodes (self, facts, error))
    return FALSE;
  if ((facts->wants & LK_TOP_WANTS_LOG) != 0) {
    read_log (self);
    add_log (self, facts);
  }
  return TRUE;
}

static LkTopFacts *
look (gpointer data, guint wants, GError **error)
{
  LkTopLive *self = data;
  g_autoptr (LkTopFacts) facts = lk_top_facts_new (wants);
  facts->title = lk_top_facts_text (facts, self->title);
  facts->now_us = now_of (self);
  facts->has_dates = TRUE;
  facts->is_local = TRUE;
  return gather (self, facts, error) ? g_steal_pointer (&facts) : NULL;
}

static char *
detail (gpointer data, guint32 job_id)
{
  LkTopLive *self = data;
  return lk_top_live_detail (self->client, job_id, now_of (self), self->seq,
                             self->calls_why ? &self->why : NULL);
}

static char *
cancel (gpointer data, guint32 job_id, GError **error)
{
  LkTopLive *self = data;
  return lk_top_live_cancel (self->client, job_id, error);
}

const LkTopSource lk_top_live_source = {
  .is_live = TRUE, .look = look, .detail = detail, .cancel = cancel
};
