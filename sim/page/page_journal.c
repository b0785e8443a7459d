/* sim/page/page_journal.c — see the header. */
#include "sim/page/page_journal.h"

#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/job_shown.h"
#include "sim/error.h"
#include "sim/journal_file.h"
#include "sim/replay.h"
#include "sim/verb.h"

#define LOOKS_PER_EVENT 24u
#define FAIRSHARE_SAMPLES 300

/* One run of a job, from its submission (or requeue) to its end. */
typedef struct {
  guint32 job_id;
  gint64 submit_us;
  gint64 start_us; /* LK_TIME_NEVER: not yet */
  gint64 end_us;   /* LK_TIME_NEVER: not yet */
  gint64 looked_us;
  guint32 reason; /* at that look; LK_PAGE_NONE: there was none */
  guint32 user;   /* names that results do not have; LK_PAGE_NONE: no look yet, or none */
  guint32 partition;
  guint8 wait_count;
  LkPageWait waits[LK_PAGE_REASONS_MAX];
} Life;

typedef struct {
  LkPageRun *run;
  GArray *lives;      /* of Life */
  GHashTable *open;   /* job id to index of its life that has not ended + 1 */
  GArray *fresh;      /* of guint32: ids that were not looked at yet */
  guint64 look_count; /* at single jobs */
  guint64 event_count;
  gint64 sample_us; /* when fairshare is looked at next */
  gint64 sample_step_us;
} Reader;

/* ---------------------------------------------------------------- lives */

static Life *
life_of (const Reader *self, guint32 job_id)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->open, GUINT_TO_POINTER (job_id)));
  return at > 0 ? &g_array_index (self->lives, Life, at - 1) : NULL;
}

static void
begin_life (Reader *self, guint32 job_id, gint64 submit_us)
{
  Life life = { .job_id = job_id,
                .submit_us = submit_us,
                .start_us = LK_TIME_NEVER,
                .end_us = LK_TIME_NEVER,
                .looked_us = submit_us,
                .reason = LK_PAGE_NONE,
                .user = LK_PAGE_NONE,
                .partition = LK_PAGE_NONE };
  g_array_append_val (self->lives, life);
  g_array_append_val (self->fresh, job_id);
  g_hash_table_insert (self->open, GUINT_TO_POINTER (job_id), GUINT_TO_POINTER (self->lives->len));
}

/* The life that a job is in: of one that has gone back to the queue a new one. It waits as of its
 * submission, as in the results of a simulation; a live cluster's accounting begins anew. NULL: the
 * job is not known. */
static Life *
current_life (Reader *self, guint32 job_id)
{
  Life *life = life_of (self, job_id);
  if (life == NULL || life->end_us == LK_TIME_NEVER)
    return life;
  begin_life (self, job_id, self->run->is_live ? life->end_us : life->submit_us);
  return life_of (self, job_id);
}

/* The reason of the last look has held until now. */
static void
charge (Life *life, gint64 now_us)
{
  guint i = 0;
  if (life->reason == LK_PAGE_NONE || now_us <= life->looked_us)
    return;
  while (i < life->wait_count && life->waits[i].reason != life->reason)
    i++;
  if (i == LK_PAGE_REASONS_MAX)
    i--; /* more reasons than are told: the last one stands for them */
  else if (i == life->wait_count)
    life->waits[life->wait_count++] = (LkPageWait){ life->reason, 0 };
  life->waits[i].wait_us += now_us - life->looked_us;
  life->looked_us = now_us;
}

static void
find_names (Reader *self, const LkEngine *engine, Life *life)
{
  LkJobIndex job = lk_engine_job_index (engine, life->job_id);
  if (life->partition != LK_PAGE_NONE || life->user != LK_PAGE_NONE || job == LK_JOB_NONE)
    return;
  life->user = lk_page_names_add (&self->run->names, lk_job_user (engine, job));
  if (lk_engine_nodes (engine) == NULL)
    return;
  g_autoptr (GString) partitions = g_string_new (NULL);
  lk_job_partitions (engine, job, partitions);
  life->partition = lk_page_names_add (&self->run->names, partitions->str);
}

static void
look (Reader *self, const LkEngine *engine, guint32 job_id, gint64 now_us)
{
  LkJobInfo info;
  self->look_count++;
  if (!lk_engine_job (engine, job_id, &info))
    return;
  Life *life = current_life (self, job_id);
  if (life == NULL)
    return;
  find_names (self, engine, life);
  if (life->start_us != LK_TIME_NEVER)
    return;
  /* What is found first has kept it since it came: had it been otherwise, there had been a pass. */
  if (life->reason == LK_PAGE_NONE)
    life->reason = info.reason_shown;
  charge (life, now_us);
  life->looked_us = now_us;
  life->reason = info.reason_shown;
}

/* A task has waited as its array has. */
static void
split_task (Reader *self, const LkDecision_task *decision)
{
  const Life *array = life_of (self, decision->array_job_id);
  if (array == NULL || decision->job_id == decision->array_job_id)
    return;
  Life task = *array;
  task.job_id = decision->job_id;
  g_array_append_val (self->lives, task);
  g_hash_table_insert (self->open, GUINT_TO_POINTER (task.job_id),
                       GUINT_TO_POINTER (self->lives->len));
}

