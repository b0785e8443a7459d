/* sim/seff/seff_cost.c — what an ask has cost in waiting. See sim/seff/seff.h.
 *
 * The journal is applied up to the event that brought the job.  From there two branches run through
 * what really came and how long each job really ran: in one of them the job asks for less.  When it
 * starts in both is the answer. */
#include <string.h>

#include "engine/task_set.h"
#include "sim/seff/seff.h"
#include "sim/whatif/question.h"

#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
/* Smaller waits are those of a scheduler that takes its time. */
#define WAIT_LEAST_US ((gint64)G_USEC_PER_SEC)
/* Less than that of the ask is not worth a word. */
#define SHARE_LEAST 0.1
#define MEMORY_STEP_MIB 16

/* ---------------------------------------------------------------- what would have done */

static gint64
with_spare (gint64 value)
{
  return (gint64)((double)value * LK_SEFF_SPARE_RATIO) + 1;
}

static gboolean
is_less (gint64 wanted, gint64 asked)
{
  return (double)wanted < (double)asked * (1 - SHARE_LEAST);
}

/* Words for `scontrol update`; NULL: as much as it asked for was needed, or it is not known. */
static char *
time_less (const LkSeffJob *job, LkSeffAsk *ask)
{
  gint64 minutes = with_spare (lk_seff_run_us (job)) / MINUTE_US + 1;
  gint64 asked = job->limit_us / MINUTE_US;
  if (job->limit_us == G_MAXINT64 || job->end_us == 0 || !is_less (minutes, asked))
    return NULL;
  ask->from = g_strdup_printf ("%" G_GINT64_FORMAT " min", asked);
  ask->to = g_strdup_printf ("%" G_GINT64_FORMAT " min", minutes);
  return g_strdup_printf ("TimeLimit=%" G_GINT64_FORMAT, minutes);
}

static char *
memory_less (const LkSeffJob *job, LkSeffAsk *ask)
{
  gint64 asked_mib = (job->memory_bytes / MAX (1, job->nodes)) >> 20;
  gint64 mib = with_spare (job->memory_max_bytes) >> 20;
  mib = (mib / MEMORY_STEP_MIB + 1) * MEMORY_STEP_MIB;
  if (job->usage_nodes == 0 || !is_less (mib, asked_mib))
    return NULL;
  ask->from = g_strdup_printf ("%" G_GINT64_FORMAT "M a node", asked_mib);
  ask->to = g_strdup_printf ("%" G_GINT64_FORMAT "M", mib);
  return g_strdup_printf ("MinMemoryNode=%" G_GINT64_FORMAT, mib);
}

/* Tasks, or the CPUs of the one task that there is. */
static char *
cpus_less (const LkSeffJob *job, const LkEvent_submit *asked, LkSeffAsk *ask)
{
  double share = lk_seff_cpu_percent (job) / 100 * LK_SEFF_SPARE_RATIO;
  gboolean of_tasks = asked->tasks > 1 || asked->cpus_per_task <= 1;
  gint64 from = of_tasks ? MAX (1, asked->tasks) : asked->cpus_per_task;
  gint64 least = of_tasks ? MAX (1, job->nodes) : 1;
  gint64 to = MAX ((gint64)((double)from * share) + 1, least);
  if (share < 0 || !is_less (to, from))
    return NULL;
  ask->from = g_strdup_printf ("%" G_GINT64_FORMAT " %s", from, of_tasks ? "tasks" : "a task");
  ask->to = g_strdup_printf ("%" G_GINT64_FORMAT, to);
  return g_strdup_printf ("%s=%" G_GINT64_FORMAT, of_tasks ? "NumTasks" : "CPUsPerTask", to);
}

/* ---------------------------------------------------------------- when it would have started */

static const LkOutcome *
outcome_of (const LkWhatifPair *pair, guint side, guint64 key)
{
  for (guint i = 0; i < pair->outcomes[side]->len; i++) {
    const LkOutcome *outcome = &g_array_index (pair->outcomes[side], LkOutcome, i);
    if (outcome->key == key)
      return outcome;
  }
  return NULL;
}

