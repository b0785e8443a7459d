/* live/port/port_process_sim.c — see the header. */
#include "live/port/port_process_sim.h"

#include "engine/assert.h"
#include "engine/checked.h"

/* Signals as Linux numbers them. */
enum { SIGNAL_KILL = 9, SIGNAL_TERM = 15, SIGNAL_CONTINUE = 18, SIGNAL_STOP = 19 };

typedef struct {
  LkSupervised known;
  LkProcessSimRun told;
  LkProcessSimPlan plan;
  gint64 end_us;  /* of its stage; LK_TIME_NEVER: it goes on */
  gint64 left_us; /* of it, while it is stopped */
  gboolean is_stopped;
  gboolean has_term; /* came while it was stopped */
  guint8 signal;     /* that will end it; 0: it ends by itself */
  gsize timer;       /* number of the call that ends its stage; 0: none */
  GPtrArray *steps;  /* of Step, by rising step_id */
} Run;

typedef struct {
  LkStepFound found;
  LkProcessSimStep told;
  LkProcessSimStepPlan plan;
  gsize timer; /* number of the call that ends it; 0: none */
} Step;

struct _LkProcessSim {
  LkWorld *world;
  char *node;
  LkProcessSimHooks hooks;
  gpointer user;
  gpointer watcher;
  guint32 create_fail_ppm;
  gboolean is_open;
  GPtrArray *runs; /* of Run, in rising order of run_id */
  gsize timer_last;
  guint64 double_count;
};

static void
run_free (gpointer data)
{
  Run *run = data;
  g_ptr_array_unref (run->steps);
  g_free ((char *)run->told.nodes);
  g_free ((char *)run->told.cores);
  g_free ((char *)run->told.gres);
  g_free (run);
}

LkProcessSim *
lk_process_sim_new (LkWorld *world, const char *node, const LkProcessSimHooks *hooks, gpointer user,
                    gpointer watcher)
{
  LkProcessSim *self = g_new0 (LkProcessSim, 1);
  self->world = world;
  self->node = g_strdup (node);
  self->hooks = *hooks;
  self->user = user;
  self->watcher = watcher;
  self->runs = g_ptr_array_new_with_free_func (run_free);
  return self;
}

void
lk_process_sim_free (LkProcessSim *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->runs);
  g_free (self->node);
  g_free (self);
}

void
lk_process_sim_set_faults (LkProcessSim *self, guint32 create_fail_ppm)
{
  self->create_fail_ppm = create_fail_ppm;
}

/* Where a run stands, or would stand. */
static guint
place_of (const LkProcessSim *self, guint64 run_id)
{
  guint place = self->runs->len;
  while (place > 0 && ((Run *)g_ptr_array_index (self->runs, place - 1))->known.run_id >= run_id)
    place--;
  return place;
}

static Run *
run_find (const LkProcessSim *self, guint64 run_id)
{
  guint place = place_of (self, run_id);
  Run *run = place < self->runs->len ? g_ptr_array_index (self->runs, place) : NULL;
  return run != NULL && run->known.run_id == run_id ? run : NULL;
}

/* ---------------------------------------------------------------- steps
 *
 * They live in the script stage of their run; where that ends, or the node boots, they die. */

static Step *
step_find (const Run *run, guint32 step_id)
{
  for (guint i = 0; run != NULL && i < run->steps->len; i++) {
    Step *step = g_ptr_array_index (run->steps, i);
    if (step->found.step_id == step_id)
      return step;
  }
  return NULL;
}

