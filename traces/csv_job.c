/* traces/csv_job.c — see csv_job.h. */
#include "traces/csv_job.h"

#include "engine/policy.h"
#include "traces/job_options.h"

#define MIB (G_GINT64_CONSTANT (1024) * 1024)
#define THOUSAND G_GINT64_CONSTANT (1000)

/* What is known while a row is filled. */
typedef struct {
  const LkCsvJob *job;
  const LkCsvRules *rules;
  GStringChunk *texts;
  LkTraceRecord *record;
  gint64 nodes;     /* 0: as many as placement takes */
  gint64 cpus;      /* of the job; 0: not said */
  gint64 gpus;      /* whole ones, rounded up; for what `per` says */
  gint64 gpu_parts; /* thousandths of one that is shared; 0: none is */
} Row;

static gboolean
has (const LkCsvJob *job, LkCsvField field)
{
  return (job->present & (1u << field)) != 0;
}

static gint64
divide_up (gint64 value, gint64 by)
{
  return value / by + (value % by > 0 ? 1 : 0);
}

/* A count as a whole number, rounded up; 0 when it is not known. */
static gint64
count (const LkCsvJob *job, LkCsvField field)
{
  return has (job, field) ? divide_up (job->values[field], THOUSAND) : 0;
}

/* ---------------------------------------------------------------- times */

static gint64
time_of (const LkCsvJob *job, LkCsvField field)
{
  return has (job, field) ? job->values[field] : -1;
}

static void
times_fill (const Row *row)
{
  const LkCsvJob *job = row->job;
  LkTraceRecord *record = row->record;
  record->submit_us = time_of (job, LK_CSV_FIELD_SUBMIT);
  record->eligible_us = time_of (job, LK_CSV_FIELD_ELIGIBLE);
  record->start_us = time_of (job, LK_CSV_FIELD_START);
  record->end_us = time_of (job, LK_CSV_FIELD_END);
  record->run_us = time_of (job, LK_CSV_FIELD_RUN);
  record->limit_us = time_of (job, LK_CSV_FIELD_LIMIT);
  record->suspended_us = MAX (0, time_of (job, LK_CSV_FIELD_SUSPENDED));
  if (record->submit_us < 0)
    record->submit_us = record->start_us;
  if (record->start_us < 0 && record->submit_us >= 0 && has (job, LK_CSV_FIELD_WAIT))
    record->start_us = record->submit_us + job->values[LK_CSV_FIELD_WAIT];
}

/* The run time, where the row does not say it. */
static const char *
run_fill (const Row *row)
{
  LkTraceRecord *record = row->record;
  gint64 limit_us = record->limit_us;
  gint64 begin_us = record->start_us;
  if (record->run_us >= 0)
    return NULL;
  if (begin_us < 0 && row->rules->run_from_submit)
    begin_us = record->submit_us;
  if (record->end_us >= 0 && begin_us >= 0) {
    if (record->end_us - begin_us < record->suspended_us)
      return "the job ends before it starts; expected an end behind the start";
    record->run_us = record->end_us - begin_us - record->suspended_us;
    /* The rule says that it was not waiting. */
    if (record->start_us < 0 && record->state == LK_RECORD_PENDING)
      record->state = LK_RECORD_UNKNOWN;
  } else if (row->rules->run_to_limit && limit_us >= 0 && limit_us != LK_TIME_NEVER) {
    record->run_us = limit_us;
    if (record->state == LK_RECORD_UNKNOWN)
      record->state = LK_RECORD_TIMEOUT;
  }
  return NULL;
}

/* ---------------------------------------------------------------- nodes and CPUs */

static void
nodes_fill (Row *row)
{
  LkJobRequest *request = &row->record->request;
  gint64 nodes = count (row->job, LK_CSV_FIELD_NODES);
  gboolean fits_one = has (row->job, LK_CSV_FIELD_GPUS)
                      && row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_JOB
                      && row->gpus <= row->rules->gpus_per_node_max;
  row->nodes = request->nodes_min;
  if (row->nodes > 0)
    return;
  if (nodes == 0)
    nodes = row->rules->nodes;
  if (nodes == 0 && row->rules->gpus_per_node_max > 0 && fits_one)
    nodes = 1;
  row->nodes = nodes;
  request->nodes_min = request->nodes_max = (guint32)nodes;
}

