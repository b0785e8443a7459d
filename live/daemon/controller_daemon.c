/* live/daemon/controller_daemon.c — see the header. */
#include "live/daemon/controller_daemon.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/daemon/accounting_child.h"
#include "live/daemon/daemon.h"
#include "live/daemon/daemon_site.h"
#include "live/daemon/journal_beginning.h"
#include "live/daemon/log.h"
#include "live/daemon/notify.h"
#include "live/daemon/site_port.h"
#include "live/port/port_clock_os.h"
#include "live/port/port_disk_os.h"
#include "live/port/port_net_os.h"
#include "live/port/term_key.h"
#include "live/port/token_claims.h"

typedef struct {
  const LkControllerDaemonOptions *options;
  LkDaemon daemon;
  LkClockOs clock;
  LkDiskOs *disk;
  LkNetOs *net;
  GBytes *token_key; /* NULL: no tokens */
  LkKey term_key;
  LkController *core;
  LkSite *beginning; /* as the journal began; NULL: there is none yet */
  LkSitePort site;
  LkAccountingChild accounting;
  gboolean is_over;
} Controller;

/* ---------------------------------------------------------------- what stops it */

static gboolean
is_worth_again (LkControllerFailure failure)
{
  return failure == LK_CONTROLLER_DISK_FAILED;
}

static int
tell_failure (Controller *self, LkControllerFailure failure)
{
  const char *disk = lk_disk_os_failure (self->disk);
  if (disk != NULL)
    lk_log (LK_LOG_FATAL, "%s", disk);
  lk_log (LK_LOG_FATAL, "the controller %s: %s", self->core != NULL ? "stops" : "does not start",
          lk_controller_failure_text (failure));
  lk_notify ("STATUS=%s", lk_controller_failure_text (failure));
  return is_worth_again (failure) ? LK_DAEMON_EXIT_FAILURE : LK_DAEMON_EXIT_REFUSED;
}

/* After each call of the core: it may not be able to go on. */
static void
look (Controller *self)
{
  LkControllerFailure failure = lk_controller_failure (self->core);
  if (failure == LK_CONTROLLER_OK || self->is_over)
    return;
  self->is_over = TRUE;
  lk_daemon_end (&self->daemon, tell_failure (self, failure));
}

/* ---------------------------------------------------------------- the port that may come later */

/* As long as the core is not open nobody can connect, so that nobody speaks unheard. */
static gboolean
send_to (void *user, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  const Controller *self = user;
  if (self->net == NULL)
    return TRUE;
  LkPortNet net = lk_net_os_port (self->net);
  return net.ops->send (net.self, peer, bytes, length_bytes);
}

static void
cut (void *user, LkPeerId peer)
{
  const Controller *self = user;
  if (self->net == NULL)
    return;
  LkPortNet net = lk_net_os_port (self->net);
  net.ops->cut (net.self, peer);
}

static const LkPortNetOps net_ops = { .size = sizeof (LkPortNetOps), .send = send_to, .cut = cut };

/* ---------------------------------------------------------------- what the ports call */

static void
on_message (gpointer user, const LkPeer *peer, const guint8 *bytes, gsize length_bytes)
{
  Controller *self = user;
  if (self->is_over)
    return;
  lk_controller_message (self->core, peer, bytes, length_bytes);
  look (self);
}

static void
on_disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Controller *self = user;
  if (self->is_over)
    return;
  lk_controller_disk_done (self->core, token, has_succeeded);
  look (self);
}

/* Everything that is acknowledged waits for it. */
static void
on_disk_slow (gpointer user, const char *name, gint64 took_us)
{
  const Controller *self = user;
  lk_log (LK_LOG_ERROR,
          "slow disk: writing '%s/%s' took %" G_GINT64_FORMAT " ms; more than %" G_GINT64_FORMAT
          " ms delays every job (LK_DISK_OS_SLOW_US)",
          self->options->directory, name, took_us / 1000, LK_DISK_OS_SLOW_US / 1000);
}

static void
on_woken (gpointer user)
{
  Controller *self = user;
  if (self->is_over)
    return;
  lk_controller_woken (self->core);
  look (self);
}

/* What has come in this turn is one instant. */
static void
on_turn_ended (gpointer user)
{
  Controller *self = user;
  while (!self->is_over && lk_controller_settle (self->core))
    look (self);
  if (!self->is_over)
    look (self);
}

static void
on_note (gpointer user, const char *text)
{
  (void)user;
  lk_log (LK_LOG_INFO, "network: %s", text);
}

/* ---------------------------------------------------------------- keys */

/* FALSE: there should be a key, and it cannot be read. */
static gboolean
load_token_key (Controller *self, GError **error)
{
  if (self->options->token_path == NULL)
    return TRUE;
  GBytes *key = lk_token_key_load (self->options->token_path, error);
  if (key == NULL)
    return FALSE;
  g_clear_pointer (&self->token_key, g_bytes_unref);
  self->token_key = key;
  return TRUE;
}

