/* policies/setup.c — an engine's configuration from specifications (see registry.h).
 *
 * Every policy is resolved into an Instance: the vtable, its parameters' values, and the
 * canonical text of both. A trial `create` tells at once, in the policy's own words, what it
 * does not like about its parameters. The backfill policy's parameter of type order, of which
 * there is at most one, becomes an instance of its own; its canonical text in parentheses is the
 * parameter's value.
 *
 * Invariant: equal configurations have equal canonical texts and so equal digests. */
#include <string.h>

#include "engine/assert.h"
#include "engine/limits.h"
#include "engine/journal.h"
#include "policies/registry.h"
#include "policies/spec.h"

/* One policy with its parameters. */
typedef struct {
  const LkPolicy *policy; /* NULL: none */
  guint count;
  LkParamValue *values;
  char **texts;    /* what text values point to; `count` of them */
  char *canonical; /* NAME or NAME:key=value,... */
} Instance;

struct _LkSetup {
  LkEngineConfig config;
  LkConfigMaker maker;
  LkCluster *cluster;    /* NULL: a counted pool */
  GString *cluster_text; /* canonical; empty for a pool */
  Instance order;
  Instance backfill_order;
  Instance backfill;
  Instance select;
  LkAccounts *accounts;   /* NULL: none */
  GString *accounts_text; /* canonical; empty for none */
  Instance limits;        /* with accounts */
  char *limits_build_id;
  Instance preempt;
  char *preempt_build_id;
  char *order_build_id;
  char *backfill_build_id; /* with that of its own order */
  char *select_build_id;
  LkDigestValue digest;
};

/* ---------------------------------------------------------------- instances */

static void
instance_clear (Instance *self)
{
  for (guint i = 0; i < self->count; i++)
    g_free (self->texts[i]);
  g_free (self->texts);
  g_free (self->values);
  g_free (self->canonical);
  memset (self, 0, sizeof *self);
}

static LkParamValues
instance_values (const Instance *self)
{
  LkParamValues values = {
    .size = sizeof values, .count = self->count, .values = self->values, .host = lk_host ()
  };
  return values;
}

/* NAME:key=value,... or, as the value of a parameter, NAME(key=value,...). Returns: (transfer
 * full). */
static char *
instance_text (const Instance *self, gboolean nested)
{
  GString *out = g_string_new (self->policy->name);
  for (guint i = 0; i < self->count; i++) {
    const LkParam *param = &self->policy->params[i];
    if (i == 0)
      g_string_append_c (out, nested ? '(' : ':');
    g_string_append_printf (out, "%s%s=", i == 0 ? "" : ",", param->name);
    lk_spec_append_value (out, param, self->values[i]);
  }
  if (nested && self->count > 0)
    g_string_append_c (out, ')');
  return g_string_free (out, FALSE);
}

/* Creates and destroys, so that a bad value is told before anything runs. */
static gboolean
instance_try (const Instance *self, GError **error)
{
  LkPolicyError refusal = { "" };
  LkParamValues values = instance_values (self);
  void *state = self->policy->create (&values, &refusal);
  if (state == NULL) {
    g_autofree char *text = g_strndup (refusal.text, sizeof refusal.text);
    g_autofree char *valid = g_utf8_make_valid (text, -1);
    g_set_error_literal (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                         valid[0] == '\0' ? "it refuses its parameters" : valid);
    return FALSE;
  }
  self->policy->destroy (state);
  return TRUE;
}

static gboolean instance_init (Instance *self, const LkRegistry *registry, guint32 seam,
                               const char *spec, GError **error);

