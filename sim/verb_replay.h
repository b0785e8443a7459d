/* sim/verb_replay.h — `lockstep replay JOURNAL`. */
#ifndef LK_SIM_VERB_REPLAY_H
#define LK_SIM_VERB_REPLAY_H

/* argv[0] is the verb. Returns the exit code: 0 the same, 1 failure, 2 wrong command line, 3 a
 * decision differs. */
int lk_verb_replay (int argc, char **argv);

#endif
