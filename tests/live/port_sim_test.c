/* tests/live/port_sim_test.c — world, clock and network of the simulation: each fault does what it
 * says, and the same seed does the same again. */
#include <string.h>

#include "engine/policy.h"
#include "live/port/port_clock_sim.h"
#include "live/port/port_net_sim.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define ALWAYS 1000000u

static void
run_world (LkWorld *world, gint64 until_us)
{
  while (lk_world_next_us (world) <= until_us)
    lk_world_step (world);
}

/* ---------------------------------------------------------------- world */

typedef struct {
  LkWorld *world;
  GString *text;
} Diary;

static void
note (gpointer user, gpointer data)
{
  Diary *diary = user;
  g_string_append_printf (diary->text, "%" G_GINT64_FORMAT "%s ", lk_world_now_us (diary->world),
                          (const char *)data);
  if (g_str_equal (data, "again"))
    lk_world_at (diary->world, 0, note, diary, (gpointer) "late", NULL);
}

static void
test_order (void)
{
  g_autoptr (LkWorld) world = lk_world_new (1, 5);
  g_autoptr (GString) text = g_string_new (NULL);
  Diary diary = { world, text };
  lk_world_at (world, 9, note, &diary, (gpointer) "c", NULL);
  lk_world_at (world, 7, note, &diary, (gpointer) "again", NULL);
  lk_world_at (world, 9, note, &diary, (gpointer) "d", NULL);
  lk_world_at (world, 7, note, &diary, (gpointer) "b", NULL);
  lk_world_at (world, 3, note, &diary, (gpointer) "a", NULL);
  run_world (world, LK_TIME_NEVER - 1);
  g_assert_cmpstr (text->str, ==, "5a 7again 7b 7late 9c 9d ");
}

static void
test_heap (void)
{
  g_autoptr (LkWorld) world = lk_world_new (3, 0);
  g_autoptr (GString) text = g_string_new (NULL);
  Diary diary = { world, text };
  for (guint i = 0; i < 2000; i++)
    lk_world_at (world, lk_world_below (world, 300), note, &diary, (gpointer) "", NULL);
  run_world (world, LK_TIME_NEVER - 1); /* time going back is asserted by the world */
  g_assert_cmpuint (lk_world_step_count (world), ==, 2000);
}

static void
test_chance (void)
{
  g_autoptr (LkWorld) world = lk_world_new (7, 0);
  guint count = 0;
  for (guint i = 0; i < 100000; i++)
    count += lk_world_chance (world, 250000) ? 1 : 0;
  g_assert_cmpuint (count, >, 24000);
  g_assert_cmpuint (count, <, 26000);
  g_assert_false (lk_world_chance (world, 0));
  g_assert_true (lk_world_chance (world, ALWAYS));
}

/* ---------------------------------------------------------------- clock */

typedef struct {
  LkWorld *world;
  guint count;
  gint64 last_us;
} Waker;

static void
woken (gpointer user)
{
  Waker *waker = user;
  waker->count++;
  waker->last_us = lk_world_now_us (waker->world);
}

static void
test_clock_wakes (void)
{
  g_autoptr (LkWorld) world = lk_world_new (1, 100);
  Waker waker = { .world = world };
  g_autoptr (LkClockSim) clock = lk_clock_sim_new (world, woken, &waker);
  LkPortClock port = lk_clock_sim_port (clock);
  port.ops->wake_at_us (port.self, 200);
  port.ops->wake_at_us (port.self, 300); /* replaces it */
  run_world (world, 299);
  g_assert_cmpuint (waker.count, ==, 0);
  run_world (world, 400);
  g_assert_cmpuint (waker.count, ==, 1);
  g_assert_cmpint (waker.last_us, ==, 300);
  port.ops->wake_at_us (port.self, 500);
  port.ops->wake_at_us (port.self, 450);
  run_world (world, 1000);
  g_assert_cmpuint (waker.count, ==, 2);
  g_assert_cmpint (waker.last_us, ==, 450);
  port.ops->wake_at_us (port.self, 10); /* has passed: now */
  run_world (world, 1000);
  g_assert_cmpuint (waker.count, ==, 3);
  port.ops->wake_at_us (port.self, 2000);
  port.ops->wake_at_us (port.self, LK_TIME_NEVER);
  run_world (world, 3000);
  port.ops->wake_at_us (port.self, 4000);
  lk_clock_sim_stop (clock);
  run_world (world, 5000);
  g_assert_cmpuint (waker.count, ==, 3);
}

