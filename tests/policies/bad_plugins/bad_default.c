/* bad_default.c — a parameter whose default is out of its own range. */
#include <stddef.h>

#include "engine/policy.h"

static const LkParam params[] = {
  { "depth", LK_PARAM_INTEGER, "jobs", "0", 1, 10, "a depth" },
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};
#define BAD_NAME "bad_default"
#define BAD_PARAMS params
#include "bad_plugin.h"
