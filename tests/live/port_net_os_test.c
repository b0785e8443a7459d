/* tests/live/port_net_os_test.c — the controller's network port on real sockets: who is attested as
 * whom, and that nobody can take more than is his. */
#include "live/port/port_net_os.h"

#include <glib/gstdio.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/bytes.h"
#include "live/port/error.h"
#include "tests/live/assert_bytes.h"
#include "tests/live/net_site.h"

#define MILLISECOND_US (G_USEC_PER_SEC / 1000)

static void
assert_echo (NetClient *client, const char *text)
{
  LkBytes message;
  net_client_send (client, text, strlen (text));
  g_assert_true (net_client_receive (client, &message));
  assert_bytes (message, text, strlen (text));
}

static gboolean
must_be_root (void)
{
  if (geteuid () == 0)
    return TRUE;
  g_test_skip ("only root can connect as another user");
  return FALSE;
}

/* ---------------------------------------------------------------- who is who */

static void
test_user (void)
{
  NetSite site;
  NetClient client;
  const struct passwd *entry = getpwuid (geteuid ());
  net_site_init (&site, NULL);
  site.answers = TRUE;
  net_client_local (&client, &site);
  net_client_become (&client, LK_PEER_USER, NULL, NULL);
  assert_echo (&client, "hello");
  const LkPeer *peer = &net_site_message (&site, 0)->peer;
  g_assert_cmpint (peer->kind, ==, LK_PEER_USER);
  g_assert_cmpuint (peer->id, !=, 0);
  g_assert_cmpuint (peer->user_id, ==, geteuid ());
  g_assert_cmpuint (peer->group_id, ==, getegid ());
  g_assert_cmpstr (peer->name, ==, entry != NULL ? entry->pw_name : NULL);
  net_client_clear (&client);
  net_site_clear (&site);
}

/* A user is himself only, whatever he says, and no agent. */
static void
test_other_user (void)
{
  static const LkPeerKind kinds[] = { LK_PEER_AGENT, LK_PEER_STANDBY, LK_PEER_CONTROLLER };
  NetSite site;
  NetClient client;
  if (!must_be_root ())
    return;
  net_site_init (&site, NULL);
  site.answers = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const LkHandshakeClient options = { .method = LK_AUTH_LOCAL, .kind = kinds[i], .node = "n1" };
    net_client_local_as (&client, &site, 12345);
    g_assert_cmpuint (net_client_shake_hands (&client, &options), ==, LK_FAREWELL_ROLE);
    net_client_await_end (&client);
    net_client_clear (&client);
  }
  /* Claiming another user id is not even heard. */
  const LkHandshakeClient options = { .method = LK_AUTH_LOCAL, .kind = LK_PEER_USER, .user_id = 0 };
  net_client_local_as (&client, &site, 12345);
  g_assert_cmpuint (net_client_shake_hands (&client, &options), ==, 0);
  assert_echo (&client, "me");
  g_assert_cmpuint (site.messages->len, ==, 1);
  g_assert_cmpuint (net_site_message (&site, 0)->peer.user_id, ==, 12345);
  g_assert_null (net_site_message (&site, 0)->peer.name);
  g_assert_cmpuint (net_site_counts (&site).denied_count, ==, G_N_ELEMENTS (kinds));
  net_client_clear (&client);
  net_site_clear (&site);
}

static void
test_agent_by_key (void)
{
  const LkKeySubject n1 = { .kind = LK_PEER_AGENT, .node = "n1" };
  NetSite site;
  NetClient client;
  g_autoptr (LkKeyring) cluster = net_site_keys (NET_SITE_KEY_A);
  g_autofree char *text = lk_keyring_derive (cluster, &n1, NULL);
  g_autoptr (LkKeyring) keyring = net_site_keys (text);
  net_site_init (&site, NULL);
  site.answers = TRUE;
  net_client_tcp (&client, &site);
  net_client_become (&client, LK_PEER_AGENT, "n1", keyring);
  for (guint i = 0; i < 20; i++)
    assert_echo (&client, "beat");
  const LkPeer *peer = &net_site_message (&site, 0)->peer;
  g_assert_cmpint (peer->kind, ==, LK_PEER_AGENT);
  g_assert_cmpstr (peer->name, ==, "n1");
  g_assert_cmpuint (peer->user_id, !=, 0);
  g_assert_cmpuint (net_site_counts (&site).agent_count, ==, 1);
  net_client_clear (&client);
  net_site_clear (&site);
}

