/* traces/slurm_conf_scheduler.c — see the header.
 *
 * Most options belong to a policy, which reads them itself when it is chosen; what is about wall
 * clocks, remote calls and clients has nothing to act on here.  Source: slurm.conf(5) of 17.11 to
 * 26.05, SchedulerParameters. */
#include "traces/slurm_conf_scheduler.h"

#include <string.h>

#include "engine/suggest.h"
#include "traces/conf_pairs.h"
#include "traces/slurm_conf_backfill.h"

typedef struct {
  const char *name;
  LkSlurmVerdict verdict;
  const char *how;
} Word;

#define WHY_CLOCK "no loop is cut off by the wall clock"
#define WHY_LOAD "there are no remote calls that could be many"
#define WHY_TOPOLOGY "no plan is compared with others for fragmentation"
#define WHY_CLIENT "about clients, steps and scripts, which are not modelled"
#define WHY_SELECT "give it to the select policy"

static const Word words[] = {
  { "allow_zero_lic", LK_SLURM_IGNORED, "licences of which there are none are refused" },
  { "bb_array_stage_cnt", LK_SLURM_IGNORED, "there are no burst buffers" },
  { "bf_allow_magnetic_slot", LK_SLURM_IGNORED,
    "a job that a reservation attracts is looked at once, and always reserves" },
  { "bf_busy_nodes", LK_SLURM_APPROXIMATED, WHY_SELECT ": busy=1" },
  { "bf_continue", LK_SLURM_IGNORED, "no cycle yields, so nothing changes in one" },
  { "bf_max_time", LK_SLURM_IGNORED, WHY_CLOCK },
  { "bf_topopt_enable", LK_SLURM_IGNORED, WHY_TOPOLOGY },
  { "bf_topopt_iterations", LK_SLURM_IGNORED, WHY_TOPOLOGY },
  { "bf_yield_interval", LK_SLURM_IGNORED, WHY_CLOCK },
  { "bf_yield_rpc_cnt", LK_SLURM_IGNORED, WHY_LOAD },
  { "bf_yield_sleep", LK_SLURM_IGNORED, WHY_CLOCK },
  { "build_queue_timeout", LK_SLURM_IGNORED, WHY_CLOCK },
  { "correspond_after_task_cnt", LK_SLURM_IGNORED, "aftercorr is cheap at any size of an array" },
  { "defer_batch", LK_SLURM_IGNORED, "no batch job is started when it is submitted" },
  { "delay_boot", LK_SLURM_IGNORED, "nodes are always on" },
  { "disable_hetjob_steps", LK_SLURM_IGNORED, WHY_CLIENT },
  { "disable_job_shrink", LK_SLURM_IGNORED, "no job is shrunk" },
  { "enable_hetjob_steps", LK_SLURM_IGNORED, WHY_CLIENT },
  { "enable_user_top", LK_SLURM_IGNORED, "of scontrol top on a live cluster" },
  { "extra_constraints", LK_SLURM_IGNORED, "nodes have no extra data" },
  { "ignore_constraint_validation", LK_SLURM_IGNORED, "constraints are checked at submit" },
  { "ignore_numa", LK_SLURM_IGNORED, "nodes are what slurm.conf says" },
  { "ignore_prefer_validation", LK_SLURM_IGNORED, "there is no --prefer" },
  { "max_array_tasks", LK_SLURM_IGNORED, "MaxArraySize is the limit" },
  { "max_depend_depth", LK_SLURM_IGNORED, "dependencies are followed to any depth" },
  { "max_rpc_cnt", LK_SLURM_IGNORED, WHY_LOAD },
  { "max_sched_time", LK_SLURM_IGNORED, WHY_CLOCK },
  { "max_script_size", LK_SLURM_UNDERSTOOD, "longest script of a job on a live cluster" },
  { "max_submit_line_size", LK_SLURM_IGNORED, WHY_CLIENT },
  { "max_switch_wait", LK_SLURM_UNDERSTOOD, "longest wait for --switches" },
  { "no_backup_scheduling", LK_SLURM_IGNORED, "there is one controller" },
  { "nohold_on_prolog_fail", LK_SLURM_UNDERSTOOD, "jobs whose prolog fails are not held" },
  { "pack_serial_at_end", LK_SLURM_APPROXIMATED, WHY_SELECT },
  { "reduce_completing_frag", LK_SLURM_IGNORED, "jobs that end take no time for it" },
  { "requeue_delay", LK_SLURM_UNDERSTOOD, "until what was requeued may start" },
  { "requeue_on_resume_failure", LK_SLURM_IGNORED, "nodes are always on" },
  { "salloc_wait_nodes", LK_SLURM_IGNORED, WHY_CLIENT },
  { "sbatch_wait_nodes", LK_SLURM_IGNORED, WHY_CLIENT },
  { "spec_cores_first", LK_SLURM_IGNORED, "the last cores are reserved" },
  { "step_retry_count", LK_SLURM_IGNORED, WHY_CLIENT },
  { "step_retry_time", LK_SLURM_IGNORED, WHY_CLIENT },
  { "time_min_as_soft_limit", LK_SLURM_IGNORED, "jobs are expected to run to their time limit" },
  { "whole_hetjob", LK_SLURM_IGNORED, "what becomes of one component becomes of all" },
  { "whole_pack", LK_SLURM_IGNORED, "what becomes of one component becomes of all" },
};

