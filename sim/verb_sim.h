/* sim/verb_sim.h — `lockstep sim [OPTIONS] TRACE`. */
#ifndef LK_SIM_VERB_SIM_H
#define LK_SIM_VERB_SIM_H

/* argv[0] is the verb. Returns the exit code: 0, 1 failure, 2 wrong command line. */
int lk_verb_sim (int argc, char **argv);

#endif
