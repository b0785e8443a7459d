/* engine/will_run.c — when could a job start on some of the nodes, if running jobs end when they
 * are expected to, and nothing is reserved
 * or set aside?
 *
 * The job is tried now, then behind the ends of running jobs on these nodes, in the order in which
 * they are expected; ends may be taken together in windows that grow, which is faster and less
 * exact.  What each node could give is kept count of, so that a placement is looked for only where
 * all together could be enough; and a job of whole nodes is not looked for before enough nodes have
 * been left by all jobs (engine/node_ends.h).  Source: Slurm's will-run test (_future_run_test and
 * _will_run_test of select/cons_tres/job_test.c). */
#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_gang.h"
#include "engine/offer.h"
#include "engine/pass_nodes.h"
#include "engine/plan.h"

typedef struct {
  guint32 cpus;
  guint32 gpus;
  guint32 tasks;
} Share;

typedef struct {
  LkEngine *engine;
  LkPlan *bare;
  LkJobIndex job;
  const LkRequest *request;
  const LkWillRun *ask;
  guint32 words;
  guint64 *among; /* nodes that the job could have */
  guint64 *ended; /* nodes on which ends of jobs are looked at: with windows, not only these */
  guint64 *dirty; /* those on which a job has ended since they were looked at */
  Share *shares;  /* by node: what it could give */
  guint64 cpus;
  guint64 gpus;
  guint64 tasks;
  guint32 nodes;
  guint64 *serving;  /* those that could give anything */
  gint64 least_us;   /* it cannot start before */
  gboolean is_begun; /* nodes have been looked at */
} WillRun;

/* Does the job wait until nobody else is on its nodes? */
static gboolean
wants_whole (const LkRequest *request)
{
  return request->whole_nodes && !request->shares;
}

/* ---------------------------------------------------------------- what nodes could give */

static gboolean
node_serves (const WillRun *self, guint32 node, gint64 at_us, LkOffer *out_offer)
{
  const LkEngine *engine = self->engine;
  LkNodeFree free;
  LkWindow window = { .nodes = &engine->machine->nodes,
                      .planned_first = self->bare->planned_first,
                      .timelines = self->bare->timelines,
                      .now_us = engine->view.now_us,
                      .from_us = at_us,
                      .to_us = lk_time_add_us (at_us, 1), /* later there is only more */
                      .except = LK_JOB_NONE,
                      .user_id = engine->jobs.user_id[self->job],
                      .sharing_jobs = self->request->sharing_jobs,
                      .tier = self->request->tier,
                      .partition = self->request->partition,
                      .own_rows = self->request->own_rows,
                      .shares = self->request->shares,
                      .whole_user = self->request->whole_user,
                      .any_user = TRUE,
                      .idle = wants_whole (self->request) };
  lk_window_node (&window, node, &free);
  return lk_offer_make (engine->machine, self->request, node, &free, out_offer)
         && lk_request_has_floor (self->request, out_offer);
}

static void
look_at (WillRun *self, guint32 node, gint64 at_us)
{
  Share *share = &self->shares[node];
  LkOffer offer;
  self->nodes -= share->cpus > 0;
  self->cpus -= share->cpus;
  self->gpus -= share->gpus;
  self->tasks -= share->tasks;
  *share = (Share){ 0 };
  lk_bits_remove (self->serving, node);
  if (node_serves (self, node, at_us, &offer)) {
    *share = (Share){ offer.cpus, offer.gpus, offer.tasks };
    lk_bits_add (self->serving, node);
  }
  self->nodes += share->cpus > 0;
  self->cpus += share->cpus;
  self->gpus += share->gpus;
  self->tasks += share->tasks;
}

/* Looks at the nodes of the set, which is empty behind that. */
static void
look_at_all (WillRun *self, guint64 *set, gint64 at_us)
{
  for (guint32 word = 0; word < self->words; word++) {
    for (guint64 rest = set[word]; rest != 0; rest &= rest - 1)
      look_at (self, word * 64 + (guint32)__builtin_ctzll (rest), at_us);
    set[word] = 0;
  }
}

