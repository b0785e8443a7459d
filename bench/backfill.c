/* bench/backfill.c — a pass over the whole queue on a full machine, with Slurm's times beside it.
 *
 * The load is one that was measured on a slurmctld of Slurm 26.05 on a machine of this kind: all
 * nodes busy with jobs of 25 nodes that end spread over ten hours, and waiting jobs of one node to
 * an eighth of the machine and of 1 to 600 minutes; bf_window 2880 min, bf_resolution 60 s, every
 * job tested.  Timed are the first pass over the queue, and then single events, each with the pass
 * behind it: a running job ends early; a job comes to the end of the queue, to where half of those
 * with a reservation go before it, to its front; a job that had a reservation is cancelled; a
 * minute passes; a node goes down, and comes back.  The exponents k of cost ~ size^k are fitted by
 * least squares to the logarithms, over series in which only the jobs, or only the nodes, grow.
 *
 * Costs are processor time of this one thread.  Numbers go out as a table or as one JSON object. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/driver.h"
#include "policies/registry.h"
#include "sim/json_out.h"

#define RUNNING_NODES 25u
#define MINUTE_US (G_GINT64_CONSTANT (60) * G_USEC_PER_SEC)
#define ESTIMATE_MAX_MIN 600u
#define GIB (G_GINT64_CONSTANT (1) << 30)

/* Series of points: JOBS grow on one machine, NODES under one queue. */
#define IN_JOBS 1u
#define IN_NODES 2u

typedef struct {
  guint32 nodes;
  guint32 jobs;
  double slurm_s; /* 0: not measured */
  double target_s;
  guint series;
} Size;

/* Single events, each with the pass behind it: X (NAME, name in JSON, heading). */
#define KINDS(X)                                                                                   \
  X (END, end, "end")                                                                              \
  X (SUBMIT, submit, "last")                                                                       \
  X (MIDDLE, middle, "middle")                                                                     \
  X (FRONT, front, "first")                                                                        \
  X (CANCEL, cancel, "cancel")                                                                     \
  X (MINUTE, minute, "minute")                                                                     \
  X (DOWN, down, "down")                                                                           \
  X (UP, up, "up")

#define ENUM(name, lower, heading) KIND_##name,
enum { KINDS (ENUM) KIND_COUNT };
#undef ENUM

#define HEADING(name, lower, heading) [KIND_##name] = heading,
static const char *const headings[KIND_COUNT] = { KINDS (HEADING) };
#undef HEADING

typedef struct {
  double median_s;
  double worst_s;
} Cost;

typedef struct {
  const Size *size;
  guint32 planned;
  double pass_s;
  Cost costs[KIND_COUNT];
} Point;

static const Size sizes[] = {
  { 500, 5000, 25, 0.125, 0 },         { 500, 10000, 85, 0.425, IN_NODES },
  { 1000, 5000, 131, 0.655, IN_JOBS }, { 1000, 10000, 300, 1.5, IN_JOBS | IN_NODES },
  { 1000, 20000, 0, 0, IN_JOBS },      { 1000, 40000, 0, 0, IN_JOBS },
  { 2000, 10000, 0, 0, IN_NODES },     { 4000, 10000, 0, 0, IN_NODES },
  { 8000, 10000, 0, 0, IN_NODES },     { 10000, 100000, 0, 2, 0 },
};

typedef struct {
  Driver driver;
  guint32 nodes;
  guint32 first_waiting; /* id */
  gboolean prints_load;  /* nodes and minutes of each job, as it is submitted */
  guint32 node_down;     /* the last that went down */
} Bench;

typedef struct {
  char *backfill;
  char *select;
  int nodes_min;
  int nodes_max;
  int jobs_max;
  int rounds;
  int first_end_min; /* when the first running job ends */
  char *size;        /* "NODESxJOBS": only this one */
  char *event;       /* heading of a kind: only this one */
  gboolean prints_load;
  int after_s; /* time between the last submit and the first pass over the queue */
  gboolean is_json;
} Options;

/* ---------------------------------------------------------------- the load */

