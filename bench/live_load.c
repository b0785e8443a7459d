/* bench/live_load.c — see the header. */
#include "bench/live_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/checked.h"

/* As many wait at most for being connected and attested. */
#define OPENING_MAX 64u
#define COUNT_MAX 60000
#define ENVIRONMENT_MAX_BYTES (1 << 20)
#define JOB_COUNT_MAX 10000000
#define LIMIT_S_MAX 3600

/* ---------------------------------------------------------------- the crowd */

LiveClient *
live_crowd_client (const LiveCrowd *self, guint index)
{
  return (LiveClient *)(self->clients + index * self->client_bytes);
}

void
live_client_send (LiveClient *client, const LkMessage *message)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkPortNet net = lk_net_link_port (client->link);
  lk_message_encode (message, bytes);
  net.ops->send (net.self, 0, bytes->data, bytes->len);
}

static void
message_came (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  LiveClient *client = user;
  LkMessage message;
  (void)peer;
  if (lk_message_decode (bytes, length_bytes, &message))
    client->crowd->message (client, &message);
}

static void client_changed (gpointer user, gboolean is_connected, const char *why);

static gboolean
open_next (LiveCrowd *self, GError **error)
{
  LiveClient *client = live_crowd_client (self, self->opened_count);
  const char *const controllers[] = { self->options->controller, NULL };
  g_autofree char *node = live_node_name (self->options, self->opened_count);
  client->crowd = self;
  client->index = self->opened_count++;
  LkNetLinkOptions link = { .loop = self->loop,
                            .controllers = controllers,
                            .kind = self->kind,
                            .node = self->kind == LK_PEER_AGENT ? node : NULL,
                            .method = LK_AUTH_KEY,
                            .keyring = self->keyring,
                            .controller_user_id = (guint32)geteuid (),
                            .message = message_came,
                            .changed = client_changed,
                            .user = client };
  client->link = lk_net_link_new (&link, error);
  return client->link != NULL;
}

/* The next one comes when one is there. */
static void
client_changed (gpointer user, gboolean is_connected, const char *why)
{
  LiveClient *client = user;
  LiveCrowd *self = client->crowd;
  g_autoptr (GError) error = NULL;
  if (!is_connected) {
    fprintf (stderr, "live_load: connection %u: %s\n", client->index, why);
    self->lost_count++;
    self->connected_count -= client->is_connected ? 1 : 0;
    client->is_connected = FALSE;
    return;
  }
  client->is_connected = TRUE;
  self->connected_count++;
  if (self->opened_count < self->options->count && !open_next (self, &error))
    g_printerr ("live_load: %s\n", error->message);
  self->connected (client);
}

static void
limit_due (gpointer user)
{
  LiveCrowd *self = user;
  self->is_late = TRUE;
  lk_loop_quit (self->loop);
}

gboolean
live_crowd_open (LiveCrowd *self, const LiveOptions *options, GError **error)
{
  self->options = options;
  self->loop = lk_loop_new (error);
  if (self->loop == NULL)
    return FALSE;
  if (options->key != NULL) {
    self->keyring = lk_keyring_load (options->key, error);
    if (self->keyring == NULL)
      return FALSE;
  }
  self->clients = g_malloc0_n (options->count, self->client_bytes);
  self->limit = (LkLoopTimer){ .due = limit_due, .user = self };
  lk_loop_set_timer (self->loop, &self->limit,
                     lk_time_add_us (lk_loop_now_us (self->loop), options->limit_us));
  for (guint i = 0; i < MIN (OPENING_MAX, options->count); i++)
    if (!open_next (self, error))
      return FALSE;
  return TRUE;
}

void
live_crowd_close (LiveCrowd *self)
{
  for (guint i = 0; i < self->opened_count; i++)
    lk_net_link_free (live_crowd_client (self, i)->link);
  g_free (self->clients);
  if (self->keyring != NULL)
    lk_keyring_unref (self->keyring);
  if (self->loop != NULL)
    lk_loop_free (self->loop);
}

char *
live_node_name (const LiveOptions *options, guint index)
{
  return g_strdup_printf ("%s%05u", options->prefix, index);
}

double
live_cpu_s (void)
{
  struct rusage use;
  getrusage (RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec)
         + 1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* ---------------------------------------------------------------- the program */

typedef struct {
  char *controller;
  char *key;
  char *prefix;
  int count;
  int job_count;
  int environment_bytes;
  gboolean has_own_script;
  int limit_s;
} Arguments;

static gboolean
is_in_range (const Arguments *arguments)
{
  return arguments->controller != NULL && arguments->count >= 1 && arguments->count <= COUNT_MAX
         && arguments->job_count >= 1 && arguments->job_count <= JOB_COUNT_MAX
         && arguments->environment_bytes >= 0
         && arguments->environment_bytes <= ENVIRONMENT_MAX_BYTES && arguments->limit_s >= 1
         && arguments->limit_s <= LIMIT_S_MAX;
}

/* What is left of the arguments is the verb, and options of jobs. */
static gboolean
read_arguments (Arguments *out, int *argc, char ***argv, GError **error)
{
  GOptionEntry entries[] = {
    { "controller", 0, 0, G_OPTION_ARG_STRING, &out->controller, "its address", "ADDRESS" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &out->key, "of the cluster, by TCP", "FILE" },
    { "node-prefix", 0, 0, G_OPTION_ARG_STRING, &out->prefix, "before five digits", "NAME" },
    { "count", 0, 0, G_OPTION_ARG_INT, &out->count, "clients or agents", "N" },
    { "jobs", 0, 0, G_OPTION_ARG_INT, &out->job_count, "of all clients", "N" },
    { "environment", 0, 0, G_OPTION_ARG_INT, &out->environment_bytes, "of each job", "BYTES" },
    { "own-script", 0, 0, G_OPTION_ARG_NONE, &out->has_own_script, "for each job", NULL },
    { "limit", 0, 0, G_OPTION_ARG_INT, &out->limit_s, "ends then", "SECONDS" },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("submit|agents [-- OPTION-OF-SBATCH...]");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (is_in_range (out) && *argc >= 2)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "a verb and --controller are needed, and numbers in range");
  return FALSE;
}

static gboolean
run (const Arguments *arguments, char **words, GError **error)
{
  LiveOptions options = { .controller = arguments->controller,
                          .key = arguments->key,
                          .prefix = arguments->prefix != NULL ? arguments->prefix : "n",
                          .count = (guint)arguments->count,
                          .job_count = (guint)arguments->job_count,
                          .environment_bytes = (guint)arguments->environment_bytes,
                          .has_own_script = arguments->has_own_script,
                          .limit_us = arguments->limit_s * (gint64)G_USEC_PER_SEC,
                          .job_options = words + 1 };
  if (g_strcmp0 (words[1], "--") == 0)
    options.job_options++;
  if (g_str_equal (words[0], "submit"))
    return live_submit (&options, error);
  if (g_str_equal (words[0], "agents"))
    return live_agents (&options, error);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "no verb: '%s'", words[0]);
  return FALSE;
}

int
main (int argc, char **argv)
{
  Arguments arguments = { .count = 1, .job_count = 1, .limit_s = 300 };
  g_autoptr (GError) error = NULL;
  gboolean is_good =
      read_arguments (&arguments, &argc, &argv, &error) && run (&arguments, argv + 1, &error);
  if (!is_good)
    g_printerr ("live_load: %s\n", error->message);
  g_free (arguments.controller);
  g_free (arguments.key);
  g_free (arguments.prefix);
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
