/* live/client/scontrol/show_steps.c — `scontrol show step`.
 *
 * Source: scontrol(1), what a real Slurm printed (tests/fixtures/text/recorded). */
#include <string.h>

#include "live/client/scontrol/show.h"
#include "live/client/words.h"

#define SCRIPT_STEP G_MAXUINT32

/* What one step is shown as, and where it stands. */
typedef struct {
  guint32 place;
  guint32 job_id;
  guint32 step_id;
  char *text; /* owned */
} Shown;

typedef struct {
  const LkClient *client;
  gboolean is_one_line;
  gboolean is_one; /* of a job's steps `step_id` alone */
  guint32 step_id;
  gboolean is_task; /* of an array `task` alone */
  guint32 task;
  GArray *steps;    /* of Shown */
  GHashTable *last; /* of an array: the newest number that a task has got */
} Listing;

static void
shown_clear (gpointer data)
{
  g_free (((Shown *)data)->text);
}

static void
add_id (LkShow *show, const LkRecord_step *step)
{
  if (step->array_job_id != 0)
    lk_show_value (show, "StepId", "%u_%u", step->array_job_id, step->array_task);
  else if (step->het_leader != 0)
    lk_show_value (show, "StepId", "%u+%u", step->het_leader, step->het_offset);
  else
    lk_show_value (show, "StepId", "%u", step->job_id);
  if (step->step_id == SCRIPT_STEP)
    g_string_append (show->text, ".batch");
  else
    g_string_append_printf (show->text, ".%u", step->step_id);
}

static void
text_value (LkShow *show, const char *key, const char *bytes, gsize length_bytes)
{
  lk_show_value (show, key, "%.*s", length_bytes > 0 ? (int)length_bytes : 6,
                 length_bytes > 0 ? bytes : "(null)");
}

static const char *
distribution_word (const LkRecord_step *step)
{
  static const char *const words[] = { "Block", "Block", "Cyclic", "Plane", "Arbitrary", "Block" };
  return words[MIN (step->distribution, G_N_ELEMENTS (words) - 1)];
}

/* Slurm does not tell what the batch script has; its job does. */
static void
add_step (LkShow *show, const LkClient *client, const LkRecord_step *step)
{
  gboolean is_script = step->step_id == SCRIPT_STEP;
  gboolean has_limit = step->limit_us > 0 && step->limit_us != LK_TIME_NEVER;
  add_id (show, step);
  lk_show_value (show, "UserId", "%u", step->user_id);
  lk_show_value (show, "StartTime", "%s", "");
  lk_word_time (client, step->start_us, "Unknown", show->text);
  lk_show_value (show, "TimeLimit", "%s", has_limit ? "" : "UNLIMITED");
  if (has_limit)
    lk_word_long_duration (step->limit_us, show->text);
  lk_show_line (show);
  lk_show_value (show, "State", "%s",
                 step->is_completing != 0 ? "COMPLETING" : lk_job_state_name (step->state));
  text_value (show, "Partition", step->partition.bytes, step->partition.length_bytes);
  text_value (show, "NodeList", step->node_names.bytes, step->node_names.length_bytes);
  lk_show_line (show);
  lk_show_value (show, "Nodes", "%u", step->node_count);
  lk_show_value (show, "CPUs", "%u", is_script ? 0 : step->cpus_given);
  lk_show_value (show, "Tasks", "%u", step->task_count);
  text_value (show, "Name", step->name.bytes, step->name.length_bytes);
  lk_show_value (show, "Network", "(null)");
  lk_show_line (show);
  text_value (show, "TRES", step->tres.bytes, is_script ? 0 : step->tres.length_bytes);
  lk_show_line (show);
  lk_show_value (show, "ResvPorts", "(null)");
  lk_show_line (show);
  lk_show_value (show, "CPUFreqReq", "Default");
  if (!is_script)
    lk_show_value (show, "Dist", "%s", distribution_word (step));
  lk_show_line (show);
  text_value (show, "SrunHost:Pid", step->source_host.bytes, step->source_host.length_bytes);
  g_string_append_printf (show->text, ":%u", step->source_pid);
  lk_show_end (show);
}

