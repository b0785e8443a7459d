/* tests/live/net_link_test.c — an agent's connection to its controller: made, lost, made again. */
#include "live/port/net_link.h"

#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "live/port/auth_munge.h"
#include "live/port/error.h"
#include "live/port/socket.h"
#include "tests/live/net_site.h"

#define MILLISECOND_US (G_USEC_PER_SEC / 1000)
#define PATIENCE_US (60 * G_USEC_PER_SEC)

/* An agent on the loop of a site. */
typedef struct {
  LkNetLink *link;
  LkPortNet port;
  guint message_count;
  LkPeer peer; /* of the last message */
  GString *text;
  guint connected_count;
  guint failed_count;
  char *why;
} Agent;

static void
message_came (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  Agent *agent = user;
  agent->message_count++;
  agent->peer = *peer;
  g_string_append_len (agent->text, (const char *)bytes, (gssize)length_bytes);
}

static void
changed (gpointer user, gboolean is_connected, const char *why)
{
  Agent *agent = user;
  g_assert_cmpint (is_connected, ==, why == NULL);
  agent->connected_count += is_connected ? 1 : 0;
  agent->failed_count += is_connected ? 0 : 1;
  g_free (agent->why);
  agent->why = g_strdup (why);
}

static void
agent_init_patient (Agent *agent, LkLoop *loop, const char *controllers, LkKeyring *keyring,
                    gint64 retry_max_us)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) list = g_strsplit (controllers, ",", -1);
  *agent = (Agent){ .text = g_string_new (NULL) };
  const LkNetLinkOptions options = { .loop = loop,
                                     .controllers = (const char *const *)list,
                                     .kind = LK_PEER_AGENT,
                                     .node = "n1",
                                     .method = LK_AUTH_KEY,
                                     .keyring = keyring,
                                     .controller_user_id = LK_MUNGE_ANYONE,
                                     .retry_min_us = 5 * MILLISECOND_US,
                                     .retry_max_us = retry_max_us,
                                     .connect_max_us = 200 * MILLISECOND_US,
                                     .queue_max_bytes = 1024 * 1024,
                                     .message = message_came,
                                     .changed = changed,
                                     .user = agent };
  agent->link = lk_net_link_new (&options, &error);
  g_assert_no_error (error);
  agent->port = lk_net_link_port (agent->link);
}

static void
agent_init (Agent *agent, LkLoop *loop, const char *controllers, LkKeyring *keyring)
{
  agent_init_patient (agent, loop, controllers, keyring, 20 * MILLISECOND_US);
}

static void
agent_clear (Agent *agent)
{
  lk_net_link_free (agent->link);
  g_string_free (agent->text, TRUE);
  g_free (agent->why);
}

#define AWAIT(site, condition)                                                                     \
  for (gint64 until_us = g_get_monotonic_time () + PATIENCE_US; !(condition);) {                   \
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);                                        \
    net_site_turn (site);                                                                          \
  }

static void
agent_send (Agent *agent, const char *text)
{
  agent->port.ops->send (agent->port.self, 0, (const guint8 *)text, strlen (text));
}

static char *
tcp_address (const NetSite *site)
{
  return g_strdup_printf ("127.0.0.1:%u", site->tcp_port);
}