static void
test_user_by_key (void)
{
  NetSite site;
  NetClient client;
  LkHandshakeClient options = { .method = LK_AUTH_KEY, .kind = LK_PEER_USER, .user_id = 0 };
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  options.keyring = keyring;
  net_site_init (&site, NULL);
  site.answers = TRUE;
  net_client_tcp (&client, &site);
  g_assert_cmpuint (net_client_shake_hands (&client, &options), ==, 0);
  assert_echo (&client, "root");
  g_assert_cmpstr (net_site_message (&site, 0)->peer.name, ==, "root");
  g_assert_cmpuint (net_site_message (&site, 0)->peer.group_id, ==, 0);
  net_client_clear (&client);
  /* Nobody knows which group he has. */
  options.user_id = 3999999999u;
  net_client_tcp (&client, &site);
  g_assert_cmpuint (net_client_shake_hands (&client, &options), ==, 0);
  net_client_send (&client, "ghost", 5);
  net_client_await_farewell (&client, LK_FAREWELL_ROLE);
  g_assert_cmpuint (site.messages->len, ==, 1);
  net_client_clear (&client);
  net_site_clear (&site);
}

static void
test_wrong_key (void)
{
  NetSite site;
  NetClient client;
  g_autoptr (LkKeyring) other = net_site_keys (NET_SITE_KEY_B);
  const LkHandshakeClient options = {
    .method = LK_AUTH_KEY, .kind = LK_PEER_AGENT, .node = "n1", .keyring = other
  };
  net_site_init (&site, NULL);
  net_client_tcp (&client, &site);
  g_assert_cmpuint (net_client_shake_hands (&client, &options), ==, LK_FAREWELL_DENIED);
  net_client_await_end (&client);
  g_assert_cmpuint (net_site_counts (&site).denied_count, ==, 1);
  g_assert_cmpuint (net_site_counts (&site).connection_count, ==, 0);
  net_client_clear (&client);
  net_site_clear (&site);
}

/* A local method by TCP, a key on the local socket. */
static void
test_wrong_method (void)
{
  NetSite site;
  NetClient client;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  const LkHandshakeClient local = { .method = LK_AUTH_LOCAL, .kind = LK_PEER_USER };
  const LkHandshakeClient key = { .method = LK_AUTH_KEY, .kind = LK_PEER_USER, .keyring = keyring };
  net_site_init (&site, NULL);
  net_client_tcp (&client, &site);
  g_assert_cmpuint (net_client_shake_hands (&client, &local), ==, LK_FAREWELL_METHOD);
  net_client_clear (&client);
  net_client_local (&client, &site);
  g_assert_cmpuint (net_client_shake_hands (&client, &key), ==, LK_FAREWELL_METHOD);
  net_client_clear (&client);
  net_site_clear (&site);
}

static void
test_newest_agent (void)
{
  NetSite site;
  NetClient first;
  NetClient liar;
  NetClient second;
  NetClient other;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  g_autoptr (LkKeyring) wrong = net_site_keys (NET_SITE_KEY_B);
  net_site_init (&site, NULL);
  site.answers = TRUE;
  net_client_tcp (&first, &site);
  net_client_become (&first, LK_PEER_AGENT, "n1", keyring);
  net_client_tcp (&other, &site);
  net_client_become (&other, LK_PEER_AGENT, "n2", keyring);
  assert_echo (&first, "first");
  /* Who only says that he is it displaces nobody. */
  const LkHandshakeClient lie = {
    .method = LK_AUTH_KEY, .kind = LK_PEER_AGENT, .node = "n1", .keyring = wrong
  };
  net_client_tcp (&liar, &site);
  g_assert_cmpuint (net_client_shake_hands (&liar, &lie), ==, LK_FAREWELL_DENIED);
  assert_echo (&first, "still");
  net_client_tcp (&second, &site);
  net_client_become (&second, LK_PEER_AGENT, "n1", keyring);
  net_client_await_farewell (&first, LK_FAREWELL_REPLACED);
  assert_echo (&second, "second");
  assert_echo (&other, "other");
  LkPeerId before = net_site_message (&site, 0)->peer.id;
  g_assert_cmpuint (net_site_message (&site, 2)->peer.id, !=, before);
  g_assert_cmpuint (net_site_counts (&site).agent_count, ==, 2);
  g_assert_cmpuint (net_site_counts (&site).replaced_count, ==, 1);
  /* What is sent to the one before reaches nobody. */
  site.port.ops->send (site.port.self, before, (const guint8 *)"x", 1);
  g_assert_cmpuint (net_site_counts (&site).lost_count, ==, 1);
  net_client_clear (&first);
  net_client_clear (&liar);
  net_client_clear (&second);
  net_client_clear (&other);
  net_site_clear (&site);
}

