/* bench/arrays.c — what an array of very many tasks costs: its submission, the start of all tasks
 * in one pass on a counted machine that has room for them, and their ends.
 *
 * A second array has a limit of tasks that run at once: there a task's end and the pass that starts
 * the next one are told.  Numbers go out as one JSON object.
 *
 * Usage: arrays BACKFILL [TASKS] */
#include <stdio.h>
#include <stdlib.h>

#include "bench/driver.h"
#include "policies/registry.h"

#define AT_ONCE 1000u
#define ROUNDS 2000u

static gint64
submit (Driver *self, guint32 tasks, guint32 at_once)
{
  char array[32];
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  g_snprintf (array, sizeof array, "0-%u%%%u", tasks - 1, at_once);
  event.submit.procs = 1;
  event.submit.estimate_us = G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC;
  event.submit.array = lk_text (array);
  return driver_submit (self, &event);
}

static Driver
driver_of (const LkSetup *setup)
{
  LkPolicyError refusal;
  Driver driver;
  driver_init (&driver, lk_engine_new (lk_setup_config (setup), &refusal), 0);
  return driver;
}

typedef struct {
  gint64 submit_ns;
  gint64 start_ns; /* of all tasks */
  gint64 end_ns;
  gint64 next_ns; /* of one: an end, and the start of the next */
} Costs;

static void
run_all (const LkSetup *setup, guint32 tasks, Costs *costs)
{
  Driver driver = driver_of (setup);
  costs->submit_ns = submit (&driver, tasks, 0);
  costs->start_ns = driver_pass (&driver);
  if (driver.running->len != tasks)
    g_error ("%u of %u tasks run", driver.running->len, tasks);
  for (guint32 i = 0; i < tasks; i++) {
    driver.now_us++;
    costs->end_ns += driver_end_one (&driver);
  }
  driver_clear (&driver);
}

static void
run_limited (const LkSetup *setup, guint32 tasks, Costs *costs)
{
  Driver driver = driver_of (setup);
  g_autoptr (GArray) each = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint32 at_once = MIN (AT_ONCE, tasks / 2);
  submit (&driver, tasks, at_once);
  driver_pass (&driver);
  for (guint i = 0; i < MIN (ROUNDS, tasks - at_once); i++) {
    driver.now_us++;
    gint64 cost_ns = driver_end_one (&driver) + driver_pass (&driver);
    g_array_append_val (each, cost_ns);
  }
  if (driver.running->len != at_once)
    g_error ("%u tasks run, of %u at most", driver.running->len, at_once);
  costs->next_ns = driver_median (each);
  driver_clear (&driver);
}

int
main (int argc, char **argv)
{
  const char *backfill = argc > 1 ? argv[1] : "easy";
  guint32 tasks = argc > 2 ? (guint32)strtoul (argv[2], NULL, 10) : 1000000;
  g_autoptr (GError) error = NULL;
  LkSetupOptions options = {
    .units_total = tasks, .origin_us = 0, .order = "fifo", .backfill = backfill, .select = "pool"
  };
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (LkSetup) setup = lk_setup_new (registry, &options, &error);
  if (setup == NULL || tasks < 2) {
    fprintf (stderr, "arrays: %s\n", setup == NULL ? error->message : "two tasks at least");
    return 1;
  }
  Costs costs = { 0 };
  run_all (setup, tasks, &costs);
  run_limited (setup, tasks, &costs);
  printf ("{\"backfill\":\"%s\",\"tasks\":%u,\"submit_us\":%.1f,\"start_us\":%.3f,\"end_us\":%.3f,"
          "\"next_us\":%.3f}\n",
          backfill, tasks, (double)costs.submit_ns / 1e3,
          (double)costs.start_ns / 1e3 / (double)tasks, (double)costs.end_ns / 1e3 / (double)tasks,
          (double)costs.next_ns / 1e3);
  return 0;
}
