/* engine/engine_accounts.c — jobs in the books of accounts: whose a job is, what limits say of it,
 * and what it is charged.
 *
 * A job that a limit keeps from starting is parked: it is pending but not in the queue, so that it
 * holds nobody up and costs no pass anything.  It is parked at the holder whose use has to fall,
 * and comes back when that happens; a job that breaks a limit all by itself comes back only when it
 * is changed.  Sources: Slurm's resource_limits, qos and priority_multifactor pages; the order of
 * checks is the limits policy's. */
#include <string.h>

#include "engine/assert.h"
#include "engine/billing.h"
#include "engine/checked.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"
#include "engine/limit_reason.h"

/* ---------------------------------------------------------------- whose job is it? */

/* A job without a partition of its own is of the default one. */
static const char *
partition_name (const LkEngine *self, LkText asked, char *buffer, gsize buffer_bytes)
{
  if (self->machine == NULL)
    return "";
  if (asked.length_bytes == 0)
    return self->machine->partitions[self->machine->partition_default].spec->name;
  g_snprintf (buffer, (gulong)buffer_bytes, "%.*s", (int)asked.length_bytes, asked.bytes);
  return buffer;
}

LkReject
lk_engine_find_account (const LkEngine *self, LkJobRequest *asked, LkJobAccount *out_account)
{
  const LkBook *book = self->book;
  char buffer[256];
  *out_account = (LkJobAccount){ LK_INDEX_NONE, LK_INDEX_NONE };
  guint32 association =
      lk_book_find_association (book, asked->account, asked->user,
                                partition_name (self, asked->partition, buffer, sizeof buffer));
  if (association == LK_INDEX_NONE)
    return lk_book_enforces_associations (book) ? LK_REJECT_ACCOUNT_INVALID : 0;
  guint32 qos = asked->qos.length_bytes > 0 ? lk_book_find_qos (book, asked->qos)
                                            : book->qos_default[association];
  gboolean enforced = (book->spec->enforce & LK_ENFORCE_QOS) != 0;
  if (enforced && (qos == LK_INDEX_NONE || !lk_book_allows_qos (book, association, qos)))
    return LK_REJECT_QOS_INVALID;
  const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, association);
  asked->account = lk_text (spec->account);
  if (qos != LK_INDEX_NONE) {
    const LkQosSpec *qos_spec = g_ptr_array_index (book->spec->qos, qos);
    asked->qos = lk_text (qos_spec->name);
  }
  *out_account = (LkJobAccount){ association, qos };
  return 0;
}

void
lk_engine_name_account (const LkEngine *self, LkJobIndex job, LkJobRequest *asked)
{
  if (self->jobs.association[job] == LK_INDEX_NONE)
    return;
  const LkAssociationSpec *spec =
      g_ptr_array_index (self->book->spec->associations, self->jobs.association[job]);
  asked->user = lk_text (spec->user);
  asked->account = lk_text (spec->account);
  if (self->jobs.qos[job] == LK_INDEX_NONE)
    return;
  const LkQosSpec *qos = g_ptr_array_index (self->book->spec->qos, self->jobs.qos[job]);
  asked->qos = lk_text (qos->name);
}

static guint32
partition_qos (const LkEngine *self, LkJobIndex job)
{
  return self->view.partitions[self->jobs.partition[job]].qos;
}

guint
lk_engine_holders_of (LkEngine *self, LkJobIndex job, guint32 out_holders[LK_HOLDER_MAX])
{
  return lk_book_holders_of (self->book, self->jobs.association[job], self->jobs.qos[job],
                             partition_qos (self, job), out_holders);
}

static gboolean
has_limits (const LkEngine *self)
{
  return self->book != NULL && (self->book->spec->enforce & LK_ENFORCE_LIMITS) != 0;
}

/* ---------------------------------------------------------------- limits */

static void *
limits_self (const LkEngine *self)
{
  return self->instances[LK_INSTANCE_LIMITS].self;
}

static LkLimitCheck
check_of (const LkEngine *self, LkJobIndex job, guint32 when)
{
  return (LkLimitCheck){ .size = sizeof (LkLimitCheck),
                         .when = when,
                         .job = job,
                         .task_count = lk_engine_task_count (self, job),
                         .tres = lk_book_job_tres (self->book, job),
                         .time_limit_us = self->jobs.estimate_us[job] };
}