/* ---------------------------------------------------------------- what is sent */

/* Before anybody is attested, nothing reaches the core, and not much is read. */
static void
test_anonymous_bytes (void)
{
  static const guint8 oversize[] = { 1, 16, 0, 0 };
  static const guint8 empty[] = { 0, 0, 0, 0 };
  static const guint8 huge[] = { 255, 255, 255, 255 };
  static const guint8 http[] = "GET / HTTP/1.1\r\nHost: controller\r\n\r\n";
  static const guint8 tls[] = { 0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3 };
  static const guint8 hello_cut[] = { 3, 0, 0, 0, 70, 1, 0 };
  static const guint8 request[] = { 5, 0, 0, 0, LK_MESSAGE_CANCEL, 1, 2, 3, 4 };
#define BYTES(name)                                                                                \
  {                                                                                                \
    name, sizeof name                                                                              \
  }
  static const LkBytes rows[] = { BYTES (oversize), BYTES (empty),     BYTES (huge),   BYTES (http),
                                  BYTES (tls),      BYTES (hello_cut), BYTES (request) };
  NetSite site;
  net_site_init (&site, NULL);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    const LkBytes *row = &rows[i % G_N_ELEMENTS (rows)];
    NetClient client;
    if (i < G_N_ELEMENTS (rows))
      net_client_local (&client, &site);
    else
      net_client_tcp (&client, &site);
    net_client_send_bytes (&client, row->bytes, row->length_bytes);
    net_client_await_end (&client);
    net_client_clear (&client);
  }
  g_assert_cmpuint (net_site_counts (&site).garbage_count, ==, 2 * G_N_ELEMENTS (rows));
  g_assert_cmpuint (net_site_counts (&site).connection_count, ==, 0);
  g_assert_cmpuint (net_site_counts (&site).memory_bytes, ==, 0);
  g_assert_cmpuint (site.messages->len, ==, 0);
  net_site_clear (&site);
}

static void
test_forged_frames (void)
{
  NetSite site;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  net_site_init (&site, NULL);
  site.answers = TRUE;
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GByteArray) frame = g_byte_array_new ();
    guint before = site.messages->len;
    NetClient client;
    net_client_tcp (&client, &site);
    net_client_become (&client, LK_PEER_AGENT, "n1", keyring);
    lk_frame_append (frame, &client.seal, (const guint8 *)"launched", 8);
    if (i == 0) { /* again */
      net_client_send_bytes (&client, frame->data, frame->len);
      net_site_await_messages (&site, ++before);
    } else if (i == 1) { /* changed */
      frame->data[6] ^= 1;
    } else if (i == 2) { /* one left out */
      g_byte_array_set_size (frame, 0);
      lk_frame_append (frame, &client.seal, (const guint8 *)"launched", 8);
    } else { /* without a seal */
      static const guint8 zeros[LK_MAC_BYTES];
      LkSeal none = { 0 };
      g_byte_array_set_size (frame, 0);
      lk_frame_append (frame, &none, (const guint8 *)"launched", 8);
      g_byte_array_append (frame, zeros, sizeof zeros);
    }
    net_client_send_bytes (&client, frame->data, frame->len);
    net_client_await_end (&client);
    g_assert_cmpuint (site.messages->len, ==, before);
    g_assert_cmpuint (net_site_counts (&site).garbage_count, ==, i + 1);
    net_client_clear (&client);
  }
  net_site_clear (&site);
}

