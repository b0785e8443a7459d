/* tests/live/daemon/health_test.c — the program runs when it should, one at a time, and not for
 * ever. */
#include "live/daemon/health.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/checked.h"
#include "live/daemon/log.h"

#define MS 1000

typedef struct {
  LkLoop *loop;
  char *directory;
  char *program;
  char *said; /* the file in which it leaves something */
  LkHealthOptions options;
  LkHealth *health;
  gboolean is_busy;
} Node;

static gboolean
is_busy (gpointer user)
{
  return ((Node *)user)->is_busy;
}

static void
node_init (Node *self, const char *script, LkHealthWhen when)
{
  *self =
      (Node){ .loop = lk_loop_new (NULL), .directory = g_dir_make_tmp ("lk-health-XXXXXX", NULL) };
  self->program = g_build_filename (self->directory, "check", NULL);
  self->said = g_build_filename (self->directory, "said", NULL);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\ncd %s\n%s\n", self->directory, script);
  g_assert_true (g_file_set_contents (self->program, text, -1, NULL));
  g_assert_cmpint (chmod (self->program, 0700), ==, 0);
  self->options = (LkHealthOptions){ .program = self->program,
                                     .interval_us = 20 * MS,
                                     .time_max_us = 10000 * MS,
                                     .when = when,
                                     .node = "n1",
                                     .configuration = "/etc/conf",
                                     .is_busy = is_busy,
                                     .user = self };
}

static void
node_start (Node *self)
{
  self->health = lk_health_new (self->loop, &self->options);
}

static void
node_clear (Node *self)
{
  lk_health_free (self->health);
  lk_loop_free (self->loop);
  unlink (self->program);
  unlink (self->said);
  rmdir (self->directory);
  g_free (self->program);
  g_free (self->said);
  g_free (self->directory);
}

static void
run_for (Node *self, gint64 duration_us)
{
  gint64 until_us = lk_loop_now_us (self->loop) + duration_us;
  while (lk_loop_now_us (self->loop) < until_us)
    lk_loop_turn (self->loop, 5 * MS);
}

/* What it has left; "" nothing. Returns: (transfer full). */
static char *
said (const Node *self)
{
  char *text = NULL;
  return g_file_get_contents (self->said, &text, NULL, NULL) ? text : g_strdup ("");
}

static void
wait_said (Node *self, const char *expected)
{
  for (guint i = 0; i < 12000; i++) {
    g_autofree char *text = said (self);
    if (g_str_has_prefix (text, expected))
      return;
    lk_loop_turn (self->loop, 5 * MS);
  }
  g_autofree char *text = said (self);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_again (void)
{
  Node node;
  g_setenv ("SECRET", "1", TRUE);
  node_init (&node, "echo $SLURMD_NODENAME $SLURM_CONF $SECRET >> said; exit 3", LK_HEALTH_ALWAYS);
  node_start (&node);
  wait_said (&node, "n1 /etc/conf\nn1 /etc/conf\nn1 /etc/conf\n");
  node_clear (&node);
}

static void
test_once (void)
{
  Node node;
  node_init (&node, "echo x >> said", LK_HEALTH_ONCE);
  node_start (&node);
  wait_said (&node, "x\n");
  run_for (&node, 100 * MS);
  g_autofree char *text = said (&node);
  g_assert_cmpstr (text, ==, "x\n");
  node_clear (&node);
}

static void
test_states (void)
{
  for (guint i = 0; i < 2; i++) {
    Node node;
    node_init (&node, "echo x >> said", i == 0 ? LK_HEALTH_IDLE : LK_HEALTH_BUSY);
    node.is_busy = i == 0;
    node_start (&node);
    run_for (&node, 60 * MS);
    g_autofree char *text = said (&node);
    g_assert_cmpstr (text, ==, "");
    node.is_busy = !node.is_busy;
    wait_said (&node, "x\n");
    node_clear (&node);
  }
}

/* While one runs no other does; it is killed when it takes too long, and what it has begun with
 * it. */
static void
test_late (void)
{
  Node node;
  node_init (&node, "echo begins >> said; sleep 0.2; (sleep 1000); echo ends >> said",
             LK_HEALTH_ALWAYS);
  node.options.time_max_us = 400 * MS;
  node_start (&node);
  wait_said (&node, "begins\nbegins\n");
  g_autofree char *text = said (&node);
  g_assert_null (strstr (text, "ends"));
  node_clear (&node);
}

static void
test_missing (void)
{
  Node node;
  node_init (&node, "", LK_HEALTH_ALWAYS);
  node.options.program = "/nowhere/check";
  node_start (&node);
  run_for (&node, 50 * MS);
  node_clear (&node);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_true (lk_log_open (NULL, LK_LOG_QUIET, NULL));
  g_test_add_func ("/health/runs again and again, and its status is only told", test_again);
  g_test_add_func ("/health/runs once", test_once);
  g_test_add_func ("/health/runs when the node is in its state", test_states);
  g_test_add_func ("/health/is killed when it takes too long", test_late);
  g_test_add_func ("/health/that is not there is only told", test_missing);
  return g_test_run ();
}
