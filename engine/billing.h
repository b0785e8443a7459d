/* engine/billing.h — what a placed job is charged: its TRES, weighed by its partition.
 *
 * A partition's weights are
 * "CPU=1.0,Mem=0.25G,Node=4,GRES/gpu=2.0,GRES/gpu:a100=3,License/matlab=5": so much for each CPU,
 * each GiB (or with M or no letter each MiB, with T each TiB) of memory, node, device or count,
 * licence.  A share counts as its part of a device.  The charge is the sum, and 0 where negative
 * weights make it less; without weights it is the CPUs.  Where both a name and its type have a
 * weight, both are added, as the TRES of both are.  Source: slurm.conf(5) TRESBillingWeights. */
#ifndef LK_ENGINE_BILLING_H
#define LK_ENGINE_BILLING_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/machine.h"

/* Weights as text; NULL when it is right, else a static sentence that says what is wrong. Names of
 * resources need not exist. */
const char *lk_billing_check (const char *weights);

/* How much a job with these pieces has of what `name` is: cpu, mem (in MiB), node, gres/NAME,
 * gres/NAME:TYPE, license/NAME; 0 for any other. */
double lk_billing_count (const LkMachine *machine, const LkRequest *request, guint32 first_piece,
                         const char *name);

/* The charge of so much of each TRES, each second; what is not among the TRES is not charged.
 * Source: slurm.conf(5) TRESBillingWeights, PriorityFlags MAX_TRES and MAX_TRES_GRES. */
double lk_billing_of_tres (const char *weights, LkBillingRule rule, char *const *tres_names,
                           const guint64 *tres, guint32 tres_count);

/* The charge of a job with these pieces, each second. */
double lk_billing_of (const LkMachine *machine, const LkRequest *request, guint32 first_piece);

#endif