/* Cut off in the middle of a message: it is not heard. */
static void
test_truncated (void)
{
  NetSite site;
  NetClient client;
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  net_site_init (&site, NULL);
  net_client_local (&client, &site);
  net_client_become (&client, LK_PEER_USER, NULL, NULL);
  lk_frame_append (frame, &client.seal, (const guint8 *)"cancel 17", 9);
  net_client_send_bytes (&client, frame->data, frame->len - 1);
  for (guint i = 0; i < 5; i++)
    net_site_turn (&site);
  net_client_clear (&client);
  while (net_site_counts (&site).connection_count > 0)
    net_site_turn (&site);
  g_assert_cmpuint (site.messages->len, ==, 0);
  g_assert_cmpuint (net_site_counts (&site).memory_bytes, ==, 0);
  net_site_clear (&site);
}

static void
test_long_message (void)
{
  NetSite site;
  NetClient client;
  LkBytes message;
  gsize length_bytes = LK_MESSAGE_MAX_BYTES;
  g_autofree guint8 *bytes = g_malloc (length_bytes);
  static const guint8 over[] = { 1, 0, 0, 1 };
  memset (bytes, LK_MESSAGE_SUBMIT, length_bytes);
  net_site_init (&site, NULL);
  site.answers = TRUE;
  net_client_local (&client, &site);
  net_client_become (&client, LK_PEER_USER, NULL, NULL);
  net_client_send (&client, bytes, length_bytes);
  g_assert_true (net_client_receive (&client, &message));
  g_assert_cmpuint (message.length_bytes, ==, length_bytes);
  net_client_send_bytes (&client, over, sizeof over);
  net_client_await_farewell (&client, LK_FAREWELL_GARBAGE);
  net_client_clear (&client);
  net_site_clear (&site);
}

/* ---------------------------------------------------------------- limits */

static void
test_late (void)
{
  const LkNetOsOptions options = { .limits = { .login_grace_us = 30 * MILLISECOND_US } };
  NetSite site;
  NetClient silent;
  NetClient talker;
  net_site_init (&site, &options);
  site.answers = TRUE;
  net_client_tcp (&silent, &site);
  net_client_local (&talker, &site);
  net_client_become (&talker, LK_PEER_USER, NULL, NULL);
  net_client_await_farewell (&silent, LK_FAREWELL_LATE);
  g_assert_cmpuint (net_site_counts (&site).late_count, ==, 1);
  assert_echo (&talker, "on");
  net_client_clear (&silent);
  net_client_clear (&talker);
  net_site_clear (&site);
}

/* Logins of one source that say nothing drive out each other, the oldest first, and not that of
 * another source. */
static void
test_anonymous_count (void)
{
  const LkNetOsOptions options = { .limits = { .anonymous_count_max = 4 } };
  NetSite site;
  NetClient known;
  NetClient silent[6];
  NetClient early;
  NetClient late;
  net_site_init (&site, &options);
  site.answers = TRUE;
  net_client_local (&known, &site);
  net_client_become (&known, LK_PEER_USER, NULL, NULL);
  net_client_local (&early, &site);
  for (guint i = 0; i < G_N_ELEMENTS (silent); i++) {
    net_client_tcp (&silent[i], &site);
    while (net_site_counts (&site).accepted_count < i + 3)
      net_site_turn (&site);
  }
  for (guint i = 0; i < 3; i++)
    net_client_await_farewell (&silent[i], LK_FAREWELL_FULL);
  g_assert_cmpuint (net_site_counts (&site).anonymous_count, ==, 4);
  g_assert_cmpuint (net_site_counts (&site).crowded_count, ==, 3);
  net_client_become (&early, LK_PEER_USER, NULL, NULL);
  assert_echo (&early, "early");
  net_client_local (&late, &site);
  net_client_become (&late, LK_PEER_USER, NULL, NULL);
  assert_echo (&late, "late");
  assert_echo (&known, "known");
  for (guint i = 0; i < G_N_ELEMENTS (silent); i++)
    net_client_clear (&silent[i]);
  net_client_clear (&known);
  net_client_clear (&early);
  net_client_clear (&late);
  net_site_clear (&site);
}

