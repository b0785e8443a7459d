/* sim/study/verb_sweep.h — `lockstep sweep PLAN.yaml -o FILE`, and `lockstep sweep merge`. */
#ifndef LK_SIM_STUDY_VERB_SWEEP_H
#define LK_SIM_STUDY_VERB_SWEEP_H

/* argv[0] is the verb. Returns the exit code. */
int lk_verb_sweep (int argc, char **argv);

#endif