void
lk_engine_find_limits (const LkEngine *self, LkJobIndex job, guint32 when, LkLimitFound found,
                       void *sink)
{
  if (!has_limits (self) || self->jobs.association[job] == LK_INDEX_NONE)
    return;
  LkLimitCheck check = check_of (self, job, when);
  self->config.limits->check (limits_self (self), &self->view, &check, found, sink);
}

/* Where the use has to fall before the job can start; LK_INDEX_NONE: that does not help. */
static guint32
blocking_holder (const LkEngine *self, LkJobIndex job, const LkLimitFinding *finding)
{
  const LkAssociationView *view = &self->book->associations[self->jobs.association[job]];
  switch (finding->kind) {
  case LK_LIMIT_GRP_JOBS:
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_TRES_RUN_MINS:
  case LK_LIMIT_GRP_WALL:
  case LK_LIMIT_MAX_JOBS:
    return finding->holder == LK_HOLDER_ASSOCIATION
               ? lk_book_association_holder (finding->index)
               : lk_book_qos_holder (self->book, finding->index);
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
    return lk_book_find_in_qos (self->book, LK_IN_QOS_USER, finding->index, view->user);
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return lk_book_find_in_qos (self->book, LK_IN_QOS_ACCOUNT, finding->index, view->account);
  default:
    return LK_INDEX_NONE;
  }
}

typedef struct {
  const LkEngine *self;
  LkJobIndex job;
  guint32 first_piece; /* where it would run; LK_PIECE_NONE: not known yet */
  LkLimitFinding finding;
  gboolean is_found;
} First;

/* Nodes that the group has already count once: how many it has is known only with the place. */
static gboolean
is_within_nodes (const First *first, const LkLimitFinding *finding)
{
  const LkEngine *self = first->self;
  gboolean is_group = finding->kind == LK_LIMIT_GRP_TRES
                      || finding->kind == LK_LIMIT_MAX_TRES_PER_USER
                      || finding->kind == LK_LIMIT_MAX_TRES_PER_ACCOUNT;
  if (finding->tres != LK_TRES_NODE || !is_group || self->machine == NULL)
    return FALSE;
  if (first->first_piece == LK_PIECE_NONE)
    return finding->asked <= finding->limit;
  guint32 index = blocking_holder (self, first->job, finding);
  const LkHolder *holder = index != LK_INDEX_NONE ? lk_book_holder (self->book, index) : NULL;
  guint64 count = finding->used;
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = first->first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    count += holder == NULL || holder->node_jobs == NULL
             || holder->node_jobs[lk_piece (nodes, i)->node] == 0;
  return count <= finding->limit;
}

static int32_t
take_first (void *sink, const LkLimitFinding *finding)
{
  First *first = sink;
  if (is_within_nodes (first, finding))
    return 1;
  first->finding = *finding;
  first->is_found = TRUE;
  return 0;
}

/* The first limit that keeps the job from starting now. */
static gboolean
first_finding (const LkEngine *self, LkJobIndex job, guint32 when, LkLimitFinding *out_finding)
{
  First first = { .self = self, .job = job, .first_piece = LK_PIECE_NONE };
  lk_engine_find_limits (self, job, when, take_first, &first);
  *out_finding = first.finding;
  return first.is_found;
}

/* The same for so much of each TRES in this place, whatever the job asks for. */
static gboolean
first_finding_for (const LkEngine *self, LkJobIndex job, const guint64 *tres, guint32 first_piece,
                   LkLimitFinding *out_finding)
{
  First first = { .self = self, .job = job, .first_piece = first_piece };
  LkLimitCheck check = check_of (self, job, LK_CHECK_START);
  check.tres = tres;
  self->config.limits->check (limits_self (self), &self->view, &check, take_first, &first);
  *out_finding = first.finding;
  return first.is_found;
}

LkReason
lk_engine_finding_reason (const LkEngine *self, const LkLimitFinding *finding)
{
  if (finding->by_usage_threshold != 0)
    return LK_REASON_QOS_USAGE_THRESHOLD;
  return lk_limit_reason (finding->kind, finding->holder,
                          lk_tres_class (self->book->tres_names[finding->tres]));
}

gboolean
lk_engine_has_finding (const LkEngine *self, LkJobIndex job, guint32 when)
{
  LkLimitFinding finding;
  return first_finding (self, job, when, &finding);
}

