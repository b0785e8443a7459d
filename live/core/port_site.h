/* live/core/port_site.h — where the configuration comes from when it is read anew.  Two
 * implementations: _files, and that of the tests.
 *
 * It reads and checks; whether what was read can come into force the core decides. */
#ifndef LK_LIVE_CORE_PORT_SITE_H
#define LK_LIVE_CORE_PORT_SITE_H

#include <glib.h>

#include "engine/engine.h"

/* What users may keep in the controller, and how often they may ask; 0: without limit. */
typedef struct {
  guint32 job_max_count;          /* MaxJobCount */
  guint64 script_max_bytes;       /* max_script_size */
  guint64 user_payload_max_bytes; /* what is kept of the jobs of one user */
  guint64 payload_max_bytes;      /* and of all jobs */
  /* A bucket of tokens for each user, one for a request: so many at most (0: no limit), */
  guint32 rate_bucket_count;
  guint32 rate_refill_count; /* and so many more, above 0, */
  guint32 rate_period_s;     /* each time so long has gone by, above 0 */
  guint32 rate_table_count;  /* users who have a bucket of their own, above 0 */
} LkPortSiteBounds;

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
  LkPortSiteBounds bounds;
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