static void
decided (gpointer user, const LkEvent *cause, const LkDecision *decision)
{
  Reader *self = user;
  if (decision->kind == LK_DECISION_ACCEPT && cause->kind == LK_EVENT_SUBMIT)
    begin_life (self, decision->accept.job_id, cause->time_us);
  if (decision->kind == LK_DECISION_TASK)
    split_task (self, &decision->task);
  if (decision->kind == LK_DECISION_START) {
    Life *life = current_life (self, decision->start.job_id);
    if (life == NULL || life->start_us != LK_TIME_NEVER)
      return;
    charge (life, cause->time_us);
    life->start_us = cause->time_us;
  }
}

/* ---------------------------------------------------------------- fairshare */

/* Accounts are those of the first look that has some; the book may change under way, so that
 * they are found by name. */
static void
find_accounts (LkPageRun *run, const LkBook *book)
{
  for (guint32 i = 0; i < book->view.association_count; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, i);
    gboolean is_known = FALSE;
    if (!book->associations[i].is_user)
      continue;
    for (guint k = 0; k < run->fairshare.accounts->len && !is_known; k++)
      is_known = strcmp (g_ptr_array_index (run->fairshare.accounts, k), spec->account) == 0;
    if (!is_known)
      g_ptr_array_add (run->fairshare.accounts, g_strdup (spec->account));
  }
}

/* Mean over the users of an account; NaN: it has none. */
static double
account_factor (const LkEngine *engine, const LkBook *book, const char *account)
{
  double sum = 0;
  guint count = 0;
  for (guint32 i = 0; i < book->view.association_count; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, i);
    LkShareParts parts;
    if (!book->associations[i].is_user || strcmp (spec->account, account) != 0
        || !lk_engine_share_parts (engine, i, &parts) || parts.fairshare < 0)
      continue;
    sum += parts.fairshare;
    count++;
  }
  return count > 0 ? sum / count : (double)NAN;
}

static void
sample_fairshare (Reader *self, const LkEngine *engine, gint64 now_us)
{
  LkPageFairshare *out = &self->run->fairshare;
  const LkBook *book = lk_engine_book (engine);
  while (self->sample_us <= now_us)
    self->sample_us += self->sample_step_us;
  if (book == NULL)
    return;
  if (out->accounts->len == 0)
    find_accounts (self->run, book);
  g_array_append_val (out->times_us, now_us);
  for (guint i = 0; i < out->accounts->len; i++) {
    double factor = account_factor (engine, book, g_ptr_array_index (out->accounts, i));
    g_array_append_val (out->factors, factor);
  }
}

static void
behind (gpointer user, const LkEngine *engine, const LkEvent *event)
{
  Reader *self = user;
  LkEngineCounts counts;
  self->event_count++;
  Life *ended = event->kind == LK_EVENT_JOB_ENDED ? life_of (self, event->job_ended.job_id) : NULL;
  if (ended != NULL)
    ended->end_us = event->time_us;
  /* Where nothing could be done at once there was no pass. */
  if (event->kind == LK_EVENT_SUBMIT && self->fresh->len > 0)
    look (self, engine, g_array_index (self->fresh, guint32, self->fresh->len - 1), event->time_us);
  if (event->kind != LK_EVENT_PASS)
    return;
  for (guint i = 0; i < self->fresh->len; i++)
    look (self, engine, g_array_index (self->fresh, guint32, i), event->time_us);
  g_array_set_size (self->fresh, 0);
  lk_engine_counts (engine, &counts);
  if (self->look_count + counts.pending_count <= self->event_count * LOOKS_PER_EVENT) {
    g_autoptr (GArray) ids = lk_engine_queue_ids (engine);
    for (guint i = 0; i < ids->len; i++)
      look (self, engine, g_array_index (ids, guint32, i), event->time_us);
  }
  if (event->time_us >= self->sample_us)
    sample_fairshare (self, engine, event->time_us);
}

/* ---------------------------------------------------------------- which job is which */

/* Jobs of the results are told by when they were submitted, started and ended; in accounting by
 * number and start. Those that are alike in all of it are taken in order. */
typedef struct {
  gint64 key[3];
  guint index;
} Key;

static int
compare_moments (const Key *a, const Key *b)
{
  for (guint i = 0; i < G_N_ELEMENTS (a->key); i++)
    if (a->key[i] != b->key[i])
      return a->key[i] < b->key[i] ? -1 : 1;
  return 0;
}

static gint
compare_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a;
  const Key *y = b;
  int order = compare_moments (x, y);
  if (order != 0)
    return order;
  return x->index < y->index ? -1 : x->index > y->index;
}

static GArray *
job_keys (const LkPageRun *run)
{
  GArray *keys = g_array_sized_new (FALSE, FALSE, sizeof (Key), run->jobs->len);
  for (guint i = 0; i < run->jobs->len; i++) {
    const LkPageJob *job = lk_page_run_job (run, i);
    Key key = { { job->submit_us, job->start_us, job->end_us }, i };
    if (run->is_live)
      key = (Key){ { job->number, job->start_us, 0 }, i };
    g_array_append_val (keys, key);
  }
  g_array_sort (keys, compare_keys);
  return keys;
}

