/* bench/nodes.c — what a pass costs on a large machine of nodes.
 *
 * A machine of equal nodes with eight GPUs each is filled with running jobs, and many more wait;
 * then jobs end and jobs come, one at a time, and each pass is timed.  Memory is what the process
 * needs beyond the empty machine.  Numbers go out as one JSON object, times as medians in
 * microseconds.
 *
 * Usage: nodes BACKFILL [SELECT [NODES [RUNNING [WAITING [ROUNDS]]]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/engine.h"
#include "policies/registry.h"

#define CORES 64u
#define GPUS 8u
#define GIB (G_GINT64_CONSTANT (1) << 30)

typedef struct {
  LkEngine *engine;
  guint64 random;
  guint32 job_id_last;
  GArray *running; /* of guint32, ids */
  gint64 now_us;
} Bench;

/* Processor time: one thread computes, and others may use the machine. */
static gint64
cpu_us (void)
{
  struct timespec now;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (gint64)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static guint32
draw (Bench *self, guint32 limit)
{
  self->random += 0x9e3779b97f4a7c15u;
  guint64 z = self->random;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (guint32)((z ^ (z >> 31)) % limit);
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Bench *self = user;
  (void)cause;
  if (decision->kind != LK_DECISION_START)
    return;
  g_array_append_val (self->running, decision->start.job_id);
}

static gint64
apply (Bench *self, LkEvent *event)
{
  LkEngineCounts counts;
  LkSink sink = { on_decision, self };
  lk_engine_counts (self->engine, &counts);
  event->seq = counts.event_count + 1;
  event->time_us = self->now_us;
  gint64 begin_us = cpu_us ();
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  gint64 cost_us = cpu_us () - begin_us;
  if (status != LK_STATUS_OK)
    g_error ("refused: %s", lk_status_text (status));
  return cost_us;
}

static gint64
pass (Bench *self)
{
  LkEvent event = { .kind = LK_EVENT_PASS };
  return apply (self, &event);
}

/* Mostly one to eight GPUs of one node, one in fifty over several nodes. */
static gint64
submit (Bench *self, gboolean small)
{
  static const guint32 gpus[] = { 1, 1, 1, 1, 2, 2, 4, 8 };
  static const guint32 hours[] = { 1, 2, 4, 8, 12, 24, 48 };
  static const char *const texts[] = { "gpu:1", "gpu:2", "", "gpu:4", "", "", "", "gpu:8" };
  guint32 count = small ? 1 + draw (self, 2) : gpus[draw (self, G_N_ELEMENTS (gpus))];
  guint32 nodes = !small && count == 8 && draw (self, 6) == 0 ? 2u << draw (self, 4) : 1;
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = ++self->job_id_last;
  event.submit.user_id = 1 + draw (self, 100);
  event.submit.procs = count * 4 * nodes;
  event.submit.estimate_us = (gint64)hours[draw (self, G_N_ELEMENTS (hours))] * 3600 * 1000000;
  event.submit.nodes_min = event.submit.nodes_max = nodes;
  event.submit.tasks = nodes;
  event.submit.cpus_per_task = count * 4;
  event.submit.present = LK_REQUEST_HAS_MEMORY_PER_NODE;
  event.submit.memory_per_node_bytes = count * 32 * GIB;
  event.submit.gres = lk_text (texts[count - 1]);
  return apply (self, &event);
}

/* A job that fits beside everything, at the end of the queue: who plans in queue order must plan
 * for all others first. */
static gint64
submit_last (Bench *self)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = ++self->job_id_last;
  event.submit.procs = 1;
  event.submit.estimate_us = 60 * 1000000;
  event.submit.present = LK_REQUEST_HAS_MEMORY_PER_NODE;
  event.submit.memory_per_node_bytes = GIB;
  return apply (self, &event);
}

static gint64
end_one (Bench *self)
{
  guint32 at = draw (self, self->running->len);
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = g_array_index (self->running, guint32, at);
  g_array_remove_index_fast (self->running, at);
  return apply (self, &event);
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

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static gint64
median (GArray *times)
{
  g_array_sort (times, compare_times);
  return times->len > 0 ? g_array_index (times, gint64, times->len / 2) : 0;
}

static guint32
argument (int argc, char **argv, int at, guint32 otherwise)
{
  return argc > at ? (guint32)g_ascii_strtoull (argv[at], NULL, 10) : otherwise;
}

static gint64
fill (Bench *self, guint32 running)
{
  gint64 begin_us = cpu_us ();
  for (guint32 i = 0; i < running; i++) {
    submit (self, TRUE);
    /* Not all at one moment: jobs that end together would make the search easy or hard. */
    if (i % 8 == 7) {
      pass (self);
      self->now_us += 250000;
    }
  }
  pass (self);
  return cpu_us () - begin_us;
}

/* Medians, in the order in which they are printed. */
typedef struct {
  gint64 end_us;
  gint64 submit_us;
  gint64 whole_queue_us;
} Costs;

static Costs
measure (Bench *self, guint32 rounds)
{
  GArray *times[3];
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    times[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint32 i = 0; i < rounds; i++) {
    self->now_us += 1000000;
    gint64 cost_us = end_one (self) + pass (self);
    g_array_append_val (times[0], cost_us);
    self->now_us += 1000000;
    cost_us = submit (self, FALSE) + pass (self);
    g_array_append_val (times[1], cost_us);
  }
  for (guint32 i = 0; i < MIN (rounds, 3); i++) {
    self->now_us += 1000000;
    gint64 cost_us = submit_last (self) + pass (self);
    g_array_append_val (times[2], cost_us);
  }
  Costs costs = { median (times[0]), median (times[1]), median (times[2]) };
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    g_array_unref (times[i]);
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
  Bench self = { .random = 1, .running = g_array_new (FALSE, FALSE, sizeof (guint32)) };
  glong before_kib = resident_kib ();
  self.engine = lk_engine_new (lk_setup_config (setup), &policy_error);
  glong machine_kib = resident_kib ();
  gint64 fill_us = fill (&self, running);
  self.now_us += 1000000;
  for (guint32 i = 0; i < waiting; i++)
    submit (&self, FALSE);
  gint64 first_us = pass (&self);
  Costs costs = measure (&self, argument (argc, argv, 6, 21));
  LkEngineCounts counts;
  lk_engine_counts (self.engine, &counts);
  printf ("{\"backfill\":\"%s\",\"select\":\"%s\",\"nodes\":%u,\"running\":%u,\"waiting\":%u,"
          "\"fill_us_per_job\":%.1f,\"first_pass_us\":%" G_GINT64_FORMAT
          ",\"end_pass_us\":%" G_GINT64_FORMAT ",\"submit_pass_us\":%" G_GINT64_FORMAT
          ",\"whole_queue_pass_us\":%" G_GINT64_FORMAT
          ",\"bytes_per_node\":%ld,\"bytes_per_job\":%ld}\n",
          options.backfill, options.select, nodes, counts.running_count, counts.pending_count,
          (double)fill_us / MAX (1, running), first_us, costs.end_us, costs.submit_us,
          costs.whole_queue_us, (machine_kib - before_kib) * 1024 / (glong)nodes,
          (resident_kib () - machine_kib) * 1024
              / (glong)(counts.running_count + counts.pending_count));
  lk_engine_free (self.engine);
  g_array_unref (self.running);
  return 0;
}