/* Gives `self` its values; the order parameter, if there is one, goes into `nested`. */
static gboolean
read_values (Instance *self, Instance *nested, const LkRegistry *registry, GError **error)
{
  for (guint i = 0; i < self->count; i++) {
    const LkParam *param = &self->policy->params[i];
    if (param->type == LK_PARAM_ORDER && self->texts[i][0] != '\0') {
      LK_ASSERT (nested != NULL);
      if (!instance_init (nested, registry, LK_SEAM_ORDER, self->texts[i], error)) {
        g_prefix_error (error, "parameter '%s': ", param->name);
        return FALSE;
      }
      g_free (self->texts[i]);
      self->texts[i] = instance_text (nested, /* nested= */ TRUE);
    }
    if (!lk_spec_value (param, self->texts[i], &self->values[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Resolves one specification. `nested` receives the instance of an order parameter; NULL for
 * seams that have none. */
static gboolean
instance_init_nested (Instance *self, Instance *nested, const LkRegistry *registry, guint32 seam,
                      const char *spec, GError **error)
{
  g_autofree char *name = NULL;
  g_autofree char *arguments = NULL;
  if (!lk_spec_split (spec, &name, &arguments, error)) {
    g_prefix_error (error, "%s: ", lk_seam_name (seam));
    return FALSE;
  }
  const LkPolicy *policy = lk_registry_find (registry, seam, name, error);
  if (policy == NULL)
    return FALSE;
  char **texts = lk_spec_arguments (policy->params, arguments, error);
  gboolean good = texts != NULL;
  if (good) {
    self->policy = policy;
    self->count = lk_param_count (policy->params);
    self->texts = texts;
    self->values = g_new0 (LkParamValue, self->count + 1);
    good = read_values (self, nested, registry, error) && instance_try (self, error);
  }
  if (good) {
    self->canonical = instance_text (self, /* nested= */ FALSE);
    return TRUE;
  }
  g_prefix_error (error, "%s '%s': ", lk_seam_name (seam), policy->name);
  return FALSE;
}

static gboolean
instance_init (Instance *self, const LkRegistry *registry, guint32 seam, const char *spec,
               GError **error)
{
  return instance_init_nested (self, NULL, registry, seam, spec, error);
}

/* ---------------------------------------------------------------- setups */

/* A header's text holds at most 65535 bytes. */
static gboolean
check_lengths (const LkSetup *self, GError **error)
{
  for (guint32 seam = LK_SEAM_ORDER; seam <= LK_SEAM_PREEMPT; seam++) {
    if (strlen (lk_setup_spec (self, seam)) <= G_MAXUINT16)
      continue;
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "%s: all parameters together are longer than %u bytes", lk_seam_name (seam),
                 (guint)G_MAXUINT16);
    return FALSE;
  }
  return TRUE;
}

/* What an event says of another configuration is what a header would. */
static gpointer
make_described (gconstpointer registry, const LkJournalHeader *described,
                LkEngineConfig *out_config, LkPolicyError *out_error)
{
  g_autoptr (GError) error = NULL;
  LkSetup *made = lk_setup_new_from_header (registry, described, &error);
  if (made != NULL)
    *out_config = made->config;
  else
    g_strlcpy (out_error->text, error->message, sizeof out_error->text);
  return made;
}

static void
free_described (gpointer made)
{
  lk_setup_free (made);
}

static void
fill_config (LkSetup *self, const LkRegistry *registry, const LkSetupOptions *options)
{
  LkEngineConfig *config = &self->config;
  self->maker = (LkConfigMaker){ make_described, free_described, registry };
  config->maker = &self->maker;
  config->units_total =
      self->cluster != NULL ? (guint32)lk_cluster_cpu_count (self->cluster) : options->units_total;
  config->cluster = self->cluster;
  config->origin_us = options->origin_us;
  config->order = (const LkOrderPolicy *)self->order.policy;
  config->order_values = instance_values (&self->order);
  config->backfill_order = (const LkOrderPolicy *)self->backfill_order.policy;
  config->backfill_order_values = instance_values (&self->backfill_order);
  config->backfill = (const LkBackfillPolicy *)self->backfill.policy;
  config->backfill_values = instance_values (&self->backfill);
  config->select = (const LkSelectPolicy *)self->select.policy;
  config->select_values = instance_values (&self->select);
  config->accounts = self->accounts;
  config->limits = (const LkLimitsPolicy *)self->limits.policy;
  config->limits_values = instance_values (&self->limits);
  config->preempt = (const LkPreemptPolicy *)self->preempt.policy;
  config->preempt_values = instance_values (&self->preempt);
  config->tells_standing = options->tells_standing;
  config->requeues_ended = options->requeues_ended;
  config->requeues_at_end = options->requeues_at_end;
}

/* The backfill policy's decisions come from the code of both it and its own order. */
static char *
backfill_build_id (const LkSetup *self, const LkRegistry *registry)
{
  const char *own = lk_registry_build_id (registry, self->backfill.policy);
  if (self->backfill_order.policy == NULL)
    return g_strdup (own);
  return g_strdup_printf ("%s, order %s", own,
                          lk_registry_build_id (registry, self->backfill_order.policy));
}

static gboolean
check_size (guint64 units_total, GError **error)
{
  if (units_total >= 1 && units_total <= LK_LIMIT_UNITS)
    return TRUE;
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
               "the machine has %" G_GUINT64_FORMAT " processors; expected 1 to %u", units_total,
               LK_LIMIT_UNITS);
  return FALSE;
}

/* The cluster goes through its text, so that what a journal says of it is what is run. */
static gboolean
take_cluster (LkSetup *self, const LkCluster *cluster, GError **error)
{
  LkClusterError cluster_error;
  self->cluster_text = g_string_new (NULL);
  if (cluster == NULL)
    return TRUE;
  lk_cluster_text (cluster, self->cluster_text);
  self->cluster =
      lk_cluster_from_text (self->cluster_text->str, self->cluster_text->len, &cluster_error);
  if (self->cluster != NULL)
    return check_size (lk_cluster_cpu_count (self->cluster), error);
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER, "the cluster: %s",
               cluster_error.text);
  return FALSE;
}

/* The accounts likewise. */
static gboolean
take_accounts (LkSetup *self, const LkAccounts *accounts, GError **error)
{
  LkAccountsError accounts_error;
  self->accounts_text = g_string_new (NULL);
  if (accounts == NULL)
    return TRUE;
  lk_accounts_text (accounts, self->accounts_text);
  self->accounts =
      lk_accounts_from_text (self->accounts_text->str, self->accounts_text->len, &accounts_error);
  if (self->accounts != NULL)
    return TRUE;
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER, "the accounts: %s",
               accounts_error.text);
  return FALSE;
}

/* The QOS of partitions are among those of the accounts. */
static gboolean
check_partition_qos (const LkSetup *self, GError **error)
{
  if (self->accounts == NULL || self->cluster == NULL)
    return TRUE;
  for (guint i = 0; i < self->cluster->partitions->len; i++) {
    const LkPartitionSpec *partition = g_ptr_array_index (self->cluster->partitions, i);
    if (partition->qos[0] == '\0' || lk_accounts_find_qos (self->accounts, partition->qos) != NULL)
      continue;
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
                 "partition '%s': its QOS '%s' is not among those of the accounts", partition->name,
                 partition->qos);
    return FALSE;
  }
  return TRUE;
}

