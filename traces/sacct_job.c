/* traces/sacct_job.c — see sacct_job.h. */
#include "traces/sacct_job.h"

#include <string.h>

#include "engine/limits.h"
#include "traces/reader_map.h"
#include "traces/submit_line.h"

gboolean
lk_sacct_rules_init (LkSacctRules *rules, const LkReaderBase *base, GError **error)
{
  static const char *const resources[] = { "requested", "allocated", NULL };
  static const char *const lines[] = { "log", "none", NULL };
  static const char *const terms[] = { "none", "log", NULL };
  guint resource;
  guint line;
  guint term;
  guint reservation;
  if (!lk_reader_map_choice (base, "resources", resources, &resource, error)
      || !lk_reader_map_choice (base, "submit_line", lines, &line, error)
      || !lk_reader_map_choice (base, "terms", terms, &term, error)
      || !lk_reader_map_choice (base, "reservation", lines, &reservation, error))
    return FALSE;
  *rules = (LkSacctRules){ .allocated = resource == 1,
                           .line = line == 0,
                           .terms = term == 1,
                           .in_reservation = reservation == 0 };
  return TRUE;
}

void
lk_sacct_job_init (LkSacctJob *self)
{
  memset (self, 0, sizeof *self);
  lk_tres_init (&self->requested);
  lk_tres_init (&self->allocated);
  self->number = self->submit_us = self->eligible_us = self->start_us = self->end_us = -1;
  self->elapsed_us = self->suspended_us = self->limit_us = -1;
  self->cpus = self->cpus_allocated = self->nodes = self->nodes_allocated = -1;
  self->uid = self->gid = -1;
}

/* What sacct prints where there is nothing. */
static gboolean
is_nothing (LkSpan span)
{
  static const char *const words[] = { "", "(null)", "None", "None assigned", "N/A", "Unknown" };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (lk_span_is (span, words[i]))
      return TRUE;
  return FALSE;
}

static const char *
text_of (LkReaderBase *base, LkSpan span)
{
  return is_nothing (span) ? NULL : lk_reader_text (base, span.bytes, span.length_bytes);
}

/* ---------------------------------------------------------------- times */

/* A job that was cancelled while it waited has, by version, no start or its end for a start. */
static gboolean
has_started (const LkSacctJob *self)
{
  if (self->state == LK_RECORD_PENDING)
    return FALSE;
  if (self->start_us < 0)
    return self->elapsed_us > 0; /* without a column Start */
  gboolean is_moment =
      self->elapsed_us == 0 || (self->elapsed_us < 0 && self->end_us == self->start_us);
  return self->state != LK_RECORD_CANCELLED || !is_nothing (self->node_list) || !is_moment;
}

static gint64
run_us (const LkSacctJob *self)
{
  if (self->elapsed_us >= 0)
    return self->elapsed_us;
  if (self->end_us < self->start_us)
    return -1;
  return MAX (self->end_us - self->start_us - MAX (self->suspended_us, 0), 0);
}

static void
take_times (const LkSacctJob *self, LkTraceRecord *record)
{
  record->submit_us = self->submit_us;
  record->eligible_us = self->eligible_us > self->submit_us ? self->eligible_us : -1;
  record->limit_us = self->limit_us;
  if (self->state != LK_RECORD_RUNNING && self->state != LK_RECORD_PENDING)
    record->end_us = self->end_us;
  if (!has_started (self))
    return;
  record->start_us = self->start_us;
  record->run_us = run_us (self);
  record->suspended_us = MAX (self->suspended_us, 0);
}

/* ---------------------------------------------------------------- resources */

static gint64
first_positive (const gint64 *values, gsize count)
{
  for (gsize i = 0; i < count; i++)
    if (values[i] > 0)
      return values[i];
  return -1;
}

static gint64
cpus_of (const LkSacctJob *self, const LkSacctRules *rules)
{
  const gint64 asked[] = { self->requested.cpus, self->cpus, self->allocated.cpus,
                           self->cpus_allocated };
  const gint64 given[] = { self->allocated.cpus, self->cpus_allocated, self->requested.cpus,
                           self->cpus };
  return first_positive (rules->allocated ? given : asked, G_N_ELEMENTS (asked));
}

/* What was given counts first: how many nodes it came to is what placement has to reproduce, and
 * the request may have left it open. */
