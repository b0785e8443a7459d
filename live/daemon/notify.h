/* live/daemon/notify.h — what a daemon tells whoever has started it: sd_notify(3), without
 * libsystemd.
 *
 * Words that are our own begin with X_LOCKSTEP_, which systemd leaves alone; `lockstep up` waits
 * for them. */
#ifndef LK_LIVE_DAEMON_NOTIFY_H
#define LK_LIVE_DAEMON_NOTIFY_H

#include <glib.h>

/* The controller answers; behind it the address of its socket. */
#define LK_NOTIFY_LISTENS "X_LOCKSTEP_LISTENS="
/* The agent of this node is registered. */
#define LK_NOTIFY_REGISTERED "X_LOCKSTEP_REGISTERED="

/* Lines NAME=VALUE. Nothing, where nobody wants to know. */
void lk_notify (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* How often systemd wants to hear WATCHDOG=1; 0: never. */
gint64 lk_notify_watchdog_us (void);

#endif
