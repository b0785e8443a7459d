/* engine/policy.h — the whole world of a policy.
 *
 * A scheduler is a composition of policies, one for each seam.  A policy is a filled-in vtable:
 * built in, or exported by a shared object as its only symbol, `const LkPolicy *lk_policy_v1
 * (void)`; the same file serves the simulator and the live controller.  This header needs nothing
 * but the C standard types and compiles as C11 and as C++17.
 *
 * Rules for every slot of every vtable: - it is a pure function of its arguments and of the
 * policy's own state: no I/O, no clock, no thread, no libm, no
 *    random source, no mutable global, no address, locale or environment in a result;
 * - pointers received are borrowed for the call; the host may move what they point to as soon as
 * the call returns; - state that influences a result must pass through `save` and `load`. Slots are
 * only ever appended.  A host reads a slot only when the vtable's `size` covers it.
 *
 * Units: time and durations are int64 microseconds; capacity is counted in units, of which the
 * select policy says how many a job takes (for `pool` one unit is one processor). */
#ifndef LK_ENGINE_POLICY_H
#define LK_ENGINE_POLICY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_POLICY_ABI 1u
#define LK_POLICY_SYMBOL "lk_policy_v1"
#define LK_POLICY_NAME_MAX 31

/* A moment that never comes; also the duration of what has no end. */
#define LK_TIME_NEVER INT64_MAX

/* Dense index of a job that is in the system.  Indices are reused and depend on history: never
 * order by them. */
typedef uint32_t LkJobIndex;
#define LK_JOB_NONE UINT32_MAX

/* ---------------------------------------------------------------- what a policy may read */

/* Where a job is in its life. */
#define LK_PHASE_FREE 0u    /* the index is unused */
#define LK_PHASE_QUEUED 1u  /* pending and in the queue */
#define LK_PHASE_HELD 2u    /* pending, not in the queue */
#define LK_PHASE_RUNNING 3u /* started and not yet reported ended */

/* The jobs in the system, one array per property, indexed by LkJobIndex. */
typedef struct LkJobColumns {
  const uint32_t *id; /* given in order of submission; the last tie-break everywhere */
  const uint32_t *user_id;
  const uint32_t *group_id;
  const uint32_t *partition_id;
  const uint32_t *procs; /* processors asked for */
  const uint32_t *units; /* capacity it takes, as the select policy said */
  const int64_t *submit_us;
  const int64_t *estimate_us;     /* time limit */
  const int64_t *start_us;        /* meaningful while running */
  const int64_t *expected_end_us; /* start + estimate; meaningful while running */
  const uint8_t *phase;           /* LK_PHASE_* */
} LkJobColumns;

typedef struct LkView LkView;

/* Free capacity as a step function of time, for policies that plan ahead.  See engine/profile.h. */
typedef struct LkProfileOps {
  uint32_t size;
  uint32_t abi;
  void *(*create) (uint32_t capacity);
  void (*destroy) (void *profile);
  /* All capacity free for ever, from `now_us`. */
  void (*reset) (void *profile, int64_t now_us);
  /* Forgets what was before `now_us`. */
  void (*advance) (void *profile, int64_t now_us);
  void (*reserve) (void *profile, int64_t from_us, int64_t to_us, uint32_t units);
  void (*release) (void *profile, int64_t from_us, int64_t to_us, uint32_t units);
  /* Earliest t in [from_us, before_us) at which `units` are free for all of [t, min (t +
   * duration_us, stop_us)), else LK_TIME_NEVER.  `stop_us` LK_TIME_NEVER asks for the whole
   * duration. */
  int64_t (*earliest) (void *profile, uint32_t units, int64_t duration_us, int64_t from_us,
                       int64_t before_us, int64_t stop_us);
  /* Most units free at any moment of [from_us, to_us). */
  uint32_t (*units_max) (void *profile, int64_t from_us, int64_t to_us);
} LkProfileOps;

/* Services of the host that are pure functions. */
typedef struct LkHost {
  uint32_t size;
  uint32_t abi;
  double (*log2) (
      double x); /* the engine's own: the same bits on every machine; x <= 0 gives -infinity */
  double (*log10) (double x); /* likewise */
  double (*exp2) (double x);
  /* Processor-seconds used so far by the job's user: what ended plus what runs, up to now. O(1). */
  double (*user_usage) (const LkView *view, uint32_t user_id);
  /* The job with this id, or LK_JOB_NONE.  For `load`. O(1). */
  LkJobIndex (*job_by_id) (const LkView *view, uint32_t id);
  const LkProfileOps *profile;
} LkHost;

