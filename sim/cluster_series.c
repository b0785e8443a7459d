/* sim/cluster_series.c — see the header. */
#include "sim/cluster_series.h"

#include <math.h>
#include <string.h>

#include "policies/fgd_measure.h"
#include "traces/output.h"

/* Classes of tasks that are told apart; what comes behind is counted with the nearest of them. */
#define CLASS_MAX 32u

struct _LkClusterSeries {
  const LkNodeTable *nodes;
  gint64 interval_us;
  LkOutput *output; /* NULL: none */
  gint64 first_us;  /* G_MININT64 before the first moment */
  gint64 last_us;
  gint64 held_until_us; /* the last end; G_MININT64: none yet */
  gint64 next_sample_us;
  /* In use now, and summed over time in units times seconds. */
  guint64 cpus;
  gint64 memory_bytes;
  double gpus;
  double gpus_peak;
  double cpu_seconds;
  double memory_seconds; /* in GiB */
  double gpu_seconds;
  double fragmentation_sum;
  guint64 samples;
  /* Of the machine. */
  guint64 cpus_total;
  gint64 memory_total_bytes;
  guint64 gpus_total;
  LkFgdClass classes[CLASS_MAX];
  guint32 class_count;
};

static const char header[] = "time_s,jobs_pending,jobs_running,cpus,cpus_total,memory_gib,"
                             "memory_total_gib,gpus,gpus_total,gpu_allocation,fragmentation,"
                             "nodes_idle,nodes_mixed,nodes_allocated,nodes_unavailable\n";

LkClusterSeries *
lk_cluster_series_new (const LkNodeTable *nodes, gint64 interval_us, const char *path,
                       GError **error)
{
  LkOutput *output = NULL;
  if (path != NULL) {
    output = lk_output_new_partial (path, error);
    if (output == NULL)
      return NULL;
    if (!lk_output_write (output, header, sizeof header - 1, error)) {
      lk_output_free (output);
      return NULL;
    }
  }
  LkClusterSeries *self = g_new0 (LkClusterSeries, 1);
  self->nodes = nodes;
  self->interval_us = interval_us;
  self->output = output;
  self->first_us = G_MININT64;
  self->held_until_us = G_MININT64;
  for (guint32 node = 0; node < nodes->node_count; node++) {
    const LkNodeKind *kind = lk_node_kind (nodes, node);
    self->cpus_total += kind->cpus_usable;
    self->memory_total_bytes += kind->memory_bytes;
    self->gpus_total += kind->device_count;
  }
  return self;
}

void
lk_cluster_series_free (LkClusterSeries *self)
{
  if (self == NULL)
    return;
  lk_output_free (self->output);
  g_free (self);
}

/* ---------------------------------------------------------------- what is held */

LkHolding
lk_holding_of (const LkNodeTable *nodes, guint32 first_piece)
{
  LkHolding holding = { 0 };
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    guint32 shares = lk_node_kind (nodes, piece->node)->shares_per_device;
    holding.cpus += piece->cpus;
    holding.memory_bytes += piece->memory_bytes;
    holding.gpus += __builtin_popcountll (piece->devices);
    if (piece->shares > 0)
      holding.gpus += (double)piece->shares / (double)shares;
  }
  return holding;
}

void
lk_cluster_series_started (LkClusterSeries *self, const LkHolding *holding)
{
  self->cpus += holding->cpus;
  self->memory_bytes += holding->memory_bytes;
  self->gpus += holding->gpus;
  self->gpus_peak = MAX (self->gpus_peak, self->gpus);
}

void
lk_cluster_series_ended (LkClusterSeries *self, const LkHolding *holding)
{
  self->cpus -= holding->cpus;
  self->memory_bytes -= holding->memory_bytes;
  self->gpus -= holding->gpus;
  self->held_until_us = self->last_us;
}

void
lk_cluster_series_submitted (LkClusterSeries *self, const LkDemand *demand)
{
  LkFgdClass task = { .cpus = demand->cpus_per_node_min,
                      .gpus = demand->gpus_per_node > 0 ? demand->gpus_per_node
                                                        : MIN (demand->gpus_total, 8),
                      .shares = demand->shares_per_node,
                      .gpu_type = demand->gpu_type,
                      .count = 1 };
  for (guint32 i = 0; i < self->class_count; i++) {
    LkFgdClass *known = &self->classes[i];
    if (known->cpus == task.cpus && known->gpus == task.gpus && known->shares == task.shares
        && known->gpu_type == task.gpu_type) {
      known->count++;
      return;
    }
  }
  if (self->class_count < CLASS_MAX)
    self->classes[self->class_count++] = task;
}

/* ---------------------------------------------------------------- fragmentation */

static double
node_fragment (const LkClusterSeries *self, const LkFgdWorkload *workload, guint32 node)
{
  const LkNodeTable *nodes = self->nodes;
  const LkNodeKind *kind = lk_node_kind (nodes, node);
  guint32 shares[LK_LIMIT_NODE_DEVICES];
  guint32 whole = MAX (1, kind->shares_per_device);
  guint32 cpus_used = 0;
  for (guint32 device = 0; device < kind->device_count; device++)
    shares[device] = whole;
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    cpus_used += piece->cpus;
    for (guint64 rest = piece->devices; rest != 0; rest &= rest - 1)
      shares[__builtin_ctzll (rest)] = 0;
    if (piece->shares > 0)
      shares[piece->share_device] -= MIN (shares[piece->share_device], piece->shares);
  }
  LkFgdNode state = { .cpus_free = kind->cpus_usable - MIN (cpus_used, kind->cpus_usable),
                      .gpu_type = kind->device_type[0],
                      .device_count = kind->device_count,
                      .shares_per_device = whole,
                      .device_shares_free = shares };
  return lk_fgd_fragment (workload, &state);
}