static gboolean
is_enough (const WillRun *self)
{
  const LkDemand *demand = &self->request->demand;
  return self->nodes >= demand->nodes_min && self->cpus >= demand->cpus_min
         && self->gpus >= demand->gpus_total
         && (self->request->whole_nodes || self->tasks >= demand->tasks);
}

/* ---------------------------------------------------------------- one moment */

static gboolean
try_at (const WillRun *self, gint64 at_us)
{
  const LkRequest *request = self->request;
  gboolean is_raised =
      request->cpus_node_floor > request->demand.cpus_per_node_min || request->gpus_node_floor > 1;
  return is_enough (self)
         && lk_plan_try_beside_jobs (self->bare, &self->engine->view, self->job, at_us,
                                     is_raised ? self->among : self->serving);
}

/* Of the ends up to `at_us`, the last on the nodes that were found: what ended elsewhere was not
 * needed. */
static gint64
needed_us (const WillRun *self, gint64 at_us, guint64 *out_nodes)
{
  const LkNodeTable *nodes = &self->engine->machine->nodes;
  gint64 now_us = self->engine->view.now_us;
  gint64 needed_us = now_us;
  memset (out_nodes, 0, self->words * sizeof *out_nodes);
  lk_plan_unbundle_found (self->bare);
  for (guint32 i = self->bare->found_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    guint32 node = lk_piece (nodes, i)->node;
    lk_bits_add (out_nodes, node);
    for (guint32 k = nodes->piece_first[node]; k != LK_PIECE_NONE;
         k = lk_piece (nodes, k)->next_on_node) {
      gint64 end_us = lk_held_until_us (now_us, lk_piece (nodes, k)->to_us);
      if (end_us <= at_us)
        needed_us = MAX (needed_us, end_us);
    }
  }
  return needed_us;
}

/* ---------------------------------------------------------------- the ends of running jobs */

/* Notes the nodes on which the job's end could help. Returns whether it counts. */
static gboolean
note_end (WillRun *self, LkJobIndex running)
{
  const LkNodeTable *nodes = &self->engine->machine->nodes;
  gboolean helps = FALSE;
  for (guint32 i = self->engine->jobs.first_piece[running]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job) {
    guint32 node = lk_piece (nodes, i)->node;
    if (lk_bits_has (self->among, node))
      lk_bits_add (self->dirty, node);
    helps = helps || lk_bits_has (self->ended, node);
  }
  return helps;
}

/* Windows in which ends are taken together: all are as long as their number says, counted from one
 * moment, the first end rounded up. */
typedef struct {
  gint64 base_us; /* LK_TIME_NEVER: not known yet */
  gint64 length_us;
} Windows;

/* The first end on these nodes sets the moment from which windows count. */
static void
windows_begin (Windows *self, gint64 first_us)
{
  gint64 length_us = self->length_us;
  if (length_us > 0 && self->base_us == LK_TIME_NEVER)
    self->base_us =
        lk_time_add_us (first_us, length_us - (first_us % length_us + length_us) % length_us);
}

/* Grows at least once, and until the next end is within. */
static void
windows_grow (Windows *self, gint64 step_us, gint64 next_us)
{
  if (self->base_us == LK_TIME_NEVER)
    return;
  do
    self->length_us = lk_time_add_us (self->length_us, step_us > 0 ? step_us : self->length_us);
  while (next_us != LK_TIME_NEVER && next_us > lk_time_add_us (self->base_us, self->length_us));
}

/* Only nodes that have been left by all can be given whole. */
static void
leave_idle (const WillRun *self, guint64 *set, gint64 at_us)
{
  const LkNodeEnds *ends = &self->engine->node_ends;
  for (guint32 word = 0; word < self->words; word++)
    for (guint64 rest = set[word]; rest != 0; rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      if (ends->end_us[node] > at_us)
        lk_bits_remove (set, node);
    }
}