static LkCluster *
make_cluster (guint32 nodes)
{
  LkClusterError error = { 0 };
  g_autofree char *names = g_strdup_printf ("n[%05u-%05u]", 0u, nodes - 1);
  LkCluster *cluster = lk_cluster_new ("bench");
  LkNodeSpec *spec = lk_cluster_add_nodes (cluster, names);
  spec->sockets = 2;
  spec->cores_per_socket = 16;
  spec->cpus = 32;
  spec->memory_bytes = 128 * GIB;
  if (!lk_cluster_check (cluster, &error))
    g_error ("%s", error.text);
  return cluster;
}

/* A job with a nice value below 0 goes before as many that came before it. */
static gint64
submit (Bench *self, guint32 nodes, guint32 estimate_min, gint64 nice)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  if (self->prints_load)
    printf ("%u %u\n", nodes, estimate_min);
  event.submit.user_id = 1 + driver_draw (&self->driver, 100);
  event.submit.procs = nodes;
  event.submit.estimate_us = estimate_min * MINUTE_US;
  event.submit.flags = LK_REQUEST_EXCLUSIVE;
  event.submit.nodes_min = event.submit.nodes_max = nodes;
  event.submit.tasks = nodes;
  event.submit.nice = nice;
  return driver_submit (&self->driver, &event);
}

static gint64
submit_before (Bench *self, guint32 count)
{
  guint32 nodes = 1 + driver_draw (&self->driver, self->nodes / 8);
  return submit (self, nodes, 1 + driver_draw (&self->driver, ESTIMATE_MAX_MIN), -(gint64)count);
}

static gint64
submit_last (Bench *self)
{
  return submit_before (self, 0);
}

/* The limit of a running job: from the first end on, they are spread over ten hours. */
static guint32
running_min (guint32 first_end_min, guint32 index, guint32 count)
{
  return first_end_min + (guint32)((guint64)index * ESTIMATE_MAX_MIN / count);
}

static void
fill (Bench *self, guint32 jobs, guint32 first_end_min)
{
  guint32 running = self->nodes / RUNNING_NODES;
  for (guint32 i = 0; i < running; i++)
    submit (self, RUNNING_NODES, running_min (first_end_min, i, running), 0);
  driver_pass (&self->driver);
  if (self->driver.running->len != running)
    g_error ("%u of %u jobs run", self->driver.running->len, running);
  self->first_waiting = running + 1;
  for (guint32 i = 0; i < jobs; i++)
    submit_last (self);
}

/* ---------------------------------------------------------------- single events */

static gint64
planned_us (const Bench *self, guint32 job_id)
{
  LkJobInfo info;
  gboolean waits =
      lk_engine_job (self->driver.engine, job_id, &info) && info.state == LK_JOB_PENDING;
  return waits ? info.start_us : LK_TIME_NEVER;
}

/* A waiting job that has a reservation; 0: there is none. */
static guint32
draw_planned (Bench *self)
{
  guint32 count = self->driver.job_id_last - self->first_waiting + 1;
  guint32 first = driver_draw (&self->driver, count);
  for (guint32 i = 0; i < count; i++) {
    guint32 job_id = self->first_waiting + (first + i) % count;
    if (planned_us (self, job_id) != LK_TIME_NEVER)
      return job_id;
  }
  return 0;
}

static gint64
cancel (Bench *self)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  event.cancel.job_id = draw_planned (self);
  return event.cancel.job_id == 0 ? 0 : driver_apply (&self->driver, &event);
}

static gint64
end_early (Bench *self)
{
  return self->driver.running->len > 0 ? driver_end_one (&self->driver) : 0;
}

/* Ends what was expected to have ended by now. */
static gint64
end_due (Bench *self)
{
  GArray *running = self->driver.running;
  gint64 cost_ns = 0;
  for (guint i = running->len; i-- > 0;) {
    LkJobInfo info;
    LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
    event.job_ended.job_id = g_array_index (running, guint32, i);
    lk_engine_job (self->driver.engine, event.job_ended.job_id, &info);
    if (info.expected_end_us > self->driver.now_us)
      continue;
    g_array_remove_index_fast (running, i);
    cost_ns += driver_apply (&self->driver, &event);
  }
  return cost_ns;
}

