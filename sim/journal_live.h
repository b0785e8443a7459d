/* sim/journal_live.h — the journal of the live cluster: its file, where that may be read, else what
 * the controller sends of it (live/core/controller_query_journal.c). */
#ifndef LK_SIM_JOURNAL_LIVE_H
#define LK_SIM_JOURNAL_LIVE_H

#include <glib.h>

#include "sim/why_history.h"

typedef struct {
  char *path;
  gboolean is_copy;    /* in a file of our own, which `clear` removes */
  gboolean is_refused; /* the controller does not send it to the user (PrivateData) */
} LkJournalLive;

/* FALSE: it cannot be read, and no controller sends it. */
gboolean lk_journal_live_open (LkJournalLive *self, GError **error);
void lk_journal_live_clear (LkJournalLive *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LkJournalLive, lk_journal_live_clear)

/* State, reason and expected start of a job of the calling user, as the controller answers squeue:
 * a line for each record of the job.  For users that the controller does not send its journal.
 * Returns: (transfer full); NULL on failure, also where the job is another user's. */
char *lk_journal_live_own_job (const LkWhyJobId *job, GError **error);

/* The journal in a directory: DIR/journal of a controller or a run, DIR/controller/journal of a
 * laptop cluster, else the only file *.jnl or *.journal; of a file the path itself.  Returns:
 * (transfer full). */
char *lk_journal_in (const char *path);

#endif
