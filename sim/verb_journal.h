/* sim/verb_journal.h — `lockstep journal info | print | check | schema`. */
#ifndef LK_SIM_VERB_JOURNAL_H
#define LK_SIM_VERB_JOURNAL_H

/* argv[0] is the verb. Returns the exit code: 0, 1 failure or a journal that is not whole, 2 wrong
 * command line. */
int lk_verb_journal (int argc, char **argv);

#endif
