/* engine/engine_submit.c — a job comes in, and leaves.
 *
 * What it asks for is checked in a fixed order.  A request that no nodes can ever satisfy is
 * refused; one beyond the limits of its partition is refused, or accepted and held with the reason,
 * as the cluster says (EnforcePartLimits). */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_array.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"
#include "engine/limits.h"

/* ---------------------------------------------------------------- size */

guint32
lk_engine_units (LkEngine *self, LkJobIndex job)
{
  guint32 units;
  if (self->machine != NULL) {
    units = lk_machine_request (self->machine, self->jobs.request[job])->demand.cpus_min;
    return CLAMP (units, 1, self->view.units_total);
  }
  void *select = self->instances[LK_INSTANCE_SELECT].self;
  units = self->config.select->demand (select, &self->view, job);
  return units <= self->view.units_total ? units : 0;
}

/* ---------------------------------------------------------------- could it ever run? */

/* Tries the request on the machine as if nothing ran and all nodes were there; once for each
 * request. */
void
lk_engine_try_idle (LkEngine *self, LkRequest *request, guint32 user_id)
{
  LkWindow window = { .nodes = &self->machine->nodes,
                      .to_us = 1,
                      .except = LK_JOB_NONE,
                      .user_id = user_id,
                      .idle = TRUE };
  if (request->is_tried || request->never != LK_REASON_NONE)
    return;
  request->is_tried = TRUE;
  guint32 first =
      lk_placer_place (&self->placer, request, LK_JOB_NONE, &window, /* switches= */ FALSE);
  lk_placer_discard (&self->placer, first);
  if (first == LK_PIECE_NONE) {
    request->never = LK_REASON_BAD_CONSTRAINTS;
    request->never_reject = LK_REJECT_NODE_CONFIG;
  }
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    if (demand->count > self->machine->licenses_total[demand->license]) {
      request->never = LK_REASON_LICENSES;
      request->never_reject = LK_REJECT_NODE_CONFIG;
    }
  }
}

/* Why the job cannot run whatever happens, and what a strict machine answers. */
static LkReason
never_runs (LkEngine *self, LkRequest *request, const LkEvent_submit *submit, LkReject *out_reject)
{
  const LkPartitionSpec *partition = self->machine->partitions[request->partition].spec;
  lk_engine_try_idle (self, request, submit->user_id);
  *out_reject = request->never_reject;
  if (request->never != LK_REASON_NONE)
    return request->never;
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, submit->job_id);
  gboolean is_admins = job != LK_JOB_NONE && lk_engine_life (self, job)->admin_limit != 0;
  if (submit->estimate_us > partition->time_max_us && !is_admins) {
    *out_reject = LK_REJECT_PARTITION_TIME_LIMIT;
    return LK_REASON_PARTITION_TIME_LIMIT;
  }
  return LK_REASON_NONE;
}

LkReason
lk_engine_stuck_reason (LkEngine *self, LkJobIndex job)
{
  LkReject reject;
  LkEvent_submit submit = { .job_id = self->jobs.id[job],
                            .user_id = self->jobs.user_id[job],
                            .estimate_us = self->jobs.estimate_us[job] };
  guint32 index = self->jobs.request[job];
  LkReason reason = never_runs (self, lk_machine_request (self->machine, index), &submit, &reject);
  if (reason != LK_REASON_NONE && lk_engine_may_run_elsewhere (self, index, submit.estimate_us))
    return LK_REASON_NONE;
  return reason;
}

void
lk_engine_judge_stuck (LkEngine *self, LkJobIndex job)
{
  guint8 *stuck = &self->jobs.stuck_reason[job];
  gboolean has_lost =
      *stuck == LK_REASON_RESERVATION_DELETED || *stuck == LK_REASON_RESERVATION_INVALID;
  if (self->machine == NULL || has_lost)
    return;
  *stuck = (guint8)lk_engine_stuck_reason (self, job);
  if (*stuck == LK_REASON_NONE && self->jobs.held_by[job] == LK_HELD_FOR_CONSTRAINTS)
    self->jobs.held_by[job] = LK_HELD_BY_NOBODY;
}

