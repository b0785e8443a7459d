/* sim/top/verb_top.h — `lockstep top`: a journal is looked at here; a living cluster by
 * lockstep-top, which this becomes. */
#ifndef LK_SIM_TOP_VERB_TOP_H
#define LK_SIM_TOP_VERB_TOP_H

/* Returns the exit code. */
int lk_verb_top (int argc, char **argv);

#endif
