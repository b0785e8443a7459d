/* engine/engine_het_pass.c — heterogeneous jobs in a pass: where they stand, what they reserve, and
 * when they start.
 *
 * They stand in the queue where their first component would.  A policy that makes its plan in each
 * pass calls for them where they stand (LkPassOps.plan_hets).  With one that keeps its plan the
 * engine keeps their places in it: behind the policy each one that has none gets one, each other
 * one an earlier one if there is any, and those that are due start; when the policy makes its plan
 * anew it calls for them, too.  For policies that know nothing of them they are tried before and
 * behind the policy, as long as no job of the queue comes before them. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_het.h"
#include "engine/in_partition.h"

/* ---------------------------------------------------------------- which one, and its plan */

static gboolean
keeps_plan (const LkEngine *self)
{
  return self->config.backfill->job_dequeued != NULL;
}

/* That of a policy that keeps one; NULL: there is none. */
static LkPlan *
kept_plan (const LkEngine *self)
{
  for (guint i = 0; keeps_plan (self) && i < self->plans->len; i++)
    if (g_ptr_array_index (self->plans, i) != self->bare)
      return g_ptr_array_index (self->plans, i);
  return NULL;
}

/* What runs, and nothing else; on a counted pool units are counted. */
static LkPlan *
bare_plan (const LkEngine *self)
{
  return self->machine != NULL ? self->bare : NULL;
}

/* Its components that are in the system. */
static void
list (LkEngine *self, const LkHet *het)
{
  g_array_set_size (self->het_jobs, 0);
  for (guint32 i = 0; i < het->submitted; i++) {
    LkJobIndex job = lk_engine_het_member (self, het, i);
    if (job != LK_JOB_NONE)
      g_array_append_val (self->het_jobs, job);
  }
}

static LkTogether
together (LkEngine *self, LkPlan *plan)
{
  return (LkTogether){ self, plan, (const LkJobIndex *)(gconstpointer)self->het_jobs->data,
                       self->het_jobs->len };
}

/* Lists its components, if nothing keeps them from starting but room and limits. */
static gboolean
collect (LkEngine *self, const LkHet *het)
{
  if (het->submitted < het->count || het->is_left || het->is_requeued)
    return FALSE;
  list (self, het);
  for (guint i = 0; i < self->het_jobs->len; i++) {
    LkJobIndex job = g_array_index (self->het_jobs, LkJobIndex, i);
    if (self->jobs.phase[job] != LK_PHASE_HELD
        || lk_engine_kept_by (self, job) != LK_REASON_RESOURCES)
      return FALSE;
  }
  return self->het_jobs->len > 0;
}

/* They all stand where the first one does.  Each is asked for its key, as each may get a number. */
static void
give_keys (LkEngine *self)
{
  void *order = self->instances[LK_INSTANCE_ORDER].self;
  gint64 first_key = 0;
  for (guint i = 0; i < self->het_jobs->len; i++) {
    LkJobIndex job = g_array_index (self->het_jobs, LkJobIndex, i);
    gint64 key = ~self->config.order->key (order, &self->view, job);
    first_key = i == 0 ? key : first_key;
    self->jobs.rank_key[job] = first_key;
    if (self->preemption != NULL)
      lk_engine_set_level (self, job);
  }
}

/* Those that wait for nothing but room grow older, each as far as limits on ageing jobs let it. */
static void
grow_older (LkEngine *self)
{
  for (guint i = 0; i < self->het_jobs->len; i++)
    lk_engine_accrue (self, g_array_index (self->het_jobs, LkJobIndex, i));
}

/* ---------------------------------------------------------------- places kept */

void
lk_engine_het_give_up (LkEngine *self, LkHet *het)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  gint64 start_us = MAX (het->start_us, self->view.now_us);
  list (self, het);
  LkTogether all = together (self, kept_plan (self));
  gboolean was_reserved = all.count > 0 && lk_together_is_reserved (&all);
  het->is_placed = FALSE;
  if (!was_reserved) {
    het->start_us = LK_TIME_NEVER;
    return;
  }
  gint64 end_us = lk_together_end_us (&all, het->start_us);
  het->start_us = LK_TIME_NEVER;
  for (guint i = 0; i < all.count; i++)
    lk_plan_ops.note_given (all.plan, &self->view, all.jobs[i]);
  lk_together_release (&all);
  self->changed = self->het_gave = TRUE;
  if (backfill->given_back != NULL && start_us < end_us)
    backfill->given_back (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, start_us,
                          end_us);
}

/* Gets an earlier place if there is one. */
static void
improve (LkEngine *self, LkHet *het, const LkTogether *all)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  gint64 before_us = het->start_us;
  het->start_us = lk_together_move_earlier (all, before_us);
  if (het->start_us == before_us)
    return;
  self->changed = self->het_gave = TRUE;
  if (backfill->given_back != NULL)
    backfill->given_back (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, before_us,
                          lk_together_end_us (all, before_us));
}

