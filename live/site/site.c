/* live/site/site.c — see the header. */
#include "live/site/site.h"

#include "live/core/batch.h"
#include "policies/registry.h"
#include "policies/spec.h"
#include "traces/accounts_open.h"
#include "traces/preempt_conf.h"
#include "traces/slurm_conf.h"
#include "traces/slurm_conf_backfill.h"
#include "traces/slurm_conf_keys.h"
#include "traces/slurm_conf_scheduler.h"

#define ACCOUNTS_FILE "accounts"
#define POLICY_SLURM "slurm"

struct _LkSite {
  LkSiteSettings settings;
  LkSlurmLines *lines;   /* of slurm.conf */
  LkSlurmImport *import; /* NULL: made from the header of a journal */
  LkAccounts *accounts;  /* NULL: none */
  LkRegistry *registry;
  LkSetup *setup;
  LkJournalHeader header;
  GPtrArray *warnings;
  gboolean users_may_top;
  guint64 script_max_bytes;
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

/* What is being read. */
typedef struct {
  const LkSiteOptions *options;
  LkFaults *faults;
  LkConfPairs conf; /* slurm.conf, read once, so that all readers see the same */
} Reading;

/* ---------------------------------------------------------------- errors */

static void
fault_take (LkFaults *faults, GError *error)
{
  if (error == NULL)
    return;
  lk_faults_add (faults, LK_FAULT_ERROR, error->message);
  g_error_free (error);
}

/* ---------------------------------------------------------------- files */

static void
machine_read (LkSite *self, Reading *reading)
{
  LkSlurmImportOptions options = { .conf_path = reading->options->conf_path,
                                   .faults = reading->faults,
                                   .lines = self->lines };
  self->import = lk_slurm_import_new (&options, NULL);
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

/* What slurm.conf says of accounts is looked at where there are none, too. */
static void
accounts_miss (Reading *reading)
{
  GError *error = NULL;
  g_autoptr (LkAccounts) none = lk_accounts_new (NULL);
  lk_accounts_apply_conf (none, &reading->conf, &error);
  fault_take (reading->faults, error);
}

static void
gres_count_in (LkAccounts *accounts, const LkNodeSpec *spec)
{
  for (guint i = 0; i < spec->gres->len; i++) {
    const LkGresSpec *gres = g_ptr_array_index (spec->gres, i);
    g_autofree char *name = g_strconcat ("gres/", gres->name, NULL);
    lk_accounts_add_tres (accounts, name);
  }
}

/* What sacctmgr begins with: root, the QOS that partitions name, and the GRES of nodes as TRES. */
static LkAccounts *
accounts_begin (const LkSite *self)
{
  LkAccountsError fault;
  const LkCluster *cluster = self->import != NULL ? lk_slurm_import_cluster (self->import) : NULL;
  LkAccounts *accounts = lk_accounts_new (NULL);
  for (guint i = 0; cluster != NULL && i < cluster->nodes->len; i++)
    gres_count_in (accounts, g_ptr_array_index (cluster->nodes, i));
  for (guint i = 0; cluster != NULL && i < cluster->partitions->len; i++) {
    const LkPartitionSpec *spec = g_ptr_array_index (cluster->partitions, i);
    if (spec->qos[0] != '\0' && lk_accounts_find_qos (accounts, spec->qos) == NULL)
      lk_accounts_add_qos (accounts, spec->qos);
  }
  if (lk_accounts_check (accounts, &fault))
    return accounts;
  lk_accounts_free (accounts);
  return NULL;
}

static void
accounts_read (LkSite *self, Reading *reading)
{
  GError *error = NULL;
  g_autofree char *path = accounts_path (reading->options);
  if (path != NULL) {
    lk_faults_note_file (reading->faults, path);
    self->accounts = lk_accounts_open_all (path, reading->faults, &error);
  } else if (!reading->options->runs_without_accounts) {
    self->accounts = accounts_begin (self);
  }
  if (self->accounts == NULL) {
    fault_take (reading->faults, error);
    accounts_miss (reading);
    return;
  }
  lk_accounts_apply_conf (self->accounts, &reading->conf, &error);
  if (error != NULL)
    fault_take (reading->faults, error);
  else if (reading->options->accounts_now != NULL) {
    g_autoptr (LkAccounts) read = g_steal_pointer (&self->accounts);
    self->accounts = lk_accounts_under (reading->options->accounts_now, read);
  }
}

/* ---------------------------------------------------------------- policies */

static char *
backfill_of (const LkSite *self, Reading *reading, GError **error)
{
  const LkPolicy *policy = lk_registry_find (self->registry, LK_SEAM_BACKFILL, POLICY_SLURM, error);
  LkSlurmOptionCheck check = { .expectation = lk_spec_expectation, .user = (gpointer)policy };
  return policy != NULL ? lk_slurm_conf_backfill_of (self->lines, &check, reading->faults, error)
                        : NULL;
}

/* What slurm.conf says (transfer full), or what is given instead. */
static char *
spec_settle (char *base, const char *given, GError *error, LkFaults *faults)
{
  if (base == NULL)
    fault_take (faults, error);
  if (base == NULL || given == NULL)
    return base;
  char *merged = lk_spec_merge (base, given);
  g_free (base);
  return merged;
}

static void
specs_read (const LkSite *self, Reading *reading, Specs *out)
{
  const LkSiteOptions *options = reading->options;
  GError *error = NULL;
  out->order = lk_slurm_conf_order_of (&reading->conf, &error);
  out->order = spec_settle (out->order, options->order, error, reading->faults);
  error = NULL;
  out->backfill = backfill_of (self, reading, &error);
  out->backfill = spec_settle (out->backfill, options->backfill, error, reading->faults);
  error = NULL;
  out->preempt = lk_slurm_conf_preempt_of (&reading->conf, &error);
  out->preempt = spec_settle (out->preempt, options->preempt, error, reading->faults);
  if (options->preempt == NULL && out->preempt != NULL && self->accounts == NULL
      && g_str_has_prefix (out->preempt, "qos")) {
    /* Nobody has a QOS. */
    g_free (out->preempt);
    out->preempt = g_strdup ("none");
  }
}

static void
registry_fill (LkSite *self, const LkSiteOptions *options, LkFaults *faults)
{
  self->registry = lk_registry_new ();
  for (guint i = 0; options->plugin_paths != NULL && options->plugin_paths[i] != NULL; i++) {
    GError *error = NULL;
    if (lk_registry_add_plugin (self->registry, options->plugin_paths[i], &error) == NULL)
      fault_take (faults, error);
  }
}

/* Tries a configuration. NULL, with what is wrong told: it is none. */
static LkSetup *
setup_try (const LkSite *self, Reading *reading, const LkSetupOptions *setup)
{
  GError *error = NULL;
  LkSetup *made = lk_setup_new (self->registry, setup, &error);
  if (made != NULL)
    return made;
  g_prefix_error (&error, "%s: ", reading->options->conf_path);
  fault_take (reading->faults, error);
  return NULL;
}

/* One thing after the other, with the plainest of all else, so that nothing hides another. */
static void
parts_try (const LkSite *self, Reading *reading, const LkSetupOptions *all)
{
  const LkSetupOptions plain = { .units_total = 1,
                                 .origin_us = LK_TIME_NEVER,
                                 .order = "fifo",
                                 .backfill = "none",
                                 .select = "pool" };
  LkSetupOptions parts[] = { plain, plain, plain, plain, plain };
  parts[0].order = all->order;
  parts[1].backfill = all->backfill;
  parts[2].preempt = all->preempt;
  parts[3].accounts = all->accounts;
  parts[4].cluster = all->cluster;
  parts[4].select = all->select;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].order != NULL && parts[i].backfill != NULL && parts[i].select != NULL)
      lk_setup_free (setup_try (self, reading, &parts[i]));
}

