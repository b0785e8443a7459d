/* live/client/scontrol/scontrol_write.c — `scontrol write batch_script JOB [FILE|-]`: the script of
 * a job, which its owner and staff may see.  Texts and exit codes as recorded with Slurm 26.05. */
#include <string.h>

#include "live/client/job_row.h"
#include "live/client/refusal.h"
#include "live/client/scontrol/scontrol.h"

#define TEXT "job script retrieval failed: %s\n"

static int
script_write (LkClient *client, const LkJobRow *row, const char *file)
{
  LkBytes script = row->batch->script;
  g_autoptr (GError) error = NULL;
  g_autofree char *own =
      row->job.array_job_id != 0 && row->job.array_task != G_MAXUINT32
          ? g_strdup_printf ("slurm-%u_%u.sh", row->job.array_job_id, row->job.array_task)
          : g_strdup_printf ("slurm-%u.sh", row->job.job_id);
  const char *path = file != NULL ? file : own;
  if (strcmp (path, "-") == 0) {
    fwrite (script.bytes, 1, script.length_bytes, client->out);
    return 0;
  }
  if (!g_file_set_contents (path, (const char *)script.bytes, (gssize)script.length_bytes,
                            &error)) {
    fprintf (client->err, TEXT, error->message);
    return LK_SCONTROL_FAILURE;
  }
  fprintf (client->out, "batch script for job %u written to %s\n", row->job.job_id, path);
  return 0;
}

int
lk_scontrol_write (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB, .with_ended = TRUE, .with_payload = TRUE };
  g_autoptr (GError) error = NULL;
  char *end;
  (void)unused;
  if (words[1] == NULL || g_ascii_strcasecmp (words[1], "batch_script") != 0) {
    fprintf (client->err,
             words[1] == NULL ? "too few arguments for keyword:write\n"
                              : "invalid write argument:%s\n",
             words[1]);
    return LK_SCONTROL_FAILURE;
  }
  if (words[2] == NULL) {
    fprintf (client->err, "too few arguments for keyword:write batch_script\n");
    return LK_SCONTROL_FAILURE;
  }
  guint64 id = g_ascii_strtoull (words[2], &end, 10);
  guint32 task = *end == '_' ? (guint32)g_ascii_strtoull (end + 1, NULL, 10) : G_MAXUINT32;
  query.job_id = (guint32)MIN (id, G_MAXUINT32);
  if (end == words[2] || id == 0 || (*end != '\0' && *end != '_')) {
    fprintf (client->err, "Invalid job id specified\n");
    return LK_SCONTROL_FAILURE;
  }
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, &error);
  if (rows == NULL) {
    fprintf (client->err, TEXT, error->message);
    return LK_SCONTROL_FAILURE;
  }
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (task != G_MAXUINT32 && row->job.array_task != task)
      continue;
    if (row->batch->script.length_bytes > 0)
      return script_write (client, row, words[3]);
    /* The real one ends well, too. */
    fprintf (client->err, TEXT, LK_REFUSAL_USER_ID);
    return 0;
  }
  fprintf (client->err, TEXT, "Invalid job id specified");
  return LK_SCONTROL_FAILURE;
}
