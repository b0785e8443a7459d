/* live/port/port_term_sim.c — see the header.  No secret: simulated agents compute nothing. */
#include "live/port/port_term_sim.h"

static LkTermProof
prove (void *self, guint64 term)
{
  (void)self;
  return (LkTermProof){ ~term, term ^ G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) };
}

LkPortTerm
lk_term_sim_port (void)
{
  static const LkPortTermOps ops = { .size = sizeof ops, .prove = prove };
  return (LkPortTerm){ &ops, NULL };
}
