/* engine/assert.c — the one place in the engine that writes to the outside, on the way to
 * abort(). */
#include "engine/assert.h"

#include <stdio.h>
#include <stdlib.h>

void
lk_assert_failed (const char *condition, const char *file, int line)
{
  fprintf (stderr, "lockstep: bug: %s:%d: '%s' does not hold\n", file, line, condition);
  abort ();
}
