/* live/accounting/follow.h — reads a journal from its file, to its end, or as it is being written.
 *
 * What is not a whole batch is waited for.  A journal that was cut, or replaced by another, is
 * found out, and read from its beginning again. */
#ifndef LK_LIVE_ACCOUNTING_FOLLOW_H
#define LK_LIVE_ACCOUNTING_FOLLOW_H

#include "live/accounting/projection.h"

typedef struct {
  const char *journal;
  const char *database;
  char *const *plugins;     /* ends with NULL; NULL: none */
  const char *mail_program; /* NULL: no mail is sent */
  const char *mail_domain;  /* NULL: none */
} LkFollowOptions;

typedef struct _LkFollow LkFollow;

/* Opens the store, and nothing else. Returns: (transfer full). */
LkFollow *lk_follow_new (const LkFollowOptions *options, GError **error);
void lk_follow_free (LkFollow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkFollow, lk_follow_free)

/* Forgets what is in the store. */
gboolean lk_follow_reset (LkFollow *self, GError **error);
/* All that is there now. No file is an empty one. FALSE: the journal is damaged, or the store
 * cannot be written. */
gboolean lk_follow_catch_up (LkFollow *self, GError **error);
/* Until `end_fd` can be read; then what is there is still taken. */
gboolean lk_follow_run (LkFollow *self, int end_fd, GError **error);
/* Events that have been taken. */
guint64 lk_follow_seq (const LkFollow *self);

#endif
