/* traces/job_options_walk.c — see job_options_private.h: which option an argument is, and its
 * value.
 *
 * Long names may be cut short while they stay unambiguous; letters may be joined. */
#include <string.h>

#include "engine/limits.h"
#include "engine/suggest.h"
#include "traces/job_options_private.h"
#include "traces/job_values.h"

/* What is shown of a value in messages. */
#define SHOWN_MAX_BYTES 60u
#define OPTIONS_MAX 200u

/* ---------------------------------------------------------------- messages */

/* Cut, and with every byte that is not printable ASCII replaced. Returns: (transfer full). */
static char *
value_shown (const char *value)
{
  GString *shown = g_string_new (NULL);
  for (gsize i = 0; i < SHOWN_MAX_BYTES && value[i] != '\0'; i++)
    g_string_append_c (shown, g_ascii_isprint (value[i]) ? value[i] : '?');
  if (strlen (value) > SHOWN_MAX_BYTES)
    g_string_append (shown, "...");
  return g_string_free (shown, FALSE);
}

gboolean
lk_job_option_fail (const LkJobOption *option, const char *value, const char *expected,
                    GError **error)
{
  g_autofree char *shown = value_shown (value);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, "option --%s is '%s'; expected %s",
               option->name, shown, expected);
  return FALSE;
}

static gboolean
fail (GError **error, const char *message)
{
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, message);
  return FALSE;
}

/* ---------------------------------------------------------------- finding options */

/* Sets the error for a name that begins several options' names. */
static gboolean
ambiguous_fail (const char *name, gsize length_bytes, GError **error)
{
  GString *candidates = g_string_new (NULL);
  for (guint i = 0; i < lk_job_option_count; i++)
    if (strncmp (lk_job_options[i].name, name, length_bytes) == 0)
      g_string_append_printf (candidates, "%s--%s", candidates->len > 0 ? ", " : "",
                              lk_job_options[i].name);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "option '--%.*s' is ambiguous; expected one of %s", (int)length_bytes, name,
               candidates->str);
  g_string_free (candidates, TRUE);
  return FALSE;
}

static gboolean
unknown_fail (const char *name, GError **error)
{
  const char *names[OPTIONS_MAX + 1] = { NULL };
  for (guint i = 0; i < lk_job_option_count; i++)
    names[i] = lk_job_options[i].name;
  const char *nearest = lk_suggest (name, names);
  g_autofree char *shown = value_shown (name);
  if (nearest != NULL)
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "option '--%s' is unknown; did you mean '--%s'?", shown, nearest);
  else
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "option '--%s' is unknown; expected an option of sbatch", shown);
  return FALSE;
}

/* The option that this name, or the beginning of a name, stands for. */
static const LkJobOption *
long_find (const char *name, gsize length_bytes, GError **error)
{
  const LkJobOption *found = NULL;
  guint found_count = 0;
  for (guint i = 0; i < lk_job_option_count; i++) {
    if (strncmp (lk_job_options[i].name, name, length_bytes) != 0)
      continue;
    if (lk_job_options[i].name[length_bytes] == '\0')
      return &lk_job_options[i];
    found = &lk_job_options[i];
    found_count++;
  }
  if (found_count == 1)
    return found;
  g_autofree char *whole = g_strndup (name, length_bytes);
  if (found_count > 1 && length_bytes > 0)
    ambiguous_fail (name, length_bytes, error);
  else
    unknown_fail (whole, error);
  return NULL;
}

gboolean
lk_job_option_is_known (const char *name)
{
  gsize length_bytes = strcspn (name, "=");
  for (guint i = 0; i < lk_job_option_count; i++)
    if (strncmp (lk_job_options[i].name, name, length_bytes) == 0)
      return TRUE;
  return FALSE;
}

static const LkJobOption *
letter_find (char letter, GError **error)
{
  for (guint i = 0; i < lk_job_option_count; i++)
    if (lk_job_options[i].letter != 0 && lk_job_options[i].letter == letter)
      return &lk_job_options[i];
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "option '-%c' is unknown; expected an option of sbatch",
               g_ascii_isprint (letter) ? letter : '?');
  return NULL;
}