static gboolean
init_limits (LkSetup *self, const LkRegistry *registry, const char *spec, GError **error)
{
  if (self->accounts == NULL)
    return TRUE;
  if (!instance_init (&self->limits, registry, LK_SEAM_LIMITS, spec != NULL ? spec : "slurm",
                      error))
    return FALSE;
  self->limits_build_id = g_strdup (lk_registry_build_id (registry, self->limits.policy));
  return TRUE;
}

static gboolean
init_preempt (LkSetup *self, const LkRegistry *registry, const char *spec, GError **error)
{
  if (!instance_init (&self->preempt, registry, LK_SEAM_PREEMPT, spec != NULL ? spec : "none",
                      error))
    return FALSE;
  self->preempt_build_id = g_strdup (lk_registry_build_id (registry, self->preempt.policy));
  return TRUE;
}

/* A policy that places needs nodes to place on. */
static gboolean
check_select (const LkSetup *self, GError **error)
{
  const LkSelectPolicy *select = (const LkSelectPolicy *)self->select.policy;
  if (select->choose == NULL || self->cluster != NULL)
    return TRUE;
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PARAMETER,
               "select '%s': it places jobs on nodes, so it needs a cluster; a counted machine has "
               "'pool'",
               self->select.policy->name);
  return FALSE;
}

const char *
lk_setup_select_of (const LkCluster *cluster)
{
  if (cluster->consume == LK_CONSUME_NODE)
    return "linear";
  if (cluster->compat == LK_COMPAT_SLURM_22_05)
    return cluster->topology != LK_TOPOLOGY_FLAT ? "topology:release=2205"
                                                 : "cons_tres:release=2205";
  return cluster->topology != LK_TOPOLOGY_FLAT ? "topology" : "cons_tres";
}

LkSetup *
lk_setup_new (const LkRegistry *registry, const LkSetupOptions *options, GError **error)
{
  g_autoptr (LkSetup) self = g_new0 (LkSetup, 1);
  if (!take_cluster (self, options->cluster, error)
      || !take_accounts (self, options->accounts, error) || !check_partition_qos (self, error)
      || (self->cluster == NULL && !check_size (options->units_total, error)))
    return NULL;
  if (!instance_init (&self->order, registry, LK_SEAM_ORDER, options->order, error)
      || !instance_init_nested (&self->backfill, &self->backfill_order, registry, LK_SEAM_BACKFILL,
                                options->backfill, error)
      || !instance_init (&self->select, registry, LK_SEAM_SELECT, options->select, error)
      || !init_limits (self, registry, options->limits, error)
      || !init_preempt (self, registry, options->preempt, error) || !check_select (self, error)
      || !check_lengths (self, error))
    return NULL;
  self->order_build_id = g_strdup (lk_registry_build_id (registry, self->order.policy));
  self->backfill_build_id = backfill_build_id (self, registry);
  self->select_build_id = g_strdup (lk_registry_build_id (registry, self->select.policy));
  fill_config (self, registry, options);
  self->digest = lk_engine_config_digest (&self->config);
  return g_steal_pointer (&self);
}

