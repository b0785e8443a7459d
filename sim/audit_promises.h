/* sim/audit_promises.h — the jobs that hold a promise, in the order of the queue; and whether it is
 * kept.
 *
 * Who comes to stand before others takes their promises away: all that go behind it.  As they are
 * kept in order, that costs what is taken, and each was given once. */
#ifndef LK_SIM_AUDIT_PROMISES_H
#define LK_SIM_AUDIT_PROMISES_H

#include "sim/audit.h"

/* The job holds a promise of `at_us` from this event on. */
void lk_audit_promise_give (LkAudit *self, LkAuditJob *job, gint64 at_us);
/* It holds none any more; nothing is done when it held none. Whatever changes a job's place in the
 * order comes behind this. */
void lk_audit_promise_take (LkAuditJob *job);
/* Its place in the order may be another one now, among the tasks of its array. */
void lk_audit_promise_moved (LkAudit *self, LkAuditJob *job);
/* Those who go behind it hold none any more. It holds none itself. */
void lk_audit_promise_take_behind (LkAudit *self, LkAuditJob *newcomer);

/* A limit keeps one that goes before the job, and need not have kept it when this pass looked: it
 * was in line then, and those who were started after that have brought it back under the limit. */
gboolean lk_audit_has_freed_before (LkAudit *self, const LkAuditJob *job);
/* Behind a pass of a policy that makes promises: was one broken? */
void lk_audit_check_promises (LkAudit *self);

#endif
