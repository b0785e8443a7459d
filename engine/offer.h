/* engine/offer.h — what a node can give a job, and what a job then takes of it.
 *
 * An offer says how many CPUs, tasks and GPUs the job could use on the node, as it stands free over
 * a window; none when it is less than the least that the job needs of one node.  Once the select
 * policy has said how much to take, the cores, devices and shares are picked.  Source: semantics of
 * Slurm's select/cons_tres, as documented in gres.html and cons_tres.html, and its behaviour as
 * recorded in tests/oracle (docs/fidelity.md). */
#ifndef LK_ENGINE_OFFER_H
#define LK_ENGINE_OFFER_H

#include <glib.h>

#include "engine/machine.h"
#include "engine/window.h"

/* All that the node can give. FALSE: it cannot serve the job. `out_offer->device_shares_free` is
 * left alone. */
gboolean lk_offer_make (const LkMachine *machine, const LkRequest *request, guint32 node,
                        const LkNodeFree *free, LkOffer *out_offer);
/* What it can give a job with GPUs that has its cores near to them. `out_is_narrow`: it could give
 * more, or serve at all, without that. */
gboolean lk_offer_make_bound (const LkMachine *machine, const LkRequest *request, guint32 node,
                              const LkNodeFree *free, LkOffer *out_offer, gboolean *out_is_narrow);

/* Fills node, cores, devices, shares, counts, memory, CPUs and flags of `out_piece`. FALSE: what
 * was picked cannot be had together on this node (binding of GPUs to sockets).  Where the job's
 * GPUs are counted over all its nodes, the policy named no devices and the job does not have the
 * node alone, they are still to be taken with lk_offer_take_gpus. */
gboolean lk_offer_take (const LkMachine *machine, const LkRequest *request, guint32 node,
                        const LkNodeFree *free, const LkPick *pick, LkPiece *out_piece);

/* Adds up to `most` GPUs to a piece, and their memory; with `near` only those near to its cores, or
 * to all. Returns how many it added. */
guint32 lk_offer_take_gpus (const LkMachine *machine, const LkRequest *request,
                            const LkNodeFree *free, guint32 most, gboolean near, LkPiece *piece);

#endif
