/* live/core/controller_step.c — the table of steps of each run.
 *
 * Invariants: ids rise; a step has ended when nothing of it is left on any of its nodes; one that
 * has ended stays as long as its end is not durable or an agent waits to hear that it is, and then
 * as one of the last few, for who asks again. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/job_shown.h"
#include "live/core/controller_private.h"

/* Finished steps of a run that are remembered. */
#define FINISHED_MAX 64u

static void
step_free (gpointer data)
{
  LkJobStep *step = data;
  for (guint32 i = 0; i < step->place_count; i++)
    g_free (step->places[i].cores);
  g_free (step->places);
  g_byte_array_unref (step->kept_bytes);
  if (step->payload != NULL)
    g_byte_array_unref (step->payload);
  g_array_unref (step->orders);
  g_free (step);
}

void
lk_run_steps_init (LkRun *run)
{
  run->steps = g_ptr_array_new_with_free_func (step_free);
}

void
lk_run_steps_clear (LkRun *run)
{
  g_ptr_array_unref (run->steps);
}

LkJobStep *
lk_run_step (const LkRun *run, guint32 step_id)
{
  for (guint i = run->steps->len; i-- > 0;) {
    LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->step_id <= step_id)
      return step->step_id == step_id ? step : NULL;
  }
  return NULL;
}

LkJobStepOn *
lk_step_on (const LkJobStep *step, guint32 node)
{
  for (guint32 i = 0; i < step->place_count; i++)
    if (step->places[i].node == node)
      return &step->places[i];
  return NULL;
}

/* ---------------------------------------------------------------- in and out */

static void
take_places (const LkController *self, LkJobStep *step)
{
  LkPlaces places = step->kept.places;
  LkStepPlace place;
  g_autoptr (GArray) on = g_array_new (FALSE, TRUE, sizeof (LkJobStepOn));
  while (lk_step_place_next (&places, &place)) {
    LkJobStepOn one = { .node = lk_controller_node_index (self, place.node),
                        .stage = LK_ON_NODE_WAITING };
    one.how = (LkStepReport){ .run_id = step->kept.run_id,
                              .step_id = step->step_id,
                              .state = LK_STEP_RUNNING };
    lk_step_read_place (self, &step->kept, &place, &one);
    g_array_append_val (on, one);
  }
  step->place_count = on->len;
  step->places = g_memdup2 (on->data, on->len * sizeof (LkJobStepOn));
}

/* The oldest of those that are finished go, where there are many. */
static void
prune (LkRun *run)
{
  guint finished = 0;
  for (guint i = run->steps->len; i-- > 0;) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    finished += step->is_finished ? 1 : 0;
    if (step->is_finished && finished > FINISHED_MAX)
      g_ptr_array_remove_index (run->steps, i);
  }
}

LkJobStep *
lk_run_step_add (LkController *self, LkRun *run, const LkMessage_kept_step *kept)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STEP, .kept_step = *kept };
  if (kept->step_id < run->step_next || kept->step_id == G_MAXUINT32)
    return NULL;
  prune (run);
  LkJobStep *step = g_new0 (LkJobStep, 1);
  step->step_id = kept->step_id;
  step->kept_bytes = g_byte_array_new ();
  lk_message_encode (&message, step->kept_bytes);
  gboolean is_good =
      lk_message_decode_kept (step->kept_bytes->data, step->kept_bytes->len, &message);
  LK_ASSERT (is_good); /* texts were decoded before, places are ours */
  step->kept = message.kept_step;
  step->orders = g_array_new (FALSE, FALSE, sizeof (LkJobStepOrder));
  take_places (self, step);
  run->step_next = kept->step_id + 1;
  g_ptr_array_add (run->steps, step);
  return step;
}

void
lk_run_steps_renumber (LkRun *run, const guint32 *to)
{
  for (guint i = 0; i < run->steps->len; i++) {
    LkJobStep *step = g_ptr_array_index (run->steps, i);
    for (guint32 j = 0; j < step->place_count; j++)
      if (step->places[j].node != LK_INDEX_NONE)
        step->places[j].node = to[step->places[j].node];
  }
}

