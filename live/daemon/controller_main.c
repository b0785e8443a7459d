/* live/daemon/controller_main.c — lockstepd, also called as `lockstep controller`: reads the
 * configuration and runs the controller. */
#include <malloc.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/checked.h"
#include "engine/course.h"
#include "live/accounting/store.h"
#include "live/daemon/controller_daemon.h"
#include "live/daemon/daemon.h"
#include "live/daemon/daemon_site.h"
#include "live/daemon/log.h"
#include "live/daemon/site_port.h"
#include "traces/option_context.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)

#define RETRY_US SECOND_US
/* Slurm's name for the key of tokens where AuthAltParameters names none. */
#define TOKEN_KEY "jwt_hs256.key"
/* Reading so many events anew takes about a second. */
#define SNAPSHOT_EVENTS 100000u
#define SESSION_COUNT_MAX 65536u

typedef struct {
  char *conf;
  char *directory;
  char *socket;
  char **addresses;
  gboolean is_local;
  char *log;
  char *pid_file;
  gint64 term;
  gint64 skip_launch;
  char *order;
  char *backfill;
  char *select;
  char *preempt;
  char *accounts;
  char **plugins;
  char *accounting;
  char *mail_program;
  gboolean is_check;
  gboolean is_version;
} Options;

static void
options_clear (Options *self)
{
  char *texts[] = { self->conf,  self->directory, self->socket, self->log,     self->pid_file,
                    self->order, self->backfill,  self->select, self->preempt, self->accounts };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_strfreev (self->addresses);
  g_strfreev (self->plugins);
  g_free (self->accounting);
  g_free (self->mail_program);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
options_parse (Options *self, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "conf", 'f', 0, G_OPTION_ARG_FILENAME, &self->conf,
      "the slurm.conf; else $SLURM_CONF, else " LK_DAEMON_CONF_DEFAULT, "FILE" },
    { "dir", 'd', 0, G_OPTION_ARG_FILENAME, &self->directory,
      "journal and snapshots; else StateSaveLocation", "DIR" },
    { "socket", 's', 0, G_OPTION_ARG_FILENAME, &self->socket,
      "the local socket; else " LK_DAEMON_SOCKET, "PATH" },
    { "listen", 'a', 0, G_OPTION_ARG_STRING_ARRAY, &self->addresses,
      "an address for agents and remote clients, may be repeated; else SlurmctldPort on all",
      "HOST:PORT" },
    { "local", 0, 0, G_OPTION_ARG_NONE, &self->is_local, "the local socket only", NULL },
    { "log", 'L', 0, G_OPTION_ARG_FILENAME, &self->log,
      "the log; else SlurmctldLogFile, else standard error", "FILE" },
    { "pid-file", 0, 0, G_OPTION_ARG_FILENAME, &self->pid_file,
      "a file with the number of the process; else SlurmctldPidFile, else none", "FILE" },
    { "term", 0, 0, G_OPTION_ARG_INT64, &self->term,
      "begin with this fencing token, which puts off every controller with a lower one", "N" },
    { "skip-launch", 0, 0, G_OPTION_ARG_INT64, &self->skip_launch,
      "never launch the present run of this job again: it ends, and the job is held", "JOB" },
    { "accounts", 0, 0, G_OPTION_ARG_FILENAME, &self->accounts,
      "accounts and QOS; else the file `accounts` beside slurm.conf", "FILE" },
    { "order", 0, 0, G_OPTION_ARG_STRING, &self->order, "instead of PriorityType", "POLICY" },
    { "backfill", 0, 0, G_OPTION_ARG_STRING, &self->backfill, "instead of SchedulerType",
      "POLICY" },
    { "select", 0, 0, G_OPTION_ARG_STRING, &self->select, "instead of SelectType", "POLICY" },
    { "preempt", 0, 0, G_OPTION_ARG_STRING, &self->preempt, "instead of PreemptType", "POLICY" },
    { "accounting", 0, 0, G_OPTION_ARG_FILENAME, &self->accounting,
      "what sacct reads; empty: none; else accounting.sqlite beside --dir", "FILE" },
    { "mail-program", 0, 0, G_OPTION_ARG_FILENAME, &self->mail_program,
      "sends mail; empty: none is sent; else MailProg", "PROGRAM" },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugins,
      "a shared object with a policy, may be repeated", "FILE" },
    { "check", 0, 0, G_OPTION_ARG_NONE, &self->is_check,
      "only tell whether the configuration is good", NULL },
    { "version", 'V', 0, G_OPTION_ARG_NONE, &self->is_version, "print the version", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL }
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (context, "The controller of a cluster: decides, and keeps the "
                                         "journal. See docs/operator.md.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!lk_option_context_parse (context, &argc, &argv, error))
    return FALSE;
  if (argc > 1)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "unexpected argument '%s'",
                 argv[1]);
  else if (self->term < 0 || self->term > LK_CONTROLLER_TERM_MAX)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--term is not from 1 to 4294967295");
  else if (self->skip_launch < 0 || self->skip_launch > G_MAXUINT32)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--skip-launch: %" G_GINT64_FORMAT " is not a job id", self->skip_launch);
  else
    return TRUE;
  return FALSE;
}

