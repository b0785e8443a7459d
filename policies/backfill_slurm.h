/* policies/backfill_slurm.h — the parts of the backfill policy `slurm`.
 *
 * backfill_slurm.c         its parameters, its state, and when what runs
 * backfill_slurm_queue.c   in which order jobs are looked at
 * backfill_slurm_main.c    the main scheduling loop
 * backfill_slurm_cycle.c   the backfill cycle on a machine of nodes
 * backfill_slurm_pool.c    the same on a counted pool
 * backfill_slurm_het.c     heterogeneous jobs in both
 * backfill_slurm_slots.c   which nodes and licences are reserved when
 * backfill_slurm_licenses.c  which licences a job lacks
 * backfill_slurm_time_min.c  jobs that can do with less than their time limit
 * backfill_slurm_planned.c what users are told of it
 * backfill_slurm_builtin.c what they are told where there is no backfill
 *
 * Source: Slurm, slurm.conf(5), SchedulerParameters; job_scheduler.c and sched/backfill; the
 * semantics are told in docs/policy-backfill-slurm.md. */
#ifndef LK_POLICIES_BACKFILL_SLURM_H
#define LK_POLICIES_BACKFILL_SLURM_H

#include <glib.h>

#include "engine/policy.h"
#include "policies/state_bytes.h"

/* Slurm's SchedulerParameters of the same names; 0 means no limit, where one could be meant. */
typedef struct {
  int64_t bf_interval_us; /* below 0: no backfill */
  int64_t bf_window_us;
  int64_t bf_resolution_us;
  int64_t bf_max_job_test;
  int64_t bf_node_space_count;
  int64_t bf_max_job_start;
  int64_t bf_max_job_user;
  int64_t bf_max_job_assoc;
  int64_t bf_max_job_part;
  int64_t bf_max_job_user_part;
  int64_t bf_max_job_array_resv;
  int64_t bf_job_part_count_reserve;
  int64_t bf_min_age_reserve_us;
  int64_t bf_min_prio_reserve;
  int64_t bf_window_linear_us;
  int64_t bf_job_time_us;
  int64_t bf_hetjob_prio; /* LK_SLURM_HET_* */
  int64_t default_queue_depth;
  int64_t partition_job_depth;
  int64_t sched_max_job_start;
  int64_t sched_interval_us; /* below 0: no main loop */
  int64_t sched_min_interval_us;
  int64_t batch_sched_delay_us;
  int64_t tick_us;
  int64_t tick_phase_us;
  int64_t sched_phase_us;
  int64_t bf_phase_us;
  gboolean assoc_limit_stop;
  gboolean bf_licenses;
  gboolean bf_running_job_reserve;
  gboolean bf_one_resv_per_job;
  gboolean bf_hetjob_immediate;
  gboolean defer;
  gboolean slurm_window;
  gboolean is_builtin; /* nothing is backfilled, but what may be expected is told */
  gboolean is_old;     /* rules of 22.05 and before */
} LkSlurmSettings;

typedef struct {
  LkSlurmSettings settings;
  int64_t *planned_us;      /* by job index; LK_TIME_NEVER: not planned */
  uint64_t **planned_nodes; /* where: words of a set of nodes; NULL: not known. Only to be told */
  uint32_t *planned_hets;   /* id of a component of a heterogeneous job; 0: a job of the queue */
  uint32_t limit;           /* entries of the two */
  /* When what ran; valid once `is_begun`. */
  int64_t full_us;  /* last full main loop */
  int64_t sched_us; /* last main loop of the background */
  int64_t run_us;   /* last main loop of all */
  int64_t cycle_us; /* last backfill cycle */
  int64_t cost_us;  /* how long the last cycle is taken to have lasted */
  int64_t next_us;  /* the next one, should nothing happen before; LK_TIME_NEVER: none */
  int64_t flag_us;  /* since when a main loop is wanted; LK_TIME_NEVER: it is not */
  int64_t wake_us;  /* what was asked for; LK_TIME_NEVER: nothing */
  gboolean is_begun;
  gboolean is_told;    /* of a change since the last pass */
  gboolean is_due;     /* a main loop is wanted at once */
  gboolean full_dirty; /* something has changed that the main loop has not seen in full */
  gboolean cycle_dirty;
  gboolean has_pending; /* behind the last pass */
} LkSlurm;

