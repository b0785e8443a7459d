/* tests/property/accounts_model.c — see the header. Nothing here is fast. */
#include "tests/property/accounts_model.h"

#include <math.h>
#include <string.h>

#include "engine/book.h"
#include "tests/property/accounts_rules.h"

#define MINUTE_US (60 * G_USEC_PER_SEC)
#define NONE LK_INDEX_NONE

static const char *
tres_name (const LkAccountsModel *self, guint32 tres)
{
  return g_ptr_array_index (self->accounts->tres, tres);
}

/* ---------------------------------------------------------------- use */

static double
decay_of (const LkAccountsModel *self, gint64 duration_us)
{
  if (self->accounts->half_life_us == 0)
    return 1.0;
  double half_life_s = (double)self->accounts->half_life_us / 1e6;
  return pow (1.0 - 0.693 / half_life_s, (double)duration_us / 1e6);
}

static void
charge_holder (const LkAccountsModel *self, LkModelUsed *used, const LkModelJob *job,
               double seconds)
{
  used->usage += seconds * (double)job->given[LK_TRES_CPU];
  used->wall_s += seconds;
  for (guint32 t = 0;
       (self->accounts->enforce & LK_ENFORCE_LIMITS) != 0 && t < self->accounts->tres->len; t++)
    used->tres_s[t] += seconds * (double)job->given[t];
}

static void
charge_qos (LkAccountsModel *self, const LkModelJob *job, guint32 qos, double seconds, double decay)
{
  gboolean no_decay = (lk_model_qos_at (self, qos)->flags & LK_QOS_NO_DECAY) != 0;
  charge_holder (self, &self->of_qos[qos], job, no_decay ? seconds : seconds * decay);
}

static void
charge (LkAccountsModel *self, LkModelJob *job)
{
  gint64 delta_us = self->now_us - job->charged_us;
  double factor = job->qos != NONE ? lk_model_qos_at (self, job->qos)->usage_factor : 1.0;
  double seconds = (double)delta_us / 1e6 * factor;
  double decay = decay_of (self, delta_us);
  job->charged_us = self->now_us;
  if (job->association == NONE)
    return;
  job->left_s -= MIN (job->left_s, (guint64)floor (seconds));
  for (guint32 at = job->association; at != NONE; at = lk_model_parent_of (self, at))
    charge_holder (self, &self->of_association[at], job, seconds * decay);
  if (job->qos != NONE)
    charge_qos (self, job, job->qos, seconds, decay);
  if (job->partition_qos != NONE && job->partition_qos != job->qos)
    charge_qos (self, job, job->partition_qos, seconds, decay);
}

static void
decay_holder (const LkAccountsModel *self, LkModelUsed *used, double factor)
{
  used->usage *= factor;
  used->wall_s *= factor;
  for (guint32 t = 0; t < self->accounts->tres->len; t++)
    used->tres_s[t] *= factor;
}

static void
decay_all (LkAccountsModel *self, double factor, gboolean resets)
{
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    decay_holder (self, &self->of_association[i], factor);
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (resets || (lk_model_qos_at (self, i)->flags & LK_QOS_NO_DECAY) == 0)
      decay_holder (self, &self->of_qos[i], factor);
}

/* A text that is another one in another period. */
static char *
period_text (const LkAccountsModel *self, gint64 time_us)
{
  g_autoptr (GDateTime) epoch = g_date_time_new_utc (1970, 1, 1, 0, 0, 0);
  g_autoptr (GDateTime) utc = g_date_time_add (epoch, time_us);
  g_autoptr (GDateTime) local = g_date_time_add_seconds (utc, (double)self->accounts->utc_offset_s);
  g_autoptr (GDateTime) sunday =
      g_date_time_add_days (local, -(g_date_time_get_day_of_week (local) % 7));
  switch (self->accounts->reset) {
  case LK_RESET_DAILY:
    return g_date_time_format (local, "%Y-%m-%d");
  case LK_RESET_WEEKLY:
    return g_date_time_format (sunday, "%Y-%m-%d");
  case LK_RESET_MONTHLY:
    return g_date_time_format (local, "%Y-%m");
  case LK_RESET_QUARTERLY:
    return g_strdup_printf ("%d/%d", g_date_time_get_year (local),
                            (g_date_time_get_month (local) - 1) / 3);
  case LK_RESET_YEARLY:
    return g_date_time_format (local, "%Y");
  default:
    return g_strdup ("");
  }
}

