/* live/client/step/task_exits.c — see the header. */
#include "live/client/step/task_exits.h"

#include <string.h>
#include <sys/wait.h>

#include "engine/hostlist.h"

typedef enum { WAITS, RUNS, ENDED_WELL, ENDED_BADLY } State;

typedef struct {
  State state;
  int status;
  gboolean is_oom;
  gboolean is_told;
} Task;

struct _LkTaskExits {
  const GPtrArray *nodes;
  Task *tasks;
  guint32 ended_count;
  int code;
  gboolean has_bad;
};

LkTaskExits *
lk_task_exits_new (const GPtrArray *nodes)
{
  LkTaskExits *self = g_new0 (LkTaskExits, 1);
  self->nodes = nodes;
  self->tasks = g_new0 (Task, MAX (nodes->len, 1));
  return self;
}

void
lk_task_exits_free (LkTaskExits *self)
{
  if (self == NULL)
    return;
  g_free (self->tasks);
  g_free (self);
}

static int
code_of (int status)
{
  if (WIFSIGNALED (status))
    return 128 + WTERMSIG (status);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 0;
}

void
lk_task_exits_started (LkTaskExits *self, guint32 task)
{
  if (task < self->nodes->len && self->tasks[task].state == WAITS)
    self->tasks[task].state = RUNS;
}

void
lk_task_exits_add (LkTaskExits *self, guint32 task, int status, gboolean is_oom)
{
  if (task >= self->nodes->len || self->tasks[task].state > RUNS)
    return;
  int code = code_of (status);
  gboolean is_good = code == 0 && !is_oom;
  self->tasks[task] = (Task){ .state = is_good ? ENDED_WELL : ENDED_BADLY,
                              .status = status,
                              .is_oom = is_oom,
                              .is_told = is_good };
  self->ended_count++;
  self->code = MAX (self->code, code);
  self->has_bad = self->has_bad || !is_good;
}

/* ---------------------------------------------------------------- texts */

void
lk_task_ranges (const GArray *tasks, GString *out)
{
  for (guint i = 0; i < tasks->len;) {
    guint32 low = g_array_index (tasks, guint32, i);
    guint32 high = low;
    for (i++; i < tasks->len && g_array_index (tasks, guint32, i) == high + 1; i++)
      high++;
    g_string_append_printf (out, "%s%u", out->len > 0 ? "," : "", low);
    if (high > low)
      g_string_append_printf (out, "-%u", high);
  }
}

/* "tasks 0-3" */
static char *
tasks_text (const GArray *tasks)
{
  g_autoptr (GString) ranges = g_string_new (NULL);
  lk_task_ranges (tasks, ranges);
  return g_strdup_printf ("%s %s", tasks->len == 1 ? "task" : "tasks", ranges->str);
}

/* "n[1-2]" */
static char *
nodes_text (const LkTaskExits *self, const GArray *tasks)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < tasks->len; i++) {
    gpointer name = g_ptr_array_index (self->nodes, g_array_index (tasks, guint32, i));
    gboolean is_known = FALSE;
    for (guint j = names->len; j > 0 && !is_known; j--)
      is_known = strcmp (g_ptr_array_index (names, j - 1), name) == 0;
    if (!is_known)
      g_ptr_array_add (names, name);
  }
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
  return g_string_free (out, FALSE);
}

static char *
end_text (const Task *task)
{
  if (task->is_oom)
    return g_strdup ("Out Of Memory");
  if (WIFSIGNALED (task->status))
    return g_strdup_printf ("%s%s", strsignal (WTERMSIG (task->status)),
                            WCOREDUMP (task->status) ? " (core dumped)" : "");
  return g_strdup_printf ("Exited with exit code %d", WEXITSTATUS (task->status));
}

static gboolean
is_alike (const Task *a, const Task *b)
{
  return a->status == b->status && a->is_oom == b->is_oom;
}

static gboolean
is_news (const Task *task)
{
  return task->state == ENDED_BADLY && !task->is_told;
}

void
lk_task_exits_tell (LkTaskExits *self, gboolean tells_signals, GPtrArray *out_lines)
{
  for (guint32 i = 0; i < self->nodes->len; i++) {
    const Task first = self->tasks[i];
    g_autoptr (GArray) alike = g_array_new (FALSE, FALSE, sizeof (guint32));
    if (!is_news (&first))
      continue;
    for (guint32 j = i; j < self->nodes->len; j++)
      if (is_news (&self->tasks[j]) && is_alike (&self->tasks[j], &first)) {
        g_array_append_val (alike, j);
        self->tasks[j].is_told = TRUE;
      }
    if (WIFSIGNALED (first.status) && !tells_signals)
      continue;
    g_autofree char *nodes = nodes_text (self, alike);
    g_autofree char *tasks = tasks_text (alike);
    g_autofree char *end = end_text (&first);
    g_ptr_array_add (out_lines, g_strdup_printf ("%s: %s: %s", nodes, tasks, end));
  }
}

void
lk_task_exits_states (const LkTaskExits *self, GPtrArray *out_lines)
{
  static const struct {
    State state;
    const char *text;
  } told[] = { { WAITS, "starting" },
               { RUNS, "running" },
               { ENDED_BADLY, "exited abnormally" },
               { ENDED_WELL, "exited" } };
  for (guint i = 0; i < G_N_ELEMENTS (told); i++) {
    g_autoptr (GArray) alike = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint32 j = 0; j < self->nodes->len; j++)
      if (self->tasks[j].state == told[i].state)
        g_array_append_val (alike, j);
    if (alike->len == 0)
      continue;
    g_autofree char *tasks = tasks_text (alike);
    g_ptr_array_add (out_lines, g_strdup_printf ("%s: %s", tasks, told[i].text));
  }
}

/* ---------------------------------------------------------------- questions */

gboolean
lk_task_exits_has_news (const LkTaskExits *self)
{
  for (guint32 i = 0; i < self->nodes->len; i++)
    if (is_news (&self->tasks[i]))
      return TRUE;
  return FALSE;
}

gboolean
lk_task_exits_ended_by_signal (const LkTaskExits *self, int number)
{
  for (guint32 i = 0; i < self->nodes->len; i++)
    if (self->tasks[i].state == ENDED_BADLY && WIFSIGNALED (self->tasks[i].status)
        && WTERMSIG (self->tasks[i].status) == number)
      return TRUE;
  return FALSE;
}

guint32
lk_task_exits_count (const LkTaskExits *self)
{
  return self->ended_count;
}

gboolean
lk_task_exits_has_bad (const LkTaskExits *self)
{
  return self->has_bad;
}

int
lk_task_exits_code (const LkTaskExits *self)
{
  return self->code;
}
