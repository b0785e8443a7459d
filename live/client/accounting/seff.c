/* live/client/accounting/seff.c — `seff ID`: how much of what it held a job has used, as the script
 * of Slurm's contribs tells it.
 *
 * Texts, order and exit codes are that script's (version 2.1), as programs read them.  What memory
 * was asked for each CPU accounting does not keep: memory is always told of each node.  `lockstep
 * seff` tells more. */
#include <math.h>
#include <string.h>

#include "engine/codec.h"
#include "live/client/commands.h"
#include "live/client/json/accounting.h"
#include "live/client/options.h"
#include "live/client/accounting/sacct.h"

#define VERSION "2.1"
#define TOLD 1
#define NOT_FOUND 2
#define BADLY_FORMATTED 3
#define KIB 1024.0

/* Letters as the script has them: -h is no heading here. */
static const LkClientOption options[] = {
  { "debug", 'd', FALSE, LK_OPTION_ACTED_ON, "what the lines are made of, too" },
  { "helpmenu", 'h', FALSE, LK_OPTION_ACTED_ON, "how it is used; exit status 1" },
  { "seff-version", 'v', FALSE, LK_OPTION_ACTED_ON, "its version; exit status 1" },
  { "file", 'f', TRUE, LK_OPTION_HARMLESS, "the script takes it and does nothing with it" },
};

typedef struct {
  gboolean debug;
  gboolean help;
  gboolean version;
} Seff;

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Seff *self = user;
  (void)value;
  self->debug = self->debug || option->letter == 'd';
  self->help = self->help || option->letter == 'h';
  self->version = self->version || option->letter == 'v';
  return TRUE;
}

/* ---------------------------------------------------------------- words */

/* "1-02:03:04" */
static char *
time_text (gint64 seconds)
{
  gint64 days = seconds / 86400;
  gint64 rest = seconds % 86400;
  g_autofree char *before = days > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT "-", days) : NULL;
  return g_strdup_printf ("%s%02d:%02d:%02d", before != NULL ? before : "", (int)(rest / 3600),
                          (int)(rest % 3600 / 60), (int)(rest % 60));
}

/* "2.78 MB" */
static char *
memory_text (double kib)
{
  static const char units[] = "KMGTPE";
  if (kib == 0)
    return g_strdup ("0.00 MB");
  int power = (int)(log (kib) / log (KIB));
  power = CLAMP (power, 0, (int)sizeof units - 2);
  return g_strdup_printf ("%.2f %cB", kib / pow (KIB, power), units[power]);
}

/* ---------------------------------------------------------------- the block */

typedef struct {
  const LkSacctJob *row;
  const char *cluster;
  const char *state;
  gint64 cpus;
  gint64 nodes;
  gint64 run_s;
  gint64 cpu_s;
  double used_kib;
  double held_kib;
} Facts;

static Facts
facts_of (const LkClient *client, const LkSacctBook *book, const LkSacctJob *row)
{
  const LkAccountingJob *job = &row->job;
  const LkSacctUsage *used = &row->usage;
  gint64 cpu_us = used->user_cpu_us + used->system_cpu_us;
  return (Facts){ .row = row,
                  .cluster = book->cluster,
                  .state = lk_job_state_name ((guint)job->state),
                  .cpus = job->cpus > 0 ? job->cpus : MAX (1, job->asked_cpus),
                  .nodes = MAX (1, job->nodes),
                  .run_s = lk_sacct_elapsed_us (row, client->now_us) / G_USEC_PER_SEC,
                  .cpu_s = (cpu_us + G_USEC_PER_SEC / 2) / G_USEC_PER_SEC,
                  .used_kib = (double)used->sum_rss_bytes / KIB,
                  .held_kib = (double)lk_sacct_tres_amount (job->allocated_tres, "mem") / KIB };
}

static void
who_print (const LkClient *client, const Facts *facts)
{
  const LkAccountingJob *job = &facts->row->job;
  fprintf (client->out, "Job ID: %" G_GINT64_FORMAT "\n", job->job_id);
  if (job->array_job_id != 0)
    fprintf (client->out, "Array Job ID: %" G_GINT64_FORMAT "_%" G_GINT64_FORMAT "\n",
             job->array_job_id, job->array_task);
  fprintf (client->out, "Cluster: %s\nUser/Group: %s/%s\n", facts->cluster, facts->row->user,
           facts->row->group);
  fprintf (client->out, "State: %s", facts->state);
  if (job->state != LK_JOB_PENDING && job->state != LK_JOB_RUNNING)
    fprintf (client->out, " (exit code %" G_GINT64_FORMAT ")", job->exit_code);
  fprintf (client->out, "\n");
  if (facts->cpus == 1)
    fprintf (client->out, "Cores: 1\n");
  else
    fprintf (client->out, "Nodes: %" G_GINT64_FORMAT "\nCores per node: %" G_GINT64_FORMAT "\n",
             facts->nodes, facts->cpus / facts->nodes);
}

