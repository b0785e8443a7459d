/* live/daemon/laptop.h — a cluster on one machine: a controller and agents of emulated nodes,
 * started by whoever wants to try it, with all of its state in one directory.
 *
 *     lockstep.conf, ...   the configuration: one that was made here, or a copy of a site's
 *     options              other policies than it says
 *     controller.sock      where the controller listens; there is no TCP
 *     controller/          its journal and snapshots
 *     agents/NODE/         the state of a node
 *     log/                 of each daemon
 *
 * Which daemons run, the locks in their directories tell (lock_file.h); nothing else has to be
 * right for `up` and `down` to find them, whatever has crashed. */
#ifndef LK_LIVE_DAEMON_LAPTOP_H
#define LK_LIVE_DAEMON_LAPTOP_H

#include <glib.h>

typedef struct {
  char *directory;
  char *conf;
  char *options;
  char *socket;
  char *controller;
  char *agents;
  char *log;
} LkLaptop;

/* The directory that is named, or $LOCKSTEP_DIR, or lockstep in the user's folder for state
 * ($XDG_STATE_HOME, ~/.local/state). */
void lk_laptop_init (LkLaptop *self, const char *directory);
void lk_laptop_clear (LkLaptop *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LkLaptop, lk_laptop_clear)

/* ---- configuration (laptop_conf.c) */

/* What was asked for on the command line: 0 and NULL where nothing was. */
typedef struct {
  guint node_count;
  guint gpu_count;
  guint cpu_count;
  guint memory_mib;
  char *conf; /* a site's; then the counts are not used */
  char *order;
  char *backfill;
  char *select;
  char *preempt;
} LkLaptopShape;

gboolean lk_laptop_shape_is_asked (const LkLaptopShape *shape);
/* Lays down the configuration. Where there is one already, it stays if nothing or the same was
 * asked for; another one needs a directory without a journal. */
gboolean lk_laptop_configure (const LkLaptop *self, const LkLaptopShape *shape, GError **error);
/* Puts journal, nodes and configuration into a folder of their own, so that another cluster may
 * begin. Nothing of it may run. */
gboolean lk_laptop_set_aside (const LkLaptop *self, GError **error);
/* Options of the controller that lk_laptop_configure has kept. Returns: (transfer full), ends with
 * NULL. */
char **lk_laptop_policies (const LkLaptop *self);

/* ---- starting (laptop_up.c) */

/* Starts whatever does not run, and waits until all of it works. */
gboolean lk_laptop_up (const LkLaptop *self, GError **error);

/* ---- stopping (laptop_down.c) */

typedef struct {
  guint daemon_count;  /* that were running */
  guint killed_count;  /* of them, that did not end by themselves */
  guint process_count; /* of jobs */
} LkLaptopDown;

/* Stops whatever runs, jobs too, and waits until it is gone. */
gboolean lk_laptop_down (const LkLaptop *self, LkLaptopDown *out_down, GError **error);
/* Does any of its daemons run? */
gboolean lk_laptop_is_up (const LkLaptop *self);

#endif
