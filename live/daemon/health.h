/* live/daemon/health.h — HealthCheckProgram: looks after a node now and then, as root.
 *
 * What it finds it does something about itself, as draining the node; its exit status is only told.
 * One that has run for a minute is killed, and there is never more than one (slurm.conf(5)).
 *
 * Not here: what states of a node there are.  An agent knows whether runs live on its node: that
 * stands for ALLOC and MIXED, and that none does for IDLE. */
#ifndef LK_LIVE_DAEMON_HEALTH_H
#define LK_LIVE_DAEMON_HEALTH_H

#include <glib.h>

#include "live/port/loop.h"

typedef enum {
  LK_HEALTH_ALWAYS,
  LK_HEALTH_IDLE, /* when no run lives here */
  LK_HEALTH_BUSY, /* when one does */
  LK_HEALTH_ONCE, /* at the start only */
} LkHealthWhen;

/* Borrowed, and outlives it. */
typedef struct {
  const char *program; /* an absolute path */
  gint64 interval_us;  /* above 0 */
  gint64 time_max_us;  /* above 0 */
  LkHealthWhen when;
  const char *node;
  const char *configuration;           /* SLURM_CONF for it */
  gboolean (*is_busy) (gpointer user); /* does a run live here? */
  gpointer user;
} LkHealthOptions;

typedef struct _LkHealth LkHealth;

/* Runs it at once, if it is the time. Returns: (transfer full). */
LkHealth *lk_health_new (LkLoop *loop, const LkHealthOptions *options);
/* Kills the program if it runs. */
void lk_health_free (LkHealth *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkHealth, lk_health_free)

#endif
