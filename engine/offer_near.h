/* engine/offer_near.h — the sockets of a node from which a job with GPUs should have its cores.
 *
 * Sockets are taken by falling number of free GPUs near to them, of equal ones the lowest, until
 * they have the GPUs that are asked for, and the CPUs that come with each GPU; a socket without a
 * free core is none.  GPUs that are near to all sockets count everywhere.  Source: behaviour of
 * Slurm 22.05 (docs/fidelity.md), gres.html. */
#ifndef LK_ENGINE_OFFER_NEAR_H
#define LK_ENGINE_OFFER_NEAR_H

#include <glib.h>

#include "engine/machine.h"
#include "engine/window.h"

typedef struct {
  guint32 cores[LK_LIMIT_NODE_SOCKETS]; /* free, by socket */
  guint32 sockets;                      /* set; 0: all are as good */
  guint32 gpus;                         /* free ones that are near to a socket with a free core */
  gboolean is_enough;                   /* these are as many as must be */
} LkNear;

/* Free devices that a demand could have. */
guint64 lk_matching_devices (const LkNodeKind *kind, guint64 devices, guint32 type);

/* Only counts the free cores, which every request needs; none on sockets that have fewer than it
 * asks for. */
void lk_near_cores (LkNear *self, const LkRequest *request, const LkNodeKind *kind,
                    const LkNodeFree *free);
/* All of it, behind lk_near_cores. */
void lk_near_find (LkNear *self, const LkMachine *machine, const LkRequest *request,
                   const LkNodeKind *kind, const LkNodeFree *free);

/* Does it matter for this request on which sockets its cores are? */
static inline gboolean
lk_wants_near (const LkRequest *request)
{
  return request->demand.gpus_per_node + request->demand.gpus_total > 0 && !request->whole_cores;
}

/* Of a core, CPUs that tasks may use. */
static inline guint32
lk_cpus_used_per_core (const LkRequest *request, const LkNodeKind *kind)
{
  guint32 used = request->cpus_used_per_core;
  return used == 0 ? kind->cpus_per_core : MIN (used, kind->cpus_per_core);
}

#endif
