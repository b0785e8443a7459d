/* live/client/step/launch.c — options of salloc and srun. See launch.h. */
#include "live/client/step/launch.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <unistd.h>

#include "live/client/commands.h"
#include "live/client/submit/job_option_text.h"
#include "live/client/submit/tres_per_task.h"
#include "live/client/rounds.h"
#include "live/client/spank_command.h"
#include "live/client/submit/host_file.h"
#include "traces/job_options_private.h"

/* ---------------------------------------------------------------- the table */

static const LkClientOption *
own_find (const LkLaunchCommand *command, const char *name)
{
  for (guint i = 0; i < command->own_count; i++)
    if (strcmp (command->own[i].name, name) == 0)
      return &command->own[i];
  return NULL;
}

static int
has_value (const LkJobOption *option)
{
  return option->value == LK_JOB_VALUE_OPTIONAL ? LK_OPTION_VALUE_MAY
                                                : option->value == LK_JOB_VALUE_NEEDED;
}

/* Does the command have an option of sbatch? `out` is it. */
static gboolean
option_of_sbatch (const LkLaunchCommand *command, const LkJobOption *option, LkClientOption *out)
{
  static const LkOptionClass classes[] = {
    [LK_SBATCH_PLACED] = LK_OPTION_ACTED_ON,
    [LK_SBATCH_ACTED_ON] = LK_OPTION_ACTED_ON,
    [LK_SBATCH_HARMLESS] = LK_OPTION_HARMLESS,
    [LK_SBATCH_REFUSED] = LK_OPTION_REFUSED,
  };
  const char *why;
  LkSbatchClass class = lk_sbatch_option_class (option->name, &why);
  if (class == LK_SBATCH_ACTED_ON || own_find (command, option->name) != NULL
      || g_strv_contains (command->without, option->name))
    return FALSE;
  const char *text = lk_job_option_text (option->name);
  *out = (LkClientOption){ .name = option->name,
                           .letter = option->letter,
                           .has_value = has_value (option),
                           .class = classes[class],
                           .help = why != NULL    ? why
                                   : text != NULL ? text
                                                  : "" };
  return TRUE;
}

static gint
option_compare (gconstpointer a, gconstpointer b)
{
  return strcmp (((const LkClientOption *)a)->name, ((const LkClientOption *)b)->name);
}

GArray *
lk_launch_options (const LkLaunchCommand *command)
{
  GArray *options = g_array_new (FALSE, FALSE, sizeof (LkClientOption));
  g_array_append_vals (options, command->own, command->own_count);
  for (guint i = 0; i < lk_job_option_count; i++) {
    LkClientOption option;
    if (option_of_sbatch (command, &lk_job_options[i], &option))
      g_array_append_val (options, option);
  }
  g_array_sort (options, option_compare);
  return options;
}

void
lk_launch_markdown (const LkLaunchCommand *command, GString *out)
{
  g_autoptr (GArray) options = lk_launch_options (command);
  lk_options_markdown ((const LkClientOption *)(gpointer)options->data, options->len, out);
}

/* ---------------------------------------------------------------- words */

/* Is an option the same for sbatch? */
static gboolean
is_shared (const LkClientOption *option)
{
  const char *why;
  for (guint i = 0; i < lk_job_option_count; i++)
    if (strcmp (lk_job_options[i].name, option->name) == 0)
      return has_value (&lk_job_options[i]) == option->has_value
             && lk_sbatch_option_class (option->name, &why) != LK_SBATCH_REFUSED;
  return FALSE;
}

GPtrArray *
lk_launch_words (const LkLaunch *self)
{
  return g_ptr_array_index (self->submission.components, 0);
}

typedef struct {
  LkLaunch *launch;
  GPtrArray *shared; /* of the command line, terminated when all are there */
  gboolean is_line;
} Taking;

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Taking *self = user;
  LkClient *client = self->launch->submission.client;
  gint plugin = lk_spank_command_find (client, option->name);
  if (plugin >= 0)
    return lk_spank_command_take (client, (guint)plugin, value);
  client->is_verbose = client->is_verbose || strcmp (option->name, "verbose") == 0;
  GPtrArray *words = is_shared (option) ? self->shared : self->launch->own;
  g_ptr_array_add (words, value != NULL ? g_strdup_printf ("--%s=%s", option->name, value)
                                        : g_strdup_printf ("--%s", option->name));
  if (self->is_line)
    g_ptr_array_add (self->launch->line, g_strdup (option->name));
  return TRUE;
}

static const LkClientOption *
option_find (const GArray *options, const char *name)
{
  for (guint i = 0; i < options->len; i++)
    if (strcmp (g_array_index (options, LkClientOption, i).name, name) == 0)
      return &g_array_index (options, LkClientOption, i);
  return NULL;
}

