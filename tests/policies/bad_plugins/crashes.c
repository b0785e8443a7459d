/* crashes.c — its key ends the process. */
#include <stdlib.h>

#include "engine/policy.h"

static int64_t
aborting_key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  (void)view;
  (void)job;
  abort ();
}

#define BAD_NAME "crashes"
#define BAD_KEY aborting_key
#include "bad_plugin.h"
