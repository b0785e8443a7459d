/* live/client/contact.c — see the header. */
#include "live/client/contact.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "live/client/ask_reconfigure.h"
#include "live/client/connection.h"
#include "live/port/auth_munge.h"
#include "live/port/error.h"
#include "live/site/settings.h"

struct _LkContact {
  LkConnection *connection;
  GPtrArray *controllers; /* of char *, ends with NULL */
  char *conf_path;        /* NULL: none */
  LkSiteSettings site;    /* of lk_contact_tell_site, when */
  gboolean has_site;
  char *plugstack;    /* likewise; NULL: not yet */
  char *key_file;     /* NULL: not by key */
  char *munge_socket; /* NULL: the usual one */
  guint64 question;   /* number of the last one */
};

/* ---------------------------------------------------------------- sockets */

/* The configuration beside a socket, unless another one is named. */
static void
conf_beside (LkContact *self, const char *folder)
{
  if (self->conf_path == NULL)
    self->conf_path = g_build_filename (folder, "lockstep.conf", NULL);
}

static gboolean
socket_try (LkContact *self, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, LK_CONTACT_SOCKET, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return FALSE;
  g_ptr_array_add (self->controllers, g_steal_pointer (&path));
  conf_beside (self, folder);
  return TRUE;
}

/* Beside the file that names the cluster. */
static gboolean
socket_try_beside (LkContact *self, const char *conf_path)
{
  g_autofree char *folder = g_path_get_dirname (conf_path);
  return socket_try (self, folder);
}

/* TRUE: one is there, or has been named. */
static gboolean
socket_find (LkContact *self)
{
  const char *named = g_getenv ("LOCKSTEP_DIR");
  if (named != NULL && *named != '\0') {
    g_ptr_array_add (self->controllers, g_build_filename (named, LK_CONTACT_SOCKET, NULL));
    conf_beside (self, named);
    return TRUE;
  }
  const char *conf_path = g_getenv ("SLURM_CONF");
  if (conf_path != NULL && *conf_path != '\0')
    return socket_try_beside (self, conf_path);
  g_autofree char *own = g_build_filename (g_get_user_state_dir (), "lockstep", NULL);
  return socket_try (self, own) || socket_try (self, LK_CONTACT_RUN_DIR);
}

/* ---------------------------------------------------------------- a site's hosts */

