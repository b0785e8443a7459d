/* engine/policy_plan.h — part of engine/policy.h: the services by which a policy keeps a plan. */
#ifndef LK_ENGINE_POLICY_PLAN_H
#define LK_ENGINE_POLICY_PLAN_H

#include <stdint.h>

typedef struct LkView LkView;
typedef uint32_t LkJobIndex;

/* A plan: what runs, until its expected end, and reservations for pending jobs behind and beside
 * it. On a counted pool a reservation is so many units for a time; on a machine of nodes it is the
 * very nodes, cores, devices and memory that the select policy chose for that time, and licences.
 * A plan belongs to one policy, follows what runs by itself, and is not saved: see `save`. */
typedef struct LkPlanOps {
  uint32_t size;
  uint32_t abi;
  void *(*create) (const LkView *view);
  void (*destroy) (void *plan);
  /* Gives all reservations up, and takes what runs now as it stands. */
  void (*reset) (void *plan, const LkView *view);
  /* The same for who goes on with reservations that were saved: a job past its expected end holds
   * nothing, as it did in the plan that was saved. */
  void (*resume) (void *plan, const LkView *view);
  /* Forgets what was before now. */
  void (*advance) (void *plan, const LkView *view);
  /* Earliest t in [from_us, before_us) at which the job could start and have what it needs for as
   * long as its time limit, beside all others; a reservation it has itself does not count. Else
   * LK_TIME_NEVER. The place is remembered until the next call. `from_us` is not before now. */
  int64_t (*earliest) (void *plan, const LkView *view, LkJobIndex job, int64_t from_us,
                       int64_t before_us);
  /* 0: the job cannot start now beside all others, whatever place is looked for. Cheap; 1 promises
   * nothing. */
  int32_t (*may_start) (void *plan, const LkView *view, LkJobIndex job);
  /* Reserves the place that `earliest` has just found, from `start_us` on; takes the place of a
   * reservation that the job had. */
  void (*reserve) (void *plan, const LkView *view, LkJobIndex job, int64_t start_us);
  /* Gives the job's reservation up. */
  void (*release) (void *plan, const LkView *view, LkJobIndex job);
  /* Is what the job has reserved, from now or before on, free now? */
  int32_t (*is_free) (void *plan, const LkView *view, LkJobIndex job);
  /* A running job has ended; call it for every one, while its columns can be read. */
  void (*job_ended) (void *plan, const LkView *view, LkJobIndex job);
  /* Most units that are free at any moment of [from_us, to_us), or more: for filters. */
  uint32_t (*units_max) (void *plan, const LkView *view, int64_t from_us, int64_t to_us);
  /* Where the job's reservation is, as bytes, and the way back: `load` returns how many bytes it
   * used, or -1 when they are no such reservation or it is not free.  Nothing is written where the
   * start alone tells it. */
  void (*save) (void *plan, const LkView *view, LkJobIndex job,
                void (*put) (void *sink, const void *bytes, uint32_t byte_count), void *sink);
  int64_t (*load) (void *plan, const LkView *view, LkJobIndex job, int64_t start_us,
                   const uint8_t *bytes, uint32_t byte_count);
  /* Jobs of one likeness differ only in size and time limit: while one finds no place before a
   * moment, none does that is as large and runs as long. 0: the job is like no other. A size of 0:
   * what is free cannot be told in sizes. */
  uint64_t (*likeness) (void *plan, const LkView *view, LkJobIndex job, uint32_t *out_size_count);
  /* The largest size, above 0, that could find room at any moment of [from_us, to_us), or more. */
  uint32_t (*size_max) (void *plan, const LkView *view, int64_t from_us, int64_t to_us);
  /* The job's reservation does not count until it is put back. */
  void (*set_aside) (void *plan, const LkView *view, LkJobIndex job);
  /* 1: the reservation counts again. 0: some of its place has been reserved since for another; the
   * job has none any more, and its nodes are noted as given back. */
  int32_t (*put_back) (void *plan, const LkView *view, LkJobIndex job);
  /* The nodes on which something was given back by what ran, or by whose reservation was noted, as
   * words for the policy to read and to write; returns how many words, 0 on a counted pool. */
  uint32_t (*given) (void *plan, uint64_t **out_nodes);
  void (*note_given) (void *plan, const LkView *view, LkJobIndex job);
  /* 0: none of these nodes, nor of those given, could take part in a start in [from_us, before_us);
   * 1: perhaps. */
  int32_t (*may_gain) (void *plan, const LkView *view, LkJobIndex job, const uint64_t *nodes,
                       int64_t from_us, int64_t before_us);
  /* Adds the nodes of the job's reservation to a set; on a counted pool it does nothing. */
  void (*nodes_reserved) (void *plan, const LkView *view, LkJobIndex job, uint64_t *nodes);
  /* What was given back up to now, and since the call before this one, is offered for starts before
   * `before_us`; what is given while it is counts for this round and for the next one. */
  void (*offer_begin) (void *plan, const LkView *view, int64_t before_us);
  /* 0: of what is offered nothing is of use to a job of this likeness without a reservation that is
   * so large and runs so long, nor to any larger or longer one; 1: perhaps. */
  int32_t (*may_gain_like) (void *plan, const LkView *view, uint64_t likeness, uint32_t size_count,
                            int64_t duration_us);
  /* 1: the job's reservation is on nodes of which some cannot be used now. */
  int32_t (*is_lost) (void *plan, const LkView *view, LkJobIndex job);
  /* For how long anything is free from now on, next to all others: a job that runs longer, and that
   * has no reservation which begins before it would end, cannot start now.  0: nothing is free;
   * LK_TIME_NEVER: there is no such time, or it is not known. */
  int64_t (*free_for_us) (void *plan, const LkView *view);
} LkPlanOps;

#endif
