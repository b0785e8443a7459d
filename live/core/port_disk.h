/* live/core/port_disk.h — what must outlive a process.  Two implementations: _os and _sim.
 *
 * Files have plain names in one directory.  Requests are carried out in the order in which they
 * were made.  Each is answered once, by a call of the core's completion function with its token,
 * at once or later.  After a failure of any of them those behind it fail too, and nothing of them
 * is done; the core asks for no other: what the disk then holds is known only by reading it in a
 * new process. */
#ifndef LK_LIVE_CORE_PORT_DISK_H
#define LK_LIVE_CORE_PORT_DISK_H

#include <glib.h>

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  /* Appends, and makes the file durable up to its end, also what an earlier process has left there;
   * of no bytes: only that. Bytes are borrowed for the call. */
  void (*append) (void *self, const char *name, const guint8 *bytes, gsize length_bytes,
                  guint64 token);
  /* Replaces a file as a whole: after a crash it holds the old content or the new one. */
  void (*replace) (void *self, const char *name, const guint8 *bytes, gsize length_bytes,
                   guint64 token);
  /* Cuts a file off, durably. */
  void (*cut) (void *self, const char *name, guint64 length_bytes, guint64 token);
  /* The whole content, at once; NULL: there is no such file, or `out_failed` is set. Returns:
   * (transfer full). */
  GByteArray *(*read) (void *self, const char *name, gboolean *out_failed);
  /* Likewise, but so many bytes from an offset; fewer where the file ends. */
  GByteArray *(*read_part) (void *self, const char *name, guint64 offset_bytes, gsize length_bytes,
                            gboolean *out_failed);
  /* As `read`, of a file of any length, and not copied where the system can show it. What is cut
   * off of it must not be looked at any more; nothing else is done to it while it is held. */
  GBytes *(*view) (void *self, const char *name, gboolean *out_failed);
  /* Removes a file if it is there; nothing tells whether that is durable. */
  void (*remove) (void *self, const char *name);
} LkPortDiskOps;

typedef struct {
  const LkPortDiskOps *ops;
  void *self;
} LkPortDisk;

#endif
