/* live/site/site.c — see the header. */
#include "live/site/site.h"

#include "policies/registry.h"
#include "policies/spec.h"
#include "traces/accounts_open.h"
#include "traces/preempt_conf.h"
#include "traces/slurm_conf.h"
#include "traces/slurm_conf_backfill.h"
#include "traces/slurm_conf_scheduler.h"

#define ACCOUNTS_FILE "accounts"
#define POLICY_SLURM "slurm"

struct _LkSite {
  LkSiteSettings settings;
  LkSlurmImport *import; /* NULL: made from the header of a journal */
  LkAccounts *accounts;  /* NULL: none */
  LkRegistry *registry;
  LkSetup *setup;
  LkJournalHeader header;
  GPtrArray *warnings;
  gboolean users_may_top;
};

/* Specifications of policies, as text. */
typedef struct {
  char *order;
  char *backfill;
  char *preempt;
} Specs;

static void
specs_clear (Specs *self)
{
  g_free (self->order);
  g_free (self->backfill);
  g_free (self->preempt);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Specs, specs_clear)

/* ---------------------------------------------------------------- errors */

/* Two readers may find the same fault. */
static void
error_add (GPtrArray *errors, const char *message)
{
  for (guint i = 0; i < errors->len; i++)
    if (g_str_equal (g_ptr_array_index (errors, i), message))
      return;
  g_ptr_array_add (errors, g_strdup (message));
}

static void
error_take (GPtrArray *errors, GError *error)
{
  error_add (errors, error->message);
  g_error_free (error);
}

/* ---------------------------------------------------------------- files */

static void
machine_read (LkSite *self, const char *conf_path, GPtrArray *errors)
{
  g_autoptr (GPtrArray) faults = g_ptr_array_new_with_free_func (g_free);
  LkSlurmImportOptions options = { .conf_path = conf_path, .faults = faults };
  self->import = lk_slurm_import_new (&options, NULL);
  for (guint i = 0; i < faults->len; i++)
    error_add (errors, g_ptr_array_index (faults, i));
}

