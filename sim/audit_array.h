/* sim/audit_array.h — which tasks of an array wait, and which jobs an event means.
 *
 * The checker reads the texts of arrays and lists of tasks itself. */
#ifndef LK_SIM_AUDIT_ARRAY_H
#define LK_SIM_AUDIT_ARRAY_H

#include <glib.h>

#include "sim/audit_bytes.h"

/* A byte for each task up to the highest: 1 where it is meant. */
typedef struct {
  guint8 *has; /* owned; NULL: none */
  guint32 limit;
  guint32 count;
} LkAuditTasks;

/* "0-7,9,20-30:2%3", also in brackets; what cannot be read means no task. */
LkAuditTasks lk_audit_tasks_read (LkAuditText text);
/* "%3" at the end of such a text; 0: none. */
guint32 lk_audit_tasks_limit (LkAuditText text);
void lk_audit_tasks_clear (LkAuditTasks *self);
gboolean lk_audit_tasks_has (const LkAuditTasks *self, guint32 task);
/* Nothing, if it is none of them. */
void lk_audit_tasks_remove (LkAuditTasks *self, guint32 task);
/* Those of `other`. Returns how many there were. */
guint32 lk_audit_tasks_remove_all (LkAuditTasks *self, const LkAuditTasks *other);
/* Are all of them among `other`? */
gboolean lk_audit_tasks_are_in (const LkAuditTasks *self, const LkAuditTasks *other);
/* Is any of them below `task`? */
gboolean lk_audit_tasks_any_below (const LkAuditTasks *self, guint32 task);

#endif
