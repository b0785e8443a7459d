/* live/core/controller.h — the controller as a state machine: messages, completions and wake-ups
 * in; messages, journal appends and wake-ups out.
 *
 * It does no I/O, reads no clock but its port, and calls nobody but its ports.  The engine decides;
 * this core turns what happens into the engine's events, in the documented order of an instant,
 * and carries out what is decided once that is durable.
 *
 * What it promises:
 * - A reply is sent, and a decision is carried out, only when its event is durable in the journal.
 * - A request that comes twice is carried out once, also across a crash.
 * - A run has a number of its own; a later one has a higher number.  No launch is sent as long as
 *   an earlier run of the job may live anywhere, or one that is over may still live on the node.
 * - Numbers of runs are never given out twice, not by controllers of different terms either.
 * - After a failure of the disk it does nothing any more (lk_controller_failure).
 *
 * What happens at one instant is gathered until lk_controller_settle, which puts it in order: ends
 * by job id, node changes, reservations, submits, other requests as they came, the timer, and at
 * last one pass.  See docs/live-core.md. */
#ifndef LK_LIVE_CORE_CONTROLLER_H
#define LK_LIVE_CORE_CONTROLLER_H

#include <glib.h>

#include "engine/engine.h"
#include "engine/journal.h"
#include "live/core/message.h"
#include "live/core/port_clock.h"
#include "live/core/port_disk.h"
#include "live/core/port_log.h"
#include "live/core/port_net.h"
#include "live/core/port_site.h"
#include "live/core/port_term.h"
#include "live/core/port_token.h"

/* Files of the controller on its disk, beside its snapshots. */
#define LK_CONTROLLER_JOURNAL "journal"
#define LK_CONTROLLER_START "start"

/* All times above 0 but where said. Everything pointed to is borrowed and outlives the core. */
typedef struct {
  const LkEngineConfig *engine;
  const LkJournalHeader *header; /* of a new journal */
  guint32 administrator_user_id; /* who runs the controller; root always may */
  gint64 heartbeat_us;           /* what agents are told */
  gint64 node_timeout_us;        /* SlurmdTimeout: silent for so long, a node is down */
  gint64 registration_wait_us;   /* after a start, before nodes that do not register are down */
  gint64 retry_us;               /* what is not acknowledged is sent again after this */
  gint64 kill_wait_us;           /* KillWait; may be 0 */
  gint64 pass_delay_us;          /* least time between two passes; may be 0 */
  guint64 snapshot_events;       /* a snapshot after so many events */
  guint32 session_count_max;     /* sessions that are remembered */
  gboolean tokens_are_trusted;   /* disable_token_creation: signed for root and SlurmUser only */
  guint64 token_life_max_s;      /* max_token_lifespan, of others; 0: no limit */
  gboolean users_may_top;        /* enable_user_top: users order their own jobs */
  /* ReturnToService: a node that is down comes back when its agent registers, if it was silent or
   * has booted. 0: neither keeps it, nor returns all; 1 of Slurm keeps those that have booted, 0
   * both, and 2 returns all, whoever has set them down. */
  gboolean keeps_silent_down;
  gboolean hides_journal; /* from users who are not staff: PrivateData */
  gboolean keeps_rebooted_down;
  gboolean returns_all;
  LkPortSiteBounds bounds;
  /* Durable means: durable on a standby too. Without one nothing is acknowledged or started. */
  gboolean waits_for_standby;
} LkControllerConfig;

typedef struct {
  LkPortClock clock;
  LkPortNet net;
  LkPortDisk disk;
  LkPortSite site;
  LkPortToken token;
  LkPortTerm term;
  LkPortLog log;
} LkControllerPorts;

