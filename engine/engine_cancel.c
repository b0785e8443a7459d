/* engine/engine_cancel.c — jobs are cancelled, one by its id or all that a filter agrees with.
 *
 * A pending job leaves at once; a job that has started is told to end.  Who may cancel whose jobs
 * is the driver's matter.  Source: scancel(1). */
#include <string.h>

#include "engine/assert.h"
#include "engine/engine_life.h"
#include "engine/hostlist.h"

void
lk_engine_end_pending (LkEngine *self, LkJobIndex job, LkJobState state, LkReason reason)
{
  if (lk_engine_is_in_line (self, job))
    lk_engine_dequeue (self, job);
  else
    lk_engine_let_go (self, job);
  lk_engine_emit_notice (self, job, state, reason);
  lk_engine_remove_job (self, job);
}

void
lk_engine_cancel_job (LkEngine *self, LkJobIndex job)
{
  if (!lk_engine_has_started (self, job))
    lk_engine_end_pending (self, job, LK_JOB_CANCELLED, LK_REASON_NONE);
  else if (self->jobs.kill_why[job] == 0 || lk_engine_goes_back (self, job, NULL))
    lk_engine_kill (self, job, LK_KILL_CANCELLED);
}

/* ---------------------------------------------------------------- the filter */

/* What is asked for, as far as it can be told for a job. */
typedef struct {
  const LkEvent_cancel *cancel;
  guint64 *nodes; /* NULL: any */
} Filter;

static gboolean
equal (LkText text, LkText wanted)
{
  return text.length_bytes == wanted.length_bytes
         && (text.length_bytes == 0 || memcmp (text.bytes, wanted.bytes, text.length_bytes) == 0);
}

/* What the job asked for; empty on a counted pool. */
static LkJobRequest
asked_of (const LkEngine *self, LkJobIndex job)
{
  LkJobRequest asked = { 0 };
  guint32 procs;
  if (self->machine != NULL)
    lk_request_asked (lk_machine_request (self->machine, self->jobs.request[job]), &asked, &procs);
  return asked;
}

static LkText
account_of (const LkEngine *self, LkJobIndex job)
{
  if (self->book == NULL || self->jobs.association[job] == LK_INDEX_NONE)
    return asked_of (self, job).account;
  const LkAssociationSpec *spec =
      g_ptr_array_index (self->book->spec->associations, self->jobs.association[job]);
  return lk_text (spec->account);
}

static LkText
qos_of (const LkEngine *self, LkJobIndex job)
{
  if (self->book == NULL || self->jobs.qos[job] == LK_INDEX_NONE)
    return asked_of (self, job).qos;
  const LkQosSpec *spec = g_ptr_array_index (self->book->spec->qos, self->jobs.qos[job]);
  return lk_text (spec->name);
}

/* Partitions of a counted pool have numbers. */
static gboolean
is_in_partition (const LkEngine *self, LkJobIndex job, LkText wanted)
{
  char number[16];
  if (self->machine != NULL)
    return equal (lk_text (self->machine->partitions[self->jobs.partition[job]].spec->name),
                  wanted);
  g_snprintf (number, sizeof number, "%u", self->jobs.partition_id[job]);
  return equal (lk_text (number), wanted);
}

static gboolean
is_on_nodes (const LkEngine *self, LkJobIndex job, const guint64 *nodes)
{
  if (self->machine == NULL)
    return FALSE;
  for (guint32 i = self->jobs.first_piece[job]; i != LK_PIECE_NONE;
       i = lk_piece (&self->machine->nodes, i)->next_of_job)
    if (lk_bits_has (nodes, lk_piece (&self->machine->nodes, i)->node))
      return TRUE;
  return FALSE;
}

static gboolean
agrees (const LkEngine *self, LkJobIndex job, const Filter *filter)
{
  const LkEvent_cancel *cancel = filter->cancel;
  const LkJobTerms *terms = lk_terms_asked (self->jobs.terms[job]);
  guint32 bits = cancel->filter;
  if (((bits & LK_FILTER_JOB_ID) != 0 && self->jobs.id[job] != cancel->job_id)
      || ((bits & LK_FILTER_USER_ID) != 0 && self->jobs.user_id[job] != cancel->user_id)
      || ((bits & LK_FILTER_NAME) != 0 && !equal (terms->name, cancel->name))
      || ((bits & LK_FILTER_RESERVATION) != 0 && !equal (terms->reservation, cancel->reservation)))
    return FALSE;
  if (((bits & LK_FILTER_PARTITION) != 0 && !is_in_partition (self, job, cancel->partition))
      || ((bits & LK_FILTER_ACCOUNT) != 0 && !equal (account_of (self, job), cancel->account))
      || ((bits & LK_FILTER_QOS) != 0 && !equal (qos_of (self, job), cancel->qos)))
    return FALSE;
  if (filter->nodes != NULL && !is_on_nodes (self, job, filter->nodes))
    return FALSE;
  return (bits & LK_FILTER_STATE) == 0 || lk_engine_state (self, job) == (LkJobState)cancel->state;
}

/* Nodes that there are, of a list; a name that is none agrees with no job. */
static LkReject
read_nodes (const LkEngine *self, LkText list, guint64 **out_nodes)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (list.length_bytes == 0 || !lk_hostlist_expand (list.bytes, list.length_bytes, names, NULL))
    return LK_REJECT_NODE_UNKNOWN;
  *out_nodes = g_new0 (guint64, self->machine != NULL ? self->machine->nodes.node_words : 1);
  for (guint i = 0; self->machine != NULL && i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    guint32 node = lk_node_table_find (&self->machine->nodes, name, strlen (name));
    if (node != LK_NODE_NONE)
      lk_bits_add (*out_nodes, node);
  }
  return 0;
}

/* First all that agree, then what becomes of them, by rising id. */
static LkReject
cancel_by_filter (LkEngine *self, const LkEvent_cancel *cancel)
{
  Filter filter = { .cancel = cancel };
  g_autofree guint64 *nodes = NULL;
  if (cancel->filter >= 2 * LK_FILTER_NODE_LIST)
    return LK_REJECT_PRESENT_INVALID;
  if ((cancel->filter & LK_FILTER_NODE_LIST) != 0) {
    LkReject reject = read_nodes (self, cancel->node_list, &nodes);
    if (reject != 0)
      return reject;
    filter.nodes = nodes;
  }
  lk_engine_accept (self, LK_JOB_NONE);
  g_autoptr (GArray) jobs = lk_job_table_sorted (&self->jobs);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  for (guint i = 0; i < jobs->len; i++) {
    LkJobIndex job = g_array_index (jobs, LkJobIndex, i);
    if (agrees (self, job, &filter))
      g_array_append_val (found, job);
  }
  for (guint i = 0; i < found->len; i++)
    lk_engine_cancel_job (self, g_array_index (found, LkJobIndex, i));
  return 0;
}

LkReject
lk_engine_cancel_event (LkEngine *self, const LkEvent_cancel *cancel)
{
  if (cancel->filter != 0)
    return cancel_by_filter (self, cancel);
  LkJobIndex job = lk_id_map_find (&self->jobs.index_by_id, cancel->job_id);
  if (job == LK_JOB_NONE)
    return LK_REJECT_JOB_UNKNOWN;
  lk_engine_accept (self, job);
  lk_engine_cancel_job (self, job);
  return 0;
}
