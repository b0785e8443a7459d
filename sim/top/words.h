/* sim/top/words.h — what a journal records, as lines for people. */
#ifndef LK_SIM_TOP_WORDS_H
#define LK_SIM_TOP_WORDS_H

#include "engine/codec.h"
#include "sim/journal_names.h"

/* What an event says that people want to know of it; appends nothing for others. `names` may be
 * NULL. */
void lk_top_event_words (const LkEvent *event, const LkJournalNames *names, GString *out);
/* The same of a decision that it caused. */
void lk_top_decision_words (const LkEvent *event, const LkDecision *decision,
                            const LkJournalNames *names, GString *out);

#endif
