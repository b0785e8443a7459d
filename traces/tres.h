/* traces/tres.h — a list of trackable resources as Slurm prints it, and what it says about a
 * request.
 *
 * "cpu=8,mem=64G,node=2,gres/gpu:a100=4,gres/gpu=4,license/matlab=1".  The order is free.  A gres
 * with a type may be listed with and without it: that is one count, not two.  Billing, energy,
 * burst buffers and what measures use (gres/gpuutil, gres/gpumem, fs, vmem, pages) are no demand
 * and are passed over.
 *
 * Source: slurm.conf(5) AccountingStorageTRES, sacct(1). */
#ifndef LK_TRACES_TRES_H
#define LK_TRACES_TRES_H

#include "traces/reader_private.h"
#include "traces/sacct_values.h"

#define LK_TRES_ITEMS_MAX 32u

/* One gres or license. Names are borrowed. */
typedef struct {
  LkSpan name;
  LkSpan type; /* empty: any */
  gint64 count;
} LkTresItem;

typedef struct {
  gint64 cpus; /* these three: -1 not listed */
  gint64 nodes;
  gint64 memory_bytes;
  guint gres_count;
  guint license_count;
  LkTresItem gres[LK_TRES_ITEMS_MAX];
  LkTresItem licenses[LK_TRES_ITEMS_MAX];
} LkTres;

void lk_tres_init (LkTres *self);

/* Adds one resource: "mem" (of `count` MiB), "gres" "gpu:a100", ... A count below 0 is not known
 * and adds nothing, nor does what is no demand. Items past the most are not kept. */
void lk_tres_add (LkTres *self, LkSpan type, LkSpan name, gint64 count);
/* Adds a printed list. FALSE: it is none; what stands before the fault has been added. */
gboolean lk_tres_parse (LkTres *self, LkSpan text);

/* Sets gres or gpus of the request, by whether the counts divide by `nodes` (>= 1): GPUs that do
 * not are asked for in total, others are rounded up on each node. */
void lk_tres_gres_request (const LkTres *self, gint64 nodes, LkReaderBase *base,
                           LkJobRequest *request);
/* Sets the licenses of the request. */
void lk_tres_license_request (const LkTres *self, LkReaderBase *base, LkJobRequest *request);

#endif