/* ---------------------------------------------------------------- one of them */

/* Starts what is reserved from now on. */
static gboolean
start_reserved (LkHet *het, const LkTogether *all)
{
  if (!lk_together_is_free (all) || lk_together_is_limited (all))
    return FALSE;
  lk_together_start (all);
  het->start_us = LK_TIME_NEVER;
  het->is_placed = FALSE;
  return TRUE;
}

/* Starts it beside the plan; else reserves if it may. Returns whether it has a reservation. */
static gboolean
plan_one (LkEngine *self, LkHet *het, LkPlan *plan, gboolean may_start, gboolean may_reserve)
{
  gint64 now_us = self->view.now_us;
  LkTogether all = together (self, plan);
  het->start_us = LK_TIME_NEVER;
  if (lk_together_is_limited (&all))
    return FALSE;
  gint64 at_us = lk_together_reserve (&all, now_us, may_reserve ? LK_TIME_NEVER : now_us + 1);
  if (at_us == LK_TIME_NEVER)
    return FALSE;
  if (at_us == now_us && may_start) {
    if (start_reserved (het, &all))
      return FALSE;
    /* What it would be given is too much. */
    if (lk_together_is_limited (&all) || !may_reserve) {
      lk_together_release (&all);
      return FALSE;
    }
  }
  het->start_us = at_us;
  return TRUE;
}

/* Starts it beside what runs. Else, on nodes, says when that could be. FALSE: it waits for room. */
static gboolean
try_now (LkEngine *self, LkHet *het)
{
  LkTogether all = together (self, bare_plan (self));
  if (lk_together_is_limited (&all))
    return TRUE;
  if (all.plan == NULL) {
    if (lk_together_is_free (&all))
      lk_together_start (&all);
    else
      return FALSE;
    return TRUE;
  }
  gint64 at_us = lk_together_reserve (&all, self->view.now_us, LK_TIME_NEVER);
  if (at_us == self->view.now_us && start_reserved (het, &all))
    return TRUE;
  gboolean is_limited = at_us == self->view.now_us && lk_together_is_limited (&all);
  if (at_us != LK_TIME_NEVER)
    lk_together_release (&all);
  /* As the machine stands it cannot run, and holds up nobody. */
  het->start_us = is_limited ? LK_TIME_NEVER : at_us;
  return is_limited || at_us == LK_TIME_NEVER;
}

/* ---------------------------------------------------------------- in a pass */

static gint
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  LkJobIndex job_a = *(const LkJobIndex *)a;
  LkJobIndex job_b = *(const LkJobIndex *)b;
  return job_a == job_b ? 0 : lk_rank_before (self->queue, job_a, job_b) ? -1 : 1;
}

/* The first components of those that could start, in the order of the queue. */
static void
line_up (LkEngine *self)
{
  g_array_set_size (self->het_order, 0);
  self->het_at = 0;
  for (guint i = 0; i < self->hets->len; i++) {
    LkHet *het = &g_array_index (self->hets, LkHet, i);
    if (!collect (self, het)) {
      lk_engine_het_give_up (self, het);
      continue;
    }
    /* Plans that last a pass are made anew. */
    if (!keeps_plan (self) && self->config.backfill->planned_start_us == NULL)
      het->start_us = LK_TIME_NEVER;
    grow_older (self);
    give_keys (self);
    g_array_append_val (self->het_order, g_array_index (self->het_jobs, LkJobIndex, 0));
  }
  g_array_sort_with_data (self->het_order, compare, self);
}

/* The one at that place of the order, its components listed; NULL: it has started since. */
static LkHet *
at_place (LkEngine *self, guint place)
{
  LkHet *het = lk_engine_het_find (self, g_array_index (self->het_order, LkJobIndex, place));
  return collect (self, het) ? het : NULL;
}

/* The policy is to make its plan anew. */
static void
tell_untrue (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  if (backfill->machine_changed != NULL)
    backfill->machine_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
}

static gboolean
follows_order (const LkEngine *self)
{
  return keeps_plan (self) && self->config.backfill->order_changed != NULL;
}

void
lk_engine_het_queued (LkEngine *self, LkJobIndex job)
{
  for (guint i = 0; follows_order (self) && i < self->hets->len; i++) {
    const LkHet *het = &g_array_index (self->hets, LkHet, i);
    list (self, het);
    if (het->start_us == LK_TIME_NEVER || self->het_jobs->len == 0
        || !lk_rank_before (self->queue, job, g_array_index (self->het_jobs, LkJobIndex, 0)))
      continue;
    tell_untrue (self);
    return;
  }
}

