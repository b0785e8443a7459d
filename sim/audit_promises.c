/* sim/audit_promises.c — see the header. */
#include "sim/audit_promises.h"

static gint
compare (gconstpointer a, gconstpointer b, gpointer unused)
{
  (void)unused;
  return lk_audit_goes_before (a, b) ? -1 : lk_audit_goes_before (b, a);
}

void
lk_audit_promise_give (LkAudit *self, LkAuditJob *job, gint64 at_us)
{
  lk_audit_promise_take (job);
  job->promised_us = at_us;
  job->promised_seq = self->event->seq;
  job->promise = g_sequence_insert_sorted (self->promises, job, compare, NULL);
}

void
lk_audit_promise_take (LkAuditJob *job)
{
  job->promised_us = LK_AUDIT_NEVER;
  if (job->promise != NULL)
    g_sequence_remove (job->promise);
  job->promise = NULL;
}

void
lk_audit_promise_moved (LkAudit *self, LkAuditJob *job)
{
  if (job->promise == NULL)
    return;
  g_sequence_remove (job->promise);
  job->promise = g_sequence_insert_sorted (self->promises, job, compare, NULL);
}

void
lk_audit_promise_take_behind (LkAudit *self, LkAuditJob *newcomer)
{
  lk_audit_promise_take (newcomer);
  GSequenceIter *at = g_sequence_search (self->promises, newcomer, compare, NULL);
  while (!g_sequence_iter_is_end (at)) {
    LkAuditJob *job = g_sequence_get (at);
    at = g_sequence_iter_next (at);
    lk_audit_promise_take (job);
  }
}
