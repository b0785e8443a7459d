/* traces/slurm_conf_backfill.c — see the header.
 *
 * The parameters of the policy have the names of Slurm's options, which are written as NAME=VALUE,
 * or as NAME where they are switches.  Source: slurm.conf(5), SchedulerParameters. */
#include "traces/slurm_conf_backfill.h"

#include <string.h>

#include "traces/conf_pairs.h"
#include "traces/slurm_conf_private.h"

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

/* ---------------------------------------------------------------- the specification */

static void
append_parameter (GString *out, const char *name, const char *value)
{
  g_string_append_printf (out, "%c%s=%s", strchr (out->str, ':') != NULL ? ',' : ':', name, value);
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
append_option (GString *out, const LkSlurmPair *pair, const char *word, GError **error)
{
  guint64 number;
  const Option *option = option_of (word);
  const char *value = strchr (word, '=');
  if (option == NULL)
    return TRUE;
  const char *name = option->parameter != NULL ? option->parameter : option->name;
  if (option->is_switch) {
    append_parameter (out, name, "1");
    return TRUE;
  }
  value++;
  if (strcmp (option->name, "bf_hetjob_prio") == 0) {
    if (number_of_way (value) == NULL)
      return lk_slurm_fail (&pair->place, error, "%s: %s is '%s'; expected min, avg or max",
                            pair->key, option->name, value);
    append_parameter (out, name, number_of_way (value));
    return TRUE;
  }
  /* -1 turns a loop off. */
  if (strcmp (value, "-1") != 0 && !lk_slurm_number_parse (value, strlen (value), &number))
    return lk_slurm_fail (&pair->place, error, "%s: %s is '%s'; expected a number", pair->key,
                          option->name, value);
  append_parameter (out, name, value);
  return TRUE;
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

static gboolean
type_check (const LkSlurmPair *type, GError **error)
{
  static const char *const types[] = { "sched/backfill", "sched/builtin", NULL };
  guint index;
  return type == NULL || lk_conf_word (type, type->value, types, &index, error);
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

char *
lk_slurm_conf_backfill (const char *conf_path, GError **error)
{
  LkSlurmLines *lines = lk_slurm_lines_new (conf_path, error);
  if (lines == NULL)
    return NULL;
  const LkSlurmPair *type = find_pair (lines, "SchedulerType");
  const LkSlurmPair *parameters = find_pair (lines, "SchedulerParameters");
  GString *out = g_string_new ("slurm");
  gboolean is_builtin = type != NULL && g_ascii_strcasecmp (type->value, "sched/builtin") == 0;
  g_auto (GStrv) words = lk_slurm_list_split (parameters != NULL ? parameters->value : "");
  gboolean is_good = type_check (type, error);
  if (is_builtin)
    append_builtin (out, parameters != NULL ? parameters->value : "");
  for (guint i = 0; parameters != NULL && is_good && words[i] != NULL; i++)
    if (!is_builtin || !is_builtins_own (words[i]))
      is_good = append_option (out, parameters, words[i], error);
  lk_slurm_lines_free (lines);
  return g_string_free (out, !is_good);
}
