/* tests/oracle/situation.c — see situation.h. */
#include "tests/oracle/situation.h"

#include <string.h>

#include "engine/engine.h"
#include "policies/registry.h"
#include "sim/command_play.h"
#include "sim/report.h"
#include "sim/run_accounts.h"
#include "tests/oracle/situation_clocks.h"
#include "tests/oracle/situation_read.h"
#include "tests/oracle/situation_told.h"
#include "traces/accounts_open.h"
#include "traces/cluster_open.h"
#include "traces/preempt_conf.h"
#include "traces/slurm_conf.h"
#include "traces/slurm_conf_backfill.h"

/* One run of a job, as the engine decided. */
typedef struct {
  guint32 job_id;
  char *label;
  gint64 start_us;
  char *nodes;
  guint32 cpus;
  const char *state; /* how it ended; "" it did not */
  gint64 end_us;
  guint exit_code; /* its own */
  guint exit_signal;
  guint restarts;
  gboolean was_ended;  /* from outside */
  gboolean has_failed; /* by what its script returned, whatever was made of it */
} Run;

typedef struct {
  LkSituation *out;
  const char *folder;
  LkClocks clocks;
  LkSlurmImport *import;
  LkCluster *cluster;   /* of the import */
  LkAccounts *accounts; /* NULL: none */
  LkRegistry *registry;
  LkSetup *setup;
  LkCommandScript *script;
  GPtrArray *recorded; /* answers: "rc=0 7", one for each command that has one; else NULL */
  LkCommandPlay *play;
  GPtrArray *runs;   /* of Run, as they started */
  GHashTable *ended; /* label of a job that never ran -> how it ended */
  char *sacct;       /* what accounting has; NULL: it was not recorded */
  const LkEngine *engine;
} Play;

static void differ (Play *self, const char *what, const char *recorded, const char *here);

static void
run_free (Run *self)
{
  g_free (self->label);
  g_free (self->nodes);
  g_free (self);
}

static void
differ (Play *self, const char *what, const char *recorded, const char *here)
{
  g_ptr_array_add (self->out->differences,
                   g_strdup_printf ("%s: recorded %s, here %s", what, recorded, here));
}

/* A fact: both should be the same. */
static void
compare (Play *self, const char *what, const char *recorded, const char *here)
{
  self->out->fact_count++;
  if (strcmp (recorded, here) != 0)
    differ (self, what, recorded, here);
}

static char *
file_text (const Play *self, const char *name, GError **error)
{
  char *text = NULL;
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_file_get_contents (path, &text, NULL, error);
  return text;
}

/* ---------------------------------------------------------------- jobs and their names */

/* "12", or "12_3" of a task. Returns: (transfer full). */
static char *
job_label_new (const Play *self, guint32 job_id)
{
  guint32 array, task;
  return lk_command_play_job_task (self->play, job_id, &array, &task)
             ? g_strdup_printf ("%u_%u", array, task)
             : g_strdup_printf ("%u", job_id);
}

static const char *
job_name (gpointer user, guint32 job_id)
{
  return lk_command_play_job_name (((const Play *)user)->play, job_id);
}

static const char *
user_name (gpointer user, guint32 job_id)
{
  return lk_command_play_job_user (((const Play *)user)->play, job_id);
}

/* ---------------------------------------------------------------- what is decided */

static Run *
run_last (const Play *self, guint32 job_id)
{
  for (guint i = self->runs->len; i > 0; i--) {
    Run *run = g_ptr_array_index (self->runs, i - 1);
    if (run->job_id == job_id)
      return run;
  }
  return NULL;
}

static guint32
cpu_count (const LkEngine *engine, guint32 job_id)
{
  guint32 cpus = 0;
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  for (guint32 i = lk_engine_job_pieces (engine, job_id); i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_of_job)
    cpus += lk_piece (nodes, i)->cpus;
  return cpus;
}

static gboolean
is_final (LkJobState state)
{
  return state != LK_JOB_PENDING && state != LK_JOB_RUNNING && state != LK_JOB_SUSPENDED;
}

