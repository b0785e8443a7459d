/* mutable_state.c — a global counter makes the second run in a process another one than the
 * first. */
#include "engine/policy.h"

static unsigned int call_count = 0;

static int64_t
counting_key (void *self, const LkView *view, LkJobIndex job)
{
  (void)self;
  (void)view;
  call_count = call_count * 1664525u + 1013904223u + job;
  return (int64_t)(call_count >> 8);
}

#define BAD_NAME "mutable_state"
#define BAD_KEY counting_key
#include "bad_plugin.h"
