/* sim/run_source.c — see run_source.h. */
#include "sim/run_source.h"

#include <string.h>

#include "engine/limits.h"
#include "sim/error.h"
#include "sim/machine_guess.h"
#include "sim/run_accounts.h"

typedef struct {
  const char *path;
  const guint8 *bytes; /* NULL: what the path names */
  gsize length_bytes;
  gboolean warns;
} Log;

static LkTraceSource *
source_of (const Log *self, const LkTraceOptions *options, GError **error)
{
  const char *path = self->path;
  if (self->bytes == NULL)
    return lk_trace_source_new (path, options, error);
  return lk_trace_source_new_from_bytes (path, self->bytes, self->length_bytes, options, error);
}

static LkTraceReader *
reader_of (const Log *self, const LkReaderOptions *options, GError **error)
{
  const char *path = self->path;
  if (self->bytes == NULL)
    return lk_trace_reader_new (path, options, error);
  return lk_trace_reader_new_from_bytes (path, self->bytes, self->length_bytes, options, error);
}

/* Nothing says how large the machine is: the log is read once more to guess it. */
static gboolean
guess_machine (const Log *self, LkTraceOptions *options, GError **error)
{
  const char *path = self->path;
  LkMachineGuess guess = { 0 };
  LkReaderOptions reading = options->reader;
  reading.lenient |= options->lenient;
  g_autoptr (LkTraceReader) reader = NULL;
  gboolean is_stream = self->bytes == NULL && strcmp (path, "-") == 0;
  if (!is_stream) {
    reader = reader_of (self, &reading, error);
    if (reader == NULL || !lk_machine_guess (reader, &guess, error))
      return FALSE;
  }
  if (guess.procs < 1 || guess.procs > LK_LIMIT_UNITS) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "trace '%s': the log does not say how large the machine is; give it with "
                 "--cluster or --procs",
                 is_stream ? "standard input" : path);
    return FALSE;
  }
  options->procs = (guint32)guess.procs;
  if (self->warns)
    g_printerr ("lockstep sim: trace '%s': the log does not say how large the machine is: %u "
                "processors are assumed, %s; give the size with --procs or --cluster\n",
                path, options->procs,
                guess.is_use ? "the most that its jobs used at once" : "as its largest job has");
  return TRUE;
}

LkTraceSource *
lk_run_source (const LkSettings *settings, const LkSimHooks *hooks, const LkCluster *cluster,
               GError **error)
{
  GError *own = NULL;
  Log log = { .path = settings->trace_path, .warns = hooks == NULL };
  LkTraceOptions options = settings->trace;
  options.reader = lk_run_reader_options (settings);
  if (hooks != NULL) {
    log.bytes = hooks->log_bytes;
    log.length_bytes = hooks->log_length_bytes;
  }
  if (cluster != NULL && options.procs == 0)
    options.procs = (guint32)lk_cluster_cpu_count (cluster);
  g_autoptr (LkTraceSource) source = source_of (&log, &options, &own);
  gboolean is_known = source != NULL && lk_trace_source_procs (source) > 0;
  gboolean has_failed =
      source == NULL
      && (options.procs > 0 || !g_error_matches (own, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE));
  if (has_failed)
    g_propagate_error (error, own);
  else
    g_clear_error (&own);
  if (has_failed || is_known || cluster != NULL)
    return g_steal_pointer (&source);
  return guess_machine (&log, &options, error) ? source_of (&log, &options, error) : NULL;
}
