/* engine/engine_update.c — what a job asks for changes.
 *
 * A pending job is looked at as if it were submitted so, with the submit time, age and hold that it
 * has; when that would be refused, nothing changes.  Of a job that has started only what does not
 * touch its place may change: time limit, whether it may be requeued, signal, texts; nice and
 * priority matter when it is requeued.  Users may only lower the time limit, and not give
 * themselves a negative nice or a priority; whether they share, and that their nodes be neighbours,
 * is not for them either.  Source: scontrol(1) update; _update_job of slurmctld. */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"

/* LkEvent_update.by_admin of scontrol top (engine/job_top.h). */
#define BY_TOP 2u
#define BIT(field) (G_GUINT64_CONSTANT (1) << LK_CHANGE_##field)

/* What may change of a job that has started. */
#define CHANGES_STARTED                                                                            \
  (BIT (estimate_us) | BIT (flags) | BIT (nice) | BIT (site_factor) | BIT (priority)               \
   | BIT (term_flags) | BIT (name) | BIT (comment) | BIT (warn_signal) | BIT (warn_before_us))
/* What is resolved against the machine, or with the accounts. */
#define CHANGES_REQUEST (BIT (nice) - 1)
#define CHANGES_TERMS ((BIT (het_count) << 1) - BIT (term_flags))
/* Whose job it is, and what it is a part of, stays. */
#define CHANGES_POSSIBLE ((BIT (het_leader) - 1) & ~(BIT (user) | BIT (group)))
/* Flags of a request that say nothing of its place. */
#define FLAGS_STARTED (LK_REQUEST_NO_REQUEUE | LK_REQUEST_NO_KILL | LK_REQUEST_HOLD)

/* What an update has in mind. */
typedef struct {
  const LkEvent_update *update;
  LkJobIndex job;
  guint32 procs;
  gint64 estimate_us; /* as given; 0: what the machine says */
  guint32 flags_before;
  LkJobRequest request;
  LkJobTerms terms;
} Wish;

static gboolean
has (const Wish *wish, guint64 bits)
{
  return (wish->update->changes & bits) != 0;
}

/* Where only some bits of flags change, the others stay as they were. */
static guint32
mix_flags (guint32 before, guint32 after, guint32 mask)
{
  return mask == 0 ? after : (before & ~mask) | (after & mask);
}

/* With an end instead of a limit. */
static gint64
wished_limit_us (const LkEngine *self, const LkEvent_update *update, LkJobIndex job)
{
  return update->end_us != 0 ? update->end_us - lk_engine_end_with_us (self, job, 0)
                             : update->estimate_us;
}

/* The job as it is, then what is to be another way. */
static void
read_wish (const LkEngine *self, const LkEvent_update *update, LkJobIndex job, Wish *out)
{
  const LkJobTable *jobs = &self->jobs;
  *out = (Wish){ .update = update,
                 .job = job,
                 .procs = jobs->procs[job],
                 .estimate_us = jobs->estimate_us[job],
                 .terms = *lk_terms_asked (jobs->terms[job]) };
  if (self->machine != NULL)
    lk_request_asked (lk_machine_request (self->machine, jobs->request[job]), &out->request,
                      &out->procs);
  if (self->book != NULL)
    lk_engine_name_account (self, job, &out->request);
  out->procs = has (out, BIT (procs)) ? update->procs : jobs->procs[job];
  if (has (out, BIT (estimate_us)))
    out->estimate_us = wished_limit_us (self, update, job);
  out->request.nice = jobs->nice[job];
  out->request.site_factor = jobs->site_factor[job];
  out->request.priority = jobs->direct_priority[job];
  out->flags_before = out->request.flags;
  guint32 term_flags_before = out->terms.term_flags;
  lk_update_request (update, &out->request);
  lk_update_terms (update, &out->terms);
  out->request.flags = mix_flags (out->flags_before, out->request.flags, update->flags_mask);
  out->terms.term_flags =
      mix_flags (term_flags_before, out->terms.term_flags, update->term_flags_mask);
}

/* ---------------------------------------------------------------- may it be? */

/* The mask of what does not change is none, and only one that has started has an end. */
static LkReject
check_form (const LkEngine *self, const LkEvent_update *update, LkJobIndex job)
{
  guint64 changes = update->changes;
  if (changes == 0 || (changes & ~CHANGES_POSSIBLE) != 0
      || (update->flags_mask != 0 && (changes & BIT (flags)) == 0)
      || (update->term_flags_mask != 0 && (changes & BIT (term_flags)) == 0)
      || (update->end_us != 0 && (changes & BIT (estimate_us)) == 0))
    return LK_REJECT_PRESENT_INVALID;
  if (update->end_us == 0)
    return 0;
  if (!lk_engine_has_started (self, job))
    return LK_REJECT_NOT_RUNNING;
  return update->end_us < self->view.now_us ? LK_REJECT_TIME_INVALID : 0;
}

