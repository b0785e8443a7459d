/* calls_time.c — an order by what the clock says. */
#include <time.h>

#include "engine/policy.h"

static int64_t
clock_key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  return (int64_t)time (NULL) % 7 * (int64_t)view->jobs->procs[job];
}

#define BAD_NAME "calls_time"
#define BAD_KEY clock_key
#include "bad_plugin.h"
