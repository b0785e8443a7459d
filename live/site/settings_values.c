/* live/site/settings_values.c — see settings_values.h.  Source: slurm.conf(5). */
#include "live/site/settings_values.h"

#include <string.h>

#include "live/site/settings.h"

typedef struct {
  const char *key;
  const char *given;
  const char *taken;
  const char *warning; /* NULL: both mean the same */
} Substitute;

static const Substitute substitutes[] = {
  { "AuthType", "auth/none", "auth/munge",
    "no daemon is believed without a proof; auth/munge is used" },
  { "AuthType", "auth/slurm", "auth/key",
    "auth/key is used, with lockstep.key or AuthInfo=key=PATH" },
  { "AuthType", "", "auth/munge", NULL },
};

static gboolean
is_key (const LkSlurmPair *pair, const char *key)
{
  return g_ascii_strcasecmp (pair->key, key) == 0;
}

static void
warn (const LkSlurmPair *pair, const char *text, LkFaults *faults)
{
  GError *error = NULL;
  lk_slurm_fail (&pair->place, &error, "%s=%s: %s", pair->key, pair->value, text);
  lk_faults_add (faults, LK_FAULT_WARNING, error->message);
  g_error_free (error);
}

/* Levels of logs are also Slurm's numbers 0 to 9, which are the places of their words. */
static const char *
log_level (const LkSlurmPair *pair)
{
#define X(NAME, text) text,
  static const char *const words[] = { LK_SITE_LOG_WORDS (X) };
#undef X
  gboolean is_digit = g_ascii_isdigit (pair->value[0]) && pair->value[1] == '\0';
  guint number = is_digit ? (guint)g_ascii_digit_value (pair->value[0]) : G_MAXUINT;
  return number < G_N_ELEMENTS (words) ? words[number] : NULL;
}

/* Slurm's controller listens on all ports of a range. */
static const char *
first_port (const LkSlurmPair *pair, LkFaults *faults)
{
  const char *dash = strchr (pair->value, '-');
  guint64 first;
  guint64 last;
  if (dash == NULL)
    return NULL;
  g_autofree char *port = g_strndup (pair->value, (gsize)(dash - pair->value));
  if (!g_ascii_string_to_unsigned (port, 10, 1, G_MAXUINT16, &first, NULL)
      || !g_ascii_string_to_unsigned (dash + 1, 10, first, G_MAXUINT16, &last, NULL))
    return NULL;
  warn (pair, "the controller listens on the first port only", faults);
  return g_intern_string (port);
}

/* A list of states is the state that covers them; CYCLE spreads the programs over time. */
static const char *
health_state (const LkSlurmPair *pair, LkFaults *faults)
{
  const char *state = NULL;
  g_auto (GStrv) words = g_strsplit (pair->value, ",", -1);
  if (strchr (pair->value, ',') == NULL && g_ascii_strcasecmp (pair->value, "CYCLE") != 0)
    return NULL;
  for (guint i = 0; words[i] != NULL; i++) {
    const char *word = g_strstrip (words[i]);
    gboolean is_busy =
        g_ascii_strcasecmp (word, "ALLOC") == 0 || g_ascii_strcasecmp (word, "MIXED") == 0;
    gboolean is_idle =
        g_ascii_strcasecmp (word, "IDLE") == 0 || g_ascii_strcasecmp (word, "NONDRAINED_IDLE") == 0;
    const char *one = is_busy ? "ALLOC" : is_idle ? "IDLE" : "ANY";
    if (g_ascii_strcasecmp (word, "CYCLE") == 0) {
      warn (pair, "CYCLE is without effect here: nodes check themselves at times of their own",
            faults);
      continue;
    }
    if (!is_busy && !is_idle && g_ascii_strcasecmp (word, "ANY") != 0)
      return NULL; /* unknown, which is then reported */
    state = state == NULL || strcmp (state, one) == 0 ? one : "ANY";
  }
  return state != NULL ? state : "ANY";
}

