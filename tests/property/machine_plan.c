/* tests/property/machine_plan.c — see the header. Nothing is kept between passes but what
 * conservative backfilling and full themselves keep: reservations, and how far they reach. */
#include "tests/property/machine_plan_private.h"

#include <string.h>

#include "engine/checked.h"
#include "engine/place.h"

/* A start that the engine must decide next. */
typedef struct {
  guint job;
  guint32 piece; /* what it must hold */
} Start;

/* ---------------------------------------------------------------- what the engine says */

static guint
job_place (const LkNaive *self, guint32 job_id)
{
  guint place = 0;
  while (self->workload->jobs[place].id != job_id)
    g_assert_cmpuint (++place, <, self->workload->job_count);
  return place;
}

static LkRequest *
request_of (const LkNaive *self, guint job)
{
  return lk_machine_request (self->machine, self->requests[job]);
}

/* Pieces of a running job as the engine's, in a table of our own. */
static void
copy_pieces (LkNaive *self, const LkEngine *engine, guint job)
{
  const LkNodeTable *from = lk_engine_nodes (engine);
  LkNodeTable *to = &self->machine->nodes;
  guint32 piece = lk_engine_job_pieces (engine, self->workload->jobs[job].id);
  for (; piece != LK_PIECE_NONE; piece = lk_piece (from, piece)->next_of_job) {
    guint32 copy = lk_piece_new (to);
    lk_piece_copy (to, lk_piece (from, piece), lk_piece (to, copy));
    lk_piece (to, copy)->job = job;
    lk_piece (to, copy)->next_of_job = self->jobs[job].running_piece;
    self->jobs[job].running_piece = copy;
    lk_node_table_attach (to, copy);
  }
}

static void
drop_running (LkNaive *self, guint job)
{
  LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 i = self->jobs[job].running_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    lk_node_table_detach (nodes, i);
  lk_placer_discard (&self->placer, self->jobs[job].running_piece);
  self->jobs[job].running_piece = LK_PIECE_NONE;
}

static void
look_at_job (LkNaive *self, const LkEngine *engine, guint place)
{
  LkNaiveJob *job = &self->jobs[place];
  LkJobInfo info;
  gboolean is_there = lk_engine_job (engine, self->workload->jobs[place].id, &info);
  drop_running (self, place);
  job->is_running = is_there && (info.state == LK_JOB_RUNNING || info.state == LK_JOB_COMPLETING);
  job->is_queued = is_there && info.state == LK_JOB_PENDING && !job->is_held;
  if (is_there) {
    job->submit_us = info.submit_us;
    job->estimate_us = info.estimate_us;
    job->end_us = info.expected_end_us;
  }
  if (job->is_running)
    copy_pieces (self, engine, place);
}

static void
look_at_nodes (LkNaive *self, const LkEngine *engine)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  for (guint32 node = 0; node < nodes->node_count; node++)
    lk_node_table_set_flags (&self->machine->nodes, node, nodes->flags[node], "", 0);
}

static void
look (LkNaive *self, const LkEngine *engine)
{
  g_autoptr (GArray) ids = lk_engine_queue_ids (engine);
  for (guint i = 0; i < self->workload->job_count; i++)
    look_at_job (self, engine, i);
  g_array_set_size (self->queue, 0);
  for (guint i = 0; i < ids->len; i++) {
    guint place = job_place (self, g_array_index (ids, guint32, i));
    if (self->jobs[place].is_queued)
      g_array_append_val (self->queue, place);
  }
  look_at_nodes (self, engine);
}

/* ---------------------------------------------------------------- the plan */

void
lk_naive_reserve (LkNaive *self, guint place, gint64 start_us, guint32 first_piece)
{
  LkNaiveJob *job = &self->jobs[place];
  LkNodeTable *nodes = &self->machine->nodes;
  job->reserved_us = start_us;
  job->reserved_piece = first_piece;
  job->reserved_number = ++self->reserved_number;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    LkPiece *piece = lk_piece (nodes, i);
    piece->next_on_node = self->planned_first[piece->node];
    self->planned_first[piece->node] = i;
  }
}

