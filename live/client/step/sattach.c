/* live/client/step/sattach.c — looks on at a step that somebody else has started, and writes to it.
 *
 * What tasks write from now on comes here, too; what is read here is more input of the tasks.  The
 * step goes on when sattach ends.  Source: sattach(1); src/sattach of Slurm. */
#include <string.h>
#include <unistd.h>

#include "engine/hostlist.h"
#include "live/client/commands.h"
#include "live/client/job_row.h"
#include "live/client/options.h"
#include "live/client/step/step_console.h"
#include "live/client/step/task_places.h"
#include "live/core/batch.h"

#define FAILURE 1

static const LkClientOption options[] = {
  { "error-filter", 0, TRUE, LK_OPTION_ACTED_ON, "of standard error only that of this task" },
  { "input-filter", 0, TRUE, LK_OPTION_ACTED_ON, "what is read goes to this task only" },
  { "label", 'l', FALSE, LK_OPTION_ACTED_ON, "each line begins with the number of its task" },
  { "layout", 0, FALSE, LK_OPTION_ACTED_ON, "tells which task is where, and ends" },
  { "output-filter", 0, TRUE, LK_OPTION_ACTED_ON, "of standard output only that of this task" },
  { "pty", 0, FALSE, LK_OPTION_REFUSED, "a terminal is that of its srun" },
  { "quiet", 'Q', FALSE, LK_OPTION_ACTED_ON, "tells errors only" },
  { "verbose", 'v', FALSE, LK_OPTION_HARMLESS, "sattach tells all that it has to tell" },
};

typedef struct {
  LkClient *client;
  gboolean is_labelled;
  gboolean is_quiet;
  gboolean tells_layout;
  guint32 out_task;
  guint32 err_task;
  guint32 in_task;
  guint32 job_id;
  guint32 step_id;
  LkKey key;
  guint32 task_count;
  LkTaskPlaces layout;
  LkStepConsole *console;
  gboolean is_found;
} Attach;

void
lk_sattach_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Attach *self = user;
  guint64 task = 0;
  if (value != NULL && !g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32 - 1, &task, NULL)) {
    lk_client_error (self->client, "Invalid numeric value \"%s\" for %s.", value, option->name);
    return FALSE;
  }
  if (strcmp (option->name, "label") == 0)
    self->is_labelled = TRUE;
  else if (strcmp (option->name, "layout") == 0)
    self->tells_layout = TRUE;
  else if (strcmp (option->name, "quiet") == 0)
    self->is_quiet = TRUE;
  else if (strcmp (option->name, "error-filter") == 0)
    self->err_task = (guint32)task;
  else if (strcmp (option->name, "input-filter") == 0)
    self->in_task = (guint32)task;
  else
    self->out_task = (guint32)task;
  return TRUE;
}

/* "7.0" */
static gboolean
step_parse (Attach *self, const char *word)
{
  char *end;
  guint64 step;
  guint64 job = g_ascii_strtoull (word, &end, 10);
  if (end == word || *end != '.' || job == 0 || job >= G_MAXUINT32
      || !g_ascii_string_to_unsigned (end + 1, 10, 0, G_MAXUINT32 - 1, &step, NULL))
    return FALSE;
  self->job_id = (guint32)job;
  self->step_id = (guint32)step;
  return TRUE;
}

/* ---------------------------------------------------------------- --layout */

static void
layout_take (gpointer user, const LkRecord *record)
{
  Attach *self = user;
  const LkRecord_step *step = &record->step;
  if (step->job_id != self->job_id || step->step_id != self->step_id)
    return;
  self->is_found = TRUE;
  self->task_count = step->task_count;
  lk_task_places_take (&self->layout, step->task_count, step->places);
}

static int
layout_tell (Attach *self)
{
  LkClientQuery query = { .kind = LK_RECORD_STEP, .job_id = self->job_id };
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) nodes = g_string_new (NULL);
  FILE *out = self->client->out;
  if (!lk_client_query (self->client, &query, layout_take, self, &error) || !self->is_found) {
    lk_client_error (self->client, "Could not get job step info: %s",
                     error != NULL ? error->message : "Invalid job step id specified");
    return FAILURE;
  }
  const GPtrArray *names = self->layout.node_names;
  lk_hostlist_compress ((const char *const *)names->pdata, names->len, nodes);
  fprintf (out, "Job step layout:\n\t%u tasks, %u nodes (%s)\n\n", self->task_count, names->len,
           nodes->str);
  for (guint i = 0; i < names->len; i++) {
    g_autoptr (GString) tasks = g_string_new (NULL);
    guint count = 0;
    for (guint32 j = 0; j < self->task_count; j++) {
      if (g_array_index (self->layout.task_indices, guint32, j) != i)
        continue;
      g_string_append_printf (tasks, "%u ", j);
      count++;
    }
    fprintf (out, "\tNode %u (%s), %u task(s): %s\n", i, (const char *)names->pdata[i], count,
             tasks->str);
  }
  return 0;
}

