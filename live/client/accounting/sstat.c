/* live/client/accounting/sstat.c — what living steps have used so far.
 *
 * The columns are those of sacct, filled from what the controller last heard of each step; what is
 * not measured is an empty cell, as there.  Source: sstat(1); src/sstat of Slurm. */
#include <string.h>

#include "engine/assert.h"
#include "live/client/commands.h"
#include "live/client/options_help.h"
#include "live/client/rounds.h"
#include "live/client/accounting/sacct.h"
#include "live/client/words.h"

#define FAILURE 1
#define BATCH_STEP G_MAXUINT32
#define HELP_WIDTH 20
#define HELP_COLUMNS 4
#define DEFAULT_FORMAT                                                                             \
  "JobID,AllocTRES,MaxVMSize,MaxVMSizeNode,MaxVMSizeTask,AveVMSize,MaxRSS,MaxRSSNode,"             \
  "MaxRSSTask,AveRSS,MaxPages,MaxPagesNode,MaxPagesTask,AvePages,MinCPU,MinCPUNode,MinCPUTask,"    \
  "AveCPU,NTasks,"                                                                                 \
  "AveCPUFreq,ReqCPUFreqMin,ReqCPUFreqMax,ReqCPUFreqGov,ConsumedEnergy,MaxDiskRead,"               \
  "MaxDiskReadNode,MaxDiskReadTask,AveDiskRead,MaxDiskWrite,MaxDiskWriteNode,MaxDiskWriteTask,"    \
  "AveDiskWrite,TRESUsageInAve,TRESUsageInMax,TRESUsageInMaxNode,TRESUsageInMaxTask,"              \
  "TRESUsageInMin,TRESUsageInMinNode,TRESUsageInMinTask,TRESUsageInTot,TRESUsageOutAve,"           \
  "TRESUsageOutMax,TRESUsageOutMaxNode,TRESUsageOutMaxTask,TRESUsageOutMin,TRESUsageOutMinNode,"   \
  "TRESUsageOutMinTask,TRESUsageOutTot"

static const LkClientOption options[] = {
  { "allsteps", 'a', FALSE, LK_OPTION_ACTED_ON, "all steps of a job that is given without one" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON,
    "columns, with commas between, %N behind for a width" },
  { "helpformat", 'e', FALSE, LK_OPTION_ACTED_ON, "prints the names of the columns" },
  { "jobs", 'j', TRUE, LK_OPTION_ACTED_ON, "steps, 7.0, or jobs, with commas between" },
  { "noconvert", 0, FALSE, LK_OPTION_HARMLESS, "memory is in K" },
  { "noheader", 'n', FALSE, LK_OPTION_ACTED_ON, "no headings" },
  { "parsable", 'p', FALSE, LK_OPTION_ACTED_ON, "a bar behind each field" },
  { "parsable2", 'P', FALSE, LK_OPTION_ACTED_ON, "a bar between fields" },
  { "pidformat", 'i', FALSE, LK_OPTION_REFUSED, "nodes do not tell numbers of processes" },
  { "verbose", 'v', FALSE, LK_OPTION_HARMLESS, "sstat tells all that it has to tell" },
};

/* Of sacct's columns those that are of a living step: X (name, width). */
static const struct {
  const char *name;
  int width;
} columns[] = {
  { "AllocTRES", 10 },
  { "AveCPU", 10 },
  { "AveCPUFreq", 10 },
  { "AveDiskRead", 12 },
  { "AveDiskWrite", 12 },
  { "AvePages", 10 },
  { "AveRSS", 10 },
  { "AveVMSize", 10 },
  { "ConsumedEnergy", 14 },
  { "ConsumedEnergyRaw", 17 },
  { "JobID", -12 },
  { "MaxDiskRead", 12 },
  { "MaxDiskReadNode", 15 },
  { "MaxDiskReadTask", 15 },
  { "MaxDiskWrite", 12 },
  { "MaxDiskWriteNode", 16 },
  { "MaxDiskWriteTask", 16 },
  { "MaxPages", 8 },
  { "MaxPagesNode", 12 },
  { "MaxPagesTask", 14 },
  { "MaxRSS", 10 },
  { "MaxRSSNode", 10 },
  { "MaxRSSTask", 10 },
  { "MaxVMSize", 10 },
  { "MaxVMSizeNode", 14 },
  { "MaxVMSizeTask", 14 },
  { "MinCPU", 10 },
  { "MinCPUNode", 10 },
  { "MinCPUTask", 10 },
  { "Nodelist", 20 },
  { "NTasks", 8 },
  { "ReqCPUFreq", 10 },
  { "ReqCPUFreqMin", 13 },
  { "ReqCPUFreqMax", 13 },
  { "ReqCPUFreqGov", 13 },
  { "TRESUsageInAve", 14 },
  { "TRESUsageInMax", 14 },
  { "TRESUsageInMaxNode", 18 },
  { "TRESUsageInMaxTask", 18 },
  { "TRESUsageInMin", 14 },
  { "TRESUsageInMinNode", 18 },
  { "TRESUsageInMinTask", 18 },
  { "TRESUsageInTot", 14 },
  { "TRESUsageOutAve", 15 },
  { "TRESUsageOutMax", 15 },
  { "TRESUsageOutMaxNode", 19 },
  { "TRESUsageOutMaxTask", 19 },
  { "TRESUsageOutMin", 15 },
  { "TRESUsageOutMinNode", 19 },
  { "TRESUsageOutMinTask", 19 },
  { "TRESUsageOutTot", 15 },
};