/* Takes a reservation out of the plan; its pieces are the caller's. */
guint32
lk_naive_take_reserved (LkNaive *self, guint place)
{
  LkNaiveJob *job = &self->jobs[place];
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 first_piece = job->reserved_piece;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    guint32 *link = &self->planned_first[lk_piece (nodes, i)->node];
    while (*link != i)
      link = &lk_piece (nodes, *link)->next_on_node;
    *link = lk_piece (nodes, i)->next_on_node;
  }
  job->reserved_us = LK_TIME_NEVER;
  job->reserved_piece = LK_PIECE_NONE;
  return first_piece;
}

void
lk_naive_release (LkNaive *self, guint place)
{
  lk_placer_discard (&self->placer, lk_naive_take_reserved (self, place));
}

void
lk_naive_release_all (LkNaive *self)
{
  for (guint i = 0; i < self->workload->job_count; i++)
    lk_naive_release (self, i);
}

static guint32
license_count (const LkRequest *request, guint32 license)
{
  guint32 count = 0;
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++)
    if (g_array_index (request->licenses, LkLicenseDemand, i).license == license)
      count += g_array_index (request->licenses, LkLicenseDemand, i).count;
  return count;
}

static guint32
licenses_held (const LkNaive *self, guint32 license, guint except, gint64 at_us)
{
  guint32 held = 0;
  for (guint i = 0; i < self->workload->job_count; i++) {
    const LkNaiveJob *job = &self->jobs[i];
    gboolean runs = job->is_running && lk_held_until_us (self->now_us, job->end_us) > at_us;
    gboolean is_reserved = job->reserved_us != LK_TIME_NEVER && i != except
                           && job->reserved_us <= at_us
                           && lk_time_add_us (job->reserved_us, job->estimate_us) > at_us;
    if (runs || is_reserved)
      held += license_count (request_of (self, i), license);
  }
  return held;
}

/* Licences are held the most where a reservation begins, or at the beginning. */
gboolean
lk_naive_has_licenses (const LkNaive *self, guint place, gint64 from_us)
{
  gint64 to_us = lk_time_add_us (from_us, self->jobs[place].estimate_us);
  for (guint32 license = 0; license < self->machine->license_count; license++) {
    guint32 count = license_count (request_of (self, place), license);
    guint32 total = self->machine->licenses_total[license];
    if (count > 0 && licenses_held (self, license, place, from_us) + count > total)
      return FALSE;
    for (guint i = 0; count > 0 && i < self->workload->job_count; i++) {
      gint64 at_us = self->jobs[i].reserved_us;
      if (at_us != LK_TIME_NEVER && at_us > from_us && at_us < to_us
          && licenses_held (self, license, place, at_us) + count > total)
        return FALSE;
    }
  }
  return TRUE;
}

/* Where the job would go at a moment, beside everything; LK_PIECE_NONE: nowhere. */
guint32
lk_naive_place_at (LkNaive *self, guint place, gint64 at_us)
{
  const LkNaiveJob *job = &self->jobs[place];
  const LkRequest *request = request_of (self, place);
  LkWindow window = { .nodes = &self->machine->nodes,
                      .planned_first = self->planned_first,
                      .now_us = self->now_us,
                      .from_us = at_us,
                      .to_us = lk_time_add_us (at_us, job->estimate_us),
                      .except = place,
                      .user_id = self->workload->jobs[place].user_id };
  gboolean counts_switches = at_us < lk_time_add_us (job->submit_us, request->switches_wait_us);
  if (!lk_naive_has_licenses (self, place, at_us))
    return LK_PIECE_NONE;
  /* Nothing that was found out before. */
  lk_offer_cache_free (self->placer.cache);
  self->placer.cache = lk_offer_cache_new (self->machine);
  return lk_placer_place (&self->placer, request, place, &window, counts_switches);
}