static void
reload_token_key (Controller *self)
{
  g_autoptr (GError) error = NULL;
  if (!load_token_key (self, &error))
    lk_log (LK_LOG_ERROR, "the key of tokens stays as it is: %s", error->message);
  else if (self->net != NULL)
    lk_net_os_set_token_key (self->net, self->token_key);
}

static char *
token_sign (void *user, const char *name, guint64 life_s)
{
  const Controller *self = user;
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  gint64 end_s = life_s == 0 ? G_MAXINT32 : now_s + (gint64)MIN (life_s, G_MAXINT32);
  if (self->token_key == NULL)
    return NULL;
  g_autofree char *token = lk_token_make (self->token_key, name, now_s, end_s);
  return strlen (token) <= LK_TOKEN_MAX_BYTES ? g_steal_pointer (&token) : NULL;
}

static const LkPortTokenOps token_ops = { .size = sizeof (LkPortTokenOps), .sign = token_sign };

/* Behind SIGHUP: a key that cannot be read leaves the old ones. */
static void
on_reload (gpointer user)
{
  Controller *self = user;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) keyring = NULL;
  if (!lk_daemon_load_keys (self->options->key_path, &keyring, &error))
    lk_log (LK_LOG_ERROR, "the keys stay as they are: %s", error->message);
  else if (keyring != NULL && self->net != NULL) {
    lk_net_os_set_keyring (self->net, keyring);
    lk_log (LK_LOG_INFO, "the keys were read anew");
  }
  reload_token_key (self);
}

/* Behind SIGUSR1. */
static void
on_reconfigure (gpointer user)
{
  const Controller *self = user;
  if (self->net != NULL && !self->is_over)
    lk_controller_reconfigure (self->core);
}

/* ---------------------------------------------------------------- beginning and end */

/* /run is empty after each boot, and only systemd or a package makes a directory there.  Where it
 * cannot be made, the socket's error says so. */
static void
make_run_directory (const char *socket)
{
  g_autofree char *directory = g_path_get_dirname (LK_DAEMON_SOCKET);
  if (socket != NULL && strcmp (socket, LK_DAEMON_SOCKET) == 0 && g_mkdir (directory, 0755) == 0
      && chmod (directory, 0755) != 0)
    lk_log (LK_LOG_ERROR, "the mode of '%s' cannot be set: %s", directory, g_strerror (errno));
}

static gboolean
open_net (Controller *self, GError **error)
{
  const LkControllerDaemonOptions *options = self->options;
  g_autoptr (LkKeyring) keyring = NULL;
  if (!lk_daemon_load_keys (self->options->key_path, &keyring, error)
      || !load_token_key (self, error))
    return FALSE;
  LkNetOsOptions net = { .loop = self->daemon.loop,
                         .trusted_user_id = (guint32)geteuid (),
                         .socket = options->socket,
                         .addresses = options->addresses,
                         .keyring = keyring,
                         .accepts_munge = options->accepts_munge,
                         .munge_socket = options->munge_socket,
                         .token_key = self->token_key,
                         .token_read = lk_token_claims_read,
                         .message = on_message,
                         .note = on_note,
                         .user = self };
  make_run_directory (options->socket);
  self->net = lk_net_os_new (&net, error);
  return self->net != NULL;
}

/* All but the network. Who has the lock may touch the disk, and later the socket. */
static gboolean
open_ports (Controller *self, GError **error)
{
  const char *directory = self->options->directory;
  if (!lk_daemon_take_directory (&self->daemon, directory, error))
    return FALSE;
  lk_clock_os_init (&self->clock, self->daemon.loop, on_woken, self);
  self->disk = lk_disk_os_new (self->daemon.loop, directory, on_disk_done, self, error);
  if (self->disk != NULL)
    lk_disk_os_report_slow (self->disk, on_disk_slow);
  return self->disk != NULL && lk_term_key_load (directory, &self->term_key, error);
}

/* The configuration that the journal began with, whatever the files say now. FALSE: there is a
 * journal, and that is not to be had here. */
static gboolean
read_beginning (Controller *self, LkControllerConfig *config)
{
  LkJournalHeader header;
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GByteArray) bytes = lk_journal_beginning_read (lk_disk_os_port (self->disk), &header);
  if (bytes == NULL)
    return TRUE;
  self->beginning = lk_site_new_from_header (self->options->site, &header, errors);
  for (guint i = 0; i < errors->len; i++)
    lk_log (LK_LOG_FATAL, "%s", (const char *)g_ptr_array_index (errors, i));
  if (self->beginning == NULL)
    return FALSE;
  config->engine = lk_site_engine (self->beginning);
  config->header = lk_site_header (self->beginning);
  return TRUE;
}

static void
skip_launch (Controller *self)
{
  guint32 job_id = self->options->skip_launch;
  if (job_id == 0)
    return;
  if (lk_controller_skip_launch (self->core, job_id))
    lk_log (LK_LOG_INFO, "job %u is not launched again: it will be held", job_id);
  else
    lk_log (LK_LOG_ERROR, "--skip-launch: job %u is not running: nothing to skip", job_id);
}

