/* tests/fuzz/seeds_controller.c — the stories of a few controllers, and changes to what one finds.
 */
#include "tests/fuzz/controller_happens.h"
#include "tests/fuzz/seeds.h"

#include "live/core/message.h"

/* clang-format off */
/* Nodes are told by their index; the agent is number 1, and knows its epoch. */
#define REGISTER(node)                                                                             \
  CONTROL_REGISTER, node, 1, 0, CONTROL_REPORT, node, 1, 0, 2, 0, CONTROL_SETTLE
#define REPORT_RUN(node, agent, run, state)                                                        \
  CONTROL_REGISTER, node, agent, 0, CONTROL_REPORT, node, agent, 0, 2, 1, run, (state) - 1, 0,     \
  CONTROL_SETTLE
#define ALL_REGISTER REGISTER (0), REGISTER (1), REGISTER (2)
#define SUBMIT(session, request, nodes, flags)                                                     \
  CONTROL_SUBMIT, 0, session, request, nodes, flags, CONTROL_SETTLE
#define STARTED(node, run) CONTROL_RUN_STARTED, node, 0, run
#define ENDED(node, run, trouble, drain)                                                           \
  CONTROL_RUN_ENDED, node, 0, run, 0, trouble, drain, CONTROL_SETTLE
#define SCRIPT_ENDED(node, run) CONTROL_SCRIPT_ENDED, node, 0, run, CONTROL_SETTLE
#define HEARD(node, run, number) CONTROL_RUN_HEARD, node, 0, run, number, CONTROL_SETTLE
/* By the administrator. */
#define ASK(kind, request, about)                                                                  \
  CONTROL_ASK, LK_MESSAGE_##kind - 1, 2, 4, request, about, CONTROL_SETTLE
#define STATE(user, record) CONTROL_STATE_QUERY, user, record, 0, 0, 2, CONTROL_SETTLE
/* By the owner of the job; of an agent that knows its epoch. */
#define STEP_ASK(request, job, what, first, second)                                                \
  CONTROL_STEP_ASK, 0, 3, request, job, what, first, second, CONTROL_SETTLE
#define STEP_TOLD(node, run, step, what, number)                                                   \
  CONTROL_STEP_TOLD, node, 0, run, step, what, number, CONTROL_SETTLE
#define WAIT(duration) CONTROL_WAIT, duration
#define DONE CONTROL_DISK_DONE, 1
#define FAILS CONTROL_DISK_DONE, 0
#define NO_KILL 4
#define ARRAY 16

