/* engine/request_text.h — the parts of what a user wrote, without copies. */
#ifndef LK_ENGINE_REQUEST_TEXT_H
#define LK_ENGINE_REQUEST_TEXT_H

#include <string.h>

#include "engine/codec.h"

/* Borrowed; `at` NULL: nothing is left. */
typedef struct {
  const char *at;
  gsize length_bytes;
} LkSpan;

/* Takes what stands before the next `separator` off the front. FALSE at the end. */
static inline gboolean
lk_next_part (LkSpan *rest, char separator, LkSpan *out_part)
{
  if (rest->at == NULL)
    return FALSE;
  const char *end = memchr (rest->at, separator, rest->length_bytes);
  if (end == NULL) {
    *out_part = *rest;
    *rest = (LkSpan){ NULL, 0 };
    return TRUE;
  }
  *out_part = (LkSpan){ rest->at, (gsize)(end - rest->at) };
  *rest = (LkSpan){ end + 1, rest->length_bytes - out_part->length_bytes - 1 };
  return TRUE;
}

static inline LkSpan
lk_span_of (LkText text)
{
  return (LkSpan){ text.length_bytes > 0 ? text.bytes : NULL, text.length_bytes };
}

#endif
