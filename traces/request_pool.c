/* traces/request_pool.c — see request_pool.h.  Equality and hash are made from the schema's list of
 * fields, so that a new field cannot be forgotten. */
#include "traces/request_pool.h"

#include <string.h>

struct _LkRequestPool {
  GHashTable *requests; /* of LkJobRequest, owned; looked up only */
};

static guint
hash_mix (guint hash, guint64 value)
{
  return (hash ^ (guint)value ^ (guint)(value >> 32)) * 16777619u;
}

static guint
hash_text (guint hash, LkText text)
{
  for (guint i = 0; i < text.length_bytes; i++)
    hash = hash_mix (hash, (guint8)text.bytes[i]);
  return hash_mix (hash, text.length_bytes);
}

static gboolean
is_equal_text (LkText a, LkText b)
{
  return a.length_bytes == b.length_bytes
         && (a.length_bytes == 0 || memcmp (a.bytes, b.bytes, a.length_bytes) == 0);
}

#define HASH_u32(value) hash = hash_mix (hash, value);
#define HASH_i64(value) hash = hash_mix (hash, (guint64)(value));
#define HASH_text(value) hash = hash_text (hash, value);
#define HASH_FIELD(type, name, help) HASH_##type (request->name)

static guint
request_hash (gconstpointer key)
{
  const LkJobRequest *request = key;
  guint hash = 2166136261u;
  LK_JOB_REQUEST_FIELDS (HASH_FIELD)
  return hash;
}

#define DIFFER_u32(x, y) ((x) != (y))
#define DIFFER_i64(x, y) ((x) != (y))
#define DIFFER_text(x, y) (!is_equal_text (x, y))
#define COMPARE_FIELD(type, name, help)                                                            \
  if (DIFFER_##type (a->name, b->name))                                                            \
    return FALSE;

static gboolean
request_equal (gconstpointer key_a, gconstpointer key_b)
{
  const LkJobRequest *a = key_a;
  const LkJobRequest *b = key_b;
  LK_JOB_REQUEST_FIELDS (COMPARE_FIELD)
  return TRUE;
}

LkRequestPool *
lk_request_pool_new (void)
{
  LkRequestPool *self = g_new0 (LkRequestPool, 1);
  self->requests = g_hash_table_new_full (request_hash, request_equal, g_free, NULL);
  return self;
}

void
lk_request_pool_free (LkRequestPool *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->requests);
  g_free (self);
}

const LkJobRequest *
lk_request_pool_intern (LkRequestPool *self, const LkJobRequest *request)
{
  LkJobRequest *known = g_hash_table_lookup (self->requests, request);
  if (known)
    return known;
  known = g_memdup2 (request, sizeof *request);
  g_hash_table_add (self->requests, known);
  return known;
}