/* ---------------------------------------------------------------- submit */

/* That of a job that gives none: its partition's default, else what its limits allow, else its
 * partition's longest. */
static gint64
limit_of (LkEngine *self, LkJobIndex job, const LkEvent_submit *submit)
{
  if (self->machine == NULL || submit->estimate_us != 0)
    return submit->estimate_us;
  const LkPartitionSpec *partition = self->machine->partitions[self->jobs.partition[job]].spec;
  if (partition->time_default_us < LK_TIME_NEVER)
    return partition->time_default_us;
  gint64 limit_us = self->book != NULL ? lk_engine_limit_time_us (self, job) : LK_TIME_NEVER;
  return MIN (limit_us, partition->time_max_us);
}

static LkReject
check (const LkEngine *self, const LkEvent_submit *submit)
{
  /* Tasks that wait need ids behind this one. */
  if (submit->job_id > G_MAXUINT32 - self->arrays.waiting_count)
    return LK_REJECT_TOO_MANY_JOBS;
  if (submit->procs < 1)
    return LK_REJECT_PROCS_ZERO;
  if (submit->estimate_us < 0 || (submit->estimate_us == 0 && self->machine == NULL))
    return LK_REJECT_ESTIMATE_INVALID;
  if (self->jobs.count + self->arrays.waiting_count >= LK_LIMIT_JOBS)
    return LK_REJECT_TOO_MANY_JOBS;
  return lk_engine_het_check_submit (self, submit);
}

void
lk_engine_strip_request (LkJobRequest *asked)
{
  asked->user = lk_text ("");
  asked->nice = asked->site_factor = 0;
  asked->priority = 0;
}

/* What the job was before an update, and whether an administrator updates it. */
typedef struct {
  const LkRequest *request; /* NULL: the job is submitted */
  gboolean has_reservation;
  gboolean by_admin;
} Before;

/* A job that named the partition before keeps it: rules for new jobs do not apply again. */
static gboolean
keeps_partition (Before before, guint32 partition)
{
  for (guint i = 0; before.request != NULL && i < before.request->partitions->len; i++)
    if (g_array_index (before.request->partitions, guint32, i) == partition)
      return TRUE;
  return FALSE;
}

static gboolean
is_closed (const LkEngine *self, guint32 partition, Before before)
{
  guint8 state = self->partition_states[partition];
  return (state == LK_PARTITION_DRAIN || state == LK_PARTITION_INACTIVE)
         && !keeps_partition (before, partition);
}

/* The names of those that accept the job. */
static GString *
open_partitions (const LkEngine *self, const LkRequest *request, Before before)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < request->partitions->len; i++) {
    guint32 partition = g_array_index (request->partitions, guint32, i);
    if (is_closed (self, partition, before))
      continue;
    if (names->len > 0)
      g_string_append_c (names, ',');
    g_string_append (names, self->machine->partitions[partition].spec->name);
  }
  return names;
}

static gboolean
names_closed (const LkEngine *self, const LkRequest *request, Before before)
{
  for (guint i = 0; i < request->partitions->len; i++)
    if (is_closed (self, g_array_index (request->partitions, guint32, i), before))
      return TRUE;
  return FALSE;
}

/* Partitions that accept no jobs leave the list of a job for good, as in Slurm: a drained one would
 * start the job.  On success the texts of `asked` live as long as the request. */
static LkReject
resolve_open (LkEngine *self, LkJobRequest *asked, guint32 procs, Before before,
              guint32 *out_request)
{
  LkJobRequest resolved;
  LkReject reject = lk_machine_resolve (self->machine, asked, procs, out_request);
  if (reject != 0)
    return reject;
  guint32 all = *out_request;
  const LkRequest *request = lk_machine_request (self->machine, all);
  if (!names_closed (self, request, before))
    return 0;
  g_autoptr (GString) names = open_partitions (self, request, before);
  if (names->len == 0)
    reject = LK_REJECT_PARTITION_CLOSED;
  lk_request_asked (request, &resolved, &procs);
  resolved.partition = (LkText){ names->str, (guint16)names->len };
  if (reject == 0)
    reject = lk_machine_resolve (self->machine, &resolved, procs, out_request);
  lk_machine_release (self->machine, all);
  if (reject != 0)
    return reject;
  lk_request_asked (lk_machine_request (self->machine, *out_request), &resolved, &procs);
  asked->partition = resolved.partition;
  return 0;
}

