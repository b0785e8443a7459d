/* tests/live/launch/step_console_test.c — srun's end of the streams, against nodes that are played
 * in the same loop. */
#include "live/client/step/step_console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define NODES 2u
#define TASKS 4u
#define PATIENCE_US (120 * (gint64)G_USEC_PER_SEC)
#define EXITED(code) ((code) << 8)

typedef struct _Site Site;

typedef struct {
  Site *site;
  guint32 index;
  LkStepStream *stream;
  gboolean is_welcome;
  gboolean is_done;
  GString *input;
  gboolean is_input_over;
  GArray *signals; /* of guint8 */
  GString *pmix;
} Node;

struct _Site {
  LkLoop *loop;
  LkStepDoor *door;
  LkStepConsole *console;
  Node nodes[NODES];
  GPtrArray *node_names;
  GPtrArray *task_nodes;
  GArray *task_indices;
  LkClient client;
  char *err;
  gsize err_bytes;
  int out[2];   /* a pipe */
  int input[2]; /* likewise */
  GString *text;
  guint signal_count;          /* requests of STEP_SIGNAL */
  gboolean is_known_over;      /* the controller answers: there is no such step */
  void (*script) (Site *site); /* when all nodes are welcome */
  void (*done_input) (Site *site);
  gboolean is_played;
  LkLoopTimer patience;
};

/* ---------------------------------------------------------------- nodes */

static void
send_frame (Site *self, guint node, const LkStepFrame *frame)
{
  lk_step_stream_send (self->nodes[node].stream, frame);
}

static void
play_out (Site *self, guint32 task, const char *text)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_OUT };
  frame.out.task = task;
  frame.out.bytes = lk_bytes_of_text (text);
  send_frame (self, task / 2, &frame);
}

static void
play_exit (Site *self, guint32 task, int status)
{
  LkStepFrame eof = { .kind = LK_STEP_FRAME_OUT_EOF };
  LkStepFrame frame = { .kind = LK_STEP_FRAME_TASK_EXIT };
  eof.out_eof.task = task;
  frame.task_exit.task = task;
  frame.task_exit.status = (guint32)status;
  send_frame (self, task / 2, &eof);
  send_frame (self, task / 2, &frame);
}

static void
play_end (Site *self, guint node)
{
  LkStepFrame frame = { .kind = LK_STEP_FRAME_NODE_END };
  send_frame (self, node, &frame);
}

static void
play_all_end (Site *self, int status)
{
  for (guint32 i = 0; i < TASKS; i++)
    play_exit (self, i, status);
  for (guint i = 0; i < NODES; i++)
    play_end (self, i);
}

static void
welcomed (Node *node)
{
  Site *self = node->site;
  LkStepFrame ready = { .kind = LK_STEP_FRAME_READY };
  node->is_welcome = TRUE;
  send_frame (self, node->index, &ready);
  for (guint32 i = 0; i < 2; i++) {
    LkStepFrame started = { .kind = LK_STEP_FRAME_STARTED };
    started.started.task = node->index * 2 + i;
    started.started.pid = 100 + i;
    send_frame (self, node->index, &started);
  }
  for (guint i = 0; i < NODES; i++)
    if (!self->nodes[i].is_welcome)
      return;
  if (!self->is_played && self->script != NULL)
    self->script (self);
  self->is_played = TRUE;
}

