/* policies/node_score.h — nodes by a score: each node is scored as if it held its part of the job,
 * and the lowest scores are taken, of equal ones the first node.  Nodes that can hold the part go
 * before those that cannot.  Weights do not count. */
#ifndef LK_POLICIES_NODE_SCORE_H
#define LK_POLICIES_NODE_SCORE_H

#include "policies/node_fit.h"

/* The part of a job that one node is asked to hold, when the parts are even. */
typedef struct {
  uint32_t cpus;
  uint32_t gpus;
  uint32_t shares; /* of one device */
} LkNodePart;

LkNodePart lk_node_part_of (const LkDemand *demand);

typedef struct {
  LkNodePick pick; /* the first member */
  LkNodePart part;
  /* By offer; the policy fills them between begin and run. */
  uint32_t room;
  double *score;
  uint64_t *devices; /* to give; 0: the host picks */
} LkNodeScores;

void lk_node_scores_init (LkNodeScores *self);
void lk_node_scores_clear (LkNodeScores *self);
void lk_node_scores_begin (LkNodeScores *self, const LkView *view, const LkDemand *demand,
                           const LkOffer *offers, uint32_t offer_count);
gboolean lk_node_scores_run (LkNodeScores *self, LkPick *picks, uint32_t *out_pick_count);

#endif