/* ---------------------------------------------------------------- walking the arguments */

/* The value of an option that needs one and had none in its own argument: the next. */
static const char *
value_next (const LkJobOption *option, const char *const **at, GError **error)
{
  if ((*at)[1] == NULL) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "option --%s is the last argument; expected its value behind it", option->name);
    return NULL;
  }
  (*at)++;
  return **at;
}

/* "--name", "--name=value", "--name value". Moves onto the last argument used. */
static gboolean
long_take (LkJobParse *self, const char *const **at, GError **error)
{
  const char *name = **at + 2;
  const char *equals = strchr (name, '=');
  const LkJobOption *option =
      long_find (name, equals != NULL ? (gsize)(equals - name) : strlen (name), error);
  if (option == NULL)
    return FALSE;
  const char *value = equals != NULL ? equals + 1 : NULL;
  if (value != NULL && option->value == LK_JOB_VALUE_NONE)
    return lk_job_option_fail (option, value, "no value", error);
  if (value == NULL && option->value == LK_JOB_VALUE_NEEDED) {
    value = value_next (option, at, error);
    if (value == NULL)
      return FALSE;
  }
  return option->take (self, option, value, error);
}

/* "-n4", "-n 4", "-HN4". Moves onto the last argument used. */
static gboolean
letters_take (LkJobParse *self, const char *const **at, GError **error)
{
  for (const char *letter = **at + 1; *letter != '\0'; letter++) {
    const LkJobOption *option = letter_find (*letter, error);
    if (option == NULL)
      return FALSE;
    const char *value = NULL;
    gboolean is_last = option->value != LK_JOB_VALUE_NONE;
    if (is_last && letter[1] != '\0')
      value = letter + 1;
    if (value == NULL && option->value == LK_JOB_VALUE_NEEDED) {
      value = value_next (option, at, error);
      if (value == NULL)
        return FALSE;
    }
    if (!option->take (self, option, value, error))
      return FALSE;
    if (is_last)
      break;
  }
  return TRUE;
}

/* Up to the ":" behind a component, the script, or the end. */
static gboolean
arguments_take (LkJobParse *self, const char *const *argv, GError **error)
{
  const char *const *at = argv;
  for (; *at != NULL && strcmp (*at, ":") != 0; at++) {
    if ((*at)[0] != '-' || (*at)[1] == '\0')
      break;
    if (strcmp (*at, "--") == 0) {
      at++;
      break;
    }
    gboolean is_taken =
        (*at)[1] == '-' ? long_take (self, &at, error) : letters_take (self, &at, error);
    if (!is_taken)
      return FALSE;
  }
  self->options.argument_count = (guint)(at - argv);
  return TRUE;
}

static GArray *
list_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (LkJobGres));
}

/* What sbatch lets a component have of the one before it: all but what is asked of nodes. */
static LkJobOptions
options_behind (const LkJobOptions *before)
{
  static const guint32 flags = LK_REQUEST_HOLD | LK_REQUEST_NO_REQUEUE | LK_REQUEST_NO_KILL;
  LkJobOptions options = { .limit_us = -1 };
  if (before == NULL)
    return options;
  options = *before;
  options.request = (LkJobRequest){ .account = before->request.account,
                                    .qos = before->request.qos,
                                    .group = before->request.group,
                                    .exclude = before->request.exclude,
                                    .nice = before->request.nice,
                                    .priority = before->request.priority,
                                    .flags = before->request.flags & flags };
  options.is_overcommitted = FALSE;
  options.nodes_cut_from = 0;
  options.unsupported = options.unsupported_beside_terms = NULL;
  return options;
}

