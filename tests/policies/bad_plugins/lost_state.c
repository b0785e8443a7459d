/* lost_state.c — keeps state in its instance that no save writes: two runs agree, a restart
 * loses it. */
#include <stdlib.h>

#include "engine/policy.h"

static int64_t
forgetful_key (void *self, const LkView *view, LkJobIndex job)
{
  (void)view;
  unsigned char *state = self;
  *state = (unsigned char)(*state * 5 + 3);
  return (int64_t)((*state + job) % 13);
}

#define BAD_NAME "lost_state"
#define BAD_KEY forgetful_key
#include "bad_plugin.h"