/* As of jobs: a task of an array has the place that all of them had before it was started. */
static guint32
place_of (Listing *self, const LkRecord_step *step)
{
  gpointer array = GUINT_TO_POINTER (step->array_job_id);
  if (step->array_job_id == 0)
    return step->job_id;
  gpointer before = g_hash_table_lookup (self->last, array);
  if (step->job_id != step->array_job_id && GPOINTER_TO_UINT (before) < step->job_id)
    g_hash_table_insert (self->last, array, GUINT_TO_POINTER (step->job_id));
  return before != NULL ? GPOINTER_TO_UINT (before) : step->array_job_id;
}

static void
take_step (gpointer user, const LkRecord *record)
{
  Listing *self = user;
  const LkRecord_step *step = &record->step;
  if (lk_job_state_is_end (step->state) || (self->is_one && step->step_id != self->step_id)
      || (self->is_task && step->array_task != self->task))
    return;
  g_autoptr (GString) text = g_string_new (NULL);
  LkShow show = { text, self->is_one_line };
  add_step (&show, self->client, step);
  Shown shown = { place_of (self, step), step->job_id, step->step_id, g_strdup (text->str) };
  g_array_append_val (self->steps, shown);
}

/* The script is the first of its job. */
static gint
shown_compare (gconstpointer a, gconstpointer b)
{
  const Shown *x = a;
  const Shown *y = b;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  if (x->job_id != y->job_id)
    return x->job_id < y->job_id ? -1 : 1;
  guint32 p = x->step_id + 1;
  guint32 q = y->step_id + 1;
  return (p > q) - (p < q);
}

/* "7", "7.0", "7.batch", "7_3.0". FALSE: it is none. */
static gboolean
word_read (const char *word, LkClientQuery *query, Listing *out)
{
  char *end;
  guint64 job_id = g_ascii_strtoull (word, &end, 10);
  if (end == word || job_id == 0 || job_id >= G_MAXUINT32)
    return FALSE;
  query->job_id = (guint32)job_id;
  if (*end == '_') {
    const char *task = end + 1;
    out->task = (guint32)g_ascii_strtoull (task, &end, 10);
    out->is_task = TRUE;
    if (end == task)
      return FALSE;
  }
  if (*end == '\0')
    return TRUE;
  out->is_one = TRUE;
  if (strcmp (end, ".batch") == 0) {
    out->step_id = SCRIPT_STEP;
    return TRUE;
  }
  const char *step = end + 1;
  out->step_id = (guint32)g_ascii_strtoull (step, &end, 10);
  return step[-1] == '.' && end != step && *end == '\0';
}

static void
take_job (gpointer user, const LkRecord *record)
{
  (void)record;
  *(gboolean *)user = TRUE;
}

/* Also of one that is over; where it cannot be asked, the answer before it stands. */
static gboolean
is_known_job (const LkClient *client, guint32 job_id)
{
  const LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = job_id, .with_ended = TRUE };
  gboolean is_known = FALSE;
  return !lk_client_query (client, &query, take_job, &is_known, NULL) || is_known;
}

int
lk_show_steps (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Shown));
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);
  LkClientQuery query = { .kind = LK_RECORD_STEP };
  Listing listing = {
    .client = client, .is_one_line = options->one_line, .steps = steps, .last = last
  };
  g_array_set_clear_func (steps, shown_clear);
  if (words[0] != NULL && !word_read (words[0], &query, &listing)) {
    fprintf (client->err, "Invalid job id specified\n");
    return LK_SCONTROL_FAILURE;
  }
  if (!lk_client_query (client, &query, take_step, &listing, &error)) {
    fprintf (client->err, "slurm_get_job_steps error: %s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (steps->len == 0 && words[0] != NULL && !is_known_job (client, query.job_id)) {
    fprintf (client->err, "slurm_get_job_steps error: Invalid job id specified\n");
    return LK_SCONTROL_FAILURE;
  }
  if (steps->len == 0 && words[0] != NULL) {
    fprintf (client->out, "Job step %s not found\n", words[0]);
    return LK_SCONTROL_FAILURE;
  }
  if (steps->len == 0)
    fprintf (client->out, "No job steps in the system\n");
  g_array_sort (steps, shown_compare);
  for (guint i = 0; i < steps->len; i++)
    fputs (g_array_index (steps, Shown, i).text, client->out);
  return 0;
}
