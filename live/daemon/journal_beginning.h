/* live/daemon/journal_beginning.h — what a journal began with, without the rest of it. */
#ifndef LK_LIVE_DAEMON_JOURNAL_BEGINNING_H
#define LK_LIVE_DAEMON_JOURNAL_BEGINNING_H

#include "engine/journal.h"
#include "live/core/port_disk.h"

/* The header of the controller's journal. Returns: (transfer full), what its texts point into;
 * NULL: there is no journal, or its beginning is not whole, which the controller will tell. */
GByteArray *lk_journal_beginning_read (LkPortDisk disk, LkJournalHeader *out_header);

#endif