/* A job has ended, or its run. Slurm keeps what the job itself returned, or 1 of lost nodes. */
static void
note_end (Play *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  Run *run = run_last (self, notice->job_id);
  if (!is_final (notice->state))
    return;
  if (run == NULL)
    g_hash_table_insert (self->ended, job_label_new (self, notice->job_id),
                         (gpointer)lk_job_state_name (notice->state));
  if (run == NULL || *run->state != '\0')
    return;
  run->state = lk_job_state_name (notice->state);
  run->end_us = cause->time_us;
  run->was_ended = notice->state != LK_JOB_COMPLETED && notice->state != LK_JOB_FAILED;
  run->has_failed = cause->kind == LK_EVENT_JOB_ENDED && cause->job_ended.cancelled == 0
                    && (cause->job_ended.exit_code != 0 || cause->job_ended.signal != 0);
  if (!run->was_ended && cause->kind == LK_EVENT_JOB_ENDED) {
    run->exit_code = cause->job_ended.exit_code;
    run->exit_signal = cause->job_ended.signal;
  }
  if (notice->state == LK_JOB_NODE_FAIL)
    run->exit_code = 1;
}

static guint
restarts_of (const Play *self, guint32 job_id)
{
  LkJobInfo info;
  return lk_engine_job (self->engine, job_id, &info) ? info.restarts : 0;
}

static void
decided (gpointer user, const LkEvent *cause, const LkDecision *decision)
{
  Play *self = user;
  Run *run;
  switch (decision->kind) {
  case LK_DECISION_START:
    run = g_new0 (Run, 1);
    run->job_id = decision->start.job_id;
    run->label = job_label_new (self, run->job_id);
    run->start_us = cause->time_us;
    run->nodes = g_strndup (decision->start.nodes.bytes, decision->start.nodes.length_bytes);
    run->cpus = cpu_count (self->engine, run->job_id);
    run->state = "";
    run->restarts = restarts_of (self, run->job_id);
    g_ptr_array_add (self->runs, run);
    break;
  case LK_DECISION_NOTICE:
    note_end (self, cause, &decision->notice);
    break;
  default:
    break;
  }
}

/* ---------------------------------------------------------------- squeue */

static char *
squeue_text (Play *self, const LkSimControl *control, const char *command)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) reports = lk_report_list_parse (command, &error);
  g_assert_no_error (error);
  LkReportState state = { .engine = control->engine,
                          .config = lk_setup_config (self->setup),
                          .at_us = control->now_us,
                          .unix_start_s = LK_PLANNED_UNIX_START_S,
                          .job_name = job_name,
                          .user_name = user_name,
                          .user = self };
  GString *text = g_string_new (NULL);
  lk_report_write (&state, g_ptr_array_index (reports, 0), text);
  return g_string_free (text, FALSE);
}

static void
compare_row (Play *self, const char *label, char **recorded, char **here)
{
  for (guint column = LK_SQUEUE_PARTITION; column < LK_SQUEUE_COLUMN_COUNT; column++) {
    /* Where there are no accounts there is nothing to tell. */
    if (self->accounts == NULL && (column == LK_SQUEUE_ACCOUNT || column == LK_SQUEUE_QOS))
      continue;
    g_autofree char *what = g_strdup_printf ("squeue %s, job %s, %s", label,
                                             recorded[LK_SQUEUE_JOB], lk_squeue_columns[column]);
    compare (self, what, recorded[column], here[column]);
  }
}

static void
fact (gpointer user, const char *what, const char *recorded, const char *here)
{
  compare (user, what, recorded, here);
}

/* When and where jobs are expected to start, behind the first start of all. */
static void
compare_planned (Play *self, const char *label, const LkSimControl *control)
{
  g_autofree char *name = g_strdup_printf ("squeue-start.%s.txt", label);
  g_autofree char *recorded = file_text (self, name, NULL);
  gint64 first_s = self->sacct != NULL ? lk_told_first_start_s (self->sacct) : -1;
  if (recorded == NULL || first_s < 0 || self->runs->len == 0)
    return;
  gint64 here_first_s =
      LK_PLANNED_UNIX_START_S
      + ((const Run *)g_ptr_array_index (self->runs, 0))->start_us / G_USEC_PER_SEC;
  g_autofree char *here = squeue_text (self, control, LK_PLANNED_FORMAT);
  LkToldPlanned told = { label, recorded, first_s, here, here_first_s };
  lk_told_planned (&told, fact, self);
}

