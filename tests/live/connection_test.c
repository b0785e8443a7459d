/* tests/live/connection_test.c — a command's connection to a controller that runs in a thread. */
#include "live/client/connection.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/auth_munge.h"
#include "tests/live/net_site.h"

#define MILLISECOND_US (G_USEC_PER_SEC / 1000)

/* What the controller does with the next requests. */
typedef enum { ANSWERS, DROPS, BREAKS, OTHERS_FIRST } Manner;

typedef struct {
  NetSite site;
  GThread *thread;
  gint is_ending;
  gint manner;
  gint left_count; /* of requests that are so treated; the others are answered */
  gint request_count;
  guint64 sessions[64];
  guint64 requests[64];
} Server;

static void
answer (Server *server, const LkMessage_cancel *request)
{
  const NetSiteMessage *last =
      g_ptr_array_index (server->site.messages, server->site.messages->len - 1);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage reply = {
    .kind = LK_MESSAGE_REPLY,
    .reply = { .session = request->session, .request = request->request, .job_id = 17, .seq = 5 }
  };
  LkPortNet port = lk_net_os_port (server->site.net);
  if (g_atomic_int_get (&server->manner) == OTHERS_FIRST) {
    reply.reply.request++;
    lk_message_encode (&reply, bytes);
    port.ops->send (port.self, last->peer.id, bytes->data, bytes->len);
    g_byte_array_set_size (bytes, 0);
    reply.reply.request--;
    reply.reply.session++;
    lk_message_encode (&reply, bytes);
    port.ops->send (port.self, last->peer.id, bytes->data, bytes->len);
    g_byte_array_set_size (bytes, 0);
    reply.reply.session--;
  }
  lk_message_encode (&reply, bytes);
  port.ops->send (port.self, last->peer.id, bytes->data, bytes->len);
}

static void
serve (Server *server)
{
  const NetSiteMessage *last =
      g_ptr_array_index (server->site.messages, server->site.messages->len - 1);
  LkMessage message;
  g_assert_true (lk_message_decode (last->bytes->data, last->bytes->len, &message));
  g_assert_cmpint (message.kind, ==, LK_MESSAGE_CANCEL);
  guint index = (guint)g_atomic_int_add (&server->request_count, 1);
  g_assert_cmpuint (index, <, G_N_ELEMENTS (server->sessions));
  server->sessions[index] = message.cancel.session;
  server->requests[index] = message.cancel.request;
  Manner manner = (Manner)g_atomic_int_get (&server->manner);
  if (manner == ANSWERS || manner == OTHERS_FIRST || g_atomic_int_get (&server->left_count) == 0)
    answer (server, &message.cancel);
  else if (g_atomic_int_add (&server->left_count, -1) > 0 && manner == BREAKS)
    net_site_restart (&server->site);
}

static gpointer
run_server (gpointer data)
{
  Server *server = data;
  guint served = 0;
  while (!g_atomic_int_get (&server->is_ending)) {
    net_site_turn (&server->site);
    while (served < server->site.messages->len) {
      served++;
      serve (server);
    }
  }
  return NULL;
}

static void
server_init (Server *server)
{
  *server = (Server){ 0 };
  net_site_init (&server->site, NULL);
  server->thread = g_thread_new ("controller", run_server, server);
}

static void
server_clear (Server *server)
{
  g_atomic_int_set (&server->is_ending, 1);
  g_thread_join (server->thread);
  net_site_clear (&server->site);
}

static LkConnection *
connection (const char *address, const char *key_file)
{
  const char *const controllers[] = { address, NULL };
  const LkConnectionOptions options = { .controllers = controllers,
                                        .method = LK_AUTH_KEY,
                                        .key_file = key_file,
                                        .controller_user_id = LK_MUNGE_ANYONE,
                                        .connect_max_us = 300 * MILLISECOND_US,
                                        .message_max_us = 50 * MILLISECOND_US,
                                        .answer_max_us = 400 * MILLISECOND_US };
  return lk_connection_new (&options);
}

static gboolean
cancel (LkConnection *self, LkMessage_reply *out_reply, GError **error)
{
  LkMessage request = { .kind = LK_MESSAGE_CANCEL,
                        .cancel = { .event = lk_bytes_of_text ("event") } };
  return lk_connection_request (self, &request, out_reply, error);
}

