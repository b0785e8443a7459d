/* engine/engine_accounts_change.c — associations and QOS are added, changed and deleted.
 *
 * The first such event gives the engine accounts of its own; each one makes books anew, which take
 * over what was used, and counts the jobs in them.  That costs O(jobs + associations), and nothing
 * where no such event comes.
 *
 * - Jobs keep their association and their QOS.  What has jobs in the system, or is the QOS of a
 *   partition, is not deleted.
 * - Jobs that a limit keeps are looked at again; limits that got lower keep jobs from starting from
 *   the next pass on, and end running ones as limits on use do.
 * - What was used goes with an association; the use of accounts is what their users have, so that
 *   that of a user who is deleted or moved is no more theirs.
 * - Priorities follow in the next calculation period.
 *
 * Source: Slurm, sacctmgr(1); src/common/assoc_mgr.c. */
#include "engine/accounts_change.h"
#include "engine/assert.h"
#include "engine/carry.h"
#include "engine/engine_life.h"
#include "engine/engine_private.h"

/* Where everything is that was, and was what is; LK_INDEX_NONE: nowhere. */
typedef struct {
  guint32 *association_from; /* by index among the changed ones */
  guint32 *association_to;   /* by index among those before */
  guint32 *qos_from;
  guint32 *qos_to;
} Move;

static guint32 *
places_new (guint32 count)
{
  guint32 *places = g_new0 (guint32, count);
  for (guint32 i = 0; i < count; i++)
    places[i] = LK_INDEX_NONE;
  return places;
}

static void
move_init (Move *self, const LkBook *book, const LkAccounts *changed)
{
  *self =
      (Move){ places_new (changed->associations->len), places_new (book->view.association_count),
              places_new (changed->qos->len), places_new (book->view.qos_count) };
  for (guint32 i = 0; i < changed->associations->len; i++) {
    guint32 from = lk_book_find_spec (book, g_ptr_array_index (changed->associations, i));
    self->association_from[i] = from;
    if (from != LK_INDEX_NONE)
      self->association_to[from] = i;
  }
  for (guint32 i = 0; i < changed->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (changed->qos, i);
    guint32 from = lk_book_find_qos (book, lk_text (spec->name));
    self->qos_from[i] = from;
    if (from != LK_INDEX_NONE)
      self->qos_to[from] = i;
  }
}

static void
move_clear (Move *self)
{
  g_free (self->association_from);
  g_free (self->association_to);
  g_free (self->qos_from);
  g_free (self->qos_to);
}

static guint32
moved (const guint32 *to, guint32 index)
{
  return index != LK_INDEX_NONE ? to[index] : LK_INDEX_NONE;
}

/* Is something that goes in use? */
static gboolean
is_in_use (const LkEngine *self, const Move *move)
{
  const LkJobTable *jobs = &self->jobs;
  for (guint32 i = 0; i < self->view.partition_count; i++) {
    guint32 qos = self->partitions[i].qos;
    if (qos != LK_INDEX_NONE && move->qos_to[qos] == LK_INDEX_NONE)
      return TRUE;
  }
  for (LkJobIndex job = 0; job < jobs->limit; job++) {
    guint32 association = jobs->association[job];
    guint32 qos = jobs->qos[job];
    if (jobs->phase[job] != LK_PHASE_FREE
        && ((association != LK_INDEX_NONE && move->association_to[association] == LK_INDEX_NONE)
            || (qos != LK_INDEX_NONE && move->qos_to[qos] == LK_INDEX_NONE)))
      return TRUE;
  }
  return FALSE;
}

/* ---------------------------------------------------------------- jobs */

/* Off the lists of what keeps them, and out of ranks whose order may change. */
static void
take_out (LkEngine *self, const GArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->jobs.phase[job] == LK_PHASE_BLOCKED)
      lk_engine_unpark (self, job);
    if (self->preemption == NULL || self->jobs.phase[job] != LK_PHASE_QUEUED)
      continue;
    lk_rank_remove (self->queue, job);
    if (self->backfill_queue != NULL)
      lk_rank_remove (self->backfill_queue, job);
  }
}