static void
step_cycle (LkAccountsModel *self, gint64 at_us)
{
  g_autofree char *before = period_text (self, MAX (self->cycle_us, at_us - MINUTE_US * 10));
  g_autofree char *after = period_text (self, at_us);
  gboolean is_first = self->cycle_us == G_MININT64;
  self->now_us = at_us;
  if (is_first ? self->accounts->reset == LK_RESET_NOW : strcmp (before, after) != 0)
    decay_all (self, 0.0, TRUE);
  if (!is_first)
    decay_all (self, decay_of (self, at_us - self->cycle_us), FALSE);
  for (guint i = 0; i < self->job_count; i++)
    if (self->jobs[i].state == LK_MODEL_RUNNING)
      charge (self, &self->jobs[i]);
  self->cycle_us = at_us;
}

/* ---------------------------------------------------------------- what must be true */

static guint8
phase_of (const LkAccountsModel *self, const LkModelJob *job)
{
  LkJobIndex index = lk_engine_job_index (self->engine, job->id);
  g_assert_cmpuint (index, !=, LK_JOB_NONE);
  return lk_engine_view (self->engine)->jobs->phase[index];
}

static LkReason
reason_of (const LkAccountsModel *self, const LkModelJob *job)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, job->id, &info));
  return info.reason;
}

/* Is what the job would be given where it fits too much? Only the engine knows where that is. */
static gboolean
is_too_much_there (const LkAccountsModel *self, const LkModelJob *job)
{
  const LkBook *book = lk_engine_book (self->engine);
  return book->job_counts[lk_engine_job_index (self->engine, job->id)].is_there != 0;
}

/* Whoever is kept from starting has a limit that does so. */
static void
check_blocked (const LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    const LkModelJob *job = &self->jobs[i];
    if (job->state == LK_MODEL_PENDING && phase_of (self, job) == LK_PHASE_BLOCKED
        && !is_too_much_there (self, job)
        && lk_model_find_broken (self, job, job->asked, LK_MODEL_AT_START) == LK_MODEL_NO_KIND)
      g_error ("job %u is kept from starting at %ld us although no limit forbids it (%s)", job->id,
               (long)self->now_us, lk_reason_name (reason_of (self, job)));
  }
}

/* The first in the queue does not wait for what is free. */
static void
check_head (const LkAccountsModel *self)
{
  LkEngineCounts counts;
  if (!self->head_starts || self->workload->units_total == 0
      || lk_engine_pass_wanted (self->engine))
    return;
  lk_engine_counts (self->engine, &counts);
  g_autoptr (GArray) ids = lk_engine_queue_ids (self->engine);
  for (guint i = 0; i < ids->len; i++) {
    LkModelJob *job = lk_model_find_job ((LkAccountsModel *)self, g_array_index (ids, guint32, i));
    LkJobInfo info;
    if (phase_of (self, job) != LK_PHASE_QUEUED)
      return;
    g_assert_true (lk_engine_job (self->engine, job->id, &info));
    if (info.units <= counts.units_free)
      g_error ("job %u is first in the queue and waits for %u of %u free", job->id, info.units,
               counts.units_free);
    return;
  }
}

/* Whoever must end has been told to. */
static void
check_ends (const LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    const LkModelJob *job = &self->jobs[i];
    if (job->state == LK_MODEL_RUNNING && job->must_end && !job->is_ending)
      g_error ("job %u goes on at %ld us although a limit forbids it", job->id, (long)self->now_us);
  }
}

/* Who must end now? */
static void
note_ends (LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    LkModelJob *job = &self->jobs[i];
    if (job->state == LK_MODEL_RUNNING)
      job->must_end =
          lk_model_find_broken (self, job, job->given, LK_MODEL_WHILE_RUNNING) != LK_MODEL_NO_KIND;
  }
}

static void
check_number (double is, double should, const char *what)
{
  if (fabs (is - should) > 1e-9 * fabs (should) + 1e-6)
    g_error ("%s is %.17g; expected %.17g", what, is, should);
}