/* ---------------------------------------------------------------- listening */

typedef struct {
  Attach *attach;
  guint error;
} Asked;

static void
attached_take (gpointer user, const LkMessage *message)
{
  Asked *asked = user;
  asked->error = LK_STEP_ERROR_INVALID_REQUEST;
  if (message->kind == LK_MESSAGE_STEP_REPLY)
    asked->error = message->step_reply.error;
  if (message->kind != LK_MESSAGE_STEP_CREATED)
    return;
  asked->error = message->step_created.error;
  asked->attach->task_count = message->step_created.tasks;
  lk_task_places_take (&asked->attach->layout, message->step_created.tasks,
                       message->step_created.places);
}

/* FALSE: told. */
static gboolean
ask (Attach *self, guint16 port)
{
  const LkClient *client = self->client;
  Asked asked = { self, LK_STEP_ERROR_NONE };
  g_autoptr (GError) error = NULL;
  g_autofree char *addresses = lk_step_addresses (port);
  LkMessage request = { .kind = LK_MESSAGE_STEP_ATTACH };
  lk_random_fill (self->key.bytes, sizeof self->key.bytes);
  request.step_attach.job_id = self->job_id;
  request.step_attach.step_id = self->step_id;
  request.step_attach.addresses = (LkText){ addresses, (guint16)strlen (addresses) };
  request.step_attach.key = (LkBytes){ self->key.bytes, sizeof self->key.bytes };
  request.step_attach.may_write = 1;
  if (!client->wire->exchange (client->wire_self, &request, attached_take, &asked, &error))
    lk_client_error (client, "Could not get job step info: %s", error->message);
  else if (asked.error != LK_STEP_ERROR_NONE)
    lk_client_error (client, "Could not get job step info: %s", lk_step_error_text (asked.error));
  else
    return TRUE;
  return FALSE;
}

static void
came (gpointer user, int socket)
{
  Attach *self = user;
  lk_step_console_came (self->console, socket);
}

static int
listen_to (Attach *self)
{
  LkClient *client = self->client;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkLoop) loop = lk_loop_new (&error);
  g_autoptr (LkStepDoor) door = loop != NULL ? lk_step_door_new (loop, came, self, &error) : NULL;
  g_autofree char *label = g_strdup_printf ("StepId=%u.%u", self->job_id, self->step_id);
  if (door == NULL) {
    lk_client_error (client, "unable to initialize step context socket: %s", error->message);
    return FAILURE;
  }
  if (!ask (self, lk_step_door_port (door)))
    return FAILURE;
  LkStepConsoleOptions console = { .client = client,
                                   .loop = loop,
                                   .key = self->key,
                                   .job_id = self->job_id,
                                   .step_id = self->step_id,
                                   .label = label,
                                   .node_names = self->layout.node_names,
                                   .task_nodes = self->layout.task_nodes,
                                   .task_indices = self->layout.task_indices,
                                   .is_labelled = self->is_labelled,
                                   .out_fd = fileno (client->out),
                                   .err_fd = fileno (client->err),
                                   .out_task = self->out_task,
                                   .err_task = self->err_task,
                                   .in_fd = fileno (client->in),
                                   .in_task = self->in_task,
                                   .is_quiet = self->is_quiet,
                                   .is_attached = TRUE };
  self->console = lk_step_console_new (&console);
  int code = lk_step_console_run (self->console);
  g_clear_pointer (&self->console, lk_step_console_free);
  return code;
}

int
lk_sattach (LkClient *client, int argc, char **argv)
{
  static const char usage[] = "[options] <jobid.stepid>";
  Attach self = {
    .client = client, .out_task = LK_STEP_ALL, .err_task = LK_STEP_ALL, .in_task = LK_STEP_ALL
  };
  LkOptionSet set = { .usage = usage,
                      .operands = "<jobid.stepid>",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -2 ? 0 : FAILURE;
  if (count != 1 || !step_parse (&self, argv[1])) {
    lk_client_error (client, "%s",
                     count != 1 ? "too many parameters"
                                : "Failed to parse stepid from command line options");
    fprintf (client->err, "Usage: sattach %s\n", usage);
    return FAILURE;
  }
  lk_task_places_init (&self.layout);
  int code = self.tells_layout ? layout_tell (&self) : listen_to (&self);
  lk_task_places_clear (&self.layout);
  lk_key_clear (&self.key);
  return code;
}
