/* tests/live/auth_munge_test.c — users and agents whom a munged of the test's own attests.
 *
 * Skipped where there is no munged, or where this was built without MUNGE. */
#include "live/port/auth_munge.h"

#include <glib/gstdio.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/client/connection.h"
#include "live/port/error.h"
#include "live/port/net_link.h"
#include "tests/live/net_site.h"

#define PATIENCE_US (60 * G_USEC_PER_SEC)

typedef struct {
  char *folder;
  char *socket;
  GPid process;
} Munged;

static char *
program (const char *name)
{
  char *path = g_find_program_in_path (name);
  if (path != NULL)
    return path;
  path = g_build_filename ("/usr/sbin", name, NULL);
  if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    return path;
  g_free (path);
  return NULL;
}

static char *
option (const Munged *munged, const char *name, const char *file)
{
  return g_strdup_printf ("--%s=%s/%s", name, munged->folder, file);
}

static void
write_key (const Munged *munged)
{
  guint8 key[64];
  g_autofree char *path = g_build_filename (munged->folder, "key", NULL);
  lk_random_fill (key, sizeof key);
  g_assert_true (g_file_set_contents (path, (const char *)key, sizeof key, NULL));
  g_assert_cmpint (chmod (path, 0600), ==, 0);
}

/* FALSE: there is none here, and the test is skipped. */
static gboolean
munged_init (Munged *munged)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = program ("munged");
  if (!lk_munge_is_there (&error)) {
    g_test_skip (error->message);
    return FALSE;
  }
  if (path == NULL) {
    g_test_skip ("there is no munged on this machine");
    return FALSE;
  }
  munged->folder = g_dir_make_tmp ("lockstep-munge-XXXXXX", NULL);
  g_assert_cmpint (chmod (munged->folder, 0755), ==, 0);
  munged->socket = g_build_filename (munged->folder, "socket", NULL);
  write_key (munged);
  g_autofree char *key = option (munged, "key-file", "key");
  g_autofree char *socket = option (munged, "socket", "socket");
  g_autofree char *pid = option (munged, "pid-file", "pid");
  g_autofree char *log = option (munged, "log-file", "log");
  g_autofree char *seed = option (munged, "seed-file", "seed");
  char *argv[] = { path, (char *)"--foreground",    key, socket, pid, log,
                   seed, (char *)"--num-threads=2", NULL };
  g_spawn_async (NULL, argv, NULL,
                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
                     | G_SPAWN_STDERR_TO_DEV_NULL,
                 NULL, NULL, &munged->process, &error);
  g_assert_no_error (error);
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (!g_file_test (munged->socket, G_FILE_TEST_EXISTS)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    g_usleep (1000);
  }
  return TRUE;
}

static void
munged_clear (Munged *munged)
{
  static const char *const files[] = { "key", "socket", "socket.lock", "pid", "log", "seed" };
  kill (munged->process, SIGTERM);
  waitpid (munged->process, NULL, 0);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (munged->folder, files[i], NULL);
    g_unlink (path);
  }
  g_assert_cmpint (g_rmdir (munged->folder), ==, 0);
  g_free (munged->folder);
  g_free (munged->socket);
}

/* ---------------------------------------------------------------- credentials */

