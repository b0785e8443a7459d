/* engine/engine_snapshot.c — the whole state as bytes, and back.
 *
 * Layout: magic, version, digest of the configuration, counters, users in the order they were
 * first seen, arrays and jobs by rising id with every column of LK_JOB_COLUMNS, jobs that have
 * ended, what jobs wait for of others, the state of each policy with its length, CRC-32C of all
 * before it.  Nothing of the memory layout goes in, so equal states give equal bytes.  Ranks are
 * rebuilt from the keys. The reader trusts nothing: the CRC first, then every count against the
 * bytes left, every value against its range. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/carry.h"
#include "engine/checked.h"
#include "engine/crc32c.h"
#include "engine/engine_array.h"
#include "engine/engine_gang.h"
#include "engine/engine_het.h"
#include "engine/engine_life.h"
#include "engine/limits.h"

#define MAGIC "LKSNAPSH"
#define MAGIC_BYTES 8u
#define VERSION 6u

/* More than any job costs in a second. */
#define BILLING_MAX 1e36

/* The scalars of the state: S (kind of the codec, lvalue, type of the lvalue). */
#define SNAPSHOT_SCALARS(S)                                                                        \
  S (u64, self->event_count, guint64)                                                              \
  S (u64, self->decision_count, guint64)                                                           \
  S (u64, self->digest.v[0], guint64)                                                              \
  S (u64, self->digest.v[1], guint64)                                                              \
  S (u64, self->digest.v[2], guint64)                                                              \
  S (u64, self->digest.v[3], guint64)                                                              \
  S (u64, self->digest.byte_count, guint64)                                                        \
  S (i64, self->view.now_us, gint64)                                                               \
  S (i64, self->view.origin_us, gint64)                                                            \
  S (i64, self->wake_us, gint64)                                                                   \
  S (i64, self->policy_wake_us, gint64)                                                            \
  S (i64, self->cycle_us, gint64)                                                                  \
  S (u8, self->run_check_due, gboolean)                                                            \
  S (u32, self->job_id_last, guint32)                                                              \
  S (u8, self->changed, gboolean)

/* ---------------------------------------------------------------- configuration digest */

static void
digest_text (LkDigest *digest, const char *text)
{
  lk_digest_add (digest, (const guint8 *)text, strlen (text));
}

static void
digest_u64 (LkDigest *digest, guint64 value)
{
  guint8 bytes[8];
  lk_put_u64 (bytes, value);
  lk_digest_add (digest, bytes, sizeof bytes);
}

static void
digest_policy (LkDigest *digest, const LkPolicy *policy, const LkParamValues *values)
{
  digest_text (digest, policy->name);
  digest_u64 (digest, policy->version);
  for (guint i = 0; i < values->count; i++) {
    const LkParam *param = &policy->params[i];
    guint64 bits;
    digest_text (digest, param->name);
    switch (param->type) {
    case LK_PARAM_INTEGER:
      digest_u64 (digest, (guint64)values->values[i].integer);
      break;
    case LK_PARAM_REAL:
      memcpy (&bits, &values->values[i].real, sizeof bits);
      digest_u64 (digest, bits);
      break;
    default:
      digest_text (digest, values->values[i].text);
    }
  }
}

LkDigestValue
lk_engine_config_digest (const LkEngineConfig *config)
{
  LkDigest digest;
  lk_digest_init (&digest);
  digest_u64 (&digest, config->units_total);
  if (config->cluster != NULL) {
    g_autoptr (GString) text = g_string_new (NULL);
    lk_cluster_text (config->cluster, text);
    digest_text (&digest, text->str);
  }
  digest_u64 (&digest, (guint64)config->origin_us);
  digest_policy (&digest, &config->order->base, &config->order_values);
  if (config->backfill_order != NULL)
    digest_policy (&digest, &config->backfill_order->base, &config->backfill_order_values);
  digest_policy (&digest, &config->backfill->base, &config->backfill_values);
  digest_policy (&digest, &config->select->base, &config->select_values);
  if (config->accounts != NULL) {
    g_autoptr (GString) text = g_string_new (NULL);
    lk_accounts_text (config->accounts, text);
    digest_text (&digest, text->str);
    digest_policy (&digest, &config->limits->base, &config->limits_values);
  }
  if (config->preempt != NULL && config->preempt->may_preempt != NULL)
    digest_policy (&digest, &config->preempt->base, &config->preempt_values);
  if (config->tells_standing)
    digest_text (&digest, "tells standing");
  if (config->requeues_ended)
    digest_text (&digest, "requeues ended");
  if (config->requeues_at_end)
    digest_text (&digest, "requeues at end");
  return lk_digest_value (&digest);
}

