/* engine/offer_cache.h — offers of nodes for a start at this moment, kept until the node changes.
 *
 * On a large machine most nodes are as they were when the last job of the same kind was placed.  An
 * offer for a start now depends on nothing but what runs on the node, as long as nothing is
 * reserved there; so it is kept with the node's stamp (LkNodeTable.stamp), for the kinds of jobs
 * that were placed last.  Nothing here changes a decision. */
#ifndef LK_ENGINE_OFFER_CACHE_H
#define LK_ENGINE_OFFER_CACHE_H

#include <glib.h>

#include "engine/machine.h"
#include "engine/reservation.h"
#include "engine/window.h"

/* What is known of one node. */
typedef struct {
  guint32 stamp; /* of the node when it was found out; 0: nothing is known */
  gboolean is_made;
  gboolean is_narrow;
  LkOffer offer;
} LkKnownOffer;

typedef struct _LkOfferCache LkOfferCache;

LkOfferCache *lk_offer_cache_new (const LkMachine *machine);
void lk_offer_cache_free (LkOfferCache *self);

/* What is known for this kind of job, by node, to be read and filled; NULL when offers over this
 * window are not such as are kept. Valid until the next call. */
LkKnownOffer *lk_offer_cache_kind (LkOfferCache *self, const LkRequest *request,
                                   const LkWindow *window, gboolean is_bound);

/* Is what a window sees of the node nothing but what runs there? */
static inline gboolean
lk_offer_cache_fits (const LkWindow *window, guint32 node)
{
  return (window->planned_first == NULL || window->planned_first[node] == LK_PIECE_NONE)
         && (window->reservations == NULL || !lk_bits_has (window->reservations->partial, node));
}

/* Shares of the node's devices that are free, as they were kept; room for them where `is_fresh` is
 * set to FALSE. */
guint32 *lk_offer_cache_shares (LkOfferCache *self, guint32 node, gboolean *is_fresh);

#endif
