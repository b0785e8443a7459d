/* engine/engine_gang.c — see the header.
 *
 * There is a list of jobs and a row of those that run for each partition, and the shadows of
 * running jobs of higher tiers lie over the rows below: sharing jobs of two partitions of one tier
 * run at once on the same cores, as Slurm's do.  Partitions of a tier in which not all are
 * OverSubscribe=FORCE have one list, since jobs that do not share may be stopped by others of their
 * tier (preempt/qos), and would run on the same cores.
 *
 * The list is in order of arrival; when turns change, those whose turn it was go to its end, and
 * the row is filled anew in the order of the list.  A filler, that found room beside the others,
 * keeps its place in the list, and so has its turn still before it.
 *
 * What is kept is each job's number in its list.  Who shades whom follows from who runs.  Turns
 * change only where a stopped job waits for others of its own list; Slurm's lists go round also
 * while all wait for higher tiers.
 *
 * A stopped job is expected to go on when all that it waits for have ended, and then to have what
 * is left of its limit: plans count on that.  A running job is always expected to end at its
 * limit. */
#include "engine/engine_gang.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/carry.h"
#include "engine/checked.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"

/* The first partition of a tier that has one list, else the partition itself. */
static guint32
list_of_partition (const LkMachine *machine, guint32 partition)
{
  guint32 tier = machine->partitions[partition].spec->priority_tier;
  guint32 first = LK_INDEX_NONE;
  gboolean all_share = !machine->whole_nodes && machine->cluster->consume != LK_CONSUME_NODE;
  for (guint32 i = 0; i < machine->partition_count; i++) {
    const LkPartitionSpec *spec = machine->partitions[i].spec;
    if (spec->priority_tier != tier)
      continue;
    first = MIN (first, i);
    all_share = all_share && spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE;
  }
  return all_share ? partition : first;
}

void
lk_engine_make_gang (LkEngine *self)
{
  gint64 slice_us = self->preemption->settings.slice_us;
  if (self->machine == NULL || slice_us <= 0)
    return;
  self->gang = g_new0 (LkGang, 1);
  self->gang->slice_us = slice_us;
  self->gang->turn_us = LK_TIME_NEVER;
  self->gang->started = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->gang->tiers = g_new (guint32, self->machine->partition_count);
  self->gang->lists = g_new (guint32, self->machine->partition_count);
  for (guint32 i = 0; i < self->machine->partition_count; i++) {
    self->gang->tiers[i] = self->machine->partitions[i].spec->priority_tier;
    self->gang->lists[i] = list_of_partition (self->machine, i);
  }
  /* Who is below would be stopped at once. */
  self->machine->nodes.tiers = self->gang->tiers;
  /* Jobs may lie over others: what is free cannot be told by a number. */
  self->machine->has_sharing = self->machine->takes_turns = TRUE;
}

void
lk_gang_free (LkGang *self)
{
  if (self == NULL)
    return;
  g_free (self->seats);
  g_free (self->tiers);
  g_free (self->lists);
  g_array_unref (self->started);
  g_free (self);
}

static LkGangSeat *
seat_of (const LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (job < self->gang->limit);
  return &self->gang->seats[job];
}

static void
reserve_seats (LkEngine *self)
{
  LkGang *gang = self->gang;
  if (gang->limit >= self->jobs.limit)
    return;
  guint32 limit = MAX (self->jobs.limit, 2 * gang->limit);
  gang->seats = g_renew (LkGangSeat, gang->seats, limit);
  memset (gang->seats + gang->limit, 0, (limit - gang->limit) * sizeof *gang->seats);
  gang->limit = limit;
}

/* ---------------------------------------------------------------- who is in it */

static guint32
tier_of (const LkEngine *self, LkJobIndex job)
{
  return self->partitions[self->jobs.partition[job]].priority_tier;
}

static guint32
list_of (const LkEngine *self, LkJobIndex job)
{
  return self->gang->lists[self->jobs.partition[job]];
}

/* Slurm leaves heterogeneous jobs out of it. */
static gboolean
is_member (const LkEngine *self, LkJobIndex job)
{
  return (self->jobs.phase[job] == LK_PHASE_RUNNING || lk_engine_is_stopped (self, job))
         && !lk_engine_is_het (self, job);
}

gboolean
lk_engine_can_stop (const LkEngine *self, LkJobIndex job)
{
  return self->gang != NULL && self->jobs.phase[job] == LK_PHASE_RUNNING && is_member (self, job)
         && self->jobs.kill_why[job] == 0 && !lk_engine_is_preempted (self, job);
}

