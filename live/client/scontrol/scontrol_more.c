/* live/client/scontrol/scontrol_more.c — `scontrol completing`, `wait_job`, `errnumstr` and
 * `listpids`.
 *
 * Source: scontrol(1). */
#include "live/client/scontrol/scontrol_more.h"

#include <string.h>

#include "live/client/job_row.h"
#include "live/client/refusal.h"

#define PAUSE_FIRST_US 5000
#define PAUSE_MAX_US 500000

/* ---------------------------------------------------------------- completing */

static void
completing_print (const LkClient *client, const LkRecord_job *job)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text, "JobId=%u EndTime=", job->job_id);
  lk_word_time (client, job->end_us, "Unknown", text);
  g_string_append (text, " CompletingTime=");
  lk_word_long_duration (MAX (0, client->now_us - job->end_us), text);
  g_string_append (text, " Nodes(COMPLETING)=");
  lk_word_long_text (job->node_names, "(null)", text);
  fprintf (client->out, "%s \n", text->str);
}

int
lk_scontrol_completing (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB, .with_ended = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, &error);
  (void)unused;
  (void)words;
  if (rows == NULL) {
    fprintf (client->err, "slurm_load_jobs error: %s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row->job.is_completing != 0)
      completing_print (client, &row->job);
  }
  return 0;
}

/* ---------------------------------------------------------------- wait_job */

/* "7", "7_3". FALSE: told. */
static gboolean
job_read (const LkClient *client, char **words, guint32 *out_id, guint32 *out_task)
{
  char *end = NULL;
  guint64 id = words[1] != NULL ? g_ascii_strtoull (words[1], &end, 10) : 0;
  *out_task = G_MAXUINT32;
  if (words[1] == NULL) {
    fprintf (client->err, "too few arguments for keyword:%s\n", words[0]);
    return FALSE;
  }
  if (*end == '_')
    *out_task = (guint32)g_ascii_strtoull (end + 1, &end, 10);
  if (id == 0 || id >= G_MAXUINT32 || *end != '\0') {
    fprintf (client->err, "Invalid job id specified\n");
    return FALSE;
  }
  *out_id = (guint32)id;
  return TRUE;
}

typedef enum { WAITS, RUNS, IS_OVER, IS_UNKNOWN, IS_UNTOLD } Standing;

static Standing
standing_of (const LkClient *client, guint32 job_id, guint32 task, GError **error)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB, .job_id = job_id, .with_ended = TRUE };
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, error);
  if (rows == NULL)
    return IS_UNTOLD;
  Standing standing = IS_UNKNOWN;
  for (guint i = 0; i < rows->len; i++) {
    const LkRecord_job *job = &((const LkJobRow *)g_ptr_array_index (rows, i))->job;
    if (task != G_MAXUINT32 && job->array_task != task && job->array_task != G_MAXUINT32)
      continue;
    if (job->is_completing != 0 || lk_job_state_is_end (job->state))
      standing = standing == IS_UNKNOWN ? IS_OVER : standing;
    else if (job->state == LK_JOB_PENDING)
      standing = standing == RUNS ? RUNS : WAITS;
    else
      standing = RUNS;
  }
  return standing;
}

int
lk_scontrol_wait_job (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  g_autoptr (GError) error = NULL;
  guint32 job_id;
  guint32 task;
  gulong pause_us = PAUSE_FIRST_US;
  (void)unused;
  if (!job_read (client, words, &job_id, &task))
    return LK_SCONTROL_FAILURE;
  for (;;) {
    switch (standing_of (client, job_id, task, &error)) {
    case RUNS:
      return 0;
    case IS_OVER:
      fprintf (client->err, "Job is no longer running\n");
      return LK_SCONTROL_FAILURE;
    case IS_UNKNOWN:
      fprintf (client->err, "%s\n", lk_refusal_text (LK_REJECT_JOB_UNKNOWN));
      return LK_SCONTROL_FAILURE;
    case IS_UNTOLD:
      fprintf (client->err, "%s\n", error->message);
      return LK_SCONTROL_FAILURE;
    case WAITS:
    default:
      break;
    }
    g_usleep (pause_us);
    pause_us = MIN (2 * pause_us, PAUSE_MAX_US);
  }
}

/* ---------------------------------------------------------------- errnumstr */

int
lk_scontrol_errnumstr (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  char *end = NULL;
  guint64 number = words[1] != NULL ? g_ascii_strtoull (words[1], &end, 10) : 0;
  (void)unused;
  if (words[1] == NULL) {
    fprintf (client->err, "too few arguments for keyword:%s\n", words[0]);
    return LK_SCONTROL_FAILURE;
  }
  if (end == words[1] || *end != '\0' || number > G_MAXINT32) {
    lk_client_error (client, "errnumstr: '%s' is no number of an error", words[1]);
    return LK_SCONTROL_FAILURE;
  }
  const char *text = lk_refusal_number_text ((guint)number);
  fprintf (client->out, "%s\n", text != NULL ? text : g_strerror ((int)number));
  return 0;
}

/* ---------------------------------------------------------------- listpids */

/* Of a process's environment: "" when it is not there. */
static const char *
variable_of (const char *bytes, gsize length_bytes, const char *name)
{
  gsize name_bytes = strlen (name);
  for (gsize at = 0; at < length_bytes; at += strlen (bytes + at) + 1)
    if (strncmp (bytes + at, name, name_bytes) == 0 && bytes[at + name_bytes] == '=')
      return bytes + at + name_bytes + 1;
  return "";
}

static const char *
or_none (const char *text)
{
  return text[0] != '\0' ? text : "-";
}

/* TRUE: it is one of a job that is asked for. */
static gboolean
process_print (const LkClient *client, const char *pid, const char *job, const char *step)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "environ", NULL);
  g_autofree char *bytes = NULL;
  gsize length_bytes;
  /* A process that ends meanwhile is none; that of another user is not told. */
  if (!g_file_get_contents (path, &bytes, &length_bytes, NULL))
    return FALSE;
  const char *its_job = variable_of (bytes, length_bytes, "SLURM_JOB_ID");
  const char *its_step = variable_of (bytes, length_bytes, "SLURM_STEP_ID");
  its_step = its_step[0] != '\0' ? its_step : "batch";
  if (its_job[0] == '\0' || (job != NULL && strcmp (job, its_job) != 0)
      || (step != NULL && strcmp (step, its_step) != 0))
    return FALSE;
  fprintf (client->out, "%-8s %-8s %-8s %-7s %s\n", pid, its_job, its_step,
           or_none (variable_of (bytes, length_bytes, "SLURM_LOCALID")),
           or_none (variable_of (bytes, length_bytes, "SLURM_PROCID")));
  return TRUE;
}

int
lk_scontrol_listpids (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  g_autofree char *job = g_strdup (words[1]);
  char *step = job != NULL ? strchr (job, '.') : NULL;
  const char *name;
  guint count = 0;
  (void)unused;
  if (step != NULL)
    *step++ = '\0';
  fprintf (client->out, "PID      JOBID    STEPID   LOCALID GLOBALID\n");
  while (processes != NULL && (name = g_dir_read_name (processes)) != NULL)
    if (g_ascii_isdigit (name[0]))
      count += process_print (client, name, job, step) ? 1 : 0;
  if (count == 0 && job != NULL) {
    lk_client_error (client, "Job %s does not exist on this node.", words[1]);
    return LK_SCONTROL_FAILURE;
  }
  return 0;
}