/* RootOnly of any partition that the job names.  The user id decides: every job has one, also where
 * an update or an older journal gives no name. */
static gboolean
is_root_only (const LkEngine *self, const LkRequest *request, guint32 user_id, Before before)
{
  if (user_id == 0 || before.by_admin)
    return FALSE;
  for (guint i = 0; i < request->partitions->len; i++) {
    guint32 partition = g_array_index (request->partitions, guint32, i);
    if (self->machine->partitions[partition].spec->root_only
        && !keeps_partition (before, partition))
      return TRUE;
  }
  return FALSE;
}

/* ReqResv of any partition that the job names: it may start in each of them.  A job that loses its
 * reservation by an update loses the right to these partitions with it. */
static gboolean
lacks_reservation (const LkEngine *self, const LkRequest *request, Before before,
                   const LkEvent_submit *submit)
{
  if (submit->reservation.length_bytes > 0)
    return FALSE;
  for (guint i = 0; i < request->partitions->len; i++) {
    guint32 partition = g_array_index (request->partitions, guint32, i);
    if (self->machine->partitions[partition].spec->reservation_required
        && (before.has_reservation || !keeps_partition (before, partition)))
      return TRUE;
  }
  return FALSE;
}

/* Is a job that can never run refused, or does it wait? While its partition is down nobody looks
 * at nodes: it is taken, and held when they are looked at.  22.05 looks at them even so. */
static gboolean
is_refused (const LkEngine *self, const LkRequest *request, LkReason reason, LkReject reject)
{
  if (reason == LK_REASON_BAD_CONSTRAINTS)
    return lk_engine_is_old (self)
           || self->partition_states[request->partition] != LK_PARTITION_DOWN;
  return self->config.cluster->enforce_limits || reject == LK_REJECT_NODE_CONFIG
         || (reject == LK_REJECT_GROUP_DENIED && lk_engine_is_old (self));
}

/* Fills `out_request` and why the job is to be held, if it is. */
static LkReject
resolve (LkEngine *self, const LkEvent_submit *submit, LkJobRequest *asked, Before before,
         guint32 *out_request, LkReason *out_stuck_reason)
{
  LkReject never_reject = 0;
  lk_engine_strip_request (asked);
  LkReject reject = resolve_open (self, asked, submit->procs, before, out_request);
  if (reject != 0)
    return reject;
  LkRequest *request = lk_machine_request (self->machine, *out_request);
  *out_stuck_reason = never_runs (self, request, submit, &never_reject);
  if (*out_stuck_reason != LK_REASON_NONE
      && (lk_engine_may_run_elsewhere (self, *out_request, submit->estimate_us)
          || lk_engine_has_better_home (self, *out_request, submit->user_id, submit->estimate_us)))
    *out_stuck_reason = LK_REASON_NONE;
  if (is_root_only (self, request, submit->user_id, before))
    reject = LK_REJECT_PARTITION_UNAVAILABLE;
  else if (lacks_reservation (self, request, before, submit))
    reject = LK_REJECT_PERMISSION;
  else if (*out_stuck_reason != LK_REASON_NONE
           && is_refused (self, request, *out_stuck_reason, never_reject))
    reject = never_reject;
  if (reject != 0)
    lk_machine_release (self->machine, *out_request);
  return reject;
}

void
lk_engine_forget_job (LkEngine *self, LkJobIndex job)
{
  if (self->jobs.array_job_id[job] != 0)
    lk_engine_array_forget (self, job);
  if (self->jobs.in_reservation[job] != 0)
    lk_engine_leave_reservations (self, job);
  if (self->jobs.request[job] != LK_JOB_NONE)
    lk_machine_release (self->machine, self->jobs.request[job]);
  if (self->preemption != NULL)
    lk_engine_preempt_forget (self, job);
  lk_job_table_remove (&self->jobs, job);
}

