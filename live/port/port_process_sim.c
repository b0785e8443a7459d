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
} Run;

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
signal_run (void *user, guint64 run_id, guint8 signal, gboolean batch_only)
{
  LkProcessSim *self = user;
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