const char *
lk_site_value_of (const LkSlurmPair *pair, LkFaults *faults)
{
  if (is_key (pair, "SlurmctldDebug") || is_key (pair, "SlurmdDebug"))
    return log_level (pair);
  if (is_key (pair, "SlurmctldPort"))
    return first_port (pair, faults);
  if (is_key (pair, "HealthCheckNodeState"))
    return health_state (pair, faults);
  for (guint i = 0; i < G_N_ELEMENTS (substitutes); i++) {
    const Substitute *one = &substitutes[i];
    if (!is_key (pair, one->key) || g_ascii_strcasecmp (pair->value, one->given) != 0)
      continue;
    if (one->warning != NULL)
      warn (pair, one->warning, faults);
    return one->taken;
  }
  return NULL;
}

/* ---------------------------------------------------------------- bounds */

#define BOUNDS_DEFAULT                                                                             \
  {                                                                                                \
    .bucket_count = 30, .refill_count = 2, .period_s = 1, .table_count = 8192,                     \
    .user_payload_mib = 256, .payload_mib = 2048                                                   \
  }

static const struct {
  const char *word;
  gsize offset_bytes;
  guint64 minimum;
  guint64 maximum;
} bound_words[] = {
  { "rl_bucket_size=", G_STRUCT_OFFSET (LkSiteBounds, bucket_count), 1, G_MAXINT32 },
  { "rl_refill_rate=", G_STRUCT_OFFSET (LkSiteBounds, refill_count), 1, G_MAXINT32 },
  { "rl_refill_period=", G_STRUCT_OFFSET (LkSiteBounds, period_s), 1, 86400 },
  { "rl_table_size=", G_STRUCT_OFFSET (LkSiteBounds, table_count), 1, 1u << 20 },
  { "user_payload_mib=", G_STRUCT_OFFSET (LkSiteBounds, user_payload_mib), 0, 1u << 30 },
  { "payload_mib=", G_STRUCT_OFFSET (LkSiteBounds, payload_mib), 0, 1u << 30 },
};

static gboolean
bound_read (const char *word, LkSiteBounds *bounds)
{
  bounds->has_rate = bounds->has_rate || g_ascii_strcasecmp (word, "rl_enable") == 0;
  for (guint i = 0; i < G_N_ELEMENTS (bound_words); i++) {
    gsize length_bytes = strlen (bound_words[i].word);
    if (g_ascii_strncasecmp (word, bound_words[i].word, length_bytes) == 0)
      return g_ascii_string_to_unsigned (
          word + length_bytes, 10, bound_words[i].minimum, bound_words[i].maximum,
          G_STRUCT_MEMBER_P (bounds, bound_words[i].offset_bytes), NULL);
  }
  return TRUE;
}

gboolean
lk_site_bounds_read (const char *parameters, LkSiteBounds *out_bounds, char **out_word)
{
  LkSiteBounds bounds = BOUNDS_DEFAULT;
  g_auto (GStrv) words = g_strsplit (parameters, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (!bound_read (g_strstrip (words[i]), &bounds)) {
      *out_word = g_strdup (words[i]);
      return FALSE;
    }
  *out_bounds = bounds;
  return TRUE;
}

void
lk_site_bounds_check (const char *parameters, const char *conf_path, LkFaults *faults)
{
  LkSiteBounds bounds;
  g_autofree char *word = NULL;
  GError *error = NULL;
  const LkSlurmPlace place = { conf_path, 0 };
  if (parameters == NULL || lk_site_bounds_read (parameters, &bounds, &word))
    return;
  lk_slurm_fail (&place, &error,
                 "SlurmctldParameters has '%s'; expected a whole number, 1 or more (payloads: 0 or "
                 "more)",
                 word);
  lk_faults_add (faults, LK_FAULT_ERROR, error->message);
  g_error_free (error);
}