/* ---------------------------------------------------------------- what is planned */

/* Makes room for all jobs. */
void lk_slurm_planned_ready (LkSlurm *self, const LkView *view);
void lk_slurm_planned_clear (LkSlurm *self);
/* The job is not planned to start; or it is, on these nodes (NULL: on a counted pool). */
void lk_slurm_planned_forget (LkSlurm *self, LkJobIndex job);
void lk_slurm_planned_note (LkSlurm *self, const LkView *view, LkJobIndex job, int64_t start_us,
                            const uint64_t *nodes);
/* The same of a component of a heterogeneous job. */
void lk_slurm_planned_note_het (LkSlurm *self, const LkView *view, LkJobIndex job, int64_t start_us,
                                const uint64_t *nodes);
/* The slots of LkBackfillPolicy. */
int64_t lk_slurm_planned_start_us (void *user, const LkView *view, LkJobIndex job);
void lk_slurm_planned_nodes (void *user, const LkView *view, LkJobIndex job, uint64_t *nodes);
void lk_slurm_planned_save (const LkSlurm *self, const LkView *view, const LkStateSink *out);
/* FALSE: the bytes are no such state. */
gboolean lk_slurm_planned_load (LkSlurm *self, const LkView *view, LkStateSource *source);

/* ---------------------------------------------------------------- passes */

/* A pass that is under way. */
typedef struct {
  LkSlurm *self;
  const LkView *view;
  const LkPassOps *ops;
  void *pass;
  uint32_t words; /* of a set of nodes; 0 on a counted pool */
} LkSlurmCall;

/* ---------------------------------------------------------------- the queue */

/* A job that is to be looked at, in one of the partitions that it named. */
typedef struct {
  LkJobIndex job;
  uint32_t place;      /* of the partition, from 1 on; 0: it named only one */
  uint32_t priority;   /* there; with several partitions */
  gboolean is_limited; /* a limit keeps it from starting (only with assoc_limit_stop) */
  gboolean is_later;   /* one of its records came before this */
} LkSlurmRecord;

typedef struct {
  const LkSlurmCall *call;
  GArray *records;         /* of LkSlurmRecord, in order; NULL: as the queue has them */
  gboolean has_priorities; /* records are ordered by their priority */
  gboolean has_preemption; /* jobs may displace others, and go before these */
  guint at;
  LkJobIndex last;     /* handed out last */
  uint32_t task_count; /* that it stood for, where records are kept */
} LkSlurmQueue;

void lk_slurm_queue_init (LkSlurmQueue *self, const LkSlurmCall *call);
void lk_slurm_queue_clear (LkSlurmQueue *self);
/* The next job, which from here on is looked at in the partition of its record. */
gboolean lk_slurm_queue_next (LkSlurmQueue *self, LkSlurmRecord *out_record);
/* Once more, behind what has looked at others. FALSE: it waits no more, or not for that partition.
 */
gboolean lk_slurm_queue_visit (const LkSlurmCall *call, const LkSlurmRecord *record);

/* May the job, if it cannot start, keep others from starting? By its age (bf_min_age_reserve) and
 * its priority (MinPrioThreshold of its QOS or association, bf_min_prio_reserve). */
gboolean lk_slurm_may_reserve (const LkSlurmCall *call, LkJobIndex job);

/* ---------------------------------------------------------------- loops */

/* Returns how many jobs it started; `out_says_all`: another one would find, and tell, nothing
 * new. */
uint32_t lk_slurm_main_loop (const LkSlurmCall *call, gboolean is_full, gboolean *out_says_all);

