/* live/port/port_disk_os.h — a real disk: one directory, and a thread that writes into it.
 *
 * The thread carries out what is asked for, one request behind the other, so that the loop never
 * waits for a disk; that it is done comes back through an eventfd, and `done` is called in the
 * loop, never within a call of the port.  Requests that come while one is carried out wait for it:
 * so what a core writes meanwhile goes to the disk as one.
 *
 * After the first failure, of a write or of making it durable, nothing is written any more: what a
 * file then holds is not known, and asking for durability again may be answered with a lie
 * (Rebello et al. 2020, "Can Applications Recover from fsync Failures?").
 *
 * Files belong to their process alone (mode 0600), and are no links.  Reading goes past the thread,
 * and finds what is written by then. */
#ifndef LK_LIVE_PORT_DISK_OS_H
#define LK_LIVE_PORT_DISK_OS_H

#include "live/core/port_disk.h"
#include "live/port/loop.h"

typedef struct _LkDiskOs LkDiskOs;

typedef void (*LkDiskOsDone) (gpointer user, guint64 token, gboolean has_succeeded);

/* Of a directory that is there; `loop` outlives it. After the signals of the loop were named, so
 * that the thread does not take them. Returns: (transfer full), or NULL. */
LkDiskOs *lk_disk_os_new (LkLoop *loop, const char *directory, LkDiskOsDone done, gpointer user,
                          GError **error);
/* Waits until all that was asked for is carried out; `done` is not called for it. Not within
 * `done`. */
void lk_disk_os_free (LkDiskOs *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkDiskOs, lk_disk_os_free)

LkPortDisk lk_disk_os_port (LkDiskOs *self);

/* A request that took longer to carry out than this is slow. */
#define LK_DISK_OS_SLOW_US ((gint64)G_USEC_PER_SEC)
/* `slow` is called for each slow request, before `done`; `name` is its file. */
void lk_disk_os_report_slow (LkDiskOs *self,
                             void (*slow) (gpointer user, const char *name, gint64 took_us));

/* What has failed, of writing or else of reading, for people; NULL: nothing. Borrowed. */
const char *lk_disk_os_failure (LkDiskOs *self);

#endif