/* The state of the system at the moment of a call. */
struct LkView {
  uint32_t size;
  uint32_t units_total; /* capacity of the machine */
  uint32_t units_free;
  uint32_t pending_count; /* jobs in the queue (held ones are not in it) */
  uint32_t running_count;
  uint32_t job_index_limit; /* every LkJobIndex is below this */
  int64_t now_us;
  int64_t origin_us; /* submit time of the first job ever seen; LK_TIME_NEVER before it */
  const LkJobColumns *jobs;
  const LkHost *host;
  const void *engine; /* opaque; for the host's services */
};

/* ---------------------------------------------------------------- parameters */

/* Types of parameters, the `type` of LkParam. */
#define LK_PARAM_INTEGER 1u
#define LK_PARAM_REAL 2u
#define LK_PARAM_TEXT 3u
#define LK_PARAM_ORDER                                                                             \
  4u /* the name of an order policy, with its parameters in parentheses: "f1(origin_s=0)" */

/* One row of a policy's parameter table; the table ends with a row whose name is NULL.  The
 * configuration reader, `lockstep policy show`, the journal header and the documentation all read
 * this table. */
typedef struct LkParam {
  const char *name; /* [a-z0-9_]{1,31} */
  uint32_t type;
  const char *unit;          /* "s", "jobs", "" ... */
  const char *default_value; /* as the user would write it; NULL: must be given */
  double minimum;            /* of a number, inclusive */
  double maximum;
  const char *help; /* one sentence */
} LkParam;

typedef union LkParamValue {
  int64_t integer;
  double real;
  const char *text; /* of LK_PARAM_TEXT and LK_PARAM_ORDER */
} LkParamValue;

/* The values of one instance, in the order of the table. */
typedef struct LkParamValues {
  uint32_t size;
  uint32_t count;
  const LkParamValue *values;
  const LkHost *host; /* lives as long as the process */
} LkParamValues;

/* Where `create` says what is wrong with the values: a sentence without the policy's name. */
typedef struct LkPolicyError {
  char text[200];
} LkPolicyError;

/* ---------------------------------------------------------------- the common head of every
 * vtable */

#define LK_SEAM_ORDER 1u
#define LK_SEAM_BACKFILL 2u
#define LK_SEAM_SELECT 3u

/* Receives the bytes of a policy's state. */
typedef void (*LkPut) (void *sink, const void *bytes, uint32_t byte_count);

typedef struct LkPolicy {
  uint32_t abi;  /* LK_POLICY_ABI */
  uint32_t size; /* sizeof the seam's whole struct as compiled by the policy */
  uint32_t seam;
  uint32_t version;      /* raise it when a decision could change; goes into the journal header */
  const char *name;      /* [a-z0-9_]{1,31} */
  const char *summary;   /* one line, with the source of the definition */
  const LkParam *params; /* required; at least the closing row */

  /* A new instance. Required. Values are within the table's ranges. On failure fills `error` and
   * returns NULL. */
  void *(*create) (const LkParamValues *values, LkPolicyError *error);
  /* Required; NULL is allowed and ignored. */
  void (*destroy) (void *self);
  /* Writes the state that is not a function of configuration and view. Both NULL for a policy
   * without state.  Jobs are named by id, in a fixed order. */
  void (*save) (void *self, const LkView *view, LkPut put, void *sink);
  /* Takes over what `save` wrote, into a fresh instance, after the engine has been restored.
   * Returns 1, or 0 when the bytes are not what `save` writes (then the instance will be
   * destroyed). */
  int32_t (*load) (void *self, const LkView *view, const uint8_t *bytes, uint32_t byte_count);
} LkPolicy;

/* ---------------------------------------------------------------- seam: order */

