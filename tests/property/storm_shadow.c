/* tests/property/storm_shadow.c — see the header. */
#include "tests/property/storm_shadow.h"

#include <string.h>

/* It lives for up to so many events. */
#define LIFE_MAX 8u

/* How long the shadow lives that is made behind this event; nothing is drawn for it, so that a
 * storm's seed gives the same storm with it and without. */
static guint64
life_of (guint64 seq)
{
  return 1 + ((seq * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32) % LIFE_MAX;
}

static gboolean
decided_the_same (const LkEngine *a, const LkEngine *b)
{
  LkDecided x = lk_engine_decided (a);
  LkDecided y = lk_engine_decided (b);
  return x.length_bytes == y.length_bytes
         && (x.length_bytes == 0 || memcmp (x.bytes, y.bytes, x.length_bytes) == 0);
}

static gboolean
bytes_equal (const GByteArray *a, const GByteArray *b)
{
  return a->len == b->len && memcmp (a->data, b->data, a->len) == 0;
}

/* The old one must have the state of which the new one is made. */
static const char *
renew (LkStormShadow *self, const LkEngine *engine, guint64 seq)
{
  LkStatus status;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GByteArray) own = g_byte_array_new ();
  lk_engine_save (engine, bytes);
  if (self->engine != NULL)
    lk_engine_save (self->engine, own);
  if (self->engine != NULL && !bytes_equal (bytes, own))
    return "has another state";
  lk_engine_free (self->engine);
  self->engine = lk_engine_load (self->config, bytes->data, bytes->len, &status);
  self->from_seq = seq;
  return self->engine == NULL ? "cannot be made" : NULL;
}

const char *
lk_storm_shadow_follow (LkStormShadow *self, const LkEngine *engine, const LkEvent *event)
{
  if (self->engine != NULL) {
    if (lk_engine_apply (self->engine, event, NULL) != LK_STATUS_OK)
      return "does not take the event";
    if (!decided_the_same (engine, self->engine))
      return "decides otherwise";
    if (event->seq < self->from_seq + life_of (self->from_seq))
      return NULL;
  }
  return renew (self, engine, event->seq);
}

void
lk_storm_shadow_clear (LkStormShadow *self)
{
  g_clear_pointer (&self->engine, lk_engine_free);
}
