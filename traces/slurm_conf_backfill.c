/* traces/slurm_conf_backfill.c — see the header.
 *
 * The parameters of the policy have the names of Slurm's options, which are written as NAME=VALUE,
 * or as NAME where they are switches.  Source: slurm.conf(5), SchedulerParameters. */
#include "traces/slurm_conf_backfill.h"

#include <string.h>

#include "engine/assert.h"
#include "traces/conf_pairs.h"
#include "traces/slurm_conf_private.h"

/* Before the name of a backfill policy that Slurm does not have. */
#define OWN_PREFIX "lockstep/"

typedef struct {
  const char *name;
  gboolean is_switch;
  const char *parameter; /* NULL: of the same name */
} Option;

static const Option options[] = {
  { "bf_interval", FALSE, NULL },
  { "bf_window", FALSE, NULL },
  { "bf_resolution", FALSE, NULL },
  { "bf_max_job_test", FALSE, NULL },
  { "bf_node_space_size", FALSE, NULL },
  { "bf_max_job_start", FALSE, NULL },
  { "bf_max_job_user", FALSE, NULL },
  { "bf_max_job_assoc", FALSE, NULL },
  { "bf_max_job_part", FALSE, NULL },
  { "bf_max_job_user_part", FALSE, NULL },
  { "bf_max_job_array_resv", FALSE, NULL },
  { "bf_job_part_count_reserve", FALSE, NULL },
  { "bf_min_age_reserve", FALSE, NULL },
  { "bf_min_prio_reserve", FALSE, NULL },
  { "bf_window_linear", FALSE, NULL },
  { "bf_running_job_reserve", TRUE, NULL },
  { "bf_licenses", TRUE, NULL },
  { "bf_one_resv_per_job", TRUE, NULL },
  { "bf_hetjob_immediate", TRUE, NULL },
  { "bf_hetjob_prio", FALSE, NULL },
  { "assoc_limit_stop", TRUE, NULL },
  { "default_queue_depth", FALSE, NULL },
  { "partition_job_depth", FALSE, NULL },
  { "sched_max_job_start", FALSE, NULL },
  { "sched_interval", FALSE, NULL },
  { "sched_min_interval", FALSE, NULL },
  { "batch_sched_delay", FALSE, NULL },
  { "defer", TRUE, NULL },
  { "max_job_bf", FALSE, "bf_max_job_test" }, /* its older name */
};

/* The option that a word sets, in whatever case; NULL: none of these. */
static const Option *
option_of (const char *word)
{
  gsize name_bytes = strcspn (word, "=");
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (strlen (options[i].name) == name_bytes
        && g_ascii_strncasecmp (options[i].name, word, name_bytes) == 0
        && (options[i].is_switch || word[name_bytes] == '='))
      return &options[i];
  return NULL;
}

gboolean
lk_slurm_conf_backfill_takes (const char *word)
{
  return option_of (word) != NULL;
}