static const guint8 whole[] = {
  0, ALL_REGISTER, SUBMIT (1, 1, 1, 1 << 5), STARTED (0, 1), SCRIPT_ENDED (0, 1),
  ENDED (0, 1, 0, 0), SUBMIT (1, 1, 1, 0), SUBMIT (1, 2, 3, 0), SUBMIT (1, 3, 1, ARRAY), WAIT (2),
  CONTROL_QUERY, 0, 2, STATE (0, 1), STATE (1, 2), CONTROL_RESTART, 0, 0, 1, ALL_REGISTER,
  STATE (0, 1), STATE (1, 3)
};
static const guint8 waits[] = {
  12, ALL_REGISTER, SUBMIT (1, 1, 1, 0), DONE, SUBMIT (2, 1, 1, 0), DONE, CONTROL_SETTLE, DONE,
  CONTROL_RESTART, 0, 33, 1, DONE, DONE, DONE, REPORT_RUN (0, 2, 1, LK_RUN_RUNNING),
  SUBMIT (3, 1, 1, 0), DONE, DONE, SUBMIT (4, 1, 1, 0), FAILS, DONE, CONTROL_RESTART, 2, 0, 0,
  DONE
};
static const guint8 silent[] = {
  4, ALL_REGISTER, SUBMIT (1, 1, 3, NO_KILL), STARTED (0, 1), STARTED (1, 1), SUBMIT (1, 2, 1, 0),
  CONTROL_HEARTBEAT, 0, 1, 0, WAIT (3), CONTROL_HEARTBEAT, 0, 1, 0, WAIT (3), WAIT (4),
  REPORT_RUN (1, 1, 1, LK_RUN_RUNNING), WAIT (2), ENDED (1, 1, 0, 0), ASK (NODE_DOWN, 1, 6),
  ASK (NODE_UP, 2, 2), REPORT_RUN (2, 2, 1, LK_RUN_LOST), WAIT (5)
};
static const guint8 orders[] = {
  4, ALL_REGISTER, SUBMIT (1, 1, 1, 0), STARTED (0, 1), ASK (SIGNAL, 1, 1), ASK (SUSPEND, 2, 1),
  HEARD (0, 1, 1), ASK (RESUME, 3, 1), HEARD (0, 1, 2), HEARD (0, 1, 3), ASK (REQUEUE, 4, 1),
  WAIT (2), ENDED (0, 1, 0, 0), ASK (HOLD, 5, 2), WAIT (5), ASK (CANCEL, 6, 1), ENDED (0, 2, 4, 1)
};
static const guint8 pool[] = {
  5, REGISTER (0), SUBMIT (1, 1, 1, 0), SUBMIT (1, 2, 3, 0), STARTED (0, 1), ENDED (0, 1, 0, 0),
  CONTROL_RESTART, 0, 0, 0, REPORT_RUN (0, 1, 2, LK_RUN_ENDED), CONTROL_BAD_FILE, 1, 40, 0,
  WAIT (5)
};
static const guint8 follows[] = {
  2, ALL_REGISTER, CONTROL_STANDBY, 0, 0, SUBMIT (1, 1, 1, 0), CONTROL_STANDBY, 1, 0,
  CONTROL_SETTLE, CONTROL_STANDBY, 1, 0, ENDED (0, 1, 0, 0), CONTROL_STANDBY, 1, 0,
  CONTROL_STANDBY, 2, 9, CONTROL_STANDBY, 3, 0
};
static const guint8 strange[] = {
  0, REGISTER (0), REPORT_RUN (1, 1, 5, LK_RUN_RUNNING), REGISTER (2), SUBMIT (1, 1, 3, 0),
  WAIT (2), ENDED (1, 5, 0, 0), REPORT_RUN (0, 2, 1, LK_RUN_LOST), CONTROL_REGISTER, 0, 1, 8,
  CONTROL_BYTES, 1, 3, LK_MESSAGE_JOB_QUERY, 0, 0, CONTROL_CLOCK, 5, 1, CONTROL_EVENT, 0, 0, 2, 1,
  3, 1, 0, 0, CONTROL_WOKEN, CONTROL_SETTLE
};
static const guint8 steps[] = {
  4, ALL_REGISTER, SUBMIT (1, 1, 2, 0), STARTED (0, 1), STARTED (1, 1), STEP_ASK (1, 1, 0, 2, 0),
  STEP_TOLD (0, 1, 0, 0, 0), STEP_TOLD (1, 1, 0, 0, 0), STEP_ASK (1, 1, 0, 2, 0),
  STEP_ASK (2, 1, 0, 1, 2), STEP_ASK (3, 1, 1, 0, 10), STEP_TOLD (0, 1, 0, 2, 1),
  STEP_ASK (4, 1, 2, 0, 1), STEP_TOLD (0, 1, 0, 3, 1), CONTROL_RESTART, 0, 0, 1,
  REGISTER (1), CONTROL_REGISTER, 0, 1, 0, CONTROL_STEP_REPORT, 0, 1, 0, 2, 1, 0, 0, 0,
  CONTROL_SETTLE, STEP_TOLD (0, 1, 0, 1, 1), STEP_ASK (5, 1, 1, 255, 0),
  STEP_TOLD (1, 1, 0, 1, 0), STEP_ASK (6, 1, 3, 0, 0), WAIT (2), ENDED (0, 1, 0, 0),
  ENDED (1, 1, 0, 0), STATE (0, 1)
};

/* The first byte: changes; each: file and what, record, offset, value. */
static const guint8 untouched[] = {
  1
};
static const guint8 changed[] = {
  1, 0, 1, 9, 0, 255, 0, 2, 1, 0, 0, 1, 7, 20, 0, 3
};
static const guint8 dropped[] = {
  1, 2, 2, 0, 0, 0, 3, 9, 0, 0, 0
};
static const guint8 doubled[] = {
  1, 4, 3, 0, 0, 0, 5, 9, 0, 0, 0
};
static const guint8 swapped[] = {
  1, 6, 4, 0, 0, 0, 7, 8, 0, 0, 0
};
static const guint8 other[] = {
  0, 2, 0, 0, 0, LK_MESSAGE_KEPT_NODE, 0
};
/* clang-format on */

typedef struct {
  const char *name;
  const guint8 *bytes;
  guint length_bytes;
} Story;

static void
put (Seeds *self, const char *kind, const Story *stories, guint count)
{
  for (guint i = 0; i < count; i++) {
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_byte_array_append (bytes, stories[i].bytes, stories[i].length_bytes);
    put_seed (self, kind, stories[i].name, bytes);
  }
}

void
put_controller_seeds (Seeds *self)
{
  static const Story stories[] = {
    { "whole", whole, sizeof whole },       { "waits", waits, sizeof waits },
    { "silent", silent, sizeof silent },    { "orders", orders, sizeof orders },
    { "pool", pool, sizeof pool },          { "follows", follows, sizeof follows },
    { "strange", strange, sizeof strange }, { "steps", steps, sizeof steps },
  };
  static const Story changes[] = {
    { "untouched", untouched, sizeof untouched }, { "changed", changed, sizeof changed },
    { "dropped", dropped, sizeof dropped },       { "doubled", doubled, sizeof doubled },
    { "swapped", swapped, sizeof swapped },       { "other", other, sizeof other },
  };
  put (self, "controller", stories, G_N_ELEMENTS (stories));
  put (self, "controller_snapshot", changes, G_N_ELEMENTS (changes));
}
