/* traces/daily_cycle.c — see daily_cycle.h. */
#include "traces/daily_cycle.h"

#include <gsl/gsl_cdf.h>

#include "engine/assert.h"

#define BUCKET_S 1800.0
#define DAY_S (BUCKET_S * LK_DAILY_CYCLE_BUCKET_COUNT)
#define CYCLE_FIRST 11u /* the gamma density of arrivals starts at this bucket's hour */

void
lk_daily_cycle_init (LkDailyCycle *self, double shape, double scale)
{
  double sum = 0;
  *self = (LkDailyCycle){ 0 };
  for (guint i = CYCLE_FIRST; i < CYCLE_FIRST + LK_DAILY_CYCLE_BUCKET_COUNT; i++) {
    double weight =
        gsl_cdf_gamma_P (i + 0.5, shape, scale) - gsl_cdf_gamma_P (i - 0.5, shape, scale);
    self->weights[(i - 1) % LK_DAILY_CYCLE_BUCKET_COUNT] = weight;
    sum += weight;
  }
  for (guint i = 0; i < LK_DAILY_CYCLE_BUCKET_COUNT; i++) {
    self->weights[i] *= LK_DAILY_CYCLE_BUCKET_COUNT / sum;
    LK_ASSERT (self->weights[i] > 0);
  }
}

double
lk_daily_cycle_advance (LkDailyCycle *self, double even_gap_s)
{
  LK_ASSERT (even_gap_s >= 0);
  self->points += even_gap_s / BUCKET_S;
  /* Whole days at once: however long the gap is, the loop below ends. */
  if (self->points > LK_DAILY_CYCLE_BUCKET_COUNT) {
    double day_count = (double)(guint64)(self->points / LK_DAILY_CYCLE_BUCKET_COUNT);
    self->points -= day_count * LK_DAILY_CYCLE_BUCKET_COUNT;
    self->bucket_begin_s += day_count * DAY_S;
  }
  while (self->points > self->weights[self->bucket]) {
    self->points -= self->weights[self->bucket];
    self->bucket = (self->bucket + 1) % LK_DAILY_CYCLE_BUCKET_COUNT;
    self->bucket_begin_s += BUCKET_S;
  }
  return self->bucket_begin_s + BUCKET_S * self->points / self->weights[self->bucket];
}