static void
cpus_fill (Row *row)
{
  LkJobRequest *request = &row->record->request;
  gint64 cpus = count (row->job, LK_CSV_FIELD_CPUS);
  gint64 nodes = MAX (1, row->nodes);
  if (cpus == 0)
    return;
  if (row->job->per[LK_CSV_FIELD_CPUS] == LK_CSV_PER_TASK) {
    request->cpus_per_task = (guint32)cpus;
    row->cpus = cpus * MAX (1, request->tasks);
  } else if (row->job->per[LK_CSV_FIELD_CPUS] == LK_CSV_PER_NODE) {
    request->tasks = (guint32)nodes;
    request->tasks_per_node = 1;
    request->cpus_per_task = (guint32)cpus;
    row->cpus = cpus * nodes;
  } else {
    row->cpus = cpus;
    if (request->tasks == 0)
      request->tasks = (guint32)(row->nodes > 0 ? row->nodes : cpus);
    request->cpus_per_task = (guint32)divide_up (cpus, request->tasks);
    if (row->nodes > 1 && request->tasks == row->nodes)
      request->tasks_per_node = 1;
  }
}

/* ---------------------------------------------------------------- GPUs */

static void
gpus_count (Row *row)
{
  const LkCsvJob *job = row->job;
  gint64 parts = has (job, LK_CSV_FIELD_GPUS) ? job->values[LK_CSV_FIELD_GPUS] : 0;
  if (parts == THOUSAND && has (job, LK_CSV_FIELD_GPU_SHARES)
      && job->values[LK_CSV_FIELD_GPU_SHARES] > 0)
    parts = MIN (job->values[LK_CSV_FIELD_GPU_SHARES], THOUSAND);
  row->gpus = divide_up (parts, THOUSAND);
  row->gpu_parts = parts > 0 && parts < THOUSAND ? parts : 0;
}

/* "[gpu:][type:]number". */
static LkText
gpus_text (const Row *row, gboolean has_name, gint64 gpus)
{
  g_autofree char *text = g_strdup_printf ("%s%s%s%" G_GINT64_FORMAT, has_name ? "gpu:" : "",
                                           row->job->gpu_type != NULL ? row->job->gpu_type : "",
                                           row->job->gpu_type != NULL ? ":" : "", gpus);
  return lk_text (g_string_chunk_insert_const (row->texts, text));
}

/* A part of a GPU stands on one node for each task that has it. */
static void
gpu_part_fill (Row *row)
{
  LkJobRequest *request = &row->record->request;
  gint64 shares = divide_up (row->gpu_parts * row->rules->shares_per_gpu, THOUSAND);
  g_autofree char *text = g_strdup_printf ("shard:%" G_GINT64_FORMAT, shares);
  request->gres = lk_text (g_string_chunk_insert_const (row->texts, text));
  if (row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_TASK)
    row->nodes = MAX (1, request->tasks);
  else if (row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_JOB)
    row->nodes = 1;
  if (row->nodes == 0)
    return;
  request->nodes_min = request->nodes_max = (guint32)row->nodes;
  if (row->nodes > 1)
    request->tasks_per_node = 1;
}

static void
gpus_fill (Row *row)
{
  LkJobRequest *request = &row->record->request;
  gint64 nodes = row->nodes;
  if (row->gpus == 0)
    return;
  if (row->cpus == 0 && request->cpus_per_gpu == 0)
    request->cpus_per_gpu = row->rules->cpus_per_gpu;
  if (row->gpu_parts > 0)
    gpu_part_fill (row);
  else if (row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_TASK)
    request->gpus_per_task = gpus_text (row, FALSE, row->gpus);
  else if (row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_NODE)
    request->gres = gpus_text (row, TRUE, row->gpus);
  else if (nodes > 0 && row->gpus % nodes == 0)
    request->gres = gpus_text (row, TRUE, row->gpus / nodes);
  else
    request->gpus = gpus_text (row, FALSE, row->gpus);
  if (request->gpus_per_task.length_bytes > 0 && request->tasks == 0)
    request->tasks = 1;
}

