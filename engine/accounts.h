/* engine/accounts.h — the description of who may use a machine and how much: associations, QOS,
 * their limits, and how use is counted.
 *
 * A plain value, like the description of a machine (engine/cluster.h): readers build it (a YAML
 * page, a sacctmgr dump or script, slurm.conf), the engine takes its accounts from it, and the
 * journal carries its canonical text, which reads back to equal accounts; equal accounts have equal
 * texts.  It says what was granted; what is in use is the engine's state.
 *
 * Words and defaults are Slurm's (sacctmgr(1), resource_limits, qos, priority_multifactor). Values
 * of limits: counts; memory in MiB; walls and TRES-minutes in minutes. What is not set is not in
 * the list. */
#ifndef LK_ENGINE_ACCOUNTS_H
#define LK_ENGINE_ACCOUNTS_H

#include <glib.h>

#include "engine/policy.h"

/* More than any site has. */
#define LK_LIMIT_ASSOCIATIONS 4000000u
#define LK_LIMIT_QOS 65536u
#define LK_LIMIT_ACCOUNT_DEPTH 64u
#define LK_LIMIT_ACCOUNTS_TEXT_BYTES (256u * 1024 * 1024)

/* How much of each TRES. */
typedef struct {
  guint32 tres;
  double value;
} LkTresValue;

typedef struct {
  char *name;
  char *description;        /* "" */
  guint32 priority;         /* 0 */
  guint32 flags;            /* LkQosFlag */
  double usage_factor;      /* 1 */
  double usage_threshold;   /* -1: none */
  double limit_factor;      /* -1: none */
  GArray *limits;           /* of LkLimitItem, by kind, then TRES */
  char *preempt;            /* comma-separated names of QOS whose jobs it may preempt; "" */
  char *preempt_mode;       /* "" as the cluster */
  gint64 grace_us;          /* 0 */
  gint64 preempt_exempt_us; /* -1: as the cluster */
} LkQosSpec;

/* A node of the tree.  An account has no user. The first one is the root: account "root", no
 * parent.  Parents come before their children. */
typedef struct {
  char *account;
  char *parent;     /* of an account: that above; "" of the root and of users */
  char *user;       /* "" of accounts */
  char *partition;  /* "": any */
  guint32 shares;   /* 1; LK_SHARES_PARENT */
  guint32 priority; /* 0 */
  char *qos; /* which it may use: "": those of its parent; "a,b": these; "+a,-b": its parent's
                        and a, without b. Of the root "": all that there are */
  char *default_qos;   /* "": its parent's, else "normal" if it may use it */
  gboolean is_default; /* of a user: this is the account of jobs that name none */
  GArray *limits;      /* of LkLimitItem, by kind, then TRES */
  char *description;   /* of accounts; "" */
  char *organization;  /* of accounts; "" */
  char *admin_level;   /* of users: "", "Operator", "Administrator" */
  char *coordinates;   /* of users: "", "a,b": accounts; all of a user's associations count */
  /* What it has used when the run begins: of users, and counted for all above them. */
  double usage; /* raw usage, billing seconds */
  double usage_wall_s;
  GArray *usage_tres; /* of LkTresValue, in TRES-seconds, by TRES */
} LkAssociationSpec;

/* When use is set to 0. */
typedef enum {
  LK_RESET_NONE,
  LK_RESET_NOW, /* once, at the beginning */
  LK_RESET_DAILY,
  LK_RESET_WEEKLY, /* Sunday */
  LK_RESET_MONTHLY,
  LK_RESET_QUARTERLY,
  LK_RESET_YEARLY,
} LkResetPeriod;

/* How a job is billed for several TRES that have weights. */
typedef enum {
  LK_BILLING_SUM,
  LK_BILLING_MAX, /* the largest of cpu, memory, nodes and each gres; and the sum of the rest */
  LK_BILLING_MAX_GRES, /* the largest of cpu, memory and nodes; and the sum of the rest */
} LkBillingRule;

typedef struct {
  char *cluster;           /* its name; "cluster" */
  GPtrArray *tres;         /* of char*: the names; the first LK_TRES_FIXED are always the same */
  GPtrArray *qos;          /* of LkQosSpec*; a checked description has at least one */
  GPtrArray *associations; /* of LkAssociationSpec*, the root first */
  guint32 enforce;         /* LkEnforce: what follows from others is set too */
  guint32 compat;          /* LK_COMPAT_* */
  gint64 half_life_us;     /* PriorityDecayHalfLife; 0: use does not decay; 7 days */
  gint64 calc_period_us;   /* PriorityCalcPeriod; 5 min */
  LkResetPeriod reset;     /* PriorityUsageResetPeriod */
  gint64 utc_offset_s;     /* of local time, for resets; 0 */
  LkBillingRule billing;   /* PriorityFlags MAX_TRES, MAX_TRES_GRES */
  gboolean accrue_always;  /* PriorityFlags ACCRUE_ALWAYS */
  /* For the functions that find things by name; never iterated. */
  GHashTable *association_index;
  GHashTable *qos_index;
  GHashTable *coordinator_index; /* of lk_accounts_coordinates */
} LkAccounts;

/* ---------------------------------------------------------------- building */

/* With Slurm's defaults: the TRES that are always there, a QOS "normal", the root association with
 * user root below it; nothing is enforced. Returns: (transfer full). */
LkAccounts *lk_accounts_new (const char *cluster);
void lk_accounts_free (LkAccounts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkAccounts, lk_accounts_free)
/* Returns: (transfer full). */
LkAccounts *lk_accounts_copy (const LkAccounts *self);
/* The QOS and associations of one with the settings (all that is neither) of another, whose TRES
 * begin with those of the first. Returns: (transfer full). */