static gint
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  LkJobIndex x = *(const LkJobIndex *)a;
  LkJobIndex y = *(const LkJobIndex *)b;
  if (tier_of (self, x) != tier_of (self, y))
    return tier_of (self, x) > tier_of (self, y) ? -1 : 1;
  if (list_of (self, x) != list_of (self, y))
    return list_of (self, x) < list_of (self, y) ? -1 : 1;
  guint64 turn_x = seat_of (self, x)->turn;
  guint64 turn_y = seat_of (self, y)->turn;
  return (turn_x > turn_y) - (turn_x < turn_y);
}

/* Higher tiers first, list by list. */
static void
sort (const LkEngine *self, GArray *jobs)
{
  g_array_sort_with_data (jobs, compare, (gpointer)self);
}

/* Returns: (transfer full), of LkJobIndex, sorted. */
static GArray *
stopped_jobs (const LkEngine *self)
{
  GArray *jobs = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (guint i = 0; i < self->suspended->len; i++) {
    LkJobIndex job = g_array_index (self->suspended, LkJobIndex, i);
    if (lk_engine_is_stopped (self, job))
      g_array_append_val (jobs, job);
  }
  sort (self, jobs);
  return jobs;
}

static gint
compare_ends (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkEngine *self = user;
  LkJobIndex x = *(const LkJobIndex *)a;
  LkJobIndex y = *(const LkJobIndex *)b;
  gint64 end_x_us = self->jobs.expected_end_us[x];
  gint64 end_y_us = self->jobs.expected_end_us[y];
  if (end_x_us != end_y_us)
    return end_x_us < end_y_us ? -1 : 1;
  return (self->jobs.id[x] > self->jobs.id[y]) - (self->jobs.id[x] < self->jobs.id[y]);
}

GArray *
lk_engine_stopped_by_end (const LkEngine *self)
{
  GArray *jobs =
      self->gang != NULL ? stopped_jobs (self) : g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  g_array_sort_with_data (jobs, compare_ends, (gpointer)self);
  return jobs;
}

/* ---------------------------------------------------------------- who has a core in common */

static gboolean
cores_overlap (const LkNodeTable *nodes, guint32 a, guint32 b)
{
  const LkPiece *x = lk_piece (nodes, a);
  const LkPiece *y = lk_piece (nodes, b);
  for (guint32 word = 0; word < nodes->core_words; word++)
    if ((x->cores[word] & y->cores[word]) != 0)
      return TRUE;
  return FALSE;
}

typedef gboolean (*IsMeant) (const LkEngine *self, LkJobIndex job, LkJobIndex other);

/* Does any job that is meant have a core of these pieces?  With `out_jobs` all of them are added,
 * maybe more than once. */
static gboolean
find_beside (const LkEngine *self, LkJobIndex job, guint32 first_piece, IsMeant is_meant,
             GArray *out_jobs)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  gboolean any = FALSE;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    for (guint32 k = nodes->piece_first[lk_piece (nodes, i)->node]; k != LK_PIECE_NONE;
         k = lk_piece (nodes, k)->next_on_node) {
      LkJobIndex other = lk_piece (nodes, k)->job;
      if (other == job || !is_meant (self, job, other) || !cores_overlap (nodes, i, k))
        continue;
      if (out_jobs == NULL)
        return TRUE;
      g_array_append_val (out_jobs, other);
      any = TRUE;
    }
  return any;
}

static gboolean
has_own_rows (const LkEngine *self, LkJobIndex job)
{
  return lk_machine_request (self->machine, self->jobs.request[job])->own_rows;
}

/* Do the two run at once, whatever cores they have? */
static gboolean
is_strange (const LkEngine *self, LkJobIndex job, LkJobIndex other)
{
  return tier_of (self, job) == tier_of (self, other)
         && self->jobs.partition[job] != self->jobs.partition[other] && has_own_rows (self, job)
         && has_own_rows (self, other);
}

/* Does the other one run for as long as it likes, as the job sees it? */
static gboolean
is_above (const LkEngine *self, LkJobIndex job, LkJobIndex other)
{
  return self->jobs.phase[other] == LK_PHASE_RUNNING && is_member (self, other)
         && (tier_of (self, other) > tier_of (self, job) || !lk_engine_can_stop (self, other))
         && !is_strange (self, job, other);
}

