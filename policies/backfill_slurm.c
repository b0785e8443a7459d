/* policies/backfill_slurm.c — Slurm's main scheduling loop with its backfill: parameters, state,
 * and when what runs.
 *
 * A daemon's background loop ticks; a tick runs a full main loop each sched_interval, and a partial
 * one when something came that wants it, batch_sched_delay after the last.  The end of a job runs a
 * partial one at once.  The backfill cycle comes bf_interval after the last one, as long as jobs
 * wait; when none did and nothing had changed it looks again each second.  A loop that could not
 * differ from the last one, as nothing has changed since, is left out, but keeps its time.  Time
 * limits of loops by the wall clock (max_sched_time, bf_max_time) do not exist here: budgets are
 * counts.  Source: slurm.conf(5), SchedulerParameters; controller.c, _slurmctld_background;
 * sched/backfill, backfill_agent. */
#include "policies/backfill_slurm.h"

#include "policies/backfills.h"

#define SECOND_US INT64_C (1000000)

/* Parameters: P (name, unit, default, minimum, maximum, help). */
#define SLURM_PARAMS(P)                                                                            \
  P (bf_interval, "s", "30", -1, 10800, "time between backfill cycles; -1: no backfill")           \
  P (bf_window, "min", "1440", 1, 43200, "how far ahead jobs are planned")                         \
  P (bf_resolution, "s", "60", 1, 3600, "times of reservations are rounded to this")               \
  P (bf_max_job_test, "jobs", "500", 1, 1000000, "jobs that a cycle tests")                        \
  P (bf_node_space_size, "slots", "0", 0, 2000000,                                                 \
     "slots of reservations, at which a cycle ends; 0: as bf_max_job_test, at least 2")            \
  P (bf_max_job_start, "jobs", "0", 0, 10000, "jobs that a cycle starts; 0: no limit")             \
  P (bf_max_job_user, "jobs", "0", 0, 1000000, "jobs of one user that a cycle tests; 0: all")      \
  P (bf_max_job_assoc, "jobs", "0", 0, 1000000,                                                    \
     "the same of one association, in place of the user; 0: all")                                  \
  P (bf_max_job_part, "jobs", "0", 0, 1000000, "the same of one partition; 0: all")                \
  P (bf_max_job_user_part, "jobs", "0", 0, 1000000,                                                \
     "the same of one user in one partition; 0: all")                                              \
  P (bf_max_job_array_resv, "tasks", "20", 0, 1000,                                                \
     "reservations for tasks of one array; 0: they only start now")                                \
  P (bf_job_part_count_reserve, "jobs", "0", 0, 100000,                                            \
     "reservations in one partition, behind which jobs only start now; 0: no limit")               \
  P (bf_min_age_reserve, "s", "0", 0, 2592000, "younger jobs only start now, and hold up nobody")  \
  P (bf_min_prio_reserve, "", "0", 0, 4294967294, "the same for jobs of lower priority")           \
  P (bf_window_linear, "s", "0", 0, 3600, "slurm_window: windows grow by this, not by doubling")   \
  P (bf_job_time, "us", "0", 0, 1000000,                                                           \
     "a cycle is taken to last so long for each job that it tests, which delays the next")         \
  P (bf_running_job_reserve, "", "0", 0, 1,                                                        \
     "1: running jobs that have their nodes alone reserve them")                                   \
  P (bf_licenses, "", "0", 0, 1,                                                                   \
     "1: licences are reserved, too; running jobs hold theirs, and nodes as above")                \
  P (bf_one_resv_per_job, "", "0", 0, 1,                                                           \
     "1: of a job's partitions one has a reservation; in the others it only starts now")           \
  P (bf_hetjob_immediate, "", "0", 0, 1,                                                           \
     "1: a heterogeneous job starts where it stands; 0: when all others have been looked at")      \
  P (bf_hetjob_prio, "", "0", 0, 3,                                                                \
     "a heterogeneous job stands where the component would that is its first one (0), or of the "  \
     "least (1), average (2) or greatest (3) priority of them")                                    \
  P (assoc_limit_stop, "", "0", 0, 1, "1: a job that a limit keeps holds others up")               \
  P (default_queue_depth, "jobs", "100", 1, 1000000, "jobs that a partial main loop looks at")     \
  P (partition_job_depth, "jobs", "0", 0, 1000000,                                                 \
     "jobs of one partition that a main loop looks at; 0: all")                                    \
  P (sched_max_job_start, "jobs", "0", 0, 1000000, "jobs that a main loop starts; 0: no limit")    \
  P (sched_interval, "s", "60", -1, 86400, "time between full main loops; -1: no main loop")       \
  P (sched_min_interval, "us", "2", 0, 60000000, "least time between two main loops")              \
  P (batch_sched_delay, "s", "3", 0, 3600, "least time between main loops of the background")      \
  P (defer, "", "0", 0, 1, "1: the end of a job waits for the background, too")                    \
  P (slurm_window, "", "1", 0, 1,                                                                  \
     "1: ends of running jobs are taken together in windows from 30 s on, as Slurm does; 0: one "  \
     "by one")                                                                                     \
  P (tick, "us", "1000000", 1, 60000000, "period of the background loop")                          \
  P (tick_phase, "us", "0", 0, 60000000, "a tick is so long behind the first submit")              \
  P (sched_phase, "us", "0", 0, 86400000000, "the first full loop is due so long behind it")       \
  P (bf_phase, "us", "0", 0, 10800000000, "the first backfill cycle is due so long behind it")     \
  P (builtin, "", "0", 0, 1,                                                                       \
     "1: cycles start nothing, and only tell when jobs may be expected to start (sched/builtin)")  \
  P (release, "", "2605", 1102, 9912, "whose rules hold: 2205 for those of 22.05 and before")

