/* traces/top/run.c — see the header. */
#include "traces/top/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "traces/top/worker.h"

#define ONCE_COLUMNS 80u
#define ONCE_ROWS 24u
#define INTERVAL_DEFAULT_S 2u
#define INTERVAL_MAX_S 3600u
/* A controller is asked so seldom that answering takes it at most so much of its time. */
#define REST_PER_WORK 10
#define END_WAIT_US (G_USEC_PER_SEC / 2)

const char lk_top_description[] =
    "JOURNAL is a journal of 'lockstep sim --journal' or of a controller, or a controller's\n"
    "directory. Without it the cluster that the commands speak to is shown as it lives, asked at\n"
    "most once a second, and only for what is shown.\n"
    "\n"
    "Keys are told by ?. Colours are left out where NO_COLOR is set; where the locale is not\n"
    "UTF-8, or with --ascii, nothing but ASCII is drawn.\n"
    "\n"
    "Exit status: 0 done; 1 the journal or the cluster cannot be read, or there is no terminal;\n"
    "2 wrong command line.\n"
    "\n"
    "Example: lockstep top run.journal --at 7d\n"
    "         lockstep top --once --pane queue --filter 'user=alice state=pd'";

void
lk_top_options_add (LkTopOptions *self, GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "once", 0, 0, G_OPTION_ARG_NONE, &self->is_once, "Print one screen as text and end", NULL },
    { "size", 0, 0, G_OPTION_ARG_STRING, &self->size, "Of that screen (default 80x24)",
      "COLUMNSxROWS" },
    { "pane", 0, 0, G_OPTION_ARG_STRING, &self->pane,
      "Begin with overview (default), queue, nodes, job or log", "PANE" },
    { "job", 0, 0, G_OPTION_ARG_STRING, &self->job, "Begin with what this job is, and why it waits",
      "JOB" },
    { "filter", 0, 0, G_OPTION_ARG_STRING, &self->filter,
      "Show only rows in which all these words are; user= partition= state= reason= account= qos= "
      "look at one thing",
      "WORDS" },
    { "sort", 0, 0, G_OPTION_ARG_STRING, &self->sort,
      "Sort by the column of this heading; -COLUMN: falling", "COLUMN" },
    { "interval", 0, 0, G_OPTION_ARG_STRING, &self->interval,
      "Look again behind so many seconds, at least 1 (default 2)", "SECONDS" },
    { "ascii", 0, 0, G_OPTION_ARG_NONE, &self->is_ascii, "Draw nothing but ASCII", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, lk_top_description);
}

void
lk_top_options_clear (LkTopOptions *self)
{
  g_free (self->size);
  g_free (self->pane);
  g_free (self->filter);
  g_free (self->sort);
  g_free (self->job);
  g_free (self->interval);
}

/* ---------------------------------------------------------------- options */

typedef struct {
  guint columns;
  guint rows;
  LkTopPane pane;
  gint64 interval_us;
} Settings;

static gboolean
fail_usage (GError **error, const char *option, const char *text, const char *expected)
{
  g_set_error (error, LK_TOP_ERROR, LK_TOP_ERROR_USAGE, "%s is '%s'; expected %s", option, text,
               expected);
  return FALSE;
}

static gboolean
size_parse (const char *text, Settings *out, GError **error)
{
  guint64 columns;
  guint64 rows;
  g_auto (GStrv) parts = g_strsplit (text, "x", 2);
  if (g_strv_length (parts) != 2
      || !g_ascii_string_to_unsigned (parts[0], 10, 20, LK_TOP_COLUMNS_MAX, &columns, NULL)
      || !g_ascii_string_to_unsigned (parts[1], 10, 5, LK_TOP_ROWS_MAX, &rows, NULL))
    return fail_usage (error, "--size", text, "COLUMNSxROWS, 20x5 to 1000x500");
  out->columns = (guint)columns;
  out->rows = (guint)rows;
  return TRUE;
}

static gboolean
settings_read (const LkTopOptions *options, Settings *out, GError **error)
{
  guint64 interval_s = INTERVAL_DEFAULT_S;
  *out = (Settings){ .columns = ONCE_COLUMNS, .rows = ONCE_ROWS };
  out->pane = options->job != NULL ? LK_TOP_PANE_JOB : LK_TOP_PANE_OVERVIEW;
  if (options->size != NULL && !options->is_once)
    return fail_usage (error, "--size", options->size, "it with --once only");
  if (options->size != NULL && !size_parse (options->size, out, error))
    return FALSE;
  if (options->pane != NULL && !lk_top_pane_parse (options->pane, &out->pane))
    return fail_usage (error, "--pane", options->pane, "overview, queue, nodes, job or log");
  if (options->interval != NULL
      && !g_ascii_string_to_unsigned (options->interval, 10, 1, INTERVAL_MAX_S, &interval_s, NULL))
    return fail_usage (error, "--interval", options->interval, "1 to 3600 seconds");
  out->interval_us = (gint64)interval_s * G_USEC_PER_SEC;
  return TRUE;
}