LkAccounts *lk_accounts_copy_with (const LkAccounts *trees, const LkAccounts *settings);

/* Append one with Slurm's defaults; an account whose `parent` is NULL is below the root. Returns:
 * (transfer none), to be filled: text members may be replaced by g_free and g_strdup. */
LkQosSpec *lk_accounts_add_qos (LkAccounts *self, const char *name);
LkAssociationSpec *lk_accounts_add_account (LkAccounts *self, const char *account,
                                            const char *parent);
LkAssociationSpec *lk_accounts_add_user (LkAccounts *self, const char *user, const char *account,
                                         const char *partition);
/* Index of a TRES, added when it is new: names are cpu, mem, gres/gpu, gres/gpu:a100, license/x ...
 * in lower case. LK_INDEX_NONE: there are LK_TRES_MAX already. */
guint32 lk_accounts_add_tres (LkAccounts *self, const char *name);
/* LK_INDEX_NONE: there is none of the name. */
guint32 lk_accounts_find_tres (const LkAccounts *self, const char *name);
/* NULL: none. O(1). */
LkQosSpec *lk_accounts_find_qos (const LkAccounts *self, const char *name);
/* NULL: none. `user` "" for the account itself, `partition` "" for any. Slurm's names of accounts
 * and users are in lower case; so are these. O(1). */
LkAssociationSpec *lk_accounts_find (const LkAccounts *self, const char *account, const char *user,
                                     const char *partition);

/* May a user act for the users of an account as its coordinator?  Those whom an account names, and
 * whom any account above it names: sacctmgr(1).  FALSE of accounts that are not there. O(depth). */
gboolean lk_accounts_coordinates (const LkAccounts *self, const char *user, const char *account);

/* To be called before anything is looked up when the arrays were changed by hand: things taken
 * out, put elsewhere, or given another name or other coordinators, also those added with an empty
 * one. */
void lk_accounts_reindex (LkAccounts *self);

/* Sets a limit of a list, or with `is_set` FALSE takes it away. */
void lk_limits_set (GArray *limits, guint32 kind, guint32 tres, gboolean is_set, guint64 value);
/* FALSE: it is not set. */
gboolean lk_limits_get (const GArray *limits, guint32 kind, guint32 tres, guint64 *out_value);

/* ---------------------------------------------------------------- tables */

typedef enum {
  LK_LIMIT_COUNT,
  LK_LIMIT_MINUTES,
  LK_LIMIT_TRES,
  LK_LIMIT_TRES_MINUTES
} LkLimitValue;
const char *lk_limit_kind_name (guint32 kind); /* as sacctmgr writes it: "GrpTRES" */
LkLimitValue lk_limit_kind_value (guint32 kind);
gboolean lk_limit_kind_on_association (guint32 kind);
gboolean lk_limit_kind_on_qos (guint32 kind);
const char *lk_qos_flag_name (guint bit); /* NULL: no such bit */
const char *lk_enforce_name (guint bit);
/* The words of an enumeration of LkAccounts, ended by NULL: of compat, reset and billing. */
const char *const *lk_compat_words (void);
const char *const *lk_reset_words (void);
const char *const *lk_billing_words (void);

/* ---------------------------------------------------------------- checking */

/* What is wrong, if anything. `spec` is the LkQosSpec or LkAssociationSpec (or NULL: the whole) in
 * which `member` stands, so that a reader can name the place. */
typedef struct {
  const void *spec;
  const char *member; /* as the C member is called: "parent" */
  char text[256];     /* what was found and what was expected, without the place */
} LkAccountsError;

/* Does it hang together: one root, every parent there and above its children (no cycle), no
 * association twice, at most one default account for a user, every QOS that is named there, a
 * default QOS among those that its association may use, TRES indices known, numbers in range,
 * accounts not deeper than LK_LIMIT_ACCOUNT_DEPTH?  Puts parents before their children (in the
 * order of the description otherwise) and sets what `enforce` implies. A user without a default
 * account gets its first one. */
gboolean lk_accounts_check (LkAccounts *self, LkAccountsError *out_error);

/* ---------------------------------------------------------------- canonical text */

/* One line per thing, every member named; see docs/formats.md. */
void lk_accounts_text (const LkAccounts *self, GString *out);
/* The way back. Trusts nothing. Returns: (transfer full), checked; or NULL with `out_error` (NULL:
 * not wanted). */
LkAccounts *lk_accounts_from_text (const char *text, gsize length_bytes,
                                   LkAccountsError *out_error);
/* The line of one spec, and the way back: it is appended, not indexed and not checked. NULL: it is
 * no such line, and a part of it may have been appended. */
void lk_accounts_qos_text (const LkAccounts *self, const LkQosSpec *spec, GString *out);
void lk_accounts_association_text (const LkAccounts *self, const LkAssociationSpec *spec,
                                   GString *out);
LkQosSpec *lk_accounts_qos_read (LkAccounts *self, const char *text, gsize length_bytes);
LkAssociationSpec *lk_accounts_association_read (LkAccounts *self, const char *text,
                                                 gsize length_bytes);
/* Which limit is KIND or KIND:TRES, as in that text?  The name is written over. FALSE: none. */
gboolean lk_accounts_limit_read (const LkAccounts *self, char *name, LkLimitItem *out_item);
/* The documentation of its members, as Markdown. */
void lk_accounts_markdown (GString *out);

#endif
