/* sim/tune/verb_tune.h — `lockstep tune [OPTIONS] PLAN.yaml`. */
#ifndef LK_SIM_TUNE_VERB_TUNE_H
#define LK_SIM_TUNE_VERB_TUNE_H

/* argv[0] is the verb. Returns the exit code: 0 also when nothing is recommended, 1 failure, 2
 * wrong command line or plan. */
int lk_verb_tune (int argc, char **argv);

#endif
