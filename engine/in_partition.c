/* engine/in_partition.c — see the header. */
#include "engine/in_partition.h"

#include "engine/assert.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/plan.h"
#include "engine/request_partition.h"

/* In LkRequest.visits: it cannot be resolved for that partition. */
#define NOWHERE G_MAXUINT32

static const LkRequest *
request_of (const LkEngine *self, LkJobIndex job)
{
  return lk_machine_request (self->machine, self->jobs.request[job]);
}

uint32_t
lk_engine_partition_count (const LkEngine *self, LkJobIndex job)
{
  return self->machine != NULL ? request_of (self, job)->partitions->len : 1;
}

/* ---------------------------------------------------------------- what it asks for there */

static gboolean
is_named_before (const LkRequest *request, uint32_t place)
{
  guint32 partition = g_array_index (request->partitions, guint32, place - 1);
  for (guint32 i = 0; i + 1 < place; i++)
    if (g_array_index (request->partitions, guint32, i) == partition)
      return TRUE;
  return FALSE;
}

/* The request at home holds those for other partitions, each resolved when it is first wanted. */
static guint32
request_there (LkEngine *self, guint32 home_index, uint32_t place)
{
  LkRequest *home = lk_machine_request (self->machine, home_index);
  LkJobRequest asked;
  guint32 procs;
  guint32 there;
  if (home->visits == NULL)
    home->visits = g_new0 (guint32, home->partitions->len);
  if (home->visits[place - 1] == 0) {
    lk_request_asked (home, &asked, &procs);
    LkReject reject = lk_machine_resolve_in (self->machine, &asked, procs, place, &there);
    home->visits[place - 1] = reject == 0 ? there + 1 : NOWHERE;
  }
  return home->visits[place - 1] != NOWHERE ? home->visits[place - 1] - 1 : NOWHERE;
}

static gboolean
is_open (const LkEngine *self, guint32 partition)
{
  return self->partition_states[partition] == LK_PARTITION_UP
         || self->partition_states[partition] == LK_PARTITION_DRAIN;
}

/* Do its nodes and its time limit allow it there, in any state of the partition? */
static gboolean
may_run (const LkEngine *self, const LkRequest *request, gint64 estimate_us)
{
  const LkPartitionSpec *spec = self->machine->partitions[request->partition].spec;
  return request->never == LK_REASON_NONE && estimate_us <= spec->time_max_us;
}

static gboolean
may_run_now (const LkEngine *self, LkJobIndex job, const LkRequest *request)
{
  return may_run (self, request, self->jobs.estimate_us[job]) && is_open (self, request->partition);
}

