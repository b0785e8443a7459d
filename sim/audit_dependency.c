/* sim/audit_dependency.c — has what a job depends on come?
 *
 * A job that has been forgotten, or never was, holds nobody.  Of `?` one item is enough.  Source:
 * sbatch(1), --dependency. */
#include <string.h>

#include "sim/audit.h"

/* The jobs that "7" or "7_3" means: all tasks of an array.  An id that was given out later than
 * it was asked for, as that of a task of who asks may be, meant nobody, and holds nobody. */
static GPtrArray *
jobs_meant (const LkAudit *self, const LkAuditJob *dependent, const char *text)
{
  GPtrArray *jobs = g_ptr_array_new ();
  char *rest = NULL;
  guint32 id = (guint32)g_ascii_strtoull (text, &rest, 10);
  gboolean has_task = *rest == '_' && g_ascii_isdigit (rest[1]);
  guint32 task = has_task ? (guint32)g_ascii_strtoull (rest + 1, NULL, 10) : 0;
  LkAuditJob *named = lk_audit_job (self, id);
  if (named != NULL && named->known_seq >= dependent->dependency_seq)
    return jobs;
  if (named != NULL && named->array_id != id && !has_task)
    g_ptr_array_add (jobs, named);
  for (guint i = 0; named != NULL && named->array_id == id && i < self->tasks->len; i++) {
    LkAuditJob *job = g_ptr_array_index (self->tasks, i);
    if (job->array_id == id && job != named && (!has_task || job->task == task))
      g_ptr_array_add (jobs, job);
  }
  if (named != NULL && named->array_id == id && (!has_task || named->task == task))
    g_ptr_array_add (jobs, named);
  return jobs;
}

static gboolean
has_come (const LkAudit *self, const LkAuditJob *parent, const char *type, gint64 after_us)
{
  gint64 now_us = self->event->time_us;
  /* What came with an earlier run has come for good; and what became of tasks that never ran nobody
   * tells. */
  if (parent->restarts > 0 || parent->lost_tasks)
    return TRUE;
  if (strcmp (type, "after") == 0)
    return parent->phase == LK_AUDIT_ENDED
           || (lk_audit_is_running (parent) && parent->start_us + after_us <= now_us);
  if (parent->phase != LK_AUDIT_ENDED)
    return FALSE;
  if (strcmp (type, "afterok") == 0)
    return parent->end_state == AUDIT_STATE_COMPLETED;
  if (strcmp (type, "afternotok") == 0)
    return parent->end_state != AUDIT_STATE_COMPLETED;
  return TRUE;
}

/* Has every task of an array ended, and not all of them well? */
static gboolean
has_come_ill (const LkAudit *self, const GPtrArray *tasks)
{
  gboolean is_ill = FALSE;
  for (guint i = 0; i < tasks->len; i++) {
    const LkAuditJob *task = g_ptr_array_index (tasks, i);
    if (!has_come (self, task, "afterany", 0))
      return FALSE;
    is_ill |= has_come (self, task, "afternotok", 0);
  }
  return is_ill;
}

/* ---------------------------------------------------------------- jobs of one name */

static gboolean
is_of_group (const LkAuditJob *job, const LkAuditJob *other)
{
  return other->user_id == job->user_id && strcmp (other->name, job->name) == 0;
}

/* Does none of its name run, and none before it wait? */
static gboolean
is_alone (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other != job && (other->id < job->id || lk_audit_is_running (other))
        && is_of_group (job, other) && other->array_id != job->id
        && (job->array_id == 0 || other->array_id != job->array_id))
      return FALSE;
  }
  return TRUE;
}

static gboolean
waits_for_turn (const LkAuditJob *job)
{
  return job->phase == LK_AUDIT_PENDING && !job->was_alone
         && strstr (job->dependency, "singleton") != NULL;
}

void
lk_audit_note_group (LkAudit *self, LkAuditJob *job)
{
  if (job != NULL && waits_for_turn (job) && !g_ptr_array_find (self->singletons, job, NULL))
    g_ptr_array_add (self->singletons, job);
  if (self->singletons->len > 0)
    g_ptr_array_add (self->regrouped, job);
}

static gboolean
is_regrouped (const LkAudit *self, const LkAuditJob *job)
{
  for (guint i = 0; i < self->regrouped->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->regrouped, i);
    if (other == NULL || is_of_group (job, other))
      return TRUE;
  }
  return FALSE;
}

void
lk_audit_follow_singletons (LkAudit *self)
{
  if (self->regrouped->len == 0)
    return;
  for (guint i = self->singletons->len; i-- > 0;) {
    LkAuditJob *job = g_ptr_array_index (self->singletons, i);
    if (waits_for_turn (job) && is_regrouped (self, job) && is_alone (self, job)) {
      job->was_alone = TRUE;
      job->alone_seq = self->event->seq;
    }
    if (!waits_for_turn (job))
      g_ptr_array_remove_index_fast (self->singletons, i);
  }
  g_ptr_array_set_size (self->regrouped, 0);
}