/* Why a controller does not start, or has stopped. */
typedef enum {
  LK_CONTROLLER_OK,
  LK_CONTROLLER_DISK_FAILED,     /* a write, or making it durable, has failed */
  LK_CONTROLLER_JOURNAL_CORRUPT, /* in the middle: what is behind would be lost */
  LK_CONTROLLER_JOURNAL_OTHER,   /* of another configuration or version */
  LK_CONTROLLER_DIVERGED,        /* the engine decides otherwise than the journal says */
  LK_CONTROLLER_FENCED,          /* another controller has a higher term, or the last one is held */
  LK_CONTROLLER_POLICY,          /* a policy refuses its parameters */
  LK_CONTROLLER_FORMER,          /* of a standby: the disk is that of a controller */
  LK_CONTROLLER_EMPTY,           /* of a standby: it has nothing of the journal yet */
} LkControllerFailure;
const char *lk_controller_failure_text (LkControllerFailure failure);

typedef struct _LkController LkController;

/* A fencing token is at most this. */
#define LK_CONTROLLER_TERM_MAX G_MAXUINT32

/* Begins: reads snapshot and journal, cuts off a torn tail, and waits for agents. `term` is the
 * fencing token: 0, the last one; above that, a promotion, without which the disk of a standby is
 * refused. Returns: (transfer full), or NULL with `out_failure` set. */
LkController *lk_controller_new (const LkControllerConfig *config, const LkControllerPorts *ports,
                                 guint64 term, LkControllerFailure *out_failure);
void lk_controller_free (LkController *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkController, lk_controller_free)

/* A message has come from a peer. What is not one, or may not be sent by him, is counted and
 * answered, if it was a request, with a refusal. */
void lk_controller_message (LkController *self, const LkPeer *peer, const guint8 *bytes,
                            gsize length_bytes);
/* The disk has carried out a request, or has failed at it. */
void lk_controller_disk_done (LkController *self, guint64 token, gboolean has_succeeded);
/* The time has come for which the clock was asked, or something like it: looks what is due. */
void lk_controller_woken (LkController *self);
/* Nothing more of this instant is at hand. TRUE: something was done, and more may come of it at
 * this instant, so call again when that is carried out too. */
gboolean lk_controller_settle (LkController *self);

/* The present run of a job is never launched again: it ends where agents may have it, and then the
 * job is held, if it may be requeued, or has failed.  For one whose launch stops the controller:
 * before the first settle.  FALSE: the job has no run. */
gboolean lk_controller_skip_launch (LkController *self, guint32 job_id);

/* Somebody here wants the configuration to be read anew: that is done in the next settle, as if
 * staff had asked for it. */
void lk_controller_reconfigure (LkController *self);

LkControllerFailure lk_controller_failure (const LkController *self);
/* From now on LkControllerConfig.waits_for_standby is this: someone has decided that the controller
 * goes on alone, or that a standby has caught up. */
void lk_controller_wait_for_standby (LkController *self, gboolean waits);

/* To be read only, between calls. */
const LkEngine *lk_controller_engine (const LkController *self);
guint64 lk_controller_term (const LkController *self);
/* Its start is durable: from now on it hears messages, and not before. */
gboolean lk_controller_is_open (const LkController *self);
/* Number of the last event that is durable. */
guint64 lk_controller_durable_seq (const LkController *self);

typedef struct {
  guint64 refused_count;   /* messages that their sender may not send */
  guint64 malformed_count; /* bytes that are no message */
  guint64 repeated_count;  /* requests that had come before */
  guint32 run_count;       /* runs that are not over and acknowledged */
  guint32 session_count;
  guint64 diverged_seq;       /* the event that the standby decided otherwise; 0: none */
  guint32 diverged_decision;  /* which of its decisions, from 0 */
  guint64 standby_seq;        /* the last event that is durable on the standby, and agrees */
  guint64 standby_left_bytes; /* that it has not asked for yet; all of them: there is none */
} LkControllerCounts;
void lk_controller_counts (const LkController *self, LkControllerCounts *out_counts);

/* Walks every invariant, those of the engine too, and aborts on the first that does not hold. */
void lk_controller_check (const LkController *self);

#endif