static void
count_in (LkEngine *self, LkJobIndex job, const Move *move)
{
  LkJobCount *count = &self->book->job_counts[job];
  gboolean is_accruing = count->is_accruing != 0;
  self->jobs.association[job] = moved (move->association_to, self->jobs.association[job]);
  self->jobs.qos[job] = moved (move->qos_to, self->jobs.qos[job]);
  count->is_accruing = 0;
  count->parked_holder = LK_INDEX_NONE;
  count->is_timed = count->is_there = 0;
  lk_engine_account_submitted (self, job);
  lk_engine_count_accruing (self, job, is_accruing);
  if (lk_engine_has_started (self, job))
    lk_engine_account_take (self, job, TRUE);
}

static void
put_back (LkEngine *self, const GArray *jobs)
{
  const LkBackfillPolicy *backfill = self->config.backfill;
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    guint8 phase = self->jobs.phase[job];
    if (self->preemption != NULL && lk_engine_is_in_line (self, job))
      lk_engine_set_level (self, job);
    if (self->preemption == NULL || phase != LK_PHASE_QUEUED)
      continue;
    lk_rank_insert (self->queue, job);
    if (self->backfill_queue != NULL)
      lk_rank_insert (self->backfill_queue, job);
  }
  if (self->preemption != NULL && backfill->order_changed != NULL)
    backfill->order_changed (self->instances[LK_INSTANCE_BACKFILL].self, &self->view);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (self->jobs.phase[job] == LK_PHASE_BLOCKED)
      lk_engine_requeue_blocked (self, job);
  }
}

/* ---------------------------------------------------------------- books and policies */

/* Books of these accounts, in place of those there are. Returns: (transfer full): those. */
static LkBook *
replace_book (LkEngine *self, LkAccounts *accounts)
{
  LkBook *before = self->book;
  self->book = lk_book_new (accounts, self->machine, self->view.units_total);
  self->view.accounts = &self->book->view;
  for (guint32 i = 0; self->machine != NULL && i < self->machine->partition_count; i++) {
    const char *name = self->machine->partitions[i].spec->qos;
    if (name[0] != '\0')
      self->partitions[i].qos = lk_book_find_qos (self->book, lk_text (name));
  }
  if (self->preemption != NULL)
    lk_preemption_read_qos (self->preemption, accounts);
  return before;
}

/* What was counted for is no more. */
static void
drop_before (LkEngine *self, LkBook *before, LkAccounts *accounts)
{
  lk_book_free (before);
  lk_accounts_free (self->own_accounts);
  self->own_accounts = accounts;
}

static void
tell_orders (LkEngine *self, const Move *move)
{
  const LkOrderPolicy *order = self->config.order;
  const LkOrderPolicy *other = self->config.backfill_order;
  LkShareParts parts;
  if (order->accounts_changed != NULL)
    order->accounts_changed (self->instances[LK_INSTANCE_ORDER].self, &self->view,
                             move->association_from);
  if (other != NULL && other->accounts_changed != NULL)
    other->accounts_changed (self->instances[LK_INSTANCE_BACKFILL_ORDER].self, &self->view,
                             move->association_from);
  for (guint32 i = 0; order->explain_share != NULL && i < self->book->view.association_count; i++)
    if (move->association_from[i] == LK_INDEX_NONE
        && order->explain_share (self->instances[LK_INSTANCE_ORDER].self, &self->view, i, &parts))
      self->book->associations[i].fairshare = parts.fairshare;
}

/* Is the tree, or what was used in it, another than before? */
static gboolean
moves_use (const LkEvent *event)
{
  const guint32 parent = 1u << LK_ASSOCIATION_CHANGE_parent;
  return event->kind == LK_EVENT_ASSOCIATION
         && (event->association.operation != LK_ACCOUNTS_CHANGE
             || (event->association.changes & parent) != 0
             || lk_accounts_forgets_use (&event->association));
}

static void
settle_use (LkEngine *self, const LkEvent *event, const LkAccounts *accounts)
{
  if (!moves_use (event))
    return;
  if (lk_accounts_forgets_use (&event->association)) {
    const LkEvent_association *meant = &event->association;
    g_autofree char *account = g_strndup (meant->account.bytes, meant->account.length_bytes);
    g_autofree char *user = g_strndup (meant->user.bytes, meant->user.length_bytes);
    g_autofree char *partition = g_strndup (meant->partition.bytes, meant->partition.length_bytes);
    const LkAssociationSpec *spec = lk_accounts_find (accounts, account, user, partition);
    lk_book_forget_use (self->book, lk_book_find_spec (self->book, spec));
  }
  lk_book_sum_up (self->book);
}