static gint64
nodes_of (const LkSacctJob *self)
{
  const gint64 values[] = { self->nodes_allocated, self->allocated.nodes, self->nodes,
                            self->requested.nodes };
  return first_positive (values, G_N_ELEMENTS (values));
}

static gint64
divide_up (gint64 total, gint64 by)
{
  return total / by + (total % by > 0 ? 1 : 0);
}

/* A size of 0 says nothing: sacct prints it for "all of the node" and for "not managed". */
static gint64
memory_total_bytes (const LkSacctJob *self)
{
  const gint64 values[] = { self->requested.memory_bytes, self->memory_bytes,
                            self->allocated.memory_bytes };
  return first_positive (values, G_N_ELEMENTS (values));
}

static void
take_memory (const LkSacctJob *self, const LkSacctRules *rules, gint64 nodes, LkJobRequest *request)
{
  gboolean is_given = rules->allocated && self->allocated.memory_bytes > 0;
  gint64 total_bytes = is_given ? self->allocated.memory_bytes : memory_total_bytes (self);
  gboolean is_exact = !is_given && self->memory_bytes > 0;
  if (is_exact && self->memory_kind == LK_MEMORY_PER_CPU) {
    request->present |= LK_REQUEST_HAS_MEMORY_PER_CPU;
    request->memory_per_cpu_bytes = self->memory_bytes;
  } else if (is_exact && self->memory_kind == LK_MEMORY_PER_NODE) {
    request->present |= LK_REQUEST_HAS_MEMORY_PER_NODE;
    request->memory_per_node_bytes = self->memory_bytes;
  } else if (total_bytes > 0) {
    request->present |= LK_REQUEST_HAS_MEMORY_PER_NODE;
    request->memory_per_node_bytes = divide_up (total_bytes, nodes);
  }
}

static gboolean
counts_gpus (const LkTres *tres)
{
  for (guint i = 0; i < tres->gres_count; i++)
    if (lk_span_is (tres->gres[i].name, "gpu"))
      return TRUE;
  return FALSE;
}

/* Old Slurm lists the gres of a request in AllocTRES only; what has GPUs is more complete. */
static void
take_gres (const LkSacctJob *self, const LkSacctRules *rules, gint64 nodes, LkReaderBase *base,
           LkJobRequest *request)
{
  const LkTres *first = rules->allocated ? &self->allocated : &self->requested;
  const LkTres *second = rules->allocated ? &self->requested : &self->allocated;
  const LkTres *tres = first;
  if (first->gres_count == 0 || (!counts_gpus (first) && counts_gpus (second)))
    tres = second;
  if (tres->gres_count > 0)
    lk_tres_gres_request (tres, nodes, base, request);
  else if (self->gres.length_bytes > 0)
    request->gres = lk_text (lk_reader_text (base, self->gres.bytes, self->gres.length_bytes));
  if (request->licenses.length_bytes == 0)
    lk_tres_license_request (first->license_count > 0 ? first : second, base, request);
}

/* Tasks as on the command line, when they explain the CPUs; else a task for each CPU. */
static void
take_tasks (const LkSubmitTasks *line, gint64 cpus, LkJobRequest *request)
{
  guint64 cpus_per_task = MAX (line->cpus_per_task, 1);
  if (cpus <= 0 || cpus > LK_LIMIT_UNITS)
    return;
  if (line->tasks > 0 && line->tasks * cpus_per_task == (guint64)cpus) {
    request->tasks = line->tasks;
    request->cpus_per_task = line->cpus_per_task;
  } else if (line->tasks == 0 && line->cpus_per_task > 1 && cpus % line->cpus_per_task == 0) {
    request->tasks = (guint32)(cpus / line->cpus_per_task);
    request->cpus_per_task = line->cpus_per_task;
  } else {
    request->tasks = (guint32)cpus;
    /* They do not hold for tasks of another kind. */
    request->tasks_per_node = request->tasks_per_socket = 0;
  }
}

/* ---------------------------------------------------------------- the record */

