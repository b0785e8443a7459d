/* live/client/submit/sbatch_events.c — the words of sbatch as events: one for each component. */
#include <grp.h>
#include <pwd.h>
#include <string.h>

#include "live/client/moment.h"
#include "live/client/refusal.h"
#include "live/client/submit/harmless_values.h"
#include "live/client/submit/option_variables.h"
#include "live/client/submit/sbatch.h"
#include "traces/job_values.h"

/* ---------------------------------------------------------------- options */

/* All components in one list of arguments, with ":" between. */
static GPtrArray *
arguments_join (const LkSbatch *self)
{
  GPtrArray *all = g_ptr_array_new ();
  for (guint i = 0; i < self->components->len; i++) {
    const GPtrArray *words = g_ptr_array_index (self->components, i);
    if (i > 0)
      g_ptr_array_add (all, (gpointer) ":");
    for (guint j = 0; j < words->len; j++)
      g_ptr_array_add (all, g_ptr_array_index (words, j));
  }
  g_ptr_array_add (all, NULL);
  return all;
}

/* Options on which nobody acts are told, not dropped. */
static gboolean
refused_check (const LkSbatch *self)
{
  for (guint i = 0; i < self->components->len; i++) {
    const GPtrArray *words = g_ptr_array_index (self->components, i);
    for (guint j = 0; j < words->len; j++) {
      const char *word = g_ptr_array_index (words, j);
      const char *why;
      g_autofree char *name = g_strndup (word + 2, strcspn (word + 2, "="));
      if (lk_sbatch_option_class (name, &why) != LK_SBATCH_REFUSED)
        continue;
      lk_option_error (self->client, name, strchr (word, '=') != NULL ? strchr (word, '=') + 1 : "",
                       "--%s is not implemented: %s", name, why);
      return FALSE;
    }
  }
  return TRUE;
}

/* 0, or the exit code: told. */
static int
harmless_check (const LkSbatch *self)
{
  int wrong = 0;
  for (guint i = 0; i < self->components->len; i++) {
    const GPtrArray *words = g_ptr_array_index (self->components, i);
    for (guint j = 0; j < words->len && wrong == 0; j++) {
      const char *word = (const char *)g_ptr_array_index (words, j) + 2;
      const char *equals = strchr (word, '=');
      g_autofree char *name = g_strndup (word, strcspn (word, "="));
      wrong = lk_harmless_value_check (self->client, name, equals != NULL ? equals + 1 : NULL);
    }
  }
  return wrong;
}

/* More nodes than tasks are not needed. */
static void
nodes_cut_tell (const LkSbatch *self, const LkJobOptions *options)
{
  guint32 tasks = options->request.tasks;
  if (options->nodes_cut_from > 0 && lk_sbatch_value (self, "quiet") == NULL)
    fprintf (self->client->err,
             "%s: Warning: can't run %u processes on %u nodes, setting nnodes to %u\n",
             self->client->command, tasks, options->nodes_cut_from, tasks);
}

static int
options_read (LkSbatch *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) all = arguments_join (self);
  if (!refused_check (self))
    return LK_SBATCH_FAILURE;
  int wrong = harmless_check (self);
  if (wrong != 0)
    return wrong;
  if (!lk_job_options_parse_components ((const char *const *)all->pdata, self->texts, self->options,
                                        &error))
    return lk_sbatch_option_error (self->client, error);
  for (guint i = 0; i < self->options->len; i++) {
    const LkJobOptions *options = &g_array_index (self->options, LkJobOptions, i);
    const char *unsupported = options->unsupported_beside_terms;
    nodes_cut_tell (self, options);
    if (self->options->len > 1 && options->terms.array.length_bytes > 0) {
      lk_client_error (self->client,
                       "Batch job submission failed: Invalid job array specification: "
                       "a heterogeneous job is no array");
      return LK_SBATCH_FAILURE;
    }
    if (unsupported == NULL)
      continue;
    lk_client_error (self->client, "--%s is not implemented", unsupported);
    return LK_SBATCH_FAILURE;
  }
  return 0;
}

/* ---------------------------------------------------------------- whose it is */

typedef struct {
  guint32 user_id;
  guint32 group_id;
  const char *user_name;
  const char *group_name;
} Owner;

static gboolean
user_find (LkSbatch *self, const char *name, Owner *out)
{
  guint64 number;
  const struct passwd *found = getpwnam (name);
  if (found == NULL && g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT32 - 1, &number, NULL))
    found = getpwuid ((uid_t)number);
  if (found == NULL)
    return FALSE;
  out->user_id = found->pw_uid;
  out->group_id = found->pw_gid;
  out->user_name = g_string_chunk_insert_const (self->texts, found->pw_name);
  const struct group *group = getgrgid (found->pw_gid);
  out->group_name = group != NULL ? g_string_chunk_insert_const (self->texts, group->gr_name) : "";
  return TRUE;
}

static gboolean
group_find (LkSbatch *self, const char *name, Owner *out)
{
  guint64 number;
  const struct group *found = getgrnam (name);
  if (found == NULL && g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT32 - 1, &number, NULL))
    found = getgrgid ((gid_t)number);
  if (found == NULL)
    return FALSE;
  out->group_id = found->gr_gid;
  out->group_name = g_string_chunk_insert_const (self->texts, found->gr_name);
  return TRUE;
}

