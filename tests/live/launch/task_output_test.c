/* tests/live/launch/task_output_test.c — labels, lines, and outputs that do not take all at once.
 */
#include "live/client/step/task_output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_US (60 * (gint64)G_USEC_PER_SEC)

typedef struct {
  LkLoop *loop;
  LkTaskOutput *output;
  int read_fd;
  int write_fd;
  guint64 taken_bytes[2];
} Site;

static void
taken (gpointer user, guint source, guint32 count_bytes)
{
  Site *self = user;
  self->taken_bytes[source] += count_bytes;
}

static void
site_begin (Site *self, guint32 task_count, gboolean is_labelled, gboolean is_unbuffered)
{
  int fds[2];
  g_assert_cmpint (pipe (fds), ==, 0);
  g_assert_cmpint (fcntl (fds[0], F_SETFL, O_NONBLOCK), ==, 0);
  *self = (Site){ .loop = lk_loop_new (NULL), .read_fd = fds[0], .write_fd = fds[1] };
  LkTaskOutputOptions options = { .loop = self->loop,
                                  .fd = fds[1],
                                  .task_count = task_count,
                                  .is_labelled = is_labelled,
                                  .is_unbuffered = is_unbuffered,
                                  .taken = taken,
                                  .user = self };
  self->output = lk_task_output_new (&options);
}

static void
site_end (Site *self)
{
  lk_task_output_free (self->output);
  lk_loop_free (self->loop);
  if (self->read_fd >= 0)
    close (self->read_fd);
  close (self->write_fd);
}

/* All that can be read; appends. */
static void
drain (Site *self, GString *out)
{
  char bytes[4096];
  gssize count;
  while ((count = read (self->read_fd, bytes, sizeof bytes)) > 0)
    g_string_append_len (out, bytes, count);
}

static void
write_text (Site *self, guint32 task, const char *text)
{
  lk_task_output_write (self->output, 0, task, (const guint8 *)text, strlen (text));
}

/* What has come out when nothing more waits. */
static char *
all_of (Site *self)
{
  GString *out = g_string_new (NULL);
  gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  while (!lk_task_output_is_empty (self->output)) {
    g_assert_cmpint (g_get_monotonic_time (), <, end_us);
    lk_loop_turn (self->loop, 10000);
    drain (self, out);
  }
  drain (self, out);
  return g_string_free (out, FALSE);
}

static void
expect (Site *self, const char *expected)
{
  g_autofree char *text = all_of (self);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_labels (void)
{
  Site site;
  site_begin (&site, 11, TRUE, FALSE);
  write_text (&site, 0, "one\ntwo\nhal");
  write_text (&site, 10, "other\n");
  expect (&site, " 0: one\n 0: two\n10: other\n");
  write_text (&site, 0, "f\n");
  expect (&site, " 0: half\n");
  write_text (&site, 3, "no end");
  expect (&site, "");
  lk_task_output_end (site.output, 3);
  lk_task_output_end (site.output, 3);
  expect (&site, " 3: no end\n");
  /* Bytes that wait for the end of their line are out of the way all the same. */
  g_assert_cmpuint (site.taken_bytes[0], ==,
                    strlen ("one\ntwo\nhal"
                            "other\n"
                            "f\n"
                            "no end"));
  site_end (&site);
}

static void
test_unbuffered (void)
{
  Site site;
  site_begin (&site, 2, TRUE, TRUE);
  write_text (&site, 1, "a");
  write_text (&site, 1, "b\nc");
  expect (&site, "1: a\n1: b\n1: c\n");
  site_end (&site);
}

static void
test_plain (void)
{
  Site site;
  site_begin (&site, 2, FALSE, FALSE);
  write_text (&site, 1, "a");
  write_text (&site, 0, "b\nc");
  lk_task_output_end (site.output, 0);
  expect (&site, "ab\nc");
  site_end (&site);
}

/* A line has no end: it is cut, and does not grow for ever. */
static void
test_long_line (void)
{
  Site site;
  g_autofree char *many = g_strnfill (50000, 'x');
  site_begin (&site, 1, TRUE, FALSE);
  write_text (&site, 0, many);
  write_text (&site, 0, many);
  g_autofree char *text = all_of (&site);
  g_assert_cmpuint (strlen (text), ==, strlen ("0: ") + 100000 + 1);
  write_text (&site, 0, "y\n");
  expect (&site, "0: y\n");
  site_end (&site);
}

/* Whoever reads slowly holds back what is told as taken, and not the loop. */
static void
test_slow (void)
{
  Site site;
  g_autofree char *many = g_strnfill (300000, 'x');
  site_begin (&site, 1, FALSE, FALSE);
  write_text (&site, 0, many);
  for (guint i = 0; i < 200; i++)
    lk_loop_turn (site.loop, 0);
  g_assert_cmpuint (site.taken_bytes[0], ==, 0);
  g_assert_false (lk_task_output_is_empty (site.output));
  g_autofree char *text = all_of (&site);
  g_assert_cmpuint (strlen (text), ==, 300000);
  g_assert_cmpuint (site.taken_bytes[0], ==, 300000);
  site_end (&site);
}

/* Nobody reads any more: all is dropped, and told as taken, so that tasks end. */
static void
test_closed (void)
{
  Site site;
  gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  site_begin (&site, 1, FALSE, FALSE);
  close (site.read_fd);
  site.read_fd = -1;
  write_text (&site, 0, "lost");
  while (lk_task_output_failure (site.output) == 0 && g_get_monotonic_time () < end_us)
    lk_loop_turn (site.loop, 10000);
  g_assert_cmpint (lk_task_output_failure (site.output), ==, EPIPE);
  write_text (&site, 0, "too");
  g_assert_true (lk_task_output_is_empty (site.output));
  g_assert_cmpuint (site.taken_bytes[0], ==, 7);
  site_end (&site);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGPIPE, SIG_IGN);
  g_test_add_func ("/task-output/whole lines are labelled", test_labels);
  g_test_add_func ("/task-output/unbuffered pieces are lines", test_unbuffered);
  g_test_add_func ("/task-output/without labels all goes on as it comes", test_plain);
  g_test_add_func ("/task-output/a line without an end is cut", test_long_line);
  g_test_add_func ("/task-output/a slow reader holds back what is taken", test_slow);
  g_test_add_func ("/task-output/what nobody reads is dropped", test_closed);
  return g_test_run ();
}