static GArray *
life_keys (const Reader *self)
{
  GArray *keys = g_array_sized_new (FALSE, FALSE, sizeof (Key), self->lives->len);
  for (guint i = 0; i < self->lives->len; i++) {
    const Life *life = &g_array_index (self->lives, Life, i);
    Key key = { { life->submit_us, life->start_us, life->end_us }, i };
    if (self->run->is_live)
      key = (Key){ { life->job_id, life->start_us, 0 }, i };
    g_array_append_val (keys, key);
  }
  g_array_sort (keys, compare_keys);
  return keys;
}

static void
give_waits (LkPageRun *run, LkPageJob *job, const Life *life)
{
  job->wait_first = run->waits->len;
  job->wait_count = life->wait_count;
  g_array_append_vals (run->waits, life->waits, life->wait_count);
  if (life->user != LK_PAGE_NONE)
    job->fields[LK_PAGE_USER] = life->user;
  if (life->partition != LK_PAGE_NONE && !run->is_live)
    job->fields[LK_PAGE_PARTITION] = life->partition;
}

/* Both are sorted: a merge. */
static void
match (const Reader *self)
{
  LkPageRun *run = self->run;
  g_autoptr (GArray) jobs = job_keys (run);
  g_autoptr (GArray) lives = life_keys (self);
  for (guint i = 0, at = 0; i < jobs->len && at < lives->len;) {
    const Key *job = &g_array_index (jobs, Key, i);
    const Key *life = &g_array_index (lives, Key, at);
    int order = compare_moments (job, life);
    if (order == 0)
      give_waits (run, &g_array_index (run->jobs, LkPageJob, job->index),
                  &g_array_index (self->lives, Life, life->index));
    i += order <= 0;
    at += order >= 0;
  }
}

/* ---------------------------------------------------------------- reading */

gboolean
lk_page_journal_look (const char *path, LkPageJournal *out, GError **error)
{
  LkEvent event;
  LkJournalCheckpoint checkpoint = { 0 };
  LkJournalInput input = { 0 };
  gboolean has_events = FALSE;
  if (!lk_journal_input_open (&input, path, error))
    return FALSE;
  while (lk_journal_reader_next (input.reader, &event) == LK_JOURNAL_EVENT) {
    LkDecision decision;
    while (lk_journal_reader_decision (input.reader, &decision))
      continue;
    out->first_us = has_events ? out->first_us : event.time_us;
    out->last_us = event.time_us;
    has_events = TRUE;
    lk_journal_reader_checkpoint (input.reader, &checkpoint);
  }
  lk_journal_reader_checkpoint (input.reader, &checkpoint);
  lk_digest_value_text (checkpoint.digest, out->digest);
  lk_journal_input_close (&input);
  if (!has_events)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "journal '%s' has no whole event", path);
  return has_events;
}

static gboolean
replay (Reader *self, LkJournalInput *input, char **plugins, const char *path, GError **error)
{
  LkReplayReport report;
  g_autoptr (LkRegistry) registry = lk_verb_registry (plugins, error);
  if (registry == NULL)
    return FALSE;
  g_autoptr (LkSetup) setup = lk_setup_new_from_header (registry, &input->header, error);
  if (setup == NULL)
    return FALSE;
  LkReplayOptions options = { .config = lk_setup_config (setup),
                              .reader = input->reader,
                              .until_seq = G_MAXUINT64,
                              .until_us = LK_TIME_NEVER,
                              .decided = decided,
                              .behind = behind,
                              .user = self };
  lk_replay_run (&options, &report);
  gboolean is_same = report.outcome == LK_REPLAY_SAME;
  if (!is_same)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "journal '%s': its decisions are not those that are made now; see lockstep replay",
                 path);
  lk_replay_report_clear (&report);
  return is_same;
}

gboolean
lk_page_journal_read (LkPageRun *run, const char *path, const LkPageJournal *seen, char **plugins,
                      GError **error)
{
  LkJournalInput input = { 0 };
  if (!lk_journal_input_open (&input, path, error))
    return FALSE;
  Reader self = { .run = run,
                  .lives = g_array_new (FALSE, FALSE, sizeof (Life)),
                  .open = g_hash_table_new (NULL, NULL),
                  .fresh = g_array_new (FALSE, FALSE, sizeof (guint32)),
                  .sample_us = seen->first_us,
                  .sample_step_us = MAX (1, (seen->last_us - seen->first_us) / FAIRSHARE_SAMPLES) };
  gboolean fine = replay (&self, &input, plugins, path, error);
  if (fine) {
    g_array_set_size (run->waits, 0);
    for (guint i = 0; i < run->jobs->len; i++)
      g_array_index (run->jobs, LkPageJob, i).wait_count = 0;
    run->has_reasons = TRUE;
    match (&self);
  }
  g_array_unref (self.lives);
  g_hash_table_unref (self.open);
  g_array_unref (self.fresh);
  lk_journal_input_close (&input);
  return fine;
}