/* `signal` 0: as it was planned. */
static void
end_step (LkProcessSim *self, Step *step, guint8 signal)
{
  LkStepFound how = step->plan.how;
  if (step->found.has_ended)
    return;
  how.run_id = step->found.run_id;
  how.step_id = step->found.step_id;
  how.has_ended = TRUE;
  if (signal != 0) {
    how.exit_code = 0;
    how.signal = signal;
  }
  step->found = how;
  step->timer = 0;
  step->told.end_us = lk_world_now_us (self->world);
  lk_world_tell (self->world, "%s: step %u of run %" G_GUINT64_FORMAT " ends, %u:%u", self->node,
                 how.step_id, how.run_id, how.exit_code, how.signal);
  if (self->hooks.step_over != NULL)
    self->hooks.step_over (self->watcher, &step->told);
  if (self->is_open)
    self->hooks.step_ended (self->user, &step->found);
}

static void
end_steps (LkProcessSim *self, Run *run)
{
  for (guint i = 0; i < run->steps->len; i++)
    end_step (self, g_ptr_array_index (run->steps, i), SIGNAL_KILL);
}

static void
step_comes (gpointer user, gpointer data)
{
  LkProcessSim *self = user;
  for (guint i = 0; i < self->runs->len; i++) {
    const Run *run = g_ptr_array_index (self->runs, i);
    for (guint j = 0; j < run->steps->len; j++) {
      Step *step = g_ptr_array_index (run->steps, j);
      if (step->timer == GPOINTER_TO_SIZE (data)) {
        end_step (self, step, 0);
        return;
      }
    }
  }
}

static guint
step_place (const Run *run, guint32 step_id)
{
  guint place = run->steps->len;
  while (place > 0 && ((Step *)g_ptr_array_index (run->steps, place - 1))->found.step_id >= step_id)
    place--;
  return place;
}

static Step *
step_new (LkProcessSim *self, const LkMessage_step_launch *launch)
{
  Step *step = g_new0 (Step, 1);
  step->found.run_id = launch->run_id;
  step->found.step_id = launch->step_id;
  step->told = (LkProcessSimStep){ .node = self->node,
                                   .run_id = launch->run_id,
                                   .job_id = launch->job_id,
                                   .step_id = launch->step_id,
                                   .flags = launch->flags,
                                   .begin_us = lk_world_now_us (self->world),
                                   .end_us = LK_TIME_NEVER };
  if (self->hooks.plan_step != NULL)
    self->hooks.plan_step (self->user, self->node, launch, &step->plan);
  return step;
}

static void
say_begun (LkProcessSim *self, Step *step, const LkMessage_step_launch *launch)
{
  LkPlaces places = launch->places;
  LkStepPlace place = { 0 };
  for (guint32 i = 0; i <= launch->place; i++)
    LK_ASSERT (lk_step_place_next (&places, &place));
  step->told.place = &place;
  lk_world_tell (self->world, "%s: step %u of run %" G_GUINT64_FORMAT " begins", self->node,
                 launch->step_id, launch->run_id);
  if (self->hooks.step_begun != NULL)
    self->hooks.step_begun (self->watcher, &step->told);
  step->told.place = NULL;
}

static gboolean
step_launch (void *user, const LkMessage_step_launch *launch)
{
  LkProcessSim *self = user;
  Run *run = run_find (self, launch->run_id);
  LK_ASSERT (run != NULL && run->known.stage == LK_STAGE_SCRIPT && !run->known.has_ended);
  if (step_find (run, launch->step_id) != NULL) {
    self->double_count++;
    return FALSE;
  }
  if (self->hooks.step_ended == NULL)
    return FALSE;
  Step *step = step_new (self, launch);
  g_ptr_array_insert (run->steps, (gint)step_place (run, launch->step_id), step);
  if (step->plan.fails) {
    g_ptr_array_remove (run->steps, step);
    return FALSE;
  }
  say_begun (self, step, launch);
  if (step->plan.step_us == LK_TIME_NEVER)
    return TRUE;
  step->timer = ++self->timer_last;
  lk_world_at (self->world, lk_time_add_us (step->told.begin_us, step->plan.step_us), step_comes,
               self, GSIZE_TO_POINTER (step->timer), NULL);
  return TRUE;
}