static void
take_names (const LkSacctJob *self, LkReaderBase *base, LkTraceRecord *record)
{
  const char *partition = text_of (base, self->partition);
  record->user = text_of (base, self->user);
  record->group = text_of (base, self->group);
  record->job_name = lk_reader_text (base, self->job_name.bytes, self->job_name.length_bytes);
  record->node_list = text_of (base, self->node_list);
  record->user_id = self->uid >= 0 && self->uid < G_MAXUINT32
                        ? (guint32)self->uid
                        : lk_reader_number (base, LK_NAMES_USER, record->user);
  record->group_id = self->gid >= 0 && self->gid < G_MAXUINT32
                         ? (guint32)self->gid
                         : lk_reader_number (base, LK_NAMES_GROUP, record->group);
  record->partition_id = lk_reader_number (base, LK_NAMES_PARTITION, partition);
  record->request.partition = lk_text (partition);
  record->request.group = lk_text (record->group);
  record->request.account = lk_text (text_of (base, self->account));
  record->request.qos = lk_text (text_of (base, self->qos));
}

/* "123_4", "123+1"; nothing for a plain id, which is the number. */
static const char *
name_of (const LkSacctId *id, LkReaderBase *base)
{
  char name[80];
  if (id->array_task < 0 && id->het_offset < 0)
    return NULL;
  int length = g_snprintf (name, sizeof name, "%" G_GINT64_FORMAT, id->number);
  if (id->array_task >= 0)
    length += g_snprintf (name + length, sizeof name - (gsize)length, "_%" G_GINT64_FORMAT,
                          id->array_task);
  if (id->het_offset >= 0)
    length += g_snprintf (name + length, sizeof name - (gsize)length, "+%" G_GINT64_FORMAT,
                          id->het_offset);
  return lk_reader_text_once (base, name, (gsize)length);
}

static void
take_request (const LkSacctJob *self, const LkSacctRules *rules, LkReaderBase *base,
              LkTraceRecord *record)
{
  LkJobRequest *request = &record->request;
  LkSubmitTasks tasks = { 0, 0 };
  gint64 cpus = cpus_of (self, rules);
  gint64 nodes = nodes_of (self);
  if (rules->line)
    lk_submit_line_apply (self->submit_line, base, request, &tasks);
  const char *constraint = text_of (base, self->constraint);
  const char *licenses = text_of (base, self->licenses);
  if (constraint)
    request->constraint = lk_text (constraint);
  if (licenses)
    request->licenses = lk_text (licenses);
  record->procs = cpus;
  if (nodes > 0 && nodes <= G_MAXUINT32) {
    request->nodes_min = (guint32)nodes;
    request->nodes_max = record->run_us >= 0 ? (guint32)nodes : 0;
  }
  take_tasks (&tasks, cpus, request);
  take_memory (self, rules, MAX (nodes, 1), request);
  take_gres (self, rules, MAX (nodes, 1), base, request);
}

/* Then it counts as submitted when it was.  That it became eligible later is its begin time, unless
 * the log says what it waited for: the end of other jobs comes at another time in a replay. */
static void
take_terms (const LkSacctJob *self, const LkSacctRules *rules, LkReaderBase *base,
            LkTraceRecord *record)
{
  LkJobTerms terms = { 0 };
  const char *job_name = lk_reader_string (base, record->job_name);
  if (rules->line)
    lk_submit_line_terms (self->submit_line, base, self->submit_us, &terms);
  if (terms.dependency.length_bytes == 0 && terms.begin_us == 0)
    terms.begin_us = MAX (record->eligible_us, 0);
  const char *reservation = text_of (base, self->reservation);
  if (reservation != NULL)
    terms.reservation = lk_text (reservation);
  if (!rules->in_reservation)
    terms.reservation = (LkText){ 0 };
  terms.name = lk_text (job_name);
  terms.het_count = self->id.het_offset >= 0 ? 1 : 0;
  record->eligible_us = -1;
  record->terms = lk_reader_terms (base, &terms);
}

void
lk_sacct_job_record (const LkSacctJob *self, const LkSacctRules *rules, LkReaderBase *base,
                     LkTraceRecord *out_record)
{
  gboolean is_one = self->number > 0 && self->id.tasks.length_bytes == 0;
  out_record->number = is_one ? self->number : self->id.number;
  out_record->name = name_of (&self->id, base);
  out_record->state = self->state;
  out_record->exit_code = self->exit_code;
  out_record->exit_signal = self->exit_signal;
  take_times (self, out_record);
  take_names (self, base, out_record);
  take_request (self, rules, base, out_record);
  if (rules->terms)
    take_terms (self, rules, base, out_record);
}
