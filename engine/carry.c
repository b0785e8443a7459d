/* engine/carry.c — see the header. */
#include "engine/carry.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/engine_gang.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"

/* ---------------------------------------------------------------- what is what now */

static void
find_nodes (LkCarry *self, const LkNodeTable *from, const LkNodeTable *to)
{
  self->node_count = from->node_count;
  self->node_words = from->node_words;
  self->core_words = from->core_words;
  self->nodes = g_new (guint32, from->node_count);
  for (guint32 i = 0; i < from->node_count; i++)
    self->nodes[i] = lk_node_table_find (to, from->names[i], strlen (from->names[i]));
  self->gres_count = from->gres_count;
  for (guint32 i = 0; i < from->gres_count; i++) {
    const char *name = from->gres[i].name;
    guint32 found = lk_node_table_gres (to, name, strlen (name));
    self->gres[i] = found < to->gres_count && to->gres[found].kind == from->gres[i].kind
                        ? found
                        : LK_INDEX_NONE;
  }
}

static void
find_partitions (LkCarry *self, const LkMachine *from, const LkMachine *to)
{
  self->partition_count = from->partition_count;
  self->partitions = g_new (guint32, from->partition_count);
  self->partition_states = g_new (guint8, from->partition_count);
  self->partition_names = g_new0 (char *, from->partition_count + 1);
  for (guint32 i = 0; i < from->partition_count; i++) {
    const LkPartitionSpec *spec = from->partitions[i].spec;
    self->partitions[i] = LK_INDEX_NONE;
    self->partition_states[i] = (guint8)spec->state;
    self->partition_names[i] = g_strdup (spec->name);
    for (guint32 at = 0; at < to->partition_count; at++)
      if (strcmp (to->partitions[at].spec->name, spec->name) == 0)
        self->partitions[i] = at;
  }
}

static void
find_licenses (LkCarry *self, const LkMachine *from, const LkMachine *to)
{
  self->license_count = from->license_count;
  self->licenses = g_new (guint32, from->license_count);
  for (guint32 i = 0; i < from->license_count; i++) {
    const LkLicenseSpec *spec = g_ptr_array_index (from->cluster->licenses, i);
    self->licenses[i] = LK_INDEX_NONE;
    for (guint32 at = 0; at < to->license_count; at++) {
      const LkLicenseSpec *other = g_ptr_array_index (to->cluster->licenses, at);
      if (strcmp (other->name, spec->name) == 0)
        self->licenses[i] = at;
    }
  }
}

static gboolean
has_same_types (const LkEngine *from, const LkEngine *to)
{
  if (from->machine == NULL)
    return TRUE;
  const GPtrArray *a = from->machine->nodes.type_names;
  const GPtrArray *b = to->machine->nodes.type_names;
  for (guint i = 0; i < a->len; i++)
    if (i >= b->len || strcmp (g_ptr_array_index (a, i), g_ptr_array_index (b, i)) != 0)
      return FALSE;
  return TRUE;
}

/* Orders know jobs by their ids, and select policies types by their numbers.  What backfill has
 * planned was planned for another machine. */
static void
find_kept (LkCarry *self, const LkEngine *from, const LkEngine *to)
{
  for (guint i = 0; i < LK_INSTANCE_COUNT; i++)
    self->keeps[i] = i != LK_INSTANCE_BACKFILL && from->instances[i].policy != NULL
                     && from->instances[i].policy == to->instances[i].policy;
  self->keeps[LK_INSTANCE_SELECT] = self->keeps[LK_INSTANCE_SELECT] && has_same_types (from, to);
}

LkCarry *
lk_carry_new (const LkEngine *from, const LkEngine *to)
{
  LkCarry *self = g_new0 (LkCarry, 1);
  if (from->machine != NULL) {
    find_nodes (self, &from->machine->nodes, &to->machine->nodes);
    find_partitions (self, from->machine, to->machine);
    find_licenses (self, from->machine, to->machine);
  }
  if (from->book != NULL) {
    self->tres_count = from->book->tres_count;
    self->accounts = lk_accounts_copy_with (from->book->spec, to->config.accounts);
  }
  self->had_preemption = from->preemption != NULL;
  self->had_gang = from->gang != NULL;
  find_kept (self, from, to);
  return self;
}