static int
begin_core (Controller *self)
{
  LkControllerFailure failure;
  LkControllerConfig config = *self->options->core;
  if (!read_beginning (self, &config))
    return tell_failure (self, LK_CONTROLLER_JOURNAL_OTHER);
  LkControllerPorts ports = { .clock = lk_clock_os_port (&self->clock),
                              .net = { &net_ops, self },
                              .disk = lk_disk_os_port (self->disk),
                              .site = lk_site_port (&self->site),
                              .token = { &token_ops, self },
                              .term = lk_term_key_port (&self->term_key),
                              .log = lk_log_port () };
  self->core = lk_controller_new (&config, &ports, self->options->term, &failure);
  if (self->core == NULL)
    return tell_failure (self, failure);
  lk_log (LK_LOG_INFO, "begins in '%s', term %" G_GUINT64_FORMAT ", event %" G_GUINT64_FORMAT,
          self->options->directory, lk_controller_term (self->core),
          lk_controller_durable_seq (self->core));
  skip_launch (self);
  return LK_DAEMON_EXIT_OK;
}

static void
begin_accounting (Controller *self)
{
  const LkControllerDaemonOptions *options = self->options;
  const LkAccountingChild given = { .directory = options->directory,
                                    .database = options->accounting,
                                    .plugins = options->plugins,
                                    .mail_program = options->mail_program,
                                    .mail_domain = options->mail_domain };
  if (options->accounting != NULL)
    lk_accounting_child_init (&self->accounting, self->daemon.loop, &given);
  else if (options->mail_program != NULL)
    lk_log (LK_LOG_ERROR, "no mail is sent: MailProg needs accounting");
}

/* Until the start is durable, or there is none. */
static void
wait_open (Controller *self)
{
  while (!lk_controller_is_open (self->core) && !self->daemon.is_ending)
    lk_loop_turn (self->daemon.loop, LK_TIME_NEVER);
}

/* What the files say now comes into force before anybody is heard. FALSE: it cannot. */
static gboolean
settle_site (Controller *self)
{
  if (self->daemon.is_ending)
    return TRUE;
  lk_controller_reconfigure (self->core);
  while (!self->site.is_settled && !self->daemon.is_ending)
    lk_loop_turn (self->daemon.loop, 0);
  if (self->daemon.is_ending || self->site.is_in_force)
    return TRUE;
  lk_log (LK_LOG_FATAL,
          "the controller does not start: what runs and waits in '%s' needs the "
          "configuration that it has",
          self->options->directory);
  return FALSE;
}

static int
fail (const GError *error)
{
  lk_log (LK_LOG_FATAL, "the controller does not start: %s", error->message);
  return lk_daemon_exit_code (error);
}

static int
run (Controller *self)
{
  g_autoptr (GError) error = NULL;
  if (!open_ports (self, &error))
    return fail (error);
  int exit_code = begin_core (self);
  if (exit_code != LK_DAEMON_EXIT_OK)
    return exit_code;
  lk_loop_set_turn_ended (self->daemon.loop, on_turn_ended, self);
  wait_open (self);
  if (!settle_site (self))
    return LK_DAEMON_EXIT_USAGE;
  if (!self->daemon.is_ending && !open_net (self, &error))
    return fail (error);
  if (!self->daemon.is_ending && self->options->socket != NULL)
    lk_notify (LK_NOTIFY_LISTENS "%s", self->options->socket);
  if (!self->daemon.is_ending)
    begin_accounting (self);
  lk_log_started ();
  exit_code = lk_daemon_run (&self->daemon);
  if (self->net != NULL)
    lk_net_os_flush (self->net);
  return exit_code;
}

int
lk_controller_daemon_run (const LkControllerDaemonOptions *options)
{
  Controller self = { .options = options };
  g_autoptr (GError) error = NULL;
  if (!lk_daemon_init (&self.daemon, on_reload, &self, &error)) {
    lk_log (LK_LOG_FATAL, "the controller does not start: %s", error->message);
    return LK_DAEMON_EXIT_FAILURE;
  }
  lk_daemon_hear_reconfigure (&self.daemon, on_reconfigure);
  lk_site_port_init (&self.site, options->site, options->log);
  self.site.in_force = on_reload;
  self.site.user = &self;
  int exit_code = run (&self);
  lk_controller_free (self.core);
  lk_site_port_clear (&self.site);
  lk_site_free (self.beginning);
  lk_net_os_free (self.net);
  lk_disk_os_free (self.disk);
  /* Behind the disk: all of the journal is there. */
  lk_accounting_child_clear (&self.accounting);
  if (self.clock.loop != NULL)
    lk_clock_os_clear (&self.clock);
  lk_daemon_clear (&self.daemon);
  g_clear_pointer (&self.token_key, g_bytes_unref);
  lk_log_end ();
  lk_log (LK_LOG_INFO, "has ended, exit status %d", exit_code);
  return exit_code;
}