static LkReject
check_values (const LkEngine *self, const Wish *wish)
{
  if (wish->procs < 1)
    return LK_REJECT_PROCS_ZERO;
  if (wish->estimate_us < 0 || (wish->estimate_us == 0 && self->machine == NULL))
    return LK_REJECT_ESTIMATE_INVALID;
  return 0;
}

/* What only administrators may. A limit of 0 is the partition's: it is not known to be lower. */
static LkReject
check_rights (const LkEngine *self, const Wish *wish)
{
  const LkJobTable *jobs = &self->jobs;
  if (wish->update->by_admin != 0)
    return 0;
  gint64 before_us = jobs->estimate_us[wish->job];
  if (has (wish, BIT (estimate_us)) && (wish->estimate_us > before_us || wish->estimate_us == 0))
    return LK_REJECT_PERMISSION;
  if (has (wish, BIT (nice)) && wish->request.nice < jobs->nice[wish->job])
    return LK_REJECT_PERMISSION;
  if (has (wish, BIT (site_factor)))
    return LK_REJECT_PERMISSION;
  /* Whether others may be beside it is not for users, nor that its nodes be neighbours. */
  guint32 changed = wish->flags_before ^ wish->request.flags;
  if ((changed & LK_REQUEST_OVERSUBSCRIBE) != 0
      || (changed & wish->request.flags & LK_REQUEST_CONTIGUOUS) != 0)
    return LK_REJECT_PERMISSION;
  return has (wish, BIT (priority)) && wish->request.priority != 0 ? LK_REJECT_PERMISSION : 0;
}

/* ---------------------------------------------------------------- what follows in both cases */

/* Priority 0 is a hold; the largest one gives the calculated one back. */
static void
set_priority (LkEngine *self, const Wish *wish)
{
  LkJobTable *jobs = &self->jobs;
  LkJobIndex job = wish->job;
  guint8 holder = wish->update->by_admin != 0 ? LK_HELD_BY_ADMIN : LK_HELD_BY_USER;
  gboolean holds = (has (wish, BIT (priority)) && wish->request.priority == 0)
                   || (has (wish, BIT (flags)) && (wish->update->flags & LK_REQUEST_HOLD) != 0);
  if (holds && jobs->held_by[job] == LK_HELD_BY_NOBODY)
    jobs->held_by[job] = holder;
  if (has (wish, BIT (priority)) && wish->request.priority != 0 && !jobs->is_plain)
    jobs->direct_priority[job] = wish->request.priority == G_MAXUINT32 ? 0 : wish->request.priority;
  if (jobs->is_plain)
    return;
  jobs->nice[job] = wish->request.nice;
  jobs->site_factor[job] = wish->request.site_factor;
}

static void
set_terms (LkEngine *self, const Wish *wish)
{
  LkTerms *terms;
  if (!has (wish, CHANGES_TERMS))
    return;
  terms = lk_terms_new (&wish->terms); /* its texts may be those of the old ones */
  if (has (wish, BIT (name)))
    lk_engine_dependency_unname (self, wish->job);
  lk_terms_free (self->jobs.terms[wish->job]);
  self->jobs.terms[wish->job] = terms;
  if (has (wish, BIT (name)))
    lk_engine_dependency_name (self, wish->job);
  if (has (wish, BIT (term_flags)))
    lk_engine_dependency_asked (self, wish->job);
}

/* ---------------------------------------------------------------- a job that has started */

/* The same place under another request. */
static LkReject
swap_request (LkEngine *self, const Wish *wish)
{
  LkJobTable *jobs = &self->jobs;
  LkJobRequest asked = wish->request;
  guint32 request = jobs->request[wish->job];
  LkJobRequest before;
  guint32 procs;
  if (self->machine == NULL || !has (wish, BIT (flags)))
    return 0;
  lk_request_asked (lk_machine_request (self->machine, request), &before, &procs);
  if (((before.flags ^ asked.flags) & ~(guint32)FLAGS_STARTED) != 0)
    return LK_REJECT_NOT_PENDING;
  lk_engine_strip_request (&asked);
  guint32 place = lk_machine_request (self->machine, request)->place;
  LkReject reject = lk_machine_resolve_in (self->machine, &asked, procs, place, &request);
  if (reject != 0)
    return reject;
  lk_machine_release (self->machine, jobs->request[wish->job]);
  jobs->request[wish->job] = request;
  return 0;
}

