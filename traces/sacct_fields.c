/* traces/sacct_fields.c — see sacct_fields.h. */
#include "traces/sacct_fields.h"

#include <string.h>

#include "engine/assert.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)

const LkSacctField lk_sacct_field_other = { "", LK_SACCT_ANY, LK_SACCT_NOTHING, 0 };
const LkSacctField lk_sacct_field_blank = { "", LK_SACCT_BLANK, LK_SACCT_NOTHING, 0 };

/* Columns that are not here are taken as they come; those that stand beside free text are worth
 * knowing even when they are not used. */
static const LkSacctField fields[] = {
  { "Account", LK_SACCT_WORD, LK_SACCT_ACCOUNT, 0 },
  { "AdminComment", LK_SACCT_FREE, LK_SACCT_NOTHING, 6 },
  { "AllocCPUS", LK_SACCT_NUMBER, LK_SACCT_ALLOC_CPUS, 0 },
  { "AllocGRES", LK_SACCT_WORD, LK_SACCT_NOTHING, 0 },
  { "AllocNodes", LK_SACCT_NUMBER, LK_SACCT_ALLOC_NODES, 0 },
  { "AllocTRES", LK_SACCT_TRES, LK_SACCT_ALLOC_TRES, 0 },
  { "AssocID", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "AveCPU", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "Cluster", LK_SACCT_WORD, LK_SACCT_CLUSTER, 0 },
  { "Comment", LK_SACCT_FREE, LK_SACCT_NOTHING, 5 },
  { "Constraints", LK_SACCT_FREE, LK_SACCT_CONSTRAINTS, 2 },
  { "ConsumedEnergy", LK_SACCT_WORD, LK_SACCT_NOTHING, 0 },
  { "ConsumedEnergyRaw", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "Container", LK_SACCT_FREE, LK_SACCT_NOTHING, 7 },
  { "CPUTime", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "CPUTimeRAW", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "DBIndex", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "DerivedExitCode", LK_SACCT_EXIT, LK_SACCT_NOTHING, 0 },
  { "Elapsed", LK_SACCT_LENGTH, LK_SACCT_ELAPSED, 0 },
  { "ElapsedRaw", LK_SACCT_NUMBER, LK_SACCT_ELAPSED_RAW, 0 },
  { "Eligible", LK_SACCT_MOMENT, LK_SACCT_ELIGIBLE, 0 },
  { "End", LK_SACCT_MOMENT, LK_SACCT_END, 0 },
  { "ExitCode", LK_SACCT_EXIT, LK_SACCT_EXIT_CODE, 0 },
  { "Extra", LK_SACCT_FREE, LK_SACCT_NOTHING, 6 },
  { "FailedNode", LK_SACCT_WORD, LK_SACCT_NOTHING, 0 },
  { "Flags", LK_SACCT_WORD, LK_SACCT_NOTHING, 0 },
  { "GID", LK_SACCT_NUMBER, LK_SACCT_GID, 0 },
  { "Group", LK_SACCT_WORD, LK_SACCT_GROUP, 0 },
  { "JobID", LK_SACCT_JOB_ID, LK_SACCT_ID, 0 },
  { "JobIDRaw", LK_SACCT_JOB_ID, LK_SACCT_ID_RAW, 0 },
  { "JobName", LK_SACCT_FREE, LK_SACCT_JOB_NAME, 3 },
  { "Licenses", LK_SACCT_FREE, LK_SACCT_LICENSES, 4 },
  { "NCPUS", LK_SACCT_NUMBER, LK_SACCT_ALLOC_CPUS, 0 },
  { "NNodes", LK_SACCT_NUMBER, LK_SACCT_ALLOC_NODES, 0 },
  { "NodeList", LK_SACCT_NODES, LK_SACCT_NODE_LIST, 0 },
  { "NTasks", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "Partition", LK_SACCT_WORD, LK_SACCT_PARTITION, 0 },
  { "Planned", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "Priority", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "QOS", LK_SACCT_WORD, LK_SACCT_QOS, 0 },
  { "QOSRAW", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "Reason", LK_SACCT_ANY, LK_SACCT_NOTHING, 0 },
  { "ReqCPUS", LK_SACCT_NUMBER, LK_SACCT_REQ_CPUS, 0 },
  { "ReqGRES", LK_SACCT_WORD, LK_SACCT_REQ_GRES, 0 },
  { "ReqMem", LK_SACCT_MEMORY, LK_SACCT_REQ_MEM, 0 },
  { "ReqNodes", LK_SACCT_NUMBER, LK_SACCT_REQ_NODES, 0 },
  { "ReqTRES", LK_SACCT_TRES, LK_SACCT_REQ_TRES, 0 },
  { "Reservation", LK_SACCT_WORD, LK_SACCT_RESERVATION, 0 },
  { "Reserved", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "ResvCPU", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "ResvCPURAW", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "Restarts", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "Start", LK_SACCT_MOMENT, LK_SACCT_START, 0 },
  { "State", LK_SACCT_STATE, LK_SACCT_JOB_STATE, 0 },
  { "StdErr", LK_SACCT_FREE, LK_SACCT_NOTHING, 8 },
  { "StdIn", LK_SACCT_FREE, LK_SACCT_NOTHING, 8 },
  { "StdOut", LK_SACCT_FREE, LK_SACCT_NOTHING, 8 },
  { "Submit", LK_SACCT_SUBMIT, LK_SACCT_SUBMITTED, 0 },
  { "SubmitLine", LK_SACCT_FREE, LK_SACCT_SUBMIT_LINE, 1 },
  { "Suspended", LK_SACCT_LENGTH, LK_SACCT_SUSPENDED, 0 },
  { "SystemComment", LK_SACCT_FREE, LK_SACCT_NOTHING, 6 },
  { "SystemCPU", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "Timelimit", LK_SACCT_LIMIT, LK_SACCT_TIMELIMIT, 0 },
  { "TimelimitRaw", LK_SACCT_LIMIT, LK_SACCT_TIMELIMIT_RAW, 0 },
  { "TotalCPU", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "UID", LK_SACCT_NUMBER, LK_SACCT_UID, 0 },
  { "User", LK_SACCT_WORD, LK_SACCT_USER, 0 },
  { "UserCPU", LK_SACCT_LENGTH, LK_SACCT_NOTHING, 0 },
  { "WCKey", LK_SACCT_FREE, LK_SACCT_NOTHING, 8 },
  { "WCKeyID", LK_SACCT_NUMBER, LK_SACCT_NOTHING, 0 },
  { "WorkDir", LK_SACCT_PATH, LK_SACCT_NOTHING, 0 },
};

