/* sim/gate/baseline.c — see baseline.h. */
#include "sim/gate/baseline.h"

#include <math.h>
#include <string.h>

#include "engine/digest.h"
#include "engine/suggest.h"
#include "sim/error.h"

#define RUNS_MAX 20000u
#define FORMAT "1"

static const char *const metric_names[] = {
  "jobs",           "jobs_measured", "mean_wait_s",           "median_wait_s",
  "p95_wait_s",     "max_wait_s",    "mean_bounded_slowdown", "p95_bounded_slowdown",
  "utilization",    "makespan_s",    "backfilled_jobs",       "killed_jobs",
  "unstarted_jobs",
};
G_STATIC_ASSERT (G_N_ELEMENTS (metric_names) == LK_GATE_METRIC_COUNT);

const char *
lk_gate_metric_name (guint index)
{
  return metric_names[index];
}

LkGateRun *
lk_gate_run_new (void)
{
  LkGateRun *self = g_new0 (LkGateRun, 1);
  self->speed_ratio = NAN;
  return self;
}

void
lk_gate_run_free (LkGateRun *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->command);
  g_free (self->decisions);
  for (guint i = 0; i < LK_GATE_METRIC_COUNT; i++)
    g_free (self->metrics[i]);
  g_free (self);
}

LkGateBaseline *
lk_gate_baseline_new (void)
{
  LkGateBaseline *self = g_new0 (LkGateBaseline, 1);
  self->runs = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_gate_run_free);
  return self;
}

void
lk_gate_baseline_free (LkGateBaseline *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->runs);
  g_free (self);
}

LkGateRun *
lk_gate_baseline_find (const LkGateBaseline *self, const char *name)
{
  for (guint i = 0; i < self->runs->len; i++) {
    LkGateRun *run = g_ptr_array_index (self->runs, i);
    if (strcmp (run->name, name) == 0)
      return run;
  }
  return NULL;
}