/* ---------------------------------------------------------------- save */

static void
save_bytes (void *sink, const void *bytes, uint32_t byte_count)
{
  g_byte_array_append (sink, bytes, byte_count);
}

static void
save_real (GByteArray *out, double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  lk_append_u64 (out, bits);
}

static void
save_users (const LkEngine *self, GByteArray *out)
{
  lk_append_u32 (out, self->users->len);
  for (guint i = 0; i < self->users->len; i++) {
    const LkUserUsage *user = &g_array_index (self->users, LkUserUsage, i);
    lk_append_u32 (out, user->user_id);
    lk_append_u64 (out, user->running_procs);
    save_real (out, user->ended_proc_s);
    save_real (out, user->running_start_proc_s);
  }
}

/* What the order last calculated, which it would not again from the use of now. */
static void
save_fairshare (const LkEngine *self, GByteArray *out)
{
  for (guint32 i = 0; i < self->book->view.association_count; i++)
    save_real (out, self->book->associations[i].fairshare);
}

/* What is counted for the job in the books. */
static void
save_count (const LkEngine *self, LkJobIndex job, GByteArray *out)
{
  const LkJobCount *count = &self->book->job_counts[job];
  const guint64 *tres = lk_book_job_tres (self->book, job);
  lk_append_i64 (out, count->charged_us);
  save_real (out, count->billing);
  lk_append_u64 (out, count->booked_run_s);
  lk_append_u32 (out, count->parked_holder);
  lk_append_u8 (out, count->is_timed);
  lk_append_u8 (out, count->is_there);
  lk_append_u8 (out, count->is_accruing);
  lk_append_u8 (out, count->reason_told);
  for (guint32 t = 0; t < self->book->tres_count; t++)
    lk_append_u64 (out, tres[t]);
}

static void
save_jobs (const LkEngine *self, GByteArray *out)
{
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  lk_append_u32 (out, jobs->len);
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
#define C(type, name, wire) lk_append_##wire (out, self->jobs.name[job]);
    LK_JOB_COLUMNS (C)
#undef C
    lk_terms_save (self->jobs.terms[job], out);
    lk_life_save (self->jobs.lives[job], out);
    if (self->preemption != NULL)
      lk_preempt_mark_save (&self->preemption->marks[job], out);
    lk_engine_save_standing (self, job, out);
    if (self->machine != NULL)
      lk_engine_save_place (self, job, out);
    if (self->book != NULL)
      save_count (self, job, out);
  }
}

static void
save_policies (const LkEngine *self, GByteArray *out)
{
  for (guint i = 0; i < LK_INSTANCE_COUNT; i++) {
    const LkInstance *instance = &self->instances[i];
    g_autoptr (GByteArray) state = g_byte_array_new ();
    if (instance->policy != NULL && instance->policy->save != NULL)
      instance->policy->save (instance->self, &self->view, save_bytes, state);
    lk_append_u32 (out, state->len);
    g_byte_array_append (out, state->data, state->len);
  }
}

void
lk_engine_save_state (const LkEngine *self, GByteArray *out)
{
#define S(wire, value, type) lk_append_##wire (out, (LK_TYPE_##wire)value);
  SNAPSHOT_SCALARS (S)
#undef S
  save_users (self, out);
  if (self->book != NULL) {
    lk_engine_save_accounts (self, out);
    lk_book_save (self->book, out);
    save_fairshare (self, out);
  }
  if (self->machine != NULL) {
    lk_engine_save_nodes (self, out);
    lk_reservations_save (self->reservations, out);
  }
  lk_engine_save_arrays (self, out);
  save_jobs (self, out);
  if (self->machine != NULL)
    lk_engine_save_reservations (self, out);
  if (self->preemption != NULL)
    lk_append_i64 (out, self->preemption->wake_us);
  lk_engine_save_gang (self, out);
  lk_engine_save_dependencies (self, out);
  lk_engine_save_hets (self, out);
  save_policies (self, out);
  /* What is listed for that is scratch. */
  lk_engine_save_het_places ((LkEngine *)(gpointer)self, out);
}

