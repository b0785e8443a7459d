/* tests/live/assert_bytes.h — bytes are these bytes. */
#ifndef LK_TESTS_LIVE_ASSERT_BYTES_H
#define LK_TESTS_LIVE_ASSERT_BYTES_H

#include <string.h>

#include "live/core/message.h"

static inline void
assert_bytes (LkBytes bytes, gconstpointer expected, gsize length_bytes)
{
  g_assert_cmpuint (bytes.length_bytes, ==, length_bytes);
  g_assert_cmpint (memcmp (bytes.bytes, expected, length_bytes), ==, 0);
}

#endif
