/* live/core/port_term.h — proves which terms controllers have given out.
 *
 * A controller stops when another one has a higher term (controller.h).  Agents report the highest
 * term that they have seen, and root of any node can be its agent: so an agent returns, with the
 * term, a proof that it got from the controller of that term.  Controllers of one cluster have the
 * same key, which no agent has. */
#ifndef LK_LIVE_CORE_PORT_TERM_H
#define LK_LIVE_CORE_PORT_TERM_H

#include <glib.h>

/* As messages carry it. */
#define LK_TERM_PROOF_FIELDS(F)                                                                    \
  F (u64, proof_low, "proof of the term by the controller that gave it out, low half; 0: none")    \
  F (u64, proof_high, "high half")

/* Both 0: none. */
typedef struct {
  guint64 low;
  guint64 high;
} LkTermProof;

typedef struct {
  guint32 size; /* sizeof this struct, set by the implementer */
  /* Which nobody without the key can compute; never 0. */
  LkTermProof (*prove) (void *self, guint64 term);
} LkPortTermOps;

typedef struct {
  const LkPortTermOps *ops; /* NULL: nothing is proved, and no agent is believed */
  void *self;
} LkPortTerm;

#endif
