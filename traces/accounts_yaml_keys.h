/* traces/accounts_yaml_keys.h — the keys of a page of accounts: which member of which struct each
 * is, and how its value is written.
 *
 * The one table from which the reader and the writer are made; the order of the keys is the order
 * in which the writer gives them. */
#ifndef LK_TRACES_ACCOUNTS_YAML_KEYS_H
#define LK_TRACES_ACCOUNTS_YAML_KEYS_H

#include <glib.h>

#include "engine/accounts.h"

typedef enum {
  LK_ACCOUNTS_KEY_TEXT,   /* char * */
  LK_ACCOUNTS_KEY_NAME,   /* char *, put in lower case */
  LK_ACCOUNTS_KEY_LIST,   /* char *, names with commas between; a list in the page */
  LK_ACCOUNTS_KEY_COUNT,  /* guint32 */
  LK_ACCOUNTS_KEY_SHARES, /* guint32 or parent */
  LK_ACCOUNTS_KEY_REAL,   /* double, not below 0 */
  LK_ACCOUNTS_KEY_OPTION, /* double, or none, which is -1 */
  LK_ACCOUNTS_KEY_FLAG,   /* gboolean */
  LK_ACCOUNTS_KEY_SPAN,   /* gint64 microseconds, a unit is needed */
  LK_ACCOUNTS_KEY_EXEMPT, /* the same, or none, which is -1 */
  LK_ACCOUNTS_KEY_OFFSET, /* gint64 seconds, with a sign */
  LK_ACCOUNTS_KEY_COMPAT, /* these three: one word */
  LK_ACCOUNTS_KEY_RESET,
  LK_ACCOUNTS_KEY_BILLING,
  LK_ACCOUNTS_KEY_ENFORCE, /* these two: a list of words */
  LK_ACCOUNTS_KEY_QOS_FLAGS,
  LK_ACCOUNTS_KEY_TRES,
  LK_ACCOUNTS_KEY_LIMITS,
  LK_ACCOUNTS_KEY_TRES_VALUES,
  /* Things of their own. */
  LK_ACCOUNTS_KEY_ROOT,
  LK_ACCOUNTS_KEY_QOS,
  LK_ACCOUNTS_KEY_USERS,
  LK_ACCOUNTS_KEY_ACCOUNTS,
} LkAccountsKeyKind;

typedef struct {
  const char *key;    /* in the page; NULL ends a table */
  const char *member; /* as the C member is called */
  LkAccountsKeyKind kind;
  gsize offset_bytes; /* of the member */
} LkAccountsKey;

/* Of LkAccounts, LkQosSpec and LkAssociationSpec: of the root, accounts and users. */
extern const LkAccountsKey lk_accounts_page_keys[];
extern const LkAccountsKey lk_accounts_qos_keys[];
extern const LkAccountsKey lk_accounts_root_keys[];
extern const LkAccountsKey lk_accounts_account_keys[];
extern const LkAccountsKey lk_accounts_user_keys[];

/* The words of kinds that are words; NULL for other kinds. (transfer full) of a NULL-terminated
 * array of borrowed words. */
const char **lk_accounts_key_words (LkAccountsKeyKind kind);

#endif