static void
node_frame (gpointer user, LkStepStream *stream, const LkStepFrame *frame)
{
  Node *node = user;
  (void)stream;
  switch (frame->kind) {
  case LK_STEP_FRAME_WELCOME:
    welcomed (node);
    break;
  case LK_STEP_FRAME_IN:
    g_string_append_len (node->input, (const char *)frame->in.bytes.bytes,
                         frame->in.bytes.length_bytes);
    lk_step_stream_take (stream, frame->in.bytes.length_bytes);
    break;
  case LK_STEP_FRAME_IN_EOF:
    node->is_input_over = TRUE;
    if (node->site->done_input != NULL)
      node->site->done_input (node->site);
    break;
  case LK_STEP_FRAME_SIGNAL:
    g_array_append_val (node->signals, frame->signal.signal);
    if (frame->signal.signal == SIGINT && node->site->nodes[0].signals->len > 0
        && node->site->nodes[1].signals->len > 0)
      play_all_end (node->site, SIGINT);
    break;
  case LK_STEP_FRAME_PMIX_DOWN:
    g_string_append_printf (node->pmix, "%u:%.*s;", frame->pmix_down.node_index,
                            (int)frame->pmix_down.bytes.length_bytes,
                            (const char *)frame->pmix_down.bytes.bytes);
    if (strstr (node->site->nodes[0].pmix->str, "1:fence;") != NULL
        && strcmp (node->site->nodes[1].pmix->str, "1:fence;1:get;") == 0)
      play_all_end (node->site, 0);
    break;
  case LK_STEP_FRAME_DONE:
    node->is_done = TRUE;
    break;
  default:
    break;
  }
}

static void
node_ended (gpointer user, LkStepStream *stream, const char *why)
{
  Node *node = user;
  (void)why;
  lk_step_stream_free (stream);
  node->stream = NULL;
}

static void
node_begin (Site *self, guint32 index, const LkKey *key)
{
  Node *node = &self->nodes[index];
  LkStepAbout about = { .side = LK_STEP_SIDE_NODE,
                        .key = *key,
                        .job_id = 7,
                        .step_id = 0,
                        .node_index = index,
                        .node_count = NODES };
  LkStepStreamOps ops = { node_frame, NULL, node_ended, node };
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", lk_step_door_port (self->door));
  const char *addresses[] = { address, NULL };
  node->site = self;
  node->index = index;
  node->input = g_string_new (NULL);
  node->pmix = g_string_new (NULL);
  node->signals = g_array_new (FALSE, FALSE, sizeof (guint8));
  node->stream = lk_step_stream_connect (self->loop, &about, addresses, &ops, NULL);
  g_assert_nonnull (node->stream);
}

/* ---------------------------------------------------------------- the site */

static void
came (gpointer user, int socket)
{
  Site *self = user;
  lk_step_console_came (self->console, socket);
}

static void
impatient (gpointer user)
{
  (void)user;
  g_error ("the step has not ended");
}

static gboolean
wire_exchange (gpointer data, LkMessage *request, void (*take) (gpointer, const LkMessage *),
               gpointer user, GError **error)
{
  Site *self = data;
  LkMessage reply = { .kind = LK_MESSAGE_STEP_REPLY };
  (void)error;
  g_assert_cmpuint (request->kind, ==, LK_MESSAGE_STEP_SIGNAL);
  self->signal_count++;
  take (user, &reply);
  play_all_end (self, request->step_signal.signal != 0 ? request->step_signal.signal : SIGTERM);
  return TRUE;
}

static gboolean
wire_page (gpointer data, LkMessage *query, void (*take) (gpointer, const LkMessage *),
           gpointer user, GError **error)
{
  const Site *self = data;
  LkMessage page = { .kind = LK_MESSAGE_STATE_PAGE };
  page.state_page.record = query->state_query.record;
  if (self->is_known_over) {
    take (user, &page);
    return TRUE;
  }
  g_set_error_literal (error, g_quark_from_static_string ("test"), 1, "nobody answers");
  return FALSE;
}

static const LkClientWire wire = { .exchange = wire_exchange, .page = wire_page };

static void
layout_fill (Site *self)
{
  static const char *const names[] = { "n1", "n2" };
  self->node_names = g_ptr_array_new ();
  self->task_nodes = g_ptr_array_new ();
  self->task_indices = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < NODES; i++)
    g_ptr_array_add (self->node_names, (gpointer)names[i]);
  for (guint32 i = 0; i < TASKS; i++) {
    guint32 index = i / 2;
    g_ptr_array_add (self->task_nodes, (gpointer)names[index]);
    g_array_append_val (self->task_indices, index);
  }
}

