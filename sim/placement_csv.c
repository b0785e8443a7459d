/* sim/placement_csv.c — see the header. Names of nodes hold no quote, so quoting is simple. */
#include "sim/placement_csv.h"

#include <string.h>

#include "sim/results.h"
#include "traces/output.h"

struct _LkPlacementCsv {
  LkOutput *output;
  GString *line;
};

static const char header[] = "job_id,cpus,memory_mib,gpus,billing,restarts,nodes,cores,gres\n";

LkPlacementCsv *
lk_placement_csv_new (const char *path, GError **error)
{
  g_autoptr (LkOutput) output = lk_output_new_partial (path, error);
  if (output == NULL || !lk_output_write (output, header, sizeof header - 1, error))
    return NULL;
  LkPlacementCsv *self = g_new0 (LkPlacementCsv, 1);
  self->output = g_steal_pointer (&output);
  self->line = g_string_new (NULL);
  return self;
}

void
lk_placement_csv_free (LkPlacementCsv *self)
{
  if (self == NULL)
    return;
  lk_output_free (self->output);
  g_string_free (self->line, TRUE);
  g_free (self);
}

gboolean
lk_placement_csv_add (LkPlacementCsv *self, const LkSimResult *result, GError **error)
{
  char gpus[G_ASCII_DTOSTR_BUF_SIZE];
  char billing[G_ASCII_DTOSTR_BUF_SIZE];
  char number[32];
  const char *id = number;
  if (result->nodes == NULL)
    return TRUE;
  g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, result->job.number);
  if (result->job.name != NULL && lk_job_name_is_id (result->job.name))
    id = result->job.name;
  g_ascii_formatd (gpus, sizeof gpus, "%.6g", result->holding.gpus);
  g_ascii_formatd (billing, sizeof billing, "%.9g", result->billing);
  g_string_printf (self->line, "%s,%u,%" G_GINT64_FORMAT ",%s,%s,%u,\"%s\",\"%s\",\"%s\"\n", id,
                   result->holding.cpus, result->holding.memory_bytes / (1024 * 1024), gpus,
                   billing, result->restarts, result->nodes, result->cores, result->gres);
  return lk_output_write (self->output, self->line->str, self->line->len, error);
}

gboolean
lk_placement_csv_close (LkPlacementCsv *self, GError **error)
{
  return lk_output_close (self->output, error);
}
