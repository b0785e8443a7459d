/* tests/dst/checker_ends.c — see the header. */
#include "tests/dst/checker_ends.h"

#include <string.h>

#include "engine/hostlist.h"

/* How a run ended of which nobody knows it. */
#define SIGNAL_KILL 9u
/* And one that was to end before its script began. */
#define SIGNAL_TERM 15u

/* A run is over on a node. */
typedef struct {
  guint64 run_id;
  char *node;
  gboolean runs_script;
  gboolean has_script; /* its script has run to its end */
  gboolean is_lost;
  LkExit how; /* as the agent has to tell it */
} DstSeenEnd;

static void
end_clear (gpointer data)
{
  g_free (((DstSeenEnd *)data)->node);
}

void
dst_checker_ends_init (DstCheckerEnds *self, DstFindings *findings)
{
  *self = (DstCheckerEnds){ .ends = g_array_new (FALSE, FALSE, sizeof (DstSeenEnd)),
                            .findings = findings };
  g_array_set_clear_func (self->ends, end_clear);
}

void
dst_checker_ends_clear (DstCheckerEnds *self)
{
  g_array_unref (self->ends);
}

static gboolean
is_bad (const LkExit *how)
{
  return how->exit_code != 0 || how->signal != 0 || how->trouble != LK_TROUBLE_NONE;
}

void
dst_checker_ends_over (DstCheckerEnds *self, const LkProcessSimRun *run)
{
  DstSeenEnd end = { .run_id = run->run_id,
                     .node = g_strdup (run->node),
                     .runs_script = run->runs_script,
                     .has_script = run->has_script_ended,
                     .is_lost = run->is_lost,
                     .how = run->script };
  if (is_bad (&run->prolog))
    end.how = (LkExit){ .trouble = LK_TROUBLE_PROLOG_FAILURE };
  else if (!run->has_script_ended)
    end.how = (LkExit){ .signal = SIGNAL_TERM };
  g_array_append_val (self->ends, end);
}

/* ---------------------------------------------------------------- looking */

static gint
end_compare (gconstpointer a, gconstpointer b)
{
  const DstSeenEnd *x = a;
  const DstSeenEnd *y = b;
  if (x->run_id != y->run_id)
    return x->run_id < y->run_id ? -1 : 1;
  return (y->runs_script ? 1 : 0) - (x->runs_script ? 1 : 0);
}

/* All parts of a run, the one with the script first. */
typedef struct {
  const DstSeenEnd *ends;
  guint count;
} Parts;

static const DstSeenEnd *
script_part (const Parts *parts)
{
  return parts->count > 0 && parts->ends[0].runs_script ? &parts->ends[0] : NULL;
}

/* Only what has happened on some node may be told; that no supervisor was to be had leaves none. */
static gboolean
has_trouble (const Parts *parts, guint8 trouble, gboolean has_all)
{
  if (trouble == LK_TROUBLE_NONE || (trouble == LK_TROUBLE_LAUNCH_FAILURE && !has_all))
    return TRUE;
  for (guint i = 0; i < parts->count; i++)
    if (parts->ends[i].how.trouble == trouble)
      return TRUE;
  return FALSE;
}

static gboolean
is_killed (const LkEvent_job_ended *told)
{
  return told->exit_code == 0 && told->signal == SIGNAL_KILL && told->cancelled == 0;
}

/* A run whose script came to no supervisor. */
static gboolean
is_of_none (const LkEvent_job_ended *told)
{
  return is_killed (told) || (told->exit_code == 0 && told->signal == 0 && told->cancelled == 0);
}

/* Was the node with the script taken from the run?  Then nobody need know how that has ended. */
static gboolean
is_cut_off (const DstHistory *history, const DstHistoryRun *run, const DstSeenEnd *script)
{
  for (guint i = 0; i < history->downs->len; i++) {
    const DstHistoryDown *down = &g_array_index (history->downs, DstHistoryDown, i);
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    if (down->seq < run->start_seq || down->seq > run->end_seq
        || !lk_hostlist_expand (down->nodes, strlen (down->nodes), names, NULL))
      continue;
    for (guint k = 0; k < names->len; k++)
      if (g_strcmp0 (g_ptr_array_index (names, k), script->node) == 0)
        return TRUE;
  }
  return FALSE;
}

/* A component that is not the first ends as the script of the first has, or by itself: as what
 * waited there. */
