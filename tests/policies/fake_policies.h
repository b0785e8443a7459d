/* tests/policies/fake_policies.h — policies whose only purpose is their parameter tables. */
#ifndef LK_TESTS_POLICIES_FAKE_POLICIES_H
#define LK_TESTS_POLICIES_FAKE_POLICIES_H

#include "policies/registry.h"

/* order: ratio (real), depth (integer), label (text). */
extern const LkOrderPolicy fake_score;
/* order: formula (text without a default); refuses one with a question mark. */
extern const LkOrderPolicy fake_formula;
/* backfill: order, reservations (integer). */
extern const LkBackfillPolicy fake_backfill;
/* select, without parameters. */
extern const LkSelectPolicy fake_select;

/* The built-in policies and all of the above. Returns: (transfer full). */
LkRegistry *fake_registry (void);

#endif