LkReason
lk_engine_limit_reason (const LkEngine *self, LkJobIndex job)
{
  LkLimitFinding finding;
  if (!has_limits (self) || !first_finding (self, job, LK_CHECK_START, &finding))
    return LK_REASON_NONE;
  return lk_engine_finding_reason (self, &finding);
}

LkReject
lk_engine_check_submit (LkEngine *self, LkJobIndex job)
{
  LkLimitFinding finding;
  const LkLimitsPolicy *limits = self->config.limits;
  if (!has_limits (self) || self->jobs.association[job] == LK_INDEX_NONE)
    return 0;
  gboolean is_found =
      first_finding (self, job, LK_CHECK_SUBMIT, &finding)
      || (limits->denies != NULL && limits->denies (limits_self (self), &self->view, job)
          && first_finding (self, job, LK_CHECK_ALONE, &finding));
  if (!is_found)
    return 0;
  self->refused_limit = lk_engine_finding_reason (self, &finding);
  return LK_REJECT_POLICY_LIMIT;
}

LkReason
lk_engine_refused_limit (const LkEngine *self)
{
  return self->refused_limit;
}

gint64
lk_engine_limit_time_us (LkEngine *self, LkJobIndex job)
{
  const LkLimitsPolicy *limits = self->config.limits;
  if (!has_limits (self) || self->jobs.association[job] == LK_INDEX_NONE
      || limits->time_limit_us == NULL)
    return LK_TIME_NEVER;
  return limits->time_limit_us (limits_self (self), &self->view, job,
                                lk_book_job_tres (self->book, job));
}

guint32
lk_engine_limit_nodes (const LkEngine *self, LkJobIndex job)
{
  const LkLimitsPolicy *limits = self->config.limits;
  if (!has_limits (self) || self->jobs.association[job] == LK_INDEX_NONE
      || limits->nodes_max == NULL)
    return LK_COUNT_UNLIMITED;
  return limits->nodes_max (limits_self (self), &self->view, job);
}

/* ---------------------------------------------------------------- parking */

/* Does the limit loosen as time goes by, although no job ends, so far that the job may start? */
static gboolean
loosens_with_time (const LkEngine *self, const LkLimitFinding *finding)
{
  gboolean is_safe = (self->book->spec->enforce & LK_ENFORCE_SAFE) != 0;
  switch (finding->kind) {
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_WALL:
    return finding->limit > 0 && (!is_safe || finding->asked <= finding->limit);
  case LK_LIMIT_GRP_TRES_RUN_MINS:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return finding->asked <= finding->limit;
  default:
    return finding->by_usage_threshold != 0;
  }
}

/* Puts a job that is out of the queue on the list of its holder. */
void
lk_engine_park (LkEngine *self, LkJobIndex job)
{
  LkJobCount *count = &self->book->job_counts[job];
  self->jobs.phase[job] = LK_PHASE_BLOCKED;
  self->blocked_count++;
  GArray *list = self->parked_forever;
  if (count->is_timed)
    list = self->parked_timed;
  else if (count->parked_holder != LK_INDEX_NONE) {
    LkHolder *holder = lk_book_holder (self->book, count->parked_holder);
    if (holder->parked == NULL)
      holder->parked = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
    list = holder->parked;
  }
  count->parked_place = list->len;
  g_array_append_val (list, job);
}

static GArray *
list_of (LkEngine *self, const LkJobCount *count)
{
  if (count->is_timed)
    return self->parked_timed;
  return count->parked_holder == LK_INDEX_NONE
             ? self->parked_forever
             : lk_book_holder (self->book, count->parked_holder)->parked;
}

void
lk_engine_unpark (LkEngine *self, LkJobIndex job)
{
  LkJobCount *count = &self->book->job_counts[job];
  GArray *list = list_of (self, count);
  LkJobIndex last = g_array_index (list, LkJobIndex, list->len - 1);
  LK_ASSERT (self->jobs.phase[job] == LK_PHASE_BLOCKED);
  LK_ASSERT (g_array_index (list, LkJobIndex, count->parked_place) == job);
  g_array_index (list, LkJobIndex, count->parked_place) = last;
  self->book->job_counts[last].parked_place = count->parked_place;
  g_array_set_size (list, list->len - 1);
  self->blocked_count--;
}

