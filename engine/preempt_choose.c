/* engine/preempt_choose.c — see the header. */
#include "engine/preempt_choose.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/engine_reservation.h"
#include "engine/offer.h"

/* Slurm's marks of candidates: the one that made room; and the widest of the keys' parts. */
#define USABLE_LAST 99999u
#define KEY_PART_MAX 65535u

typedef struct {
  LkJobIndex job;
  guint32 id;
  guint32 node_count; /* of a pool units */
  gint64 key;         /* lowest first */
  guint32 usable;     /* what it shares of the place that was found */
  guint32 place;      /* where it was before */
} Candidate;

/* What a node could give. */
typedef struct {
  guint32 cpus;
  guint32 gpus;
  guint32 tasks;
} Share;

typedef struct {
  LkEngine *engine;
  const LkPreemption *preemption;
  LkJobIndex job;
  const LkAdvanceReservation *inside; /* in which it is to run; NULL: in none */
  const LkRequest *request;           /* NULL on a pool */
  guint32 words;
  guint8 *gone;     /* by job index, LK_GONE_* */
  guint64 *among;   /* nodes that the job could have */
  guint64 *dirty;   /* those on which somebody has gone or come back since they were looked at */
  guint64 *serving; /* those that could give anything */
  guint64 *chosen;  /* those of the place */
  Share *shares;    /* by node */
  guint64 cpus;
  guint64 gpus;
  guint64 tasks;
  guint32 nodes;
  gint64 units_free; /* of a pool */
  guint32 found_piece;
} Trial;

/* ---------------------------------------------------------------- who is where */

static gboolean
is_leaving (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.kill_why[job] != 0 || self->preemption->marks[job].mode != LK_PREEMPT_OFF;
}

/* On how many nodes of the set is the job? */
static guint32
overlap (const Trial *self, LkJobIndex job, const guint64 *set)
{
  const LkNodeTable *nodes = &self->engine->machine->nodes;
  guint32 count = 0;
  for (guint32 i = self->engine->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    count += lk_bits_has (set, lk_piece (nodes, i)->node) ? 1 : 0;
  return count;
}

static guint32
license_count (const LkRequest *request, guint32 license)
{
  guint32 count = 0;
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    count += demand->license == license ? demand->count : 0;
  }
  return count;
}

static LkWindow
window_of (const Trial *self)
{
  const LkEngine *engine = self->engine;
  gint64 now_us = engine->view.now_us;
  return (LkWindow){ .nodes = &engine->machine->nodes,
                     .planned_first = self->preemption->claimed_first,
                     .now_us = now_us,
                     .from_us = now_us,
                     .to_us = lk_time_add_us (now_us, engine->jobs.estimate_us[self->job]),
                     .except = LK_JOB_NONE,
                     .user_id = engine->jobs.user_id[self->job],
                     .sharing_jobs = self->request->sharing_jobs,
                     .tier = self->request->tier,
                     .partition = self->request->partition,
                     .own_rows = self->request->own_rows,
                     .shares = self->request->shares,
                     .whole_user = self->request->whole_user,
                     .reservations =
                         lk_engine_has_reservations (engine) ? engine->reservations : NULL,
                     .inside = self->inside,
                     .gone = self->gone };
}

/* How many must be free for the job to start: also those that are set aside for others. */
static guint64
wanted_licenses (const Trial *self, const LkLicenseDemand *demand)
{
  LkWindow window = window_of (self);
  guint64 count = demand->count;
  if (window.reservations != NULL)
    count += lk_engine_licenses_set_aside (self->engine, self->inside, demand->license, &window);
  return count;
}

/* Does the running job hold a licence that is wanted and not free? */
static gboolean
holds_wanted_license (const Trial *self, LkJobIndex job)
{
  const LkMachine *machine = self->engine->machine;
  const LkRequest *other = lk_machine_request (machine, self->engine->jobs.request[job]);
  for (guint i = 0; self->request->licenses != NULL && i < self->request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (self->request->licenses, LkLicenseDemand, i);
    if (wanted_licenses (self, demand) > machine->licenses_free[demand->license]
        && license_count (other, demand->license) > 0)
      return TRUE;
  }
  return FALSE;
}