static void
test_user_count (void)
{
  const LkNetOsOptions options = { .limits = { .user_connection_count_max = 3 } };
  NetSite site;
  NetClient clients[3];
  NetClient more;
  NetClient other;
  if (!must_be_root ())
    return;
  net_site_init (&site, &options);
  site.answers = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++) {
    net_client_local_as (&clients[i], &site, 12345);
    net_client_become (&clients[i], LK_PEER_USER, NULL, NULL);
  }
  net_client_local_as (&more, &site, 12345);
  net_client_await_farewell (&more, LK_FAREWELL_FULL);
  net_client_clear (&more);
  net_client_local_as (&other, &site, 12346);
  net_client_become (&other, LK_PEER_USER, NULL, NULL);
  assert_echo (&other, "other");
  /* Where one ends there is room for one. */
  net_client_clear (&clients[0]);
  while (net_site_counts (&site).connection_count > 3)
    net_site_turn (&site);
  net_client_local_as (&clients[0], &site, 12345);
  net_client_become (&clients[0], LK_PEER_USER, NULL, NULL);
  assert_echo (&clients[0], "again");
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    net_client_clear (&clients[i]);
  net_client_clear (&other);
  net_site_clear (&site);
}

/* A client asks and asks, and reads nothing. */
static void
test_slow_reader (void)
{
  const LkNetOsOptions options = { .limits = { .queue_max_bytes = 1024 * 1024 } };
  static const guint8 bytes[65536] = { 1 };
  NetSite site;
  NetClient slow;
  NetClient known;
  net_site_init (&site, &options);
  site.answers = TRUE;
  net_client_local (&slow, &site);
  net_client_become (&slow, LK_PEER_USER, NULL, NULL);
  net_client_local (&known, &site);
  net_client_become (&known, LK_PEER_USER, NULL, NULL);
  for (guint i = 0; i < 200 && net_site_counts (&site).slow_count == 0; i++) {
    net_client_send (&slow, bytes, sizeof bytes);
    net_site_turn (&site);
    g_assert_cmpuint (net_site_counts (&site).memory_bytes, <, 2 * 1024 * 1024);
  }
  g_assert_cmpuint (net_site_counts (&site).slow_count, ==, 1);
  g_assert_cmpuint (net_site_counts (&site).memory_bytes, ==, 0);
  assert_echo (&known, "known");
  net_client_clear (&slow);
  net_client_clear (&known);
  net_site_clear (&site);
}

static void
test_stalled (void)
{
  const LkNetOsOptions options = { .limits = { .stall_us = 30 * MILLISECOND_US } };
  static const guint8 bytes[65536] = { 1 };
  NetSite site;
  NetClient slow;
  net_site_init (&site, &options);
  net_client_local (&slow, &site);
  net_client_become (&slow, LK_PEER_USER, NULL, NULL);
  net_client_send (&slow, "x", 1);
  net_site_await_messages (&site, 1);
  LkPeerId id = net_site_message (&site, 0)->peer.id;
  for (guint i = 0; i < 100; i++)
    site.port.ops->send (site.port.self, id, bytes, sizeof bytes);
  while (net_site_counts (&site).slow_count == 0)
    net_site_turn (&site);
  g_assert_cmpuint (net_site_counts (&site).memory_bytes, ==, 0);
  g_assert_cmpuint (net_site_counts (&site).connection_count, ==, 0);
  net_client_clear (&slow);
  net_site_clear (&site);
}

