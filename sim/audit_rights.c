/* sim/audit_rights.c — who may use which account and QOS.
 *
 * - A job that is taken in is of an association that there is, and of a QOS that this may use,
 *   where the accounts say that this is enforced, from the first association on that is not one of
 *   root's.
 * - When a QOS is deleted nobody may use one that he could not use before: a list that is left
 *   empty would be that of the account above.
 *
 * Source: Slurm's sacctmgr(1), resource_limits.html. */
#include "sim/audit.h"

#define OPERATION_DELETE 2

/* The associations of root are always there. */
static gboolean
enforces_associations (const LkAuditSite *site)
{
  gboolean any = FALSE;
  for (guint i = 0; i < site->associations->len && !any; i++) {
    const LkAuditHolder *holder = g_ptr_array_index (site->associations, i);
    any = g_strcmp0 (holder->account, "root") != 0
          || (holder->user[0] != '\0' && g_strcmp0 (holder->user, "root") != 0);
  }
  return any && site->enforces_associations;
}

void
lk_audit_check_rights (LkAudit *self, const LkAuditJob *job)
{
  const LkAuditSite *site = &self->site;
  /* Whose it is may be not said, nor which of his associations, where some are for partitions. */
  if (site->associations == NULL || job->user[0] == '\0'
      || lk_audit_site_has_partition (site, job->account, job->user))
    return;
  const LkAuditHolder *association = lk_audit_site_association (site, job->account, job->user);
  if (association == NULL) {
    if (enforces_associations (site))
      lk_audit_find (self, LK_AUDIT_RIGHTS, job, "user '%s' has no account %s", job->user,
                     job->account);
    return;
  }
  if (site->enforces_qos && job->qos[0] != '\0' && !lk_audit_may_use (self, association, job->qos))
    lk_audit_find (self, LK_AUDIT_RIGHTS, job, "user '%s' of account %s may not use QOS %s",
                   job->user, association->account, job->qos);
}

/* What everybody may use of the QOS that stay: by association, and in their order. */
static GByteArray *
rights_now (const LkAudit *self, const char *except)
{
  GByteArray *rights = g_byte_array_new ();
  for (guint i = 0; i < self->site.associations->len; i++) {
    const LkAuditHolder *association = g_ptr_array_index (self->site.associations, i);
    for (guint j = 0; j < self->site.qos->len; j++) {
      const LkAuditHolder *qos = g_ptr_array_index (self->site.qos, j);
      guint8 may = lk_audit_may_use (self, association, qos->account) ? 1 : 0;
      if (g_strcmp0 (qos->account, except) != 0)
        g_byte_array_append (rights, &may, 1);
    }
  }
  return rights;
}

static void
compare (LkAudit *self, const char *name, const GByteArray *before, const GByteArray *after)
{
  guint qos_count = self->site.qos->len;
  for (guint i = 0; i < after->len && before->len == after->len; i++) {
    const LkAuditHolder *association = g_ptr_array_index (self->site.associations, i / qos_count);
    const LkAuditHolder *qos = g_ptr_array_index (self->site.qos, i % qos_count);
    if (after->data[i] == 0 || before->data[i] != 0)
      continue;
    lk_audit_find (self, LK_AUDIT_RIGHTS, NULL,
                   "QOS %s is deleted, and now account %s%s%s may use QOS %s", name,
                   association->account, association->user[0] != '\0' ? ", user " : "",
                   association->user, qos->account);
    return;
  }
}

void
lk_audit_follow_qos (LkAudit *self, const LkAudit_qos *event)
{
  if (event->operation != OPERATION_DELETE || self->site.associations == NULL) {
    lk_audit_site_change_qos (&self->site, event);
    return;
  }
  g_autofree char *name = lk_audit_text_copy (event->name);
  g_autoptr (GByteArray) before = rights_now (self, name);
  lk_audit_site_change_qos (&self->site, event);
  g_autoptr (GByteArray) after = rights_now (self, NULL);
  compare (self, name, before, after);
}
