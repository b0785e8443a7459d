/* live/port/error.h — the error domain of what touches the system. */
#ifndef LK_LIVE_PORT_ERROR_H
#define LK_LIVE_PORT_ERROR_H

#include <glib.h>

#define LK_PORT_ERROR (lk_port_error_quark ())
GQuark lk_port_error_quark (void);
typedef enum {
  LK_PORT_ERROR_SYSTEM,  /* the system has refused a call */
  LK_PORT_ERROR_FORMAT,  /* a file or a message is not what it should be */
  LK_PORT_ERROR_REFUSED, /* whoever asks may not have it */
  LK_PORT_ERROR_USAGE,   /* an option or argument is wrong */
} LkPortError;

/* "WHAT: text of the error number", as LK_PORT_ERROR_SYSTEM. */
void lk_port_error_set (GError **error, int error_number, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

#endif