static gboolean
limits_nodes (const GArray *limits)
{
  guint64 value;
  return lk_model_find_limit (limits, LK_LIMIT_GRP_TRES, LK_TRES_NODE, &value)
         || lk_model_find_limit (limits, LK_LIMIT_MAX_TRES_PER_USER, LK_TRES_NODE, &value)
         || lk_model_find_limit (limits, LK_LIMIT_MAX_TRES_PER_ACCOUNT, LK_TRES_NODE, &value);
}

/* Nodes in common are told from others only where somebody limits nodes. */
static gboolean
counts_distinct (const LkAccountsModel *self)
{
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    if (limits_nodes (lk_model_association_at (self, i)->limits))
      return TRUE;
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    if (limits_nodes (lk_model_qos_at (self, i)->limits))
      return TRUE;
  return FALSE;
}

static void
check_use (const LkAccountsModel *self, const LkUse *use, const LkModelGroup *group)
{
  const LkModelUsed *used = lk_model_used_by (self, group);
  gboolean distinct = counts_distinct (self);
  check_number (use->usage, used->usage, "usage");
  check_number (use->wall_s, used->wall_s, "wall");
  g_assert_cmpuint (use->running, ==, lk_model_count_jobs (self, group, TRUE));
  g_assert_cmpuint (use->submitted, ==, lk_model_count_jobs (self, group, FALSE));
  for (guint32 t = 0; t < self->accounts->tres->len; t++) {
    check_number (use->tres_s[t], used->tres_s[t], tres_name (self, t));
    g_assert_cmpuint (use->tres[t], ==, lk_model_count_tres (self, group, t, distinct));
    g_assert_cmpuint (use->tres_run_s[t], ==, lk_model_count_run_s (self, group, t));
  }
}

static void
check_books (const LkAccountsModel *self)
{
  const LkAccountsView *view = lk_engine_view (self->engine)->accounts;
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    check_use (self, &view->associations[i].use, &(LkModelGroup){ .association = i, .qos = NONE });
  for (guint32 i = 0; i < self->accounts->qos->len; i++)
    check_use (self, &view->qos[i].use, &(LkModelGroup){ .association = NONE, .qos = i });
}

/* ---------------------------------------------------------------- what jobs ask for and have */

/* A job of a longer time counts for a year. */
static guint64
booked_s (gint64 limit_us)
{
  return (guint64)(MIN (limit_us, LK_RUN_BOOKED_MAX_US) / G_USEC_PER_SEC);
}

static void
note_asked (const LkAccountsModel *self, LkModelJob *job)
{
  LkJobInfo info;
  const LkBook *book = lk_engine_book (self->engine);
  g_assert_true (lk_engine_job (self->engine, job->id, &info));
  job->limit_us = info.estimate_us;
  memset (job->asked, 0, sizeof job->asked);
  if (self->workload->units_total > 0) {
    job->asked[LK_TRES_CPU] = job->asked[LK_TRES_NODE] = job->asked[LK_TRES_BILLING] = info.procs;
    return;
  }
  memcpy (job->asked, lk_book_job_tres (book, lk_engine_job_index (self->engine, job->id)),
          self->accounts->tres->len * sizeof (guint64));
}

static guint64
licenses_of (const LkAccountsModel *self, guint32 id)
{
  for (guint i = 0; i < self->workload->machine->job_count; i++) {
    const LkMachineJob *job = &self->workload->machine->jobs[i];
    if (job->id == id && job->request.licenses.length_bytes == 4
        && memcmp (job->request.licenses.bytes, "l0:", 3) == 0)
      return (guint64)(job->request.licenses.bytes[3] - '0');
  }
  return 0;
}

/* Devices, and shares of devices in devices. */
static double
gpus_of (const LkNodeTable *nodes, const LkPiece *piece)
{
  const LkNodeKind *kind = lk_node_kind (nodes, piece->node);
  double count = __builtin_popcountll (piece->devices);
  return piece->shares > 0 ? count + (double)piece->shares / kind->shares_per_device : count;
}

static void
note_given (const LkAccountsModel *self, LkModelJob *job)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->engine);
  memcpy (job->given, job->asked, sizeof job->given);
  if (self->workload->units_total > 0)
    return;
  double gpus = 0;
  gint64 memory_bytes = 0;
  memset (job->given, 0, sizeof job->given);
  job->nodes = 0;
  for (guint32 i = lk_engine_job_pieces (self->engine, job->id); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    job->given[LK_TRES_CPU] += piece->cpus;
    job->given[LK_TRES_NODE]++;
    job->nodes |= G_GUINT64_CONSTANT (1) << piece->node;
    memory_bytes += piece->memory_bytes;
    gpus += gpus_of (nodes, piece);
  }
  job->given[LK_TRES_BILLING] = job->given[LK_TRES_CPU];
  job->given[LK_TRES_MEMORY] = (guint64)(memory_bytes >> 20);
  job->given[LK_TRES_FIXED] = (guint64)gpus;
  job->given[LK_TRES_FIXED + 1] = licenses_of (self, job->id);
}

