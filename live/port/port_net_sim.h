/* live/port/port_net_sim.h — a simulated network: ends, and messages on their way between them.
 *
 * An end is opened when its process begins and closed when that dies; each opening has a number of
 * its own (LkPeerId), and what was sent to an earlier one is lost.  To all but controllers the peer
 * 0 is the controller: whoever of its ends is open gets a copy.
 *
 * With all faults 0 a message is delivered at the instant at which it was sent, in the order of
 * sending. */
#ifndef LK_LIVE_PORT_NET_SIM_H
#define LK_LIVE_PORT_NET_SIM_H

#include "live/core/port_net.h"
#include "live/port/world_sim.h"

/* Rates in a million. */
typedef struct {
  gint64 delay_min_us;
  gint64 delay_max_us;
  guint32 slow_ppm; /* of messages that take up to slow_max_us more */
  gint64 slow_max_us;
  guint32 loss_ppm;
  guint32 duplicate_ppm;
  guint32 reorder_ppm; /* of messages that may overtake those sent before */
} LkNetSimFaults;

/* What a script does with a message. */
typedef struct {
  guint32 copy_count; /* 0: it is lost; 1: as it is */
  gint64 delay_us;    /* besides the network's own */
} LkNetSimFate;

typedef struct _LkNetSim LkNetSim;

/* Number of an end, from 0. */
typedef guint32 LkNetSimEnd;

typedef void (*LkNetSimDeliver) (gpointer user, const LkPeer *from, const guint8 *bytes,
                                 gsize length_bytes);
/* Asked of each message that no other fault has taken. */
typedef void (*LkNetSimScript) (gpointer user, LkNetSimEnd from, LkNetSimEnd to,
                                const guint8 *bytes, gsize length_bytes, LkNetSimFate *fate);

/* `world` outlives it. */
LkNetSim *lk_net_sim_new (LkWorld *world);
/* Once the world makes no calls any more. */
void lk_net_sim_free (LkNetSim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkNetSim, lk_net_sim_free)

void lk_net_sim_set_faults (LkNetSim *self, const LkNetSimFaults *faults);
void lk_net_sim_set_script (LkNetSim *self, LkNetSimScript script, gpointer user);

/* An end, closed; `who` is what others are told of it (its id is not read, its name copied). */
LkNetSimEnd lk_net_sim_add (LkNetSim *self, const LkPeer *who, LkNetSimDeliver deliver,
                            gpointer user);
LkPortNet lk_net_sim_port (LkNetSim *self, LkNetSimEnd end);
/* Its process begins, as a peer of this kind. */
void lk_net_sim_open (LkNetSim *self, LkNetSimEnd end, LkPeerKind kind);
/* Its process is no more, and what is on its way to it is lost. */
void lk_net_sim_close (LkNetSim *self, LkNetSimEnd end);
/* Sends from an end to another, whoever is there. */
void lk_net_sim_send (LkNetSim *self, LkNetSimEnd from, LkNetSimEnd to, const guint8 *bytes,
                      gsize length_bytes);

/* Nothing comes from these ends to those, what is on its way neither. Returns the number of the
 * cut. */
guint32 lk_net_sim_cut (LkNetSim *self, const LkNetSimEnd *from, guint from_count,
                        const LkNetSimEnd *to, guint to_count);
/* Ends a cut; 0: all of them. */
void lk_net_sim_heal (LkNetSim *self, guint32 cut);

typedef struct {
  guint64 sent_count;
  guint64 delivered_count;
  guint64 lost_count; /* by chance or script */
  guint64 cut_count;
  guint64 dead_count; /* nobody was there */
  guint64 duplicate_count;
} LkNetSimCounts;
void lk_net_sim_counts (const LkNetSim *self, LkNetSimCounts *out_counts);

#endif
