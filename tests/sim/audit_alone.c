/* tests/sim/audit_alone.c — links the checker of journals with GLib and nothing of the engine. */
#include "sim/audit.h"

int
main (void)
{
  LkAudit audit;
  g_autofree char *error = NULL;
  gboolean is_read = lk_audit_run (&audit, (const guint8 *)"", 0, 1, &error);
  lk_audit_clear (&audit);
  return is_read;
}
