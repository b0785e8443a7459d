/* tests/live/loop_test.c — the order of a turn, and parts that go away in the middle of it. */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/policy.h"
#include "live/port/loop.h"

static GString *said; /* what was called, in order */

/* ---------------------------------------------------------------- parts that speak */

typedef struct Part Part;
struct Part {
  LkLoop *loop;
  const char *name;
  LkLoopFd fd;
  LkLoopTimer timer;
  LkLoopCall call;
  Part *kills;  /* takes these out of the loop */
  Part *defers; /* puts the call of that off */
  gint64 again_us;
};

static void
act (Part *self)
{
  g_string_append_printf (said, "%s ", self->name);
  if (self->kills != NULL) {
    lk_loop_remove_fd (self->loop, &self->kills->fd);
    lk_loop_set_timer (self->loop, &self->kills->timer, LK_TIME_NEVER);
    lk_loop_remove_call (self->loop, &self->kills->call);
  }
  if (self->defers != NULL)
    lk_loop_defer (self->loop, &self->defers->call);
}

static void
part_ready (gpointer user, guint events)
{
  (void)events;
  act (user);
}

static void
part_due (gpointer user)
{
  Part *self = user;
  act (self);
  if (self->again_us > 0)
    lk_loop_set_timer (self->loop, &self->timer, self->again_us);
}

static void
part_called (gpointer user)
{
  act (user);
}

static void
part_init (Part *self, LkLoop *loop, const char *name)
{
  *self = (Part){ .loop = loop, .name = name };
  self->fd = (LkLoopFd){ .ready = part_ready, .user = self, .fd = -1 };
  self->timer = (LkLoopTimer){ .due = part_due, .user = self };
  self->call = (LkLoopCall){ .call = part_called, .user = self };
}

static LkLoop *
loop_new (void)
{
  g_autoptr (GError) error = NULL;
  LkLoop *loop = lk_loop_new (&error);
  g_assert_no_error (error);
  g_string_truncate (said, 0);
  return loop;
}

/* A descriptor that is ready, and stays so. */
static void
add_ready_fd (Part *self)
{
  g_autoptr (GError) error = NULL;
  lk_loop_add_fd (self->loop, &self->fd, eventfd (1, EFD_CLOEXEC), LK_LOOP_READ, &error);
  g_assert_no_error (error);
}

static void
part_clear (Part *self)
{
  lk_loop_remove_fd (self->loop, &self->fd);
  if (self->fd.fd >= 0)
    close (self->fd.fd);
}

static void
assert_said (const char *expected)
{
  g_assert_cmpstr (said->str, ==, expected);
  g_string_truncate (said, 0);
}

/* ---------------------------------------------------------------- the order */

static void
turn_ended (gpointer user)
{
  Part *self = user;
  g_string_append (said, "| ");
  lk_loop_defer (self->loop, &self->call);
}

static void
test_order (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  Part fd, timer, call, flush, later;
  part_init (&fd, loop, "fd");
  part_init (&timer, loop, "timer");
  part_init (&call, loop, "call");
  part_init (&flush, loop, "flush");
  part_init (&later, loop, "later");
  add_ready_fd (&fd);
  fd.defers = &call;
  call.defers = &later;
  lk_loop_set_timer (loop, &timer.timer, lk_loop_now_us (loop));
  lk_loop_set_turn_ended (loop, turn_ended, &flush);
  lk_loop_turn (loop, LK_TIME_NEVER);
  assert_said ("fd timer call | later flush ");
  lk_loop_remove_fd (loop, &fd.fd);
  lk_loop_turn (loop, 0);
  assert_said ("| flush ");
  part_clear (&fd);
}

/* A call that puts itself off again comes once a turn, and others are heard between. */
static void
test_calls_do_not_starve (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  Part fd, call;
  part_init (&fd, loop, "fd");
  part_init (&call, loop, "call");
  call.defers = &call;
  add_ready_fd (&fd);
  lk_loop_defer (loop, &call.call);
  lk_loop_defer (loop, &call.call); /* twice is once */
  lk_loop_turn (loop, LK_TIME_NEVER);
  lk_loop_turn (loop, LK_TIME_NEVER);
  assert_said ("fd call call fd call call "); /* before and behind the end of the turn */
  lk_loop_remove_call (loop, &call.call);
  lk_loop_remove_call (loop, &call.call);
  lk_loop_turn (loop, 0);
  assert_said ("fd ");
  part_clear (&fd);
}

