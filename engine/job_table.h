/* engine/job_table.h — the jobs in the system, one array per property.
 *
 * A job has an index as long as it is in the system; the index of one that has left is given to a
 * later one.  Columns that policies may read are in LkJobColumns and are reached through `columns`;
 * both views share the same memory. Ids only grow, and no index is ever ordered by. */
#ifndef LK_ENGINE_JOB_TABLE_H
#define LK_ENGINE_JOB_TABLE_H

#include <glib.h>

#include "engine/id_map.h"
#include "engine/life.h"
#include "engine/policy.h"
#include "engine/terms.h"

#define LK_HELD_BY_NOBODY 0u
#define LK_HELD_BY_USER 1u
#define LK_HELD_BY_ADMIN 2u
#define LK_HELD_FOR_FAILURES 3u    /* it could not be launched too often */
#define LK_HELD_FOR_CONSTRAINTS 4u /* it was tried, and can never run */

/* Every column: C (type, name, in a snapshot). */
#define LK_JOB_COLUMNS(C)                                                                          \
  LK_JOB_OWN_COLUMNS (C)                                                                           \
  LK_JOB_ACCOUNT_COLUMNS (C)

/* What matters only with accounts, nodes, or an order that follows the age of jobs: without them
 * (`is_plain`) they keep their first values and cost nothing. */
#define LK_JOB_ACCOUNT_COLUMNS(C)                                                                  \
  C (guint32, association, u32)                                                                    \
  C (guint32, qos, u32)                                                                            \
  C (guint32, partition, u32)                                                                      \
  C (gint64, nice, i64)                                                                            \
  C (gint64, site_factor, i64)                                                                     \
  C (guint32, direct_priority, u32)                                                                \
  C (gint64, accrue_us, i64)

#define LK_JOB_OWN_COLUMNS(C)                                                                      \
  C (guint32, id, u32)                                                                             \
  C (guint32, user_id, u32)                                                                        \
  C (guint32, group_id, u32)                                                                       \
  C (guint32, partition_id, u32)                                                                   \
  C (guint32, procs, u32)                                                                          \
  C (guint32, units, u32)                                                                          \
  C (gint64, submit_us, i64)                                                                       \
  C (gint64, estimate_us, i64)                                                                     \
  C (gint64, start_us, i64)                                                                        \
  C (gint64, expected_end_us, i64)                                                                 \
  C (gint64, rank_key, i64)                                                                        \
  C (gint64, backfill_rank_key, i64)                                                               \
  C (gint64, begin_us, i64)                                                                        \
  C (guint8, phase, u8)                                                                            \
  C (guint8, hold_reason, u8)  /* LkReason: held, why */                                           \
  C (guint8, held_by, u8)      /* LK_HELD_BY_* */                                                  \
  C (guint8, stuck_reason, u8) /* LkReason: why it can never run as things are */                  \
  C (guint8, kill_why, u8)                                                                         \
  C (guint32, array_job_id, u32) /* 0: of no array */                                              \
  C (guint32, array_task, u32)   /* which task of it; LK_TASK_NONE: all that wait */               \
  C (guint8, wait_noted, u8)     /* LK_WAIT_*: why a queued job waits */                           \
  C (guint8, reason_left, u8)    /* LkReason + 1: shown until the next look; 0: the true one is */

/* Columns of a machine of nodes, which a snapshot holds in a form of its own: C (type, name). */
#define LK_JOB_PLACE_COLUMNS(C)                                                                    \
  C (guint32, request)       /* index in the machine's requests */                                 \
  C (guint32, first_piece)   /* of a running job; LK_PIECE_NONE */                                 \
  C (guint32, array_place)   /* of a task that is a job of its own, in LkArray.members */          \
  C (guint32, array_rank)    /* the task as which it ranks: engine_array_rank.c */                 \
  C (guint8, in_reservation) /* 1: it asks for an advance reservation */

typedef struct {
#define C(type, name, wire) type *name;
  LK_JOB_COLUMNS (C)
#undef C
#define C(type, name) type *name;
  LK_JOB_PLACE_COLUMNS (C)
#undef C
  LkTerms **terms;      /* owned; NULL: none. In a snapshot behind the columns */
  LkLife **lives;       /* likewise, behind the terms */
  LkJobColumns columns; /* what policies see of the above */
  LkIdMap index_by_id;
  GArray *free_indices; /* of LkJobIndex; the last one is given out next */
  guint32 limit;        /* indices ever given are below this */
  guint32 capacity;
  guint32 count; /* jobs in the table */
  gboolean is_plain;
} LkJobTable;

void lk_job_table_init (LkJobTable *self);
void lk_job_table_clear (LkJobTable *self);
/* A zeroed row for a new job. Arrays may move. */
LkJobIndex lk_job_table_add (LkJobTable *self, guint32 id);
void lk_job_table_remove (LkJobTable *self, LkJobIndex job);
/* Indices of all jobs by rising id. Cost O(jobs log jobs). Returns: (transfer full), of
 * LkJobIndex. */
GArray *lk_job_table_sorted (const LkJobTable *self);

#endif
