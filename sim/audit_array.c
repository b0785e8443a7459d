/* sim/audit_array.c — see the header. */
#include "sim/audit_array.h"

#include <string.h>

/* More than any array has tasks. */
#define TASK_LIMIT 4000001u

void
lk_audit_tasks_clear (LkAuditTasks *self)
{
  g_free (self->has);
  *self = (LkAuditTasks){ 0 };
}

static void
add (LkAuditTasks *self, guint64 task)
{
  if (task >= TASK_LIMIT)
    return;
  if (task >= self->limit) {
    guint32 limit = MAX ((guint32)task + 1, MIN (2 * self->limit, TASK_LIMIT));
    self->has = g_realloc (self->has, limit);
    memset (self->has + self->limit, 0, limit - self->limit);
    self->limit = limit;
  }
  self->count += self->has[task] == 0;
  self->has[task] = 1;
}

LkAuditTasks
lk_audit_tasks_read (LkAuditText text)
{
  LkAuditTasks self = { 0 };
  g_autofree char *all = lk_audit_text_copy (text);
  const char *at = all;
  while (*at == '[' || *at == ',' || g_ascii_isdigit (*at)) {
    char *rest = NULL;
    if (!g_ascii_isdigit (*at)) {
      at++;
      continue;
    }
    guint64 first = g_ascii_strtoull (at, &rest, 10);
    guint64 last = *rest == '-' ? g_ascii_strtoull (rest + 1, &rest, 10) : first;
    guint64 step = *rest == ':' ? g_ascii_strtoull (rest + 1, &rest, 10) : 1;
    for (guint64 task = first; task <= last && task < TASK_LIMIT; task += MAX (1, step))
      add (&self, task);
    at = rest;
  }
  return self;
}

guint32
lk_audit_tasks_limit (LkAuditText text)
{
  g_autofree char *all = lk_audit_text_copy (text);
  const char *percent = strchr (all, '%');
  return percent != NULL ? (guint32)g_ascii_strtoull (percent + 1, NULL, 10) : 0;
}

gboolean
lk_audit_tasks_has (const LkAuditTasks *self, guint32 task)
{
  return task < self->limit && self->has[task] != 0;
}

void
lk_audit_tasks_remove (LkAuditTasks *self, guint32 task)
{
  if (!lk_audit_tasks_has (self, task))
    return;
  self->has[task] = 0;
  self->count--;
}

guint32
lk_audit_tasks_remove_all (LkAuditTasks *self, const LkAuditTasks *other)
{
  guint32 count = self->count;
  for (guint32 task = 0; task < MIN (self->limit, other->limit); task++)
    if (other->has[task] != 0)
      lk_audit_tasks_remove (self, task);
  return count - self->count;
}

gboolean
lk_audit_tasks_are_in (const LkAuditTasks *self, const LkAuditTasks *other)
{
  for (guint32 task = 0; task < self->limit; task++)
    if (self->has[task] != 0 && !lk_audit_tasks_has (other, task))
      return FALSE;
  return TRUE;
}

gboolean
lk_audit_tasks_any_below (const LkAuditTasks *self, guint32 task)
{
  return self->count > 0 && memchr (self->has, 1, MIN (task, self->limit)) != NULL;
}
