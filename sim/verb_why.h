/* sim/verb_why.h — `lockstep why JOB JOURNAL`. */
#ifndef LK_SIM_VERB_WHY_H
#define LK_SIM_VERB_WHY_H

/* argv[0] is the verb. Returns the exit code: 0 an answer, 1 failure, 2 wrong command line, 3 the
 * journal's decisions are not those that are made now. */
int lk_verb_why (int argc, char **argv);

#endif