static void
switches_take (const LkLaunch *self, GPtrArray *words)
{
  g_autofree char *switches = lk_option_switches (self->submission.client);
  if (switches != NULL)
    g_ptr_array_add (words, g_strdup_printf ("--switches=%s", switches));
}

/* What the environment gives; what is harmless there changes nothing. FALSE: it gives what is
 * refused, told. */
static gboolean
variables_take (LkLaunch *self, const GArray *options, Taking *taking)
{
  const LkLaunchCommand *command = self->command;
  const LkClient *client = self->submission.client;
  for (guint i = 0; i < command->variable_count; i++) {
    const LkOptionVariable *at = &command->variables[i];
    const char *value = lk_client_variable (client, at->variable);
    const LkClientOption *option = option_find (options, at->option);
    guint count = lk_option_variable_count (at, value);
    if (option == NULL || option->class == LK_OPTION_HARMLESS || count == 0)
      continue;
    if (option->class == LK_OPTION_REFUSED) {
      lk_client_error (client, "%s: --%s is not implemented: %s", at->variable, option->name,
                       option->help);
      return FALSE;
    }
    for (; count > 0; count--)
      option_take (taking, option, lk_option_variable_has_value (at, value) ? value : NULL);
  }
  return TRUE;
}

static gboolean
has_word (const GPtrArray *words, const char *beginning)
{
  for (guint i = 0; i < words->len; i++)
    if (g_str_has_prefix (g_ptr_array_index (words, i), beginning))
      return TRUE;
  return FALSE;
}

/* The environment and the options of one component, "-n2 : ...". Returns: how many words stand
 * behind argv[0] then; below 0: see lk_launch_parse. */
static int
component_parse (LkLaunch *self, const GArray *options, GPtrArray *words, int argc, char **argv)
{
  g_autoptr (GPtrArray) line = g_ptr_array_new_with_free_func (g_free);
  Taking taking = { self, words, FALSE };
  LkOptionSet set = { .usage = self->command->usage,
                      .operands = self->command->operands,
                      .options = (const LkClientOption *)(gpointer)options->data,
                      .count = options->len,
                      .take = option_take,
                      .user = &taking,
                      .ends_at_operand = TRUE,
                      .h_is_help = TRUE,
                      .is_of_jobs = TRUE,
                      .plugin_first = self->plugin_first };
  if (!lk_option_variables_check (self->submission.client)
      || !variables_take (self, options, &taking))
    return -1;
  switches_take (self, words);
  if (!lk_tres_per_task_settle (self->submission.client, words))
    return -1;
  taking.shared = line;
  taking.is_line = TRUE;
  int kept = lk_options_parse (self->submission.client, &set, argc, argv);
  if (kept >= 0 && !lk_tres_per_task_settle (self->submission.client, line))
    kept = -1;
  if (has_word (line, "--cpus-per-task="))
    g_ptr_array_add (self->line, g_strdup ("cpus-per-task"));
  g_ptr_array_add (line, NULL);
  if (kept >= 0)
    lk_sbatch_words_append (words, (char **)line->pdata);
  lk_sbatch_plane_fill (self->submission.client, words);
  return kept;
}

/* What a command does for all of its job the first component says that names it. */
static void
own_keep_first (LkLaunch *self, guint first_count)
{
  for (guint i = first_count; i < self->own->len; i++)
    g_ptr_array_insert (self->own, 0, g_ptr_array_steal_index (self->own, i));
}

/* Behind ours, of which there is none of the same name. */
static void
plugin_options_append (const LkClient *client, GArray *options)
{
  guint own_count = options->len;
  for (guint i = 0; client->spank != NULL && i < lk_spank_option_count (client->spank); i++) {
    const struct spank_option *option = lk_spank_option (client->spank, i);
    gboolean is_known = FALSE;
    for (guint k = 0; k < own_count; k++)
      is_known =
          is_known || strcmp (g_array_index (options, LkClientOption, k).name, option->name) == 0;
    LkClientOption more = { .name = option->name,
                            .has_value = option->has_arg,
                            .class = LK_OPTION_ACTED_ON,
                            .help = option->usage };
    if (!is_known)
      g_array_append_val (options, more);
  }
}

