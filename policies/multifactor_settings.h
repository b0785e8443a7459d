/* policies/multifactor_settings.h — the parameters of the order `multifactor`, read and checked. */
#ifndef LK_POLICIES_MULTIFACTOR_SETTINGS_H
#define LK_POLICIES_MULTIFACTOR_SETTINGS_H

#include <glib.h>

#include "policies/classic_fairshare.h"
#include "policies/fair_tree.h"

/* PriorityFlags that this order knows: X (NAME, bit). */
#define LK_PRIORITY_FLAGS(X)                                                                       \
  X (CALCULATE_RUNNING, 0)                                                                         \
  X (DEPTH_OBLIVIOUS, 1)                                                                           \
  X (INCR_ONLY, 2)                                                                                 \
  X (NO_FAIR_TREE, 3)                                                                              \
  X (NO_NORMAL_ALL, 4)                                                                             \
  X (NO_NORMAL_ASSOC, 5)                                                                           \
  X (NO_NORMAL_PART, 6)                                                                            \
  X (NO_NORMAL_QOS, 7)                                                                             \
  X (NO_NORMAL_TRES, 8)                                                                            \
  X (SMALL_RELATIVE_TO_TIME, 9)

typedef enum {
#define X(NAME, bit) LK_PRIORITY_##NAME = 1 << bit,
  LK_PRIORITY_FLAGS (X)
#undef X
} LkPriorityFlag;

typedef struct {
  double age_weight;
  double association_weight;
  double fairshare_weight;
  double job_size_weight;
  double partition_weight;
  double qos_weight;
  GArray *tres_weights; /* of LkTresWeight; empty: none */
  int64_t max_age_us;
  uint32_t flags;          /* LkPriorityFlag; NO_NORMAL_ALL stands for all four */
  uint32_t job_size_flags; /* LK_JOB_SIZE_* */
  LkFairTreeTies ties;
  uint32_t is_fair_tree;
  LkClassicRule classic;
  uint32_t is_continuous;
} LkMultifactorSettings;

extern const LkParam lk_multifactor_params[];

/* Returns 0 with `error` filled when a value is refused. */
int32_t lk_multifactor_settings_read (LkMultifactorSettings *self, const LkParamValues *values,
                                      LkPolicyError *error);
void lk_multifactor_settings_clear (LkMultifactorSettings *self);

#endif
