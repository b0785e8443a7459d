/* traces/generate_gpu_mix.c — a mix of GPU jobs; declared in traces/generate.h.
 *
 * Three independent streams: when, how many GPUs, how long.  A mean gap of a minute at scale 1 is
 * as good as any other: the load decides. */
#include <gsl/gsl_randist.h>
#include <math.h>

#include "engine/assert.h"
#include "traces/daily_cycle.h"
#include "traces/generate_private.h"
#include "traces/random.h"

#define MEAN_GAP_S 60.0
#define DRAW_COUNT_MAX 10000

/* Jobs of one size: what they ask for, made once. */
typedef struct {
  double share_ratio; /* of this and the smaller ones: cumulative */
  guint32 gpus;
  guint32 nodes;
  char *gres; /* of each node */
} Size;

typedef struct {
  LkGenerator base;
  LkGpuMixOptions options; /* without its pointers */
  GArray *sizes;           /* of Size, in the order given */
  gsl_rng *arrivals;
  gsl_rng *draws;
  gsl_rng *runs;
  LkDailyCycle cycle;
  double mean_gap_s;
} GpuMix;

static void
size_clear (gpointer data)
{
  g_free (((Size *)data)->gres);
}

static void
gpu_mix_restart (LkGenerator *base, double gap_scale_ratio)
{
  GpuMix *self = (GpuMix *)base;
  guint64 seed = self->options.seed;
  lk_random_seek (self->arrivals, seed, LK_STREAM_ARRIVALS, 0);
  lk_random_seek (self->draws, seed, LK_STREAM_SIZES, 0);
  lk_random_seek (self->runs, seed, LK_STREAM_RUN_TIMES, 0);
  lk_daily_cycle_init (&self->cycle, LK_DAILY_CYCLE_SHAPE, LK_DAILY_CYCLE_SCALE);
  self->mean_gap_s = MEAN_GAP_S * gap_scale_ratio;
}

static const Size *
draw_size (const GpuMix *self)
{
  double u = gsl_rng_uniform (self->draws);
  guint i = 0;
  while (i + 1 < self->sizes->len && u >= g_array_index (self->sizes, Size, i).share_ratio)
    i++;
  return &g_array_index (self->sizes, Size, i);
}

static gint64
draw_run_s (const GpuMix *self)
{
  double max_s = (double)self->options.run_max_s;
  double run_s = max_s;
  for (guint i = 0; i < DRAW_COUNT_MAX; i++) {
    run_s =
        gsl_ran_lognormal (self->runs, log (self->options.run_median_s), self->options.run_sigma);
    if (run_s <= max_s)
      break;
  }
  return (gint64)CLAMP (ceil (run_s), 1, max_s);
}

static gboolean
gpu_mix_next (LkGenerator *base, LkTraceRecord *out_record)
{
  GpuMix *self = (GpuMix *)base;
  const LkGpuMixOptions *options = &self->options;
  double gap_s = gsl_ran_exponential (self->arrivals, self->mean_gap_s);
  const Size *size = draw_size (self);
  LkJobRequest *request = &out_record->request;
  double submit_s = lk_daily_cycle_advance (&self->cycle, gap_s);
  out_record->submit_us = (gint64)MIN (submit_s, (double)LK_GENERATE_TIME_MAX_S) * G_USEC_PER_SEC;
  out_record->run_us = draw_run_s (self) * G_USEC_PER_SEC;
  out_record->procs = (gint64)size->gpus * options->cpus_per_gpu;
  out_record->state = LK_RECORD_COMPLETED;
  request->nodes_min = size->nodes;
  request->nodes_max = size->nodes;
  request->tasks = size->gpus;
  request->tasks_per_node = size->gpus / size->nodes;
  request->cpus_per_task = options->cpus_per_gpu;
  request->gres = lk_text (size->gres);
  if (options->memory_per_gpu_bytes > 0) {
    request->present |= LK_REQUEST_HAS_MEMORY_PER_GPU;
    request->memory_per_gpu_bytes = options->memory_per_gpu_bytes;
  }
  return TRUE;
}

static void
gpu_mix_free (LkGenerator *base)
{
  GpuMix *self = (GpuMix *)base;
  g_array_unref (self->sizes);
  gsl_rng_free (self->arrivals);
  gsl_rng_free (self->draws);
  gsl_rng_free (self->runs);
  g_free (self);
}

static const LkGeneratorOps gpu_mix_ops = { gpu_mix_restart, gpu_mix_next, gpu_mix_free };

static gboolean
size_check (const LkGpuMixOptions *options, guint32 gpus, GError **error)
{
  if (gpus < 1 || gpus > options->gpus) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE,
                 "the mix has jobs of %u GPUs; expected 1 to the cluster's %u", gpus,
                 options->gpus);
    return FALSE;
  }
  if (gpus <= options->gpus_per_node || gpus % options->gpus_per_node == 0)
    return TRUE;
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE,
               "the mix has jobs of %u GPUs, which are no whole nodes of %u; expected a multiple",
               gpus, options->gpus_per_node);
  return FALSE;
}

static gboolean
sizes_fill (GpuMix *self, const LkGpuMixOptions *options, GError **error)
{
  double sum = 0;
  double cumulative = 0;
  for (guint i = 0; i < options->share_count; i++)
    sum += options->shares[i].share_ratio;
  for (guint i = 0; i < options->share_count; i++) {
    guint32 gpus = options->shares[i].gpus;
    if (!size_check (options, gpus, error))
      return FALSE;
    LK_ASSERT (options->shares[i].share_ratio > 0);
    cumulative += options->shares[i].share_ratio / sum;
    guint32 nodes = MAX (gpus / options->gpus_per_node, 1);
    gboolean is_typed = *options->gpu_type != '\0';
    Size size = { .share_ratio = cumulative, .gpus = gpus, .nodes = nodes };
    g_array_append_val (self->sizes, size);
    g_array_index (self->sizes, Size, i).gres =
        g_strdup_printf ("gpu%s%s:%u", is_typed ? ":" : "", options->gpu_type, gpus / nodes);
  }
  return TRUE;
}

LkGenerator *
lk_generate_gpu_mix_new (const LkGpuMixOptions *options, GError **error)
{
  LK_ASSERT (options->share_count >= 1);
  LK_ASSERT (options->gpus_per_node >= 1);
  LK_ASSERT (options->cpus_per_gpu >= 1);
  LK_ASSERT (options->run_median_s > 0);
  GpuMix *self = g_new0 (GpuMix, 1);
  self->base.ops = &gpu_mix_ops;
  self->base.procs = (guint64)options->gpus * options->cpus_per_gpu;
  self->base.unix_start_s = -1;
  self->options = *options;
  self->options.shares = NULL;
  self->options.gpu_type = NULL;
  self->sizes = g_array_new (FALSE, FALSE, sizeof (Size));
  g_array_set_clear_func (self->sizes, size_clear);
  self->arrivals = lk_random_new (options->seed, LK_STREAM_ARRIVALS);
  self->draws = lk_random_new (options->seed, LK_STREAM_SIZES);
  self->runs = lk_random_new (options->seed, LK_STREAM_RUN_TIMES);
  if (!sizes_fill (self, options, error)) {
    gpu_mix_free (&self->base);
    return NULL;
  }
  lk_generator_restart (&self->base, 1);
  return &self->base;
}
