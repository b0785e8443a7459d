/* traces/top/model.c — see the header. */
#include "traces/top/model.h"

#include <string.h>

#include "traces/top/model_private.h"

static const char *const pane_words[] = { "overview", "queue", "nodes", "job", "log" };

gboolean
lk_top_pane_parse (const char *word, LkTopPane *out_pane)
{
  for (guint i = 0; i < G_N_ELEMENTS (pane_words); i++)
    if (strcmp (word, pane_words[i]) == 0) {
      *out_pane = (LkTopPane)i;
      return TRUE;
    }
  return FALSE;
}

LkTopModel *
lk_top_model_new (gboolean is_live)
{
  LkTopModel *self = g_new0 (LkTopModel, 1);
  self->is_live = is_live;
  self->is_paused = !is_live;
  for (guint i = 0; i < LK_TOP_PANE_COUNT; i++) {
    self->lists[i].filter = g_strdup ("");
    self->lists[i].rows = g_array_new (FALSE, FALSE, sizeof (guint));
  }
  return self;
}

void
lk_top_model_free (LkTopModel *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < LK_TOP_PANE_COUNT; i++) {
    g_free (self->lists[i].filter);
    g_free (self->lists[i].filter_before);
    g_array_unref (self->lists[i].rows);
  }
  lk_top_facts_free (self->facts);
  g_free (self->cancel_label);
  g_free (self->detail);
  g_free (self->message);
  g_free (self);
}

/* ---------------------------------------------------------------- what is shown */

void
lk_top_model_set_pane (LkTopModel *self, LkTopPane pane)
{
  self->pane = pane;
}

/* Which list the filter, the order and the arrows are of. */
static LkTopPane
list_pane (const LkTopModel *self)
{
  return self->pane == LK_TOP_PANE_OVERVIEW ? LK_TOP_PANE_QUEUE : self->pane;
}

static LkTopList *
list_of (LkTopModel *self)
{
  return &self->lists[list_pane (self)];
}

void
lk_top_model_set_filter (LkTopModel *self, const char *filter)
{
  LkTopList *list = list_of (self);
  g_free (list->filter);
  list->filter = g_strdup (filter);
  lk_top_rows_update (self, list_pane (self));
}

gboolean
lk_top_model_set_sort (LkTopModel *self, const char *column)
{
  guint count;
  gboolean is_falling = column[0] == '-';
  LkTopPane pane = list_pane (self);
  const LkTopColumn *columns = lk_top_columns (pane, &count);
  for (guint i = 1; i < count; i++)
    if (g_ascii_strcasecmp (columns[i].heading, column + (is_falling ? 1 : 0)) == 0) {
      self->lists[pane].sort = i;
      self->lists[pane].is_falling = is_falling;
      lk_top_rows_update (self, pane);
      return TRUE;
    }
  return FALSE;
}

/* A message lists so many jobs of one number. */
#define LABELS_MAX 5u

/* "7_4" is the label of "7_4(log:5)", too. */
static gboolean
is_label (const char *label, const char *name)
{
  gsize length = strlen (name);
  return strncmp (label, name, length) == 0 && (label[length] == '\0' || label[length] == '(');
}

static gboolean
is_called (const LkTopJob *job, const char *name)
{
  g_autofree char *number = g_strdup_printf ("%u", job->id);
  const char *log_id = job->log_id != NULL ? job->log_id : number;
  if (g_str_has_prefix (name, "id:"))
    return strcmp (name + strlen ("id:"), number) == 0;
  if (g_str_has_prefix (name, "log:"))
    return strcmp (name + strlen ("log:"), log_id) == 0;
  return is_label (job->label, name) || strcmp (name, number) == 0 || strcmp (name, log_id) == 0;
}

