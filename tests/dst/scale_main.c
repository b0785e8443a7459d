/* tests/dst/scale_main.c — how much a cluster of the cores does in one process:
 * dst_scale [AGENTS [SUBMITS]].
 *
 * Jobs of one node come one after the other and keep most nodes busy; each is a request, a launch,
 * a run and an end, over ports without latency and a disk that is memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "engine/assert.h"
#include "tests/dst/cluster.h"

#define GAP_US 1000
#define QUIET_US ((gint64)1 << 60)

typedef struct {
  DstCluster *cluster;
  guint32 agent_count;
  guint32 submit_count;
  guint32 asked_count;
  guint32 answered_count;
  gint64 start_us;
} Scale;

static void
count_answer (gpointer user, const DstAnswer *answer)
{
  Scale *self = user;
  LK_ASSERT (answer->error == 0);
  self->answered_count++;
}

/* A job lives as long as nine tenths of the nodes take to get another one. */
static void
ask (gpointer user, gpointer data)
{
  Scale *self = user;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  gint64 mean_us = (gint64)self->agent_count * GAP_US * 9 / 10;
  LkProcessSimPlan plan = {
    .script_us = mean_us / 2 + lk_world_below (self->cluster->world, (guint32)mean_us)
  };
  (void)data;
  event.submit.user_id = 1000;
  event.submit.procs = 1;
  event.submit.nodes_min = 1;
  event.submit.estimate_us = 2 * mean_us;
  event.submit.flags = LK_REQUEST_EXCLUSIVE;
  dst_submit (self->cluster, self->asked_count % 64, &event, 1, &plan);
  if (++self->asked_count < self->submit_count)
    lk_world_at (self->cluster->world, self->start_us + (gint64)self->asked_count * GAP_US, ask,
                 self, NULL, NULL);
}

static gboolean
is_over (gpointer user)
{
  const Scale *self = user;
  LkEngineCounts counts;
  if (self->answered_count < self->submit_count)
    return FALSE;
  lk_engine_counts (lk_controller_engine (self->cluster->hosts[0].core), &counts);
  return counts.pending_count + counts.running_count == 0;
}

static LkSetup *
new_setup (const LkRegistry *registry, guint32 agent_count)
{
  g_autofree char *names = g_strdup_printf ("n[1-%u]", agent_count);
  g_autoptr (LkCluster) machine = lk_cluster_new ("scale");
  g_autoptr (GError) error = NULL;
  LkClusterError fault;
  LkNodeSpec *spec = lk_cluster_add_nodes (machine, names);
  spec->sockets = spec->cores_per_socket = spec->threads_per_core = spec->cpus = 1;
  if (!lk_cluster_check (machine, &fault))
    g_error ("%s: %s", fault.member, fault.text);
  LkSetupOptions options = {
    .origin_us = 0, .order = "fifo", .backfill = "easy", .select = "cons_tres", .cluster = machine
  };
  LkSetup *setup = lk_setup_new (registry, &options, &error);
  if (setup == NULL)
    g_error ("%s", error->message);
  return setup;
}

static void
report (const Scale *self, gint64 wall_us)
{
  LkEngineCounts counts;
  LkNetSimCounts net;
  struct rusage usage;
  gboolean has_failed;
  const DstHost *host = &self->cluster->hosts[0];
  LkPortDisk disk = lk_disk_sim_port (host->disk);
  GByteArray *journal = disk.ops->read (disk.self, LK_CONTROLLER_JOURNAL, &has_failed);
  lk_engine_counts (lk_controller_engine (host->core), &counts);
  lk_net_sim_counts (self->cluster->net, &net);
  getrusage (RUSAGE_SELF, &usage);
  double wall_s = (double)wall_us / G_USEC_PER_SEC;
  printf ("{\"agents\":%u,\"submits\":%u,\"wall_s\":%.3f,\"submits_per_s\":%.0f,"
          "\"events\":%" PRIu64 ",\"events_per_s\":%.0f,\"messages\":%" PRIu64
          ",\"messages_per_s\":%.0f,\"memory_mib\":%ld,\"journal_mib\":%u}\n",
          self->agent_count, self->submit_count, wall_s, self->submit_count / wall_s,
          counts.event_count, (double)counts.event_count / wall_s, net.sent_count,
          (double)net.sent_count / wall_s, usage.ru_maxrss / 1024,
          journal != NULL ? journal->len >> 20 : 0);
  if (journal != NULL)
    g_byte_array_unref (journal);
}

static DstCluster *
new_cluster (Scale *self, const LkSetup *setup)
{
  static const DstIdentity user = { .user_id = 1000, .name = "ann" };
  DstOptions options = { .seed = 1,
                         .start_us = G_USEC_PER_SEC,
                         .setup = setup,
                         .source = "scale",
                         .controller = { .heartbeat_us = 30 * G_USEC_PER_SEC,
                                         .node_timeout_us = 300 * G_USEC_PER_SEC,
                                         .registration_wait_us = 300 * G_USEC_PER_SEC,
                                         .retry_us = G_USEC_PER_SEC,
                                         .snapshot_events = G_MAXUINT64,
                                         .session_count_max = 1024 },
                         .agent_retry_us = G_USEC_PER_SEC,
                         .client_retry_us = QUIET_US,
                         .client_count = 64,
                         .identities = &user,
                         .identity_count = 1,
                         .watch = { .answered = count_answer, .user = self } };
  return dst_cluster_new (&options);
}

int
main (int argc, char **argv)
{
  Scale self = { .agent_count = argc > 1 ? (guint32)strtoul (argv[1], NULL, 10) : 10000,
                 .submit_count = argc > 2 ? (guint32)strtoul (argv[2], NULL, 10) : 1000000,
                 .start_us = 2 * G_USEC_PER_SEC };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  if (self.agent_count == 0 || self.submit_count == 0) {
    fprintf (stderr, "usage: dst_scale [AGENTS [SUBMITS]]\n");
    return 2;
  }
  g_autoptr (LkSetup) setup = new_setup (registry, self.agent_count);
  gint64 begin_us = g_get_monotonic_time ();
  g_autoptr (DstCluster) cluster = self.cluster = new_cluster (&self, setup);
  lk_world_at (cluster->world, self.start_us, ask, &self, NULL, NULL);
  dst_run (cluster, QUIET_US, is_over, &self);
  report (&self, g_get_monotonic_time () - begin_us);
  return 0;
}
