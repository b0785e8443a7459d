/* tests/property/brute.h — a naive scheduler that is meant to be obviously right.
 *
 * The reference that the engine is compared with.  It shares no code with the engine: plain
 * arrays, whole seconds, libm, every plan built anew from lists of intervals.  Cost is no concern.
 * Source: Mu'alem & Feitelson, IEEE TPDS 12(6) 2001 for EASY and conservative; Tang et al., Cluster
 * 2009 for WFP3 and UNICEF; Carastan-Santos & de Camargo, SC17 for F1 to F4.  Not here: anything
 * that is not counted processors (nodes, limits, preemption). */
#ifndef LK_TESTS_PROPERTY_BRUTE_H
#define LK_TESTS_PROPERTY_BRUTE_H

#include <stdint.h>

#define LK_BRUTE_JOBS_MAX 64
#define LK_BRUTE_NEVER_S INT64_MAX

typedef enum {
  LK_BRUTE_FIFO,
  LK_BRUTE_LIFO,
  LK_BRUTE_SJF,
  LK_BRUTE_LJF,
  LK_BRUTE_SMALLEST,
  LK_BRUTE_LARGEST,
  LK_BRUTE_SAF,
  LK_BRUTE_SEXP,
  LK_BRUTE_XFACTOR,
  LK_BRUTE_WFP3,
  LK_BRUTE_UNICEF,
  LK_BRUTE_F1,
  LK_BRUTE_F2,
  LK_BRUTE_F3,
  LK_BRUTE_F4,
  LK_BRUTE_ORDER_COUNT
} LkBruteOrder;

typedef enum {
  LK_BRUTE_NONE,
  LK_BRUTE_EASY,         /* the three steps of the paper */
  LK_BRUTE_RESERVATIONS, /* EASY with the first K blocked jobs protected */
  LK_BRUTE_CONSERVATIVE,
  LK_BRUTE_REPLAN,
} LkBruteBackfill;

/* Jobs come in ascending order of (submit, id), ids ascending too. */
typedef struct {
  int id;
  int procs;
  int user;
  int64_t submit_s;
  int64_t run_s;      /* at least 1 */
  int64_t estimate_s; /* at least 1; a job that runs longer is ended at it */
  int64_t cancel_s;   /* LK_BRUTE_NEVER_S: not cancelled */
} LkBruteJob;

typedef enum { LK_BRUTE_COMPLETED, LK_BRUTE_TIMEOUT, LK_BRUTE_CANCELLED } LkBruteState;

typedef struct {
  int64_t start_s; /* -1: never */
  int64_t end_s;   /* -1: never started */
  int backfilled;  /* 1: a job ahead in the queue was still waiting */
  LkBruteState state;
} LkBruteResult;

typedef struct {
  int procs;
  LkBruteOrder order;
  LkBruteOrder
      backfill_order; /* of the candidates of the two EASY kinds; `order` where there is no other */
  LkBruteBackfill backfill;
  int reservations; /* of LK_BRUTE_RESERVATIONS */
} LkBruteOptions;

/* Fills one result a job. Returns 1, or 0 when somewhere two scores that go through a logarithm
 * were so close that the last bits of libm decide: then several schedules are right. */
int lk_brute_schedule (const LkBruteOptions *options, const LkBruteJob *jobs, int job_count,
                       LkBruteResult *out_results);

/* The score of a job at `now_s`; lower goes first (what the literature maximises is negated). */
double lk_brute_score (LkBruteOrder order, const LkBruteJob *job, int64_t now_s,
                       int64_t first_submit_s);

/* "fifo", "lifo" ... */
const char *lk_brute_order_name (LkBruteOrder order);

#endif
