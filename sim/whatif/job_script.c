/* sim/whatif/job_script.c — see the header. */
#include "sim/whatif/job_script.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "engine/job_shown.h"
#include "sim/error.h"
#include "traces/batch_script.h"
#include "traces/job_values.h"

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, text);
  return FALSE;
}

/* ---------------------------------------------------------------- words */

static void
words_free (gpointer words)
{
  g_strfreev (words);
}

/* The options of each component on the command line; what stands behind them is the script. */
static GPtrArray *
line_words (char *const *words, char *const **out_rest, GError **error)
{
  g_autoptr (GPtrArray) components = g_ptr_array_new_with_free_func (words_free);
  char *const *at = words;
  for (;;) {
    guint count;
    char **component = lk_job_options_words ((const char *const *)at, &count, error);
    if (component == NULL)
      return NULL;
    g_ptr_array_add (components, component);
    at += count;
    if (*at == NULL || strcmp (*at, ":") != 0)
      break;
    at++;
  }
  *out_rest = at;
  return g_steal_pointer (&components);
}

/* Of each component, those of the script first. Returns: (transfer full), as for lk_command_new. */
static char **
words_join (const GPtrArray *script, const GPtrArray *line, GError **error)
{
  g_autoptr (GPtrArray) joined = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (joined, g_strdup ("sbatch"));
  for (guint i = 0; i < MAX (script->len, line->len); i++) {
    guint count;
    if (i > 0)
      g_ptr_array_add (joined, g_strdup (":"));
    const GPtrArray *lines = i < script->len ? g_ptr_array_index (script, i) : NULL;
    g_auto (GStrv) own =
        lines != NULL ? lk_job_options_words ((const char *const *)lines->pdata, &count, error)
                      : g_new0 (char *, 1);
    if (own == NULL)
      return NULL;
    if (lines != NULL && g_ptr_array_index (lines, count) != NULL) {
      fail (error, "Invalid directive found in batch script: %s",
            (const char *)g_ptr_array_index (lines, count));
      return NULL;
    }
    char *const *given = i < line->len ? g_ptr_array_index (line, i) : NULL;
    for (guint j = 0; own[j] != NULL; j++)
      g_ptr_array_add (joined, g_strdup (own[j]));
    for (guint j = 0; given != NULL && given[j] != NULL; j++)
      g_ptr_array_add (joined, g_strdup (given[j]));
  }
  g_ptr_array_add (joined, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&joined), FALSE);
}

static gboolean
has_wrap (const GPtrArray *line)
{
  for (guint i = 0; i < line->len; i++)
    for (char *const *word = g_ptr_array_index (line, i); *word != NULL; word++)
      if (g_str_has_prefix (*word, "--wrap="))
        return TRUE;
  return FALSE;
}

/* Returns: (transfer full); NULL on failure. */
static GPtrArray *
script_words (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length_bytes = 0;
  GError *own = NULL;
  if (path != NULL && !g_file_get_contents (path, &text, &length_bytes, &own)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "the script cannot be read: %s",
                 own->message);
    g_error_free (own);
    return NULL;
  }
  if (path != NULL && (length_bytes < 3 || text[0] != '#' || text[1] != '!')) {
    fail (error, "%s: this is no batch script; expected a first line that begins with #!", path);
    return NULL;
  }
  GPtrArray *words =
      lk_batch_script_arguments ((const guint8 *)(text != NULL ? text : ""), length_bytes, error);
  if (words == NULL && path != NULL)
    g_prefix_error (error, "%s: ", path);
  return words;
}

static gboolean
read_command (LkJobScript *self, char *const *words, GError **error)
{
  gboolean is_first = words[0] != NULL && words[0][0] != '-';
  char *const *rest = NULL;
  g_autoptr (GError) wrong = NULL;
  g_autoptr (GPtrArray) line = line_words (is_first ? words + 1 : words, &rest, &wrong);
  if (line == NULL)
    return fail (error, "%s", wrong->message);
  const char *path = is_first ? words[0] : *rest;
  if (is_first && *rest != NULL)
    return fail (error, "'%s' behind the script is no option of sbatch", *rest);
  if (path == NULL && !has_wrap (line))
    return fail (error, "expected a batch script, or --wrap=COMMAND; see --help");
  if (path != NULL && has_wrap (line))
    return fail (error, "there is a script, '%s', and --wrap; expected one of them", path);
  g_autoptr (GPtrArray) script = script_words (path, error);
  g_auto (GStrv) joined = script != NULL ? words_join (script, line, error) : NULL;
  self->command = joined != NULL ? lk_command_new (joined, self->texts, error) : NULL;
  if (self->command == NULL)
    return FALSE;
  self->label = path != NULL ? g_path_get_basename (path) : g_strdup ("wrap");
  if (self->command->refused != NULL)
    return fail (error, "%s", self->command->refused);
  return self->command->passed_over == NULL || fail (error, "%s", self->command->passed_over);
}

