/* tests/step/step_site.c — see the header. */
#include "tests/step/step_site.h"

#include <string.h>
#include <unistd.h>

#define PATIENCE_US (180 * (gint64)G_USEC_PER_SEC)
#define KEY_BYTE 0x5a

/* Where the functions of the node find it. */
static StepSite *the_site;

static void
on_step_ended (gpointer user, const LkStepFound *step)
{
  (void)user;
  g_array_append_val (the_site->ends, *step);
}

static void
on_step_used (gpointer user, guint64 run_id, guint32 step_id, const LkStepUsage *usage)
{
  (void)user;
  (void)run_id;
  (void)step_id;
  (void)usage;
  the_site->used_count++;
}

/* ---------------------------------------------------------------- the srun */

static LkStepAbout
about_of (const StepSite *self, LkStepSide side, guint32 step_id)
{
  LkStepAbout about = {
    .side = side, .job_id = 101, .step_id = step_id, .node_count = self->node_count
  };
  memset (about.key.bytes, KEY_BYTE, sizeof about.key.bytes);
  return about;
}

static void
take_output (StepSite *self, LkStepStream *stream, GString *to, LkBytes bytes)
{
  g_string_append_len (to, (const char *)bytes.bytes, bytes.length_bytes);
  if (self->holds)
    self->held_bytes += bytes.length_bytes;
  else
    lk_step_stream_take (stream, bytes.length_bytes);
}

/* What is for a node that is not ready yet. */
typedef struct {
  guint32 target;
  guint32 source;
  GByteArray *bytes;
} Early;

static void
early_free (gpointer data)
{
  Early *early = data;
  g_byte_array_unref (early->bytes);
  g_free (early);
}

static void
early_send (StepSite *self, LkStepStream *to)
{
  self->ready |= 1u << lk_step_stream_node (to);
  for (guint i = 0; i < self->early->len;) {
    const Early *early = g_ptr_array_index (self->early, i);
    if (early->target != lk_step_stream_node (to)) {
      i++;
      continue;
    }
    const LkStepFrame down = { .kind = LK_STEP_FRAME_PMIX_DOWN,
                               .pmix_down = { early->source,
                                              { early->bytes->data, early->bytes->len } } };
    lk_step_stream_send (to, &down);
    g_ptr_array_remove_index (self->early, i);
  }
}

/* srun is the hub of PMI servers. */
static void
pass_on (StepSite *self, LkStepStream *from, const LkStepFrame_pmix_up *up)
{
  const LkStepFrame down = { .kind = LK_STEP_FRAME_PMIX_DOWN,
                             .pmix_down = { .node_index = lk_step_stream_node (from),
                                            .bytes = up->bytes } };
  if (up->node_index != LK_STEP_ALL && (self->ready & 1u << up->node_index) == 0) {
    Early *early = g_new (Early, 1);
    *early = (Early){ up->node_index, lk_step_stream_node (from), g_byte_array_new () };
    g_byte_array_append (early->bytes, up->bytes.bytes, up->bytes.length_bytes);
    g_ptr_array_add (self->early, early);
    return;
  }
  for (guint i = 0; i < self->streams->len; i++) {
    LkStepStream *to = g_ptr_array_index (self->streams, i);
    if (up->node_index == LK_STEP_ALL || lk_step_stream_node (to) == up->node_index)
      lk_step_stream_send (to, &down);
  }
}

static void
hear (gpointer user, LkStepStream *stream, const LkStepFrame *frame)
{
  StepSite *self = user;
  const LkStepFrame done = { .kind = LK_STEP_FRAME_DONE };
  switch (frame->kind) {
  case LK_STEP_FRAME_READY:
    early_send (self, stream);
    break;
  case LK_STEP_FRAME_OUT:
    take_output (self, stream, self->out[frame->out.task], frame->out.bytes);
    break;
  case LK_STEP_FRAME_ERR:
    take_output (self, stream, self->err[frame->err.task], frame->err.bytes);
    break;
  case LK_STEP_FRAME_STARTED:
    self->pids[frame->started.task] = frame->started.pid;
    break;
  case LK_STEP_FRAME_TASK_EXIT:
    self->has_ended[frame->task_exit.task] = TRUE;
    self->status[frame->task_exit.task] = (int)frame->task_exit.status;
    break;
  case LK_STEP_FRAME_LOG:
    g_string_append_printf (self->log, "%.*s\n", (int)frame->log.line.length_bytes,
                            frame->log.line.bytes);
    g_test_message ("%.*s", (int)frame->log.line.length_bytes, frame->log.line.bytes);
    break;
  case LK_STEP_FRAME_PMIX_UP:
    pass_on (self, stream, &frame->pmix_up);
    break;
  case LK_STEP_FRAME_NODE_END:
    self->over_count++;
    if (!self->lingers)
      lk_step_stream_send (stream, &done);
    break;
  default:
    break;
  }
}