static gint
compare_moments (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

/* All moments in [from, before) at which the job might be able to start for the first time,
 * rising. */
static GArray *
moments (const LkNaive *self, guint place, gint64 from_us, gint64 before_us)
{
  const LkRequest *request = request_of (self, place);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (gint64));
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 at_us = lk_time_add_us (self->jobs[place].submit_us, request->switches_wait_us);
  from_us = MAX (from_us, self->now_us);
  g_array_append_val (all, from_us);
  if (request->demand.switches_max > 0)
    g_array_append_val (all, at_us);
  for (guint i = 0; i < self->workload->job_count; i++) {
    const LkNaiveJob *job = &self->jobs[i];
    at_us = lk_held_until_us (self->now_us, job->end_us);
    if (job->is_running)
      g_array_append_val (all, at_us);
    at_us = lk_time_add_us (job->reserved_us, job->estimate_us);
    if (job->reserved_us != LK_TIME_NEVER && i != place)
      g_array_append_val (all, at_us);
  }
  g_array_sort (all, compare_moments);
  for (guint i = 0; i < all->len; i++) {
    at_us = g_array_index (all, gint64, i);
    gboolean is_new = i == 0 || at_us > g_array_index (all, gint64, i - 1);
    if (is_new && at_us >= from_us && at_us < before_us)
      g_array_append_val (kept, at_us);
  }
  g_array_unref (all);
  return kept;
}

gint64
lk_naive_earliest_us (LkNaive *self, guint place, gint64 from_us, gint64 before_us,
                      guint32 *out_piece)
{
  g_autoptr (GArray) tried = moments (self, place, from_us, before_us);
  for (guint i = 0; i < tried->len; i++) {
    gint64 at_us = g_array_index (tried, gint64, i);
    *out_piece = lk_naive_place_at (self, place, at_us);
    if (*out_piece != LK_PIECE_NONE)
      return at_us;
  }
  return LK_TIME_NEVER;
}

static gint64
earliest_us (LkNaive *self, guint place, gint64 before_us, guint32 *out_piece)
{
  return lk_naive_earliest_us (self, place, G_MININT64, before_us, out_piece);
}

static gint64
reserve_earliest (LkNaive *self, guint place)
{
  guint32 piece;
  gint64 at_us = earliest_us (self, place, LK_TIME_NEVER, &piece);
  if (at_us != LK_TIME_NEVER)
    lk_naive_reserve (self, place, at_us, piece);
  return at_us;
}

/* ---------------------------------------------------------------- starting */

static void
start (LkNaive *self, guint place, guint32 first_piece)
{
  Start expected = { place, first_piece };
  LkNaiveJob *job = &self->jobs[place];
  LkNodeTable *nodes = &self->machine->nodes;
  job->is_queued = FALSE;
  job->is_running = TRUE;
  job->end_us = lk_time_add_us (self->now_us, job->estimate_us);
  job->running_piece = first_piece;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    lk_piece (nodes, i)->from_us = self->now_us;
    lk_piece (nodes, i)->to_us = job->end_us;
    lk_node_table_attach (nodes, i);
  }
  g_array_append_val (self->starts, expected);
}

static gboolean
start_if_fits (LkNaive *self, guint place)
{
  guint32 piece = lk_naive_place_at (self, place, self->now_us);
  if (piece != LK_PIECE_NONE)
    start (self, place, piece);
  return piece != LK_PIECE_NONE;
}

/* Returns the place in the queue of the first that does not fit. */
static guint
start_heads (LkNaive *self)
{
  guint at = 0;
  while (at < self->queue->len && start_if_fits (self, g_array_index (self->queue, guint, at)))
    at++;
  return at;
}

/* ---------------------------------------------------------------- the policies */

static gint
compare_limits (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkNaive *self = user;
  guint x = *(const guint *)a, y = *(const guint *)b;
  const LkNaiveJob *job_x = &self->jobs[x], *job_y = &self->jobs[y];
  if (job_x->estimate_us != job_y->estimate_us)
    return job_x->estimate_us < job_y->estimate_us ? -1 : 1;
  if (job_x->submit_us != job_y->submit_us)
    return job_x->submit_us < job_y->submit_us ? -1 : 1;
  return (x > y) - (x < y);
}

