/* live/port/port_process_os.c — see the header.
 *
 * A run is connected to its supervisor, or looked for: by a timer, until its socket answers or its
 * lock is free.  A free lock says that the supervisor is gone; what then may be left of the run is
 * ended, and only then the stage has. */
#include "live/port/port_process_os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "live/port/cgroup.h"
#include "live/port/core_map.h"
#include "live/port/error.h"
#include "live/port/machine_now.h"
#include "live/port/port_process_os_private.h"
#include "live/port/process_tree.h"
#include "live/port/run_folder.h"
#include "live/port/run_share.h"

#define SIGNAL_KILL 9u
#define LOOK_FIRST_US (5 * G_GINT64_CONSTANT (1000))
#define LOOK_MAX_US (500 * G_GINT64_CONSTANT (1000))
/* Supervisors of a run that have gone one behind the other without a word. */
#define SPAWNS_MAX 3u
/* Orders that wait for a supervisor; it is told to begin one stage, and there may be signals. */
#define ORDERS_MAX 256u

void
lk_process_os_say (const LkProcessOs *self, const char *format, ...)
{
  va_list arguments;
  if (self->log == NULL)
    return;
  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  self->log (self->log_user, line);
}

/* ---------------------------------------------------------------- the table */

static guint
place_of (const LkProcessOs *self, guint64 run_id)
{
  guint low = 0;
  guint high = self->runs->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    const LkOsRun *run = g_ptr_array_index (self->runs, middle);
    if (run->known.run_id < run_id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

LkOsRun *
lk_process_os_run (const LkProcessOs *self, guint64 run_id)
{
  guint place = place_of (self, run_id);
  LkOsRun *run = place < self->runs->len ? g_ptr_array_index (self->runs, place) : NULL;
  return run != NULL && run->known.run_id == run_id ? run : NULL;
}

static void
disconnect (LkOsRun *run)
{
  if (run->stream < 0)
    return;
  lk_loop_remove_fd (run->port->loop, &run->part);
  close (run->stream);
  run->stream = -1;
}

static void
run_free (gpointer data)
{
  LkOsRun *run = data;
  disconnect (run);
  lk_loop_set_timer (run->port->loop, &run->timer, LK_TIME_NEVER);
  g_array_unref (run->orders);
  g_ptr_array_unref (run->packets);
  g_array_unref (run->steps);
  g_free (run);
}

static void look_for (gpointer user);
static void hear (gpointer user, guint events);

static LkOsRun *
run_add (LkProcessOs *self, const LkSupervised *known)
{
  LkOsRun *run = g_new0 (LkOsRun, 1);
  run->port = self;
  run->known = *known;
  run->stream = -1;
  run->patience_us = LOOK_FIRST_US;
  run->part = (LkLoopFd){ .ready = hear, .user = run };
  run->timer = (LkLoopTimer){ .due = look_for, .user = run };
  run->orders = g_array_new (FALSE, FALSE, sizeof (LkStepOrder));
  run->packets = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  run->steps = g_array_new (FALSE, FALSE, sizeof (LkStepFound));
  g_ptr_array_insert (self->runs, (gint)place_of (self, known->run_id), run);
  return run;
}

/* ---------------------------------------------------------------- how stages end */

static void
note_end (LkSupervised *known, const LkExit *how)
{
  known->has_ended = TRUE;
  known->last = *how;
  if (known->stage == LK_STAGE_PROLOG)
    known->prolog = *how;
  if (known->stage == LK_STAGE_SCRIPT)
    known->script = *how;
}

/* Whoever is told may forget the run: nothing of it is touched behind this. */
static void
stage_ended (LkOsRun *run, LkStage stage, const LkExit *how)
{
  if (run->known.stage != stage || run->known.has_ended)
    return;
  if (stage >= LK_STAGE_SCRIPT)
    lk_process_os_end_steps (run);
  note_end (&run->known, how);
  run->port->ended (run->port->user, run->known.run_id, stage, how);
}

static void
tell_stuck (const LkOsRun *run, LkStuck why)
{
  if (run->port->stuck != NULL && !run->known.has_ended)
    run->port->stuck (run->port->user, run->known.run_id, why);
}

/* ---------------------------------------------------------------- connected */

/* What cannot be sent now is sent to the next one: order and connection are kept by the stream. */
static void
send_orders (LkOsRun *run)
{
  guint sent = 0;
  while (run->stream >= 0 && sent < run->orders->len) {
    const LkStepOrder *order = &g_array_index (run->orders, LkStepOrder, sent);
    if (send (run->stream, order, sizeof *order, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
      break;
    sent++;
  }
  g_array_remove_range (run->orders, 0, sent);
  if (run->orders->len == 0)
    lk_process_os_send_packets (run);
}

static void
give_order (LkOsRun *run, const LkStepOrder *order)
{
  if (run->orders->len >= ORDERS_MAX)
    return;
  g_array_append_vals (run->orders, order, 1);
  send_orders (run);
}

/* FALSE: the loop has no room. */
static gboolean
connect_to (LkOsRun *run, int stream)
{
  if (!lk_loop_add_fd (run->port->loop, &run->part, stream, LK_LOOP_READ, NULL)) {
    close (stream);
    return FALSE;
  }
  run->stream = stream;
  run->is_dead = FALSE;
  run->patience_us = LOOK_FIRST_US;
  lk_loop_set_timer (run->port->loop, &run->timer, LK_TIME_NEVER);
  send_orders (run);
  return TRUE;
}

static void
hear (gpointer user, guint events)
{
  (void)events;
  LkOsRun *run = user;
  char line[LK_STEP_LINE_BYTES];
  LkStage stage;
  LkStuck stuck;
  LkExit how;
  gssize count = lk_step_receive (run->stream, line, sizeof line - 1, /* waits= */ FALSE);
  if (count < 0 && errno == EAGAIN)
    return;
  if (count <= 0) {
    disconnect (run);
    lk_loop_set_timer (run->port->loop, &run->timer, lk_loop_now_us (run->port->loop));
    return;
  }
  line[count] = '\0';
  if (g_str_has_prefix (line, LK_STEP_LOG)) {
    lk_process_os_say (run->port, "run %" G_GUINT64_FORMAT ": %s", run->known.run_id,
                       line + strlen (LK_STEP_LOG));
    return;
  }
  run->spawn_count = 0;
  if (lk_process_os_hear_step (run, line, (gsize)count))
    return;
  if (lk_run_stuck_scan (line, &stuck)) {
    tell_stuck (run, stuck);
    return;
  }
  if (lk_run_end_scan (line, &stage, &how))
    stage_ended (run, stage, &how);
}

/* ---------------------------------------------------------------- looked for */

static gboolean
spawn (LkOsRun *run)
{
  LkProcessOs *self = run->port;
  int stream = lk_supervisor_spawn (&self->plan, self->loop, self->runs_folder, run->known.run_id);
  run->spawn_count++;
  if (stream < 0)
    lk_process_os_say (self, "run %" G_GUINT64_FORMAT ": no supervisor can be started: %s",
                       run->known.run_id, g_strerror (errno));
  return stream >= 0 && connect_to (run, stream);
}

static void
look_again (LkOsRun *run)
{
  lk_loop_set_timer (run->port->loop, &run->timer,
                     lk_time_add_us (lk_loop_now_us (run->port->loop), run->patience_us));
  run->patience_us = MIN (run->patience_us * 2, LOOK_MAX_US);
}

/* TRUE: nothing of the run lives any more. */
static gboolean
sweep (LkOsRun *run)
{
  LkProcessOs *self = run->port;
  g_autofree char *folder = lk_spawn_folder (&self->plan, run->known.run_id);
  g_autoptr (LkCgroup) group = lk_spawn_open_group (&self->plan, run->known.run_id);
  g_autoptr (GArray) grouped =
      group != NULL ? lk_cgroup_pids (group) : g_array_new (FALSE, FALSE, sizeof (int));
  const LkProcessMark mark = { LK_RUN_MARK, folder, lk_run_folder_user (folder) };
  run->was_dead = TRUE;
  if (grouped->len > 0)
    lk_cgroup_kill (group);
  if (lk_process_signal_marked (&mark, SIGNAL_KILL) > 0 || grouped->len > 0)
    return FALSE;
  if (group != NULL)
    lk_cgroup_remove (group);
  return TRUE;
}

/* Another supervisor goes on where the last one has left it, and is told to begin what the core
 * waits for. FALSE: too many have gone. */
static gboolean
follow (LkOsRun *run)
{
  LkStepOrder order = { .what = LK_STEP_BEGIN, .stage = (guint8)run->known.stage };
  if (run->spawn_count >= SPAWNS_MAX)
    return FALSE;
  g_array_set_size (run->orders, 0);
  if (run->known.stage > LK_STAGE_PROLOG)
    g_array_append_val (run->orders, order);
  if (!spawn (run))
    look_again (run);
  return TRUE;
}

static void
tell_gone (LkOsRun *run, const LkExit *how)
{
  g_array_set_size (run->orders, 0);
  run->spawn_count = 0;
  lk_process_os_say (run->port, "run %" G_GUINT64_FORMAT ": its supervisor is gone",
                     run->known.run_id);
  stage_ended (run, run->known.stage, how);
}

/* What the folder of a run has become by lk_run_folder_retire. */
static void
remove_retired (const LkProcessOs *self, guint64 run_id)
{
  g_autofree char *old = g_strdup_printf ("old-%" G_GUINT64_FORMAT, run_id);
  lk_run_folder_remove (self->runs_folder, old);
}

/* Of what has no folder any more nobody can begin anything. FALSE: it stays. */
static gboolean
disown (LkOsRun *run)
{
  LkProcessOs *self = run->port;
  guint64 run_id = run->known.run_id;
  int folder = lk_run_folder_retire (self->runs_folder, run_id);
  if (folder < 0)
    return FALSE;
  close (folder);
  lk_spawn_clean (&self->plan, run_id);
  lk_job_keys_remove (&self->keys, run_id);
  remove_retired (self, run_id);
  g_ptr_array_steal_index (self->runs, place_of (self, run_id));
  return TRUE;
}

/* No supervisor could begin the stage.  Before that is told the next agent, too, must know it: else
 * it would begin what was told to have ended.  It need only see it, as nothing is begun behind a
 * boot.  A disk that takes no record may let go of the folder; without either nobody is told.  An
 * epilog may be begun late. */
static void
conclude_unbegun (LkOsRun *run, int folder)
{
  LkStage stage = run->known.stage;
  LkExit how = { .trouble = LK_TROUBLE_LAUNCH_FAILURE };
  LkExit seen;
  gboolean is_recorded = lk_run_folder_set_end (folder, stage, &how);
  if (!is_recorded && run->patience_us < LOOK_MAX_US)
    lk_process_os_say (run->port,
                       "run %" G_GUINT64_FORMAT ": cannot write that it could not be begun: %s",
                       run->known.run_id, g_strerror (errno));
  if (is_recorded || lk_run_folder_end (folder, stage, &seen) || stage == LK_STAGE_EPILOG) {
    tell_gone (run, &how);
  } else if (disown (run)) {
    tell_gone (run, &how);
    run_free (run);
  } else {
    look_again (run);
    tell_stuck (run, LK_STUCK_DISK);
  }
}

/* The supervisor is gone, and all that it kept. */
static void
conclude (LkOsRun *run, int folder)
{
  LkSupervised *known = &run->known;
  gboolean has_begun = lk_run_folder_stage (folder) == (guint)known->stage;
  LkExit how = { .signal = SIGNAL_KILL };
  run->is_dead = TRUE;
  if (known->has_ended || (!has_begun && follow (run)))
    return;
  if (!has_begun) {
    conclude_unbegun (run, folder);
  } else if (lk_run_folder_end (folder, known->stage, &how)
             || lk_run_folder_set_end (folder, known->stage, &how)) {
    tell_gone (run, &how);
  } else {
    if (run->patience_us < LOOK_MAX_US)
      lk_process_os_say (run->port,
                         "run %" G_GUINT64_FORMAT ": cannot write that its supervisor is gone: %s",
                         known->run_id, g_strerror (errno));
    look_again (run);
    tell_stuck (run, LK_STUCK_DISK);
  }
}

static void
look_for (gpointer user)
{
  LkOsRun *run = user;
  int folder = lk_run_folder_open (run->port->runs_folder, run->known.run_id);
  if (folder < 0) {
    look_again (run);
    return;
  }
  int stream = lk_run_folder_connect (folder);
  int lock = stream < 0 ? lk_run_folder_lock (folder) : -1;
  if (lock >= 0)
    close (lock);
  if (stream >= 0 && connect_to (run, stream))
    lk_loop_set_timer (run->port->loop, &run->timer, LK_TIME_NEVER);
  else if (lock < 0 || !sweep (run))
    look_again (run);
  else
    conclude (run, folder);
  close (folder);
}

/* ---------------------------------------------------------------- keys of jobs */

/* Without it the job runs, and needs a key of its user's. */
static void
write_key (const LkProcessOs *self, const LkMessage_launch *launch)
{
  if (!lk_job_keys_write (&self->keys, launch))
    lk_process_os_say (self, "run %" G_GUINT64_FORMAT ": cannot write its key: %s", launch->run_id,
                       g_strerror (errno));
}

static gboolean
is_keyed (gpointer user, guint64 run_id)
{
  const LkProcessOs *self = user;
  return self->keys.keyring != NULL && lk_process_os_run (self, run_id) != NULL;
}

void
lk_process_os_set_keyring (LkProcessOs *self, LkKeyring *keyring)
{
  lk_job_keys_set_keyring (&self->keys, keyring);
  for (guint i = 0; keyring != NULL && i < self->runs->len; i++) {
    const LkOsRun *run = g_ptr_array_index (self->runs, i);
    int folder = lk_run_folder_open (self->runs_folder, run->known.run_id);
    g_autoptr (GByteArray) bytes = folder >= 0 ? lk_run_folder_launch (folder) : NULL;
    LkMessage message;
    if (folder >= 0)
      close (folder);
    if (bytes != NULL && lk_message_decode (bytes->data, bytes->len, &message)
        && message.kind == LK_MESSAGE_LAUNCH)
      write_key (self, &message.launch);
  }
  lk_job_keys_prune (&self->keys, is_keyed, self);
}

/* ---------------------------------------------------------------- what the core asks for */

static gboolean
create (void *user, const LkMessage_launch *launch)
{
  LkProcessOs *self = user;
  LkRunAbout about = { .job_id = launch->job_id, .runs_script = launch->runs_script != 0 };
  LkMessage message = { .kind = LK_MESSAGE_LAUNCH, .launch = *launch };
  LkSupervised known = { .run_id = launch->run_id,
                         .job_id = launch->job_id,
                         .stage = LK_STAGE_PROLOG,
                         .runs_script = launch->runs_script != 0 };
  if (lk_process_os_run (self, launch->run_id) != NULL
      || (geteuid () != 0 && launch->user_id != (guint32)geteuid ())) {
    lk_process_os_say (self, "run %" G_GUINT64_FORMAT " of user %u is refused", launch->run_id,
                       launch->user_id);
    return FALSE;
  }
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  lk_message_encode (&message, bytes);
  g_strlcpy (about.boot_id, self->boot_id, sizeof about.boot_id);
  if (!lk_run_folder_make (self->runs_folder, launch->run_id, &about, bytes->data, bytes->len)) {
    lk_process_os_say (self, "run %" G_GUINT64_FORMAT ": no folder: %s", launch->run_id,
                       g_strerror (errno));
    return FALSE;
  }
  write_key (self, launch);
  LkOsRun *run = run_add (self, &known);
  if (!spawn (run))
    look_again (run);
  return TRUE;
}

static gboolean
begin (void *user, guint64 run_id, LkStage stage)
{
  LkProcessOs *self = user;
  LkOsRun *run = lk_process_os_run (self, run_id);
  LkStepOrder order = { .what = LK_STEP_BEGIN, .stage = (guint8)stage };
  if (run == NULL || run->known.is_lost)
    return FALSE;
  LK_ASSERT (run->known.has_ended);
  LK_ASSERT (stage > run->known.stage);
  run->known.stage = stage;
  run->known.has_ended = FALSE;
  give_order (run, &order);
  if (run->is_dead)
    follow (run);
  return TRUE;
}

static void
signal_run (void *user, guint64 run_id, guint8 number, gboolean batch_only, guint8 why)
{
  LkOsRun *run = lk_process_os_run (user, run_id);
  LkStepOrder order = {
    .what = LK_STEP_SIGNAL, .why = why, .signal = number, .batch_only = batch_only ? 1 : 0
  };
  if (run == NULL || run->known.has_ended || (batch_only && !run->known.runs_script))
    return;
  give_order (run, &order);
}

static void
list (void *user, void (*found) (void *user, const LkSupervised *run), void *found_user)
{
  const LkProcessOs *self = user;
  for (guint i = 0; i < self->runs->len; i++)
    found (found_user, &((LkOsRun *)g_ptr_array_index (self->runs, i))->known);
}

/* First it is not found any more, then it is taken apart. */
static void
forget (void *user, guint64 run_id)
{
  LkProcessOs *self = user;
  LkOsRun *run = lk_process_os_run (self, run_id);
  LkStepOrder order = { .what = LK_STEP_FORGET };
  if (run == NULL)
    return;
  int folder = lk_run_folder_retire (self->runs_folder, run_id);
  if (folder < 0) {
    lk_process_os_say (self, "run %" G_GUINT64_FORMAT ": cannot be forgotten: %s", run_id,
                       g_strerror (errno));
    return;
  }
  if (run->stream < 0 && !run->is_dead && !run->known.is_lost)
    run->stream = lk_run_folder_connect (folder);
  if (run->stream >= 0)
    send (run->stream, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (run->was_dead || run->known.is_lost)
    lk_spawn_clean (&self->plan, run_id);
  lk_job_keys_remove (&self->keys, run_id);
  remove_retired (self, run_id);
  close (folder);
  run_free (g_ptr_array_steal_index (self->runs, place_of (self, run_id)));
}

static void
machine (void *user, LkMachineNow *out_now)
{
  (void)user;
  lk_machine_now (out_now);
}

static const LkPortProcessOps process_ops = {
  .size = sizeof (LkPortProcessOps),
  .create = create,
  .begin = begin,
  .signal = signal_run,
  .list = list,
  .forget = forget,
  .step_launch = lk_process_os_step_launch,
  .step_signal = lk_process_os_step_signal,
  .step_listen = lk_process_os_step_listen,
  .notify = lk_process_os_notify,
  .step_list = lk_process_os_step_list,
  .step_forget = lk_process_os_step_forget,
  .machine = machine,
};

LkPortProcess
lk_process_os_port (LkProcessOs *self)
{
  return (LkPortProcess){ &process_ops, self };
}

/* ---------------------------------------------------------------- what there is */

static void
take_run (LkProcessOs *self, guint64 run_id, int folder, const LkRunAbout *about)
{
  LkSupervised known = { .run_id = run_id,
                         .job_id = about->job_id,
                         .runs_script = about->runs_script,
                         .stage = LK_STAGE_PROLOG };
  guint stage = lk_run_folder_stage (folder);
  gboolean is_lost = strcmp (about->boot_id, self->boot_id) != 0;
  if (stage != 0)
    known.stage = (LkStage)stage;
  lk_run_folder_end (folder, LK_STAGE_PROLOG, &known.prolog);
  gboolean has_script = lk_run_folder_end (folder, LK_STAGE_SCRIPT, &known.script);
  known.has_ended = lk_run_folder_end (folder, known.stage, &known.last);
  known.is_unbegun = known.stage == LK_STAGE_EPILOG && !has_script;
  /* How the script has ended counts, though nobody may have been told. */
  if (is_lost && has_script)
    known.stage = LK_STAGE_EPILOG;
  known.is_lost = is_lost;
  known.has_ended = known.has_ended || is_lost;
  LkOsRun *run = run_add (self, &known);
  lk_process_os_take_steps (run, folder);
  if (!is_lost)
    lk_loop_set_timer (self->loop, &run->timer, lk_loop_now_us (self->loop));
}

/* It was forgotten, and perhaps its supervisor has not heard of it; or it was never whole. */
static void
take_old (LkProcessOs *self, const char *name)
{
  LkStepOrder order = { .what = LK_STEP_FORGET };
  int folder = openat (self->runs_folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int stream = folder >= 0 ? lk_run_folder_connect (folder) : -1;
  if (stream >= 0) {
    send (stream, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
    close (stream);
  }
  if (folder >= 0)
    close (folder);
  lk_run_folder_remove (self->runs_folder, name);
}

static void
take_entry (LkProcessOs *self, const char *name)
{
  LkRunAbout about;
  guint64 run_id;
  if (lk_run_folder_is_old (name)) {
    take_old (self, name);
    return;
  }
  if (!lk_run_folder_name (name, &run_id))
    return;
  int folder = lk_run_folder_open (self->runs_folder, run_id);
  if (folder >= 0 && lk_run_folder_about (folder, &about)) {
    take_run (self, run_id, folder, &about);
  } else {
    /* The machine has died before it was durable: then nothing of it has run. */
    lk_process_os_say (self, "run %s was never begun", name);
    lk_run_folder_remove (self->runs_folder, name);
  }
  if (folder >= 0)
    close (folder);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* FALSE: they cannot be listed. */
static gboolean
take_all (LkProcessOs *self)
{
  int copy = openat (self->runs_folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *all = copy >= 0 ? fdopendir (copy) : NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const struct dirent *entry;
  if (all == NULL)
    return FALSE;
  while ((entry = readdir (all)) != NULL)
    if (entry->d_name[0] != '.')
      g_ptr_array_add (names, g_strdup (entry->d_name));
  closedir (all);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    take_entry (self, g_ptr_array_index (names, i));
  return TRUE;
}

/* ---------------------------------------------------------------- beginning and end */

guint64
lk_process_os_boot_id (void)
{
  char boot_id[LK_BOOT_ID_BYTES];
  guint64 number = 0;
  if (!lk_boot_id_read (boot_id))
    return 0;
  for (guint i = 0; boot_id[i] != '\0'; i++)
    number = (number ^ (guint8)boot_id[i]) * G_GUINT64_CONSTANT (1099511628211);
  return MAX (number, 1);
}

/* One agent at a time: a lock that its children do not inherit, which goes with it. */
static gboolean
lock_directory (LkProcessOs *self, GError **error)
{
  const struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  g_autofree char *path = g_build_filename (self->plan.directory, "runs.lock", NULL);
  self->lock = open (path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (self->lock >= 0 && fcntl (self->lock, F_SETLK, &whole) == 0)
    return TRUE;
  if (self->lock >= 0 && (errno == EAGAIN || errno == EACCES))
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED, "%s: another agent uses it",
                 self->plan.directory);
  else
    lk_port_error_set (error, errno, "%s", path);
  return FALSE;
}

static gboolean
open_folder (const char *path, mode_t mode, int *out_folder, GError **error)
{
  int folder = -1;
  if (mkdir (path, mode) == 0 || errno == EEXIST)
    folder = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && fchmod (folder, mode) == 0) {
    *out_folder = folder;
    return TRUE;
  }
  lk_port_error_set (error, errno, "%s", path);
  if (folder >= 0)
    close (folder);
  return FALSE;
}

static gboolean
open_folders (LkProcessOs *self, GError **error)
{
  g_autofree char *runs = g_build_filename (self->plan.directory, "runs", NULL);
  int spool = -1;
  if (!open_folder (runs, 0700, &self->runs_folder, error)
      || !open_folder (self->plan.spool, 0711, &spool, error))
    return FALSE;
  close (spool);
  return TRUE;
}

LkProcessOs *
lk_process_os_new (const LkProcessOsConfig *config, LkLoop *loop,
                   void (*ended) (gpointer user, guint64 run_id, LkStage stage, const LkExit *how),
                   gpointer user, GError **error)
{
  g_autoptr (LkProcessOs) self = g_new0 (LkProcessOs, 1);
  self->loop = loop;
  self->ended = ended;
  self->stuck = config->stuck;
  self->step_ended = config->step_ended;
  self->step_used = config->step_used;
  self->user = user;
  self->log = config->log;
  self->log_user = config->log_user;
  self->lock = self->runs_folder = -1;
  self->runs = g_ptr_array_new_with_free_func (run_free);
  lk_spawn_plan_init (&self->plan, config);
  if (access (self->plan.program, X_OK) != 0) {
    lk_port_error_set (error, errno, "%s", self->plan.program);
    return NULL;
  }
  if (!lk_boot_id_read (self->boot_id)) {
    lk_port_error_set (error, errno, "/proc/sys/kernel/random/boot_id");
    return NULL;
  }
  if (!lock_directory (self, error) || !open_folders (self, error)
      || !lk_job_keys_init (&self->keys, self->plan.directory, config->node, error))
    return NULL;
  const char *lack = lk_spawn_probe (&self->plan);
  if (lack != NULL)
    lk_process_os_say (self, "%s", lack);
  if (!take_all (self)) {
    lk_port_error_set (error, errno, "%s/runs", self->plan.directory);
    return NULL;
  }
  return g_steal_pointer (&self);
}

void
lk_process_os_free (LkProcessOs *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->runs);
  if (self->runs_folder >= 0)
    close (self->runs_folder);
  if (self->lock >= 0)
    close (self->lock);
  lk_job_keys_clear (&self->keys);
  lk_spawn_plan_clear (&self->plan);
  g_free (self);
}