/* FALSE: the change is refused. */
static gboolean
ask_try (const LkSeffJob *job, LkQuestion *question, const char *words, LkSeffAsk *ask)
{
  gint64 id = job->array_job_id != 0 ? job->array_job_id : job->job_id;
  guint64 key = lk_past_key_of ((guint32)id, job->array_task >= 0 && job->array_job_id != 0
                                                 ? (guint32)job->array_task
                                                 : LK_TASK_NONE);
  g_autofree char *command =
      g_strdup_printf ("scontrol update JobId=%" G_GINT64_FORMAT " %s", id, words);
  char *dos[] = { command, NULL };
  const LkChangeOptions options = { .dos = dos };
  g_autoptr (LkChangeSet) change = lk_change_set_new (question->state, &options, NULL);
  question->change = change;
  g_autoptr (GPtrArray) pairs = change != NULL ? lk_question_run (question, NULL) : NULL;
  if (pairs == NULL)
    return FALSE;
  const LkWhatifPair *pair = g_ptr_array_index (pairs, 0);
  const LkOutcome *before = outcome_of (pair, LK_BEFORE, key);
  const LkOutcome *after = outcome_of (pair, LK_AFTER, key);
  ask->is_known = before != NULL && after != NULL && before->start_us != LK_TIME_NEVER
                  && after->start_us != LK_TIME_NEVER;
  if (ask->is_known) {
    ask->start_us = after->start_us;
    ask->saved_us = before->start_us - after->start_us;
  }
  return TRUE;
}

static void
asks_try (LkSeffJob *job, LkQuestion *question, const LkEvent_submit *asked)
{
  g_autoptr (GString) all = g_string_new (NULL);
  guint count = 0;
  for (guint kind = 0; kind < LK_SEFF_ASK_COUNT; kind++) {
    LkSeffAsk ask = { .kind = kind };
    g_autofree char *words = kind == LK_SEFF_TIME     ? time_less (job, &ask)
                             : kind == LK_SEFF_MEMORY ? memory_less (job, &ask)
                             : kind == LK_SEFF_CPUS   ? cpus_less (job, asked, &ask)
                             : count > 1              ? g_strdup (all->str)
                                                      : NULL;
    if (words != NULL && ask_try (job, question, words, &ask)) {
      g_string_append_printf (all, " %s", words);
      g_array_append_val (job->asks, ask);
      count++;
    } else {
      g_free (ask.from);
      g_free (ask.to);
    }
  }
  if (count == 0)
    job->no_cost = g_strdup ("it asked for little more than it used");
}

/* ---------------------------------------------------------------- the moment at which it came */

/* Applies all up to its submit, which stays valid as long as the state. 1; 0: it is not there; -1:
 * the journal is not as it should be. */
static int
state_go (LkWhatifState *state, guint32 job_id, LkEvent_submit *out_asked, GError **error)
{
  while (state->has_next) {
    gboolean is_it = state->next.kind == LK_EVENT_SUBMIT && state->next.submit.job_id == job_id;
    if (is_it)
      *out_asked = state->next.submit;
    if (lk_whatif_state_step (state, error) < 0)
      return -1;
    if (is_it)
      return 1;
  }
  return 0;
}

static const char *
hindrance (const LkSeffJob *job)
{
  if (job->start_us == 0)
    return "it has not started";
  if (job->het_leader != 0)
    return "it is a component of a heterogeneous job";
  if (job->restarts > 0)
    return "it was requeued";
  if (lk_seff_wait_us (job) < WAIT_LEAST_US)
    return "it did not wait";
  return NULL;
}

gboolean
lk_seff_cost (LkSeffJob *job, const char *path, char **plugins, GError **error)
{
  const char *why = hindrance (job);
  LkWhatifState state = { .path = NULL };
  LkEvent_submit asked;
  gint64 id = job->array_job_id != 0 ? job->array_job_id : job->job_id;
  if (why != NULL) {
    job->no_cost = g_strdup (why);
    return TRUE;
  }
  int found = lk_whatif_state_open (&state, path, plugins, error)
                  ? state_go (&state, (guint32)id, &asked, error)
                  : -1;
  if (found == 0)
    job->no_cost = g_strdup ("the journal does not tell of its coming");
  gboolean is_good = found >= 0;
  if (found > 0 && (is_good = lk_whatif_state_read_later (&state, error))) {
    LkQuestion question = {
      .state = &state,
      .future = { .arrivals = LK_ARRIVALS_REPLAY, .runtimes = LK_RUNTIMES_REPLAY, .seed = 1 },
      .repeat = 1,
      .thread_count = 2,
      .progress = LK_PROGRESS_NEVER
    };
    /* It starts a little behind its real start at the latest, if the ask is not smaller. */
    question.future.horizon_us = job->start_us - state.moment_us + 60 * (gint64)G_USEC_PER_SEC;
    asks_try (job, &question, &asked);
  }
  lk_whatif_state_close (&state);
  return is_good;
}
