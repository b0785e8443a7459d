/* policies/tres_weights.h — PriorityWeightTRES: the weights of resources, by name and then by
 * index.
 *
 *   weights   NAME=WEIGHT,NAME=WEIGHT ...
 *
 * Names are those of the site (cpu, mem, gres/gpu ...), in any case; a weight may be negative.  The
 * weight of mem is for each MiB, or with the letter K, M, G or T for each such unit, which matters
 * only when factors are not normalized. */
#ifndef LK_POLICIES_TRES_WEIGHTS_H
#define LK_POLICIES_TRES_WEIGHTS_H

#include <glib.h>

#include "engine/policy.h"

#define LK_TRES_NAME_MAX 63

typedef struct {
  char name[LK_TRES_NAME_MAX + 1];
  double weight;
} LkTresWeight;

/* Appends LkTresWeight to `out`. Returns NULL, or what is wrong. */
const char *lk_tres_weights_parse (const char *text, GArray *out);

/* Fills LK_TRES_MAX weights, those that are not named with 0.  A name that the site does not have
 * counts for nothing. */
void lk_tres_weights_resolve (const GArray *weights, const LkAccountsView *accounts,
                              double *out_weights);

#endif
