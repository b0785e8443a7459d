/* live/client/sacctmgr/sacctmgr.h — between the parts of sacctmgr, for its folder only. */
#ifndef LK_LIVE_CLIENT_SACCTMGR_H
#define LK_LIVE_CLIENT_SACCTMGR_H

#include "live/client/accounting/accounts.h"
#include "live/client/json/json.h"
#include "traces/fields.h"

#define LK_SACCTMGR_FAILURE 1

typedef struct {
  gboolean is_immediate; /* -i */
  gboolean is_quiet;     /* -Q */
  gboolean is_readonly;  /* -r */
  gboolean no_header;    /* -n */
  gboolean parsable;     /* -p */
  gboolean parsable2;    /* -P */
  gboolean associations; /* -s */
  LkJsonChoice json;     /* of show */
} LkSacctmgrOptions;

/* Begins with the verb, ends with NULL. Returns: the exit code. */
typedef int (*LkSacctmgrRun) (LkClient *client, const LkSacctmgrOptions *options, char **words);

typedef struct {
  const char *name;
  const char *other_names; /* with blanks around; "" none */
  LkSacctmgrRun run;
  const char *help; /* of what is not implemented: why */
} LkSacctmgrVerb;

/* sacctmgr.c; ends with one without a name. */
extern const LkSacctmgrVerb lk_sacctmgr_verbs[];

/* sacctmgr_change.c: add, modify, delete. */
int lk_sacctmgr_change (LkClient *client, const LkSacctmgrOptions *options, char **words);
/* sacctmgr_jobs.c: what staff say of a job. `words` begin behind "job". */
int lk_sacctmgr_modify_job (LkClient *client, const LkSacctmgrOptions *options, char **words);
/* Whoever asks is asked, unless he has said -i before. */
gboolean lk_sacctmgr_confirms (LkClient *client, const LkSacctmgrOptions *options);
/* sacctmgr_active.c: tells which jobs have associations that go. FALSE: none has. */
gboolean lk_sacctmgr_active_tell (const LkClient *client, const LkAccounts *from,
                                  const LkAccounts *to);
/* sacctmgr_show.c: show. */
int lk_sacctmgr_show (LkClient *client, const LkSacctmgrOptions *options, char **words);
/* sacctmgr_events.c: what nodes were down. `words` are the conditions. */
int lk_sacctmgr_events (LkClient *client, const LkSacctmgrOptions *options, char **words);
/* sacctmgr_transactions.c: who has changed accounts. */
int lk_sacctmgr_transactions (LkClient *client, const LkSacctmgrOptions *options, char **words);
/* sacctmgr_found.c: keys that jobs have had, else what is amiss. `words` are the conditions. */
int lk_sacctmgr_found (LkClient *client, const LkSacctmgrOptions *options, gboolean is_wckey,
                       char **words);
/* sacctmgr_table.c: what these three have in common. */
struct sqlite3;
/* `take` has each word. FALSE: it does not know one; told. */
gboolean lk_sacctmgr_conditions_take (const LkClient *client, char **words,
                                      gboolean (*take) (gpointer self, const char *word),
                                      gpointer self);
/* `read` has the file of accounting. FALSE: there is none, or it fails; told. */
gboolean lk_sacctmgr_book_read (const LkClient *client,
                                gboolean (*read) (gpointer self, struct sqlite3 *db),
                                gpointer self);
typedef struct {
  const LkField *fields;
  const char *columns;  /* of them, with commas */
  gconstpointer report; /* what cells get beside their row */
  GPtrArray *rows;      /* of them, in their order */
} LkSacctmgrTable;
/* Returns: the exit code. */
int lk_sacctmgr_table_print (const LkClient *client, const LkSacctmgrOptions *options,
                             const LkSacctmgrTable *table);
/* sacctmgr_config.c: what accounting is made of. */
int lk_sacctmgr_config (LkClient *client, const LkSacctmgrOptions *options);
/* sacctmgr_dump.c: all accounts into a file, and out of one. */
int lk_sacctmgr_dump (LkClient *client, const LkSacctmgrOptions *options, char **words);
int lk_sacctmgr_load (LkClient *client, const LkSacctmgrOptions *options, char **words);
/* Verbs and options as tables for docs/commands.md. */
void lk_sacctmgr_markdown (GString *out);

#endif