void
lk_carry_free (LkCarry *self)
{
  if (self == NULL)
    return;
  g_free (self->nodes);
  g_free (self->partitions);
  g_free (self->partition_states);
  for (guint32 i = 0; i < self->partition_count; i++)
    g_free (self->partition_names[i]);
  g_free (self->partition_names);
  g_free (self->licenses);
  lk_accounts_free (self->accounts);
  g_free (self);
}

/* ---------------------------------------------------------------- bytes */

guint32
lk_carry_tres_count (const LkEngine *self)
{
  return self->carry != NULL ? self->carry->tres_count : self->book->tres_count;
}

gboolean
lk_carry_has_preemption (const LkEngine *self)
{
  return self->carry != NULL ? self->carry->had_preemption : self->preemption != NULL;
}

gboolean
lk_carry_has_gang (const LkEngine *self)
{
  return self->carry != NULL ? self->carry->had_gang : self->gang != NULL;
}

/* A state that somebody has set stays, unless the description says another one than before. */
static gboolean
load_partitions (LkEngine *self, LkBytesReader *reader)
{
  const LkCarry *carry = self->carry;
  const guint8 *states = lk_take (reader, carry->partition_count);
  for (guint32 i = 0; states != NULL && i < carry->partition_count; i++) {
    guint32 to = carry->partitions[i];
    if (to != LK_INDEX_NONE
        && (guint8)self->machine->partitions[to].spec->state == carry->partition_states[i])
      self->partition_states[to] = states[i];
  }
  return states != NULL;
}

gboolean
lk_carry_load_nodes (LkEngine *self, LkBytesReader *reader)
{
  const LkCarry *carry = self->carry;
  LkNodeTable *nodes = &self->machine->nodes;
  if (lk_take_u32 (reader) != carry->node_count)
    return FALSE;
  for (guint32 i = 0; i < carry->node_count; i++) {
    guint32 flags = lk_take_u32 (reader);
    guint32 length_bytes = lk_take_u32 (reader);
    const guint8 *reason = lk_take (reader, length_bytes);
    if (reason == NULL)
      return FALSE;
    if (carry->nodes[i] != LK_NODE_NONE)
      lk_node_table_set_flags (nodes, carry->nodes[i], flags, (const char *)reason, length_bytes);
  }
  return lk_engine_load_deadlines (self, reader) && load_partitions (self, reader);
}

gboolean
lk_carry_load_piece (const LkEngine *self, LkBytesReader *reader, LkPiece *piece)
{
  const LkCarry *carry = self->carry;
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 node = lk_take_u32 (reader);
  gboolean fits = node < carry->node_count && carry->nodes[node] != LK_NODE_NONE;
  piece->node = fits ? carry->nodes[node] : 0;
  lk_take_u32 (reader); /* flags follow from the request */
  piece->memory_bytes = (gint64)lk_take_u64 (reader);
  piece->devices = lk_take_u64 (reader);
  piece->share_device = lk_take_u32 (reader);
  piece->shares = lk_take_u32 (reader);
  for (guint32 name = 0; name < carry->gres_count; name++) {
    guint32 count = lk_take_u32 (reader);
    if (carry->gres[name] != LK_INDEX_NONE)
      piece->counts[carry->gres[name]] = count;
    else
      fits = fits && count == 0;
  }
  for (guint32 word = 0; word < carry->core_words; word++) {
    guint64 cores = lk_take_u64 (reader);
    if (word < nodes->core_words)
      piece->cores[word] = cores;
    else
      fits = fits && cores == 0;
  }
  piece->cpus = lk_take_u32 (reader);
  piece->reservation = lk_take_u32 (reader);
  return fits && !reader->failed;
}