static gint64
pass_minute (Bench *self)
{
  self->driver.now_us += MINUTE_US;
  return end_due (self);
}

/* To where half of those that have a reservation go before it. */
static gint64
submit_middle (Bench *self)
{
  guint32 last = self->driver.job_id_last;
  g_autoptr (GArray) planned = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 id = self->first_waiting; id <= last; id++)
    if (planned_us (self, id) != LK_TIME_NEVER)
      g_array_append_val (planned, id);
  return submit_before (
      self, planned->len > 0 ? last - g_array_index (planned, guint32, planned->len / 2) + 1 : 0);
}

static gint64
submit_first (Bench *self)
{
  return submit_before (self, self->driver.job_id_last);
}

static gint64
turn_node (Bench *self, LkEventKind kind)
{
  g_autofree char *name = g_strdup_printf ("n%05u", self->node_down);
  LkText text = { name, (guint16)strlen (name) };
  LkEvent event = { .kind = kind };
  if (kind == LK_EVENT_NODE_UP)
    event.node_up.node = text;
  else
    event.node_down.node = text;
  return driver_apply (&self->driver, &event);
}

/* The one before is back. */
static gint64
node_down (Bench *self)
{
  turn_node (self, LK_EVENT_NODE_UP);
  driver_pass (&self->driver);
  self->node_down = driver_draw (&self->driver, self->nodes);
  return turn_node (self, LK_EVENT_NODE_DOWN);
}

static gint64
node_up (Bench *self)
{
  self->node_down = driver_draw (&self->driver, self->nodes);
  turn_node (self, LK_EVENT_NODE_DOWN);
  driver_pass (&self->driver);
  return turn_node (self, LK_EVENT_NODE_UP);
}

static Cost
time_events (Bench *self, gint64 (*happen) (Bench *self), guint rounds)
{
  Cost cost = { 0 };
  g_autoptr (GArray) costs_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < rounds; i++) {
    self->driver.now_us += G_USEC_PER_SEC;
    end_due (self);
    driver_pass (&self->driver);
    gint64 cost_ns = happen (self) + driver_pass (&self->driver);
    g_array_append_val (costs_ns, cost_ns);
    cost.worst_s = MAX (cost.worst_s, (double)cost_ns / 1e9);
  }
  cost.median_s = (double)driver_median (costs_ns) / 1e9;
  return cost;
}

static gint64 (*const events[KIND_COUNT]) (Bench *self) = {
  [KIND_END] = end_early,      [KIND_SUBMIT] = submit_last, [KIND_MIDDLE] = submit_middle,
  [KIND_FRONT] = submit_first, [KIND_CANCEL] = cancel,      [KIND_MINUTE] = pass_minute,
  [KIND_DOWN] = node_down,     [KIND_UP] = node_up,
};

static void
measure (const Size *size, const LkSetup *setup, const Options *options, Point *out_point)
{
  LkPolicyError error = { 0 };
  Bench self = { .nodes = size->nodes, .prints_load = options->prints_load };
  LkEngine *engine = lk_engine_new (lk_setup_config (setup), &error);
  if (engine == NULL)
    g_error ("%s", error.text);
  driver_init (&self.driver, engine, 1);
  guint rounds = (guint)MAX (options->rounds, 1);
  fill (&self, size->jobs, (guint32)options->first_end_min);
  if (options->prints_load) {
    driver_clear (&self.driver);
    return;
  }
  self.driver.now_us += options->after_s * G_USEC_PER_SEC;
  *out_point = (Point){ .size = size, .pass_s = (double)driver_pass (&self.driver) / 1e9 };
  for (guint32 id = self.first_waiting; id <= self.driver.job_id_last; id++)
    out_point->planned += planned_us (&self, id) != LK_TIME_NEVER;
  for (guint kind = 0; kind < KIND_COUNT; kind++)
    if (options->event == NULL || strcmp (options->event, headings[kind]) == 0)
      out_point->costs[kind] = time_events (&self, events[kind], rounds);
  driver_clear (&self.driver);
}

/* ---------------------------------------------------------------- exponents */