static void
setup_make (LkSite *self, Reading *reading, const Specs *specs, gboolean is_good)
{
  const LkSiteOptions *options = reading->options;
  const LkCluster *cluster = self->import != NULL ? lk_slurm_import_cluster (self->import) : NULL;
  const char *select = options->select != NULL ? options->select
                       : cluster != NULL       ? lk_setup_select_of (cluster)
                                               : NULL;
  LkSetupOptions setup = { .cluster = cluster,
                           .origin_us = LK_TIME_NEVER,
                           .order = specs->order,
                           .backfill = specs->backfill,
                           .select = select,
                           .accounts = self->accounts,
                           .preempt = specs->preempt,
                           .tells_standing = options->tells_standing,
                           .requeues_ended = TRUE,
                           .requeues_at_end = TRUE };
  if (is_good)
    self->setup = setup_try (self, reading, &setup);
  if (self->setup == NULL)
    parts_try (self, reading, &setup);
  else
    lk_setup_header (self->setup, lk_setup_config (self->setup)->cluster->name, &self->header);
}

/* ---------------------------------------------------------------- warnings */

/* Keys that are read for the policies, and told of elsewhere. */
static gboolean
is_scheduling (const char *key)
{
  return g_str_equal (key, "SchedulerType") || g_str_equal (key, "SchedulerParameters");
}

