/* live/port/memory_limit.h — how much memory a run may use, of what it was given and what
 * cgroup.conf says.
 *
 * Source: cgroup.conf(5), AllowedRAMSpace, AllowedSwapSpace, MaxRAMPercent, MaxSwapPercent,
 * MinRAMSpace. */
#ifndef LK_LIVE_PORT_MEMORY_LIMIT_H
#define LK_LIVE_PORT_MEMORY_LIMIT_H

#include <glib.h>

/* Percent of what was given, but the last two: of the memory of the node. */
typedef struct {
  gboolean confines_ram;
  gboolean confines_swap;
  guint ram_percent;
  guint swap_percent;
  guint64 ram_min_bytes;
  guint ram_max_percent;
  guint swap_max_percent;
} LkMemoryRules;

/* 0: not confined. */
typedef struct {
  guint64 ram_bytes;
  guint64 total_bytes; /* with swap space; not below the other */
} LkMemoryLimits;

/* `given_bytes` 0: memory is not managed, and nothing is confined. */
LkMemoryLimits lk_memory_limits (const LkMemoryRules *rules, guint64 node_bytes,
                                 guint64 given_bytes);

#endif
