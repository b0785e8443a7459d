/* tests/fuzz/agent_happens.h — the bytes that agent_fuzz reads. */
#ifndef LK_TESTS_FUZZ_AGENT_HAPPENS_H
#define LK_TESTS_FUZZ_AGENT_HAPPENS_H

#include <glib.h>

/* What happens: X (NAME). Its place is the byte that stands for it; what it needs comes behind it:
 *
 *   REGISTERED ... FORGET   term, run (agent, of REGISTERED), epoch, and three more:
 *     REGISTERED            heartbeat: index of agent_durations_us
 *     LAUNCH                has the script, is there alone
 *     TERMINATE             kill wait: index of agent_durations_us
 *     SIGNAL                number of the order, signal, batch only
 *     SUSPEND               number of the order, stop
 *   BYTES                   kind of peer, length, bytes
 *   STAGE_ENDS              run, stage, exit code, signal, trouble
 *   STAGE_ENDED_AGAIN       run
 *   SUPERVISOR_DIES         run
 *   WAIT                    index of agent_durations_us
 *   DISK                    SiteDisk
 *   DISK_DONE               0: it failed
 *   PORTS                   instant, no supervisor can be made
 *   RESTART                 what was being written is
 *   REBOOT                  -
 *   BAD_FILE                which byte
 *   STEP_ORDER              what: 0 launch, 1 kill, 2 listen, 3 forget; term, run, epoch, step, and
 *                           of a kill number of the order, signal
 *   STEP_ENDS               run, step, exit code, signal
 *   STEP_PORTS              no step can be begun
 *
 * A byte that is too high counts from 0 again. */
#define HAPPENINGS(X)                                                                              \
  X (REGISTERED)                                                                                   \
  X (REPORTED)                                                                                     \
  X (LAUNCH)                                                                                       \
  X (TERMINATE)                                                                                    \
  X (SIGNAL)                                                                                       \
  X (SUSPEND)                                                                                      \
  X (FORGET)                                                                                       \
  X (BYTES)                                                                                        \
  X (STAGE_ENDS)                                                                                   \
  X (STAGE_ENDED_AGAIN)                                                                            \
  X (SUPERVISOR_DIES)                                                                              \
  X (WAIT)                                                                                         \
  X (DISK)                                                                                         \
  X (DISK_DONE)                                                                                    \
  X (PORTS)                                                                                        \
  X (RESTART)                                                                                      \
  X (REBOOT)                                                                                       \
  X (BAD_FILE)                                                                                     \
  X (STEP_ORDER)                                                                                   \
  X (STEP_ENDS)                                                                                    \
  X (STEP_PORTS)
#define X(NAME) HAPPENS_##NAME,
typedef enum { HAPPENINGS (X) HAPPENS_COUNT } Happens;
#undef X

/* Below, at and above what an agent waits for. */
static const gint64 agent_durations_us[] = { 0, G_USEC_PER_SEC / 2, G_USEC_PER_SEC,
                                             10 * G_USEC_PER_SEC, 30 * G_USEC_PER_SEC };

#endif