const LkSacctField *
lk_sacct_field_find (LkSpan name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (lk_span_is (name, fields[i].name))
      return &fields[i];
  return NULL;
}

/* ---------------------------------------------------------------- what fits */

static gboolean
is_word (LkSpan cell)
{
  for (gsize i = 0; i < cell.length_bytes; i++)
    if (g_ascii_isspace (cell.bytes[i]))
      return FALSE;
  return TRUE;
}

/* Large numbers of nodes were once printed as "1.50K". */
static gboolean
is_number (LkSpan cell)
{
  gint64 number;
  return lk_sacct_size_bytes (cell, 1, &number);
}

static gboolean
is_job_id (LkSpan cell)
{
  LkSacctId id;
  return lk_sacct_id (cell, &id);
}

static gboolean
is_tres (LkSpan cell)
{
  LkTres tres;
  lk_tres_init (&tres);
  return lk_tres_parse (&tres, cell);
}

static gboolean
is_state (LkSpan cell)
{
  LkRecordState state;
  gboolean is_resizing;
  return lk_sacct_state (cell, &state, &is_resizing);
}

static gboolean
is_exit (LkSpan cell)
{
  guint8 code;
  guint8 signal;
  return memchr (cell.bytes, ':', cell.length_bytes) && lk_sacct_exit (cell, &code, &signal);
}

static gboolean
is_limit (LkSpan cell)
{
  gint64 limit_us;
  return lk_sacct_limit_us (cell, /* is_minutes= */ TRUE, &limit_us);
}

static gboolean
is_memory (LkSpan cell)
{
  LkMemoryKind kind;
  gint64 bytes;
  return lk_sacct_memory (cell, &kind, &bytes);
}

static gboolean
is_node_list (LkSpan cell)
{
  return lk_span_is (cell, "None assigned") || is_word (cell);
}

