/* live/core/port_token.h — who signs JSON Web Tokens.  One real implementation, which has the
 * site's key and reads the clock; whom a token may be for the core decides. */
#ifndef LK_LIVE_CORE_PORT_TOKEN_H
#define LK_LIVE_CORE_PORT_TOKEN_H

#include <glib.h>

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  /* A token of this user, good for so long (0: for ever). Returns: (transfer full), or NULL: none
   * is signed here. */
  char *(*sign) (void *self, const char *user, guint64 life_s);
} LkPortTokenOps;

typedef struct {
  const LkPortTokenOps *ops; /* NULL: none is signed */
  void *self;
} LkPortToken;

#endif