static void
step_signal (void *user, guint64 run_id, guint32 step_id, guint8 signal, guint8 why)
{
  LkProcessSim *self = user;
  (void)why;
  Step *step = step_find (run_find (self, run_id), step_id);
  if (step != NULL
      && (signal == SIGNAL_KILL || (signal == SIGNAL_TERM && !step->plan.ignores_term)))
    end_step (self, step, signal);
}

static void
step_listen (void *user, const LkMessage_step_listen *listen)
{
  LkProcessSim *self = user;
  lk_world_tell (self->world, "%s: somebody listens to step %u of run %" G_GUINT64_FORMAT,
                 self->node, listen->step_id, listen->run_id);
}

static void
notify (void *user, const LkMessage_run_notify *words)
{
  LkProcessSim *self = user;
  lk_world_tell (self->world, "%s: run %" G_GUINT64_FORMAT " is told: %.*s", self->node,
                 words->run_id, (int)words->words.length_bytes, words->words.bytes);
}

static void
step_list (void *user, void (*found) (void *user, const LkStepFound *step), void *found_user)
{
  const LkProcessSim *self = user;
  for (guint i = 0; i < self->runs->len; i++) {
    const Run *run = g_ptr_array_index (self->runs, i);
    for (guint j = 0; j < run->steps->len; j++)
      found (found_user, &((const Step *)g_ptr_array_index (run->steps, j))->found);
  }
}

static void
step_forget (void *user, guint64 run_id, guint32 step_id)
{
  LkProcessSim *self = user;
  Run *run = run_find (self, run_id);
  Step *step = step_find (run, step_id);
  if (step == NULL)
    return;
  LK_ASSERT (step->found.has_ended);
  g_ptr_array_remove (run->steps, step);
}

/* ---------------------------------------------------------------- stages */

static void
say_over (LkProcessSim *self, Run *run)
{
  if (run->told.end_us != LK_TIME_NEVER)
    return;
  run->told.end_us = lk_world_now_us (self->world);
  run->told.prolog = run->known.prolog;
  run->told.script = run->known.script;
  if (self->hooks.over != NULL)
    self->hooks.over (self->watcher, &run->told);
}

static const LkExit *
planned_exit (const Run *run)
{
  return run->known.stage == LK_STAGE_PROLOG   ? &run->plan.prolog
         : run->known.stage == LK_STAGE_SCRIPT ? &run->plan.script
                                               : &run->plan.epilog;
}

static void
end_stage (LkProcessSim *self, Run *run)
{
  LkExit killed = { .signal = run->signal };
  LkExit how = run->signal != 0 ? killed : *planned_exit (run);
  if (run->known.stage == LK_STAGE_SCRIPT)
    end_steps (self, run);
  run->known.has_ended = TRUE;
  run->known.last = how;
  run->timer = 0;
  if (run->known.stage == LK_STAGE_PROLOG)
    run->known.prolog = how;
  if (run->known.stage == LK_STAGE_SCRIPT) {
    run->known.script = how;
    run->told.has_script_ended = TRUE;
  }
  if (run->known.stage == LK_STAGE_EPILOG)
    say_over (self, run);
  lk_world_tell (self->world, "%s: run %" G_GUINT64_FORMAT " of job %u: stage %d ends, %u:%u",
                 self->node, run->known.run_id, run->known.job_id, (int)run->known.stage,
                 how.exit_code, how.signal);
  if (self->is_open)
    self->hooks.ended (self->user, run->known.run_id, run->known.stage, &how);
}

static void
come (gpointer user, gpointer data)
{
  LkProcessSim *self = user;
  for (guint i = 0; i < self->runs->len; i++) {
    Run *run = g_ptr_array_index (self->runs, i);
    if (run->timer == GPOINTER_TO_SIZE (data)) {
      end_stage (self, run);
      return;
    }
  }
}

