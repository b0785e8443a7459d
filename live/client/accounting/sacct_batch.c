/* live/client/accounting/sacct_batch.c — `sacct -B` and `sacct --env-vars`: what a job was
 * submitted with.
 *
 * Accounting does not keep it; the controller does, until it forgets the job (MinJobAge), and tells
 * it to the owner and to staff.  Source: src/sacct/options.c of Slurm, where "NONE" stands for what
 * is not kept. */
#include "live/client/job_row.h"
#include "live/client/accounting/sacct.h"

#define LINE "--------------------------------------------------------------------------------\n"

static const LkJobRow *
row_of (const GPtrArray *rows, const LkAccountingJob *job)
{
  for (guint i = 0; i < rows->len; i++) {
    const LkJobRow *row = g_ptr_array_index (rows, i);
    if (row->job.job_id == job->job_id)
      return row;
  }
  return NULL;
}

/* A line each. */
static void
print_environment (LkBytes strings, FILE *out)
{
  for (guint32 i = 0; i < strings.length_bytes; i++)
    fputc (strings.bytes[i] != '\0' ? strings.bytes[i] : '\n', out);
}

gboolean
lk_sacct_batch_print (const LkClient *client, const LkSacctJob *job, gboolean is_environment,
                      gboolean no_heading)
{
  LkClientQuery query = { .kind = LK_RECORD_JOB,
                          .job_id = (guint32)job->job.job_id,
                          .with_ended = TRUE,
                          .with_payload = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) label = g_string_new (NULL);
  g_autoptr (GPtrArray) rows = lk_job_rows (client, &query, &error);
  if (rows == NULL) {
    lk_client_error (client, "%s", error->message);
    return FALSE;
  }
  const LkJobRow *row = row_of (rows, &job->job);
  lk_sacct_label (client, &job->job, label);
  if (!no_heading)
    fprintf (client->out,
             is_environment ? "Environment used for %s (must be batch to display)\n" LINE
                            : "Batch Script for %s\n" LINE,
             label->str);
  if (row == NULL || row->batch->script.length_bytes == 0)
    fprintf (client->out, "NONE\n");
  else if (is_environment)
    print_environment (row->batch->environment, client->out);
  else
    fwrite (row->batch->script.bytes, 1, row->batch->script.length_bytes, client->out);
  return TRUE;
}