/* Is the job where the place could be? */
static gboolean
is_in_the_way (const Trial *self, LkJobIndex job)
{
  if (self->request == NULL)
    return TRUE;
  return overlap (self, job, self->among) > 0
         || (self->preemption->settings.reclaims_licenses && holds_wanted_license (self, job));
}

/* ---------------------------------------------------------------- what nodes could give */

static gboolean
node_serves (const Trial *self, guint32 node, LkOffer *out_offer)
{
  LkNodeFree free;
  LkWindow window = window_of (self);
  window.any_user = TRUE;
  lk_window_node (&window, node, &free);
  return lk_offer_make (self->engine->machine, self->request, node, &free, out_offer)
         && lk_request_has_floor (self->request, out_offer);
}

static void
look_at (Trial *self, guint32 node)
{
  Share *share = &self->shares[node];
  LkOffer offer;
  self->nodes -= share->cpus > 0;
  self->cpus -= share->cpus;
  self->gpus -= share->gpus;
  self->tasks -= share->tasks;
  *share = (Share){ 0 };
  lk_bits_remove (self->serving, node);
  if (node_serves (self, node, &offer)) {
    *share = (Share){ offer.cpus, offer.gpus, offer.tasks };
    lk_bits_add (self->serving, node);
  }
  self->nodes += share->cpus > 0;
  self->cpus += share->cpus;
  self->gpus += share->gpus;
  self->tasks += share->tasks;
}

static void
look_at_dirty (Trial *self)
{
  for (guint32 word = 0; word < self->words; word++) {
    for (guint64 rest = self->dirty[word] & self->among[word]; rest != 0; rest &= rest - 1)
      look_at (self, word * 64 + (guint32)__builtin_ctzll (rest));
    self->dirty[word] = 0;
  }
}

/* The job goes, or comes back. */
static void
set_gone (Trial *self, LkJobIndex job, guint8 gone)
{
  if (self->gone[job] == gone)
    return;
  if (self->request == NULL) {
    gint64 units = self->engine->jobs.units[job];
    self->units_free += gone == LK_GONE_NOT ? -units : units;
  } else {
    const LkNodeTable *nodes = &self->engine->machine->nodes;
    for (guint32 i = self->engine->jobs.first_piece[job]; i != LK_PIECE_NONE;
         i = lk_piece (nodes, i)->next_of_job)
      lk_bits_add (self->dirty, lk_piece (nodes, i)->node);
  }
  self->gone[job] = gone;
}

/* ---------------------------------------------------------------- does the job fit? */