void
lk_setup_free (LkSetup *self)
{
  if (self == NULL)
    return;
  instance_clear (&self->order);
  instance_clear (&self->backfill_order);
  instance_clear (&self->backfill);
  instance_clear (&self->select);
  instance_clear (&self->limits);
  lk_accounts_free (self->accounts);
  if (self->accounts_text != NULL)
    g_string_free (self->accounts_text, TRUE);
  g_free (self->limits_build_id);
  instance_clear (&self->preempt);
  g_free (self->preempt_build_id);
  lk_cluster_free (self->cluster);
  if (self->cluster_text != NULL)
    g_string_free (self->cluster_text, TRUE);
  g_free (self->order_build_id);
  g_free (self->backfill_build_id);
  g_free (self->select_build_id);
  g_free (self);
}

const LkEngineConfig *
lk_setup_config (const LkSetup *self)
{
  return &self->config;
}

LkDigestValue
lk_setup_digest (const LkSetup *self)
{
  return self->digest;
}

const char *
lk_setup_spec (const LkSetup *self, guint32 seam)
{
  switch (seam) {
  case LK_SEAM_ORDER:
    return self->order.canonical;
  case LK_SEAM_BACKFILL:
    return self->backfill.canonical;
  case LK_SEAM_LIMITS:
    return self->limits.policy != NULL ? self->limits.canonical : "";
  case LK_SEAM_PREEMPT:
    return self->preempt.canonical;
  default:
    LK_ASSERT (seam == LK_SEAM_SELECT);
    return self->select.canonical;
  }
}

/* ---------------------------------------------------------------- journal headers */

static LkText
text_of (const char *text)
{
  gsize length = strlen (text);
  if (length > G_MAXUINT16) {
    /* Cut between characters, so that it stays UTF-8. */
    const char *end = g_utf8_find_prev_char (text, text + G_MAXUINT16);
    length = (gsize)(end - text);
  }
  LkText out = { .bytes = text, .length_bytes = (guint16)length };
  return out;
}

void
lk_setup_header (const LkSetup *self, const char *source, LkJournalHeader *out_header)
{
  LkJournalHeader header = {
    .format = LK_JOURNAL_FORMAT,
    .engine_version = text_of (LK_ENGINE_VERSION),
    .units_total = self->config.units_total,
    .cluster = { self->cluster_text->str, (guint32)self->cluster_text->len },
    .order = text_of (self->order.canonical),
    .order_version = self->order.policy->version,
    .order_build_id = text_of (self->order_build_id),
    .backfill = text_of (self->backfill.canonical),
    .backfill_version = self->backfill.policy->version,
    .backfill_build_id = text_of (self->backfill_build_id),
    .select = text_of (self->select.canonical),
    .select_version = self->select.policy->version,
    .select_build_id = text_of (self->select_build_id),
    .origin_us = self->config.origin_us,
    .config_digest_low = self->digest.low,
    .config_digest_high = self->digest.high,
    .source = text_of (source),
    .accounts = { self->accounts_text->str, (guint32)self->accounts_text->len },
    .limits = text_of (lk_setup_spec (self, LK_SEAM_LIMITS)),
    .limits_version = self->limits.policy != NULL ? self->limits.policy->version : 0,
    .limits_build_id = text_of (self->limits_build_id != NULL ? self->limits_build_id : ""),
    .preempt = text_of (self->preempt.canonical),
    .preempt_version = self->preempt.policy->version,
    .preempt_build_id = text_of (self->preempt_build_id),
    .tells_standing = self->config.tells_standing != FALSE,
    .requeues = (self->config.requeues_ended ? LK_REQUEUES_ENDED : 0)
                | (self->config.requeues_at_end ? LK_REQUEUES_AT_END : 0),
  };
  *out_header = header;
}

/* What a header says about one seam, and what this program has. */
typedef struct {
  guint32 seam;
  guint32 wanted_version;
  guint32 version;
  LkText wanted_build_id;
  const char *build_id;
} BuildPair;

