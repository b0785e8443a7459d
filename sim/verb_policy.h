/* sim/verb_policy.h — `lockstep policy list | show NAME | verify FILE.so`. */
#ifndef LK_SIM_VERB_POLICY_H
#define LK_SIM_VERB_POLICY_H

/* argv[0] is the verb. Returns the exit code: 0, 1 for a failure, 2 for a wrong command line. */
int lk_verb_policy (int argc, char **argv);

#endif
