/* engine/engine_private.h — the engine's state, shared by the engine_*.c files only. */
#ifndef LK_ENGINE_ENGINE_PRIVATE_H
#define LK_ENGINE_ENGINE_PRIVATE_H

#include "engine/engine.h"
#include "engine/job_table.h"
#include "engine/rank.h"

/* What the jobs of one user have used, in processor-seconds: `ended` by those that ended, and for
 * the running ones what is needed to know it at any time: running_procs * now - running_start. */
typedef struct {
  guint32 user_id;
  guint64 running_procs;
  double ended_proc_s;
  double running_start_proc_s;
} LkUserUsage;

/* One instance of a policy. */
typedef struct {
  const LkPolicy *policy; /* NULL: this seam is not filled */
  const LkParamValues *values;
  void *self;
} LkInstance;

enum {
  LK_INSTANCE_ORDER,
  LK_INSTANCE_BACKFILL_ORDER,
  LK_INSTANCE_BACKFILL,
  LK_INSTANCE_SELECT,
  LK_INSTANCE_COUNT
};

struct _LkEngine {
  LkEngineConfig config;
  LkInstance instances[LK_INSTANCE_COUNT];
  gboolean order_dynamic;
  gboolean backfill_order_dynamic;

  LkView view; /* holds the master copy of units_free, counts and now */
  LkJobTable jobs;
  LkRank *queue;            /* by order policy */
  LkRank *backfill_queue;   /* by the backfill policy's order; NULL: it has none */
  LkRank *running;          /* by expected end */
  GArray *users;            /* of LkUserUsage, in the order they were first seen */
  LkIdMap user_index_by_id; /* from user id + 1 */

  guint32 held_count;
  guint32 job_id_last;
  gint64 wake_us;        /* asked of the driver and not yet come; LK_TIME_NEVER none */
  gint64 policy_wake_us; /* asked by the backfill policy in its last pass */
  gboolean changed;      /* since the last pass, in a way that a pass could act on */
  gboolean in_pass;

  guint64 event_count;
  guint64 decision_count;
  LkDigest digest;

  /* Valid while an event is applied. */
  const LkEvent *event;
  const LkSink *sink;
  GByteArray *scratch; /* the event's number and time, then its decisions as bytes */
  gsize decided_bytes; /* of scratch */
  guint32 decided_count;
};

/* engine.c */
void lk_engine_emit (LkEngine *self, const LkDecision *decision);
void lk_engine_emit_notice (LkEngine *self, LkJobIndex job, LkJobState state, LkReason reason);
/* Index into users, or LK_JOB_NONE when no job of the user has run. */
guint32 lk_engine_user_index (const LkEngine *self, guint32 user_id);
LkUserUsage *lk_engine_user (LkEngine *self, guint32 user_id);
double lk_engine_user_usage (const LkEngine *self, guint32 user_id);

/* engine_queue.c: a job enters and leaves the pending and running sets. */
void lk_engine_enqueue (LkEngine *self, LkJobIndex job);
void lk_engine_dequeue (LkEngine *self, LkJobIndex job);
void lk_engine_start (LkEngine *self, LkJobIndex job);
void lk_engine_end (LkEngine *self, LkJobIndex job);

/* engine_events.c */
void lk_engine_handle (LkEngine *self, const LkEvent *event);

/* engine_pass.c */
void lk_engine_pass (LkEngine *self);
/* Asks the driver for the next moment at which the engine must act by itself. */
void lk_engine_ask_wake (LkEngine *self);

#endif