static const Word *
find_word (const char *word, gsize name_bytes)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i].name) == name_bytes
        && g_ascii_strncasecmp (words[i].name, word, name_bytes) == 0)
      return &words[i];
  return NULL;
}

static void
note_word (const LkSlurmPair *pair, const char *word)
{
  gsize name_bytes = strcspn (word, "=");
  const Word *known = find_word (word, name_bytes);
  int shown_bytes = (int)MIN (name_bytes, 64);
  if (lk_slurm_conf_backfill_takes (word))
    lk_slurm_pair_note (pair, LK_SLURM_UNDERSTOOD, "%.*s: of --backfill slurm", shown_bytes, word);
  else if (g_ascii_strncasecmp (word, "preempt_", strlen ("preempt_")) == 0)
    lk_slurm_pair_note (pair, LK_SLURM_UNDERSTOOD, "%.*s: of the preempt policy", shown_bytes,
                        word);
  else if (known != NULL)
    lk_slurm_pair_note (pair, known->verdict, "%.*s%s: %s", shown_bytes, word,
                        known->verdict == LK_SLURM_IGNORED ? " ignored" : "", known->how);
  else
    lk_slurm_pair_note (pair, LK_SLURM_IGNORED, "%.*s ignored: unknown option", shown_bytes, word);
}

void
lk_slurm_scheduler_words_note (const LkSlurmPair *pair)
{
  g_auto (GStrv) list = lk_slurm_list_split (pair->value);
  for (guint i = 0; list[i] != NULL; i++)
    note_word (pair, list[i]);
}

/* ---------------------------------------------------------------- what a run does not heed */

typedef struct {
  GString *unknown;
  GString *without_effect;
  GString *of_slurm;
} Unheeded;

static void
list_add (GString *list, const char *word, gsize name_bytes)
{
  g_autofree char *name = g_strndup (word, MIN (name_bytes, 64));
  g_autofree char *shown = lk_slurm_shown (name);
  g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", shown);
}

/* An option that is near, or that it is one and lacks its value. */
static void
unknown_add (GString *list, const char *word)
{
  gsize name_bytes = strcspn (word, "=");
  g_autofree char *name = g_ascii_strdown (word, (gssize)name_bytes);
  g_autofree const char **takes = lk_slurm_conf_backfill_names ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; takes[i] != NULL; i++)
    g_ptr_array_add (names, (gpointer)takes[i]);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_ptr_array_add (names, (gpointer)words[i].name);
  g_ptr_array_add (names, NULL);
  const char *nearest = lk_suggest (name, (const char *const *)names->pdata);
  list_add (list, word, name_bytes);
  if (nearest != NULL && strcmp (nearest, name) == 0)
    g_string_append (list, " (needs a value)");
  else if (nearest != NULL)
    g_string_append_printf (list, " (did you mean %s?)", nearest);
}

