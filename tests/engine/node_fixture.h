/* tests/engine/node_fixture.h — an engine on a machine of nodes, for jobs written as for sbatch.
 *
 * Builds on engine_fixture.h: the log tells on which nodes a job starts, and why one waits. */
#ifndef LK_TESTS_NODE_FIXTURE_H
#define LK_TESTS_NODE_FIXTURE_H

#include "tests/engine/engine_fixture.h"
#include "traces/job_options.h"

#define MIB (G_GINT64_CONSTANT (1) << 20)

/* Nodes of one socket with so many cores, memory in MiB. Returns: (transfer none). */
static inline LkNodeSpec *
node_fixture_add (LkCluster *cluster, const char *names, guint32 cores, gint64 memory_mib)
{
  LkNodeSpec *node = lk_cluster_add_nodes (cluster, names);
  node->cores_per_socket = node->cpus = cores;
  node->memory_bytes = memory_mib * MIB;
  return node;
}

/* The same as sockets and cores, with so many threads that are CPUs. */
static inline LkNodeSpec *
node_fixture_add_sockets (LkCluster *cluster, const char *names, guint32 sockets, guint32 cores,
                          guint32 threads)
{
  LkNodeSpec *node = lk_cluster_add_nodes (cluster, names);
  node->sockets = sockets;
  node->cores_per_socket = cores;
  node->threads_per_core = threads;
  node->cpus = sockets * cores * threads;
  node->memory_bytes = 8000 * MIB;
  return node;
}

static inline void
node_fixture_check (LkCluster *cluster)
{
  LkClusterError error;
  if (!lk_cluster_check (cluster, &error))
    g_error ("%s %s", error.member, error.text);
}

/* Checks the cluster. */
static inline void
node_fixture_init (LkFixture *self, LkCluster *cluster, const char *backfill, const char *select)
{
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = backfill,
                             .select = select,
                             .cluster = cluster };
  node_fixture_check (cluster);
  fixture_init_with (self, &options);
  self->tells_places = TRUE;
}

/* What a line of options asks for. Texts live as long as the process. */
static inline LkJobRequest
node_fixture_request (const char *line)
{
  static GStringChunk *texts = NULL;
  g_autoptr (GError) error = NULL;
  LkJobOptions options = { .limit_us = 0 };
  if (texts == NULL)
    texts = g_string_chunk_new (4096);
  g_auto (GStrv) words = lk_job_options_split (line, &error);
  g_assert_no_error (error);
  lk_job_options_parse ((const char *const *)words, texts, &options, &error);
  g_assert_no_error (error);
  return options.request;
}

static inline void
node_fixture_submit_of (LkFixture *self, gint64 time_s, guint32 id, guint32 user_id,
                        gint64 estimate_s, const char *line)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = node_fixture_request (line);
  event.submit.job_id = id;
  event.submit.user_id = user_id;
  event.submit.procs = lk_job_request_cpus (&request);
  event.submit.estimate_us = estimate_s * G_USEC_PER_SEC;
  lk_submit_set_request (&event.submit, &request);
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
node_fixture_submit (LkFixture *self, gint64 time_s, guint32 id, gint64 estimate_s,
                     const char *line)
{
  node_fixture_submit_of (self, time_s, id, /* user_id= */ 1, estimate_s, line);
}

static inline void
node_fixture_node (LkFixture *self, gint64 time_s, LkEventKind kind, const char *names)
{
  LkEvent event = { .kind = kind };
  switch (kind) {
  case LK_EVENT_NODE_UP:
    event.node_up.node = lk_text (names);
    break;
  case LK_EVENT_NODE_DOWN:
    event.node_down.node = lk_text (names);
    event.node_down.reason = lk_text ("psu");
    break;
  case LK_EVENT_NODE_DRAIN:
    event.node_drain.node = lk_text (names);
    event.node_drain.reason = lk_text ("disk");
    break;
  default:
    event.node_resume.node = lk_text (names);
  }
  g_assert_cmpint (fixture_apply (self, time_s, &event), ==, LK_STATUS_OK);
}

static inline void
node_fixture_pass (LkFixture *self, gint64 time_s)
{
  fixture_event (self, time_s, LK_EVENT_PASS, 0);
}

/* Forgets what was logged so far. */
static inline void
node_fixture_skip (LkFixture *self)
{
  g_string_truncate (self->log, 0);
}

#endif