/* --uid and --gid: only root may say that it is somebody else. */
static int
owner_read (LkSbatch *self, Owner *out)
{
  const LkClient *client = self->client;
  const char *user = lk_sbatch_value (self, "uid");
  const char *group = lk_sbatch_value (self, "gid");
  *out = (Owner){ client->user_id, client->group_id, client->user_name, client->group_name };
  if ((user != NULL || group != NULL) && !lk_client_is_root (client)) {
    lk_client_error (client, "--%s only permitted by root user", user != NULL ? "uid" : "gid");
    return LK_SBATCH_USAGE;
  }
  if (user != NULL && !user_find (self, user, out)) {
    lk_client_error (client, "Invalid --uid specification");
    return LK_SBATCH_USAGE;
  }
  if (group != NULL && !group_find (self, group, out)) {
    lk_client_error (client, "Invalid --gid specification");
    return LK_SBATCH_USAGE;
  }
  if (out->user_id == 0 && client->root_jobs_disabled) {
    lk_client_error (client, "Batch job submission failed: Invalid user id");
    return LK_SBATCH_FAILURE;
  }
  return 0;
}

/* ---------------------------------------------------------------- events */

/* `text` (NULL: not given) as a moment. */
static gboolean
moment_read (const LkSbatch *self, const char *option, const char *text, gint64 *out_us)
{
  if (text == NULL || lk_client_moment_parse (text, self->client->now_us, TRUE, out_us))
    return TRUE;
  fprintf (self->client->err, "Invalid time specification (pos=0): %s\n", text);
  lk_client_error (self->client, "Invalid --%s specification", option);
  return FALSE;
}

/* Of "a&b|[c*2|d]". FALSE: told. Such a request is refused before it has a number. */
static gboolean
constraint_check (const LkSbatch *self, LkText text)
{
  gboolean is_after_sign = TRUE;
  for (guint32 i = 0; i < text.length_bytes; i++) {
    gboolean is_sign = text.bytes[i] == '&' || text.bytes[i] == '|';
    if (is_sign && is_after_sign)
      break;
    is_after_sign = is_sign;
    if (i + 1 == text.length_bytes && !is_sign)
      return TRUE;
  }
  if (text.length_bytes == 0)
    return TRUE;
  lk_client_error (self->client, "%s: %s", lk_sbatch_failure (self->client),
                   lk_refusal_text (LK_REJECT_FEATURE_UNKNOWN));
  return FALSE;
}

/* What a job is called that says nothing. */
static const char *
name_of (const LkSbatch *self)
{
  if (lk_sbatch_value (self, "wrap") != NULL)
    return "wrap";
  if (self->script_name == NULL)
    return self->name_default;
  g_autofree char *name = g_path_get_basename (self->script_name);
  return g_string_chunk_insert_const (self->texts, name);
}

static gboolean
event_fill (LkSbatch *self, const LkJobOptions *options, const Owner *owner, LkEvent_submit *submit)
{
  LkJobRequest request = options->request;
  LkJobTerms terms = options->terms;
  if (!moment_read (self, "begin", options->begin, &terms.begin_us)
      || !moment_read (self, "deadline", options->deadline, &terms.deadline_us))
    return FALSE;
  if (terms.name.length_bytes == 0)
    terms.name = lk_text (name_of (self));
  request.user = lk_text (owner->user_name);
  if (request.group.length_bytes == 0 || lk_sbatch_value (self, "gid") != NULL)
    request.group = lk_text (owner->group_name);
  submit->user_id = owner->user_id;
  submit->group_id = owner->group_id;
  submit->procs = lk_job_request_cpus (&options->request);
  submit->estimate_us = MAX (0, options->limit_us);
  lk_submit_set_request (submit, &request);
  lk_submit_set_terms (submit, &terms);
  return TRUE;
}

static gboolean
moments_check (const LkSbatch *self, const LkEvent_submit *submit)
{
  if (submit->deadline_us <= 0 || submit->begin_us <= submit->deadline_us)
    return TRUE;
  lk_client_error (self->client, "Incompatible begin and deadline time specification");
  return FALSE;
}

int
lk_sbatch_events (LkSbatch *self, GArray *out_events)
{
  Owner owner;
  int wrong = options_read (self);
  if (wrong == 0)
    wrong = owner_read (self, &owner);
  for (guint i = 0; wrong == 0 && i < self->options->len; i++) {
    LkEvent event = { .kind = LK_EVENT_SUBMIT };
    const LkJobOptions *options = &g_array_index (self->options, LkJobOptions, i);
    if (!constraint_check (self, options->request.constraint))
      return LK_SBATCH_FAILURE;
    if (!event_fill (self, options, &owner, &event.submit))
      wrong = LK_SBATCH_USAGE;
    else if (!moments_check (self, &event.submit))
      wrong = LK_SBATCH_FAILURE;
    if (self->options->len > 1) {
      /* The controller gives the ids. */
      event.submit.het_offset = i;
      event.submit.het_count = self->options->len;
    }
    g_array_append_val (out_events, event);
  }
  return wrong;
}
