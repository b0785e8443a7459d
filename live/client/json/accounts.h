/* live/client/json/accounts.h — accounts, QOS, shares and priorities as JSON. */
#ifndef LK_LIVE_CLIENT_JSON_ACCOUNTS_H
#define LK_LIVE_CLIENT_JSON_ACCOUNTS_H

#include "live/client/json/json.h"
#include "live/client/sacctmgr/sacctmgr_show.h"
#include "traces/sshare_table.h"

/* What rows of `sacctmgr show` are of. */
typedef enum {
  LK_JSON_ASSOCIATIONS,
  LK_JSON_ACCOUNTS,
  LK_JSON_CLUSTERS,
  LK_JSON_QOS,
  LK_JSON_TRES,
  LK_JSON_USERS,
} LkJsonAccountsKind;

typedef struct {
  const LkClient *client;
  const LkSacctmgrReport *shown;
  gboolean with_associations;
  gboolean with_coordinators;
} LkJsonAccountsReport;

/* The answer with these rows, of LkSacctmgrRow*. */
void lk_json_accounts (const LkJsonAccountsReport *report, const LkJsonChoice *choice,
                       LkJsonAccountsKind kind, const GPtrArray *rows);

/* A row of sshare; begins with what is shown of it. */
typedef struct {
  LkSshareRow shown;
  char *run_seconds; /* "cpu=180,mem=60" */
} LkJsonShare;
/* `accounts` NULL: there are none. */
void lk_json_shares (const LkClient *client, const LkJsonChoice *choice, const LkAccounts *accounts,
                     const GPtrArray *rows);

#endif
