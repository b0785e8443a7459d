/* sim/why.c — see the header. */
#include "sim/why.h"

#include <string.h>

#include "engine/assert.h"
#include "sim/why_private.h"

#define X(NAME, word) word,
static const char *const blocker_words[] = { LK_WHY_BLOCKERS (X) };
#undef X
#define X(NAME, word, size) word,
static const char *const change_words[] = { LK_WHY_CHANGES (X) };
#undef X
#define X(NAME, word, size) size,
static const double change_sizes[] = { LK_WHY_CHANGES (X) };
#undef X

const char *
lk_why_blocker_word (LkWhyBlockerKind kind)
{
  return blocker_words[kind];
}

const char *
lk_why_change_word (LkWhyChangeKind kind)
{
  return change_words[kind];
}

double
lk_why_change_size (LkWhyChangeKind kind)
{
  return change_sizes[kind];
}

/* ---------------------------------------------------------------- names */

static const LkAssociationView *
association_of (const LkEngine *engine, LkJobIndex job)
{
  const LkView *view = lk_engine_view (engine);
  guint32 association = view->jobs->association[job];
  if (view->accounts == NULL || association == LK_INDEX_NONE)
    return NULL;
  return &view->accounts->associations[association];
}

char *
lk_why_user_name (const LkEngine *engine, LkJobIndex job)
{
  const LkAssociationView *association = association_of (engine, job);
  if (association == NULL || association->user == LK_INDEX_NONE)
    return g_strdup_printf ("%u", lk_engine_view (engine)->jobs->user_id[job]);
  return g_strdup (g_ptr_array_index (lk_engine_book (engine)->user_names, association->user));
}

char *
lk_why_account_name (const LkEngine *engine, LkJobIndex job)
{
  const LkAssociationView *association = association_of (engine, job);
  if (association == NULL)
    return g_strdup ("");
  return g_strdup (
      g_ptr_array_index (lk_engine_book (engine)->account_names, association->account));
}

static char *
qos_name (const LkEngine *engine, LkJobIndex job)
{
  const LkBook *book = lk_engine_book (engine);
  guint32 qos = lk_engine_view (engine)->jobs->qos[job];
  if (book == NULL || qos == LK_INDEX_NONE)
    return g_strdup ("");
  return g_strdup (((const LkQosSpec *)g_ptr_array_index (book->spec->qos, qos))->name);
}

static char *
partition_name (const LkEngine *engine, LkJobIndex job)
{
  const LkMachine *machine = lk_engine_machine (engine);
  if (machine == NULL)
    return g_strdup ("");
  return g_strdup (machine->partitions[lk_engine_view (engine)->jobs->partition[job]].spec->name);
}

/* ---------------------------------------------------------------- jobs that are named */

static void
job_free (gpointer user)
{
  LkWhyJob *self = user;
  g_free (self->user);
  g_free (self->account);
  g_free (self);
}

void
lk_why_add_job (LkWhyBlocker *self, const LkEngine *engine, LkJobIndex job, guint64 amount)
{
  LkWhyJob *added = g_new0 (LkWhyJob, 1);
  added->id = lk_engine_view (engine)->jobs->id[job];
  added->user = lk_why_user_name (engine, job);
  added->account = lk_why_account_name (engine, job);
  added->amount = amount;
  g_ptr_array_add (self->jobs, added);
  self->job_count++;
}

void
lk_why_add_user (LkWhyBlocker *self, const char *user, const char *account, guint64 amount)
{
  LkWhyJob *added = g_new0 (LkWhyJob, 1);
  added->user = g_strdup (user);
  added->account = g_strdup (account);
  added->amount = amount;
  g_ptr_array_add (self->jobs, added);
  self->job_count++;
}

static gint
compare_jobs (gconstpointer a, gconstpointer b)
{
  const LkWhyJob *job_a = *(const LkWhyJob *const *)a;
  const LkWhyJob *job_b = *(const LkWhyJob *const *)b;
  if (job_a->amount != job_b->amount)
    return job_a->amount > job_b->amount ? -1 : 1;
  if (job_a->id != job_b->id)
    return job_a->id > job_b->id ? 1 : -1;
  gint by_account = strcmp (job_a->account, job_b->account);
  return by_account != 0 ? by_account : strcmp (job_a->user, job_b->user);
}