/* ---------------------------------------------------------------- what was used */

#define MORE(field) out->field += how->field
#define MOST(field, task, place)                                                                   \
  if (how->field > out->field) {                                                                   \
    out->field = how->field;                                                                       \
    out->task = how->task;                                                                         \
    out->place = index;                                                                            \
  }

static void
add_usage (const LkStepReport *how, guint32 index, LkMessage_kept_step_ended *out)
{
  gboolean is_first = out->counted_tasks == 0;
  if (how->counted_tasks == 0)
    return;
  MORE (counted_tasks);
  MORE (user_cpu_us);
  MORE (system_cpu_us);
  MORE (rss_sum_bytes);
  MORE (vm_sum_bytes);
  MORE (read_sum_bytes);
  MORE (write_sum_bytes);
  MORE (page_sum_count);
  MOST (rss_max_bytes, rss_max_task, rss_max_node)
  MOST (vm_max_bytes, vm_max_task, vm_max_node)
  MOST (read_max_bytes, read_max_task, read_max_node)
  MOST (write_max_bytes, write_max_task, write_max_node)
  MOST (page_max_count, page_max_task, page_max_node)
  out->gpu_memory_max_bytes = MAX (out->gpu_memory_max_bytes, how->gpu_memory_max_bytes);
  out->gpu_percent_max = MAX (out->gpu_percent_max, how->gpu_percent_max);
  if (is_first || how->cpu_min_us < out->cpu_min_us) {
    out->cpu_min_us = how->cpu_min_us;
    out->cpu_min_task = how->cpu_min_task;
    out->cpu_min_node = index;
  }
}

void
lk_step_sum (const LkJobStep *step, LkMessage_kept_step_ended *out)
{
  for (guint32 i = 0; i < step->place_count; i++)
    add_usage (&step->places[i].how, i, out);
}

/* ---------------------------------------------------------------- ends */

static gboolean
is_gone (const LkJobStep *step)
{
  for (guint32 i = 0; i < step->place_count; i++)
    if (step->places[i].stage != LK_ON_NODE_GONE)
      return FALSE;
  return TRUE;
}

/* The highest exit code, the first signal and trouble of any node. Source: slurmctld's
 * jobacct_storage_g_step_complete: a step that a signal has ended is CANCELLED. */
static guint8
state_of (const LkJobStep *step, const LkMessage_kept_step_ended *how)
{
  if (step->is_overdue)
    return LK_JOB_TIMEOUT;
  if (how->trouble == LK_TROUBLE_OUT_OF_MEMORY)
    return LK_JOB_OUT_OF_MEMORY;
  if (how->signal != 0)
    return LK_JOB_CANCELLED;
  return how->exit_code != 0 || how->trouble != 0 ? LK_JOB_FAILED : LK_JOB_COMPLETED;
}

void
lk_step_count_end (LkRun *run, const LkMessage_kept_step_ended *how)
{
  if (how->exit_code < run->derived_exit_code
      || (how->exit_code == run->derived_exit_code && how->signal <= run->derived_signal))
    return;
  run->derived_exit_code = how->exit_code;
  run->derived_signal = how->signal;
}

gint64
lk_run_suspended_us (const LkController *self, const LkRun *run)
{
  LkJobInfo info;
  return lk_engine_job (self->engine, run->job_id, &info)
             ? lk_job_suspended_us (&info, self->engine_us)
             : 0;
}