static void
take_up (LkEngine *self, const LkEvent *event, LkAccounts *changed, const Move *move)
{
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  take_out (self, jobs);
  LkBook *before = replace_book (self, changed);
  gboolean had_accrue_limit = before->any_accrue_limit;
  lk_book_take_over (self->book, before, move->association_from, move->qos_from);
  drop_before (self, before, changed);
  settle_use (self, event, changed);
  for (guint i = 0; i < jobs->len; i++)
    count_in (self, g_array_index (jobs, LkJobIndex, i), move);
  tell_orders (self, move);
  put_back (self, jobs);
  if (had_accrue_limit)
    lk_engine_accrue_again (self);
  self->run_check_due = self->view.running_count > 0 && lk_engine_use_ends_jobs (self);
  self->changed = TRUE;
}

LkReject
lk_engine_accounts_event (LkEngine *self, const LkEvent *event)
{
  if (self->book == NULL)
    return LK_REJECT_DISABLED;
  g_autoptr (LkAccounts) changed = lk_accounts_copy (self->book->spec);
  LkReject reject = event->kind == LK_EVENT_QOS
                        ? lk_accounts_change_qos (changed, &event->qos)
                        : lk_accounts_change_association (changed, &event->association);
  if (reject != 0)
    return reject;
  Move move;
  move_init (&move, self->book, changed);
  if (is_in_use (self, &move)) {
    reject = LK_REJECT_ACCOUNTS_IN_USE;
  } else {
    lk_engine_accept (self, LK_JOB_NONE);
    take_up (self, event, g_steal_pointer (&changed), &move);
  }
  move_clear (&move);
  return reject;
}

/* ---------------------------------------------------------------- snapshot */

void
lk_engine_save_accounts (const LkEngine *self, GByteArray *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (self->own_accounts != NULL)
    lk_accounts_text (self->own_accounts, text);
  lk_append_u32 (out, (guint32)text->len);
  g_byte_array_append (out, (const guint8 *)text->str, (guint)text->len);
}

/* No event changes these. */
static gboolean
has_same_settings (const LkAccounts *a, const LkAccounts *b)
{
  gboolean is_same =
      a->tres->len == b->tres->len && a->enforce == b->enforce && a->compat == b->compat
      && a->calc_period_us == b->calc_period_us && a->half_life_us == b->half_life_us
      && a->reset == b->reset && a->utc_offset_s == b->utc_offset_s && a->billing == b->billing
      && a->accrue_always == b->accrue_always && g_strcmp0 (a->cluster, b->cluster) == 0;
  for (guint i = 0; is_same && i < a->tres->len; i++)
    is_same = g_strcmp0 (g_ptr_array_index (a->tres, i), g_ptr_array_index (b->tres, i)) == 0;
  return is_same;
}

gboolean
lk_engine_load_accounts (LkEngine *self, LkBytesReader *reader)
{
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *bytes = lk_take (reader, length_bytes);
  if (bytes != NULL && self->carry != NULL) {
    LkAccounts *carried = lk_accounts_copy (self->carry->accounts);
    drop_before (self, replace_book (self, carried), carried);
    return TRUE;
  }
  if (bytes == NULL || length_bytes == 0)
    return bytes != NULL;
  g_autoptr (LkAccounts) accounts = lk_accounts_from_text ((const char *)bytes, length_bytes, NULL);
  if (accounts == NULL || !has_same_settings (accounts, self->config.accounts))
    return FALSE;
  for (guint32 i = 0; self->machine != NULL && i < self->machine->partition_count; i++) {
    const char *name = self->machine->partitions[i].spec->qos;
    if (name[0] != '\0' && lk_accounts_find_qos (accounts, name) == NULL)
      return FALSE;
  }
  LkAccounts *own = g_steal_pointer (&accounts);
  drop_before (self, replace_book (self, own), own);
  return TRUE;
}