static gboolean
is_component_told (const DstHistory *history, const DstHistoryRun *run, const Parts *parts)
{
  const LkEvent_job_ended *told = &run->ended;
  const DstHistoryRun *leader = dst_history_leader (history, run);
  if (is_killed (told))
    return TRUE;
  if (leader != NULL && leader->end_seq != 0 && leader->end_seq < run->end_seq && leader->has_ended
      && told->exit_code == leader->ended.exit_code && told->signal == leader->ended.signal
      && told->cancelled == leader->ended.cancelled && told->trouble == leader->ended.trouble)
    return TRUE;
  for (guint i = 0; i < parts->count; i++) {
    const LkExit *how = &parts->ends[i].how;
    if (told->exit_code == how->exit_code && told->signal == how->signal
        && told->cancelled == how->cancelled)
      return has_trouble (parts, told->trouble, parts->count == run->node_count);
  }
  /* It came to no supervisor. */
  return is_of_none (told) && told->trouble != LK_TROUBLE_NONE
         && has_trouble (parts, told->trouble, parts->count == run->node_count);
}

static gboolean
is_told (const DstHistory *history, const DstHistoryRun *run, const Parts *parts)
{
  const LkEvent_job_ended *told = &run->ended;
  const DstSeenEnd *script = script_part (parts);
  const LkMessage_kept_complete *complete = dst_history_complete (history, run->run_id);
  if (complete != NULL)
    return told->exit_code == complete->exit_code && told->signal == complete->signal;
  if (!dst_history_has_script (history, run->job_id))
    return script == NULL && is_component_told (history, run, parts);
  if (!has_trouble (parts, told->trouble, parts->count == run->node_count))
    return FALSE;
  if (script == NULL)
    return is_of_none (told);
  if (is_killed (told) && (script->is_lost || is_cut_off (history, run, script)))
    return TRUE;
  if (script->how.trouble != LK_TROUBLE_NONE && told->trouble == LK_TROUBLE_NONE)
    return FALSE;
  return told->exit_code == script->how.exit_code && told->signal == script->how.signal
         && told->cancelled == script->how.cancelled;
}

/* What its owner is told of it. */
static gboolean
is_state_right (const DstHistory *history, const DstHistoryRun *run, const DstSeenEnd *script)
{
  const LkEvent_job_ended *told = &run->ended;
  const DstHistoryRun *leader = dst_history_leader (history, run);
  gboolean is_good =
      told->exit_code == 0 && told->signal == 0
      && (told->trouble == LK_TROUBLE_NONE || told->trouble == LK_TROUBLE_COMPLETE_BEFORE);
  /* That the script of the first component has run is looked at there; it may have ended well when
   * its time was over. */
  gboolean is_complete = dst_history_complete (history, run->run_id) != NULL;
  gboolean has_script = leader != NULL ? leader->has_ended : script != NULL && script->has_script;
  if (run->end_state == LK_JOB_COMPLETED)
    return is_good && (has_script || is_complete);
  return run->end_state != LK_JOB_FAILED || !is_good;
}

static void
look_at (const DstCheckerEnds *self, const DstHistory *history, const DstHistoryRun *run,
         const Parts *parts)
{
  const LkEvent_job_ended *told = &run->ended;
  const DstSeenEnd *script = script_part (parts);
  if (!is_told (history, run, parts))
    dst_find (self->findings,
              "run %" G_GUINT64_FORMAT " of job %u ended %u:%u, cancelled %u, trouble %u%s; the"
              " journal says %u:%u, cancelled %u, trouble %u",
              run->run_id, run->job_id, script != NULL ? script->how.exit_code : 0,
              script != NULL ? script->how.signal : 0, script != NULL ? script->how.cancelled : 0,
              script != NULL ? script->how.trouble : 0,
              script == NULL       ? " (it never began)"
              : script->has_script ? ""
                                   : " (no script ran)",
              told->exit_code, told->signal, told->cancelled, told->trouble);
  if (!is_state_right (history, run, script))
    dst_find (self->findings,
              "run %" G_GUINT64_FORMAT " of job %u ended %u:%u, trouble %u, and is told as %s",
              run->run_id, run->job_id, told->exit_code, told->signal, told->trouble,
              lk_job_state_name (run->end_state));
}

void
dst_checker_ends_look (const DstCheckerEnds *self, const DstHistory *history)
{
  guint next = 0;
  g_array_sort (self->ends, end_compare);
  for (guint i = 0; i < history->runs->len; i++) {
    const DstHistoryRun *run = &g_array_index (history->runs, DstHistoryRun, i);
    const DstSeenEnd *ends = (const DstSeenEnd *)(gpointer)self->ends->data;
    while (next < self->ends->len && ends[next].run_id < run->run_id)
      next++;
    guint end = next;
    while (end < self->ends->len && ends[end].run_id == run->run_id)
      end++;
    Parts parts = { .ends = ends + next, .count = end - next };
    if (run->has_ended)
      look_at (self, history, run, &parts);
    next = end;
  }
}
