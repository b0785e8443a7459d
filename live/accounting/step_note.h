/* live/accounting/step_note.h — notes of the journal about steps, into the store. */
#ifndef LK_LIVE_ACCOUNTING_STEP_NOTE_H
#define LK_LIVE_ACCOUNTING_STEP_NOTE_H

#include "live/accounting/store.h"
#include "live/core/message.h"

/* One that is none of steps tells nothing here. */
void lk_accounting_take_step_note (LkAccountingStore *store, const LkMessage *note);

#endif
