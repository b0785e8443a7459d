/* live/client/options.c — see the header. */
#include "live/client/options.h"

#include <string.h>

#include "live/client/commands.h"
#include "live/client/options_dump.h"
#include "live/client/options_help.h"
#include "live/client/spank_command.h"
#include "live/client/submit/harmless_values.h"

#define HELP_DONE (-2)
#define WRONG (-1)

/* ---------------------------------------------------------------- finding */

/* A name may be cut short while all that begin so mean the same. `is_ambiguous`: they do not. */
static const LkClientOption *
long_find (const LkOptionSet *set, const char *name, gsize length_bytes, gboolean *is_ambiguous)
{
  const LkClientOption *found = NULL;
  *is_ambiguous = FALSE;
  for (guint i = 0; i < set->count; i++) {
    const LkClientOption *option = &set->options[i];
    if (strncmp (option->name, name, length_bytes) != 0)
      continue;
    if (option->name[length_bytes] == '\0') {
      *is_ambiguous = FALSE;
      return option;
    }
    if (found != NULL && (found->letter == '\0' || found->letter != option->letter))
      *is_ambiguous = TRUE;
    found = found != NULL ? found : option;
  }
  return found;
}

static const LkClientOption *
letter_find (const LkOptionSet *set, char letter)
{
  for (guint i = 0; i < set->count; i++)
    if (set->options[i].letter == letter)
      return &set->options[i];
  return NULL;
}

static int unknown (const LkClient *client, const char *format, ...) G_GNUC_PRINTF (2, 3);

static int
unknown (const LkClient *client, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (client->err, "%s: %s\nTry \"%s --help\" for more information\n", client->command, text,
           client->command);
  return WRONG;
}

/* ---------------------------------------------------------------- taking */

static gboolean
option_take (const LkClient *client, const LkOptionSet *set, const LkClientOption *option,
             const char *value)
{
  if (option->class == LK_OPTION_REFUSED) {
    lk_client_error (client, "--%s is not implemented: %s", option->name, option->help);
    return FALSE;
  }
  if (option->class == LK_OPTION_HARMLESS)
    return !set->is_of_jobs || lk_harmless_value_check (client, option->name, value) == 0;
  return set->take (set->user, option, value);
}

static int
refuse_ambiguous (const LkClient *client, const LkOptionSet *set, const char *word,
                  gsize length_bytes)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < set->count; i++)
    if (strncmp (set->options[i].name, word + 2, length_bytes) == 0)
      g_string_append_printf (known, " '--%s'", set->options[i].name);
  return unknown (client, "option '%s' is ambiguous; possibilities:%s", word, known->str);
}

/* "--name", "--name=value", "--name value". Returns: arguments used, or WRONG. */
static int
long_take (const LkClient *client, const LkOptionSet *set, char **at)
{
  const char *name = at[0] + 2;
  const char *equals = strchr (name, '=');
  gsize length = equals != NULL ? (gsize)(equals - name) : strlen (name);
  gboolean is_ambiguous;
  const LkClientOption *option = long_find (set, name, length, &is_ambiguous);
  if (is_ambiguous)
    return refuse_ambiguous (client, set, at[0], length);
  if (option == NULL) {
    unknown (client, "unrecognized option '%s'", at[0]);
    lk_spank_command_tell_lack (client, at[0]);
    return WRONG;
  }
  if (equals != NULL && !option->has_value)
    return unknown (client, "option '--%s' doesn't allow an argument", option->name);
  gboolean takes_next = option->has_value == TRUE && equals == NULL;
  if (takes_next && at[1] == NULL)
    return unknown (client, "option '--%s' requires an argument", option->name);
  const char *value = equals != NULL ? equals + 1 : takes_next ? at[1] : NULL;
  if (!option_take (client, set, option, value))
    return WRONG;
  return takes_next ? 2 : 1;
}

/* "-a", "-ab", "-nvalue", "-n value". */
static int
letters_take (const LkClient *client, const LkOptionSet *set, char **at)
{
  for (const char *letter = at[0] + 1; *letter != '\0'; letter++) {
    const LkClientOption *option = letter_find (set, *letter);
    if (option == NULL)
      return unknown (client, "invalid option -- '%c'", *letter);
    gboolean is_joined = option->has_value && letter[1] != '\0';
    gboolean takes_next = option->has_value == TRUE && !is_joined;
    if (takes_next && at[1] == NULL)
      return unknown (client, "option requires an argument -- '%c'", *letter);
    const char *value = is_joined ? letter + 1 : takes_next ? at[1] : NULL;
    if (!option_take (client, set, option, value))
      return WRONG;
    if (option->has_value)
      return takes_next ? 2 : 1;
  }
  return 1;
}

/* ---------------------------------------------------------------- the whole */

/* No text of an event is longer. */
static gboolean
lengths_check (const LkClient *client, char **argv)
{
  for (char **at = argv + 1; *at != NULL; at++)
    if (strlen (*at) > G_MAXUINT16) {
      lk_client_error (client, "an argument is longer than %u bytes", G_MAXUINT16);
      return FALSE;
    }
  return TRUE;
}

/* TRUE: done. */
static gboolean
self_tell (const LkClient *client, const LkOptionSet *set, const char *word)
{
  if (strcmp (word, "--help") == 0 || (set->h_is_help && strcmp (word, "-h") == 0))
    lk_options_help (client, set);
  else if (strcmp (word, "--usage") == 0)
    lk_options_usage (client, set);
  else if (strcmp (word, LK_OPTIONS_DUMP) == 0)
    lk_options_dump (client, set);
  else if (strcmp (word, "--version") == 0 || strcmp (word, "-V") == 0)
    fprintf (client->out, "slurm " LK_CLIENT_SLURM_VERSION "\n");
  else
    return FALSE;
  return TRUE;
}

int
lk_options_parse (const LkClient *client, const LkOptionSet *set, int argc, char **argv)
{
  int kept = 0;
  gboolean is_over = FALSE;
  if (!lengths_check (client, argv))
    return WRONG;
  for (int i = 1; i < argc;) {
    if (is_over || argv[i][0] != '-' || argv[i][1] == '\0') {
      is_over = is_over || set->ends_at_operand;
      argv[1 + kept++] = argv[i++];
      continue;
    }
    if (strcmp (argv[i], "--") == 0) {
      is_over = TRUE;
      i++;
      continue;
    }
    if (self_tell (client, set, argv[i]))
      return HELP_DONE;
    int used = argv[i][1] == '-' ? long_take (client, set, &argv[i])
                                 : letters_take (client, set, &argv[i]);
    if (used < 0)
      return WRONG;
    i += used;
  }
  argv[1 + kept] = NULL;
  return kept;
}

void
lk_options_markdown (const LkClientOption *options, guint count, GString *out)
{
  static const char *const words[] = { "", "harmless: ", "an error: " };
  g_string_append (out, "| Option | What becomes of it |\n|---|---|\n");
  for (guint i = 0; i < count; i++) {
    g_string_append_printf (out, "| `--%s`", options[i].name);
    if (options[i].letter != '\0')
      g_string_append_printf (out, ", `-%c`", options[i].letter);
    g_string_append_printf (out, " | %s%s |\n", words[options[i].class], options[i].help);
  }
}
