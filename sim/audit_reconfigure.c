/* sim/audit_reconfigure.c — another configuration is in force from an event on: what the checker
 * knows of machine and policies is that of the new one, and what it knows by number it finds again
 * by name. */
#include <string.h>

#include "sim/audit.h"
#include "sim/audit_promises.h"

void
lk_audit_read_policies (LkAudit *self)
{
  g_autofree char *backfill = lk_audit_text_copy (self->header.backfill);
  g_free (self->backfill);
  self->backfill = g_strndup (backfill, strcspn (backfill, ":"));
  self->units_total = self->header.units_total;
  self->is_gang = lk_audit_gang_is_on (&self->header);
}

/* By number before: the number now, G_MAXUINT32: it is gone. Returns: (transfer full). */
static guint32 *
find_nodes (const LkAuditSite *before, LkAuditSite *now)
{
  guint32 *to = g_new (guint32, before->nodes->len + 1);
  for (guint i = 0; i < before->nodes->len; i++) {
    const LkAuditNode *node = &g_array_index (before->nodes, LkAuditNode, i);
    to[i] = lk_audit_site_node (now, node->name);
    if (to[i] == G_MAXUINT32)
      continue;
    LkAuditNode *found = &g_array_index (now->nodes, LkAuditNode, to[i]);
    found->is_down = node->is_down;
    found->is_drained = node->is_drained;
  }
  return to;
}

/* What somebody has set stays where the description says the same as before. */
static void
settle_partitions (LkAudit *self, const LkAuditSite *before)
{
  GHashTable *closed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->site.partitions->len; i++) {
    const LkAuditPartition *now = &g_array_index (self->site.partitions, LkAuditPartition, i);
    const LkAuditPartition *was = lk_audit_site_partition (before, now->name);
    gboolean stays = was != NULL && strcmp (was->state, now->state) == 0;
    if (stays ? g_hash_table_contains (self->closed, now->name) : !now->is_open)
      g_hash_table_add (closed, g_strdup (now->name));
  }
  g_hash_table_unref (self->closed);
  self->closed = closed;
}

static void
settle_held (LkAuditJob *job, const guint32 *to)
{
  for (guint i = 0; i < job->held->len; i++) {
    LkAuditHeld *held = &g_array_index (job->held, LkAuditHeld, i);
    held->node = to[held->node];
  }
}

/* Who named no partition is in the one that was the default, for good. */
static void
settle_jobs (LkAudit *self, const LkAuditSite *before, const guint32 *to)
{
  const LkAuditPartition *home = lk_audit_site_partition (before, "");
  for (guint i = 0; i < self->in_system->len; i++) {
    LkAuditJob *job = g_ptr_array_index (self->in_system, i);
    lk_audit_promise_take (job);
    settle_held (job, to);
    if (job->partition[0] != '\0' || home == NULL)
      continue;
    g_free (job->partition);
    job->partition = g_strdup (home->name);
  }
}

static void
settle_reservations (LkAudit *self, guint node_count, const guint32 *to)
{
  for (guint i = 0; i < self->reservations->len; i++) {
    LkAuditReservation *item = g_ptr_array_index (self->reservations, i);
    gboolean *has_node = g_new0 (gboolean, self->site.nodes->len + 1);
    for (guint node = 0; node < node_count; node++)
      if (item->has_node[node] && to[node] != G_MAXUINT32)
        has_node[to[node]] = TRUE;
    g_free (item->has_node);
    item->has_node = has_node;
  }
}

void
lk_audit_reconfigure (LkAudit *self, const LkAudit_reconfigure *event)
{
  LkAuditSite before = self->site;
#define TAKE(type, name, help) self->header.name = event->name;
  LK_JOURNAL_HEADER_FIELDS (TAKE)
#undef TAKE
  lk_audit_fix_accounts (self);
  lk_audit_site_init (&self->site, &self->header);
  g_clear_pointer (&self->site.associations, g_ptr_array_unref);
  g_clear_pointer (&self->site.qos, g_ptr_array_unref);
  self->site.associations = g_steal_pointer (&before.associations);
  self->site.qos = g_steal_pointer (&before.qos);
  lk_audit_read_policies (self);
  g_autofree guint32 *to = find_nodes (&before, &self->site);
  settle_partitions (self, &before);
  settle_jobs (self, &before, to);
  settle_reservations (self, before.nodes->len, to);
  g_ptr_array_set_size (self->rooms, 0);
  self->has_turned = TRUE;
  lk_audit_site_clear (&before);
}