static void
look (gpointer user, const char *label, const LkSimControl *control)
{
  Play *self = user;
  g_autofree char *name = g_strdup_printf ("squeue.%s.txt", label);
  g_autofree char *recorded_text = file_text (self, name, NULL);
  if (recorded_text == NULL)
    return;
  g_autofree char *here_text =
      squeue_text (self, control, "squeue -h -r -S i -o '" LK_SQUEUE_FORMAT "'");
  g_autoptr (GPtrArray) recorded = lk_squeue_rows (recorded_text);
  g_autoptr (GPtrArray) here = lk_squeue_rows (here_text);
  for (guint i = 0; i < recorded->len; i++) {
    char **row = g_ptr_array_index (recorded, i);
    char **own = lk_row_find (here, LK_SQUEUE_JOB, row[LK_SQUEUE_JOB]);
    g_autofree char *what = g_strdup_printf ("squeue %s, job %s", label, row[LK_SQUEUE_JOB]);
    compare (self, what, row[LK_SQUEUE_STATE], own != NULL ? own[LK_SQUEUE_STATE] : "gone");
    if (own != NULL && strcmp (row[LK_SQUEUE_STATE], own[LK_SQUEUE_STATE]) == 0)
      compare_row (self, label, row, own);
  }
  for (guint i = 0; i < here->len; i++) {
    char **own = g_ptr_array_index (here, i);
    g_autofree char *what = g_strdup_printf ("squeue %s, job %s", label, own[LK_SQUEUE_JOB]);
    if (lk_row_find (recorded, LK_SQUEUE_JOB, own[LK_SQUEUE_JOB]) == NULL)
      compare (self, what, "gone", own[LK_SQUEUE_STATE]);
  }
  compare_planned (self, label, control);
}

/* ---------------------------------------------------------------- answers */

/* "#! COMMAND: WHY": what the converter has no line for. */
static void
compare_not_played (Play *self, const char *script)
{
  g_auto (GStrv) lines = g_strsplit (script, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (!g_str_has_prefix (lines[i], "#! "))
      continue;
    const char *why = g_strrstr (lines[i], ": ");
    g_autofree char *what = g_strndup (lines[i] + 3, MIN (60, (gsize)(why - lines[i]) - 3));
    g_autofree char *here = g_strdup_printf ("not played (%s)", why + 2);
    compare (self, what, "done", here);
  }
}

/* "# rc=0 7" before a command; NULL where it was not answered. */
static GPtrArray *
recorded_answers (const char *script)
{
  GPtrArray *answers = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) lines = g_strsplit (script, "\n", -1);
  const char *last = NULL;
  for (guint i = 0; lines[i] != NULL; i++) {
    if (g_str_has_prefix (lines[i], "# ")) {
      last = lines[i] + 2;
    } else if (*lines[i] != '\0') {
      g_ptr_array_add (answers, g_strdup (last));
      last = NULL;
    }
  }
  return answers;
}

/* The number is the last word, also behind "Submitted batch job" and behind warnings. */
static char *
submitted_text (const char *recorded)
{
  g_autofree char *text = g_strchomp (g_strdup (recorded));
  const char *space = strrchr (text, ' ');
  return g_strdup_printf ("job %s", space != NULL ? space + 1 : text);
}

static void
compare_answer (Play *self, const LkCommandAnswer *answer, const char *recorded)
{
  const LkCommand *command = answer->command;
  gboolean was_taken = g_str_has_prefix (recorded, "rc=0");
  g_autofree char *what = g_strdup_printf ("%s: %.60s", command->user, command->text);
  g_autofree char *id = g_strdup_printf ("job %u", answer->job_id);
  g_autofree char *was_id = submitted_text (recorded);
  gboolean has_id = command->kind == LK_COMMAND_SUBMIT && !command->is_test && was_taken;
  g_autofree char *here = answer->refused != NULL
                              ? g_strdup_printf ("refused (%s)", answer->refused)
                          : has_id ? g_strdup (id)
                                   : g_strdup ("taken");
  self->out->fact_count++;
  if (was_taken ? strcmp (has_id ? was_id : "taken", here) != 0 : answer->refused == NULL)
    differ (self, what, has_id ? was_id : was_taken ? "taken" : recorded, here);
  if (command->passed_over != NULL && command->kind == LK_COMMAND_SUBMIT)
    differ (self, what, "as asked", command->passed_over);
}