void
lk_why_sort_jobs (LkWhyBlocker *self)
{
  g_ptr_array_sort (self->jobs, compare_jobs);
  if (self->jobs->len > LK_WHY_JOBS_MAX)
    g_ptr_array_set_size (self->jobs, LK_WHY_JOBS_MAX);
}

void
lk_why_append_jobs (const LkWhyBlocker *self, const char *unit, GString *out)
{
  for (guint i = 0; i < self->jobs->len; i++) {
    const LkWhyJob *job = g_ptr_array_index (self->jobs, i);
    g_string_append (out, i > 0 ? ", " : "");
    if (job->id != 0)
      lk_journal_names_append_job (self->names, job->id, out);
    g_string_append (out, job->id != 0 ? " " : "");
    g_string_append_printf (out, "(%s%s%s)", job->user, job->account[0] != '\0' ? ", " : "",
                            job->account);
    if (unit == NULL)
      continue;
    g_autofree char *amount = lk_why_amount_text (job->amount, unit);
    g_string_append_printf (out, " %s", amount);
  }
  if (self->job_count > self->jobs->len)
    g_string_append_printf (out, " and %u more", self->job_count - self->jobs->len);
}

/* ---------------------------------------------------------------- blockers */

static void
blocker_free (gpointer user)
{
  LkWhyBlocker *self = user;
  g_free (self->text);
  g_free (self->name);
  g_free (self->holder);
  g_ptr_array_unref (self->jobs);
  g_free (self);
}

LkWhyBlocker *
lk_why_add_blocker (LkWhy *self, LkWhyBlockerKind kind)
{
  LkWhyBlocker *blocker = g_new0 (LkWhyBlocker, 1);
  blocker->kind = kind;
  blocker->names = self->names;
  blocker->at_us = LK_TIME_NEVER;
  blocker->jobs = g_ptr_array_new_with_free_func (job_free);
  g_ptr_array_add (self->blockers, blocker);
  return blocker;
}

static char *
dependency_text (const LkWhy *self, const LkEngine *engine)
{
  g_autoptr (GString) ids = g_string_new (NULL);
  g_autoptr (GString) rest = g_string_new (NULL);
  lk_engine_dependency_text (engine, self->info.id, ids);
  lk_journal_names_append_dependency (self->names, ids->str, rest);
  return g_strdup_printf (self->info.reason == LK_REASON_DEPENDENCY
                              ? "it waits for other jobs: %s"
                              : "what it waits for can never come: %s",
                          rest->str);
}

gboolean
lk_why_is_component (const LkWhy *self)
{
  return self->info.het_leader != 0
         && (self->info.reason == LK_REASON_NONE || self->info.reason == LK_REASON_RESOURCES
             || self->info.reason == LK_REASON_PRIORITY);
}

/* What keeps it out of the queue, as it is, until something else changes. */
static LkWhyBlocker *
add_kept (LkWhy *self, const LkEngine *engine)
{
  LkReason reason = self->info.reason;
  LkWhyBlockerKind kind = LK_WHY_NEVER;
  char *text;
  if (lk_why_is_component (self)) {
    LkWhyBlocker *components = lk_why_add_blocker (self, LK_WHY_COMPONENTS);
    GString *together = g_string_new ("it starts together with all components of job ");
    lk_journal_names_append_job (self->names, self->info.het_leader, together);
    components->text = g_string_free (together, FALSE);
    return components;
  }
  switch (reason) {
  case LK_REASON_DEPENDENCY:
  case LK_REASON_DEPENDENCY_NEVER_SATISFIED:
    kind = LK_WHY_DEPENDENCY;
    text = dependency_text (self, engine);
    break;
  case LK_REASON_ARRAY_TASK_LIMIT:
    kind = LK_WHY_ARRAY;
    text = g_strdup ("as many tasks of its array run as may at once");
    break;
  case LK_REASON_PARTITION_DOWN:
  case LK_REASON_PARTITION_INACTIVE:
    kind = LK_WHY_CLOSED;
    text = g_strdup_printf ("partition %s starts no jobs now (%s)", self->partition,
                            lk_reason_name (reason));
    break;
  default:
    text = g_strdup_printf ("as it is it can never start here (%s)", lk_reason_name (reason));
  }
  LkWhyBlocker *blocker = lk_why_add_blocker (self, kind);
  blocker->text = text;
  return blocker;
}

