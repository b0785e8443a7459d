/* sim/page/page_journal.h — what only a journal tells of a run: why jobs waited, how users and
 * partitions are called, and fairshare over time.
 *
 * The journal is replayed.  Each job's reason, as squeue would show it, is looked at when it has
 * been submitted and then behind passes; in deep queues behind fewer of them, so that the work
 * grows with the events alone. */
#ifndef LK_SIM_PAGE_JOURNAL_H
#define LK_SIM_PAGE_JOURNAL_H

#include "sim/page/page_data.h"

/* Which decisions a journal holds, and until when. */
typedef struct {
  char digest[33];
  gint64 first_us;
  gint64 last_us;
} LkPageJournal;

/* Reads a journal to its end, without deciding anything. Fails when it cannot be read, or has no
 * whole batch. */
gboolean lk_page_journal_look (const char *path, LkPageJournal *out, GError **error);

/* Replays it and adds to `run` what it tells. `plugins` as for lk_verb_registry. Fails when its
 * decisions are not those that are made now. */
gboolean lk_page_journal_read (LkPageRun *run, const char *path, const LkPageJournal *look,
                               char **plugins, GError **error);

#endif
