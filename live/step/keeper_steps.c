/* live/step/keeper_steps.c — see the header. */
#include "live/step/keeper_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "live/port/process_tree.h"
#include "live/port/step_folder.h"
#include "live/step/tasks.h"

/* Steps of a run at once: each is a process. */
#define STEPS_MAX 1024u
#define PACKET_BYTES_MAX 1024u
/* How often, and after which pause, what a killed process has left is looked for again: what does
 * not die by then goes with the run. */
#define LEFT_ROUNDS 50u
#define LEFT_NS 10000000L

typedef struct {
  guint32 step_id;
  pid_t pid;
  int stream; /* -1: it says nothing more */
  gboolean is_dead;
  gboolean has_told;   /* how it has ended */
  gint64 kill_wait_us; /* between SIGTERM and SIGKILL */
} Kept;

/* As it was ordered. */
typedef struct {
  GByteArray *bytes;
  LkStepRoom room;
  LkMessage message; /* borrows from the bytes */
} Ordered;

static void
kept_free (gpointer data)
{
  Kept *kept = data;
  if (kept->stream >= 0)
    close (kept->stream);
  g_free (kept);
}

void
lk_kept_steps_init (LkKeptSteps *self, LkStep *step, int supervisor)
{
  *self = (LkKeptSteps){ .step = step,
                         .supervisor = supervisor,
                         .steps = g_ptr_array_new_with_free_func (kept_free) };
}

void
lk_kept_steps_clear (LkKeptSteps *self)
{
  g_clear_pointer (&self->steps, g_ptr_array_unref);
}

/* ---------------------------------------------------------------- what is told */

static void
tell (const LkKeptSteps *self, const char *word, const LkStepReport *report)
{
  g_autoptr (GByteArray) packet = g_byte_array_new ();
  g_byte_array_append (packet, (const guint8 *)word, (guint)strlen (word));
  lk_step_report_append (report, packet);
  if (self->supervisor >= 0)
    send (self->supervisor, packet->data, packet->len, MSG_NOSIGNAL);
}

static void
tell_end (const LkKeptSteps *self, guint32 step_id, const LkStepReport *how)
{
  LkStepReport report = *how;
  report.run_id = self->step->run_id;
  report.step_id = step_id;
  report.state = LK_STEP_ENDED;
  tell (self, LK_TASKS_ENDED, &report);
}

/* ---------------------------------------------------------------- beginning */

static void
ordered_clear (Ordered *ordered)
{
  g_clear_pointer (&ordered->bytes, g_byte_array_unref);
  g_clear_pointer (&ordered->room.cores, g_free);
}

/* FALSE: see errno. */
static gboolean
ordered_read (const LkKeptSteps *self, guint32 step_id, Ordered *out)
{
  out->bytes = lk_step_folder_launch (self->step->folder, step_id, &out->room);
  if (out->bytes == NULL)
    return FALSE;
  errno = EINVAL;
  return lk_message_decode (out->bytes->data, out->bytes->len, &out->message)
         && out->message.kind == LK_MESSAGE_STEP_LAUNCH;
}

/* NULL: none is to be had. Returns: (transfer full). */
static LkCgroup *
group_make (const LkKeptSteps *self, guint32 step_id)
{
  const LkStep *step = self->step;
  if (step->cgroup == NULL)
    return NULL;
  g_autofree char *name = lk_step_group_name (step_id);
  g_autoptr (LkCgroup) group = lk_cgroup_part (step->cgroup, name);
  if (lk_cgroup_make (group))
    return g_steal_pointer (&group);
  lk_step_log (step, "step %u: no control group can be made: %s", step_id, g_strerror (errno));
  return NULL;
}

/* In the child, which is the step's from here on. */
G_NORETURN static void
become_tasks (LkKeptSteps *self, const Ordered *ordered, LkCgroup *group, int stream)
{
  const LkTasksPlan plan = { .launch = &ordered->message.step_launch,
                             .room = &ordered->room,
                             .group = group };
  if (self->supervisor >= 0)
    close (self->supervisor);
  lk_kept_steps_clear (self);
  lk_tasks_run (self->step, &plan, stream);
}