/* The options of one component, which stands behind `before` (NULL: behind none). */
static gboolean
component_parse (const char *const *argv, const LkJobOptions *before, GStringChunk *texts,
                 LkJobOptions *out_options, GError **error)
{
  LkJobParse parse = {
    .texts = texts,
    .options = options_behind (before),
    .gres = list_new (),
    .gpus = list_new (),
    .gpus_per_node = list_new (),
    .gpus_per_task = list_new (),
    .gpus_per_socket = list_new (),
    .unsupported = g_string_new (NULL),
    .unsupported_beside_terms = g_string_new (NULL),
  };
  gboolean is_good = arguments_take (&parse, argv, error) && lk_job_parse_settle (&parse, error);
  if (is_good && parse.unsupported->len > 0)
    parse.options.unsupported = g_string_chunk_insert_const (texts, parse.unsupported->str);
  if (is_good && parse.unsupported_beside_terms->len > 0)
    parse.options.unsupported_beside_terms =
        g_string_chunk_insert_const (texts, parse.unsupported_beside_terms->str);
  if (is_good)
    *out_options = parse.options;
  g_array_unref (parse.gres);
  g_array_unref (parse.gpus);
  g_array_unref (parse.gpus_per_node);
  g_array_unref (parse.gpus_per_task);
  g_array_unref (parse.gpus_per_socket);
  g_string_free (parse.unsupported, TRUE);
  g_string_free (parse.unsupported_beside_terms, TRUE);
  return is_good;
}

static gboolean
is_followed (const char *const *argv, const LkJobOptions *options)
{
  const char *behind = argv[options->argument_count];
  return behind != NULL && strcmp (behind, ":") == 0;
}

/* Nothing between two ":", before the first, or behind the last. */
static gboolean
is_empty (const char *const *argv, const LkJobOptions *options, gboolean is_first)
{
  const char *behind = argv[0];
  return options->argument_count == 0 && (behind != NULL ? strcmp (behind, ":") == 0 : !is_first);
}

gboolean
lk_job_options_parse (const char *const *argv, GStringChunk *texts, LkJobOptions *out_options,
                      GError **error)
{
  LkJobOptions options;
  if (!component_parse (argv, NULL, texts, &options, error))
    return FALSE;
  if (is_followed (argv, &options))
    return fail (error, "argument ':' begins a second component; expected a job of one component");
  *out_options = options;
  return TRUE;
}

/* slurmctld keeps the components of a job off the nodes that others of them name, so that they do
 * not wait for each other. */
static void
leave_nodes (GArray *components, GStringChunk *texts)
{
  for (guint i = 0; i < components->len; i++) {
    LkJobRequest *request = &g_array_index (components, LkJobOptions, i).request;
    g_autoptr (GString) exclude =
        g_string_new_len (request->exclude.bytes, (gssize)request->exclude.length_bytes);
    for (guint j = 0; j < components->len; j++) {
      LkText named = g_array_index (components, LkJobOptions, j).request.node_list;
      if (j == i || named.length_bytes == 0)
        continue;
      g_string_append_printf (exclude, "%s%.*s", exclude->len > 0 ? "," : "",
                              (int)named.length_bytes, named.bytes);
    }
    if (exclude->len <= G_MAXUINT16)
      request->exclude = lk_text (g_string_chunk_insert_const (texts, exclude->str));
  }
}

gboolean
lk_job_options_parse_components (const char *const *argv, GStringChunk *texts,
                                 GArray *out_components, GError **error)
{
  for (const char *const *at = argv;;) {
    guint count = out_components->len;
    const LkJobOptions *before =
        count > 0 ? &g_array_index (out_components, LkJobOptions, count - 1) : NULL;
    LkJobOptions options;
    if (count == LK_LIMIT_HET_COMPONENTS)
      return fail (error, "there are more than 128 components; expected at most 128");
    if (!component_parse (at, before, texts, &options, error))
      return FALSE;
    if (is_empty (at, &options, count == 0)) {
      g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                   "component %u of the job is empty; expected options before and behind ':'",
                   count);
      return FALSE;
    }
    g_array_append_val (out_components, options);
    if (!is_followed (at, &options))
      break;
    at += options.argument_count + 1;
  }
  leave_nodes (out_components, texts);
  return TRUE;
}

/* ---------------------------------------------------------------- what was given */

static void
given_add (const LkJobOption *option, const char *value, GPtrArray *given)
{
  g_ptr_array_add (given, value != NULL ? g_strdup_printf ("--%s=%s", option->name, value)
                                        : g_strdup_printf ("--%s", option->name));
}

