/* engine/preemption.h — what an engine keeps to displace jobs: what QOS and partitions say of it,
 * and what was begun.
 *
 * It is there only with a preempt policy that displaces anybody.  What QOS and partitions say is
 * read from the words of sacctmgr(1) and slurm.conf(5); of each job is kept how it is being
 * displaced, or since when others are on its behalf.  Who displaces whom is the policy's
 * (engine/policy.h), how victims are found engine/preempt_choose.h's. */
#ifndef LK_ENGINE_PREEMPTION_H
#define LK_ENGINE_PREEMPTION_H

#include <glib.h>

#include "engine/accounts.h"
#include "engine/bytes.h"
#include "engine/machine.h"
#include "engine/policy.h"

/* What was begun with a job. */
typedef struct {
  guint8 mode;       /* of a running one: how it is being displaced; LK_PREEMPT_OFF: it is not */
  gint64 preempt_us; /* since when; meaningful with a mode */
  gint64 claim_us;   /* of a waiting one: when room was last made for it; LK_TIME_NEVER: never */
} LkPreemptMark;

/* A job for which others go, in one pass. */
typedef struct {
  LkJobIndex job;
  guint32 first_piece; /* of its place; LK_PIECE_NONE on a pool */
  guint victim_first;  /* in the list of victims */
  guint victim_count;
} LkPreemptFor;

/* A place that is set aside in one pass; on nodes. */
typedef struct {
  LkJobIndex starts; /* the job that starts there, over others; LK_JOB_NONE: it is made free */
  guint32 first_piece;
} LkPreemptClaim;

typedef struct {
  LkPreemptSettings settings;
  LkPreemptTerms *qos; /* by QOS; NULL without accounts */
  guint64 *preempts;   /* qos_words for each QOS: the set of those it names */
  guint32 qos_count;
  guint32 qos_words;
  LkPreemptTerms *partitions;
  guint64 *meets; /* partition_words for each partition: the set of those with a node in common */
  guint32 partition_count;
  guint32 partition_words;

  LkPreemptMark *marks; /* by job index */
  guint32 *levels;      /* by job index: for the ranks */
  guint32 limit;        /* entries of both */
  gint64 wake_us;       /* when a pass might find room that none found before; LK_TIME_NEVER */

  /* Of one pass. */
  GArray *victims;        /* LkJobIndex, in the order in which they go */
  GArray *rooms;          /* of LkPreemptFor: for whom */
  GArray *claims;         /* of LkPreemptClaim, in the order of the queue */
  guint32 *claimed_first; /* their pieces by node, through next_on_node; NULL on a pool */
  guint32 units_claimed;  /* the same on a pool */
} LkPreemption;

/* NULL: the policy displaces nobody. `accounts` and `machine` may be NULL, and outlive self. */
LkPreemption *lk_preemption_new (const LkPreemptPolicy *policy, void *policy_self,
                                 const LkAccounts *accounts, const LkMachine *machine);
void lk_preemption_free (LkPreemption *self);
/* What QOS say is that of other accounts from here on. */
void lk_preemption_read_qos (LkPreemption *self, const LkAccounts *accounts);

/* Room for job indices below `limit`. */
void lk_preemption_reserve (LkPreemption *self, guint32 limit);

/* One mark as bytes, and back. */
void lk_preempt_mark_save (const LkPreemptMark *self, GByteArray *out);
gboolean lk_preempt_mark_load (LkPreemptMark *self, LkBytesReader *reader);

#endif