static void
pass_easy (LkNaive *self)
{
  guint left = self->options.reservation_count;
  guint at = start_heads (self);
  for (; at < self->queue->len && left > 0; at++) {
    guint place = g_array_index (self->queue, guint, at);
    if (!start_if_fits (self, place) && reserve_earliest (self, place) != LK_TIME_NEVER)
      left--;
  }
  g_autoptr (GArray) rest = g_array_new (FALSE, FALSE, sizeof (guint));
  if (at < self->queue->len)
    g_array_append_vals (rest, &g_array_index (self->queue, guint, at), self->queue->len - at);
  if (self->options.is_shortest_first)
    g_array_sort_with_data (rest, compare_limits, self);
  for (guint i = 0; i < rest->len; i++)
    start_if_fits (self, g_array_index (rest, guint, i));
  lk_naive_release_all (self);
}

static void
pass_replan (LkNaive *self)
{
  for (guint at = start_heads (self); at < self->queue->len; at++) {
    guint place = g_array_index (self->queue, guint, at);
    if (!start_if_fits (self, place))
      reserve_earliest (self, place);
  }
  lk_naive_release_all (self);
}

/* ---------------------------------------------------------------- conservative */

gboolean
lk_naive_has_overdue (const LkNaive *self)
{
  for (guint i = 0; i < self->workload->job_count; i++)
    if (self->jobs[i].is_running && self->jobs[i].end_us <= self->now_us)
      return TRUE;
  return FALSE;
}

gboolean
lk_naive_has_unplaced (const LkNaive *self)
{
  for (guint i = 0; i < self->queue->len; i++) {
    const LkNaiveJob *job = &self->jobs[g_array_index (self->queue, guint, i)];
    if (job->reserved_us == LK_TIME_NEVER && !job->has_arrived)
      return TRUE;
  }
  return FALSE;
}

static void
compress (LkNaive *self)
{
  for (guint i = 0; i < self->queue->len; i++) {
    guint place = g_array_index (self->queue, guint, i);
    guint32 piece;
    gint64 current_us = self->jobs[place].reserved_us;
    if (current_us == LK_TIME_NEVER)
      continue;
    gint64 at_us = earliest_us (self, place, current_us, &piece);
    if (at_us == LK_TIME_NEVER)
      continue;
    lk_naive_release (self, place);
    lk_naive_reserve (self, place, at_us, piece);
  }
}

static void
bring_up_to_date (LkNaive *self)
{
  gboolean is_overdue = lk_naive_has_overdue (self);
  if (is_overdue || (self->compress && lk_naive_has_unplaced (self)))
    self->rebuild = TRUE;
  if (self->rebuild) {
    lk_naive_release_all (self);
    for (guint i = 0; i < self->queue->len; i++)
      reserve_earliest (self, g_array_index (self->queue, guint, i));
  } else {
    if (self->compress)
      compress (self);
    for (guint i = 0; i < self->arrivals->len; i++)
      reserve_earliest (self, g_array_index (self->arrivals, guint, i));
  }
  for (guint i = 0; i < self->arrivals->len; i++)
    self->jobs[g_array_index (self->arrivals, guint, i)].has_arrived = FALSE;
  g_array_set_size (self->arrivals, 0);
  self->rebuild = self->rebuild && is_overdue;
  self->compress = FALSE;
}

/* Is the very place that the job has reserved free beside what runs? */
static gboolean
is_reserved_free (const LkNaive *self, guint place)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkRequest *request = request_of (self, place);
  for (guint32 i = self->jobs[place].reserved_piece; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    if (nodes->flags[lk_piece (nodes, i)->node] != 0
        || !lk_piece_is_free (&self->placer, request, lk_piece (nodes, i), self->now_us))
      return FALSE;
  for (guint32 license = 0; license < self->machine->license_count; license++) {
    guint32 held = 0;
    for (guint i = 0; i < self->workload->job_count; i++)
      if (self->jobs[i].is_running)
        held += license_count (request_of (self, i), license);
    if (held + license_count (request, license) > self->machine->licenses_total[license]
        && license_count (request, license) > 0)
      return FALSE;
  }
  return TRUE;
}