/* As letters_take, without taking. */
static gboolean
given_letters (const char *const **at, GPtrArray *given, GError **error)
{
  for (const char *letter = **at + 1; *letter != '\0'; letter++) {
    const LkJobOption *option = letter_find (*letter, error);
    const char *value = NULL;
    if (option == NULL)
      return FALSE;
    if (option->value != LK_JOB_VALUE_NONE && letter[1] != '\0')
      value = letter + 1;
    else if (option->value == LK_JOB_VALUE_NEEDED)
      value = value_next (option, at, error);
    if (option->value == LK_JOB_VALUE_NEEDED && value == NULL)
      return FALSE;
    given_add (option, value, given);
    if (option->value != LK_JOB_VALUE_NONE)
      break;
  }
  return TRUE;
}

static const LkJobMoreOption no_more[] = { { NULL, 0 } };

static gboolean
more_find (const LkJobMoreOption *more, const char *argument, LkJobOption *out_option)
{
  gsize length_bytes = strcspn (argument, "=");
  for (; more->name != NULL; more++) {
    if (strncmp (more->name, argument, length_bytes) != 0 || more->name[length_bytes] != '\0')
      continue;
    *out_option = (LkJobOption){ .name = more->name,
                                 .value = more->value == 0   ? LK_JOB_VALUE_NONE
                                          : more->value == 1 ? LK_JOB_VALUE_NEEDED
                                                             : LK_JOB_VALUE_OPTIONAL };
    return TRUE;
  }
  return FALSE;
}

static gboolean
given_long (const char *const **at, const LkJobMoreOption *more, GPtrArray *given, GError **error)
{
  const char *name = **at + 2;
  const char *equals = strchr (name, '=');
  LkJobOption found;
  const LkJobOption *option =
      more_find (more, name, &found)
          ? &found
          : long_find (name, equals != NULL ? (gsize)(equals - name) : strlen (name), error);
  const char *value = equals != NULL ? equals + 1 : NULL;
  if (option == NULL)
    return FALSE;
  if (value != NULL && option->value == LK_JOB_VALUE_NONE)
    return lk_job_option_fail (option, value, "no value", error);
  if (value == NULL && option->value == LK_JOB_VALUE_NEEDED)
    value = value_next (option, at, error);
  if (option->value == LK_JOB_VALUE_NEEDED && value == NULL)
    return FALSE;
  given_add (option, value, given);
  return TRUE;
}

/* Those of one component; moves to what is behind them. */
static gboolean
given_component (const char *const **at, const LkJobMoreOption *more, GPtrArray *given,
                 GError **error)
{
  for (; **at != NULL && strcmp (**at, ":") != 0; (*at)++) {
    if ((**at)[0] != '-' || (**at)[1] == '\0')
      break;
    if (strcmp (**at, "--") == 0) {
      (*at)++;
      break;
    }
    if (!((**at)[1] == '-' ? given_long (at, more, given, error)
                           : given_letters (at, given, error)))
      return FALSE;
  }
  return TRUE;
}

char **
lk_job_options_given (const char *const *argv)
{
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  const char *const *at = argv;
  while (given_component (&at, no_more, given, NULL) && *at != NULL && strcmp (*at, ":") == 0)
    at++;
  g_ptr_array_add (given, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&given), FALSE);
}

char **
lk_job_options_words (const char *const *argv, guint *out_count, GError **error)
{
  return lk_job_options_words_more (argv, no_more, out_count, error);
}

char **
lk_job_options_words_more (const char *const *argv, const LkJobMoreOption *more, guint *out_count,
                           GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  const char *const *at = argv;
  if (!given_component (&at, more, words, error))
    return NULL;
  *out_count = (guint)(at - argv);
  g_ptr_array_add (words, NULL);
  g_ptr_array_set_free_func (words, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

char **
lk_job_options_split (const char *line, GError **error)
{
  char **words = NULL;
  g_autoptr (GError) wrong = NULL;
  if (g_shell_parse_argv (line, NULL, &words, &wrong))
    return words;
  if (g_error_matches (wrong, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
    return g_new0 (char *, 1);
  fail (error, "a quote or a backslash has nothing behind it; expected every quote to be closed");
  return NULL;
}