static void
test_clock_realtime (void)
{
  g_autoptr (LkWorld) world = lk_world_new (1, 50);
  Waker waker = { .world = world };
  g_autoptr (LkClockSim) clock = lk_clock_sim_new (world, woken, &waker);
  LkPortClock port = lk_clock_sim_port (clock);
  g_assert_cmpint (port.ops->realtime_us (port.self), ==, 50);
  g_assert_cmpint (port.ops->monotonic_us (port.self), ==, 50);
  lk_clock_sim_set (clock, 7000, -200);
  port.ops->wake_at_us (port.self, 50 + 10 * SECOND_US);
  run_world (world, 20 * SECOND_US);
  g_assert_cmpint (port.ops->realtime_us (port.self), ==, 7000 + 10 * SECOND_US - 2000);
  g_assert_cmpint (port.ops->monotonic_us (port.self), ==, 50 + 10 * SECOND_US);
  lk_clock_sim_boot (clock);
  g_assert_cmpint (port.ops->monotonic_us (port.self), ==, 0);
  port.ops->wake_at_us (port.self, SECOND_US);
  run_world (world, 20 * SECOND_US);
  g_assert_cmpint (waker.last_us, ==, 50 + 11 * SECOND_US);
}

static void
test_clock_lag (void)
{
  g_autoptr (LkWorld) world = lk_world_new (1, 0);
  Waker waker = { .world = world };
  g_autoptr (LkClockSim) clock = lk_clock_sim_new (world, woken, &waker);
  LkPortClock port = lk_clock_sim_port (clock);
  lk_clock_sim_set_lag (clock, SECOND_US);
  port.ops->wake_at_us (port.self, 10);
  run_world (world, 2 * SECOND_US);
  g_assert_cmpuint (waker.count, ==, 1);
  g_assert_cmpint (waker.last_us, >, 10);
  g_assert_cmpint (waker.last_us, <=, 10 + SECOND_US);
}

/* ---------------------------------------------------------------- net */

typedef struct {
  LkWorld *world;
  LkNetSim *net;
  LkNetSimEnd controller;
  LkNetSimEnd agent;
  LkNetSimEnd user;
  GString *text; /* what came */
  LkPeer last;
} Net;

static void
came (gpointer user, const LkPeer *from, const guint8 *bytes, gsize length_bytes)
{
  Net *self = user;
  self->last = *from;
  g_string_append_len (self->text, (const char *)bytes, (gssize)length_bytes);
}

static void
net_init (Net *self, guint64 seed)
{
  LkPeer controller = { .kind = LK_PEER_CONTROLLER, .name = "c" };
  LkPeer agent = { .kind = LK_PEER_AGENT, .name = "n1" };
  LkPeer user = { .kind = LK_PEER_USER, .user_id = 7, .group_id = 8, .name = "ann" };
  self->world = lk_world_new (seed, 0);
  self->net = lk_net_sim_new (self->world);
  self->text = g_string_new (NULL);
  self->controller = lk_net_sim_add (self->net, &controller, came, self);
  self->agent = lk_net_sim_add (self->net, &agent, came, self);
  self->user = lk_net_sim_add (self->net, &user, came, self);
  lk_net_sim_open (self->net, self->controller, LK_PEER_CONTROLLER);
  lk_net_sim_open (self->net, self->agent, LK_PEER_AGENT);
  lk_net_sim_open (self->net, self->user, LK_PEER_USER);
}

static void
net_clear (Net *self)
{
  lk_world_free (self->world);
  lk_net_sim_free (self->net);
  g_string_free (self->text, TRUE);
}

static void
send_text (Net *self, LkNetSimEnd from, LkPeerId to, const char *text)
{
  LkPortNet port = lk_net_sim_port (self->net, from);
  port.ops->send (port.self, to, (const guint8 *)text, strlen (text));
}

/* Letters, one a message. */
static void
send_letters (Net *self, guint count)
{
  for (guint i = 0; i < count; i++) {
    char letter[2] = { (char)('a' + i % 26), '\0' };
    send_text (self, self->agent, 0, letter);
  }
}