void
lk_engine_save (const LkEngine *self, GByteArray *out)
{
  guint begin = out->len;
  LK_ASSERT (self->event == NULL);
  g_byte_array_append (out, (const guint8 *)MAGIC, MAGIC_BYTES);
  lk_append_u32 (out, VERSION);
  lk_engine_save_config (self, out);
  lk_engine_save_state (self, out);
  LkCrc32c *crc = g_new (LkCrc32c, 1);
  lk_crc32c_init (crc);
  lk_append_u32 (out, lk_crc32c (crc, out->data + begin, out->len - begin));
  g_free (crc);
}

/* ---------------------------------------------------------------- load */

static gboolean
crc_holds (const guint8 *bytes, gsize length_bytes)
{
  LkCrc32c *crc = g_new (LkCrc32c, 1);
  LkBytesReader tail = { bytes + length_bytes - 4, 4, FALSE };
  lk_crc32c_init (crc);
  gboolean holds = lk_crc32c (crc, bytes, length_bytes - 4) == lk_take_u32 (&tail);
  g_free (crc);
  return holds;
}

static double
take_real (LkBytesReader *reader)
{
  guint64 bits = lk_take_u64 (reader);
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

static gboolean
load_users (LkEngine *self, LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    guint32 user_id = lk_take_u32 (reader);
    LkUserUsage *user = lk_engine_user (self, user_id);
    if (self->users->len != i + 1 || user->user_id != user_id)
      return FALSE;
    user->running_procs = lk_take_u64 (reader);
    user->ended_proc_s = take_real (reader);
    user->running_start_proc_s = take_real (reader);
  }
  return !reader->failed;
}

static gboolean
load_fairshare (LkEngine *self, LkBytesReader *reader)
{
  for (guint32 i = 0; i < self->book->view.association_count; i++) {
    double fairshare = take_real (reader);
    if (!(fairshare >= -1.0 && fairshare <= 1.0)) /* below 0: it has none */
      return FALSE;
    self->book->associations[i].fairshare = fairshare;
  }
  return !reader->failed;
}

static gboolean
account_is_valid (const LkEngine *self, LkJobIndex job)
{
  const LkJobTable *jobs = &self->jobs;
  guint32 partition =
      self->machine != NULL ? lk_machine_request (self->machine, jobs->request[job])->partition : 0;
  if (jobs->partition[job] != partition)
    return FALSE;
  if (jobs->is_plain
      && (jobs->nice[job] != 0 || jobs->site_factor[job] != 0 || jobs->direct_priority[job] != 0
          || jobs->accrue_us[job] != LK_TIME_NEVER))
    return FALSE;
  if (self->book == NULL || jobs->association[job] == LK_INDEX_NONE)
    return jobs->association[job] == LK_INDEX_NONE && jobs->qos[job] == LK_INDEX_NONE;
  return jobs->association[job] < self->book->view.association_count
         && (jobs->qos[job] == LK_INDEX_NONE || jobs->qos[job] < self->book->view.qos_count);
}

/* May it count among the ageing jobs? */
static gboolean
may_accrue (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_in_line (self, job) || lk_engine_is_het (self, job)
         || (self->jobs.phase[job] == LK_PHASE_HELD
             && self->jobs.hold_reason[job] == LK_REASON_ARRAY_TASK_LIMIT);
}

/* What the books count for a job, and the holders that follow from it. */
static gboolean
load_count (LkEngine *self, LkJobIndex job, LkBytesReader *reader)
{
  LkBook *book = self->book;
  lk_book_reserve_jobs (book, self->jobs.limit);
  LkJobCount *count = &book->job_counts[job];
  guint64 *tres = lk_book_job_tres (book, job);
  *count = (LkJobCount){ .charged_us = lk_take_i64 (reader) };
  count->billing = take_real (reader);
  count->booked_run_s = lk_take_u64 (reader);
  count->parked_holder = lk_take_u32 (reader);
  count->is_timed = lk_take_u8 (reader);
  count->is_there = lk_take_u8 (reader);
  guint8 is_accruing = lk_take_u8 (reader);
  count->reason_told = lk_take_u8 (reader);
  for (guint32 t = 0; t < lk_carry_tres_count (self); t++)
    tres[t] = lk_take_u64 (reader);
  if (self->carry != NULL)
    lk_carry_tres (self, job);
  gboolean is_running = lk_engine_has_started (self, job);
  if (reader->failed || count->is_timed > 1 || count->is_there > 1 || is_accruing > 1
      || !(count->billing >= 0 && count->billing <= BILLING_MAX)
      || (is_running && count->charged_us > self->view.now_us)
      || count->reason_told >= LK_REASON_LIMIT
      || (count->parked_holder != LK_INDEX_NONE && count->parked_holder >= book->holders->len)
      || (is_accruing != 0 && !may_accrue (self, job)) || (count->booked_run_s > 0 && !is_running))
    return FALSE;
  lk_engine_account_submitted (self, job);
  lk_engine_count_accruing (self, job, is_accruing);
  if (is_running)
    lk_engine_account_take (self, job, TRUE);
  else if (self->jobs.phase[job] == LK_PHASE_BLOCKED)
    lk_engine_park (self, job);
  return TRUE;
}

