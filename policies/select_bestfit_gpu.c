/* policies/select_bestfit_gpu.c — the node that is left with the least.
 *
 * Lowest first: the share of the node's CPUs plus the share of its GPUs that would be free with the
 * job on it.  A job that wants part of a GPU gets it of the GPU that has the least left and still
 * holds it, so that whole GPUs stay whole.  The baseline called best fit in Weng et al., USENIX ATC
 * 2023. */
#include "policies/node_score.h"
#include "policies/selects.h"

static void *
bestfit_create (const LkParamValues *values, LkPolicyError *error)
{
  LkNodeScores *self = g_new (LkNodeScores, 1);
  (void)values;
  (void)error;
  lk_node_scores_init (self);
  return self;
}

static void
bestfit_destroy (void *user)
{
  LkNodeScores *self = user;
  if (self != NULL)
    lk_node_scores_clear (self);
  g_free (self);
}

static double
left_ratio (uint64_t free, uint64_t taken, uint64_t total)
{
  uint64_t left = free > taken ? free - taken : 0;
  return total == 0 ? 0.0 : (double)left / (double)total;
}

static double
score (const LkOffer *offer, const LkNodePart *part)
{
  uint64_t free = 0;
  uint64_t taken =
      part->shares > 0 ? part->shares : (uint64_t)part->gpus * offer->shares_per_device;
  for (uint32_t i = 0; i < offer->device_count; i++)
    free += offer->device_shares_free[i];
  return left_ratio (offer->cpus_free, MIN (part->cpus, offer->cpus), offer->cpus_total)
         + left_ratio (free, taken, (uint64_t)offer->device_count * offer->shares_per_device);
}

/* The device with the least left that holds the shares; of equal ones the first. */
static uint64_t
fullest_device (const LkOffer *offer, uint32_t shares)
{
  uint32_t best = LK_NODE_NONE;
  for (uint32_t i = 0; i < offer->device_count && shares > 0; i++)
    if (offer->device_shares_free[i] >= shares
        && (best == LK_NODE_NONE || offer->device_shares_free[i] < offer->device_shares_free[best]))
      best = i;
  return best == LK_NODE_NONE ? 0 : UINT64_C (1) << best;
}

static int32_t
bestfit_choose (void *user, const LkView *view, const LkDemand *demand, const LkOffers *offers,
                LkPick *picks, uint32_t *out_pick_count)
{
  LkNodeScores *self = user;
  lk_node_scores_begin (self, view, demand, offers->items, offers->count);
  for (uint32_t i = 0; i < offers->count; i++) {
    self->score[i] = score (&offers->items[i], &self->part);
    self->devices[i] = fullest_device (&offers->items[i], self->part.shares);
  }
  return lk_node_scores_run (self, picks, out_pick_count);
}

static const LkParam bestfit_params[] = { { 0 } };

const LkSelectPolicy lk_select_bestfit_gpu = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkSelectPolicy),
            .seam = LK_SEAM_SELECT,
            .version = 1,
            .name = "bestfit_gpu",
            .summary = "the node with the least CPUs and GPUs left over; shared GPUs are filled up "
                       "(best fit in Weng et al., ATC 2023)",
            .params = bestfit_params,
            .create = bestfit_create,
            .destroy = bestfit_destroy },
  .choose = bestfit_choose,
};