guint64 *
lk_carry_load_node_set (const LkCarry *self, const LkNodeTable *nodes, LkBytesReader *reader)
{
  g_autofree guint64 *set = g_new0 (guint64, nodes->node_words);
  for (guint32 word = 0; word < self->node_words; word++) {
    guint64 bits = lk_take_u64 (reader);
    for (; bits != 0; bits &= bits - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (bits);
      if (node >= self->node_count || self->nodes[node] == LK_NODE_NONE)
        return NULL;
      lk_bits_add (set, self->nodes[node]);
    }
  }
  return reader->failed ? NULL : g_steal_pointer (&set);
}

guint64 *
lk_carry_load_node_words (const LkCarry *self, const LkNodeTable *nodes, guint32 words_before,
                          guint32 words, LkBytesReader *reader)
{
  g_autofree guint64 *all = g_new0 (guint64, (gsize)nodes->node_count * words);
  for (guint32 node = 0; node < self->node_count; node++)
    for (guint32 word = 0; word < words_before; word++) {
      guint64 bits = lk_take_u64 (reader);
      if (bits == 0)
        continue;
      if (self->nodes[node] == LK_NODE_NONE || word >= words)
        return NULL;
      all[(gsize)self->nodes[node] * words + word] = bits;
    }
  return reader->failed ? NULL : g_steal_pointer (&all);
}

/* ---------------------------------------------------------------- jobs */

void
lk_carry_pin (const LkCarry *self, guint32 partition, LkJobRequest *asked)
{
  if (asked->partition.length_bytes == 0 && partition < self->partition_count)
    asked->partition = lk_text (self->partition_names[partition]);
}

/* It keeps the time limit that it has. */
static void
carry_pending (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  jobs->units[job] = lk_engine_units (self, job);
  if (jobs->phase[job] != LK_PHASE_HELD)
    jobs->stuck_reason[job] = LK_REASON_NONE; /* it is looked at behind all others */
}

void
lk_carry_job (LkEngine *self, LkJobIndex job)
{
  LkJobTable *jobs = &self->jobs;
  if (self->machine != NULL)
    jobs->partition[job] = lk_machine_request (self->machine, jobs->request[job])->partition;
  if (jobs->is_plain) {
    jobs->nice[job] = jobs->site_factor[job] = 0;
    jobs->direct_priority[job] = 0;
    jobs->accrue_us[job] = LK_TIME_NEVER;
  }
  if (!self->config.backfill->notes_reasons) {
    jobs->wait_noted[job] = LK_WAIT_NONE;
    jobs->reason_left[job] = 0;
  }
  if (!lk_engine_has_started (self, job))
    carry_pending (self, job);
  else if (jobs->phase[job] == LK_PHASE_RUNNING && !lk_engine_is_preempted (self, job))
    jobs->expected_end_us[job] = lk_engine_limit_end_us (self, job);
}

/* What it was given keeps its count; TRES that were not counted before are counted now. */
void
lk_carry_tres (LkEngine *self, LkJobIndex job)
{
  LkBook *book = self->book;
  guint64 *tres = lk_book_job_tres (book, job);
  guint32 before = self->carry->tres_count;
  if (!lk_engine_has_started (self, job)) {
    lk_engine_account_asked (self, job);
    return;
  }
  if (self->machine == NULL || before == book->tres_count)
    return;
  g_autofree guint64 *given = g_new0 (guint64, book->tres_count);
  lk_book_tres_given (book, self->machine,
                      lk_machine_request (self->machine, self->jobs.request[job]),
                      lk_engine_all_pieces (self, job), given);
  memcpy (tres + before, given + before, (book->tres_count - before) * sizeof *given);
}

/* ---------------------------------------------------------------- what follows */

/* Off the lists of what keeps them, before anybody looks at those; and into the queue, or onto
 * another list. */
static void
unpark_blocked (LkEngine *self, const GArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->jobs.phase[job] == LK_PHASE_BLOCKED)
      lk_engine_unpark (self, job);
  }
}