/* In which order do pending jobs deserve to run? */
typedef struct LkOrderPolicy {
  LkPolicy base;
  /* Required, O(1). Higher goes first; ties by submit time, then id. */
  int64_t (*key) (void *self, const LkView *view, LkJobIndex job);
  /* 1 when keys change as time passes, so that the queue is put in order anew at each pass; asked
   * once, after `create`. NULL: a key, once given, holds until the job is changed. */
  int32_t (*is_dynamic) (void *self);
} LkOrderPolicy;

/* An int64 that orders as `value` does: for keys.  -0 equals +0; NaN goes below everything. */
static inline int64_t
lk_key_from_real (double value)
{
  int64_t bits;
  if (value != value)
    return INT64_MIN;
  if (value == 0.0)
    return 0;
  memcpy (&bits, &value, sizeof bits);
  return bits >= 0 ? bits : -(bits & INT64_MAX);
}

/* ---------------------------------------------------------------- seam: backfill */

#define LK_QUEUE_PRIORITY 0u /* pending jobs by the order policy */
#define LK_QUEUE_BACKFILL                                                                          \
  1u /* by the backfill policy's own order, when it has one; else the same as the first */

/* Which jobs `queue_next` stops at: units <= units_max and (estimate <= short_us or units <=
 * units_long_max). */
typedef struct LkQueueFilter {
  uint32_t units_max;
  uint32_t units_long_max;
  int64_t short_us;
} LkQueueFilter;

/* What a backfill policy may do and ask during a pass.  `pass` is the host's handle. */
typedef struct LkPassOps {
  uint32_t size;
  uint32_t abi;
  /* Starts a pending job now. Its units must be free. The view changes at once. Amortised O(sqrt
   * queue). */
  void (*start) (void *pass, LkJobIndex job);
  /* First job of a queue, or LK_JOB_NONE. O(1). */
  LkJobIndex (*queue_first) (void *pass, uint32_t queue);
  /* First job behind `after` (LK_JOB_NONE: from the front) that passes the filter (NULL: any), or
   * LK_JOB_NONE. `after` may have been started since, in this pass.  Skips whole blocks of jobs
   * that cannot pass. */
  LkJobIndex (*queue_next) (void *pass, uint32_t queue, LkJobIndex after,
                            const LkQueueFilter *filter);
  /* 1 when `a` comes before `b` in a queue; both are in it. O(1). */
  int32_t (*queue_before) (void *pass, uint32_t queue, LkJobIndex a, LkJobIndex b);
  /* When will `units` be free if every running job ends when expected (an overdue one now)?  Also
   * how many units are free at that moment, all ends at it counted.  LK_TIME_NEVER and 0 when units
   * exceed the machine. */
  int64_t (*shadow) (void *pass, uint32_t units, uint32_t *out_units_free);
  /* Running jobs by expected end, then submit time, then id: the one behind `after`, or
   * LK_JOB_NONE. */
  LkJobIndex (*running_next) (void *pass, LkJobIndex after);
  /* Asks for a pass no later than this, even if nothing happens before. */
  void (*wake) (void *pass, int64_t at_us);
} LkPassOps;

/* Who starts now, and who gets a reservation when? */
typedef struct LkBackfillPolicy {
  LkPolicy base;
  /* 1: only the head of the queue ever starts, so that a pass is of use only when it fits. */
  int32_t head_only;
  /* Required. Starts what may start now. Called once per pass event. */
  void (*pass) (void *self, const LkView *view, const LkPassOps *ops, void *pass);
  /* Optional, NULL when not needed. A job came into the queue (submitted, released). */
  void (*job_queued) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. A job is about to leave the queue without starting (cancelled, held). */
  void (*job_dequeued) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. A running job has ended; its columns can still be read. */
  void (*job_ended) (void *self, const LkView *view, LkJobIndex job);
  /* Optional. When a pending job is planned to start, or LK_TIME_NEVER. */
  int64_t (*planned_start_us) (void *self, const LkView *view, LkJobIndex job);
} LkBackfillPolicy;

/* ---------------------------------------------------------------- seam: select */

/* On what does a job run? */
typedef struct LkSelectPolicy {
  LkPolicy base;
  /* Required, O(1). Units of capacity that the job takes; 0 or more than the machine has: it can
   * never run and is rejected. Asked once, at submit. */
  uint32_t (*demand) (void *self, const LkView *view, LkJobIndex job);
} LkSelectPolicy;

#ifdef __cplusplus
}
#endif

#endif