static void
ended (gpointer user, LkStepStream *stream, const char *why)
{
  StepSite *self = user;
  g_test_message ("a stream has ended: %s", why);
  self->refused_count++;
  g_ptr_array_remove (self->streams, stream);
}

static void
came (gpointer user, int socket)
{
  StepSite *self = user;
  const LkStepStreamOps ops = { .frame = hear, .ended = ended, .user = self };
  const LkStepAbout about = about_of (self, LK_STEP_SIDE_LAUNCHER, 0);
  g_ptr_array_add (self->streams,
                   lk_step_stream_accept (self->node->loop, &about, socket, &ops, NULL));
}

void
step_site_send (StepSite *self, const LkStepFrame *frame)
{
  for (guint i = 0; i < self->streams->len; i++)
    lk_step_stream_send (g_ptr_array_index (self->streams, i), frame);
}

void
step_site_hang_up (StepSite *self)
{
  g_ptr_array_set_size (self->streams, 0);
}

/* ---------------------------------------------------------------- the site */

void
step_site_init (StepSite *self, Node *node)
{
  g_autoptr (GError) error = NULL;
  *self =
      (StepSite){ .node = node,
                  .node_count = 1,
                  .kill_wait_us = 30 * (gint64)G_USEC_PER_SEC,
                  .streams = g_ptr_array_new_with_free_func ((GDestroyNotify)lk_step_stream_free),
                  .log = g_string_new (NULL),
                  .early = g_ptr_array_new_with_free_func (early_free),
                  .ends = g_array_new (FALSE, FALSE, sizeof (LkStepFound)) };
  for (guint i = 0; i < SITE_TASKS_MAX; i++) {
    self->out[i] = g_string_new (NULL);
    self->err[i] = g_string_new (NULL);
  }
  the_site = self;
  node->config.step_ended = on_step_ended;
  node->config.step_used = on_step_used;
  self->door = lk_step_door_new (node->loop, came, self, &error);
  g_assert_no_error (error);
}

void
step_site_clear (StepSite *self)
{
  g_ptr_array_unref (self->streams);
  g_ptr_array_unref (self->early);
  lk_step_door_free (self->door);
  if (self->second != NULL) {
    node_stop (self->second);
    self->second->loop = lk_loop_new (NULL);
    node_free (self->second);
  }
  lk_loop_turn (self->node->loop, 0);
  for (guint i = 0; i < SITE_TASKS_MAX; i++) {
    g_string_free (self->out[i], TRUE);
    g_string_free (self->err[i], TRUE);
  }
  g_string_free (self->log, TRUE);
  g_array_unref (self->ends);
  the_site = NULL;
}

void
step_site_add_node (StepSite *self)
{
  Node *node = node_new ();
  lk_loop_free (node->loop);
  node->loop = self->node->loop;
  node->config.node = "n2";
  node->config.step_ended = on_step_ended;
  self->second = node;
  self->node_count = 2;
}

static void
begin_run (const StepSite *self, Node *node, guint64 run_id)
{
  NodeJob job = node_job (node, run_id, "");
  job.launch.runs_script = 0;
  if (self->user_id != 0)
    job.launch.user_id = job.launch.group_id = self->user_id;
  job.launch.nodes = (LkLongText){ "n[1-2]", 6 };
  g_assert_true (node_launch (node, &job));
  node_wait_end (node, run_id, LK_STAGE_PROLOG);
}

void
step_site_begin_run (StepSite *self, guint64 run_id)
{
  begin_run (self, self->node, run_id);
  if (self->second != NULL)
    begin_run (self, self->second, run_id);
}

void
step_site_signal (StepSite *self, guint64 run_id, guint32 step_id, guint8 signal)
{
  LkPortProcess port = lk_process_os_port (self->node->port);
  port.ops->step_signal (port.self, run_id, step_id, signal, self->node->why);
}

void
step_site_forget (StepSite *self, guint64 run_id, guint32 step_id)
{
  LkPortProcess port = lk_process_os_port (self->node->port);
  port.ops->step_forget (port.self, run_id, step_id);
}