/* All together have a bound too; who has the most goes. */
static void
test_memory (void)
{
  const LkNetOsOptions options = { .limits = { .memory_max_bytes = 1024 * 1024 } };
  static const guint8 bytes[65536] = { 1 };
  NetSite site;
  NetClient clients[2];
  net_site_init (&site, &options);
  for (guint i = 0; i < 2; i++) {
    net_client_local (&clients[i], &site);
    net_client_become (&clients[i], LK_PEER_USER, NULL, NULL);
    net_client_send (&clients[i], "x", 1);
    net_site_await_messages (&site, i + 1);
  }
  LkPeerId small = net_site_message (&site, 0)->peer.id;
  LkPeerId large = net_site_message (&site, 1)->peer.id;
  for (guint i = 0; i < 4; i++)
    site.port.ops->send (site.port.self, small, bytes, sizeof bytes);
  for (guint i = 0; i < 40; i++)
    site.port.ops->send (site.port.self, large, bytes, sizeof bytes);
  g_assert_cmpuint (net_site_counts (&site).slow_count, ==, 1);
  net_client_await_end (&clients[1]);
  LkBytes message;
  for (guint i = 0; i < 4; i++)
    g_assert_true (net_client_receive (&clients[0], &message));
  net_client_clear (&clients[0]);
  net_client_clear (&clients[1]);
  /* Parts of messages count as well. */
  static const guint8 announced[] = { 0, 0, 255, 0 };
  net_client_local (&clients[0], &site);
  net_client_become (&clients[0], LK_PEER_USER, NULL, NULL);
  net_client_send_bytes (&clients[0], announced, sizeof announced);
  for (guint i = 0; i < 17; i++)
    net_client_send_bytes (&clients[0], bytes, sizeof bytes);
  net_client_await_end (&clients[0]);
  g_assert_cmpuint (net_site_counts (&site).slow_count, ==, 2);
  g_assert_cmpuint (net_site_counts (&site).memory_bytes, ==, 0);
  net_client_clear (&clients[0]);
  net_site_clear (&site);
}

/* A user with many connections that do not read: his go, however little each has, and neither that
 * of another user who has more than any of them, nor that of an agent. */
static void
test_memory_by_user (void)
{
  const LkNetOsOptions options = { .limits = { .memory_max_bytes = 1024 * 1024 } };
  static const guint8 bytes[65536] = { 1 };
  NetSite site;
  NetClient many[8];
  NetClient agent;
  NetClient other;
  if (geteuid () != 0) {
    g_test_skip ("needs root");
    return;
  }
  net_site_init (&site, &options);
  net_client_local (&agent, &site);
  net_client_become (&agent, LK_PEER_AGENT, "n1", NULL);
  net_client_send (&agent, "x", 1);
  net_site_await_messages (&site, 1);
  net_client_local_as (&other, &site, 12346);
  net_client_become (&other, LK_PEER_USER, NULL, NULL);
  net_client_send (&other, "x", 1);
  net_site_await_messages (&site, 2);
  for (guint i = 0; i < G_N_ELEMENTS (many); i++) {
    net_client_local_as (&many[i], &site, 12345);
    net_client_become (&many[i], LK_PEER_USER, NULL, NULL);
    net_client_send (&many[i], "x", 1);
    net_site_await_messages (&site, i + 3);
  }
  for (guint k = 0; k < 2 + G_N_ELEMENTS (many); k++)
    for (guint times = k == 0 ? 4 : k == 1 ? 3 : 2; times > 0; times--)
      site.port.ops->send (site.port.self, net_site_message (&site, k)->peer.id, bytes,
                           sizeof bytes);
  g_assert_cmpuint (net_site_counts (&site).slow_count, >, 0);
  g_assert_cmpuint (net_site_counts (&site).memory_bytes, <=, 1024 * 1024);
  LkBytes message;
  for (guint i = 0; i < 4; i++)
    g_assert_true (net_client_receive (&agent, &message));
  for (guint i = 0; i < 3; i++)
    g_assert_true (net_client_receive (&other, &message));
  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    net_client_clear (&many[i]);
  net_client_clear (&agent);
  net_client_clear (&other);
  net_site_clear (&site);
}

static void
test_session_end (void)
{
  const LkNetOsOptions options = { .limits = { .session_max_us = 50 * MILLISECOND_US } };
  NetSite site;
  NetClient agent;
  NetClient user;
  g_autoptr (LkKeyring) keyring = net_site_keys (NET_SITE_KEY_A);
  net_site_init (&site, &options);
  site.answers = TRUE;
  net_client_tcp (&agent, &site);
  net_client_become (&agent, LK_PEER_AGENT, "n1", keyring);
  net_client_local (&user, &site);
  net_client_become (&user, LK_PEER_USER, NULL, NULL);
  net_client_await_farewell (&agent, LK_FAREWELL_EXPIRED);
  g_assert_cmpuint (net_site_counts (&site).expired_count, ==, 1);
  assert_echo (&user, "on");
  net_client_clear (&agent);
  net_client_clear (&user);
  net_site_clear (&site);
}

