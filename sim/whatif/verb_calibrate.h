/* sim/whatif/verb_calibrate.h — `lockstep calibrate [OPTIONS] JOURNAL...`. */
#ifndef LK_SIM_WHATIF_VERB_CALIBRATE_H
#define LK_SIM_WHATIF_VERB_CALIBRATE_H

/* argv[0] is the verb. Returns the exit code: 0, 1 failure, 2 wrong command line. */
int lk_verb_calibrate (int argc, char **argv);

#endif