static void
core_config (const LkSite *site, const LkSiteTokens *tokens, LkControllerConfig *out_config)
{
  LkPortSiteWays ways = lk_site_port_ways (site);
  *out_config = (LkControllerConfig){
    .engine = lk_site_engine (site),
    .header = lk_site_header (site),
    .administrator_user_id = (guint32)geteuid (),
    .heartbeat_us = ways.heartbeat_us,
    .node_timeout_us = ways.node_timeout_us,
    .registration_wait_us = ways.registration_wait_us,
    .retry_us = RETRY_US,
    .kill_wait_us = ways.kill_wait_us,
    .tokens_are_trusted = tokens->are_trusted,
    .token_life_max_s = tokens->life_max_s,
    .users_may_top = ways.users_may_top,
    .keeps_silent_down = ways.keeps_silent_down,
    .keeps_rebooted_down = ways.keeps_rebooted_down,
    .returns_all = ways.returns_all,
    .hides_journal = ways.hides_journal,
    .bounds = ways.bounds,
    .pass_delay_us = LK_PASS_DELAY_US,
    .snapshot_events = SNAPSHOT_EVENTS,
    .session_count_max = SESSION_COUNT_MAX,
  };
}

/* Where it listens by TCP. Returns: (transfer full), or NULL: nowhere. */
static char **
tcp_addresses (const Options *options, const LkSiteSettings *settings)
{
  if (options->is_local)
    return NULL;
  if (options->addresses != NULL)
    return g_strdupv (options->addresses);
  char *all = g_strdup_printf ("0.0.0.0:%u", settings->controller_port);
  char **addresses = g_new0 (char *, 2);
  addresses[0] = all;
  return addresses;
}

/* Others may read it: it is beside the folder of the journal, which they may not enter.  Where they
 * could write, /tmp say, it is in that folder. */
static char *
accounting_path (const Options *options, const char *directory)
{
  struct stat found;
  if (options->accounting != NULL)
    return g_strdup (options->accounting);
  g_autofree char *whole = g_canonicalize_filename (directory, NULL);
  g_autofree char *above = g_path_get_dirname (whole);
  gboolean is_ours = stat (above, &found) == 0 && found.st_uid == geteuid ()
                     && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return g_build_filename (is_ours ? above : whole, LK_ACCOUNTING_FILE, NULL);
}