void
lk_naive_start_due (LkNaive *self)
{
  for (guint i = 0; i < self->queue->len; i++) {
    guint place = g_array_index (self->queue, guint, i);
    gint64 reserved_us = self->jobs[place].reserved_us;
    if (reserved_us > self->now_us)
      continue;
    if (!is_reserved_free (self, place) || reserved_us < self->now_us)
      self->rebuild = TRUE;
    if (is_reserved_free (self, place))
      start (self, place, lk_naive_take_reserved (self, place));
  }
}

static void
pass_conservative (LkNaive *self)
{
  bring_up_to_date (self);
  lk_naive_start_due (self);
}

void
lk_naive_add_arrival (LkNaive *self, guint place)
{
  if (self->jobs[place].has_arrived)
    return;
  self->jobs[place].has_arrived = TRUE;
  g_array_append_val (self->arrivals, place);
}

/* The job has left the queue without starting, or is about to stand in it anew. */
static void
drop_waiting (LkNaive *self, guint place)
{
  if (self->jobs[place].reserved_us != LK_TIME_NEVER) {
    self->compress = TRUE;
    lk_naive_release (self, place);
  }
  for (guint i = 0; i < self->arrivals->len; i++)
    if (g_array_index (self->arrivals, guint, i) == place) {
      g_array_remove_index (self->arrivals, i);
      break;
    }
  self->jobs[place].has_arrived = FALSE;
}

/* A running job has ended, whatever the reason. */
static void
note_end (LkNaive *self, guint place)
{
  if (self->jobs[place].end_us > self->now_us && !self->rebuild)
    self->compress = TRUE;
}

/* ---------------------------------------------------------------- looking on */

static gboolean
is_same_piece (const LkNodeTable *nodes, const LkPiece *a, const LkPiece *b)
{
  return a->node == b->node && a->flags == b->flags && a->memory_bytes == b->memory_bytes
         && a->devices == b->devices && a->share_device == b->share_device && a->shares == b->shares
         && a->cpus == b->cpus && memcmp (a->counts, b->counts, sizeof a->counts) == 0
         && memcmp (a->cores, b->cores, nodes->core_words * sizeof (guint64)) == 0;
}

static gboolean
is_same_place (const LkNaive *self, const LkEngine *engine, guint32 job_id, guint32 expected)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  const LkNodeTable *ours = &self->machine->nodes;
  guint32 piece = lk_engine_job_pieces (engine, job_id);
  for (; piece != LK_PIECE_NONE && expected != LK_PIECE_NONE;
       piece = lk_piece (nodes, piece)->next_of_job,
       expected = lk_piece (ours, expected)->next_of_job)
    if (!is_same_piece (nodes, lk_piece (nodes, piece), lk_piece (ours, expected)))
      return FALSE;
  return piece == LK_PIECE_NONE && expected == LK_PIECE_NONE;
}

