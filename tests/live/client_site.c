/* tests/live/client_site.c — see the header. */
#include "tests/live/client_site.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/client/commands.h"

/* ---------------------------------------------------------------- users without a name */

/* The ids of the tests' users (CONTROL_USER and its neighbours) have no name, whatever accounts the
 * machine has: commands under test call these functions instead of libc's. */
static gboolean
is_test_id (guint32 id)
{
  return id >= CONTROL_USER && id < CONTROL_USER + 100;
}

struct passwd *
getpwuid (uid_t user_id)
{
  static struct passwd entry;
  static char room[16384];
  struct passwd *found = NULL;
  if (!is_test_id (user_id))
    errno = getpwuid_r (user_id, &entry, room, sizeof room, &found);
  return found;
}

struct group *
getgrgid (gid_t group_id)
{
  static struct group entry;
  static char room[65536];
  struct group *found = NULL;
  if (!is_test_id (group_id))
    errno = getgrgid_r (group_id, &entry, room, sizeof room, &found);
  return found;
}

/* ---------------------------------------------------------------- the way to the controller */

static gboolean
is_reachable (const ClientSite *self, GError **error)
{
  if (!self->is_down)
    return TRUE;
  g_set_error_literal (error, g_quark_from_static_string ("client-site"), 1,
                       "Unable to contact slurm controller (connect failure)");
  return FALSE;
}

/* Asks, and gives the answer, which holds until the next one. */
static gboolean
ask (ClientSite *self, const LkMessage *message, LkMessageKind kind, LkMessage *out, GError **error)
{
  LkPeer peer = control_user (self->client.user_id);
  if (!is_reachable (self, error))
    return FALSE;
  self->request_count++;
  control_forget_sent (self->control);
  control_message (self->control, &peer, message);
  control_settle (self->control);
  g_assert_true (control_sent (self->control, peer.id, kind, 0, out));
  return TRUE;
}

static gboolean
wire_request (gpointer data, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  ClientSite *self = data;
  LkMessage answer;
  /* All requests begin alike. */
  request->hold.session = self->session;
  request->hold.request = ++self->request;
  if (!ask (self, request, LK_MESSAGE_REPLY, &answer, error))
    return FALSE;
  *out_reply = answer.reply;
  return TRUE;
}

static gboolean
wire_exchange (gpointer data, LkMessage *request, void (*take) (gpointer, const LkMessage *),
               gpointer user, GError **error)
{
  ClientSite *self = data;
  LkMessage answer;
  LkMessageKind kind =
      request->kind == LK_MESSAGE_STEP_CREATE ? LK_MESSAGE_STEP_CREATED : LK_MESSAGE_STEP_REPLY;
  request->step_signal.session = self->session;
  request->step_signal.request = ++self->request;
  if (!ask (self, request, kind, &answer, error))
    return FALSE;
  take (user, &answer);
  return TRUE;
}

static gboolean
wire_page (gpointer data, LkMessage *query, void (*take) (gpointer, const LkMessage *),
           gpointer user, GError **error)
{
  LkMessage answer;
  if (!ask (data, query, LK_MESSAGE_STATE_PAGE, &answer, error))
    return FALSE;
  take (user, &answer);
  return TRUE;
}

static gboolean
wire_ping (gpointer data, GError **error)
{
  return is_reachable (data, error);
}

static gboolean
wire_reconfigure (gpointer data, LkMessage_reconfigure *asked,
                  void (*take) (gpointer, const LkMessage_reconfigured *), gpointer user,
                  GError **error)
{
  LkMessage question = { .kind = LK_MESSAGE_RECONFIGURE, .reconfigure = *asked };
  LkMessage answer;
  if (!ask (data, &question, LK_MESSAGE_RECONFIGURED, &answer, error))
    return FALSE;
  take (user, &answer.reconfigured);
  return TRUE;
}