static int
run_site (const Options *options, const LkSite *site, const LkSiteOptions *site_options)
{
  const char *conf_path = site_options->conf_path;
  const LkSiteSettings *settings = lk_site_settings (site);
  LkControllerConfig core;
  LkSiteTokens tokens = { NULL };
  /* What was read was found to be good. */
  lk_site_tokens_read (settings->auth_alt_parameters, &tokens);
  core_config (site, &tokens, &core);
  g_auto (GStrv) addresses = tcp_addresses (options, settings);
  g_autofree char *key_path = lk_daemon_key_path (settings, conf_path);
  g_autofree char *munge_socket = lk_daemon_munge_socket (settings);
  const char *directory = options->directory != NULL ? options->directory : settings->state_dir;
  g_autofree char *token_path =
      tokens.key != NULL ? tokens.key : g_build_filename (directory, TOKEN_KEY, NULL);
  g_autofree char *accounting = accounting_path (options, directory);
  const char *mail_program =
      options->mail_program != NULL ? options->mail_program : settings->mail_program;
  gboolean has_tcp = addresses != NULL;
  LkControllerDaemonOptions daemon = {
    .core = &core,
    .site = site_options,
    .log = options->log,
    .term = (guint64)options->term,
    .skip_launch = (guint32)options->skip_launch,
    .directory = directory,
    .socket = options->socket != NULL ? options->socket : LK_DAEMON_SOCKET,
    .addresses = (const char *const *)addresses,
    .key_path = has_tcp && settings->auth == LK_SITE_AUTH_KEY ? key_path : NULL,
    .accepts_munge = has_tcp && settings->auth == LK_SITE_AUTH_MUNGE,
    .munge_socket = munge_socket,
    .token_path = settings->auth_alt == LK_SITE_AUTH_ALT_JWT ? token_path : NULL,
    .accounting = accounting[0] != '\0' ? accounting : NULL,
    .mail_program = mail_program[0] != '\0' ? mail_program : NULL,
    .mail_domain = settings->mail_domain,
    .plugins = (const char *const *)options->plugins,
  };
  lk_log (LK_LOG_INFO, "lockstepd version " LK_ENGINE_VERSION " started on cluster %s",
          settings->cluster_name);
  return lk_controller_daemon_run (&daemon);
}

/* What --check can see beside the files. */
static void
warn_of_system (const Options *options, const LkSiteSettings *settings, const char *conf_path)
{
  g_autofree char *key_path = lk_daemon_key_path (settings, conf_path);
  g_autoptr (LkKeyring) keyring = NULL;
  g_autoptr (GError) error = NULL;
  if (getpwnam (settings->slurm_user) == NULL)
    lk_log (LK_LOG_INFO, "warning: SlurmUser: this machine has no user '%s'", settings->slurm_user);
  if (!options->is_local && settings->auth == LK_SITE_AUTH_KEY
      && !lk_daemon_load_keys (key_path, &keyring, &error))
    lk_log (LK_LOG_INFO, "warning: %s", error->message);
}

static int
run (const Options *options)
{
  const char *conf_path = lk_daemon_conf_path (options->conf);
  g_autoptr (GError) error = NULL;
  LkSiteOptions site_options = { .conf_path = conf_path,
                                 .accounts_path = options->accounts,
                                 .plugin_paths = options->plugins,
                                 .order = options->order,
                                 .backfill = options->backfill,
                                 .select = options->select,
                                 .preempt = options->preempt,
                                 .tells_standing = FALSE };
  g_autoptr (LkSite) site = lk_daemon_site_read (&site_options);
  if (site == NULL)
    return LK_DAEMON_EXIT_USAGE;
  if (options->is_check) {
    warn_of_system (options, lk_site_settings (site), conf_path);
    printf ("%s: good\n", conf_path);
    return LK_DAEMON_EXIT_OK;
  }
  const LkSiteSettings *settings = lk_site_settings (site);
  const char *log = options->log != NULL ? options->log : settings->controller_log;
  if (!lk_log_open (log, settings->controller_log_level, &error)) {
    lk_log (LK_LOG_FATAL, "%s", error->message);
    return LK_DAEMON_EXIT_FAILURE;
  }
  lk_daemon_write_pid_file (options->pid_file != NULL ? options->pid_file
                                                      : settings->controller_pid_file);
  return run_site (options, site, &site_options);
}

/* Large tables that grow move as a whole and leave no holes behind, and what was a snapshot goes
 * back to the system: by itself the C library would learn from the first one not to do so.  Pages
 * of answers, which come and go, are below. */
#define LARGE_BYTES (4 * 1024 * 1024)

int
main (int argc, char **argv)
{
  mallopt (M_MMAP_THRESHOLD, LARGE_BYTES);
  mallopt (M_TRIM_THRESHOLD, LARGE_BYTES);
  g_auto (Options) options = { NULL };
  g_autoptr (GError) error = NULL;
  g_set_prgname ("lockstepd");
  if (!options_parse (&options, argc, argv, &error)) {
    fprintf (stderr, "lockstepd: %s\n", error->message);
    return LK_DAEMON_EXIT_USAGE;
  }
  if (options.is_version) {
    lk_daemon_print_version (argv[0], "lockstepd");
    return LK_DAEMON_EXIT_OK;
  }
  return run (&options);
}