static void
sort_word (Unheeded *self, const char *word, gboolean is_backfill_slurm)
{
  gsize name_bytes = strcspn (word, "=");
  const Word *known = find_word (word, name_bytes);
  if (lk_slurm_conf_backfill_takes (word)) {
    if (!is_backfill_slurm)
      list_add (self->of_slurm, word, name_bytes);
  } else if (known != NULL) {
    if (known->verdict != LK_SLURM_UNDERSTOOD)
      list_add (self->without_effect, word, name_bytes);
  } else if (g_ascii_strncasecmp (word, "preempt_", strlen ("preempt_")) != 0) {
    unknown_add (self->unknown, word);
  }
}

static void
part_append (GString *out, const char *title, const GString *list)
{
  if (list->len > 0)
    g_string_append_printf (out, "%s %s %s", out->str[out->len - 1] == ':' ? "" : ";", title,
                            list->str);
}

char *
lk_slurm_scheduler_unheeded_of (const LkConfPairs *conf, gboolean is_backfill_slurm)
{
  g_autoptr (GString) unknown = g_string_new (NULL);
  g_autoptr (GString) without_effect = g_string_new (NULL);
  g_autoptr (GString) of_slurm = g_string_new (NULL);
  Unheeded lists = { .unknown = unknown, .without_effect = without_effect, .of_slurm = of_slurm };
  const LkSlurmPair *pair = lk_conf_pairs_get (conf, "SchedulerParameters");
  g_auto (GStrv) options = lk_slurm_list_split (pair != NULL ? pair->value : "");
  for (guint i = 0; options[i] != NULL; i++)
    sort_word (&lists, options[i], is_backfill_slurm);
  g_autoptr (GString) out = g_string_new (NULL);
  if (pair != NULL && unknown->len + without_effect->len + of_slurm->len > 0) {
    g_string_append_printf (out, "%s:%u: %s:", pair->place.file, pair->place.line_number,
                            pair->key);
    part_append (out, "unknown:", unknown);
    part_append (out, "without effect here:", without_effect);
    part_append (out, "only of --backfill slurm:", of_slurm);
    g_string_append (out, " (lockstep import slurm tells why)");
  }
  return out->len > 0 ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}

char *
lk_slurm_scheduler_unheeded (const char *conf_path, gboolean is_backfill_slurm)
{
  LkConfPairs conf;
  if (!lk_conf_pairs_read (&conf, conf_path, NULL))
    return NULL;
  char *text = lk_slurm_scheduler_unheeded_of (&conf, is_backfill_slurm);
  lk_conf_pairs_clear (&conf);
  return text;
}

gboolean
lk_slurm_scheduler_has (const LkConfPairs *conf, const char *word)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (conf, "SchedulerParameters");
  g_auto (GStrv) options = lk_slurm_list_split (pair != NULL ? pair->value : "");
  return g_strv_contains ((const char *const *)options, word);
}

gboolean
lk_slurm_scheduler_number (const LkConfPairs *conf, const char *word, guint64 *number)
{
  const LkSlurmPair *pair = lk_conf_pairs_get (conf, "SchedulerParameters");
  g_auto (GStrv) options = lk_slurm_list_split (pair != NULL ? pair->value : "");
  for (guint i = 0; options[i] != NULL; i++)
    if (g_ascii_strncasecmp (options[i], word, strlen (word)) == 0
        && !g_ascii_string_to_unsigned (options[i] + strlen (word), 10, 1, G_MAXUINT32, number,
                                        NULL))
      return FALSE;
  return TRUE;
}