static void
find_hold (LkWhy *self, const LkEngine *engine)
{
  LkReason reason = self->info.reason;
  gboolean by_admin = reason == LK_REASON_HELD_ADMIN;
  LkWhyBlocker *blocker;
  if (self->phase != LK_PHASE_HELD || lk_why_waits_for_reservation (self))
    return;
  if (by_admin || reason == LK_REASON_HELD_USER) {
    blocker = lk_why_add_blocker (self, LK_WHY_HOLD);
    blocker->text = g_strdup (by_admin ? "an administrator holds it" : "its user holds it");
  } else if (reason == LK_REASON_BEGIN_TIME) {
    g_autofree char *moment = lk_why_moment_text (self->info.begin_us);
    blocker = lk_why_add_blocker (self, LK_WHY_BEGIN_TIME);
    blocker->at_us = self->info.begin_us;
    blocker->text = g_strdup_printf ("it may not start before %s", moment);
  } else {
    blocker = add_kept (self, engine);
  }
  blocker->reason = reason;
}

static guint32
priority_of (const LkEngine *engine, LkJobIndex job)
{
  LkPriorityParts parts = { .size = sizeof parts };
  return lk_engine_priority_parts (engine, job, LK_INDEX_NONE, &parts) ? parts.priority : 0;
}

/* Those that go before it, the first ones by name. */
static void
find_ahead (LkWhy *self, const LkEngine *engine, const GArray *queue_ids)
{
  if (self->place < 2)
    return;
  LkWhyBlocker *blocker = lk_why_add_blocker (self, LK_WHY_PRIORITY);
  g_autoptr (GString) text = g_string_new (NULL);
  blocker->reason = LK_REASON_PRIORITY;
  for (guint i = 0; i < MIN (self->place - 1, LK_WHY_JOBS_MAX); i++) {
    guint32 id = g_array_index (queue_ids, guint32, i);
    LkJobIndex job = lk_engine_job_index (engine, id);
    lk_why_add_job (blocker, engine, job, priority_of (engine, job));
  }
  blocker->job_count = self->place - 1;
  g_string_append_printf (text, "%u job%s before it: ", self->place - 1,
                          self->place > 2 ? "s go" : " goes");
  lk_why_append_jobs (blocker, self->has_parts ? "" : NULL, text);
  blocker->text = g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---------------------------------------------------------------- the job itself */

static void
append_word (GString *out, LkText text, const char *label)
{
  if (text.length_bytes > 0)
    g_string_append_printf (out, ", %s%.*s", label, (int)text.length_bytes, text.bytes);
}

static void
append_memory (GString *out, const LkEvent_submit *asked)
{
  const struct {
    guint32 bit;
    gint64 bytes;
    const char *of;
  } kinds[] = { { LK_REQUEST_HAS_MEMORY_PER_NODE, asked->memory_per_node_bytes, "node" },
                { LK_REQUEST_HAS_MEMORY_PER_CPU, asked->memory_per_cpu_bytes, "CPU" },
                { LK_REQUEST_HAS_MEMORY_PER_GPU, asked->memory_per_gpu_bytes, "GPU" } };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if ((asked->present & kinds[i].bit) == 0)
      continue;
    g_autofree char *amount = lk_why_memory_text (kinds[i].bytes);
    g_string_append_printf (out, ", %s for each %s", kinds[i].bytes > 0 ? amount : "all memory",
                            kinds[i].of);
  }
}

/* What it asks for in one line. */
static char *
ask_text (const LkEngine *engine, const LkEvent_submit *asked)
{
  GString *out = g_string_new (NULL);
  g_autofree char *limit = lk_why_duration_text (asked->estimate_us);
  const LkRequest *request = lk_engine_job_request (engine, asked->job_id);
  if (request == NULL) {
    g_string_append_printf (out, "%u processor%s for %s", asked->procs,
                            asked->procs == 1 ? "" : "s", limit);
    return g_string_free (out, FALSE);
  }
  const LkDemand *demand = &request->demand;
  g_string_append_printf (out, "%u node%s, %u CPU%s", demand->nodes_min,
                          demand->nodes_min == 1 ? "" : "s", demand->cpus_min,
                          demand->cpus_min == 1 ? "" : "s");
  append_memory (out, asked);
  append_word (out, asked->gres, "");
  append_word (out, asked->gpus, "GPUs ");
  append_word (out, asked->gpus_per_task, "GPUs per task ");
  append_word (out, asked->node_list, "on ");
  append_word (out, asked->exclude, "not on ");
  append_word (out, asked->constraint, "with ");
  append_word (out, asked->licenses, "licences ");
  g_string_append_printf (out, " for %s", limit);
  return g_string_free (out, FALSE);
}