static gboolean
is_in_the_way (const LkEngine *self, LkJobIndex job, LkJobIndex other)
{
  return is_above (self, job, other)
         || (self->jobs.phase[other] == LK_PHASE_RUNNING && is_member (self, other)
             && tier_of (self, other) == tier_of (self, job) && !is_strange (self, job, other));
}

static gboolean
is_below (const LkEngine *self, LkJobIndex job, LkJobIndex other)
{
  return tier_of (self, other) < tier_of (self, job) && lk_engine_can_stop (self, other);
}

/* Whose turn it is, while turns are given. */
static gboolean
is_before (const LkEngine *self, LkJobIndex job, LkJobIndex other)
{
  return is_above (self, job, other)
         || (tier_of (self, other) == tier_of (self, job) && is_member (self, other)
             && seat_of (self, other)->row == LK_ROW_ACTIVE && !is_strange (self, job, other));
}

/* Whom the stopped job waits for, one behind the other. */
static gboolean
is_awaited (const LkEngine *self, LkJobIndex job, LkJobIndex other)
{
  return !is_strange (self, job, other)
         && (self->jobs.phase[other] == LK_PHASE_RUNNING
             || (lk_engine_is_stopped (self, other) && compare (&other, &job, (gpointer)self) < 0));
}

static gboolean
has_beside (const LkEngine *self, LkJobIndex job, IsMeant is_meant)
{
  return find_beside (self, job, self->jobs.first_piece[job], is_meant, NULL);
}

/* ---------------------------------------------------------------- stop and go on */

static void
stop (LkEngine *self, LkJobIndex job)
{
  LK_ASSERT (lk_engine_can_stop (self, job));
  seat_of (self, job)->row = LK_ROW_NONE;
  lk_engine_stop (self, job);
  self->gang->is_due = TRUE;
}

void
lk_engine_gang_make_way (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  if (self->gang == NULL || lk_engine_is_het (self, job))
    return;
  g_autoptr (GArray) below = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  reserve_seats (self);
  find_beside (self, job, first_piece, is_below, below);
  sort (self, below);
  for (guint i = 0; i < below->len; i++)
    if (lk_engine_can_stop (self, g_array_index (below, LkJobIndex, i)))
      stop (self, g_array_index (below, LkJobIndex, i));
}

static void
go_on (LkEngine *self, LkJobIndex job, guint8 row)
{
  seat_of (self, job)->row = row;
  lk_engine_gang_make_way (self, job, self->jobs.first_piece[job]);
  lk_engine_go_on (self, job);
}

/* It may be that it stops at once, or has been stopped since it started. */
static void
take_seat (LkEngine *self, LkJobIndex job)
{
  if (lk_engine_is_stopped (self, job))
    return;
  seat_of (self, job)->row = LK_ROW_FILLER;
  if (!has_beside (self, job, is_in_the_way))
    lk_engine_gang_make_way (self, job, self->jobs.first_piece[job]);
  else if (lk_engine_can_stop (self, job))
    stop (self, job);
}

/* Those who find room beside the others run. */
static void
fill_rows (LkEngine *self)
{
  g_autoptr (GArray) jobs = stopped_jobs (self);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->jobs.kill_why[job] == 0 && !has_beside (self, job, is_in_the_way))
      go_on (self, job, LK_ROW_FILLER);
  }
}

/* ---------------------------------------------------------------- turns */

/* Does a stopped job wait for others of its list? */
static gboolean
waits_for_turn (const LkEngine *self, LkJobIndex job)
{
  return self->jobs.kill_why[job] == 0 && !has_beside (self, job, is_above);
}

/* Those whose turn it was go to the end of the list. */
static void
go_round (LkEngine *self, GArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++) {
    LkGangSeat *seat = seat_of (self, g_array_index (jobs, LkJobIndex, i));
    if (seat->row == LK_ROW_ACTIVE)
      seat->turn = ++self->gang->turn_last;
    seat->row = LK_ROW_NONE;
  }
  sort (self, jobs);
}

/* Whose turn it is now: those who are on their way out run whatever comes. */
static void
give_turns (LkEngine *self, const GArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    gboolean is_running = self->jobs.phase[job] == LK_PHASE_RUNNING;
    if (is_running && !lk_engine_can_stop (self, job))
      seat_of (self, job)->row = LK_ROW_ACTIVE;
    else if ((is_running || self->jobs.kill_why[job] == 0) && !has_beside (self, job, is_before))
      seat_of (self, job)->row = LK_ROW_ACTIVE;
  }
}

