/* sim/seff/verb_seff.h — `lockstep seff`: what jobs used of what they held, and what that cost. */
#ifndef LK_SIM_SEFF_VERB_SEFF_H
#define LK_SIM_SEFF_VERB_SEFF_H

/* Returns: the exit code. */
int lk_verb_seff (int argc, char **argv);

#endif