/* Messages there and back, by the local socket and by TCP. */
static void
test_talk (gconstpointer data)
{
  gboolean is_local = GPOINTER_TO_INT (data);
  NetSite site;
  Agent agent;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  const LkNetOsOptions options = { .trusted_user_id = geteuid () };
  net_site_init (&site, &options);
  site.answers = TRUE;
  g_autofree char *address = is_local ? g_strdup (site.socket) : tcp_address (&site);
  agent_init (&agent, site.loop, address, is_local ? NULL : keyring);
  g_assert_false (lk_net_link_is_connected (agent.link));
  agent_send (&agent, "lost");
  AWAIT (&site, lk_net_link_is_connected (agent.link));
  agent_send (&agent, "one ");
  agent_send (&agent, "two");
  AWAIT (&site, agent.message_count == 2);
  g_assert_cmpstr (agent.text->str, ==, "one two");
  g_assert_cmpint (agent.peer.kind, ==, LK_PEER_CONTROLLER);
  g_assert_cmpuint (agent.peer.id, ==, 0);
  const LkPeer *peer = &net_site_message (&site, 0)->peer;
  g_assert_cmpint (peer->kind, ==, LK_PEER_AGENT);
  g_assert_cmpstr (peer->name, ==, "n1");
  g_assert_cmpuint (agent.connected_count, ==, 1);
  g_assert_cmpuint (agent.failed_count, ==, 0);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* The controller is started again, at the same place. */
static void
test_again (void)
{
  NetSite site;
  Agent agent;
  net_site_init (&site, NULL);
  agent_init (&agent, site.loop, site.socket, NULL);
  AWAIT (&site, agent.connected_count == 1);
  lk_net_os_free (site.net);
  AWAIT (&site, agent.failed_count >= 1);
  g_assert_false (lk_net_link_is_connected (agent.link));
  agent_send (&agent, "into the void");
  /* That it is not there is told once, however often it is tried. */
  guint told = 0;
  for (guint i = 0; i < 100; i++) {
    net_site_turn (&site);
    told = i == 50 ? agent.failed_count : told;
  }
  g_assert_cmpuint (agent.failed_count, ==, told);
  site.net = NULL;
  net_site_restart (&site);
  AWAIT (&site, agent.connected_count == 2);
  g_assert_null (agent.why);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* The first controller is not there; the second one is. */
static void
test_second (void)
{
  NetSite site;
  Agent agent;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  net_site_init (&site, NULL);
  g_autofree char *list =
      g_strdup_printf ("%s/nobody.sock,127.0.0.1:1,127.0.0.1:%u", site.folder, site.tcp_port);
  agent_init (&agent, site.loop, list, keyring);
  AWAIT (&site, agent.connected_count == 1);
  g_assert_cmpuint (agent.failed_count, ==, 2);
  agent_clear (&agent);
  net_site_clear (&site);
}

static void
test_refused (void)
{
  NetSite site;
  Agent agent;
  g_autoptr (LkKeyring) wrong = net_site_keys (NET_SITE_KEY_B);
  g_autoptr (LkKeyring) right = net_site_keys (NET_SITE_KEY_A);
  net_site_init (&site, NULL);
  g_autofree char *address = tcp_address (&site);
  agent_init (&agent, site.loop, address, wrong);
  AWAIT (&site, agent.failed_count == 1);
  g_assert_nonnull (strstr (agent.why, "not accepted"));
  AWAIT (&site, net_site_counts (&site).denied_count >= 3);
  g_assert_cmpuint (agent.failed_count, ==, 1);
  lk_net_link_set_keyring (agent.link, right);
  AWAIT (&site, agent.connected_count == 1);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* Two agents of one node: each comes back, and neither is fast about it. */
static void
test_replaced (void)
{
  NetSite site;
  Agent first;
  Agent second;
  net_site_init (&site, NULL);
  agent_init (&first, site.loop, site.socket, NULL);
  AWAIT (&site, first.connected_count == 1);
  agent_init (&second, site.loop, site.socket, NULL);
  AWAIT (&site, first.failed_count == 1);
  g_assert_nonnull (strstr (first.why, "another agent of the same node"));
  AWAIT (&site, first.connected_count == 2);
  g_assert_cmpuint (net_site_counts (&site).agent_count, ==, 1);
  agent_clear (&first);
  agent_clear (&second);
  net_site_clear (&site);
}

/* Key or session have come to their end: it is there again at once. */
static void
test_expired (void)
{
  const LkNetOsOptions options = { .limits = { .session_max_us = 30 * MILLISECOND_US } };
  NetSite site;
  Agent agent;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  net_site_init (&site, &options);
  g_autofree char *address = tcp_address (&site);
  agent_init (&agent, site.loop, address, keyring);
  AWAIT (&site, agent.connected_count == 3);
  g_assert_cmpuint (net_site_counts (&site).expired_count, >=, 2);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* Somebody listens, and says nothing. */
static void
test_silent (void)
{
  NetSite site;
  Agent agent;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  net_site_init (&site, NULL);
  int silent = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = { .sin_family = AF_INET };
  socklen_t length_bytes = sizeof address;
  address.sin_addr.s_addr = g_htonl (INADDR_LOOPBACK);
  g_assert_cmpint (bind (silent, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_assert_cmpint (listen (silent, 5), ==, 0);
  getsockname (silent, (struct sockaddr *)&address, &length_bytes);
  g_autofree char *list =
      g_strdup_printf ("127.0.0.1:%u,127.0.0.1:%u", g_ntohs (address.sin_port), site.tcp_port);
  agent_init (&agent, site.loop, list, keyring);
  AWAIT (&site, agent.connected_count == 1);
  g_assert_cmpuint (agent.failed_count, ==, 1);
  close (silent);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* Whoever is refused comes again less and less often. */
static void
test_backoff (void)
{
  NetSite site;
  Agent agent;
  g_autoptr (LkKeyring) wrong = net_site_keys (NET_SITE_KEY_B);
  net_site_init (&site, NULL);
  g_autofree char *address = tcp_address (&site);
  agent_init (&agent, site.loop, address, wrong);
  AWAIT (&site, net_site_counts (&site).denied_count == 1);
  gint64 begin_us = g_get_monotonic_time ();
  guint64 fast_count = 0;
  while (g_get_monotonic_time () < begin_us + 200 * MILLISECOND_US) {
    net_site_turn (&site);
    fast_count = net_site_counts (&site).denied_count;
  }
  /* Without waiting longer each time these were forty and more. */
  g_assert_cmpuint (fast_count, <=, 22);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* A controller that is restarted again and again, each time when it has just spoken: without its
 * word the last of these waits would be of a minute. */
static void
test_restarts (void)
{
  NetSite site;
  Agent agent;
  net_site_init (&site, NULL);
  site.answers = TRUE;
  agent_init_patient (&agent, site.loop, site.socket, NULL, 1000 * G_USEC_PER_SEC);
  for (guint round = 0; round < 15; round++) {
    AWAIT (&site, lk_net_link_is_connected (agent.link));
    agent_send (&agent, "beat");
    AWAIT (&site, agent.message_count == round + 1);
    g_clear_pointer (&site.net, lk_net_os_free);
    AWAIT (&site, !lk_net_link_is_connected (agent.link));
    net_site_restart (&site);
  }
  agent_clear (&agent);
  net_site_clear (&site);
}

/* Why nobody was reached names the place once. */
static void
test_nobody_there (void)
{
  NetSite site;
  Agent agent;
  net_site_init (&site, NULL);
  g_autofree char *path = g_build_filename (site.folder, "nobody", NULL);
  g_autofree char *why = g_strdup_printf ("%s: connect: No such file or directory", path);
  agent_init (&agent, site.loop, path, NULL);
  AWAIT (&site, agent.failed_count == 1);
  g_assert_cmpstr (agent.why, ==, why);
  agent_clear (&agent);
  net_site_clear (&site);
}

/* Another user listens where the controller should. */
static void
test_impostor (void)
{
  NetSite site;
  Agent agent;
  g_autoptr (GError) error = NULL;
  if (geteuid () != 0) {
    g_test_skip ("only root can listen as another user");
    return;
  }
  net_site_init (&site, NULL);
  LkSocketAddress address = { .path = g_build_filename (site.folder, "impostor", NULL) };
  int impostor = lk_socket_listen (&address, 0666, &error);
  g_assert_no_error (error);
  g_assert_cmpint (seteuid (12345), ==, 0);
  g_assert_cmpint (listen (impostor, 5), ==, 0);
  g_assert_cmpint (seteuid (0), ==, 0);
  agent_init (&agent, site.loop, address.path, NULL);
  AWAIT (&site, agent.failed_count == 1);
  g_assert_nonnull (strstr (agent.why, "may not be the controller"));
  agent_clear (&agent);
  close (impostor);
  unlink (address.path);
  g_free (address.path);
  net_site_clear (&site);
}

/* A controller that is stopped does not make its agents grow. */
static void
test_bounded (void)
{
  static const char bytes[65536] = { 1 };
  NetSite site;
  Agent agent;
  net_site_init (&site, NULL);
  agent_init (&agent, site.loop, site.socket, NULL);
  AWAIT (&site, agent.connected_count == 1);
  for (guint i = 0; i < 17; i++)
    agent.port.ops->send (agent.port.self, 0, (const guint8 *)bytes, sizeof bytes);
  g_assert_false (lk_net_link_is_connected (agent.link));
  AWAIT (&site, agent.connected_count == 2);
  agent_clear (&agent);
  net_site_clear (&site);
}

static void
test_options (void)
{
  static const char *const none[] = { NULL };
  static const char *const tcp[] = { "127.0.0.1:1", NULL };
  static const char *const bad[] = { "controller", NULL };
  g_autoptr (LkLoop) loop = lk_loop_new (NULL);
  LkNetLinkOptions options = { .loop = loop, .kind = LK_PEER_AGENT, .node = "n1" };
  const char *const *const lists[] = { none, bad, tcp };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    g_autoptr (GError) error = NULL;
    options.controllers = lists[i];
    options.method = LK_AUTH_KEY;
    g_assert_null (lk_net_link_new (&options, &error));
    int code = i == 2 ? LK_PORT_ERROR_REFUSED : LK_PORT_ERROR_USAGE;
    g_assert_error (error, LK_PORT_ERROR, code);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/net-link/talks by the local socket", GINT_TO_POINTER (TRUE), test_talk);
  g_test_add_data_func ("/net-link/talks by TCP and key", GINT_TO_POINTER (FALSE), test_talk);
  g_test_add_func ("/net-link/comes back to a controller that was started again", test_again);
  g_test_add_func ("/net-link/tries one controller after the other", test_second);
  g_test_add_func ("/net-link/tells why it is refused, once", test_refused);
  g_test_add_func ("/net-link/of two agents of a node one is connected", test_replaced);
  g_test_add_func ("/net-link/connects again when a session is over", test_expired);
  g_test_add_func ("/net-link/waits only so long for an answer", test_silent);
  g_test_add_func ("/net-link/comes again less and less often", test_backoff);
  g_test_add_func ("/net-link/comes back soon to who has spoken, however often he ends",
                   test_restarts);
  g_test_add_func ("/net-link/believes no other user", test_impostor);
  g_test_add_func ("/net-link/tells once where nobody was", test_nobody_there);
  g_test_add_func ("/net-link/queue is bounded", test_bounded);
  g_test_add_func ("/net-link/options that cannot work are refused", test_options);
  return g_test_run ();
}