/* Is it a key of the whole file that Slurm has, and that nobody heeds here? */
static const LkSlurmKey *
unheeded_key (const LkSlurmPair *pair)
{
  const LkSlurmKey *key = lk_slurm_key_find (LK_SLURM_SCOPE_CONF, pair->key);
  gboolean is_unheeded = key != NULL && key->verdict == LK_SLURM_IGNORED
                         && !lk_site_settings_heed (key->name) && !is_scheduling (key->name);
  return is_unheeded ? key : NULL;
}

/* These keys, in one line. */
static void
keys_warn (const Reading *reading)
{
  g_autoptr (GString) unheeded = g_string_new (NULL);
  const GPtrArray *lines = reading->conf.lines->lines;
  for (guint i = 0; i < lines->len; i++) {
    const GPtrArray *line = g_ptr_array_index (lines, i);
    const LkSlurmPair *first = g_ptr_array_index (line, 0);
    gboolean is_global = lk_slurm_key_find (LK_SLURM_SCOPE_CONF, first->key) != NULL;
    for (guint j = 0; is_global && j < line->len; j++) {
      const LkSlurmKey *key = unheeded_key (g_ptr_array_index (line, j));
      if (key != NULL)
        g_string_append_printf (unheeded, "%s%s", unheeded->len > 0 ? ", " : "", key->name);
    }
  }
  if (unheeded->len == 0)
    return;
  g_string_prepend (unheeded, ": without effect here: ");
  g_string_prepend (unheeded, reading->options->conf_path);
  lk_faults_add (reading->faults, LK_FAULT_WARNING, unheeded->str);
}

static void
warnings_collect (LkSite *self, Reading *reading, const Specs *specs)
{
  gboolean is_slurm = specs->backfill != NULL && g_str_has_prefix (specs->backfill, POLICY_SLURM);
  g_autofree char *unheeded = lk_slurm_scheduler_unheeded_of (&reading->conf, is_slurm);
  if (unheeded != NULL)
    lk_faults_add (reading->faults, LK_FAULT_WARNING, unheeded);
  keys_warn (reading);
  lk_conf_pairs_tell_repeated (&reading->conf, reading->faults);
  lk_faults_append_messages (reading->faults, LK_FAULT_WARNING, self->warnings);
}

/* ---------------------------------------------------------------- the whole */

