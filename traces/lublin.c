/* traces/lublin.c — see lublin.h. Names of constants are those of the paper and of the authors'
 * program. */
#include "traces/lublin.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "engine/assert.h"

/* Sizes. */
#define SERIAL_PROB 0.244
#define POW2_PROB 0.576
#define U_LOW 0.8
#define U_PROB 0.86
#define U_MEDIUM_BELOW_HIGH 2.5 /* UMed = UHi - 2.5: the authors' 4.5 for 128 processors */

/* Natural logarithms of run times, in seconds: Gamma (A1, B1) or Gamma (A2, B2). */
#define A1 4.2
#define B1 0.94
#define A2 312.0
#define B2 0.03
#define PA (-0.0054)
#define PB 0.78
#define LOG_RUN_MAX 12.0

/* Arrivals. */
#define AARR 10.2303
#define BARR 0.4871
#define ANUM 8.1737
#define BNUM 3.9631
#define ARAR 1.0225
#define LOG_GAP_MAX 13.0
#define BUCKET_S 1800.0
#define CYCLE_FIRST 11 /* the gamma density of arrivals starts at this bucket's hour */

#define DRAW_COUNT_MAX 10000

struct _LkLublin {
  gsl_rng *random;
  gsl_rng *side_random;
  guint32 procs;
  double u_medium;
  double u_high;
  double weights[LK_LUBLIN_BUCKET_COUNT];
  guint bucket;
  double bucket_begin_s;
  double points; /* weight used up in the current bucket */
};

static void
fill_weights (LkLublin *self)
{
  double sum = 0;
  for (guint i = CYCLE_FIRST; i < CYCLE_FIRST + LK_LUBLIN_BUCKET_COUNT; i++) {
    double weight = gsl_cdf_gamma_P (i + 0.5, ANUM, BNUM) - gsl_cdf_gamma_P (i - 0.5, ANUM, BNUM);
    self->weights[(i - 1) % LK_LUBLIN_BUCKET_COUNT] = weight;
    sum += weight;
  }
  for (guint i = 0; i < LK_LUBLIN_BUCKET_COUNT; i++)
    self->weights[i] *= LK_LUBLIN_BUCKET_COUNT / sum;
}

LkLublin *
lk_lublin_new (guint32 procs, guint64 seed)
{
  LK_ASSERT (procs >= 2);
  LkLublin *self = g_new0 (LkLublin, 1);
  self->random = gsl_rng_alloc (gsl_rng_mt19937);
  self->side_random = gsl_rng_alloc (gsl_rng_mt19937);
  gsl_rng_set (self->random, (unsigned long)(seed & G_MAXUINT32));
  gsl_rng_set (self->side_random, (unsigned long)((seed ^ 0x5bd1e995u) & G_MAXUINT32));
  self->procs = procs;
  self->u_high = log2 (procs);
  /* On a machine of a few processors the first stage would be empty. */
  self->u_medium = MAX (self->u_high - U_MEDIUM_BELOW_HIGH, MIN (U_LOW, self->u_high));
  fill_weights (self);
  return self;
}

void
lk_lublin_free (LkLublin *self)
{
  if (self == NULL)
    return;
  gsl_rng_free (self->random);
  gsl_rng_free (self->side_random);
  g_free (self);
}

static double
two_stage_uniform (LkLublin *self)
{
  double low = MIN (U_LOW, self->u_medium);
  if (gsl_rng_uniform (self->random) <= U_PROB)
    return gsl_ran_flat (self->random, low, self->u_medium);
  return gsl_ran_flat (self->random, self->u_medium, self->u_high);
}

static guint32
draw_procs (LkLublin *self)
{
  double u = gsl_rng_uniform (self->random);
  if (u <= SERIAL_PROB)
    return 1;
  double x = two_stage_uniform (self);
  if (u <= SERIAL_PROB + POW2_PROB)
    x = floor (x + 0.5);
  double procs = floor (exp2 (x) + 0.5);
  return (guint32)CLAMP (procs, 1.0, (double)self->procs);
}

/* Redraws while above `limit`; the bound only keeps a broken generator from hanging the caller. */
static double
gamma_below (LkLublin *self, double shape, double scale, double limit)
{
  double value = limit;
  for (guint i = 0; i < DRAW_COUNT_MAX; i++) {
    value = gsl_ran_gamma (self->random, shape, scale);
    if (value <= limit)
      break;
  }
  return MIN (value, limit);
}

static gint64
draw_run_s (LkLublin *self, guint32 procs)
{
  double p = CLAMP (PA * procs + PB, 0.0, 1.0);
  gboolean is_first = gsl_rng_uniform (self->random) <= p;
  double y =
      is_first ? gamma_below (self, A1, B1, LOG_RUN_MAX) : gamma_below (self, A2, B2, LOG_RUN_MAX);
  return MAX ((gint64)exp (y), 1);
}

static double
draw_arrival_s (LkLublin *self)
{
  double gap_s = exp (gamma_below (self, AARR * ARAR, BARR, LOG_GAP_MAX));
  self->points += gap_s / BUCKET_S;
  while (self->points > self->weights[self->bucket]) {
    self->points -= self->weights[self->bucket];
    self->bucket = (self->bucket + 1) % LK_LUBLIN_BUCKET_COUNT;
    self->bucket_begin_s += BUCKET_S;
  }
  return self->bucket_begin_s + BUCKET_S * self->points / self->weights[self->bucket];
}

void
lk_lublin_next (LkLublin *self, LkLublinJob *out_job)
{
  out_job->submit_s = (gint64)draw_arrival_s (self);
  out_job->procs = draw_procs (self);
  out_job->run_s = draw_run_s (self, out_job->procs);
}

double
lk_lublin_uniform (LkLublin *self)
{
  return gsl_rng_uniform (self->side_random);
}

double
lk_lublin_bucket_weight (const LkLublin *self, guint bucket)
{
  LK_ASSERT (bucket < LK_LUBLIN_BUCKET_COUNT);
  return self->weights[bucket];
}