static gint
compare_ids (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  guint32 id_a = self->jobs.id[*(const LkJobIndex *)a];
  guint32 id_b = self->jobs.id[*(const LkJobIndex *)b];
  return (id_a > id_b) - (id_a < id_b);
}

/* All jobs of a list go back to the queue, by id, so that the order of the list is not seen. */
static void
release_list (LkEngine *self, const GArray *list)
{
  if (list == NULL || list->len == 0)
    return;
  g_autoptr (GArray) jobs = g_array_sized_new (FALSE, FALSE, sizeof (LkJobIndex), list->len);
  g_array_append_vals (jobs, list->data, list->len);
  g_array_sort_with_data (jobs, compare_ids, self);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    lk_engine_unpark (self, job);
    lk_engine_requeue_blocked (self, job);
  }
}

/* Where the job is to be parked; and its reason is told when it is another than before. */
static void
note_finding (LkEngine *self, LkJobIndex job, const LkLimitFinding *finding)
{
  LkJobCount *count = &self->book->job_counts[job];
  guint8 reason = (guint8)lk_engine_finding_reason (self, finding);
  count->is_there = 0;
  count->parked_holder = blocking_holder (self, job, finding);
  count->is_timed = loosens_with_time (self, finding) ? 1 : 0;
  if (count->reason_told == reason)
    return;
  count->reason_told = reason;
  lk_engine_emit_notice (self, job, LK_JOB_PENDING, (LkReason)reason);
}

gboolean
lk_engine_is_blocked (LkEngine *self, LkJobIndex job)
{
  LkLimitFinding finding;
  if (!has_limits (self) || !self->book->any_start_limit
      || !first_finding (self, job, LK_CHECK_START, &finding))
    return FALSE;
  gboolean has_choice =
      self->config.backfill->tries_partitions && lk_engine_partition_count (self, job) > 1;
  if (has_choice && !lk_engine_is_limited_everywhere (self, job))
    return FALSE;
  note_finding (self, job, &finding);
  /* What keeps it elsewhere may fall as well: tried again when anything has ended. */
  if (has_choice)
    self->book->job_counts[job].is_timed = 1;
  return TRUE;
}

gboolean
lk_engine_is_blocked_there (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  LkBook *book = self->book;
  guint64 tres[LK_TRES_MAX];
  LkLimitFinding finding;
  if (!has_limits (self) || !book->any_start_limit || self->jobs.association[job] == LK_INDEX_NONE)
    return FALSE;
  lk_book_tres_given (book, self->machine,
                      lk_machine_request (self->machine, self->jobs.request[job]), first_piece,
                      tres);
  gboolean is_as_asked =
      memcmp (tres, lk_book_job_tres (book, job), book->tres_count * sizeof *tres) == 0;
  if ((is_as_asked && !book->any_node_limit)
      || !first_finding_for (self, job, tres, first_piece, &finding))
    return FALSE;
  note_finding (self, job, &finding);
  /* Elsewhere it may get less: tried again when anything has ended. */
  book->job_counts[job].is_there = 1;
  book->job_counts[job].parked_holder = lk_book_association_holder (0);
  return TRUE;
}

/* ---------------------------------------------------------------- ageing */

/* From when on does the job age?  Source: semantics of accrue_time. */
void
lk_engine_accrue (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  const LkLimitsPolicy *limits = self->config.limits;
  if (jobs->is_plain)
    return;
  if (jobs->accrue_us[job] != LK_TIME_NEVER) {
    lk_engine_count_accruing (self, job, TRUE);
    return;
  }
  if (self->book != NULL && self->book->spec->accrue_always) {
    jobs->accrue_us[job] = jobs->submit_us[job];
  } else if (!has_limits (self) || jobs->association[job] == LK_INDEX_NONE
             || limits->may_accrue == NULL) {
    jobs->accrue_us[job] = jobs->begin_us[job];
  } else {
    int32_t answer = limits->may_accrue (limits_self (self), &self->view, job);
    if (answer == LK_ACCRUE_NO)
      return;
    jobs->accrue_us[job] = answer == LK_ACCRUE_FREE ? jobs->begin_us[job] : self->view.now_us;
  }
  lk_engine_count_accruing (self, job, TRUE);
}