/* One backfill cycle. Returns how many jobs it tested; `out_has_started`: some have started. */
int64_t lk_slurm_cycle (const LkSlurmCall *call, gboolean *out_has_started);

/* What takes its place under sched/builtin: looks when jobs may be expected to start. */
void lk_slurm_builtin_cycle (const LkSlurmCall *call);

/* ---------------------------------------------------------------- slots */

/* The machine's own instruction cannot be counted on, and the call that stands for it is slow. */
static inline uint32_t
lk_slurm_bits_count (const guint64 *bits, uint32_t words)
{
  uint32_t count = 0;
  for (uint32_t word = 0; word < words; word++) {
    guint64 x = bits[word];
    x -= (x >> 1) & G_GUINT64_CONSTANT (0x5555555555555555);
    x = (x & G_GUINT64_CONSTANT (0x3333333333333333))
        + ((x >> 2) & G_GUINT64_CONSTANT (0x3333333333333333));
    x = (x + (x >> 4)) & G_GUINT64_CONSTANT (0x0f0f0f0f0f0f0f0f);
    count += (uint32_t)((x * G_GUINT64_CONSTANT (0x0101010101010101)) >> 56);
  }
  return count;
}

/* Time-ordered slots, each with the nodes, and with bf_licenses the licences by kind, that nobody
 * has reserved. */
typedef struct {
  int64_t begin_us;
  int64_t end_us;
  guint64 *nodes;
  uint32_t *licenses; /* NULL: they are not planned */
  uint32_t node_count;
  gboolean gives_back; /* the next slot has nodes that this has not */
} LkSlurmSlot;

typedef struct {
  GArray *slots; /* of LkSlurmSlot, without gaps */
  uint32_t words;
  uint32_t license_count; /* kinds; 0: they are not planned */
  gboolean gives_up; /* as up to 22.05: where no nodes come back during a try, it is the last */
} LkSlurmSlots;

/* What is reserved. */
typedef struct {
  const guint64 *nodes;
  const uint32_t *licenses; /* by kind; NULL: none */
} LkSlurmHold;

void lk_slurm_slots_init (LkSlurmSlots *self, const guint64 *nodes, uint32_t words,
                          int64_t begin_us, int64_t end_us);
void lk_slurm_slots_clear (LkSlurmSlots *self);
/* Plans these licences, too; nothing is reserved yet. */
void lk_slurm_slots_plan_licenses (LkSlurmSlots *self, const uint32_t *licenses, uint32_t count);
/* The first moment, not before `from`, at which no slot that meets [from, from + duration] has less
 * than these licences; LK_TIME_NEVER: there is none in the table. */
int64_t lk_slurm_slots_licensed_us (const LkSlurmSlots *self, int64_t from_us, int64_t duration_us,
                                    const uint32_t *licenses);
/* Takes out of `nodes` what is reserved at a moment of [from, from + duration], as long as
 * `least_count` are left, and returns from when on there could be others: the first slot ends after
 * that moment, with some of these nodes being given back.  Moments from which there are too few
 * nodes whatever is given back before are left out.  LK_TIME_NEVER: there is none. */
int64_t lk_slurm_slots_limit (const LkSlurmSlots *self, int64_t from_us, int64_t duration_us,
                              uint32_t least_count, guint64 *nodes);
/* Is some of it reserved at a moment of [from, to)? */
gboolean lk_slurm_slots_overlap (const LkSlurmSlots *self, int64_t from_us, int64_t to_us,
                                 const LkSlurmHold *hold);
/* Licences that are not left are not counted. */
void lk_slurm_slots_reserve (LkSlurmSlots *self, int64_t from_us, int64_t to_us,
                             const LkSlurmHold *hold);

/* ---------------------------------------------------------------- licences */

/* What jobs need of licences while a cycle plans them; `count` is 0 where it does not. */
typedef struct {
  uint32_t count;     /* kinds */
  uint32_t *needed;   /* by the job at hand */
  uint32_t *reserved; /* kept from it by advance reservations */
  uint32_t *both;
  gboolean has_needs; /* it needs any */
} LkSlurmLicenses;