/* Of a job that has not started. */
static gboolean
run_is_none (const LkEngine *self, LkJobIndex job)
{
  const LkLife *life = lk_engine_life (self, job);
  return life->suspended_us == 0 && life->suspend_us == 0 && life->has_resumed == 0
         && life->is_warned == 0 && life->in_grace == 0 && life->in_turn == 0
         && life->is_sigstopped == 0 && life->is_extended == 0 && life->limit_asked_us == 0
         && (life->is_special == 0 || self->jobs.phase[job] == LK_PHASE_HELD);
}

/* Of one that has: may it have its times? */
static gboolean
run_is_valid (const LkEngine *self, LkJobIndex job)
{
  const LkJobTable *jobs = &self->jobs;
  const LkLife *life = lk_engine_life (self, job);
  gint64 now_us = self->view.now_us;
  gboolean is_suspended = jobs->phase[job] == LK_PHASE_SUSPENDED;
  gboolean shares = self->machine != NULL && self->machine->has_sharing;
  if (jobs->start_us[job] < jobs->submit_us[job] || jobs->start_us[job] > now_us
      || (life->is_special != 0 && jobs->kill_why[job] != LK_KILL_REQUEUED)
      || (life->in_turn != 0 && (!is_suspended || self->gang == NULL))
      || (life->is_sigstopped != 0 && is_suspended)
      || (life->has_resumed != 0
          && (life->resume_us < jobs->start_us[job] || life->resume_us > now_us)))
    return FALSE;
  if (is_suspended)
    return (jobs->expected_end_us[job] == LK_TIME_NEVER || life->in_turn != 0)
           && life->suspend_us <= now_us && life->suspend_us >= lk_engine_runs_since_us (self, job);
  return (shares || jobs->units[job] <= self->view.units_free) && life->suspend_us == 0
         && (jobs->expected_end_us[job] == lk_engine_limit_end_us (self, job)
             || lk_engine_is_preempted (self, job));
}

/* Is the row that was just read one that an engine under this configuration could have? */
static gboolean
row_is_valid (const LkEngine *self, LkJobIndex job)
{
  const LkJobTable *jobs = &self->jobs;
  guint8 phase = jobs->phase[job];
  if (phase != LK_PHASE_QUEUED && phase != LK_PHASE_HELD && !lk_engine_has_started (self, job)
      && (phase != LK_PHASE_BLOCKED || self->book == NULL))
    return FALSE;
  if (!account_is_valid (self, job))
    return FALSE;
  gboolean may_hold = phase == LK_PHASE_HELD || lk_engine_has_started (self, job);
  if (jobs->held_by[job] > (may_hold ? LK_HELD_FOR_CONSTRAINTS : LK_HELD_BY_NOBODY)
      || !lk_engine_terms_are_valid (lk_terms_asked (jobs->terms[job]))
      || !lk_engine_may_be_stuck (self, job)
      || jobs->kill_why[job] >= (lk_engine_has_started (self, job) ? LK_KILL_LIMIT : 1))
    return FALSE;
  gboolean may_note = phase == LK_PHASE_QUEUED && self->config.backfill->notes_reasons;
  if (jobs->wait_noted[job] > (may_note ? LK_WAIT_NODES : LK_WAIT_NONE))
    return FALSE;
  if (jobs->procs[job] < 1 || jobs->units[job] < 1)
    return FALSE;
  if ((self->machine == NULL || !lk_engine_has_started (self, job))
      && jobs->units[job] != lk_engine_units ((LkEngine *)(gpointer)self, job))
    return FALSE;
  if (jobs->hold_reason[job] >= (phase == LK_PHASE_HELD ? LK_REASON_LIMIT : 1)
      || (phase == LK_PHASE_HELD && jobs->hold_reason[job] == LK_REASON_NONE))
    return FALSE;
  if (jobs->estimate_us[job] <= 0 || jobs->submit_us[job] > self->view.now_us)
    return FALSE;
  return lk_engine_has_started (self, job) ? run_is_valid (self, job) : run_is_none (self, job);
}

