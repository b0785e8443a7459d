/* engine/place.h — where a job would go: offers of all nodes that could serve it, the select
 * policy's choice among them, and the pieces that come of it.
 *
 * Feature alternatives are tried in order and the first that works is taken; counted features are
 * chosen one after the other and become required nodes; sharing jobs first look for cores of their
 * own, then for cores with one other job, and so on; jobs with GPUs first look for cores near to
 * these, then for any.
 *
 * GPUs that a job wants on all its nodes together are dealt out once its cores are known: to each
 * node those near to its cores, one kept for each node behind it; what is missing then from the
 * first node on.  Source: behaviour of Slurm 22.05 (docs/fidelity.md). */
#ifndef LK_ENGINE_PLACE_H
#define LK_ENGINE_PLACE_H

#include <glib.h>

#include "engine/machine.h"
#include "engine/offer_cache.h"
#include "engine/window.h"

typedef struct {
  LkMachine *machine;
  const LkView *view;
  const LkSelectPolicy *select;
  void *select_self;
  const guint64 *among; /* only these nodes need to be looked at; NULL: all */
  LkOfferCache *cache;
  /* Scratch. */
  GArray *offers;       /* of LkOffer */
  GArray *picks;        /* of LkPick */
  GArray *share_starts; /* of guint32: where an offer's shares begin */
  GArray *shares;       /* of guint32 */
  GArray *pieces;       /* of guint32, by pick */
  guint64 *candidates;
  guint64 *required;  /* by the job, and by its counted features */
  gboolean is_bound;  /* cores near to the job's GPUs only */
  gboolean is_narrow; /* a node could give more if they were not */
  /* Of the next place: when it is nodes that are alike, one piece stands for all of them, and
   * `is_bundle` is set; `chosen` then has the nodes, of which the piece's is the first. */
  gboolean may_bundle;
  gboolean is_bundle;
  guint64 *chosen;
} LkPlacer;

void lk_placer_init (LkPlacer *self, LkMachine *machine, const LkView *view,
                     const LkSelectPolicy *select, void *select_self);
void lk_placer_clear (LkPlacer *self);

/* Where a job with this request would go over the window. Its first new piece, on no node's list,
 * with the window's times and `job`; or LK_PIECE_NONE. `switches` FALSE: its limit of leaf switches
 * no longer counts. Licences are not looked at. Free with lk_placer_discard. */
guint32 lk_placer_place (LkPlacer *self, const LkRequest *request, LkJobIndex job, LkWindow *window,
                         gboolean switches);
/* engine/place_alike.c: the same for nodes that are idle and alike; LK_PIECE_NONE: not known. */
guint32 lk_placer_place_alike (LkPlacer *self, const LkRequest *request, LkJobIndex job,
                               const LkWindow *window);
/* Makes of the piece that stands for these nodes one for each of them. */
void lk_placer_unbundle (LkPlacer *self, guint32 first_piece, const guint64 *nodes);
/* Frees a job's pieces, which are on no node's list. */
void lk_placer_discard (LkPlacer *self, guint32 first_piece);

/* The same, and the cores of some do not count, LK_OVER_*. */
gboolean lk_piece_is_free_over (const LkPlacer *self, const LkRequest *request,
                                const LkPiece *piece, gint64 now_us, guint8 over);
/* Could what the piece holds be held now beside what runs on its node? */
gboolean lk_piece_is_free (const LkPlacer *self, const LkRequest *request, const LkPiece *piece,
                           gint64 now_us);

/* CPUs of a job's pieces. */
guint32 lk_placer_cpus (const LkPlacer *self, guint32 first_piece);

#endif
