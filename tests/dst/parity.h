/* tests/dst/parity.h — drive parity: what `lockstep sim` did, done again by the real controller and
 * agents over ports without latency.
 *
 * From the journal of a simulation come its configuration, what users and operators asked for and
 * when, and how long each run ran.  A cluster of the cores gets the requests as messages, and
 * processes that run for so long.  It must come to the same events and the same decisions, digest
 * for digest. */
#ifndef LK_TESTS_DST_PARITY_H
#define LK_TESTS_DST_PARITY_H

#include <glib.h>

#include "engine/digest.h"

typedef struct {
  guint64 event_count; /* of the journal, and of the cluster */
  guint64 live_event_count;
  LkDigestValue digest; /* of the decisions of both */
  LkDigestValue live_digest;
  guint64 message_count; /* that were sent in the cluster */
  GByteArray *journal;   /* that its controller has written */
} LkParity;

/* Plays the journal; with `tells` the log of the cluster is printed. FALSE: the journal is not one
 * that can be played, and `error` tells why. */
gboolean lk_parity_play (const guint8 *bytes, gsize length_bytes, gboolean tells,
                         LkParity *out_parity, GError **error);
void lk_parity_clear (LkParity *self);
gboolean lk_parity_holds (const LkParity *parity);

#endif