guint
lk_top_model_select_job (LkTopModel *self, const char *name, GString *out_labels)
{
  guint count = 0;
  guint32 job_id = 0;
  for (guint i = 0; self->facts != NULL && i < self->facts->jobs->len; i++) {
    const LkTopJob *job = &g_array_index (self->facts->jobs, LkTopJob, i);
    if (!is_called (job, name))
      continue;
    if (count < LABELS_MAX)
      g_string_append_printf (out_labels, "%s%s", count > 0 ? ", " : "", job->label);
    job_id = job->id;
    count++;
  }
  if (count > LABELS_MAX)
    g_string_append (out_labels, ", ...");
  if (count != 1)
    return count;
  self->job_id = job_id;
  lk_top_rows_update (self, LK_TOP_PANE_QUEUE);
  return count;
}

guint
lk_top_model_wants (const LkTopModel *self)
{
  switch (self->pane) {
  case LK_TOP_PANE_OVERVIEW:
    return LK_TOP_WANTS_JOBS | LK_TOP_WANTS_NODES;
  case LK_TOP_PANE_NODES:
    return LK_TOP_WANTS_NODES;
  case LK_TOP_PANE_LOG:
    return LK_TOP_WANTS_LOG;
  default:
    return LK_TOP_WANTS_JOBS;
  }
}

guint32
lk_top_model_detail_job (const LkTopModel *self)
{
  return self->pane == LK_TOP_PANE_JOB ? self->job_id : 0;
}

gboolean
lk_top_model_is_paused (const LkTopModel *self)
{
  return self->is_paused;
}

void
lk_top_model_pause (LkTopModel *self, gboolean is_paused)
{
  self->is_paused = is_paused;
}

void
lk_top_model_take (LkTopModel *self, LkTopFacts *facts)
{
  lk_top_facts_free (self->facts);
  self->facts = facts;
  for (guint i = 0; i < LK_TOP_PANE_COUNT; i++)
    lk_top_rows_update (self, (LkTopPane)i);
  /* Of a job that has gone the details stay in sight; a list has its row for the next one. */
  const LkTopJob *job = lk_top_selected_job (self);
  if (job != NULL && (self->job_id == 0 || self->pane != LK_TOP_PANE_JOB))
    self->job_id = job->id;
}

void
lk_top_model_set_detail (LkTopModel *self, guint32 job_id, const char *text)
{
  if (self->detail_id != job_id)
    self->lists[LK_TOP_PANE_JOB].row = 0;
  g_free (self->detail);
  self->detail = g_strdup (text);
  self->detail_id = job_id;
}

void
lk_top_model_say (LkTopModel *self, const char *text)
{
  g_free (self->message);
  self->message = g_strdup (text);
}

void
lk_top_model_set_busy (LkTopModel *self, gboolean is_busy)
{
  self->is_busy = is_busy;
}

/* What is marked on the screen is what keys act on. */
static void
note_selection (LkTopModel *self)
{
  const LkTopJob *job = lk_top_selected_job (self);
  if (self->pane == LK_TOP_PANE_QUEUE && job != NULL)
    self->job_id = job->id;
}

/* ---------------------------------------------------------------- keys: writing */

static void
filter_take_back (LkTopModel *self)
{
  LkTopList *list = list_of (self);
  g_free (list->filter);
  list->filter = g_steal_pointer (&list->filter_before);
  self->mode = LK_TOP_MODE_NORMAL;
  lk_top_rows_update (self, list_pane (self));
}

static void
filter_add (LkTopModel *self, guint32 key)
{
  char text[8];
  LkTopList *list = list_of (self);
  if (key >= LK_TOP_KEY_NONE || !g_unichar_isprint (key))
    return;
  text[g_unichar_to_utf8 (key, text)] = '\0';
  if (strlen (list->filter) + strlen (text) > LK_TOP_INPUT_MAX_BYTES)
    return;
  g_autofree char *before = list->filter;
  list->filter = g_strconcat (before, text, NULL);
  lk_top_rows_update (self, list_pane (self));
}

static void
filter_erase (LkTopModel *self)
{
  LkTopList *list = list_of (self);
  char *end = list->filter + strlen (list->filter);
  char *last = g_utf8_find_prev_char (list->filter, end);
  if (last != NULL)
    *last = '\0';
  lk_top_rows_update (self, list_pane (self));
}