static void
fill_place (LkEngine *self, LkJobIndex job, LkJobAccount account)
{
  LkJobTable *jobs = &self->jobs;
  if (self->machine != NULL)
    jobs->partition[job] = lk_machine_request (self->machine, jobs->request[job])->partition;
  jobs->association[job] = account.association;
  jobs->qos[job] = account.qos;
}

static void
fill_account (LkEngine *self, LkJobIndex job, const LkEvent_submit *submit, LkJobAccount account)
{
  LkJobTable *jobs = &self->jobs;
  fill_place (self, job, account);
  jobs->nice[job] = submit->nice;
  jobs->site_factor[job] = submit->site_factor;
  jobs->direct_priority[job] = submit->priority;
}

static LkJobIndex
add_job (LkEngine *self, const LkEvent_submit *submit, guint32 request, LkJobAccount account)
{
  LkJobTable *jobs = &self->jobs;
  LkJobIndex job = lk_job_table_add (jobs, submit->job_id);
  if (self->preemption != NULL)
    lk_preemption_reserve (self->preemption, jobs->limit);
  self->view.job_index_limit = jobs->limit;
  jobs->user_id[job] = submit->user_id;
  jobs->group_id[job] = submit->group_id;
  jobs->partition_id[job] = submit->partition_id;
  jobs->procs[job] = submit->procs;
  jobs->request[job] = request;
  if (!jobs->is_plain)
    fill_account (self, job, submit, account);
  jobs->submit_us[job] = self->view.now_us;
  jobs->phase[job] = LK_PHASE_HELD; /* until it is queued, so that the row counts as used */
  jobs->units[job] = lk_engine_units (self, job);
  if (self->book != NULL) {
    lk_book_reserve_jobs (self->book, jobs->limit);
    self->book->job_counts[job] = (LkJobCount){ .parked_holder = LK_INDEX_NONE };
    lk_engine_account_asked (self, job);
  }
  jobs->estimate_us[job] = limit_of (self, job, submit);
  LkJobTerms terms;
  lk_submit_terms (submit, &terms);
  jobs->terms[job] = lk_terms_new (&terms);
  jobs->begin_us[job] = lk_engine_begin_us (self, &terms);
  return job;
}

/* A job that can do with fewer nodes gets no more than limits on nodes allow. */
static void
cap_nodes (LkEngine *self, const LkEvent_submit *submit, LkJobRequest *asked, LkJobIndex job)
{
  guint32 request;
  const LkDemand *demand = &lk_machine_request (self->machine, self->jobs.request[job])->demand;
  guint32 nodes_max = lk_engine_limit_nodes (self, job);
  if (nodes_max >= demand->nodes_max || nodes_max < demand->nodes_min)
    return;
  /* Only who gave a range of nodes wants as many as there are. */
  if (submit->nodes_max <= submit->nodes_min)
    asked->flags |= LK_REQUEST_USE_MIN_NODES;
  asked->nodes_max = nodes_max;
  if (lk_machine_resolve (self->machine, asked, submit->procs, &request) != 0)
    return;
  /* With so few nodes it could never run: let it wait for the limit, not for nodes. */
  LkRequest *capped = lk_machine_request (self->machine, request);
  lk_engine_try_idle (self, capped, submit->user_id);
  if (capped->never != LK_REASON_NONE) {
    lk_machine_release (self->machine, request);
    return;
  }
  lk_machine_release (self->machine, self->jobs.request[job]);
  self->jobs.request[job] = request;
  lk_engine_account_asked (self, job);
}

/* The job is in the table; what can be said only then. */
static LkReject
check_added (LkEngine *self, const LkEvent_submit *submit, LkJobIndex job)
{
  if (self->jobs.units[job] == 0)
    return LK_REJECT_TOO_LARGE;
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  LkReject reject = lk_engine_check_terms (self, job, terms);
  /* sbatch looks at the two alone, and so refuses it where slurmctld would take it. */
  if (reject == 0 && terms->deadline_us > 0 && terms->begin_us > terms->deadline_us)
    reject = LK_REJECT_TIME_INVALID;
  if (reject == 0)
    reject = lk_engine_ask_reservations (self, job, submit->user);
  if (reject != 0)
    return reject;
  return self->book != NULL ? lk_engine_check_submit (self, job) : 0;
}

