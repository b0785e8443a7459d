/* live/core/bytes.h — borrowed bytes of any kind, as messages and batch jobs hold them. */
#ifndef LK_LIVE_CORE_BYTES_H
#define LK_LIVE_CORE_BYTES_H

#include <glib.h>

typedef struct {
  const guint8 *bytes;
  guint32 length_bytes;
} LkBytes;

#define LK_TYPE_bytes LkBytes

#endif
