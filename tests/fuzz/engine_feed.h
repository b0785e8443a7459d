/* tests/fuzz/engine_feed.h — an engine under one of several configurations, fed with any events. */
#ifndef LK_TESTS_ENGINE_FEED_H
#define LK_TESTS_ENGINE_FEED_H

#include <glib.h>

#include "engine/assert.h"
#include "engine/engine.h"
#include "policies/registry.h"

#define FEED_UNITS 12u

/* Configuration number `choice`, made once for each; any number will do. */
static inline const LkEngineConfig *
feed_config (guint choice)
{
  static const char *const specs[][2] = {
    { "fifo", "easy" },
    { "wfp3", "easy:order=sjf" },
    { "fifo", "conservative" },
    { "sjf", "replan" },
    { "expr:wait/estimate-user_usage", "none" },
    { "unicef", "conservative" },
    { "saf", "easy:reservations=3" },
  };
  static LkRegistry *registry = NULL;
  static LkSetup *setups[G_N_ELEMENTS (specs)];
  if (registry == NULL)
    registry = lk_registry_new ();
  choice %= G_N_ELEMENTS (specs);
  LkSetupOptions options = { .units_total = FEED_UNITS,
                             .origin_us = LK_TIME_NEVER,
                             .order = specs[choice][0],
                             .backfill = specs[choice][1],
                             .select = "pool" };
  if (setups[choice] == NULL)
    setups[choice] = lk_setup_new (registry, &options, NULL);
  LK_ASSERT (setups[choice] != NULL);
  return lk_setup_config (setups[choice]);
}

/* Applies an event in its turn, whatever its number and time say. */
static inline void
feed_event (LkEngine *engine, LkEvent *event)
{
  LkEngineCounts counts;
  lk_engine_counts (engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = MAX (event->time_us, counts.now_us);
  LK_ASSERT (lk_engine_apply (engine, event, NULL) == LK_STATUS_OK);
  lk_engine_decided (engine);
  lk_engine_pass_wanted (engine);
}

#endif