/* Slope of the least-squares line through the logarithms. */
static double
fit (const Point *points, guint count, guint series, gsize member_offset)
{
  double n = 0;
  double sum_x = 0;
  double sum_y = 0;
  double sum_xx = 0;
  double sum_xy = 0;
  for (guint i = 0; i < count; i++) {
    if ((points[i].size->series & series) == 0)
      continue;
    double x = log (series == IN_JOBS ? points[i].size->jobs : points[i].size->nodes);
    double y = log (MAX (G_STRUCT_MEMBER (double, &points[i], member_offset), 1e-9));
    n += 1;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  double spread = n * sum_xx - sum_x * sum_x;
  return spread > 0 ? (n * sum_xy - sum_x * sum_y) / spread : (double)NAN;
}

/* ---------------------------------------------------------------- output */

static void
print_table (const Point *points, guint count)
{
  printf ("%7s %8s %8s %10s %10s %8s", "nodes", "waiting", "planned", "pass, s", "Slurm, s",
          "ratio");
  for (guint kind = 0; kind < KIND_COUNT; kind++)
    printf (" %6s ms %7s", headings[kind], "worst");
  printf ("\n");
  for (guint i = 0; i < count; i++) {
    const Point *point = &points[i];
    printf ("%7u %8u %8u %10.4f %10.0f %8.0f", point->size->nodes, point->size->jobs,
            point->planned, point->pass_s, point->size->slurm_s,
            point->size->slurm_s / point->pass_s);
    for (guint kind = 0; kind < KIND_COUNT; kind++)
      printf (" %9.3f %7.2f", 1e3 * point->costs[kind].median_s, 1e3 * point->costs[kind].worst_s);
    printf ("\n");
  }
  printf ("exponents of the pass: %.2f in jobs, %.2f in nodes; of an early end: %.2f, %.2f\n",
          fit (points, count, IN_JOBS, G_STRUCT_OFFSET (Point, pass_s)),
          fit (points, count, IN_NODES, G_STRUCT_OFFSET (Point, pass_s)),
          fit (points, count, IN_JOBS, G_STRUCT_OFFSET (Point, costs[KIND_END].median_s)),
          fit (points, count, IN_NODES, G_STRUCT_OFFSET (Point, costs[KIND_END].median_s)));
}

static void
print_json (const Point *points, guint count)
{
#define MEDIAN(name, lower, heading) #lower "_s",
#define WORST(name, lower, heading) #lower "_worst_s",
  const char *median_names[] = { KINDS (MEDIAN) };
  const char *worst_names[] = { KINDS (WORST) };
#undef MEDIAN
#undef WORST
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_array_begin (&json, "points");
  for (guint i = 0; i < count; i++) {
    lk_json_out_object_begin (&json, NULL);
    lk_json_out_count (&json, "nodes", points[i].size->nodes);
    lk_json_out_count (&json, "waiting", points[i].size->jobs);
    lk_json_out_count (&json, "planned", points[i].planned);
    lk_json_out_real (&json, "slurm_s", points[i].size->slurm_s);
    lk_json_out_real (&json, "target_s", points[i].size->target_s);
    lk_json_out_real (&json, "pass_s", points[i].pass_s);
    for (guint kind = 0; kind < KIND_COUNT; kind++) {
      lk_json_out_real (&json, median_names[kind], points[i].costs[kind].median_s);
      lk_json_out_real (&json, worst_names[kind], points[i].costs[kind].worst_s);
    }
    lk_json_out_object_end (&json);
  }
  lk_json_out_array_end (&json);
  lk_json_out_real (&json, "pass_exponent_jobs",
                    fit (points, count, IN_JOBS, G_STRUCT_OFFSET (Point, pass_s)));
  lk_json_out_real (&json, "pass_exponent_nodes",
                    fit (points, count, IN_NODES, G_STRUCT_OFFSET (Point, pass_s)));
  lk_json_out_object_end (&json);
  fputs (text->str, stdout);
}

/* ---------------------------------------------------------------- the program */

static gboolean
parse (int argc, char **argv, Options *out)
{
  const GOptionEntry entries[] = {
    { "backfill", 0, 0, G_OPTION_ARG_STRING, &out->backfill, "Policy (default full:window=2880)",
      "SPEC" },
    { "select", 0, 0, G_OPTION_ARG_STRING, &out->select, "Select policy (default cons_tres)",
      "SPEC" },
    { "nodes-min", 0, 0, G_OPTION_ARG_INT, &out->nodes_min, "Smallest machine", "N" },
    { "nodes-max", 0, 0, G_OPTION_ARG_INT, &out->nodes_max, "Largest machine", "N" },
    { "jobs-max", 0, 0, G_OPTION_ARG_INT, &out->jobs_max, "Longest queue", "N" },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &out->rounds, "Events of each kind (default 21)", "N" },
    { "after", 0, 0, G_OPTION_ARG_INT, &out->after_s,
      "Time before the first pass; slurm needs its bf_interval (default 0)", "SECONDS" },
    { "first-end", 0, 0, G_OPTION_ARG_INT, &out->first_end_min,
      "Limit of the running job that ends first (default 1)", "MINUTES" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &out->size, "Only this machine and queue", "NODESxJOBS" },
    { "event", 0, 0, G_OPTION_ARG_STRING, &out->event,
      "Only events of this kind: end, last, middle, first, cancel, minute, down or up", "KIND" },
    { "print-load", 0, 0, G_OPTION_ARG_NONE, &out->prints_load,
      "Print nodes and minutes of each job, the running ones first, and measure nothing", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->is_json, "Print one JSON object", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context = g_option_context_new ("- a pass over the whole queue");
  g_option_context_add_main_entries (context, entries, NULL);
  if (g_option_context_parse (context, &argc, &argv, &error))
    return TRUE;
  g_printerr ("backfill: %s\n", error->message);
  return FALSE;
}

/* FALSE: the text is no size.  No text leaves it as it is. */
static gboolean
read_size (const char *text, Size *out_size)
{
  char *rest = NULL;
  if (text == NULL)
    return TRUE;
  guint64 nodes = g_ascii_strtoull (text, &rest, 10);
  guint64 jobs = *rest == 'x' ? g_ascii_strtoull (rest + 1, &rest, 10) : 0;
  if (nodes < 8 || nodes > 100000 || jobs < 1 || jobs > 1000000 || *rest != '\0') {
    g_printerr ("backfill: the size is '%s'; expected NODESxJOBS, 8 nodes or more\n", text);
    return FALSE;
  }
  *out_size = (Size){ .nodes = (guint32)nodes, .jobs = (guint32)jobs };
  return TRUE;
}

static const char *
or_default (const char *given, const char *other)
{
  return given != NULL ? given : other;
}

int
main (int argc, char **argv)
{
  Options options = { .nodes_max = 10000, .jobs_max = 100000, .rounds = 21, .first_end_min = 1 };
  Size own = { 0 };
  Point points[G_N_ELEMENTS (sizes)];
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  guint count = 0;
  if (!parse (argc, argv, &options) || !read_size (options.size, &own))
    return 2;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *size = own.nodes > 0 ? &own : &sizes[i];
    if ((gint64)size->nodes < options.nodes_min || (gint64)size->nodes > options.nodes_max
        || (gint64)size->jobs > options.jobs_max || (size == &own && i > 0))
      continue;
    g_autoptr (GError) error = NULL;
    g_autoptr (LkCluster) cluster = make_cluster (size->nodes);
    LkSetupOptions setup_options = { .cluster = cluster,
                                     .origin_us = LK_TIME_NEVER,
                                     .order = "basic",
                                     .backfill = or_default (options.backfill, "full:window=2880"),
                                     .select = or_default (options.select, "cons_tres") };
    g_autoptr (LkSetup) setup = lk_setup_new (registry, &setup_options, &error);
    if (setup == NULL) {
      g_printerr ("backfill: %s\n", error->message);
      return 2;
    }
    measure (size, setup, &options, &points[count++]);
  }
  if (options.is_json && !options.prints_load)
    print_json (points, count);
  else if (!options.prints_load)
    print_table (points, count);
  g_free (options.backfill);
  g_free (options.select);
  g_free (options.size);
  return EXIT_SUCCESS;
}
