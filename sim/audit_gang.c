/* sim/audit_gang.c — what must hold where the scheduler suspends jobs, so that others run on their
 * cores, and resumes them.
 *
 * A suspended job keeps its place: only a job of a higher tier may lie over it, or one that takes
 * turns with it.  Behind each event no two jobs run at once on a core, but sharing ones of two
 * partitions of one tier, and whoever is suspended waits for somebody who runs on a core of its
 * own; else it has to be resumed.  Jobs that are on
 * their way out are left as they are, and heterogeneous ones take no part.  Source: Slurm's
 * gang_scheduling.html, preempt.html. */
#include <string.h>

#include "sim/audit.h"

gboolean
lk_audit_gang_is_on (const LkAuditHeader *header)
{
  g_autofree char *preempt = lk_audit_text_copy (header->preempt);
  return strstr (preempt, "gang=1") != NULL || g_str_has_prefix (preempt, "gang");
}

/* A core that both have; on which node. */
static gboolean
has_common_core (const LkAuditJob *a, const LkAuditJob *b, guint32 *out_node)
{
  for (guint i = 0; i < a->held->len; i++) {
    const LkAuditHeld *held = &g_array_index (a->held, LkAuditHeld, i);
    for (guint j = 0; j < b->held->len; j++) {
      const LkAuditHeld *other = &g_array_index (b->held, LkAuditHeld, j);
      if (held->node != other->node || !lk_audit_share_index (held->cores, other->cores))
        continue;
      *out_node = held->node;
      return TRUE;
    }
  }
  return FALSE;
}

/* NULL: it may run in more than one. */
static const LkAuditPartition *
partition_of (const LkAudit *self, const LkAuditJob *job)
{
  return strchr (job->partition, ',') == NULL
             ? lk_audit_site_partition (&self->site, job->partition)
             : NULL;
}

/* 0: it may run in more than one partition. */
static guint32
tier_of (const LkAudit *self, const LkAuditJob *job)
{
  const LkAuditPartition *partition = partition_of (self, job);
  return partition != NULL ? partition->tier : 0;
}

/* Do the two run at once, whatever cores they have?  `unknown`: where that cannot be told. */
static gboolean
is_strange (const LkAudit *self, const LkAuditJob *job, const LkAuditJob *other, gboolean unknown)
{
  const LkAuditPartition *own = partition_of (self, job);
  const LkAuditPartition *others = partition_of (self, other);
  g_autofree char *select = lk_audit_text_copy (self->header.select);
  if (own == NULL || others == NULL)
    return unknown;
  return own != others && own->tier == others->tier && lk_audit_shares (own, job)
         && lk_audit_shares (others, other) && !self->site.gives_nodes
         && !g_str_has_prefix (select, "linear");
}

static gboolean
takes_part (const LkAuditJob *job)
{
  return job->het_leader == 0 && !lk_audit_is_leaving (job);
}

static void
check_running (LkAudit *self, const LkAuditJob *job)
{
  guint32 node;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other->id < job->id && other->phase == LK_AUDIT_RUNNING && takes_part (other)
        && has_common_core (job, other, &node) && !is_strange (self, job, other, TRUE))
      lk_audit_find (self, LK_AUDIT_TURN, job, "it runs on node %s on a core of job %u, which runs",
                     g_array_index (self->site.nodes, LkAuditNode, node).name, other->id);
  }
}

/* Somebody who runs where it would, and may. */
static gboolean
waits_for_any (const LkAudit *self, const LkAuditJob *job)
{
  guint32 tier = tier_of (self, job);
  guint32 node;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    guint32 other_tier = tier_of (self, other);
    if (other->phase == LK_AUDIT_RUNNING && other->het_leader == 0
        && (tier == 0 || other_tier == 0 || other_tier >= tier || !takes_part (other))
        && has_common_core (job, other, &node) && !is_strange (self, job, other, FALSE))
      return TRUE;
  }
  return FALSE;
}

void
lk_audit_check_turns (LkAudit *self)
{
  if (!self->is_gang || !self->has_turned)
    return;
  self->has_turned = FALSE;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    if (!takes_part (job))
      continue;
    if (job->phase == LK_AUDIT_RUNNING)
      check_running (self, job);
    else if (job->phase == LK_AUDIT_SUSPENDED && job->is_stopped && !waits_for_any (self, job))
      lk_audit_find (self, LK_AUDIT_TURN, job, "it is suspended, and nobody runs on its cores");
  }
}

void
lk_audit_check_over (LkAudit *self, const LkAuditJob *job, const LkAuditJob *other)
{
  guint32 tier = tier_of (self, job);
  g_autofree char *preempt = lk_audit_text_copy (self->header.preempt);
  /* They go on later, and what is behind them too. */
  self->last_disturbed = self->event->seq;
  if (other->is_stopped && !g_str_has_prefix (preempt, "qos") && tier > 0
      && tier_of (self, other) >= tier && !is_strange (self, job, other, TRUE))
    lk_audit_find (self, LK_AUDIT_TURN, job,
                   "job %u is suspended, has its cores, and is not of a lower tier", other->id);
}