int
lk_launch_parse (LkLaunch *self, int argc, char **argv)
{
  LkClient *client = self->submission.client;
  GPtrArray *components = self->submission.components;
  g_autoptr (GArray) options = lk_launch_options (self->command);
  self->plugin_first = options->len;
  plugin_options_append (client, options);
  self->submission.submit_line = g_strjoinv (" ", argv);
  int kept = component_parse (self, options, lk_launch_words (self), argc, argv);
  while (kept > 0 && strcmp (argv[1], ":") == 0) {
    GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
    guint own_count = self->own->len;
    g_ptr_array_add (components, words);
    argv++;
    kept = component_parse (self, options, words, kept, argv);
    own_keep_first (self, own_count);
  }
  if (kept < 0)
    return kept;
  for (guint i = 0; i < components->len; i++) {
    lk_sbatch_hint_settle (client, g_ptr_array_index (components, i), self->own);
    if (!lk_host_file_settle (client, g_ptr_array_index (components, i)))
      return -1;
  }
  LkSbatchBinds binds = lk_sbatch_binds_check (&self->submission);
  if (binds != LK_SBATCH_BINDS_GOOD)
    return binds == LK_SBATCH_BINDS_TOLD ? -2 : -1;
  g_autofree char *cluster = NULL;
  if (!lk_client_clusters_check (client, lk_launch_value (self, "clusters"), &cluster)
      || !lk_spank_command_ready (client))
    return -1;
  self->arguments = argv + 1;
  /* Its base name is the name of the job. */
  self->submission.script_name = self->command->job_name == NULL ? argv[1] : NULL;
  return 0;
}

/* ---------------------------------------------------------------- the whole */

static void
words_free (gpointer words)
{
  g_ptr_array_unref (words);
}

void
lk_launch_init (LkLaunch *self, const LkLaunchCommand *command, LkClient *client)
{
  *self = (LkLaunch){ .command = command,
                      .own = g_ptr_array_new_with_free_func (g_free),
                      .line = g_ptr_array_new_with_free_func (g_free) };
  lk_sbatch_init (&self->submission, client);
  client->variables = command->variables;
  client->variable_count = command->variable_count;
  self->submission.name_default = "interactive";
  /* Only scripts hear of it. */
  self->submission.hides_export = TRUE;
  g_ptr_array_set_free_func (self->submission.components, words_free);
  g_ptr_array_add (self->submission.components, g_ptr_array_new_with_free_func (g_free));
}

void
lk_launch_clear (LkLaunch *self)
{
  lk_sbatch_clear (&self->submission);
  g_ptr_array_unref (self->own);
  g_ptr_array_unref (self->line);
}

const char *
lk_launch_value (const LkLaunch *self, const char *name)
{
  gsize name_bytes = strlen (name);
  for (guint i = self->own->len; i > 0; i--) {
    const char *word = (const char *)g_ptr_array_index (self->own, i - 1) + 2;
    if (strncmp (word, name, name_bytes) != 0)
      continue;
    if (word[name_bytes] == '=')
      return word + name_bytes + 1;
    if (word[name_bytes] == '\0')
      return "";
  }
  return lk_sbatch_value (&self->submission, name);
}

gboolean
lk_launch_has (const LkLaunch *self, const char *name)
{
  return lk_launch_value (self, name) != NULL;
}

gboolean
lk_launch_is_on_line (const LkLaunch *self, const char *name)
{
  for (guint i = 0; i < self->line->len; i++)
    if (strcmp (g_ptr_array_index (self->line, i), name) == 0)
      return TRUE;
  return FALSE;
}

void
lk_launch_info (const LkLaunch *self, const char *format, ...)
{
  const LkClient *client = self->submission.client;
  va_list arguments;
  if (lk_launch_has (self, "quiet"))
    return;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (client->err, "%s: %s\n", client->command, text);
  fflush (client->err);
}

void
lk_launch_options_tell (const LkLaunch *self)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  if (!lk_launch_has (self, "verbose"))
    return;
  g_ptr_array_extend (words, lk_launch_words (self), NULL, NULL);
  g_ptr_array_extend (words, self->own, NULL, NULL);
  lk_sbatch_words_tell (self->submission.client, words);
}

gboolean
lk_launch_become (const LkLaunch *self, const LkJobRow *row)
{
  const LkClient *client = self->submission.client;
  if (!lk_launch_has (self, "uid") && !lk_launch_has (self, "gid"))
    return TRUE;
  if (!lk_client_is_root (client)) {
    lk_client_error (client, "--%s only permitted by root user",
                     lk_launch_has (self, "uid") ? "uid" : "gid");
    return FALSE;
  }
  gid_t group_id = row->job.group_id;
  uid_t user_id = row->job.user_id;
  if (initgroups (row->user, group_id) == 0 && setgid (group_id) == 0 && setuid (user_id) == 0)
    return TRUE;
  lk_client_error (client, "initgroups: setgid: setuid: %s", g_strerror (errno));
  return FALSE;
}

int
lk_launch_exit_code (const LkClient *client, const char *variable)
{
  guint64 code;
  const char *value = lk_client_variable (client, variable);
  if (value == NULL || !g_ascii_string_to_unsigned (value, 10, 1, 255, &code, NULL))
    return LK_LAUNCH_FAILURE;
  return (int)code;
}
