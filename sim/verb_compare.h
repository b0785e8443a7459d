/* sim/verb_compare.h — `lockstep compare DIR DIR ...`: the results of several runs in one table. */
#ifndef LK_SIM_VERB_COMPARE_H
#define LK_SIM_VERB_COMPARE_H

/* argv[0] is the verb. Returns the exit code: 0, 1 failure, 2 wrong command line. */
int lk_verb_compare (int argc, char **argv);

#endif
