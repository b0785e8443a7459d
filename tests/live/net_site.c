/* tests/live/net_site.c — see the header. */
#include "tests/live/net_site.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/socket.h"

#define PATIENCE_US (60 * G_USEC_PER_SEC)

static void
message_free (gpointer data)
{
  NetSiteMessage *message = data;
  g_free (message->name);
  g_byte_array_unref (message->bytes);
  g_free (message);
}

static void
message_came (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  NetSite *site = user;
  NetSiteMessage *message = g_new0 (NetSiteMessage, 1);
  message->peer = *peer;
  message->peer.name = message->name = g_strdup (peer->name);
  message->bytes = g_byte_array_new ();
  g_byte_array_append (message->bytes, bytes, (guint)length_bytes);
  g_ptr_array_add (site->messages, message);
  if (site->answers)
    site->port.ops->send (site->port.self, peer->id, bytes, length_bytes);
}

static void
note_came (gpointer user, const char *text)
{
  NetSite *site = user;
  g_string_append (site->notes, text);
  g_string_append_c (site->notes, '\n');
}

LkKeyring *
net_site_keys (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkKeyring *keyring = lk_keyring_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  return keyring;
}

void
net_site_init (NetSite *site, const LkNetOsOptions *options)
{
  static const char *const addresses[] = { "127.0.0.1:0", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) usual = net_site_keys (NET_SITE_KEY_A);
  LkNetOsOptions all = options != NULL ? *options : (LkNetOsOptions){ 0 };
  *site = (NetSite){ 0 };
  site->loop = lk_loop_new (&error);
  g_assert_no_error (error);
  site->folder = g_dir_make_tmp ("lockstep-net-XXXXXX", &error);
  g_assert_no_error (error);
  g_assert_cmpint (chmod (site->folder, 0755), ==, 0);
  site->socket = g_build_filename (site->folder, "controller.sock", NULL);
  site->messages = g_ptr_array_new_with_free_func (message_free);
  site->notes = g_string_new (NULL);
  all.loop = site->loop;
  if (all.trusted_user_id == 0)
    all.trusted_user_id = NET_SITE_TRUSTED;
  all.socket = site->socket;
  all.addresses = addresses;
  if (all.keyring == NULL)
    all.keyring = usual;
  all.message = message_came;
  all.note = note_came;
  all.user = site;
  site->net = lk_net_os_new (&all, &error);
  g_assert_no_error (error);
  site->port = lk_net_os_port (site->net);
  site->tcp_port = lk_net_os_tcp_port (site->net, 0);
}

void
net_site_restart (NetSite *site)
{
  g_autoptr (GError) error = NULL;
  const LkNetOsOptions options = { .loop = site->loop,
                                   .trusted_user_id = NET_SITE_TRUSTED,
                                   .socket = site->socket,
                                   .message = message_came,
                                   .note = note_came,
                                   .user = site };
  lk_net_os_free (site->net);
  site->net = lk_net_os_new (&options, &error);
  g_assert_no_error (error);
  site->port = lk_net_os_port (site->net);
}

void
net_site_clear (NetSite *site)
{
  lk_net_os_free (site->net);
  lk_loop_free (site->loop);
  g_ptr_array_unref (site->messages);
  g_string_free (site->notes, TRUE);
  g_assert_false (g_file_test (site->socket, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_rmdir (site->folder), ==, 0);
  g_free (site->folder);
  g_free (site->socket);
}

void
net_site_turn (NetSite *site)
{
  lk_loop_turn (site->loop, 1000);
}

void
net_site_await_messages (NetSite *site, guint count)
{
  gint64 deadline_us = g_get_monotonic_time () + PATIENCE_US;
  while (site->messages->len < count) {
    g_assert_cmpint (g_get_monotonic_time (), <, deadline_us);
    net_site_turn (site);
  }
}

const NetSiteMessage *
net_site_message (const NetSite *site, guint index)
{
  g_assert_cmpuint (index, <, site->messages->len);
  return g_ptr_array_index (site->messages, index);
}

LkNetCounts
net_site_counts (const NetSite *site)
{
  LkNetCounts counts;
  lk_net_os_counts (site->net, &counts);
  return counts;
}

/* ---------------------------------------------------------------- clients */

static void
client_connect (NetClient *client, NetSite *site, const char *address)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) all = lk_address_resolve (address, &error);
  g_assert_no_error (error);
  *client = (NetClient){ .site = site };
  client->socket = lk_socket_connect (&g_array_index (all, LkSocketAddress, 0), &error);
  g_assert_no_error (error);
  lk_frame_reader_init (&client->reader, LK_MESSAGE_MAX_BYTES);
}

