/* engine/assert.h — conditions that only a bug of ours can break.
 *
 * Always on, in release too: a scheduler that goes on with wrong books does more harm than one that
 * stops.  Never for bad input, which is an error value or a reject decision. */
#ifndef LK_ENGINE_ASSERT_H
#define LK_ENGINE_ASSERT_H

#include <glib.h>

/* Prints the condition and where it stands, and aborts. */
void lk_assert_failed (const char *condition, const char *file, int line) G_GNUC_NORETURN;

#define LK_ASSERT(condition)                                                                       \
  do {                                                                                             \
    if (G_UNLIKELY (!(condition)))                                                                 \
      lk_assert_failed (#condition, __FILE__, __LINE__);                                           \
  } while (0)

/* For a place that no state may lead to; `why` says what would have to be untrue. */
#define LK_UNREACHABLE(why) lk_assert_failed (why, __FILE__, __LINE__)

#endif
