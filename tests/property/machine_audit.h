/* tests/property/machine_audit.h — a run as a journal, and what the checker that shares no code
 * with the engine says of it. */
#ifndef LK_TESTS_PROPERTY_MACHINE_AUDIT_H
#define LK_TESTS_PROPERTY_MACHINE_AUDIT_H

#include "tests/property/machine_run.h"

/* The journal of the events of a run, with how jobs stood. Returns: (transfer full). */
GByteArray *lk_machine_journal (const LkMachineWorkload *workload, const LkMachineOptions *options,
                                const LkMachineRun *run);

/* Aborts when the checker finds anything; with LK_PROPERTY_JOURNAL=FILE that keeps the journal. */
void lk_machine_run_assert_audited (const LkMachineWorkload *workload,
                                    const LkMachineOptions *options, const LkMachineRun *run);

#endif