static gboolean
model_prepare (LkTopModel *model, const LkTopOptions *options, const Settings *settings,
               GError **error)
{
  lk_top_model_set_pane (model, settings->pane);
  if (options->filter != NULL)
    lk_top_model_set_filter (model, options->filter);
  if (options->sort != NULL && !lk_top_model_set_sort (model, options->sort))
    return fail_usage (error, "--sort", options->sort,
                       "the heading of a column of the pane, with - before it or not");
  return TRUE;
}

/* ---------------------------------------------------------------- one answer */

/* TRUE: another answer is wanted at once. */
static gboolean
take_result (LkTopModel *model, LkTopResult *result)
{
  if (result->facts != NULL)
    lk_top_model_take (model, g_steal_pointer (&result->facts));
  if (result->detail != NULL)
    lk_top_model_set_detail (model, result->task.detail_id, result->detail);
  if (result->error != NULL)
    lk_top_model_say (model, result->error);
  else if (result->message != NULL)
    lk_top_model_say (model, result->message);
  /* The pane or the job has been changed meanwhile. */
  return (lk_top_model_wants (model) & ~result->task.wants) != 0
         || lk_top_model_detail_job (model) != result->task.detail_id;
}

static LkTopTask
next_task (const LkTopModel *model, const LkTopAction *action)
{
  return (LkTopTask){ .action = *action,
                      .wants = lk_top_model_wants (model),
                      .detail_id = lk_top_model_detail_job (model) };
}

/* Names the job of --job, which needs the jobs to be known. */
static gboolean
job_find (LkTopModel *model, const LkTopOptions *options, GError **error)
{
  g_autoptr (GString) labels = g_string_new (NULL);
  guint count = options->job != NULL ? lk_top_model_select_job (model, options->job, labels) : 1;
  if (count == 0)
    g_set_error (error, LK_TOP_ERROR, LK_TOP_ERROR_SOURCE, "there is no job %s now", options->job);
  if (count > 1)
    g_set_error (error, LK_TOP_ERROR, LK_TOP_ERROR_USAGE,
                 "--job is '%s', the number of %u jobs: %s; expected one of them by its id, such "
                 "as id:7",
                 options->job, count, labels->str);
  return count == 1;
}

/* What is seen first. Errors are not shown on a screen. */
static gboolean
first_look (const LkTopSource *source, gpointer source_self, LkTopModel *model,
            const LkTopOptions *options, GError **error)
{
  const LkTopAction none = { .kind = LK_TOP_ACTION_NONE };
  for (guint round = 0; round < 2; round++) {
    LkTopTask task = next_task (model, &none);
    g_autoptr (LkTopResult) result = lk_top_task_do (source, source_self, &task);
    if (result->facts == NULL) {
      g_set_error (error, LK_TOP_ERROR, LK_TOP_ERROR_SOURCE, "%s",
                   result->error != NULL ? result->error : "nothing is known of the cluster");
      return FALSE;
    }
    gboolean is_again = take_result (model, result);
    if (round == 0 && !job_find (model, options, error))
      return FALSE;
    if (!is_again && lk_top_model_detail_job (model) == result->task.detail_id)
      return TRUE;
  }
  return TRUE;
}

static gboolean
print_once (LkTopModel *model, const LkTopOptions *options, const Settings *settings)
{
  gboolean is_ascii = options->is_ascii || !lk_top_locale_is_utf8 ();
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (settings->columns, settings->rows, is_ascii);
  g_autoptr (GString) text = g_string_new (NULL);
  lk_top_model_draw (model, screen);
  lk_top_screen_text (screen, text);
  fputs (text->str, stdout);
  return TRUE;
}

/* ---------------------------------------------------------------- the loop */

typedef struct {
  const LkTopSource *source;
  LkTopModel *model;
  LkTopWorker *worker;
  LkTopAction action; /* what is asked of the source next */
  gboolean is_wanted; /* a look */
  gboolean is_ascii;
  gint64 interval_us;
  gint64 look_us;     /* the next one */
  gboolean is_at_end; /* of a journal, which may grow */
} Loop;

/* Steps that come while the source is at work are done together. */
static void
note_action (Loop *self, const LkTopAction *action)
{
  if (self->action.kind == action->kind && action->kind != LK_TOP_ACTION_CANCEL)
    self->action.amount += action->amount;
  else
    self->action = *action;
  self->is_wanted = TRUE;
}

static void
begin_task (Loop *self)
{
  const LkTopAction none = { .kind = LK_TOP_ACTION_NONE };
  if (!self->is_wanted || lk_top_worker_is_busy (self->worker))
    return;
  LkTopTask task = next_task (self->model, &self->action);
  self->action = none;
  self->is_wanted = FALSE;
  lk_top_worker_begin (self->worker, &task);
}

