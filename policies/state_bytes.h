/* policies/state_bytes.h — numbers of a policy's state as little-endian bytes, both ways. */
#ifndef LK_POLICIES_STATE_BYTES_H
#define LK_POLICIES_STATE_BYTES_H

#include <glib.h>

#include "engine/policy.h"

/* Where `save` writes. */
typedef struct {
  LkPut put;
  void *sink;
} LkStateSink;

/* What `load` has not read yet. `is_broken` once something was missing. */
typedef struct {
  const uint8_t *at;
  uint32_t left_bytes;
  uint32_t is_broken;
} LkStateSource;

static inline void
lk_state_put_u32 (const LkStateSink *sink, uint32_t value)
{
  uint32_t little = GUINT32_TO_LE (value);
  sink->put (sink->sink, &little, sizeof little);
}

static inline void
lk_state_put_i64 (const LkStateSink *sink, int64_t value)
{
  int64_t little = GINT64_TO_LE (value);
  sink->put (sink->sink, &little, sizeof little);
}

static inline void
lk_state_put_real (const LkStateSink *sink, double value)
{
  uint64_t bits;
  memcpy (&bits, &value, sizeof bits);
  bits = GUINT64_TO_LE (bits);
  sink->put (sink->sink, &bits, sizeof bits);
}

/* 0 when there is nothing left. */
static inline uint64_t
lk_state_take (LkStateSource *source, uint32_t byte_count)
{
  uint64_t value = 0;
  if (source->is_broken || source->left_bytes < byte_count) {
    source->is_broken = 1;
    return 0;
  }
  for (uint32_t i = 0; i < byte_count; i++)
    value |= (uint64_t)source->at[i] << (8 * i);
  source->at += byte_count;
  source->left_bytes -= byte_count;
  return value;
}

static inline uint32_t
lk_state_take_u32 (LkStateSource *source)
{
  return (uint32_t)lk_state_take (source, 4);
}

static inline double
lk_state_take_real (LkStateSource *source)
{
  uint64_t bits = lk_state_take (source, 8);
  double value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

#endif