/* The moment of one has gone by without a pass, and what it was to have may be anybody's. */
static void
tell_late (LkEngine *self)
{
  gboolean is_late = FALSE;
  for (guint i = 0; i < self->hets->len; i++)
    is_late |= g_array_index (self->hets, LkHet, i).start_us < self->view.now_us;
  if (is_late)
    tell_untrue (self);
}

/* A policy whose plan follows the order of the queue makes it anew for one that has come. */
static void
tell_arrivals (LkEngine *self)
{
  gboolean is_new = FALSE;
  if (!follows_order (self))
    return;
  for (guint i = 0; i < self->het_order->len; i++) {
    LkHet *het = at_place (self, i);
    LkTogether all = together (self, NULL);
    if (het == NULL || het->is_placed || lk_together_is_limited (&all))
      continue;
    het->is_placed = is_new = TRUE;
  }
  if (is_new && self->view.pending_count > 0)
    tell_untrue (self);
}

/* For policies that know nothing of them. */
static void
try_first (LkEngine *self)
{
  for (guint i = 0; i < self->het_order->len; i++) {
    LkJobIndex head = lk_rank_first (self->queue);
    LkJobIndex first = g_array_index (self->het_order, LkJobIndex, i);
    if (head != LK_JOB_NONE && lk_rank_before (self->queue, head, first))
      return;
    LkHet *het = at_place (self, i);
    if (het != NULL)
      try_now (self, het);
  }
}

void
lk_engine_het_pass_begin (LkEngine *self)
{
  if (self->hets->len == 0)
    return;
  line_up (self);
  tell_late (self);
  tell_arrivals (self);
  if (!self->config.backfill->plans_hets)
    try_first (self);
  self->het_gave = FALSE;
}

void
lk_engine_het_pass_again (LkEngine *self)
{
  self->het_at = 0;
}

/* What was due starts, what has no place gets one. */
static void
keep_up (LkEngine *self, LkHet *het, LkPlan *plan)
{
  LkTogether all = together (self, plan);
  if (lk_together_is_reserved (&all)) {
    if (het->start_us > self->view.now_us) {
      improve (self, het, &all);
      if (het->start_us > self->view.now_us)
        return;
    }
    if (het->start_us == self->view.now_us) {
      if (start_reserved (het, &all))
        return;
      /* Somebody runs longer than he may. */
      if (!lk_together_is_free (&all))
        return;
    }
    lk_engine_het_give_up (self, het);
    if (!collect (self, het))
      return;
    het->is_placed = TRUE;
  }
  plan_one (self, het, plan, TRUE, TRUE);
}

gboolean
lk_engine_het_pass_end (LkEngine *self)
{
  if (self->hets->len == 0)
    return FALSE;
  LkPlan *plan = kept_plan (self);
  self->het_gave = FALSE;
  if (plan == NULL && !self->config.backfill->plans_hets)
    try_first (self);
  for (guint i = 0; plan != NULL && i < self->het_order->len; i++) {
    LkHet *het = at_place (self, i);
    if (het != NULL)
      keep_up (self, het, plan);
  }
  return self->het_gave;
}

guint32
lk_engine_plan_hets (LkEngine *self, void *plan, LkJobIndex before, guint32 most)
{
  guint32 reserved_count = 0;
  if (self->hets->len == 0)
    return 0;
  for (; self->het_at < self->het_order->len; self->het_at++) {
    LkJobIndex first = g_array_index (self->het_order, LkJobIndex, self->het_at);
    if (before != LK_JOB_NONE && !lk_rank_before (self->queue, first, before))
      return reserved_count;
    LkHet *het = at_place (self, self->het_at);
    if (het == NULL)
      continue;
    if (plan == NULL && !try_now (self, het))
      return 1;
    if (plan != NULL)
      reserved_count +=
          plan_one (self, het, plan, !keeps_plan (self), reserved_count < most) ? 1 : 0;
  }
  return reserved_count;
}

guint32
lk_engine_het_components (LkEngine *self, guint32 place, const LkJobIndex **out_jobs)
{
  LK_ASSERT (place < self->het_order->len);
  lk_engine_go_home (self);
  if (at_place (self, place) == NULL)
    return 0;
  LkTogether all = together (self, NULL);
  *out_jobs = all.jobs;
  return lk_together_is_limited (&all) ? 0 : all.count;
}

guint32
lk_engine_het_holding_up (LkEngine *self, guint32 place, const LkJobIndex **out_jobs)
{
  guint32 count = lk_engine_het_components (self, place, out_jobs);
  const LkHet *het = at_place (self, place);
  /* Who has started since may have used up a limit of one for which a place was found before. */
  if (count == 0 && het != NULL && het->start_us != LK_TIME_NEVER)
    count = self->het_jobs->len;
  return count;
}