/* Checks the request and puts the job into the table. */
static LkReject
take_in (LkEngine *self, const LkEvent_submit *submit, LkJobIndex *out_job,
         LkReason *out_stuck_reason)
{
  LkJobRequest asked;
  guint32 request = LK_JOB_NONE;
  LkJobAccount account = { LK_INDEX_NONE, LK_INDEX_NONE };
  LkReject reject = check (self, submit);
  if (reject != 0)
    return reject;
  const LkMachine *machine = self->machine;
  const LkBook *book = self->book;
  if (book != NULL || machine != NULL)
    lk_submit_request (submit, &asked);
  if (book != NULL)
    reject = lk_engine_find_account (self, &asked, &account);
  if (reject == 0 && machine != NULL)
    reject = resolve (self, submit, &asked, (Before){ 0 }, &request, out_stuck_reason);
  if (reject != 0)
    return reject;
  *out_job = add_job (self, submit, request, account);
  if (book != NULL && machine != NULL)
    cap_nodes (self, submit, &asked, *out_job);
  reject = lk_engine_array_submit (self, *out_job);
  if (reject == 0)
    reject = check_added (self, submit, *out_job);
  if (reject == 0)
    reject = lk_engine_dependency_submit (self, *out_job);
  if (reject != 0)
    lk_engine_forget_job (self, *out_job);
  return reject;
}

/* Fills the columns of a job in the table that follow from what it asks for. */
static void
ask_for (LkEngine *self, LkJobIndex job, const LkEvent_submit *submit, LkJobRequest *asked,
         guint32 request, LkJobAccount account)
{
  LkJobTable *jobs = &self->jobs;
  jobs->procs[job] = submit->procs;
  jobs->request[job] = request;
  if (!jobs->is_plain)
    fill_place (self, job, account);
  jobs->units[job] = lk_engine_units (self, job);
  if (self->book != NULL)
    lk_engine_account_asked (self, job);
  jobs->estimate_us[job] = limit_of (self, job, submit);
  if (self->book != NULL && self->machine != NULL)
    cap_nodes (self, submit, asked, job);
}

LkReject
lk_engine_ask_again (LkEngine *self, LkJobIndex job, const LkEvent_submit *submit, guint how,
                     LkReason *out_stuck_reason)
{
  LkJobTable *jobs = &self->jobs;
  LkJobRequest asked;
  LkJobTerms terms;
  guint32 request = LK_JOB_NONE;
  LkJobAccount account = { jobs->association[job], jobs->qos[job] };
  LkReject reject = 0;
  Before before = { .by_admin = (how & LK_ASK_BY_ADMIN) != 0 };
  lk_submit_request (submit, &asked);
  lk_submit_terms (submit, &terms);
  if (self->machine != NULL)
    before.request = lk_machine_request (self->machine, jobs->request[job]);
  before.has_reservation = lk_terms_asked (jobs->terms[job])->reservation.length_bytes > 0;
  if ((how & LK_ASK_ANEW) == 0) {
    if (self->machine != NULL)
      lk_machine_share (self->machine, jobs->request[job]);
    reject = lk_engine_check_terms (self, job, &terms);
    if (reject == 0 && before.request != NULL
        && lacks_reservation (self, before.request, before, submit))
      reject = LK_REJECT_PERMISSION;
  } else {
    if (self->book != NULL)
      reject = lk_engine_find_account (self, &asked, &account);
    /* It has asked for one that there is not. */
    if ((how & LK_ASK_QOS) == 0 && jobs->association[job] != LK_INDEX_NONE
        && jobs->qos[job] == LK_INDEX_NONE)
      account.qos = LK_INDEX_NONE;
    if (reject == 0 && self->machine != NULL)
      reject = resolve (self, submit, &asked, before, &request, out_stuck_reason);
    if (reject != 0)
      return reject;
    ask_for (self, job, submit, &asked, request, account);
    reject = self->jobs.units[job] == 0 ? LK_REJECT_TOO_LARGE
                                        : lk_engine_check_terms (self, job, &terms);
    if (reject == 0 && self->book != NULL)
      reject = lk_engine_check_submit (self, job);
  }
  if (reject != 0 && self->machine != NULL)
    lk_machine_release (self->machine, jobs->request[job]);
  return reject;
}