static void
set_end (LkProcessSim *self, Run *run, gint64 end_us)
{
  run->end_us = end_us;
  run->timer = 0;
  if (end_us == LK_TIME_NEVER)
    return;
  run->timer = ++self->timer_last;
  lk_world_at (self->world, end_us, come, self, GSIZE_TO_POINTER (run->timer), NULL);
}

static void
begin_stage (LkProcessSim *self, Run *run, LkStage stage)
{
  gint64 takes_us = stage == LK_STAGE_PROLOG   ? run->plan.prolog_us
                    : stage == LK_STAGE_EPILOG ? run->plan.epilog_us
                    : run->known.runs_script   ? run->plan.script_us
                                               : LK_TIME_NEVER;
  run->known.stage = stage;
  run->known.has_ended = FALSE;
  run->is_stopped = run->has_term = FALSE;
  run->signal = 0;
  set_end (self, run, lk_time_add_us (lk_world_now_us (self->world), takes_us));
}

/* ---------------------------------------------------------------- signals */

static void
die_of (LkProcessSim *self, Run *run, guint8 signal, gint64 after_us)
{
  gint64 end_us = lk_time_add_us (lk_world_now_us (self->world), after_us);
  if (end_us >= run->end_us)
    return;
  run->signal = signal;
  set_end (self, run, end_us);
}

static void
stop (LkProcessSim *self, Run *run)
{
  if (run->is_stopped || run->signal == SIGNAL_KILL)
    return;
  run->is_stopped = TRUE;
  run->left_us =
      run->end_us == LK_TIME_NEVER ? LK_TIME_NEVER : run->end_us - lk_world_now_us (self->world);
  set_end (self, run, LK_TIME_NEVER);
}

static void
terminate (LkProcessSim *self, Run *run)
{
  if (run->is_stopped)
    run->has_term = TRUE;
  else if (run->known.stage != LK_STAGE_SCRIPT || !run->plan.ignores_term)
    die_of (self, run, SIGNAL_TERM, run->plan.term_us);
}

static void
go_on (LkProcessSim *self, Run *run)
{
  if (!run->is_stopped)
    return;
  run->is_stopped = FALSE;
  set_end (self, run, lk_time_add_us (lk_world_now_us (self->world), run->left_us));
  if (run->has_term)
    terminate (self, run);
  run->has_term = FALSE;
}

static void
signal_run (void *user, guint64 run_id, guint8 signal, gboolean batch_only, guint8 why)
{
  LkProcessSim *self = user;
  (void)why;
  Run *run = run_find (self, run_id);
  if (run == NULL || run->known.has_ended || (batch_only && !run->known.runs_script))
    return;
  lk_world_tell (self->world, "%s: signal %u for run %" G_GUINT64_FORMAT, self->node, signal,
                 run_id);
  if (self->hooks.signalled != NULL)
    self->hooks.signalled (self->watcher, &run->told, signal);
  switch (signal) {
  case SIGNAL_KILL: /* also reaches what is stopped */
    run->is_stopped = FALSE;
    die_of (self, run, signal, run->plan.kill_us);
    break;
  case SIGNAL_TERM:
    terminate (self, run);
    break;
  case SIGNAL_STOP:
    stop (self, run);
    break;
  case SIGNAL_CONTINUE:
    go_on (self, run);
    break;
  default: /* scripts catch the others */
    break;
  }
}

/* ---------------------------------------------------------------- supervisors */

