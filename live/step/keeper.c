/* live/step/keeper.c — see the header. */
#include "live/step/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/port/process_tree.h"
#include "live/step/cancelled.h"
#include "live/step/child.h"
#include "live/step/child_word.h"
#include "live/step/keeper_steps.h"
#include "live/step/private_folders.h"
#include "live/step/script_holder.h"
#include "live/step/task_program.h"

#define KIBIBYTE 1024u
#define MILLISECOND_US 1000
/* How long to wait before those that will not die are signalled again. */
#define AGAIN_MS 20
/* How long what a script leaves behind may take to end by itself, and how often to look. */
#define LEFT_ROUNDS 50
#define LEFT_ROUND_MS 1
/* As many of these rounds more for the process that writes to the user's file. */
#define WRITER_ROUNDS 2000
/* Rounds of killing until that process alone holds up nobody: its file may hang in the kernel. */
#define WRITER_KILL_ROUNDS 5
/* Rounds of stopping in which a tree that grows is caught. */
#define STOP_ROUNDS 20
/* How long after its start, and then how often, to look how much memory a group uses: ever more
 * seldom, at last as Slurm does by default (JobAcctGatherFrequency). */
#define SAMPLE_FIRST_US (250 * G_GINT64_CONSTANT (1000))
#define SAMPLE_MAX_US (30 * G_GINT64_CONSTANT (1000000))
/* How long steps may take to end behind SIGKILL, when only what they have written is to be handed
 * over. */
#define STEPS_KILLED_US (5 * G_GINT64_CONSTANT (1000000))

typedef struct {
  LkStep *step;
  LkStage stage;
  int stream;  /* to the supervisor */
  int signals; /* SIGCHLD, SIGTERM */
  pid_t pid;   /* the process that counts */
  LkChildWord word;
  LkCancelledWriter writer;
  gboolean has_ended;
  gboolean is_cancelled; /* the user has been told so */
  gboolean is_to_end;    /* the supervisor is gone, or time is up */
  gboolean is_late;
  gboolean is_stuck; /* told */
  int status;
  gint64 deadline_us; /* LK_TIME_NEVER */
  gint64 stuck_us;    /* when what was killed should be gone; LK_TIME_NEVER: nothing was, or told */
  gint64 sample_us;   /* when to look at the memory of the group; LK_TIME_NEVER */
  gint64 sample_every_us;
  LkExit used;       /* only what was used */
  LkKeptSteps steps; /* of the script's stage */
  gint64 steps_us;   /* when they have had time enough; LK_TIME_NEVER: the script runs */
  gboolean has_killed_steps;
} Keeper;