LkReject
lk_engine_take_in (LkEngine *self, const LkEvent_submit *submit, LkJobIndex *out_job)
{
  LkReason stuck_reason = LK_REASON_NONE;
  LkReject reject = take_in (self, submit, out_job, &stuck_reason);
  if (reject != 0)
    return reject;
  if (self->book != NULL)
    lk_engine_account_submitted (self, *out_job);
  self->jobs.stuck_reason[*out_job] = (guint8)stuck_reason;
  lk_engine_choose_home (self, *out_job);
  return 0;
}

void
lk_engine_tell_submitted (LkEngine *self, LkJobIndex job)
{
  if (self->config.order->job_submitted != NULL)
    self->config.order->job_submitted (self->instances[LK_INSTANCE_ORDER].self, &self->view, job);
  if (self->config.select->job_submitted != NULL)
    self->config.select->job_submitted (self->instances[LK_INSTANCE_SELECT].self, &self->view, job);
}

static LkReject
handle_submit (LkEngine *self, const LkEvent_submit *submit)
{
  LkJobIndex job = LK_JOB_NONE;
  if (submit->job_id <= self->job_id_last)
    return LK_REJECT_JOB_ID_USED;
  LkReject reject = lk_engine_take_in (self, submit, &job);
  if (reject != 0)
    return reject;
  lk_engine_tell_submitted (self, job);
  self->job_id_last = submit->job_id;
  if (self->view.origin_us == LK_TIME_NEVER)
    self->view.origin_us = self->view.now_us;
  if ((submit->flags & LK_REQUEST_HOLD) != 0)
    self->jobs.held_by[job] = LK_HELD_BY_USER;
  lk_engine_watch_deadline (self, job);
  LkReason kept_by = lk_engine_kept_by (self, job);
  if (kept_by == LK_REASON_NONE) {
    lk_engine_enqueue (self, job);
    lk_engine_note_submitted (self, job);
    lk_engine_accept (self, job);
  } else {
    lk_engine_keep (self, job, kept_by);
    lk_engine_accept (self, job);
    lk_engine_emit_notice (self, job, LK_JOB_PENDING, kept_by);
  }
  if (lk_engine_is_het (self, job))
    lk_engine_het_submitted (self, job);
  if (self->jobs.terms[job] != NULL)
    lk_engine_ask_wake (self);
  return 0;
}

/* A job without an id gets the next one. */
LkReject
lk_engine_handle_submit (LkEngine *self, const LkEvent_submit *submit)
{
  LkEvent_submit numbered = *submit;
  if (submit->job_id == 0 && self->job_id_last == G_MAXUINT32)
    return LK_REJECT_TOO_MANY_JOBS;
  if (submit->job_id == 0)
    numbered.job_id = self->job_id_last + 1;
  LkReject reject = handle_submit (self, &numbered);
  if (reject != 0 && submit->het_leader != 0)
    lk_engine_het_refused (self, submit);
  return reject;
}

void
lk_engine_remove_job (LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_started (self, job))
    lk_engine_unwatch_deadline (self, job);
  if (self->jobs.array_job_id[job] != 0)
    lk_engine_array_left (self, job);
  if (self->book != NULL)
    lk_engine_account_left (self, job);
  lk_engine_dependency_left (self, job);
  if (lk_engine_is_het (self, job))
    lk_engine_het_left (self, job);
  for (guint i = 0; i < self->plans->len; i++)
    lk_plan_forget_job (g_ptr_array_index (self->plans, i), job);
  lk_engine_forget_job (self, job);
}