/* Looks again at the nodes on which something has changed, the first time at all. */
static void
look_again (WillRun *self, gint64 at_us)
{
  if (!self->is_begun)
    memcpy (self->dirty, self->among, self->words * sizeof *self->dirty);
  self->is_begun = TRUE;
  if (wants_whole (self->request))
    leave_idle (self, self->dirty, at_us);
  look_at_all (self, self->dirty, at_us);
}

/* Running jobs, and those that the scheduler has stopped, by expected end. */
typedef struct {
  const LkEngine *engine;
  LkJobIndex running;
  const GArray *stopped;
  guint at; /* in them */
} Ends;

/* Is a stopped job the next one? */
static gboolean
is_stopped_next (const Ends *self)
{
  const gint64 *ends_us = self->engine->jobs.expected_end_us;
  return self->at < self->stopped->len
         && (self->running == LK_JOB_NONE
             || ends_us[g_array_index (self->stopped, LkJobIndex, self->at)]
                    < ends_us[self->running]);
}

static LkJobIndex
ends_first (const Ends *self)
{
  return is_stopped_next (self) ? g_array_index (self->stopped, LkJobIndex, self->at)
                                : self->running;
}

static void
ends_next (Ends *self)
{
  if (is_stopped_next (self))
    self->at++;
  else
    self->running = lk_rank_next (self->engine->running, self->running, NULL);
}

/* When the next job ends; LK_TIME_NEVER: there is none. */
static gint64
ends_us (const Ends *self)
{
  LkJobIndex running = ends_first (self);
  return running != LK_JOB_NONE ? lk_held_until_us (self->engine->view.now_us,
                                                    self->engine->jobs.expected_end_us[running])
                                : LK_TIME_NEVER;
}

/* Passes the ends that are taken together, and returns the last of those that help; LK_TIME_NEVER:
 * none is left that does.  As in Slurm a window is looked at behind an end that helps only, but the
 * end that it is compared with may be one that does not: so one beyond the window may count. */
static gint64
pass_ends (WillRun *self, Ends *ends, Windows *windows)
{
  gint64 last_us = LK_TIME_NEVER;
  gint64 next_us = ends_us (ends);
  while (next_us != LK_TIME_NEVER) {
    gint64 end_us = next_us;
    gboolean helps = note_end (self, ends_first (ends));
    ends_next (ends);
    next_us = ends_us (ends);
    if (!helps)
      continue;
    last_us = end_us;
    if (end_us > self->ask->from_us)
      windows_begin (windows, end_us);
    gint64 limit_us = windows->base_us != LK_TIME_NEVER
                          ? lk_time_add_us (windows->base_us, windows->length_us)
                          : MAX (end_us, self->ask->from_us);
    if (next_us > limit_us)
      break;
  }
  windows_grow (windows, self->ask->window_step_us, next_us);
  return last_us;
}

static gint64
walk_ends (WillRun *self, guint64 *out_nodes)
{
  const LkEngine *engine = self->engine;
  g_autoptr (GArray) stopped = lk_engine_stopped_by_end (engine);
  Ends ends = { engine, lk_rank_first (engine->running), stopped, 0 };
  Windows windows = { LK_TIME_NEVER, self->ask->window_us };
  while (ends_first (&ends) != LK_JOB_NONE) {
    gint64 last_us = pass_ends (self, &ends, &windows);
    if (last_us == LK_TIME_NEVER || last_us >= self->ask->before_us)
      return LK_TIME_NEVER;
    if (last_us < self->least_us)
      continue;
    look_again (self, last_us);
    if (try_at (self, last_us)) {
      gint64 least_us = needed_us (self, last_us, out_nodes);
      return self->ask->takes_last ? last_us : least_us;
    }
  }
  return LK_TIME_NEVER;
}

