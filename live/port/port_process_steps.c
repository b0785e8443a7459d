/* live/port/port_process_steps.c — steps of the runs on a real machine (port_process_os.h).
 *
 * What is known of a step is in the folder of its run (step_folder.h).  Its supervisor is told to
 * begin it, and says when it has ended, which is durable by then. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/port/port_process_os_private.h"
#include "live/port/run_share.h"
#include "live/port/step_folder.h"

/* Packets that wait for a supervisor. */
#define PACKETS_MAX 1024u

/* ---------------------------------------------------------------- the table */

static LkStepFound *
find (const LkOsRun *run, guint32 step_id)
{
  for (guint i = 0; i < run->steps->len; i++) {
    LkStepFound *step = &g_array_index (run->steps, LkStepFound, i);
    if (step->step_id == step_id)
      return step;
  }
  return NULL;
}

static void
add (LkOsRun *run, const LkStepFound *step)
{
  guint place = run->steps->len;
  while (place > 0 && g_array_index (run->steps, LkStepFound, place - 1).step_id > step->step_id)
    place--;
  g_array_insert_vals (run->steps, place, step, 1);
}

static LkStepFound
found_of (guint64 run_id, const LkStepReport *report)
{
  return (LkStepFound){ .run_id = run_id,
                        .step_id = report->step_id,
                        .has_ended = TRUE,
                        .exit_code = report->exit_code,
                        .signal = report->signal,
                        .trouble = report->trouble,
                        .usage = lk_step_usage_of_report (report) };
}

void
lk_process_os_take_steps (LkOsRun *run, int folder)
{
  g_autoptr (GArray) list = lk_step_folder_list (folder);
  for (guint i = 0; i < list->len; i++) {
    LkStepReport report;
    LkStepFound step = { .run_id = run->known.run_id, .step_id = g_array_index (list, guint32, i) };
    if (lk_step_folder_end (folder, step.step_id, &report))
      step = found_of (run->known.run_id, &report);
    add (run, &step);
  }
}

/* ---------------------------------------------------------------- ends */

static void
step_ended (gpointer user, const LkStepReport *report)
{
  LkOsRun *run = user;
  LkStepFound *step = find (run, report->step_id);
  if (step == NULL || step->has_ended)
    return;
  *step = found_of (run->known.run_id, report);
  LkStepFound told = *step;
  if (run->port->step_ended != NULL)
    run->port->step_ended (run->port->user, &told);
}

/* Also those whose end no disk takes: nothing of them lives, and the end of the run says so. */
void
lk_process_os_end_steps (LkOsRun *run)
{
  LkStepReport report;
  int folder = lk_run_folder_open (run->port->runs_folder, run->known.run_id);
  g_ptr_array_set_size (run->packets, 0);
  if (folder >= 0)
    lk_step_folder_end_all (folder, run->known.run_id, step_ended, run);
  for (guint i = 0; i < run->steps->len; i++) {
    const LkStepFound *step = &g_array_index (run->steps, LkStepFound, i);
    if (step->has_ended)
      continue;
    if (folder < 0 || !lk_step_folder_end (folder, step->step_id, &report))
      report = (LkStepReport){ .step_id = step->step_id, .signal = 9 };
    step_ended (run, &report);
  }
  if (folder >= 0)
    close (folder);
}

/* What a packet says behind its word. FALSE: it is another one. */
static gboolean
is_said (const char *packet, gsize length_bytes, const char *word, LkStepReport *out_report)
{
  gsize head = strlen (word);
  if (length_bytes <= head || memcmp (packet, word, head) != 0)
    return FALSE;
  LkStepReports left = { (const guint8 *)packet + head, (guint32)(length_bytes - head) };
  return lk_step_report_next (&left, out_report);
}

gboolean
lk_process_os_hear_step (LkOsRun *run, const char *packet, gsize length_bytes)
{
  LkProcessOs *self = run->port;
  LkStepReport report;
  if (is_said (packet, length_bytes, LK_TASKS_ENDED, &report)) {
    step_ended (run, &report);
    return TRUE;
  }
  if (!is_said (packet, length_bytes, LK_TASKS_USAGE, &report))
    return FALSE;
  const LkStepFound *step = find (run, report.step_id);
  LkStepUsage usage = lk_step_usage_of_report (&report);
  if (step != NULL && !step->has_ended && self->step_used != NULL)
    self->step_used (self->user, run->known.run_id, report.step_id, &usage);
  return TRUE;
}

/* ---------------------------------------------------------------- orders */

