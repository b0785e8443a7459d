/* sim/journal_follow.h — events of a journal as they are written to it.
 *
 * The file is read in whole batches, so that what a crash tears off is never shown, and what is
 * shown is in the journal behind a restart of its controller, too.  A journal that is put in the
 * place of another one, or is shorter than before, is begun anew. */
#ifndef LK_SIM_JOURNAL_FOLLOW_H
#define LK_SIM_JOURNAL_FOLLOW_H

#include <glib.h>

#include "engine/journal.h"

/* FALSE: no more are wanted. The decisions of the event are taken from the reader. */
typedef gboolean (*LkJournalTake) (gpointer user, LkJournalReader *reader, const LkEvent *event);

/* Hands over each event, and waits for more until SIGINT or SIGTERM come or no more are wanted;
 * between them `rest` is called. A journal that is not there yet is waited for, which standard
 * error is told. FALSE: it is damaged, no journal, or may not be read. */
gboolean lk_journal_follow (const char *path, LkJournalTake take, void (*rest) (gpointer),
                            gpointer user, GError **error);
/* The journal of the live cluster of whoever asks: of $LOCKSTEP_DIR, else of the laptop cluster,
 * else the installed one. Returns: (transfer full). */
char *lk_journal_live_path (void);

#endif