gboolean
lk_sacct_field_fits (const LkSacctField *self, LkSpan cell)
{
  gint64 number;
  if (cell.length_bytes == 0)
    return self->kind != LK_SACCT_JOB_ID && self->kind != LK_SACCT_SUBMIT
           && self->kind != LK_SACCT_STATE;
  switch (self->kind) {
  case LK_SACCT_ANY:
  case LK_SACCT_FREE:
    return TRUE;
  case LK_SACCT_BLANK:
    return FALSE;
  case LK_SACCT_WORD:
    return is_word (cell);
  case LK_SACCT_NUMBER:
    return is_number (cell);
  case LK_SACCT_JOB_ID:
    return is_job_id (cell);
  case LK_SACCT_MOMENT:
  case LK_SACCT_SUBMIT:
    return lk_sacct_time_us (cell, &number);
  case LK_SACCT_LENGTH:
    return lk_sacct_duration_us (cell, &number);
  case LK_SACCT_LIMIT:
    return is_limit (cell);
  case LK_SACCT_TRES:
    return is_tres (cell);
  case LK_SACCT_MEMORY:
    return is_memory (cell);
  case LK_SACCT_STATE:
    return is_state (cell);
  case LK_SACCT_EXIT:
    return is_exit (cell);
  case LK_SACCT_NODES:
    return is_node_list (cell);
  case LK_SACCT_PATH:
    return cell.bytes[0] == '/';
  }
  return TRUE;
}

/* ---------------------------------------------------------------- what a cell says */

static gboolean
take_id (const LkSacctField *self, LkSpan cell, LkSacctJob *job)
{
  LkSacctId id;
  if (!lk_sacct_id (cell, &id))
    return FALSE;
  if (self->use == LK_SACCT_ID) {
    job->id = id;
    return TRUE;
  }
  job->number = id.number;
  /* Without a column JobID this is all there is. */
  if (job->id.number == 0)
    job->id = id;
  return TRUE;
}

static gboolean
take_number (LkSpan cell, gint64 *out_number)
{
  return cell.length_bytes == 0 || lk_sacct_size_bytes (cell, 1, out_number);
}

static gboolean
take_seconds (LkSpan cell, gint64 *out_us)
{
  gint64 seconds;
  if (cell.length_bytes == 0)
    return TRUE;
  if (!lk_sacct_number (cell, &seconds) || seconds > G_MAXINT64 / SECOND_US)
    return FALSE;
  *out_us = seconds * SECOND_US;
  return TRUE;
}

/* Raw and readable columns may both be there; neither takes away what the other said. */
static gboolean
take_length (LkSpan cell, gint64 *out_us)
{
  gint64 length_us;
  if (!lk_sacct_duration_us (cell, &length_us))
    return FALSE;
  if (length_us >= 0)
    *out_us = length_us;
  return TRUE;
}

static gboolean
take_limit (LkSpan cell, gboolean is_minutes, gint64 *out_us)
{
  gint64 limit_us;
  if (!lk_sacct_limit_us (cell, is_minutes, &limit_us))
    return FALSE;
  if (limit_us >= 0)
    *out_us = limit_us;
  return TRUE;
}

static gboolean
take_time (const LkSacctField *self, LkSpan cell, LkSacctJob *job)
{
  switch (self->use) {
  case LK_SACCT_SUBMITTED:
    return lk_sacct_time_us (cell, &job->submit_us);
  case LK_SACCT_ELIGIBLE:
    return lk_sacct_time_us (cell, &job->eligible_us);
  case LK_SACCT_START:
    return lk_sacct_time_us (cell, &job->start_us);
  case LK_SACCT_END:
    return lk_sacct_time_us (cell, &job->end_us);
  case LK_SACCT_ELAPSED:
    return take_length (cell, &job->elapsed_us);
  case LK_SACCT_ELAPSED_RAW:
    return take_seconds (cell, &job->elapsed_us);
  case LK_SACCT_SUSPENDED:
    return take_length (cell, &job->suspended_us);
  case LK_SACCT_TIMELIMIT:
    return take_limit (cell, /* is_minutes= */ FALSE, &job->limit_us);
  default:
    return take_limit (cell, /* is_minutes= */ TRUE, &job->limit_us);
  }
}

