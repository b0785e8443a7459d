/* sim/journal_users.h — the names of users in a journal without accounts: what submit events say,
 * which an engine does not keep. */
#ifndef LK_SIM_JOURNAL_USERS_H
#define LK_SIM_JOURNAL_USERS_H

#include <glib.h>

typedef struct _LkJournalUsers LkJournalUsers;

/* Reads all events; a journal that cannot be read to its end tells what stands before. Returns:
 * (transfer full); NULL with an error: it cannot be opened. */
LkJournalUsers *lk_journal_users_new (const char *path, GError **error);
void lk_journal_users_free (LkJournalUsers *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJournalUsers, lk_journal_users_free)
/* NULL: no event names the user of this number. Valid as long as self. */
const char *lk_journal_users_name (const LkJournalUsers *self, guint32 user_id);

#endif