LkJobIndex
lk_engine_het_stands_as (LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_het (self, job) && collect (self, lk_engine_het_find (self, job))
             ? g_array_index (self->het_jobs, LkJobIndex, 0)
             : LK_JOB_NONE;
}

/* Tries to start what is where it is to run. */
static gboolean
start_on (LkHet *het, const LkTogether *all, const uint64_t *const *nodes)
{
  if (lk_together_is_limited (all))
    return FALSE;
  if (all->plan != NULL && !lk_together_reserve_on (all, nodes))
    return FALSE;
  if (start_reserved (het, all))
    return TRUE;
  if (all->plan != NULL)
    lk_together_release (all);
  return FALSE;
}

gboolean
lk_engine_het_start (LkEngine *self, guint32 place, const uint64_t *const *nodes,
                     const uint32_t *partitions)
{
  LK_ASSERT (place < self->het_order->len);
  lk_engine_go_home (self);
  LkHet *het = at_place (self, place);
  LkTogether all = together (self, bare_plan (self));
  if (het == NULL)
    return FALSE;
  guint moved = 0;
  for (; moved < all.count && lk_engine_visit_partition (self, all.jobs[moved], partitions[moved]);
       moved++)
    lk_engine_stay_away (self, all.jobs[moved], all.jobs[moved]);
  if (moved == all.count && start_on (het, &all, nodes))
    return TRUE;
  for (guint i = 0; i < moved; i++)
    lk_engine_return_home (self, all.jobs[i]);
  return FALSE;
}

void
lk_engine_het_set_planned (LkEngine *self, guint32 place, gint64 start_us)
{
  LK_ASSERT (place < self->het_order->len);
  LkHet *het = at_place (self, place);
  if (het != NULL)
    het->start_us = start_us;
}

gint64
lk_engine_next_het_us (const LkEngine *self)
{
  gint64 next_us = LK_TIME_NEVER;
  for (guint i = 0; keeps_plan (self) && i < self->hets->len; i++) {
    gint64 start_us = g_array_index (self->hets, LkHet, i).start_us;
    if (start_us > self->view.now_us)
      next_us = MIN (next_us, start_us);
  }
  return next_us;
}

/* ---------------------------------------------------------------- bytes */

void
lk_engine_save_het_places (LkEngine *self, GByteArray *out)
{
  for (guint i = 0; i < self->hets->len; i++) {
    LkHet *het = &g_array_index (self->hets, LkHet, i);
    list (self, het);
    LkTogether all = together (self, kept_plan (self));
    g_autoptr (GByteArray) place = g_byte_array_new ();
    gboolean is_reserved = lk_together_is_reserved (&all);
    if (is_reserved)
      lk_together_save (&all, place);
    lk_append_u8 (out, (is_reserved ? 1 : 0) | (het->is_placed ? 2 : 0));
    lk_append_i64 (out, het->start_us);
    lk_append_u32 (out, place->len);
    g_byte_array_append (out, place->data, place->len);
  }
}

/* Of a counted pool a place that does not fit is still one, and is given up as one: what it would
 * take is not there, and nobody looks for it before the plan is made anew. */
static void
load_place (LkEngine *self, const LkTogether *all, gint64 start_us, const guint8 *place,
            guint length_bytes)
{
  if (lk_together_load (all, start_us, place, length_bytes))
    return;
  for (guint i = 0; i < all->count && self->machine == NULL; i++)
    lk_plan_load_hollow (all->plan, &self->view, all->jobs[i], start_us);
  tell_untrue (self);
}

/* Places that do not fit are of a plan that will be made anew before it is used. */
gboolean
lk_engine_load_het_places (LkEngine *self, LkBytesReader *reader)
{
  for (guint i = 0; i < self->hets->len && !reader->failed; i++) {
    LkHet *het = &g_array_index (self->hets, LkHet, i);
    guint8 flags = lk_take_u8 (reader);
    het->start_us = lk_take_i64 (reader);
    guint32 length_bytes = lk_take_u32 (reader);
    const guint8 *place = lk_take (reader, length_bytes);
    list (self, het);
    LkTogether all = together (self, kept_plan (self));
    if (place == NULL || flags > 3)
      return FALSE;
    if (self->carry != NULL)
      continue;
    het->is_placed = (flags & 2) != 0;
    if ((flags & 1) == 0)
      continue;
    if (all.plan == NULL || het->start_us == LK_TIME_NEVER)
      return FALSE;
    for (guint k = 0; k < all.count; k++)
      if (self->jobs.phase[all.jobs[k]] != LK_PHASE_HELD)
        return FALSE;
    load_place (self, &all, het->start_us, place, length_bytes);
  }
  return !reader->failed;
}