static gboolean
take_resource (const LkSacctField *self, LkSpan cell, LkSacctJob *job)
{
  switch (self->use) {
  case LK_SACCT_REQ_CPUS:
    return take_number (cell, &job->cpus);
  case LK_SACCT_ALLOC_CPUS:
    return take_number (cell, &job->cpus_allocated);
  case LK_SACCT_REQ_NODES:
    return take_number (cell, &job->nodes);
  case LK_SACCT_ALLOC_NODES:
    return take_number (cell, &job->nodes_allocated);
  case LK_SACCT_REQ_MEM:
    return lk_sacct_memory (cell, &job->memory_kind, &job->memory_bytes);
  case LK_SACCT_REQ_TRES:
    return lk_tres_parse (&job->requested, cell);
  default:
    return lk_tres_parse (&job->allocated, cell);
  }
}

/* Where the text of the column goes, or NULL. */
static LkSpan *
text_place (const LkSacctField *self, LkSacctJob *job)
{
  switch (self->use) {
  case LK_SACCT_CLUSTER:
    return &job->cluster;
  case LK_SACCT_REQ_GRES:
    return &job->gres;
  case LK_SACCT_USER:
    return &job->user;
  case LK_SACCT_GROUP:
    return &job->group;
  case LK_SACCT_ACCOUNT:
    return &job->account;
  case LK_SACCT_QOS:
    return &job->qos;
  case LK_SACCT_PARTITION:
    return &job->partition;
  case LK_SACCT_CONSTRAINTS:
    return &job->constraint;
  case LK_SACCT_LICENSES:
    return &job->licenses;
  case LK_SACCT_RESERVATION:
    return &job->reservation;
  case LK_SACCT_JOB_NAME:
    return &job->job_name;
  case LK_SACCT_NODE_LIST:
    return &job->node_list;
  case LK_SACCT_SUBMIT_LINE:
    return &job->submit_line;
  default:
    return NULL;
  }
}

static const char *
expected_of (const LkSacctField *self)
{
  switch (self->kind) {
  case LK_SACCT_JOB_ID:
    return "a job id such as 123, 123_4 or 123+1";
  case LK_SACCT_MOMENT:
  case LK_SACCT_SUBMIT:
    return "a time such as 2024-01-31T07:15:12, or seconds since 1970";
  case LK_SACCT_LENGTH:
    return "a time such as 1-02:03:04";
  case LK_SACCT_LIMIT:
    return "a time such as 1-02:03:04, UNLIMITED or Partition_Limit";
  case LK_SACCT_TRES:
    return "a list such as cpu=8,mem=64G,node=1";
  case LK_SACCT_MEMORY:
    return "a size such as 64G, 4000Mn or 2Gc";
  case LK_SACCT_STATE:
    return "a state such as COMPLETED";
  case LK_SACCT_EXIT:
    return "an exit code such as 0:0";
  default:
    return "a whole number";
  }
}

static gboolean
cell_take (const LkSacctField *self, LkSpan cell, LkSacctJob *job)
{
  LK_ASSERT (job != NULL);
  LkSpan *text = text_place (self, job);
  if (text) {
    *text = cell;
    return TRUE;
  }
  switch (self->use) {
  case LK_SACCT_NOTHING:
    return TRUE;
  case LK_SACCT_ID:
  case LK_SACCT_ID_RAW:
    return take_id (self, cell, job);
  case LK_SACCT_JOB_STATE:
    return lk_sacct_state (cell, &job->state, &job->is_resizing);
  case LK_SACCT_EXIT_CODE:
    return cell.length_bytes == 0 || lk_sacct_exit (cell, &job->exit_code, &job->exit_signal);
  case LK_SACCT_UID:
    return take_number (cell, &job->uid);
  case LK_SACCT_GID:
    return take_number (cell, &job->gid);
  case LK_SACCT_REQ_CPUS:
  case LK_SACCT_ALLOC_CPUS:
  case LK_SACCT_REQ_NODES:
  case LK_SACCT_ALLOC_NODES:
  case LK_SACCT_REQ_MEM:
  case LK_SACCT_REQ_TRES:
  case LK_SACCT_ALLOC_TRES:
    return take_resource (self, cell, job);
  default:
    return take_time (self, cell, job);
  }
}

gboolean
lk_sacct_field_take (const LkSacctField *self, LkSpan cell, LkSacctJob *job,
                     const char **out_expected)
{
  if (cell_take (self, self->kind == LK_SACCT_FREE ? cell : lk_span_strip (cell), job))
    return TRUE;
  *out_expected = expected_of (self);
  return FALSE;
}
