/* live/core/agent.h — the agent of one node as a state machine.
 *
 * It registers with its controller, begins, signals and ends runs as it is told, and reports each
 * end until that is acknowledged.  Runs are kept by supervisors (port_process.h), so that an agent
 * may die and come back at any time: then it takes over what it finds.
 *
 * What it promises:
 * - A run is begun once, however often its launch comes: a launch of another registration than the
 *   present one is dropped, and of the present one the runs are remembered.
 * - A controller with a lower term than the highest seen is not listened to; that term is durable.
 * - It asks its process port for nothing that was not told by a controller.
 * - The end of a run on this node is told only when nothing of it is left, its epilog included. */
#ifndef LK_LIVE_CORE_AGENT_H
#define LK_LIVE_CORE_AGENT_H

#include <glib.h>

#include "live/core/message.h"
#include "live/core/port_clock.h"
#include "live/core/port_disk.h"
#include "live/core/port_log.h"
#include "live/core/port_net.h"
#include "live/core/port_process.h"
#include "live/core/port_term.h"

#define LK_AGENT_TERM_FILE "term"

typedef struct {
  const char *node; /* its name; borrowed */
  guint64 boot_id;  /* changes when the node boots */
  guint64 agent_id; /* another one at each start of the agent */
  guint32 cpus;     /* what was found */
  guint64 memory_bytes;
  const char *gres; /* borrowed; "" for none */
  gint64 retry_us;  /* what is not acknowledged is sent again after this */
  /* Of the agent whose place it takes, as lk_agent_reload_number; 0: it takes none. */
  guint64 reload_number;
} LkAgentConfig;

typedef struct {
  LkPortClock clock;
  LkPortNet net; /* its only peer is the controller: LK_AGENT_CONTROLLER */
  LkPortDisk disk;
  LkPortProcess process;
  LkPortLog log;
} LkAgentPorts;

#define LK_AGENT_CONTROLLER 0u

typedef struct _LkAgent LkAgent;

/* Begins: reads the term, takes over the runs that there are, and registers. NULL: the disk cannot
 * be read, or what it holds is no term. Disk and process ports may call back at once, but not here.
 * Returns: (transfer full). */
LkAgent *lk_agent_new (const LkAgentConfig *config, const LkAgentPorts *ports);
void lk_agent_free (LkAgent *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAgent, lk_agent_free)

/* A message has come; `peer` as attested. What does not come from a controller is dropped. */
void lk_agent_message (LkAgent *self, const LkPeer *peer, const guint8 *bytes, gsize length_bytes);
/* A stage of a run has ended. */
void lk_agent_stage_ended (LkAgent *self, guint64 run_id, LkStage stage, const LkExit *how);
/* A step has ended on this node: nothing of it is left. */
void lk_agent_step_ended (LkAgent *self, const LkStepFound *step);
/* What a step that runs has used so far; told as it is, and not again. */
void lk_agent_step_usage (LkAgent *self, guint64 run_id, guint32 step_id, const LkStepUsage *usage);
/* A stage of a run should be over and is not: the node should be drained as long as that is so. It
 * is so until the stage has ended. */
void lk_agent_stuck (LkAgent *self, guint64 run_id, LkStuck why);
/* The disk has carried out a request, or has failed at it: then the agent says nothing more. */
void lk_agent_disk_done (LkAgent *self, guint64 token, gboolean has_succeeded);
void lk_agent_woken (LkAgent *self);
/* The controller can be reached, again or another one: registration and heartbeat are sent now, not
 * when they would be repeated. Need not be told. */
void lk_agent_connected (LkAgent *self);

/* Has the controller said since the last call that there is a configuration to be read anew? */
gboolean lk_agent_take_reload (LkAgent *self);
/* The last time that it has said so. */
guint64 lk_agent_reload_number (const LkAgent *self);

/* To be read only. */
gboolean lk_agent_has_failed (const LkAgent *self);
gboolean lk_agent_is_registered (const LkAgent *self);
guint64 lk_agent_term (const LkAgent *self);
/* Runs that are not forgotten, in rising order. Returns: (transfer full), of LkRunReport. */
GArray *lk_agent_runs (const LkAgent *self);
/* Walks every invariant and aborts on the first that does not hold. */
void lk_agent_check (const LkAgent *self);

#endif
