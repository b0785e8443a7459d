/* tests/step/step_stream_test.c — the stream between a step's nodes and its srun: frames, the
 * handshake, what may be on the way, and real connections. */
#include "live/port/step_stream.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Longer than anything takes on a machine that is busy. */
#define PATIENCE_US (120 * (gint64)G_USEC_PER_SEC)

static LkStepAbout
about_of (LkStepSide side, guint8 key)
{
  LkStepAbout about = { .side = side, .job_id = 7, .step_id = 2, .node_index = 1, .node_count = 3 };
  memset (about.key.bytes, key, sizeof about.key.bytes);
  return about;
}

/* ---------------------------------------------------------------- frames */

static void
test_frames (void)
{
  for (guint kind = 0; kind < 256; kind++) {
    gboolean is_known = strcmp (lk_step_frame_name (kind), "?") != 0;
    g_assert_cmpint (is_known, ==, lk_step_frame_sides (kind) != 0);
  }
  const LkStepFrame frame = { .kind = LK_STEP_FRAME_OUT,
                              .out = { .task = 3, .bytes = lk_bytes_of_text ("hello") } };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkStepFrame same;
  lk_step_frame_encode (&frame, bytes);
  g_assert_true (lk_step_frame_decode (bytes->data, bytes->len, &same));
  g_assert_cmpuint (same.out.task, ==, 3);
  g_assert_cmpuint (same.out.bytes.length_bytes, ==, 5);
  g_assert_cmpint (memcmp (same.out.bytes.bytes, "hello", 5), ==, 0);
  g_assert_cmpuint (lk_step_frame_load_bytes (&same), ==, 5);
  for (guint i = 0; i < bytes->len; i++)
    g_assert_false (lk_step_frame_decode (bytes->data, i, &same));
  g_byte_array_append (bytes, (const guint8 *)"x", 1);
  g_assert_false (lk_step_frame_decode (bytes->data, bytes->len, &same));
}

static void
test_out_of_range (void)
{
  const LkStepFrame good = { .kind = LK_STEP_FRAME_SIGNAL, .signal = { LK_STEP_ALL, 64 } };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkStepFrame frame;
  lk_step_frame_encode (&good, bytes);
  g_assert_true (lk_step_frame_decode (bytes->data, bytes->len, &frame));
  bytes->data[bytes->len - 1] = 65;
  g_assert_false (lk_step_frame_decode (bytes->data, bytes->len, &frame));
  bytes->data[bytes->len - 1] = 0;
  g_assert_false (lk_step_frame_decode (bytes->data, bytes->len, &frame));
}

/* ---------------------------------------------------------------- talk */

typedef struct {
  LkStepTalk node;
  LkStepTalk launcher;
} Talk;

static LkStepTalkStatus
pass (LkStepTalk *to, const LkStepFrame *frame, LkStepFrame *out_frame)
{
  /* What is decoded is borrowed from it. */
  static GByteArray *bytes = NULL;
  g_autoptr (GByteArray) reply = g_byte_array_new ();
  g_clear_pointer (&bytes, g_byte_array_unref);
  bytes = g_byte_array_new ();
  lk_step_frame_encode (frame, bytes);
  LkStepTalkStatus status =
      lk_step_talk_take (to, (LkBytes){ bytes->data, bytes->len }, reply, out_frame);
  g_clear_pointer (&bytes, g_byte_array_unref);
  return status;
}

static LkStepTalkStatus
shake (Talk *self, const LkStepAbout *node, const LkStepAbout *launcher)
{
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  g_autoptr (GByteArray) challenge = g_byte_array_new ();
  LkStepFrame frame;
  lk_step_talk_init (&self->node, node);
  lk_step_talk_init (&self->launcher, launcher);
  lk_step_talk_begin (&self->node, hello);
  LkStepTalkStatus status =
      lk_step_talk_take (&self->launcher, (LkBytes){ hello->data, hello->len }, challenge, &frame);
  if (status != LK_STEP_TALK_SEALS)
    return status;
  g_assert_cmpint (
      lk_step_talk_take (&self->node, (LkBytes){ challenge->data, challenge->len }, hello, &frame),
      ==, LK_STEP_TALK_SEALS);
  return status;
}

