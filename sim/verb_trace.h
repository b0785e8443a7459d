/* sim/verb_trace.h — `lockstep trace info|convert|filter|head FILE`: looks at and rewrites logs. */
#ifndef LK_SIM_VERB_TRACE_H
#define LK_SIM_VERB_TRACE_H

/* argv[0] is the verb. Returns the exit code: 0, 1 for a failure, 2 for a wrong command line. */
int lk_verb_trace (int argc, char **argv);

#endif