/* ---------------------------------------------------------------- following */

static char *
text_of (LkText text)
{
  return g_strndup (text.bytes != NULL ? text.bytes : "", text.length_bytes);
}

static void
find_partition (const LkAccountsModel *self, LkModelJob *job, const char **name)
{
  const GPtrArray *partitions = self->workload->machine->cluster->partitions;
  job->partition_qos = NONE;
  if (self->workload->units_total > 0) {
    *name = "";
    return;
  }
  if ((*name)[0] == '\0')
    *name = "p0";
  for (guint32 i = 0; i < partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (partitions, i);
    if (strcmp (spec->name, *name) == 0) {
      job->partition = i;
      job->partition_qos = spec->qos[0] != '\0' ? lk_model_find_qos (self, spec->qos) : NONE;
    }
  }
}

static LkModelJob
job_of (const LkAccountsModel *self, const LkEvent_submit *submit)
{
  LkModelJob job = { .id = submit->job_id, .association = NONE, .qos = NONE };
  g_autofree char *account = text_of (submit->account);
  g_autofree char *user = text_of (submit->user);
  g_autofree char *qos = text_of (submit->qos);
  g_autofree char *asked_partition = text_of (submit->partition);
  const char *partition = asked_partition;
  find_partition (self, &job, &partition);
  job.association = lk_model_owner_of (self, account, user, partition);
  if (job.association != NONE)
    job.qos = qos[0] != '\0' ? lk_model_find_qos (self, qos)
                             : lk_model_default_qos (self, job.association);
  return job;
}

/* It was taken in: as it should have been. */
/* Nobody asks for a reservation here. */
static gboolean
needs_reservation (const LkAccountsModel *self, const LkModelJob *job)
{
  return (self->accounts->enforce & LK_ENFORCE_QOS) != 0 && job->qos != NONE
         && (lk_model_qos_at (self, job->qos)->flags & LK_QOS_REQUIRES_RESERVATION) != 0;
}

static void
accept_submit (LkAccountsModel *self, const LkEvent_submit *submit)
{
  LkModelJob job = job_of (self, submit);
  const LkView *view = lk_engine_view (self->engine);
  LkJobIndex index = lk_engine_job_index (self->engine, job.id);
  note_asked (self, &job);
  g_assert_cmpuint (view->jobs->association[index], ==, job.association);
  g_assert_cmpuint (view->jobs->qos[index], ==, job.qos);
  if ((self->accounts->enforce & LK_ENFORCE_ASSOCIATIONS) != 0)
    g_assert_cmpuint (job.association, !=, NONE);
  if ((self->accounts->enforce & LK_ENFORCE_QOS) != 0)
    g_assert_true (lk_model_may_use (self, job.association, job.qos));
  g_assert_false (needs_reservation (self, &job));
  g_assert_cmpint (lk_model_find_broken (self, &job, job.asked, LK_MODEL_AT_SUBMIT), ==,
                   LK_MODEL_NO_KIND);
  if (lk_model_is_strict (self, &job))
    g_assert_cmpint (lk_model_find_broken (self, &job, job.asked, LK_MODEL_ALONE), ==,
                     LK_MODEL_NO_KIND);
  job.state = LK_MODEL_PENDING;
  g_assert_cmpuint (self->job_count, <, LK_MACHINE_JOBS_MAX);
  self->jobs[self->job_count++] = job;
}

