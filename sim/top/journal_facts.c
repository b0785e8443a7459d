/* sim/top/journal_facts.c — see the header. */
#include "sim/top/journal_facts.h"

#include <stdio.h>

#include "engine/array.h"
#include "engine/bits.h"
#include "engine/job_shown.h"
#include "engine/machine.h"
#include "sim/error.h"
#include "sim/journal_names.h"
#include "sim/show.h"
#include "sim/top/words.h"
#include "sim/why.h"
#include "sim/why_history.h"

/* A clock that is later than this, 1980, counts from 1970: no log is of so many years. */
#define DATED_US (G_GINT64_CONSTANT (315532800) * G_USEC_PER_SEC)
#define USE_COUNT 200u
#define LOG_EVENTS 2000u
#define LOG_LINES 1000u
#define STEPS 50

struct _LkTopJournal {
  LkScrub *scrub;
  LkJournalNames *names;
  gint64 at_us; /* the moment: at or after the last event */
  gint64 step_us;
  GHashTable *in_queue; /* scratch: of job ids */
  /* Of the last job whose details were asked for. */
  LkWhyHistory history;
  guint32 history_id; /* 0: none */
  char *detail;
  guint64 detail_seq;
  gint64 detail_us;
};

/* ---------------------------------------------------------------- opening */

/* A step that people know, so that the journal has some hundred of them. */
static gint64
step_of (gint64 span_us)
{
  static const gint64 steps_s[] = { 1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400 };
  gint64 found_s = steps_s[0];
  for (guint i = 0; i < G_N_ELEMENTS (steps_s); i++)
    if (steps_s[i] * G_USEC_PER_SEC * STEPS <= span_us)
      found_s = steps_s[i];
  return found_s * G_USEC_PER_SEC;
}

static gboolean
go_to (LkTopJournal *self, const char *at, GError **error)
{
  guint64 seq;
  gint64 time_us = LK_TIME_NEVER;
  g_autoptr (LkProgress) progress = lk_progress_new (
      LK_PROGRESS_AUTO, lk_scrub_first_us (self->scrub) >= DATED_US ? 0 : -1, stderr);
  if (at == NULL || g_str_equal (at, "last")) {
    if (!lk_scrub_go_event (self->scrub, G_MAXUINT64, progress, error))
      return FALSE;
  } else if (g_ascii_string_to_unsigned (at, 10, 0, G_MAXUINT64 - 1, &seq, NULL)) {
    if (!lk_scrub_go_event (self->scrub, seq, progress, error))
      return FALSE;
  } else if (!lk_show_moment_parse (
                 "--at", at, lk_scrub_first_us (self->scrub) >= DATED_US ? 0 : -1, &time_us, error)
             || !lk_scrub_go_time (self->scrub, time_us, progress, error)) {
    return FALSE;
  }
  self->at_us = lk_scrub_time_us (self->scrub);
  if (time_us != LK_TIME_NEVER)
    self->at_us = MAX (self->at_us, MIN (time_us, lk_scrub_last_us (self->scrub)));
  return TRUE;
}

LkTopJournal *
lk_top_journal_new (const char *path, char **plugins, const char *at, GError **error)
{
  g_autoptr (LkTopJournal) self = g_new0 (LkTopJournal, 1);
  self->in_queue = g_hash_table_new (NULL, NULL);
  self->scrub = lk_scrub_new (path, plugins, error);
  if (self->scrub == NULL)
    return NULL;
  self->names = lk_journal_names_read_file (lk_scrub_path (self->scrub), error);
  if (self->names == NULL)
    return NULL;
  self->step_us = step_of (lk_scrub_last_us (self->scrub) - lk_scrub_first_us (self->scrub));
  return go_to (self, at, error) ? g_steal_pointer (&self) : NULL;
}

void
lk_top_journal_free (LkTopJournal *self)
{
  if (self == NULL)
    return;
  if (self->history_id != 0)
    lk_why_history_clear (&self->history);
  g_clear_pointer (&self->names, lk_journal_names_free);
  g_hash_table_unref (self->in_queue);
  lk_scrub_free (self->scrub);
  g_free (self->detail);
  g_free (self);
}

/* ---------------------------------------------------------------- jobs */

