/* sim/whatif/verb_whatif.h — `lockstep whatif --state STATE [--set KEY=VALUE ...] ...`. */
#ifndef LK_SIM_WHATIF_VERB_WHATIF_H
#define LK_SIM_WHATIF_VERB_WHATIF_H

/* argv[0] is the verb. Returns the exit code: 0, 1 failure, 2 wrong command line. */
int lk_verb_whatif (int argc, char **argv);

#endif
