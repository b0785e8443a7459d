/* live/core/standby.h — a standby as a state machine: it follows the journal of a controller, and
 * can go on in its place.
 *
 * The journal comes in pieces, in the order of the file.  Whole batches are applied to an engine,
 * with the code that recovery uses, and only what agrees (each decision, and the digest of all of
 * them) is written to the standby's own disk; when it is durable there, the controller hears of it.
 * So the disk is at any time that of a controller that has stopped, and the engine is warm.
 *
 * What it promises:
 * - Bytes whose place is not where its own journal ends are dropped, as is what comes from a
 *   controller with a lower term than the highest seen; that term is durable before the bytes are.
 * - Where its engine decides otherwise, that is an alarm: it keeps what it has, says so from then
 *   on, also after a restart, and can never be promoted.
 * - It answers for an event only when that is durable here.
 *
 * Who promotes it, when, and with which term is decided elsewhere. */
#ifndef LK_LIVE_CORE_STANDBY_H
#define LK_LIVE_CORE_STANDBY_H

#include "live/core/controller.h"

#define LK_STANDBY_FILE "standby"

/* The peer of its net port that is the controller. */
#define LK_STANDBY_CONTROLLER 0u

typedef struct _LkStandby LkStandby;

/* Begins: reads what its disk holds, cuts off a torn tail, and asks for what follows. `config` and
 * what it points to are those of the controller. Returns: (transfer full), or NULL with
 * `out_failure` set. */
LkStandby *lk_standby_new (const LkControllerConfig *config, const LkControllerPorts *ports,
                           LkControllerFailure *out_failure);
void lk_standby_free (LkStandby *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkStandby, lk_standby_free)

/* A message has come; `peer` as attested. What does not come from a controller is dropped. */
void lk_standby_message (LkStandby *self, const LkPeer *peer, const guint8 *bytes,
                         gsize length_bytes);
void lk_standby_disk_done (LkStandby *self, guint64 token, gboolean has_succeeded);
void lk_standby_woken (LkStandby *self);
LkControllerFailure lk_standby_failure (const LkStandby *self);

/* Becomes a controller, which goes on from what there is here; the ports are its own from now on,
 * and `self` is of no use any more.  `term` is a fencing token above all that were ever given out.
 * Returns: (transfer full), or NULL with `out_failure` set, and the standby goes on: when it has
 * diverged, has nothing yet, has failed, or has seen as high a term. */
LkController *lk_standby_promote (LkStandby *self, guint64 term, LkControllerFailure *out_failure);

/* To be read only. */
typedef struct {
  guint64 term;          /* the highest that was seen */
  guint64 seq;           /* the last event that was applied and agrees */
  guint64 durable_seq;   /* the last one that is durable here */
  guint64 journal_bytes; /* what agrees */
  guint64 left_bytes;    /* what the controller has had besides, when it was last heard */
  guint64 refused_count; /* messages with a lower term, or not of a controller */
  guint64 damaged_count; /* pieces with a record that is not whole or does not fit */
  /* Alarms. */
  guint64 diverged_seq; /* the first event that was decided otherwise; 0: none */
  guint32 diverged_decision;
  gboolean is_ahead; /* a controller had less of the journal than is durable here */
} LkStandbyStatus;
void lk_standby_status (const LkStandby *self, LkStandbyStatus *out_status);
/* NULL: it was promoted. */
const LkEngine *lk_standby_engine (const LkStandby *self);
/* Walks every invariant and aborts on the first that does not hold. */
void lk_standby_check (const LkStandby *self);

#endif