const char **
lk_slurm_conf_backfill_names (void)
{
  const char **names = g_new0 (const char *, G_N_ELEMENTS (options) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    names[i] = options[i].name;
  return names;
}

/* ---------------------------------------------------------------- the specification */

typedef struct {
  GString *out;
  const LkSlurmPair *pair; /* SchedulerParameters; NULL: there are none */
  const LkSlurmOptionCheck *check;
  LkFaults *faults; /* NULL: the first error ends it */
  guint64 seen; /* set of indices of options: one that stands twice counts where it stands first */
} Writer;

static gboolean
append_parameter (Writer *self, const Option *option, const char *value, GError **error)
{
  const char *name = option->parameter != NULL ? option->parameter : option->name;
  g_autofree char *expected =
      self->check != NULL ? self->check->expectation (self->check->user, name, value) : NULL;
  LK_ASSERT (self->pair != NULL);
  if (expected != NULL)
    return lk_slurm_fail (&self->pair->place, error, "%s: %s is '%s'; expected %s", self->pair->key,
                          option->name, value, expected);
  g_string_append_printf (self->out, "%c%s=%s", strchr (self->out->str, ':') != NULL ? ',' : ':',
                          name, value);
  return TRUE;
}

/* bf_hetjob_prio is a word, and a number for the policy. NULL: no such word. */
static const char *
number_of_way (const char *value)
{
  static const char *const ways[] = { "min", "avg", "max" };
  static const char *const numbers[] = { "1", "2", "3" };
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (g_ascii_strcasecmp (value, ways[i]) == 0)
      return numbers[i];
  return NULL;
}

static gboolean
append_option (Writer *self, const char *word, GError **error)
{
  guint64 number;
  const LkSlurmPair *pair = self->pair;
  const Option *option = option_of (word);
  LK_ASSERT (pair != NULL);
  if (option == NULL || (self->seen >> (option - options) & 1) != 0)
    return TRUE;
  self->seen |= G_GUINT64_CONSTANT (1) << (option - options);
  if (option->is_switch)
    return append_parameter (self, option, "1", error);
  const char *value = strchr (word, '=') + 1;
  if (strcmp (option->name, "bf_hetjob_prio") == 0) {
    if (number_of_way (value) == NULL)
      return lk_slurm_fail (&pair->place, error, "%s: %s is '%s'; expected min, avg or max",
                            pair->key, option->name, value);
    return append_parameter (self, option, number_of_way (value), error);
  }
  /* -1 turns a loop off.  Who checks knows more of what is expected. */
  if (self->check == NULL && strcmp (value, "-1") != 0
      && !lk_slurm_number_parse (value, strlen (value), &number))
    return lk_slurm_fail (&pair->place, error, "%s: %s is '%s'; expected a number", pair->key,
                          option->name, value);
  return append_parameter (self, option, value, error);
}

/* Slurm looks for the older name only where the newer one is not. */
static void
prefer_newer_name (Writer *self, char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++) {
    const Option *option = option_of (words[i]);
    for (guint j = 0; option != NULL && j < G_N_ELEMENTS (options); j++)
      if (options[j].parameter != NULL && strcmp (options[j].parameter, option->name) == 0)
        self->seen |= G_GUINT64_CONSTANT (1) << j;
  }
}

/* The last pair of this key on a line of its own, or NULL. */
static const LkSlurmPair *
find_pair (const LkSlurmLines *lines, const char *key)
{
  const LkSlurmPair *found = NULL;
  for (guint i = 0; i < lines->lines->len; i++) {
    const GPtrArray *line = g_ptr_array_index (lines->lines, i);
    for (guint j = 0; j < line->len; j++) {
      const LkSlurmPair *pair = g_ptr_array_index (line, j);
      if (g_ascii_strcasecmp (pair->key, key) == 0)
        found = pair;
    }
  }
  return found;
}

/* ---------------------------------------------------------------- sched/builtin */

#define BUILTIN_INTERVAL_S 30
#define BUILTIN_INTERVAL_MAX_S 10800
#define BUILTIN_TEST_COUNT 50
#define BUILTIN_TEST_COUNT_MAX 1000000

/* The number behind the first occurrence of the word, wherever it stands, as Slurm reads it here:
 * its "interval=" is also that of another option. */
static gint64
number_behind (const char *text, const char *word, gint64 otherwise)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);
  const char *found = strstr (lower, word);
  return found != NULL ? g_ascii_strtoll (found + strlen (word), NULL, 10) : otherwise;
}

/* How often it tells when jobs may be expected to start, and of how many. */
static void
append_builtin (GString *out, const char *parameters)
{
  gint64 interval_s = number_behind (parameters, "interval=", BUILTIN_INTERVAL_S);
  gint64 count = number_behind (parameters, "max_job_bf=", BUILTIN_TEST_COUNT);
  count = number_behind (parameters, "bf_max_job_test=", count);
  interval_s = interval_s < 1 ? BUILTIN_INTERVAL_S : MIN (interval_s, BUILTIN_INTERVAL_MAX_S);
  count = count < 1 ? BUILTIN_TEST_COUNT : MIN (count, BUILTIN_TEST_COUNT_MAX);
  g_string_append_printf (
      out, ":builtin=1,bf_interval=%" G_GINT64_FORMAT ",bf_max_job_test=%" G_GINT64_FORMAT,
      interval_s, count);
}