static gboolean
has_licenses (const Trial *self)
{
  const LkEngine *engine = self->engine;
  const LkMachine *machine = engine->machine;
  gboolean reclaims = self->preemption->settings.reclaims_licenses != 0;
  for (guint i = 0; self->request->licenses != NULL && i < self->request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (self->request->licenses, LkLicenseDemand, i);
    guint64 wanted_count = wanted_licenses (self, demand);
    guint64 count = machine->licenses_free[demand->license];
    for (guint k = 0; reclaims && k < engine->license_jobs->len && count < wanted_count; k++) {
      LkJobIndex job = g_array_index (engine->license_jobs, LkJobIndex, k);
      if (self->gone[job] == LK_GONE_ALL)
        count += license_count (lk_machine_request (machine, engine->jobs.request[job]),
                                demand->license);
    }
    if (count < wanted_count)
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_enough (const Trial *self)
{
  const LkDemand *demand = &self->request->demand;
  return self->nodes >= demand->nodes_min && self->cpus >= demand->cpus_min
         && self->gpus >= demand->gpus_total
         && (self->request->whole_nodes || self->tasks >= demand->tasks);
}

static void
forget_place (Trial *self)
{
  if (self->request != NULL)
    lk_placer_discard (&self->engine->placer, self->found_piece);
  self->found_piece = LK_PIECE_NONE;
}

/* Slurm's choice also counts nodes that are too poor by a floor. */
static const guint64 *
offered (const Trial *self)
{
  gboolean is_raised = self->request->cpus_node_floor > self->request->demand.cpus_per_node_min
                       || self->request->gpus_node_floor > 1;
  return is_raised ? self->among : self->serving;
}

static gboolean
fits (Trial *self)
{
  LkEngine *engine = self->engine;
  forget_place (self);
  if (self->request == NULL)
    return engine->jobs.units[self->job] <= self->units_free;
  look_at_dirty (self);
  if (!is_enough (self) || !has_licenses (self))
    return FALSE;
  LkWindow window = window_of (self);
  gint64 wait_end_us =
      lk_time_add_us (engine->jobs.submit_us[self->job], self->request->switches_wait_us);
  engine->placer.among = offered (self);
  self->found_piece = lk_placer_place (&engine->placer, self->request, self->job, &window,
                                       engine->view.now_us < wait_end_us);
  engine->placer.among = NULL;
  if (self->found_piece == LK_PIECE_NONE)
    return FALSE;
  const LkNodeTable *nodes = &engine->machine->nodes;
  memset (self->chosen, 0, self->words * sizeof *self->chosen);
  for (guint32 i = self->found_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    lk_bits_add (self->chosen, lk_piece (nodes, i)->node);
  return TRUE;
}

/* ---------------------------------------------------------------- a trial */

static gboolean
is_any_leaving (const LkEngine *engine)
{
  for (LkJobIndex job = lk_rank_first (engine->running); job != LK_JOB_NONE;
       job = lk_rank_next (engine->running, job, NULL))
    if (is_leaving (engine, job))
      return TRUE;
  return FALSE;
}

/* As if those had gone that are going. */
static void
trial_begin (Trial *self)
{
  const LkEngine *engine = self->engine;
  for (LkJobIndex job = lk_rank_first (engine->running); job != LK_JOB_NONE;
       job = lk_rank_next (engine->running, job, NULL))
    if (is_leaving (engine, job))
      set_gone (self, job, LK_GONE_ALL);
}

static void
trial_init (Trial *self, LkEngine *engine, LkJobIndex job, const guint64 *nodes,
            const LkAdvanceReservation *inside)
{
  *self =
      (Trial){ .engine = engine,
               .preemption = engine->preemption,
               .job = job,
               .inside = inside,
               .gone = g_new0 (guint8, engine->jobs.limit),
               .units_free = (gint64)engine->view.units_free - engine->preemption->units_claimed,
               .found_piece = LK_PIECE_NONE };
  if (engine->machine == NULL)
    return;
  const LkNodeTable *table = &engine->machine->nodes;
  self->request = lk_machine_request (engine->machine, engine->jobs.request[job]);
  self->words = table->node_words;
  self->among = g_new0 (guint64, 4 * (gsize)self->words);
  self->dirty = self->among + self->words;
  self->serving = self->dirty + self->words;
  self->chosen = self->serving + self->words;
  self->shares = g_new0 (Share, table->node_count);
  for (guint32 word = 0; word < self->words; word++) {
    self->among[word] = self->request->eligible[word] & table->usable[word];
    if (nodes != NULL)
      self->among[word] &= nodes[word];
  }
  LkWindow window = window_of (self);
  if (window.reservations != NULL)
    lk_reservations_mask (&window, self->among);
  memcpy (self->dirty, self->among, self->words * sizeof *self->dirty);
}

static void
trial_clear (Trial *self)
{
  forget_place (self);
  g_free (self->gone);
  g_free (self->among);
  g_free (self->shares);
}

/* ---------------------------------------------------------------- candidates */

static gint
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a;
  const Candidate *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static gint
compare_usable (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a;
  const Candidate *y = b;
  if (x->usable != y->usable)
    return x->usable > y->usable ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static gint64
key_of (const Trial *self, const Candidate *candidate)
{
  const LkEngine *engine = self->engine;
  const LkPreemptPolicy *policy = engine->config.preempt;
  if (self->preemption->settings.youngest_first)
    return ~engine->jobs.start_us[candidate->job];
  guint32 class = policy->victim_class == NULL
                      ? 0
                      : policy->victim_class (engine->instances[LK_INSTANCE_PREEMPT].self,
                                              &engine->view, candidate->job);
  return ((gint64)MIN (class, KEY_PART_MAX) << 16) + MIN (candidate->node_count, KEY_PART_MAX);
}

static gboolean
is_exempt (const Trial *self, LkJobIndex victim, gint64 *again_us)
{
  const LkEngine *engine = self->engine;
  const LkPreemptPolicy *policy = engine->config.preempt;
  gint64 threshold = self->preemption->settings.exempt_priority;
  if (threshold != LK_TIME_NEVER && lk_host ()->priority (&engine->view, victim) >= threshold)
    return TRUE;
  gint64 exempt_us =
      policy->exempt_us == NULL
          ? 0
          : policy->exempt_us (engine->instances[LK_INSTANCE_PREEMPT].self, &engine->view, victim);
  gint64 until_us =
      exempt_us <= 0 ? G_MININT64 : lk_time_add_us (engine->jobs.start_us[victim], exempt_us);
  if (until_us > engine->view.now_us)
    *again_us = MIN (*again_us, until_us);
  return until_us > engine->view.now_us;
}

static gboolean
is_candidate (const Trial *self, LkJobIndex victim, gint64 *again_us, Candidate *out_candidate)
{
  const LkEngine *engine = self->engine;
  const LkPreemptPolicy *policy = engine->config.preempt;
  void *policy_self = engine->instances[LK_INSTANCE_PREEMPT].self;
  if (is_leaving (engine, victim)
      || !policy->may_preempt (policy_self, &engine->view, self->job, victim))
    return FALSE;
  guint32 mode = policy->mode (policy_self, &engine->view, victim);
  if (mode == LK_PREEMPT_OFF || mode == LK_PREEMPT_SUSPEND || !is_in_the_way (self, victim)
      || is_exempt (self, victim, again_us))
    return FALSE;
  *out_candidate = (Candidate){ .job = victim, .id = engine->jobs.id[victim] };
  out_candidate->node_count = engine->jobs.units[victim];
  if (self->request != NULL) {
    const LkNodeTable *nodes = &engine->machine->nodes;
    out_candidate->node_count = 0;
    for (guint32 i = engine->jobs.first_piece[victim]; i != LK_PIECE_NONE;
         i = lk_piece (nodes, i)->next_of_job)
      out_candidate->node_count++;
  }
  out_candidate->key = key_of (self, out_candidate);
  return TRUE;
}

/* In the order in which they are tried. Returns: (transfer full), of Candidate. */
static GArray *
find_candidates (const Trial *self, gint64 *again_us)
{
  const LkEngine *engine = self->engine;
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  for (LkJobIndex job = lk_rank_first (engine->running); job != LK_JOB_NONE;
       job = lk_rank_next (engine->running, job, NULL)) {
    Candidate candidate;
    if (is_candidate (self, job, again_us, &candidate))
      g_array_append_val (candidates, candidate);
  }
  g_array_sort (candidates, compare_candidates);
  return candidates;
}

static Candidate *
candidate_at (const GArray *candidates, guint i)
{
  return &g_array_index (candidates, Candidate, i);
}

/* ---------------------------------------------------------------- victims */

/* What the candidate gives to the place that was found: nodes, of a pool units. */
static guint32
shared_with_place (const Trial *self, const Candidate *candidate)
{
  return self->request != NULL ? overlap (self, candidate->job, self->chosen)
                               : candidate->node_count;
}

static void
reorder (const Trial *self, GArray *candidates, guint last)
{
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *candidate = candidate_at (candidates, i);
    candidate->place = i;
    candidate->usable = 0;
    if (i == last)
      candidate->usable = USABLE_LAST;
    else if (i < last && !self->preemption->settings.strict_order)
      candidate->usable = shared_with_place (self, candidate);
  }
  g_array_sort (candidates, compare_usable);
}

/* The candidate with whom the job fits when all before it have gone, too. FALSE: it never does. */
static gboolean
take_away (Trial *self, const GArray *candidates, guint *out_last)
{
  for (guint i = 0; i < candidates->len; i++) {
    const Candidate *candidate = candidate_at (candidates, i);
    set_gone (self, candidate->job, LK_GONE_ALL);
    if (fits (self)) {
      *out_last = i;
      return TRUE;
    }
  }
  return FALSE;
}

static void
give_back (Trial *self, const GArray *candidates)
{
  for (guint i = 0; i < candidates->len; i++)
    set_gone (self, candidate_at (candidates, i)->job, LK_GONE_NOT);
}

static gboolean
search (Trial *self, GArray *candidates, guint *out_last)
{
  for (guint pass_count = 0; take_away (self, candidates, out_last);) {
    /* Slurm compares what the counter was before it is raised. */
    if (pass_count++ > self->preemption->settings.reorder_count || candidates->len <= pass_count)
      return TRUE;
    reorder (self, candidates, *out_last);
    give_back (self, candidates);
  }
  return FALSE;
}

/* Of a pool, whose units are all alike, those without whom there is room as well stay. */
static gboolean
is_needed (Trial *self, const Candidate *candidate)
{
  if (self->request != NULL)
    return overlap (self, candidate->job, self->chosen) > 0
           || (self->preemption->settings.reclaims_licenses
               && holds_wanted_license (self, candidate->job));
  set_gone (self, candidate->job, LK_GONE_NOT);
  if (self->engine->jobs.units[self->job] <= self->units_free)
    return FALSE;
  set_gone (self, candidate->job, LK_GONE_ALL);
  return TRUE;
}

static void
name_victims (Trial *self, const GArray *candidates, guint last, LkPreemptRoom *room)
{
  for (guint i = 0; i <= last; i++) {
    const Candidate *candidate = candidate_at (candidates, i);
    if (is_needed (self, candidate))
      g_array_append_val (room->victims, candidate->job);
  }
}

static void
keep_place (Trial *self, LkPreemptRoom *room)
{
  room->first_piece = self->found_piece;
  self->found_piece = LK_PIECE_NONE;
}

/* ---------------------------------------------------------------- who gives its cores */

/* Could both be on one node? Who wants its nodes alone has them alone, and gives no cores. */
static gboolean
gets_along (const Trial *self, LkJobIndex victim)
{
  const LkMachine *machine = self->engine->machine;
  const LkRequest *own = self->request;
  const LkRequest *other = lk_machine_request (machine, self->engine->jobs.request[victim]);
  LK_ASSERT (own != NULL && other != NULL);
  gboolean wants_user = own->whole_user || other->whole_user;
  return (machine->whole_nodes || (!own->whole_nodes && !other->whole_nodes))
         && (own->shares == other->shares || (!own->shares && other->sharing_jobs == 1))
         && (!wants_user
             || self->engine->jobs.user_id[self->job] == self->engine->jobs.user_id[victim]);
}

/* Stopped jobs may be lain over by more than one. */
static gboolean
gives_cores (const Trial *self, LkJobIndex victim, gint64 *again_us)
{
  const LkEngine *engine = self->engine;
  const LkPreemptPolicy *policy = engine->config.preempt;
  void *policy_self = engine->instances[LK_INSTANCE_PREEMPT].self;
  gboolean is_stopped = lk_engine_is_stopped (engine, victim);
  return gets_along (self, victim) && (is_stopped || lk_engine_can_stop (engine, victim))
         && policy->may_preempt (policy_self, &engine->view, self->job, victim)
         && policy->mode (policy_self, &engine->view, victim) == LK_PREEMPT_SUSPEND
         && overlap (self, victim, self->among) > 0
         && (is_stopped || !is_exempt (self, victim, again_us));
}

static gint
compare_partitions (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *engine = user;
  guint32 x = engine->jobs.partition[*(const LkJobIndex *)a];
  guint32 y = engine->jobs.partition[*(const LkJobIndex *)b];
  guint32 tier_x = engine->partitions[x].priority_tier;
  guint32 tier_y = engine->partitions[y].priority_tier;
  if (tier_x != tier_y)
    return tier_x > tier_y ? -1 : 1;
  return (x > y) - (x < y);
}

/* Those of one partition behind the other, the highest tier first. Returns: (transfer full), of
 * LkJobIndex. */
static GArray *
find_givers (const Trial *self, gint64 *again_us)
{
  const LkEngine *engine = self->engine;
  GArray *givers = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (LkJobIndex job = lk_rank_first (engine->running); job != LK_JOB_NONE;
       job = lk_rank_next (engine->running, job, NULL))
    if (gives_cores (self, job, again_us))
      g_array_append_val (givers, job);
  for (guint i = 0; i < engine->suspended->len; i++) {
    LkJobIndex job = g_array_index (engine->suspended, LkJobIndex, i);
    if (gives_cores (self, job, again_us))
      g_array_append_val (givers, job);
  }
  g_array_sort_with_data (givers, compare_partitions, self->engine);
  return givers;
}

static void
set_givers (Trial *self, const GArray *givers, guint from, guint to, guint8 gone)
{
  for (guint i = from; i < to; i++)
    set_gone (self, g_array_index (givers, LkJobIndex, i), gone);
}

/* Leaves one partition after the other its cores, as long as the job fits without. */
static gboolean
spare_partitions (Trial *self, const GArray *givers)
{
  for (guint from = 0; from < givers->len;) {
    guint to = from + 1;
    while (to < givers->len
           && compare_partitions (&g_array_index (givers, LkJobIndex, from),
                                  &g_array_index (givers, LkJobIndex, to), self->engine)
                  == 0)
      to++;
    set_givers (self, givers, from, to, LK_GONE_NOT);
    if (!fits (self)) {
      set_givers (self, givers, from, to, LK_GONE_CORES);
      return fits (self);
    }
    from = to;
  }
  return TRUE;
}

static gboolean
is_above (const Trial *self, LkJobIndex victim)
{
  const LkEngine *engine = self->engine;
  return engine->partitions[engine->jobs.partition[self->job]].priority_tier
         > engine->partitions[engine->jobs.partition[victim]].priority_tier;
}

/* Where jobs take turns a place is looked for over all of lower tiers, whatever becomes of them,
 * and those who are to go make room where it was found. */
static gboolean
lie_over (Trial *self, const GArray *candidates, LkPreemptRoom *room)
{
  g_autoptr (GArray) givers = find_givers (self, &room->again_us);
  guint first_victim = room->victims->len;
  for (guint i = 0; i < candidates->len; i++) {
    LkJobIndex job = candidate_at (candidates, i)->job;
    if (is_above (self, job) && gets_along (self, job))
      g_array_append_val (givers, job);
  }
  g_array_sort_with_data (givers, compare_partitions, self->engine);
  set_givers (self, givers, 0, givers->len, LK_GONE_CORES);
  if (givers->len > 0 && fits (self) && spare_partitions (self, givers))
    for (guint i = 0; i < candidates->len; i++) {
      LkJobIndex job = candidate_at (candidates, i)->job;
      if (is_above (self, job) && overlap (self, job, self->chosen) > 0)
        g_array_append_val (room->victims, job);
    }
  set_givers (self, givers, 0, givers->len, LK_GONE_NOT);
  return room->victims->len > first_victim;
}

/* ---------------------------------------------------------------- one way to run */

static gboolean
stop_in (LkEngine *engine, LkJobIndex job, const guint64 *nodes, const LkAdvanceReservation *inside,
         LkPreemptRoom *room)
{
  Trial trial;
  trial_init (&trial, engine, job, nodes, inside);
  g_autoptr (GArray) givers = find_givers (&trial, &room->again_us);
  set_givers (&trial, givers, 0, givers->len, LK_GONE_CORES);
  gboolean has_room = givers->len > 0 && fits (&trial) && spare_partitions (&trial, givers);
  if (has_room)
    keep_place (&trial, room);
  trial_clear (&trial);
  return has_room;
}

/* `is_later`: when those have gone that are going. */
static gboolean
wait_in (LkEngine *engine, LkJobIndex job, const guint64 *nodes, const LkAdvanceReservation *inside,
         gboolean is_later, LkPreemptRoom *room)
{
  Trial trial;
  trial_init (&trial, engine, job, nodes, inside);
  if (is_later)
    trial_begin (&trial);
  gboolean has_room = fits (&trial);
  if (has_room)
    keep_place (&trial, room);
  trial_clear (&trial);
  return has_room;
}

static void
choose_in (LkEngine *engine, LkJobIndex job, const guint64 *nodes,
           const LkAdvanceReservation *inside, LkPreemptRoom *room)
{
  Trial trial;
  guint last;
  trial_init (&trial, engine, job, nodes, inside);
  g_autoptr (GArray) candidates = find_candidates (&trial, &room->again_us);
  if (candidates->len > 0 && engine->gang != NULL && !lk_engine_is_het (engine, job)
      && lie_over (&trial, candidates, room)) {
    room->outcome = LK_MADE_SOON;
    keep_place (&trial, room);
  } else if (candidates->len > 0) {
    trial_begin (&trial);
    if (search (&trial, candidates, &last)) {
      room->outcome = LK_MADE_SOON;
      name_victims (&trial, candidates, last, room);
      keep_place (&trial, room);
    }
  }
  trial_clear (&trial);
}

/* ---------------------------------------------------------------- public */

/* In which advance reservations, or in none, the job could start now. Returns: (transfer full), of
 * LkReservationChoice. */
static GArray *
ways_of (const LkEngine *engine, LkJobIndex job)
{
  GArray *ways = g_array_new (FALSE, FALSE, sizeof (LkReservationChoice));
  gint64 now_us = engine->view.now_us;
  if (!lk_engine_has_reservations (engine)) {
    LkReservationChoice only = { NULL, G_MININT64, LK_TIME_NEVER };
    g_array_append_val (ways, only);
    return ways;
  }
  lk_engine_reservation_choices (engine, job, ways);
  for (guint i = ways->len; i > 0; i--) {
    const LkReservationChoice *way = &g_array_index (ways, LkReservationChoice, i - 1);
    if (way->from_us > now_us || way->to_us <= now_us)
      g_array_remove_index (ways, i - 1);
  }
  return ways;
}

gboolean
lk_preempt_wait (LkEngine *engine, LkJobIndex job, const guint64 *nodes, LkPreemptRoom *room)
{
  gboolean has_room = FALSE;
  if (!is_any_leaving (engine))
    return FALSE;
  g_autoptr (GArray) ways = ways_of (engine, job);
  for (guint i = 0; i < ways->len && !has_room; i++)
    has_room = wait_in (engine, job, nodes, g_array_index (ways, LkReservationChoice, i).inside,
                        TRUE, room);
  return has_room;
}

gboolean
lk_preempt_beside (LkEngine *engine, LkJobIndex job, LkPreemptRoom *room)
{
  gboolean has_room = FALSE;
  g_autoptr (GArray) ways = ways_of (engine, job);
  for (guint i = 0; i < ways->len && !has_room; i++)
    has_room = wait_in (engine, job, NULL, g_array_index (ways, LkReservationChoice, i).inside,
                        FALSE, room);
  return has_room;
}

gboolean
lk_preempt_stop (LkEngine *engine, LkJobIndex job, const guint64 *nodes, LkPreemptRoom *room)
{
  gboolean has_room = FALSE;
  if (engine->gang == NULL || lk_engine_is_het (engine, job))
    return FALSE;
  g_autoptr (GArray) ways = ways_of (engine, job);
  for (guint i = 0; i < ways->len && !has_room; i++)
    has_room =
        stop_in (engine, job, nodes, g_array_index (ways, LkReservationChoice, i).inside, room);
  return has_room;
}

void
lk_preempt_choose (LkEngine *engine, LkJobIndex job, const guint64 *nodes, LkPreemptRoom *room)
{
  g_autoptr (GArray) ways = ways_of (engine, job);
  for (guint i = 0; i < ways->len && room->outcome == LK_MADE_NONE; i++)
    choose_in (engine, job, nodes, g_array_index (ways, LkReservationChoice, i).inside, room);
}