enum {
#define P(name, unit, default_value, minimum, maximum, help) PARAM_##name,
  SLURM_PARAMS (P)
#undef P
};

static const LkParam slurm_params[] = {
#define P(name, unit, default_value, minimum, maximum, help)                                       \
  { #name, LK_PARAM_INTEGER, unit, default_value, minimum, maximum, help },
  SLURM_PARAMS (P)
#undef P
      { 0 },
};

#define RELEASE_NEW 2300

static void
read_settings (LkSlurmSettings *self, const LkParamValue *values)
{
#define VALUE(name) values[PARAM_##name].integer
  *self = (LkSlurmSettings){
    .bf_interval_us = VALUE (bf_interval) * SECOND_US,
    .bf_window_us = VALUE (bf_window) * 60 * SECOND_US,
    .bf_resolution_us = VALUE (bf_resolution) * SECOND_US,
    .bf_max_job_test = VALUE (bf_max_job_test),
    .bf_node_space_count = VALUE (bf_node_space_size),
    .bf_max_job_start = VALUE (bf_max_job_start),
    .bf_max_job_user = VALUE (bf_max_job_user),
    .bf_max_job_assoc = VALUE (bf_max_job_assoc),
    .bf_max_job_part = VALUE (bf_max_job_part),
    .bf_max_job_user_part = VALUE (bf_max_job_user_part),
    .bf_max_job_array_resv = VALUE (bf_max_job_array_resv),
    .bf_job_part_count_reserve = VALUE (bf_job_part_count_reserve),
    .bf_min_age_reserve_us = VALUE (bf_min_age_reserve) * SECOND_US,
    .bf_min_prio_reserve = VALUE (bf_min_prio_reserve),
    .bf_window_linear_us = VALUE (bf_window_linear) * SECOND_US,
    .bf_job_time_us = VALUE (bf_job_time),
    .default_queue_depth = VALUE (default_queue_depth),
    .partition_job_depth = VALUE (partition_job_depth),
    .sched_max_job_start = VALUE (sched_max_job_start),
    .sched_interval_us = VALUE (sched_interval) * SECOND_US,
    .sched_min_interval_us = VALUE (sched_min_interval),
    .batch_sched_delay_us = VALUE (batch_sched_delay) * SECOND_US,
    .tick_us = VALUE (tick),
    .tick_phase_us = VALUE (tick_phase),
    .sched_phase_us = VALUE (sched_phase),
    .bf_phase_us = VALUE (bf_phase),
    .assoc_limit_stop = VALUE (assoc_limit_stop) != 0,
    .bf_licenses = VALUE (bf_licenses) != 0,
    .bf_running_job_reserve = VALUE (bf_running_job_reserve) != 0 || VALUE (bf_licenses) != 0,
    .bf_one_resv_per_job = VALUE (bf_one_resv_per_job) != 0,
    .bf_hetjob_immediate = VALUE (bf_hetjob_immediate) != 0,
    .bf_hetjob_prio = VALUE (bf_hetjob_prio),
    .defer = VALUE (defer) != 0,
    .slurm_window = VALUE (slurm_window) != 0,
    .is_builtin = VALUE (builtin) != 0,
    .is_old = VALUE (release) < RELEASE_NEW,
  };
#undef VALUE
  if (self->bf_node_space_count == 0)
    self->bf_node_space_count = MAX (2, self->bf_max_job_test);
  if (self->bf_hetjob_immediate && self->bf_hetjob_prio == LK_SLURM_HET_FIRST)
    self->bf_hetjob_prio = LK_SLURM_HET_MIN;
}

/* ---------------------------------------------------------------- life */

static void *
slurm_create (const LkParamValues *values, LkPolicyError *error)
{
  LkSlurm *self = g_new0 (LkSlurm, 1);
  (void)error;
  read_settings (&self->settings, values->values);
  self->flag_us = self->wake_us = self->next_us = LK_TIME_NEVER;
  return self;
}

static void
slurm_destroy (void *user)
{
  LkSlurm *self = user;
  if (self != NULL)
    lk_slurm_planned_clear (self);
  g_free (self);
}

/* ---------------------------------------------------------------- times */

/* What periods count from: before the first submit, the moment itself. */
static int64_t
origin_of (const LkView *view)
{
  return view->origin_us != LK_TIME_NEVER ? view->origin_us : view->now_us;
}

/* The least multiple of `period_us` behind `base_us` that is not before `at_us`. */
static int64_t
next_multiple_us (int64_t base_us, int64_t period_us, int64_t at_us)
{
  if (at_us == LK_TIME_NEVER)
    return at_us;
  int64_t below_us =
      lk_slurm_add_us (base_us, lk_slurm_floor_us (lk_slurm_since_us (at_us, base_us), period_us));
  return below_us == at_us ? at_us : lk_slurm_add_us (below_us, period_us);
}

static int64_t
next_tick_us (const LkSlurm *self, const LkView *view, int64_t at_us)
{
  return next_multiple_us (lk_slurm_add_us (origin_of (view), self->settings.tick_phase_us),
                           self->settings.tick_us, at_us);
}

/* When the next full main loop is due. */
static int64_t
full_due_us (const LkSlurm *self, const LkView *view)
{
  if (self->settings.sched_interval_us < 0)
    return LK_TIME_NEVER;
  return next_tick_us (self, view,
                       lk_slurm_add_us (self->full_us, self->settings.sched_interval_us));
}

/* When the background is to run a partial one. */
static int64_t
partial_due_us (const LkSlurm *self, const LkView *view)
{
  if (self->flag_us == LK_TIME_NEVER || self->settings.sched_interval_us < 0)
    return LK_TIME_NEVER;
  return next_tick_us (
      self, view,
      MAX (self->flag_us,
           lk_slurm_add_us (self->sched_us, self->settings.batch_sched_delay_us + 1)));
}

static int64_t
at_once_due_us (const LkSlurm *self, const LkView *view)
{
  if (!self->is_due || self->settings.sched_interval_us < 0)
    return LK_TIME_NEVER;
  return MAX (view->now_us, lk_slurm_add_us (self->run_us, self->settings.sched_min_interval_us));
}

/* When the backfill cycle is due that finds a change: bf_interval behind the last, or, where that
 * moment went by without one, at the next look. */
static int64_t
cycle_due_us (const LkSlurm *self, const LkView *view)
{
  if (self->settings.bf_interval_us <= 0)
    return LK_TIME_NEVER;
  int64_t due_us = lk_slurm_add_us (self->cycle_us, self->settings.bf_interval_us);
  return due_us >= view->now_us ? due_us : next_multiple_us (due_us, SECOND_US, view->now_us);
}

/* ---------------------------------------------------------------- what happens between passes */

static void
note_change (LkSlurm *self)
{
  self->is_told = TRUE;
  self->full_dirty = TRUE;
  self->cycle_dirty = TRUE;
}

/* The background is to run a main loop. One that it was to run before has been left out, as nobody
 * waited for it. */
static void
flag (LkSlurm *self, const LkView *view)
{
  int64_t due_us = self->is_begun ? partial_due_us (self, view) : LK_TIME_NEVER;
  if (due_us < view->now_us) {
    self->sched_us = due_us;
    self->flag_us = LK_TIME_NEVER;
  }
  self->flag_us = MIN (self->flag_us, view->now_us);
}

static void
slurm_job_queued (void *user, const LkView *view, LkJobIndex job)
{
  LkSlurm *self = user;
  lk_slurm_planned_ready (self, view);
  lk_slurm_planned_forget (self, job);
  note_change (self);
  flag (self, view);
}

static void
slurm_job_ended (void *user, const LkView *view, LkJobIndex job)
{
  LkSlurm *self = user;
  (void)job;
  note_change (self);
  if (self->settings.defer)
    flag (self, view);
  else
    self->is_due = TRUE;
}

static void
slurm_machine_changed (void *user, const LkView *view)
{
  LkSlurm *self = user;
  note_change (self);
  flag (self, view);
}

/* Only the cycle starts them. */
static int32_t
slurm_refuses_hets (const void *user)
{
  const LkSlurm *self = user;
  return self->settings.bf_interval_us <= 0;
}

/* ---------------------------------------------------------------- the pass */

static void
begin (LkSlurm *self, const LkView *view)
{
  const LkSlurmSettings *settings = &self->settings;
  self->is_begun = view->origin_us != LK_TIME_NEVER;
  self->full_us = lk_slurm_add_us (origin_of (view),
                                   settings->sched_phase_us - MAX (0, settings->sched_interval_us));
  self->sched_us = self->run_us = lk_slurm_since_us (
      view->now_us, settings->batch_sched_delay_us + settings->sched_min_interval_us);
  self->cycle_us =
      lk_slurm_add_us (origin_of (view), settings->bf_phase_us - MAX (0, settings->bf_interval_us));
}

/* Accounts for the loops that were left out because nothing had changed. */
static void
catch_up (LkSlurm *self, const LkView *view)
{
  int64_t now_us = view->now_us;
  int64_t interval_us = self->settings.sched_interval_us;
  int64_t due_us = full_due_us (self, view);
  if (due_us < now_us && interval_us >= 0) {
    int64_t period_us = next_multiple_us (0, self->settings.tick_us, MAX (1, interval_us));
    self->full_us = lk_slurm_add_us (
        due_us, lk_slurm_floor_us (lk_slurm_since_us (now_us - 1, due_us), period_us));
    self->sched_us = MAX (self->sched_us, self->full_us);
  }
  /* With jobs that wait every cycle runs; without, one if there was a change. */
  due_us = self->next_us;
  if (due_us >= now_us)
    return;
  /* Those that were left out would have tested what the last one did. */
  self->cycle_us = lk_slurm_add_us (due_us, self->cost_us);
  if (self->has_pending)
    self->cycle_us += lk_slurm_floor_us (lk_slurm_since_us (now_us - 1, due_us),
                                         self->settings.bf_interval_us + self->cost_us);
}

/* Can a loop differ from the one before although nothing has happened? */
static gboolean
matters_time (const LkSlurm *self)
{
  return self->settings.bf_min_age_reserve_us > 0;
}

/* What Slurm does when it makes its list of jobs wants no further loop. */
static void
look (const LkSlurmCall *call)
{
  LkSlurm *self = call->self;
  int64_t flag_us = self->flag_us;
  call->ops->begin_look (call->pass);
  lk_slurm_planned_ready (self, call->view);
  self->flag_us = flag_us;
}

static void
run_main_loop (const LkSlurmCall *call)
{
  LkSlurm *self = call->self;
  int64_t now_us = call->view->now_us;
  gboolean is_full = full_due_us (self, call->view) <= now_us;
  gboolean is_background = is_full || partial_due_us (self, call->view) <= now_us;
  gboolean says_all;
  if (!is_background && at_once_due_us (self, call->view) > now_us)
    return;
  if (is_full)
    self->full_us = now_us;
  if (is_background) {
    self->sched_us = now_us;
    self->flag_us = LK_TIME_NEVER;
  }
  self->is_due = FALSE;
  self->run_us = now_us;
  look (call);
  if (lk_slurm_main_loop (call, is_full, &says_all) > 0)
    self->cycle_dirty = TRUE;
  if (says_all)
    self->full_dirty = matters_time (self);
}

static void
run_cycle (const LkSlurmCall *call)
{
  LkSlurm *self = call->self;
  if (!self->cycle_dirty || cycle_due_us (self, call->view) != call->view->now_us)
    return;
  gboolean has_started;
  look (call);
  if (self->settings.is_builtin) {
    lk_slurm_builtin_cycle (call);
    self->cycle_us = call->view->now_us;
    self->cycle_dirty = FALSE;
    return;
  }
  self->cost_us = lk_slurm_cycle (call, &has_started) * self->settings.bf_job_time_us;
  self->cycle_us = lk_slurm_add_us (call->view->now_us, self->cost_us);
  /* What has started takes nodes on which jobs before it were planned, and the reservation of a job
   * that a limit keeps moves on with time. */
  self->cycle_dirty = has_started || matters_time (self) || self->settings.assoc_limit_stop;
}

static gboolean
has_pending (const LkSlurmCall *call)
{
  return call->view->pending_count > 0 || call->ops->het_count (call->pass) > 0;
}

static void
ask_wake (const LkSlurmCall *call)
{
  LkSlurm *self = call->self;
  const LkView *view = call->view;
  self->wake_us = LK_TIME_NEVER;
  if (!has_pending (call) && !call->ops->wants_look (call->pass))
    return;
  if (self->full_dirty)
    self->wake_us = full_due_us (self, view);
  int64_t partial_us = partial_due_us (self, view);
  /* What changed in this very pass, behind its loop, is for the next tick. */
  if (partial_us <= view->now_us)
    partial_us = next_tick_us (self, view, lk_slurm_add_us (view->now_us, 1));
  self->wake_us = MIN (self->wake_us, partial_us);
  self->wake_us = MIN (self->wake_us, at_once_due_us (self, view));
  if (self->cycle_dirty)
    self->wake_us = MIN (self->wake_us, cycle_due_us (self, view));
  /* At the end of time there is no later moment. */
  if (self->wake_us <= view->now_us)
    self->wake_us = LK_TIME_NEVER;
  if (self->wake_us != LK_TIME_NEVER)
    call->ops->wake (call->pass, self->wake_us);
}

static void
slurm_pass (void *user, const LkView *view, const LkPassOps *ops, void *pass)
{
  LkSlurm *self = user;
  LkSlurmCall call = { self, view, ops, pass, 0 };
  if (view->cluster != NULL)
    call.words = (view->cluster->node_count + 63) / 64;
  lk_slurm_planned_ready (self, view);
  if (!self->is_begun)
    begin (self, view);
  /* Priorities were calculated anew, or a wait for switches is over. */
  if (!self->is_told && view->now_us != self->wake_us)
    note_change (self);
  self->is_told = FALSE;
  catch_up (self, view);
  run_main_loop (&call);
  run_cycle (&call);
  self->has_pending = has_pending (&call);
  if (ops->wants_look (pass))
    self->full_dirty = self->cycle_dirty = TRUE;
  self->next_us = LK_TIME_NEVER;
  if (self->has_pending || self->cycle_dirty)
    self->next_us = cycle_due_us (self, view);
  ask_wake (&call);
}

/* ---------------------------------------------------------------- bytes */

#define FLAG_BEGUN (1u << 0)
#define FLAG_TOLD (1u << 1)
#define FLAG_DUE (1u << 2)
#define FLAG_FULL_DIRTY (1u << 3)
#define FLAG_CYCLE_DIRTY (1u << 4)
#define FLAG_PENDING (1u << 5)
#define FLAG_LIMIT (1u << 6)

/* Flags, times, and what is planned. */
static void
slurm_save (void *user, const LkView *view, LkPut put, void *sink)
{
  const LkSlurm *self = user;
  LkStateSink out = { put, sink };
  lk_state_put_u32 (&out, (self->is_begun ? FLAG_BEGUN : 0) | (self->is_told ? FLAG_TOLD : 0)
                              | (self->is_due ? FLAG_DUE : 0)
                              | (self->full_dirty ? FLAG_FULL_DIRTY : 0)
                              | (self->cycle_dirty ? FLAG_CYCLE_DIRTY : 0)
                              | (self->has_pending ? FLAG_PENDING : 0));
  lk_state_put_i64 (&out, self->full_us);
  lk_state_put_i64 (&out, self->sched_us);
  lk_state_put_i64 (&out, self->run_us);
  lk_state_put_i64 (&out, self->cycle_us);
  lk_state_put_i64 (&out, self->cost_us);
  lk_state_put_i64 (&out, self->next_us);
  lk_state_put_i64 (&out, self->flag_us);
  lk_state_put_i64 (&out, self->wake_us);
  lk_slurm_planned_save (self, view, &out);
}

static int32_t
slurm_load (void *user, const LkView *view, const uint8_t *bytes, uint32_t byte_count)
{
  LkSlurm *self = user;
  LkStateSource source = { bytes, byte_count, 0 };
  lk_slurm_planned_ready (self, view);
  uint32_t flags = lk_state_take_u32 (&source);
  self->is_begun = (flags & FLAG_BEGUN) != 0;
  self->is_told = (flags & FLAG_TOLD) != 0;
  self->is_due = (flags & FLAG_DUE) != 0;
  self->full_dirty = (flags & FLAG_FULL_DIRTY) != 0;
  self->cycle_dirty = (flags & FLAG_CYCLE_DIRTY) != 0;
  self->has_pending = (flags & FLAG_PENDING) != 0;
  int64_t *const times[] = { &self->full_us, &self->sched_us, &self->run_us,  &self->cycle_us,
                             &self->cost_us, &self->next_us,  &self->flag_us, &self->wake_us };
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    *times[i] = (int64_t)lk_state_take (&source, 8);
  /* What has run has run by now. */
  if (flags >= FLAG_LIMIT || (self->is_begun && MAX (self->sched_us, self->run_us) > view->now_us))
    return 0;
  return lk_slurm_planned_load (self, view, &source) && !source.is_broken && source.left_bytes == 0;
}

const LkBackfillPolicy lk_backfill_slurm = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkBackfillPolicy),
            .seam = LK_SEAM_BACKFILL,
            .version = 1,
            .name = "slurm",
            .summary = "Slurm's main scheduling loop and its backfill (slurm.conf, "
                       "SchedulerParameters)",
            .params = slurm_params,
            .create = slurm_create,
            .destroy = slurm_destroy,
            .save = slurm_save,
            .load = slurm_load },
  .pass = slurm_pass,
  .job_queued = slurm_job_queued,
  .job_ended = slurm_job_ended,
  .planned_start_us = lk_slurm_planned_start_us,
  .planned_nodes = lk_slurm_planned_nodes,
  .machine_changed = slurm_machine_changed,
  .notes_reasons = 1,
  .tries_partitions = 1,
  .plans_hets = 1,
  .refuses_hets = slurm_refuses_hets,
  .says_looks = 1,
};