/* FALSE: see errno. */
static gboolean
begin (LkKeptSteps *self, guint32 step_id, const Ordered *ordered)
{
  int streams[2];
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, streams) != 0)
    return FALSE;
  g_autoptr (LkCgroup) group = group_make (self, step_id);
  pid_t pid = lk_cgroup_fork (group);
  if (pid == 0) {
    close (streams[0]);
    become_tasks (self, ordered, g_steal_pointer (&group), streams[1]);
  }
  close (streams[1]);
  if (pid < 0) {
    close (streams[0]);
    return FALSE;
  }
  Kept *kept = g_new0 (Kept, 1);
  *kept = (Kept){ .step_id = step_id,
                  .pid = pid,
                  .stream = streams[0],
                  .kill_wait_us = ordered->message.step_launch.kill_wait_us };
  g_ptr_array_add (self->steps, kept);
  return TRUE;
}

static void
begin_or_tell (LkKeptSteps *self, guint32 step_id)
{
  const LkStepReport failed = { .trouble = LK_TROUBLE_LAUNCH_FAILURE };
  Ordered ordered = { 0 };
  errno = EAGAIN;
  gboolean is_begun = !self->is_closed && self->steps->len < STEPS_MAX
                      && ordered_read (self, step_id, &ordered) && begin (self, step_id, &ordered);
  if (!is_begun) {
    lk_step_log (self->step, "step %u cannot be begun: %s", step_id, g_strerror (errno));
    tell_end (self, step_id, &failed);
  }
  ordered_clear (&ordered);
}

/* ---------------------------------------------------------------- signals */

/* All below the process of the tasks, which lives on to tell how they have ended. */
static void
signal_below (Kept *kept, int number)
{
  lk_process_signal_tree (kept->pid, number);
}

static Kept *
find (const LkKeptSteps *self, guint32 step_id)
{
  for (guint i = 0; i < self->steps->len; i++) {
    Kept *kept = g_ptr_array_index (self->steps, i);
    if (kept->step_id == step_id)
      return kept;
  }
  return NULL;
}

