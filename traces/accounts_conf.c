/* traces/accounts_conf.c — what slurm.conf says of accounts and priorities.
 *
 * Source: slurm.conf(5). */
#include <string.h>

#include "traces/accounts_edit.h"
#include "traces/accounts_open.h"
#include "traces/conf_pairs.h"
#include "traces/quantity.h"
#include "traces/slurm_conf_private.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
/* Everything that "all" enforces here. */
#define ENFORCE_ALL (LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS | LK_ENFORCE_QOS | LK_ENFORCE_SAFE)

/* ---------------------------------------------------------------- enforcement and TRES */

static gboolean
enforce_read (const LkConfPairs *self, const LkSlurmPair *pair, guint32 *out_enforce,
              GError **error)
{
  static const char *const words[] = { "associations", "limits", "qos",    "safe",    "all",
                                       "none",         "wckeys", "nojobs", "nosteps", NULL };
  static const char *const numbers[] = { "none", "associations", "limits" };
  guint32 enforce = 0;
  g_auto (GStrv) pieces = lk_accounts_names_split (pair->value);
  for (char **piece = pieces; *piece; piece++) {
    guint index = 0;
    /* Slurm's numbers 0 to 2 are words, too. */
    gboolean is_number = (*piece)[0] >= '0' && (*piece)[0] <= '2' && (*piece)[1] == '\0';
    const char *word = is_number ? numbers[(*piece)[0] - '0'] : *piece;
    if (!lk_conf_word (pair, word, words, &index, error)) {
      if (!lk_conf_pairs_goes_on (self, error))
        return FALSE;
      continue;
    }
    enforce |= index < 4 ? 1u << index : index == 4 ? ENFORCE_ALL : 0;
  }
  *out_enforce = enforce;
  return TRUE;
}