/* ---------------------------------------------------------------- going away */

static void
test_removed (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  Part a, b, c;
  part_init (&a, loop, "a");
  part_init (&b, loop, "b");
  part_init (&c, loop, "c");
  add_ready_fd (&a);
  add_ready_fd (&b);
  a.kills = &b;
  b.kills = &a;
  lk_loop_turn (loop, 0);
  g_assert_cmpuint (said->len, ==, 2); /* only the first of them */
  part_clear (&a);
  part_clear (&b);
  g_string_truncate (said, 0);

  lk_loop_set_timer (loop, &a.timer, 1);
  lk_loop_set_timer (loop, &b.timer, 2);
  lk_loop_defer (loop, &b.call);
  lk_loop_defer (loop, &c.call);
  lk_loop_turn (loop, 0);
  assert_said ("a c ");
  a.kills = NULL;
  a.defers = b.defers = NULL;
  c.kills = &b;
  lk_loop_defer (loop, &c.call);
  lk_loop_defer (loop, &b.call); /* the last of its list goes away while that runs */
  lk_loop_turn (loop, 0);
  lk_loop_defer (loop, &a.call);
  lk_loop_turn (loop, 0);
  assert_said ("c a ");
}

static void
test_events (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  Part part;
  int ends[2];
  g_assert_cmpint (pipe (ends), ==, 0);
  part_init (&part, loop, "part");
  g_assert_true (lk_loop_add_fd (loop, &part.fd, ends[0], LK_LOOP_READ, NULL));
  lk_loop_turn (loop, 0);
  assert_said ("");
  g_assert_cmpint ((int)write (ends[1], "x", 1), ==, 1);
  lk_loop_turn (loop, 0);
  lk_loop_turn (loop, 0);
  assert_said ("part part "); /* as long as nobody has read */
  lk_loop_change_fd (loop, &part.fd, 0);
  lk_loop_turn (loop, 0);
  assert_said ("");
  close (ends[1]);
  lk_loop_turn (loop, 0);
  assert_said ("part "); /* unasked */
  part_clear (&part);
  g_autoptr (GError) error = NULL;
  g_assert_false (lk_loop_add_fd (loop, &part.fd, -1, LK_LOOP_READ, &error));
  g_assert_nonnull (error);
  g_assert_false (part.fd.is_in);
}

/* ---------------------------------------------------------------- moments */

static void
test_timers (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  static Part parts[1000];
  GRand *random = g_rand_new_with_seed (7);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    part_init (&parts[i], loop, "t");
  for (guint i = 0; i < 20000; i++) {
    gint64 at_us = 1 + g_rand_int_range (random, 0, 500); /* long past */
    Part *part = &parts[g_rand_int_range (random, 0, G_N_ELEMENTS (parts))];
    lk_loop_set_timer (loop, &part->timer,
                       g_rand_int_range (random, 0, 4) == 0 ? LK_TIME_NEVER : at_us);
  }
  guint set_count = 0;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    set_count += parts[i].timer.position != 0 ? 1 : 0;
  g_assert_cmpuint (set_count, >, 500);
  lk_loop_turn (loop, LK_TIME_NEVER);
  g_assert_cmpuint (said->len, ==, 2 * set_count);
  lk_loop_turn (loop, 0);
  g_assert_cmpuint (said->len, ==, 2 * set_count);
  g_rand_free (random);
}

static void
test_timers_in_order (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  Part a, b, c;
  part_init (&a, loop, "a");
  part_init (&b, loop, "b");
  part_init (&c, loop, "c");
  lk_loop_set_timer (loop, &c.timer, 30);
  lk_loop_set_timer (loop, &a.timer, 30);
  lk_loop_set_timer (loop, &b.timer, 20);
  lk_loop_turn (loop, 0);
  lk_loop_turn (loop, 0);
  assert_said ("b c a ");
  a.again_us = 10; /* long past, but in the next turn */
  lk_loop_set_timer (loop, &a.timer, 10);
  lk_loop_turn (loop, LK_TIME_NEVER);
  assert_said ("a ");
  lk_loop_turn (loop, LK_TIME_NEVER);
  assert_said ("a ");
  lk_loop_set_timer (loop, &a.timer, LK_TIME_NEVER);
}

