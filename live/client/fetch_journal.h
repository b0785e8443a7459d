/* live/client/fetch_journal.h — `lockstep-client journal`: the journal as the controller lets its
 * user read it, on standard output; for `lockstep why`, `plan` and `whatif`. */
#ifndef LK_LIVE_CLIENT_FETCH_JOURNAL_H
#define LK_LIVE_CLIENT_FETCH_JOURNAL_H

#include "live/client/client.h"

/* Exit status: the controller answers, and does not send it to this user.  Nothing is printed. */
#define LK_FETCH_JOURNAL_REFUSED 3

/* Returns: the exit status. */
int lk_fetch_journal (LkClient *client, int argc, char **argv);

#endif