/* The jobs of one list. */
static void
change_turns (LkEngine *self, GArray *jobs)
{
  go_round (self, jobs);
  give_turns (self, jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (seat_of (self, job)->row == LK_ROW_NONE && lk_engine_can_stop (self, job))
      stop (self, job);
  }
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (seat_of (self, job)->row == LK_ROW_ACTIVE && lk_engine_is_stopped (self, job))
      go_on (self, job, LK_ROW_ACTIVE);
  }
}

/* Returns: (transfer full), of LkJobIndex, sorted. */
static GArray *
jobs_of_list (const LkEngine *self, guint32 list)
{
  GArray *jobs = stopped_jobs (self);
  for (guint i = jobs->len; i > 0; i--)
    if (list_of (self, g_array_index (jobs, LkJobIndex, i - 1)) != list)
      g_array_remove_index (jobs, i - 1);
  for (LkJobIndex job = lk_rank_first (self->running); job != LK_JOB_NONE;
       job = lk_rank_next (self->running, job, NULL))
    if (list_of (self, job) == list && is_member (self, job))
      g_array_append_val (jobs, job);
  sort (self, jobs);
  return jobs;
}

void
lk_engine_gang_due (LkEngine *self)
{
  if (self->gang == NULL || self->gang->turn_us > self->view.now_us)
    return;
  g_autoptr (GArray) stopped = stopped_jobs (self);
  guint32 list_done = LK_INDEX_NONE;
  self->gang->turn_us = LK_TIME_NEVER;
  self->gang->is_due = TRUE;
  for (guint i = 0; i < stopped->len; i++) {
    LkJobIndex job = g_array_index (stopped, LkJobIndex, i);
    if (list_of (self, job) == list_done || !lk_engine_is_stopped (self, job)
        || !waits_for_turn (self, job))
      continue;
    list_done = list_of (self, job);
    g_autoptr (GArray) jobs = jobs_of_list (self, list_done);
    change_turns (self, jobs);
  }
}

gint64
lk_engine_next_turn_us (const LkEngine *self)
{
  return self->gang != NULL ? self->gang->turn_us : LK_TIME_NEVER;
}

/* Slices are counted from moment 0. */
static void
set_turn (LkEngine *self, const GArray *stopped)
{
  LkGang *gang = self->gang;
  gboolean is_wanted = FALSE;
  for (guint i = 0; i < stopped->len && !is_wanted; i++)
    is_wanted = waits_for_turn (self, g_array_index (stopped, LkJobIndex, i));
  if (!is_wanted) {
    gang->turn_us = LK_TIME_NEVER;
    return;
  }
  if (gang->turn_us != LK_TIME_NEVER)
    return;
  gint64 past_us = self->view.now_us % gang->slice_us;
  past_us = past_us < 0 ? past_us + gang->slice_us : past_us;
  gang->turn_us = lk_time_add_us (self->view.now_us, gang->slice_us - past_us);
}

/* ---------------------------------------------------------------- expected ends */

/* The ends of those before it are known. */
static gint64
stopped_end_us (const LkEngine *self, LkJobIndex job)
{
  g_autoptr (GArray) awaited = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  gint64 from_us = lk_engine_life (self, job)->suspend_us;
  gint64 left_us = lk_time_since_us (lk_engine_limit_end_us (self, job), from_us);
  find_beside (self, job, self->jobs.first_piece[job], is_awaited, awaited);
  for (guint i = 0; i < awaited->len; i++)
    from_us = MAX (from_us, self->jobs.expected_end_us[g_array_index (awaited, LkJobIndex, i)]);
  return lk_time_add_us (from_us, left_us);
}

static void
expect_ends (LkEngine *self, const GArray *stopped)
{
  gboolean any = FALSE;
  for (guint i = 0; i < stopped->len; i++) {
    LkJobIndex job = g_array_index (stopped, LkJobIndex, i);
    gint64 end_us = stopped_end_us (self, job);
    if (end_us == self->jobs.expected_end_us[job])
      continue;
    lk_engine_set_stopped_end (self, job, end_us);
    any = TRUE;
  }
  if (any)
    lk_engine_machine_changed (self);
}

/* ---------------------------------------------------------------- behind an event */

void
lk_engine_gang_started (LkEngine *self, LkJobIndex job)
{
  if (self->gang == NULL)
    return;
  reserve_seats (self);
  *seat_of (self, job) = (LkGangSeat){ ++self->gang->turn_last, LK_ROW_NONE };
  g_array_append_val (self->gang->started, job);
  self->gang->is_due = TRUE;
}