static gint64
now_us (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* ---------------------------------------------------------------- waiting */

static gint64
time_us (const struct timeval *time)
{
  return (gint64)time->tv_sec * G_USEC_PER_SEC + time->tv_usec;
}

/* With those that it has waited for itself. */
static void
count_use (Keeper *self, const struct rusage *use)
{
  self->used.user_cpu_us += time_us (&use->ru_utime);
  self->used.system_cpu_us += time_us (&use->ru_stime);
  self->used.max_rss_bytes =
      MAX (self->used.max_rss_bytes, (guint64)MAX (use->ru_maxrss, 0) * KIBIBYTE);
}

/* TRUE: there is no child any more, and so nothing below us. */
static gboolean
reap (Keeper *self)
{
  for (;;) {
    struct rusage use;
    int status;
    pid_t pid = wait4 (-1, &status, WNOHANG, &use);
    if (pid < 0 && errno == EINTR)
      continue;
    if (pid <= 0)
      return pid < 0;
    count_use (self, &use);
    if (pid == self->pid) {
      self->has_ended = TRUE;
      self->status = status;
    } else if (self->steps.steps != NULL) {
      lk_kept_steps_reaped (&self->steps, pid);
    }
    lk_cancelled_reaped (&self->writer, self->step, self->word.error_file, pid);
  }
}

/* ---------------------------------------------------------------- ending all */

static gboolean
is_grouped (const LkStep *step)
{
  return step->cgroup != NULL && lk_cgroup_has (step->cgroup, "freezer");
}

/* All below the keeper, but for one (pid_t). Returns: (transfer full), of pid_t. */
static GArray *
tree_without (gconstpointer spared)
{
  GArray *pids = lk_process_tree (getpid ());
  for (guint i = pids->len; i-- > 0;)
    if (g_array_index (pids, pid_t, i) == *(const pid_t *)spared)
      g_array_remove_index (pids, i);
  return pids;
}

/* A tree that grows is stopped before it is felled. */
static void
kill_tree (pid_t spared)
{
  guint before = G_MAXUINT;
  for (guint round = 0; round < STOP_ROUNDS; round++) {
    guint count = lk_process_signal (tree_without, &spared, SIGSTOP);
    if (count == before)
      break;
    before = count;
  }
  lk_process_signal (tree_without, &spared, SIGKILL);
}

/* `spared`: 0, or the process that writes to the user's file. */
static void
kill_all (const LkStep *step, pid_t spared)
{
  if (is_grouped (step))
    lk_cgroup_kill (step->cgroup);
  kill_tree (spared);
}

/* Nobody in the group, whoever its parent is. */
static gboolean
is_group_empty (const LkStep *step)
{
  if (step->cgroup == NULL)
    return TRUE;
  g_autoptr (GArray) pids = lk_cgroup_pids (step->cgroup);
  return pids->len == 0;
}

static void
wait_a_while (gint64 while_ms)
{
  struct timespec while_ns = { .tv_nsec = while_ms * MILLISECOND_US * 1000 };
  nanosleep (&while_ns, NULL);
}

/* From the first SIGKILL on. */
static void
begin_killing (Keeper *self)
{
  if (self->stuck_us == LK_TIME_NEVER && !self->is_stuck && self->step->unkillable_us > 0)
    self->stuck_us = now_us () + self->step->unkillable_us;
}

static void
look_stuck (Keeper *self)
{
  if (self->stuck_us == LK_TIME_NEVER || now_us () < self->stuck_us)
    return;
  int agent = self->stream >= 0 ? self->stream : self->step->agent;
  self->stuck_us = LK_TIME_NEVER;
  self->is_stuck = TRUE;
  lk_step_log (self->step, "a process does not die, %" G_GINT64_FORMAT " s behind SIGKILL",
               self->step->unkillable_us / (gint64)G_USEC_PER_SEC);
  g_autofree char *line = lk_run_stuck_line (LK_STUCK_UNKILLABLE);
  if (agent >= 0)
    send (agent, line, strlen (line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static gboolean
is_only_writer_left (const Keeper *self)
{
  if (self->writer.pid == 0)
    return FALSE;
  g_autoptr (GArray) pids = lk_process_tree (getpid ());
  return pids->len == 1 && g_array_index (pids, pid_t, 0) == self->writer.pid;
}

static void
end_all (Keeper *self)
{
  for (guint round = 0; !reap (self) || !is_group_empty (self->step); round++) {
    if (round > WRITER_KILL_ROUNDS && is_only_writer_left (self) && is_group_empty (self->step))
      return;
    begin_killing (self);
    look_stuck (self);
    kill_all (self->step, /* spared= */ 0);
    /* The first time they are most often gone at once. */
    if (round > 0)
      wait_a_while (AGAIN_MS);
  }
}

/* A filter that the shell has put behind a program's output, as `> >(sed ...)`, has read to the end
 * a moment after the script is over: killed at once, it would lose what it has not yet written. */
static void
let_left_end (Keeper *self)
{
  guint round_max = LEFT_ROUNDS;
  for (guint round = 0; round < round_max && !reap (self); round++) {
    round_max = self->writer.pid != 0 ? WRITER_ROUNDS : LEFT_ROUNDS;
    wait_a_while (LEFT_ROUND_MS);
  }
}

void
lk_keeper_end_all (const LkStep *step)
{
  Keeper self = { .step = (LkStep *)step,
                  .stream = -1,
                  .pid = -1,
                  .stuck_us = LK_TIME_NEVER,
                  .steps_us = LK_TIME_NEVER };
  end_all (&self);
}

/* ---------------------------------------------------------------- signals from the supervisor */

static void
freeze (Keeper *self, gboolean is_frozen)
{
  if (is_grouped (self->step) && lk_cgroup_freeze (self->step->cgroup, is_frozen))
    return;
  lk_process_signal_tree (getpid (), is_frozen ? SIGSTOP : SIGCONT);
}

/* One that has just been started is not in the group yet. */
static GArray *
list_run (gconstpointer user)
{
  const Keeper *self = user;
  GArray *pids =
      is_grouped (self->step) ? lk_cgroup_pids (self->step->cgroup) : lk_process_tree (getpid ());
  for (guint i = 0; i < pids->len; i++)
    if (g_array_index (pids, pid_t, i) == self->pid)
      return pids;
  return g_array_append_val (pids, self->pid);
}

/* All but the processes that tell how their steps have ended, and end behind them. */
static GArray *
list_all_but_steps (gconstpointer user)
{
  const Keeper *self = user;
  GArray *pids = tree_without (&self->writer.pid);
  for (guint i = pids->len; i-- > 0;)
    if (lk_kept_steps_has (&self->steps, g_array_index (pids, pid_t, i)))
      g_array_remove_index (pids, i);
  return pids;
}

static void
kill_all_but_steps (Keeper *self)
{
  lk_process_signal (list_all_but_steps, self, SIGKILL);
  if (is_grouped (self->step))
    lk_cgroup_freeze (self->step->cgroup, FALSE);
}

static void
carry_out_kill (Keeper *self)
{
  begin_killing (self);
  if (!lk_kept_steps_is_any (&self->steps)) {
    kill_all (self->step, self->writer.pid);
    return;
  }
  lk_kept_steps_note (&self->steps, SIGKILL, /* why= */ 0);
  kill_all_but_steps (self);
  if (!self->has_killed_steps)
    self->steps_us = now_us () + STEPS_KILLED_US;
  self->has_killed_steps = TRUE;
}

/* Once, and where its script runs, as Slurm does. */
static void
say_cancelled (Keeper *self, guint8 why)
{
  const LkStep *step = self->step;
  if (self->is_cancelled || self->has_ended || !lk_step_has_script (step))
    return;
  self->is_cancelled = TRUE;
  lk_child_word_hear (&self->word);
  if (self->word.error_file < 0)
    return;
  g_autofree char *what = g_strdup_printf ("JOB %u", step->launch.launch.job_id);
  g_autofree char *line = lk_cancelled_line (what, step->node, why);
  lk_cancelled_write (&self->writer, step, self->word.error_file, line);
}

/* A stop and a continue are of the whole run, so that no process can hinder them. */
static void
send_signal (Keeper *self, const LkStepOrder *order)
{
  if (order->signal == SIGTERM && order->batch_only == 0)
    lk_kept_steps_note (&self->steps, SIGTERM, order->why);
  if (order->batch_only != 0)
    lk_script_signal (self->pid, order->signal);
  else if (order->signal == SIGKILL) {
    carry_out_kill (self);
  } else if (order->signal == SIGSTOP)
    freeze (self, TRUE);
  else if (order->signal == SIGCONT) {
    freeze (self, FALSE);
    lk_process_signal (list_run, self, SIGCONT);
  } else
    lk_process_signal (list_run, self, order->signal);
}

/* The signal first: it must not depend on the user's file, and SIGKILL would end the writer. */
static void
carry_out (Keeper *self, const LkStepOrder *order)
{
  if (order->what != LK_STEP_SIGNAL || (self->has_ended && order->signal != SIGKILL))
    return;
  send_signal (self, order);
  if (self->stage == LK_STAGE_SCRIPT && order->batch_only == 0
      && (order->signal == SIGTERM || order->signal == SIGKILL))
    say_cancelled (self, order->why);
}

static void
say_words (Keeper *self, const guint8 *bytes, gsize length_bytes)
{
  g_autofree char *line = g_strndup ((const char *)bytes, length_bytes);
  if (self->has_ended || self->stage != LK_STAGE_SCRIPT || !lk_step_has_script (self->step))
    return;
  lk_child_word_hear (&self->word);
  if (self->word.error_file >= 0)
    lk_cancelled_write (&self->writer, self->step, self->word.error_file, line);
}

/* About a step, or words for the script's errors. */
static void
carry_out_tasks (Keeper *self, const guint8 *packet, gsize length_bytes)
{
  LkStepTasksOrder order;
  if (length_bytes < sizeof order)
    return;
  memcpy (&order, packet, sizeof order);
  if (order.what == LK_STEP_TASKS_NOTIFY && order.step_id == G_MAXUINT32)
    say_words (self, packet + sizeof order, length_bytes - sizeof order);
  else if (self->steps.steps != NULL)
    lk_kept_steps_order (&self->steps, packet, length_bytes);
}

static void
hear_supervisor (Keeper *self)
{
  guint8 packet[LK_STEP_TASKS_BYTES_MAX];
  LkStepOrder order;
  gssize count = lk_step_receive (self->stream, packet, sizeof packet, /* waits= */ FALSE);
  if (count == (gssize)sizeof order) {
    memcpy (&order, packet, sizeof order);
    carry_out (self, &order);
  } else if (count > (gssize)sizeof order) {
    carry_out_tasks (self, packet, (gsize)count);
  } else if (count >= 0 || errno != EAGAIN) {
    self->is_to_end = TRUE;
  }
}

/* ---------------------------------------------------------------- one process */

/* The largest process is known at its end; all of them together only by looking. */
static void
sample (Keeper *self)
{
  if (self->sample_us == LK_TIME_NEVER || now_us () < self->sample_us)
    return;
  self->used.max_rss_bytes =
      MAX (self->used.max_rss_bytes, lk_cgroup_rss_bytes (self->step->cgroup));
  self->sample_every_us = MIN (2 * self->sample_every_us, SAMPLE_MAX_US);
  self->sample_us = now_us () + self->sample_every_us;
}

static int
patience_ms (const Keeper *self)
{
  gint64 next_us = MIN (MIN (self->deadline_us, self->sample_us), self->stuck_us);
  next_us = MIN (next_us, self->steps_us);
  if (next_us == LK_TIME_NEVER)
    return -1;
  gint64 left_us = next_us - now_us ();
  return (int)CLAMP (left_us / MILLISECOND_US + 1, 0, 1000000);
}

static void
hear_signals (Keeper *self)
{
  struct signalfd_siginfo info;
  while (read (self->signals, &info, sizeof info) == (gssize)sizeof info)
    if (info.ssi_signo == SIGTERM)
      self->is_to_end = TRUE;
}

/* Steps are asked to end when the script has; then they have a while, and a shorter one behind
 * SIGKILL, in which their sruns hear how they have ended. */
static gboolean
is_over (Keeper *self)
{
  if (!self->has_ended || !lk_kept_steps_is_any (&self->steps))
    return self->has_ended;
  if (!self->steps.is_closed) {
    gint64 wait_us = lk_kept_steps_close (&self->steps);
    self->steps_us = MIN (self->steps_us, now_us () + wait_us);
  }
  if (now_us () < self->steps_us)
    return FALSE;
  if (self->has_killed_steps)
    return TRUE;
  carry_out_kill (self);
  return FALSE;
}

/* Until it has ended, and nothing of it is left. */
static void
watch (Keeper *self)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (struct pollfd));
  reap (self);
  while (!is_over (self) && !self->is_to_end) {
    const struct pollfd own[2] = { { .fd = self->signals, .events = POLLIN },
                                   { .fd = self->stream, .events = POLLIN } };
    g_array_set_size (all, 0);
    g_array_append_vals (all, own, G_N_ELEMENTS (own));
    if (self->steps.steps != NULL)
      lk_kept_steps_poll (&self->steps, all);
    struct pollfd *polled = (struct pollfd *)(gpointer)all->data;
    int count = poll (polled, all->len, patience_ms (self));
    if (count > 0 && polled[0].revents != 0)
      hear_signals (self);
    if (count > 0 && all->len > G_N_ELEMENTS (own))
      lk_kept_steps_hear (&self->steps, polled + G_N_ELEMENTS (own),
                          all->len - (guint)G_N_ELEMENTS (own));
    if (count > 0 && polled[1].revents != 0)
      hear_supervisor (self);
    sample (self);
    look_stuck (self);
    self->is_late = self->deadline_us != LK_TIME_NEVER && now_us () >= self->deadline_us;
    self->is_to_end = self->is_to_end || self->is_late;
    reap (self);
  }
  if (self->stage == LK_STAGE_SCRIPT && !self->is_to_end)
    let_left_end (self);
  end_all (self);
}

/* Blocked signals are those of the keeper; the child takes the default ones. */
static void
spawn (Keeper *self, const char *program, const LkExit *script)
{
  int fault;
  self->has_ended = FALSE;
  self->status = 0;
  if (!lk_child_word_begin (&self->word, &fault)) {
    self->has_ended = TRUE;
    self->status = 1 << 8;
    return;
  }
  self->pid = lk_cgroup_fork (self->stage == LK_STAGE_SCRIPT ? lk_step_group (self->step) : NULL);
  if (self->pid == 0) {
    lk_child_word_end (&self->word);
    if (self->stage == LK_STAGE_SCRIPT && program != NULL)
      lk_child_task_epilog (self->step, fault);
    if (self->stage != LK_STAGE_SCRIPT && program == NULL)
      lk_child_plugins (self->step, self->stage == LK_STAGE_PROLOG, script);
    if (self->stage != LK_STAGE_SCRIPT)
      lk_child_program (self->step, program,
                        self->stage == LK_STAGE_PROLOG ? "prolog_slurmd" : "epilog_slurmd", script);
    if (lk_step_has_script (self->step))
      lk_child_script (self->step, fault);
    lk_child_wait (self->step, fault);
  }
  close (fault);
  self->has_ended = self->pid < 0;
  self->status = self->pid < 0 ? 1 << 8 : 0;
}

/* What kept it from being what it was to be; FALSE: nothing. */
static gboolean
read_fault (Keeper *self, LkExit *out_how)
{
  if (self->word.stream >= 0)
    lk_child_word_hear (&self->word);
  lk_child_word_end (&self->word);
  if (self->word.has_failed)
    *out_how = self->word.how;
  return self->word.has_failed;
}

static LkExit
exit_of (Keeper *self)
{
  LkExit how = { 0 };
  if (read_fault (self, &how))
    return how;
  if (!self->has_ended || WIFSIGNALED (self->status))
    how.signal = self->has_ended ? (guint8)WTERMSIG (self->status) : SIGKILL;
  else
    how.exit_code = (guint8)WEXITSTATUS (self->status);
  if (self->is_late)
    how = (LkExit){ .signal = SIGKILL };
  return how;
}

/* ---------------------------------------------------------------- a stage */

/* Behind a script that was begun.  How it ends changes nothing of how the script has. */
static void
run_task_epilog (Keeper *self, const LkExit *script)
{
  const char *program = self->step->task_epilog;
  if (program == NULL || !lk_step_has_script (self->step) || self->is_to_end
      || script->trouble == LK_TROUBLE_LAUNCH_FAILURE || script->signal == LK_SIGNAL_NO_OUTPUT)
    return;
  self->deadline_us = now_us () + LK_TASK_EPILOG_MAX_US;
  spawn (self, program, NULL);
  watch (self);
  LkExit how = exit_of (self);
  if (how.exit_code != 0 || how.signal != 0)
    lk_step_log (self->step, "TaskEpilog %s has failed: exit status %u, signal %u", program,
                 how.exit_code, how.signal);
}

static LkExit
run_script (Keeper *self)
{
  const LkCgroup *cgroup = lk_step_group (self->step);
  guint64 killed_before = cgroup != NULL ? lk_cgroup_oom_kills (cgroup) : 0;
  spawn (self, NULL, NULL);
  if (cgroup != NULL && lk_cgroup_has (cgroup, "memory"))
    self->sample_us = now_us () + self->sample_every_us;
  lk_kept_steps_init (&self->steps, self->step, self->stream);
  watch (self);
  lk_kept_steps_clear (&self->steps);
  LkExit how = exit_of (self);
  if (cgroup != NULL && lk_cgroup_oom_kills (cgroup) > killed_before) {
    how.trouble = LK_TROUBLE_OUT_OF_MEMORY;
    how.exit_code = 0;
    how.signal = LK_SIGNAL_OUT_OF_MEMORY;
  }
  run_task_epilog (self, &how);
  lk_private_remove (self->step);
  how.user_cpu_us = self->used.user_cpu_us;
  how.system_cpu_us = self->used.system_cpu_us;
  how.max_rss_bytes = self->used.max_rss_bytes;
  return how;
}

/* `program` NULL: the plugins of the site. */
static LkExit
run_program (Keeper *self, const char *program, const LkExit *script)
{
  gint64 timeout_us = self->stage == LK_STAGE_PROLOG ? self->step->prolog_timeout_us
                                                     : self->step->epilog_timeout_us;
  self->deadline_us = timeout_us > 0 ? now_us () + timeout_us : LK_TIME_NEVER;
  spawn (self, program, script);
  watch (self);
  return exit_of (self);
}

/* One after the other, plugins first; the first that fails is the last. */
static LkExit
run_programs (Keeper *self, char **programs, const LkExit *script)
{
  LkExit how = { 0 };
  if (lk_step_has_plugins (self->step))
    how = run_program (self, NULL, script);
  for (guint i = 0;
       programs != NULL && programs[i] != NULL && how.exit_code == 0 && how.signal == 0; i++)
    how = run_program (self, programs[i], script);
  return how;
}

static LkExit
run_stage (Keeper *self, const LkExit *script)
{
  switch (self->stage) {
  case LK_STAGE_PROLOG:
    return run_programs (self, self->step->prologs, NULL);
  case LK_STAGE_SCRIPT:
    return run_script (self);
  case LK_STAGE_EPILOG:
    return run_programs (self, self->step->epilogs, script);
  }
  return (LkExit){ .exit_code = 1 };
}

static int
open_signals (void)
{
  sigset_t signals;
  sigemptyset (&signals);
  sigaddset (&signals, SIGCHLD);
  sigaddset (&signals, SIGTERM);
  sigprocmask (SIG_BLOCK, &signals, NULL);
  return signalfd (-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

G_NORETURN static void
keep (LkStep *step, LkStage stage, int stream, const LkExit *script)
{
  char line[LK_STEP_LINE_BYTES];
  Keeper self = { .step = step,
                  .stage = stage,
                  .stream = stream,
                  .signals = open_signals (),
                  .pid = -1,
                  .word = { .stream = -1, .error_file = -1 },
                  .deadline_us = LK_TIME_NEVER,
                  .stuck_us = LK_TIME_NEVER,
                  .steps_us = LK_TIME_NEVER,
                  .sample_us = LK_TIME_NEVER,
                  .sample_every_us = SAMPLE_FIRST_US };
  LkExit how = run_stage (&self, script);
  lk_run_end_print (stage, &how, line);
  gssize sent = send (stream, line, strlen (line), MSG_NOSIGNAL);
  _exit (sent > 0 ? 0 : 1);
}

gboolean
lk_keeper_start (LkStep *step, LkStage stage, const LkExit *script, LkKeeper *out_keeper)
{
  int streams[2];
  pid_t supervisor = getpid ();
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, streams) != 0)
    return FALSE;
  pid_t pid = fork ();
  if (pid == 0) {
    close (streams[0]);
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    prctl (PR_SET_PDEATHSIG, SIGTERM);
    open_signals ();
    if (getppid () != supervisor)
      _exit (1);
    keep (step, stage, streams[1], script);
  }
  close (streams[1]);
  if (pid < 0) {
    close (streams[0]);
    return FALSE;
  }
  *out_keeper = (LkKeeper){ pid, streams[0] };
  return TRUE;
}