static void
reject_submit (LkAccountsModel *self, const LkEvent_submit *submit, LkReject error)
{
  LkModelJob job = job_of (self, submit);
  if (error == LK_REJECT_ACCOUNT_INVALID)
    g_assert_cmpuint (job.association, ==, NONE);
  if (error == LK_REJECT_QOS_INVALID)
    g_assert_true (job.qos == NONE || !lk_model_may_use (self, job.association, job.qos)
                   || needs_reservation (self, &job));
  if (error != LK_REJECT_POLICY_LIMIT || self->workload->units_total == 0)
    return;
  job.limit_us = submit->estimate_us;
  job.asked[LK_TRES_CPU] = job.asked[LK_TRES_NODE] = job.asked[LK_TRES_BILLING] = submit->procs;
  g_assert_true (
      lk_model_find_broken (self, &job, job.asked, LK_MODEL_AT_SUBMIT) != LK_MODEL_NO_KIND
      || (lk_model_is_strict (self, &job)
          && lk_model_find_broken (self, &job, job.asked, LK_MODEL_ALONE) != LK_MODEL_NO_KIND));
}

static void
start_job (LkAccountsModel *self, LkModelJob *job)
{
  double factor = job->qos != NONE ? lk_model_qos_at (self, job->qos)->usage_factor : 1.0;
  gint broken = lk_model_find_broken (self, job, job->asked, LK_MODEL_AT_START);
  g_assert_cmpint (job->state, ==, LK_MODEL_PENDING);
  if (broken != LK_MODEL_NO_KIND)
    g_error ("job %u starts although %s forbids it", job->id,
             broken == LK_MODEL_BY_THRESHOLD ? "the threshold"
                                             : lk_limit_kind_name ((guint32)broken));
  note_given (self, job);
  if (lk_model_find_broken (self, job, job->given, LK_MODEL_AT_START) != LK_MODEL_NO_KIND)
    g_error ("job %u is given more than a limit allows", job->id);
  job->state = LK_MODEL_RUNNING;
  job->start_us = job->charged_us = self->now_us;
  job->left_s = (guint64)floor ((double)booked_s (job->limit_us) * factor);
  job->is_ending = job->must_end = FALSE;
}

static void
end_job (LkAccountsModel *self, LkModelJob *job, LkModelState state)
{
  if (job->state == LK_MODEL_RUNNING)
    charge (self, job);
  job->state = state;
}

static void
kill_job (LkAccountsModel *self, LkModelJob *job, LkKillWhy why)
{
  if (why == LK_KILL_USAGE_LIMIT) {
    g_assert_true (job->must_end);
    self->killed_count++;
  }
  job->is_ending = TRUE;
}

static void
note_notice (LkAccountsModel *self, const LkDecision_notice *notice)
{
  LkModelJob *job = lk_model_find_job (self, notice->job_id);
  switch (notice->state) {
  case LK_JOB_PENDING: /* also of a job that is not yet accepted */
    self->blocked_count += notice->reason >= LK_REASON_INVALID_ACCOUNT;
    break;
  case LK_JOB_NODE_FAIL: /* or it goes back to the queue */
    if (job->state == LK_MODEL_RUNNING)
      end_job (self, job, LK_MODEL_ABSENT);
    break;
  case LK_JOB_CANCELLED:
  case LK_JOB_COMPLETED:
  case LK_JOB_FAILED:
  case LK_JOB_TIMEOUT:
    end_job (self, job, LK_MODEL_ABSENT);
    break;
  default:
    break;
  }
}

/* The time limit of a job that runs has changed; that of a pending one is looked up. */
static void
note_update (LkAccountsModel *self, const LkEvent_update *update)
{
  LkModelJob *job = lk_model_find_job (self, update->job_id);
  if (job->state != LK_MODEL_RUNNING)
    return;
  double factor = job->qos != NONE ? lk_model_qos_at (self, job->qos)->usage_factor : 1.0;
  guint64 before_s = (guint64)floor ((double)booked_s (job->limit_us) * factor);
  guint64 after_s = (guint64)floor ((double)booked_s (update->estimate_us) * factor);
  guint64 used_s = before_s - job->left_s;
  job->limit_us = update->estimate_us;
  job->left_s = after_s - MIN (after_s, used_s);
}