typedef struct {
  LkClient *client;
  const char *jobs;
  const char *format;
  LkFieldStyle style;
  gboolean wants_all;
  gboolean is_help_format;
  LkField known[G_N_ELEMENTS (columns) + 1];
  GArray *fields; /* of LkField: those that are shown */
  GArray *steps;  /* of LkAccountingStep: living ones of the job that is asked for, by number */
  GStringChunk *texts; /* of them */
} Sstat;

void
lk_sstat_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sstat *self = user;
  switch (option->letter) {
  case 'a':
    self->wants_all = TRUE;
    break;
  case 'e':
    self->is_help_format = TRUE;
    break;
  case 'j':
    self->jobs = value;
    break;
  case 'n':
    self->style.no_heading = TRUE;
    break;
  case 'o':
    self->format = value;
    break;
  case 'p':
    self->style.is_parsable = TRUE;
    break;
  default:
    self->style.is_parsable2 = TRUE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- columns */

/* Of a step its number or "batch", behind the number of its job, as Slurm has it here. */
static void
label_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSacctRow *row = user;
  (void)report;
  lk_word_number (row->step->job_id, out);
  if (row->step->step_id == BATCH_STEP)
    g_string_append (out, ".batch");
  else
    g_string_append_printf (out, ".%" G_GINT64_FORMAT, row->step->step_id);
}

static void
known_fill (Sstat *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    const char *name = columns[i].name;
    const LkField *like = lk_field_find (lk_sacct_fields, name, strlen (name));
    LK_ASSERT (like != NULL);
    self->known[i] = (LkField){ .name = name, .width = columns[i].width, .cell = like->cell };
    if (strcmp (name, "JobID") == 0)
      self->known[i].cell = label_cell;
  }
}

static int
columns_tell (const LkClient *client)
{
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    fprintf (client->out, "%-*s%s", HELP_WIDTH - 1, columns[i].name,
             i % HELP_COLUMNS == HELP_COLUMNS - 1 || i + 1 == G_N_ELEMENTS (columns) ? "\n" : " ");
  return 0;
}

/* ---------------------------------------------------------------- steps */

static void
step_take (gpointer user, const LkRecord *record)
{
  Sstat *self = user;
  const LkRecord_step *from = &record->step;
#define USED(type, name, help) .name = (gint64)from->name,
  LkAccountingStep step = { .run_id = (gint64)from->run_id,
                            .step_id = from->step_id,
                            .job_id = from->job_id,
                            .user_id = from->user_id,
                            .name = "",
                            .start_us = from->start_us,
                            .tasks = from->task_count,
                            .nodes = from->node_count,
                            .cpus = from->cpus_given,
                            .submit_line = "",
                            LK_STEP_USAGE_FIELDS (USED) LK_STEP_USAGE_NODE_FIELDS (USED) };
#undef USED
  if (from->state != LK_JOB_RUNNING && from->state != LK_JOB_SUSPENDED)
    return;
  step.node_list = g_string_chunk_insert_len (self->texts, from->node_names.bytes,
                                              (gssize)from->node_names.length_bytes);
  step.allocated_tres =
      g_string_chunk_insert_len (self->texts, from->tres.bytes, (gssize)from->tres.length_bytes);
  g_array_append_val (self->steps, step);
}

static void
row_append (const Sstat *self, const LkAccountingStep *step, GString *out)
{
  LkSacctReport report = { .client = self->client };
  LkSacctJob bare = { .user = "", .group = "" };
  LkSacctJob job = lk_sacct_step_job (&bare, step);
  LkSacctRow row = { .job = &job, .is_batch = TRUE, .step = step };
  lk_fields_row (&self->style, self->fields, &report, &row, out);
}

