/* engine/pass_nodes.h — what a backfill policy that thinks in sets of nodes may ask during a pass:
 * the slots of LkPassOps (engine/policy.h) that deal with nodes and with the reasons of jobs. */
#ifndef LK_ENGINE_PASS_NODES_H
#define LK_ENGINE_PASS_NODES_H

#include "engine/engine.h"
#include "engine/policy.h"

const uint64_t *lk_pass_nodes_usable (void *pass);
const uint64_t *lk_pass_nodes_of_partition (void *pass, uint32_t partition);
const uint64_t *lk_pass_nodes_eligible (void *pass, LkJobIndex job);
const uint64_t *lk_pass_nodes_required (void *pass, LkJobIndex job);
void lk_pass_nodes_of_job (void *pass, LkJobIndex job, uint64_t *nodes);
int32_t lk_pass_licenses_free (void *pass, LkJobIndex job);
uint32_t lk_pass_license_count (void *pass);
void lk_pass_licenses_of (void *pass, LkJobIndex job, uint32_t *counts);
int64_t lk_pass_licenses_reserved (void *pass, LkJobIndex job, int64_t from_us, uint32_t *counts);
int64_t lk_pass_leave_out_reserved (void *pass, LkJobIndex job, int64_t from_us, uint64_t *nodes);
uint32_t lk_pass_priority (void *pass, LkJobIndex job);
void lk_pass_note_reason (void *pass, LkJobIndex job, uint32_t reason);

/* Could the job start now on these nodes? LK_TRY_STARTED: yes, and the plan without reservations
 * has found where. */
uint32_t lk_pass_find_now (LkEngine *self, LkJobIndex job, const uint64_t *nodes);

/* engine/will_run.c */
int64_t lk_pass_will_run (void *pass, LkJobIndex job, const LkWillRun *ask, uint64_t *out_nodes);

/* LK_WAIT_* as a reason. */
LkReason lk_wait_reason (uint32_t noted);

#endif
