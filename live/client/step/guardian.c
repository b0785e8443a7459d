/* live/client/step/guardian.c — see the header. */
#define _GNU_SOURCE /* pipe2, close_range */
#include "live/client/step/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* While the controller is away, it is asked again after such pauses, and so many times. */
#define PAUSE_FIRST_US 100000
#define PAUSE_MAX_US (10 * G_USEC_PER_SEC)
#define ATTEMPTS_MAX 10

/* Numbers of jobs, of which the last counts, until nobody can write any more. FALSE: none has come,
 * so that the client has died between its submit and the answer. */
static gboolean
job_read (int input, guint32 *out_job_id)
{
  gboolean is_told = FALSE;
  guint32 read_id;
  gssize count;
  while ((count = read (input, &read_id, sizeof read_id)) != 0) {
    if (count == sizeof read_id) {
      *out_job_id = read_id;
      is_told = TRUE;
    } else if (count >= 0 || errno != EINTR) {
      break;
    }
  }
  return is_told;
}

/* Sends an event until there is an answer. `before`: as the next request of that, or NULL. FALSE:
 * the controller stays away. */
static gboolean
ask (const LkClient *client, const LkEvent *event, gconstpointer before, LkMessage_reply *out_reply)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage request = { .kind = LK_MESSAGE_CANCEL };
  gulong pause_us = PAUSE_FIRST_US;
  lk_event_encode (event, bytes);
  for (guint i = 0; i < ATTEMPTS_MAX; i++) {
    /* Each as the first one of its way. */
    gpointer way = client->wire->again (before);
    request.cancel.event = (LkBytes){ bytes->data, bytes->len };
    if (way != NULL && client->wire->request (way, &request, out_reply, NULL))
      return TRUE;
    g_usleep (pause_us);
    pause_us = MIN (2 * pause_us, (gulong)PAUSE_MAX_US);
  }
  return FALSE;
}

/* The submit is answered again, if it was carried out. If not, what is asked here in its place is
 * one that means no job, and a submit that is on its way still comes too late. 0: there is no job,
 * and will be none. */
static guint32
job_find (const LkClient *client)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  LkMessage_reply reply = { 0 };
  event.cancel.filter = LK_FILTER_USER_ID | LK_FILTER_JOB_ID;
  event.cancel.user_id = client->user_id;
  return ask (client, &event, client->wire_self, &reply) ? reply.job_id : 0;
}

/* What is over is refused, which is as well. */
static void
job_cancel (const LkClient *client, guint32 job_id)
{
  LkEvent event = { .kind = LK_EVENT_CANCEL };
  LkMessage_reply reply;
  event.cancel.job_id = job_id;
  ask (client, &event, /* before= */ NULL, &reply);
}

/* Holds nothing open of what the client has: not its output, whose reader waits for its end, and
 * not its connection. */
G_NORETURN static void
guard (const LkClient *client, int input)
{
  int nothing = open ("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; fd++)
    dup2 (nothing, fd);
  /* The pipe is beyond them, for they were open when it was made. */
  if (input > 3)
    close_range (3, (unsigned)input - 1, 0);
  close_range ((unsigned)input + 1, ~0U, 0);
  guint32 job_id = 0;
  if (!job_read (input, &job_id))
    job_id = job_find (client);
  if (job_id != 0)
    job_cancel (client, job_id);
  _exit (0);
}

void
lk_guardian_begin (LkGuardian *self, const LkClient *client)
{
  int ends[2];
  *self = (LkGuardian){ 0 };
  if (client->wire->again == NULL || pipe2 (ends, O_CLOEXEC) != 0)
    return;
  pid_t pid = fork ();
  if (pid == 0)
    guard (client, ends[0]);
  /* Whoever kills our group does not kill it. */
  if (pid > 0)
    setpgid (pid, pid);
  close (ends[0]);
  if (pid < 0)
    close (ends[1]);
  else
    *self = (LkGuardian){ pid, ends[1] };
}

void
lk_guardian_watch (const LkGuardian *self, guint32 job_id)
{
  /* It is there until it is ended, and a number fits into any pipe. */
  if (self->pid != 0 && write (self->pipe, &job_id, sizeof job_id) < 0)
    g_warning ("a job would not be cancelled if this process were killed: %s", g_strerror (errno));
}

void
lk_guardian_end (LkGuardian *self)
{
  if (self->pid == 0)
    return;
  /* It may be of another user than we are by now, whom we cannot kill. */
  lk_guardian_watch (self, 0);
  close (self->pipe);
  while (waitpid (self->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  *self = (LkGuardian){ 0 };
}