void
lk_kept_steps_order (LkKeptSteps *self, const guint8 *packet, gsize length_bytes)
{
  LkStepTasksOrder order;
  if (length_bytes < sizeof order)
    return;
  memcpy (&order, packet, sizeof order);
  Kept *kept = find (self, order.step_id);
  if (order.what == LK_STEP_TASKS_BEGIN && kept == NULL) {
    begin_or_tell (self, order.step_id);
    return;
  }
  if (kept == NULL || kept->stream < 0)
    return;
  /* It tells its srun why, before the tasks are gone. */
  send (kept->stream, packet, length_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (order.what == LK_STEP_TASKS_SIGNAL && order.signal > 0)
    signal_below (kept, order.signal);
}

gboolean
lk_kept_steps_is_any (const LkKeptSteps *self)
{
  return self->steps != NULL && self->steps->len > 0;
}

gboolean
lk_kept_steps_has (const LkKeptSteps *self, pid_t pid)
{
  for (guint i = 0; self->steps != NULL && i < self->steps->len; i++)
    if (((const Kept *)g_ptr_array_index (self->steps, i))->pid == pid)
      return TRUE;
  return FALSE;
}

void
lk_kept_steps_note (LkKeptSteps *self, guint8 signal, guint8 why)
{
  for (guint i = 0; self->steps != NULL && i < self->steps->len; i++) {
    const Kept *kept = g_ptr_array_index (self->steps, i);
    const LkStepTasksOrder order = {
      .what = LK_STEP_TASKS_SIGNAL, .signal = signal, .why = why, .step_id = kept->step_id
    };
    if (kept->stream >= 0)
      send (kept->stream, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

gint64
lk_kept_steps_close (LkKeptSteps *self)
{
  gint64 wait_us = 0;
  self->is_closed = TRUE;
  lk_kept_steps_note (self, SIGTERM, /* why= */ 0);
  for (guint i = 0; self->steps != NULL && i < self->steps->len; i++) {
    Kept *kept = g_ptr_array_index (self->steps, i);
    signal_below (kept, SIGCONT);
    signal_below (kept, SIGTERM);
    wait_us = MAX (wait_us, kept->kill_wait_us);
  }
  return wait_us;
}

/* ---------------------------------------------------------------- what they say */

/* The process of the tasks was killed: what it has left has become the keeper's, among others. */
static void
end_left (const LkKeptSteps *self, const Kept *kept)
{
  const struct timespec while_ns = { .tv_nsec = LEFT_NS };
  g_autofree char *value = g_strdup_printf ("%s/%u", self->step->folder_path, kept->step_id);
  const LkProcessMark mark = { LK_STEP_MARK, value, self->step->launch.launch.user_id };
  for (guint round = 0; round < LEFT_ROUNDS; round++) {
    if (lk_process_signal_marked (&mark, SIGKILL) == 0)
      return;
    nanosleep (&while_ns, NULL);
  }
}

/* Of the control group; also what is not below the process of the tasks any more. */
static void
end_group (const LkKeptSteps *self, const Kept *kept)
{
  const struct timespec while_ns = { .tv_nsec = LEFT_NS };
  g_autofree char *name = lk_step_group_name (kept->step_id);
  if (self->step->cgroup == NULL)
    return;
  g_autoptr (LkCgroup) part = lk_cgroup_part (self->step->cgroup, name);
  for (guint round = 0; round < LEFT_ROUNDS && !lk_cgroup_remove (part); round++) {
    lk_cgroup_kill (part);
    nanosleep (&while_ns, NULL);
  }
}

static void
release (LkKeptSteps *self, Kept *kept)
{
  const LkStepReport killed = { .signal = SIGKILL };
  if (!kept->is_dead || kept->stream >= 0)
    return;
  if (!kept->has_told) {
    end_left (self, kept);
    tell_end (self, kept->step_id, &killed);
  }
  end_group (self, kept);
  g_ptr_array_remove (self->steps, kept);
}

static gboolean
is_said (const guint8 *packet, gsize length_bytes, const char *word, LkStepReport *out_report)
{
  gsize head = strlen (word);
  if (length_bytes <= head || memcmp (packet, word, head) != 0)
    return FALSE;
  LkStepReports left = { packet + head, (guint32)(length_bytes - head) };
  return lk_step_report_next (&left, out_report) && left.length_bytes == 0;
}

static void
take (LkKeptSteps *self, Kept *kept, const guint8 *packet, gsize length_bytes)
{
  LkStepReport report;
  if (is_said (packet, length_bytes, LK_TASKS_ENDED, &report)) {
    /* Told when nothing of it lives, which is when the process has gone, too. */
    kept->has_told = TRUE;
    tell_end (self, kept->step_id, &report);
  } else if (is_said (packet, length_bytes, LK_TASKS_USAGE, &report)) {
    report.run_id = self->step->run_id;
    report.step_id = kept->step_id;
    report.state = LK_STEP_RUNNING;
    tell (self, LK_TASKS_USAGE, &report);
  } else if (is_said (packet, length_bytes, LK_TASKS_LEFT, &report)) {
    signal_below (kept, SIGKILL);
  }
}

/* FALSE: there is no more now, or it is gone, and may have been released. */
static gboolean
hear (LkKeptSteps *self, Kept *kept)
{
  guint8 packet[PACKET_BYTES_MAX];
  gssize count = lk_step_receive (kept->stream, packet, sizeof packet, /* waits= */ FALSE);
  if (count < 0 && errno == EAGAIN)
    return FALSE;
  if (count > 0) {
    take (self, kept, packet, (gsize)count);
    return TRUE;
  }
  close (kept->stream);
  kept->stream = -1;
  release (self, kept);
  return FALSE;
}

/* Of one that has ended: up to the end of the stream. */
static void
hear_all (LkKeptSteps *self, Kept *kept)
{
  while (hear (self, kept))
    continue;
}

void
lk_kept_steps_poll (const LkKeptSteps *self, GArray *polled)
{
  for (guint i = 0; i < self->steps->len; i++) {
    const Kept *kept = g_ptr_array_index (self->steps, i);
    struct pollfd one = { .fd = kept->stream, .events = POLLIN };
    g_array_append_val (polled, one);
  }
}

void
lk_kept_steps_hear (LkKeptSteps *self, const struct pollfd *polled, guint count)
{
  for (guint i = 0; i < count; i++)
    for (guint j = 0; polled[i].revents != 0 && j < self->steps->len; j++) {
      Kept *kept = g_ptr_array_index (self->steps, j);
      if (kept->stream >= 0 && kept->stream == polled[i].fd) {
        hear (self, kept);
        break;
      }
    }
}

void
lk_kept_steps_reaped (LkKeptSteps *self, pid_t pid)
{
  for (guint i = 0; i < self->steps->len; i++) {
    Kept *kept = g_ptr_array_index (self->steps, i);
    if (kept->pid != pid)
      continue;
    kept->is_dead = TRUE;
    /* What it has said before is heard first; the last word releases it. */
    if (kept->stream >= 0)
      hear_all (self, kept);
    else
      release (self, kept);
    return;
  }
}
