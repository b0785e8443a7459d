/* live/client/step/step_console_signal.c — what srun makes of signals, and how it ends a step.
 *
 * The first ^C tells how the tasks stand; a second one within a second goes to the tasks; a third
 * one ends them at once.  SIGHUP, SIGQUIT and SIGTERM end them at once, others are passed on.
 * Source: srun(1), SIGNALS AND ESCAPE SEQUENCES; _handle_intr of Slurm's src/srun/srun_job.c. */
#include <signal.h>

#include "live/client/rounds.h"
#include "live/client/step/step_console_private.h"

#define AGAIN_US G_USEC_PER_SEC
/* Of Slurm, where the configuration has none; and so long it waits beyond. */
#define KILL_WAIT_DEFAULT_S 30
#define ABORT_MORE_S 2

static void
signal_pass (LkStepConsole *self, int number)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_SIGNAL };
  frame.signal.task = LK_STEP_ALL;
  frame.signal.signal = (guint8)number;
  g_byte_array_append (self->passed, &frame.signal.signal, 1);
  lk_console_send_all (self, &frame);
}

void
lk_console_signals_repeat (LkStepConsole *self, LkStepStream *stream)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_SIGNAL };
  frame.signal.task = LK_STEP_ALL;
  for (guint i = 0; i < self->passed->len; i++) {
    frame.signal.signal = self->passed->data[i];
    lk_step_stream_send (stream, &frame);
  }
}

static void
reply_take (gpointer user, const LkMessage *message)
{
  *(guint16 *)user = message->kind == LK_MESSAGE_STEP_REPLY ? message->step_reply.error
                                                            : LK_STEP_ERROR_INVALID_REQUEST;
}

/* The controller ends the step, on nodes that have not come yet, too. FALSE: it does not. */
static gboolean
step_end (const LkStepConsole *self, guint8 number)
{
  const LkClient *client = self->options.client;
  guint16 refusal = 0;
  LkMessage request = { .kind = LK_MESSAGE_STEP_SIGNAL };
  request.step_signal.job_id = self->options.job_id;
  request.step_signal.step_id = self->options.step_id;
  request.step_signal.signal = number;
  return client->wire->exchange (client->wire_self, &request, reply_take, &refusal, NULL)
         && refusal == 0;
}

void
lk_console_states_tell (const LkStepConsole *self)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  lk_task_exits_states (self->exits, lines);
  for (guint i = 0; i < lines->len; i++)
    lk_console_info (self, "%s %s", self->options.label,
                     (const char *)g_ptr_array_index (lines, i));
}

/* Source: slurm_step_launch_wait_finish of Slurm's src/api/step_launch.c. */
void
lk_console_aborted_tell (LkStepConsole *self)
{
  g_autofree char *told = lk_client_conf_value (self->options.client, "KillWait");
  guint64 wait_s = KILL_WAIT_DEFAULT_S;
  if (self->is_aborted_told)
    return;
  self->is_aborted_told = TRUE;
  if (told != NULL)
    g_ascii_string_to_unsigned (told, 10, 0, G_MAXUINT16, &wait_s, NULL);
  lk_console_info (self, "Job step aborted: Waiting up to %u seconds for job step to finish.",
                   (guint)wait_s + ABORT_MORE_S);
}

void
lk_console_terminate (LkStepConsole *self, guint8 number)
{
  if (self->is_ending)
    return;
  self->is_ending = TRUE;
  lk_console_info (self, "Terminating %s", self->options.label);
  lk_console_aborted_tell (self);
  if (!step_end (self, number))
    signal_pass (self, SIGKILL);
}

void
lk_console_kill (LkStepConsole *self)
{
  self->is_ending = self->is_cancelled = TRUE;
  lk_console_info (self, "forcing job termination");
  lk_console_aborted_tell (self);
  signal_pass (self, SIGKILL);
  step_end (self, SIGKILL);
}

static void
interrupted (LkStepConsole *self)
{
  gint64 now_us = lk_loop_now_us (self->options.loop);
  if (self->options.quits_on_interrupt) {
    lk_console_kill (self);
  } else if (!self->options.is_status_off
             && (self->interrupt_us == 0 || now_us - self->interrupt_us > AGAIN_US)) {
    lk_console_info (self, "interrupt (one more within 1 sec to abort)");
    lk_console_states_tell (self);
    self->interrupt_us = now_us;
  } else if (self->passed_us != 0 && now_us - self->passed_us < AGAIN_US) {
    lk_console_kill (self);
  } else {
    self->is_cancelled = TRUE;
    lk_console_info (self, "sending Ctrl-C to %s", self->options.label);
    self->passed_us = self->interrupt_us = now_us;
    signal_pass (self, SIGINT);
  }
}

static void
window_changed (LkStepConsole *self)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_WINDOW };
  if (self->options.has_terminal
      && lk_console_window (self, &frame.window.rows, &frame.window.columns))
    lk_console_send_all (self, &frame);
}

static void
signal_came (gpointer user, int number)
{
  LkStepConsole *self = user;
  switch (number) {
  case SIGINT:
    interrupted (self);
    break;
  case SIGHUP:
  case SIGQUIT:
  case SIGTERM:
    lk_console_kill (self);
    break;
  case SIGWINCH:
    window_changed (self);
    break;
  case SIGCONT:
    lk_console_info (self, "got SIGCONT");
    break;
  default:
    signal_pass (self, number);
  }
}

void
lk_console_signals_begin (LkStepConsole *self)
{
  static const int numbers[] = { SIGWINCH, SIGINT,  SIGHUP,  SIGQUIT,
                                 SIGTERM,  SIGCONT, SIGUSR1, SIGUSR2 };
  /* Who is only attached ends without the step. */
  guint count = self->options.is_attached ? 1 : G_N_ELEMENTS (numbers);
  for (guint i = 0; i < count; i++)
    lk_loop_add_signal (self->options.loop, numbers[i], signal_came, self);
}
