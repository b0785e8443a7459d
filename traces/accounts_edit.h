/* traces/accounts_edit.h — the options of sacctmgr: which there are, what their values look like,
 * and what they do to a QOS or an association.
 *
 * The one place that knows them, for dumps, scripts and pages of YAML.  An option may be written as
 * any beginning of its name that is long enough; of several that fit, the first in sacctmgr's order
 * is meant.  -1 takes a limit away; a list of TRES changes those that it names.
 *
 * Problems are texts without a place, (transfer full): "GrpJobs is 'x'; expected ...".  What is
 * refused has changed nothing.  Source: sacctmgr(1). */
#ifndef LK_TRACES_ACCOUNTS_EDIT_H
#define LK_TRACES_ACCOUNTS_EDIT_H

#include <glib.h>

#include "engine/accounts.h"
#include "traces/slurm_conf_lines.h"

/* Where an option may stand: bits. */
#define LK_OPTION_ON_QOS (1u << 0)
#define LK_OPTION_ON_ASSOCIATION (1u << 1) /* of an account, a user or the cluster */

typedef enum {
  LK_OPTION_LIMIT,
  LK_OPTION_IGNORED, /* of no use to who schedules */
  LK_OPTION_NAMES,   /* these five: of what is being spoken */
  LK_OPTION_ACCOUNTS,
  LK_OPTION_USERS,
  LK_OPTION_PARTITIONS,
  LK_OPTION_CLUSTERS,
  LK_OPTION_DEFAULT_ACCOUNT, /* these are for the caller too */
  LK_OPTION_PARENT,
  LK_OPTION_DESCRIPTION,
  LK_OPTION_ORGANIZATION,
  LK_OPTION_ADMIN_LEVEL,
  LK_OPTION_COORDINATES,
  LK_OPTION_SHARES,
  LK_OPTION_PRIORITY,
  LK_OPTION_QOS,
  LK_OPTION_DEFAULT_QOS,
  LK_OPTION_RAW_USAGE,
  LK_OPTION_FLAGS,
  LK_OPTION_USAGE_FACTOR,
  LK_OPTION_USAGE_THRESHOLD,
  LK_OPTION_LIMIT_FACTOR,
  LK_OPTION_GRACE,
  LK_OPTION_PREEMPT,
  LK_OPTION_PREEMPT_MODE,
  LK_OPTION_PREEMPT_EXEMPT,
} LkOptionEffect;

typedef struct {
  const char *name; /* as sacctmgr spells it */
  guint min_bytes;  /* letters that are enough */
  guint scope;      /* LK_OPTION_ON_* */
  LkOptionEffect effect;
  guint32 kind;     /* of limits */
  const char *tres; /* of limits of old names, which are about one TRES: "cpu"; NULL */
} LkAccountsOption;

/* KEY=VALUE; of lists of QOS and flags also KEY+=VALUE or KEY-=VALUE. */
typedef struct {
  const LkAccountsOption *option;
  char mark;   /* '=', '+' or '-' */
  char *value; /* without quotes around it */
} LkAccountsSetting;

/* NULL: there is none. */
const LkAccountsOption *lk_accounts_option_find (guint scope, const char *key, gsize key_bytes);
/* "unknown key 'x'" and the nearest one. Returns: (transfer full). */
char *lk_accounts_option_problem (guint scope, const char *key, gsize key_bytes);
/* Reads a word with a mark in it. Fills `out` on success; its value is (transfer full). */
gboolean lk_accounts_setting_read (guint scope, const char *word, LkAccountsSetting *out,
                                   char **out_problem);

/* The end of a word that goes on to one of `ends` outside quotes; NULL: a quote is open. */
const char *lk_accounts_word_end (const char *text, const char *ends);
/* Without the quotes around it. Returns: (transfer full). */
char *lk_accounts_unquote (const char *text);
/* The names of a list in lower case, without empty ones. Returns: (transfer full). */
char **lk_accounts_names_split (const char *text);
/* Puts a text in place of another. */
void lk_accounts_text_set (char **member, const char *text);

/* What an option does; those that are for the caller do nothing. */
gboolean lk_accounts_qos_apply (LkAccounts *accounts, LkQosSpec *spec,
                                const LkAccountsSetting *setting, char **out_problem);
gboolean lk_accounts_association_apply (LkAccounts *accounts, LkAssociationSpec *spec,
                                        const LkAccountsSetting *setting, char **out_problem);
/* Nobody coordinates accounts that are gone. */
void lk_accounts_coordinates_tidy (LkAccounts *accounts);
/* A limit of one TRES, or of none (`tres` NULL). */
gboolean lk_accounts_limit_set (LkAccounts *accounts, GArray *limits, guint32 kind,
                                const char *tres, const char *value, char **out_problem);
/* Index of a TRES, added when it is one that may be. LK_INDEX_NONE: it is none. */
guint32 lk_accounts_tres_take (LkAccounts *accounts, const char *name, char **out_problem);
/* Shares: a number, or parent, which is also Slurm's 2147483647. */
gboolean lk_accounts_shares_parse (const char *text, guint32 *out_shares);

/* Who names a QOS, beside those QOS that are `going` with it, and in which member; NULL: nobody. */
const void *lk_accounts_qos_user (const LkAccounts *accounts, const char *name, char *const *going,
                                  const char **out_member);

/* lk_accounts_check, and what it finds as "FILE:LINE: account 'x': ...". `lines` has the line of
 * each spec. */
gboolean lk_accounts_check_at (LkAccounts *accounts, const char *file, GHashTable *lines,
                               GError **error);
/* "account 'phys'", "user 'alice' of account 'phys'", "QOS 'high'", or "" for none. Returns:
 * (transfer full). */
char *lk_accounts_spec_title (const LkAccounts *accounts, const void *spec);

/* ---------------------------------------------------------------- what was done with a file */

/* A line of a dump or script that was read. */
typedef struct {
  guint line_number;
  gboolean is_understood; /* else it is about something that accounts do not have */
  char *key;              /* what is done with what: "add account", "User" */
  char *value;            /* the rest */
} LkAccountsLine;

/* Appends to `lines` (NULL: not wanted), which is of LkAccountsLine*. */
void lk_accounts_line_add (GPtrArray *lines, guint line_number, gboolean is_understood,
                           const char *key, const char *value);
/* Returns: (transfer full). */
GPtrArray *lk_accounts_lines_new (void);

#endif
