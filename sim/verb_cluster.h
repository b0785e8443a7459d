/* sim/verb_cluster.h — `lockstep cluster show | check | presets`. */
#ifndef LK_SIM_VERB_CLUSTER_H
#define LK_SIM_VERB_CLUSTER_H

/* argv[0] is the verb. Returns the exit code: 0, 1 a description that is not good, 2 wrong command
 * line. */
int lk_verb_cluster (int argc, char **argv);

#endif
