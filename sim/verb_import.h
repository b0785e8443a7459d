/* sim/verb_import.h — `lockstep import slurm slurm.conf -o cluster.yaml`: a machine from the
 * files that a site has. */
#ifndef LK_SIM_VERB_IMPORT_H
#define LK_SIM_VERB_IMPORT_H

/* argv[0] is the verb. Returns the exit code: 0, 1 for a failure, 2 for a wrong command line. */
int lk_verb_import (int argc, char **argv);

#endif
