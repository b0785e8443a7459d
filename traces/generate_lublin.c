/* traces/generate_lublin.c — the Lublin-Feitelson model as records; declared in
 * traces/generate.h. */
#include "traces/generate_private.h"
#include "traces/lublin.h"

typedef struct {
  LkGenerator base;
  LkLublin *model;
  gboolean is_typed;
  guint64 seed;
} Lublin;

static void
lublin_restart (LkGenerator *base, double gap_scale_ratio)
{
  Lublin *self = (Lublin *)base;
  guint32 procs = (guint32)base->procs;
  lk_lublin_free (self->model);
  self->model =
      self->is_typed ? lk_lublin_new_typed (procs, self->seed) : lk_lublin_new (procs, self->seed);
  lk_lublin_set_gap_scale (self->model, gap_scale_ratio);
}

static gboolean
lublin_next (LkGenerator *base, LkTraceRecord *out_record)
{
  Lublin *self = (Lublin *)base;
  LkLublinJob job;
  lk_lublin_next (self->model, &job);
  out_record->submit_us = MIN (job.submit_s, LK_GENERATE_TIME_MAX_S) * G_USEC_PER_SEC;
  out_record->run_us = job.run_s * G_USEC_PER_SEC;
  out_record->procs = job.procs;
  out_record->state = LK_RECORD_COMPLETED;
  if (self->is_typed) {
    gboolean is_batch = job.type == LK_LUBLIN_BATCH;
    out_record->partition_id = is_batch ? 1 : 2;
    out_record->request.partition = lk_text (is_batch ? "batch" : "interactive");
  }
  return TRUE;
}

static void
lublin_free (LkGenerator *base)
{
  Lublin *self = (Lublin *)base;
  lk_lublin_free (self->model);
  g_free (self);
}

static const LkGeneratorOps lublin_ops = { lublin_restart, lublin_next, lublin_free };

LkGenerator *
lk_generate_lublin_new (guint32 procs, gboolean is_typed, guint64 seed)
{
  Lublin *self = g_new0 (Lublin, 1);
  self->base.ops = &lublin_ops;
  self->base.procs = procs;
  self->base.unix_start_s = -1;
  self->is_typed = is_typed;
  self->seed = seed;
  lk_generator_restart (&self->base, 1);
  return &self->base;
}