static void
talk_clear (Talk *self)
{
  lk_step_talk_clear (&self->node);
  lk_step_talk_clear (&self->launcher);
}

static void
open_both (Talk *self)
{
  const LkStepAbout node = about_of (LK_STEP_SIDE_NODE, 5);
  const LkStepAbout launcher = about_of (LK_STEP_SIDE_LAUNCHER, 5);
  const LkStepFrame welcome = { .kind = LK_STEP_FRAME_WELCOME };
  const LkStepFrame ready = { .kind = LK_STEP_FRAME_READY };
  LkStepFrame frame;
  g_assert_cmpint (shake (self, &node, &launcher), ==, LK_STEP_TALK_SEALS);
  g_assert_cmpuint (lk_step_talk_room_bytes (&self->node), ==, 0);
  g_assert_cmpint (pass (&self->node, &welcome, &frame), ==, LK_STEP_TALK_FRAME);
  g_assert_cmpint (pass (&self->launcher, &ready, &frame), ==, LK_STEP_TALK_FRAME);
  g_assert_cmpuint (lk_step_talk_room_bytes (&self->node), ==, LK_STEP_WINDOW_BYTES);
}

static gboolean
is_same (const LkKey *a, const LkKey *b)
{
  return memcmp (a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* Each direction has a key of its own, which both ends know. */
static void
test_keys (void)
{
  Talk talk;
  Talk other;
  open_both (&talk);
  open_both (&other);
  g_assert_true (is_same (&talk.node.send_key, &talk.launcher.receive_key));
  g_assert_true (is_same (&talk.node.receive_key, &talk.launcher.send_key));
  g_assert_false (is_same (&talk.node.send_key, &talk.node.receive_key));
  /* Of another connection of the same step they are others. */
  g_assert_false (is_same (&talk.node.send_key, &other.node.send_key));
  g_assert_cmpuint (talk.launcher.other_index, ==, 1);
  talk_clear (&talk);
  talk_clear (&other);
}

static void
test_strangers (void)
{
  const LkStepAbout launcher = about_of (LK_STEP_SIDE_LAUNCHER, 5);
  LkStepAbout nodes[3];
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    nodes[i] = about_of (LK_STEP_SIDE_NODE, 5);
  nodes[0].job_id++;
  nodes[1].step_id++;
  nodes[2].node_index = 3;
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++) {
    Talk talk;
    g_assert_cmpint (shake (&talk, &nodes[i], &launcher), ==, LK_STEP_TALK_REFUSED);
    talk_clear (&talk);
  }
  /* Who does not know the key has other keys for what follows: no seal of his fits. */
  const LkStepAbout thief = about_of (LK_STEP_SIDE_NODE, 6);
  Talk talk;
  g_assert_cmpint (shake (&talk, &thief, &launcher), ==, LK_STEP_TALK_SEALS);
  g_assert_false (is_same (&talk.node.send_key, &talk.launcher.receive_key));
  talk_clear (&talk);
}

/* Nobody says what the other end says, or anything else first, or the first again. */
static void
test_order (void)
{
  const LkStepFrame ready = { .kind = LK_STEP_FRAME_READY };
  const LkStepFrame log = { .kind = LK_STEP_FRAME_LOG, .log = { .line = { "x", 1 } } };
  const LkStepFrame done = { .kind = LK_STEP_FRAME_DONE };
  const LkStepAbout node = about_of (LK_STEP_SIDE_NODE, 5);
  const LkStepAbout launcher = about_of (LK_STEP_SIDE_LAUNCHER, 5);
  LkStepFrame frame;
  Talk talk;
  lk_step_talk_init (&talk.launcher, &launcher);
  g_assert_cmpint (pass (&talk.launcher, &ready, &frame), ==, LK_STEP_TALK_REFUSED);
  lk_step_talk_clear (&talk.launcher);
  g_assert_cmpint (shake (&talk, &node, &launcher), ==, LK_STEP_TALK_SEALS);
  g_assert_cmpint (pass (&talk.launcher, &log, &frame), ==, LK_STEP_TALK_REFUSED);
  talk_clear (&talk);
  open_both (&talk);
  g_assert_cmpint (pass (&talk.launcher, &ready, &frame), ==, LK_STEP_TALK_REFUSED);
  g_assert_cmpint (pass (&talk.launcher, &done, &frame), ==, LK_STEP_TALK_REFUSED);
  g_assert_cmpint (pass (&talk.launcher, &log, &frame), ==, LK_STEP_TALK_FRAME);
  talk_clear (&talk);
}

/* Of bytes of tasks so much may be on the way, and who sends more is refused. */
static void
test_window (void)
{
  static guint8 chunk[LK_STEP_CHUNK_BYTES];
  const LkStepFrame out = { .kind = LK_STEP_FRAME_OUT, .out = { 0, { chunk, sizeof chunk } } };
  LkStepFrame frame;
  Talk talk;
  open_both (&talk);
  for (guint i = 0; i < LK_STEP_WINDOW_BYTES / LK_STEP_CHUNK_BYTES; i++) {
    g_assert_true (lk_step_talk_note_sent (&talk.node, &out));
    g_assert_cmpint (pass (&talk.launcher, &out, &frame), ==, LK_STEP_TALK_FRAME);
  }
  g_assert_cmpuint (lk_step_talk_room_bytes (&talk.node), ==, 0);
  g_assert_false (lk_step_talk_note_sent (&talk.node, &out));
  /* Little that is taken is not told, as long as there is more. */
  g_assert_false (lk_step_talk_note_taken (&talk.launcher, 10, &frame));
  g_assert_cmpint (pass (&talk.launcher, &out, &frame), ==, LK_STEP_TALK_REFUSED);
  g_assert_true (lk_step_talk_note_taken (&talk.launcher, LK_STEP_WINDOW_BYTES - 10, &frame));
  g_assert_cmpuint (frame.taken.count_bytes, ==, LK_STEP_WINDOW_BYTES);
  LkStepFrame none;
  g_assert_cmpint (pass (&talk.node, &frame, &none), ==, LK_STEP_TALK_MORE);
  g_assert_cmpuint (lk_step_talk_room_bytes (&talk.node), ==, LK_STEP_WINDOW_BYTES);
  /* Nobody takes what was not sent. */
  g_assert_cmpint (pass (&talk.node, &frame, &none), ==, LK_STEP_TALK_REFUSED);
  talk_clear (&talk);
}

/* ---------------------------------------------------------------- connections */

typedef struct {
  LkLoop *loop;
  LkStepAbout about;
  LkStepStream *node;
  LkStepStream *launcher;
  GString *heard; /* by the launcher: names of frames, and what tasks wrote */
  GString *told;  /* to the node */
  const char *end;
  gboolean frees_at_ready;
} Site;

static void
launcher_frame (gpointer user, LkStepStream *stream, const LkStepFrame *frame)
{
  Site *self = user;
  g_string_append_printf (self->heard, "%s ", lk_step_frame_name (frame->kind));
  if (self->frees_at_ready) {
    g_clear_pointer (&self->launcher, lk_step_stream_free);
    return;
  }
  guint32 load_bytes = lk_step_frame_load_bytes (frame);
  if (load_bytes > 0)
    lk_step_stream_take (stream, load_bytes);
}

static void
node_frame (gpointer user, LkStepStream *stream, const LkStepFrame *frame)
{
  Site *self = user;
  const LkStepFrame ready = { .kind = LK_STEP_FRAME_READY, .ready = { { "n1", 2 }, 2 } };
  g_string_append_printf (self->told, "%s ", lk_step_frame_name (frame->kind));
  if (frame->kind == LK_STEP_FRAME_WELCOME)
    lk_step_stream_send (stream, &ready);
}

static void
has_ended (gpointer user, LkStepStream *stream, const char *why)
{
  Site *self = user;
  self->end = why;
  if (stream == self->node)
    self->node = NULL;
  else
    self->launcher = NULL;
  lk_step_stream_free (stream);
}

static void
came (gpointer user, int socket)
{
  Site *self = user;
  const LkStepStreamOps ops = { .frame = launcher_frame, .ended = has_ended, .user = self };
  LkStepAbout about = self->about;
  about.side = LK_STEP_SIDE_LAUNCHER;
  g_assert_null (self->launcher);
  self->launcher = lk_step_stream_accept (self->loop, &about, socket, &ops, NULL);
  g_assert_nonnull (self->launcher);
}

/* Before it nobody listens: that address is passed over. */
static void
connect_node (Site *self, guint16 port, guint8 key)
{
  const LkStepStreamOps ops = { .frame = node_frame, .ended = has_ended, .user = self };
  const LkStepAbout about = about_of (LK_STEP_SIDE_NODE, key);
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", port);
  const char *const addresses[] = { "/nobody/listens", address, NULL };
  self->node = lk_step_stream_connect (self->loop, &about, addresses, &ops, NULL);
  g_assert_nonnull (self->node);
}

static gboolean
has_heard (const Site *self)
{
  return strstr (self->heard->str, "node_end") != NULL;
}

static gboolean
has_gone (const Site *self)
{
  return self->end != NULL;
}

static void
turn_until (Site *self, gboolean (*is_so) (const Site *self))
{
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (!is_so (self)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    lk_loop_turn (self->loop, 10000);
  }
}

static gboolean
is_open (const Site *self)
{
  return self->node != NULL && lk_step_stream_is_open (self->node)
         && strstr (self->heard->str, "ready") != NULL;
}

static LkStepDoor *
site_init (Site *self)
{
  g_autoptr (GError) error = NULL;
  *self = (Site){ .loop = lk_loop_new (NULL),
                  .about = about_of (LK_STEP_SIDE_LAUNCHER, 5),
                  .heard = g_string_new (NULL),
                  .told = g_string_new (NULL) };
  LkStepDoor *door = lk_step_door_new (self->loop, came, self, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_step_door_port (door), !=, 0);
  return door;
}

static void
site_clear (Site *self, LkStepDoor *door)
{
  lk_step_stream_free (self->node);
  lk_step_stream_free (self->launcher);
  lk_step_door_free (door);
  /* What was freed while it was called goes now. */
  lk_loop_turn (self->loop, 0);
  lk_loop_free (self->loop);
  g_string_free (self->heard, TRUE);
  g_string_free (self->told, TRUE);
}

static void
test_connection (void)
{
  Site site;
  LkStepDoor *door = site_init (&site);
  connect_node (&site, lk_step_door_port (door), 5);
  turn_until (&site, is_open);
  const LkStepFrame out = { .kind = LK_STEP_FRAME_OUT,
                            .out = { 1, lk_bytes_of_text ("some words") } };
  const LkStepFrame gone = { .kind = LK_STEP_FRAME_TASK_EXIT, .task_exit = { .task = 1 } };
  const LkStepFrame end = { .kind = LK_STEP_FRAME_NODE_END };
  lk_step_stream_send (site.node, &out);
  lk_step_stream_send (site.node, &gone);
  lk_step_stream_send (site.node, &end);
  turn_until (&site, has_heard);
  g_assert_cmpstr (site.heard->str, ==, "ready out task_exit node_end ");
  g_assert_cmpuint (lk_step_stream_node (site.launcher), ==, 1);
  g_clear_pointer (&site.launcher, lk_step_stream_free);
  turn_until (&site, has_gone);
  g_assert_null (site.node);
  site_clear (&site, door);
}

static void
test_wrong_key (void)
{
  Site site;
  LkStepDoor *door = site_init (&site);
  connect_node (&site, lk_step_door_port (door), 6);
  turn_until (&site, has_gone);
  g_assert_cmpstr (site.told->str, ==, "");
  g_assert_cmpstr (site.heard->str, ==, "");
  site_clear (&site, door);
}

static void
test_nobody (void)
{
  Site site;
  LkStepDoor *door = site_init (&site);
  guint16 port = lk_step_door_port (door);
  lk_step_door_free (door);
  connect_node (&site, port, 5);
  turn_until (&site, has_gone);
  g_assert_nonnull (strstr (site.end, "nobody can be reached"));
  site_clear (&site, lk_step_door_new (site.loop, came, &site, NULL));
}

/* By who is called. */
static void
test_freed (void)
{
  Site site;
  LkStepDoor *door = site_init (&site);
  site.frees_at_ready = TRUE;
  connect_node (&site, lk_step_door_port (door), 5);
  turn_until (&site, has_gone);
  g_assert_cmpstr (site.heard->str, ==, "ready ");
  site_clear (&site, door);
}

/* What is no word of this is the end. */
static void
test_garbage (void)
{
  Site site;
  int sockets[2];
  LkStepDoor *door = site_init (&site);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets), ==,
                   0);
  came (&site, sockets[0]);
  g_assert_cmpint (write (sockets[1], "\x05\0\0\0hello", 9), ==, 9);
  turn_until (&site, has_gone);
  close (sockets[1]);
  site_clear (&site, door);
}