typedef struct {
  guint32 job_id;
  gboolean has_step;
  guint32 step_id;
} Word;

/* "7", "7.0", "7.batch". FALSE: told. */
static gboolean
word_parse (const Sstat *self, const char *text, Word *out)
{
  g_auto (GStrv) parts = g_strsplit (text, ".", 2);
  guint64 job = 0;
  guint64 step = BATCH_STEP;
  gboolean is_good =
      parts[0] != NULL && g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXUINT32 - 1, &job, NULL);
  if (is_good && parts[1] != NULL && strcmp (parts[1], "batch") != 0)
    is_good = g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXUINT32 - 1, &step, NULL);
  if (!is_good) {
    fprintf (self->client->err, "sstat: fatal: Bad job/step specified: %s\n", text);
    return FALSE;
  }
  *out = (Word){ (guint32)job, parts[1] != NULL, (guint32)step };
  return TRUE;
}

/* Without a step it is the first that srun has started, or with -a all. */
static void
word_append (Sstat *self, const Word *word, GString *out)
{
  LkClient *client = self->client;
  LkClientQuery query = { .kind = LK_RECORD_STEP, .job_id = word->job_id };
  g_autoptr (GError) error = NULL;
  gboolean is_found = FALSE;
  g_array_set_size (self->steps, 0);
  if (!lk_client_query (client, &query, step_take, self, &error)) {
    lk_client_error (client, "couldn't get steps for job %u: %s", word->job_id, error->message);
    return;
  }
  for (guint i = 0; i < self->steps->len; i++) {
    const LkAccountingStep *step = &g_array_index (self->steps, LkAccountingStep, i);
    gboolean is_meant = word->has_step
                            ? step->step_id == word->step_id
                            : self->wants_all || (!is_found && step->step_id != BATCH_STEP);
    if (step->job_id != word->job_id || !is_meant)
      continue;
    is_found = TRUE;
    row_append (self, step, out);
  }
  /* Of a step that is over Slurm says nothing either. */
  if (!is_found && !word->has_step)
    lk_client_error (client, "no steps running for job %u", word->job_id);
}

/* ---------------------------------------------------------------- the command */

static int
run (Sstat *self)
{
  LkClient *client = self->client;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) asked = g_array_new (FALSE, FALSE, sizeof (Word));
  g_autofree char *wrong = NULL;
  if (self->jobs == NULL) {
    lk_client_error (client, "You didn't give me any jobs to stat.");
    return FAILURE;
  }
  if (!lk_fields_parse (self->known, self->format != NULL ? self->format : DEFAULT_FORMAT,
                        self->fields, &wrong)) {
    wrong[strcspn (wrong, "%")] = '\0';
    lk_client_error (client, "Invalid field requested: \"%s\"", wrong);
    return FAILURE;
  }
  g_auto (GStrv) words = g_strsplit (self->jobs, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    Word word;
    if (*words[i] == '\0')
      continue;
    if (!word_parse (self, words[i], &word))
      return FAILURE;
    g_array_append_val (asked, word);
  }
  lk_fields_heading (&self->style, self->fields, out);
  for (guint i = 0; i < asked->len; i++)
    word_append (self, &g_array_index (asked, Word, i), out);
  fwrite (out->str, 1, out->len, client->out);
  return 0;
}

static const LkOptionHelp told = { .call = "[<OPTION>] -j <job(.stepid)>",
                                   .title = "Valid <OPTION> values are:",
                                   .is_long = TRUE,
                                   .usage = "[options] -j <job(.stepid)>\n\tUse --help for help" };

int
lk_sstat (LkClient *client, int argc, char **argv)
{
  Sstat self = { .client = client };
  LkOptionSet set = { .usage = "[OPTIONS] -j JOB[.STEP],...",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .help = &told,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -2 ? 0 : FAILURE;
  /* As in Slurm, the first argument without an option is more jobs, and the others are ignored. */
  g_autofree char *jobs =
      count > 0 ? g_strjoin (",", argv[1], self.jobs != NULL ? self.jobs : "", NULL) : NULL;
  if (jobs != NULL)
    self.jobs = jobs;
  if (self.is_help_format)
    return columns_tell (client);
  known_fill (&self);
  self.fields = g_array_new (FALSE, FALSE, sizeof (LkField));
  self.steps = g_array_new (FALSE, FALSE, sizeof (LkAccountingStep));
  self.texts = g_string_chunk_new (1024);
  int code = run (&self);
  g_array_unref (self.fields);
  g_array_unref (self.steps);
  g_string_chunk_free (self.texts);
  return code;
}