static void
key_in_filter (LkTopModel *self, guint32 key)
{
  switch (key) {
  case LK_TOP_KEY_ENTER:
    self->mode = LK_TOP_MODE_NORMAL;
    g_clear_pointer (&list_of (self)->filter_before, g_free);
    note_selection (self);
    break;
  case LK_TOP_KEY_ESCAPE:
    filter_take_back (self);
    break;
  case LK_TOP_KEY_BACKSPACE:
    filter_erase (self);
    break;
  default:
    filter_add (self, key);
  }
}

static void
filter_begin (LkTopModel *self)
{
  LkTopList *list = list_of (self);
  if (self->pane == LK_TOP_PANE_JOB)
    return;
  g_free (list->filter_before);
  list->filter_before = g_strdup (list->filter);
  self->mode = LK_TOP_MODE_FILTER;
}

/* ---------------------------------------------------------------- keys: moving */

/* The last row that can be gone to. How many rows a text has is known when it is drawn, which does
 * the rest. */
static guint
row_last (const LkTopModel *self)
{
  guint count = self->lists[list_pane (self)].rows->len;
  if (self->pane == LK_TOP_PANE_JOB)
    return G_MAXINT;
  return count > 0 ? count - 1 : 0;
}

static gboolean
key_moves (LkTopModel *self, guint32 key, guint page_rows)
{
  LkTopList *list = list_of (self);
  guint page = page_rows > 6 ? page_rows - 6 : 1;
  guint last = row_last (self);
  switch (key) {
  case LK_TOP_KEY_UP:
  case 'k':
    list->row -= list->row > 0;
    break;
  case LK_TOP_KEY_DOWN:
  case 'j':
    list->row = MIN (list->row + 1, last);
    break;
  case LK_TOP_KEY_PAGE_UP:
    list->row -= MIN (list->row, page);
    break;
  case LK_TOP_KEY_PAGE_DOWN:
    list->row = MIN (list->row + page, last);
    break;
  case LK_TOP_KEY_HOME:
    list->row = 0;
    break;
  case LK_TOP_KEY_END:
    list->row = last;
    break;
  default:
    return FALSE;
  }
  note_selection (self);
  return TRUE;
}

/* ---------------------------------------------------------------- keys: time */

static LkTopAction
key_in_time (LkTopModel *self, guint32 key)
{
  static const struct {
    guint32 key;
    LkTopAction action;
  } keys[] = {
    { '[', { .kind = LK_TOP_ACTION_STEPS, .amount = -1 } },
    { ']', { .kind = LK_TOP_ACTION_STEPS, .amount = 1 } },
    { '{', { .kind = LK_TOP_ACTION_STEPS, .amount = -10 } },
    { '}', { .kind = LK_TOP_ACTION_STEPS, .amount = 10 } },
    { ',', { .kind = LK_TOP_ACTION_EVENTS, .amount = -1 } },
    { '.', { .kind = LK_TOP_ACTION_EVENTS, .amount = 1 } },
    { '(', { .kind = LK_TOP_ACTION_BEGIN } },
    { ')', { .kind = LK_TOP_ACTION_END } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].key == key) {
      if (!self->is_live)
        return keys[i].action;
      lk_top_model_say (self, "a living cluster has no other time than now; see lockstep top "
                              "JOURNAL");
    }
  return (LkTopAction){ .kind = LK_TOP_ACTION_NONE };
}

/* ---------------------------------------------------------------- keys: cancel */

static void
cancel_ask (LkTopModel *self)
{
  note_selection (self);
  const LkTopJob *job = lk_top_selected_job (self);
  if (!self->is_live) {
    lk_top_model_say (self, "a journal is only read: nothing can be cancelled in it");
    return;
  }
  if ((self->pane != LK_TOP_PANE_QUEUE && self->pane != LK_TOP_PANE_JOB) || job == NULL
      || job->id != self->job_id) {
    lk_top_model_say (self, "no job is selected that could be cancelled: see the queue (2)");
    return;
  }
  self->cancel_id = job->id;
  g_free (self->cancel_label);
  self->cancel_label = g_strdup_printf ("%s (%s) of %s", job->label, job->name, job->user);
  self->mode = LK_TOP_MODE_CONFIRM;
}