static LkReject
update_started (LkEngine *self, const Wish *wish)
{
  LkJobIndex job = wish->job;
  gboolean is_armed = self->jobs.phase[job] == LK_PHASE_RUNNING && self->jobs.kill_why[job] == 0;
  if (has (wish, ~CHANGES_STARTED))
    return LK_REJECT_NOT_PENDING;
  if (has (wish, BIT (estimate_us)) && wish->estimate_us == 0)
    return LK_REJECT_ESTIMATE_INVALID;
  /* Its end is another one already. */
  if (has (wish, BIT (estimate_us)) && lk_engine_is_preempted (self, job))
    return LK_REJECT_NOT_RUNNING;
  LkReject reject = lk_engine_check_terms (self, job, &wish->terms);
  if (reject == 0)
    reject = swap_request (self, wish);
  if (reject != 0)
    return reject;
  if (is_armed)
    lk_engine_disarm (self, job);
  set_terms (self, wish);
  if (has (wish, BIT (warn_signal) | BIT (warn_before_us)) && self->jobs.lives[job] != NULL)
    self->jobs.lives[job]->is_warned = 0;
  if (is_armed)
    lk_engine_arm (self, job);
  set_priority (self, wish);
  lk_engine_accept (self, job);
  if (has (wish, BIT (estimate_us)))
    lk_engine_change_limit (self, job, wish->estimate_us);
  lk_engine_ask_wake (self);
  return 0;
}

/* ---------------------------------------------------------------- a pending job */

/* The columns that follow from what is asked. */
typedef struct {
  guint32 procs;
  guint32 units;
  gint64 estimate_us;
  guint32 request;
  guint32 partition;
  LkJobAccount account;
  guint64 tres[LK_TRES_MAX];
} Asked;

static void
take_columns (const LkEngine *self, LkJobIndex job, Asked *out)
{
  const LkJobTable *jobs = &self->jobs;
  *out = (Asked){ .procs = jobs->procs[job],
                  .units = jobs->units[job],
                  .estimate_us = jobs->estimate_us[job],
                  .request = jobs->request[job],
                  .partition = jobs->partition[job],
                  .account = { jobs->association[job], jobs->qos[job] } };
  if (self->book != NULL)
    memcpy (out->tres, lk_book_job_tres (self->book, job),
            self->book->tres_count * sizeof out->tres[0]);
}

static void
put_columns (LkEngine *self, LkJobIndex job, const Asked *asked)
{
  LkJobTable *jobs = &self->jobs;
  jobs->procs[job] = asked->procs;
  jobs->units[job] = asked->units;
  jobs->estimate_us[job] = asked->estimate_us;
  jobs->request[job] = asked->request;
  if (!jobs->is_plain) {
    jobs->partition[job] = asked->partition;
    jobs->association[job] = asked->account.association;
    jobs->qos[job] = asked->account.qos;
  }
  if (self->book != NULL)
    memcpy (lk_book_job_tres (self->book, job), asked->tres,
            self->book->tres_count * sizeof asked->tres[0]);
}

/* As at submission, for a job that is in the table and does not count among the submitted ones.
 * Its columns are those of the wish when it may be, else anything. */
static LkReject
try_wish (LkEngine *self, const Wish *wish, LkReason *out_stuck_reason)
{
  LkEvent_submit submit = { .job_id = self->jobs.id[wish->job],
                            .user_id = self->jobs.user_id[wish->job],
                            .group_id = self->jobs.group_id[wish->job],
                            .partition_id = self->jobs.partition_id[wish->job],
                            .procs = wish->procs,
                            .estimate_us = wish->estimate_us };
  lk_submit_set_request (&submit, &wish->request);
  lk_submit_set_terms (&submit, &wish->terms);
  guint how = (has (wish, CHANGES_REQUEST) ? LK_ASK_ANEW : 0)
              | (has (wish, BIT (qos)) ? LK_ASK_QOS : 0)
              | (wish->update->by_admin != 0 ? LK_ASK_BY_ADMIN : 0);
  return lk_engine_ask_again (self, wish->job, &submit, how, out_stuck_reason);
}

static void
count_submitted (LkEngine *self, LkJobIndex job, gboolean is_submitted)
{
  if (self->book == NULL)
    return;
  if (is_submitted)
    lk_engine_account_submitted (self, job);
  else
    lk_engine_account_unsubmitted (self, job);
}

/* Tries the wish. On a refusal all is as before; else `out_after` is what the columns will be. */
static LkReject
find_columns (LkEngine *self, const Wish *wish, Asked *out_after, LkReason *out_stuck_reason)
{
  LkJobIndex job = wish->job;
  Asked before;
  take_columns (self, job, &before);
  count_submitted (self, job, FALSE);
  LkReject reject = try_wish (self, wish, out_stuck_reason);
  take_columns (self, job, out_after);
  put_columns (self, job, &before);
  count_submitted (self, job, TRUE);
  return reject;
}

