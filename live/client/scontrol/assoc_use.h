/* live/client/scontrol/assoc_use.h — what counts in associations and QOS, as the controller tells
 * it. */
#ifndef LK_LIVE_CLIENT_SCONTROL_ASSOC_USE_H
#define LK_LIVE_CLIENT_SCONTROL_ASSOC_USE_H

#include "engine/accounts.h"
#include "live/client/client.h"

/* Arrays have an entry for each TRES of the accounts. */
typedef struct {
  LkUseScope scope;
  guint32 place; /* of the association or QOS */
  char *name;    /* of the user or account within a QOS; else "" */
  guint32 running;
  guint32 submitted;
  guint32 accruing;
  double usage; /* seconds */
  double wall_s;
  guint64 *tres;
  guint64 *tres_run_s;
  guint64 *tres_s;
} LkAssocUse;

typedef struct {
  const LkAccounts *accounts;
  GPtrArray *all;           /* of LkAssocUse, as they were told */
  LkAssocUse **association; /* by place; borrowed */
  LkAssocUse **qos;         /* likewise */
} LkAssocUses;

/* All of the cluster, whose accounts these are; of what is not told nothing is in use. FALSE:
 * nobody tells. */
gboolean lk_assoc_uses_read (const LkClient *client, const LkAccounts *accounts,
                             LkAssocUses *out_uses, GError **error);
void lk_assoc_uses_clear (LkAssocUses *self);

#endif