void
lk_engine_stop_accruing (LkEngine *self, LkJobIndex job, gboolean forget)
{
  lk_engine_count_accruing (self, job, FALSE);
  if (forget)
    self->jobs.accrue_us[job] = LK_TIME_NEVER;
}

void
lk_engine_count_accruing (LkEngine *self, LkJobIndex job, gboolean is_accruing)
{
  guint32 holders[LK_HOLDER_MAX];
  if (self->book == NULL || self->book->job_counts[job].is_accruing == (is_accruing != FALSE))
    return;
  guint32 task_count = lk_engine_task_count (self, job);
  guint count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < count; i++)
    lk_book_holder (self->book, holders[i])->use->accruing +=
        is_accruing ? task_count : -task_count;
  self->book->job_counts[job].is_accruing = is_accruing ? 1 : 0;
}

/* ---------------------------------------------------------------- a job comes and goes */

void
lk_engine_account_submitted (LkEngine *self, LkJobIndex job)
{
  guint32 holders[LK_HOLDER_MAX];
  guint32 task_count = lk_engine_task_count (self, job);
  guint count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < count; i++)
    lk_book_holder (self->book, holders[i])->use->submitted += task_count;
}

void
lk_engine_account_left (LkEngine *self, LkJobIndex job)
{
  lk_engine_stop_accruing (self, job, /* forget= */ FALSE);
  lk_engine_account_unsubmitted (self, job);
}

void
lk_engine_account_unsubmitted (LkEngine *self, LkJobIndex job)
{
  guint32 holders[LK_HOLDER_MAX];
  guint32 task_count = lk_engine_task_count (self, job);
  guint count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < count; i++)
    lk_book_holder (self->book, holders[i])->use->submitted -= task_count;
}

void
lk_engine_account_lost (LkEngine *self, LkJobIndex record, guint32 task_count)
{
  guint32 holders[LK_HOLDER_MAX];
  guint count = lk_engine_holders_of (self, record, holders);
  for (guint i = 0; i < count; i++) {
    LkUse *use = lk_book_holder (self->book, holders[i])->use;
    use->submitted -= task_count;
    if (self->book->job_counts[record].is_accruing)
      use->accruing -= task_count;
  }
}

/* What a pending job asks for. */
void
lk_engine_account_asked (LkEngine *self, LkJobIndex job)
{
  LkBook *book = self->book;
  LkRequest *request =
      self->machine != NULL ? lk_machine_request (self->machine, self->jobs.request[job]) : NULL;
  lk_book_tres_asked (book, self->machine, request, self->jobs.procs[job],
                      lk_book_job_tres (book, job));
}

/* ---------------------------------------------------------------- running jobs */

static void
count_nodes (LkEngine *self, LkJobIndex job, LkHolder *holder, gboolean take)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    guint32 *jobs_there = &holder->node_jobs[lk_piece (nodes, i)->node];
    if (take)
      holder->tres[LK_TRES_NODE] += (*jobs_there)++ == 0;
    else
      holder->tres[LK_TRES_NODE] -= --*jobs_there == 0;
  }
}

/* Adds what the job has and has booked to one of its holders, or takes it away. */
static void
count_tres (LkEngine *self, LkJobIndex job, LkHolder *holder, gboolean take)
{
  const LkBook *book = self->book;
  const guint64 *tres = lk_book_job_tres (book, job);
  guint64 booked_s = book->job_counts[job].booked_run_s;
  for (guint32 t = 0; t < book->tres_count; t++) {
    if (t != LK_TRES_NODE || holder->node_jobs == NULL)
      holder->tres[t] = take ? holder->tres[t] + tres[t] : holder->tres[t] - tres[t];
    guint64 run_s = tres[t] * booked_s;
    holder->run_s[t] = take ? holder->run_s[t] + run_s : holder->run_s[t] - run_s;
  }
  if (holder->node_jobs != NULL)
    count_nodes (self, job, holder, take);
}

void
lk_engine_account_take (LkEngine *self, LkJobIndex job, gboolean take)
{
  guint32 holders[LK_HOLDER_MAX];
  guint count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < count; i++) {
    LkHolder *holder = lk_book_holder (self->book, holders[i]);
    count_tres (self, job, holder, take);
    holder->use->running += take ? 1u : (guint32)-1;
  }
}

