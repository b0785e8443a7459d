/* engine/billing.h — what a placed job is charged: its TRES, weighed by its partition.
 *
 * A partition's weights are
 * "CPU=1.0,Mem=0.25G,Node=4,GRES/gpu=2.0,GRES/gpu:a100=3,License/matlab=5": so much for each CPU,
 * each GiB (or with M or no letter each MiB, with T each TiB) of memory, node, device or count,
 * licence.  A share counts as its part of a device.  The charge is the sum; without weights it is
 * the CPUs.  Where both a name and its type have a weight, both are added, as the TRES of both are.
 *  Source: slurm.conf(5) TRESBillingWeights. */
#ifndef LK_ENGINE_BILLING_H
#define LK_ENGINE_BILLING_H

#include <glib.h>

#include "engine/machine.h"

/* Weights as text; NULL when it is right, else a static sentence that says what is wrong. Names of
 * resources need not exist. */
const char *lk_billing_check (const char *weights);

/* The charge of a job with these pieces, each second. */
double lk_billing_of (const LkMachine *machine, const LkRequest *request, guint32 first_piece);

#endif