/* ---------------------------------------------------------------- whose it is */

typedef struct {
  char *name; /* "" where users have only numbers */
  guint32 number;
} User;

/* Who has a job in the system, or had one, by that name. */
static gboolean
find_known (const LkWhatifState *state, const char *name, guint32 *out_number)
{
  const LkWhatifPast *past = &state->past;
  LkEvent event;
  for (guint i = past->submits->len; i > 0; i--) {
    const LkPastSubmit *submit = &g_array_index (past->submits, LkPastSubmit, i - 1);
    lk_event_decode (past->bytes->data + submit->offset_bytes, submit->length_bytes, &event);
    LkText user = event.submit.user;
    if (user.length_bytes == strlen (name) && strncmp (user.bytes, name, user.length_bytes) == 0) {
      *out_number = event.submit.user_id;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
find_user (const LkWhatifState *state, const char *asked, User *out, GError **error)
{
  guint64 number;
  const struct passwd *own = asked == NULL ? getpwuid (getuid ()) : NULL;
  const char *name = own != NULL ? own->pw_name : asked;
  if (name == NULL)
    return fail (error, "who asks has no name on this machine; expected --user");
  *out = (User){ .name = g_strdup (name) };
  if (find_known (state, name, &out->number))
    return TRUE;
  if (g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT32 - 1, &number, NULL)) {
    out->name[0] = '\0';
    out->number = (guint32)number;
    return TRUE;
  }
  const struct passwd *entry = getpwnam (name);
  if (entry != NULL) {
    out->number = entry->pw_uid;
    return TRUE;
  }
  g_clear_pointer (&out->name, g_free);
  return fail (error,
               "user '%s' has submitted no job, and is no user of this machine; expected a name "
               "or a number by --user",
               name);
}

/* ---------------------------------------------------------------- events */

static gboolean
moment_of (const char *option, const char *text, gint64 now_us, gint64 *out_us, GError **error)
{
  if (text == NULL || lk_job_moment_parse (text, now_us, out_us))
    return TRUE;
  return fail (error, "--%s is '%s'; expected a time like now+2hours", option, text);
}

static gboolean
add_event (LkJobScript *self, guint offset, const User *user, const LkWhatifState *state,
           GError **error)
{
  const GArray *components = self->command->components;
  const LkJobOptions *options = &g_array_index (components, LkJobOptions, offset);
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  LkJobRequest request = options->request;
  LkJobTerms terms = options->terms;
  if (!moment_of ("begin", options->begin, state->moment_us, &terms.begin_us, error)
      || !moment_of ("deadline", options->deadline, state->moment_us, &terms.deadline_us, error))
    return FALSE;
  request.user = lk_text (g_string_chunk_insert (self->texts, user->name));
  if (request.group.length_bytes == 0)
    request.group = request.user;
  event.submit.user_id = user->number;
  event.submit.procs = lk_job_request_cpus (&options->request);
  event.submit.estimate_us = MAX (0, options->limit_us);
  lk_submit_set_request (&event.submit, &request);
  lk_submit_set_terms (&event.submit, &terms);
  event.submit.het_offset = offset;
  event.submit.het_count = components->len > 1 ? components->len : 0;
  g_array_append_val (self->events, event);
  return TRUE;
}

gboolean
lk_job_script_read (LkJobScript *self, char *const *words, const char *user,
                    const LkWhatifState *state, GError **error)
{
  User owner = { .name = NULL };
  *self = (LkJobScript){ .texts = g_string_chunk_new (4096),
                         .events = g_array_new (FALSE, FALSE, sizeof (LkEvent)) };
  gboolean is_good = read_command (self, words, error) && find_user (state, user, &owner, error);
  for (guint i = 0; is_good && i < self->command->components->len; i++)
    is_good = add_event (self, i, &owner, state, error);
  g_free (owner.name);
  if (!is_good)
    lk_job_script_clear (self);
  return is_good;
}

void
lk_job_script_clear (LkJobScript *self)
{
  g_clear_pointer (&self->command, lk_command_free);
  g_clear_pointer (&self->texts, g_string_chunk_free);
  g_clear_pointer (&self->events, g_array_unref);
  g_clear_pointer (&self->label, g_free);
}