/* The file that is named, or the one beside slurm.conf. Returns: (transfer full), or NULL. */
static char *
accounts_path (const LkSiteOptions *options)
{
  if (options->accounts_path != NULL)
    return g_strdup (options->accounts_path);
  g_autofree char *folder = g_path_get_dirname (options->conf_path);
  char *path = g_build_filename (folder, ACCOUNTS_FILE, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  return NULL;
}

static void
accounts_read (LkSite *self, const LkSiteOptions *options, GPtrArray *errors)
{
  GError *error = NULL;
  g_autofree char *path = accounts_path (options);
  if (path == NULL)
    return;
  self->accounts = lk_accounts_open (path, &error);
  if (self->accounts != NULL)
    lk_accounts_apply_slurm_conf (self->accounts, options->conf_path, &error);
  if (error != NULL)
    error_take (errors, error);
  else if (options->accounts_now != NULL) {
    g_autoptr (LkAccounts) read = g_steal_pointer (&self->accounts);
    self->accounts = lk_accounts_under (options->accounts_now, read);
  }
}

/* ---------------------------------------------------------------- policies */

static char *
backfill_of (const LkSite *self, const char *conf_path, GError **error)
{
  const LkPolicy *policy = lk_registry_find (self->registry, LK_SEAM_BACKFILL, POLICY_SLURM, error);
  LkSlurmOptionCheck check = { .expectation = lk_spec_expectation, .user = (gpointer)policy };
  return policy != NULL ? lk_slurm_conf_backfill (conf_path, &check, error) : NULL;
}

/* What slurm.conf says (transfer full), or what is given instead. */
static char *
spec_settle (char *base, const char *given, GError *error, GPtrArray *errors)
{
  if (base == NULL)
    error_take (errors, error);
  if (base == NULL || given == NULL)
    return base;
  char *merged = lk_spec_merge (base, given);
  g_free (base);
  return merged;
}

static void
specs_read (const LkSite *self, const LkSiteOptions *options, Specs *out, GPtrArray *errors)
{
  const char *path = options->conf_path;
  GError *error = NULL;
  out->order = lk_slurm_conf_order (path, &error);
  out->order = spec_settle (out->order, options->order, error, errors);
  error = NULL;
  out->backfill = backfill_of (self, path, &error);
  out->backfill = spec_settle (out->backfill, options->backfill, error, errors);
  error = NULL;
  out->preempt = lk_slurm_conf_preempt (path, &error);
  out->preempt = spec_settle (out->preempt, options->preempt, error, errors);
  if (options->preempt == NULL && out->preempt != NULL && self->accounts == NULL
      && g_str_has_prefix (out->preempt, "qos")) {
    /* Nobody has a QOS. */
    g_free (out->preempt);
    out->preempt = g_strdup ("none");
  }
}

/* Placement as Slurm has it on this machine. */
static const char *
select_of (const LkCluster *cluster)
{
  if (cluster->consume == LK_CONSUME_NODE)
    return "linear";
  return cluster->topology != LK_TOPOLOGY_FLAT ? "topology" : "cons_tres";
}

static void
registry_fill (LkSite *self, const LkSiteOptions *options, GPtrArray *errors)
{
  self->registry = lk_registry_new ();
  for (guint i = 0; options->plugin_paths != NULL && options->plugin_paths[i] != NULL; i++) {
    GError *error = NULL;
    if (lk_registry_add_plugin (self->registry, options->plugin_paths[i], &error) == NULL)
      error_take (errors, error);
  }
}

static void
setup_make (LkSite *self, const LkSiteOptions *options, const Specs *specs, GPtrArray *errors)
{
  GError *error = NULL;
  const LkCluster *cluster = lk_slurm_import_cluster (self->import);
  LkSetupOptions setup = { .cluster = cluster,
                           .origin_us = LK_TIME_NEVER,
                           .order = specs->order,
                           .backfill = specs->backfill,
                           .select =
                               options->select != NULL ? options->select : select_of (cluster),
                           .accounts = self->accounts,
                           .preempt = specs->preempt,
                           .tells_standing = options->tells_standing,
                           .requeues_ended = TRUE };
  self->setup = lk_setup_new (self->registry, &setup, &error);
  if (self->setup == NULL) {
    g_prefix_error (&error, "%s: ", options->conf_path);
    error_take (errors, error);
    return;
  }
  lk_setup_header (self->setup, cluster->name, &self->header);
}

/* ---------------------------------------------------------------- warnings */

/* Keys that are read for the policies, and told of elsewhere. */
static gboolean
is_scheduling (const char *key)
{
  return g_str_equal (key, "SchedulerType") || g_str_equal (key, "SchedulerParameters");
}

/* Keys that nobody knows, and, in one line, those that nobody heeds. */
static void
keys_warn (LkSite *self, const char *conf_path)
{
  const GPtrArray *rows = lk_slurm_import_report (self->import);
  g_autoptr (GString) unheeded = g_string_new (NULL);
  for (guint i = 0; i < rows->len; i++) {
    const LkSlurmRow *row = g_ptr_array_index (rows, i);
    if (row->verdict != LK_SLURM_IGNORED || row->line_number == 0
        || lk_site_settings_heed (row->key) || is_scheduling (row->key))
      continue;
    if (g_str_has_prefix (row->how, "unknown key"))
      g_ptr_array_add (self->warnings, g_strdup_printf ("%s:%u: %s: %s", row->file,
                                                        row->line_number, row->key, row->how));
    else if (*row->record == '\0')
      g_string_append_printf (unheeded, "%s%s", unheeded->len > 0 ? ", " : "", row->key);
  }
  if (unheeded->len > 0)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%s: without effect here: %s", conf_path, unheeded->str));
}

static void
warnings_collect (LkSite *self, const LkSiteOptions *options, const Specs *specs)
{
  gboolean is_slurm = g_str_has_prefix (specs->backfill, POLICY_SLURM);
  char *options_unheeded = lk_slurm_scheduler_unheeded (options->conf_path, is_slurm);
  if (options_unheeded != NULL)
    g_ptr_array_add (self->warnings, options_unheeded);
  keys_warn (self, options->conf_path);
  lk_site_settings_warn (options->conf_path, self->warnings);
}

/* ---------------------------------------------------------------- the whole */

static LkSite *
site_alloc (const LkSiteOptions *options, GPtrArray *errors)
{
  LkSite *self = g_new0 (LkSite, 1);
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  registry_fill (self, options, errors);
  self->users_may_top = lk_slurm_scheduler_has (options->conf_path, "enable_user_top");
  lk_site_settings_read (&self->settings, options->conf_path, errors);
  return self;
}

LkSite *
lk_site_new (const LkSiteOptions *options, GPtrArray *errors)
{
  guint before = errors->len;
  g_auto (Specs) specs = { NULL };
  g_autoptr (LkSite) self = site_alloc (options, errors);
  machine_read (self, options->conf_path, errors);
  accounts_read (self, options, errors);
  specs_read (self, options, &specs, errors);
  if (errors->len > before)
    return NULL;
  setup_make (self, options, &specs, errors);
  if (errors->len > before)
    return NULL;
  warnings_collect (self, options, &specs);
  return g_steal_pointer (&self);
}

LkSite *
lk_site_new_from_header (const LkSiteOptions *options, const LkJournalHeader *header,
                         GPtrArray *errors)
{
  guint before = errors->len;
  GError *error = NULL;
  g_autoptr (LkSite) self = site_alloc (options, errors);
  self->setup = lk_setup_new_from_header (self->registry, header, &error);
  if (self->setup == NULL)
    error_take (errors, error);
  if (errors->len > before)
    return NULL;
  lk_setup_header (self->setup, lk_setup_config (self->setup)->cluster->name, &self->header);
  return g_steal_pointer (&self);
}

void
lk_site_free (LkSite *self)
{
  if (self == NULL)
    return;
  lk_setup_free (self->setup);
  lk_registry_free (self->registry);
  lk_accounts_free (self->accounts);
  lk_slurm_import_free (self->import);
  lk_site_settings_clear (&self->settings);
  g_ptr_array_unref (self->warnings);
  g_free (self);
}

const LkEngineConfig *
lk_site_engine (const LkSite *self)
{
  return lk_setup_config (self->setup);
}

const LkJournalHeader *
lk_site_header (const LkSite *self)
{
  return &self->header;
}

const LkSiteSettings *
lk_site_settings (const LkSite *self)
{
  return &self->settings;
}

gboolean
lk_site_users_may_top (const LkSite *self)
{
  return self->users_may_top;
}

const GPtrArray *
lk_site_warnings (const LkSite *self)
{
  return self->warnings;
}

GPtrArray *
lk_site_gpu_files (const LkSite *self, const char *node, const LkNodeSpec *spec)
{
  if (self->import == NULL)
    return g_ptr_array_new_with_free_func (g_free);
  return lk_slurm_import_device_files (self->import, node, spec, "gpu");
}