static void
label_of (const LkEngine *engine, const LkJobInfo *info, const char *log_id, GString *out)
{
  const LkArray *array =
      info->array_job_id != 0 ? lk_engine_array (engine, info->array_job_id) : NULL;
  if (info->het_leader != 0)
    g_string_append_printf (out, "%u+%u", info->het_leader, info->het_offset);
  else if (array == NULL)
    g_string_append_printf (out, "%u", info->id);
  else if (info->array_task != LK_TASK_NONE)
    g_string_append_printf (out, "%u_%u", info->array_job_id, info->array_task);
  else {
    g_string_append_printf (out, "%u_[", info->array_job_id);
    lk_task_set_text (&array->waiting, out);
    g_string_append_c (out, ']');
  }
  if (log_id != NULL)
    g_string_append_printf (out, "(log:%s)", log_id);
}

static const char *
user_of (const LkTopJournal *self, LkJobIndex job, const LkJobInfo *info, LkTopFacts *facts)
{
  const char *name = lk_job_user (lk_scrub_engine (self->scrub), job);
  if (name[0] == '\0' && !lk_scrub_has_accounts (self->scrub))
    name = lk_journal_names_user (self->names, info->user_id);
  if (name != NULL && name[0] != '\0')
    return lk_top_facts_text (facts, name);
  g_autofree char *number = g_strdup_printf ("%u", info->user_id);
  return lk_top_facts_text (facts, number);
}

static void
add_job (const LkTopJournal *self, LkJobIndex job, LkTopFacts *facts)
{
  LkJobShown shown;
  const LkEngine *engine = lk_scrub_engine (self->scrub);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_job_shown (engine, job, self->at_us, &shown, text);
  const LkJobInfo *info = &shown.info;
  LkJobState state = lk_job_state_shown (info->state, info->is_sigstopped);
  LkTopJob out = { .id = info->id,
                   .name = lk_top_facts_text (facts, info->name),
                   .user = user_of (self, job, info, facts),
                   .account = lk_top_facts_text (facts, lk_job_account (engine, job)),
                   .qos = lk_top_facts_text (facts, lk_job_qos (engine, job)),
                   .state = lk_job_state_name (state),
                   .state_short = lk_job_state_short (state),
                   .reason = shown.has_started ? "" : lk_reason_text (info->reason_shown),
                   .is_pending = !shown.has_started,
                   .has_priority = shown.has_priority,
                   .priority = shown.priority,
                   .node_count = shown.nodes,
                   .cpu_count = shown.cpus,
                   .submit_us = info->submit_us,
                   .start_us = info->start_us,
                   .end_us = lk_job_end_us (info),
                   .limit_us = info->estimate_us };
  if (!shown.has_started)
    lk_job_planned_list (engine, job, text);
  else
    out.used_us = lk_job_ran_us (info, self->at_us);
  out.where = lk_top_facts_text (facts, text->str);
  g_string_truncate (text, 0);
  guint32 base_id = info->array_job_id != 0 ? info->array_job_id : info->id;
  const char *log_id = lk_journal_names_log_id (self->names, base_id);
  if (log_id != NULL && base_id == info->id)
    out.log_id = lk_top_facts_text (facts, log_id);
  if (out.log_id != NULL && info->name[0] == '\0')
    out.name = out.log_id; /* as in squeue; a narrow screen cuts the label */
  label_of (engine, info, log_id, text);
  out.label = lk_top_facts_text (facts, text->str);
  g_string_truncate (text, 0);
  if (shown.has_started)
    g_string_append (text,
                     lk_partition_name (engine, lk_engine_view (engine)->jobs->partition[job]));
  else
    lk_job_partitions (engine, job, text);
  out.partition = lk_top_facts_text (facts, text->str);
  g_array_append_val (facts->jobs, out);
}

/* Those that run, then those that wait in the order of the queue, then those that are out of it. */
static void
add_jobs (LkTopJournal *self, LkTopFacts *facts)
{
  const LkEngine *engine = lk_scrub_engine (self->scrub);
  g_autoptr (GArray) all = lk_jobs_by_id (engine);
  g_autoptr (GArray) queue = lk_engine_queue_ids (engine);
  g_hash_table_remove_all (self->in_queue);
  for (guint i = 0; i < queue->len; i++)
    g_hash_table_add (self->in_queue, GUINT_TO_POINTER (g_array_index (queue, guint32, i)));
  const guint32 *ids = lk_engine_view (engine)->jobs->id;
  for (guint i = 0; i < all->len; i++) {
    LkJobIndex job = g_array_index (all, LkJobIndex, i);
    LkJobState state = lk_engine_state (engine, job);
    if (state != LK_JOB_PENDING && state != LK_JOB_SPECIAL_EXIT)
      add_job (self, job, facts);
  }
  for (guint i = 0; i < queue->len; i++)
    add_job (self, lk_engine_job_index (engine, g_array_index (queue, guint32, i)), facts);
  for (guint i = 0; i < all->len; i++) {
    LkJobIndex job = g_array_index (all, LkJobIndex, i);
    LkJobState state = lk_engine_state (engine, job);
    if ((state == LK_JOB_PENDING || state == LK_JOB_SPECIAL_EXIT)
        && !g_hash_table_contains (self->in_queue, GUINT_TO_POINTER (ids[job])))
      add_job (self, job, facts);
  }
}

