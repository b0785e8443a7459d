/* tests/property/storm_site.h — the machine, accounts and policies under which storms rage. */
#ifndef LK_TESTS_STORM_SITE_H
#define LK_TESTS_STORM_SITE_H

#include "policies/registry.h"
#include "tests/property/storm_event.h"

/* Another configuration, drawn: other nodes, partitions, licences, parameters, at times other
 * policies. Returns: (transfer full). */
LkSetup *lk_storm_other_setup (guint site, LkStormSource *source);
/* Are most events to be submits of jobs that can start? */
gboolean lk_storm_site_is_crowded (guint site);
/* Made once; lives as long as the process. */
const LkSetup *lk_storm_setup (guint site);

#endif
