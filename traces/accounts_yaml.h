/* traces/accounts_yaml.h — accounts as a page of YAML.
 *
 * What the keys are is said in docs/accounts.md, and once in accounts_yaml_keys.c, from which
 * reader and writer take it.  Accounts are a tree: each has its users and the accounts below it.
 *
 * Errors are LK_TRACE_ERROR and one line: "FILE:LINE:COLUMN: what was found, what was expected"; so
 * are those of lk_accounts_check, which come from the place of the key that they are about. */
#ifndef LK_TRACES_ACCOUNTS_YAML_H
#define LK_TRACES_ACCOUNTS_YAML_H

#include <glib.h>

#include "engine/accounts.h"
#include "traces/trace_error.h"

/* `name` stands in messages. Returns: (transfer full), checked; NULL on failure. */
LkAccounts *lk_accounts_yaml_read_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                                         GError **error);

/* Appends a page of checked accounts that reads back to the same: members that have their default
 * are left out. Of associations with one parent users stand before accounts.  `header_comment`
 * (NULL: none) comes first. */
void lk_accounts_yaml_write (const LkAccounts *accounts, const char *header_comment, GString *out);

#endif