static void
end_step (LkController *self, LkRun *run, LkJobStep *step, guint64 seq)
{
  gint64 suspended_us = lk_time_since_us (lk_run_suspended_us (self, run), step->kept.suspended_us);
  step->how = (LkMessage_kept_step_ended){ .run_id = run->run_id,
                                           .job_id = run->job_id,
                                           .step_id = step->step_id,
                                           .end_us = MAX (self->engine_us, step->kept.start_us),
                                           .suspended_us = MAX (suspended_us, 0) };
  for (guint32 i = 0; i < step->place_count; i++) {
    const LkStepReport *on = &step->places[i].how;
    step->how.exit_code = MAX (step->how.exit_code, on->exit_code);
    step->how.signal = step->how.signal != 0 ? step->how.signal : on->signal;
    step->how.trouble = step->how.trouble != 0 ? step->how.trouble : on->trouble;
  }
  lk_step_sum (step, &step->how);
  step->how.state = state_of (step, &step->how);
  lk_step_count_end (run, &step->how);
  step->end_seq = seq;
  g_clear_pointer (&step->payload, g_byte_array_unref);
  lk_controller_note_step_ended (self, step);
}

static void
ended_on (LkController *self, LkRun *run, LkJobStepOn *on, const LkStepReport *how)
{
  if (on->stage == LK_ON_NODE_GONE)
    return;
  on->stage = LK_ON_NODE_GONE;
  on->how = *how;
  lk_run_stir (self, run);
}

void
lk_step_ended_on (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on,
                  const LkStepReport *how)
{
  ended_on (self, run, on, how);
  /* The event with which this comes is yet to be. */
  if (step->end_seq == 0 && is_gone (step))
    end_step (self, run, step, self->seq + 1);
}

/* What was told of its use so far counts. */
static LkStepReport
lost (const LkJobStepOn *on)
{
  LkStepReport how = on->how;
  how.state = LK_STEP_ENDED;
  how.signal = LK_SIGNAL_UNKNOWN;
  return how;
}

void
lk_step_lost_on (LkController *self, LkRun *run, LkJobStep *step, LkJobStepOn *on)
{
  LkStepReport how = lost (on);
  lk_step_ended_on (self, run, step, on, &how);
}

void
lk_run_steps_over (LkController *self, LkRun *run)
{
  for (guint i = 0; i < run->steps->len; i++) {
    LkJobStep *step = g_ptr_array_index (run->steps, i);
    if (step->end_seq != 0)
      continue;
    for (guint32 j = 0; j < step->place_count; j++) {
      LkStepReport how = lost (&step->places[j]);
      ended_on (self, run, &step->places[j], &how);
    }
    end_step (self, run, step, run->end_seq);
  }
}

/* ---------------------------------------------------------------- invariants */

/* No core, and no device that was asked for, is of two steps. */
static void
check_apart (const LkController *self, const LkJobStep *a, const LkJobStep *b)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  if (((a->kept.flags | b->kept.flags) & LK_STEP_FLAG_OVERLAP) != 0)
    return;
  for (guint32 i = 0; i < a->place_count; i++) {
    const LkJobStepOn *here = &a->places[i];
    const LkJobStepOn *there = lk_step_on (b, here->node);
    if (there == NULL)
      continue;
    LK_ASSERT ((here->devices & there->devices) == 0);
    for (guint32 word = 0; here->cores != NULL && there->cores != NULL && word < table->core_words;
         word++)
      LK_ASSERT ((here->cores[word] & there->cores[word]) == 0);
  }
}

void
lk_run_steps_check (const LkController *self, const LkRun *run)
{
  guint32 above = 0;
  for (guint i = 0; i < run->steps->len; i++) {
    const LkJobStep *step = g_ptr_array_index (run->steps, i);
    LK_ASSERT (step->step_id >= above && step->step_id < run->step_next);
    above = step->step_id + 1;
    LK_ASSERT ((step->end_seq != 0) == is_gone (step));
    LK_ASSERT (step->create_seq <= self->seq + 1 && step->end_seq <= self->seq + 1);
    LK_ASSERT (step->is_ending || step->end_order.number == 0);
    LK_ASSERT (!step->is_finished || step->end_seq != 0);
    LK_ASSERT (step->payload == NULL || step->end_seq == 0);
    for (guint j = 0; j < i && step->end_seq == 0; j++) {
      const LkJobStep *before = g_ptr_array_index (run->steps, j);
      if (before->end_seq == 0)
        check_apart (self, step, before);
    }
  }
}