static void
compare_answers (Play *self)
{
  const GArray *answers = lk_command_play_answers (self->play);
  for (guint i = 0; i < answers->len; i++)
    if (g_ptr_array_index (self->recorded, i) != NULL)
      compare_answer (self, &g_array_index (answers, LkCommandAnswer, i),
                      g_ptr_array_index (self->recorded, i));
}

/* ---------------------------------------------------------------- runs */

/* The n-th run of a job, from 0. */
static const Run *
run_find (const Play *self, const char *label, guint n)
{
  for (guint i = 0; i < self->runs->len; i++) {
    const Run *run = g_ptr_array_index (self->runs, i);
    if (strcmp (run->label, label) == 0 && n-- == 0)
      return run;
  }
  return NULL;
}

static guint
earlier_runs (const GPtrArray *rows, guint row)
{
  guint count = 0;
  char **cells = g_ptr_array_index (rows, row);
  for (guint i = 0; i < row; i++)
    count += strcmp (((char **)g_ptr_array_index (rows, i))[LK_RUN_JOB], cells[LK_RUN_JOB]) == 0;
  return count;
}

/* "CANCELLED by 0" is CANCELLED; the job completion plugin of 22.05 says PENDING of a run behind
 * which the job was put back into the queue. */
static char *
state_word (const char *state)
{
  if (strcmp (state, "PENDING") == 0)
    return g_strdup ("REQUEUED");
  return g_strndup (state, strcspn (state, " "));
}

/* The plugin tells how the script ended, not that the job is put back into the queue for it. */
static const char *
told_state (const Play *self, const Run *run)
{
  gboolean is_told_by_plugin = self->cluster->compat == LK_COMPAT_SLURM_22_05;
  return is_told_by_plugin && run->has_failed && strcmp (run->state, "REQUEUED") == 0 ? "FAILED"
                                                                                      : run->state;
}

static void
compare_run (Play *self, char **row, guint n, const Run *run)
{
  g_autofree char *run_text = n > 0 ? g_strdup_printf (", run %u", n + 1) : g_strdup ("");
  g_autofree char *base = g_strdup_printf ("job %s%s", row[LK_RUN_JOB], run_text);
  compare (self, base, "started", run != NULL ? "started" : "never started");
  if (run == NULL)
    return;
  g_autofree char *nodes = g_strdup_printf ("%s, nodes", base);
  g_autofree char *cpus = g_strdup_printf ("%s, cpus", base);
  g_autofree char *state = g_strdup_printf ("%s, end", base);
  g_autofree char *raw = g_strdup_printf ("%s, number", base);
  g_autofree char *was = state_word (row[LK_RUN_STATE]);
  g_autofree char *count = g_strdup_printf ("%u", run->cpus);
  g_autofree char *number = g_strdup_printf ("%u", run->job_id);
  compare (self, nodes, row[LK_RUN_NODES], run->nodes);
  compare (self, cpus, row[LK_RUN_CPUS], count);
  compare (self, state, was, told_state (self, run));
  compare (self, raw, row[LK_RUN_RAW_JOB], number);
}

/* Of two jobs that started in different seconds, the first must not start behind the second. */
static void
compare_order (Play *self, const GPtrArray *rows, guint at)
{
  char **row = g_ptr_array_index (rows, at);
  const Run *run = run_find (self, row[LK_RUN_JOB], earlier_runs (rows, at));
  self->out->fact_count++;
  for (guint i = 0; i < at && run != NULL; i++) {
    char **before = g_ptr_array_index (rows, i);
    const Run *other = run_find (self, before[LK_RUN_JOB], earlier_runs (rows, i));
    if (other == NULL || strcmp (before[LK_RUN_START], row[LK_RUN_START]) == 0
        || other->start_us <= run->start_us)
      continue;
    g_autofree char *what =
        g_strdup_printf ("start of job %s and of job %s", before[LK_RUN_JOB], row[LK_RUN_JOB]);
    differ (self, what, "in this order", "in the other");
    return;
  }
}