static LkTopAction
key_in_confirm (LkTopModel *self, guint32 key)
{
  self->mode = LK_TOP_MODE_NORMAL;
  if (key == 'y' || key == 'Y')
    return (LkTopAction){ .kind = LK_TOP_ACTION_CANCEL, .job_id = self->cancel_id };
  lk_top_model_say (self, "not cancelled");
  return (LkTopAction){ .kind = LK_TOP_ACTION_NONE };
}

/* ---------------------------------------------------------------- keys */

static void
sort_next (LkTopModel *self)
{
  guint count;
  LkTopPane pane = list_pane (self);
  if (lk_top_columns (pane, &count) == NULL)
    return;
  self->lists[pane].sort = (self->lists[pane].sort + 1) % count;
  lk_top_rows_update (self, pane);
}

static LkTopAction
go_to (LkTopModel *self, LkTopPane pane)
{
  note_selection (self);
  self->pane = pane;
  return (LkTopAction){ .kind = LK_TOP_ACTION_LOOK };
}

/* FALSE: the key is none of these. */
static gboolean
key_changes_pane (LkTopModel *self, guint32 key, LkTopAction *out_action)
{
  if (key >= '1' && key < '1' + LK_TOP_PANE_COUNT)
    *out_action = go_to (self, (LkTopPane)(key - '1'));
  else if (key == LK_TOP_KEY_TAB)
    *out_action = go_to (self, (LkTopPane)((self->pane + 1) % LK_TOP_PANE_COUNT));
  else if (key == LK_TOP_KEY_BACK_TAB)
    *out_action =
        go_to (self, (LkTopPane)((self->pane + LK_TOP_PANE_COUNT - 1) % LK_TOP_PANE_COUNT));
  else if (key == LK_TOP_KEY_ENTER && self->pane == LK_TOP_PANE_OVERVIEW)
    *out_action = go_to (self, LK_TOP_PANE_QUEUE);
  else if (key == LK_TOP_KEY_ENTER && self->pane == LK_TOP_PANE_QUEUE)
    *out_action = go_to (self, LK_TOP_PANE_JOB);
  else if ((key == LK_TOP_KEY_ESCAPE || key == LK_TOP_KEY_BACKSPACE)
           && self->pane == LK_TOP_PANE_JOB)
    *out_action = go_to (self, LK_TOP_PANE_QUEUE);
  else
    return FALSE;
  return TRUE;
}

static void
key_of_list (LkTopModel *self, guint32 key)
{
  switch (key) {
  case '?':
    self->mode = LK_TOP_MODE_HELP;
    break;
  case '/':
    filter_begin (self);
    break;
  case LK_TOP_KEY_ESCAPE:
    lk_top_model_set_filter (self, "");
    break;
  case 's':
    sort_next (self);
    break;
  case 'r':
    list_of (self)->is_falling = !list_of (self)->is_falling;
    lk_top_rows_update (self, list_pane (self));
    break;
  case 'm':
    self->is_map = !self->is_map;
    break;
  case ' ':
    self->is_paused = !self->is_paused;
    break;
  case 'c':
    cancel_ask (self);
    break;
  default:
    break;
  }
}

LkTopAction
lk_top_model_key (LkTopModel *self, guint32 key, guint page_rows)
{
  LkTopAction action = { .kind = LK_TOP_ACTION_NONE };
  g_clear_pointer (&self->message, g_free);
  if (self->mode == LK_TOP_MODE_FILTER) {
    key_in_filter (self, key);
    return action;
  }
  if (self->mode == LK_TOP_MODE_CONFIRM)
    return key_in_confirm (self, key);
  if (self->mode == LK_TOP_MODE_HELP) {
    self->mode = LK_TOP_MODE_NORMAL;
    return action;
  }
  if (key == 'q')
    return (LkTopAction){ .kind = LK_TOP_ACTION_QUIT };
  if (key_changes_pane (self, key, &action) || key_moves (self, key, page_rows))
    return action;
  action = key_in_time (self, key);
  if (action.kind == LK_TOP_ACTION_NONE && self->message == NULL)
    key_of_list (self, key);
  return action;
}
