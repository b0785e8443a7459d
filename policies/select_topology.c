/* policies/select_topology.c — cons_tres on a network: jobs on the fewest leaf switches of a tree,
 * or inside one block.
 *
 * What comes before the network is what comes before it in Slurm (docs/policy-select.md).  On a
 * machine without a topology the policy is cons_tres. */
#include "policies/select_habits.h"
#include "policies/selects.h"

static LkNodeAttempt
attempt_on (const LkClusterView *cluster)
{
  uint32_t topology = cluster == NULL ? LK_TOPOLOGY_NONE_VIEW : cluster->topology;
  switch (topology) {
  case LK_TOPOLOGY_TREE_VIEW:
    return lk_node_fit_tree;
  case LK_TOPOLOGY_BLOCK_VIEW:
    return lk_node_fit_block;
  default:
    return lk_node_fit_consecutive;
  }
}

static int32_t
topology_choose (void *user, const LkView *view, const LkDemand *demand, const LkOffers *offers,
                 LkPick *picks, uint32_t *out_pick_count)
{
  LkSelectHabits *self = user;
  lk_node_pick_begin (&self->pick, view, demand, offers->items, offers->count);
  LkNodeAttempt attempt = lk_node_fit_asked (&self->pick, self->habits);
  if (attempt == NULL)
    attempt = attempt_on (view->cluster);
  return lk_node_pick_run (&self->pick, attempt, picks, out_pick_count);
}

static const LkParam topology_params[] = {
  LK_SELECT_PARAM_BUSY,
  LK_SELECT_PARAM_SERIAL,
  LK_SELECT_PARAM_RELEASE,
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};

const LkSelectPolicy lk_select_topology = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkSelectPolicy),
            .seam = LK_SEAM_SELECT,
            .version = 1,
            .name = "topology",
            .summary = "cons_tres on the fewest leaf switches, or in one block (Slurm's "
                       "topology/tree and topology/block)",
            .params = topology_params,
            .create = lk_select_habits_create,
            .destroy = lk_select_habits_destroy },
  .choose = topology_choose,
};
