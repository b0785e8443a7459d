/* live/accounting/reservation_note.h — reservations that have begun, as accounting keeps them. */
#ifndef LK_LIVE_ACCOUNTING_RESERVATION_NOTE_H
#define LK_LIVE_ACCOUNTING_RESERVATION_NOTE_H

#include "engine/engine.h"
#include "live/accounting/store.h"

/* The reservation of the decision is still in the engine. */
void lk_accounting_take_reservation (LkAccountingStore *store, const LkEngine *engine,
                                     const LkDecision_reservation *decision, gint64 at_us);

#endif