/* ---------------------------------------------------------------- nodes */

/* Cores and devices that jobs share are held once. */
static void
count_used (const LkNodeTable *table, guint32 node, LkTopNode *out)
{
  guint64 devices = 0;
  guint64 cores[LK_NODE_CORE_WORDS_MAX] = { 0 };
  for (guint32 i = table->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (table, i)->next_on_node) {
    const LkPiece *piece = lk_piece (table, i);
    out->memory_used_bytes += piece->memory_bytes;
    devices |= piece->devices;
    if (piece->shares > 0)
      devices |= G_GUINT64_CONSTANT (1) << piece->share_device;
    for (guint32 word = 0; word < table->core_words; word++)
      cores[word] |= piece->cores[word];
  }
  out->cpus_used_count =
      lk_bits_count (cores, table->core_words) * lk_node_kind (table, node)->cpus_per_core;
  out->gpus_used_count = lk_bits_count_word (devices);
}

static const char *
node_partitions (const LkMachine *machine, guint32 node, LkTopFacts *facts)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint32 i = 0; i < machine->partition_count; i++)
    if (lk_bits_has (machine->partitions[i].nodes, node))
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "",
                              machine->partitions[i].spec->name);
  return lk_top_facts_text (facts, text->str);
}

static void
add_nodes (const LkTopJournal *self, LkTopFacts *facts)
{
  const LkEngine *engine = lk_scrub_engine (self->scrub);
  const LkNodeTable *table = lk_engine_nodes (engine);
  const LkMachine *machine = lk_engine_machine (engine);
  for (guint32 node = 0; table != NULL && machine != NULL && node < table->node_count; node++) {
    const LkNodeKind *kind = lk_node_kind (table, node);
    g_autofree char *state = g_ascii_strdown (lk_node_state_text (table, node, FALSE), -1);
    LkTopNode out = { .name = lk_top_facts_text (facts, table->names[node]),
                      .state = lk_top_facts_text (facts, state),
                      .reason = lk_top_facts_text (facts, table->reasons[node]),
                      .partitions = node_partitions (machine, node, facts),
                      .is_unusable = table->flags[node] != 0,
                      .cpu_count = kind->cpus,
                      .gpu_count = kind->device_count,
                      .job_count = table->piece_count[node],
                      .memory_bytes = kind->memory_bytes };
    count_used (table, node, &out);
    g_array_append_val (facts->nodes, out);
  }
}

/* ---------------------------------------------------------------- log */

static void
add_line (LkTopFacts *facts, gint64 time_us, const GString *words)
{
  g_autoptr (GString) line = g_string_new (NULL);
  if (words->len == 0)
    return;
  lk_top_facts_moment (facts, time_us, line);
  g_string_append_printf (line, "  %s", words->str);
  g_ptr_array_add (facts->log, (gpointer)lk_top_facts_text (facts, line->str));
}

static void
add_log (const LkTopJournal *self, LkTopFacts *facts)
{
  LkEvent event;
  LkDecision decision;
  g_autoptr (LkJournalReader) reader = lk_scrub_reader (self->scrub, LOG_EVENTS);
  g_autoptr (GString) words = g_string_new (NULL);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT
         && event.seq <= lk_scrub_seq (self->scrub)) {
    g_string_truncate (words, 0);
    lk_top_event_words (&event, self->names, words);
    add_line (facts, event.time_us, words);
    while (lk_journal_reader_decision (reader, &decision)) {
      g_string_truncate (words, 0);
      lk_top_decision_words (&event, &decision, self->names, words);
      add_line (facts, event.time_us, words);
    }
  }
  if (facts->log->len > LOG_LINES)
    g_ptr_array_remove_range (facts->log, 0, facts->log->len - LOG_LINES);
}

/* ---------------------------------------------------------------- looking */