static double
usage_factor (const LkEngine *self, LkJobIndex job)
{
  guint32 qos = self->jobs.qos[job];
  return qos != LK_INDEX_NONE ? self->book->qos[qos].usage_factor : 1.0;
}

/* Whole seconds, whatever a QOS makes of them. */
static guint64
whole_s (double seconds)
{
  return (guint64)MIN (seconds, 1e15);
}

/* What was given: counted and billed. */
static void
take_given (LkEngine *self, LkJobIndex job)
{
  LkBook *book = self->book;
  guint64 *tres = lk_book_job_tres (book, job);
  const char *weights = "";
  if (self->machine != NULL) {
    const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
    weights = self->machine->partitions[request->partition].spec->tres_billing_weights;
    lk_book_tres_given (book, self->machine, request, lk_engine_all_pieces (self, job), tres);
  }
  book->job_counts[job].billing =
      lk_billing_of_tres (weights, book->spec->billing, book->tres_names, tres, book->tres_count);
}

guint64
lk_engine_booked_s (const LkEngine *self, LkJobIndex job, gint64 limit_us)
{
  gint64 limit_s = MIN (limit_us, LK_RUN_BOOKED_MAX_US) / 1000000;
  return whole_s ((double)limit_s * usage_factor (self, job));
}

void
lk_engine_account_started (LkEngine *self, LkJobIndex job)
{
  LkJobCount *count = &self->book->job_counts[job];
  lk_engine_stop_accruing (self, job, /* forget= */ FALSE);
  take_given (self, job);
  count->charged_us = self->view.now_us;
  count->reason_told = LK_REASON_NONE;
  count->booked_run_s = lk_engine_booked_s (self, job, self->jobs.estimate_us[job]);
  lk_engine_account_take (self, job, TRUE);
}

/* Charges the job for the time since it was last charged. */
void
lk_engine_charge (LkEngine *self, LkJobIndex job)
{
  LkBook *book = self->book;
  LkJobCount *count = &book->job_counts[job];
  const guint64 *tres = lk_book_job_tres (book, job);
  gint64 delta_us = lk_time_since_us (self->view.now_us, count->charged_us);
  guint32 holders[LK_HOLDER_MAX];
  if (delta_us <= 0 || self->jobs.association[job] == LK_INDEX_NONE)
    return;
  double factor = usage_factor (self, job);
  double plain_s = (double)delta_us / 1e6 * factor;
  double decayed_s = (double)delta_us / 1e6 * lk_book_decay (book, delta_us) * factor;
  guint64 elapsed_s = MIN (whole_s (plain_s), count->booked_run_s);
  guint32 in_qos_first = book->view.association_count + book->view.qos_count;
  guint holder_count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < holder_count; i++) {
    LkHolder *holder = lk_book_holder (book, holders[i]);
    double charge_s = holder->no_decay ? plain_s : decayed_s;
    for (guint32 t = 0; t < book->tres_count; t++)
      holder->run_s[t] -= tres[t] * elapsed_s;
    if (holders[i] >= in_qos_first)
      continue;
    holder->use->usage += charge_s * count->billing;
    holder->use->wall_s += charge_s;
    for (guint32 t = 0; has_limits (self) && t < book->tres_count; t++)
      holder->tres_s[t] += charge_s * (double)tres[t];
  }
  count->booked_run_s -= elapsed_s;
  count->charged_us = self->view.now_us;
}

void
lk_engine_account_ended (LkEngine *self, LkJobIndex job)
{
  lk_engine_charge (self, job);
  lk_engine_account_take (self, job, FALSE);
  self->book->job_counts[job].booked_run_s = 0;
}

/* Jobs that waited for what one had in use that has ended or lost a node. */
void
lk_engine_release_parked (LkEngine *self, LkJobIndex job)
{
  guint32 holders[LK_HOLDER_MAX];
  guint count = lk_engine_holders_of (self, job, holders);
  for (guint i = 0; i < count; i++)
    release_list (self, lk_book_holder (self->book, holders[i])->parked);
  release_list (self, self->parked_timed);
}

/* A running job has lost a node. */
void
lk_engine_account_resized (LkEngine *self, LkJobIndex job)
{
  take_given (self, job);
  lk_engine_account_take (self, job, TRUE);
}

void
lk_engine_release_timed (LkEngine *self)
{
  release_list (self, self->parked_timed);
}
