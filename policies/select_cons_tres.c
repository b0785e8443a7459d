/* policies/select_cons_tres.c — cores, memory and GPUs as consumables, nodes chosen as Slurm's
 * select/cons_tres does on a flat network.
 *
 * The host says what each node can give; here is decided which nodes give how much: by consecutive
 * best fit, or by what the demand or a parameter wants instead (docs/policy-select.md). */
#include "policies/select_habits.h"
#include "policies/selects.h"

static int32_t
cons_tres_choose (void *user, const LkView *view, const LkDemand *demand, const LkOffers *offers,
                  LkPick *picks, uint32_t *out_pick_count)
{
  LkSelectHabits *self = user;
  lk_node_pick_begin (&self->pick, view, demand, offers->items, offers->count);
  LkNodeAttempt attempt = lk_node_fit_asked (&self->pick, self->habits);
  if (attempt == NULL)
    attempt = lk_node_fit_consecutive;
  return lk_node_pick_run (&self->pick, attempt, picks, out_pick_count);
}

static int32_t
cons_tres_choose_alike (void *user, const LkView *view, const LkDemand *demand,
                        const LkAlikeNodes *nodes)
{
  LkSelectHabits *self = user;
  self->pick.demand = demand;
  LkNodeAttempt attempt = lk_node_fit_asked (&self->pick, self->habits);
  if (attempt == lk_node_fit_first)
    return lk_node_choose_first_alike (&self->pick, view, demand, nodes);
  return attempt == NULL && lk_node_choose_alike (&self->pick, view, demand, nodes);
}

static const LkParam cons_tres_params[] = {
  LK_SELECT_PARAM_BUSY,
  LK_SELECT_PARAM_SERIAL,
  LK_SELECT_PARAM_RELEASE,
  { NULL, 0, NULL, NULL, 0, 0, NULL },
};

const LkSelectPolicy lk_select_cons_tres = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkSelectPolicy),
            .seam = LK_SEAM_SELECT,
            .version = 1,
            .name = "cons_tres",
            .summary = "cores, memory and GPUs by consecutive best fit (Slurm's select/cons_tres)",
            .params = cons_tres_params,
            .create = lk_select_habits_create,
            .destroy = lk_select_habits_destroy },
  .choose = cons_tres_choose,
  .choose_alike = cons_tres_choose_alike,
};