void
net_client_local (NetClient *client, NetSite *site)
{
  client_connect (client, site, site->socket);
}

void
net_client_local_as (NetClient *client, NetSite *site, guint32 user_id)
{
  /* The system attests who has connected, whatever he is behind that. */
  g_assert_cmpint (seteuid (user_id), ==, 0);
  client_connect (client, site, site->socket);
  g_assert_cmpint (seteuid (0), ==, 0);
}

void
net_client_tcp (NetClient *client, NetSite *site)
{
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", site->tcp_port);
  client_connect (client, site, address);
}

void
net_client_clear (NetClient *client)
{
  close (client->socket);
  lk_frame_reader_clear (&client->reader);
}

void
net_client_send_bytes (NetClient *client, gconstpointer bytes, gsize length_bytes)
{
  const guint8 *at = bytes;
  while (length_bytes > 0) {
    gssize put = send (client->socket, at, length_bytes, MSG_NOSIGNAL);
    if (put > 0) {
      at += put;
      length_bytes -= (gsize)put;
    } else if (errno == EAGAIN || errno == EINPROGRESS || errno == ENOTCONN) {
      net_site_turn (client->site);
    } else {
      return;
    }
  }
}

void
net_client_send (NetClient *client, gconstpointer bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  lk_frame_append (frame, &client->seal, bytes, length_bytes);
  net_client_send_bytes (client, frame->data, frame->len);
}

gboolean
net_client_receive (NetClient *client, LkBytes *out_message)
{
  gint64 deadline_us = g_get_monotonic_time () + PATIENCE_US;
  for (;;) {
    guint8 room[65536];
    LkFrameStatus status = lk_frame_reader_next (&client->reader, out_message);
    if (status == LK_FRAME_WHOLE)
      return TRUE;
    g_assert_cmpint (status, ==, LK_FRAME_NONE);
    gssize got = recv (client->socket, room, sizeof room, 0);
    if (got > 0)
      lk_frame_reader_push (&client->reader, room, (gsize)got);
    else if (got == 0 || (errno != EAGAIN && errno != ENOTCONN))
      return FALSE;
    else
      net_site_turn (client->site);
    g_assert_cmpint (g_get_monotonic_time (), <, deadline_us);
  }
}

void
net_client_await_end (NetClient *client)
{
  LkBytes message;
  while (net_client_receive (client, &message))
    continue;
}

void
net_client_await_farewell (NetClient *client, LkFarewell why)
{
  LkBytes message;
  guint told = 0;
  g_assert_true (net_client_receive (client, &message));
  g_assert_true (lk_farewell_decode (message, &told));
  g_assert_cmpuint (told, ==, why);
  g_assert_false (net_client_receive (client, &message));
}

guint
net_client_shake_hands (NetClient *client, const LkHandshakeClient *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) reply = g_byte_array_new ();
  g_autoptr (LkHandshake) handshake = lk_handshake_client_new (options, reply, &error);
  LkHandshakeStep step = LK_HANDSHAKE_MORE;
  g_assert_no_error (error);
  while (step == LK_HANDSHAKE_MORE) {
    LkBytes message;
    net_client_send (client, reply->data, reply->len);
    g_byte_array_set_size (reply, 0);
    g_assert_true (net_client_receive (client, &message));
    step = lk_handshake_take (handshake, message, reply);
  }
  if (step == LK_HANDSHAKE_REFUSED)
    return lk_handshake_farewell (handshake);
  g_assert_cmpint (step, ==, LK_HANDSHAKE_DONE);
  const LkAttested *attested = lk_handshake_attested (handshake);
  if (attested->method != LK_AUTH_LOCAL) {
    lk_frame_reader_seal (&client->reader, &attested->receive_key);
    client->seal = (LkSeal){ .key = attested->send_key, .is_on = TRUE };
  }
  return 0;
}

void
net_client_become (NetClient *client, LkPeerKind kind, const char *node, const LkKeyring *keyring)
{
  const LkHandshakeClient options = { .method = keyring != NULL ? LK_AUTH_KEY : LK_AUTH_LOCAL,
                                      .kind = kind,
                                      .node = node,
                                      .user_id = 0,
                                      .keyring = keyring };
  g_assert_cmpuint (net_client_shake_hands (client, &options), ==, 0);
}
