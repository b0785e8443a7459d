/* live/core/payload.c — see the header. */
#include "live/core/payload.h"

#include <string.h>

#include "engine/assert.h"
#include "live/core/batch.h"

/* Bytes that are kept once. */
typedef struct {
  LkPayloads *table;
  const guint8 *bytes; /* behind it; of one that is looked for, somebody else's */
  guint32 length_bytes;
  guint32 hash;
  guint32 reference_count;
  gboolean is_charged;
  guint32 user_id; /* the user it counts for */
} Part;

struct _LkPayloads {
  GHashTable *parts; /* of Part, by its bytes; owned by their payloads */
  GByteArray *whole; /* scratch */
  guint64 seed;
  guint64 bytes;          /* of all parts */
  GHashTable *user_bytes; /* guint64, owned, by user id: what is charged, above 0 */
};

struct _LkPayload {
  Part *rest; /* a batch job without the others; or what is none */
  Part *script;
  Part *environment; /* NULL: empty, likewise */
  guint32 reference_count;
};

/* ---------------------------------------------------------------- parts */

static guint32
hash_of (guint64 seed, const guint8 *bytes, gsize length_bytes)
{
  guint64 hash = seed ^ (length_bytes * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));
  while (length_bytes > 0) {
    guint64 word = 0;
    gsize step = MIN (length_bytes, sizeof word);
    memcpy (&word, bytes, step);
    hash = (hash ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
    hash ^= hash >> 32;
    bytes += step;
    length_bytes -= step;
  }
  return (guint32)(hash ^ hash >> 29);
}

static guint
part_hash (gconstpointer key)
{
  return ((const Part *)key)->hash;
}

static gboolean
part_equal (gconstpointer a, gconstpointer b)
{
  const Part *x = a;
  const Part *y = b;
  return x->length_bytes == y->length_bytes
         && (x->length_bytes == 0 || memcmp (x->bytes, y->bytes, x->length_bytes) == 0);
}

static Part *
part_new (LkPayloads *self, LkBytes bytes)
{
  const Part wanted = { .bytes = bytes.bytes,
                        .length_bytes = bytes.length_bytes,
                        .hash = hash_of (self->seed, bytes.bytes, bytes.length_bytes) };
  Part *part = g_hash_table_lookup (self->parts, &wanted);
  if (part != NULL) {
    part->reference_count++;
    return part;
  }
  part = g_slice_alloc (sizeof (Part) + bytes.length_bytes);
  *part = wanted;
  part->table = self;
  part->bytes = (const guint8 *)(part + 1);
  part->reference_count = 1;
  if (bytes.length_bytes > 0)
    memcpy (part + 1, bytes.bytes, bytes.length_bytes);
  g_hash_table_add (self->parts, part);
  self->bytes += part->length_bytes;
  return part;
}

static void
part_charge (Part *part, guint32 user_id)
{
  if (part == NULL || part->is_charged || part->length_bytes == 0)
    return;
  GHashTable *charged = part->table->user_bytes;
  guint64 *bytes = g_hash_table_lookup (charged, GUINT_TO_POINTER (user_id));
  if (bytes == NULL) {
    bytes = g_new0 (guint64, 1);
    g_hash_table_insert (charged, GUINT_TO_POINTER (user_id), bytes);
  }
  *bytes += part->length_bytes;
  part->is_charged = TRUE;
  part->user_id = user_id;
}

static void
part_discharge (const Part *part)
{
  GHashTable *charged = part->table->user_bytes;
  if (!part->is_charged)
    return;
  guint64 *bytes = g_hash_table_lookup (charged, GUINT_TO_POINTER (part->user_id));
  LK_ASSERT (bytes != NULL);
  LK_ASSERT (*bytes >= part->length_bytes);
  *bytes -= part->length_bytes;
  if (*bytes == 0)
    g_hash_table_remove (charged, GUINT_TO_POINTER (part->user_id));
}

static Part *
part_new_or_none (LkPayloads *self, LkBytes bytes)
{
  return bytes.length_bytes > 0 ? part_new (self, bytes) : NULL;
}

static Part *
part_ref (Part *part)
{
  part->reference_count++;
  return part;
}

static void
part_unref (Part *part)
{
  if (part == NULL || --part->reference_count > 0)
    return;
  g_hash_table_remove (part->table->parts, part);
  part->table->bytes -= part->length_bytes;
  part_discharge (part);
  g_slice_free1 (sizeof (Part) + part->length_bytes, part);
}

static LkBytes
part_bytes (const Part *part)
{
  return part != NULL ? (LkBytes){ part->bytes, part->length_bytes } : (LkBytes){ 0 };
}

/* ---------------------------------------------------------------- the table */

LkPayloads *
lk_payloads_new (guint64 seed)
{
  LkPayloads *self = g_new0 (LkPayloads, 1);
  self->parts = g_hash_table_new (part_hash, part_equal);
  self->whole = g_byte_array_new ();
  self->user_bytes = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free);
  self->seed = seed;
  return self;
}