static void
take_results (Loop *self)
{
  g_autoptr (LkTopResult) result = lk_top_worker_take (self->worker);
  if (result == NULL)
    return;
  gint64 rest_us = self->interval_us;
  self->is_at_end = !self->source->is_live && result->facts != NULL && result->facts->is_end;
  self->is_wanted |= take_result (self->model, result);
  /* An answer that did not come has cost the controller nothing. */
  if ((self->source->is_live || self->is_at_end) && result->error == NULL)
    rest_us = MAX (rest_us, result->spent_us * REST_PER_WORK);
  if (self->is_at_end)
    lk_top_model_pause (self->model, TRUE);
  self->look_us = g_get_monotonic_time () + rest_us;
}

/* Does time go on, or may more be written to the journal? */
static gboolean
is_moving (const Loop *self)
{
  return self->is_at_end || !lk_top_model_is_paused (self->model);
}

/* A cluster that lives is looked at now and then, and so is the end of a journal; one that plays
 * goes on by a step. */
static void
look_when_due (Loop *self)
{
  const LkTopAction step = { .kind = LK_TOP_ACTION_STEPS, .amount = 1 };
  if (!is_moving (self) || lk_top_worker_is_busy (self->worker)
      || g_get_monotonic_time () < self->look_us)
    return;
  if (self->source->is_live || self->is_at_end)
    self->is_wanted = TRUE;
  else
    note_action (self, &step);
}

/* FALSE: it was told to quit. */
static gboolean
take_keys (Loop *self, guint rows)
{
  guint32 key;
  while (lk_top_terminal_key (&key)) {
    if (key == LK_TOP_KEY_NONE)
      continue;
    guint32 job_before = lk_top_model_detail_job (self->model);
    LkTopAction action = lk_top_model_key (self->model, key, rows);
    if (action.kind == LK_TOP_ACTION_QUIT)
      return FALSE;
    if (action.kind == LK_TOP_ACTION_LOOK || lk_top_model_detail_job (self->model) != job_before)
      self->is_wanted = TRUE;
    else if (action.kind != LK_TOP_ACTION_NONE)
      note_action (self, &action);
  }
  return TRUE;
}

static gint64
wait_us (const Loop *self)
{
  if (!is_moving (self) || lk_top_worker_is_busy (self->worker))
    return -1;
  return MAX (0, self->look_us - g_get_monotonic_time ());
}

static void
loop (Loop *self)
{
  gboolean goes_on = TRUE;
  while (goes_on && lk_top_terminal_ended_by () == 0) {
    take_results (self);
    look_when_due (self);
    begin_task (self);
    lk_top_model_set_busy (self->model,
                           lk_top_worker_is_busy (self->worker) && !self->source->is_live);
    g_autoptr (LkTopScreen) screen = lk_top_terminal_screen (self->is_ascii);
    lk_top_model_draw (self->model, screen);
    lk_top_terminal_show (screen);
    lk_top_terminal_wait (lk_top_worker_descriptor (self->worker), wait_us (self));
    goes_on = take_keys (self, screen->rows);
  }
}

/* The source may be at work for long: then there is nothing to be waited for. */
static void
leave (LkTopWorker *worker)
{
  int number = lk_top_terminal_ended_by ();
  lk_top_terminal_end ();
  gboolean is_ended = lk_top_worker_end (worker, END_WAIT_US);
  if (number != 0)
    raise (number);
  if (!is_ended)
    _exit (EXIT_SUCCESS);
}

static gboolean
show (const LkTopSource *source, gpointer source_self, Loop *self, GError **error)
{
  self->worker = lk_top_worker_new (source, source_self);
  if (self->worker == NULL) {
    g_set_error_literal (error, LK_TOP_ERROR, LK_TOP_ERROR_TERMINAL, "no thread can be made");
    return FALSE;
  }
  if (!lk_top_terminal_begin (error)) {
    lk_top_worker_end (self->worker, END_WAIT_US);
    return FALSE;
  }
  loop (self);
  leave (self->worker);
  return TRUE;
}

gboolean
lk_top_run (const LkTopSource *source, gpointer source_self, const LkTopOptions *options,
            GError **error)
{
  Settings settings;
  g_autoptr (LkTopModel) model = lk_top_model_new (source->is_live);
  if (!settings_read (options, &settings, error)
      || !model_prepare (model, options, &settings, error)
      || !first_look (source, source_self, model, options, error))
    return FALSE;
  if (options->is_once)
    return print_once (model, options, &settings);
  Loop self = { .source = source,
                .model = model,
                .is_ascii = options->is_ascii || !lk_top_locale_is_utf8 (),
                .is_at_end = !source->is_live, /* the next look tells */
                .interval_us = settings.interval_us,
                .look_us = g_get_monotonic_time () + settings.interval_us };
  return show (source, source_self, &self, error);
}