/* ---------------------------------------------------------------- the page */

static GString *
schema_page (void)
{
  GString *page = g_string_new (
      "# The step stream, field by field\n\n"
      "Made from `live/core/step_frame_schema.h`; `tests/step/step_stream_test --schema` prints "
      "this "
      "page and a test compares\nthem. What the types are: [formats.md](formats.md) and "
      "[formats-wire.md](formats-wire.md). How a connection begins, and what is\nsealed, is in "
      "[node-runs.md](node-runs.md).\n\n"
      "A frame is `u8` kind, which is the number in its title, and its fields. One value has one "
      "encoding, and a decoder takes\nnothing else.\n\n## Frames\n");
  lk_step_frame_markdown (page);
  return page;
}

static void
test_page (void)
{
  g_autoptr (GString) page = schema_page ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  g_file_get_contents (LK_SOURCE_DIR "/docs/formats-step.md", &contents, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (contents, ==, page->str);
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--schema") == 0) {
    g_autoptr (GString) page = schema_page ();
    return fputs (page->str, stdout) < 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_stream/a frame is read as it was written, and whole", test_frames);
  g_test_add_func ("/step_stream/values out of range are no frame", test_out_of_range);
  g_test_add_func ("/step_stream/each direction of each connection has its key", test_keys);
  g_test_add_func ("/step_stream/a node of another step is refused", test_strangers);
  g_test_add_func ("/step_stream/nobody speaks out of turn", test_order);
  g_test_add_func ("/step_stream/so much may be on the way, and no more", test_window);
  g_test_add_func ("/step_stream/a node finds its launcher", test_connection);
  g_test_add_func ("/step_stream/who does not know the key hears nothing", test_wrong_key);
  g_test_add_func ("/step_stream/that nobody is there is told", test_nobody);
  g_test_add_func ("/step_stream/it may be freed by whom it calls", test_freed);
  g_test_add_func ("/step_stream/garbage is the end", test_garbage);
  g_test_add_func ("/step_stream/the page is what the schema says", test_page);
  return g_test_run ();
}
