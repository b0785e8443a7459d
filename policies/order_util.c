/* policies/order_util.c — see order_util.h. */
#include "policies/order_util.h"

#include <glib.h>

#include "engine/assert.h"

static int64_t
microseconds (double seconds)
{
  return (int64_t)(seconds * 1e6 + 0.5);
}

void
lk_order_refuse (LkPolicyError *error, const char *text)
{
  size_t length = strnlen (text, sizeof error->text - 1);
  memcpy (error->text, text, length);
  error->text[length] = '\0';
}

int32_t
lk_order_init (LkOrder *self, const LkParamValues *values, LkPolicyError *error)
{
  LK_ASSERT (values->count <= 2);
  self->threshold_us = LK_TIME_NEVER;
  self->origin_us = LK_TIME_NEVER;
  if (values->count > 0 && values->values[0].real > 0.0)
    self->threshold_us = microseconds (values->values[0].real);
  if (values->count > 1 && values->values[1].real >= 0.0)
    self->origin_us = microseconds (values->values[1].real);
  else if (values->count > 1 && values->values[1].real != -1.0) {
    lk_order_refuse (error, "origin_s must be -1 (the first submit) or at least 0");
    return 0;
  }
  return 1;
}

void *
lk_order_create (const LkParamValues *values, LkPolicyError *error)
{
  LkOrder *self = g_new0 (LkOrder, 1);
  if (lk_order_init (self, values, error))
    return self;
  g_free (self);
  return NULL;
}

void
lk_order_destroy (void *self)
{
  g_free (self);
}

int32_t
lk_order_has_threshold (void *self)
{
  return ((const LkOrder *)self)->threshold_us != LK_TIME_NEVER;
}

int32_t
lk_order_always_dynamic (void *self)
{
  (void)self;
  return 1;
}