/* Begins to plan licences in the slots. */
void lk_slurm_licenses_init (LkSlurmLicenses *self, const LkSlurmCall *call, LkSlurmSlots *slots);
void lk_slurm_licenses_clear (LkSlurmLicenses *self);
/* The job at hand, pending or running. Returns its needs; NULL: none. */
const uint32_t *lk_slurm_licenses_of (LkSlurmLicenses *self, const LkSlurmCall *call,
                                      LkJobIndex job);
/* When the job at hand is to be looked at again for its licences, should it start at `from_us`;
 * that moment itself: it has them. */
int64_t lk_slurm_licenses_later_us (LkSlurmLicenses *self, const LkSlurmCall *call, LkJobIndex job,
                                    const LkSlurmSlots *slots, int64_t from_us);

/* ---------------------------------------------------------------- a counted pool */

/* Units that are free from a moment on, until the next step. */
typedef struct {
  int64_t at_us;
  int64_t units_free; /* below 0: times are rounded */
} LkSlurmStep;

/* What runs until its expected end, and what is reserved. */
GArray *lk_slurm_pool_new (const LkSlurmCall *call);
/* When so many units are free for so long; the last moment counts only where it is reserved. */
int64_t lk_slurm_pool_earliest_us (const GArray *steps, int64_t units, int64_t duration_us);
void lk_slurm_pool_reserve (GArray *steps, int64_t from_us, int64_t to_us, int64_t units);

/* How long that many units are free beside what is in the table; LK_TIME_NEVER: for ever. */
int64_t lk_slurm_pool_free_us (const GArray *steps, int64_t now_us, int64_t units);

/* ---------------------------------------------------------------- least time limits */

/* How long the started job may run so that it leaves the slots what is reserved there: in whole
 * minutes, LK_TIME_NEVER: as long as it wants.  Licences by kind; NULL: none are planned. */
int64_t lk_slurm_slots_room_us (const LkSlurmSlots *self, int64_t now_us, const LkSlurmHold *hold);
/* The job, or task, that has just started with its least limit gets as much as leaves others what
 * is planned for them in the slots, or in a pool's steps (else NULL).  Returns its limit. */
int64_t lk_slurm_lengthen (const LkSlurmCall *call, const LkSlurmSlots *slots, const GArray *steps,
                           const uint32_t *licenses, LkJobIndex job);

/* ---------------------------------------------------------------- heterogeneous jobs */

/* bf_hetjob_prio: where a job stands. */
enum { LK_SLURM_HET_FIRST, LK_SLURM_HET_MIN, LK_SLURM_HET_AVG, LK_SLURM_HET_MAX };

typedef struct {
  uint32_t is_inside; /* 1: it asks for an advance reservation */
  uint32_t tier;
  uint32_t priority;
  LkJobIndex first; /* component */
} LkSlurmHetStand;

/* In which order a cycle comes to them, and where they stand among the jobs of the queue. */
typedef struct {
  const LkSlurmCall *call;
  GArray *entries; /* NULL: where the first component stands */
  uint32_t count;
  uint32_t at;
} LkSlurmHetOrder;

void lk_slurm_het_order_init (LkSlurmHetOrder *self, const LkSlurmCall *call);
void lk_slurm_het_order_clear (LkSlurmHetOrder *self);
/* The place, for LkPassOps, of the one at hand. */
uint32_t lk_slurm_het_order_place (const LkSlurmHetOrder *self);
/* Does the one at hand, with its first component, come before the job (LK_JOB_NONE: yes)? */
gboolean lk_slurm_het_order_is_before (const LkSlurmHetOrder *self, LkJobIndex first,
                                       LkJobIndex job);

