/* policies/builtin.c — the list of the built-in policies, by seam and then name. */
#include "policies/builtin.h"

#include "policies/backfills.h"
#include "policies/limits.h"
#include "policies/orders.h"
#include "policies/preempts.h"
#include "policies/selects.h"

const LkPolicy *const lk_builtin_policies[] = {
  &lk_order_basic.base,
  &lk_order_expr.base,
  &lk_order_f1.base,
  &lk_order_f2.base,
  &lk_order_f3.base,
  &lk_order_f4.base,
  &lk_order_fifo.base,
  &lk_order_largest.base,
  &lk_order_lifo.base,
  &lk_order_ljf.base,
  &lk_order_multifactor.base,
  &lk_order_saf.base,
  &lk_order_sexp.base,
  &lk_order_sjf.base,
  &lk_order_smallest.base,
  &lk_order_unicef.base,
  &lk_order_wfp3.base,
  &lk_order_xfactor.base,
  &lk_backfill_conservative.base,
  &lk_backfill_easy.base,
  &lk_backfill_full.base,
  &lk_backfill_none.base,
  &lk_backfill_replan.base,
  &lk_backfill_slurm.base,
  &lk_select_bestfit_gpu.base,
  &lk_select_cons_tres.base,
  &lk_select_fgd.base,
  &lk_select_linear.base,
  &lk_select_pool.base,
  &lk_select_topology.base,
  &lk_limits_none.base,
  &lk_limits_slurm.base,
  &lk_preempt_gang.base,
  &lk_preempt_none.base,
  &lk_preempt_partition_prio.base,
  &lk_preempt_qos.base,
  NULL,
};