void
lk_process_os_send_packets (LkOsRun *run)
{
  guint sent = 0;
  while (run->stream >= 0 && sent < run->packets->len) {
    const GByteArray *packet = g_ptr_array_index (run->packets, sent);
    if (send (run->stream, packet->data, packet->len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
      break;
    sent++;
  }
  if (sent > 0)
    g_ptr_array_remove_range (run->packets, 0, sent);
}

static void
give (LkOsRun *run, const LkStepTasksOrder *order, LkBytes more)
{
  if (run->packets->len >= PACKETS_MAX)
    return;
  GByteArray *packet = g_byte_array_new ();
  g_byte_array_append (packet, (const guint8 *)order, sizeof *order);
  if (more.length_bytes > 0)
    g_byte_array_append (packet, more.bytes, more.length_bytes);
  g_ptr_array_add (run->packets, packet);
  if (run->orders->len == 0)
    lk_process_os_send_packets (run);
}

/* Numbers of the system for each core of the step here: 0,4;1,5. Returns: (transfer full). */
static char *
cores_of (const LkProcessOs *self, const LkStepPlace *place)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (self->plan.cores == NULL || place->cores.length_bytes == 0)
    return g_strdup ("");
  g_autofree char *list = g_strndup (place->cores.bytes, place->cores.length_bytes);
  g_autoptr (GArray) cores = lk_number_ranges (list);
  for (guint i = 0; i < cores->len; i++) {
    g_autoptr (GArray) one = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_val (one, g_array_index (cores, guint32, i));
    g_autofree char *cpus = lk_core_map_cpus (self->plan.cores, one);
    if (cpus == NULL)
      return g_strdup ("");
    g_string_append_printf (text, "%s%s", i > 0 ? ";" : "", cpus);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Of a step that has asked for no memory the job's counts. */
static LkStepRoom
room_of (const LkProcessOs *self, const LkMessage_step_launch *launch)
{
  LkPlaces left = launch->places;
  LkStepPlace place = { 0 };
  LkStepRoom room = { 0 };
  gboolean is_there = FALSE;
  for (guint32 i = 0; i <= launch->place; i++)
    is_there = lk_step_place_next (&left, &place);
  if (is_there && place.memory_bytes > 0)
    room.memory = lk_spawn_memory (&self->plan, (guint64)place.memory_bytes);
  room.cores = is_there ? cores_of (self, &place) : g_strdup ("");
  return room;
}

gboolean
lk_process_os_step_launch (void *user, const LkMessage_step_launch *launch)
{
  LkProcessOs *self = user;
  LkOsRun *run = lk_process_os_run (self, launch->run_id);
  LkMessage message = { .kind = LK_MESSAGE_STEP_LAUNCH, .step_launch = *launch };
  LkStepFound step = { .run_id = launch->run_id, .step_id = launch->step_id };
  LkStepTasksOrder order = { .what = LK_STEP_TASKS_BEGIN, .step_id = launch->step_id };
  if (run == NULL || run->known.is_lost || run->is_dead || run->known.stage != LK_STAGE_SCRIPT
      || run->known.has_ended || find (run, launch->step_id) != NULL)
    return FALSE;
  LkStepRoom room = room_of (self, launch);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (&message, bytes);
  int folder = lk_run_folder_open (self->runs_folder, launch->run_id);
  gboolean is_made =
      folder >= 0
      && lk_step_folder_make (folder, launch->step_id, &room, (LkBytes){ bytes->data, bytes->len });
  g_free (room.cores);
  if (!is_made)
    lk_process_os_say (self, "run %" G_GUINT64_FORMAT ": step %u cannot be written: %s",
                       launch->run_id, launch->step_id, g_strerror (errno));
  if (folder >= 0)
    close (folder);
  if (!is_made)
    return FALSE;
  add (run, &step);
  give (run, &order, (LkBytes){ NULL, 0 });
  return TRUE;
}

/* NULL: it does not live. */
static LkOsRun *
run_of_living (LkProcessOs *self, guint64 run_id, guint32 step_id)
{
  LkOsRun *run = lk_process_os_run (self, run_id);
  const LkStepFound *step = run != NULL ? find (run, step_id) : NULL;
  return step != NULL && !step->has_ended ? run : NULL;
}

void
lk_process_os_step_signal (void *user, guint64 run_id, guint32 step_id, guint8 signal, guint8 why)
{
  LkOsRun *run = run_of_living (user, run_id, step_id);
  LkStepTasksOrder order = {
    .what = LK_STEP_TASKS_SIGNAL, .signal = signal, .why = why, .step_id = step_id
  };
  if (run != NULL)
    give (run, &order, (LkBytes){ NULL, 0 });
}

void
lk_process_os_step_listen (void *user, const LkMessage_step_listen *listen)
{
  LkOsRun *run = run_of_living (user, listen->run_id, listen->step_id);
  LkMessage message = { .kind = LK_MESSAGE_STEP_LISTEN, .step_listen = *listen };
  LkStepTasksOrder order = { .what = LK_STEP_TASKS_LISTEN, .step_id = listen->step_id };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (&message, bytes);
  if (run != NULL && bytes->len <= LK_STEP_TASKS_BYTES_MAX - sizeof order)
    give (run, &order, (LkBytes){ bytes->data, bytes->len });
}

void
lk_process_os_notify (void *user, const LkMessage_run_notify *words)
{
  LkOsRun *run = words->step_id == G_MAXUINT32
                     ? lk_process_os_run (user, words->run_id)
                     : run_of_living (user, words->run_id, words->step_id);
  LkStepTasksOrder order = { .what = LK_STEP_TASKS_NOTIFY, .step_id = words->step_id };
  if (run != NULL && !run->known.is_lost && !run->is_dead && !run->known.has_ended)
    give (run, &order, (LkBytes){ (const guint8 *)words->words.bytes, words->words.length_bytes });
}

void
lk_process_os_step_list (void *user, void (*found) (void *user, const LkStepFound *step),
                         void *found_user)
{
  const LkProcessOs *self = user;
  for (guint i = 0; i < self->runs->len; i++) {
    const LkOsRun *run = g_ptr_array_index (self->runs, i);
    for (guint j = 0; j < run->steps->len; j++)
      found (found_user, &g_array_index (run->steps, LkStepFound, j));
  }
}

void
lk_process_os_step_forget (void *user, guint64 run_id, guint32 step_id)
{
  LkProcessOs *self = user;
  LkOsRun *run = lk_process_os_run (self, run_id);
  const LkStepFound *step = run != NULL ? find (run, step_id) : NULL;
  if (step == NULL || !step->has_ended)
    return;
  int folder = lk_run_folder_open (self->runs_folder, run_id);
  if (folder >= 0) {
    lk_step_folder_remove (folder, step_id);
    close (folder);
  }
  g_array_remove_index (run->steps,
                        (guint)(step - (const LkStepFound *)(gpointer)run->steps->data));
}
