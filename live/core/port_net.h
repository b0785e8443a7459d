/* live/core/port_net.h — messages to peers.  Two implementations: _os and _sim.
 *
 * A peer is known by a number that the port gives out; who it is, the port has attested before the
 * core hears of it.  Messages may be lost, come late, twice or in another order: whoever needs an
 * answer asks again. */
#ifndef LK_LIVE_CORE_PORT_NET_H
#define LK_LIVE_CORE_PORT_NET_H

#include <glib.h>

typedef guint32 LkPeerId;

typedef enum {
  LK_PEER_ANONYMOUS,
  LK_PEER_USER,       /* a process of a user */
  LK_PEER_AGENT,      /* the agent of a node */
  LK_PEER_CONTROLLER, /* who holds the key of the cluster's controller */
  LK_PEER_STANDBY,
  LK_PEER_JOB, /* a process of a run, by the key of that run: its user, about that job only */
} LkPeerKind;

/* Who is at the other end, as attested. */
typedef struct {
  LkPeerId id;
  LkPeerKind kind;
  guint32 user_id;    /* of a user, or of the user of a job */
  guint32 group_id;   /* likewise */
  const char *name;   /* of a user his name, of an agent that of its node; borrowed for the call */
  const char *groups; /* of a user: names of his groups, with commas between; NULL: not known */
  guint64 run_id;     /* of a job: which run of it */
  const char *node;   /* of a job: the node of that run on which the process is; else NULL */
} LkPeer;

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  /* Sends a message, borrowed for the call, if it can: whether it arrives is not known.  FALSE: it
   * is longer than LK_MESSAGE_MAX_BYTES, and was not sent to anyone. */
  gboolean (*send) (void *self, LkPeerId peer, const guint8 *bytes, gsize length_bytes);
  /* Closes the connection of a peer, which may connect again. NULL: there are no connections. */
  void (*cut) (void *self, LkPeerId peer);
} LkPortNetOps;

typedef struct {
  const LkPortNetOps *ops;
  void *self;
} LkPortNet;

#endif
