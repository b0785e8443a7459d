/* tests/policies/orders_fixture.h — a queue of jobs that order policies can look at. */
#ifndef LK_TESTS_ORDERS_FIXTURE_H
#define LK_TESTS_ORDERS_FIXTURE_H

#include <glib.h>

#include "engine/policy.h"

#define ORDERS_JOBS_MAX 256

typedef struct {
  gint64 submit_us;
  gint64 estimate_us;
  guint32 procs;
  guint32 user_id;
  guint32 group_id;
  guint32 partition_id;
} OrdersJob;

typedef struct {
  LkView view;
  LkJobColumns columns;
  guint32 id[ORDERS_JOBS_MAX];
  guint32 user_id[ORDERS_JOBS_MAX];
  guint32 group_id[ORDERS_JOBS_MAX];
  guint32 partition_id[ORDERS_JOBS_MAX];
  guint32 procs[ORDERS_JOBS_MAX];
  gint64 submit_us[ORDERS_JOBS_MAX];
  gint64 estimate_us[ORDERS_JOBS_MAX];
} OrdersFixture;

/* The engine's functions; a user has used 1000 processor-seconds times the user's number. */
const LkHost *orders_host (void);

/* No jobs yet; the origin is 0. */
OrdersFixture *orders_fixture_new (gint64 now_us);
void orders_fixture_free (OrdersFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OrdersFixture, orders_fixture_free)

/* Ids count from 1. */
LkJobIndex orders_fixture_add (OrdersFixture *self, const OrdersJob *job);
/* Submitted and estimated in seconds. */
LkJobIndex orders_fixture_add_s (OrdersFixture *self, gint64 submit_s, gint64 estimate_s,
                                 guint32 procs);
/* The jobs j1 to j3 of semantics/09 section 2, at second 1000. */
OrdersFixture *orders_fixture_new_worked (void);

/* An instance with these values of its parameters; aborts when they are refused. */
void *order_new (const LkOrderPolicy *policy, const LkParamValue *values, guint value_count);
/* An instance with the defaults, of a policy whose parameters have some. */
void *order_new_default (const LkOrderPolicy *policy);

/* Ids in the order in which the jobs go: key, submit time, id.  Frees the instance. */
char *orders_fixture_sorted (const OrdersFixture *self, const LkOrderPolicy *policy,
                             void *instance);

#endif