/* A longer script than LK_BATCH_SCRIPT_MAX_BYTES fits into no message. */
static void
script_size_read (LkSite *self, const LkConfPairs *conf, LkFaults *faults)
{
  GError *error = NULL;
  guint64 max_bytes = LK_BATCH_SCRIPT_MAX_BYTES;
  if (!lk_slurm_scheduler_number (conf, "max_script_size=", &max_bytes)) {
    const LkSlurmPair *pair = lk_conf_pairs_get (conf, "SchedulerParameters");
    lk_slurm_fail (&pair->place, &error,
                   "SchedulerParameters has '%s'; expected max_script_size as a whole number of "
                   "bytes, 1 or more",
                   pair->value);
    fault_take (faults, error);
  }
  self->script_max_bytes = MIN (max_bytes, LK_BATCH_SCRIPT_MAX_BYTES);
}

/* NULL: slurm.conf cannot be read at all. */
static LkSite *
site_begin (const LkSiteOptions *options, Reading *reading, LkFaults *faults)
{
  GError *error = NULL;
  *reading = (Reading){ .options = options, .faults = faults };
  LkSlurmLines *lines = lk_slurm_lines_read (options->conf_path, faults, &error);
  if (lines == NULL) {
    fault_take (faults, error);
    return NULL;
  }
  LkSite *self = g_new0 (LkSite, 1);
  self->lines = lines;
  lk_conf_pairs_init_all (&reading->conf, lines, faults);
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  registry_fill (self, options, faults);
  self->users_may_top = lk_slurm_scheduler_has (&reading->conf, "enable_user_top");
  script_size_read (self, &reading->conf, faults);
  lk_site_settings_read_all (&self->settings, options->conf_path, &reading->conf, faults);
  return self;
}

/* What was read; NULL, when something was wrong. */
static LkSite *
site_end (LkSite *self, Reading *reading)
{
  lk_conf_pairs_clear (&reading->conf);
  if (lk_faults_count (reading->faults, LK_FAULT_ERROR) == 0)
    return self;
  lk_site_free (self);
  return NULL;
}

LkSite *
lk_site_read (const LkSiteOptions *options, LkFaults *faults)
{
  Reading reading;
  g_auto (Specs) specs = { NULL };
  LkSite *self = site_begin (options, &reading, faults);
  if (self == NULL)
    return NULL;
  lk_site_settings_keys (options->conf_path, faults);
  machine_read (self, &reading);
  accounts_read (self, &reading);
  specs_read (self, &reading, &specs);
  setup_make (self, &reading, &specs, lk_faults_count (faults, LK_FAULT_ERROR) == 0);
  warnings_collect (self, &reading, &specs);
  return site_end (self, &reading);
}

LkSite *
lk_site_new (const LkSiteOptions *options, GPtrArray *errors)
{
  g_autoptr (LkFaults) faults = lk_faults_new ();
  LkSite *self = lk_site_read (options, faults);
  lk_faults_append_messages (faults, LK_FAULT_ERROR, errors);
  return self;
}

LkSite *
lk_site_new_from_header (const LkSiteOptions *options, const LkJournalHeader *header,
                         GPtrArray *errors)
{
  Reading reading;
  GError *error = NULL;
  g_autoptr (LkFaults) faults = lk_faults_new ();
  LkSite *self = site_begin (options, &reading, faults);
  if (self != NULL) {
    self->setup = lk_setup_new_from_header (self->registry, header, &error);
    fault_take (faults, error);
    if (self->setup != NULL)
      lk_setup_header (self->setup, lk_setup_config (self->setup)->cluster->name, &self->header);
    self = site_end (self, &reading);
  }
  lk_faults_append_messages (faults, LK_FAULT_ERROR, errors);
  return self;
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
  lk_slurm_lines_free (self->lines);
  if (self->settings.folders != NULL)
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

guint64
lk_site_script_max_bytes (const LkSite *self)
{
  return self->script_max_bytes;
}
