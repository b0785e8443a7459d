/* sim/top/journal_facts.h — `lockstep top` on a journal: where its facts come from. */
#ifndef LK_SIM_TOP_JOURNAL_FACTS_H
#define LK_SIM_TOP_JOURNAL_FACTS_H

#include "sim/top/scrub.h"
#include "traces/top/source.h"

typedef struct _LkTopJournal LkTopJournal;

/* Opens a journal and goes to a moment: "N", behind that event; a time with a unit, or a date;
 * NULL, "last": the end. Progress goes to standard error, where that is a terminal. Returns:
 * (transfer full); NULL with an error. */
LkTopJournal *lk_top_journal_new (const char *path, char **plugins, const char *at, GError **error);
void lk_top_journal_free (LkTopJournal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTopJournal, lk_top_journal_free)

/* For lk_top_run, with self. */
extern const LkTopSource lk_top_journal_source;

#endif
