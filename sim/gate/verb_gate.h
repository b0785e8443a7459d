/* sim/gate/verb_gate.h — `lockstep gate PLAN.yaml --baseline FILE`. */
#ifndef LK_SIM_GATE_VERB_GATE_H
#define LK_SIM_GATE_VERB_GATE_H

/* argv[0] is the verb. Returns the exit code: 1 also when the runs are not as the baseline has
 * them. */
int lk_verb_gate (int argc, char **argv);

#endif