static gboolean
tres_read (const LkConfPairs *self, LkAccounts *accounts, const LkSlurmPair *pair, GError **error)
{
  g_auto (GStrv) pieces = lk_accounts_names_split (pair->value);
  for (char **piece = pieces; *piece; piece++) {
    g_autofree char *problem = NULL;
    if (lk_accounts_tres_take (accounts, *piece, &problem) != LK_INDEX_NONE)
      continue;
    lk_slurm_fail (&pair->place, error, "%s: %s", pair->key, problem);
    if (!lk_conf_pairs_goes_on (self, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- decay, billing, age */

static gboolean
time_read (const LkSlurmPair *pair, gint64 minimum_us, gint64 *out_time_us, GError **error)
{
  gint64 time_us = 0;
  if (!lk_quantity_time_parse (pair->value, &time_us) || time_us == LK_TIME_NEVER
      || time_us < minimum_us)
    return lk_conf_fail (pair, error, "minutes or [days-]hours:minutes:seconds");
  *out_time_us = time_us;
  return TRUE;
}

/* Flags of PriorityFlags that are parameters of the order, by name; then those of accounts, and
 * those that say what is so anyway. */
static const char *const flag_words[] = {
  "CALCULATE_RUNNING",      "DEPTH_OBLIVIOUS", "INCR_ONLY",
  "NO_FAIR_TREE",           "NO_NORMAL_ALL",   "NO_NORMAL_ASSOC",
  "NO_NORMAL_PART",         "NO_NORMAL_QOS",   "NO_NORMAL_TRES",
  "SMALL_RELATIVE_TO_TIME", "ACCRUE_ALWAYS",   "MAX_TRES",
  "MAX_TRES_GRES",          "FAIR_TREE",       NULL
};
enum { FLAG_ACCRUE_ALWAYS = 10, FLAG_MAX_TRES, FLAG_MAX_TRES_GRES };

static gboolean
flags_read (const LkConfPairs *self, guint32 *out_flags, GError **error)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (self, "PriorityFlags");
  g_auto (GStrv) pieces = pair ? lk_accounts_names_split (pair->value) : NULL;
  guint32 flags = 0;
  for (char **piece = pieces; piece && *piece; piece++) {
    guint index = 0;
    if (lk_conf_word (pair, *piece, flag_words, &index, error))
      flags |= 1u << index;
    else if (!lk_conf_pairs_goes_on (self, error))
      return FALSE;
  }
  *out_flags = flags;
  return TRUE;
}

static gboolean
decay_read (const LkConfPairs *self, LkAccounts *accounts, GError **error)
{
  const LkSlurmPair *half_life = lk_conf_pairs_get (self, "PriorityDecayHalfLife");
  const LkSlurmPair *period = lk_conf_pairs_get (self, "PriorityCalcPeriod");
  const LkSlurmPair *reset = lk_conf_pairs_get (self, "PriorityUsageResetPeriod");
  guint index = accounts->reset;
  if (half_life && !time_read (half_life, 0, &accounts->half_life_us, error)
      && !lk_conf_pairs_goes_on (self, error))
    return FALSE;
  if (period && !time_read (period, US_PER_S, &accounts->calc_period_us, error)
      && !lk_conf_pairs_goes_on (self, error))
    return FALSE;
  if (reset && !lk_conf_word (reset, reset->value, lk_reset_words (), &index, error))
    return lk_conf_pairs_goes_on (self, error);
  accounts->reset = (LkResetPeriod)index;
  if (half_life && accounts->half_life_us == 0 && accounts->reset == LK_RESET_NONE)
    return lk_slurm_fail (&half_life->place, error,
                          "%s is 0 and PriorityUsageResetPeriod is NONE, so that use would grow "
                          "for ever; expected one of them",
                          half_life->key);
  return TRUE;
}

static gboolean
accounts_read (const LkConfPairs *self, LkAccounts *accounts, GError **error)
{
  const LkSlurmPair *name = lk_conf_pairs_get (self, "ClusterName");
  const LkSlurmPair *enforce = lk_conf_pairs_get (self, "AccountingStorageEnforce");
  const LkSlurmPair *tres = lk_conf_pairs_get (self, "AccountingStorageTRES");
  guint32 flags = 0;
  if ((enforce && !enforce_read (self, enforce, &accounts->enforce, error))
      || (tres && !tres_read (self, accounts, tres, error))
      || (!decay_read (self, accounts, error) && !lk_conf_pairs_goes_on (self, error))
      || !flags_read (self, &flags, error))
    return FALSE;
  if (name) {
    g_autofree char *lower = g_ascii_strdown (name->value, -1);
    lk_accounts_text_set (&accounts->cluster, lower);
  }
  if (lk_conf_pairs_get (self, "PriorityFlags")) {
    accounts->accrue_always = (flags >> FLAG_ACCRUE_ALWAYS & 1) != 0;
    accounts->billing = flags >> FLAG_MAX_TRES_GRES & 1 ? LK_BILLING_MAX_GRES
                        : flags >> FLAG_MAX_TRES & 1    ? LK_BILLING_MAX
                                                        : LK_BILLING_SUM;
  }
  LkAccountsError found;
  if (lk_accounts_check (accounts, &found))
    return TRUE;
  const LkSlurmPlace place = { g_ptr_array_index (self->lines->files, 0), 0 };
  return lk_slurm_fail (&place, error, "%s %s", found.member, found.text);
}

/* All that they point to changes places too. */
static void
contents_swap (LkAccounts *a, LkAccounts *b)
{
  const LkAccounts saved = *a;
  *a = *b;
  *b = saved;
}

gboolean
lk_accounts_apply_conf (LkAccounts *self, const LkConfPairs *conf, GError **error)
{
  g_autoptr (LkAccounts) changed = lk_accounts_copy (self);
  gboolean is_good = accounts_read (conf, changed, error);
  if (is_good)
    contents_swap (self, changed);
  return is_good;
}

static gboolean
lines_apply (LkAccounts *self, LkSlurmLines *lines, GError **error)
{
  LkConfPairs conf;
  if (lines == NULL)
    return FALSE;
  lk_conf_pairs_init (&conf, lines);
  gboolean is_good = lk_accounts_apply_conf (self, &conf, error);
  lk_conf_pairs_clear (&conf);
  return is_good;
}

gboolean
lk_accounts_apply_slurm_conf (LkAccounts *self, const char *conf_path, GError **error)
{
  return lines_apply (self, lk_slurm_lines_new (conf_path, error), error);
}

gboolean
lk_accounts_apply_slurm_conf_bytes (LkAccounts *self, const char *name, GBytes *bytes,
                                    GError **error)
{
  return lines_apply (self, lk_slurm_lines_new_from_bytes (name, bytes, error), error);
}

/* ---------------------------------------------------------------- the order */

typedef struct {
  const char *key;
  const char *parameter;
} Weight;

static const Weight weights[] = {
  { "PriorityWeightAge", "weight_age" },
  { "PriorityWeightAssoc", "weight_assoc" },
  { "PriorityWeightFairshare", "weight_fairshare" },
  { "PriorityWeightJobSize", "weight_job_size" },
  { "PriorityWeightPartition", "weight_partition" },
  { "PriorityWeightQOS", "weight_qos" },
};

static void
parameter_append (GString *out, const char *name, const char *value)
{
  g_string_append_printf (out, "%c%s=%s", strchr (out->str, ':') ? ',' : ':', name, value);
}

/* A whole number; also with K, which is 1024. */
static gboolean
number_append (const LkSlurmPair *pair, const char *parameter, guint64 maximum, GString *out,
               GError **error)
{
  guint64 number;
  gsize digits = strspn (pair->value, "0123456789");
  g_autofree char *text = g_strndup (pair->value, digits);
  gboolean is_kilo = g_ascii_strcasecmp (pair->value + digits, "k") == 0;
  if (digits == 0 || (pair->value[digits] && !is_kilo)
      || !g_ascii_string_to_unsigned (text, 10, 0, maximum, &number, NULL)
      || number > maximum / (is_kilo ? 1024 : 1)) {
    g_autofree char *expected =
        g_strdup_printf ("a whole number of at most %" G_GUINT64_FORMAT, maximum);
    return lk_conf_fail (pair, error, expected);
  }
  g_autofree char *value = g_strdup_printf ("%" G_GUINT64_FORMAT, number * (is_kilo ? 1024 : 1));
  parameter_append (out, parameter, value);
  return TRUE;
}

static gboolean
weights_append (const LkConfPairs *conf, GString *out, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (weights); i++) {
    const LkSlurmPair *pair = lk_conf_pairs_get (conf, weights[i].key);
    if (pair && !number_append (pair, weights[i].parameter, G_MAXUINT32, out, error)
        && !lk_conf_pairs_goes_on (conf, error))
      return FALSE;
  }
  return TRUE;
}

/* CPU=0,Mem=.03,GRES/gpu=30000: names and numbers, as the order reads them. */
static gboolean
weight_tres_append (const LkSlurmPair *pair, GString *out, GError **error)
{
  g_auto (GStrv) pieces = g_strsplit (pair->value, ",", -1);
  for (char **piece = pieces; *piece; piece++) {
    const char *mark = strchr (*piece, '=');
    const char *number = mark ? mark + 1 + (mark[1] == '-' ? 1 : 0) : "";
    gboolean has_digit = strpbrk (number, "0123456789") != NULL;
    if (mark == NULL || mark == *piece || !has_digit
        || strspn (number, "0123456789.") < strlen (number) || strpbrk (*piece, "\"\\ ") != NULL)
      return lk_conf_fail (pair, error,
                           "TRES=WEIGHT with commas between, such as CPU=1000,GRES/gpu=3000");
  }
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", pair->value);
  parameter_append (out, "weight_tres", quoted);
  return TRUE;
}

static gboolean
max_age_append (const LkSlurmPair *pair, GString *out, GError **error)
{
  gint64 time_us = 0;
  if (!time_read (pair, US_PER_S, &time_us, error))
    return FALSE;
  g_autofree char *value = g_strdup_printf ("%" G_GINT64_FORMAT, time_us / US_PER_S);
  parameter_append (out, "max_age_s", value);
  return TRUE;
}

static gboolean
favor_small_append (const LkSlurmPair *pair, GString *out, GError **error)
{
  gboolean is_on = FALSE;
  if (!lk_slurm_value_switch (pair, &is_on, error))
    return FALSE;
  parameter_append (out, "favor_small", is_on ? "1" : "0");
  return TRUE;
}

static gboolean
flags_append (const LkConfPairs *conf, GString *out, GError **error)
{
  guint32 flags = 0;
  g_autoptr (GString) list = g_string_new (NULL);
  if (!flags_read (conf, &flags, error))
    return FALSE;
  for (guint i = 0; i < FLAG_ACCRUE_ALWAYS; i++)
    if (flags >> i & 1)
      g_string_append_printf (list, "%s%s", list->len > 0 ? "+" : "", flag_words[i]);
  if (list->len > 0)
    parameter_append (out, "flags", list->str);
  return TRUE;
}

static gboolean
multifactor_append (const LkConfPairs *conf, GString *out, GError **error)
{
  const LkSlurmPair *tres = lk_conf_pairs_get (conf, "PriorityWeightTRES");
  const LkSlurmPair *age = lk_conf_pairs_get (conf, "PriorityMaxAge");
  const LkSlurmPair *small = lk_conf_pairs_get (conf, "PriorityFavorSmall");
  const LkSlurmPair *dampening = lk_conf_pairs_get (conf, "FairShareDampeningFactor");
  g_string_append (out, "multifactor");
  return weights_append (conf, out, error)
         && (!tres || weight_tres_append (tres, out, error) || lk_conf_pairs_goes_on (conf, error))
         && (!age || max_age_append (age, out, error) || lk_conf_pairs_goes_on (conf, error))
         && (!small || favor_small_append (small, out, error)
             || lk_conf_pairs_goes_on (conf, error))
         && (!dampening || number_append (dampening, "fairshare_dampening", G_MAXUINT16, out, error)
             || lk_conf_pairs_goes_on (conf, error))
         && flags_append (conf, out, error);
}

static gboolean
order_append (const LkConfPairs *conf, GString *out, GError **error)
{
  static const char *const words[] = { "priority/multifactor", "priority/basic", NULL };
  const LkSlurmPair *type = lk_conf_pairs_get (conf, "PriorityType");
  guint index = 0;
  if (type && !lk_conf_word (type, type->value, words, &index, error)
      && !lk_conf_pairs_goes_on (conf, error))
    return FALSE;
  if (index == 0)
    return multifactor_append (conf, out, error);
  g_string_append (out, "basic");
  return TRUE;
}

char *
lk_slurm_conf_order_of (const LkConfPairs *conf, GError **error)
{
  GString *out = g_string_new (NULL);
  return g_string_free (out, !order_append (conf, out, error));
}

char *
lk_slurm_conf_order (const char *conf_path, GError **error)
{
  LkConfPairs conf;
  if (!lk_conf_pairs_read (&conf, conf_path, error))
    return NULL;
  char *spec = lk_slurm_conf_order_of (&conf, error);
  lk_conf_pairs_clear (&conf);
  return spec;
}