void
lk_engine_gang_note (LkEngine *self)
{
  if (self->gang != NULL)
    self->gang->is_due = TRUE;
}

void
lk_engine_gang_settle (LkEngine *self)
{
  LkGang *gang = self->gang;
  if (gang == NULL || !gang->is_due)
    return;
  for (guint i = 0; i < gang->started->len; i++) {
    LkJobIndex job = g_array_index (gang->started, LkJobIndex, i);
    if (is_member (self, job))
      take_seat (self, job);
  }
  g_array_set_size (gang->started, 0);
  if (self->suspended->len > 0) {
    fill_rows (self);
    g_autoptr (GArray) stopped = stopped_jobs (self);
    expect_ends (self, stopped);
    set_turn (self, stopped);
    lk_engine_ask_wake (self);
  } else {
    gang->turn_us = LK_TIME_NEVER;
  }
  gang->is_due = FALSE;
}

/* ---------------------------------------------------------------- bytes */

void
lk_engine_save_gang (const LkEngine *self, GByteArray *out)
{
  if (self->gang == NULL)
    return;
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  lk_append_u64 (out, self->gang->turn_last);
  lk_append_i64 (out, self->gang->turn_us);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (!is_member (self, job))
      continue;
    lk_append_u64 (out, seat_of (self, job)->turn);
    lk_append_u8 (out, seat_of (self, job)->row);
  }
}

/* Does who runs, and who does not, follow from the seats? */
static gboolean
is_sound (const LkEngine *self)
{
  const LkGang *gang = self->gang;
  g_autoptr (GArray) stopped = stopped_jobs (self);
  for (LkJobIndex job = lk_rank_first (self->running); job != LK_JOB_NONE;
       job = lk_rank_next (self->running, job, NULL)) {
    if (!is_member (self, job))
      continue;
    if (seat_of (self, job)->row == LK_ROW_NONE || seat_of (self, job)->turn > gang->turn_last
        || (lk_engine_can_stop (self, job) && has_beside (self, job, is_in_the_way)))
      return FALSE;
  }
  for (guint i = 0; i < stopped->len; i++) {
    LkJobIndex job = g_array_index (stopped, LkJobIndex, i);
    if (seat_of (self, job)->row != LK_ROW_NONE || seat_of (self, job)->turn > gang->turn_last
        || (i > 0
            && compare (&g_array_index (stopped, LkJobIndex, i - 1), &job, (gpointer)self) >= 0)
        || (self->jobs.kill_why[job] == 0 && !has_beside (self, job, is_in_the_way))
        || self->jobs.expected_end_us[job] != stopped_end_us (self, job))
      return FALSE;
  }
  return TRUE;
}

/* Nobody takes turns any more. */
static gboolean
pass_over (const LkEngine *self, const GArray *jobs, LkBytesReader *reader)
{
  lk_take_u64 (reader);
  lk_take_i64 (reader);
  for (guint i = 0; i < jobs->len; i++)
    if (is_member (self, g_array_index (jobs, LkJobIndex, i))) {
      lk_take_u64 (reader);
      lk_take_u8 (reader);
    }
  return !reader->failed;
}

gboolean
lk_engine_load_gang (LkEngine *self, LkBytesReader *reader)
{
  LkGang *gang = self->gang;
  if (!lk_carry_has_gang (self))
    return TRUE;
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  if (gang == NULL)
    return pass_over (self, jobs, reader);
  reserve_seats (self);
  gang->turn_last = lk_take_u64 (reader);
  gang->turn_us = lk_take_i64 (reader);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (!is_member (self, job))
      continue;
    seat_of (self, job)->turn = lk_take_u64 (reader);
    seat_of (self, job)->row = lk_take_u8 (reader);
    if (seat_of (self, job)->row > LK_ROW_ACTIVE)
      return FALSE;
  }
  gang->is_due = FALSE;
  /* Among other partitions turns are settled behind the event. */
  return !reader->failed && (self->carry != NULL || is_sound (self));
}

gboolean
lk_engine_gang_is_sound (const LkEngine *self)
{
  return self->gang == NULL || is_sound (self);
}

void
lk_engine_check_gang (const LkEngine *self)
{
  if (self->gang == NULL)
    return;
  LK_ASSERT (!self->gang->is_due);
  LK_ASSERT (self->gang->started->len == 0);
  LK_ASSERT (is_sound (self));
}
