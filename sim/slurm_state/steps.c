/* sim/slurm_state/steps.c — see steps.h.
 *
 * Ids rise as jobs come in; a job that was requeued counts as submitted later than some with
 * higher ids.  It comes in with the next one behind it: its place among the ids matters, its age is
 * told by since when it is eligible. */
#include "sim/slurm_state/steps.h"

#include <string.h>

/* Above those of the past. */
#define ID_LIMIT (G_MAXUINT32 - G_MAXUINT32 / 8)

static gint
step_compare (gconstpointer a, gconstpointer b)
{
  const LkStateStep *one = a;
  const LkStateStep *two = b;
  if (one->time_us != two->time_us)
    return one->time_us < two->time_us ? -1 : 1;
  if (one->kind != two->kind)
    return one->kind < two->kind ? -1 : 1;
  /* Tasks that have ended are numbered below their array. */
  if (one->is_past != two->is_past)
    return one->is_past ? -1 : 1;
  /* Of jobs that Slurm started in one pass those of higher priority have chosen first. */
  if (one->priority != two->priority)
    return one->priority > two->priority ? -1 : 1;
  if (one->id != two->id)
    return one->id < two->id ? -1 : 1;
  return one->index < two->index ? -1 : one->index > two->index;
}

/* ---------------------------------------------------------------- jobs that come in */

/* All tasks of an array that are there, with its limit: "0,1,2-5%2". Returns: (transfer none). */
static const char *
tasks_all (const LkStateCollected *collected, guint32 array_id)
{
  guint32 throttle = 0;
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < collected->jobs->len; i++) {
    const LkStateJob *job = &g_array_index (collected->jobs, LkStateJob, i);
    if (job->array_id != array_id)
      continue;
    g_string_append_printf (text, "%s%.*s", text->len > 0 ? "," : "",
                            (int)strcspn (job->tasks, "%"), job->tasks);
    throttle = MAX (throttle, job->throttle);
  }
  if (throttle > 0)
    g_string_append_printf (text, "%%%u", throttle);
  return g_string_chunk_insert_const (collected->texts, text->str);
}

/* The record that stands for the tasks that wait tells best what the array asks for. */
static void
array_join (LkStateStep *step, const LkStateCollected *collected, guint index)
{
  const LkStateJob *job = &g_array_index (collected->jobs, LkStateJob, index);
  const LkStateJob *chosen = &g_array_index (collected->jobs, LkStateJob, step->index);
  step->time_us = MIN (step->time_us, job->submit_us);
  if (chosen->has_task && !job->has_task)
    step->index = index;
}

static void
submits_add (const LkStateCollected *collected, GArray *steps)
{
  g_autoptr (GHashTable) arrays = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < collected->jobs->len; i++) {
    const LkStateJob *job = &g_array_index (collected->jobs, LkStateJob, i);
    gpointer key = GUINT_TO_POINTER (job->array_id);
    if (job->array_id != 0 && g_hash_table_contains (arrays, key)) {
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (arrays, key));
      array_join (&g_array_index (steps, LkStateStep, place), collected, i);
      continue;
    }
    LkStateStep step = { .time_us = job->submit_us,
                         .kind = LK_STATE_STEP_SUBMIT,
                         .id = job->array_id != 0 ? job->array_id : job->id,
                         .index = i };
    if (job->array_id != 0) {
      step.tasks = tasks_all (collected, job->array_id);
      g_hash_table_insert (arrays, key, GUINT_TO_POINTER (steps->len));
    }
    g_array_append_val (steps, step);
  }
}

static gint
id_compare (gconstpointer a, gconstpointer b)
{
  const LkStateStep *one = a;
  const LkStateStep *two = b;
  return one->id < two->id ? -1 : one->id > two->id;
}

/* No later than any of a higher id. */
static void
times_settle (GArray *submits)
{
  g_array_sort (submits, id_compare);
  for (guint i = submits->len; i > 1; i--) {
    LkStateStep *step = &g_array_index (submits, LkStateStep, i - 2);
    step->time_us = MIN (step->time_us, g_array_index (submits, LkStateStep, i - 1).time_us);
  }
}

/* ---------------------------------------------------------------- reservations, starts */