void
lk_gate_baseline_append (const LkGateBaseline *self, GString *out)
{
  g_string_append (out,
                   "# Baseline of lockstep gate; --update makes it anew.\nformat = " FORMAT "\n");
  for (guint i = 0; i < self->runs->len; i++) {
    const LkGateRun *run = g_ptr_array_index (self->runs, i);
    g_string_append_printf (out, "\n[%s]\ncommand = %s\ndecisions = %s\n", run->name, run->command,
                            run->decisions);
    for (guint m = 0; m < LK_GATE_METRIC_COUNT; m++)
      g_string_append_printf (out, "%s = %s\n", metric_names[m], run->metrics[m]);
    if (isnan (run->speed_ratio))
      continue;
    char speed[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf (out, "speed = %s\n",
                            g_ascii_formatd (speed, sizeof speed, "%.2f", run->speed_ratio));
  }
}

/* ---------------------------------------------------------------- reading */

typedef struct {
  const char *path;
  guint line_number;
  LkGateBaseline *baseline;
  LkGateRun *run; /* that is being read; NULL: none yet */
  gboolean has_format;
  GError **error;
} Reader;

static gboolean fail (const Reader *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (const Reader *self, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (self->error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT, "%s:%u: %s", self->path,
               self->line_number, text);
  return FALSE;
}

/* Where the value of a key goes; NULL: no such key. */
static char **
member_of (LkGateRun *run, const char *key)
{
  if (strcmp (key, "command") == 0)
    return &run->command;
  if (strcmp (key, "decisions") == 0)
    return &run->decisions;
  for (guint m = 0; m < LK_GATE_METRIC_COUNT; m++)
    if (strcmp (key, metric_names[m]) == 0)
      return &run->metrics[m];
  return NULL;
}

static gboolean
unknown_key (const Reader *self, const char *key)
{
  const char *known[LK_GATE_METRIC_COUNT + 4] = { "command", "decisions", "speed" };
  for (guint m = 0; m < LK_GATE_METRIC_COUNT; m++)
    known[m + 3] = metric_names[m];
  g_autofree char *phrase = lk_suggest_phrase (key, known);
  return fail (self, "unknown key '%s'%s", key, phrase);
}

static gboolean
read_speed (const Reader *self, const char *value)
{
  char *end;
  double speed = g_ascii_strtod (value, &end);
  if (end == value || *end != '\0' || !isfinite (speed) || !(speed > 0))
    return fail (self, "'speed' is '%s'; expected a number above 0", value);
  if (!isnan (self->run->speed_ratio))
    return fail (self, "'speed' is given twice");
  self->run->speed_ratio = speed;
  return TRUE;
}

/* A value that no run can have is damage, which must not pass for a change of the policy. */
static gboolean
check_value (const Reader *self, const char *key, const char *value)
{
  char *end;
  if (strcmp (key, "command") == 0)
    return TRUE;
  if (strcmp (key, "decisions") == 0) {
    gsize digit_count = strspn (value, "0123456789abcdef");
    return (digit_count == LK_DIGEST_TEXT_BYTES - 1 && value[digit_count] == '\0')
           || fail (self, "'decisions' is '%s'; expected %u hexadecimal digits", value,
                    LK_DIGEST_TEXT_BYTES - 1);
  }
  gboolean is_number = isfinite (g_ascii_strtod (value, &end)) && end != value && *end == '\0';
  return is_number || strcmp (value, "-") == 0
         || fail (self, "'%s' is '%s'; expected a number, or -", key, value);
}

static gboolean
read_value (Reader *self, const char *key, const char *value)
{
  if (self->run == NULL) {
    if (strcmp (key, "format") != 0)
      return fail (self, "'%s' stands before any [run]", key);
    if (strcmp (value, FORMAT) != 0)
      return fail (self, "'format' is '%s'; this lockstep knows " FORMAT, value);
    self->has_format = TRUE;
    return TRUE;
  }
  if (strcmp (key, "speed") == 0)
    return read_speed (self, value);
  char **member = member_of (self->run, key);
  if (member == NULL)
    return unknown_key (self, key);
  if (*member != NULL)
    return fail (self, "'%s' is given twice", key);
  if (!check_value (self, key, value))
    return FALSE;
  *member = g_strdup (value);
  return TRUE;
}

/* Is all there of the run that has been read? */
static gboolean
end_run (const Reader *self)
{
  const LkGateRun *run = self->run;
  const char *missing = NULL;
  if (run == NULL)
    return TRUE;
  for (guint m = LK_GATE_METRIC_COUNT; m-- > 0;)
    missing = run->metrics[m] == NULL ? metric_names[m] : missing;
  missing = run->decisions == NULL ? "decisions" : missing;
  missing = run->command == NULL ? "command" : missing;
  return missing == NULL || fail (self, "run '%s' has no '%s'", run->name, missing);
}

static gboolean
begin_run (Reader *self, const char *line)
{
  gsize length_bytes = strlen (line);
  if (!self->has_format)
    return fail (self, "expected 'format = " FORMAT "' first");
  if (length_bytes < 3 || line[length_bytes - 1] != ']')
    return fail (self, "'%s': expected [NAME]", line);
  if (!end_run (self))
    return FALSE;
  g_autofree char *name = g_strndup (line + 1, length_bytes - 2);
  if (lk_gate_baseline_find (self->baseline, name) != NULL)
    return fail (self, "run '%s' is there twice", name);
  if (self->baseline->runs->len >= RUNS_MAX)
    return fail (self, "more than %u runs", RUNS_MAX);
  self->run = lk_gate_run_new ();
  self->run->name = g_steal_pointer (&name);
  g_ptr_array_add (self->baseline->runs, self->run);
  return TRUE;
}

static gboolean
read_line (Reader *self, char *line)
{
  if (line[0] == '\0' || line[0] == '#')
    return TRUE;
  if (line[0] == '[')
    return begin_run (self, line);
  char *equals = strchr (line, '=');
  if (equals == NULL)
    return fail (self, "expected 'key = value'");
  *equals = '\0';
  return read_value (self, g_strstrip (line), g_strstrip (equals + 1));
}

LkGateBaseline *
lk_gate_baseline_read (const char *path, const char *text, gsize length_bytes, GError **error)
{
  g_autoptr (LkGateBaseline) baseline = lk_gate_baseline_new ();
  Reader self = { .path = path, .baseline = baseline, .error = error };
  const char *end = text + length_bytes;
  for (const char *at = text; at < end;) {
    const char *newline = memchr (at, '\n', (gsize)(end - at));
    gsize line_bytes = (gsize)((newline != NULL ? newline : end) - at);
    g_autofree char *line = g_strndup (at, line_bytes);
    self.line_number++;
    if (strlen (line) != line_bytes || !g_utf8_validate (line, -1, NULL)) {
      fail (&self, "this is no text");
      return NULL;
    }
    if (!read_line (&self, line))
      return NULL;
    at += line_bytes + 1;
  }
  if (!self.has_format) {
    fail (&self, "expected 'format = " FORMAT "'");
    return NULL;
  }
  return end_run (&self) ? g_steal_pointer (&baseline) : NULL;
}
