/* live/accounting/mail.h — sends what users want to be told of their jobs, by the site's program.
 *
 * It reads the store, in which is what has become of each job, and writes there what has been sent:
 * so a letter that was not sent before a crash is sent behind it, and one that was is not sent
 * again, but where the crash came between the two.  One letter at a time is under way; nobody waits
 * for it.  A program that fails is tried again, and given up with a word in the log.
 *
 * Where a store is begun anew nobody knows what has been sent: then what had happened before is
 * not. */
#ifndef LK_LIVE_ACCOUNTING_MAIL_H
#define LK_LIVE_ACCOUNTING_MAIL_H

#include <glib.h>

typedef struct {
  const char *database;
  const char *program; /* an absolute path */
  const char *domain;  /* behind a user who has given no address; "": none */
} LkMailOptions;

typedef struct _LkMail LkMail;

/* The file must be a store. Returns: (transfer full). */
LkMail *lk_mail_new (const LkMailOptions *options, GError **error);
/* What is under way is ended, and sent again by the next. */
void lk_mail_free (LkMail *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkMail, lk_mail_free)

/* Takes the end of what is under way, and begins the next letter. FALSE: the store cannot be read
 * or written. */
gboolean lk_mail_look (LkMail *self, gint64 now_us, GError **error);
/* Can be read when a look is worth while; -1: only time can tell. */
int lk_mail_fd (const LkMail *self);

#endif