/* Runs a step. Returns: the exit code; `text` has what came out, `err` what was told. */
static int
run (Site *self, LkStepConsoleOptions options)
{
  char bytes[4096];
  gssize count;
  self->loop = lk_loop_new (NULL);
  self->door = lk_step_door_new (self->loop, came, self, NULL);
  self->text = g_string_new (NULL);
  self->client = (LkClient){ .command = "srun",
                             .err = open_memstream (&self->err, &self->err_bytes),
                             .wire = &wire,
                             .wire_self = self };
  layout_fill (self);
  g_assert_cmpint (pipe (self->out), ==, 0);
  options.client = &self->client;
  options.loop = self->loop;
  memset (options.key.bytes, 9, sizeof options.key.bytes);
  options.job_id = 7;
  options.label = "StepId=7.0";
  options.node_names = self->node_names;
  options.task_nodes = self->task_nodes;
  options.task_indices = self->task_indices;
  options.out_fd = options.err_fd = self->out[1];
  self->console = lk_step_console_new (&options);
  self->patience.due = impatient;
  lk_loop_set_timer (self->loop, &self->patience, lk_loop_now_us (self->loop) + PATIENCE_US);
  for (guint32 i = 0; i < NODES; i++)
    node_begin (self, i, &options.key);
  int code = lk_step_console_run (self->console);
  g_clear_pointer (&self->console, lk_step_console_free);
  close (self->out[1]);
  while ((count = read (self->out[0], bytes, sizeof bytes)) > 0)
    g_string_append_len (self->text, bytes, count);
  close (self->out[0]);
  fclose (self->client.err);
  return code;
}

static void
site_clear (Site *self)
{
  for (guint i = 0; i < NODES; i++) {
    if (self->nodes[i].stream != NULL)
      lk_step_stream_free (self->nodes[i].stream);
    g_string_free (self->nodes[i].input, TRUE);
    g_string_free (self->nodes[i].pmix, TRUE);
    g_array_unref (self->nodes[i].signals);
  }
  lk_step_door_free (self->door);
  lk_loop_free (self->loop);
  g_string_free (self->text, TRUE);
  g_ptr_array_unref (self->node_names);
  g_ptr_array_unref (self->task_nodes);
  g_array_unref (self->task_indices);
  g_free (self->err);
}

static const LkStepConsoleOptions plain = {
  .out_task = LK_STEP_ALL, .err_task = LK_STEP_ALL, .in_fd = -1, .in_task = LK_STEP_ALL
};

/* ---------------------------------------------------------------- cases */

static void
script_output (Site *self)
{
  play_out (self, 0, "hello\n");
  play_out (self, 3, "end");
  play_all_end (self, 0);
}

static void
test_output (void)
{
  Site site = { .script = script_output };
  LkStepConsoleOptions options = plain;
  options.is_labelled = TRUE;
  g_assert_cmpint (run (&site, options), ==, 0);
  g_assert_nonnull (strstr (site.text->str, "0: hello\n"));
  g_assert_nonnull (strstr (site.text->str, "3: end\n"));
  g_assert_cmpstr (site.err, ==, "");
  site_clear (&site);
}

static void
test_one_task (void)
{
  Site site = { .script = script_output };
  LkStepConsoleOptions options = plain;
  options.out_task = 3;
  g_assert_cmpint (run (&site, options), ==, 0);
  g_assert_cmpstr (site.text->str, ==, "end");
  site_clear (&site);
}

static void
script_codes (Site *self)
{
  LkStepFrame line = { .kind = LK_STEP_FRAME_LOG };
  line.log.is_error = 1;
  line.log.line = (LkText){ "execve(): x", 11 };
  send_frame (self, 0, &line);
  play_exit (self, 0, EXITED (3));
  play_exit (self, 1, EXITED (0));
  play_exit (self, 2, EXITED (3));
  play_exit (self, 3, SIGSEGV);
  play_end (self, 0);
  play_end (self, 1);
}

static void
test_codes (void)
{
  Site site = { .script = script_codes };
  g_assert_cmpint (run (&site, plain), ==, 128 + SIGSEGV);
  g_assert_cmpstr (site.err, ==,
                   "slurmstepd: error: execve(): x\n"
                   "srun: error: n[1-2]: tasks 0,2: Exited with exit code 3\n"
                   "srun: error: n2: task 3: Segmentation fault\n");
  site_clear (&site);
}

