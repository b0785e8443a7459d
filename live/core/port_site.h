/* live/core/port_site.h — where the configuration comes from when it is read anew.  Two
 * implementations: _files, and that of the tests.
 *
 * It reads and checks; whether what was read can come into force the core decides. */
#ifndef LK_LIVE_CORE_PORT_SITE_H
#define LK_LIVE_CORE_PORT_SITE_H

#include <glib.h>

#include "engine/engine.h"

/* How the controller goes about its work; of LkControllerConfig. */
typedef struct {
  gint64 heartbeat_us;
  gint64 node_timeout_us;
  gint64 registration_wait_us;
  gint64 kill_wait_us;
  gboolean users_may_top;
  gboolean keeps_silent_down;
  gboolean keeps_rebooted_down;
  gboolean returns_all;
  gboolean hides_journal;
} LkPortSiteWays;

typedef struct {
  const LkJournalHeader *header; /* of a journal that would begin now */
  const LkEngineConfig *engine;
  LkPortSiteWays ways;
  guint64 settings; /* tells apart what agents have to know of */
} LkPortSiteRead;

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  /* Reads all.  Associations and QOS are those that are given (NULL: there are no accounts),
   * whatever the site's files say of them.  FALSE: `problems` (of char *, transfer full) gets all
   * that is wrong.  What is read is valid until the next call of any of these. */
  gboolean (*read) (void *self, const LkAccounts *accounts, LkPortSiteRead *out_read,
                    GPtrArray *problems);
  /* What was read last is in force: what is not the core's may follow.  Or it is not, for these
   * reasons. */
  void (*settled) (void *self, gboolean is_in_force, const GPtrArray *problems);
} LkPortSiteOps;

typedef struct {
  const LkPortSiteOps *ops; /* NULL: nothing is read anew */
  void *self;
} LkPortSite;

#endif