static void
compare_runs (Play *self, const char *text)
{
  guint last = lk_command_script_count (self->script) - 1;
  gint64 end_us = lk_command_script_at (self->script, last)->time_us;
  g_autoptr (GPtrArray) rows = lk_run_rows (text);
  for (guint i = 0; i < rows->len; i++) {
    char **row = g_ptr_array_index (rows, i);
    guint n = earlier_runs (rows, i);
    compare_run (self, row, n, run_find (self, row[LK_RUN_JOB], n));
    compare_order (self, rows, i);
  }
  for (guint i = 0; i < self->runs->len; i++) {
    const Run *run = g_ptr_array_index (self->runs, i);
    guint n = 0, recorded = 0;
    for (guint j = 0; j < i; j++)
      n += strcmp (((const Run *)g_ptr_array_index (self->runs, j))->label, run->label) == 0;
    for (guint j = 0; j < rows->len; j++)
      recorded += strcmp (((char **)g_ptr_array_index (rows, j))[LK_RUN_JOB], run->label) == 0;
    g_autofree char *what = g_strdup_printf ("job %s, run %u", run->label, n + 1);
    /* What would have started behind the last look is not recorded. */
    if (n >= recorded && run->start_us < end_us)
      compare (self, what, "never started", "started");
  }
}

/* ---------------------------------------------------------------- accounting */

static gboolean
find_told (gpointer user, const char *label, gint n, LkToldRun *out_run)
{
  const Play *self = user;
  if (n == LK_TOLD_NEVER_RAN) {
    out_run->state = g_hash_table_lookup (self->ended, label);
    return out_run->state != NULL;
  }
  const Run *run = run_find (self, label, (guint)n);
  if (run == NULL || *run->state == '\0')
    return FALSE;
  *out_run = (LkToldRun){ .exit_code = run->exit_code,
                          .exit_signal = run->exit_signal,
                          .restarts = run->restarts,
                          .elapsed_us = run->end_us - run->start_us,
                          .was_ended = run->was_ended };
  return TRUE;
}

/* ---------------------------------------------------------------- playing */

static int
no_job (gpointer user, LkSimJob *out_job, GError **error)
{
  (void)user;
  (void)out_job;
  (void)error;
  return 0;
}

static gboolean
job_ended (gpointer user, const LkSimResult *result, GError **error)
{
  (void)user;
  (void)result;
  (void)error;
  return TRUE;
}

static gint64
next_action_us (gpointer user)
{
  return lk_command_play_next_us (((Play *)user)->play);
}

static gboolean
act (gpointer user, const LkSimControl *control, GError **error)
{
  Play *self = user;
  (void)error;
  self->engine = control->engine;
  lk_command_play_act (self->play, control);
  return TRUE;
}

static void
task (gpointer user, const LkDecision_task *decision, LkSimJob *job)
{
  lk_command_play_task (((Play *)user)->play, decision, job);
}

/* The script of the commands, as the converter makes it, with @ where tenths of seconds of runs
 * stand. Returns: (transfer full). */
static char *
script_text (const char *converter, const char *folder, GError **error)
{
  g_autofree char *said = NULL;
  g_autofree char *text = NULL;
  char *argv[] = { (char *)converter, (char *)folder, (char *)"@", NULL };
  int status;
  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, &said, &status, error))
    return NULL;
  if (g_spawn_check_wait_status (status, NULL))
    return g_steal_pointer (&text);
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, g_strchomp (said));
  return NULL;
}

