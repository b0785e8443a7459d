/* engine/book.h — the books of accounts at run time: who may use what, and what is in use.
 *
 * Made from an LkAccounts, which outlives it.  A holder is something whose use is counted: an
 * association, a QOS, a user within a QOS, an account within a QOS.  A job counts in several: its
 * association and all above, its QOS and its partition's, and in each of these QOS its user and
 * account.  Use that decays (raw usage, TRES-seconds, wall) is brought up to date in cycles by
 * engine_accounts.c; this file only keeps the numbers. */
#ifndef LK_ENGINE_BOOK_H
#define LK_ENGINE_BOOK_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/bytes.h"
#include "engine/id_map.h"
#include "engine/machine.h"

#define LK_HOLDER_MAX (LK_LIMIT_ACCOUNT_DEPTH + 8u)
#define LK_IN_QOS_USER 0u
#define LK_IN_QOS_ACCOUNT 1u

typedef struct {
  LkUse *use; /* does not move */
  guint64 *tres;
  guint64 *run_s;
  double *tres_s;
  guint32 *node_jobs; /* jobs of the holder on each node; NULL: nobody limits its nodes */
  gboolean no_decay;
  GArray *parked; /* LkJobIndex of jobs that wait for its use to fall; no order. NULL: none ever */
} LkHolder;

/* A user or an account in a QOS. */
typedef struct {
  guint32 which; /* LK_IN_QOS_* */
  guint32 qos;
  guint32 id;
} LkInQosKey;

/* What is booked for jobs without a time limit. */
#define LK_RUN_BOOKED_MAX_US (G_GINT64_CONSTANT (365) * 86400 * 1000000)

/* What is counted for one job. */
typedef struct {
  gint64 charged_us;    /* running: up to when it was charged */
  double billing;       /* each second */
  guint64 booked_run_s; /* in tres_run_s of its holders, for each unit of TRES */
  /* Of a parked job: where use has to fall, LK_INDEX_NONE: that does not help; and its place on
   * that list. */
  guint32 parked_holder;
  guint32 parked_place;
  guint8 is_accruing; /* it counts among the ageing jobs of its holders */
  guint8 is_timed;    /* it may start later although no job ends */
  guint8 is_there;    /* only what it would be given is too much, not what it asks for */
  guint8 reason_told; /* the limit's, in the last notice */
} LkJobCount;

typedef struct {
  const LkAccounts *spec;
  LkAccountsView view;
  LkAssociationView *associations;
  LkQosView *qos;
  GArray *limits; /* of LkLimitItem */
  guint32 tres_count;
  guint64 *tres_total; /* of the machine */
  char **tres_names;

  GHashTable *association_by_key; /* "account\nuser\npartition" to index + 1; looked up only */
  GHashTable *user_by_name;       /* to index + 1; looked up only */
  GArray *user_default;           /* of guint32: association by user, or LK_INDEX_NONE */
  GPtrArray *user_names;          /* borrowed from spec */
  GPtrArray *account_names;
  guint64 *qos_allowed; /* qos_words for each association */
  guint32 qos_words;
  guint32 *qos_default; /* by association; LK_INDEX_NONE: none */

  GPtrArray *holders;        /* of LkHolder*: associations, QOS, then users and accounts in QOS */
  GPtrArray *in_qos_uses;    /* of LkUse*, of the last */
  GArray *in_qos_keys;       /* of LkInQosKey, of the same */
  LkIdMap *in_qos[2];        /* for each QOS, holders by user + 1, and by account + 1 */
  gboolean any_node_limit;   /* on nodes in use */
  gboolean any_start_limit;  /* that could keep a job from starting */
  gboolean any_run_limit;    /* that could end a running job */
  gboolean any_accrue_limit; /* on ageing jobs */
  gboolean any_added;        /* associations besides those of root, which are always there */
  guint32 node_count;        /* of the machine; 0 on a counted pool */

  guint32 job_limit; /* entries of the following */
  guint64 *job_tres; /* tres_count for each job index */
  LkJobCount *job_counts;

  double decay_factor; /* of use in one second */
  double decay_log2;   /* its logarithm */
} LkBook;

/* Are jobs without an association refused?  Not before the first association is added: a cluster
 * that begins without accounts runs jobs until then. */
static inline gboolean
lk_book_enforces_associations (const LkBook *self)
{
  return self->any_added && (self->spec->enforce & LK_ENFORCE_ASSOCIATIONS) != 0;
}