/* The others are ended, by the controller. */
static void
script_bad (Site *self)
{
  play_exit (self, 1, EXITED (5));
}

static void
test_bad_exit (void)
{
  Site site = { .script = script_bad };
  LkStepConsoleOptions options = plain;
  options.kills_on_bad_exit = TRUE;
  g_assert_cmpint (run (&site, options), ==, 128 + SIGTERM);
  g_assert_cmpuint (site.signal_count, ==, 1);
  g_assert_true (g_str_has_prefix (site.err, "srun: error: n1: task 1: Exited with exit code 5\n"
                                             "srun: Terminating StepId=7.0\n"
                                             "srun: Job step aborted: Waiting up to 32 seconds "
                                             "for job step to finish.\n"));
  g_assert_nonnull (strstr (site.err, "srun: error: n[1-2]: tasks 0,2-3: Terminated\n"));
  site_clear (&site);
}

static void
script_first (Site *self)
{
  play_exit (self, 2, EXITED (0));
}

static void
test_wait (void)
{
  Site site = { .script = script_first };
  LkStepConsoleOptions options = plain;
  options.wait_us = G_USEC_PER_SEC;
  g_assert_cmpint (run (&site, options), ==, 128 + SIGKILL);
  g_assert_true (g_str_has_prefix (site.err, "srun: First task exited 1s ago\n"
                                             "srun: StepId=7.0 tasks 0-1,3: running\n"
                                             "srun: StepId=7.0 task 2: exited\n"
                                             "srun: Terminating StepId=7.0\n"
                                             "srun: Job step aborted: Waiting up to 32 seconds "
                                             "for job step to finish.\n"));
  g_assert_nonnull (strstr (site.err, ": Killed\n"));
  site_clear (&site);
}

/* ---- input */

static void
input_seen (Site *self)
{
  if (self->nodes[0].is_input_over && self->nodes[1].is_input_over)
    play_all_end (self, 0);
}

static void
input_seen_by_one (Site *self)
{
  play_all_end (self, 0);
}

static void
test_input (void)
{
  Site site = { .done_input = input_seen };
  LkStepConsoleOptions options = plain;
  g_assert_cmpint (pipe (site.input), ==, 0);
  g_assert_cmpint (write (site.input[1], "for all", 7), ==, 7);
  close (site.input[1]);
  options.in_fd = site.input[0];
  g_assert_cmpint (run (&site, options), ==, 0);
  g_assert_cmpstr (site.nodes[0].input->str, ==, "for all");
  g_assert_cmpstr (site.nodes[1].input->str, ==, "for all");
  close (site.input[0]);
  site_clear (&site);
}

/* A file, which no loop can wait for, for one task; longer than may be on the way. */
static void
test_input_file (void)
{
  Site site = { .done_input = input_seen_by_one };
  LkStepConsoleOptions options = plain;
  g_autofree char *path = g_strdup ("/tmp/lk-console-XXXXXX");
  g_autofree char *many = g_strnfill (1000000, 'z');
  int fd = g_mkstemp (path);
  g_assert_true (g_file_set_contents (path, many, 1000000, NULL));
  close (fd);
  options.in_fd = open (path, O_RDONLY | O_CLOEXEC);
  options.in_task = 3;
  g_assert_cmpint (run (&site, options), ==, 0);
  g_assert_cmpuint (site.nodes[0].input->len, ==, 0);
  g_assert_cmpuint (site.nodes[1].input->len, ==, 1000000);
  close (options.in_fd);
  unlink (path);
  site_clear (&site);
}

/* ---- signals */

static LkLoopTimer later;

static void
interrupt (gpointer user)
{
  (void)user;
  kill (getpid (), SIGINT);
}

static void
script_interrupt (Site *self)
{
  kill (getpid (), SIGUSR1);
  kill (getpid (), SIGINT);
  later = (LkLoopTimer){ .due = interrupt };
  lk_loop_set_timer (self->loop, &later, lk_loop_now_us (self->loop) + 100000);
}

