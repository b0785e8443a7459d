/* tests/policies/backfill_slurm_fixture.h — an engine under `slurm` on a few nodes, with the timers
 * and passes that it wants.
 *
 * Builds on tests/engine/node_fixture.h. Times are in seconds from the first submit. */
#ifndef LK_TESTS_BACKFILL_SLURM_FIXTURE_H
#define LK_TESTS_BACKFILL_SLURM_FIXTURE_H

#include "tests/engine/node_fixture.h"

static inline void
slurm_event (LkFixture *self, gint64 time_us, LkEventKind kind)
{
  LkEngineCounts counts;
  LkSink sink = { fixture_decide, self };
  LkEvent event = { .kind = kind, .time_us = time_us };
  lk_engine_counts (self->engine, &counts);
  event.seq = counts.event_count + 1;
  g_assert_cmpint (lk_engine_apply (self->engine, &event, &sink), ==, LK_STATUS_OK);
  lk_engine_check (self->engine);
}

/* All that happens by itself up to and at a moment: timers that the engine asked for, and passes
 * that it wants. Jobs do not end. */
static inline void
slurm_run (LkFixture *self, gint64 until_s)
{
  LkEngineCounts counts;
  lk_engine_counts (self->engine, &counts);
  gint64 now_us = counts.now_us;
  for (;;) {
    if (lk_engine_pass_wanted (self->engine))
      slurm_event (self, now_us, LK_EVENT_PASS);
    gint64 wake_us = lk_engine_wake_us (self->engine);
    if (wake_us > until_s * G_USEC_PER_SEC)
      return;
    now_us = MAX (now_us, wake_us);
    slurm_event (self, now_us, LK_EVENT_TIMER);
  }
}

static inline LkJobInfo
slurm_job (const LkFixture *self, guint32 id)
{
  LkJobInfo info;
  g_assert_true (lk_engine_job (self->engine, id, &info));
  return info;
}

/* When a job has started, or is planned to; -1: neither. */
static inline gint64
slurm_start_s (const LkFixture *self, guint32 id)
{
  LkJobInfo info = slurm_job (self, id);
  return info.start_us != LK_TIME_NEVER ? info.start_us / G_USEC_PER_SEC : -1;
}

#define slurm_assert_runs(self, id) g_assert_cmpint (slurm_job (self, id).state, ==, LK_JOB_RUNNING)
#define slurm_assert_waits(self, id, why)                                                          \
  do {                                                                                             \
    g_assert_cmpint (slurm_job (self, id).state, ==, LK_JOB_PENDING);                              \
    g_assert_cmpstr (lk_reason_name (slurm_job (self, id).reason), ==, why);                       \
  } while (0)

/* So many nodes n1, n2 ... of four cores; memory is not handed out. */
static inline LkCluster *
slurm_cluster (guint32 node_count)
{
  LkCluster *cluster = lk_cluster_new ("small");
  g_autofree char *names = g_strdup_printf ("n[1-%u]", node_count);
  cluster->memory = FALSE;
  node_fixture_add (cluster, names, 4, 8000);
  return cluster;
}

static inline void
slurm_init (LkFixture *self, LkCluster *cluster, const char *params)
{
  g_autofree char *backfill = g_strconcat ("slurm", params[0] != '\0' ? ":" : "", params, NULL);
  node_fixture_init (self, cluster, backfill, "cons_tres");
}

/* Cycles come at 0 and 30 s, and no loop of the background between them. */
#define SLURM_CYCLES "sched_phase=600000000,batch_sched_delay=600"

/* With these cycles and more parameters. */
static inline void
slurm_cycles (LkFixture *self, LkCluster *cluster, const char *params)
{
  g_autofree char *all = g_strconcat (SLURM_CYCLES, params[0] != '\0' ? "," : "", params, NULL);
  slurm_init (self, cluster, all);
}

/* A job of whole nodes. */
static inline void
slurm_submit (LkFixture *self, gint64 time_s, guint32 id, guint32 nodes, gint64 limit_s)
{
  g_autofree char *line = g_strdup_printf ("-N%u --exclusive", nodes);
  node_fixture_submit (self, time_s, id, limit_s, line);
}

#endif
