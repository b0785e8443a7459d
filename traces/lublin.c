/* traces/lublin.c — see lublin.h. Names of constants are those of the paper and of the authors'
 * program. */
#include "traces/lublin.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "engine/assert.h"
#include "traces/daily_cycle.h"
#include "traces/random.h"

#define LOG_RUN_MAX 12.0
#define LOG_GAP_MAX 13.0
#define DRAW_COUNT_MAX 10000
#define TYPE_COUNT_MAX 2u

G_STATIC_ASSERT (LK_LUBLIN_BUCKET_COUNT == LK_DAILY_CYCLE_BUCKET_COUNT);

typedef struct {
  /* Sizes. The authors' UHi and UMed of 128 processors, told by their distances. */
  double serial_prob;
  double pow2_prob;
  double u_low;
  double u_high_below_machine;
  double u_medium_below_high;
  double u_prob;
  /* Natural logarithms of run times, in seconds: Gamma (a1, b1) or Gamma (a2, b2). */
  double a1, b1, a2, b2;
  double pa, pb;
  /* Arrivals. */
  double aarr, barr, anum, bnum, arar;
} Parameters;

/* By LkLublinType. */
static const Parameters parameters[] = {
  { 0.244, 0.576, 0.8, 0, 2.5, 0.86, 4.2, 0.94, 312, 0.03, -0.0054, 0.78, 10.2303, 0.4871, 8.1737,
    3.9631, 1.0225 },
  { 0.2927, 0.6686, 1.2, 0, 2, 0.875, 6.57, 0.823, 639.1, 0.0156, -0.003, 0.6986, 6.0415, 0.8531,
    6.1271, 5.2740, 1.0519 },
  { 0.1541, 0.625, 1, 1.5, 2.5, 0.705, 3.8351, 0.6605, 7.073, 0.6856, -0.0118, 0.9156, 6.5510,
    0.6621, 8.9186, 3.6680, 0.9797 },
};

/* The jobs of one type. */
typedef struct {
  const Parameters *parameters;
  LkLublinType type;
  gsl_rng *random;
  double u_medium;
  double u_high;
  LkDailyCycle cycle;
  double arrival_s; /* of the next job */
} Stream;

struct _LkLublin {
  Stream streams[TYPE_COUNT_MAX];
  guint stream_count;
  gsl_rng *side_random;
  guint32 procs;
  double gap_scale_ratio;
  gboolean is_begun;
};

static void
stream_init (Stream *self, LkLublinType type, guint32 procs, guint64 seed)
{
  const Parameters *p = &parameters[type];
  double machine = log2 (procs);
  self->parameters = p;
  self->type = type;
  self->random = lk_random_new (seed, LK_STREAM_LUBLIN + (guint64)type);
  /* On a machine of a few processors stages would be empty. */
  self->u_high = MAX (machine - p->u_high_below_machine, MIN (p->u_low, machine));
  self->u_medium = MAX (self->u_high - p->u_medium_below_high, MIN (p->u_low, self->u_high));
  lk_daily_cycle_init (&self->cycle, p->anum, p->bnum);
}

static LkLublin *
lublin_new (guint32 procs, guint64 seed, LkLublinType first, guint stream_count)
{
  LK_ASSERT (procs >= 2);
  LkLublin *self = g_new0 (LkLublin, 1);
  for (guint i = 0; i < stream_count; i++)
    stream_init (&self->streams[i], first + i, procs, seed);
  self->stream_count = stream_count;
  self->side_random = lk_random_new (seed, LK_STREAM_LUBLIN_SIDE);
  self->procs = procs;
  self->gap_scale_ratio = 1;
  return self;
}

LkLublin *
lk_lublin_new (guint32 procs, guint64 seed)
{
  return lublin_new (procs, seed, LK_LUBLIN_TYPELESS, 1);
}

LkLublin *
lk_lublin_new_typed (guint32 procs, guint64 seed)
{
  return lublin_new (procs, seed, LK_LUBLIN_BATCH, 2);
}

void
lk_lublin_free (LkLublin *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->stream_count; i++)
    gsl_rng_free (self->streams[i].random);
  gsl_rng_free (self->side_random);
  g_free (self);
}

void
lk_lublin_set_gap_scale (LkLublin *self, double gap_scale_ratio)
{
  LK_ASSERT (gap_scale_ratio > 0);
  LK_ASSERT (!self->is_begun);
  self->gap_scale_ratio = gap_scale_ratio;
}

static double
two_stage_uniform (const Stream *self)
{
  double low = MIN (self->parameters->u_low, self->u_medium);
  if (gsl_rng_uniform (self->random) <= self->parameters->u_prob)
    return gsl_ran_flat (self->random, low, self->u_medium);
  return gsl_ran_flat (self->random, self->u_medium, self->u_high);
}

static guint32
draw_procs (const Stream *self, guint32 machine_procs)
{
  const Parameters *p = self->parameters;
  double u = gsl_rng_uniform (self->random);
  if (u <= p->serial_prob)
    return 1;
  double x = two_stage_uniform (self);
  if (u <= p->serial_prob + p->pow2_prob)
    x = floor (x + 0.5);
  double procs = floor (exp2 (x) + 0.5);
  return (guint32)CLAMP (procs, 1.0, (double)machine_procs);
}

/* Redraws while above `limit`; the bound only keeps a broken generator from hanging the caller. */
static double
gamma_below (const Stream *self, double shape, double scale, double limit)
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
draw_run_s (const Stream *self, guint32 procs)
{
  const Parameters *p = self->parameters;
  double share = CLAMP (p->pa * procs + p->pb, 0.0, 1.0);
  gboolean is_first = gsl_rng_uniform (self->random) <= share;
  double y = is_first ? gamma_below (self, p->a1, p->b1, LOG_RUN_MAX)
                      : gamma_below (self, p->a2, p->b2, LOG_RUN_MAX);
  return MAX ((gint64)exp (y), 1);
}

static void
draw_arrival (Stream *self, double gap_scale_ratio)
{
  const Parameters *p = self->parameters;
  double gap_s = exp (gamma_below (self, p->aarr * p->arar, p->barr, LOG_GAP_MAX));
  self->arrival_s = lk_daily_cycle_advance (&self->cycle, gap_s * gap_scale_ratio);
}

/* The type whose job comes first; of two at one moment the batch job. */
static Stream *
earliest_stream (LkLublin *self)
{
  Stream *first = &self->streams[0];
  for (guint i = 1; i < self->stream_count; i++)
    if (self->streams[i].arrival_s < first->arrival_s)
      first = &self->streams[i];
  return first;
}

void
lk_lublin_next (LkLublin *self, LkLublinJob *out_job)
{
  for (guint i = 0; i < self->stream_count && !self->is_begun; i++)
    draw_arrival (&self->streams[i], self->gap_scale_ratio);
  self->is_begun = TRUE;
  Stream *stream = earliest_stream (self);
  out_job->submit_s = (gint64)stream->arrival_s;
  out_job->procs = draw_procs (stream, self->procs);
  out_job->run_s = draw_run_s (stream, out_job->procs);
  out_job->type = stream->type;
  draw_arrival (stream, self->gap_scale_ratio);
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
  return self->streams[0].cycle.weights[bucket];
}
