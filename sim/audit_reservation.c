/* sim/audit_reservation.c — what is set aside for a time, and who starts into it.
 *
 * Looked at are reservations of whole nodes at fixed times that take nobody in who does not ask; a
 * job that asks for any reservation is let pass. */
#include <string.h>

#include "sim/audit.h"

void
lk_audit_reservation_free (gpointer reservation)
{
  LkAuditReservation *self = reservation;
  g_free (self->name);
  g_free (self->has_node);
  g_free (self);
}

/* The one of this name, made if there is none; what was known of its flags stays. */
static LkAuditReservation *
named (LkAudit *self, LkAuditText text)
{
  g_autofree char *name = lk_audit_text_copy (text);
  for (guint i = 0; i < self->reservations->len; i++) {
    LkAuditReservation *reservation = g_ptr_array_index (self->reservations, i);
    if (strcmp (reservation->name, name) == 0)
      return reservation;
  }
  LkAuditReservation *made = g_new0 (LkAuditReservation, 1);
  made->name = g_steal_pointer (&name);
  made->has_node = g_new0 (gboolean, self->site.nodes->len + 1);
  made->is_sure = TRUE;
  g_ptr_array_add (self->reservations, made);
  return made;
}

static gboolean
has_flag (LkAuditText flags, const char *flag)
{
  g_autofree char *text = lk_audit_text_copy (flags);
  g_autofree char *upper = g_ascii_strup (text, -1);
  return strstr (upper, flag) != NULL;
}

void
lk_audit_follow_reservation (LkAudit *self, const LkAuditDecided_reservation *told)
{
  LkAuditReservation *reservation = named (self, told->name);
  const LkAuditEvent *event = self->event;
  LkAuditText flags = { "", 0 };
  LkAuditText licenses = { "", 0 };
  if (told->state == 2) {
    g_ptr_array_remove (self->reservations, reservation);
    return;
  }
  if (event->kind == AUDIT_EVENT_RESERVATION_CREATE) {
    flags = event->reservation_create.flags;
    licenses = event->reservation_create.licenses;
  } else if (event->kind == AUDIT_EVENT_RESERVATION_UPDATE) {
    flags = event->reservation_update.flags;
    licenses = event->reservation_update.licenses;
  }
  if (licenses.length_bytes > 0)
    reservation->has_licenses = TRUE;
  if (has_flag (flags, "MAGNETIC") || has_flag (flags, "TIME_FLOAT"))
    reservation->is_sure = FALSE;
  if (has_flag (flags, "TIME_FLOAT"))
    reservation->floats = TRUE;
  reservation->start_us = told->start_us;
  reservation->end_us = told->end_us;
  memset (reservation->has_node, 0, self->site.nodes->len * sizeof *reservation->has_node);
  guint32 core_count = 0;
  g_autofree char *nodes = lk_audit_text_copy (told->nodes);
  g_autoptr (GPtrArray) names = lk_audit_hosts (nodes);
  for (guint i = 0; i < names->len; i++) {
    guint32 node = lk_audit_site_node (&self->site, g_ptr_array_index (names, i));
    if (node == G_MAXUINT32)
      continue;
    reservation->has_node[node] = TRUE;
    core_count += g_array_index (self->site.nodes, LkAuditNode, node).cores;
  }
  /* Which cores of a node, or with no cores which of its GPUs, are set aside is not known. */
  if (told->core_count < core_count)
    reservation->is_sure = FALSE;
}

gboolean
lk_audit_any_licenses (const LkAudit *self)
{
  for (guint i = 0; i < self->reservations->len; i++)
    if (((const LkAuditReservation *)g_ptr_array_index (self->reservations, i))->has_licenses)
      return TRUE;
  return FALSE;
}

gboolean
lk_audit_any_floats (const LkAudit *self)
{
  for (guint i = 0; i < self->reservations->len; i++)
    if (((const LkAuditReservation *)g_ptr_array_index (self->reservations, i))->floats)
      return TRUE;
  return FALSE;
}

static gint64
end_us_of (const LkAudit *self, const LkAuditJob *job)
{
  gint64 end_us;
  if (__builtin_add_overflow (self->event->time_us, lk_audit_job_least_us (job), &end_us))
    return LK_AUDIT_NEVER;
  return end_us;
}

void
lk_audit_check_reservations (LkAudit *self, LkAuditJob *job)
{
  for (guint i = 0; i < self->reservations->len; i++) {
    const LkAuditReservation *reservation = g_ptr_array_index (self->reservations, i);
    if (!reservation->is_sure || job->reservation[0] != '\0' || job->limit_us == 0
        || reservation->end_us <= self->event->time_us
        || reservation->start_us >= end_us_of (self, job))
      continue;
    for (guint j = 0; j < job->held->len; j++) {
      guint32 node = g_array_index (job->held, LkAuditHeld, j).node;
      if (reservation->has_node[node])
        lk_audit_find (self, LK_AUDIT_RESERVATION, job, "node %s is reserved for %s",
                       g_array_index (self->site.nodes, LkAuditNode, node).name, reservation->name);
    }
  }
}