/* ---------------------------------------------------------------- what is asked for */

/* One item, such as "afterok:7:8_2"; aftercorr and what is unknown are let pass. */
static gboolean
item_is_met (const LkAudit *self, const LkAuditJob *job, const char *item)
{
  g_auto (GStrv) parts = g_strsplit (item, ":", -1);
  const char *type = parts[0] != NULL ? parts[0] : "";
  if (g_ascii_isdigit (type[0]))
    type = "afterany";
  if (strcmp (type, "singleton") == 0)
    return is_alone (self, job);
  if (strcmp (type, "after") != 0 && strcmp (type, "afterany") != 0 && strcmp (type, "afterok") != 0
      && strcmp (type, "afternotok") != 0)
    return TRUE;
  for (guint i = g_ascii_isdigit (item[0]) ? 0 : 1; parts[i] != NULL; i++) {
    const char *plus = strchr (parts[i], '+');
    gint64 after_us = plus != NULL ? g_ascii_strtoll (plus + 1, NULL, 10) * 60 * G_USEC_PER_SEC : 0;
    g_autoptr (GPtrArray) parents = jobs_meant (self, job, parts[i]);
    if (strcmp (type, "afternotok") == 0 && parents->len > 1) {
      if (!has_come_ill (self, parents))
        return FALSE;
      continue;
    }
    for (guint j = 0; j < parents->len; j++)
      if (!has_come (self, g_ptr_array_index (parents, j), type, after_us))
        return FALSE;
  }
  return TRUE;
}

/* Is something of it unmet? `was_alone`: its singleton has come before. */
static gboolean
has_unmet (const LkAudit *self, const LkAuditJob *job, gboolean was_alone, char **out_what)
{
  gboolean any_will_do = strchr (job->dependency, '?') != NULL;
  /* What a job has once started with has come for good, singleton too. */
  if (job->restarts > 0)
    return FALSE;
  g_auto (GStrv) items = g_strsplit (job->dependency, any_will_do ? "?" : ",", -1);
  gboolean met_one = FALSE;
  const char *unmet = NULL;
  for (guint i = 0; items[i] != NULL; i++) {
    gboolean is_met = items[i][0] == '\0' || (was_alone && strcmp (items[i], "singleton") == 0)
                      || item_is_met (self, job, items[i]);
    met_one |= is_met;
    if (!is_met && unmet == NULL)
      unmet = items[i];
  }
  if (unmet == NULL || (any_will_do && met_one))
    return FALSE;
  if (out_what != NULL)
    *out_what = g_strdup_printf ("'%s' has not come", unmet);
  return TRUE;
}

gboolean
lk_audit_has_unmet (const LkAudit *self, const LkAuditJob *job, char **out_what)
{
  return has_unmet (self, job, job->was_alone, out_what);
}

/* A singleton may wait for tasks of its own array that run: if they have the name that it was
 * given. */
static gboolean
may_wait_for_own (const LkAudit *self, const LkAuditJob *job)
{
  if (job->array_id == 0 || strstr (job->dependency, "singleton") == NULL)
    return FALSE;
  for (guint i = 0; i < self->in_system->len; i++) {
    const LkAuditJob *other = g_ptr_array_index (self->in_system, i);
    if (other->array_id == job->array_id && lk_audit_is_running (other))
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_audit_has_met (const LkAudit *self, const LkAuditJob *job)
{
  /* What a job that has run waits for may have been asked for since. */
  if (job->restarts > 0 || strstr (job->dependency, "aftercorr") != NULL
      || may_wait_for_own (self, job) || has_unmet (self, job, FALSE, NULL))
    return FALSE;
  /* What has only just come, as the others of its name have gone in the pass, is noticed behind it;
   * and of a parent that runs once more nobody can tell whether its first run counted. */
  if (job->was_alone && job->alone_seq == self->event->seq)
    return FALSE;
  g_auto (GStrv) ids = g_strsplit_set (job->dependency, ":,?+_", -1);
  for (guint i = 0; ids[i] != NULL; i++) {
    const LkAuditJob *parent = lk_audit_job (self, (guint32)g_ascii_strtoull (ids[i], NULL, 10));
    if (parent != NULL
        && (parent->restarts > 0 || parent->array_id != 0 || parent->lost_tasks
            || parent->start_seq == self->event->seq
            || (parent->phase == LK_AUDIT_ENDED && parent->end_us == self->event->time_us)))
      return FALSE;
  }
  return TRUE;
}