/* Is it one of those that it reads in its own way? */
static gboolean
is_builtins_own (const char *word)
{
  return g_ascii_strncasecmp (word, "bf_interval=", strlen ("bf_interval=")) == 0
         || g_ascii_strncasecmp (word, "max_job_bf=", strlen ("max_job_bf=")) == 0
         || g_ascii_strncasecmp (word, "bf_max_job_test=", strlen ("bf_max_job_test=")) == 0;
}

/* What is out of bounds becomes what it would be without the option; what is no number is a
 * mistake. */
static gboolean
builtins_own_check (const LkSlurmPair *pair, const char *word, GError **error)
{
  const char *value = strchr (word, '=') + 1;
  gint64 number;
  if (g_ascii_string_to_signed (value, 10, G_MININT64, G_MAXINT64, &number, NULL))
    return TRUE;
  return lk_slurm_fail (&pair->place, error, "%s: %.*s is '%s'; expected a number", pair->key,
                        (int)strcspn (word, "="), word, value);
}

/* "lockstep/full", as `scontrol show config` of a cluster with a policy of ours has it.
 * Returns: "full" (transfer none); NULL: it is not one. */
static const char *
own_policy (const LkSlurmPair *type)
{
  gboolean is_own = type != NULL && g_str_has_prefix (type->value, OWN_PREFIX)
                    && type->value[strlen (OWN_PREFIX)] != '\0';
  return is_own ? type->value + strlen (OWN_PREFIX) : NULL;
}

static gboolean
type_check (const LkSlurmPair *type, GError **error)
{
  static const char *const types[] = { "sched/backfill", "sched/builtin", NULL };
  guint index;
  return type == NULL || own_policy (type) != NULL
         || lk_conf_word (type, type->value, types, &index, error);
}

gboolean
lk_slurm_conf_scheduler_check (const char *conf_path, GError **error)
{
  LkSlurmLines *lines = lk_slurm_lines_new (conf_path, error);
  if (lines == NULL)
    return FALSE;
  gboolean is_good = type_check (find_pair (lines, "SchedulerType"), error);
  lk_slurm_lines_free (lines);
  return is_good;
}

static gboolean
append_words (Writer *self, gboolean is_builtin, GError **error)
{
  g_auto (GStrv) words = lk_slurm_list_split (self->pair != NULL ? self->pair->value : "");
  prefer_newer_name (self, words);
  for (guint i = 0; words[i] != NULL; i++) {
    gboolean is_own = is_builtin && is_builtins_own (words[i]);
    if (!(is_own ? builtins_own_check (self->pair, words[i], error)
                 : append_option (self, words[i], error))
        && !lk_faults_goes_on (self->faults, error))
      return FALSE;
  }
  return TRUE;
}

char *
lk_slurm_conf_backfill_of (const LkSlurmLines *lines, const LkSlurmOptionCheck *check,
                           LkFaults *faults, GError **error)
{
  const LkSlurmPair *type = find_pair (lines, "SchedulerType");
  Writer writer = { .out = g_string_new ("slurm"),
                    .pair = find_pair (lines, "SchedulerParameters"),
                    .check = check,
                    .faults = faults };
  if (own_policy (type) != NULL) {
    g_string_free (writer.out, TRUE);
    return g_strdup (own_policy (type));
  }
  gboolean is_builtin = type != NULL && g_ascii_strcasecmp (type->value, "sched/builtin") == 0;
  if (is_builtin)
    append_builtin (writer.out, writer.pair != NULL ? writer.pair->value : "");
  gboolean is_good = (type_check (type, error) || lk_faults_goes_on (faults, error))
                     && append_words (&writer, is_builtin, error);
  return g_string_free (writer.out, !is_good);
}

char *
lk_slurm_conf_backfill (const char *conf_path, const LkSlurmOptionCheck *check, GError **error)
{
  g_autoptr (LkSlurmLines) lines = lk_slurm_lines_new (conf_path, error);
  return lines != NULL ? lk_slurm_conf_backfill_of (lines, check, NULL, error) : NULL;
}