static gboolean
comes_again (const LkStateRecord *record)
{
  static const char *const words[] = { "HOURLY", "DAILY", "WEEKLY", "WEEKDAY", "WEEKEND" };
  const char *flags = lk_state_record_value (record, "Flags");
  for (guint i = 0; flags != NULL && i < G_N_ELEMENTS (words); i++)
    if (strstr (flags, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
is_in_use (const LkStateCollected *collected, const LkStateRecord *record)
{
  const char *name = lk_state_record_value (record, "ReservationName");
  for (guint i = 0; i < collected->jobs->len; i++) {
    const LkStateJob *job = &g_array_index (collected->jobs, LkStateJob, i);
    if (job->phase != LK_STATE_JOB_PENDING && g_strcmp0 (job->reservation, name) == 0)
      return TRUE;
  }
  return FALSE;
}

gboolean
lk_state_reservation_moment (const LkStateCollected *collected, const LkStateRecord *record,
                             gint64 *out_us, GError **error)
{
  gint64 start_us = -1;
  gint64 now_us = collected->folder.collected_us;
  if (!lk_state_record_moment (record, "StartTime", collected->folder.zone, &start_us, error))
    return FALSE;
  if (start_us < 0)
    return lk_state_record_fail (record, "StartTime", "a moment such as 2026-11-21T02:36:32",
                                 error);
  gboolean is_early = comes_again (record) || is_in_use (collected, record);
  *out_us = is_early ? MIN (start_us, now_us) : now_us;
  return TRUE;
}

static gboolean
reservations_add (const LkStateCollected *collected, GArray *steps, GError **error)
{
  for (guint i = 0; i < collected->reservations->len; i++) {
    LkStateStep step = { .kind = LK_STATE_STEP_RESERVE, .index = i };
    if (!lk_state_reservation_moment (collected, g_ptr_array_index (collected->reservations, i),
                                      &step.time_us, error))
      return FALSE;
    if (step.time_us < collected->folder.collected_us)
      g_array_append_val (steps, step);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- the past */

static void
past_add (const LkStateCollected *collected, GArray *steps)
{
  for (guint i = 0; i < collected->past.jobs->len; i++) {
    const LkStatePastJob *past = g_ptr_array_index (collected->past.jobs, i);
    if (past->left != NULL)
      continue;
    LkStateStep step = { .time_us = past->job.submit_us,
                         .kind = LK_STATE_STEP_SUBMIT,
                         .id = past->number,
                         .is_past = TRUE,
                         .index = i };
    g_array_append_val (steps, step);
    step.kind = LK_STATE_STEP_START;
    step.time_us = past->job.start_us;
    g_array_append_val (steps, step);
    step.kind = LK_STATE_STEP_END;
    step.time_us = past->end_us;
    g_array_append_val (steps, step);
  }
}

/* How many ids a step takes that tells none: a task gets one of its own when it starts. */
static guint32
ids_taken (const LkStateCollected *collected, const LkStateStep *step)
{
  return step->kind == LK_STATE_STEP_START && !step->is_past
         && g_array_index (collected->jobs, LkStateJob, step->index).array_id != 0;
}

/* The largest ids that leave room for all that comes behind. */
static void
past_bound (const LkStateCollected *collected, const GArray *steps)
{
  guint32 ceiling = ID_LIMIT;
  for (guint i = steps->len; i > 0; i--) {
    const LkStateStep *step = &g_array_index (steps, LkStateStep, i - 1);
    ceiling -= MIN (ids_taken (collected, step), ceiling);
    if (step->kind != LK_STATE_STEP_SUBMIT)
      continue;
    if (!step->is_past) {
      ceiling = step->id;
      continue;
    }
    LkStatePastJob *past = g_ptr_array_index (collected->past.jobs, step->index);
    ceiling -= MIN (1, ceiling);
    past->job.id = ceiling;
  }
}

/* Each job keeps its number, or has the nearest one that is free. */
static void
past_number (const LkStateCollected *collected, const GArray *steps)
{
  guint32 last = 0;
  past_bound (collected, steps);
  for (guint i = 0; i < steps->len; i++) {
    const LkStateStep *step = &g_array_index (steps, LkStateStep, i);
    last += ids_taken (collected, step);
    if (step->kind != LK_STATE_STEP_SUBMIT)
      continue;
    if (!step->is_past) {
      last = step->id;
      continue;
    }
    LkStatePastJob *past = g_ptr_array_index (collected->past.jobs, step->index);
    if (past->job.id <= last) {
      past->left = "left out: there are not enough numbers between those of the jobs around it";
      continue;
    }
    past->job.id = CLAMP (past->number, last + 1, past->job.id);
    last = past->job.id;
  }
}

GArray *
lk_state_steps_new (LkStateCollected *collected, GError **error)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (LkStateStep));
  submits_add (collected, steps);
  times_settle (steps);
  for (guint i = 0; i < collected->jobs->len; i++) {
    const LkStateJob *job = &g_array_index (collected->jobs, LkStateJob, i);
    const LkStateStep step = { .time_us = job->start_us,
                               .kind = LK_STATE_STEP_START,
                               .priority = job->het_id == 0 ? job->priority : 0,
                               .id = job->id,
                               .index = i };
    LkStateStep stop = step;
    stop.kind = LK_STATE_STEP_SUSPEND;
    /* Behind its start, at the same instant too. */
    stop.time_us = CLAMP (job->suspend_us, job->start_us + 1, collected->folder.collected_us);
    if (job->phase != LK_STATE_JOB_PENDING)
      g_array_append_val (steps, step);
    if (job->phase == LK_STATE_JOB_SUSPENDED)
      g_array_append_val (steps, stop);
  }
  if (!reservations_add (collected, steps, error))
    return NULL;
  past_add (collected, steps);
  g_array_sort (steps, step_compare);
  past_number (collected, steps);
  return g_steal_pointer (&steps);
}