/* ---------------------------------------------------------------- steps */

void
step_job_init (StepJob *self, const StepSite *site, guint32 task_count, const char *script)
{
  static guint8 key[LK_KEY_BYTES];
  memset (key, KEY_BYTE, sizeof key);
  *self = (StepJob){ .task_count = task_count,
                     .gres = "",
                     .cores = "",
                     .arguments = g_byte_array_new (),
                     .environment = g_byte_array_new () };
  lk_strings_append (self->arguments, "sh");
  lk_strings_append (self->arguments, "-c");
  lk_strings_append (self->arguments, script);
  lk_strings_append (self->environment, "PATH=/usr/bin:/bin");
  lk_strings_append (self->environment, "SLURM_PROCID=99");
  self->address = g_strdup_printf ("127.0.0.1:%u", lk_step_door_port (site->door));
  self->task = (LkStepTask){ .work_dir = lk_bytes (site->node->work),
                             .umask = 022,
                             .addresses = lk_text (self->address),
                             .key = { key, sizeof key } };
}

void
step_job_clear (StepJob *self)
{
  g_byte_array_unref (self->arguments);
  g_byte_array_unref (self->environment);
  g_free (self->address);
}

static void
append_place (const StepJob *job, GByteArray *places, const char *node, guint32 first,
              guint32 count)
{
  g_autofree char *tasks = count > 1 ? g_strdup_printf ("%u-%u", first, first + count - 1)
                                     : g_strdup_printf ("%u", first);
  const LkStepPlace place = { .node = lk_text (node),
                              .task_count = count,
                              .tasks = { tasks, (guint32)strlen (tasks) },
                              .cpus = count,
                              .memory_bytes = job->memory_bytes,
                              .cores = { job->cores, (guint32)strlen (job->cores) },
                              .gres = lk_text (job->gres) };
  lk_step_place_append (&place, places);
}

gboolean
step_site_launch (StepSite *self, guint64 run_id, const StepJob *job)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_autoptr (GByteArray) places = g_byte_array_new ();
  guint32 half = self->second != NULL ? job->task_count / 2 : job->task_count;
  LkStepTask task = job->task;
  task.arguments = (LkStrings){ job->arguments->data, job->arguments->len };
  task.environment = (LkStrings){ job->environment->data, job->environment->len };
  lk_step_task_encode (&task, payload);
  append_place (job, places, "n1", 0, half);
  if (self->second != NULL)
    append_place (job, places, "n2", half, job->task_count - half);
  LkMessage_step_launch launch = { .run_id = run_id,
                                   .job_id = 101,
                                   .step_id = job->step_id,
                                   .tasks = job->task_count,
                                   .cpus_per_task = job->cpus_per_task,
                                   .places = { places->data, places->len },
                                   .kill_wait_us = self->kill_wait_us,
                                   .payload = { payload->data, payload->len } };
  LkPortProcess port = lk_process_os_port (self->node->port);
  gboolean is_good = port.ops->step_launch (port.self, &launch);
  if (self->second == NULL || !is_good)
    return is_good;
  launch.place = 1;
  port = lk_process_os_port (self->second->port);
  return port.ops->step_launch (port.self, &launch);
}

/* ---------------------------------------------------------------- waiting */

static void
turn_until (StepSite *self, gint64 until_us, const char *what)
{
  if (g_get_monotonic_time () > until_us)
    g_error ("waited too long for %s; of the nodes: %s; of the agent: %s", what, self->log->str,
             self->node->log->str);
  lk_loop_turn (self->node->loop, 10000);
}

LkStepFound
step_site_wait_end (StepSite *self, guint32 step_id)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  for (;;) {
    for (guint i = 0; i < self->ends->len; i++)
      if (g_array_index (self->ends, LkStepFound, i).step_id == step_id && self->streams->len == 0)
        return g_array_index (self->ends, LkStepFound, i);
    turn_until (self, until_us, "the end of a step");
  }
}

void
step_site_wait_out (StepSite *self, guint task, const char *words)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (strstr (self->out[task]->str, words) == NULL)
    turn_until (self, until_us, words);
}

void
step_site_wait_log (StepSite *self, const char *words)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (strstr (self->log->str, words) == NULL)
    turn_until (self, until_us, words);
}

void
step_site_wait_task (StepSite *self, guint task)
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (!self->has_ended[task])
    turn_until (self, until_us, "the end of a task");
}
