/* live/daemon/lock_file.h — one daemon a directory.
 *
 * Whoever uses a directory holds a lock on a file in it.  The system lets go of it when he dies,
 * and says who holds it: so nothing is left behind by a crash, and a number that stands in a file
 * is never taken for a process.  It stands there too, for people. */
#ifndef LK_LIVE_DAEMON_LOCK_FILE_H
#define LK_LIVE_DAEMON_LOCK_FILE_H

#include <glib.h>
#include <sys/types.h>

#define LK_LOCK_FILE_NAME "lock"

/* The lock of a directory, held as long as this process lives. FALSE: another one holds it. Nobody
 * else in this process may open that file. `out_file` says which file it is; NULL: not wanted. */
typedef struct {
  guint64 device;
  guint64 inode;
} LkLockFile;
gboolean lk_lock_file_take (const char *directory, LkLockFile *out_file, GError **error);
/* All locks that this process holds it goes on to hold, as another program: lk_lock_file_take finds
 * them there. Just before an exec. */
void lk_lock_files_leave (void);

/* Is it still the lock of that directory? Else somebody has removed that, and others may use it. */
gboolean lk_lock_file_is_there (const LkLockFile *file, const char *directory);

/* The process that holds it; 0: none does. */
pid_t lk_lock_file_holder (const char *directory);
/* A pidfd of the process that holds it now: no other process can be meant by it, ever. -1: none. */
int lk_lock_file_open_holder (const char *directory);

#endif