static void
test_credential (void)
{
  Munged munged;
  g_autoptr (GError) error = NULL;
  guint32 user_id = 1;
  guint32 group_id = 1;
  if (!munged_init (&munged))
    return;
  g_autofree char *credential =
      lk_munge_encode (munged.socket, lk_bytes_of_text ("hello"), geteuid (), &error);
  g_assert_no_error (error);
  GByteArray *content = lk_munge_decode (munged.socket, credential, &user_id, &group_id, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (content->len, ==, 5);
  g_assert_cmpuint (user_id, ==, geteuid ());
  g_assert_cmpuint (group_id, ==, getegid ());
  g_byte_array_unref (content);
  /* Once only. */
  g_assert_null (lk_munge_decode (munged.socket, credential, &user_id, &group_id, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
  g_assert_nonnull (strstr (error->message, "eplayed"));
  g_clear_error (&error);
  /* By its reader only. */
  g_autofree char *other =
      lk_munge_encode (munged.socket, lk_bytes_of_text ("hello"), geteuid () + 1, &error);
  g_assert_null (lk_munge_decode (munged.socket, other, &user_id, &group_id, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
  g_clear_error (&error);
  g_assert_null (lk_munge_decode (munged.socket, "MUNGE:xyz:", &user_id, &group_id, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
  munged_clear (&munged);
}

static void
test_no_munged (void)
{
  guint32 user_id;
  guint32 group_id;
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_munge_encode ("/nonexistent/munge", lk_bytes_of_text ("x"), 0, &error));
  g_assert_nonnull (strstr (error->message, "MUNGE"));
  g_clear_error (&error);
  g_assert_null (lk_munge_decode ("/nonexistent/munge", "MUNGE:x:", &user_id, &group_id, &error));
  g_assert_nonnull (strstr (error->message, "MUNGE"));
}

/* ---------------------------------------------------------------- across TCP */

typedef struct {
  NetSite *site;
  gint is_ending;
} Turner;

static gpointer
turn (gpointer data)
{
  Turner *turner = data;
  while (!g_atomic_int_get (&turner->is_ending))
    net_site_turn (turner->site);
  return NULL;
}

static gpointer
ask (gpointer data)
{
  return GINT_TO_POINTER (lk_connection_open (data, NULL) ? 1 : 2);
}

/* Whether a command of this machine is let in. */
static gboolean
is_let_in (NetSite *site, const char *munge_socket, guint32 controller_user_id)
{
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", site->tcp_port);
  const char *const controllers[] = { address, NULL };
  const LkConnectionOptions options = { .controllers = controllers,
                                        .method = LK_AUTH_MUNGE,
                                        .munge_socket = munge_socket,
                                        .controller_user_id = controller_user_id };
  g_autoptr (LkConnection) self = lk_connection_new (&options);
  Turner turner = { .site = site };
  GThread *thread = g_thread_new ("controller", turn, &turner);
  gboolean is_in = GPOINTER_TO_INT (ask (self)) == 1;
  g_atomic_int_set (&turner.is_ending, 1);
  g_thread_join (thread);
  return is_in;
}

static void
test_user (void)
{
  Munged munged;
  NetSite site;
  if (!munged_init (&munged))
    return;
  const LkNetOsOptions options = { .accepts_munge = TRUE,
                                   .munge_socket = munged.socket,
                                   .trusted_user_id = geteuid () };
  net_site_init (&site, &options);
  g_assert_true (is_let_in (&site, munged.socket, geteuid ()));
  g_assert_cmpuint (net_site_counts (&site).attested_count, ==, 1);
  /* Whoever takes the connection for one to another's controller gets nothing that we can read. */
  g_assert_false (is_let_in (&site, munged.socket, geteuid () + 1));
  g_assert_false (is_let_in (&site, "/nonexistent/munge", geteuid ()));
  g_assert_cmpuint (net_site_counts (&site).attested_count, ==, 1);
  net_site_clear (&site);
  munged_clear (&munged);
}

/* Of another cluster, with another key. */
static void
test_other_munged (void)
{
  Munged munged;
  Munged other;
  NetSite site;
  if (!munged_init (&munged) || !munged_init (&other))
    return;
  const LkNetOsOptions options = { .accepts_munge = TRUE, .munge_socket = munged.socket };
  net_site_init (&site, &options);
  g_assert_false (is_let_in (&site, other.socket, LK_MUNGE_ANYONE));
  g_assert_cmpuint (net_site_counts (&site).denied_count, >=, 1);
  net_site_clear (&site);
  munged_clear (&munged);
  munged_clear (&other);
}

static void
no_message (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  (void)user;
  (void)peer;
  (void)bytes;
  (void)length_bytes;
}

/* An agent of root, or of who runs the controller. */
static void
test_agent (void)
{
  Munged munged;
  NetSite site;
  g_autoptr (GError) error = NULL;
  if (!munged_init (&munged))
    return;
  const LkNetOsOptions options = { .accepts_munge = TRUE,
                                   .munge_socket = munged.socket,
                                   .trusted_user_id = geteuid () };
  net_site_init (&site, &options);
  g_autofree char *address = g_strdup_printf ("127.0.0.1:%u", site.tcp_port);
  const char *const controllers[] = { address, NULL };
  const LkNetLinkOptions link_options = { .loop = site.loop,
                                          .controllers = controllers,
                                          .kind = LK_PEER_AGENT,
                                          .node = "n1",
                                          .method = LK_AUTH_MUNGE,
                                          .munge_socket = munged.socket,
                                          .controller_user_id = geteuid (),
                                          .message = no_message };
  LkNetLink *link = lk_net_link_new (&link_options, &error);
  g_assert_no_error (error);
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  while (!lk_net_link_is_connected (link)) {
    g_assert_cmpint (g_get_monotonic_time (), <, until_us);
    net_site_turn (&site);
  }
  LkPortNet port = lk_net_link_port (link);
  port.ops->send (port.self, 0, (const guint8 *)"beat", 4);
  net_site_await_messages (&site, 1);
  g_assert_cmpint (net_site_message (&site, 0)->peer.kind, ==, LK_PEER_AGENT);
  g_assert_cmpstr (net_site_message (&site, 0)->peer.name, ==, "n1");
  lk_net_link_free (link);
  net_site_clear (&site);
  munged_clear (&munged);
}

/* munged does not answer any more: others are served on. */
static void
test_stopped (void)
{
  Munged munged;
  NetSite site;
  NetClient client;
  g_autoptr (GByteArray) hello = g_byte_array_new ();
  g_autoptr (GByteArray) proof = g_byte_array_new ();
  LkBytes message;
  if (!munged_init (&munged))
    return;
  const LkNetOsOptions options = { .accepts_munge = TRUE, .munge_socket = munged.socket };
  net_site_init (&site, &options);
  site.answers = TRUE;
  net_client_tcp (&client, &site);
  const LkHandshakeClient munge = { .method = LK_AUTH_MUNGE, .kind = LK_PEER_USER };
  g_autoptr (LkHandshake) handshake = lk_handshake_client_new (&munge, hello, NULL);
  net_client_send (&client, hello->data, hello->len);
  g_assert_true (net_client_receive (&client, &message));
  g_assert_cmpint (lk_handshake_take (handshake, message, proof), ==, LK_HANDSHAKE_CREDENTIAL);
  g_autofree char *text =
      lk_munge_encode (munged.socket, lk_handshake_question (handshake), LK_MUNGE_ANYONE, NULL);
  const LkCredential credential = { .is_good = TRUE, .bytes = lk_bytes_of_text (text) };
  g_assert_cmpint (lk_handshake_credential (handshake, &credential, proof), ==, LK_HANDSHAKE_MORE);
  kill (munged.process, SIGSTOP);
  net_client_send (&client, proof->data, proof->len);
  for (guint i = 0; i < 10; i++)
    net_site_turn (&site);
  NetClient other;
  net_client_local (&other, &site);
  net_client_become (&other, LK_PEER_USER, NULL, NULL);
  net_client_send (&other, "on", 2);
  g_assert_true (net_client_receive (&other, &message));
  g_assert_cmpuint (net_site_counts (&site).attested_count, ==, 1);
  kill (munged.process, SIGCONT);
  g_assert_true (net_client_receive (&client, &message));
  g_assert_cmpuint (message.bytes[0], ==, LK_MESSAGE_WELCOME);
  net_client_clear (&client);
  net_client_clear (&other);
  net_site_clear (&site);
  munged_clear (&munged);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/munge/credential counts once, for its reader", test_credential);
  g_test_add_func ("/munge/says that it is not there", test_no_munged);
  g_test_add_func ("/munge/user is attested across TCP", test_user);
  g_test_add_func ("/munge/user of another cluster is refused", test_other_munged);
  g_test_add_func ("/munge/agent is attested across TCP", test_agent);
  g_test_add_func ("/munge/one that has stopped stops nobody else", test_stopped);
  return g_test_run ();
}