static gboolean
script_read (Play *self, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ".@", -1);
  char *own = g_strjoinv (self->clocks.run_tenths, parts);
  g_autoptr (GBytes) bytes = g_bytes_new_take (own, strlen (own));
  self->recorded = recorded_answers (own);
  compare_not_played (self, own);
  self->script = lk_command_script_new_tolerant (self->out->name, bytes, error);
  /* The engine scans at multiples of the period. */
  if (self->script != NULL && self->clocks.scan_s != LK_SCAN_NONE)
    lk_command_script_shift (self->script, (LK_SCAN_S - self->clocks.scan_s) * G_TIME_SPAN_SECOND);
  /* Turns change at multiples of a slice. */
  if (self->script != NULL && self->clocks.turn_us > 0)
    lk_command_script_shift (self->script, self->clocks.turn_us);
  return self->script != NULL;
}

/* The dump was made behind the last command: where accounts changed in between, or where there is
 * none, those that were set up before the first one are played. Returns: (transfer full). */
static char *
accounts_path (const Play *self)
{
  g_autofree char *setup = g_build_filename (self->folder, "setup.sh", NULL);
  g_autofree char *log = file_text (self, "commands.log", NULL);
  gboolean has_changed = log != NULL && strstr (log, ": sacctmgr -i ") != NULL;
  g_autofree char *dump = g_build_filename (self->folder, "sacctmgr-dump.cfg", NULL);
  if ((has_changed || !g_file_test (dump, G_FILE_TEST_EXISTS))
      && g_file_test (setup, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&setup);
  return g_steal_pointer (&dump);
}

static gboolean
machine_read (Play *self, GError **error)
{
  g_autofree char *conf = g_build_filename (self->folder, "slurm.conf", NULL);
  g_autofree char *dump = accounts_path (self);
  LkSlurmImportOptions import = { .conf_path = conf };
  self->import = lk_slurm_import_new (&import, error);
  if (self->import == NULL)
    return FALSE;
  self->cluster = (LkCluster *)lk_slurm_import_cluster (self->import); /* ours alone */
  if (self->clocks.scan_s != LK_SCAN_NONE)
    self->cluster->time_scan_us = LK_SCAN_S * G_TIME_SPAN_SECOND;
  g_autofree char *own_dump = g_build_filename (self->folder, "sacctmgr-dump.cfg", NULL);
  if (!g_file_test (own_dump, G_FILE_TEST_EXISTS))
    self->cluster->compat = LK_COMPAT_SLURM_22_05; /* whose dumps tell nothing of QOS */
  if (!g_file_test (dump, G_FILE_TEST_EXISTS))
    return TRUE;
  self->accounts = lk_run_accounts_open (dump, conf, error);
  return self->accounts != NULL;
}

static gboolean
setup (Play *self, GError **error)
{
  g_autofree char *conf = g_build_filename (self->folder, "slurm.conf", NULL);
  g_autofree char *order = lk_slurm_conf_order (conf, error);
  if (order == NULL)
    return FALSE;
  g_autofree char *asked = lk_slurm_conf_backfill (conf, NULL, error);
  g_autofree char *preempt = asked != NULL ? lk_slurm_conf_preempt (conf, error) : NULL;
  if (preempt == NULL)
    return FALSE;
  gboolean is_old = self->cluster->compat == LK_COMPAT_SLURM_22_05;
  g_autofree char *backfill = g_strdup_printf (
      "%s%ctick_phase=%u,sched_phase=%u,bf_phase=%u%s", asked,
      strchr (asked, ':') != NULL ? ',' : ':', self->clocks.tick_phase_us,
      self->clocks.tick_phase_us, self->clocks.cycle_phase_us, is_old ? ",release=2205" : "");
  LkSetupOptions options = { .origin_us = LK_TIME_NEVER,
                             .order = order,
                             .backfill = backfill,
                             .select = lk_setup_select_of (self->cluster),
                             .preempt = preempt,
                             .cluster = self->cluster,
                             .accounts = self->accounts };
  self->registry = lk_registry_new ();
  self->setup = lk_setup_new (self->registry, &options, error);
  return self->setup != NULL;
}

static gboolean
run (Play *self, const char *script, GError **error)
{
  LkSimTotals totals;
  LkSimClient client = { .next_job = no_job,
                         .job_ended = job_ended,
                         .next_action_us = next_action_us,
                         .act = act,
                         .task = task,
                         .decided = decided,
                         .user = self };
  if (!machine_read (self, error) || !setup (self, error) || !script_read (self, script, error))
    return FALSE;
  self->sacct = file_text (self, "sacct.txt", NULL);
  LkSimOptions options = { .config = lk_setup_config (self->setup) };
  self->play = lk_command_play_new (self->script, error);
  if (self->play == NULL)
    return FALSE;
  lk_command_play_on_look (self->play, look, self);
  lk_command_play_describe (self->play, self->setup);
  lk_command_play_spread (self->play, self->clocks.spread_us);
  g_autofree char *runs = file_text (self, "start-order.txt", error);
  if (runs == NULL || !lk_sim_run (&options, &client, &totals, error))
    return FALSE;
  compare_answers (self);
  compare_runs (self, runs);
  if (self->sacct != NULL)
    lk_told_sacct (self->sacct, find_told, fact, self);
  return TRUE;
}

static LkSituation *
play_at (const char *folder, const char *script, LkClocks clocks, GError **error)
{
  g_autoptr (LkSituation) out = g_new0 (LkSituation, 1);
  g_autofree char *whole = g_canonicalize_filename (folder, NULL);
  out->name = g_path_get_basename (whole);
  out->differences = g_ptr_array_new_with_free_func (g_free);
  Play self = { .out = out,
                .folder = folder,
                .clocks = clocks,
                .runs = g_ptr_array_new_with_free_func ((GDestroyNotify)run_free),
                .ended = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gboolean is_good = run (&self, script, error);
  lk_command_play_free (self.play);
  lk_command_script_free (self.script);
  lk_setup_free (self.setup);
  lk_registry_free (self.registry);
  lk_accounts_free (self.accounts);
  lk_slurm_import_free (self.import);
  g_clear_pointer (&self.recorded, g_ptr_array_unref);
  g_ptr_array_unref (self.runs);
  g_hash_table_unref (self.ended);
  g_free (self.sacct);
  return is_good ? g_steal_pointer (&out) : NULL;
}

/* How long a turn is; 0: jobs take none. */
static guint
slice_s_of (const char *conf)
{
  const char *at = strstr (conf, "\nSchedulerTimeSlice=");
  const char *mode = strstr (conf, "\nPreemptMode=");
  g_autofree char *line = mode != NULL ? g_strndup (mode + 1, strcspn (mode + 1, "\n")) : NULL;
  if (line == NULL || strstr (line, "GANG") == NULL || at == NULL)
    return 0;
  return (guint)g_ascii_strtoull (strchr (at, '=') + 1, NULL, 10);
}

static GArray *
clocks_of (const char *folder, GError **error)
{
  static const char *const files[] = { "slurm.conf", "sacctmgr-dump.cfg" };
  gboolean has_grace = FALSE;
  guint slice_s = 0;
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i], NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents (path, &text, NULL, NULL))
      continue;
    has_grace = has_grace || strstr (text, "GraceTime=") != NULL;
    slice_s = i == 0 ? slice_s_of (text) : slice_s;
  }
  g_autofree char *path = g_build_filename (folder, "start-order.txt", NULL);
  g_autofree char *runs = NULL;
  return g_file_get_contents (path, &runs, NULL, error) ? lk_clocks_new (runs, has_grace, slice_s)
                                                        : NULL;
}

/* The first of those plays that differ least. */
LkSituation *
lk_situation_play (const char *converter, const char *folder, GError **error)
{
  LkSituation *best = NULL;
  g_autofree char *script = script_text (converter, folder, error);
  g_autoptr (GArray) clocks = script != NULL ? clocks_of (folder, error) : NULL;
  for (guint i = 0; clocks != NULL && i < clocks->len; i++) {
    LkSituation *next = play_at (folder, script, g_array_index (clocks, LkClocks, i), error);
    if (next == NULL) {
      lk_situation_free (best);
      return NULL;
    }
    gboolean is_better = best == NULL || next->differences->len < best->differences->len;
    lk_situation_free (is_better ? best : next);
    best = is_better ? next : best;
    if (best->differences->len == 0)
      break;
  }
  return best;
}

void
lk_situation_free (LkSituation *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_ptr_array_unref (self->differences);
  g_free (self);
}