static void
use_print (const LkClient *client, const Facts *facts)
{
  gint64 held_s = facts->run_s * facts->cpus;
  g_autofree char *cpu = time_text (facts->cpu_s);
  g_autofree char *held = time_text (held_s);
  g_autofree char *wall = time_text (facts->run_s);
  g_autofree char *used = memory_text (facts->used_kib);
  g_autofree char *memory = memory_text (facts->held_kib);
  g_autofree char *each = memory_text (facts->held_kib / (double)facts->nodes);
  fprintf (client->out, "CPU Utilized: %s\n", cpu);
  fprintf (client->out, "CPU Efficiency: %.2f%% of %s core-walltime\n",
           held_s != 0 ? (double)facts->cpu_s / (double)held_s * 100 : 0.0, held);
  fprintf (client->out, "Job Wall-clock time: %s\n", wall);
  fprintf (client->out, "Memory Utilized: %s\n", used);
  fprintf (client->out, "Memory Efficiency: %.2f%% of %s (%s/node)\n",
           facts->held_kib > 0 ? facts->used_kib / facts->held_kib * 100 : 0.0, memory, each);
  const LkSacctUsage *usage = &facts->row->usage;
  double mean_bytes = (double)usage->sum_rss_bytes / (double)MAX (1, usage->node_count);
  if (usage->max_rss_bytes > 0 && (double)usage->max_rss_bytes > mean_bytes)
    fprintf (client->out,
             "The task which had the largest memory consumption differs by %.2f%% from the average "
             "task max memory consumption\n",
             (double)usage->max_rss_bytes / mean_bytes * 100);
  if (facts->row->job.state == LK_JOB_RUNNING)
    fprintf (client->out, "WARNING: Efficiency statistics can only be obtained after the job has "
                          "ended as seff tool is based on the accounting database data.\n");
}

static void
debug_print (const LkClient *client, const Facts *facts)
{
  const LkAccountingJob *job = &facts->row->job;
  g_autofree char *task = job->array_job_id != 0
                              ? g_strdup_printf ("%" G_GINT64_FORMAT "_%" G_GINT64_FORMAT,
                                                 job->array_job_id, job->array_task)
                              : g_strdup ("");
  fprintf (client->out,
           "Slurm data: JobID ArrayJobID User Group State Clustername Ncpus Nnodes Ntasks Reqmem "
           "PerNode Cput Walltime Mem ExitStatus\n"
           "Slurm data: %" G_GINT64_FORMAT " %s %s %s %s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
           " %" G_GINT64_FORMAT " 1 %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
           " %.15g %" G_GINT64_FORMAT "\n\n",
           job->job_id, task, facts->row->user, facts->row->group, facts->state, facts->cluster,
           facts->cpus, facts->nodes, lk_sacct_tres_amount (job->asked_tres, "mem") / 1024,
           facts->cpu_s, facts->run_s, facts->used_kib, job->exit_code);
}

/* ---------------------------------------------------------------- which job */

/* "7", "7_3". FALSE: it is neither. */
static gboolean
word_parse (const char *word, gint64 *out_id, gint64 *out_task)
{
  char *end;
  *out_id = (gint64)g_ascii_strtoull (word, &end, 10);
  *out_task = -1;
  if (end == word || *out_id == 0)
    return FALSE;
  if (*end == '_' && g_ascii_isdigit (end[1]))
    *out_task = (gint64)g_ascii_strtoull (end + 1, &end, 10);
  return *end == '\0';
}

/* The first of this name, and of its lives the last; as ids rise, lives do. */
static const LkSacctJob *
job_find (const LkSacctBook *book, gint64 id, gint64 task)
{
  const LkSacctJob *found = NULL;
  for (guint i = 0; i < book->jobs->len; i++) {
    const LkSacctJob *row = g_ptr_array_index (book->jobs, i);
    gboolean is_it = task >= 0 ? row->job.array_job_id == id && row->job.array_task == task
                               : row->job.job_id == id || row->job.array_job_id == id;
    if (is_it && (found == NULL || found->job.job_id == row->job.job_id))
      found = row;
  }
  return found;
}

static int
job_print (const LkClient *client, const Seff *self, const Facts *facts)
{
  const LkAccountingJob *job = &facts->row->job;
  if (job->array_job_id != 0 && job->array_task < 0) {
    fprintf (client->err, "Badly formatted array jobid %" G_GINT64_FORMAT " with task_id = -2\n",
             job->array_job_id);
    return BADLY_FORMATTED;
  }
  if (self->debug)
    debug_print (client, facts);
  who_print (client, facts);
  if (job->state == LK_JOB_PENDING)
    fprintf (client->out, "Efficiency not available for jobs in the PENDING state.\n");
  else
    use_print (client, facts);
  return 0;
}

static int
run (const LkClient *client, const Seff *self, const char *word)
{
  g_autofree char *path = lk_sacct_book_path (client);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GError) error = NULL;
  LkSacctRange range = { .job_ids = ids, .to_us = G_MAXINT64, .user_id = -1 };
  LkSacctBook book = { .jobs = NULL };
  gint64 id;
  gint64 task;
  int code = NOT_FOUND;
  if (!word_parse (word, &id, &task)) {
    fprintf (client->err, "Job not found.\n");
    return NOT_FOUND;
  }
  g_array_append_val (ids, id);
  if (!lk_sacct_book_read (&book, path, &range, &error)) {
    lk_client_error (client, "%s", error->message);
    lk_sacct_book_clear (&book);
    return NOT_FOUND;
  }
  const LkSacctJob *row = job_find (&book, id, task);
  if (row == NULL) {
    fprintf (client->err, "Job not found.\n");
  } else {
    Facts facts = facts_of (client, &book, row);
    code = job_print (client, self, &facts);
  }
  lk_sacct_book_clear (&book);
  return code;
}

int
lk_seff (LkClient *client, int argc, char **argv)
{
  Seff self = { .debug = FALSE };
  LkOptionSet set = { .usage = "[Options] <Jobid>",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -1 ? TOLD : 0;
  if (self.version) {
    fprintf (client->out, "seff Version " VERSION "\n");
    return TOLD;
  }
  if (self.help || count != 1) {
    fprintf (client->out, "Usage: seff [Options] <Jobid>\n"
                          "       Options:\n"
                          "       -h    Help menu\n"
                          "       -v    Version\n"
                          "       -d    Debug mode: display raw Slurm data\n");
    return TOLD;
  }
  return run (client, &self, argv[1]);
}

void
lk_seff_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
