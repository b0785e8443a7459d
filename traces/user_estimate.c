/* traces/user_estimate.c — see user_estimate.h.
 *
 * The weights are ours: about a fifth for the maximum, then the values that people name first (15
 * minutes, 1 hour, 12 and 24 hours ...), falling roughly geometrically as the ranks of the paper's
 * modes do. */
#include "traces/user_estimate.h"

#include "engine/assert.h"

#define HOUR_S 3600
#define STEP_US (G_GINT64_CONSTANT (43200) * G_USEC_PER_SEC)

static const LkUserEstimateMode modes[] = {
  { 300, 55 },         { 600, 45 },         { 900, 70 },         { 1200, 25 },
  { 1800, 65 },        { 2700, 12 },        { HOUR_S, 90 },      { 2 * HOUR_S, 60 },
  { 3 * HOUR_S, 35 },  { 4 * HOUR_S, 50 },  { 5 * HOUR_S, 20 },  { 6 * HOUR_S, 35 },
  { 8 * HOUR_S, 30 },  { 10 * HOUR_S, 25 }, { 12 * HOUR_S, 70 }, { 15 * HOUR_S, 12 },
  { 18 * HOUR_S, 35 }, { 20 * HOUR_S, 12 }, { 24 * HOUR_S, 54 }, { 36 * HOUR_S, 200 },
};

const LkUserEstimateMode *
lk_user_estimate_modes (guint *out_count)
{
  *out_count = G_N_ELEMENTS (modes);
  return modes;
}

static gint64
round_up_us (gint64 run_us)
{
  if (run_us > G_MAXINT64 - STEP_US)
    return run_us;
  return (run_us + STEP_US - 1) / STEP_US * STEP_US;
}

gint64
lk_user_estimate_us (double uniform, gint64 run_us)
{
  LK_ASSERT (run_us > 0);
  guint first = 0;
  while (first < G_N_ELEMENTS (modes) && modes[first].value_s * G_USEC_PER_SEC < run_us)
    first++;
  if (first == G_N_ELEMENTS (modes))
    return round_up_us (run_us);
  guint weight_sum = 0;
  for (guint i = first; i < G_N_ELEMENTS (modes); i++)
    weight_sum += modes[i].weight;
  guint place = (guint)(uniform * weight_sum);
  guint i = first;
  while (i < G_N_ELEMENTS (modes) - 1 && place >= modes[i].weight) {
    place -= modes[i].weight;
    i++;
  }
  return modes[i].value_s * G_USEC_PER_SEC;
}
