/* bench/conservative_curve.c — what one event costs under conservative backfilling as the queue
 * grows.
 *
 * For each length of the queue an engine of its own is filled with that many waiting jobs of the
 * Lublin-Feitelson model. Then single events are timed, each with the pass behind it: a job
 * arrives, and a running job ends before its estimate, after which reservations move up.  The
 * medians are printed, and the exponent k of cost ~ queue^k, fitted by least squares to the
 * logarithms over the queues of at least 4000 jobs. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/engine.h"
#include "policies/registry.h"
#include "sim/json_out.h"
#include "traces/lublin.h"
#include "traces/user_estimate.h"

#define MACHINE_PROCS 1024u
#define SAMPLE_COUNT 15u
#define FIT_FROM_JOBS 4000u

typedef struct {
  LkEngine *engine;
  LkLublin *model;
  GArray *running; /* of guint32, job ids in order of start */
  guint64 seq;
  guint32 job_id_last;
  gint64 now_us;
  guint64 decision_count;
} Bench;

typedef struct {
  guint queue_count;
  double fill_us; /* the first pass over the whole queue, a job */
  double arrival_us;
  double early_end_us;
} Point;

/* With a resolution below a microsecond, which an arrival in a short queue needs. */
static double
now_us (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void
on_decision (void *user, const LkEvent *cause, const LkDecision *decision)
{
  Bench *self = (Bench *)user;
  (void)cause;
  self->decision_count++;
  if (decision->kind == LK_DECISION_START)
    g_array_append_val (self->running, decision->start.job_id);
}

static void
apply (Bench *self, LkEvent *event)
{
  LkSink sink = { on_decision, self };
  event->seq = ++self->seq;
  event->time_us = self->now_us;
  LkStatus status = lk_engine_apply (self->engine, event, &sink);
  if (status != LK_STATUS_OK)
    g_error ("event %" G_GUINT64_FORMAT ": %s", event->seq, lk_status_text (status));
}

static void
submit (Bench *self)
{
  LkLublinJob job;
  lk_lublin_next (self->model, &job);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.job_id = ++self->job_id_last;
  event.submit.procs = job.procs;
  event.submit.estimate_us =
      lk_user_estimate_us (lk_lublin_uniform (self->model), job.run_s * G_USEC_PER_SEC);
  apply (self, &event);
}

static void
pass (Bench *self)
{
  LkEvent event = { .kind = LK_EVENT_PASS };
  apply (self, &event);
}

static void
end_job (Bench *self, guint32 job_id)
{
  LkEvent event = { .kind = LK_EVENT_JOB_ENDED };
  event.job_ended.job_id = job_id;
  apply (self, &event);
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double
median (double *samples, guint count)
{
  qsort (samples, count, sizeof *samples, compare_doubles);
  return samples[count / 2];
}

static double
time_arrival_us (Bench *self)
{
  self->now_us += G_USEC_PER_SEC;
  double begin_us = now_us ();
  submit (self);
  pass (self);
  return now_us () - begin_us;
}

/* The running job in the middle of the list, so neither the newest nor the next that would end
 * anyway. */
static double
time_early_end_us (Bench *self)
{
  self->now_us += G_USEC_PER_SEC;
  guint index = self->running->len / 2;
  guint32 job_id = g_array_index (self->running, guint32, index);
  g_array_remove_index (self->running, index);
  double begin_us = now_us ();
  end_job (self, job_id);
  pass (self);
  return now_us () - begin_us;
}

static void
measure (Bench *self, Point *point)
{
  double arrivals[SAMPLE_COUNT];
  double ends[SAMPLE_COUNT];
  double begin_us = now_us ();
  for (guint i = 0; i < point->queue_count; i++)
    submit (self);
  pass (self);
  point->fill_us = (now_us () - begin_us) / point->queue_count;
  for (guint i = 0; i < SAMPLE_COUNT; i++) {
    arrivals[i] = time_arrival_us (self);
    ends[i] = time_early_end_us (self);
  }
  point->arrival_us = median (arrivals, SAMPLE_COUNT);
  point->early_end_us = median (ends, SAMPLE_COUNT);
}

static gboolean
measure_point (const LkEngineConfig *config, Point *point)
{
  LkPolicyError error = { 0 };
  g_autoptr (LkEngine) engine = lk_engine_new (config, &error);
  g_autoptr (LkLublin) model = lk_lublin_new (MACHINE_PROCS, 1);
  g_autoptr (GArray) running = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (engine == NULL) {
    g_printerr ("conservative_curve: %s\n", error.text);
    return FALSE;
  }
  Bench bench = { .engine = engine, .model = model, .running = running };
  measure (&bench, point);
  return TRUE;
}

/* Slope of the least-squares line through the logarithms. */
static double
fit_exponent (const Point *points, guint count, gsize member_offset)
{
  double n = 0;
  double sum_x = 0;
  double sum_y = 0;
  double sum_xx = 0;
  double sum_xy = 0;
  for (guint i = 0; i < count; i++) {
    if (points[i].queue_count < FIT_FROM_JOBS)
      continue;
    double x = log (points[i].queue_count);
    double y = log (MAX (G_STRUCT_MEMBER (double, &points[i], member_offset), 1e-3));
    n += 1;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  double spread = n * sum_xx - sum_x * sum_x;
  return spread > 0 ? (n * sum_xy - sum_x * sum_y) / spread : (double)NAN;
}

static void
print_table (const Point *points, guint count, double arrival, double early_end)
{
  printf ("%10s %16s %16s %16s\n", "queue", "fill, us/job", "arrival, us", "early end, us");
  for (guint i = 0; i < count; i++)
    printf ("%10u %16.2f %16.1f %16.0f\n", points[i].queue_count, points[i].fill_us,
            points[i].arrival_us, points[i].early_end_us);
  printf ("%10s %16s %16.2f %16.2f\n", "exponent", "", arrival, early_end);
}

static void
print_json (const Point *points, guint count, double arrival, double early_end)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut json;
  lk_json_out_init (&json, text);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_array_begin (&json, "points");
  for (guint i = 0; i < count; i++) {
    lk_json_out_object_begin (&json, NULL);
    lk_json_out_count (&json, "queue", points[i].queue_count);
    lk_json_out_real (&json, "fill_us_per_job", points[i].fill_us);
    lk_json_out_real (&json, "arrival_us", points[i].arrival_us);
    lk_json_out_real (&json, "early_end_us", points[i].early_end_us);
    lk_json_out_object_end (&json);
  }
  lk_json_out_array_end (&json);
  lk_json_out_real (&json, "arrival_exponent", arrival);
  lk_json_out_real (&json, "early_end_exponent", early_end);
  lk_json_out_object_end (&json);
  fputs (text->str, stdout);
}

static LkSetup *
parse (int argc, char **argv, LkRegistry *registry, int *out_queue_max, gboolean *out_is_json)
{
  g_autofree char *backfill = g_strdup ("conservative");
  const GOptionEntry entries[] = {
    { "backfill", 0, 0, G_OPTION_ARG_STRING, &backfill, "Policy (default conservative)", "SPEC" },
    { "queue-max", 0, 0, G_OPTION_ARG_INT, out_queue_max, "Longest queue (default 100000)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, out_is_json, "Print one JSON object", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- what one event costs as the queue grows");
  g_option_context_add_main_entries (context, entries, NULL);
  LkSetup *setup = NULL;
  if (g_option_context_parse (context, &argc, &argv, &error)) {
    LkSetupOptions options = { .units_total = MACHINE_PROCS,
                               .origin_us = LK_TIME_NEVER,
                               .order = "fifo",
                               .backfill = backfill,
                               .select = "pool" };
    setup = lk_setup_new (registry, &options, &error);
  }
  if (setup == NULL)
    g_printerr ("conservative_curve: %s\n", error->message);
  return setup;
}

int
main (int argc, char **argv)
{
  static const guint queues[] = { 1000, 2000, 4000, 8000, 16000, 32000, 64000, 100000 };
  Point points[G_N_ELEMENTS (queues)];
  guint count = 0;
  int queue_max = 100000;
  gboolean is_json = FALSE;
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = parse (argc, argv, registry, &queue_max, &is_json);
  if (setup == NULL)
    return 2;
  for (guint i = 0; i < G_N_ELEMENTS (queues) && (gint64)queues[i] <= queue_max; i++) {
    points[count] = (Point){ .queue_count = queues[i] };
    if (!measure_point (lk_setup_config (setup), &points[count++]))
      return EXIT_FAILURE;
  }
  double arrival = fit_exponent (points, count, G_STRUCT_OFFSET (Point, arrival_us));
  double early_end = fit_exponent (points, count, G_STRUCT_OFFSET (Point, early_end_us));
  if (is_json)
    print_json (points, count, arrival, early_end);
  else
    print_table (points, count, arrival, early_end);
  return EXIT_SUCCESS;
}
