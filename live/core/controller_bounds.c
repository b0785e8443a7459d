/* live/core/controller_bounds.c — what users may keep in the controller, how often they may ask.
 *
 * Nothing here is an event: what is refused leaves no trace in the journal, and a journal is read
 * again whatever the bounds are then.  Source: slurm.conf(5) of Slurm 26.05, MaxJobCount,
 * SchedulerParameters=max_script_size, SlurmctldParameters=rl_enable; the bounds on bytes are
 * ours. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/task_set.h"
#include "live/core/batch.h"
#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- jobs */

/* Each task of an array is a job; what cannot be read the engine refuses. */
static guint32
jobs_of_event (const LkEvent_submit *submit)
{
  LkTaskSet tasks;
  guint32 throttle;
  if (submit->array.length_bytes == 0
      || !lk_task_set_parse_array (submit->array, LK_LIMIT_TASKS, &tasks, &throttle))
    return 1;
  guint32 count = tasks.count;
  lk_task_set_clear (&tasks);
  return count;
}

/* Jobs that have ended count as long as they are shown, and there is always one job fewer than the
 * limit: both as in Slurm. */
static gboolean
has_room_for_jobs (LkController *self, const LkInboxEntry *entry)
{
  lk_done_expire (self, self->engine_us);
  guint64 max_count = self->config.bounds.job_max_count;
  guint64 count = lk_engine_job_count (self->engine) + g_hash_table_size (self->done);
  guint event_bytes = entry->bytes->len - entry->payload_bytes;
  gsize at = 0;
  for (guint32 i = 0; i < entry->event_count; i++) {
    LkEvent event;
    gsize used = lk_event_decode (entry->bytes->data + at, event_bytes - at, &event);
    LK_ASSERT (used != 0);
    at += used;
    count += jobs_of_event (&event.submit);
  }
  return max_count == 0 || count < max_count;
}

/* ---------------------------------------------------------------- bytes */

LkReject
lk_bounds_check_script (const LkController *self, LkBytes payload)
{
  LkBatch batch;
  guint64 max_bytes = self->config.bounds.script_max_bytes;
  guint64 script_bytes = payload.length_bytes;
  if (lk_batch_decode (payload.bytes, payload.length_bytes, &batch))
    script_bytes = batch.script.length_bytes;
  return max_bytes != 0 && script_bytes > max_bytes ? LK_REJECT_SCRIPT_TOO_LONG : 0;
}

LkReject
lk_bounds_check_submit (LkController *self, const LkInboxEntry *entry, LkPayload *payload)
{
  const LkPortSiteBounds *bounds = &self->config.bounds;
  if (!has_room_for_jobs (self, entry))
    return LK_REJECT_QUEUE_FULL;
  lk_payload_charge (payload, entry->user_id);
  if (bounds->payload_max_bytes != 0
      && lk_payloads_bytes (self->payload_parts) > bounds->payload_max_bytes)
    return LK_REJECT_PAYLOADS_FULL;
  if (bounds->user_payload_max_bytes != 0
      && lk_payloads_user_bytes (self->payload_parts, entry->user_id)
             > bounds->user_payload_max_bytes)
    return LK_REJECT_USER_PAYLOADS_FULL;
  return 0;
}

/* ---------------------------------------------------------------- rate */

typedef struct {
  guint32 user_id;
  gint64 filled_us; /* monotonic: up to here tokens were added */
  guint32 tokens;
} Bucket;

/* All users that the table has no room for share one bucket: nobody gets around the limit by many
 * user ids. */
#define SHARED_USER_ID G_MAXUINT32

void
lk_bounds_init (LkController *self)
{
  self->buckets = g_hash_table_new (g_direct_hash, g_direct_equal);
  self->bucket_rows = g_ptr_array_new_with_free_func (g_free);
}

void
lk_bounds_clear (LkController *self)
{
  g_hash_table_destroy (self->buckets);
  g_ptr_array_unref (self->bucket_rows);
}

static void
fill (const LkController *self, Bucket *bucket)
{
  const LkPortSiteBounds *bounds = &self->config.bounds;
  gint64 period_us = (gint64)bounds->rate_period_s * G_USEC_PER_SEC;
  /* A configuration that was read again may have made the bucket smaller. */
  bucket->tokens = MIN (bucket->tokens, bounds->rate_bucket_count);
  gint64 periods = lk_time_since_us (self->clock_us, bucket->filled_us) / period_us;
  guint64 missing = bounds->rate_bucket_count - bucket->tokens;
  if (periods > 0 && (guint64)periods >= missing / bounds->rate_refill_count + 1) {
    bucket->tokens = bounds->rate_bucket_count;
    bucket->filled_us = self->clock_us;
    return;
  }
  bucket->tokens = (guint32)MIN (bucket->tokens + (guint64)periods * bounds->rate_refill_count,
                                 bounds->rate_bucket_count);
  bucket->filled_us += periods * period_us;
}

/* A full bucket says no more than none at all. */
static void
drop_full (LkController *self)
{
  for (guint i = self->bucket_rows->len; i > 0; i--) {
    Bucket *bucket = g_ptr_array_index (self->bucket_rows, i - 1);
    fill (self, bucket);
    if (bucket->tokens < self->config.bounds.rate_bucket_count)
      continue;
    g_hash_table_remove (self->buckets, GUINT_TO_POINTER (bucket->user_id));
    g_ptr_array_remove_index_fast (self->bucket_rows, i - 1);
  }
}

static gboolean
is_table_full (const LkController *self)
{
  return self->bucket_rows->len >= self->config.bounds.rate_table_count;
}

static Bucket *
bucket_of (LkController *self, guint32 user_id)
{
  Bucket *bucket = g_hash_table_lookup (self->buckets, GUINT_TO_POINTER (user_id));
  if (bucket == NULL && is_table_full (self))
    drop_full (self);
  if (bucket == NULL && is_table_full (self)) {
    user_id = SHARED_USER_ID;
    bucket = g_hash_table_lookup (self->buckets, GUINT_TO_POINTER (user_id));
  }
  if (bucket == NULL) {
    bucket = g_new (Bucket, 1);
    *bucket = (Bucket){ user_id, self->clock_us, self->config.bounds.rate_bucket_count };
    g_hash_table_insert (self->buckets, GUINT_TO_POINTER (user_id), bucket);
    g_ptr_array_add (self->bucket_rows, bucket);
  }
  fill (self, bucket);
  return bucket;
}

/* Steps and what comes from inside a job are not counted: a job is bounded by what it was given. */
static gboolean
is_counted (const LkPeer *peer, const LkMessage *message)
{
  return peer->kind == LK_PEER_USER
         && (lk_message_request (message) != NULL || message->kind == LK_MESSAGE_STATE_QUERY
             || message->kind == LK_MESSAGE_TOKEN_SIGN);
}

gboolean
lk_bounds_take_token (LkController *self, const LkPeer *peer, const LkMessage *message,
                      guint32 roles)
{
  if (self->config.bounds.rate_bucket_count == 0 || !is_counted (peer, message)
      || (roles & LK_ROLE_ADMINISTRATOR) != 0)
    return TRUE;
  Bucket *bucket = bucket_of (self, peer->user_id);
  if (bucket->tokens == 0)
    return FALSE;
  bucket->tokens--;
  return TRUE;
}
