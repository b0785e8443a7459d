/* sim/verb_verify.h — `lockstep verify`. */
#ifndef LK_SIM_VERB_VERIFY_H
#define LK_SIM_VERB_VERIFY_H

int lk_verb_verify (int argc, char **argv);

#endif
