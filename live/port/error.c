/* live/port/error.c — see error.h. */
#include "live/port/error.h"

#include <stdarg.h>

GQuark
lk_port_error_quark (void)
{
  return g_quark_from_static_string ("lk-port-error-quark");
}

void
lk_port_error_set (GError **error, int error_number, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM, "%s: %s", what,
               g_strerror (error_number));
}