static void
release_blocked (LkEngine *self, const GArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->jobs.phase[job] == LK_PHASE_BLOCKED)
      lk_engine_requeue_blocked (self, job);
  }
}

/* Policies that begin anew hear of what is there. */
static void
tell_policies (LkEngine *self, const GArray *jobs)
{
  const LkEngineConfig *config = &self->config;
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (!self->carry->keeps[LK_INSTANCE_ORDER] && config->order->job_submitted != NULL)
      config->order->job_submitted (self->instances[LK_INSTANCE_ORDER].self, &self->view, job);
    if (!self->carry->keeps[LK_INSTANCE_SELECT] && config->select->job_submitted != NULL)
      config->select->job_submitted (self->instances[LK_INSTANCE_SELECT].self, &self->view, job);
    if (self->gang != NULL && !self->carry->had_gang && self->jobs.phase[job] == LK_PHASE_RUNNING)
      lk_engine_gang_started (self, job);
  }
}

static void
tell_queue (LkEngine *self)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  lk_engine_machine_changed (self); /* jobs run that it never saw start */
  if (backfill->job_queued == NULL)
    return;
  for (LkJobIndex job = lk_rank_first (self->queue); job != LK_JOB_NONE;
       job = lk_rank_next (self->queue, job, NULL))
    backfill->job_queued (self->instances[LK_INSTANCE_BACKFILL].self, &self->view, job);
}

/* What a plan had for them was for another machine. */
static void
forget_hets (LkEngine *self)
{
  for (guint i = 0; i < self->hets->len; i++) {
    LkHet *het = &g_array_index (self->hets, LkHet, i);
    het->is_placed = FALSE;
    het->start_us = LK_TIME_NEVER;
  }
}

void
lk_carry_settle (LkEngine *self)
{
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  forget_hets (self);
  tell_policies (self, jobs);
  unpark_blocked (self, jobs);
  if (self->book != NULL || self->config.order->cycle_end != NULL)
    lk_engine_cycle (self);
  lk_engine_refresh_order (self);
  tell_queue (self);
  release_blocked (self, jobs);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (lk_engine_has_started (self, job))
      continue;
    lk_engine_choose_home (self, job);
    lk_engine_judge_stuck (self, job);
    lk_engine_settle (self, job);
  }
  if (self->reservations != NULL && self->reservations->items->len > 0)
    self->reservation_jobs->turn_due = TRUE; /* nodes may have to be replaced */
  lk_engine_gang_note (self);
  self->changed = TRUE;
}

/* Do those who have a node alone have it alone, and is no core in use twice that may not be? */
static gboolean
node_is_sound (const LkNodeTable *nodes, guint32 node)
{
  guint64 cores[LK_NODE_CORE_WORDS_MAX] = { 0 };
  guint32 whole_count = 0;
  guint32 awake_count = 0;
  for (guint32 at = nodes->piece_first[node]; at != LK_PIECE_NONE;
       at = lk_piece (nodes, at)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, at);
    gboolean may_share = (piece->flags & LK_PIECE_SHARING) != 0;
    if ((piece->flags & LK_PIECE_STOPPED) != 0)
      continue;
    awake_count += piece->cpus > 0 ? 1 : 0;
    whole_count += piece->cpus > 0 && (piece->flags & LK_PIECE_WHOLE) != 0 ? 1 : 0;
    for (guint32 word = 0; word < nodes->core_words; word++) {
      if (!may_share && (cores[word] & piece->cores[word]) != 0)
        return FALSE;
      cores[word] |= piece->cores[word];
    }
  }
  return whole_count == 0 || awake_count == 1;
}

gboolean
lk_carry_is_sound (LkEngine *self)
{
  lk_engine_gang_settle (self);
  if (!lk_engine_gang_is_sound (self))
    return FALSE;
  for (guint32 node = 0; self->machine != NULL && node < self->machine->nodes.node_count; node++)
    if (!node_is_sound (&self->machine->nodes, node))
      return FALSE;
  return TRUE;
}