static void
describe (LkWhy *self, const LkEngine *engine, const LkEvent_submit *asked, LkJobIndex job)
{
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  self->now_us = counts.now_us;
  self->phase = lk_engine_view (engine)->jobs->phase[job];
  self->user = lk_why_user_name (engine, job);
  self->account = lk_why_account_name (engine, job);
  self->qos = qos_name (engine, job);
  self->partition = partition_name (engine, job);
  self->ask = ask_text (engine, asked);
  self->parts.size = sizeof self->parts;
  self->has_parts = lk_engine_priority_parts (engine, job, LK_INDEX_NONE, &self->parts) != FALSE;
  self->parts.tres_factors = self->parts.tres_weights = NULL;
}

static void
find_place (LkWhy *self, const LkEngine *engine, const GArray *queue_ids)
{
  self->queue_count = lk_engine_view (engine)->pending_count;
  for (guint i = 0; i < queue_ids->len && self->phase == LK_PHASE_QUEUED; i++)
    if (g_array_index (queue_ids, guint32, i) == self->info.id) {
      self->place = i + 1;
      return;
    }
}

/* ---------------------------------------------------------------- when will it start? */

/* What somebody holds waits for him; other jobs and time let the rest go. */
static gboolean
goes_by_itself (const LkWhy *self)
{
  switch (self->info.reason) {
  case LK_REASON_BEGIN_TIME:
  case LK_REASON_RESERVATION:
  case LK_REASON_DEPENDENCY:
  case LK_REASON_ARRAY_TASK_LIMIT:
    return TRUE;
  default:
    return self->phase != LK_PHASE_HELD || lk_why_is_component (self);
  }
}

static void
find_start (LkWhy *self, LkWhyTrial *trial)
{
  gboolean is_known = TRUE;
  self->planned_us = self->info.start_us;
  self->start_us = LK_TIME_NEVER;
  if (goes_by_itself (self))
    self->start_us = lk_why_trial_start_us (trial, &is_known);
  if (!is_known)
    self->start = LK_WHY_START_UNKNOWN;
  else
    self->start = self->start_us == LK_TIME_NEVER ? LK_WHY_START_NEVER : LK_WHY_START_AT;
}

/* ---------------------------------------------------------------- all of it */

static void
change_free (gpointer user)
{
  LkWhyChange *self = user;
  g_free (self->text);
  g_free (self->from);
  g_free (self->to);
  g_free (self);
}

LkWhy *
lk_why_new (const LkWhyInput *input)
{
  LkWhy *self = g_new0 (LkWhy, 1);
  self->names = input->names;
  LkWhyTrial trial;
  gboolean is_there = lk_engine_job (input->engine, input->asked->job_id, &self->info);
  LK_ASSERT (is_there);
  LK_ASSERT (self->info.state == LK_JOB_PENDING || self->info.state == LK_JOB_SPECIAL_EXIT);
  self->blockers = g_ptr_array_new_with_free_func (blocker_free);
  self->changes = g_ptr_array_new_with_free_func (change_free);
  lk_why_trial_init (&trial, input->config, input->engine, input->asked);
  g_autoptr (GArray) queue_ids = lk_engine_queue_ids (input->engine);
  describe (self, input->engine, &trial.asked, lk_engine_job_index (input->engine, self->info.id));
  find_place (self, input->engine, queue_ids);
  find_hold (self, input->engine);
  lk_why_find_reservations (self, input->engine, &trial.asked);
  lk_why_find_limits (self, input->engine);
  g_autoptr (LkEngine) copy = lk_why_trial_copy (&trial);
  lk_why_find_nodes (self, copy);
  find_ahead (self, input->engine, queue_ids);
  find_start (self, &trial);
  lk_why_find_changes (self, &trial, queue_ids);
  self->trial_count = trial.count;
  lk_why_trial_clear (&trial);
  return self;
}

void
lk_why_free (LkWhy *self)
{
  if (self == NULL)
    return;
  g_free (self->user);
  g_free (self->account);
  g_free (self->qos);
  g_free (self->partition);
  g_free (self->ask);
  g_ptr_array_unref (self->blockers);
  g_ptr_array_unref (self->changes);
  g_free (self);
}