void
lk_payloads_free (LkPayloads *self)
{
  if (self == NULL)
    return;
  LK_ASSERT (g_hash_table_size (self->parts) == 0);
  LK_ASSERT (self->bytes == 0);
  g_hash_table_destroy (self->parts);
  g_hash_table_destroy (self->user_bytes);
  g_byte_array_unref (self->whole);
  g_free (self);
}

guint
lk_payloads_part_count (const LkPayloads *self)
{
  return g_hash_table_size (self->parts);
}

guint64
lk_payloads_bytes (const LkPayloads *self)
{
  return self->bytes;
}

guint64
lk_payloads_user_bytes (const LkPayloads *self, guint32 user_id)
{
  const guint64 *bytes = g_hash_table_lookup (self->user_bytes, GUINT_TO_POINTER (user_id));
  return bytes != NULL ? *bytes : 0;
}

static LkBytes
encoded (LkPayloads *self, const LkBatch *batch)
{
  g_byte_array_set_size (self->whole, 0);
  lk_batch_encode (batch, self->whole);
  return (LkBytes){ self->whole->data, self->whole->len };
}

/* ---------------------------------------------------------------- payloads */

LkPayload *
lk_payload_new (LkPayloads *self, const guint8 *bytes, guint32 length_bytes)
{
  LkPayload *payload = g_slice_new0 (LkPayload);
  LkBatch batch;
  payload->reference_count = 1;
  if (!lk_batch_decode (bytes, length_bytes, &batch)) {
    payload->rest = part_new (self, (LkBytes){ bytes, length_bytes });
    return payload;
  }
  payload->script = part_new_or_none (self, batch.script);
  payload->environment = part_new_or_none (self, batch.environment);
  batch.script = (LkBytes){ 0 };
  batch.environment = (LkStrings){ 0 };
  payload->rest = part_new (self, encoded (self, &batch));
  return payload;
}

LkPayload *
lk_payload_ref (LkPayload *payload)
{
  payload->reference_count++;
  return payload;
}

void
lk_payload_unref (gpointer data)
{
  LkPayload *payload = data;
  if (payload == NULL || --payload->reference_count > 0)
    return;
  part_unref (payload->rest);
  part_unref (payload->script);
  part_unref (payload->environment);
  g_slice_free (LkPayload, payload);
}

void
lk_payload_charge (LkPayload *payload, guint32 user_id)
{
  part_charge (payload->rest, user_id);
  part_charge (payload->script, user_id);
  part_charge (payload->environment, user_id);
}

gboolean
lk_payload_is_batch (const LkPayload *payload)
{
  LkBatch batch;
  return lk_batch_decode (payload->rest->bytes, payload->rest->length_bytes, &batch);
}

LkBytes
lk_payload_without (const LkPayload *payload, LkPayloadParts parts)
{
  const Part *script = (parts & LK_PAYLOAD_SCRIPT) == 0 ? payload->script : NULL;
  const Part *environment = (parts & LK_PAYLOAD_ENVIRONMENT) == 0 ? payload->environment : NULL;
  const Part *rest = payload->rest;
  LkBatch batch;
  if (script == NULL && environment == NULL)
    return part_bytes (rest);
  gboolean is_batch = lk_batch_decode (rest->bytes, rest->length_bytes, &batch);
  LK_ASSERT (is_batch);
  batch.script = part_bytes (script);
  batch.environment = part_bytes (environment);
  return encoded (rest->table, &batch);
}

LkBytes
lk_payload_bytes (const LkPayload *payload)
{
  return lk_payload_without (payload, 0);
}

gconstpointer
lk_payload_part (const LkPayload *payload, LkPayloadParts part)
{
  return part == LK_PAYLOAD_SCRIPT ? payload->script : payload->environment;
}

static guint64
joined_bytes (LkBytes brief, const LkPayload *script_of, const LkPayload *environment_of)
{
  return (guint64)brief.length_bytes + (script_of != NULL ? script_of->script->length_bytes : 0)
         + (environment_of != NULL ? environment_of->environment->length_bytes : 0);
}

gboolean
lk_payload_join (LkPayloads *self, LkBytes brief, const LkPayload *script_of,
                 const LkPayload *environment_of, LkPayload **out_payload)
{
  LkBatch batch;
  if (!lk_batch_decode (brief.bytes, brief.length_bytes, &batch)
      || (script_of != NULL && script_of->script == NULL)
      || (environment_of != NULL && environment_of->environment == NULL)
      || joined_bytes (brief, script_of, environment_of) > LK_BATCH_MAX_BYTES)
    return FALSE;
  LkPayload *payload = lk_payload_new (self, brief.bytes, brief.length_bytes);
  if (script_of != NULL) {
    part_unref (payload->script);
    payload->script = part_ref (script_of->script);
  }
  if (environment_of != NULL) {
    part_unref (payload->environment);
    payload->environment = part_ref (environment_of->environment);
  }
  *out_payload = payload;
  return TRUE;
}
