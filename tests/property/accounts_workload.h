/* tests/property/accounts_workload.h — small random descriptions of accounts, QOS and limits, a
 * machine, and jobs of their users, from a seed.
 *
 * Machine, jobs and changes are those of machine_workload.h, given users, accounts and QOS; limits
 * are small numbers, so that they hold many a job. */
#ifndef LK_TESTS_PROPERTY_ACCOUNTS_WORKLOAD_H
#define LK_TESTS_PROPERTY_ACCOUNTS_WORKLOAD_H

#include <glib.h>

#include "engine/accounts.h"
#include "tests/property/machine_run.h"
#include "tests/property/machine_workload.h"

typedef enum {
  LK_ACCOUNTS_NO_LIMITS = 1 << 0, /* nothing is limited, enforced or anybody's favourite */
} LkAccountsWithout;

typedef struct {
  LkMachineWorkload *machine;
  LkAccounts *accounts; /* checked */
  guint32 units_total;  /* of a counted pool; 0: nodes */
  gint64 unit_us;       /* what a second of the workload is */
  gint64 origin_us;
  gint64 end_us;
  char *order; /* specification of an order that knows accounts, or of one that does not */
} LkAccountsWorkload;

/* `without`: set of LkAccountsWithout. Returns: (transfer full). */
LkAccountsWorkload *lk_accounts_workload_new (guint64 seed, guint without);
void lk_accounts_workload_free (LkAccountsWorkload *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAccountsWorkload, lk_accounts_workload_free)

/* Gives users, accounts and QOS other names, in the same order. */
void lk_accounts_workload_rename (LkAccountsWorkload *self);

/* Everything about a run but the backfill policy and who looks on. */
LkMachineOptions lk_accounts_workload_options (const LkAccountsWorkload *self);

/* For people. */
void lk_accounts_workload_print (const LkAccountsWorkload *self, GString *out);

#endif