static void
decided (void *user, const LkEngine *engine, const LkEvent *cause, const LkDecision *decision)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  switch (decision->kind) {
  case LK_DECISION_ACCEPT:
    if (cause->kind == LK_EVENT_UPDATE)
      note_update (self, &cause->update);
    break;
  case LK_DECISION_REJECT:
    if (cause->kind == LK_EVENT_SUBMIT)
      reject_submit (self, &cause->submit, (LkReject)decision->reject.error);
    break;
  case LK_DECISION_START:
    start_job (self, lk_model_find_job (self, decision->start.job_id));
    break;
  case LK_DECISION_KILL:
    kill_job (self, lk_model_find_job (self, decision->kill.job_id), (LkKillWhy)decision->kill.why);
    break;
  case LK_DECISION_REQUEUE_JOB:
    end_job (self, lk_model_find_job (self, decision->requeue_job.job_id), LK_MODEL_PENDING);
    break;
  case LK_DECISION_NOTICE:
    note_notice (self, &decision->notice);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- looking on */

/* Cycles up to `to_us`: before it nothing may have come that the engine should have woken for. */
static void
catch_up (LkAccountsModel *self, gint64 to_us)
{
  if (self->cycle_us == G_MININT64)
    step_cycle (self, to_us);
  while (self->cycle_us + self->accounts->calc_period_us <= to_us) {
    step_cycle (self, self->cycle_us + self->accounts->calc_period_us);
    note_ends (self);
    if (self->cycle_us == to_us)
      continue;
    check_ends (self);
    check_blocked (self);
  }
  self->now_us = to_us;
}

static void
before (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  if (event->time_us > self->now_us)
    check_ends (self);
  catch_up (self, event->time_us);
  if (self->cycle_us == self->now_us)
    note_ends (self);
}

static void
follow_jobs (LkAccountsModel *self)
{
  for (guint i = 0; i < self->job_count; i++) {
    LkModelJob *job = &self->jobs[i];
    if (job->state == LK_MODEL_PENDING)
      note_asked (self, job);
    if (job->state != LK_MODEL_RUNNING)
      continue;
    guint64 nodes = job->nodes;
    LkModelJob now = *job;
    note_given (self, &now);
    if (now.nodes != nodes) {
      charge (self, job);
      note_given (self, job);
    }
  }
}

static void
after (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  if (event->kind == LK_EVENT_SUBMIT && lk_model_find_job (self, event->submit.job_id) == NULL
      && lk_engine_job_index (engine, event->submit.job_id) != LK_JOB_NONE)
    accept_submit (self, &event->submit);
  follow_jobs (self);
  check_books (self);
  check_blocked (self);
  check_head (self);
}

static void
ended (void *user, const LkEngine *engine)
{
  LkAccountsModel *self = user;
  self->engine = engine;
  if (self->cycle_us != G_MININT64)
    catch_up (self, self->workload->end_us);
}

/* ---------------------------------------------------------------- life */

static void
add_first_use (LkAccountsModel *self, guint32 association)
{
  const LkAssociationSpec *spec = lk_model_association_at (self, association);
  for (guint32 at = association; at != NONE; at = lk_model_parent_of (self, at)) {
    LkModelUsed *used = &self->of_association[at];
    used->usage += spec->usage;
    used->wall_s += spec->usage_wall_s;
    for (guint i = 0; i < spec->usage_tres->len; i++) {
      const LkTresValue *value = &g_array_index (spec->usage_tres, LkTresValue, i);
      used->tres_s[value->tres] += value->value;
    }
  }
}

LkAccountsModel *
lk_accounts_model_new (const LkAccountsWorkload *workload, gboolean head_starts)
{
  LkAccountsModel *self = g_new0 (LkAccountsModel, 1);
  self->workload = workload;
  self->accounts = workload->accounts;
  self->head_starts = head_starts;
  self->cycle_us = G_MININT64;
  self->of_association = g_new0 (LkModelUsed, self->accounts->associations->len);
  self->of_qos = g_new0 (LkModelUsed, self->accounts->qos->len);
  g_assert_cmpuint (self->accounts->tres->len, <=, LK_MODEL_TRES_MAX);
  for (guint32 i = 0; i < self->accounts->associations->len; i++)
    add_first_use (self, i);
  return self;
}

void
lk_accounts_model_free (LkAccountsModel *self)
{
  g_free (self->of_association);
  g_free (self->of_qos);
  g_free (self);
}

LkMachineWatch
lk_accounts_model_watch (LkAccountsModel *self)
{
  return (LkMachineWatch){
    .user = self, .before = before, .decided = decided, .after = after, .ended = ended
  };
}

guint
lk_accounts_model_blocked_count (const LkAccountsModel *self)
{
  return self->blocked_count;
}

guint
lk_accounts_model_killed_count (const LkAccountsModel *self)
{
  return self->killed_count;
}