/* ---------------------------------------------------------------- keys change */

/* Old key; both; new key: nobody who has followed is stopped. */
static void
test_change_key (void)
{
  NetSite site;
  NetClient old;
  NetClient new;
  g_autoptr (LkKeyring) a = net_site_keys (NET_SITE_KEY_A);
  g_autoptr (LkKeyring) b = net_site_keys (NET_SITE_KEY_B);
  g_autoptr (LkKeyring) both = net_site_keys (NET_SITE_KEY_B NET_SITE_KEY_A);
  net_site_init (&site, NULL);
  site.answers = TRUE;
  net_client_tcp (&old, &site);
  net_client_become (&old, LK_PEER_AGENT, "n1", a);
  lk_net_os_set_keyring (site.net, both);
  assert_echo (&old, "still");
  net_client_tcp (&new, &site);
  net_client_become (&new, LK_PEER_AGENT, "n2", b);
  assert_echo (&new, "new");
  lk_net_os_set_keyring (site.net, b);
  net_client_await_farewell (&old, LK_FAREWELL_EXPIRED);
  assert_echo (&new, "on");
  lk_net_os_set_keyring (site.net, NULL);
  net_client_await_farewell (&new, LK_FAREWELL_EXPIRED);
  net_client_clear (&old);
  net_client_clear (&new);
  net_site_clear (&site);
}

/* ---------------------------------------------------------------- ends */

/* The number of a peer that has gone is not that of another. */
static void
test_ids (void)
{
  NetSite site;
  LkPeerId last = 0;
  net_site_init (&site, NULL);
  site.answers = TRUE;
  for (guint i = 0; i < 50; i++) {
    NetClient client;
    net_client_local (&client, &site);
    net_client_become (&client, LK_PEER_USER, NULL, NULL);
    assert_echo (&client, "x");
    g_assert_cmpuint (net_site_message (&site, i)->peer.id, >, last);
    last = net_site_message (&site, i)->peer.id;
    net_client_clear (&client);
  }
  net_site_clear (&site);
}

/* A client that sends much at once holds up no other: a few messages of each come in a turn. */
static void
test_turns (void)
{
  NetSite site;
  NetClient eager;
  NetClient other;
  g_autoptr (GByteArray) frames = g_byte_array_new ();
  LkSeal seal = { .is_on = FALSE };
  net_site_init (&site, NULL);
  net_client_local (&eager, &site);
  net_client_local (&other, &site);
  site.answers = TRUE;
  net_client_become (&eager, LK_PEER_USER, NULL, NULL);
  net_client_become (&other, LK_PEER_USER, NULL, NULL);
  /* Both have logged in. */
  assert_echo (&eager, "in");
  assert_echo (&other, "in");
  site.answers = FALSE;
  for (guint i = 0; i < 1000; i++)
    lk_frame_append (frames, &seal, (const guint8 *)"eager", 5);
  net_client_send_bytes (&eager, frames->data, frames->len);
  net_client_send (&other, "o", 1);
  guint at = 0;
  while (at == site.messages->len || net_site_message (&site, at)->bytes->len != 1) {
    if (at < site.messages->len)
      at++;
    else
      net_site_turn (&site);
  }
  g_assert_cmpuint (site.messages->len, <, 50);
  net_site_await_messages (&site, 1003);
  net_client_clear (&eager);
  net_client_clear (&other);
  net_site_clear (&site);
}

/* A socket that was left by one that died is replaced; one at which somebody listens is not; nor is
 * what is no socket. */