/* The value of a word of AuthInfo; NULL. Returns: (transfer full). */
static char *
auth_word (const char *info, const char *name)
{
  g_auto (GStrv) words = g_strsplit (info, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (g_str_has_prefix (words[i], name))
      return g_strdup (words[i] + strlen (name));
  return NULL;
}

/* Is this the machine of a controller?  The names up to their first dots are compared. */
static gboolean
is_here (const LkSiteSettings *settings)
{
  const char *own = g_get_host_name ();
  gsize own_bytes = strcspn (own, ".");
  for (guint i = 0; settings->controller_hosts[i] != NULL; i++) {
    const char *entry = settings->controller_hosts[i];
    g_autofree char *name = g_strndup (entry, strcspn (entry, ".("));
    if (g_ascii_strcasecmp (name, "localhost") == 0
        || (strlen (name) == own_bytes && g_ascii_strncasecmp (name, own, own_bytes) == 0))
      return TRUE;
  }
  return settings->controller_hosts[0] == NULL;
}

static void
hosts_take (LkContact *self, const LkSiteSettings *settings)
{
  if (is_here (settings) && socket_try (self, LK_CONTACT_RUN_DIR))
    return;
  for (guint i = 0; settings->controller_hosts[i] != NULL; i++) {
    g_autofree char *name = NULL;
    g_autofree char *address = NULL;
    if (!lk_site_host_split (settings->controller_hosts[i], &name, &address))
      continue;
    gboolean is_v6 = strchr (address, ':') != NULL;
    g_ptr_array_add (self->controllers, g_strdup_printf (is_v6 ? "[%s]:%u" : "%s:%u", address,
                                                         settings->controller_port));
  }
}

static void
options_fill (LkContact *self, const LkSiteSettings *settings, LkConnectionOptions *out)
{
  const struct passwd *runner = getpwnam (settings->slurm_user);
  g_autofree char *folder = g_path_get_dirname (self->conf_path);
  out->method = settings->auth == LK_SITE_AUTH_KEY ? LK_AUTH_KEY : LK_AUTH_MUNGE;
  out->message_max_us = settings->message_timeout_us;
  if (runner != NULL)
    out->controller_user_id = runner->pw_uid;
  self->munge_socket = auth_word (settings->auth_info, "socket=");
  self->key_file = auth_word (settings->auth_info, "key=");
  if (self->key_file == NULL)
    self->key_file = g_build_filename (folder, "lockstep.key", NULL);
  /* That of the site is the administrators'; a user has one that speaks for him only. */
  if (access (self->key_file, R_OK) != 0) {
    g_free (self->key_file);
    self->key_file = g_build_filename (g_get_user_config_dir (), "lockstep", "lockstep.key", NULL);
  }
  out->munge_socket = self->munge_socket;
  out->key_file = self->key_file;
  const char *of_job = g_getenv ("LOCKSTEP_JOB_KEY");
  out->job_key_file = of_job != NULL && *of_job != '\0' ? of_job : NULL;
}

/* FALSE: there is a configuration, and it is wrong. */
static gboolean
site_read (LkContact *self, LkConnectionOptions *out, GError **error)
{
  LkSiteSettings settings;
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  if (self->conf_path == NULL)
    return TRUE;
  if (!lk_site_settings_read (&settings, self->conf_path, errors)) {
    g_set_error_literal (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, g_ptr_array_index (errors, 0));
    return FALSE;
  }
  hosts_take (self, &settings);
  options_fill (self, &settings, out);
  lk_site_settings_clear (&settings);
  return TRUE;
}

/* ---------------------------------------------------------------- the contact */

static char *
conf_find (void)
{
  const char *named = g_getenv ("SLURM_CONF");
  if (named != NULL && *named != '\0')
    return g_strdup (named);
  return access (LK_CONTACT_CONF, R_OK) == 0 ? g_strdup (LK_CONTACT_CONF) : NULL;
}

LkContact *
lk_contact_new (GError **error)
{
  g_autoptr (LkContact) self = g_new0 (LkContact, 1);
  LkConnectionOptions options = { .method = LK_AUTH_KEY, .controller_user_id = LK_MUNGE_ANYONE };
  self->controllers = g_ptr_array_new_with_free_func (g_free);
  self->conf_path = conf_find ();
  if (!socket_find (self) && !site_read (self, &options, error))
    return NULL;
  /* Where there is nothing, this is where it is missed. */
  if (self->controllers->len == 0)
    g_ptr_array_add (self->controllers,
                     g_build_filename (LK_CONTACT_RUN_DIR, LK_CONTACT_SOCKET, NULL));
  g_ptr_array_add (self->controllers, NULL);
  const char *token = g_getenv ("SLURM_JWT");
  options.token = token != NULL && *token != '\0' ? token : NULL;
  options.controllers = (const char *const *)self->controllers->pdata;
  self->connection = lk_connection_new (&options);
  return g_steal_pointer (&self);
}

void
lk_contact_free (LkContact *self)
{
  if (self == NULL)
    return;
  lk_connection_free (self->connection);
  if (self->has_site)
    lk_site_settings_clear (&self->site);
  g_ptr_array_unref (self->controllers);
  g_free (self->conf_path);
  g_free (self->plugstack);
  g_free (self->key_file);
  g_free (self->munge_socket);
  g_free (self);
}

const char *
lk_contact_conf_path (const LkContact *self)
{
  return self->conf_path;
}

void
lk_contact_tell_site (LkContact *self, LkClient *client)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  if (!self->has_site && self->conf_path != NULL)
    self->has_site = lk_site_settings_read (&self->site, self->conf_path, errors);
  if (!self->has_site)
    return;
  client->propagate_limits = self->site.propagate_limits;
  client->propagate_limits_except = self->site.propagate_limits_except;
  client->root_jobs_disabled = self->site.root_jobs_disabled;
  if (self->plugstack == NULL)
    self->plugstack = lk_site_plugstack_path (&self->site, self->conf_path);
  client->plugstack = self->plugstack;
}

void
lk_contact_tell_user (LkContact *self, LkClient *client)
{
  if (!lk_connection_user (self->connection, &client->user_id, &client->group_id))
    return;
  const struct passwd *user = getpwuid ((uid_t)client->user_id);
  client->user_name = user != NULL ? g_intern_string (user->pw_name) : "";
  const struct group *group = getgrgid ((gid_t)client->group_id);
  client->group_name = group != NULL ? g_intern_string (group->gr_name) : "";
}

/* ---------------------------------------------------------------- the wire */

static gboolean
wire_request (gpointer data, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  LkContact *self = data;
  return lk_connection_request (self->connection, request, out_reply, error);
}

static gboolean
wire_exchange (gpointer data, LkMessage *request, void (*take) (gpointer, const LkMessage *),
               gpointer user, GError **error)
{
  LkContact *self = data;
  return lk_connection_exchange (self->connection, request, take, user, error);
}

typedef struct {
  guint64 question;
  void (*take) (gpointer, const LkMessage *);
  gpointer user;
} Page;

static LkAnswer
page_answer (gpointer user, const LkMessage *message)
{
  Page *self = user;
  /* Nothing has come yet when the question is asked again. */
  if (message == NULL || message->kind != LK_MESSAGE_STATE_PAGE
      || message->state_page.request != self->question)
    return LK_ANSWER_OTHER;
  self->take (self->user, message);
  return LK_ANSWER_LAST;
}

static gboolean
wire_page (gpointer data, LkMessage *query, void (*take) (gpointer, const LkMessage *),
           gpointer user, GError **error)
{
  LkContact *self = data;
  Page page = { ++self->question, take, user };
  query->state_query.request = self->question;
  return lk_connection_ask (self->connection, query, page_answer, &page, error);
}