static void
test_net_calm (void)
{
  Net net;
  net_init (&net, 1);
  send_letters (&net, 5);
  g_assert_cmpstr (net.text->str, ==, ""); /* never within the call */
  run_world (net.world, 0);
  g_assert_cmpstr (net.text->str, ==, "abcde");
  g_assert_cmpint (net.last.kind, ==, LK_PEER_AGENT);
  g_assert_cmpstr (net.last.name, ==, "n1");
  send_text (&net, net.controller, net.last.id, "x");
  run_world (net.world, 0);
  g_assert_cmpint (net.last.kind, ==, LK_PEER_CONTROLLER);
  g_assert_cmpuint (net.last.id, ==, 0);
  send_text (&net, net.user, 0, "y");
  run_world (net.world, 0);
  g_assert_cmpint (net.last.kind, ==, LK_PEER_USER);
  g_assert_cmpuint (net.last.user_id, ==, 7);
  g_assert_cmpuint (net.last.group_id, ==, 8);
  g_assert_cmpstr (net.text->str, ==, "abcdexy");
  net_clear (&net);
}

static void
test_net_delay (void)
{
  Net net;
  LkNetSimFaults faults = { .delay_min_us = 10, .delay_max_us = 90 };
  net_init (&net, 1);
  lk_net_sim_set_faults (net.net, &faults);
  send_letters (&net, 26);
  run_world (net.world, 9);
  g_assert_cmpstr (net.text->str, ==, "");
  run_world (net.world, 90);
  g_assert_cmpstr (net.text->str, ==, "abcdefghijklmnopqrstuvwxyz"); /* though delays differ */
  faults.reorder_ppm = ALWAYS;
  lk_net_sim_set_faults (net.net, &faults);
  send_letters (&net, 26);
  run_world (net.world, 1000);
  g_assert_cmpuint (net.text->len, ==, 52);
  g_assert_cmpstr (net.text->str + 26, !=, "abcdefghijklmnopqrstuvwxyz");
  faults = (LkNetSimFaults){ .slow_ppm = ALWAYS, .slow_max_us = SECOND_US };
  lk_net_sim_set_faults (net.net, &faults);
  send_letters (&net, 26);
  run_world (net.world, 1000);
  g_assert_cmpuint (net.text->len, <, 78);
  run_world (net.world, 2 * SECOND_US);
  g_assert_cmpuint (net.text->len, ==, 78);
  net_clear (&net);
}

static void
test_net_loses_and_doubles (void)
{
  Net net;
  LkNetSimFaults faults = { .loss_ppm = 500000 };
  LkNetSimCounts counts;
  net_init (&net, 1);
  lk_net_sim_set_faults (net.net, &faults);
  send_letters (&net, 1000);
  run_world (net.world, 0);
  g_assert_cmpuint (net.text->len, >, 400);
  g_assert_cmpuint (net.text->len, <, 600);
  lk_net_sim_counts (net.net, &counts);
  g_assert_cmpuint (counts.sent_count, ==, 1000);
  g_assert_cmpuint (counts.lost_count + counts.delivered_count, ==, 1000);
  faults = (LkNetSimFaults){ .duplicate_ppm = ALWAYS };
  lk_net_sim_set_faults (net.net, &faults);
  g_string_truncate (net.text, 0);
  send_letters (&net, 3);
  run_world (net.world, 0);
  g_assert_cmpstr (net.text->str, ==, "aabbcc");
  net_clear (&net);
}

static void
test_net_cuts (void)
{
  Net net;
  net_init (&net, 1);
  send_text (&net, net.agent, 0, "f"); /* on its way */
  guint32 cut = lk_net_sim_cut (net.net, &net.agent, 1, &net.controller, 1);
  send_text (&net, net.agent, 0, "a");
  send_text (&net, net.user, 0, "b");
  run_world (net.world, 0);
  g_assert_cmpstr (net.text->str, ==, "b");
  send_text (&net, net.controller, 2, "c"); /* the other way is open; the agent is the second */
  run_world (net.world, 0);
  g_assert_cmpstr (net.text->str, ==, "bc");
  lk_net_sim_heal (net.net, cut);
  send_text (&net, net.agent, 0, "d");
  run_world (net.world, 0);
  g_assert_cmpstr (net.text->str, ==, "bcd");
  net_clear (&net);
}

static void
test_net_dead (void)
{
  Net net;
  LkNetSimFaults faults = { .delay_min_us = 10, .delay_max_us = 10 };
  net_init (&net, 1);
  lk_net_sim_set_faults (net.net, &faults);
  send_text (&net, net.agent, 0, "a");
  lk_net_sim_close (net.net, net.controller);
  send_text (&net, net.agent, 0, "b"); /* nobody to send it to */
  lk_net_sim_open (net.net, net.controller, LK_PEER_CONTROLLER);
  send_text (&net, net.agent, 0, "c");
  lk_net_sim_close (net.net, net.agent); /* what it has sent goes on */
  run_world (net.world, 100);
  g_assert_cmpstr (net.text->str, ==, "c");
  lk_net_sim_open (net.net, net.agent, LK_PEER_AGENT);
  send_text (&net, net.controller, net.last.id, "d"); /* to the life before */
  run_world (net.world, 200);
  g_assert_cmpstr (net.text->str, ==, "c");
  net_clear (&net);
}