static gboolean
set_among (WillRun *self)
{
  const LkRequest *request = self->request;
  const guint64 *usable = self->engine->machine->nodes.usable;
  /* Slurm's windows go by nodes without the GRES that the job wants, too. */
  gboolean has_gres =
      request->gres_count + request->gpus_total.count + request->gpus_per_task.count > 0;
  gboolean counts_all = self->ask->window_us > 0 && self->ask->nodes != NULL && has_gres;
  for (guint32 word = 0; word < self->words; word++) {
    self->among[word] = request->eligible[word] & usable[word];
    if (self->ask->nodes != NULL)
      self->among[word] &= self->ask->nodes[word];
    self->ended[word] = self->among[word];
    if (counts_all)
      self->ended[word] |= usable[word] & self->ask->nodes[word];
    if (request->required != NULL && (request->required[word] & ~self->among[word]) != 0)
      return FALSE;
  }
  return lk_bits_count (self->among, self->words) >= request->demand.nodes_min;
}

static void
set_least (WillRun *self)
{
  LkEngine *engine = self->engine;
  guint32 count = MAX (1, self->request->demand.nodes_min);
  self->least_us = engine->view.now_us;
  if (!wants_whole (self->request))
    return;
  lk_node_ends_fill (&engine->node_ends, &engine->machine->nodes, engine->view.now_us);
  gint64 end_us = lk_node_ends_of (&engine->node_ends, self->among, count, self->ask->before_us);
  self->least_us = MAX (self->least_us, end_us);
}

/* Does a running job end up to that moment on nodes that the job could have? */
static gboolean
frees_by (WillRun *self, gint64 at_us)
{
  const LkEngine *engine = self->engine;
  gint64 now_us = engine->view.now_us;
  gboolean frees = FALSE;
  for (LkJobIndex running = lk_rank_first (engine->running); running != LK_JOB_NONE && !frees;
       running = lk_rank_next (engine->running, running, NULL)) {
    if (lk_held_until_us (now_us, engine->jobs.expected_end_us[running]) > at_us)
      return FALSE;
    frees = note_end (self, running);
  }
  return frees;
}

static gboolean
starts_now (WillRun *self, guint64 *out_nodes)
{
  LkEngine *engine = self->engine;
  gint64 now_us = engine->view.now_us;
  if (self->least_us > now_us
      || !lk_plan_may_start_beside_jobs (self->bare, &engine->view, self->job)
      || !lk_plan_try_beside_jobs (self->bare, &engine->view, self->job, now_us, self->among))
    return FALSE;
  needed_us (self, now_us, out_nodes);
  return TRUE;
}

/* One that may not start before a later moment finds its place among what is free by then; the
 * longest windows may reach too far for that, and then what is free now will do. */
static gint64
search (WillRun *self, guint64 *out_nodes)
{
  LkEngine *engine = self->engine;
  gint64 now_us = engine->view.now_us;
  if (!set_among (self) || now_us >= self->ask->before_us)
    return LK_TIME_NEVER;
  set_least (self);
  if (self->least_us >= self->ask->before_us)
    return LK_TIME_NEVER;
  gboolean is_later = self->ask->from_us > now_us && frees_by (self, self->ask->from_us);
  if (!is_later && starts_now (self, out_nodes))
    return now_us;
  gint64 start_us = walk_ends (self, out_nodes);
  if (start_us == LK_TIME_NEVER && is_later && starts_now (self, out_nodes))
    return now_us;
  return start_us;
}

int64_t
lk_pass_will_run (void *pass, LkJobIndex job, const LkWillRun *ask, uint64_t *out_nodes)
{
  LkEngine *engine = pass;
  LK_ASSERT (engine->in_pass);
  LK_ASSERT (engine->machine != NULL);
  guint32 words = engine->machine->nodes.node_words;
  g_autofree guint64 *sets = g_new0 (guint64, 4 * words);
  g_autofree Share *shares = g_new0 (Share, engine->machine->nodes.node_count);
  WillRun self = { .engine = engine,
                   .bare = engine->bare,
                   .job = job,
                   .request = lk_machine_request (engine->machine, engine->jobs.request[job]),
                   .ask = ask,
                   .words = words,
                   .among = sets,
                   .dirty = sets + words,
                   .serving = sets + 2 * words,
                   .ended = sets + 3 * words,
                   .shares = shares };
  return search (&self, out_nodes);
}
