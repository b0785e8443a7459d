/* live/port/port_disk_sim.h — a simulated disk, which outlives the processes that use it.
 *
 * A file has bytes that are durable and, behind them, bytes that are only written: those may be
 * lost, or survive in part, when the power fails, and also when a request fails.  When only the
 * process dies, what was written stays as it is, but is not durable for that.  What a request in
 * progress has done by then is any part of it.  Requests take time, one behind the other; each may
 * fail, and then the disk is dead for that process.
 *
 * Source: the faults are those of Rebello et al. 2020, "Can Applications Recover from fsync
 * Failures?", and of TigerBeetle's storage simulator.  With all faults 0 a request is carried out
 * at its instant, though not within its call. */
#ifndef LK_LIVE_PORT_DISK_SIM_H
#define LK_LIVE_PORT_DISK_SIM_H

#include "live/core/port_disk.h"
#include "live/port/world_sim.h"

/* Rates in a million requests. */
typedef struct {
  gint64 request_min_us;
  gint64 request_max_us;
  guint32 slow_ppm; /* that take up to slow_max_us more */
  gint64 slow_max_us;
  guint32 fail_ppm;
  guint32 read_fail_ppm;
  /* Appends that land earlier in the file, never on what the last append has written, while the
   * disk says that all is well. */
  guint32 misdirect_ppm;
  guint64 capacity_bytes; /* of all files; 0: no end */
} LkDiskSimFaults;

typedef struct _LkDiskSim LkDiskSim;

typedef void (*LkDiskSimDone) (gpointer user, guint64 token, gboolean has_succeeded);
/* The `write_index`-th request, from 1, is about to be carried out, or (`is_done`) has been, and
 * nobody has heard of it. It may call lk_disk_sim_stop. */
typedef void (*LkDiskSimHook) (gpointer user, const char *name, guint64 write_index,
                               gboolean is_done);

/* `world` outlives it. */
LkDiskSim *lk_disk_sim_new (LkWorld *world, const char *name, LkDiskSimDone done, gpointer user);
/* Once the world makes no calls any more. */
void lk_disk_sim_free (LkDiskSim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkDiskSim, lk_disk_sim_free)

void lk_disk_sim_set_faults (LkDiskSim *self, const LkDiskSimFaults *faults);
void lk_disk_sim_set_hook (LkDiskSim *self, LkDiskSimHook hook, gpointer user);
LkPortDisk lk_disk_sim_port (LkDiskSim *self);

/* The process that uses it is no more; with `has_lost_power` the machine has stopped too. What
 * comes next is another process. */
void lk_disk_sim_stop (LkDiskSim *self, gboolean has_lost_power);

/* What a reader would find now; NULL: no such file. Borrowed, until the next change. */
const GByteArray *lk_disk_sim_peek (const LkDiskSim *self, const char *name);
/* Bytes of it from its beginning that a loss of power leaves as they are. */
gsize lk_disk_sim_durable_bytes (const LkDiskSim *self, const char *name);
/* A bit of it is another one from now on. */
void lk_disk_sim_rot (LkDiskSim *self, const char *name, gsize offset_bytes, guint8 mask);

typedef struct {
  guint64 write_count; /* requests carried out, those that failed too */
  guint64 fail_count;
  guint64 full_count;
  guint64 misdirect_count;
  guint64 torn_count; /* ranges of which a stop has left a part */
} LkDiskSimCounts;
void lk_disk_sim_counts (const LkDiskSim *self, LkDiskSimCounts *out_counts);

#endif