/* What the cycle says of a component. */
typedef struct {
  /* Counts it. FALSE: there have been as many of its kind as may be. */
  gboolean (*counts) (gpointer cycle, LkJobIndex job);
  /* Is it to start now or not at all? */
  gboolean (*is_now_only) (gpointer cycle, LkJobIndex job);
  /* Is there room for that many reservations more? Without it the cycle is over. */
  gboolean (*has_room) (gpointer cycle, uint32_t count);
  void (*note_reserved) (gpointer cycle, LkJobIndex job);
} LkSlurmHetRules;

/* Those that a cycle looks at. */
typedef struct {
  const LkSlurmCall *call;
  const LkSlurmHetRules *rules;
  gpointer cycle;
  LkSlurmSlots *slots;
  GArray *steps; /* of a counted pool; else NULL */
  int64_t end_us;
  LkSlurmHetOrder order;
  LkJobIndex *jobs; /* the components of the one at hand */
  uint32_t count;
  guint64 *nodes;       /* that a component could have */
  guint64 *planned;     /* where each component would be, one set behind the other */
  uint32_t *partitions; /* and in which of the partitions that it named, from 1 on */
  GArray *due;          /* those that start when all others have been looked at */
  gboolean has_started;
} LkSlurmHets;

/* `self` has its call, rules, cycle, slots, steps and end. */
void lk_slurm_hets_init (LkSlurmHets *self);
/* Plans those that stand before a job of the queue (LK_JOB_NONE: all).  Returns how many components
 * were tested. */
int64_t lk_slurm_hets_before (LkSlurmHets *self, LkJobIndex before);
/* Starts those that are due. Returns whether any has started in this cycle. */
gboolean lk_slurm_hets_end (LkSlurmHets *self);
/* For the main loop: the components of the next one, from `place` on, that stands before the job;
 * 0: there is none. */
uint32_t lk_slurm_het_components (const LkSlurmCall *call, uint32_t *place, LkJobIndex before,
                                  const LkJobIndex **out_jobs);

/* ---------------------------------------------------------------- times */

static inline int64_t
lk_slurm_add_us (int64_t time_us, int64_t duration_us)
{
  int64_t sum_us;
  if (!__builtin_add_overflow (time_us, duration_us, &sum_us))
    return sum_us;
  return duration_us > 0 ? LK_TIME_NEVER : INT64_MIN;
}

/* How long after another a moment is; likewise. */
static inline int64_t
lk_slurm_since_us (int64_t time_us, int64_t before_us)
{
  int64_t since_us;
  if (!__builtin_sub_overflow (time_us, before_us, &since_us))
    return since_us;
  return time_us > before_us ? LK_TIME_NEVER : INT64_MIN;
}

/* Down to a multiple. */
static inline int64_t
lk_slurm_floor_us (int64_t time_us, int64_t by_us)
{
  int64_t rest_us = time_us % by_us;
  if (rest_us < 0)
    rest_us += by_us;
  return time_us < INT64_MIN + rest_us ? INT64_MIN : time_us - rest_us;
}

#define LK_SLURM_SECOND_US INT64_C (1000000)

/* The interval that a job's reservation takes, from a whole second, as Slurm's moments are: rounded
 * to bf_resolution, the end up (as Slurm does now) or down (as it did up to 22.05), and at least
 * one slot. */
static inline void
lk_slurm_interval (const LkSlurmSettings *settings, int64_t start_us, int64_t duration_us,
                   int64_t *out_begin_us, int64_t *out_end_us)
{
  int64_t resolution_us = settings->bf_resolution_us;
  int64_t end_us = lk_slurm_add_us (lk_slurm_floor_us (start_us, LK_SLURM_SECOND_US), duration_us);
  if (!settings->is_old)
    end_us = lk_slurm_add_us (end_us, resolution_us - 1);
  *out_begin_us = lk_slurm_floor_us (start_us, resolution_us);
  *out_end_us = end_us == LK_TIME_NEVER ? end_us : lk_slurm_floor_us (end_us, resolution_us);
  if (*out_end_us <= *out_begin_us)
    *out_end_us = *out_begin_us + resolution_us;
}

#endif
