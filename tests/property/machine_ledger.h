/* tests/property/machine_ledger.h — books of who holds what on a machine of nodes, kept from what
 * the engine says.
 *
 * A second opinion on conservation: the texts of start decisions are read back and written down,
 * the description of the machine says what there is.  Nothing may be held twice, nothing that is
 * not there, nothing by somebody who may not have it or did not ask for it; and after every event
 * the pieces on the engine's nodes must be those of the books.  Shares no code with the engine but
 * the reader of hostlists. */
#ifndef LK_TESTS_PROPERTY_MACHINE_LEDGER_H
#define LK_TESTS_PROPERTY_MACHINE_LEDGER_H

#include <glib.h>

#include "tests/property/machine_run.h"

typedef struct _LkMachineLedger LkMachineLedger;

/* `whole_nodes`: the select policy gives nodes whole. `workload` outlives self. Returns: (transfer
 * full). */
LkMachineLedger *lk_machine_ledger_new (const LkMachineWorkload *workload, gboolean whole_nodes);
void lk_machine_ledger_free (LkMachineLedger *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkMachineLedger, lk_machine_ledger_free)

/* What the books hold at the moment: nodes of jobs, each counted. */
guint lk_machine_ledger_count (const LkMachineLedger *self);
/* Valid as long as self. */
LkMachineWatch lk_machine_ledger_watch (LkMachineLedger *self);

#endif
