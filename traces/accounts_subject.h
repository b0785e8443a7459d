/* traces/accounts_subject.h — the words of a command of sacctmgr: what it is about, what it sets.
 *
 * Names stand alone or behind Names=, Accounts=, Users= and the like, before, behind or without
 * `where`; what is set stands behind `set`, or anywhere in an add.  Source: sacctmgr(1).
 *
 * Not here: which commands there are, and what they do (traces/accounts_script.c). */
#ifndef LK_TRACES_ACCOUNTS_SUBJECT_H
#define LK_TRACES_ACCOUNTS_SUBJECT_H

#include <glib.h>

#include "traces/accounts_edit.h"

typedef enum {
  LK_ENTITY_ACCOUNT,
  LK_ENTITY_USER,
  LK_ENTITY_QOS,
  LK_ENTITY_CLUSTER,
  LK_ENTITY_OTHERS
} LkAccountsEntity;

/* What a line is about. Lists are NULL when they were not given. */
typedef struct {
  char **names;
  char **accounts;
  char **users;
  char **clusters;
  char **partitions;
  char *parent;
  char *default_account;
  GPtrArray *settings; /* of LkAccountsSetting*, what is set */
  gboolean is_add;     /* set before it is read: all words may set something */
} LkAccountsSubject;

void lk_accounts_subject_init (LkAccountsSubject *self, gboolean is_add);
void lk_accounts_subject_clear (LkAccountsSubject *self);

/* Reads the words behind the command, ended by NULL. */
gboolean lk_accounts_subject_read (const LkSlurmPlace *place, LkAccountsSubject *subject,
                                   LkAccountsEntity entity, char **words, GError **error);

/* Leaves out of several names those that an add finds there already, or another command does not
 * find: sacctmgr(1) acts on the others.  Where none would be left all stay, to be refused. */
void lk_accounts_subject_narrow (LkAccountsSubject *self, const LkAccounts *accounts,
                                 LkAccountsEntity entity);

#endif
