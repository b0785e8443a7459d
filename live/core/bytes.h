/* live/core/bytes.h — borrowed bytes of any kind, as messages and batch jobs hold them. */
#ifndef LK_LIVE_CORE_BYTES_H
#define LK_LIVE_CORE_BYTES_H

#include <glib.h>

typedef struct {
  const guint8 *bytes;
  guint32 length_bytes;
} LkBytes;

#define LK_TYPE_bytes LkBytes

/* Longest path, without the NUL at its end that a system call wants. */
#define LK_PATH_MAX_BYTES 4095u

/* Bytes without a NUL; not terminated. */
typedef LkBytes LkPath;
/* Strings, each ended by a NUL; see lk_strings_next (live/core/batch.h). */
typedef LkBytes LkStrings;

#define LK_TYPE_path LkPath
#define LK_TYPE_strings LkStrings

#endif
