/* traces/submit_line.c — see submit_line.h.
 *
 * Logs are anonymised, cut and edited: that a line cannot be understood is no error of the log,
 * whose other columns say what matters most. */
#include "traces/submit_line.h"

#include <string.h>

#include "traces/job_options.h"
#include "traces/job_values.h"

/* What a line may add, of LK_REQUEST_FLAGS. */
#define FLAGS_TAKEN                                                                                \
  (LK_REQUEST_EXCLUSIVE | LK_REQUEST_EXCLUSIVE_USER | LK_REQUEST_OVERSUBSCRIBE                     \
   | LK_REQUEST_CONTIGUOUS | LK_REQUEST_SPREAD_JOB | LK_REQUEST_ENFORCE_BINDING                    \
   | LK_REQUEST_DISABLE_BINDING | LK_REQUEST_NO_REQUEUE | LK_REQUEST_NO_KILL                       \
   | LK_REQUEST_USE_MIN_NODES | LK_REQUEST_PACK | LK_REQUEST_CORES_BLOCK                           \
   | LK_REQUEST_CORES_CYCLIC)

/* Is it one of the three commands, with or without a path? */
static gboolean
is_command (const char *word)
{
  const char *slash = strrchr (word, '/');
  const char *name = slash ? slash + 1 : word;
  return strcmp (name, "sbatch") == 0 || strcmp (name, "srun") == 0 || strcmp (name, "salloc") == 0;
}

static gboolean
line_parse (LkSpan line, LkReaderBase *base, LkJobOptions *out_options)
{
  g_autofree char *text = g_strndup (line.bytes, line.length_bytes);
  g_auto (GStrv) words = lk_job_options_split (text, NULL);
  return words && words[0] && is_command (words[0])
         && lk_job_options_parse ((const char *const *)words + 1, base->texts, out_options, NULL);
}

void
lk_submit_line_apply (LkSpan line, LkReaderBase *base, LkJobRequest *request,
                      LkSubmitTasks *out_tasks)
{
  LkJobOptions options;
  *out_tasks = (LkSubmitTasks){ 0, 0 };
  if (line.length_bytes == 0 || !line_parse (line, base, &options))
    return;
  const LkJobRequest *from = &options.request;
  request->flags |= from->flags & FLAGS_TAKEN;
  request->tasks_per_node = from->tasks_per_node;
  request->tasks_per_socket = from->tasks_per_socket;
  request->cpus_per_node_min = from->cpus_per_node_min;
  request->sockets_per_node_min = from->sockets_per_node_min;
  request->cores_per_socket_min = from->cores_per_socket_min;
  request->threads_per_core = from->threads_per_core;
  request->tmp_per_node_bytes = from->tmp_per_node_bytes;
  request->switches = from->switches;
  request->switches_wait_us = from->switches_wait_us;
  request->segment_nodes = from->segment_nodes;
  request->constraint = from->constraint;
  request->licenses = from->licenses;
  request->node_list = from->node_list;
  request->exclude = from->exclude;
  *out_tasks = (LkSubmitTasks){ from->tasks, from->cpus_per_task };
}

static void
moment_take (const char *text, gint64 submit_us, gint64 *out_us)
{
  gint64 at_us;
  if (text != NULL
      && (lk_job_moment_parse (text, submit_us, &at_us)
          || lk_sacct_time_us (lk_span (text), &at_us))
      && at_us > 0)
    *out_us = at_us;
}

void
lk_submit_line_terms (LkSpan line, LkReaderBase *base, gint64 submit_us, LkJobTerms *out_terms)
{
  LkJobOptions options;
  *out_terms = (LkJobTerms){ 0 };
  if (line.length_bytes == 0 || !line_parse (line, base, &options))
    return;
  *out_terms = options.terms;
  out_terms->array = out_terms->comment = out_terms->name = (LkText){ 0 };
  moment_take (options.begin, submit_us, &out_terms->begin_us);
  moment_take (options.deadline, submit_us, &out_terms->deadline_us);
}