static gboolean
create (void *user, const LkMessage_launch *launch)
{
  LkProcessSim *self = user;
  if (run_find (self, launch->run_id) != NULL) {
    self->double_count++;
    return FALSE;
  }
  if (lk_world_chance (self->world, self->create_fail_ppm)) {
    lk_world_tell (self->world, "%s: no supervisor for run %" G_GUINT64_FORMAT, self->node,
                   launch->run_id);
    return FALSE;
  }
  Run *run = g_new0 (Run, 1);
  run->steps = g_ptr_array_new_with_free_func (g_free);
  run->known.run_id = launch->run_id;
  run->known.job_id = launch->job_id;
  run->known.runs_script = launch->runs_script != 0;
  run->told = (LkProcessSimRun){
    .node = self->node,
    .run_id = launch->run_id,
    .job_id = launch->job_id,
    .runs_script = launch->runs_script != 0,
    .nodes = g_strndup (launch->nodes.bytes, launch->nodes.length_bytes),
    .cores = g_strndup (launch->cores.bytes, launch->cores.length_bytes),
    .gres = g_strndup (launch->gres.bytes, launch->gres.length_bytes),
    .begin_us = lk_world_now_us (self->world),
    .end_us = LK_TIME_NEVER,
  };
  if (self->hooks.plan != NULL)
    self->hooks.plan (self->user, self->node, launch, &run->plan);
  g_ptr_array_insert (self->runs, (gint)place_of (self, launch->run_id), run);
  lk_world_tell (self->world, "%s: run %" G_GUINT64_FORMAT " of job %u begins", self->node,
                 launch->run_id, launch->job_id);
  if (self->hooks.begun != NULL)
    self->hooks.begun (self->watcher, &run->told);
  begin_stage (self, run, LK_STAGE_PROLOG);
  return TRUE;
}

static gboolean
begin (void *user, guint64 run_id, LkStage stage)
{
  LkProcessSim *self = user;
  Run *run = run_find (self, run_id);
  if (run == NULL || run->known.is_lost)
    return FALSE;
  LK_ASSERT (run->known.has_ended);
  LK_ASSERT (stage > run->known.stage);
  run->known.is_unbegun = run->known.stage == LK_STAGE_PROLOG && stage == LK_STAGE_EPILOG;
  begin_stage (self, run, stage);
  return TRUE;
}

static void
list (void *user, void (*found) (void *user, const LkSupervised *run), void *found_user)
{
  const LkProcessSim *self = user;
  for (guint i = 0; i < self->runs->len; i++)
    found (found_user, &((Run *)g_ptr_array_index (self->runs, i))->known);
}

static void
forget (void *user, guint64 run_id)
{
  LkProcessSim *self = user;
  Run *run = run_find (self, run_id);
  if (run == NULL)
    return;
  LK_ASSERT (run->known.has_ended);
  say_over (self, run);
  g_ptr_array_remove_index (self->runs, place_of (self, run_id));
}

static const LkPortProcessOps process_ops = {
  .size = sizeof (LkPortProcessOps),
  .create = create,
  .begin = begin,
  .signal = signal_run,
  .list = list,
  .forget = forget,
  .step_launch = step_launch,
  .step_signal = step_signal,
  .step_listen = step_listen,
  .notify = notify,
  .step_list = step_list,
  .step_forget = step_forget,
};

LkPortProcess
lk_process_sim_port (LkProcessSim *self)
{
  return (LkPortProcess){ &process_ops, self };
}

void
lk_process_sim_open (LkProcessSim *self)
{
  self->is_open = TRUE;
}

void
lk_process_sim_close (LkProcessSim *self)
{
  self->is_open = FALSE;
}

void
lk_process_sim_boot (LkProcessSim *self)
{
  LK_ASSERT (!self->is_open);
  for (guint i = 0; i < self->runs->len; i++) {
    Run *run = g_ptr_array_index (self->runs, i);
    run->told.is_lost = run->told.end_us == LK_TIME_NEVER;
    end_steps (self, run);
    say_over (self, run);
    set_end (self, run, LK_TIME_NEVER);
    run->known.is_lost = run->known.has_ended = TRUE;
  }
}

guint
lk_process_sim_count (const LkProcessSim *self)
{
  return self->runs->len;
}

gboolean
lk_process_sim_knows (const LkProcessSim *self, guint64 run_id)
{
  return run_find (self, run_id) != NULL;
}

guint64
lk_process_sim_double_count (const LkProcessSim *self)
{
  return self->double_count;
}