/* The job with its old columns leaves the queue or the held ones, and comes back with its new
 * ones. */
static void
change_pending (LkEngine *self, const Wish *wish, const Asked *after, LkReason stuck_reason)
{
  LkJobTable *jobs = &self->jobs;
  LkJobIndex job = wish->job;
  guint32 request_before = jobs->request[job];
  LkJobInfo before;
  lk_engine_job (self, jobs->id[job], &before);
  gboolean in_line = lk_engine_is_in_line (self, job);
  if (lk_engine_is_het (self, job))
    lk_engine_het_leave_plan (self, job);
  LkReason reason = in_line ? LK_REASON_NONE : (LkReason)jobs->hold_reason[job];
  if (in_line)
    lk_engine_dequeue (self, job);
  else
    lk_engine_let_go (self, job);
  lk_engine_stop_accruing (self, job, /* forget= */ FALSE);
  count_submitted (self, job, FALSE);
  lk_engine_unwatch_deadline (self, job);
  jobs->phase[job] = LK_PHASE_HELD;
  put_columns (self, job, after);
  if (request_before != LK_JOB_NONE)
    lk_machine_release (self->machine, request_before);
  set_terms (self, wish);
  if (has (wish, BIT (reservation)))
    lk_engine_change_reservation (self, job);
  set_priority (self, wish);
  jobs->stuck_reason[job] = (guint8)stuck_reason;
  if (jobs->held_by[job] == LK_HELD_FOR_CONSTRAINTS && stuck_reason == LK_REASON_NONE)
    jobs->held_by[job] = LK_HELD_BY_NOBODY;
  if (has (wish, BIT (begin_us)))
    jobs->begin_us[job] = lk_engine_begin_us (self, &wish->terms);
  count_submitted (self, job, TRUE);
  lk_engine_choose_home (self, job);
  lk_engine_watch_deadline (self, job);
  lk_engine_take_back (self, job, reason);
  lk_engine_note_changed (self, job);
  if (wish->update->by_admin == BY_TOP && lk_engine_is_in_line (self, job))
    lk_engine_leave_reason (self, job, before.reason_shown);
}

static LkReject
take_wish (LkEngine *self, const Wish *wish)
{
  Asked after;
  LkReason before = (LkReason)self->jobs.stuck_reason[wish->job];
  gboolean has_lost =
      before == LK_REASON_RESERVATION_DELETED || before == LK_REASON_RESERVATION_INVALID;
  LkReason stuck_reason = has_lost ? LK_REASON_NONE : before;
  LkReject reject = find_columns (self, wish, &after, &stuck_reason);
  /* Who has lost a reservation waits until another is asked for. */
  if (has_lost && !has (wish, BIT (reservation)) && stuck_reason == LK_REASON_NONE)
    stuck_reason = before;
  if (reject != 0)
    return reject;
  if (has (wish, BIT (reservation)))
    reject = lk_engine_check_reservation (self, wish->job, wish->terms.reservation);
  if (reject == 0 && has (wish, BIT (dependency)))
    reject = lk_engine_set_dependency (self, wish->job, wish->terms.dependency);
  if (reject != 0) {
    if (self->machine != NULL)
      lk_machine_release (self->machine, after.request);
    return reject;
  }
  lk_engine_accept (self, wish->job);
  change_pending (self, wish, &after, stuck_reason);
  return 0;
}

/* What an administrator sets may be more than the partition's longest. */
static void
set_admin_limit (LkEngine *self, LkJobIndex job, gboolean is_admins)
{
  if ((lk_engine_life (self, job)->admin_limit != 0) != is_admins)
    lk_engine_own_life (self, job)->admin_limit = is_admins ? 1 : 0;
}

static LkReject
update_pending (LkEngine *self, const Wish *wish)
{
  gboolean was_admins = lk_engine_life (self, wish->job)->admin_limit != 0;
  if (has (wish, BIT (estimate_us)))
    set_admin_limit (self, wish->job, wish->update->by_admin != 0);
  LkReject reject = take_wish (self, wish);
  if (reject != 0)
    set_admin_limit (self, wish->job, was_admins);
  return reject;
}

LkReject
lk_engine_update_event (LkEngine *self, const LkEvent_update *update)
{
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, update->job_id);
  Wish wish;
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  LkReject reject = check_form (self, update, job);
  if (reject != 0)
    return reject;
  read_wish (self, update, job, &wish);
  reject = check_values (self, &wish);
  if (reject == 0)
    reject = check_rights (self, &wish);
  if (reject != 0)
    return reject;
  return lk_engine_has_started (self, job) ? update_started (self, &wish)
                                           : update_pending (self, &wish);
}