/* `machine` NULL: a counted pool of `units_total` processors. Returns: (transfer full). */
LkBook *lk_book_new (const LkAccounts *spec, const LkMachine *machine, guint32 units_total);
void lk_book_free (LkBook *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkBook, lk_book_free)

/* book_change.c: the books of changed accounts go on from others with the same TRES, which lose
 * what is counted for jobs.  `association_from` and `qos_from` say which each one was there;
 * LK_INDEX_NONE: none.  Taken over is what was used, not what is in use by jobs. */
void lk_book_take_over (LkBook *self, LkBook *from, const guint32 *association_from,
                        const guint32 *qos_from);
/* What an association and all below it have used is forgotten. */
void lk_book_forget_use (LkBook *self, guint32 association);
/* What accounts have used is what their users have. */
void lk_book_sum_up (LkBook *self);

/* What decays, after so long: the factor. */
double lk_book_decay (const LkBook *self, gint64 duration_us);

/* ---------------------------------------------------------------- whose job is it? */

/* The association of a job; that for the partition wins over that for any. An empty account is the
 * user's default one. LK_INDEX_NONE: none. */
guint32 lk_book_find_association (const LkBook *self, LkText account, LkText user,
                                  const char *partition);
/* That of this very account, user and partition. LK_INDEX_NONE: none. */
guint32 lk_book_find_spec (const LkBook *self, const LkAssociationSpec *spec);
/* LK_INDEX_NONE: none of the name. */
guint32 lk_book_find_qos (const LkBook *self, LkText name);
gboolean lk_book_allows_qos (const LkBook *self, guint32 association, guint32 qos);

/* ---------------------------------------------------------------- holders */

static inline guint32
lk_book_association_holder (guint32 association)
{
  return association;
}
static inline guint32
lk_book_qos_holder (const LkBook *self, guint32 qos)
{
  return self->view.association_count + qos;
}
/* `which` LK_IN_QOS_*; LK_INDEX_NONE: nothing was ever in use there. */
guint32 lk_book_find_in_qos (const LkBook *self, guint32 which, guint32 qos, guint32 id);
/* The same, made when it is not there. */
guint32 lk_book_in_qos_holder (LkBook *self, guint32 which, guint32 qos, guint32 id);

static inline LkHolder *
lk_book_holder (const LkBook *self, guint32 holder)
{
  return g_ptr_array_index (self->holders, holder);
}

/* All holders in which a job of the association, QOS and partition QOS (LK_INDEX_NONE: none)
 * counts. Returns how many. */
guint lk_book_holders_of (LkBook *self, guint32 association, guint32 qos, guint32 partition_qos,
                          guint32 out_holders[LK_HOLDER_MAX]);

/* ---------------------------------------------------------------- jobs */

/* Adds what a node has. */
void lk_book_add_node (const LkBook *self, const LkMachine *machine, guint32 node, guint64 *tres);
/* The same for so many of a licence. */
void lk_book_add_license (const LkBook *self, const char *name, guint32 count, guint64 *tres);
/* Room for job indices below `limit`. */
void lk_book_reserve_jobs (LkBook *self, guint32 limit);
static inline guint64 *
lk_book_job_tres (const LkBook *self, guint32 job)
{
  return self->job_tres + (gsize)job * self->tres_count;
}

/* How much of each TRES a job asks for, as far as known before it is placed, to be compared with
 * limits; `request` NULL on a counted pool. */
void lk_book_tres_asked (const LkBook *self, const LkMachine *machine, LkRequest *request,
                         guint32 procs, guint64 *out_tres);
/* Slurm's ReqTRES, which priorities count: only the nodes and CPUs that the request names, and all
 * memory of the nodes for a job without --mem, whether memory is handed out or not. */
void lk_book_tres_requested (const LkBook *self, const LkMachine *machine, LkRequest *request,
                             guint64 *out_tres);
/* What it was given. */
void lk_book_tres_given (const LkBook *self, const LkMachine *machine, const LkRequest *request,
                         guint32 first_piece, guint64 *out_tres);

/* ---------------------------------------------------------------- snapshot */

/* Use of all holders; not what belongs to jobs. */
void lk_book_save (const LkBook *self, GByteArray *out);
/* `tres_count`: how many TRES the bytes count, at most as many as the book does. */
gboolean lk_book_load (LkBook *self, guint32 tres_count, LkBytesReader *reader);

#endif