static gboolean
wire_reset (gpointer data, guint16 *out_error, GError **error)
{
  LkMessage question = { .kind = LK_MESSAGE_STATISTICS_RESET };
  LkMessage answer;
  if (!ask (data, &question, LK_MESSAGE_STATISTICS_WERE_RESET, &answer, error))
    return FALSE;
  *out_error = answer.statistics_were_reset.error;
  return TRUE;
}

static gboolean
wire_log_level (gpointer data, guint8 level, guint16 *out_error, GError **error)
{
  LkMessage question = { .kind = LK_MESSAGE_LOG_LEVEL, .log_level = { .level = level } };
  LkMessage answer;
  if (!ask (data, &question, LK_MESSAGE_LOG_LEVEL_SET, &answer, error))
    return FALSE;
  *out_error = answer.log_level_set.error;
  return TRUE;
}

static const LkClientWire wire = { .request = wire_request,
                                   .exchange = wire_exchange,
                                   .page = wire_page,
                                   .ping = wire_ping,
                                   .reconfigure = wire_reconfigure,
                                   .reset = wire_reset,
                                   .log_level = wire_log_level };

/* ---------------------------------------------------------------- commands */

static char *environment[] = { (char *)"HOME=/users/ada", (char *)"PATH=/bin", NULL };

ClientSite *
client_site_new (void)
{
  static const ControlOptions options = { .snapshot_events = 1000000, .session_count_max = 100 };
  ClientSite *self = g_new0 (ClientSite, 1);
  self->control = control_site_new (&options);
  self->session = 77;
  self->client = (LkClient){ .wire = &wire,
                             .wire_self = self,
                             .environment = environment,
                             .work_dir = "/users/ada",
                             .host = "login",
                             .now_us = self->control->realtime_us };
  control_start_all (self->control);
  client_site_become (self, CONTROL_USER);
  return self;
}

void
client_site_free (ClientSite *self)
{
  control_site_free (self->control);
  g_free (self->out);
  g_free (self->err);
  g_free (self);
}

void
client_site_become (ClientSite *self, guint32 user_id)
{
  self->client.user_id = self->client.group_id = user_id;
  self->client.user_name = user_id == 0 ? "root" : "ada";
  self->client.group_name = self->client.user_name;
  self->session++;
  self->request = 0;
}

int
client_site_run (ClientSite *self, const char *line)
{
  gsize out_bytes;
  gsize err_bytes;
  g_auto (GStrv) argv = NULL;
  int argc;
  g_assert_true (g_shell_parse_argv (line, &argc, &argv, NULL));
  const LkClientCommand *command = lk_client_command_find (argv[0]);
  g_assert_nonnull (command);
  g_clear_pointer (&self->out, g_free);
  g_clear_pointer (&self->err, g_free);
  self->client.command = argv[0];
  self->client.now_us = self->control->realtime_us;
  self->client.out = open_memstream (&self->out, &out_bytes);
  self->client.err = open_memstream (&self->err, &err_bytes);
  self->client.in = tmpfile ();
  if (self->input != NULL)
    fputs (self->input, self->client.in);
  rewind (self->client.in);
  /* A command moves its arguments about. */
  g_autofree char **moved = g_memdup2 (argv, (gsize)(argc + 1) * sizeof (char *));
  int code = command->run (&self->client, argc, moved);
  fclose (self->client.in);
  fclose (self->client.out);
  fclose (self->client.err);
  return code;
}

void
client_site_expect (ClientSite *self, const char *line, int code, const char *out, const char *err)
{
  int found = client_site_run (self, line);
  g_test_message ("%s", line);
  g_assert_cmpstr (self->err, ==, err);
  g_assert_cmpstr (self->out, ==, out);
  g_assert_cmpint (found, ==, code);
}

void
client_site_last_event (ClientSite *self, LkEvent *out_event)
{
  LkJournalHeader header;
  const char *fault;
  LkEvent event;
  const GByteArray *journal = control_file (self->control, LK_CONTROLLER_JOURNAL);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    if (event.kind != LK_EVENT_PASS && event.kind != LK_EVENT_TIMER)
      *out_event = event;
}