gboolean
lk_engine_may_run_elsewhere (LkEngine *self, guint32 home_request, gint64 estimate_us)
{
  const LkRequest *home = lk_machine_request (self->machine, home_request);
  if (!self->config.backfill->tries_partitions)
    return FALSE;
  for (uint32_t place = 1; place <= home->partitions->len; place++) {
    if (g_array_index (home->partitions, guint32, place - 1) == home->partition)
      continue;
    guint32 there = request_there (self, home_request, place);
    if (there != NOWHERE && may_run (self, lk_machine_request (self->machine, there), estimate_us))
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_engine_names_partition (const LkEngine *self, LkJobIndex job, guint32 partition)
{
  const LkRequest *request = self->machine != NULL ? request_of (self, job) : NULL;
  for (guint i = 0; request != NULL && i < request->partitions->len; i++)
    if (g_array_index (request->partitions, guint32, i) == partition)
      return TRUE;
  return self->jobs.partition[job] == partition;
}

/* May it run there as far as its time and its nodes go? */
static gboolean
is_allowed (const LkEngine *self, LkJobIndex job, const LkJobRequest *asked, guint32 partition)
{
  const LkPartitionSpec *spec = self->machine->partitions[partition].spec;
  return self->jobs.estimate_us[job] <= spec->time_max_us && asked->nodes_min <= spec->nodes_max;
}

gboolean
lk_engine_has_open_partition (const LkEngine *self, LkJobIndex job)
{
  const LkRequest *request = self->machine != NULL ? request_of (self, job) : NULL;
  LkJobRequest asked;
  guint32 procs;
  if (is_open (self, self->jobs.partition[job]))
    return TRUE;
  if (!self->config.backfill->tries_partitions || lk_engine_partition_count (self, job) == 1)
    return FALSE;
  lk_request_asked (request, &asked, &procs);
  for (guint i = 0; i < request->partitions->len; i++) {
    guint32 partition = g_array_index (request->partitions, guint32, i);
    if (is_open (self, partition) && is_allowed (self, job, &asked, partition))
      return TRUE;
  }
  return FALSE;
}

guint32
lk_engine_partition_shown (const LkEngine *self, LkJobIndex job)
{
  guint32 last = LK_INDEX_NONE;
  LkJobRequest asked;
  guint32 procs;
  if (lk_engine_partition_count (self, job) == 1)
    return LK_INDEX_NONE;
  const LkRequest *request = request_of (self, job);
  lk_request_asked (request, &asked, &procs);
  for (guint i = 0; i < request->partitions->len; i++) {
    guint32 next = g_array_index (request->partitions, guint32, i);
    if (is_allowed (self, job, &asked, next)
        && (last == LK_INDEX_NONE || !lk_request_partition_before (self->machine, next, last)))
      last = next;
  }
  return last != LK_INDEX_NONE ? last : g_array_index (request->partitions, guint32, 0);
}

/* ---------------------------------------------------------------- going and coming */

static void
enter (LkEngine *self, LkJobIndex job, guint32 request)
{
  self->jobs.request[job] = request;
  self->jobs.partition[job] = lk_machine_request (self->machine, request)->partition;
  if (self->book != NULL)
    lk_engine_account_asked (self, job);
}

gboolean
lk_engine_visit_partition (LkEngine *self, LkJobIndex job, uint32_t place)
{
  lk_engine_go_home (self);
  if (lk_engine_partition_count (self, job) == 1)
    return TRUE;
  const LkRequest *home = request_of (self, job);
  LK_ASSERT (place >= 1);
  LK_ASSERT (place <= home->partitions->len);
  if (is_named_before (home, place))
    return FALSE;
  if (g_array_index (home->partitions, guint32, place - 1) == home->partition)
    return may_run_now (self, job, home);
  guint32 there = request_there (self, self->jobs.request[job], place);
  if (there == NOWHERE || !may_run_now (self, job, lk_machine_request (self->machine, there)))
    return FALSE;
  lk_plan_forget_found (self->bare);
  self->away_job = job;
  self->away_home = self->jobs.request[job];
  enter (self, job, there);
  return TRUE;
}

void
lk_engine_go_home (LkEngine *self)
{
  LkJobIndex job = self->away_job;
  if (job == LK_JOB_NONE)
    return;
  lk_plan_forget_found (self->bare);
  enter (self, job, self->away_home);
  self->away_job = LK_JOB_NONE;
}

/* In the books the job is counted in its partition, too. */
static void
move_books (LkEngine *self, LkJobIndex job, guint32 from_request, guint32 to_request)
{
  if (self->book != NULL) {
    enter (self, job, from_request);
    lk_engine_account_left (self, job);
  }
  enter (self, job, to_request);
  if (self->book != NULL)
    lk_engine_account_submitted (self, job);
}

void
lk_engine_stay_away (LkEngine *self, LkJobIndex away, LkJobIndex job)
{
  if (self->away_job == LK_JOB_NONE || self->away_job != away)
    return;
  move_books (self, job, self->away_home, self->jobs.request[job]);
  /* A task has got its own hold on what it asks for. */
  if (job != away)
    return;
  self->away_job = LK_JOB_NONE;
  lk_machine_share (self->machine, self->jobs.request[job]);
  lk_machine_release (self->machine, self->away_home);
}

void
lk_engine_return_home (LkEngine *self, LkJobIndex job)
{
  LkJobRequest asked;
  guint32 procs;
  guint32 home;
  if (self->machine == NULL || request_of (self, job)->place == 0)
    return;
  guint32 there = self->jobs.request[job];
  lk_request_asked (request_of (self, job), &asked, &procs);
  LkReject reject = lk_machine_resolve (self->machine, &asked, procs, &home);
  LK_ASSERT (reject == 0);
  move_books (self, job, there, home);
  lk_machine_release (self->machine, there);
}

/* ---------------------------------------------------------------- where it waits */

/* How well a partition suits a job that waits in one partition only. */
typedef enum { SUITS_NEVER, SUITS_LATER, SUITS_NOW } Suits;

typedef struct {
  gint64 estimate_us;
  guint32 user_id;
} Wants;

static Suits
suits (LkEngine *self, LkRequest *request, const Wants *wants)
{
  lk_engine_try_idle (self, request, wants->user_id);
  if (!may_run (self, request, wants->estimate_us))
    return SUITS_NEVER;
  return is_open (self, request->partition) ? SUITS_NOW : SUITS_LATER;
}

static gboolean
is_before (const LkEngine *self, guint32 request, guint32 other)
{
  return lk_request_partition_before (self->machine,
                                      lk_machine_request (self->machine, request)->partition,
                                      lk_machine_request (self->machine, other)->partition);
}

/* Slurm tries the partitions by priority: of those that suit the job best, the first.
 * Returns: its request (transfer full), or NOWHERE: none suits. */
static guint32
best_home (LkEngine *self, guint32 home, const Wants *wants)
{
  guint count = lk_machine_request (self->machine, home)->partitions->len;
  LkJobRequest asked;
  guint32 procs;
  guint32 best = NOWHERE;
  guint32 there;
  Suits best_suits = SUITS_NEVER;
  lk_request_asked (lk_machine_request (self->machine, home), &asked, &procs);
  for (uint32_t place = 1; place <= count; place++) {
    if (lk_machine_resolve_in (self->machine, &asked, procs, place, &there) != 0)
      continue;
    Suits found = suits (self, lk_machine_request (self->machine, there), wants);
    if (found > best_suits
        || (best != NOWHERE && found == best_suits && is_before (self, there, best))) {
      guint32 left = best;
      best = there;
      best_suits = found;
      there = left;
    }
    if (there != NOWHERE)
      lk_machine_release (self->machine, there);
  }
  return best;
}

static gboolean
has_fixed_home (const LkEngine *self, guint32 request)
{
  return self->config.backfill->tries_partitions
         || lk_machine_request (self->machine, request)->partitions->len == 1;
}

gboolean
lk_engine_has_better_home (LkEngine *self, guint32 request, guint32 user_id, gint64 estimate_us)
{
  const Wants wants = { .estimate_us = estimate_us, .user_id = user_id };
  if (has_fixed_home (self, request))
    return FALSE;
  guint32 best = best_home (self, request, &wants);
  if (best != NOWHERE)
    lk_machine_release (self->machine, best);
  return best != NOWHERE;
}

/* Out of the queue, as its key, its demand and what is planned for it follow its partition.
 * `home`: (transfer full). */
static void
move_home (LkEngine *self, LkJobIndex job, guint32 home)
{
  LkJobTable *jobs = &self->jobs;
  guint32 before = jobs->request[job];
  gboolean in_line = lk_engine_is_in_line (self, job);
  gboolean is_accruing = self->book != NULL && self->book->job_counts[job].is_accruing;
  if (in_line) {
    lk_engine_dequeue (self, job);
    jobs->phase[job] = LK_PHASE_HELD;
  }
  if (lk_engine_is_het (self, job))
    lk_engine_het_changed (self, job);
  move_books (self, job, before, home);
  lk_machine_release (self->machine, before);
  jobs->units[job] = lk_engine_units (self, job);
  lk_engine_judge_stuck (self, job);
  if (in_line)
    lk_engine_enqueue (self, job);
  else if (is_accruing)
    lk_engine_count_accruing (self, job, TRUE);
}

void
lk_engine_choose_home (LkEngine *self, LkJobIndex job)
{
  if (self->machine == NULL || has_fixed_home (self, self->jobs.request[job]))
    return;
  LK_ASSERT (!lk_engine_has_started (self, job));
  gboolean is_admins = lk_engine_life (self, job)->admin_limit != 0;
  const Wants wants = { .estimate_us = is_admins ? 0 : self->jobs.estimate_us[job],
                        .user_id = self->jobs.user_id[job] };
  guint32 home = best_home (self, self->jobs.request[job], &wants);
  if (home == NOWHERE)
    lk_engine_judge_stuck (self, job);
  else if (lk_machine_request (self->machine, home)->partition == self->jobs.partition[job])
    lk_machine_release (self->machine, home);
  else
    move_home (self, job, home);
}

/* ---------------------------------------------------------------- limits */

gboolean
lk_engine_is_limited_everywhere (LkEngine *self, LkJobIndex job)
{
  uint32_t count = lk_engine_partition_count (self, job);
  gboolean is_limited = TRUE;
  for (uint32_t place = 1; place <= count && is_limited; place++)
    if (lk_engine_visit_partition (self, job, place))
      is_limited = lk_engine_has_finding (self, job, LK_CHECK_START);
  lk_engine_go_home (self);
  return is_limited;
}

/* ---------------------------------------------------------------- what policies ask */

uint32_t
lk_pass_partition_count (void *pass, LkJobIndex job)
{
  const LkEngine *self = pass;
  if (job != LK_JOB_NONE)
    return lk_engine_partition_count (self, job);
  return self->machine != NULL && self->machine->choice_count > 0 ? 2 : 1;
}

int32_t
lk_pass_visit_partition (void *pass, LkJobIndex job, uint32_t place)
{
  LkEngine *self = pass;
  LK_ASSERT (self->in_pass);
  LK_ASSERT (self->config.backfill->tries_partitions);
  LK_ASSERT (lk_engine_is_pending (self, job));
  return lk_engine_visit_partition (self, job, place);
}
