/* traces/preempt_conf.c — see the header. */
#include "traces/preempt_conf.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/policy.h"
#include "traces/conf_pairs.h"
#include "traces/quantity.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define KILL_WAIT_S 30u
#define MESSAGE_TIMEOUT_S 10u
#define SLICE_S 30u
#define SLICE_MIN_S 5u

/* Words of PreemptMode, and what they set; those of a mode come first. */
static const char *const mode_words[] = { "off",  "cancel", "requeue",  "suspend",
                                          "gang", "within", "priority", NULL };
enum { MODE_OFF, MODE_CANCEL, MODE_REQUEUE, MODE_SUSPEND, MODE_GANG, MODE_WITHIN, MODE_PRIORITY };

/* What was found, until it is written down. */
typedef struct {
  const LkConfPairs *conf;
  GString *out; /* parameters, with commas between */
  guint words;  /* of PreemptMode: set of bits */
} Reader;

static void
append (Reader *self, const char *name, const char *value)
{
  g_string_append_printf (self->out, "%s%s=%s", self->out->len > 0 ? "," : "", name, value);
}

static void
append_number (Reader *self, const char *name, guint64 number)
{
  g_autofree char *value = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  append (self, name, value);
}

/* ---------------------------------------------------------------- PreemptMode */

static gboolean
read_mode (Reader *self, GError **error)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (self->conf, "PreemptMode");
  g_auto (GStrv) words = g_strsplit (pair != NULL ? pair->value : "off", ",", -1);
  for (char **word = words; *word != NULL; word++) {
    guint index = 0;
    if (lk_conf_word (pair, g_strstrip (*word), mode_words, &index, error))
      self->words |= 1u << index;
    else if (!lk_conf_pairs_goes_on (self->conf, error))
      return FALSE;
  }
  if ((self->words & (1u << MODE_SUSPEND | 1u << MODE_GANG)) == 1u << MODE_SUSPEND)
    return lk_conf_fail (pair, error, "GANG beside SUSPEND, as Slurm does");
  return TRUE;
}

static gboolean
has (const Reader *self, guint word)
{
  return (self->words >> word & 1) != 0;
}

static void
append_mode (Reader *self)
{
  guint mode = MODE_OFF;
  for (guint i = MODE_CANCEL; i <= MODE_SUSPEND; i++)
    if (has (self, i))
      mode = i;
  append (self, "mode", mode_words[mode]);
  if (has (self, MODE_WITHIN))
    append (self, "within", "1");
  if (has (self, MODE_PRIORITY))
    append (self, "priority", "1");
}

/* ---------------------------------------------------------------- numbers and times */

static gboolean
read_seconds (const Reader *self, const char *key, guint64 standard, guint64 *out_seconds,
              GError **error)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (self->conf, key);
  *out_seconds = standard;
  if (pair == NULL || g_ascii_string_to_unsigned (pair->value, 10, 0, 65533, out_seconds, NULL))
    return TRUE;
  lk_conf_fail (pair, error, "seconds, at most 65533");
  return lk_conf_pairs_goes_on (self->conf, error);
}

/* Slurm takes no shorter slices. `is_alone`: turns are all that there is. */
static gboolean
append_gang (Reader *self, gboolean is_alone, GError **error)
{
  guint64 slice_s = 0;
  if (!has (self, MODE_GANG))
    return TRUE;
  if (!read_seconds (self, "SchedulerTimeSlice", SLICE_S, &slice_s, error))
    return FALSE;
  if (!is_alone)
    append (self, "gang", "1");
  if (slice_s >= SLICE_MIN_S && slice_s != SLICE_S)
    append_number (self, "slice_s", slice_s);
  return TRUE;
}

/* How long no further victims are looked for. */
static gboolean
append_hold (Reader *self, GError **error)
{
  guint64 kill_wait_s = 0;
  guint64 timeout_s = 0;
  if (!read_seconds (self, "KillWait", KILL_WAIT_S, &kill_wait_s, error)
      || !read_seconds (self, "MessageTimeout", MESSAGE_TIMEOUT_S, &timeout_s, error))
    return FALSE;
  if (kill_wait_s + timeout_s != KILL_WAIT_S + MESSAGE_TIMEOUT_S)
    append_number (self, "hold_s", kill_wait_s + timeout_s);
  return TRUE;
}

static gboolean
append_exempt (Reader *self, GError **error)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (self->conf, "PreemptExemptTime");
  gint64 exempt_us = 0;
  if (pair == NULL || strcmp (pair->value, "-1") == 0)
    return TRUE;
  if (!lk_quantity_time_parse (pair->value, &exempt_us) || exempt_us == LK_TIME_NEVER) {
    lk_conf_fail (pair, error, "minutes or [days-]hours:minutes:seconds, or -1 for none");
    return lk_conf_pairs_goes_on (self->conf, error);
  }
  append_number (self, "exempt_s", (guint64)(exempt_us / US_PER_S));
  return TRUE;
}

/* ---------------------------------------------------------------- PreemptParameters */

static const struct {
  const char *word;      /* ends with = where a number follows */
  const char *parameter; /* NULL: jobs stop at once */
  guint32 maximum;       /* of the number */
} options[] = {
  { "youngest_first", "youngest_first", 0 },
  { "reorder_count=", "reorder_count", 1000 },
  { "strict_order", "strict_order", 0 },
  { "min_exempt_priority=", "min_exempt_priority", G_MAXUINT32 },
  { "reclaim_licenses", "reclaim_licenses", 0 },
  { "send_user_signal", "send_user_signal", 0 },
  { "suspend_grace_time=", NULL, G_MAXUINT32 },
};
/* The first ones were options of SchedulerParameters once. */
#define OLD_OPTION_COUNT 3u