/* The first ^C tells how tasks stand, the second one ends them; other signals are passed on. */
static void
test_interrupt (void)
{
  Site site = { .script = script_interrupt };
  g_assert_cmpint (run (&site, plain), ==, 128 + SIGINT);
  const guint8 *got = (const guint8 *)(gpointer)site.nodes[0].signals->data;
  g_assert_cmpuint (site.nodes[0].signals->len, ==, 2);
  g_assert_cmpuint (got[0], ==, SIGUSR1);
  g_assert_cmpuint (got[1], ==, SIGINT);
  g_assert_nonnull (strstr (site.err, "srun: interrupt (one more within 1 sec to abort)\n"
                                      "srun: StepId=7.0 task"));
  g_assert_true (g_str_has_suffix (site.err, "srun: sending Ctrl-C to StepId=7.0\n"));
  site_clear (&site);
}

static void
script_quick (Site *self)
{
  (void)self;
  kill (getpid (), SIGINT);
}

static void
test_no_status (void)
{
  Site site = { .script = script_quick };
  LkStepConsoleOptions options = plain;
  options.is_status_off = TRUE;
  int code = run (&site, options);
  g_test_message ("%s", site.err);
  g_assert_cmpint (code, ==, 128 + SIGINT);
  g_assert_cmpstr (site.err, ==, "srun: sending Ctrl-C to StepId=7.0\n");
  site_clear (&site);
}

/* ---- nodes */

static void
script_lost (Site *self)
{
  for (guint32 i = 0; i < 2; i++)
    play_exit (self, i, 0);
  play_end (self, 0);
  lk_step_stream_flush (self->nodes[1].stream);
  lk_step_stream_free (self->nodes[1].stream);
  self->nodes[1].stream = NULL;
}

static void
test_lost (void)
{
  Site site = { .script = script_lost };
  g_assert_cmpint (run (&site, plain), ==, 1);
  g_assert_true (g_str_has_prefix (site.err, "srun: error: Node failure on n2: "));
  site_clear (&site);
}

/* Who looks on hears no more than that a node is gone, and asks whether the step is over. */
static void
test_lost_onlooker (void)
{
  Site site = { .script = script_lost, .is_known_over = TRUE };
  LkStepConsoleOptions options = plain;
  options.is_attached = TRUE;
  g_assert_cmpint (run (&site, options), ==, 0);
  g_assert_cmpstr (site.err, ==, "");
  site_clear (&site);
}

static void
script_pmix (Site *self)
{
  LkStepFrame up = { .kind = LK_STEP_FRAME_PMIX_UP };
  up.pmix_up.node_index = LK_STEP_ALL;
  up.pmix_up.bytes = lk_bytes_of_text ("fence");
  send_frame (self, 1, &up);
  up.pmix_up.node_index = 1;
  up.pmix_up.bytes = lk_bytes_of_text ("get");
  send_frame (self, 1, &up);
}

static void
test_pmix (void)
{
  Site site = { .script = script_pmix };
  g_assert_cmpint (run (&site, plain), ==, 0);
  /* What is for one goes to one. */
  g_assert_cmpstr (site.nodes[0].pmix->str, ==, "1:fence;");
  site_clear (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN);
  g_test_add_func ("/step-console/output of all tasks comes with labels", test_output);
  g_test_add_func ("/step-console/output of one task alone", test_one_task);
  g_test_add_func ("/step-console/the highest code counts, ends are told", test_codes);
  g_test_add_func ("/step-console/a bad end ends the step", test_bad_exit);
  g_test_add_func ("/step-console/the first end ends the step after a while", test_wait);
  g_test_add_func ("/step-console/input goes to all nodes", test_input);
  g_test_add_func ("/step-console/a long file goes to one task", test_input_file);
  g_test_add_func ("/step-console/two interrupts", test_interrupt);
  g_test_add_func ("/step-console/interrupts without a word", test_no_status);
  g_test_add_func ("/step-console/a node is lost", test_lost);
  g_test_add_func ("/step-console/of a lost node nothing is told to who looks on",
                   test_lost_onlooker);
  g_test_add_func ("/step-console/PMIx servers reach each other", test_pmix);
  return g_test_run ();
}