/* Not early, and not a millisecond late as epoll_wait alone would be. */
static void
test_timer_waits (void)
{
  g_autoptr (LkLoop) loop = loop_new ();
  Part part;
  part_init (&part, loop, "part");
  gint64 at_us = lk_loop_now_us (loop) + 3000;
  lk_loop_set_timer (loop, &part.timer, at_us + 5000);
  lk_loop_turn (loop, 0);
  lk_loop_set_timer (loop, &part.timer, at_us);
  while (said->len == 0) {
    lk_loop_turn (loop, LK_TIME_NEVER);
    g_assert_true (said->len == 0 || lk_loop_now_us (loop) >= at_us);
  }
  at_us = lk_loop_now_us (loop) + 2000;
  lk_loop_turn (loop, 2000);
  g_assert_cmpint (lk_loop_now_us (loop), >=, at_us);
}

/* ---------------------------------------------------------------- signals */

static void
signal_came (gpointer user, int number)
{
  g_string_append_printf (said, "%d ", number);
  lk_loop_quit (user);
}

static void
test_signals (void)
{
  LkLoop *loop = loop_new ();
  sigset_t mask;
  g_autofree char *expected = g_strdup_printf ("%d %d ", SIGUSR1, SIGUSR2);
  lk_loop_add_signal (loop, SIGUSR2, signal_came, loop);
  lk_loop_add_signal (loop, SIGUSR1, signal_came, loop);
  raise (SIGUSR2);
  raise (SIGUSR1);
  raise (SIGUSR1);
  lk_loop_run (loop);
  assert_said (expected);
  pid_t child = fork ();
  if (child == 0) {
    lk_loop_unblock_signals (loop);
    raise (SIGUSR1);
    _exit (0);
  }
  int status;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));
  lk_loop_free (loop);
  sigprocmask (SIG_SETMASK, NULL, &mask);
  g_assert_false (sigismember (&mask, SIGUSR1) == 1);
}

/* ---------------------------------------------------------------- many */

#define MANY 10000u

static guint many_count;

static void
many_ready (gpointer user, guint events)
{
  LkLoopFd *part = user;
  guint64 value;
  g_assert_cmpuint (events, ==, LK_LOOP_READ);
  g_assert_cmpint ((int)read (part->fd, &value, sizeof value), ==, (int)sizeof value);
  many_count++;
}

static void
test_many (void)
{
  struct rlimit limit;
  getrlimit (RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < MANY + 100) {
    g_test_skip ("a process may have too few descriptors here");
    return;
  }
  limit.rlim_cur = limit.rlim_max;
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
  g_autoptr (LkLoop) loop = loop_new ();
  g_autofree LkLoopFd *parts = g_new0 (LkLoopFd, MANY);
  const guint64 one = 1;
  for (guint i = 0; i < MANY; i++) {
    parts[i] = (LkLoopFd){ .ready = many_ready, .user = &parts[i] };
    int fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    g_assert_true (lk_loop_add_fd (loop, &parts[i], fd, LK_LOOP_READ, NULL));
  }
  for (guint i = 0; i < MANY; i++)
    g_assert_cmpint ((int)write (parts[i].fd, &one, sizeof one), ==, (int)sizeof one);
  for (guint turns = 0; many_count < MANY; turns++) {
    g_assert_cmpuint (turns, <, 20);
    lk_loop_turn (loop, 0);
  }
  lk_loop_turn (loop, 0);
  g_assert_cmpuint (many_count, ==, MANY);
  for (guint i = 0; i < MANY; i++) {
    lk_loop_remove_fd (loop, &parts[i]);
    close (parts[i].fd);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  said = g_string_new (NULL);
  g_test_add_func ("/loop/a turn has an order", test_order);
  g_test_add_func ("/loop/calls do not starve the others", test_calls_do_not_starve);
  g_test_add_func ("/loop/what is taken out is not called", test_removed);
  g_test_add_func ("/loop/only what is asked for comes, and that the end has come", test_events);
  g_test_add_func ("/loop/each timer that is set comes once", test_timers);
  g_test_add_func ("/loop/timers come by their moments, then as they were set",
                   test_timers_in_order);
  g_test_add_func ("/loop/a timer does not come early", test_timer_waits);
  g_test_add_func ("/loop/signals come once, and not to children", test_signals);
  g_test_add_func ("/loop/ten thousand descriptors", test_many);
  int result = g_test_run ();
  g_string_free (said, TRUE);
  return result;
}
