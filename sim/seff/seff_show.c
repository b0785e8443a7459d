/* sim/seff/seff_show.c — a job's use as lines with bars, and as JSON. See sim/seff/seff.h. */
#include <math.h>
#include <string.h>

#include "sim/json_out.h"
#include "sim/seff/seff.h"

#define BAR_COLUMNS 20
#define SAME_US ((gint64)G_USEC_PER_SEC)

/* ---------------------------------------------------------------- words */

/* "1-02:03:04" */
static char *
duration_text (gint64 time_us)
{
  gint64 seconds = time_us / G_USEC_PER_SEC;
  g_autofree char *days =
      seconds >= 86400 ? g_strdup_printf ("%" G_GINT64_FORMAT "-", seconds / 86400) : g_strdup ("");
  return g_strdup_printf ("%s%02d:%02d:%02d", days, (int)(seconds % 86400 / 3600),
                          (int)(seconds % 3600 / 60), (int)(seconds % 60));
}

static char *
memory_text (gint64 bytes)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
  double value = (double)bytes;
  guint unit = 0;
  for (; value >= 1024 && unit + 1 < G_N_ELEMENTS (units); unit++)
    value /= 1024;
  return g_strdup_printf (unit > 0 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

/* Names are whatever users give: no byte of them steers a terminal. */
static char *
plain (const char *name)
{
  char *text = g_utf8_make_valid (name, -1);
  for (char *at = text; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar c = g_utf8_get_char (at);
    if (!g_unichar_isprint (c) && c < 0x80)
      *at = '?';
    else if (!g_unichar_isprint (c))
      memset (at, '?', (gsize)(g_utf8_next_char (at) - at));
  }
  return text;
}

/* ---------------------------------------------------------------- bars */

/* `percent` below 0: not known. */
static void
bar (const char *label, double percent, const char *of, gboolean is_ascii, GString *out)
{
  g_string_append_printf (out, "  %-9s ", label);
  if (percent < 0) {
    g_string_append_printf (out, "not known, of %s\n", of);
    return;
  }
  int full = (int)(MIN (percent, 100) / 100 * BAR_COLUMNS + 0.5);
  for (int i = 0; i < BAR_COLUMNS; i++)
    g_string_append (out, i < full ? (is_ascii ? "#" : "█") : (is_ascii ? "." : "░"));
  g_string_append_printf (out, " %5.1f %% of %s\n", percent, of);
}

static void
bars (const LkSeffJob *self, gboolean is_ascii, GString *out)
{
  g_autofree char *limit = self->limit_us != G_MAXINT64 ? duration_text (self->limit_us) : NULL;
  g_autofree char *held = memory_text (self->memory_bytes);
  g_autofree char *used = memory_text (self->memory_sum_bytes);
  g_autofree char *cpus =
      g_strdup_printf ("%" G_GINT64_FORMAT " CPU%s", self->cpus, self->cpus == 1 ? "" : "s");
  g_autofree char *memory =
      self->usage_nodes > 0 ? g_strdup_printf ("%s: %s", held, used) : g_strdup (held);
  if (limit != NULL)
    bar ("time", lk_seff_time_percent (self), limit, is_ascii, out);
  bar ("CPU", lk_seff_cpu_percent (self), cpus, is_ascii, out);
  if (self->memory_bytes > 0)
    bar ("memory", lk_seff_memory_percent (self), memory, is_ascii, out);
  if (self->gpus == 0)
    return;
  g_autofree char *memory_used = memory_text (self->gpu_memory_bytes);
  g_autofree char *gpus =
      g_strdup_printf ("%" G_GINT64_FORMAT " GPU%s at the busiest, with %s of their memory",
                       self->gpus, self->gpus == 1 ? "" : "s", memory_used);
  bar ("GPU", self->usage_nodes > 0 ? (double)self->gpu_max_percent : -1, gpus, is_ascii, out);
}

/* ---------------------------------------------------------------- what it cost */

static void
ask_text (const LkSeffAsk *ask, GString *out)
{
  g_autofree char *words =
      ask->from != NULL ? g_strdup_printf ("%s instead of %s", ask->to, ask->from) : g_strdup ("");
  g_autofree char *by = duration_text (ABS (ask->saved_us));
  g_string_append_printf (out, "    %-12s %-30s ", lk_seff_ask_word (ask->kind), words);
  if (!ask->is_known)
    g_string_append (out, "when it would have started is not known\n");
  else if (ABS (ask->saved_us) < SAME_US)
    g_string_append (out, "it would have started at the same time\n");
  else
    g_string_append_printf (out, "it would have started %s %s\n", by,
                            ask->saved_us > 0 ? "earlier" : "later");
}

void
lk_seff_text (const LkSeffJob *self, gboolean is_ascii, GString *out)
{
  g_autofree char *label = lk_seff_label (self);
  g_autofree char *name = plain (self->name);
  g_autofree char *run = duration_text (lk_seff_run_us (self));
  g_autofree char *wait = duration_text (lk_seff_wait_us (self));
  g_string_append_printf (out, "Job %s (%s) of %s: %s", label, name, self->user, self->state);
  if (self->end_us != 0 && self->start_us != 0)
    g_string_append_printf (out, ", exit code %" G_GINT64_FORMAT, self->exit_code);
  g_string_append_printf (out, "\n  waited    %s\n", wait);
  if (self->start_us != 0) {
    g_string_append_printf (out, "  ran       %s on %" G_GINT64_FORMAT " node%s\n", run,
                            self->nodes, self->nodes == 1 ? "" : "s");
    bars (self, is_ascii, out);
  }
  if (self->asks->len > 0)
    g_string_append (out, "  What would have done, and what the ask has cost\n");
  for (guint i = 0; i < self->asks->len; i++)
    ask_text (&g_array_index (self->asks, LkSeffAsk, i), out);
  if (self->no_cost != NULL)
    g_string_append_printf (out, "  What the ask has cost: nothing is told, as %s.\n",
                            self->no_cost);
}

/* ---------------------------------------------------------------- JSON */

static void
percent_json (LkJsonOut *json, const char *name, double percent)
{
  lk_json_out_real (json, name, percent < 0 ? NAN : floor (percent * 100 + 0.5) / 100);
}

static void
use_json (const LkSeffJob *self, LkJsonOut *json)
{
  gboolean is_known = self->usage_nodes > 0;
  lk_json_out_real (json, "time_limit_s",
                    self->limit_us == G_MAXINT64 ? NAN : (double)self->limit_us / 1e6);
  percent_json (json, "time_percent", lk_seff_time_percent (self));
  lk_json_out_real (json, "cpu_used_s", is_known ? (double)self->cpu_us / 1e6 : NAN);
  percent_json (json, "cpu_percent", lk_seff_cpu_percent (self));
  lk_json_out_integer (json, "memory_held_bytes", self->memory_bytes);
  lk_json_out_real (json, "memory_used_bytes", is_known ? (double)self->memory_sum_bytes : NAN);
  percent_json (json, "memory_percent", lk_seff_memory_percent (self));
  lk_json_out_integer (json, "gpu_count", self->gpus);
  lk_json_out_real (json, "gpu_percent",
                    is_known && self->gpus > 0 ? (double)self->gpu_max_percent : NAN);
  lk_json_out_real (json, "gpu_memory_bytes",
                    is_known && self->gpus > 0 ? (double)self->gpu_memory_bytes : NAN);
}

static void
asks_json (const LkSeffJob *self, LkJsonOut *json)
{
  lk_json_out_array_begin (json, "asks");
  for (guint i = 0; i < self->asks->len; i++) {
    const LkSeffAsk *ask = &g_array_index (self->asks, LkSeffAsk, i);
    lk_json_out_object_begin (json, NULL);
    lk_json_out_text (json, "what", lk_seff_ask_word (ask->kind));
    lk_json_out_text (json, "from", ask->from);
    lk_json_out_text (json, "to", ask->to);
    lk_json_out_real (json, "start_s", ask->is_known ? (double)ask->start_us / 1e6 : NAN);
    lk_json_out_real (json, "saved_s", ask->is_known ? (double)ask->saved_us / 1e6 : NAN);
    lk_json_out_object_end (json);
  }
  lk_json_out_array_end (json);
  lk_json_out_text (json, "no_cost", self->no_cost);
}

static void
job_json (const LkSeffJob *self, LkJsonOut *json)
{
  g_autofree char *label = lk_seff_label (self);
  lk_json_out_object_begin (json, NULL);
  lk_json_out_integer (json, "job_id", self->job_id);
  lk_json_out_text (json, "label", label);
  lk_json_out_text (json, "name", self->name);
  lk_json_out_text (json, "user", self->user);
  lk_json_out_text (json, "account", self->account);
  lk_json_out_text (json, "partition", self->partition);
  lk_json_out_text (json, "state", self->state);
  lk_json_out_integer (json, "exit_code", self->exit_code);
  lk_json_out_integer (json, "node_count", self->nodes);
  lk_json_out_integer (json, "cpu_count", self->cpus);
  lk_json_out_real (json, "wait_s", (double)lk_seff_wait_us (self) / 1e6);
  lk_json_out_real (json, "run_s", (double)lk_seff_run_us (self) / 1e6);
  use_json (self, json);
  asks_json (self, json);
  lk_json_out_object_end (json);
}

void
lk_seff_json (const GPtrArray *jobs, GString *out)
{
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_array_begin (&json, "jobs");
  for (guint i = 0; i < jobs->len; i++)
    job_json (g_ptr_array_index (jobs, i), &json);
  lk_json_out_array_end (&json);
  lk_json_out_object_end (&json);
  g_string_append_c (out, '\n');
}
