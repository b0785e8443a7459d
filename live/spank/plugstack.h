/* live/spank/plugstack.h — plugstack.conf: which SPANK plugins there are, and their arguments.
 *
 * Lines are `required PATH ARGUMENT...`, `optional PATH ARGUMENT...` and `include PATTERN`; what is
 * behind a `#` is a comment.  Paths of plugins are absolute; a pattern is relative to its file.
 *
 * What runs as root takes only files of root that nobody else can write, in folders that are so.
 * Source: spank(8), CONFIGURATION. */
#ifndef LK_LIVE_SPANK_PLUGSTACK_H
#define LK_LIVE_SPANK_PLUGSTACK_H

#include <glib.h>

typedef struct {
  gboolean is_required;
  char *path;
  char **arguments; /* ends with NULL */
  char *file;       /* where it stands */
  guint line;
} LkPlugstackEntry;

/* A file that is not there says nothing. Returns: (transfer full) of LkPlugstackEntry *; NULL with
 * an error: it cannot be read, or is wrong. */
GPtrArray *lk_plugstack_read (const char *path, GError **error);
/* May this process, as who it is, use this file? */
gboolean lk_plugstack_is_trusted (const char *path, GError **error);

#endif