static gboolean
check_build (const BuildPair *pair, GError **error)
{
  g_autofree char *wanted =
      g_strndup (pair->wanted_build_id.bytes, pair->wanted_build_id.length_bytes);
  if (pair->wanted_version == pair->version && strcmp (wanted, pair->build_id) == 0)
    return TRUE;
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD,
               "the journal was written by %s policy version %u (build %s); here it is version %u "
               "(build %s)",
               lk_seam_name (pair->seam), pair->wanted_version, wanted, pair->version,
               pair->build_id);
  return FALSE;
}

static gboolean
check_header (const LkSetup *self, const LkJournalHeader *header, GError **error)
{
  const BuildPair pairs[] = {
    { LK_SEAM_ORDER, header->order_version, self->order.policy->version, header->order_build_id,
      self->order_build_id },
    { LK_SEAM_BACKFILL, header->backfill_version, self->backfill.policy->version,
      header->backfill_build_id, self->backfill_build_id },
    { LK_SEAM_SELECT, header->select_version, self->select.policy->version, header->select_build_id,
      self->select_build_id },
    { LK_SEAM_LIMITS, header->limits_version,
      self->limits.policy != NULL ? self->limits.policy->version : 0, header->limits_build_id,
      self->limits_build_id != NULL ? self->limits_build_id : "" },
    { LK_SEAM_PREEMPT, header->preempt_version, self->preempt.policy->version,
      header->preempt_build_id, self->preempt_build_id },
  };
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    if (!check_build (&pairs[i], error))
      return FALSE;
  }
  LkDigestValue wanted = { .low = header->config_digest_low, .high = header->config_digest_high };
  if (lk_digest_value_equal (wanted, self->digest))
    return TRUE;
  char wanted_text[LK_DIGEST_TEXT_BYTES], text[LK_DIGEST_TEXT_BYTES];
  lk_digest_value_text (wanted, wanted_text);
  lk_digest_value_text (self->digest, text);
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD,
               "the journal's configuration has digest %s; the same policies and parameters have "
               "%s here",
               wanted_text, text);
  return FALSE;
}

/* NULL, without an error, when the header has none. */
static LkAccounts *
accounts_of (const LkJournalHeader *header, GError **error)
{
  LkAccountsError accounts_error;
  if (header->accounts.length_bytes == 0)
    return NULL;
  LkAccounts *accounts = lk_accounts_from_text (header->accounts.bytes,
                                                header->accounts.length_bytes, &accounts_error);
  if (accounts == NULL)
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD,
                 "the journal's accounts cannot be read: %s", accounts_error.text);
  return accounts;
}

LkSetup *
lk_setup_new_from_header (const LkRegistry *registry, const LkJournalHeader *header, GError **error)
{
  g_autofree char *order = g_strndup (header->order.bytes, header->order.length_bytes);
  g_autofree char *backfill = g_strndup (header->backfill.bytes, header->backfill.length_bytes);
  g_autofree char *select = g_strndup (header->select.bytes, header->select.length_bytes);
  LkClusterError cluster_error;
  g_autoptr (LkCluster) cluster = NULL;
  if (header->cluster.length_bytes > 0) {
    cluster =
        lk_cluster_from_text (header->cluster.bytes, header->cluster.length_bytes, &cluster_error);
    if (cluster == NULL) {
      g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_BUILD,
                   "the journal's cluster cannot be read: %s", cluster_error.text);
      return NULL;
    }
  }
  g_autoptr (LkAccounts) accounts = accounts_of (header, error);
  if (accounts == NULL && header->accounts.length_bytes > 0)
    return NULL;
  g_autofree char *limits = g_strndup (header->limits.bytes, header->limits.length_bytes);
  g_autofree char *preempt = g_strndup (header->preempt.bytes, header->preempt.length_bytes);
  LkSetupOptions options = { .units_total = header->units_total,
                             .cluster = cluster,
                             .accounts = accounts,
                             .limits = limits,
                             .preempt = preempt,
                             .tells_standing = header->tells_standing != 0,
                             .requeues_ended = (header->requeues & LK_REQUEUES_ENDED) != 0,
                             .requeues_at_end = (header->requeues & LK_REQUEUES_AT_END) != 0,
                             .origin_us = header->origin_us,
                             .order = order,
                             .backfill = backfill,
                             .select = select };
  g_autoptr (GError) local = NULL;
  g_autoptr (LkSetup) self = lk_setup_new (registry, &options, &local);
  if (self != NULL && check_header (self, header, error))
    return g_steal_pointer (&self);
  if (self == NULL) {
    gboolean is_missing = g_error_matches (local, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME);
    g_propagate_prefixed_error (error, g_steal_pointer (&local), "the journal's configuration: %s",
                                is_missing ? "(a plugin that it was written with must be given) "
                                           : "");
  }
  return NULL;
}