static void complain (LkNaive *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
complain (LkNaive *self, const char *format, ...)
{
  va_list arguments;
  g_string_append_printf (self->report, "at %" G_GINT64_FORMAT " us: ", self->now_us);
  va_start (arguments, format);
  g_string_append_vprintf (self->report, format, arguments);
  va_end (arguments);
}

static void
check_start (LkNaive *self, const LkEngine *engine, const LkDecision_start *decision)
{
  if (self->start_next == self->starts->len) {
    complain (self, "the engine starts %u; nobody should start", decision->job_id);
    return;
  }
  const Start *expected = &g_array_index (self->starts, Start, self->start_next++);
  guint32 expected_id = self->workload->jobs[expected->job].id;
  if (decision->job_id != expected_id)
    complain (self, "the engine starts %u; expected %u", decision->job_id, expected_id);
  else if (!is_same_place (self, engine, expected_id, expected->piece))
    complain (self, "the engine starts %u in another place: %.*s %.*s %.*s", expected_id,
              (int)decision->nodes.length_bytes, decision->nodes.bytes,
              (int)decision->cores.length_bytes, decision->cores.bytes,
              (int)decision->gres.length_bytes, decision->gres.bytes);
}

static void
resolve (LkNaive *self, guint place, const LkEvent_submit *submit)
{
  LkJobRequest asked;
  lk_submit_request (submit, &asked);
  LkReject reject =
      lk_machine_resolve (self->machine, &asked, submit->procs, &self->requests[place]);
  g_assert_cmpint (reject, ==, 0);
}

static void
before (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkNaive *self = user;
  if (self->report->len > 0)
    return;
  self->now_us = event->time_us;
  self->view.now_us = event->time_us;
  look (self, engine);
  if (event->kind != LK_EVENT_PASS)
    return;
  g_array_set_size (self->starts, 0);
  self->start_next = 0;
  switch (self->options.backfill) {
  case LK_NAIVE_NONE:
    start_heads (self);
    break;
  case LK_NAIVE_EASY:
    pass_easy (self);
    break;
  case LK_NAIVE_REPLAN:
    pass_replan (self);
    break;
  case LK_NAIVE_FULL:
    lk_naive_pass_full (self);
    break;
  default:
    pass_conservative (self);
  }
}

/* What becomes of jobs that wait, and of those that run, by what the engine says of them. */
static void
note_notice (LkNaive *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  guint place = job_place (self, notice->job_id);
  if (notice->state == LK_JOB_PENDING)
    self->jobs[place].is_held = notice->reason != LK_REASON_PRIORITY;
  if (notice->state == LK_JOB_PENDING && notice->reason == LK_REASON_PRIORITY)
    lk_naive_add_arrival (self, place);
  else if (notice->state == LK_JOB_PENDING
           || (notice->state == LK_JOB_CANCELLED && cause->kind == LK_EVENT_CANCEL))
    drop_waiting (self, place);
  else if (cause->kind == LK_EVENT_JOB_ENDED || notice->state == LK_JOB_NODE_FAIL
           || notice->state == LK_JOB_REQUEUED)
    note_end (self, place);
}

static void
note_accept (LkNaive *self, const LkEvent *cause, guint32 job_id)
{
  if (cause->kind == LK_EVENT_SUBMIT) {
    guint place = job_place (self, job_id);
    resolve (self, place, &cause->submit);
    lk_naive_add_arrival (self, place);
  } else if (cause->kind == LK_EVENT_UPDATE) {
    guint place = job_place (self, job_id);
    if (self->jobs[place].is_queued) {
      drop_waiting (self, place);
      lk_naive_add_arrival (self, place);
    } else if (self->jobs[place].is_running
               && self->jobs[place].estimate_us != cause->update.estimate_us) {
      self->rebuild = TRUE;
    }
  } else if (cause->kind >= LK_EVENT_NODE_UP && cause->kind <= LK_EVENT_NODE_RESUME) {
    /* Told to the policy behind what it brings; but nothing that comes between minds. */
    if (self->options.backfill == LK_NAIVE_FULL)
      self->is_nodes_changed = TRUE;
    else
      self->rebuild = TRUE;
  }
}

static void
decided (void *user, const LkEngine *engine, const LkEvent *cause, const LkDecision *decision)
{
  LkNaive *self = user;
  if (self->report->len > 0)
    return;
  if (decision->kind == LK_DECISION_START)
    check_start (self, engine, &decision->start);
  else if (decision->kind == LK_DECISION_ACCEPT)
    note_accept (self, cause, decision->accept.job_id);
  else if (decision->kind == LK_DECISION_NOTICE)
    note_notice (self, cause, &decision->notice);
}

static void
check_planned (LkNaive *self, const LkEngine *engine, guint place)
{
  LkJobInfo info;
  const LkNaiveJob *job = &self->jobs[place];
  if (!job->is_queued || !lk_engine_job (engine, self->workload->jobs[place].id, &info))
    return;
  if (info.start_us != job->reserved_us)
    complain (self,
              "job %u is planned to start at %" G_GINT64_FORMAT " us; expected %" G_GINT64_FORMAT
              " us",
              self->workload->jobs[place].id, info.start_us, job->reserved_us);
}

static void
after (void *user, const LkEngine *engine, const LkEvent *event)
{
  LkNaive *self = user;
  if (self->is_nodes_changed) {
    look_at_nodes (self, engine);
    lk_naive_nodes_full (self,
                         event->kind == LK_EVENT_NODE_UP || event->kind == LK_EVENT_NODE_RESUME);
  }
  self->is_nodes_changed = FALSE;
  if (event->kind != LK_EVENT_PASS || self->report->len > 0)
    return;
  if (self->start_next < self->starts->len)
    complain (self, "the engine does not start %u",
              self->workload->jobs[g_array_index (self->starts, Start, self->start_next).job].id);
  gboolean keeps_plan =
      self->options.backfill == LK_NAIVE_CONSERVATIVE || self->options.backfill == LK_NAIVE_FULL;
  for (guint i = 0; keeps_plan && i < self->workload->job_count && self->report->len == 0; i++)
    check_planned (self, engine, i);
}

/* ---------------------------------------------------------------- life */

LkNaive *
lk_naive_new (const LkMachineWorkload *workload, const LkMachineOptions *options,
              const LkNaiveOptions *naive_options)
{
  LkNaive *self = g_new0 (LkNaive, 1);
  LkPolicyError error;
  self->workload = workload;
  self->options = *naive_options;
  self->unit_us = options->unit_us > 0 ? options->unit_us : G_USEC_PER_SEC;
  self->setup = lk_machine_setup (workload->cluster, options);
  const LkEngineConfig *config = lk_setup_config (self->setup);
  self->select_self = config->select->base.create (&config->select_values, &error);
  self->machine =
      lk_machine_new (config->cluster, (config->select->flags & LK_SELECT_WHOLE_NODES) != 0);
  self->view =
      (LkView){ .size = sizeof (LkView), .host = lk_host (), .cluster = &self->machine->view };
  lk_placer_init (&self->placer, self->machine, &self->view, config->select, self->select_self);
  self->planned_first = g_new (guint32, self->machine->nodes.node_count);
  memset (self->planned_first, 0xff, self->machine->nodes.node_count * sizeof (guint32));
  self->requests = g_new (guint32, workload->job_count);
  for (guint i = 0; i < LK_MACHINE_JOBS_MAX; i++)
    self->jobs[i] = (LkNaiveJob){ .reserved_us = LK_TIME_NEVER,
                                  .reserved_piece = LK_PIECE_NONE,
                                  .running_piece = LK_PIECE_NONE };
  self->queue = g_array_new (FALSE, FALSE, sizeof (guint));
  self->arrivals = g_array_new (FALSE, FALSE, sizeof (guint));
  self->starts = g_array_new (FALSE, FALSE, sizeof (Start));
  self->report = g_string_new (NULL);
  self->credit = self->options.credit_max;
  self->horizon_us = G_MININT64;
  return self;
}

void
lk_naive_free (LkNaive *self)
{
  const LkEngineConfig *config = lk_setup_config (self->setup);
  config->select->base.destroy (self->select_self);
  lk_placer_clear (&self->placer);
  lk_machine_free (self->machine);
  lk_setup_free (self->setup);
  g_free (self->planned_first);
  g_free (self->requests);
  g_array_unref (self->queue);
  g_array_unref (self->arrivals);
  g_array_unref (self->starts);
  g_string_free (self->report, TRUE);
  g_free (self);
}

LkMachineWatch
lk_naive_watch (LkNaive *self)
{
  return (LkMachineWatch){ .user = self, .before = before, .decided = decided, .after = after };
}

gboolean
lk_naive_agrees (const LkNaive *self)
{
  return self->report->len == 0;
}

const char *
lk_naive_report (const LkNaive *self)
{
  return self->report->str;
}
