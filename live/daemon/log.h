/* live/daemon/log.h — what a daemon tells its operator: lines with the time, on standard error or
 * in a file, which is standard error then: so what the libraries and a failed assertion say is
 * there too.
 *
 * One log a process.  Each line is one write.  Control characters, and bytes that are not UTF-8,
 * are written as \x1b, whatever a peer has sent.  Each topic has its limit of lines
 * (live/core/log_limit.h). */
#ifndef LK_LIVE_DAEMON_LOG_H
#define LK_LIVE_DAEMON_LOG_H

#include <glib.h>

#include "live/core/port_log.h"

/* `path`: NULL, or "": standard error as it is. A file is made if it is not there (mode 0640).
 * Fatal errors are also written to standard error as it was before, until lk_log_started. */
gboolean lk_log_open (const char *path, guint level, GError **error);
void lk_log_started (void);
/* The file anew, behind somebody who has renamed it. If that fails, the old one stays. */
void lk_log_reopen (void);

/* Of the daemon itself. */
void lk_log (LkLogLevel level, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Where the cores log. */
LkPortLog lk_log_port (void);
/* The number of lines that were suppressed is logged now. */
void lk_log_end (void);

#endif
