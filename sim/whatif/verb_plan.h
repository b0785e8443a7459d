/* sim/whatif/verb_plan.h — `lockstep plan [OPTIONS] JOB.sh [OPTIONS of sbatch]`. */
#ifndef LK_SIM_WHATIF_VERB_PLAN_H
#define LK_SIM_WHATIF_VERB_PLAN_H

/* argv[0] is the verb. Returns the exit code: 0, 1 failure, 2 wrong command line. */
int lk_verb_plan (int argc, char **argv);

#endif