static void
assert_answered (LkConnection *self)
{
  g_autoptr (GError) error = NULL;
  LkMessage_reply reply = { 0 };
  g_assert_true (cancel (self, &reply, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (reply.job_id, ==, 17);
}

static void
test_requests (gconstpointer data)
{
  Server server;
  server_init (&server);
  g_atomic_int_set (&server.manner, GPOINTER_TO_INT (data));
  g_autoptr (LkConnection) first = connection (server.site.socket, NULL);
  g_autoptr (LkConnection) second = connection (server.site.socket, NULL);
  assert_answered (first);
  assert_answered (first);
  assert_answered (second);
  g_assert_cmpuint (server.requests[0], ==, 1);
  g_assert_cmpuint (server.requests[1], ==, 2);
  g_assert_cmpuint (server.requests[2], ==, 1);
  g_assert_cmpuint (server.sessions[0], ==, server.sessions[1]);
  g_assert_cmpuint (server.sessions[0], !=, server.sessions[2]);
  g_assert_cmpuint (server.sessions[0], !=, 0);
  server_clear (&server);
}

/* Two requests are lost on their way, or with the controller: the same one comes again. */
static void
test_asked_again (gconstpointer data)
{
  Server server;
  server_init (&server);
  g_atomic_int_set (&server.manner, GPOINTER_TO_INT (data));
  g_atomic_int_set (&server.left_count, 2);
  g_autoptr (LkConnection) self = connection (server.site.socket, NULL);
  assert_answered (self);
  g_assert_cmpint (g_atomic_int_get (&server.request_count), ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint (server.requests[i], ==, 1);
    g_assert_cmpuint (server.sessions[i], ==, server.sessions[0]);
  }
  server_clear (&server);
}

static void
assert_fails (LkConnection *self, LkConnectionError code, const char *text)
{
  g_autoptr (GError) error = NULL;
  LkMessage_reply reply;
  g_assert_false (cancel (self, &reply, &error));
  g_assert_error (error, LK_CONNECTION_ERROR, (int)code);
  g_assert_cmpstr (error->message, ==, text);
  g_assert_nonnull (lk_connection_cause (self));
}

static void
test_no_answer (void)
{
  Server server;
  server_init (&server);
  g_atomic_int_set (&server.manner, DROPS);
  g_atomic_int_set (&server.left_count, 1000);
  g_autoptr (LkConnection) self = connection (server.site.socket, NULL);
  assert_fails (self, LK_CONNECTION_ERROR_TIMEOUT, "Socket timed out on send/recv operation");
  g_assert_cmpint (g_atomic_int_get (&server.request_count), >=, 2);
  server_clear (&server);
}

static LkAnswer
never_answer (gpointer user, const LkMessage *message)
{
  (void)user;
  (void)message;
  g_assert_not_reached ();
}

static gboolean
ask_soon (LkConnection *self)
{
  const LkMessage question = { .kind = LK_MESSAGE_RECONFIGURE };
  return lk_connection_ask_soon (self, &question, MILLISECOND_US, never_answer, NULL);
}

static void
test_nobody (void)
{
  static const char *const addresses[] = { "/nonexistent/controller.sock", "127.0.0.1:1",
                                           "host.invalid:1" };
  g_autofree char *folder = g_dir_make_tmp ("lockstep-key-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "key", NULL);
  g_assert_true (lk_key_file_write (path, NET_SITE_KEY_A, FALSE, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (addresses); i++) {
    g_autoptr (LkConnection) self = connection (addresses[i], path);
    assert_fails (self, LK_CONNECTION_ERROR_CONNECT,
                  "Unable to contact slurm controller (connect failure)");
    g_assert_false (ask_soon (self));
  }
  unlink (path);
  rmdir (folder);
}

static gpointer
open_connection (gpointer data)
{
  return GINT_TO_POINTER (lk_connection_open (data, NULL));
}

/* It is started while somebody waits for it. */
static void
test_late (void)
{
  Server server;
  server_init (&server);
  g_autofree char *there = g_strdup (server.site.socket);
  g_autofree char *away = g_strdup_printf ("%s.away", there);
  g_assert_cmpint (rename (there, away), ==, 0);
  g_autoptr (LkConnection) self = connection (there, NULL);
  GThread *asks = g_thread_new ("command", open_connection, self);
  g_usleep (100 * MILLISECOND_US);
  g_assert_cmpint (rename (away, there), ==, 0);
  g_assert_nonnull (g_thread_join (asks));
  assert_answered (self);
  server_clear (&server);
}

static void
test_key (void)
{
  static const struct {
    const char *contents;
    guint mode;
    gboolean fits;
  } rows[] = {
    { NET_SITE_KEY_A, 0600, TRUE },
    { NET_SITE_KEY_B, 0600, FALSE },
    { NET_SITE_KEY_A, 0644, FALSE },
    { "nothing", 0600, FALSE },
  };
  Server server;
  server_init (&server);
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", server.site.tcp_port);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = g_build_filename (server.site.folder, "key", NULL);
    g_assert_true (lk_key_file_write (path, rows[i].contents, TRUE, NULL));
    g_assert_cmpint (chmod (path, rows[i].mode), ==, 0);
    g_autoptr (LkConnection) self = connection (address, path);
    if (rows[i].fits)
      assert_answered (self);
    else
      assert_fails (self, LK_CONNECTION_ERROR_AUTHENTICATION, "Protocol authentication error");
    unlink (path);
  }
  server_clear (&server);
}

static void
test_texts (void)
{
  g_assert_cmpstr (lk_connection_error_text (1800), ==,
                   "Unable to contact slurm controller (connect failure)");
  g_assert_cmpstr (lk_connection_error_text (2), ==, "?");
}

/* An answer of many parts, of which some come, then the connection is lost: it begins anew. */
typedef struct {
  guint begun_count;
  guint part_count;
} Parts;

static LkAnswer
take_part (gpointer user, const LkMessage *message)
{
  Parts *parts = user;
  if (message == NULL) {
    parts->begun_count++;
    parts->part_count = 0;
    return LK_ANSWER_OTHER;
  }
  return ++parts->part_count == 3 ? LK_ANSWER_LAST : LK_ANSWER_MORE;
}

static void
test_parts (void)
{
  Server server;
  Parts parts = { 0 };
  g_autoptr (GError) error = NULL;
  server_init (&server);
  g_atomic_int_set (&server.manner, OTHERS_FIRST);
  g_autoptr (LkConnection) self = connection (server.site.socket, NULL);
  const LkMessage question = { .kind = LK_MESSAGE_CANCEL, .cancel = { .session = 1 } };
  g_assert_true (lk_connection_ask (self, &question, take_part, &parts, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (parts.begun_count, ==, 1);
  /* Only one part of three comes now. */
  g_atomic_int_set (&server.manner, ANSWERS);
  g_assert_false (lk_connection_ask (self, &question, take_part, &parts, &error));
  g_assert_error (error, LK_CONNECTION_ERROR, LK_CONNECTION_ERROR_TIMEOUT);
  g_assert_cmpuint (parts.begun_count, >=, 3);
  server_clear (&server);
}

/* ---------------------------------------------------------------- ahead */

static LkAnswer
take_ninth (gpointer user, const LkMessage *message)
{
  (void)user;
  return message != NULL && message->kind == LK_MESSAGE_REPLY && message->reply.request == 9
             ? LK_ANSWER_LAST
             : LK_ANSWER_OTHER;
}

/* What was sent ahead is not sent again when it is asked, unless it was lost, or something else is
 * asked. */
static void
test_ahead (void)
{
  Server server;
  g_autoptr (GError) error = NULL;
  server_init (&server);
  const char *const controllers[] = { server.site.socket, NULL };
  const LkConnectionOptions patient = { .controllers = controllers,
                                        .controller_user_id = LK_MUNGE_ANYONE,
                                        .connect_max_us = 60000 * MILLISECOND_US,
                                        .message_max_us = 60000 * MILLISECOND_US,
                                        .answer_max_us = 60000 * MILLISECOND_US };
  g_autoptr (LkConnection) self = lk_connection_new (&patient);
  const LkMessage question = { .kind = LK_MESSAGE_CANCEL,
                               .cancel = { .session = 7, .request = 9 } };
  lk_connection_send_ahead (self, &question); /* nobody is connected */
  assert_answered (self);
  g_assert_cmpint (g_atomic_int_get (&server.request_count), ==, 1);
  lk_connection_send_ahead (self, &question);
  g_assert_true (lk_connection_ask (self, &question, take_ninth, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&server.request_count), ==, 2);
  g_assert_true (lk_connection_ask (self, &question, take_ninth, NULL, &error));
  g_assert_cmpint (g_atomic_int_get (&server.request_count), ==, 3);
  lk_connection_send_ahead (self, &question);
  assert_answered (self);
  g_assert_cmpint (g_atomic_int_get (&server.request_count), ==, 5);
  g_atomic_int_set (&server.left_count, 1);
  g_atomic_int_set (&server.manner, BREAKS);
  lk_connection_send_ahead (self, &question);
  g_assert_true (lk_connection_ask (self, &question, take_ninth, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&server.request_count), ==, 7);
  server_clear (&server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/connection/requests are numbered and answered", GINT_TO_POINTER (ANSWERS),
                        test_requests);
  g_test_add_data_func ("/connection/replies to others are passed over",
                        GINT_TO_POINTER (OTHERS_FIRST), test_requests);
  g_test_add_data_func ("/connection/what is not answered is asked again", GINT_TO_POINTER (DROPS),
                        test_asked_again);
  g_test_add_data_func ("/connection/what was lost with the connection is asked again",
                        GINT_TO_POINTER (BREAKS), test_asked_again);
  g_test_add_func ("/connection/gives up when nothing is answered", test_no_answer);
  g_test_add_func ("/connection/nobody is there", test_nobody);
  g_test_add_func ("/connection/waits for a controller that starts", test_late);
  g_test_add_func ("/connection/proves itself by a key file", test_key);
  g_test_add_func ("/connection/has Slurm's texts", test_texts);
  g_test_add_func ("/connection/reads answers of many parts", test_parts);
  g_test_add_func ("/connection/sends ahead what it will ask", test_ahead);
  return g_test_run ();
}
