/* live/client/step/sbcast.c — copies a file to all nodes of a job, or of one of its steps.
 *
 * Source: sbcast(1); src/sbcast/opts.c of Slurm. */
#include <string.h>
#include <sys/stat.h>

#include "engine/hostlist.h"
#include "live/client/step/bcast.h"
#include "live/client/commands.h"
#include "live/client/job_row.h"
#include "live/client/options_help.h"

#define FAILURE 1

static const LkClientOption options[] = {
  { "compress", 'C', LK_OPTION_VALUE_MAY, LK_OPTION_HARMLESS,
    "pieces are sent as they are; lz4 or none" },
  { "exclude", 0, TRUE, LK_OPTION_REFUSED, "it is about --send-libs" },
  { "fanout", 'F', TRUE, LK_OPTION_HARMLESS, "nodes connect to sbcast" },
  { "force", 'f', FALSE, LK_OPTION_ACTED_ON, "replaces what is there by that name" },
  { "jobid", 'j', TRUE, LK_OPTION_ACTED_ON, "the job, 7, or one of its steps, 7.0" },
  { "preserve", 'p', FALSE, LK_OPTION_ACTED_ON, "keeps the time of the last change" },
  { "send-libs", 0, LK_OPTION_VALUE_MAY, LK_OPTION_REFUSED, "copy the libraries one by one" },
  { "size", 's', TRUE, LK_OPTION_HARMLESS, "pieces are as large as the nodes have room" },
  { "timeout", 't', TRUE, LK_OPTION_HARMLESS, "a node that is lost is told as of any step" },
  { "treewidth", 0, TRUE, LK_OPTION_HARMLESS, "nodes connect to sbcast" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "tells what is asked for" },
};

typedef struct {
  LkClient *client;
  const char *job;
  gboolean replaces;
  gboolean keeps_time;
  gboolean is_verbose;
  guint32 job_id;
  gboolean has_step;
  guint32 step_id;
  char *nodes; /* NULL: none has been found */
} Sbcast;

void
lk_sbcast_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sbcast *self = user;
  if (option->letter == 'j')
    self->job = value;
  else if (option->letter == 'f')
    self->replaces = TRUE;
  else if (option->letter == 'v')
    self->is_verbose = TRUE;
  else
    self->keeps_time = TRUE;
  return TRUE;
}

/* What the environment asks for, and is refused as an option is. FALSE: told. */
static gboolean
variables_check (const LkClient *client)
{
  const char *libraries = lk_client_variable (client, "SBCAST_SEND_LIBS");
  const char *refused = lk_client_variable (client, "SBCAST_EXCLUDE") != NULL ? "SBCAST_EXCLUDE"
                        : libraries != NULL && g_ascii_strcasecmp (libraries, "no") != 0
                            ? "SBCAST_SEND_LIBS"
                            : NULL;
  if (refused != NULL)
    lk_client_error (client, "%s: libraries are not sent; copy them one by one", refused);
  return refused == NULL;
}

/* "7", "7.0". FALSE: told. */
static gboolean
job_parse (Sbcast *self)
{
  guint64 job = 0;
  guint64 step = 0;
  if (self->job == NULL)
    self->job = lk_client_variable (self->client, "SLURM_JOB_ID");
  if (self->job == NULL) {
    lk_client_error (self->client, "Need a job id to run this command.  Run from within a Slurm "
                                   "job or use the --jobid option.");
    return FALSE;
  }
  g_auto (GStrv) parts = g_strsplit (self->job, ".", 2);
  if (parts[0] == NULL || !g_ascii_string_to_unsigned (parts[0], 10, 1, G_MAXUINT32 - 1, &job, NULL)
      || (parts[1] != NULL
          && !g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXUINT32 - 1, &step, NULL))) {
    lk_client_error (self->client, "Invalid job id %s", self->job);
    return FALSE;
  }
  self->job_id = (guint32)job;
  self->has_step = parts[1] != NULL;
  self->step_id = (guint32)step;
  return TRUE;
}

static void
step_take (gpointer user, const LkRecord *record)
{
  Sbcast *self = user;
  const LkRecord_step *step = &record->step;
  if (step->job_id == self->job_id && step->step_id == self->step_id && self->nodes == NULL)
    self->nodes = g_strndup (step->node_names.bytes, step->node_names.length_bytes);
}

static void
job_take (gpointer user, const LkRecord *record)
{
  Sbcast *self = user;
  const LkRecord_job *job = &record->job;
  if (job->job_id == self->job_id && job->state == LK_JOB_RUNNING && self->nodes == NULL)
    self->nodes = g_strndup (job->node_names.bytes, job->node_names.length_bytes);
}

/* -v: on standard error. */
static void
asked_tell (const Sbcast *self, char **arguments)
{
  static const char *const words[] = { "false", "true" };
  FILE *out = self->client->err;
  struct stat about;
  fputs ("sbcast: -----------------------------\n", out);
  fprintf (out, "sbcast: force          = %s\n", words[self->replaces]);
  fprintf (out, "sbcast: jobid          = %u\n", self->job_id);
  fprintf (out, "sbcast: preserve       = %s\n", words[self->keeps_time]);
  fprintf (out, "sbcast: source         = %s\n", arguments[0]);
  fprintf (out, "sbcast: dest           = %s\n", arguments[1]);
  fputs ("sbcast: -----------------------------\n", out);
  if (stat (arguments[0], &about) == 0)
    fprintf (out, "sbcast: modes    = %o\n", (guint)about.st_mode);
}

static int
run (Sbcast *self, char **arguments)
{
  LkClient *client = self->client;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  LkClientQuery query = { .kind = self->has_step ? LK_RECORD_STEP : LK_RECORD_JOB,
                          .job_id = self->job_id };
  if (!lk_client_query (client, &query, self->has_step ? step_take : job_take, self, &error)
      || self->nodes == NULL || *self->nodes == '\0') {
    lk_client_error (client, "Slurm jobid %u lookup error: %s", self->job_id,
                     error != NULL ? error->message : "Invalid job id specified");
    return FAILURE;
  }
  if (self->is_verbose)
    asked_tell (self, arguments);
  lk_hostlist_expand (self->nodes, strlen (self->nodes), names, NULL);
  LkBcast what = { .job_id = self->job_id,
                   .nodes = self->nodes,
                   .node_count = names->len,
                   .source = arguments[0],
                   .target = arguments[1],
                   .replaces = self->replaces,
                   .keeps_time = self->keeps_time };
  return lk_bcast_run (client, &what);
}

static const LkOptionHelp told = { .usage = "[-CfFjpstvV] SOURCE DEST" };

int
lk_sbcast (LkClient *client, int argc, char **argv)
{
  Sbcast self = { .client = client,
                  .replaces = lk_client_variable (client, "SBCAST_FORCE") != NULL,
                  .keeps_time = lk_client_variable (client, "SBCAST_PRESERVE") != NULL };
  LkOptionSet set = { .usage = "[OPTIONS] SOURCE DEST",
                      .help = &told,
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -2 ? 0 : FAILURE;
  if (!variables_check (client))
    return FAILURE;
  if (count != 2) {
    fprintf (client->err, "Need two file names, have %d names\n", count);
    return FAILURE;
  }
  int code = job_parse (&self) ? run (&self, argv + 1) : FAILURE;
  g_free (self.nodes);
  return code;
}