static void
drop_b (gpointer user, LkNetSimEnd from, LkNetSimEnd to, const guint8 *bytes, gsize length_bytes,
        LkNetSimFate *fate)
{
  const Net *net = user;
  g_assert_cmpuint (from, ==, net->agent);
  g_assert_cmpuint (to, ==, net->controller);
  g_assert_cmpuint (length_bytes, ==, 1);
  fate->copy_count = bytes[0] == 'b' ? 0 : 1;
  fate->delay_us = bytes[0] == 'a' ? 50 : 0;
}

static void
test_net_script (void)
{
  Net net;
  LkNetSimFaults faults = { .reorder_ppm = ALWAYS };
  net_init (&net, 1);
  lk_net_sim_set_faults (net.net, &faults);
  lk_net_sim_set_script (net.net, drop_b, &net);
  send_letters (&net, 3);
  run_world (net.world, 0);
  g_assert_cmpstr (net.text->str, ==, "c");
  run_world (net.world, 50);
  g_assert_cmpstr (net.text->str, ==, "ca");
  net_clear (&net);
}

/* ---------------------------------------------------------------- all */

static void
keep_line (gpointer user, gint64 now_us, const char *line)
{
  g_string_append_printf (user, "%" G_GINT64_FORMAT " %s\n", now_us, line);
}

/* Everything at once, with all faults; the digest of what happened. */
static guint64
storm (guint64 seed, GString *log)
{
  Net net;
  LkNetSimFaults faults = { .delay_max_us = 1000,
                            .slow_ppm = 100000,
                            .slow_max_us = SECOND_US,
                            .loss_ppm = 100000,
                            .duplicate_ppm = 100000,
                            .reorder_ppm = 300000 };
  net_init (&net, seed);
  lk_net_sim_set_faults (net.net, &faults);
  Diary diary = { net.world, log };
  lk_world_tell_to (net.world, keep_line, log);
  for (guint i = 0; i < 200; i++) {
    send_letters (&net, lk_world_below (net.world, 5));
    lk_world_at (net.world, lk_world_between_us (net.world, 0, SECOND_US), note, &diary,
                 (gpointer) "", NULL);
    if (lk_world_next_us (net.world) != LK_TIME_NEVER)
      lk_world_step (net.world);
  }
  run_world (net.world, 10 * SECOND_US);
  guint64 digest = lk_world_digest (net.world);
  g_string_append (log, net.text->str);
  net_clear (&net);
  return digest;
}

static void
test_same_seed (void)
{
  g_autoptr (GString) one = g_string_new (NULL);
  g_autoptr (GString) two = g_string_new (NULL);
  g_autoptr (GString) other = g_string_new (NULL);
  guint64 digest = storm (5, one);
  g_assert_cmpuint (digest, ==, storm (5, two));
  g_assert_cmpstr (one->str, ==, two->str);
  g_assert_cmpuint (digest, !=, storm (6, other));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/world/calls come by moment, then as they were asked for", test_order);
  g_test_add_func ("/world/many calls come in order", test_heap);
  g_test_add_func ("/world/chance is as often as it says", test_chance);
  g_test_add_func ("/clock/a wake-up replaces the one before", test_clock_wakes);
  g_test_add_func ("/clock/realtime jumps and drifts, monotonic does not", test_clock_realtime);
  g_test_add_func ("/clock/a wake-up may be late", test_clock_lag);
  g_test_add_func ("/net/without faults all comes at once and in order", test_net_calm);
  g_test_add_func ("/net/delays keep the order but where they may not", test_net_delay);
  g_test_add_func ("/net/messages are lost and doubled", test_net_loses_and_doubles);
  g_test_add_func ("/net/a cut is one-way and takes what is on its way", test_net_cuts);
  g_test_add_func ("/net/what is meant for a dead process is lost", test_net_dead);
  g_test_add_func ("/net/a script decides about single messages", test_net_script);
  g_test_add_func ("/world/the same seed does the same", test_same_seed);
  return g_test_run ();
}
