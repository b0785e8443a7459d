/* tests/fuzz/controller_happens.h — the bytes that controller_fuzz reads. */
#ifndef LK_TESTS_FUZZ_CONTROLLER_HAPPENS_H
#define LK_TESTS_FUZZ_CONTROLLER_HAPPENS_H

#include <glib.h>

/* The first byte: bit 0 a pool, bit 1 it waits for a standby, bit 2 snapshots often, bit 3 the disk
 * waits from the beginning.
 *
 * What happens: X (NAME). Its place is the byte that stands for it; what it needs comes behind it,
 * where "epoch" is 0: the one that the node's agent was last told, else a number that was not:
 *
 *   REGISTER        node, agent, term
 *   REPORT          node, agent, epoch, cpus, count, and so many: run, state, trouble
 *   HEARTBEAT       node, agent, epoch
 *   RUN_STARTED     node, epoch, run
 *   RUN_ENDED       node, epoch, run, exit code, trouble, drain
 *   SCRIPT_ENDED    node, epoch, run
 *   RUN_HEARD       node, epoch, run, number of the order
 *   SUBMIT          user, session, request, nodes, flags
 *   ASK             kind of request, user, session, request, job or node
 *   EVENT           kind of request, user, session, request, length, bytes of an event
 *   QUERY           user, job
 *   STANDBY         0 follow, 1 followed all, 2 followed a part, 3 diverged; how much
 *   BYTES           kind of peer, length, bytes
 *   DISK            bit 0: it waits, bit 1: it cannot be read
 *   DISK_DONE       0: it failed
 *   SETTLE          -
 *   WOKEN           -
 *   WAIT            index of controller_durations_us
 *   CLOCK           realtime jumps: index of controller_durations_us, back
 *   RESTART         requests that are carried out, bytes of the next, the term rises
 *   BAD_FILE        file, where
 *   STATE_QUERY     user, kind of record, where it begins, job, flags
 *   STEP_ASK        user, session, request, job, what: 0 create, 1 signal, 2 listen, 3 the job is
 *                   done; of a create tasks and flags (LkStepFlag), else step and signal
 *   STEP_TOLD       node, epoch, run, step, what: 0 started, 1 ended, 2 heard, 3 usage; exit code
 *   STEP_REPORT     node, agent, epoch, cpus, run, step, state, exit code: of a run that runs
 *
 * A byte that is too high counts from 0 again. */
#define CONTROLLER_HAPPENINGS(X)                                                                   \
  X (REGISTER)                                                                                     \
  X (REPORT)                                                                                       \
  X (HEARTBEAT)                                                                                    \
  X (RUN_STARTED)                                                                                  \
  X (RUN_ENDED)                                                                                    \
  X (SCRIPT_ENDED)                                                                                 \
  X (RUN_HEARD)                                                                                    \
  X (SUBMIT)                                                                                       \
  X (ASK)                                                                                          \
  X (EVENT)                                                                                        \
  X (QUERY)                                                                                        \
  X (STANDBY)                                                                                      \
  X (BYTES)                                                                                        \
  X (DISK)                                                                                         \
  X (DISK_DONE)                                                                                    \
  X (SETTLE)                                                                                       \
  X (WOKEN)                                                                                        \
  X (WAIT)                                                                                         \
  X (CLOCK)                                                                                        \
  X (RESTART)                                                                                      \
  X (BAD_FILE)                                                                                     \
  X (STATE_QUERY)                                                                                  \
  X (STEP_ASK)                                                                                     \
  X (STEP_TOLD)                                                                                    \
  X (STEP_REPORT)
#define X(NAME) CONTROL_##NAME,
typedef enum { CONTROLLER_HAPPENINGS (X) CONTROL_COUNT } ControllerHappens;
#undef X

/* Below, at and above what a controller waits for. */
static const gint64 controller_durations_us[] = { 0,
                                                  G_USEC_PER_SEC,
                                                  5 * G_USEC_PER_SEC,
                                                  20 * G_USEC_PER_SEC,
                                                  31 * G_USEC_PER_SEC,
                                                  400 * G_USEC_PER_SEC };

#endif