static void
add_use (const LkTopJournal *self, LkTopFacts *facts)
{
  facts->use_step_us = self->step_us;
  g_array_set_size (facts->use_ratios, USE_COUNT);
  lk_scrub_use (self->scrub, self->at_us - (gint64)USE_COUNT * self->step_us, self->at_us,
                USE_COUNT, (double *)(gpointer)facts->use_ratios->data);
}

static LkTopFacts *
gather (LkTopJournal *self, guint wants)
{
  LkEngineCounts counts;
  const LkEngine *engine = lk_scrub_engine (self->scrub);
  LkTopFacts *facts = lk_top_facts_new (wants);
  lk_engine_counts (engine, &counts);
  facts->title = lk_top_facts_text (facts, lk_scrub_path (self->scrub));
  facts->now_us = self->at_us;
  facts->has_dates = lk_scrub_first_us (self->scrub) >= DATED_US;
  facts->seq = lk_scrub_seq (self->scrub);
  facts->seq_last = lk_scrub_seq_last (self->scrub);
  facts->is_end = facts->seq == facts->seq_last;
  facts->first_us = lk_scrub_first_us (self->scrub);
  facts->last_us = lk_scrub_last_us (self->scrub);
  facts->pending_count = counts.pending_count;
  facts->running_count = counts.running_count;
  facts->cpu_count = lk_engine_config (engine)->units_total;
  facts->cpus_used_count = facts->cpu_count - counts.units_free;
  if ((wants & LK_TOP_WANTS_JOBS) != 0)
    add_jobs (self, facts);
  if ((wants & LK_TOP_WANTS_NODES) != 0) {
    add_nodes (self, facts);
    add_use (self, facts);
  }
  if ((wants & LK_TOP_WANTS_LOG) != 0)
    add_log (self, facts);
  return facts;
}

/* New users are known from now on, and what has become of a job since.  With accounts nothing is
 * to be read: a journal that grows is of a live controller, which has no numbers of a log. */
static gboolean
forget (LkTopJournal *self, GError **error)
{
  if (self->history_id != 0)
    lk_why_history_clear (&self->history);
  self->history_id = 0;
  if (lk_scrub_has_accounts (self->scrub))
    return TRUE;
  LkJournalNames *names = lk_journal_names_read_file (lk_scrub_path (self->scrub), error);
  if (names == NULL)
    return FALSE;
  lk_journal_names_free (self->names);
  self->names = names;
  return TRUE;
}

/* Whoever stands at the end goes with it. */
static gboolean
follow (LkTopJournal *self, GError **error)
{
  gboolean has_grown;
  gboolean is_at_end = lk_scrub_seq (self->scrub) == lk_scrub_seq_last (self->scrub);
  if (!lk_scrub_grow (self->scrub, &has_grown, error))
    return FALSE;
  if (!has_grown)
    return TRUE;
  if (!forget (self, error))
    return FALSE;
  if (!is_at_end)
    return TRUE;
  if (!lk_scrub_go_event (self->scrub, G_MAXUINT64, NULL, error))
    return FALSE;
  self->at_us = lk_scrub_last_us (self->scrub);
  return TRUE;
}

static LkTopFacts *
look (gpointer data, guint wants, GError **error)
{
  LkTopJournal *self = data;
  return follow (self, error) ? gather (self, wants) : NULL;
}

static gboolean
go_time (LkTopJournal *self, gint64 time_us, GError **error)
{
  time_us = CLAMP (time_us, lk_scrub_first_us (self->scrub), lk_scrub_last_us (self->scrub));
  if (!lk_scrub_go_time (self->scrub, time_us, NULL, error))
    return FALSE;
  self->at_us = time_us;
  return TRUE;
}

static gboolean
go_event (LkTopJournal *self, gint64 by, GError **error)
{
  guint64 seq = lk_scrub_seq (self->scrub);
  guint64 far = (guint64)ABS (by);
  guint64 to = by >= 0 ? seq + far : seq > far ? seq - far : 0;
  if (!lk_scrub_go_event (self->scrub, to, NULL, error))
    return FALSE;
  self->at_us = lk_scrub_time_us (self->scrub);
  return TRUE;
}

static gboolean
go (gpointer data, const LkTopAction *action, GError **error)
{
  LkTopJournal *self = data;
  switch (action->kind) {
  case LK_TOP_ACTION_STEPS:
    return go_time (self, self->at_us + action->amount * self->step_us, error);
  case LK_TOP_ACTION_EVENTS:
    return go_event (self, action->amount, error);
  case LK_TOP_ACTION_BEGIN:
    return go_time (self, lk_scrub_first_us (self->scrub), error);
  case LK_TOP_ACTION_END:
    return go_time (self, lk_scrub_last_us (self->scrub), error);
  default:
    return TRUE;
  }
}

