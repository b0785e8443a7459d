/* live/port/port_term_sim.h — a simulated key of all controllers of a cluster (port_term.h). */
#ifndef LK_LIVE_PORT_PORT_TERM_SIM_H
#define LK_LIVE_PORT_PORT_TERM_SIM_H

#include "live/core/port_term.h"

LkPortTerm lk_term_sim_port (void);

#endif