static void
test_socket_file (void)
{
  NetSite site;
  g_autoptr (GError) error = NULL;
  net_site_init (&site, NULL);
  LkNetOsOptions options = { .loop = site.loop, .socket = site.socket };
  g_assert_null (lk_net_os_new (&options, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM);
  g_clear_error (&error);
  g_autofree char *path = g_build_filename (site.folder, "stale", NULL);
  int stale = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  g_assert_cmpint (bind (stale, (const struct sockaddr *)&address, sizeof address), ==, 0);
  close (stale);
  options.socket = path;
  LkNetOs *net = lk_net_os_new (&options, &error);
  g_assert_no_error (error);
  lk_net_os_free (net);
  g_assert_true (g_file_set_contents (path, "precious", -1, NULL));
  g_assert_null (lk_net_os_new (&options, &error));
  g_assert_nonnull (error);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
  g_unlink (path);
  net_site_clear (&site);
}

/* Longer than a socket's address has room for. */
static void
test_long_path (void)
{
  NetSite site;
  g_autoptr (GError) error = NULL;
  net_site_init (&site, NULL);
  g_autofree char *name = g_strnfill (150, 'd');
  g_autofree char *folder = g_build_filename (site.folder, name, NULL);
  g_assert_cmpint (g_mkdir (folder, 0755), ==, 0);
  g_autofree char *path = g_build_filename (folder, "controller.sock", NULL);
  const LkNetOsOptions options = { .loop = site.loop, .socket = path };
  LkNetOs *net = lk_net_os_new (&options, &error);
  g_assert_no_error (error);
  g_autofree char *before = g_strdup (site.socket);
  g_free (site.socket);
  site.socket = g_strdup (path);
  NetClient client;
  net_client_local (&client, &site);
  net_client_become (&client, LK_PEER_USER, NULL, NULL);
  net_client_clear (&client);
  g_free (site.socket);
  site.socket = g_steal_pointer (&before);
  lk_net_os_free (net);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  net_site_clear (&site);
}

static void
test_addresses (void)
{
  static const char *const bad[] = { "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536",
                                     ":80",       "::1:80",      "/tmp/x:80",
                                     "" };
  g_autoptr (LkLoop) loop = lk_loop_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    const char *const addresses[] = { bad[i], NULL };
    const LkNetOsOptions options = { .loop = loop, .addresses = addresses };
    g_assert_null (lk_net_os_new (&options, &error));
    g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/net/user is attested by the local socket", test_user);
  g_test_add_func ("/net/user is nobody else, and no agent", test_other_user);
  g_test_add_func ("/net/agent is attested by its key", test_agent_by_key);
  g_test_add_func ("/net/user by key has the group of this machine", test_user_by_key);
  g_test_add_func ("/net/wrong key is refused", test_wrong_key);
  g_test_add_func ("/net/methods belong to their sockets", test_wrong_method);
  g_test_add_func ("/net/newest agent of a node counts, once attested", test_newest_agent);
  g_test_add_func ("/net/nothing of nobody is read", test_anonymous_bytes);
  g_test_add_func ("/net/frames that are forged end the connection", test_forged_frames);
  g_test_add_func ("/net/message that was cut off is not heard", test_truncated);
  g_test_add_func ("/net/longest message passes, a longer one does not", test_long_message);
  g_test_add_func ("/net/nobody has only so much time", test_late);
  g_test_add_func ("/net/nobodies make room for others", test_anonymous_count);
  g_test_add_func ("/net/user has only so many connections", test_user_count);
  g_test_add_func ("/net/slow reader is cut off", test_slow_reader);
  g_test_add_func ("/net/reader that has stopped is cut off", test_stalled);
  g_test_add_func ("/net/all queues together are bounded", test_memory);
  g_test_add_func ("/net/memory counts by user, and agents are cut off last", test_memory_by_user);
  g_test_add_func ("/net/session by key ends", test_session_end);
  g_test_add_func ("/net/key is changed without stopping", test_change_key);
  g_test_add_func ("/net/numbers of peers are not given out again", test_ids);
  g_test_add_func ("/net/a client that sends much holds up no other", test_turns);
  g_test_add_func ("/net/socket of a dead one is replaced, nothing else", test_socket_file);
  g_test_add_func ("/net/path of a socket may be long", test_long_path);
  g_test_add_func ("/net/addresses that are none are refused", test_addresses);
  return g_test_run ();
}