/* ---------------------------------------------------------------- details */

static void
read_history (LkTopJournal *self, guint32 job_id)
{
  if (self->history_id == job_id)
    return;
  if (self->history_id != 0)
    lk_why_history_clear (&self->history);
  g_autoptr (LkJournalReader) reader = lk_scrub_reader (self->scrub, G_MAXUINT64);
  const LkWhyJobId whole = { job_id, LK_TASK_NONE };
  lk_why_history_read (&self->history, reader, &whole);
  self->history_id = job_id;
}

static void
append_row (GString *out, const LkTopFacts *facts, const char *label, gint64 time_us)
{
  g_string_append_printf (out, "  %-11s", label);
  lk_top_facts_moment (facts, time_us, out);
  g_string_append_c (out, '\n');
}

/* What became of it, and what is to come: the journal knows. */
static void
append_course (const LkTopJournal *self, const LkTopFacts *facts, GString *out)
{
  g_string_append (out, "Course\n");
  for (guint i = 0; i < self->history.turns->len; i++) {
    const LkWhyTurn *turn = &g_array_index (self->history.turns, LkWhyTurn, i);
    g_string_append (out, turn->time_us > self->at_us ? "  (later)  " : "           ");
    lk_top_facts_moment (facts, turn->time_us, out);
    g_string_append_printf (out, "  %s\n", lk_job_state_name (turn->state));
  }
}

static void
append_job (const LkTopFacts *facts, const LkTopJob *job, GString *out)
{
  g_string_append_printf (out, "Job %s  %s\n", job->label, job->state);
  g_string_append_printf (out, "  %-11s%s\n", "name", job->name);
  g_string_append_printf (out, "  %-11s%s\n", "user", job->user);
  g_string_append_printf (out, "  %-11s%s\n", "partition", job->partition);
  if (job->is_pending)
    g_string_append_printf (out, "  %-11s%s\n", "reason", job->reason);
  else if (job->where[0] != '\0')
    g_string_append_printf (out, "  %-11s%s\n", "nodes", job->where);
  g_string_append_printf (out, "  %-11s%u on %u nodes\n", "CPUs", job->cpu_count, job->node_count);
  append_row (out, facts, "submitted", job->submit_us);
  if (!job->is_pending) {
    append_row (out, facts, "started", job->start_us);
    append_row (out, facts, "time limit", job->end_us);
  }
}

static void
append_why (LkTopJournal *self, GString *out)
{
  const LkEngine *engine = lk_scrub_engine (self->scrub);
  LkWhyInput input = { lk_scrub_config (self->scrub), engine, &self->history.asked, self->names };
  g_autoptr (LkWhy) why = lk_why_new (&input);
  lk_why_text (why, out);
}

static void
make_detail (LkTopJournal *self, guint32 job_id, GString *out)
{
  LkJobInfo info;
  const LkEngine *engine = lk_scrub_engine (self->scrub);
  g_autoptr (LkTopFacts) facts = gather (self, 0);
  read_history (self, job_id);
  if (!lk_engine_job (engine, job_id, &info)) {
    g_string_append (out, "Job ");
    lk_journal_names_append_job (self->names, job_id, out);
    g_string_append (out, " is not in the system at this moment.\n");
  } else if (info.state == LK_JOB_PENDING && self->history.is_submitted) {
    append_why (self, out);
  } else {
    add_job (self, lk_engine_job_index (engine, job_id), facts);
    append_job (facts, &g_array_index (facts->jobs, LkTopJob, 0), out);
  }
  if (self->history.is_submitted)
    append_course (self, facts, out);
}

static char *
detail (gpointer data, guint32 job_id)
{
  LkTopJournal *self = data;
  guint64 seq = lk_scrub_seq (self->scrub);
  if (self->detail == NULL || self->history_id != job_id || self->detail_seq != seq
      || self->detail_us != self->at_us) {
    g_autoptr (GString) text = g_string_new (NULL);
    make_detail (self, job_id, text);
    g_free (self->detail);
    self->detail = g_string_free (g_steal_pointer (&text), FALSE);
    self->detail_seq = seq;
    self->detail_us = self->at_us;
  }
  return g_strdup (self->detail);
}

const LkTopSource lk_top_journal_source = { .look = look, .go = go, .detail = detail };
