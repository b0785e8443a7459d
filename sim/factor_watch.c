/* sim/factor_watch.c — see factor_watch.h. */
#include "sim/factor_watch.h"

#include "traces/sprio_table.h"

typedef struct {
  guint bit;
  double factor;
  double weight;
} Watched;

static void
watch (LkFactorWatch *self, const Watched *watched)
{
  guint32 bit = 1u << watched->bit;
  if (watched->weight == 0.0)
    return;
  self->weighted |= bit;
  if (self->job_count == 0)
    self->first[watched->bit] = watched->factor;
  else if (self->first[watched->bit] != watched->factor)
    self->varied |= bit;
}

void
lk_factor_watch_job (LkFactorWatch *self, const LkEngine *engine, guint32 job_id)
{
  LkPriorityParts parts = { .size = sizeof parts };
  LkJobIndex job = lk_engine_job_index (engine, job_id);
  if (self->is_over || job == LK_INDEX_NONE)
    return;
  guint32 partition = lk_engine_view (engine)->jobs->partition[job];
  if (!lk_engine_priority_parts (engine, job, partition, &parts)) {
    self->is_over = TRUE;
    return;
  }
  const Watched all[] = {
    { LK_SPRIO_ASSOCIATION, parts.association_factor, parts.association_weight },
    { LK_SPRIO_FAIRSHARE, parts.fairshare_factor, parts.fairshare_weight },
    { LK_SPRIO_JOB_SIZE, parts.job_size_factor, parts.job_size_weight },
    { LK_SPRIO_PARTITION, parts.partition_factor, parts.partition_weight },
    { LK_SPRIO_QOS, parts.qos_factor, parts.qos_weight },
    { LK_FACTOR_TRES, parts.tres_term, parts.tres_weights != NULL ? 1.0 : 0.0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    watch (self, &all[i]);
  self->job_count++;
  self->is_over = self->varied == self->weighted;
}

LkFactorSets
lk_factor_watch_sets (const LkFactorWatch *self)
{
  return (LkFactorSets){ .constant = self->job_count < 2 ? 0 : self->weighted & ~self->varied,
                         .varied = self->varied };
}

const char *
lk_factor_weight_name (guint bit)
{
  if (bit == LK_FACTOR_TRES)
    return "weight_tres";
  return bit < LK_SPRIO_FACTOR_COUNT ? lk_sprio_weight_name ((LkSprioFactor)bit) : NULL;
}

/* What would let the factor differ between jobs. */
static const char *
remedy (guint bit, gboolean has_accounts)
{
  gboolean is_of_accounts =
      bit == LK_SPRIO_ASSOCIATION || bit == LK_SPRIO_FAIRSHARE || bit == LK_SPRIO_QOS;
  if (is_of_accounts && !has_accounts)
    return "the run has no accounts; give them with --accounts FILE, or --accounts from-log for "
           "the log's users with equal shares";
  if (bit == LK_SPRIO_QOS)
    return "all jobs have QOS of one priority";
  if (bit == LK_SPRIO_FAIRSHARE)
    return "all jobs are of users with one fairshare";
  if (bit == LK_SPRIO_PARTITION)
    return "all jobs are in partitions of one PriorityJobFactor";
  return "it is the same for all jobs";
}

void
lk_factor_warn (guint32 constant, gboolean has_accounts, const char *verb, FILE *stream)
{
  for (guint bit = 0; bit < 32; bit++)
    if ((constant >> bit & 1) != 0)
      fprintf (stream, "lockstep %s: warning: %s changes no order: %s\n", verb,
               lk_factor_weight_name (bit), remedy (bit, has_accounts));
}