/* Do the users' running processors add up from the jobs? */
static gboolean
users_agree (const LkEngine *self)
{
  const LkJobTable *jobs = &self->jobs;
  g_autofree guint64 *running_procs = g_new0 (guint64, self->users->len + 1);
  for (LkJobIndex job = 0; job < jobs->limit; job++) {
    guint32 user = lk_engine_user_index (self, jobs->user_id[job]);
    if (jobs->phase[job] == LK_PHASE_RUNNING && user == LK_JOB_NONE)
      return FALSE;
    if (jobs->phase[job] == LK_PHASE_RUNNING)
      running_procs[user] += jobs->procs[job];
  }
  for (guint i = 0; i < self->users->len; i++) {
    const LkUserUsage *user = &g_array_index (self->users, LkUserUsage, i);
    if (user->running_procs != running_procs[i] || !(user->ended_proc_s >= 0.0))
      return FALSE;
  }
  return TRUE;
}

static void
take_up (LkEngine *self, LkJobIndex job)
{
  /* Components that wait have keys of the queue, too. */
  if (self->preemption != NULL
      && (lk_engine_is_in_line (self, job) || lk_engine_is_het (self, job)))
    lk_engine_set_level (self, job);
  switch (self->jobs.phase[job]) {
  case LK_PHASE_QUEUED:
    lk_rank_insert (self->queue, job);
    if (self->backfill_queue != NULL)
      lk_rank_insert (self->backfill_queue, job);
    self->view.pending_count++;
    break;
  case LK_PHASE_BLOCKED:
    break; /* when its holder is known */
  case LK_PHASE_HELD:
    self->held_count++;
    if (self->jobs.hold_reason[job] == LK_REASON_BEGIN_TIME)
      lk_engine_wait (self, job);
    break;
  case LK_PHASE_SUSPENDED:
    g_array_append_val (self->suspended, job); /* jobs come by rising id */
    break;
  default:
    lk_rank_insert (self->running, job);
    if (self->jobs.kill_why[job] == 0)
      lk_engine_arm (self, job);
    self->view.running_count++;
    if (self->machine == NULL || !self->machine->has_sharing)
      self->view.units_free -= self->jobs.units[job];
  }
}

/* What was begun with the job; in a state in which that can be. */
static gboolean
load_mark (LkEngine *self, LkJobIndex job, LkBytesReader *reader)
{
  LkPreemptMark unused;
  if (self->preemption == NULL)
    return !lk_carry_has_preemption (self) || lk_preempt_mark_load (&unused, reader);
  lk_preemption_reserve (self->preemption, self->jobs.limit);
  if (!lk_carry_has_preemption (self))
    return TRUE;
  LkPreemptMark *mark = &self->preemption->marks[job];
  guint8 phase = self->jobs.phase[job];
  return lk_preempt_mark_load (mark, reader)
         && (mark->mode == LK_PREEMPT_OFF
             || (phase == LK_PHASE_RUNNING && mark->preempt_us <= self->view.now_us))
         && (mark->claim_us == LK_TIME_NEVER || phase == LK_PHASE_QUEUED);
}

static gboolean
load_jobs (LkEngine *self, LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  guint32 id_last = 0;
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    guint32 id = lk_take_u32 (reader);
    if (reader->failed || id <= id_last || id > self->job_id_last)
      return FALSE;
    id_last = self->loaded_id = id;
    LkJobIndex job = lk_job_table_add (&self->jobs, id);
    /* The first column, the id, has been read. */
    LkBytesReader row = { reader->at - 4, reader->left_bytes + 4, reader->failed };
#define C(type, name, wire) self->jobs.name[job] = lk_take_##wire (&row);
    LK_JOB_COLUMNS (C)
#undef C
    *reader = row;
    if (reader->failed || !lk_terms_load (reader, &self->jobs.terms[job])
        || !lk_life_load (reader, &self->jobs.lives[job]) || !load_mark (self, job, reader)
        || !lk_engine_load_standing (self, job, reader)
        || (self->machine != NULL && !lk_engine_load_request (self, job, reader)))
      return FALSE;
    if (self->carry != NULL)
      lk_carry_job (self, job);
    if (!row_is_valid (self, job) || !lk_engine_take_up_reason (self, job)
        || !lk_engine_load_task (self, job))
      return FALSE;
    take_up (self, job);
    if (!lk_engine_has_started (self, job))
      lk_engine_watch_deadline (self, job);
    if (self->machine != NULL && !lk_engine_load_place (self, job, reader))
      return FALSE;
    if (self->book != NULL && !load_count (self, job, reader))
      return FALSE;
  }
  self->view.job_index_limit = self->jobs.limit;
  self->loaded_id = 0;
  return !reader->failed;
}

