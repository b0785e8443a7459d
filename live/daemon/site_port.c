/* live/daemon/site_port.c — see the header. */
#include "live/daemon/site_port.h"

#include "engine/assert.h"
#include "live/daemon/log.h"
#include "live/site/settings_values.h"

#define SECOND_US ((gint64)G_USEC_PER_SEC)
/* Slurm asks its nodes every third of SlurmdTimeout. */
#define HEARTBEATS_PER_TIMEOUT 3
#define HEARTBEAT_MAX_US (30 * SECOND_US)
/* One node that does not come back must not hold up a whole cluster that was restarted. */
#define REGISTRATION_WAIT_MAX_US (30 * SECOND_US)

static LkPortSiteBounds
bounds_of (const LkSite *site)
{
  const LkSiteSettings *settings = lk_site_settings (site);
  LkSiteBounds said;
  g_autofree char *word = NULL;
  gboolean is_read = lk_site_bounds_read (settings->controller_parameters, &said, &word);
  LK_ASSERT (is_read); /* lk_site_bounds_check has reported it otherwise */
  return (LkPortSiteBounds){
    .job_max_count = settings->job_max_count,
    .script_max_bytes = lk_site_script_max_bytes (site),
    .user_payload_max_bytes = said.user_payload_mib << 20,
    .payload_max_bytes = said.payload_mib << 20,
    .rate_bucket_count = said.has_rate ? (guint32)said.bucket_count : 0,
    .rate_refill_count = (guint32)said.refill_count,
    .rate_period_s = (guint32)said.period_s,
    .rate_table_count = (guint32)said.table_count,
  };
}

LkPortSiteWays
lk_site_port_ways (const LkSite *site)
{
  const LkSiteSettings *settings = lk_site_settings (site);
  gint64 timeout_us = settings->node_timeout_us;
  return (LkPortSiteWays){
    .heartbeat_us = CLAMP (timeout_us / HEARTBEATS_PER_TIMEOUT, SECOND_US, HEARTBEAT_MAX_US),
    .node_timeout_us = timeout_us,
    .registration_wait_us = MIN (timeout_us, REGISTRATION_WAIT_MAX_US),
    .kill_wait_us = settings->kill_wait_us,
    .users_may_top = lk_site_users_may_top (site),
    .keeps_silent_down = settings->return_to_service == LK_SITE_RETURN_NEVER,
    .keeps_rebooted_down = settings->return_to_service != LK_SITE_RETURN_ANY,
    .returns_all = settings->return_to_service == LK_SITE_RETURN_ANY,
    .hides_journal = settings->private_data[0] != '\0'
                     && g_ascii_strcasecmp (settings->private_data, "none") != 0,
    .bounds = bounds_of (site),
  };
}

static gboolean
read_files (void *user, const LkAccounts *accounts, LkPortSiteRead *out_read, GPtrArray *problems)
{
  LkSitePort *self = user;
  LkSiteOptions options = self->options;
  options.accounts_now = accounts;
  options.runs_without_accounts = accounts == NULL;
  g_clear_pointer (&self->site, lk_site_free);
  self->site = lk_site_new (&options, problems);
  if (self->site == NULL)
    return FALSE;
  *out_read =
      (LkPortSiteRead){ .header = lk_site_header (self->site),
                        .engine = lk_site_engine (self->site),
                        .ways = lk_site_port_ways (self->site),
                        .settings = lk_site_settings_digest (lk_site_settings (self->site)) };
  return TRUE;
}

static void
value_note (gpointer user, const char *key, const char *value)
{
  g_ptr_array_add (user, g_strconcat (key, "=", value, NULL));
}

/* Keys of the daemons whose values have changed; the core logs what changes of the machine. */
static void
log_changes (LkSitePort *self)
{
  GPtrArray *values = g_ptr_array_new_with_free_func (g_free);
  lk_site_settings_each (lk_site_settings (self->site), value_note, values);
  for (guint i = 0; self->values != NULL && i < values->len; i++)
    if (!g_ptr_array_find_with_equal_func (self->values, g_ptr_array_index (values, i), g_str_equal,
                                           NULL))
      lk_log (LK_LOG_INFO, "reconfigure: changed %s", (const char *)g_ptr_array_index (values, i));
  g_clear_pointer (&self->values, g_ptr_array_unref);
  self->values = values;
}

static void
follow (LkSitePort *self)
{
  const LkSiteSettings *settings = lk_site_settings (self->site);
  g_autoptr (GError) error = NULL;
  const char *log = self->log != NULL ? self->log : settings->controller_log;
  if (!lk_log_open (log, settings->controller_log_level, &error))
    lk_log (LK_LOG_ERROR, "the log stays where it is: %s", error->message);
  log_changes (self);
  const GPtrArray *warnings = lk_site_warnings (self->site);
  for (guint i = 0; i < warnings->len; i++)
    lk_log (LK_LOG_INFO, "warning: %s", (const char *)g_ptr_array_index (warnings, i));
  lk_log (LK_LOG_INFO, "the configuration was read anew, and is in force");
}

static void
settled (void *user, gboolean is_in_force, const GPtrArray *problems)
{
  LkSitePort *self = user;
  self->is_settled = TRUE;
  self->is_in_force = is_in_force;
  if (is_in_force) {
    follow (self);
    if (self->in_force != NULL)
      self->in_force (self->user);
    return;
  }
  for (guint i = 0; i < problems->len; i++)
    lk_log (LK_LOG_ERROR, "%s", (const char *)g_ptr_array_index (problems, i));
  lk_log (LK_LOG_ERROR, "the configuration as it was read is refused");
}

static const LkPortSiteOps ops = { .size = sizeof (LkPortSiteOps),
                                   .read = read_files,
                                   .settled = settled };

void
lk_site_port_init (LkSitePort *self, const LkSiteOptions *options, const char *log)
{
  *self = (LkSitePort){ .options = *options, .log = log };
}

void
lk_site_port_clear (LkSitePort *self)
{
  g_clear_pointer (&self->site, lk_site_free);
  g_clear_pointer (&self->values, g_ptr_array_unref);
}

LkPortSite
lk_site_port (LkSitePort *self)
{
  return (LkPortSite){ &ops, self };
}