/* In GPUs of the machine. */
static double
fragmentation (const LkClusterSeries *self)
{
  g_autofree LkFgdWorkload *workload = g_new (LkFgdWorkload, 1);
  double sum = 0;
  lk_fgd_workload_set (workload, self->classes, self->class_count);
  for (guint32 node = 0; node < self->nodes->node_count; node++)
    if (lk_node_kind (self->nodes, node)->device_count > 0)
      sum += node_fragment (self, workload, node);
  return sum;
}

/* ---------------------------------------------------------------- time */

typedef struct {
  guint32 idle;
  guint32 mixed;
  guint32 allocated;
  guint32 unavailable; /* down, drained or draining, failed, in maintenance */
} NodeCounts;

static NodeCounts
count_nodes (const LkNodeTable *nodes)
{
  NodeCounts counts = { 0 };
  for (guint32 node = 0; node < nodes->node_count; node++) {
    const char *state = lk_node_state_text (nodes, node, /* is_planned= */ FALSE);
    if (strcmp (state, "IDLE") == 0)
      counts.idle++;
    else if (strcmp (state, "MIXED") == 0)
      counts.mixed++;
    else if (strcmp (state, "ALLOCATED") == 0)
      counts.allocated++;
    else
      counts.unavailable++;
  }
  return counts;
}

static gboolean
take_sample (LkClusterSeries *self, const LkEngineCounts *counts, GError **error)
{
  const double gib = 1024.0 * 1024.0 * 1024.0;
  double gpus_total = (double)self->gpus_total;
  double fragment = self->gpus_total > 0 ? fragmentation (self) / gpus_total : 0;
  self->fragmentation_sum += fragment;
  self->samples++;
  if (self->output == NULL)
    return TRUE;
  NodeCounts nodes = count_nodes (self->nodes);
  char numbers[5][G_ASCII_DTOSTR_BUF_SIZE];
  const double values[] = { (double)self->memory_bytes / gib,
                            (double)self->memory_total_bytes / gib, self->gpus,
                            self->gpus_total > 0 ? self->gpus / gpus_total : 0, fragment };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    g_ascii_formatd (numbers[i], sizeof numbers[i], "%.6g", values[i]);
  g_autofree char *line = g_strdup_printf (
      "%" G_GINT64_FORMAT ",%u,%u,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
      ",%s,%s,%s,%" G_GUINT64_FORMAT ",%s,%s,%u,%u,%u,%u\n",
      self->next_sample_us / G_USEC_PER_SEC, counts->pending_count, counts->running_count,
      self->cpus, self->cpus_total, numbers[0], numbers[1], numbers[2], self->gpus_total,
      numbers[3], numbers[4], nodes.idle, nodes.mixed, nodes.allocated, nodes.unavailable);
  return lk_output_write (self->output, line, strlen (line), error);
}

static void
sum_up (LkClusterSeries *self, gint64 until_us)
{
  double seconds = (double)(until_us - self->last_us) / 1e6;
  self->cpu_seconds += (double)self->cpus * seconds;
  self->memory_seconds += (double)self->memory_bytes / (1024.0 * 1024.0 * 1024.0) * seconds;
  self->gpu_seconds += self->gpus * seconds;
  self->last_us = until_us;
}

gboolean
lk_cluster_series_advance (LkClusterSeries *self, gint64 now_us, const LkEngineCounts *counts,
                           GError **error)
{
  if (self->first_us == G_MININT64) {
    self->first_us = self->last_us = now_us;
    self->next_sample_us = now_us;
  }
  /* The first sample would see nothing but an empty machine. */
  if (self->next_sample_us == self->first_us)
    self->next_sample_us += self->interval_us;
  while (self->next_sample_us < now_us) {
    sum_up (self, self->next_sample_us);
    if (!take_sample (self, counts, error))
      return FALSE;
    self->next_sample_us += self->interval_us;
  }
  sum_up (self, now_us);
  return TRUE;
}

static double
ratio (double sum, double total, double seconds)
{
  return total > 0 && seconds > 0 ? sum / (total * seconds) : NAN;
}

gboolean
lk_cluster_series_finish (LkClusterSeries *self, LkClusterTotals *out_totals, GError **error)
{
  gint64 until_us = self->held_until_us != G_MININT64 ? self->held_until_us : self->last_us;
  double seconds = (double)(until_us - self->first_us) / 1e6;
  double gpus = (double)self->gpus_total;
  double memory_gib = (double)self->memory_total_bytes / (1024.0 * 1024.0 * 1024.0);
  *out_totals = (LkClusterTotals){
    .gpus = self->gpus_total,
    .gpu_allocation_ratio = ratio (self->gpu_seconds, gpus, seconds),
    .gpu_allocation_peak_ratio = ratio (self->gpus_peak, gpus, 1),
    .cpu_allocation_ratio = ratio (self->cpu_seconds, (double)self->cpus_total, seconds),
    .memory_allocation_ratio = ratio (self->memory_seconds, memory_gib, seconds),
    .fragmentation_ratio =
        self->samples > 0 && gpus > 0 ? self->fragmentation_sum / (double)self->samples : NAN,
    .samples = self->samples,
  };
  return self->output == NULL || lk_output_close (self->output, error);
}