static gboolean
load_policies (LkEngine *self, LkBytesReader *reader)
{
  for (guint i = 0; i < LK_INSTANCE_COUNT; i++) {
    const LkInstance *instance = &self->instances[i];
    guint32 length_bytes = lk_take_u32 (reader);
    const guint8 *bytes = lk_take (reader, length_bytes);
    if (bytes == NULL || length_bytes > LK_LIMIT_POLICY_STATE_BYTES)
      return FALSE;
    if (self->carry != NULL && !self->carry->keeps[i])
      continue;
    gboolean keeps_state = instance->policy != NULL && instance->policy->load != NULL;
    if (!keeps_state && length_bytes > 0)
      return FALSE;
    if (keeps_state && !instance->policy->load (instance->self, &self->view, bytes, length_bytes))
      return FALSE;
  }
  return TRUE;
}

static void
load_scalars (LkEngine *self, LkBytesReader *reader)
{
#define S(wire, value, type) value = (type)lk_take_##wire (reader);
  SNAPSHOT_SCALARS (S)
#undef S
}

gboolean
lk_engine_load_state (LkEngine *self, LkBytesReader *reader)
{
  load_scalars (self, reader);
  if (reader->failed || !load_users (self, reader)
      || (self->book != NULL
          && (!lk_engine_load_accounts (self, reader)
              || !lk_book_load (self->book, lk_carry_tres_count (self), reader)
              || !load_fairshare (self, reader)))
      || (self->machine != NULL
          && (!lk_engine_load_nodes (self, reader)
              || !lk_reservations_load (self->reservations, self->carry, reader)))
      || !lk_engine_load_arrays (self, reader) || !load_jobs (self, reader)
      || (self->machine != NULL && !lk_engine_load_reservations (self, reader))
      || !lk_engine_arrays_agree (self) || !users_agree (self))
    return FALSE;
  gint64 wake_us = lk_carry_has_preemption (self) ? lk_take_i64 (reader) : LK_TIME_NEVER;
  if (self->preemption != NULL)
    self->preemption->wake_us = wake_us;
  return lk_engine_load_gang (self, reader) && lk_engine_load_dependencies (self, reader)
         && lk_engine_load_hets (self, reader) && load_policies (self, reader)
         && lk_engine_load_het_places (self, reader) && reader->left_bytes == 0;
}

/* What stands before the state. */
static LkStatus
open_bytes (const LkEngineConfig *first, LkBytesReader *reader, LkInForce *out_force)
{
  const guint8 *bytes = reader->at;
  gsize length_bytes = reader->left_bytes;
  const guint8 *magic = lk_take (reader, MAGIC_BYTES);
  *out_force = (LkInForce){ 0 };
  if (magic == NULL || memcmp (magic, MAGIC, MAGIC_BYTES) != 0 || lk_take_u32 (reader) != VERSION)
    return LK_STATUS_BYTES_INVALID;
  if (length_bytes < MAGIC_BYTES + 8 || !crc_holds (bytes, length_bytes))
    return LK_STATUS_BYTES_INVALID;
  reader->left_bytes -= 4; /* the CRC */
  return lk_engine_load_config (first, reader, out_force);
}

LkEngine *
lk_engine_load (const LkEngineConfig *config, const guint8 *bytes, gsize length_bytes,
                LkStatus *out_status)
{
  LkPolicyError error;
  LkInForce force;
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  *out_status = open_bytes (config, &reader, &force);
  if (*out_status != LK_STATUS_OK)
    return NULL;
  gboolean is_first = force.made == NULL;
  g_autoptr (LkEngine) self = lk_engine_new_under (config, is_first ? NULL : &force, &error);
  lk_in_force_clear (&force, config);
  if (self == NULL)
    *out_status = LK_STATUS_CONFIG_OTHER;
  else if (!lk_engine_load_state (self, &reader))
    *out_status = LK_STATUS_BYTES_INVALID;
  return *out_status == LK_STATUS_OK ? g_steal_pointer (&self) : NULL;
}