/* GPUs of the job as a whole. */
static gint64
gpus_total (const Row *row)
{
  if (row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_TASK)
    return row->gpus * MAX (1, row->record->request.tasks);
  if (row->job->per[LK_CSV_FIELD_GPUS] == LK_CSV_PER_NODE)
    return row->gpus * MAX (1, row->nodes);
  return row->gpus;
}

/* ---------------------------------------------------------------- memory */

static void
memory_set (LkJobRequest *request, guint32 kind, gint64 bytes)
{
  request->present |= kind;
  bytes = bytes == 0 ? MIB : bytes;
  if (kind == LK_REQUEST_HAS_MEMORY_PER_NODE)
    request->memory_per_node_bytes = bytes;
  else if (kind == LK_REQUEST_HAS_MEMORY_PER_CPU)
    request->memory_per_cpu_bytes = bytes;
  else
    request->memory_per_gpu_bytes = bytes;
}

static void
memory_fill (const Row *row)
{
  LkJobRequest *request = &row->record->request;
  gint64 bytes = row->job->values[LK_CSV_FIELD_MEMORY];
  gint64 per_task_cpus = MAX (1, request->cpus_per_task);
  if (!has (row->job, LK_CSV_FIELD_MEMORY))
    return;
  switch (row->job->per[LK_CSV_FIELD_MEMORY]) {
  case LK_CSV_PER_CPU:
    memory_set (request, LK_REQUEST_HAS_MEMORY_PER_CPU, bytes);
    break;
  case LK_CSV_PER_GPU:
    if (row->gpus > 0)
      memory_set (request, LK_REQUEST_HAS_MEMORY_PER_GPU, bytes);
    break;
  case LK_CSV_PER_TASK:
    if (request->tasks > 1 && request->tasks_per_node != 1)
      memory_set (request, LK_REQUEST_HAS_MEMORY_PER_CPU, divide_up (bytes, per_task_cpus));
    else
      memory_set (request, LK_REQUEST_HAS_MEMORY_PER_NODE, bytes);
    break;
  case LK_CSV_PER_JOB:
    if (row->nodes == 0 && row->cpus > 0)
      memory_set (request, LK_REQUEST_HAS_MEMORY_PER_CPU, divide_up (bytes, row->cpus));
    else
      memory_set (request, LK_REQUEST_HAS_MEMORY_PER_NODE, divide_up (bytes, MAX (1, row->nodes)));
    break;
  default:
    memory_set (request, LK_REQUEST_HAS_MEMORY_PER_NODE, bytes);
  }
}

/* ---------------------------------------------------------------- all of it */

static void
procs_fill (const Row *row)
{
  LkTraceRecord *record = row->record;
  if (has (row->job, LK_CSV_FIELD_PROCS))
    record->procs = count (row->job, LK_CSV_FIELD_PROCS);
  else if (row->rules->procs == LK_CSV_PROCS_GPUS)
    record->procs = gpus_total (row);
  else if (row->rules->procs == LK_CSV_PROCS_NODES)
    record->procs = MAX (1, row->nodes);
  else
    record->procs = lk_job_request_cpus (&record->request);
}

const char *
lk_csv_job_fill (const LkCsvJob *job, const LkCsvRules *rules, GStringChunk *texts,
                 LkTraceRecord *record)
{
  Row row = { .job = job, .rules = rules, .texts = texts, .record = record };
  times_fill (&row);
  const char *wrong = run_fill (&row);
  if (wrong != NULL)
    return wrong;
  gpus_count (&row);
  nodes_fill (&row);
  cpus_fill (&row);
  gpus_fill (&row);
  memory_fill (&row);
  procs_fill (&row);
  return NULL;
}
