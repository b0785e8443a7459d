/* live/port/memory_limit.c — see the header. */
#include "live/port/memory_limit.h"

/* So much is as good as no limit, and can be added to itself. */
#define BYTES_MAX (G_GUINT64_CONSTANT (1) << 62)

static guint64
percent_of (guint64 bytes, guint percent)
{
  guint64 share = bytes / 100;
  if (percent > 0 && share >= BYTES_MAX / percent)
    return BYTES_MAX;
  return share * percent + bytes % 100 * percent / 100;
}

LkMemoryLimits
lk_memory_limits (const LkMemoryRules *rules, guint64 node_bytes, guint64 given_bytes)
{
  LkMemoryLimits limits = { 0 };
  guint64 ram_max_bytes = percent_of (node_bytes, rules->ram_max_percent);
  guint64 total_max_bytes = ram_max_bytes + percent_of (node_bytes, rules->swap_max_percent);
  guint64 ram_bytes = MAX (percent_of (given_bytes, rules->ram_percent), rules->ram_min_bytes);
  guint64 swap_bytes = percent_of (given_bytes, rules->swap_percent);
  if (given_bytes == 0)
    return limits;
  ram_bytes = MIN (ram_bytes, ram_max_bytes);
  if (rules->confines_ram)
    limits.ram_bytes = ram_bytes;
  if (rules->confines_swap)
    limits.total_bytes = MIN (ram_bytes + swap_bytes, total_max_bytes);
  return limits;
}
