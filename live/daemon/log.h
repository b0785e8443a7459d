/* live/daemon/log.h — what a daemon tells its operator: lines with the time, on standard error or
 * in a file, which is standard error then: so what the libraries and a failed assertion say is
 * there too.
 *
 * One log a process.  Each line is one write, and holds no control characters, whatever a peer has
 * called himself. */
#ifndef LK_LIVE_DAEMON_LOG_H
#define LK_LIVE_DAEMON_LOG_H

#include <glib.h>

/* As SlurmctldDebug and SlurmdDebug call them; what is above the chosen one is not logged. */
typedef enum {
  LK_LOG_QUIET,
  LK_LOG_FATAL,
  LK_LOG_ERROR,
  LK_LOG_INFO,
  LK_LOG_VERBOSE,
  LK_LOG_DEBUG,
} LkLogLevel;

/* `path`: NULL, or "": standard error as it is. A file is made if it is not there (mode 0640). */
gboolean lk_log_open (const char *path, guint level, GError **error);
/* The file anew, behind somebody who has renamed it. If that fails, the old one stays. */
void lk_log_reopen (void);

void lk_log (LkLogLevel level, const char *format, ...) G_GNUC_PRINTF (2, 3);

#endif
