/* bench/nodes.c — what a pass costs on a large machine of nodes.
 *
 * A machine of equal nodes with eight GPUs each is filled with running jobs, and many more wait;
 * then jobs end and jobs come, one at a time, and each pass is timed.  Memory is what the process
 * needs beyond the empty machine.  Numbers go out as one JSON object, times as medians in
 * microseconds.
 *
 * Usage: nodes BACKFILL [SELECT [NODES [RUNNING [WAITING [ROUNDS]]]]] */
#include <stdio.h>
#include <sys/resource.h>

#include "bench/driver.h"
#include "policies/registry.h"

#define CORES 64u
#define GPUS 8u
#define GIB (G_GINT64_CONSTANT (1) << 30)

/* Mostly one to eight GPUs of one node, one in fifty over several nodes. */
static gint64
submit (Driver *self, gboolean small)
{
  static const guint32 gpus[] = { 1, 1, 1, 1, 2, 2, 4, 8 };
  static const guint32 hours[] = { 1, 2, 4, 8, 12, 24, 48 };
  static const char *const texts[] = { "gpu:1", "gpu:2", "", "gpu:4", "", "", "", "gpu:8" };
  guint32 count = small ? 1 + driver_draw (self, 2) : gpus[driver_draw (self, G_N_ELEMENTS (gpus))];
  guint32 nodes =
      !small && count == 8 && driver_draw (self, 6) == 0 ? 2u << driver_draw (self, 4) : 1;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.user_id = 1 + driver_draw (self, 100);
  event.submit.procs = count * 4 * nodes;
  event.submit.estimate_us =
      (gint64)hours[driver_draw (self, G_N_ELEMENTS (hours))] * 3600 * 1000000;
  event.submit.nodes_min = event.submit.nodes_max = nodes;
  event.submit.tasks = nodes;
  event.submit.cpus_per_task = count * 4;
  event.submit.present = LK_REQUEST_HAS_MEMORY_PER_NODE;
  event.submit.memory_per_node_bytes = count * 32 * GIB;
  event.submit.gres = lk_text (texts[count - 1]);
  return driver_submit (self, &event);
}

/* A job that fits beside everything, at the end of the queue: who plans in queue order must plan
 * for all others first. */
static gint64
submit_last (Driver *self)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.procs = 1;
  event.submit.estimate_us = 60 * 1000000;
  event.submit.present = LK_REQUEST_HAS_MEMORY_PER_NODE;
  event.submit.memory_per_node_bytes = GIB;
  return driver_submit (self, &event);
}

static LkCluster *
make_cluster (guint32 nodes)
{
  LkClusterError error;
  g_autofree char *names = g_strdup_printf ("n[%05u-%05u]", 0u, nodes - 1);
  LkCluster *cluster = lk_cluster_new ("bench");
  LkNodeSpec *spec = lk_cluster_add_nodes (cluster, names);
  spec->sockets = 2;
  spec->cores_per_socket = CORES / 2;
  spec->cpus = CORES;
  spec->memory_bytes = 512 * GIB;
  LkGresSpec *gres = lk_node_spec_add_gres (spec, "gpu", "h100", GPUS);
  gres->device_sockets = g_new0 (guint32, GPUS);
  for (guint32 i = 0; i < GPUS; i++)
    gres->device_sockets[i] = i < GPUS / 2 ? 1 : 2;
  if (!lk_cluster_check (cluster, &error))
    g_error ("%s", error.text);
  return cluster;
}

static glong
resident_kib (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static guint32
argument (int argc, char **argv, int at, guint32 otherwise)
{
  return argc > at ? (guint32)g_ascii_strtoull (argv[at], NULL, 10) : otherwise;
}

static gint64
fill (Driver *self, guint32 running)
{
  gint64 begin_ns = driver_cpu_ns ();
  for (guint32 i = 0; i < running; i++) {
    submit (self, TRUE);
    /* Not all at one moment: jobs that end together would make the search easy or hard. */
    if (i % 8 == 7) {
      driver_pass (self);
      self->now_us += 250000;
    }
  }
  driver_pass (self);
  return driver_cpu_ns () - begin_ns;
}

/* Medians, in the order in which they are printed. */
typedef struct {
  gint64 end_ns;
  gint64 submit_ns;
  gint64 whole_queue_ns;
} Costs;

static Costs
measure (Driver *self, guint32 rounds)
{
  GArray *costs_ns[3];
  for (gsize i = 0; i < G_N_ELEMENTS (costs_ns); i++)
    costs_ns[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint32 i = 0; i < rounds; i++) {
    self->now_us += 1000000;
    gint64 cost_ns = driver_end_one (self) + driver_pass (self);
    g_array_append_val (costs_ns[0], cost_ns);
    self->now_us += 1000000;
    cost_ns = submit (self, FALSE) + driver_pass (self);
    g_array_append_val (costs_ns[1], cost_ns);
  }
  for (guint32 i = 0; i < MIN (rounds, 3); i++) {
    self->now_us += 1000000;
    gint64 cost_ns = submit_last (self) + driver_pass (self);
    g_array_append_val (costs_ns[2], cost_ns);
  }
  Costs costs = { driver_median (costs_ns[0]), driver_median (costs_ns[1]),
                  driver_median (costs_ns[2]) };
  for (gsize i = 0; i < G_N_ELEMENTS (costs_ns); i++)
    g_array_unref (costs_ns[i]);
  return costs;
}

int
main (int argc, char **argv)
{
  guint32 nodes = argument (argc, argv, 3, 10000);
  guint32 running = argument (argc, argv, 4, 5 * nodes);
  guint32 waiting = argument (argc, argv, 5, 10 * nodes);
  LkPolicyError policy_error;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) cluster = make_cluster (nodes);
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  LkSetupOptions options = { .cluster = cluster,
                             .origin_us = LK_TIME_NEVER,
                             .order = "fifo",
                             .backfill = argc > 1 ? argv[1] : "easy",
                             .select = argc > 2 ? argv[2] : "cons_tres" };
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  if (setup == NULL)
    g_error ("%s", error->message);
  glong before_kib = resident_kib ();
  Driver self;
  driver_init (&self, lk_engine_new (lk_setup_config (setup), &policy_error), 1);
  glong machine_kib = resident_kib ();
  gint64 fill_ns = fill (&self, running);
  self.now_us += 1000000;
  for (guint32 i = 0; i < waiting; i++)
    submit (&self, FALSE);
  gint64 first_ns = driver_pass (&self);
  Costs costs = measure (&self, argument (argc, argv, 6, 21));
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  printf ("{\"backfill\":\"%s\",\"select\":\"%s\",\"nodes\":%u,\"running\":%u,\"waiting\":%u,"
          "\"fill_us_per_job\":%.1f,\"first_pass_us\":%" G_GINT64_FORMAT
          ",\"end_pass_us\":%" G_GINT64_FORMAT ",\"submit_pass_us\":%" G_GINT64_FORMAT
          ",\"whole_queue_pass_us\":%" G_GINT64_FORMAT
          ",\"bytes_per_node\":%ld,\"bytes_per_job\":%ld}\n",
          options.backfill, options.select, nodes, counts.running_count, counts.pending_count,
          (double)fill_ns / 1e3 / MAX (1, running), first_ns / 1000, costs.end_ns / 1000,
          costs.submit_ns / 1000, costs.whole_queue_ns / 1000,
          (machine_kib - before_kib) * 1024 / (glong)nodes,
          (resident_kib () - machine_kib) * 1024
              / (glong)(counts.running_count + counts.pending_count));
  driver_clear (&self);
  return 0;
}