static gboolean
wire_ping (gpointer data, GError **error)
{
  LkContact *self = data;
  return lk_connection_open (self->connection, error);
}

static gboolean
wire_reconfigure (gpointer data, LkMessage_reconfigure *question,
                  void (*take) (gpointer, const LkMessage_reconfigured *), gpointer user,
                  GError **error)
{
  LkContact *self = data;
  question->request = ++self->question;
  return lk_ask_reconfigure (self->connection, question, take, user, error);
}

static void
seq_take (gpointer user, const LkMessage *message)
{
  guint64 *seq = user;
  *seq = message->state_page.seq;
}

/* Of the fewest records that there are. */
static gboolean
wire_seq (gpointer data, gint64 max_us, guint64 *out_seq)
{
  LkContact *self = data;
  LkMessage query = { .kind = LK_MESSAGE_STATE_QUERY,
                      .state_query = { .request = ++self->question,
                                       .record = LK_RECORD_CONTROLLER } };
  Page page = { self->question, seq_take, out_seq };
  return lk_connection_ask_soon (self->connection, &query, max_us, page_answer, &page);
}

typedef struct {
  guint64 question;
  guint16 error;
} Reset;

static LkAnswer
reset_answer (gpointer user, const LkMessage *message)
{
  Reset *self = user;
  if (message == NULL || message->kind != LK_MESSAGE_STATISTICS_WERE_RESET
      || message->statistics_were_reset.request != self->question)
    return LK_ANSWER_OTHER;
  self->error = message->statistics_were_reset.error;
  return LK_ANSWER_LAST;
}

static gboolean
wire_reset (gpointer data, guint16 *out_error, GError **error)
{
  LkContact *self = data;
  Reset reset = { ++self->question, 0 };
  LkMessage message = { .kind = LK_MESSAGE_STATISTICS_RESET };
  message.statistics_reset.request = reset.question;
  if (!lk_connection_ask (self->connection, &message, reset_answer, &reset, error))
    return FALSE;
  *out_error = reset.error;
  return TRUE;
}

static LkAnswer
log_level_answer (gpointer user, const LkMessage *message)
{
  Reset *self = user;
  if (message == NULL || message->kind != LK_MESSAGE_LOG_LEVEL_SET
      || message->log_level_set.request != self->question)
    return LK_ANSWER_OTHER;
  self->error = message->log_level_set.error;
  return LK_ANSWER_LAST;
}

static gboolean
wire_log_level (gpointer data, guint8 level, guint16 *out_error, GError **error)
{
  LkContact *self = data;
  Reset asked = { ++self->question, 0 };
  LkMessage message = { .kind = LK_MESSAGE_LOG_LEVEL };
  message.log_level = (LkMessage_log_level){ .request = asked.question, .level = level };
  if (!lk_connection_ask (self->connection, &message, log_level_answer, &asked, error))
    return FALSE;
  *out_error = asked.error;
  return TRUE;
}

typedef struct {
  guint64 question;
  guint16 error;
  GString *out;
} Token;

static LkAnswer
token_answer (gpointer user, const LkMessage *message)
{
  Token *self = user;
  if (message == NULL || message->kind != LK_MESSAGE_TOKEN_SIGNED
      || message->token_signed.request != self->question)
    return LK_ANSWER_OTHER;
  self->error = message->token_signed.error;
  g_string_append_len (self->out, message->token_signed.token.bytes,
                       message->token_signed.token.length_bytes);
  return LK_ANSWER_LAST;
}

static gboolean
wire_token (gpointer data, const LkClientTokenWish *wish, guint16 *out_error, GString *out_token,
            GError **error)
{
  LkContact *self = data;
  Token token = { ++self->question, 0, out_token };
  LkMessage message = { .kind = LK_MESSAGE_TOKEN_SIGN };
  message.token_sign = (LkMessage_token_sign){ .request = token.question,
                                               .user = { wish->user, (guint16)strlen (wish->user) },
                                               .life_s = wish->life_s };
  if (!lk_connection_ask (self->connection, &message, token_answer, &token, error))
    return FALSE;
  *out_error = token.error;
  return TRUE;
}

/* With the number that wire_page will give it. */
static void
wire_ahead (gpointer data, LkMessage *query)
{
  const LkContact *self = data;
  query->state_query.request = self->question + 1;
  lk_connection_send_ahead (self->connection, query);
}

static gpointer
wire_again (gconstpointer before)
{
  LkContact *self = lk_contact_new (NULL);
  if (self != NULL && before != NULL)
    lk_connection_follow (self->connection, ((const LkContact *)before)->connection);
  return self;
}

const LkClientWire lk_contact_wire = { wire_request,     wire_exchange, wire_page,     wire_ping,
                                       wire_reconfigure, wire_reset,    wire_ahead,    wire_again,
                                       wire_seq,         wire_token,    wire_log_level };
