/* live/core/controller_facts.c — what a run is told of its job beside where it runs.
 *
 * The environment of its processes speaks of names and counts that only the engine knows.  They are
 * taken when the run is started, kept with it, and sent with each launch of it: so a launch that is
 * sent again after a restart of the controller says the same. */
#include <string.h>

#include "engine/assert.h"
#include "live/core/controller_private.h"

static LkText
name_of_partition (const LkController *self, LkJobIndex job)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  guint32 partition = lk_engine_view (self->engine)->jobs->partition[job];
  return lk_text (machine != NULL ? machine->partitions[partition].spec->name : "");
}

static void
take_accounts (const LkController *self, LkJobIndex job, LkRunFacts *facts)
{
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  if (accounts == NULL)
    return;
  if (jobs->association[job] != LK_INDEX_NONE) {
    const LkAssociationSpec *spec =
        g_ptr_array_index (accounts->associations, jobs->association[job]);
    facts->account = lk_text (spec->account);
  }
  if (jobs->qos[job] != LK_INDEX_NONE) {
    const LkQosSpec *spec = g_ptr_array_index (accounts->qos, jobs->qos[job]);
    facts->qos = lk_text (spec->name);
  }
}

static void
take_terms (const LkJobTerms *terms, LkRunFacts *facts)
{
  facts->job_name = terms->name;
  facts->reservation = terms->reservation;
  facts->comment = terms->comment;
  facts->het_leader = terms->het_leader;
  facts->het_offset = terms->het_offset;
  facts->het_count = terms->het_count;
}

static void
take_request (const LkController *self, guint32 job_id, LkRunFacts *facts)
{
  const LkRequest *request = lk_engine_job_request (self->engine, job_id);
  LkJobRequest asked;
  guint32 procs;
  if (request == NULL)
    return;
  lk_request_asked (request, &asked, &procs);
  facts->constraint = asked.constraint;
  facts->licenses = asked.licenses;
  facts->tasks = asked.tasks;
  facts->cpus_per_task = asked.cpus_per_task;
  facts->tasks_per_node = asked.tasks_per_node;
  if (request->memory == LK_MEMORY_PER_NODE)
    facts->memory_per_node_bytes = request->memory_bytes;
  else if (request->memory == LK_MEMORY_PER_CPU)
    facts->memory_per_cpu_bytes = request->memory_bytes;
  else if (request->memory == LK_MEMORY_PER_GPU)
    facts->memory_per_gpu_bytes = request->memory_bytes;
}

/* ---------------------------------------------------------------- arrays */

static void
count_task (LkArraySpan *span, guint32 task)
{
  span->count++;
  span->min = MIN (span->min, task);
  span->max = MAX (span->max, task);
}

static void
count_tasks (LkArraySpan *span, const LkTaskSet *tasks)
{
  for (guint32 task = lk_task_set_has (tasks, 0) ? 0 : lk_task_set_next (tasks, 0);
       task != LK_TASK_NONE; task = lk_task_set_next (tasks, task))
    count_task (span, task);
}

/* The task behind the first one: Slurm's step is what lies between these, whatever follows. */
static guint32
second_task (const LkArraySpan *span, const LkTaskSet *waiting, const LkTaskSet *ended,
             const guint32 *members, guint member_count)
{
  guint32 second = MIN (lk_task_set_next (waiting, span->min), lk_task_set_next (ended, span->min));
  for (guint i = 0; i < member_count; i++)
    if (members[i] > span->min)
      second = MIN (second, members[i]);
  return second;
}

/* O(tasks). An array keeps its tasks: each waits, is a job, or has ended. */
static LkArraySpan
span_of (const LkController *self, const LkArray *array)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  LkArraySpan span = { .array_job_id = array->array_job_id, .min = G_MAXUINT32, .step = 1 };
  g_autofree guint32 *members = g_new (guint32, array->members->len);
  count_tasks (&span, &array->waiting);
  count_tasks (&span, &array->ended);
  for (guint i = 0; i < array->members->len; i++) {
    members[i] = jobs->array_task[g_array_index (array->members, LkJobIndex, i)];
    count_task (&span, members[i]);
  }
  guint32 second =
      second_task (&span, &array->waiting, &array->ended, members, array->members->len);
  if (second != LK_TASK_NONE)
    span.step = second - span.min;
  return span;
}

static void
take_array (LkController *self, guint32 array_job_id, LkRunFacts *facts)
{
  const LkArray *array = lk_engine_array (self->engine, array_job_id);
  if (array_job_id == 0 || array == NULL)
    return;
  LkArraySpan *span = &self->spans[array_job_id % LK_ARRAY_SPANS];
  if (span->array_job_id != array_job_id)
    *span = span_of (self, array);
  facts->array_count = span->count;
  facts->array_min = span->min;
  facts->array_max = span->max;
  facts->array_step = span->step;
}

/* ---------------------------------------------------------------- what is on the nodes */

static void
append_run (GString *out, gint64 value, guint32 count)
{
  if (count == 0)
    return;
  g_string_append_printf (out, "%s%" G_GINT64_FORMAT, out->len > 0 ? "," : "", value);
  if (count > 1)
    g_string_append_printf (out, "(x%u)", count);
}

static gint64
piece_cpus (const LkPiece *piece)
{
  return piece->cpus;
}

static gint64
piece_memory (const LkPiece *piece)
{
  return piece->memory_bytes;
}

/* As SLURM_JOB_CPUS_PER_NODE has it. Pieces are in the order of the nodes. */
static void
write_pieces (const LkController *self, guint32 job_id, gint64 (*value_of) (const LkPiece *piece),
              GString *out)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  guint32 piece = table != NULL ? lk_engine_job_pieces (self->engine, job_id) : LK_PIECE_NONE;
  gint64 value = 0;
  guint32 count = 0;
  for (; piece != LK_PIECE_NONE; piece = lk_piece (table, piece)->next_of_job) {
    gint64 here = value_of (lk_piece (table, piece));
    if (here != value) {
      append_run (out, value, count);
      count = 0;
    }
    value = here;
    count++;
  }
  append_run (out, value, count);
}

/* ---------------------------------------------------------------- all of it */

void
lk_run_take_facts (LkRun *run, const LkRunFacts *facts)
{
  LK_ASSERT (run->facts_bytes == NULL);
  run->facts = *facts;
  run->facts_bytes = lk_run_facts_own (&run->facts);
}

void
lk_run_set_facts (LkController *self, LkRun *run)
{
  LkJobIndex job = lk_engine_job_index (self->engine, run->job_id);
  LkRunFacts facts = { 0 };
  LkJobInfo info;
  LK_ASSERT (lk_engine_job (self->engine, run->job_id, &info));
  g_autoptr (GString) cpus = g_string_new (NULL);
  g_autoptr (GString) memory = g_string_new (NULL);
  facts.partition = name_of_partition (self, job);
  take_accounts (self, job, &facts);
  take_terms (lk_engine_job_terms (self->engine, run->job_id), &facts);
  take_request (self, run->job_id, &facts);
  take_array (self, run->array_job_id, &facts);
  facts.start_us = info.start_us;
  facts.end_us = info.expected_end_us != LK_TIME_NEVER ? info.expected_end_us : 0;
  write_pieces (self, run->job_id, piece_cpus, cpus);
  write_pieces (self, run->job_id, piece_memory, memory);
  facts.cpus = (LkLongText){ cpus->str, (guint32)cpus->len };
  facts.memory = (LkLongText){ memory->str, (guint32)memory->len };
  lk_run_take_facts (run, &facts);
}