/* The words, for a message; `prefix` stands before each. Returns: (transfer full). */
static char *
expected_options (const char *prefix, guint count)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < count; i++)
    g_string_append_printf (text, "%s%s%s%s",
                            i == 0          ? ""
                            : i + 1 < count ? ", "
                                            : " or ",
                            prefix, options[i].word,
                            g_str_has_suffix (options[i].word, "=") ? "N" : "");
  return g_string_free (text, FALSE);
}

/* `prefix` stood before it, and `known_count` of the options may have it. */
static gboolean
append_option (Reader *self, const LkSlurmPair *pair, const char *option, const char *prefix,
               GError **error)
{
  LK_ASSERT (pair != NULL);
  guint known_count = *prefix != '\0' ? OLD_OPTION_COUNT : (guint)G_N_ELEMENTS (options);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    gsize bytes = strlen (options[i].word);
    gboolean has_number = options[i].word[bytes - 1] == '=';
    guint64 number = 1;
    if (g_ascii_strncasecmp (option, options[i].word, bytes) != 0
        || (!has_number && option[bytes] != '\0'))
      continue;
    if (has_number
        && !g_ascii_string_to_unsigned (option + bytes, 10, 0, options[i].maximum, &number, NULL))
      return lk_slurm_fail (&pair->place, error,
                            "%s: %s%.*s is '%s'; expected a number, at most %u", pair->key, prefix,
                            (int)bytes - 1, option, option + bytes, options[i].maximum);
    if (options[i].parameter != NULL)
      append_number (self, options[i].parameter, number);
    return TRUE;
  }
  g_autofree char *expected = expected_options (prefix, known_count);
  return lk_slurm_fail (&pair->place, error, "%s: there is no '%s%s'; expected %s", pair->key,
                        prefix, option, expected);
}

static gboolean
append_parameters (Reader *self, GError **error)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (self->conf, "PreemptParameters");
  g_auto (GStrv) words = g_strsplit (pair != NULL ? pair->value : "", ",", -1);
  for (char **word = words; *word != NULL; word++)
    if (*g_strstrip (*word) != '\0' && !append_option (self, pair, *word, "", error)
        && !lk_conf_pairs_goes_on (self->conf, error))
      return FALSE;
  return TRUE;
}

/* Older versions have them there, with preempt_ in front; the other words are of others. */
static gboolean
append_scheduler_parameters (Reader *self, GError **error)
{
  static const char prefix[] = "preempt_";
  const LkSlurmPair *pair = lk_conf_pairs_get (self->conf, "SchedulerParameters");
  g_auto (GStrv) words = g_strsplit (pair != NULL ? pair->value : "", ",", -1);
  for (char **word = words; *word != NULL; word++) {
    const char *option = g_strstrip (*word);
    if (g_ascii_strncasecmp (option, prefix, strlen (prefix)) == 0
        && !append_option (self, pair, option + strlen (prefix), prefix, error)
        && !lk_conf_pairs_goes_on (self->conf, error))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- all together */

static gboolean
append_all (Reader *self, GError **error)
{
  append_mode (self);
  return append_gang (self, FALSE, error) && append_exempt (self, error)
         && append_parameters (self, error) && append_scheduler_parameters (self, error)
         && append_hold (self, error);
}

/* Without a PreemptType nobody is preempted, and jobs take turns all the same. Slurm takes no other
 * mode beside. */
static char *
read_without_type (Reader *self, GError **error)
{
  if (!has (self, MODE_GANG))
    return g_strdup ("none");
  if (!append_gang (self, TRUE, error))
    return NULL;
  return g_strdup_printf ("gang%s%s", self->out->len > 0 ? ":" : "", self->out->str);
}

char *
lk_slurm_conf_preempt_of (const LkConfPairs *conf, GError **error)
{
  static const char *const types[] = { "preempt/none", "preempt/partition_prio", "preempt/qos",
                                       NULL };
  const LkSlurmPair *type = lk_conf_pairs_get (conf, "PreemptType");
  g_autoptr (GString) out = g_string_new (NULL);
  Reader self = { .conf = conf, .out = out };
  guint index = 0;
  if ((type != NULL && !lk_conf_word (type, type->value, types, &index, error)
       && !lk_conf_pairs_goes_on (conf, error))
      || (!read_mode (&self, error) && !lk_conf_pairs_goes_on (conf, error)))
    return NULL;
  if (index == 0)
    return read_without_type (&self, error);
  if ((self.words & ~(1u << MODE_OFF)) == 0)
    return g_strdup ("none");
  if (!append_all (&self, error))
    return NULL;
  return g_strdup_printf ("%s:%s", index == 2 ? "qos" : "partition_prio", out->str);
}

char *
lk_slurm_conf_preempt (const char *conf_path, GError **error)
{
  LkConfPairs conf;
  if (!lk_conf_pairs_read (&conf, conf_path, error))
    return NULL;
  char *spec = lk_slurm_conf_preempt_of (&conf, error);
  lk_conf_pairs_clear (&conf);
  return spec;
}
